// All that is particular to SQLite. The functions sheaf_number and sheaf_digits are registered by db/sqlite.ts.
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { ColumnType } from '../model/tables.ts';
import type { ScalarType } from '../model/types.ts';
import type { PlanComparison } from '../plan/read/nodes.ts';
import type { AggregateFunction, DatePart } from '../request/read-request.ts';
import type { AggregateSql, BindValue, Dialect, Fragment } from './dialect.ts';
import type { SearchForm } from './statement.ts';
import { withoutQuotes } from './text.ts';

const composer = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

const COLUMN_TYPES: Readonly<Record<ColumnType, Fragment>> = {
  id: sql`integer`,
  string: sql`varchar(255)`,
  text: sql`text`,
  json: sql`json`,
  jsonText: sql`json`,
  integer: sql`integer`,
  bigint: sql`bigint`,
  double: sql`float`,
  decimal: sql`float`,
  boolean: sql`boolean`,
  date: sql`date`,
  time: sql`time`,
  datetime: sql`datetime`,
};

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  reading: 'stepByStep',
  locking: null,
  clock: sql`cast(unixepoch('subsec') * 1000 as integer)`,
  skipTaken: sql``,
  announceChange: null,
  tracking: null,
  storedName: (name) => name,
  composer,
  rowOutput(column, type) {
    switch (type) {
      case 'biginteger':
        return sql`cast(${column} as text)`;
      case 'json':
      case 'blocks':
        return sql`case when ${column} is not null then ${documentOf(column)} end`;
      default:
        return column;
    }
  },
  storedJson: withoutQuotes,
  cursorOutput: (column, type) => sqliteDialect.rowOutput(column, type),
  jsonOutput: (column, type) => sqliteDialect.rowOutput(column, type),
  byteLength: (column) => sql`octet_length(${column})`,
  compare(column, type, op, value) {
    if (type === 'json' || type === 'blocks') return compareJson(column, op, value);
    switch (op) {
      case 'eq':
        return sql`${column} = ${value('value')}`;
      case 'lt':
        return sql`${column} < ${value('value')}`;
      case 'lte':
        return sql`${column} <= ${value('value')}`;
      case 'gt':
        return sql`${column} > ${value('value')}`;
      case 'gte':
        return sql`${column} >= ${value('value')}`;
      case 'in':
        return sql`${column} in (select value from json_each(${value('list')}))`;
      case 'between':
        return sql`${column} between ${value('first')} and ${value('second')}`;
      default:
        return compareText(asText(column, type), op, value);
    }
  },
  jsonAt: (column, { whole }) => sql`nullif(${documentOf(column)} -> ${whole()}, 'null')`,
  compareInJson,
  absent: (id, query) => sql`${id} not in (${query})`,
  average: (value) => sql`case when count(${value}) > 0 then cast(printf('%.12e', avg(${value})) as real) end`,
  searchText: (column, type, search) =>
    ignoringCase(asText(column, type), search, (text) => sql`instr(${text}, ${search('folded')}) > 0`),
  withoutIndexHint: (column) => sql`+${column}`,
  same: (left, right) => sql`${left} is ${right}`,
  listTable: (list, name) => sql`json_each(${list}) as ${sql.id(name)}`,
  inFew: (query) => sql`in (${query})`,
  // SQLite makes a table in memory for each list behind `in`, which takes longer than to look up what is in it. A statement
  // may have a hundred of them.
  ofFew({ from, value, where, repeats }, column) {
    const condition = where ? sql` and ${where}` : sql``;
    if (!repeats) return { before: sql`${from} cross join `, condition: sql`${column} = ${value}${condition}` };
    const distinct = sql`(select distinct ${value} as value from ${from}${where ? sql` where ${where}` : sql``}) as few`;
    return { before: sql`${distinct} cross join `, condition: sql`${column} = few.value` };
  },
  // Asked for one list after the other, SQLite would rather read the whole table than look up each pair.
  bothInFew: (column, strings, other, query) =>
    sql`(${column}, ${other}) in (select s.column1, q.value from (values ${sql.join(strings.map((one) => sql`(${sql.lit(one)})`))}) as s, (${query}) as q)`,
  nestedJoin: sql`cross join`,
  askedRowByRow: sql``,
  // SQLite looks at a bare bound limit while it plans, and would plan anew for every run.
  limit: (limit, start) => sql`limit +${limit} offset +${start}`,
  sortValue: (column) => column,
  combinedValue: (column) => column,
  groupValue: (column) => column,
  datePart,
  // Asked by itself, it is counted by the pages of an index, without a look at the rows.
  wholeTableCount: (table) => sql`(select count(*) from ${sql.table(table)})`,
  aggregate,
  countOutput: (count) => count,
  pairTable: (list, name) =>
    sql`(select value ->> '$[0]' as a, value ->> '$[1]' as b from json_each(${list})) as ${sql.id(name)}`,
  // Other programs may not have foreign keys checked.
  presentKey: (column, table) => sql`(select k.id from ${sql.table(table)} as k where k.id = ${column})`,
  textPairTable: (list, name) => sqliteDialect.pairTable(list, name),
  namedPairTable: (list, name) =>
    sql`(select value ->> '$[0]' as name, value ->> '$[1]' as a, value ->> '$[2]' as b from json_each(${list})) as ${sql.id(name)}`,
  tripleTable: (list, name) =>
    sql`(select value ->> '$[0]' as a, value ->> '$[1]' as b, value ->> '$[2]' as c from json_each(${list})) as ${sql.id(name)}`,
  emptyRow: { columns: sql` (id)`, values: sql`null` },
  // A further statement costs microseconds here, and a common table expression cannot write.
  combine: null,
  input: (value) => value,
  createTable({ name, columns, foreignKeys }) {
    const lines = [
      ...columns.map((column) => {
        if (column.type === 'id') return sql`${sql.id(column.name)} integer primary key autoincrement not null`;
        return sql`${sql.id(column.name)} ${COLUMN_TYPES[column.type]} ${column.required ? sql`not null` : sql`null`}`;
      }),
      ...foreignKeys.map(
        (key) =>
          sql`constraint ${sql.id(key.name)} foreign key (${sql.id(key.column)}) references ${sql.table(key.table)} (${sql.id('id')}) on delete ${sql.raw(key.onDelete)}`,
      ),
    ];
    return sql`create table ${sql.table(name)} (${sql.join(lines)})`;
  },
  addForeignKey: null,
  continueIds: null,
  indexKey: (column) => column,
  columnType: (type, key) =>
    key
      ? sql`${COLUMN_TYPES[type]} constraint ${sql.id(key.name)} references ${sql.table(key.table)} (${sql.id('id')}) on delete ${sql.raw(key.onDelete)}`
      : COLUMN_TYPES[type],
};

