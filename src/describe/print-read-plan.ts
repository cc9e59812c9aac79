// Read plans in words, as indented trees: what a person wants to see of them, and all that decides what SQL they become.
import type { RuleValue } from '../access/access.ts';
import type {
  AggregateColumn,
  AggregatePlan,
  AggregateValuePlan,
  ColumnRef,
  Condition,
  EntityPlan,
  KeysetPlan,
  OrderKey,
  PlanComparison,
  PopulatePlan,
  ReadPlan,
  RelationStep,
  ValueRef,
} from '../plan/read/nodes.ts';

import type { PopulatePage } from '../request/read-request.ts';

/** A line and what stands below it. */
export type Tree = string | { readonly line: string; readonly below: readonly Tree[] };

export const node = (line: string, below: readonly Tree[]): Tree => (below.length > 0 ? { line, below } : line);

const print = (trees: readonly Tree[], depth = 0): string[] =>
  trees.flatMap((tree) => {
    const indent = '  '.repeat(depth);
    return typeof tree === 'string' ? [indent + tree] : [indent + tree.line, ...print(tree.below, depth + 1)];
  });

export const textOf = (trees: readonly Tree[]): string => print(trees).join('\n');

export const json = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));

export const printReadPlan = (plan: ReadPlan): string => textOf(readPlanTrees(plan));

export const readPlanTrees = (plan: ReadPlan): Tree[] => [
  `${plan.status} rows of ${plan.uid}${plan.publication ? `, ${plan.publication}` : ''}`,
  ...(plan.where ? [node('where', [condition(plan.where)])] : []),
  node('order', plan.order.map(orderKey)),
  ...(plan.keyset ? [keyset(plan.keyset)] : []),
  ...(plan.position ? [`first in the order of ${plan.position.table}`] : []),
  ...(plan.aggregate ? [node('groups', groups(plan.aggregate))] : entity(plan.entity)),
  ...plan.facets.map(({ name, aggregate }) => node(`facet ${name}`, groups(aggregate))),
  `touches ${plan.touches.join(', ')}`,
  ...(plan.omitted.length > 0 ? [`leaves out ${plan.omitted.join(', ')}`] : []),
];

function groups({ places, keys, values, having, order, smallest }: AggregatePlan): Tree[] {
  const place = (index: number | null): string => (index === null ? '' : ` of place ${index}`);
  const column = ({ column: name, place: index }: AggregateColumn): string => `${name}${place(index)}`;
  const value = ({ function: name, column: of }: AggregateValuePlan): string =>
    of ? `${name} of ${column(of)}` : 'the number of entries';
  return [
    ...places.map(({ steps, multiplies, differ }, index) =>
      node(
        `place ${index}${multiplies ? `, of which an entry may have several${differ ? ' that differ' : ''}` : ''}`,
        steps.map((step) => node(`through ${stepName(step)}`, step.where ? [condition(step.where)] : [])),
      ),
    ),
    ...keys.map(({ name, column: of, part }) => `by ${name}: ${part ? `the ${part} of ` : ''}${column(of)}`),
    ...values.map((one, index) => `a${index}: ${value(one)}`),
    ...(smallest > 1 ? [`of at least ${smallest} entries`] : []),
    ...(having ? [node('having', [condition(having)])] : []),
    ...order.map(
      ({ of, index, descending }) =>
        `order by ${of === 'key' ? keys[index]!.name : `a${index}`} ${descending ? 'descending' : 'ascending'}`,
    ),
  ];
}

const keyset = ({ slots, backward, segments }: KeysetPlan): Tree =>
  slots === null
    ? 'the first page, with cursors'
    : node(
        backward ? 'backward from a cursor, in turn' : 'forward from a cursor, in turn',
        segments.map(({ where, order }) => node('rows', [condition(where!), ...order.map(orderKey)])),
      );

const OPERATORS: Readonly<Record<PlanComparison, string>> = {
  eq: '=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: 'in',
  between: 'between',
  eqi: 'equals in any case',
  contains: 'contains',
  containsi: 'contains in any case',
  startsWith: 'starts with',
  startsWithi: 'starts in any case with',
  endsWith: 'ends with',
  endsWithi: 'ends in any case with',
  has: 'has',
};

const ruleValue = (given: RuleValue): string =>
  'user' in given ? `$user.${given.user}` : `rule ${json(given.constant)}`;
const operand = ({ given, slot, type }: ValueRef): string => `${given ? ruleValue(given) : `value ${slot}`} as ${type}`;

