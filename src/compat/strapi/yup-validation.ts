// Validation by schemas of yup, as `@strapi/utils` offers it: what fails is a ValidationError with one entry for each
// problem. The package itself is the project's.
import { ValidationError } from './strapi-errors.ts';

/** An error of yup, whichever version it comes from. */
interface YupError extends Error {
  readonly path?: string;
  readonly value?: unknown;
  readonly inner: readonly YupError[];
}

interface YupSchema {
  validate(value: unknown, options: object): Promise<unknown>;
  validateSync(value: unknown, options: object): unknown;
}

const isYupError = (error: unknown): error is YupError =>
  error instanceof Error && error.name === 'ValidationError' && 'inner' in error && Array.isArray(error.inner);

/** `tags[0].name` as a list of names. */
const pathOf = (path = ''): string[] => path.match(/[^.[\]"]+/g) ?? [];

const problemOf = ({ path, message, name, value }: YupError): object => ({ path: pathOf(path), message, name, value });

export function formatYupErrors(error: YupError): { errors: object[]; message: string } {
  const problems = error.inner.length === 0 ? [error] : error.inner;
  return { errors: problems.map(problemOf), message: error.message };
}

/** The error of `@strapi/utils` for one of yup. */
export class YupValidationError extends ValidationError {
  constructor(error: YupError, message?: string) {
    const { errors, message: own } = formatYupErrors(error);
    super(message || own, { errors });
  }
}

function refused(error: unknown, message?: string): never {
  throw isYupError(error) ? new YupValidationError(error, message) : error;
}

/** Values are taken as they are, and all problems told, unless the options say otherwise. */
const optionsOf = (options: object): object => ({ strict: true, abortEarly: false, ...options });

export const validateYupSchema =
  (schema: YupSchema, options: object = {}) =>
  async (value: unknown, message?: string): Promise<unknown> => {
    try {
      return await schema.validate(value, optionsOf(options));
    } catch (error) {
      return refused(error, message);
    }
  };

export const validateYupSchemaSync =
  (schema: YupSchema, options: object = {}) =>
  (value: unknown, message?: string): unknown => {
    try {
      return schema.validateSync(value, optionsOf(options));
    } catch (error) {
      return refused(error, message);
    }
  };
