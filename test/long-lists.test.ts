// Lists of thousands of related entries. Where there may be so many, PostgreSQL returns them in chunks, and none of what no
// response has room for.
import { afterEach, expect, it, vi } from 'vitest';
import { ClientSession } from '../src/db/postgres-session.ts';
import { Connection } from '../src/db/sqlite-connection.ts';
import { plainStatement } from '../src/sql/statement.ts';
import { type Content, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnPostgres, type Engine } from './support/database.ts';
import { claimRows } from './support/table-sizes.ts';

const TAGS = 2_300;
/** Rows of tables as they seem: a list is not surely small, or it is. */
const MANY = { boxs: 1, tags: 20_000, boxs_tags_lnk: 20_000 };
const SIZES = [
  ['many', MANY],
  ['few', {}],
] as const;

const PROJECT: Project = {
  types: {
    box: { attributes: { name: { type: 'string' }, tags: relation('manyToMany', 'tag', { inversedBy: 'boxes' }) } },
    tag: { attributes: { label: { type: 'string' }, boxes: relation('manyToMany', 'box', { mappedBy: 'tags' }) } },
  },
};

const withLimits = (limits: Record<string, number>): Project => ({ ...PROJECT, settings: { limits } });

/** A box with all tags, the last one first. */
async function fill(content: Content): Promise<void> {
  await content.make('boxs', { name: 'full' });
  const numbers = `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${TAGS})`;
  await content.sheaf.database.transaction(async (session) => {
    for (const text of [
      `${numbers} insert into tags (id, document_id, label, published_at) select n, 'tag' || n, 'tag ' || n, created_at from s cross join boxs`,
      `${numbers} insert into boxs_tags_lnk (box_id, tag_id, tag_ord, box_ord) select boxs.id, n, ${TAGS + 1} - n, 1 from s cross join boxs`,
    ])
      await session.rows(plainStatement(text), []);
  });
}

function useFilled(engine: Engine) {
  const contents = useContents(engine);
  return async (project: Project, rows: Readonly<Record<string, number>>): Promise<Content> => {
    const content = await contents.open(project);
    await fill(content);
    claimRows(content.sheaf, rows);
    return content;
  };
}

const label = (number: number): string => `tag ${number}`;
const labels = (list: readonly { label: string }[]): string[] => list.map(({ label }) => label);
const descending = Array.from({ length: TAGS }, (_, index) => label(TAGS - index));

afterEach(() => {
  vi.restoreAllMocks();
});

describeOnEveryDatabase('A long list', (engine) => {
  const open = useFilled(engine);

  it.each(SIZES)('keeps its order, whole and in pages, among %s', async (_, rows) => {
    const content = await open(PROJECT, rows);
    const whole = await content.get('boxs?populate=tags');
    expect(labels(whole.body.data[0].tags)).toEqual(descending);
    const page = 'populate[tags][pagination][start]=10&populate[tags][pagination][limit]=45';
    const paged = await content.get(`boxs?${page}`);
    expect(labels(paged.body.data[0].tags)).toEqual(descending.slice(10, 55));
    const counted = await content.get(`boxs?${page}&populate[tags][pagination][withCount]=true`);
    expect(labels(counted.body.data[0].tags.data)).toEqual(descending.slice(10, 55));
    expect(counted.body.data[0].tags.meta.pagination.total).toBe(TAGS);
  });

  it.each(SIZES)(
    'that no response has room for is refused by the limit that it passes first, among %s',
    async (_, rows) => {
      const refusedBy = async (limits: Record<string, number>) =>
        (await (await open(withLimits(limits), rows)).get('boxs?populate[tags][populate]=boxes')).body.error.details
          .limit;
      expect(await refusedBy({ populatedCharacters: 50_000 })).toBe('MAX_POPULATED_CHARACTERS');
      expect(await refusedBy({ populatedCharacters: 50_000, populatedRows: 3_000 })).toBe('MAX_POPULATED_ROWS');
    },
  );
});

/** The characters of each row that the database returned for a request. */
async function returned(content: Content, request: string): Promise<number[]> {
  const lengths: number[] = [];
  for (const session of [ClientSession.prototype, Connection.prototype]) {
    const { rows } = session;
    vi.spyOn(session, 'rows').mockImplementation(async function (this: ClientSession & Connection, ...call) {
      const found = await rows.apply(this, call);
      lengths.push(...found.map((row) => JSON.stringify(row).length));
      return found as never;
    });
  }
  await content.get(request);
  vi.restoreAllMocks();
  return lengths;
}

describeOnPostgres('A long list on PostgreSQL', (engine) => {
  const open = useFilled(engine);

  it('is not returned where no response has room for it', async () => {
    const lengths = await returned(await open(withLimits({ populatedCharacters: 50_000 }), MANY), 'boxs?populate=tags');
    expect(Math.max(...lengths)).toBeLessThan(1_000);
  });

  it('is returned in chunks', async () => {
    const lengths = await returned(await open(PROJECT, MANY), 'boxs?populate=tags');
    const total = lengths.reduce((sum, length) => sum + length);
    expect(Math.max(...lengths)).toBeLessThan(total / 2);
  });
});

describeOnEveryDatabase('Long values of related entries', (engine) => {
  const contents = useContents(engine);
  const LENGTH = 5_000;
  const text = 'x'.repeat(LENGTH);

  it('are not read where no response has room for them', async () => {
    const tag = { attributes: { label: { type: 'string' }, note: { type: 'text' }, meta: { type: 'json' } } };
    const zone = { type: 'dynamiczone', components: ['parts.text'] };
    const box = { attributes: { tags: relation('oneToMany', 'tag'), tag: relation('manyToOne', 'tag'), zone } };
    const content = await contents.open({
      types: { box, tag },
      components: { 'parts.text': { text: { type: 'text' } } },
      settings: { limits: { populatedCharacters: 20_000 } },
    });
    const ids: string[] = [];
    for (let number = 0; number < 15; number++) ids.push(await content.make('tags', { note: text, meta: { text } }));
    for (const id of ids) await content.make('boxs', { tag: id, zone: [{ __component: 'parts.text', text }] });
    await content.make('boxs', { tags: ids });
    const page = 'populate[tags][fields]=meta&populate[tags][pagination][limit]=50';
    for (const query of [
      'populate=tags',
      page,
      `${page}&populate[tags][pagination][withCount]=true`,
      'populate=tag',
      'populate=zone',
    ]) {
      const lengths = await returned(content, `boxs?${query}`);
      expect(Math.max(...lengths), query).toBeLessThan(LENGTH);
      expect((await content.get(`boxs?${query}`)).body.error.details.limit).toBe('MAX_POPULATED_CHARACTERS');
      expect((await content.get(`boxs?${query}&filters[tag][documentId]=${ids[0]}`)).status).toBe(200);
    }
  });
});
