// The attributes of a type by what can be done with them, for who asks.
import type { AnyRegistry, AttributesOf, FileUid, ScalarType } from './registry.ts';

/** The system sees private attributes. A caller is a client that code in process acts for. */
export type CallerKind = 'system' | 'caller' | 'client';

type Hidden<C extends CallerKind> = C extends 'system' ? never : { readonly private: true };

type Typed<Type extends string> = { readonly type: Type };

/** Names of attributes that are wanted and not hidden. Both are computed once, not for each attribute. */
type Named<A, Wanted, Unwanted> = {
  [K in keyof A]: A[K] extends Wanted ? (A[K] extends Unwanted ? never : K) : never;
}[keyof A] &
  string;

type ShownScalar = Exclude<ScalarType, 'password'>;
type Leading = 'relation' | 'media' | 'component' | 'dynamiczone' | 'morph';
type Structured = 'json' | 'blocks';

export type FieldName<A, C extends CallerKind> = Named<A, Typed<ShownScalar>, Hidden<C>>;
export type SortableName<A, C extends CallerKind> = Named<A, Typed<Exclude<ShownScalar, Structured>>, Hidden<C>>;

/** Names that lead to other entries, or to components. */
export type PopulatableName<A, C extends CallerKind> = Named<A, Typed<Leading>, Unseen<C>>;
/** Names that filters and sorts can follow: media, zones and relations to several types cannot be. */
export type FollowedName<A, C extends CallerKind> = Named<A, Typed<'relation' | 'component'>, Unseen<C>>;
/** Names of relations to entries of one type. */
export type RelatedName<A, C extends CallerKind> = Named<A, Typed<'relation'>, Unseen<C>>;

/** Of what leads elsewhere: relations that the system has no use for, and what others do not see. */
type Unseen<C extends CallerKind> = C extends 'system' ? { readonly clientOnly: true } : { readonly private: true };

/** The uid that an attribute leads to; of a zone, and of a relation to several types, all of them. */
export type LeadsTo<Attribute> = Attribute extends { readonly type: 'relation'; readonly target: infer U }
  ? U
  : Attribute extends { readonly type: 'component'; readonly component: infer U }
    ? U
    : Attribute extends { readonly type: 'media' }
      ? FileUid
      : Attribute extends { readonly type: 'dynamiczone'; readonly components: infer U }
        ? U
        : Attribute extends { readonly type: 'morph'; readonly targets: infer U }
          ? U
          : never;

/** Whether an attribute leads to several entries. */
export type IsMany<Attribute> = Attribute extends { readonly many: false } ? false : true;

/** Whether nothing is known of a type. */
export type IsUnknown<R extends AnyRegistry, U> = [AttributesOf<R, U>] extends [never] ? true : false;

/** The name of a type in a message. */
export type NameOf<U> = U & string;
