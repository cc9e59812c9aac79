// Types that follow the query. One run of the compiler checks queries with the exact types of their results, lines that
// must not compile, and the examples of the documentation; then the queries run, and what comes is held against the
// types. The file that all of this reads is the one that `sheaf types` writes for the guide.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemAccess } from '../src/access/access.ts';
import type { Sheaf } from '../src/app.ts';
import { watchTypes, writeTypes } from '../src/cli/types-command.ts';
import { declarations } from '../src/describe/declarations.ts';
import { loadModel } from '../src/model/build.ts';
import type { Documents } from '../src/operations/documents.ts';
import { readLocales } from '../src/project/locales.ts';
import type { Client, OpenEntry, OpenRegistry, TypedDocuments } from '../src/typing/published-types.ts';
import { describeOnSqlite, GUIDE } from './support/database.ts';
import { IN_THE_END } from './support/patience.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FIXTURES = path.join(ROOT, 'test/fixtures/typing');
const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-typing-'));
afterAll(() => rmSync(folder, { recursive: true }));

const guide = (): string => declarations(loadModel(GUIDE), { locales: readLocales(GUIDE) });
const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n');

/** The examples of the documentation, each a file. */
const DOCUMENT = readFileSync(path.join(ROOT, 'docs/types.md'), 'utf8');
const EXAMPLES = [...DOCUMENT.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);

