// `strapi.db.connection`: the knex that the project has installed, over the database that is open already. Its statements
// join the transaction under way. It goes past all rights, as code of the project may.
import type { Sheaf } from '../../../app.ts';
import { type BoundValue, type RawResult, rawStatement } from '../../../sql/statement.ts';
import { errorMessage } from '../../../type-guards.ts';
import { NotOfferedError } from '../not-offered.ts';
import { KNEX, MISSING_MEMBERS } from '../strapi-object.ts';
import type { Members } from '../strapi-types.ts';

/** A statement as knex hands it to its client. */
interface KnexQuery {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: object;
}

type KnexClient = new (config: object) => object;

/** Knex as far as it is used here. */
export type Knex = ((table?: unknown) => unknown) & { readonly context: Members };

/** What is used of its package, which the project brings and which has no types here. */
interface KnexPackage {
  create(config: object): Knex;
  readonly Dialect: KnexClient;
}

/** A dialect of knex, and the name that it goes by in a configuration of Strapi. */
const DIALECTS = {
  sqlite: { client: 'better-sqlite3', dialect: 'knex/lib/dialects/sqlite3/index.js' },
  postgres: { client: 'postgres', dialect: 'knex/lib/dialects/postgres/index.js' },
} as const;

/** `required`: loads a package of the project. */
export function openKnex(sheaf: Sheaf, required: (specifier: string) => unknown): Knex {
  const kind = sheaf.database.dialect.name;
  const { client, dialect } = DIALECTS[kind];
  const { create, Dialect } = packageOf(dialect, required);
  const knex = create({ client: clientOf(sheaf, Dialect, client), useNullAsDefault: kind === 'sqlite' });
  // What every way to a transaction leads to. Its statements are part of it by themselves.
  knex.context._transaction = (work: unknown) => {
    if (typeof work !== 'function')
      throw new NotOfferedError('connection.transaction() without a function', 'give it the work to do');
    return sheaf.transaction(async () => work(knex));
  };
  return knex;
}

function packageOf(dialect: string, required: (specifier: string) => unknown): KnexPackage {
  try {
    return { create: required('knex'), Dialect: required(dialect) } as KnexPackage;
  } catch (error) {
    const [reason] = errorMessage(error).split('\n');
    throw new NotOfferedError(`strapi.${KNEX}`, `${MISSING_MEMBERS[KNEX]} (${reason})`);
  }
}

/** A client of knex that has no connections of its own. */
function clientOf(sheaf: Sheaf, Dialect: KnexClient, name: string): KnexClient {
  const isSqlite = sheaf.database.dialect.name === 'sqlite';
  return class extends Dialect {
    constructor(config: object) {
      super({ ...config, client: name });
    }

    acquireConnection(): Promise<object> {
      return Promise.resolve({ __knexUid: 'sheaf' });
    }

    releaseConnection(): Promise<void> {
      return Promise.resolve();
    }

    async _query(_connection: object, query: KnexQuery): Promise<KnexQuery> {
      const result = await run(sheaf, query.sql, (query.bindings ?? []).map(isSqlite ? sqliteValue : boundValue));
      const { rows, count, lastId, command } = result;
      query.response = isSqlite ? rows : { rows, rowCount: count, command };
      query.context = { lastID: lastId, changes: count };
      return query;
    }

    _stream(): never {
      throw new NotOfferedError('streams of strapi.db.connection', 'read in pages by limit and offset');
    }
  };
}

const READS = /^\s*(?:select|explain)\b/i;
const CONTROLS = /^\s*(?:begin|commit|rollback|savepoint|release|attach|detach|vacuum)\b/i;

async function run(sheaf: Sheaf, text: string, values: readonly BoundValue[]): Promise<RawResult> {
  if (CONTROLS.test(text))
    throw new NotOfferedError(`${text.trim().split(/\s/, 1)[0]} by strapi.db.connection`, 'use strapi.db.transaction');
  const { database } = sheaf.operations;
  const statement = rawStatement(text);
  const rows = READS.test(text)
    ? await database.latest((session) => session.rows(statement, values))
    : await database.transaction((session) => session.rows(statement, values));
  return rows[0]![0];
}

/** SQLite has neither dates nor truth values, and Strapi stores them as numbers there. */
function sqliteValue(value: unknown): BoundValue {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'boolean') return Number(value);
  return boundValue(value);
}

/** What it cannot bind, the driver refuses. */
const boundValue = (value: unknown): BoundValue => (value === undefined ? null : (value as BoundValue));
