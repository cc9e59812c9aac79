// Content-type and component files as they stand in a project folder: finds and reads them, and checks each by
// itself. What needs the whole model (targets, inverses, tables) is checked in build.ts.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../errors.ts';
import { errorCode, errorMessage, isObject } from '../type-guards.ts';
import { snakeCase } from './identifiers.ts';
import type {
  AttributeDefinition,
  AttributeType,
  Definition,
  MorphKind,
  RelationKind,
  ScalarType,
  SchemaLabel,
} from './types.ts';

const SCALAR_TYPES: ReadonlySet<string> = new Set<ScalarType>([
  'string',
  'text',
  'richtext',
  'email',
  'uid',
  'enumeration',
  'password',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'time',
  'datetime',
  'timestamp',
  'json',
  'blocks',
]);
export const RELATION_KINDS: ReadonlySet<string> = new Set<RelationKind>([
  'oneToOne',
  'oneToMany',
  'manyToOne',
  'manyToMany',
]);
export const MORPH_KINDS: ReadonlySet<string> = new Set<MorphKind>([
  'morphToOne',
  'morphToMany',
  'morphOne',
  'morphMany',
]);
const OTHER_TYPES: readonly string[] = [
  'media',
  'relation',
  'component',
  'dynamiczone',
  'customField',
] satisfies AttributeType[];
const MEDIA_TYPES = new Set(['images', 'videos', 'files', 'audios']);
/** Columns that every table of content has. */
const RESERVED = new Set(['id', 'document_id']);
const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Letters of any alphabet, digits, _ and -, which `strapi generate` accepts. */
export const ATTRIBUTE_NAME = /^\p{L}[\p{L}\p{M}\p{N}_-]*$/u;

export const isScalarType = (type: string): type is ScalarType => SCALAR_TYPES.has(type);
export const isAttributeType = (type: unknown): type is AttributeType =>
  typeof type === 'string' && (SCALAR_TYPES.has(type) || OTHER_TYPES.includes(type));
export const isRelationKind = (kind: unknown): kind is RelationKind =>
  typeof kind === 'string' && RELATION_KINDS.has(kind);

type Problems = string[];

export interface ProjectDefinitions {
  readonly definitions: readonly Definition[];
  /** What of the files is not used, for people. */
  readonly notes: readonly string[];
  /** What the files call their types and components, by uid. */
  readonly labels: ReadonlyMap<string, SchemaLabel>;
}

/** What is found out while files are read. */
interface Found {
  readonly problems: Problems;
  readonly notes: string[];
  readonly labels: Map<string, SchemaLabel>;
}

/** Reads every definition below a project folder. All problems of all files are reported at once. */
export function readDefinitions(project: string, builtins: readonly Definition[]): ProjectDefinitions {
  const found: Found = { problems: [], notes: [], labels: new Map() };
  const { problems, notes, labels } = found;
  const source = path.join(project, 'src');
  if (!isFolder(source)) {
    throw new SetupError(`There is no content project at ${project}`, [
      `expected a folder ${source} with api/<name>/content-types/<name>/schema.json files`,
      'name the project with --project DIR or SHEAF_PROJECT, or begin one with sheaf init',
    ]);
  }
  const definitions: Definition[] = [];
  const named = (uid: string, ...parts: string[]): DefinitionFile => {
    const file = path.join(source, ...parts);
    return { uid, file, shown: path.relative(project, file) };
  };
  const keep = (definition: Definition | null) => definition && definitions.push(definition);
  for (const api of folders(path.join(source, 'api')))
    for (const type of folders(path.join(source, 'api', api, 'content-types')))
      keep(
        contentTypeFile(
          named(`api::${kebabCase(api)}.${kebabCase(type)}`, 'api', api, 'content-types', type, SCHEMA),
          found,
        ),
      );
  for (const plugin of folders(path.join(source, 'extensions')))
    for (const type of folders(path.join(source, 'extensions', plugin, 'content-types'))) {
      const uid = `plugin::${plugin}.${type}`;
      const file = named(uid, 'extensions', plugin, 'content-types', type, SCHEMA);
      // There may be code alone.
      if (existsSync(file.file)) keep(extensionFile(file, builtins.find((one) => one.uid === uid) ?? null, found));
    }
  for (const category of folders(path.join(source, 'components')))
    for (const entry of readdirSync(path.join(source, 'components', category)).sort()) {
      if (!entry.endsWith('.json')) continue;
      // Strapi 5 writes the names of components in lower case.
      const uid = `${category}.${entry.slice(0, -'.json'.length)}`.toLowerCase();
      keep(componentFile(named(uid, 'components', category, entry), found));
    }
  if (problems.length > 0) throw new SetupError('The content model cannot be loaded:', problems);
  return { definitions, notes, labels };
}