/** The messages that it lists. */
const TABLED = [...DOCUMENT.split('## Mistakes')[1]!.matchAll(/^\| `[^|]+ \| `([^`]+)` +\|$/gm)].map(
  ([, message]) => message!,
);

/** What the compiler says, by file and line. */
function compile(): ReadonlyMap<string, string> {
  const examples = EXAMPLES.map((code, index) => {
    const file = path.join(folder, `example-${index + 1}.ts`);
    writeFileSync(file, code);
    return file;
  });
  const files = ['results.ts', 'mistakes.ts', 'sheaf-types.d.ts'].map((name) => path.join(FIXTURES, name));
  const compilerOptions = {
    // Examples stand beside the fixtures, as far as imports go.
    rootDirs: [folder, FIXTURES],
    paths: {
      sheaf: [path.join(ROOT, 'dist/index.d.ts')],
      'sheaf/types': [path.join(ROOT, 'dist/typing/published-types.d.ts')],
      'sheaf/client': [path.join(ROOT, 'dist/client/create-client.d.ts')],
    },
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
  };
  const config = path.join(folder, 'tsconfig.json');
  const project = { extends: path.join(FIXTURES, 'tsconfig.json'), compilerOptions, files: [...files, ...examples] };
  writeFileSync(config, JSON.stringify({ ...project, include: [] }));
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', config, '--pretty', 'false'], { encoding: 'utf8' });
  const messages = new Map<string, string>();
  for (const [, file, line, message] of stdout.matchAll(
    /^(\S+?)\((\d+),\d+\): error (TS[\s\S]*?)(?=^\S|(?![\s\S]))/gm,
  )) {
    const at = `${path.basename(file!)}:${line}`;
    messages.set(at, (messages.get(at) ?? '') + message!);
  }
  if (messages.size === 0) throw new Error(`the compiler finds nothing: ${stdout}`);
  return messages;
}

interface Mistake {
  readonly title: string;
  readonly at: string;
  readonly code: string;
}

/** Each line after a title. */
const MISTAKES: readonly Mistake[] = linesOf(path.join(FIXTURES, 'mistakes.ts')).flatMap((line, index, lines) => {
  const [, title] = (index > 10 && /^\/\/ ([^#].*)$/.exec(line)) || [];
  return title === undefined ? [] : [{ title, at: `mistakes.ts:${index + 2}`, code: lines[index + 1]! }];
});

interface Case {
  readonly title: string;
  readonly shape: { problems(value: unknown, at: string): string[] };
  readonly run: ((sheaf: Sheaf) => Promise<unknown>) | null;
}

/** The compiler of this project must not see the file, which would type all documents by the guide. */
const readCases = async (): Promise<readonly Case[]> =>
  (await import(/* @vite-ignore */ path.join(FIXTURES, 'results.ts'))).cases;

describe('Types', () => {
  let messages: ReadonlyMap<string, string>;
  beforeAll(() => {
    messages = compile();
  });

  it('are written from the model, the same for the same model', async () => {
    await expect(guide()).toMatchFileSnapshot('fixtures/typing/sheaf-types.d.ts');
    expect(guide()).toBe(guide());
  });

  it('are exact for at least 80 queries', async () => {
    const wrong = [...messages].filter(([at]) => !at.startsWith('mistakes.ts'));
    expect(wrong).toEqual([]);
    expect(EXAMPLES.length).toBeGreaterThanOrEqual(5);
    const cases = await readCases();
    expect(cases.length).toBeGreaterThanOrEqual(80);
    expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
  });

  it('refuse at least 60 mistakes, and nothing besides', () => {
    expect(MISTAKES.filter(({ at }) => !messages.has(at))).toEqual([]);
    expect(MISTAKES.length).toBeGreaterThanOrEqual(60);
    const places = new Set(MISTAKES.map(({ at }) => at));
    expect([...messages.keys()].filter((at) => at.startsWith('mistakes.ts') && !places.has(at))).toEqual([]);
  });

  it('tell a mistake in words that a person understands', async () => {
    const told = MISTAKES.filter(({ title }) => title.endsWith('!'));
    const text = told.map(({ title, at, code }) => `# ${title.slice(0, -1)}\n${code}\n${messages.get(at)}`).join('\n');
    await expect(text).toMatchFileSnapshot('fixtures/typing/messages.txt');
    expect(TABLED.length).toBeGreaterThanOrEqual(8);
    expect(TABLED.filter((message) => !text.includes(message))).toEqual([]);
  });

  it('use no any and no cast where results are read', () => {
    const code = ['results.ts', 'mistakes.ts', 'sheaf-types.d.ts'].flatMap((name) =>
      linesOf(path.join(FIXTURES, name)),
    );
    expect(
      code.filter((line) => /\bany\b|\bas (?!const)[A-Z{]/.test(line.replace(/'[^']*'|\/\/.*|\/\*.*/g, ''))),
    ).toEqual([]);
  });

  it('are open where there is no generated file', () => {
    // It does not compile otherwise; it is not called.
    const openClient = async (client: Client<OpenRegistry>): Promise<OpenEntry[]> => {
      const { data } = await client.restaurants!.find({ fields: 'name', populate: { chef: { sort: 'name' } } });
      const user = await client.users.me({ populate: 'role' });
      await client.collection('articles').publish('id');
      await client.single('homepage').update({ title: user.username }, { status: 'draft' });
      return data;
    };
    const openDocuments = (sheaf: Sheaf) => sheaf.documents('api::any.thing').findMany({ filters: { name: 'a' } });
    expect([openClient, openDocuments]).toHaveLength(2);
    // The methods of the typed interface are those that there are.
    const isComplete: [keyof Documents] extends [keyof TypedDocuments<OpenRegistry, string, 'system'>] ? true : false =
      true;
    const isPresent: [keyof TypedDocuments<OpenRegistry, string, 'system'>] extends [keyof Documents] ? true : false =
      true;
    expect([isComplete, isPresent]).toEqual([true, true]);
  });
});

describeOnSqlite('Types and what comes', (engine) => {
  it('agree for every query in process', async () => {
    const sheaf = await engine.open();
    const cases = await readCases();
    const wrong: string[] = [];
    let checked = 0;
    for (const { title, shape, run } of cases) {
      if (run === null) continue;
      const value = await run(sheaf);
      wrong.push(...shape.problems(value, title));
      checked++;
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThanOrEqual(40);
  });

  it('agree about private attributes: code in process has them, a caller has not', async () => {
    const sheaf = await engine.open();
    const [first] = await sheaf.documents('api::owner.owner').findMany({ filters: { phone: { $notNull: true } } });
    expect(first).toHaveProperty('phone');
    const caller = { ...(await sheaf.authenticate({})), access: systemAccess(sheaf.model) };
    const [seen] = await sheaf.documents('api::owner.owner', caller).findMany();
    expect(seen).not.toHaveProperty('phone');
  });
});

const definition = (attributes: object): string =>
  JSON.stringify({
    kind: 'collectionType',
    collectionName: 'notes',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    attributes,
  });

/** For the file system to tell. */

describe('sheaf types', () => {
  const project = path.join(folder, 'project');
  const schema = path.join(project, 'src/api/note/content-types/note/schema.json');
  const out = path.join(project, 'types/out.d.ts');

  beforeAll(() => {
    mkdirSync(path.dirname(schema), { recursive: true });
    const described = { type: 'string', required: true, description: 'What it is about.\nEnds no comment: */' };
    writeFileSync(schema, definition({ title: described, großeZahl: { type: 'biginteger', private: true } }));
  });

  it('writes a file once, with the descriptions of attributes', async () => {
    expect(await writeTypes(project, out)).toEqual({ file: out, changed: true, contentTypes: 1, components: 0 });
    expect(await writeTypes(project, out)).toMatchObject({ changed: false });
    const text = readFileSync(out, 'utf8');
    expect(text).toContain(`    /**
     * What it is about.
     * Ends no comment: *\\/
     */
    title: { type: 'string'; required: true };
    großeZahl: { type: 'biginteger'; private: true };`);
    expect(text).toContain('locale: string;');
  });

  it('writes it again when a definition changes, and leaves it where one is wrong', async () => {
    const told: string[] = [];
    const watch = watchTypes(project, out, (text) => void told.push(text));
    try {
      writeFileSync(schema, definition({ title: { type: 'nosuch' } }));
      await vi.waitFor(() => expect(told.join()).toContain('The file stays as it was.'), IN_THE_END);
      writeFileSync(schema, definition({ title: { type: 'integer' } }));
      await vi.waitFor(() => expect(told.join()).toContain(`Wrote ${out}`), IN_THE_END);
      expect(readFileSync(out, 'utf8')).toContain("title: { type: 'integer' };");
    } finally {
      watch.close();
    }
  });
});
