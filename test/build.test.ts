// The set-up of a checkout: what makes `npm run build` build anew, by the script itself in a folder where its steps only
// say that they ran; and that npm is told of every package with a script of its own.
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-build-'));
const inside = (name: string): string => path.join(folder, name);
const STEPS = ['bundle', 'clean', 'declarations', 'docs-page', 'executable', 'tsc', 'vite'];

function write(name: string, text: string): void {
  mkdirSync(path.dirname(inside(name)), { recursive: true });
  writeFileSync(inside(name), text);
}

/** The steps that one run of the script has taken, and its exit code. */
async function build(): Promise<{ steps: string[]; code: number }> {
  write('log', '');
  const env = { ...process.env, PATH: [inside('bin'), process.env.PATH].join(path.delimiter) };
  const ran = promisify(execFile)(process.execPath, [inside('scripts/build.mjs')], { env });
  const code = await ran.then(
    () => 0,
    (error: { code: number }) => error.code,
  );
  return { steps: readFileSync(inside('log'), 'utf8').split('\n').filter(Boolean).sort(), code };
}

beforeAll(() => {
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']) write(name, '{}');
  write('src/main.ts', 'one');
  write('src/main.test.ts', 'one');
  write('console/page.tsx', 'one');
  const say = (step: string) =>
    `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(inside('log'))}, '${step}\\n');`;
  for (const step of ['clean', 'declarations', 'docs-page', 'executable']) write(`scripts/${step}.mjs`, say(step));
  const result = `import { mkdirSync, writeFileSync } from 'node:fs'; mkdirSync('dist', { recursive: true }); writeFileSync('dist/main.js', 'built');`;
  write('scripts/bundle.mjs', `${say('bundle')} ${result}`);
  for (const step of ['tsc', 'vite']) {
    write(`bin/${step}`, `#!/bin/sh\necho ${step} >> ${inside('log')}\ntest ! -e ${inside(`${step}-fails`)}\n`);
    chmodSync(inside(`bin/${step}`), 0o755);
  }
  cpSync(path.join(ROOT, 'scripts/build.mjs'), inside('scripts/build.mjs'));
});
beforeEach(async () => {
  await build();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('builds once', async () => {
  expect(await build()).toEqual({ steps: [], code: 0 });
});

it.each(['src/main.ts', 'console/page.tsx', 'scripts/docs-page.mjs', 'package-lock.json', 'dist/main.js'])(
  'builds anew where %s has changed',
  async (name) => {
    appendFileSync(inside(name), '\n');
    expect(await build()).toEqual({ steps: STEPS, code: 0 });
    expect(await build()).toEqual({ steps: [], code: 0 });
  },
);

it('builds anew where a file was added or removed', async () => {
  write('src/other.ts', '');
  expect((await build()).steps).toEqual(STEPS);
  rmSync(inside('src/other.ts'));
  expect((await build()).steps).toEqual(STEPS);
  rmSync(inside('dist/main.js'));
  expect((await build()).steps).toEqual(STEPS);
});

it('does not for a file that was only written again, or for a test', async () => {
  write('src/main.ts', readFileSync(inside('src/main.ts'), 'utf8'));
  write('src/main.test.ts', 'two');
  expect(await build()).toEqual({ steps: [], code: 0 });
});

it('says that it has failed, and tries again', async () => {
  write('src/main.ts', 'three');
  write('tsc-fails', '');
  expect(await build()).toMatchObject({ code: 1 });
  expect(await build()).toMatchObject({ code: 1 });
  rmSync(inside('tsc-fails'));
  expect(await build()).toEqual({ steps: STEPS, code: 0 });
});

// npm asks about those that are missing, and later versions do not run them: there would be no Node 24 and no PostgreSQL.
it('allows or denies the script of every package that has one', () => {
  const read = (name: string) => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));
  const packages: Record<string, { hasInstallScript?: boolean }> = read('package-lock.json').packages;
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripted.map(([place]) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(names).toContain('node');
  expect(Object.keys(read('package.json').allowScripts).sort()).toEqual([...new Set(names)].sort());
});
