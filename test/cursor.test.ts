// Pages by cursor: one after the other they are the whole list, forward and back, whatever it is sorted by and whatever
// is written meanwhile. Generated sorts on generated content, with many equal values and nulls.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { explainRequest } from '../src/cli/explain.ts';
import { MAX_CURSOR_LENGTH } from '../src/limits.ts';
import type { Entry, FindParameters, Page } from '../src/operations/parameters.ts';
import { type Content, type Json, type Project, relation, useContents } from './support/content.ts';
import { describeAcrossDatabases, describeOnEveryDatabase, describeOnPostgres } from './support/database.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';
import { claimRows, countRows } from './support/table-sizes.ts';

const THING = 'api::thing.thing';
const CASES = { numRuns: scaled(25), seed: GIVEN_SEED ?? 1 };
const CASES_THAT_WRITE = { numRuns: scaled(8), seed: GIVEN_SEED ?? 1 };

const PROJECT: Project = {
  types: {
    thing: {
      attributes: {
        name: { type: 'string' },
        body: { type: 'text' },
        mail: { type: 'email' },
        size: { type: 'enumeration', enum: ['S', 'M', 'L'] },
        count: { type: 'integer' },
        big: { type: 'biginteger' },
        ratio: { type: 'float' },
        price: { type: 'decimal' },
        open: { type: 'boolean' },
        day: { type: 'date' },
        clock: { type: 'time' },
        moment: { type: 'datetime' },
        instant: { type: 'timestamp' },
        group: relation('manyToOne', 'group'),
      },
    },
    group: { attributes: { name: { type: 'string' } } },
  },
};

/** Few values of each type, so that many rows are equal; some are at the edge of their type. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  name: ['', 'a', 'B', 'é', '😀', 'it\'s "100%" \\ _', 'a'.repeat(200)],
  body: ['one', 'Two', 'ﬀ'],
  mail: ['a@b.example', 'B@b.example'],
  size: ['S', 'M', 'L'],
  count: [0, -1, 2_147_483_647, -2_147_483_648],
  big: ['9007199254740993', '9007199254740992', '-9223372036854775808', '9223372036854775807', '0'],
  ratio: [0, -0.1, 0.1, 0.30000000000000004, 0.3, 1e21, 5e-324, 1.7976931348623157e308],
  price: [0, 12.5, 12.49, -3.1, 0.1, 99_999_999.99],
  open: [true, false],
  day: ['2024-02-29', '0001-01-01', '9999-12-31'],
  clock: ['00:00:00.000', '23:59:59.999', '12:30:00.001'],
  moment: [
    '2024-02-29T12:00:00.000Z',
    '2024-02-29T12:00:00.001Z',
    '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
  ],
  instant: ['2024-02-29T12:00:00.000Z', '1969-12-31T23:59:59.999Z'],
};
const NAMES = Object.keys(VALUES);

const thing: fc.Arbitrary<Json> = fc.record(
  Object.fromEntries(NAMES.map((name) => [name, fc.option(fc.constantFrom(...VALUES[name]!), { freq: 3 })])),
);
const sort: fc.Arbitrary<string[]> = fc
  .uniqueArray(fc.constantFrom(...NAMES, 'documentId', 'createdAt', 'id'), { maxLength: 4 })
  .chain((names) => fc.tuple(...names.map((name) => fc.constantFrom(`${name}:asc`, `${name}:desc`))));
const filters: fc.Arbitrary<FindParameters['filters'] | undefined> = fc.option(
  fc.constantFrom({ open: true }, { count: { $gte: 0 } }, { $or: [{ size: 'S' }, { name: { $null: true } }] }),
  { nil: undefined },
);
const request = fc.record({ sort, filters, pageSize: fc.integer({ min: 1, max: 9 }), withCount: fc.boolean() });
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

interface CursorMeta {
  readonly pageSize: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly total?: number;
}
const metaOf = (page: Page) => page.meta.pagination as CursorMeta;
const idsOf = (entries: readonly Entry[]): number[] => entries.map(({ id }) => id);

async function fill(content: Content, count: number): Promise<void> {
  for (const data of fc.sample(thing, { numRuns: count, seed: 7 })) await things(content).create({ data });
}

const things = (content: Content) => content.sheaf.documents(THING);

const pageOf = (content: Content, { sort, filters, pageSize, withCount }: Request, cursor: string): Promise<Page> =>
  things(content).findPage({
    sort,
    ...(filters && { filters }),
    pagination: { cursor, pageSize, withCount },
    fields: 'id',
  });

const allOf = async (content: Content, { sort, filters }: Request): Promise<number[]> =>
  idsOf(await things(content).findMany({ sort, ...(filters && { filters }) }));

/** All pages from the first to the last. */
async function walk(content: Content, asked: Request, between: () => Promise<void> = async () => {}): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = metaOf(pages.at(-1)!).next) {
    pages.push(await pageOf(content, asked, cursor));
    await between();
  }
  return pages;
}

