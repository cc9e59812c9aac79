// Bodies against the model: which names may be written, which problems are told and in which order, what a new row
// gets besides, and what a plan refers to.
import { describe, expect, it } from 'vitest';
import { localized, modelOf, relation } from '../../../test/support/project.ts';
import { refusalOf, sentRefusal } from '../../../test/support/refusal.ts';
import { userWith } from '../../../test/support/rules.ts';
import { authorize } from '../../access/authorize.ts';
import { type Caller, systemCaller } from '../../access/caller.ts';
import type { WriteName, WriteOperation } from '../../access/operation.ts';
import { MAX_COMPONENTS, MAX_REFERENCES } from '../../limits.ts';
import { USER } from '../../model/builtin.ts';
import { parseWrite } from '../../request/parse-write.ts';
import type { EntityChange } from './changes.ts';
import { forNewRow } from './new-row.ts';
import { type DecimalColumns, mapPasswords, planWrite } from './plan-write.ts';
import { hasPasswords } from './planned-passwords.ts';

const model = modelOf({
  types: {
    page: {
      attributes: {
        title: { type: 'string', required: true, minLength: 2 },
        rank: { type: 'integer', default: 7, max: 10 },
        price: { type: 'decimal' },
        kind: { type: 'enumeration', enum: ['a', 'b'] },
        code: { type: 'password', minLength: 4 },
        secret: { type: 'string', private: true },
        writer: relation('manyToOne', 'writer'),
        writers: relation('manyToMany', 'writer'),
        vault: relation('manyToOne', 'vault'),
        cover: { type: 'media', multiple: true },
        any: { type: 'relation', relation: 'morphToMany' },
        one: { type: 'relation', relation: 'morphToOne' },
        seal: { type: 'component', component: 'kit.seal' },
        seals: { type: 'component', component: 'kit.seal', repeatable: true, min: 2, max: 3 },
        zone: { type: 'dynamiczone', components: ['kit.seal', 'kit.note'], max: 2 },
        needed: { type: 'string', required: true, conditions: { visible: { '==': [{ var: 'kind' }, 'a'] } } },
      },
    },
    draft: {
      drafts: true,
      attributes: {
        title: { type: 'string', required: true },
        rank: { type: 'integer', max: 10 },
        code: { type: 'password', minLength: 4 },
      },
    },
    word: {
      localized: true,
      attributes: {
        label: { type: 'string', required: true, ...localized },
        color: { type: 'string', required: true },
        size: { type: 'integer', default: 1 },
        grade: { type: 'integer', default: 2, ...localized },
        seal: { type: 'component', component: 'kit.seal', ...localized },
        writer: relation('manyToOne', 'writer'),
      },
    },
    front: {
      single: true,
      attributes: { title: { type: 'string', required: true }, rank: { type: 'integer', default: 1 } },
    },
    writer: {
      attributes: { name: { type: 'string' }, diary: { type: 'text', private: true }, pin: { type: 'password' } },
    },
    vault: { attributes: { name: { type: 'string' } } },
  },
  components: {
    'kit.seal': {
      name: { type: 'string', required: true },
      year: { type: 'integer', default: 2000 },
      code: { type: 'password' },
      writer: relation('oneToOne', 'writer'),
      notes: { type: 'component', component: 'kit.note', repeatable: true },
    },
    'kit.note': { text: { type: 'string', required: true }, vault: relation('oneToOne', 'vault') },
  },
});
const system = systemCaller(model);

interface Options {
  readonly name?: WriteName;
  readonly type?: string;
  readonly caller?: Caller;
  readonly parameters?: object;
  readonly supplied?: Record<string, unknown>;
  readonly decimals?: DecimalColumns;
}

function plan(
  data: Record<string, unknown>,
  { name = 'update', type = 'page', caller = system, parameters = {}, supplied, decimals = new Map() }: Options = {},
) {
  const operation: WriteOperation = {
    name,
    type: model.contentTypes.get(type.includes('::') ? type : `api::${type}.${type}`)!,
    documentId: name === 'create' || type === 'front' ? null : 'document',
    data,
    ...(supplied && { supplied }),
    parameters,
    defaultStatus: 'published',
  };
  return planWrite({ model, decimals }, authorize(operation, caller), parseWrite(operation, 'en', true));
}

const valuesOf = ({ scalars }: Pick<EntityChange, 'scalars'>): Record<string, unknown> =>
  Object.fromEntries(scalars.map(({ attribute, value }) => [attribute.name, value]));

