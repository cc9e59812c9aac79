// `sheaf backup`: a copy of a SQLite database that is being written, whole and complete.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { useCommands } from './support/commands.ts';
import { describeOnSqlite, GUIDE } from './support/database.ts';
import { violations } from './support/invariants.ts';
import { scaled } from './support/scale.ts';

const WRITERS = 8;
const BACKUPS = scaled(2);

const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = useCommands();

describeOnSqlite('sheaf backup', (engine) => {
  let url: string;
  let sheaf: Sheaf;
  beforeAll(async () => {
    url = engine.emptyGuideDatabaseUrl();
    sheaf = await open({ project: GUIDE, database: url });
  });
  afterAll(() => sheaf.close());

  const backup = (file: string, ...more: string[]) =>
    run(['backup', file, '--project', GUIDE, '--database', url, ...more]);

  it('holds every acknowledged write and breaks no rule while eight write', async () => {
    const categories: string[] = [];
    for (const name of ['A', 'B', 'C'])
      categories.push((await sheaf.documents('api::category.category').create({ data: { name } })).documentId);
    const acknowledged: string[] = [];
    let isOver = false;
    const writer = async (_: unknown, index: number): Promise<void> => {
      const restaurants = sheaf.documents('api::restaurant.restaurant');
      for (let count = 0; !isOver; count++) {
        const name = `Restaurant ${index} ${count}`;
        const order = count % 2 === 0 ? categories : categories.toReversed();
        const data = { name, address: { street: name }, categories: order };
        const { documentId } = await restaurants.create({ data });
        acknowledged.push(name);
        await restaurants.update({
          documentId,
          data: { categories: { connect: [{ documentId: categories[1]!, position: { end: true } }] } },
        });
        // Also the event loop of this process has other work than writing.
        await sleep(1);
      }
    };
    const writers = Promise.all(Array.from({ length: WRITERS }, writer));
    try {
      for (let round = 0; round < BACKUPS; round++) {
        while (acknowledged.length < (round + 1) * 2 * WRITERS) await Promise.race([sleep(1), writers]);
        const before = [...acknowledged];
        const file = path.join(folder, `copy-${round}.db`);
        const { code, out, err } = await backup(file);
        expect({ code, err }).toEqual({ code: 0, err: '' });
        expect(out).toContain('The copy is whole; its content is in order.');
        expect(acknowledged.length).toBeGreaterThan(before.length);
        const copy = new DatabaseSync(file, { readOnly: true });
        const names = new Set(
          copy
            .prepare('select name from restaurants')
            .all()
            .map(({ name }) => name),
        );
        expect(before.filter((name) => !names.has(name))).toEqual([]);
        expect(copy.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
        expect(copy.prepare('pragma foreign_key_check').all()).toEqual([]);
        expect(await violations(sheaf.model, async (sql) => copy.prepare(sql).all().map(Object.values))).toEqual([]);
        copy.close();
        console.log(`backup ${round + 1}: ${names.size} restaurants, ${before.length} acknowledged before it`);
      }
    } finally {
      isOver = true;
      await writers;
    }
  });

  it('is served as the database was, and is one file for its account alone', async () => {
    const file = path.join(folder, 'one.db');
    const { code, out } = await backup(file, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      file,
      bytes: statSync(file).size,
      pages: expect.any(Number),
      findings: [],
      unchecked: null,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('one'))).toEqual(['one.db']);
    const restored = await open({ project: GUIDE, database: `sqlite:${file}` });
    const read = (one: Sheaf) => one.documents('api::restaurant.restaurant').findMany({ populate: '*', sort: 'id' });
    expect(await read(restored)).toEqual(await read(sheaf));
    await restored.close();
  });

  it('overwrites nothing, and leaves nothing behind where it fails', async () => {
    const taken = path.join(folder, 'taken.db');
    writeFileSync(taken, 'mine');
    expect(await backup(taken)).toEqual({
      code: 1,
      out: '',
      err: `sheaf: ${taken} exists, and is not overwritten\n  - name another file, or remove it\n`,
    });
    const { err } = await backup(path.join(folder, 'missing', 'x.db'));
    expect(err).toContain(`There is no folder ${path.join(folder, 'missing')}`);
    const damaged = path.join(folder, 'damaged.db');
    writeFileSync(damaged, 'this is no database, however long it is. '.repeat(100));
    const refused = await run([
      'backup',
      path.join(folder, 'never.db'),
      '--project',
      GUIDE,
      '--database',
      `sqlite:${damaged}`,
    ]);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^sheaf: The database .*damaged\.db cannot be copied: file is not a database\n/);
    expect(readdirSync(folder).filter((name) => name.startsWith('never'))).toEqual([]);
  });

  it('names what is wrong with the content, and copies it all the same', async () => {
    const broken = path.join(folder, 'broken.db');
    await backup(broken);
    const database = new DatabaseSync(broken, { enableForeignKeyConstraints: false });
    database.exec(
      'update restaurants_categories_lnk set restaurant_id = 999999 where id = (select min(id) from restaurants_categories_lnk)',
    );
    database.close();
    const again = path.join(folder, 'again.db');
    const { code, out } = await run(['backup', again, '--project', GUIDE, '--database', `sqlite:${broken}`]);
    expect(code).toBe(0);
    expect(out).toContain('the database itself has these faults, and so has the copy:');
    expect(out).toContain('1 rows of restaurants_categories_lnk refer to no row of restaurants');
    expect(out).toContain('restaurants_categories_lnk.restaurant_id leads to nothing: 1 times');
    const unchecked = path.join(folder, 'unchecked.db');
    const noProject = await run(['backup', unchecked, '--project', folder, '--database', url]);
    expect(noProject).toMatchObject({ code: 0, out: expect.stringContaining('Its content was not checked: ') });
    expect(existsSync(unchecked)).toBe(true);
  });
});

describe('sheaf backup of a PostgreSQL database', () => {
  it('names the command of PostgreSQL, without the password', async () => {
    const url = 'postgres://ann:hidden@db.internal/content?schema=blog&sslmode=verify-full';
    const { code, out, err } = await run(['backup', "it's.dump", '--project', GUIDE, '--database', url]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(
      "pg_dump --format=custom '--file=it'\\''s.dump' --schema=blog 'postgres://ann@db.internal/content?sslmode=verify-full'",
    );
  });
});
