// JSON Schema (2020-12, the dialect of OpenAPI 3.1) as data, and the place where schemas that have a name are collected.

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export type Properties = Readonly<Record<string, JsonSchema>>;

/** An object with these properties and no others, all of them required unless it is said which are. */
export const strictObject = (
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
  rest: JsonSchema = {},
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required: [...required].sort() }),
  additionalProperties: false,
  ...rest,
});

export const listOf = (items: JsonSchema, rest: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...rest });

/** One of several; without a choice, the only one. */
export const anyOf = (...schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 ? schemas[0]! : { anyOf: schemas };

export const NULL: JsonSchema = { type: 'null' };
export const TEXT: JsonSchema = { type: 'string' };
export const WHOLE: JsonSchema = { type: 'integer' };
export const FLAG: JsonSchema = { type: 'boolean' };
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
/** True or false, also as a query string has to write it. */
export const YES_OR_NO = { enum: [true, false, 'true', 'false', 't', 'f', '1', '0', 1, 0] } satisfies JsonSchema;

export const orNull = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' && schema.const === undefined && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : anyOf(schema, NULL);

/** A text that is a list with commas between its parts, each of which matches. */
export const commaList = (part: string): JsonSchema => ({
  type: 'string',
  pattern: `^\\s*(?:${part})?\\s*(?:,\\s*(?:${part})?\\s*)*$`,
});

/** Schemas by name. Each is made when it is first referred to, and may refer to itself. */
export class NamedSchemas {
  readonly #place: string;
  readonly #made = new Map<string, JsonSchema>();

  /** `place`: what references begin with, such as `#/components/schemas/`. */
  constructor(place: string) {
    this.#place = place;
  }

  /** A reference to the schema of a name. */
  refer(name: string, make: () => JsonSchema): JsonSchema {
    if (!this.#made.has(name)) {
      this.#made.set(name, {});
      this.#made.set(name, make());
    }
    return { $ref: `${this.#place}${name}` };
  }

  /** All of them, in the order of their names. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#made].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}
