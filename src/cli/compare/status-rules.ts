// Deliberate differences that show in the status: what Sheaf refuses and Strapi 5 ignores, or the other way round.
import { actionsOf } from '../../access/actions.ts';
import { USER } from '../../model/builtin.ts';
import type { Attribute, ContentType } from '../../model/types.ts';
import { READ_PARAMETERS } from '../../request/parse-read.ts';
import { isObject } from '../../type-guards.ts';
import { attributePath, type DifferenceRule } from './difference-rule.ts';
import { attributesAlong, conditionsIn, type Exchange, type Place, populatedIn, sortIn, valuesOf } from './exchange.ts';
import type { Difference } from './json-difference.ts';

/** Entries that Strapi 5 reads into one list; past it a list becomes an object. */
export const STRAPI_LIST_ITEMS = 100;

interface Refusal {
  readonly name: string;
  readonly message: string;
  readonly key: string | null;
  readonly path: readonly string[];
  readonly param: string | null;
  readonly limit: string | null;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What Sheaf's refusal says of a request that Strapi 5 grants; null where that is not what happened. */
function refusalOf({ strapi, sheaf }: Exchange): Refusal | null {
  const error = isObject(sheaf.body) && isObject(sheaf.body.error) ? sheaf.body.error : null;
  if (sheaf.status !== 400 || strapi.status >= 400 || error === null) return null;
  const details = isObject(error.details) ? error.details : {};
  return {
    name: String(error.name),
    message: String(error.message),
    key: text(details.key),
    path: (text(details.path) ?? '').split('.').filter((part) => part !== ''),
    param: text(details.param),
    limit: text(details.limit),
  };
}

const refusal = (
  name: string,
  line: string,
  recognizes: (refused: Refusal, exchange: Exchange) => boolean,
): DifferenceRule => ({
  name,
  text: line,
  explains(difference, exchange) {
    const refused = difference.kind === 'status' ? refusalOf(exchange) : null;
    return refused !== null && recognizes(refused, exchange);
  },
});

const status = (name: string, line: string, recognizes: (exchange: Exchange) => boolean): DifferenceRule => ({
  name,
  text: line,
  explains: (difference, exchange) => difference.kind === 'status' && recognizes(exchange),
});

const isInvalidValue = ({ message }: Refusal): boolean => message.startsWith('Invalid value for ');
const KNOWN_PARAMETERS: ReadonlySet<string> = new Set(READ_PARAMETERS);
/** Names that Strapi 5 takes at any place of an object of `populate`, without effect. */
const POPULATE_WORDS = new Set(['fields', 'filters', 'sort', 'populate', 'count', 'on', 'true', 't', 'false', 'f']);
const PROTOTYPE_NAMES = new Set(Object.getOwnPropertyNames(Object.prototype));

/** The attribute that a refusal is about: its key below its path. */
const refusedAttribute = (exchange: Exchange, { path, key }: Refusal) => {
  const whole = [
    ...path.filter((part) => !part.startsWith('$') && !/^\d+$/.test(part)),
    ...(key === null ? [] : [key]),
  ];
  return attributesAlong(exchange, whole);
};

const REFUSALS: readonly DifferenceRule[] = [
  refusal(
    'unknown-parameter',
    'Strapi 5 ignores unknown parameters unless api.rest.strictParams is set; Sheaf refuses misspelled ones',
    ({ param, key }) => param !== null && param === key && !KNOWN_PARAMETERS.has(param),
  ),
  refusal(
    'pagination-refused',
    'Strapi 5 ignores malformed pagination, or takes it for another; Sheaf refuses it',
    ({ param, name }) => param === 'pagination' || name === 'PaginationError',
  ),
  refusal(
    'status-refused',
    'Strapi 5 shows drafts for every status that it does not know; Sheaf refuses it',
    ({ param }) => param === 'status',
  ),
  refusal(
    'value-refused',
    'Strapi 5 takes a value that cannot be read for another, or drops the condition; Sheaf refuses it',
    (refused) => isInvalidValue(refused) && refused.param !== 'status' && refused.param !== 'pagination',
  ),
  refusal(
    'operand-refused',
    'Strapi 5 drops a condition whose operator is given an object; Sheaf refuses it',
    ({ param, path, message }, exchange) =>
      param === 'filters' &&
      message.startsWith('Invalid key ') &&
      attributesAlong(exchange, path).some(({ kind }) => kind === 'scalar'),
  ),
  refusal(
    'media-condition',
    'Strapi 5 filters and sorts by media, though its documentation says otherwise; Sheaf refuses it',
    (refused, exchange) =>
      refused.param !== 'fields' && refusedAttribute(exchange, refused).some(({ kind }) => kind === 'media'),
  ),
  refusal(
    'json-condition',
    'The text of JSON attributes differs from database to database; Sheaf compares and sorts by it nowhere',
    (refused, exchange) =>
      refusedAttribute(exchange, refused).some(
        (attribute) => attribute.kind === 'scalar' && (attribute.type === 'json' || attribute.type === 'blocks'),
      ) &&
      (refused.param === 'sort' || (refused.key?.startsWith('$') ?? false)),
  ),
  refusal(
    'forbidden-relation',
    'Strapi 5 leaves out a relation that the caller may not read; Sheaf refuses its name',
    (refused, exchange) =>
      refused.param === 'populate' &&
      refusedAttribute(exchange, refused).at(-1)?.name === refused.key &&
      !hasKey(exchange.strapi.body, refused.key!),
  ),
  refusal(
    'populate-word',
    'Strapi 5 ignores numbers and words such as fields in the place of a name in populate; Sheaf refuses them',
    ({ param, path, key }) => param === 'populate' && [...path, key ?? ''].some((part) => isPopulateWord(part)),
  ),
  refusal(
    'prototype-name',
    'Strapi 5 drops keys such as constructor with their condition; Sheaf refuses them',
    ({ key }) => key !== null && PROTOTYPE_NAMES.has(key),
  ),
  refusal(
    'limit',
    'A request past a limit of Sheaf is refused; docs/api.md lists the limits',
    (refused) => refused.limit !== null,
  ),
];

const isPopulateWord = (part: string): boolean => POPULATE_WORDS.has(part) || /^\d+$/.test(part);

/** Whether any object within has the key. */
function hasKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasKey(item, key));
  return isObject(value) && (Object.hasOwn(value, key) || Object.values(value).some((inner) => hasKey(inner, key)));
}

