// `filters`: conditions on attributes, each with the operators that fit its type, to any depth through relations.
import type { CallerKind, FieldName, FollowedName, IsMany, IsUnknown, LeadsTo, NameOf } from './attribute-names.ts';
import type { Described, Problem } from './problem.ts';
import type { AnyRegistry, AttributesOf } from './registry.ts';
import type { GivenValue } from './typed-values.ts';

type OneOrMore<T> = T | readonly T[];

interface Presence {
  readonly $null?: boolean;
  readonly $notNull?: boolean;
}

interface Equality<T> {
  readonly $eq?: OneOrMore<T | null>;
  readonly $ne?: OneOrMore<T | null>;
  readonly $in?: OneOrMore<T | null>;
  readonly $notIn?: OneOrMore<T | null>;
}

interface Order<T> {
  readonly $lt?: T;
  readonly $lte?: T;
  readonly $gt?: T;
  readonly $gte?: T;
  readonly $between?: readonly [T, T];
}

interface TextSearch {
  readonly $eqi?: OneOrMore<string>;
  readonly $nei?: OneOrMore<string>;
  readonly $contains?: OneOrMore<string>;
  readonly $notContains?: OneOrMore<string>;
  readonly $containsi?: OneOrMore<string>;
  readonly $notContainsi?: OneOrMore<string>;
  readonly $startsWith?: OneOrMore<string>;
  readonly $startsWithi?: OneOrMore<string>;
  readonly $endsWith?: OneOrMore<string>;
  readonly $endsWithi?: OneOrMore<string>;
}

/** The same operators again, together. */
interface Together<T> {
  readonly $and?: OneOrMore<T>;
  readonly $or?: OneOrMore<T>;
  readonly $not?: OneOrMore<T>;
}

/** Of values of all related entries: there is one for each of these. */
interface AllOf<T> {
  readonly $all?: OneOrMore<T>;
}

export interface TextFilter<T = string>
  extends Presence,
    Equality<T>,
    Order<string>,
    TextSearch,
    AllOf<T>,
    Together<TextFilter<T> | T | null>,
    Described<'an operator for text'> {}

export interface EnumerationFilter<T>
  extends Presence,
    Equality<T>,
    TextSearch,
    AllOf<T>,
    Together<EnumerationFilter<T> | T | null>,
    Described<'an operator for an enumeration'> {}

/** For numbers, dates and times. */
export interface OrderedFilter<T, Words extends string>
  extends Presence,
    Equality<T>,
    Order<T>,
    AllOf<T>,
    Together<OrderedFilter<T, Words> | T | null>,
    Described<`an operator for ${Words}`> {}

export interface BooleanFilter
  extends Presence,
    Equality<boolean>,
    AllOf<boolean>,
    Together<BooleanFilter | boolean | null>,
    Described<'an operator for true and false'> {}

type JsonOperand = string | number | boolean;

export interface JsonFilter
  extends Presence,
    Equality<JsonOperand>,
    TextSearch,
    Together<JsonFilter | JsonOperand | null>,
    Described<'an operator for JSON, which has no order'> {
  /** Whether a list holds a value. */
  readonly $has?: OneOrMore<JsonOperand>;
  /** Conditions on what is inside, by its keys. */
  readonly $at?: JsonPathFilter;
}

/** A value inside of JSON. It may be of any type, so every operator stands there. */
export interface JsonInnerOperators extends Presence, Equality<JsonOperand>, Order<string | number>, TextSearch {
  readonly $has?: OneOrMore<JsonOperand>;
}

export interface JsonPathFilter extends JsonInnerOperators {
  readonly $and?: OneOrMore<JsonPathFilter>;
  readonly $or?: OneOrMore<JsonPathFilter>;
  readonly $not?: OneOrMore<JsonPathFilter>;
  readonly [key: string]:
    | JsonPathFilter
    | JsonOperand
    | null
    | readonly (JsonPathFilter | JsonOperand | null)[]
    | undefined;
}

type NumberType = 'integer' | 'float' | 'decimal';

