// The only place where read plans meet the database: runs the statements of a plan and assembles the answer. Their
// number depends on the plan alone: two for a list and one more for each populated path, or one for everything.
import type { AuthorizedPlan } from '../access/authorize.ts';
import type { Row, Session } from '../db/database.ts';
import { limitExceeded } from '../errors.ts';
import { MAX_POPULATED_CHARACTERS, MAX_POPULATED_ROWS } from '../limits.ts';
import type { OutputColumn } from '../plan/read/nodes.ts';
import type { CompiledEntity, CompiledPopulate } from '../sql/compile-read.ts';
import {
  compileAnswer,
  compileCount,
  compileEntity,
  compileFirst,
  compilePage,
  compileRows,
  ROWS,
  TOTAL,
} from '../sql/compile-read.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Statement } from '../sql/statement.ts';
import { type EntityWriter, entityWriter, type Populated } from './assemble.ts';
import { type BoundStatement, bindStatement, type Context } from './bind.ts';

/** A plan turned into statements, each made when it is first needed. */
export class CompiledRead {
  readonly plan: AuthorizedPlan;
  readonly #dialect: Dialect;
  readonly #statements = new Map<string, Statement>();
  #entity: CompiledEntity | null = null;

  constructor(dialect: Dialect, plan: AuthorizedPlan) {
    this.#dialect = dialect;
    this.plan = plan;
  }

  get entity(): CompiledEntity {
    this.#entity ??= compileEntity(this.#dialect, this.plan.entity);
    return this.#entity;
  }

  page(withCount: boolean): Statement {
    return this.#once(`page ${withCount}`, () => compilePage(this.#dialect, this.plan, withCount));
  }

  rows(): Statement {
    return this.#once('rows', () => compileRows(this.#dialect, this.plan));
  }

  first(): Statement {
    return this.#once('first', () => compileFirst(this.#dialect, this.plan));
  }

  /** All of an answer in one statement, for databases at the end of a wire. */
  answer(what: 'first' | 'page' | 'page and total'): Statement {
    return this.#once(`answer ${what}`, () => compileAnswer(this.#dialect, this.plan, what));
  }

  get oneTrip(): boolean {
    return this.#dialect.oneTrip;
  }

  count(): Statement {
    return this.#once('count', () => compileCount(this.#dialect, this.plan));
  }

  #once(name: string, make: () => Statement): Statement {
    let statement = this.#statements.get(name);
    if (!statement) {
      statement = make();
      this.#statements.set(name, statement);
    }
    return statement;
  }
}

interface BoundEntity {
  readonly writer: EntityWriter;
  readonly populate: readonly BoundPopulate[];
}

interface BoundPopulate {
  readonly plan: CompiledPopulate['plan'];
  readonly index: number;
  readonly statement: BoundStatement;
  readonly entities: readonly BoundEntity[];
}

const writers = new WeakMap<readonly OutputColumn[], EntityWriter>();

function writerOf(columns: readonly OutputColumn[], inJson: boolean): EntityWriter {
  let writer = writers.get(columns);
  if (!writer) {
    writer = entityWriter(columns, inJson);
    writers.set(columns, writer);
  }
  return writer;
}

function bindEntity(entity: CompiledEntity, slots: readonly unknown[], inJson: boolean): BoundEntity {
  return {
    writer: writerOf(entity.columns, inJson),
    populate: entity.populate.map(({ plan, index, statement, entities }) => ({
      plan,
      index,
      statement: bindStatement(statement, slots),
      entities: entities.map((one) => bindEntity(one, slots, inJson)),
    })),
  };
}

export interface PageText {
  /** The entries as the members of a JSON array, without its brackets. */
  readonly entries: string;
  readonly total: number | null;
}

export interface PreparedPage {
  run(session: Session, context: Context): Promise<PageText>;
}

export interface PreparedFirst {
  /** Whether it is one statement. */
  readonly single: boolean;
  run(session: Session, context: Context): Promise<string | null>;
}

/** A row that was populated, as the part it belongs to returned it; its columns begin at `at`. */
interface PopulatedRow {
  readonly parent: unknown;
  readonly part: number;
  readonly row: Row;
  readonly at: number;
}

