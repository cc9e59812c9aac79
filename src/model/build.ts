// Definitions → the model: resolves targets and inverses, names tables and columns, adds the attributes that
// every type has, and freezes the result. A definition that does not fit the others stops the start.
import { SetupError } from '../errors.ts';
import { type IndexLists, readSettings } from '../project/settings.ts';
import { memberOf } from '../type-guards.ts';
import {
  ADMIN_USER,
  BUILTIN_DEFINITIONS,
  BUILTIN_PLUGINS,
  CREATORS,
  FILE,
  RELATED_BUILTINS,
  ROUTED_BUILTINS,
} from './builtin.ts';
import { declaredIndexes, type IndexDeclaration } from './declared-indexes.ts';
import { isRelationKind, isScalarType, MORPH_KINDS, readDefinitions } from './definitions.ts';
import {
  columnName,
  componentTableName,
  idColumnName,
  identifier,
  morphTableName,
  snakeCase,
  typeColumnName,
} from './identifiers.ts';
import {
  componentPairs,
  forward,
  linkOf,
  morphInversePairs,
  type NamedDefinition,
  noRows,
  ownColumn,
  reversed,
} from './link-tables.ts';
import type {
  Attribute,
  AttributeDefinition,
  ComponentSchema,
  ContentType,
  DeclaredIndex,
  Definition,
  Exposure,
  Model,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  ScalarRules,
  ScalarType,
} from './types.ts';

export type LoadOptions = Pick<ModelOptions, 'customFields' | 'privateAttributes'>;

/** Without `customFields`, before a database is known, they are strings, of which least is refused. */
export function loadModel(project: string, options: LoadOptions = {}): Model {
  const { definitions, notes, labels } = readDefinitions(project, BUILTIN_DEFINITIONS);
  return buildModel(definitions, { indexes: readSettings(project).indexes, notes, labels, ...options });
}

/** What custom fields hold. */
export interface CustomFieldTypes {
  /** The types that they are registered with, by their uids. */
  readonly registered: ReadonlyMap<string, string>;
  /** The type of what a column holds; null where there is no such column. */
  ofColumn(table: string, column: string): ScalarType | null;
}

export interface ModelOptions {
  /** Indexes that config/sheaf.json lists beside the ones that the definitions declare. */
  readonly indexes?: IndexLists;
  /** What is to be told of the definitions already. */
  readonly notes?: readonly string[];
  readonly labels?: Model['labels'];
  readonly customFields?: CustomFieldTypes;
  /** Attributes of every definition that are private. */
  readonly privateAttributes?: readonly string[];
}

export function buildModel(own: readonly Definition[], options: ModelOptions = {}): Model {
  const { privateAttributes = [], labels = new Map() } = options;
  const named = inOrder(own).map((one) => ({
    ...one,
    table: identifier([one.collectionName]),
    privateAttributes: [...one.privateAttributes, ...privateAttributes],
  }));
  return Object.freeze({ definitions: own, labels, ...new Builder(named, options).build() });
}

/** Built-in types, extended or not, then types of other plugins, then the project's own. */
function inOrder(own: readonly Definition[]): Definition[] {
  const byUid = new Map(own.map((one) => [one.uid, one]));
  const builtins = BUILTIN_DEFINITIONS.map((one) => byUid.get(one.uid) ?? one);
  const others = own.filter((one) => !builtins.includes(one));
  const isPlugin = ({ uid }: Definition): boolean => uid.startsWith('plugin::');
  return [...builtins, ...others.filter(isPlugin), ...others.filter((one) => !isPlugin(one))];
}

class Builder {
  readonly #definitions: readonly NamedDefinition[];
  readonly #byUid: ReadonlyMap<string, NamedDefinition>;
  readonly #indexes: IndexLists;
  readonly #problems: string[] = [];
  readonly #notes: string[];
  readonly #customFieldTypes: CustomFieldTypes | null;
  readonly #customFields = new Set<string>();

  constructor(
    definitions: readonly NamedDefinition[],
    { indexes = {}, notes = [], customFields: customFieldTypes }: ModelOptions,
  ) {
    this.#definitions = definitions;
    this.#indexes = indexes;
    this.#notes = [...notes];
    this.#customFieldTypes = customFieldTypes ?? null;
    this.#byUid = new Map(definitions.map((definition) => [definition.uid, definition]));
  }

