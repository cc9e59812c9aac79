// The parameters of the in-process interface, typed for callers. The same grammar as the query string, checked by
// the same parser: a wrong name or value is refused there, not here.
import type { PublicationFilter, Status } from '../request/read-request.ts';

export type FilterValue = string | number | bigint | boolean | Date | null;

export interface FilterOperators {
  readonly $eq?: FilterValue | readonly FilterValue[];
  readonly $eqi?: string | readonly string[];
  readonly $ne?: FilterValue | readonly FilterValue[];
  readonly $nei?: string | readonly string[];
  readonly $lt?: FilterValue;
  readonly $lte?: FilterValue;
  readonly $gt?: FilterValue;
  readonly $gte?: FilterValue;
  readonly $in?: FilterValue | readonly FilterValue[];
  readonly $notIn?: FilterValue | readonly FilterValue[];
  readonly $contains?: string | readonly string[];
  readonly $notContains?: string | readonly string[];
  readonly $containsi?: string | readonly string[];
  readonly $notContainsi?: string | readonly string[];
  readonly $startsWith?: string | readonly string[];
  readonly $startsWithi?: string | readonly string[];
  readonly $endsWith?: string | readonly string[];
  readonly $endsWithi?: string | readonly string[];
  readonly $between?: readonly [FilterValue, FilterValue];
  readonly $null?: boolean;
  readonly $notNull?: boolean;
  /** On JSON: whether a list holds a value. */
  readonly $has?: FilterValue | readonly FilterValue[];
}

/** What is said of all related entries together. */
export interface SetOperators {
  readonly $some?: Filters | FilterValue | readonly FilterValue[];
  readonly $none?: Filters | FilterValue | readonly FilterValue[];
  readonly $every?: Filters | FilterValue | readonly FilterValue[];
  readonly $all?: FilterValue | readonly FilterValue[];
  readonly $count?: number | readonly number[] | (FilterOperators & { readonly where?: Filters });
}

export interface Filters extends FilterOperators, SetOperators {
  /** On JSON: conditions on what is inside of it, by its keys. */
  readonly $at?: Filters;
  readonly $and?: Filters | readonly Filters[];
  readonly $or?: Filters | readonly Filters[];
  readonly $not?: Filters | readonly Filters[] | FilterValue;
  readonly [name: string]:
    | Filters
    | SetOperators['$count']
    | FilterValue
    | readonly (Filters | FilterValue)[]
    | undefined;
}

export type SortDirection = 'asc' | 'desc' | 'ASC' | 'DESC';
export interface SortObject {
  readonly [name: string]: SortDirection | SortObject;
}
export type Sort = string | SortObject | readonly (string | SortObject)[];

export interface PopulateOptions {
  readonly fields?: string | readonly string[];
  readonly filters?: Filters;
  readonly sort?: Sort;
  readonly populate?: Populate;
  readonly count?: boolean;
  /** A page of each list; with `withCount` it is in an envelope of its own. */
  readonly pagination?: PopulatePageParameters;
  readonly on?: Readonly<Record<string, boolean | PopulateOptions>>;
}
export interface PopulatePageParameters {
  readonly start?: number;
  readonly limit?: number;
  readonly withCount?: boolean;
}
export type Populate = string | readonly string[] | Readonly<Record<string, boolean | PopulateOptions>>;

export interface FindOneParameters {
  readonly filters?: Filters;
  readonly sort?: Sort;
  readonly fields?: string | readonly string[];
  readonly populate?: Populate;
  /** `draft` where nothing is said, as in process one works on content; over HTTP it is `published`. */
  readonly status?: Status;
  readonly locale?: string | readonly string[];
  readonly publicationFilter?: PublicationFilter;
  readonly hasPublishedVersion?: boolean;
  readonly _q?: string;
  /** In which days and months begin for dates such as `now/d`; that of the server where nothing is said. */
  readonly timezone?: string;
}

export type PageParameters =
  | { readonly page?: number; readonly pageSize?: number; readonly withCount?: boolean }
  | { readonly start?: number; readonly limit?: number; readonly withCount?: boolean }
  /** An empty string for the first page, then `next` or `previous` of a page. */
  | { readonly cursor: string; readonly pageSize?: number; readonly withCount?: boolean };

export interface FindParameters extends FindOneParameters {
  /** Without it, findMany returns every entry and findPage the first page. */
  readonly pagination?: PageParameters;
  /** Attributes to count the entries by, in `meta.facets` of findPage. */
  readonly facets?: string | readonly string[];
}

export interface FindRelatedParameters extends FindParameters {
  /** Not needed for a single type. */
  readonly documentId?: string;
  readonly relation: string;
}

type Names = string | readonly string[];

export interface AggregateParameters
  extends Omit<FindOneParameters, 'sort' | 'fields' | 'populate'>,
    Pick<FindParameters, 'pagination'> {
  /** Attributes, relations and parts of dates, such as `openedOn.$month`. */
  readonly group?: Names;
  readonly count?: '*';
  readonly distinct?: Names;
  readonly sum?: Names;
  readonly avg?: Names;
  readonly min?: Names;
  readonly max?: Names;
  /** Conditions on what is computed, such as `{ count: { $gt: 2 } }`. */
  readonly having?: Filters;
  /** Names of groups and of what is computed, such as `-count` or `avg.rating:desc`. */
  readonly sort?: Names;
}

/** A group of entries: what they have in common, and what was computed of them. */
export interface Group {
  readonly group?: Readonly<Record<string, unknown>>;
  readonly count?: number;
  readonly distinct?: Readonly<Record<string, number>>;
  readonly sum?: Readonly<Record<string, number | string | null>>;
  readonly avg?: Readonly<Record<string, number | null>>;
  readonly min?: Readonly<Record<string, unknown>>;
  readonly max?: Readonly<Record<string, unknown>>;
}

export interface FacetValue {
  readonly value: unknown;
  readonly count: number;
}

export interface Entry {
  readonly id: number;
  readonly documentId: string;
  readonly [attribute: string]: unknown;
}

export interface PageMeta {
  readonly pagination:
    | { readonly page: number; readonly pageSize: number; readonly pageCount?: number; readonly total?: number }
    | { readonly start: number; readonly limit: number; readonly total?: number }
    | {
        readonly pageSize: number;
        readonly next: string | null;
        readonly previous: string | null;
        readonly total?: number;
      };
  readonly facets?: Readonly<Record<string, readonly FacetValue[]>>;
}

export interface Page {
  readonly data: readonly Entry[];
  readonly meta: PageMeta;
}

/** Values of an entry to write, by attribute; relations as references, `set`, or `connect` and `disconnect`. */
export type EntryData = Readonly<Record<string, unknown>>;

export interface CreateParameters {
  readonly data: EntryData;
  readonly status?: Status;
  readonly locale?: string;
  readonly fields?: string | readonly string[];
  readonly populate?: Populate;
}

export interface UpdateParameters extends CreateParameters {
  /** Not needed for a single type. */
  readonly documentId?: string | null;
}

export interface DocumentParameters {
  /** Not needed for a single type. */
  readonly documentId?: string | null;
  /** One locale, several, or `*` for all; the default locale where nothing is said. */
  readonly locale?: string | readonly string[];
}

export interface DocumentVersions {
  readonly documentId: string;
  readonly entries: readonly { readonly id: number; readonly locale: string | null; readonly status: Status }[];
}
