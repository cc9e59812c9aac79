// One statement that reads lists of many kinds for some rows: links, component items, holders, records. A write asks
// for all it will need at once, so that the number of statements does not grow with the relations of a type.
import { sql } from 'kysely';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { LinkTable } from '../model/types.ts';
import type { Dialect, Fragment, OfFew } from './dialect.ts';
import { linkKey, listName } from './link-names.ts';
import type { Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';
import { type ItemTables, isThere } from './write-statements.ts';

/**
 * `links`: the lists of rows and, where the target type has drafts, the sibling of each target.
 * `items`: the component items of rows, of those that are there. `holders`: the rows whose lists hold the given ones.
 * `recordedIn`: those whose recorded lists do, and are still there. `records`: recorded lists of rows. Each takes one value: a list of row ids.
 */
export type GatherPart =
  | { readonly read: 'links'; readonly link: LinkTable; readonly siblingsIn: string | null }
  | ({ readonly read: 'items' } & ItemTables)
  | {
      readonly read: 'holders';
      readonly table: string;
      readonly holder: string;
      readonly held: string;
      /** Those of the links that they hold them by. */
      readonly constants?: LinkTable['constants'];
    }
  | { readonly read: 'records'; readonly lists: readonly string[] }
  | { readonly read: 'recordedIn'; readonly link: LinkTable; readonly holder: string };

/** What the columns hold depends on the kind of the part; see the selects below. */
export type GatherRow = readonly [
  part: number,
  row: number,
  link: number,
  target: number,
  position: number | null,
  sibling: number | null,
  siblingIsPublished: 0 | 1 | null,
  field: string | null,
  uid: string | null,
];

const keyOf = (part: GatherPart): string => {
  switch (part.read) {
    case 'links':
      return `links ${linkKey(part.link)} ${part.siblingsIn}`;
    case 'items':
      return `items ${part.table}`;
    case 'holders':
      return `holders ${part.table} ${part.holder} ${part.held} ${part.constants?.map(({ value }) => value).join() ?? ''}`;
    case 'records':
      return `records ${part.lists.join()}`;
    case 'recordedIn':
      return `recorded in ${listName(part.link)}`;
  }
};

const INTEGER = sql`cast(null as integer)`;
const NUMBER = sql`cast(null as double precision)`;
const STRING = sql`cast(null as varchar)`;

export class GatherStatements {
  readonly #dialect: Dialect;
  readonly #cache: StatementCache;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#cache = new StatementCache(dialect);
  }

  /** Values: one list of row ids for each part. */
  gather(parts: readonly GatherPart[]): Statement<GatherRow> {
    const key = () => parts.map(keyOf).join();
    return this.#cache.onceFor('gather', parts, key, () => {
      const selects = parts.map((part, index) => this.#select(part, sql.lit(index)));
      return sql`${sql.join(selects, sql` union all `)}`;
    });
  }

  #select(part: GatherPart, number: Fragment): Fragment {
    const list = this.#dialect.listTable(sql`${sql.val(null)}`, 'l', 'integer');
    const of = (column: Fragment): OfFew => this.#dialect.ofFew({ from: list, value: sql`l.value` }, column);
    switch (part.read) {
      case 'links':
        return this.#links(part, number, of(sql.id('p', part.link.from)));
      case 'items': {
        const { before, condition } = of(sql`c.entity_id`);
        return sql`select ${number}, c.entity_id, c.id, c.cmp_id, c.${sql.id('order')}, ${INTEGER}, ${INTEGER}, c.field, c.component_type from ${before}${sql.table(part.table)} as c where ${condition} and ${isThere(part.components)}`;
      }
      case 'holders': {
        const { before, condition } = of(sql.id('p', part.held));
        return sql`select distinct ${number}, ${sql.id('p', part.holder)}, ${INTEGER}, ${INTEGER}, ${NUMBER}, ${INTEGER}, ${INTEGER}, ${STRING}, ${STRING} from ${before}${sql.table(part.table)} as p where ${condition} and ${sql.id('p', part.holder)} is not null${this.#constants(part.constants ?? [])}`;
      }
      case 'records':
        return sql`select ${number}, p.holder_id, ${INTEGER}, p.target_id, p.position, ${INTEGER}, ${INTEGER}, p.list, ${STRING} from ${sql.table(PUBLISHED_LISTS)} as p where ${this.#dialect.bothInFew(sql`p.list`, part.lists, sql`p.holder_id`, sql`select value from ${list}`)}`;
      case 'recordedIn': {
        const { before, condition } = of(sql`p.target_id`);
        return sql`select ${number}, p.holder_id, ${INTEGER}, p.target_id, ${NUMBER}, ${INTEGER}, ${INTEGER}, ${STRING}, ${STRING} from ${before}${sql.table(PUBLISHED_LISTS)} as p join ${sql.table(part.holder)} as h on h.id = p.holder_id where p.list = ${sql.lit(listName(part.link))} and ${condition}`;
      }
    }
  }

  #constants(constants: LinkTable['constants']): Fragment {
    const conditions = constants.map(
      ({ column, value }) => sql` and ${this.#dialect.withoutIndexHint(sql.id('p', column))} = ${sql.lit(value)}`,
    );
    return sql`${sql.join(conditions, sql``)}`;
  }

  #links({ link, siblingsIn }: GatherPart & { read: 'links' }, number: Fragment, rows: OfFew): Fragment {
    const position = link.order ? sql.id('p', link.order) : NUMBER;
    const siblings =
      siblingsIn === null
        ? sql``
        : sql` join ${sql.table(siblingsIn)} as t on t.id = ${sql.id('p', link.to)} left join ${sql.table(siblingsIn)} as s on s.document_id = t.document_id and ${this.#dialect.same(sql`s.locale`, sql`t.locale`)} and (s.published_at is null) <> (t.published_at is null)`;
    const sibling =
      siblingsIn === null
        ? sql`${INTEGER}, ${INTEGER}`
        : sql`s.id, case when s.id is null then null when s.published_at is null then 0 else 1 end`;
    return sql`select ${number}, ${sql.id('p', link.from)}, p.id, ${sql.id('p', link.to)}, ${position}, ${sibling}, ${STRING}, ${STRING} from ${rows.before}${sql.table(link.table)} as p${siblings} where ${rows.condition} and ${sql.id('p', link.to)} is not null${this.#constants(link.constants)}`;
  }
}
