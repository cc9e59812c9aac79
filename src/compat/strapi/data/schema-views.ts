// Content-types and components as Strapi shows them to code: the definition, and names that follow from it.
import { BUILTIN_DEFINITIONS } from '../../../model/builtin.ts';
import type { Attribute, ContentType, Definition, Model, Schema, SchemaLabel } from '../../../model/types.ts';

export interface SchemaView {
  readonly uid: string;
  readonly modelType: 'contentType' | 'component';
  readonly kind: string;
  readonly modelName: string;
  readonly collectionName: string;
  readonly globalId: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, object>>;
  readonly [member: string]: unknown;
}

const views = new WeakMap<Schema, SchemaView>();

export function viewOf(model: Model, schema: Schema): SchemaView {
  let view = views.get(schema);
  if (!view) {
    const definition = [...model.definitions, ...BUILTIN_DEFINITIONS].find(({ uid }) => uid === schema.uid)!;
    const label = model.labels.get(schema.uid);
    view = schema.kind === 'component' ? componentView(schema, definition, label) : typeView(schema, definition, label);
    views.set(schema, view);
  }
  return view;
}

const pascal = (name: string): string =>
  name.replace(/(^|[-_. ]+)(\w)/g, (_all, _gap: string, letter: string) => letter.toUpperCase());

/** Attributes as they are declared, and those that the server adds as Strapi does; ids are no attributes there. */
function attributesOf(schema: Schema, declared: Definition['attributes']): Record<string, object> {
  const added = [...schema.attributes.values()].filter(({ name }) => !Object.hasOwn(declared, name) && !IDS.has(name));
  return { ...declared, ...Object.fromEntries(added.map((attribute) => [attribute.name, addedAttribute(attribute)])) };
}

const IDS: ReadonlySet<string> = new Set(['id', 'documentId']);
const TIMES: ReadonlySet<string> = new Set(['createdAt', 'updatedAt']);

function addedAttribute(attribute: Attribute): Record<string, unknown> {
  const { name, writable, private: isPrivate } = attribute;
  if (TIMES.has(name)) return { type: 'datetime' };
  const shown = { configurable: false, writable, visible: false, private: isPrivate };
  switch (attribute.kind) {
    case 'relation':
      return { type: 'relation', relation: attribute.relation, target: attribute.target, ...shown };
    case 'localizations':
      return { type: 'relation', relation: 'oneToMany', target: attribute.target, ...shown };
    default:
      return { type: attribute.kind === 'scalar' ? attribute.type : attribute.kind, ...shown };
  }
}

const shownLabel = (label: SchemaLabel | undefined, name: string) => ({
  displayName: label?.displayName ?? pascal(name),
  ...(label?.description && { description: label.description }),
});

function typeView(type: ContentType, definition: Definition, label: SchemaLabel | undefined): SchemaView {
  const { uid, kind, singularName, pluralName, draftAndPublish, localized, table } = type;
  const [plugin] = /(?<=^plugin::)[^.]+/.exec(uid) ?? [];
  const [apiName] = /(?<=^api::)[^.]+/.exec(uid) ?? [];
  return {
    uid,
    modelType: 'contentType',
    kind,
    modelName: singularName,
    collectionName: definition.collectionName,
    globalId: pascal(singularName),
    tableName: table,
    info: { singularName, pluralName, ...shownLabel(label, singularName) },
    options: { draftAndPublish },
    pluginOptions: localized ? { i18n: { localized: true } } : {},
    attributes: attributesOf(type, definition.attributes),
    ...(plugin !== undefined && { plugin }),
    ...(apiName !== undefined && { apiName }),
  };
}

function componentView(schema: Schema, definition: Definition, label: SchemaLabel | undefined): SchemaView {
  const [category = '', name = schema.uid] = schema.uid.split('.');
  return {
    uid: schema.uid,
    modelType: 'component',
    kind: 'component',
    category,
    modelName: name,
    collectionName: definition.collectionName,
    globalId: `Component${pascal(schema.uid)}`,
    tableName: schema.table,
    info: shownLabel(label, name),
    options: {},
    attributes: attributesOf(schema, definition.attributes),
  };
}
