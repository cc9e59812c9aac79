// Envelopes: what stands in `meta`, for each way of asking for a page.
import { describe, expect, it } from 'vitest';
import type { Pagination } from '../request/read-request.ts';
import { entryJson, pageJson } from './envelope.ts';

const page = (more: Partial<Pagination> = {}): Pagination => ({
  mode: 'page',
  start: 0,
  limit: 25,
  withCount: true,
  ...more,
});
const metaOf = (pagination: Pagination, total: number | null, omitted: string[] = []) =>
  JSON.parse(pageJson(pagination, { text: () => '', total }, omitted)).meta;

describe('the envelope of an entry', () => {
  it('holds the entry as it is, and an empty meta', () => {
    expect(entryJson('{"id":1}', [])).toBe('{"data":{"id":1},"meta":{}}');
    expect(entryJson('null', [])).toBe('{"data":null,"meta":{}}');
  });

  it('tells what * left out', () => {
    expect(JSON.parse(entryJson('{}', ['a', 'b.c"d'])).meta).toEqual({ omitted: ['a', 'b.c"d'] });
  });
});

describe('the envelope of a page', () => {
  it('holds the entries as they are', () => {
    expect(JSON.parse(pageJson(page(), { text: () => '{"id":1},{"id":2}', total: 2 }, [])).data).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    expect(JSON.parse(pageJson(page(), { text: () => '', total: 0 }, [])).data).toEqual([]);
  });

  it.each([
    [0, 25, 0, { page: 1, pageSize: 25, pageCount: 0, total: 0 }],
    [0, 25, 25, { page: 1, pageSize: 25, pageCount: 1, total: 25 }],
    [25, 25, 26, { page: 2, pageSize: 25, pageCount: 2, total: 26 }],
    [90, 10, 5, { page: 10, pageSize: 10, pageCount: 1, total: 5 }],
  ])('counts pages: from %i by %i of %i', (start, limit, total, pagination) => {
    expect(metaOf(page({ start, limit }), total)).toEqual({ pagination });
  });

  it('tells where a part begins, where one was asked for by its offset', () => {
    expect(metaOf(page({ mode: 'offset', start: 3, limit: 2 }), 9)).toEqual({
      pagination: { start: 3, limit: 2, total: 9 },
    });
  });

  it('tells the cursors of the pages around it, where one was asked for by cursor', () => {
    const meta = (total: number | null) =>
      JSON.parse(
        pageJson(
          page({ mode: 'cursor', limit: 2 }),
          { text: () => '', total, cursors: { next: 'a-b_', previous: null } },
          [],
        ),
      ).meta.pagination;
    expect(meta(null)).toEqual({ pageSize: 2, next: 'a-b_', previous: null });
    expect(meta(9)).toEqual({ pageSize: 2, next: 'a-b_', previous: null, total: 9 });
  });

  it('tells no totals where they were not counted', () => {
    expect(metaOf(page({ start: 50 }), null)).toEqual({ pagination: { page: 3, pageSize: 25 } });
    expect(metaOf(page({ mode: 'offset' }), null)).toEqual({ pagination: { start: 0, limit: 25 } });
  });

  it('tells what * left out, beside the pagination', () => {
    expect(metaOf(page(), 1, ['writer'])).toEqual({ pagination: expect.any(Object), omitted: ['writer'] });
  });
});
