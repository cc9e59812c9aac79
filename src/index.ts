// What the package exports.
export { type Locale, type OpenOptions, open, type Sheaf } from './app.ts';
export type { Documents } from './documents/documents.ts';
export type {
  Entry,
  Filters,
  FilterValue,
  FindOneParameters,
  FindParameters,
  Page,
  Populate,
  Sort,
} from './documents/parameters.ts';
export { SetupError, SheafError } from './errors.ts';
export { createServer } from './http/server.ts';
