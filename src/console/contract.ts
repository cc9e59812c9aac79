// What the console and the server say to each other, as types. Everything stands below /console/api: `rest/…` mirrors
// the routes of the API for the account that is logged in, the rest is the console's own. Errors have the envelope of
// the API.

export const CONSOLE_PATH = '/console';
export const CONSOLE_API = `${CONSOLE_PATH}/api`;
/** `rest/restaurants` answers what `/api/restaurants` does, with the rights of the account. */
export const CONSOLE_REST = `${CONSOLE_API}/rest`;
/** Every request of the console has this header, which no page of another origin can send. */
export const CONSOLE_HEADER = 'x-sheaf-console';

/** What an account may do with entries. `publish` is needed for all that changes what is published. */
export const EDIT_ACTIONS = ['create', 'read', 'update', 'delete', 'publish'] as const;
export type EditAction = (typeof EDIT_ACTIONS)[number];

/** What an account may do besides editing entries. */
export const CONSOLE_RIGHTS = [
  'files.read',
  'files.create',
  'files.update',
  'roles.read',
  'roles.update',
  'tokens.read',
  'tokens.create',
  'tokens.delete',
  'accounts.read',
  'accounts.create',
  'accounts.update',
  'accounts.delete',
  'model.read',
  'requests.explain',
  'server.read',
] as const;
export type ConsoleRight = (typeof CONSOLE_RIGHTS)[number];

/** GET session. 401 where nobody is logged in. POST session {email, password} logs in, DELETE session logs out. */
export interface ConsoleSession {
  readonly account: ConsoleAccount;
  readonly rights: readonly ConsoleRight[];
  /** What may be done with entries of each content-type that the account may do anything with, by uid. */
  readonly types: Readonly<Record<string, TypeRights>>;
  /** Permissions of the account's roles that could not be taken over, and are refused: in words. */
  readonly refused: readonly string[];
}

export interface TypeRights {
  readonly actions: readonly EditAction[];
  /** The attributes that may be read and written; null where all may. */
  readonly readable: readonly string[] | null;
  readonly writable: readonly string[] | null;
  /** The locales that may be read and written; null where all may. */
  readonly locales: readonly string[] | null;
  /** Whether a condition limits it to some entries, such as one's own. */
  readonly isLimited: boolean;
}

/** GET accounts lists them; POST accounts makes one and answers with a link for its owner; PUT, DELETE accounts/:id. */
export interface ConsoleAccount {
  readonly id: number;
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly isActive: boolean;
  readonly blocked: boolean;
  readonly roles: readonly ConsoleRole[];
}

/** GET accounts/roles. The roles of console accounts, which are not those of users of the API. */
export interface ConsoleRole {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
}

/** PUT accounts/:id, and POST accounts with email and roles at least. */
export interface AccountInput {
  readonly email?: string;
  readonly firstname?: string | null;
  readonly lastname?: string | null;
  readonly blocked?: boolean;
  /** Ids of roles. */
  readonly roles?: readonly number[];
}

/** The answer to POST accounts and POST accounts/:id/link: the path of a page where its owner chooses a password. */
export interface AccountLink {
  readonly account: ConsoleAccount;
  /** Such as `/console/welcome?token=…`; good once. */
  readonly path: string;
  readonly expiresAt: string;
}

/** GET welcome?token=…: whom a link is for; null account: it makes the first one. POST welcome {token, password, …}. */
export interface Welcome {
  readonly account: { readonly email: string } | null;
}
export interface WelcomeInput {
  readonly token: string;
  readonly password: string;
  /** For the first account only. */
  readonly email?: string;
  readonly firstname?: string;
  readonly lastname?: string;
}

/** GET model: what the account may know of the content-types. */
export interface ConsoleModel {
  readonly title: string;
  /** The prefix of the API, such as `/api`. */
  readonly prefix: string;
  readonly locales: readonly ConsoleLocale[];
  readonly types: readonly ConsoleType[];
  readonly components: readonly ConsoleSchema[];
}

export interface ConsoleLocale {
  readonly code: string;
  readonly name: string;
  readonly isDefault: boolean;
}

export interface ConsoleSchema {
  readonly uid: string;
  readonly displayName: string;
  readonly description: string | null;
  readonly attributes: readonly ConsoleAttribute[];
  /** The attribute that names an entry for people. */
  readonly mainField: string;
}

export interface ConsoleType extends ConsoleSchema {
  readonly kind: 'collectionType' | 'singleType';
  readonly singularName: string;
  readonly pluralName: string;
  /** The path below the prefix: `restaurants`, of a single type `homepage`. */
  readonly path: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  /** `own` types are the project's; `users` and `files` are built in and have pages of their own. */
  readonly source: 'own' | 'users' | 'files';
  /** Indexes that the project declares, each the names of its attributes. */
  readonly indexes: readonly (readonly string[])[];
}

export interface ConsoleAttribute {
  readonly name: string;
  /** As in the definition: string, text, richtext, blocks, integer, …, relation, media, component, dynamiczone, morph. */
  readonly type: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly private: boolean;
  readonly localized: boolean;
  /** Whether requests can write it; of timestamps and the far side of morphs they cannot. */
  readonly writable: boolean;
  readonly hasIndex: boolean;
  /** JSON Logic over the values beside it: where it does not hold, forms do not show the attribute. */
  readonly visibleWhen?: unknown;
  /** The value of a new entry; undefined where there is none. */
  readonly default?: unknown;
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly regex?: string;
  /** Of an enumeration. */
  readonly values?: readonly string[];
  /** Of a uid: the attribute that it is made from. */
  readonly targetField?: string;
  readonly relation?: ConsoleRelation;
  /** Of a component, and whether it is a list. */
  readonly component?: string;
  readonly repeatable?: boolean;
  /** Of a dynamic zone. */
  readonly components?: readonly string[];
  /** Of media. */
  readonly multiple?: boolean;
  readonly allowedTypes?: readonly string[];
}

