// Text operators on JSON attributes see one canonical text of a value, on every database the same.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Filters } from '../src/operations/parameters.ts';
import { digitsOf, fold } from '../src/sql/text.ts';
import { type Content, type Project, useContents } from './support/content.ts';
import { describeAcrossDatabases } from './support/database.ts';
import { scaled } from './support/scale.ts';

const PROJECT: Project = {
  types: { note: { attributes: { data: { type: 'json' }, story: { type: 'blocks' } } } },
};

const bytesOrder = ([a]: [string, unknown], [b]: [string, unknown]): number =>
  Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b));

/** No spaces, short keys first, numbers in digits alone. */
function canonicalText(value: unknown): string {
  if (typeof value === 'number') return digitsOf(value === 0 ? 0 : value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(bytesOrder);
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalText(inner)}`).join(',')}}`;
}

const MEANING: Readonly<Record<string, (text: string, operand: string) => boolean>> = {
  $contains: (text, operand) => text.includes(operand),
  $notContains: (text, operand) => !text.includes(operand),
  $startsWith: (text, operand) => text.startsWith(operand),
  $endsWith: (text, operand) => text.endsWith(operand),
  $eqi: (text, operand) => fold(text) === fold(operand),
  $nei: (text, operand) => fold(text) !== fold(operand),
  $containsi: (text, operand) => fold(text).includes(fold(operand)),
  $notContainsi: (text, operand) => !fold(text).includes(fold(operand)),
  $startsWithi: (text, operand) => fold(text).startsWith(fold(operand)),
  $endsWithi: (text, operand) => fold(text).endsWith(fold(operand)),
};

const stringUnit = fc.constantFrom(
  'a',
  'B',
  'é',
  'É',
  '"',
  '\\',
  ':',
  ',',
  ' ',
  '.',
  '\n',
  '\u001f',
  '1',
  '{',
  '😀',
  'Σ',
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    0,
    -0,
    1e21,
    -1.5e21,
    1e-7,
    1.5e-9,
    2 ** 53,
    2 ** 63,
    1e15,
    0.1 + 0.2,
    5e-324,
    1.7976931348623157e308,
  ),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: stringUnit, maxLength: 6 }),
    number,
    fc.constantFrom<unknown>(true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string({ unit: stringUnit, maxLength: 3 }), tie('value'), { maxKeys: 4 }),
  ),
}));

describeAcrossDatabases('A text operator on JSON', (engines) => {
  const opened = engines.map((engine) => ({ engine, contents: useContents(engine) }));
  const all: Content[] = [];
  const fixed: unknown[] = [
    { bb: 1, a: [1, 'x: y, z', { z: null, y: true }], c: 'say "hé"' },
    { color: 'Red', sizes: ['S', 'M'] },
    'just text, with: separators',
    ['red', 'blue'],
    12,
    true,
    {},
    [],
  ];
  const random = fc
    .sample(value, { numRuns: scaled(40), seed: 4711 })
    .filter((one) => one !== null && one !== undefined);
  const values = [...fixed, ...random];

  beforeAll(async () => {
    for (const { contents } of opened) {
      const content = await contents.open(PROJECT);
      all.push(content);
      for (const data of [...values, null]) await content.sheaf.documents('api::note.note').create({ data: { data } });
    }
  });

  const found = (content: Content, filters: Filters): Promise<number[]> =>
    content.sheaf
      .documents('api::note.note')
      .findMany({ filters, sort: 'id', fields: 'id' })
      .then((entries) => entries.map(({ id }) => id - 1));

  const expected = (meets: (text: string) => boolean): number[] =>
    values.flatMap((one, index) => (meets(canonicalText(one)) ? [index] : []));

  it.each(Object.entries(MEANING))('%s sees the canonical text of a value', async (operator, meaning) => {
    const operands = [
      'red',
      '"red"',
      'Red"',
      ':1',
      '": ',
      ', ',
      ',',
      '{"a":[',
      '}',
      '[]',
      '1',
      '0.',
      'é',
      'Σ',
      'true',
      '\\',
    ];
    for (const one of values.filter((_value, index) => index % 7 === 0)) {
      const text = canonicalText(one);
      operands.push(text, text.toUpperCase(), text.slice(1, 5), text.slice(-4));
    }
    for (const operand of new Set(operands.filter((text) => text !== '' && text.isWellFormed())))
      for (const content of all)
        expect(await found(content, { data: { [operator]: operand } }), operand).toEqual(
          expected((text) => meaning(text, operand)),
        );
  });

  it('is made of long values too, and of those with escapes', async () => {
    const items = Array.from({ length: 300 }, (_, index) => ({
      tags: ['a', 'b'],
      name: `item ${index}`,
      size: index / 8,
    }));
    const operands = ['item 299', '"name":"item 299","size":37.375,"tags":["a","b"]}]}', 'a\\tb', 'ITEM 300'];
    for (const content of all) {
      const documents = content.sheaf.documents('api::note.note');
      const made: string[] = [];
      for (const data of [{ items }, { text: 'a\tb', items }])
        made.push((await documents.create({ data: { data } })).documentId);
      const holding = async (data: Filters) =>
        (await documents.findMany({ filters: { documentId: { $in: made }, data }, sort: 'id' })).map(({ documentId }) =>
          made.indexOf(documentId),
        );
      const found = [];
      for (const operand of operands) found.push(await holding({ $contains: operand }));
      expect(found).toEqual([[0, 1], [0, 1], [1], []]);
      expect(await holding({ $containsi: 'ITEM 298' })).toEqual([0, 1]);
      expect(await holding({ $endsWith: '"a","b"]}]}' })).toEqual([0, 1]);
      for (const documentId of made) await documents.delete({ documentId });
    }
  });

  it('is not made of numbers that are longer in digits than a response', async () => {
    for (const content of all) {
      const { status, body } = await content.post('notes', { data: Array(100_000).fill(1e308) });
      expect([status, body.error.details.errors]).toEqual([
        400,
        [expect.objectContaining({ path: ['data'], message: expect.stringContaining('MAX_JSON_DIGITS') })],
      ]);
    }
  });

  it('is asked for in a query like any other, and finds words in blocks', async () => {
    const story = [{ type: 'paragraph', children: [{ type: 'text', text: 'Once upon a time' }] }];
    for (const content of all) {
      const made = await content.make('notes', { story });
      const { body } = await content.get('notes?filters[story][$containsi]=ONCE UPON&fields=id'.replaceAll(' ', '%20'));
      expect(body.data.map(({ documentId }: { documentId: string }) => documentId)).toEqual([made]);
      const { status, body: refusal } = await content.get('notes?filters[data][$gt]=1');
      expect([status, refusal.error.message]).toEqual([
        400,
        'Invalid operator $gt at data: JSON attributes have no order',
      ]);
      await content.delete(`notes/${made}`);
    }
  });
});
