// What a definition may say of an attribute, by its type: the source of the JSON Schemas that editors read, and of what
// `sheaf type add` takes. definitions.ts is what decides at the start, and ignores options that it does not know.
import { MORPH_KINDS, RELATION_KINDS } from './definitions.ts';
import type { AttributeType } from './types.ts';
/** The part of JSON Schema that options need. */
export interface OptionSchema {
  readonly type?: 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object' | readonly string[];
  readonly [keyword: string]: unknown;
}

export interface AttributeOption {
  readonly schema: OptionSchema;
  /** What it is for. */
  readonly text: string;
}

const option = (schema: OptionSchema, text: string): AttributeOption => ({ schema, text });
const BOOLEAN = { type: 'boolean' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const NAME = { type: 'string' } as const;

/** Every kind of relation. */
export const RELATIONS: readonly string[] = [...RELATION_KINDS, ...MORPH_KINDS];

export const ATTRIBUTE_OPTIONS = {
  required: option(BOOLEAN, 'What is published must have a value. A draft may lack it.'),
  unique: option(BOOLEAN, 'No two published documents have the same value; of a localized attribute, in one locale.'),
  private: option(BOOLEAN, 'Never read, filtered, sorted, searched or populated over HTTP.'),
  writable: option(BOOLEAN, 'False: no request can write it.'),
  searchable: option(BOOLEAN, 'False: the parameter _q does not look into it.'),
  index: option(BOOLEAN, 'Create an index for filters and sorts by this attribute.'),
  default: option({}, 'The value of a new entry that is given none.'),
  minLength: option(COUNT, 'Characters that a published value must have at least.'),
  maxLength: option(COUNT, 'Characters that a value may have at most, in drafts too.'),
  regex: option(NAME, 'A regular expression that a published value must match.'),
  min: option({ type: ['number', 'string'] }, 'The least published value; of a list, its fewest items.'),
  max: option({ type: ['number', 'string'] }, 'The greatest value, in drafts too; of a list, its most items.'),
  enum: option(
    { type: 'array', items: NAME, minItems: 1, uniqueItems: true },
    'The values that it can have, in the order of forms.',
  ),
  targetField: option(NAME, 'The attribute that an editor proposes the value from. The server makes none.'),
  encryption: option(
    { type: 'object', properties: { rounds: { type: 'integer', minimum: 4, maximum: 31 } } },
    'The cost of the hash: {"rounds": 10}.',
  ),
  multiple: option(BOOLEAN, 'A list of files, in order.'),
  allowedTypes: option(
    { type: 'array', items: { type: 'string', enum: ['images', 'videos', 'files', 'audios'] } },
    'Kinds of files that a form offers.',
  ),
  relation: option({ type: 'string', enum: [...RELATIONS] }, 'From this side to the other: how many of each.'),
  target: option(NAME, 'The uid of the content-type that it leads to, such as api::author.author.'),
  inversedBy: option(
    { type: ['string', 'null'] },
    'On the side that keeps the links: the attribute of the other side.',
  ),
  mappedBy: option({ type: ['string', 'null'] }, 'On the other side: the attribute that keeps the links.'),
  morphBy: option(NAME, 'Of morphOne and morphMany: the morphToOne or morphToMany attribute of the target.'),
  useJoinTable: option(BOOLEAN, 'False: a relation to one is a column of the own table instead of a table of links.'),
  component: option(NAME, 'The uid of the component, such as shared.seo.'),
  repeatable: option(BOOLEAN, 'A list of components, in order.'),
  components: option({ type: 'array', items: NAME, minItems: 1 }, 'The uids of the components that the zone can hold.'),
  customField: option(NAME, 'The uid of the custom field, such as plugin::color-picker.color.'),
  pluginOptions: option(
    {
      type: 'object',
      properties: {
        i18n: {
          type: 'object',
          properties: { localized: { ...BOOLEAN, description: 'Each locale has a value of its own.' } },
        },
      },
    },
    'Options of plugins: {"i18n": {"localized": true}} gives each locale a value of its own.',
  ),
  conditions: option(
    { type: 'object', properties: { visible: { description: 'JSON Logic over the values of the entry.' } } },
    'Where {"visible": …} does not hold, the rules of the attribute do not apply.',
  ),
  configurable: option(BOOLEAN, 'For the administration interface of Strapi 5; not used here.'),
  visible: option(BOOLEAN, 'For the administration interface of Strapi 5; not used here.'),
} as const satisfies Readonly<Record<string, AttributeOption>>;

export type OptionName = keyof typeof ATTRIBUTE_OPTIONS;

export interface AttributeTypeInfo {
  readonly text: string;
  /** Those that it cannot do without. */
  readonly required: readonly OptionName[];
  /** Those that it may have; the ones of every attribute come besides. */
  readonly options: readonly OptionName[];
}

const EVERY: readonly OptionName[] = [
  'required',
  'private',
  'writable',
  'pluginOptions',
  'conditions',
  'configurable',
  'visible',
];
const LONG: readonly OptionName[] = ['unique', 'searchable', 'default', 'minLength', 'maxLength', 'regex'];
const SHORT: readonly OptionName[] = ['index', ...LONG];
const NUMBER: readonly OptionName[] = ['unique', 'index', 'searchable', 'default', 'min', 'max'];
const MOMENT: readonly OptionName[] = ['unique', 'index', 'default'];

const type = (
  text: string,
  options: readonly OptionName[],
  required: readonly OptionName[] = [],
): AttributeTypeInfo => ({ text, required, options: [...required, ...options, ...EVERY] });

export const ATTRIBUTE_TYPES: Readonly<Record<AttributeType, AttributeTypeInfo>> = {
  string: type('Text of at most 255 characters.', SHORT),
  text: type('Text of any length.', LONG),
  richtext: type('Markdown of any length.', LONG),
  blocks: type('Structured text: a list of paragraphs, headings, lists, quotes, images.', []),
  email: type('An address of mail.', SHORT),
  uid: type('A name for URLs, unique: letters, digits and - _ . ~.', ['targetField', ...SHORT]),
  enumeration: type('One of some strings.', ['unique', 'index', 'searchable', 'default'], ['enum']),
  password: type('A password, kept as a hash and never read.', ['minLength', 'maxLength', 'regex', 'encryption']),
  integer: type('A whole number of 32 bits.', NUMBER),
  biginteger: type('A whole number of 64 bits, as a string in JSON.', NUMBER),
  float: type('A floating-point number.', NUMBER),
  decimal: type('A decimal number.', NUMBER),
  boolean: type('True or false.', ['unique', 'index', 'default']),
  date: type('A day, yyyy-MM-dd.', MOMENT),
  time: type('A time of day, HH:mm:ss.SSS.', MOMENT),
  datetime: type('An instant, ISO 8601 in UTC.', MOMENT),
  timestamp: type('An instant, in JSON a string of milliseconds since 1970.', MOMENT),
  json: type('Any JSON value.', ['default']),
  media: type('A file, or a list of them.', ['multiple', 'allowedTypes']),
  relation: type(
    'Entries of another content-type, or of the same.',
    ['target', 'inversedBy', 'mappedBy', 'morphBy', 'useJoinTable', 'index', 'unique'],
    ['relation'],
  ),
  component: type('A component, or a list of them.', ['repeatable', 'min', 'max'], ['component']),
  dynamiczone: type('A list of components of several kinds.', ['min', 'max'], ['components']),
  customField: type(
    'A field that a plugin defines, kept as the type it is registered with.',
    [...SHORT, 'min', 'max', 'enum', 'multiple', 'repeatable'],
    ['customField'],
  ),
};
