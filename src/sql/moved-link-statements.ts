// Statements by which rows and links follow a change of the model: rows that come or go, links that are led to other rows.
import { sql } from 'kysely';
import { COMPONENT_COPIES, PUBLISHED_LISTS } from '../model/tables.ts';
import type { LinkTable } from '../model/types.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { columnNames, statementOf, value } from './migration-statements.ts';
import type { Statement } from './statement.ts';

// Rows and what leads to them

/** A table that leads rows to others: `old_id`, `new_id`, null where nothing stands for the row any more. */
export const ROW_MOVES = 'sheaf_row_moves';

export const createRowMoves = (dialect: Dialect): Statement =>
  statementOf(dialect, sql`create table ${sql.table(ROW_MOVES)} (old_id integer primary key, new_id integer)`);

/** Every published row without a draft gets one. */
export const insertDrafts = (dialect: Dialect, table: string, columns: readonly string[]): Statement =>
  statementOf(
    dialect,
    sql`insert into ${sql.table(table)} (${columnNames(columns)}) select ${columnNames(columns)} from ${sql.table(table)} as p where p.published_at is not null and not exists (select 1 from ${sql.table(table)} as d where d.document_id = p.document_id and ${dialect.same(sql`d.locale`, sql`p.locale`)} and d.published_at is null) order by p.id`,
  );

