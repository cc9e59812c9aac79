// Accounts, roles, locales and files: what their routes take and answer beside entries.
import { FILE, LOCALE, USER } from '../model/builtin.ts';
import type { ContentType } from '../model/types.ts';
import type { Description } from './description.ts';
import { bareEntry, entrySchema, shownAttribute } from './entries.ts';
import { dataSchema } from './inputs.ts';
import {
  anyOf,
  COUNT,
  FLAG,
  type JsonSchema,
  listOf,
  type Properties,
  strictObject,
  TEXT,
  WHOLE,
} from './named-schemas.ts';

const SECRET: JsonSchema = { type: 'string', minLength: 1, format: 'password' };
const NEW_PASSWORD: JsonSchema = { type: 'string', minLength: 6, format: 'password' };
const GIVEN: JsonSchema = { type: 'string', minLength: 1 };
const DEVICE: JsonSchema = { type: 'string', maxLength: 255, description: 'A name for the device, to log it out by.' };
const INSTANT: JsonSchema = { type: ['string', 'null'], format: 'date-time' };

/** Members that mean something; others are ignored. */
const openBody = (properties: Properties, required: readonly string[] = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required: [...required].sort() }),
});

const userType = ({ view }: Description): ContentType => view.model.contentTypes.get(USER)!;

/** What is needed to renew a session is in a cookie, unless the project or the request wants it in the body. */
const TOKENS: Properties = { jwt: TEXT, refreshToken: TEXT };

/** Someone who is logged in. The user is shown as this user may read it. */
const signedIn = (description: Description, required: readonly string[]): JsonSchema =>
  strictObject({ ...TOKENS, user: ownAccount(description) }, required);

/**
 * What users are shown of their own accounts: what every role may read. Where some may read more, it is open, since the
 * names of that are not for everyone.
 */
const ownAccount = (description: Description): JsonSchema =>
  description.schemas.refer('OwnAccount', () => {
    const type = userType(description);
    const byRole = description.ofRoles.map((view) => view.scalars(type));
    const shared = (byRole[0] ?? []).filter((one) => byRole.every((others) => others.includes(one)));
    const shown = shared.map((attribute) => [attribute.name, shownAttribute(type, attribute)] as const);
    const isSame = byRole.every(({ length }) => length === shared.length);
    return strictObject(Object.fromEntries(shown), undefined, isSame ? {} : { additionalProperties: true });
  });

const OK: JsonSchema = strictObject({ ok: { const: true } });

const permissions = (required: readonly string[]): JsonSchema => ({
  type: 'object',
  description: 'Actions by owner and controller, each with whether the role has it.',
  additionalProperties: strictObject({
    controllers: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: strictObject({ enabled: FLAG, policy: TEXT }, required),
      },
    },
  }),
});

const PERMISSIONS = permissions(['enabled', 'policy']);
const GIVEN_PERMISSIONS = permissions(['enabled']);

const ROLE_NAME: JsonSchema = { type: 'string', minLength: 3, maxLength: 255 };
const ROLE_TEXT: JsonSchema = { type: ['string', 'null'], maxLength: 255 };

/** What routes about accounts take. */
export const ACCOUNT_BODIES = {
  logIn: () =>
    openBody({ identifier: { ...GIVEN, description: 'A name or an address.' }, password: SECRET, deviceId: DEVICE }, [
      'identifier',
      'password',
    ]),
  register: (description: Description) => {
    const extra = description.settings.auth.registerFields.map((name): [string, JsonSchema] => [name, {}]);
    const properties = { username: GIVEN, email: GIVEN, password: NEW_PASSWORD, ...Object.fromEntries(extra) };
    return strictObject(properties, ['username', 'email', 'password']);
  },
  address: () => openBody({ email: GIVEN }),
  resetPassword: () =>
    openBody({ code: GIVEN, password: NEW_PASSWORD, passwordConfirmation: NEW_PASSWORD, deviceId: DEVICE }, [
      'code',
      'password',
      'passwordConfirmation',
    ]),
  changePassword: () =>
    openBody(
      { currentPassword: SECRET, password: NEW_PASSWORD, passwordConfirmation: NEW_PASSWORD, deviceId: DEVICE },
      ['currentPassword', 'password', 'passwordConfirmation'],
    ),
  refresh: () => openBody({ refreshToken: { ...TEXT, description: 'Without it that of the cookie is taken.' } }, []),
  logOut: () =>
    openBody(
      {
        scope: { ...TEXT, description: '`all` ends every session of the user.' },
        deviceId: { ...TEXT, description: 'Ends the session on that device.' },
      },
      [],
    ),
  newRole: () =>
    openBody(
      {
        name: ROLE_NAME,
        description: ROLE_TEXT,
        type: { ...TEXT, description: 'Made from the name where it is missing.' },
        permissions: GIVEN_PERMISSIONS,
      },
      ['name'],
    ),
  role: () => openBody({ name: ROLE_NAME, description: ROLE_TEXT, permissions: GIVEN_PERMISSIONS }, []),
  user: (description: Description, isNew: boolean) =>
    dataSchema(description, userType(description), isNew ? 'Create' : 'Update'),
} as const;

