// All that is particular to PostgreSQL. Columns leave it in the form in which the runner takes them from any database:
// instants in milliseconds, exact integers as text; those of answers inside JSON. Text is compared and ordered by code
// point.
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import type { ColumnType } from '../model/tables.ts';
import type { ScalarType } from '../model/types.ts';
import type { PlanComparison } from '../plan/read/nodes.ts';
import type { AggregateFunction, DatePart } from '../request/read-request.ts';
import { CHANGES_CHANNEL, tracking } from './access-changes.ts';
import { partName } from './common-tables.ts';
import type { AggregateSql, BindValue, Dialect, Fragment } from './dialect.ts';

const composer = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const COLUMN_TYPES: Readonly<Record<ColumnType, Fragment>> = {
  id: sql`serial primary key`,
  string: sql`varchar(255)`,
  text: sql`text`,
  json: sql`jsonb`,
  jsonText: sql`json`,
  integer: sql`integer`,
  bigint: sql`bigint`,
  double: sql`double precision`,
  decimal: sql`numeric`,
  boolean: sql`boolean`,
  date: sql`date`,
  time: sql`time`,
  datetime: sql`timestamp(6)`,
};

/** What a bound value is read as, by the type of the column it is compared with. */
const VALUE_TYPES: Readonly<Record<ScalarType, Fragment>> = {
  string: sql`text`,
  text: sql`text`,
  richtext: sql`text`,
  email: sql`text`,
  uid: sql`text`,
  enumeration: sql`text`,
  password: sql`text`,
  integer: sql`int8`,
  biginteger: sql`numeric`,
  float: sql`float8`,
  decimal: sql`numeric`,
  boolean: sql`int4`,
  date: sql`date`,
  time: sql`time`,
  datetime: sql`float8`,
  timestamp: sql`float8`,
  json: sql`jsonb`,
  blocks: sql`jsonb`,
};
const TEXT_TYPES = new Set<ScalarType>(['string', 'text', 'richtext', 'email', 'uid', 'enumeration', 'password']);

const milliseconds = (column: Fragment): Fragment => sql`floor(extract(epoch from ${column}) * 1000)::float8`;
const instant = (value: Fragment): Fragment => sql`(to_timestamp(${value}::float8 / 1000.0) at time zone 'UTC')`;

/** A number that only Sheaf locks, while it changes the schema. */
const SCHEMA_LOCK = 7_216_453;

/** What PostgreSQL keeps of a name, in the schema and in statements alike. */
const NAME_BYTES = 63;

/** As much of a text as fits, in whole characters. */
function clipped(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let [kept, length] = ['', 0];
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    kept += character;
  }
  return kept;
}

