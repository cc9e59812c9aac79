// The examples of the client in other people's frameworks, compiled as their users do: each in a folder of its own, with
// its own settings and the types of the guide. Next.js and Astro are not installed, since they weigh more than all of
// this together: the few names that are used of them are declared in fixtures. React's own types are there.
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { prepare, problemsIn } from './support/client-programs.ts';

const EXAMPLES = fileURLToPath(new URL('../examples', import.meta.url));
const FRAMEWORKS = fileURLToPath(new URL('fixtures/frameworks', import.meta.url));

const folders = mkdtempSync(path.join(os.tmpdir(), 'sheaf-examples-'));
afterAll(() => rmSync(folders, { recursive: true, force: true }));

/** What the mistakes are made of; each is in another file. */
const MISTAKES = [
  ["'stars:desc'", "'starz:desc'"],
  ['dish.name', 'dish.nmae'],
] as const;

/** Astro's own compiler is not here, but a component of a program and markup is one of TypeScript, too. */
function written(folder: string, file: string, text: string): void {
  const [, program, markup] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  if (program === undefined) writeFileSync(path.join(folder, file), text);
  else writeFileSync(path.join(folder, `${file}.tsx`), `${program}\nexport default () => <>${markup}</>;\n`);
}

/** A copy of an example that can be compiled. Beside each program is one with a mistake, if it has a place for it. */
async function copy(example: string): Promise<string> {
  const folder = path.join(folders, example);
  cpSync(path.join(EXAMPLES, example), folder, { recursive: true });
  for (const file of globSync('**/*.{ts,tsx,js,astro}', { cwd: folder })) {
    const text = readFileSync(path.join(folder, file), 'utf8');
    written(folder, file, text);
    for (const [name, wrong] of MISTAKES)
      if (text.includes(name))
        written(folder, path.join(path.dirname(file), `wrong-${path.basename(file)}`), text.replace(name, wrong));
  }
  if (example === 'astro') {
    mkdirSync(path.join(folder, 'node_modules/astro/tsconfigs'), { recursive: true });
    cpSync(path.join(FRAMEWORKS, 'astro-strict.json'), path.join(folder, 'node_modules/astro/tsconfigs/strict.json'));
  }
  const place = example === 'astro' ? 'src/' : '';
  if (example !== 'browser') cpSync(path.join(FRAMEWORKS, `${example}.d.ts`), path.join(folder, `${place}frames.d.ts`));
  await prepare(folder, `${place}sheaf-types.d.ts`);
  return folder;
}

it.each([
  ['nextjs', ['starz', "Property 'nmae' does not exist"]],
  ['astro', ['starz', "Property 'nmae' does not exist"]],
  ['browser', ['starz']],
])('The example for %s has the right types, and its mistakes would be noticed', async (name, mistakes) => {
  const problems = await problemsIn(await copy(name));
  const elsewhere = problems.split('\n').filter((line) => /^\S/.test(line) && !line.includes('wrong-'));
  expect(elsewhere).toEqual([]);
  for (const mistake of mistakes) expect(problems).toContain(mistake);
});
