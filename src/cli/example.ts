// The example that comes with the package: a restaurant guide that fills its own database through the in-process
// interface the first time it starts.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sheaf } from '../app.ts';
import type { Entry, EntryData } from '../documents/parameters.ts';
import type { Status } from '../request/read-request.ts';

const GUIDE = fileURLToPath(new URL('../../examples/guide', import.meta.url));

export interface Example {
  readonly project: string;
  readonly database: string;
}

/** The database stays in the folder, so that a second start finds what the first one left. */
export const exampleProject = (folder = path.resolve('.sheaf')): Example => ({
  project: GUIDE,
  database: `sqlite:${path.join(folder, 'guide.sqlite')}`,
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
  return steps.length;
}

export const EXAMPLE_REQUESTS: readonly string[] = [
  '/api/restaurants?filters[chef][country][code]=IT&populate=chef,categories',
  '/api/categories?filters[restaurants][stars][$gte]=2&sort=name&fields=name',
  '/api/articles?populate[authors][fields]=name&status=draft&locale=*',
];