export const postgresDialect: Dialect = {
  name: 'postgres',
  reading: 'singleStatement',
  locking: {
    rows: sql`for no key update`,
    heldRows: sql`for key share`,
    removedRows: sql`for update`,
    keys: (list) => sql`select pg_advisory_xact_lock(hashtextextended(value, 0)) from ${list}`,
    table: (name) => sql`lock table ${sql.table(name)} in access exclusive mode`,
    schema: sql`select pg_advisory_xact_lock(${sql.lit(SCHEMA_LOCK)})`,
  },
  clock: sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  skipTaken: sql`for update skip locked`,
  announceChange: sql`select pg_notify(${sql.lit(CHANGES_CHANNEL)}, '')`,
  tracking,
  storedName: (name) => clipped(name, NAME_BYTES),
  composer,
  storedJson: (json) => json,
  rowOutput(column, type) {
    switch (type) {
      case 'biginteger':
        return sql`${column}::text`;
      case 'decimal':
        return sql`${column}::float8`;
      case 'date':
        return sql`to_char(${column}, 'YYYY-MM-DD')`;
      case 'time':
        return sql`to_char(${column}, 'HH24:MI:SS.MS')`;
      case 'datetime':
      case 'timestamp':
        return milliseconds(column);
      // The driver would read it, and a string could not be told from JSON any more.
      case 'json':
      case 'blocks':
        return sql`${column}::text`;
      default:
        return column;
    }
  },
  // JSON has a form for everything else, and it costs a tenth of a form that is asked for.
  jsonOutput: (column, type) =>
    type === 'biginteger' || type === 'timestamp' ? postgresDialect.rowOutput(column, type) : column,
  cursorOutput(column, type) {
    switch (type) {
      case 'decimal':
        return sql`trim_scale(${column})::text`;
      case 'date':
        return column;
      case 'time':
        return sql`to_char(${column}, 'HH24:MI:SS.US')`;
      case 'datetime':
      case 'timestamp':
        return sql`(extract(epoch from ${column}) * 1000)::float8`;
      default:
        return postgresDialect.rowOutput(column, type);
    }
  },
  // JSON is unpacked for this: compressed it can have a hundredth of its length. It is not written as text.
  byteLength: (column, type) =>
    TEXT_TYPES.has(type) ? sql`octet_length(${column})` : sql`pg_column_size(${column} #> '{}')`,
  compare(column, type, op, value) {
    const operand = comparable(column, type);
    const bound = (form: 'value' | 'first' | 'second'): Fragment => typed(value(form), type);
    switch (op) {
      case 'eq':
        return sql`${operand} = ${bound('value')}`;
      case 'lt':
        return sql`${operand} < ${bound('value')}`;
      case 'lte':
        return sql`${operand} <= ${bound('value')}`;
      case 'gt':
        return sql`${operand} > ${bound('value')}`;
      case 'gte':
        return sql`${operand} >= ${bound('value')}`;
      case 'in': {
        const item = type === 'json' || type === 'blocks' ? sql`e.value::jsonb` : typed(sql`e.value`, type);
        return sql`${operand} = any(array(select ${item} from jsonb_array_elements_text(${value('list')}::jsonb) as e(value)))`;
      }
      case 'between':
        return sql`${operand} between ${bound('first')} and ${bound('second')}`;
      case 'has':
        return hasItem(column, value);
      default:
        return compareText(asText(column, type), op, value);
    }
  },
  jsonAt: (column, { keys }) =>
    sql`nullif(${sql.join([column, ...keys().map((key) => sql`${key}::text`)], sql` -> `)}, 'null'::jsonb)`,
  compareInJson,
  // A join, which `not in` never becomes.
  absent: (id, query) => sql`not exists (select 1 from (${query}) as n where n.id = ${id})`,
  average(value) {
    const exact = sql`avg(${value}::numeric)::float8`;
    return sql`case when abs(${exact}) < 'infinity' then to_char(${exact}, '9.999999999999EEEE')::float8 else ${exact} end`;
  },
  searchText: (column, type, search) => sql`strpos(${fold(asText(column, type))}, ${search('folded')}::text) > 0`,
  withoutIndexHint: (column) => column,
  same: (left, right) => sql`${left} is not distinct from ${right}`,
  listTable(list, name, type) {
    const item = type === 'integer' ? sql`e.value::int4` : sql`e.value`;
    return sql`(select ${item} as value from jsonb_array_elements_text(${list}::jsonb) as e(value)) as ${sql.id(name)}`;
  },
  // Of `in`, PostgreSQL expects a hundred values, and would rather read a whole table than look up so many.
  inFew: (query) => sql`= any (array(${query}))`,
  ofFew: ({ from, value, where }, column) => ({
    before: sql``,
    condition: sql`${column} ${postgresDialect.inFew(sql`select ${value} from ${from}${where ? sql` where ${where}` : sql``}`)}`,
  }),
  bothInFew: (column, strings, other, query) =>
    sql`${column} in (${sql.join(strings.map((one) => sql.lit(one)))}) and ${other} ${postgresDialect.inFew(query)}`,
  pairTable: (list, name) =>
    sql`(select (e.value ->> 0)::int4 as a, (e.value ->> 1)::float8 as b from jsonb_array_elements(${list}::jsonb) as e(value)) as ${sql.id(name)}`,
  presentKey: (column) => column,
  textPairTable: (list, name) =>
    sql`(select e.value ->> 0 as a, e.value ->> 1 as b from jsonb_array_elements(${list}::jsonb) as e(value)) as ${sql.id(name)}`,
  namedPairTable: (list, name) =>
    sql`(select e.value ->> 0 as name, (e.value ->> 1)::int4 as a, (e.value ->> 2)::float8 as b from jsonb_array_elements(${list}::jsonb) as e(value)) as ${sql.id(name)}`,
  tripleTable: (list, name) =>
    sql`(select (e.value ->> 0)::int4 as a, (e.value ->> 1)::int4 as b, (e.value ->> 2)::float8 as c from jsonb_array_elements(${list}::jsonb) as e(value)) as ${sql.id(name)}`,
  emptyRow: { columns: sql``, values: sql`` },
  combine(statements) {
    let bound = 0;
    const parts = statements.map((text, index) => {
      const before = bound;
      const renumbered = text.replace(/\$(\d+)/g, (_, number: string) => {
        bound = Math.max(bound, before + Number(number));
        return `$${before + Number(number)}`;
      });
      return `${partName(index)} as (${renumbered})`;
    });
    return `with ${parts.join(', ')} select 1`;
  },
  nestedJoin: sql`join`,
  // Of "none is", PostgreSQL expects that hardly a row is left, and would read all rows and links for a short page.
  askedRowByRow: sql` offset 0`,
  // Inside a query of their own these say nothing to the planner, so that one plan serves every page; with the values at
  // hand it would plan each page anew, which takes a third as long again as a short list.
  limit: (limit, start) => sql`limit (select ${limit}::int8) offset (select ${start}::int8)`,
  sortValue: (column, type) => comparable(column, type),
  // There is no smallest of booleans.
  combinedValue: (column, type) => (type === 'boolean' ? sql`${column}::int4` : comparable(column, type)),
  groupValue(column, type) {
    switch (type) {
      case 'decimal':
        return sql`${column}::float8`;
      case 'datetime':
      case 'timestamp':
        return sql`date_trunc('milliseconds', ${column})`;
      default:
        return comparable(column, type);
    }
  },
  datePart: (column, _type, part) =>
    part === 'date' ? sql`${column}::date` : sql`extract(${sql.raw(DATE_FIELDS[part])} from ${column})::int4`,
  wholeTableCount: () => sql`count(*)`,
  aggregate,
  countOutput: (count) => sql`${count}::float8`,
  input: (value, type) => (type === 'integer' ? sql`${value}::int4` : typed(value, type)),
  createTable({ name, columns }) {
    const lines = columns.map(
      (column) => sql`${sql.id(column.name)} ${COLUMN_TYPES[column.type]}${column.required ? sql` not null` : sql``}`,
    );
    return sql`create table ${sql.table(name)} (${sql.join(lines)})`;
  },
  addForeignKey: (table, { name, column, table: target, onDelete }) =>
    sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} foreign key (${sql.id(column)}) references ${sql.table(target)} (${sql.id('id')}) on delete ${sql.raw(onDelete)}`,
  continueIds: (table) =>
    sql`select setval(pg_get_serial_sequence(${sql.lit(`"${table}"`)}, 'id'), (select max(id) from ${sql.table(table)})) where exists (select 1 from ${sql.table(table)})`,
  indexKey(column, type) {
    if (TEXT_TYPES.has(type)) return sql`${column} collate "C"`;
    const value = comparable(column, type);
    return value === column ? column : sql`(${value})`;
  },
  columnType: (type, key) =>
    key
      ? sql`${COLUMN_TYPES[type]} constraint ${sql.id(key.name)} references ${sql.table(key.table)} (${sql.id('id')}) on delete ${sql.raw(key.onDelete)}`
      : COLUMN_TYPES[type],
};

const DATE_FIELDS: Readonly<Record<Exclude<DatePart, 'date'>, string>> = {
  year: 'year',
  quarter: 'quarter',
  month: 'month',
  week: 'week',
  day: 'day',
  weekday: 'isodow',
  hour: 'hour',
  minute: 'minute',
};

const inOneColumn = (column: Fragment, output: (column: Fragment) => Fragment): AggregateSql => ({
  columns: [column],
  value: ([one]) => one!,
  output: ([one]) => output(one!),
});

const asNumber = (column: Fragment): Fragment => sql`${column}::float8`;

function aggregate(name: Exclude<AggregateFunction, 'count'>, column: Fragment, type: ScalarType): AggregateSql {
  switch (name) {
    case 'distinct':
      return inOneColumn(sql`count(distinct ${postgresDialect.groupValue(column, type)})`, asNumber);
    case 'min':
      return inOneColumn(sql`min(${ordered(column, type)})`, (one) => postgresDialect.rowOutput(one, type));
    case 'max':
      return inOneColumn(sql`max(${ordered(column, type)})`, (one) => postgresDialect.rowOutput(one, type));
    case 'sum': {
      if (type === 'biginteger') return inOneColumn(sql`sum(${column})`, (one) => sql`${one}::text`);
      const sum = type === 'integer' ? sql`sum(${column})` : sql`(${millionths(column, type)} / 1e6)::float8`;
      return inOneColumn(sum, asNumber);
    }
    case 'avg': {
      const count = sql`count(${column})::float8`;
      return inOneColumn(
        type === 'integer' || type === 'biginteger'
          ? sql`sum(${column})::float8 / ${count}`
          : sql`${millionths(column, type)} / (1e6::float8 * ${count})`,
        asNumber,
      );
    }
  }
}

/** Text is ordered by code point; everything else as it is. */
const ordered = (column: Fragment, type: ScalarType): Fragment =>
  TEXT_TYPES.has(type) ? sql`(${column} collate "C")` : column;

/**
 * The sum of a column in millionths. Decimals are added exactly; of floats the whole millionths, and what is left of them
 * by itself, so that the order in which they come makes no difference. PostgreSQL fails where a result is no float any
 * more, unless an operand is infinite; so floats beyond any use count as that.
 */
function millionths(column: Fragment, type: ScalarType): Fragment {
  if (type === 'decimal')
    return sql`(case when abs(sum(${column})) > 1e301 then 'infinity'::float8 else (sum(${column}) * 1000000)::float8 end)`;
  const whole = sql`case when ${column} between -1e15 and 1e15 then round(${column} * 1e6::float8) else 0 end`;
  const rest = sql`sum(case when abs(${column}) > 1e300 then 'infinity'::float8 else ${column} - (${whole}) / 1e6::float8 end)`;
  return sql`(case when abs(${rest}) > 1e301 then 'infinity'::float8 else sum(${whole}) + ${rest} * 1e6::float8 end)`;
}

/**
 * A column in the form in which values are compared and sorted, so that one index serves both: text by code point, big
 * integers as the type that values are bound as. Of a column as it is, PostgreSQL knows how many rows have a value.
 */
function comparable(column: Fragment, type: ScalarType): Fragment {
  if (TEXT_TYPES.has(type)) return sql`(${column} collate "C")`;
  return type === 'biginteger' ? sql`${column}::numeric` : column;
}

function typed(value: Fragment, type: ScalarType): Fragment {
  switch (type) {
    case 'boolean':
      return sql`(${value}::int4 = 1)`;
    case 'datetime':
    case 'timestamp':
      return instant(value);
    default:
      return sql`${value}::${VALUE_TYPES[type]}`;
  }
}

/** Whether a list holds a value; unknown of what is no list. */
const hasItem = (list: Fragment, value: BindValue): Fragment =>
  sql`case when jsonb_typeof(${list}) = 'array' then exists (select 1 from jsonb_array_elements(case when jsonb_typeof(${list}) = 'array' then ${list} end) as e(value) where e.value = ${value('value')}::jsonb) end`;

/** A value inside of JSON: only what is of one type with the operand has an order with it. */
function compareInJson(json: Fragment, op: PlanComparison, value: BindValue): Fragment {
  const text = sql`(${json} #>> '{}' collate "C")`;
  const ordered = (operator: Fragment): Fragment =>
    sql`case jsonb_typeof(${json}) when 'number' then (${json})::numeric ${operator} ${value('jsonNumber')}::numeric when 'string' then ${text} ${operator} ${value('jsonString')}::text end`;
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
      return postgresDialect.compare(json, 'json', op, value);
    default:
      return compareText(sql`(case jsonb_typeof(${json}) when 'string' then ${text} end)`, op, value);
  }
}

