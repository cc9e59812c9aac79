// What an account may do, as the console is told: its rights besides entries, and what it may do with each type.
import { actionOn, type Verb } from '../access/actions.ts';
import { localesOf } from '../access/editor-access.ts';
import type { EditorGrants } from '../access/editor-permissions.ts';
import { editorRights, type EditorRights as Rights, type TypeEntryRights } from '../access/editor-rights.ts';
import type { Withheld } from '../access/withheld.ts';
import { FILE } from '../model/builtin.ts';
import type { Model } from '../model/types.ts';
import {
  CONSOLE_RIGHTS,
  type ConsoleRight,
  type ConsoleSession,
  EDIT_ACTIONS,
  type EditAction,
  type TypeRights,
} from './contract.ts';

export type EditorRights = Pick<ConsoleSession, 'rights' | 'types' | 'refused'>;

const ALL: TypeRights = { actions: EDIT_ACTIONS, readable: null, writable: null, locales: null, isLimited: false };

/**
 * The permission of Strapi 5 that each right follows from. That of files is among the rights on entries. What others have
 * asked the server for is for super admins, and no permission stands for it.
 */
const PERMISSIONS: Readonly<Partial<Record<ConsoleRight, string>>> = {
  'roles.read': 'plugin::users-permissions.roles.read',
  'roles.update': 'plugin::users-permissions.roles.update',
  'tokens.read': 'admin::api-tokens.read',
  'tokens.create': 'admin::api-tokens.create',
  'tokens.delete': 'admin::api-tokens.delete',
  'accounts.read': 'admin::users.read',
  'accounts.create': 'admin::users.create',
  'accounts.update': 'admin::users.update',
  'accounts.delete': 'admin::users.delete',
  'model.read': 'plugin::content-type-builder.read',
  // How a request is run is for those who know the tables.
  'requests.explain': 'plugin::content-type-builder.read',
};

const TAKEN_OVER: ReadonlySet<string> = new Set([
  ...Object.values(PERMISSIONS),
  // What whoever sees a file can do with it, and how Strapi 5 arranges its forms.
  'plugin::upload.assets.download',
  'plugin::upload.assets.copy-link',
  'plugin::upload.configure-view',
  'plugin::content-manager.single-types.configure-view',
  'plugin::content-manager.collection-types.configure-view',
  'plugin::content-manager.components.configure-layout',
]);

/** `withheld`: what nobody has, whatever permissions say. */
export function consoleRights(model: Model, grants: EditorGrants, withheld: Withheld): EditorRights {
  const rights = editorRights(model, grants);
  const types: Record<string, TypeRights> = {};
  const closed: string[] = [];
  for (const type of model.contentTypes.values()) {
    if (type.exposure !== 'routes') continue;
    const given = rights.types.get(type.uid);
    const granted = EDIT_ACTIONS.filter(
      (action) => (rights.isSuperAdmin || given?.has(action)) && (action !== 'publish' || type.draftAndPublish),
    );
    const reasonOf = (action: EditAction): string | null => withheld.reason(actionOn(type, VERBS[action]));
    const actions = granted.filter((action) => reasonOf(action) === null);
    for (const action of granted.filter((one) => !actions.includes(one)))
      closed.push(`${action} ${type.uid}: ${reasonOf(action)} is in front of it, and does not run`);
    if (actions.length > 0) types[type.uid] = given ? typeRights(given, actions) : { ...ALL, actions };
  }
  const unknown = [...rights.actions].filter((action) => !TAKEN_OVER.has(action));
  return {
    rights: CONSOLE_RIGHTS.filter((right) => rights.isSuperAdmin || isGiven(rights, right)),
    types,
    refused: [...rights.refused, ...closed, ...unknown.map((action) => `${action}: there is nothing of the kind here`)],
  };
}

const VERBS: Readonly<Record<EditAction, Verb>> = {
  create: 'create',
  read: 'find',
  update: 'update',
  delete: 'delete',
  publish: 'publish',
};

function isGiven({ types, actions }: Rights, right: ConsoleRight): boolean {
  const files = types.get(FILE);
  switch (right) {
    case 'files.read':
      return files?.has('read') === true;
    case 'files.create':
      return files?.has('create') === true;
    case 'files.update':
      return files?.has('update') === true;
    default: {
      const permission = PERMISSIONS[right];
      return permission !== undefined && actions.has(permission);
    }
  }
}

function typeRights(rights: TypeEntryRights, actions: readonly EditAction[]): TypeRights {
  const writes = [rights.get('create'), rights.get('update')].flatMap((one) => one ?? []);
  const first = rights.get('read') ?? rights.get(actions[0]!)!;
  const locales = localesOf(first.entries);
  return {
    actions,
    readable: listOf(rights.get('read')?.fields, rights.has('read')),
    writable: writable(writes.map(({ fields }) => fields)),
    locales: locales && [...locales],
    isLimited: actions.some((action) => rights.get(action)!.entries.every(({ creator }) => creator !== 'any')),
  };
}

const listOf = (fields: ReadonlySet<string> | null | undefined, isGranted: boolean): readonly string[] | null =>
  isGranted && fields === null ? null : [...(fields ?? [])];

/** What may be written in a new entry as in one that is there, so that a form can be sent for both. */
function writable(lists: readonly (ReadonlySet<string> | null)[]): readonly string[] | null {
  if (lists.length === 0) return [];
  const [first, ...others] = lists.filter((list) => list !== null);
  return first === undefined ? null : [...first].filter((name) => others.every((list) => list.has(name)));
}
