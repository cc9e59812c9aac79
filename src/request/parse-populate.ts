// The populate grammar: `*`, names, dotted paths, lists, and objects with fields, filters, sort, populate, count
// and fragments → a tree of names.
import { limitExceeded } from '../errors.ts';
import type { Location } from './grammar.ts';
import { badKey, badValue, entriesOf, isPlainObject, itemsOf, within, yesOrNo } from './grammar.ts';
import type { Slots } from './parse-filters.ts';
import { parseFilters } from './parse-filters.ts';
import { DEFAULT_PAGES, type PageRules, parsePopulatePage } from './parse-pagination.ts';
import { parseFields, parseSort } from './parse-sort.ts';
import type { PopulateNode, PopulatePage, PopulateShape } from './read-request.ts';

export const NO_POPULATE: PopulateShape = { all: false, at: {}, dotted: false };
const EVERYTHING: PopulateShape = { all: true, at: {}, dotted: false };
export const PLAIN_NODE: PopulateNode = {
  fields: null,
  filters: null,
  sort: [],
  populate: NO_POPULATE,
  count: false,
  page: null,
  on: null,
};

/** What the parser collects values in, and what holds for pages. */
interface Scope {
  readonly slots: Slots;
  readonly pages: PageRules;
}

export function parsePopulate(
  value: unknown,
  location: Location,
  slots: Slots,
  pages: PageRules = DEFAULT_PAGES,
): PopulateShape {
  const isNothing = value === 'false' || value === false;
  const shape = isNothing ? NO_POPULATE : populateShape(value, location, { slots, pages });
  checkSize(shape, location);
  return shape;
}

/** What is populated without an attribute, in every form; the same value where it is not there. */
export function withoutPopulated(populate: unknown, name: string): unknown {
  const isNamed = (path: unknown): boolean => typeof path === 'string' && path.trim().split('.', 1)[0] === name;
  if (typeof populate === 'string') {
    const paths = populate.split(',');
    return paths.some(isNamed) ? paths.filter((path) => !isNamed(path)).join(',') : populate;
  }
  if (Array.isArray(populate)) return populate.some(isNamed) ? populate.filter((path) => !isNamed(path)) : populate;
  if (!isPlainObject(populate)) return populate;
  const { [name]: left, ...rest } = populate;
  return left === undefined ? populate : rest;
}

function populateShape(value: unknown, location: Location, scope: Scope): PopulateShape {
  if (value === undefined || value === null || value === '') return NO_POPULATE;
  if (value === '*' || value === true) return EVERYTHING;
  if (typeof value === 'string') return dottedPaths([value], location);
  if (Array.isArray(value)) return dottedPaths(itemsOf(value, location), location);
  if (isPlainObject(value)) return populateObject(value, location, scope);
  throw badValue(location, 'a string, a list of strings or an object');
}

/** Names, each with those below it. */
class PathTree extends Map<string, PathTree> {}

function dottedPaths(texts: readonly unknown[], location: Location): PopulateShape {
  const tree = new PathTree();
  for (const text of texts) {
    if (typeof text !== 'string') throw badValue(location, 'a string, a list of strings or an object');
    for (const part of itemsOf(text.split(','), location)) {
      const path = String(part).trim();
      if (path === '') continue;
      const names = path.split('.');
      if (names.length > location.limits.populateDepth) throw tooDeep(location);
      let branch = tree;
      for (const [index, name] of names.entries()) {
        if (name === '') throw badKey(path, location);
        if (name === '*') throw badKey(name, within(location, ...names.slice(0, index)));
        const below = branch.get(name) ?? new PathTree();
        branch.set(name, below);
        branch = below;
      }
    }
  }
  return fromTree(tree);
}

const fromTree = (tree: PathTree): PopulateShape => ({
  all: false,
  at: Object.fromEntries(
    [...tree].map(([name, branch]) => [
      name,
      branch.size === 0 ? PLAIN_NODE : { ...PLAIN_NODE, populate: fromTree(branch) },
    ]),
  ),
  dotted: true,
});

