// A write under way: the transaction, the statements, the model and the moment that all its rows are stamped with.

import type { Access, RowUse } from '../access/access.ts';
import type { Caller } from '../access/caller.ts';
import type { BoundValue, Row, Session } from '../db/database.ts';
import type { ContentType, Model, Schema } from '../model/types.ts';
import type { DecimalColumns } from '../plan/write/plan-write.ts';
import type { BoundStatement } from '../read/bind.ts';
import type { Status } from '../request/read-request.ts';
import type { Statement } from '../sql/statement.ts';
import type { WriteStatements, WrittenColumn } from '../sql/write-statements.ts';

/** The statements that ask which rows a rule lets a caller reach. */
export interface RuleStatements {
  statement(access: Access, type: ContentType, use: RowUse, status: Status): BoundStatement;
}

/** What all writes share. */
export interface WriteSetting {
  readonly model: Model;
  readonly sql: WriteStatements;
  readonly defaultLocale: string;
  readonly decimals: DecimalColumns;
  readonly rules: RuleStatements;
}

export class WriteSession {
  readonly model: Model;
  readonly sql: WriteStatements;
  readonly now: number;
  readonly defaultLocale: string;
  /** Whether rows must be locked before they are changed. */
  readonly locks: boolean;
  readonly decimals: DecimalColumns;
  readonly rules: RuleStatements;
  readonly caller: Caller;
  readonly #session: Session;

  constructor(session: Session, caller: Caller, { model, sql, defaultLocale, decimals, rules }: WriteSetting) {
    this.#session = session;
    this.caller = caller;
    this.model = model;
    this.sql = sql;
    this.defaultLocale = defaultLocale;
    this.decimals = decimals;
    this.rules = rules;
    this.locks = sql.locks;
    this.now = Date.now();
  }

  rows(statement: Statement, ...values: BoundValue[]): Promise<readonly Row[]> {
    return this.#session.rows(statement, values);
  }

  async insert(table: string, columns: readonly WrittenColumn[], values: readonly BoundValue[]): Promise<number> {
    const [row] = await this.rows(this.sql.insertRow(table, columns), ...values);
    return row![0] as number;
  }

  type(uid: string): ContentType {
    return this.model.contentTypes.get(uid)!;
  }

  schema(uid: string): Schema {
    return this.model.contentTypes.get(uid) ?? this.model.components.get(uid)!;
  }
}

export const listOf = (ids: Iterable<number | string>): string => JSON.stringify([...ids]);

/** One row of a document: a locale in a status. */
export interface Version {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  readonly published: boolean;
}

export const versionOf = (row: Row): Version => ({
  id: row[0] as number,
  documentId: row[1] as string,
  locale: row[2] as string | null,
  published: row[3] === 1,
});
