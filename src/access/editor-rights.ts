// The permissions of an account of the console → its rights: for each content-type and each thing that is done with
// entries, which entries, attributes and locales. Permissions of several roles add up, as in Strapi 5. What cannot be
// expressed here is refused, and said.
import { FILE } from '../model/builtin.ts';
import type { ContentType, Model, Schema } from '../model/types.ts';
import { isObject } from '../type-guards.ts';
import {
  type EditorGrants,
  type EditorPermission,
  ENTRY_ACTIONS,
  HAS_SAME_ROLE,
  IS_CREATOR,
  isSuperAdmin,
} from './editor-permissions.ts';

/** What is done with entries; `publish` is to change what is published. */
export const ENTRY_RIGHTS = ['create', 'read', 'update', 'delete', 'publish'] as const;
export type EntryRight = (typeof ENTRY_RIGHTS)[number];

/** Whose entries: one's own, those of everyone with one of one's roles, or all. Each includes those before it. */
const CREATORS = ['own', 'role', 'any'] as const;
export type Creator = (typeof CREATORS)[number];

/** Some entries of a type. */
export interface EntrySet {
  readonly creator: Creator;
  /** Null for all. */
  readonly locales: ReadonlySet<string> | null;
}

/** What an account may do one thing with. */
export interface EntryRights {
  /** The entries are in one of these. */
  readonly entries: readonly EntrySet[];
  /** Attributes; null for all. */
  readonly fields: ReadonlySet<string> | null;
}

export type TypeEntryRights = ReadonlyMap<EntryRight, EntryRights>;

export interface EditorRights {
  readonly isSuperAdmin: boolean;
  readonly roleIds: readonly number[];
  /** By uid; files among them. */
  readonly types: ReadonlyMap<string, TypeEntryRights>;
  /** Actions of Strapi 5 that are not about entries. */
  readonly actions: ReadonlySet<string>;
  /** Permissions that are refused, in words. */
  readonly refused: readonly string[];
}

/** One permission on entries. */
interface Permitted extends EntrySet {
  readonly fields: ReadonlySet<string> | null;
}

const FILE_RIGHTS: ReadonlyMap<string, readonly EntryRight[]> = new Map([
  ['plugin::upload.read', ['read']],
  ['plugin::upload.assets.create', ['create']],
  // Who may change files may delete them.
  ['plugin::upload.assets.update', ['update', 'delete']],
]);
const CONDITIONS: ReadonlyMap<string, Creator> = new Map([
  [IS_CREATOR, 'own'],
  [HAS_SAME_ROLE, 'role'],
]);
/** Rights that are about attributes. */
const WITH_FIELDS: ReadonlySet<EntryRight> = new Set(['create', 'read', 'update'] as const);

export function editorRights(model: Model, grants: EditorGrants): EditorRights {
  const isAll = isSuperAdmin(grants);
  const reader = new PermissionReader(model);
  if (!isAll) for (const permission of grants.permissions) reader.read(permission);
  return {
    isSuperAdmin: isAll,
    roleIds: grants.roles.map(({ id }) => id),
    types: reader.types(),
    actions: reader.actions,
    refused: [...reader.refused],
  };
}

class PermissionReader {
  readonly actions = new Set<string>();
  readonly refused = new Set<string>();
  readonly #model: Model;
  readonly #permitted = new Map<string, Map<EntryRight, Permitted[]>>();

  constructor(model: Model) {
    this.#model = model;
  }

  read(permission: EditorPermission): void {
    const { action, subject } = permission;
    const files = FILE_RIGHTS.get(action);
    if (action === '') this.refused.add('a permission without an action: it says nothing');
    else if (files) this.#readFor(permission, this.#model.contentTypes.get(FILE)!, files);
    else if (action.startsWith(ENTRY_ACTIONS)) {
      const right = ENTRY_RIGHTS.find((one) => action === `${ENTRY_ACTIONS}${one}`);
      const type = this.#model.contentTypes.get(subject ?? '');
      if (!right) this.#refuse(permission, 'there is nothing of the kind here');
      else if (type?.exposure !== 'routes') this.#refuse(permission, 'its entries are not served');
      else this.#readFor(permission, type, [right]);
    } else if (isPlain(permission)) this.actions.add(action);
    else this.#refuse(permission, 'it has conditions, which only permissions on entries and files can have');
  }