const DATE_FORMATS: Readonly<Record<Exclude<DatePart, 'quarter'>, string>> = {
  year: '%Y',
  month: '%m',
  week: '%V',
  day: '%d',
  weekday: '%u',
  date: '%Y-%m-%d',
  hour: '%H',
  minute: '%M',
};

function datePart(column: Fragment, type: ScalarType, part: DatePart): Fragment {
  if (part === 'quarter') return sql`(${datePart(column, type, 'month')} + 2) / 3`;
  const isInstant = type === 'datetime' || type === 'timestamp';
  const moment = isInstant ? sql`${column} / 1000.0, 'unixepoch'` : column;
  const text = sql`strftime(${sql.lit(DATE_FORMATS[part])}, ${moment})`;
  return part === 'date' ? text : sql`cast(${text} as integer)`;
}

/** Values of a group that one column holds. */
const inOneColumn = (column: Fragment, type: ScalarType): AggregateSql => ({
  columns: [column],
  value: ([one]) => one!,
  output: ([one]) => sqliteDialect.rowOutput(one!, type),
});

function aggregate(
  name: Exclude<AggregateFunction, 'count'>,
  column: Fragment,
  type: ScalarType,
  count: Fragment,
): AggregateSql {
  switch (name) {
    case 'distinct':
      return inOneColumn(sql`count(distinct ${column})`, 'integer');
    case 'min':
      return inOneColumn(sql`min(${column})`, type);
    case 'max':
      return inOneColumn(sql`max(${column})`, type);
    case 'sum':
      if (type === 'biginteger') return exactSum(column);
      return inOneColumn(type === 'integer' ? sql`sum(${column})` : sql`(${millionths(column)}) / 1e6`, 'float');
    case 'avg': {
      if (type === 'integer') return inOneColumn(sql`avg(${column})`, 'float');
      const { columns, value } = exactSum(column);
      return type === 'biginteger'
        ? inOneColumn(sql`cast(${value(columns)} as real) / ${presentOf(column, count)}`, 'float')
        : inOneColumn(sql`(${millionths(column)}) / (1e6 * ${presentOf(column, count)})`, 'float');
    }
  }
}

