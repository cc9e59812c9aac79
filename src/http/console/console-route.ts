// Routes of the console's own, as data: a method, a path below /console/api, the right it needs, and what it answers.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Console } from '../../console/console.ts';
import { CONSOLE_API, type ConsoleRight } from '../../console/contract.ts';
import type { Editor } from '../../console/editors.ts';
import { fieldError, validationError } from '../../errors.ts';
import type { QueryObject } from '../../request/query-string.ts';
import { isObject } from '../../type-guards.ts';
import type { RequestLoad } from '../request-load.ts';
import type { Method, PathParameters, Route, RouteContext } from '../routes.ts';

export interface ConsoleContext extends RouteContext {
  readonly console: Console;
  /** What requests this process has answered. */
  readonly load: RequestLoad;
  /** All routes of the API, those of the project's code among them. */
  readonly routes: readonly Route[];
}

/** A request of the console. */
export interface OpenCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: PathParameters;
  readonly query: QueryObject;
}

export interface ConsoleCall extends OpenCall {
  /** Who is logged in. */
  readonly editor: Editor;
}

interface Addressed {
  readonly method: Method;
  /** The whole path, such as `/console/api/accounts/:id`. */
  readonly path: string;
}

/** What the handler returns is sent as JSON; nothing where it is undefined. */
export interface ConsoleRoute extends Addressed {
  /** Null: everyone who is logged in. */
  readonly right: ConsoleRight | null;
  handler(call: ConsoleCall): Promise<unknown>;
}

/** A route for those who are not logged in. */
export interface OpenConsoleRoute extends Addressed {
  readonly isOpen: true;
  handler(call: OpenCall): Promise<unknown>;
}

export const consoleRoute = (
  method: Method,
  path: string,
  right: ConsoleRight | null,
  handler: ConsoleRoute['handler'],
): ConsoleRoute => ({ method, path: `${CONSOLE_API}/${path}`, right, handler });

export const openConsoleRoute = (
  method: Method,
  path: string,
  handler: OpenConsoleRoute['handler'],
): OpenConsoleRoute => ({ method, path: `${CONSOLE_API}/${path}`, isOpen: true, handler });

/** The members of a body, each checked by whoever uses it. */
export function bodyOf({ request: { body } }: OpenCall): Readonly<Record<string, unknown>> {
  if (!isObject(body)) throw validationError('Invalid body: expected an object');
  return body;
}

/** A member of a body that must be a string with something in it. */
export function requiredText(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value;
  throw fieldError(name, value === undefined || value === '' ? `${name} is missing` : `${name} must be a string`);
}