function condition(one: Condition): Tree {
  switch (one.is) {
    case 'and':
    case 'or':
      return { line: one.is === 'and' ? 'all of' : 'one of', below: one.of.map(condition) };
    case 'never':
      return 'never';
    case 'compareCursor':
      return `${one.column.column} ${OPERATORS[one.op]} value ${one.slot} of the cursor`;
    case 'null':
      return `${columnName(one.column)} is null`;
    case 'notNull':
      return `${columnName(one.column)} is not null`;
    case 'compare':
      return comparison(columnName(one.column), one);
    case 'related':
      return node(
        `has ${one.orNone ? 'no row, or one,' : 'a row'} in ${stepName(one.step)}`,
        [one.step.where, one.where].filter((where) => where !== null).map(condition),
      );
    case 'unrelated':
      return node(`has no row in ${stepName(one.step)}`, one.step.where ? [condition(one.step.where)] : []);
    case 'none':
    case 'all':
    case 'count':
      return onSet(one);
    case 'notTrue':
      return { line: 'false or unknown', below: [condition(one.where)] };
    case 'ofHolder':
      return { line: 'of the row that holds the relation', below: [condition(one.where)] };
    case 'given':
      return `${operand(one.value)} is there`;
    case 'sibling': {
      const { status, sameLocale, draftIsNewer } = one.sibling;
      const newer = draftIsNewer === null ? '' : draftIsNewer ? ', the draft the newer' : ', the draft not the newer';
      const line = `${one.negated ? 'no' : 'a'} ${status} row of the document${sameLocale ? ' in its locale' : ''}${newer}`;
      return node(line, one.where ? [condition(one.where)] : []);
    }
    case 'locale':
      return one.slot === null ? 'in the default locale' : `in a locale of value ${one.slot}`;
    case 'document':
      return 'of the document asked for';
    case 'linked':
      return `linked by ${one.link.table} (${one.link.from} to ${one.link.to}) with the row asked for`;
    case 'search':
      return `value ${one.slot} found in ${columnNames(one.columns)}`;
  }
}

/** What is said of all related rows together. */
function onSet(one: Condition & { is: 'none' | 'all' | 'count' }): Tree {
  const rows = stepName(one.step);
  const where = 'where' in one ? one.where : null;
  const narrowed = [one.step.where, where].filter((member) => member !== null).map(condition);
  if (one.is === 'none') return node(`has none of the rows in ${rows}`, narrowed);
  const not = one.negated ? 'not ' : '';
  if (one.is === 'all')
    return node(`${not}${columnName(one.column)} in ${rows} has all of ${operand(one.value)}`, narrowed);
  const tests = one.tests.map((test) => comparison('number', test)).join(' and ');
  return node(`${not}the number of rows in ${rows} passes: ${tests}`, narrowed);
}

function comparison(
  name: string,
  { op, negated, value }: { readonly op: PlanComparison; readonly negated: boolean; readonly value: ValueRef },
): string {
  const item = value.item === undefined ? '' : `item ${value.item} of `;
  return `${negated ? 'not ' : ''}${name} ${OPERATORS[op]} ${item}${operand(value)}`;
}

const columnName = ({ column, path }: ColumnRef): string =>
  path ? `${column} at ${path.given ? ruleValue(path.given) : `value ${path.slot}`}` : column;

const columnNames = (columns: readonly ColumnRef[]): string => columns.map(({ column }) => column).join(', ');

function stepName({ link, table, among }: RelationStep): string {
  if (!link) return `${table}, the other locales of the document`;
  const constants = link.constants.map(({ column, value }) => `, ${column} ${value}`).join('');
  const fields = among ? `, ${among.column} ${among.values.join(' or ')}` : '';
  return `${table} by ${link.table} (${link.from} to ${link.to}${constants}${fields})`;
}

const AGGREGATES = { min: 'the smallest', max: 'the largest', avg: 'the average', count: 'the number' } as const;

function orderKey({ steps, column, aggregate, descending }: OrderKey): Tree {
  const direction = descending ? 'descending' : 'ascending';
  if (steps.length === 0) return `${column.column} ${direction}`;
  const through = steps.map((step) => node(`through ${stepName(step)}`, step.where ? [condition(step.where)] : []));
  const what = AGGREGATES[aggregate?.is ?? (descending ? 'max' : 'min')];
  const of = aggregate?.is === 'count' ? '' : ` ${column.column}`;
  return node(`${what}${of} ${direction}`, through);
}

const entity = ({ columns, populate }: EntityPlan): Tree[] => [
  `show ${columns.map(({ key }) => key).join(', ')}`,
  ...(populate.length > 0 ? [node('populate', populate.map(populated))] : []),
];

const pageOf = ({ start, limit, withCount }: PopulatePage): string =>
  `value ${limit} of a list from value ${start} on${withCount ? ', with its total' : ''}`;

function populated(plan: PopulatePlan): Tree {
  const amount = plan.count ? 'the number' : plan.page ? pageOf(plan.page) : plan.many ? 'a list' : 'one';
  if (plan.kind === 'mixed')
    return node(
      `${plan.key}: ${amount}, each with its ${plan.tag}`,
      plan.parts.map((part) => node(part.uid, relatedPart(part))),
    );
  const order = plan.order.length > 0 ? [node('order', plan.order.map(orderKey))] : [];
  return node(`${plan.key}: ${amount}`, [...relatedPart(plan.part), ...order]);
}

const relatedPart = ({ step, where, entity: shown }: (PopulatePlan & { kind: 'related' })['part']): Tree[] => {
  const conditions = [step.where, where].filter((one) => one !== null).map(condition);
  return [`from ${stepName(step)}`, ...(conditions.length > 0 ? [node('where', conditions)] : []), ...entity(shown)];
};
