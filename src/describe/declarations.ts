// The model → the declaration file that `sheaf types` writes: a registry of content-types and components with their
// attributes, and a name for the entries and the inputs of each. The same model gives the same text.
import { FILE, LOCALE, ROLE, USER } from '../model/builtin.ts';
import type { Attribute, ComponentSchema, ContentType, Model, ScalarAttribute, Schema } from '../model/types.ts';

export interface DeclarationOptions {
  /** Null where the project adds locales as it needs them. */
  readonly locales: readonly string[] | null;
}

/** In two strings: at the beginning of a line it would look like an import of the program that writes it. */
const HEAD = [
  '// Written by `sheaf types` from the content model of the project. Changes are lost when it runs again.',
  "import type { EntryQuery, Filters, NamedEntry, PopulateInput, SortInput, UpdateData } from 'sheaf/types';\n",
].join('\n');

export function declarations(model: Model, { locales }: DeclarationOptions): string {
  const types = described(model);
  const components = [...model.components.values()].toSorted(byUid);
  const names = namesOf([...types, ...components]);
  const writer = new Writer(model, names);
  return [
    HEAD,
    registry(locales),
    index('ContentTypes', types, names),
    index('Components', components, names),
    ...types.map((type) => writer.contentType(type)),
    ...components.map((component) => writer.component(component)),
  ].join('\n');
}

const byUid = (a: Schema, b: Schema): number => (a.uid < b.uid ? -1 : 1);

/** What is served, and the roles of users, which clients may read. The project's own types come first. */
function described(model: Model): ContentType[] {
  const types = [...model.contentTypes.values()].filter(({ exposure, uid }) => exposure !== 'hidden' || uid === ROLE);
  const isOwn = ({ uid }: ContentType): boolean => uid.startsWith('api::');
  return [...types.filter(isOwn).toSorted(byUid), ...types.filter((type) => !isOwn(type)).toSorted(byUid)];
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
/** A key of an interface. */
const key = (name: string): string => (name.includes('-') ? quoted(name) : name);
const union = (texts: readonly string[]): string => (texts.length === 0 ? 'never' : texts.map(quoted).join(' | '));

const registry = (locales: readonly string[] | null): string => `declare module 'sheaf/types' {
  interface Register {
    registry: Registry;
  }
}

/** The model of the project, for \`createClient<Registry>({ url })\`. */
export interface Registry {
  contentTypes: ContentTypes;
  components: Components;
  locale: ${locales === null ? 'string' : union(locales)};
}
`;

const index = (name: string, schemas: readonly Schema[], names: ReadonlyMap<string, string>): string =>
  `export interface ${name} {\n${schemas.map(({ uid }) => `  ${quoted(uid)}: ${names.get(uid)}Schema;\n`).join('')}}\n`;

/** Names that the file has already, or that the compiler knows. */
const TAKEN = ['Registry', 'ContentTypes', 'Components', 'Filters', 'EntryQuery', 'NamedEntry', 'UpdateData', 'Object'];
const BUILTIN_NAMES: Readonly<Record<string, string>> = {
  [USER]: 'User',
  [ROLE]: 'Role',
  [FILE]: 'UploadFile',
  [LOCALE]: 'Locale',
  'admin::user': 'AdminUser',
};

/** A name for each schema. Where two would share one, the later gets the whole of its uid. */
function namesOf(schemas: readonly Schema[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(TAKEN);
  const suffixes = ['', 'Schema', 'Query', 'Input', 'Filters', 'Sort', 'Populate'];
  const isFree = (name: string): boolean => suffixes.every((suffix) => !taken.has(name + suffix));
  for (const { uid, kind, singularName } of schemas) {
    const short = BUILTIN_NAMES[uid] ?? pascal(kind === 'component' ? uid : singularName);
    let name = isFree(short) ? short : pascal(uid);
    for (let number = 2; !isFree(name); number++) name = `${pascal(uid)}${number}`;
    for (const suffix of suffixes) taken.add(name + suffix);
    names.set(uid, name);
  }
  return names;
}

const pascal = (text: string): string => {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return /^\p{L}/u.test(name) ? name : `Type${name}`;
};

class Writer {
  readonly #model: Model;
  readonly #names: ReadonlyMap<string, string>;
  readonly #descriptions: ReadonlyMap<string, string>;

  constructor(model: Model, names: ReadonlyMap<string, string>) {
    this.#model = model;
    this.#names = names;
    this.#descriptions = descriptionsOf(model);
  }

  contentType(type: ContentType): string {
    const { uid, kind, exposure, draftAndPublish, localized, singularName, pluralName } = type;
    const name = this.#names.get(uid)!;
    const route = exposure === 'routes' ? quoted(kind === 'singleType' ? singularName : pluralName) : 'null';
    return `${this.#aliases(name, uid)}
export interface ${name}Schema {
  kind: ${quoted(kind)};
  route: ${route};
  drafts: ${draftAndPublish};
  localized: ${localized};
${exposure === 'hidden' ? '  clientOnly: true;\n' : ''}  attributes: {
${this.#attributes(type)}  };
}
`;
  }

  component(component: ComponentSchema): string {
    const name = this.#names.get(component.uid)!;
    return `/** ${component.uid} */
export interface ${name}Schema {
  attributes: {
${this.#attributes(component)}  };
}
`;
  }

  #aliases(name: string, uid: string): string {
    const of = `Registry, ${quoted(uid)}`;
    return `/** ${uid}: an entry, such as \`${name}\` or \`${name}<{ populate: '*' }>\`. */
export type ${name}<Query extends ${name}Query = object> = NamedEntry<${of}, Query>;
export type ${name}Query = EntryQuery<${of}>;
export type ${name}Input = UpdateData<${of}>;
export type ${name}Filters = Filters<${of}, 'client'>;
export type ${name}Sort = SortInput<${of}, 'client'>;
export type ${name}Populate = PopulateInput<${of}, 'client'>;
`;
  }

  #attributes(schema: Schema): string {
    return [...schema.attributes.values()]
      .filter((attribute) => this.#isDescribed(attribute))
      .map((attribute) => {
        const description = this.#descriptions.get(`${schema.uid} ${attribute.name}`);
        const shape = [...this.#shape(schema, attribute), ...marks(schema, attribute)].join('; ');
        return `${description ? commented(description) : ''}    ${key(attribute.name)}: { ${shape} };\n`;
      })
      .join('');
  }

  /** What leads to types that are not served is not there for anyone; nor are the locales of what has none. */
  #isDescribed(attribute: Attribute): boolean {
    if (attribute.private && (attribute.name === 'locale' || attribute.name === 'localizations')) return false;
    if (attribute.kind !== 'relation') return true;
    return attribute.target === ROLE || this.#model.contentTypes.get(attribute.target)!.exposure !== 'hidden';
  }

  #shape(schema: Schema, attribute: Attribute): string[] {
    switch (attribute.kind) {
      case 'scalar':
        return scalarShape(schema, attribute);
      case 'relation':
        return [
          "type: 'relation'",
          `target: ${quoted(attribute.target)}`,
          `many: ${attribute.many}`,
          ...(attribute.target === ROLE ? ['clientOnly: true'] : []),
        ];
      case 'localizations':
        return ["type: 'relation'", `target: ${quoted(schema.uid)}`, 'many: true'];
      case 'component':
        return ["type: 'component'", `component: ${quoted(attribute.component)}`, `many: ${attribute.many}`];
      case 'dynamiczone':
        return ["type: 'dynamiczone'", `components: ${union(attribute.components.map(({ uid }) => uid))}`];
      case 'media':
        return ["type: 'media'", `many: ${attribute.many}`];
      case 'morph':
        return [
          "type: 'morph'",
          `targets: ${union(this.#servedTargets(attribute.targets))}`,
          `many: ${attribute.many}`,
        ];
    }
  }

  #servedTargets(targets: readonly { readonly uid: string }[]): string[] {
    return targets.map(({ uid }) => uid).filter((uid) => this.#model.contentTypes.get(uid)!.exposure !== 'hidden');
  }
}

