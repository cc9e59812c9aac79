// Populated rows → JSON text around their parents. Where the rows come from is the reading strategy's business.
import { limitExceeded, type SheafError } from '../errors.ts';
import type { AnswerLimits, OutputColumn } from '../plan/read/nodes.ts';
import type { Pagination } from '../request/read-request.ts';
import type { CompiledEntity, CompiledPopulate } from '../sql/compile-read.ts';
import type { Row } from '../sql/statement.ts';
import { type EntityWriter, entityWriter, type Populated } from './assemble.ts';
import { type BoundStatement, bindStatement } from './bind.ts';
import { paginationJson } from './pagination-json.ts';
import type { ReadPage } from './read-strategy.ts';

export interface BoundEntity {
  readonly writer: EntityWriter;
  readonly populate: readonly BoundPopulate[];
}

export interface BoundPopulate {
  readonly plan: CompiledPopulate['plan'];
  readonly index: number;
  readonly statement: BoundStatement;
  /** Null where whole lists are shown. */
  readonly page: Pick<Pagination, 'start' | 'limit' | 'withCount'> | null;
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

/** `inJson`: whether rows come as JSON. */
export function bindEntity(entity: CompiledEntity, slots: readonly unknown[], inJson: boolean): BoundEntity {
  return {
    writer: writerOf(entity.columns, inJson),
    populate: entity.populate.map(({ plan, index, statement, entities }) => ({
      plan,
      index,
      statement: bindStatement(statement, slots),
      page: plan.page && {
        ...plan.page,
        start: Number(slots[plan.page.start]),
        limit: Number(slots[plan.page.limit]),
      },
      entities: entities.map((one) => bindEntity(one, slots, inJson)),
    })),
  };
}

/** A row that was populated, as the part it belongs to returned it; its columns begin at `at`. */
export interface PopulatedRow {
  readonly parent: unknown;
  readonly part: number;
  readonly row: Row;
  readonly at: number;
  /** Of a page: its number in the list, and how many the list holds where that is asked for. */
  readonly n?: number;
  readonly total?: number | null;
}

/** Stands for each of the rows that together are too long for any response, so that they were not read. */
export const TOO_LONG_ROW: PopulatedRow = { parent: null, part: 0, row: [0], at: 0 };

/** Where populated rows come from: a statement for each path, or an answer that holds them all already. */
export type PopulateSource = (
  populate: BoundPopulate,
  ids: string,
) => Promise<readonly PopulatedRow[]> | readonly PopulatedRow[];

/** Counts what an answer populates, so that relations in circles end in a refusal instead of megabytes. */
class Budget {
  readonly #limits: AnswerLimits;
  #rows = 0;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  spend(rows: number): void {
    const { populatedRows } = this.#limits;
    this.#rows += rows;
    if (this.#rows > populatedRows)
      throw limitExceeded('MAX_POPULATED_ROWS', populatedRows, 'populated entries in one answer', {
        param: 'populate',
      });
  }

