// What a write does to rows is decided by functions of the plan and of what was read, so it can be seen without a
// database: which rows a reference means, what becomes of a list, who would lose a link, which items stay.
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../test/support/project.ts';
import { refusalOf } from '../../test/support/refusal.ts';
import { userWith } from '../../test/support/rules.ts';
import { authorize } from '../access/authorize.ts';
import { type Caller, systemCaller } from '../access/caller.ts';
import type { WriteOperation } from '../access/operation.ts';
import { planWrite } from '../plan/write/plan-write.ts';
import { parseWrite } from '../request/parse-write.ts';
import { linkKey } from '../sql/link-names.ts';
import type { OwnerLink } from './affected-rows.ts';
import { decideVersion } from './entity.ts';
import type { EntityWrite } from './entity-writes.ts';
import type { MayAttach } from './file-rights.ts';
import type { StoredEntity, StoredField, StoredLink } from './gathered.ts';
import { resolveReferences } from './references.ts';
import type { LinkRights } from './row-rights.ts';
import type { Version } from './write-session.ts';

const model = modelOf({
  types: {
    page: {
      attributes: {
        title: { type: 'string' },
        tags: relation('manyToMany', 'tag', { inversedBy: 'pages' }),
        chapters: relation('oneToMany', 'chapter', { mappedBy: 'page' }),
        any: { type: 'relation', relation: 'morphToMany' },
        cover: { type: 'media', multiple: true },
        seals: { type: 'component', component: 'kit.seal', repeatable: true },
      },
    },
    tag: {
      drafts: true,
      attributes: { name: { type: 'string' }, pages: relation('manyToMany', 'page', { mappedBy: 'tags' }) },
    },
    chapter: {
      attributes: { name: { type: 'string' }, page: relation('manyToOne', 'page', { inversedBy: 'chapters' }) },
    },
  },
  components: { 'kit.seal': { name: { type: 'string' } } },
});
const PAGE = 'api::page.page';
const TAG = 'api::tag.tag';
const CHAPTER = 'api::chapter.chapter';
const FILE = 'plugin::upload.file';
const type = model.contentTypes.get(PAGE)!;
const self: Version = { id: 1, documentId: 'own', locale: null, published: true };
const system = systemCaller(model);

const version = (id: number, documentId: string, published = true): Version => ({
  id,
  documentId,
  locale: null,
  published,
});
/** The document `a` has the rows 11 and 12, `b` 21 and 22, `c` 31: a draft and what is published of it. */
const TAGS = [
  version(11, 'a', false),
  version(12, 'a'),
  version(21, 'b', false),
  version(22, 'b'),
  version(31, 'c', false),
];
const CHAPTERS = [version(5, 'e'), version(6, 'f')];

interface Facts {
  readonly caller?: Caller;
  /** Targets of the stored list, in order. */
  readonly list?: readonly number[];
  readonly rights?: Partial<LinkRights>;
  readonly owners?: readonly OwnerLink[];
  readonly mayAttach?: MayAttach;
  readonly field?: StoredField;
}

function decide(data: Record<string, unknown>, facts: Facts = {}): EntityWrite {
  const { caller = system, list = [], rights = {}, owners = [], mayAttach = () => true, field } = facts;
  const operation: WriteOperation = {
    name: 'update',
    type,
    documentId: 'own',
    data,
    parameters: {},
    defaultStatus: 'published',
  };
  const plan = planWrite(
    { model, decimals: new Map() },
    authorize(operation, caller),
    parseWrite(operation, 'en', true),
  );
  const findable = new Map([
    [TAG, TAGS],
    [CHAPTER, CHAPTERS],
    [FILE, [version(7, 'file')]],
  ]);
  const links = new Map<string, readonly StoredLink[]>();
  const ownerLinks = new Map<string, readonly OwnerLink[]>();
  for (const { attribute } of plan.relations)
    for (const { link, uid } of attribute.kind === 'morph'
      ? attribute.targets
      : [{ link: attribute.link, uid: attribute.target }]) {
      const targets = attribute.kind !== 'morph' || uid === TAG ? list : [];
      links.set(
        linkKey(link),
        targets.map((target, index) => ({ id: 100 + index, target, position: index + 1 })),
      );
      ownerLinks.set(linkKey(link), owners);
    }
  const stored: StoredEntity = {
    row: 1,
    links,
    fields: new Map(field ? plan.change.components.map((component) => [component, field]) : []),
  };
  const write = { model, caller, now: 0, defaultLocale: 'en' };
  return decideVersion(
    {
      write,
      type,
      documentId: 'own',
      documents: { versions: new Map(), lists: new Map(), ownerLinks, knowsLocale: true },
      stored: new Map([[plan.change, stored]]),
      resolved: resolveReferences(
        write,
        plan.relations,
        { ...self, type, publishes: true, isAlone: false },
        { findable, mayAttach },
      ),
      rights: { findable, hidden: new Map(), readOnly: new Map(), ...rights },
    },
    { self, isNew: false, dates: {} },
    plan.change,
  );
}

