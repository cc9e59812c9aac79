// Puts the sources together into a few files. A start would otherwise spend most of its time on finding and reading some
// five hundred modules: our own, and those of the packages that come as many small ones.
import { rolldown } from 'rolldown';

/** Packages that are put in. All others are loaded as they are installed. */
const BUNDLED = ['kysely', 'jose', 'valibot', 'qs', 'cookie', '@paralleldrive/cuid2'];

const isOurs = (id) => id.startsWith('.') || id.startsWith('/') || /^[A-Za-z]:/.test(id);
const isBundled = (id, importer) =>
  BUNDLED.some((name) => id === name || id.startsWith(`${name}/`)) || importer?.includes('/node_modules/') === true;

const bundle = await rolldown({
  cwd: new URL('..', import.meta.url).pathname,
  platform: 'node',
  // The last two are started by name, as a process and as a thread.
  input: {
    main: 'src/main.ts',
    index: 'src/index.ts',
    'reader-process': 'src/operations/reader-process.ts',
    'assembly-thread': 'src/operations/assembly-thread.ts',
  },
  external: (id, importer) => id.startsWith('node:') || !(isOurs(id) || isBundled(id, importer)),
});
await bundle.write({
  dir: 'dist',
  entryFileNames: '[name].js',
  // Beside the others, since they name files by where they are.
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
});
await bundle.close();
