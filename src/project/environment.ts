// The only reader of the environment. Options on the command line come first, then variables of the process, then those
// of the project's .env file, then what the other files of the project say, then defaults.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { editDistance, hintOn } from '../edit-distance.ts';
import { SetupError } from '../errors.ts';
import { type Configuration, DEFAULT_SOURCE, readConfiguration } from './configuration.ts';
import { findProject } from './find-project.ts';
import type { GivenSecrets } from './given-secrets.ts';
import { type MetricsPlace, metricsPlace, type Settings } from './settings.ts';
import {
  DEFAULT_SQLITE_FILE,
  databaseOfConfig,
  databaseOfVariables,
  isSet,
  type NamedDatabase,
  readsUrl,
} from './strapi-database.ts';

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
  /** Where metrics are served; null for nowhere. */
  readonly metrics: MetricsPlace | null;
  /** Whether requests are traced. */
  readonly traces: boolean;
  readonly settings: Settings;
  /** Where the values beside the settings come from. */
  readonly sources: ReadonlyMap<string, string>;
  /** Where a setting comes from, by its path of keys. */
  readonly sourceOf: Configuration['sourceOf'];
  /** What the operator should know: what the project says and is not used. */
  readonly notes: readonly string[];
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
const DEFAULT_HOST = '127.0.0.1';
const LOOPBACK = new Set([DEFAULT_HOST, '::1', 'localhost']);

/** A value, and where it comes from. */
type Sourced<T> = readonly [value: T, source: string];

/** Variables of the process and of the project's .env file. What is empty is not set. */
interface Environment {
  readonly process: NodeJS.ProcessEnv;
  readonly file: NodeJS.ProcessEnv;
  /** Both; those of the process come first. */
  readonly all: NodeJS.ProcessEnv;
}

export function readConfig(options: ServerOptions, variables: NodeJS.ProcessEnv = process.env): ServerConfig {
  const [project, projectSource] = projectFor(options.project, variables);
  const environment = environmentOf(project, variables);
  refuseMisspelled(Object.keys(environment.all));
  const configuration = readConfiguration(project, environment.all);
  const reader = new ConfigReader({ ...options, project }, environment, configuration, projectSource);
  const secrets = reader.secrets();
  const host = reader.host(variables.HOST, secrets);
  const database = reader.database();
  return {
    project,
    state: options.state ?? path.join(project, '.sheaf'),
    secrets,
    smtp: reader.variable('smtp', 'SMTP_URL') ?? null,
    logLevel: logLevel(reader.variable('logLevel', 'LOG_LEVEL')),
    database: database?.url ?? null,
    replicas: (reader.variable('replicas', 'DATABASE_REPLICA_URLS') ?? '')
      .split(',')
      .map((url) => url.trim())
      .filter((url) => url !== ''),
    poolSize: reader.poolSize(database),
    readOnly: reader.readOnly(),
    host,
    port: reader.port(),
    workers: reader.workers(),
    metrics: reader.metrics(),
    traces: reader.traces(),
    settings: configuration.settings,
    sources: reader.sources,
    sourceOf: configuration.sourceOf,
    notes: [...configuration.notes, ...reader.notes],
  };
}

const OWN_VARIABLES: readonly string[] = [
  'SHEAF_PROJECT',
  'SHEAF_READ_ONLY',
  'SHEAF_WORKERS',
  'SHEAF_METRICS',
  'SHEAF_TRACES',
  'SHEAF_TOKEN',
];

/** More letters than this apart, a variable is something else, such as those that Kubernetes sets for a service. */
const MAX_WRONG_LETTERS = 2;

/** A variable that is ours but for a letter or two: without what it says, the server might write where it must not. */
function refuseMisspelled(names: readonly string[]): void {
  for (const name of names) {
    if (!name.startsWith('SHEAF_') || OWN_VARIABLES.includes(name)) continue;
    const meant = OWN_VARIABLES.find((own) => editDistance(name, own) <= MAX_WRONG_LETTERS);
    if (meant !== undefined)
      throw new SetupError(`There is no variable ${name}`, [...hintOn(meant), 'sheaf help environment shows them all']);
  }
}