/** How many values of so many rows are not null; to skip those that are takes less than to call `count` with each. */
const presentOf = (column: Fragment, count: Fragment): Fragment =>
  sql`(${count} - count(*) filter (where ${column} is null))`;

/**
 * The sum of a column in millionths, as PostgreSQL adds decimals: exactly, up to six decimals below 2^31, or two where it
 * is larger. Floats are added with errors whose bound is known; where a whole number is within it, that is the sum.
 */
function millionths(column: Fragment): Fragment {
  const sum = sql`sum(${column})`;
  // Half of the last binary digit of each number, and of their sum: 2^-52 of all numbers, whatever their signs. To add
  // those below 0 once more takes less than to add all without signs, since most columns have none.
  const error = sql`(${sum} - 2 * total(${column}) filter (where not ${column} >= 0)) * 2.2205e-10`;
  const whole = sql`cast(${sum} as integer)`;
  // Without an error of its own, as against the product with the whole sum.
  const rest = sql`((${sum} - ${whole}) * 1e6)`;
  const cents = sql`round(${sum} * 1e2) * 1e4`;
  return sql`case when ${error} < 0.5 and abs(${rest} - round(${rest})) <= ${error} + 1e-9 then ${whole} * 1e6 + round(${rest}) when ${error} < 1250 and abs(${sum} * 1e6 - ${cents}) <= 2 * ${error} then ${cents} else ${sum} * 1e6 end`;
}

const BILLION = sql.lit(1_000_000_000);

/** The sum of integers of 64 bits, which need not fit into 64 bits itself: billions, and the rest from 0 on. */
function exactSum(column: Fragment): AggregateSql {
  const [high, low] = [sql`sum(${column} / ${BILLION})`, sql`sum(${column} % ${BILLION})`];
  const rest = sql`((${low} % ${BILLION} + ${BILLION}) % ${BILLION})`;
  const billions = sql`(${high} + (${low} - ${rest}) / ${BILLION})`;
  return {
    columns: [billions, rest],
    // A sum beyond 64 bits is rounded, and must still be further from 0 than every number of 64 bits.
    value: ([b, r]) =>
      sql`case when ${b} between -9223372036 and 9223372035 or (${b} = 9223372036 and ${r} <= 854775807) then ${b} * ${BILLION} + ${r} when ${b} > 0 then ${b} * 1e9 + ${r} when ${b} = -9223372037 and ${r} >= 145224192 then (${b} + 1) * ${BILLION} + (${r} - ${BILLION}) else min(${b} * 1e9 + ${r}, -9223372036854777856.0) end`,
    output: ([b, r]) =>
      sql`case when ${b} is null then null when ${b} >= 0 then ltrim(printf('%d%09d', ${b}, ${r}), '0') || iif(${b} = 0 and ${r} = 0, '0', '') when ${r} = 0 then printf('%d000000000', ${b}) else '-' || ltrim(printf('%d%09d', -${b} - 1, ${BILLION} - ${r}), '0') end`,
  };
}

function compareText(text: Fragment, op: PlanComparison, value: BindValue): Fragment {
  const folded = value('folded');
  switch (op) {
    case 'eqi':
      return ignoringCase(text, value, (lower) => sql`${lower} = ${folded}`);
    case 'contains':
      return sql`instr(${text}, ${value('text')}) > 0`;
    case 'containsi':
      return ignoringCase(text, value, (lower) => sql`instr(${lower}, ${folded}) > 0`);
    case 'startsWith':
      return sql`substr(${text}, 1, ${value('textLength')}) = ${value('text')}`;
    case 'startsWithi':
      return ignoringCase(text, value, (lower) => sql`substr(${lower}, 1, ${value('foldedLength')}) = ${folded}`);
    case 'endsWith':
      return sql`substr(${text}, 1 + length(${text}) - ${value('textLength')}) = ${value('text')}`;
    case 'endsWithi':
      return ignoringCase(
        text,
        value,
        (lower) => sql`substr(${lower}, 1 + length(${lower}) - ${value('foldedLength')}) = ${folded}`,
      );
    default:
      throw new Error(`${op} does not compare text`);
  }
}

/**
 * Compares text whatever its case, for all of Unicode. SQLite's own lower() knows ASCII only; for an ASCII operand it
 * will do once the two letters beyond ASCII whose lower case is ASCII (the Kelvin sign and the dotted capital I) are
 * replaced. Any other operand is a pattern with a class for each letter. Neither calls JavaScript, which would keep what
 * it was given for every row until the statement ends.
 */