/** Rows that were never marked as published. Values: the moment, for those without any. */
export const publishAll = (dialect: Dialect, table: string): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(table)} set published_at = coalesce(updated_at, created_at, ${dialect.input(value(), 'datetime')}) where published_at is null`,
  );

/** From published rows to their drafts. */
export const movesToDrafts = (dialect: Dialect, table: string): Statement =>
  statementOf(
    dialect,
    sql`insert into ${sql.table(ROW_MOVES)} (old_id, new_id) select p.id, d.id from ${sql.table(table)} as p join ${sql.table(table)} as d on d.document_id = p.document_id and ${dialect.same(sql`d.locale`, sql`p.locale`)} and d.published_at is null where p.published_at is not null`,
  );

/** From components of published rows to their new copies in drafts. Values: the table of the components, the last old copy. */
export const movesToCopies = (dialect: Dialect): Statement =>
  statementOf(
    dialect,
    sql`insert into ${sql.table(ROW_MOVES)} (old_id, new_id) select published_id, min(draft_id) from ${sql.table(COMPONENT_COPIES)} where component_table = ${value()} and id > ${value()} group by published_id`,
  );

/** From drafts to their published rows. */
export const movesToPublished = (dialect: Dialect, table: string): Statement =>
  statementOf(
    dialect,
    sql`insert into ${sql.table(ROW_MOVES)} (old_id, new_id) select d.id, min(p.id) from ${sql.table(table)} as d left join ${sql.table(table)} as p on p.document_id = d.document_id and ${dialect.same(sql`p.locale`, sql`d.locale`)} and p.published_at is not null where d.published_at is null group by d.id`,
  );

/** From rows in other locales to those in the default one, in the same status. Values: the default locale, twice. */
export const movesToLocale = (dialect: Dialect, table: string): Statement =>
  statementOf(
    dialect,
    sql`insert into ${sql.table(ROW_MOVES)} (old_id, new_id) select r.id, min(s.id) from ${sql.table(table)} as r left join ${sql.table(table)} as s on s.document_id = r.document_id and s.locale = ${value()} and (s.published_at is null) = (r.published_at is null) where r.locale is not null and r.locale <> ${value()} group by r.id`,
  );

export const movedRows = (dialect: Dialect): Statement<readonly [from: number, to: number | null]> =>
  statementOf(dialect, sql`select old_id, new_id from ${sql.table(ROW_MOVES)} order by old_id`);

/** Values: the locale. */
export const fillLocale = (dialect: Dialect, table: string): Statement =>
  statementOf(dialect, sql`update ${sql.table(table)} set locale = ${value()} where locale is null`);

export const clearLocale = (dialect: Dialect, table: string): Statement =>
  statementOf(dialect, sql`update ${sql.table(table)} set locale = null where locale is not null`);

/** One end of links: a table of pairs, read from the rows of a type. */
export interface LinkEnd {
  readonly table: string;
  /** The column with the rows of the type, and the one with those at the other end. */
  readonly own: string;
  readonly other: string;
  /** Columns with positions: in the list of the own row, in the list of the other. */
  readonly ownOrder: string | null;
  readonly otherOrder: string | null;
  readonly constants: readonly { readonly column: string; readonly value: string }[];
  /** Of polymorphic links, which name the field that shows them: those that one shows, or those that none does. */
  readonly inField?: boolean;
}

/** Which links are meant, of `l`; `m` is the move of the row of the type. */
export type LinkCondition = (dialect: Dialect) => Fragment;

const isDraftIn =
  (table: string, not: boolean): LinkCondition =>
  () =>
    sql`exists (select 1 from ${sql.table(table)} as x where x.id = l.other and x.published_at is ${not ? sql`not null` : sql`null`})`;

/** Whether the row at the other end is a draft. */
export const toDraftOf = (table: string): LinkCondition => isDraftIn(table, false);
export const toPublishedOf = (table: string): LinkCondition => isDraftIn(table, true);
export const toAny: LinkCondition = () => sql`1 = 1`;
/** Values: the rows at the other end. */
export const toThese: LinkCondition = (dialect) =>
  sql`l.other ${dialect.inFew(sql`select value from ${dialect.listTable(value(), 'listed', 'integer')}`)}`;

const constantsOf = ({ constants, inField }: LinkEnd): Fragment => {
  const conditions = constants.map((one) => sql` and ${sql.id(one.column)} = ${sql.lit(one.value)}`);
  const field = inField === undefined ? sql`` : sql` and field is ${inField ? sql`not null` : sql`null`}`;
  return sql`${sql.join(conditions, sql``)}${field}`;
};

const linkColumns = (end: LinkEnd): string[] => [
  end.own,
  end.other,
  ...(end.ownOrder ? [end.ownOrder] : []),
  ...(end.otherOrder ? [end.otherOrder] : []),
  ...end.constants.map(({ column }) => column),
  ...(end.inField ? ['field'] : []),
];

const linksOf = (end: LinkEnd): Fragment => {
  const order = (column: string | null, name: string) => sql`${column ? sql.id(column) : sql`null`} as ${sql.id(name)}`;
  return sql`(select id, ${sql.id(end.own)} as own, ${sql.id(end.other)} as other, ${order(end.ownOrder, 'own_order')}, ${order(end.otherOrder, 'other_order')}, ${end.inField ? sql`field` : sql`null`} as field from ${sql.table(end.table)} where 1 = 1${constantsOf(end)})`;
};

const linkValues = (end: LinkEnd, [own, other]: readonly [Fragment, Fragment]): Fragment[] => [
  own,
  other,
  ...(end.ownOrder ? [sql`min(l.own_order)`] : []),
  ...(end.otherOrder ? [sql`min(l.other_order)`] : []),
  ...end.constants.map((one) => sql.lit(one.value)),
  ...(end.inField ? [sql`l.field`] : []),
];

const notLinked = (end: LinkEnd, own: Fragment, other: Fragment): Fragment =>
  sql`not exists (select 1 from ${linksOf(end)} as e where e.own = ${own} and e.other = ${other}${end.inField ? sql` and e.field = l.field` : sql``})`;

/** Links are one where these are the same. */
const oneLink = (end: LinkEnd, own: Fragment, other: Fragment): Fragment =>
  sql.join([own, other, ...(end.inField ? [sql`l.field`] : [])]);

/** Links of the rows that others are moved to, like those of the rows that are moved. */
export function linkMoved(dialect: Dialect, end: LinkEnd, condition: LinkCondition): Statement {
  const values = linkValues(end, [sql`m.new_id`, sql`l.other`]);
  return statementOf(
    dialect,
    sql`insert into ${sql.table(end.table)} (${columnNames(linkColumns(end))}) select ${sql.join(values)} from ${linksOf(end)} as l join ${sql.table(ROW_MOVES)} as m on m.old_id = l.own where m.new_id is not null and ${condition(dialect)} and ${notLinked(end, sql`m.new_id`, sql`l.other`)} group by ${oneLink(end, sql`m.new_id`, sql`l.other`)} order by min(l.id)`,
  );
}

/** A row if some list of the other end has several links at one position, whatever types they lead to. */
export const findTie = (dialect: Dialect, { table, other, otherOrder }: LinkEnd): Statement<readonly [found: number]> =>
  statementOf(
    dialect,
    sql`select 1 from ${sql.table(table)} group by ${sql.id(other)}, ${sql.id(otherOrder!)} having count(*) > 1 limit 1`,
  );

/**
 * Inserts every link of a table once more, in order: links that were added for the rows that others are moved to come
 * behind those that they are like. Values: the last link that was there before.
 */
export const insertInOrder = (dialect: Dialect, end: LinkEnd, columns: readonly string[]): Statement => {
  const { own, other, constants } = end;
  const table = sql.table(end.table);
  const narrowed = constants.map((one) => sql` and ${sql.id('o', one.column)} = ${sql.lit(one.value)}`);
  const like = sql`select min(o.id) from ${table} as o join ${sql.table(ROW_MOVES)} as m on m.old_id = ${sql.id('o', own)} where m.new_id = ${sql.id('l', own)} and ${sql.id('o', other)} = ${sql.id('l', other)} and ${dialect.same(sql`o.field`, sql`l.field`)}${sql.join(narrowed, sql``)}`;
  return statementOf(
    dialect,
    sql`insert into ${table} (${columnNames(columns)}) select ${columnNames(columns)} from ${table} as l order by case when l.id > ${value()} then coalesce((${like}), l.id) else l.id end, l.id`,
  );
};

/** Values: the last of the links that are deleted. */
export const deleteLinksUpTo = (dialect: Dialect, { table }: LinkEnd): Statement =>
  statementOf(dialect, sql`delete from ${sql.table(table)} where id <= ${value()}`);

/**
 * Deletes links of the rows that others are moved to, where they lead a row to a second document in the same status. `to`:
 * the end that a row leads to, and its table.
 */
export function unlinkSecond(
  dialect: Dialect,
  end: LinkEnd,
  to: { readonly end: 'own' | 'other'; readonly table: string },
): Statement {
  const [holder, held] = to.end === 'other' ? [sql`l.own`, sql`l.other`] : [sql`l.other`, sql`l.own`];
  const first = sql`first_value(x.document_id) over (partition by ${holder}, case when x.published_at is null then 0 else 1 end order by l.id)`;
  return statementOf(
    dialect,
    sql`delete from ${sql.table(end.table)} where id in (select id from (select l.id, l.own, x.document_id, ${first} as first_id from ${linksOf(end)} as l join ${sql.table(to.table)} as x on x.id = ${held} where l.own not in (select old_id from ${sql.table(ROW_MOVES)})) as n where document_id <> first_id and own in (select new_id from ${sql.table(ROW_MOVES)}))`,
  );
}

/** Deletes the links of the rows that others are moved to. */
export const unlinkMoved = (dialect: Dialect, end: LinkEnd): Statement =>
  statementOf(
    dialect,
    sql`delete from ${sql.table(end.table)} where ${sql.id(end.own)} in (select new_id from ${sql.table(ROW_MOVES)})${constantsOf(end)}`,
  );

/** Deletes the links of the rows that are moved. */
export const unlinkGone = (dialect: Dialect, { table, own }: LinkEnd): Statement =>
  statementOf(
    dialect,
    sql`delete from ${sql.table(table)} where ${sql.id(own)} in (select old_id from ${sql.table(ROW_MOVES)})`,
  );

/** Deletes polymorphic links of the rows that others are moved to which are there twice. */
export const unlinkTwice = (dialect: Dialect, { table, from, to, constants }: LinkTable): Statement => {
  const narrowed = sql.join(
    constants.map((one) => sql` and ${sql.id(one.column)} = ${sql.lit(one.value)}`),
    sql``,
  );
  return statementOf(
    dialect,
    sql`delete from ${sql.table(table)} where id in (select id from (select id, row_number() over (partition by ${sql.id(from)}, ${sql.id(to)}, field order by ${sql.id('order')} nulls last, id) as place from ${sql.table(table)} where ${sql.id(from)} in (select new_id from ${sql.table(ROW_MOVES)})${narrowed}) as n where n.place > 1)`,
  );
};

/** Deletes polymorphic links from moved rows to drafts. */
export const unlinkDrafts = (
  dialect: Dialect,
  { table, from, to, constants }: LinkTable,
  targets: string,
): Statement => {
  const narrowed = sql.join(
    constants.map((one) => sql` and ${sql.id(one.column)} = ${sql.lit(one.value)}`),
    sql``,
  );
  return statementOf(
    dialect,
    sql`delete from ${sql.table(table)} where ${sql.id(from)} in (select old_id from ${sql.table(ROW_MOVES)}) and ${sql.id(to)} in (select id from ${sql.table(targets)} where published_at is null)${narrowed}`,
  );
};

/** Leads links of moved rows to where these are moved, unless a link is there already. */
export const moveLinks = (dialect: Dialect, end: LinkEnd, condition: LinkCondition): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(end.table)} set ${sql.id(end.own)} = (select m.new_id from ${sql.table(ROW_MOVES)} as m where m.old_id = ${sql.id(end.table, end.own)}) where id in (select l.id from ${linksOf(end)} as l join ${sql.table(ROW_MOVES)} as m on m.old_id = l.own where m.new_id is not null and ${condition(dialect)} and ${notLinked(end, sql`m.new_id`, sql`l.other`)})`,
  );

