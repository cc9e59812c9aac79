// A server that is killed in the middle of writing loses nothing that it acknowledged and leaves nothing half-written;
// the next one is ready again. SHEAF_TEST_SCALE gives more kills.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { open } from '../src/app.ts';
import { openToAll } from './support/access.ts';
import { describeOnEveryDatabase, GUIDE } from './support/database.ts';
import { violations } from './support/invariants.ts';
import { scaled } from './support/scale.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** On each database. */
const KILLS = scaled(2);
const CLIENTS = 4;
/** Writes that a server acknowledges before it is killed, and the milliseconds after the last of them. */
const ANSWERS = 5;
const LATEST_MS = 40;

/** An entry that one request writes whole: a component, an ordered list and a to-one relation. */
const entry = (name: string, categories: readonly string[], chef: string) => ({
  data: { name, address: { street: name }, categories, chef },
});

describeOnEveryDatabase('A server killed while it writes', (engine) => {
  let child: ChildProcess | null = null;
  afterAll(() => child?.kill('SIGKILL'));

  const start = (url: string): Promise<string> => {
    const process_ = spawn(process.execPath, [MAIN, 'start', '--project', GUIDE, '--database', url, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, LOG_LEVEL: 'error' },
    });
    child = process_;
    return new Promise((resolve, reject) => {
      process_.on('exit', () => reject(new Error('the server ended before it was ready')));
      createInterface(process_.stdout).on('line', (line) => {
        const address = /^ +at +(http:\S+)/.exec(line)?.[1];
        if (address) resolve(address);
      });
    });
  };

  it('keeps every acknowledged write whole', async () => {
    const url = engine.emptyGuideDatabaseUrl();
    const sheaf = await open({ project: GUIDE, database: url });
    await openToAll(sheaf);
    const categories: string[] = [];
    for (const name of ['A', 'B', 'C'])
      categories.push((await sheaf.documents('api::category.category').create({ data: { name } })).documentId);
    const chef = (await sheaf.documents('api::chef.chef').create({ data: { name: 'Chef' } })).documentId;
    const acknowledged = new Set<string>();
    let slowest = 0;
    let number = 0;

    for (let kill = 0; kill < KILLS; kill++) {
      const begin = performance.now();
      const address = await start(url);
      const answer = await fetch(`${address}/_ready`);
      expect(answer.status).toBe(200);
      slowest = Math.max(slowest, performance.now() - begin);
      let alive = true;
      const before = acknowledged.size;
      const client = async (): Promise<void> => {
        while (alive) {
          const name = `Entry ${++number}`;
          try {
            const answer = await fetch(`${address}/api/restaurants`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(
                entry(
                  name,
                  [...categories].sort(() => (number % 2 === 0 ? 1 : -1)),
                  chef,
                ),
              ),
            });
            if (answer.status === 201) {
              await answer.text();
              acknowledged.add(name);
            }
          } catch {
            return;
          }
        }
      };
      const clients = Promise.all(Array.from({ length: CLIENTS }, client));
      // In the middle of writing: after a few answers, at a moment that is another each time.
      while (acknowledged.size < before + ANSWERS) await sleep(1);
      await sleep((kill * 23) % LATEST_MS);
      const ended = new Promise((resolve) => child!.on('exit', resolve));
      child!.kill('SIGKILL');
      alive = false;
      await ended;
      await clients;
    }

    const restaurants = await sheaf
      .documents('api::restaurant.restaurant')
      .findMany({ populate: { address: true, categories: { fields: ['name'] }, chef: { fields: ['name'] } } });
    const names = new Set(restaurants.map(({ name }) => name));
    const lost = [...acknowledged].filter((name) => !names.has(name));
    const half = restaurants.filter(
      ({ name, address, categories, chef }) =>
        (address as { street: string } | null)?.street !== name ||
        (categories as unknown[]).length !== 3 ||
        chef === null,
    );
    const broken = await sheaf.database.snapshot((session) =>
      violations(sheaf.model, (sql) => session.rows({ sql, bindings: [] }, [])),
    );
    await sheaf.close();
    console.log(
      `${KILLS} kills: ${acknowledged.size} writes acknowledged, ${lost.length} lost, ${half.length} half-written, slowest start ${Math.round(slowest)} ms`,
    );
    expect(lost).toEqual([]);
    expect(half).toEqual([]);
    expect(broken).toEqual([]);
    expect(engine.damage(url)).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(0);
  });
});