export interface ConsoleRelation {
  /** oneToOne, oneToMany, manyToOne, manyToMany, morphTo… as in the definition. */
  readonly kind: string;
  /** Null for morphs, which lead to several types. */
  readonly target: string | null;
  /** Of a morph: the types that show its other side, which are those that it can lead to. */
  readonly targets?: readonly string[];
  readonly toMany: boolean;
  /** The attribute of the target that shows the other side, if any. */
  readonly inverse: string | null;
}

/** GET counts: documents (or rows, of types without drafts) by uid, of the types that the account may read. */
export type ConsoleCounts = Readonly<Record<string, number>>;

/** In whose eyes a request is read. */
export type AskAs =
  | { readonly kind: 'account' }
  | { readonly kind: 'role'; readonly type: string }
  | { readonly kind: 'token'; readonly type: 'read-only' | 'full-access' };

/** POST explain {url, as}: `url` is a path of the API with its query, such as `/api/restaurants?sort=name`. */
export interface ExplainInput {
  readonly url: string;
  readonly as?: AskAs;
}
export interface ConsoleExplained {
  readonly request: string;
  /** The plan in words. */
  readonly plan: readonly PlanNode[];
  /** Rows that the database touches, as estimated, part by part. */
  readonly cost: CostNode;
  readonly isHeavy: boolean;
  readonly statements: readonly ConsoleStatement[];
}
export interface PlanNode {
  readonly text: string;
  readonly parts: readonly PlanNode[];
}
export interface CostNode {
  readonly title: string;
  readonly rows: number;
  readonly parts: readonly CostNode[];
}
export interface ConsoleStatement {
  readonly title: string;
  readonly sql: string;
  readonly queryPlan: readonly string[];
  readonly indexes: readonly string[];
  readonly missing: readonly string[];
  /** Rows that it gave when it was run for this; null where it was not. */
  readonly rows: number | null;
  readonly milliseconds: number | null;
}

/** POST try {url, as}: the answer that a GET by that caller would have. Runs it. */
export interface TryInput extends ExplainInput {}
export interface TryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON. */
  readonly body: unknown;
  readonly milliseconds: number;
  readonly cost: number | null;
}

/** GET roles: the roles of the API's users, with what they may do. PUT roles/:id {grant, revoke}. */
export interface ApiRole {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  readonly description: string | null;
  readonly users: number;
  /** Actions granted, such as `api::restaurant.restaurant.find`. */
  readonly actions: readonly string[];
  /** The rules of access/*.json for it, in words, by uid. */
  readonly rules: Readonly<Record<string, readonly string[]>>;
}
export interface RoleActions {
  /** Every action that can be granted, by what it acts on. */
  readonly groups: readonly {
    readonly uid: string;
    readonly title: string;
    readonly actions: readonly { readonly action: string; readonly name: string }[];
  }[];
  /** Actions that nobody has, however they are granted, and why. */
  readonly withheld: Readonly<Record<string, string>>;
}
export interface ApiRoles extends RoleActions {
  readonly roles: readonly ApiRole[];
}
export interface RoleInput {
  readonly grant?: readonly string[];
  readonly revoke?: readonly string[];
}

/** GET tokens; POST tokens answers with the token, once; DELETE tokens/:id. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly type: 'read-only' | 'full-access' | 'custom';
  readonly actions: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}
export interface TokenInput {
  readonly name: string;
  readonly description?: string;
  readonly type: ApiToken['type'];
  readonly actions?: readonly string[];
  /** Days; without it the token does not expire. */
  readonly days?: number;
}
export interface NewToken {
  readonly token: ApiToken;
  readonly secret: string;
}

/** GET files/:id/uses: the entries that show a file. `hidden`: how many more there are that the account may not read. */
export interface FileUses {
  readonly uses: readonly {
    readonly uid: string;
    readonly documentId: string | null;
    readonly title: string;
    readonly attribute: string;
  }[];
  readonly hidden: number;
}

/** GET server. */
export interface ServerState {
  readonly version: string;
  readonly node: string;
  readonly startedAt: string;
  readonly database: {
    readonly kind: 'SQLite' | 'PostgreSQL';
    readonly version: string;
    readonly bytes: number | null;
  };
  readonly schema: { readonly isUpToDate: boolean; readonly changes: readonly string[] };
  /** Whether other processes serve as well: then memory, load, errors and slow requests are those of one of them. */
  readonly isOneOfSeveral: boolean;
  readonly memory: { readonly residentBytes: number };
  /** A point a minute, the oldest first, of the last hour at most. */
  readonly load: readonly LoadPoint[];
  readonly errors: readonly SeenRequest[];
  readonly slow: readonly SeenRequest[];
}
export interface LoadPoint {
  readonly at: string;
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}
export interface SeenRequest {
  readonly at: string;
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly milliseconds: number;
  readonly requestId: string;
  readonly message: string | null;
}
