// Roles and what they are granted, changed: in Strapi 5's tables, and told to every node.
import { createId } from '@paralleldrive/cuid2';
import { DEFAULT_GRANTS, defaultGrants, expandActions, knownActions } from '../access/actions.ts';
import { addGrants } from '../db/bootstrap.ts';
import type { Database, Session } from '../db/database.ts';
import { hintOn, nearestWord } from '../edit-distance.ts';
import { fieldError, SetupError, type SheafError } from '../errors.ts';
import type { Model } from '../model/types.ts';
import { ACCOUNT_SETTINGS, type AccountStatements, type RoleRow } from '../sql/account-statements.ts';
import { type GrantStatements, roleGrants } from '../sql/grant-statements.ts';
import { instantColumns, STAMPS, textColumns } from '../sql/row-columns.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import { readAccountSettings } from './account-settings.ts';

export interface StoredRole {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  readonly actions: readonly string[];
}

/** A user, and the role that the user has. */
export interface UserRole {
  readonly userId: number;
  readonly documentId: string;
  readonly role: Pick<StoredRole, 'id' | 'type' | 'name'>;
}

/** A role as the API shows it. */
export interface ShownRole {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly publishedAt: string | null;
}

/** A role as a client writes it. Without actions, it keeps those that it has. */
export interface WrittenRole {
  readonly name?: string;
  readonly description?: string | null;
  readonly actions?: readonly string[];
}

/** Why an action cannot be granted to a role that lacks it; null where it can. */
export type GrantRefusal = (action: string) => SheafError | null;

/** Which actions a role has, among all there are: by the owner of a controller, then by controller. */
type ShownPermissions = Record<
  string,
  { readonly controllers: Record<string, Record<string, { readonly enabled: boolean; readonly policy: '' }>> }
>;

export interface RolesDeps {
  readonly model: Model;
  readonly database: Database;
  readonly statements: AccountStatements;
  /** Actions of the project's own routes. */
  readonly own: readonly string[];
}

/** Who changes roles waits for others who do. */
const LOCK = 'roles';

export class Roles {
  readonly #model: Model;
  readonly #database: Database;
  readonly #statements: AccountStatements;
  readonly #grants: GrantStatements;
  readonly #writes: WriteStatements;
  readonly #onChange: () => void;
  /** Actions of the project's own routes. */
  readonly #own: readonly string[];

  constructor(deps: RolesDeps, onChange: () => void) {
    const { model, database, statements, own } = deps;
    this.#own = own;
    this.#onChange = onChange;
    this.#model = model;
    this.#database = database;
    this.#statements = statements;
    this.#grants = roleGrants(database.dialect);
    this.#writes = new WriteStatements(database.dialect);
  }

  list(): Promise<readonly StoredRole[]> {
    return this.#database.latest((session) => this.#read(session));
  }

  /** Every role with the number of its users. */
  async shown(): Promise<readonly (ShownRole & { readonly nb_users: number })[]> {
    const rows = await this.#database.latest((session) => session.rows(this.#statements.roles(), []));
    return rows.map((row) => ({ ...shownRole(row), nb_users: Number(row[8]) }));
  }

