// Deliberate differences in single values of an answer.
import type { Attribute } from '../../model/types.ts';
import { isObject } from '../../type-guards.ts';
import { attributePath, type DifferenceRule } from './difference-rule.ts';
import { attributesAlong, type Exchange, populatedIn, sortIn } from './exchange.ts';
import type { Difference } from './json-difference.ts';

const TIME = /^\d\d:\d\d:\d\d(\.\d{1,3})?$/;
const milliseconds = (time: string): string => {
  const [clock = '', fraction = ''] = time.split('.');
  return `${clock}.${fraction.padEnd(3, '0')}`;
};

const isText = (value: unknown): value is string => typeof value === 'string';

/** The attribute that holds the value. */
function attributeAt(difference: Difference, exchange: Exchange): Attribute | undefined {
  const path = attributePath(difference);
  const along = attributesAlong(exchange, path);
  return along.length === path.length ? along.at(-1) : undefined;
}

/** Media, and what else is stored as they are. */
function isFileList(difference: Difference, exchange: Exchange): boolean {
  const attribute = attributeAt(difference, exchange);
  return attribute?.kind === 'media' || (attribute?.kind === 'relation' && attribute.storage === 'morph');
}

/** The other end of a polymorphic relation, where it is one entry. */
const isMorphOne = (attribute: Attribute | undefined): boolean =>
  attribute?.kind === 'relation' && !attribute.many && attribute.link.constants.length > 0;

const value = (
  name: string,
  text: string,
  recognizes: (strapi: unknown, sheaf: unknown, difference: Difference, exchange: Exchange) => boolean,
): DifferenceRule => ({
  name,
  text,
  explains: (difference, exchange) =>
    difference.kind === 'value' && recognizes(difference.strapi, difference.sheaf, difference, exchange),
});

export const VALUE_RULES: readonly DifferenceRule[] = [
  {
    name: 'error-text',
    text: 'The same status and the same name of an error; Sheaf writes its own message and details',
    explains: ({ path: [first, second] }, { strapi }) =>
      strapi.status >= 400 && first === 'error' && (second === 'message' || second === 'details'),
  },
  value(
    'time-format',
    'On PostgreSQL, Strapi 5 shows a time without milliseconds that are zero; Sheaf always with three digits',
    (strapi, sheaf) =>
      isText(strapi) && isText(sheaf) && TIME.test(strapi) && TIME.test(sheaf) && milliseconds(strapi) === sheaf,
  ),
  value(
    'exact-biginteger',
    'On SQLite, Strapi 5 rounds a biginteger beyond 2⁵³; Sheaf shows every digit',
    (strapi, sheaf) =>
      isText(strapi) &&
      isText(sheaf) &&
      /^-?\d{16,}$/.test(sheaf) &&
      !Number.isSafeInteger(Number(sheaf)) &&
      Number(strapi) === Number(sheaf),
  ),
  value(
    'json-string',
    'Strapi 5 shows the quotes of a string that is stored as JSON, as on PostgreSQL; Sheaf the string',
    (strapi, sheaf, difference, exchange) => {
      const attribute = attributeAt(difference, exchange);
      const isJson = attribute?.kind === 'scalar' && attribute.type === 'json';
      return isJson && isText(sheaf) && strapi === JSON.stringify(sheaf);
    },
  ),
  value(
    'empty-media',
    'Up to 5.51, Strapi 5 shows null where a list of media is empty; Sheaf an empty list',
    (strapi, sheaf, difference, exchange) =>
      strapi === null && Array.isArray(sheaf) && sheaf.length === 0 && isFileList(difference, exchange),
  ),
  {
    name: 'counted-media',
    text: 'Strapi 5 ignores count on media, dynamic zones and relations in a foreign key; Sheaf counts them',
    explains(difference, exchange) {
      const path = attributePath(difference);
      const { kind, sheaf } = difference;
      if (kind === 'value') return isObject(sheaf) && 'count' in sheaf && isCounted(path, exchange);
      // One entry and a number differ key by key.
      return kind === (path.at(-1) === 'count' ? 'added' : 'missing') && isCounted(path.slice(0, -1), exchange);
    },
  },
  value(
    'morph-with-fields',
    'Strapi 5 shows null for a polymorphic relation to one beside fields; Sheaf the entry',
    (strapi, sheaf, difference, exchange) =>
      strapi === null &&
      isObject(sheaf) &&
      (attributeAt(difference, exchange)?.kind === 'morph' || isMorphOne(attributeAt(difference, exchange))),
  ),
  {
    name: 'hidden-behind-morph',
    text: 'Strapi 5 shows passwords and private attributes of an entry that a morphOne leads to; Sheaf never does',
    explains(difference, exchange) {
      const attribute = attributeAt(difference, exchange);
      const isHidden = attribute?.private || (attribute?.kind === 'scalar' && attribute.type === 'password');
      return (
        difference.kind === 'missing' &&
        isHidden === true &&
        attributesAlong(exchange, attributePath(difference)).some(isMorphOne)
      );
    },
  },
  {
    name: 'sort-key-shown',
    text: 'Strapi 5 adds what a list is sorted by to its entries, where it joins tables; Sheaf wherever a list is populated',
    explains: (difference, exchange) =>
      (difference.kind === 'missing' || difference.kind === 'added') && isSortKey(difference, exchange),
  },
  {
    name: 'related-of-media',
    text: 'Strapi 5 shows every entry that uses a file under related, drafts too; Sheaf those that the caller may read',
    explains(difference, exchange) {
      const path = attributePath(difference);
      const related = path.indexOf('related');
      return related > 0 && attributesAlong(exchange, path.slice(0, related)).at(-1)?.kind === 'media';
    },
  },
  {
    name: 'omitted',
    text: 'Sheaf lists in meta.omitted the relations that populate=* leaves out, since the caller may not read them',
    explains: ({ kind, path }) => kind === 'added' && path[0] === 'meta' && path[1] === 'omitted',
  },
];

const isCounted = (path: readonly string[], { query }: Exchange): boolean =>
  populatedIn(query.populate).some((one) => one.path.join('.') === path.join('.') && one.options.count !== undefined);

/** A key of the sort of the list that an entry is in. */
function isSortKey(difference: Difference, { query }: Exchange): boolean {
  const path = attributePath(difference);
  const list = path.slice(0, -1).join('.');
  const options = list === '' ? query : populatedIn(query.populate).find((one) => one.path.join('.') === list)?.options;
  return (
    options?.fields !== undefined &&
    sortIn(options.sort).some((key) => key.path.length === 1 && key.path[0] === path.at(-1))
  );
}
