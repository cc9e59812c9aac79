// Deliberate differences in which entries a list holds and in what order: how conditions, searches and sorts are judged.
// A rule holds for the list that its parameter belongs to: the list itself, or the one that is populated with it.
import { USER } from '../../model/builtin.ts';
import type { Attribute, ScalarType } from '../../model/types.ts';
import { isObject } from '../../type-guards.ts';
import { attributePath, type DifferenceRule } from './difference-rule.ts';
import {
  attributesAlong,
  type Condition,
  conditionsIn,
  type Exchange,
  groupsIn,
  populatedIn,
  type SortedBy,
  sortIn,
  typesAlong,
  valuesOf,
} from './exchange.ts';
import type { Difference } from './json-difference.ts';
import { orderedByCodePoint, orderedWithNulls } from './sort-order.ts';
import { STRAPI_LIST_ITEMS } from './status-rules.ts';

/** A list that differs: what is asked of it. */
interface Selection {
  /** The attributes that lead to the list; none for the list itself. */
  readonly path: readonly string[];
  readonly filters: unknown;
  readonly conditions: readonly Condition[];
  readonly sort: readonly SortedBy[];
  readonly search: string | null;
}

const isMember = ({ kind, path }: Difference): boolean =>
  (kind === 'missing' || kind === 'added') && typeof path.at(-1) === 'number';
const isTotal = ({ kind, path }: Difference): boolean =>
  kind === 'value' && path.length === 3 && path[0] === 'meta' && path[1] === 'pagination';
const COUNTS = new Set(['total', 'pageCount']);

/** What was asked of the list that a difference is about; null where it is about something else. */
function selectionOf(difference: Difference, exchange: Exchange): Selection | null {
  const { query } = exchange;
  if (isOfRoot(difference, exchange)) return selection([], query.filters, query.sort, query._q);
  const path = attributePath(difference);
  if (path.length === 0 || !(isMember(difference) || difference.kind === 'order' || isCount(difference))) return null;
  const at = isCount(difference) ? path.slice(0, -1) : path;
  const populated = populatedIn(query.populate).filter((one) => one.path.join('.') === at.join('.'));
  const options = populated.find(({ options: given }) => Object.keys(given).length > 0)?.options ?? {};
  return selection(at, options.filters, options.sort, null);
}

function isOfRoot(difference: Difference, exchange: Exchange): boolean {
  const { kind, path } = difference;
  if (kind === 'status') return isFoundOnOneSide(exchange);
  if (kind === 'order') return path.length === 1;
  if (isMember(difference)) return path.length === 2 && path[0] === 'data';
  if (isTotal(difference)) return COUNTS.has(String(path[2]));
  return kind === 'value' && path.length === 0 && exchange.place?.form === 'count';
}

/** The number of a list that is populated as one. */
const isCount = ({ kind, path }: Difference): boolean => kind === 'value' && path.at(-1) === 'count';

/** One entry is found by filters as well. */
const isFoundOnOneSide = ({ strapi, sheaf }: Exchange): boolean =>
  [strapi.status, sheaf.status].toSorted((a, b) => a - b).join() === '200,404';

const selection = (path: readonly string[], filters: unknown, sort: unknown, search: unknown): Selection => ({
  path,
  filters,
  conditions: conditionsIn(filters),
  sort: sortIn(sort),
  search: typeof search === 'string' && search !== '' ? search : null,
});

type Recognizes = (selected: Selection, exchange: Exchange, difference: Difference) => boolean;

/** A rule about which entries are selected. */
const members = (name: string, text: string, recognizes: Recognizes): DifferenceRule => ({
  name,
  text,
  explains(difference, exchange) {
    if (difference.kind === 'order') return false;
    const selected = selectionOf(difference, exchange);
    return selected !== null && recognizes(selected, exchange, difference);
  },
});

/** A rule about conditions: one of them is enough. */
const condition = (
  name: string,
  text: string,
  recognizes: (one: Condition, attribute: Attribute | undefined, exchange: Exchange) => boolean,
): DifferenceRule =>
  members(name, text, ({ path, conditions }, exchange) =>
    conditions.some((one) => recognizes(one, attributeOf(exchange, [...path, ...one.path]), exchange)),
  );

