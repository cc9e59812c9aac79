// Which documents a write locks, which it only reads, and through which links it looks for others: nothing for links
// that it leaves alone.
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../../test/support/project.ts';
import { authorize } from '../../access/authorize.ts';
import { systemCaller } from '../../access/caller.ts';
import type { WriteName, WriteOperation } from '../../access/operation.ts';
import { parseWrite } from '../../request/parse-write.ts';
import { affectedBy } from './affected-documents.ts';
import { planWrite } from './plan-write.ts';

const model = modelOf({
  types: {
    page: {
      drafts: true,
      attributes: {
        title: { type: 'string' },
        tags: relation('manyToMany', 'tag', { inversedBy: 'pages' }),
        chapters: relation('oneToMany', 'chapter', { mappedBy: 'page' }),
        links: relation('manyToMany', 'tag'),
        cover: { type: 'media', multiple: false },
        seal: { type: 'component', component: 'kit.seal' },
      },
    },
    tag: {
      drafts: true,
      attributes: { name: { type: 'string' }, pages: relation('manyToMany', 'page', { mappedBy: 'tags' }) },
    },
    chapter: {
      attributes: { name: { type: 'string' }, page: relation('manyToOne', 'page', { inversedBy: 'chapters' }) },
    },
    board: { attributes: { page: relation('manyToOne', 'page') } },
  },
  components: { 'kit.seal': { tag: relation('oneToOne', 'tag') } },
});

function affected(name: WriteName, data: Record<string, unknown>, status: 'draft' | 'published' = 'draft') {
  const operation: WriteOperation = {
    name,
    type: model.contentTypes.get('api::page.page')!,
    documentId: name === 'create' ? null : 'own',
    data,
    parameters: name === 'create' || name === 'update' ? { status } : {},
    defaultStatus: 'published',
  };
  const caller = systemCaller(model);
  const plan = planWrite(
    { model, decimals: new Map() },
    authorize(operation, caller),
    parseWrite(operation, 'en', true),
  );
  const { locked, held, removed, appearing, lookUps } = affectedBy(model, plan, plan.documentId);
  const idsOf = (tables: typeof locked) =>
    Object.fromEntries(tables.map(({ table, documentIds, rowIds }) => [table, [...documentIds, ...rowIds]]));
  return {
    locked: idsOf(locked),
    held: idsOf(held),
    removed: idsOf(removed),
    appearing: idsOf(appearing),
    lookUps: lookUps.map(({ part, table }) => `${part.find} ${table} by ${part.link.table}`),
  };
}

describe('A write', () => {
  it('of scalars locks its document, and looks for nothing', () => {
    expect(affected('update', { title: 'x' })).toEqual({
      locked: { pages: ['own'] },
      held: {},
      removed: {},
      appearing: {},
      lookUps: [],
    });
  });

  it('that makes a document of scalars locks nothing', () => {
    expect(affected('create', { title: 'x' })).toEqual({
      locked: {},
      held: {},
      removed: {},
      appearing: {},
      lookUps: [],
    });
  });

  it('that connects locks those targets whose own list changes, and reads its list', () => {
    expect(affected('update', { tags: { connect: ['a', 7], disconnect: ['b'] } })).toEqual({
      locked: { pages: ['own'], tags: ['a', 'b', 7] },
      held: {},
      removed: {},
      appearing: {},
      lookUps: ['list tags by pages_tags_lnk'],
    });
  });

  it('of a one-way relation holds its targets, also those of a component', () => {
    expect(affected('update', { links: { connect: ['a'] }, seal: { tag: 'b' } })).toEqual({
      locked: { pages: ['own'] },
      held: { tags: ['a', 'b'] },
      removed: {},
      appearing: {},
      lookUps: ['list tags by pages_links_lnk'],
    });
  });

  it('locks the anchors of positions with the targets', () => {
    const connect = [{ documentId: 'a', position: { before: 'z' } }];
    expect(affected('update', { tags: { connect } }).locked).toEqual({ pages: ['own'], tags: ['a', 'z'] });
  });

  it('that replaces a list locks what it drops', () => {
    expect(affected('update', { tags: ['a'] }).lookUps).toEqual([
      'list tags by pages_tags_lnk',
      'linked tags by pages_tags_lnk',
    ]);
  });

  it('that takes targets with one owner locks the owners', () => {
    expect(affected('create', { chapters: ['c'] })).toEqual({
      locked: { chapters: ['c'] },
      held: {},
      removed: {},
      appearing: {},
      lookUps: ['owners pages by chapters_page_lnk'],
    });
  });

  it('of files holds them', () => {
    expect(affected('create', { cover: 3 })).toEqual({
      locked: {},
      held: { files: [3] },
      removed: {},
      appearing: {},
      lookUps: [],
    });
  });
});

describe('A publication', () => {
  it('looks for what only one of the two rows is linked with, and for who holds the document one-way', () => {
    expect(affected('update', { title: 'x' }, 'published')).toEqual({
      locked: { pages: ['own'] },
      held: {},
      removed: {},
      appearing: { pages: ['own'] },
      lookUps: [
        'changed tags by pages_tags_lnk',
        'changed chapters by chapters_page_lnk',
        'owners pages by chapters_page_lnk',
        'holders boards by boards_page_lnk',
        'recorded boards by boards_page_lnk',
      ],
    });
    expect(affected('publish', {}).lookUps).toEqual(affected('update', {}, 'published').lookUps);
  });

  it('of a new document has nothing to compare with', () => {
    expect(affected('create', { title: 'x' }, 'published').lookUps).toEqual([]);
  });
});

it('Deleting locks all that the document is linked with, and keeps others from linking with it', () => {
  expect(affected('delete', {}).removed).toEqual({ pages: ['own'] });
  expect(affected('delete', {}).lookUps).toEqual([
    'linked tags by pages_tags_lnk',
    'linked chapters by chapters_page_lnk',
    'owners pages by chapters_page_lnk',
    'holders boards by boards_page_lnk',
    'recorded boards by boards_page_lnk',
  ]);
});
