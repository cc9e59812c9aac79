// The statements that ask which rows a rule lets a caller reach, each made once for the rights that share a key.
import type { Access, RowUse } from '../access/access.ts';
import { MAX_CACHED_STATEMENTS } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { ContentType, Model } from '../model/types.ts';
import { PlanContext } from '../plan/read/context.ts';
import { ruleCondition } from '../plan/read/plan-filter.ts';
import { type BoundStatement, bindStatement } from '../read/bind.ts';
import type { Status } from '../request/read-request.ts';
import { compileReachable } from '../sql/compile-read.ts';
import type { Dialect } from '../sql/dialect.ts';

export class RuleStatements {
  readonly #model: Model;
  readonly #dialect: Dialect;
  readonly #cache = new Lru<string, BoundStatement<readonly [id: number]>>(MAX_CACHED_STATEMENTS);

  constructor(model: Model, dialect: Dialect) {
    this.#model = model;
    this.#dialect = dialect;
  }

  /** For a type that a rule narrows. */
  statement(access: Access, type: ContentType, use: RowUse, status: Status): BoundStatement<readonly [id: number]> {
    const key = `${access.key} ${type.uid} ${use} ${status}`;
    let bound = this.#cache.get(key);
    if (!bound) {
      const context = new PlanContext(this.#model, { status, publication: null }, access);
      bound = bindStatement(compileReachable(this.#dialect, type.table, ruleCondition(context, type, use)!), []);
      this.#cache.set(key, bound);
    }
    return bound;
  }
}
