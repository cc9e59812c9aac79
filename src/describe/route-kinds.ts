// What each kind of route does, takes and answers. A route of the table names its kind, so that none is without a
// description.
import type { Operation } from '../access/operation.ts';
import type { ContentType } from '../model/types.ts';
import { ACCOUNT_ANSWERS, ACCOUNT_BODIES, fileAnswer, filesAnswer, uploadBody } from './accounts.ts';
import type { Description } from './description.ts';
import { bareEntry, bareList, documentSchema, pageOf, pageSchema } from './entries.ts';
import { exampleData, exampleEntry, examplePage } from './examples.ts';
import { bodySchema } from './inputs.ts';
import { COUNT, type JsonSchema, listOf, strictObject, TEXT } from './named-schemas.ts';
import { parametersBody } from './query-parameters.ts';
import { type ErrorStatus, HAS_BODY, jsonContent, type OpenApiObject } from './responses.ts';
import { SHOWN_VALUE } from './scalar-schemas.ts';

/** The schemas that a route of the project's own code declares. */
export interface OwnSchemas {
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
  readonly answer?: JsonSchema;
}

/** What a description needs to know of a route. */
export interface DescribedRoute {
  readonly method: string;
  /** With `:documentId` for a segment that varies. */
  readonly path: string;
  /** The right that the route needs; null for none. */
  readonly action: string | null;
  /** The operation on content that it stands for; null for routes about accounts and the server. */
  readonly operation: { readonly name: Operation['name']; readonly type: ContentType } | null;
  /** Names of the query parameters that it takes. */
  readonly parameters: readonly string[];
  /** What it does, takes and answers. */
  readonly describes: RouteKind;
  /** Of the project's own code: what it declares. */
  readonly schemas?: OwnSchemas;
  /** How often one address may call it; null for as often as it likes. */
  readonly limit: object | null;
}

/** Names for identifiers and for people. */
export interface RouteNames {
  readonly one: string;
  readonly many: string;
  /** Of a list of related entries, the relation. */
  readonly relation: string;
  /** Of the project's own code, the method and the path. */
  readonly route: string;
}

interface Subject {
  readonly description: Description;
  readonly route: DescribedRoute;
  /** The type that the response shows. */
  readonly type: ContentType;
}

interface KindDescription {
  readonly id: (names: RouteNames) => string;
  readonly summary: (names: RouteNames) => string;
  readonly status: 200 | 201 | 204 | 302;
  /** By media type; null for nothing. */
  readonly answer: ((subject: Subject) => OpenApiObject) | null;
  readonly body?: (subject: Subject) => OpenApiObject;
  /** What it answers instead, in some cases. */
  readonly also?: { readonly status: 200; readonly answer: (subject: Subject) => OpenApiObject };
  readonly errors?: readonly ErrorStatus[];
}

type Content = (subject: Subject) => OpenApiObject;

const page: Content = ({ description, type }) => {
  const entry = exampleEntry(description, type);
  return jsonContent(pageSchema(description, type), entry && examplePage(entry));
};

const entry: Content = ({ description, type }) => {
  const data = exampleEntry(description, type);
  return jsonContent(documentSchema(description, type), data && { data, meta: {} });
};

const bare: Content = ({ description, type }) =>
  jsonContent(bareEntry(description, type), exampleEntry(description, type));

const json = (schema: (description: Description) => JsonSchema): Content => {
  return ({ description }) => jsonContent(schema(description));
};

/** Values of groups, and what is computed of each, by the names that the request has for them. */
const groups: Content = ({ description }) => {
  const named = (schema: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: schema });
  const group = description.schemas.refer('Group', () =>
    strictObject(
      {
        group: named(SHOWN_VALUE),
        count: COUNT,
        distinct: named(COUNT),
        sum: named({ type: ['number', 'string', 'null'] }),
        avg: named({ type: ['number', 'null'] }),
        min: named(SHOWN_VALUE),
        max: named(SHOWN_VALUE),
      },
      [],
      { minProperties: 1 },
    ),
  );
  return jsonContent(description.schemas.refer('GroupPage', () => pageOf(description, group)));
};

const requestBody = (content: OpenApiObject, required = true): OpenApiObject => ({ required, content });

const written = (purpose: 'Create' | 'Update', required = true): Content => {
  return ({ description, type }) => {
    const data = exampleData(description, type);
    return requestBody(jsonContent(bodySchema(description, type, purpose), data && { data }), required);
  };
};

