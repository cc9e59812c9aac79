// Reads the settings of a project, in config/sheaf.json: how users are listed, how long tokens last, who may call from
// where. One schema holds every key with its check and its default, and the type comes from it.
// What a deployment keeps to itself stands in the environment instead.
import { isIP } from 'node:net';
import * as v from 'valibot';
import { check, flag, isObject, listOf, nonEmptyString, type Problem, strictObject } from '../check-json.ts';
import {
  ADJUSTABLE_LIMITS,
  DEFAULT_PAGE_SIZE,
  LARGEST_PAGE_SIZE,
  type LimitName,
  MAX_PAGE_SIZE,
  MAX_READ_COST,
} from '../limits.ts';
import { CODE_KINDS } from './code/code-finding.ts';
import { readProjectJson, requireValid } from './project-file.ts';

const DAY = 86_400;

/** The cookie of the refresh token, unless the project names it otherwise. */
export const REFRESH_COOKIE = 'strapi_up_refresh';

export const JWT_ALGORITHMS = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const;

const DOMAIN = 'expected a domain such as "example.com", or null';

const atLeastOne = (message: string) => v.pipe(v.number(message), v.integer(message), v.minValue(1, message));
const seconds = atLeastOne('expected a whole number of seconds, at least 1');

const RATE_LIMIT = strictObject(
  {
    /** Requests in the time. */
    max: atLeastOne('expected a whole number, at least 1'),
    seconds,
  },
  'expected an object such as {"max": 10, "seconds": 60}',
);

const ORIGIN = 'such as "https://www.example.com", or "*"';
const origin = v.pipe(
  v.string(`expected an origin ${ORIGIN}`),
  v.check((value) => value === '*' || isOrigin(value), `expected an origin ${ORIGIN}`),
);

/** Whether a browser would send it so. */
export const isOrigin = (value: string): boolean =>
  /^https?:\/\/[^*]+$/.test(value) && URL.canParse(value) && new URL(value).origin === value;

const ADDRESS = 'such as "10.0.0.1" or "10.0.0.0/8"';
const address = v.pipe(
  v.string(`expected an address ${ADDRESS}`),
  v.check((value) => isAddress(value), `expected an address ${ADDRESS}`),
);

