// The typed face of the client that `sheaf/client` creates: what it offers for each content-type of a registry, for
// users, sessions and files. Types alone; the run time is in client/.
import type { RequestOptions, Session } from './client-options.ts';
import type {
  AnyRegistry,
  DefaultRegistry,
  FileUid,
  HasDrafts,
  IsOpen,
  OpenRegistry,
  RoutedUid,
  RouteOf,
  Uid,
  UserUid,
} from './registry.ts';
import type {
  AggregatePage,
  AggregateParameters,
  CreateData,
  DeleteParameters,
  DraftActionParameters,
  FieldsInput,
  FindOneParameters,
  FindParameters,
  Page,
  PopulateInput,
  RelatedParameters,
  RelationName,
  ResultOf,
  SortInput,
  StatusInput,
  TargetUid,
  UpdateData,
  WriteParameters,
} from './typed-parameters.ts';

export type { ClientOptions, RequestOptions, Session } from './client-options.ts';

/** A client for the types of a registry: each by its path, as `client.restaurants` and `client.homepage`. */
export type Client<R extends AnyRegistry = DefaultRegistry> = ClientServices<R> &
  (IsOpen<R> extends true ? OpenContent : TypedContent<R>);

export interface ClientServices<R extends AnyRegistry> {
  readonly users: UsersClient<R>;
  readonly auth: AuthClient<R>;
  readonly files: FilesClient<R>;
  /** The locales of the project. */
  locales(options?: RequestOptions): Promise<LocaleEntry[]>;
  /** A collection type by its path, for names that a variable holds or that are taken here, such as `files`. */
  collection<Name extends CollectionRoute<R>>(name: Name): CollectionClient<R, UidOfRoute<R, Name>>;
  single<Name extends SingleRoute<R>>(name: Name): SingleClient<R, UidOfRoute<R, Name>>;
}

export interface LocaleEntry {
  id: number;
  documentId: string;
  name: string;
  code: string;
  isDefault: boolean;
}

/** Names that are not those of content-types. */
type Taken =
  | keyof ClientServices<AnyRegistry>
  | 'then'
  | 'catch'
  | 'finally'
  | 'toJSON'
  | 'toString'
  | 'valueOf'
  | 'constructor';

type TypedContent<R extends AnyRegistry> = {
  readonly [U in RoutedUid<R, 'collectionType'> as Exclude<RouteOf<R, U>, Taken>]: CollectionClient<R, U>;
} & {
  readonly [U in RoutedUid<R, 'singleType'> as Exclude<RouteOf<R, U>, Taken>]: SingleClient<R, U>;
};

/** Without a registry any name is a type, and nobody knows of which kind. */
interface OpenContent {
  readonly [route: string]: CollectionClient<OpenRegistry, string> & SingleClient<OpenRegistry, string>;
}

export type CollectionRoute<R extends AnyRegistry> =
  IsOpen<R> extends true ? string : RouteOf<R, RoutedUid<R, 'collectionType'>>;
export type SingleRoute<R extends AnyRegistry> =
  IsOpen<R> extends true ? string : RouteOf<R, RoutedUid<R, 'singleType'>>;

type UidOfRoute<R extends AnyRegistry, Name> =
  IsOpen<R> extends true
    ? string
    : {
        readonly [U in Uid<R>]: [RouteOf<R, U>] extends [never] ? never : RouteOf<R, U> extends Name ? U : never;
      }[Uid<R>];

type Fields<R extends AnyRegistry, U> = FieldsInput<R, U, 'client'> | undefined;
type Populate<R extends AnyRegistry, U> = PopulateInput<R, U, 'client'> | undefined;
type Sort<R extends AnyRegistry, U> = SortInput<R, U, 'client'> | undefined;
type Status = StatusInput | undefined;

