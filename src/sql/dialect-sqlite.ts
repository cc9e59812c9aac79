// All that is particular to SQLite. Functions named sheaf_… are registered by db/sqlite.ts.
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { ColumnType } from '../model/tables.ts';
import type { ScalarType } from '../model/types.ts';
import type { PlanComparison } from '../plan/read/nodes.ts';
import type { BindValue, Dialect, Fragment } from './dialect.ts';

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
  announceChange: null,
  tracking: null,
  composer,
  rowOutput(column, type) {
    switch (type) {
      case 'biginteger':
        return sql`cast(${column} as text)`;
      case 'json':
      case 'blocks':
        return sql`case when json_valid(${column}) then json(${column}) else json_quote(${column}) end`;
      default:
        return column;
    }
  },
  jsonOutput: (column, type) => sqliteDialect.rowOutput(column, type),
  compare(column, type, op, value) {
    const operand = type === 'json' || type === 'blocks' ? sql`sheaf_json(${column})` : column;
    switch (op) {
      case 'eq':
        return sql`${operand} = ${value('value')}`;
      case 'lt':
        return sql`${operand} < ${value('value')}`;
      case 'lte':
        return sql`${operand} <= ${value('value')}`;
      case 'gt':
        return sql`${operand} > ${value('value')}`;
      case 'gte':
        return sql`${operand} >= ${value('value')}`;
      case 'in':
        return sql`${operand} in (select value from json_each(${value('list')}))`;
      case 'between':
        return sql`${operand} between ${value('first')} and ${value('second')}`;
      default:
        return compareText(asText(column, type), op, value);
    }
  },
  searchText: (column, type, folded, isAscii) => sql`instr(${fold(asText(column, type), isAscii)}, ${folded}) > 0`,
  withoutIndexHint: (column) => sql`+${column}`,
  same: (left, right) => sql`${left} is ${right}`,
  listTable: (list, name) => sql`json_each(${list}) as ${sql.id(name)}`,
  inFew: (query) => sql`in (${query})`,
  nestedJoin: sql`cross join`,
  // SQLite looks at a bare bound limit while it plans, and would plan anew for every run.
  limit: (limit, start) => sql`limit +${limit} offset +${start}`,
  sortValue: (column) => column,
  pairTable: (list, name) =>
    sql`(select value ->> '$[0]' as a, value ->> '$[1]' as b from json_each(${list})) as ${sql.id(name)}`,
  namedPairTable: (list, name) =>
    sql`(select value ->> '$[0]' as name, value ->> '$[1]' as a, value ->> '$[2]' as b from json_each(${list})) as ${sql.id(name)}`,
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
  columnType: (type, key) =>
    key
      ? sql`${COLUMN_TYPES[type]} constraint ${sql.id(key.name)} references ${sql.table(key.table)} (${sql.id('id')}) on delete ${sql.raw(key.onDelete)}`
      : COLUMN_TYPES[type],
  idArray: (query) => sql`select json_group_array(id) from (${query})`,
};

function compareText(text: Fragment, op: PlanComparison, value: BindValue): Fragment {
  const folded = () => fold(text, value('foldedIsAscii'));
  switch (op) {
    case 'eqi':
      return sql`${folded()} = ${value('folded')}`;
    case 'contains':
      return sql`instr(${text}, ${value('text')}) > 0`;
    case 'containsi':
      return sql`instr(${folded()}, ${value('folded')}) > 0`;
    case 'startsWith':
      return sql`substr(${text}, 1, ${value('textLength')}) = ${value('text')}`;
    case 'startsWithi':
      return sql`substr(${folded()}, 1, ${value('foldedLength')}) = ${value('folded')}`;
    case 'endsWith':
      return sql`substr(${text}, 1 + length(${text}) - ${value('textLength')}) = ${value('text')}`;
    case 'endsWithi':
      return sql`substr(${folded()}, 1 + length(${folded()}) - ${value('foldedLength')}) = ${value('folded')}`;
    default:
      throw new Error(`${op} does not compare text`);
  }
}

/**
 * Text without its case, for all of Unicode. SQLite's own lower() knows ASCII only, but is far faster than a call
 * into JavaScript; for an ASCII operand it gives the same answer once the two letters beyond ASCII whose lower case
 * is ASCII (the Kelvin sign and the dotted capital I) are replaced.
 */
const fold = (text: Fragment, operandIsAscii: Fragment): Fragment =>
  sql`case when ${operandIsAscii} then lower(replace(replace(${text}, char(0x212a), 'k'), char(0x130), 'i' || char(0x307))) else sheaf_fold(${text}) end`;

function asText(column: Fragment, type: ScalarType): Fragment {
  switch (type) {
    case 'integer':
    case 'biginteger':
    case 'timestamp':
      return sql`cast(${column} as text)`;
    case 'float':
    case 'decimal':
      return sql`sheaf_number(${column})`;
    case 'boolean':
      return sql`case ${column} when 1 then 'true' when 0 then 'false' end`;
    case 'datetime':
      return sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
    default:
      return column;
  }
}