/** The folder of the project: the one that is named, or else the current one or the nearest above it that is a project. */
export function projectFor(named: string | undefined, variables: NodeJS.ProcessEnv): Sourced<string> {
  if (named !== undefined) return [named, '--project'];
  if (variables.SHEAF_PROJECT) return [variables.SHEAF_PROJECT, 'SHEAF_PROJECT'];
  const found = findProject('.');
  return found === null || found === path.resolve('.') ? ['.', DEFAULT_SOURCE] : [found, 'above the current folder'];
}

/** The settings of a project that is opened in process. */
export const projectSettings = (project: string): Settings =>
  readConfiguration(project, environmentOf(project, process.env).all).settings;

/** The variables that the code of a project sees: those of the process, and of the project's .env file. */
export const projectVariables = (project: string): NodeJS.ProcessEnv => environmentOf(project, process.env).all;

function environmentOf(project: string, variables: NodeJS.ProcessEnv): Environment {
  const text = path.join(project, '.env');
  const file = filled(existsSync(text) ? parseEnv(readFileSync(text, 'utf8')) : {});
  const own = filled(variables);
  return { process: own, file, all: { ...file, ...own } };
}

const filled = (variables: NodeJS.Dict<string>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''));

/** Chooses between what the command line, the variables and the files of the project say, and notes which it was. */
class ConfigReader {
  readonly sources = new Map<string, string>();
  readonly notes: string[] = [];
  readonly #options: ServerOptions & { readonly project: string };
  readonly #environment: Environment;
  readonly #configuration: Configuration;

  constructor(
    options: ServerOptions & { readonly project: string },
    environment: Environment,
    configuration: Configuration,
    projectSource: string,
  ) {
    this.#options = options;
    this.#environment = environment;
    this.#configuration = configuration;
    this.sources.set('project', projectSource);
  }

