// What `@strapi/strapi`, `@strapi/utils` and `@strapi/database` are to the code of a project, installed or not.
import type { EnvHelper } from '../../project/env-helper.ts';
import type { createFactories } from './factories.ts';
import { notOffered, withMissing } from './not-offered.ts';
import { schemaQuestions } from './schema-questions.ts';
import { strapiErrors } from './strapi-errors.ts';

const INSTEAD = 'see what runs in docs/strapi-code.md';
const DATABASE_CLIENTS: readonly unknown[] = ['mysql', 'postgres', 'sqlite'];

/** A function from the name of an import to what stands for it; undefined for what the project brings itself. */
export function strapiPackages(
  factories: ReturnType<typeof createFactories>,
  env: EnvHelper,
): (specifier: string) => unknown {
  const ownServer = 'Sheaf is the server that runs; a script opens the project with open() of the package sheaf';
  const strapi = withMissing(
    {
      factories,
      createStrapi: notOffered('createStrapi', ownServer),
      compileStrapi: notOffered('compileStrapi', ownServer),
    },
    '@strapi/strapi',
    INSTEAD,
  );
  const utils = withMissing(
    {
      errors: strapiErrors,
      env,
      contentTypes: withMissing(schemaQuestions, '@strapi/utils.contentTypes', INSTEAD),
    },
    '@strapi/utils',
    INSTEAD,
  );
  const database = withMissing(
    { isDatabaseClientKind: (value: unknown) => DATABASE_CLIENTS.includes(value) },
    '@strapi/database',
    INSTEAD,
  );
  const modules = new Map<string, unknown>([
    ['@strapi/strapi', strapi],
    ['@strapi/utils', utils],
    ['@strapi/database', database],
    // Types alone.
    ['@strapi/types', {}],
    // Under which the text of a body is found; the package comes with Strapi.
    ...['koa-body/unparsed', 'koa-body/unparsed.js'].map((name) => [name, Symbol.for('unparsedBody')] as const),
  ]);
  return (specifier) => modules.get(specifier);
}
