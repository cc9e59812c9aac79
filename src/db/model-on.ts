// The model of a project on its database. Custom fields have the types that the project's plugins register them with,
// or else those of the columns that exist.
import { buildModel, type CustomFieldTypes, type LoadOptions, loadModel } from '../model/build.ts';
import type { Definition, Model } from '../model/types.ts';
import type { Database } from './database.ts';
import { heldIn } from './schema.ts';

export interface ModelOnDatabase {
  readonly model: Model;
  /** Makes a model of other definitions in the same way; without the indexes that config/sheaf.json lists. */
  rebuild(definitions: readonly Definition[]): Model;
}

/** `loaded`: the model of the project by itself, with the same options. */
export async function modelOn(
  database: Database,
  project: string,
  loaded: Model,
  options: LoadOptions = {},
): Promise<ModelOnDatabase> {
  const rebuildWith =
    (more: LoadOptions) =>
    (definitions: readonly Definition[]): Model =>
      buildModel(definitions, { ...options, ...more });
  if (loaded.customFields.size === 0) return { model: loaded, rebuild: rebuildWith({}) };
  const customFields = await customFieldTypes(database, project, loaded);
  return { model: loadModel(project, { ...options, customFields }), rebuild: rebuildWith({ customFields }) };
}

async function customFieldTypes(database: Database, project: string, loaded: Model): Promise<CustomFieldTypes> {
  const { registeredCustomFields } = await import('../project/custom-fields.ts');
  const registered = await registeredCustomFields(project, loaded.customFields);
  const present = await database.describe();
  const { dialect } = database;
  const ofColumn = (table: string, column: string) => {
    const declared = present.get(dialect.storedName(table))?.columns.get(dialect.storedName(column));
    return declared === undefined ? null : heldIn(declared);
  };
  return { registered, ofColumn };
}
