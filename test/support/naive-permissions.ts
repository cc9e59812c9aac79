// What permissions of Strapi 5 say, read one by one and entry by entry, as a person would: some permission is for the
// thing that is done, its locale, and an entry of its creator; attributes are those that such permissions name.
import { HAS_SAME_ROLE, IS_CREATOR, type Permission } from './editors.ts';

export interface NaiveEntry {
  readonly locale: string | null;
  readonly creator: number | null;
}

/** Someone in the console, and the roles that everybody has. */
export interface NaiveAccount {
  readonly id: number;
  readonly rolesOf: ReadonlyMap<number, readonly number[]>;
  readonly permissions: readonly Permission[];
}

/** Parts of components by their paths. */
export type Leaves = Readonly<Record<string, readonly string[]>>;

export class NaivePermissions {
  readonly #account: NaiveAccount;
  readonly #leaves: Leaves;

  constructor(account: NaiveAccount, leaves: Leaves) {
    this.#account = account;
    this.#leaves = leaves;
  }

  /** Whether some permission is for it; of an entry where one is given. */
  has(right: string, uid: string, entry?: NaiveEntry): boolean {
    return this.#for(right, uid, entry).length > 0;
  }

  /** Whether permissions for it name the attributes, all of them. */
  names(right: string, uid: string, entry: NaiveEntry, names: readonly string[]): boolean {
    const permissions = this.#for(right, uid, entry);
    return names.every((name) => permissions.some(({ fields }) => this.#isNamed(fields, name)));
  }

  #for(right: string, uid: string, entry?: NaiveEntry): readonly Permission[] {
    return this.#account.permissions.filter(
      ({ action, subject, conditions = [], locales }) =>
        action === right &&
        subject === uid &&
        conditions.every((condition) => condition === IS_CREATOR || condition === HAS_SAME_ROLE) &&
        (!entry || this.#isFor(conditions, entry)) &&
        (entry === undefined || entry.locale === null || locales === null || locales?.includes(entry.locale)),
    );
  }

  #isFor(conditions: readonly string[], { creator }: NaiveEntry): boolean {
    if (conditions.length === 0) return true;
    const { id, rolesOf } = this.#account;
    const isOwn = creator === id;
    const own = rolesOf.get(id) ?? [];
    const hasSameRole = (rolesOf.get(creator ?? 0) ?? []).some((role) => own.includes(role));
    return conditions.some((condition) => (condition === IS_CREATOR ? isOwn : hasSameRole));
  }

  #isNamed(fields: Permission['fields'], name: string): boolean {
    if (fields === undefined || fields === null || fields.includes(name)) return true;
    const leaves = this.#leaves[name];
    return leaves?.every((leaf) => fields.includes(`${name}.${leaf}`)) ?? false;
  }
}
