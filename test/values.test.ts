// What may be written into every type of attribute with every option: what is accepted and how it comes back, what is
// refused and under which path, what drafts may skip, defaults, passwords, and the limits of a body.
import bcrypt from 'bcrypt';
import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES, MAX_BODY_DEPTH, MAX_COMPONENTS, MAX_REFERENCES } from '../src/limits.ts';
import { atFullCost } from './support/cheap-hashes.ts';
import {
  type Answer,
  type Attributes,
  type Content,
  type Json,
  localized,
  type Project,
  relation,
  useContents,
} from './support/content.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';

const ATTRIBUTES: Attributes = {
  string: { type: 'string' },
  text: { type: 'text' },
  richtext: { type: 'richtext' },
  email: { type: 'email' },
  uid: { type: 'uid' },
  password: { type: 'password' },
  enumeration: { type: 'enumeration', enum: ['one', 'two', 'Two words'] },
  integer: { type: 'integer' },
  biginteger: { type: 'biginteger' },
  float: { type: 'float' },
  decimal: { type: 'decimal' },
  boolean: { type: 'boolean' },
  date: { type: 'date' },
  time: { type: 'time' },
  datetime: { type: 'datetime' },
  timestamp: { type: 'timestamp' },
  json: { type: 'json' },
  blocks: { type: 'blocks' },
};

/** Attributes with one rule each. */
const RULED: Attributes = {
  needed: { type: 'string', required: true },
  neededNumber: { type: 'integer', required: true },
  neededYes: { type: 'boolean', required: true },
  long: { type: 'string', minLength: 3 },
  short: { type: 'string', maxLength: 5 },
  shortText: { type: 'text', maxLength: 5 },
  shortRich: { type: 'richtext', minLength: 2, maxLength: 5 },
  shortEmail: { type: 'email', minLength: 8, maxLength: 12 },
  shortUid: { type: 'uid', minLength: 2, maxLength: 5 },
  pattern: { type: 'string', regex: '^[a-z]+$' },
  textPattern: { type: 'text', regex: '^[a-z]+$' },
  neededPattern: { type: 'string', regex: '^[a-z]+$', required: true },
  ownUid: { type: 'uid', regex: '^[A-Z ]+$' },
  low: { type: 'integer', min: 1 },
  high: { type: 'integer', max: 5 },
  lowFloat: { type: 'float', min: 0.5 },
  highDecimal: { type: 'decimal', max: 9.5 },
  lowBig: { type: 'biginteger', min: '-5' },
  highBig: { type: 'biginteger', max: '9223372036854775806' },
  fixed: { type: 'string', writable: false },
  hidden: { type: 'string', private: true, maxLength: 5 },
  one: { type: 'component', component: 'kit.part', required: true },
  several: { type: 'component', component: 'kit.part', repeatable: true, min: 2, max: 3 },
  someRequired: { type: 'component', component: 'kit.part', repeatable: true, required: true, min: 1 },
  zone: { type: 'dynamiczone', components: ['kit.part', 'kit.other'], min: 1, max: 2 },
};

/** What makes an entry with RULED complete. */
const COMPLETE = {
  needed: 'n',
  neededNumber: 0,
  neededYes: false,
  neededPattern: 'abc',
  one: { name: 'part' },
  someRequired: [{ name: 'part' }],
};

const UNIQUE: Attributes = Object.fromEntries(
  Object.entries(ATTRIBUTES)
    .filter(([type]) => !['json', 'blocks', 'password'].includes(type))
    .map(([type, of]) => [type, { ...of, unique: true }]),
);

const DEFAULTS: Attributes = {
  name: { type: 'string', default: 'unnamed' },
  count: { type: 'integer', default: 0 },
  big: { type: 'biginteger', default: '12' },
  ratio: { type: 'float', default: 0.5 },
  no: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: true },
  kind: { type: 'enumeration', enum: ['a', 'b'], default: 'b' },
  day: { type: 'date', default: '2020-02-29' },
  free: { type: 'json', default: { a: [1, null] } },
  neededName: { type: 'string', required: true, default: 'given' },
  part: { type: 'component', component: 'kit.defaults' },
};

/** Of a component whose table and table of components have names that are cut short, each by itself. */
const LONG_NAME = 'kit.component-with-a-name-that-no-database-takes-as-it-is';
const PROJECT: Project = {
  locales: ['en', 'fr'],
  types: {
    sample: { attributes: ATTRIBUTES },
    ruled: { attributes: RULED },
    sheet: { drafts: true, attributes: { ...ATTRIBUTES, ...RULED } },
    full: {
      drafts: true,
      attributes: Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, of]) => [name, { ...of, required: true }])),
    },
    only: { attributes: UNIQUE },
    'draft-only': { drafts: true, attributes: UNIQUE },
    'part-holder': {
      attributes: {
        name: { type: 'string' },
        part: { type: 'component', component: 'kit.unique' },
        parts: { type: 'component', component: 'kit.unique', repeatable: true },
      },
    },
    // Components of one kind in several places, which Strapi 5 takes for different attributes.
    'place-holder': {
      drafts: true,
      localized: true,
      attributes: {
        name: { type: 'string', ...localized },
        part: { type: 'component', component: 'kit.deep', ...localized },
        parts: { type: 'component', component: 'kit.deep', repeatable: true, ...localized },
        zone: { type: 'dynamiczone', components: ['kit.unique', 'kit.deep'], ...localized },
        cut: { type: 'component', component: LONG_NAME, ...localized },
        shared: { type: 'component', component: 'kit.unique' },
      },
    },
    preset: { attributes: DEFAULTS },
    'draft-preset': { drafts: true, attributes: DEFAULTS },
    lock: {
      single: true,
      attributes: { name: { type: 'string' }, key: { type: 'password', default: 'from the start' } },
    },
    vault: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        key: { type: 'password' },
        costly: { type: 'password', encryption: { rounds: 5 } },
        neededKey: { type: 'password', required: true, minLength: 4, regex: '^[a-z]+$' },
      },
    },
    conditional: {
      drafts: true,
      attributes: {
        kind: { type: 'enumeration', enum: ['a', 'b'] },
        detail: {
          type: 'string',
          required: true,
          minLength: 3,
          conditions: { visible: { '==': [{ var: 'kind' }, 'a'] } },
        },
      },
    },
    custom: {
      attributes: {
        color: {
          type: 'customField',
          customField: 'plugin::color-picker.color',
          regex: '^#[0-9a-f]{6}$',
          default: '#000000',
        },
        needed: { type: 'customField', customField: 'global::anything', required: true, maxLength: 5 },
      },
    },
    box: {
      attributes: {
        name: { type: 'text' },
        free: { type: 'json' },
        left: relation('manyToMany', 'box'),
        right: relation('manyToMany', 'box'),
        parts: { type: 'component', component: 'kit.nested', repeatable: true },
        zone: { type: 'dynamiczone', components: ['kit.part', 'kit.nested'] },
      },
    },
  },
  components: {
    'kit.part': {
      name: { type: 'string', required: true, minLength: 2, maxLength: 20 },
      size: { type: 'integer', max: 9 },
    },
    'kit.other': { note: { type: 'text' } },
    'kit.unique': { code: { type: 'string', unique: true } },
    'kit.deep': { unique: { type: 'component', component: 'kit.unique' } },
    [LONG_NAME]: { unique: { type: 'component', component: 'kit.unique' } },
    'kit.defaults': { label: { type: 'string', default: 'label' }, yes: { type: 'boolean', default: true } },
    'kit.nested': {
      part: { type: 'component', component: 'kit.part' },
      parts: { type: 'component', component: 'kit.part', repeatable: true },
    },
  },
};

/** Attributes whose rules apply where `on` is true, and one where a default decides. */
const shownIf = (name: string, value: unknown) => ({ conditions: { visible: { '==': [{ var: name }, value] } } });
const ON = shownIf('on', true);
const CONDITIONAL: Attributes = {
  name: { type: 'string' },
  on: { type: 'boolean' },
  val: { type: 'string', required: true, minLength: 3, ...ON },
  code: { type: 'string', unique: true, ...ON },
  comp: { type: 'component', component: 'kit.part', required: true, ...ON },
  comps: { type: 'component', component: 'kit.part', repeatable: true, required: true, min: 1, ...ON },
  zone: { type: 'dynamiczone', components: ['kit.part'], required: true, min: 1, ...ON },
  preset: { type: 'boolean', default: true },
  byPreset: { type: 'string', required: true, ...shownIf('preset', true) },
  items: { type: 'component', component: 'kit.conditional', repeatable: true },
};

/** What an entry with CONDITIONAL holds where all of it is shown. */
const SHOWN = {
  on: true,
  val: 'value',
  comp: { name: 'part' },
  comps: [{ name: 'part' }],
  zone: [{ __component: 'kit.part', name: 'part' }],
  byPreset: 'x',
};
const HIDDEN = { on: false, byPreset: 'x' };

