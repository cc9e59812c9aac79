// The entries of the content-types of a project, typed by its model where it has a generated file of it.
import type { Caller } from '../access/caller.ts';
import type { DefaultRegistry, DocumentUid, IsOpen } from '../typing/registry.ts';
import type { TypedDocuments } from '../typing/typed-documents.ts';
import type { Documents } from './documents.ts';

/** Typed by the model where the project has a generated file of it, otherwise open. */
export type DocumentsOf<U, C extends 'system' | 'caller'> =
  IsOpen<DefaultRegistry> extends true ? Documents : TypedDocuments<DefaultRegistry, U, C>;

export interface ProjectDocuments {
  /** The entries of a type: as the system, which may do everything, or as a caller. */
  documents<U extends DocumentUid<DefaultRegistry>>(uid: U): DocumentsOf<U, 'system'>;
  documents<U extends DocumentUid<DefaultRegistry>>(uid: U, caller: Caller | undefined): DocumentsOf<U, 'caller'>;
}

/** The entries of a type as one caller may read and change them. */
export type CallerDocuments = <U extends DocumentUid<DefaultRegistry>>(uid: U) => DocumentsOf<U, 'caller'>;
