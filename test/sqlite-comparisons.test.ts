// What SQLite compares by itself means what JavaScript means by it: text whatever its case, JSON as a value, numbers as
// text. Held against the plain definitions, on generated values.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../src/db/sqlite.ts';
import type { ScalarType } from '../src/model/types.ts';
import type { PlanComparison, ValueRef } from '../src/plan/read/nodes.ts';
import { bindStatement } from '../src/read/bind.ts';
import { bind } from '../src/sql/compile-condition.ts';
import { statement } from '../src/sql/compile-read.ts';
import { sqliteDialect } from '../src/sql/dialect-sqlite.ts';
import { canonicalJson, fold } from '../src/sql/text.ts';
import { scaled } from './support/scale.ts';
import { expectSoon, timed } from './support/soon.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-comparisons-'));
const database = openSqlite(path.join(folder, 'empty.db'), 'create');
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

/** What a comparison says of each value: 1, 0, or null where it is unknown. */
async function compared(values: readonly unknown[], type: ScalarType, op: PlanComparison, operand: unknown) {
  const ref: ValueRef = { slot: 0, given: null, type, op, key: 'c', path: ['c'], param: 'filters' };
  const condition = sqliteDialect.compare(sql`v.c`, type, op, (form) => bind({ from: 'value', ref, form }));
  const rows = sqliteDialect.listTable(bind({ from: 'context', name: 'ids' }), 'e', 'text');
  const text = sql`select ${condition} from (select e.value as c from ${rows}) as v`;
  const bound = bindStatement(statement<readonly [unknown]>(sqliteDialect, text), [operand]);
  const given = bound.values({ ids: JSON.stringify(values) });
  return (await database.snapshot((session) => session.rows(bound.statement, given))).map(([met]) => met);
}

/** Letters of one, two and three forms, among them all that fold in a way of their own. */
const letter = fc.constantFrom(
  ...'aAkKiIsSſßẞéÉōŌσςΣİıKÅåÅθΘϴдДǅǆ𐐀𐐨ﬀ日😀*?[]^-%_ .'.split(''),
  '\u0307',
  '𐐀',
  '𐐨',
  '[a',
  '*',
);
const word = fc.oneof(fc.string({ unit: letter, maxLength: 8 }), fc.string({ unit: 'grapheme', maxLength: 5 }));

const MEANING: Readonly<Partial<Record<PlanComparison, (text: string, operand: string) => boolean>>> = {
  eqi: (text, operand) => text === operand,
  containsi: (text, operand) => text.includes(operand),
  startsWithi: (text, operand) => text.startsWith(operand),
  endsWithi: (text, operand) => text.endsWith(operand),
};

