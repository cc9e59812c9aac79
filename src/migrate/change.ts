// What differs between the definitions that a database was last served with and those of the project, as far as the
// data has to follow. What only adds is no change in this sense.

import type { Attribute, Definition, Model, RelationAttribute, ScalarAttribute, Schema } from '../model/types.ts';
import { opposite, renamed, type SchemaNames, type SchemaRename } from './rename.ts';

export type Toggle = 'drafts-on' | 'drafts-off' | 'locales-on' | 'locales-off';

/** An attribute of a definition that becomes another. Null: there is none before, or after. */
export interface ChangedAttribute {
  readonly uid: string;
  readonly name: string;
}

export type Change =
  | { readonly kind: Toggle; readonly uid: string }
  /** A scalar attribute of another type, or with fewer values allowed. */
  | { readonly kind: 'convert'; readonly uid: string; readonly name: string }
  /** A relation of another kind, with another target, or kept elsewhere; `other`: its other side, before and after. */
  | {
      readonly kind: 'relation';
      readonly uid: string;
      readonly name: string;
      readonly others: readonly ChangedAttribute[];
    }
  /** A list of components or files that takes one only. */
  | { readonly kind: 'single'; readonly uid: string; readonly name: string }
  /** Attributes that are gone beside new ones that could be the same under another name. */
  | {
      readonly kind: 'replace';
      readonly uid: string;
      readonly name: string;
      readonly by: readonly string[];
    }
  /** A content-type or component whose files have another name, or which names another table. */
  | { readonly kind: 'rename'; readonly uid: string; readonly rename: SchemaRename };

/** What `--allow` takes. */
export const changeId = (change: Change): string =>
  'name' in change ? `${change.kind}:${change.uid}.${change.name}` : `${change.kind}:${change.uid}`;

export const schemasOf = (model: Model): Schema[] => [...model.components.values(), ...model.contentTypes.values()];

export const schemaOf = (model: Model, uid: string): Schema | undefined =>
  model.contentTypes.get(uid) ?? model.components.get(uid);

const namesOf = ({ uid, collectionName, singularName, pluralName }: Definition): SchemaNames => ({
  uid,
  collectionName,
  singularName,
  pluralName,
});

/** Definitions that keep their table under another name, or their name with another table. */
export function renamesBetween(
  served: readonly Definition[],
  definitions: readonly Definition[],
): (Change & { readonly kind: 'rename' })[] {
  const uids = new Set(definitions.map(({ uid }) => uid));
  return definitions.flatMap((definition) => {
    const sameUid = served.find(({ uid }) => uid === definition.uid);
    const sameTable = served.find((one) => one.collectionName === definition.collectionName && !uids.has(one.uid));
    const old = sameUid ?? sameTable;
    if (!old || (old.uid === definition.uid && old.collectionName === definition.collectionName)) return [];
    const rename = { what: 'schema', from: namesOf(old), to: namesOf(definition) } as const;
    return [{ kind: 'rename', uid: old.uid, rename }];
  });
}

/** Definitions under the names that they had. */
export const underOldNames = (
  definitions: readonly Definition[],
  renames: readonly (Change & { readonly kind: 'rename' })[],
): readonly Definition[] =>
  renames.reduce<readonly Definition[]>((named, { rename }) => renamed(named, opposite(rename)), definitions);

/** All but new names, in the order in which they are made. */
export function changesBetween(before: Model, after: Model): Change[] {
  const changes: Change[] = [];
  for (const schema of schemasOf(after)) {
    const served = schemaOf(before, schema.uid);
    if (!served || served.table !== schema.table) continue;
    changes.push(...toggles(served, schema), ...attributeChanges(served, schema), ...replacements(served, schema));
  }
  return withoutDuplicates([...changes, ...relationChanges(before, after)]);
}

function toggles(served: Schema, schema: Schema): Change[] {
  if (served.kind === 'component' || schema.kind === 'component') return [];
  const { uid } = schema;
  const changes: Change[] = [];
  if (served.draftAndPublish !== schema.draftAndPublish)
    changes.push({ kind: schema.draftAndPublish ? 'drafts-on' : 'drafts-off', uid });
  if (served.localized !== schema.localized)
    changes.push({ kind: schema.localized ? 'locales-on' : 'locales-off', uid });
  return changes;
}

