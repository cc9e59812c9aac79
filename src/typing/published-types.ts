// What `sheaf/types` exports: the register that a generated file fills, and the types that are computed from it.

export type { Described, Problem } from './problem.ts';
export type * from './registry.ts';
export type * from './typed-client.ts';
export type { TypedDocuments } from './typed-documents.ts';
export type { Filters } from './typed-filters.ts';
export type * from './typed-parameters.ts';
export type { EntryOf, OpenEntry } from './typed-result.ts';
export type * from './typed-values.ts';
