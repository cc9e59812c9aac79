// The content-types that every project has besides its own: users and their roles, files, locales, and the
// accounts of the admin panel as far as entries refer to them.
import type { AttributeDefinition, Definition } from './definitions.ts';

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
  attributes,
});

const text = { type: 'string' };
const hiddenText = { type: 'string', private: true, searchable: false };

export const USER = 'plugin::users-permissions.user';
export const FILE = 'plugin::upload.file';
export const LOCALE = 'plugin::i18n.locale';
export const ADMIN_USER = 'admin::user';

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
      target: 'plugin::users-permissions.role',
      inversedBy: 'users',
    },
  }),
  builtin('plugin::users-permissions.role', 'up_roles', ['role', 'roles'], {
    name: { type: 'string', minLength: 3, required: true },
    description: text,
    type: { type: 'string', unique: true },
    permissions: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'plugin::users-permissions.permission',
      mappedBy: 'role',
    },
    users: { type: 'relation', relation: 'oneToMany', target: USER, mappedBy: 'role' },
  }),
  builtin('plugin::users-permissions.permission', 'up_permissions', ['permission', 'permissions'], {
    action: { type: 'string', required: true },
    role: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'plugin::users-permissions.role',
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
  builtin(ADMIN_USER, 'admin_users', ['admin-user', 'admin-users'], {
    firstname: text,
    lastname: text,
    username: text,
    email: { type: 'email', private: true, searchable: false },
    password: { type: 'password', private: true, searchable: false },
    resetPasswordToken: hiddenText,
    registrationToken: hiddenText,
    isActive: { type: 'boolean', private: true },
    blocked: { type: 'boolean', private: true },
    preferedLanguage: text,
  }),
];
