// The model → the tables that hold it: columns, indexes and foreign keys, named as Strapi 5 names them, so that
// a database made here opens there and the other way round. Dialects turn column types into their own.
import { FILE, USER } from './builtin.ts';
import { idColumnName, identifier, snakeCase, typeColumnName } from './identifiers.ts';
import type {
  Attribute,
  DeclaredIndex,
  Model,
  MorphAttribute,
  RelationAttribute,
  ScalarType,
  Schema,
} from './types.ts';

export type ColumnType =
  | 'id'
  | 'string'
  | 'text'
  | 'json'
  /** JSON that is kept as it was written. */
  | 'jsonText'
  | 'integer'
  | 'bigint'
  | 'double'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime';

export interface ColumnDefinition {
  readonly name: string;
  readonly type: ColumnType;
  readonly required?: boolean;
}

export interface IndexDefinition {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique?: boolean;
  /** Where given, the index is one of values as filters and sorts of these types compare them. */
  readonly types?: readonly ScalarType[];
}

export interface ForeignKey {
  readonly name: string;
  readonly column: string;
  readonly table: string;
  readonly onDelete: 'cascade' | 'set null';
}

export interface TableDefinition {
  readonly name: string;
  /** What it was made from, for messages. */
  readonly source: string;
  readonly columns: readonly ColumnDefinition[];
  readonly indexes: readonly IndexDefinition[];
  readonly foreignKeys: readonly ForeignKey[];
}

/** The type of the column that an attribute of a type is kept in. */
export const COLUMN_TYPES: Readonly<Record<ScalarType, ColumnType>> = {
  string: 'string',
  text: 'text',
  richtext: 'text',
  email: 'string',
  uid: 'string',
  enumeration: 'string',
  password: 'string',
  integer: 'integer',
  biginteger: 'bigint',
  float: 'double',
  decimal: 'decimal',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  timestamp: 'datetime',
  json: 'json',
  blocks: 'json',
};

const ADMIN_TABLE = 'admin_users';
const ID: ColumnDefinition = { name: 'id', type: 'id' };

const index = (
  parts: readonly string[],
  suffix: string,
  columns: readonly string[],
  unique = false,
): IndexDefinition => ({
  name: identifier(parts, suffix),
  columns,
  ...(unique && { unique }),
});

const foreignKey = (parts: readonly string[], suffix: string, key: Omit<ForeignKey, 'name'>): ForeignKey => ({
  name: identifier(parts, suffix),
  ...key,
});

/** Every table of the model; a table comes after the ones it refers to only where that is possible. */
export function tablesOf(model: Model): TableDefinition[] {
  const tables: TableDefinition[] = [...SYSTEM_TABLES];
  for (const schema of [...model.components.values(), ...model.contentTypes.values()]) {
    tables.push(rowTable(model, schema));
    const attributes = [...schema.attributes.values()];
    if (attributes.some(({ kind }) => kind === 'component' || kind === 'dynamiczone'))
      tables.push(componentTable(schema));
    for (const attribute of attributes) {
      if (attribute.kind === 'relation' && attribute.owning && attribute.storage === 'linkTable')
        tables.push(linkTable(model, schema, attribute));
      if (attribute.kind === 'morph' && attribute.many) tables.push(morphTable(schema, attribute));
    }
  }
  return tables;
}

function rowTable(model: Model, schema: Schema): TableDefinition {
  const { table } = schema;
  const columns: ColumnDefinition[] = [];
  const indexes: IndexDefinition[] = [];
  const foreignKeys: ForeignKey[] = [];
  for (const attribute of schema.attributes.values()) {
    columns.push(...columnsOf(attribute));
    // Every write of a unique value looks for another that holds it.
    if (attribute.kind === 'scalar' && attribute.rules.unique)
      indexes.push({ name: identifier([table, attribute.column], 'idx', 'sheaf'), columns: [attribute.column] });
    const key = ownKey(attribute);
    if (key !== null && attribute.kind === 'relation') {
      indexes.push(index([table, key], 'fk', [key]));
      const target = model.contentTypes.get(attribute.target)!;
      foreignKeys.push(foreignKey([table, key], 'fk', { column: key, table: target.table, onDelete: 'set null' }));
    }
  }
  if (schema.kind !== 'component')
    indexes.push(index([schema.collectionName, 'documents'], 'idx', ['document_id', 'locale', 'published_at']));
  indexes.push(...(EXTRA_INDEXES[schema.uid] ?? []));
  for (const declared of schema.indexes) indexes.push(declaredIndex(table, declared));
  return { name: table, source: schema.uid, columns, indexes, foreignKeys };
}