describeOnEveryDatabase('Pages by cursor', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
    await fill(content, 60);
  });

  it('are the whole list one after the other, forward and back', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const all = await allOf(content, asked);
        const pages = await walk(content, asked);
        expect(pages.flatMap(({ data }) => idsOf(data))).toEqual(all);
        for (const [index, page] of pages.entries()) {
          expect(metaOf(page).pageSize).toBe(asked.pageSize);
          expect(metaOf(page).total).toBe(asked.withCount ? all.length : undefined);
          expect(page.data.length).toBe(Math.min(asked.pageSize, all.length - index * asked.pageSize));
        }
        expect(metaOf(pages[0]!).previous).toBeNull();
        let page = pages.at(-1)!;
        for (const before of pages.slice(0, -1).reverse()) {
          const back = await pageOf(content, asked, metaOf(page).previous!);
          expect(idsOf(back.data)).toEqual(idsOf(before.data));
          expect(idsOf((await pageOf(content, asked, metaOf(back).next!)).data)).toEqual(idsOf(page.data));
          page = back;
        }
        expect(metaOf(page).previous).toBeNull();
      }),
      CASES,
    );
  });

  it('show every old row once, and none twice, while others are written and deleted', async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.infiniteStream(thing), async (asked, stream) => {
        const old = await allOf(content, asked);
        const added: string[] = [];
        const pages = await walk(content, asked, async () => {
          if (added.length >= 12) return;
          const { documentId } = await things(content).create({ data: stream.next().value! });
          added.push(documentId);
          // What was added two pages ago may be what a cursor was made from.
          const gone = added.at(-3);
          if (gone !== undefined) await things(content).delete({ documentId: gone });
        });
        const seen = pages.flatMap(({ data }) => idsOf(data));
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((id) => old.includes(id))).toEqual(old);
        for (const documentId of added) await things(content).delete({ documentId });
      }),
      CASES_THAT_WRITE,
    );
  });

  it('respond with cursors over HTTP as well, and count only where asked to', async () => {
    const first = await content.get('things?sort=name&pagination[cursor]=&pagination[pageSize]=2&status=draft');
    expect(first.body.meta.pagination).toEqual({ pageSize: 2, next: expect.any(String), previous: null });
    const { next } = first.body.meta.pagination;
    const second = await content.get(
      `things?sort=name&pagination[cursor]=${next}&pagination[pageSize]=2&pagination[withCount]=true`,
    );
    expect(second.body.meta.pagination).toEqual({
      pageSize: 2,
      next: expect.any(String),
      previous: expect.any(String),
      total: 60,
    });
    const listed = await content.get('things?sort=name&pagination[start]=2&pagination[limit]=2');
    expect(second.body.data).toEqual(listed.body.data);
    // In process too, without the rest of the answer.
    expect(await things(content).findMany({ sort: 'name', pagination: { cursor: next, pageSize: 2 } })).toEqual(
      second.body.data,
    );
  });

  it('lead back from where nothing is left, to the row that the cursor was made from', async () => {
    const made: Entry[] = [];
    for (const name of ['y1', 'y2', 'y3', 'y4']) made.push(await things(content).create({ data: { name } }));
    for (const sort of ['name', 'big,name:desc', 'id:desc']) {
      const pageAt = (cursor: string) =>
        things(content).findPage({
          filters: { name: { $startsWith: 'y' } },
          sort,
          fields: 'name',
          pagination: { cursor, pageSize: 2 },
        });
      const first = await pageAt('');
      const second = await pageAt(metaOf(first).next!);
      // As if those that follow, or come before, were gone.
      const narrowed = (cursor: string, names: string[]) =>
        things(content).findPage({ filters: { name: { $in: names } }, sort, pagination: { cursor, pageSize: 2 } });
      const namesOf = ({ data }: Page) => data.map(({ name }) => String(name));
      const none = await narrowed(metaOf(first).next!, namesOf(first));
      expect([none.data, metaOf(none).next], sort).toEqual([[], null]);
      expect(namesOf(await narrowed(metaOf(none).previous!, namesOf(first)))).toEqual(namesOf(first));
      const nothing = await narrowed(metaOf(second).previous!, namesOf(second));
      expect([nothing.data, metaOf(nothing).previous], sort).toEqual([[], null]);
      expect(namesOf(await narrowed(metaOf(nothing).next!, namesOf(second)))).toEqual(namesOf(second));
    }
    for (const { documentId } of made) await things(content).delete({ documentId });
  });

  it('are the same where they are read as reads that may take long', async () => {
    const asked = { sort: ['name', 'moment:desc'], filters: { count: { $gte: 0 } }, pageSize: 7, withCount: true };
    const pages = await walk(content, asked);
    claimRows(content.sheaf, { things: 10_000_000 });
    expect(await walk(content, asked)).toEqual(pages);
    const { previous } = metaOf(pages.at(-1)!);
    expect((await pageOf(content, asked, previous!)).data).toEqual(pages.at(-2)!.data);
    await countRows(content.sheaf);
  });

  it('are empty and without cursors where there is nothing', async () => {
    const filters = { name: 'nothing of that name' };
    const page = await things(content).findPage({ filters, pagination: { cursor: '' } });
    expect(page).toEqual({ data: [], meta: { pagination: { pageSize: 25, next: null, previous: null } } });
  });

  it('populate the rows that they show', async () => {
    const group = await content.sheaf.documents('api::group.group').create({ data: { name: 'g' } });
    const made = [];
    for (const name of ['x1', 'x2', 'x3']) made.push(await things(content).create({ data: { name, group: group.id } }));
    const asked = { filters: { name: { $startsWith: 'x' } }, sort: 'name:desc', populate: 'group' } as const;
    const pageAt = (cursor: string) => things(content).findPage({ ...asked, pagination: { cursor, pageSize: 2 } });
    const first = await pageAt('');
    expect(first.data.map(({ name, group }) => [name, (group as Entry).id])).toEqual([
      ['x3', group.id],
      ['x2', group.id],
    ]);
    const second = await pageAt(metaOf(first).next!);
    expect((await pageAt(metaOf(second).previous!)).data).toEqual(first.data);
    for (const { documentId } of made) await things(content).delete({ documentId });
  });

  const cursorOf = async (sort: string): Promise<string> =>
    (await content.get(`things?sort=${sort}&pagination[cursor]=&pagination[pageSize]=1`)).body.meta.pagination.next;
  const forged = (cursor: string, change: (list: unknown[]) => unknown): string =>
    Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(cursor, 'base64url').toString())))).toString('base64url');
  const refused = async (query: string): Promise<Json> => {
    const { status, body } = await content.get(`things?${query}`);
    expect(status, `${query} ${JSON.stringify(body)}`).toBe(400);
    return body.error;
  };
  const NAMED = { details: { key: 'cursor', path: 'cursor', source: 'query', param: 'pagination' } };

  it('are refused where the cursor is none of ours', async () => {
    const cursor = await cursorOf('name');
    const message = 'Invalid value for pagination[cursor]: expected a cursor that a list responded with';
    const broken = [
      'x',
      '%00',
      `${cursor}=`,
      `${cursor.slice(0, -3)}!!!`,
      cursor.slice(0, -4),
      forged(cursor, () => ({})),
      forged(cursor, () => []),
      forged(cursor, ([, ...rest]) => [7, ...rest]),
      forged(cursor, ([digest, , ...values]) => [digest, 2, ...values]),
      forged(cursor, (list) => [...list, {}]),
      forged(cursor, (list) => [...list, ...Array.from({ length: 1_000 }, () => 1)]),
      forged(cursor, (list) => list.with(2, true)),
    ];
    for (const wrong of broken)
      expect(await refused(`sort=name&pagination[cursor]=${wrong}`), wrong).toMatchObject({ message, ...NAMED });
    for (const form of ['pagination[cursor]', 'pagination[cursor][]=a', 'pagination[cursor][a]=b'])
      expect(await refused(form), form).toMatchObject({
        message: 'Invalid value for pagination[cursor]: expected a cursor, or an empty string for the first page',
        ...NAMED,
      });
  });

  it('are refused where the cursor belongs to another list', async () => {
    const message =
      'Invalid value for pagination[cursor]: expected a cursor of a list with the same content-type and sort';
    const cursor = await cursorOf('name,count');
    for (const sort of ['', 'name', 'count,name', 'name:desc,count', 'name,count,id:desc'])
      expect(await refused(`sort=${sort}&pagination[cursor]=${cursor}`), sort).toMatchObject({ message, ...NAMED });
    const other = await content.get(`groups?pagination[cursor]=${await cursorOf('id')}`);
    expect([other.status, other.body.error.message]).toEqual([400, message]);
    // One that was shortened, or has no id.
    for (const change of [(list: unknown[]) => list.slice(0, -1), (list: unknown[]) => list.with(-1, null)])
      expect(await refused(`sort=name,count&pagination[cursor]=${forged(cursor, change)}`)).toMatchObject({ message });
  });

  it('are refused where a value of the cursor is not of the type that is sorted by', async () => {
    const wrong: Readonly<Record<string, readonly unknown[]>> = {
      name: [7, 'a\0b', '\ud800'],
      count: ['1', 1.5, 1e300],
      big: [1, 'x', '9223372036854775808', '1.5'],
      ratio: ['1'],
      price: ['1e5', 'x', '', '1;'],
      open: [2, 'true'],
      day: ['2024-02-30', '2024-02-29T00:00:00Z', 20240229, ''],
      clock: ['24:00:00', '1:2:3', 5],
      moment: ['2024-02-29T12:00:00.000Z', 1e300, -1e15],
      instant: ['1', -1e300],
    };
    for (const [name, values] of Object.entries(wrong)) {
      const cursor = await cursorOf(name);
      for (const value of values)
        expect(
          await refused(`sort=${name}&pagination[cursor]=${forged(cursor, (list) => list.with(2, value))}`),
          `${name} ${value}`,
        ).toMatchObject({ message: expect.stringContaining('pagination[cursor]'), ...NAMED });
    }
  });

  it('are refused with a sort through relations, and beside other pages', async () => {
    expect(await refused('sort=group.name&pagination[cursor]=')).toMatchObject({
      message: expect.stringMatching(
        /^Invalid value for pagination\[cursor\].*a sort through relations has no cursors$/,
      ),
      ...NAMED,
    });
    for (const key of ['page', 'start', 'limit'])
      expect(await refused(`pagination[cursor]=&pagination[${key}]=1`)).toMatchObject({ name: 'PaginationError' });
    expect(await refused('cursor=')).toMatchObject({ message: 'Invalid key cursor: write pagination[cursor]' });
  });

  it('are refused where a cursor is longer than the limit, whoever made it', async () => {
    const limit = { details: { limit: 'MAX_CURSOR_LENGTH', allowed: MAX_CURSOR_LENGTH } };
    const tooLong = 'x'.repeat(MAX_CURSOR_LENGTH + 1);
    expect(await refused(`pagination[cursor]=${tooLong}`)).toMatchObject(limit);
    expect(await refused(`pagination[cursor]=${tooLong.slice(1)}`)).not.toMatchObject(limit);
    const made = [];
    for (const name of ['long', 'long'])
      made.push(await things(content).create({ data: { name, body: 'x'.repeat(MAX_CURSOR_LENGTH) } }));
    const first = 'filters[name]=long&pagination[cursor]=&pagination[pageSize]=1';
    expect((await content.get(`things?${first}&sort=name`)).status).toBe(200);
    expect(await refused(`${first}&sort=body`)).toMatchObject(limit);
    for (const { documentId } of made) await things(content).delete({ documentId });
  });
});

