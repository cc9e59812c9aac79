// What serving the present definitions would change in the database, in words, and whether that has to be agreed to.
import { openDatabase } from '../../app.ts';
import { modelOn } from '../../db/model-on.ts';
import { diffSchema } from '../../db/schema.ts';
import { SetupError } from '../../errors.ts';
import { baseModel, planChanges } from '../../migrate/plan.ts';
import { loadModel } from '../../model/build.ts';
import { openOptions, type ServerConfig } from '../../project/environment.ts';
import { schemaApply } from '../schema-commands.ts';

export interface ServingPlan {
  /** What opening the project does by itself. */
  readonly additions: readonly string[];
  /** Whether the database has nothing of the model yet. */
  readonly isNew: boolean;
  /** What the data has to follow, and is done only if that is agreed to; null where nothing has to. */
  readonly changes: PlannedChanges | null;
}

export interface PlannedChanges {
  /** In words, a line for each. */
  readonly lines: readonly string[];
  /** The command that does all of it. */
  readonly command: string;
  apply(): Promise<unknown>;
}

/** Refuses definitions that cannot be served on the database. */
export async function planServing(config: ServerConfig): Promise<ServingPlan> {
  const loaded = loadModel(config.project);
  const database = await openDatabase(openOptions(config).database, 'pretend');
  try {
    const { model, rebuild } = await modelOn(database, config.project, loaded);
    const plan = await planChanges(database, model, rebuild);
    const { steps, isNew, incompatibleColumns } = await diffSchema(database, baseModel(plan, model, rebuild));
    if (incompatibleColumns.length > 0)
      throw new SetupError('The database does not fit the content model:', incompatibleColumns);
    const [safe, waiting] = [true, false].map((kind) => plan.changes.filter(({ isSafe }) => isSafe === kind));
    const lines = waiting!.flatMap(({ text, details }) => [text, ...details.map((detail) => `  ${detail}`)]);
    return {
      additions: [...steps, ...safe!].map(({ text }) => text),
      isNew,
      changes: lines.length === 0 ? null : { lines, command: APPLY, apply: () => schemaApply(config, { all: true }) },
    };
  } finally {
    await database.close();
  }
}

const APPLY = 'sheaf schema apply --all';
