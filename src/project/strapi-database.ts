// The database that a Strapi project names, in config/database or in variables, as the URL that we open.
import path from 'node:path';
import { SetupError } from '../errors.ts';
import { isObject } from '../type-guards.ts';
import type { StrapiConfig } from './strapi-config.ts';

export interface NamedDatabase {
  readonly url: string;
  /** The file or the variables that name it. */
  readonly source: string;
  readonly poolSize: number | null;
  readonly notes: readonly string[];
}

/** The parts of the address of a database, unchecked. */
interface Connection {
  readonly filename?: unknown;
  readonly connectionString?: unknown;
  readonly host?: unknown;
  readonly port?: unknown;
  readonly database?: unknown;
  readonly user?: unknown;
  readonly password?: unknown;
  readonly schema?: unknown;
  readonly ssl?: unknown;
}

/** What the configuration that Strapi creates for a project falls back to. */
export const DEFAULT_SQLITE_FILE = path.join('.tmp', 'data.db');
const DEFAULT_CONNECTION = { host: 'localhost', port: 5432, database: 'strapi', user: 'strapi', password: 'strapi' };
const MAX_PORT = 65_535;

const SQLITE: ReadonlySet<unknown> = new Set(['sqlite', 'sqlite3', 'better-sqlite3']);
const POSTGRES: ReadonlySet<unknown> = new Set(['postgres', 'postgresql', 'pg']);
const MYSQL: ReadonlySet<unknown> = new Set(['mysql', 'mysql2', 'mariadb']);

/** Whether config/database leads to this URL, which variables name. */
export const readsUrl = (config: StrapiConfig, url: string): boolean =>
  POSTGRES.has(config.value('database', 'connection', 'client')) &&
  config.value('database', 'connection', 'connection', 'connectionString') === url;

/** Null where the project has no config/database. */
export function databaseOfConfig(config: StrapiConfig, project: string): NamedDatabase | null {
  if (!config.has('database')) return null;
  const source = config.fileOf('database', 'connection', 'connection');
  const client = config.value('database', 'connection', 'client');
  const connection = config.value('database', 'connection', 'connection');
  if (typeof connection === 'function')
    throw new SetupError(`${source}: connection.connection is a function, which is not supported`, [
      'name the database with DATABASE_URL',
    ]);
  const max = Number(config.value('database', 'connection', 'pool', 'max') ?? Number.NaN);
  const parts: Connection = isObject(connection) ? connection : {};
  const notes =
    isObject(parts.ssl) && (parts.ssl.ca ?? parts.ssl.key ?? parts.ssl.cert ?? null) !== null
      ? [
          `${source}: certificates in connection.ssl are not used; name their files in DATABASE_URL, as sslrootcert=PATH`,
        ]
      : [];
  return {
    url: urlOf(client, parts, {
      project,
      source,
      names: { host: `${source}: connection.host`, port: `${source}: connection.port` },
    }),
    source,
    poolSize: Number.isInteger(max) && max > 0 ? max : null,
    notes,
  };
}

/** Null where no variable names the kind of database. */
export function databaseOfVariables(environment: NodeJS.ProcessEnv, project: string): string | null {
  const { DATABASE_CLIENT: client, DATABASE_SSL: ssl, DATABASE_SSL_REJECT_UNAUTHORIZED: rejects } = environment;
  if (client === undefined) return null;
  const parts: Connection = {
    filename: environment.DATABASE_FILENAME,
    host: environment.DATABASE_HOST,
    port: environment.DATABASE_PORT,
    database: environment.DATABASE_NAME,
    user: environment.DATABASE_USERNAME,
    password: environment.DATABASE_PASSWORD,
    schema: environment.DATABASE_SCHEMA,
    ssl: isSet('DATABASE_SSL', ssl) && {
      rejectUnauthorized: isSet('DATABASE_SSL_REJECT_UNAUTHORIZED', rejects ?? 'true'),
    },
  };
  return urlOf(client, parts, {
    project,
    source: 'DATABASE_CLIENT',
    names: { host: 'DATABASE_HOST', port: 'DATABASE_PORT' },
  });
}

/** Whether a variable says so; a word that is not known is refused, since it might mean either. */
export function isSet(variable: string, value = 'false'): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new SetupError(`${variable} cannot be used`, ['expected true or false']);
}

interface Place {
  readonly project: string;
  readonly source: string;
  /** What a part of the address is called there. */
  readonly names: Readonly<Record<'host' | 'port', string>>;
}

function urlOf(client: unknown, parts: Connection, place: Place): string {
  const { project, source } = place;
  if (SQLITE.has(client)) return `sqlite:${path.resolve(project, text(parts.filename) ?? DEFAULT_SQLITE_FILE)}`;
  if (MYSQL.has(client))
    throw new SetupError(`${source} names a ${client} database. MySQL and MariaDB are not supported`, [
      'move the content to PostgreSQL or SQLite; strapi transfer copies it from one project to another',
      'then name that database with DATABASE_URL or --database',
    ]);
  if (!POSTGRES.has(client))
    throw new SetupError(`${source} names no kind of database that can be used`, [
      'expected the client sqlite or postgres',
    ]);
  return postgresUrl(parts, place);
}

/** Text that is not empty; numbers as text. */
const text = (value: unknown): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : String(value);

function postgresUrl(parts: Connection, { names }: Place): string {
  const given = text(parts.connectionString);
  if (given !== undefined) return withParameters(given, parts);
  const host = text(parts.host) ?? DEFAULT_CONNECTION.host;
  const named = { user: text(parts.user), password: text(parts.password), database: text(parts.database) };
  const { user, password, database } = { ...DEFAULT_CONNECTION, ...defined(named) };
  // A folder with the socket of a server on this machine.
  if (host.startsWith('/')) {
    const query = new URLSearchParams({ host, user, password });
    return withParameters(`postgres:///${encodeURIComponent(database)}?${query}`, parts);
  }
  // Not repeated: a whole URL with its password may have been put there.
  if (!URL.canParse(`postgres://${host}`) || !/^[^/?#@:]+$|^\[[0-9a-f:.]+\]$/i.test(host))
    throw new SetupError(`${names.host} cannot be used`, ['expected a name or an address, without port and user']);
  const url = new URL(`postgres://${host}`);
  url.port = portOf(text(parts.port) ?? String(DEFAULT_CONNECTION.port), names.port);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  url.pathname = `/${encodeURIComponent(database)}`;
  return withParameters(url.toString(), parts);
}

const defined = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

function portOf(port: string, name: string): string {
  if (/^\d+$/.test(port) && Number(port) <= MAX_PORT) return port;
  throw new SetupError(`The ${name} "${port}" cannot be used`, [`expected a number from 0 to ${MAX_PORT}`]);
}

/** Adds the schema and the kind of encryption, unless the URL says them itself. */
function withParameters(url: string, { schema, ssl }: Connection): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && !parsed.searchParams.has(name)) parsed.searchParams.set(name, value);
  };
  add('schema', text(schema));
  if (ssl === true || isObject(ssl))
    add('sslmode', isObject(ssl) && ssl.rejectUnauthorized === false ? 'no-verify' : 'verify-full');
  return parsed.toString();
}
