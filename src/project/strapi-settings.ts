// What the configuration of a Strapi project says of our settings: page sizes, the address, CORS, users-permissions.
// A value that means nothing here is named in a note; nothing is refused, since Strapi takes it.
import { isObject } from '../type-guards.ts';
import { isOrigin } from './settings.ts';
import type { ConfigName, StrapiConfig } from './strapi-config.ts';
import { type FileReader, readUploads } from './strapi-uploads.ts';

/** A setting, and the file that says it. */
export interface GivenSetting {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly source: string;
}

export interface GivenSettings {
  readonly settings: readonly GivenSetting[];
  readonly notes: readonly string[];
}

export function settingsOfStrapi(config: StrapiConfig): GivenSettings {
  const reader = new SettingsReader(config);
  reader.readApi();
  reader.readServer();
  reader.readMiddlewares();
  reader.readPlugins();
  readUploads(config, reader.files);
  return reader;
}

/** Of an access token where a project has refresh tokens and names no time. */
const REFRESH_MODE_SECONDS = 600;
const REST = ['defaultLimit', 'maxLimit', 'withCount', 'strictParams'];
const USERS_PERMISSIONS = ['users-permissions', 'config'];
const JWT = ['algorithm', 'privateKey', 'publicKey', 'issuer', 'audience'];
const COOKIE = ['name', 'domain', 'path', 'sameSite', 'secure'];
const KNOWN_USERS_PERMISSIONS = new Set(['register', 'jwt', 'jwtSecret', 'jwtManagement', 'sessions', 'ratelimit']);

class SettingsReader implements GivenSettings {
  readonly settings: GivenSetting[] = [];
  readonly notes: string[] = [];
  readonly #config: StrapiConfig;

  constructor(config: StrapiConfig) {
    this.#config = config;
  }

  /** For what is said of files. */
  get files(): FileReader {
    return {
      copy: (name, keys, path) => this.#copy(name, keys, path),
      give: (name, keys, given) => this.#give(name, keys, given.path, given.value),
      note: (name, keys, text) => this.#note(name, keys, text),
    };
  }

  readApi(): void {
    for (const key of REST) this.#copy('api', ['rest', key], ['rest', key]);
    const prefix = this.#config.value('api', 'rest', 'prefix');
    if (typeof prefix === 'string') {
      const path = prefix.replace(/^\/+|\/+$/g, '');
      this.#give('api', ['rest', 'prefix'], ['rest', 'prefix'], path && `/${path}`);
    }
    this.#copy('api', ['responses', 'privateAttributes'], ['rest', 'privateAttributes']);
    if (this.#config.value('api', 'documents', 'strictRelations') === true)
      this.#note('api', ['documents', 'strictRelations'], 'is not used: relations and files are never required');
  }

  readServer(): void {
    for (const key of ['host', 'port']) this.#copy('server', [key], ['server', key]);
    const url = this.#config.value('server', 'url');
    if (typeof url === 'string' && url !== '')
      this.#give('server', ['url'], ['server', 'url'], url.replace(/\/+$/, ''));
    const proxy = this.#config.value('server', 'proxy');
    if (proxy === true || (isObject(proxy) && proxy.koa === true))
      this.#note('server', ['proxy'], 'is not used; list the addresses of proxies as trustProxy in config/sheaf.json');
  }

  readMiddlewares(): void {
    const list = this.#config.value('middlewares');
    if (!Array.isArray(list)) return;
    for (const one of list) {
      const { name, config } = isObject(one) ? one : {};
      if (!isObject(config)) continue;
      if (name === 'strapi::cors') this.#readCors(config);
      if (name === 'strapi::body' && config.jsonLimit !== undefined) {
        const bytes = bytesOf(config.jsonLimit);
        if (bytes === null)
          this.#note('middlewares', [], 'strapi::body: jsonLimit is not used: expected a size such as "1mb"');
        else this.#give('middlewares', [], ['limits', 'bodyBytes'], bytes);
      }
    }
  }

  #readCors({ origin, credentials, headers }: Record<string, unknown>): void {
    const note = (text: string): void => this.#note('middlewares', [], `strapi::cors: ${text}`);
    if (typeof origin === 'function')
      note('origin is a function and is not used; list the origins as cors.origins in config/sheaf.json');
    const origins = listOf(origin);
    const usable = origins.filter((one) => one === '*' || isOrigin(one));
    for (const one of origins)
      if (!usable.includes(one)) note(`the origin "${one}" is not used: no browser sends it so`);
    if (origins.length > 0) {
      this.#give('middlewares', [], ['cors', 'origins'], usable);
      if (usable.some((one) => one !== '*'))
        this.#give('middlewares', [], ['cors', 'credentials'], credentials !== false);
    }
    const further = listOf(headers).filter((one) => one !== '*');
    if (further.length > 0) this.#give('middlewares', [], ['cors', 'headers'], further);
  }

