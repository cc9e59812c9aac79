// The content-types that every project has besides its own: users and their roles, files, locales, and the
// types that Strapi 5 keeps beside them, so that a database made here opens there as well.
import type { AttributeDefinition, ContentType, Definition } from './types.ts';

const builtin = (
  uid: string,
  collectionName: string,
  [singularName, pluralName]: [string, string],
  attributes: Record<string, AttributeDefinition>,
): Definition => ({
  uid,
  file: 'built in',
  kind: 'collectionType',
  collectionName,
  singularName,
  pluralName,
  draftAndPublish: false,
  populateCreatorFields: false,
  privateAttributes: [],
  localized: false,
  indexes: [],
  attributes,
});

const text: AttributeDefinition = { type: 'string' };
const hiddenText: AttributeDefinition = { type: 'string', private: true, searchable: false };

export const USER = 'plugin::users-permissions.user';
export const ROLE = 'plugin::users-permissions.role';
export const FILE = 'plugin::upload.file';
export const LOCALE = 'plugin::i18n.locale';
export const ADMIN_USER = 'admin::user';

/** Whether a type has the routes of content; users have their own. */
export const isContent = ({ exposure, uid }: ContentType): boolean => exposure === 'routes' && uid !== USER;

/** The attributes of every type that tell who made an entry and who changed it last. */
export const CREATORS: ReadonlySet<string> = new Set(['createdBy', 'updatedBy']);

const API_TOKEN = 'admin::api-token';
const WORKFLOW_STAGE = 'plugin::review-workflows.workflow-stage';

const toOne = (target: string, inversedBy: string): AttributeDefinition => ({
  type: 'relation',
  relation: 'manyToOne',
  target,
  inversedBy,
});
const toMany = (
  relation: 'oneToMany' | 'manyToMany',
  target: string,
  other: { mappedBy?: string; inversedBy?: string },
): AttributeDefinition => ({ type: 'relation', relation, target, ...other });

/** Built-in types with paths of their own, and those seen only through relations; the others are not served. */
export const ROUTED_BUILTINS: ReadonlySet<string> = new Set([USER]);
export const RELATED_BUILTINS: ReadonlySet<string> = new Set([FILE, LOCALE, ADMIN_USER]);

