// Query strings in the bracket dialect, written as the server reads them, and read back. Lists are written with indexes,
// the form in which nothing else can be meant. What the dialect cannot say is refused, because a condition that gets
// lost on the way would show entries that it was meant to hide.

/** What a query string holds: strings, since it has no other values, and what is made of them. */
export type QueryValue = string | null | readonly QueryValue[] | { readonly [key: string]: QueryValue };

/** Parameters that hold parts of a request. Inside of conditions the same words are names of attributes. */
const PARTS = new Set(['filters', 'sort', 'fields', 'populate', 'pagination', 'on']);
const CONDITIONS = new Set(['filters', 'having']);
/** Characters of names and values that need not be encoded, so that a URL stays legible. */
const LEGIBLE = /%(?:24|2C|3A|40|2F)/g;

/**
 * The query string of an object: `query({ filters: { stars: { $gte: 2 } } })` is `filters[stars][$gte]=2`. Numbers,
 * booleans and dates become strings. What is `undefined` is left out, except in filters.
 */
export function query(parameters: object): string {
  const pairs: string[] = [];
  write(parameters, [], pairs);
  return pairs.join('&');
}

function write(value: unknown, path: readonly string[], pairs: string[]): void {
  if (value === undefined && !isCondition(path)) return;
  if (value === undefined) throw unwritable(path, 'undefined');
  if (value === null) pairs.push(keyOf(path));
  else if (typeof value !== 'object' || value instanceof Date) pairs.push(`${keyOf(path)}=${encoded(textOf(value))}`);
  else {
    const entries = Object.entries(value);
    if (!Array.isArray(value)) for (const [name] of entries) checkName(name, path);
    if (entries.length === 0 && path.length > 0) pairs.push(nothing(Array.isArray(value), path));
    for (const [name, inner] of entries) write(inner, [...path, name], pairs);
  }
}

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

const isCondition = (path: readonly string[]): boolean => path.slice(0, -1).some((name) => CONDITIONS.has(name));

/** An empty list or object. The dialect has neither, so it is said in another way what the server makes of them. */
function nothing(isList: boolean, path: readonly string[]): string {
  const name = path.at(-1)!;
  const key = keyOf(path);
  const isInside = isCondition(path);
  if (path.length === 1 || (PARTS.has(name) && !isInside)) return key;
  if (!isList && !isInside) return `${key}=true`;
  if (isList && (name === '$in' || name === '$notIn')) return key;
  if (isList && /^[^$\d]/.test(name)) return `${key}[$in]`;
  throw unwritable(path, isList ? 'an empty list' : 'an empty object');
}

/** A name with brackets would be taken for several, and a whole number for a place in a list. */
function checkName(name: string, path: readonly string[]): void {
  if (name === '' || /[[\]]|^\d+$|__proto__/.test(name)) throw unwritable([...path, name], 'such a name');
}

const unwritable = (path: readonly string[], what: string): TypeError =>
  new TypeError(`${path.join('.')}: a query cannot hold ${what}`);

const keyOf = ([first, ...names]: readonly string[]): string =>
  encoded(first!) + names.map((name) => `[${encoded(name)}]`).join('');

const encoded = (text: string): string => encodeURIComponent(text).replace(LEGIBLE, decodeURIComponent);

/** Values by name; where a name is given several times, several. */
type Tree = Map<string, Tree | (string | null)[]>;

/** A place that takes several values: two that are equal may be meant there. */
const LIST_KEY = /(\[\]|\$between\])$/;

/** What a query string says, with or without its `?`. All values are strings, or null for a key without a value. */
export function parse(text: string): Record<string, QueryValue> {
  const tree: Tree = new Map();
  const seen = new Set<string>();
  for (const part of text.replace(/^\?/, '').split('&')) {
    const pair = part.replace(/%5B/gi, '[').replace(/%5D/gi, ']');
    const bracket = pair.indexOf(']=');
    const end = bracket < 0 ? pair.indexOf('=') : bracket + 1;
    const key = end < 0 ? pair : pair.slice(0, end);
    if (pair === '' || (seen.has(pair) && !LIST_KEY.test(key))) continue;
    seen.add(pair);
    put(tree, namesOf(decoded(key)), end < 0 ? null : decoded(pair.slice(end + 1)));
  }
  return Object.fromEntries([...tree].map(([name, inner]) => [name, meantBy(inner)]));
}

function namesOf(key: string): string[] {
  const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? [];
  if (first === undefined || key.includes('__proto__')) throw new SyntaxError(`${key}: not a key of a query`);
  return [first, ...[...rest!.matchAll(/\[([^\]]*)/g)].map(([, name]) => name!)];
}

function put(tree: Tree, [name, ...names]: readonly string[], value: string | null): void {
  const key = name === '' ? String(tree.size) : name!;
  const inner = tree.get(key);
  if (names.length === 0) {
    if (inner instanceof Map) throw bothIn(key);
    tree.set(key, [...(inner ?? []), value]);
  } else {
    if (Array.isArray(inner)) throw bothIn(key);
    const below: Tree = inner ?? new Map();
    tree.set(key, below);
    put(below, names, value);
  }
}

const bothIn = (key: string): SyntaxError => new SyntaxError(`${key}: both a value and an object`);

function meantBy(inner: Tree | (string | null)[]): QueryValue {
  if (!(inner instanceof Map)) return inner.length === 1 ? inner[0]! : inner;
  const entries = [...inner].map(([name, value]) => [name, meantBy(value)] as const);
  if (!entries.every(([name]) => /^(0|[1-9]\d*)$/.test(name))) return Object.fromEntries(entries);
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}

function decoded(text: string): string {
  const spaced = text.replace(/\+/g, ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
