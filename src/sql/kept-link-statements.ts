// Statements about links that another kind of relation can hold, and about what a change of the model would set aside.
import { sql } from 'kysely';
import type { LinkTable } from '../model/types.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { columnNames, statementOf, value } from './migration-statements.ts';
import type { LinkEnd } from './moved-link-statements.ts';
import type { Statement } from './statement.ts';

/** Where links were and where they shall be, both from the side of the same rows. */
export interface LinkMove {
  /** A copy of the old table, or the table of the rows whose column held the key. */
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  /** A row keeps the links with one entry; one that is not in front of the others is left out. */
  readonly isSingle: boolean;
  /** A row at the other end keeps one holder, in all of its locales; `holders`: their table, null for components. */
  readonly isExclusive: boolean;
  readonly holders: string | null;
  /** The table of what the rows lead to, where that has drafts: its draft and its published row are one entry. */
  readonly targets: string | null;
}

/** The links that the new kind can hold, with their positions. */
function keptLinks({ from, isSingle, isExclusive, holders, targets }: LinkMove): Fragment {
  const own = sql.id('l', from.own);
  const other = sql.id('l', from.other);
  const ownOrder = from.ownOrder ? sql`${sql.id('l', from.ownOrder)} nulls last, ` : sql``;
  const otherOrder = from.otherOrder ? sql`${sql.id('l', from.otherOrder)} nulls last, ` : sql``;
  const holder = holders
    ? sql`coalesce(h.document_id, cast(${own} as text)) as holder, case when h.published_at is null then 0 else 1 end as is_published, coalesce(h.locale, '') as locale`
    : sql`'' as holder, 0 as is_published, '' as locale`;
  const entry = targets ? sql`concat(t.document_id, ' ', t.locale)` : other;
  const join = [
    ...(holders ? [sql` join ${sql.table(holders)} as h on h.id = ${own}`] : []),
    ...(targets ? [sql` join ${sql.table(targets)} as t on t.id = ${other}`] : []),
  ];
  const inOrder = sql`partition by ${own} order by ${ownOrder}l.id`;
  const first = sql`select ${own} as own, ${other} as other, ${entry} as entry, first_value(${entry}) over (${inOrder}) as first_entry, row_number() over (${inOrder}) as own_rank, row_number() over (partition by ${other} order by ${otherOrder}l.id) as other_rank, ${holder} from ${sql.table(from.table)} as l${sql.join(join, sql``)} where ${own} is not null and ${other} is not null`;
  const single = isSingle ? sql` where entry = first_entry` : sql``;
  const second = sql`select own, other, own_rank, other_rank, holder, first_value(holder) over (partition by other, is_published order by other_rank) as first_holder, row_number() over (partition by other, is_published, locale, holder order by other_rank) as version_rank from (${first}) as f${single}`;
  const exclusive = isExclusive ? sql` where holder = first_holder and version_rank = 1` : sql``;
  return sql`select own, other, own_rank, other_rank from (${second}) as s${exclusive}`;
}

export const countKept = (dialect: Dialect, move: LinkMove): Statement<readonly [count: number]> =>
  statementOf(dialect, sql`select cast(count(*) as integer) from (${keptLinks(move)}) as k`);

/** Some of the links that the new kind cannot hold. Values: how many. */
export const linksNotKept = (dialect: Dialect, move: LinkMove): Statement<readonly [own: number, other: number]> => {
  const [own, other] = [sql.id('a', move.from.own), sql.id('a', move.from.other)];
  return statementOf(
    dialect,
    sql`select ${own}, ${other} from ${sql.table(move.from.table)} as a left join (${keptLinks(move)}) as k on k.own = ${own} and k.other = ${other} where ${own} is not null and ${other} is not null and k.own is null order by ${own}, ${other} limit ${value()}`,
  );
};

