// Definitions → the model: resolves targets and inverses, names tables and columns, adds the attributes that
// every type has, and freezes the result. A definition that does not fit the others stops the start.
import { SetupError } from '../errors.ts';
import { ADMIN_USER, BUILTIN_DEFINITIONS, FILE, RELATED_BUILTINS, ROUTED_BUILTINS } from './builtin.ts';
import type { AttributeDefinition, Definition } from './definitions.ts';
import { MORPH_KINDS, readDefinitions } from './definitions.ts';
import {
  columnName,
  componentTableName,
  idColumnName,
  inverseIdColumnName,
  inverseOrderColumnName,
  joinTableName,
  morphTableName,
  orderColumnName,
  snakeCase,
  typeColumnName,
} from './identifiers.ts';
import type {
  Attribute,
  ComponentSchema,
  ContentType,
  Exposure,
  Model,
  MorphAttribute,
  Pairs,
  RelationAttribute,
  RelationKind,
  ScalarAttribute,
  ScalarType,
} from './types.ts';

export const loadModel = (project: string): Model => buildModel(readDefinitions(project));

export function buildModel(own: readonly Definition[]): Model {
  const builder = new Builder(withExtensions(own));
  return builder.build();
}

/** A definition under `extensions/` adds to, or replaces attributes of, the built-in type of the same uid. */
function withExtensions(own: readonly Definition[]): Definition[] {
  const extensions = new Map(own.filter((one) => one.uid.startsWith('plugin::')).map((one) => [one.uid, one]));
  const builtins = BUILTIN_DEFINITIONS.map((builtin) => {
    const extension = extensions.get(builtin.uid);
    extensions.delete(builtin.uid);
    return extension
      ? { ...builtin, file: extension.file, attributes: { ...builtin.attributes, ...extension.attributes } }
      : builtin;
  });
  return [...builtins, ...own.filter((one) => !one.uid.startsWith('plugin::'))];
}

class Builder {
  readonly #definitions: readonly Definition[];
  readonly #byUid: ReadonlyMap<string, Definition>;
  readonly #problems: string[] = [];

  constructor(definitions: readonly Definition[]) {
    this.#definitions = definitions;
    this.#byUid = new Map(definitions.map((definition) => [definition.uid, definition]));
  }

  build(): Model {
    this.#checkNames();
    const contentTypes = new Map<string, ContentType>();
    const components = new Map<string, ComponentSchema>();
    for (const definition of this.#definitions) {
      if (definition.kind === 'component') components.set(definition.uid, this.#component(definition));
      else contentTypes.set(definition.uid, this.#contentType(definition));
    }
    if (this.#problems.length > 0) throw new SetupError('The content model does not fit together:', this.#problems);
    return Object.freeze({ contentTypes, components });
  }

  #checkNames(): void {
    const tables = new Map<string, string>();
    const paths = new Map<string, string>();
    for (const { uid, file, collectionName, kind, singularName, pluralName } of this.#definitions) {
      const owner = tables.get(collectionName);
      if (owner)
        this.#problems.push(`${file}: collectionName: the table "${collectionName}" belongs to ${owner} already`);
      tables.set(collectionName, uid);
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

  #component(definition: Definition): ComponentSchema {
    return Object.freeze({
      kind: 'component',
      uid: definition.uid,
      table: definition.collectionName,
      singularName: definition.singularName,
      attributes: this.#attributes(definition, [scalar('id', 'integer', 'id')], []),
    });
  }

  #contentType(definition: Definition): ContentType {
    const first = [scalar('id', 'integer', 'id'), scalar('documentId', 'string', 'document_id')];
    const last: Attribute[] = [
      scalar('createdAt', 'datetime', 'created_at'),
      scalar('updatedAt', 'datetime', 'updated_at'),
      scalar('publishedAt', 'datetime', 'published_at'),
      ...['createdBy', 'updatedBy'].map((name) => this.#creator(definition, name)),
      { ...scalar('locale', 'string', 'locale'), private: !definition.localized },
      { kind: 'localizations', name: 'localizations', private: !definition.localized, target: definition.uid },
    ];
    return Object.freeze({
      kind: definition.kind as ContentType['kind'],
      uid: definition.uid,
      table: definition.collectionName,
      singularName: definition.singularName,
      pluralName: definition.pluralName,
      draftAndPublish: definition.draftAndPublish,
      localized: definition.localized,
      exposure: exposureOf(definition.uid),
      attributes: this.#attributes(definition, first, last),
    });
  }

  #creator(definition: Definition, name: string): RelationAttribute {
    return {
      kind: 'relation',
      name,
      private: !definition.populateCreatorFields,
      relation: 'oneToOne',
      target: ADMIN_USER,
      many: false,
      pairs: ownColumn(definition, idColumnName(name)),
    };
  }

  #attributes(definition: Definition, first: Attribute[], last: Attribute[]): ReadonlyMap<string, Attribute> {
    const attributes = new Map<string, Attribute>(first.map((attribute) => [attribute.name, attribute]));
    const automatic = new Set(last.map((attribute) => attribute.name));
    const columns = new Map<string, string>();
    for (const [name, declared] of Object.entries(definition.attributes)) {
      if (automatic.has(name)) continue;
      const column = snakeCase(name);
      if (columns.has(column))
        this.#problems.push(
          `${definition.file}: attributes.${name}: expected a name that differs from ${columns.get(column)} in more than case`,
        );
      columns.set(column, name);
      const attribute = this.#attribute(definition, name, declared);
      if (!attribute) continue;
      const hidden = attribute.private || definition.privateAttributes.includes(name);
      attributes.set(name, Object.freeze({ ...attribute, private: hidden }));
    }
    for (const attribute of last) attributes.set(attribute.name, Object.freeze(attribute));
    return attributes;
  }