export const BUILTIN_DEFINITIONS: readonly Definition[] = [
  builtin(USER, 'up_users', ['user', 'users'], {
    username: { type: 'string', minLength: 3, unique: true, required: true },
    email: { type: 'email', minLength: 6, required: true },
    provider: text,
    password: { type: 'password', minLength: 6, private: true, searchable: false },
    resetPasswordToken: hiddenText,
    confirmationToken: hiddenText,
    confirmed: { type: 'boolean', default: false },
    blocked: { type: 'boolean', default: false },
    role: {
      type: 'relation',
      relation: 'manyToOne',
      target: ROLE,
      inversedBy: 'users',
    },
  }),
  builtin(ROLE, 'up_roles', ['role', 'roles'], {
    name: { type: 'string', minLength: 3, required: true },
    description: text,
    type: { type: 'string', unique: true },
    permissions: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'plugin::users-permissions.permission',
      mappedBy: 'role',
      private: true,
    },
    users: { type: 'relation', relation: 'oneToMany', target: USER, mappedBy: 'role', private: true },
  }),
  builtin('plugin::users-permissions.permission', 'up_permissions', ['permission', 'permissions'], {
    action: { type: 'string', required: true },
    role: {
      type: 'relation',
      relation: 'manyToOne',
      target: ROLE,
      inversedBy: 'permissions',
    },
  }),
  builtin(FILE, 'files', ['file', 'files'], {
    name: { type: 'string', required: true },
    alternativeText: { type: 'text' },
    caption: { type: 'text' },
    focalPoint: { type: 'json' },
    width: { type: 'integer' },
    height: { type: 'integer' },
    formats: { type: 'json' },
    hash: { type: 'string', required: true },
    ext: text,
    mime: { type: 'string', required: true },
    size: { type: 'decimal', required: true },
    url: { type: 'text', required: true },
    previewUrl: { type: 'text' },
    provider: { type: 'string', required: true },
    provider_metadata: { type: 'json' },
    related: { type: 'relation', relation: 'morphToMany' },
    folder: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'plugin::upload.folder',
      inversedBy: 'files',
      private: true,
    },
    folderPath: { type: 'string', minLength: 1, required: true, private: true, searchable: false },
  }),
  builtin('plugin::upload.folder', 'upload_folders', ['folder', 'folders'], {
    name: { type: 'string', minLength: 1, required: true },
    pathId: { type: 'integer', unique: true, required: true },
    parent: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'plugin::upload.folder',
      inversedBy: 'children',
    },
    children: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'plugin::upload.folder',
      mappedBy: 'parent',
    },
    files: { type: 'relation', relation: 'oneToMany', target: FILE, mappedBy: 'folder' },
    path: { type: 'string', minLength: 1, required: true },
  }),
  builtin(LOCALE, 'i18n_locale', ['locale', 'locales'], {
    name: text,
    code: { type: 'string', unique: true },
  }),
  builtin(ADMIN_USER, 'admin_users', ['user', 'users'], {
    firstname: text,
    lastname: text,
    username: text,
    email: { type: 'email', private: true, searchable: false },
    password: { type: 'password', private: true, searchable: false },
    resetPasswordToken: hiddenText,
    resetPasswordTokenExpiresAt: { type: 'datetime', private: true },
    registrationToken: hiddenText,
    isActive: { type: 'boolean', private: true },
    roles: toMany('manyToMany', 'admin::role', { inversedBy: 'users' }),
    apiTokens: toMany('oneToMany', API_TOKEN, { mappedBy: 'adminUserOwner' }),
    blocked: { type: 'boolean', private: true },
    preferedLanguage: text,
  }),
  builtin('admin::role', 'admin_roles', ['role', 'roles'], {
    name: text,
    code: text,
    description: text,
    users: toMany('manyToMany', ADMIN_USER, { mappedBy: 'roles' }),
    permissions: toMany('oneToMany', 'admin::permission', { mappedBy: 'role' }),
  }),
  builtin('admin::permission', 'admin_permissions', ['permission', 'permissions'], {
    action: text,
    actionParameters: { type: 'json' },
    subject: text,
    properties: { type: 'json' },
    conditions: { type: 'json' },
    role: toOne('admin::role', 'permissions'),
    apiToken: toOne(API_TOKEN, 'adminPermissions'),
  }),
  builtin(API_TOKEN, 'strapi_api_tokens', ['api-token', 'api-tokens'], {
    name: text,
    description: text,
    kind: text,
    type: text,
    accessKey: text,
    encryptedKey: { type: 'text' },
    lastUsedAt: { type: 'datetime' },
    permissions: toMany('oneToMany', 'admin::api-token-permission', { mappedBy: 'token' }),
    adminPermissions: toMany('oneToMany', 'admin::permission', { mappedBy: 'apiToken' }),
    adminUserOwner: toOne(ADMIN_USER, 'apiTokens'),
    expiresAt: { type: 'datetime' },
    lifespan: { type: 'biginteger' },
  }),
  builtin(
    'admin::api-token-permission',
    'strapi_api_token_permissions',
    ['api-token-permission', 'api-token-permissions'],
    {
      action: text,
      token: toOne(API_TOKEN, 'permissions'),
    },
  ),
  builtin('admin::transfer-token', 'strapi_transfer_tokens', ['transfer-token', 'transfer-tokens'], {
    name: text,
    description: text,
    accessKey: text,
    lastUsedAt: { type: 'datetime' },
    permissions: toMany('oneToMany', 'admin::transfer-token-permission', { mappedBy: 'token' }),
    expiresAt: { type: 'datetime' },
    lifespan: { type: 'biginteger' },
  }),
  builtin(
    'admin::transfer-token-permission',
    'strapi_transfer_token_permissions',
    ['transfer-token-permission', 'transfer-token-permissions'],
    {
      action: text,
      token: toOne('admin::transfer-token', 'permissions'),
    },
  ),
  builtin('admin::session', 'strapi_sessions', ['session', 'sessions'], {
    userId: text,
    sessionId: text,
    childId: text,
    deviceId: text,
    origin: text,
    expiresAt: { type: 'datetime' },
    absoluteExpiresAt: { type: 'datetime' },
    status: text,
    type: text,
    metadata: { type: 'json' },
  }),
  builtin('plugin::content-releases.release', 'strapi_releases', ['release', 'releases'], {
    name: text,
    releasedAt: { type: 'datetime' },
    scheduledAt: { type: 'datetime' },
    timezone: text,
    status: text,
    actions: toMany('oneToMany', 'plugin::content-releases.release-action', { mappedBy: 'release' }),
  }),
  builtin('plugin::content-releases.release-action', 'strapi_release_actions', ['release-action', 'release-actions'], {
    type: text,
    contentType: text,
    entryDocumentId: text,
    release: toOne('plugin::content-releases.release', 'actions'),
    isEntryValid: { type: 'boolean' },
  }),
  builtin('plugin::review-workflows.workflow', 'strapi_workflows', ['workflow', 'workflows'], {
    name: text,
    stages: toMany('oneToMany', WORKFLOW_STAGE, { mappedBy: 'workflow' }),
    stageRequiredToPublish: { type: 'relation', relation: 'oneToOne', target: WORKFLOW_STAGE },
    contentTypes: { type: 'json' },
  }),
  builtin(WORKFLOW_STAGE, 'strapi_workflows_stages', ['workflow-stage', 'workflow-stages'], {
    name: text,
    color: text,
    workflow: toOne('plugin::review-workflows.workflow', 'stages'),
    permissions: toMany('manyToMany', 'admin::permission', {}),
  }),
];

/** The plugins of Strapi 5 whose types are built in. */
export const BUILTIN_PLUGINS: ReadonlySet<string> = new Set(
  BUILTIN_DEFINITIONS.flatMap(({ uid }) => /^plugin::([^.]+)/.exec(uid)?.[1] ?? []),
);
