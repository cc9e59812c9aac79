// Statements that grant actions to roles and API tokens, and take them away. A list is bound as one value, so that to
// grant everything takes as many statements as to grant one action. Values are bound in the order of the text.
import { sql } from 'kysely';
import { memoize } from '../memoize.ts';
import { columnList, inBoundList, boundValue as value } from './bound-values.ts';
import type { Dialect } from './dialect.ts';
import { STAMPS } from './row-columns.ts';
import type { Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';

/** A table of permissions, and that of their links to whoever holds them. */
interface GrantTables {
  readonly permissions: string;
  readonly links: string;
  readonly permission: string;
  readonly holder: string;
  readonly order: string;
}

export class GrantStatements {
  readonly #dialect: Dialect;
  readonly #tables: GrantTables;
  readonly #cache: StatementCache;

  constructor(dialect: Dialect, tables: GrantTables) {
    this.#dialect = dialect;
    this.#tables = tables;
    this.#cache = new StatementCache(dialect);
  }

  /** Values: when, for each of the stamps; a pair `[documentId, action]` for each permission. */
  addPermissions(): Statement<readonly [id: number]> {
    return this.#cache.once('add', () => {
      const stamps = STAMPS.map(({ type }) => this.#dialect.input(value(), type));
      const columns = columnList([...STAMPS.map(({ column }) => column), 'document_id', 'action']);
      return sql`insert into ${sql.table(this.#tables.permissions)} (${columns}) select ${sql.join(stamps)}, n.a, n.b from ${this.#dialect.textPairTable(value(), 'n')} returning id`;
    });
  }

  /** Strapi 5 keeps an order of grants that nobody reads; the id serves. Values: the holder, the permissions. */
  link(): Statement {
    return this.#cache.once('link', () => {
      const { links, holder, permission, order } = this.#tables;
      return sql`insert into ${sql.table(links)} (${columnList([holder, permission, order])}) select cast(${value()} as integer), l.value, l.value from ${this.#dialect.listTable(value(), 'l', 'integer')}`;
    });
  }

  /** Values: the holder, the actions. */
  revoke(): Statement {
    return this.#cache.once('revoke', () => {
      const { permissions, links, holder, permission } = this.#tables;
      const table = sql.table(permissions);
      return sql`delete from ${table} where id in (select p.id from ${table} as p join ${sql.table(links)} as g on ${sql.id('g', permission)} = p.id where ${sql.id('g', holder)} = ${value()} and p.action ${inBoundList(this.#dialect, 'text')})`;
    });
  }
}

const statementsFor = (tables: GrantTables) => memoize((dialect: Dialect) => new GrantStatements(dialect, tables));

export const roleGrants = statementsFor({
  permissions: 'up_permissions',
  links: 'up_permissions_role_lnk',
  permission: 'permission_id',
  holder: 'role_id',
  order: 'permission_ord',
});

export const tokenGrants = statementsFor({
  permissions: 'strapi_api_token_permissions',
  links: 'strapi_api_token_permissions_token_lnk',
  permission: 'api_token_permission_id',
  holder: 'api_token_id',
  order: 'api_token_permission_ord',
});
