// What a client asks for, typed but not yet held against the model. The shape carries names and operators; values
// stand apart in slots, so that two requests that differ only in values share one shape and one plan.

export type Comparison =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'in'
  | 'notIn'
  | 'between'
  | 'eqi'
  | 'nei'
  | 'contains'
  | 'notContains'
  | 'containsi'
  | 'notContainsi'
  | 'startsWith'
  | 'startsWithi'
  | 'endsWith'
  | 'endsWithi'
  | 'has';

/** How many of the related entries must meet a condition. */
export type Quantifier = 'some' | 'none' | 'every';

/** A comparison of the number of related entries. */
export interface CountTest {
  readonly op: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'notIn' | 'between';
  readonly slot: number;
}

export type FilterNode =
  | { readonly is: 'and' | 'or'; readonly of: readonly FilterNode[] }
  | { readonly is: 'not'; readonly of: FilterNode }
  | { readonly is: 'at'; readonly name: string; readonly of: FilterNode }
  | { readonly is: 'compare'; readonly op: Comparison; readonly slot: number }
  | { readonly is: 'null' | 'notNull' }
  | { readonly is: Quantifier; readonly of: FilterNode }
  /**
   * `slots`: those of the values, or where they are many one with the list of them.
   * `whole`: how many of the values are whole numbers, and so ids of entries rather than documentIds.
   */
  | {
      readonly is: 'all';
      readonly slots: readonly number[];
      readonly isList: boolean;
      readonly whole: 'all' | 'some' | 'none';
    }
  | {
      readonly is: 'count';
      readonly tests: readonly CountTest[];
      readonly where: FilterNode | null;
      /** Whether no entry at all passes the tests, which decides how to look for the others. */
      readonly zeroPasses: boolean;
      /** Whether that, or its opposite, is all that the tests ask. */
      readonly asksForAny: boolean;
    }
  /** A value inside a JSON attribute: the slot of the keys that lead to it, and how many they are. */
  | { readonly is: 'path'; readonly slot: number; readonly length: number; readonly of: FilterNode };

/** What a sort makes of the values, or of the entries, that a path leads to. */
export type SortAggregate = 'count' | 'min' | 'max' | 'avg';

export interface SortKey {
  readonly path: readonly string[];
  readonly aggregate: SortAggregate | null;
  readonly descending: boolean;
}

/** A page of each populated list. */
export interface PopulatePage {
  /** Slots of the number of entries to skip, and to show. */
  readonly start: number;
  readonly limit: number;
  readonly withCount: boolean;
}

export interface PopulateNode {
  readonly fields: readonly string[] | null;
  readonly filters: FilterNode | null;
  readonly sort: readonly SortKey[];
  readonly populate: PopulateShape;
  readonly count: boolean;
  /** Null where whole lists are asked for. */
  readonly page: PopulatePage | null;
  /** Fragments of a dynamic zone or a polymorphic relation, by uid; null where none are given. */
  readonly on: Readonly<Record<string, PopulateNode>> | null;
}

export interface PopulateShape {
  /** `*`: everything the type has, one level. */
  readonly all: boolean;
  /** By attribute name; null for one that is switched off, which must still be a name that exists. */
  readonly at: Readonly<Record<string, PopulateNode | null>>;
  /** Whether the names come from dotted paths, which may lead through a dynamic zone. */
  readonly dotted: boolean;
}

export type Status = 'draft' | 'published';
/** `any`: every row, whatever its status and locale. No parameter says so. */
export type RowStatus = Status | 'any';

export type PublicationFilter =
  | 'never-published'
  | 'has-published-version'
  | 'modified'
  | 'unmodified'
  | 'never-published-document'
  | 'has-published-version-document'
  | 'published-without-draft'
  | 'published-with-draft';

/** A page by cursor. */
export interface CursorShape {
  /** Null for the first page. */
  readonly place: CursorPlace | null;
  readonly withCount: boolean;
}

/** Where a page by cursor begins or ends: at the row whose sort keys had these values. */
export interface CursorPlace {
  /** What the list is sorted by, in short. */
  readonly digest: string;
  /** Whether the page ends before that row, rather than begins after it. */
  readonly backward: boolean;
  /** For each sort key, the id being the last: the slot of its value, or null where it is null. */
  readonly slots: readonly (number | null)[];
}

/** A part of a date or an instant, in UTC. */
export type DatePart = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'weekday' | 'date' | 'hour' | 'minute';

/** What entries are grouped by. */
export interface GroupPath {
  /** As the client wrote it. */
  readonly name: string;
  readonly path: readonly string[];
  readonly part: DatePart | null;
}

export type AggregateFunction = 'count' | 'distinct' | 'sum' | 'avg' | 'min' | 'max';

/** What is computed of each group; the path is empty for the number of its entries. */
export interface AggregateValue {
  readonly function: AggregateFunction;
  readonly path: readonly string[];
}

export interface AggregateShape {
  readonly group: readonly GroupPath[];
  readonly values: readonly AggregateValue[];
  readonly having: FilterNode | null;
  /** By names of groups, or of what is computed, such as `avg.rating`. */
  readonly sort: readonly { readonly name: string; readonly descending: boolean }[];
}

export interface ReadShape {
  readonly filters: FilterNode | null;
  readonly sort: readonly SortKey[];
  readonly fields: readonly string[] | null;
  readonly populate: PopulateShape;
  /** Whether the project says what is populated, not the request: what the caller may not read is then left out. */
  readonly populatesByDefault: boolean;
  /** Whether `localizations` of a type without locales are refused rather than empty. */
  readonly strict: boolean;
  readonly status: RowStatus;
  /** `all`, or the slot of a list of locale codes, or the default locale of the project. */
  readonly locale: 'default' | 'all' | number;
  readonly publication: PublicationFilter | null;
  /** Slot of the string to search for. */
  readonly search: number | null;
  /** Null for a page that is not asked for by cursor. */
  readonly cursor: CursorShape | null;
  /** What the entries of a list are counted by. */
  readonly facets: readonly GroupPath[];
  /** Null for a read of entries. */
  readonly aggregate: AggregateShape | null;
}

export interface Pagination {
  readonly mode: 'page' | 'offset' | 'cursor' | 'none';
  readonly start: number;
  readonly limit: number;
  readonly withCount: boolean;
}

export interface ReadRequest {
  readonly shape: ReadShape;
  readonly values: readonly unknown[];
  readonly pagination: Pagination;
  /** In which days and months begin for dates that are told from now; null for the time zone of the server. */
  readonly timezone: string | null;
}
