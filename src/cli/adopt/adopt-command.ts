// `sheaf adopt`: says of a project and its database, without changing either, what will work, what differs and why, which
// code is not run, and which settings it would write. With --write it writes those, and nothing else.
import { withoutPassword } from '../../project/connection-url.ts';
import type { ServerOptions } from '../../project/environment.ts';
import { adoptJson, adoptSections, adoptText } from './adopt-report.ts';
import { type Adoption, readAdoption } from './adoption.ts';
import { type SettingToWrite, settingsToWrite, writeSettings } from './settings-to-write.ts';

export interface AdoptOptions extends ServerOptions {
  readonly project: string;
  readonly write: boolean;
  readonly json: boolean;
}

export interface AdoptResult {
  readonly text: string;
  /** 0 where a start would succeed, 1 where it would not. */
  readonly code: number;
}

export async function adoptCommand(options: AdoptOptions): Promise<AdoptResult> {
  const adoption = await readAdoption(options);
  const settings = settingsToWrite(adoption);
  const { problems } = adoption;
  const verdict = { canStart: problems.length === 0, problems };
  const isWritten = options.write && verdict.canStart && settings.length > 0;
  const written = isWritten ? writeSettings(options.project, settings) : null;
  const text = options.json
    ? adoptJson(adoption, settings, verdict)
    : adoptText(adoptSections(adoption, settings), verdict, nextSteps(options, adoption, settings, written));
  return { text, code: verdict.canStart ? 0 : 1 };
}

/** What to do next, and on what: the commands with the options that this one was given. */
function nextSteps(
  { project, database }: AdoptOptions,
  adoption: Adoption,
  settings: readonly SettingToWrite[],
  written: string | null,
): string[] {
  const given = `--project ${project}${database === undefined ? '' : ` --database ${withoutPassword(database)}`}`;
  const changed = written === null ? 'Nothing was changed.' : `Wrote ${written}, and changed nothing else.`;
  if (adoption.database?.diff.isNew) return [changed, `Start: sheaf start ${given}`];
  return [
    changed,
    ...(written === null && settings.length > 0 ? ['Write the settings above: the same command with --write'] : []),
    `Serve it and write nothing: sheaf start --read-only ${given}`,
    `See what clients notice: sheaf compare --with URL --generate 1000 ${given}`,
  ];
}
