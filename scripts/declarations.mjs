// Removes the declarations that the exports of the package do not lead to: they are of internal modules, and name
// packages that are not installed with ours.
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const reached = new Set();

function follow(file) {
  if (reached.has(file)) return;
  reached.add(file);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g))
    follow(path.join(path.dirname(file), `${name}.d.ts`));
}

const { exports } = JSON.parse(readFileSync(path.join(dist, '../package.json'), 'utf8'));
for (const { types } of Object.values(exports)) follow(path.join(dist, '..', types));
const files = readdirSync(dist, { recursive: true, withFileTypes: true });
for (const file of files) {
  const whole = path.join(file.parentPath, file.name);
  if (file.name.endsWith('.d.ts') && !reached.has(whole)) rmSync(whole);
}
const folders = files.filter((file) => file.isDirectory()).map((file) => path.join(file.parentPath, file.name));
for (const folder of folders.toSorted().toReversed()) if (readdirSync(folder).length === 0) rmdirSync(folder);
