// Statements about the tasks of a project: who runs one, and when each ran. Values are bound in the order in which their
// places stand in the text.
import { sql } from 'kysely';
import { TASK_RUNS, TASKS } from '../model/tables.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { plainStatement, type Row, type Statement } from './statement.ts';

const value = (): Fragment => sql`${sql.val(null)}`;
const tasks = sql.table(TASKS);
const runs = sql.table(TASK_RUNS);

export type TaskRunRow = readonly [
  task: string,
  dueAt: number | string,
  startedAt: number | string,
  endedAt: number | string | null,
  state: string,
  node: string | null,
  error: string | null,
];

export class TaskStatements {
  /** Makes the row of a task that is new. Values: the name. */
  readonly add: Statement;
  /** Takes a task that nobody runs and nobody has run for that time. Values: when it is due, milliseconds from now, the node, the name, when it is due. */
  readonly take: Statement<readonly [id: number]>;
  /** Keeps it. Values: milliseconds from now, the name, the node. */
  readonly keep: Statement;
  /** Values: the name, the node. */
  readonly release: Statement;
  /** Those that a node began and that nobody runs any more have been lost. Values: the name. */
  readonly lost: Statement;
  /** Values: the name, when it is due, the node. */
  readonly began: Statement<readonly [id: number]>;
  /** Values: the state, the error, the id. */
  readonly ended: Statement;
  /** Forgets old runs. Values: the name, the name, how many are kept. */
  readonly prune: Statement;
  /** Newest first. */
  readonly list: Statement<TaskRunRow>;

  constructor(dialect: Dialect) {
    const made = <R extends Row = Row>(text: Fragment): Statement<R> =>
      plainStatement<R>(text.compile(dialect.composer).sql);
    const { clock } = dialect;
    const number = (): Fragment => dialect.input(value(), 'biginteger');
    this.add = made(
      sql`insert into ${tasks} (name, due_at, lease_until) values (${value()}, 0, 0) on conflict (name) do nothing`,
    );
    this.take = made(
      sql`update ${tasks} set due_at = ${number()}, lease_until = ${clock} + ${number()}, leased_by = ${value()} where name = ${value()} and lease_until <= ${clock} and due_at < ${number()} returning id`,
    );
    this.keep = made(
      sql`update ${tasks} set lease_until = ${clock} + ${number()} where name = ${value()} and leased_by = ${value()}`,
    );
    this.release = made(
      sql`update ${tasks} set lease_until = 0, leased_by = null where name = ${value()} and leased_by = ${value()}`,
    );
    this.lost = made(
      sql`update ${runs} set state = 'lost', ended_at = ${clock} where task = ${value()} and state = 'running'`,
    );
    this.began = made(
      sql`insert into ${runs} (task, due_at, started_at, state, node) values (${value()}, ${number()}, ${clock}, 'running', ${value()}) returning id`,
    );
    this.ended = made(
      sql`update ${runs} set state = ${value()}, error = ${value()}, ended_at = ${clock} where id = ${number()}`,
    );
    this.prune = made(
      sql`delete from ${runs} where task = ${value()} and id not in (select id from ${runs} where task = ${value()} order by id desc limit ${number()})`,
    );
    this.list = made(sql`select task, due_at, started_at, ended_at, state, node, error from ${runs} order by id desc`);
  }
}