  /** What is left of all permissions, by type. */
  types(): ReadonlyMap<string, TypeEntryRights> {
    const types = new Map<string, TypeEntryRights>();
    for (const [uid, rights] of this.#permitted) {
      const merged = new Map<EntryRight, EntryRights>();
      for (const [right, permitted] of rights) {
        const { lost, ...added } = addUp(permitted);
        merged.set(right, added);
        if (lost.length > 0)
          this.refused.add(
            `${right} ${uid}: permissions of several roles are for other attributes of other entries; ` +
              `refused are ${lost.join(', ')}, which not all of them name`,
          );
      }
      types.set(uid, merged);
    }
    return types;
  }

  #readFor(permission: EditorPermission, type: ContentType, rights: readonly EntryRight[]): void {
    const creator = creatorOf(permission.conditions);
    if (creator === null) {
      this.#refuse(permission, `the condition ${unknownCondition(permission.conditions)} is not known here`);
      return;
    }
    if (isGiven(permission.actionParameters)) {
      this.#refuse(permission, 'it has parameters, which are not known here');
      return;
    }
    const properties = propertiesOf(permission);
    if (!properties) {
      this.#refuse(permission, 'its properties cannot be read');
      return;
    }
    const locales = type.localized ? localesIn(properties.locales) : null;
    if (locales?.size === 0) {
      this.#refuse(permission, 'it is for no locale');
      return;
    }
    for (const right of rights) {
      const fields = WITH_FIELDS.has(right) ? this.#fieldsIn(permission, type, properties.fields) : null;
      const ofType = this.#permitted.get(type.uid) ?? new Map<EntryRight, Permitted[]>();
      this.#permitted.set(type.uid, ofType);
      ofType.set(right, [...(ofType.get(right) ?? []), { creator, locales, fields }]);
    }
  }

  /** The attributes that are named. Of a component all is named, or it does not count. */
  #fieldsIn(permission: EditorPermission, type: ContentType, given: Properties['fields']): ReadonlySet<string> | null {
    if (!given) return null;
    const paths = new Set(given.filter((path) => typeof path === 'string'));
    const fields = new Set<string>();
    for (const name of new Set([...paths].map((path) => path.split('.', 1)[0]!))) {
      if (!type.attributes.has(name)) continue;
      if (isWhole(this.#model, type, name, { paths, prefix: '' })) fields.add(name);
      else this.#refuse(permission, `it is for some parts of "${name}" only, which is refused as a whole`);
    }
    return fields;
  }

  #refuse({ action, subject }: EditorPermission, why: string): void {
    const what = action.startsWith(ENTRY_ACTIONS) ? action.slice(ENTRY_ACTIONS.length) : action;
    this.refused.add(`${what}${subject === null ? '' : ` ${subject}`}: ${why}`);
  }
}

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) ? Object.keys(value).length > 0 : value != null;

interface Properties {
  /** Without them, all attributes. */
  readonly fields?: readonly unknown[] | null;
  readonly locales?: unknown;
}

/** Null where they are not what Strapi 5 stores. Not to know what they narrow must not mean that they narrow nothing. */
function propertiesOf({ properties }: EditorPermission): Properties | null {
  if (properties === null) return {};
  if (!isObject(properties)) return null;
  const { fields = null } = properties;
  return fields === null || Array.isArray(fields) ? properties : null;
}

const isPlain = ({ conditions, actionParameters }: EditorPermission): boolean =>
  !isGiven(conditions) && !isGiven(actionParameters);

/** Whose entries conditions leave, of which one has to hold; null where one of them is not known. */
function creatorOf(conditions: unknown): Creator | null {
  if (!isGiven(conditions)) return 'any';
  if (!Array.isArray(conditions)) return null;
  const creators = conditions.map((condition) => CONDITIONS.get(condition));
  if (creators.includes(undefined)) return null;
  return creators.includes('role') ? 'role' : 'own';
}

