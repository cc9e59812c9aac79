// What a read is estimated to cost: which parts count once, which for each row, and that no depth multiplies them.
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../../test/support/project.ts';
import { authorize } from '../../access/authorize.ts';
import { systemCaller } from '../../access/caller.ts';
import { MAX_SMALL_COST } from '../../limits.ts';
import { NO_LIMIT, parseRead } from '../../request/parse-read.ts';
import { estimateCost, type ReadCost } from './cost.ts';
import { planRead } from './plan-read.ts';

const model = modelOf({
  types: {
    page: {
      attributes: {
        title: { type: 'string', index: true },
        subtitle: { type: 'string' },
        free: { type: 'json' },
        body: { type: 'richtext' },
        tags: relation('manyToMany', 'tag', { inversedBy: 'pages' }),
      },
    },
    tag: { attributes: { name: { type: 'string' }, pages: relation('manyToMany', 'page', { mappedBy: 'tags' }) } },
  },
});
const PAGE = model.contentTypes.get('api::page.page')!;
const SIZES: Readonly<Record<string, number>> = { pages: 10_000, tags: 100, pages_tags_lnk: 20_000 };

function costOf(parameters: object, sizes = SIZES, limit = 25, byDocument = false): ReadCost {
  const defaults = { status: 'published', pagination: NO_LIMIT } as const;
  const operation = { name: 'find', type: PAGE, parameters, defaults } as const;
  const plan = planRead(
    { model },
    authorize(operation, systemCaller(model)),
    parseRead(parameters, defaults).shape,
    byDocument,
  );
  return estimateCost(plan, (table) => sizes[table] ?? 0, limit);
}
const rowsOf = (parameters: object, sizes = SIZES, limit = 25): number => costOf(parameters, sizes, limit).rows;
/** Three rows in every table. */
const FEW = Object.fromEntries(Object.keys(SIZES).map((table) => [table, 3]));
const times = (factor: number): Record<string, number> =>
  Object.fromEntries(Object.entries(SIZES).map(([table, rows]) => [table, rows * factor]));

describe('the long texts of a read', () => {
  const textsOf = (parameters: object, byDocument = false): number => costOf(parameters, SIZES, 25, byDocument).texts;

  it('are those that its conditions look through, as often as they do', () => {
    expect(textsOf({ filters: { title: { $contains: 'x' } } })).toBe(0);
    expect(textsOf({ filters: { body: 'x' } })).toBe(0);
    expect(textsOf({ filters: { body: { $startsWith: 'x' } } })).toBe(0);
    expect(textsOf({ filters: { body: { $containsi: 'x' } } })).toBe(1);
    expect(textsOf({ filters: { free: '[1]' } })).toBe(1);
    expect(textsOf({ filters: { free: { $at: { a: { $eq: '1' } } } } })).toBe(0);
    expect(textsOf({ filters: { $or: [{ body: { $contains: 'x' } }, { $not: { body: { $eqi: 'y' } } }] } })).toBe(2);
    expect(textsOf({ filters: { tags: { pages: { body: { $contains: 'x' } } } } })).toBe(1);
    expect(textsOf({ _q: 'x' })).toBe(1);
    expect(textsOf({ _q: 'x', facets: 'title,tags.name' })).toBe(3);
    expect(textsOf({ filters: { body: { $contains: 'x' } } }, true)).toBe(0);
  });

  it('are those that it sorts and groups by, once for each path', () => {
    expect(textsOf({ sort: 'body' })).toBe(1);
    expect(textsOf({ sort: 'tags.name' })).toBe(0);
    expect(textsOf({ sort: 'tags.pages.body' })).toBe(2);
    expect(textsOf({ facets: 'body' })).toBe(1);
    expect(textsOf({ facets: 'title' })).toBe(0);
  });
});

