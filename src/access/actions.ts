// The names of what can be granted, as Strapi 5 writes them: `<uid>.<verb>`.
import { FILE, ROLE, USER } from '../model/builtin.ts';
import type { ContentType, Model } from '../model/types.ts';
import type { DraftAction, Operation } from './operation.ts';

export type Verb = 'find' | 'findOne' | 'create' | 'update' | 'delete' | DraftAction;

const FILE_ACTIONS = 'plugin::upload.content-api';
export const FIND_FILES = `${FILE_ACTIONS}.find`;
export const FIND_FILE = `${FILE_ACTIONS}.findOne`;
export const FIND_FILE_PAGE = `${FILE_ACTIONS}.findPage`;
/** To add files, and to change what is said of them. */
export const UPLOAD_FILES = `${FILE_ACTIONS}.upload`;
/** To give a file other bytes; in Strapi 5 that goes with uploading. */
export const REPLACE_FILES = `${FILE_ACTIONS}.replace`;
export const DELETE_FILES = `${FILE_ACTIONS}.destroy`;

const FILE_VERBS: Readonly<Partial<Record<Verb, string>>> = {
  find: FIND_FILES,
  findOne: FIND_FILE,
  create: UPLOAD_FILES,
  update: UPLOAD_FILES,
  delete: DELETE_FILES,
};

/** The right to do something with entries of a type. Users are destroyed, everything else is deleted. */
export const actionOn = ({ uid }: Pick<ContentType, 'uid'>, verb: Verb): string =>
  (uid === FILE ? FILE_VERBS[verb] : undefined) ?? `${uid}.${uid === USER && verb === 'delete' ? 'destroy' : verb}`;

/** The actions that an operation needs, all of them. */
export function actionsOf(type: ContentType, name: Operation['name']): readonly string[] {
  switch (name) {
    case 'me':
      return [READ_OWN_ACCOUNT];
    case 'count':
    case 'aggregate':
      // A count reveals what a list would.
      return type.uid === USER ? [COUNT_USERS, actionOn(type, 'find')] : [actionOn(type, 'find')];
    case 'findOne':
    case 'related':
      return [actionOn(type, type.kind === 'singleType' ? 'find' : 'findOne')];
    default:
      return [actionOn(type, name)];
  }
}

/** Whether entries of a type may be read, one by one or in lists. */
export const mayRead = (type: Pick<ContentType, 'uid'>, may: (action: string) => boolean): boolean =>
  may(actionOn(type, 'findOne')) || may(actionOn(type, 'find'));

const AUTH = 'plugin::users-permissions.auth';
export const authAction = (name: string): string => `${AUTH}.${name}`;

/** Whether it opens a path under /api/auth. */
export const isAuthAction = (action: string): boolean => action.startsWith(`${AUTH}.`);

const ACCOUNT_WRITES: ReadonlySet<string> = new Set(
  ['register', 'forgotPassword', 'resetPassword', 'changePassword', 'emailConfirmation', 'sendEmailConfirmation'].map(
    authAction,
  ),
);

/** Whether it writes an account, as opposed to logging in and out. */
export const isAccountWrite = (action: string): boolean => ACCOUNT_WRITES.has(action);

const READ_ACTION = /\.(?:find|findOne|findPage|count|me|listLocales|getPermissions|getContentTypes?|getComponents?)$/;

/** Whether it changes no content. */
export const isReadAction = (action: string): boolean => READ_ACTION.test(action);

export const COUNT_USERS = `${USER}.count`;

/** Actions that reveal what another one does: whatever guards that one guards them. */
export const SHOWS_AS_MUCH_AS: ReadonlyMap<string, string> = new Map([
  [FIND_FILE_PAGE, FIND_FILES],
  [COUNT_USERS, actionOn({ uid: USER }, 'find')],
]);
export const READ_OWN_ACCOUNT = `${USER}.me`;
export const FIND_ROLES = `${ROLE}.find`;
export const FIND_ROLE = `${ROLE}.findOne`;
export const CREATE_ROLE = `${ROLE}.createRole`;
export const UPDATE_ROLE = `${ROLE}.updateRole`;
export const DELETE_ROLE = `${ROLE}.deleteRole`;
/** To see everything that can be granted. */
export const LIST_PERMISSIONS = 'plugin::users-permissions.permissions.getPermissions';
export const LIST_LOCALES = 'plugin::i18n.locales.listLocales';
/** To see how content-types and components are declared, private attributes included. */
export const LIST_TYPES = 'plugin::content-type-builder.content-types.getContentTypes';
export const SHOW_TYPE = 'plugin::content-type-builder.content-types.getContentType';
export const LIST_COMPONENTS = 'plugin::content-type-builder.components.getComponents';
export const SHOW_COMPONENT = 'plugin::content-type-builder.components.getComponent';

