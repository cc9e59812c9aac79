// A whole read request: every top-level parameter, and none besides.
import { invalidKey, limitExceeded, paginationError, validationError } from '../errors.ts';
import { DEFAULT_LIMITS, type Limits, MAX_OFFSET } from '../limits.ts';
import { badValue, isPlainObject, itemsOf, rootLocation } from './grammar.ts';
import { AGGREGATE_PARAMETERS, type AggregateParameter, parseAggregate, parseFacets } from './parse-aggregate.ts';
import { parseCursor } from './parse-cursor.ts';
import { parseFilters, Slots } from './parse-filters.ts';
import { DEFAULT_PAGES, type PageRules, pageSizeOf, parsePagination, parseSlice } from './parse-pagination.ts';
import { NO_POPULATE, parsePopulate } from './parse-populate.ts';
import { parseFields, parseSort } from './parse-sort.ts';
import type { QueryObject } from './query-string.ts';
import type { Pagination, PublicationFilter, ReadRequest, ReadShape, RowStatus } from './read-request.ts';
import { knownTimezone } from './relative-dates.ts';
import { isStorable } from './scalars.ts';

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
  readonly facets?: unknown;
}

/** Parameters of an aggregate: those that choose entries, and what is computed of them. */
export type AggregateParameters = Omit<ReadParameters, 'fields' | 'populate' | 'facets'> &
  Readonly<Partial<Record<AggregateParameter, unknown>>>;

export interface ReadDefaults {
  readonly status: RowStatus;
  /** The page when the request names none: a page of the default size, or everything. */
  readonly pagination: Pagination;
  /** What is populated when the request does not say. */
  readonly populate?: unknown;
  /** What holds for pages of populated lists, where it is not what holds for lists. */
  readonly populatedPages?: PageRules;
}

/** What a project says of reads. */
export interface ReadRules {
  readonly pages: PageRules;
  readonly limits: Limits;
  /** Whether names that mean nothing are refused where they could be taken for nothing. */
  readonly strict: boolean;
}

export const DEFAULT_READ_RULES: ReadRules = { pages: DEFAULT_PAGES, limits: DEFAULT_LIMITS, strict: false };

/** The page when a request names none. */
export const firstPage = (pages: PageRules): Pagination => ({
  mode: 'page',
  start: 0,
  limit: pageSizeOf(pages, undefined),
  withCount: pages.withCount,
});

export const FIRST_PAGE: Pagination = firstPage(DEFAULT_PAGES);
/** For code, which is shown as much of a list as it asks for. */
export const ANY_PAGE: PageRules = { defaultLimit: MAX_OFFSET, maxLimit: MAX_OFFSET, withCount: false };

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
  'facets',
] as const satisfies readonly (keyof ReadParameters)[];
const KEYS: ReadonlySet<string> = new Set(READ_PARAMETERS);
/** Parameters of a read that an aggregate does not take: it shows no entries. */
const OF_ENTRIES: ReadonlySet<string> = new Set(['fields', 'populate', 'facets']);
export const ALL_AGGREGATE_PARAMETERS: readonly string[] = [
  ...AGGREGATE_PARAMETERS,
  ...READ_PARAMETERS.filter((name) => !OF_ENTRIES.has(name)),
];
/** Members of `pagination`, which some write beside it. */
export const MISPLACED_PARAMETERS: readonly string[] = ['page', 'pageSize', 'start', 'limit', 'withCount', 'cursor'];

/** Clients of Strapi write `start` and `limit` of lists of files and users beside the other parameters. */
export function takeSlice(
  parameters: QueryObject,
  all: Pagination,
): { readonly parameters: QueryObject; readonly pagination: Pagination } {
  const { start, limit, ...rest } = parameters;
  const beside = { ...(start !== undefined && { start }), ...(limit !== undefined && { limit }) };
  if (Object.keys(beside).length === 0 || rest.pagination !== undefined) return { parameters, pagination: all };
  return { parameters: rest, pagination: parseSlice(beside, rootLocation('pagination'), all) };
}

export function parseRead(
  parameters: ReadParameters,
  defaults: ReadDefaults,
  rules: ReadRules = DEFAULT_READ_RULES,
): ReadRequest {
  const { limits } = rules;
  checkNames(parameters, KEYS);
  const slots = new Slots();
  const condition = parseCondition(parameters, limits, slots);
  const sort = parseSort(parameters.sort, rootLocation('sort', limits));
  const fields = parseFields(parameters.fields, rootLocation('fields', limits));
  const populatesByDefault = parameters.populate === undefined && defaults.populate !== undefined;
  const wanted = populatesByDefault ? defaults.populate : parameters.populate;
  const pages = defaults.populatedPages ?? rules.pages;
  const populate = parsePopulate(wanted, rootLocation('populate', limits), slots, pages);
  const facets = parseFacets(parameters.facets, limits);
  const { versions, pagination, timezone } = parseVersions(parameters, defaults, rules, slots);
  const cursor = parseCursor(parameters.pagination, slots, pagination.withCount);
  return {
    shape: { ...condition, ...versions, sort, fields, populate, populatesByDefault, cursor, facets, aggregate: null },
    values: slots.values,
    pagination,
    timezone,
  };
}

