// What is known of the values that code of the project hands over, which may be anything: whether they have members,
// whether they can be called.
import type { Members, Strapi } from './strapi-types.ts';

/** A function of the project. It takes what it is given, and returns what it likes. */
type CodeFunction = (...values: readonly unknown[]) => unknown;

export const isFunction = (value: unknown): value is CodeFunction => typeof value === 'function';

/** Whether it has members by name: functions, lists and instances of classes have them as well. */
export const hasMembers = (value: unknown): value is Members =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/** Of what has no members, none. */
export const membersOf = (value: unknown): Members => (hasMembers(value) ? value : {});

export const memberOf = (value: unknown, name: string): unknown => (hasMembers(value) ? value[name] : undefined);

/** The members of what code has made; undefined where it has made nothing. */
export const membersMade = (value: unknown): Members | undefined =>
  value === undefined || value === null ? undefined : membersOf(value);

/** What a file exports, or what the function that it exports makes. */
export const madeOf = (exported: unknown, strapi: Strapi): unknown =>
  isFunction(exported) ? exported({ strapi }) : exported;