function isAddress(value: string): boolean {
  const [ip = '', bits, ...rest] = value.split('/');
  const version = isIP(ip);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const CACHE_CONTROL = 'expected directives such as "public, max-age=60", or null';
const directive = '[\\w-]+(?:=(?:[\\w-]+|"[\\w ,-]*"))?';
const cacheControl = v.nullable(
  v.pipe(v.string(CACHE_CONTROL), v.regex(new RegExp(`^${directive}(?:, ?${directive})*$`), CACHE_CONTROL)),
);

const PREFIX = 'expected a path such as "/api", or "" for none';
const limit = atLeastOne('expected a whole number of entries, at least 1');

/** The settings of Strapi 5 in `api.rest`. */
const REST = strictObject({
  /** What the paths of all routes of the API begin with. */
  prefix: v.optional(v.pipe(v.string(PREFIX), v.regex(/^(?:\/[\w.~-]+)*$/, PREFIX)), '/api'),
  /** Entries on a page when no size is asked for. */
  defaultLimit: v.optional(limit, DEFAULT_PAGE_SIZE),
  /** Entries on a page at most; larger sizes are clamped. */
  maxLimit: v.optional(
    v.pipe(limit, v.maxValue(LARGEST_PAGE_SIZE, `expected at most ${LARGEST_PAGE_SIZE} entries`)),
    MAX_PAGE_SIZE,
  ),
  /** Whether lists have their total unless a request says otherwise. */
  withCount: v.optional(flag, true),
  /** Whether an unknown query parameter is refused. Otherwise it is ignored. */
  strictParams: v.optional(flag, false),
  /** Attributes of all types that are private, whatever their definitions say; `api.responses` of Strapi 5. */
  privateAttributes: v.optional(listOf(nonEmptyString(), 'expected a list of names'), []),
});

const USERS = strictObject({
  /** Lists users as a bare array, as Strapi 5 answers, instead of in the envelope. */
  bareList: v.optional(flag, false),
});

const COOKIE_NAME = 'expected a name of letters, digits and - _ .';
const COOKIE_PATH = 'expected a path such as "/", or null';

/** The cookie of the refresh token, as `sessions.cookie` of Strapi 5. */
const COOKIE = strictObject({
  name: v.optional(v.pipe(v.string(COOKIE_NAME), v.regex(/^[\w.-]+$/, COOKIE_NAME)), REFRESH_COOKIE),
  /** Null: the host that sets it, without its subdomains. */
  domain: v.optional(v.nullable(v.pipe(v.string(DOMAIN), v.regex(/^[a-z0-9.-]+$/i, DOMAIN))), null),
  /** Null: that of logging in. */
  path: v.optional(v.nullable(v.pipe(v.string(COOKIE_PATH), v.regex(/^\/[\w/.~-]*$/, COOKIE_PATH))), null),
  sameSite: v.optional(v.picklist(['lax', 'strict', 'none'], 'expected one of lax, strict, none'), 'lax'),
  /** Null: where the request came over HTTPS. */
  secure: v.optional(v.nullable(flag), null),
  /** Null: until the browser is closed. Not given: as long as the token. */
  maxAgeSeconds: v.optional(v.nullable(seconds)),
});

const PEM = 'expected a key in PEM form, or null';
const pem = v.nullable(v.pipe(v.string(PEM), v.regex(/^-----BEGIN [A-Z ]+-----/, PEM)));
const claim = v.nullable(nonEmptyString('expected a string that is not empty, or null'));

/** How tokens are signed, as `jwt` of Strapi 5. */
const JWT = strictObject({
  algorithm: v.optional(v.picklist(JWT_ALGORITHMS, `expected one of ${JWT_ALGORITHMS.join(', ')}`), 'HS256'),
  /** Of the algorithms RS…: the private key where JWT_PRIVATE_KEY gives none, and a public key that is not its own. */
  privateKey: v.optional(pem, null),
  publicKey: v.optional(pem, null),
  issuer: v.optional(claim, null),
  audience: v.optional(claim, null),
});

const AUTH = strictObject({
  accessTokenSeconds: v.optional(seconds, 30 * DAY),
  /** How long a refresh token lasts unused, and a session at most. */
  refreshTokenSeconds: v.optional(seconds, 14 * DAY),
  sessionSeconds: v.optional(seconds, 30 * DAY),
  /** Where the refresh token is put: in a cookie that scripts cannot read, or in the body. */
  refreshToken: v.optional(v.picklist(['cookie', 'body'], 'expected one of cookie, body'), 'cookie'),
  cookie: v.optional(COOKIE, {}),
  jwt: v.optional(JWT, {}),
  /** Attributes of users beside name, address and password that may be given when registering. */
  registerFields: v.optional(listOf(nonEmptyString(), 'expected a list of strings'), []),
});

const HEADER = 'expected the name of a header, such as "x-tenant"';

const CORS = strictObject({
  /** Origins that browsers may call from; `*` for any, which then never get credentials. */
  origins: v.optional(listOf(origin, `expected a list of origins ${ORIGIN}`), ['*']),
  /** Whether browsers may send cookies from the origins that are listed by name. */
  credentials: v.optional(flag, false),
  /** Headers that browsers may send besides those that the API knows. */
  headers: v.optional(
    listOf(v.pipe(v.string(HEADER), v.regex(/^[\w!#$%&'*+.^`|~-]+$/, HEADER)), 'expected a list of names of headers'),
    [],
  ),
});

const RATE_LIMITS = strictObject({
  /** Requests of one address to one path of /api/auth. */
  auth: v.optional(RATE_LIMIT, { max: 60, seconds: 60 }),
  /** Wrong passwords that one address tries for one account. */
  account: v.optional(RATE_LIMIT, { max: 20, seconds: 60 }),
  /** Wrong passwords that one address tries, for any accounts. */
  address: v.optional(RATE_LIMIT, { max: 40, seconds: 60 }),
  /** Rows that reads of one caller touch, by our estimate: of a user, a token, or an address; null for no limit. */
  cost: v.optional(v.nullable(RATE_LIMIT), null),
});

const COST = `expected a whole number of rows from 1 to ${MAX_READ_COST}`;
const cost = v.pipe(v.number(COST), v.integer(COST), v.minValue(1, COST), v.maxValue(MAX_READ_COST, COST));
const COSTS = 'expected an object of numbers by the type of the role, such as {"public": 1000000}';
const READ_COST = strictObject({
  /** By the type of the role. */
  roles: v.optional(v.pipe(v.custom<Record<string, unknown>>(isObject, COSTS), v.record(v.string(), cost)), {}),
  tokens: v.optional(cost, MAX_READ_COST),
});

const link = v.nullable(nonEmptyString('expected a string that is not empty, or null'));

const EMAIL = strictObject({
  from: v.optional(nonEmptyString(), 'no-reply@localhost'),
  /** Where the links in mails lead. */
  resetUrl: v.optional(link, null),
  confirmationUrl: v.optional(link, null),
});

const PORT = 'expected a port from 0 to 65535, or null';
const SERVER_URL = 'expected a URL such as "https://api.example.com", a path such as "/cms", or null';

/** Where the server is; null where the environment decides. */
const SERVER = strictObject({
  host: v.optional(v.nullable(nonEmptyString('expected a host such as "127.0.0.1", or null')), null),
  port: v.optional(
    v.nullable(v.pipe(v.number(PORT), v.integer(PORT), v.minValue(0, PORT), v.maxValue(65_535, PORT))),
    null,
  ),
  /** What links in mails begin with. */
  url: v.optional(
    v.nullable(v.pipe(v.string(SERVER_URL), v.regex(/^(?:https?:\/\/[^/]+)?(?:\/[^/]+)*$/, SERVER_URL))),
    null,
  ),
});

const numberUpTo = (most: number, otherwise: number) => {
  const message = `expected a whole number from 1 to ${most}`;
  return v.optional(v.pipe(atLeastOne(message), v.maxValue(most, message)), otherwise);
};

const LIMITS = strictObject(
  Object.fromEntries(
    Object.entries(ADJUSTABLE_LIMITS).map(([name, { value, most }]) => [name, numberUpTo(most, value)]),
  ) as Record<LimitName, ReturnType<typeof numberUpTo>>,
);

const INDEXES = 'expected lists of attribute names, such as [["cuisine", "rating"]]';
const INDEX = v.pipe(listOf(nonEmptyString('expected the name of an attribute'), INDEXES), v.minLength(1, INDEXES));
const INDEXES_OF = 'expected an object of lists by content-type, such as {"api::dish.dish": [["price"]]}';

const POPULATE = 'expected an object by content-type, such as {"api::dish.dish": {"find": "*"}}';

const SERVED_WITHOUT = 'expected an object of lists by content-type, such as {"api::order.order": ["controller"]}';
const kinds = listOf(
  v.picklist(CODE_KINDS, `expected one of ${CODE_KINDS.join(', ')}`),
  `expected a list of ${CODE_KINDS.join(', ')}`,
);

const SETTINGS = strictObject({
  rest: v.optional(REST, {}),
  server: v.optional(SERVER, {}),
  users: v.optional(USERS, {}),
  auth: v.optional(AUTH, {}),
  cors: v.optional(CORS, {}),
  rateLimits: v.optional(RATE_LIMITS, {}),
  /** Rows that one read may touch, by our estimate. */
  readCost: v.optional(READ_COST, {}),
  /** The header `Cache-Control` of answers to reads by the public; null for none. */
  cacheControl: v.optional(cacheControl, null),
  /** Proxies whose word on a client's address is taken: none, or their addresses. */
  trustProxy: v.optional(listOf(address, `expected a list of addresses ${ADDRESS}`), []),
  email: v.optional(EMAIL, {}),
  /** Limits of limits.ts that a project can change. */
  limits: v.optional(LIMITS, {}),
  /** What reads populate where a request does not say, by content-type: for all its routes, or for each. */
  populate: v.optional(v.custom<Record<string, unknown>>(isObject, POPULATE), {}),
  /** Indexes to create beside those that the definitions declare, by content-type. */
  indexes: v.optional(
    v.pipe(v.custom<Record<string, unknown>>(isObject, INDEXES_OF), v.record(v.string(), listOf(INDEX, INDEXES))),
    {},
  ),
  /** Code of the project that a content-type, a plugin or the application is served without, by name. */
  servedWithout: v.optional(
    v.pipe(v.custom<Record<string, unknown>>(isObject, SERVED_WITHOUT), v.record(v.string(), kinds)),
    {},
  ),
});

export type JwtSettings = Settings['auth']['jwt'];
export type RateLimit = v.InferOutput<typeof RATE_LIMIT>;
export type IndexLists = Readonly<Record<string, readonly (readonly string[])[]>>;
export type Settings = v.InferOutput<typeof SETTINGS>;

export const DEFAULT_SETTINGS: Settings = v.parse(SETTINGS, {});

/** The settings as config/sheaf.json gives them, without defaults; null where there is no such file. */
export function readOwnSettings(project: string): Record<string, unknown> | null {
  const given = readProjectJson(project, 'sheaf.json');
  if (given === null) return null;
  requireValid(project, 'sheaf.json', check(SETTINGS, given.json));
  return given.json as Record<string, unknown>;
}

/** What is wrong with some settings; nothing where they can be used. */
export function settingProblems(given: unknown): readonly Problem[] {
  const checked = check(SETTINGS, given);
  return checked.ok ? [] : checked.problems;
}

/** Fills in defaults. Only for settings that were checked. */
export const completeSettings = (given: unknown): Settings => v.parse(SETTINGS, given);

/** What config/sheaf.json says alone. */
export function readSettings(project: string): Settings {
  const own = readOwnSettings(project);
  return own === null ? DEFAULT_SETTINGS : completeSettings(own);
}