/** Where both ends are of the type: links between the rows that both are moved to. */
export function linkBothMoved(dialect: Dialect, end: LinkEnd): Statement {
  const values = linkValues(end, [sql`m.new_id`, sql`o.new_id`]);
  return statementOf(
    dialect,
    sql`insert into ${sql.table(end.table)} (${columnNames(linkColumns(end))}) select ${sql.join(values)} from ${linksOf(end)} as l join ${sql.table(ROW_MOVES)} as m on m.old_id = l.own join ${sql.table(ROW_MOVES)} as o on o.old_id = l.other where m.new_id is not null and o.new_id is not null and ${notLinked(end, sql`m.new_id`, sql`o.new_id`)} group by ${oneLink(end, sql`m.new_id`, sql`o.new_id`)}`,
  );
}

/**
 * Links rows that others are moved to with the drafts of published rows that the others are linked with. `isSingle`: unless
 * that leads to another document already.
 */
export function linkDraftsOfOthers(
  dialect: Dialect,
  end: LinkEnd & { readonly isSingle: boolean },
  table: string,
): Statement {
  const own = sql`m.new_id`;
  const values = linkValues(end, [own, sql`d.id`]);
  const isFree = end.isSingle
    ? sql` and not exists (select 1 from ${linksOf(end)} as e join ${sql.table(table)} as x on x.id = e.other where e.own = ${own} and x.document_id <> d.document_id)`
    : sql``;
  return statementOf(
    dialect,
    sql`insert into ${sql.table(end.table)} (${columnNames(linkColumns(end))}) select ${sql.join(values)} from ${linksOf(end)} as l join ${sql.table(ROW_MOVES)} as m on m.old_id = l.own join ${sql.table(table)} as p on p.id = l.other and p.published_at is not null join ${sql.table(table)} as d on d.document_id = p.document_id and ${dialect.same(sql`d.locale`, sql`p.locale`)} and d.published_at is null where ${own} is not null and ${notLinked(end, own, sql`d.id`)}${isFree} group by ${oneLink(end, own, sql`d.id`)}`,
  );
}