/** A value of each type as a body may hold it, and as the API shows it. */
const SHOWN_AS: Readonly<Record<string, readonly [given: unknown, shown: unknown]>> = {
  string: ['a', 'a'],
  enumeration: ['Two words', 'Two words'],
  integer: ['5', 5],
  biginteger: [42, '42'],
  float: ['0.5', 0.5],
  decimal: ['1.25', 1.25],
  boolean: ['true', true],
  date: ['2020-01-02T03:04:05Z', '2020-01-02'],
  time: ['10:20:30', '10:20:30.000'],
  datetime: ['2020-01-02T03:04:05+01:00', '2020-01-02T02:04:05.000Z'],
  timestamp: ['2020-01-02T03:04:05Z', String(Date.UTC(2020, 0, 2, 3, 4, 5))],
  json: ['free', 'free'],
};

const TYPED: Attributes = Object.fromEntries(
  Object.entries(SHOWN_AS).flatMap(([type, [, shown]]) => [
    [type, ATTRIBUTES[type]!],
    [`${type}Detail`, { type: 'string', required: true, ...shownIf(type, shown) }],
  ]),
);

const CONDITIONS: Project = {
  locales: ['en', 'fr'],
  types: {
    sheet: { drafts: true, attributes: CONDITIONAL },
    card: { attributes: CONDITIONAL },
    typed: { drafts: true, attributes: TYPED },
    'live-typed': { attributes: TYPED },
    notice: {
      single: true,
      attributes: { on: { type: 'boolean', default: true }, val: CONDITIONAL.val!, items: CONDITIONAL.items! },
    },
    page: {
      localized: true,
      attributes: { on: { type: 'boolean' }, val: { ...CONDITIONAL.val!, ...localized } },
    },
    indirect: {
      drafts: true,
      attributes: {
        part: { type: 'component', component: 'kit.part' },
        val: { type: 'string', required: true, conditions: { visible: { '!!': [{ var: 'part' }] } } },
      },
    },
  },
  components: {
    'kit.part': { name: { type: 'string', required: true, minLength: 2 }, tag: { type: 'string', unique: true } },
    'kit.conditional': {
      on: { type: 'boolean' },
      val: CONDITIONAL.val!,
      part: { type: 'component', component: 'kit.part', required: true, ...ON },
    },
  },
};

/** Paths of everything that an answer finds wrong, in their order. */
const pathsOf = (answer: Answer): string[] =>
  (answer.body.error?.details?.errors ?? []).map((error: { path: string[] }) => error.path.join('.'));

/** Errors in blocks lead to what is wrong in them; which place that is, `blocks.test.ts` says. */
const withoutBlocks = (path: string): string => path.replace(/^blocks\.\d.*$/, 'blocks');

function refused(answer: Answer, ...paths: string[]): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status: 400,
    body: { data: null, error: { status: 400, name: 'ValidationError' } },
  });
  expect(pathsOf(answer).map(withoutBlocks)).toEqual(paths);
}

const paragraph = (text: string) => ({ type: 'paragraph', children: [{ type: 'text', text }] });

/** Accepted values with what they come back as. */
const ACCEPTED: Readonly<Record<string, readonly (readonly [given: unknown, shown: unknown])[]>> = {
  string: [
    ['text', 'text'],
    ['', ''],
    [' spaces ', ' spaces '],
    [`O'Neil "quoted" \\ %_`, `O'Neil "quoted" \\ %_`],
    ['Dōjō 道場 🍣', 'Dōjō 道場 🍣'],
    ['é', 'é'],
    ['é', 'é'],
    ['line\nbreak\ttab', 'line\nbreak\ttab'],
    ['a'.repeat(255), 'a'.repeat(255)],
    [null, null],
  ],
  text: [
    ['a'.repeat(100_000), 'a'.repeat(100_000)],
    ['', ''],
    [null, null],
  ],
  richtext: [
    ['# Title\n\n**bold**', '# Title\n\n**bold**'],
    [null, null],
  ],
  email: [
    ['a@b.co', 'a@b.co'],
    ['First.Last+tag@sub.example.org', 'First.Last+tag@sub.example.org'],
    [null, null],
  ],
  uid: [
    ['a-b_c.d~E9', 'a-b_c.d~E9'],
    ['', ''],
    [null, null],
  ],
  enumeration: [
    ['one', 'one'],
    ['Two words', 'Two words'],
    [null, null],
  ],
  integer: [
    [1, 1],
    [0, 0],
    [-7, -7],
    ['1', 1],
    [' 5 ', 5],
    ['1e3', 1000],
    ['0x10', 16],
    [2_147_483_647, 2_147_483_647],
    [-2_147_483_648, -2_147_483_648],
    [null, null],
  ],
  biginteger: [
    [42, '42'],
    ['42', '42'],
    ['+5', '5'],
    ['007', '7'],
    [' 9 ', '9'],
    ['-0', '0'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    [null, null],
  ],
  float: [
    [1.5, 1.5],
    ['1.5', 1.5],
    [0.1, 0.1],
    [1e-300, 1e-300],
    [1.7976931348623157e308, 1.7976931348623157e308],
    [-0.5, -0.5],
    [3, 3],
    [null, null],
  ],
  decimal: [
    [1.239, 1.239],
    ['1.239', 1.239],
    [123_456_789_012.345, 123_456_789_012.345],
    [0.1, 0.1],
    [null, null],
  ],
  boolean: [
    [true, true],
    [false, false],
    ['true', true],
    ['false', false],
    [1, true],
    [0, false],
    ['1', true],
    ['0', false],
    [null, null],
  ],
  date: [
    ['2020-02-29', '2020-02-29'],
    ['2020-01-02T03:04:05.000Z', '2020-01-02'],
    ['9999-12-31', '9999-12-31'],
    [null, null],
  ],
  time: [
    ['10:20:30', '10:20:30.000'],
    ['10:20:30.1', '10:20:30.100'],
    ['10:20:30.12', '10:20:30.120'],
    ['23:59:59.999', '23:59:59.999'],
    ['00:00:00', '00:00:00.000'],
    [null, null],
  ],
  datetime: [
    ['2020-01-02T03:04:05.678Z', '2020-01-02T03:04:05.678Z'],
    ['2020-01-02T03:04:05Z', '2020-01-02T03:04:05.000Z'],
    ['2020-01-02T03:04:05+02:00', '2020-01-02T01:04:05.000Z'],
    ['2020-01-02T03:04:05.123456Z', '2020-01-02T03:04:05.123Z'],
    ['2020-01-02T03:04', '2020-01-02T03:04:00.000Z'],
    ['2020-01-02', '2020-01-02T00:00:00.000Z'],
    [1_577_934_245_678, '2020-01-02T03:04:05.678Z'],
    ['1577934245678', '2020-01-02T03:04:05.678Z'],
    [0, '1970-01-01T00:00:00.000Z'],
    [1000, '1970-01-01T00:00:01.000Z'],
    [20250301, '1970-01-01T05:37:30.301Z'],
    ['2025', '2025-01-01T00:00:00.000Z'],
    ['2025-03', '2025-03-01T00:00:00.000Z'],
    ['20250301', '2025-03-01T00:00:00.000Z'],
    ['20250301T100000Z', '2025-03-01T10:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.999Z'],
    [null, null],
  ],
  timestamp: [
    ['2020-01-02T03:04:05.678Z', '1577934245678'],
    [1_577_934_245_678, '1577934245678'],
    ['1577934245678', '1577934245678'],
    [0, '0'],
    [null, null],
  ],
  json: [
    [{ a: { b: [1, 'two', null, true] } }, { a: { b: [1, 'two', null, true] } }],
    [[], []],
    [{}, {}],
    ['text', 'text'],
    ['', ''],
    ['{"a":1}', '{"a":1}'],
    ['D:\\Udemy', 'D:\\Udemy'],
    [{ 'C:\\udata': '\\u0000 \\\\ud800' }, { 'C:\\udata': '\\u0000 \\\\ud800' }],
    [5, 5],
    [1.5, 1.5],
    [true, true],
    [false, false],
    [null, null],
    [
      { '': '', 'a.b': 1, $eq: 2, __component: 3 },
      { '': '', 'a.b': 1, $eq: 2, __component: 3 },
    ],
  ],
  blocks: [
    [[], []],
    [[paragraph('text')], [paragraph('text')]],
    [[paragraph('')], [paragraph('')]],
    [[paragraph('D:\\Udemy')], [paragraph('D:\\Udemy')]],
    [
      [{ type: 'heading', level: 6, children: [{ type: 'text', text: 't', bold: true }] }],
      [{ type: 'heading', level: 6, children: [{ type: 'text', text: 't', bold: true }] }],
    ],
    [
      [
        {
          type: 'list',
          format: 'ordered',
          children: [
            { type: 'list-item', children: [{ type: 'text', text: 'one' }] },
            {
              type: 'list',
              format: 'unordered',
              children: [{ type: 'list-item', children: [{ type: 'text', text: 'two' }] }],
            },
          ],
        },
      ],
      [
        {
          type: 'list',
          format: 'ordered',
          children: [
            { type: 'list-item', children: [{ type: 'text', text: 'one' }] },
            {
              type: 'list',
              format: 'unordered',
              children: [{ type: 'list-item', children: [{ type: 'text', text: 'two' }] }],
            },
          ],
        },
      ],
    ],
    [
      [{ type: 'quote', children: [{ type: 'link', url: '/here', children: [{ type: 'text', text: 'here' }] }] }],
      [{ type: 'quote', children: [{ type: 'link', url: '/here', children: [{ type: 'text', text: 'here' }] }] }],
    ],
    [
      [{ type: 'code', language: 'ts', children: [{ type: 'text', text: 'let a;' }] }],
      [{ type: 'code', language: 'ts', children: [{ type: 'text', text: 'let a;' }] }],
    ],
    [null, null],
  ],
};

const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  string: [5, true, {}, [], ['a'], 'a'.repeat(256), 'nul \0'],
  text: [5, false, {}, [], 'nul \0'],
  richtext: [5, {}, []],
  email: ['', 'x', 'a@b', '@b.co', 'a b@c.de', 'a@b.co,c@d.ef', 5, {}, `${'a'.repeat(251)}@b.co`],
  uid: ['has spaces', 'ü', 'a/b', 5, {}, 'a'.repeat(257)],
  password: [5, true, {}, [], 'a'.repeat(73)],
  enumeration: ['three', '', 'ONE', 1, {}, ['one']],
  integer: [1.5, 'abc', '', ' ', true, [], [1], {}, '1.5', 'Infinity', 'NaN', 2_147_483_648, -2_147_483_649],
  biginteger: ['abc', 1.5, '', true, '1e3', '0x10', [], {}, '9223372036854775808', '-9223372036854775809', 2 ** 53],
  float: ['abc', '', true, [], {}, 'Infinity', '1e400', 'NaN'],
  decimal: ['abc', '', true, [], {}, 'Infinity', '1e400', '12345678901234.123456789'],
  boolean: ['t', 'yes', '', 2, -1, [], {}, 'YES'],
  date: ['', '2020-13-01', '2021-02-29', '2020-1-2', '02.01.2020', 20200102, true, {}, [], '2020-01-02 nonsense'],
  time: ['', '10:20', '24:00:00', '10:60:00', '10:20:60', '10:20:30.1234', '1:2:3', 102030, {}, []],
  datetime: ['', 'yesterday', '2020-13-01T00:00:00Z', '2021-02-29', '2020-01-02T25:00:00Z', true, {}, [], 1.5],
  timestamp: ['', 'yesterday', true, {}, [], 1.5],
  json: [{ a: 'nul \0' }],
  blocks: [
    'x',
    {},
    5,
    true,
    [null],
    ['x'],
    [{}],
    [{ type: 'nope', children: [] }],
    [{ type: 'paragraph' }],
    [{ type: 'paragraph', children: [] }],
    [{ type: 'paragraph', children: [{ type: 'text' }] }],
    [{ type: 'paragraph', children: [{ type: 'text', text: 't', bold: 'yes' }] }],
    [{ type: 'paragraph', children: [{ type: 'nope', text: 't' }] }],
    [{ type: 'paragraph', children: [{ type: 'link', children: [{ type: 'text', text: 't' }] }] }],
    [{ type: 'heading', level: 7, children: [{ type: 'text', text: 't' }] }],
    [{ type: 'heading', children: [{ type: 'text', text: 't' }] }],
    [{ type: 'list', format: 'other', children: [{ type: 'list-item', children: [{ type: 'text', text: 't' }] }] }],
    [{ type: 'list', format: 'ordered', children: [{ type: 'text', text: 't' }] }],
    [{ type: 'image', children: [{ type: 'text', text: '' }] }],
    [{ type: 'image', image: { url: '/a.png' }, children: [{ type: 'text', text: '' }] }],
  ],
};

