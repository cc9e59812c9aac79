// What is populated ↔ the value of `populate`.
import type { QueryValue } from '../../../src/client/query-text.ts';
import { NO_POPULATE, PLAIN_POPULATE, type PopulateDraft, type PopulateItem, type PopulateNode } from './draft.ts';
import { isQueryObject, readFilters, strings, writeFilters, yesOrNo } from './filter-text.ts';
import { readFields, readSort, writeSort } from './lists-text.ts';
import { attributeIn, leadsOn, type SchemaView, schemaView, viewBelow } from './schema-view.ts';

type QueryObject = { readonly [key: string]: QueryValue };

export function writePopulate({ all, at }: PopulateDraft): QueryValue | undefined {
  if (all) return '*';
  return at.length === 0 ? undefined : itemsObject(at);
}

const itemsObject = (items: readonly PopulateItem[]): QueryObject =>
  Object.fromEntries(items.map(({ name, node }) => [name, writeNode(node)]));

function writeNode(node: PopulateNode): QueryValue {
  const filters = writeFilters(node.filters);
  const populate = writePopulate(node.populate);
  const options: QueryObject = {
    ...(node.fields && { fields: node.fields }),
    ...(filters && { filters }),
    ...(node.sort.length > 0 && { sort: writeSort(node.sort) }),
    ...(populate !== undefined && { populate }),
    ...(node.count && { count: 'true' }),
    ...(Object.keys(node.page).length > 0 && { pagination: node.page }),
    ...(node.on.length > 0 && { on: itemsObject(node.on) }),
    ...node.other,
  };
  return Object.keys(options).length === 0 ? 'true' : options;
}

/** Null for a value that is none of the forms of `populate`. */
export function readPopulate(value: QueryValue, view: SchemaView | null): PopulateDraft | null {
  if (value === null || value === '' || value === 'false') return NO_POPULATE;
  if (value === '*' || value === 'true') return { all: true, at: [] };
  const paths = strings(value);
  if (paths) return readPaths(paths, view);
  if (!isQueryObject(value)) return null;
  const at = readItems(value, (name) => viewBelow(view, name));
  return at && { all: false, at };
}

function readItems(object: QueryObject, below: (name: string) => SchemaView | null): PopulateItem[] | null {
  const items: PopulateItem[] = [];
  for (const [name, value] of Object.entries(object)) {
    // Switched off is the same as not named.
    if (yesOrNo(value) === false) continue;
    const node = readNode(value, below(name));
    if (!node) return null;
    items.push({ name, node });
  }
  return items;
}

function readNode(value: QueryValue, view: SchemaView | null): PopulateNode | null {
  if (yesOrNo(value)) return PLAIN_POPULATE;
  if (value === '*') return { ...PLAIN_POPULATE, populate: { all: true, at: [] } };
  if (!isQueryObject(value)) return null;
  let node = PLAIN_POPULATE;
  for (const [key, option] of Object.entries(value))
    node = withOption(node, key, option, view) ?? { ...node, other: { ...node.other, [key]: option } };
  return node;
}

/** Null for an option that is not understood. */
function withOption(node: PopulateNode, key: string, option: QueryValue, view: SchemaView | null): PopulateNode | null {
  const withPart = <K extends keyof PopulateNode>(name: K, part: PopulateNode[K] | null) =>
    part === null ? null : { ...node, [name]: part };
  switch (key) {
    case 'fields': {
      const fields = readFields(option);
      return fields === undefined ? null : { ...node, fields };
    }
    case 'filters':
      if (option === null) return node;
      return isQueryObject(option) ? { ...node, filters: readFilters(option, view) } : null;
    case 'sort':
      return withPart('sort', readSort(option));
    case 'populate': {
      const yes = yesOrNo(option);
      return yes === null
        ? withPart('populate', readPopulate(option, view))
        : { ...node, populate: { all: yes, at: [] } };
    }
    case 'count':
      return withPart('count', yesOrNo(option));
    case 'pagination':
      return withPart('page', flat(option));
    case 'on':
      return isQueryObject(option)
        ? withPart(
            'on',
            readItems(option, (uid) => (view ? schemaView(view.model, uid) : null)),
          )
        : null;
  }
  return null;
}

type Texts = Readonly<Record<string, string>>;

const isTexts = (value: QueryValue): value is Texts =>
  isQueryObject(value) && Object.values(value).every((one) => typeof one === 'string');

/** An object of texts. */
export const flat = (value: QueryValue): Texts | null => (isTexts(value) ? value : null);

// ---- dotted paths

interface PathTree {
  readonly names: Map<string, PathTree>;
}

function readPaths(texts: readonly string[], view: SchemaView | null): PopulateDraft {
  const root: PathTree = { names: new Map() };
  for (const path of texts.flatMap((text) => text.split(',')).map((one) => one.trim())) {
    if (path === '') continue;
    let here = root;
    for (const name of path.split('.')) {
      const next = here.names.get(name) ?? { names: new Map() };
      here.names.set(name, next);
      here = next;
    }
  }
  return fromTree(root, view);
}

const fromTree = ({ names }: PathTree, view: SchemaView | null): PopulateDraft => ({
  all: false,
  at: [...names].map(([name, tree]) => ({ name, node: nodeOfTree(name, tree, view) })),
});

function nodeOfTree(name: string, tree: PathTree, view: SchemaView | null): PopulateNode {
  if (tree.names.size === 0) return PLAIN_POPULATE;
  const components = attributeIn(view, name)?.components;
  if (!view || !components) return { ...PLAIN_POPULATE, populate: fromTree(tree, viewBelow(view, name)) };
  // Through a zone a path leads to whatever component has the name; written as an object, each is named.
  const on = components.map((uid) => {
    const component = schemaView(view.model, uid);
    const has = (inner: string): boolean => {
      const attribute = attributeIn(component, inner);
      return attribute !== undefined && leadsOn(attribute);
    };
    const known: PathTree = { names: new Map([...tree.names].filter(([inner]) => has(inner))) };
    return { name: uid, node: { ...PLAIN_POPULATE, populate: fromTree(known, component) } };
  });
  return { ...PLAIN_POPULATE, on };
}