/** What a read, and a write, of a client responds with. */
type Read<R extends AnyRegistry, U, F, Q, S> = ResultOf<R, U, 'client', F, Q, S>;
type Draft<R extends AnyRegistry, U, F, Q> = ResultOf<R, U, 'client', F, Q, 'draft'>;

export type CollectionClient<R extends AnyRegistry, U> = CollectionReads<R, U> &
  CollectionWrites<R, U> &
  (HasDrafts<R, U> extends true ? CollectionDrafts<R, U> : unknown);

export interface CollectionReads<R extends AnyRegistry, U> {
  /** A page of entries: `GET /api/<plural>`. */
  find<
    const F extends Fields<R, U> = undefined,
    const Q extends Populate<R, U> = undefined,
    const O extends Sort<R, U> = undefined,
    const S extends Status = undefined,
  >(
    parameters?: FindParameters<R, U, 'client', F, Q, O, S>,
    options?: RequestOptions,
  ): Promise<Page<Read<R, U, F, Q, S>>>;
  /** Every page after the other: `for await (const page of client.restaurants.pages({ sort: 'name' }))`. */
  pages<
    const F extends Fields<R, U> = undefined,
    const Q extends Populate<R, U> = undefined,
    const O extends Sort<R, U> = undefined,
    const S extends Status = undefined,
  >(
    parameters?: FindParameters<R, U, 'client', F, Q, O, S>,
    options?: RequestOptions,
  ): AsyncIterableIterator<Page<Read<R, U, F, Q, S>>>;
  /** One entry, or null where there is none that matches: `GET /api/<plural>/<documentId>`. */
  findOne<
    const F extends Fields<R, U> = undefined,
    const Q extends Populate<R, U> = undefined,
    const O extends Sort<R, U> = undefined,
    const S extends Status = undefined,
  >(
    documentId: string,
    parameters?: FindOneParameters<R, U, 'client', F, Q, O, S>,
    options?: RequestOptions,
  ): Promise<Read<R, U, F, Q, S> | null>;
  /** Groups of entries, counted and computed: `GET /api/<plural>/aggregate`. */
  aggregate(parameters: AggregateParameters<R, U, 'client'>, options?: RequestOptions): Promise<AggregatePage>;
  /** The entries that a relation leads to, or null where there is no such document: `GET /api/<plural>/<documentId>/<relation>`. */
  related<
    const Name extends RelationName<R, U, 'client'>,
    const F extends Fields<R, TargetUid<R, U, Name>> = undefined,
    const Q extends Populate<R, TargetUid<R, U, Name>> = undefined,
    const O extends Sort<R, TargetUid<R, U, Name>> = undefined,
    const S extends Status = undefined,
  >(
    documentId: string,
    relation: Name,
    parameters?: RelatedParameters<R, TargetUid<R, U, Name>, 'client', F, Q, O, S>,
    options?: RequestOptions,
  ): Promise<Page<Read<R, TargetUid<R, U, Name>, F, Q, S>> | null>;
}

export interface CollectionWrites<R extends AnyRegistry, U> {
  /** `POST /api/<plural>`. Published at once, unless the status is `draft`. */
  create<
    const F extends Fields<R, U> = undefined,
    const Q extends Populate<R, U> = undefined,
    const S extends Status = undefined,
  >(
    data: CreateData<R, U, 'client', S>,
    parameters?: WriteParameters<R, U, 'client', F, Q, S>,
    options?: RequestOptions,
  ): Promise<Read<R, U, F, Q, S>>;
  /** `PUT /api/<plural>/<documentId>`. Published at once, unless the status is `draft`. */
  update<
    const F extends Fields<R, U> = undefined,
    const Q extends Populate<R, U> = undefined,
    const S extends Status = undefined,
  >(
    documentId: string,
    data: UpdateData<R, U>,
    parameters?: WriteParameters<R, U, 'client', F, Q, S>,
    options?: RequestOptions,
  ): Promise<Read<R, U, F, Q, S>>;
  /** `DELETE /api/<plural>/<documentId>`; no error where there is none. */
  delete(documentId: string, parameters?: DeleteParameters<R>, options?: RequestOptions): Promise<void>;
  /** Copies a document under a new id, changed as `data` says: `POST /api/<plural>/<documentId>/actions/clone`. */
  clone<const F extends Fields<R, U> = undefined, const Q extends Populate<R, U> = undefined>(
    documentId: string,
    data?: UpdateData<R, U>,
    parameters?: DraftActionParameters<R, U, 'client', F, Q>,
    options?: RequestOptions,
  ): Promise<Draft<R, U, F, Q>>;
}

