import { describe, expect, it } from 'vitest';
import type { ConsoleAttribute, ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { attribute, collectionType } from '../../../../test/support/console-types.ts';
import { type BrowseState, readState, writeState } from './browse-state.ts';
import { columnsOf, type Sight, usualColumns } from './columns.ts';
import { type Asked, apiUrl, draftStates, listPath } from './requests.ts';
import { shortText, textOfBlocks } from './short-text.ts';

const link = (name: string, target: string, toMany: boolean): ConsoleAttribute =>
  attribute(name, 'relation', { relation: { kind: 'any', target, toMany, inverse: null } });

const type = (name: string, attributes: readonly ConsoleAttribute[], rest: Partial<ConsoleType> = {}): ConsoleType =>
  collectionType(name, attributes, { displayName: name, ...rest });

const ARTICLE = type(
  'article',
  [
    attribute('title', 'string'),
    attribute('body', 'richtext'),
    attribute('minutes', 'integer'),
    attribute('secret', 'password'),
    attribute('meta', 'json'),
    attribute('featured', 'boolean'),
    attribute('day', 'date'),
    link('authors', 'api::author.author', true),
    link('tag', 'api::tag.tag', false),
    link('owner', 'plugin::users-permissions.user', false),
    attribute('cover', 'media', { multiple: false }),
    attribute('seo', 'component', { component: 'shared.seo', repeatable: false }),
    attribute('slots', 'component', { component: 'shared.seo', repeatable: true }),
    attribute('blocks', 'dynamiczone', { components: [] }),
    ...['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale'].map((name) => attribute(name, 'string')),
    link('localizations', 'api::article.article', true),
    link('createdBy', 'admin::user', false),
  ],
  { draftAndPublish: true, localized: true },
);
const MODEL: ConsoleModel = {
  title: 'test',
  prefix: '/api',
  locales: [],
  types: [
    ARTICLE,
    type('author', [attribute('name', 'string')]),
    type('tag', [attribute('label', 'string')], { localized: true }),
  ],
  components: [],
};
const SIGHT: Sight = { canRead: () => true, canReadFiles: true };
const NO_STATE = readState('');
const columns = columnsOf(MODEL, ARTICLE, SIGHT);

function asked(state: Partial<BrowseState>, names: readonly string[]): Asked {
  const shown = columns.filter(({ id }) => id === 'title' || names.includes(id));
  return { type: ARTICLE, state: { ...NO_STATE, ...state }, columns: shown, locale: 'fr' };
}

describe('what a list shows, in the URL', () => {
  it.each([
    '',
    '?_q=100%25%20%26%20more',
    '?locale=fr&state=modified&sort=title,chef.name:desc&page=3&pageSize=50&columns=minutes,tag',
    '?filters[stars][$gte]=2&filters[$or][0][name][$null]=',
    '?columns=',
  ])('is read and written: %s', (search) => {
    expect(writeState(readState(search))).toBe(search);
  });

  it('is the usual where it makes no sense', () => {
    expect(readState('?page=0&pageSize=7&state=gone&locale=&utm=1')).toEqual(NO_STATE);
  });
});

describe('columns', () => {
  it('are the attributes that can be shown and read, the main one first', () => {
    expect(columns.map(({ id }) => id)).toEqual(
      'title body minutes meta featured day authors tag cover seo slots blocks localizations createdAt updatedAt createdBy updatedBy documentId id'.split(
        ' ',
      ),
    );
  });

  it('leave out what the account may not read', () => {
    const may = [
      'api::article.article tag',
      'api::article.article authors',
      'api::article.article cover',
      'api::tag.tag ',
    ];
    const canRead = (uid: string, name = ''): boolean => may.includes(`${uid} ${name}`);
    const some = columnsOf(MODEL, ARTICLE, { canRead, canReadFiles: false });
    expect(some.map(({ id }) => id)).toEqual(
      'documentId tag localizations createdAt updatedAt createdBy updatedBy id'.split(' '),
    );
    expect(some[1]).toMatchObject({ sortPath: 'tag.documentId' });
  });

  it('are few until someone chooses, with a relation among them', () => {
    expect(usualColumns(columns)).toEqual(['minutes', 'featured', 'authors', 'updatedAt']);
  });

  it('are sorted by what they show', () => {
    const paths = Object.fromEntries(columns.map(({ id, sortPath }) => [id, sortPath]));
    expect(paths).toMatchObject({
      title: 'title',
      authors: 'authors.$count',
      tag: 'tag.label',
      meta: null,
      cover: null,
    });
  });
});

describe('the request for a list', () => {
  it('asks for what is shown, and for nothing else', () => {
    expect(
      listPath(asked({ search: 'a&b', sort: [{ path: 'tag.label', desc: true }], page: 2 }, ['tag', 'authors'])),
    ).toBe(
      'rest/articles?fields=title,updatedAt,locale' +
        '&populate[authors][fields][0]=name&populate[authors][pagination][limit]=2&populate[authors][pagination][withCount]=true' +
        '&populate[tag][fields][0]=label&populate[tag][fields][1]=locale' +
        '&status=draft&locale=fr&_q=a%26b&sort=tag.label:desc&pagination[page]=2&pagination[pageSize]=25',
    );
    expect(listPath(asked({ state: 'live' }, ['blocks', 'slots', 'seo']))).toBe(
      'rest/articles?fields=title,updatedAt,locale&populate[seo]=true&populate[slots][count]=true' +
        '&populate[blocks][count]=true&locale=fr&pagination[page]=1&pagination[pageSize]=25',
    );
    expect(listPath(asked({}, []))).toContain('&populate=&');
  });

  it('is one of the API, for the builder', () => {
    expect(apiUrl(MODEL, asked({ filters: [['filters[minutes][$gt]', '3']] }, ['tag']))).toBe(
      '/api/articles?status=draft&locale=fr&filters[minutes][$gt]=3',
    );
  });
});

it('tells drafts from what is published and what has changed since', () => {
  const entry = (documentId: string, updatedAt: string) => ({ documentId, updatedAt });
  const drafts = [entry('a', '2026-01-01T00:00:00.000Z'), entry('b', '2026-01-02T00:00:00.000Z'), entry('c', '')];
  const published = [entry('a', '2026-01-01T00:00:00.000Z'), entry('b', '2026-01-01T00:00:00.000Z')];
  expect([...draftStates(drafts, published)]).toEqual([
    ['a', 'published'],
    ['b', 'modified'],
    ['c', 'draft'],
  ]);
});

it('shortens long texts', () => {
  expect(shortText(' a\n b ')).toBe('a b');
  expect(Array.from(shortText('🌸'.repeat(200)))).toHaveLength(80);
  const list = { type: 'list', children: [{ type: 'list-item', children: [{ type: 'text', text: 'two' }] }] };
  expect(textOfBlocks([{ type: 'paragraph', children: [{ type: 'text', text: 'one' }] }, list])).toBe('one two');
});
