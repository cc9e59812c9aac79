// A new project is closed. Most tests are about content, not about who may see it, so they open theirs to everyone.
import { open, type Sheaf } from '../../src/app.ts';
import { GUIDE } from './database.ts';

export async function openToAll(sheaf: Sheaf): Promise<void> {
  await (await sheaf.auth()).roles.grant('public', ['*']);
}

/** The same for a database on which the guide is not open here; it is made where it is missing. */
export async function openDatabaseToAll(database: string): Promise<void> {
  const sheaf = await open({ project: GUIDE, database });
  await openToAll(sheaf);
  await sheaf.close();
}