export function insertKept(dialect: Dialect, move: LinkMove): Statement {
  const { to } = move;
  const columns = [to.own, to.other, ...(to.ownOrder ? [to.ownOrder] : []), ...(to.otherOrder ? [to.otherOrder] : [])];
  const values = [
    sql`own`,
    sql`other`,
    ...(to.ownOrder ? [sql`row_number() over (partition by own order by own_rank)`] : []),
    ...(to.otherOrder ? [sql`row_number() over (partition by other order by other_rank)`] : []),
  ];
  return statementOf(
    dialect,
    sql`insert into ${sql.table(to.table)} (${columnNames(columns)}) select ${sql.join(values)} from (${keptLinks(move)}) as k order by own, own_rank`,
  );
}

/** The key of a row from the links that it keeps: a key leads to the published row, as long as there is one. */
export function setKeysKept(dialect: Dialect, move: LinkMove): Statement {
  const { table, other } = move.to;
  const targets = move.targets ? sql` join ${sql.table(move.targets)} as t on t.id = k.other` : sql``;
  const publishedFirst = move.targets ? sql`case when t.published_at is null then 1 else 0 end, ` : sql``;
  const ranked = sql`select k.own, k.other, row_number() over (partition by k.own order by ${publishedFirst}k.own_rank) as place from (${keptLinks(move)}) as k${targets}`;
  return statementOf(
    dialect,
    sql`update ${sql.table(table)} set ${sql.id(other)} = n.other from (${ranked}) as n where ${sql.id(table, 'id')} = n.own and n.place = 1`,
  );
}

// Lists that take one only

const linksBeyondFirst = ({ table, from, to, order, constants }: LinkTable): Fragment => {
  const narrowed = constants.map((one) => sql` and ${sql.id(one.column)} = ${sql.lit(one.value)}`);
  return sql`select id, held from (select id, ${sql.id(to)} as held, row_number() over (partition by ${sql.id(from)} order by ${sql.id(order!)} nulls last, id) as place from ${sql.table(table)} where 1 = 1${sql.join(narrowed, sql``)}) as n where n.place > 1`;
};

export const deleteBeyondFirst = (dialect: Dialect, link: LinkTable): Statement =>
  statementOf(
    dialect,
    sql`delete from ${sql.table(link.table)} where id in (select id from (${linksBeyondFirst(link)}) as b)`,
  );

/** What lists hold beyond their first. */
export const beyondFirst = (dialect: Dialect, link: LinkTable): Statement<readonly [held: number]> =>
  statementOf(dialect, sql`select held from (${linksBeyondFirst(link)}) as b`);

export const countBeyondFirst = (dialect: Dialect, link: LinkTable): Statement<readonly [count: number]> =>
  statementOf(dialect, sql`select cast(count(*) as integer) from (${linksBeyondFirst(link)}) as b`);

/** How many rows are linked. */
export const countLinks = (dialect: Dialect, { table, constants }: LinkTable): Statement<readonly [count: number]> => {
  const narrowed = constants.map((one) => sql` and ${sql.id(one.column)} = ${sql.lit(one.value)}`);
  return statementOf(
    dialect,
    sql`select cast(count(*) as integer) from ${sql.table(table)} where 1 = 1${sql.join(narrowed, sql``)}`,
  );
};

/** Drafts that have no published row beside them, and drafts in all. */
export const countDrafts = (dialect: Dialect, table: string): Statement<readonly [alone: number, all: number]> =>
  statementOf(
    dialect,
    sql`select cast(coalesce(sum(case when exists (select 1 from ${sql.table(table)} as p where p.document_id = d.document_id and ${dialect.same(sql`p.locale`, sql`d.locale`)} and p.published_at is not null) then 0 else 1 end), 0) as integer), cast(count(*) as integer) from ${sql.table(table)} as d where d.published_at is null`,
  );

/** Rows in other locales. Values: the default locale. */
export const countOtherLocales = (dialect: Dialect, table: string): Statement<readonly [count: number]> =>
  statementOf(
    dialect,
    sql`select cast(count(*) as integer) from ${sql.table(table)} where locale is not null and locale <> ${value()}`,
  );