const SCHEMA = 'schema.json';

/** What Strapi 5 calls an API or a content-type by its folder. */
const kebabCase = (folder: string): string => (KEBAB.test(folder) ? folder : snakeCase(folder).replaceAll('_', '-'));

const isFolder = (folder: string): boolean => statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;

const folders = (folder: string): string[] =>
  isFolder(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
        .map((entry) => entry.name)
        .sort()
    : [];

function readJson({ uid, file, shown }: DefinitionFile, { problems, labels }: Found): Record<string, unknown> | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    const why =
      code === 'ENOENT' || code === 'ENOTDIR'
        ? 'the file is missing'
        : `the file cannot be read (${errorMessage(error)})`;
    problems.push(`${shown}: ${why}; expected a content-type definition in JSON`);
    return null;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) {
      labels.set(uid, labelOf(value));
      return value;
    }
    problems.push(`${shown}: expected a JSON object`);
  } catch (error) {
    problems.push(`${shown}: not valid JSON: ${errorMessage(error)}`);
  }
  return null;
}

const labelOf = ({ info }: Record<string, unknown>): SchemaLabel => {
  const { displayName, description } = isObject(info) ? info : {};
  const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  return { displayName: textOrNull(displayName), description: textOrNull(description) };
};

/** A file of the project: what it defines, where it is, and under which name it is shown in messages. */
interface DefinitionFile {
  readonly uid: string;
  readonly file: string;
  readonly shown: string;
}

/** What an extension says of a built-in type is laid over it, attribute by attribute: the server needs its own ones. */
function extensionFile(file: DefinitionFile, extended: Definition | null, found: Found): Definition | null {
  const { uid, shown } = file;
  const { problems, notes } = found;
  const json = readJson(file, found);
  if (!json) return null;
  if (!extended) {
    if (isObject(json.info) && isObject(json.attributes)) return contentType(json, file, problems);
    notes.push(`${shown} is not used: Sheaf has no type ${uid} that it could extend`);
    return null;
  }
  const before = problems.length;
  const { privateAttributes, populateCreatorFields, indexes } = readOptions(json, shown, problems);
  const attributes = json.attributes === undefined ? {} : checkAttributes(json.attributes, shown, problems);
  if (problems.length > before) return null;
  return {
    ...extended,
    file: shown,
    populateCreatorFields: populateCreatorFields || extended.populateCreatorFields,
    privateAttributes: [...extended.privateAttributes, ...privateAttributes],
    indexes,
    attributes: { ...extended.attributes, ...attributes },
  };
}

function contentTypeFile(file: DefinitionFile, found: Found): Definition | null {
  const json = readJson(file, found);
  return json && contentType(json, file, found.problems);
}

function contentType(
  json: Record<string, unknown>,
  { uid, shown }: DefinitionFile,
  problems: Problems,
): Definition | null {
  const folder = uid.slice(uid.lastIndexOf('.') + 1);
  const before = problems.length;
  const info = isObject(json.info) ? json.info : {};
  if (json.kind != null && json.kind !== 'collectionType' && json.kind !== 'singleType')
    problems.push(`${shown}: kind: expected "collectionType" or "singleType"`);
  const nameIn = (key: 'singularName' | 'pluralName'): string =>
    requiredText(info[key], KEBAB, `${shown}: info.${key}: expected a lower-case name such as "${folder}"`, problems);
  const singularName = nameIn('singularName');
  const pluralName = nameIn('pluralName');
  if (typeof info.displayName !== 'string') problems.push(`${shown}: info.displayName: expected a string`);
  if (typeof info.singularName === 'string' && info.singularName !== folder && uid.startsWith('api::'))
    problems.push(`${shown}: info.singularName: expected "${folder}", the name of its folder`);
  const tableProblem = `${shown}: collectionName: expected a table name`;
  const collectionName = requiredText(json.collectionName ?? info.singularName, NOT_EMPTY, tableProblem, problems);
  const options = readOptions(json, shown, problems);
  const pluginOptions = optionalObject(json, 'pluginOptions', shown, problems);
  const i18n = optionalObject(pluginOptions, 'i18n', `${shown}: pluginOptions`, problems);
  checkBoolean(i18n, 'localized', `${shown}: pluginOptions.i18n`, problems);
  const attributes = checkAttributes(json.attributes, shown, problems);
  if (problems.length > before) return null;
  return {
    uid,
    file: shown,
    kind: json.kind === 'singleType' ? 'singleType' : 'collectionType',
    collectionName,
    singularName,
    pluralName,
    ...options,
    localized: i18n.localized === true,
    attributes,
  };
}

