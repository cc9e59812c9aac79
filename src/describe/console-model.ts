// The model as an account of the console may know it: the types that it may read, with the attributes that it may read
// or write, and the components that they hold.
import type { Access } from '../access/access.ts';
import { mayRead } from '../access/actions.ts';
import type {
  ConsoleAttribute,
  ConsoleLocale,
  ConsoleModel,
  ConsoleRelation,
  ConsoleSchema,
  ConsoleType,
} from '../console/contract.ts';
import { BUILTIN_DEFINITIONS, FILE, USER } from '../model/builtin.ts';
import { columnOf } from '../model/declared-indexes.ts';
import { tablesOf } from '../model/tables.ts';
import type {
  Attribute,
  AttributeDefinition,
  ContentType,
  DeclaredIndex,
  Model,
  ScalarAttribute,
  ScalarType,
  Schema,
} from '../model/types.ts';
import type { Settings } from '../project/settings.ts';
import { pascal } from './schema-names.ts';
import { View } from './view.ts';

export interface ConsoleModelOptions {
  readonly model: Model;
  readonly access: Access;
  readonly settings: Settings;
  readonly locales: readonly ConsoleLocale[];
  readonly mainFields: MainFields;
}

/** The attributes that people chose to name entries by, by uid. */
export type MainFields = ReadonlyMap<string, string>;

export function consoleModel({ model, access, settings, locales, mainFields }: ConsoleModelOptions): ConsoleModel {
  const reader = new SchemaReader(model, access, mainFields);
  const types = readTypes(model, access).map((type) => reader.type(type));
  return {
    title: settings.openapi.title,
    prefix: settings.rest.prefix,
    locales: locales.map(({ code, name, isDefault }) => ({ code, name, isDefault })),
    types,
    components: reader.components(types),
  };
}

/** The types whose entries an account may read, one by one or in lists. */
export const readTypes = (model: Model, access: Access): ContentType[] =>
  [...model.contentTypes.values()].filter(
    (type) => (type.exposure === 'routes' || type.uid === FILE) && mayRead(type, access.may),
  );

/** What people call a type or component. */
export function labelOf(
  { labels }: Model,
  { uid, singularName }: Schema,
): Pick<ConsoleSchema, 'displayName' | 'description'> {
  const label = labels.get(uid);
  return { displayName: label?.displayName ?? pascal(singularName), description: label?.description ?? null };
}

/**
 * The attribute that names an entry for people, among those that may be read: the one that was chosen, or else as in
 * Strapi 5 the first short text.
 */
export function mainFieldOf(schema: Schema, view: View, chosen: MainFields): string {
  const own = view.scalars(schema).filter(({ name }) => !AUTOMATIC.has(name));
  const wanted = chosen.get(schema.uid);
  if (own.some(({ name }) => name === wanted)) return wanted!;
  for (const type of NAMING) {
    const found = own.find((attribute) => attribute.type === type);
    if (found) return found.name;
  }
  return schema.kind === 'component' ? 'id' : 'documentId';
}

/** The best first. */
const NAMING: readonly ScalarType[] = ['string', 'uid', 'email', 'text', 'enumeration'];
const AUTOMATIC: ReadonlySet<string> = new Set(['id', 'documentId', 'locale']);

class SchemaReader {
  readonly #model: Model;
  readonly #view: View;
  readonly #mainFields: MainFields;
  /** What definitions say of attributes, by uid. */
  readonly #declared: ReadonlyMap<string, Readonly<Record<string, AttributeDefinition>>>;
  /** The columns that indexes begin with, by table. */
  readonly #leading: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(model: Model, access: Access, mainFields: MainFields) {
    this.#model = model;
    this.#mainFields = mainFields;
    this.#view = new View(model, access);
    this.#declared = new Map(
      [...BUILTIN_DEFINITIONS, ...model.definitions].map(({ uid, attributes }) => [uid, attributes]),
    );
    this.#leading = new Map(
      tablesOf(model).map(({ name, indexes }) => [name, new Set(['id', ...indexes.map(({ columns }) => columns[0]!)])]),
    );
  }

  type(type: ContentType): ConsoleType {
    const { kind, uid, singularName, pluralName, draftAndPublish, localized } = type;
    return {
      ...this.#schema(type),
      kind,
      singularName,
      pluralName,
      path: uid === FILE ? 'upload/files' : kind === 'singleType' ? singularName : pluralName,
      draftAndPublish,
      localized,
      source: uid === USER ? 'users' : uid === FILE ? 'files' : 'own',
      indexes: type.indexes.map((index) => attributesOf(type, index)).filter((names) => names.length > 0),
    };
  }

  /** Those that attributes of the types hold, at any depth. */
  components(types: readonly ConsoleType[]): ConsoleSchema[] {
    const found = new Map<string, ConsoleSchema>();
    const follow = ({ attributes }: ConsoleSchema): void => {
      for (const { component, components = [] } of attributes)
        for (const uid of component === undefined ? components : [component]) {
          if (found.has(uid)) continue;
          const schema = this.#schema(this.#model.components.get(uid)!);
          found.set(uid, schema);
          follow(schema);
        }
    };
    types.forEach(follow);
    return [...found.values()].sort((one, other) => (one.uid < other.uid ? -1 : 1));
  }

  #schema(schema: Schema): ConsoleSchema {
    return {
      uid: schema.uid,
      ...labelOf(this.#model, schema),
      attributes: this.#attributes(schema),
      mainField: mainFieldOf(schema, this.#view, this.#mainFields),
    };
  }

  #attributes(schema: Schema): ConsoleAttribute[] {
    const view = this.#view;
    const read = new Set<Attribute>([...view.scalars(schema), ...view.populated(schema)]);
    const written = new Set<Attribute>(view.written(schema));
    return [...schema.attributes.values()]
      .filter((attribute) => read.has(attribute) || written.has(attribute))
      .map((attribute) => this.#attribute(schema, attribute, written.has(attribute)));
  }

  #attribute(schema: Schema, attribute: Attribute, writable: boolean): ConsoleAttribute {
    const { name, required, localized } = attribute;
    const declared = this.#declared.get(schema.uid)?.[name];
    return {
      name,
      type: typeName(attribute),
      required,
      unique: attribute.kind === 'scalar' && attribute.rules.unique,
      private: attribute.private,
      localized,
      writable,
      hasIndex: this.#hasIndex(schema, attribute),
      ...(attribute.visibleWhen !== null && { visibleWhen: attribute.visibleWhen }),
      ...optionsOf(attribute, declared, this.#view),
    };
  }

  /** Whether an index begins with it. Tables of links have indexes of both sides. */
  #hasIndex({ table }: Schema, attribute: Attribute): boolean {
    if (attribute.kind !== 'scalar') return attribute.kind === 'relation';
    return this.#leading.get(table)?.has(attribute.column) ?? false;
  }
}

