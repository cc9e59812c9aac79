// `sheaf type add`, `sheaf component add` and `sheaf attribute add`: writes definitions that a person would write.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { nearestWord } from '../../edit-distance.ts';
import { SetupError } from '../../errors.ts';
import { buildModel, loadModel } from '../../model/build.ts';
import { FILE, USER } from '../../model/builtin.ts';
import { pluralOf } from '../../model/english-plural.ts';
import { snakeCase } from '../../model/identifiers.ts';
import type { AttributeDefinition, Model } from '../../model/types.ts';
import { projectSettings } from '../../project/environment.ts';
import { type ParsedAttribute, parseAttribute } from './attribute-grammar.ts';
import {
  componentFile,
  contentTypeFile,
  jsonText,
  requireAbsent,
  schemaReference,
  withAttributes,
  writeChanges,
} from './definition-files.ts';

export interface TypeOptions {
  readonly plural?: string | undefined;
  readonly 'display-name'?: string | undefined;
  readonly description?: string | undefined;
  readonly single?: boolean | undefined;
  readonly drafts?: boolean | undefined;
  readonly localized?: boolean | undefined;
}

/** What was written: for people, and for programs. */
export interface Defined {
  readonly text: string;
  readonly value: { readonly uid: string; readonly files: readonly string[] };
}

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** `BlogPost` → `blog-post`. */
function nameOf(given: string): string {
  const name = snakeCase(given).replaceAll('_', '-');
  if (KEBAB.test(name)) return name;
  throw new SetupError(`"${given}" cannot be the name of a type`, ['expected letters a to z, digits and -']);
}

/** `blog-post` → `Blog Post`. */
const titleOf = (name: string): string =>
  name.replaceAll(/(^|-)(\w)/g, (_, dash, letter) => `${dash && ' '}${letter.toUpperCase()}`);

export function addType(project: string, given: string, words: readonly string[], options: TypeOptions): Defined {
  const name = nameOf(given);
  const plural = options.plural ?? pluralOf(name);
  if (plural === null)
    throw new SetupError(`"${name}" is plural already, or has no plural`, [
      'name the type in singular, such as article',
      `or say what many of them are called: --plural ${name}-list`,
    ]);
  const file = contentTypeFile(name);
  requireAbsent(project, file, `a content-type ${name}`);
  const definition = new DefinitionChanges(project, { uid: `api::${name}.${name}`, name, file });
  const attributes = definition.attributes(words.map(parseAttribute), options.localized === true);
  const content = {
    ...schemaReference(project, file, 'content-type.json'),
    kind: options.single === true ? 'singleType' : 'collectionType',
    collectionName: snakeCase(plural),
    info: {
      singularName: name,
      pluralName: plural,
      displayName: options['display-name'] ?? titleOf(name),
      ...(options.description !== undefined && { description: options.description }),
    },
    options: { draftAndPublish: options.drafts === true },
    ...(options.localized === true && { pluginOptions: { i18n: { localized: true } } }),
    attributes,
  };
  const route = `${projectSettings(project).rest.prefix}/${options.single === true ? name : plural}`;
  return definition.write(jsonText(content), `Made the content-type ${name}, served at ${route}`);
}

export function addComponent(project: string, uid: string, words: readonly string[], options: TypeOptions): Defined {
  const [category = '', name = '', ...rest] = uid.split('.');
  if (!KEBAB.test(category) || !KEBAB.test(name) || rest.length > 0)
    throw new SetupError(`"${uid}" cannot be the uid of a component`, ['expected CATEGORY.NAME, such as shared.seo']);
  const file = componentFile(uid);
  requireAbsent(project, file, `a component ${uid}`);
  const definition = new DefinitionChanges(project, { uid, name, file });
  const content = {
    ...schemaReference(project, file, 'component.json'),
    collectionName: `components_${snakeCase(category)}_${snakeCase(pluralOf(name) ?? name)}`,
    info: {
      displayName: options['display-name'] ?? titleOf(name),
      ...(options.description !== undefined && { description: options.description }),
    },
    options: {},
    attributes: definition.attributes(words.map(parseAttribute), false),
  };
  return definition.write(jsonText(content), `Made the component ${uid}`);
}

/** `given`: the name of a content-type of the project, or the uid of a component. */
export function addAttributes(project: string, given: string, words: readonly string[]): Defined {
  const model = loadModel(project);
  const isComponent = model.components.has(given);
  const uid = isComponent ? given : findType(model, given, given, []);
  const schema = model.contentTypes.get(uid) ?? model.components.get(uid)!;
  const file = isComponent ? componentFile(uid) : fileOfType(project, uid);
  const definition = new DefinitionChanges(project, { uid, name: schema.singularName, file });
  const isLocalized = schema.kind !== 'component' && schema.localized;
  const attributes = definition.attributes(words.map(parseAttribute), isLocalized);
  for (const name of Object.keys(attributes))
    if (schema.attributes.has(name)) throw new SetupError(`${uid} has an attribute "${name}" already`, [file]);
  const text = withAttributes(readFileSync(path.join(project, file), 'utf8'), attributes);
  return definition.write(text, `Added ${Object.keys(attributes).join(', ')} to ${uid}`);
}

/** Names that stand for types that every project has. */
const BUILT_IN: ReadonlyMap<string, string> = new Map([
  ['user', USER],
  ['file', FILE],
]);

