// The body of a write request as it comes over the wire, and the parameters beside it.
import { invalidKey, limitExceeded, type SheafError, validationError } from '../errors.ts';
import { MAX_BODY_DEPTH } from '../limits.ts';
import { badValue, rootPlace } from './grammar.ts';
import type { ReadParameters } from './parse-read.ts';
import { bodyKeyError } from './parse-relation.ts';
import type { Status } from './read-request.ts';

/** The `data` of a body; everything else about it is judged against the model. */
export function parseData(body: unknown): Record<string, unknown> {
  const data = typeof body === 'object' && body !== null ? (body as { data?: unknown }).data : undefined;
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw validationError('Missing "data" payload in the request body');
  const stray = Object.keys(body as object).find((key) => key !== 'data');
  if (stray !== undefined) throw bodyKeyError(stray, []);
  checkDepth(data);
  return data as Record<string, unknown>;
}

/** Depth is measured with a list of work, never by recursion, so that no body can exhaust the stack. */
export function checkDepth(body: object): void {
  let level: object[] = [body as object];
  for (let depth = 0; level.length > 0; depth++) {
    const below: object[] = [];
    for (const container of level)
      for (const value of Object.values(container)) {
        if (depth >= MAX_BODY_DEPTH)
          throw limitExceeded('MAX_BODY_DEPTH', MAX_BODY_DEPTH, 'levels in the body', { source: 'body' });
        if (typeof value === 'object' && value !== null) below.push(value);
      }
    level = below;
  }
}

/** Which locale and status a write is for, and the parameters that shape its answer. */
export interface WriteParameters {
  readonly status: Status;
  /** Null: the default one. */
  readonly locale: string | null;
  readonly answer: ReadParameters;
}

/** What a write takes besides its body; a filter or a sort could only be ignored. */
const WRITE_KEYS = new Set(['fields', 'populate', 'status', 'locale']);

export function parseWriteParameters(parameters: ReadParameters, defaultStatus: Status): WriteParameters {
  for (const key of Object.keys(parameters)) if (!WRITE_KEYS.has(key)) throw invalidKey(key, [], key);
  const { locale, status, ...answer } = parameters;
  if (status !== undefined && status !== 'draft' && status !== 'published')
    throw badValue(rootPlace('status'), 'draft or published');
  return { status: status ?? defaultStatus, locale: writeLocale(locale), answer };
}

function writeLocale(locale: unknown): string | null {
  if (locale === undefined || locale === null || locale === '') return null;
  if (typeof locale !== 'string' || locale === '*') throw badValue(rootPlace('locale'), 'one locale code');
  return locale;
}

/** Which locales of a document an operation on the whole of it is for. */
export function parseLocales(locale: unknown): readonly string[] | 'all' | 'default' {
  if (locale === undefined || locale === null || locale === '') return 'default';
  if (locale === '*') return 'all';
  const codes = Array.isArray(locale) ? locale : [locale];
  if (codes.some((code) => typeof code !== 'string' || code === ''))
    throw badValue(rootPlace('locale'), 'a locale code, a list of them, or *');
  return codes as string[];
}

export const unknownLocale = (): SheafError =>
  validationError('Invalid value for locale: expected a locale of the project', {
    source: 'query',
    param: 'locale',
    key: 'locale',
  });
