// Inside a project nothing has to be named: the project is found from any folder in it, and it names its database.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { open } from '../src/app.ts';
import { type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';
import { runHere } from './support/in-process.ts';

const NOTES: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };

describeOnSqlite('A project folder', (engine) => {
  const contents = useContents(engine);
  const before = process.cwd();
  const variables = { ...process.env };
  let project: string;
  beforeAll(async () => {
    for (const name of ['DATABASE_URL', 'SHEAF_PROJECT']) delete process.env[name];
    project = realpathSync(contents.project(NOTES));
    writeFileSync(path.join(project, '.env'), 'DATABASE_URL=sqlite:.tmp/own.db\n');
    mkdirSync(path.join(project, 'docs', 'deeper'), { recursive: true });
    await (await open({ project, database: `sqlite:${project}/.tmp/own.db` })).close();
  });
  afterAll(() => {
    process.chdir(before);
    Object.assign(process.env, variables);
  });

  const plain = [
    'config',
    'locale list',
    'adopt',
    'schema diff',
    'schema apply',
    'role show',
    'user list',
    'token list',
  ];

  it.each(['.', 'docs/deeper', 'src/api/note'])(
    'is found from %s by every command, with its database',
    async (folder) => {
      process.chdir(path.join(project, folder));
      for (const name of plain) {
        const { code, err } = await runHere(name.split(' '));
        expect({ name, code, err }).toEqual({ name, code: 0, err: '' });
      }
      expect(await runHere(['explain', '/api/notes'])).toMatchObject({ code: 0, err: '' });
      const { out } = await runHere(['config', '--json']);
      const { values } = JSON.parse(out) as { values: { key: string; value: string; source: string }[] };
      expect(values.find(({ key }) => key === 'database')).toEqual({
        key: 'database',
        value: `sqlite:${project}/.tmp/own.db`,
        source: 'DATABASE_URL in .env',
      });
      expect(path.resolve(values.find(({ key }) => key === 'project')!.value)).toBe(project);
    },
  );

  it('is a folder with settings as well, where there is no content-type yet', async () => {
    const empty = realpathSync(contents.folder());
    mkdirSync(path.join(empty, 'config'));
    mkdirSync(path.join(empty, 'deeper'));
    writeFileSync(path.join(empty, 'package.json'), '{}');
    process.chdir(path.join(empty, 'deeper'));
    const { out } = await runHere(['config', '--json']);
    expect(JSON.parse(out).values[0]).toEqual({ key: 'project', value: empty, source: 'above the current folder' });
  });

  it('is not taken where another is named', async () => {
    const other = realpathSync(contents.project(NOTES));
    process.chdir(path.join(project, 'docs'));
    const { err } = await runHere(['user', 'list', '--project', other]);
    expect(err).toMatch(/^sheaf: No database is named\n(?: {2}- .+\n)+$/);
  });

  it.each([
    ['user', 'list'],
    ['schema', 'diff'],
    ['backup', 'copy.db'],
  ])('is said to be missing where it is, not its database: %s %s', async (...command) => {
    const { err } = await runHere([...command, '--project', path.join(project, 'nowhere')]);
    expect(err).toMatch(/^sheaf: There is no folder .*nowhere\n {2}- name the project with --project/);
  });
});
