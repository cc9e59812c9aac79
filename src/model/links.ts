// Questions about the relations of a model that several parts of a write ask. Answers are kept as long as the model.
import { memoize } from '../memoize.ts';
import { FILE } from './builtin.ts';
import type { Attribute, ContentType, LinkTable, Model, MorphAttribute, RelationAttribute, Schema } from './types.ts';

/** A relation whose links are in a table of their own, from either side; of a polymorphic table, from the side that it leads to. */
export const isListed = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.kind === 'relation' && (attribute.storage === 'linkTable' || attribute.storage === 'morph');

/** The relations of a schema whose links are in tables of their own. */
export const linkAttributes = memoize((schema: Schema): readonly RelationAttribute[] =>
  [...schema.attributes.values()].filter(isListed),
);

/** A relation kept in a foreign key, of the row itself or of those at the other end. */
export const isKey = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.kind === 'relation' && attribute.storage === 'column';

/** A relation kept in a foreign key of the row itself. */
export const isForeignKey = (attribute: Attribute): attribute is RelationAttribute =>
  isKey(attribute) && attribute.owning;

/** Whether entries of a type show by which rows of a schema a polymorphic relation leads to them. */
export const showsLinks = ({ attributes }: ContentType, { uid }: Schema, name: string): boolean =>
  [...attributes.values()].some(
    (attribute) => attribute.kind === 'relation' && attribute.target === uid && attribute.inverse === name,
  );

/** What leads to each type, of other types and of components; found once for a model. */
function leadingTo<Leading>(
  leadsIn: (schema: Schema) => readonly (readonly [target: string, leading: Leading])[],
): (model: Model, uid: string) => readonly Leading[] {
  const byTarget = memoize((model: Model) => {
    const all = [...model.contentTypes.values(), ...model.components.values()].flatMap(leadsIn);
    const grouped = [...Map.groupBy(all, ([target]) => target)];
    return new Map(grouped.map(([target, group]) => [target, group.map(([, leading]) => leading)]));
  });
  return (model, uid) => byTarget(model).get(uid) ?? [];
}

type Relation = readonly [Schema, RelationAttribute];

/** One-way relations that lead to a type. */
export const oneWayTo = leadingTo((schema) =>
  linkAttributes(schema)
    .filter(({ inverse }) => inverse === null)
    .map((attribute): [string, Relation] => [attribute.target, [schema, attribute]]),
);

/** Relations kept in foreign keys that lead to a type. */
export const keysTo = leadingTo((schema) =>
  [...schema.attributes.values()]
    .filter(isForeignKey)
    .map((attribute): [string, Relation] => [attribute.target, [schema, attribute]]),
);

/** Polymorphic relations of a schema. Those of files are media, and belong to the entries that show them. */
export const morphAttributes = ({ uid, attributes }: Schema): MorphAttribute[] =>
  uid === FILE ? [] : [...attributes.values()].filter((attribute) => attribute.kind === 'morph');

/** A polymorphic relation that leads to a type, with its links to it. */
export interface MorphTo {
  readonly schema: Schema;
  readonly many: boolean;
  readonly link: LinkTable;
}

/** Polymorphic relations that lead to a type. */
export const morphsTo = leadingTo((schema) =>
  morphAttributes(schema).flatMap(({ many, targets }) =>
    targets.map(({ uid, link }): [string, MorphTo] => [uid, { schema, many, link }]),
  ),
);