/** The problems of a body as `path: message`. */
function problems(data: Record<string, unknown>, options: Options = {}): string[] {
  const { errors } = refusalOf(() => plan(data, options)).details as { errors: { path: string[]; message: string }[] };
  return errors.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('a name', () => {
  const writable = [...model.contentTypes.get('api::page.page')!.attributes.keys()].filter((name) => name !== 'secret');
  const editor = userWith(model, {
    grants: ['api::page.page', 'api::writer.writer.find'],
    rules: { 'api::page.page': { fields: { write: writable } } },
  });

  it('that may not be written is refused like one that does not exist', () => {
    const told = (name: string) => {
      const { message, details, ...rest } = sentRefusal(() => plan({ [name]: null }, { caller: editor }));
      expect(details).toHaveProperty('key', name);
      return { ...rest, message: message.replace(`key ${name}`, 'key …'), details: { ...details, key: '…' } };
    };
    const unknown = told('nosuch');
    const refused = ['id', 'documentId', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'localizations'];
    for (const name of [...refused, 'secret', 'vault', 'constructor', '__component'])
      expect(told(name), name).toEqual(unknown);
  });

  it('that clients send back as they read it is ignored, and told', () => {
    const body = { publishedAt: 'x', locale: 'fr', title: 'ab', seal: { documentId: 'x', name: 'y' } };
    for (const type of ['page', 'word'] as const) {
      const { seal, title, ...both } = body;
      const { change, ignored } = plan(type === 'page' ? body : { ...both, label: 'ab' }, { type });
      expect(Object.keys(valuesOf(change))).toEqual([type === 'page' ? 'title' : 'label']);
      expect(ignored).toEqual(['publishedAt', 'locale', ...(type === 'page' ? ['seal.documentId'] : [])]);
    }
    expect(plan({ title: 'ab' }).ignored).toEqual([]);
    expect(sentRefusal(() => plan({ seal: { name: 'y', locale: 'fr' } })).message).toBe('Invalid key locale at seal');
  });

  it('of an entry that a reference is the whole of is ignored where the caller may read it', () => {
    const whole = { documentId: 'w', id: 3, name: 'Ann', createdAt: 'x', updatedBy: null, localizations: [] };
    expect(plan({ writers: [whole], writer: whole }).references).toEqual(
      plan({ writers: ['w'], writer: 'w' }).references,
    );
    for (const key of ['nosuch', 'diary', 'pin'])
      expect(sentRefusal(() => plan({ writers: { connect: [{ ...whole, [key]: 'x' }] } }))).toMatchObject({
        status: 400,
        message: `Invalid key ${key} at writers.connect.0`,
        details: { key, path: 'writers.connect.0', source: 'body' },
      });
  });

  it('that is private may be written, by who has the right', () => {
    expect(valuesOf(plan({ secret: 'x' }).change)).toEqual({ secret: 'x' });
  });

  it('in a component is refused with its place, as is a target that the caller may not find', () => {
    expect(sentRefusal(() => plan({ zone: [{ __component: 'kit.note', nosuch: 1 }] })).details).toEqual({
      key: 'nosuch',
      path: 'zone.0',
      source: 'body',
    });
    expect(sentRefusal(() => plan({ seal: { notes: [{ vault: null }] } }, { caller: editor })).details).toEqual({
      key: 'vault',
      path: 'seal.notes.0',
      source: 'body',
    });
  });

  it('that is wrong is told before any value', () => {
    expect(sentRefusal(() => plan({ rank: 'many', nosuch: 1 })).message).toBe('Invalid key nosuch');
  });

  it('that the server adds needs no right', () => {
    expect(valuesOf(plan({ rank: 1 }, { caller: editor, supplied: { secret: 'x' } }).change)).toEqual({
      secret: 'x',
      rank: 1,
    });
  });

  it('role of a user may be written though nobody sees roles; in no other place', () => {
    const caller = userWith(model, { grants: [USER] });
    expect(plan({ role: 1 }, { type: USER, caller }).references).toEqual([
      { target: 'plugin::users-permissions.role', documentIds: [], rowIds: [1] },
    ]);
  });
});

describe('problems', () => {
  it('are told all at once: in an update in the order of the body', () => {
    expect(problems({ kind: 'c', title: 'x', rank: 11 })).toEqual([
      'kind: kind must be one of the following values: a, b',
      'title: title must be at least 2 characters',
      'rank: rank must be less than or equal to 10',
    ]);
  });

  it('are told in a create in the order of the definition, with what is missing', () => {
    expect(problems({ kind: 'c', rank: 11 }, { name: 'create' })).toEqual([
      'title: title must be defined.',
      'rank: rank must be less than or equal to 10',
      'kind: kind must be one of the following values: a, b',
    ]);
  });

  it('inside components are told with their path', () => {
    const seals = [{ name: 'a' }, { name: 1, notes: [{ text: 'a' }, {}] }];
    expect(problems({ seals, zone: [{ __component: 'kit.nosuch' }, 'x'] })).toEqual([
      'seals.1.name: seals[1].name must be a `string` type.',
      'seals.1.notes.1.text: seals[1].notes[1].text must be defined.',
      'zone.0.__component: zone[0].__component must be one of the following values: kit.seal, kit.note',
      'zone.1: zone[1] must be a `object` type.',
    ]);
  });

  it('are counted in the message where there are several; one is told itself', () => {
    expect(refusalOf(() => plan({ rank: 11 })).message).toBe('rank must be less than or equal to 10');
    expect(refusalOf(() => plan({ rank: 11, kind: 'c' })).message).toBe('2 errors occurred');
  });

  it.each([
    ['a list for one component', { seal: [] }, 'seal must be a `object` type.'],
    ['one component for a list', { seals: {} }, 'seals must be a `array` type.'],
    ['too few items', { seals: [{ name: 'a' }] }, 'seals field must have at least 2 items'],
    [
      'too many items',
      { zone: Array(3).fill({ __component: 'kit.note', text: 'a' }) },
      'zone field must have less than or equal to 2 items',
    ],
    ['null for a list', { seals: null }, 'seals must be a `array` type, but the final value was: `null`.'],
    ['null in a list', { zone: [null] }, 'zone[0] must be a `object` type, but the final value was: `null`.'],
    ['an item of no kind', { zone: [{ text: 'a' }] }, 'zone[0].__component is a required field'],
    ['an id that is none', { seal: { id: 'x' } }, 'seal.id must be the id of a component'],
    ['an id below zero', { seal: { id: -1 } }, 'seal.id must be the id of a component'],
    ['an id in a list', { seal: { id: [5] } }, 'seal.id must be the id of a component'],
    ['an id that is no value', { seal: { id: { toString: 1 } } }, 'seal.id must be the id of a component'],
  ])('have words for %s', (_why, data, message) => {
    expect(refusalOf(() => plan(data)).message).toBe(message);
  });

  it('are none for an empty list that is not required, though it has a minimum', () => {
    expect(plan({ seals: [] }).change.components).toMatchObject([{ items: [] }]);
  });
});

describe('a draft', () => {
  it('may lack what is required, but is held to types and upper bounds', () => {
    const options: Options = { type: 'draft', name: 'create', parameters: { status: 'draft' } };
    expect(valuesOf(plan({}, options).change)).toEqual({});
    expect(problems({ title: 1, rank: 11 }, options)).toHaveLength(2);
  });

  it('that is updated is judged when it is published, also where the update publishes', () => {
    expect(valuesOf(plan({ title: null }, { type: 'draft' }).change)).toEqual({ title: null });
    expect(problems({}, { type: 'draft', name: 'create' })).toEqual([
      'title: title must be a `string` type, but the final value was: `null`.',
    ]);
  });
});

describe('what a form does not show', () => {
  it('is not asked for', () => {
    expect(valuesOf(plan({ title: 'ab', kind: 'b' }, { name: 'create' }).change)).not.toHaveProperty('needed');
    expect(problems({ title: 'ab', kind: 'a' }, { name: 'create' })).toEqual(['needed: needed must be defined.']);
  });
});

describe('a row that is new for sure', () => {
  it('takes defaults, those of its components too', () => {
    const { change } = plan({ title: 'ab', seal: { name: 'x' } }, { name: 'create' });
    expect(valuesOf(change)).toEqual({ title: 'ab', rank: 7 });
    expect(valuesOf(change.components[0]!.items[0]!.entity)).toEqual({ name: 'x', year: 2000 });
    expect(change.absent).toBeNull();
  });

  it('has no components yet, so their ids are not looked at', () => {
    expect(
      plan({ title: 'ab', seal: { id: 5, name: 'x' } }, { name: 'create' }).change.components[0]!.items[0]!.id,
    ).toBeNull();
  });

  it('takes null for what it is, not for what is left out', () => {
    expect(valuesOf(plan({ title: 'ab', rank: null }, { name: 'create' }).change)).toEqual({ title: 'ab', rank: null });
  });
});

describe('a row that is there for sure', () => {
  it('is changed in what is named and in nothing else', () => {
    const { change } = plan({ kind: 'a', seal: { id: '5', year: 1 } });
    expect(valuesOf(change)).toEqual({ kind: 'a' });
    expect(change.absent).toBeNull();
    const [item] = change.components[0]!.items;
    expect([item!.id, valuesOf(item!.entity)]).toEqual([5, { year: 1 }]);
  });
});

describe('a row that only the database knows of', () => {
  const change = plan({ grade: 9, seal: { id: 5, year: 1 } }, { type: 'word', parameters: { locale: 'fr' } }).change;

  it('is planned with what it gets and lacks should it be new', () => {
    expect(valuesOf(change)).toEqual({ grade: 9 });
    expect(valuesOf(change.absent!)).toEqual({ size: 1 });
    expect(change.absent!.problems.map(({ path, localized: own }) => [path.join('.'), own])).toEqual([
      ['label', true],
      ['color', false],
    ]);
  });

  it('refuses what is missing once it turns out to be new; a further locale only what locales do not share', () => {
    expect(refusalOf(() => forNewRow(change, false)).message).toBe('2 errors occurred');
    expect(refusalOf(() => forNewRow(change, true)).message).toBe('label must be defined.');
  });

  it('takes defaults then, and makes its components anew; a further locale takes no shared default', () => {
    const complete = plan({ label: 'x', color: 'red', seal: { id: 5, name: 'y' } }, { type: 'word' }).change;
    const first = forNewRow(complete, false);
    expect(valuesOf(first)).toEqual({ label: 'x', color: 'red', size: 1, grade: 2 });
    expect(valuesOf(forNewRow(complete, true))).toEqual({ label: 'x', color: 'red', grade: 2 });
    const [item] = first.components[0]!.items;
    expect([item!.id, valuesOf(item!.entity), first.absent]).toEqual([null, { name: 'y', year: 2000 }, null]);
    expect(
      refusalOf(() => forNewRow(plan({ label: 'x', color: 'red', seal: { id: 5 } }, { type: 'word' }).change, true))
        .message,
    ).toBe('seal.name must be defined.');
  });

  it('keeps what locales share where a further locale is written with null', () => {
    const nulls = plan({ label: 'x', color: 'red', size: null, grade: null }, { type: 'word' }).change;
    expect(valuesOf(forNewRow(nulls, true))).toEqual({ label: 'x', color: 'red', grade: null });
    expect(valuesOf(forNewRow(nulls, false))).toEqual({ label: 'x', color: 'red', size: null, grade: null });
  });

  it('may be the one of a single type', () => {
    const front = plan({}, { type: 'front' }).change;
    expect(front.absent).toMatchObject({ scalars: [{ value: 1 }], problems: [{ path: ['title'] }] });
  });

  it('still tells problems with what is given', () => {
    expect(problems({ grade: 'x' }, { type: 'word' })).toEqual(['grade: grade must be a `number` type.']);
  });
});

describe('references', () => {
  it('are listed once by target, with the anchors of positions and those inside components', () => {
    const { references } = plan({
      writer: 'a',
      writers: {
        connect: [
          { documentId: 'b', position: { before: 'c' } },
          { id: 1, position: { after: 2 } },
        ],
        disconnect: ['a'],
      },
      vault: { set: [] },
      seal: { name: 'x', writer: 1, notes: [{ text: 'y', vault: 'v' }] },
    });
    expect(references).toEqual([
      { target: 'api::writer.writer', documentIds: ['a', 'b', 'c'], rowIds: [1, 2] },
      { target: 'api::vault.vault', documentIds: ['v'], rowIds: [] },
    ]);
  });

  it('are none for a relation that is kept as it is', () => {
    const { change, references } = plan({ writers: {}, writer: { connect: [] }, vault: { set: null } });
    expect([change.relations, references]).toEqual([[], []]);
  });

  it('of several types name the type of each, which the caller may find', () => {
    const any = [{ documentId: 'a', __type: 'api::writer.writer' }];
    expect(plan({ any }).references).toEqual([{ target: 'api::writer.writer', documentIds: ['a'], rowIds: [] }]);
    expect(sentRefusal(() => plan({ any: ['a'] })).details).toMatchObject({ key: 'any' });
    expect(sentRefusal(() => plan({ any: [{ documentId: 'a', __type: 'api::nosuch.nosuch' }] })).details).toMatchObject(
      { key: 'any' },
    );
    const caller = userWith(model, { grants: ['api::page.page'] });
    expect(sentRefusal(() => plan({ any }, { caller })).details).toMatchObject({ key: 'any' });
  });

  it('to files are the files themselves', () => {
    expect(plan({ cover: [1, 2] }).references).toMatchObject([{ rowIds: [1, 2] }]);
    expect(refusalOf(() => plan({ cover: { connect: [1] } })).message).toContain('connect is not for media');
  });

  it('are limited over all relations together', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    const split = { writers: many(MAX_REFERENCES - 2), seal: { name: 'x', writer: 1 } };
    expect(plan({ ...split, writer: 1 }).references[0]!.rowIds).toHaveLength(MAX_REFERENCES - 2);
    expect(refusalOf(() => plan({ ...split, writers: many(MAX_REFERENCES - 1), writer: 1 })).details).toMatchObject({
      limit: 'MAX_REFERENCES',
    });
  });
});

