// The report of `sheaf adopt`: a section for each question that someone who adopts a project has, each within a screen.
import { knownActions } from '../../access/actions.ts';
import type { SchemaDiff } from '../../db/schema.ts';
import type { ContentType } from '../../model/types.ts';
import { DEFAULT_SOURCE } from '../../project/configuration.ts';
import { withoutPassword } from '../../project/connection-url.ts';
import { codeNotes } from '../code-notes.ts';
import { shownText, shownValues } from '../print-config.ts';
import type { AccountFacts, Adoption, DatabaseFacts } from './adoption.ts';
import { nested, type SettingToWrite } from './settings-to-write.ts';

export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Lines of a section, so that each fits on a screen. */
const MAX_LINES = 20;

export function adoptSections(adoption: Adoption, settings: readonly SettingToWrite[]): Section[] {
  return [
    section('Project', projectLines(adoption)),
    section('Configuration', configurationLines(adoption)),
    section('Content-types', typeLines(adoption)),
    section('Notes on the definitions', adoption.model?.notes ?? []),
    section('Code of the project', codeLines(adoption)),
    section('Database', databaseLines(adoption)),
    section('Users and roles', accountLines(adoption)),
    section('Different from Strapi on purpose', DIFFERENCES),
    section('Settings for config/sheaf.json', settingLines(settings)),
  ].filter(({ lines }) => lines.length > 0);
}

function section(title: string, lines: readonly string[]): Section {
  if (lines.length <= MAX_LINES) return { title, lines };
  return {
    title,
    lines: [...lines.slice(0, MAX_LINES - 1), `and ${lines.length - MAX_LINES + 1} more; --json has all`],
  };
}

/** Lines in columns. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]!.length)));
  return rows.map((row) =>
    row
      .map((text, index) => text.padEnd(widths[index]!))
      .join('  ')
      .trimEnd(),
  );
}

function projectLines({ project, package: facts }: Adoption): string[] {
  if (facts === null) return [project, 'It has no package.json.'];
  return columns([
    ['folder', project],
    ['name', facts.name ?? '-'],
    ['Strapi', facts.strapi ?? 'package.json does not ask for it'],
  ]);
}

function configurationLines({ config }: Adoption): string[] {
  if (!config) return [];
  // The folder of the project is told above.
  const given = shownValues(config).filter(({ key, source }) => source !== DEFAULT_SOURCE && key !== 'project');
  const rows = given.map(({ key, value, source }) => [key, shownText(value), `from ${source}`]);
  return [...(rows.length > 0 ? columns(rows) : ['nothing but defaults']), ...config.notes];
}

const pathOf = (prefix: string, type: ContentType): string =>
  `${prefix}/${type.kind === 'singleType' ? type.singularName : type.pluralName}`;

function typeLines({ config, model }: Adoption): string[] {
  const types = [...(model?.contentTypes.values() ?? [])].filter(({ exposure }) => exposure === 'routes');
  const prefix = config?.settings.rest.prefix ?? '/api';
  return columns(
    types.map((type) => [
      `GET ${pathOf(prefix, type)}`,
      type.uid,
      [
        type.kind === 'singleType' ? 'single' : '',
        type.draftAndPublish ? 'drafts' : '',
        type.localized ? 'localized' : '',
      ]
        .filter((word) => word !== '')
        .join(', '),
    ]),
  );
}

function codeLines({ findings, config }: Adoption): string[] {
  if (!findings) return ['It was not looked for, since the definitions cannot be read; the reason is at the end.'];
  if (findings.length === 0) return ['none beyond what Strapi generates'];
  return codeNotes(findings, config?.settings ?? { servedWithout: {}, runStrapiCode: true });
}

function databaseLines({ config, database }: Adoption): string[] {
  if (!config?.database) return [];
  const shown = withoutPassword(config.database);
  if (!database) return [`${shown} could not be read; the reason is at the end.`];
  const { kind, diff, otherTables } = database;
  if (diff.isNew) return [`${kind}, ${shown}`, 'It holds no content yet; a start creates all tables.'];
  return [
    `${kind}, ${shown}, can be read`,
    ...additionLines(diff),
    ...(otherTables.length > 0
      ? [`${counted(otherTables.length, 'table')} that no content-type needs, such as ${otherTables[0]}: left alone`]
      : []),
    ...(kind === 'SQLite' && diff.adopts ? ['A start switches the file to write-ahead logging (WAL).'] : []),
  ];
}

/** Kinds of additions by how their text begins. */
const KINDS: Readonly<Record<string, string>> = {
  'create table': 'table',
  'add column': 'column',
  'add foreign key': 'foreign key',
  'create unique index': 'unique index',
  'create index': 'index',
  'create function': 'function',
  'create trigger': 'trigger',
};

/** What a start would create, by kind; the tables and columns by name. */
function additionLines({ steps, trackingSteps }: SchemaDiff): string[] {
  const texts = [...steps, ...trackingSteps].map(({ text }) => text);
  if (texts.length === 0) return ['A start adds nothing to it.'];
  const counts = Object.entries(KINDS).flatMap(([words, noun]) => {
    const count = texts.filter((text) => text.startsWith(`${words} `)).length;
    return count > 0 ? [counted(count, noun)] : [];
  });
  const named = texts.filter((text) => text.startsWith('create table ') || text.startsWith('add column '));
  return [
    `A start adds ${counts.join(', ')}, and changes and drops nothing:`,
    ...named.map((text) => `  ${text}`),
    '  sheaf schema diff lists all of it',
  ];
}