const ROLE: Properties = {
  id: WHOLE,
  documentId: TEXT,
  name: TEXT,
  description: { type: ['string', 'null'] },
  type: TEXT,
  createdAt: INSTANT,
  updatedAt: INSTANT,
  publishedAt: INSTANT,
};

const SESSION: JsonSchema = strictObject({
  id: TEXT,
  deviceId: { type: ['string', 'null'] },
  deviceName: { type: ['string', 'null'] },
  current: FLAG,
  loginAt: { type: 'string', format: 'date-time' },
  lastActiveAt: { type: 'string', format: 'date-time' },
});

/** What routes about accounts, roles and locales answer. */
export const ACCOUNT_ANSWERS = {
  signedIn: (description: Description) =>
    description.schemas.refer('SignedIn', () => signedIn(description, ['jwt', 'user'])),
  /** Without a token where the address has to be confirmed first. */
  registered: (description: Description) =>
    description.schemas.refer('Registered', () => signedIn(description, ['user'])),
  tokens: () => strictObject(TOKENS, ['jwt']),
  ok: () => OK,
  confirmationSent: () => strictObject({ email: TEXT, sent: { const: true } }),
  sessions: () => strictObject({ data: listOf(SESSION) }),
  sessionEnded: () => strictObject({ data: strictObject({}) }),
  count: () => COUNT,
  roles: () => strictObject({ roles: listOf(strictObject({ ...ROLE, nb_users: COUNT })) }),
  role: () => strictObject({ role: strictObject({ ...ROLE, permissions: PERMISSIONS }) }),
  permissions: () => strictObject({ permissions: PERMISSIONS }),
  locales: ({ view, schemas }: Description) =>
    schemas.refer('Locales', () => {
      const scalars = view.scalars(view.schemaOf(LOCALE)).map(({ name }) => name);
      const known: Record<string, JsonSchema> = { ...LOCALE_PROPERTIES };
      const properties = Object.fromEntries(scalars.map((name) => [name, known[name] ?? {}]));
      return listOf(strictObject({ ...properties, isDefault: FLAG }));
    }),
} as const;

const LOCALE_PROPERTIES: Properties = {
  id: WHOLE,
  documentId: TEXT,
  name: { type: ['string', 'null'] },
  code: { type: ['string', 'null'] },
  createdAt: INSTANT,
  updatedAt: INSTANT,
  publishedAt: INSTANT,
};

const fileType = ({ view }: Description): ContentType => view.model.contentTypes.get(FILE)!;

const FILE_INFO: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: ['string', 'null'] },
    alternativeText: { type: ['string', 'null'] },
    caption: { type: ['string', 'null'] },
    focalPoint: {
      type: ['object', 'null'],
      properties: {
        x: { type: 'number', minimum: 0, maximum: 100 },
        y: { type: 'number', minimum: 0, maximum: 100 },
      },
      required: ['x', 'y'],
    },
  },
};

/** Files with what is said of them; with `?id=`, one file or what is said of it. */
export const uploadBody = (): JsonSchema => ({
  type: 'object',
  properties: {
    files: listOf({ type: 'string', contentMediaType: 'application/octet-stream' }),
    fileInfo: anyOf(FILE_INFO, listOf(FILE_INFO)),
    ref: { type: 'string', description: 'The uid of the type that the files are for.' },
    refId: anyOf(TEXT, WHOLE),
    field: { type: 'string', description: 'The attribute of the entry that the files are put into.' },
  },
});

export const filesAnswer = (description: Description): JsonSchema =>
  listOf(entrySchema(description, fileType(description), 'full'));

export const fileAnswer = (description: Description): JsonSchema => bareEntry(description, fileType(description));
