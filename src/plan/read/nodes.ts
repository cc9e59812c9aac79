// The read plan: what will be read, as plain data. It holds no handles and no values, only slots, so it can be
// printed, compared, cached by the shape of the request and turned into SQL for any database.

import type { RuleValue } from '../../access/access.ts';
import type { Limits } from '../../limits.ts';
import type { LinkTable, ScalarType } from '../../model/types.ts';
import type {
  AggregateFunction,
  DatePart,
  PopulatePage,
  PublicationFilter,
  RowStatus,
  SortAggregate,
  Status,
} from '../../request/read-request.ts';

export interface ColumnRef {
  readonly column: string;
  readonly type: ScalarType;
  /** Leads to a value inside of JSON, which is meant instead of the whole. */
  readonly path?: JsonPath;
}

/** Keys of JSON: where a request, or a rule, lists them, and how many they are. */
export interface JsonPath {
  readonly slot: number;
  readonly given: RuleValue | null;
  readonly length: number;
  /** Never set; a path is a whole list. */
  readonly item?: undefined;
}

/** Comparisons that plans know; the negative ones of the request are these with `negated`. */
export type PlanComparison =
  | 'eq'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'in'
  | 'between'
  | 'eqi'
  | 'contains'
  | 'containsi'
  | 'startsWith'
  | 'startsWithi'
  | 'endsWith'
  | 'endsWithi'
  | 'has';

/** A client's value: its slot, the type it must be read as, and where it stood, for the message when it is not. */
export interface ValueRef {
  readonly slot: number;
  /** Which of several values is meant; all of them where it is left out. */
  readonly item?: number;
  /** The value of a rule, which takes the place of the client's. */
  readonly given: RuleValue | null;
  readonly type: ScalarType;
  /** No attribute was named: an entry is compared, by its id. */
  readonly ofEntry?: true;
  readonly op: PlanComparison;
  readonly key: string;
  readonly path: readonly string[];
  readonly param: string;
}

/** Another row of the same document. */
export interface Sibling {
  readonly status: Status;
  readonly sameLocale: boolean;
  /** Whether the draft of the two must have changed after the published one, must not have, or either. */
  readonly draftIsNewer: boolean | null;
}

/**
 * Conditions in negation normal form: negation stands at the leaves only, so a condition is met when it is true and
 * "unknown" can be treated as "not met" everywhere. `notTrue` is no negation: it is true of what is unknown.
 */
export type Condition =
  | { readonly is: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly is: 'never' }
  | {
      readonly is: 'compare';
      readonly column: ColumnRef;
      readonly op: PlanComparison;
      readonly negated: boolean;
      readonly value: ValueRef;
    }
  /** Compares with what the row of a cursor holds in the column, to the last digit. */
  | { readonly is: 'compareCursor'; readonly column: ColumnRef; readonly op: 'eq' | 'lt' | 'gt'; readonly slot: number }
  | { readonly is: 'null' | 'notNull'; readonly column: ColumnRef }
  /** Some related row meets `where`; with `orNone`, having no related row will do as well. */
  | { readonly is: 'related'; readonly step: RelationStep; readonly where: Condition | null; readonly orNone: boolean }
  | { readonly is: 'unrelated'; readonly step: RelationStep }
  /** No related row meets `where`. Unlike `unrelated`, unknown of the row of nulls, as all that follow here. */
  | { readonly is: 'none'; readonly step: RelationStep; readonly where: Condition | null }
  /** Among the related rows there are all values of a list. */
  | {
      readonly is: 'all';
      readonly step: RelationStep;
      readonly column: ColumnRef;
      readonly negated: boolean;
      readonly value: ValueRef;
    }
  /** The number of related rows that meet `where` passes all tests. */
  | {
      readonly is: 'count';
      readonly step: RelationStep;
      readonly where: Condition | null;
      readonly negated: boolean;
      readonly tests: readonly PlanCountTest[];
      /** Whether the condition is true where there is no such row; null where only the values of a user say so. */
      readonly trueOfZero: boolean | null;
    }
  /** The condition is false or unknown. It stands where a set is asked for rows that do not meet something. */
  | { readonly is: 'notTrue'; readonly where: Condition }
  /** Asked of the row that the step leads from, beside conditions on the row that it leads to. */
  | { readonly is: 'ofHolder'; readonly where: Condition }
  /** The user has the value that a rule compares with. */
  | { readonly is: 'given'; readonly value: ValueRef }
  | {
      readonly is: 'sibling';
      readonly table: string;
      readonly sibling: Sibling;
      /** What the other row must meet to be seen at all. */
      readonly where: Condition | null;
      readonly negated: boolean;
    }
  | { readonly is: 'locale'; readonly slot: number | null }
  | { readonly is: 'document' }
  /** The link leads to it from the row that is given when the plan runs. */
  | { readonly is: 'linked'; readonly link: LinkTable }
  | { readonly is: 'search'; readonly columns: readonly ColumnRef[]; readonly slot: number };

export interface PlanCountTest {
  readonly op: 'eq' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'between';
  readonly negated: boolean;
  readonly value: ValueRef;
}

/** A step from a row to its related rows, which must meet `where` to be seen at all (their status). */
export interface RelationStep {
  /** Null for the other locales of the same document. */
  readonly link: LinkTable | null;
  readonly table: string;
  readonly where: Condition | null;
  /** Only links are followed that hold one of these values in a column. */
  readonly among?: { readonly column: string; readonly values: readonly string[] };
}