  /** A role with what it is granted; by its id or its documentId. Null where there is none. */
  async shownOne(role: string): Promise<(ShownRole & { readonly permissions: ShownPermissions }) | null> {
    return this.#database.latest(async (session) => {
      const rows = await session.rows(this.#statements.roles(), []);
      const row = rows.find(([id, documentId]) => role === String(id) || role === documentId);
      if (!row) return null;
      const granted = (await this.#read(session)).find(({ id }) => id === row[0])?.actions ?? [];
      return { ...shownRole(row), permissions: this.#permissions(new Set(granted)) };
    });
  }

  /** Everything that can be granted. */
  shownActions(): ShownPermissions {
    return this.#permissions(new Set());
  }

  /** Every user who has a role. */
  async ofUsers(): Promise<readonly UserRole[]> {
    const rows = await this.#database.latest((session) => session.rows(this.#statements.rolesOfUsers(), []));
    return rows.map(([userId, documentId, id, type, name]) => ({ userId, documentId, role: { id, type, name } }));
  }

  #permissions(granted: ReadonlySet<string>): ShownPermissions {
    const shown: ShownPermissions = {};
    for (const action of [...new Set([...knownActions(this.#model, this.#own), ...granted])].sort()) {
      const [owner = '', controller = '', name = ''] = action.split('.');
      shown[owner] ??= { controllers: {} };
      shown[owner].controllers[controller] ??= {};
      shown[owner].controllers[controller][name] = { enabled: granted.has(action), policy: '' };
    }
    return shown;
  }

  async #read(session: Session): Promise<StoredRole[]> {
    const roles = new Map<number, StoredRole & { actions: string[] }>();
    for (const row of await session.rows(this.#statements.grants(), [])) {
      const [id, type, name, action] = row;
      const role = roles.get(id) ?? { id, type, name, actions: [] };
      roles.set(id, role);
      if (action !== null) role.actions.push(action);
    }
    return [...roles.values()];
  }

  /** A role by its type, its name or its id. */
  async #find(session: Session, role: string): Promise<StoredRole> {
    const roles = await this.#read(session);
    const found =
      roles.find(({ type }) => role === type) ??
      roles.find(({ id }) => role === String(id)) ??
      roles.find(({ name }) => isSame(role, name));
    if (found) return found;
    throw new SetupError(`There is no role "${role}"`, [
      `there are ${roles.map(({ type }) => type).join(', ')}; sheaf role create NAME makes another`,
    ]);
  }

  find(role: string): Promise<StoredRole> {
    return this.#database.latest((session) => this.#find(session, role));
  }

  /** Makes a role, its type being its name in small letters with underscores; the one there is, where there is one. */
  async create(name: string, description = ''): Promise<StoredRole> {
    const type = typeFor(name);
    return this.#changed(async (session) => {
      const existing = (await this.#read(session)).find((role) => role.type === type);
      // Whoever has an account may look at it, change its password and log out.
      return existing ?? this.#insert(session, { type, name, description, actions: DEFAULT_GRANTS.authenticated });
    });
  }

  /** Makes a role that is granted these actions and no others. */
  add(role: Required<WrittenRole> & { readonly type: string }, refusal: GrantRefusal): Promise<StoredRole> {
    return this.#changed(async (session) => {
      if ((await this.#read(session)).some(({ type }) => type === role.type))
        throw fieldError('type', 'This attribute must be unique');
      refuseAny(role.actions, refusal);
      return this.#insert(session, role);
    });
  }

  /** Gives a role another name, another description or other actions; false where there is no such role. */
  change(id: number, { name, description, actions }: WrittenRole, refusal: GrantRefusal): Promise<boolean> {
    return this.#changed(async (session) => {
      await session.rows(this.#statements.lockRole(), [id]);
      const role = (await this.#read(session)).find((one) => one.id === id);
      if (!role) return false;
      const texts = Object.entries({ name, description }).filter(([, value]) => value !== undefined);
      const columns = [...textColumns(...texts.map(([column]) => column)), ...instantColumns('updated_at')];
      const update = this.#writes.updateRow('up_roles', columns);
      await session.rows(update, [...texts.map(([, value]) => value!), Date.now(), id]);
      if (actions) await this.#replaceActions(session, role, new Set(actions), refusal);
      return true;
    });
  }

  async #replaceActions(
    session: Session,
    { id, actions: present }: StoredRole,
    wanted: ReadonlySet<string>,
    refusal: GrantRefusal,
  ): Promise<void> {
    const missing = [...wanted].filter((action) => !present.includes(action));
    refuseAny(missing, refusal);
    const dropped = present.filter((action) => !wanted.has(action));
    await this.#take(session, id, dropped);
    await addGrants(session, this.#grants, id, missing);
  }

  /** Makes a role that is granted what another is. */
  async copy(role: string, name: string): Promise<StoredRole> {
    const type = typeFor(name);
    return this.#changed(async (session) => {
      const { name: original, actions } = await this.#find(session, role);
      if ((await this.#read(session)).some((one) => one.type === type))
        throw new SetupError(`There is a role "${type}" already`, [
          'choose another name, or sheaf role delete it first',
        ]);
      return this.#insert(session, { type, name, description: `A copy of ${original}`, actions });
    });
  }

  async #insert(
    session: Session,
    role: Omit<StoredRole, 'id'> & { readonly description: string | null },
  ): Promise<StoredRole> {
    const { type, description, actions } = role;
    const name = role.name.trim();
    const now = Date.now();
    const insert = this.#writes.insertRow('up_roles', [
      ...textColumns('document_id', 'name', 'description', 'type'),
      ...STAMPS,
    ]);
    const [row] = await session.rows(insert, [createId(), name, description, type, now, now, now]);
    const id = row![0];
    await addGrants(session, this.#grants, id, actions);
    return { id, type, name, actions };
  }

  /** A role that can be removed once no user has it. */
  removable(role: string): Promise<StoredRole> {
    return this.#database.latest((session) => this.#removable(session, role));
  }