type OperatorsOf<Attribute> = Attribute extends { readonly values: infer V }
  ? EnumerationFilter<V>
  : Attribute extends { readonly type: 'json' | 'blocks' }
    ? JsonFilter
    : Attribute extends { readonly type: NumberType }
      ? OrderedFilter<number, 'numbers'>
      : Attribute extends { readonly type: 'biginteger' }
        ? OrderedFilter<number | bigint | string, 'numbers'>
        : Attribute extends { readonly type: 'boolean' }
          ? BooleanFilter
          : Attribute extends { readonly type: 'date' | 'datetime' | 'timestamp' }
            ? OrderedFilter<GivenValue<Attribute>, 'dates'>
            : Attribute extends { readonly type: 'time' }
              ? OrderedFilter<string, 'times'>
              : TextFilter;

type ValueOf<Attribute> = Attribute extends { readonly type: 'json' | 'blocks' } ? JsonOperand : GivenValue<Attribute>;

interface WithoutAll {
  readonly $all?: Problem<"'$all' stands behind a relation to many">;
}

/** `$all` speaks of many values, so of those that a relation to many leads to. */
type OnScalar<Attribute, Many> = Many extends true ? OperatorsOf<Attribute> : OperatorsOf<Attribute> & WithoutAll;

type ScalarFilter<Attribute, Many> =
  | ValueOf<Attribute>
  | null
  | readonly (ValueOf<Attribute> | null)[]
  | OnScalar<Attribute, Many>;

type CountFilter<F> =
  | OneOrMore<number>
  | (Equality<number> & Order<number> & { readonly where?: F } & Described<'an operator for a number of entries'>);

type RowReference = number | readonly number[];

/** What is said of all related entries together. */
interface SetOperators<F> {
  readonly $some?: F | RowReference;
  readonly $none?: F | RowReference;
  readonly $every?: F | RowReference;
}

interface ManyOperators<F> extends SetOperators<F> {
  readonly $all?: OneOrMore<number | string>;
  readonly $count?: CountFilter<F>;
}

/** A relation compares by the `id` of what it leads to. */
type RelationFilter<R extends AnyRegistry, Attribute, C extends CallerKind> =
  | RowReference
  | null
  | (IsMany<Attribute> extends true ? FiltersToMany<R, LeadsTo<Attribute>, C> : FiltersToOne<R, LeadsTo<Attribute>, C>);

type FiltersToMany<R extends AnyRegistry, U, C extends CallerKind> = Conditions<R, U, C, true> &
  Presence &
  Equality<number> &
  ManyOperators<FiltersOfOne<R, U, C>> &
  Together<FiltersToMany<R, U, C>>;

type FiltersToOne<R extends AnyRegistry, U, C extends CallerKind> = Conditions<R, U, C, false> &
  Presence &
  Equality<number> &
  SetOperators<FiltersOfOne<R, U, C>> &
  Together<FiltersToOne<R, U, C>>;

/** One of the related entries. */
type FiltersOfOne<R extends AnyRegistry, U, C extends CallerKind> = Conditions<R, U, C, false> &
  Presence &
  Equality<number> &
  Together<FiltersOfOne<R, U, C>>;

type FiltersOfEntry<R extends AnyRegistry, U, C extends CallerKind> = Conditions<R, U, C, false> &
  Together<FiltersOfEntry<R, U, C>>;

/** `Many`: whether a relation to many leads here. */
type Conditions<R extends AnyRegistry, U, C extends CallerKind, Many> = {
  readonly [K in FieldName<AttributesOf<R, U>, C>]?: ScalarFilter<AttributesOf<R, U>[K], Many>;
} & {
  readonly [K in FollowedName<AttributesOf<R, U>, C>]?: RelationFilter<R, AttributesOf<R, U>[K], C>;
} & Described<`an attribute of ${NameOf<U>} to filter by, or an operator that fits`>;

export type FilterValue = string | number | bigint | boolean | Date | null;

/** Where the model is not known. */
export interface OpenFilters {
  readonly [name: string]: OpenFilters | FilterValue | readonly (OpenFilters | FilterValue)[] | undefined;
}

export type Filters<R extends AnyRegistry, U, C extends CallerKind> =
  IsUnknown<R, U> extends true ? OpenFilters : FiltersOfEntry<R, U, C>;