function ignoringCase(
  text: Fragment,
  operand: (form: SearchForm) => Fragment,
  compareLower: (lower: Fragment) => Fragment,
): Fragment {
  const singled = sql`replace(${text}, char(0x130), 'i' || char(0x307))`;
  const lower = sql`lower(replace(${singled}, char(0x212a), 'k'))`;
  return sql`case when ${operand('foldedIsAscii')} then ${compareLower(lower)} else ${singled} glob ${operand('foldedPattern')} end`;
}

/**
 * The canonical text of a JSON value: without spaces, the keys of an object in the order in which PostgreSQL keeps them
 * (by their bytes, shorter ones first), numbers in digits alone. Each node gets a place, made of the keys on the way to
 * it, which is not the beginning of another on the same level; the text is what the nodes begin and end with, in the
 * order of the places.
 */
function canonicalText(document: Fragment): Fragment {
  const key = sql`case when typeof(e.key) = 'text' then printf('%08x', octet_length(e.key)) || hex(e.key) else '' end`;
  const root = sql`select '', null, null, json_type(d.json), d.json ->> '$', d.json from (select ${document} as json) as d`;
  const below = sql`select w.place || ${key} || printf('%08x', e.id), w.place, e.key, e.type, e.atom, e.value from w, json_each(w.value) as e where w.type in ('object', 'array')`;
  const number = sql`case when typeof(atom) = 'integer' then cast(atom as text) else ${numberText(sql`atom`, 'sheaf_digits')} end`;
  const value = sql`case type when 'object' then '{' when 'array' then '[' when 'text' then json_quote(atom) when 'integer' then ${number} when 'real' then ${number} else type end`;
  const begin = sql`case when row_number() over (partition by above order by place) > 1 then ',' else '' end || case when typeof(key) = 'text' then json_quote(key) || ':' else '' end || ${value}`;
  const parts = sql`select place, ${begin} as part from w union all select place || '~', case type when 'object' then '}' else ']' end from w where type in ('object', 'array')`;
  return sql`with recursive w(place, above, key, type, atom, value) as materialized (${root} union all ${below}) select group_concat(part, '' order by place) as text from (${parts})`;
}

/**
 * Compares the canonical text. What can only be in a string or a word such as `true` is looked for in the JSON as it is
 * stored, without spaces, unless that has escapes, which can be spelled in several ways.
 */
function compareCanonical(document: Fragment, op: PlanComparison, value: BindValue): Fragment {
  const inWhole = (json: Fragment): Fragment =>
    sql`(select ${compareText(sql`j.text`, op, value)} from (${canonicalText(json)}) as j)`;
  if (op !== 'contains' && op !== 'containsi') return inWhole(document);
  const operand = value(op === 'contains' ? 'text' : 'folded');
  const isInString = sql`${operand} glob '*[^0-9.eE+-]*' and ${operand} not glob '*[],:{}[]*' and instr(d.json, '\\') = 0`;
  return sql`(select case when ${isInString} then ${compareText(sql`json(d.json)`, op, value)} else ${inWhole(sql`d.json`)} end from (select ${document} as json) as d)`;
}

/** What is no JSON is taken for a string, and bytes for the text that they are. */
function documentOf(column: Fragment): Fragment {
  const text = sql`cast(${column} as text)`;
  return sql`case when json_valid(${text}) then ${text} else json_quote(${text}) end`;
}

function equalJson(left: Fragment, right: Fragment): Fragment {
  const nodes = (json: Fragment): Fragment =>
    sql`select fullkey, case type when 'real' then 'integer' else type end, atom from json_tree(${json})`;
  return sql`(select count(*) from json_tree(${left})) = (select count(*) from json_tree(${right})) and not exists (${nodes(left)} except ${nodes(right)})`;
}

/**
 * The same text for equal JSON, as equalJson sees it: all its nodes. Those of a list are made once; to compare with each
 * of its values would read all of them anew for every row.
 */
function signatureOf(json: Fragment): Fragment {
  const real = sql`case when abs(atom) < 9e18 and atom = cast(atom as integer) then cast(atom as integer) else printf('%!.17g', atom) end`;
  const atom = sql`case type when 'real' then ${real} when 'integer' then atom else json_quote(atom) end`;
  const node = sql`fullkey || char(9) || case type when 'real' then 'integer' else type end || char(9) || ${atom}`;
  return sql`(select group_concat(${node}, char(10) order by fullkey) from json_tree(${json}))`;
}

