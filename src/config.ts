// The only reader of the environment. Options on the command line come first, then variables, then defaults.
import { SetupError } from './errors.ts';

export interface ServerConfig {
  readonly project: string;
  readonly database: string | null;
  readonly replicas: readonly string[];
  readonly poolSize: number;
  readonly host: string;
  readonly port: number;
  /** Processes that serve; more than one use more cores. */
  readonly workers: number;
}

export interface ServerOptions {
  readonly project?: string | undefined;
  readonly database?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly workers?: string | undefined;
}

const DEFAULT_PORT = 1337;
const MAX_PORT = 65_535;
const DEFAULT_POOL_SIZE = 10;
const MAX_POOL_SIZE = 1_000;
const MAX_WORKERS = 64;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

export function readConfig(options: ServerOptions, environment: NodeJS.ProcessEnv = process.env): ServerConfig {
  const host = options.host ?? environment.HOST ?? '127.0.0.1';
  if (!LOOPBACK.has(host))
    throw new SetupError(`The server does not listen on ${host}`, [
      'everything is readable by everyone until roles exist, so only 127.0.0.1, ::1 and localhost are allowed',
    ]);
  return {
    project: options.project ?? environment.SHEAF_PROJECT ?? '.',
    database: options.database ?? environment.DATABASE_URL ?? databaseParts(environment),
    replicas: (environment.DATABASE_REPLICA_URLS ?? '')
      .split(',')
      .map((url) => url.trim())
      .filter((url) => url !== ''),
    poolSize: wholeNumber(
      'DATABASE_POOL_MAX',
      environment.DATABASE_POOL_MAX ?? String(DEFAULT_POOL_SIZE),
      1,
      MAX_POOL_SIZE,
    ),
    host,
    port: wholeNumber('port', options.port ?? environment.PORT ?? String(DEFAULT_PORT), 0, MAX_PORT),
    workers: wholeNumber('number of workers', options.workers ?? environment.SHEAF_WORKERS ?? '1', 1, MAX_WORKERS),
  };
}

function wholeNumber(what: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most)
    throw new SetupError(`The ${what} "${text}" cannot be used`, [`expected a number from ${least} to ${most}`]);
  return number;
}

/** The address of a database in the variables that the reference's projects set one by one. */
function databaseParts(environment: NodeJS.ProcessEnv): string | null {
  const { DATABASE_CLIENT: client, DATABASE_FILENAME: file, DATABASE_HOST: host } = environment;
  if (client === 'sqlite' && file) return `sqlite:${file}`;
  if (client !== 'postgres' || !host) return null;
  const url = new URL(`postgres://${host}`);
  url.port = environment.DATABASE_PORT ?? '5432';
  url.username = encodeURIComponent(environment.DATABASE_USERNAME ?? '');
  url.password = encodeURIComponent(environment.DATABASE_PASSWORD ?? '');
  url.pathname = `/${environment.DATABASE_NAME ?? ''}`;
  if (environment.DATABASE_SCHEMA) url.searchParams.set('schema', environment.DATABASE_SCHEMA);
  if (environment.DATABASE_SSL === 'true')
    url.searchParams.set(
      'sslmode',
      environment.DATABASE_SSL_REJECT_UNAUTHORIZED === 'false' ? 'no-verify' : 'verify-full',
    );
  return url.toString();
}
