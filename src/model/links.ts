// Questions about the relations of a model that several parts of a write ask.
import type { ContentType, Model, RelationAttribute, Schema } from './types.ts';

/** Relations kept in link tables, from either side. */
export const linkAttributes = (schema: Schema): RelationAttribute[] =>
  [...schema.attributes.values()].filter(
    (attribute): attribute is RelationAttribute => attribute.kind === 'relation' && attribute.storage === 'linkTable',
  );

/** Whether entries of a type show by which rows of a schema a polymorphic relation leads to them. */
export const showsLinks = ({ attributes }: ContentType, { uid }: Schema, name: string): boolean =>
  [...attributes.values()].some(
    (attribute) => attribute.kind === 'relation' && attribute.target === uid && attribute.inverse === name,
  );

/** One-way relations that lead to a type, of other types and of components. */
export function oneWayTo(model: Model, uid: string): [Schema, RelationAttribute][] {
  return [...model.contentTypes.values(), ...model.components.values()].flatMap((schema) =>
    linkAttributes(schema)
      .filter((attribute) => attribute.target === uid && attribute.inverse === null)
      .map((attribute): [Schema, RelationAttribute] => [schema, attribute]),
  );
}
