// Lists of entries of many types: relations to any type, dynamic zones, and what shows a file. Their links are found once
// for all types, and the answers are those of a list of few.
import { beforeAll, expect, it } from 'vitest';
import { type Answered, type Content, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

const KINDS = Array.from({ length: 12 }, (_, index) => `kind${index}`);
const uidOf = (name: string): string => `api::${name}.${name}`;
const zone = { type: 'dynamiczone', components: KINDS.map((name) => `kit.${name}`) };
const PROJECT: Project = {
  types: {
    ...Object.fromEntries(
      KINDS.map((name, index) => [
        name,
        {
          drafts: index % 2 === 0,
          attributes: {
            name: { type: 'string' },
            cover: { type: 'media', multiple: false },
            picture: { type: 'media', multiple: false },
          },
        },
      ]),
    ),
    board: {
      attributes: {
        name: { type: 'string' },
        several: { type: 'relation', relation: 'morphToMany' },
        one: { type: 'relation', relation: 'morphToOne' },
        first: zone,
        second: zone,
      },
    },
  },
  components: Object.fromEntries(KINDS.map((name) => [`kit.${name}`, { name: { type: 'string' } }])),
};

describeOnEveryDatabase('A list of many types', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  /** DocumentIds by type; those with drafts are published, but for that of the last. */
  const ids = new Map<string, string>();
  beforeAll(async () => {
    content = await contents.open(PROJECT);
    for (const name of KINDS)
      ids.set(name, await content.make(`${name}s${name === 'kind10' ? '?status=draft' : ''}`, { name }));
    const entries = KINDS.toReversed().map((name) => ({ __type: uidOf(name), documentId: ids.get(name) }));
    for (const [index, name] of ['a', 'b'].entries())
      await content.make('boards', {
        name,
        several: index === 0 ? entries : entries.slice(3, 5),
        one: entries[index + 4],
        first: KINDS.map((kind) => ({ __component: `kit.${kind}`, name: `first ${kind}` })).slice(index * 10),
        second: [{ __component: 'kit.kind7', name: 'second' }],
      });
  });
  const boards = async (query: string): Promise<Answered[]> =>
    (await content.entry('GET', `boards?sort=name&${query}`)) as Answered[];
  const namesOf = (entries: readonly Answered[]) => entries.map(({ name }) => name);

  it('holds them in the order of the list, and only those that are seen', async () => {
    const [first, second] = await boards('populate=several');
    const published = KINDS.toReversed().filter((name) => name !== 'kind10');
    expect(namesOf(first.several)).toEqual(published);
    expect(first.several[0]).toMatchObject({ __type: uidOf('kind11'), documentId: ids.get('kind11') });
    expect(namesOf(second.several)).toEqual(['kind8', 'kind7']);
    const [draft] = await boards('populate=several&status=draft');
    expect(namesOf(draft.several)).toEqual(KINDS.toReversed());
  });

  it('is counted and shown by pages', async () => {
    expect((await boards('populate[several][count]=true')).map(({ several }) => several)).toEqual([
      { count: 11 },
      { count: 2 },
    ]);
    const page = await boards('populate[several][pagination][start]=1&populate[several][pagination][limit]=3');
    expect(page.map(({ several }) => namesOf(several))).toEqual([['kind9', 'kind8', 'kind7'], ['kind7']]);
  });

  it('is one entry of any type as well', async () => {
    expect((await boards('populate=one')).map(({ one }) => one?.name)).toEqual(['kind7', 'kind6']);
  });

  it('is that of its own zone', async () => {
    const [first, second] = await boards('populate=*');
    expect(namesOf(first.first)).toEqual(KINDS.map((kind) => `first ${kind}`));
    expect(namesOf(second.first)).toEqual(['first kind10', 'first kind11']);
    expect([first, second].map((board) => namesOf(board.second))).toEqual([['second'], ['second']]);
  });

  it('is what shows a file', async () => {
    await content.execute(
      `insert into files (id, document_id, name, url, provider, mime) values (1, 'abcdefghijklmnopqrstuvwx', 'f', '/f', 'local', 'text/plain')`,
    );
    for (const name of ['kind1', 'kind9']) await content.entry('PUT', `${name}s/${ids.get(name)}`, { cover: 1 });
    await content.entry('PUT', `kind3s/${ids.get('kind3')}`, { picture: 1 });
    const { body } = await content.get('upload/files?populate=related');
    expect(namesOf(body[0].related).toSorted()).toEqual(['kind1', 'kind3', 'kind9']);
  });
});
