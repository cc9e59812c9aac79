// Reads a JSON file of a project's config folder and checks it against a schema.
// All problems of the file are reported at once.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { GenericSchema } from 'valibot';
import { type Checked, check } from '../check-json.ts';
import { SetupError } from '../errors.ts';
import { errorMessage } from '../type-guards.ts';

const fileOf = (project: string, name: string): string => path.join(project, 'config', name);

/** Null where the project has no such file. */
export function readProjectFile<T>(project: string, name: string, schema: GenericSchema<unknown, T>): T | null {
  const given = readProjectJson(project, name);
  return given === null ? null : requireValid(project, name, check(schema, given.json));
}

/** Refuses a file with all its problems. */
export function requireValid<T>(project: string, name: string, checked: Checked<T>): T {
  if (checked.ok) return checked.value;
  throw new SetupError(
    `${fileOf(project, name)} cannot be used:`,
    checked.problems.map((problem) => `${problem.path.join('.') || 'the file'}: ${problem.message}`),
  );
}

/** What a file holds, unchecked; null where the project has no such file. */
export function readProjectJson(project: string, name: string): { readonly json: unknown } | null {
  const file = fileOf(project, name);
  if (!existsSync(file)) return null;
  try {
    return { json: JSON.parse(readFileSync(file, 'utf8')) };
  } catch (error) {
    throw new SetupError(`${file}: not valid JSON: ${errorMessage(error)}`);
  }
}
