// The client of `sheaf/client` against a server that listens: the same behaviours in this Node, in a browser, and in the
// oldest Node of this machine. And what it weighs.
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, transformSync } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import * as client from '../src/client/create-client.ts';
import { createServer } from '../src/http/server.ts';
import { openToAll } from './support/access.ts';
import { launchBrowser } from './support/browser.ts';
import { BEHAVIOURS, show, type World } from './support/client-behaviours.ts';
import { prepare, problemsIn, programOf, runIn } from './support/client-programs.ts';
import { useContents } from './support/content.ts';
import { describeOnSqlite, GUIDE } from './support/database.ts';
import { nodesOfThisMachine } from './support/installed-nodes.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUNDLE = path.join(ROOT, 'dist/client.js');
const MAX_COMPRESSED_BYTES = 6_000;
/** Of a program that imports query() alone. */
const MAX_QUERY_BYTES = 1_000;

/** The server itself has no pages, and lets none run scripts. */
const PAGE_HEADERS = { 'content-security-policy': "default-src * 'unsafe-eval' 'unsafe-inline'" };

/** The client and its behaviours, wherever a program can import them from. */
const script = (place: string, given: object, names: readonly string[]): string => `
  const client = await import('${place}/client.js');
  const { show } = await import('${place}/behaviours.js');
  const failures = [];
  for (const name of ${JSON.stringify(names)}) failures.push(await show(name, { ...${JSON.stringify(given)}, client }));
`;

