// A whole read request: every top-level parameter, and none besides.
import { invalidKey, limitExceeded, paginationError, validationError } from '../errors.ts';
import { DEFAULT_LIMITS, DEFAULT_PAGE_SIZE, type Limits, MAX_OFFSET, MAX_PAGE_SIZE } from '../limits.ts';
import { badKey, badValue, entriesOf, isObject, itemsOf, rootLocation, within, yesOrNo } from './grammar.ts';
import { parseCursor } from './parse-cursor.ts';
import { parseFilters, Slots } from './parse-filters.ts';
import { parsePopulate } from './parse-populate.ts';
import { parseFields, parseSort } from './parse-sort.ts';
import type { Pagination, PublicationFilter, ReadRequest, Status } from './read-request.ts';
import { knownTimezone } from './relative-dates.ts';

/** Parameters of a read, as they come from a query string or from a caller in process. */
export interface ReadParameters {
  readonly filters?: unknown;
  readonly sort?: unknown;
  readonly fields?: unknown;
  readonly populate?: unknown;
  readonly pagination?: unknown;
  readonly status?: unknown;
  readonly locale?: unknown;
  readonly publicationFilter?: unknown;
  readonly hasPublishedVersion?: unknown;
  readonly _q?: unknown;
  readonly timezone?: unknown;
}

export interface ReadDefaults {
  readonly status: Status;
  /** The page when the request names none: a page of the default size, or everything. */
  readonly pagination: Pagination;
  /** What is populated when the request does not say. */
  readonly populate?: unknown;
}

/** What a project says of the pages of its lists. */
export interface PageRules {
  /** Entries on a page when no size is asked for, and at most. */
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** Whether lists have their total unless a request says otherwise. */
  readonly withCount: boolean;
}

/** What a project says of reads. */
export interface ReadRules {
  readonly pages: PageRules;
  readonly limits: Limits;
  /** Whether names that mean nothing are refused where they could be taken for nothing. */
  readonly strict: boolean;
}

const DEFAULT_PAGES: PageRules = { defaultLimit: DEFAULT_PAGE_SIZE, maxLimit: MAX_PAGE_SIZE, withCount: true };
export const DEFAULT_READ_RULES: ReadRules = { pages: DEFAULT_PAGES, limits: DEFAULT_LIMITS, strict: false };

/** The page when a request names none. */
export const firstPage = (pages: PageRules): Pagination => ({
  mode: 'page',
  start: 0,
  limit: pageSizeOf(pages, undefined),
  withCount: pages.withCount,
});

const pageSizeOf = ({ defaultLimit, maxLimit }: PageRules, size = defaultLimit): number =>
  Math.max(1, Math.min(size, maxLimit));

export const FIRST_PAGE: Pagination = firstPage(DEFAULT_PAGES);
export const NO_LIMIT: Pagination = { mode: 'none', start: 0, limit: MAX_OFFSET, withCount: false };

export const READ_PARAMETERS = [
  'filters',
  'sort',
  'fields',
  'populate',
  'pagination',
  'status',
  'locale',
  'publicationFilter',
  'hasPublishedVersion',
  '_q',
  'timezone',
] as const satisfies readonly (keyof ReadParameters)[];
const KEYS: ReadonlySet<string> = new Set(READ_PARAMETERS);
/** Members of `pagination`, which some write beside it. */
export const MISPLACED_PARAMETERS: readonly string[] = ['page', 'pageSize', 'start', 'limit', 'withCount', 'cursor'];

export function parseRead(
  parameters: ReadParameters,
  defaults: ReadDefaults,
  { pages, limits, strict }: ReadRules = DEFAULT_READ_RULES,
): ReadRequest {
  for (const key of Object.keys(parameters)) {
    if (MISPLACED_PARAMETERS.includes(key))
      throw paginationError(`Invalid key ${key}: write pagination[${key}]`, {
        key,
        path: null,
        source: 'query',
        param: key,
      });
    if (!KEYS.has(key)) throw invalidKey(key, [], key);
  }
  const slots = new Slots();
  const publication = parsePublication(parameters);
  const filters = parseFilters(parameters.filters, rootLocation('filters', limits), slots);
  const sort = parseSort(parameters.sort, rootLocation('sort', limits));
  const fields = parseFields(parameters.fields, rootLocation('fields', limits));
  const populatesByDefault = parameters.populate === undefined && defaults.populate !== undefined;
  const wanted = populatesByDefault ? defaults.populate : parameters.populate;
  const populate = parsePopulate(wanted, rootLocation('populate', limits), slots);
  const pagination = parsePagination(parameters.pagination, defaults.pagination, pages);
  const status = parseStatus(parameters.status, defaults.status);
  const locale = parseLocale(parameters.locale, slots, limits);
  const search = parseSearch(parameters._q, slots, limits);
  const cursor = parseCursor(parameters.pagination, slots, pagination.withCount);
  return {
    shape: {
      filters,
      sort,
      fields,
      populate,
      populatesByDefault,
      strict,
      status,
      locale,
      publication,
      search,
      cursor,
    },
    values: slots.values,
    pagination,
    timezone: parseTimezone(parameters.timezone),
  };
}

