// Callers who work in the console, from permissions as they would be stored.
import { readFileSync } from 'node:fs';
import type { Caller } from '../../src/access/caller.ts';
import { editorAccess } from '../../src/access/editor-access.ts';
import { type EditorGrants, type EditorPermission, SUPER_ADMIN } from '../../src/access/editor-permissions.ts';
import type { Model } from '../../src/model/types.ts';

export interface Permission {
  /** Such as `read`, which stands for that of entries, or a whole action. */
  readonly action: string;
  readonly subject?: string;
  readonly fields?: readonly string[] | null;
  readonly locales?: readonly string[] | null;
  /** In place of those that fields and locales make. */
  readonly properties?: unknown;
  readonly conditions?: readonly string[];
  readonly actionParameters?: Readonly<Record<string, unknown>>;
}

export const IS_CREATOR = 'admin::is-creator';
export const HAS_SAME_ROLE = 'admin::has-same-role-as-creator';

const stored = ({ action, subject, fields, locales, ...rest }: Permission): EditorPermission => ({
  roleId: 1,
  action: action === '' || action.includes('::') ? action : `plugin::content-manager.explorer.${action}`,
  subject: subject ?? null,
  properties: rest.properties ?? {
    ...(fields !== undefined && { fields }),
    ...(locales !== undefined && { locales }),
  },
  conditions: rest.conditions ?? [],
  actionParameters: rest.actionParameters ?? {},
});

const roleOf = (code: string, id: number) => ({ id, code, name: code, description: null });

export const grantsOf = (permissions: readonly Permission[], roleIds: readonly number[] = [1]): EditorGrants => ({
  roles: roleIds.map((id) => roleOf(`role-${id}`, id)),
  permissions: permissions.map(stored),
});

export const SUPER_ADMIN_GRANTS: EditorGrants = { roles: [roleOf(SUPER_ADMIN, 1)], permissions: [] };

/** What Strapi 5 stores for a role in a new project, which is the guide. */
export function defaultGrants(code: 'strapi-editor' | 'strapi-author'): EditorGrants {
  const file = new URL('../fixtures/console-permissions.json', import.meta.url);
  const permissions = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Omit<EditorPermission, 'roleId'>[]>;
  const id = code === 'strapi-editor' ? 2 : 3;
  return {
    roles: [roleOf(code, id)],
    permissions: permissions[code]!.map((permission) => ({ ...permission, roleId: id })),
  };
}

let revision = 0;

/** Someone in the console; `id` is that of the account. */
export const editorWith = (model: Model, grants: EditorGrants, id: number): Caller => ({
  kind: 'editor',
  access: editorAccess(model, grants, ++revision),
  user: { id },
  account: null,
  knownBy: null,
});
