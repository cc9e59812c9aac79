// `sheaf schema …`: what a start would make in the database and what the data would have to follow, shown, done, taken
// back; and new names for attributes, types and components.
import { openDatabase } from '../app.ts';
import type { Database } from '../db/database.ts';
import { type ModelOnDatabase, modelOn } from '../db/model-on.ts';
import { diffSchema, type SchemaDiff, type SchemaStep } from '../db/schema.ts';
import { SetupError } from '../errors.ts';
import { baseModel, type ModelPlan, type PlannedChange, planChanges } from '../migrate/plan.ts';
import { opposite, parseRename, renamed } from '../migrate/rename.ts';
import { applyRename } from '../migrate/rename-in-database.ts';
import { listApplied, release, undoLast } from '../migrate/undo.ts';
import { updateModel } from '../migrate/update-model.ts';
import { loadModel } from '../model/build.ts';
import { databaseOf, onlyReads, type ServerConfig } from '../project/environment.ts';
import { readLocales } from '../project/locales.ts';
import { renameInFiles } from './rename-files.ts';

/** What a command did: for people, and for programs. */
export interface SchemaResult {
  readonly text: string;
  readonly value: unknown;
  /** 1 where something has to be allowed first. */
  readonly code: number;
}

interface Opened extends ModelOnDatabase {
  readonly database: Database;
}

async function withModel<T>(
  config: ServerConfig,
  mode: 'create' | 'pretend',
  command: string,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const url = databaseOf(config);
  if (config.readOnly && mode === 'create') throw onlyReads(`sheaf schema ${command}`);
  const loaded = loadModel(config.project);
  const database = await openDatabase(url, mode);
  try {
    return await work({ database, ...(await modelOn(database, config.project, loaded)) });
  } finally {
    await database.close();
  }
}

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');

const stepsOf = ({ steps, trackingSteps }: SchemaDiff): readonly SchemaStep[] => [...steps, ...trackingSteps];
const additions = (count: number): string => `${count} ${count === 1 ? 'addition' : 'additions'}`;

const shownChange = ({ id, text, details, isSafe }: PlannedChange): string[] => [
  `  ${isSafe ? 'at once' : id}: ${text}`,
  ...details.map((line) => `    ${line}`),
];

export function schemaDiff(config: ServerConfig): Promise<SchemaResult> {
  return withModel(config, 'pretend', 'diff', async ({ database, model, rebuild }) => {
    const plan = await planChanges(database, model, rebuild);
    const diff = await diffSchema(database, baseModel(plan, model, rebuild));
    if (diff.incompatibleColumns.length > 0)
      throw new SetupError('The database does not fit the content model:', [
        ...diff.incompatibleColumns,
        ...(stepsOf(diff).length > 0 ? [`besides, a start would make ${additions(stepsOf(diff).length)}`] : []),
      ]);
    const waiting = plan.changes.filter(({ isSafe }) => !isSafe);
    return {
      text: diffText(diff, plan) + lines(model.notes),
      value: diffValue(diff, plan),
      code: waiting.length > 0 ? 1 : 0,
    };
  });
}

const changeValue = ({ id, text, rows, details, isSafe }: PlannedChange) => ({
  id,
  text,
  rows,
  details,
  atOnce: isSafe,
  canBeUndone: true,
});
const diffValue = (diff: SchemaDiff, plan: ModelPlan) => ({
  additions: stepsOf(diff).map(({ text }) => text),
  changes: plan.changes.map(changeValue),
});

function diffText(diff: SchemaDiff, { changes }: ModelPlan): string {
  const steps = stepsOf(diff);
  if (steps.length + changes.length === 0) return 'The database fits; a start would change nothing.\n';
  const waiting = changes.filter(({ isSafe }) => !isSafe);
  const made = steps.length > 0 ? [...steps.map(({ text }) => `  ${text}`)] : [];
  const adds =
    steps.length > 0
      ? `A start would make these ${additions(steps.length)}; sheaf schema apply makes them now.`
      : 'Nothing is missing in the database.';
  if (changes.length === 0) return lines([...made, adds]);
  return lines([
    ...made,
    adds,
    'The data has to follow what was changed:',
    ...changes.flatMap(shownChange),
    ...(waiting.length > 0
      ? [
          'A start waits until these are allowed: sheaf schema apply --all, or --allow STEP for some of them.',
          'Each can be taken back with sheaf schema undo, until sheaf schema release.',
        ]
      : ['sheaf schema apply does it now; a start would as well.']),
  ]);
}

export interface ApplyOptions {
  readonly allow?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
  /** Is told how far long work has come. */
  readonly onProgress?: ((text: string) => void) | undefined;
}

