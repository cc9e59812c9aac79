// Reads the locales that a project lists, in config/locales.json. The default locale comes first.
import * as v from 'valibot';
import { listOf, nonEmptyString } from '../check-json.ts';
import { readProjectFile } from './project-file.ts';

const LIST = 'expected a list of locale codes, the default one first, such as ["en", "fr"]';
const LOCALES = v.pipe(listOf(nonEmptyString('expected a locale code, such as "en"'), LIST), v.minLength(1, LIST));

/** Null where the project lists none. */
export const readLocales = (project: string): readonly string[] | null =>
  readProjectFile(project, 'locales.json', LOCALES);
