// Names of links in caches and records, and the condition by which a table of links holds those of one attribute.
import { sql } from 'kysely';
import { memoize } from '../memoize.ts';
import type { LinkTable } from '../model/types.ts';
import type { Dialect, Fragment } from './dialect.ts';

/**
 * The name of one side's list of a relation, in the records of publications. In a table that leads to rows of several
 * types it says of which, and by which field.
 */
export const listName = memoize(({ table, from, to, constants }: LinkTable): string =>
  constants.length === 0
    ? `${table} ${from} ${to}`
    : `${table} ${constants.map(({ value: constant }) => constant).join(' ')}`,
);

/** Names the links of one attribute. */
export const linkKey = memoize(
  ({ table, from, to, constants }: LinkTable): string =>
    `${table} ${from} ${to} ${constants.map(({ value: constant }) => constant).join()}`,
);

/** In a table that holds links of several attributes: whether `alias` is one of this. It follows another condition. */
export function isOfLink(dialect: Dialect, link: LinkTable, alias: string): Fragment {
  const conditions = link.constants.map(
    ({ column, value }) => sql` and ${dialect.withoutIndexHint(sql.id(alias, column))} = ${sql.lit(value)}`,
  );
  return sql`${sql.join(conditions, sql``)}`;
}
