// Questions about the relations of a model that several parts of a write ask.
import type { Model, RelationAttribute, Schema } from './types.ts';

/** Relations kept in link tables, from either side. */
export const linkAttributes = (schema: Schema): RelationAttribute[] =>
  [...schema.attributes.values()].filter(
    (attribute): attribute is RelationAttribute => attribute.kind === 'relation' && attribute.storage === 'linkTable',
  );

/** One-way relations that lead to a type, of other types and of components. */
export function oneWayTo(model: Model, uid: string): [Schema, RelationAttribute][] {
  return [...model.contentTypes.values(), ...model.components.values()].flatMap((schema) =>
    linkAttributes(schema)
      .filter((attribute) => attribute.target === uid && attribute.inverse === null)
      .map((attribute): [Schema, RelationAttribute] => [schema, attribute]),
  );
}
