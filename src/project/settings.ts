// Reads the settings of a project, in config/sheaf.json: how users are listed, how long tokens last, who may call from
// where. One schema holds every key with its check and its default, and the type comes from it.
// What a deployment keeps to itself stands in the environment instead.
import { isIP } from 'node:net';
import * as v from 'valibot';
import {
  anyObject,
  check,
  described,
  flag,
  listOf,
  nonEmptyString,
  type Problem,
  recordOf,
  SCHEMA_ENTRY,
  strictObject,
} from '../check-json.ts';
import { DEFAULT_PAGE_SIZE, LARGEST_PAGE_SIZE, MAX_PAGE_SIZE, MAX_READ_COST, ofEachLimit } from '../limits.ts';
import { CODE_KINDS } from './code/code-finding.ts';
import { FILES } from './file-settings.ts';
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
    max: described(atLeastOne('expected a whole number, at least 1'), 'Requests, or rows, in the time.'),
    seconds: described(seconds, 'The time.'),
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
  prefix: described(
    v.optional(v.pipe(v.string(PREFIX), v.regex(/^(?:\/[\w.~-]+)*$/, PREFIX)), '/api'),
    'What the paths of all routes of the API begin with.',
  ),
  defaultLimit: described(v.optional(limit, DEFAULT_PAGE_SIZE), 'Entries on a page when no size is asked for.'),
  maxLimit: described(
    v.optional(
      v.pipe(limit, v.maxValue(LARGEST_PAGE_SIZE, `expected at most ${LARGEST_PAGE_SIZE} entries`)),
      MAX_PAGE_SIZE,
    ),
    'Entries on a page at most; larger sizes are clamped.',
  ),
  withCount: described(v.optional(flag, true), 'Whether lists have their total unless a request says otherwise.'),
  strictParams: described(
    v.optional(flag, false),
    'Whether an unknown query parameter is refused. Otherwise it is ignored.',
  ),
  privateAttributes: described(
    v.optional(listOf(nonEmptyString(), 'expected a list of names'), []),
    'Attributes of all types that are private, whatever their definitions say; `api.responses` of Strapi 5.',
  ),
});

const USERS = strictObject({
  bareList: described(
    v.optional(flag, false),
    'Lists users as a bare array, as Strapi 5 answers, instead of in the envelope.',
  ),
});

const COOKIE_NAME = 'expected a name of letters, digits and - _ .';
const COOKIE_PATH = 'expected a path such as "/", or null';

/** The cookie of the refresh token, as `sessions.cookie` of Strapi 5. */
const COOKIE = strictObject({
  name: described(
    v.optional(v.pipe(v.string(COOKIE_NAME), v.regex(/^[\w.-]+$/, COOKIE_NAME)), REFRESH_COOKIE),
    "The cookie's name.",
  ),
  domain: described(
    v.optional(v.nullable(v.pipe(v.string(DOMAIN), v.regex(/^[A-Za-z0-9.-]+$/, DOMAIN))), null),
    'The domain of the cookie; null: the host that sets it, without its subdomains.',
  ),
  path: described(
    v.optional(v.nullable(v.pipe(v.string(COOKIE_PATH), v.regex(/^\/[\w/.~-]*$/, COOKIE_PATH))), null),
    'The path of the cookie; null: that of logging in.',
  ),
  sameSite: described(
    v.optional(v.picklist(['lax', 'strict', 'none'], 'expected one of lax, strict, none'), 'lax'),
    'The attribute SameSite of the cookie.',
  ),
  secure: described(
    v.optional(v.nullable(flag), null),
    'Whether the cookie is sent over HTTPS only; null: where the request came over HTTPS.',
  ),
  maxAgeSeconds: described(
    v.optional(v.nullable(seconds)),
    'How long the cookie is kept; null: until the browser is closed. Not given: as long as the token.',
  ),
});

const PEM = 'expected a key in PEM form, or null';
const pem = v.nullable(v.pipe(v.string(PEM), v.regex(/^-----BEGIN [A-Z ]+-----/, PEM)));
const claim = v.nullable(nonEmptyString('expected a string that is not empty, or null'));