const desired = (data: Record<string, unknown>, facts?: Facts) => decide(data, facts).relations[0]!.desired;
const statusOf = (data: Record<string, unknown>, facts: Facts): number => refusalOf(() => decide(data, facts)).status;

describe('A reference', () => {
  it('of an entry without drafts means both rows of a document, the draft first', () => {
    expect(desired({ tags: ['b', 'a', 'c'] })).toEqual([21, 22, 11, 12, 31]);
  });

  it('with a status means the row of that status', () => {
    expect(desired({ tags: [{ documentId: 'a', status: 'published' }, 21] })).toEqual([12, 21]);
  });

  it('to what the caller may not find is refused like one to nothing', () => {
    expect(refusalOf(() => decide({ tags: ['a', 'x'] }))).toMatchObject({
      status: 400,
      details: { path: 'tags.1', source: 'body' },
    });
    expect(statusOf({ tags: { disconnect: [99] } }, {})).toBe(400);
  });
});

describe('A list', () => {
  it('that is changed keeps what is not named, in place', () => {
    const tags = { connect: [{ documentId: 'c', position: { before: 'b' } }], disconnect: ['a'] };
    expect(desired({ tags }, { list: [11, 12, 21, 22] })).toEqual([31, 21, 22]);
  });

  it('that is set keeps what the caller cannot see, at its position', () => {
    const rights = { hidden: new Map([[TAG, new Set([21])]]) };
    expect(desired({ tags: ['c'] }, { list: [21, 11], rights })).toEqual([21, 31]);
  });

  it('cannot take a link from an entry that a rule keeps the caller from updating', () => {
    const rights = { readOnly: new Map([[TAG, new Set([11])]]) };
    expect(statusOf({ tags: [] }, { list: [11], rights })).toBe(403);
    expect(desired({ tags: ['a'] }, { list: [11], rights })).toEqual([11, 12]);
  });

  it('of the other side takes links only from what the caller may update', () => {
    const grants = ['api::page.page.update', 'api::page.page.find', 'api::chapter.chapter.find'];
    expect(statusOf({ chapters: [] }, { list: [5], caller: userWith(model, { grants }) })).toBe(403);
    const caller = userWith(model, { grants: [...grants, 'api::chapter.chapter.update'] });
    expect(desired({ chapters: [] }, { list: [5], caller })).toEqual([]);
  });

  it('takes a target with one owner from the documents that had it, not from its own', () => {
    const owners = [
      { id: 70, owner: version(2, 'other'), target: 6 },
      { id: 71, owner: version(3, 'own'), target: 6 },
      { id: 72, owner: version(4, 'third'), target: 5 },
    ];
    expect(decide({ chapters: ['f'] }, { owners }).relations[0]).toMatchObject({
      desired: [6],
      taken: [{ id: 70, holder: 2, target: 6 }],
    });
    const rights = { readOnly: new Map([[PAGE, new Set([2])]]) };
    expect(statusOf({ chapters: ['f'] }, { owners, rights })).toBe(403);
  });

  it('of several types has one order over all of them', () => {
    const any = [
      { __type: CHAPTER, documentId: 'e' },
      { __type: TAG, id: 11 },
    ];
    const [written] = decide({ any }, { list: [11] }).relations;
    expect(written).toMatchObject({ write: 'morphList' });
    expect(written!.desired).toHaveLength(2);
    expect((written as { current: ReadonlyMap<number, StoredLink> }).current.has(written!.desired[1]!)).toBe(true);
  });
});

describe('A file', () => {
  it('that may not be attached is refused like one that does not exist', () => {
    expect(statusOf({ cover: [7] }, { mayAttach: () => false })).toBe(400);
    expect(desired({ cover: [7] }, { mayAttach: (_change, file) => file === 7 })).toEqual([7]);
  });
});

describe('An item of components', () => {
  const seals = [{ id: 3, name: 'x' }, { name: 'new' }];
  const current = [{ link: 1, id: 3, uid: 'kit.seal', position: 1 }];

  it('with an id changes the row that it names, and others are made', () => {
    const plan = decide({ seals: [{ name: 'new' }] }, { field: { current, named: new Map() } });
    expect(plan.fields[0]).toMatchObject({ current, items: [{ uid: 'kit.seal', entity: { row: null } }] });
  });

  it('that names no row of the list is refused', () => {
    expect(statusOf({ seals }, { field: { current, named: new Map() } })).toBe(400);
  });
});

it('A row that is changed says when, and nothing else of its version', () => {
  const { row, columns, values } = decide({ title: 'x' });
  expect(row).toBe(1);
  expect(columns.map(({ column }) => column)).toEqual(['updated_at', 'title']);
  expect(values).toEqual([0, 'x']);
});
