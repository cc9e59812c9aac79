// The populate grammar: `*`, names, dotted paths, lists, and objects with fields, filters, sort, populate, count
// and fragments → a tree of names.
import { limitExceeded } from '../errors.ts';
import { MAX_POPULATE_DEPTH, MAX_POPULATE_NODES } from '../limits.ts';
import type { Place } from './grammar.ts';
import { badKey, badValue, entriesOf, isObject, itemsOf, within, yesOrNo } from './grammar.ts';
import type { Slots } from './parse-filters.ts';
import { parseFilters } from './parse-filters.ts';
import { parseFields, parseSort } from './parse-sort.ts';
import type { PopulateNode, PopulateShape } from './read-request.ts';

export const NO_POPULATE: PopulateShape = { every: false, at: {}, dotted: false };
const PLAIN: PopulateNode = { fields: null, filters: null, sort: [], populate: NO_POPULATE, count: false, on: null };

export function parsePopulate(value: unknown, place: Place, slots: Slots): PopulateShape {
  const shape = populateShape(value, place, slots);
  checkSize(shape, place);
  return shape;
}

function populateShape(value: unknown, place: Place, slots: Slots): PopulateShape {
  if (value === undefined || value === null || value === '') return NO_POPULATE;
  if (value === '*' || value === true) return { every: true, at: {}, dotted: false };
  if (typeof value === 'string') return dottedPaths([value], place);
  if (Array.isArray(value)) return dottedPaths(itemsOf(value, place), place);
  if (isObject(value)) return populateObject(value, place, slots);
  throw badValue(place, 'a text, a list of texts or an object');
}

interface PathTree {
  [name: string]: PathTree;
}

function dottedPaths(texts: readonly unknown[], place: Place): PopulateShape {
  const tree: PathTree = Object.create(null);
  for (const text of texts) {
    if (typeof text !== 'string') throw badValue(place, 'a text, a list of texts or an object');
    for (const part of itemsOf(text.split(','), place)) {
      const path = String(part).trim();
      if (path === '') continue;
      const names = path.split('.');
      if (names.length > MAX_POPULATE_DEPTH) throw tooDeep(place);
      let branch = tree;
      for (const name of names) {
        if (name === '' || name === '*') throw badKey(name === '' ? path : name, place);
        branch[name] ??= Object.create(null) as PathTree;
        branch = branch[name];
      }
    }
  }
  return fromTree(tree);
}

const fromTree = (tree: PathTree): PopulateShape => ({
  every: false,
  at: Object.fromEntries(
    Object.entries(tree).map(([name, branch]) => [
      name,
      Object.keys(branch).length === 0 ? PLAIN : { ...PLAIN, populate: fromTree(branch) },
    ]),
  ),
  dotted: true,
});

function populateObject(value: Record<string, unknown>, place: Place, slots: Slots): PopulateShape {
  const at: Record<string, PopulateNode | null> = Object.create(null);
  for (const [name, options] of entriesOf(value, place)) {
    if (name === '*' || name === '') throw badKey(name, place);
    at[name] = populateNode(options, within(place, name), slots);
  }
  return { every: false, at, dotted: false };
}

function populateNode(options: unknown, place: Place, slots: Slots): PopulateNode | null {
  const yes = yesOrNo(options);
  if (yes !== undefined) return yes ? PLAIN : null;
  if (typeof options === 'string' && options !== '') throw badKey(options, place);
  if (!isObject(options)) throw badValue(place, 'true, or an object of options');
  let node: PopulateNode = PLAIN;
  for (const [key, option] of entriesOf(options, place)) {
    // Inside, paths name the attribute, as everywhere; the keyword itself is no attribute.
    const inside = within(place);
    switch (key) {
      case 'fields':
        node = { ...node, fields: parseFields(option, inside) };
        break;
      case 'filters':
        node = { ...node, filters: parseFilters(option, inside, slots) };
        break;
      case 'sort':
        node = { ...node, sort: parseSort(option, inside) };
        break;
      case 'populate':
        node = { ...node, populate: populateShape(option, inside, slots) };
        break;
      case 'count': {
        const count = yesOrNo(option);
        if (count === undefined) throw badKey('count', place);
        node = { ...node, count };
        break;
      }
      case 'on':
        node = { ...node, on: fragments(option, inside, slots) };
        break;
      default:
        throw badKey(key, place);
    }
  }
  return node;
}

function fragments(value: unknown, place: Place, slots: Slots): Record<string, PopulateNode> {
  if (!isObject(value)) throw badKey('on', place);
  const on: Record<string, PopulateNode> = Object.create(null);
  for (const [uid, options] of entriesOf(value, place)) {
    const node = populateNode(options, within(place, uid), slots);
    if (node) on[uid] = node;
  }
  return on;
}

const tooDeep = (place: Place): Error =>
  limitExceeded('MAX_POPULATE_DEPTH', MAX_POPULATE_DEPTH, 'levels of populate', { param: place.param });

function checkSize(root: PopulateShape, place: Place): void {
  let nodes = 0;
  const visit = (shape: PopulateShape, depth: number): void => {
    if (depth > MAX_POPULATE_DEPTH) throw tooDeep(place);
    for (const node of Object.values(shape.at)) if (node) visitNode(node, depth);
  };
  const visitNode = (node: PopulateNode, depth: number): void => {
    if (++nodes > MAX_POPULATE_NODES)
      throw limitExceeded('MAX_POPULATE_NODES', MAX_POPULATE_NODES, 'populated attributes', { param: place.param });
    visit(node.populate, depth + 1);
    for (const fragment of Object.values(node.on ?? {})) visitNode(fragment, depth + 1);
  };
  visit(root, 0);
}
