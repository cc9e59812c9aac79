// The form without a page: an entry becomes values, and values become the smallest body that stores them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConsoleAttribute, ConsoleModel, ConsoleType } from '../../../../../src/console/contract.ts';
import { applyChange } from '../../../../../src/plan/write/relation-order.ts';
import { attribute, schema, collectionType as type } from '../../../../../test/support/console-types.ts';
import { scaled } from '../../../../../test/support/scale.ts';
import { changesOf, isSame } from './changes.ts';
import { checkForm, checkValue } from './checks.ts';
import { differencesOf, linesOf } from './compare.ts';
import { copiedInto, localizedLinks } from './copy.ts';
import { dropKept, keep, readKept, withoutPasswords } from './kept.ts';
import { conflictsOf, merged } from './merge.ts';
import { formQueries, joined, relationPageUrl, searchUrl, writeRequest } from './query.ts';
import { moved, type RelationBody, relationBody, withAdded, without, withPage } from './relations.ts';
import { dateTimeText, isNumber, parseDateTime, parseNumber, parseTime, parseTimestamp } from './texts.ts';
import {
  type FormValues,
  initialValues,
  type Part,
  type Related,
  type RelationValue,
  shownOf,
  valuesOf,
} from './values.ts';

const relation = (name: string, target: string | null, toMany: boolean): ConsoleAttribute =>
  attribute(name, 'relation', {
    relation: { kind: toMany ? 'manyToMany' : 'manyToOne', target, toMany, inverse: null },
  });

const link = schema('shared.link', [
  attribute('label', 'string', { required: true, minLength: 2 }),
  attribute('newTab', 'boolean', { default: false }),
  relation('tags', 'api::tag.tag', true),
]);
const card = schema('shared.card', [
  attribute('title', 'string'),
  attribute('links', 'component', { component: 'shared.link', repeatable: true }),
]);
const tag = type('tag', [attribute('label', 'string')], { localized: true });
const article = type(
  'article',
  [
    attribute('title', 'string', { required: true, maxLength: 10 }),
    attribute('minutes', 'integer', { min: 1, default: 5 }),
    attribute('meta', 'json'),
    attribute('secret', 'password'),
    attribute('createdAt', 'datetime', { writable: false }),
    relation('tags', 'api::tag.tag', true),
    relation('author', 'api::author.author', false),
    relation('about', null, true),
    attribute('card', 'component', { component: 'shared.card' }),
    attribute('links', 'component', { component: 'shared.link', repeatable: true, max: 2 }),
    attribute('zone', 'dynamiczone', { components: ['shared.link', 'shared.card'] }),
    attribute('cover', 'media', { multiple: false }),
    attribute('gallery', 'media', { multiple: true }),
  ],
  { draftAndPublish: true },
);
const author = type('author', [attribute('name', 'string')]);
const model: ConsoleModel = {
  title: 'Test',
  prefix: '/api',
  locales: [],
  types: [article, author, tag],
  components: [link, card],
};

const STORED = {
  documentId: 'a',
  title: 'Hello',
  minutes: 3,
  meta: { a: 1, b: [2] },
  createdAt: '2026-01-01T00:00:00.000Z',
  tags: {
    data: [
      { documentId: 't1', label: 'One', locale: 'en' },
      { documentId: 't1', label: 'Un', locale: 'fr' },
    ],
    meta: { pagination: { start: 0, limit: 50, total: 2 } },
  },
  author: { documentId: 'x', name: 'Ann' },
  about: [{ __type: 'api::author.author', documentId: 'x', name: 'Ann' }],
  card: { id: 7, title: 'Card', links: [{ id: 1, label: 'in', newTab: false, tags: [] }] },
  links: [
    { id: 4, label: 'L4', newTab: true, tags: [{ documentId: 't1', label: 'One', locale: 'en' }] },
    { id: 5, label: 'L5', newTab: false, tags: [] },
  ],
  zone: [
    { __component: 'shared.link', id: 4, label: 'Z4', newTab: false, tags: [] },
    { __component: 'shared.card', id: 4, title: 'Z card', links: [] },
  ],
  cover: { id: 11, name: 'a.png' },
  gallery: [
    { id: 12, name: 'b.png' },
    { id: 13, name: 'c.png' },
  ],
};
const loaded = valuesOf(model, article, STORED);
const changes = (now: Record<string, unknown>): unknown => changesOf(model, article, loaded, { ...loaded, ...now });
const parts = (name: string): readonly Part[] => loaded[name] as readonly Part[];
const withValues = (part: Part, values: Record<string, unknown>): Part => ({
  ...part,
  values: { ...part.values, ...values },
});