/** Counts what an answer populates, so that relations in circles end in a refusal instead of megabytes. */
class Budget {
  #rows = 0;

  spend(rows: number): void {
    this.#rows += rows;
    if (this.#rows > MAX_POPULATED_ROWS)
      throw limitExceeded('MAX_POPULATED_ROWS', MAX_POPULATED_ROWS, 'populated entries in one answer', {
        param: 'populate',
      });
  }

  /** Texts are only joined to one another so far; they are measured before they are copied. */
  checkLength(characters: number): void {
    if (characters > MAX_POPULATED_CHARACTERS)
      throw limitExceeded('MAX_POPULATED_CHARACTERS', MAX_POPULATED_CHARACTERS, 'populated characters in one answer', {
        param: 'populate',
      });
  }
}

/** Where populated rows come from: a statement for each path, or an answer that holds them all already. */
type Source = (populate: BoundPopulate, ids: string) => Promise<readonly PopulatedRow[]> | readonly PopulatedRow[];

export function preparePage(read: CompiledRead, slots: readonly unknown[], withCount: boolean): PreparedPage {
  const entity = bindEntity(read.entity, slots, read.oneTrip);
  if (read.oneTrip) {
    const answer = bindStatement(read.answer(withCount ? 'page and total' : 'page'), slots);
    return {
      async run(session, context) {
        const parts = await readAnswer(session, answer, context);
        const populated = await populateAll(entity, '', parts.source, new Budget());
        return { entries: joined(entity, parts.rows, populated), total: parts.total };
      },
    };
  }
  const page = bindStatement(read.page(withCount), slots);
  const rows = bindStatement(read.rows(), slots);
  return {
    async run(session, context) {
      const [found] = await run(session, page, context);
      const total = found![0] as number | null;
      const ids = found![1] as string;
      if (ids === '[]') return { entries: '', total };
      const ordered = inOrder(await run(session, rows, { ...context, ids }), ids);
      const populated = await populateAll(entity, ids, stepByStep(session, context), new Budget());
      return { entries: joined(entity, ordered, populated), total };
    },
  };
}

export function prepareFirst(read: CompiledRead, slots: readonly unknown[]): PreparedFirst {
  const entity = bindEntity(read.entity, slots, read.oneTrip);
  // A single row with nothing around it needs no numbered parts.
  if (read.oneTrip && entity.populate.length > 0) {
    const answer = bindStatement(read.answer('first'), slots);
    return {
      single: true,
      async run(session, context) {
        const parts = await readAnswer(session, answer, context);
        const [row] = parts.rows;
        if (!row) return null;
        return entity.writer.append('', row, 0, await populateAll(entity, '', parts.source, new Budget()), '');
      },
    };
  }
  const first = bindStatement(read.first(), slots);
  return {
    single: entity.populate.length === 0,
    async run(session, context) {
      const found = await run(session, first, context);
      const row = firstById(read.oneTrip ? found.map(([text]) => JSON.parse(text as string)) : found);
      if (!row) return null;
      const populated = await populateAll(entity, `[${row[0]}]`, stepByStep(session, context), new Budget());
      return entity.writer.append('', row, 0, populated, '');
    },
  };
}

const firstById = (rows: readonly Row[]): Row | undefined =>
  rows.length <= 1 ? rows[0] : rows.reduce((first, row) => ((row[0] as number) < (first[0] as number) ? row : first));

export async function runCount(
  session: Session,
  read: CompiledRead,
  slots: readonly unknown[],
  context: Context,
): Promise<number> {
  const [row] = await run(session, bindStatement(read.count(), slots), context);
  return Number(row![0]);
}

const run = (session: Session, bound: BoundStatement, context: Context): Promise<readonly Row[]> =>
  session.rows(bound.statement, bound.values(context));

/** Rows come back as the database found them; the page's order is that of its ids. */
function inOrder(rows: readonly Row[], idText: string): readonly Row[] {
  const ids = JSON.parse(idText) as number[];
  if (rows.length === ids.length && rows.every((row, index) => row[0] === ids[index])) return rows;
  const byId = new Map(rows.map((row) => [row[0], row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

const stepByStep =
  (session: Session, context: Context): Source =>
  async ({ plan, statement }, ids) => {
    const rows = await run(session, statement, { ...context, ids });
    if (plan.count) return rows.map((row) => ({ parent: row[0], part: 0, row, at: 1 }));
    return plan.kind === 'related'
      ? rows.map((row) => ({ parent: row[0], part: 0, row, at: 1 }))
      : rows.map((row) => ({ parent: row[0], part: row[3] as number, row, at: 4 }));
  };

interface Answer {
  readonly rows: readonly Row[];
  readonly total: number | null;
  readonly source: Source;
}

/** The parts of an answer that one statement returned, each a JSON list under its number. */
async function readAnswer(session: Session, answer: BoundStatement, context: Context): Promise<Answer> {
  const parts = new Map<number, unknown>();
  for (const [part, text] of await run(session, answer, context))
    parts.set(part as number, text === null ? null : JSON.parse(text as string));
  const source: Source = ({ plan, index }) => {
    const rows = (parts.get(index) ?? []) as [unknown, unknown, number?][];
    return rows.map(([parent, data, part]) =>
      plan.count ? { parent, part: 0, row: [data], at: 0 } : { parent, part: part ?? 0, row: data as Row, at: 0 },
    );
  };
  return {
    rows: (parts.get(ROWS) ?? []) as Row[],
    total: parts.has(TOTAL) ? (parts.get(TOTAL) as number) : null,
    source,
  };
}

/** The members of a JSON array. */
function joined(entity: BoundEntity, rows: readonly Row[], populated: readonly Populated[]): string {
  let text = '';
  for (const row of rows) text = entity.writer.append(text === '' ? '' : `${text},`, row, 0, populated, '');
  return text;
}

async function populateAll(entity: BoundEntity, ids: string, source: Source, budget: Budget): Promise<Populated[]> {
  const populated: Populated[] = [];
  for (const populate of entity.populate) populated.push(await populateOne(populate, ids, source, budget));
  return populated;
}

async function populateOne(populate: BoundPopulate, ids: string, source: Source, budget: Budget): Promise<Populated> {
  const { plan, entities } = populate;
  const rows = await source(populate, ids);
  budget.spend(rows.length);
  if (plan.count) {
    const counts = rows.map(({ parent, row, at }): [unknown, string] => [parent, `{"count":${row[at]}}`]);
    return { opening: openingOf(plan.key), none: '{"count":0}', byParent: new Map(counts) };
  }
  const tags = plan.kind === 'related' ? [''] : plan.parts.map(({ uid }) => `,"${plan.tag}":${JSON.stringify(uid)}`);
  const below: Populated[][] = [];
  for (const [part, entity] of entities.entries()) below.push(await populateBelow(entity, rows, part, source, budget));
  const byParent = new Map<unknown, string>();
  let characters = 0;
  for (const { parent, part, row, at } of rows) {
    const before = byParent.get(parent);
    // Of several rows where one is meant, the first counts.
    if (before !== undefined && !plan.many) continue;
    const start = !plan.many ? '' : before === undefined ? '[' : `${before},`;
    const text = entities[part]!.writer.append(start, row, at, below[part]!, tags[part]!);
    characters += text.length - (before?.length ?? 0);
    budget.checkLength(characters);
    byParent.set(parent, text);
  }
  if (plan.many) for (const [parent, text] of byParent) byParent.set(parent, `${text}]`);
  return { opening: openingOf(plan.key), none: plan.many ? '[]' : 'null', byParent };
}

const openingOf = (key: string): string => `,${JSON.stringify(key)}:`;

async function populateBelow(
  entity: BoundEntity,
  rows: readonly PopulatedRow[],
  part: number,
  source: Source,
  budget: Budget,
): Promise<Populated[]> {
  if (entity.populate.length === 0) return [];
  const ids = new Set(rows.filter((row) => row.part === part).map(({ row, at }) => row[at]));
  return ids.size === 0 ? [] : populateAll(entity, JSON.stringify([...ids]), source, budget);
}
