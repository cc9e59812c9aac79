// A plan turned into statements, each compiled when it is first needed and then kept with the plan.
import type { AuthorizedReadPlan } from '../plan/read/plan-read.ts';
import { compileAggregate, compileFacet } from '../sql/compile-aggregate.ts';
import {
  type AnswerKind,
  type AnswerPart,
  compileAnswer,
  compileFirstAsJson,
  type ListForm,
} from '../sql/compile-answer.ts';
import {
  type CompiledEntity,
  compileCount,
  compileCounts,
  compileEntity,
  compileFirst,
  compilePage,
} from '../sql/compile-read.ts';
import type { Dialect } from '../sql/dialect.ts';
import { type Row, type Statement, withRowType } from '../sql/statement.ts';

export class CompiledRead {
  readonly plan: AuthorizedReadPlan;
  readonly dialect: Dialect;
  readonly #statements = new Map<string, Statement>();
  #entity: CompiledEntity | null = null;

  constructor(dialect: Dialect, plan: AuthorizedReadPlan) {
    this.dialect = dialect;
    this.plan = plan;
  }

  get entity(): CompiledEntity {
    this.#entity ??= compileEntity(this.dialect, this.plan);
    return this.#entity;
  }

  page(withCount: boolean): Statement {
    return this.#once(`page ${withCount}`, () => compilePage(this.dialect, this.plan, withCount));
  }

  first(): Statement {
    return this.#once('first', () => compileFirst(this.dialect, this.plan));
  }

  firstAsJson(): ReturnType<typeof compileFirstAsJson> {
    return this.#once('first as JSON', () => compileFirstAsJson(this.dialect, this.plan));
  }

  answer(kind: AnswerKind, lists: ListForm): Statement<AnswerPart> {
    return this.#once(`answer ${kind} ${lists}`, () => compileAnswer(this.dialect, this.plan, kind, lists));
  }

  count(): ReturnType<typeof compileCount> {
    return this.#once('count', () => compileCount(this.dialect, this.plan));
  }

  countDocuments(): ReturnType<typeof compileCounts> {
    return this.#once('documents', () => compileCounts(this.dialect, [{ plan: this.plan, what: 'documents' }]));
  }

  aggregate(withCount: boolean): Statement {
    return this.#once(`aggregate ${withCount}`, () => compileAggregate(this.dialect, this.plan, withCount));
  }

  facet(index: number): ReturnType<typeof compileFacet> {
    return this.#once(`facet ${index}`, () => compileFacet(this.dialect, this.plan, this.plan.facets[index]!));
  }

  #once<R extends Row>(name: string, make: () => Statement<R>): Statement<R> {
    let statement = this.#statements.get(name);
    if (!statement) {
      statement = make();
      this.#statements.set(name, statement);
    }
    return withRowType<R>(statement);
  }
}
