// Which parameters nobody has to know, and which are a known one spelled wrongly.
import { describe, expect, it } from 'vitest';
import { sentRefusal } from '../../test/support/refusal.ts';
import { type Admission, admitQuery, MEANINGLESS_ON_DELETE, MEANINGLESS_ON_WRITE, nearMiss } from './admit-query.ts';
import { parseQueryString } from './query-string.ts';

const LAX: Admission = { meaningless: [], strict: false };
const admitted = (query: string, admission = LAX) => {
  const { parameters, ignored } = admitQuery(parseQueryString(query), admission);
  return { parameters: JSON.parse(JSON.stringify(parameters)), ignored };
};

describe('a parameter', () => {
  it('that the dialect has is passed on, in its right place or not', () => {
    const query = parseQueryString('filters[a]=1&sort=a&pagination[page]=1&_q=x&page=2');
    const { parameters, ignored } = admitQuery(query, LAX);
    expect(parameters).toBe(query);
    expect(ignored).toEqual([]);
  });

  it('that nobody knows is ignored, unless the project is strict', () => {
    const query = 'utm_source=x&_t=1&fbclid[a]=2&sort=a';
    expect(admitted(query)).toEqual({ parameters: { sort: 'a' }, ignored: ['utm_source', '_t', 'fbclid'] });
    expect(sentRefusal(() => admitted(query, { ...LAX, strict: true }))).toEqual({
      status: 400,
      name: 'ValidationError',
      message: 'Invalid key utm_source',
      details: { key: 'utm_source', path: null, source: 'query', param: 'utm_source' },
    });
  });

  it('that Strapi takes without effect is ignored, also if the project is strict', () => {
    expect(admitted('count=1&ordering=x&sort=a', { ...LAX, strict: true })).toEqual({
      parameters: { sort: 'a' },
      ignored: ['count', 'ordering'],
    });
  });

  it.each([true, false])('that is nearly a known one is refused with what was meant (strict: %s)', (strict) => {
    expect(sentRefusal(() => admitted('filter[name]=x', { ...LAX, strict }))).toEqual({
      status: 400,
      name: 'ValidationError',
      message: 'Invalid key filter: did you mean filters?',
      details: { key: 'filter', path: null, source: 'query', param: 'filter' },
    });
  });

  it.each([
    ['filter', 'filters'],
    ['filtres', 'filters'],
    ['Filters', 'filters'],
    ['populates', 'populate'],
    ['popualte', 'populate'],
    ['poplate', 'populate'],
    ['sorts', 'sort'],
    ['_sort', 'sort'],
    ['field', 'fields'],
    ['feilds', 'fields'],
    ['paginations', 'pagination'],
    ['pagintaion', 'pagination'],
    ['locales', 'locale'],
    ['local', 'locale'],
    ['statuses', 'status'],
    ['publicationfilter', 'publicationFilter'],
    ['q', '_q'],
    ['lookup', 'filters'],
    ['pagesize', 'pagination[pageSize]'],
    ['_limit', 'pagination[limit]'],
    ['limits', 'pagination[limit]'],
  ])('%s is nearly %s', (name, meant) => {
    expect(nearMiss(name)).toBe(meant);
  });

  it.each([
    'utm_source',
    '_t',
    't',
    '_',
    '_rsc',
    'v',
    'ref',
    'id',
    'slug',
    'state',
    'port',
    'sport',
    'report',
    'token',
    'where',
    '_where',
  ])('%s is a name of its own', (name) => {
    expect(nearMiss(name)).toBeNull();
  });

  it('that only responses have is ignored in pagination', () => {
    expect(admitted('pagination[page]=2&pagination[pageCount]=3&pagination[total]=9')).toEqual({
      parameters: { pagination: { page: '2' } },
      ignored: ['pagination[pageCount]', 'pagination[total]'],
    });
  });

  it('that changes nothing about a write is ignored, but never a condition', () => {
    const query = 'sort=a&pagination[total]=1&fields=a&populate=b&filters[a]=1';
    expect(admitted(query, { ...LAX, meaningless: MEANINGLESS_ON_WRITE })).toEqual({
      parameters: { fields: 'a', populate: 'b', filters: { a: '1' } },
      ignored: ['sort', 'pagination'],
    });
    expect(admitted(query, { meaningless: MEANINGLESS_ON_DELETE, strict: true })).toEqual({
      parameters: { filters: { a: '1' } },
      ignored: ['sort', 'pagination', 'fields', 'populate'],
    });
  });
});
