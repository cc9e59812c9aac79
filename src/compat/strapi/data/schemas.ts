// The model by uid, as the parts of the layer that read data ask for it.
import { SetupError } from '../../../errors.ts';
import type { Attribute, ContentType, Model, Schema } from '../../../model/types.ts';

export type Schemas = Pick<Model, 'contentTypes' | 'components'>;

export function contentTypeOf(schemas: Schemas, uid: string): ContentType {
  const type = schemas.contentTypes.get(uid);
  if (type) return type;
  throw new SetupError(`There is no content-type "${uid}"`, [
    `the project has ${[...schemas.contentTypes.keys()].join(', ')}`,
  ]);
}

/** What rows are read of: a content-type, or a component, whose rows have no versions. */
export function rowTypeOf(schemas: Schemas, uid: string): ContentType {
  const component = schemas.components.get(uid);
  if (!component) return contentTypeOf(schemas, uid);
  const { singularName: pluralName } = component;
  const isPlain = { draftAndPublish: false, localized: false, exposure: 'hidden' } as const;
  return { ...component, kind: 'collectionType', pluralName, ...isPlain };
}

/** A content-type or a component; null where there is none. */
export const schemaOf = ({ contentTypes, components }: Schemas, uid: string): Schema | null =>
  contentTypes.get(uid) ?? components.get(uid) ?? null;

/** What an attribute leads to, where that is one kind of rows. */
export function targetOf(schemas: Schemas, attribute: Attribute): Schema | null {
  if ('target' in attribute) return schemaOf(schemas, attribute.target);
  return attribute.kind === 'component' ? schemaOf(schemas, attribute.component) : null;
}
