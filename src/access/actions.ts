// The names of what can be granted, as the reference writes them: `<uid>.<verb>`.
import { ROLE, USER } from '../model/builtin.ts';
import type { ContentType, Model } from '../model/types.ts';

export type Verb = 'find' | 'findOne' | 'create' | 'update' | 'delete';

/** The right to do something with entries of a type. Users are destroyed, everything else is deleted. */
export const actionOn = ({ uid }: Pick<ContentType, 'uid'>, verb: Verb): string =>
  `${uid}.${uid === USER && verb === 'delete' ? 'destroy' : verb}`;

/** Whether entries of a type may be read, one by one or in lists. */
export const mayRead = (type: Pick<ContentType, 'uid'>, may: (action: string) => boolean): boolean =>
  may(actionOn(type, 'findOne')) || may(actionOn(type, 'find'));

const AUTH = 'plugin::users-permissions.auth';
export const authAction = (name: string): string => `${AUTH}.${name}`;

export const COUNT_USERS = `${USER}.count`;
export const READ_OWN_ACCOUNT = `${USER}.me`;
export const FIND_ROLES = `${ROLE}.find`;
export const LIST_LOCALES = 'plugin::i18n.locales.listLocales';

/** What a new project grants, as the reference does at its first start. */
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

const COLLECTION: readonly Verb[] = ['find', 'findOne', 'create', 'update', 'delete'];
const SINGLE: readonly Verb[] = ['find', 'update', 'delete'];

/** Everything that `*` stands for: all that is served, but not who may do what. */
export function servedActions(model: Model): string[] {
  const types = [...model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes');
  return [
    ...types.flatMap((type) => (type.kind === 'singleType' ? SINGLE : COLLECTION).map((verb) => actionOn(type, verb))),
    COUNT_USERS,
    READ_OWN_ACCOUNT,
    LIST_LOCALES,
  ];
}

/** Everything that can be granted. */
export const knownActions = (model: Model): ReadonlySet<string> =>
  new Set([...servedActions(model), FIND_ROLES, ...DEFAULT_GRANTS.public, ...DEFAULT_GRANTS.authenticated]);

/** The actions that words on the command line stand for: an action, a type with or without `.*`, or `*`; null for none. */
export function expandActions(model: Model, word: string): readonly string[] | null {
  if (word === '*') return servedActions(model);
  const known = knownActions(model);
  if (known.has(word)) return [word];
  const prefix = `${word.replace(/\.\*$/, '')}.`;
  const found = [...known].filter((action) => action.startsWith(prefix) && !action.slice(prefix.length).includes('.'));
  return found.length > 0 ? found : null;
}