describe('A form', () => {
  it('sends nothing where nothing changed, and of scalars and files those that did', () => {
    expect(changes({})).toEqual({});
    expect(Object.keys(loaded)).not.toContain('createdAt');
    expect(changes({ meta: { b: [2], a: 1 }, minutes: null, title: 'Hi' })).toEqual({ minutes: null, title: 'Hi' });
    expect(changes({ secret: 'Sesame' })).toEqual({ secret: 'Sesame' });
    expect(changes({ cover: [], gallery: [{ id: 13 }, { id: 12 }] })).toEqual({ cover: null, gallery: [13, 12] });
    expect(changes({ cover: [{ id: 9 }] })).toEqual({ cover: 9 });
  });

  it('sends of a new entry what differs from its defaults', () => {
    const initial = initialValues(article);
    expect(changesOf(model, article, initial, { ...initial, title: 'New', minutes: null })).toEqual({
      title: 'New',
      minutes: null,
    });
  });

  it('names components by their ids, and in them what changed', () => {
    const [four, five] = parts('links') as [Part, Part];
    const isNew: Part = { key: 'n', id: null, component: 'shared.link', values: initialValues(link) };
    expect(changes({ links: [five, four] })).toEqual({ links: [{ id: 5 }, { id: 4 }] });
    expect(
      changes({ links: [four, withValues(five, { label: 'Five' }), withValues(isNew, { newTab: null })] }),
    ).toEqual({
      links: [{ id: 4 }, { id: 5, label: 'Five' }, { newTab: null }],
    });
    expect(changes({ links: [] })).toEqual({ links: [] });
    // One that somebody else deleted is made anew, with all of it.
    expect(changes({ links: [{ ...four, id: 99 }, five] })).toEqual({
      links: [{ label: 'L4', newTab: true, tags: { connect: [{ documentId: 't1' }] } }, { id: 5 }],
    });
    const inside = loaded.card as Part;
    const [inner] = inside.values.links as [Part];
    expect(changes({ card: withValues(inside, { links: [withValues(inner, { label: 'deep' })] }) })).toEqual({
      card: { id: 7, links: [{ id: 1, label: 'deep' }] },
    });
    expect(changes({ card: null })).toEqual({ card: null });
    expect(changes({ card: { ...isNew, component: 'shared.card', values: initialValues(card) } })).toEqual({
      card: {},
    });
    const [first, second] = parts('zone') as [Part, Part];
    expect(changes({ zone: [second, first, isNew] })).toEqual({
      zone: [
        { __component: 'shared.card', id: 4 },
        { __component: 'shared.link', id: 4 },
        { __component: 'shared.link' },
      ],
    });
    const tags = four.values.tags as RelationValue;
    expect(changes({ links: [withValues(four, { tags: without(tags, tags.head[0]!) }), five] })).toEqual({
      links: [{ id: 4, tags: { disconnect: [{ documentId: 't1' }] } }, { id: 5 }],
    });
  });

  it('names links by document, and by locale or type where that does not say it', () => {
    const tags = loaded.tags as RelationValue;
    expect(changes({ tags: moved(tags, 1, 0) })).toEqual({
      tags: { connect: [{ documentId: 't1', locale: 'fr', position: { start: true } }] },
    });
    expect(changes({ author: { head: [{ documentId: 'y', title: 'Ben' }], unread: 0, tail: [] } })).toEqual({
      author: { connect: [{ documentId: 'y' }] },
    });
    expect(changes({ author: { head: [], unread: 0, tail: [] } })).toEqual({
      author: { disconnect: [{ documentId: 'x' }] },
    });
    const about = withAdded(loaded.about as RelationValue, {
      documentId: 'b',
      type: 'api::article.article',
      title: 'B',
    });
    expect(changes({ about })).toEqual({ about: { connect: [{ documentId: 'b', __type: 'api::article.article' }] } });
  });
});