  readPlugins(): void {
    const config = this.#config.value('plugins', ...USERS_PERMISSIONS);
    if (isObject(config)) {
      for (const key of Object.keys(config))
        if (!KNOWN_USERS_PERMISSIONS.has(key)) this.#note('plugins', [...USERS_PERMISSIONS, key], 'is not used');
      this.#copy('plugins', [...USERS_PERMISSIONS, 'register', 'allowedFields'], ['auth', 'registerFields']);
      for (const key of JWT) this.#copy('plugins', [...USERS_PERMISSIONS, 'jwt', key], ['auth', 'jwt', key]);
      if (config.jwtManagement === 'refresh') this.#readSessions();
      else this.#readExpiry();
      this.#readRateLimit(config.ratelimit);
    }
    this.#copy('plugins', ['email', 'config', 'settings', 'defaultFrom'], ['email', 'from']);
  }

  #readExpiry(): void {
    const keys = [...USERS_PERMISSIONS, 'jwt', 'expiresIn'];
    const value = this.#config.value('plugins', ...keys);
    if (value === undefined) return;
    const seconds = secondsOf(value);
    if (seconds === null) this.#note('plugins', keys, 'is not used: expected a time such as "7d"');
    else this.#give('plugins', keys, ['auth', 'accessTokenSeconds'], seconds);
  }

  /** The times of a project that has refresh tokens, in seconds. */
  #readSessions(): void {
    const keys = [...USERS_PERMISSIONS, 'sessions'];
    const at = (key: string): unknown => this.#config.value('plugins', ...keys, key);
    const access = at('accessTokenLifespan') ?? REFRESH_MODE_SECONDS;
    this.#give('plugins', [...keys, 'accessTokenLifespan'], ['auth', 'accessTokenSeconds'], access);
    this.#copy('plugins', [...keys, 'idleRefreshTokenLifespan'], ['auth', 'refreshTokenSeconds']);
    this.#copy('plugins', [...keys, 'maxRefreshTokenLifespan'], ['auth', 'sessionSeconds']);
    const where = at('httpOnly') === true ? 'cookie' : 'body';
    this.#give('plugins', [...keys, 'httpOnly'], ['auth', 'refreshToken'], where);
    // The path of Strapi 5, so that the cookie of one server takes the place of the other's.
    this.#give('plugins', keys, ['auth', 'cookie', 'path'], '/');
    for (const key of COOKIE) this.#copy('plugins', [...keys, 'cookie', key], ['auth', 'cookie', key]);
    const maxAge = this.#config.value('plugins', ...keys, 'cookie', 'maxAge');
    // In milliseconds.
    if (typeof maxAge === 'number')
      this.#give(
        'plugins',
        [...keys, 'cookie', 'maxAge'],
        ['auth', 'cookie', 'maxAgeSeconds'],
        Math.ceil(maxAge / 1000),
      );
  }

  #readRateLimit(limit: unknown): void {
    if (!isObject(limit)) return;
    const keys = [...USERS_PERMISSIONS, 'ratelimit'];
    const milliseconds = isObject(limit.interval) ? intervalOf(limit.interval) : (limit.interval ?? 60_000);
    const { enabled, max } = limit;
    if (enabled === false) this.#note('plugins', keys, 'cannot be turned off; raise rateLimits in config/sheaf.json');
    else if (typeof max === 'number' && typeof milliseconds === 'number')
      this.#give('plugins', keys, ['rateLimits', 'auth'], { max, seconds: Math.ceil(milliseconds / 1000) });
  }

  /** Takes a value as it is, where there is one. */
  #copy(name: ConfigName, keys: readonly string[], path: readonly string[]): void {
    const value = this.#config.value(name, ...keys);
    if (value !== undefined && value !== null) this.#give(name, keys, path, value);
  }

  #give(name: ConfigName, keys: readonly string[], path: readonly string[], value: unknown): void {
    this.settings.push({ path, value, source: this.#config.fileOf(name, ...keys) });
  }

  #note(name: ConfigName, keys: readonly string[], text: string): void {
    this.notes.push(`${this.#config.fileOf(name, ...keys)}: ${[keys.join('.'), text].filter(Boolean).join(' ')}`);
  }
}

/** A list, or names with commas between them. */
const listOf = (value: unknown): string[] =>
  (typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [])
    .map((item) => String(item).trim())
    .filter((item) => item !== '');

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
  y: 31_557_600,
};

/** A number of seconds, or text with a unit, such as `7d` or `12 hours`; text without one is in milliseconds. */
function secondsOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  const [, digits, word = 'ms'] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)?\s*$/i.exec(String(value)) ?? [];
  const short = /^(?:ms|milli\w*)$/i.test(word) ? 'ms' : word.charAt(0).toLowerCase();
  const unit = UNIT_SECONDS[short];
  return digits === undefined || unit === undefined ? null : Math.max(1, Math.round(Number(digits) * unit));
}

const UNIT_BYTES: Readonly<Record<string, number>> = { b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 };

/** A number of bytes, or text with a unit, such as `10mb`. */
function bytesOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  const [, digits, unit = 'b'] = /^\s*(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?\s*$/i.exec(String(value)) ?? [];
  return digits === undefined ? null : Math.floor(Number(digits) * UNIT_BYTES[unit.toLowerCase()]!);
}

const INTERVAL_MS: Readonly<Record<string, number>> = { sec: 1_000, min: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Such as `{ min: 5 }`. */
const intervalOf = (interval: Record<string, unknown>): number =>
  Object.entries(interval).reduce((sum, [unit, count]) => sum + Number(count) * (INTERVAL_MS[unit] ?? 0), 0);
