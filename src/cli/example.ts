// The example that comes with the package: a restaurant guide that fills its own database through the in-process
// interface the first time it starts.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readActions } from '../access/actions.ts';
import type { Sheaf } from '../app.ts';
import { USER } from '../model/builtin.ts';
import type { Entry, EntryData } from '../operations/parameters.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import type { Status } from '../request/read-request.ts';

const GUIDE = fileURLToPath(new URL('examples/guide', PACKAGE_ROOT));

export interface Example {
  readonly project: string;
  readonly database: string;
  readonly state: string;
}

/** The database stays in the folder, so that a second start finds what the first one left. */
export const exampleProject = (folder = path.resolve('.sheaf')): Example => ({
  project: GUIDE,
  database: `sqlite:${path.join(folder, 'guide.sqlite')}`,
  state: folder,
});

/** An entry of content.json: made under a key, or a further change of one that was made before. */
interface ContentStep {
  readonly key: string;
  readonly type: string;
  readonly document?: string;
  readonly locale?: string;
  readonly status: Status;
  readonly data: EntryData;
}

/** Fills an empty guide; `{{key}}` in its content stands for the document made under that key. */
export async function fillExample(sheaf: Sheaf): Promise<number> {
  if ((await sheaf.documents('api::restaurant.restaurant').count()) > 0) return 0;
  const steps = JSON.parse(readFileSync(path.join(GUIDE, 'content.json'), 'utf8')) as ContentStep[];
  const documents = new Map<string, string>();
  const filled = (data: EntryData): EntryData =>
    JSON.parse(JSON.stringify(data).replace(/\{\{([^}]+)\}\}/g, (_, key: string) => documents.get(key) ?? ''));
  for (const { key, type, document, locale, status, data } of steps) {
    const parameters = { data: filled(data), status, ...(locale !== undefined && { locale }) };
    const content = sheaf.documents(type);
    const entry: Entry | null =
      document === undefined
        ? await content.create(parameters)
        : await content.update({ ...parameters, documentId: documents.get(document)! });
    documents.set(key, entry!.documentId);
  }
  await addPeople(sheaf);
  return steps.length;
}

const EDITOR = 'john';
const READERS = ['meg', 'sam'];

/** Everyone may read the guide; editors may write it as well. Three users, one of them an editor. */
async function addPeople(sheaf: Sheaf): Promise<void> {
  const { roles } = await sheaf.auth();
  const own = [...sheaf.model.contentTypes.values()].filter(({ uid }) => uid.startsWith('api::'));
  const reads = readActions(sheaf.model).flat();
  await roles.grant('public', reads);
  await roles.grant('authenticated', reads);
  const editor = await roles.create('Editor', 'Writes the guide.');
  await roles.grant(
    editor.type,
    own.map(({ uid }) => uid),
  );
  const authenticated = await roles.find('authenticated');
  const password = randomBytes(9).toString('base64url');
  for (const username of [EDITOR, ...READERS])
    await sheaf.documents(USER).create({
      data: {
        username,
        email: `${username}@example.com`,
        password,
        provider: 'local',
        confirmed: true,
        blocked: false,
        role: username === EDITOR ? editor.id : authenticated.id,
      },
    });
  console.log(`Made the users ${[EDITOR, ...READERS].join(', ')} with the password ${password} (shown only now)`);
}

/** A token to try writes with, as good as if the editor had logged in. */
export async function exampleNotes(sheaf: Sheaf): Promise<string[]> {
  const john = await sheaf.documents(USER).findFirst({ filters: { username: EDITOR } });
  if (!john) return [];
  const tokens = await (await sheaf.auth()).sessions.begin(john.id);
  return tokens ? ['Everyone may read; to write, be an editor:', `  TOKEN=${tokens.jwt}`] : [];
}

export const EXAMPLE_REQUESTS: readonly string[] = [
  '/api/restaurants?filters[chef][country][code]=IT&populate=chef,categories',
  '/api/categories?filters[restaurants][stars][$gte]=2&sort=name&fields=name',
  '/api/articles?populate[authors][fields]=name&status=draft&locale=*',
];