const related = (id: number): Related => ({ documentId: String(id), title: `Entry ${id}` });
const listOf = (ids: readonly number[], unread = 0, tail: readonly number[] = []): RelationValue => ({
  head: ids.map(related),
  unread,
  tail: tail.map(related),
});

/** As the server applies it. */
function applied(list: readonly number[], body: RelationBody | null): number[] {
  const positionOf = (position: object | undefined) => {
    if (!position || 'end' in position) return { at: 'end' as const };
    if ('start' in position) return { at: 'start' as const };
    return { at: 'after' as const, anchor: [Number((position as { after: string }).after)] };
  };
  return applyChange(list, {
    connect: (body?.connect ?? []).map((item) => ({
      ids: [Number(item.documentId)],
      position: positionOf(item.position),
    })),
    disconnect: (body?.disconnect ?? []).map(({ documentId }) => Number(documentId)),
    strict: true,
  });
}

describe('A relation in a form', () => {
  it('is moved by one connect with a position and nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(), fc.nat(), fc.nat(5), (length, a, b, unread) => {
        const ids = Array.from({ length }, (_, index) => index + 1);
        const before = listOf(ids, unread);
        const from = a % length;
        const to = b % length;
        const body = relationBody(before, moved(before, from, to), true);
        if (from === to) {
          expect(body).toBeNull();
          return;
        }
        expect(Object.keys(body!)).toEqual(['connect']);
        expect(body!.connect).toHaveLength(1);
        expect(body!.connect![0]!.position).toBeDefined();
      }),
      { numRuns: scaled(100) },
    );
  });

  it('becomes on the server the list that the form shows, whatever was done', () => {
    const step = fc.oneof(
      fc.record({ is: fc.constant('move' as const), from: fc.nat(20), to: fc.nat(20) }),
      fc.record({ is: fc.constant('remove' as const), from: fc.nat(20) }),
      fc.record({ is: fc.constant('add' as const), id: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ is: fc.constant('read' as const) }),
    );
    fc.assert(
      fc.property(fc.nat(10), fc.nat(10), fc.array(step, { maxLength: 12 }), (count, first, steps) => {
        const stored = Array.from({ length: count }, (_, index) => index + 1);
        const shown = Math.min(first, count);
        let before = listOf(stored.slice(0, shown), count - shown);
        let now = before;
        for (const action of steps) {
          const length = shownOf(now).length;
          if (action.is === 'add') now = withAdded(now, related(action.id));
          else if (action.is === 'read') {
            const page = stored.slice(before.head.length, before.head.length + 2).map(related);
            now = withPage(now, page, count, before.head.length);
            before = withPage(before, page, count, before.head.length);
          } else if (length > 0 && action.is === 'remove') now = without(now, shownOf(now)[action.from % length]!);
          else if (length > 0 && action.is === 'move') now = moved(now, action.from % length, action.to % length);
        }
        const after = applied(stored, relationBody(before, now, true));
        const known = new Set(shownOf(now).map(({ documentId }) => Number(documentId)));
        const unread = stored.slice(before.head.length).filter((id) => !known.has(id));
        const wanted = [...now.head.map(({ documentId }) => Number(documentId)), ...unread];
        expect(after).toEqual([...wanted, ...now.tail.map(({ documentId }) => Number(documentId))]);
      }),
      { numRuns: scaled(300) },
    );
  });
});

