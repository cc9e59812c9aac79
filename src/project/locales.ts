// The locales that a project lists for a new database, in config/locales.json: the default one first.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../errors.ts';

/** Null where the project lists none. */
export function readLocales(project: string): readonly string[] | null {
  const file = path.join(project, 'config', 'locales.json');
  if (!existsSync(file)) return null;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SetupError(`${file}: not valid JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(value) || value.length === 0 || value.some((code) => typeof code !== 'string' || code === ''))
    throw new SetupError(`${file}: expected a list of locale codes, the default one first, such as ["en", "fr"]`);
  return value as string[];
}