export function schemaApply(config: ServerConfig, { allow = [], all = false, onProgress }: ApplyOptions = {}) {
  return withModel(config, 'create', 'apply', async ({ database, model, rebuild }): Promise<SchemaResult> => {
    const { changes } = await planChanges(database, model, rebuild);
    const unknown = allow.find((id) => !changes.some((planned) => planned.id === id));
    if (unknown !== undefined)
      throw new SetupError(`There is no step "${unknown}"`, [
        changes.length > 0 ? `there is ${changes.map(({ id }) => id).join(', ')}` : 'nothing waits to be allowed',
      ]);
    const { schema, made, pending } = await updateModel({
      database,
      model,
      rebuild,
      locales: readLocales(config.project),
      isAllowed: ({ id }) => all || allow.includes(id),
      onProgress: ({ id }, done, count) => onProgress?.(`${id}: ${done} of ${count} rows`),
    });
    const steps = stepsOf(schema);
    const refusal = schema.trackingRefusal === null ? [] : [`Triggers were not created: ${schema.trackingRefusal}.`];
    const done =
      steps.length + made.length === 0
        ? ['The database fits already.']
        : [
            ...steps.map(({ text }) => `  ${text}`),
            ...made.map(({ text }) => `  ${text}`),
            `Done: ${[additions(steps.length), ...(made.length > 0 ? [`${made.length} ${made.length === 1 ? 'change' : 'changes'}`] : [])].join(', ')}.`,
          ];
    const left =
      pending.length === 0
        ? []
        : ['These wait to be allowed, with --allow STEP or --all:', ...pending.flatMap(shownChange)];
    return {
      text: lines([...done, ...left, ...refusal, ...model.notes]),
      value: {
        additions: steps.map(({ text }) => text),
        made: made.map(changeValue),
        pending: pending.map(changeValue),
      },
      code: pending.length > 0 ? 1 : 0,
    };
  });
}

export function schemaUndo(config: ServerConfig, discard: boolean): Promise<SchemaResult> {
  return withModel(config, 'create', 'undo', async ({ database, rebuild }) => {
    const { change, rename } = await undoLast(database, rebuild, discard);
    const files = rename ? renameInFiles(config.project, opposite(rename)).changed : [];
    const next = rename
      ? `Changed ${files.join(', ')}.`
      : 'The definitions are as they were changed, so a start would plan it again: change them back as well.';
    return { text: lines([`Taken back: ${change.text}`, next]), value: { undone: change, files }, code: 0 };
  });
}

export function schemaRelease(config: ServerConfig): Promise<SchemaResult> {
  return withModel(config, 'create', 'release', async ({ database }) => {
    const released = await release(database);
    const text =
      released.length === 0
        ? ['Nothing is kept aside.']
        : ['These can no longer be taken back:', ...released.map((change) => `  ${change.text}`)];
    return { text: lines(text), value: { released }, code: 0 };
  });
}

export function schemaHistory(config: ServerConfig): Promise<SchemaResult> {
  return withModel(config, 'pretend', 'history', async ({ database }) => {
    const applied = await listApplied(database);
    const text =
      applied.length === 0
        ? ['There is no change to take back.']
        : applied.map(({ appliedAt, id, text: what }) => `${appliedAt.toISOString()}  ${id}: ${what}`);
    return { text: lines(text), value: { changes: applied }, code: 0 };
  });
}

export interface RenameOptions {
  readonly plural?: string | undefined;
}

export function schemaRename(
  config: ServerConfig,
  [what, to]: readonly [string, string],
  { plural }: RenameOptions = {},
): Promise<SchemaResult> {
  return withModel(config, 'create', 'rename', async ({ database, model, rebuild }) => {
    const plan = await planChanges(database, model, rebuild);
    const byHand = renamedByHand(plan, what, to);
    const waiting = plan.changes.filter((planned) => !planned.isSafe && planned !== byHand);
    if (waiting.length > 0)
      throw new SetupError('Other changes wait to be allowed; they come first:', waiting.flatMap(shownChange));
    // Definitions that were changed by hand are taken as they were before.
    const definitions = byHand
      ? baseModel({ ...plan, changes: [byHand] }, model, rebuild).definitions
      : model.definitions;
    const rename = parseRename(definitions, what, to, plural);
    // What does not fit is told before anything is done.
    rebuild(renamed(definitions, rename));
    await updateModel({
      database,
      model: rebuild(definitions),
      rebuild,
      locales: readLocales(config.project),
      isAllowed: null,
    });
    await applyRename(database, rebuild, definitions, rename);
    const { changed, mentions } = renameInFiles(config.project, rename);
    const text = [
      rename.what === 'attribute'
        ? `${rename.uid}.${rename.from} is called ${rename.to} now.`
        : `${rename.from.uid} is called ${rename.to.uid} now.`,
      ...(changed.length > 0 ? [`Changed ${changed.join(', ')}.`] : []),
      ...(mentions.length > 0 ? [`These mention the old name, and may have to follow: ${mentions.join(', ')}.`] : []),
      'Servers that run have to be started again.',
    ];
    return { text: lines(text), value: { rename, changed, mentions }, code: 0 };
  });
}

/** The pending change that this new name explains, where the definition has it already. */
const renamedByHand = ({ changes }: ModelPlan, what: string, to: string): PlannedChange | undefined =>
  changes.find(
    ({ change }) => change.kind === 'replace' && `${change.uid}.${change.name}` === what && change.by.includes(to),
  );
