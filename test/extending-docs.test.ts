// Runs every example of docs/extending.md: the files of a section are the code of a project, which answers the requests of
// that section as the page says. All of them are checked against the types that the package publishes.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { open } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { openToAll } from './support/access.ts';
import { type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';
import { collectedLog, type Files, writeFiles } from './support/own-code.ts';
import { IN_THE_END } from './support/patience.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = readFileSync(path.join(ROOT, 'docs/extending.md'), 'utf8');

const PROJECT: Project = {
  types: {
    article: {
      drafts: true,
      attributes: { title: { type: 'string' }, slug: { type: 'string' }, views: { type: 'integer' } },
    },
    subscriber: { attributes: { email: { type: 'email' } } },
    audit: { attributes: { text: { type: 'string' } } },
  },
};

const ARTICLES = [
  ['Soup', 30],
  ['Bread', 20],
  ['Cake', 10],
] as const;

/** What a request of the page says, and what it is answered with. */
interface Shown {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | null;
  readonly status: number;
  readonly answer: string;
}

interface Section {
  readonly title: string;
  readonly files: Files;
  readonly requests: readonly Shown[];
}

/** A request: its first line, then headers or a body; after an empty line the status and the body of the answer. */
function shownRequest(text: string): Shown {
  const [asked = '', answered = ''] = text.trim().split('\n\n');
  const [first = '', ...rest] = asked.split('\n');
  const [method = '', target = ''] = first.split(' ');
  const named = rest.filter((line) => /^[\w-]+: /.test(line)).map((line) => line.split(': ') as [string, string]);
  const file = named.find(([name]) => name === 'file')?.[1];
  const json = rest.filter((line) => line.startsWith('{')).join('');
  const form = new FormData();
  if (file !== undefined) form.set('file', new File(['Soup\n'], file));
  const [status = '', ...answer] = answered.split('\n');
  return {
    method,
    target,
    headers: Object.fromEntries(named.filter(([name]) => name !== 'file')),
    body: file !== undefined ? form : json || null,
    status: Number(status),
    answer: answer.join('\n'),
  };
}

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block]) => block!);

const SECTIONS: readonly Section[] = PAGE.split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.split('\n', 1)[0]!,
    files: Object.fromEntries(blocks(text, 'ts').map((block) => [/^\/\/ (\S+)\n/.exec(block)![1]!, block])),
    requests: blocks(text, 'http').map(shownRequest),
  }))
  .filter(({ files }) => Object.keys(files).length > 0);

describeOnSqlite('The examples of docs/extending.md', (engine) => {
  const contents = useContents(engine);

  it('are all found', () => {
    expect(SECTIONS.map(({ title }) => title)).toHaveLength(12);
    expect(SECTIONS.flatMap(({ files }) => Object.keys(files))).toHaveLength(blocks(PAGE, 'ts').length);
    expect(SECTIONS.flatMap(({ requests }) => requests)).toHaveLength(blocks(PAGE, 'http').length);
  });

  // Made once, and copied for every section.
  let filled: string;
  beforeAll(async () => {
    filled = path.join(contents.folder(), 'filled.sqlite');
    const sheaf = await open({ project: contents.project(PROJECT), database: `sqlite:${filled}` });
    for (const [title, views] of ARTICLES) {
      const data = { title, slug: title.toLowerCase(), views };
      await sheaf.documents('api::article.article').create({ data, status: 'published' });
    }
    await sheaf.close();
  });

  const serving = async ({ files }: Section, use: (parts: Served) => Promise<void>): Promise<void> => {
    const folder = contents.project(PROJECT);
    writeFiles(folder, files);
    const { logger, lines } = collectedLog();
    const database = path.join(folder, 'data.sqlite');
    copyFileSync(filled, database);
    const sheaf = await open({ project: folder, database: `sqlite:${database}` });
    await openToAll(sheaf);
    const app = createServer(sheaf, { logger });
    try {
      await app.listen({ host: '127.0.0.1', port: 0 });
      const { port } = app.server.address() as { port: number };
      await use({ sheaf, lines, address: `http://127.0.0.1:${port}` });
    } finally {
      await app.close();
      await sheaf.close();
    }
  };

  interface Served {
    readonly sheaf: Awaited<ReturnType<typeof open>>;
    readonly lines: readonly Record<string, unknown>[];
    readonly address: string;
  }

  const ask = async (address: string, { method, target, headers, body, status, answer }: Shown): Promise<void> => {
    const isJson = typeof body === 'string';
    const all = { ...(isJson && { 'content-type': 'application/json' }), ...headers };
    const response = await fetch(`${address}${target}`, { method, body, headers: all, redirect: 'manual' });
    const text = await response.text();
    expect([response.status, text], `${method} ${target}`).toEqual([status, expect.anything()]);
    if (answer.startsWith('{')) expect(JSON.parse(text)).toMatchObject(JSON.parse(answer));
    else if (answer !== '') expect(text).toBe(answer);
  };

  describe.each(SECTIONS)('$title', (section) => {
    it('answers as the page says', async () => {
      await serving(section, async ({ address, sheaf, lines }) => {
        for (const request of section.requests) await ask(address, request);
        const { tasks } = sheaf.extension!;
        for (const { name } of tasks?.tasks ?? []) expect(await tasks!.run(name, new Date())).toBe(true);
        if (tasks) expect((await tasks.runs()).map(({ state }) => state)).toEqual(['done']);
        if (sheaf.extension!.committed)
          await vi.waitFor(() => expect(lines.map(({ msg }) => msg)).toContain('indexed'), IN_THE_END);
      });
    });
  });

  it('fit the types of the package', () => {
    const folder = contents.folder();
    for (const [index, { files }] of SECTIONS.entries()) writeFiles(path.join(folder, String(index)), files);
    const installed = path.join(folder, 'node_modules/sheaf');
    mkdirSync(installed, { recursive: true });
    const types = path.join(ROOT, 'dist/index.d.ts');
    writeFileSync(path.join(installed, 'package.json'), JSON.stringify({ name: 'sheaf', type: 'module' }));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2024',
      types: ['node'],
      // test/package.test.ts checks the declarations.
      skipLibCheck: true,
      typeRoots: [path.join(ROOT, 'node_modules/@types')],
      paths: { sheaf: [types] },
    };
    writeFiles(folder, { 'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*/src/**/*.ts'] }) });
    const compiler = path.join(ROOT, 'node_modules/.bin/tsc');
    const checked = () => execFileSync(compiler, ['-p', folder], { encoding: 'utf8', stdio: 'pipe' });
    try {
      expect(checked()).toBe('');
    } catch (error) {
      throw new Error((error as { stdout?: string }).stdout || String(error));
    }
  });
});
