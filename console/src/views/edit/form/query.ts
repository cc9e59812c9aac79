// The requests of the form: what it reads, and what it sends.
import type {
  ConsoleAttribute,
  ConsoleModel,
  ConsoleSchema,
  ConsoleType,
} from '../../../../../src/console/contract.ts';
import { isObject } from '../../../../../src/type-guards.ts';
import { attributeOf, schemaOf, typeOf } from '../../../shell/model.ts';
import type { Body } from './changes.ts';
import { formAttributes } from './values.ts';

/** How many entries of a relation are read at once. */
export const RELATION_PAGE = 50;
/** Components in components, at most: as deep as the server populates. */
const MAX_LEVELS = 8;

type Pairs = (readonly [string, string])[];

const textOf = (pairs: Pairs): string => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');

/** The attribute that names an entry, as `fields` takes it. */
export const titleField = (type: ConsoleSchema): string =>
  attributeOf(type, type.mainField) ? type.mainField : 'documentId';

interface Version {
  readonly locale: string | null;
  readonly status?: 'draft' | 'published';
}

/** What the server populates in one request, unless a project allows more. */
const MAX_NODES = 100;

/**
 * Everything that the form of an entry shows: one query, or where that would populate too much several, whose answers
 * `joined` brings together.
 */
export function formQueries(
  model: ConsoleModel,
  type: ConsoleType,
  { locale, status = 'draft' }: Version,
): readonly string[] {
  const common: Pairs = [['status', status], ...(locale === null ? [] : ([['locale', locale]] as const))];
  const own: Pairs = [
    ['populate[updatedBy][fields][0]', 'firstname'],
    ['populate[updatedBy][fields][1]', 'lastname'],
  ];
  const all = [...own, ...populates(model, type, 'populate', 0)];
  if (nodesIn(all).size <= MAX_NODES) return [textOf([...common, ...all])];
  const pieces = formAttributes(type).flatMap((attribute) => piecesOf(model, attribute));
  return packed([own, ...pieces]).map((pairs) => textOf([...common, ...pairs]));
}

/** A dynamic zone is read once for its order, and again for what its items lead to, component by component. */
function piecesOf(model: ConsoleModel, attribute: ConsoleAttribute): readonly Pairs[] {
  const at = `populate[${attribute.name}]`;
  const whole = populate(model, attribute, at, 0);
  if (attribute.type !== 'dynamiczone') return [whole];
  const deep = (attribute.components ?? [])
    .map((uid) => componentPairs(model, uid, `${at}[on][${uid}]`, 1))
    .filter((pairs) => nodesIn(pairs).size > 2);
  return [[[at, 'true']], ...deep];
}

/** Pieces together in as few lists as fit. What is said of a zone as a whole excludes what is said of its components. */
function packed(pieces: readonly Pairs[]): readonly Pairs[] {
  const lists: Pairs[] = [];
  for (const piece of pieces.filter(({ length }) => length > 0)) {
    const list = lists.find((each) => nodesIn([...each, ...piece]).size <= MAX_NODES && !clash(each, piece));
    if (list) list.push(...piece);
    else lists.push([...piece]);
  }
  return lists;
}

const clash = (one: Pairs, other: Pairs): boolean =>
  other.some(([name]) => one.some(([given]) => name.startsWith(`${given}[on]`)));

/** The attributes and fragments that names populate, each once. */
function nodesIn(pairs: Pairs): ReadonlySet<string> {
  const nodes = new Set<string>();
  for (const [name] of pairs) {
    const [, ...keys] = name.replaceAll(']', '').split('[');
    for (let index = 0; index < keys.length; index += 2) {
      nodes.add(keys.slice(0, index + 1).join(' '));
      if (keys[index + 1] !== 'populate' && keys[index + 1] !== 'on') break;
    }
  }
  return nodes;
}

type Answer = Readonly<Record<string, unknown>>;

/** The answers to the queries for one entry, as one. */
export function joined(type: ConsoleType, answers: readonly Answer[]): Answer {
  const entry: Record<string, unknown> = {};
  const zones = new Set(type.attributes.filter((each) => each.type === 'dynamiczone').map(({ name }) => name));
  for (const answer of answers)
    for (const [name, value] of Object.entries(answer))
      entry[name] = zones.has(name) && Array.isArray(entry[name]) ? withItems(entry[name], value) : value;
  return entry;
}

