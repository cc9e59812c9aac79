// Takes changes back, the last first, and releases what is kept aside for it.
import type { Database, Session } from '../db/database.ts';
import { readDefaultLocale } from '../db/stored-settings.ts';
import { SetupError } from '../errors.ts';
import { MODEL_CHANGES } from '../model/tables.ts';
import type { Definition, Model } from '../model/types.ts';
import { lockSchema } from '../sql/ddl.ts';
import { appliedChanges, type ChangeRow, dropTable, rowsAfter, setChangeState } from '../sql/migration-statements.ts';
import { removeRows } from '../store/remove.ts';
import { copiesOf, takeBack, type UndoAction, writtenSince } from './aside.ts';
import type { Rebuild } from './plan.ts';
import { isRename, opposite, type Rename, renamed } from './rename.ts';
import { renameInDatabase } from './rename-in-database.ts';
import { keepServed, servedNow } from './served-model.ts';
import { writeSessions } from './update-model.ts';

/** A change that can be taken back. */
export interface AppliedChange {
  readonly number: number;
  readonly id: string;
  readonly text: string;
  readonly appliedAt: Date;
}

/** How a change is taken back: row by row, or by the opposite names. */
type Undo = readonly UndoAction[] | Rename;

/** What was kept with the change. */
const undoIn = (text: string): Undo => JSON.parse(text) as Undo;

const shown = ([number, id, text, , , appliedAt]: ChangeRow): AppliedChange => ({
  number,
  id,
  text,
  appliedAt: new Date(Number(appliedAt)),
});

/** The changes that can be taken back, the last first. */
export async function listApplied(database: Database): Promise<AppliedChange[]> {
  return (await appliedRows(database)).map(shown);
}

async function appliedRows(database: Database): Promise<readonly ChangeRow[]> {
  if (!(await database.describe()).has(MODEL_CHANGES)) return [];
  return database.latest((session) => session.rows(appliedChanges(database.dialect), []));
}

export interface Undone {
  readonly change: AppliedChange;
  /** The names that definitions have to have again; null where no names changed. */
  readonly rename: Rename | null;
}

/** Takes the last change back. What was written since in the rows it changed is given up only where `discard` says so. */
export async function undoLast(database: Database, rebuild: Rebuild, discard: boolean): Promise<Undone> {
  const { dialect } = database;
  const [last] = await appliedRows(database);
  if (!last)
    throw new SetupError('There is no change to take back', ['a change that was released or undone is not kept']);
  const [number, , , undoText, definitionsText] = last;
  const undo = undoIn(undoText);
  const definitions = JSON.parse(definitionsText) as Definition[];
  await database.transaction(
    async (session) => {
      const lock = lockSchema(dialect);
      if (lock) await session.rows(lock, []);
      const current = (await servedNow(session)) ?? definitions;
      if (isRename(undo)) {
        // What the definitions have gained since follows the old names as well.
        const rename = opposite(undo);
        await renameInDatabase(session, database, { definitions: current, rename, rebuild });
        await keepServed(session, database, renamed(current, rename));
      } else {
        if (discard) await removeMadeSince(session, database, rebuild(current), undo);
        else await requireUnwritten(session, database, undo);
        await takeBack(session, dialect, undo);
        await keepServed(session, database, definitions);
      }
      await session.rows(setChangeState(dialect), ['undone', number]);
    },
    { withoutTimeouts: true },
  );
  return { change: shown(last), rename: isRename(undo) ? undo : null };
}

async function requireUnwritten(
  session: Session,
  { dialect }: Database,
  actions: readonly UndoAction[],
): Promise<void> {
  const written = await writtenSince(session, dialect, actions);
  if (written.size > 0)
    throw new SetupError('Content was written since the change, which taking it back would give up:', [
      ...[...written].map(([table, count]) => `${count} ${count === 1 ? 'row' : 'rows'} of ${table}`),
      '--discard-changes gives them up; a backup keeps them',
    ]);
}

/** Deletes the documents that were made since drafts or locales were turned on or off. */
async function removeMadeSince(
  session: Session,
  database: Database,
  model: Model,
  actions: readonly UndoAction[],
): Promise<void> {
  for (const action of actions) {
    if (action.does !== 'turnBack') continue;
    const made = await session.rows(rowsAfter(database.dialect, action.table), [action.last]);
    const write = writeSessions(session, database, await readDefaultLocale(session))(model);
    await removeRows(
      write,
      model.contentTypes.get(action.uid)!,
      made.map(([id]) => id),
    );
    await write.run.flush();
  }
}

/** Drops what is kept for taking changes back. Returns the changes that cannot be taken back any more. */
export async function release(database: Database): Promise<AppliedChange[]> {
  const { dialect } = database;
  const rows = await appliedRows(database);
  if (rows.length > 0)
    await database.transaction(
      async (session) => {
        for (const [number, , , undoText] of rows) {
          const undo = undoIn(undoText);
          if (!isRename(undo))
            for (const copy of undo.flatMap(copiesOf)) await session.rows(dropTable(dialect, copy), []);
          await session.rows(setChangeState(dialect), ['released', number]);
        }
      },
      { withoutTimeouts: true },
    );
  return rows.map(shown);
}
