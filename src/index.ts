// What the package exports.
export type { Caller } from './access/caller.ts';
export { type CallerHeaders, type Locale, type OpenOptions, open, type Sheaf } from './app.ts';
export { SetupError, SheafError } from './errors.ts';
export {
  type AfterContext,
  type BeforeContext,
  type CallerContext,
  type ChangedOperation,
  type CodeContext,
  type CommittedContext,
  type CommittedEvent,
  type CoreRouteOptions,
  defineHook,
  defineProject,
  defineRoute,
  defineTask,
  type HandlerContext,
  type HookDefinition,
  type HookedOperation,
  type JsonSchema,
  type Log,
  type Policy,
  type ProjectDefinition,
  type ProjectResponse,
  type ProjectSheaf,
  type RequestContext,
  type RequestFile,
  type ResponseOptions,
  type RouteDefinition,
  type RouteSchemas,
  respond,
  type TaskContext,
  type TaskDefinition,
  type WrittenDocument,
  type WrittenVersion,
} from './extend/define-project.ts';
export { errors } from './extend/project-errors.ts';
export type { FileInfo, FileLink } from './files/file-info.ts';
export type { FileContent, FileEntry, FileOptions, Files, ResizedPicture } from './files/files.ts';
export type { StoredBytes } from './files/storage.ts';
export { createServer, type ServerOptions } from './http/server.ts';
export type { CommitEvent, CommitListener } from './operations/commit-events.ts';
export type { Documents } from './operations/documents.ts';
export type {
  CreateParameters,
  DocumentParameters,
  DocumentVersions,
  Entry,
  EntryData,
  Filters,
  FilterValue,
  FindOneParameters,
  FindParameters,
  Page,
  Populate,
  Sort,
  UpdateParameters,
} from './operations/parameters.ts';
export type { CallerDocuments, DocumentsOf, ProjectDocuments } from './operations/project-documents.ts';
