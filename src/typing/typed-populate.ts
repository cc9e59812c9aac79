// `populate`: `*`, names and paths in strings and lists, and objects with options, each checked against the model.
import type { CallerKind, FieldName, IsMany, IsUnknown, LeadsTo, NameOf, PopulatableName } from './attribute-names.ts';
import type { Exact, Problem } from './problem.ts';
import type { AnyRegistry, AttributesOf } from './registry.ts';
import type { IsWide, Trim } from './text-lists.ts';
import type { CheckFields, FieldsInput, OtherKeys, OtherText } from './typed-fields.ts';
import type { Filters, OpenFilters } from './typed-filters.ts';
import type { CheckSort, OpenSort, SortInput } from './typed-sort.ts';

/** A part of each list; with `withCount` in an envelope of its own. */
export interface PopulatePage {
  readonly start?: number;
  readonly limit?: number;
  readonly withCount?: boolean;
}

export interface OpenPopulateOptions {
  readonly fields?: string | readonly string[];
  readonly filters?: OpenFilters;
  readonly sort?: string | OpenSort | readonly (string | OpenSort)[];
  readonly populate?: OpenPopulate;
  readonly count?: boolean;
  readonly pagination?: PopulatePage;
  readonly on?: Readonly<Record<string, boolean | OpenPopulateOptions>>;
}

/** Where the model is not known. */
export type OpenPopulate =
  | string
  | boolean
  | readonly string[]
  | Readonly<Record<string, boolean | '*' | OpenPopulateOptions>>;

export type PopulateInput<R extends AnyRegistry, U, C extends CallerKind> =
  IsUnknown<R, U> extends true
    ? OpenPopulate
    :
        | '*'
        | boolean
        | PopulatableName<AttributesOf<R, U>, C>
        | OtherText
        | readonly (PopulatableName<AttributesOf<R, U>, C> | OtherText)[]
        | (PopulateObject<R, U, C> & OtherKeys);

export type PopulateObject<R extends AnyRegistry, U, C extends CallerKind> = {
  readonly [K in PopulatableName<AttributesOf<R, U>, C>]?: boolean | '*' | OptionsOf<R, AttributesOf<R, U>[K], C>;
};

type OptionsOf<R extends AnyRegistry, Attribute, C extends CallerKind> = Attribute extends {
  readonly type: 'dynamiczone' | 'morph';
}
  ? MixedOptions<R, LeadsTo<Attribute>, C>
  : RelatedOptions<R, LeadsTo<Attribute>, C>;

/** Of a relation, a component or media. */
export interface RelatedOptions<R extends AnyRegistry, U, C extends CallerKind> {
  readonly fields?: FieldsInput<R, U, C>;
  readonly filters?: Filters<R, U, C>;
  readonly sort?: SortInput<R, U, C>;
  readonly populate?: PopulateInput<R, U, C>;
  /** Gives `{ count }` in the place of entries. */
  readonly count?: boolean;
  readonly pagination?: PopulatePage;
}

/** Of a dynamic zone, or of a relation to several types. */
export interface MixedOptions<R extends AnyRegistry, U, C extends CallerKind> {
  /** By component, or by type: those that are not named are left out. */
  readonly on?: Fragments<R, U, C>;
  readonly populate?: '*' | boolean | OtherText | readonly string[];
  readonly count?: boolean;
  readonly pagination?: PopulatePage;
}

type Fragments<R extends AnyRegistry, U, C extends CallerKind> = {
  readonly [K in U & string]?: boolean | '*' | FragmentOptions<R, K, C>;
};

export interface FragmentOptions<R extends AnyRegistry, U, C extends CallerKind> {
  readonly fields?: FieldsInput<R, U, C>;
  readonly filters?: Filters<R, U, C>;
  readonly populate?: PopulateInput<R, U, C>;
}

/** What of a populate is wrong, in the place where it stands. */
export type CheckPopulate<R extends AnyRegistry, U, C extends CallerKind, Q> =
  IsUnknown<R, U> extends true
    ? unknown
    : Q extends string
      ? CheckPaths<R, U, C, Q>
      : Q extends readonly (infer Path)[]
        ? [Exclude<Path, PopulatableName<AttributesOf<R, U>, C>>] extends [never]
          ? unknown
          : { readonly [I in keyof Q]: Q[I] extends string ? CheckPaths<R, U, C, Q[I]> : unknown }
        : Q extends object
          ? {
              readonly [K in keyof Q]: K extends PopulatableName<AttributesOf<R, U>, C>
                ? CheckNode<R, AttributesOf<R, U>[K & keyof AttributesOf<R, U>], C, Q[K]>
                : Problem<`'${K & string}' is not a relation, component, dynamic zone or media of ${NameOf<U>}`>;
            }
          : unknown;

type CheckNode<R extends AnyRegistry, Attribute, C extends CallerKind, N> = N extends string
  ? unknown
  : N extends object
    ? Attribute extends { readonly type: 'dynamiczone' | 'morph' }
      ? CheckMixed<R, LeadsTo<Attribute>, C, N, IsMany<Attribute>>
      : CheckRelated<R, LeadsTo<Attribute>, C, N, IsMany<Attribute>>
    : unknown;

