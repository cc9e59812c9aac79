// Everything in a database that leads to rows of a type or from them, as a change of the type's rows needs it.

import { FILE } from '../model/builtin.ts';
import { isForeignKey } from '../model/links.ts';
import { COMPONENT_COPIES, PUBLISHED_LISTS, tablesOf } from '../model/tables.ts';
import type { ContentType, LinkTable, Model, MorphAttribute, RelationAttribute, Schema } from '../model/types.ts';
import type { KeyEnd, LinkEnd } from '../sql/moved-link-statements.ts';
import { schemasOf } from './change.ts';

export interface TypeLinks extends LinkEnd {
  /** What is at the other end. */
  readonly schema: Schema;
  /** Whether the other end shows the link, and whether the type itself does. */
  readonly isShownThere: boolean;
  readonly isShownHere: boolean;
  /** Whether a row of the type leads to one document at most, and whether one at the other end does. */
  readonly isSingle: boolean;
  readonly isExclusive: boolean;
}

export interface TypeKeys extends KeyEnd {
  readonly schema: Schema;
  /** Whether a row of the type is led to by one document at most. */
  readonly isExclusive: boolean;
}

/** The links of a relation, from the side that keeps it. */
export const endOf = ({ table, from, to, order, inverseOrder, constants }: LinkTable): LinkEnd => ({
  table,
  own: from,
  other: to,
  ownOrder: order,
  otherOrder: inverseOrder,
  constants,
});

/** Links in tables that lead to rows of a type or from them. */
export function linksOfType(model: Model, type: Schema): TypeLinks[] {
  return schemasOf(model).flatMap((schema) =>
    [...schema.attributes.values()].flatMap((attribute): TypeLinks[] => {
      if (attribute.kind === 'morph') return morphEnds(schema, attribute, type);
      if (attribute.kind !== 'relation' || attribute.storage !== 'linkTable' || !attribute.owning) return [];
      const { inverse, many, exclusive } = attribute;
      const { table, from, to, order, inverseOrder, constants } = attribute.link;
      if (schema.uid === type.uid) {
        const other = model.contentTypes.get(attribute.target)!;
        const ends = { own: from, other: to, ownOrder: order, otherOrder: inverseOrder, constants, schema: other };
        const shown = { isShownThere: inverse !== null, isShownHere: true };
        return [{ table, ...ends, ...shown, isSingle: !many, isExclusive: exclusive }];
      }
      if (attribute.target !== type.uid) return [];
      const ends = { own: to, other: from, ownOrder: inverseOrder, otherOrder: order, constants, schema };
      const shown = { isShownThere: true, isShownHere: inverse !== null };
      return [{ table, ...ends, ...shown, isSingle: exclusive, isExclusive: !many }];
    }),
  );
}

/**
 * Polymorphic links to rows of a type: those that a field of the type shows, and those that none does. Files belong to
 * what shows them.
 */
const morphEnds = (schema: Schema, { many, targets }: MorphAttribute, type: Schema): TypeLinks[] =>
  targets
    .filter(({ uid }) => many && uid === type.uid && schema.uid !== FILE)
    .flatMap(({ link: { table, from, to, order, constants } }) =>
      [true, false].map((inField) => ({
        table,
        own: to,
        other: from,
        ownOrder: null,
        otherOrder: order,
        constants,
        inField,
        schema,
        isShownThere: true,
        isShownHere: inField,
        isSingle: false,
        isExclusive: false,
      })),
    );

/** Links in tables that lead from rows of a schema to types. */
export const linksOfSchema = (model: Model, schema: Schema): TypeLinks[] =>
  linksOfType(model, schema).filter(({ isShownHere }) => isShownHere);

/** Columns of other tables that lead to rows of a type. */
export function keysToType(model: Model, type: Schema): TypeKeys[] {
  return schemasOf(model).flatMap((schema) =>
    [...schema.attributes.values()].flatMap((attribute): TypeKeys[] => {
      if (attribute.kind === 'morph' && !attribute.many)
        return attribute.targets.some(({ uid }) => uid === type.uid)
          ? [
              {
                table: schema.table,
                column: 'target_id',
                constants: [{ column: 'target_type', value: type.uid }],
                schema,
                isExclusive: false,
              },
            ]
          : [];
      return attribute.kind === 'relation' &&
        attribute.storage === 'column' &&
        attribute.owning &&
        attribute.target === type.uid
        ? [{ table: schema.table, column: attribute.link.to, constants: [], schema, isExclusive: attribute.exclusive }]
        : [];
    }),
  );
}

/** Relations whose columns are in the type's own table. */
export const keysOfType = (type: ContentType): RelationAttribute[] =>
  [...type.attributes.values()].filter(isForeignKey);

/** The components that rows of a schema can hold, at any depth. */
export function componentsBelow(model: Model, schema: Schema, found = new Set<Schema>()): Set<Schema> {
  for (const attribute of schema.attributes.values()) {
    const uids =
      attribute.kind === 'component'
        ? [attribute.component]
        : attribute.kind === 'dynamiczone'
          ? attribute.components.map(({ uid }) => uid)
          : [];
    for (const uid of uids) {
      const component = model.components.get(uid);
      if (!component || found.has(component)) continue;
      found.add(component);
      componentsBelow(model, component, found);
    }
  }
  return found;
}

/** The tables whose rows may change when rows of a type or component come or go; those with entries before those with links. */
export function tablesAround(model: Model, type: Schema): string[] {
  const below = componentsBelow(model, type);
  const rows = [type, ...below].map(({ table }) => table);
  const own = [type, ...below].map(({ uid }) => uid);
  const belongs = (source: string): boolean =>
    own.some((uid) => source === `${uid} components` || source.startsWith(`${uid}.`));
  const leading = new Set([...linksOfType(model, type), ...keysToType(model, type)].map(({ table }) => table));
  const media = schemasOf(model).flatMap(({ attributes }) =>
    [...attributes.values()].flatMap((attribute) =>
      attribute.kind === 'morph' && attribute.many ? attribute.targets.map(({ link }) => link.table) : [],
    ),
  );
  const files = [
    ...type.attributes.values(),
    ...[...below].flatMap(({ attributes }) => [...attributes.values()]),
  ].flatMap((attribute) => (attribute.kind === 'media' ? [attribute.link.table] : []));
  const links = tablesOf(model)
    .filter(({ name, source }) => belongs(source) || leading.has(name))
    .map(({ name }) => name);
  const all = [...rows, ...links, ...media, ...files, PUBLISHED_LISTS, COMPONENT_COPIES];
  return [...new Set(all)];
}
