// `sheaf types`: writes the declaration file of a project's model, once or whenever a definition changes. It needs no
// database.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { declarations } from '../describe/declarations.ts';
import { SetupError } from '../errors.ts';
import { loadModel } from '../model/build.ts';
import type { Model } from '../model/types.ts';
import { projectSettings } from '../project/environment.ts';
import { readLocales } from '../project/locales.ts';
import { ProjectWatch } from './dev/project-watch.ts';

/** In the folder of the project. */
const FILE_NAME = 'sheaf-types.d.ts';
/** In the place of a file: standard output. */
export const STANDARD_OUTPUT = '-';

export interface WrittenTypes {
  readonly file: string;
  /** Whether the file has changed. */
  readonly changed: boolean;
  readonly contentTypes: number;
  readonly components: number;
}

/** The text of the file. */
export async function typesText(project: string): Promise<string> {
  return declarations(await describedModel(project), { locales: readLocales(project) });
}

/** A file that would stay as it is, is not written, so that nobody who watches it is disturbed. */
export async function writeTypes(project: string, out: string | undefined): Promise<WrittenTypes> {
  const model = await describedModel(project);
  const text = declarations(model, { locales: readLocales(project) });
  const file = out ?? path.join(project, FILE_NAME);
  const changed = !existsSync(file) || readFileSync(file, 'utf8') !== text;
  if (changed) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const own = model.definitions.filter(({ uid }) => model.contentTypes.has(uid));
  return { file, changed, contentTypes: own.length, components: model.components.size };
}

/** Custom fields are what the project's code registers them as, or else texts: there is no column to look at. */
async function describedModel(project: string): Promise<Model> {
  const { privateAttributes } = projectSettings(project).rest;
  const loaded = loadModel(project, { privateAttributes });
  if (loaded.customFields.size === 0) return loaded;
  const { registeredCustomFields } = await import('../project/custom-fields.ts');
  const registered = await registeredCustomFields(project, loaded.customFields);
  return loadModel(project, { privateAttributes, customFields: { registered, ofColumn: () => null } });
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

export const typesReport = ({ file, changed, contentTypes, components }: WrittenTypes): string =>
  changed
    ? `Wrote ${file}: ${counted(contentTypes, 'content-type')}, ${counted(components, 'component')}`
    : `${file} is up to date`;

/** Writes the file again after each change of the project, until it is closed. What is wrong is told, and the file stays. */
export function watchTypes(
  project: string,
  out: string | undefined,
  report: (text: string) => void,
): { readonly close: () => void } {
  let last: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    try {
      const written = await writeTypes(project, out);
      if (written.changed) report(typesReport(written));
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      report(`${error.message}\nThe file stays as it was.`);
    }
  };
  return new ProjectWatch(project, () => {
    last = last.then(write);
  });
}