/** Has a name of its own, since the index of a unique attribute is one of the column as it is stored. */
function declaredIndex(table: string, declared: DeclaredIndex): IndexDefinition {
  const columns = declared.map(({ column }) => column);
  const name = identifier([table, columns.join('_')], 'declared', 'sheaf');
  return { name, columns, types: declared.map(({ type }) => type) };
}

const ownKey = (attribute: Attribute): string | null =>
  attribute.kind === 'relation' && attribute.storage === 'column' && attribute.owning ? attribute.link.to : null;

function columnsOf(attribute: Attribute): ColumnDefinition[] {
  if (attribute.kind === 'scalar')
    return [attribute.name === 'id' ? ID : { name: attribute.column, type: COLUMN_TYPES[attribute.type] }];
  const key = ownKey(attribute);
  if (key !== null) return [{ name: key, type: 'integer' }];
  if (attribute.kind === 'morph' && !attribute.many)
    return [
      { name: 'target_id', type: 'integer' },
      { name: 'target_type', type: 'string' },
    ];
  return [];
}

function linkTable(model: Model, schema: Schema, attribute: RelationAttribute): TableDefinition {
  const { table, from, to, order, inverseOrder } = attribute.link;
  const target = model.contentTypes.get(attribute.target)!;
  const orders = [order, inverseOrder].filter((column) => column !== null);
  return {
    name: table,
    source: `${schema.uid}.${attribute.name}`,
    columns: [
      ID,
      { name: from, type: 'integer' },
      { name: to, type: 'integer' },
      ...orders.map((name): ColumnDefinition => ({ name, type: 'double' })),
    ],
    indexes: [
      index([table], 'fk', [from]),
      index([table], 'ifk', [to]),
      index([table], 'uq', [from, to], true),
      ...(order ? [index([table], 'ofk', [order])] : []),
      ...(inverseOrder ? [index([table], 'oifk', [inverseOrder])] : []),
      { name: identifier([table, 'own'], 'idx', 'sheaf'), columns: order ? [from, order, to] : [from, to] },
      {
        name: identifier([table, 'inv'], 'idx', 'sheaf'),
        columns: inverseOrder ? [to, inverseOrder, from] : [to, from],
      },
    ],
    foreignKeys: [
      foreignKey([table], 'fk', { column: from, table: schema.table, onDelete: 'cascade' }),
      foreignKey([table], 'ifk', { column: to, table: target.table, onDelete: 'cascade' }),
    ],
  };
}

function componentTable({ uid, table, collectionName, componentTable }: Schema): TableDefinition {
  return {
    name: componentTable,
    source: `${uid} components`,
    columns: [
      ID,
      { name: 'entity_id', type: 'integer' },
      { name: 'cmp_id', type: 'integer' },
      { name: 'component_type', type: 'string' },
      { name: 'field', type: 'string' },
      { name: 'order', type: 'double' },
    ],
    indexes: [
      index([collectionName, 'field'], 'idx', ['field']),
      index([collectionName, 'component_type'], 'idx', ['component_type']),
      index([collectionName, 'entity'], 'fk', ['entity_id']),
      index([collectionName], 'uq', ['entity_id', 'cmp_id', 'field', 'component_type'], true),
    ],
    foreignKeys: [foreignKey([collectionName, 'entity'], 'fk', { column: 'entity_id', table, onDelete: 'cascade' })],
  };
}

function morphTable(schema: Schema, attribute: MorphAttribute): TableDefinition {
  const name = identifier([snakeCase(schema.table), snakeCase(attribute.name)], 'mph');
  const from = idColumnName(schema.singularName);
  const to = idColumnName(attribute.name);
  return {
    name,
    source: `${schema.uid}.${attribute.name}`,
    columns: [
      ID,
      { name: from, type: 'integer' },
      { name: to, type: 'integer' },
      { name: typeColumnName(attribute.name), type: 'string' },
      { name: 'field', type: 'string' },
      { name: 'order', type: 'double' },
    ],
    indexes: [index([name], 'fk', [from]), index([name], 'oidx', ['order']), index([name], 'idix', [to])],
    foreignKeys: [foreignKey([name], 'fk', { column: from, table: schema.table, onDelete: 'cascade' })],
  };
}

