// The parts of the `strapi` object that our own files use. Code of a project sees all of it.

export type Params = Record<string, unknown>;

export interface RawEntry {
  readonly id: number;
  readonly documentId: string;
  [attribute: string]: unknown;
}

export interface DocumentResult {
  readonly documentId: string;
  readonly entries: readonly unknown[];
}

/** `strapi.documents(uid)`. */
export interface Documents {
  findMany(params?: Params): Promise<RawEntry[]>;
  findFirst(params?: Params): Promise<RawEntry | null>;
  findOne(params: Params): Promise<RawEntry | null>;
  count(params?: Params): Promise<number>;
  create(params: Params): Promise<RawEntry>;
  update(params: Params): Promise<RawEntry | null>;
  delete(params: Params): Promise<DocumentResult>;
  clone(params: Params): Promise<unknown>;
  publish(params: Params): Promise<DocumentResult>;
  unpublish(params: Params): Promise<DocumentResult>;
  discardDraft(params: Params): Promise<DocumentResult>;
}

/** An object that a file of the project makes: a controller or a service. */
export type Members = Record<string, unknown>;

export interface StrapiLog {
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
}

/** One object that stays, and that code may hang things on. */
export interface Strapi {
  readonly documents: {
    (uid: string): Documents;
    /** Whether code of the project runs around them. */
    readonly hasMiddlewares: boolean;
  };
  readonly db: { readonly lifecycles: { hearsReads(uid: string): boolean } };
  contentType(uid: string): unknown;
  service(uid: string): Members | undefined;
  controller(uid: string): Members | undefined;
  /** Of the plugins, the one that is always there and that code may extend. */
  plugin(name: 'users-permissions'): { readonly services: Record<string, unknown> };
  log: StrapiLog;
  [member: string]: unknown;
}
