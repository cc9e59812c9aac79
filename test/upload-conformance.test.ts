// Files over HTTP as clients of Strapi 5 know them, on a database that Strapi 5 made.
import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { against, type Checked, checks } from './conformance/upload-checks.mjs';
import { openToAll } from './support/access.ts';
import { useContents } from './support/content.ts';
import { describeOnEveryDatabase, GUIDE } from './support/database.ts';

describeOnEveryDatabase('Uploads', (engine) => {
  const contents = useContents(engine);
  let sheaf: Sheaf;
  let app: ReturnType<typeof createServer>;
  let checked: Checked;

  beforeAll(async () => {
    const project = contents.folder();
    cpSync(GUIDE, project, { recursive: true, filter: (file) => path.basename(file) !== '.sheaf' });
    sheaf = await open({ project, database: engine.guideDatabaseUrl() });
    await openToAll(sheaf);
    app = createServer(sheaf);
    const base = await app.listen({ host: '127.0.0.1', port: 0 });
    checked = against({ base, publicDir: path.join(project, 'public') });
  });
  afterAll(async () => {
    await checked.clean();
    await app.close();
    await sheaf.close();
  });

  for (const { name, run } of checks) it(name, () => run(checked));
});
