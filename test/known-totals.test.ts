// The total of a list that may be long is counted once, and holds for all of its pages until something is written.
import { expect, it } from 'vitest';
import { type Content, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnPostgres, type Engine, recordStatements } from './support/database.ts';
import { withClient } from './support/postgres-client.ts';
import { randomness } from './support/randomness.ts';
import { userWith } from './support/rules.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';
import { claimRows } from './support/table-sizes.ts';

const PROJECT: Project = {
  types: {
    tag: {
      attributes: {
        label: { type: 'string' },
        kind: { type: 'integer' },
        boxes: relation('manyToMany', 'box', { mappedBy: 'tags' }),
      },
    },
    box: { attributes: { name: { type: 'string' }, tags: relation('manyToMany', 'tag', { inversedBy: 'boxes' }) } },
  },
};

/** Tables as they seem: to count them takes so long that it is worth knowing the total, and not so long that it is heavy. */
const MANY_ROWS = 20_000;

interface List {
  readonly labels: readonly string[];
  readonly total: number;
}

async function list(content: Content, query = ''): Promise<List> {
  const { status, body } = await content.get(`tags?fields=label&sort=label${query}`);
  expect(status).toBe(200);
  return { labels: body.data.map(({ label }: { label: string }) => label), total: body.meta.pagination.total };
}

function useTags(engine: Engine) {
  const contents = useContents(engine);
  const nodeOn = async (database: string): Promise<Content> => {
    const content = await contents.open(PROJECT, database);
    claimRows(content.sheaf, MANY_ROWS);
    return content;
  };
  return {
    nodeOn,
    async open(labels: readonly string[]): Promise<Content> {
      const content = await nodeOn(engine.freshDatabaseUrl());
      for (const [index, label] of labels.entries()) await content.make('tags', { label, kind: index % 3 });
      return content;
    },
  };
}

