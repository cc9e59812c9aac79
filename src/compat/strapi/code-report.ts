// What of a project's own code runs, file by file, for people: what could not be loaded, what is not run, and where code
// touches what is not offered.
import { createRequire } from 'node:module';
import { type CodeSettings, notRun } from '../../access/withheld.ts';
import { type CodeFile, defaultFile } from '../../project/code/code-files.ts';
import type { ProjectCode } from '../../project/code/project-code.ts';
import type { CodeProblem } from './code-registry.ts';
import { KNEX, MISSING_MEMBERS } from './strapi-object.ts';

/** `in part`: it runs, and fails where it touches what is not offered. */
export type FileState = 'runs' | 'in part' | 'does not run';

export interface FileReport {
  readonly file: string;
  readonly state: FileState;
  /** Why it does not run, or not all of it, and what to do instead. */
  readonly notes: readonly string[];
}

/** In the order of the files; those that Strapi generates are left out. */
export function codeReport(code: ProjectCode, problems: readonly CodeProblem[], settings: CodeSettings): FileReport[] {
  const closed = notRun(code.findings, settings);
  const own = code.files.filter((file) => defaultFile(file) === null);
  const elsewhere = new Set(closed.map(({ file }) => file));
  for (const { file } of own) elsewhere.delete(file);
  const reports = own.map((file) => reportOf(file, problems, closed));
  // Folders and packages, which are told as one.
  const others = [...elsewhere].map((file) => ({ file, state: 'does not run' as const, notes: notesOf(closed, file) }));
  return [...reports, ...others];
}

function reportOf(file: CodeFile, problems: readonly CodeProblem[], closed: ReturnType<typeof notRun>): FileReport {
  const failed = problems.filter((problem) => isAbout(problem, file));
  const notes = failed.map(({ line, message }) => (line === null ? message : `line ${line}: ${message}`));
  const left = notesOf(closed, file.file);
  const isLeft = left.length > 0 || file.role === 'plugin';
  if (notes.length > 0 || isLeft) return { file: file.file, state: 'does not run', notes: [...notes, ...left] };
  const touched = missingTouched(file);
  return { file: file.file, state: touched.length > 0 ? 'in part' : 'runs', notes: touched };
}

/** Of `src/index` it is told without an ending. */
const isAbout = ({ file }: CodeProblem, { file: own }: CodeFile): boolean =>
  own === file || own.replace(/\.[cm]?[jt]sx?$/, '') === file;

const notesOf = (closed: ReturnType<typeof notRun>, file: string): string[] =>
  closed
    .filter((finding) => finding.file === file)
    .map(({ kind, does, instead }) => `${kind}: ${does}${instead === null ? '' : `. Instead: ${instead}`}`);

/** Where a text names members of strapi that are not offered. */
function missingTouched({ text, path }: CodeFile): string[] {
  return Object.entries(MISSING_MEMBERS).flatMap(([name, instead]) => {
    const found = new RegExp(`\\bstrapi\\s*\\??\\.\\s*${name.replace('.', '\\s*\\??\\.\\s*')}\\b`).exec(text);
    if (!found || (name === KNEX && isInstalled('knex', path))) return [];
    const line = text.slice(0, found.index).split('\n').length;
    return [`line ${line}: strapi.${name} is not offered; ${instead}`];
  });
}

/** Whether a file of the project can load a package. */
function isInstalled(name: string, file: string): boolean {
  try {
    createRequire(file).resolve(name);
    return true;
  } catch {
    return false;
  }
}
