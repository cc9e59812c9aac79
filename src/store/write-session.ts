// A write under way: the transaction, the statements, the model, the caller, and the moment that its rows are stamped
// with.
import type { Caller } from '../access/caller.ts';
import type { Session } from '../db/database.ts';
import type { ContentType, LinkTable, Model } from '../model/types.ts';
import type { WritePlan } from '../plan/write/changes.ts';
import type { AffectedStatements } from '../sql/affected-statements.ts';
import type { GatherStatements } from '../sql/gather-statements.ts';
import type { PublicationStatements } from '../sql/publication-statements.ts';
import type { VersionRow, WriteStatements } from '../sql/write-statements.ts';
import { Gathered, type ItemRef } from './gathered.ts';
import type { RuleStatements } from './rule-statements.ts';
import { type StatementRunner, statementRunner } from './statement-runner.ts';

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
  readonly publications: PublicationStatements;
  readonly defaultLocale: string;
  readonly rules: RuleStatements;
  /** Takes a locale that the project does not have yet, where it may; false where it may not. */
  admitLocale(session: Session, code: string): Promise<boolean>;
  hasLocale(session: Session, code: string): Promise<boolean>;
  /** By the uid of the type. */
  readonly invariants: ReadonlyMap<string, WriteInvariants>;
}

interface NotedItems {
  readonly field: string;
  readonly items: readonly ItemRef[];
}

export class WriteSession {
  readonly model: Model;
  readonly sql: WriteStatements;
  readonly affected: AffectedStatements;
  readonly gatherStatements: GatherStatements;
  readonly publications: PublicationStatements;
  /** What was read ahead. */
  readonly gathered = new Gathered();
  readonly #itemsBefore = new Map<string, readonly ItemRef[]>();
  readonly #writtenLists = new Set<string>();
  readonly run: StatementRunner;
  readonly now: number;
  readonly defaultLocale: string;
  readonly rules: RuleStatements;
  readonly invariants: WriteContext['invariants'];
  readonly caller: Caller;
  readonly admitLocale: (code: string) => Promise<boolean>;
  readonly hasLocale: (code: string) => Promise<boolean>;

  constructor(session: Session, caller: Caller, context: WriteContext) {
    const { model, sql, affected, gatherStatements, publications, defaultLocale, rules, invariants } = context;
    this.invariants = invariants;
    this.caller = caller;
    this.model = model;
    this.sql = sql;
    this.affected = affected;
    this.gatherStatements = gatherStatements;
    this.publications = publications;
    this.defaultLocale = defaultLocale;
    this.rules = rules;
    this.admitLocale = (code) => context.admitLocale(session, code);
    this.hasLocale = (code) => context.hasLocale(session, code);
    this.run = statementRunner(session, sql, this.gathered);
    this.now = Date.now();
  }

  /** Before a list of components is written: what it holds. */
  noteItems(table: string, row: number, { field, items }: NotedItems): void {
    this.#itemsBefore.set(`${table} ${row} ${field}`, items);
  }

  /** What a list of components held before this write has last written it; undefined where it has not. */
  itemsBefore(table: string, row: number, field: string): readonly ItemRef[] | undefined {
    return this.#itemsBefore.get(`${table} ${row} ${field}`);
  }

  /** After a list of links was made or changed, or what is on record of it. */
  noteList({ table, from }: LinkTable, row: number): void {
    this.#writtenLists.add(`${table} ${from} ${row}`);
  }

  /** Whether this write has made or changed a list of links, or what is on record of it. */
  hasWrittenList({ table, from }: LinkTable, row: number): boolean {
    return this.#writtenLists.has(`${table} ${from} ${row}`);
  }

  type(uid: string): ContentType {
    return this.model.contentTypes.get(uid)!;
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