/** The attribute at the end of a path, where the model knows all of it. */
function attributeOf(exchange: Exchange, path: readonly string[]): Attribute | undefined {
  const along = attributesAlong(exchange, path);
  return along.length === path.length ? along.at(-1) : undefined;
}

const isScalar = (attribute: Attribute | undefined, types: ReadonlySet<ScalarType>): boolean =>
  attribute?.kind === 'scalar' && types.has(attribute.type);

const STRINGS: ReadonlySet<ScalarType> = new Set(['string', 'text', 'richtext', 'email', 'uid', 'enumeration']);
const JSONS: ReadonlySet<ScalarType> = new Set(['json', 'blocks']);
const DATETIMES: ReadonlySet<ScalarType> = new Set(['datetime', 'timestamp']);
const CASE_SENSITIVE = new Set(['$contains', '$notContains', '$startsWith', '$endsWith']);
const CASE_IGNORED = /^\$(eqi|nei|containsi|notContainsi|startsWithi|endsWithi)$/;
const NEGATIVE = new Set(['$ne', '$nei', '$notContains', '$notContainsi']);
const COMPARISONS = new Set(['$lt', '$lte', '$gt', '$gte', '$between']);
const OFFSET = /(Z|[+-]\d\d:?\d\d)$/i;

const hasText = (value: unknown, pattern: RegExp): boolean =>
  valuesOf(value).some((one) => typeof one === 'string' && pattern.test(one));

const CONDITION_RULES: readonly DifferenceRule[] = [
  condition(
    'case-sensitive',
    'On SQLite, $contains, $startsWith and $endsWith of Strapi 5 ignore the case of A to Z; those of Sheaf never do',
    ({ operator, value }, _attribute, { database }) =>
      database !== 'PostgreSQL' && CASE_SENSITIVE.has(operator) && hasText(value, /[a-z]/i),
  ),
  condition(
    'unicode-case',
    'On SQLite, Strapi 5 ignores the case of A to Z only; Sheaf that of every script',
    ({ operator, value }, _attribute, { database }) =>
      database !== 'PostgreSQL' && CASE_IGNORED.test(operator) && hasText(value, /[^\p{ASCII}]/u),
  ),
  condition(
    'wildcards',
    'Up to 5.51, %, _ and \\ in a value are wildcards of Strapi 5; for Sheaf they are ordinary characters',
    ({ operator, value }) => (CASE_SENSITIVE.has(operator) || CASE_IGNORED.test(operator)) && hasText(value, /[%_\\]/),
  ),
  condition(
    'none-of-several',
    'Several values under $ne or $notContains mean "not one of them" to Strapi 5, which always holds; to Sheaf none of them',
    ({ operator, value }) => NEGATIVE.has(operator) && valuesOf(value).length > 1,
  ),
  condition(
    'null-in-not-in',
    'With a null among the values, $notIn of Strapi 5 matches nothing',
    ({ operator, value }) => operator === '$notIn' && valuesOf(value).includes(null),
  ),
  condition(
    'long-list',
    `Strapi 5 drops a condition with more than ${STRAPI_LIST_ITEMS} values`,
    ({ value }) => valuesOf(value).length > STRAPI_LIST_ITEMS,
  ),
  condition(
    'json-equality',
    'On SQLite, Strapi 5 compares JSON as text; Sheaf as values',
    (_one, attribute, { database }) => database !== 'PostgreSQL' && isScalar(attribute, JSONS),
  ),
  condition(
    'datetime-zone',
    'Strapi 5 reads a datetime without an offset in the time zone of its server; Sheaf as UTC',
    ({ value }, attribute) =>
      isScalar(attribute, DATETIMES) &&
      valuesOf(value).some((one) => typeof one === 'string' && !OFFSET.test(one) && !/^\d{5,}$/.test(one)),
  ),
  condition(
    'text-comparison',
    'On PostgreSQL, Strapi 5 compares strings by the collation of the database; Sheaf by code point',
    ({ operator }, attribute, { database }) =>
      database !== 'SQLite' && COMPARISONS.has(operator) && isScalar(attribute, STRINGS),
  ),
  condition(
    'filter-by-locale',
    'filters[locale] replaces the parameter locale in Strapi 5; in Sheaf both must hold',
    ({ path }, _attribute, { place, query }) =>
      path.length === 1 && path[0] === 'locale' && query.locale !== undefined && place?.type.localized === true,
  ),
];

