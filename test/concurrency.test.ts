// Many clients that write the same entries at once, through two servers on one SQLite file: nothing is lost, no list
// is broken, and a busy database is waited for. Then clients who put entries of their own into lists that all of them
// change, publish and delete them: in the end each finds there what it was told is there. The first of
// the two has its counterpart with two nodes on PostgreSQL in postgres.test.ts. SHEAF_TEST_SCALE gives more writes.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { openToAll } from './support/access.ts';
import { describeOnEveryDatabase, describeOnSqlite, GUIDE } from './support/database.ts';
import { violations } from './support/invariants.ts';
import { type ServerNode, useNodes } from './support/nodes.ts';
import { scaled } from './support/scale.ts';

const CLIENTS = 8;
const WRITES = scaled(200);
const OWNERS = 5;
const TARGETS = 6;
/** Times that a client sends a write again that the server could not take. */
const TRIES = 20;

/** Numbers that are the same on every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

describeOnSqlite('Writers of the same entries', (engine) => {
  const startNode = useNodes();
  let nodes: ServerNode[];
  let sheaf: Sheaf;
  beforeAll(async () => {
    const url = engine.emptyGuideDatabaseUrl();
    sheaf = await open({ project: GUIDE, database: url });
    await openToAll(sheaf);
    nodes = [await startNode(url), await startNode(url)];
  });
  afterAll(() => sheaf?.close());

  const broken = () =>
    sheaf.database.snapshot((session) => violations(sheaf.model, (sql) => session.rows({ sql, bindings: [] }, [])));

  it('lose nothing that was acknowledged and leave every list whole', async () => {
    const make = async (uid: string, prefix: string, count: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let index = 0; index < count; index++)
        ids.push((await sheaf.documents(uid).create({ data: { name: `${prefix} ${index}` } })).documentId);
      return ids;
    };
    const owners = await make('api::restaurant.restaurant', 'Owner', OWNERS);
    const categories = await make('api::category.category', 'Category', TARGETS);
    const chefs = await make('api::chef.chef', 'Chef', 3);
    const statuses = new Map<number, number>();
    const made: { readonly dish: string; readonly restaurant: string }[] = [];
    let left = WRITES;

    const client = async (number: number): Promise<void> => {
      const random = randomFrom(number);
      const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
      const some = (list: readonly string[]): string[] => list.filter(() => random(2) === 0);
      const change = (list: readonly string[]): unknown =>
        pick([
          () => ({ set: some(list) }),
          () => ({ connect: [pick(list)] }),
          () => ({ connect: [{ documentId: pick(list), position: { start: true } }] }),
          () => ({ disconnect: [pick(list)] }),
          () => ({ connect: some(list), disconnect: some(list) }),
        ])();
      const writes: (() => [string, string, Record<string, unknown>])[] = [
        () => ['PUT', `restaurants/${pick(owners)}`, { categories: change(categories) }],
        () => ['PUT', `categories/${pick(categories)}`, { restaurants: change(owners) }],
        () => ['PUT', `restaurants/${pick(owners)}`, { neighbours: change(owners), stars: random(6) }],
        () => ['PUT', `chefs/${pick(chefs)}`, { restaurants: change(owners) }],
        () => ['PUT', `restaurants/${pick(owners)}`, { chef: pick([null, ...chefs]) }],
        () => ['POST', 'dishes', { name: `Dish of ${number}`, restaurant: pick(owners) }],
      ];
      while (left-- > 0) {
        const [method, path, data] = pick(writes)();
        for (let attempt = 1; ; attempt++) {
          const answer = await fetch(`${pick(nodes).address}/api/${path}`, {
            method,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ data }),
          });
          const body = (await answer.json()) as { data: { documentId: string } };
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          if (answer.status === 503 && attempt < TRIES) {
            expect(answer.headers.get('retry-after')).not.toBeNull();
            await sleep(10 * attempt);
            continue;
          }
          if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(body)}`);
          if (path === 'dishes') made.push({ dish: body.data.documentId, restaurant: String(data.restaurant) });
          break;
        }
      }
    };

    const begin = performance.now();
    const watched: string[] = [];
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index + 1)));
    let running = true;
    const watching = (async () => {
      while (running) {
        watched.push(...(await broken()));
        await sleep(200);
      }
    })();
    await clients.finally(() => {
      running = false;
    });
    await watching;
    const seconds = (performance.now() - begin) / 1000;
    console.log(
      `${WRITES} writes by ${CLIENTS} clients at ${nodes.length} processes on one file: ${Math.round(WRITES / seconds)}/s; answers`,
      Object.fromEntries(statuses),
    );
    expect(watched).toEqual([]);
    expect(await broken()).toEqual([]);
    expect([...statuses.keys()].filter((status) => status >= 500 && status !== 503)).toEqual([]);
    const dishes = await sheaf.documents('api::dish.dish').findMany({ populate: { restaurant: { fields: ['name'] } } });
    const kept = new Set(
      dishes.map(
        ({ documentId, restaurant }) => `${documentId} ${(restaurant as { documentId: string } | null)?.documentId}`,
      ),
    );
    expect(made.filter(({ dish, restaurant }) => !kept.has(`${dish} ${restaurant}`))).toEqual([]);
    expect(made.length).toBeGreaterThan(0);
  });
});

const SHARED_WRITES = scaled(150);

describeOnEveryDatabase('Writers who share lists of entries with drafts', (engine) => {
  let sheaf: Sheaf;
  let server: ReturnType<typeof createServer>;
  let address: string;
  beforeAll(async () => {
    sheaf = await open({ project: GUIDE, database: engine.emptyGuideDatabaseUrl() });
    await openToAll(sheaf);
    server = createServer(sheaf);
    address = await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await server?.close();
    await sheaf?.close();
  });

  const statuses = new Map<number, number>();
  /** Sends a write until it is taken; the document it answers with. */
  const send = async (method: string, path: string, data?: unknown): Promise<string> => {
    for (let attempt = 1; ; attempt++) {
      const answer = await fetch(`${address}/api/${path}`, {
        method,
        ...(data !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ data }),
        }),
      });
      const text = await answer.text();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.ok) return text === '' ? '' : (JSON.parse(text) as { data: { documentId: string } }).data.documentId;
      if (answer.status !== 503 || attempt === TRIES)
        throw new Error(`${method} ${path} ${JSON.stringify(data)}: ${answer.status} ${text}`);
      await sleep(10 * attempt);
    }
  };

  const broken = () =>
    sheaf.database.snapshot((session) => violations(sheaf.model, (sql) => session.rows({ sql, bindings: [] }, [])));

  const lists = async (uid: string, attribute: string, status: 'draft' | 'published') => {
    const entries = await sheaf.documents(uid).findMany({ status, populate: { [attribute]: { fields: ['id'] } } });
    return new Map(
      entries.map((entry) => [
        entry.documentId,
        (entry[attribute] as { documentId: string }[]).map(({ documentId }) => documentId),
      ]),
    );
  };

  it('find in them what they were told is there, and nothing else', async () => {
    const articles: string[] = [];
    for (let index = 0; index < OWNERS; index++)
      articles.push(await send('POST', 'articles', { title: `Article ${index}` }));
    /** The articles of each author that is there, as its client was told. */
    const told = new Map<string, Set<string>>();
    let left = SHARED_WRITES;

    const client = async (number: number): Promise<void> => {
      const random = randomFrom(number);
      const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
      const some = (): string[] => articles.filter(() => random(3) === 0);
      const status = (): string => pick(['', '?status=draft']);
      const mine: string[] = [];
      let made = 0;
      const make = async () => {
        const chosen = some();
        const data = { name: `Author ${number}.${++made}`, articles: chosen };
        const author = await send('POST', `authors${status()}`, data);
        mine.push(author);
        told.set(author, new Set(chosen));
      };
      const place = () =>
        pick<unknown>([{ start: true }, { end: true }, { before: pick(mine) }, { after: pick(mine) }]);
      const operations: ((author: string) => Promise<void>)[] = [
        make,
        async (author) => {
          const article = pick(articles);
          const position = place() as { before?: string; after?: string };
          const reference =
            position.before === author || position.after === author ? author : { documentId: author, position };
          const change = { connect: [reference], options: { strict: false } };
          await send('PUT', `articles/${article}${status()}`, { authors: change });
          told.get(author)!.add(article);
        },
        async (author) => {
          const article = pick(articles);
          await send('PUT', `articles/${article}${status()}`, { authors: { disconnect: [author] } });
          told.get(author)!.delete(article);
        },
        async (author) => {
          const [connect, disconnect] = [some(), some()];
          await send('PUT', `authors/${author}${status()}`, { articles: { connect, disconnect } });
          for (const article of disconnect) told.get(author)!.delete(article);
          for (const article of connect) told.get(author)!.add(article);
        },
        async (author) => {
          const chosen = some();
          await send('PUT', `authors/${author}${status()}`, { articles: chosen });
          told.set(author, new Set(chosen));
        },
        async () => {
          await send('PUT', `articles/${pick(articles)}${status()}`, { title: `By ${number}` });
        },
        async (author) => {
          if (mine.length < 3) return;
          await send('DELETE', `authors/${author}`);
          mine.splice(mine.indexOf(author), 1);
          told.delete(author);
        },
      ];
      await make();
      while (left-- > 0) await pick(operations)(pick(mine));
    };

    const begin = performance.now();
    const watched: string[] = [];
    let running = true;
    const watching = (async () => {
      while (running) {
        watched.push(...(await broken()));
        await sleep(200);
      }
    })();
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index + 1))).finally(() => {
      running = false;
    });
    await watching;
    const seconds = (performance.now() - begin) / 1000;
    console.log(
      `${SHARED_WRITES} writes by ${CLIENTS} clients on ${engine.name}: ${Math.round(SHARED_WRITES / seconds)}/s; answers`,
      Object.fromEntries(statuses),
    );
    expect(watched).toEqual([]);
    expect(await broken()).toEqual([]);

    const check = async (status: 'draft' | 'published') => {
      const ofAuthors = await lists('api::author.author', 'articles', status);
      expect([...ofAuthors.keys()].sort()).toEqual([...told.keys()].sort());
      for (const [author, list] of ofAuthors) expect(list.toSorted(), author).toEqual([...told.get(author)!].sort());
      const ofArticles = await lists('api::article.article', 'authors', status);
      for (const [article, list] of ofArticles)
        expect(list.toSorted(), article).toEqual(
          [...told.keys()].filter((author) => told.get(author)!.has(article)).sort(),
        );
    };
    await check('draft');
    for (const author of told.keys()) await send('PUT', `authors/${author}`, {});
    for (const article of articles) await send('PUT', `articles/${article}`, {});
    await check('published');
    // Every list was published as its draft stands.
    for (const [uid, attribute] of [
      ['api::author.author', 'articles'],
      ['api::article.article', 'authors'],
    ] as const)
      expect(await lists(uid, attribute, 'published')).toEqual(await lists(uid, attribute, 'draft'));
    expect(await broken()).toEqual([]);
  });
});