const countsIn = (statements: readonly string[]): number => statements.filter((text) => /count\(/.test(text)).length;

describeOnEveryDatabase('The total of a long list', (engine) => {
  const { open, nodeOn } = useTags(engine);

  it('is counted once for all of its pages', async () => {
    const content = await open(['a', 'b', 'c', 'd', 'e']);
    const statements = recordStatements(content.sheaf);
    const pages = [];
    for (const page of [1, 2, 3, 4])
      pages.push(await list(content, `&filters[label][$ne]=x&pagination[pageSize]=2&pagination[page]=${page}`));
    expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
    expect(pages.flatMap(({ labels }) => labels)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(countsIn(statements)).toBe(1);
  });

  it('is counted for each value and each condition, by itself', async () => {
    const content = await open(['a', 'b', 'c', 'd', 'e']);
    const totals = [];
    for (const query of ['&filters[kind]=0', '&filters[kind]=1', '&filters[kind]=2', '&filters[kind][$ne]=2'])
      for (const _ of [1, 2]) totals.push((await list(content, query)).total);
    expect(totals).toEqual([2, 2, 2, 2, 1, 1, 4, 4]);
  });

  it('is counted again after a write, here or by another program, that changes it or not', async () => {
    const database = engine.freshDatabaseUrl();
    const [content, other] = [await nodeOn(database), await nodeOn(database)];
    const totals: number[] = [];
    const documentId = await content.make('tags', { label: 'a', kind: 0 });
    for (const write of [
      () => content.make('tags', { label: 'b', kind: 0 }),
      () => other.make('tags', { label: 'c', kind: 0 }),
      () => other.execute(`insert into tags (document_id, label, kind) values ('by-sql', 'd', 0)`),
      () => other.execute(`update tags set kind = 1 where label = 'd'`),
      () => content.put(`tags/${documentId}`, { kind: 1 }),
      () => other.delete(`tags/${documentId}`),
    ]) {
      totals.push((await list(content, '&filters[kind]=0')).total, (await list(content, '&filters[kind]=0')).total);
      await write();
    }
    totals.push((await list(content, '&filters[kind]=0')).total);
    expect(totals).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 2, 2, 2]);
  });

  it('is counted for each user by itself, under a rule that names who asks', async () => {
    const { sheaf } = await open(['a', 'b', 'c', 'd', 'e']);
    const TAG = 'api::tag.tag';
    const rules = { [TAG]: { rows: { find: { kind: '$user.id' } } } };
    const totals = [];
    for (const id of [0, 2, 0, 2]) {
      const user = { id, documentId: `user ${id}` };
      const tags = sheaf.documents(TAG, userWith(sheaf.model, { rules, user }));
      totals.push((await tags.findPage()).meta.pagination.total);
    }
    expect(totals).toEqual([2, 1, 2, 1]);
  });

  it('is that of a transaction under way, inside of it alone', async () => {
    const content = await open(['a', 'b']);
    const tags = content.sheaf.documents('api::tag.tag');
    const total = async () => (await tags.findPage({ filters: { label: { $ne: 'x' } } })).meta.pagination.total;
    const seen = [await total()];
    await content.sheaf
      .transaction(async () => {
        await tags.create({ data: { label: 'c' } });
        seen.push(await total(), await total());
        throw new Error('undone');
      })
      .catch(() => undefined);
    seen.push(await total());
    expect(seen).toEqual([2, 3, 3, 2]);
  });

  it('is right whatever is written, and by whom, between any two reads', async () => {
    const seed = GIVEN_SEED ?? 1;
    const random = randomness(seed);
    const database = engine.freshDatabaseUrl();
    const nodes = [await nodeOn(database), await nodeOn(database)];
    const kinds: number[] = [];
    const node = () => nodes[random.below(nodes.length)]!;
    const writes = [
      async () => {
        const kind = random.below(3);
        await node().make('tags', { label: `t${kinds.length}`, kind });
        kinds.push(kind);
      },
      async () => {
        if (kinds.length === 0) return;
        const at = random.below(kinds.length);
        kinds[at] = random.below(3);
        await node().execute(`update tags set kind = ${kinds[at]} where label = 't${at}'`);
      },
      async () => {
        await node().make('boxs', { name: 'another table' });
      },
    ];
    for (let step = 0; step < scaled(60); step++) {
      if (random.below(3) === 0) await writes[random.below(writes.length)]!();
      const kind = random.below(3);
      const expected = kinds.filter((one) => one === kind).length;
      expect(`${seed} ${step}: ${(await list(node(), `&filters[kind]=${kind}`)).total}`).toBe(
        `${seed} ${step}: ${expected}`,
      );
    }
  });
});

describeOnPostgres('The total of a long list', (engine) => {
  const { nodeOn } = useTags(engine);

  it('is counted again when a transaction commits that was under way when it was counted', async () => {
    const database = engine.freshDatabaseUrl();
    const content = await nodeOn(database);
    await content.make('tags', { label: 'a' });
    const totals = await withClient(database, async (client) => {
      await client.query('begin');
      await client.query(`insert into tags (document_id, label) values ('later', 'b')`);
      const before = [await list(content), await list(content)];
      await client.query('commit');
      return [...before, await list(content)].map(({ total }) => total);
    });
    expect(totals).toEqual([1, 1, 2]);
  });

  it('is not tried each time while others write all the time', async () => {
    const database = engine.freshDatabaseUrl();
    const content = await nodeOn(database);
    const statements = recordStatements(content.sheaf);
    const reads = 40;
    for (let read = 0; read < reads; read++) {
      await list(content);
      await withClient(database, (client) => client.query(`insert into tags (document_id) values ('${read}')`));
    }
    // After 1, 3, 7, 15 and 31 reads that counted without trying.
    expect(statements.length - countsIn(statements)).toBe(5);
    expect(countsIn(statements)).toBe(reads);
  });
});