const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};

const pairs = <T>(table: Readonly<Record<string, readonly T[]>>): [type: string, shown: string, value: T][] =>
  Object.entries(table).flatMap(([type, values]) =>
    values.map((value): [string, string, T] => [type, brief(value), value]),
  );

describeOnEveryDatabase('a value', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
  });

  it.each(pairs(ACCEPTED))('of type %s is accepted and comes back as given: %s', async (type, _, [given, shown]) => {
    const made = await content.entry('POST', 'samples', { [type]: given });
    expect(made[type]).toStrictEqual(shown);
    const updated = await content.entry('PUT', `samples/${made.documentId}`, { [type]: given });
    expect(updated[type]).toStrictEqual(shown);
    expect((await content.entry('GET', `samples/${made.documentId}`))[type]).toStrictEqual(shown);
  });

  it.each(pairs(REFUSED))('of type %s is refused under its path: %s', async (type, _, given) => {
    refused(await content.post('samples', { [type]: given }), type);
    const { documentId } = await content.entry('POST', 'samples', {});
    refused(await content.put(`samples/${documentId}`, { [type]: given }), type);
  });

  it('in blocks is refused under the path of what is wrong', async () => {
    const image = { type: 'image', image: { url: '/a.png' }, children: [] };
    const answer = await content.post('samples', { blocks: [{ type: 'quote', children: [{ type: 'text' }] }] });
    expect(answer.body.error.details.errors).toMatchObject([{ path: ['blocks', '0', 'children', '0', 'text'] }]);
    const second = await content.post('samples', { blocks: [image] });
    expect(second.body.error.details.errors).toMatchObject([{ path: ['blocks', '0', 'image', 'name'] }]);
  });

  it.each([
    ['string', '"\\ud800"'],
    ['text', '"a \\udc00 b"'],
    ['json', '{"a":"\\ud83c"}'],
  ])('of type %s that is no well-formed Unicode is refused, as no database could keep it: %s', async (type, text) => {
    refused(await content.send('POST', 'samples', `{"data":{"${type}":${text}}}`), type);
  });

  it.each([
    ['biginteger', '9007199254740993'],
    ['json', '1e400'],
    ['json', '{"a":[null,-1e400]}'],
  ])('of type %s that would be stored as another is refused: %s', async (type, text) => {
    refused(await content.send('POST', 'samples', `{"data":{"${type}":${text}}}`), type);
  });

  it.each(['datetime', 'timestamp'])('of type %s is read in a filter as in a body', async (type) => {
    const instant = Date.parse('2031-03-01T10:00:00Z');
    const { documentId } = await content.entry('POST', 'samples', { [type]: instant });
    const { documentId: early } = await content.entry('POST', 'samples', { [type]: 20310302 });
    const found = async (where: string): Promise<string[]> =>
      (await content.entry('GET', `samples?filters[${type}]${where}`)).map((one: Json) => one.documentId);
    for (const where of ['[$gte]=2031', '[$gt]=2031-03', '[$eq]=20310301T100000Z', '[$in][0]=20310301T10'])
      expect(await found(where), where).toEqual([documentId]);
    expect(await found(`[$between][0]=20310301&filters[${type}][$between][1]=20310302`)).toEqual([documentId]);
    expect(await found(`=${instant}`)).toEqual([documentId]);
    const samples = content.sheaf.documents('api::sample.sample');
    expect(await samples.findMany({ filters: { [type]: 20310302 } })).toMatchObject([{ documentId: early }]);
    expect((await content.send('GET', `samples?filters[${type}]=2031-13`)).status).toBe(400);
  });

  it.each(Object.keys(ATTRIBUTES))('of type %s may be left out, and is then null', async (type) => {
    const made = await content.entry('POST', 'samples', {});
    if (type === 'password') expect(made).not.toHaveProperty('password');
    else expect(made[type]).toBeNull();
  });

  it('that is left out of an update stays as it is', async () => {
    const all = Object.fromEntries(Object.entries(ACCEPTED).map(([type, values]) => [type, values[0]![0]]));
    const made = await content.entry('POST', 'samples', { ...all, uid: 'all' });
    const changed = await content.entry('PUT', `samples/${made.documentId}`, { string: 'changed' });
    expect(changed).toEqual({ ...made, string: 'changed', updatedAt: changed.updatedAt });
  });

  if (engine.name === 'SQLite')
    it('is stored in the form that Strapi 5 stores it in', async () => {
      const { id } = await content.entry('POST', 'samples', {
        string: 's',
        integer: '7',
        biginteger: '9007199254740993',
        float: '1.5',
        decimal: 1.239,
        boolean: 'true',
        date: '2020-01-02T03:04:05.000Z',
        time: '10:20:30',
        datetime: '2020-01-02T03:04:05.678Z',
        timestamp: '2020-01-02T03:04:05.678Z',
        json: { b: 1, a: 'x' },
      });
      const columns = [
        'string',
        '"integer"',
        'biginteger',
        '"float"',
        '"decimal"',
        '"boolean"',
        '"date"',
        '"time"',
        'datetime',
        '"timestamp"',
        'json',
      ];
      const [row] = await content.rows(
        `select ${columns.map((column) => `typeof(${column}) || ' ' || ${column}`).join(', ')} from samples where id = ${id}`,
      );
      expect(row).toEqual([
        'text s',
        'integer 7',
        'integer 9007199254740993',
        'real 1.5',
        'real 1.239',
        'integer 1',
        'text 2020-01-02',
        'text 10:20:30.000',
        'integer 1577934245678',
        'integer 1577934245678',
        'text {"b":1,"a":"x"}',
      ]);
    });

  const STRINGS = [
    'plain',
    '',
    'a "b" \\ ü',
    '{not json',
    '[draft] text',
    'truly',
    'NaN',
    'Infinity',
    '5 stars',
    '2024-05-01',
    '0x1F',
  ];
  /** What would be taken for something else where it stood without quotes. */
  const LOOKALIKES = ['5', '-5', '+5', ' 7 ', '1e3', '.5', '5.', 'true', ' null', '{"a":1}', '[]', '"q"'];
  it.each([...STRINGS, ...LOOKALIKES])(
    'is, where it is a string of JSON, the string that was given: %j',
    async (string) => {
      const { id, json } = await content.entry('POST', 'samples', { json: string });
      expect(json).toBe(string);
      const isFound = `samples?filters[id]=${id}&filters[json][$eq]=${encodeURIComponent(JSON.stringify(string))}`;
      expect((await content.get(isFound)).body).toMatchObject({ data: [{ json: string }] });
      const [row] = await content.rows(`select cast(json as text) from samples where id = ${id}`);
      // Strapi 5 shows what SQLite holds, and so the quotes.
      const isPlain = engine.name === 'SQLite' && STRINGS.includes(string);
      expect(row).toEqual([isPlain ? string : JSON.stringify(string)]);
    },
  );
});