function accountLines(adoption: Adoption): string[] {
  const accounts = adoption.database?.accounts;
  if (!accounts) return [];
  return [
    `${counted(accounts.users, 'user')}, ${counted(accounts.roles.length, 'role')}`,
    ...(accounts.otherProviders.length > 0
      ? [`Logging in with ${accounts.otherProviders.join(', ')} is not served.`]
      : []),
    ...accounts.roles
      .filter(({ type }) => type !== 'public')
      .map(({ name, actions }) => `${name}: ${counted(actions.length, 'right')}`),
    ...publicLines(adoption, accounts),
    ...accounts.missingSecrets.map((name) => `${name} is not set: ${REFUSED[name]} until it is the one of Strapi.`),
  ];
}

const REFUSED: Readonly<Record<string, string>> = {
  JWT_SECRET: 'users have to log in again',
  API_TOKEN_SALT: 'API tokens that Strapi made are refused',
};

const counted = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : noun.replace(/x?$/, (end) => (end === 'x' ? 'xes' : 's'))}`;

/** What everyone may do, by content-type. */
function publicLines({ model, withheld }: Adoption, { roles }: AccountFacts): string[] {
  const actions = roles.find(({ type }) => type === 'public')?.actions ?? [];
  if (actions.length === 0) return ['Everyone may do nothing.'];
  const served = model ? knownActions(model) : new Set<string>();
  const known = actions.filter((action) => served.has(action));
  const open = known.filter((action) => !withheld?.has(action));
  const byType = Map.groupBy(open, (action) => action.slice(0, action.lastIndexOf('.')));
  const closed = known.length - open.length;
  const others = actions.length - known.length;
  return [
    'Everyone may:',
    ...columns([...byType].map(([uid, own]) => [`  ${uid}`, own.map((one) => one.slice(uid.length + 1)).join(', ')])),
    ...(closed > 0 ? [`  ${counted(closed, 'right')} more, which code of the project keeps closed`] : []),
    ...(others > 0 ? [`  ${counted(others, 'right')} more, to what Sheaf does not serve`] : []),
  ];
}

const DIFFERENCES = [
  'What Strapi ignores in a request is refused: unknown keys and values that cannot be read are a 400.',
  'Filters and sorts give the same result on every database, for upper and lower case and for nulls.',
  'Filters see related entries in the status of the request only.',
  'The list of users has the envelope of every list, unless users.bareList is set.',
  'Published entries keep their id when they are published again.',
  'docs/api.md, "Where Sheaf differs from Strapi 5", has the whole list. sheaf compare shows what your clients notice.',
];

function settingLines(settings: readonly SettingToWrite[]): string[] {
  if (settings.length === 0) return ['none: the defaults and the files of Strapi are enough'];
  return columns(settings.map(({ path, value, reason }) => [path.join('.'), shownText(value), reason]));
}

export interface AdoptVerdict {
  readonly canStart: boolean;
  readonly problems: readonly string[];
}

export function adoptText(
  sections: readonly Section[],
  { canStart, problems }: AdoptVerdict,
  next: readonly string[],
): string {
  const parts = sections.map(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)].join('\n'));
  const verdict = canStart
    ? ['Sheaf can start on this project.', ...next]
    : [
        'Sheaf cannot start on this project:',
        ...problems.map((problem) => `  - ${problem.replaceAll('\n', '\n    ')}`),
      ];
  return `${[...parts, verdict.join('\n')].join('\n\n')}\n`;
}

/** For programs: everything, whatever its length. */
export function adoptJson(adoption: Adoption, settings: readonly SettingToWrite[], verdict: AdoptVerdict): string {
  const { project, package: facts, config, model, findings, database } = adoption;
  const value = {
    ...verdict,
    project,
    name: facts?.name ?? null,
    strapi: facts?.strapi ?? null,
    configuration: config && { sources: Object.fromEntries(config.sources), notes: config.notes },
    contentTypes: [...(model?.contentTypes.values() ?? [])]
      .filter(({ exposure }) => exposure === 'routes')
      .map(({ uid, kind, draftAndPublish, localized }) => ({ uid, kind, draftAndPublish, localized })),
    notes: model?.notes ?? [],
    code: findings,
    database: database && jsonDatabase(database, config?.database ?? null),
    settings: nested(settings),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

const jsonDatabase = ({ kind, diff, otherTables, accounts }: DatabaseFacts, url: string | null) => ({
  kind,
  url: url && withoutPassword(url),
  isNew: diff.isNew,
  additions: [...diff.steps, ...diff.trackingSteps].map(({ text }) => text),
  otherTables,
  users: accounts?.users ?? null,
  roles: accounts?.roles.map(({ type, name, actions }) => ({ type, name, actions })) ?? null,
  missingSecrets: accounts?.missingSecrets ?? null,
  otherProviders: accounts?.otherProviders ?? null,
});
