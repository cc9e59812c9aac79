// The requests of the form: what it reads, and what it sends.
import type {
  ConsoleAttribute,
  ConsoleModel,
  ConsoleSchema,
  ConsoleType,
} from '../../../../../src/console/contract.ts';
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

/** Everything that the form of an entry shows. */
export function formQuery(
  model: ConsoleModel,
  type: ConsoleType,
  { locale, status = 'draft' }: { locale: string | null; status?: 'draft' | 'published' },
): string {
  return textOf([
    ['status', status],
    ...(locale === null ? [] : ([['locale', locale]] as const)),
    ...(type.localized ? ([['populate[localizations][fields][0]', 'locale']] as const) : []),
    ...populates(model, type, 'populate', 0),
  ]);
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
