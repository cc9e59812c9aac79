// What `@strapi/strapi`, `@strapi/utils` and `@strapi/database` are to the code of a project, installed or not.
import type { EnvHelper } from '../../project/env-helper.ts';
import type { createFactories } from './factories.ts';
import { notOffered, withMissing } from './not-offered.ts';
import { relationQuestions, schemaQuestions } from './schema-questions.ts';
import { strapiErrors } from './strapi-errors.ts';
import {
  asyncHelpers,
  fileHelpers,
  paginationHelpers,
  parseType,
  policyHelpers,
  setCreatorFields,
  stringHelpers,
} from './strapi-utils.ts';
import { formatYupErrors, validateYupSchema, validateYupSchemaSync, YupValidationError } from './yup-validation.ts';

const INSTEAD = 'see what runs in docs/strapi-code.md';
const DATABASE_CLIENTS: readonly unknown[] = ['mysql', 'postgres', 'sqlite'];

/** What `@strapi/utils` is made with. */
interface UtilsDeps {
  /** Makes words of a URL of a text. */
  slugify(text: string, options?: { readonly separator?: string }): string;
  /** Loads a package of the project. */
  required(specifier: string): unknown;
}

function utilsOf(env: EnvHelper, { slugify, required }: UtilsDeps): unknown {
  const groups = {
    errors: { ...strapiErrors, YupValidationError },
    async: asyncHelpers,
    contentTypes: schemaQuestions,
    relations: relationQuestions,
    strings: stringHelpers(slugify),
    file: fileHelpers,
    policy: policyHelpers,
    pagination: paginationHelpers,
  };
  const named = Object.entries(groups).map(([name, members]) => [
    name,
    withMissing(members, `@strapi/utils.${name}`, INSTEAD),
  ]);
  const members = {
    ...Object.fromEntries(named),
    env,
    parseType,
    setCreatorFields,
    validateYupSchema,
    validateYupSchemaSync,
    formatYupErrors,
    get yup() {
      return packageOf('yup', required);
    },
  };
  return withMissing(members, '@strapi/utils', INSTEAD);
}

/** A package that Strapi brings, and here the project. */
function packageOf(name: string, required: UtilsDeps['required']): unknown {
  try {
    return required(name);
  } catch {
    return notOffered(`@strapi/utils.${name}`, `it needs the package ${name} in the project`);
  }
}

/** A function from the name of an import to what stands for it; undefined for what the project brings itself. */
export function strapiPackages(
  factories: ReturnType<typeof createFactories>,
  env: EnvHelper,
  deps: UtilsDeps,
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
  const database = withMissing(
    { isDatabaseClientKind: (value: unknown) => DATABASE_CLIENTS.includes(value) },
    '@strapi/database',
    INSTEAD,
  );
  const modules = new Map<string, unknown>([
    ['@strapi/strapi', strapi],
    ['@strapi/utils', utilsOf(env, deps)],
    ['@strapi/database', database],
    // Types alone.
    ['@strapi/types', {}],
    // Under which the text of a body is found; the package comes with Strapi.
    ...['koa-body/unparsed', 'koa-body/unparsed.js'].map((name) => [name, Symbol.for('unparsedBody')] as const),
  ]);
  return (specifier) => modules.get(specifier);
}
