// What was found of a project's own code: files that Strapi runs and Sheaf does not.

/** Kinds that may keep something closed; a project names them to be served without. */
export const CODE_KINDS = [
  'controller',
  'service',
  'routes',
  'policies',
  'middlewares',
  'lifecycles',
  'documents.use',
  'bootstrap',
  'extension',
] as const;

export type CodeKind = (typeof CODE_KINDS)[number] | 'register' | 'destroy' | 'cron' | 'plugin';

/** What stays closed because of it: reads and writes, writes, some actions of a type by name, or nothing. */
export type Closes = 'all' | 'writes' | 'nothing' | readonly string[];

/** What is said of code whose members are not known. */
export const UNREADABLE = 'cannot be read';

/** Stands for every content-type. */
export const APPLICATION = 'application';

export interface CodeFinding {
  /** Below the project, with `/` between folders. */
  readonly file: string;
  readonly kind: CodeKind;
  /**
   * What it acts on: the uid of a content-type, `plugin::<name>` for a plugin, or `application` for all of them; null
   * for code that stands by itself.
   */
  readonly subject: string | null;
  /** What it seems to do, such as `overrides find`. */
  readonly does: string;
  readonly closes: Closes;
  /** What Sheaf has for the same purpose; null for nothing. */
  readonly instead: string | null;
}

/** The names of a content-type that code refers to it by. */
export interface TypeNames {
  readonly uid: string;
  readonly kind: 'collectionType' | 'singleType';
  readonly singularName: string;
  readonly pluralName: string;
}

/** How much more one closes than another; lists of actions are joined. */
export function closesMore(one: Closes, other: Closes): Closes {
  if (one === 'all' || other === 'all') return 'all';
  if (one === 'nothing') return other;
  if (other === 'nothing') return one;
  if (typeof one !== 'string' && typeof other !== 'string') return [...new Set([...one, ...other])];
  return one === other ? one : 'all';
}

const COLLECTION = ['find', 'findOne', 'create', 'update', 'delete'];
const SINGLE = ['find', 'update', 'delete'];
/** Actions of Sheaf that are closed together with one of Strapi. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  find: ['count'],
  create: ['clone'],
  update: ['publish', 'unpublish', 'discardDraft'],
};

/** The actions that core routes lead to. */
export const coreActions = (kind?: TypeNames['kind']): readonly string[] =>
  kind === 'singleType' ? SINGLE : COLLECTION;

export const withImplied = (actions: readonly string[]): readonly string[] =>
  actions.flatMap((action) => [action, ...(IMPLIED[action] ?? [])]);

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'createOrUpdate']);

/** What code closes that these core actions pass through; `null` for code that cannot be read. */
export function closedBy(actions: Iterable<string> | null): Closes {
  if (actions === null) return 'all';
  const names = [...actions];
  if (names.length === 0) return 'nothing';
  return names.every((name) => WRITES.has(name)) ? 'writes' : 'all';
}
