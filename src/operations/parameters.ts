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
  readonly on?: Readonly<Record<string, boolean | PopulateOptions>>;
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
