// What a read returns: the fields that it names, or all, and what it populates, to any depth.
import type { CallerKind, IsMany, IsUnknown, LeadsTo, PopulatableName } from './attribute-names.ts';
import type { AnyRegistry, AttributesOf, HasDrafts } from './registry.ts';
import type { IsWide, Parts } from './text-lists.ts';
import type { AlwaysShown, ChosenFields, IsWideFields } from './typed-fields.ts';
import type { OwnSortNames } from './typed-sort.ts';
import type { ShownValue } from './typed-values.ts';

/** An entry of which nothing is known but its ids. */
export interface OpenEntry {
  readonly id: number;
  readonly documentId: string;
  readonly [attribute: string]: unknown;
}

/** Where a read stands: who asks, and whether drafts, which may lack what published entries have, are read. */
export interface ReadMode {
  readonly caller: CallerKind;
  readonly drafts: boolean;
}

/** What of a read decides about its result. */
interface Selected {
  readonly fields?: unknown;
  readonly populate?: unknown;
  readonly sort?: unknown;
}

/** An entry of a content-type. */
export type EntryOf<R extends AnyRegistry, U, M extends ReadMode, F, Q> =
  IsUnknown<R, U> extends true ? OpenEntry : Shaped<R, U, M, F, Q, IsDraft<R, U, M>>;

/** Whether entries of a type may be incomplete. */
type IsDraft<R extends AnyRegistry, U, M extends ReadMode> = HasDrafts<R, U> extends true ? M['drafts'] : false;

/** `Loose`: whether what is required may be missing, as in a draft. */
type Shaped<R extends AnyRegistry, U, M extends ReadMode, F, Q, Loose> =
  IsWideFields<F> extends true ? WideEntry<R, U, M, Q, Loose> : ExactEntry<R, AttributesOf<R, U>, M, F, Q, Loose>;

type ExactEntry<R extends AnyRegistry, A, M extends ReadMode, F, Q, Loose> = Members<
  R,
  A,
  M,
  ChosenFields<A, M['caller'], F> | PopulatedName<A, M['caller'], Q>,
  Q,
  Loose
>;

/** `Names`: those that are shown. Behind a condition, so that the compiler shows the members and not this name. */
type Members<R extends AnyRegistry, A, M extends ReadMode, Names, Q, Loose> = A extends object
  ? {
      -readonly [K in keyof A as K extends Names ? K : never]: A[K] extends { readonly type: Leading }
        ? Populated<R, A[K], M, NodeOf<Q, K>, Loose>
        : Scalar<A[K], Loose>;
    }
  : never;

type Leading = 'relation' | 'media' | 'component' | 'dynamiczone' | 'morph';

/** Which fields there are, only the running program knows. */
type WideEntry<R extends AnyRegistry, U, M extends ReadMode, Q, Loose> = Partial<
  ExactEntry<R, AttributesOf<R, U>, M, undefined, undefined, Loose>
> &
  ExactEntry<R, AttributesOf<R, U>, M, readonly AlwaysShown<AttributesOf<R, U>>[], Q, Loose>;

type Scalar<Attribute, Loose> = Attribute extends { readonly always: true }
  ? ShownValue<Attribute>
  : Attribute extends { readonly required: true }
    ? Loose extends false
      ? ShownValue<Attribute>
      : ShownValue<Attribute> | null
    : ShownValue<Attribute> | null;

/** The first names of what is populated. */
type PopulatedName<A, C extends CallerKind, Q> = [Q] extends [undefined]
  ? never
  : Q extends '*' | true
    ? PopulatableName<A, C>
    : Q extends string
      ? Heads<A, C, Q>
      : Q extends readonly (infer Path)[]
        ? Path extends string
          ? Heads<A, C, Path>
          : never
        : Q extends object
          ? { [K in keyof Q]: Q[K] extends false | undefined ? never : K }[keyof Q] & PopulatableName<A, C>
          : never;

type Heads<A, C extends CallerKind, T extends string> =
  IsWide<T> extends true ? never : HeadOf<Parts<T>> & PopulatableName<A, C>;
type HeadOf<P extends string> = P extends `${infer Head}.${string}` ? Head : P;

/** What is asked of one populated attribute: its options, with the rest of paths as a list of paths. */
type NodeOf<Q, K> = Q extends '*' | true
  ? true
  : Q extends string
    ? { readonly populate: readonly TailOf<Parts<Q>, K>[] }
    : Q extends readonly (infer Path)[]
      ? { readonly populate: readonly TailOf<Path extends string ? Parts<Path> : never, K>[] }
      : K extends keyof Q
        ? Q[K] extends '*'
          ? { readonly populate: '*' }
          : Q[K]
        : true;