/** Leads keys of rows to where what they lead to is moved. Values, `of` these: the rows. */
export const moveKeys = (
  dialect: Dialect,
  { table, column, constants, of }: KeyEnd & { readonly of: 'all' | 'drafts' | 'these' },
): Statement => {
  const narrowed = constants.map((one) => sql` and ${sql.id(one.column)} = ${sql.lit(one.value)}`);
  const rows = {
    all: sql``,
    drafts: sql` and published_at is null`,
    these: sql` and id ${dialect.inFew(sql`select value from ${dialect.listTable(value(), 'listed', 'integer')}`)}`,
  };
  return statementOf(
    dialect,
    sql`update ${sql.table(table)} as u set ${sql.id(column)} = (select m.new_id from ${sql.table(ROW_MOVES)} as m where m.old_id = ${sql.id('u', column)}) where ${sql.id(column)} in (select old_id from ${sql.table(ROW_MOVES)} where new_id is not null)${sql.join(narrowed, sql``)}${rows[of]}`,
  );
};

/**
 * Empties keys that would lead to a row which another document leads to in the same status: one that leads to it already,
 * and otherwise the first.
 */
export function clearSecondKeys(dialect: Dialect, { table, column }: Pick<KeyEnd, 'table' | 'column'>): Statement {
  const key = sql.id('k', column);
  const first = sql`first_value(k.document_id) over (partition by coalesce(m.new_id, ${key}), case when k.published_at is null then 0 else 1 end order by case when m.old_id is null then 0 else 1 end, k.id)`;
  return statementOf(
    dialect,
    sql`update ${sql.table(table)} set ${sql.id(column)} = null where id in (select id from (select k.id, k.document_id, m.old_id, ${first} as first_id from ${sql.table(table)} as k left join ${sql.table(ROW_MOVES)} as m on m.old_id = ${key} where ${key} is not null) as n where n.old_id is not null and n.document_id <> n.first_id)`,
  );
}

