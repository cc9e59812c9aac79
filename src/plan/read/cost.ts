// Read plan + sizes of tables → what it costs, in rows that the database touches. An estimate from above, made for
// telling small reads from large ones before they run, and for naming the part that is large. Conditions through
// relations are passes over link tables, made once; everything else is counted for each row it is asked of.
import { MAX_LIST_ITEMS, MAX_SMALL_COST } from '../../limits.ts';
import type { ScalarType } from '../../model/types.ts';
import type {
  AggregatePlan,
  ColumnRef,
  Condition,
  OrderKey,
  PlanComparison,
  PopulatePlan,
  ReadPlan,
  RelationStep,
} from './nodes.ts';

/** What a part of a read costs, all parts below it included. */
export interface Cost {
  /** What it is, in the words of the request. */
  readonly title: string;
  readonly rows: number;
  /** Values of entries that are read into memory and written to the response. */
  readonly written: number;
  readonly parts: readonly Cost[];
}

/** What a whole read costs. */
export interface ReadCost extends Cost {
  /** How often it looks through the long texts of a table. How long they are is not known. */
  readonly texts: number;
}

/** How many rows a table has, or a little more. */
export type RowsIn = (table: string) => number;

/** A condition: rows touched once, and the weight of asking it of one row. */
interface ConditionCost {
  readonly once: number;
  readonly perRow: number;
}

/** How many times a plain comparison some comparisons take. */
const WEIGHTS: Partial<Record<PlanComparison, number>> = {
  contains: 2,
  eqi: 3,
  containsi: 3,
  startsWithi: 3,
  endsWithi: 3,
};
const JSON_WEIGHT = 30;
/**
 * The canonical text of JSON is put together for each row. A value of fifty items takes a hundred times as long as a short
 * one, and how long values are is not known: such a read is not small until it has shown that it is.
 */
const JSON_TEXT_WEIGHT = 500;
const JSON_TEXT: ReadonlySet<PlanComparison> = new Set([
  'contains',
  'startsWith',
  'endsWith',
  'eqi',
  'containsi',
  'startsWithi',
  'endsWithi',
]);
/** Comparisons that look at more than the beginning of a text. */
const WHOLE_TEXT: ReadonlySet<PlanComparison> = new Set(['contains', 'eqi', 'containsi', 'startsWithi', 'endsWithi']);
const LONG_TEXTS: ReadonlySet<ScalarType> = new Set(['text', 'richtext', 'json', 'blocks'] as const);
const SEARCH_WEIGHT = 3;
/** A row that is looked for by an index, among many. */
const LOOK_UP = 2;
/** Rows that are counted in the time of one that is looked at. */
const COUNTED_AT_ONCE = 10;
/** Rows of all versions that are asked for each that is shown, where an index holds them in order. */
const ASKED_PER_SHOWN = 50;
/** How many links one row has is not known; so many, or a hundredth of all, is many. */
const MANY_LINKS = 100;
const manyOf = (links: number): number => Math.min(links, MANY_LINKS + links / 100);
/** A link in a pass that groups them all. */
const GROUPED = 6;
/** A row that is sorted into its group, for each key. */
const GROUPED_ROW = 3;

export function estimateCost(plan: ReadPlan, rowsIn: RowsIn, limit: number): ReadCost {
  const estimate = new Estimate(rowsIn, plan.limits.populatedRows);
  const { table } = plan.entity;
  const isOne = isOfOneDocument(plan.where);
  const candidates = isOne ? 1 : Math.min(mostRows(plan, limit, rowsIn), rowsIn(table));
  const shown = isOne ? 1 : Math.min(limit, candidates);
  const where = plan.where ? estimate.condition(plan.where, candidates) : NOTHING;
  const textsOfWhere = estimate.texts;
  const written = plan.aggregate ? 0 : shown * plan.entity.columns.length;
  const parts: Cost[] = [
    leaf(`rows of ${table}`, plan.where ? candidates : candidates / COUNTED_AT_ONCE, written),
    leaf('filters', where.once + where.perRow * candidates),
    ...(isOne ? [] : plan.order.map((key) => estimate.order(key, table, candidates))),
    ...plan.entity.populate.map((populate) => estimate.populate(populate, table, shown)),
    ...(plan.aggregate ? [estimate.aggregate('groups', plan.aggregate, table, candidates)] : []),
    // Each facet looks at all entries anew.
    ...plan.facets.map(({ name, aggregate }) =>
      sum(`facet ${name}`, [
        leaf('filters', candidates + where.once + where.perRow * candidates),
        estimate.aggregate('groups', aggregate, table, candidates),
      ]),
    ),
  ];
  const texts = isOne ? 0 : Math.ceil(estimate.texts + textsOfWhere * plan.facets.length);
  return { ...sum(plan.uid, parts), texts };
}

