// Files of a project that are compiled: once, and not at every start.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { open } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { useCommands } from './support/commands.ts';
import { type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';
import { type Files, writeFiles } from './support/own-code.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const INDEX = new URL('../dist/index.js', import.meta.url).href;
const PROJECT: Project = { types: { note: { attributes: { text: { type: 'string' } } } } };
const CONFIG: Files = { 'config/api.ts': 'export default { rest: { defaultLimit: 3 as number } };' };
const NATIVE: Files = {
  'src/sheaf.ts': `import { defineProject } from 'sheaf';
import { path } from './path.ts';
export default defineProject({ routes: [{ method: 'GET', path, public: true, handler: () => 1 }] });`,
  'src/path.ts': `export const path: string = '/own';`,
};
const STRAPI: Files = {
  'src/api/own/routes/own.ts': `export default { routes: [{ method: 'GET', path: '/own', handler: 'own.get' }] } as object;`,
  'src/api/own/controllers/own.ts': `export default { get: (): number => 1 };`,
};

describeOnSqlite('Files of a project that are compiled', (engine) => {
  const run = useCommands();
  const contents = useContents(engine);

  /** The routes of a project at /own, as another process tells them; a new one where it is without a compiler. */
  const routesOf = async (project: string, database: string, hasCompiler: boolean): Promise<string[]> => {
    const words = ['routes', '--project', project, '--database', database];
    const env = { ...process.env, ESBUILD_BINARY_PATH: '/bin/false' };
    const text = hasCompiler
      ? (await run(words)).out
      : spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8', env }).stdout;
    return text.split('\n').filter((line) => line.includes('/api/own'));
  };

  /** Starts a server, which keeps what it compiles. */
  async function start(project: string, database: string): Promise<void> {
    const sheaf = await open({ project, database });
    const app = createServer(sheaf);
    await app.ready();
    await app.close();
    await sheaf.close();
  }

  it.each([
    ['of the native interface', NATIVE],
    ['of Strapi', STRAPI],
  ])('are kept, so that the next start does without the compiler: code %s', async (_kind, files) => {
    const project = contents.project(PROJECT);
    writeFiles(project, { ...CONFIG, ...files });
    const database = engine.freshDatabaseUrl();
    await start(project, database);
    const cache = path.join(project, '.sheaf', 'code-cache');
    const kept = readdirSync(cache);
    // The folder was not there yet when the configuration was first read.
    const told = await routesOf(project, database, true);
    expect(told).toHaveLength(1);
    expect(readdirSync(cache).length).toBe(kept.length + 1);
    expect(await routesOf(project, database, false)).toEqual(told);
    rmSync(cache, { recursive: true });
    expect(await routesOf(project, database, false)).toEqual([]);
  });

  it('are not tried again where they cannot be compiled, and say why', async () => {
    const project = contents.project(PROJECT);
    writeFiles(project, {
      ...STRAPI,
      'src/api/own/controllers/own.ts': 'export default {\n  get: (): number => 1 +,\n};',
    });
    const database = engine.freshDatabaseUrl();
    const reasons = async (): Promise<string[]> => {
      const sheaf = await open({ project, database });
      const log: string[] = [];
      const app = createServer(sheaf, { logger: pino({ level: 'warn' }, { write: (line) => void log.push(line) }) });
      await app.ready();
      await app.close();
      await sheaf.close();
      return log.map((line) => JSON.parse(line)).map(({ file, line, msg }) => `${file}:${line} ${msg}`);
    };
    const first = await reasons();
    expect(first.join()).toMatch(/own\.ts:2 .*Unexpected ","/);
    expect(await reasons()).toEqual(first);
    const cache = path.join(project, '.sheaf', 'code-cache');
    for (const file of readdirSync(cache).map((name) => path.join(cache, name)))
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('Unexpected', 'Kept'));
    expect((await reasons()).join()).toMatch(/own\.ts:2 .*Kept ","/);
    writeFiles(project, STRAPI);
    expect(await reasons()).toEqual([]);
  });

  it('are compiled anew where they change', async () => {
    const project = contents.project(PROJECT);
    writeFiles(project, NATIVE);
    const database = engine.freshDatabaseUrl();
    await start(project, database);
    writeFiles(project, { 'src/path.ts': `export const path: string = '/own/other';` });
    expect(await routesOf(project, database, true)).toEqual([expect.stringContaining('/api/own/other')]);
  });

  it('are scanned once, by the program that is installed, and anew where they change', async () => {
    const project = contents.project(PROJECT);
    writeFiles(project, STRAPI);
    const database = engine.freshDatabaseUrl();
    await start(project, database);
    const cache = path.join(project, '.sheaf', 'code-cache');
    const told = async (): Promise<string> =>
      (await run(['doctor', '--json', '--project', project, '--database', database])).out;
    const first = await told();
    expect(JSON.parse(first)).not.toEqual([]);
    const before = readdirSync(cache).length;
    for (let run = 0; run < 2; run++) {
      const script = `import { open } from ${JSON.stringify(INDEX)}; await (await open(${JSON.stringify({ project, database })})).close();`;
      expect(spawnSync(process.execPath, ['--input-type=module', '-e', script]).status).toBe(0);
      expect(readdirSync(cache)).toHaveLength(before + 1);
    }
    expect(await told()).toBe(first);
    writeFiles(project, { 'src/api/own/policies/closed.ts': 'export default () => false;' });
    expect(await told()).toContain('src/api/own/policies/closed.ts');
  });

  it('leave no folder behind where the project keeps nothing', async () => {
    const project = contents.project(PROJECT);
    writeFiles(project, CONFIG);
    rmSync(path.join(project, '.sheaf'), { recursive: true, force: true });
    expect((await run(['config', '--project', project])).code).toBe(0);
    expect(existsSync(path.join(project, '.sheaf'))).toBe(false);
  });
});
