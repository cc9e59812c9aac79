// `strapi.config`: the files of `config/` by their names, with what Strapi would fill in, read when first asked for.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '../../project/settings.ts';
import { merged, type StrapiConfig } from '../../project/strapi-config.ts';
import { isObject } from '../../type-guards.ts';

export interface ProjectConfig {
  get(key: string | readonly string[], otherwise?: unknown): unknown;
  set(key: string | readonly string[], value: unknown): ProjectConfig;
  has(key: string | readonly string[]): boolean;
  readonly environment: string;
  readonly [name: string]: unknown;
}

interface ConfigSource {
  readonly project: string;
  readonly environment: string;
  readonly files: StrapiConfig;
  readonly settings: Settings;
  /** What signs JWTs, as far as the environment tells it. */
  readonly jwtSecret: string | undefined;
}

/** `a.b[0].c`; the name of a plugin holds no dot of its own. Older code writes `plugin.name` for `plugin::name`. */
const keysOf = (key: string | readonly string[]): readonly string[] =>
  typeof key === 'string'
    ? key
        .replace(/^plugin\./, 'plugin::')
        .split(/[.[\]]+/)
        .filter((part) => part !== '')
    : key.map(String);

const at = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (inner, key) => (inner === null || inner === undefined ? undefined : Reflect.get(Object(inner), key)),
    value,
  );

export function projectConfig(source: ConfigSource): ProjectConfig {
  const { files, environment } = source;
  const values = new Map<string, unknown>();
  const standard = standardValues(source);
  const valueAt = (name: string): unknown => {
    if (!values.has(name)) {
      const [, plugin] = /^plugin::(.*)$/.exec(name) ?? [];
      const written = plugin ? files.value('plugins', plugin, 'config') : files.value(name);
      const value = merged(standard[name], written);
      values.set(name, name === 'server' ? withUrls(value, environment) : value);
    }
    return values.get(name);
  };
  const config: ProjectConfig = {
    get(key: string | readonly string[], otherwise?: unknown): unknown {
      const [name, ...rest] = keysOf(key);
      const found = name === undefined ? undefined : at(valueAt(name), rest);
      return found === undefined ? otherwise : found;
    },
    set(key: string | readonly string[], value: unknown): ProjectConfig {
      const [name = '', ...rest] = keysOf(key);
      values.set(name, withValue(valueAt(name), rest, value));
      return config;
    },
    has: (key: string | readonly string[]): boolean => config.get(key) !== undefined,
    environment,
  };
  for (const name of new Set([...Object.keys(standard), ...fileNames(source.project)]))
    if (!(name in config)) Object.defineProperty(config, name, { get: () => valueAt(name), enumerable: true });
  return config;
}

const LOCAL: readonly unknown[] = ['127.0.0.1', '0.0.0.0', '::1', '::'];

/** Where the server is found, as Strapi works it out of what is written: no slash at the end, and an absolute form. */
function withUrls(server: unknown, environment: string): unknown {
  if (!isObject(server)) return server;
  const { host, port } = server;
  const written = String(server.url ?? '').replace(/^[/ ]+|[/ ]+$/g, '');
  const isAbsolute = written.startsWith('http');
  const url = isAbsolute || written === '' ? written : `/${written}`;
  const name = environment === 'development' && LOCAL.includes(host) ? 'localhost' : host;
  const shown = String(name).includes(':') ? `[${name}]` : name;
  return { ...server, url, absoluteUrl: isAbsolute ? url : `http://${shown}:${port}${url}` };
}

function withValue(target: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const object = isObject(target) ? target : {};
  return { ...object, [key]: withValue(object[key], rest, value) };
}

const fileNames = (project: string): string[] => {
  try {
    const names = readdirSync(path.join(project, 'config')).map(
      (file) => /^([\w-]+)\.(?:[cm]?[jt]s|json)$/.exec(file)?.[1],
    );
    return names.filter((name) => name !== undefined);
  } catch {
    return [];
  }
};

type Values = Readonly<Record<string, unknown>>;

function packageOf(project: string): Values {
  try {
    const content: unknown = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'));
    return isObject(content) ? content : {};
  } catch {
    return {};
  }
}

/** The package of the project, and the version of Strapi that it was written for. */
function infoOf(content: Values): Values {
  const { '@strapi/strapi': asked }: Values = isObject(content.dependencies) ? content.dependencies : {};
  return { ...content, strapi: /\d+(?:\.\d+)*/.exec(String(asked))?.[0] ?? null };
}

/** What is there in Strapi without being written. */
const standardValues = ({ project, settings, environment, jwtSecret }: ConfigSource): Values => ({
  environment,
  info: infoOf(packageOf(project)),
  launchedAt: Date.now(),
  api: { rest: { ...settings.rest } },
  server: { host: '0.0.0.0', port: 1337, proxy: false, dirs: { public: './public' }, cron: { enabled: false } },
  plugins: {},
  'plugin::users-permissions': { jwtSecret, jwt: { expiresIn: settings.auth.accessTokenSeconds } },
});
