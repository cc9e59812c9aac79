// The model by uid, as the parts of the layer that read data ask for it.
import { SetupError } from '../../../errors.ts';
import { scalar } from '../../../model/build.ts';
import { SETTINGS_TABLE } from '../../../model/tables.ts';
import type { Attribute, ContentType, Model, Schema } from '../../../model/types.ts';

export type Schemas = Pick<Model, 'contentTypes' | 'components'>;

export function contentTypeOf(schemas: Schemas, uid: string): ContentType {
  const type = schemas.contentTypes.get(uid);
  if (type) return type;
  throw new SetupError(`There is no content-type "${uid}"`, [
    `the project has ${[...schemas.contentTypes.keys()].join(', ')}`,
  ]);
}

/** The type of the rows of settings, which is no content-type of the model. */
export const CORE_STORE = 'strapi::core-store';

const PLAIN = { kind: 'collectionType', draftAndPublish: false, localized: false, exposure: 'hidden' } as const;

const SETTINGS: ContentType = {
  ...PLAIN,
  uid: CORE_STORE,
  collectionName: SETTINGS_TABLE,
  table: SETTINGS_TABLE,
  componentTable: '',
  singularName: 'core-store',
  pluralName: 'core-stores',
  attributes: new Map([
    ['id', scalar('id', 'integer', 'id')],
    ...['key', 'value', 'type', 'environment', 'tag'].map((name) => [name, scalar(name, 'text', name)] as const),
  ]),
  indexes: [],
};

/** What rows are read of: a content-type, or what has no versions: a component, or settings. */
export function rowTypeOf(schemas: Schemas, uid: string): ContentType {
  if (uid === CORE_STORE) return SETTINGS;
  const component = schemas.components.get(uid);
  return component ? { ...component, ...PLAIN, pluralName: component.singularName } : contentTypeOf(schemas, uid);
}

/** A content-type or a component; null where there is none. */
export const schemaOf = ({ contentTypes, components }: Schemas, uid: string): Schema | null =>
  contentTypes.get(uid) ?? components.get(uid) ?? null;

/** What an attribute leads to, where that is one kind of rows. */
export function targetOf(schemas: Schemas, attribute: Attribute): Schema | null {
  if ('target' in attribute) return schemaOf(schemas, attribute.target);
  return attribute.kind === 'component' ? schemaOf(schemas, attribute.component) : null;
}