const NOT_EMPTY = /./s;

/** A text of some form. What stands for another value is not used: its problem keeps the definition from being read. */
function requiredText(value: unknown, form: RegExp, problem: string, problems: Problems): string {
  if (typeof value === 'string' && form.test(value)) return value;
  problems.push(problem);
  return '';
}

type Options = Pick<Definition, 'draftAndPublish' | 'populateCreatorFields' | 'privateAttributes' | 'indexes'>;

function readOptions(json: Record<string, unknown>, shown: string, problems: Problems): Options {
  const options = optionalObject(json, 'options', shown, problems);
  checkBoolean(options, 'draftAndPublish', `${shown}: options`, problems);
  checkBoolean(options, 'populateCreatorFields', `${shown}: options`, problems);
  const privateAttributes = options.privateAttributes ?? [];
  if (!isStrings(privateAttributes)) problems.push(`${shown}: options.privateAttributes: expected a list of names`);
  return {
    draftAndPublish: options.draftAndPublish === true,
    populateCreatorFields: options.populateCreatorFields === true,
    privateAttributes: isStrings(privateAttributes) ? privateAttributes : [],
    indexes: checkIndexes(options.indexes, `${shown}: options.indexes`, problems),
  };
}

function componentFile(file: DefinitionFile, found: Found): Definition | null {
  const { uid, shown } = file;
  const { problems } = found;
  const json = readJson(file, found);
  if (!json) return null;
  const name = uid.slice(uid.indexOf('.') + 1);
  const before = problems.length;
  const tableProblem = `${shown}: collectionName: expected a table name; components must have one`;
  const collectionName = requiredText(json.collectionName, NOT_EMPTY, tableProblem, problems);
  const attributes = checkAttributes(json.attributes, shown, problems);
  if (problems.length > before) return null;
  return {
    uid,
    file: shown,
    kind: 'component',
    collectionName,
    singularName: name,
    pluralName: name,
    draftAndPublish: false,
    populateCreatorFields: false,
    privateAttributes: [],
    localized: false,
    indexes: [],
    attributes,
  };
}

function optionalObject(
  holder: Record<string, unknown>,
  key: string,
  shown: string,
  problems: Problems,
): Record<string, unknown> {
  const value = holder[key];
  if (value === undefined) return {};
  if (isObject(value)) return value;
  problems.push(`${shown}: ${key}: expected an object`);
  return {};
}

function checkBoolean(holder: Record<string, unknown>, key: string, shown: string, problems: Problems): void {
  if (holder[key] !== undefined && typeof holder[key] !== 'boolean')
    problems.push(`${shown}.${key}: expected true or false`);
}

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function checkIndexes(value: unknown, at: string, problems: Problems): readonly (readonly string[])[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((item) => isStrings(item) && item.length > 0)) return value;
  problems.push(`${at}: expected a list of lists of attribute names, such as [["cuisine", "rating"]]`);
  return [];
}

function checkAttributes(value: unknown, shown: string, problems: Problems): Record<string, AttributeDefinition> {
  if (!isObject(value)) {
    problems.push(`${shown}: attributes: expected an object of attribute definitions`);
    return {};
  }
  const checked: Record<string, AttributeDefinition> = {};
  for (const [name, definition] of Object.entries(value)) {
    const at = `${shown}: attributes.${name}`;
    if (RESERVED.has(snakeCase(name))) problems.push(`${at}: this name is reserved; expected another name`);
    else if (!ATTRIBUTE_NAME.test(name) || snakeCase(name) === '')
      problems.push(`${at}: expected a name of letters, digits, _ and -`);
    if (!isObject(definition) || typeof definition.type !== 'string') {
      problems.push(`${at}.type: expected one of ${[...SCALAR_TYPES, ...OTHER_TYPES].join(', ')}`);
      continue;
    }
    checkAttribute(definition, at, problems);
    if (isAttribute(definition)) checked[name] = definition;
  }
  return checked;
}

