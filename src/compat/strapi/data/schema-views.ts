// Content-types and components as Strapi shows them to code: the definition, and names that follow from it.
import type { ContentType, Definition, Model, Schema } from '../../../model/types.ts';

export interface SchemaView {
  readonly uid: string;
  readonly modelType: 'contentType' | 'component';
  readonly kind: string;
  readonly modelName: string;
  readonly collectionName: string;
  readonly globalId: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

const views = new WeakMap<Schema, SchemaView>();

export function viewOf(model: Model, schema: Schema): SchemaView {
  let view = views.get(schema);
  if (!view) {
    const definition = model.definitions.find(({ uid }) => uid === schema.uid);
    view = schema.kind === 'component' ? componentView(schema, definition) : typeView(schema, definition);
    views.set(schema, view);
  }
  return view;
}

const pascal = (name: string): string =>
  name.replace(/(^|[-_. ]+)(\w)/g, (_all, _gap: string, letter: string) => letter.toUpperCase());

/** Attributes as they are declared; those that the server adds as what they hold. */
function attributesOf(schema: Schema, definition: Definition | undefined): Record<string, unknown> {
  const added = [...schema.attributes.values()].map((attribute): [string, unknown] => [
    attribute.name,
    {
      type: attribute.kind === 'scalar' ? attribute.type : attribute.kind,
      writable: attribute.writable,
      private: attribute.private,
    },
  ]);
  return { ...Object.fromEntries(added), ...definition?.attributes };
}

function typeView(type: ContentType, definition: Definition | undefined): SchemaView {
  const { uid, kind, singularName, pluralName, draftAndPublish, localized, table } = type;
  const [plugin] = /(?<=^plugin::)[^.]+/.exec(uid) ?? [];
  return {
    uid,
    modelType: 'contentType',
    kind,
    modelName: singularName,
    collectionName: definition?.collectionName ?? table,
    globalId: pascal(singularName),
    tableName: table,
    info: { singularName, pluralName, displayName: pascal(singularName) },
    options: { draftAndPublish },
    pluginOptions: localized ? { i18n: { localized: true } } : {},
    attributes: attributesOf(type, definition),
    ...(plugin !== undefined && { plugin }),
  };
}

function componentView(schema: Schema, definition: Definition | undefined): SchemaView {
  const [category = '', name = schema.uid] = schema.uid.split('.');
  return {
    uid: schema.uid,
    modelType: 'component',
    kind: 'component',
    category,
    modelName: name,
    collectionName: definition?.collectionName ?? schema.table,
    globalId: `Component${pascal(schema.uid)}`,
    tableName: schema.table,
    info: { displayName: pascal(name) },
    options: {},
    attributes: attributesOf(schema, definition),
  };
}