/** Values with as many nodes are looked for first, which is quick, and mostly the end of it. */
function isOneOf(json: Fragment, list: Fragment): Fragment {
  const among = (of: (one: Fragment) => Fragment): Fragment =>
    sql`${of(json)} in (select ${of(sql`e.value`)} from json_each(${list}) as e)`;
  return sql`(${among((one) => sql`(select count(*) from json_tree(${one}))`)} and ${among(signatureOf)})`;
}

/**
 * Whether a list holds a value; unknown of what is no list. Numbers, strings and the like are compared as they stand in
 * the list: to take each out of it would read all of the list anew.
 */
function hasItem(document: Fragment, item: Fragment): Fragment {
  const typeOf = (type: Fragment): Fragment => sql`case ${type} when 'real' then 'integer' else ${type} end`;
  const ofItem = (column: Fragment): Fragment => sql`(select ${column} from json_tree(${item}) limit 1)`;
  const isLike = sql`${typeOf(sql`e.type`)} = ${ofItem(typeOf(sql`type`))} and e.atom is ${ofItem(sql`atom`)}`;
  const isEqual = sql`(e.type not in ('object', 'array') or ${equalJson(sql`(h.list -> e.fullkey)`, item)})`;
  return sql`(select case when json_type(h.list) = 'array' then exists (select 1 from json_each(h.list) as e where ${isLike} and ${isEqual}) end from (select ${document} as list) as h)`;
}

/** A value inside of JSON, in the form of JSON: only what is of one type with the operand has an order with it. */
function compareInJson(json: Fragment, op: PlanComparison, value: BindValue): Fragment {
  const ordered = (operator: Fragment): Fragment => {
    const found = sql`j.value ->> '$'`;
    const number = sql`${found} ${operator} ${value('jsonNumber')}`;
    return sql`(select case json_type(j.value) when 'integer' then ${number} when 'real' then ${number} when 'text' then ${found} ${operator} ${value('jsonString')} end from (select ${json} as value) as j)`;
  };
  switch (op) {
    case 'lt':
      return ordered(sql`<`);
    case 'lte':
      return ordered(sql`<=`);
    case 'gt':
      return ordered(sql`>`);
    case 'gte':
      return ordered(sql`>=`);
    case 'eq':
    case 'in':
    case 'has':
      return compareJson(json, op, value);
    default:
      return sql`(select ${compareText(sql`j.text`, op, value)} from (select case json_type(j.value) when 'text' then j.value ->> '$' end as text from (select ${json} as value) as j) as j)`;
  }
}

/** JSON is equal as a value: whatever the order of its keys, its spaces, and how its numbers and strings are spelled. */
function compareJson(column: Fragment, op: PlanComparison, value: BindValue): Fragment {
  const document = documentOf(column);
  const isMet = (): Fragment => {
    switch (op) {
      case 'eq':
        return equalJson(document, value('value'));
      case 'in':
        return isOneOf(document, value('list'));
      case 'has':
        return hasItem(document, value('value'));
      default:
        return compareCanonical(document, op, value);
    }
  };
  return sql`case when ${column} is not null then ${isMet()} end`;
}

/**
 * A number as JavaScript writes it. Beyond these sizes, where it takes 17 digits, and where a 17th would be a 5, which
 * SQLite rounds up and JavaScript to the even digit, the two write it differently, and
 * JavaScript is asked.
 */
const numberText = (number: Fragment, written: 'sheaf_number' | 'sheaf_digits' = 'sheaf_number'): Fragment =>
  sql`case when abs(${number}) < 1e15 and ${number} = cast(${number} as integer) then cast(cast(${number} as integer) as text) when abs(${number}) < 1e15 and abs(${number}) >= 1e-4 and ${number} = cast(printf('%!.15g', ${number}) as real) then printf('%!.15g', ${number}) when abs(${number}) < 1e15 and abs(${number}) >= 1e-4 and ${number} = cast(printf('%!.16g', ${number}) as real) and printf('%!.17g', ${number}) not like '%5' then printf('%!.16g', ${number}) else ${sql.raw(written)}(${number}) end`;

function asText(column: Fragment, type: ScalarType): Fragment {
  switch (type) {
    case 'integer':
    case 'biginteger':
    case 'timestamp':
      return sql`cast(${column} as text)`;
    case 'float':
    case 'decimal':
      return numberText(column);
    case 'boolean':
      return sql`case ${column} when 1 then 'true' when 0 then 'false' end`;
    case 'datetime':
      return sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
    default:
      return column;
  }
}