describe('The requests of a form', () => {
  it('read everything that it shows', () => {
    const [query] = formQueries({ ...model, types: [article, tag] }, article, { locale: null });
    const pairs = decodeURIComponent(query!).split('&');
    expect(pairs).toEqual([
      'status=draft',
      'populate[updatedBy][fields][0]=firstname',
      'populate[updatedBy][fields][1]=lastname',
      'populate[tags][fields][0]=label',
      'populate[tags][fields][1]=locale',
      'populate[tags][pagination][limit]=50',
      'populate[tags][pagination][withCount]=true',
      'populate[about]=true',
      'populate[card][populate][links][populate][tags][fields][0]=label',
      'populate[card][populate][links][populate][tags][fields][1]=locale',
      'populate[links][populate][tags][fields][0]=label',
      'populate[links][populate][tags][fields][1]=locale',
      'populate[zone][on][shared.link][populate][tags][fields][0]=label',
      'populate[zone][on][shared.link][populate][tags][fields][1]=locale',
      'populate[zone][on][shared.card][populate][links][populate][tags][fields][0]=label',
      'populate[zone][on][shared.card][populate][links][populate][tags][fields][1]=locale',
      'populate[cover]=true',
      'populate[gallery]=true',
    ]);
    expect(searchUrl(tag, 'a&b', 'fr')).toContain('_q=a%26b&locale=fr');
    expect(relationPageUrl(article, 'a', { attribute: 'tags', target: tag, start: 50, locale: null })).toMatch(
      /^rest\/articles\/a\/tags\?status=draft&/,
    );
  });

  it('read a large entry in parts, and bring them together', () => {
    const kinds = Array.from({ length: 60 }, (_, index) => ({ ...link, uid: `shared.link-${index}` }));
    const zone = attribute('zone', 'dynamiczone', { components: [card.uid, ...kinds.map(({ uid }) => uid)] });
    const large = type('large', [attribute('title', 'string'), zone, relation('tags', tag.uid, true)]);
    const within = { ...model, types: [large, tag], components: [link, card, ...kinds] };
    const queries = formQueries(within, large, { locale: null }).map(decodeURIComponent);
    expect(queries).toHaveLength(3);
    expect(queries[0]).toContain('populate[zone]=true');
    expect(queries[0]).not.toContain('populate[zone][on]');
    const fragments = queries.flatMap((query) => query.match(/\[on\]\[[^\]]+\]/g) ?? []);
    expect(new Set(fragments)).toHaveLength(61);
    const [first, second] = [
      { __component: card.uid, id: 1 },
      { __component: link.uid, id: 1 },
    ];
    expect(
      joined(large, [
        { documentId: 'a', tags: [], zone: [first, second] },
        { documentId: 'a', zone: [{ ...second, tags: ['t'] }] },
        { documentId: 'a', zone: [{ ...first, links: ['l'] }] },
      ]),
    ).toEqual({
      documentId: 'a',
      tags: [],
      zone: [
        { ...first, links: ['l'] },
        { ...second, tags: ['t'] },
      ],
    });
  });

  it('keep drafts as drafts', () => {
    expect(writeRequest(article, { documentId: null, locale: null }, {})).toEqual({
      method: 'POST',
      path: 'rest/articles?status=draft',
      body: { data: {} },
    });
    expect(writeRequest(tag, { documentId: 't', locale: 'fr' }, { label: 'x' })).toEqual({
      method: 'PUT',
      path: 'rest/tags/t?locale=fr',
      body: { data: { label: 'x' } },
    });
    const home = type('home', [attribute('title', 'string')], { kind: 'singleType', path: 'home' });
    expect(writeRequest(home, { documentId: null, locale: null }, {})).toMatchObject({
      method: 'PUT',
      path: 'rest/home',
    });
  });
});

