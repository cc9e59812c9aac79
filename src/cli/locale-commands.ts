// `sheaf locale`: the locales of a project, which servers that run follow at once.
import { Locales, type LocaleUse } from '../db/stored-locales.ts';
import { SetupError } from '../errors.ts';
import type { ServerConfig } from '../project/environment.ts';
import { readLocales } from '../project/locales.ts';
import { type CommandResult, type OpenProject, onProject, tableText } from './command-result.ts';
import { confirm } from './terminal.ts';

export interface LocaleCommandOptions {
  readonly name?: string | undefined;
  readonly 'delete-entries'?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

export type LocaleVerb = 'list' | 'add' | 'default' | 'remove';

type LocaleCommand = (project: OpenProject, code: string, options: LocaleCommandOptions) => Promise<CommandResult>;

export function localeCommand(
  config: ServerConfig,
  verb: LocaleVerb,
  code = '',
  options: LocaleCommandOptions = {},
): Promise<string> {
  const command = { name: `locale ${verb}`, reads: verb === 'list', json: options.json === true };
  return onProject(config, command, (project) => COMMANDS[verb](project, code, options));
}

const localesOf = ({ sheaf: { database, model } }: OpenProject): Locales => new Locales(database, model);

const list: LocaleCommand = async (project) => {
  const locales = await localesOf(project).list();
  const rows = locales.map(({ code, name, isDefault }) => [code, name, isDefault ? 'default' : '']);
  return {
    text: rows.length > 0 ? tableText(rows) : 'There are no locales; sheaf locale add adds one.',
    value: locales,
  };
};

const add: LocaleCommand = async (project, code, { name }) => {
  requireCode(code);
  const isNew = await localesOf(project).add(code, name);
  return {
    text: isNew ? `Content can be written in ${code} now.` : `The locale ${code} was there already.`,
    value: { code, added: isNew },
  };
};

/** As languages are written: `en`, `en-GB`, `zh-Hans`. */
function requireCode(code: string): void {
  let written: string;
  try {
    [written = code] = Intl.getCanonicalLocales(code);
  } catch {
    throw new SetupError(`"${code}" is no locale`, ['expected a code such as en, en-GB or zh-Hans']);
  }
  if (written !== code && written.toLowerCase() === code.toLowerCase())
    throw new SetupError(`The locale ${written} is not written "${code}"`, [`sheaf locale add ${written}`]);
}

const setDefault: LocaleCommand = async (project, code) => {
  const locales = localesOf(project);
  const before = (await locales.list()).find(({ isDefault }) => isDefault)?.code ?? null;
  await locales.setDefault(code);
  const listed = readLocales(project.config.project);
  const note =
    listed && listed[0] !== code ? [`config/locales.json begins with ${listed[0]}: put ${code} first there.`] : [];
  return {
    text: [`${code} is the default locale: requests that name none are about it. No content was moved.`, ...note].join(
      '\n',
    ),
    value: { code, before, notes: note },
  };
};

const remove: LocaleCommand = async (project, code, options) => {
  const locales = localesOf(project);
  await locales.requireRemovable(code);
  const deleted = options['delete-entries'] ? await deleteEntries(project, code, options.yes === true) : [];
  await locales.remove(code);
  const isListed = readLocales(project.config.project)?.includes(code);
  const note = isListed
    ? [`config/locales.json still lists ${code}, so the next start adds it again: take it out.`]
    : [];
  return {
    text: [
      ...deleted.map((use) => `Deleted in ${code}: ${inWords(use)}`),
      `The locale ${code} is removed.`,
      ...note,
    ].join('\n'),
    value: { code, deleted: deleted.map(({ type, documents }) => ({ uid: type.uid, documents })), notes: note },
  };
};

const inWords = ({ type, documents }: LocaleUse): string =>
  `${documents} ${documents === 1 ? 'document' : 'documents'} of ${type.uid}`;

/** Each document by itself, as a client would: links and lists stay whole. */
async function deleteEntries(project: OpenProject, code: string, isMeant: boolean): Promise<readonly LocaleUse[]> {
  const locales = localesOf(project);
  const uses = await locales.uses(code);
  if (uses.length === 0) return [];
  const what = `This deletes for good what is written in ${code}: ${uses.map(inWords).join(', ')}.`;
  if (!isMeant) await confirm({ what, question: 'Delete?', refusal: 'Nothing was deleted' });
  for (const { type } of uses)
    for (const documentId of await locales.documentsIn(type, code))
      await project.sheaf.documents(type.uid).delete({ documentId, locale: code });
  return uses;
}

const COMMANDS: Readonly<Record<LocaleVerb, LocaleCommand>> = { list, add, default: setDefault, remove };
