// Roles as clients and code of Strapi 5 write them. Nobody gives a role what they may not do themselves, nor anything
// while rules narrow them: a role that they are not declared for would be free of them.
import { knownActions } from '../access/actions.ts';
import type { Caller } from '../access/caller.ts';
import type { Rules } from '../access/rules.ts';
import type { Database } from '../db/database.ts';
import { applicationError, fieldError, SetupError, SheafError } from '../errors.ts';
import type { Model } from '../model/types.ts';
import type { Grants } from './grants.ts';
import { parseNewRole, parseRoleChange } from './role-input.ts';
import type { GrantRefusal, Roles } from './roles.ts';
import type { Accounts } from './sign-in.ts';

const PUBLIC = 'public';

export interface RoleWriterDeps {
  readonly model: Model;
  readonly database: Database;
  readonly roles: Roles;
  readonly grants: Grants;
  readonly accounts: Accounts;
  readonly rules: Rules['byRole'];
  /** Actions of the project's own routes. */
  readonly own: readonly string[];
}

export class RoleWriter {
  readonly #deps: RoleWriterDeps;

  constructor(deps: RoleWriterDeps) {
    this.#deps = deps;
  }

  /** Returns the names of what the body holds without a meaning. */
  async create(body: unknown, caller: Caller): Promise<readonly string[]> {
    const { role, ignored } = parseNewRole(body);
    await this.#deps.roles.add(role, this.#refusal(caller));
    return ignored;
  }

  /** The same of a change. Without `permissions`, the role keeps what it is granted. */
  async update(id: string, body: unknown, caller: Caller): Promise<readonly string[]> {
    const { role, ignored } = parseRoleChange(body);
    const row = await this.#rowOf(id);
    if (!(await this.#deps.roles.change(row, role, this.#refusal(caller)))) throw roleNotFound();
    return ignored;
  }

  /** Deletes a role. Its users get another, that of the public unless one is named, and have to log in again. */
  async delete(id: string, moveTo = PUBLIC): Promise<void> {
    const { database, roles, grants, accounts } = this.#deps;
    const row = await this.#rowOf(id);
    try {
      const target = await roles.find(moveTo);
      if (row === target.id) throw applicationError(`Cannot delete ${target.type} role`);
      await database.transaction(async () => {
        await roles.removable(String(row));
        for (const { userId, role } of await roles.ofUsers())
          if (role.id === row) await accounts.giveRole(userId, target.id);
        await roles.delete(String(row));
      });
    } catch (error) {
      throw error instanceof SetupError ? applicationError(error.message) : error;
    } finally {
      grants.invalidate();
    }
  }

  /** By the id of its row or its documentId, as a role is shown. */
  async #rowOf(id: string): Promise<number> {
    const role = await this.#deps.roles.shownOne(id);
    if (!role) throw roleNotFound();
    return role.id;
  }

  #refusal(caller: Caller): GrantRefusal {
    const { model, own } = this.#deps;
    const known = knownActions(model, own);
    const isNarrowed = this.#isNarrowed(caller);
    return (action) => {
      if (!known.has(action)) return fieldError('permissions', `There is no action ${action}`);
      if (caller.kind === 'system' || (caller.access.may(action) && !isNarrowed)) return null;
      return new SheafError(403, 'ForbiddenError', `${action} can be granted only by who has it, without rules`, {
        key: action,
      });
    };
  }

  #isNarrowed({ kind, account }: Caller): boolean {
    const role = kind === 'public' ? PUBLIC : account?.role;
    return typeof role === 'string' && this.#deps.rules.has(role);
  }
}

export const roleNotFound = (): SheafError => new SheafError(404, 'NotFoundError', 'Role not found');
