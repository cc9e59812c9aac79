// The paths of a project's routes, in Strapi's order, where the first that fits answers; and how far the router of the
// server, which prefers fixed segments, would choose another.
import { type Key, pathToRegexp } from 'path-to-regexp';
import { normalisedPath } from '../../request/normalised-url.ts';

export interface PathPattern {
  readonly path: string;
  /** The values of its parameters; null where a path, in its normal form, does not fit. */
  match(pathname: string): Record<string, string> | null;
  /** The same for the server's router; null for what that has no words for. */
  readonly simple: string | null;
  /** The segments of `simple`. */
  readonly segments: readonly string[];
}

const SIMPLE = /^[^:*?+(){}]*(?::\w+(?=\/|$)[^:*?+(){}]*)*$/;

export function pathPattern(path: string): PathPattern {
  const keys: Key[] = [];
  const expression = pathToRegexp(path, keys, { sensitive: false, strict: false, end: true, encode: normalisedPath });
  const readable = decodedSegments(path);
  const simple = SIMPLE.test(readable) ? (readable.startsWith('/') ? readable : `/${readable}`) : null;
  return {
    path,
    simple,
    segments: segmentsOf(simple ?? ''),
    match(pathname) {
      const found = expression.exec(pathname);
      if (!found) return null;
      const values = keys.flatMap(({ name }, index): [string, string][] => {
        const value = found[index + 1];
        return value === undefined ? [] : [[String(name), decoded(value)]];
      });
      return Object.fromEntries(values);
    },
  };
}

/** As the router compares paths: decoded, but for what would separate segments or stand for others. */
const decodedSegments = (path: string): string =>
  path.replace(/(?:%[\da-f]{2})+/gi, (text) => (/^[^#$%&()*+,/:;=?@{}]+$/.test(decoded(text)) ? decoded(text) : text));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const segmentsOf = (path: string): string[] =>
  path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '');

/** The same path by its fixed segments, whatever its parameters are called. */
export const pathShape = (path: string): string =>
  `/${segmentsOf(path)
    .map((segment) => (segment.startsWith(':') ? ':' : segment))
    .join('/')}`;

/** Whether some path fits both; of patterns with expressions it is assumed. */
export function mayOverlap(one: PathPattern, other: PathPattern): boolean {
  if (one.simple === null || other.simple === null) return true;
  const [a, b] = [one.segments, other.segments];
  return (
    a.length === b.length &&
    a.every((segment, index) => segment[0] === ':' || b[index]![0] === ':' || segment === b[index])
  );
}

/** Whether every path that fits the other fits this one as well. */
export function covers(one: PathPattern, other: PathPattern): boolean {
  if (one.simple === null || other.simple === null) return one.path === other.path;
  const [a, b] = [one.segments, other.segments];
  return a.length === b.length && a.every((segment, index) => segment[0] === ':' || segment === b[index]);
}

/** Whether a router that prefers fixed segments, and patterns without expressions, would take the second of two that overlap. */
export function prefersSecond(first: PathPattern, second: PathPattern): boolean {
  if (first.simple === null || second.simple === null) return first.simple === null;
  const [a, b] = [first.segments, second.segments];
  const at = a.findIndex((segment, index) => (segment[0] === ':') !== (b[index]![0] === ':'));
  return at >= 0 && a[at]![0] === ':';
}
