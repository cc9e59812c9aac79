// A write under way: the transaction, the statements, the model, the caller, and the moment that its rows are stamped
// with.
import type { Caller } from '../access/caller.ts';
import type { Session } from '../db/database.ts';
import type { ContentType, Model } from '../model/types.ts';
import type { WritePlan } from '../plan/write/changes.ts';
import type { AffectedStatements } from '../sql/affected-statements.ts';
import type { GatherStatements } from '../sql/gather-statements.ts';
import type { BoundValue, Row, Statement } from '../sql/statement.ts';
import type { VersionRow, WriteStatements, WrittenColumn } from '../sql/write-statements.ts';
import { Gathered } from './gathered.ts';
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
  readonly affected: AffectedStatements;
  readonly gatherStatements: GatherStatements;
  readonly defaultLocale: string;
  readonly rules: RuleStatements;
  /** By the uid of the type. */
  readonly invariants: ReadonlyMap<string, WriteInvariants>;
}

interface PendingChange {
  readonly table: string;
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
}

const NOTHING = async (): Promise<void> => undefined;

export class WriteSession {
  readonly model: Model;
  readonly sql: WriteStatements;
  readonly affected: AffectedStatements;
  readonly gatherStatements: GatherStatements;
  /** What was read ahead. */
  readonly gathered = new Gathered();
  readonly now: number;
  readonly defaultLocale: string;
  readonly rules: RuleStatements;
  readonly caller: Caller;
  readonly #session: Session;
  readonly #pending: PendingChange[] = [];
  readonly #invariants: WriteContext['invariants'];

  constructor(session: Session, caller: Caller, context: WriteContext) {
    const { model, sql, affected, gatherStatements, defaultLocale, rules, invariants } = context;
    this.#session = session;
    this.#invariants = invariants;
    this.caller = caller;
    this.model = model;
    this.sql = sql;
    this.affected = affected;
    this.gatherStatements = gatherStatements;
    this.defaultLocale = defaultLocale;
    this.rules = rules;
    this.now = Date.now();
  }

  async rows<R extends Row>(statement: Statement<R>, ...values: BoundValue[]): Promise<readonly R[]> {
    if (this.#pending.length > 0) await this.flush();
    return this.#session.rows(statement, values);
  }

  /**
   * Runs a statement that writes a table and returns nothing. What was read ahead of the table is then out of date.
   * Statements that write different tables are sent together, where the database takes them so.
   */
  async change(table: string, statement: Statement, ...values: BoundValue[]): Promise<void> {
    this.gathered.forget(table);
    if (!this.sql.canCombine) {
      await this.#session.rows(statement, values);
      return;
    }
    if (this.#pending.some((change) => change.table === table)) await this.flush();
    this.#pending.push({ table, statement, values });
  }

  /** Sends the changes that were held back. */
  async flush(): Promise<void> {
    const changes = this.#pending.splice(0);
    const [first, ...rest] = changes;
    if (!first) return;
    const statement = rest.length === 0 ? first.statement : this.sql.combine(changes.map((change) => change.statement));
    await this.#session.rows(
      statement,
      changes.flatMap(({ values }) => values),
    );
  }

  async insert(table: string, columns: readonly WrittenColumn[], values: readonly BoundValue[]): Promise<number> {
    this.gathered.forget(table);
    const [row] = await this.rows(this.sql.insertRow(table, columns), ...values);
    return row![0];
  }

  async duplicate(table: string, columns: readonly string[], id: number): Promise<number> {
    this.gathered.forget(table);
    const [row] = await this.rows(this.sql.duplicateRow(table, columns), id);
    return row![0];
  }

  async insertPublished(table: string, columns: readonly string[], draft: number): Promise<number> {
    this.gathered.forget(table);
    const [row] = await this.rows(this.sql.insertPublished(table, columns), this.now, draft);
    return row![0];
  }

  type(uid: string): ContentType {
    return this.model.contentTypes.get(uid)!;
  }

  hasInvariants({ uid }: ContentType): boolean {
    return this.#invariants.has(uid);
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
