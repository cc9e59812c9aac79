// Users as the API lists them: in the envelope of every list or, as projects of Strapi can have it, without.

export interface ApiUser {
  readonly id: number;
  readonly documentId: string;
  readonly username: string;
  readonly email: string;
  readonly confirmed?: boolean | null;
  readonly blocked?: boolean | null;
  readonly role?: { readonly id: number; readonly name: string } | null;
}

export type UserList =
  | readonly ApiUser[]
  | { readonly data: readonly ApiUser[]; readonly meta: { readonly pagination: { readonly total: number } } };

export const PAGE_SIZE = 25;

/** The request for a page. One user more than is shown tells of a next page where nobody counts. */
export function usersPath(view: { readonly search: string; readonly page: number }, withRole: boolean): string {
  const query = new URLSearchParams({
    sort: 'username',
    'pagination[start]': String((view.page - 1) * PAGE_SIZE),
    'pagination[limit]': String(PAGE_SIZE + 1),
  });
  if (withRole) query.set('populate', 'role');
  if (view.search) query.set('_q', view.search);
  return `rest/users?${query}`;
}

export interface UserPage {
  readonly users: readonly ApiUser[];
  /** Null where the list does not tell. */
  readonly total: number | null;
  readonly hasNext: boolean;
}

const isBare = (list: UserList): list is readonly ApiUser[] => Array.isArray(list);

export function pageOf(list: UserList): UserPage {
  const users = isBare(list) ? list : list.data;
  return {
    users: users.slice(0, PAGE_SIZE),
    total: isBare(list) ? null : list.meta.pagination.total,
    hasNext: users.length > PAGE_SIZE,
  };
}

/** What the form of a user holds. */
export interface UserFields {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  /** Null: the default role, where the server chooses. */
  readonly role: number | null;
  readonly confirmed: boolean;
  readonly blocked: boolean;
}

export const userFields = (user: ApiUser | null): UserFields => ({
  username: user?.username ?? '',
  email: user?.email ?? '',
  password: '',
  role: user?.role?.id ?? null,
  confirmed: user ? (user.confirmed ?? false) : true,
  blocked: user?.blocked ?? false,
});

/** What is sent: what was changed; of a new user all that was filled in. */
export function changedFields(user: ApiUser | null, fields: UserFields): Partial<UserFields> {
  const before: Readonly<Record<string, unknown>> = { ...userFields(user) };
  const isNew = user === null;
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== before[name] || (isNew && name === 'confirmed')),
  );
}
