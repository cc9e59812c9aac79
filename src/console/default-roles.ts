// The roles of console accounts in a new project, with the permissions that Strapi 5 gives them at its first start.
// There an editor may not publish or delete what has locales, as nobody said in which; here it is all of them.
import { createId } from '@paralleldrive/cuid2';
import { ENTRY_ACTIONS, IS_CREATOR, SUPER_ADMIN } from '../access/editor-permissions.ts';
import type { Database, Session } from '../db/database.ts';
import { USER } from '../model/builtin.ts';
import type { Definition, Model } from '../model/types.ts';
import type { ConsoleStatements } from '../sql/console-statements.ts';
import { STAMPS, textColumns } from '../sql/row-columns.ts';
import { WriteStatements } from '../sql/write-statements.ts';

interface Permission {
  readonly action: string;
  readonly subject: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly conditions: readonly string[];
}

const FIELD_ACTIONS = ['create', 'read', 'update'];
/** What is done with files, and whether an author may do it with the own ones only. */
const FILE_ACTIONS = [
  ['read', true],
  ['configure-view', false],
  ['assets.create', false],
  ['assets.update', true],
  ['assets.download', false],
  ['assets.copy-link', false],
] as const;

const ROLES = [
  {
    name: 'Super Admin',
    code: SUPER_ADMIN,
    description: 'Super Admins can access and manage all features and settings.',
    // It may do everything without.
    permissions: (): Permission[] => [],
  },
  {
    name: 'Editor',
    code: 'strapi-editor',
    description: 'Editors can manage and publish contents including those of other users.',
    permissions: (model: Model): Permission[] => permissionsOn(model, ['delete', 'publish'], []),
  },
  {
    name: 'Author',
    code: 'strapi-author',
    description: 'Authors can manage the content they have created.',
    permissions: (model: Model): Permission[] => permissionsOn(model, ['delete'], [IS_CREATOR]),
  },
] as const;

/** What a role may do with the entries of all types, and with files. */
function permissionsOn(model: Model, others: readonly string[], conditions: readonly string[]): Permission[] {
  const types = model.definitions.filter(
    ({ kind, uid }) => kind !== 'component' && uid !== USER && model.contentTypes.get(uid)?.exposure === 'routes',
  );
  const onTypes = (action: string, withFields: boolean): Permission[] =>
    types.map((type) => ({
      action: `${ENTRY_ACTIONS}${action}`,
      subject: type.uid,
      properties: {
        ...(withFields && { fields: fieldsOf(model, type) }),
        ...(type.localized && { locales: null }),
      },
      conditions,
    }));
  return [
    ...FIELD_ACTIONS.flatMap((action) => onTypes(action, true)),
    ...others.flatMap((action) => onTypes(action, false)),
    ...FILE_ACTIONS.map(([action, isOwn]) => ({
      action: `plugin::upload.${action}`,
      subject: null,
      properties: {},
      conditions: isOwn ? conditions : [],
    })),
  ];
}

/** The attributes of a type; of a component those inside, with their paths. One that holds itself is named as a whole. */
function fieldsOf(model: Model, { attributes }: Definition, above: readonly Definition[] = []): string[] {
  return Object.entries(attributes).flatMap(([name, { type, component }]) => {
    const inside = type === 'component' && model.definitions.find(({ uid }) => uid === component);
    if (!inside || above.includes(inside)) return [name];
    return fieldsOf(model, inside, [...above, inside]).map((field) => `${name}.${field}`);
  });
}

interface RoleDeps {
  readonly model: Model;
  readonly database: Database;
  readonly statements: ConsoleStatements;
}

/** Makes the roles where there are none. Returns the id of the one that may do everything. */
export async function ensureRoles(session: Session, { model, database, statements }: RoleDeps): Promise<number> {
  const sql = new WriteStatements(database.dialect);
  const present = await session.rows(statements.roles(), []);
  const found = present.find(([, code]) => code === SUPER_ADMIN);
  if (found) return found[0];
  // Where there are others, someone has decided over them.
  const missing = present.length === 0 ? ROLES : ROLES.filter(({ code }) => code === SUPER_ADMIN);
  const ids: number[] = [];
  for (const { permissions, ...role } of missing) {
    const id = await insertRole(session, sql, role);
    for (const [index, permission] of permissions(model).entries())
      await insertPermission(session, sql, permission, { role: id, place: index + 1 });
    ids.push(id);
  }
  return ids[0]!;
}

async function insertRole(
  session: Session,
  sql: WriteStatements,
  { name, code, description }: { readonly name: string; readonly code: string; readonly description: string },
): Promise<number> {
  const now = Date.now();
  const insert = sql.insertRow('admin_roles', [
    ...textColumns('document_id', 'name', 'code', 'description'),
    ...STAMPS,
  ]);
  const [row] = await session.rows(insert, [createId(), name, code, description, now, now, now]);
  return row![0];
}

async function insertPermission(
  session: Session,
  sql: WriteStatements,
  { action, subject, properties, conditions }: Permission,
  { role, place }: { readonly role: number; readonly place: number },
): Promise<void> {
  const now = Date.now();
  const json = ['properties', 'conditions', 'action_parameters'].map((column) => ({ column, type: 'json' as const }));
  const [row] = await session.rows(
    sql.insertRow('admin_permissions', [...textColumns('document_id', 'action', 'subject'), ...json, ...STAMPS]),
    [createId(), action, subject, JSON.stringify(properties), JSON.stringify(conditions), '{}', now, now, now],
  );
  const link = sql.insertRow('admin_permissions_role_lnk', [
    { column: 'permission_id', type: 'integer' },
    { column: 'role_id', type: 'integer' },
    { column: 'permission_ord', type: 'float' },
  ]);
  await session.rows(link, [row![0], role, place]);
}
