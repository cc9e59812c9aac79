// The permissions of an account of the console → access. Everything that such an account does goes through the same
// door as what other callers do, with these rights.
import { MAX_READ_COST } from '../limits.ts';
import { ADMIN_USER, FILE, ROLE, USER } from '../model/builtin.ts';
import type { ContentType, Model } from '../model/types.ts';
import { type Access, ANY_GROUP, type FieldUse, ROW_USES, type RowRule, type RowUse } from './access.ts';
import {
  actionOn,
  COUNT_USERS,
  DELETE_FILES,
  draftActionsOf,
  FIND_FILE,
  FIND_FILE_PAGE,
  FIND_FILES,
  FIND_ROLE,
  FIND_ROLES,
  LIST_LOCALES,
  REPLACE_FILES,
  UPLOAD_FILES,
} from './actions.ts';
import type { EditorGrants } from './editor-permissions.ts';
import {
  type EditorRights,
  type EntryRight,
  type EntrySet,
  editorRights,
  type TypeEntryRights,
} from './editor-rights.ts';
import { parseRowRule, USER_PLACEHOLDER } from './rules.ts';

/** `revision`: another for other grants, so that plans made under them are not used. */
export function editorAccess(model: Model, grants: EditorGrants, revision: number): Access {
  const rights = editorRights(model, grants);
  const actions = rights.isSuperAdmin ? null : new Set(actionsFrom(model, rights));
  const may = (action: string): boolean => actions?.has(action) ?? true;
  const rows = rights.isSuperAdmin ? new Map<string, RowRule>() : rowRules(rights);
  const rightOn = (uid: string, right: EntryRight) => rights.types.get(uid)?.get(right);
  return {
    key: `editor ${revision}`,
    shows: 'private',
    may,
    mayFind: (uid) => isSeen(model, may, uid),
    mayUse: (uid, name, use) => isShown(uid, name, use) && (rights.isSuperAdmin || isNamed(rights, uid, name, use)),
    mayReadDrafts: () => true,
    rowsOf: (uid, use) => rows.get(`${uid} ${use}`) ?? null,
    separateRights: {
      has: (uid, right) => rights.isSuperAdmin || rightOn(uid, right) !== undefined,
      localesOf: (uid, right) => (rights.isSuperAdmin ? null : localesOf(rightOn(uid, right)?.entries ?? [])),
    },
    maxReadCost: MAX_READ_COST,
    smallestGroup: ANY_GROUP,
  };
}

/** Types that are seen through relations alone go with what refers to them; of what is kept, only roles show. */
function isSeen(model: Model, may: (action: string) => boolean, uid: string): boolean {
  const exposure = model.contentTypes.get(uid)?.exposure;
  if (exposure === 'hidden') return uid === ROLE && may(FIND_ROLES);
  return exposure === 'relations' || (exposure === 'routes' && may(`${uid}.find`));
}

/** What everyone may know of an account of the console, as in Strapi 5. */
const KNOWN_OF_ACCOUNTS = new Set(['id', 'documentId', 'firstname', 'lastname', 'username']);
/** Codes that the server keeps to itself: who reads them can take over an account. */
const SECRET_CODES = new Set(['resetPasswordToken', 'confirmationToken']);

/** Whether an attribute is one for the console at all. */
function isShown(uid: string, name: string, use: FieldUse): boolean {
  if (uid === ADMIN_USER) return KNOWN_OF_ACCOUNTS.has(name) && use !== 'write' && use !== 'create';
  return uid !== USER || !SECRET_CODES.has(name);
}

/** What goes with every entry that may be read. */
const ALWAYS_READ = new Set([
  ...['id', 'documentId', 'locale', 'localizations'],
  ...['createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy'],
]);
const RIGHT_TO_USE: Readonly<Record<FieldUse, EntryRight>> = {
  read: 'read',
  filter: 'read',
  sort: 'read',
  write: 'update',
  create: 'create',
};
/** Types whose permissions do not name attributes. */
const WITHOUT_NAMES: ReadonlySet<string> = new Set([FILE, ROLE, ADMIN_USER]);

function isNamed({ types }: EditorRights, uid: string, name: string, use: FieldUse): boolean {
  const right = RIGHT_TO_USE[use];
  if (WITHOUT_NAMES.has(uid) || (right === 'read' && ALWAYS_READ.has(name))) return true;
  const given = types.get(uid)?.get(right);
  return given !== undefined && (given.fields === null || given.fields.has(name));
}