type CheckRelated<R extends AnyRegistry, U, C extends CallerKind, N, Many> = {
  readonly [K in keyof N]: K extends 'fields'
    ? CheckFields<R, U, C, N[K]>
    : K extends 'populate'
      ? CheckPopulate<R, U, C, N[K]>
      : K extends 'filters'
        ? Exact<N[K], Filters<R, U, C>>
        : K extends 'sort'
          ? CheckSort<R, U, C, N[K]>
          : K extends 'count' | 'pagination'
            ? CheckAmount<K, N, Many>
            : K extends 'on'
              ? Problem<"'on' is for dynamic zones and relations to several types">
              : Problem<`'${K & string}' is not an option of populate; expected fields, filters, sort, populate, count or pagination`>;
};

/** The number of entries, or a page of them. */
type CheckAmount<K, N, Many> = K extends 'pagination'
  ? Many extends true
    ? N extends { readonly count: true }
      ? Problem<"'pagination' and 'count' exclude each other">
      : unknown
    : Problem<"'pagination' is for what leads to many entries">
  : unknown;

type CheckMixed<R extends AnyRegistry, U, C extends CallerKind, N, Many> = {
  readonly [K in keyof N]: K extends 'on'
    ? CheckFragments<R, U, C, N[K]>
    : K extends 'populate'
      ? N[K] extends boolean
        ? unknown
        : CheckMixedPaths<R, U, C, N[K]>
      : K extends 'count' | 'pagination'
        ? CheckAmount<K, N, Many>
        : Problem<`'${K & string}' is not for entries of several types; write it in a fragment, under 'on'`>;
};

/** Fragments of one zone may be used for another: of the components of a project, those that a zone lacks count for nothing. */
type CheckFragments<R extends AnyRegistry, U, C extends CallerKind, On> = {
  readonly [K in keyof On]: K extends U | keyof R['components']
    ? CheckFragment<R, K, C, On[K]>
    : Problem<`'${K & string}' is not one of the types here; expected ${U & string}`>;
};

type CheckFragment<R extends AnyRegistry, U, C extends CallerKind, N> = N extends object
  ? {
      readonly [K in keyof N]: K extends 'fields'
        ? CheckFields<R, U, C, N[K]>
        : K extends 'populate'
          ? CheckPopulate<R, U, C, N[K]>
          : K extends 'filters'
            ? Exact<N[K], Filters<R, U, C>>
            : Problem<`'${K & string}' is not an option of a fragment; expected fields, filters or populate`>;
    }
  : unknown;

type AsProblem<Message> = [Message] extends [never] ? unknown : Problem<Message & string>;

type CheckPaths<R extends AnyRegistry, U, C extends CallerKind, T extends string> =
  IsWide<T> extends true ? unknown : T extends '*' | 'false' ? unknown : AsProblem<PathsProblem<R, U, C, T>>;

type PathsProblem<
  R extends AnyRegistry,
  U,
  C extends CallerKind,
  T extends string,
> = T extends `${infer First},${infer Rest}`
  ? PathProblem<R, U, C, Trim<First>> | PathsProblem<R, U, C, Rest>
  : PathProblem<R, U, C, Trim<T>>;

type PathProblem<R extends AnyRegistry, U, C extends CallerKind, P extends string> = P extends ''
  ? never
  : P extends `${infer Head}.${infer Tail}`
    ? Head extends PopulatableName<AttributesOf<R, U>, C>
      ? TailProblem<R, AttributesOf<R, U>[Head & keyof AttributesOf<R, U>], C, Tail>
      : NotPopulated<Head, U>
    : P extends PopulatableName<AttributesOf<R, U>, C>
      ? never
      : NotPopulated<P, U>;

type NotPopulated<
  Name extends string,
  U,
> = `'${Name}' is not a relation, component, dynamic zone or media of ${NameOf<U>}`;

type TailProblem<R extends AnyRegistry, Attribute, C extends CallerKind, Tail extends string> = Attribute extends {
  readonly type: 'dynamiczone' | 'morph';
}
  ? MixedPathProblem<R, LeadsTo<Attribute>, C, Tail>
  : PathProblem<R, LeadsTo<Attribute>, C, Tail>;

/** Below a zone it is enough that one of its components has the name; a value at the end of a path is there anyway. */
type MixedPathProblem<R extends AnyRegistry, U, C extends CallerKind, P extends string> =
  true extends HasPath<R, U, C, P> ? never : `'${P}' leads nowhere: none of ${U & string} has it`;

type HasPath<R extends AnyRegistry, U, C extends CallerKind, P extends string> = U extends string
  ? P extends FieldName<AttributesOf<R, U>, C>
    ? true
    : [PathProblem<R, U, C, P>] extends [never]
      ? true
      : false
  : never;

type CheckMixedPaths<R extends AnyRegistry, U, C extends CallerKind, Q> = Q extends string
  ? CheckMixedText<R, U, C, Q>
  : Q extends readonly unknown[]
    ? { readonly [I in keyof Q]: Q[I] extends string ? CheckMixedText<R, U, C, Q[I]> : unknown }
    : Problem<"entries of several types are populated by '*' and by paths; write objects in fragments, under 'on'">;

type CheckMixedText<R extends AnyRegistry, U, C extends CallerKind, T extends string> =
  IsWide<T> extends true ? unknown : T extends '*' ? unknown : AsProblem<MixedTextProblem<R, U, C, T>>;

type MixedTextProblem<
  R extends AnyRegistry,
  U,
  C extends CallerKind,
  T extends string,
> = T extends `${infer First},${infer Rest}`
  ? MixedPathProblem<R, U, C, Trim<First>> | MixedTextProblem<R, U, C, Rest>
  : MixedPathProblem<R, U, C, Trim<T>>;
