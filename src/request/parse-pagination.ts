// The pagination grammar: pages, offsets and cursors, of lists and of populated lists.
import { paginationError, validationError } from '../errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_OFFSET, MAX_PAGE_SIZE } from '../limits.ts';
import { badKey, badValue, entriesOf, isPlainObject, type Location, within, yesOrNo } from './grammar.ts';
import type { Pagination } from './read-request.ts';

/** What a project says of the pages of its lists. */
export interface PageRules {
  /** Entries on a page when no size is asked for, and at most. */
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** Whether lists have their total unless a request says otherwise. */
  readonly withCount: boolean;
}

export const DEFAULT_PAGES: PageRules = { defaultLimit: DEFAULT_PAGE_SIZE, maxLimit: MAX_PAGE_SIZE, withCount: true };

export const pageSizeOf = ({ defaultLimit, maxLimit }: PageRules, size = defaultLimit): number =>
  Math.max(1, Math.min(size, maxLimit));

type PageNumbers = Partial<Record<'page' | 'pageSize' | 'start' | 'limit', number>>;

/** What stands in a `pagination`, before it is known which page it means. */
interface PageKeys {
  readonly numbers: PageNumbers;
  readonly withCount: boolean | undefined;
  readonly hasCursor: boolean;
}

function pageKeys(value: unknown, location: Location): PageKeys {
  if (!isPlainObject(value)) throw badValue(location, 'an object, such as pagination[page]=1');
  const numbers: PageNumbers = {};
  let withCount: boolean | undefined;
  for (const [key, given] of entriesOf(value, location)) {
    switch (key) {
      case 'page':
      case 'pageSize':
      case 'start':
      case 'limit': {
        // Bare, as in `pagination[page]`, it asks for nothing.
        if (given === null) break;
        const text = typeof given === 'string' ? given.trim() : '';
        const number = /^[+-]?\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : given;
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
  return { numbers, withCount, hasCursor: Object.hasOwn(value, 'cursor') };
}

export function parsePagination(
  value: unknown,
  location: Location,
  otherwise: Pagination,
  pages: PageRules,
): Pagination {
  if (value === undefined || value === null) return otherwise;
  const { numbers, withCount, hasCursor } = pageKeys(value, location);
  return hasCursor
    ? cursorPage(numbers, withCount ?? false, pages)
    : numberedPage(numbers, withCount ?? pages.withCount, pages);
}

/** No limit, in the lists of Strapi that have `start` and `limit` beside the other parameters. */
const UNLIMITED: ReadonlySet<number> = new Set([-1, 0]);

/** `start` and `limit` of such a list, as they are: neither the size of a page nor the most it may hold is about it. */
export function parseSlice(value: Readonly<Record<string, unknown>>, location: Location, all: Pagination): Pagination {
  const { start = 0, limit = 0 } = pageKeys(value, location).numbers;
  if (start < 0) throw badValue(within(location, 'start'), 'a whole number, 0 or more');
  if (limit < -1) throw badValue(within(location, 'limit'), 'a whole number, or -1 for no limit');
  return { ...all, start, limit: UNLIMITED.has(limit) ? all.limit : Math.min(limit, all.limit) };
}

/**
 * The part of each populated list that is asked for. It has its total only where that is asked for, since the list is
 * then in an envelope. Strapi 5 knows no pages here; `page` and `pageSize` stay as unknown as they were.
 */
export function parsePopulatePage(
  value: unknown,
  location: Location,
  pages: PageRules,
): Pick<Pagination, 'start' | 'limit' | 'withCount'> {
  const { numbers, withCount, hasCursor } = pageKeys(value, location);
  if (hasCursor || numbers.page !== undefined || numbers.pageSize !== undefined)
    throw validationError(
      `Invalid key pagination at ${location.path.slice(0, -1).join('.')}: populated lists have start, limit and withCount`,
      { key: 'pagination', path: location.path.slice(0, -1).join('.'), source: 'query', param: location.param },
    );
  return numberedPage({ start: 0, ...numbers }, withCount ?? false, pages);
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