const scalarShape = ({ kind }: Schema, { name, type, rules }: ScalarAttribute): string[] => {
  if (name === 'locale' && kind !== 'component') return ["type: 'enumeration'", "values: Registry['locale']"];
  return [`type: ${quoted(type)}`, ...(rules.enum ? [`values: ${union(rules.enum)}`] : [])];
};

/** What the server sets, for every entry. */
const ALWAYS: ReadonlySet<string> = new Set(['id', 'documentId', 'createdAt', 'updatedAt']);
/** What bodies may hold without an effect. */
const IGNORED: ReadonlySet<string> = new Set(['publishedAt', 'locale']);

function marks(schema: Schema, attribute: Attribute): string[] {
  const isSystem = schema.kind !== 'component' && IGNORED.has(attribute.name);
  const isAlways = ALWAYS.has(attribute.name) && !attribute.writable;
  // What may be hidden by a condition is not required then.
  const isRequired = attribute.required && attribute.visibleWhen === null;
  const hasDefault =
    attribute.kind === 'scalar' && attribute.rules.default !== null && attribute.rules.default !== undefined;
  return [
    ...(attribute.private ? ['private: true'] : []),
    ...(!attribute.writable || isSystem ? ['readonly: true'] : []),
    ...(isRequired ? ['required: true'] : []),
    ...(hasDefault ? ['default: true'] : []),
    ...(isAlways ? ['always: true'] : []),
  ];
}

/** What definitions say of their attributes, by uid and name. */
const descriptionsOf = ({ definitions }: Model): ReadonlyMap<string, string> =>
  new Map(
    definitions.flatMap(({ uid, attributes }) =>
      Object.entries(attributes).flatMap(([name, { description }]) =>
        typeof description === 'string' && description.trim() !== '' ? [[`${uid} ${name}`, description] as const] : [],
      ),
    ),
  );

/** Nothing in a description ends the comment that it stands in. */
function commented(description: string): string {
  const lines = description
    .trim()
    .replaceAll('*/', '*\\/')
    .split(/\s*\n\s*/);
  if (lines.length === 1) return `    /** ${lines[0]} */\n`;
  return `    /**\n${lines.map((line) => `     * ${line}\n`).join('')}     */\n`;
}
