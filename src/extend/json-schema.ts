// Checks parameters, bodies and answers of a project's routes against the JSON Schemas that it gives. By ajv, which comes
// with the web framework anyway and is the checker that most people know the messages of; loaded only where a route has a
// schema.
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { type SheafError, validationError } from '../errors.ts';
import { readDate, readInstant } from '../request/scalars.ts';
import type { JsonSchema } from './define-project.ts';

export type SchemaPart = 'params' | 'query' | 'body' | 'answer';

/** Throws where a value does not fit; gives it its defaults and makes numbers and booleans of texts, in place. */
export type CheckValue = <T>(value: T) => T;

/** Compiles schemas; throws where one is not valid. */
export type CompileSchema = (schema: JsonSchema, part: SchemaPart) => CheckValue;

const OPTIONS: Options = { useDefaults: true, strictTypes: false, strictRequired: false };
// Both can match a text in one way only: the time that they take grows with its length, and not with the square of it.
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:\d\d)$/i;
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** Problems that an error lists. */
const MAX_PROBLEMS = 20;
/** Values in one whose problems are all looked for; each may have several, and clients send what they like. */
const MAX_CHECKED_VALUES = 1_000;

export async function schemaCompiler(): Promise<CompileSchema> {
  const { Ajv } = await import('ajv');
  const made = (options: Options) => {
    const ajv = new Ajv(options);
    ajv.addFormat('date', (text: string) => readDate(text) === text);
    ajv.addFormat('date-time', (text: string) => DATE_TIME.test(text) && readInstant(text) !== null);
    ajv.addFormat('email', EMAIL);
    ajv.addFormat('uuid', UUID);
    ajv.addFormat('uri', { validate: URL.canParse });
    return ajv;
  };
  const exact = { first: made(OPTIONS), all: made({ ...OPTIONS, allErrors: true }) };
  // Parameters come as text.
  const coerced = { ...OPTIONS, coerceTypes: 'array' } as const;
  const lenient = { first: made(coerced), all: made({ ...coerced, allErrors: true }) };
  return (schema, part) => {
    const { first, all } = part === 'params' || part === 'query' ? lenient : exact;
    const validate = first.compile(schema);
    let validateAll: ValidateFunction | null = null;
    return <T>(value: T): T => {
      if (validate(value)) return value;
      let failed = validate;
      if (isSmall(value)) {
        validateAll ??= all.compile(schema);
        if (!validateAll(value)) failed = validateAll;
      }
      throw part === 'answer' ? wrongAnswer(failed) : refusal(failed, part);
    };
  };
}

/** Whether few values are in it. */
function isSmall(value: unknown): boolean {
  const open = [value];
  for (let count = 0; count < open.length; count++) {
    if (open.length > MAX_CHECKED_VALUES) return false;
    const one = open[count];
    if (typeof one === 'object' && one !== null) {
      const inner = Object.values(one);
      if (inner.length > MAX_CHECKED_VALUES) return false;
      open.push(...inner);
    }
  }
  return true;
}

/** The place of a problem: the keys that lead to it. */
function placeOf({ instancePath, keyword, params }: ErrorObject): string {
  const keys = instancePath.split('/').slice(1);
  const key: unknown = keyword === 'required' ? params.missingProperty : params.additionalProperty;
  return (typeof key === 'string' ? [...keys, key] : keys).join('.');
}

const problemsOf = ({ errors }: ValidateFunction, part: SchemaPart) =>
  (errors ?? []).slice(0, MAX_PROBLEMS).map((error) => ({
    path: placeOf(error),
    message: `${placeOf(error) || `the ${part}`}: ${error.keyword === 'required' ? 'is missing' : error.message}`,
  }));

function refusal(validate: ValidateFunction, part: SchemaPart): SheafError {
  const problems = problemsOf(validate, part);
  const [first] = problems;
  return validationError(`Invalid ${part}: ${first!.message}`, {
    key: first!.path === '' ? null : first!.path,
    source: part,
    errors: problems,
  });
}

/** A defect of the handler. */
const wrongAnswer = (validate: ValidateFunction): Error =>
  new Error(
    `the answer does not fit its schema: ${problemsOf(validate, 'answer')
      .map(({ message }) => message)
      .join('; ')}`,
  );
