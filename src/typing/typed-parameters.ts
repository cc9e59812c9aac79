// The parameters of reads and writes for a content-type of a registry, and what they respond with.
import type { CallerKind, IsUnknown, LeadsTo, RelatedName } from './attribute-names.ts';
import type { Problem } from './problem.ts';
import type { AnyRegistry, AttributesOf, HasDrafts } from './registry.ts';
import type { CheckFields, FieldsInput } from './typed-fields.ts';
import type { Filters, OpenFilters } from './typed-filters.ts';
import type { CreateInput, UpdateInput } from './typed-input.ts';
import type { CheckPopulate, PopulateInput } from './typed-populate.ts';
import type { EntryOf } from './typed-result.ts';
import type { CheckSort } from './typed-sort.ts';

export type { FieldsInput } from './typed-fields.ts';
export type { PopulateInput } from './typed-populate.ts';
export type { SortInput } from './typed-sort.ts';

export type StatusInput = 'draft' | 'published';

export type PublicationFilter =
  | 'never-published'
  | 'has-published-version'
  | 'modified'
  | 'unmodified'
  | 'never-published-document'
  | 'has-published-version-document'
  | 'published-without-draft'
  | 'published-with-draft';

export type LocaleInput<R extends AnyRegistry> = R['locale'] | '*' | readonly R['locale'][];

/** In process one works on drafts, over HTTP on what is published, where nothing is said. */
type ReadsDrafts<C extends CallerKind, S> = C extends 'client'
  ? [S] extends ['published' | undefined]
    ? false
    : true
  : [S] extends ['published']
    ? false
    : true;

/** An entry as a read, or the response of a write, shows it. */
export type ResultOf<R extends AnyRegistry, U, C extends CallerKind, F, Q, S> = EntryOf<
  R,
  U,
  { readonly caller: C; readonly drafts: ReadsDrafts<C, S> },
  F,
  Q
>;

/** What a name for entries may say: the fields and what is populated, as in a query. */
export interface EntryQuery<R extends AnyRegistry, U> {
  readonly fields?: FieldsInput<R, U, 'client'>;
  readonly populate?: PopulateInput<R, U, 'client'>;
  readonly status?: StatusInput;
}

type Option<Query, Name extends string> = Query extends { readonly [K in Name]: infer T } ? T : undefined;

/** An entry as a client reads it with such a query, for the types of variables and of functions. */
export type NamedEntry<R extends AnyRegistry, U, Query> = ResultOf<
  R,
  U,
  'client',
  Option<Query, 'fields'>,
  Option<Query, 'populate'>,
  Option<Query, 'status'>
>;

/** What a response shows. */
interface Selection<R extends AnyRegistry, U, C extends CallerKind, F, Q> {
  readonly fields?: F & CheckFields<R, U, C, F>;
  readonly populate?: Q & CheckPopulate<R, U, C, Q>;
}

/** Which entries are meant. */
interface Choice<R extends AnyRegistry, U, C extends CallerKind, S> {
  readonly filters?: Filters<R, U, C>;
  readonly status?: S;
  /** One, several, or `*` for all; the default locale where nothing is said. */
  readonly locale?: LocaleInput<R>;
  readonly publicationFilter?: PublicationFilter;
  readonly hasPublishedVersion?: boolean;
  /** Text to search for. */
  readonly _q?: string;
  /** In which days and months begin for dates such as `now/d`; that of the server where nothing is said. */
  readonly timezone?: string;
}

export interface FindOneParameters<R extends AnyRegistry, U, C extends CallerKind, F, Q, O, S>
  extends Selection<R, U, C, F, Q>,
    Choice<R, U, C, S> {
  readonly sort?: O & CheckSort<R, U, C, O>;
}

type OneForm = Problem<'a page is told by page and pageSize, by start and limit, or by cursor and pageSize'>;

export type PageParameters = NumberedPage | OffsetPage | CursorPage;

export interface NumberedPage {
  readonly page?: number;
  readonly pageSize?: number;
  readonly withCount?: boolean;
  readonly start?: OneForm;
  readonly limit?: OneForm;
  readonly cursor?: OneForm;
}

export interface OffsetPage {
  readonly start?: number;
  readonly limit?: number;
  readonly withCount?: boolean;
  readonly page?: OneForm;
  readonly pageSize?: OneForm;
  readonly cursor?: OneForm;
}