/** Rows that are asked at most, however many there are. */
function mostRows({ where, keyset }: ReadPlan, limit: number, rowsIn: RowsIn): number {
  if (isById(where)) return MAX_LIST_ITEMS;
  const linked = where?.is === 'and' && where.of.find(({ is }) => is === 'linked');
  if (linked && linked.is === 'linked') return MAX_LIST_ITEMS + rowsIn(linked.link.table) / 100;
  return keyset?.isIndexed && isMostlyMet(where) ? (limit + 1) * keyset.segments.length * ASKED_PER_SHOWN : Infinity;
}

/** Whether it asks no more than for a version of each document. */
const isMostlyMet = (where: Condition | null): boolean =>
  where === null ||
  where.is === 'null' ||
  where.is === 'notNull' ||
  where.is === 'locale' ||
  (where.is === 'and' && where.of.every(isMostlyMet));

const NOTHING: ConditionCost = { once: 0, perRow: 0 };

const leaf = (title: string, rows: number, written = 0): Cost => ({
  title,
  rows: Math.ceil(rows),
  written: Math.ceil(written),
  parts: [],
});

function sum(title: string, parts: readonly Cost[]): Cost {
  const total = (key: 'rows' | 'written'): number => parts.reduce((sum, part) => sum + part[key], 0);
  return { title, rows: total('rows'), written: total('written'), parts: parts.filter(({ rows }) => rows > 0) };
}

const isOfOneDocument = (where: Condition | null): boolean =>
  where?.is === 'document' || (where?.is === 'and' && where.of.some(isOfOneDocument));

/** Whether it asks for rows by ids, of which there are no more than a list may hold. */
const isById = (where: Condition | null): boolean =>
  where?.is === 'and'
    ? where.of.some(isById)
    : where?.is === 'compare' &&
      !where.negated &&
      (where.op === 'eq' || where.op === 'in') &&
      (where.column.column === 'id' || where.column.column === 'document_id');

const isJson = (type: ScalarType): boolean => type === 'json' || type === 'blocks';

function weightOf(op: PlanComparison, type: ScalarType): number {
  if (!isJson(type)) return WEIGHTS[op] ?? 1;
  return JSON_TEXT.has(op) ? JSON_TEXT_WEIGHT : JSON_WEIGHT;
}

/** JSON is compared as what it means, so all of it is read. */
const readsWholeText = ({ type, path }: ColumnRef, op: PlanComparison): boolean =>
  LONG_TEXTS.has(type) && (WHOLE_TEXT.has(op) || (isJson(type) && !path));

class Estimate {
  readonly #rowsIn: RowsIn;
  /** Rows that are populated at most. */
  readonly #mostPopulated: number;
  /** How often long texts are looked through, so far. */
  texts = 0;

  constructor(rowsIn: RowsIn, mostPopulated: number) {
    this.#rowsIn = rowsIn;
    this.#mostPopulated = mostPopulated;
  }

  /** `asked`: of how many rows at most. */
  condition(condition: Condition, asked: number): ConditionCost {
    switch (condition.is) {
      case 'and':
      case 'or':
        return this.#all(condition.of, asked);
      case 'compare': {
        const { column, op } = condition;
        if (readsWholeText(column, op)) this.texts++;
        const perRow = column.path ? JSON_WEIGHT : weightOf(op, column.type);
        return { once: perRow === JSON_TEXT_WEIGHT ? MAX_SMALL_COST : 0, perRow };
      }
      case 'related': {
        const some = this.#some(condition.step, condition.where, asked);
        const none = condition.orNone ? this.#none(condition.step, asked) : NOTHING;
        return { once: some.once + none.once, perRow: some.perRow + none.perRow };
      }
      case 'unrelated':
        return this.#none(condition.step, asked);
      case 'none':
        return this.#some(condition.step, condition.where, asked);
      case 'count':
        return this.#some(condition.step, condition.where, asked, GROUPED);
      case 'all':
        return this.#some(condition.step, { ...condition, is: 'compare', op: 'in' }, Infinity, GROUPED);
      case 'notTrue':
      case 'ofHolder':
        return this.condition(condition.where, asked);
      case 'sibling':
        return { once: 0, perRow: LOOK_UP };
      case 'search':
        this.texts += condition.columns.filter(({ type }) => LONG_TEXTS.has(type)).length;
        return { once: 0, perRow: SEARCH_WEIGHT * condition.columns.length };
      case 'never':
      case 'document':
        return NOTHING;
      default:
        return { once: 0, perRow: 1 };
    }
  }