/** `POST /api/<plural>/<documentId>/actions/<name>`. */
export interface CollectionDrafts<R extends AnyRegistry, U> {
  publish<const F extends Fields<R, U> = undefined, const Q extends Populate<R, U> = undefined>(
    documentId: string,
    parameters?: DraftActionParameters<R, U, 'client', F, Q>,
    options?: RequestOptions,
  ): Promise<Read<R, U, F, Q, 'published'>>;
  unpublish<const F extends Fields<R, U> = undefined, const Q extends Populate<R, U> = undefined>(
    documentId: string,
    parameters?: DraftActionParameters<R, U, 'client', F, Q>,
    options?: RequestOptions,
  ): Promise<Draft<R, U, F, Q>>;
  discardDraft<const F extends Fields<R, U> = undefined, const Q extends Populate<R, U> = undefined>(
    documentId: string,
    parameters?: DraftActionParameters<R, U, 'client', F, Q>,
    options?: RequestOptions,
  ): Promise<Draft<R, U, F, Q>>;
}

export type SingleClient<R extends AnyRegistry, U> = SingleBase<R, U> &
  (HasDrafts<R, U> extends true ? SingleDrafts<R, U> : unknown);

/** A single type has one document, so nothing names it. */
export interface SingleBase<R extends AnyRegistry, U> {
  /** Null where there is none yet: `GET /api/<singular>`. */
  find<
    const F extends Fields<R, U> = undefined,
    const Q extends Populate<R, U> = undefined,
    const O extends Sort<R, U> = undefined,
    const S extends Status = undefined,
  >(
    parameters?: FindOneParameters<R, U, 'client', F, Q, O, S>,
    options?: RequestOptions,
  ): Promise<Read<R, U, F, Q, S> | null>;
  /** `PUT /api/<singular>`; creates it where there is none. */
  update<
    const F extends Fields<R, U> = undefined,
    const Q extends Populate<R, U> = undefined,
    const S extends Status = undefined,
  >(
    data: UpdateData<R, U>,
    parameters?: WriteParameters<R, U, 'client', F, Q, S>,
    options?: RequestOptions,
  ): Promise<Read<R, U, F, Q, S>>;
  /** `DELETE /api/<singular>`. */
  delete(parameters?: DeleteParameters<R>, options?: RequestOptions): Promise<void>;
  /** `GET /api/<singular>/<relation>`. */
  related<
    const Name extends RelationName<R, U, 'client'>,
    const F extends Fields<R, TargetUid<R, U, Name>> = undefined,
    const Q extends Populate<R, TargetUid<R, U, Name>> = undefined,
    const O extends Sort<R, TargetUid<R, U, Name>> = undefined,
    const S extends Status = undefined,
  >(
    relation: Name,
    parameters?: RelatedParameters<R, TargetUid<R, U, Name>, 'client', F, Q, O, S>,
    options?: RequestOptions,
  ): Promise<Page<Read<R, TargetUid<R, U, Name>, F, Q, S>> | null>;
}

