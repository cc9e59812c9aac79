// `strapi.contentAPI`: sanitizing and validating of entries and queries for whoever `auth` stands for.
import type { Access } from '../../access/access.ts';
import type { Model, Schema } from '../../model/types.ts';
import { callerBy } from './code-callers.ts';
import { schemaOf } from './data/schemas.ts';
import { validateQuery, withoutForbidden } from './query-rights.ts';
import { sanitizeInput, sanitizeOutput, sanitizeQuery } from './sanitize.ts';
import { ValidationError } from './strapi-errors.ts';

/** As code has it: a view of a content-type, or its uid. */
type Given = string | { readonly uid: string };

interface Options {
  readonly auth?: unknown;
}

export function contentApi(model: Model) {
  const schema = (given: Given): Schema => {
    const uid = typeof given === 'string' ? given : given.uid;
    const found = schemaOf(model, uid);
    if (!found) throw new ValidationError(`There is no content-type ${uid}`);
    return found;
  };
  const access = ({ auth }: Options = {}): Access | null => (auth === undefined ? null : accessOf(auth));
  return {
    sanitize: {
      output: async (data: unknown, of: Given, options?: Options) =>
        sanitizeOutput(model, schema(of), data, access(options)),
      input: async (data: unknown, of: Given, options?: Options) =>
        sanitizeInput(model, schema(of), data, access(options)),
      query: async (query: Record<string, unknown>, of: Given, options?: Options) =>
        sanitizedQuery(model, schema(of), query, access(options) ?? OPEN),
    },
    validate: {
      input: async (data: unknown, of: Given, options?: Options) => refuseDropped(data, of, options),
      query: async (query: Record<string, unknown>, of: Given, options?: Options) =>
        validateQuery(model, schema(of), query, access(options) ?? OPEN),
    },
  };

  /** What sanitizing would drop is refused, and so is what is no attribute. */
  async function refuseDropped(data: unknown, of: Given, options?: Options): Promise<void> {
    const { attributes } = schema(of);
    for (const entry of [data].flat().filter((one) => typeof one === 'object' && one !== null)) {
      const kept = sanitizeInput(model, schema(of), entry, access(options)) as object;
      const refused = Object.keys(entry as object).find((key) => !Object.hasOwn(kept, key) || !attributes.has(key));
      if (refused !== undefined)
        throw new ValidationError(`Invalid key ${refused}`, { key: refused, path: null, source: 'body' });
    }
  }
}

/** What the caller may ask for. */
export const sanitizedQuery: typeof sanitizeQuery = (model, schema, query, access) =>
  sanitizeQuery(model, schema, withoutForbidden(model, schema, query, access), access);

const CLOSED = { mayFind: () => false, mayUse: () => true } as unknown as Access;
const OPEN = { mayFind: () => true, mayUse: () => true } as unknown as Access;

/** Of a request that nobody was asked to sign, no relation may be seen. */
const accessOf = (auth: unknown): Access => callerBy(auth)?.access ?? CLOSED;
