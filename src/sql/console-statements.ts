// Statements about the accounts of the console, which stand in Strapi's own tables, and about their sessions, which
// stand in ours. Each is made once; values are bound in the order in which their places stand in the text.
import { sql } from 'kysely';
import { CONSOLE_LINKS, CONSOLE_SESSIONS, SETTINGS_TABLE } from '../model/tables.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { plainStatement, type Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';

const value = (): Fragment => sql`${sql.val(null)}`;

/** What Strapi 5 keeps of how its admin panel shows types and components, and how it names that. */
export const STORED_VIEWS = plainStatement<readonly [key: string, value: string | null]>(
  `select key, value from ${SETTINGS_TABLE} where key like 'plugin!_content!_manager!_configuration!_%' escape '!'`,
);
export const VIEW_KEY = /^plugin_content_manager_configuration_(?:content_types|components)::(.+)$/;

/** An account with one of its roles, or with none. */
export type ConsoleAccountRow = readonly [
  id: number,
  documentId: string | null,
  email: string | null,
  firstname: string | null,
  lastname: string | null,
  isActive: 0 | 1,
  blocked: 0 | 1,
  password: string | null,
  roleId: number | null,
  code: string | null,
  name: string | null,
  description: string | null,
];

export type ConsoleSessionRow = readonly [
  id: number,
  credential: string,
  end: number | string,
  seen: number | string,
  ...account: ConsoleAccountRow,
];

export type EditorPermissionRow = readonly [
  role: number,
  action: string | null,
  subject: string | null,
  properties: string | null,
  conditions: string | null,
  parameters: string | null,
];

/** One row where there is any account. */
export const ANY_ACCOUNT: Statement = plainStatement('select id from admin_users limit 1');

const ROLES = sql`left join admin_users_roles_lnk as l on l.user_id = u.id left join admin_roles as r on r.id = l.role_id`;
const IN_ORDER = sql`order by u.id, l.role_ord, l.id`;