function attributeChanges(served: Schema, { uid, attributes }: Schema): Change[] {
  return [...attributes.values()].flatMap((attribute): Change[] => {
    const { name } = attribute;
    const old = served.attributes.get(name);
    if (old?.kind === 'scalar' && attribute.kind === 'scalar')
      return isOtherScalar(old, attribute) ? [{ kind: 'convert', uid, name }] : [];
    const isNarrower =
      old?.kind === attribute.kind &&
      (old.kind === 'component' || old.kind === 'media') &&
      (attribute.kind === 'component' || attribute.kind === 'media') &&
      old.many &&
      !attribute.many;
    return isNarrower ? [{ kind: 'single', uid, name }] : [];
  });
}

function isOtherScalar(old: ScalarAttribute, attribute: ScalarAttribute): boolean {
  if (old.type !== attribute.type) return true;
  const { enum: allowed } = attribute.rules;
  return allowed !== null && old.rules.enum!.some((value) => !allowed.includes(value));
}

const isStored = (attribute: Attribute | undefined): attribute is RelationAttribute =>
  attribute?.kind === 'relation' && (attribute.storage === 'linkTable' || attribute.storage === 'column');

/** How links were shown to a side that keeps them now: by itself, or by the other side, which was the only one. */
export function relationBefore(before: Model, uid: string, attribute: RelationAttribute): RelationAttribute | null {
  const old = schemaOf(before, uid)?.attributes.get(attribute.name);
  if (isStored(old)) return old;
  const other =
    attribute.inverse === null ? undefined : schemaOf(before, attribute.target)?.attributes.get(attribute.inverse);
  if (!isStored(other) || !other.owning || other.inverse !== null || other.target !== uid) return null;
  const { table, from, to, order, inverseOrder, constants } = other.link;
  return {
    ...other,
    target: attribute.target,
    owning: false,
    inverse: attribute.inverse,
    link: { table, from: to, to: from, order: inverseOrder, inverseOrder: order, constants },
  };
}

/** Relations of which the links have to be kept otherwise, each from the side that keeps them now. */
function relationChanges(before: Model, after: Model): Change[] {
  return schemasOf(after).flatMap((schema) =>
    [...schema.attributes.values()].flatMap((attribute): Change[] => {
      if (!isStored(attribute) || !attribute.owning) return [];
      const old = relationBefore(before, schema.uid, attribute);
      if (!old || !holdsOtherwise(old, attribute)) return [];
      const others = [
        { uid: old.target, name: old.inverse },
        { uid: attribute.target, name: attribute.inverse },
      ].filter((other): other is ChangedAttribute => other.name !== null);
      return [{ kind: 'relation', uid: schema.uid, name: attribute.name, others }];
    }),
  );
}

function holdsOtherwise(old: RelationAttribute, attribute: RelationAttribute): boolean {
  const [one, other] = [old.link, attribute.link];
  const isElsewhere =
    one.table !== other.table ||
    one.from !== other.from ||
    one.to !== other.to ||
    one.order !== other.order ||
    one.inverseOrder !== other.inverseOrder;
  const isNarrower = (old.many && !attribute.many) || (!old.exclusive && attribute.exclusive);
  return old.target !== attribute.target || isElsewhere || isNarrower;
}

/** Whether a relation shows the same as before, in the same order, and is only kept otherwise or shown elsewhere too. */
export const showsTheSame = (old: RelationAttribute, attribute: RelationAttribute): boolean =>
  old.target === attribute.target &&
  old.many === attribute.many &&
  old.exclusive === attribute.exclusive &&
  (old.link.order === null || attribute.link.order !== null) &&
  (old.link.inverseOrder === null || attribute.link.inverseOrder !== null);

/** What data an attribute holds, so that it can be told whether another could hold the same. */
function contentOf(attribute: Attribute): string | null {
  switch (attribute.kind) {
    case 'scalar':
      return `scalar ${attribute.type}`;
    case 'relation':
      return attribute.owning && attribute.storage === 'linkTable'
        ? `relation ${attribute.relation} ${attribute.target}`
        : null;
    case 'component':
      return `component ${attribute.component} ${attribute.many}`;
    case 'dynamiczone':
      return 'zone';
    case 'media':
      return `media ${attribute.many}`;
    default:
      return null;
  }
}

