// Relations in a body: the forms that a reference and a position have, what each means, and what is refused where.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalOf, sentRefusal } from '../../test/support/refusal.ts';
import { SheafError } from '../errors.ts';
import { MAX_REFERENCES } from '../limits.ts';
import { type PositionInput, parseRelation, type Reference } from './parse-relation.ts';

const PATH = ['tags'];
const parsed = (value: unknown, attributes: readonly string[] = []) =>
  parseRelation(value, PATH, {
    most: MAX_REFERENCES,
    digitsAreRows: false,
    isTargetKey: (key) => attributes.includes(key),
  });
const reference = (given: Partial<Reference>): Reference => ({
  documentId: null,
  id: null,
  locale: null,
  status: null,
  type: null,
  path: expect.anything(),
  ...given,
});
const A = reference({ documentId: 'a' });
const B = reference({ documentId: 'b' });

describe('a relation is set', () => {
  it.each<[string, unknown, Reference[]]>([
    ['a documentId', 'a', [A]],
    ['the id of a row', 7, [reference({ id: 7 })]],
    ['a list', ['a', 7], [A, reference({ id: 7 })]],
    ['an empty list', [], []],
    ['null', null, []],
    [
      'an object',
      { documentId: 'a', locale: 'fr', status: 'draft' },
      [reference({ documentId: 'a', locale: 'fr', status: 'draft' })],
    ],
    ['an object with an id', { id: '7' }, [reference({ id: 7 })]],
    ['an object with both, of which the document counts', { documentId: 'a', id: 7 }, [A]],
    ['an object with nulls', { documentId: 'a', locale: null, status: null, __type: null }, [A]],
    ['an object with its type', { id: 7, __type: 'api::x.x' }, [reference({ id: 7, type: 'api::x.x' })]],
  ])('by %s', (_how, value, references) => {
    expect(parsed(value)).toEqual({ mode: 'set', references });
  });

  it('by the word', () => {
    expect(parsed({ set: ['a'] })).toEqual({ mode: 'set', references: [A] });
    expect(parsed({ set: 'a', options: { strict: false } })).toMatchObject({ mode: 'set', references: [A] });
    expect(parsed({ set: [] })).toMatchObject({ mode: 'set', references: [] });
  });
});

describe('a relation is kept', () => {
  it.each([{}, { set: null }, { set: undefined }, { connect: [] }, { connect: null, disconnect: [] }, { options: {} }])(
    'where nothing is asked of it: %j',
    (value) => {
      expect(parsed(value)).toEqual({ mode: 'keep' });
    },
  );
});

describe('a relation is changed', () => {
  it('by what is connected, at the end where no position is given, and disconnected', () => {
    expect(parsed({ connect: ['a', { id: 7 }], disconnect: 'b' })).toEqual({
      mode: 'change',
      connect: [
        { reference: A, position: { at: 'end' } },
        { reference: reference({ id: 7 }), position: { at: 'end' } },
      ],
      disconnect: [B],
      strict: true,
    });
  });

  it('strictly, unless it says otherwise', () => {
    const strictness = (options: unknown) => parsed({ connect: ['a'], options });
    expect(strictness({ strict: false })).toMatchObject({ strict: false });
    expect(strictness({ strict: true })).toMatchObject({ strict: true });
    expect(strictness({})).toMatchObject({ strict: true });
  });
});

