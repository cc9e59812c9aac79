// Statements about the records of publications: which component row was copied from which, and what lists held.
import { sql } from 'kysely';
import { COMPONENT_COPIES, PUBLISHED_LISTS } from '../model/tables.ts';
import type { LinkTable } from '../model/types.ts';
import { inBoundList, boundValue as value } from './bound-values.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { linkKey } from './link-names.ts';
import type { Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';

export type CopySide = 'draft' | 'published';

const constantsOf = ({ constants }: LinkTable, alias: string): Fragment => {
  const conditions = constants.map(
    ({ column, value: constant }) => sql` and ${sql.id(alias, column)} = ${sql.lit(constant)}`,
  );
  return sql`${sql.join(conditions, sql``)}`;
};

export class PublicationStatements {
  readonly #dialect: Dialect;
  readonly #cache: StatementCache;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#cache = new StatementCache(dialect);
  }

  // Copies of component rows

  /** Values: component table, ids of the given side. */
  copiesOf(side: CopySide): Statement<readonly [draft: number, published: number]> {
    return this.#cache.once(
      `copies ${side}`,
      () =>
        sql`select draft_id, published_id from ${sql.table(COMPONENT_COPIES)} where component_table = ${value()} and ${sql.id(`${side}_id`)} ${inBoundList(this.#dialect)}`,
    );
  }

  /** Values: `[[component table, draft id, published id]…]`. */
  recordCopies(): Statement {
    return this.#cache.once(
      'record copies',
      () =>
        sql`insert into ${sql.table(COMPONENT_COPIES)} (component_table, draft_id, published_id) select n.name, n.a, cast(n.b as integer) from ${this.#dialect.namedPairTable(value(), 'n')}`,
    );
  }

  /** Values: component table, ids of the given side. */
  dropCopies(side: CopySide): Statement {
    return this.#cache.once(
      `drop copies ${side}`,
      () =>
        sql`delete from ${sql.table(COMPONENT_COPIES)} where component_table = ${value()} and ${sql.id(`${side}_id`)} ${inBoundList(this.#dialect)}`,
    );
  }

  // Recorded lists: the drafts that a row's list held when it was published

  /** The drafts in a recorded list that are still there, in their order. Values: the list, the published row. */
  recordedList(targets: string): Statement<readonly [draft: number]> {
    return this.#cache.once(
      `recorded list ${targets}`,
      () =>
        sql`select p.target_id from ${sql.table(PUBLISHED_LISTS)} as p join ${sql.table(targets)} as t on t.id = p.target_id where p.list = ${value()} and p.holder_id = ${value()} order by p.position`,
    );
  }

  /** Published rows that are still there and whose recorded list holds a draft. Values: the list, the draft. */
  recordedIn(table: string): Statement<readonly [holder: number]> {
    return this.#cache.once(
      `recorded in ${table}`,
      () =>
        sql`select p.holder_id from ${sql.table(PUBLISHED_LISTS)} as p join ${sql.table(table)} as h on h.id = p.holder_id where p.list = ${value()} and p.target_id = ${value()}`,
    );
  }

  /**
   * Records the drafts of published rows in the places where a polymorphic table leads to these, and not to the drafts,
   * and no field shows it. Values: the list, `[[published, draft]…]`.
   */
  recordMorphLinks(link: LinkTable): Statement {
    const { table, from, to, order } = link;
    const isOneWay = (alias: string) => sql`${sql.id(alias, 'field')} is null${constantsOf(link, alias)}`;
    return this.#cache.once(
      `record morph links ${linkKey(link)}`,
      () =>
        sql`insert into ${sql.table(PUBLISHED_LISTS)} (list, holder_id, target_id, position) select cast(${value()} as varchar(255)), ${sql.id('p', from)}, cast(n.b as integer), coalesce(${sql.id('p', order!)}, 0) from ${this.#dialect.pairTable(value(), 'n')} join ${sql.table(table)} as p on ${sql.id('p', to)} = n.a where ${isOneWay('p')} and ${sql.id('p', from)} is not null and not exists (select 1 from ${sql.table(table)} as o where ${sql.id('o', from)} = ${sql.id('p', from)} and ${sql.id('o', to)} = cast(n.b as integer) and ${isOneWay('o')}) on conflict (list, holder_id, target_id) do nothing`,
    );
  }

  /**
   * Links rows by a polymorphic table with the published row of a draft that they have on record. Values: the published
   * row, the list, the draft, the rows.
   */
  linkRecorded({ table, from, to, order, constants }: LinkTable): Statement {
    const columns = [from, to, order!, ...constants.map(({ column }) => column)].map((column) => sql.id(column));
    const fixed = constants.map(({ value: constant }) => sql`, ${sql.lit(constant)}`);
    return this.#cache.once(
      `link recorded ${table} ${constants.map(({ value: constant }) => constant).join()}`,
      () =>
        sql`insert into ${sql.table(table)} (${sql.join(columns)}) select r.holder_id, cast(${value()} as integer), r.position${sql.join(fixed, sql``)} from ${sql.table(PUBLISHED_LISTS)} as r where r.list = ${value()} and r.target_id = ${value()} and r.holder_id ${inBoundList(this.#dialect)}`,
    );
  }

  /** Records a list of published rows. Values: the list, `[[published row, draft, position]…]`. */
  recordList(): Statement {
    return this.#cache.once(
      'record list',
      () =>
        sql`insert into ${sql.table(PUBLISHED_LISTS)} (list, holder_id, target_id, position) select cast(${value()} as varchar(255)), n.a, n.b, n.c from ${this.#dialect.tripleTable(value(), 'n')} where true on conflict (list, holder_id, target_id) do nothing`,
    );
  }

  /** Values: the row, `[[list, draft, position]…]`. */
  recordLists(): Statement {
    return this.#cache.once(
      'record lists',
      () =>
        sql`insert into ${sql.table(PUBLISHED_LISTS)} (list, holder_id, target_id, position) select n.name, cast(${value()} as integer), n.a, n.b from ${this.#dialect.namedPairTable(value(), 'n')}`,
    );
  }

  /** Values: the lists, the rows. */
  dropRecords(): Statement {
    return this.#cache.once(
      'drop records',
      () =>
        sql`delete from ${sql.table(PUBLISHED_LISTS)} where list ${inBoundList(this.#dialect, 'text')} and holder_id ${inBoundList(this.#dialect)}`,
    );
  }

  /** Forgets rows as holders of lists and as targets in others. Values: the lists, the rows, the others, the rows. */
  forgetRows(): Statement {
    return this.#cache.once(
      'forget rows',
      () =>
        sql`delete from ${sql.table(PUBLISHED_LISTS)} where (list ${inBoundList(this.#dialect, 'text')} and holder_id ${inBoundList(this.#dialect)}) or (list ${inBoundList(this.#dialect, 'text')} and target_id ${inBoundList(this.#dialect)})`,
    );
  }

  /** Values: the list, the published rows. */
  dropRecordedLists(): Statement {
    return this.#cache.once(
      'drop recorded lists',
      () =>
        sql`delete from ${sql.table(PUBLISHED_LISTS)} where list = ${value()} and holder_id ${inBoundList(this.#dialect)}`,
    );
  }

  /** Records the lists of published rows of an adopted database, as far as their targets are published. Values: the list. */
  adoptLists(link: LinkTable, holders: string, targets: string): Statement {
    return this.#cache.once(`adopt ${linkKey(link)}`, () => {
      const isPublished = sql`exists (select 1 from ${sql.table(holders)} as h where h.id = ${sql.id('p', link.from)} and h.published_at is not null)`;
      return this.#recordShown(link, targets, isPublished);
    });
  }

  /** Records the lists of published rows where that is missing, as far as their targets are published. Values: the list, the rows. */
  recordShownLists(link: LinkTable, targets: string): Statement {
    return this.#cache.once(`record shown ${linkKey(link)}`, () =>
      this.#recordShown(link, targets, sql`${sql.id('p', link.from)} ${inBoundList(this.#dialect)}`),
    );
  }

  #recordShown(link: LinkTable, targets: string, isHolder: Fragment): Fragment {
    const position = link.order ? sql`${sql.id('p', link.order)} nulls last, ` : sql``;
    return sql`insert into ${sql.table(PUBLISHED_LISTS)} (list, holder_id, target_id, position) select cast(${value()} as varchar(255)), ${sql.id('p', link.from)}, d.id, row_number() over (partition by ${sql.id('p', link.from)} order by ${position}p.id) from ${sql.table(link.table)} as p join ${sql.table(targets)} as t on t.id = ${sql.id('p', link.to)} and t.published_at is not null join ${sql.table(targets)} as d on d.document_id = t.document_id and ${this.#dialect.same(sql`d.locale`, sql`t.locale`)} and d.published_at is null where ${isHolder}${constantsOf(link, 'p')} on conflict (list, holder_id, target_id) do nothing`;
  }
}