/** `POST /api/<singular>/actions/<name>`. */
export interface SingleDrafts<R extends AnyRegistry, U> {
  publish<const F extends Fields<R, U> = undefined, const Q extends Populate<R, U> = undefined>(
    parameters?: DraftActionParameters<R, U, 'client', F, Q>,
    options?: RequestOptions,
  ): Promise<Read<R, U, F, Q, 'published'>>;
  unpublish<const F extends Fields<R, U> = undefined, const Q extends Populate<R, U> = undefined>(
    parameters?: DraftActionParameters<R, U, 'client', F, Q>,
    options?: RequestOptions,
  ): Promise<Draft<R, U, F, Q>>;
  discardDraft<const F extends Fields<R, U> = undefined, const Q extends Populate<R, U> = undefined>(
    parameters?: DraftActionParameters<R, U, 'client', F, Q>,
    options?: RequestOptions,
  ): Promise<Draft<R, U, F, Q>>;
}

/** Reads of entries that have no drafts, and are named by documentId or by id. Of files, lists are read at `/upload/files/page`. */
interface RowReads<R extends AnyRegistry, U extends UserUid | FileUid> {
  find<
    const F extends Fields<R, U> = undefined,
    const Q extends Populate<R, U> = undefined,
    const O extends Sort<R, U> = undefined,
  >(
    parameters?: FindParameters<R, U, 'client', F, Q, O, undefined>,
    options?: RequestOptions,
  ): Promise<Page<Read<R, U, F, Q, undefined>>>;
  findOne<
    const F extends Fields<R, U> = undefined,
    const Q extends Populate<R, U> = undefined,
    const O extends Sort<R, U> = undefined,
  >(
    id: string | number,
    parameters?: FindOneParameters<R, U, 'client', F, Q, O, undefined>,
    options?: RequestOptions,
  ): Promise<Read<R, U, F, Q, undefined> | null>;
}

/** `/api/users`: the accounts. They have no drafts, and are named by documentId or by id. */
export interface UsersClient<R extends AnyRegistry> extends RowReads<R, UserUid> {
  /** The account of the caller. */
  me<const F extends Fields<R, UserUid> = undefined, const Q extends Populate<R, UserUid> = undefined>(
    parameters?: FindOneParameters<R, UserUid, 'client', F, Q, undefined, undefined>,
    options?: RequestOptions,
  ): Promise<Read<R, UserUid, F, Q, undefined>>;
  count(
    parameters?: Pick<FindOneParameters<R, UserUid, 'client', undefined, undefined, undefined, undefined>, 'filters'>,
    options?: RequestOptions,
  ): Promise<number>;
  create<const F extends Fields<R, UserUid> = undefined, const Q extends Populate<R, UserUid> = undefined>(
    data: CreateData<R, UserUid, 'client', undefined>,
    parameters?: Pick<WriteParameters<R, UserUid, 'client', F, Q, undefined>, 'fields' | 'populate'>,
    options?: RequestOptions,
  ): Promise<Read<R, UserUid, F, Q, undefined>>;
  update<const F extends Fields<R, UserUid> = undefined, const Q extends Populate<R, UserUid> = undefined>(
    id: string | number,
    data: UpdateData<R, UserUid>,
    parameters?: Pick<WriteParameters<R, UserUid, 'client', F, Q, undefined>, 'fields' | 'populate'>,
    options?: RequestOptions,
  ): Promise<Read<R, UserUid, F, Q, undefined>>;
  /** Responds with `id` and `documentId` of the user; with all of it for who may read users. */
  delete(id: string | number, options?: RequestOptions): Promise<{ id: number; documentId: string }>;
}

/** An account as a log-in responds with it: what its role may read of it. */
export type OwnAccount<R extends AnyRegistry> = Partial<Read<R, UserUid, undefined, undefined, undefined>> & {
  id: number;
  documentId: string;
};

export interface SignedIn<R extends AnyRegistry> {
  jwt: string;
  /** In a cookie instead, unless the project is set otherwise. */
  refreshToken?: string;
  user: OwnAccount<R>;
}

export interface SessionEntry {
  id: string;
  deviceId: string | null;
  deviceName: string | null;
  /** Whether it is the one that asks. */
  current: boolean;
  loginAt: string;
  lastActiveAt: string;
}

