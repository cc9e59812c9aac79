// Hooks on committed writes: each runs at least once for every write that is committed and for no other, in order for each
// document, again where it fails, and whoever has failed too often is told of. Servers that are killed lose nothing.
// SHEAF_TEST_SCALE gives more kills.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_COMMITTED_TRIES } from '../src/limits.ts';
import { openToAll } from './support/access.ts';
import { databaseFor, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { commandsOn } from './support/in-process.ts';
import { collectedLog, writeFiles } from './support/own-code.ts';
import { IN_THE_END } from './support/patience.ts';
import { scaled } from './support/scale.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const POST = 'api::post.post';
const KILLS = scaled(1);
const CLIENTS = 4;
/** Writes that a server acknowledges before it is killed, and the milliseconds after the last of them. */
const ANSWERS = 10;
const LATEST_MS = 40;

const PROJECT: Project = {
  types: {
    post: { attributes: { title: { type: 'string' } } },
    audit: { attributes: { document: { type: 'string' } } },
  },
};

/** The hook tells a function of the global object, where the test puts one. */
const CODE = `
import { defineProject, errors } from 'sheaf';
export default defineProject({
  hooks: [
    {
      name: 'told', types: 'api::post.post',
      committed: ({ event, tries, sheaf }) => (globalThis as any).toldByHook?.(event, tries, sheaf),
    },
    {
      types: 'api::post.post',
      after: ({ operation }) => {
        if (operation.data.title === 'refused') throw errors.conflict();
      },
    },
  ],
});
`;

interface Told {
  readonly id: number;
  readonly operation: string;
  readonly documentId: string;
}

describeOnEveryDatabase('Hooks on committed writes', (engine) => {
  const contents = useContents(engine);
  const { logger, lines } = collectedLog();
  const told: Told[] = [];
  let sheaf: Sheaf;
  let folder: string;
  let database: string;
  let app: ReturnType<typeof createServer>;
  let work: (event: Told, tries: number, sheaf: Sheaf) => unknown = () => undefined;

  beforeAll(async () => {
    folder = contents.project(PROJECT);
    database = await databaseFor(engine, PROJECT, folder);
    writeFiles(folder, { 'src/sheaf.ts': CODE });
    sheaf = await open({ project: folder, database });
    app = createServer(sheaf, { logger });
    (globalThis as { toldByHook?: unknown }).toldByHook = (event: Told, tries: number, inHook: Sheaf) => {
      told.push(event);
      return work(event, tries, inHook);
    };
    await app.ready();
  });
  afterAll(async () => {
    delete (globalThis as { toldByHook?: unknown }).toldByHook;
    await app.close();
    await sheaf.close();
  });

  const execute = (sql: string) => sheaf.database.transaction((session) => session.rows({ sql, bindings: [] }, []));
  const counts = () => sheaf.extension!.committed!.counts();
  const drained = () => vi.waitFor(async () => expect((await counts()).waiting).toBe(0), IN_THE_END);

  it('run for every write, in order for each document, and for none that is rolled back', async () => {
    const documents = sheaf.documents(POST);
    // Slower for the first, so that the others would overtake it.
    work = ({ operation }) => sleep(operation === 'create' ? 20 : 0);
    const write = async (index: number): Promise<string> => {
      const { documentId } = await documents.create({ data: { title: `${index}` } });
      await documents.update({ documentId, data: { title: 'a' } });
      await expect(documents.update({ documentId, data: { title: 'refused' } })).rejects.toThrow('Conflict');
      await sheaf
        .transaction(async () => {
          await documents.update({ documentId, data: { title: 'b' } });
          throw new Error('rolled back');
        })
        .catch(() => undefined);
      await documents.delete({ documentId });
      return documentId;
    };
    const ids = await Promise.all(Array.from({ length: 5 }, (_, index) => write(index)));
    await drained();
    for (const id of ids)
      expect(told.filter(({ documentId }) => documentId === id).map(({ operation }) => operation)).toEqual([
        'create',
        'update',
        'delete',
      ]);
    expect(told).toHaveLength(15);
  });

  it('are tried again where they fail, while later writes of the document wait and others do not', async () => {
    const documents = sheaf.documents(POST);
    told.length = 0;
    lines.length = 0;
    const { documentId: other } = await documents.create({ data: { title: 'other' } });
    work = ({ documentId }, tries) => {
      if (documentId !== other && tries === 0) throw new Error('the index is away');
    };
    const { documentId } = await documents.create({ data: { title: 'x' } });
    await documents.update({ documentId, data: { title: 'y' } });
    await documents.update({ documentId: other, data: { title: 'z' } });
    await vi.waitFor(() => expect(told.filter((event) => event.documentId === other)).toHaveLength(2), IN_THE_END);
    // As if the pause were over.
    await vi.waitFor(async () => {
      await execute('update sheaf_committed set run_at = 0');
      sheaf.extension!.committed!.wake();
      expect((await counts()).waiting).toBe(0);
    }, IN_THE_END);
    const ofDocument = told.filter((event) => event.documentId === documentId);
    expect(ofDocument.map(({ operation }) => operation)).toEqual(['create', 'create', 'update', 'update']);
    expect(ofDocument[0]!.id).toBe(ofDocument[1]!.id);
    const failed = { file: 'src/sheaf.ts', code: 'hook told, committed', documentId, tries: 1 };
    expect(lines).toContainEqual(expect.objectContaining(failed));
  });

  it('are not tried without end where the process ends each time', async () => {
    const documents = sheaf.documents(POST);
    const { json } = commandsOn(folder, database);
    let release = (): void => undefined;
    work = () => new Promise<void>((resolve) => (release = resolve));
    told.length = 0;
    await documents.create({ data: { title: 'x' } });
    await vi.waitFor(() => expect(told).toHaveLength(1), IN_THE_END);
    // As a process leaves it that ended during the last of all tries.
    await execute(
      `update sheaf_committed set tries = ${MAX_COMMITTED_TRIES}, leased_by = 'gone', lease_until = 0, run_at = 0`,
    );
    release();
    await vi.waitFor(async () => expect(await counts()).toEqual({ waiting: 0, failed: 1 }), IN_THE_END);
    expect(told).toHaveLength(1);
    const [event] = (await json(['hooks', 'list'])).events;
    expect(event.error).toContain('the process ended while the hook ran');
    await json(['hooks', 'drop', String(event.id)]);
  });

  it('are kept and told of where they failed for the last time, and tried anew when someone says so', async () => {
    const documents = sheaf.documents(POST);
    const { said, json, refused } = commandsOn(folder, database);
    work = () => {
      // PostgreSQL keeps no such character.
      throw new Error('never again \0');
    };
    const { documentId } = await documents.create({ data: { title: 'x' } });
    await vi.waitFor(async () => expect((await json(['hooks', 'list'])).events[0]?.tries).toBe(1), IN_THE_END);
    await execute(`update sheaf_committed set tries = ${MAX_COMMITTED_TRIES - 1}, run_at = 0`);
    await vi.waitFor(async () => expect(await counts()).toEqual({ waiting: 0, failed: 1 }), IN_THE_END);
    const { hooks, events } = await json(['hooks', 'list']);
    expect(hooks[0]).toEqual({ name: 'told', types: [POST], operations: ['writes'], when: ['committed'] });
    expect(events).toEqual([
      expect.objectContaining({
        hook: 'told',
        document: `${POST} ${documentId}`,
        state: 'failed',
        next: null,
        isOrphan: false,
      }),
    ]);
    expect(events[0].error).toMatch(/^Error: never again\n.*src\/|never again/);
    expect(await said(['hooks', 'list'])).toContain('Error: never again');
    // What comes later for the document does not wait for it.
    work = () => undefined;
    told.length = 0;
    await documents.update({ documentId, data: { title: 'y' } });
    await vi.waitFor(() => expect(told).toHaveLength(1), IN_THE_END);
    expect((await refused(['hooks', 'drop', '999999'])).message).toContain('There is no event 999999');
    expect((await json(['hooks', 'retry'])).retried).toEqual([events[0].id]);
    await vi.waitFor(async () => expect(await counts()).toEqual({ waiting: 0, failed: 0 }), IN_THE_END);
    expect(told.map(({ operation }) => operation)).toEqual(['update', 'create']);
  });

  it('may write, and what they write has hooks of its own', async () => {
    told.length = 0;
    work = async ({ operation, documentId }, _tries, inHook) => {
      if (operation === 'create') await inHook.documents(POST).update({ documentId, data: { title: 'seen' } });
    };
    const { documentId } = await sheaf.documents(POST).create({ data: { title: 'new' } });
    await vi.waitFor(() => expect(told.map(({ operation }) => operation)).toEqual(['create', 'update']), IN_THE_END);
    expect((await sheaf.documents(POST).findOne({ documentId }))?.title).toBe('seen');
    await drained();
  });

  it('are taken over from a node that no longer renews its lease', async () => {
    const { committed } = sheaf.extension!;
    told.length = 0;
    work = () => undefined;
    await committed!.end();
    await sheaf.documents(POST).create({ data: { title: 'left behind' } });
    await execute(`update sheaf_committed set leased_by = 'gone', lease_until = 9000000000000`);
    committed!.begin();
    await sleep(0);
    expect(told).toEqual([]);
    await execute('update sheaf_committed set lease_until = 1');
    await vi.waitFor(() => expect(told).toHaveLength(1), IN_THE_END);
    await drained();
  });
});

/** Writes what it is told of to a file, and every write to a table, in its transaction. */
const KILLED_CODE = `
import { appendFileSync } from 'node:fs';
import { defineProject, errors } from 'sheaf';
export default defineProject({
  hooks: [
    {
      name: 'file', types: 'api::post.post',
      async after({ written, operation, sheaf }) {
        await sheaf.documents('api::audit.audit').create({ data: { document: written!.documentId } });
        if (operation.data.title === 'refused') throw errors.conflict();
      },
      committed: ({ event: { id, operation, documentId } }) =>
        appendFileSync(process.env.HOOK_FILE!, JSON.stringify({ id, operation, documentId }) + '\\n'),
    },
  ],
});
`;

describeOnEveryDatabase('Servers that are killed while they write', (engine) => {
  const contents = useContents(engine);
  let child: ChildProcess | null = null;
  afterAll(() => child?.kill('SIGKILL'));

  const start = (project: string, url: string, file: string): Promise<string> => {
    const started = spawn(process.execPath, [MAIN, 'start', '--project', project, '--database', url, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, LOG_LEVEL: 'error', HOOK_FILE: file },
    });
    child = started;
    return new Promise((resolve, reject) => {
      started.on('exit', () => reject(new Error('the server ended before it was ready')));
      createInterface(started.stdout).on('line', (line) => {
        const address = /^ +at +(http:\S+)/.exec(line)?.[1];
        if (address) resolve(address);
      });
    });
  };

  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => child!.on('exit', resolve));
    child!.kill('SIGKILL');
    await ended;
  };

  it('run the hooks of every committed write, and of no other', async () => {
    const project = contents.project(PROJECT);
    const url = await databaseFor(engine, PROJECT, project);
    writeFiles(project, { 'src/sheaf.ts': KILLED_CODE });
    const file = path.join(project, 'told');
    writeFiles(project, { told: '' });
    const sheaf = await open({ project, database: url });
    await openToAll(sheaf);
    let acknowledged = 0;
    const send = async (address: string, method: string, target: string, title?: string): Promise<Response> => {
      const body = title === undefined ? null : JSON.stringify({ data: { title } });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${address}/api/posts${target}`, { method, body, headers });
      if (answer.ok) acknowledged++;
      return answer;
    };
    /** One document after the other: made, changed, changed in vain, deleted. */
    const client = async (address: string, isAlive: () => boolean): Promise<void> => {
      while (isAlive()) {
        const made = await send(address, 'POST', '', 'new');
        const { data } = (await made.json()) as { data: { documentId: string } };
        const { documentId } = data;
        await send(address, 'PUT', `/${documentId}`, 'changed');
        await send(address, 'PUT', `/${documentId}`, 'refused');
        await send(address, 'DELETE', `/${documentId}`);
      }
    };
    for (let index = 0; index < KILLS; index++) {
      const address = await start(project, url, file);
      const before = acknowledged;
      let isAlive = true;
      const clients = Promise.all(
        Array.from({ length: CLIENTS }, () => client(address, () => isAlive).catch(() => undefined)),
      );
      while (acknowledged < before + ANSWERS) await sleep(1);
      // At a moment that is another each time, and on each database.
      await sleep((index * 23 + (engine.name === 'SQLite' ? 0 : 11)) % LATEST_MS);
      await kill();
      isAlive = false;
      await clients;
    }
    // As if their leases had run out.
    await sheaf.database.transaction((session) =>
      session.rows({ sql: 'update sheaf_committed set lease_until = 0', bindings: [] }, []),
    );
    await start(project, url, file);
    await vi.waitFor(
      async () => expect(await sheaf.extension!.committed!.counts()).toEqual({ waiting: 0, failed: 0 }),
      IN_THE_END,
    );
    await kill();
    const told: Told[] = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const once = [...new Map(told.toReversed().map((event) => [event.id, event])).values()].toReversed();
    const firsts = Map.groupBy(once, ({ documentId }) => documentId);
    const audit = await sheaf.documents('api::audit.audit').findMany();
    const written = Map.groupBy(audit, ({ document }) => String(document));
    await sheaf.close();
    const wrong = [...new Set([...written.keys(), ...firsts.keys()])].filter((id) => {
      const operations = (firsts.get(id) ?? []).map(({ operation }) => operation);
      const isInOrder = ['create', 'update', 'delete'].slice(0, operations.length).join() === operations.join();
      return !isInOrder || operations.length !== (written.get(id)?.length ?? 0);
    });
    console.log(
      `${KILLS} kills: ${acknowledged} writes acknowledged, ${audit.length} committed, hooks ran ${told.length} times, ${wrong.length} documents wrong`,
    );
    expect(wrong).toEqual([]);
    expect(audit.length).toBeGreaterThanOrEqual(acknowledged);
  });
});