describeOnPostgres('Pages by cursor', (engine) => {
  const contents = useContents(engine);

  it('compare digits and numbers that no other database of ours keeps', async () => {
    const content = await contents.open(PROJECT);
    await fill(content, 20);
    await content.execute(
      `update things set price = 0.12345678901234567890 + (id % 7) * 1e-20, clock = time '12:00' + (id % 5) * interval '1 microsecond', moment = timestamp '2024-02-29 12:00:00.123' + (id % 6) * interval '1 microsecond'`,
    );
    // What nobody can write through Sheaf, but what may be there.
    await content.execute(
      `update things set price = (array['NaN', 'Infinity', '-Infinity'])[id % 3 + 1]::numeric, ratio = (array['NaN', 'Infinity', '-Infinity'])[id % 3 + 1]::float8, clock = '24:00', moment = (array['infinity', '-infinity'])[id % 2 + 1]::timestamp where id % 4 = 0`,
    );
    for (const key of ['price', 'ratio', 'clock', 'moment'])
      for (const direction of ['asc', 'desc']) {
        const asked = { sort: [`${key}:${direction}`], filters: undefined, pageSize: 1, withCount: false };
        const pages = await walk(content, asked);
        expect(
          pages.flatMap(({ data }) => idsOf(data)),
          key,
        ).toEqual(await allOf(content, asked));
      }
  });
});