/** What a new project grants, as Strapi 5 does at its first start. */
export const DEFAULT_GRANTS: Readonly<Record<'public' | 'authenticated', readonly string[]>> = {
  public: [
    'callback',
    'connect',
    'forgotPassword',
    'resetPassword',
    'register',
    'emailConfirmation',
    'sendEmailConfirmation',
    'refresh',
  ].map(authAction),
  authenticated: [READ_OWN_ACCOUNT, ...['changePassword', 'logout', 'getSessions', 'revokeSession'].map(authAction)],
};

/** What a role has from the beginning: the public may log in, everyone else has an account. */
export const defaultGrants = (role: string): readonly string[] =>
  role === 'public' ? DEFAULT_GRANTS.public : DEFAULT_GRANTS.authenticated;

const COLLECTION: readonly Verb[] = ['find', 'findOne', 'create', 'update', 'delete'];
const SINGLE: readonly Verb[] = ['find', 'update', 'delete'];
const DRAFTS: readonly DraftAction[] = ['publish', 'unpublish', 'discardDraft'];

/** The draft actions that a type has. Accounts are not cloned. */
export function draftActionsOf({ kind, draftAndPublish, uid }: ContentType): readonly DraftAction[] {
  const clone: readonly DraftAction[] = kind === 'collectionType' && uid !== USER ? ['clone'] : [];
  return draftAndPublish ? [...DRAFTS, ...clone] : clone;
}

const verbsOf = (type: ContentType): readonly Verb[] => [
  ...(type.kind === 'singleType' ? SINGLE : COLLECTION),
  ...draftActionsOf(type),
];

const routedTypes = (model: Model): ContentType[] =>
  [...model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes');

/**
 * Everything that `*` stands for: all that is served, but not who may do what. What should be granted last comes first.
 * `own`: the actions of a project's own routes.
 */
export function servedActions(model: Model, own: readonly string[] = []): string[] {
  const all = (types: readonly ContentType[]) =>
    types.flatMap((type) => verbsOf(type).map((verb) => actionOn(type, verb)));
  const types = routedTypes(model);
  return [
    ...all(types.filter(({ uid }) => uid === USER)),
    COUNT_USERS,
    READ_OWN_ACCOUNT,
    ...[FIND_FILES, FIND_FILE, FIND_FILE_PAGE, UPLOAD_FILES, REPLACE_FILES, DELETE_FILES],
    ...all(types.filter(({ uid }) => uid !== USER)),
    LIST_LOCALES,
    ...own,
  ];
}

/** What it takes to read the content of a project, and nothing of its users: the actions by type. */
export const readActions = (model: Model): (readonly string[])[] =>
  routedTypes(model)
    .filter(({ uid }) => uid !== USER)
    .map((type) =>
      verbsOf(type)
        .filter(isReading)
        .map((verb) => actionOn(type, verb)),
    );

const isReading = (verb: Verb): boolean => verb === 'find' || verb === 'findOne';

/** Everything that can be granted. */
export const knownActions = (model: Model, own: readonly string[] = []): ReadonlySet<string> =>
  new Set([
    ...servedActions(model, own),
    ...[FIND_ROLES, FIND_ROLE, CREATE_ROLE, UPDATE_ROLE, DELETE_ROLE, LIST_PERMISSIONS],
    ...[LIST_TYPES, SHOW_TYPE, LIST_COMPONENTS, SHOW_COMPONENT],
    ...DEFAULT_GRANTS.public,
    ...DEFAULT_GRANTS.authenticated,
  ]);

/** The actions that a word on the command line stands for: an action, a type with or without `.*`, or `*`; null for none. */
export function expandActions(model: Model, word: string, own: readonly string[] = []): readonly string[] | null {
  if (word === '*') return [...new Set(servedActions(model, own))];
  const known = knownActions(model, own);
  if (known.has(word)) return [word];
  const prefix = `${word.replace(/\.\*$/, '')}.`;
  const found = [...known].filter((action) => action.startsWith(prefix) && !action.slice(prefix.length).includes('.'));
  return found.length > 0 ? found : null;
}