function compareText(text: Fragment, op: PlanComparison, value: BindValue): Fragment {
  const exact = sql`${value('text')}::text`;
  const folded = sql`${value('folded')}::text`;
  switch (op) {
    case 'eqi':
      return sql`${fold(text)} = ${folded}`;
    case 'contains':
      return sql`strpos(${text}, ${exact}) > 0`;
    case 'containsi':
      return sql`strpos(${fold(text)}, ${folded}) > 0`;
    case 'startsWith':
      return sql`starts_with(${text}, ${exact})`;
    case 'startsWithi':
      return sql`starts_with(${fold(text)}, ${folded})`;
    case 'endsWith':
      return sql`right(${text}, ${value('textLength')}::int4) = ${exact}`;
    case 'endsWithi':
      return sql`right(${fold(text)}, ${value('foldedLength')}::int4) = ${folded}`;
    default:
      throw new Error(`${op} does not compare text`);
  }
}

/** Text without its case, for all of Unicode, whatever the locale of the database. */
const fold = (text: Fragment): Fragment => sql`(replace(lower(${text} collate "und-x-icu"), 'ς', 'σ') collate "C")`;

function asText(column: Fragment, type: ScalarType): Fragment {
  switch (type) {
    case 'float':
    case 'decimal':
      return numberText(sql`${column}::float8`);
    case 'date':
      return sql`(to_char(${column}, 'YYYY-MM-DD') collate "C")`;
    case 'datetime':
      return sql`(to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C")`;
    case 'timestamp':
      return sql`(${milliseconds(column)}::int8::text collate "C")`;
    case 'time':
      return sql`(to_char(${column}, 'HH24:MI:SS.MS') collate "C")`;
    case 'json':
    case 'blocks':
      return canonicalText(column);
    default:
      return sql`(${column}::text collate "C")`;
  }
}

/**
 * The canonical text of a JSON value: as PostgreSQL writes it, with the keys of an object by their bytes and shorter ones
 * first, but without the space behind colons and commas. Strings are matched whole, so that theirs stay.
 */
const canonicalText = (column: Fragment): Fragment =>
  sql`(regexp_replace(${column}::jsonb::text, '("(?:[^"\\\\]|\\\\.)*")|([:,]) ', '\\1\\2', 'g') collate "C")`;

/** A number as answers show it: in full as long as that is not too long, then with an exponent. */
const numberText = (number: Fragment): Fragment =>
  sql`(case when ${number} = 0 or abs(${number}) >= 1e-6 and abs(${number}) < 1e21 then trim_scale(${number}::text::numeric)::text else regexp_replace(${number}::text, 'e([+-])0', 'e\\1') end collate "C")`;
