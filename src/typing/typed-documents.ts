// The typed face of the in-process interface.

import type { CallerKind } from './attribute-names.ts';
import type { AnyRegistry, TypeOf } from './registry.ts';
import type {
  AggregateParameters,
  CreateData,
  DocumentParameters,
  DocumentVersions,
  FieldsInput,
  FindOneParameters,
  FindParameters,
  Group,
  Page,
  PopulateInput,
  RelatedParameters,
  RelationName,
  ResultOf,
  SortInput,
  StatusInput,
  TargetUid,
  UpdateData,
  WriteParameters,
} from './typed-parameters.ts';

type Fields<R extends AnyRegistry, U, C extends CallerKind> = FieldsInput<R, U, C> | undefined;
type Populate<R extends AnyRegistry, U, C extends CallerKind> = PopulateInput<R, U, C> | undefined;
type Sort<R extends AnyRegistry, U, C extends CallerKind> = SortInput<R, U, C> | undefined;
type Status = StatusInput | undefined;

/** Of a collection type the document must be named. */
type Named<R extends AnyRegistry, U> =
  TypeOf<R, U> extends { readonly kind: 'singleType' }
    ? { readonly documentId?: string | null }
    : { readonly documentId: string };

/** `documents(uid)` for a type of the registry: for the system, or for a caller. */
export interface TypedDocuments<R extends AnyRegistry, U, C extends CallerKind> {
  /** Every entry that matches, or the page asked for. */
  findMany<
    const F extends Fields<R, U, C> = undefined,
    const Q extends Populate<R, U, C> = undefined,
    const O extends Sort<R, U, C> = undefined,
    const S extends Status = undefined,
  >(parameters?: Omit<FindParameters<R, U, C, F, Q, O, S>, 'facets'>): Promise<ResultOf<R, U, C, F, Q, S>[]>;
  /** A page of entries with its pagination, as a list request answers. */
  findPage<
    const F extends Fields<R, U, C> = undefined,
    const Q extends Populate<R, U, C> = undefined,
    const O extends Sort<R, U, C> = undefined,
    const S extends Status = undefined,
  >(parameters?: FindParameters<R, U, C, F, Q, O, S>): Promise<Page<ResultOf<R, U, C, F, Q, S>>>;
  findFirst<
    const F extends Fields<R, U, C> = undefined,
    const Q extends Populate<R, U, C> = undefined,
    const O extends Sort<R, U, C> = undefined,
    const S extends Status = undefined,
  >(parameters?: FindOneParameters<R, U, C, F, Q, O, S>): Promise<ResultOf<R, U, C, F, Q, S> | null>;
  /** Null where there is no such document, or it does not match. */
  findOne<
    const F extends Fields<R, U, C> = undefined,
    const Q extends Populate<R, U, C> = undefined,
    const O extends Sort<R, U, C> = undefined,
    const S extends Status = undefined,
  >(parameters: FindOneParameters<R, U, C, F, Q, O, S> & Named<R, U>): Promise<ResultOf<R, U, C, F, Q, S> | null>;
  count(parameters?: FindOneParameters<R, U, C, undefined, undefined, undefined, StatusInput>): Promise<number>;
  /** The entries that a relation of a document leads to, in its order; null where there is no such document. */
  findRelated<
    const Name extends RelationName<R, U, C>,
    const F extends Fields<R, TargetUid<R, U, Name>, C> = undefined,
    const Q extends Populate<R, TargetUid<R, U, Name>, C> = undefined,
    const O extends Sort<R, TargetUid<R, U, Name>, C> = undefined,
    const S extends Status = undefined,
  >(
    parameters: RelatedParameters<R, TargetUid<R, U, Name>, C, F, Q, O, S> & Named<R, U> & { readonly relation: Name },
  ): Promise<Page<ResultOf<R, TargetUid<R, U, Name>, C, F, Q, S>> | null>;
  /** Every group, or the page asked for. */
  aggregate(parameters: AggregateParameters<R, U, C>): Promise<Group[]>;
  /** Makes a document; with the status `published` it is published at once. */
  create<
    const F extends Fields<R, U, C> = undefined,
    const Q extends Populate<R, U, C> = undefined,
    const S extends Status = undefined,
  >(
    parameters: WriteParameters<R, U, C, F, Q, S> & { readonly data: CreateData<R, U, C, S> },
  ): Promise<ResultOf<R, U, C, F, Q, S>>;
  /** Changes a document, or adds a locale to it; null where there is none. */
  update<
    const F extends Fields<R, U, C> = undefined,
    const Q extends Populate<R, U, C> = undefined,
    const S extends Status = undefined,
  >(
    parameters: WriteParameters<R, U, C, F, Q, S> & Named<R, U> & { readonly data: UpdateData<R, U> },
  ): Promise<ResultOf<R, U, C, F, Q, S> | null>;
  /** Deletes a document in a locale (the default one), in several, or in all (`*`), drafts and published alike. */
  delete(parameters: DocumentParameters<R> & Named<R, U>): Promise<DocumentVersions>;
  publish(parameters: DocumentParameters<R> & Named<R, U>): Promise<DocumentVersions>;
  unpublish(parameters: DocumentParameters<R> & Named<R, U>): Promise<DocumentVersions>;
  /** Brings the draft back to what is published. */
  discardDraft(parameters: DocumentParameters<R> & Named<R, U>): Promise<DocumentVersions>;
  /** Copies a document under a new id, changed as `data` says. */
  clone(
    parameters: DocumentParameters<R> & Named<R, U> & { readonly data?: UpdateData<R, U> },
  ): Promise<ResultOf<R, U, C, undefined, undefined, 'draft'>>;
}