describeOnSqlite('The client', (engine) => {
  const contents = useContents(engine);
  let sheaf: Sheaf;
  let app: ReturnType<typeof createServer>;
  let world: Omit<World, 'client' | 'mark'>;
  const behaviours = transformSync(readFileSync(path.join(ROOT, 'test/support/client-behaviours.ts'), 'utf8'), {
    loader: 'ts',
    format: 'esm',
  }).code;

  beforeAll(async () => {
    // Uploads go into a folder of the project.
    const project = contents.folder();
    cpSync(GUIDE, project, { recursive: true, filter: (file) => path.basename(file) !== '.sheaf' });
    sheaf = await open({ project, database: engine.guideDatabaseUrl() });
    await openToAll(sheaf);
    const { roles, tokens } = await sheaf.auth();
    await roles.grant('authenticated', ['*']);
    const token = await tokens.create({ name: 'all', description: '', type: 'full-access', actions: [], days: null });
    app = createServer(sheaf);
    const files = {
      'page.html': ['text/html', '<!doctype html><title>The client</title>'],
      'client.js': ['text/javascript', readFileSync(BUNDLE)],
      'behaviours.js': ['text/javascript', behaviours],
      'example/index.html': ['text/html', readFileSync(path.join(ROOT, 'examples/browser/index.html'))],
      'example/main.js': ['text/javascript', readFileSync(path.join(ROOT, 'examples/browser/main.js'))],
      'example/node_modules/sheaf/dist/client.js': ['text/javascript', readFileSync(BUNDLE)],
    } as const;
    for (const [name, [type, text]] of Object.entries(files))
      app.get(`/-/${name}`, (_request, reply) => reply.headers({ ...PAGE_HEADERS, 'content-type': type }).send(text));
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    world = { url, elsewhere: url.replace('127.0.0.1', 'localhost'), token };
  });
  afterAll(async () => {
    await app.close();
    await sheaf.close();
  });

  describe('in Node', () => {
    it.each(Object.keys(BEHAVIOURS))('%s', async (name) => {
      expect(await show(name, { ...world, client, mark: 'node' })).toBe(null);
    });
  });

  describe('in a browser', () => {
    let browser: Browser;
    let page: Page;
    beforeAll(async () => {
      browser = await launchBrowser();
      page = await browser.newPage();
      await page.goto(`${world.url}/-/page.html`);
    });
    afterAll(() => browser?.close());

    it.each(Object.keys(BEHAVIOURS))('%s', async (name) => {
      const shown = await page.evaluate(
        `(async () => { ${script('/-', { ...world, mark: 'browser' }, [name])}; return failures; })()`,
      );
      expect(shown).toEqual([null]);
    });

    it('shows the example of a page', async () => {
      await page.goto(`${world.url}/-/example/index.html?server=${world.elsewhere}`);
      const shown = () => page.locator('#list li').allTextContents();
      await expect.poll(() => page.locator('#status').textContent()).toBe('3 shown');
      await page.locator('#more').click();
      await expect.poll(() => page.locator('#status').textContent()).toBe('6 shown');
      await page.locator('#search').fill('ALB');
      await expect.poll(shown).toEqual(['Alba ★★★ Alba']);
    });
  });

  it('is used as the page about it says', async () => {
    const place = contents.folder();
    cpSync(path.join(ROOT, 'examples/nextjs/tsconfig.json'), path.join(place, 'tsconfig.json'));
    writeFileSync(path.join(place, 'package.json'), '{"type": "module"}');
    const program = programOf(readFileSync(path.join(ROOT, 'docs/client.md'), 'utf8'));
    writeFileSync(path.join(place, 'program.ts'), program.replaceAll('http://127.0.0.1:1337', world.url));
    await prepare(place);
    expect(await problemsIn(place)).toBe('');
    const said = await runIn(place, ['program.ts'], { SHEAF_TOKEN: world.token });
    expect(said).toContain('400 ValidationError');
    expect(said).toContain('/search?filters[name][$contains]=D%C5%8Dj%C5%8D&sort[0]=stars:desc&sort[1]=name');
  });

  it('does all of it in the oldest Node of this machine, too', async () => {
    const place = contents.folder();
    writeFileSync(path.join(place, 'package.json'), '{"type": "module"}');
    writeFileSync(path.join(place, 'client.js'), readFileSync(BUNDLE));
    writeFileSync(path.join(place, 'behaviours.js'), behaviours);
    const names = Object.keys(BEHAVIOURS);
    const program = `${script('.', { ...world, mark: 'old' }, names)} console.log(JSON.stringify([process.version, failures]));`;
    writeFileSync(path.join(place, 'program.js'), program);
    const run = (node: string, ...words: string[]): Promise<string> =>
      promisify(execFile)(node, words, { cwd: place }).then(({ stdout }) => stdout.trim());
    const nodes = [process.execPath, ...nodesOfThisMachine()];
    const versions = await Promise.all(nodes.map((node) => run(node, '-p', 'process.version.slice(1)')));
    const byAge = nodes.toSorted((a, b) =>
      versions[nodes.indexOf(a)]!.localeCompare(versions[nodes.indexOf(b)]!, 'en', { numeric: true }),
    );
    const [version, failures] = JSON.parse(await run(byAge[0]!, 'program.js')) as [string, (string | null)[]];
    console.log(`the oldest Node: ${version}`);
    expect(failures).toEqual(names.map(() => null));
  });
});

describe('The bundle of the client', () => {
  const minified = async (program: string): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: ROOT },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      logLevel: 'error',
    });
    return outputFiles[0]!.text;
  };

  it('is small, imports nothing, and leaves out what a program does not use', async () => {
    const text = readFileSync(BUNDLE, 'utf8');
    expect(text).not.toMatch(/^import\b|\brequire\(|\bimport\(|node:/m);
    const whole = await minified(`export * from 'sheaf/client';`);
    // What not every place has.
    expect(whole).not.toMatch(/\b(process|Buffer|global|window|document|localStorage)\b/);
    const sizes = { gzip: gzipSync(whole, { level: 9 }).length, brotli: brotliCompressSync(whole).length };
    console.log(`the client, minified: ${whole.length} bytes, ${sizes.gzip} with gzip, ${sizes.brotli} with brotli`);
    expect(sizes.gzip).toBeLessThan(MAX_COMPRESSED_BYTES);
    const part = await minified(`import { query } from 'sheaf/client'; console.log(query({}));`);
    expect(part).not.toContain('fetch');
    expect(gzipSync(part).length).toBeLessThan(MAX_QUERY_BYTES);
    expect((await minified(`import 'sheaf/client';`)).trim()).toBe('');
  });
});
