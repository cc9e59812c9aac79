// Values that code of the project hands over, which may be anything: functions that can be called, members by name.
import { hasMembers } from '../../type-guards.ts';
import type { Members, Strapi } from './strapi-types.ts';

/** A function of the project. It takes what it is given, and returns what it likes. */
type CodeFunction = (...values: readonly unknown[]) => unknown;

export const isFunction = (value: unknown): value is CodeFunction => typeof value === 'function';

/** Of what has no members, none. */
export const membersOf = (value: unknown): Members => (hasMembers(value) ? value : {});

/** The members of what code has made; undefined where it has made nothing. */
export const membersMade = (value: unknown): Members | undefined =>
  value === undefined || value === null ? undefined : membersOf(value);

/** What a file exports, or what the function that it exports makes. */
export const madeOf = (exported: unknown, strapi: Strapi): unknown =>
  isFunction(exported) ? exported({ strapi }) : exported;
