// Brings a database to the model of the project: what only adds, and the changes that are allowed. Each change is one
// transaction, with the definitions that the database is served with from then on.
import { systemCaller } from '../access/caller.ts';
import type { Database, Session, Tables } from '../db/database.ts';
import { type AppliedSchema, applySchema } from '../db/schema.ts';
import { admitLocale, hasLocale, readDefaultLocale } from '../db/stored-settings.ts';
import { SetupError } from '../errors.ts';
import { memoize } from '../memoize.ts';
import type { Definition, Model } from '../model/types.ts';
import { AffectedStatements } from '../sql/affected-statements.ts';
import { lockSchema } from '../sql/ddl.ts';
import { GatherStatements } from '../sql/gather-statements.ts';
import { recordChange, setUndo } from '../sql/migration-statements.ts';
import { PublicationStatements } from '../sql/publication-statements.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import { RuleStatements } from '../store/rule-statements.ts';
import { type WriteContext, WriteSession } from '../store/write-session.ts';
import { Aside, type UndoAction } from './aside.ts';
import { type Change, type Toggle, without } from './change.ts';
import { changeRelation } from './change-relation.ts';
import { convertAttribute } from './convert-attribute.ts';
import { type PlannedChange, planChanges, type Rebuild } from './plan.ts';
import type { SchemaRename } from './rename.ts';
import { type RenameWork, renameInDatabase } from './rename-in-database.ts';
import { keepServed, noteServed, requireServed, tellStrapi } from './served-model.ts';
import { keepFirst } from './single-item.ts';
import type { Step } from './step.ts';
import { turnDraftsOff, turnDraftsOn } from './toggle-drafts.ts';
import { turnLocalesOff, turnLocalesOn } from './toggle-locales.ts';

export interface ModelUpdate {
  readonly database: Database;
  readonly model: Model;
  readonly rebuild: Rebuild;
  /** The locales that the project lists for a new database. */
  readonly locales: readonly string[] | null;
  /** Whether a change that has to be allowed is; null where nothing at all is done as long as one is not. */
  readonly isAllowed: ((planned: PlannedChange) => boolean) | null;
  /** Is told what is done, and how far it has come. */
  onProgress?(planned: PlannedChange, done: number, all: number): void;
}

export interface ModelUpdated {
  readonly schema: AppliedSchema;
  readonly made: readonly PlannedChange[];
  readonly pending: readonly PlannedChange[];
}

/** Another node may be at it as well; then what is left is planned anew. */
const ATTEMPTS = 5;

