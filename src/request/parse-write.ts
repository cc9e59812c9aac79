// The body of a write request as it comes over the wire, and the parameters beside it.
import { invalidKey, limitExceeded, type SheafError, validationError } from '../errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';
import { isObject } from '../type-guards.ts';
import { badValue, isDeeper, rootLocation } from './grammar.ts';
import { isLocaleCode, type ReadParameters } from './parse-read.ts';
import { bodyKeyError } from './parse-relation.ts';
import type { Status } from './read-request.ts';

/** The `data` of a body; everything else about it is checked against the model. */
export function parseData(body: unknown, limits: Limits = DEFAULT_LIMITS): Record<string, unknown> {
  if (!isObject(body) || !isObject(body.data)) throw validationError('Missing "data" payload in the request body');
  const { data } = body;
  const unknownKey = Object.keys(body).find((key) => key !== 'data');
  if (unknownKey !== undefined) throw bodyKeyError(unknownKey, []);
  checkDepth(data, limits);
  return data;
}

/** Checks the `data` that code in process gave, whatever its type says. */
export function checkData(data: unknown, limits: Limits): void {
  if (!isObject(data))
    throw validationError('Missing "data": expected an object of values by attribute', { key: 'data' });
  checkDepth(data, limits);
}

function checkDepth(body: object, { bodyDepth }: Limits): void {
  if (isDeeper(body, bodyDepth))
    throw limitExceeded('MAX_BODY_DEPTH', bodyDepth, 'levels in the body', { source: 'body' });
}

/** Which locales and status a write is for, and the parameters that shape its answer. */
export interface ParsedWrite {
  /** The status that is written, and answered with. */
  readonly status: Status;
  /** The locale that a create or update writes; null for a type without locales, and for what takes several. */
  readonly locale: string | null;
  readonly locales: readonly (string | null)[] | 'all';
  readonly publishes: boolean;
  readonly answer: ReadParameters;
  /** The locale that the answer shows; null for a type without locales. */
  readonly answerLocale: string | null;
}

/** What parsing needs to know of the operation; the model itself stays out of here. */
interface WriteLike {
  readonly name: 'create' | 'update' | 'delete' | 'publish' | 'unpublish' | 'discardDraft' | 'clone';
  readonly type: { readonly uid: string; readonly localized: boolean; readonly draftAndPublish: boolean };
  readonly parameters: ReadParameters;
  readonly defaultStatus: Status;
}

/** What a write takes besides its body; a filter or a sort could only be ignored. */
export const WRITE_PARAMETERS: readonly string[] = ['fields', 'populate', 'status', 'locale', 'timezone'];
export const ACTION_PARAMETERS: readonly string[] = ['fields', 'populate', 'locale', 'timezone'];
export const DELETE_PARAMETERS: readonly string[] = ['locale', 'status'];
const DRAFT_ACTIONS: ReadonlySet<string> = new Set(['publish', 'unpublish', 'discardDraft']);

/** `wantsEntry`: whether the answer holds the entry, so that parameters may shape it. */
export function parseWrite(
  { name, type, parameters, defaultStatus }: WriteLike,
  defaultLocale: string,
  wantsEntry: boolean,
): ParsedWrite {
  const isBody = name === 'create' || name === 'update';
  const allowed =
    isBody || wantsEntry ? (isBody || name === 'delete' ? WRITE_PARAMETERS : ACTION_PARAMETERS) : DELETE_PARAMETERS;
  for (const key of Object.keys(parameters)) if (!allowed.includes(key)) throw invalidKey(key, [], key);
  if (DRAFT_ACTIONS.has(name) && !type.draftAndPublish)
    throw validationError(`${type.uid} has no drafts, so it cannot be published or unpublished`);
  const { locale: given, status: asked, ...answer } = parameters;
  if (isBody) {
    const status = parseStatus(asked) ?? defaultStatus;
    const locale = type.localized ? (writeLocale(given) ?? defaultLocale) : writeLocale(given) && null;
    return { status, locale, locales: [locale], publishes: status === 'published', answer, answerLocale: locale };
  }
  if (parseStatus(asked) === 'draft' && type.draftAndPublish)
    throw validationError('Invalid value for status: a draft cannot be deleted alone', {
      key: 'status',
      source: 'query',
      param: 'status',
    });
  const locales = parseLocales(given, type.localized, defaultLocale);
  const status = name === 'publish' || !type.draftAndPublish ? 'published' : 'draft';
  // The answer shows one locale: the first one asked for.
  const answerLocale = type.localized ? ((locales === 'all' ? '*' : locales[0]) ?? null) : null;
  return { status, locale: null, locales, publishes: name === 'publish', answer, answerLocale };
}

function parseStatus(status: unknown): Status | null {
  if (status === undefined) return null;
  if (status === 'draft' || status === 'published') return status;
  throw badValue(rootLocation('status'), 'draft or published');
}

function writeLocale(locale: unknown): string | null {
  if (locale === undefined || locale === null || locale === '') return null;
  if (typeof locale !== 'string' || !isLocaleCode(locale)) throw badValue(rootLocation('locale'), 'one locale code');
  return locale;
}

/** Which locales of a document an operation on the whole of it is for. */
function parseLocales(locale: unknown, localized: boolean, defaultLocale: string): ParsedWrite['locales'] {
  const isDefault = locale === undefined || locale === null || locale === '';
  const codes: readonly unknown[] = isDefault ? [defaultLocale] : Array.isArray(locale) ? locale : [locale];
  if (locale === '*') return 'all';
  const valid = codes.filter((code): code is string => typeof code === 'string' && isLocaleCode(code));
  if (valid.length < codes.length) throw badValue(rootLocation('locale'), 'a locale code, a list of them, or *');
  return localized ? valid : 'all';
}

export const unknownLocale = (): SheafError =>
  validationError('Invalid value for locale: expected a locale of the project', {
    source: 'query',
    param: 'locale',
    key: 'locale',
  });
