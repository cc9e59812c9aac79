// What bodies hold: values, relations in all their forms, components, zones and media.
import type { IsUnknown } from './attribute-names.ts';
import type { Problem } from './problem.ts';
import type { AnyRegistry, AttributesOf } from './registry.ts';
import type { GivenValue } from './typed-values.ts';

/** Values of an entry by attribute, where the model is not known. */
export type OpenData = Readonly<Record<string, unknown>>;

interface Version<R extends AnyRegistry> {
  readonly locale?: R['locale'] | null;
  readonly status?: 'draft' | 'published' | null;
}

/** An entry by its documentId, or by the id of one of its rows. */
export type Reference<R extends AnyRegistry> = string | number | ObjectReference<R>;
export type ObjectReference<R extends AnyRegistry> =
  | ({ readonly documentId: string; readonly id?: number } & Version<R>)
  | ({ readonly id: number | string; readonly documentId?: undefined } & Version<R>);

type OnePosition = Problem<'a position is exactly one of before, after, start: true and end: true'>;

/** Where in the list an entry goes. */
export type Position<R extends AnyRegistry> =
  | ({
      readonly before: Reference<R>;
      readonly after?: OnePosition;
      readonly start?: OnePosition;
      readonly end?: OnePosition;
    } & Version<R>)
  | ({
      readonly after: Reference<R>;
      readonly before?: OnePosition;
      readonly start?: OnePosition;
      readonly end?: OnePosition;
    } & Version<R>)
  | { readonly start: true; readonly before?: OnePosition; readonly after?: OnePosition; readonly end?: OnePosition }
  | { readonly end: true; readonly before?: OnePosition; readonly after?: OnePosition; readonly start?: OnePosition };

/** A list that the compiler does not take for an array: in a union with arrays it would explain another member. */
interface ListOf<T> {
  readonly length: number;
  readonly [index: number]: T;
  [Symbol.iterator](): Iterator<T>;
}

type SetAlone = Problem<"'set' replaces the list, so it stands alone; use 'connect' and 'disconnect' to change it">;

interface UpdateRelation<T, Placed> {
  readonly connect?: Placed | ListOf<Placed>;
  readonly disconnect?: T | ListOf<T>;
  readonly set?: SetAlone;
  /** With `strict: false` a position beside an entry that is not connected means the end. */
  readonly options?: { readonly strict?: boolean };
}

interface ReplaceRelation<T> {
  readonly set: T | ListOf<T> | null;
  readonly connect?: SetAlone;
  readonly disconnect?: SetAlone;
}

type Placed<R extends AnyRegistry, T> = T | (ObjectReference<R> & { readonly position?: Position<R> });

type RelationInput<T, P> = T | null | ListOf<T> | ReplaceRelation<T> | UpdateRelation<T, P>;

/** In a relation to several types a reference names its own. */
type TypedReference<R extends AnyRegistry, U> = ObjectReference<R> & { readonly __type: U };

type MediaReference<R extends AnyRegistry> = Reference<R>;

type MediaInput<R extends AnyRegistry> =
  | MediaReference<R>
  | null
  | readonly MediaReference<R>[]
  | { readonly set: MediaReference<R> | readonly MediaReference<R>[] | null }
  | { readonly disconnect: MediaReference<R> | readonly MediaReference<R>[] };

/** What a body gives for an attribute. */
type AttributeInput<R extends AnyRegistry, Attribute> = Attribute extends { readonly type: 'relation' }
  ? RelationInput<Reference<R>, Placed<R, Reference<R>>>
  : Attribute extends { readonly type: 'morph'; readonly targets: infer U }
    ? RelationInput<TypedReference<R, U>, TypedReference<R, U> & { readonly position?: Position<R> }>
    : Attribute extends { readonly type: 'media' }
      ? MediaInput<R>
      : Attribute extends { readonly type: 'component'; readonly component: infer U; readonly many: infer Many }
        ? Many extends true
          ? readonly ComponentInput<R, U>[]
          : ComponentInput<R, U> | null
        : Attribute extends { readonly type: 'dynamiczone'; readonly components: infer U }
          ? readonly ZoneInput<R, U>[]
          : GivenValue<Attribute> | null;

/** With the `id` of a stored one, that one is changed. */
type ComponentInput<R extends AnyRegistry, U> = EntryInput<R, U> & { readonly id?: number };

type ZoneInput<R extends AnyRegistry, U> = U extends string
  ? EntryInput<R, U> & { readonly id?: number; readonly __component: U }
  : never;

type Writable<A> = { [K in keyof A]: A[K] extends { readonly readonly: true } ? never : K }[keyof A];

/** What an entry cannot be published without. Relations and media may be missing. */
type Required<A> = {
  [K in Writable<A>]: A[K] extends { readonly required: true }
    ? A[K] extends { readonly default: true } | { readonly type: 'relation' | 'media' | 'morph' }
      ? never
      : K
    : never;
}[Writable<A>];

/** `IsDraft`: whether it may be incomplete. */
export type CreateInput<R extends AnyRegistry, U, IsDraft> =
  IsUnknown<R, U> extends true ? OpenData : IsDraft extends true ? EntryInput<R, U> : CompleteInput<R, U>;

/** What a body may hold for an entry. */
export type EntryInput<R extends AnyRegistry, U> = {
  readonly [K in keyof AttributesOf<R, U> as K extends Writable<AttributesOf<R, U>> ? K : never]?:
    | AttributeInput<R, AttributesOf<R, U>[K]>
    | undefined;
};

/** The same with all that a published entry needs. */
export type CompleteInput<R extends AnyRegistry, U> = EntryInput<R, U> & {
  readonly [K in Required<AttributesOf<R, U>>]: Exclude<AttributeInput<R, AttributesOf<R, U>[K]>, null>;
};

export type UpdateInput<R extends AnyRegistry, U> = IsUnknown<R, U> extends true ? OpenData : EntryInput<R, U>;