export const STATUS_RULES: readonly DifferenceRule[] = [
  ...REFUSALS,
  status(
    'internal-error',
    'Strapi 5 fails with a 500; Sheaf responds, or says which key is wrong',
    ({ strapi, sheaf }) => strapi.status === 500 && [200, 400, 404].includes(sheaf.status),
  ),
  status(
    'missing-user',
    'Strapi 5 responds with a 204 for a user that does not exist, Sheaf with a 404',
    ({ strapi, sheaf, place }) => isUser(place) && strapi.status === 204 && sheaf.status === 404,
  ),
  status(
    'user-by-document-id',
    'Strapi 5 finds a user by number only; Sheaf by documentId too',
    ({ strapi, sheaf, place }) =>
      isUser(place) &&
      place?.entry !== null &&
      /\D/.test(place!.entry) &&
      strapi.status !== 200 &&
      sheaf.status === 200,
  ),
  status(
    'entry-in-any-locale',
    'Strapi 5 finds no single entry for locale=* or a list of locales; Sheaf shows the first that it has',
    ({ strapi, sheaf, place, query }) =>
      place?.form === 'entry' &&
      (query.locale === '*' || Array.isArray(query.locale)) &&
      (strapi.status === 404 || strapi.status === 400) &&
      sheaf.status === 200,
  ),
  status(
    'wider-syntax',
    'Sheaf takes longer lists than Strapi 5, and populate[x]=* and populate[x][populate]=true',
    ({ strapi, sheaf, query }) => strapi.status === 400 && sheaf.status === 200 && usesWiderSyntax(query),
  ),
  {
    name: 'own-code',
    text: 'Strapi runs code of the project in front of this type that Sheaf does not run; it keeps closed what that may guard',
    explains: (difference, exchange) =>
      exchange.withheld.findings.length > 0 &&
      (difference.kind === 'status' ? isClosed(exchange) : isClosedRelation(difference, exchange)),
  },
  status(
    'count-of-users',
    'Strapi 5 counts users for whoever may count them; Sheaf for whoever may also find them',
    ({ strapi, sheaf, place }) => place?.form === 'count' && strapi.status === 200 && sheaf.status === 403,
  ),
  status(
    'published-only',
    'A rule of the project limits the role to published entries; Strapi 5 has no such rule',
    ({ strapi, sheaf, query }) => query.status === 'draft' && strapi.status === 200 && sheaf.status === 403,
  ),
];

const OPERATIONS = { list: 'find', entry: 'findOne', count: 'count' } as const;

const isClosedType = ({ withheld }: Exchange, type: ContentType, form: Place['form']): boolean =>
  actionsOf(type, OPERATIONS[form]).some((action) => withheld.has(action));

/** Whether Sheaf refuses a type that is closed, or a relation to one. */
function isClosed(exchange: Exchange): boolean {
  const { place, strapi, sheaf } = exchange;
  if (sheaf.status === 403)
    return strapi.status < 400 && place !== null && isClosedType(exchange, place.type, place.form);
  const refused = refusalOf(exchange);
  return refused !== null && leadsToClosed(exchange, refusedAttribute(exchange, refused));
}

const isClosedRelation = (difference: Difference, exchange: Exchange): boolean =>
  difference.kind === 'missing' && leadsToClosed(exchange, attributesAlong(exchange, attributePath(difference)));

function leadsToClosed(exchange: Exchange, along: readonly Attribute[]): boolean {
  const last = along.at(-1);
  const type = last?.kind === 'relation' ? exchange.model!.contentTypes.get(last.target) : undefined;
  return type !== undefined && isClosedType(exchange, type, 'list');
}

const isUser = (place: Exchange['place']): boolean => place?.form === 'entry' && place.type.uid === USER;

function usesWiderSyntax({ fields, sort, populate, filters }: Exchange['query']): boolean {
  const isLong = [fields, sort, populate].some((value) => Array.isArray(value) && value.length > STRAPI_LIST_ITEMS);
  const populated = populatedIn(populate);
  const hasLongList = conditionsIn(filters).some(({ value }) => valuesOf(value).length > STRAPI_LIST_ITEMS);
  const sortsDeep = populated.some(({ options }) => sortIn(options.sort).some(({ path }) => path.length > 1));
  return isLong || hasLongList || sortsDeep || hasStar(populate);
}

/** `populate[x]=*`, `populate[x][populate]=true`. */
function hasStar(populate: unknown): boolean {
  if (!isObject(populate)) return false;
  return Object.values(populate).some(
    (value) => value === '*' || (isObject(value) && (value.populate === 'true' || hasStar(value.populate))),
  );
}