describe('text, whatever its case', () => {
  it.each(Object.entries(MEANING) as [PlanComparison, (text: string, operand: string) => boolean][])(
    'is compared by %s as folded strings are',
    async (op, meaning) => {
      const texts = fc.array(word, { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(texts, word, async (values, operand) => {
          const wellFormed = [...values, operand, `x${operand}`, `${operand}x`, operand.toUpperCase()].map((text) =>
            text.toWellFormed(),
          );
          const expected = wellFormed.map((text) => (meaning(fold(text), fold(operand.toWellFormed())) ? 1 : 0));
          expect(await compared(wellFormed, 'string', op, operand.toWellFormed())).toEqual(expected);
        }),
        { numRuns: scaled(150) },
      );
    },
  );

  it('is unknown where there is none', async () => {
    for (const operand of ['a', 'é']) expect(await compared([null], 'string', 'containsi', operand)).toEqual([null]);
  });

  it('is compared with values of any length that is allowed', async () => {
    const long = 'Å'.repeat(5_000);
    expect(await compared([long, `${long}x`], 'string', 'eqi', long.toLowerCase())).toEqual([1, 0]);
  });
});

describe('JSON', () => {
  /** The same value with the keys of every object the other way round, spaces, and escaped letters. */
  const rewritten = (value: unknown): string => {
    if (Array.isArray(value)) return `[ ${value.map(rewritten).join(' , ')} ]`;
    if (typeof value === 'string')
      return `"${[...value]
        .flatMap((one) => one.split(''))
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('')}"`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const members = Object.entries(value).reverse();
    return `{ ${members.map(([key, inner]) => `${JSON.stringify(key)} : ${rewritten(inner)}`).join(' ,\n')} }`;
  };
  const value = fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom('a', 'é', '"', '.', '$', '1', '\n', '😀') });
  const text = (one: unknown): string => JSON.stringify(one);

  it('is equal as a value, in lists as well', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 6 }), value, async (others, one) => {
        const stored = [...others.map(text), text(one), rewritten(one), 'no JSON', text('no JSON')];
        for (const operand of [text(one), rewritten(one), 'no JSON']) {
          const expected = stored.map((other) => (canonicalJson(other) === canonicalJson(operand) ? 1 : 0));
          expect(await compared(stored, 'json', 'eq', operand)).toEqual(expected);
          expect(await compared(stored, 'json', 'in', [operand])).toEqual(expected);
        }
      }),
      { numRuns: scaled(150) },
    );
  });

  it('is equal however a number is spelled, and unknown where there is none', async () => {
    expect(await compared(['1', '1.0', '1e0', '2', '"1"', '[1.50]'], 'json', 'eq', '1')).toEqual([1, 1, 1, 0, 0, 0]);
    expect(await compared(['[1.50]'], 'json', 'eq', '[1.5]')).toEqual([1]);
    expect(await compared([null], 'json', 'eq', '1')).toEqual([null]);
    expect(await compared([null], 'json', 'in', [])).toEqual([null]);
  });
});

describe('a number as text', () => {
  it('is what responses show', async () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer().map((whole) => whole / 100),
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.constantFrom(0, -0, 0.1 + 0.2, 1e15, 1e21, 1e-4, 1e-7, 48.85837009999999, 2 ** 53),
      // Halfway between two texts of 16 digits that both mean the number.
      fc.integer({ min: 2 ** 51, max: 3.9e15 }).map((quarters) => quarters / 4),
    );
    await fc.assert(
      fc.asyncProperty(number, async (one) => {
        expect(await compared([one], 'float', 'contains', String(one))).toEqual([1]);
        expect(await compared([one], 'float', 'startsWith', String(one))).toEqual([1]);
        expect(await compared([one], 'float', 'endsWith', String(one))).toEqual([1]);
        expect(await compared([one], 'float', 'contains', `${one}0`)).toEqual([0]);
      }),
      { numRuns: scaled(300) },
    );
  });
});

describe('a list of JSON', () => {
  it('is compared with many rows as soon as a single value is, or a request could hold up everyone', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => `{"seats":${index},"tags":["a","b"]}`);
    const values = Array.from({ length: 500 }, (_, index) => `{"tags":["a","b"],"seats":-${index + 1}.0}`);
    const asked = (list: readonly string[]) => async (): Promise<void> => {
      const met = await compared(rows, 'json', 'in', [...list, '{"tags":["a","b"],"seats":7.0}']);
      expect(met.indexOf(1)).toBe(7);
      expect(met.filter((one) => one === 1)).toHaveLength(1);
    };
    await expectSoon(await timed(asked(values)), asked(values), asked([]), { suspicious: 100, most: 20 });
  });

  it('is looked through for a value as soon as twice its text is looked for', async () => {
    const items = Array.from({ length: 300 }, (_, index) => `"tag${index}"`);
    const rows = Array.from({ length: 300 }, (_, index) => `[${items.join()},${index}.0]`);
    const looked = async (): Promise<void> => {
      expect((await compared(rows, 'json', 'has', '7')).indexOf(1)).toBe(7);
    };
    const equal = async (): Promise<void> => {
      expect((await compared(rows, 'json', 'eq', rows[7])).indexOf(1)).toBe(7);
    };
    await expectSoon(await timed(looked), looked, equal, { suspicious: 100, most: 2 });
  });
});
