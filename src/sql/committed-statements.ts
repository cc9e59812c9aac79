// Statements of the queue of committed writes: what hooks still have to do, who does it, and what failed. Values are bound
// in the order in which their places stand in the text.
import { sql } from 'kysely';
import { COMMITTED } from '../model/tables.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { plainStatement, type Row, type Statement } from './statement.ts';

const value = (): Fragment => sql`${sql.val(null)}`;
const table = sql.table(COMMITTED);

/** Work that a node has taken. `tries`: with this one. */
export type TakenRow = readonly [id: number, hook: string, event: string, tries: number];

/** Work as it is told to people. */
export type CommittedRow = readonly [
  id: number,
  hook: string,
  document: string,
  tries: number,
  state: string,
  runAt: number | string,
  error: string | null,
];

export class CommittedStatements {
  /** Values: the hook, the document, the event. */
  readonly add: Statement;
  /** Takes work that is due and first in its line, which counts as a try, however it ends. Values: until when in milliseconds from now, the node, a JSON list of hooks, how many. */
  readonly take: Statement<TakenRow>;
  /** Whether there is any. */
  readonly due: Statement<readonly [one: number]>;
  /** Keeps what a node has. Values: milliseconds from now, the node, a JSON list of ids. */
  readonly keep: Statement;
  /** Values: the id, the node. */
  readonly done: Statement;
  /** Values: the error, the pause in milliseconds, the id, the node. */
  readonly failed: Statement;
  /** Gives up. Values: the error, the id, the node. */
  readonly gaveUp: Statement;
  readonly list: Statement<CommittedRow>;
  /** How much of it waits, and how much has failed for good: `state, number`. */
  readonly counts: Statement<readonly [state: string, number: number | string]>;
  /** Tries anew what has failed for good; returns the ids. */
  readonly retryAll: Statement<readonly [id: number]>;
  /** The same of one. Values: the id. */
  readonly retryOne: Statement<readonly [id: number]>;
  /** Removes one that has failed for good. Values: the id. */
  readonly drop: Statement<readonly [id: number]>;

  constructor(dialect: Dialect) {
    const made = <R extends Row = Row>(text: Fragment): Statement<R> =>
      plainStatement<R>(text.compile(dialect.composer).sql);
    const { clock } = dialect;
    const number = (): Fragment => dialect.input(value(), 'biginteger');
    const hooks = dialect.listTable(value(), 'known', 'text');
    const kept = dialect.listTable(value(), 'kept', 'integer');
    const retried = sql`update ${table} set state = 'waiting', tries = 0, run_at = ${clock}, lease_until = 0`;
    this.add = made(
      sql`insert into ${table} (hook, document, event, tries, state, run_at, lease_until) values (${value()}, ${value()}, ${value()}, 0, 'waiting', ${clock}, 0)`,
    );
    // What comes later in the line of a document waits for what came before, also while that pauses.
    this.take = made(
      sql`update ${table} set tries = tries + 1, lease_until = ${clock} + ${number()}, leased_by = ${value()} where id in (select c.id from ${table} as c where c.state = 'waiting' and c.run_at <= ${clock} and c.lease_until <= ${clock} and c.hook in (select value from ${hooks}) and not exists (select 1 from ${table} as e where e.document = c.document and e.hook = c.hook and e.state = 'waiting' and e.id < c.id) order by c.id limit ${number()} ${dialect.skipTaken}) returning id, hook, event, tries`,
    );
    this.due = made(
      sql`select 1 from ${table} where state = 'waiting' and run_at <= ${clock} and lease_until <= ${clock} limit 1`,
    );
    this.keep = made(
      sql`update ${table} set lease_until = ${clock} + ${number()} where leased_by = ${value()} and lease_until > 0 and id in (select value from ${kept})`,
    );
    this.done = made(sql`delete from ${table} where id = ${number()} and leased_by = ${value()}`);
    this.failed = made(
      sql`update ${table} set error = ${value()}, run_at = ${clock} + ${number()}, lease_until = 0, leased_by = null where id = ${number()} and leased_by = ${value()}`,
    );
    this.gaveUp = made(
      sql`update ${table} set error = ${value()}, state = 'failed', lease_until = 0, leased_by = null where id = ${number()} and leased_by = ${value()}`,
    );
    this.list = made(sql`select id, hook, document, tries, state, run_at, error from ${table} order by id`);
    this.counts = made(sql`select state, count(*) from ${table} group by state`);
    this.retryAll = made(sql`${retried} where state = 'failed' returning id`);
    this.retryOne = made(sql`${retried} where state = 'failed' and id = ${number()} returning id`);
    this.drop = made(sql`delete from ${table} where state = 'failed' and id = ${number()} returning id`);
  }
}
