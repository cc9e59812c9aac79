// Content-types and components as they are declared, in the form of Strapi 5's content-type builder: front ends make
// their types and queries of it.
import { BUILTIN_DEFINITIONS, ROLE, USER } from '../model/builtin.ts';
import type {
  Attribute,
  AttributeDefinition,
  ComponentSchema,
  ContentType,
  Definition,
  Model,
} from '../model/types.ts';
import { pascal } from './schema-names.ts';

type Shown = Readonly<Record<string, unknown>>;

export interface DeclaredSchema {
  readonly uid: string;
  readonly schema: Shown;
  readonly [member: string]: unknown;
}

/** Those that are served, and what they lead to. What the administration of Strapi 5 keeps for itself is not shown. */
export const isDeclared = ({ uid, exposure }: ContentType): boolean =>
  uid === ROLE || (exposure !== 'hidden' && !uid.startsWith('admin::'));

export function declaredType(model: Model, type: ContentType): DeclaredSchema {
  const { uid, kind, singularName, pluralName, draftAndPublish, localized, attributes } = type;
  const definition = definitionOf(model, uid);
  const [plugin] = /(?<=^plugin::)[^.]+/.exec(uid) ?? [];
  const visible = plugin === undefined || uid === USER || !BUILTIN_DEFINITIONS.some((builtin) => builtin.uid === uid);
  return {
    uid,
    ...(plugin !== undefined && { plugin }),
    apiID: singularName,
    schema: {
      draftAndPublish,
      ...(definition.populateCreatorFields && { populateCreatorFields: true }),
      ...labelOf(model, uid, singularName),
      singularName,
      pluralName,
      pluginOptions: localized ? { i18n: { localized: true } } : {},
      kind,
      collectionName: definition.collectionName,
      attributes: declaredAttributes(definition, attributes),
      visible,
      restrictRelationsTo: visible ? null : [],
    },
  };
}

export function declaredComponent(model: Model, { uid, attributes }: ComponentSchema): DeclaredSchema {
  const definition = definitionOf(model, uid);
  const [category = '', name = uid] = uid.split('.');
  return {
    uid,
    category,
    apiId: name,
    schema: {
      ...labelOf(model, uid, name),
      collectionName: definition.collectionName,
      attributes: declaredAttributes(definition, attributes),
    },
  };
}

/** What an extension says of a built-in type goes before. */
const definitionOf = ({ definitions }: Model, uid: string): Definition =>
  [...definitions, ...BUILTIN_DEFINITIONS].find((definition) => definition.uid === uid)!;

function labelOf({ labels }: Model, uid: string, name: string): Shown {
  const label = labels.get(uid);
  return { displayName: label?.displayName ?? pascal(name), description: label?.description ?? '' };
}

const declaredAttributes = (
  { attributes, privateAttributes }: Definition,
  built: ReadonlyMap<string, Attribute>,
): Shown =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([, { visible }]) => visible !== false)
      .map(([name, declared]) => [
        name,
        declaredAttribute(
          privateAttributes.includes(name) ? { ...declared, private: true } : declared,
          built.get(name),
        ),
      ]),
  );

function declaredAttribute(declared: AttributeDefinition, built: Attribute | undefined): Shown {
  const { type, multiple, required, private: isPrivate, inversedBy, mappedBy } = declared;
  switch (type) {
    case 'media':
      return { ...declared, multiple: multiple === true, required: required === true, private: isPrivate === true };
    case 'relation':
      return {
        ...declared,
        targetAttribute: inversedBy ?? mappedBy ?? null,
        required: required === true,
        private: isPrivate === true,
      };
    case 'customField':
      return { ...declared, type: built?.kind === 'scalar' ? built.type : type };
    default:
      return declared;
  }
}
