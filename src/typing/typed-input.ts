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

type SetAlone = Problem<'"set" replaces the list, so it stands alone; use "connect" and "disconnect" to change it'>;

interface SetRelation<T> {
  readonly set: T | readonly T[] | null;
  readonly connect?: SetAlone;
  readonly disconnect?: SetAlone;
}

interface ChangeRelation<T, Placed> {
  readonly connect?: Placed | readonly Placed[];
  readonly disconnect?: T | readonly T[];
  readonly set?: SetAlone;
  /** With `strict: false` a position beside an entry that is not connected means the end. */
  readonly options?: { readonly strict?: boolean };
}

type Placed<R extends AnyRegistry, T> = T | (ObjectReference<R> & { readonly position?: Position<R> });

type RelationInput<T, P> = T | null | readonly T[] | SetRelation<T> | ChangeRelation<T, P>;

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
type ComponentInput<R extends AnyRegistry, U> = Values<R, AttributesOf<R, U>> & { readonly id?: number };

type ZoneInput<R extends AnyRegistry, U> = U extends string
  ? Values<R, AttributesOf<R, U>> & { readonly id?: number; readonly __component: U }
  : never;

type Writable<A> = { [K in keyof A]: A[K] extends { readonly readonly: true } ? never : K }[keyof A];

type Values<R extends AnyRegistry, A> = {
  readonly [K in keyof A as K extends Writable<A> ? K : never]?: AttributeInput<R, A[K]> | undefined;
};

/** What an entry cannot be published without. Relations and media may be missing. */
type Required<A> = {
  [K in Writable<A>]: A[K] extends { readonly required: true }
    ? A[K] extends { readonly default: true } | { readonly type: 'relation' | 'media' | 'morph' }
      ? never
      : K
    : never;
}[Writable<A>];

type Complete<R extends AnyRegistry, A> = Values<R, A> & {
  readonly [K in Required<A>]: Exclude<AttributeInput<R, A[K & keyof A]>, null>;
};

/** `IsDraft`: whether it may be incomplete. */
export type CreateInput<R extends AnyRegistry, U, IsDraft> =
  IsUnknown<R, U> extends true
    ? OpenData
    : IsDraft extends true
      ? Values<R, AttributesOf<R, U>>
      : Complete<R, AttributesOf<R, U>>;

export type UpdateInput<R extends AnyRegistry, U> =
  IsUnknown<R, U> extends true ? OpenData : Values<R, AttributesOf<R, U>>;