describeOnEveryDatabase('rules', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
  });

  const AT_THE_BOUNDS: Json[] = [
    { needed: '' },
    { long: 'abc', short: 'abcde', shortText: 'abcde', shortRich: 'ab', shortEmail: 'ab@cd.ef', shortUid: 'abcde' },
    { long: null, short: '', pattern: '', textPattern: '' },
    { pattern: 'abc', neededPattern: 'z', ownUid: 'A B' },
    { low: 1, high: 5, lowFloat: 0.5, highDecimal: 9.5, lowBig: '-5', highBig: '9223372036854775806' },
    { low: null, highBig: null },
    { several: [] },
    { several: [{ name: 'p1' }, { name: 'p2' }] },
    { several: [{ name: 'p1' }, { name: 'p2' }, { name: 'p3', size: 9 }] },
    { zone: [] },
    { zone: [{ __component: 'kit.part', name: 'pp' }, { __component: 'kit.other' }] },
    { hidden: 'five5' },
  ];
  it.each(AT_THE_BOUNDS.map((data): [string, Json] => [brief(data), data]))(
    'accept what is at their bounds: %s',
    async (_, data) => {
      expect((await content.post('ruleds', { ...COMPLETE, ...data })).body).toMatchObject({
        data: { needed: expect.anything() },
      });
    },
  );

  const BEYOND: [Json, string[]][] = [
    [{ needed: null }, ['needed']],
    [{ needed: undefined }, ['needed']],
    [{ neededNumber: null, neededYes: null }, ['neededNumber', 'neededYes']],
    [{ long: 'ab' }, ['long']],
    [{ long: '' }, ['long']],
    [{ short: 'abcdef' }, ['short']],
    [{ shortText: 'abcdef', shortRich: 'a' }, ['shortText', 'shortRich']],
    [{ shortRich: 'abcdef' }, ['shortRich']],
    [{ shortEmail: 'a@b.co' }, ['shortEmail']],
    [{ shortEmail: 'abcdefg@hi.jk' }, ['shortEmail']],
    [{ shortUid: 'a' }, ['shortUid']],
    [{ shortUid: 'abcdef' }, ['shortUid']],
    [{ pattern: 'ABC', textPattern: '1' }, ['pattern', 'textPattern']],
    [{ neededPattern: '' }, ['neededPattern']],
    [{ ownUid: 'lower' }, ['ownUid']],
    [{ low: 0, high: 6 }, ['low', 'high']],
    [{ lowFloat: 0.49, highDecimal: 9.51 }, ['lowFloat', 'highDecimal']],
    [{ lowBig: '-6' }, ['lowBig']],
    [{ highBig: '9223372036854775807' }, ['highBig']],
    [{ one: null }, ['one']],
    [{ one: undefined }, ['one']],
    [{ one: 'x' }, ['one']],
    [{ one: [] }, ['one']],
    [{ one: {} }, ['one.name']],
    [{ one: { name: 'x', size: 10 } }, ['one.name', 'one.size']],
    [{ several: null }, ['several']],
    [{ several: { name: 'pp' } }, ['several']],
    [{ several: [{ name: 'pp' }] }, ['several']],
    [{ several: [{ name: 'p1' }, { name: 'p2' }, { name: 'p3' }, { name: 'p4' }] }, ['several']],
    [{ several: [{ name: 'pp' }, null] }, ['several.1']],
    [{ several: [{ name: 'pp' }, {}] }, ['several.1.name']],
    [{ someRequired: undefined }, ['someRequired']],
    [{ someRequired: [] }, ['someRequired']],
    [{ zone: null }, ['zone']],
    [{ zone: 'x' }, ['zone']],
    [{ zone: [{ name: 'pp' }] }, ['zone.0.__component']],
    [{ zone: [{ __component: 'kit.unique' }] }, ['zone.0.__component']],
    [{ zone: [{ __component: 'kit.part' }] }, ['zone.0.name']],
    [{ zone: [{ __component: 'kit.other' }, { __component: 'kit.other' }, { __component: 'kit.other' }] }, ['zone']],
    [{ zone: [{ __component: 'kit.other', note: 5 }] }, ['zone.0.note']],
    [{ hidden: 'six666' }, ['hidden']],
  ];
  it.each(
    BEYOND.map(([data, paths]): [string, Json, string[]] => [
      brief(Object.fromEntries(Object.entries(data).map(([key, value]) => [key, value ?? null]))),
      data,
      paths,
    ]),
  )('refuse what is beyond them: %s', async (_, data, paths) => {
    refused(await content.post('ruleds', { ...COMPLETE, ...data }), ...paths);
  });

  it('hold for what an update changes, and for nothing else', async () => {
    const { documentId } = await content.entry('POST', 'ruleds', COMPLETE);
    expect((await content.put(`ruleds/${documentId}`, {})).status).toBe(200);
    expect((await content.put(`ruleds/${documentId}`, { short: 'abc' })).status).toBe(200);
    refused(await content.put(`ruleds/${documentId}`, { needed: null, low: 0, one: null }), 'needed', 'low', 'one');
    refused(await content.put(`ruleds/${documentId}`, { someRequired: [] }), 'someRequired');
  });

  it('refuse a key that may not be written as one that is unknown', async () => {
    for (const key of ['fixed', 'nope', '__proto__x', 'constructor', 'toString', 'id', 'documentId', 'createdAt']) {
      const answer = await content.post('ruleds', { ...COMPLETE, [key]: 'x' });
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { name: 'ValidationError', message: `Invalid key ${key}`, details: { key, source: 'body' } } },
      });
    }
    const inside = await content.post('ruleds', { ...COMPLETE, one: { name: 'pp', nope: 1 } });
    expect(inside.body.error).toMatchObject({
      message: 'Invalid key nope at one',
      details: { key: 'nope', path: 'one', source: 'body' },
    });
    for (const key of ['__component', 'createdAt', 'locale'])
      expect(
        (await content.post('ruleds', { ...COMPLETE, one: { name: 'pp', [key]: 'kit.part' } })).body.error.details,
      ).toMatchObject({ key });
  });

  it('keep a name that every object has from passing for an attribute', async () => {
    for (const body of [
      '{"data":{"__proto__":{"needed":"x"}}}',
      '{"data":{"constructor":{"prototype":{"a":1}}}}',
      '{"__proto__":{"data":{}}}',
    ]) {
      const answer = await content.send('POST', 'ruleds', body);
      expect(answer.status).toBe(400);
      expect(answer.body.data).toBeNull();
    }
    expect({}).not.toHaveProperty('needed');
  });

  it('tell all that is wrong at once, in the order of the attributes, and repeat no value', async () => {
    const secret = 'do-not-repeat-me';
    const answer = await content.post('ruleds', {
      zone: [{ __component: 'kit.part', name: 5 }, { __component: secret }],
      one: { name: [secret], size: secret },
      neededNumber: secret,
      low: -5,
      pattern: secret,
      neededPattern: 'abc',
      someRequired: [{ name: 'ok' }, { name: `${secret}${secret}` }],
    });
    refused(
      answer,
      'needed',
      'neededNumber',
      'neededYes',
      'pattern',
      'low',
      'one.name',
      'one.size',
      'someRequired.1.name',
      'zone.0.name',
      'zone.1.__component',
    );
    const { error } = answer.body;
    expect(error.message).toBe('10 errors occurred');
    for (const one of error.details.errors) {
      expect(Object.keys(one).sort()).toEqual(['message', 'name', 'path']);
      expect(one.name).toBe('ValidationError');
    }
    expect(error.details.errors[7].message).toMatch(/^someRequired\[1\]\.name /);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  });

  it('tell a single problem in the message itself', async () => {
    const answer = await content.post('ruleds', { ...COMPLETE, low: 0 });
    expect(answer.body.error.message).toBe(answer.body.error.details.errors[0].message);
    expect(answer.body.error.message).toBe('low must be greater than or equal to 1');
  });

  it('leave nothing behind when they refuse', async () => {
    const tables = ['ruleds', 'ruleds_cmps', 'components_kit_parts'];
    const counts = async () => Promise.all(tables.map((table) => content.number(`select count(*) from ${table}`)));
    const stored = await counts();
    refused(
      await content.post('ruleds', { ...COMPLETE, zone: [{ __component: 'kit.part', name: 'x' }] }),
      'zone.0.name',
    );
    expect(await counts()).toEqual(stored);
  });
});