/** How tokens are signed, as `jwt` of Strapi 5. */
const JWT = strictObject({
  algorithm: described(
    v.optional(v.picklist(JWT_ALGORITHMS, `expected one of ${JWT_ALGORITHMS.join(', ')}`), 'HS256'),
    'How tokens are signed.',
  ),
  privateKey: described(
    v.optional(pem, null),
    'Of the algorithms RS…: the private key where JWT_PRIVATE_KEY gives none.',
  ),
  publicKey: described(v.optional(pem, null), "Of the algorithms RS…: a public key that is not the private key's own."),
  issuer: described(v.optional(claim, null), 'The claim iss of tokens; null for none.'),
  audience: described(v.optional(claim, null), 'The claim aud of tokens; null for none.'),
});

const AUTH = strictObject({
  accessTokenSeconds: described(v.optional(seconds, 30 * DAY), 'How long an access token lasts.'),
  refreshTokenSeconds: described(v.optional(seconds, 14 * DAY), 'How long a refresh token lasts unused.'),
  sessionSeconds: described(v.optional(seconds, 30 * DAY), 'How long a session lasts at most.'),
  refreshToken: described(
    v.optional(v.picklist(['cookie', 'body'], 'expected one of cookie, body'), 'cookie'),
    'Where the refresh token is put: in a cookie that scripts cannot read, or in the body.',
  ),
  cookie: described(v.optional(COOKIE, {}), 'The cookie of the refresh token, as `sessions.cookie` of Strapi 5.'),
  jwt: described(v.optional(JWT, {}), 'How tokens are signed, as `jwt` of Strapi 5.'),
  registerFields: described(
    v.optional(listOf(nonEmptyString(), 'expected a list of strings'), []),
    'Attributes of users beside name, address and password that may be given when registering.',
  ),
});

const HEADER = 'expected the name of a header, such as "x-tenant"';

