// Access under rules, without a database: the rules go through the files that a project would keep them in.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Access } from '../../src/access/access.ts';
import { expandActions } from '../../src/access/actions.ts';
import type { Caller, UserValues } from '../../src/access/caller.ts';
import { roleAccess } from '../../src/access/role-access.ts';
import { type Rules, readRules } from '../../src/access/rules.ts';
import type { Model } from '../../src/model/types.ts';

/** What the rule files of a project say, by file name; their content as it stands or as a value. */
export function rulesIn(model: Model, files: Readonly<Record<string, unknown>>): Rules {
  const project = mkdtempSync(path.join(os.tmpdir(), 'sheaf-rules-'));
  try {
    mkdirSync(path.join(project, 'access'));
    for (const [name, content] of Object.entries(files))
      writeFileSync(
        path.join(project, 'access', name),
        typeof content === 'string' ? content : JSON.stringify(content),
      );
    return readRules(project, model);
  } finally {
    rmSync(project, { recursive: true });
  }
}

export interface RoleDescription {
  /** Actions, or words that stand for several; everything where they are not given. */
  readonly grants?: readonly string[];
  /** By uid, as a rule file has them for a role. */
  readonly rules?: Readonly<Record<string, unknown>>;
}

/** The access of a role; rules that have problems end the test. */
export function accessOf(model: Model, { grants = ['*'], rules = {} }: RoleDescription): Access {
  const { byRole, problems } = rulesIn(model, { 'role.json': { role: rules } });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const actions = grants.flatMap((word) => {
    const found = expandActions(model, word);
    if (!found) throw new Error(`there is no action ${word}`);
    return found;
  });
  const role = { id: 1, type: 'role', name: 'Role', actions: new Set(actions) };
  return roleAccess(model, role, byRole.get('role') ?? null, 0);
}

/** A user with the access of a role and, where given, the values of an account. */
export function userWith(model: Model, { user, ...role }: RoleDescription & { readonly user?: UserValues }): Caller {
  const account = user && { id: Number(user.id), documentId: String(user.documentId), role: 'role', sessionId: null };
  return { kind: 'user', access: accessOf(model, role), user: user ?? null, account: account ?? null, knownBy: null };
}