describe('components', () => {
  it('are limited over all fields and levels together', () => {
    const notes = (count: number) => Array.from({ length: count }, () => ({ text: 'x' }));
    const body = (count: number) => ({
      seal: { name: 'x', notes: notes(count - 2) },
      zone: [{ __component: 'kit.note', text: 'x' }],
    });
    expect(plan(body(MAX_COMPONENTS)).change.components).toHaveLength(2);
    expect(refusalOf(() => plan(body(MAX_COMPONENTS + 1))).details).toMatchObject({ limit: 'MAX_COMPONENTS' });
  });

  it('of one kind take no __component', () => {
    expect(sentRefusal(() => plan({ seal: { __component: 'kit.seal', name: 'x' } })).details).toMatchObject({
      key: '__component',
      path: 'seal',
    });
  });

  it('are removed by null', () => {
    expect(plan({ seal: null }).change.components).toMatchObject([{ items: [] }]);
  });
});

describe('a decimal', () => {
  const decimals: DecimalColumns = new Map([['pages.price', { precision: 4, scale: 2 }]]);

  it.each([12.34, -12.34, 0, 99.99, 1e-2])('that its column keeps is taken: %s', (price) => {
    expect(valuesOf(plan({ price }, { decimals }).change)).toEqual({ price });
  });

  it.each([100, -100, 1.234, 1e-3, 99.999])('that its column would round or could not hold is refused: %s', (price) => {
    expect(problems({ price }, { decimals })).toEqual([
      'price: price must have at most 2 digits before and 2 after the point',
    ]);
  });

  it('is free in a column that keeps every digit', () => {
    expect(valuesOf(plan({ price: 123.456 }).change)).toEqual({ price: 123.456 });
  });
});