  #all(conditions: readonly (Condition | null)[], asked: number): ConditionCost {
    let [once, perRow] = [0, 0];
    for (const condition of conditions) {
      if (!condition) continue;
      const cost = this.condition(condition, asked);
      once += cost.once;
      perRow += cost.perRow;
    }
    return { once, perRow };
  }

  /**
   * One pass over the links, with the conditions at their far end, and then a look-up for each row; or the links of each
   * row that is asked, where these are few. `perLink`: what a link weighs in the pass.
   */
  #some(step: RelationStep, where: Condition | null, asked: number, perLink = 1): ConditionCost {
    if (!step.link) return { once: 0, perRow: LOOK_UP };
    const links = this.#rowsIn(step.link.table);
    const { once, perRow } = this.#all([step.where, where], links);
    const pass = links * (perLink + perRow);
    const followed = asked * manyOf(links) * (LOOK_UP + perRow);
    return { once: once + Math.min(pass, followed), perRow: 1 };
  }

  /** The links of each row, until one is found. */
  #none(step: RelationStep, asked: number): ConditionCost {
    if (!step.link) return { once: 0, perRow: LOOK_UP };
    const { once, perRow } = this.#all([step.where], asked);
    return { once, perRow: LOOK_UP * (1 + perRow) };
  }

  /** So many times a value of a table is read whole, where it can be long. */
  #readText({ type }: ColumnRef, table: string, times: number): void {
    if (LONG_TEXTS.has(type)) this.texts += times / Math.max(1, this.#rowsIn(table));
  }

  order(key: OrderKey, table: string, rows: number): Cost {
    const { aggregate } = key;
    const names = [
      ...key.steps.map((step) => step.table),
      ...(aggregate?.is === 'count' ? [] : [key.column.column]),
      ...(aggregate ? [`$${aggregate.is}`] : []),
    ];
    const title = `sort by ${names.join(' → ')}`;
    const last = key.steps.at(-1);
    if (last)
      this.#readText(
        key.column,
        last.table,
        key.branches ? this.#linksOf(last) : rows * this.#fanOut(key.steps[0]!, table),
      );
    else this.#readText(key.column, table, rows);
    if (key.steps.length === 0) return leaf(title, key.column.column === 'id' ? 0 : rows);
    if (key.branches) {
      const passes = key.steps.map(
        (step) => this.#linksOf(step) * GROUPED + this.#stepWhere(step, this.#linksOf(step)),
      );
      return leaf(title, rows + passes.reduce((total, pass) => total + pass, 0));
    }
    const paths = rows * this.#fanOut(key.steps[0]!, table);
    const conditions = key.steps.map((step) => this.#stepWhere(step, paths));
    return leaf(title, rows + paths * key.steps.length * LOOK_UP + conditions.reduce((total, one) => total + one, 0));
  }

  /** Every row is looked at for its keys and values, and put into its groups. */
  aggregate(title: string, { places, keys, values }: AggregatePlan, table: string, rows: number): Cost {
    let [joined, around] = [rows, 0];
    for (const { steps, multiplies } of places) {
      const { paths, cost } = multiplies
        ? this.#allPaths(steps, table)
        : { paths: rows, cost: steps.reduce((sum, step) => sum + rows * LOOK_UP + this.#stepWhere(step, rows), 0) };
      around += cost;
      joined *= Math.max(1, paths / Math.max(1, rows));
    }
    for (const { column } of [...keys, ...values])
      if (column)
        this.#readText(column, column.place === null ? table : places[column.place]!.steps.at(-1)!.table, joined);
    return leaf(title, around + joined * (GROUPED_ROW * Math.max(1, keys.length) + values.length));
  }

  /** The paths from all rows of a table. They multiply with every step, and each is followed. */
  #allPaths(steps: readonly RelationStep[], table: string): { readonly paths: number; readonly cost: number } {
    let [paths, cost, from] = [this.#rowsIn(table), 0, table];
    for (const step of steps) {
      paths *= this.#fanOut(step, from);
      cost += paths * GROUPED + this.#stepWhere(step, paths);
      from = step.table;
    }
    return { paths, cost };
  }

  #linksOf(step: RelationStep): number {
    return this.#rowsIn(step.link?.table ?? step.table);
  }

  #stepWhere(step: RelationStep, asked: number): number {
    const { once, perRow } = this.#all([step.where], asked);
    return once + perRow * asked;
  }

  /** How many rows a step leads to from one row, on average. */
  #fanOut(step: RelationStep, table: string): number {
    return Math.max(1, this.#linksOf(step) / Math.max(1, this.#rowsIn(table)));
  }

  populate(plan: PopulatePlan, table: string, parents: number): Cost {
    const parts = plan.kind === 'related' ? [plan.part] : plan.parts;
    const costs = parts.flatMap(({ step, where, entity }): Cost[] => {
      // The rows of a page may be those with the most links.
      const reached = Math.min(parents * this.#fanOut(step, table) * LOOK_UP, this.#linksOf(step), this.#mostPopulated);
      const { once, perRow } = this.#all([step.where, where], reached);
      const orders = plan.kind === 'related' ? plan.order.map((key) => this.order(key, entity.table, reached)) : [];
      const distinct = Math.min(reached, this.#rowsIn(entity.table));
      return [
        leaf(
          `rows of ${entity.table}`,
          once + reached * (LOOK_UP + perRow + entity.columns.length),
          reached * entity.columns.length,
        ),
        ...orders,
        ...entity.populate.map((below) => this.populate(below, entity.table, distinct)),
      ];
    });
    return sum(`populate ${plan.key}`, costs);
  }
}