const EXTRA_INDEXES: Readonly<Record<string, readonly IndexDefinition[]>> = {
  [FILE]: ['folder_path', 'created_at', 'updated_at', 'name', 'size', 'ext'].map((column) => ({
    name: `upload_files_${column}_index`,
    columns: [column],
  })),
  'plugin::upload.folder': ['path_id', 'path'].map((column) => ({
    name: `upload_folders_${column}_index`,
    columns: [column],
    unique: true,
  })),
  // Every request with credentials looks these up.
  [USER]: [{ name: 'sheaf_up_users_email_idx', columns: ['email'] }],
  'admin::api-token': [{ name: 'sheaf_api_tokens_key_idx', columns: ['access_key'] }],
  'admin::session': ['session_id', 'user_id'].map((column) => ({
    name: `sheaf_sessions_${column}_idx`,
    columns: [column],
  })),
};

/** The source of tables that belong to no type. */
export const BUILT_IN = 'built in';

const plain = (name: string, columns: readonly ColumnDefinition[]): TableDefinition => ({
  name,
  source: BUILT_IN,
  columns: [ID, ...columns],
  indexes: [],
  foreignKeys: [],
});
const string = (name: string, required = false): ColumnDefinition => ({
  name,
  type: 'string',
  ...(required && { required }),
});
const datetime = (name: string): ColumnDefinition => ({ name, type: 'datetime' });
const json = (name: string, required = false): ColumnDefinition => ({
  name,
  type: 'json',
  ...(required && { required }),
});

export const SETTINGS_TABLE = 'strapi_core_store_settings';
/** The setting that names the default locale, as a JSON string. */
export const DEFAULT_LOCALE_SETTING = 'plugin_i18n_default_locale';
export const MIGRATIONS_TABLE = 'strapi_migrations_internal';

/** What a published row's list held when the row was published: the drafts of its targets, with their positions. */
export const PUBLISHED_LISTS = 'sheaf_published_lists';
/** Which component row of a published entry is the copy of which row of the draft. */
export const COMPONENT_COPIES = 'sheaf_component_copies';
export const OWN_SETTINGS = 'sheaf_settings';
/** The moment since when an account accepts tokens that belong to no session. */
export const ACCOUNTS = 'sheaf_accounts';

/** Who is logged in to the console: the hash of each token, and the password that it was given for, hashed once more. */
export const CONSOLE_SESSIONS = 'sheaf_console_sessions';
/** Links that let someone choose a password, by the hash of their token; without an account: the first one. */
export const CONSOLE_LINKS = 'sheaf_console_links';

/** Changes of the model that the data has followed. */
export const MODEL_CHANGES = 'sheaf_model_changes';