/** Gives rows without a key the key of the drafts that are moved to them, where that leads to what is not published. */
export const keepKeysOfDrafts = (
  dialect: Dialect,
  { table, column, target }: { readonly table: string; readonly column: string; readonly target: string },
): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(table)} as u set ${sql.id(column)} = n.target from (select m.new_id, d.id as target from ${sql.table(ROW_MOVES)} as m join ${sql.table(table)} as k on k.id = m.old_id join ${sql.table(target)} as d on d.id = ${sql.id('k', column)} and d.published_at is null where not exists (select 1 from ${sql.table(target)} as p where p.document_id = d.document_id and ${dialect.same(sql`p.locale`, sql`d.locale`)} and p.published_at is not null)) as n where u.id = n.new_id and ${sql.id('u', column)} is null`,
  );

/** Leads keys of drafts to the drafts of the published rows that they lead to. */
export const leadDraftsToDrafts = (
  dialect: Dialect,
  { table, column, target }: { readonly table: string; readonly column: string; readonly target: string },
): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(table)} as u set ${sql.id(column)} = n.draft from (select p.id as published, min(d.id) as draft from ${sql.table(target)} as p join ${sql.table(target)} as d on d.document_id = p.document_id and ${dialect.same(sql`d.locale`, sql`p.locale`)} and d.published_at is null where p.published_at is not null group by p.id) as n where ${sql.id('u', column)} = n.published and u.published_at is null`,
  );

/**
 * Puts on record of moved rows, which are published, what their drafts lead to: drafts that are not published or that the
 * row shows as well. `isPlaced`: at the positions that they have, in lists of several types. Values: the name of the list.
 */
export function recordDraftsOfMoved(
  dialect: Dialect,
  { table, from, to, order, constants }: LinkTable,
  { targets, isPlaced }: { readonly targets: string; readonly isPlaced: boolean },
): Statement {
  const position = order ? sql.id('l', order) : sql`null`;
  const place = isPlaced
    ? sql`coalesce(${position}, 0)`
    : sql`row_number() over (partition by m.old_id order by ${position} nulls last, l.id)`;
  const narrowed = (alias: string): Fragment => {
    const conditions = constants.map((one) => sql` and ${sql.id(alias, one.column)} = ${sql.lit(one.value)}`);
    return sql`${sql.join(conditions, sql``)}${isPlaced ? sql` and ${sql.id(alias, 'field')} is null` : sql``}`;
  };
  const published = sql`${sql.table(targets)} as p where p.document_id = d.document_id and ${dialect.same(sql`p.locale`, sql`d.locale`)} and p.published_at is not null`;
  const isShown = sql`exists (select 1 from ${sql.table(table)} as s where ${sql.id('s', from)} = m.old_id and ${sql.id('s', to)} in (select p.id from ${published})${narrowed('s')})`;
  return statementOf(
    dialect,
    sql`insert into ${sql.table(PUBLISHED_LISTS)} (list, holder_id, target_id, position) select cast(${value()} as varchar(255)), m.old_id, d.id, ${place} from ${sql.table(table)} as l join ${sql.table(ROW_MOVES)} as m on m.new_id = ${sql.id('l', from)} join ${sql.table(targets)} as d on d.id = ${sql.id('l', to)} and d.published_at is null where (not exists (select 1 from ${published}) or ${isShown})${narrowed('l')} on conflict (list, holder_id, target_id) do nothing`,
  );
}

/** Rows as moved to themselves. Values: the rows. */
export const movesToSelf = (dialect: Dialect): Statement =>
  statementOf(
    dialect,
    sql`insert into ${sql.table(ROW_MOVES)} (old_id, new_id) select value, value from ${dialect.listTable(value(), 'listed', 'integer')}`,
  );