const LIST_RULES: readonly DifferenceRule[] = [
  members(
    'colliding-groups',
    'Two $or, $and or $not in different places overwrite one another in Strapi 5',
    ({ filters }) => {
      const groups = groupsIn(filters);
      return new Set(groups).size < groups.length;
    },
  ),
  {
    name: 'related-rows',
    text: 'Strapi 5 filters and sorts by related entries in any status and locale; Sheaf by those that populate shows',
    explains(difference, exchange) {
      const selected = selectionOf(difference, exchange);
      if (selected === null) return false;
      const { path, conditions, sort } = selected;
      return [...(difference.kind === 'order' ? [] : conditions), ...sort].some((one) =>
        typesAlong(exchange, [...path, ...one.path])
          .slice(typesAlong(exchange, path).length)
          .some(({ draftAndPublish, localized }) => draftAndPublish || localized),
      );
    },
  },
  members(
    'search',
    '_q of Strapi 5 also searches private attributes, and takes _ for any character; that of Sheaf does neither',
    ({ search }, exchange, { kind }) =>
      search !== null && kind !== 'added' && (search.includes('_') || hasPrivateText(exchange)),
  ),
  members(
    'search-unicode-case',
    'On SQLite, _q of Strapi 5 ignores the case of A to Z only; that of Sheaf that of every script',
    ({ search }, { database }, { kind }) =>
      search !== null && kind !== 'missing' && database !== 'PostgreSQL' && /[^\p{ASCII}]/u.test(search),
  ),
  members(
    'complete-localizations',
    'Strapi 5 leaves out of localizations what is on the page already; Sheaf lists all of them',
    ({ path }, _exchange, { kind }) => path.at(-1) === 'localizations' && kind === 'added',
  ),
  members(
    'counted-once',
    'With a filter by a relation, populate[…][count] of Strapi 5 counts rows of the join; Sheaf counts entries',
    ({ conditions }, _exchange, { kind, path, strapi, sheaf }) =>
      kind === 'value' &&
      path.at(-1) === 'count' &&
      conditions.some((one) => one.path.length > 1) &&
      Number(strapi) > Number(sheaf),
  ),
];

const hasPrivateText = ({ place }: Exchange): boolean =>
  place !== null &&
  [...place.type.attributes.values()].some(
    (attribute) => attribute.private && attribute.kind === 'scalar' && STRINGS.has(attribute.type),
  );

const isUsers = ({ place }: Exchange): boolean => place?.type.uid === USER && place.form === 'list';

const pagination = (body: unknown): Record<string, unknown> =>
  isObject(body) && isObject(body.meta) && isObject(body.meta.pagination) ? body.meta.pagination : {};

/** A rule about the page that is shown. Which entries are on it and its numbers follow from its size. */
const page = (name: string, text: string, recognizes: (exchange: Exchange) => boolean): DifferenceRule => ({
  name,
  text,
  explains: (difference, exchange) =>
    (isTotal(difference) || (isMember(difference) && difference.path.length === 2)) &&
    recognizes(exchange) &&
    pagination(exchange.strapi.body).total === pagination(exchange.sheaf.body).total,
});

const asked = ({ query }: Exchange): Record<string, unknown> => (isObject(query.pagination) ? query.pagination : {});
const size = (body: unknown): number => Number(pagination(body).pageSize ?? pagination(body).limit);

