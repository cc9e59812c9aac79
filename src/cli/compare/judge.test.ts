import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../test/support/project.ts';
import { Withheld } from '../../access/withheld.ts';
import { loadModel } from '../../model/build.ts';
import { USER } from '../../model/builtin.ts';
import type { CodeFinding } from '../../project/code/code-finding.ts';
import { type Answer, type Exchange, NO_ANSWER, placeOf, queryOfTarget } from './exchange.ts';
import { DIFFERENCE_RULES, judge, type Verdict } from './judge.ts';

const model = loadModel(fileURLToPath(new URL('../../../examples/guide', import.meta.url)));

interface Case {
  readonly target: string;
  readonly strapi: Answer;
  readonly sheaf: Answer;
  readonly database?: Exchange['database'];
  /** Code of the project that closes what it names. */
  readonly code?: CodeFinding;
}

function verdict({ target, strapi, sheaf, database = 'SQLite', code }: Case): Verdict {
  const place = placeOf(model, '/api', target);
  const withheld = new Withheld(code ? [code] : []);
  return judge({ target, query: queryOfTarget(target), place, model, withheld, database, strapi, sheaf });
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const entries = (...list: readonly object[]): Answer => page(list, list.length);
const page = (data: readonly object[], total: number, size = 25): Answer =>
  ok({ data, meta: { pagination: { page: 1, pageSize: size, pageCount: Math.ceil(total / size), total } } });
const ids = (...list: readonly number[]): Answer => entries(...list.map((id) => ({ id })));
const error = (status: number, name: string, message: string, details: object = {}): Answer => ({
  status,
  body: { data: null, error: { status, name, message, details } },
});
const refused = (message: string, details: object): Answer => error(400, 'ValidationError', message, details);
const failed: Answer = { status: 500, body: { data: null, error: { status: 500, name: 'InternalServerError' } } };
const inFilters = { source: 'query', param: 'filters' };

const DISH_CONTROLLER: CodeFinding = {
  file: 'src/api/dish/controllers/dish.js',
  kind: 'controller',
  subject: 'api::dish.dish',
  does: 'overrides find',
  closes: 'all',
  instead: null,
};

/** A request for each rule, with what Strapi 5 and Sheaf answer. */
const EXPLAINED: Readonly<Record<string, Case>> = {
  'unknown-parameter': {
    target: '/api/restaurants?utm_source=mail',
    strapi: ids(1),
    sheaf: refused('Invalid key utm_source', { key: 'utm_source', path: null, source: 'query', param: 'utm_source' }),
  },
  'pagination-refused': {
    target: '/api/restaurants?pagination[nope]=1',
    strapi: ids(1),
    sheaf: refused('Invalid key nope', { key: 'nope', path: null, source: 'query', param: 'pagination' }),
  },
  'status-refused': {
    target: '/api/articles?status=foo',
    strapi: ids(1),
    sheaf: refused('Invalid value for status: expected draft or published', { source: 'query', param: 'status' }),
  },
  'value-refused': {
    target: '/api/restaurants?filters[open]=yes',
    strapi: ids(1),
    sheaf: refused('Invalid value for open: expected true or false', { key: 'open', path: 'open', ...inFilters }),
  },
  'operand-refused': {
    target: '/api/restaurants?filters[name][$eq][x]=1',
    strapi: ids(1),
    sheaf: refused('Invalid key x at name', { key: 'x', path: 'name', ...inFilters }),
  },
  'media-condition': {
    target: '/api/restaurants?filters[cover][name]=x',
    strapi: ids(),
    sheaf: refused('Invalid key cover', { key: 'cover', path: null, ...inFilters }),
  },
  'json-condition': {
    target: '/api/restaurants?filters[meta][$contains]=a',
    strapi: ids(1),
    sheaf: refused('Invalid operator $contains at meta', { key: '$contains', path: 'meta', ...inFilters }),
  },
  'forbidden-relation': {
    target: '/api/restaurants?populate=owner',
    strapi: entries({ id: 1, name: 'Alba' }),
    sheaf: refused('Invalid key owner', { key: 'owner', path: null, source: 'query', param: 'populate' }),
  },
  'populate-word': {
    target: '/api/restaurants?populate[0]=chef&populate[dishes]=true',
    strapi: ids(1),
    sheaf: refused('Invalid key 0', { key: '0', path: null, source: 'query', param: 'populate' }),
  },
  'prototype-name': {
    target: '/api/restaurants?filters[__proto__][x]=1',
    strapi: ids(1),
    sheaf: refused('Invalid key __proto__', { key: '__proto__', path: null, ...inFilters }),
  },
  limit: {
    target: '/api/restaurants?sort=a',
    strapi: ids(1),
    sheaf: refused('Too many sort keys: at most 10 (MAX_SORT_KEYS)', { limit: 'MAX_SORT_KEYS', allowed: 10 }),
  },
  'internal-error': {
    target: '/api/restaurants?filters[stars]=abc',
    strapi: failed,
    sheaf: refused('Invalid value for stars', { key: 'stars', path: 'stars', ...inFilters }),
  },
  'missing-user': {
    target: '/api/users/999',
    strapi: { status: 204, body: null },
    sheaf: error(404, 'NotFoundError', 'Not Found'),
  },
  'user-by-document-id': {
    target: '/api/users/fx30lnc40z7sf8p655udbmnu',
    strapi: { status: 204, body: null },
    sheaf: ok({ id: 1 }),
  },
  'entry-in-any-locale': {
    target: '/api/articles/wm53cfbz16ulrlqxh3et45rx?locale=*',
    strapi: error(404, 'NotFoundError', 'Not Found'),
    sheaf: ok({ data: { id: 1 }, meta: {} }),
  },
  'wider-syntax': {
    target: '/api/restaurants?populate[chef]=*',
    strapi: refused('Invalid key restaurants at chef.restaurants', {}),
    sheaf: ids(1),
  },
  'own-code': {
    target: '/api/dishes',
    strapi: ids(1),
    sheaf: error(403, 'ForbiddenError', 'Forbidden'),
    code: DISH_CONTROLLER,
  },
  'count-of-users': {
    target: '/api/users/count',
    strapi: ok(3),
    sheaf: error(403, 'ForbiddenError', 'Forbidden'),
  },
  'published-only': {
    target: '/api/articles?status=draft',
    strapi: ids(1),
    sheaf: error(403, 'ForbiddenError', 'Forbidden'),
  },
  'error-text': {
    target: '/api/restaurants?filters[nope]=1',
    strapi: refused('Invalid key nope', { key: 'nope' }),
    sheaf: refused('There is no nope', { key: 'nope', path: null }),
  },
  'time-format': {
    target: '/api/restaurants',
    strapi: entries({ id: 1, kitchenCloses: '22:30:00' }),
    sheaf: entries({ id: 1, kitchenCloses: '22:30:00.000' }),
    database: 'PostgreSQL',
  },
  'exact-biginteger': {
    target: '/api/restaurants',
    strapi: entries({ id: 1, visits: '9007199254740992' }),
    sheaf: entries({ id: 1, visits: '9007199254740993' }),
  },
  'json-string': {
    target: '/api/restaurants',
    strapi: entries({ id: 1, meta: '"quiet"' }),
    sheaf: entries({ id: 1, meta: 'quiet' }),
    database: 'PostgreSQL',
  },
  'empty-media': {
    target: '/api/restaurants?populate=gallery',
    strapi: entries({ id: 1, gallery: null }),
    sheaf: entries({ id: 1, gallery: [] }),
  },
  'counted-media': {
    target: '/api/restaurants?populate[gallery][count]=true',
    strapi: entries({ id: 1, gallery: [{ id: 4 }] }),
    sheaf: entries({ id: 1, gallery: { count: 1 } }),
  },
  'sort-key-shown': {
    target: '/api/restaurants?fields=name&filters[chef][name]=Ann&sort=stars',
    strapi: entries({ id: 1, name: 'Alba', stars: 3 }),
    sheaf: entries({ id: 1, name: 'Alba' }),
  },
  'related-of-media': {
    target: '/api/restaurants?populate[cover][populate]=*',
    strapi: entries({ id: 1, cover: { id: 2, related: [{ id: 3 }, { id: 4, name: 'a' }, { id: 4, name: 'a' }] } }),
    sheaf: entries({ id: 1, cover: { id: 2, related: [{ id: 4, name: 'a' }] } }),
  },
  omitted: {
    target: '/api/restaurants?populate=*',
    strapi: ok({ data: [], meta: {} }),
    sheaf: ok({ data: [], meta: { omitted: ['owner'] } }),
  },
  'users-envelope': { target: '/api/users', strapi: ok([{ id: 1 }]), sheaf: ids(1) },
  'users-page': {
    target: '/api/users?pagination[pageSize]=1',
    strapi: ok([{ id: 1 }, { id: 2 }]),
    sheaf: page([{ id: 1 }], 2, 1),
  },
  'users-order': { target: '/api/users', strapi: ok([{ id: 2 }, { id: 1 }]), sheaf: ids(1, 2) },
  'page-size': {
    target: '/api/restaurants?pagination[pageSize]=3',
    strapi: page([{ id: 1 }, { id: 2 }, { id: 3 }], 3, 3),
    sheaf: page([{ id: 1 }, { id: 2 }], 3, 2),
  },
  'page-alone': {
    target: '/api/restaurants?pagination[page]=1',
    strapi: page([{ id: 1 }], 2, 1),
    sheaf: page([{ id: 1 }, { id: 2 }], 2),
  },
  cursor: {
    target: '/api/restaurants?pagination[cursor]=abc',
    strapi: page([{ id: 1 }], 2),
    sheaf: page([{ id: 2 }], 2),
  },
  'case-sensitive': { target: '/api/restaurants?filters[name][$contains]=a', strapi: ids(1, 2), sheaf: ids(1) },
  'unicode-case': { target: '/api/restaurants?filters[name][$eqi]=DŌJŌ', strapi: ids(), sheaf: ids(1) },
  wildcards: {
    target: '/api/restaurants?filters[name][$eqi]=a%25',
    strapi: ids(1, 2),
    sheaf: ids(),
    database: 'PostgreSQL',
  },
  'none-of-several': {
    target: '/api/restaurants?filters[name][$ne][0]=a&filters[name][$ne][1]=b',
    strapi: ids(1, 2),
    sheaf: ids(1),
  },
  'null-in-not-in': {
    target: '/api/restaurants?filters[name][$notIn][0]=a&filters[name][$notIn][1]',
    strapi: ids(),
    sheaf: ids(1),
  },
  'long-list': {
    target: `/api/restaurants?${Array.from({ length: 101 }, (_, index) => `filters[id][$in][]=${index}`).join('&')}`,
    strapi: ids(1, 2, 300),
    sheaf: ids(1, 2),
  },
  'json-equality': { target: '/api/restaurants?filters[meta]={"a": 1}', strapi: ids(), sheaf: ids(1) },
  'datetime-zone': {
    target: '/api/restaurants?filters[inspectedAt][$gt]=2026-01-01',
    strapi: ids(1, 2),
    sheaf: ids(1),
  },
  'text-comparison': {
    target: '/api/restaurants?filters[name][$lt]=b',
    strapi: ids(1, 2),
    sheaf: ids(1),
    database: 'PostgreSQL',
  },
  'filter-by-locale': {
    target: '/api/articles?filters[locale]=fr&locale=en',
    strapi: ids(2),
    sheaf: ids(),
  },
  'colliding-groups': {
    target: '/api/restaurants?filters[$or][0][stars]=1&filters[chef][$or][0][age]=40',
    strapi: ids(1, 2),
    sheaf: ids(1),
  },
  'related-rows': { target: '/api/bookmarks?filters[articles][readingMinutes]=3', strapi: ids(1, 2), sheaf: ids(1) },
  search: { target: '/api/restaurants?_q=vip', strapi: ids(1), sheaf: ids() },
  'search-unicode-case': { target: '/api/restaurants?_q=DŌJŌ', strapi: ids(), sheaf: ids(4) },
  'complete-localizations': {
    target: '/api/articles?locale=*&populate=localizations',
    strapi: entries({ id: 1, localizations: [] }),
    sheaf: entries({ id: 1, localizations: [{ id: 2 }] }),
  },
  'counted-once': {
    target: '/api/chefs?populate[restaurants][count]=true&populate[restaurants][filters][dishes][vegan]=true',
    strapi: entries({ id: 1, restaurants: { count: 5 } }),
    sheaf: entries({ id: 1, restaurants: { count: 2 } }),
  },
  'null-order': {
    target: '/api/restaurants?sort=stars&pagination[pageSize]=2',
    strapi: page(
      [
        { id: 3, stars: null },
        { id: 1, stars: 1 },
      ],
      3,
      2,
    ),
    sheaf: page(
      [
        { id: 1, stars: 1 },
        { id: 2, stars: 2 },
      ],
      3,
      2,
    ),
  },
  'text-order': {
    target: '/api/restaurants?sort=name',
    strapi: entries({ id: 1, name: 'a' }, { id: 2, name: 'B' }),
    sheaf: entries({ id: 2, name: 'B' }, { id: 1, name: 'a' }),
    database: 'PostgreSQL',
  },
};

describe('A deliberate difference', () => {
  /** Those that need another model than that of the guide. */
  const ELSEWHERE = ['hidden-behind-morph', 'morph-with-fields', 'users-drafts'];
  it('has a rule of its own name and a line of text', () => {
    const names = DIFFERENCE_RULES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([...Object.keys(EXPLAINED), ...ELSEWHERE].toSorted()).toEqual(names.toSorted());
    for (const { text } of DIFFERENCE_RULES) expect(text).toMatch(/^[^\n]{20,140}$/);
  });

  it.each<[string, Case]>([
    [
      'refused by name',
      {
        target: '/api/restaurants?populate=dishes',
        strapi: entries({ id: 1, dishes: [{ id: 2 }] }),
        sheaf: refused('Invalid key dishes', { key: 'dishes', path: null, source: 'query', param: 'populate' }),
      },
    ],
    [
      'left out',
      {
        target: '/api/restaurants?populate=*',
        strapi: entries({ id: 1, dishes: [{ id: 2 }] }),
        sheaf: entries({ id: 1 }),
      },
    ],
  ])('is recognized: own-code, where a relation to a type that it closes is %s', (_name, example) => {
    expect(verdict({ ...example, code: DISH_CONTROLLER })).toEqual({ rules: ['own-code'], unexplained: [] });
    expect(verdict(example).unexplained).toHaveLength(1);
  });

  it('is recognized: related-rows, where drafts decide over the order', () => {
    const example = { target: '/api/bookmarks?sort=article.title', strapi: ids(1, 2), sheaf: ids(2, 1) };
    expect(verdict({ ...example, database: 'PostgreSQL' }).rules).toEqual(['related-rows']);
  });

  it('is recognized: null-order, also on a page without a total', () => {
    const target = '/api/restaurants?sort=chef.name&pagination[limit]=1&pagination[withCount]=false';
    const [one, other] = [ok({ data: [{ id: 3 }], meta: {} }), ok({ data: [{ id: 1 }], meta: {} })];
    expect(verdict({ target, strapi: one, sheaf: other })).toEqual({ rules: ['null-order'], unexplained: [] });
    const shorter = ok({ data: [], meta: {} });
    expect(verdict({ target, strapi: one, sheaf: shorter }).unexplained).toHaveLength(1);
  });

  it('is recognized: null-order, beside a biginteger, which is ordered as a number', () => {
    const [small, large, none] = [
      { id: 1, visits: '9', stars: 1 },
      { id: 2, visits: '10', stars: 1 },
      { id: 3, visits: '10', stars: null },
    ];
    const target = '/api/restaurants?sort[0]=stars:desc&sort[1]=visits';
    const example = { target, strapi: entries(small, large, none), sheaf: entries(none, small, large) };
    expect(verdict(example)).toEqual({ rules: ['null-order'], unexplained: [] });
  });

  describe('of polymorphic relations, which the guide has none of', () => {
    const notes = modelOf({
      types: {
        note: {
          attributes: {
            about: { type: 'relation', relation: 'morphToOne' },
            code: { type: 'password' },
            draft: { type: 'string', private: true },
          },
        },
        page: {
          attributes: { note: { type: 'relation', relation: 'morphOne', target: 'api::note.note', morphBy: 'about' } },
        },
      },
    });
    it.each([
      [
        'morph-with-fields',
        '/api/notes?fields=id&populate=about',
        { about: null },
        { about: { id: 2, __type: 'api::note.note' } },
      ],
      ['morph-with-fields', '/api/pages?populate[note][fields]=id', { note: null }, { note: { id: 2 } }],
      [
        'hidden-behind-morph',
        '/api/pages?populate=note',
        { note: { id: 2, code: '$2a$10$hash', draft: 'x' } },
        { note: { id: 2 } },
      ],
    ])('is recognized: %s, by %s', (rule, target, strapi, sheaf) => {
      const found = judge({
        target,
        query: queryOfTarget(target),
        place: placeOf(notes, '/api', target),
        model: notes,
        withheld: new Withheld([]),
        database: null,
        strapi: entries({ id: 1, ...strapi }),
        sheaf: entries({ id: 1, ...sheaf }),
      });
      expect(found).toEqual({ rules: [rule], unexplained: [] });
    });
  });

  it('is recognized: users-drafts, where users of a project are extended by a relation', () => {
    const users = model.contentTypes.get(USER)!;
    const articles = model.contentTypes.get('api::author.author')!.attributes.get('articles')!;
    const type = { ...users, attributes: new Map([...users.attributes, ['articles', articles]]) };
    const target = '/api/users/1?populate=articles';
    const found = judge({
      target,
      query: queryOfTarget(target),
      place: { type, form: 'entry', entry: '1' },
      model,
      withheld: new Withheld([]),
      database: null,
      strapi: ok({ id: 1, articles: [{ id: 2 }, { id: 3 }] }),
      sheaf: ok({ id: 1, articles: [{ id: 3 }] }),
    });
    expect(found).toEqual({ rules: ['users-drafts'], unexplained: [] });
  });

  it('is recognized: sort-key-shown, where Strapi 5 needs no join', () => {
    const target =
      '/api/articles?fields=title&populate[localizations][fields]=title&populate[localizations][sort]=slug';
    const strapi = entries({ id: 1, localizations: [{ id: 2, title: 'a' }] });
    const sheaf = entries({ id: 1, localizations: [{ id: 2, title: 'a', slug: 'b' }] });
    expect(verdict({ target, strapi, sheaf })).toEqual({ rules: ['sort-key-shown'], unexplained: [] });
  });

  it('is recognized: counted-media, where one file is shown instead of a number', () => {
    const target = '/api/restaurants?populate[cover][count]=true';
    const sheaf = entries({ id: 1, cover: { count: 1 } });
    const found = verdict({ target, strapi: entries({ id: 1, cover: { id: 4, name: 'a' } }), sheaf });
    expect(found).toEqual({ rules: ['counted-media'], unexplained: [] });
    expect(verdict({ target, strapi: entries({ id: 1, cover: { count: 2 } }), sheaf }).rules).toEqual([]);
  });

  it('is recognized: users-page, where nothing is counted', () => {
    const example = {
      target: '/api/users?pagination[page]=2&pagination[pageSize]=1&pagination[withCount]=false',
      strapi: ok([{ id: 1 }, { id: 2 }]),
      sheaf: ok({ data: [{ id: 2 }], meta: { pagination: { page: 2, pageSize: 1 } } }),
    };
    expect(verdict(example)).toEqual({ rules: ['users-envelope', 'users-page'], unexplained: [] });
  });

  it.each(Object.entries(EXPLAINED))('is recognized: %s', (name, example) => {
    const { rules, unexplained } = verdict(example);
    expect(unexplained).toEqual([]);
    expect(rules).toContain(name);
  });
});

describe('A difference that no rule is about', () => {
  const unexplained = (example: Case): string[] => verdict(example).unexplained.map(({ kind }) => kind);

  it('is unexplained: another value', () => {
    const example = {
      target: '/api/restaurants',
      strapi: entries({ id: 1, name: 'a' }),
      sheaf: entries({ id: 1, name: 'b' }),
    };
    expect(verdict(example)).toEqual({
      rules: [],
      unexplained: [{ kind: 'value', path: ['data', 0, 'name'], strapi: 'a', sheaf: 'b' }],
    });
  });

  it('is unexplained also in an entry of a list whose selection is explained', () => {
    const example = {
      target: '/api/restaurants?filters[name][$contains]=a',
      strapi: entries({ id: 1, name: 'a' }, { id: 2, name: 'A' }),
      sheaf: entries({ id: 1, name: 'b' }),
    };
    expect(verdict(example).rules).toEqual(['case-sensitive']);
    expect(unexplained(example)).toEqual(['value']);
  });

  it.each<[string, Case]>([
    [
      'a key that Strapi takes and the model lacks',
      {
        ...EXPLAINED['media-condition']!,
        target: '/api/restaurants?filters[gone]=1',
        sheaf: refused('Invalid key gone', { key: 'gone', path: null, ...inFilters }),
      },
    ],
    [
      'a relation that Strapi shows and Sheaf refuses',
      { ...EXPLAINED['forbidden-relation']!, strapi: entries({ id: 1, owner: { id: 2 } }) },
    ],
    [
      'a right that only one of them grants',
      { target: '/api/articles', strapi: ids(1), sheaf: error(403, 'ForbiddenError', 'Forbidden') },
    ],
    [
      'an entry that is not found',
      {
        target: '/api/articles/abc',
        strapi: ok({ data: { id: 1 }, meta: {} }),
        sheaf: error(404, 'NotFoundError', 'Not Found'),
      },
    ],
    [
      'null where a list of entries is empty',
      {
        target: '/api/restaurants?populate=dishes',
        strapi: entries({ id: 1, dishes: null }),
        sheaf: entries({ id: 1, dishes: [] }),
      },
    ],
    ['the order of a list without a sort', { target: '/api/restaurants', strapi: ids(1, 2), sheaf: ids(2, 1) }],
    [
      'the order of a list that is populated',
      {
        target: '/api/restaurants?populate=dishes',
        strapi: entries({ id: 1, dishes: [{ id: 1 }, { id: 2 }] }),
        sheaf: entries({ id: 1, dishes: [{ id: 2 }, { id: 1 }] }),
      },
    ],
    [
      'a sort that is wrong whatever the place of nulls',
      {
        target: '/api/restaurants?sort=stars',
        strapi: entries({ id: 1, stars: 1 }, { id: 2, stars: 2 }),
        sheaf: entries({ id: 2, stars: 2 }, { id: 1, stars: 1 }),
      },
    ],
    ['the case of $contains on PostgreSQL', { ...EXPLAINED['case-sensitive']!, database: 'PostgreSQL' }],
    ['the place of nulls on PostgreSQL', { ...EXPLAINED['null-order']!, database: 'PostgreSQL' }],
    [
      'a filter without anything special',
      { target: '/api/restaurants?filters[stars]=3', strapi: ids(1, 2), sheaf: ids(1) },
    ],
    [
      'the filter of another list',
      {
        target: '/api/restaurants?filters[name][$contains]=a&populate=dishes',
        strapi: entries({ id: 1, dishes: [{ id: 1 }] }),
        sheaf: entries({ id: 1, dishes: [] }),
      },
    ],
    [
      'a name of an error',
      {
        target: '/api/restaurants?sort=nope',
        strapi: error(400, 'PaginationError', 'a'),
        sheaf: error(400, 'ValidationError', 'a'),
      },
    ],
    ['a failure of Sheaf', { target: '/api/restaurants', strapi: ids(1), sheaf: failed }],
    [
      'an answer that did not come',
      {
        target: '/api/restaurants?filters[open]=yes',
        strapi: { status: NO_ANSWER, body: 'ECONNRESET' },
        sheaf: EXPLAINED['value-refused']!.sheaf,
      },
    ],
    ['a list outside /api/users that is bare', { target: '/api/restaurants', strapi: ok([{ id: 1 }]), sheaf: ids(1) }],
    [
      'users that are missing beyond a page',
      { target: '/api/users', strapi: ok([{ id: 1 }, { id: 2 }]), sheaf: page([{ id: 1 }], 1) },
    ],
    [
      'digits of a number that is not too large',
      { target: '/api/restaurants', strapi: entries({ id: 1, visits: '42' }), sheaf: entries({ id: 1, visits: '43' }) },
    ],
    [
      'another time of day',
      {
        target: '/api/restaurants',
        strapi: entries({ id: 1, kitchenCloses: '22:30:00' }),
        sheaf: entries({ id: 1, kitchenCloses: '22:31:00.000' }),
      },
    ],
  ])('is unexplained: %s', (_name, example) => {
    expect(unexplained(example)).not.toEqual([]);
  });

  it('is none: the order of keys, and equal answers', () => {
    const strapi = entries({ id: 1, meta: { a: 1, b: [1, 2] } });
    const sheaf = entries({ meta: { b: [1, 2], a: 1 }, id: 1 });
    expect(verdict({ target: '/api/restaurants', strapi, sheaf })).toEqual({ rules: [], unexplained: [] });
  });
});