describe('What is wrong in a form', () => {
  it.each([
    [attribute('a', 'string', { required: true }), null, 'This is needed.', false],
    [attribute('a', 'string', { maxLength: 3 }), 'long', 'At most 3 characters, this has 4.', true],
    [attribute('a', 'string', { minLength: 3 }), 'ab', 'At least 3 characters.', false],
    [attribute('a', 'string', { regex: '^[A-Z]+$' }), 'ab', 'This must match ^[A-Z]+$.', false],
    [attribute('a', 'email'), 'nobody', 'This is no address.', false],
    [attribute('a', 'uid'), 'a b', 'Only letters, digits and - _ . ~ are possible.', false],
    [attribute('a', 'integer'), '1.5', 'This is no whole number.', true],
    [attribute('a', 'integer'), 3e9, 'This is beyond 32 bits.', true],
    [attribute('a', 'decimal'), '1,5', 'This is no number.', true],
    [attribute('a', 'decimal'), '0x10', 'This is no number.', true],
    [attribute('a', 'decimal'), '12345678901234567.89', 'This has more digits than can be stored.', true],
    [attribute('a', 'decimal', { max: 5 }), 6, 'At most 5.', true],
    [attribute('a', 'float', { min: 1 }), 0, 'At least 1.', false],
    [attribute('a', 'biginteger'), '9007199254740993', null, false],
    [attribute('a', 'enumeration', { values: ['x'] }), 'y', 'This is none of the values.', true],
    [attribute('a', 'password', { required: true }), null, null, false],
    [attribute('a', 'string', { regex: '(' }), 'ab', null, false],
  ])('is said of %o', (checked, value, message, onDraft) => {
    expect(checkValue(checked, value)).toEqual(message === null ? null : { message, onDraft });
  });

  it('is not said of what the values beside it keep from being shown, unless a draft is refused with it', () => {
    const offer = type('offer', [
      attribute('sponsored', 'boolean'),
      attribute('sponsor', 'string', {
        required: true,
        maxLength: 3,
        visibleWhen: { '==': [{ var: 'sponsored' }, true] },
      }),
    ]);
    const said = (values: FormValues) => checkForm(model, offer, values).map(({ message }) => message);
    expect(said({ sponsored: false, sponsor: null })).toEqual([]);
    expect(said({ sponsored: true, sponsor: null })).toEqual(['This is needed.']);
    expect(said({ sponsored: false, sponsor: 'long' })).toEqual(['At most 3 characters, this has 4.']);
  });

  it('is said at its place', () => {
    const [four] = parts('links') as [Part];
    const found = checkForm(model, article, {
      ...loaded,
      title: null,
      links: [four, four, withValues(four, { label: 'x' })],
    });
    expect(found).toEqual([
      { path: ['title'], message: 'This is needed.', onDraft: false },
      { path: ['links'], message: 'At most 2 are possible.', onDraft: false },
      { path: ['links', '2', 'label'], message: 'At least 2 characters.', onDraft: false },
    ]);
  });
});

describe('The texts of inputs', () => {
  it.each([
    ['decimal', '1234567.891', 1234567.891],
    ['decimal', '100.50', 100.5],
    ['decimal', '-0.10', -0.1],
    ['decimal', '1e3', 1000],
    ['decimal', '12345678901234567.89', '12345678901234567.89'],
    ['float', '12345678901234567.89', 12345678901234568],
    ['float', '0x10', '0x10'],
    ['biginteger', ' 9223372036854775807 ', '9223372036854775807'],
    ['integer', '', null],
  ])('say a %s with all of its digits, or stay texts: %s', (type, text, value) => {
    expect(parseNumber(type, text)).toBe(value);
    expect(typeof value === 'number' && !isNumber(text)).toBe(false);
  });

  it('keeps the milliseconds of a moment, which inputs do not show, as long as its second stays', () => {
    const before = '2026-11-15T02:13:42.723Z';
    const shown = dateTimeText(before);
    expect(parseDateTime(shown, before)).toBe(before);
    expect(parseDateTime(shown.replace(/^2026/, '2024'), before)).toBe('2024-11-15T02:13:42.723Z');
    expect(parseDateTime(shown.replace(/42$/, '43'), before)).toBe('2026-11-15T02:13:43.000Z');
    expect(parseDateTime(shown, null)).toBe('2026-11-15T02:13:42.000Z');
    expect(parseTimestamp(shown, String(Date.parse(before)))).toBe(String(Date.parse(before)));
    expect(parseTime('23:30:05', '22:30:05.250')).toBe('23:30:05.250');
    expect(parseTime('22:30', '22:30:00.250')).toBe('22:30:00.250');
    expect(parseTime('22:30:06', '22:30:05.250')).toBe('22:30:06.000');
    expect(parseTime('22:30', null)).toBe('22:30:00.000');
  });

  it('are no moments where no date has such a year', () => {
    expect(parseDateTime('20245-03-31T04:00', null)).toBeNull();
    expect(parseTimestamp('20245-03-31T04:00', null)).toBeNull();
    expect(parseTimestamp('1970-01-01T00:00:01', null)).toBe(String(new Date('1970-01-01T00:00:01').getTime()));
  });
});

