// Aggregates and facets + model → what rows are grouped by and what is computed of each group. Every name stands for what
// a response would show, so it needs the right to be read; related rows are those that populate would show.
import { invalidKey, validationError } from '../../errors.ts';
import type { Attribute, ContentType, ScalarType, Schema } from '../../model/types.ts';
import type { AggregateFunction, AggregateShape, DatePart, FilterNode, GroupPath } from '../../request/read-request.ts';
import type { PlanContext } from './context.ts';
import type {
  AggregateColumn,
  AggregateOrder,
  AggregatePlace,
  AggregatePlan,
  AggregateValuePlan,
  ColumnRef,
  Condition,
  FacetPlan,
  GroupKeyPlan,
  RelationStep,
} from './nodes.ts';
import { planColumn, relationStep } from './plan-filter.ts';
import type { NameLocation } from './resolve.ts';
import { leadsToMany, resolve } from './resolve.ts';
import { ID } from './versions.ts';

/** Where a path of names leads. */
interface Reached {
  readonly steps: readonly RelationStep[];
  /** Whether one entry can have several rows there, and whether the model says so. */
  readonly multiplies: boolean;
  readonly toMany: boolean;
  /** The names but for that of the attribute. */
  readonly prefix: string;
  readonly column: ColumnRef;
  /** Whether no two rows there have the same value in that column. */
  readonly identifies: boolean;
}

export function planAggregate(context: PlanContext, type: ContentType, shape: AggregateShape): AggregatePlan {
  const places = new Places();
  const keys = shape.group.map((path) => planKey(context, type, { ...path, param: 'group' }, places));
  const values = shape.values.map(({ function: name, path }) => planValue(context, type, { name, path }, places));
  const having =
    shape.having && planHaving(context, { type, values, location: { param: 'having', path: [] } }, shape.having, false);
  const { smallestGroup: smallest } = context.access;
  return { places: places.all, keys, values, having, order: planOrder(shape, keys, values), smallest };
}

/** The values of one attribute with the number of entries of each, the most frequent first. */
export function planFacet(context: PlanContext, type: ContentType, path: GroupPath): FacetPlan {
  const places = new Places();
  const keys = [planKey(context, type, { ...path, param: 'facets' }, places)];
  const values: AggregateValuePlan[] = [{ function: 'count', name: 'count', column: null, type: 'integer' }];
  const order: AggregateOrder[] = [
    { of: 'value', index: 0, descending: true },
    { of: 'key', index: 0, descending: false },
  ];
  const { smallestGroup: smallest } = context.access;
  return { name: path.name, aggregate: { places: places.all, keys, values, having: null, order, smallest } };
}

/** Related rows that columns are taken of. Names after the same path speak of the same row. */
class Places {
  readonly all: AggregatePlace[] = [];
  readonly #byPrefix = new Map<string, number>();

  column({ steps, multiplies, prefix, column, identifies }: Reached, isKey: boolean): AggregateColumn {
    if (steps.length === 0) return { ...column, place: null };
    let place = this.#byPrefix.get(prefix);
    if (place === undefined) {
      place = this.all.push({ steps, multiplies, differ: false }) - 1;
      this.#byPrefix.set(prefix, place);
    }
    if (isKey && identifies) this.all[place] = { steps, multiplies, differ: true };
    return { ...column, place };
  }
}

function reach(context: PlanContext, root: Schema, path: readonly string[], param: string): Reached {
  const steps: RelationStep[] = [];
  let [multiplies, toMany] = [false, false];
  let schema = root;
  const reached = (column: ColumnRef, length: number): Reached => ({
    steps,
    multiplies,
    toMany,
    prefix: path.slice(0, length).join('.'),
    column: { column: column.column, type: column.type },
    identifies: column.column === ID.column || (column.column === DOCUMENT_ID && !hasVersions(schema)),
  });
  for (const [index, name] of path.entries()) {
    const location = { param, path: path.slice(0, index) };
    const attribute = resolve(context, schema, { name, use: 'group', location });
    if (attribute.kind === 'scalar') {
      if (index < path.length - 1) throw invalidKey(path[index + 1]!, path.slice(0, index + 1), param);
      return reached(attribute, index);
    }
    toMany ||= leadsToMany(attribute);
    const next = relationStep(context, attribute);
    multiplies ||= leadsToMany(attribute) || mayHoldVersions(schema, next.schema, attribute);
    steps.push(next.step);
    schema = next.schema;
  }
  // A relation alone stands for the document that it leads to; a component is no document.
  if (schema.kind === 'component')
    throw wrongType(path.at(-1)!, path.slice(0, -1), param, 'expected an attribute of the component');
  const id = resolve(context, schema, { name: 'documentId', use: 'group', location: { param, path } });
  if (id.kind !== 'scalar') throw new Error('documentId is no column');
  return reached(id, path.length);
}

const DOCUMENT_ID = 'document_id';

/** Whether a document can have several rows. */
const hasVersions = (schema: Schema): boolean =>
  schema.kind !== 'component' && (schema.draftAndPublish || schema.localized);

/** A relation to one holds several rows of its document where only the target has drafts or locales. */
function mayHoldVersions(from: Schema, to: Schema, { kind }: Attribute): boolean {
  if (kind !== 'relation' || to.kind === 'component') return false;
  const [drafts, localized] = from.kind === 'component' ? [false, false] : [from.draftAndPublish, from.localized];
  return (to.draftAndPublish && !drafts) || (to.localized && !localized);
}

const JSON_TYPES: ReadonlySet<ScalarType> = new Set(['json', 'blocks'] as const);
const NUMBERS: ReadonlySet<ScalarType> = new Set(['integer', 'biginteger', 'float', 'decimal'] as const);