describeOnEveryDatabase('options', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
  });

  it('of a condition: an attribute that is not visible is not judged', async () => {
    expect((await content.post('conditionals', { kind: 'b' })).status).toBe(201);
    refused(await content.post('conditionals', { kind: 'a' }), 'detail');
    refused(await content.post('conditionals', { kind: 'a', detail: 'no' }), 'detail');
    expect((await content.post('conditionals', { kind: 'a', detail: 'yes' })).status).toBe(201);
  });

  it('of a custom field: it is a text with the rules of one', async () => {
    expect(await content.entry('POST', 'customs', { color: '#00ff00', needed: 'n' })).toMatchObject({
      color: '#00ff00',
      needed: 'n',
    });
    expect(await content.entry('POST', 'customs', { needed: 'n' })).toMatchObject({ color: '#000000' });
    refused(await content.post('customs', {}), 'needed');
    refused(await content.post('customs', { color: 'green', needed: 'too long' }), 'color', 'needed');
    refused(await content.post('customs', { color: 5, needed: {} }), 'color', 'needed');
  });
});

describeOnEveryDatabase('conditions', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(CONDITIONS);
  });

  const ALL = ['val', 'comp', 'comps', 'zone'];
  /** Makes an entry, and returns a function that updates it. */
  const updating = async (url: string, data: Json, query = ''): Promise<(change: Json) => Promise<Answer>> => {
    const { documentId } = await content.entry('POST', `${url}${query}`, data);
    return (change) => content.put(`${url}/${documentId}`, change);
  };

  it.each(['sheets', 'cards'])('that do not hold leave an attribute of %s without rules', async (url) => {
    expect((await content.post(url, HIDDEN)).status).toBe(201);
    const incomplete = { val: 'x', comp: { name: 'x' }, comps: [], zone: [{ __component: 'kit.part' }] };
    expect((await content.post(url, { ...HIDDEN, ...incomplete })).status).toBe(201);
    const update = await updating(url, HIDDEN);
    expect((await update({ ...incomplete, comps: [{ name: 'x' }] })).status).toBe(200);
  });

  it.each(['sheets', 'cards'])('that hold keep the rules of %s in force', async (url) => {
    refused(await content.post(url, { on: true, byPreset: 'x' }), ...ALL);
    refused(await content.post(url, { ...SHOWN, on: 'true', val: 'x' }), 'val');
    refused(await content.post(url, { ...SHOWN, comp: { name: 'x' } }), 'comp.name');
    expect((await content.post(url, SHOWN)).status).toBe(201);
  });

  it('judge a stored draft when it is published', async () => {
    for (const change of [{}, { on: true, val: 'x' }, { name: 'new' }]) {
      const update = await updating('sheets', { ...SHOWN, val: 'x' }, '?status=draft');
      refused(await update(change), 'val');
    }
    const update = await updating('sheets', { on: true, byPreset: 'x' }, '?status=draft');
    refused(await update({}), ...ALL);
    expect((await update({ on: false })).status).toBe(200);
  });

  it('judge a part of an entry by the rest of it, where there are no drafts', async () => {
    const update = await updating('cards', SHOWN);
    refused(await update({ val: null }), 'val');
    refused(await update({ val: 'x' }), 'val');
    refused(await update({ comp: null }), 'comp');
    refused(await update({ comps: [] }), 'comps');
    refused(await update({ comps: [{ name: 'x' }] }), 'comps.0.name');
    refused(await update({ zone: [] }), 'zone');
    expect((await update({ val: 'other', name: 'new' })).status).toBe(200);
    expect((await update({ val: null, on: false })).status).toBe(200);
    expect((await update({ val: 'x' })).status).toBe(200);
  });

  it('judge what an update brings to light', async () => {
    const update = await updating('cards', { ...HIDDEN, val: 'x' });
    refused(await update({ on: true }), ...ALL);
    expect((await update({ name: 'new' })).status).toBe(200);
    expect((await update(SHOWN)).status).toBe(200);
  });

  it('judge a component that is changed by its id by the rest of it', async () => {
    const item = { on: true, val: 'value', part: { name: 'part' } };
    const { documentId, items } = await content.entry('POST', 'cards?populate=items', {
      ...HIDDEN,
      items: [{ on: false }, item],
    });
    const [{ id: hidden }, { id }] = items;
    const update = (...changes: Json[]) => content.put(`cards/${documentId}`, { items: changes });
    refused(await update({ id: hidden }, { id, val: null }), 'items.1.val');
    refused(await update({ id: hidden, on: true }, { id, part: null }), 'items.0.val', 'items.0.part', 'items.1.part');
    refused(await update({ id: hidden, val: 'x' }, { id }, { on: true }), 'items.2.val', 'items.2.part');
    expect((await update({ id: hidden, val: 'x' }, { id, val: 'other' }, item)).status).toBe(200);
  });

  it.each(['sheets', 'cards'])('see the defaults of %s', async (url) => {
    refused(await content.post(url, { on: false }), 'byPreset');
    expect((await content.post(url, { on: false, preset: false })).status).toBe(201);
    expect((await content.post(url, { on: false, preset: null })).status).toBe(201);
  });

  it('see what an update that makes a row leaves to defaults', async () => {
    refused(await content.put('notice', {}), 'val');
    refused(
      await content.put('notice', { val: 'value', items: [{ id: 1, on: true, val: 'x' }] }),
      'items.0.val',
      'items.0.part',
    );
    expect((await content.put('notice', { on: false, items: [{ id: 1, val: 'x' }] })).status).toBe(200);
    refused(await content.put('notice', { on: true }), 'val');
  });

  it('see what a further locale takes from the others', async () => {
    const documentId = await content.make('pages', { on: true, val: 'value' });
    refused(await content.put(`pages/${documentId}?locale=fr`, {}), 'val');
    refused(await content.put(`pages/${documentId}?locale=fr`, { val: 'x' }), 'val');
    expect((await content.put(`pages/${documentId}?locale=fr`, { val: 'valeur' })).status).toBe(200);
    const other = await content.make('pages', { on: false });
    expect((await content.put(`pages/${other}?locale=fr`, {})).status).toBe(200);
  });

  it.each(['sheets', 'cards'])('decide whether values of %s must be unique', async (url) => {
    const [code, tag] = [`code of ${url}`, `tag of ${url}`];
    await content.make(url, { ...SHOWN, code, comp: { name: 'part', tag } });
    const taken = { ...SHOWN, code, comp: { name: 'part', tag } };
    expect(await content.post(url, taken)).toMatchObject({ status: 400 });
    const update = await updating(url, { ...taken, on: false });
    const shown = await update({ on: true, comp: SHOWN.comp });
    refused(shown, 'code');
    refused(await update({ on: true, code: null }), 'comp.tag');
    expect((await update({ on: true, code: null, comp: SHOWN.comp })).status).toBe(200);
  });

  it.each(Object.entries(SHOWN_AS))('compare the value of a %s as the API shows it', async (type, [given]) => {
    const detail = `${type}Detail`;
    refused(await content.post('typeds', { [type]: given }), detail);
    refused(await content.post('live-typeds', { [type]: given }), detail);
    refused(await (await updating('typeds', { [type]: given }, '?status=draft'))({}), detail);
    refused(await (await updating('live-typeds', { [type]: given, [detail]: 'x' }))({ [detail]: null }), detail);
    expect((await content.post('typeds', {})).status).toBe(201);
  });

  it('that ask for more than single values leave the rules in force', async () => {
    refused(await content.post('indirects', {}), 'val');
    const update = await updating('indirects', {}, '?status=draft');
    refused(await update({}), 'val');
    expect((await update({ val: 'x' })).status).toBe(200);
  });

  it('judge a copy of an entry', async () => {
    const { documentId } = await content.entry('POST', 'cards', SHOWN);
    const clone = (data: Json) => content.sheaf.documents('api::card.card').clone({ documentId, data });
    await expect(clone({ val: 'x' })).rejects.toThrow('val must be at least 3 characters');
    await expect(clone({ val: 'x', on: false })).resolves.toBeDefined();
  });
});