describe('the cost of a read', () => {
  it('grows with the rows of its table and with each condition', () => {
    expect(rowsOf({})).toBe(1_000);
    expect(rowsOf({ filters: { title: 'x' } })).toBe(20_000);
    expect(rowsOf({ filters: { id: 1 } }, times(1_000))).toBe(rowsOf({ filters: { id: 1 } }));
    expect(rowsOf({ filters: { id: { $ne: 1 } } })).toBe(20_000);
    expect(rowsOf({ filters: { $or: [{ id: 1 }, { title: 'x' }] } })).toBe(30_000);
    const list = (count: number, operator: string) => ({
      filters: { $or: Array.from({ length: count }, (_, index) => ({ title: { [operator]: `x${index}` } })) },
    });
    expect(rowsOf(list(80, '$contains'))).toBeGreaterThan(70 * rowsOf(list(1, '$eq')));
    expect(rowsOf(list(80, '$containsi'))).toBeGreaterThan(rowsOf(list(80, '$contains')));
    expect(rowsOf({ filters: { free: { $eq: '1' } } })).toBeGreaterThan(rowsOf(list(10, '$eq')));
  });

  it('counts every row of an aggregate and of each facet, and every path that is followed for it', () => {
    const grouped = (group: string) => rowsOf({ facets: group });
    expect(grouped('title')).toBeGreaterThan(rowsOf({}) + 3 * SIZES.pages!);
    expect(rowsOf({ facets: ['title', 'subtitle'] })).toBe(2 * grouped('title') - rowsOf({}));
    expect(grouped('tags.name')).toBeGreaterThan(grouped('title') + SIZES.pages_tags_lnk!);
    // 10,000 pages with 2 tags each, of which each has 200 pages with 2 tags each.
    expect(grouped('tags.pages.tags.name')).toBeGreaterThan(10_000 * 2 * 200 * 2);
  });

  it('does not grow with the table for a page by cursor that an index leads to', () => {
    const page = (more: object = {}, pagination: object = {}) => ({
      ...more,
      pagination: { cursor: '', ...pagination },
    });
    for (const parameters of [page(), page({ sort: 'title:desc' }), page({ sort: 'id' })])
      expect(rowsOf(parameters, times(1_000))).toBe(rowsOf(parameters, times(10)));
    for (const parameters of [
      page({ sort: 'subtitle' }),
      page({ sort: 'title', filters: { subtitle: 'x' } }),
      page({ sort: 'title' }, { withCount: true }),
      { sort: 'title' },
    ])
      expect(rowsOf(parameters, times(1_000)), JSON.stringify(parameters)).toBe(100 * rowsOf(parameters, times(10)));
  });

  it('tells comparisons that put together a text for each row', () => {
    const [text, value, json] = [
      { title: { $contains: 'x' } },
      { free: { $eq: 'x' } },
      { free: { $contains: 'x' } },
    ].map((filters) => rowsOf({ filters }));
    expect(value).toBeGreaterThan(5 * text!);
    expect(json).toBeGreaterThan(10 * value!);
    // How long the text is, is not known: over a few rows as well it may hold up everyone.
    expect(rowsOf({ filters: { free: { $notContainsi: 'x' } } }, FEW)).toBeGreaterThan(MAX_SMALL_COST);
    expect(rowsOf({ filters: { free: { $at: { a: { $containsi: 'x' } } } } }, FEW)).toBeLessThan(MAX_SMALL_COST);
  });

  it('counts a condition through a relation as one pass over the links of each step', () => {
    /** An even number of steps, there and back. */
    const deep = (steps: number): object => {
      let filters: object = { title: 'x' };
      for (let step = 0; step < steps; step++) filters = step % 2 === 0 ? { pages: filters } : { tags: filters };
      return { filters };
    };
    const [two, four, six] = [rowsOf(deep(2)), rowsOf(deep(4)), rowsOf(deep(6))];
    expect(six - four).toBe(four - two);
  });

  it('counts a set as a pass over its links, and one behind another as one more', () => {
    const nested = (steps: number, operator: string): object => {
      let filters: object = { title: 'x' };
      for (let step = 0; step < steps; step++)
        filters = { [step % 2 === 0 ? 'pages' : 'tags']: { [operator]: filters } };
      return { filters };
    };
    for (const operator of ['$some', '$none', '$every']) {
      const [two, four, six] = [2, 4, 6].map((steps) => rowsOf(nested(steps, operator)));
      expect(six! - four!, operator).toBe(four! - two!);
      expect(rowsOf(nested(4, operator), times(10)) / four!).toBeCloseTo(10, 0);
    }
    const [none, counted, two, all] = [
      { tags: { $none: { name: 'x' } } },
      { tags: { $count: { $gt: 1, where: { name: 'x' } } } },
      { tags: { name: { $all: ['x', 'y'] } } },
      { tags: { name: { $all: ['x', 'y', 'z', 'u', 'v'] } } },
    ].map((filters) => rowsOf({ filters }));
    expect(none).toBeGreaterThanOrEqual(SIZES.pages_tags_lnk!);
    expect(counted).toBeGreaterThan(2 * none!);
    expect(two).toBeGreaterThanOrEqual(2 * SIZES.pages_tags_lnk!);
    expect(all).toBeGreaterThan(2 * none!);
    expect(rowsOf({ filters: { free: { $at: { seats: { $gt: 1 } } } } })).toBe(rowsOf({ filters: { free: '1' } }));
  });

  it('follows the links of few rows, and does not pass over all', () => {
    const parameters = { filters: { tags: { name: { $contains: 'x' } } } };
    const oneOf = (sizes: Readonly<Record<string, number>>): number => costOf(parameters, sizes, 1, true).rows;
    expect(rowsOf(parameters)).toBeGreaterThan(SIZES.pages_tags_lnk!);
    expect(oneOf(SIZES)).toBeLessThan(SIZES.pages_tags_lnk! / 10);
    // One row may have very many of them.
    expect(oneOf(times(1_000))).toBeGreaterThan(100 * oneOf(SIZES));
  });

  it('names what a sort makes of related entries', () => {
    const titles = costOf({ sort: 'tags.$count,tags.name.$max' }).parts.map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['sort by tags → $count', 'sort by tags → name → $max']));
  });

  it('is linear in the sizes of tables, however deep a sort leads', () => {
    for (const sort of ['title', 'tags.name', 'tags.pages.title', 'tags.pages.tags.pages.title'])
      expect(rowsOf({ sort }, times(10)) / rowsOf({ sort })).toBeCloseTo(10, 0);
  });

  it('grows with what is populated, which grows with the entries shown', () => {
    const populate = { tags: { populate: { pages: true } } };
    expect(rowsOf({ populate }, SIZES, 1)).toBeLessThan(rowsOf({ populate }, SIZES, 100));
    expect(rowsOf({ populate: { tags: { sort: 'pages.tags.name' } } })).toBeGreaterThan(
      rowsOf({ populate: { tags: true } }),
    );
  });

  it('counts the values of entries that a response has', () => {
    const written = (parameters: object, limit: number) => costOf(parameters, SIZES, limit).written;
    expect(written({ fields: 'title' }, 50)).toBeLessThan(written({}, 50));
    expect(written({}, 100)).toBe(2 * written({}, 50));
    expect(written({ populate: { tags: true } }, 50)).toBeGreaterThan(written({}, 50));
    expect(written({ populate: { tags: { fields: 'name' } } }, 50)).toBeLessThan(
      written({ populate: { tags: true } }, 50),
    );
  });

  it('names its parts in the words of the request', () => {
    const { parts } = costOf({ sort: 'tags.pages.title', populate: { tags: true } });
    expect(parts.map(({ title }) => title)).toEqual(['rows of pages', 'sort by tags → pages → title', 'populate tags']);
  });
});