  #attribute(definition: Definition, name: string, declared: AttributeDefinition): Attribute | null {
    const at = `${definition.file}: attributes.${name}`;
    const base = { name, private: declared.private === true };
    switch (declared.type) {
      case 'relation':
        return MORPH_KINDS.has(String(declared.relation))
          ? this.#morph(definition, base, declared, at)
          : this.#relation(definition, base, declared, at);
      case 'component': {
        const component = this.#find(declared.component, 'component', `${at}.component`);
        return (
          component && {
            ...base,
            kind: 'component',
            component: component.uid,
            many: declared.repeatable === true,
            pairs: componentPairs(definition, name, component.uid),
          }
        );
      }
      case 'dynamiczone': {
        const uids = declared.components as string[];
        const found = uids.map((uid, index) => this.#find(uid, 'component', `${at}.components[${index}]`));
        return {
          ...base,
          kind: 'dynamiczone',
          components: found
            .filter((component) => component !== null)
            .map(({ uid }) => ({ uid, pairs: componentPairs(definition, name, uid) })),
        };
      }
      case 'media':
        return {
          ...base,
          kind: 'media',
          target: FILE,
          many: declared.multiple === true,
          pairs: morphInversePairs(this.#byUid.get(FILE)!, 'related', definition.uid, name),
        };
      case 'customField':
        // A custom field's storage is known to its plugin alone; the ones in use keep a text.
        return { ...scalar(name, 'string', columnName(name)), ...base };
      default:
        return {
          ...scalar(name, declared.type as ScalarType, columnName(name)),
          ...base,
          searchable: declared.searchable !== false,
        };
    }
  }

  #find(uid: unknown, kind: 'component' | 'content-type', at: string): Definition | null {
    const found = this.#byUid.get(String(uid));
    if (found && (found.kind === 'component') === (kind === 'component')) return found;
    this.#problems.push(`${at}: there is no ${kind} "${uid}"; expected the uid of one of this project`);
    return null;
  }

  #relation(
    definition: Definition,
    base: { name: string; private: boolean },
    declared: AttributeDefinition,
    at: string,
  ): RelationAttribute | null {
    const target = this.#find(declared.target, 'content-type', `${at}.target`);
    if (!target) return null;
    const relation = declared.relation as RelationKind;
    const many = relation === 'oneToMany' || relation === 'manyToMany';
    const inverse = (declared.mappedBy ?? declared.inversedBy) as string | null | undefined;
    const inverseDeclared = inverse == null ? undefined : target.attributes[inverse];
    if (inverse != null && inverseDeclared?.type !== 'relation') {
      const key = declared.mappedBy != null ? 'mappedBy' : 'inversedBy';
      this.#problems.push(`${at}.${key}: ${target.uid} has no relation "${inverse}"; expected the name of one`);
      return null;
    }
    const pairs =
      declared.mappedBy != null
        ? reversed(target, linkOf(target, inverse!, inverseDeclared!, definition))
        : forward(definition, linkOf(definition, base.name, declared, target));
    return { ...base, kind: 'relation', relation, target: target.uid, many, pairs };
  }

  #morph(
    definition: Definition,
    base: { name: string; private: boolean },
    declared: AttributeDefinition,
    at: string,
  ): MorphAttribute | RelationAttribute | null {
    if (declared.relation === 'morphOne' || declared.relation === 'morphMany') {
      const target = this.#find(declared.target, 'content-type', `${at}.target`);
      if (!target) return null;
      const morphBy = String(declared.morphBy);
      const kind = target.attributes[morphBy]?.relation;
      if (kind !== 'morphToOne' && kind !== 'morphToMany') {
        this.#problems.push(`${at}.morphBy: ${target.uid} has no polymorphic relation "${morphBy}"`);
        return null;
      }
      const pairs =
        kind === 'morphToMany'
          ? morphInversePairs(target, morphBy, definition.uid, base.name)
          : {
              table: target.collectionName,
              from: 'target_id',
              to: 'id',
              match: [{ column: 'target_type', value: definition.uid }],
              order: null,
            };
      const many = declared.relation === 'morphMany';
      return { ...base, kind: 'relation', relation: many ? 'oneToMany' : 'oneToOne', target: target.uid, many, pairs };
    }
    const many = declared.relation === 'morphToMany';
    const targets = this.#morphTargets(definition, base.name).map((uid) => ({
      uid,
      pairs: many
        ? {
            table: morphTableName(definition.collectionName, base.name),
            from: idColumnName(definition.singularName),
            to: idColumnName(base.name),
            match: [{ column: typeColumnName(base.name), value: uid }],
            order: 'order',
          }
        : {
            table: definition.collectionName,
            from: 'id',
            to: 'target_id',
            match: [{ column: 'target_type', value: uid }],
            order: null,
          },
    }));
    return { ...base, kind: 'morph', many, targets };
  }

  /** Types that declare themselves the other end of a polymorphic relation; where none does, every type can be. */
  #morphTargets(definition: Definition, name: string): string[] {
    const isContentType = (one: Definition) => one.kind !== 'component' && exposureOf(one.uid) !== 'hidden';
    const declares = (one: Definition) =>
      Object.values(one.attributes).some(
        (attribute) =>
          (attribute.type === 'media' && definition.uid === FILE) ||
          (attribute.target === definition.uid && attribute.morphBy === name),
      );
    const declared = this.#definitions.filter((one) => isContentType(one) && declares(one));
    const all = declared.length > 0 ? declared : this.#definitions.filter(isContentType);
    return all.map((one) => one.uid);
  }
}

