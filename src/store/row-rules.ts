// Rules on rows where a write meets them: which of some rows the caller may find, update or delete.

import type { Access, RowUse } from '../access/access.ts';
import { MAX_CACHED_PLANS } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { ContentType, Model } from '../model/types.ts';
import { PlanContext } from '../plan/read/context.ts';
import { ruledRows } from '../plan/read/plan-filter.ts';
import { type BoundStatement, bindStatement } from '../read/bind.ts';
import type { Status } from '../request/read-request.ts';
import { compileReachable } from '../sql/compile-read.ts';
import type { Dialect } from '../sql/dialect.ts';
import { listOf, type RuleStatements, type Version, type WriteSession } from './write-session.ts';

/** The statements that ask, each made once for the rights that share a key. */
export class RowRules implements RuleStatements {
  readonly #model: Model;
  readonly #dialect: Dialect;
  readonly #made = new Lru<string, BoundStatement>(MAX_CACHED_PLANS);

  constructor(model: Model, dialect: Dialect) {
    this.#model = model;
    this.#dialect = dialect;
  }

  statement(access: Access, type: ContentType, use: RowUse, status: Status): BoundStatement {
    const key = `${access.key} ${type.uid} ${use} ${status}`;
    let bound = this.#made.get(key);
    if (!bound) {
      const context = new PlanContext(this.#model, { status, publication: null }, access);
      bound = bindStatement(compileReachable(this.#dialect, type.table, ruledRows(context, type, use)!), []);
      this.#made.set(key, bound);
    }
    return bound;
  }
}

/** Those of the rows that the caller may reach. */
export async function reachable(
  write: WriteSession,
  type: ContentType,
  use: RowUse,
  versions: readonly Version[],
): Promise<readonly Version[]> {
  const { access, user } = write.caller;
  if (versions.length === 0 || !access.rowsOf(type.uid, use)) return versions;
  const found = new Set<unknown>();
  for (const status of ['draft', 'published'] as const) {
    const ids = versions.filter(({ published }) => published === (status === 'published')).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { statement, values } = write.rules.statement(access, type, use, status);
    for (const row of await write.rows(statement, ...values({ ids: listOf(ids), user }))) found.add(row[0]);
  }
  return versions.filter(({ id }) => found.has(id));
}

/** Whether the caller may reach every one of the rows. */
export const allReachable = async (
  write: WriteSession,
  type: ContentType,
  use: RowUse,
  versions: readonly Version[],
): Promise<boolean> => (await reachable(write, type, use, versions)).length === versions.length;
