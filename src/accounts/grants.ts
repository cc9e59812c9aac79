// The grants of every role and the default locale, kept in memory and read again as soon as they may have changed: by
// this process, by another node, or by another program that writes the same tables. Where the database has marks, being
// told of a change only saves time: what is done with grants that were known holds by their mark alone.

import type { Access } from '../access/access.ts';
import type { Accesses, Role } from '../access/role-access.ts';
import type { Database, Watch } from '../db/database.ts';
import { defaultLocaleIn } from '../db/stored-settings.ts';
import { NextRun } from '../next-run.ts';
import type { Operations } from '../operations/operations.ts';
import type { AccountStatements, GrantRow } from '../sql/account-statements.ts';

export interface GrantedRole extends Role {
  readonly access: Access;
}

const PUBLIC = 'public';
const MAX_TURNS = 3;

export class Grants {
  readonly #accesses: Accesses;
  readonly #operations: Operations;
  readonly #database: Database;
  readonly #statements: AccountStatements;
  #watch: Watch = { knownBy: 'nothing', note: null, changeCounter: () => 0 };
  #lastVersion = Number.NaN;
  #mark: string | null = null;
  /** One reading follows another, so that none brings back what was before. */
  readonly #reading = new NextRun(() => this.#read());
  #refreshing: Promise<void> | null = null;
  #text = '';
  #revision = 0;
  #roles: ReadonlyMap<number, GrantedRole> = new Map();
  #public: GrantedRole | null = null;

  /** `operations`: the operations whose default locale is kept up to date along with the grants. */
  constructor(accesses: Accesses, operations: Operations, statements: AccountStatements) {
    this.#accesses = accesses;
    this.#operations = operations;
    this.#database = operations.database;
    this.#statements = statements;
  }

  /** Reads them, and keeps them up to date from now on. */
  async open(): Promise<void> {
    let looks = false;
    this.#watch = await this.#database.watch(() => {
      // Where there are marks, whoever needs grants finds out whether they have changed. A database that does not answer
      // is not asked again and again; requests tell of it.
      if (looks || this.#watch.knownBy === 'mark') return;
      looks = true;
      this.#reading
        .result()
        .catch(() => undefined)
        .finally(() => {
          looks = false;
        });
    });
    await this.refresh();
  }

  /** After a change by this process: the next request waits for it. */
  invalidate(): void {
    this.#lastVersion = Number.NaN;
  }

  /** Null where they are up to date, as for most requests; otherwise what to wait for. */
  refresh(): Promise<void> | null {
    const lacksMark = this.#watch.knownBy === 'mark' && this.#mark === null;
    if (this.#watch.changeCounter() === this.#lastVersion && !lacksMark) return null;
    this.#refreshing ??= this.#catchUp().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** Makes sure that they are not older than the state with a mark, which the database had a moment ago. */
  async reach(mark: string | null): Promise<void> {
    if (mark !== null && mark !== this.#mark) await this.#reading.result();
  }

  /** Makes sure that they are not older than this moment, as far as the database can tell. */
  async confirm(): Promise<void> {
    await this.reach(await this.#database.mark());
  }

  /** What was written while it was read is read as well; not for ever, as others may never stop writing. */
  async #catchUp(): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      await this.#reading.result();
      if (this.#watch.changeCounter() === this.#lastVersion) return;
    }
  }

  async #read(): Promise<void> {
    const version = this.#watch.changeCounter();
    const { rows, mark } = await this.#database.marked(this.#statements.grants(), []);
    const text = JSON.stringify(rows);
    if (text !== this.#text) this.#replaceRoles(rows);
    if (rows[0]) this.#operations.defaultLocale = defaultLocaleIn(rows[0][4]);
    this.#text = text;
    this.#lastVersion = version;
    this.#mark = mark;
  }

  #replaceRoles(rows: readonly GrantRow[]): void {
    const stored = new Map<number, { type: string; name: string; actions: Set<string> }>();
    for (const [id, type, name, action] of rows) {
      let role = stored.get(id);
      if (!role) {
        role = { type, name, actions: new Set() };
        stored.set(id, role);
      }
      if (action !== null) role.actions.add(action);
    }
    this.#revision++;
    const roles = [...stored].map(([id, role]): [number, GrantedRole] => {
      return [id, { id, ...role, access: this.#accesses.ofRole({ id, ...role }, this.#revision) }];
    });
    this.#roles = new Map(roles);
    this.#public = [...this.#roles.values()].find(({ type }) => type === PUBLIC) ?? null;
  }

  /** What callers that are found now can be known by, another after every change; null where they have to be asked for. */
  get state(): string | number | null {
    return this.#watch.knownBy === 'counter' ? this.#lastVersion : this.mark;
  }

  /** What the operator should know about how changes are told. */
  get note(): string | null {
    return this.#watch.note;
  }

  /** The mark of the state that they are from, where callers are known by it. */
  get mark(): string | null {
    return this.#watch.knownBy === 'mark' ? this.#mark : null;
  }

  get public(): GrantedRole | null {
    return this.#public;
  }

  role(id: number): GrantedRole | null {
    return this.#roles.get(id) ?? null;
  }

  get roles(): readonly GrantedRole[] {
    return [...this.#roles.values()];
  }
}
