// The only place where read plans meet the database: runs the statements of a plan in order and assembles the
// answer. The number of statements depends on the plan alone: two for a list, one more for each populated path.
import type { AuthorizedPlan } from '../access/authorize.ts';
import type { Database, Row } from '../db/database.ts';
import type { OutputColumn } from '../plan/read-plan.ts';
import type { CompiledEntity, CompiledPopulate } from '../sql/compile-read.ts';
import { compileCount, compileEntity, compileFirst, compilePage, compileRows } from '../sql/compile-read.ts';
import type { Statement } from '../sql/statement.ts';
import { collect, type EntityWriter, entityWriter, type Populated } from './assemble.ts';
import { type BoundStatement, bindStatement, type Context } from './bind.ts';

/** A plan turned into statements, each made when it is first needed. */
export class CompiledRead {
  readonly plan: AuthorizedPlan;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  #entity: CompiledEntity | null = null;

  constructor(database: Database, plan: AuthorizedPlan) {
    this.#database = database;
    this.plan = plan;
  }

  get entity(): CompiledEntity {
    this.#entity ??= compileEntity(this.#database.dialect, this.plan.entity);
    return this.#entity;
  }

  page(withCount: boolean): Statement {
    return this.#once(`page ${withCount}`, () => compilePage(this.#database.dialect, this.plan, withCount));
  }

  rows(): Statement {
    return this.#once('rows', () => compileRows(this.#database.dialect, this.plan));
  }

  first(): Statement {
    return this.#once('first', () => compileFirst(this.#database.dialect, this.plan));
  }

  count(): Statement {
    return this.#once('count', () => compileCount(this.#database.dialect, this.plan));
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
  readonly statement: BoundStatement;
  readonly entities: readonly BoundEntity[];
}

const writers = new WeakMap<readonly OutputColumn[], EntityWriter>();

function writerOf(columns: readonly OutputColumn[]): EntityWriter {
  let writer = writers.get(columns);
  if (!writer) {
    writer = entityWriter(columns);
    writers.set(columns, writer);
  }
  return writer;
}

function bindEntity(entity: CompiledEntity, slots: readonly unknown[]): BoundEntity {
  return {
    writer: writerOf(entity.columns),
    populate: entity.populate.map(({ plan, statement, entities }) => ({
      plan,
      statement: bindStatement(statement, slots),
      entities: entities.map((one) => bindEntity(one, slots)),
    })),
  };
}

export interface PageText {
  /** The entries as the members of a JSON array, without its brackets. */
  readonly entries: string;
  readonly total: number | null;
}

export interface PreparedPage {
  run(context: Context): Promise<PageText>;
}

export function preparePage(
  database: Database,
  read: CompiledRead,
  slots: readonly unknown[],
  withCount: boolean,
): PreparedPage {
  const page = bindStatement(read.page(withCount), slots);
  const rows = bindStatement(read.rows(), slots);
  const entity = bindEntity(read.entity, slots);
  return {
    async run(context) {
      const [found] = await run(database, page, context);
      const total = found![0] as number | null;
      const idText = found![1] as string;
      if (idText === '[]') return { entries: '', total };
      const inside = { ...context, ids: idText };
      const unordered = await run(database, rows, inside);
      const ordered = inOrder(unordered, idText);
      const populated = await populateAll(database, entity, inside);
      return { entries: ordered.map((row) => entity.writer.write(row, 0, populated, '')).join(','), total };
    },
  };
}

export interface PreparedFirst {
  run(context: Context): Promise<string | null>;
}

export function prepareFirst(database: Database, read: CompiledRead, slots: readonly unknown[]): PreparedFirst {
  const first = bindStatement(read.first(), slots);
  const entity = bindEntity(read.entity, slots);
  return {
    async run(context) {
      const [row] = await run(database, first, context);
      if (!row) return null;
      const populated = await populateAll(database, entity, { ...context, ids: `[${row[0]}]` });
      return entity.writer.write(row, 0, populated, '');
    },
  };
}

export async function runCount(
  database: Database,
  read: CompiledRead,
  slots: readonly unknown[],
  context: Context,
): Promise<number> {
  const [row] = await run(database, bindStatement(read.count(), slots), context);
  return row![0] as number;
}

const run = (database: Database, bound: BoundStatement, context: Context): Promise<readonly Row[]> =>
  database.rows(bound.statement, bound.values(context));

/** Rows come back as the database found them; the page's order is that of its ids. */
function inOrder(rows: readonly Row[], idText: string): readonly Row[] {
  const ids = JSON.parse(idText) as number[];
  if (rows.length === ids.length && rows.every((row, index) => row[0] === ids[index])) return rows;
  const byId = new Map(rows.map((row) => [row[0], row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

async function populateAll(database: Database, entity: BoundEntity, context: Context): Promise<Populated[]> {
  const populated: Populated[] = [];
  for (const populate of entity.populate) populated.push(await populateOne(database, populate, context));
  return populated;
}

async function populateOne(database: Database, populate: BoundPopulate, context: Context): Promise<Populated> {
  const { plan, statement, entities } = populate;
  const rows = await run(database, statement, context);
  if (plan.count) {
    const counts = rows.map(([parent, count]): [unknown, string] => [parent, `{"count":${count}}`]);
    return { key: plan.key, none: '{"count":0}', byParent: new Map(counts) };
  }
  const none = plan.many ? '[]' : 'null';
  const texts = new Map<unknown, string[]>();
  const add = (parent: unknown, text: string) => {
    const list = texts.get(parent);
    if (list) list.push(text);
    else texts.set(parent, [text]);
  };
  if (plan.kind === 'related') {
    const entity = entities[0]!;
    const populated = await populateBelow(database, entity, rows, 1, context);
    for (const row of rows) add(row[0], entity.writer.write(row, 1, populated, ''));
  } else {
    const tags = plan.parts.map(({ uid }) => `,${JSON.stringify(plan.tag)}:${JSON.stringify(uid)}`);
    const below: Populated[][] = [];
    for (const [part, entity] of entities.entries()) {
      const own = rows.filter((row) => row[3] === part);
      below.push(await populateBelow(database, entity, own, 4, context));
    }
    for (const row of rows) {
      const part = row[3] as number;
      add(row[0], entities[part]!.writer.write(row, 4, below[part]!, tags[part]!));
    }
  }
  const byParent = new Map<unknown, string>();
  for (const [parent, list] of texts) byParent.set(parent, collect(list, plan.many));
  return { key: plan.key, none, byParent };
}

async function populateBelow(
  database: Database,
  entity: BoundEntity,
  rows: readonly Row[],
  idAt: number,
  context: Context,
): Promise<Populated[]> {
  if (entity.populate.length === 0 || rows.length === 0) return [];
  const ids = [...new Set(rows.map((row) => row[idAt]))];
  return populateAll(database, entity, { ...context, ids: JSON.stringify(ids) });
}