export class ConsoleStatements {
  readonly #dialect: Dialect;
  readonly #cache: StatementCache;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#cache = new StatementCache(dialect);
  }

  get #account(): Fragment {
    const flags = ['is_active', 'blocked'].map((column) => sql`case when ${sql.id('u', column)} then 1 else 0 end`);
    return sql`u.id, u.document_id, u.email, u.firstname, u.lastname, ${sql.join(flags)}, u.password, r.id, r.code, r.name, r.description`;
  }

  /** An account with each of its roles. Values: the address, and the same in lower case. */
  byEmail(): Statement<ConsoleAccountRow> {
    return this.#cache.once(
      'by email',
      () =>
        sql`select ${this.#account} from admin_users as u ${ROLES} where u.id = (select id from admin_users where email = ${value()} or lower(email) = ${value()} order by id limit 1) ${IN_ORDER}`,
    );
  }

  /** Values: the account. */
  byId(): Statement<ConsoleAccountRow> {
    return this.#cache.once(
      'by id',
      () => sql`select ${this.#account} from admin_users as u ${ROLES} where u.id = ${value()} ${IN_ORDER}`,
    );
  }

  /** Every account with each of its roles. */
  accounts(): Statement<ConsoleAccountRow> {
    return this.#cache.once('accounts', () => sql`select ${this.#account} from admin_users as u ${ROLES} ${IN_ORDER}`);
  }

  /** Every role: `id, code, name, description`. */
  roles(): Statement<readonly [id: number, code: string | null, name: string | null, description: string | null]> {
    return this.#cache.once('roles', () => sql`select id, code, name, description from admin_roles order by id`);
  }

  /** How many others with a role have a password and may log in. Values: the code of the role, the account to leave out. */
  othersWithRole(): Statement<readonly [count: number]> {
    const count = this.#dialect.countOutput(sql`count(distinct u.id)`);
    return this.#cache.once(
      'others with role',
      () =>
        sql`select ${count} from admin_users as u join admin_users_roles_lnk as l on l.user_id = u.id join admin_roles as r on r.id = l.role_id where r.code = ${value()} and u.is_active and not coalesce(u.blocked, ${sql.lit(false)}) and u.password is not null and u.id <> ${value()}`,
    );
  }

  /** Takes all roles from an account. Values: the account. */
  removeRoles(): Statement {
    return this.#cache.once('remove roles', () => sql`delete from admin_users_roles_lnk where user_id = ${value()}`);
  }

  /** Gives an account a role. Values: the account, the role, its place among the roles, the account's place in it. */
  addRole(): Statement {
    return this.#cache.once(
      'add role',
      () =>
        sql`insert into admin_users_roles_lnk (user_id, role_id, role_ord, user_ord) values (${value()}, ${value()}, ${value()}, ${value()})`,
    );
  }

  /** Values: the account. */
  deleteAccount(): Statement {
    return this.#cache.once('delete account', () => sql`delete from admin_users where id = ${value()}`);
  }

  /** Values: the hash of the token, the account or null, the end. */
  addLink(): Statement {
    return this.#cache.once(
      'add link',
      () =>
        sql`insert into ${sql.table(CONSOLE_LINKS)} (token_hash, account_id, expires_at) values (${value()}, ${value()}, ${value()})`,
    );
  }

  /** Whom a link is for. Values: the hash of the token, now. */
  link(): Statement<readonly [account: number | null]> {
    return this.#cache.once(
      'link',
      () =>
        sql`select account_id from ${sql.table(CONSOLE_LINKS)} where token_hash = ${value()} and expires_at > ${value()}`,
    );
  }

  /** Deletes a link: whoever does so first may use it. Values: the hash of the token, now. */
  takeLink(): Statement<readonly [account: number | null]> {
    return this.#cache.once(
      'take link',
      () =>
        sql`delete from ${sql.table(CONSOLE_LINKS)} where token_hash = ${value()} and expires_at > ${value()} returning account_id`,
    );
  }

  /** Deletes the links of an account. Values: the account. */
  deleteLinks(): Statement {
    return this.#cache.once(
      'delete links',
      () => sql`delete from ${sql.table(CONSOLE_LINKS)} where account_id = ${value()}`,
    );
  }

  /** Deletes links that have expired. Values: now. */
  sweepLinks(): Statement {
    return this.#cache.once(
      'sweep links',
      () => sql`delete from ${sql.table(CONSOLE_LINKS)} where expires_at <= ${value()}`,
    );
  }

  /** A session with its account. Values: the hash of the token. */
  session(): Statement<ConsoleSessionRow> {
    const moments = ['expires_at', 'seen_at'].map((column) =>
      this.#dialect.rowOutput(sql.id('s', column), 'biginteger'),
    );
    return this.#cache.once(
      'session',
      () =>
        sql`select s.id, s.credential, ${sql.join(moments)}, ${this.#account} from ${sql.table(CONSOLE_SESSIONS)} as s join admin_users as u on u.id = s.account_id ${ROLES} where s.token_hash = ${value()} ${IN_ORDER}`,
    );
  }

  /** The permissions of roles. Values: the roles. */
  permissions(): Statement<EditorPermissionRow> {
    const json = ['properties', 'conditions', 'action_parameters'].map(
      (column) => sql`cast(${sql.id('p', column)} as text)`,
    );
    return this.#cache.once(
      'permissions',
      () =>
        sql`select l.role_id, p.action, p.subject, ${sql.join(json)} from admin_permissions_role_lnk as l join admin_permissions as p on p.id = l.permission_id where l.role_id ${this.#dialect.inFew(sql`select value from ${this.#dialect.listTable(value(), 'l', 'integer')}`)} order by l.role_id, p.id`,
    );
  }

  /** Values: the hash of the token, the account, the credential, the end, now. */
  beginSession(): Statement {
    return this.#cache.once(
      'begin session',
      () =>
        sql`insert into ${sql.table(CONSOLE_SESSIONS)} (token_hash, account_id, credential, expires_at, seen_at) values (${value()}, ${value()}, ${value()}, ${value()}, ${value()})`,
    );
  }

  /** Values: now, the session. */
  touchSession(): Statement {
    return this.#cache.once(
      'touch session',
      () => sql`update ${sql.table(CONSOLE_SESSIONS)} set seen_at = ${value()} where id = ${value()}`,
    );
  }

  /** Values: the session, by the hash of its token; or the account. */
  endSessions(by: 'token_hash' | 'account_id'): Statement {
    return this.#cache.once(
      `end ${by}`,
      () => sql`delete from ${sql.table(CONSOLE_SESSIONS)} where ${sql.id(by)} = ${value()}`,
    );
  }

  /** Forgets sessions that have ended. Values: now, and the moment since when the others were seen. */
  sweepSessions(): Statement {
    return this.#cache.once(
      'sweep',
      () => sql`delete from ${sql.table(CONSOLE_SESSIONS)} where expires_at < ${value()} or seen_at < ${value()}`,
    );
  }
}
