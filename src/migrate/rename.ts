// Renaming an attribute, a content-type or a component: what the definitions are afterwards.
import { SetupError } from '../errors.ts';
import { ATTRIBUTE_NAME } from '../model/definitions.ts';
import { pluralOf } from '../model/english-plural.ts';
import type { AttributeDefinition, Definition } from '../model/types.ts';

export interface SchemaRename {
  readonly what: 'schema';
  readonly from: SchemaNames;
  readonly to: SchemaNames;
}

/** What is renamed, and to what. */
export type Rename =
  | { readonly what: 'attribute'; readonly uid: string; readonly from: string; readonly to: string }
  | SchemaRename;

/** The names of a content-type or component. */
export interface SchemaNames {
  readonly uid: string;
  readonly collectionName: string;
  readonly singularName: string;
  readonly pluralName: string;
}

export const isRename = (value: unknown): value is Rename =>
  typeof value === 'object' && value !== null && 'what' in value;

export const opposite = <R extends Rename>(rename: R): R => ({ ...rename, from: rename.to, to: rename.from });

/** The definitions under the new name, in the same order. */
export const renamed = (definitions: readonly Definition[], rename: Rename): Definition[] =>
  definitions.map((definition) =>
    rename.what === 'attribute' ? withAttribute(definition, definitions, rename) : withSchema(definition, rename),
  );

function withAttribute(
  definition: Definition,
  definitions: readonly Definition[],
  { uid, from, to }: Rename & { what: 'attribute' },
): Definition {
  const isOwn = definition.uid === uid;
  const partner = definitions.find((one) => one.uid === uid)?.attributes[from];
  const attributes = Object.entries(definition.attributes).map(([name, attribute]): [string, AttributeDefinition] => {
    const isPartner = partner?.target === definition.uid && attribute.target === uid;
    const changed = { ...attribute };
    if (isPartner) for (const side of ['mappedBy', 'inversedBy']) if (changed[side] === from) changed[side] = to;
    if (attribute.target === uid && changed.morphBy === from) changed.morphBy = to;
    if (isOwn && changed.targetField === from) changed.targetField = to;
    return [isOwn && name === from ? to : name, changed];
  });
  const named = (names: readonly string[]) => (isOwn ? names.map((name) => (name === from ? to : name)) : names);
  return {
    ...definition,
    attributes: Object.fromEntries(attributes),
    indexes: definition.indexes.map(named),
    privateAttributes: named(definition.privateAttributes),
  };
}

function withSchema(definition: Definition, { from, to }: Rename & { what: 'schema' }): Definition {
  const attributes = Object.entries(definition.attributes).map(([name, attribute]): [string, AttributeDefinition] => {
    const changed = { ...attribute };
    for (const key of ['target', 'component']) if (changed[key] === from.uid) changed[key] = to.uid;
    if (Array.isArray(changed.components))
      changed.components = changed.components.map((uid) => (uid === from.uid ? to.uid : uid));
    return [name, changed];
  });
  return {
    ...definition,
    ...(definition.uid === from.uid && to),
    attributes: Object.fromEntries(attributes),
  };
}

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** What words of the command line mean: `<uid>.<attribute>` or `<uid>`, and the new name. */
export function parseRename(
  definitions: readonly Definition[],
  what: string,
  to: string,
  plural: string | undefined,
): Rename {
  const schema = definitions.find(({ uid }) => uid === what);
  if (schema) return renameSchema(definitions, schema, to, plural);
  const dot = what.lastIndexOf('.');
  const [uid, from] = [what.slice(0, dot), what.slice(dot + 1)];
  const owner = definitions.find((one) => one.uid === uid);
  if (!owner)
    throw new SetupError(`There is no content-type, component or attribute "${what}"`, [
      `there is ${definitions.map((one) => one.uid).join(', ')}`,
    ]);
  if (!(from in owner.attributes))
    throw new SetupError(`${uid} has no attribute "${from}"`, [`it has ${Object.keys(owner.attributes).join(', ')}`]);
  if (!ATTRIBUTE_NAME.test(to))
    throw new SetupError(`"${to}" is no name for an attribute`, ['letters, digits, _ and -']);
  if (to in owner.attributes) throw new SetupError(`${uid} has an attribute "${to}" already`);
  return { what: 'attribute', uid, from, to };
}

function renameSchema(
  definitions: readonly Definition[],
  { uid, kind, collectionName, singularName, pluralName }: Definition,
  to: string,
  plural: string | undefined,
): Rename {
  if (!KEBAB.test(to)) throw new SetupError(`"${to}" is no name for a type`, ['lower-case letters, digits and -']);
  // Of a component, only its table is named by the plural.
  const many = plural ?? pluralOf(to) ?? (kind === 'component' ? to : null);
  if (many === null) throw new SetupError(`"${to}" has no plural that is known`, ['name one, such as --plural things']);
  const [category, name] = [uid.slice(0, uid.lastIndexOf('.')), uid.slice(uid.lastIndexOf('.') + 1)];
  // A folder with the type's own name follows it.
  const folder = category === `api::${name}` ? `api::${to}` : category;
  const underscored = (kebab: string): string => kebab.replaceAll('-', '_');
  const named: SchemaNames = {
    uid: `${folder}.${to}`,
    collectionName:
      kind === 'component' ? `components_${underscored(category)}_${underscored(many)}` : underscored(many),
    singularName: to,
    pluralName: kind === 'component' ? to : many,
  };
  if (definitions.some((one) => one.uid === named.uid)) throw new SetupError(`There is a ${named.uid} already`);
  return { what: 'schema', from: { uid, collectionName, singularName, pluralName }, to: named };
}