  build(): Omit<Model, 'definitions' | 'labels'> {
    this.#checkNames();
    const contentTypes = new Map<string, ContentType>();
    const components = new Map<string, ComponentSchema>();
    for (const definition of this.#definitions) {
      const { uid, kind } = definition;
      if (kind === 'component') components.set(uid, this.#component(definition));
      else contentTypes.set(uid, this.#contentType(definition, kind));
    }
    for (const uid of Object.keys(this.#indexes)) this.#find(uid, 'content-type', `config/sheaf.json: indexes.${uid}`);
    if (this.#problems.length > 0) throw new SetupError('The content model does not fit together:', this.#problems);
    return { contentTypes, components, customFields: this.#customFields, notes: this.#notes };
  }

  #checkNames(): void {
    const tables = new Map<string, string>();
    const paths = new Map<string, string>();
    for (const { uid, file, table, kind, singularName, pluralName } of this.#definitions) {
      const owner = tables.get(table);
      if (owner) this.#problems.push(`${file}: collectionName: the table "${table}" belongs to ${owner} already`);
      tables.set(table, uid);
      if (kind === 'component' || exposureOf(uid) !== 'routes') continue;
      if (singularName === pluralName)
        this.#problems.push(`${file}: info.pluralName: expected a name other than info.singularName`);
      for (const name of new Set([singularName, pluralName])) {
        const taken = paths.get(name);
        if (taken) this.#problems.push(`${file}: info: the name "${name}" belongs to ${taken} already`);
        paths.set(name, uid);
      }
    }
  }

  #component(definition: NamedDefinition): ComponentSchema {
    const attributes = this.#attributes(definition, [{ ...scalar('id', 'integer', 'id'), writable: false }], []);
    return Object.freeze({
      kind: 'component',
      uid: definition.uid,
      collectionName: definition.collectionName,
      table: definition.table,
      componentTable: componentTableName(definition.collectionName),
      singularName: definition.singularName,
      attributes,
      indexes: this.#declaredIndexes(definition, attributes),
    });
  }

  /** What the definition declares at its attributes and in its options, then what the settings list. */
  #declaredIndexes(definition: NamedDefinition, attributes: ReadonlyMap<string, Attribute>): readonly DeclaredIndex[] {
    const { uid, file } = definition;
    const declarations: IndexDeclaration[] = [
      ...Object.entries(definition.attributes)
        .filter(([name, { index }]) => index === true && attributes.has(name))
        .map(([name]) => ({ names: [name], at: `${file}: attributes.${name}.index` })),
      ...definition.indexes.map((names, position) => ({ names, at: `${file}: options.indexes[${position}]` })),
      ...(this.#indexes[uid] ?? []).map((names, position) => ({
        names,
        at: `config/sheaf.json: indexes.${uid}[${position}]`,
      })),
    ];
    return declaredIndexes(declarations, attributes, this.#problems);
  }

  #contentType(definition: NamedDefinition, kind: ContentType['kind']): ContentType {
    const first = [
      { ...scalar('id', 'integer', 'id'), writable: false },
      { ...scalar('documentId', 'string', 'document_id'), writable: false },
    ];
    const last: Attribute[] = [
      { ...scalar('createdAt', 'datetime', 'created_at'), writable: false },
      { ...scalar('updatedAt', 'datetime', 'updated_at'), writable: false },
      scalar('publishedAt', 'datetime', 'published_at'),
      ...[...CREATORS].map((name) => this.#creator(definition, name)),
      { ...scalar('locale', 'string', 'locale'), private: !definition.localized },
      {
        ...base('localizations', { writable: false, private: !definition.localized }, definition),
        kind: 'localizations',
        target: definition.uid,
      },
    ];
    const attributes = this.#attributes(definition, first, last);
    return Object.freeze({
      kind,
      uid: definition.uid,
      collectionName: definition.collectionName,
      table: definition.table,
      componentTable: componentTableName(definition.collectionName),
      singularName: definition.singularName,
      pluralName: definition.pluralName,
      draftAndPublish: definition.draftAndPublish,
      localized: definition.localized,
      exposure: exposureOf(definition.uid),
      attributes,
      indexes: this.#declaredIndexes(definition, attributes),
    });
  }

  #creator(definition: NamedDefinition, name: string): RelationAttribute {
    return {
      ...base(name, { writable: false, private: !definition.populateCreatorFields }, definition),
      kind: 'relation',
      relation: 'oneToOne',
      target: ADMIN_USER,
      many: false,
      link: ownColumn(definition, idColumnName(name)),
      owning: true,
      inverse: null,
      exclusive: false,
      storage: 'column',
    };
  }

  #attributes(definition: NamedDefinition, first: Attribute[], last: Attribute[]): ReadonlyMap<string, Attribute> {
    const attributes = new Map<string, Attribute>(first.map((attribute) => [attribute.name, attribute]));
    const automatic = new Set(last.map((attribute) => attribute.name));
    const columns = new Map<string, string>();
    for (const [name, declared] of Object.entries(definition.attributes)) {
      if (automatic.has(name)) continue;
      const column = snakeCase(name);
      if (columns.has(column))
        this.#problems.push(
          `${definition.file}: attributes.${name}: expected a name that differs from ${columns.get(column)} in more than case and accents`,
        );
      columns.set(column, name);
      if (declared.relation === 'morphToOne') {
        if (columns.has('target_id'))
          this.#problems.push(
            `${definition.file}: attributes.${name}.relation: ${columns.get('target_id')} is a morphToOne already, and two of them would share their columns; expected morphToMany`,
          );
        columns.set('target_id', name);
      }
      const attribute = this.#attribute(definition, name, declared);
      if (!attribute) continue;
      const hidden = attribute.private || definition.privateAttributes.includes(name);
      attributes.set(name, Object.freeze({ ...attribute, private: hidden }));
    }
    for (const attribute of last) {
      const hidden = attribute.private || definition.privateAttributes.includes(attribute.name);
      attributes.set(attribute.name, Object.freeze({ ...attribute, private: hidden }));
    }
    return attributes;
  }

  #attribute(definition: NamedDefinition, name: string, declared: AttributeDefinition): Attribute | null {
    const at = `${definition.file}: attributes.${name}`;
    const common = base(name, declared, definition);
    switch (declared.type) {
      case 'relation':
        return MORPH_KINDS.has(String(declared.relation))
          ? this.#morph(definition, common, declared, at)
          : this.#relation(definition, common, declared, at);
      case 'component': {
        const component = this.#find(declared.component, 'component', `${at}.component`);
        return (
          component && {
            ...common,
            kind: 'component',
            component: component.uid,
            many: declared.repeatable === true,
            min: numberOrNull(declared.min),
            max: numberOrNull(declared.max),
            link: componentPairs(definition, name, component.uid),
          }
        );
      }
      case 'dynamiczone': {
        const found = stringsIn(declared.components).map((uid, index) =>
          this.#find(uid, 'component', `${at}.components[${index}]`),
        );
        return {
          ...common,
          kind: 'dynamiczone',
          min: numberOrNull(declared.min),
          max: numberOrNull(declared.max),
          components: found
            .filter((component) => component !== null)
            .map(({ uid }) => ({ uid, link: componentPairs(definition, name, uid) })),
        };
      }
      case 'media':
        return {
          ...common,
          kind: 'media',
          target: FILE,
          many: declared.multiple === true,
          link: morphInversePairs(this.#byUid.get(FILE)!, 'related', definition.uid, name),
        };
      case 'customField': {
        const type = this.#customFieldType(definition, declared, columnName(name), at);
        return this.#attribute(definition, name, { ...declared, type });
      }
      default:
        return {
          ...scalar(name, declared.type, columnName(name)),
          ...common,
          searchable: declared.searchable !== false,
          rules: rulesOf(declared),
        };
    }
  }

  /** The type that the field is registered with, else that of the column that exists, else text. */
  #customFieldType({ table }: NamedDefinition, declared: AttributeDefinition, column: string, at: string): ScalarType {
    const uid = String(declared.customField);
    this.#customFields.add(uid);
    if (!this.#customFieldTypes) return 'string';
    const { registered, ofColumn } = this.#customFieldTypes;
    const type = registered.get(uid);
    // Any string, where the field and not the attribute knows the values.
    if (type === 'enumeration' && !Array.isArray(declared.enum)) return 'string';
    if (type !== undefined && isScalarType(type)) return type;
    const held = ofColumn(table, column);
    if (held === null)
      this.#notes.push(`${at} is kept as text: no plugin of the project registers the custom field ${uid}`);
    return held ?? 'text';
  }

  #find(uid: unknown, kind: 'component' | 'content-type', at: string): NamedDefinition | null {
    const found = this.#byUid.get(String(uid));
    if (found && (found.kind === 'component') === (kind === 'component')) return found;
    this.#problems.push(`${at}: there is no ${kind} "${uid}"; expected the uid of one of this project`);
    return null;
  }

  #relation(
    definition: NamedDefinition,
    common: AttributeCommon,
    declared: AttributeDefinition,
    at: string,
  ): RelationAttribute | null {
    const { relation } = declared;
    const target = this.#target(declared, at);
    if (!target || !isRelationKind(relation)) return null;
    const side = this.#side(definition, target, { name: common.name, declared, at });
    if (!side) return null;
    const { storedAs, inverse } = side;
    const link =
      storedAs === 'nothing'
        ? noRows(target)
        : storedAs === 'inverse'
          ? reversed(target, linkOf(target, inverse!, target.attributes[inverse!]!, definition))
          : forward(definition, linkOf(definition, common.name, declared, target));
    const owner = storedAs === 'inverse' ? target.attributes[inverse!]! : declared;
    return {
      ...common,
      kind: 'relation',
      relation,
      target: target.uid,
      many: relation === 'oneToMany' || relation === 'manyToMany',
      link,
      owning: storedAs === 'own',
      inverse,
      exclusive: inverse !== null && (relation === 'oneToOne' || relation === 'oneToMany'),
      storage: storedAs === 'nothing' ? 'none' : owner.useJoinTable === false ? 'column' : 'linkTable',
    };
  }

  /** The type that a relation leads to; null, with a problem or a note, where there is none. */
  #target({ target: uid }: AttributeDefinition, at: string): NamedDefinition | null {
    const [, plugin] = /^plugin::([^.]+)\./.exec(String(uid)) ?? [];
    if (plugin === undefined || this.#byUid.has(String(uid)) || BUILTIN_PLUGINS.has(plugin))
      return this.#find(uid, 'content-type', `${at}.target`);
    this.#notes.push(`${at} is left out: Sheaf does not have the plugin "${plugin}" that ${uid} belongs to`);
    return null;
  }

  /** Which side a relation is stored on, as Strapi 5 decides it; null where it refuses the relation. */
  #side(definition: NamedDefinition, target: NamedDefinition, { name, declared, at }: DeclaredRelation): Side | null {
    const isMapped = declared.mappedBy != null;
    const inverse = stringOrNull(declared.mappedBy ?? declared.inversedBy);
    if (inverse === null) return { storedAs: 'own', inverse };
    const other = target.attributes[inverse];
    const leadsBack = other?.type === 'relation' && other.target === definition.uid;
    if (isMapped && leadsBack && other.mappedBy == null) return { storedAs: 'inverse', inverse };
    if (isMapped) {
      const reason = leadsBack ? 'is mappedBy as well' : 'is no relation that leads back';
      this.#notes.push(`${at} is always empty: "${inverse}" of ${target.uid}, which it is mappedBy, ${reason}`);
      return { storedAs: 'nothing', inverse: null };
    }
    if (other?.type !== 'relation') {
      this.#problems.push(`${at}.inversedBy: ${target.uid} has no relation "${inverse}"; expected the name of one`);
      return null;
    }
    if (!leadsBack) {
      this.#notes.push(`${at} is a relation of one side only: "${inverse}" of ${target.uid} does not lead back`);
      return { storedAs: 'own', inverse: null };
    }
    if (other.inversedBy !== name || !this.#isBefore([definition, name], [target, inverse]))
      return { storedAs: 'own', inverse };
    this.#notes.push(`${at} is taken for mappedBy: "${inverse}" of ${target.uid} is inversedBy as well`);
    return { storedAs: 'inverse', inverse };
  }

  /** Whether an attribute is defined before another. Of two that both own their relation, the later one does. */
  #isBefore([definition, name]: AttributeOfType, [other, otherName]: AttributeOfType): boolean {
    if (definition.uid !== other.uid) return this.#definitions.indexOf(definition) < this.#definitions.indexOf(other);
    const names = Object.keys(definition.attributes);
    return names.indexOf(name) < names.indexOf(otherName);
  }

  #morph(
    definition: NamedDefinition,
    common: AttributeCommon,
    declared: AttributeDefinition,
    at: string,
  ): MorphAttribute | RelationAttribute | null {
    if (declared.relation === 'morphOne' || declared.relation === 'morphMany') {
      const target = this.#target(declared, at);
      if (!target) return null;
      const morphBy = String(declared.morphBy);
      const kind = target.attributes[morphBy]?.relation;
      if (kind !== 'morphToOne' && kind !== 'morphToMany') {
        this.#problems.push(`${at}.morphBy: ${target.uid} has no polymorphic relation "${morphBy}"`);
        return null;
      }
      const link =
        kind === 'morphToMany'
          ? morphInversePairs(target, morphBy, definition.uid, common.name)
          : {
              table: target.table,
              from: 'target_id',
              to: 'id',
              constants: [{ column: 'target_type', value: definition.uid }],
              order: null,
              inverseOrder: null,
            };
      const many = declared.relation === 'morphMany';
      return {
        ...common,
        kind: 'relation',
        relation: many ? 'oneToMany' : 'oneToOne',
        target: target.uid,
        many,
        link,
        owning: false,
        inverse: morphBy,
        exclusive: kind === 'morphToOne',
        storage: kind === 'morphToOne' ? 'column' : 'morph',
      };
    }
    const many = declared.relation === 'morphToMany';
    const targets = this.#morphTargets(definition, common.name).map((uid) => ({
      uid,
      link: many
        ? {
            table: morphTableName(definition.table, common.name),
            from: idColumnName(definition.singularName),
            to: idColumnName(common.name),
            constants: [{ column: typeColumnName(common.name), value: uid }],
            order: 'order',
            inverseOrder: null,
          }
        : {
            table: definition.table,
            from: 'id',
            to: 'target_id',
            constants: [{ column: 'target_type', value: uid }],
            order: null,
            inverseOrder: null,
          },
    }));
    return { ...common, kind: 'morph', many, targets };
  }

  /**
   * Types that a polymorphic relation leads to, whether they show its links or not. Of two built-in types that goes too
   * far: files are attached to what has media, and who writes a link would read names of the console's accounts.
   */
  #morphTargets(definition: NamedDefinition, name: string): string[] {
    const isFile = definition.uid === FILE;
    const shows = ({ attributes }: NamedDefinition) =>
      Object.values(attributes).some(
        ({ type, target, morphBy }) => (isFile && type === 'media') || (target === definition.uid && morphBy === name),
      );
    const types = this.#definitions.filter((one) => one.kind !== 'component' && exposureOf(one.uid) !== 'hidden');
    const showing = types.filter(shows);
    const all = types.filter((one) => one.uid !== ADMIN_USER || showing.includes(one));
    return (isFile && showing.length > 0 ? showing : all).map(({ uid }) => uid);
  }
}