type TailOf<P extends string, K> = P extends `${infer Head}.${infer Tail}` ? (Head extends K ? Tail : never) : never;

type OptionOf<N, Name extends keyof Selected | 'on'> = N extends { readonly [K in Name]: infer Option }
  ? Option
  : undefined;

/** Where only the running program knows whether it is populated, it may be missing. */
type Populated<R extends AnyRegistry, Attribute, M extends ReadMode, N, Loose> = [N] extends [boolean]
  ? [boolean] extends [N]
    ? Entries<R, Attribute, M, true, Loose> | undefined
    : Entries<R, Attribute, M, N, Loose>
  : Entries<R, Attribute, M, N, Loose>;

type Entries<R extends AnyRegistry, Attribute, M extends ReadMode, N, Loose> = N extends { readonly count: true }
  ? { count: number }
  : N extends { readonly pagination: { readonly withCount: true } }
    ? {
        data: One<R, Attribute, M, N, Loose>[];
        meta: { pagination: { start: number; limit: number; total: number } };
      }
    : IsMany<Attribute> extends true
      ? One<R, Attribute, M, N, Loose>[]
      : One<R, Attribute, M, N, Loose> | Absent<Attribute, Loose>;

/** A component that is required is there in every published entry. */
type Absent<Attribute, Loose> = Attribute extends { readonly type: 'component'; readonly required: true }
  ? Loose extends false
    ? never
    : null
  : null;

type One<R extends AnyRegistry, Attribute, M extends ReadMode, N, Loose> = Attribute extends {
  readonly type: 'dynamiczone';
}
  ? Mixed<R, LeadsTo<Attribute>, M, N, '__component', Loose>
  : Attribute extends { readonly type: 'morph' }
    ? Mixed<R, LeadsTo<Attribute>, M, N, '__type', Loose>
    : Attribute extends { readonly type: 'component' }
      ? Shaped<R, LeadsTo<Attribute>, M, WithSort<N>, OptionOf<N, 'populate'>, Loose>
      : EntryOf<R, LeadsTo<Attribute>, M, WithSort<N>, OptionOf<N, 'populate'>>;

/** Entries of a populated list show what they are sorted by as well. */
type WithSort<N> =
  OptionOf<N, 'fields'> extends infer F
    ? [F] extends [undefined]
      ? undefined
      : OptionOf<N, 'sort'> extends infer O
        ? [O] extends [undefined]
          ? F
          : AddNames<F, OwnSortNames<O>>
        : never
    : never;

type AddNames<F, Names> = [Names] extends [never]
  ? F
  : F extends string
    ? readonly (Parts<F> | Names)[]
    : F extends readonly []
      ? F
      : F extends readonly (infer Name)[]
        ? readonly (Name | Names)[]
        : F;

/** A union over the types that a zone, or a relation to several types, leads to. */
type Mixed<R extends AnyRegistry, U, M extends ReadMode, N, Tag extends string, Loose> = U extends string
  ? N extends { readonly on: infer On }
    ? U extends keyof On
      ? On[U] extends false | undefined
        ? never
        : Tagged<R, U, M, OptionOf<On[U], 'fields'>, FragmentPopulate<On[U]>, Tag, Loose>
      : never
    : Tagged<R, U, M, undefined, MixedPopulate<R, U, M['caller'], OptionOf<N, 'populate'>>, Tag, Loose>
  : never;

type FragmentPopulate<N> = N extends '*' ? '*' : OptionOf<N, 'populate'>;

/** Of a path below a zone, the part that a component has. */
type MixedPopulate<R extends AnyRegistry, U, C extends CallerKind, Q> = Q extends '*' | true
  ? '*'
  : Q extends string
    ? readonly OwnPaths<AttributesOf<R, U>, C, Parts<Q>>[]
    : Q extends readonly (infer Path)[]
      ? readonly OwnPaths<AttributesOf<R, U>, C, Path extends string ? Parts<Path> : never>[]
      : undefined;

type OwnPaths<A, C extends CallerKind, P extends string> = P extends unknown
  ? HeadOf<P> extends PopulatableName<A, C>
    ? P
    : never
  : never;

type Tagged<
  R extends AnyRegistry,
  U,
  M extends ReadMode,
  F,
  Q,
  Tag extends string,
  Loose,
> = U extends keyof R['components']
  ? WithTag<Shaped<R, U, M, F, Q, Loose>, Tag, U>
  : WithTag<EntryOf<R, U, M, F, Q>, Tag, U>;

type WithTag<T, Tag extends string, U> = T extends object
  ? { [K in Tag | keyof T]: K extends keyof T ? T[K] : U }
  : never;