const SYSTEM_TABLES: readonly TableDefinition[] = [
  plain('strapi_migrations', [string('name'), datetime('time')]),
  plain(MIGRATIONS_TABLE, [string('name'), datetime('time')]),
  plain('strapi_database_schema', [{ name: 'schema', type: 'jsonText' }, datetime('time'), string('hash')]),
  plain(SETTINGS_TABLE, [
    string('key'),
    { name: 'value', type: 'text' },
    string('type'),
    string('environment'),
    string('tag'),
  ]),
  plain('strapi_webhooks', [
    string('name'),
    { name: 'url', type: 'text' },
    json('headers'),
    json('events'),
    { name: 'enabled', type: 'boolean' },
  ]),
  plain('strapi_ai_metadata_jobs', [string('status', true), datetime('created_at'), datetime('completed_at')]),
  plain('strapi_ai_localization_jobs', [
    string('content_type', true),
    string('related_document_id', true),
    string('source_locale', true),
    json('target_locales', true),
    string('status', true),
    datetime('created_at'),
    datetime('updated_at'),
  ]),
  {
    ...plain('strapi_history_versions', [
      string('content_type', true),
      string('related_document_id'),
      string('locale'),
      string('status'),
      json('data'),
      json('schema'),
      datetime('created_at'),
      { name: 'created_by_id', type: 'integer' },
    ]),
    indexes: [{ name: 'strapi_history_versions_created_by_id_fk', columns: ['created_by_id'] }],
    foreignKeys: [
      {
        name: 'strapi_history_versions_created_by_id_fk',
        column: 'created_by_id',
        table: ADMIN_TABLE,
        onDelete: 'set null',
      },
    ],
  },
  {
    ...plain(PUBLISHED_LISTS, [
      string('list', true),
      { name: 'holder_id', type: 'integer', required: true },
      { name: 'target_id', type: 'integer', required: true },
      { name: 'position', type: 'integer', required: true },
    ]),
    indexes: [
      { name: 'sheaf_published_lists_holder_uq', columns: ['list', 'holder_id', 'target_id'], unique: true },
      { name: 'sheaf_published_lists_target_idx', columns: ['list', 'target_id'] },
    ],
  },
  {
    ...plain(COMPONENT_COPIES, [
      string('component_table', true),
      { name: 'draft_id', type: 'integer', required: true },
      { name: 'published_id', type: 'integer', required: true },
    ]),
    indexes: [
      { name: 'sheaf_component_copies_draft_uq', columns: ['component_table', 'draft_id'], unique: true },
      { name: 'sheaf_component_copies_published_uq', columns: ['component_table', 'published_id'], unique: true },
    ],
  },
  {
    ...plain(ACCOUNTS, [
      { name: 'user_id', type: 'integer', required: true },
      { name: 'tokens_after', type: 'bigint', required: true },
    ]),
    indexes: [{ name: 'sheaf_accounts_user_uq', columns: ['user_id'], unique: true }],
  },
  {
    ...plain(CONSOLE_SESSIONS, [
      string('token_hash', true),
      { name: 'account_id', type: 'integer', required: true },
      string('credential', true),
      { name: 'expires_at', type: 'bigint', required: true },
      { name: 'seen_at', type: 'bigint', required: true },
    ]),
    indexes: [
      { name: 'sheaf_console_sessions_token_uq', columns: ['token_hash'], unique: true },
      { name: 'sheaf_console_sessions_account_idx', columns: ['account_id'] },
    ],
  },
  {
    ...plain(CONSOLE_LINKS, [
      string('token_hash', true),
      { name: 'account_id', type: 'integer' },
      { name: 'expires_at', type: 'bigint', required: true },
    ]),
    indexes: [{ name: 'sheaf_console_links_token_uq', columns: ['token_hash'], unique: true }],
  },
  plain(MODEL_CHANGES, [
    string('change', true),
    { name: 'summary', type: 'text' },
    { name: 'undo', type: 'text' },
    { name: 'definitions', type: 'text' },
    string('state', true),
    datetime('applied_at'),
  ]),
  {
    ...plain(OWN_SETTINGS, [string('key', true), { name: 'value', type: 'text' }]),
    indexes: [{ name: 'sheaf_settings_key_uq', columns: ['key'], unique: true }],
  },
];

/** Work of a project's hooks on writes that are committed, until it is done. */
export const COMMITTED = 'sheaf_committed';
/** The tasks of a project: when each was last due, and who runs it. */
export const TASKS = 'sheaf_tasks';
/** When tasks ran, and how it ended. */
export const TASK_RUNS = 'sheaf_task_runs';

const bigint = (name: string): ColumnDefinition => ({ name, type: 'bigint', required: true });
const text = (name: string): ColumnDefinition => ({ name, type: 'text' });

/** Made only where a project has hooks on committed writes. */
export const COMMITTED_TABLES: readonly TableDefinition[] = [
  {
    ...plain(COMMITTED, [
      string('hook', true),
      text('document'),
      text('event'),
      { name: 'tries', type: 'integer', required: true },
      string('state', true),
      bigint('run_at'),
      bigint('lease_until'),
      string('leased_by'),
      text('error'),
    ]),
    indexes: [{ name: 'sheaf_committed_document_idx', columns: ['document', 'hook'] }],
  },
];

/** Made only where a project has tasks. */
export const TASK_TABLES: readonly TableDefinition[] = [
  {
    ...plain(TASKS, [string('name', true), bigint('due_at'), bigint('lease_until'), string('leased_by')]),
    indexes: [{ name: 'sheaf_tasks_name_uq', columns: ['name'], unique: true }],
  },
  {
    ...plain(TASK_RUNS, [
      string('task', true),
      bigint('due_at'),
      bigint('started_at'),
      { name: 'ended_at', type: 'bigint' },
      string('state', true),
      string('node'),
      text('error'),
    ]),
    indexes: [{ name: 'sheaf_task_runs_task_idx', columns: ['task', 'due_at'] }],
  },
];
