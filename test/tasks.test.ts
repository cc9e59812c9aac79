// Tasks of a project: each runs when it is due, once for all nodes, and what came of it is kept.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_TASK_RUNS } from '../src/limits.ts';
import { databaseFor, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { commandsOn } from './support/in-process.ts';
import { collectedLog, writeFiles } from './support/own-code.ts';
import { IN_THE_END } from './support/patience.ts';

const PROJECT: Project = { types: { note: { attributes: { text: { type: 'string' } } } } };

const CODE = `
import { defineProject } from 'sheaf';
const shared = globalThis as any;
export default defineProject({
  tasks: {
    yearly: { cron: '0 3 1 1 *', timezone: 'Europe/Rome', run: (context) => shared.yearlyTask(context) },
    'every-second': { cron: '* * * * * *', run: () => shared.everySecondTask?.() },
  },
});
`;

interface Shared {
  yearlyTask?: (context: { due: string; sheaf: Sheaf; signal: AbortSignal }) => unknown;
  everySecondTask?: () => unknown;
}
const shared = globalThis as Shared;

describeOnEveryDatabase('Tasks', (engine) => {
  const contents = useContents(engine);
  const { logger, lines } = collectedLog();
  const nodes: Sheaf[] = [];
  let folder: string;
  let database: string;

  beforeAll(async () => {
    folder = contents.project(PROJECT);
    database = await databaseFor(engine, PROJECT, folder);
    writeFiles(folder, { 'src/sheaf.ts': CODE });
    for (let node = 0; node < 2; node++) nodes.push(await open({ project: folder, database }));
    for (const { extension } of nodes) {
      extension!.runner.log = logger;
      // Their rows are made; the test says when they are due.
      await extension!.tasks!.begin();
      await extension!.tasks!.end();
    }
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
  });

  const run = (node: number, due: Date) => nodes[node]!.extension!.tasks!.run('yearly', due);
  const runs = async () => (await nodes[0]!.extension!.tasks!.runs()).filter(({ task }) => task === 'yearly');

  it('run once for all nodes that find them due, and not while they run', async () => {
    const due = new Date('2030-01-01T02:00:00Z');
    let [begun, ended] = [0, 0];
    let finish = (): void => undefined;
    shared.yearlyTask = async ({ due: when, sheaf }) => {
      begun++;
      expect(when).toBe(due.toISOString());
      await sheaf.documents('api::note.note').create({ data: { text: 'x' } });
      await new Promise<void>((resolve) => (finish = resolve));
      ended++;
    };
    const both = Promise.all([run(0, due), run(1, due)]);
    await vi.waitFor(() => expect(begun).toBe(1), IN_THE_END);
    // Another time that comes meanwhile is left out.
    expect(await run(1, new Date('2030-01-01T02:00:01Z'))).toBe(false);
    expect((await runs())[0]).toMatchObject({ state: 'running', ended: null });
    finish();
    expect((await both).toSorted()).toEqual([false, true]);
    expect([begun, ended]).toEqual([1, 1]);
    expect(await run(1, due)).toBe(false);
    expect(await runs()).toEqual([expect.objectContaining({ state: 'done', due: due.toISOString(), error: null })]);
  });

  it('that fail are logged and kept, and run again when they are due', async () => {
    shared.yearlyTask = () => {
      throw new Error('no such host');
    };
    expect(await run(0, new Date('2031-01-01T02:00:00Z'))).toBe(true);
    expect(lines).toContainEqual(
      expect.objectContaining({ file: 'src/sheaf.ts', code: 'task yearly', msg: 'a task failed' }),
    );
    shared.yearlyTask = () => undefined;
    expect(await run(1, new Date('2032-01-01T02:00:00Z'))).toBe(true);
    expect((await runs()).map(({ state }) => state)).toEqual(['done', 'failed', 'done']);
    const [tasks] = await commandsOn(folder, database).json(['tasks', 'list']);
    expect(tasks).toMatchObject({
      name: 'yearly',
      cron: '0 3 1 1 *',
      timezone: 'Europe/Rome',
      next: expect.stringMatching(/-01-01T02:00:00\.000Z$/),
    });
    expect(tasks.runs[1].error).toContain('no such host');
    expect(await commandsOn(folder, database).said(['tasks', 'list'])).toMatch(/^yearly +0 3 1 1 \* +Europe\/Rome/m);
  });

  it('of a node that has ended are lost, and taken over', async () => {
    const { database: connected } = nodes[0]!;
    const execute = (sql: string) => connected.transaction((session) => session.rows({ sql, bindings: [] }, []));
    await execute(`update sheaf_tasks set leased_by = 'gone', lease_until = 9000000000000 where name = 'yearly'`);
    await execute(`update sheaf_task_runs set state = 'running' where due_at = ${Date.parse('2032-01-01T02:00:00Z')}`);
    expect(await run(0, new Date('2033-01-01T02:00:00Z'))).toBe(false);
    await execute(`update sheaf_tasks set lease_until = 1 where name = 'yearly'`);
    expect(await run(0, new Date('2034-01-01T02:00:00Z'))).toBe(true);
    expect((await runs()).map(({ state }) => state)).toEqual(['done', 'lost', 'failed', 'done']);
  });

  it('leave a bounded history', async () => {
    const { database: connected } = nodes[0]!;
    const values = Array.from({ length: MAX_TASK_RUNS + 20 }, (_, index) => `('yearly', ${index}, 0, 'done')`);
    await connected.transaction((session) =>
      session.rows(
        { sql: `insert into sheaf_task_runs (task, due_at, started_at, state) values ${values}`, bindings: [] },
        [],
      ),
    );
    expect(await run(0, new Date('2040-01-01T02:00:00Z'))).toBe(true);
    expect(await runs()).toHaveLength(MAX_TASK_RUNS);
  });

  it('are begun by a server, and stop with it', async () => {
    const sheaf = await open({ project: folder, database });
    const app = createServer(sheaf, { logger });
    const ran = new Promise<void>((resolve) => {
      shared.everySecondTask = resolve;
    });
    await app.ready();
    await ran;
    await app.close();
    await sheaf.close();
    delete shared.everySecondTask;
    const [last] = (await nodes[0]!.extension!.tasks!.runs()).filter(({ task }) => task === 'every-second');
    expect(last?.state).toBe('done');
  });
});