/** Whether an attribute cannot show what was kept under its name. */
const holdsOtherContent = (old: Attribute, attribute: Attribute): boolean =>
  old.kind !== attribute.kind ||
  (old.kind === 'component' && attribute.kind === 'component' && old.component !== attribute.component);

function replacements(served: Schema, schema: Schema): Change[] {
  const { uid } = schema;
  const isNew = ({ name }: Attribute) => !served.attributes.has(name);
  const added = [...schema.attributes.values()].filter((attribute) => attribute.writable && isNew(attribute));
  return [...served.attributes.values()].flatMap((gone): Change[] => {
    const same = schema.attributes.get(gone.name);
    if (same && holdsOtherContent(gone, same)) return [{ kind: 'replace', uid, name: gone.name, by: [gone.name] }];
    const content = same || !gone.writable ? null : contentOf(gone);
    const by = content === null ? [] : added.filter((one) => contentOf(one) === content).map(({ name }) => name);
    return by.length > 0 ? [{ kind: 'replace', uid, name: gone.name, by }] : [];
  });
}

/** A relation whose sides are both listed is changed once. */
function withoutDuplicates(changes: readonly Change[]): Change[] {
  const covered = new Set<string>();
  return changes.filter((change) => {
    if (covered.has(changeId(change))) return false;
    covered.add(changeId(change));
    if (change.kind === 'relation')
      for (const { uid, name } of change.others) covered.add(changeId({ ...change, uid, name }));
    return true;
  });
}

/**
 * The definitions of the project with the changes that are not made yet left as they were: `served` is what the database
 * was last served with.
 */
export function without(
  changes: readonly Change[],
  definitions: readonly Definition[],
  served: readonly Definition[],
): readonly Definition[] {
  const renames = changes.filter((change) => change.kind === 'rename');
  const named = underOldNames(definitions, renames).map((definition) => {
    const old = served.find(({ uid }) => uid === definition.uid);
    return old ? unchanged(changes, definition, old) : definition;
  });
  return [...named, ...goneButNeeded(changes, named, served)];
}

/** What is gone from the project and attributes that are left as they were still lead to. */
function goneButNeeded(
  changes: readonly Change[],
  definitions: readonly Definition[],
  served: readonly Definition[],
): Definition[] {
  const present = new Set(definitions.map(({ uid }) => uid));
  const needed = new Set(
    definitions.flatMap(({ attributes }) =>
      Object.values(attributes).flatMap(({ target, component, components }) => [
        target,
        component,
        ...(Array.isArray(components) ? components : []),
      ]),
    ),
  );
  const others = changes.flatMap((change) => (change.kind === 'relation' ? change.others : []));
  return served
    .filter(({ uid }) => needed.has(uid) && !present.has(uid))
    .map((gone) => {
      const isOther = (name: string) => others.some((other) => other.uid === gone.uid && other.name === name);
      const attributes = Object.fromEntries(
        Object.entries(gone.attributes).filter(([name, { type }]) => !LEADING_TYPES.has(type) || isOther(name)),
      );
      return { ...gone, attributes, indexes: [] };
    });
}

/** Attributes that lead to other definitions. */
const LEADING_TYPES: ReadonlySet<string> = new Set(['relation', 'component', 'dynamiczone']);

function unchanged(changes: readonly Change[], definition: Definition, old: Definition): Definition {
  let { draftAndPublish, localized } = definition;
  const attributes = { ...definition.attributes };
  const asServed = (name: string): void => {
    const attribute = old.attributes[name];
    if (attribute) attributes[name] = attribute;
    else delete attributes[name];
  };
  for (const change of changes) {
    const names = change.kind === 'relation' ? [change, ...change.others] : 'name' in change ? [change] : [];
    for (const { uid, name } of names) if (uid === definition.uid) asServed(name);
    if (change.uid !== definition.uid) continue;
    if (change.kind === 'drafts-on' || change.kind === 'drafts-off') draftAndPublish = old.draftAndPublish;
    if (change.kind === 'locales-on' || change.kind === 'locales-off') localized = old.localized;
    if (change.kind === 'replace') for (const name of change.by) if (name !== change.name) delete attributes[name];
  }
  // An index of an attribute that is not there yet is made with it.
  const indexes = definition.indexes.filter((names) => names.every((name) => name in attributes));
  return { ...definition, draftAndPublish, localized, indexes, attributes };
}
