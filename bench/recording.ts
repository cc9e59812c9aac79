// What Sheaf sends to its database, kept as it is sent: the statements of an operation with the values bound to them.
import type { Sheaf } from '../src/app.ts';
import type { ReadOptions, Session } from '../src/db/database.ts';
import type { BoundValue, Row } from '../src/sql/statement.ts';

export interface Sent {
  readonly sql: string;
  readonly values: readonly BoundValue[];
  /** The rows that came back. */
  readonly returned: readonly Row[];
}

/** The statements of one operation: those of its transaction, then those that read the answer. */
export interface Operation {
  readonly written: readonly Sent[];
  readonly read: readonly Sent[];
}

/** From now on everything that is sent is kept; each call of the function returned takes what came since the last. */
export function record({ database }: Sheaf): () => Operation {
  let written: Sent[] = [];
  let read: Sent[] = [];
  const listening = (session: Session, into: () => Sent[]): Session => ({
    async rows(statement, values) {
      // Its place is that of its sending.
      const list = into();
      const place = list.push({ sql: statement.sql, values: [...values], returned: [] }) - 1;
      const returned = await session.rows(statement, values);
      list[place] = { ...list[place]!, returned };
      return returned;
    },
  });
  const { transaction, snapshot } = database;
  database.transaction = <T>(work: (session: Session) => Promise<T>) =>
    transaction.call(database, (session) => work(listening(session, () => written))) as Promise<T>;
  database.snapshot = <T>(work: (session: Session) => Promise<T>, options?: ReadOptions) =>
    snapshot.call(database, (session) => work(listening(session, () => read)), options) as Promise<T>;
  return () => {
    const operation = { written, read };
    written = [];
    read = [];
    return operation;
  };
}
