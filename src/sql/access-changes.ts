// How PostgreSQL tells that what decides over callers, or the default locale, has changed, whoever changed it: triggers
// note every change in a table of our own. The rows that a statement sees there are its mark. As long as the mark is
// the same, so are all grants, accounts, sessions and tokens; a statement that carries the mark shows the two in one
// state of the data.
//
// The triggers only ever insert, so they wait for nobody and nobody waits for them, in any isolation. Whoever deletes
// rows inserts another in the same transaction. So every change, and every deletion, leaves a row that was never there
// before, and a mark never comes back.
//
// They name no columns. A trigger that does keeps other programs from changing or dropping these columns.
import { sql } from 'kysely';
import { ACCOUNTS, DEFAULT_LOCALE_SETTING, SETTINGS_TABLE } from '../model/tables.ts';
import { ACCOUNT_SETTINGS } from './account-statements.ts';
import type { Fragment, Tracking, TrackingTrigger } from './dialect.ts';
import { plainStatement, type Row, type Statement, withRowType } from './statement.ts';

/** Where it is told that grants, accounts, sessions or tokens have changed. */
export const CHANGES_CHANNEL = 'sheaf_changes';

const TABLE = 'sheaf_access_changes';
const FUNCTION = 'sheaf_note_access_change';
const DECIDING_PART = 'sheaf_deciding_part';
const LOCALE_FUNCTION = 'sheaf_note_locale_change';
const USERS = 'up_users';
const USER_ROLES = 'up_users_role_lnk';
const SESSIONS = 'strapi_sessions';
const TOKENS = 'strapi_api_tokens';

const NEW_MARK = `hashtextextended(gen_random_uuid()::text, 0)`;
export const MARK = `array(select mark from ${TABLE})::text`;

/** The mark alone. */
export const MARK_STATEMENT = plainStatement<readonly [mark: string]>(`select ${MARK}`);

/** Deletes the rows that nobody else is deleting, and leaves one that was never there before. */
export const PRUNE_STATEMENT = plainStatement(
  `with gone as (delete from ${TABLE} where mark in (select mark from ${TABLE} for update skip locked) returning 1) insert into ${TABLE} (mark) select ${NEW_MARK} where exists (select from gone)`,
);

/** Rows that were deleted are in the way of every read until they are gone. */
export const VACUUM_STATEMENT = plainStatement(`vacuum (skip_locked) ${TABLE}`);

/** How many changes a mark is made of. */
export const changesIn = (mark: string): number => mark.split(',').length;

const marked = new WeakMap<Statement, Statement>();

/** The same statement with the mark as one more column, the last. */
export function withMark<R extends Row>(statement: Statement<R>): Statement<readonly [...R, mark: string]> {
  let found = marked.get(statement);
  if (!found) {
    found = { ...statement, sql: `select q.*, ${MARK} from (${statement.sql}) as q` };
    marked.set(statement, found);
  }
  return withRowType<readonly [...R, mark: string]>(found);
}

const EVERY = ['insert', 'update', 'delete', 'truncate'];
/** A row that nothing refers to yet decides nothing, and neither does a user who is new. */
const EXISTING = ['update', 'delete', 'truncate'];

/** Any statement of these kinds on a table is a change. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  up_roles: EVERY,
  up_permissions: EXISTING,
  up_permissions_role_lnk: EVERY,
  [USERS]: EXISTING,
  [USER_ROLES]: EXISTING,
  [SESSIONS]: ['truncate'],
  [TOKENS]: ['delete', 'truncate'],
  strapi_api_token_permissions: EXISTING,
  strapi_api_token_permissions_token_lnk: EVERY,
  [ACCOUNTS]: EVERY,
  [SETTINGS_TABLE]: ['truncate'],
};

/** These only where they change the deciding part of a row; sessions begin and go on, and tokens are used, all the time. */
const CHANGES_OF_ROWS: Readonly<Record<string, readonly RowEvent[]>> = {
  [USER_ROLES]: ['insert'],
  [SESSIONS]: ['update', 'delete'],
  [TOKENS]: ['update'],
  [SETTINGS_TABLE]: ['insert', 'update', 'delete'],
};

/** The tables that decide over callers. */
export const DECIDING_TABLES: readonly string[] = [
  ...new Set([...Object.keys(CHANGES), ...Object.keys(CHANGES_OF_ROWS)]),
];

type RowEvent = 'insert' | 'update' | 'delete';

const ROWS_OF: Readonly<Record<RowEvent, Fragment>> = {
  insert: sql`new table as new_rows`,
  update: sql`old table as old_rows new table as new_rows`,
  delete: sql`old table as old_rows`,
};

const trigger = (of: Omit<TrackingTrigger, 'create'>, when: Fragment, argument = sql``): TrackingTrigger => ({
  ...of,
  create: sql`create trigger ${sql.id(of.name)} after ${when} for each statement execute function ${sql.id(of.calls)}(${argument})`,
});

const onRows = (event: RowEvent, table: string): Fragment =>
  sql`${sql.raw(event)} on ${sql.table(table)} referencing ${ROWS_OF[event]}`;

