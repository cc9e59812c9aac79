// Checks what a project writes as JSON against schemas of valibot: one form of problem for every file, and schemas for
// objects and lists that valibot leaves too lenient or reports one key at a time.
// The message of a schema is the whole problem, such as `expected true or false`.
import * as v from 'valibot';
import { isObject } from './type-guards.ts';

export interface Problem {
  /** Keys that lead to the wrong value; none for the whole value. */
  readonly path: readonly string[];
  readonly message: string;
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Checks a value and collects all problems, one for each wrong place unless a schema adds several. */
export function check<T>(schema: v.GenericSchema<unknown, T>, value: unknown): Checked<T> {
  const result = v.safeParse(schema, value, { abortPipeEarly: true });
  if (result.success) return { ok: true, value: result.output };
  const problems = result.issues.map(({ path = [], message }) => ({
    path: path.map(({ key }) => String(key)),
    message,
  }));
  return { ok: false, problems };
}

/** The keys that mean something. */
const listedKeys = (entries: v.ObjectEntries): string =>
  Object.keys(entries)
    .filter((key) => key !== SCHEMA_KEY)
    .join(', ');

type InputOf<E extends v.ObjectEntries> = v.InferInput<v.ObjectSchema<E, string>>;
type OutputOf<E extends v.ObjectEntries> = Readonly<v.InferOutput<v.ObjectSchema<E, string>>>;

/**
 * An object with these keys and no others. The strict object of valibot accepts lists and stops at the first unknown
 * key; this one reports every unknown key, `__proto__` and `constructor` among them.
 */
export function strictObject<const E extends v.ObjectEntries>(
  entries: E,
  otherwise = `expected an object with ${listedKeys(entries)}`,
): v.GenericSchema<InputOf<E>, OutputOf<E>> {
  const keys = listedKeys(entries);
  const unknownKey = v.never(`not known; expected ${keys}`);
  const lazy = v.lazy((input): v.GenericSchema => {
    if (!isObject(input)) return v.never(otherwise);
    const unknown = Object.keys(input).filter((key) => !Object.hasOwn(entries, key));
    const refused = Object.fromEntries(unknown.map((key) => [key, unknownKey]));
    return v.object({ ...entries, ...refused }, `missing; expected ${keys}`);
  });
  // The entries are there for who makes a JSON Schema of it.
  const schema: v.GenericSchema = Object.assign(lazy, { entries });
  return schema as v.GenericSchema<InputOf<E>, OutputOf<E>>;
}

/** A schema with what it is for, as editors show it. */
export const described = <const S extends v.GenericSchema>(schema: S, text: string) =>
  v.pipe(schema, v.description(text));

/** The key by which editors find the JSON Schema of a file. */
export const SCHEMA_KEY = '$schema';
export const SCHEMA_ENTRY = {
  [SCHEMA_KEY]: described(
    v.optional(v.string('expected the address of a JSON Schema')),
    'The JSON Schema of this file.',
  ),
};

/** An object of any keys. */
export const anyObject = (otherwise: string) =>
  v.pipe(v.custom<Record<string, unknown>>(isObject, otherwise), v.metadata({ type: 'object' }));

/** An object whose keys are names, with values of one kind. */
export const recordOf = <const S extends v.GenericSchema>(value: S, otherwise: string) =>
  v.pipe(anyObject(otherwise), v.record(v.string(), value));

/** An object whose keys are names of any kind, as a list of its entries: no name gets lost on the way. */
export const namedEntries = (otherwise: string) =>
  v.pipe(
    v.custom<Record<string, unknown>>(isObject, otherwise),
    v.transform((value) => Object.entries(value)),
  );

export const listOf = <const S extends v.GenericSchema>(item: S, otherwise: string) =>
  v.pipe(v.array(item, otherwise), v.readonly());

export const flag = v.boolean('expected true or false');

export const nonEmptyString = (message = 'expected a string that is not empty') =>
  v.pipe(v.string(message), v.nonEmpty(message));
