// What a client says of files beside their bytes: `fileInfo`, and the entry that they are for.
import * as v from 'valibot';
import { SheafError, validationError } from '../errors.ts';
import { isObject } from '../type-guards.ts';

export interface FileInfo {
  readonly name?: string | null | undefined;
  readonly alternativeText?: string | null | undefined;
  readonly caption?: string | null | undefined;
  readonly focalPoint?: { readonly x: number; readonly y: number } | null | undefined;
}

/** The field of an entry that files are put into. */
export interface FileLink {
  /** The uid of its type, or of a component. */
  readonly ref: string;
  /** The id of its row, or its documentId. */
  readonly refId: string | number;
  readonly field: string;
}

const text = v.optional(v.nullable(v.string('must be a string')));
/** In the brackets of a form every number is text. */
const number = v.union(
  [v.number(), v.pipe(v.string(), v.regex(/^-?\d{1,15}(?:\.\d{1,15})?$/), v.transform(Number))],
  'must be a number',
);
const percent = v.pipe(
  number,
  v.minValue(0, 'must be greater than or equal to 0'),
  v.maxValue(100, 'must be less than or equal to 100'),
);

/** Other keys are left out, as clients of Strapi 5 send whole files back. */
const INFO = v.object({
  name: text,
  alternativeText: text,
  caption: text,
  focalPoint: v.optional(
    v.nullable(
      v.object({ x: percent, y: percent }, ({ path }) =>
        path ? 'is a required field' : 'must be an object with x and y',
      ),
    ),
  ),
});

/** The information of each of the files that one request sends. */
export function parseFileInfos(given: readonly unknown[], count: number): FileInfo[] {
  const values = given.map(jsonOf);
  if (values.length === 0) return Array.from({ length: count }, () => ({}));
  const [first] = values;
  const isList = Array.isArray(first) || values.length > 1;
  const list: readonly unknown[] = values.length > 1 ? values : Array.isArray(first) ? first : [first];
  if (count === 1) {
    if (list.length !== 1) throw wrongKind('object', given);
    return [fileInfo(list[0], [])];
  }
  if (!isList || list.length === 1) throw wrongKind('array', given);
  return Array.from({ length: count }, (_, index) =>
    list[index] === undefined ? {} : fileInfo(list[index], [String(index)]),
  );
}

/** The information of one file. */
export function parseFileInfo(given: readonly unknown[]): FileInfo {
  if (given.length > 1) throw wrongKind('object', given);
  return given.length === 0 ? {} : fileInfo(jsonOf(given[0]), []);
}

function fileInfo(value: unknown, at: readonly string[]): FileInfo {
  if (!isObject(value)) throw wrongKind('object', value);
  const result = v.safeParse(INFO, value);
  if (result.success) return result.output;
  const errors = result.issues.map(({ path = [], message }) => {
    const keys = ['fileInfo', ...at, ...path.map(({ key }) => String(key))];
    return { path: keys, message: `${keys.join('.')} ${message}`, name: 'ValidationError' };
  });
  throw new SheafError(
    400,
    'ValidationError',
    errors.length === 1 ? errors[0]!.message : `${errors.length} errors occurred`,
    { errors },
  );
}

function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw validationError('Invalid value for fileInfo: expected JSON', { key: 'fileInfo', source: 'body' });
  }
}

const wrongKind = (expected: 'object' | 'array', value: unknown): SheafError =>
  validationError(`fileInfo must be a \`${expected}\` type, but the final value was: ${kindOf(value)}`, {
    key: 'fileInfo',
    source: 'body',
  });

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? `a list of ${value.length}` : `a value of type ${typeof value}`;

/** What is written of the information: what is said, and not null. */
export function writtenInfo({ name, alternativeText, caption, focalPoint }: FileInfo): Record<string, unknown> {
  const all = { name: name === '' ? null : name, alternativeText, caption, focalPoint };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
}

/** The same of a file that is replaced: what is said to be null goes with the old content. */
export function replacedInfo(info: FileInfo): Record<string, unknown> {
  const { alternativeText, caption } = info;
  const gone = Object.entries({ alternativeText, caption }).filter(([, value]) => value === null);
  return { ...writtenInfo(info), ...Object.fromEntries(gone) };
}