/** Through steps that lead to many rows the smallest value counts ascending, the largest descending. */
export interface OrderKey {
  readonly steps: readonly RelationStep[];
  /** Whether a step after the first leads to many rows: then there are more paths than rows, and none is followed. */
  readonly branches: boolean;
  readonly column: ColumnRef;
  /** What is made of all values, or rows for a count; null for the smallest or the largest, by the direction. */
  readonly aggregate: OrderAggregate | null;
  readonly descending: boolean;
}

/** The step that leads to many rows is the one whose rows are counted or averaged; others lead to one. */
export interface OrderAggregate {
  readonly is: SortAggregate;
  readonly step: number;
}

export interface OutputColumn extends ColumnRef {
  readonly key: string;
}

export interface EntityPlan {
  readonly table: string;
  /** The first is always the row's id. */
  readonly columns: readonly OutputColumn[];
  readonly populate: readonly PopulatePlan[];
}

export interface RelatedPart {
  readonly step: RelationStep;
  readonly where: Condition | null;
  readonly entity: EntityPlan;
}

export type PopulatePlan =
  | {
      readonly kind: 'related';
      readonly key: string;
      readonly many: boolean;
      readonly count: boolean;
      readonly page: PopulatePage | null;
      readonly part: RelatedPart;
      readonly order: readonly OrderKey[];
    }
  /** Rows of several types in one list, each tagged with the uid of its type. */
  | {
      readonly kind: 'mixed';
      readonly key: string;
      readonly many: boolean;
      readonly count: boolean;
      readonly page: PopulatePage | null;
      readonly tag: '__component' | '__type';
      readonly parts: readonly (RelatedPart & { readonly uid: string })[];
    };

/** Rows beyond a cursor that an index can find and sort by itself. */
export interface KeysetSegment {
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
}

/** A page by cursor: the rows beyond it, in segments of which each comes after the one before. */
export interface KeysetPlan {
  /** Type and sort, in short, by which a cursor is known to belong here. */
  readonly digest: string;
  /** Where the values of the cursor are, a null for each that is null; null for the first page, which has no cursor. */
  readonly slots: readonly (number | null)[] | null;
  readonly backward: boolean;
  /** The order of the list, or the other way round for a page that ends at its cursor. */
  readonly order: readonly OrderKey[];
  readonly segments: readonly KeysetSegment[];
  /** Whether an index leads to each segment and nothing is counted, so that no row before the page is read. */
  readonly isIndexed: boolean;
}

/** Rows beside an entry that groups and values are taken of. */
export interface AggregatePlace {
  readonly steps: readonly RelationStep[];
  /** Whether one entry can have several. It then counts once for each value that they have. */
  readonly multiplies: boolean;
  /** Whether no two of them have the same keys, so that none has to be left out. */
  readonly differ: boolean;
}

/** A column of the entry itself, or of the rows at a place, by its number. */
export interface AggregateColumn extends ColumnRef {
  readonly place: number | null;
}

export interface GroupKeyPlan {
  /** As the response shows it. */
  readonly name: string;
  readonly column: AggregateColumn;
  readonly part: DatePart | null;
  /** Of what is shown. */
  readonly type: ScalarType;
}

export interface AggregateValuePlan {
  readonly function: AggregateFunction;
  readonly name: string;
  /** Null for the number of entries. */
  readonly column: AggregateColumn | null;
  /** Of what is shown. */
  readonly type: ScalarType;
}

export interface AggregateOrder {
  readonly of: 'key' | 'value';
  readonly index: number;
  readonly descending: boolean;
}

export interface AggregatePlan {
  readonly places: readonly AggregatePlace[];
  readonly keys: readonly GroupKeyPlan[];
  readonly values: readonly AggregateValuePlan[];
  /** On values, by the names of their columns. */
  readonly having: Condition | null;
  readonly order: readonly AggregateOrder[];
  /** Groups of fewer entries are not shown. */
  readonly smallest: number;
}

/** The values of an attribute, each with the number of entries that have it. */
export interface FacetPlan {
  readonly name: string;
  readonly aggregate: AggregatePlan;
}

/** How large an answer may be. */
export type AnswerLimits = Pick<Limits, 'populatedRows' | 'populatedCharacters' | 'pageBytes'>;

export interface ReadPlan {
  readonly uid: string;
  readonly where: Condition | null;
  readonly order: readonly OrderKey[];
  /** The link whose order comes before `order`; null where none does. */
  readonly position: LinkTable | null;
  /** Null where the page is not asked for by cursor. */
  readonly keyset: KeysetPlan | null;
  readonly entity: EntityPlan;
  /** Null where entries are read, not groups of them. */
  readonly aggregate: AggregatePlan | null;
  readonly facets: readonly FacetPlan[];
  readonly status: RowStatus;
  readonly publication: PublicationFilter | null;
  /** Uids of every type whose rows the plan reads or filters by. */
  readonly touches: readonly string[];
  /** Paths of relations that `*` left out, as the caller may not find their targets. */
  readonly omitted: readonly string[];
  /** What the request probably means but does not say, in words. */
  readonly hints: readonly string[];
  readonly limits: AnswerLimits;
}