/** Gives links of the rows that others are moved to the positions that are on record. Values: the name of the list. */
export const placeAsRecorded = (
  dialect: Dialect,
  { table, own, other, ownOrder }: LinkEnd,
  targets: string,
): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(table)} as u set ${sql.id(ownOrder!)} = r.position from ${sql.table(PUBLISHED_LISTS)} as r join ${sql.table(ROW_MOVES)} as m on m.new_id = r.holder_id join ${sql.table(targets)} as d on d.id = r.target_id join ${sql.table(targets)} as t on t.document_id = d.document_id and ${dialect.same(sql`t.locale`, sql`d.locale`)} where r.list = ${value()} and ${sql.id('u', own)} = r.holder_id and ${sql.id('u', other)} = t.id`,
  );

type RecordedEnd = LinkEnd & { readonly isSingle: boolean };

/** What is on record of the rows that others are moved to, and neither published nor linked. Values: the name of the list. */
function recordedDrafts(dialect: Dialect, end: RecordedEnd, targets: string): Fragment {
  const isFree = end.isSingle
    ? sql` and not exists (select 1 from ${linksOf(end)} as e where e.own = m.new_id and e.other is not null)`
    : sql``;
  return sql`select m.new_id as own, d.id as other, r.position from ${sql.table(PUBLISHED_LISTS)} as r join ${sql.table(ROW_MOVES)} as m on m.new_id = r.holder_id join ${sql.table(targets)} as d on d.id = r.target_id and d.published_at is null where r.list = ${value()} and not exists (select 1 from ${sql.table(targets)} as p where p.document_id = d.document_id and ${dialect.same(sql`p.locale`, sql`d.locale`)} and p.published_at is not null) and ${notLinked(end, sql`m.new_id`, sql`d.id`)}${isFree}`;
}

/** Links rows with what is on record of them. Values: the name of the list. */
export function linkRecorded(dialect: Dialect, end: RecordedEnd, targets: string): Statement {
  const { own, other, ownOrder, constants } = end;
  const columns = [own, other, ...(ownOrder ? [ownOrder] : []), ...constants.map(({ column }) => column)];
  const values = [
    sql`n.own`,
    sql`n.other`,
    ...(ownOrder ? [sql`n.position`] : []),
    ...constants.map((one) => sql.lit(one.value)),
  ];
  return statementOf(
    dialect,
    sql`insert into ${sql.table(end.table)} (${columnNames(columns)}) select ${sql.join(values)} from (${recordedDrafts(dialect, end, targets)}) as n order by n.own, n.position`,
  );
}

/** The same for keys. */
export const setRecordedKeys = (dialect: Dialect, end: RecordedEnd, targets: string): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(end.table)} as u set ${sql.id(end.other)} = n.other from (${recordedDrafts(dialect, end, targets)}) as n where u.id = n.own`,
  );

/** Empties keys of moved rows that lead to drafts. */
export const clearKeysToDrafts = (
  dialect: Dialect,
  { table, column, target }: { readonly table: string; readonly column: string; readonly target: string },
): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(table)} set ${sql.id(column)} = null where id in (select old_id from ${sql.table(ROW_MOVES)}) and ${sql.id(column)} in (select id from ${sql.table(target)} where published_at is null)`,
  );

/** A column that leads to rows of a type. */
export interface KeyEnd {
  readonly table: string;
  readonly column: string;
  readonly constants: readonly { readonly column: string; readonly value: string }[];
}

/** Positions of lists from 1 on, in the order they have; a draft comes before its published row. */
export const renumber = (dialect: Dialect, { table, holder, held, position, heldIn }: Renumbered): Statement => {
  const draftFirst = heldIn ? sql`case when h.published_at is null then 0 else 1 end, ` : sql``;
  const join = heldIn ? sql` left join ${sql.table(heldIn)} as h on h.id = ${sql.id('p', held)}` : sql``;
  return statementOf(
    dialect,
    sql`update ${sql.table(table)} as u set ${sql.id(position)} = n.position from (select p.id, row_number() over (partition by ${sql.id('p', holder)} order by ${sql.id('p', position)} nulls last, ${draftFirst}p.id) as position from ${sql.table(table)} as p${join}) as n where ${sql.id('u', 'id')} = n.id and not ${dialect.same(sql.id('u', position), sql`n.position`)}`,
  );
};

export interface Renumbered {
  readonly table: string;
  /** The column with the row that has the list, and the one with what the list holds. */
  readonly holder: string;
  readonly held: string;
  readonly position: string;
  /** The table of what it holds, where that has drafts. */
  readonly heldIn: string | null;
}

/** Values: the names of lists. */
export const forgetLists = (dialect: Dialect, table: string): Statement =>
  statementOf(
    dialect,
    sql`delete from ${sql.table(table)} where list ${dialect.inFew(sql`select value from ${dialect.listTable(value(), 'l', 'text')}`)}`,
  );

/** Values: the table of the components. */
export const forgetCopies = (dialect: Dialect, copies: string, table: string): Statement =>
  statementOf(
    dialect,
    sql`delete from ${sql.table(copies)} where component_table = ${value()} and (draft_id not in (select id from ${sql.table(table)}) or published_id not in (select id from ${sql.table(table)}))`,
  );
