// Statements of writes. Each is made once for its tables and columns and kept; a list of values is bound as one, so
// that the number of rows never changes the text.
import { sql } from 'kysely';
import { COMPONENT_COPIES, PUBLISHED_LINKS } from '../model/tables.ts';
import type { Pairs, ScalarType } from '../model/types.ts';
import type { Dialect, Fragment } from './dialect.ts';
import type { Statement } from './statement.ts';

export interface WrittenColumn {
  readonly column: string;
  readonly type: ScalarType;
}

/** A place for a value; values are bound in the order in which the places stand in the text. */
const value = (): Fragment => sql`${sql.val(null)}`;
const columnList = (columns: readonly string[]): Fragment => sql`${sql.join(columns.map((column) => sql.id(column)))}`;

/** Part of a key: made for every write, so without lists in between. */
function namesOf(columns: readonly WrittenColumn[]): string {
  let names = '';
  for (const { column } of columns) names += ` ${column}`;
  return names;
}

export class WriteStatements {
  readonly #dialect: Dialect;
  readonly #made = new Map<string, Statement>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  get locks(): boolean {
    return this.#dialect.locks;
  }

  #once(key: string, text: () => Fragment): Statement {
    let statement = this.#made.get(key);
    if (!statement) {
      statement = { sql: text().compile(this.#dialect.composer).sql, bindings: [] };
      this.#made.set(key, statement);
    }
    return statement;
  }

  /** `in` a list that is bound as one value. */
  #inList(type: 'integer' | 'text' = 'integer'): Fragment {
    return sql`in (select value from ${this.#dialect.listTable(value(), 'l', type)})`;
  }

  /** Values: the columns. Returns the new row's id. */
  insertRow(table: string, columns: readonly WrittenColumn[]): Statement {
    return this.#once(`insert ${table}${namesOf(columns)}`, () => {
      if (columns.length === 0) return sql`insert into ${sql.table(table)} default values returning id`;
      const values = columns.map(({ type }) => this.#dialect.input(value(), type));
      return sql`insert into ${sql.table(table)} (${columnList(columns.map(({ column }) => column))}) values (${sql.join(values)}) returning id`;
    });
  }

  /** Values: the columns, then the id. */
  updateRow(table: string, columns: readonly WrittenColumn[]): Statement {
    return this.#once(`update ${table}${namesOf(columns)}`, () => {
      const sets = columns.map(({ column, type }) => sql`${sql.id(column)} = ${this.#dialect.input(value(), type)}`);
      return sql`update ${sql.table(table)} set ${sql.join(sets)} where id = ${value()}`;
    });
  }

  /** Copies columns of one row to others of the same table. Values: the id to copy from, the ids to copy to. */
  copyColumns(table: string, columns: readonly string[]): Statement {
    return this.#once(`copy ${table} ${columns}`, () => {
      const sets = columns.map((column) => sql`${sql.id(column)} = ${sql.id('s', column)}`);
      return sql`update ${sql.table(table)} set ${sql.join(sets)} from ${sql.table(table)} as s where s.id = ${value()} and ${sql.id(table, 'id')} ${this.#inList()}`;
    });
  }

  /** Inserts a copy of a row that has columns. Values: the id to copy. Returns the new row's id. */
  duplicateRow(table: string, columns: readonly string[]): Statement {
    return this.#once(
      `duplicate ${table} ${columns}`,
      () =>
        sql`insert into ${sql.table(table)} (${columnList(columns)}) select ${columnList(columns)} from ${sql.table(table)} where id = ${value()} returning id`,
    );
  }

  /** Values: the ids. */
  deleteRows(table: string): Statement {
    return this.#once(`delete ${table}`, () => sql`delete from ${sql.table(table)} where id ${this.#inList()}`);
  }

  /** Columns of rows, by ids. */
  selectRows(table: string, columns: readonly WrittenColumn[]): Statement {
    return this.#once(`select ${table}${namesOf(columns)}`, () => {
      const outputs = columns.map(({ column, type }) => this.#dialect.output(sql.id(column), type));
      return sql`select id, ${sql.join(outputs)} from ${sql.table(table)} where id ${this.#inList()} order by id`;
    });
  }

  /** Rows of documents: `id, document_id, locale, is published`. Values: the document ids. */
  versionsOf(table: string): Statement {
    return this.#once(`versions ${table}`, () => this.#versions(table, sql`document_id ${this.#inList('text')}`));
  }

  /** The same by row ids. */
  versionsByRow(table: string): Statement {
    return this.#once(`versions by row ${table}`, () => this.#versions(table, sql`id ${this.#inList()}`));
  }

  /** The same for the whole table, first document first; for single types. */
  firstVersions(table: string): Statement {
    return this.#once(`first versions ${table}`, () =>
      this.#versions(table, sql`document_id = (select document_id from ${sql.table(table)} order by id limit 1)`),
    );
  }

  #versions(table: string, where: Fragment): Fragment {
    return sql`select id, document_id, locale, case when published_at is null then 0 else 1 end from ${sql.table(table)} where ${where} order by id`;
  }

  /** The other rows of the same documents as the given rows: `id, other id, other is published`. Values: the ids. */
  siblings(table: string): Statement {
    return this.#once(
      `siblings ${table}`,
      () =>
        sql`select r.id, s.id, case when s.published_at is null then 0 else 1 end from ${sql.table(table)} as r join ${sql.table(table)} as s on s.document_id = r.document_id and ${this.#dialect.same(sql`s.locale`, sql`r.locale`)} and s.id <> r.id where r.id ${this.#inList()}`,
    );
  }

  /** Ids of the documents at the far end of pairs. Values: the rows at the near end. */
  linkedDocuments(pairs: Pairs, table: string): Statement {
    return this.#once(
      `linked ${keyOf(pairs)}`,
      () =>
        sql`select distinct t.document_id from ${sql.table(pairs.table)} as p join ${sql.table(table)} as t on t.id = ${sql.id('p', pairs.to)} where ${sql.id('p', pairs.from)} ${this.#inList()}`,
    );
  }

  /** Locks every row of documents, in order of their ids. Values: the document ids. */
  lockDocuments(table: string): Statement {
    return this.#once(
      `lock ${table}`,
      () =>
        sql`select id from ${sql.table(table)} where document_id ${this.#inList('text')} order by id for no key update`,
    );
  }

  /** Values: a text that stands for what is locked until the transaction ends. */
  lockKey(): Statement {
    return this.#once('lock key', () => sql`select pg_advisory_xact_lock(hashtextextended(${value()}::text, 0))`);
  }

  #match(pairs: Pairs, alias: string): Fragment {
    const conditions = pairs.match.map(
      ({ column, value: constant }) =>
        sql` and ${this.#dialect.unindexed(sql.id(alias, column))} = ${sql.lit(constant)}`,
    );
    return sql`${sql.join(conditions, sql``)}`;
  }

  /** A row's list: `pair id, target id, place`. Values: the row's id. */
  pairsFrom(pairs: Pairs): Statement {
    return this.#once(`pairs from ${keyOf(pairs)}`, () => {
      const place = pairs.order ? sql.id('p', pairs.order) : sql`null`;
      return sql`select p.id, ${sql.id('p', pairs.to)}, ${place} from ${sql.table(pairs.table)} as p where ${sql.id('p', pairs.from)} = ${value()}${this.#match(pairs, 'p')} order by ${pairs.order ? sql`${place}, ` : sql``}p.id`;
    });
  }

  /** Pairs that lead to given targets from other rows: `pair id, from id, target id`. Values: targets, the row. */
  pairsTo(pairs: Pairs): Statement {
    return this.#once(
      `pairs to ${keyOf(pairs)}`,
      () =>
        sql`select p.id, ${sql.id('p', pairs.from)}, ${sql.id('p', pairs.to)} from ${sql.table(pairs.table)} as p where ${sql.id('p', pairs.to)} ${this.#inList()} and ${sql.id('p', pairs.from)} <> ${value()}${this.#match(pairs, 'p')}`,
    );
  }

  /** New pairs of a row, each at the end of its target's list. Values: row id, row id, `[[target, place]…]`. */
  insertPairs(pairs: Pairs): Statement {
    return this.#once(`insert pairs ${keyOf(pairs)}`, () => {
      const columns = [pairs.from, pairs.to, ...pairs.match.map(({ column }) => column)];
      const values: Fragment[] = [
        sql`cast(${value()} as integer)`,
        sql`n.a`,
        ...pairs.match.map(({ value: constant }) => sql.lit(constant)),
      ];
      if (pairs.order) {
        columns.push(pairs.order);
        values.push(sql`n.b`);
      }
      if (pairs.inverseOrder) {
        columns.push(pairs.inverseOrder);
        values.push(
          sql`coalesce((select max(${sql.id('o', pairs.inverseOrder)}) from ${sql.table(pairs.table)} as o where ${sql.id('o', pairs.to)} = n.a), 0) + 1`,
        );
      }
      return sql`insert into ${sql.table(pairs.table)} (${columnList(columns)}) select ${sql.join(values)} from ${this.#dialect.pairTable(value(), 'n')}`;
    });
  }

  /** Values: `[[pair id, place]…]`. */
  setPlaces(table: string, column: string): Statement {
    return this.#once(
      `places ${table} ${column}`,
      () =>
        sql`update ${sql.table(table)} set ${sql.id(column)} = n.b from ${this.#dialect.pairTable(value(), 'n')} where ${sql.id(table, 'id')} = n.a`,
    );
  }

  /** Makes the places in the lists of the given rows dense again, where they are not. Values: the rows' ids. */
  closeGaps(table: string, holder: string, place: string): Statement {
    return this.#once(
      `close ${table} ${holder} ${place}`,
      () =>
        sql`update ${sql.table(table)} set ${sql.id(place)} = n.place from (select id, row_number() over (partition by ${sql.id(holder)} order by ${sql.id(place)}, id) as place from ${sql.table(table)} where ${sql.id(holder)} ${this.#inList()}) as n where ${sql.id(table, 'id')} = n.id and ${sql.id(table, place)} <> n.place`,
    );
  }

  /** Which rows' lists hold the given ids: distinct holders. Values: the ids. */
  holdersOf(table: string, holder: string, held: string): Statement {
    return this.#once(
      `holders ${table} ${holder} ${held}`,
      () => sql`select distinct ${sql.id(holder)} from ${sql.table(table)} where ${sql.id(held)} ${this.#inList()}`,
    );
  }

  /** Values: the new value of the column (null or an id), then the ids it now stands with. */
  setColumn(table: string, column: string, by: string): Statement {
    return this.#once(
      `set ${table} ${column} by ${by}`,
      () => sql`update ${sql.table(table)} set ${sql.id(column)} = ${value()} where ${sql.id(by)} ${this.#inList()}`,
    );
  }

  /** Items of a component field or zone: `pair id, component row, component uid, place`. Values: row id, field. */
  componentsOf(table: string): Statement {
    return this.#once(
      `components ${table}`,
      () =>
        sql`select c.id, c.cmp_id, c.component_type, ${sql.id('c', 'order')} from ${sql.table(table)} as c where c.entity_id = ${value()} and ${this.#dialect.unindexed(sql`c.field`)} = ${value()} order by ${sql.id('c', 'order')}, c.id`,
    );
  }

  /** Every item of the given rows: `component row, component uid`. Values: the rows' ids. */
  componentsOfRows(table: string): Statement {
    return this.#once(
      `components of rows ${table}`,
      () => sql`select cmp_id, component_type from ${sql.table(table)} where entity_id ${this.#inList()}`,
    );
  }

  /** The rows that hold components: `row, component row`. Values: the component uid, the component rows. */
  parentsOf(table: string): Statement {
    return this.#once(
      `parents ${table}`,
      () =>
        sql`select entity_id, cmp_id from ${sql.table(table)} where component_type = ${value()} and cmp_id ${this.#inList()}`,
    );
  }

  /** Deletes polymorphic pairs that stand with rows of a type. Values: the uid, the ids. */
  deleteMorphPairs(table: string, typeColumn: string, idColumn: string): Statement {
    return this.#once(
      `delete morph ${table} ${typeColumn}`,
      () =>
        sql`delete from ${sql.table(table)} where ${sql.id(typeColumn)} = ${value()} and ${sql.id(idColumn)} ${this.#inList()}`,
    );
  }

  /** Rows that hold a value. Values: the value. */
  rowsWith(table: string, { column, type }: WrittenColumn): Statement {
    return this.#once(
      `rows with ${table} ${column}`,
      () => sql`select id from ${sql.table(table)} where ${sql.id(column)} = ${this.#dialect.input(value(), type)}`,
    );
  }

  /** Other published rows that hold a value: values: the document id to leave out, the value[, the locale]. */
  duplicates(table: string, { column, type }: WrittenColumn, inLocale: boolean): Statement {
    return this.#once(
      `duplicates ${table} ${column} ${inLocale}`,
      () =>
        sql`select 1 from ${sql.table(table)} where published_at is not null and document_id <> ${value()} and ${sql.id(column)} = ${this.#dialect.input(value(), type)}${inLocale ? sql` and ${this.#dialect.same(sql`locale`, value())}` : sql``} limit 1`,
    );
  }

  /** What publications recorded of a row's links: `other id, my place, other's place`. Values: link table, my id. */
  recordedLinks(side: LinkSide): Statement {
    const [mine, other] = sidesOf(side);
    return this.#once(
      `recorded ${side}`,
      () =>
        sql`select ${sql.id(`${other}_id`)}, ${sql.id(`${mine}_place`)}, ${sql.id(`${other}_place`)} from ${sql.table(PUBLISHED_LINKS)} where link_table = ${value()} and ${sql.id(`${mine}_id`)} = ${value()} order by ${sql.id(`${mine}_place`)}, ${sql.id(`${other}_id`)}`,
    );
  }

  /** Ids of the documents that records join rows with. Values: link table, my ids. */
  recordedDocuments(side: LinkSide, table: string): Statement {
    const [mine, other] = sidesOf(side);
    return this.#once(
      `recorded documents ${side} ${table}`,
      () =>
        sql`select distinct t.document_id from ${sql.table(PUBLISHED_LINKS)} as p join ${sql.table(table)} as t on t.id = ${sql.id('p', `${other}_id`)} where p.link_table = ${value()} and ${sql.id('p', `${mine}_id`)} ${this.#inList()}`,
    );
  }

  /** Values: link table, my id, `[[other id, my place]…]`. */
  recordLinks(side: LinkSide): Statement {
    const [mine, other] = sidesOf(side);
    return this.#once(
      `record ${side}`,
      () =>
        sql`insert into ${sql.table(PUBLISHED_LINKS)} (link_table, ${sql.id(`${mine}_id`)}, ${sql.id(`${other}_id`)}, ${sql.id(`${mine}_place`)}) select ${value()}, cast(${value()} as integer), n.a, n.b from ${this.#dialect.pairTable(value(), 'n')} where true on conflict (link_table, owner_id, target_id) do update set ${sql.id(`${mine}_place`)} = excluded.${sql.id(`${mine}_place`)}`,
    );
  }

  /** Records every link between published rows, by the owner's word. Values: the link table. */
  adoptLinks(pairs: Pairs, owners: string, targets: string): Statement {
    const draftOf = (table: string, published: string, draft: string): Fragment =>
      sql`join ${sql.table(table)} as ${sql.id(draft)} on ${sql.id(draft, 'document_id')} = ${sql.id(published, 'document_id')} and ${this.#dialect.same(sql.id(draft, 'locale'), sql.id(published, 'locale'))} and ${sql.id(draft, 'published_at')} is null`;
    return this.#once(
      `adopt ${pairs.table}`,
      () =>
        sql`insert into ${sql.table(PUBLISHED_LINKS)} (link_table, owner_id, target_id, owner_place) select cast(${value()} as varchar(255)), d.id, e.id, ${pairs.order ? sql`coalesce(${sql.id('p', pairs.order)}, 1)` : sql`1`} from ${sql.table(pairs.table)} as p join ${sql.table(owners)} as o on o.id = ${sql.id('p', pairs.from)} and o.published_at is not null join ${sql.table(targets)} as t on t.id = ${sql.id('p', pairs.to)} and t.published_at is not null ${draftOf(owners, 'o', 'd')} ${draftOf(targets, 't', 'e')} where true on conflict (link_table, owner_id, target_id) do nothing`,
    );
  }

  /** Takes one side's word back; a link that neither side vouches for is forgotten. Values: link table, my id, others. */
  unrecordLinks(side: LinkSide): readonly [Statement, Statement] {
    const [mine, other] = sidesOf(side);
    const where = (): Fragment =>
      sql`where link_table = ${value()} and ${sql.id(`${mine}_id`)} = ${value()} and ${sql.id(`${other}_id`)} ${this.#inList()}`;
    return [
      this.#once(
        `unrecord ${side}`,
        () => sql`update ${sql.table(PUBLISHED_LINKS)} set ${sql.id(`${mine}_place`)} = null ${where()}`,
      ),
      this.#once(
        `forget ${side}`,
        () =>
          sql`delete from ${sql.table(PUBLISHED_LINKS)} ${where()} and owner_place is null and target_place is null`,
      ),
    ];
  }

  /** Forgets one link. Values: link table, owner, target. */
  dropRecord(): Statement {
    return this.#once(
      'drop record',
      () =>
        sql`delete from ${sql.table(PUBLISHED_LINKS)} where link_table = ${value()} and owner_id = ${value()} and target_id = ${value()}`,
    );
  }

  /** Forgets links altogether. Values: link table, my ids. */
  dropRecords(side: LinkSide): Statement {
    const [mine] = sidesOf(side);
    return this.#once(
      `drop records ${side}`,
      () =>
        sql`delete from ${sql.table(PUBLISHED_LINKS)} where link_table = ${value()} and ${sql.id(`${mine}_id`)} ${this.#inList()}`,
    );
  }

  /** Copies of component rows: `draft id, published id`. Values: component table, ids of the given side. */
  copiesOf(side: 'draft' | 'published'): Statement {
    return this.#once(
      `copies ${side}`,
      () =>
        sql`select draft_id, published_id from ${sql.table(COMPONENT_COPIES)} where component_table = ${value()} and ${sql.id(`${side}_id`)} ${this.#inList()}`,
    );
  }

  /** Values: component table, draft id, published id. */
  recordCopy(): Statement {
    return this.#once(
      'record copy',
      () =>
        sql`insert into ${sql.table(COMPONENT_COPIES)} (component_table, draft_id, published_id) values (${value()}, ${value()}, ${value()})`,
    );
  }

  /** Values: component table, ids of the given side. */
  dropCopies(side: 'draft' | 'published'): Statement {
    return this.#once(
      `drop copies ${side}`,
      () =>
        sql`delete from ${sql.table(COMPONENT_COPIES)} where component_table = ${value()} and ${sql.id(`${side}_id`)} ${this.#inList()}`,
    );
  }
}

export type LinkSide = 'owner' | 'target';
const sidesOf = (side: LinkSide): [string, string] => (side === 'owner' ? ['owner', 'target'] : ['target', 'owner']);

const keyOf = (pairs: Pairs): string =>
  `${pairs.table} ${pairs.from} ${pairs.to} ${pairs.match.map(({ value: constant }) => constant)}`;
