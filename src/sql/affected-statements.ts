// Statements that lock and read the documents that a write concerns, whether it names them or only links lead to them:
// one of each, whatever the number of relations. Each is made of parts, and kept by their names.
import { sql } from 'kysely';
import { memoize } from '../memoize.ts';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { LinkTable } from '../model/types.ts';
import type { AffectedPart } from '../plan/write/affected-documents.ts';
import { inBoundList, boundValue as value } from './bound-values.ts';
import { partTable } from './common-tables.ts';
import type { Dialect, FewValues, Fragment, OfFew } from './dialect.ts';
import { linkKey, listName } from './link-names.ts';
import { readingStatement, type Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';

/** Documents of a table that are named by their ids and, where `byRow`, by ids of their rows. */
export interface NamedDocuments {
  readonly table: string;
  readonly byRow: boolean;
}

/** A table to lock documents of, with the ways that lead to them. */
export interface LockedTable extends NamedDocuments {
  readonly parts: readonly AffectedPart[];
}

/** A row of a document. Where a link led to it, or where its list is read: with the link, its target and its position. */
export type AffectedRow = readonly [
  part: number,
  id: number,
  documentId: string | null,
  locale: string | null,
  published: 0 | 1,
  link: number | null,
  target: number | null,
  position: number | null,
];

const INTEGER = sql`cast(null as integer)`;
const NO_LINK = sql`cast(null as integer), cast(null as integer), cast(null as double precision)`;
const namedKey = ({ table, byRow }: NamedDocuments): string => `${table} ${byRow}`;
const partKey = memoize(
  (part: AffectedPart): string =>
    `${part.find} ${'of' in part ? `${part.of} ${part.byRow}` : ''} ${part.own} ${linkKey(part.link)}`,
);

export class AffectedStatements {
  readonly #dialect: Dialect;
  readonly #cache: StatementCache;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#cache = new StatementCache(dialect, readingStatement);
  }

  /**
   * Locks documents, table by table, each in order of its rows: those that are named, and those that parts lead to.
   * After these, those that are held, those that lose rows, and drafts that have no published row and get one: who waits
   * there has all other locks, so that nobody whom it waits for waits for it. Returns all, each with the number of its
   * table. Values: for each table, document ids[, row ids], then those of the parts that lead to it.
   */
  lock(
    tables: readonly LockedTable[],
    held: readonly NamedDocuments[],
    removed: readonly NamedDocuments[],
    appearing: readonly NamedDocuments[],
  ): Statement<readonly [table: number, documentId: string]> {
    const keys = tables.map((one) => `${namedKey(one)} ${one.parts.map(partKey).join()}`);
    const others = [held, removed, appearing].map((named) => named.map(namedKey).join());
    return this.#cache.once(`lock ${[keys.join(), ...others].join('; ')}`, () => {
      const locking = this.#dialect.locking!;
      const locked = tables.map((one) => {
        const found = one.parts.map(
          (part) =>
            sql` union select f.document_id from (${this.#affectedBy(part, sql.lit(0))}) as f(part, id, document_id, locale, published, link, target, position)`,
        );
        return this.#lockNamed(one, sql.join(found, sql``), locking.rows);
      });
      const selects = [
        ...locked,
        ...held.map((named) => this.#lockNamed(named, sql``, locking.heldRows)),
        ...removed.map((named) => this.#lockNamed(named, sql``, locking.removedRows)),
        ...appearing.map((named) => this.#lockUnpublished(named, locking.removedRows)),
      ];
      const parts = selects.map((select, index) => sql`${partTable(index)} as (${select})`);
      const all = selects.map((_select, index) => sql`select ${sql.lit(index)}, document_id from ${partTable(index)}`);
      return sql`with ${sql.join(parts)} ${sql.join(all, sql` union all `)}`;
    });
  }

  /**
   * The versions of documents, each with the number of its table, then the documents that links lead to, numbered after
   * the tables, then the locale, if there is such a one. Values: for each table, document ids[, row ids]; then those of
   * each part; then the locale.
   */
  read(tables: readonly NamedDocuments[], parts: readonly AffectedPart[], withLocale: boolean): Statement<AffectedRow> {
    return this.#cache.once(`read ${tables.map(namedKey).join()} ${parts.map(partKey).join()} ${withLocale}`, () => {
      const versions = tables.map((named, index) => {
        const { before, condition } = this.#dialect.ofFew(this.#named(named), sql`v.document_id`);
        return sql`select ${sql.lit(index)} as part, v.id, v.document_id, v.locale, case when v.published_at is null then 0 else 1 end as published, ${NO_LINK} from ${before}${sql.table(named.table)} as v where ${condition}`;
      });
      const affected = parts.map((part, index) => this.#affectedBy(part, sql.lit(tables.length + index)));
      const number = sql.lit(tables.length + parts.length);
      const locale = sql`select ${number}, ${INTEGER}, code, cast(null as varchar), ${INTEGER}, ${NO_LINK} from i18n_locale where code = ${value()}`;
      return sql`${sql.join([...versions, ...affected, ...(withLocale ? [locale] : [])], sql` union all `)}`;
    });
  }

  /** Locks named documents, and those that `found` adds to their ids. */
  #lockNamed(named: NamedDocuments, found: Fragment, lock: Fragment): Fragment {
    const { from, value } = this.#named(named);
    return sql`select document_id from ${sql.table(named.table)} where document_id ${this.#dialect.inFew(sql`select ${value} from ${from}${found}`)} order by id ${lock}`;
  }

  /** Locks those drafts of named documents that have no published row. */
  #lockUnpublished(named: NamedDocuments, lock: Fragment): Fragment {
    const { from, value } = this.#named(named);
    const isPublished = sql`exists (select 1 from ${sql.table(named.table)} as s where s.document_id = d.document_id and ${this.#dialect.same(sql`s.locale`, sql`d.locale`)} and s.published_at is not null)`;
    return sql`select d.document_id from ${sql.table(named.table)} as d where d.document_id ${this.#dialect.inFew(sql`select ${value} from ${from}`)} and d.published_at is null and not ${isPublished} order by d.id ${lock}`;
  }

  /** The ids of named documents. */
  #named({ table, byRow }: NamedDocuments): FewValues {
    const list = this.#dialect.listTable(value(), 'l', 'text');
    if (!byRow) return { from: list, value: sql`l.value` };
    const ofRows = sql`select document_id from ${sql.table(table)} where id ${inBoundList(this.#dialect)}`;
    return { from: sql`(select value from ${list} union ${ofRows}) as named`, value: sql`named.value` };
  }

  #affectedBy(part: AffectedPart, number: Fragment): Fragment {
    const { link } = part;
    const ownRows = {
      from: sql`${sql.table(part.own)} as e`,
      value: sql`e.id`,
      where: sql`e.document_id = ${value()}`,
    };
    const own = (column: Fragment): OfFew => this.#dialect.ofFew(ownRows, column);
    const links = sql`${sql.table(link.table)} as p`;
    const [from, to] = [sql.id('p', link.from), sql.id('p', link.to)];
    switch (part.find) {
      case 'list':
        return sql`select ${number}, o.id, o.document_id, o.locale, case when o.published_at is null then 0 else 1 end, p.id, ${to}, ${link.order ? sql.id('p', link.order) : sql`cast(null as double precision)`} from ${links} join ${sql.table(part.own)} as o on o.id = ${from} where o.document_id = ${value()} and ${to} is not null${this.#constants(link)}`;
      case 'linked': {
        const { before, condition } = own(from);
        return sql`select ${number}, ${INTEGER}, t.document_id, cast(null as varchar), ${INTEGER}, ${NO_LINK} from ${before}${links} join ${sql.table(part.target)} as t on t.id = ${to} where ${condition}${this.#constants(link)}`;
      }
      case 'changed':
        return sql`select ${number}, ${INTEGER}, t.document_id, cast(null as varchar), ${INTEGER}, ${NO_LINK} from ${links} join ${sql.table(part.own)} as o on o.id = ${from} join ${sql.table(part.target)} as t on t.id = ${to} where o.document_id = ${value()}${this.#constants(link)} group by t.document_id, o.locale having count(distinct o.id) = 1`;
      case 'remembered': {
        const { before, condition } = own(sql`p.holder_id`);
        return sql`select ${number}, ${INTEGER}, t.document_id, cast(null as varchar), ${INTEGER}, ${NO_LINK} from ${before}${sql.table(PUBLISHED_LISTS)} as p join ${sql.table(part.target)} as t on t.id = p.target_id where p.list = ${sql.lit(listName(link))} and ${condition}`;
      }
      case 'owners': {
        const { before, condition } = this.#dialect.ofFew(this.#targetRows(part, own), to);
        return sql`select ${number}, o.id, o.document_id, o.locale, case when o.published_at is null then 0 else 1 end, p.id, ${to}, cast(null as double precision) from ${before}${links} join ${sql.table(part.own)} as o on o.id = ${from} where ${condition}`;
      }
      case 'holders': {
        const { before, condition } = own(to);
        return sql`select ${number}, ${INTEGER}, h.document_id, cast(null as varchar), ${INTEGER}, ${NO_LINK} from ${before}${links} join ${sql.table(part.holder)} as h on h.id = ${from} where ${condition}${this.#constants(link)}`;
      }
      case 'recorded': {
        const { before, condition } = own(sql`p.target_id`);
        return sql`select ${number}, ${INTEGER}, h.document_id, cast(null as varchar), ${INTEGER}, ${NO_LINK} from ${before}${sql.table(PUBLISHED_LISTS)} as p join ${sql.table(part.holder)} as h on h.id = p.holder_id where p.list = ${sql.lit(listName(link))} and ${condition}`;
      }
    }
  }

  #constants({ constants }: LinkTable): Fragment {
    const conditions = constants.map(
      ({ column, value: constant }) =>
        sql` and ${this.#dialect.withoutIndexHint(sql.id('p', column))} = ${sql.lit(constant)}`,
    );
    return sql`${sql.join(conditions, sql``)}`;
  }

  /** Every row of the documents whose owners are looked for. `own`: the rows of the document in a column. */
  #targetRows(
    { of, byRow, target, link }: AffectedPart & { find: 'owners' },
    own: (column: Fragment) => OfFew,
  ): FewValues {
    if (of === 'named') {
      const { before, condition } = this.#dialect.ofFew(this.#named({ table: target, byRow }), sql`a.document_id`);
      return { from: sql`${before}${sql.table(target)} as a`, value: sql`a.id`, where: condition };
    }
    const ofOwn = own(of === 'linked' ? sql.id('q', link.from) : sql`q.holder_id`);
    const held: FewValues =
      of === 'linked'
        ? {
            from: sql`${ofOwn.before}${sql.table(link.table)} as q`,
            value: sql.id('q', link.to),
            where: ofOwn.condition,
          }
        : {
            from: sql`${ofOwn.before}${sql.table(PUBLISHED_LISTS)} as q`,
            value: sql`q.target_id`,
            where: sql`q.list = ${sql.lit(listName(link))} and ${ofOwn.condition}`,
          };
    const { before, condition } = this.#dialect.ofFew(held, sql`b.id`);
    return {
      from: sql`${before}${sql.table(target)} as b ${this.#dialect.nestedJoin} ${sql.table(target)} as a on a.document_id = b.document_id`,
      value: sql`a.id`,
      where: condition,
      repeats: true,
    };
  }
}
