// Statements about who asks: grants, accounts, sessions, API tokens. Each is made once; values are bound in the order
// in which their places stand in the text.
import { sql } from 'kysely';
import { ACCOUNTS, DEFAULT_LOCALE_SETTING, SETTINGS_TABLE } from '../model/tables.ts';
import type { Dialect, Fragment } from './dialect.ts';
import type { Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';
import type { WrittenColumn } from './write-statements.ts';

const value = (): Fragment => sql`${sql.val(null)}`;

/** Keys of the settings of accounts, and of the texts that are mailed to them. */
export const ACCOUNT_SETTINGS = 'plugin_users-permissions_advanced';
export const MAILS = 'plugin_users-permissions_email';
export const PROVIDERS = 'plugin_users-permissions_grant';

export type CodeColumn = 'reset_password_token' | 'confirmation_token';

export type StoredAccount = readonly [
  id: number,
  password: string | null,
  confirmed: 0 | 1,
  blocked: 0 | 1,
  email: string,
  username: string,
];

export type AccountRow = readonly [
  role: number | null,
  settings: string | null,
  sessionUser: string | null,
  sessionStatus: string | null,
  sessionEnd: number | null,
  tokensAfter: string | null,
  ...columns: unknown[],
];

export type TokenRow = readonly [
  id: number,
  type: string,
  kind: string | null,
  end: number | null,
  lastUsed: number | null,
  action: string | null,
];

export type ListedTokenRow = readonly [
  id: number,
  name: string,
  description: string | null,
  type: string,
  end: number | null,
  lastUsed: number | null,
  begin: number | null,
  action: string | null,
];

const SESSIONS = 'strapi_sessions';

/** What the statements read, besides users and their roles. */
export const ACCOUNT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  up_roles: ['id', 'document_id', 'type', 'name', 'description', 'created_at', 'updated_at', 'published_at'],
  up_permissions: ['id', 'action'],
  up_permissions_role_lnk: ['permission_id', 'role_id'],
  strapi_api_tokens: ['id', 'type', 'access_key', 'expires_at', 'last_used_at'],
  strapi_api_token_permissions: ['id', 'action'],
  strapi_api_token_permissions_token_lnk: ['api_token_permission_id', 'api_token_id'],
  [SETTINGS_TABLE]: ['key', 'value'],
};

/** What they do without: Sheaf alone makes the one, and the other is missing in databases of early versions of Strapi 5. */
export const OPTIONAL_ACCOUNT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  [ACCOUNTS]: ['user_id', 'tokens_after'],
  [SESSIONS]: [
    'session_id',
    'origin',
    'user_id',
    'status',
    'device_id',
    'child_id',
    'expires_at',
    'absolute_expires_at',
    'created_at',
  ],
};

/** Stand for tables that a database has not got. */
const EMPTY: Readonly<Record<string, Fragment>> = {
  [ACCOUNTS]: sql`(select cast(null as integer) as user_id, cast(null as bigint) as tokens_after where 1 = 0)`,
  [SESSIONS]: sql`(select cast(null as integer) as id, cast(null as text) as session_id, cast(null as text) as origin, cast(null as text) as user_id, cast(null as text) as status, cast(null as text) as device_id, cast(null as text) as child_id, cast(null as timestamp) as expires_at, cast(null as timestamp) as absolute_expires_at, cast(null as timestamp) as created_at, cast(null as text) as metadata where 1 = 0)`,
};

/** The columns for the kind of a token and for what is known of a session, which early versions of Strapi 5 do not have. */
const TOKEN_KIND = 'strapi_api_tokens.kind';
const SESSION_METADATA = `${SESSIONS}.metadata`;
export const OPTIONAL_COLUMNS: ReadonlySet<string> = new Set([TOKEN_KIND, SESSION_METADATA]);

/** Which of the parts that reads do without a database lacks. */
export function lackingParts(
  present: ReadonlyMap<string, { readonly columns: ReadonlyMap<string, string> }>,
): ReadonlySet<string> {
  const tables = Object.keys(OPTIONAL_ACCOUNT_COLUMNS).filter((table) => !present.has(table));
  const columns = [...OPTIONAL_COLUMNS].filter((name) => {
    const [table = '', column = ''] = name.split('.');
    return !present.get(table)?.columns.has(column);
  });
  return new Set([...tables, ...columns]);
}

export type GrantRow = readonly [
  id: number,
  type: string,
  name: string,
  action: string | null,
  defaultLocale: string | null,
];

export type RoleRow = readonly [
  id: number,
  documentId: string,
  name: string,
  description: string | null,
  type: string,
  createdAt: number | null,
  updatedAt: number | null,
  publishedAt: number | null,
  users: number | string,
];

export type SessionRow = readonly [
  id: string,
  status: string,
  device: string | null,
  end: number,
  absoluteEnd: number,
  begin: number,
  metadata: string | null,
  child: string | null,
];