const isAttribute = (definition: Record<string, unknown>): definition is AttributeDefinition =>
  isAttributeType(definition.type);

/** Strapi 5 keeps links where these say. Elsewhere they would be missing, so they are refused rather than ignored. */
function checkStorage(definition: Record<string, unknown>, at: string, problems: Problems): void {
  for (const key of ['joinTable', 'joinColumn', 'morphColumn'])
    if (definition[key] !== undefined)
      problems.push(`${at}.${key}: expected none; tables and columns of links have the names that Strapi 5 gives them`);
}

function checkAttribute(definition: Record<string, unknown>, at: string, problems: Problems): void {
  for (const key of ['required', 'private', 'unique', 'searchable', 'writable', 'repeatable', 'multiple', 'index'])
    checkBoolean(definition, key, at, problems);
  for (const key of ['minLength', 'maxLength']) {
    const length = definition[key];
    if (length !== undefined && !(typeof length === 'number' && Number.isInteger(length) && length >= 0))
      problems.push(`${at}.${key}: expected a whole number`);
  }
  if (definition.regex !== undefined) {
    try {
      new RegExp(String(definition.regex));
    } catch {
      problems.push(`${at}.regex: expected a regular expression`);
    }
  }
  switch (definition.type) {
    case 'enumeration':
      if (!isStrings(definition.enum) || definition.enum.length === 0)
        problems.push(`${at}.enum: expected a list of at least one string`);
      else if (new Set(definition.enum).size < definition.enum.length)
        problems.push(`${at}.enum: expected every value once`);
      break;
    case 'relation':
      checkStorage(definition, at, problems);
      if (RELATION_KINDS.has(String(definition.relation))) {
        if (typeof definition.target !== 'string') problems.push(`${at}.target: expected the uid of a content-type`);
        for (const key of ['inversedBy', 'mappedBy'])
          if (definition[key] != null && typeof definition[key] !== 'string')
            problems.push(`${at}.${key}: expected the name of an attribute of the target`);
        if (definition.inversedBy != null && definition.mappedBy != null)
          problems.push(`${at}: expected inversedBy or mappedBy, not both`);
        if (definition.relation === 'manyToOne' && definition.mappedBy != null)
          problems.push(`${at}.mappedBy: expected inversedBy; the many side owns a manyToOne relation`);
        if (definition.relation === 'oneToMany' && definition.inversedBy != null)
          problems.push(`${at}.inversedBy: expected mappedBy; the one side cannot own a oneToMany relation`);
      } else if (definition.relation === 'morphOne' || definition.relation === 'morphMany') {
        for (const key of ['target', 'morphBy'])
          if (typeof definition[key] !== 'string')
            problems.push(
              `${at}.${key}: expected ${key === 'target' ? 'the uid of a content-type' : 'the name of an attribute of the target'}`,
            );
      } else if (!MORPH_KINDS.has(String(definition.relation))) {
        problems.push(`${at}.relation: expected one of ${[...RELATION_KINDS, ...MORPH_KINDS].join(', ')}`);
      }
      break;
    case 'component':
      if (typeof definition.component !== 'string')
        problems.push(`${at}.component: expected the uid of a component, such as "shared.seo"`);
      break;
    case 'dynamiczone':
      if (!isStrings(definition.components) || definition.components.length === 0)
        problems.push(`${at}.components: expected a list of at least one component uid`);
      break;
    case 'media':
      if (
        definition.allowedTypes !== undefined &&
        !(isStrings(definition.allowedTypes) && definition.allowedTypes.every((type) => MEDIA_TYPES.has(type)))
      )
        problems.push(`${at}.allowedTypes: expected a list of ${[...MEDIA_TYPES].join(', ')}`);
      break;
    case 'customField':
      if (typeof definition.customField !== 'string')
        problems.push(`${at}.customField: expected the uid of a custom field, such as "plugin::color-picker.color"`);
      break;
    default:
      if (!isAttributeType(definition.type))
        problems.push(`${at}.type: expected one of ${[...SCALAR_TYPES, ...OTHER_TYPES].join(', ')}`);
  }
}
