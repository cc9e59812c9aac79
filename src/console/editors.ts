// Accounts of the console → who calls. Rights are made from the permissions as they are stored at that moment, once for
// all accounts whose roles say the same.
import type { Access } from '../access/access.ts';
import type { Caller } from '../access/caller.ts';
import { editorAccess } from '../access/editor-access.ts';
import type { EditorGrants, EditorPermission, EditorRole } from '../access/editor-permissions.ts';
import { isSuperAdmin } from '../access/editor-permissions.ts';
import { type Withheld, withhold } from '../access/withheld.ts';
import type { Session } from '../db/database.ts';
import { MAX_CACHED_EDITOR_GRANTS } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { Model } from '../model/types.ts';
import type { Settings } from '../project/settings.ts';
import type { ConsoleAccountRow, ConsoleStatements, EditorPermissionRow } from '../sql/console-statements.ts';
import { consoleRights, type EditorRights } from './console-rights.ts';
import type { ConsoleAccount } from './contract.ts';

/** Someone who works in the console. */
export interface Editor {
  readonly account: ConsoleAccount;
  readonly caller: Caller;
  readonly rights: EditorRights;
}

/** An account as it is stored. */
export interface StoredEditor {
  readonly account: ConsoleAccount;
  readonly documentId: string | null;
  readonly password: string | null;
}

interface Prepared {
  readonly access: Access;
  readonly rights: EditorRights;
}

/** What the rights of accounts depend on besides their permissions. */
export interface EditorContext {
  readonly model: Model;
  readonly withheld: Withheld;
  readonly settings: Pick<Settings, 'aggregates'>;
}

export class Editors {
  readonly #context: EditorContext;
  readonly #statements: ConsoleStatements;
  /** By the text of the grants. */
  readonly #prepared = new Lru<string, Prepared>(MAX_CACHED_EDITOR_GRANTS);
  #revision = 0;

  constructor(context: EditorContext, statements: ConsoleStatements) {
    this.#context = context;
    this.#statements = statements;
  }

  async editorOf(session: Session, { account, documentId }: StoredEditor): Promise<Editor> {
    const { id, email, firstname, lastname, roles } = account;
    const { access, rights } = await this.#preparedFor(session, roles);
    const user = { id, documentId, email, firstname, lastname };
    return { account, caller: { kind: 'editor', access, user, account: null, knownBy: null }, rights };
  }

  async #preparedFor(session: Session, roles: readonly EditorRole[]): Promise<Prepared> {
    const ids = JSON.stringify(roles.map(({ id }) => id));
    const isAll = isSuperAdmin({ roles });
    const rows = isAll ? [] : await session.rows(this.#statements.permissions(), [ids]);
    const text = JSON.stringify([roles, rows]);
    let prepared = this.#prepared.get(text);
    if (!prepared) {
      const grants: EditorGrants = { roles, permissions: rows.map(permissionOf) };
      const { model, withheld, settings } = this.#context;
      const { smallestGroup } = settings.aggregates;
      const access = { ...editorAccess(model, grants, ++this.#revision), smallestGroup };
      prepared = { access: withhold(access, model, withheld), rights: consoleRights(model, grants, withheld) };
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }
}

/** The account that rows are about, one for each of its roles; null where there are none. */
export function storedEditor(rows: readonly ConsoleAccountRow[]): StoredEditor | null {
  const [first] = rows;
  if (!first) return null;
  const [id, documentId, email, firstname, lastname, isActive, blocked, password] = first;
  const roles = rows.flatMap(([, , , , , , , , roleId, code, name, description]) =>
    roleId === null ? [] : [{ id: roleId, code: code ?? '', name: name ?? '', description }],
  );
  const account = {
    id,
    email: email ?? '',
    firstname,
    lastname,
    isActive: isActive === 1,
    blocked: blocked === 1,
    roles,
  };
  return { account, documentId, password };
}

/** Whether someone with this account gets in. */
export const isAdmitted = ({ account: { isActive, blocked } }: StoredEditor): boolean => isActive && !blocked;

const permissionOf = (row: EditorPermissionRow): EditorPermission => {
  const [roleId, action, subject, properties, conditions, actionParameters] = row;
  return {
    roleId,
    action: action ?? '',
    subject,
    properties: parsed(properties),
    conditions: parsed(conditions),
    actionParameters: parsed(actionParameters),
  };
};

/** What is no JSON stays the text that it is, which says nothing that could be granted. */
function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
