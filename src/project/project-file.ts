// Reads a JSON file of a project's config folder and checks it against a schema.
// All problems of the file are reported at once.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { GenericSchema } from 'valibot';
import { check } from '../check-json.ts';
import { SetupError } from '../errors.ts';

/** Null where the project has no such file. */
export function readProjectFile<T>(project: string, name: string, schema: GenericSchema<unknown, T>): T | null {
  const file = path.join(project, 'config', name);
  if (!existsSync(file)) return null;
  const checked = check(schema, parseJson(file));
  if (checked.ok) return checked.value;
  throw new SetupError(
    `${file} cannot be used:`,
    checked.problems.map((problem) => `${problem.path.join('.') || 'the file'}: ${problem.message}`),
  );
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SetupError(`${file}: not valid JSON: ${(error as Error).message}`);
  }
}