const CALENDAR: readonly DatePart[] = ['year', 'quarter', 'month', 'week', 'day', 'weekday'];
const CLOCK: readonly DatePart[] = ['hour', 'minute'];
const PARTS: Partial<Record<ScalarType, readonly DatePart[]>> = {
  date: CALENDAR,
  time: CLOCK,
  datetime: [...CALENDAR, 'date', ...CLOCK],
  timestamp: [...CALENDAR, 'date', ...CLOCK],
};

function planKey(
  context: PlanContext,
  type: ContentType,
  { name, path, part, param }: GroupPath & { readonly param: string },
  places: Places,
): GroupKeyPlan {
  const reached = reach(context, type, path, param);
  const { type: from } = reached.column;
  const parts = PARTS[from] ?? [];
  if (part !== null && !parts.includes(part)) throw wrongType(`$${part}`, path, param, partsOf(from, parts));
  if (JSON_TYPES.has(from)) throw wrongType(path.at(-1)!, path.slice(0, -1), param, `nothing is grouped by ${from}`);
  const shown = part === null ? from : part === 'date' ? 'date' : 'integer';
  return { name, column: places.column(reached, part === null), part, type: shown };
}

const partsOf = (type: ScalarType, parts: readonly DatePart[]): string =>
  parts.length > 0
    ? `parts of ${type} are ${parts.map((one) => `$${one}`).join(', ')}`
    : 'only dates and times have parts';

function wrongType(key: string, path: readonly string[], param: string, why: string): Error {
  const details = { key, path: path.length > 0 ? path.join('.') : null, source: 'query', param };
  return validationError(`Invalid key ${key} in ${param}: ${why}`, details);
}

/** Which types a function takes; of what is ordered there is a smallest, of all but JSON there are different ones. */
const TAKES: Readonly<Record<Exclude<AggregateFunction, 'count'>, (type: ScalarType) => boolean>> = {
  sum: (type) => NUMBERS.has(type),
  avg: (type) => NUMBERS.has(type),
  min: (type) => !JSON_TYPES.has(type) && type !== 'boolean',
  max: (type) => !JSON_TYPES.has(type) && type !== 'boolean',
  distinct: (type) => !JSON_TYPES.has(type),
};

function resultType(name: AggregateFunction, type: ScalarType): ScalarType {
  switch (name) {
    case 'count':
    case 'distinct':
      return 'integer';
    case 'avg':
      return 'float';
    case 'sum':
      return type === 'decimal' ? 'float' : type;
    default:
      return type;
  }
}

function planValue(
  context: PlanContext,
  type: ContentType,
  { name, path }: { readonly name: AggregateFunction; readonly path: readonly string[] },
  places: Places,
): AggregateValuePlan {
  if (name === 'count') return { function: name, name, column: null, type: 'integer' };
  const reached = reach(context, type, path, name);
  const [key, above] = [path.at(-1)!, path.slice(0, -1)];
  if (reached.toMany)
    throw wrongType(key, above, name, `${path.join('.')} leads to many; take it of entries and of relations to one`);
  const { type: from } = reached.column;
  if (!TAKES[name](from)) throw wrongType(key, above, name, `there is no ${name} of ${from}`);
  return { function: name, name: path.join('.'), column: places.column(reached, false), type: resultType(name, from) };
}

/** The name of a value in `sort` and `having`. */
const fullName = ({ function: of, name }: AggregateValuePlan): string => (of === 'count' ? of : `${of}.${name}`);

function planOrder(
  { sort }: AggregateShape,
  keys: readonly GroupKeyPlan[],
  values: readonly AggregateValuePlan[],
): AggregateOrder[] {
  const given = sort.map(({ name, descending }): AggregateOrder => {
    const value = values.findIndex((one) => fullName(one) === name);
    if (value >= 0) return { of: 'value', index: value, descending };
    const key = keys.findIndex((one) => one.name === name);
    if (key < 0)
      throw wrongType(name, [], 'sort', 'groups are sorted by what they are grouped by and what is computed');
    return { of: 'key', index: key, descending };
  });
  // Groups differ in their keys, so that pages never overlap.
  const rest = keys.map((_, index): AggregateOrder => ({ of: 'key', index, descending: false }));
  return [...given, ...rest.filter(({ index }) => !given.some((one) => one.of === 'key' && one.index === index))];
}

/** The name of the column that holds a value of a group. */
export const valueColumn = (index: number): string => `a${index}`;

interface HavingScope {
  readonly type: ContentType;
  readonly values: readonly AggregateValuePlan[];
  readonly location: NameLocation;
}

function planHaving(context: PlanContext, scope: HavingScope, node: FilterNode, negated: boolean): Condition {
  const { type, values, location } = scope;
  switch (node.is) {
    case 'and':
    case 'or': {
      const is = (node.is === 'and') === negated ? 'or' : 'and';
      return { is, of: node.of.map((member) => planHaving(context, scope, member, negated)) };
    }
    case 'not':
      return planHaving(context, scope, node.of, !negated);
    case 'at': {
      const inside = { param: location.param, path: [...location.path, node.name] };
      const name = inside.path.join('.');
      const index = values.findIndex((one) => fullName(one) === name);
      if (index >= 0) {
        const column = { column: valueColumn(index), type: values[index]!.type };
        return planColumn(
          context,
          { schema: type, column, location: inside, relation: null, many: null },
          node.of,
          negated,
        );
      }
      if (!values.some((one) => fullName(one).startsWith(`${name}.`)))
        throw wrongType(node.name, location.path, location.param, 'it is not computed');
      return planHaving(context, { ...scope, location: inside }, node.of, negated);
    }
    default:
      throw invalidKey(location.path.at(-1) ?? '', location.path.slice(0, -1), location.param);
  }
}