const TRIGGERS: readonly TrackingTrigger[] = [
  ...Object.entries(CHANGES).map(([table, events]) =>
    trigger(
      { table, name: 'sheaf_access_change', calls: FUNCTION },
      sql`${sql.raw(events.join(' or '))} on ${sql.table(table)}`,
    ),
  ),
  ...Object.entries(CHANGES_OF_ROWS).flatMap(([table, events]) =>
    events.map((event) =>
      trigger({ table, name: `sheaf_access_${event}`, calls: FUNCTION }, onRows(event, table), sql`'rows'`),
    ),
  ),
  ...(['insert', 'update', 'delete'] as const).map((event) =>
    trigger(
      { table: SETTINGS_TABLE, name: `sheaf_locale_${event}`, calls: LOCALE_FUNCTION },
      onRows(event, SETTINGS_TABLE),
    ),
  ),
];

/**
 * What of a row decides over callers, as JSON, which does not mind columns that are missing; null for nothing. A session
 * that is followed by another goes on.
 */
const DECIDING_PART_TEXT = `create or replace function %1$I.${DECIDING_PART}(source text, r jsonb) returns jsonb language sql immutable set search_path = pg_catalog, pg_temp as $body$
  select case source
    when '${SESSIONS}' then case when r ->> 'origin' = 'users-permissions' then
      jsonb_build_array(r -> 'id', r -> 'session_id', r -> 'user_id', r -> 'absolute_expires_at', r ->> 'status' = 'revoked') end
    when '${TOKENS}' then r - array['last_used_at', 'updated_at']
    when '${SETTINGS_TABLE}' then case when r ->> 'key' = '${ACCOUNT_SETTINGS}' then r end
  end
$body$`;

/**
 * Runs with the rights of who made it, so that other programs need none on our table; and finds nothing by a path that
 * they set. The role of a user whom the same transaction has made is no change: nobody can know that user. One whom it
 * has updated is noted for that.
 */
const FUNCTION_TEXT = `create or replace function %1$I.${FUNCTION}() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
declare
  isChange boolean := true;
begin
  if tg_nargs > 0 then
    if tg_table_name = '${USER_ROLES}' then
      isChange := exists (select from new_rows as n where not exists (select from %1$I.${USERS} as u where u.id = n.user_id and u.xmin = pg_current_xact_id()::xid));
    elsif tg_op = 'INSERT' then
      isChange := exists (select from new_rows as n where %1$I.${DECIDING_PART}(tg_table_name, to_jsonb(n)) is not null);
    elsif tg_op = 'DELETE' then
      isChange := exists (select from old_rows as o where %1$I.${DECIDING_PART}(tg_table_name, to_jsonb(o)) is not null);
    else
      isChange := exists (
        (select %1$I.${DECIDING_PART}(tg_table_name, to_jsonb(n)) from new_rows as n except select %1$I.${DECIDING_PART}(tg_table_name, to_jsonb(o)) from old_rows as o)
        union all
        (select %1$I.${DECIDING_PART}(tg_table_name, to_jsonb(o)) from old_rows as o except select %1$I.${DECIDING_PART}(tg_table_name, to_jsonb(n)) from new_rows as n));
    end if;
  end if;
  if isChange then
    insert into %1$I.${TABLE} (mark) values (${NEW_MARK});
    perform pg_notify('${CHANGES_CHANNEL}', '');
  end if;
  return null;
end
$body$`;

/**
 * The default locale decides over no caller, but what is read and written for one depends on it. A server learns of
 * another as it learns of other grants.
 */
const LOCALE_TEXT = `create or replace function %1$I.${LOCALE_FUNCTION}() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
declare
  isChange boolean := false;
begin
  if tg_op <> 'DELETE' then
    isChange := exists (select from new_rows as n where to_jsonb(n) ->> 'key' = '${DEFAULT_LOCALE_SETTING}');
  end if;
  if tg_op <> 'INSERT' and not isChange then
    isChange := exists (select from old_rows as o where to_jsonb(o) ->> 'key' = '${DEFAULT_LOCALE_SETTING}');
  end if;
  if isChange then
    insert into %1$I.${TABLE} (mark) values (${NEW_MARK});
    perform pg_notify('${CHANGES_CHANNEL}', '');
  end if;
  return null;
end
$body$`;

/** Functions name the schema that they are made in. */
const inThisSchema = (text: string): Fragment =>
  sql.raw(`do $do$ begin execute format($text$${text}$text$, current_schema()); end $do$`);

export const tracking: Tracking = {
  table: TABLE,
  createTable: sql.raw(`create table ${TABLE} (mark bigint not null)`),
  functions: [
    { name: DECIDING_PART, calledBy: FUNCTION, create: inThisSchema(DECIDING_PART_TEXT) },
    { name: FUNCTION, calledBy: FUNCTION, create: inThisSchema(FUNCTION_TEXT) },
    { name: LOCALE_FUNCTION, calledBy: LOCALE_FUNCTION, create: inThisSchema(LOCALE_TEXT) },
  ],
  triggers: TRIGGERS,
};

/**
 * Whether all of it is there and this account may use it. Values: the triggers, as a JSON list of `table trigger`.
 */
export const TRACKING_STATEMENT = plainStatement<readonly [complete: boolean | null]>(
  `select not exists (select from jsonb_array_elements_text($1::jsonb) as e(name) where e.name not in (select c.relname || ' ' || t.tgname from pg_trigger as t join pg_class as c on c.oid = t.tgrelid where c.relnamespace = quote_ident(current_schema())::regnamespace and t.tgenabled in ('O', 'A'))) and has_table_privilege(to_regclass('${TABLE}'), 'select') and has_table_privilege(to_regclass('${TABLE}'), 'insert') and has_table_privilege(to_regclass('${TABLE}'), 'delete')`,
);

export const TRACKING_VALUE = JSON.stringify(TRIGGERS.map(({ table, name }) => `${table} ${name}`));