const parametersIn = (isAggregate: boolean): Content => {
  return ({ description, type, route }) =>
    requestBody(jsonContent(parametersBody(description, type, route.parameters, isAggregate)), false);
};

const given = (schema: (description: Description) => JsonSchema, required = true): Content => {
  return ({ description }) => requestBody(jsonContent(schema(description)), required);
};

/** A response that is no JSON. */
const ofType = (type: string, schema: JsonSchema): Content => {
  return () => ({ [type]: { schema } });
};

const BYTES: JsonSchema = {};

const CONTENT_KINDS = {
  list: { id: ({ many }) => `find${many}`, summary: ({ many }) => `List ${many}`, status: 200, answer: page },
  entry: {
    id: ({ one }) => `findOne${one}`,
    summary: ({ one }) => `Show one ${one}`,
    status: 200,
    answer: entry,
    errors: [404],
  },
  create: {
    id: ({ one }) => `create${one}`,
    summary: ({ one }) => `Create a ${one}`,
    status: 201,
    body: written('Create'),
    answer: entry,
    errors: [404],
  },
  update: {
    id: ({ one }) => `update${one}`,
    summary: ({ one }) => `Update a ${one}`,
    status: 200,
    body: written('Update'),
    answer: entry,
    errors: [404],
  },
  delete: { id: ({ one }) => `delete${one}`, summary: ({ one }) => `Delete a ${one}`, status: 204, answer: null },
  publish: {
    id: ({ one }) => `publish${one}`,
    summary: ({ one }) => `Publish the draft of a ${one}`,
    status: 200,
    answer: entry,
    errors: [404, 415],
  },
  unpublish: {
    id: ({ one }) => `unpublish${one}`,
    summary: ({ one }) => `Take the published version of a ${one} back`,
    status: 200,
    answer: entry,
    errors: [404, 415],
  },
  discardDraft: {
    id: ({ one }) => `discardDraftOf${one}`,
    summary: ({ one }) => `Make the draft of a ${one} what is published`,
    status: 200,
    answer: entry,
    errors: [404, 415],
  },
  clone: {
    id: ({ one }) => `clone${one}`,
    summary: ({ one }) => `Copy a ${one}, with the changes in the body`,
    status: 201,
    body: written('Update', false),
    answer: entry,
    errors: [404],
  },
  related: {
    id: ({ one, relation }) => `find${one}Related${relation}`,
    summary: ({ one, relation }) => `List what ${relation} of a ${one} leads to`,
    status: 200,
    answer: page,
    errors: [404],
  },
  aggregate: {
    id: ({ many }) => `aggregate${many}`,
    summary: ({ many }) => `Count ${many} and compute values of groups of them`,
    status: 200,
    answer: groups,
  },
  aggregateByBody: {
    id: ({ many }) => `aggregate${many}ByBody`,
    summary: ({ many }) => `Compute values of groups of ${many}; the parameters are the body`,
    status: 200,
    body: parametersIn(true),
    answer: groups,
  },
  listByBody: {
    id: ({ many }) => `query${many}`,
    summary: ({ many }) => `List ${many}; the parameters are the body`,
    status: 200,
    body: parametersIn(false),
    answer: page,
  },
} as const satisfies Readonly<Record<string, KindDescription>>;