const CORS = strictObject({
  origins: described(
    v.optional(listOf(origin, `expected a list of origins ${ORIGIN}`), ['*']),
    'Origins that browsers may call from; `*` for any, which then never get credentials.',
  ),
  credentials: described(
    v.optional(flag, false),
    'Whether browsers may send cookies from the origins that are listed by name.',
  ),
  headers: described(
    v.optional(
      listOf(v.pipe(v.string(HEADER), v.regex(/^[\w!#$%&'*+.^`|~-]+$/, HEADER)), 'expected a list of names of headers'),
      [],
    ),
    'Headers that browsers may send besides those that the API knows.',
  ),
});

const RATE_LIMITS = strictObject({
  auth: described(
    v.optional(RATE_LIMIT, { max: 60, seconds: 60 }),
    'Requests of one address to one path of /api/auth.',
  ),
  account: described(
    v.optional(RATE_LIMIT, { max: 20, seconds: 60 }),
    'Wrong passwords that one address tries for one account.',
  ),
  address: described(
    v.optional(RATE_LIMIT, { max: 40, seconds: 60 }),
    'Wrong passwords that one address tries, for any accounts.',
  ),
  cost: described(
    v.optional(v.nullable(RATE_LIMIT), null),
    'Rows that reads of one caller touch, by our estimate: of a user, a token, or an address; null for no limit.',
  ),
});

const COST = `expected a whole number of rows from 1 to ${MAX_READ_COST}`;
const cost = v.pipe(v.number(COST), v.integer(COST), v.minValue(1, COST), v.maxValue(MAX_READ_COST, COST));
const COSTS = 'expected an object of numbers by the type of the role, such as {"public": 1000000}';
const READ_COST = strictObject({
  roles: described(
    v.optional(recordOf(cost, COSTS), {}),
    'Rows that one read by users of a role may touch, by the type of the role.',
  ),
  tokens: described(v.optional(cost, MAX_READ_COST), 'Rows that one read by an API token may touch, by our estimate.'),
});

const AGGREGATES = strictObject({
  smallestGroup: described(
    v.optional(atLeastOne('expected a whole number of entries, at least 1'), 1),
    'Groups of fewer entries are left out of aggregates and facets, so that none tells of a few people.',
  ),
});

const link = v.nullable(nonEmptyString('expected a string that is not empty, or null'));

const EMAIL = strictObject({
  from: described(
    v.optional(link, null),
    'The sender of mails; null for the one that Strapi 5 stores, if there is one.',
  ),
  resetUrl: described(v.optional(link, null), 'Where the link in a mail that resets a password leads; null for none.'),
  confirmationUrl: described(
    v.optional(link, null),
    'Where the link in a mail that confirms an address leads; null for none.',
  ),
});

const MAX_PORT = 65_535;
const PORT = 'expected a port from 0 to 65535, or null';
const SERVER_URL = 'expected a URL such as "https://api.example.com", a path such as "/cms", or null';

const METRICS =
  'expected a path such as "/metrics", a port such as "9464", a host and a port such as "0.0.0.0:9464", or null';

/** Where metrics are served: at a path beside the API, or at `/metrics` of a port of their own. */
export type MetricsPlace = { readonly path: string } | { readonly host: string; readonly port: number };

/** Up to 65535. */
const PORT_DIGITS = '\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5]';
const PLACE = new RegExp(`^(?:(/[\\w.~/-]+)|(?:([\\w.-]+|\\[[\\da-fA-F:.]+\\]):)?(${PORT_DIGITS}))$`);

/** Null for what names no place. */
export function metricsPlace(text: string): MetricsPlace | null {
  const [whole, path, host = '127.0.0.1', port] = PLACE.exec(text) ?? [];
  if (whole === undefined) return null;
  return path === undefined ? { host: host.replace(/^\[|\]$/g, ''), port: Number(port) } : { path };
}

/** Where the server is; null where the environment decides. */
const SERVER = strictObject({
  host: described(
    v.optional(v.nullable(nonEmptyString('expected a host such as "127.0.0.1", or null')), null),
    'Where to listen; null where the environment decides.',
  ),
  port: described(
    v.optional(
      v.nullable(v.pipe(v.number(PORT), v.integer(PORT), v.minValue(0, PORT), v.maxValue(MAX_PORT, PORT))),
      null,
    ),
    'The port; null where the environment decides.',
  ),
  publicFolder: described(
    v.optional(v.nullable(nonEmptyString('expected a folder such as "public", or null')), 'public'),
    'The folder of files that are served at their own paths, such as robots.txt, from that of the project; null for none.',
  ),
  metrics: described(
    v.optional(v.nullable(v.pipe(v.string(METRICS), v.regex(PLACE, METRICS))), null),
    'Where metrics are served: a path of the server such as "/metrics", or a port of their own such as "9464"; null for nowhere.',
  ),
  traces: described(v.optional(flag, false), 'Whether requests and their statements are traced by OpenTelemetry.'),
  url: described(
    v.optional(
      v.nullable(v.pipe(v.string(SERVER_URL), v.regex(/^(?:https?:\/\/[^/]+)?(?:\/[^/]+)*$/, SERVER_URL))),
      null,
    ),
    'What links in mails begin with.',
  ),
});

/** The description of the API, and the page that shows it. */
const OPENAPI = strictObject({
  document: described(v.optional(flag, true), 'Whether /api/openapi.json describes to each caller what they may do.'),
  page: described(
    v.optional(v.nullable(flag), null),
    'Whether /docs shows a page to read and try the API; null: with `sheaf dev` only.',
  ),
  title: described(v.optional(nonEmptyString(), 'Content API'), 'The title of the description.'),
  version: described(v.optional(nonEmptyString(), '1.0.0'), 'The version of the API that the description names.'),
});

/** The console, where people look at content and edit it. */
const CONSOLE = strictObject({
  enabled: described(v.optional(flag, true), 'Whether the console is served at /console.'),
  remote: described(
    v.optional(flag, false),
    'Whether the console is there for other machines as well. Otherwise it is for browsers on the machine of the server.',
  ),
});

const LIMIT = 'A limit of requests; docs/api.md says of what.';
const numberUpTo = (most: number, otherwise: number) => {
  const message = `expected a whole number from 1 to ${most}`;
  return described(v.optional(v.pipe(atLeastOne(message), v.maxValue(most, message)), otherwise), LIMIT);
};

const LIMITS = strictObject(ofEachLimit(({ value, most }) => numberUpTo(most, value)));

const INDEXES = 'expected lists of attribute names, such as [["cuisine", "rating"]]';
const INDEX = v.pipe(listOf(nonEmptyString('expected the name of an attribute'), INDEXES), v.minLength(1, INDEXES));
const INDEXES_OF = 'expected an object of lists by content-type, such as {"api::dish.dish": [["price"]]}';

const POPULATE = 'expected an object by content-type, such as {"api::dish.dish": {"find": "*"}}';

const SERVED_WITHOUT = 'expected an object of lists by content-type, such as {"api::order.order": ["controller"]}';
const kinds = listOf(
  v.picklist(CODE_KINDS, `expected one of ${CODE_KINDS.join(', ')}`),
  `expected a list of ${CODE_KINDS.join(', ')}`,
);

export const SETTINGS = strictObject({
  ...SCHEMA_ENTRY,
  rest: described(v.optional(REST, {}), 'The settings of Strapi 5 in `api.rest`.'),
  server: described(v.optional(SERVER, {}), 'Where the server is; null where the environment decides.'),
  users: described(v.optional(USERS, {}), 'How users are listed.'),
  auth: described(
    v.optional(AUTH, {}),
    'Logging in: how long tokens last, how they are signed and where they are kept.',
  ),
  cors: described(v.optional(CORS, {}), 'Who may call from a browser.'),
  rateLimits: described(v.optional(RATE_LIMITS, {}), 'How often something may be asked for.'),
  readCost: described(v.optional(READ_COST, {}), 'Rows that one read may touch, by our estimate.'),
  aggregates: described(v.optional(AGGREGATES, {}), 'What aggregates and facets show.'),
  cacheControl: described(
    v.optional(cacheControl, null),
    'The header `Cache-Control` of answers to reads by the public; null for none.',
  ),
  trustProxy: described(
    v.optional(listOf(address, `expected a list of addresses ${ADDRESS}`), []),
    "Proxies whose word on a client's address is taken: none, or their addresses.",
  ),
  email: described(v.optional(EMAIL, {}), 'Mails that the server sends.'),
  files: described(v.optional(FILES, {}), 'Files: where they are stored, which are taken, what is made of pictures.'),
  limits: described(v.optional(LIMITS, {}), 'Limits of requests that a project can change; docs/api.md lists them.'),
  populate: described(
    v.optional(anyObject(POPULATE), {}),
    'What reads populate where a request does not say, by content-type: for all its routes, or for each.',
  ),
  indexes: described(
    v.optional(recordOf(listOf(INDEX, INDEXES), INDEXES_OF), {}),
    'Indexes to create beside those that the definitions declare, by content-type.',
  ),
  openapi: described(v.optional(OPENAPI, {}), 'The description of the API, and the page that shows it.'),
  console: described(v.optional(CONSOLE, {}), 'The console, where people look at content and edit it.'),
  runStrapiCode: described(
    v.optional(flag, true),
    'Whether the code of a Strapi project runs. Otherwise what may pass through it is closed.',
  ),
  servedWithout: described(
    v.optional(recordOf(kinds, SERVED_WITHOUT), {}),
    'Code of the project that a content-type, a plugin or the application is served without, by name.',
  ),
});

export type JwtSettings = Settings['auth']['jwt'];
export type RateLimit = v.InferOutput<typeof RATE_LIMIT>;
export type IndexLists = Readonly<Record<string, readonly (readonly string[])[]>>;
export type Settings = Omit<v.InferOutput<typeof SETTINGS>, '$schema'>;

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
export function completeSettings(given: unknown): Settings {
  const { $schema, ...settings } = v.parse(SETTINGS, given);
  return settings;
}

export const DEFAULT_SETTINGS: Settings = completeSettings({});

/** What config/sheaf.json says alone. */
export function readSettings(project: string): Settings {
  const own = readOwnSettings(project);
  return own === null ? DEFAULT_SETTINGS : completeSettings(own);
}