/** A relation as its definition has it. */
interface DeclaredRelation {
  readonly name: string;
  readonly declared: AttributeDefinition;
  readonly at: string;
}

type AttributeOfType = readonly [NamedDefinition, string];

/** `own`: by its own attribute. `inverse`: by that of the target. */
interface Side {
  readonly storedAs: 'own' | 'inverse' | 'nothing';
  readonly inverse: string | null;
}

const exposureOf = (uid: string): Exposure => {
  if (uid.startsWith('api::') || ROUTED_BUILTINS.has(uid)) return 'routes';
  return RELATED_BUILTINS.has(uid) ? 'relations' : 'hidden';
};

// Options that a definition must have were checked when it was read. Of the others, what is of no use is ignored.
const stringsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
const stringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const boundOrNull = (value: unknown): string | number | null =>
  typeof value === 'number' || typeof value === 'string' ? value : null;

type AttributeCommon = Pick<Attribute, 'name' | 'private' | 'writable' | 'required' | 'visibleWhen' | 'localized'>;

/** Relations and slugs always differ between locales; other attributes only where they say so. */
function base(name: string, declared: Record<string, unknown>, definition: NamedDefinition): AttributeCommon {
  const i18n = memberOf(declared.pluginOptions, 'i18n');
  return {
    name,
    private: declared.private === true,
    writable: declared.writable !== false,
    required: declared.required === true,
    visibleWhen: memberOf(declared.conditions, 'visible') ?? null,
    localized:
      definition.localized &&
      (memberOf(i18n, 'localized') === true || declared.type === 'relation' || declared.type === 'uid'),
  };
}

const DEFAULT_ROUNDS = 10;

/** What a new entry holds. Definitions write JSON as text, `"[]"`, or as it is. */
function defaultOf({ type, default: value }: AttributeDefinition): unknown {
  if (type !== 'json' || typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function rulesOf(declared: AttributeDefinition): ScalarRules {
  return {
    unique: declared.unique === true || declared.type === 'uid',
    default: defaultOf(declared),
    min: boundOrNull(declared.min),
    max: boundOrNull(declared.max),
    minLength: numberOrNull(declared.minLength),
    maxLength: numberOrNull(declared.maxLength),
    regex: declared.regex === undefined ? null : String(declared.regex),
    enum: declared.type === 'enumeration' ? stringsIn(declared.enum) : null,
    rounds: numberOrNull(memberOf(declared.encryption, 'rounds')) ?? DEFAULT_ROUNDS,
  };
}

export const scalar = (name: string, type: ScalarType, column: string): ScalarAttribute => ({
  kind: 'scalar',
  name,
  type,
  column,
  private: false,
  writable: true,
  required: false,
  visibleWhen: null,
  localized: false,
  searchable: true,
  rules: rulesOf({ type }),
});
