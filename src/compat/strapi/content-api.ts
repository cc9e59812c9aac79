// `strapi.contentAPI`: sanitizing and validating of entries and queries for whoever `auth` stands for.
import type { Access } from '../../access/access.ts';
import type { Model, Schema } from '../../model/types.ts';
import { callerBy } from './code-callers.ts';
import { schemaOf } from './data/schemas.ts';
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
        sanitizeQuery(model, schema(of), query, access(options) ?? OPEN),
    },
    validate: {
      input: async (data: unknown, of: Given, options?: Options) => refuseDropped(data, of, options),
      query: async () => undefined,
    },
  };

  /** What sanitizing would drop is refused. */
  async function refuseDropped(data: unknown, of: Given, options?: Options): Promise<void> {
    const kept = sanitizeInput(model, schema(of), data, access(options));
    const dropped = Object.keys(Object(data)).find((key) => !Object.hasOwn(Object(kept), key));
    if (dropped !== undefined) throw new ValidationError(`Invalid key ${dropped}`, { key: dropped });
  }
}

const CLOSED = { mayFind: () => false, mayUse: () => true } as unknown as Access;
const OPEN = { mayFind: () => true, mayUse: () => true } as unknown as Access;

/** Of a request that nobody was asked to sign, no relation may be seen. */
const accessOf = (auth: unknown): Access => callerBy(auth)?.access ?? CLOSED;
