// Bodies and the parameters beside them: what a write is for, in which locales and status, and how it is answered.
import { describe, expect, it } from 'vitest';
import { refusalOf, sentRefusal } from '../../test/support/refusal.ts';
import { MAX_BODY_DEPTH } from '../limits.ts';
import type { ReadParameters } from './parse-read.ts';
import { parseData, parseWrite } from './parse-write.ts';

const PLAIN = { uid: 'api::plain.plain', localized: false, draftAndPublish: false };
const DRAFTS = { uid: 'api::page.page', localized: false, draftAndPublish: true };
const LOCALIZED = { uid: 'api::tag.tag', localized: true, draftAndPublish: true };

type Name = Parameters<typeof parseWrite>[0]['name'];
const parsed = (name: Name, type: typeof PLAIN, parameters: object = {}, wantsEntry = true) =>
  parseWrite({ name, type, parameters: parameters as ReadParameters, defaultStatus: 'published' }, 'en', wantsEntry);

const ALL: readonly Name[] = ['create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft', 'clone'];

describe('the data of a body', () => {
  it('is taken as it is', () => {
    const data = { title: 'x', tags: [] };
    expect(parseData({ data })).toBe(data);
    expect(parseData({ data: {} })).toEqual({});
  });

  it.each([
    [undefined],
    [null],
    ['data'],
    [[]],
    [{}],
    [{ data: null }],
    [{ data: [] }],
    [{ data: 'x' }],
    [{ title: 'x' }],
  ])('is missing in %j', (body) => {
    expect(sentRefusal(() => parseData(body))).toMatchObject({
      status: 400,
      message: 'Missing "data" payload in the request body',
    });
  });

  it('stands alone', () => {
    expect(sentRefusal(() => parseData({ data: {}, meta: {} })).details).toEqual({
      key: 'meta',
      path: null,
      source: 'body',
    });
  });

  it('is as deep as the limit and no deeper, in objects and in lists', () => {
    const nested = (depth: number, wrap: (inner: unknown) => unknown): Record<string, unknown> => {
      let value: unknown = 'x';
      for (let level = 1; level < depth; level++) value = wrap(value);
      return { a: value };
    };
    for (const wrap of [(inner: unknown) => ({ a: inner }), (inner: unknown) => [inner]]) {
      expect(() => parseData({ data: nested(MAX_BODY_DEPTH, wrap) })).not.toThrow();
      expect(refusalOf(() => parseData({ data: nested(MAX_BODY_DEPTH + 1, wrap) })).details).toMatchObject({
        limit: 'MAX_BODY_DEPTH',
      });
    }
  });

  it('cannot exhaust the stack', () => {
    let value: unknown = 'x';
    for (let level = 0; level < 200_000; level++) value = [value];
    expect(refusalOf(() => parseData({ data: { value } })).details).toMatchObject({ limit: 'MAX_BODY_DEPTH' });
  });
});

describe('a status', () => {
  it('is that of the caller where none is named, and decides whether the write publishes', () => {
    expect(parsed('create', DRAFTS)).toMatchObject({ status: 'published', publishes: true });
    expect(parsed('update', DRAFTS, { status: 'draft' })).toMatchObject({ status: 'draft', publishes: false });
    expect(
      parseWrite({ name: 'create', type: DRAFTS, parameters: {}, defaultStatus: 'draft' }, 'en', true),
    ).toMatchObject({
      status: 'draft',
      publishes: false,
    });
  });

  it.each([['done'], [''], [null], [['draft']]])('that is none is refused: %j', (status) => {
    expect(sentRefusal(() => parsed('create', DRAFTS, { status })).message).toBe(
      'Invalid value for status: expected draft or published',
    );
  });

  it('cannot single out a draft to delete', () => {
    expect(refusalOf(() => parsed('delete', DRAFTS, { status: 'draft' }, false)).message).toContain(
      'a draft cannot be deleted alone',
    );
    expect(refusalOf(() => parsed('delete', DRAFTS, { status: 'live' }, false)).message).toBe(
      'Invalid value for status: expected draft or published',
    );
    expect(parsed('delete', DRAFTS, { status: 'published' }, false)).toMatchObject({ locales: 'all' });
  });

  it('means nothing to a delete where there are no drafts, as it means nothing to a write', () => {
    expect(parsed('delete', PLAIN, { status: 'draft' }, false)).toMatchObject({ locales: 'all' });
    expect(() => parsed('delete', PLAIN, { status: 'live' }, false)).toThrow('expected draft or published');
  });

  it('of the answer is published for a publish and for types without drafts, and the draft for all else', () => {
    const answered = (name: Name, type: typeof PLAIN) => parsed(name, type).status;
    expect(answered('publish', DRAFTS)).toBe('published');
    expect(['unpublish', 'discardDraft', 'clone', 'delete'].map((name) => answered(name as Name, DRAFTS))).toEqual(
      Array(4).fill('draft'),
    );
    expect([answered('clone', PLAIN), answered('delete', PLAIN)]).toEqual(['published', 'published']);
  });
});