  /** The first that is there. */
  #first<T>(key: string, ...candidates: readonly (Sourced<T | null | undefined> | null)[]): T | undefined {
    const [value, source = DEFAULT_SOURCE] =
      candidates.find((one): one is Sourced<T> => one !== null && one[0] !== undefined && one[0] !== null) ?? [];
    this.sources.set(key, source);
    return value;
  }

  #ofProcess = (name: string): Sourced<string | undefined> => [this.#environment.process[name], name];
  #ofFile = (name: string): Sourced<string | undefined> => [this.#environment.file[name], `${name} in .env`];
  #ofSettings<K extends keyof Settings['server']>(name: K): Sourced<Settings['server'][K]> {
    const { settings, sourceOf } = this.#configuration;
    return [settings.server[name], sourceOf(['server', name])];
  }

  variable(key: string, name: string): string | undefined {
    return this.#first(key, this.#ofProcess(name), this.#ofFile(name));
  }

  /** A secret in config/plugins comes before the one in .env: it is the one that Strapi signs tokens with. */
  secrets(): GivenSecrets {
    const { strapi } = this.#configuration;
    const keys = ['users-permissions', 'config', 'jwtSecret'];
    const configured = strapi.value('plugins', ...keys);
    const jwt = this.#first(
      'secrets.jwt',
      this.#ofProcess('JWT_SECRET'),
      typeof configured === 'string' && configured !== '' ? [configured, strapi.fileOf('plugins', ...keys)] : null,
      this.#ofFile('JWT_SECRET'),
    );
    // The file may read the variable; then that is the place to change it.
    const isWritten = jwt !== undefined && jwt === configured && jwt !== this.#environment.all.JWT_SECRET;
    const apiTokenSalt = this.variable('secrets.apiTokenSalt', 'API_TOKEN_SALT');
    // A variable on one line writes the ends of lines as \n.
    const jwtPrivateKey = this.variable('secrets.jwtPrivateKey', 'JWT_PRIVATE_KEY')?.replaceAll('\\n', '\n');
    return {
      ...(jwt !== undefined && { jwt }),
      ...(isWritten && { jwtSource: `jwtSecret in ${strapi.fileOf('plugins', ...keys)}` }),
      ...(jwtPrivateKey !== undefined && { jwtPrivateKey }),
      ...(apiTokenSalt !== undefined && { apiTokenSalt }),
    };
  }

  /**
   * What the operator says must be safe; what the project says holds where it is. `HOST` in a .env file counts only where
   * config/server reads it: alone it is meant for a container, and would open the machine to its network.
   */
  host(variable: string | undefined, { jwt }: GivenSecrets): string {
    const isSafe = (host: string): boolean => LOOPBACK.has(host) || jwt !== undefined;
    const [configured, file] = this.#ofSettings('host');
    if (configured !== null && !isSafe(configured))
      this.notes.push(`${file}: host ${configured} is not used without a JWT_SECRET; ${DEFAULT_HOST} holds`);
    const host =
      this.#first<string>(
        'host',
        [this.#options.host, '--host'],
        [variable, 'HOST'],
        configured !== null && isSafe(configured) ? [configured, file] : null,
      ) ?? DEFAULT_HOST;
    if (isSafe(host)) return host;
    throw new SetupError(`The server does not listen on ${host} without a secret of its own`, [
      'set JWT_SECRET; make one with: openssl rand -base64 32',
      `or listen on ${DEFAULT_HOST}, where one is made for you`,
    ]);
  }

  port(): number {
    const [configured, file] = this.#ofSettings('port');
    const text = this.#first<string>(
      'port',
      [this.#options.port, '--port'],
      this.#ofProcess('PORT'),
      this.#ofFile('PORT'),
      configured === null ? null : [String(configured), file],
    );
    return wholeNumber('port', text ?? String(DEFAULT_PORT), 0, MAX_PORT);
  }

  readOnly(): boolean {
    const option = this.#options['read-only'];
    const text = this.#first<string>(
      'readOnly',
      [option === undefined ? undefined : String(option), '--read-only'],
      this.#ofProcess('SHEAF_READ_ONLY'),
      this.#ofFile('SHEAF_READ_ONLY'),
    );
    return isSet('SHEAF_READ_ONLY', text);
  }

  workers(): number {
    const text = this.#first<string>(
      'workers',
      [this.#options.workers, '--workers'],
      this.#ofProcess('SHEAF_WORKERS'),
      this.#ofFile('SHEAF_WORKERS'),
    );
    return wholeNumber('number of workers', text ?? '1', 1, MAX_WORKERS);
  }

  traces(): boolean {
    const [configured, file] = this.#ofSettings('traces');
    const text = this.#first<string>(
      'traces',
      this.#ofProcess('SHEAF_TRACES'),
      this.#ofFile('SHEAF_TRACES'),
      configured ? ['true', file] : null,
    );
    return isSet('SHEAF_TRACES', text);
  }

  metrics(): MetricsPlace | null {
    const text = this.#first<string>(
      'metrics',
      this.#ofProcess('SHEAF_METRICS'),
      this.#ofFile('SHEAF_METRICS'),
      this.#ofSettings('metrics'),
    );
    if (text === undefined) return null;
    const place = metricsPlace(text);
    if (place) return place;
    throw new SetupError('SHEAF_METRICS cannot be used', [
      'expected a path such as /metrics, a port such as 9464, or a host and a port such as 0.0.0.0:9464',
    ]);
  }

  /**
   * A relative path begins at the current folder where the operator gives it, and at the project elsewhere. Where
   * config/database reads DATABASE_URL, its schema and its encryption hold as well.
   */
  database(): NamedDatabase | null {
    const { project } = this.#options;
    const { strapi } = this.#configuration;
    const [inFile, fileSource] = this.#ofFile('DATABASE_URL');
    const url = this.#first<string>(
      'database',
      [this.#options.database, '--database'],
      this.#ofProcess('DATABASE_URL'),
      [inFile && inProject(project, inFile), fileSource],
    );
    const isOption = this.#options.database !== undefined;
    if (url !== undefined && (isOption || !readsUrl(strapi, url))) return named(url);
    const configured = databaseOfConfig(strapi, project);
    if (configured) {
      this.notes.push(...configured.notes);
      this.sources.set('database', configured.source);
      return configured;
    }
    const parts = databaseOfVariables(this.#environment.all, project);
    const standard = path.resolve(project, DEFAULT_SQLITE_FILE);
    const last = this.#first<string>(
      'database',
      [parts, 'DATABASE_CLIENT and the variables beside it'],
      existsSync(standard) ? [`sqlite:${standard}`, DEFAULT_SOURCE] : null,
    );
    return last === undefined ? null : named(last);
  }

  poolSize(database: NamedDatabase | null): number {
    const text = this.#first<string>(
      'poolSize',
      this.#ofProcess('DATABASE_POOL_MAX'),
      this.#ofFile('DATABASE_POOL_MAX'),
      database?.poolSize ? [String(database.poolSize), database.source] : null,
    );
    return wholeNumber('DATABASE_POOL_MAX', text ?? String(DEFAULT_POOL_SIZE), 1, MAX_POOL_SIZE);
  }
}

