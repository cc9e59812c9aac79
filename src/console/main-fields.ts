// The attribute that entries of a type are named by, as someone chose it in the admin panel of Strapi 5.
import type { Database } from '../db/database.ts';
import { STORED_VIEWS, VIEW_KEY } from '../sql/console-statements.ts';
import { isObject } from '../type-guards.ts';

/** By the uid of the type or component. */
export async function readMainFields(database: Database): Promise<ReadonlyMap<string, string>> {
  const rows = await database.latest((session) => session.rows(STORED_VIEWS, []));
  return new Map(
    rows.flatMap(([key, value]): [string, string][] => {
      const [, uid] = VIEW_KEY.exec(key) ?? [];
      const name = mainFieldIn(value);
      return uid === undefined || name === null ? [] : [[uid, name]];
    }),
  );
}

function mainFieldIn(value: string | null): string | null {
  try {
    const view: unknown = JSON.parse(String(value));
    const settings = isObject(view) && isObject(view.settings) ? view.settings : {};
    return typeof settings.mainField === 'string' ? settings.mainField : null;
  } catch {
    return null;
  }
}