function populateObject(value: Record<string, unknown>, location: Location, scope: Scope): PopulateShape {
  const at: Record<string, PopulateNode | null> = Object.create(null);
  for (const [name, options] of entriesOf(value, location)) {
    if (name === '*' || name === '') throw badKey(name, location);
    at[name] = populateNode(options, within(location, name), scope);
  }
  return { all: false, at, dotted: false };
}

function populateNode(options: unknown, location: Location, scope: Scope): PopulateNode | null {
  const yes = yesOrNo(options);
  if (yes !== undefined) return yes ? PLAIN_NODE : null;
  if (options === '*') return { ...PLAIN_NODE, populate: EVERYTHING };
  if (typeof options === 'string' && options !== '') throw badKey(options, location);
  if (!isPlainObject(options)) throw badValue(location, 'true, or an object of options');
  let node: PopulateNode = PLAIN_NODE;
  for (const [key, option] of entriesOf(options, location)) {
    // Inside, paths name the attribute, as everywhere; the keyword itself is no attribute.
    const inside = within(location);
    switch (key) {
      case 'fields':
        node = { ...node, fields: parseFields(option, inside) };
        break;
      case 'filters':
        node = { ...node, filters: parseFilters(option, inside, scope.slots) };
        break;
      case 'sort':
        node = { ...node, sort: parseSort(option, inside) };
        break;
      case 'populate':
        node = { ...node, populate: nestedShape(option, inside, scope) };
        break;
      case 'count': {
        const count = yesOrNo(option);
        if (count === undefined) throw badKey('count', location);
        node = { ...node, count };
        break;
      }
      case 'pagination':
        node = { ...node, page: populatePage(option, within(location, key), scope) };
        break;
      case 'on':
        node = { ...node, on: fragments(option, inside, scope) };
        break;
      default:
        throw badKey(key, location);
    }
  }
  if (node.page && node.count) throw badKey('count', location);
  return node;
}

/** The numbers are values like any other: requests that differ in them share a plan. */
function populatePage(value: unknown, location: Location, { slots, pages }: Scope): PopulatePage {
  const { start, limit, withCount } = parsePopulatePage(value, location, pages);
  return { start: slots.put(start), limit: slots.put(limit), withCount };
}

/** Below an attribute, `true` and `false` are no names but say whether everything is populated there. */
function nestedShape(value: unknown, location: Location, scope: Scope): PopulateShape {
  const yes = yesOrNo(value);
  if (yes !== undefined) return yes ? EVERYTHING : NO_POPULATE;
  return populateShape(value, location, scope);
}

function fragments(value: unknown, location: Location, scope: Scope): Record<string, PopulateNode> {
  if (!isPlainObject(value)) throw badKey('on', location);
  const on: Record<string, PopulateNode> = Object.create(null);
  for (const [uid, options] of entriesOf(value, location)) {
    const node = populateNode(options, within(location, uid), scope);
    if (node) on[uid] = node;
  }
  return on;
}

const tooDeep = ({ param, limits }: Location): Error =>
  limitExceeded('MAX_POPULATE_DEPTH', limits.populateDepth, 'levels of populate', { param });

function checkSize(root: PopulateShape, location: Location): void {
  const { populateNodes, populateDepth } = location.limits;
  let nodes = 0;
  const visit = (shape: PopulateShape, depth: number): void => {
    if (depth > populateDepth) throw tooDeep(location);
    for (const node of Object.values(shape.at)) if (node) visitNode(node, depth);
  };
  const visitNode = (node: PopulateNode, depth: number): void => {
    if (++nodes > populateNodes)
      throw limitExceeded('MAX_POPULATE_NODES', populateNodes, 'populated attributes', { param: location.param });
    visit(node.populate, depth + 1);
    for (const fragment of Object.values(node.on ?? {})) visitNode(fragment, depth + 1);
  };
  visit(root, 0);
}