/** `/api/auth`: after `logIn` the client sends the JWT, and renews it in the background. */
export interface AuthClient<R extends AnyRegistry> {
  /** The session that requests are sent in; null before a log-in and after its end. */
  readonly session: Session | null;
  logIn(
    account: { readonly identifier: string; readonly password: string },
    options?: RequestOptions,
  ): Promise<SignedIn<R>>;
  /** Without a JWT where the address must be confirmed first. */
  register(
    account: { readonly username: string; readonly email: string; readonly password: string } & Readonly<
      Record<string, unknown>
    >,
    options?: RequestOptions,
  ): Promise<Partial<Pick<SignedIn<R>, 'jwt' | 'refreshToken'>> & Pick<SignedIn<R>, 'user'>>;
  /** Renews the JWT now. In a browser this also goes on with the session of an earlier page, which a cookie keeps. */
  refresh(): Promise<Session>;
  /** Ends this session, that of a device, or all of the account. */
  logOut(which?: { readonly scope: 'all' } | { readonly deviceId: string }, options?: RequestOptions): Promise<void>;
  forgotPassword(account: { readonly email: string }, options?: RequestOptions): Promise<void>;
  resetPassword(
    change: { readonly code: string; readonly password: string; readonly passwordConfirmation: string },
    options?: RequestOptions,
  ): Promise<SignedIn<R>>;
  changePassword(
    change: { readonly currentPassword: string; readonly password: string; readonly passwordConfirmation: string },
    options?: RequestOptions,
  ): Promise<SignedIn<R>>;
  sendEmailConfirmation(account: { readonly email: string }, options?: RequestOptions): Promise<void>;
  sessions(options?: RequestOptions): Promise<SessionEntry[]>;
  endSession(id: string, options?: RequestOptions): Promise<void>;
}

/** What is said of a file beside its bytes. */
export interface FileInfo {
  readonly name?: string | null;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
  readonly focalPoint?: { readonly x: number; readonly y: number } | null;
}

export interface FileUpload {
  /** A `File` has a name already. */
  readonly name?: string;
  readonly content: Blob;
  readonly info?: FileInfo;
}

export interface UploadOptions extends RequestOptions {
  /** The media attribute of an entry that gets the files. */
  readonly link?: { readonly ref: string; readonly refId: string | number; readonly field: string };
  /** Is told how far it is. Browsers tell it of an XMLHttpRequest only, so `fetch` is not used there. */
  readonly onProgress?: (progress: UploadProgress) => void;
}

/** Bytes of files: sent so far, and all of them. */
export interface UploadProgress {
  readonly sent: number;
  readonly total: number;
}

/** `/api/upload`. Files are named by id or documentId. */
export interface FilesClient<R extends AnyRegistry> extends RowReads<R, FileUid> {
  /** Stores files, all or none, in the order given; those of an `<input type="file">` are taken as they are. */
  upload(
    files: Blob | FileUpload | ArrayLike<Blob | FileUpload>,
    options?: UploadOptions,
  ): Promise<Read<R, FileUid, undefined, undefined, undefined>[]>;
  /** Gives a file other bytes under its URL. */
  replace(
    id: string | number,
    file: Blob | FileUpload,
    options?: Omit<UploadOptions, 'link'>,
  ): Promise<Read<R, FileUid, undefined, undefined, undefined>>;
  update(
    id: string | number,
    info: FileInfo,
    options?: RequestOptions,
  ): Promise<Read<R, FileUid, undefined, undefined, undefined>>;
  /** With `force` also where entries show it, if the project refuses that otherwise. */
  delete(
    id: string | number,
    options?: RequestOptions & { readonly force?: boolean },
  ): Promise<Read<R, FileUid, undefined, undefined, undefined>>;
  /** Where a file is. Files that the server stores itself have URLs without its address. */
  url(file: { readonly url: string }): string;
}
