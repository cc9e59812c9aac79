// Builds the sources into dist/, unless what is there was built from them: `npm ci` builds, and `npm start` and `npm test`
// need not do it again. What decides is the content of what goes in and of what has come out, so a file that was
// changed, added or removed on either side is built anew; times of files mean nothing.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
const stamp = path.join(dist, 'build-stamp');

/** Everything that the steps below read; the lock file stands for the packages. */
const INPUTS = {
  folders: ['src', 'console', 'scripts'],
  files: ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'],
};

/** Each step when the one before it is over; the commands of a step run side by side. */
const STEPS = [
  ['node scripts/clean.mjs'],
  [
    'tsc -p tsconfig.build.json',
    'node scripts/bundle.mjs && node scripts/executable.mjs',
    'vite build --logLevel warn --config console/vite.config.ts',
    'node scripts/docs-page.mjs',
  ],
  // Removes folders that are empty then.
  ['node scripts/declarations.mjs'],
];

function filesBelow(place) {
  const entries = readdirSync(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

/** What stands for the names and the content of files. */
function digest(files) {
  const hash = createHash('sha256').update(process.version);
  for (const file of files.toSorted())
    hash.update(`\0${path.relative(root, file)}\0`).update(createHash('sha256').update(readFileSync(file)).digest());
  return hash.digest('hex');
}

const isTest = (file) => path.basename(file).includes('.test.');
const sources = () =>
  INPUTS.folders.flatMap((name) => filesBelow(path.join(root, name))).filter((file) => !isTest(file));
const inputs = () => digest([...sources(), ...INPUTS.files.map((name) => path.join(root, name))]);
const outputs = () => digest(filesBelow(dist).filter((file) => file !== stamp));

function run(command) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { cwd: root, shell: true, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`The build has failed: ${command}`))));
  });
}

async function build() {
  const before = inputs();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === `${before} ${outputs()}`) return;
  rmSync(stamp, { force: true });
  for (const commands of STEPS) await Promise.all(commands.map(run));
  // What was changed meanwhile may not be in it.
  if (inputs() === before) writeFileSync(stamp, `${before} ${outputs()}`);
}

await build().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
