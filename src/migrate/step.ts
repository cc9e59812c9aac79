// What every step of a change has at hand.
import type { Session } from '../db/database.ts';
import type { Model } from '../model/types.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { BoundValue, Row, Statement } from '../sql/statement.ts';
import type { WriteSession } from '../store/write-session.ts';
import type { Aside } from './aside.ts';

export interface Step {
  readonly session: Session;
  readonly dialect: Dialect;
  /** Without this change, and with it. */
  readonly before: Model;
  readonly after: Model;
  readonly aside: Aside;
  readonly defaultLocale: string;
  /** A write session over one of the two models. */
  write(model: Model): WriteSession;
  /** Tells how far a long piece of work has come. */
  progress(done: number, all: number): void;
}

export const run = <R extends Row>(
  { session }: Pick<Step, 'session'>,
  statement: Statement<R>,
  ...values: BoundValue[]
): Promise<readonly R[]> => session.rows(statement, values);

/** Rows that are worked on at a time. */
export const BATCH = 500;
