// `sheaf doctor`: what of a project's own code runs, what does not, and why, file by file. Files are loaded; nothing that
// they register or begin is run.
import { codeReport, type FileReport } from '../compat/strapi/code-report.ts';
import { startStrapiCode } from '../compat/strapi/strapi-code.ts';
import type { CommandResult, OpenProject } from './command-result.ts';

const quiet = (): void => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

export async function examineCode({ sheaf, auth }: OpenProject): Promise<CommandResult> {
  const { code, settings } = sheaf;
  const runs = code.isOwn && settings.runStrapiCode;
  const loaded = runs ? await startStrapiCode(sheaf, auth, SILENT, null) : null;
  await loaded?.stop();
  const reports = codeReport(code, loaded?.problems ?? [], settings);
  return { text: reportText(reports, settings.runStrapiCode), value: reports };
}

function reportText(reports: readonly FileReport[], isRun: boolean): string {
  if (reports.length === 0) return 'The project has no code of its own.';
  const lines = reports.flatMap(({ file, state, notes }) => [
    `${state.padEnd(12)}  ${file}`,
    ...notes.map((note) => `${' '.repeat(14)}${note}`),
  ]);
  const count = (state: FileReport['state']): number => reports.filter((report) => report.state === state).length;
  const summary = `${count('runs')} files run, ${count('in part')} run in part, ${count('does not run')} do not.`;
  return [...lines, isRun ? summary : `${summary} runStrapiCode of config/sheaf.json is off.`].join('\n');
}