/** An aggregate chooses entries as a list does, and shows none of them. */
export function parseAggregateRead(
  parameters: AggregateParameters,
  defaults: ReadDefaults,
  rules: ReadRules = DEFAULT_READ_RULES,
): ReadRequest {
  checkNames(parameters, new Set(ALL_AGGREGATE_PARAMETERS));
  const slots = new Slots();
  const condition = parseCondition(parameters, rules.limits, slots);
  const { versions, pagination, timezone } = parseVersions(parameters, defaults, rules, slots);
  if (pagination.mode === 'cursor') throw invalidKey('cursor', [], 'pagination');
  const aggregate = parseAggregate(parameters, rules.limits, slots);
  const nothing = { sort: [], fields: ['id'], populate: NO_POPULATE, populatesByDefault: false };
  return {
    shape: { ...condition, ...versions, ...nothing, cursor: null, facets: [], aggregate },
    values: slots.values,
    pagination,
    timezone,
  };
}

function checkNames(parameters: object, known: ReadonlySet<string>): void {
  for (const key of Object.keys(parameters)) {
    if (MISPLACED_PARAMETERS.includes(key))
      throw paginationError(`Invalid key ${key}: write pagination[${key}]`, {
        key,
        path: null,
        source: 'query',
        param: key,
      });
    if (!known.has(key)) throw invalidKey(key, [], key);
  }
}

const parseCondition = (
  parameters: ReadParameters,
  limits: Limits,
  slots: Slots,
): Pick<ReadShape, 'publication' | 'filters'> => ({
  publication: parsePublication(parameters),
  filters: parseFilters(parameters.filters, rootLocation('filters', limits), slots),
});

/** Which versions of entries are meant, and which page of what is shown. */
function parseVersions(
  parameters: ReadParameters,
  defaults: ReadDefaults,
  { pages, limits, strict }: ReadRules,
  slots: Slots,
): {
  readonly versions: Pick<ReadShape, 'strict' | 'status' | 'locale' | 'search'>;
  readonly pagination: Pagination;
  readonly timezone: string | null;
} {
  const pagination = parsePagination(parameters.pagination, rootLocation('pagination'), defaults.pagination, pages);
  const status = parseStatus(parameters.status, defaults.status);
  const locale = choosesLocale(parameters) ? 'all' : parseLocale(parameters.locale, slots, limits);
  const search = parseSearch(parameters._q, slots, limits);
  return { versions: { strict, status, locale, search }, pagination, timezone: parseTimezone(parameters.timezone) };
}

function parseTimezone(value: unknown): string | null {
  if (value === undefined) return null;
  const zone = typeof value === 'string' ? knownTimezone(value) : null;
  if (zone === null) throw badValue(rootLocation('timezone'), 'the name of a time zone, such as Europe/Paris');
  return zone;
}

function parseStatus(value: unknown, otherwise: RowStatus): RowStatus {
  if (value === undefined) return otherwise;
  if (value === 'draft' || value === 'published') return value;
  throw badValue(rootLocation('status'), 'draft or published');
}

/** Without the parameter, a condition on the locale of the entries says which are meant, as in Strapi 5. */
const choosesLocale = ({ locale, filters }: ReadParameters): boolean =>
  locale === undefined && isPlainObject(filters) && Object.hasOwn(filters, 'locale');

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
export const isLocaleCode = (text: string): boolean =>
  text !== '' && text !== '*' && !text.includes(',') && isStorable(text);

function parseSearch(value: unknown, slots: Slots, { searchLength }: Limits): number | null {
  const location = rootLocation('_q');
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || !isStorable(value)) throw badValue(location, 'a string');
  if (value.length > searchLength)
    throw limitExceeded('MAX_SEARCH_LENGTH', searchLength, 'characters to search for', { param: '_q' });
  return slots.put(value);
}

export const PUBLICATION_FILTERS: readonly PublicationFilter[] = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
];

const BOOLEANS: ReadonlySet<unknown> = new Set([true, false, 'true', 'false']);

function parsePublication(parameters: ReadParameters): PublicationFilter | null {
  const { publicationFilter, hasPublishedVersion } = parameters;
  let legacy: PublicationFilter | null = null;
  if (hasPublishedVersion !== undefined && hasPublishedVersion !== null) {
    if (!BOOLEANS.has(hasPublishedVersion)) throw badValue(rootLocation('hasPublishedVersion'), 'true or false');
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