const named = (url: string): NamedDatabase => ({ url, source: '', poolSize: null, notes: [] });

const inProject = (project: string, url: string): string =>
  url.startsWith('sqlite:')
    ? `sqlite:${path.resolve(project, url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''))}`
    : url;

export function requireFolder(project: string): void {
  if (!existsSync(project))
    throw new SetupError(`There is no folder ${project}`, [
      'name the project with --project DIR or SHEAF_PROJECT, or begin one with sheaf init',
    ]);
}

/** The database of a project; an error where none is named, and where the project is not there to name one. */
export function databaseOf({ project, database }: ServerConfig): string {
  if (database !== null) return database;
  requireFolder(project);
  throw new SetupError('No database is named', [
    'name one with --database sqlite:PATH, --database postgres://… or DATABASE_URL, which .env may set',
    'or in config/database',
    'or begin a project of your own with sheaf init, or try the example with sheaf start --example',
  ]);
}

/** What opening the project needs; an error where no database is named. */
export function openOptions(config: ServerConfig) {
  const { project, replicas, poolSize, readOnly, state, secrets, smtp, settings } = config;
  const database = databaseOf(config);
  return { project, database, replicas, poolSize, readOnly, state, secrets, smtp, settings };
}

/** Whether Node was started with an option whose name contains these words, on the command line or by NODE_OPTIONS. */
export const hasNodeOption = (words: string, variables: NodeJS.ProcessEnv = process.env): boolean =>
  [...process.execArgv, variables.NODE_OPTIONS ?? ''].some((given) => given.includes(words));

/** Whether npm, or a program like it, runs this as a script. */
export const isRunByNpm = (variables: NodeJS.ProcessEnv = process.env): boolean =>
  variables.npm_lifecycle_event !== undefined;

/** A command that writes is refused where nothing is to be written. */
export const onlyReads = (command: string): SetupError =>
  new SetupError(`${command} writes to the database`, ['leave out --read-only, and unset SHEAF_READ_ONLY']);

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

function logLevel(level = 'info'): string {
  if (LOG_LEVELS.includes(level)) return level;
  throw new SetupError(`The log level "${level}" cannot be used`, [`set LOG_LEVEL to one of ${LOG_LEVELS.join(', ')}`]);
}

function wholeNumber(what: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most)
    throw new SetupError(`The ${what} "${text}" cannot be used`, [`expected a number from ${least} to ${most}`]);
  return number;
}
