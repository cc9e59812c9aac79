// What a generated file says of a project's model, as types: content-types with their attributes, components, locales.
// Everything else in this folder computes from it. Without a generated file the registry is open: any name goes.

/** Filled by a generated file through `declare module 'sheaf/types'`: the registry that is meant where none is named. */
// biome-ignore lint/suspicious/noEmptyInterface: a generated file adds its member
export interface Register {}

/** The parts of a registry. They are not described further here, so that naming one costs the compiler nothing. */
export interface AnyRegistry {
  /** By uid; each is a `ContentTypeShape`. */
  readonly contentTypes: object;
  /** By uid; each is a `ComponentShape`. */
  readonly components: object;
  /** Codes of the locales; `string` where the project adds them as it needs them. */
  readonly locale: string;
}

/** Where nothing is known of the model. */
export interface OpenRegistry {
  readonly contentTypes: Readonly<Record<string, never>>;
  readonly components: Readonly<Record<string, never>>;
  readonly locale: string;
}

/** The registry of the generated file, or the open one. */
export type DefaultRegistry = Register extends { readonly registry: infer R extends AnyRegistry } ? R : OpenRegistry;

/** Whether nothing is known of the model. */
export type IsOpen<R> = OpenRegistry extends R ? true : false;

export interface ContentTypeShape {
  readonly kind: 'collectionType' | 'singleType';
  /** The segment after `/api/`; null for what is read through relations alone. */
  readonly route: string | null;
  readonly drafts: boolean;
  readonly localized: boolean;
  /** Read over HTTP alone. */
  readonly clientOnly?: true;
  readonly attributes: object;
}

export interface ComponentShape {
  readonly attributes: object;
}

/** What attributes of every kind may be. */
interface Marks {
  /** Shown in process, never to clients. */
  readonly private?: true;
  /** Set by the server, so no input has it. */
  readonly readonly?: true;
  /** Every published entry has a value. */
  readonly required?: true;
  /** The server gives a value to an entry that is created without one. */
  readonly default?: true;
  /** Every entry has a value, drafts included. */
  readonly always?: true;
}

export type ScalarType =
  | 'string'
  | 'text'
  | 'richtext'
  | 'email'
  | 'uid'
  | 'enumeration'
  | 'password'
  | 'integer'
  | 'biginteger'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime'
  | 'timestamp'
  | 'json'
  | 'blocks';

export interface ScalarShape extends Marks {
  readonly type: ScalarType;
  /** Of an enumeration: its values, as a union. */
  readonly values?: string;
}

/** A relation to one other type; `localizations` are one, too. */
export interface RelationShape extends Marks {
  readonly type: 'relation';
  readonly target: string;
  readonly many: boolean;
  /** Read over HTTP alone: in process nobody needs the right that shows it. */
  readonly clientOnly?: true;
}

export interface MediaShape extends Marks {
  readonly type: 'media';
  readonly many: boolean;
}

export interface ComponentAttributeShape extends Marks {
  readonly type: 'component';
  readonly component: string;
  readonly many: boolean;
}

export interface ZoneShape extends Marks {
  readonly type: 'dynamiczone';
  /** Uids of components, as a union. */
  readonly components: string;
}

/** A relation to several types. */
export interface MorphShape extends Marks {
  readonly type: 'morph';
  /** Uids of content-types, as a union. */
  readonly targets: string;
  readonly many: boolean;
}

/** The uid of the files of every project, and of its users. */
export type FileUid = 'plugin::upload.file';
export type UserUid = 'plugin::users-permissions.user';

/** The attributes of a content-type or component, by name; never where nothing is known of it. */
export type AttributesOf<R extends AnyRegistry, U> = [TypeOf<R, U>] extends [never]
  ? never
  : TypeOf<R, U> extends { readonly attributes: infer A }
    ? A
    : never;

/** The shape behind a uid: of a content-type or a component. */
export type TypeOf<R extends AnyRegistry, U> = U extends keyof R['contentTypes']
  ? R['contentTypes'][U]
  : U extends keyof R['components']
    ? R['components'][U]
    : never;

export type Uid<R extends AnyRegistry> = keyof R['contentTypes'] & string;

/** Uids that code in process reads and writes entries of. */
export type DocumentUid<R extends AnyRegistry> =
  IsOpen<R> extends true
    ? string
    : { readonly [U in Uid<R>]: R['contentTypes'][U] extends { readonly clientOnly: true } ? never : U }[Uid<R>];

/** Uids of the types with paths of their own, by kind. */
export type RoutedUid<R extends AnyRegistry, Kind extends ContentTypeShape['kind']> = {
  readonly [U in Uid<R>]: R['contentTypes'][U] extends { readonly kind: Kind; readonly route: string }
    ? U extends UserUid
      ? never
      : U
    : never;
}[Uid<R>];

export type RouteOf<R extends AnyRegistry, U extends Uid<R>> = R['contentTypes'][U] extends {
  readonly route: infer Route extends string;
}
  ? Route
  : never;

/** Whether a type may have drafts: what is not known may. */
export type HasDrafts<R extends AnyRegistry, U> = [TypeOf<R, U>] extends [never]
  ? true
  : TypeOf<R, U> extends { readonly drafts: true }
    ? true
    : false;
