// What aggregates and facets mean, as plainly as naive.ts says what reads mean: for each entry the groups it belongs to,
// then what is computed of each group, with exact arithmetic.
import * as naive from './naive.ts';
import { said } from './naive-dates.ts';

export interface AggregateQuery extends Pick<naive.Query, 'filters' | 'status' | 'locale'> {
  /** Paths, the last name perhaps a part of a date. */
  readonly group: readonly (readonly string[])[];
  readonly values: readonly { readonly name: ValueName; readonly path: readonly string[] }[];
  readonly having?: naive.Json | undefined;
  readonly sort?: readonly { readonly name: string; readonly descending: boolean }[] | undefined;
}

export type ValueName = 'count' | 'distinct' | 'sum' | 'avg' | 'min' | 'max';

interface Path {
  readonly name: string;
  /** The names of relations before the attribute. */
  readonly relations: readonly string[];
  readonly attribute: string;
  readonly part: string | null;
  readonly kind: naive.Kind;
}

interface Group {
  readonly keys: readonly naive.Value[];
  readonly rows: readonly naive.Row[];
}

/** A relation alone means the document that it leads to. */
function readPath(world: naive.World, type: string, names: readonly string[]): Path {
  const last = names.at(-1)!;
  const part = last.startsWith('$') ? last.slice(1) : null;
  const path = part === null ? names : names.slice(0, -1);
  let at = type;
  for (const name of path.slice(0, -1)) at = world.types[at]!.relations[name]!.to;
  const end = path.at(-1)!;
  const isAttribute = end in world.types[at]!.attributes;
  const kind = isAttribute ? world.types[at]!.attributes[end]! : 'text';
  return {
    name: names.join('.'),
    relations: isAttribute ? path.slice(0, -1) : path,
    attribute: isAttribute ? end : 'documentId',
    part,
    kind,
  };
}

function rowsAt(
  world: naive.World,
  type: string,
  row: naive.Row,
  relations: readonly string[],
  status: naive.Status,
): naive.Row[] {
  const [name, ...rest] = relations;
  if (name === undefined) return [row];
  const { to } = world.types[type]!.relations[name]!;
  return naive.related(world, type, row, name, status).flatMap((next) => rowsAt(world, to, next, rest, status));
}

/** The keys of all groups that an entry is in, each once. Names after the same path are taken of the same row. */
function keysOf(world: naive.World, type: string, row: naive.Row, paths: readonly Path[], status: naive.Status) {
  const places = [...Map.groupBy(paths, ({ relations }) => relations.join('.')).values()];
  let tuples: ReadonlyMap<Path, naive.Value>[] = [new Map()];
  for (const here of places) {
    const reached = rowsAt(world, type, row, here[0]!.relations, status);
    const values = (reached.length > 0 ? reached : [null]).map((one) =>
      here.map((path) => partOf(path, one === null ? null : (one.values[path.attribute] ?? null))),
    );
    tuples = tuples.flatMap((tuple) =>
      distinctBy(values).map((list) => new Map([...tuple, ...here.map((path, index) => [path, list[index]] as const)])),
    );
  }
  return tuples.map((tuple) => paths.map((path) => tuple.get(path) ?? null));
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner));
const distinctBy = <T>(values: readonly T[]): T[] => [...new Map(values.map((one) => [textOf(one), one])).values()];

function partOf({ part, kind }: Path, value: naive.Value): naive.Value {
  if (part === null || value === null) return value;
  const date =
    kind === 'datetime'
      ? new Date(value as number)
      : new Date(kind === 'date' ? `${value}T00:00:00.000Z` : `2000-01-01T${value}Z`);
  switch (part) {
    case 'year':
      return date.getUTCFullYear();
    case 'quarter':
      return Math.floor(date.getUTCMonth() / 3) + 1;
    case 'month':
      return date.getUTCMonth() + 1;
    case 'week':
      return isoWeek(date);
    case 'day':
      return date.getUTCDate();
    case 'weekday':
      return date.getUTCDay() || 7;
    case 'date':
      return date.toISOString().slice(0, 'yyyy-MM-dd'.length);
    case 'hour':
      return date.getUTCHours();
    default:
      return date.getUTCMinutes();
  }
}

/** The first week of a year is the one with its first Thursday. */
function isoWeek(date: Date): number {
  const thursday = new Date(date);
  thursday.setUTCHours(0, 0, 0, 0);
  thursday.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return Math.floor((thursday.getTime() - first) / (7 * 86_400_000)) + 1;
}

const kindOf = ({ part, kind }: Path): naive.Kind => (part === null ? kind : part === 'date' ? 'date' : 'integer');

// ------------------------------------------------------------------------------------------------------ arithmetic

/** A number as a whole number of units of 10^-scale. */
interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