const USER_KINDS = {
  users: {
    id: () => 'findUsers',
    summary: () => 'List users',
    status: 200,
    answer: (subject) => {
      const { description, type } = subject;
      return description.settings.users.bareList ? jsonContent(bareList(description, type)) : page(subject);
    },
  },
  user: { id: () => 'findOneUser', summary: () => 'Show one user', status: 200, answer: bare, errors: [404] },
  createUser: {
    id: () => 'createUser',
    summary: () => 'Create a user',
    status: 201,
    body: given((description) => ACCOUNT_BODIES.user(description, true)),
    answer: bare,
  },
  updateUser: {
    id: () => 'updateUser',
    summary: () => 'Update a user',
    status: 200,
    body: given((description) => ACCOUNT_BODIES.user(description, false)),
    answer: bare,
    errors: [404],
  },
  deleteUser: { id: () => 'deleteUser', summary: () => 'Delete a user', status: 200, answer: bare, errors: [404] },
  countUsers: {
    id: () => 'countUsers',
    summary: () => 'Count users',
    status: 200,
    answer: json(ACCOUNT_ANSWERS.count),
  },
  me: { id: () => 'findMe', summary: () => 'Show the account of who calls', status: 200, answer: bare, errors: [404] },
  roles: { id: () => 'findRoles', summary: () => 'List roles', status: 200, answer: json(ACCOUNT_ANSWERS.roles) },
  role: {
    id: () => 'findOneRole',
    summary: () => 'Show a role with its rights',
    status: 200,
    answer: json(ACCOUNT_ANSWERS.role),
    errors: [404],
  },
  permissions: {
    id: () => 'findPermissions',
    summary: () => 'Show everything that can be granted',
    status: 200,
    answer: json(ACCOUNT_ANSWERS.permissions),
  },
  createRole: {
    id: () => 'createRole',
    summary: () => 'Create a role',
    status: 200,
    body: given(ACCOUNT_BODIES.newRole),
    answer: json(ACCOUNT_ANSWERS.ok),
  },
  updateRole: {
    id: () => 'updateRole',
    summary: () => 'Change a role and what it is granted',
    status: 200,
    body: given(ACCOUNT_BODIES.role),
    answer: json(ACCOUNT_ANSWERS.ok),
    errors: [404],
  },
  deleteRole: {
    id: () => 'deleteRole',
    summary: () => 'Delete a role',
    status: 200,
    answer: json(ACCOUNT_ANSWERS.ok),
    errors: [404],
  },
} as const satisfies Readonly<Record<string, KindDescription>>;

const AUTH_KINDS = {
  logIn: {
    id: () => 'logIn',
    summary: () => 'Log in with a name or an address, and a password',
    status: 200,
    body: given(ACCOUNT_BODIES.logIn),
    answer: json(ACCOUNT_ANSWERS.signedIn),
  },
  register: {
    id: () => 'register',
    summary: () => 'Register an account',
    status: 200,
    body: given(ACCOUNT_BODIES.register),
    answer: json(ACCOUNT_ANSWERS.registered),
  },
  sendConfirmation: {
    id: () => 'sendEmailConfirmation',
    summary: () => 'Send the mail that confirms an address once more',
    status: 200,
    body: given(ACCOUNT_BODIES.address),
    answer: json(ACCOUNT_ANSWERS.confirmationSent),
  },
  refresh: {
    id: () => 'refreshSession',
    summary: () => 'Renew a session by its refresh token',
    status: 200,
    body: given(ACCOUNT_BODIES.refresh, false),
    answer: json(ACCOUNT_ANSWERS.tokens),
  },
  logOut: {
    id: () => 'logOut',
    summary: () => 'End the session',
    status: 200,
    body: given(ACCOUNT_BODIES.logOut, false),
    answer: json(ACCOUNT_ANSWERS.ok),
  },
  forgotPassword: {
    id: () => 'forgotPassword',
    summary: () => 'Ask for a mail with a code to set another password',
    status: 200,
    body: given(ACCOUNT_BODIES.address),
    answer: json(ACCOUNT_ANSWERS.ok),
  },
  resetPassword: {
    id: () => 'resetPassword',
    summary: () => 'Set another password with the code of a mail',
    status: 200,
    body: given(ACCOUNT_BODIES.resetPassword),
    answer: json(ACCOUNT_ANSWERS.signedIn),
  },
  changePassword: {
    id: () => 'changePassword',
    summary: () => 'Change the password of who calls',
    status: 200,
    body: given(ACCOUNT_BODIES.changePassword),
    answer: json(ACCOUNT_ANSWERS.signedIn),
  },
  sessions: {
    id: () => 'findSessions',
    summary: () => 'List the sessions of who calls',
    status: 200,
    answer: json(ACCOUNT_ANSWERS.sessions),
  },
  endSession: {
    id: () => 'endSession',
    summary: () => 'End a session of who calls',
    status: 200,
    answer: json(ACCOUNT_ANSWERS.sessionEnded),
    errors: [404],
  },
  confirmEmail: {
    id: () => 'confirmEmail',
    summary: () => 'Confirm an address with the code of a mail, and go on to a page',
    status: 302,
    answer: null,
  },
} as const satisfies Readonly<Record<string, KindDescription>>;