describe('a locale', () => {
  it('that a create or update writes is the one named, or the default', () => {
    expect(parsed('update', LOCALIZED, { locale: 'fr' })).toMatchObject({
      locale: 'fr',
      locales: ['fr'],
      answerLocale: 'fr',
    });
    for (const locale of [undefined, null, ''])
      expect(parsed('create', LOCALIZED, { locale })).toMatchObject({ locale: 'en', answerLocale: 'en' });
  });

  it('means nothing for a type without locales, but must be one', () => {
    expect(parsed('update', PLAIN, { locale: 'fr' })).toMatchObject({
      locale: null,
      locales: [null],
      answerLocale: null,
    });
    expect(() => parsed('update', PLAIN, { locale: ['fr'] })).toThrow('expected one locale code');
  });

  it.each([['*'], [['fr']], [5], [{}]])('of a create or update is one: %j is refused', (locale) => {
    expect(sentRefusal(() => parsed('create', LOCALIZED, { locale })).details).toMatchObject({ param: 'locale' });
  });

  it('of what is done to a document may be several, or all; the first one is answered with', () => {
    expect(parsed('publish', LOCALIZED, { locale: ['fr', 'de'] })).toMatchObject({
      locale: null,
      locales: ['fr', 'de'],
      answerLocale: 'fr',
    });
    expect(parsed('delete', LOCALIZED, { locale: '*' }, false)).toMatchObject({ locales: 'all', answerLocale: '*' });
    expect(parsed('unpublish', LOCALIZED)).toMatchObject({ locales: ['en'] });
    expect(parsed('publish', DRAFTS, { locale: 'fr' })).toMatchObject({ locales: 'all', answerLocale: null });
  });

  it.each([[['fr', '']], [['fr', 5]], [{ a: 1 }], [5]])('in such a list is a code: %j is refused', (locale) => {
    expect(sentRefusal(() => parsed('publish', LOCALIZED, { locale })).details).toMatchObject({ param: 'locale' });
  });
});

describe('other parameters', () => {
  it('shape the answer, apart from what says what to write', () => {
    const shaping = { fields: ['title'], populate: '*' };
    expect(parsed('create', LOCALIZED, { ...shaping, status: 'draft', locale: 'fr' }).answer).toEqual(shaping);
  });

  it.each(['filters', 'sort', 'pagination', '_q', 'publicationFilter', 'hasPublishedVersion', 'nosuch'])(
    'that a write could only ignore are refused: %s',
    (key) => {
      for (const name of ALL)
        expect(
          sentRefusal(() => parsed(name, LOCALIZED, { [key]: 'x' })),
          name,
        ).toMatchObject({
          message: `Invalid key ${key}`,
          details: { key, param: key },
        });
    },
  );

  it('are taken by each kind of write as far as they mean something', () => {
    const taken = (name: Name, wantsEntry = true): string[] =>
      ['fields', 'populate', 'status', 'locale'].filter((key) => {
        try {
          parsed(name, LOCALIZED, { [key]: key === 'status' ? 'published' : 'en' }, wantsEntry);
          return true;
        } catch {
          return false;
        }
      });
    expect(taken('create')).toEqual(['fields', 'populate', 'status', 'locale']);
    expect(taken('publish')).toEqual(['fields', 'populate', 'locale']);
    expect(taken('clone')).toEqual(['fields', 'populate', 'locale']);
    expect(taken('delete')).toEqual(['fields', 'populate', 'status', 'locale']);
    expect(taken('delete', false)).toEqual(['status', 'locale']);
  });
});

describe('a draft action', () => {
  it.each(['publish', 'unpublish', 'discardDraft'] as const)('is refused for a type without drafts: %s', (name) => {
    expect(refusalOf(() => parsed(name, PLAIN)).message).toContain('has no drafts');
  });

  it('that clones is not one of them', () => {
    expect(parsed('clone', PLAIN)).toMatchObject({ publishes: false, locales: 'all' });
  });
});