function parseTimezone(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  const zone = typeof value === 'string' ? knownTimezone(value) : null;
  if (zone === null) throw badValue(rootLocation('timezone'), 'the name of a time zone, such as Europe/Paris');
  return zone;
}

function parseStatus(value: unknown, otherwise: Status): Status {
  if (value === undefined) return otherwise;
  if (value === 'draft' || value === 'published') return value;
  throw badValue(rootLocation('status'), 'draft or published');
}

function parseLocale(value: unknown, slots: Slots, limits: Limits): 'default' | 'all' | number {
  const location = rootLocation('locale', limits);
  if (value === undefined || value === null || value === '') return 'default';
  if (value === '*') return 'all';
  const codes = Array.isArray(value) ? itemsOf(value, location) : [value];
  for (const code of codes)
    if (typeof code !== 'string' || !isLocaleCode(code))
      throw badValue(location, 'a locale code, a list of them, or *');
  return slots.put(codes);
}

/** Whether it can be the code of one locale; a list is no code. */
export const isLocaleCode = (text: string): boolean => text !== '' && text !== '*' && !/[\0,]/.test(text);

function parseSearch(value: unknown, slots: Slots, { searchLength }: Limits): number | null {
  const location = rootLocation('_q');
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || value.includes('\0')) throw badValue(location, 'a string');
  if (value.length > searchLength)
    throw limitExceeded('MAX_SEARCH_LENGTH', searchLength, 'characters to search for', { param: '_q' });
  return slots.put(value);
}

const PUBLICATION_FILTERS: readonly PublicationFilter[] = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
];

function parsePublication(parameters: ReadParameters): PublicationFilter | null {
  const { publicationFilter, hasPublishedVersion } = parameters;
  let legacy: PublicationFilter | null = null;
  if (hasPublishedVersion !== undefined && hasPublishedVersion !== null) {
    if (![true, false, 'true', 'false'].includes(hasPublishedVersion as boolean))
      throw badValue(rootLocation('hasPublishedVersion'), 'true or false');
    legacy = String(hasPublishedVersion) === 'true' ? 'has-published-version-document' : 'never-published-document';
  }
  if (publicationFilter === undefined || publicationFilter === null) return legacy;
  const known = PUBLICATION_FILTERS.find((name) => name === publicationFilter);
  if (known === undefined)
    throw validationError(`Invalid value for publicationFilter: expected one of ${PUBLICATION_FILTERS.join(', ')}`, {
      source: 'query',
      param: 'publicationFilter',
    });
  return known;
}

type PageNumbers = Partial<Record<'page' | 'pageSize' | 'start' | 'limit', number>>;

function parsePagination(value: unknown, otherwise: Pagination, pages: PageRules): Pagination {
  const location = rootLocation('pagination');
  if (value === undefined || value === null) return otherwise;
  if (!isObject(value)) throw badValue(location, 'an object, such as pagination[page]=1');
  const numbers: PageNumbers = {};
  let withCount: boolean | undefined;
  for (const [key, given] of entriesOf(value, location)) {
    switch (key) {
      case 'page':
      case 'pageSize':
      case 'start':
      case 'limit': {
        const number = typeof given === 'string' && /^[+-]?\d+(\.\d+)?(e\d+)?$/i.test(given) ? Number(given) : given;
        if (typeof number !== 'number' || !Number.isInteger(number))
          throw badValue(within(location, key), 'a whole number');
        numbers[key] = Math.min(number, MAX_OFFSET);
        break;
      }
      case 'withCount': {
        withCount = yesOrNo(given);
        if (withCount === undefined) throw badValue(within(location, key), 'true or false');
        break;
      }
      case 'cursor':
        break;
      default:
        throw badKey(key, location);
    }
  }
  return Object.hasOwn(value, 'cursor')
    ? cursorPage(numbers, withCount ?? false, pages)
    : numberedPage(numbers, withCount ?? pages.withCount, pages);
}

function numberedPage(numbers: PageNumbers, withCount: boolean, pages: PageRules): Pagination {
  const { page, pageSize, start, limit } = numbers;
  const byPage = page !== undefined || pageSize !== undefined;
  const byOffset = start !== undefined || limit !== undefined;
  if (byPage && byOffset) throw paginationError('Cannot use both page & offset pagination in the same query');
  const size = pageSizeOf(pages, pageSize ?? limit);
  return byOffset
    ? { mode: 'offset', start: Math.max(0, start ?? 0), limit: size, withCount }
    : { mode: 'page', start: Math.min((Math.max(1, page ?? 1) - 1) * size, MAX_OFFSET), limit: size, withCount };
}

/** Of a page by cursor the total is counted only where it is asked for: it would cost more than the page. */
function cursorPage(numbers: PageNumbers, withCount: boolean, pages: PageRules): Pagination {
  const { page, pageSize, start, limit } = numbers;
  if (page !== undefined || start !== undefined || limit !== undefined)
    throw paginationError('Cannot use pagination[cursor] together with page, start or limit; its size is pageSize');
  return { mode: 'cursor', start: 0, limit: pageSizeOf(pages, pageSize), withCount };
}