describeOnEveryDatabase('a draft', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
  });

  const SKIPPED: [Json, string[]][] = [
    [{ needed: null, neededNumber: null }, ['needed', 'neededNumber']],
    [{ long: 'a', shortRich: '' }, ['long', 'shortRich']],
    [{ low: 0, lowFloat: 0, lowBig: -6 }, ['low', 'lowFloat', 'lowBig']],
    [{ pattern: 'ABC' }, ['pattern']],
    [{ email: 'no email' }, ['email']],
    [{ email: '' }, ['email']],
    [{ uid: 'has spaces', ownUid: 'lower' }, ['uid', 'ownUid']],
    [{ one: null }, ['one']],
    [{ one: { name: 'x' } }, ['one.name']],
    [{ one: {} }, ['one.name']],
    [{ several: [{ name: 'pp' }] }, ['several']],
    [{ several: [{ name: 'p1' }, { name: 'p2' }, { name: 'p3' }, { name: 'p4' }] }, ['several']],
    [{ someRequired: [] }, ['someRequired']],
    [{ zone: [{ __component: 'kit.part' }] }, ['zone.0.name']],
  ];
  it.each(SKIPPED.map(([data, paths]): [string, Json, string[]] => [brief(data), data, paths]))(
    'may be incomplete, and is judged when it is published: %s',
    async (_, data, paths) => {
      const { documentId } = await content.entry('POST', 'sheets?status=draft', { ...COMPLETE, ...data });
      refused(await content.put(`sheets/${documentId}`, {}), ...paths);
      expect((await content.get(`sheets/${documentId}`)).status).toBe(404);
      refused(await content.post('sheets', { ...COMPLETE, ...data }), ...paths);
      const publishing = content.sheaf.documents('api::sheet.sheet').publish({ documentId });
      await expect(publishing).rejects.toMatchObject({ status: 400, name: 'ValidationError' });
      // A draft that is made complete can be published.
      expect((await content.put(`sheets/${documentId}`, { ...COMPLETE, ...cleared(data) })).status).toBe(200);
    },
  );
  /** What makes up for incomplete data: nothing in its place, where COMPLETE has nothing. */
  const cleared = (data: Json): Json =>
    Object.fromEntries(
      Object.keys(data)
        .filter((key) => !(key in COMPLETE))
        .map((key) => [key, key === 'several' || key === 'zone' ? [] : null]),
    );

  it('may lack everything', async () => {
    const { documentId, publishedAt } = await content.entry('POST', 'sheets?status=draft', {});
    expect(publishedAt).toBeNull();
    refused(
      await content.put(`sheets/${documentId}`, {}),
      'needed',
      'neededNumber',
      'neededYes',
      'neededPattern',
      'one',
      'someRequired',
    );
  });

  it.each(Object.keys(ATTRIBUTES))('may lack a required value of type %s, and is not published so', async (type) => {
    const values = Object.entries(ACCEPTED).map(([name, accepted]) => [name, accepted[0]![0]]);
    const full = { ...Object.fromEntries(values), uid: `of-${type}`, password: 'secret' };
    const { documentId } = await content.entry('POST', 'fulls', full);
    refused(await content.put(`fulls/${documentId}`, { [type]: null }), type);
    await content.entry('PUT', `fulls/${documentId}?status=draft`, { [type]: null });
    refused(await content.put(`fulls/${documentId}`, {}), type);
    const publishing = content.sheaf.documents('api::full.full').publish({ documentId });
    await expect(publishing).rejects.toMatchObject({ status: 400, name: 'ValidationError' });
  });

  it.each([
    ['enumeration', 'enumeration', 'three'],
    ['short', 'short', 'abcdef'],
    ['shortText', 'short_text', 'abcdef'],
    ['shortRich', 'short_rich', 'abcdef'],
    ['shortEmail', 'short_email', 'someone@example.com'],
    ['shortUid', 'short_uid', 'abcdef'],
    ['high', 'high', 6],
    ['highDecimal', 'high_decimal', 9.75],
    ['highBig', 'high_big', '9223372036854775807'],
  ])('is not published with a value that its definition has come to refuse: %s', async (name, column, value) => {
    const documentId = await content.make('sheets?status=draft', COMPLETE);
    await content.execute(`update sheets set ${column} = '${value}' where document_id = '${documentId}'`);
    refused(await content.put(`sheets/${documentId}`, {}), name);
    expect((await content.put(`sheets/${documentId}`, { [name]: null })).status).toBe(200);
  });

  const NOT_SKIPPED: [Json, string][] = [
    ...pairs(REFUSED)
      .filter(([type]) => !['email', 'uid'].includes(type))
      .map(([type, , value]): [Json, string] => [{ [type]: value }, type]),
    [{ email: 5 }, 'email'],
    [{ uid: 5 }, 'uid'],
    [{ string: 'a'.repeat(256) }, 'string'],
    [{ short: 'abcdef' }, 'short'],
    [{ high: 6 }, 'high'],
    [{ highDecimal: 9.51 }, 'highDecimal'],
    [{ highBig: '9223372036854775807' }, 'highBig'],
    [{ enumeration: 'three' }, 'enumeration'],
    [{ one: { name: 'a'.repeat(21) } }, 'one.name'],
    [{ one: { size: 10 } }, 'one.size'],
    [{ one: 'x' }, 'one'],
    [{ several: {} }, 'several'],
    [{ several: null }, 'several'],
    [{ several: ['x'] }, 'several.0'],
    [{ zone: {} }, 'zone'],
    [{ zone: [{}] }, 'zone.0.__component'],
  ];
  it.each(NOT_SKIPPED.map(([data, path]): [string, Json, string] => [brief(data), data, path]))(
    'still has types, choices and upper bounds: %s',
    async (_, data, path) => {
      refused(await content.post('sheets?status=draft', data), path);
    },
  );

  it('that cannot be published keeps what it had before the attempt', async () => {
    const { documentId } = await content.entry('POST', 'sheets', { ...COMPLETE, string: 'before' });
    refused(await content.put(`sheets/${documentId}`, { string: 'after', needed: null }), 'needed');
    for (const status of ['draft', 'published'])
      expect(await content.entry('GET', `sheets/${documentId}?status=${status}`)).toMatchObject({
        string: 'before',
        needed: 'n',
      });
  });
});

