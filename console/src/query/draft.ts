// A read of the API as it is built: what a query string says, taken apart so that it can be shown and changed. Values
// are strings, as in a query string. What cannot be taken apart is kept as it was written, in its place.
import type { QueryValue } from '../../../src/client/query-text.ts';

/** How many of the related entries must meet a condition; null where the request does not say: one is enough. */
export type SetWord = 'some' | 'none' | 'every';

/** One name on the way to a value. */
export interface Step {
  readonly name: string;
  readonly set: SetWord | null;
}

export const OPERATORS = [
  '$eq',
  '$ne',
  '$eqi',
  '$nei',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$in',
  '$notIn',
  '$between',
  '$contains',
  '$notContains',
  '$containsi',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
  '$has',
  '$all',
  '$null',
  '$notNull',
] as const;
export type Operator = (typeof OPERATORS)[number];

export const COUNT_OPERATORS = [
  '$eq',
  '$ne',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$in',
  '$notIn',
  '$between',
] as const satisfies readonly Operator[];
export type CountOperator = (typeof COUNT_OPERATORS)[number];

export type Join = 'and' | 'or';

/** Conditions that hold together, or of which one is enough. */
export interface Group {
  readonly kind: 'group';
  readonly join: Join;
  readonly negated: boolean;
  readonly of: readonly FilterDraft[];
}

/** Conditions on one and the same related entry: that to which `path` leads. */
export interface Scope {
  readonly kind: 'scope';
  readonly path: readonly Step[];
  readonly join: Join;
  readonly of: readonly FilterDraft[];
}

/** A comparison. The path is empty where it is about the entry of the scope itself. */
export interface Test {
  readonly kind: 'test';
  readonly path: readonly Step[];
  /** Keys that lead to a value inside of JSON. */
  readonly at: readonly string[];
  readonly op: Operator;
  /** None: it is not complete yet, and not sent. */
  readonly values: readonly string[];
}

/** A comparison of the number of related entries, perhaps of those only that meet conditions. */
export interface Count {
  readonly kind: 'count';
  readonly path: readonly Step[];
  readonly op: CountOperator;
  readonly values: readonly string[];
  readonly where: readonly FilterDraft[];
}

/** A condition that cannot be shown, as it was written. */
export interface Raw {
  readonly kind: 'raw';
  readonly key: string;
  readonly value: QueryValue;
}

export type FilterDraft = Group | Scope | Test | Count | Raw;

export type SortAggregate = 'count' | 'min' | 'max' | 'avg';

export interface SortDraft {
  readonly path: readonly string[];
  readonly aggregate: SortAggregate | null;
  readonly descending: boolean;
}

export interface PopulateDraft {
  /** Everything that there is, one level deep. Then there are no others. */
  readonly all: boolean;
  readonly at: readonly PopulateItem[];
}

export interface PopulateItem {
  readonly name: string;
  readonly node: PopulateNode;
}

export interface PopulateNode {
  /** Null for all. */
  readonly fields: readonly string[] | null;
  readonly filters: readonly FilterDraft[];
  readonly sort: readonly SortDraft[];
  readonly populate: PopulateDraft;
  /** Whether only their number is asked for. */
  readonly count: boolean;
  /** `start`, `limit` and `withCount`, as far as they are given. */
  readonly page: Readonly<Record<string, string>>;
  /** Of a dynamic zone, by uid of the component. */
  readonly on: readonly PopulateItem[];
  /** Options that are kept as they were written. */
  readonly other: Readonly<Record<string, QueryValue>>;
}

export interface ReadDraft {
  /** The path of the content-type below the prefix. */
  readonly type: string;
  /** What follows it in the path, such as `/aggregate` or `/<documentId>`; empty for a list. */
  readonly below: string;
  /** All of them hold. */
  readonly filters: readonly FilterDraft[];
  readonly sort: readonly SortDraft[];
  /** Null for all. */
  readonly fields: readonly string[] | null;
  readonly populate: PopulateDraft;
  /** `page` and `pageSize`, or the other forms, as far as they are given. */
  readonly pagination: Readonly<Record<string, string>>;
  readonly status: 'draft' | 'published' | null;
  readonly locale: readonly string[];
  readonly q: string;
  /** Parameters that are kept as they were written. */
  readonly other: Readonly<Record<string, QueryValue>>;
}

export const NO_POPULATE: PopulateDraft = { all: false, at: [] };

export const PLAIN_POPULATE: PopulateNode = {
  fields: null,
  filters: [],
  sort: [],
  populate: NO_POPULATE,
  count: false,
  page: {},
  on: [],
  other: {},
};

export const emptyDraft = (type: string): ReadDraft => ({
  type,
  below: '',
  filters: [],
  sort: [],
  fields: null,
  populate: NO_POPULATE,
  pagination: {},
  status: null,
  locale: [],
  q: '',
  other: {},
});

export const step = (name: string, set: SetWord | null = null): Step => ({ name, set });

export const group = (join: Join, of: readonly FilterDraft[], negated = false): Group => ({
  kind: 'group',
  join,
  negated,
  of,
});

export const test = (
  path: readonly Step[],
  op: Operator,
  values: readonly string[],
  at: readonly string[] = [],
): Test => ({
  kind: 'test',
  path,
  at,
  op,
  values,
});

/** A range has two ends. */
export const hasBoth = (values: readonly string[]): boolean => values.length === 2 && !values.includes('');

/** Whether it can be sent: it has values, or conditions that can be. */
export function isComplete(node: FilterDraft): boolean {
  switch (node.kind) {
    case 'group':
    case 'scope':
      return node.of.some(isComplete);
    case 'test':
    case 'count':
      return node.op === '$between' ? hasBoth(node.values) : node.values.length > 0;
    case 'raw':
      return true;
  }
}
