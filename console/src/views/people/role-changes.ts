// What a role of the API may do, as rows and columns, and changes to it before they are sent.
import type { ApiRole, RoleActions, RoleInput } from '../../../../src/console/contract.ts';

export type ActionGroup = RoleActions['groups'][number];
type NamedAction = ActionGroup['actions'][number];

/** The columns of the matrix. What else can be done with something stands in a cell at the end. */
export const COLUMNS = [
  'find',
  'findOne',
  'count',
  'create',
  'update',
  'delete',
  'publish',
  'unpublish',
  'discardDraft',
  'clone',
] as const;

/** Of users and files, deleting has another name. */
const columnOf = ({ name }: NamedAction): string => (name === 'destroy' ? 'delete' : name);

export interface MatrixRow {
  readonly group: ActionGroup;
  /** An action or nothing for each column. */
  readonly cells: readonly (NamedAction | null)[];
  readonly more: readonly NamedAction[];
}

export interface MatrixSection {
  readonly title: string;
  readonly rows: readonly MatrixRow[];
}

const rowOf = (group: ActionGroup): MatrixRow => ({
  group,
  cells: COLUMNS.map((column) => group.actions.find((action) => columnOf(action) === column) ?? null),
  more: group.actions.filter((action) => !COLUMNS.some((column) => column === columnOf(action))),
});

/** The project's own content-types first, then what every project has. */
export function matrixOf(groups: readonly ActionGroup[]): readonly MatrixSection[] {
  const isOwn = ({ uid }: ActionGroup): boolean => uid.startsWith('api::');
  const sections = [
    { title: 'Content-types', rows: groups.filter(isOwn).map(rowOf) },
    { title: 'Built in', rows: groups.filter((group) => !isOwn(group)).map(rowOf) },
  ];
  return sections.filter(({ rows }) => rows.length > 0);
}

/** Actions whose grant will change, with what it will be. */
export type Changes = ReadonlyMap<string, boolean>;

export const NO_CHANGES: Changes = new Map();

export const isGranted = (role: ApiRole, changes: Changes, action: string): boolean =>
  changes.get(action) ?? role.actions.includes(action);

/** What is as it was is no change. */
export function withChange(role: ApiRole, changes: Changes, actions: readonly string[], isOn: boolean): Changes {
  const next = new Map(changes);
  for (const action of actions) {
    if (role.actions.includes(action) === isOn) next.delete(action);
    else next.set(action, isOn);
  }
  return next;
}

export function roleInput(changes: Changes): RoleInput {
  const ofKind = (isOn: boolean): string[] => [...changes].filter(([, on]) => on === isOn).map(([action]) => action);
  return { grant: ofKind(true), revoke: ofKind(false) };
}

/** `Public may now find and findOne Restaurants`, a sentence for each group and direction. */
export function changesInWords(role: ApiRole, changes: Changes, groups: readonly ActionGroup[]): readonly string[] {
  return groups.flatMap(({ title, actions }) =>
    [true, false].flatMap((isOn) => {
      const names = actions.filter(({ action }) => changes.get(action) === isOn).map(({ name }) => name);
      if (names.length === 0) return [];
      return [`${role.name} ${isOn ? 'may now' : 'may no longer'} ${listInWords(names)} ${title}`];
    }),
  );
}

const OF_USERS = 'plugin::users-permissions.user.';
const READS = ['find', 'findOne', 'count', 'me'].map((name) => `${OF_USERS}${name}`);

/** What someone should think about twice: accounts that everyone may write; null where there is nothing. */
export function warningOf({ type }: ApiRole, changes: Changes): string | null {
  const writes = roleInput(changes).grant!.some((action) => action.startsWith(OF_USERS) && !READS.includes(action));
  if (!writes) return null;
  const whose = type === 'public' ? 'Everyone, without logging in,' : 'Every user with this role';
  return `${whose} may then write the accounts of users, unless a rule in access/ narrows it.`;
}

export const listInWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