const FILE_KINDS = {
  upload: {
    id: () => 'uploadFiles',
    summary: () => 'Add files; with `id`, replace one or change what is said of it',
    status: 201,
    body: () =>
      requestBody({
        'multipart/form-data': { schema: uploadBody() },
        'application/json': { schema: uploadBody() },
      }),
    answer: json(filesAnswer),
    also: { status: 200, answer: json(fileAnswer) },
    errors: [404, ...HAS_BODY],
  },
  files: {
    id: () => 'findFiles',
    summary: () => 'List files',
    status: 200,
    answer: (subject) => {
      const { description, type } = subject;
      return description.settings.files.envelope ? page(subject) : jsonContent(bareList(description, type));
    },
  },
  filePage: { id: () => 'findFilePage', summary: () => 'List files in pages', status: 200, answer: page },
  file: { id: () => 'findOneFile', summary: () => 'Show one file', status: 200, answer: bare, errors: [404] },
  deleteFile: {
    id: () => 'deleteFile',
    summary: () => 'Delete a file',
    status: 200,
    answer: json(fileAnswer),
    errors: [404],
  },
  fileContent: {
    id: () => 'readFile',
    summary: () => 'The content of a file',
    status: 200,
    answer: ofType('*/*', BYTES),
    errors: [404, 412, 416],
  },
} as const satisfies Readonly<Record<string, KindDescription>>;

/** As Strapi 5's content-type builder has it. */
const DECLARED: JsonSchema = {
  type: 'object',
  properties: { uid: TEXT, schema: { type: 'object' } },
  required: ['uid', 'schema'],
};

const SERVER_KINDS = {
  own: {
    id: ({ route }) => `own${route}`,
    summary: () => "A route of the project's own code",
    status: 200,
    answer: ({ route }) => (route.schemas?.answer ? jsonContent(route.schemas.answer) : { '*/*': { schema: BYTES } }),
    errors: [404],
  },
  locales: {
    id: () => 'findLocales',
    summary: () => 'List locales',
    status: 200,
    answer: json(ACCOUNT_ANSWERS.locales),
  },
  declaredTypes: {
    id: () => 'findContentTypes',
    summary: () => 'Show how content-types are declared',
    status: 200,
    answer: json(() => strictObject({ data: listOf(DECLARED) })),
  },
  declaredType: {
    id: () => 'findOneContentType',
    summary: () => 'Show how a content-type is declared',
    status: 200,
    answer: json(() => strictObject({ data: DECLARED })),
    errors: [404],
  },
  declaredComponents: {
    id: () => 'findComponents',
    summary: () => 'Show how components are declared',
    status: 200,
    answer: json(() => strictObject({ data: listOf(DECLARED) })),
  },
  declaredComponent: {
    id: () => 'findOneComponent',
    summary: () => 'Show how a component is declared',
    status: 200,
    answer: json(() => strictObject({ data: DECLARED })),
    errors: [404],
  },
  health: { id: () => 'health', summary: () => 'Whether the server is there', status: 204, answer: null },
  ready: {
    id: () => 'ready',
    summary: () => 'Whether the server and its database take requests',
    status: 200,
    answer: json(() => ({ type: 'object', properties: { status: { const: 'ready' } }, required: ['status'] })),
  },
  openapi: {
    id: () => 'describeApi',
    summary: () => 'This description: what the caller may do',
    status: 200,
    answer: json(() => ({ type: 'object', properties: { openapi: TEXT }, required: ['openapi', 'info', 'paths'] })),
  },
  docs: {
    id: () => 'readDocs',
    summary: () => 'A page to read and try the API',
    status: 200,
    answer: ofType('text/html', TEXT),
  },
  docsFile: {
    id: () => 'readDocsFile',
    summary: () => 'What the page consists of',
    status: 200,
    answer: ofType('*/*', BYTES),
    errors: [404],
  },
} as const satisfies Readonly<Record<string, KindDescription>>;

const KINDS = { ...CONTENT_KINDS, ...USER_KINDS, ...AUTH_KINDS, ...FILE_KINDS, ...SERVER_KINDS } as const;

export type RouteKind = keyof typeof KINDS;

export const kindOf = (kind: RouteKind): KindDescription => KINDS[kind];

/** Under which title a route stands; null for that of its content-type. */
export function groupOf(kind: RouteKind): string | null {
  if (kind in CONTENT_KINDS) return null;
  if (kind in USER_KINDS) return 'Users and roles';
  if (kind in AUTH_KINDS) return 'Authentication';
  return kind in FILE_KINDS ? 'Files' : 'Server';
}
