// What the roles of an account of the console may do, as Strapi 5 stores it: admin_roles and admin_permissions.

/** The role that may do everything that there is, whatever permissions it has. */
export const SUPER_ADMIN = 'strapi-super-admin';

/** What the actions on entries begin with: `create`, `read` and so on follow. */
export const ENTRY_ACTIONS = 'plugin::content-manager.explorer.';
/** Conditions: only entries that the account made, or someone with one of its roles. */
export const IS_CREATOR = 'admin::is-creator';
export const HAS_SAME_ROLE = 'admin::has-same-role-as-creator';

export interface EditorRole {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
}

/** A permission as it is stored. What is JSON there is parsed, and not checked; null where there is none. */
export interface EditorPermission {
  readonly roleId: number;
  /** Such as `plugin::content-manager.explorer.create`; empty where there is none. */
  readonly action: string;
  /** The uid of what it is about; null where it is about nothing in particular. */
  readonly subject: string | null;
  /** Such as `{"fields": ["title", "seo.metaTitle"], "locales": ["en"]}`. */
  readonly properties: unknown;
  /** Such as `["admin::is-creator"]`. */
  readonly conditions: unknown;
  readonly actionParameters: unknown;
}

/** The roles of an account, in order, and all their permissions. Those of a super admin are not read. */
export interface EditorGrants {
  readonly roles: readonly EditorRole[];
  readonly permissions: readonly EditorPermission[];
}

export const isSuperAdmin = ({ roles }: Pick<EditorGrants, 'roles'>): boolean =>
  roles.some(({ code }) => code === SUPER_ADMIN);