describe('a password', () => {
  const body = { code: 'outer', seals: [{ name: 'a', code: 'inner' }, { name: 'b' }] };

  it('is hashed wherever it stands, and nothing else is', async () => {
    const planned = plan(body);
    const hashed = await mapPasswords(planned, async (password) => `#${password}`);
    expect(valuesOf(hashed.change)).toEqual({ code: '#outer' });
    expect(hashed.change.components[0]!.items.map(({ entity }) => valuesOf(entity))).toMatchObject([
      { name: 'a', code: '#inner' },
      { name: 'b' },
    ]);
    expect(valuesOf(planned.change)).toEqual({ code: 'outer' });
  });

  it('is looked for in components, and one that is removed is none', () => {
    expect(hasPasswords(plan(body).change)).toBe(true);
    expect(hasPasswords(plan({ seals: body.seals }).change)).toBe(true);
    expect(hasPasswords(plan({ code: null, title: 'ab' }).change)).toBe(false);
  });

  it('is judged now or never, so drafts are no exception', () => {
    for (const type of ['page', 'draft'])
      expect(problems({ code: 'abc' }, { type, parameters: { status: 'draft' } })).toEqual([
        'code: code must be at least 4 characters',
      ]);
  });
});

describe('a write without a body', () => {
  it('is a plan of locales alone', () => {
    expect(plan({}, { name: 'publish', type: 'draft' })).toMatchObject({
      name: 'publish',
      documentId: 'document',
      locales: 'all',
      publishes: true,
      change: { scalars: [], relations: [], components: [], absent: null },
      references: [],
    });
    expect(plan({}, { name: 'delete', type: 'word', parameters: { locale: ['fr', 'en'] } }).locales).toEqual([
      'fr',
      'en',
    ]);
  });
});
