// Content projects that tests define in a few lines, and the model of one without any files.
import { buildModel } from '../../src/model/build.ts';
import type { AttributeDefinition, Definition, Model } from '../../src/model/types.ts';

export type Json = Record<string, unknown>;
export type Attributes = Readonly<Record<string, Json>>;

export interface TypeDefinition {
  readonly attributes: Attributes;
  readonly drafts?: boolean;
  readonly localized?: boolean;
  readonly single?: boolean;
  /** Its table, where that is not called by the plural name. */
  readonly table?: string;
  readonly options?: Json;
}

/** A content project: types by singular name, components by uid, the locales of a new database. */
export interface Project {
  readonly types: Readonly<Record<string, TypeDefinition>>;
  readonly components?: Readonly<Record<string, Attributes>>;
  readonly locales?: readonly string[];
  /** What config/sheaf.json says. */
  readonly settings?: Json;
}

/** The plural name that a type of a defined project is served under. */
export const pluralOf = (singular: string): string => `${singular}s`;

export const localized = { pluginOptions: { i18n: { localized: true } } } as const;

export function relation(kind: string, target: string, options: Json = {}): Json {
  return { type: 'relation', relation: kind, target: `api::${target}.${target}`, ...options };
}

/** The model of a project. */
export function modelOf({ types, components = {} }: Project): Model {
  const shared = { file: 'test', populateCreatorFields: false, privateAttributes: [], indexes: [] };
  return buildModel([
    ...Object.entries(types).map(
      ([name, type]): Definition => ({
        ...shared,
        uid: `api::${name}.${name}`,
        kind: type.single ? 'singleType' : 'collectionType',
        collectionName: type.table ?? pluralOf(name),
        singularName: name,
        pluralName: pluralOf(name),
        draftAndPublish: type.drafts === true,
        localized: type.localized === true,
        attributes: type.attributes as Record<string, AttributeDefinition>,
      }),
    ),
    ...Object.entries(components).map(([uid, attributes]): Definition => {
      const [category, name] = uid.split('.') as [string, string];
      return {
        ...shared,
        uid,
        kind: 'component',
        collectionName: `components_${category}_${name}s`,
        singularName: name,
        pluralName: name,
        draftAndPublish: false,
        localized: false,
        attributes: attributes as Record<string, AttributeDefinition>,
      };
    }),
  ]);
}