export interface CursorPage {
  /** An empty string for the first page, then `next` or `previous` of a page. */
  readonly cursor: string;
  readonly pageSize?: number;
  readonly withCount?: boolean;
  readonly page?: OneForm;
  readonly start?: OneForm;
  readonly limit?: OneForm;
}

export interface FindParameters<R extends AnyRegistry, U, C extends CallerKind, F, Q, O, S>
  extends FindOneParameters<R, U, C, F, Q, O, S> {
  readonly pagination?: PageParameters;
  /** Attributes to count the entries by, in `meta.facets` of a page. */
  readonly facets?: string | readonly string[];
}

/** Of the entries that a relation leads to. */
export type RelatedParameters<R extends AnyRegistry, U, C extends CallerKind, F, Q, O, S> = FindParameters<
  R,
  U,
  C,
  F,
  Q,
  O,
  S
>;

export type RelationName<R extends AnyRegistry, U, C extends CallerKind> =
  IsUnknown<R, U> extends true ? string : RelatedName<AttributesOf<R, U>, C>;

export type TargetUid<R extends AnyRegistry, U, Name> = LeadsTo<AttributesOf<R, U>[Name & keyof AttributesOf<R, U>]>;

type Names = string | readonly string[];

export interface AggregateParameters<R extends AnyRegistry, U, C extends CallerKind>
  extends Choice<R, U, C, StatusInput> {
  /** Attributes, relations and parts of dates, such as `openedOn.$month`. */
  readonly group?: Names;
  readonly count?: '*';
  readonly distinct?: Names;
  readonly sum?: Names;
  readonly avg?: Names;
  readonly min?: Names;
  readonly max?: Names;
  /** Conditions on what is computed, such as `{ count: { $gt: 2 } }`. */
  readonly having?: OpenFilters;
  /** Names of groups and of what is computed, such as `-count` or `avg.rating:desc`. */
  readonly sort?: Names;
  readonly pagination?: NumberedPage | OffsetPage;
}

/** A group of entries: what they have in common, and what was computed of them. */
export interface Group {
  readonly group?: Readonly<Record<string, string | number | boolean | null>>;
  readonly count?: number;
  readonly distinct?: Readonly<Record<string, number>>;
  readonly sum?: Readonly<Record<string, number | string | null>>;
  readonly avg?: Readonly<Record<string, number | null>>;
  readonly min?: Readonly<Record<string, string | number | null>>;
  readonly max?: Readonly<Record<string, string | number | null>>;
}

export interface FacetValue {
  readonly value: string | number | boolean | null;
  readonly count: number;
}

export interface PageMeta {
  readonly pagination: {
    readonly page?: number;
    readonly pageSize?: number;
    readonly pageCount?: number;
    readonly start?: number;
    readonly limit?: number;
    readonly total?: number;
    /** Of a page by cursor. */
    readonly next?: string | null;
    readonly previous?: string | null;
  };
  readonly facets?: Readonly<Record<string, readonly FacetValue[]>>;
}

export interface Page<Entry> {
  data: Entry[];
  meta: PageMeta;
}

export type AggregatePage = Page<Group>;

/** Whether what is written may be incomplete. */
type WritesDraft<R extends AnyRegistry, U, C extends CallerKind, S> =
  HasDrafts<R, U> extends true ? ReadsDrafts<C, S> : false;

export type CreateData<R extends AnyRegistry, U, C extends CallerKind, S> = CreateInput<R, U, WritesDraft<R, U, C, S>>;
export type UpdateData<R extends AnyRegistry, U> = UpdateInput<R, U>;

export interface WriteParameters<R extends AnyRegistry, U, C extends CallerKind, F, Q, S>
  extends Selection<R, U, C, F, Q> {
  readonly status?: S;
  readonly locale?: R['locale'];
}

export interface DraftActionParameters<R extends AnyRegistry, U, C extends CallerKind, F, Q>
  extends Selection<R, U, C, F, Q> {
  readonly locale?: LocaleInput<R>;
}

export interface DeleteParameters<R extends AnyRegistry> {
  readonly locale?: LocaleInput<R>;
}

export interface DocumentParameters<R extends AnyRegistry> {
  /** Not needed for a single type. */
  readonly documentId?: string | null;
  readonly locale?: LocaleInput<R>;
}

export interface DocumentVersions {
  readonly documentId: string;
  readonly entries: readonly { readonly id: number; readonly locale: string | null; readonly status: StatusInput }[];
}
