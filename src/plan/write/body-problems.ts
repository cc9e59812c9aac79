// What is wrong with a body, in the words of Strapi 5: all of it in one error.
import { SheafError } from '../../errors.ts';
import type { ComponentAttribute } from '../../model/types.ts';
import { type BodyPath, NO_ROW } from '../../request/parse-relation.ts';
import { targetsNamedIn } from './affected-documents.ts';
import type { BodyProblem, RelationChange } from './changes.ts';

/** What is wrong with the number of items of a component field. An empty list that is not required may be short. */
export function countProblems(
  { min, max, required }: Pick<ComponentAttribute, 'min' | 'max' | 'required'>,
  count: number,
): string[] {
  return [
    ...(min !== null && count < min && (required || count > 0) ? [`field must have at least ${min} items`] : []),
    ...(max !== null && count > max ? [`field must have less than or equal to ${max} items`] : []),
  ];
}

/** All problems of a body in one error. */
export function problemsError(problems: readonly BodyProblem[]): SheafError {
  const errors = problems.map(({ path, message, isSentence }) => ({
    path: path.map(String),
    message: isSentence ? message : `${readable(path)} ${message}`.trim(),
    name: 'ValidationError',
  }));
  const message = errors.length === 1 ? errors[0]!.message : `${errors.length} errors occurred`;
  return new SheafError(400, 'ValidationError', message, { errors });
}

const readable = (path: BodyPath): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );

/**
 * References by id to rows that are not there, or not for the caller. Front ends know the message of Strapi 5, which
 * counts them; the path is that of the first.
 */
export const missingRows = (type: string, count: number, path: BodyPath): SheafError =>
  new SheafError(
    400,
    'ValidationError',
    `${count} relation(s) of type ${type} associated with this entity do not exist`,
    { path: path.join('.'), source: 'body' },
  );

/** Refuses an id that no row can have. */
export function refuseImpossibleRows(relations: readonly RelationChange[]): void {
  const named = relations.flatMap(targetsNamedIn).find(({ reference: { id } }) => id === NO_ROW);
  if (named) throw missingRows(named.target, 1, named.reference.path);
}