function exactly(value: number | bigint): Exact {
  const [mantissa, exponent = '0'] = String(value).split('e');
  const [whole, fraction = ''] = mantissa!.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(`${whole}${fraction}`);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

function add(left: Exact, right: Exact): Exact {
  const scale = Math.max(left.scale, right.scale);
  const at = ({ digits, scale: own }: Exact): bigint => digits * 10n ** BigInt(scale - own);
  return { digits: at(left) + at(right), scale };
}

/** The number nearest to a quotient: enough digits of it that the rest makes no difference. */
function nearest({ digits, scale }: Exact, divisor: number): number {
  const more = 40n;
  const quotient = (digits * 10n ** more) / BigInt(divisor);
  return Number(`${quotient}e-${BigInt(scale) + more}`);
}

// ---------------------------------------------------------------------------------------------------------- values

function computed(
  world: naive.World,
  type: string,
  rows: readonly naive.Row[],
  { name, path }: AggregateQuery['values'][number],
  status: naive.Status,
): naive.Value {
  if (name === 'count') return rows.length;
  const { relations, attribute, kind } = readPath(world, type, path);
  const values = rows
    .map((row) => rowsAt(world, type, row, relations, status)[0]?.values[attribute] ?? null)
    .filter((value) => value !== null);
  if (name === 'distinct') return distinctBy(values).length;
  if (values.length === 0) return null;
  const ordered = [...values].sort((a, b) => naive.inOrder(kind, a, b));
  if (name === 'min') return ordered[0];
  if (name === 'max') return ordered.at(-1);
  const sum = (values as (number | bigint)[]).map(exactly).reduce(add);
  if (name === 'avg') return nearest(sum, values.length);
  return kind === 'biginteger' ? sum.digits : nearest(sum, 1);
}

function resultKind(world: naive.World, type: string, { name, path }: AggregateQuery['values'][number]): naive.Kind {
  if (name === 'count' || name === 'distinct') return 'integer';
  return name === 'avg' ? 'number' : readPath(world, type, path).kind;
}

const fullName = ({ name, path }: AggregateQuery['values'][number]): string => [name, ...path].join('.');

/** Whether a group meets `having`: three-valued as filters are. */
function meets(
  having: naive.Json,
  names: readonly string[],
  compare: (name: string, op: string, operand: unknown) => naive.Truth,
): naive.Truth {
  return naive.all(
    Object.entries(having).map(([key, operand]) => {
      const members = (Array.isArray(operand) ? operand : [operand]) as naive.Json[];
      const inside = (member: naive.Json): naive.Truth => meets(member, names, compare);
      if (key === '$and') return naive.all(members.map(inside));
      if (key === '$or') return naive.some(members.map(inside));
      if (key === '$not') return naive.not(naive.all(members.map(inside)));
      if (key.startsWith('$')) return compare(names.join('.'), key, operand);
      return meets(operand as naive.Json, [...names, key], compare);
    }),
  );
}

/** All groups in order, as a response shows them. */
export function aggregate(world: naive.World, type: string, query: AggregateQuery): naive.Json[] {
  const status = query.status ?? 'draft';
  const paths = query.group.map((names) => readPath(world, type, names));
  const rows = naive.list(world, type, { ...query, sort: [] });
  const byKeys = new Map<string, { keys: naive.Value[]; rows: naive.Row[] }>();
  if (paths.length === 0) byKeys.set('', { keys: [], rows: [...rows] });
  else
    for (const row of rows)
      for (const keys of keysOf(world, type, row, paths, status)) {
        const text = textOf(keys);
        if (!byKeys.has(text)) byKeys.set(text, { keys, rows: [] });
        byKeys.get(text)!.rows.push(row);
      }
  const groups = [...byKeys.values()].map((group) => ({
    ...group,
    values: query.values.map((value) => computed(world, type, group.rows, value, status)),
  }));
  const indexOf = (name: string): number => query.values.findIndex((one) => fullName(one) === name);
  const shown = groups.filter(({ values }) => {
    if (!query.having) return true;
    return meets(query.having, [], (name, operator, operand) => {
      const kind = resultKind(world, type, query.values[indexOf(name)]!);
      return naive.apply(operator, kind, values[indexOf(name)]!, said(operand, world.timezone));
    });
  });
  const order = [...(query.sort ?? []), ...paths.map(({ name }) => ({ name, descending: false }))];
  shown.sort((left, right) => {
    for (const { name, descending } of order) {
      const value = indexOf(name);
      const key = paths.findIndex((path) => path.name === name);
      const [kind, a, b] =
        value >= 0
          ? [resultKind(world, type, query.values[value]!), left.values[value], right.values[value]]
          : [kindOf(paths[key]!), left.keys[key], right.keys[key]];
      const difference = a === null || b === null ? Number(a === null) - Number(b === null) : naive.inOrder(kind, a, b);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  });
  return shown.map(({ keys, values }) => entryOf(world, type, query, paths, { keys, rows: [] }, values));
}

function entryOf(
  world: naive.World,
  type: string,
  query: AggregateQuery,
  paths: readonly Path[],
  { keys }: Group,
  values: readonly naive.Value[],
): naive.Json {
  const group = Object.fromEntries(
    paths.map((path, index) => [path.name, naive.shown(kindOf(path), keys[index] ?? null)]),
  );
  const result: naive.Json = paths.length > 0 ? { group } : {};
  for (const [index, value] of query.values.entries()) {
    const shown = naive.shown(resultKind(world, type, value), values[index] ?? null);
    if (value.name === 'count') result.count = shown;
    else result[value.name] = { ...(result[value.name] as naive.Json), [value.path.join('.')]: shown };
  }
  return result;
}