/** The uid of the type that a name means; `own` is the one that is being made. */
function findType(model: Model, given: string, word: string, own: readonly string[]): string {
  const types = [...model.contentTypes.values()].filter(({ exposure }) => exposure !== 'hidden');
  if (own.includes(given) || types.some(({ uid }) => uid === given)) return given;
  const ofProject = types.filter(({ uid }) => uid.startsWith('api::'));
  const names = [...ofProject.map(({ singularName }) => singularName), ...own.map((uid) => uid.split('.')[1]!)];
  const found = [...own, ...ofProject.map(({ uid }) => uid)].find((uid) => uid.endsWith(`.${given}`));
  const uid = found ?? BUILT_IN.get(given);
  if (uid !== undefined) return uid;
  const nearest = nearestWord(given, [...names, ...types.map((type) => type.uid), ...BUILT_IN.keys()]);
  throw new SetupError(`${word}: there is no content-type "${given}"`, [
    nearest === null ? `make it first: sheaf type add ${given} name:string!` : `did you mean ${nearest}?`,
  ]);
}

/** The file of a type of the project; an error for a built-in one that the project does not extend. */
function fileOfType(project: string, uid: string): string {
  const [, kind, folder = '', name = ''] = /^(api|plugin)::([^.]+)\.(.+)$/.exec(uid) ?? [];
  const file = path.join('src', kind === 'api' ? 'api' : 'extensions', folder, 'content-types', name, 'schema.json');
  if (existsSync(path.join(project, file))) return file;
  throw new SetupError(`${uid} has no file in this project`, [
    `make ${file} with {"attributes": {}} to give it attributes, or leave the other side out`,
  ]);
}

interface OwnDefinition {
  readonly uid: string;
  readonly name: string;
  readonly file: string;
}

const OTHER_SIDE: Readonly<Record<string, string>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};

/** A definition that is made or extended, with what changes in the files of others. */
class DefinitionChanges {
  readonly #project: string;
  readonly #own: OwnDefinition;
  readonly #model: Model;
  readonly #others = new Map<string, string>();
  readonly #notes: string[] = [];

  constructor(project: string, own: OwnDefinition) {
    this.#project = project;
    this.#own = own;
    // The first type of a project finds no folder.
    this.#model = existsSync(path.join(project, 'src')) ? loadModel(project) : buildModel([]);
  }

  attributes(parsed: readonly ParsedAttribute[], localized: boolean): Record<string, AttributeDefinition> {
    const attributes: Record<string, AttributeDefinition> = {};
    const add = (name: string, definition: AttributeDefinition): void => {
      if (name in attributes) throw new SetupError(`The attribute "${name}" is given twice`);
      attributes[name] = definition;
    };
    for (const one of parsed) {
      const definition = this.#resolved(one);
      add(one.name, localized ? asLocalized(definition) : definition);
      if (one.inverse !== null) this.#addInverse(one, definition, add);
    }
    return attributes;
  }

  /** With the uid of its target, and the name of the other side. */
  #resolved({ name, definition, inverse }: ParsedAttribute): AttributeDefinition {
    if (definition.type !== 'relation' || definition.target === undefined) return definition;
    const isComponent = !this.#own.uid.startsWith('api::') && !this.#own.uid.startsWith('plugin::');
    const target = findType(this.#model, String(definition.target), name, isComponent ? [] : [this.#own.uid]);
    if (inverse !== null && isComponent)
      throw new SetupError(`${name}: a relation of a component has one side only`, [`leave out "${inverse}"`]);
    const side = inverse === null ? {} : { [definition.relation === 'oneToMany' ? 'mappedBy' : 'inversedBy']: inverse };
    return { ...definition, target, ...side };
  }

  #addInverse(
    { name, inverse }: ParsedAttribute,
    { relation, target }: AttributeDefinition,
    add: (name: string, definition: AttributeDefinition) => void,
  ): void {
    const key = relation === 'oneToMany' ? 'inversedBy' : 'mappedBy';
    const definition: AttributeDefinition = {
      type: 'relation',
      relation: OTHER_SIDE[String(relation)],
      target: this.#own.uid,
      [key]: name,
    };
    if (target === this.#own.uid) {
      add(inverse!, definition);
      return;
    }
    const file = fileOfType(this.#project, String(target));
    const text = this.#others.get(file) ?? readFileSync(path.join(this.#project, file), 'utf8');
    if (inverse! in (JSON.parse(text).attributes ?? {}))
      throw new SetupError(`${target} has an attribute "${inverse}" already`, ['give the other side another name']);
    this.#others.set(file, withAttributes(text, { [inverse!]: definition }));
    this.#notes.push(`  ${file}: ${inverse}, the other side of ${name}`);
  }

  write(text: string, done: string): Defined {
    writeChanges(this.#project, new Map([[this.#own.file, text], ...this.#others]));
    const lines = [
      done,
      `  ${this.#own.file}`,
      ...this.#notes,
      'sheaf schema diff shows what that changes in the database; sheaf dev asks and does it.',
    ];
    return { text: lines.join('\n'), value: { uid: this.#own.uid, files: [this.#own.file, ...this.#others.keys()] } };
  }
}

/** Relations and slugs differ between locales anyway. */
const asLocalized = (definition: AttributeDefinition): AttributeDefinition =>
  definition.type === 'relation' || definition.pluginOptions !== undefined
    ? definition
    : { ...definition, pluginOptions: { i18n: { localized: true } } };
