// What a query string may hold beside the parameters of a route: what clients send without meaning anything by it is
// taken out and named; what is probably a parameter spelled wrongly is refused.
import { editDistance } from '../edit-distance.ts';
import { invalidKey, validationError } from '../errors.ts';
import { isPlainObject } from './grammar.ts';
import { MISPLACED_PARAMETERS, READ_PARAMETERS } from './parse-read.ts';
import type { QueryObject } from './query-string.ts';

/** Which parameters a route takes, and what becomes of others. */
export interface Admission {
  /** Parameters of the dialect that change nothing here, and that clients send all the same. */
  readonly meaningless: readonly string[];
  /** Whether a parameter that nobody knows is refused. */
  readonly strict: boolean;
  /** Parameters that the route takes besides those of lists. */
  readonly known?: readonly string[];
}

export interface AdmittedQuery {
  readonly parameters: QueryObject;
  /** Names of what was ignored, as they would be written in a query. */
  readonly ignored: readonly string[];
  /** Of what was ignored, the parameters that name attributes. */
  readonly unused: QueryObject;
}

/** Conditions are not among them: to ignore one would write what it meant to spare. */
export const MEANINGLESS_ON_WRITE: readonly string[] = ['sort', 'pagination'];
export const MEANINGLESS_ON_DELETE: readonly string[] = ['sort', 'pagination', 'fields', 'populate', 'timezone'];

/** Parameters that name attributes: they are held to the model also where they change nothing. */
const NAMING: readonly string[] = ['sort', 'fields', 'populate'];

/** Members of `pagination` in responses, which clients send back with the rest of it. */
const ANSWERED: readonly string[] = ['pageCount', 'total'];

/** Parameters that Strapi 5 takes at the top of any query, and that have no effect there. */
const WITHOUT_EFFECT: readonly string[] = ['count', 'ordering'];

const DIALECT: readonly string[] = [...READ_PARAMETERS, ...MISPLACED_PARAMETERS];

/** The parameters that a request means. Whether the route takes each of them is for its own parser to say. */
export function admitQuery(query: QueryObject, { meaningless, strict, known = [] }: Admission): AdmittedQuery {
  const ignored: string[] = [];
  for (const key of Object.keys(query)) {
    if (meaningless.includes(key)) ignored.push(key);
    else if (!DIALECT.includes(key) && !known.includes(key)) ignored.push(unknownParameter(key, strict));
  }
  const answered = meaningless.includes('pagination') ? [] : answeredIn(query.pagination);
  if (ignored.length + answered.length === 0) return { parameters: query, ignored, unused: {} };
  const parameters = without(query, ignored);
  const naming = NAMING.filter((key) => ignored.includes(key));
  const unused = Object.fromEntries(naming.map((key) => [key, query[key]]));
  if (answered.length === 0 || !isPlainObject(query.pagination)) return { parameters, ignored, unused };
  return {
    parameters: { ...parameters, pagination: without(query.pagination, answered) },
    ignored: [...ignored, ...answered.map((key) => `pagination[${key}]`)],
    unused,
  };
}

const answeredIn = (pagination: unknown): readonly string[] =>
  isPlainObject(pagination) ? ANSWERED.filter((key) => Object.hasOwn(pagination, key)) : [];

const without = (object: QueryObject, keys: readonly string[]): QueryObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

function unknownParameter(key: string, strict: boolean): string {
  const meant = nearMiss(key);
  if (meant !== null)
    throw validationError(`Invalid key ${key}: did you mean ${meant}?`, {
      key,
      path: null,
      source: 'query',
      param: key,
    });
  if (strict && !WITHOUT_EFFECT.includes(key)) throw invalidKey(key, [], key);
  return key;
}

/** Whether a name is a parameter of the dialect. */
export const isParameter = (name: string): boolean => DIALECT.includes(name);

/** Whether a name is no parameter, and would be refused for being close to one. */
export const isMisspelled = (name: string): boolean => !isParameter(name) && nearMiss(name) !== null;

/** From this length on, a name that differs in one letter is hardly another word; from the second on, in two. */
const ONE_WRONG_LETTER = 6;
const TWO_WRONG_LETTERS = 8;

/** A name that filters have inside Strapi 5, which refuses it in a query. It ignores `where`, as they were called before. */
const LOOKUP = 'lookup';

/** The parameter that a name was probably meant for; null for a name of its own. */
export function nearMiss(name: string): string | null {
  const given = spelling(name);
  if (given === '') return null;
  if (given === LOOKUP) return 'filters';
  const meant = DIALECT.find((known) => isNear(given, spelling(known)));
  if (meant === undefined) return null;
  return MISPLACED_PARAMETERS.includes(meant) ? `pagination[${meant}]` : meant;
}

/** `_sort`, `Sort` and `sort[]` are spelled the same. */
const spelling = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

function isNear(given: string, known: string): boolean {
  if (given === known || isPlural(given, known) || isPlural(known, given)) return true;
  const allowed = known.length >= TWO_WRONG_LETTERS ? 2 : known.length >= ONE_WRONG_LETTER ? 1 : 0;
  return Math.abs(given.length - known.length) <= allowed && editDistance(given, known) <= allowed;
}

const isPlural = (many: string, one: string): boolean => many === `${one}s` || many === `${one}es`;
