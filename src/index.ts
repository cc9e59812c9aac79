// What the package exports.
export type { Caller } from './access/caller.ts';
export { type CallerHeaders, type Locale, type OpenOptions, open, type Sheaf } from './app.ts';
export { SetupError, SheafError } from './errors.ts';
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
