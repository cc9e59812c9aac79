// `sheaf schema diff` and `sheaf schema apply`: what a start would make in the database, shown or done.
import { openDatabase } from '../app.ts';
import { modelOn } from '../db/model-on.ts';
import { applySchema, diffSchema, type SchemaDiff, type SchemaStep } from '../db/schema.ts';
import { SetupError } from '../errors.ts';
import { loadModel } from '../model/build.ts';
import { onlyReads, type ServerConfig } from '../project/environment.ts';
import { readLocales } from '../project/locales.ts';

export async function schemaCommand(config: ServerConfig, action: 'diff' | 'apply'): Promise<string> {
  if (config.database === null) throw new SetupError('No database is named', ['name one with --database sqlite:PATH']);
  if (config.readOnly && action === 'apply') throw onlyReads('sheaf schema apply');
  const loaded = loadModel(config.project);
  const database = await openDatabase(config.database, action === 'apply' ? 'create' : 'pretend');
  try {
    const model = await modelOn(database, config.project, loaded);
    const notes = model.notes.map((note) => `${note}\n`).join('');
    if (action === 'apply') {
      const diff = await applySchema(database, model, readLocales(config.project));
      const refusal = diff.trackingRefusal === null ? '' : `Triggers were not created: ${diff.trackingRefusal}.\n`;
      const done =
        stepsOf(diff).length === 0 ? 'The database fits already.\n' : `${listed(diff)}Done: ${count(diff)}.\n`;
      return done + refusal + notes;
    }
    const diff = await diffSchema(database, model);
    if (diff.incompatibleColumns.length > 0)
      throw new SetupError('The database does not fit the content model:', [
        ...diff.incompatibleColumns,
        ...(stepsOf(diff).length > 0 ? [`besides, a start would make ${count(diff)}`] : []),
      ]);
    if (stepsOf(diff).length === 0) return `The database fits; a start would change nothing.\n${notes}`;
    return `${listed(diff)}A start would make these ${count(diff)}; sheaf schema apply makes them now.\n${notes}`;
  } finally {
    await database.close();
  }
}

const stepsOf = ({ steps, trackingSteps }: SchemaDiff): readonly SchemaStep[] => [...steps, ...trackingSteps];
const listed = (diff: SchemaDiff): string =>
  stepsOf(diff)
    .map(({ text }) => `  ${text}\n`)
    .join('');
const count = (diff: SchemaDiff): string => {
  const { length } = stepsOf(diff);
  return `${length} ${length === 1 ? 'addition' : 'additions'}`;
};