function actionsFrom(model: Model, { types, actions }: EditorRights): string[] {
  return [
    LIST_LOCALES,
    ...(actions.has('plugin::users-permissions.roles.read') ? [FIND_ROLES, FIND_ROLE] : []),
    ...[...types].flatMap(([uid, rights]) =>
      uid === FILE ? fileActions(rights) : entryActions(model.contentTypes.get(uid)!, rights),
    ),
  ];
}

const FILE_ACTIONS: Readonly<Partial<Record<EntryRight, readonly string[]>>> = {
  read: [FIND_FILES, FIND_FILE, FIND_FILE_PAGE],
  create: [UPLOAD_FILES],
  update: [UPLOAD_FILES, REPLACE_FILES],
  delete: [DELETE_FILES],
};
const fileActions = (rights: TypeEntryRights): string[] =>
  [...rights.keys()].flatMap((right) => FILE_ACTIONS[right] ?? []);

function entryActions(type: ContentType, rights: TypeEntryRights): string[] {
  const has = (right: EntryRight): boolean => rights.has(right);
  const drafts = new Set(draftActionsOf(type));
  // A clone has every attribute of its original, which has to be found.
  const mayClone = has('read') && has('create') && namesAll(type, rights.get('create')!.fields);
  return [
    ...(has('read') ? [actionOn(type, 'find'), actionOn(type, 'findOne')] : []),
    ...(has('read') && type.uid === USER ? [COUNT_USERS] : []),
    ...(has('create') ? [actionOn(type, 'create')] : []),
    ...(mayClone && drafts.has('clone') ? [actionOn(type, 'clone')] : []),
    ...(has('update') ? [actionOn(type, 'update')] : []),
    ...(has('delete') ? [actionOn(type, 'delete')] : []),
    ...(has('update') && type.draftAndPublish ? [actionOn(type, 'discardDraft')] : []),
    ...(has('publish') && type.draftAndPublish ? [actionOn(type, 'publish'), actionOn(type, 'unpublish')] : []),
  ];
}

const namesAll = ({ attributes }: ContentType, fields: ReadonlySet<string> | null): boolean =>
  fields === null ||
  [...attributes.values()].every(({ name, writable }) => !writable || ALWAYS_READ.has(name) || fields.has(name));

const RIGHT_TO_ROWS: Readonly<Record<RowUse, EntryRight>> = {
  find: 'read',
  update: 'update',
  translate: 'update',
  delete: 'delete',
  publish: 'publish',
};

/** By uid and use, where not every row may be reached. */
function rowRules({ types, roleIds }: EditorRights): ReadonlyMap<string, RowRule> {
  const rules = new Map<string, RowRule>();
  for (const [uid, rights] of types)
    for (const use of ROW_USES) {
      const sets = rights.get(RIGHT_TO_ROWS[use])?.entries ?? [];
      // A locale that is added is not that of the rows that are there.
      const entries = use === 'translate' ? sets.map((set) => ({ ...set, locales: null })) : sets;
      const rule = ruleFor(entries, roleIds);
      if (rule) rules.set(`${uid} ${use}`, rule);
    }
  return rules;
}

function ruleFor(entries: readonly EntrySet[], roleIds: readonly number[]): RowRule | null {
  if (entries.length === 0 || entries.some(({ creator, locales }) => creator === 'any' && locales === null))
    return null;
  const rule = parseRowRule({ $or: entries.map((set) => filterFor(set, roleIds)) });
  if (typeof rule === 'string') throw new Error(`a rule of the console is not valid: ${rule}`);
  return rule;
}

const filterFor = ({ creator, locales }: EntrySet, roleIds: readonly number[]): Readonly<Record<string, unknown>> => ({
  ...(creator === 'own' && { createdBy: { id: { $eq: `${USER_PLACEHOLDER}id` } } }),
  ...(creator === 'role' && { createdBy: { roles: { id: { $in: roleIds } } } }),
  ...(locales && { locale: { $in: [...locales] } }),
});

/** Null for all. */
export function localesOf(entries: readonly EntrySet[]): ReadonlySet<string> | null {
  const lists = entries.map(({ locales }) => locales);
  return lists.includes(null) ? null : new Set(lists.flatMap((locales) => [...locales!]));
}
