// Statements of writes. Each is made once for its tables and columns and then kept. A list of values is bound as one
// value, so that the number of rows never changes the text. Values are bound in the order in which they stand in it.
import { sql } from 'kysely';
import { MAX_CACHED_STATEMENTS } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { ComponentSchema, LinkTable, ScalarType } from '../model/types.ts';
import { columnList, inBoundList, boundValue as value } from './bound-values.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { isOfLink, linkKey } from './link-names.ts';
import { MorphStatements } from './morph-statements.ts';
import { type BoundValue, plainStatement, type Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';

export interface WrittenColumn {
  readonly column: string;
  readonly type: ScalarType;
}

/** A column of rows that are copied. A key that leads to no row of its table is not copied, but left empty. */
export type CopiedColumn = string | { readonly column: string; readonly keyOf: string };

const nameOf = (copied: CopiedColumn): string => (typeof copied === 'string' ? copied : copied.column);

/** A column whose values are unique: in all locales, or in each. */
export interface UniqueColumn extends WrittenColumn {
  readonly inLocale: boolean;
}

/** `id, document_id, locale, is published`. */
export type VersionRow = readonly [id: number, documentId: string, locale: string | null, published: 0 | 1];
type IdRow = readonly [id: number];

/** Part of a cache key. It is built for every write, so without temporary lists. */
function namesOf(columns: readonly WrittenColumn[]): string {
  let names = '';
  for (const { column } of columns) names += ` ${column}`;
  return names;
}

/** A table of component items, and the tables of the components that it may hold. */
export interface ItemTables {
  readonly table: string;
  readonly components: readonly Pick<ComponentSchema, 'uid' | 'table'>[];
}

/** Whether the component row of an item `c` is there. Strapi 5 leaves items behind whose rows it has deleted. */
export const isThere = (components: ItemTables['components']): Fragment => {
  const cases = components.map(
    ({ uid, table }) =>
      sql` when ${sql.lit(uid)} then exists (select 1 from ${sql.table(table)} as r where r.id = c.cmp_id)`,
  );
  return sql`case c.component_type${sql.join(cases, sql``)} else true end`;
};

/** Lists in a table of links: by the column of their rows, in the order of another. */
export interface LinkList {
  readonly table: string;
  readonly holder: string;
  readonly position: string;
}

export class WriteStatements {
  readonly morph: MorphStatements;
  readonly #dialect: Dialect;
  readonly #cache: StatementCache;
  readonly #numbers = new WeakMap<Statement, number>();
  #numbered = 0;
  readonly #combined = new Lru<string, Statement>(MAX_CACHED_STATEMENTS);

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#cache = new StatementCache(dialect);
    this.morph = new MorphStatements(dialect, this.#cache);
  }

  /** Values as their columns hold them. */
  stored(columns: readonly WrittenColumn[], values: readonly BoundValue[]): BoundValue[] {
    return values.map((value, index) =>
      columns[index]!.type === 'json' && typeof value === 'string' ? this.#dialect.storedJson(value) : value,
    );
  }

  /** Whether writers can meet on the same rows, so that rows are locked before they are changed. */
  get needsLocks(): boolean {
    return this.#dialect.locking !== null;
  }

  get canCombine(): boolean {
    return this.#dialect.combine !== null;
  }

  /** Statements that write different tables as one; their values follow one another. */
  combine(statements: readonly Statement[]): Statement {
    const key = statements.map((statement) => this.#numberOf(statement)).join();
    let combined = this.#combined.get(key);
    if (!combined) {
      combined = plainStatement(this.#dialect.combine!(statements.map(({ sql: text }) => text)));
      this.#combined.set(key, combined);
    }
    return combined;
  }

  #numberOf(statement: Statement): number {
    let number = this.#numbers.get(statement);
    if (number === undefined) {
      number = this.#numbered++;
      this.#numbers.set(statement, number);
    }
    return number;
  }

  // Rows

  /** Values: the columns. */
  insertRow(table: string, columns: readonly WrittenColumn[]): Statement<IdRow> {
    return this.insertRows(table, columns, 1);
  }

  /** Inserts rows, one after another, so that their ids ascend. Values: the columns of each. */
  insertRows(table: string, columns: readonly WrittenColumn[], count: number): Statement<IdRow> {
    return this.#cache.once(`insert ${count} ${table}${namesOf(columns)}`, () => {
      const isEmpty = columns.length === 0;
      const { emptyRow } = this.#dialect;
      const into = isEmpty ? emptyRow.columns : sql` (${columnList(columns.map(({ column }) => column))})`;
      const rows = Array.from({ length: count }, () => columns.map(({ type }) => this.#dialect.input(value(), type)));
      if (count === 1 && !isEmpty)
        return sql`insert into ${sql.table(table)}${into} values (${sql.join(rows[0]!)}) returning id`;
      // The columns of such a table are called so on every database.
      const selected = isEmpty ? emptyRow.values : sql.join(columns.map((_, index) => sql.id(`column${index + 2}`)));
      const lines = rows.map((row, place) => sql`(${sql.join([sql.lit(place), ...row])})`);
      return sql`insert into ${sql.table(table)}${into} select ${selected} from (values ${sql.join(lines)}) as n order by column1 returning id`;
    });
  }

  /** Values: the columns, then the id. */
  updateRow(table: string, columns: readonly WrittenColumn[]): Statement {
    return this.#cache.once(`update ${table}${namesOf(columns)}`, () => {
      const sets = columns.map(({ column, type }) => sql`${sql.id(column)} = ${this.#dialect.input(value(), type)}`);
      return sql`update ${sql.table(table)} set ${sql.join(sets)} where id = ${value()}`;
    });
  }

  /** Writes columns of a document, of its draft where it has one. Values: the columns, then the document id. */
  updateDocument(table: string, columns: readonly WrittenColumn[], isDraft: boolean): Statement<VersionRow> {
    return this.#cache.once(`update document ${table} ${isDraft}${namesOf(columns)}`, () => {
      const sets = columns.map(({ column, type }) => sql`${sql.id(column)} = ${this.#dialect.input(value(), type)}`);
      return sql`update ${sql.table(table)} set ${sql.join(sets)} where document_id = ${value()}${isDraft ? sql` and published_at is null` : sql``} returning id, document_id, locale, case when published_at is null then 0 else 1 end`;
    });
  }

  /** The value of a copied column in a row `s`. */
  #copiedValue(copied: CopiedColumn): Fragment {
    const column = sql.id('s', nameOf(copied));
    return typeof copied === 'string' ? column : this.#dialect.presentKey(column, copied.keyOf);
  }

  /** Copies columns of one row to others of the same table. Values: the id to copy from, the ids to copy to. */
  copyColumns(table: string, columns: readonly CopiedColumn[]): Statement {
    return this.#cache.once(`copy ${table} ${columns.map(nameOf)}`, () => {
      const sets = columns.map((copied) => sql`${sql.id(nameOf(copied))} = ${this.#copiedValue(copied)}`);
      return sql`update ${sql.table(table)} as u set ${sql.join(sets)} from ${sql.table(table)} as s where s.id = ${value()} and ${sql.id('u', 'id')} ${inBoundList(this.#dialect)}`;
    });
  }

  /** The same of several rows, only where they differ; returns the ids of those. Values: `[[id to copy to, from]…]`. */
  alignColumns(table: string, columns: readonly WrittenColumn[]): Statement<readonly [id: number]> {
    const key = () => `${table}${namesOf(columns)}`;
    return this.#cache.onceFor('align', columns, key, () => {
      const sets = columns.map(({ column }) => sql`${sql.id(column)} = ${sql.id('s', column)}`);
      const pairs = this.#dialect.pairTable(value(), 'n');
      const names = columns.map(({ column }) => sql.id('t', column));
      // The id of the copy alone is called so: in what is returned, no database knows the alias of the table.
      const source = sql`(select n.a as sheaf_copy, ${sql.join(names)} from ${pairs} join ${sql.table(table)} as t on t.id = cast(n.b as integer)) as s`;
      return sql`update ${sql.table(table)} as u set ${sql.join(sets)} from ${source} where ${sql.id('u', 'id')} = s.sheaf_copy and (${this.#differs(columns)}) returning id`;
    });
  }

  /**
   * Copies columns of one row of a document to others that differ, with the moment of its last change; that one also to
   * rows where something else has changed. Values: the id to copy from, the ids to copy to, those of them that changed.
   */
  alignVersions(table: string, columns: readonly WrittenColumn[]): Statement {
    return this.#cache.once(`align versions ${table}${namesOf(columns)}`, () => {
      const names = [...columns.map(({ column }) => column), 'updated_at'];
      const sets = names.map((column) => sql`${sql.id(column)} = ${sql.id('s', column)}`);
      const differs = columns.length === 0 ? sql`` : sql`${this.#differs(columns)} or `;
      return sql`update ${sql.table(table)} as u set ${sql.join(sets)} from ${sql.table(table)} as s where s.id = ${value()} and ${sql.id('u', 'id')} ${inBoundList(this.#dialect)} and (${differs}${sql.id('u', 'id')} ${inBoundList(this.#dialect)})`;
    });
  }

  /** Whether `u` and `s` differ in one of some columns. JSON is compared as text: not every type of it has equality. */
  #differs(columns: readonly WrittenColumn[]): Fragment {
    const compared = (table: string, { column, type }: WrittenColumn): Fragment =>
      type === 'json' || type === 'blocks'
        ? sql`cast(${sql.id(table, column)} as text)`
        : sql`${sql.id(table, column)}`;
    const conditions = columns.map((column) => this.#dialect.same(compared('u', column), compared('s', column)));
    return sql`${sql.join(
      conditions.map((same) => sql`not (${same})`),
      sql` or `,
    )}`;
  }

  /** Inserts copies of rows, one after another, so that their ids ascend. Values: `[[id to copy, place]…]`. */
  duplicateRows(table: string, columns: readonly CopiedColumn[]): Statement<IdRow> {
    const names = columns.map(nameOf);
    return this.#cache.once(`duplicate ${table} ${names}`, () => {
      const { emptyRow, nestedJoin } = this.#dialect;
      const isEmpty = columns.length === 0;
      const into = isEmpty ? emptyRow.columns : sql` (${columnList(names)})`;
      const values = isEmpty ? emptyRow.values : sql.join(columns.map((copied) => this.#copiedValue(copied)));
      return sql`insert into ${sql.table(table)}${into} select ${values} from ${this.#dialect.pairTable(value(), 'n')} ${nestedJoin} ${sql.table(table)} as s on s.id = n.a order by n.b returning id`;
    });
  }

  /** Makes the published copy of a draft. Values: the moment, the draft. */
  insertPublished(table: string, columns: readonly CopiedColumn[]): Statement<IdRow> {
    return this.#cache.onceFor(
      'insert published',
      columns,
      () => `${table} ${columns.map(nameOf)}`,
      () =>
        sql`insert into ${sql.table(table)} (${columnList([...columns.map(nameOf), 'published_at'])}) select ${sql.join(columns.map((copied) => this.#copiedValue(copied)))}, ${this.#dialect.input(value(), 'datetime')} from ${sql.table(table)} as s where s.id = ${value()} returning id`,
    );
  }

  /** Brings a published row in line with its draft. Values: the moment, the draft, the published row. */
  updatePublished(table: string, columns: readonly CopiedColumn[]): Statement {
    const key = () => `${table} ${columns.map(nameOf)}`;
    return this.#cache.onceFor('update published', columns, key, () => {
      const sets = columns.map((copied) => sql`${sql.id(nameOf(copied))} = ${this.#copiedValue(copied)}`);
      return sql`update ${sql.table(table)} as u set ${sql.id('published_at')} = ${this.#dialect.input(value(), 'datetime')}, ${sql.join(sets)} from ${sql.table(table)} as s where s.id = ${value()} and ${sql.id('u', 'id')} ${inBoundList(this.#dialect)}`;
    });
  }

  /** Values: the ids. */
  deleteRows(table: string): Statement {
    return this.#cache.once(
      `delete ${table}`,
      () => sql`delete from ${sql.table(table)} where id ${inBoundList(this.#dialect)}`,
    );
  }

  /** Columns of rows: the id, then the columns, JSON as text. Values: the ids. */
  selectRows(table: string, columns: readonly WrittenColumn[]): Statement {
    const key = () => `${table}${namesOf(columns)}`;
    return this.#cache.onceFor('select', columns, key, () => {
      const outputs = columns.map(({ column, type }) => {
        const output = this.#dialect.rowOutput(sql.id(column), type);
        return type === 'json' || type === 'blocks' ? sql`cast(${output} as text)` : output;
      });
      return sql`select id, ${sql.join(outputs)} from ${sql.table(table)} where id ${inBoundList(this.#dialect)} order by id`;
    });
  }

  /** Values: the new value of the column (null or an id), then the values that `by` must hold. */
  setColumn(table: string, column: string, by: string): Statement {
    return this.#cache.once(
      `set ${table} ${column} by ${by}`,
      () =>
        sql`update ${sql.table(table)} set ${sql.id(column)} = ${value()} where ${sql.id(by)} ${inBoundList(this.#dialect)}`,
    );
  }

  /** Sets keys of rows. Values: `[[row, the row that it leads to or null]…]`. */
  setKeys(table: string, column: string): Statement {
    return this.#cache.once(
      `set keys ${table} ${column}`,
      () =>
        sql`update ${sql.table(table)} as u set ${sql.id(column)} = cast(n.b as integer) from ${this.#dialect.pairTable(value(), 'n')} where ${sql.id('u', 'id')} = n.a`,
    );
  }

  /** Rows that hold a value. Values: the value. */
  rowsWith(table: string, { column, type }: WrittenColumn): Statement<IdRow> {
    return this.#cache.once(
      `rows with ${table} ${column}`,
      () => sql`select id from ${sql.table(table)} where ${sql.id(column)} = ${this.#dialect.input(value(), type)}`,
    );
  }

  /**
   * The numbers of the columns whose values other rows hold, of a type with drafts published ones. Values for each
   * column: the document id to leave out, the value[, the locale].
   */
  duplicates(table: string, columns: readonly UniqueColumn[], hasDrafts: boolean): Statement<readonly [index: number]> {
    const key = columns.map(({ column, inLocale }) => `${column} ${inLocale}`).join();
    const published = hasDrafts ? sql`published_at is not null and ` : sql``;
    return this.#cache.once(`duplicates ${table} ${key}`, () => {
      const selects = columns.map(
        ({ column, type, inLocale }, index) =>
          sql`select ${sql.lit(index)} where exists (select 1 from ${sql.table(table)} where ${published}document_id <> ${value()} and ${sql.id(column)} = ${this.#dialect.input(value(), type)}${inLocale ? sql` and ${this.#dialect.same(sql`locale`, value())}` : sql``})`,
      );
      return sql`${sql.join(selects, sql` union all `)}`;
    });
  }

  // Versions of documents

  /** Values: the document ids. */
  versionsOf(table: string): Statement<VersionRow> {
    return this.#cache.once(`versions ${table}`, () =>
      this.#versions(table, sql`document_id ${inBoundList(this.#dialect, 'text')}`),
    );
  }

  /** Values: row ids. */
  versionsByRow(table: string): Statement<VersionRow> {
    return this.#cache.once(`versions by row ${table}`, () =>
      this.#versions(table, sql`id ${inBoundList(this.#dialect)}`),
    );
  }

  /** The versions of the first document of a table; for single types. */
  firstVersions(table: string): Statement<VersionRow> {
    return this.#cache.once(`first versions ${table}`, () =>
      this.#versions(table, sql`document_id = (select document_id from ${sql.table(table)} order by id limit 1)`),
    );
  }

  #versions(table: string, where: Fragment): Fragment {
    return sql`select id, document_id, locale, case when published_at is null then 0 else 1 end from ${sql.table(table)} where ${where} order by id`;
  }

  /** The versions in the other status of the same documents and locales; of several, the first comes last. Values: the ids. */
  siblings(table: string): Statement<readonly [id: number, sibling: number, siblingIsPublished: 0 | 1]> {
    return this.#cache.once(
      `siblings ${table}`,
      () =>
        sql`select r.id, s.id, case when s.published_at is null then 0 else 1 end from ${sql.table(table)} as r join ${sql.table(table)} as s on s.document_id = r.document_id and ${this.#dialect.same(sql`s.locale`, sql`r.locale`)} and (s.published_at is null) <> (r.published_at is null) where r.id ${inBoundList(this.#dialect)} order by s.id desc`,
    );
  }

  // Locks

  /** Values: strings that stand for what is locked until the transaction ends, in the order of locking. */
  lockKeys(): Statement {
    return this.#cache.once('lock keys', () =>
      this.#dialect.locking!.keys(this.#dialect.listTable(value(), 'l', 'text')),
    );
  }

  // Links

  /** A row's list. Values: the row's id. */
  linksFrom(link: LinkTable): Statement<readonly [id: number, target: number, position: number | null]> {
    return this.#cache.once(`links from ${linkKey(link)}`, () => {
      const position = link.order ? sql.id('p', link.order) : sql`null`;
      return sql`select p.id, ${sql.id('p', link.to)}, ${position} from ${sql.table(link.table)} as p where ${sql.id('p', link.from)} = ${value()} and ${sql.id('p', link.to)} is not null${isOfLink(this.#dialect, link, 'p')} order by ${link.order ? sql`${position} nulls last, ` : sql``}p.id`;
    });
  }

  /** Links that lead to given targets from other rows. Values: the targets, the row to leave out. */
  linksTo(link: LinkTable): Statement<readonly [id: number, holder: number, target: number]> {
    return this.#cache.once(
      `links to ${linkKey(link)}`,
      () =>
        sql`select p.id, ${sql.id('p', link.from)}, ${sql.id('p', link.to)} from ${sql.table(link.table)} as p where ${sql.id('p', link.to)} ${inBoundList(this.#dialect)} and ${sql.id('p', link.from)} <> ${value()}${isOfLink(this.#dialect, link, 'p')}`,
    );
  }

  /** New links of rows, each at the end of its target's own list. Values: `[[row, target, position]…]`, each target once. */
  insertLinks(link: LinkTable): Statement {
    return this.#cache.once(`insert links ${linkKey(link)}`, () => {
      const columns = [link.from, link.to, ...link.constants.map(({ column }) => column)];
      const values: Fragment[] = [
        sql`n.a`,
        sql`n.b`,
        ...link.constants.map(({ value: constant }) => sql.lit(constant)),
      ];
      if (link.order) {
        columns.push(link.order);
        values.push(sql`n.c`);
      }
      if (link.inverseOrder) {
        columns.push(link.inverseOrder);
        values.push(
          sql`coalesce((select max(${sql.id('o', link.inverseOrder)}) from ${sql.table(link.table)} as o where ${sql.id('o', link.to)} = n.b), 0) + 1`,
        );
      }
      // A list that is copied may lead to rows that were deleted while the database did not check foreign keys.
      const isThere = link.targetTable
        ? sql` where exists (select 1 from ${sql.table(link.targetTable)} as t where t.id = n.b)`
        : sql``;
      return sql`insert into ${sql.table(link.table)} (${columnList(columns)}) select ${sql.join(values)} from ${this.#dialect.tripleTable(value(), 'n')}${isThere}`;
    });
  }

  /** New items of a field of rows, of one kind. Values: the kind, the field, `[[row, component row, position]…]`. */
  insertItems(table: string): Statement {
    return this.#cache.once(
      `insert items ${table}`,
      () =>
        sql`insert into ${sql.table(table)} (entity_id, component_type, field, cmp_id, ${sql.id('order')}) select n.a, cast(${value()} as varchar), cast(${value()} as varchar), n.b, n.c from ${this.#dialect.tripleTable(value(), 'n')}`,
    );
  }

  /** Values: `[[link id, position]…]`. */
  setPositions(table: string, column: string): Statement {
    return this.#cache.once(
      `positions ${table} ${column}`,
      () =>
        sql`update ${sql.table(table)} as u set ${sql.id(column)} = n.b from ${this.#dialect.pairTable(value(), 'n')} where ${sql.id('u', 'id')} = n.a`,
    );
  }

  /**
   * Where a published row belongs in the lists of targets: in front of the first row whose draft comes later in the list
   * of the target's draft. Targets that have none are left out. Values: `[[target, its draft]…]`, the draft of the row.
   */
  positionsAmongPublished(link: LinkTable, table: string): Statement<readonly [target: number, position: number]> {
    return this.#cache.once(`positions among published ${linkKey(link)}`, () => {
      const own = sql.table(table);
      const links = sql.table(link.table);
      const at = (alias: string) => sql.id(alias, link.inverseOrder!);
      const isLater = sql`(${at('e')} > ${at('d')} or (${at('e')} = ${at('d')} and e.id > d.id))`;
      const sibling = sql`b.document_id = a.document_id and ${this.#dialect.same(sql`b.locale`, sql`a.locale`)} and b.published_at is not null`;
      return sql`select n.a, min(${at('p')}) from ${this.#dialect.pairTable(value(), 'n')} join ${links} as d on ${sql.id('d', link.to)} = cast(n.b as integer) and ${sql.id('d', link.from)} = ${value()} join ${links} as e on ${sql.id('e', link.to)} = ${sql.id('d', link.to)} and ${isLater} join ${own} as a on a.id = ${sql.id('e', link.from)} join ${own} as b on ${sibling} join ${links} as p on ${sql.id('p', link.from)} = b.id and ${sql.id('p', link.to)} = n.a group by n.a`;
    });
  }

  /**
   * Where a published row belongs in the lists of targets without drafts: directly behind its draft. Values:
   * `[[target, target]…]`, the draft of the row.
   */
  positionsBesideDraft(link: LinkTable): Statement<readonly [target: number, position: number]> {
    return this.#cache.once(
      `positions beside draft ${linkKey(link)}`,
      () =>
        sql`select n.a, ${sql.id('d', link.inverseOrder!)} + 1 from ${this.#dialect.pairTable(value(), 'n')} join ${sql.table(link.table)} as d on ${sql.id('d', link.to)} = n.a and ${sql.id('d', link.from)} = ${value()}`,
    );
  }

  /**
   * Moves a row up from the end of a target's list, and what stands there one down. Values: the row, the position, the
   * target, the position.
   */
  moveToPosition(link: LinkTable): Statement {
    return this.#cache.once(`move ${linkKey(link)}`, () => {
      const position = sql.id(link.inverseOrder!);
      const given = sql`cast(${value()} as double precision)`;
      return sql`update ${sql.table(link.table)} set ${position} = case when ${sql.id(link.from)} = ${value()} then ${given} else ${position} + 1 end where ${sql.id(link.to)} = ${value()} and ${position} >= cast(${value()} as double precision)`;
    });
  }

  /**
   * Closes the gaps that links will leave in lists, before they go: what stands behind the first of them moves up. A list
   * is left alone before that, so this costs what it changes. `by`: the column that says which links go. Values: what it
   * holds in those, twice.
   */
  closeGaps({ table, holder, position }: LinkList, by: string): Statement {
    return this.#cache.once(`close ${table} ${holder} ${position} by ${by}`, () => {
      const [list, column, at] = [sql.table(table), sql.id(holder), sql.id(position)];
      const first = sql`select ${column} as holder, min(${at}) as position from ${list} where ${sql.id(by)} ${inBoundList(this.#dialect)} group by ${column}`;
      const moved = sql`select p.id, f.position - 1 + row_number() over (partition by f.holder order by ${sql.id('p', position)}, p.id) as position from (${first}) as f ${this.#dialect.nestedJoin} ${list} as p on ${sql.id('p', holder)} = f.holder where ${sql.id('p', position)} >= f.position and not (${sql.id('p', by)} ${inBoundList(this.#dialect)})`;
      return sql`update ${list} as u set ${at} = n.position from (${moved}) as n where ${sql.id('u', 'id')} = n.id and ${sql.id('u', position)} <> n.position`;
    });
  }

  /** The rows whose lists hold the given ids. Values: the ids. */
  holdersOf(table: string, holder: string, held: string): Statement<readonly [holder: number]> {
    return this.#cache.once(
      `holders ${table} ${holder} ${held}`,
      () =>
        sql`select distinct ${sql.id(holder)} from ${sql.table(table)} where ${sql.id(held)} ${inBoundList(this.#dialect)} and ${sql.id(holder)} is not null`,
    );
  }

  // Components

  /** Items of a component field or zone. Values: the row's id, the field. */
  componentsOf({
    table,
    components,
  }: ItemTables): Statement<readonly [link: number, component: number, uid: string, position: number | null]> {
    return this.#cache.once(
      `components ${table}`,
      () =>
        sql`select c.id, c.cmp_id, c.component_type, ${sql.id('c', 'order')} from ${sql.table(table)} as c where c.entity_id = ${value()} and ${this.#dialect.withoutIndexHint(sql`c.field`)} = ${value()} and ${isThere(components)} order by ${sql.id('c', 'order')} nulls last, c.id`,
    );
  }

  /** Every item of the given rows. Values: the rows' ids. */
  componentsOfRows(table: string): Statement<readonly [component: number, uid: string]> {
    return this.#cache.once(
      `components of rows ${table}`,
      () => sql`select cmp_id, component_type from ${sql.table(table)} where entity_id ${inBoundList(this.#dialect)}`,
    );
  }

  /** The rows that hold components, and in which field. Values: the component uid, the component rows. */
  parentsOf(table: string): Statement<readonly [parent: number, component: number, field: string]> {
    return this.#cache.once(
      `parents ${table}`,
      () =>
        sql`select entity_id, cmp_id, field from ${sql.table(table)} where component_type = ${value()} and cmp_id ${inBoundList(this.#dialect)}`,
    );
  }
}