describeOnEveryDatabase('unique values', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
  });

  const TWICE: readonly (readonly [type: string, first: unknown, same: unknown, other: unknown])[] = [
    ['string', 'A', 'A', 'a'],
    ['text', 'long text', 'long text', 'long text '],
    ['richtext', '# A', '# A', '# a'],
    ['email', 'a@b.co', 'a@b.co', 'A@b.co'],
    ['enumeration', 'one', 'one', 'two'],
    ['boolean', true, 'true', false],
    ['uid', 'slug', 'slug', 'Slug'],
    ['integer', 5, '5', 6],
    ['biginteger', '9007199254740993', '9007199254740993', '9007199254740992'],
    ['float', 0.1, '0.1', 0.2],
    ['decimal', 1.5, '1.50', 1.51],
    ['date', '2020-01-02', '2020-01-02T10:00:00Z', '2020-01-03'],
    ['time', '10:20:30', '10:20:30.000', '10:20:30.001'],
    ['datetime', '2020-01-02T03:04:05Z', '2020-01-02T05:04:05+02:00', '2020-01-02T03:04:06Z'],
    ['timestamp', '2020-01-02T03:04:05Z', 1577934245000, '2020-01-02T03:04:06Z'],
  ];
  it.each(TWICE)('of type %s are taken once, and free again when let go', async (type, first, same, other) => {
    const { documentId } = await content.entry('POST', 'onlys', { [type]: first });
    refused(await content.post('onlys', { [type]: same }), type);
    expect((await content.put(`onlys/${documentId}`, { [type]: same })).status).toBe(200);
    const second = await content.entry('POST', 'onlys', { [type]: other });
    refused(await content.put(`onlys/${second.documentId}`, { [type]: first }), type);
    await content.delete(`onlys/${documentId}`);
    expect((await content.put(`onlys/${second.documentId}`, { [type]: first })).status).toBe(200);
  });

  it.each(TWICE)('of type %s are published once, and free again when let go', async (type, first, same, other) => {
    const documentId = await content.make('draft-onlys', { [type]: first });
    const draft = await content.make('draft-onlys?status=draft', { [type]: same });
    refused(await content.put(`draft-onlys/${draft}`, {}), type);
    expect((await content.put(`draft-onlys/${documentId}`, { [type]: other })).status).toBe(200);
    expect((await content.put(`draft-onlys/${draft}`, {})).status).toBe(200);
    for (const made of [documentId, draft]) await content.delete(`draft-onlys/${made}`);
  });

  it('do not include null and the empty text', async () => {
    for (const value of [null, null, '', ''])
      expect((await content.post('onlys', { string: value, uid: value })).status).toBe(201);
  });

  it('are not asked of drafts, but of what is published', async () => {
    const [a, b] = [
      await content.make('draft-onlys?status=draft', { string: 'same', integer: 1 }),
      await content.make('draft-onlys?status=draft', { string: 'same', integer: 1 }),
    ];
    expect((await content.put(`draft-onlys/${a}`, {})).status).toBe(200);
    refused(await content.put(`draft-onlys/${b}`, {}), 'string', 'integer');
    // A published value is taken although its draft has moved on; the draft's new one is not.
    await content.entry('PUT', `draft-onlys/${a}?status=draft`, { string: 'moved on', integer: 2 });
    refused(await content.put(`draft-onlys/${b}`, {}), 'string', 'integer');
    expect((await content.put(`draft-onlys/${b}`, { string: 'moved on', integer: 2 })).status).toBe(200);
    refused(await content.put(`draft-onlys/${a}`, {}), 'string', 'integer');
  });

  it('in components are taken once over all entries and within one', async () => {
    const made = await content.entry('POST', 'part-holders?populate=*', {
      part: { code: 'A' },
      parts: [{ code: 'B' }, { code: 'C' }],
    });
    refused(await content.post('part-holders', { part: { code: 'A' } }), 'part.code');
    refused(await content.post('part-holders', { parts: [{ code: 'D' }, { code: 'B' }] }), 'parts.1.code');
    const within = await content.post('part-holders', { parts: [{ code: 'E' }, { code: 'F' }, { code: 'E' }] });
    refused(within, 'parts.0.code', 'parts.2.code');
    expect(within.body.error).toMatchObject({
      message: '2 errors occurred',
      details: { errors: [{ message: 'This attribute must be unique' }, { message: 'This attribute must be unique' }] },
    });
    // The same values sent back with their entry are its own.
    expect((await content.put(`part-holders/${made.documentId}`, { part: made.part, parts: made.parts })).status).toBe(
      200,
    );
    expect((await content.put(`part-holders/${made.documentId}`, { part: { code: 'A' } })).status).toBe(200);
  });

  it('are told in the words of Strapi 5', async () => {
    await content.post('onlys', { uid: 'told' });
    expect((await content.post('onlys', { uid: 'told' })).body.error).toMatchObject({
      name: 'ValidationError',
      message: 'This attribute must be unique',
      details: { errors: [{ path: ['uid'], message: 'This attribute must be unique' }] },
    });
  });

  const PLACES: readonly (readonly [place: string, data: (code: string) => object, path: string])[] = [
    ['a component', (code) => ({ part: { unique: { code } } }), 'part.unique.code'],
    ['a list of components', (code) => ({ parts: [{ unique: { code } }] }), 'parts.0.unique.code'],
    ['a zone', (code) => ({ zone: [{ __component: 'kit.unique', code }] }), 'zone.0.code'],
    [
      'a component in a zone',
      (code) => ({ zone: [{ __component: 'kit.deep', unique: { code } }] }),
      'zone.0.unique.code',
    ],
    ['a component whose table has a name cut short', (code) => ({ cut: { unique: { code } } }), 'cut.unique.code'],
  ];
  it.each(PLACES)('in %s are taken once in that place, by locale', async (_place, data, path) => {
    // The same value for all places: none of them takes it from another.
    await content.entry('POST', 'place-holders?locale=en', data('same'));
    await content.entry('POST', 'place-holders?locale=fr', data('same'));
    for (const locale of ['en', 'fr'])
      refused(await content.post(`place-holders?locale=${locale}`, data('same')), path);
    expect((await content.post('place-holders?locale=en&status=draft', data('same'))).status).toBe(201);
    expect((await content.post('place-holders?locale=en', data('another'))).status).toBe(201);
  });

  it('in components that locales share are taken once, whatever the locale', async () => {
    await content.entry('POST', 'place-holders?locale=en', { shared: { code: 'shared' } });
    refused(await content.post('place-holders?locale=fr', { shared: { code: 'shared' } }), 'shared.code');
  });

  it('of a type without drafts include those of rows without a moment of publication', async () => {
    const only = await content.make('onlys', { string: 'unpublished' });
    const holder = await content.make('part-holders', { part: { code: 'unpublished' } });
    await content.execute(`update onlys set published_at = null where document_id = '${only}'`);
    await content.execute(`update part_holders set published_at = null where document_id = '${holder}'`);
    refused(await content.post('onlys', { string: 'unpublished' }), 'string');
    refused(await content.post('part-holders', { part: { code: 'unpublished' } }), 'part.code');
  });
});

describeOnEveryDatabase('defaults', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
  });
  const FILLED = {
    name: 'unnamed',
    count: 0,
    big: '12',
    ratio: 0.5,
    no: false,
    yes: true,
    kind: 'b',
    day: '2020-02-29',
    free: { a: [1, null] },
    neededName: 'given',
  };

  it.each(['presets', 'draft-presets?status=draft', 'draft-presets'])(
    'fill what a new entry leaves out: %s',
    async (url) => {
      expect(await content.entry('POST', url, {})).toMatchObject(FILLED);
    },
  );

  it('do not take the place of null or of anything else that is said', async () => {
    const said = { name: null, count: 7, big: null, ratio: 0, no: true, yes: null, kind: null, day: null, free: null };
    expect(await content.entry('POST', 'presets', said)).toMatchObject(said);
    refused(await content.post('presets', { neededName: null }), 'neededName');
  });

  it('have no part in an update', async () => {
    const { documentId } = await content.entry('POST', 'presets', { name: null, yes: null, count: 3 });
    expect(await content.entry('PUT', `presets/${documentId}`, { ratio: 2 })).toMatchObject({
      name: null,
      yes: null,
      count: 3,
      ratio: 2,
    });
  });

  it('fill new components, also in an update, and leave those that are there alone', async () => {
    const made = await content.entry('POST', 'presets?populate=*', { part: {} });
    expect(made.part).toMatchObject({ label: 'label', yes: true });
    const url = `presets/${made.documentId}?populate=*`;
    expect((await content.entry('PUT', url, { part: { label: null } })).part).toMatchObject({ label: null, yes: true });
    const kept = await content.entry('PUT', url, { part: { yes: false } });
    expect(kept.part).toMatchObject({ label: 'label', yes: false });
    expect((await content.entry('PUT', url, { part: { id: kept.part.id, label: 'x' } })).part).toMatchObject({
      label: 'x',
      yes: false,
    });
  });
});

