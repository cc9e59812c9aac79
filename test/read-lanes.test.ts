// Reads that may take long: they answer what they would answer anywhere, wait for their turn, end by their deadline and
// when their client goes, and hold up nobody. Which reads these are depends on sizes of tables, so tests claim others.
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemCaller } from '../src/access/caller.ts';
import type { WhenGone } from '../src/db/database.ts';
import { heavyReads } from '../src/db/read-turns.ts';
import { createServer } from '../src/http/server.ts';
import {
  MAX_HEAVY_WAIT_MS,
  MAX_READ_COST,
  MAX_READER_PROCESSES,
  MAX_READER_START_MS,
  MAX_SMALL_COST,
  MAX_SMALL_READ_MS,
  MAX_SMALL_TEXT_BYTES,
  MAX_WAITING_HEAVY_READS,
} from '../src/limits.ts';
import { FIRST_PAGE } from '../src/request/parse-read.ts';
import type { Semaphore } from '../src/semaphore.ts';
import { type Content, localized, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnPostgres, describeOnSqlite } from './support/database.ts';
import { IN_THE_END } from './support/patience.ts';
import { scaled } from './support/scale.ts';
import { claimRows, countRows } from './support/table-sizes.ts';

const PROJECT: Project = {
  locales: ['en', 'fr'],
  types: {
    page: {
      drafts: true,
      localized: true,
      attributes: {
        title: { type: 'string', ...localized },
        rank: { type: 'integer' },
        free: { type: 'json' },
        body: { type: 'richtext' },
        tags: relation('manyToMany', 'tag', { inversedBy: 'pages' }),
      },
    },
    tag: { attributes: { name: { type: 'string' }, pages: relation('manyToMany', 'page', { mappedBy: 'tags' }) } },
    front: { single: true, attributes: { title: { type: 'string' } } },
  },
};

const READS = [
  'pages',
  'pages?sort=title:desc&pagination[pageSize]=3',
  'pages?filters[tags][name][$containsi]=É&populate=tags',
  'pages?status=draft&locale=fr&pagination[start]=1&pagination[limit]=2',
  'pages?filters[$or][0][free][$eq]={"a":1}&filters[$or][1][rank][$in][0]=2',
  'pages?pagination[withCount]=false&fields=title',
  'tags?sort=pages.tags.name&populate[pages][sort]=tags.pages.title',
  'tags?_q=é',
  'pages/aggregate?group=tags.name,rank&count=*&max=title&having[count][$gt]=0&sort=-count',
  'pages?facets=tags.name,rank&populate[tags][pagination][limit]=1&populate[tags][pagination][withCount]=true',
  'front',
  'front?populate=*',
  'pages?filters[nosuch]=1',
  'pages?filters[rank]=many',
];

const HEAVY_ROWS = MAX_SMALL_COST * 11;
/** Of a table of which a list is neither heavy nor surely small. */
const MEDIUM_ROWS = MAX_SMALL_COST / 4;
/** Reads that are refused one after another, however often their process is killed. */
const MOST_REFUSALS = 500;
const KILLS = scaled(5);

/** The processes that read for this one. */
function readerProcesses(): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return parent === process.pid && line.includes('reader-process') ? [pid!] : [];
  });
}

