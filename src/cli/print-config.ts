// `sheaf config`: every value that holds for a project, and where it comes from. Secrets are not shown.
import { withoutPassword } from '../project/connection-url.ts';
import type { ServerConfig } from '../project/environment.ts';
import { isObject } from '../type-guards.ts';

/** A value that holds, as it may be shown. */
export interface ShownValue {
  readonly key: string;
  readonly value: unknown;
  readonly source: string;
}

export function printConfig(config: ServerConfig, json: boolean): string {
  const values = shownValues(config);
  const { notes } = config;
  if (json) return `${JSON.stringify({ values, notes }, null, 2)}\n`;
  const rows = values.map(({ key, value, source }) => [key, shownText(value), source] as const);
  const width = (column: 0 | 1): number => Math.min(WIDEST, Math.max(...rows.map((row) => row[column].length)));
  const [keys, texts] = [width(0), width(1)];
  const lines = rows.map(([key, text, source]) => `${key.padEnd(keys)}  ${text.padEnd(texts)}  ${source}`);
  const remarks = notes.length > 0 ? ['', 'Notes', ...notes.map((note) => `  ${note}`)] : [];
  return `${[...lines, ...remarks].join('\n')}\n`;
}

/** Longer values push their source to the right. */
const WIDEST = 40;

export function shownValues(config: ServerConfig): ShownValue[] {
  const { project, state, host, port, workers, readOnly, database, replicas, poolSize, smtp, logLevel, secrets } =
    config;
  const { metrics, traces } = config;
  const deployment: Readonly<Record<string, unknown>> = {
    project,
    state,
    host,
    port,
    workers,
    readOnly,
    logLevel,
    traces,
    metrics: metrics && ('path' in metrics ? metrics.path : `${metrics.host}:${metrics.port}`),
    database: database && withoutPassword(database),
    replicas: replicas.map(withoutPassword),
    poolSize,
    smtp: smtp && withoutPassword(smtp),
    'secrets.jwt': secrets.jwt === undefined ? null : HIDDEN,
    'secrets.apiTokenSalt': secrets.apiTokenSalt === undefined ? null : HIDDEN,
  };
  // Of where the server is, the values above are those that hold.
  const { server, ...settings } = config.settings;
  return [
    ...Object.entries(deployment).map(([key, value]) => ({ key, value, source: config.sources.get(key) ?? 'default' })),
    ...leavesOf({ server: { url: server.url }, ...settings }, []).map(([keys, value]) => ({
      key: keys.join('.'),
      value: value !== null && SECRET_KEYS.has(keys.join('.')) ? HIDDEN : value,
      source: config.sourceOf(keys),
    })),
  ];
}

const HIDDEN = '…';
/** Settings that are secrets. */
const SECRET_KEYS: ReadonlySet<string> = new Set(['auth.jwt.privateKey', 'files.s3.secretAccessKey']);

function leavesOf(value: unknown, keys: readonly string[]): [readonly string[], unknown][] {
  if (!isObject(value) || Object.keys(value).length === 0) return [[keys, value]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...keys, key]));
}

export const shownText = (value: unknown): string =>
  value === null ? '-' : typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
