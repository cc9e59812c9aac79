// What a caller may do, as planning and the store ask it. Rights are answers to questions, never lists to search, so
// that everyone who shares a key shares plans. role-access.ts makes them from grants and rules.
import { MAX_READ_COST } from '../limits.ts';
import { ADMIN_USER, CREATORS } from '../model/builtin.ts';
import type { Attribute, Model, Schema } from '../model/types.ts';
import type { FilterNode } from '../request/read-request.ts';

/** What an attribute is used for; each may be allowed by itself. */
export type FieldUse = 'read' | 'filter' | 'sort' | WriteUse;
/** To change an attribute, or to give it to a new row. */
export type WriteUse = 'write' | 'create';
/** `publish` is to change what is published, `translate` to add a locale to a document that has these rows. */
export const ROW_USES = ['find', 'update', 'translate', 'delete', 'publish'] as const;
export type RowUse = (typeof ROW_USES)[number];

/** A value in a rule: a constant of the project, or an attribute of the calling user. */
export type RuleValue = { readonly constant: unknown } | { readonly user: string };

/** Which rows a caller may reach, in the language of filters. */
export interface RowRule {
  readonly filter: FilterNode;
  readonly values: readonly RuleValue[];
}

/**
 * What there is: what clients know, private attributes as well, or everything: hashes of passwords, and types that
 * are not served.
 */
export type Visibility = 'public' | 'private' | 'everything';

/** What a write does to entries, in rights of accounts of the console. */
export type WriteRight = 'create' | 'update' | 'delete' | 'publish';

/** The rights that a write needs besides the one to its operation: for all that it does, and where. */
export interface SeparateRights {
  has(uid: string, right: WriteRight): boolean;
  /** The locales that it is for; null for all. */
  localesOf(uid: string, right: WriteRight): ReadonlySet<string> | null;
}

export interface Access {
  /** Plans made under one key serve everyone who has it. */
  readonly key: string;
  readonly shows: Visibility;
  may(action: string): boolean;
  /** Whether rows of a type may be seen through relations. */
  mayFind(uid: string): boolean;
  mayUse(uid: string, name: string, use: FieldUse): boolean;
  /** Whether drafts of a type may be read. */
  mayReadDrafts(uid: string): boolean;
  /** Null where every row may be reached. */
  rowsOf(uid: string, use: RowUse): RowRule | null;
  /** Null where the right to an operation includes what it does: as in Strapi 5, who may update may publish over the API. */
  readonly separateRights: SeparateRights | null;
  /** Rows that one read may touch by our estimate. */
  readonly maxReadCost: number;
  /** Groups of fewer entries are left out of aggregates and facets. */
  readonly smallestGroup: number;
}

/**
 * Whether a caller may follow a relation. Fields that tell who made an entry show accounts of the console to everyone
 * whom the type shows them to; no other relation does.
 */
export const mayFollow = (
  access: Pick<Access, 'mayFind'>,
  { name, target }: { readonly name: string; readonly target: string },
): boolean => (target === ADMIN_USER && CREATORS.has(name)) || access.mayFind(target);

/** Whether an attribute is one of those that the caller is shown at all: private ones are not, and hashes least of all. */
export function isDisclosed({ shows }: Pick<Access, 'shows'>, schema: Schema, attribute: Attribute): boolean {
  // Code that sees rows as they are sees the locale of every row.
  if (shows === 'everything') return true;
  if (attribute.kind === 'scalar' && attribute.type === 'password') return false;
  return !attribute.private || (shows === 'private' && !isOfLocales(schema, attribute));
}

/** What a type without locales has only because tables of all types are alike. */
const isOfLocales = (schema: Schema, { name, kind }: Attribute): boolean =>
  schema.kind !== 'component' && !schema.localized && (name === 'locale' || kind === 'localizations');

/** Every group is shown. */
export const ANY_GROUP = 1;

const cache = new WeakMap<Model, Map<Visibility, Access>>();

/** The access of the system itself: everything that is served. */
export function systemAccess(model: Model, shows: Visibility = 'public'): Access {
  let accesses = cache.get(model);
  if (!accesses) {
    accesses = new Map();
    cache.set(model, accesses);
  }
  let access = accesses.get(shows);
  if (!access) {
    access = {
      key: shows === 'public' ? '' : shows,
      shows,
      may: () => true,
      mayFind: (uid) => shows === 'everything' || model.contentTypes.get(uid)?.exposure !== 'hidden',
      mayUse: () => true,
      mayReadDrafts: () => true,
      rowsOf: () => null,
      separateRights: null,
      maxReadCost: MAX_READ_COST,
      smallestGroup: ANY_GROUP,
    };
    accesses.set(shows, access);
  }
  return access;
}