const exposureOf = (uid: string): Exposure => {
  if (uid.startsWith('api::') || ROUTED_BUILTINS.has(uid)) return 'routes';
  return RELATED_BUILTINS.has(uid) ? 'relations' : 'hidden';
};

const scalar = (name: string, type: ScalarType, column: string): ScalarAttribute => ({
  kind: 'scalar',
  name,
  type,
  column,
  private: false,
  searchable: true,
});

const ownColumn = (definition: Definition, column: string): Pairs => ({
  table: definition.collectionName,
  from: 'id',
  to: column,
  match: [],
  order: null,
});

const componentPairs = (definition: Definition, field: string, component: string): Pairs => ({
  table: componentTableName(definition.collectionName),
  from: 'entity_id',
  to: 'cmp_id',
  match: [
    { column: 'field', value: field },
    { column: 'component_type', value: component },
  ],
  order: 'order',
});

/** From a type to the rows that point at it through their `morphToMany`. */
const morphInversePairs = (holder: Definition, morphBy: string, uid: string, field: string): Pairs => ({
  table: morphTableName(holder.collectionName, morphBy),
  from: idColumnName(morphBy),
  to: idColumnName(holder.singularName),
  match: [
    { column: typeColumnName(morphBy), value: uid },
    { column: 'field', value: field },
  ],
  order: 'order',
});

/** The link table of an owning relation, seen from nobody's side. */
interface Link {
  readonly ownColumn: string | null;
  readonly table: string;
  readonly ownerId: string;
  readonly targetId: string;
  readonly targetOrder: string | null;
  readonly ownerOrder: string | null;
}

function linkOf(owner: Definition, name: string, declared: AttributeDefinition, target: Definition): Link {
  const ownerId = idColumnName(owner.singularName);
  const same = ownerId === idColumnName(target.singularName);
  const many = declared.relation === 'oneToMany' || declared.relation === 'manyToMany';
  const twoWay = declared.inversedBy != null;
  const ownerHasOrder = twoWay && (declared.relation === 'manyToOne' || declared.relation === 'manyToMany');
  return {
    ownColumn: declared.useJoinTable === false ? idColumnName(name) : null,
    table: joinTableName(owner.collectionName, name),
    ownerId,
    targetId: same ? inverseIdColumnName(target.singularName) : idColumnName(target.singularName),
    targetOrder: many ? orderColumnName(target.singularName) : null,
    ownerOrder: ownerHasOrder
      ? same && many
        ? inverseOrderColumnName(owner.singularName)
        : orderColumnName(owner.singularName)
      : null,
  };
}

const forward = (owner: Definition, link: Link): Pairs =>
  link.ownColumn !== null
    ? ownColumn(owner, link.ownColumn)
    : { table: link.table, from: link.ownerId, to: link.targetId, match: [], order: link.targetOrder };

const reversed = (owner: Definition, link: Link): Pairs =>
  link.ownColumn !== null
    ? { table: owner.collectionName, from: link.ownColumn, to: 'id', match: [], order: null }
    : { table: link.table, from: link.targetId, to: link.ownerId, match: [], order: link.ownerOrder };