describeAcrossDatabases('Cursors', (engines) => {
  const opened: Content[] = [];
  const all = engines.map((engine) => useContents(engine));
  beforeAll(async () => {
    for (const contents of all) {
      const content = await contents.open(PROJECT);
      await fill(content, 30);
      opened.push(content);
    }
  });

  it('are the same on every database', async () => {
    for (const name of NAMES) {
      const asked = { sort: [`${name}:desc`], filters: undefined, pageSize: 4, withCount: false };
      const [one, ...others] = await Promise.all(
        opened.map(async (content) => (await walk(content, asked)).map(metaOf)),
      );
      for (const other of others) expect(other, name).toEqual(one);
    }
  });
});

describeOnEveryDatabase('A page by cursor of an indexed sort', (engine) => {
  const contents = useContents(engine);

  it('is found by the index in every segment, wherever it stands', async () => {
    const content = await contents.open({
      types: { row: { attributes: { rank: { type: 'integer' } }, options: { indexes: [['rank', 'id']] } } },
    });
    const values = Array.from({ length: 3000 }, (_, n) => `('d${n}', ${n % 50 === 0 ? 'null' : n % 700})`);
    await content.execute(`insert into rows (document_id, rank) values ${values.join()}`);
    await content.execute('analyze');
    const query = (cursor: string) => `rows?sort=rank&pagination[pageSize]=5&pagination[cursor]=${cursor}`;
    const { next } = (await content.get(query(''))).body.meta.pagination;
    const explained = await explainRequest(content.sheaf, `/api/${query(next)}`);
    const plan = explained.slice(explained.indexOf('Query plan'));
    expect(plan.match(/sheaf_rows_rank_id_declared/g)!.length).toBeGreaterThanOrEqual(3);
    expect(plan).not.toMatch(/SCAN t0(?! USING)|Seq Scan on "?rows/);
  });
});