describe('a reference knows its place, which has a number in a list alone:', () => {
  it.each<[unknown, string[]]>([
    ['a', ['tags']],
    [7, ['tags']],
    [{ id: 7 }, ['tags']],
    [
      ['a', { id: 7 }],
      ['tags.0', 'tags.1'],
    ],
    [{ set: 'a' }, ['tags.set']],
    [{ set: [7, 'a'] }, ['tags.set.0', 'tags.set.1']],
    [{ connect: 'a', disconnect: { id: 7 } }, ['tags.connect', 'tags.disconnect']],
    [{ connect: ['a', 'b'], disconnect: [7] }, ['tags.connect.0', 'tags.connect.1', 'tags.disconnect.0']],
    [{ connect: { id: 7, position: { before: 'a' } } }, ['tags.connect', 'tags.connect.position']],
    [{ connect: [{ id: 7, position: { before: { id: 1 } } }] }, ['tags.connect.0', 'tags.connect.0.position']],
  ])('%j', (value, paths) => {
    const input = parsed(value);
    const anchors = (position: PositionInput) => ('anchor' in position ? [position.anchor] : []);
    const references =
      input.mode === 'set'
        ? input.references
        : input.mode === 'change'
          ? [...input.connect.flatMap((one) => [one.reference, ...anchors(one.position)]), ...input.disconnect]
          : [];
    expect(references.map(({ path }) => path.join('.'))).toEqual(paths);
  });
});

describe('a position', () => {
  const positioned = (position: unknown, target: object = { documentId: 'a' }) => {
    const input = parsed({ connect: [{ ...target, position }] });
    return input.mode === 'change' && input.connect[0]!.position;
  };

  it.each([
    [{ start: true }, { at: 'start' }],
    [{ end: true }, { at: 'end' }],
    [{ before: 'b' }, { at: 'before', anchor: B }],
    [{ after: 7 }, { at: 'after', anchor: reference({ id: 7 }) }],
    [
      { after: { documentId: 'b', locale: 'fr' } },
      { at: 'after', anchor: reference({ documentId: 'b', locale: 'fr' }) },
    ],
    [
      { before: 'b', locale: 'fr', status: 'draft' },
      { at: 'before', anchor: reference({ documentId: 'b', locale: 'fr', status: 'draft' }) },
    ],
  ])('is read: %j', (position, expected) => {
    expect(positioned(position)).toEqual(expected);
  });

  it('means the version of what it places, unless it names a row or another version', () => {
    const target = { documentId: 'a', locale: 'fr', status: 'draft' };
    const anchorOf = (position: unknown) => {
      const found = positioned(position, target);
      return found && 'anchor' in found && found.anchor;
    };
    expect(anchorOf({ before: 'b' })).toEqual(reference({ documentId: 'b', locale: 'fr', status: 'draft' }));
    expect(anchorOf({ before: 7 })).toEqual(reference({ id: 7 }));
    expect(anchorOf({ before: { documentId: 'b', locale: 'de' } })).toEqual(
      reference({ documentId: 'b', locale: 'de', status: 'draft' }),
    );
    expect(anchorOf({ before: { documentId: 'b', locale: 'de' }, locale: 'it', status: 'published' })).toEqual(
      reference({ documentId: 'b', locale: 'it', status: 'published' }),
    );
  });

  it('takes its type from what it places', () => {
    const target = { documentId: 'a', __type: 'api::x.x' };
    expect(positioned({ before: 7 }, target)).toMatchObject({ anchor: { id: 7, type: 'api::x.x' } });
    expect(positioned({ before: { id: 7, __type: 'api::y.y' } }, target)).toMatchObject({
      anchor: { type: 'api::y.y' },
    });
  });

  it.each([
    [null],
    ['start'],
    [{}],
    [{ start: false }],
    [{ start: 'true' }],
    [{ before: 'b', after: 'c' }],
    [{ start: true, end: true }],
    [{ start: true, locale: 'fr' }],
    [{ between: 'b' }],
  ])('is refused, at its place: %j', (position) => {
    expect(sentRefusal(() => positioned(position))).toMatchObject({
      status: 400,
      message: expect.stringContaining('exactly one of before, after'),
      details: { path: 'tags.connect.0.position', source: 'body' },
    });
  });
});

