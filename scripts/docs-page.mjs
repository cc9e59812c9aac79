// Puts the page at /docs together: our own few lines and the files that the viewer needs at run time. The rest of its
// package is not published.
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = path.join(root, 'dist/docs-page');
const own = path.join(root, 'src/http/docs-page');
const viewer = path.join(root, 'node_modules/swagger-ui-dist');

mkdirSync(target, { recursive: true });
for (const file of readdirSync(own)) copyFileSync(path.join(own, file), path.join(target, file));
for (const file of ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css'])
  copyFileSync(path.join(viewer, file), path.join(target, file));