  async #removable(session: Session, role: string): Promise<StoredRole> {
    const found = await this.#find(session, role);
    if (NEEDED.includes(found.type))
      throw new SetupError(`The role ${found.name} cannot be deleted`, ['Strapi and Sheaf need it; revoke its grants']);
    const [setting] = await session.rows(this.#statements.setting(ACCOUNT_SETTINGS), []);
    if (readAccountSettings(setting?.[0]).default_role === found.type)
      throw new SetupError(`The role ${found.name} is the one that new users get`, [
        "choose another in Strapi's settings of users and permissions first",
      ]);
    return found;
  }

  /** Removes a role with its grants; refused as long as users have it. */
  delete(role: string): Promise<StoredRole> {
    return this.#changed(async (session) => {
      const found = await this.#removable(session, role);
      await session.rows(this.#statements.lockRole(), [found.id]);
      const rows = await session.rows(this.#statements.roles(), []);
      const users = Number(rows.find(([id]) => id === found.id)?.[8] ?? 0);
      if (users > 0)
        throw new SetupError(`${users} ${users === 1 ? 'user has' : 'users have'} the role ${found.name}`, [
          'give them another with --move-to ROLE',
        ]);
      for (const statement of this.#statements.deleteRole()) await session.rows(statement, [found.id]);
      return found;
    });
  }

  /** Returns the actions that the role did not have before. */
  grant(role: string, words: readonly string[]): Promise<readonly string[]> {
    const actions = this.#expand(words);
    return this.#changed(async (session) => {
      const { id, actions: present } = await this.#find(session, role);
      const missing = actions.filter((action) => !present.includes(action));
      await addGrants(session, this.#grants, id, missing);
      return missing;
    });
  }

  /**
   * Returns the actions that the role had and has no more. `*` is the inverse of granting it: what a role has from the
   * beginning stays, logging in above all.
   */
  revoke(role: string, words: readonly string[]): Promise<readonly string[]> {
    return this.#changed(async (session) => {
      const { id, type, actions: present } = await this.#find(session, role);
      const kept = defaultGrants(type);
      const actions = new Set(
        words.flatMap((word) => {
          // Other programs know actions that can only be taken away here.
          if (present.includes(word)) return [word];
          const expanded = this.#expand([word]);
          return word === '*' ? expanded.filter((action) => !kept.includes(action)) : expanded;
        }),
      );
      const revoked = present.filter((action) => actions.has(action));
      await this.#take(session, id, revoked);
      return revoked;
    });
  }

  async #take(session: Session, role: number, actions: readonly string[]): Promise<void> {
    if (actions.length === 0) return;
    await session.rows(this.#grants.revoke(), [role, JSON.stringify(actions)]);
  }

  #expand(words: readonly string[]): string[] {
    const actions = new Set<string>();
    for (const word of words) {
      const expanded = expandActions(this.#model, word, this.#own);
      if (!expanded) throw nothingToGrant(word, knownActions(this.#model, this.#own));
      for (const action of expanded) actions.add(action);
    }
    return [...actions];
  }

  /** A change that takes effect everywhere once it is stored. One at a time: a type is given, and granted to, once. */
  async #changed<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const result = await this.#database.transaction(async (session) => {
      if (this.#writes.needsLocks) await session.rows(this.#writes.lockKeys(), [JSON.stringify([LOCK])]);
      const done = await work(session);
      const announce = this.#statements.announceChange();
      if (announce) await session.rows(announce, []);
      return done;
    });
    this.#onChange();
    return result;
  }
}

function shownRole([id, documentId, name, description, type, ...moments]: RoleRow): ShownRole {
  const [createdAt = null, updatedAt = null, publishedAt = null] = moments
    .slice(0, 3)
    .map((moment) => (moment === null ? null : new Date(Number(moment)).toISOString()));
  return { id, documentId, name, description, type, createdAt, updatedAt, publishedAt };
}

export const nothingToGrant = (word: string, known: Iterable<string>): SetupError =>
  new SetupError(`"${word}" is nothing that can be granted`, [
    ...hintOn(nearestWord(word, known)),
    "expected an action such as api::article.article.find, a type such as api::article.article, or '*'",
  ]);

/** They are never deleted: who comes without a token has the one, who registers gets the other. */
const NEEDED: readonly string[] = ['public', 'authenticated'];

function refuseAny(actions: readonly string[], refusal: GrantRefusal): void {
  for (const action of actions) {
    const error = refusal(action);
    if (error) throw error;
  }
}

/** The type of a role with a name: small letters, with underscores between words. */
export function typeOfName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '_');
}

/** Whether it can be the type of a role. One without a letter could be taken for an id. */
export const isRoleType = (type: string): boolean => /^[\p{L}\p{N}_-]{3,255}$/u.test(type) && /\p{L}/u.test(type);

function typeFor(name: string): string {
  const type = typeOfName(name);
  if (isRoleType(type)) return type;
  throw new SetupError(`"${name}" is no name for a role`, ['use three letters or more']);
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
