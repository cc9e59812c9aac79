// Rows and bytes of files: what a check finds where they do not fit, what it repairs, and that a server which is killed
// in the middle of uploads and deletes leaves nothing wrong that a reader could see. SHEAF_TEST_SCALE gives more kills.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { checkCommand, importCommand } from '../src/cli/file-commands.ts';
import { checkFiles, isElsewhere, repairFiles } from '../src/files/check-files.ts';
import { readConfig } from '../src/project/environment.ts';
import { png } from './conformance/upload-checks.mjs';
import { openToAll } from './support/access.ts';
import { type Answered, useContents } from './support/content.ts';
import { describeOnEveryDatabase, GUIDE } from './support/database.ts';
import { withClient } from './support/postgres-client.ts';
import { scaled } from './support/scale.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** On each database. */
const KILLS = scaled(1);
const CLIENTS = 4;
const ANSWERS = 4;
const LATEST_MS = 60;
const PICTURE = png(300, 20);
const AT_ONCE = { settleMs: 0 };
const CLEAN = { missing: [], different: [], unknown: [], leftovers: [] };

describeOnEveryDatabase('A check of files', (engine) => {
  const contents = useContents(engine);
  const opened: Sheaf[] = [];
  let child: ChildProcess | null = null;
  afterAll(async () => {
    child?.kill('SIGKILL');
    for (const sheaf of opened) await sheaf.close();
  });

  async function guide(): Promise<{ sheaf: Sheaf; project: string; database: string; folder: string }> {
    const project = contents.folder();
    cpSync(GUIDE, project, { recursive: true, filter: (file) => path.basename(file) !== '.sheaf' });
    const database = engine.emptyGuideDatabaseUrl();
    const sheaf = await open({ project, database });
    opened.push(sheaf);
    return { sheaf, project, database, folder: sheaf.files.folder };
  }

  it('finds rows without bytes, bytes without rows, other sizes and leftovers, and repairs them', async () => {
    const { sheaf, project, database, folder } = await guide();
    const { files } = sheaf;
    const made: Answered[] = [];
    for (const name of ['whole', 'gone', 'cut', 'thumbless', 'other'])
      made.push((await files.upload({ name: `${name}.png`, content: PICTURE }))[0]);
    const [whole, gone, cut, thumbless, other] = made;
    expect(await checkFiles(files, AT_ONCE)).toEqual({ files: 5, objects: 10, ...CLEAN });
    rmSync(path.join(folder, `${gone.hash}.png`));
    writeFileSync(path.join(folder, `${cut.hash}.png`), PICTURE.subarray(0, 20));
    rmSync(path.join(folder, `thumbnail_${thumbless.hash}.png`));
    writeFileSync(path.join(folder, `thumbnail_${other.hash}.png`), 'other');
    const config = readConfig({ project, database }, {});
    const output: string[] = [];
    const report = { report: (text: string) => void output.push(text), progress: null };
    expect(await checkCommand(config, { repair: false, json: false }, report)).toBe(1);
    expect(output.join('')).toMatch(/5 files, 8 objects stored\.\n2 without bytes:\n {2}file \d+: gone_/);
    writeFileSync(path.join(folder, 'unknown.png'), 'x');
    writeFileSync(path.join(folder, '.gitkeep'), '');
    writeFileSync(path.join(files.storage.incoming, '00000000-1-of-another-machine'), 'x');
    const name = readdirSync(files.storage.incoming)[0]!;
    expect(name).toBe('00000000-1-of-another-machine');
    const found = await checkFiles(files, AT_ONCE);
    expect(found).toMatchObject({
      missing: [
        { id: gone.id, key: `${gone.hash}.png`, format: null },
        { id: thumbless.id, key: `thumbnail_${thumbless.hash}.png`, format: 'thumbnail' },
      ],
      different: [
        { id: cut.id, key: `${cut.hash}.png`, format: null, size: 20 },
        { id: other.id, format: 'thumbnail', size: 5 },
      ],
      unknown: ['unknown.png'],
      // It may be under way there.
      leftovers: [],
    });
    await repairFiles(files, found);
    expect(await checkFiles(files, AT_ONCE)).toEqual({ files: 4, objects: 7, ...CLEAN });
    expect(await files.findOne(gone.id)).toBeNull();
    expect(await files.findOne(cut.id)).toMatchObject({ size: 0.02, formats: cut.formats });
    expect((await files.findOne(thumbless.id))!.formats).toEqual({});
    expect(await files.findOne(whole.id)).toEqual(whole);
    expect(await checkCommand(config, { repair: true, json: true }, report)).toBe(0);
    expect(JSON.parse(output.at(-1)!)).toMatchObject({ files: 4, unknown: [], repaired: true });
  });

  it('deletes no rows where most bytes are missing: it looks at the wrong folder', async () => {
    const { sheaf, project, database, folder } = await guide();
    for (let number = 0; number < 12; number++)
      await sheaf.files.upload({ name: 'a.txt', content: Buffer.from(String(number)) });
    for (const name of readdirSync(folder)) if (name.endsWith('.txt')) rmSync(path.join(folder, name));
    expect(isElsewhere(await checkFiles(sheaf.files, AT_ONCE))).toBe(true);
    const silent = { report: () => undefined, progress: null };
    const repair = checkCommand(readConfig({ project, database }, {}), { repair: true, json: false }, silent);
    await expect(repair).rejects.toThrow(/nothing is repaired[\s\S]*files\.folder/);
    expect(await sheaf.files.find()).toHaveLength(12);
  });

  it('comes after an import that stores a folder and says what it refused', async () => {
    const { sheaf, project, database } = await guide();
    const folder = contents.folder();
    mkdirSync(path.join(folder, 'below', '.hidden'), { recursive: true });
    writeFileSync(path.join(folder, 'Große.png'), PICTURE);
    writeFileSync(path.join(folder, 'below', 'b.txt'), 'b');
    writeFileSync(path.join(folder, 'below', 'c.exe'), 'c');
    writeFileSync(path.join(folder, 'below', '.hidden', 'd.txt'), 'd');
    symlinkSync('/etc/hostname', path.join(folder, 'link.txt'));
    const output: string[] = [];
    const bars: string[] = [];
    const code = await importCommand(
      readConfig({ project, database }, {}),
      { folder, json: false },
      { report: (text) => output.push(text), progress: (text) => bars.push(text) },
    );
    expect([code, output.join('')]).toEqual([
      1,
      "2 files imported, 1 refused:\n  below/c.exe: File type 'application/x-msdownload' is not allowed\n",
    ]);
    expect(bars.at(-1)).toBe(`\r${'█'.repeat(30)} 3/3\n`);
    expect((await sheaf.files.find({ sort: 'name' })).map(({ name }) => name)).toEqual(['Große.png', 'b.txt']);
    expect(await checkFiles(sheaf.files, AT_ONCE)).toMatchObject(CLEAN);
  });

  const start = (project: string, url: string): Promise<string> => {
    const server = spawn(process.execPath, [MAIN, 'start', '--project', project, '--database', url, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, LOG_LEVEL: 'error' },
    });
    child = server;
    return new Promise((resolve, reject) => {
      server.on('exit', () => reject(new Error('the server ended before it was ready')));
      createInterface(server.stdout).on('line', (line) => {
        const address = /^ +at +(http:\S+)/.exec(line)?.[1];
        if (address) resolve(address);
      });
    });
  };

  /** Uploads and deletes until the server is gone; tells what it acknowledged. */
  async function work(address: string, stored: Set<number>, deleted: Set<number>): Promise<void> {
    for (let turn = 0; ; turn++) {
      const form = new FormData();
      form.append('files', new Blob([Buffer.from(PICTURE)], { type: 'image/png' }), 'killed.png');
      form.append('files', new Blob([`${turn}`], { type: 'text/plain' }), 'killed.txt');
      const answer = await fetch(`${address}/api/upload`, { method: 'POST', body: form });
      const ids = ((await answer.json()) as Answered[]).map(({ id }) => id as number);
      for (const id of ids) stored.add(id);
      if (turn % 2 === 1) continue;
      const [id] = ids;
      stored.delete(id!);
      const { status } = await fetch(`${address}/api/upload/files/${id}`, { method: 'DELETE' });
      if (status === 200) deleted.add(id!);
    }
  }

  /** The connections to the database, by number; none where there is no server. */
  const connections = (database: string): Promise<number[]> =>
    engine.name === 'SQLite'
      ? Promise.resolve([])
      : withClient(database, async (client) => {
          const { rows } = await client.query<{ pid: number }>(
            `select pid from pg_stat_activity
             where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
          );
          return rows.map(({ pid }) => pid);
        });

  it('finds nothing wrong for readers after kills, and nothing at all after a repair', async () => {
    const { sheaf, project, database } = await guide();
    await openToAll(sheaf);
    const stored = new Set<number>();
    const deleted = new Set<number>();
    const own = new Set(await connections(database));
    for (let kill = 0; kill < KILLS; kill++) {
      const address = await start(project, database);
      const before = stored.size + deleted.size;
      const clients = Promise.all(
        Array.from({ length: CLIENTS }, () => work(address, stored, deleted).catch(() => undefined)),
      );
      while (stored.size + deleted.size < before + ANSWERS) await sleep(1);
      // At a moment that is another each time, and on each database.
      await sleep((kill * 23 + (engine.name === 'SQLite' ? 0 : 11)) % LATEST_MS);
      const ended = new Promise((resolve) => child!.on('exit', resolve));
      child!.kill('SIGKILL');
      await Promise.all([ended, clients]);
      // PostgreSQL may still commit what was sent to it before.
      await expect.poll(async () => (await connections(database)).filter((pid) => !own.has(pid))).toEqual([]);
    }
    const found = await checkFiles(sheaf.files, AT_ONCE);
    console.log(
      `${KILLS} kills: ${stored.size} files kept, ${deleted.size} deleted, ${found.unknown.length} objects and ${found.leftovers.length} temporary files left behind`,
    );
    expect([found.missing, found.different]).toEqual([[], []]);
    const ids = new Set((await sheaf.files.find({ fields: ['id'] })).map(({ id }) => id));
    expect([...stored].filter((id) => !ids.has(id))).toEqual([]);
    expect([...deleted].filter((id) => ids.has(id))).toEqual([]);
    await repairFiles(sheaf.files, found);
    expect(await checkFiles(sheaf.files, AT_ONCE)).toMatchObject(CLEAN);
    expect(readdirSync(sheaf.files.storage.incoming)).toEqual([]);
    expect(stored.size).toBeGreaterThan(0);
  });
});