function unknownCondition(conditions: unknown): string {
  const unknown = Array.isArray(conditions) ? conditions.find((one) => !CONDITIONS.has(one)) : conditions;
  return typeof unknown === 'string' ? unknown : JSON.stringify(unknown);
}

/** Null is for all locales; where nothing is said, Strapi 5 means none. */
function localesIn(given: unknown): ReadonlySet<string> | null {
  if (given === null) return null;
  return new Set(
    Array.isArray(given) ? given.filter((code) => typeof code === 'string' && LOCALE_CODE.test(code)) : [],
  );
}

/** No other text gets into a rule. */
const LOCALE_CODE = /^[\w-]+$/;

/** Paths that are named, and the path that leads to a schema. */
interface NamedPaths {
  readonly paths: ReadonlySet<string>;
  readonly prefix: string;
}

/** Whether an attribute is named, or everything in it: a component has its attributes named one by one. */
function isWhole(model: Model, schema: Schema, name: string, { paths, prefix }: NamedPaths): boolean {
  const path = `${prefix}${name}`;
  if (paths.has(path)) return true;
  const attribute = schema.attributes.get(name);
  if (attribute?.kind !== 'component') return false;
  const component = model.components.get(attribute.component)!;
  const inside = { paths, prefix: `${path}.` };
  // Where nothing is named below a path, nothing is; so a component that holds itself has an end.
  if (![...paths].some((one) => one.startsWith(inside.prefix))) return false;
  return [...component.attributes.keys()].every((one) => one === 'id' || isWhole(model, component, one, inside));
}

type Limits = ReadonlySet<string> | null;
const includes = (one: Limits, other: Limits): boolean =>
  one === null || (other !== null && [...other].every((name) => one.has(name)));
const areSame = (one: Limits, other: Limits): boolean => includes(one, other) && includes(other, one);

const includesEntries = (one: EntrySet, other: EntrySet): boolean =>
  CREATORS.indexOf(one.creator) >= CREATORS.indexOf(other.creator) && includes(one.locales, other.locales);
const includesAll = (one: Permitted, other: Permitted): boolean =>
  includesEntries(one, other) && includes(one.fields, other.fields);

/**
 * What permissions allow together. Access has one list of attributes for all entries of a type. Where permissions differ
 * in both, it is the attributes that all of them name; `lost` are the others.
 */
function addUp(permitted: readonly Permitted[]): EntryRights & { readonly lost: readonly string[] } {
  const unique = withoutIncluded(withUnitedFields(permitted));
  const entries = unique.map(({ creator, locales }) => ({ creator, locales }));
  const [first, ...others] = unique.map(({ fields }) => fields);
  if (others.every((fields) => areSame(first!, fields))) return { entries, fields: first!, lost: [] };
  const lists = [first!, ...others];
  const named = new Set(lists.flatMap((fields) => [...(fields ?? [])]));
  const isEverywhere = (name: string): boolean => lists.every((fields) => fields === null || fields.has(name));
  const lost = [...named].filter((name) => !isEverywhere(name));
  return {
    entries,
    fields: new Set([...named].filter(isEverywhere)),
    lost: lists.includes(null) ? [...lost, 'all that one of them does not name'] : lost,
  };
}

/** Permissions on the same entries allow what each of them does. */
function withUnitedFields(permitted: readonly Permitted[]): readonly Permitted[] {
  const united: Permitted[] = [];
  for (const one of permitted) {
    const index = united.findIndex((other) => includesEntries(one, other) && includesEntries(other, one));
    if (index < 0) united.push(one);
    else united[index] = { ...one, fields: union(one.fields, united[index]!.fields) };
  }
  return united;
}

const union = (one: Limits, other: Limits): Limits => (one && other ? new Set([...one, ...other]) : null);

/** Leaves out what is part of another one. No two of them are the same. */
const withoutIncluded = (permitted: readonly Permitted[]): readonly Permitted[] =>
  permitted.filter((one) => !permitted.some((other) => other !== one && includesAll(other, one)));
