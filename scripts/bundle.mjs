// Puts the sources together into a few files. A start would otherwise spend most of its time on finding and reading some
// five hundred modules: our own, and those of the packages that come as many small ones. What is put in need not be
// installed with the package: these are development dependencies, and their licences go along in a file.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies, peerDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

const isOneOf = (packages, id) => Object.keys(packages).some((name) => id === name || id.startsWith(`${name}/`));

/** Whether a module is loaded as it is installed. A package that is put in must not need one that may be missing. */
const isInstalled = (id, importer) =>
  isOneOf(dependencies, id) || (isOneOf(peerDependencies, id) && !importer?.includes('node_modules'));

const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  // The last two are started by name, as a process and as a thread.
  input: {
    main: 'src/main.ts',
    index: 'src/index.ts',
    'reader-process': 'src/operations/reader-process.ts',
    'assembly-thread': 'src/operations/assembly-thread.ts',
  },
  // Koa brings a package that makes functions from text; we cannot change it.
  checks: { eval: false },
  external: (id, importer) => id.startsWith('node:') || isInstalled(id, importer),
});
const { output } = await bundle.write({
  dir: 'dist',
  entryFileNames: '[name].js',
  // Beside the others, since they name files by where they are.
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
});
await bundle.close();
await bundleClient();
// The viewer of /docs is copied as it is.
const viewer = path.join(root, 'node_modules/swagger-ui-dist/swagger-ui-bundle.js');
writeLicences([...output.flatMap((chunk) => chunk.moduleIds ?? []), viewer]);

/** The client runs in browsers, so it is a file of its own, that imports nothing. */
async function bundleClient() {
  const client = await rolldown({ cwd: root, platform: 'neutral', input: { client: 'src/client/create-client.ts' } });
  await client.write({ dir: 'dist', entryFileNames: '[name].js', sourcemap: true });
  await client.close();
}

/** The name, version and licence of every package that modules are from. */
function writeLicences(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== null));
  const notices = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    if (files.length === 0 && !license) throw new Error(`${name} has no licence`);
    const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
    return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
  });
  const title = 'Sheaf contains parts of these packages, each under its own licence.\n';
  writeFileSync(path.join(root, 'dist/THIRD-PARTY-LICENSES.txt'), [title, ...notices].join(`\n${'-'.repeat(80)}\n\n`));
}

/** The folder of the package that a module belongs to; null for our own, and for what the bundler adds. */
function packageFolder(module) {
  const at = module.replaceAll('\\', '/').lastIndexOf('/node_modules/');
  if (at < 0) return null;
  const inside = module.slice(at + '/node_modules/'.length).split(/[\\/]/);
  const name = inside.slice(0, inside[0].startsWith('@') ? 2 : 1);
  const folder = path.join(module.slice(0, at), 'node_modules', ...name);
  return existsSync(path.join(folder, 'package.json')) ? folder : null;
}
