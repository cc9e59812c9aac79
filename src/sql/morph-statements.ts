// Statements of writes on polymorphic links: tables whose rows lead to entries of several types, and keys that lead to one.
import { sql } from 'kysely';
import type { LinkTable } from '../model/types.ts';
import { columnList, inBoundList, boundValue as value } from './bound-values.ts';
import type { Dialect } from './dialect.ts';
import { isOfLink, linkKey } from './link-names.ts';
import type { Statement } from './statement.ts';
import type { StatementCache } from './statement-cache.ts';

type IdRow = readonly [id: number];
/** `id, row, type, target, position, field`. */
type MorphLinkRow = readonly [
  id: number,
  row: number,
  uid: string | null,
  target: number,
  position: number | null,
  field: string | null,
];

export class MorphStatements {
  readonly #dialect: Dialect;
  readonly #cache: StatementCache;

  constructor(dialect: Dialect, cache: StatementCache) {
    this.#dialect = dialect;
    this.#cache = cache;
  }

  /** Where rows are linked by a polymorphic table: `row, holder, type of the holder, field`. Values: the rows' ids. */
  holders(table: string, column: string): Statement<readonly [number, number, string, string]> {
    return this.#cache.once(
      `morph holders ${table} ${column}`,
      () =>
        sql`select ${sql.id(column)}, related_id, related_type, field from ${sql.table(table)} where ${sql.id(column)} ${inBoundList(this.#dialect)}`,
    );
  }

  /**
   * The links of rows in a polymorphic table: `id, row, type, target, position, field`. Values: the rows' ids. `link`:
   * from these rows to any of the types.
   */
  links({ table, from, to, order, constants }: LinkTable): Statement<MorphLinkRow> {
    return this.#cache.once(
      `morph links ${table}`,
      () =>
        sql`select id, ${columnList([from, constants[0]!.column, to, order!, 'field'])} from ${sql.table(table)} where ${sql.id(from)} ${inBoundList(this.#dialect)} and ${sql.id(to)} is not null order by ${sql.id(order!)} nulls last, id`,
    );
  }

  /**
   * Rows that stay until the transaction ends: no foreign key sees to that. With the others of their documents, since who
   * deletes one that is new may not have seen it when it locked these. Values: the ids, twice.
   */
  hold(table: string): Statement<IdRow> {
    return this.#cache.once(`hold ${table}`, () => {
      const documents = sql`select document_id from ${sql.table(table)} where id ${inBoundList(this.#dialect)}`;
      return sql`select id from ${sql.table(table)} where id ${inBoundList(this.#dialect)} or document_id ${this.#dialect.inFew(documents)} order by id ${this.#dialect.locking?.heldRows ?? sql``}`;
    });
  }

  /** Where keys lead that lead to one entry of any type: `row, type, row of that type`. Values: the rows' ids. */
  keys(table: string): Statement<readonly [row: number, uid: string, target: number]> {
    return this.#cache.once(
      `morph keys ${table}`,
      () =>
        sql`select id, target_type, target_id from ${sql.table(table)} where id ${inBoundList(this.#dialect)} and target_type is not null and target_id is not null`,
    );
  }

  /** Sets such keys. Values: the uid and the row that they lead to, the rows' ids. */
  setKey(table: string): Statement {
    return this.#cache.once(
      `set morph keys ${table}`,
      () =>
        sql`update ${sql.table(table)} set target_type = ${value()}, target_id = ${value()} where id ${inBoundList(this.#dialect)}`,
    );
  }

  /** Rows whose keys lead to given ones. Values: the uid, the ids of those. */
  keysTo(table: string): Statement<IdRow> {
    return this.#cache.once(
      `morph keys to ${table}`,
      () =>
        sql`select id from ${sql.table(table)} where target_type = ${value()} and target_id ${inBoundList(this.#dialect)}`,
    );
  }

  /** Leads such keys from published rows to their drafts. Values: `[[published, draft]…]`, the uid. */
  leadKeysBack(table: string): Statement {
    return this.#cache.once(
      `lead morph keys back ${table}`,
      () =>
        sql`update ${sql.table(table)} as u set target_id = cast(n.b as integer) from ${this.#dialect.pairTable(value(), 'n')} where u.target_id = n.a and u.target_type = ${value()}`,
    );
  }

  /**
   * Links rows that a polymorphic table leads from with a published row, beside its draft, where no field shows that
   * link. Values: the published row, the draft, the rows.
   */
  linkBesideDraft(link: LinkTable): Statement {
    const [from, to, order] = [link.from, link.to, link.order!];
    const constants = link.constants.map(({ column }) => column);
    return this.#cache.once(
      `link beside draft ${linkKey(link)}`,
      () =>
        sql`insert into ${sql.table(link.table)} (${columnList([from, to, order, ...constants])}) select ${sql.id('p', from)}, cast(${value()} as integer), ${columnList([order, ...constants])} from ${sql.table(link.table)} as p where ${sql.id('p', to)} = ${value()} and p.field is null${isOfLink(this.#dialect, link, 'p')} and ${sql.id('p', from)} ${inBoundList(this.#dialect)}`,
    );
  }

  /** Deletes polymorphic links that lead to rows of a type. Values: the uid, the ids. */
  deleteLinks(table: string, typeColumn: string, idColumn: string): Statement {
    return this.#cache.once(
      `delete morph ${table} ${typeColumn}`,
      () =>
        sql`delete from ${sql.table(table)} where ${sql.id(typeColumn)} = ${value()} and ${sql.id(idColumn)} ${inBoundList(this.#dialect)}`,
    );
  }
}