describeOnEveryDatabase('A heavy read', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  let tag: string;

  beforeAll(async () => {
    content = await contents.open(PROJECT);
    const tags: string[] = [];
    for (const name of ['one', 'Été', 'three']) tags.push(await content.make('tags', { name }));
    tag = tags[0]!;
    for (let index = 0; index < 6; index++) {
      const id = await content.make('pages', {
        title: `page ${index}`,
        rank: index,
        free: { a: index },
        tags: tags.slice(index % 3),
      });
      await content.put(`pages/${id}?locale=fr`, { title: `feuille ${index}` });
    }
    await content.put('front', { title: 'front' });
  });
  afterEach(() => claimRows(content.sheaf, 0));

  it('answers what a small one answers', async () => {
    for (const read of READS) {
      claimRows(content.sheaf, 0);
      const { status, body } = await content.get(read);
      claimRows(content.sheaf, HEAVY_ROWS);
      const heavy = await content.get(read);
      expect({ status: heavy.status, body: heavy.body }, read).toEqual({ status, body });
    }
  });

  it('sees what was written before', async () => {
    claimRows(content.sheaf, HEAVY_ROWS);
    for (let round = 0; round < 5; round++) {
      const documentId = await content.make('tags', { name: `new ${round}` });
      const { body } = await content.get(`tags?filters[name]=new ${round}`);
      expect(body.data).toMatchObject([{ documentId }]);
      await content.delete(`tags/${documentId}`);
      expect((await content.get(`tags?filters[name]=new ${round}`)).body.data).toEqual([]);
    }
  });

  it('in process is the same', async () => {
    const tags = content.sheaf.documents('api::tag.tag');
    claimRows(content.sheaf, HEAVY_ROWS);
    expect(await tags.count({ filters: { name: { $startsWith: 't' } } })).toBe(1);
    expect(await tags.findMany({ sort: 'pages.tags.name' })).toHaveLength(3);
  });

  it('is refused with its most expensive part where it would not end in time', async () => {
    claimRows(content.sheaf, MAX_READ_COST);
    const { status, body } = await content.get('tags?sort=pages.tags.name&filters[name][$eqi]=x');
    expect([status, body.error.name]).toEqual([400, 'ValidationError']);
    expect(body.error.details).toMatchObject({ limit: 'MAX_READ_COST', part: 'sort by pages → tags → name' });
    expect(body.error.message).toMatch(
      /costs too much: about \d+ rows .* Most of them by: sort by pages → tags → name$/,
    );
    // One document is one document, however many there are.
    expect((await content.get(`tags/${tag}`)).status).toBe(200);
  });

  it('is refused where it costs more than the role of its caller may spend', async () => {
    const content = await contents.open({
      ...PROJECT,
      settings: { readCost: { roles: { public: 1_000 }, tokens: 20_000 } },
    });
    const auth = await content.sheaf.auth();
    const token = await auth.tokens.create({
      name: 'x',
      description: '',
      type: 'read-only',
      actions: [],
      days: null,
    });
    claimRows(content.sheaf, 2_000);
    const read = 'tags?filters[name][$contains]=x';
    const { status, body } = await content.get(read);
    expect(status).toBe(400);
    expect(body.error.details).toMatchObject({ limit: 'readCost', allowed: 1_000 });
    const withToken = await content.sheaf.authenticate({ authorization: `Bearer ${token}` });
    const tags = content.sheaf.documents('api::tag.tag', withToken);
    expect(await tags.findMany({ filters: { name: { $contains: 'x' } } })).toEqual([]);
    claimRows(content.sheaf, 40_000);
    await expect(tags.count({ filters: { name: { $contains: 'x' } } })).rejects.toThrow(/costs too much.*readCost/);
    // The system has no budget of its own, and one document costs little.
    expect(await content.sheaf.documents('api::tag.tag').findMany({ filters: { name: { $contains: 'x' } } })).toEqual(
      [],
    );
    expect((await content.get('tags/none')).status).toBe(404);
  });

  it('waits for its turn, and all have theirs', async () => {
    claimRows(content.sheaf, HEAVY_ROWS);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => content.get(`tags?sort=name&filters[id][$ne]=${index}`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describeOnSqlite('A heavy read on SQLite', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  /** Too much for any deadline: many nodes to compare for each of many conditions and rows. */
  const ENDLESS = `pages?status=draft&${Array.from({ length: 80 }, (_, index) => `filters[$or][${index}][free][$eq]=[${index}]`).join('&')}`;

  beforeAll(async () => {
    content = await contents.open(PROJECT);
    await content.make('tags', { name: 'small' });
    const nodes = JSON.stringify(Array.from({ length: 2_000 }, (_, index) => index));
    await content.execute(
      `insert into pages (document_id, locale, free) with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) select 'd' || i, 'en', '${nodes}' from n`,
    );
    await countRows(content.sheaf);
  });

  it('ends by its deadline with a 503, while others are answered', async () => {
    const heavy = content.get(ENDLESS);
    const order: string[] = [];
    const noted = heavy.then(({ status }) => order.push(`heavy ${status}`));
    for (let index = 0; index < 100; index++) {
      expect((await content.get('tags')).status).toBe(200);
      order.push('small');
    }
    await noted;
    expect(order).toEqual([...Array.from({ length: 100 }, () => 'small'), 'heavy 503']);
    const { body, headers } = await heavy;
    expect(body.error.message).toMatch(/takes too long; ask for less/);
    expect(headers['retry-after']).toBe('1');
  });

  it('ends when its client goes, and makes room for the next', async () => {
    const server = createServer(content.sheaf);
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as { port: number };
    try {
      for (let round = 0; round < 2 * MAX_READER_PROCESSES; round++) {
        const socket = connect(port, '127.0.0.1');
        socket.write(`GET /api/${ENDLESS} HTTP/1.1\r\nhost: x\r\n\r\n`);
        await sleep(200);
        socket.destroy();
      }
      // All turns would be taken until their deadlines otherwise.
      claimRows(content.sheaf, HEAVY_ROWS);
      expect((await content.get('tags?sort=name')).status).toBe(200);
    } finally {
      await countRows(content.sheaf);
      await server.close();
    }
  });

  it('waits for a process that starts slowly, which is not ended for that', async () => {
    const slow = await contents.open(PROJECT);
    claimRows(slow.sheaf, HEAVY_ROWS);
    const before = new Set(readerProcesses());
    const started = () => readerProcesses().filter((pid) => !before.has(pid));
    const pause = `await new Promise((done) => setTimeout(done, ${MAX_READER_START_MS + 1_000}))`;
    vi.stubEnv('NODE_OPTIONS', `--import=data:text/javascript,${encodeURIComponent(pause)}`);
    const first = await slow.get('tags?sort=name').finally(() => vi.unstubAllEnvs());
    const [reader] = started();
    expect([first.status, first.headers['retry-after']]).toEqual([503, '1']);
    expect(first.body.error.message).toMatch(/too busy for a large request; try again/);
    expect(reader).toBeGreaterThan(0);
    await vi.waitFor(async () => expect((await slow.get('tags?sort=name')).status).toBe(200), IN_THE_END);
    expect(started()).toEqual([reader]);
  });

  it('answers rightly or with a 503 when its process is killed, and leaves the file sound', async () => {
    claimRows(content.sheaf, HEAVY_ROWS);
    const read = 'tags?sort=pages.tags.name&pagination[pageSize]=100';
    const expected = await content.get(read);
    expect(expected.status).toBe(200);
    let [killed, answered, refused, over] = [0, 0, 0, false];
    const isUnderWay = (): boolean => killed < KILLS && !over;
    const statuses = new Set<number>();
    const reading = async (): Promise<void> => {
      while (isUnderWay()) {
        const { status, body } = await content.get(read);
        statuses.add(status);
        if (status === 200) {
          answered++;
          refused = 0;
          expect(body).toEqual(expected.body);
        } else {
          expect(body.error.name).toBe('ServiceUnavailableError');
          expect(++refused).toBeLessThan(MOST_REFUSALS);
          await sleep(5);
        }
      }
    };
    const writing = async (): Promise<void> => {
      while (isUnderWay()) {
        const id = await content.make('pages', { title: 'other', rank: killed });
        expect((await content.delete(`pages/${id}`)).status).toBe(204);
        // Nothing in a write on SQLite waits: others would never have their turn.
        await sleep(1);
      }
    };
    const killing = async (): Promise<void> => {
      while (isUnderWay()) {
        // Some while they begin, others after they have answered.
        const before = answered;
        if (Math.random() < 0.5) while (answered === before && !over) await sleep(5);
        await sleep(Math.random() * 100);
        for (const pid of readerProcesses()) {
          process.kill(pid, 'SIGKILL');
          killed++;
        }
      }
    };
    try {
      await Promise.all([reading(), reading(), writing(), killing()]);
    } finally {
      // The others end as well where one fails.
      over = true;
    }
    expect(statuses).toEqual(new Set([200, 503]));
    const file = new DatabaseSync(content.sheaf.database.file!, { readOnly: true });
    expect(file.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    file.close();
    expect((await content.get(read)).body).toEqual(expected.body);
    await countRows(content.sheaf);
  });

  it('is recognized by the time it took, where its estimate was too low', async () => {
    claimRows(content.sheaf, 1_000);
    const slow = 'pages?status=draft&filters[free][$eq]=[1]';
    // The first time makes it suspect, the second convicts it.
    for (let run = 0; run < 2; run++) expect((await content.get(slow)).status).toBe(200);
    let isAnswered = false;
    const again = content.get(slow).then(() => {
      isAnswered = true;
    });
    // On its own process it does not hold up this one.
    await content.get('tags');
    expect(isAnswered).toBe(false);
    await again;
  });
});

describeOnEveryDatabase('A read that touches few rows', (engine) => {
  const contents = useContents(engine);

  it('is heavy where its response has many values', async () => {
    const content = await contents.open(PROJECT);
    await content.make('tags', { name: 'one' });
    claimRows(content.sheaf, { tags: 1, pages: 8_000, pages_tags_lnk: 8_000 });
    const isHeavy = async (read: string): Promise<boolean> => {
      const { begun } = content.sheaf.operations.lanes.usage();
      expect((await content.get(read)).status).toBe(200);
      return content.sheaf.operations.lanes.usage().begun > begun;
    };
    expect(await isHeavy('tags?populate=pages')).toBe(true);
    expect(await isHeavy('tags?populate[pages][fields]=title')).toBe(false);
  });
});

describeOnSqlite('A read that looks through long texts', (engine) => {
  const contents = useContents(engine);
  const LONG = 'x'.repeat(5_000);
  /** Of a file in which a short text is found slowly at first, and soon where it has shown to be so. */
  const MUCH = MAX_SMALL_TEXT_BYTES * 2;
  let content: Content;

  beforeAll(async () => {
    content = await contents.open(PROJECT);
    await content.make('pages', { title: 'one', body: 'a text' });
    claimRows(content.sheaf, 10);
  });

  const timesHeavy = async (path: string, times: number): Promise<number> => {
    const { lanes } = content.sheaf.operations;
    const before = lanes.usage().begun;
    for (let time = 0; time < times; time++) expect((await content.get(path)).status).toBe(200);
    return lanes.usage().begun - before;
  };

  it('is small where the file is', async () => {
    await countRows(content.sheaf);
    expect(content.sheaf.operations.lanes.textBytes).toBeGreaterThan(0);
    claimRows(content.sheaf, 10);
    for (const read of ['pages?filters[body][$containsi]=é', 'pages?_q=é', 'tags?filters[pages][body][$contains]=x'])
      expect(await timesHeavy(read, 1), read).toBe(0);
  });

  it('is heavy where the file is large, until it has shown to be quick', async () => {
    content.sheaf.operations.lanes.textBytes = MUCH;
    for (const read of [
      'pages?filters[body][$containsi]=é&fields=id',
      'pages?_q=é&fields=id',
      'tags?filters[pages][body][$contains]=x&fields=id',
      'tags?populate[pages][filters][body][$eqi]=x&fields=id',
    ]) {
      expect(await timesHeavy(read, 1), read).toBe(1);
      // A machine that is busy makes few of them slow.
      await expect.poll(() => timesHeavy(read, 1), IN_THE_END).toBe(0);
    }
    for (const read of [
      'pages?filters[title][$contains]=x',
      'pages?filters[body]=x',
      'pages?filters[body][$startsWith]=x',
    ])
      expect(await timesHeavy(read, 1), read).toBe(0);
  });

  it('is heavy for a long text however quick it was for short ones, and for many texts', async () => {
    content.sheaf.operations.lanes.textBytes = MUCH;
    const read = 'pages?fields=title&filters[body][$contains]=';
    await expect.poll(() => timesHeavy(`${read}x`, 1), IN_THE_END).toBe(0);
    expect(await timesHeavy(`${read}${LONG}`, 4)).toBe(4);
    content.sheaf.operations.lanes.textBytes = MAX_SMALL_TEXT_BYTES / 2;
    const any = Array.from({ length: 50 }, (_, index) => `filters[$or][${index}][body][$contains]=${index}`).join('&');
    expect(await timesHeavy(`pages?${any}`, 4)).toBe(4);
  });
});

describeOnEveryDatabase('A page alone', (engine) => {
  const contents = useContents(engine);

  it('is small where only its total takes long', async () => {
    const { sheaf } = await contents.open(PROJECT);
    claimRows(sheaf, MEDIUM_ROWS);
    const { model, operations } = sheaf;
    const type = model.contentTypes.get('api::page.page')!;
    const defaults = { status: 'published', pagination: FIRST_PAGE } as const;
    const laneOf = (withCount: boolean) =>
      operations.explain(
        { name: 'find', type, parameters: { pagination: { withCount } }, defaults },
        systemCaller(model),
      ).lane;
    for (let run = 0; run < 2; run++) laneOf(true).took(MAX_SMALL_READ_MS + 1);
    expect([laneOf(true), laneOf(false)].map((lane) => lane.isHeavy(25, []))).toEqual([true, false]);
  });
});

describeOnPostgres('A heavy read on PostgreSQL', (engine) => {
  const contents = useContents(engine);

  it('that is large is put together elsewhere, and is the same', async () => {
    const content = await contents.open(PROJECT);
    const tags = [await content.make('tags', { name: 'one' }), await content.make('tags', { name: 'two' })];
    const free = Array.from({ length: 9_000 }, (_, index) => `value ${index}`);
    for (let index = 0; index < 6; index++) await content.make('pages', { title: `page ${index}`, free, tags });
    for (const read of ['pages?populate=tags&sort=title:desc', 'tags?populate=pages']) {
      claimRows(content.sheaf, 0);
      const { status, body } = await content.get(read);
      expect([status, JSON.stringify(body).length > 500_000]).toEqual([200, true]);
      claimRows(content.sheaf, HEAVY_ROWS);
      const heavy = await content.get(read);
      expect({ status: heavy.status, body: heavy.body }, read).toEqual({ status, body });
    }
  });

  it('does not run for a client that left while it waited, and is cancelled for one that leaves later', async () => {
    const content = await contents.open(PROJECT);
    const running = () =>
      content.number(
        `select count(*) from pg_stat_activity where state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()`,
      );
    let started = 0;
    const sleeper = (whenGone: WhenGone) =>
      content.sheaf.database.snapshot(
        async (session) => {
          started++;
          return session.rows({ sql: 'select pg_sleep(3)::text', bindings: [] }, []);
        },
        { isHeavy: true, whenGone },
      );
    const clients = Array.from({ length: 6 }, () => {
      let leave: () => void = () => undefined;
      const answer = sleeper((listener) => {
        leave = listener;
      });
      return { leave: () => leave(), answer: answer.catch((error: Error) => error) };
    });
    await vi.waitFor(async () => expect(await running()).toBeGreaterThan(0), IN_THE_END);
    for (const { leave } of clients) leave();
    for (const { answer } of clients) expect(await answer).toMatchObject({ status: 503 });
    // Those at a time have begun, and of the ones that waited none has.
    expect(started).toBeLessThan(clients.length);
    expect(await running()).toBe(0);
  });

  it.each([
    ['leaves', HEAVY_ROWS],
    ['that is nearly one leaves', MEDIUM_ROWS],
  ])('%s connections to small ones', async (_, rows) => {
    const content = await contents.open(PROJECT);
    const small = `tags/${await content.make('tags', { name: 'small' })}`;
    claimRows(content.sheaf, rows);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const locked = content.sheaf.database.transaction(async (session) => {
      await session.rows({ sql: 'lock table pages in access exclusive mode', bindings: [] }, []);
      await held;
    });
    const waiting = Array.from({ length: 20 }, () => content.get('pages?sort=title'));
    await sleep(300);
    for (let index = 0; index < 20; index++) expect((await content.get(small)).status).toBe(200);
    release();
    await locked;
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  });
});

describe('A semaphore', () => {
  /** Work that goes on until it is told to end. */
  function held(semaphore: Semaphore) {
    let end: () => void = () => undefined;
    const ended = semaphore.run(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    return { end: () => end(), ended };
  }
  const nothing = async (): Promise<void> => undefined;

  it('lets few work at a time, in order', async () => {
    const semaphore = heavyReads(2);
    const order: number[] = [];
    let running = 0;
    await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        semaphore.run(async () => {
          expect(++running).toBeLessThanOrEqual(2);
          await sleep(1);
          order.push(index);
          running--;
        }),
      ),
    );
    expect(order.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(order.slice(0, 2).toSorted()).toEqual([0, 1]);
  });

  it('refuses at once where the queue is long', async () => {
    const semaphore = heavyReads(1);
    const first = held(semaphore);
    const queue = Array.from({ length: MAX_WAITING_HEAVY_READS }, () => semaphore.run(nothing));
    await expect(semaphore.run(nothing)).rejects.toMatchObject({ status: 503 });
    first.end();
    await Promise.all([first.ended, ...queue]);
    await semaphore.run(nothing);
  });

  it(
    'lets nobody wait longer than MAX_HEAVY_WAIT_MS, and works on',
    async () => {
      const semaphore = heavyReads(1);
      const first = held(semaphore);
      await expect(semaphore.run(nothing)).rejects.toMatchObject({ status: 503 });
      first.end();
      await first.ended;
      await semaphore.run(nothing);
    },
    MAX_HEAVY_WAIT_MS * 3,
  );

  it('has its permit back from work that fails', async () => {
    const semaphore = heavyReads(1);
    await expect(semaphore.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await semaphore.run(nothing);
  });
});