/** Makes what only adds and what is allowed; the rest stays pending. */
export async function updateModel(update: ModelUpdate): Promise<ModelUpdated> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await updateOnce(update);
    } catch (error) {
      if (!(error instanceof ServedMeanwhile) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The definitions that the database is served with were changed by another process. */
export class ServedMeanwhile extends SetupError {
  constructor() {
    super('Another process changed the content model of the database at the same time', ['run the command again']);
  }
}

async function updateOnce(update: ModelUpdate): Promise<ModelUpdated> {
  const { database, model, rebuild, locales } = update;
  const { present, served, recorded, changes } = await planChanges(database, model, rebuild);
  const isMade = (planned: PlannedChange): boolean => planned.isSafe || update.isAllowed?.(planned) === true;
  const made = changes.filter(isMade);
  const pending = changes.filter((planned) => !isMade(planned));
  if (update.isAllowed === null && pending.length > 0) throw notAllowed(pending);
  if (served === null || changes.length === 0) {
    const schema = await applySchema(database, model, locales, present);
    await noteServed(database, model.definitions);
    return { schema, made, pending };
  }
  const partly = (left: readonly PlannedChange[]): readonly Definition[] =>
    without(
      left.map(({ change }) => change),
      model.definitions,
      served,
    );
  const schema = await applySchema(database, rebuild(partly(changes)), locales, present);
  let current: readonly Definition[] = recorded;
  for (const [index, planned] of made.entries()) {
    const left = [...made.slice(index + 1), ...pending];
    const before = partly([planned, ...left]);
    const after = partly(left);
    await makeChange(update, planned, { current, before, after });
    current = after;
  }
  if (pending.length > 0) return { schema, made, pending };
  const rest = await applySchema(database, model, locales);
  await noteServed(database, model.definitions);
  return { schema: { ...rest, steps: [...schema.steps, ...rest.steps] }, made, pending };
}

interface Transition {
  /** What the database is served with now: `before`, or what that differs from by additions only. */
  readonly current: readonly Definition[];
  readonly before: readonly Definition[];
  readonly after: readonly Definition[];
}

async function makeChange(
  { database, rebuild, onProgress }: ModelUpdate,
  planned: PlannedChange,
  { current, before, after }: Transition,
): Promise<void> {
  const present = await database.describe();
  const { dialect } = database;
  await database.transaction(
    async (session) => {
      const lock = lockSchema(dialect);
      if (lock) await session.rows(lock, []);
      await requireServed(session, current, () => new ServedMeanwhile());
      const defaultLocale = await readDefaultLocale(session);
      const summary = planned.text;
      const values = [planned.id, summary, '[]', JSON.stringify(before), Date.now()];
      const [row] = await session.rows(recordChange(dialect), values);
      const step: Step = {
        session,
        dialect,
        before: rebuild(before),
        after: rebuild(after),
        aside: new Aside(session, dialect, row![0], present),
        defaultLocale,
        write: writeSessions(session, database, defaultLocale),
        progress: (done, all) => onProgress?.(planned, done, all),
      };
      const undo =
        planned.change.kind === 'rename'
          ? await renameSchema(step, database, planned.change.rename, { definitions: before, rebuild })
          : await perform(step, planned.change);
      await session.rows(setUndo(dialect), [JSON.stringify(undo), row![0]]);
      await keepServed(session, database, after);
    },
    { withoutTimeouts: true },
  );
}

/** The files have their new names already; the opposite names take it back. */
async function renameSchema(
  { session }: Step,
  database: Database,
  rename: SchemaRename,
  work: Pick<RenameWork, 'definitions' | 'rebuild'>,
): Promise<SchemaRename> {
  await renameInDatabase(session, database, { ...work, rename });
  return rename;
}

function perform(step: Step, change: Exclude<Change, { kind: 'rename' }>): Promise<UndoAction[]> {
  switch (change.kind) {
    case 'drafts-on':
    case 'drafts-off':
    case 'locales-on':
    case 'locales-off':
      return turn(step, change.kind, change.uid);
    case 'convert':
      return convertAttribute(step, change.uid, change.name);
    case 'relation':
      return changeRelation(step, change.uid, change.name);
    case 'single':
      return keepFirst(step, change.uid, change.name);
    case 'replace':
      return Promise.resolve([]);
  }
}

const TURNS: Readonly<Record<Toggle, (step: Step, uid: string) => Promise<UndoAction[]>>> = {
  'drafts-on': turnDraftsOn,
  'drafts-off': turnDraftsOff,
  'locales-on': turnLocalesOn,
  'locales-off': turnLocalesOff,
};

async function turn(step: Step, kind: Toggle, uid: string): Promise<UndoAction[]> {
  const actions = await TURNS[kind](step, uid);
  await tellStrapi(step.session, step.dialect, kind, uid);
  return [...actions, await step.aside.turned(kind, uid, step.after.contentTypes.get(uid)!.table)];
}

/** Write sessions over a model. They share its statements, each of which is prepared once. */
export function writeSessions(
  session: Session,
  { dialect }: Database,
  defaultLocale: string,
): (model: Model) => WriteSession {
  const contextOf = memoize(
    (model: Model): WriteContext => ({
      model,
      sql: new WriteStatements(dialect),
      affected: new AffectedStatements(dialect),
      gatherStatements: new GatherStatements(dialect),
      publications: new PublicationStatements(dialect),
      defaultLocale,
      rules: new RuleStatements(model, dialect),
      admitLocale: (inside, code) => admitLocale(inside, dialect, code),
      hasLocale,
      invariants: new Map(),
    }),
  );
  return (model) => new WriteSession(session, systemCaller(model), contextOf(model));
}

/** Refuses a database that is only read and whose data would have to follow a change; else says which tables it has. */
export async function requireNoChanges({ database, model, rebuild }: ModelUpdate): Promise<Tables> {
  const { present, changes } = await planChanges(database, model, rebuild);
  const pending = changes.filter(({ isSafe }) => !isSafe);
  if (pending.length > 0) throw notAllowed(pending);
  return present;
}

/** Stops a start over changes that nobody has allowed yet. */
const notAllowed = (pending: readonly PlannedChange[]): SetupError =>
  new SetupError('The content model was changed in ways that the data has to follow, and nothing was done yet:', [
    ...pending.flatMap(({ id, text, details }) => [`${id}: ${text}`, ...details.map((line) => `  ${line}`)]),
    'sheaf schema diff shows the plan, sheaf schema apply --all carries it out, or --allow STEP a part of it; ' +
      'sheaf schema undo takes a step back',
  ]);
