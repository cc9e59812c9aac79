// The example that comes with the package: a restaurant guide, on a copy of its small database.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const GUIDE = fileURLToPath(new URL('../../examples/guide', import.meta.url));

export interface Example {
  readonly project: string;
  readonly database: string;
}

/** The copy stays, so that a second start finds what the first one left. */
export function exampleProject(folder = path.resolve('.sheaf')): Example {
  const file = path.join(folder, 'guide.sqlite');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    copyFileSync(path.join(GUIDE, 'guide.sqlite'), file);
  }
  return { project: GUIDE, database: `sqlite:${file}` };
}

export const EXAMPLE_REQUESTS: readonly string[] = [
  '/api/restaurants?filters[chef][country][code]=IT&populate=chef,categories',
  '/api/categories?filters[restaurants][stars][$gte]=2&sort=name&fields=name',
  '/api/articles?populate[authors][fields]=name&status=draft&locale=*',
];
