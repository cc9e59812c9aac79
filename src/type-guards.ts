// What is known of a value that comes from outside: of JSON, of code of a project, and of what is thrown.

/** Whether it has members by name; a list has not. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether members of it can be asked for: lists, functions and instances of classes have some as well. */
export const hasMembers = (value: unknown): value is Record<string, unknown> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/** A member of a value; undefined where there is none. */
export const memberOf = (value: unknown, name: string): unknown => (hasMembers(value) ? value[name] : undefined);

/** The message of what was thrown, which may be anything. */
export function errorMessage(thrown: unknown): string {
  const message = memberOf(thrown, 'message');
  return typeof message === 'string' ? message : String(thrown);
}

/** The code of what was thrown, as the system and drivers of databases give one. */
export function errorCode(thrown: unknown): string | undefined {
  const code = memberOf(thrown, 'code');
  return typeof code === 'string' ? code : undefined;
}