const PAGE_RULES: readonly DifferenceRule[] = [
  {
    name: 'users-envelope',
    text: 'Strapi 5 lists users as a bare array; Sheaf in the envelope of every list, unless users.bareList is set',
    explains: ({ kind }, exchange) => kind === 'envelope' && isUsers(exchange),
  },
  {
    name: 'users-page',
    text: 'Strapi 5 lists all users, whatever the pagination; Sheaf a page of them',
    explains: (difference, exchange) =>
      isUsers(exchange) &&
      Array.isArray(exchange.strapi.body) &&
      difference.kind === 'missing' &&
      isMember(difference) &&
      difference.path.length === 2 &&
      (pagination(exchange.sheaf.body).total ?? exchange.strapi.body.length) === exchange.strapi.body.length,
  },
  {
    name: 'users-drafts',
    text: 'Strapi 5 populates users with drafts and published entries at once; Sheaf with those of the status asked for',
    explains: (difference, exchange) =>
      exchange.place?.type.uid === USER &&
      difference.kind !== 'added' &&
      typesAlong(exchange, attributePath(difference)).some(({ draftAndPublish }) => draftAndPublish),
  },
  {
    name: 'users-order',
    text: 'Strapi 5 lists users without a sort in no defined order; Sheaf by id',
    explains: ({ kind, path }, exchange) =>
      kind === 'order' && path.length === 1 && isUsers(exchange) && sortIn(exchange.query.sort).length === 0,
  },
  page(
    'page-size',
    'Strapi 5 without a maxLimit returns pages of any size; Sheaf clamps them',
    (exchange) =>
      size(exchange.strapi.body) > size(exchange.sheaf.body) &&
      Number(asked(exchange).pageSize ?? asked(exchange).limit) > size(exchange.sheaf.body),
  ),
  page(
    'page-alone',
    'Up to 5.51, pagination[page] without a pageSize is a page of one entry in Strapi 5',
    (exchange) =>
      asked(exchange).page !== undefined && asked(exchange).pageSize === undefined && size(exchange.strapi.body) === 1,
  ),
  page(
    'cursor',
    'Only Sheaf has pagination[cursor]; Strapi 5 ignores it',
    (exchange) => asked(exchange).cursor !== undefined,
  ),
];

/** A rule about order. Where only a page is shown, other entries may be on it. */
const ordering = (
  name: string,
  text: string,
  recognizes: (selected: Selection, exchange: Exchange, path: Difference['path']) => boolean,
): DifferenceRule => ({
  name,
  text,
  explains(difference, exchange) {
    const isShownPage = isMember(difference) && difference.path.length === 2 && areOfOneLength(exchange);
    if (difference.kind !== 'order' && !isShownPage) return false;
    const selected = selectionOf(difference, exchange);
    const list = isMember(difference) ? difference.path.slice(0, -1) : difference.path;
    return selected !== null && selected.sort.length > 0 && recognizes(selected, exchange, list);
  },
});

/** Whether the two lists have as many entries in all; where no total was asked for, on the page. */
function areOfOneLength({ strapi, sheaf }: Exchange): boolean {
  const [ofStrapi, ofSheaf] = [strapi, sheaf].map(({ body }) => pagination(body).total ?? shownIn(body));
  return ofStrapi !== undefined && ofStrapi === ofSheaf;
}

const shownIn = (body: unknown): number | undefined =>
  isObject(body) && Array.isArray(body.data) ? body.data.length : undefined;

const ORDER_RULES: readonly DifferenceRule[] = [
  ordering(
    'null-order',
    'On SQLite, nulls come first in an ascending list of Strapi 5; in Sheaf they are last on every database',
    ({ path, sort }, exchange, list) =>
      exchange.database !== 'PostgreSQL' &&
      sort.some((key) => mayBeNull(exchange, path, key)) &&
      orderedWithNulls(exchange, list, sort),
  ),
  ordering(
    'text-order',
    'On PostgreSQL, Strapi 5 sorts strings by the collation of the database; Sheaf by code point',
    ({ path, sort }, exchange, list) =>
      exchange.database !== 'SQLite' &&
      sort.some((key) => isScalar(attributeOf(exchange, [...path, ...key.path]), STRINGS)) &&
      orderedByCodePoint(exchange, list, sort),
  ),
];

/** Whatever a sort goes through may lead nowhere. */
function mayBeNull(exchange: Exchange, path: readonly string[], key: SortedBy): boolean {
  const attribute = attributeOf(exchange, [...path, ...key.path]);
  return key.path.length > 1 || attribute === undefined || !SYSTEM.has(attribute.name);
}

const SYSTEM = new Set(['id', 'documentId', 'createdAt', 'updatedAt']);

export const SELECTION_RULES: readonly DifferenceRule[] = [
  ...PAGE_RULES,
  ...CONDITION_RULES,
  ...LIST_RULES,
  ...ORDER_RULES,
];
