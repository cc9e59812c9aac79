// The only reader of the environment. Options on the command line come first, then variables, then those of the
// project's .env file, then defaults.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { SetupError } from '../errors.ts';

/** Secrets that the environment gives. */
export interface GivenSecrets {
  /** What access and refresh tokens are signed with. */
  readonly jwt?: string;
  /** What API tokens are stored under. */
  readonly apiTokenSalt?: string;
}

export interface ServerConfig {
  readonly project: string;
  readonly database: string | null;
  readonly replicas: readonly string[];
  readonly poolSize: number;
  /** Whether nothing is written. */
  readonly readOnly: boolean;
  readonly host: string;
  readonly port: number;
  /** Processes that serve; more than one use more cores. */
  readonly workers: number;
  /** Where secrets that are not given, and mails that are not sent, are kept. */
  readonly state: string;
  readonly secrets: GivenSecrets;
  readonly smtp: string | null;
  /** The least severe level that is logged. */
  readonly logLevel: string;
}

export interface ServerOptions {
  readonly project?: string | undefined;
  readonly database?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly workers?: string | undefined;
  readonly 'read-only'?: boolean | undefined;
  readonly state?: string | undefined;
}

const DEFAULT_PORT = 1337;
const MAX_PORT = 65_535;
const DEFAULT_POOL_SIZE = 10;
const MAX_POOL_SIZE = 1_000;
const MAX_WORKERS = 64;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

export function readConfig(options: ServerOptions, variables: NodeJS.ProcessEnv = process.env): ServerConfig {
  const project = options.project ?? variables.SHEAF_PROJECT ?? '.';
  const environment = { ...projectVariables(project), ...variables };
  const secrets = secretsOf(environment);
  // What a project's own file says of a host is meant for a container; here it would open the machine to its network.
  const host = options.host ?? variables.HOST ?? '127.0.0.1';
  if (!LOOPBACK.has(host) && secrets.jwt === undefined)
    throw new SetupError(`The server does not listen on ${host} without a secret of its own`, [
      'set JWT_SECRET; make one with: openssl rand -base64 32',
      'or listen on 127.0.0.1, where one is made for you',
    ]);
  return {
    project,
    state: options.state ?? path.join(project, '.sheaf'),
    secrets,
    smtp: environment.SMTP_URL ?? null,
    logLevel: logLevel(environment.LOG_LEVEL),
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
    readOnly: options['read-only'] ?? isSet('SHEAF_READ_ONLY', environment.SHEAF_READ_ONLY),
    host,
    port: wholeNumber('port', options.port ?? environment.PORT ?? String(DEFAULT_PORT), 0, MAX_PORT),
    workers: wholeNumber('number of workers', options.workers ?? environment.SHEAF_WORKERS ?? '1', 1, MAX_WORKERS),
  };
}

/** The variables that a project brings along; those of the process come first. */
function projectVariables(project: string): NodeJS.ProcessEnv {
  const file = path.join(project, '.env');
  return existsSync(file) ? (parseEnv(readFileSync(file, 'utf8')) as NodeJS.ProcessEnv) : {};
}

const secretsOf = ({ JWT_SECRET, API_TOKEN_SALT }: NodeJS.ProcessEnv): GivenSecrets => ({
  ...(JWT_SECRET !== undefined && { jwt: JWT_SECRET }),
  ...(API_TOKEN_SALT !== undefined && { apiTokenSalt: API_TOKEN_SALT }),
});

/** What opening the project needs; an error where no database is named. */
export function openOptions(config: ServerConfig) {
  const { project, database, replicas, poolSize, readOnly, state, secrets, smtp } = config;
  if (database === null)
    throw new SetupError('No database is named', [
      'name one with --database sqlite:PATH, --database postgres://… or DATABASE_URL',
      'or try the example: sheaf start --example',
    ]);
  return { project, database, replicas, poolSize, readOnly, state, secrets, smtp };
}

/** A command that writes is refused where nothing is to be written. */
export const onlyReads = (command: string): SetupError =>
  new SetupError(`${command} writes to the database`, ['leave out --read-only, and unset SHEAF_READ_ONLY']);

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

function logLevel(level = 'info'): string {
  if (LOG_LEVELS.includes(level)) return level;
  throw new SetupError(`The log level "${level}" cannot be used`, [`set LOG_LEVEL to one of ${LOG_LEVELS.join(', ')}`]);
}

function isSet(variable: string, value = 'false'): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new SetupError(`${variable} cannot be used`, ['expected true or false']);
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
  // Not repeated: a whole URL with its password may have been put there.
  if (!URL.canParse(`postgres://${host}`) || !/^[^/?#@:]+$|^\[[0-9a-f:.]+\]$/i.test(host))
    throw new SetupError('DATABASE_HOST cannot be used', ['expected a name or an address, without port and user']);
  const url = new URL(`postgres://${host}`);
  url.port = String(wholeNumber('DATABASE_PORT', environment.DATABASE_PORT || '5432', 0, MAX_PORT));
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
