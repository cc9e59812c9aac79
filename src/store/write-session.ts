// A write under way: the transaction, the statements, the model, the caller, and the moment that its rows are stamped
// with.
import type { Caller } from '../access/caller.ts';
import type { Session } from '../db/database.ts';
import type { ContentType, Model } from '../model/types.ts';
import type { WritePlan } from '../plan/write/changes.ts';
import type { BoundValue, Row, Statement } from '../sql/statement.ts';
import type { VersionRow, WriteStatements, WrittenColumn } from '../sql/write-statements.ts';
import type { RuleStatements } from './rule-statements.ts';

/** What a type demands of its writes beyond its definition. */
export interface WriteInvariants {
  /** Runs before any row is changed, and throws to refuse; what it returns runs after, in the same transaction. */
  enforce(write: WriteSession, plan: WritePlan, rows: readonly Version[]): Promise<() => Promise<void>>;
}

/** What all writes share. */
export interface WriteContext {
  readonly model: Model;
  readonly sql: WriteStatements;
  readonly defaultLocale: string;
  readonly rules: RuleStatements;
  /** By the uid of the type. */
  readonly invariants: ReadonlyMap<string, WriteInvariants>;
}

const NOTHING = async (): Promise<void> => undefined;

export class WriteSession {
  readonly model: Model;
  readonly sql: WriteStatements;
  readonly now: number;
  readonly defaultLocale: string;
  readonly rules: RuleStatements;
  readonly caller: Caller;
  readonly #session: Session;
  readonly #invariants: WriteContext['invariants'];

  constructor(session: Session, caller: Caller, { model, sql, defaultLocale, rules, invariants }: WriteContext) {
    this.#session = session;
    this.#invariants = invariants;
    this.caller = caller;
    this.model = model;
    this.sql = sql;
    this.defaultLocale = defaultLocale;
    this.rules = rules;
    this.now = Date.now();
  }

  rows<R extends Row>(statement: Statement<R>, ...values: BoundValue[]): Promise<readonly R[]> {
    return this.#session.rows(statement, values);
  }

  async insert(table: string, columns: readonly WrittenColumn[], values: readonly BoundValue[]): Promise<number> {
    const [row] = await this.rows(this.sql.insertRow(table, columns), ...values);
    return row![0];
  }

  async duplicate(table: string, columns: readonly string[], id: number): Promise<number> {
    const [row] = await this.rows(this.sql.duplicateRow(table, columns), id);
    return row![0];
  }

  type(uid: string): ContentType {
    return this.model.contentTypes.get(uid)!;
  }

  /** Enforces what the type demands; call what it returns when the rows are written. */
  async enforceInvariants(plan: WritePlan, rows: readonly Version[]): Promise<() => Promise<void>> {
    return (await this.#invariants.get(plan.type.uid)?.enforce(this, plan, rows)) ?? NOTHING;
  }
}

/** Values that are bound as one. */
export const listOf = (values: Iterable<number | string>): string => JSON.stringify([...values]);

/** One row of a document: a locale in a status. */
export interface Version {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  readonly published: boolean;
}

export const versionOf = ([id, documentId, locale, published]: VersionRow): Version => ({
  id,
  documentId,
  locale,
  published: published === 1,
});
