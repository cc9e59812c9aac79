// Makes the JSON Schemas of a project's files, which editors read: `npm run schemas` writes them to schemas/. Those of
// definitions come from the table of attribute options, that of the settings from the schema that checks them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { ATTRIBUTE_OPTIONS, ATTRIBUTE_TYPES, type OptionName } from '../src/model/attribute-options.ts';
import { ATTRIBUTE_NAME } from '../src/model/definitions.ts';
import { SETTINGS } from '../src/project/settings.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Editors know this one best. */
const DRAFT = 'http://json-schema.org/draft-07/schema#';

const SCHEMA_KEY = { type: 'string', description: 'The JSON Schema of this file.' };

const OPTION_DEFINITIONS: JsonSchema = Object.fromEntries(
  Object.entries(ATTRIBUTE_OPTIONS).map(([name, { schema, text }]) => [
    `option.${name}`,
    { ...schema, description: text },
  ]),
);

const properties = (names: readonly OptionName[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/definitions/option.${name}` }]));

const ofKind = (pattern: string, rule: JsonSchema): JsonSchema => ({
  if: { properties: { relation: { pattern } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: rule,
});
const string = { type: 'string' };

/** Which keys go with which kind of relation. */
const RELATION_RULES: readonly JsonSchema[] = [
  ofKind('^(one|many)To', { required: ['target'] }),
  ofKind('^morph(One|Many)$', { required: ['target', 'morphBy'] }),
  ofKind('^manyToOne$', { properties: { mappedBy: { type: 'null' } } }),
  ofKind('^oneToMany$', { properties: { inversedBy: { type: 'null' } } }),
  { not: { properties: { inversedBy: string, mappedBy: string }, required: ['inversedBy', 'mappedBy'] } },
];

/** One definition for each type of attribute, and the one that chooses between them. */
function attributeDefinitions(): JsonSchema {
  const types = Object.entries(ATTRIBUTE_TYPES);
  const byType = types.map(([name, { text, options, required }]) => [
    name,
    {
      description: text,
      type: 'object',
      properties: { type: { const: name, description: text }, ...properties(options) },
      required: ['type', ...required],
      ...(name === 'relation' && { allOf: RELATION_RULES }),
      // A custom field has options of its own.
      ...(name !== 'customField' && { additionalProperties: false }),
    },
  ]);
  const attribute = {
    type: 'object',
    properties: {
      type: {
        enum: types.map(([name]) => name),
        // Editors show these beside the values.
        enumDescriptions: types.map(([, { text }]) => text),
        description: 'What the attribute holds.',
      },
    },
    required: ['type'],
    allOf: types.map(([name]) => ({
      if: { properties: { type: { const: name } }, required: ['type'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: `#/definitions/${name}` },
    })),
  };
  return { attribute, ...Object.fromEntries(byType), ...OPTION_DEFINITIONS };
}

const ATTRIBUTES = {
  type: 'object',
  description: 'The attributes by name: letters of any alphabet, digits, _ and -.',
  propertyNames: { pattern: ATTRIBUTE_NAME.source, not: { enum: ['id', 'documentId', 'document_id'] } },
  additionalProperties: { $ref: '#/definitions/attribute' },
};

const TABLE = { type: 'string', minLength: 1, description: 'The name of the table.' };
const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
const nameOf = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
  description,
});

const OPTIONS = {
  type: 'object',
  description: 'Options of the content-type.',
  properties: {
    draftAndPublish: flag('Documents have a draft, and a published version once they are published.'),
    populateCreatorFields: flag('createdBy and updatedBy can be populated over HTTP.'),
    privateAttributes: { type: 'array', items: { type: 'string' }, description: 'Attributes that are private.' },
    indexes: {
      type: 'array',
      items: { type: 'array', items: { type: 'string' }, minItems: 1 },
      description: 'Indexes to create, each a list of attributes, such as [["cuisine", "rating"]].',
    },
    comment: { type: 'string', description: 'A remark.' },
  },
};

const CONTENT_TYPE_PROPERTIES = {
  $schema: SCHEMA_KEY,
  kind: {
    enum: ['collectionType', 'singleType'],
    default: 'collectionType',
    description: 'collectionType: any number of documents. singleType: one.',
  },
  collectionName: { ...TABLE, description: 'The name of the table; without it that of the type, in singular.' },
  info: {
    type: 'object',
    description: 'What the type is called.',
    properties: {
      singularName: nameOf('The name of its folder. A single type is served under it.'),
      pluralName: nameOf('A collection type is served under it.'),
      displayName: { type: 'string', description: 'What people call it.' },
      description: { type: 'string', description: 'What it is for.' },
      icon: { type: 'string', description: 'For the administration interface of Strapi 5.' },
    },
  },
  options: OPTIONS,
  pluginOptions: {
    type: 'object',
    description: 'Options of plugins: {"i18n": {"localized": true}} gives documents a version for each locale.',
    properties: {
      i18n: { type: 'object', properties: { localized: flag('Documents have a version for each locale.') } },
    },
  },
  attributes: ATTRIBUTES,
};

