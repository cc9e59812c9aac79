// The settings of a project, in config/sheaf.json: how users are listed, how long tokens last, who may call from where.
// Every key is known and checked; what a deployment keeps to itself stands in the environment instead.
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { SetupError } from '../errors.ts';

export interface RateLimit {
  /** Requests in the time. */
  readonly max: number;
  readonly seconds: number;
}

export interface Settings {
  readonly users: {
    /** Lists of users as a bare array, as the reference answers, instead of in the envelope. */
    readonly bareList: boolean;
  };
  readonly auth: {
    readonly accessTokenSeconds: number;
    /** How long a refresh token lasts unused, and a session at most. */
    readonly refreshTokenSeconds: number;
    readonly sessionSeconds: number;
    /** Where the refresh token is put: in a cookie that scripts cannot read, or in the body. */
    readonly refreshToken: 'cookie' | 'body';
    /** Attributes of users beside name, address and password that may be given when registering. */
    readonly registerFields: readonly string[];
  };
  readonly cors: {
    /** Origins that browsers may call from; `*` for any, which then never get credentials. */
    readonly origins: readonly string[];
    /** Whether browsers may send cookies from the origins that are listed by name. */
    readonly credentials: boolean;
  };
  readonly rateLimits: {
    /** Requests of one address to one path of /api/auth. */
    readonly auth: RateLimit;
    /** Attempts to log in to one account, from anywhere. */
    readonly account: RateLimit;
    /** Requests of one address to content; null for no limit. */
    readonly content: RateLimit | null;
  };
  /** Proxies whose word on a client's address is taken: none, or their addresses. */
  readonly trustProxy: readonly string[];
  readonly email: {
    readonly from: string;
    /** Where the links in mails lead. */
    readonly resetUrl: string | null;
    readonly confirmationUrl: string | null;
  };
}

const DAY = 86_400;

export const DEFAULT_SETTINGS: Settings = {
  users: { bareList: false },
  auth: {
    accessTokenSeconds: 30 * DAY,
    refreshTokenSeconds: 14 * DAY,
    sessionSeconds: 30 * DAY,
    refreshToken: 'cookie',
    registerFields: [],
  },
  cors: { origins: ['*'], credentials: false },
  rateLimits: { auth: { max: 60, seconds: 60 }, account: { max: 20, seconds: 60 }, content: null },
  trustProxy: [],
  email: { from: 'no-reply@localhost', resetUrl: null, confirmationUrl: null },
};

type Check = (value: unknown) => string | null;

const flag: Check = (value) => (typeof value === 'boolean' ? null : 'true or false');
const seconds: Check = (value) => (isCount(value) ? null : 'a whole number of seconds, at least 1');
const texts: Check = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '') ? null : 'a list of texts';
const text: Check = (value) => (typeof value === 'string' && value !== '' ? null : 'a text');
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value);
const oneOf =
  (...options: readonly string[]): Check =>
  (value) =>
    options.includes(value as string) ? null : `one of ${options.join(', ')}`;
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 1;
const limit: Check = (value) => {
  const { max, seconds: time, ...rest } = (value ?? {}) as Partial<RateLimit>;
  return isCount(max) && isCount(time) && Object.keys(rest).length === 0
    ? null
    : 'an object such as {"max": 10, "seconds": 60}';
};
const origins: Check = (value) =>
  texts(value) === null && (value as string[]).every((item) => item === '*' || isOrigin(item))
    ? null
    : 'a list of origins such as "https://www.example.com", or "*"';

/** Whether a browser would send it so. */
const isOrigin = (text: string): boolean =>
  /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const proxies: Check = (value) =>
  texts(value) === null && (value as string[]).every(isAddress)
    ? null
    : 'a list of addresses such as "10.0.0.1" or "10.0.0.0/8"';

function isAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

interface Checks {
  readonly [key: string]: Check | Checks;
}

const CHECKS: Checks = {
  users: { bareList: flag },
  auth: {
    accessTokenSeconds: seconds,
    refreshTokenSeconds: seconds,
    sessionSeconds: seconds,
    refreshToken: oneOf('cookie', 'body'),
    registerFields: texts,
  },
  cors: { origins, credentials: flag },
  rateLimits: { auth: limit, account: limit, content: orNull(limit) },
  trustProxy: proxies,
  email: { from: text, resetUrl: orNull(text), confirmationUrl: orNull(text) },
};

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

export function readSettings(project: string): Settings {
  const file = path.join(project, 'config', 'sheaf.json');
  if (!existsSync(file)) return DEFAULT_SETTINGS;
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SetupError(`${file}: not valid JSON: ${(error as Error).message}`);
  }
  const problems: string[] = [];
  const settings = merged(DEFAULT_SETTINGS as unknown as Tree, given, CHECKS, [], problems);
  if (problems.length > 0) throw new SetupError(`${file} cannot be used:`, problems);
  return settings as unknown as Settings;
}

function merged(defaults: Tree, given: unknown, checks: Checks, where: readonly string[], problems: string[]): Tree {
  if (!isTree(given)) {
    problems.push(`${where.join('.') || 'the file'}: expected an object`);
    return defaults;
  }
  const result: Tree = { ...defaults };
  for (const [key, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    const here = [...where, key];
    if (check === undefined) problems.push(`${here.join('.')}: not known; expected ${Object.keys(checks).join(', ')}`);
    else if (typeof check === 'function') {
      const expected = check(value);
      if (expected !== null) problems.push(`${here.join('.')}: expected ${expected}`);
      else result[key] = value;
    } else result[key] = merged(defaults[key] as Tree, value, check, here, problems);
  }
  return result;
}
