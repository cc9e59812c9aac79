// The query parameters of routes, as OpenAPI describes them.
import type { ContentType } from '../model/types.ts';
import { PUBLICATION_FILTERS } from '../request/parse-read.ts';
import type { Description } from './description.ts';
import { filterSchema } from './filters.ts';
import { anyOf, type JsonSchema, listOf, strictObject, YES_OR_NO } from './named-schemas.ts';
import { fieldsSchema, NUMBER, pathsSchema, populateSchema, sortSchema } from './selection.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly schema: JsonSchema;
  readonly [key: string]: unknown;
}

/** Brackets, such as `filters[name][$eq]=Alba`. */
const inBrackets = (name: string, text: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'query',
  style: 'deepObject',
  explode: true,
  description: text,
  schema,
});

/** One text; a list with commas between its values. */
const inText = (name: string, text: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'query',
  style: 'form',
  explode: false,
  description: text,
  schema,
});

export const pathParameter = (name: string, text: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description: text,
  schema: { type: 'string' },
});

/** Parameters that are the same for every type. */
const COMMON: Readonly<Record<string, Parameter>> = {
  status: inText('status', 'Which version is meant: the published one, or the draft.', {
    enum: ['published', 'draft'],
    default: 'published',
  }),
  locale: inText('locale', 'A locale, several, or `*` for all; without it the default one.', {
    type: ['string', 'array'],
    items: { type: 'string' },
  }),
  publicationFilter: inText('publicationFilter', 'Entries by how their draft and published versions relate.', {
    enum: PUBLICATION_FILTERS,
  }),
  hasPublishedVersion: inText('hasPublishedVersion', 'Entries of documents that are published, or are not.', {
    enum: ['true', 'false', true, false],
  }),
  _q: inText('_q', 'Entries with a text attribute that contains this, whatever its case.', { type: 'string' }),
  timezone: inText('timezone', 'Where days begin and end, such as Europe/Paris.', { type: 'string' }),
  count: inText('count', 'The number of entries of each group.', { const: '*' }),
  id: inText('id', 'The file that gets another content or other information; without it files are added.', {
    type: ['string', 'integer'],
  }),
  force: inText('force', 'Whether the file is deleted though entries hold it.', { enum: ['true', 'false'] }),
  kind: inText('kind', 'The kind of content-types to show.', { enum: ['collectionType', 'singleType'] }),
  confirmation: inText('confirmation', 'The code of the mail.', { type: 'string' }),
  start: inText('start', 'The number of files to skip.', NUMBER),
  limit: inText('limit', 'The number of files to show.', NUMBER),
};

/** Pages by number, by offset and by cursor. What answers say of a page may be sent back with the rest. */
function paginationInput({ schemas, settings }: Description): JsonSchema {
  return schemas.refer('PaginationInput', () => {
    const { defaultLimit, maxLimit, withCount } = settings.rest;
    const size = { ...NUMBER, default: defaultLimit, description: `At most ${maxLimit}; more is taken for that.` };
    const rest = { withCount: { ...YES_OR_NO, default: withCount }, pageCount: {}, total: {} };
    return anyOf(
      strictObject({ page: { ...NUMBER, default: 1 }, pageSize: size, ...rest }, [], { title: 'By page' }),
      strictObject({ start: { ...NUMBER, default: 0 }, limit: size, ...rest }, [], { title: 'By offset' }),
      strictObject({ cursor: { type: ['string', 'null'] }, pageSize: size, ...rest }, ['cursor'], {
        title: 'By cursor',
        description: 'An empty cursor begins; then `meta.pagination.next` leads on.',
      }),
    );
  });
}

/** Text values of groups, and numbers that are computed of them. */
const AGGREGATED = 'Paths lead through relations to one.';

function aggregateSort(): JsonSchema {
  return anyOf({ type: 'string' }, listOf({ type: 'string' }), { type: 'object' });
}

/** The schemas of the parameters that lists, entries and aggregates take, by name. */
export function parameterSchema(description: Description, type: ContentType, name: string): JsonSchema | null {
  switch (name) {
    case 'filters':
      return filterSchema(description, type);
    case 'sort':
      return sortSchema(description, type);
    case 'fields':
      return fieldsSchema(description, type);
    case 'populate':
      return populateSchema(description, type);
    case 'pagination':
      return paginationInput(description);
    case 'facets':
    case 'group':
    case 'distinct':
    case 'min':
    case 'max':
      return pathsSchema(description, type, 'values');
    case 'sum':
    case 'avg':
      return pathsSchema(description, type, 'numbers');
    case 'having':
      return { type: 'object' };
    default:
      return COMMON[name]?.schema ?? null;
  }
}

/** The name of a parameter among all: that of the type before it, where it differs between types. */
export function parameterName(description: Description, type: ContentType, name: string, isAggregate: boolean): string {
  if (COMMON[name] || name === 'pagination' || name === 'having') return name;
  if (name === 'sort' && isAggregate) return 'groupSort';
  return `${description.nameOf(type)}.${name}`;
}

/** `isAggregate`: groups are sorted by what is computed of them. */
export function queryParameter(
  description: Description,
  type: ContentType,
  name: string,
  isAggregate: boolean,
): Parameter {
  const common = COMMON[name];
  if (common) return common;
  const schema = parameterSchema(description, type, name);
  if (!schema) throw new Error(`the parameter ${name} is not described`);
  switch (name) {
    case 'filters':
      return inBrackets(name, 'Conditions, such as `filters[name][$containsi]=al`.', schema);
    case 'having':
      return inBrackets(name, 'Conditions on what is computed, such as `having[count][$gte]=2`.', schema);
    case 'populate':
      return inBrackets(name, 'Relations, components and files to show: `*`, names, or names with options.', schema);
    case 'pagination':
      return inBrackets(name, 'Which page, such as `pagination[page]=2`.', schema);
    case 'sort':
      return isAggregate
        ? inText(name, 'Names of groups and of what is computed, such as `count:desc`.', aggregateSort())
        : inText(name, 'Attributes to sort by, such as `name:asc`.', schema);
    case 'fields':
      return inText(name, 'Attributes to show; `id` and `documentId` are always shown.', schema);
    case 'facets':
      return inText(name, 'Attributes whose values are counted over all entries that meet the conditions.', schema);
    case 'group':
      return inText(name, 'What entries are grouped by; `.$year` and the like take a part of a date.', schema);
    default:
      return inText(name, `Of what \`${name}\` is computed for each group. ${AGGREGATED}`, schema);
  }
}

/** Parameters in a body, where a URL would be too long for them. */
export const parametersBody = (
  description: Description,
  type: ContentType,
  names: readonly string[],
  isAggregate: boolean,
): JsonSchema =>
  strictObject(
    Object.fromEntries(names.map((name) => [name, queryParameter(description, type, name, isAggregate).schema])),
    [],
  );