/** The items of a zone, with those in their places that were read again. */
function withItems(items: readonly Answer[], again: unknown): readonly Answer[] {
  const keyOf = ({ __component, id }: Answer): string => `${__component} ${id}`;
  const read = new Map((Array.isArray(again) ? again.filter(isObject) : []).map((item) => [keyOf(item), item]));
  return items.map((item) => read.get(keyOf(item)) ?? item);
}

const populates = (model: ConsoleModel, schema: ConsoleSchema, at: string, level: number): Pairs =>
  level > MAX_LEVELS
    ? []
    : formAttributes(schema).flatMap((attribute) => populate(model, attribute, `${at}[${attribute.name}]`, level));

function populate(model: ConsoleModel, attribute: ConsoleAttribute, at: string, level: number): Pairs {
  switch (attribute.type) {
    case 'media':
      return [[at, 'true']];
    case 'relation':
    case 'morph':
      return relationPairs(model, attribute, at, level);
    case 'component':
      return componentPairs(model, attribute.component!, at, level + 1);
    case 'dynamiczone':
      return (attribute.components ?? []).flatMap((uid) => componentPairs(model, uid, `${at}[on][${uid}]`, level + 1));
    default:
      return [];
  }
}

function componentPairs(model: ConsoleModel, uid: string, at: string, level: number): Pairs {
  const schema = schemaOf(model, uid);
  const inside = schema ? populates(model, schema, `${at}[populate]`, level) : [];
  return inside.length > 0 ? inside : [[at, 'true']];
}

function relationPairs(model: ConsoleModel, attribute: ConsoleAttribute, at: string, level: number): Pairs {
  const { target = null, toMany = true } = attribute.relation ?? {};
  if (target === null) return [[at, 'true']];
  const type = typeOf(model, target);
  if (!type) return [];
  const fields: Pairs = [
    [`${at}[fields][0]`, titleField(type)],
    ...(type.localized ? ([[`${at}[fields][1]`, 'locale']] as const) : []),
  ];
  // Lists inside of components are read as a whole: they have no address of their own.
  const isPaged = toMany && level === 0;
  if (!isPaged) return fields;
  return [...fields, [`${at}[pagination][limit]`, String(RELATION_PAGE)], [`${at}[pagination][withCount]`, 'true']];
}

/** The path of an entry below `rest/`; of a single type there is one. */
export const entryUrl = (type: ConsoleType, documentId: string | null): string =>
  type.kind === 'singleType' || documentId === null ? type.path : `${type.path}/${documentId}`;

/** The next entries of a relation of an entry, in their order. */
export const relationPageUrl = (
  type: ConsoleType,
  documentId: string,
  {
    attribute,
    target,
    start,
    locale,
  }: { attribute: string; target: ConsoleType; start: number; locale: string | null },
): string =>
  `rest/${entryUrl(type, documentId)}/${attribute}?${textOf([
    ['status', 'draft'],
    ...(locale === null ? [] : ([['locale', locale]] as const)),
    ['fields[0]', titleField(target)],
    ...(target.localized ? ([['fields[1]', 'locale']] as const) : []),
    ['pagination[start]', String(start)],
    ['pagination[limit]', String(RELATION_PAGE)],
  ])}`;

/** Entries to connect, by a few letters. */
export const searchUrl = (target: ConsoleType, text: string, locale: string | null): string =>
  `rest/${target.path}?${textOf([
    ['status', 'draft'],
    ...(text === '' ? [] : ([['_q', text]] as const)),
    ...(target.localized && locale !== null ? ([['locale', locale]] as const) : []),
    ['fields[0]', titleField(target)],
    ...(target.localized ? ([['fields[1]', 'locale']] as const) : []),
    ['sort[0]', titleField(target)],
    ['pagination[pageSize]', '10'],
  ])}`;

export interface WriteRequest {
  readonly method: 'POST' | 'PUT';
  /** Below /console/api. */
  readonly path: string;
  readonly body: { readonly data: Body };
}

/** How a form is saved: a new entry is made, everything else is changed; drafts stay drafts. */
export function writeRequest(
  type: ConsoleType,
  { documentId, locale }: { documentId: string | null; locale: string | null },
  data: Body,
): WriteRequest {
  const query = textOf([
    ...(type.draftAndPublish ? ([['status', 'draft']] as const) : []),
    ...(locale === null ? [] : ([['locale', locale]] as const)),
  ]);
  const isNew = documentId === null && type.kind === 'collectionType';
  return {
    method: isNew ? 'POST' : 'PUT',
    path: `rest/${entryUrl(type, documentId)}${query && `?${query}`}`,
    body: { data },
  };
}