function contentType(): JsonSchema {
  const { info, ...others } = CONTENT_TYPE_PROPERTIES;
  return {
    $schema: DRAFT,
    title: 'A content-type: src/api/<name>/content-types/<name>/schema.json',
    type: 'object',
    properties: { ...others, info: { ...info, required: ['singularName', 'pluralName', 'displayName'] } },
    required: ['info', 'attributes'],
    additionalProperties: false,
    definitions: attributeDefinitions(),
  };
}

const extension = (): JsonSchema => ({
  $schema: DRAFT,
  title: 'What a project adds to a type of a plugin: src/extensions/<plugin>/content-types/<name>/schema.json',
  type: 'object',
  properties: CONTENT_TYPE_PROPERTIES,
  additionalProperties: false,
  definitions: attributeDefinitions(),
});

const component = (): JsonSchema => ({
  $schema: DRAFT,
  title: 'A component: src/components/<category>/<name>.json',
  type: 'object',
  properties: {
    $schema: SCHEMA_KEY,
    collectionName: TABLE,
    info: {
      type: 'object',
      description: 'What the component is called.',
      properties: {
        displayName: { type: 'string', description: 'What people call it.' },
        description: { type: 'string', description: 'What it is for.' },
        icon: { type: 'string', description: 'For the administration interface of Strapi 5.' },
      },
    },
    options: { type: 'object', description: 'Not used.' },
    attributes: ATTRIBUTES,
  },
  required: ['collectionName', 'attributes'],
  additionalProperties: false,
  definitions: attributeDefinitions(),
});

/** Filters have a grammar of their own, which the start checks. */
const rows = (text: string): JsonSchema => ({ type: 'object', minProperties: 1, description: text });
const names = (text: string): JsonSchema => ({ type: 'array', items: { type: 'string' }, description: text });
const section = (description: string, keys: JsonSchema): JsonSchema => ({
  type: 'object',
  description,
  properties: keys,
  additionalProperties: false,
});

const access = (): JsonSchema => ({
  $schema: DRAFT,
  title: 'Rules of roles: access/*.json',
  description: 'What a role may do with some rows and some attributes, by the type of the role and by content-type.',
  type: 'object',
  properties: { $schema: SCHEMA_KEY },
  additionalProperties: {
    type: 'object',
    description: 'The rules of a role, by the uid of the content-type, such as api::article.article.',
    additionalProperties: section('The rules of a role for a content-type.', {
      rows: section('Filters, as in requests. {"owner": {"id": "$user.id"}} compares with the user who asks.', {
        find: rows('The rows that the role can read, anywhere in a response.'),
        update: rows('The rows that it can update, publish and unpublish.'),
        delete: rows('The rows that it can delete.'),
      }),
      fields: section('Lists of attributes. Where a list is missing, it is all of them.', {
        read: names('Attributes that the role can read.'),
        filter: names('Attributes that it can filter by.'),
        sort: names('Attributes that it can sort by.'),
        write: names('Attributes that it can write.'),
      }),
      drafts: flag('Whether it can see drafts. Only of a content-type that has drafts.'),
    }),
  },
});

const isStrict = (schema: object): schema is { readonly entries: v.ObjectEntries } =>
  'type' in schema && schema.type === 'lazy' && 'entries' in schema;

function settingsPart(schema: v.GenericSchema): JsonSchema {
  const { $schema, $defs, ...part } = toJsonSchema(schema, {
    typeMode: 'output',
    overrideSchema({ valibotSchema, jsonSchema }) {
      if (isStrict(valibotSchema))
        return { ...settingsPart(v.object(valibotSchema.entries)), additionalProperties: false };
      return valibotSchema.type === 'custom' ? jsonSchema : undefined;
    },
    // What a function checks is left to the start.
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'check' || valibotAction.type === 'readonly' ? jsonSchema : undefined,
  });
  return part;
}

const settings = (): JsonSchema => ({
  $schema: DRAFT,
  title: 'Settings of Sheaf: config/sheaf.json',
  ...settingsPart(SETTINGS),
});

export const jsonSchemas = (): Readonly<Record<string, JsonSchema>> => ({
  'content-type.json': contentType(),
  'component.json': component(),
  'extension.json': extension(),
  'access.json': access(),
  'settings.json': settings(),
});

export const schemaText = (schema: JsonSchema): string => `${JSON.stringify(schema, null, 2)}\n`;

if (import.meta.main) {
  const folder = new URL('../schemas/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [name, schema] of Object.entries(jsonSchemas())) writeFileSync(new URL(name, folder), schemaText(schema));
}
