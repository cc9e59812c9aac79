// Sort keys against the model: the way they take, what they may end at, and that the id comes last.
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../../test/support/project.ts';
import { sentRefusal } from '../../../test/support/refusal.ts';
import { accessOf } from '../../../test/support/rules.ts';
import { type Access, systemAccess } from '../../access/access.ts';
import { NO_LIMIT, parseRead } from '../../request/parse-read.ts';
import { PlanContext } from './context.ts';
import { BY_ID, planSort } from './plan-sort.ts';

const model = modelOf({
  types: {
    page: {
      attributes: {
        title: { type: 'string' },
        free: { type: 'json' },
        story: { type: 'blocks' },
        writer: relation('manyToOne', 'writer'),
        seal: { type: 'component', component: 'kit.seal' },
        zone: { type: 'dynamiczone', components: ['kit.seal'] },
      },
    },
    writer: { drafts: true, attributes: { name: { type: 'string' }, boss: relation('manyToOne', 'writer') } },
  },
  components: { 'kit.seal': { year: { type: 'integer' } } },
});
const PAGE = model.contentTypes.get('api::page.page')!;

function sorted(sort: unknown, access: Access = systemAccess(model)) {
  const context = new PlanContext(model, { status: 'published', publication: null }, access);
  const keys = parseRead({ sort }, { status: 'published', pagination: NO_LIMIT }).shape.sort;
  return planSort(context, PAGE, keys, { param: 'sort', path: [] });
}
const shown = (sort: unknown): string[] =>
  sorted(sort).map(({ steps, column, descending }) =>
    [...steps.map(({ table }) => table), column.column, descending ? 'desc' : 'asc'].join(' '),
  );

describe('an order', () => {
  it('ends with the id, so that pages never overlap', () => {
    expect(sorted(undefined)).toEqual([BY_ID]);
    expect(shown('title:desc')).toEqual(['title desc', 'id asc']);
  });

  it('has no keys behind the id', () => {
    expect(shown(['title', 'id:desc', 'writer.name'])).toEqual(['title asc', 'id desc']);
  });

  it('has keys behind the id of another row', () => {
    expect(shown(['writer.id', 'title'])).toEqual(['writers id asc', 'title asc', 'id asc']);
  });

  it('leads through relations and components, to rows in the status asked for', () => {
    expect(shown(['writer.boss.name:desc', 'seal.year'])).toEqual([
      'writers writers name desc',
      'components_kit_seals year asc',
      'id asc',
    ]);
    expect(sorted('writer.boss.name')[0]!.steps.map(({ where }) => where?.is)).toEqual(['notNull', 'notNull']);
  });
});

describe('a sort is refused', () => {
  it.each([
    ['by JSON', 'free', 'free', null],
    ['by blocks', 'story', 'story', null],
    ['by a relation itself', 'writer', 'writer', null],
    ['by a relation at the end of a path', 'writer.boss', 'boss', 'writer'],
    ['below a column', 'writer.name.first', 'first', 'writer.name'],
    ['through a zone', 'zone.year', 'zone', null],
    ['by an unknown name', 'writer.nosuch', 'nosuch', 'writer'],
  ])('%s, with the place of the key', (_why, sort, key, path) => {
    expect(sentRefusal(() => sorted(sort))).toMatchObject({
      status: 400,
      details: { key, path, source: 'query', param: 'sort' },
    });
  });

  it('by what the caller may read but not sort by', () => {
    const access = accessOf(model, { rules: { [PAGE.uid]: { fields: { read: ['title'], sort: ['writer'] } } } });
    expect(sentRefusal(() => sorted('title', access)).message).toBe('Invalid key title');
    expect(sorted('writer.name', access)).toHaveLength(2);
  });
});
