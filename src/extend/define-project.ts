// What a project's own code is made of: the types of src/sheaf.ts, and the functions that it is written with.
import type { Readable } from 'node:stream';
import type { Caller } from '../access/caller.ts';
import type { ReadName, WriteName } from '../access/operation.ts';
import type { Files } from '../files/files.ts';
import type { Entry } from '../operations/parameters.ts';
import type { CallerDocuments, ProjectDocuments } from '../operations/project-documents.ts';
import type { Status } from '../request/read-request.ts';
import { definedIn } from './files-of-parts.ts';

/** Writes to the log of the server: fields and a message, or a message alone. */
export interface LogMethod {
  (fields: object, message?: string): void;
  (message: string): void;
}

export interface Log {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

/** The project as code of its own sees it: as the system, which may do everything. */
export interface ProjectSheaf extends ProjectDocuments {
  readonly files: Files;
  /** What `work` reads and writes happens whole or not at all. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

/** What all code of a project is given. */
export interface CodeContext {
  readonly sheaf: ProjectSheaf;
  readonly log: Log;
  /** Aborted at the deadline, and where nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What code is given that runs on behalf of a caller. */
export interface CallerContext extends CodeContext {
  /** The entries of a type as the caller may read and change them; published ones unless a status is given. */
  readonly documents: CallerDocuments;
  readonly caller: Caller;
}

/** A file of a request, on disk until the handler has answered. */
export interface RequestFile {
  /** The name of its part in the body. */
  readonly field: string;
  /** As the client calls it. */
  readonly name: string;
  readonly mime: string | null;
  readonly size: number;
  readonly path: string;
}

/** A request, as far as it is known before its body is read into a handler. */
export interface RequestContext<Params, Query, Body> extends CallerContext {
  readonly method: RouteMethod;
  readonly path: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface HandlerContext<Params, Query, Body> extends RequestContext<Params, Query, Body> {
  /** Of a route with `files`. */
  readonly files: readonly RequestFile[];
}

export type RouteMethod = 'GET' | 'QUERY' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A JSON Schema (draft 7). */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface RouteSchemas {
  readonly params?: JsonSchema;
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
  readonly answer?: JsonSchema;
}

/** Who may call a route: those who are granted an action, or everyone. */
export type RouteRight =
  | { readonly action: string; readonly public?: never }
  | { readonly public: true; readonly action?: never };

type Names = Readonly<Record<string, string>>;

export type RouteDefinition<Params = Names, Query = Readonly<Record<string, unknown>>, Body = unknown> = RouteRight & {
  readonly method: RouteMethod;
  /** Below the prefix of the API, such as `/articles/:slug/related`. */
  readonly path: string;
  readonly schemas?: RouteSchemas;
  /** Names of policies, all of which have to agree. */
  readonly policies?: readonly string[];
  /** That it takes files, as multipart/form-data. */
  readonly files?: true;
  /** How often one address may call it. */
  readonly limit?: { readonly max: number; readonly seconds: number };
  /** What it returns is sent as JSON; nothing is a 204. `respond` gives a status, headers or another kind of body. */
  handler(context: HandlerContext<Params, Query, Body>): unknown;
};

/** Whether a request may go on. Only `true` lets it. */
export type Policy = (
  context: RequestContext<Names, Readonly<Record<string, unknown>>, unknown>,
) => boolean | Promise<boolean>;

/** An operation on content, as hooks see it. */
export interface HookedOperation {
  readonly name: ReadName | WriteName;
  readonly uid: string;
  /** Of a write: the document; null for a new one, and for the one of a single type. */
  readonly documentId: string | null;
  /** Of a write: the attributes to write. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Filters, populate, locale, status and the like, as the request gave them. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a hook makes of an operation. What is not named stays. */
export interface ChangedOperation {
  /** In place of the attributes of the request; the caller needs the right to write them. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Attributes that the server adds; no right of the caller is needed. */
  readonly supplied?: Readonly<Record<string, unknown>>;
  /** In place of those of the request; the caller needs the right to use what they name. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface BeforeContext extends CallerContext {
  readonly operation: HookedOperation;
}

export interface AfterContext extends BeforeContext {
  /** What the operation found or left behind, as the caller sees it: nothing where the caller may not. */
  readonly entries: readonly Entry[];
  /** Of a write: the document, and the rows that it wrote or, for a delete, removed. */
  readonly written: WrittenDocument | null;
}

/** A row of a document. */
export interface WrittenVersion {
  readonly id: number;
  readonly locale: string | null;
  readonly status: Status;
}

export interface WrittenDocument {
  readonly documentId: string;
  readonly versions: readonly WrittenVersion[];
}

/** A write that is stored for good. */
export interface CommittedEvent {
  /** Its number: the same each time that it is tried, and higher than those of earlier writes to the document. */
  readonly id: number;
  readonly operation: WriteName;
  readonly uid: string;
  readonly documentId: string;
  /** The rows that it wrote or, for a delete, those that it removed. */
  readonly versions: readonly WrittenVersion[];
  readonly caller: { readonly kind: Caller['kind']; readonly userId: number | null };
  /** When it was written, in ISO 8601. */
  readonly at: string;
}

export interface CommittedContext extends CodeContext {
  readonly event: CommittedEvent;
  /** How often it was tried before. */
  readonly tries: number;
}

export interface HookDefinition {
  /** Names it in the log and in the database; a hook with `committed` needs one, which stays the same. */
  readonly name?: string;
  /** The types whose operations it concerns; `*` for all of them. */
  readonly types: string | readonly string[];
  /** Without them: every write. */
  readonly operations?: readonly (ReadName | WriteName)[];
  /** Before an operation is authorized and, of a write, in its transaction. What it throws refuses the operation. */
  before?(context: BeforeContext): ChangedOperation | undefined | Promise<ChangedOperation | undefined>;
  /** With the result; of a write in its transaction, which is rolled back where this fails. */
  after?(context: AfterContext): unknown;
  /** When a write is stored for good: at least once, in order for each document, and again where it fails. */
  committed?(context: CommittedContext): unknown;
}

export interface TaskContext extends CodeContext {
  /** When it was due, in ISO 8601. */
  readonly due: string;
}

export interface TaskDefinition {
  /** When it runs: five fields, or six with seconds first. */
  readonly cron: string;
  /** The time zone of the rule, such as Europe/Rome; UTC where none is given. */
  readonly timezone?: string;
  run(context: TaskContext): unknown;
}

/** What holds for the core routes that need an action. */
export interface CoreRouteOptions {
  /** Names of policies, all of which have to agree. */
  readonly policies: readonly string[];
}

export interface ProjectDefinition {
  readonly routes?: readonly RouteDefinition[];
  readonly hooks?: readonly HookDefinition[];
  /** By name. */
  readonly policies?: Readonly<Record<string, Policy>>;
  /** By the action that the routes need, such as `api::article.article.update`. */
  readonly coreRoutes?: Readonly<Record<string, CoreRouteOptions>>;
  /** By name. */
  readonly tasks?: Readonly<Record<string, TaskDefinition>>;
  /** Before the first request is taken. Where it fails, the server does not start. */
  start?(context: CodeContext): unknown;
  /** When the last request has been answered. */
  stop?(context: CodeContext): unknown;
}

/** The code of a project, as src/sheaf.ts exports it by default. */
export const defineProject = (definition: ProjectDefinition): ProjectDefinition => definedIn(definition);

/** A route in a file of its own. */
export function defineRoute<Params = Names, Query = Readonly<Record<string, unknown>>, Body = unknown>(
  definition: RouteDefinition<Params, Query, Body>,
): RouteDefinition;
export function defineRoute(definition: RouteDefinition): RouteDefinition {
  return definedIn(definition);
}

/** A hook in a file of its own. */
export const defineHook = (definition: HookDefinition): HookDefinition => definedIn(definition);

/** A task in a file of its own. */
export const defineTask = (definition: TaskDefinition): TaskDefinition => definedIn(definition);

/** A body that is sent as it is: strings as text, bytes and streams as the header `content-type` says. */
export type ResponseBody = string | Uint8Array | Readable;

/** An answer with a status, headers, or a body that is not JSON. */
export class ProjectResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;

  constructor({ status = 200, headers = {}, body }: ResponseOptions) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

export interface ResponseOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings, bytes and streams are sent as they are, everything else as JSON. */
  readonly body?: unknown;
}

/** For a handler to return: an answer with a status, headers, or a body that is not JSON. */
export const respond = (options: ResponseOptions): ProjectResponse => new ProjectResponse(options);