  /** Strings are only joined to one another so far; they are measured before they are copied. */
  checkLength(characters: number): void {
    if (characters > this.#limits.populatedCharacters) throw tooManyCharacters(this.#limits);
  }
}

export const tooManyCharacters = ({ populatedCharacters }: AnswerLimits): SheafError =>
  limitExceeded('MAX_POPULATED_CHARACTERS', populatedCharacters, 'populated characters in one answer', {
    param: 'populate',
  });

/** Everything populated around the rows with the given ids. */
export const populateEntity = (
  entity: BoundEntity,
  ids: string,
  source: PopulateSource,
  limits: AnswerLimits,
): Promise<Populated[]> => populateAll(entity, ids, source, new Budget(limits));

async function populateAll(
  entity: BoundEntity,
  ids: string,
  source: PopulateSource,
  budget: Budget,
): Promise<Populated[]> {
  const populated: Populated[] = [];
  for (const populate of entity.populate) populated.push(await populateOne(populate, ids, source, budget));
  return populated;
}

async function populateOne(
  populate: BoundPopulate,
  ids: string,
  source: PopulateSource,
  budget: Budget,
): Promise<Populated> {
  const { plan, entities, page } = populate;
  const found = await source(populate, ids);
  // Where a total is asked for the first row of a list comes as well, though it be before the page.
  const rows = page?.withCount ? found.filter(({ n }) => n! > page.start) : found;
  budget.spend(rows.length);
  if (plan.count) {
    const counts = rows.map(({ parent, row, at }): [unknown, string] => [parent, `{"count":${row[at]}}`]);
    return { ...named(plan.key), none: '{"count":0}', byParent: new Map(counts) };
  }
  const below: Populated[][] = [];
  for (const [part, entity] of entities.entries()) {
    const own = entities.length === 1 ? rows : rows.filter((row) => row.part === part);
    below.push(await populateBelow(entity, own, source, budget));
  }
  const byParent = writeLists(populate, rows, below, budget);
  if (!page?.withCount) return { ...named(plan.key), none: plan.many ? '[]' : 'null', byParent };
  const counted = new Map(
    found.map(({ parent, total }) => [parent, countedList(byParent.get(parent) ?? '[]', page, total!)]),
  );
  return { ...named(plan.key), none: countedList('[]', page, 0), byParent: counted };
}

/** A populated list with its total is in the envelope of a list. */
const countedList = (list: string, page: NonNullable<BoundPopulate['page']>, total: number): string =>
  `{"data":${list},"meta":{"pagination":${paginationJson({ ...page, mode: 'offset' }, total)}}}`;

/** The text of what each parent holds. */
function writeLists(
  { plan, entities }: BoundPopulate,
  rows: readonly PopulatedRow[],
  below: readonly (readonly Populated[])[],
  budget: Budget,
): Map<unknown, string> {
  if (rows[0] === TOO_LONG_ROW) budget.checkLength(Number.POSITIVE_INFINITY);
  const tags = plan.kind === 'related' ? [''] : plan.parts.map(({ uid }) => `,"${plan.tag}":${JSON.stringify(uid)}`);
  const offset = rows[0]?.at ?? 0;
  const shapes = tags.map((tag, part) => ({ offset, populated: below[part]!, tag }));
  const byParent = new Map<unknown, string>();
  let characters = 0;
  for (const { parent, part, row } of rows) {
    const before = byParent.get(parent);
    // Of several rows where one is meant, the first counts.
    if (before !== undefined && !plan.many) continue;
    const start = !plan.many ? '' : before === undefined ? '[' : `${before},`;
    const text = entities[part]!.writer.append(start, row, shapes[part]!);
    characters += text.length - (before?.length ?? 0);
    budget.checkLength(characters);
    byParent.set(parent, text);
  }
  if (plan.many) for (const [parent, text] of byParent) byParent.set(parent, `${text}]`);
  return byParent;
}

const named = (key: string): Pick<Populated, 'key' | 'opening'> => ({ key, opening: `,${JSON.stringify(key)}:` });

async function populateBelow(
  entity: BoundEntity,
  rows: readonly PopulatedRow[],
  source: PopulateSource,
  budget: Budget,
): Promise<Populated[]> {
  if (entity.populate.length === 0) return [];
  const ids = new Set(rows.map(({ row, at }) => row[at]));
  return ids.size === 0 ? [] : populateAll(entity, JSON.stringify([...ids]), source, budget);
}

/** The members of a JSON array. */
function joinRows(entity: BoundEntity, rows: readonly Row[], populated: readonly Populated[]): string {
  const shape = { offset: 0, populated, tag: '' };
  let text = '';
  for (const row of rows) text = entity.writer.append(text === '' ? '' : `${text},`, row, shape);
  return text;
}

/** The page of rows in memory: its text, or its entries, are made when they are asked for. */
export function pageOfRows(
  rest: Omit<ReadPage, 'text' | 'objects'>,
  entity: BoundEntity,
  rows: readonly Row[],
  populated: readonly Populated[],
): ReadPage {
  let text: string | null = null;
  return {
    ...rest,
    text() {
      text ??= joinRows(entity, rows, populated);
      return text;
    },
    objects: () => rows.map((row) => entity.writer.entry(row, populated)),
  };
}

/** One row as a JSON object. */
export const writeRow = (entity: BoundEntity, row: Row, populated: readonly Populated[]): string =>
  entity.writer.append('', row, { offset: 0, populated, tag: '' });