/** The attributes that an index is of. */
function attributesOf(schema: Schema, index: DeclaredIndex): string[] {
  const attributes = [...schema.attributes.values()];
  return index.flatMap(({ column }) => attributes.find((one) => columnOf(one)?.column === column)?.name ?? []);
}

function typeName(attribute: Attribute): string {
  switch (attribute.kind) {
    case 'scalar':
      return attribute.type;
    case 'localizations':
      return 'relation';
    default:
      return attribute.kind;
  }
}

type Options = Omit<
  ConsoleAttribute,
  'name' | 'type' | 'required' | 'unique' | 'private' | 'localized' | 'writable' | 'hasIndex' | 'visibleWhen'
>;

/** What is particular about an attribute of its kind. */
function optionsOf(attribute: Attribute, declared: AttributeDefinition | undefined, view: View): Options {
  switch (attribute.kind) {
    case 'scalar':
      return scalarOptions(attribute, declared);
    case 'relation':
    case 'localizations':
    case 'morph':
      return { relation: relationOf(attribute, declared, view) };
    case 'component':
      return { component: attribute.component, repeatable: attribute.many, ...boundsOf(attribute) };
    case 'dynamiczone':
      return { components: attribute.components.map(({ uid }) => uid), ...boundsOf(attribute) };
    case 'media':
      return { multiple: attribute.many, ...allowedTypesOf(declared) };
  }
}

function allowedTypesOf(declared: AttributeDefinition | undefined): Pick<Options, 'allowedTypes'> {
  const allowed: unknown = declared?.allowedTypes;
  return Array.isArray(allowed)
    ? { allowedTypes: allowed.filter((type): type is string => typeof type === 'string') }
    : {};
}

function scalarOptions({ rules }: ScalarAttribute, declared: AttributeDefinition | undefined): Options {
  const { minLength, maxLength, regex } = rules;
  return {
    ...(rules.default !== undefined && { default: rules.default }),
    ...boundsOf(rules),
    ...(minLength !== null && { minLength }),
    ...(maxLength !== null && { maxLength }),
    ...(regex !== null && { regex }),
    ...(rules.enum !== null && { values: rules.enum }),
    ...(typeof declared?.targetField === 'string' && { targetField: declared.targetField }),
  };
}

interface Bounds {
  readonly min: number | string | null;
  readonly max: number | string | null;
}

const boundsOf = ({ min, max }: Bounds): { min?: number; max?: number } => ({
  ...(min !== null && { min: Number(min) }),
  ...(max !== null && { max: Number(max) }),
});

function relationOf(
  attribute: Attribute & { kind: 'relation' | 'localizations' | 'morph' },
  declared: AttributeDefinition | undefined,
  view: View,
): ConsoleRelation {
  if (attribute.kind === 'localizations')
    return { kind: 'oneToMany', target: attribute.target, toMany: true, inverse: null };
  if (attribute.kind === 'morph')
    return {
      kind: attribute.many ? 'morphToMany' : 'morphToOne',
      target: null,
      targets: view.found(attribute.targets.map(({ uid }) => uid)),
      toMany: attribute.many,
      inverse: null,
    };
  const { relation, target, many, inverse } = attribute;
  return { kind: String(declared?.relation ?? relation), target, toMany: many, inverse };
}
