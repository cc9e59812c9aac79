// Questions about the relations of a model that several parts of a write ask. Answers are kept as long as the model.
import { FILE } from './builtin.ts';
import type { Attribute, ContentType, LinkTable, Model, MorphAttribute, RelationAttribute, Schema } from './types.ts';

/** A relation whose links are in a table of their own, from either side; of a polymorphic table, from the side that it leads to. */
export const isListed = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.kind === 'relation' && (attribute.storage === 'linkTable' || attribute.storage === 'morph');

const linksOfSchemas = new WeakMap<Schema, readonly RelationAttribute[]>();

/** The relations of a schema whose links are in tables of their own. */
export function linkAttributes(schema: Schema): readonly RelationAttribute[] {
  let found = linksOfSchemas.get(schema);
  if (!found) {
    found = [...schema.attributes.values()].filter(isListed);
    linksOfSchemas.set(schema, found);
  }
  return found;
}

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

type OneWay = readonly [Schema, RelationAttribute];

const oneWayOfModels = new WeakMap<Model, ReadonlyMap<string, readonly OneWay[]>>();
const NONE: readonly OneWay[] = [];

/** One-way relations that lead to a type, of other types and of components. */
export function oneWayTo(model: Model, uid: string): readonly OneWay[] {
  let byTarget = oneWayOfModels.get(model);
  if (!byTarget) {
    const all = [...model.contentTypes.values(), ...model.components.values()].flatMap((schema) =>
      linkAttributes(schema)
        .filter(({ inverse }) => inverse === null)
        .map((attribute): OneWay => [schema, attribute]),
    );
    byTarget = Map.groupBy(all, ([, { target }]) => target);
    oneWayOfModels.set(model, byTarget);
  }
  return byTarget.get(uid) ?? NONE;
}

/** Polymorphic relations of a schema. Those of files are media, and belong to the entries that show them. */
export const morphAttributes = ({ uid, attributes }: Schema): MorphAttribute[] =>
  uid === FILE ? [] : [...attributes.values()].filter((attribute) => attribute.kind === 'morph');

/** A polymorphic relation that leads to a type, with its links to it. */
export interface MorphTo {
  readonly schema: Schema;
  readonly many: boolean;
  readonly link: LinkTable;
}

const morphsOfModels = new WeakMap<Model, ReadonlyMap<string, readonly MorphTo[]>>();
const NO_MORPHS: readonly MorphTo[] = [];

/** Polymorphic relations that lead to a type, of other types and of components. */
export function morphsTo(model: Model, uid: string): readonly MorphTo[] {
  let byTarget = morphsOfModels.get(model);
  if (!byTarget) {
    const all = [...model.contentTypes.values(), ...model.components.values()].flatMap((schema) =>
      morphAttributes(schema).flatMap(({ many, targets }) =>
        targets.map(({ uid: target, link }) => ({ target, to: { schema, many, link } })),
      ),
    );
    const grouped = [...Map.groupBy(all, ({ target }) => target)];
    byTarget = new Map(grouped.map(([target, group]) => [target, group.map(({ to }) => to)]));
    morphsOfModels.set(model, byTarget);
  }
  return byTarget.get(uid) ?? NO_MORPHS;
}
