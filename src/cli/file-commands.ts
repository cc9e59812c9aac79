// `sheaf files check`, `sheaf files import` and `sheaf files key`.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readSecrets } from '../accounts/secrets.ts';
import { open, type Sheaf } from '../app.ts';
import { SetupError, SheafError } from '../errors.ts';
import { checkFiles, type FileFindings, isElsewhere, repairFiles, type WrongFile } from '../files/check-files.ts';
import { resizeKey } from '../files/resize-signature.ts';
import { onlyReads, openOptions, type ServerConfig } from '../project/environment.ts';
import { printable } from './printable.ts';

/** Where the report goes, and where progress does; null for none. */
export interface FileOutput {
  report(text: string): void;
  readonly progress: ((text: string) => void) | null;
}

const FOUND_NOTHING = 0;
const FOUND_SOMETHING = 1;
/** Lines of each kind that a report lists. */
const MOST_LINES = 20;
const PROGRESS_EVERY = 100;

async function withSheaf<T>(config: ServerConfig, readOnly: boolean, work: (sheaf: Sheaf) => Promise<T>): Promise<T> {
  const sheaf = await open({ ...openOptions(config), readOnly });
  try {
    return await work(sheaf);
  } finally {
    await sheaf.close();
  }
}

/** Returns the exit code: 1 where something is wrong that was not repaired. */
export function checkCommand(
  config: ServerConfig,
  { repair, json }: { readonly repair: boolean; readonly json: boolean },
  { report, progress }: FileOutput,
): Promise<number> {
  if (repair && config.readOnly) throw onlyReads('sheaf files check --repair');
  return withSheaf(config, !repair, async ({ files }) => {
    const onProgress = (count: number): void => {
      if (count % PROGRESS_EVERY === 0) progress?.(`\r${count} files checked`);
    };
    const findings = await checkFiles(files, { onProgress });
    if (findings.files >= PROGRESS_EVERY) progress?.('\r\x1b[K');
    if (repair && isElsewhere(findings))
      throw new SetupError('More than half of all files have no bytes here, so nothing is repaired', [
        'see whether the folder or the bucket is the right one: sheaf config shows it as files.folder and files.s3',
      ]);
    if (repair) await repairFiles(files, findings);
    report(json ? `${JSON.stringify({ ...findings, repaired: repair }, null, 2)}\n` : textOf(findings, repair));
    return repair || isClean(findings) ? FOUND_NOTHING : FOUND_SOMETHING;
  });
}

const isClean = ({ missing, different, unknown, leftovers }: FileFindings): boolean =>
  [missing, different, unknown, leftovers].every(({ length }) => length === 0);

function textOf(findings: FileFindings, repaired: boolean): string {
  const { files, objects, missing, different, unknown, leftovers } = findings;
  const named = ({ id, key }: WrongFile): string => `file ${id}: ${key}`;
  const sections = [
    section('without bytes', missing.map(named), repaired && 'deleted, or the format taken out'),
    section('with another size than their bytes', different.map(named), repaired && 'corrected'),
    section('stored without a file in the database', unknown, repaired && 'deleted'),
    section('left behind by interrupted uploads', leftovers, repaired && 'deleted'),
  ];
  const end = isClean(findings)
    ? 'Nothing is wrong.\n'
    : repaired
      ? ''
      : 'sheaf files check --repair puts this right.\n';
  return `${files} files, ${objects} objects stored.\n${sections.join('')}${end}`;
}

function section(title: string, lines: readonly string[], done: string | false): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, MOST_LINES).map((line) => `  ${printable(line)}\n`);
  const more = lines.length > MOST_LINES ? `  and ${lines.length - MOST_LINES} more\n` : '';
  return `${lines.length} ${title}${done === false ? '' : ` (${done})`}:\n${shown.join('')}${more}`;
}

/** Prints what front ends sign URLs of resized pictures with. */
export async function keyCommand(
  { secrets, state, readOnly }: ServerConfig,
  json: boolean,
  report: (text: string) => void,
): Promise<number> {
  const key = resizeKey(readSecrets(secrets, state, readOnly).jwt);
  report(json ? `${JSON.stringify({ key }, null, 2)}\n` : `${key}\n`);
  return FOUND_NOTHING;
}

interface Imported {
  readonly imported: number;
  readonly refused: readonly { readonly file: string; readonly reason: string }[];
}

/** Stores every file of a folder. Returns the exit code: 1 where some were refused. */
export function importCommand(
  config: ServerConfig,
  { folder, json }: { readonly folder: string; readonly json: boolean },
  { report, progress }: FileOutput,
): Promise<number> {
  if (config.readOnly) throw onlyReads('sheaf files import');
  return withSheaf(config, false, async (sheaf) => {
    const { imported, refused } = await importFolder(sheaf, folder, progress);
    const lines = refused.map(({ file, reason }) => `  ${printable(file)}: ${printable(reason)}\n`).join('');
    const text = `${imported} files imported${refused.length > 0 ? `, ${refused.length} refused:\n${lines}` : '.\n'}`;
    report(json ? `${JSON.stringify({ imported, refused }, null, 2)}\n` : text);
    return refused.length > 0 ? FOUND_SOMETHING : FOUND_NOTHING;
  });
}

async function importFolder(sheaf: Sheaf, folder: string, progress: FileOutput['progress']): Promise<Imported> {
  const paths = await filesBelow(folder);
  const refused: { file: string; reason: string }[] = [];
  const bar = progressBar(progress, paths.length);
  for (const [index, file] of paths.entries()) {
    try {
      await sheaf.files.upload({ name: path.basename(file), content: { path: file } });
    } catch (error) {
      if (!(error instanceof SheafError)) throw error;
      refused.push({ file: path.relative(folder, file), reason: error.message });
    }
    bar(index + 1);
  }
  return { imported: paths.length - refused.length, refused };
}

/** Files of a folder and of those below it, in order. Names that begin with a dot and links are left out. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((error: Error) => {
    throw new SetupError(`${folder} cannot be read: ${error.message}`);
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter(
      (file) =>
        !path
          .relative(folder, file)
          .split(path.sep)
          .some((part) => part.startsWith('.')),
    )
    .sort();
}

const BAR_LENGTH = 30;

function progressBar(write: FileOutput['progress'], all: number): (done: number) => void {
  if (write === null) return () => undefined;
  return (done) => {
    const filled = Math.round((done / all) * BAR_LENGTH);
    write(`\r${'█'.repeat(filled)}${'░'.repeat(BAR_LENGTH - filled)} ${done}/${all}${done === all ? '\n' : ''}`);
  };
}