export class AccountStatements {
  readonly #dialect: Dialect;
  readonly #lacking: ReadonlySet<string>;
  readonly #cache: StatementCache;

  /** `lacking`: tables and columns that the database has not got. */
  constructor(dialect: Dialect, lacking: ReadonlySet<string> = new Set()) {
    this.#dialect = dialect;
    this.#cache = new StatementCache(dialect);
    this.#lacking = lacking;
  }

  #optional(table: typeof ACCOUNTS | typeof SESSIONS): Fragment {
    return this.#lacking.has(table) ? EMPTY[table]! : sql.table(table);
  }

  #instant(column: Fragment): Fragment {
    return this.#dialect.rowOutput(column, 'datetime');
  }

  /** Every role with each of its actions, or with null, and the default locale: `id, type, name, action, locale`. */
  grants(): Statement<GrantRow> {
    return this.#cache.once(
      'grants',
      () =>
        sql`select r.id, r.type, r.name, p.action, (select value from ${sql.table(SETTINGS_TABLE)} where key = ${sql.lit(DEFAULT_LOCALE_SETTING)} limit 1) from up_roles as r left join up_permissions_role_lnk as l on l.role_id = r.id left join up_permissions as p on p.id = l.permission_id order by r.id, p.action`,
    );
  }

  /** Every role as it is shown: `id, documentId, name, description, type`, three moments, the number of its users. */
  roles(): Statement<RoleRow> {
    return this.#cache.once('roles', () => {
      const moments = ['created_at', 'updated_at', 'published_at'].map((column) => this.#instant(sql.id('r', column)));
      return sql`select r.id, r.document_id, r.name, r.description, r.type, ${sql.join(moments)}, (select count(distinct l.user_id) from up_users_role_lnk as l where l.role_id = r.id) from up_roles as r order by r.id`;
    });
  }

  /** The role of every user who has one: `user, document of the user, role, type, name`. */
  rolesOfUsers(): Statement<readonly [user: number, documentId: string, role: number, type: string, name: string]> {
    return this.#cache.once(
      'roles of users',
      () =>
        sql`select u.id, u.document_id, r.id, r.type, r.name from up_users as u join up_users_role_lnk as l on l.user_id = u.id join up_roles as r on r.id = l.role_id order by u.id, l.id`,
    );
  }

  /** Tells other nodes that grants have changed; null where they need not be told. */
  announceChange(): Statement | null {
    const { announceChange } = this.#dialect;
    return announceChange && this.#cache.once('announce', () => announceChange);
  }

  /** Values: the type. */
  roleByType(): Statement<readonly [id: number]> {
    return this.#cache.once(
      'role by type',
      () => sql`select id from up_roles where type = ${value()} order by id limit 1`,
    );
  }

  /** Keeps writers of users from giving them a role until the transaction ends. Values: the role. */
  lockRole(): Statement {
    const lock = this.#dialect.locking?.rows ?? sql``;
    return this.#cache.once('lock role', () => sql`select id from up_roles where id = ${value()} ${lock}`);
  }

  /** Deletes a role with its grants. Values: the role. */
  deleteRole(): readonly [Statement, Statement] {
    return [
      this.#cache.once(
        'delete grants',
        () =>
          sql`delete from up_permissions where id in (select permission_id from up_permissions_role_lnk where role_id = ${value()})`,
      ),
      this.#cache.once('delete role', () => sql`delete from up_roles where id = ${value()}`),
    ];
  }

  /**
   * An account: `role, settings of accounts, whose the session is, its status, its end, when tokens without one begin`,
   * then the columns. Values: the session, the user.
   */
  account(columns: readonly WrittenColumn[]): Statement<AccountRow> {
    return this.#cache.once(`account ${columns.map(({ column }) => column)}`, () => {
      const outputs = columns.map(({ column, type }) => this.#dialect.rowOutput(sql.id('u', column), type));
      return sql`select l.role_id, (select value from ${sql.table(SETTINGS_TABLE)} where key = ${sql.lit(ACCOUNT_SETTINGS)} limit 1), s.user_id, s.status, ${this.#instant(sql`s.absolute_expires_at`)}, ${this.#dialect.rowOutput(sql`a.tokens_after`, 'biginteger')}, ${sql.join(outputs)} from up_users as u left join up_users_role_lnk as l on l.user_id = u.id left join ${this.#optional(SESSIONS)} as s on s.session_id = ${value()} and s.origin = 'users-permissions' left join ${this.#optional(ACCOUNTS)} as a on a.user_id = u.id where u.id = ${value()} order by l.id limit 1`;
    });
  }

  /** A setting as it is stored: its JSON. */
  setting(key: typeof ACCOUNT_SETTINGS | typeof MAILS | typeof PROVIDERS): Statement<readonly [value: string | null]> {
    return this.#cache.once(
      `setting ${key}`,
      () => sql`select value from ${sql.table(SETTINGS_TABLE)} where key = ${sql.lit(key)} limit 1`,
    );
  }

  /**
   * The local account with an address, then the one with a name: `id, password, confirmed, blocked`. These are two where
   * a name is the address of another in other letters. Values: address, name, address.
   */
  byIdentifier(): Statement<readonly [id: number, password: string | null, confirmed: 0 | 1, blocked: 0 | 1]> {
    return this.#cache.once(
      'by identifier',
      () =>
        sql`select id, password, ${this.#flag('confirmed')}, ${this.#flag('blocked')} from up_users where (email = ${value()} or username = ${value()}) and provider = 'local' order by case when email = ${value()} then 0 else 1 end, id limit 2`,
    );
  }

  /** Accounts by a column: `id, password, confirmed, blocked, email, username`. Values: the value. */
  byColumn(column: 'id' | 'email' | 'username'): Statement<StoredAccount> {
    return this.#cache.once(
      `by ${column}`,
      () =>
        sql`select id, password, ${this.#flag('confirmed')}, ${this.#flag('blocked')}, email, username from up_users where ${sql.id(column)} = ${value()} order by id limit 1`,
    );
  }

  /** The account that holds the hash of a code: `hash:end`, then as byColumn. Values: the hash. */
  byCode(column: CodeColumn): Statement<readonly [stored: string, ...account: StoredAccount]> {
    return this.#cache.once(
      `by code ${column}`,
      () =>
        sql`select ${sql.id(column)}, id, password, ${this.#flag('confirmed')}, ${this.#flag('blocked')}, email, username from up_users where substr(${sql.id(column)}, 1, 64) = ${value()} order by id limit 1`,
    );
  }

  /** Takes a code back, unless it was taken before. Values: the user, what is stored. Returns the user. */
  takeCode(column: CodeColumn): Statement {
    return this.#cache.once(
      `take code ${column}`,
      () =>
        sql`update up_users set ${sql.id(column)} = null where id = ${value()} and ${sql.id(column)} = ${value()} returning id`,
    );
  }

  /**
   * Makes a code good again that was taken, unless another was issued or the password is another by now. Values: what was
   * stored, the user, the password, which is empty where there is none.
   */
  returnCode(column: CodeColumn): Statement {
    return this.#cache.once(
      `return code ${column}`,
      () =>
        sql`update up_users set ${sql.id(column)} = ${value()} where id = ${value()} and ${sql.id(column)} is null and coalesce(password, '') = ${value()}`,
    );
  }

  /** Sets a column of an account. Values: the value, now, the user. */
  setUser(column: 'password' | CodeColumn): Statement {
    return this.#cache.once(
      `set ${column}`,
      () =>
        sql`update up_users set ${sql.id(column)} = ${value()}, updated_at = ${this.#dialect.input(value(), 'datetime')} where id = ${value()}`,
    );
  }

  #flag(column: string): Fragment {
    return sql`case when ${sql.id(column)} then 1 else 0 end`;
  }

  /** What an account is before it is written. Values: the user. */
  accountState(): Statement<readonly [email: string, blocked: 0 | 1, role: number | null]> {
    return this.#cache.once(
      'state',
      () =>
        sql`select u.email, ${this.#flag('blocked')}, l.role_id from up_users as u left join up_users_role_lnk as l on l.user_id = u.id where u.id = ${value()} order by l.id limit 1`,
    );
  }

  /** Values: the user, by a number that may be larger than any id. */
  documentOfUser(): Statement<readonly [documentId: string | null]> {
    return this.#cache.once(
      'document of user',
      () => sql`select document_id from up_users where id = cast(${value()} as bigint)`,
    );
  }

  /** Gives a user a documentId who has none. Values: the documentId, the user, by a number as above. */
  nameUser(): Statement {
    return this.#cache.once(
      'name user',
      () =>
        sql`update up_users set document_id = ${value()} where id = cast(${value()} as bigint) and document_id is null`,
    );
  }

  /** A session of a user: `user, status, device, end, absolute end, metadata`. Values: the session. */
  session(): Statement<
    readonly [
      user: string,
      status: string,
      device: string | null,
      end: number,
      absoluteEnd: number,
      metadata: string | null,
    ]
  > {
    return this.#cache.once(
      'session',
      () =>
        sql`select user_id, status, device_id, ${this.#instant(sql`expires_at`)}, ${this.#instant(sql`absolute_expires_at`)}, cast(metadata as text) from strapi_sessions where session_id = ${value()} and origin = 'users-permissions' order by id limit 1`,
    );
  }

  /** The sessions of a user, the last one first, each with the one that follows it. Values: the user. */
  sessionsOf(): Statement<SessionRow> {
    const metadata =
      this.#lacking.has(SESSION_METADATA) && !this.#lacking.has(SESSIONS) ? sql`null` : sql`cast(metadata as text)`;
    return this.#cache.once(
      'sessions of',
      () =>
        sql`select session_id, status, device_id, ${this.#instant(sql`expires_at`)}, ${this.#instant(sql`absolute_expires_at`)}, ${this.#instant(sql`created_at`)}, ${metadata}, child_id from ${this.#optional(SESSIONS)} as s where origin = 'users-permissions' and user_id = ${value()} order by created_at desc, id desc`,
    );
  }

  /** Marks a session as followed by another, unless it was before. Values: the child, now, the session. Returns it. */
  rotate(): Statement {
    return this.#cache.once(
      'rotate',
      () =>
        sql`update strapi_sessions set status = 'rotated', child_id = ${value()}, updated_at = ${this.#dialect.input(value(), 'datetime')} where session_id = ${value()} and status = 'active' returning id`,
    );
  }

  /** Ends sessions of users. Values: the user[, the device, or a list of sessions as JSON]. */
  endSessions(of: 'user' | 'device' | 'sessions'): Statement {
    const listed = this.#dialect.listTable(value(), 'l', 'text');
    const narrowed = {
      user: sql``,
      device: sql` and device_id = ${value()}`,
      sessions: sql` and session_id in (select l.value from ${listed})`,
    };
    return this.#cache.once(
      `end ${of}`,
      () => sql`delete from strapi_sessions where origin = 'users-permissions' and user_id = ${value()}${narrowed[of]}`,
    );
  }

  /** Forgets sessions of a user that have ended. Values: the user, now. */
  sweepSessions(): Statement {
    return this.#cache.once(
      'sweep',
      () =>
        sql`delete from strapi_sessions where origin = 'users-permissions' and user_id = ${value()} and absolute_expires_at < ${this.#dialect.input(value(), 'datetime')}`,
    );
  }

  /** Values: the user, the moment in milliseconds. */
  refuseOlderTokens(): Statement {
    return this.#cache.once(
      'refuse older',
      () =>
        sql`insert into ${sql.table(ACCOUNTS)} (user_id, tokens_after) values (${value()}, ${value()}) on conflict (user_id) do update set tokens_after = excluded.tokens_after`,
    );
  }

  /** An API token with each of its actions: `id, type, kind, end, last used, action`. Values: the stored form. */
  token(): Statement<TokenRow> {
    const kind = this.#lacking.has(TOKEN_KIND) ? sql`null` : sql`t.kind`;
    return this.#cache.once(
      'token',
      () =>
        sql`select t.id, t.type, ${kind}, ${this.#instant(sql`t.expires_at`)}, ${this.#instant(sql`t.last_used_at`)}, p.action from strapi_api_tokens as t left join strapi_api_token_permissions_token_lnk as l on l.api_token_id = t.id left join strapi_api_token_permissions as p on p.id = l.api_token_permission_id where t.access_key = ${value()} order by t.id, p.action`,
    );
  }

  /** Every API token of the content API with each of its actions, or with null; never what it is stored as. */
  tokens(): Statement<ListedTokenRow> {
    const kind = this.#lacking.has(TOKEN_KIND) ? sql`` : sql` where coalesce(t.kind, 'content-api') = 'content-api'`;
    return this.#cache.once('tokens', () => {
      const moments = ['expires_at', 'last_used_at', 'created_at'].map((column) => this.#instant(sql.id('t', column)));
      return sql`select t.id, t.name, t.description, t.type, ${sql.join(moments)}, p.action from strapi_api_tokens as t left join strapi_api_token_permissions_token_lnk as l on l.api_token_id = t.id left join strapi_api_token_permissions as p on p.id = l.api_token_permission_id${kind} order by t.id, p.action`;
    });
  }

  /** Values: now, the token. */
  touchToken(): Statement {
    return this.#cache.once(
      'touch token',
      () =>
        sql`update strapi_api_tokens set last_used_at = ${this.#dialect.input(value(), 'datetime')} where id = ${value()}`,
    );
  }

  /** Tokens by name: `id`. Values: the name. */
  tokensNamed(): Statement<readonly [id: number]> {
    return this.#cache.once('tokens named', () => sql`select id from strapi_api_tokens where name = ${value()}`);
  }

  /** Deletes a token with its actions. Values: the token. */
  deleteToken(): readonly [Statement, Statement] {
    return [
      this.#cache.once(
        'delete token actions',
        () =>
          sql`delete from strapi_api_token_permissions where id in (select api_token_permission_id from strapi_api_token_permissions_token_lnk where api_token_id = ${value()})`,
      ),
      this.#cache.once('delete token', () => sql`delete from strapi_api_tokens where id = ${value()}`),
    ];
  }
}
