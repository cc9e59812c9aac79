// The model of a project on its database. Custom fields have the types that the project's plugins register them with,
// or else those of the columns that exist.
import { type LoadOptions, loadModel } from '../model/build.ts';
import type { Model } from '../model/types.ts';
import type { Database } from './database.ts';
import { heldIn } from './schema.ts';

/** `model`: of the project by itself, with the same options. */
export async function modelOn(
  database: Database,
  project: string,
  model: Model,
  options: LoadOptions = {},
): Promise<Model> {
  if (model.customFields.size === 0) return model;
  const { registeredCustomFields } = await import('../project/custom-fields.ts');
  const registered = await registeredCustomFields(project, model.customFields);
  const present = await database.describe();
  const { dialect } = database;
  const ofColumn = (table: string, column: string) => {
    const declared = present.get(dialect.storedName(table))?.columns.get(dialect.storedName(column));
    return declared === undefined ? null : heldIn(declared);
  };
  return loadModel(project, { ...options, customFields: { registered, ofColumn } });
}