describeOnEveryDatabase('a password', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
  });
  const stored = async (documentId: string, column: string): Promise<string[]> =>
    (await content.rows(`select ${column} from vaults where document_id = '${documentId}' order by id`)).flat();

  it('is hashed once: it matches the draft and the published row, which hold the same hash', async () => {
    const { documentId } = await atFullCost(() =>
      content.entry('POST', 'vaults', { key: 'correct horse', neededKey: 'abcd' }),
    );
    const hashes = await stored(documentId, 'key');
    expect(hashes).toHaveLength(2);
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).toMatch(/^\$2[aby]\$10\$.{53}$/);
    expect(await bcrypt.compare('correct horse', hashes[0]!)).toBe(true);
    await content.entry('PUT', `vaults/${documentId}`, { name: 'again' });
    expect(await stored(documentId, 'key')).toEqual(hashes);
  });

  it('that is a default is hashed as well, of a row that turns out to be new', async () => {
    await content.entry('PUT', 'lock', { name: 'a' });
    const [[hash]] = (await content.rows('select key from locks')) as [[string]];
    expect(hash).toMatch(/^\$2[aby]\$/);
    expect(await bcrypt.compare('from the start', hash)).toBe(true);
  });

  it('in a draft matches only there until it is published', async () => {
    const { documentId } = await content.entry('POST', 'vaults', { key: 'old', neededKey: 'abcd' });
    await content.entry('PUT', `vaults/${documentId}?status=draft`, { key: 'new' });
    const matching = async (password: string) => {
      const hashes = await stored(documentId, 'key');
      return Promise.all(hashes.map((hash) => bcrypt.compare(password, hash)));
    };
    expect(await matching('new')).toEqual([true, false]);
    expect(await matching('old')).toEqual([false, true]);
    await content.entry('PUT', `vaults/${documentId}`, {});
    expect(await matching('new')).toEqual([true, true]);
  });

  it('is hashed at the cost that its attribute asks for', async () => {
    const { documentId } = await atFullCost(() => content.entry('POST', 'vaults', { costly: 'x', neededKey: 'abcd' }));
    for (const hash of await stored(documentId, 'costly')) expect(hash).toMatch(/^\$2[aby]\$05\$/);
  });

  it('may be null or empty, and is never shown, selected, filtered or sorted by', async () => {
    const made = await content.entry('POST', 'vaults', { key: '', costly: null, neededKey: 'abcd' });
    const [hash] = await stored(made.documentId, 'key');
    expect(await bcrypt.compare('', hash!)).toBe(true);
    expect((await stored(made.documentId, 'costly'))[0]).toBeNull();
    for (const key of ['key', 'costly', 'neededKey']) expect(made).not.toHaveProperty(key);
    for (const query of ['fields=key', 'sort=key', 'filters[key][$notNull]=true', 'populate=key'])
      expect((await content.get(`vaults?${query}`)).status).toBe(400);
  });

  it('is judged as it was sent, in drafts too', async () => {
    for (const query of ['', '?status=draft'])
      for (const neededKey of ['abc', 'ABCD', 5])
        refused(await content.post(`vaults${query}`, { neededKey }), 'neededKey');
    refused(await content.post('vaults', {}), 'neededKey');
    refused(await content.post('vaults', { neededKey: null }), 'neededKey');
    const { documentId } = await content.entry('POST', 'vaults?status=draft', {});
    refused(await content.put(`vaults/${documentId}`, {}), 'neededKey');
    expect((await content.put(`vaults/${documentId}`, { neededKey: 'abcd' })).status).toBe(200);
  });

  it('is taken up to the length that its hash depends on, and no further', async () => {
    const longest = 'é'.repeat(36);
    const { documentId } = await content.entry('POST', 'vaults', { key: longest, neededKey: 'abcd' });
    for (const hash of await stored(documentId, 'key')) expect(await bcrypt.compare(longest, hash)).toBe(true);
    refused(await content.post('vaults', { key: `${longest}x`, neededKey: 'abcd' }), 'key');
  });
});

describeOnEveryDatabase('a body', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
  });

  /** Lists in one another, so deep, around one number. */
  const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

  async function tooMuch(answer: Promise<Answer>, limit: string, allowed: number): Promise<void> {
    const { status, body } = await answer;
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { data: null, error: { name: 'ValidationError', details: { limit, allowed, source: 'body' } } },
    });
    expect(body.error.message).toContain(limit);
  }

  it(`has at most ${MAX_BODY_DEPTH} levels of objects and lists, of which data is the first`, async () => {
    const send = (depth: number) => content.send('POST', 'boxs', `{"data":{"free":${nested(depth - 1)}}}`);
    expect((await send(MAX_BODY_DEPTH)).status).toBe(201);
    await tooMuch(send(MAX_BODY_DEPTH + 1), 'MAX_BODY_DEPTH', MAX_BODY_DEPTH);
    await tooMuch(send(100_000), 'MAX_BODY_DEPTH', MAX_BODY_DEPTH);
  });

  it('has the same depth in process', async () => {
    const boxes = content.sheaf.documents('api::box.box');
    const free = (depth: number) => JSON.parse(nested(depth - 1)) as unknown;
    await expect(boxes.create({ data: { free: free(MAX_BODY_DEPTH) } })).resolves.toBeDefined();
    await expect(boxes.create({ data: { free: free(MAX_BODY_DEPTH + 1) } })).rejects.toMatchObject({
      details: { limit: 'MAX_BODY_DEPTH' },
    });
  });

  it(`has at most ${MAX_REFERENCES} references, over all its relations`, async () => {
    const { documentId } = await content.entry('POST', 'boxs', {});
    const many = (count: number) => Array.from({ length: count }, () => documentId);
    const url = `boxs/${documentId}`;
    expect((await content.put(url, { left: many(MAX_REFERENCES) })).status).toBe(200);
    expect((await content.put(url, { left: { set: many(MAX_REFERENCES) } })).status).toBe(200);
    await tooMuch(content.put(url, { left: many(MAX_REFERENCES + 1) }), 'MAX_REFERENCES', MAX_REFERENCES);
    await tooMuch(content.put(url, { left: { set: many(MAX_REFERENCES + 1) } }), 'MAX_REFERENCES', MAX_REFERENCES);
    await tooMuch(
      content.put(url, { left: { disconnect: many(MAX_REFERENCES), connect: many(1) } }),
      'MAX_REFERENCES',
      MAX_REFERENCES,
    );
    await tooMuch(content.put(url, { left: many(MAX_REFERENCES), right: many(1) }), 'MAX_REFERENCES', MAX_REFERENCES);
    await tooMuch(
      content.post('boxs', { left: many(1), right: { connect: many(MAX_REFERENCES) } }),
      'MAX_REFERENCES',
      MAX_REFERENCES,
    );
  });

  it(`connects ${MAX_REFERENCES} entries at once, each with a position`, async () => {
    const texts = Array.from({ length: MAX_REFERENCES }, (_, index) => `n${index}`);
    const rows = texts.map((text) => `('${text}', '${text}', current_timestamp)`);
    await content.execute(`insert into boxs (document_id, name, published_at) values ${rows.join(', ')}`);
    const connect = texts.map((documentId) => ({ documentId, position: { start: true } }));
    const { documentId } = await content.entry('POST', 'boxs', { left: { connect } });
    const { left } = await content.entry('GET', `boxs/${documentId}?populate[left][fields]=name`);
    expect(left.map(({ name }: { name: string }) => name)).toEqual(texts.toReversed());
  });

  it(`has at most ${MAX_COMPONENTS} components, those inside others included`, async () => {
    const parts = (count: number) => Array.from({ length: count }, () => ({ __component: 'kit.part', name: 'part' }));
    const inside = (count: number) => ({ parts: Array.from({ length: count }, () => ({ name: 'part' })) });
    const made = await content.entry('POST', 'boxs?populate[zone][count]=true', { zone: parts(MAX_COMPONENTS) });
    expect(made.zone).toEqual({ count: MAX_COMPONENTS });
    await tooMuch(content.post('boxs', { zone: parts(MAX_COMPONENTS + 1) }), 'MAX_COMPONENTS', MAX_COMPONENTS);
    await tooMuch(content.post('boxs', { zone: parts(MAX_COMPONENTS), parts: [{}] }), 'MAX_COMPONENTS', MAX_COMPONENTS);
    expect((await content.post('boxs', { parts: [inside(MAX_COMPONENTS - 1)] })).status).toBe(201);
    await tooMuch(content.post('boxs', { parts: [inside(MAX_COMPONENTS)] }), 'MAX_COMPONENTS', MAX_COMPONENTS);
  });

  it(`has at most ${MAX_BODY_BYTES} bytes`, async () => {
    const frame = '{"data":{"name":""}}';
    const send = (bytes: number) =>
      content.send('POST', 'boxs', frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`));
    const most = await send(MAX_BODY_BYTES);
    expect(most.status).toBe(201);
    expect(most.body.data.name).toHaveLength(MAX_BODY_BYTES - frame.length);
    expect(await send(MAX_BODY_BYTES + 1)).toMatchObject({
      status: 413,
      body: { data: null, error: { status: 413, name: 'PayloadTooLargeError', details: {} } },
    });
  });

  it('past a limit is refused before any statement is sent', async () => {
    const other = await contents.open(PROJECT);
    const statements = recordStatements(other.sheaf);
    const references = Array.from({ length: MAX_REFERENCES + 1 }, () => 'x');
    const components = Array.from({ length: MAX_COMPONENTS + 1 }, () => ({ __component: 'kit.part', name: 'part' }));
    for (const data of [{ free: JSON.parse(nested(MAX_BODY_DEPTH)) }, { left: references }, { zone: components }])
      expect((await other.post('boxs', data)).status).toBe(400);
    expect(statements).toEqual([]);
  });

  it.each([
    ['no body', undefined],
    ['an empty object', '{}'],
    ['broken JSON', '{"data":'],
    ['data that is null', '{"data":null}'],
    ['data that is a list', '{"data":[]}'],
    ['a list', '[]'],
    ['a string', '"data"'],
  ])('that holds no data is refused in the envelope: %s', async (_, body) => {
    for (const [method, url] of [
      ['POST', 'boxs'],
      ['PUT', 'boxs/x'],
    ] as const) {
      const answer = await content.send(method, url, body);
      expect(answer).toMatchObject({ status: 400, body: { data: null, error: { status: 400 } } });
      expect(answer.body.error.message).not.toContain('"data":');
    }
  });
});

describe('the tables of this file', () => {
  it('name every type of attribute', () => {
    expect(Object.keys(REFUSED).sort()).toEqual(Object.keys(ATTRIBUTES).sort());
    expect([...Object.keys(ACCEPTED), 'password'].sort()).toEqual(Object.keys(ATTRIBUTES).sort());
  });
});