describe('Two versions of an entry', () => {
  it('are compared in words, attribute by attribute, whatever the ids of their components are', () => {
    const published = valuesOf(model, article, {
      ...STORED,
      title: 'Old\nHello',
      card: { ...STORED.card, id: 1_000 },
      links: STORED.links.map((item) => ({ ...item, id: item.id + 100, label: item.id === 5 ? 'Was' : item.label })),
    });
    expect(
      differencesOf(model, article, published, loaded).map((each) => ({ ...each, attribute: each.attribute.name })),
    ).toEqual([
      { attribute: 'title', one: ['Old', 'Hello'], other: ['Hello'] },
      {
        attribute: 'links',
        one: [
          '1. shared.link',
          '   label: L4',
          '   newTab: true',
          '   tags: One',
          '2. shared.link',
          '   label: Was',
          '   newTab: false',
        ],
        other: [
          '1. shared.link',
          '   label: L4',
          '   newTab: true',
          '   tags: One',
          '2. shared.link',
          '   label: L5',
          '   newTab: false',
        ],
      },
    ]);
    expect(linesOf(model, article.attributes[5]!, listOf([1], 3, [2]))).toEqual(['Entry 1', '… and 3 more', 'Entry 2']);
  });

  it('are brought together: each keeps what only they changed, and one chooses of what both did', () => {
    const mine = { ...loaded, title: 'Mine', minutes: 8 };
    const theirs = { ...loaded, title: 'Theirs', meta: null };
    const conflicts = conflictsOf(model, article, { loaded, mine, theirs });
    expect(conflicts.map(({ attribute: { name }, by }) => [name, by])).toEqual([
      ['title', 'both'],
      ['minutes', 'me'],
      ['meta', 'them'],
    ]);
    const versions = { loaded, mine, theirs };
    expect(merged(conflicts, versions, () => false)).toEqual({ ...theirs, title: 'Mine', minutes: 8 });
    expect(merged(conflicts, versions, (name) => name === 'title')).toEqual({ ...theirs, minutes: 8 });
    expect(
      changesOf(
        model,
        article,
        theirs,
        merged(conflicts, versions, () => false),
      ),
    ).toEqual({ title: 'Mine', minutes: 8 });
  });
});

it('Values of another locale become new components, without links that this locale cannot have', () => {
  const localized = (schemas: ConsoleType): ConsoleType => ({
    ...schemas,
    localized: true,
    attributes: schemas.attributes.map((each) => ({ ...each, localized: each.name !== 'minutes' })),
  });
  const translated = localized(article);
  const within = { ...model, types: [translated, author, tag] };
  const other = valuesOf(within, translated, STORED);
  expect(localizedLinks(within, translated, other)).toEqual(new Map([[tag.uid, new Set(['t1'])]]));
  const own = { ...initialValues(translated), minutes: 1 };
  const copied = copiedInto(within, translated, { own, other }, (uid) => uid !== tag.uid);
  expect(changesOf(within, translated, own, copied)).toEqual({
    title: 'Hello',
    meta: { a: 1, b: [2] },
    author: { connect: [{ documentId: 'x' }] },
    about: { connect: [{ documentId: 'x', __type: author.uid }] },
    card: { title: 'Card', links: [{ label: 'in' }] },
    links: [{ label: 'L4', newTab: true }, { label: 'L5' }],
    zone: [
      { __component: 'shared.link', label: 'Z4' },
      { __component: 'shared.card', title: 'Z card' },
    ],
    cover: 11,
    gallery: [12, 13],
  });
  // Of a list that is longer than what was read nothing is taken away.
  const long = { ...own, tags: listOf([1], 5) };
  expect(copiedInto(within, translated, { own: long, other }, () => true).tags).toEqual({
    ...listOf([1], 5),
    tail: [expect.objectContaining({ documentId: 't1' })],
  });
});

it('Changes that are not saved are kept without passwords, and dropped', () => {
  const items = new Map<string, string>();
  const store = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
  const address = { account: 1, uid: article.uid, documentId: null, locale: 'en' };
  const values = withoutPasswords(model, article, { ...loaded, secret: 'Sesame' });
  const kept = { at: 1, loaded, updatedAt: null, values };
  keep(store, address, kept);
  expect([...items.values()].join()).not.toContain('Sesame');
  expect(readKept(store, address)).toMatchObject(kept);
  expect(isSame(readKept(store, address)!.values, loaded)).toBe(true);
  expect(readKept(store, { ...address, account: 2 })).toBeNull();
  dropKept(store, address);
  expect(readKept(store, address)).toBeNull();
  keep(
    {
      ...store,
      setItem: () => {
        throw new Error('full');
      },
    },
    address,
    kept,
  );
  expect(readKept(store, address)).toBeNull();
});
