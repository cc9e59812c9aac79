// What code takes from `@strapi/utils` beside errors and questions about schemas: helpers for lists, values, names, sizes,
// pages and policies.
import { normalized } from './code-registry.ts';
import { PaginationError } from './strapi-errors.ts';

type Values = Readonly<Record<string, unknown>>;
type Iteratee = (item: unknown, index: number) => unknown;

/** Several at a time, as many as `concurrency` says; the results in the order of the list. */
async function mapped(list: Iterable<unknown>, iteratee: Iteratee, { concurrency = Number.POSITIVE_INFINITY } = {}) {
  const items = [...list];
  const results: unknown[] = new Array(items.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await iteratee(await items[index], index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  return results;
}

export const asyncHelpers = {
  /** With the list alone, a function that takes the rest. */
  map: (...given: [Iterable<unknown>, Iteratee?, { concurrency?: number }?]): unknown => {
    const [list, iteratee, options] = given;
    return iteratee ? mapped(list, iteratee, options) : (later: Iteratee) => mapped(list, later);
  },
  pipe:
    (first: (...values: unknown[]) => unknown, ...rest: ((value: unknown) => unknown)[]) =>
    async (...values: unknown[]): Promise<unknown> => {
      let result = await first(...values);
      for (const step of rest) result = await step(result);
      return result;
    },
  reduce:
    (list: readonly unknown[]) =>
    async (iteratee: (all: unknown, item: unknown, index: number) => unknown, initial: unknown): Promise<unknown> => {
      let all = initial;
      for (const [index, item] of list.entries()) all = await iteratee(all, await item, index);
      return all;
    },
};

const YES: readonly unknown[] = ['true', 't', '1', 1, true];
const NO: readonly unknown[] = ['false', 'f', '0', 0, false];
const TIME = /^((?:2[0-3]|[01]\d):[0-5]\d:[0-5]\d)(?:\.(\d{1,3}))?$/;

function booleanOf(value: unknown, isForced: boolean): boolean {
  if (YES.includes(value)) return true;
  if (NO.includes(value)) return false;
  if (isForced) return Boolean(value);
  throw new Error('Invalid boolean input. Expected "t","1","true","false","0","f"');
}

const padded = (value: number, length = 2): string => String(value).padStart(length, '0');

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Error(`Expected a string, got a ${typeof value}`);
}

function timeOf(value: unknown): string {
  if (value instanceof Date) {
    const parts = [value.getHours(), value.getMinutes(), value.getSeconds()].map((part) => padded(part));
    return `${parts.join(':')}.${padded(value.getMilliseconds(), 3)}`;
  }
  const [, time, fraction = ''] = TIME.exec(textOf(value)) ?? [];
  if (time === undefined) throw new Error('Invalid time format, expected HH:mm:ss.SSS');
  return `${time}.${fraction.padEnd(3, '0')}`;
}

const ISO = /^\d{4}-\d{2}(?:-\d{2})?(?:[T ].*)?$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A day by itself begins where the server is, as in Strapi. */
function instantOf(text: string): Date | null {
  if (!ISO.test(text)) return null;
  const instant = new Date(DAY.test(text) ? `${text}T00:00:00` : text.replace(' ', 'T'));
  return Number.isNaN(instant.getTime()) ? null : instant;
}

function dateOf(value: unknown): string {
  const date = value instanceof Date ? value : instantOf(textOf(value));
  if (!date) throw new Error('Invalid format, expected an ISO compatible date');
  return `${padded(date.getFullYear(), 4)}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
}

function datetimeOf(value: unknown): Date {
  if (value instanceof Date) return value;
  const text = textOf(value);
  const instant = /^\d+$/.test(text) ? new Date(Number(text)) : instantOf(text);
  if (!instant) throw new Error('Invalid format, expected a timestamp or an ISO date');
  return instant;
}

/** A value as an attribute of a type has it. */
export function parseType({ type, value, forceCast = false }: { type: string; value: unknown; forceCast?: boolean }) {
  switch (type) {
    case 'boolean':
      return booleanOf(value, forceCast);
    case 'integer':
    case 'biginteger':
    case 'float':
    case 'decimal':
      return Number(value);
    case 'time':
      return timeOf(value);
    case 'date':
      return dateOf(value);
    case 'timestamp':
    case 'datetime':
      return datetimeOf(value);
    default:
      return value;
  }
}

export const setCreatorFields =
  ({ user, isEdition = false }: { readonly user: { readonly id: unknown }; readonly isEdition?: boolean }) =>
  (data: Values): Values => ({ ...data, ...(!isEdition && { createdBy: user.id }), updatedBy: user.id });

type Slugify = (text: string, options?: { readonly separator?: string }) => string;

const KEBAB = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

export const stringHelpers = (slugify: Slugify) => ({
  nameToSlug: (name: string, options = { separator: '-' }) => slugify(name, options),
  nameToCollectionName: (name: string) => slugify(name, { separator: '_' }),
  isEqual: (one: unknown, other: unknown) => String(one) === String(other),
  isCamelCase: (value: string) => /^[a-z][a-zA-Z0-9]+$/.test(value),
  isKebabCase: (value: string) => KEBAB.test(value),
  toKebabCase: normalized,
  startsWithANumber: (value: string) => /^\d/.test(value),
  /** With the joint once between parts, whatever they begin and end with. */
  joinBy: (joint: string, ...parts: string[]) =>
    parts
      .map((part, index) => {
        let [from, to] = [0, part.length];
        if (index > 0) while (from < to && joint.includes(part[from]!)) from += 1;
        if (index < parts.length - 1) while (to > from && joint.includes(part[to - 1]!)) to -= 1;
        return part.slice(from, to);
      })
      .join(joint),
});

const SIZES = ['Bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];

export const fileHelpers = {
  kbytesToBytes: (kilobytes: number) => kilobytes * 1000,
  bytesToKbytes: (bytes: number) => Math.round(bytes / 10) / 100,
  bytesToHumanReadable: (bytes: number) => {
    const power = bytes === 0 ? 0 : Math.floor(Math.log(bytes) / Math.log(1000));
    return `${Math.round(bytes / 1000 ** power)} ${SIZES[power]}`;
  },
};

export const policyHelpers = {
  createPolicy: ({ name = 'unnamed', validator, handler }: PolicyParts) => ({
    name,
    validator: (config: unknown) => {
      try {
        validator?.(config);
      } catch {
        throw new Error(`Invalid config passed to "${name}" policy.`);
      }
    },
    handler,
  }),
};

interface PolicyParts {
  readonly name?: string;
  readonly validator?: (config: unknown) => unknown;
  readonly handler: unknown;
}

interface Pages {
  readonly page?: number;
  readonly pageSize?: number;
  readonly start?: number;
  readonly limit?: number;
}

interface PageRules {
  readonly defaults?: { readonly offset?: Pages; readonly page?: Pages };
  /** -1 for none. */
  readonly maxLimit?: number;
}

const isGiven = (value: unknown): value is number => value !== undefined && value !== null;

/** Without a limit, as much as is allowed. */
function rangeOf(start: number, limit: number, maxLimit: number): { start: number; limit: number } {
  const asked = limit === -1 ? maxLimit : limit;
  const atLeast = asked === -1 ? asked : Math.max(asked, 1);
  const isOver = maxLimit !== -1 && atLeast >= maxLimit;
  return { start: Math.max(start, 0), limit: isOver ? maxLimit : atLeast };
}

/** Parameters with `start` and `limit`, whichever way a page is asked for. */
function withDefaultPagination(given: Pages & Values, { defaults = {}, maxLimit = -1 }: PageRules = {}): Values {
  const { page, pageSize, start, limit, ...rest } = given;
  const isByPage = isGiven(page) || isGiven(pageSize);
  const isByOffset = isGiven(start) || isGiven(limit);
  if (isByPage && isByOffset) throw new PaginationError('Cannot use both page & offset pagination in the same query');
  if (isByPage) {
    const { page: firstPage = 1, pageSize: usual = 10 } = defaults.page ?? {};
    const size = rangeOf(0, isGiven(pageSize) ? Math.max(1, pageSize) : usual, maxLimit).limit;
    return { ...rest, ...rangeOf(((page ?? firstPage) - 1) * size, size, maxLimit) };
  }
  const { start: first = 0, limit: usual = 10 } = defaults.offset ?? {};
  return { ...rest, ...rangeOf(start ?? first, limit ?? usual, maxLimit) };
}

export const paginationHelpers = {
  withDefaultPagination,
  transformPagedPaginationInfo: ({ page, pageSize, start, limit }: Pages, total: number) => {
    const isByPage = isGiven(page);
    if (!isByPage && !isGiven(start)) return { page: 1, pageSize: 10, pageCount: 1, total };
    const size = (isByPage ? pageSize : limit) ?? total;
    const at = isByPage ? page : Math.floor(start! / size) + 1;
    return { page: at, pageSize: size, pageCount: size > 0 ? Math.ceil(total / size) : 0, total };
  },
  transformOffsetPaginationInfo: ({ page, pageSize, start, limit }: Pages, total: number) => {
    if (isGiven(page)) return { start: (page - 1) * (pageSize ?? total), limit: pageSize ?? total, total };
    return isGiven(start) ? { start, limit: limit ?? total, total } : { start: 0, limit: 10, total };
  },
};