describe('a relation is refused', () => {
  it.each<[string, unknown, string]>([
    ['a flag', true, 'tags'],
    ['an empty documentId', '', 'tags'],
    ['a fraction', 1.5, 'tags'],
    ['a list in a list', [['a']], 'tags.0'],
    ['a wrong item', ['a', false], 'tags.1'],
    ['an object without an id', { locale: 'fr' }, 'tags'],
    ['an id that is no number', { id: 'seven' }, 'tags'],
    ['an id below zero in a string', { id: '-1' }, 'tags'],
    ['an id in a list', { id: [7] }, 'tags'],
    ['an id that cannot be made a string', { id: { toString: 1, valueOf: 1 } }, 'tags'],
    ['a documentId that is a number', { documentId: 5 }, 'tags.documentId'],
    ['an empty locale', { documentId: 'a', locale: '' }, 'tags.locale'],
    ['an unknown status', { documentId: 'a', status: 'done' }, 'tags.status'],
    ['a type that is no string', { id: 1, __type: 5 }, 'tags.__type'],
    ['a wrong item of set', { set: ['a', {}] }, 'tags.set.1'],
    ['a wrong item of connect', { connect: ['a', null] }, 'tags.connect.1'],
    ['a wrong item of disconnect', { disconnect: [true] }, 'tags.disconnect.0'],
    ['set beside connect', { set: [], connect: ['a'] }, 'tags.connect'],
    ['set beside disconnect', { set: null, disconnect: ['a'] }, 'tags.disconnect'],
    ['options that are no object', { connect: ['a'], options: true }, 'tags.options'],
    ['a strictness that is no yes or no', { connect: ['a'], options: { strict: 'no' } }, 'tags.options.strict'],
  ])('with the place of %s', (_what, value, path) => {
    expect(sentRefusal(() => parsed(value)).details).toMatchObject({ path, source: 'body' });
  });

  it.each([
    ['beside the operations', { connect: ['a'], add: ['b'] }, 'add', 'tags'],
    ['of a reference', { connect: [{ documentId: 'a', order: 1 }] }, 'order', 'tags.connect.0'],
    ['of a reference by itself', { documentId: 'a', name: 'x' }, 'name', 'tags'],
    ['of an option', { connect: ['a'], options: { loose: true } }, 'loose', 'tags.options'],
    [
      'of a position in disconnect',
      { disconnect: [{ documentId: 'a', position: { end: true } }] },
      'position',
      'tags.disconnect.0',
    ],
  ])('for an unknown key %s', (_where, value, key, path) => {
    expect(sentRefusal(() => parsed(value)).details).toEqual({ key, path, source: 'body' });
  });

  it('past the number of references that a write may hold', () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => index);
    expect(parsed(ids(MAX_REFERENCES))).toMatchObject({ mode: 'set' });
    expect(refusalOf(() => parsed(ids(MAX_REFERENCES + 1))).details).toMatchObject({
      limit: 'MAX_REFERENCES',
      path: 'tags',
    });
    const split = { connect: ids(MAX_REFERENCES), disconnect: ['a'] };
    expect(refusalOf(() => parsed(split)).details).toMatchObject({ limit: 'MAX_REFERENCES' });
  });

  it.each(['connect', 'set', 'options', 'status', 'position'])(
    'but for a key %s that the entry itself has, where a whole entry is sent',
    (key) => {
      const whole = { documentId: 'a', [key]: 3 };
      expect(() => parsed(whole)).toThrow();
      expect(parsed(whole, [key])).toMatchObject({ references: [A] });
      expect(parsed([whole], [key])).toMatchObject({ references: [A] });
      expect(parsed({ connect: [whole] }, [key])).toMatchObject({
        connect: [{ reference: A, position: { at: 'end' } }],
      });
    },
  );

  it('or read, whatever it is, and never with anything but a 400', () => {
    const keys = fc.constantFrom(
      'connect',
      'disconnect',
      'set',
      'options',
      'documentId',
      'id',
      'position',
      'before',
      'start',
      'locale',
      '__type',
    );
    const { values } = fc.letrec<{ values: unknown }>((tie) => ({
      values: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>('a', '', 7, -1, 1.5, true, null, undefined),
        fc.array(tie('values'), { maxLength: 3 }),
        fc.dictionary(keys, tie('values'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(values, (value) => {
        try {
          expect(parsed(value).mode).toMatch(/^(keep|set|change)$/);
        } catch (error) {
          expect(error).toBeInstanceOf(SheafError);
          expect((error as SheafError).status).toBe(400);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
