// What a clone takes from a body: components of it are merged into the copied ones, as Strapi 5.54 does it.
import { beforeAll, expect, it } from 'vitest';
import { type Answered, type Content, type Json, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { componentOrphans, violations } from './support/invariants.ts';

const PAGE = {
  title: { type: 'string' },
  box: { type: 'component', component: 'part.box' },
  boxes: { type: 'component', component: 'part.box', repeatable: true },
  zone: { type: 'dynamiczone', components: ['part.box', 'part.other'] },
  tags: relation('manyToMany', 'tag'),
} as const;

const PROJECT: Project = {
  types: {
    tag: { attributes: { name: { type: 'string' } } },
    page: { drafts: true, attributes: PAGE },
    plain: {
      attributes: {
        title: { type: 'string' },
        pair: { type: 'component', component: 'part.strict', repeatable: true, min: 2, max: 3 },
      },
    },
  },
  components: {
    'part.box': {
      title: { type: 'string' },
      note: { type: 'string', default: 'standard' },
      tags: relation('oneToMany', 'tag'),
      inner: { type: 'component', component: 'part.inner' },
      inners: { type: 'component', component: 'part.inner', repeatable: true },
    },
    'part.inner': { text: { type: 'string' }, more: { type: 'string' } },
    'part.other': { label: { type: 'string' } },
    'part.strict': { title: { type: 'string', required: true }, note: { type: 'string' } },
  },
};

const IN_BOX = { tags: { fields: ['name'] }, inner: true, inners: true } as const;
const POPULATE = {
  box: { populate: IN_BOX },
  boxes: { populate: IN_BOX },
  zone: { on: { 'part.box': true, 'part.other': true } },
  tags: { fields: ['name'] },
} as const;

/** What there is to see, without ids, and tags by their names. */
const plain = (value: Answered): Answered =>
  JSON.parse(JSON.stringify(value), (key, one) => {
    if (key === 'tags') return one.map(({ name }: Answered) => name);
    return key === 'id' || one === null ? undefined : one;
  });

const BOX = {
  title: 'bt',
  note: 'bn',
  tags: ['a', 'b'],
  inner: { text: 'it', more: 'im' },
  inners: [
    { text: '1', more: 'm1' },
    { text: '2', more: 'm2' },
  ],
};
const FIRST = { title: 'b1', note: 'n1', tags: [], inner: { text: 'x', more: 'y' }, inners: [] };
const SECOND = { title: 'b2', note: 'n2', tags: [], inners: [] };
const THIRD = { title: 'C', note: 'standard', tags: [], inners: [] };
const ZONE = [
  { __component: 'part.box', title: 'z1', note: 'zn1' },
  { __component: 'part.other', label: 'l' },
];

describeOnEveryDatabase('the components of a clone', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  const tags: Record<string, string> = {};
  let original: string;
  const pages = () => content.sheaf.documents('api::page.page');
  const read = async (documentId: string): Promise<Answered> =>
    pages().findOne({ documentId, status: 'draft', populate: POPULATE as never });

  beforeAll(async () => {
    content = await contents.open(PROJECT);
    for (const name of ['a', 'b', 'c']) tags[name] = await content.make('tags', { name });
    const held = (box: Answered) => ({ ...box, tags: box.tags.map((name: string) => tags[name]) });
    original = await content.make('pages', {
      title: 'S',
      box: held(BOX),
      boxes: [held(FIRST), held(SECOND)],
      zone: ZONE,
      tags: [tags.a, tags.b],
    });
  });

  const cases: readonly (readonly [string, Json, Answered])[] = [
    ['nothing', {}, { box: BOX, boxes: [FIRST, SECOND], zone: ZONE, tags: ['a', 'b'] }],
    ['an attribute of a component', { box: { title: 'N' } }, { box: { ...BOX, title: 'N' } }],
    ['one that it empties', { box: { note: null } }, { box: { ...BOX, note: undefined } }],
    ['the id of a component', { box: { id: 99_999, title: 'N' } }, { box: { ...BOX, title: 'N' } }],
    ['a component within', { box: { inner: { text: 'N' } } }, { box: { ...BOX, inner: { text: 'N', more: 'im' } } }],
    [
      'a list within that is shorter',
      { box: { inners: [{ text: 'N' }] } },
      { box: { ...BOX, inners: [{ text: 'N', more: 'm1' }, BOX.inners[1]] } },
    ],
    ['no component', { box: null }, { box: undefined }],
    ['a list that is shorter', { boxes: [{ title: 'N' }] }, { boxes: [{ ...FIRST, title: 'N' }, SECOND] }],
    [
      'a list that is longer',
      { boxes: [{ title: 'A' }, { title: 'B' }, { title: 'C' }] },
      { boxes: [{ ...FIRST, title: 'A' }, { ...SECOND, title: 'B' }, THIRD] },
    ],
    ['an empty list', { boxes: [] }, { boxes: [FIRST, SECOND] }],
    [
      'a zone that is shorter',
      { zone: [{ __component: 'part.box', title: 'N' }] },
      { zone: [{ ...ZONE[0], title: 'N' }, ZONE[1]] },
    ],
    [
      'a zone of other components',
      {
        zone: [
          { __component: 'part.other', label: 'N' },
          { __component: 'part.box', title: 'N' },
        ],
      },
      {
        zone: [
          { __component: 'part.other', label: 'N' },
          { __component: 'part.box', title: 'N', note: 'standard' },
        ],
      },
    ],
    ['an empty zone', { zone: [] }, { zone: ZONE }],
  ];

  it.each(cases)('are those of the original with what a body says of them: %s', async (_what, data, expected) => {
    const before = await read(original);
    const { documentId } = await pages().clone({ documentId: original, data: data as Answered });
    const url = `pages/${original}/actions/clone`;
    const { status, body } = await content.send('POST', url, { data });
    expect(status).toBe(201);
    for (const id of [documentId, body.data.documentId]) {
      const clone = plain(await read(id));
      expect(Object.fromEntries(Object.keys(expected).map((name) => [name, clone[name]]))).toEqual(expected);
    }
    expect(await read(original)).toEqual(before);
    const ask = (sql: string) => content.rows(sql);
    const { model } = content.sheaf;
    expect([...(await violations(model, ask)), ...(await componentOrphans(model, ask))]).toEqual([]);
  });

  it('are met by position, whatever ids a body has', async () => {
    const [one, two] = (await read(original)).boxes;
    const data = { boxes: [{ id: two.id, title: 'N' }, { id: one.id }] };
    const { documentId } = await pages().clone({ documentId: original, data });
    expect(plain(await read(documentId)).boxes).toEqual([{ ...FIRST, title: 'N' }, SECOND]);
  });

  it('keep or change their relations as an update does', async () => {
    const clonedTags = async (change: Answered): Promise<Answered[]> => {
      const data = { tags: change, box: { tags: change } } as Answered;
      const { documentId } = await pages().clone({ documentId: original, data });
      const clone = plain(await read(documentId));
      return [clone.tags, clone.box.tags];
    };
    const { c, a } = tags as { readonly a: string; readonly c: string };
    expect(await clonedTags({ connect: [c] })).toEqual(Array(2).fill(['a', 'b', 'c']));
    expect(await clonedTags({ disconnect: [a] })).toEqual(Array(2).fill(['b']));
    expect(await clonedTags([c])).toEqual(Array(2).fill(['c']));
    expect(await clonedTags([])).toEqual(Array(2).fill([]));
  });

  it('meet the rules of a type without drafts once they are merged', async () => {
    const pair = [
      { title: 'a', note: 'na' },
      { title: 'b', note: 'nb' },
    ];
    const documentId = await content.make('plains', { title: 'P', pair });
    const cloned = (given: Answered) =>
      content.send('POST', `plains/${documentId}/actions/clone?populate=pair`, { data: { pair: given } });
    const { status, body } = await cloned([{ note: 'N' }]);
    expect([status, plain(body.data.pair)]).toEqual([201, [{ title: 'a', note: 'N' }, pair[1]]]);
    const refused = async (given: Answered) => {
      const answer = await cloned(given);
      return [answer.status, answer.body.error.details.errors.map(({ path }: Answered) => path.join('.'))];
    };
    expect(await refused([{}, {}, { note: 'without a title' }])).toEqual([400, ['pair.2.title']]);
    expect(await refused([{}, {}, { title: 'c' }, { title: 'd' }])).toEqual([400, ['pair']]);
    expect(await refused([{ title: null }])).toEqual([400, ['pair.0.title']]);
  });
});
