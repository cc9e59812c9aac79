// What a comparison becomes on each database, by type: with values read as the type of the column, and strings
// compared by code point. That both mean the same is shown with real rows in test/conformance.test.ts and test/laws.test.ts.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { ScalarType } from '../model/types.ts';
import type { PlanComparison } from '../plan/read/nodes.ts';
import { statement } from './compile-read.ts';
import type { Dialect } from './dialect.ts';
import { postgresDialect } from './dialect-postgres.ts';
import { sqliteDialect } from './dialect-sqlite.ts';
import type { ValueForm } from './statement.ts';

/** The text of a comparison of the column `c`; a value is written as the name of its form. */
const compared = (dialect: Dialect, type: ScalarType, op: PlanComparison): string =>
  statement(
    dialect,
    dialect.compare(sql.raw('c'), type, op, (form: ValueForm) => sql.raw(`:${form}`)),
  ).sql;

const ORDER: readonly PlanComparison[] = ['eq', 'lt', 'lte', 'gt', 'gte', 'between', 'in'];
const STRINGS: readonly PlanComparison[] = [
  'eqi',
  'contains',
  'containsi',
  'startsWith',
  'startsWithi',
  'endsWith',
  'endsWithi',
];
const TYPES: readonly ScalarType[] = [
  'string',
  'text',
  'richtext',
  'email',
  'uid',
  'enumeration',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'time',
  'datetime',
  'timestamp',
];

describe('a comparison by value', () => {
  it.each<[ScalarType, PlanComparison, string, string]>([
    ['string', 'eq', 'c = :value', '(c collate "C") = :value::text'],
    ['integer', 'lt', 'c < :value', 'c < :value::int8'],
    ['biginteger', 'lte', 'c <= :value', 'c::numeric <= :value::numeric'],
    ['decimal', 'gt', 'c > :value', 'c > :value::numeric'],
    ['float', 'gte', 'c >= :value', 'c >= :value::float8'],
    ['boolean', 'eq', 'c = :value', 'c = (:value::int4 = 1)'],
    ['date', 'between', 'c between :first and :second', 'c between :first::date and :second::date'],
    ['datetime', 'lt', 'c < :value', "c < (to_timestamp(:value::float8 / 1000.0) at time zone 'UTC')"],
    [
      'string',
      'in',
      'c in (select value from json_each(:list))',
      '(c collate "C") = any(array(select e.value::text from jsonb_array_elements_text(:list::jsonb) as e(value)))',
    ],
  ])('of the type %s by %s', (type, op, sqlite, postgres) => {
    expect(compared(sqliteDialect, type, op)).toBe(sqlite);
    expect(compared(postgresDialect, type, op)).toBe(postgres);
  });
});

describe('a comparison of JSON', () => {
  const NODES = "fullkey, case type when 'real' then 'integer' else type end, atom from json_tree";
  it.each<[PlanComparison, string, string]>([
    ['eq', `except select ${NODES}(:value)`, 'c = :value::jsonb'],
    [
      'in',
      'from json_tree(e.value)) from json_each(:list) as e)',
      'c = any(array(select e.value::jsonb from jsonb_array_elements_text(:list::jsonb) as e(value)))',
    ],
  ])('by %s is one of values: node by node where the database has no such type', (op, sqlite, postgres) => {
    expect(compared(sqliteDialect, 'json', op)).toContain(sqlite);
    expect(compared(postgresDialect, 'json', op)).toBe(postgres);
  });
});

describe('a comparison of strings', () => {
  it.each<[PlanComparison, string, string]>([
    ['contains', 'instr(c, :text) > 0', 'strpos((c::text collate "C"), :text::text) > 0'],
    ['startsWith', 'substr(c, 1, :textLength) = :text', 'starts_with((c::text collate "C"), :text::text)'],
    [
      'endsWith',
      'substr(c, 1 + length(c) - :textLength) = :text',
      'right((c::text collate "C"), :textLength::int4) = :text::text',
    ],
  ])('by %s takes them as they are written', (op, sqlite, postgres) => {
    expect(compared(sqliteDialect, 'string', op)).toBe(sqlite);
    expect(compared(postgresDialect, 'string', op)).toBe(postgres);
  });

  it('in any case folds the column and binds what is folded', () => {
    for (const op of ['eqi', 'containsi', 'startsWithi', 'endsWithi'] as const) {
      expect(compared(sqliteDialect, 'string', op)).toContain(
        "else replace(c, char(0x130), 'i' || char(0x307)) glob :foldedPattern end",
      );
      expect(compared(postgresDialect, 'string', op)).toContain(
        `replace(lower((c::text collate "C") collate "und-x-icu"), 'ς', 'σ')`,
      );
      for (const dialect of [sqliteDialect, postgresDialect]) {
        expect(compared(dialect, 'string', op)).toContain(':folded');
        expect(compared(dialect, 'string', op)).not.toMatch(/(?<!:):(text|value)\b/);
      }
    }
  });

  it('never uses a value as a pattern, in which it would be more than itself', () => {
    for (const dialect of [sqliteDialect, postgresDialect])
      for (const op of STRINGS)
        expect(compared(dialect, 'string', op).replace('glob :foldedPattern', '')).not.toMatch(
          /\b(like|ilike|glob|similar|regexp_like)\b|~/,
        );
  });
});

describe('every comparison', () => {
  it('has a text for every type that it can be asked of, and binds a value in it', () => {
    for (const dialect of [sqliteDialect, postgresDialect])
      for (const type of TYPES)
        for (const op of [...ORDER, ...STRINGS]) expect(compared(dialect, type, op), `${type} ${op}`).toMatch(/:\w/);
  });

  it('keeps values out of the text', () => {
    const { sql: text, bindings } = statement(
      sqliteDialect,
      sqliteDialect.compare(sql.raw('c'), 'string', 'eq', () => sql`${sql.val("x' or 1 = 1 --")}`),
    );
    expect([text, bindings]).toEqual(['c = ?', ["x' or 1 = 1 --"]]);
  });
});

describe('a column in an answer', () => {
  const output = (dialect: Dialect, type: ScalarType): string =>
    statement(dialect, dialect.jsonOutput(sql.raw('c'), type)).sql;

  it('keeps every digit of what JSON numbers cannot hold', () => {
    expect(output(sqliteDialect, 'biginteger')).toBe('cast(c as text)');
    expect(output(postgresDialect, 'biginteger')).toBe('c::text');
  });

  it('is plain where its form needs no help', () => {
    for (const type of ['string', 'integer', 'boolean'] as const)
      expect([output(sqliteDialect, type), output(postgresDialect, type)]).toEqual(['c', 'c']);
  });
});
