// `sort`: strings such as `'stars:desc,chef.name'`, lists of them, and objects.
import type { CallerKind, FollowedName, IsMany, IsUnknown, LeadsTo, NameOf, SortableName } from './attribute-names.ts';
import type { Described, Exact, Problem } from './problem.ts';
import type { AnyRegistry, AttributesOf } from './registry.ts';
import type { IsWide, Trim } from './text-lists.ts';
import type { OtherKeys, OtherText } from './typed-fields.ts';

export type SortDirection = 'asc' | 'desc' | 'ASC' | 'DESC';

export interface OpenSort {
  readonly [name: string]: SortDirection | OpenSort;
}

export type SortInput<R extends AnyRegistry, U, C extends CallerKind> =
  IsUnknown<R, U> extends true
    ? string | OpenSort | readonly (string | OpenSort)[]
    :
        | SortableName<AttributesOf<R, U>, C>
        | OtherText
        | (SortObject<R, U, C> & OtherKeys)
        | readonly (SortableName<AttributesOf<R, U>, C> | OtherText | (SortObject<R, U, C> & OtherKeys))[];

export type SortObject<R extends AnyRegistry, U, C extends CallerKind> = {
  readonly [K in SortableName<AttributesOf<R, U>, C>]?: SortDirection | Aggregates;
} & {
  readonly [K in FollowedName<AttributesOf<R, U>, C>]?:
    | SortObject<R, LeadsTo<AttributesOf<R, U>[K]>, C>
    | (IsMany<AttributesOf<R, U>[K]> extends true ? { readonly $count: SortDirection } : never);
} & Described<`something that ${NameOf<U>} can be sorted by`>;

/** Of the values that a path to many leads to. */
interface Aggregates extends Described<'a way to sort by all values; expected $min, $max or $avg'> {
  readonly $min?: SortDirection;
  readonly $max?: SortDirection;
  readonly $avg?: SortDirection;
}

export type CheckSort<R extends AnyRegistry, U, C extends CallerKind, O> =
  IsUnknown<R, U> extends true
    ? unknown
    : O extends string
      ? CheckText<R, U, C, O>
      : O extends readonly unknown[]
        ? { readonly [I in keyof O]: O[I] extends string ? CheckText<R, U, C, O[I]> : Exact<O[I], SortObject<R, U, C>> }
        : Exact<O, SortObject<R, U, C>>;

type CheckText<R extends AnyRegistry, U, C extends CallerKind, T extends string> =
  IsWide<T> extends true ? unknown : AsProblem<TextProblem<R, U, C, T>>;

type AsProblem<Message> = [Message] extends [never] ? unknown : Problem<Message & string>;

type TextProblem<
  R extends AnyRegistry,
  U,
  C extends CallerKind,
  T extends string,
> = T extends `${infer First},${infer Rest}`
  ? KeyProblem<R, U, C, Trim<First>> | TextProblem<R, U, C, Rest>
  : KeyProblem<R, U, C, Trim<T>>;

type KeyProblem<R extends AnyRegistry, U, C extends CallerKind, T extends string> = T extends ''
  ? never
  : T extends `${infer Path}:${infer Direction}`
    ? Lowercase<Trim<Direction>> extends 'asc' | 'desc'
      ? PathProblem<R, U, C, Path, false>
      : `'${Direction}' is no direction to sort in; expected asc or desc`
    : PathProblem<R, U, C, T, false>;

/** `Many`: whether the way here led through a relation to many. */
type PathProblem<
  R extends AnyRegistry,
  U,
  C extends CallerKind,
  P extends string,
  Many,
> = P extends `${infer Head}.${infer Tail}`
  ? Head extends SortableName<AttributesOf<R, U>, C>
    ? ValuesProblem<AttributesOf<R, U>[Head & keyof AttributesOf<R, U>], Tail, Many>
    : Head extends FollowedName<AttributesOf<R, U>, C>
      ? FollowedProblem<R, AttributesOf<R, U>[Head & keyof AttributesOf<R, U>], C, Tail, Many>
      : `${NameOf<U>} cannot be sorted by '${Head}'`
  : P extends SortableName<AttributesOf<R, U>, C>
    ? never
    : `${NameOf<U>} cannot be sorted by '${P}'`;

type FollowedProblem<
  R extends AnyRegistry,
  Attribute,
  C extends CallerKind,
  Tail extends string,
  Many,
> = Tail extends '$count'
  ? IsMany<Attribute> extends true
    ? never
    : "'$count' stands behind a relation to many, or a component that can be repeated"
  : PathProblem<R, LeadsTo<Attribute>, C, Tail, IsMany<Attribute> extends true ? true : Many>;

type ValuesProblem<Attribute, Tail extends string, Many> = Tail extends '$min' | '$max' | '$avg'
  ? Many extends true
    ? Tail extends '$avg'
      ? Attribute extends { readonly type: 'integer' | 'biginteger' | 'float' | 'decimal' }
        ? never
        : "'$avg' stands behind a number"
      : never
    : `'${Tail}' stands behind an attribute that a relation to many leads to`
  : `'${Tail}' leads nowhere: a value is no relation`;

/** Attributes of the entries themselves that they are sorted by: entries of a populated list show them. */
export type OwnSortNames<O> = O extends string
  ? IsWide<O> extends true
    ? never
    : OwnText<O>
  : O extends readonly (infer Item)[]
    ? OwnSortNames<Item>
    : { [K in keyof O]: O[K] extends string ? K : never }[keyof O];

type OwnText<T extends string> = T extends `${infer First},${infer Rest}`
  ? OwnKey<Trim<First>> | OwnText<Rest>
  : OwnKey<Trim<T>>;
type OwnKey<T extends string> = T extends `${infer Path}:${string}`
  ? OwnKey<Path>
  : T extends `${string}.${string}`
    ? never
    : T;
