// Which files a write may attach: all of them for who may read files, otherwise those that the caller already sees in
// an entry. So no file can be attached just to be read.
import { FIND_FILES } from '../access/actions.ts';
import { SheafError } from '../errors.ts';
import { FILE } from '../model/builtin.ts';
import { idColumnName, morphTableName } from '../model/identifiers.ts';
import type { Schema } from '../model/types.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import { holdersOfComponents } from './components.ts';
import { reachable } from './row-rights.ts';
import { versionsByRow } from './versions.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** An attribute of a row through which a file is seen. */
interface Sighting {
  readonly file: number;
  readonly row: number;
  readonly field: string;
}

export async function requireVisibleFiles(
  write: WriteSession,
  files: readonly number[],
  path: BodyPath,
): Promise<void> {
  if (files.length === 0 || write.caller.access.may(FIND_FILES)) return;
  const { table, singularName } = write.type(FILE);
  const statement = write.sql.morphHolders(morphTableName(table, 'related'), idColumnName(singularName));
  const rows = await write.rows(statement, listOf(files));
  const seen = new Set<number>();
  for (const [uid, group] of Map.groupBy(rows, ([, , type]) => type)) {
    const schema = write.model.contentTypes.get(uid) ?? write.model.components.get(uid);
    if (!schema) continue;
    const sightings = group.map(([file, row, , field]) => ({ file, row, field }));
    for (const file of await seenThrough(write, schema, sightings)) seen.add(file);
  }
  if (files.some((file) => !seen.has(file))) throw unknownFile(path);
}

/** The files that the caller sees through rows of a schema: directly, or through the entries that hold a component. */
async function seenThrough(
  write: WriteSession,
  schema: Schema,
  sightings: readonly Sighting[],
): Promise<ReadonlySet<number>> {
  const { access } = write.caller;
  if (schema.kind !== 'component') {
    if (!access.mayFind(schema.uid)) return new Set();
    const readable = sightings.filter(({ field }) => access.mayUse(schema.uid, field, 'read'));
    const versions = await versionsByRow(write, schema, new Set(readable.map(({ row }) => row)));
    const rows = new Set((await reachable(write, schema, 'find', versions)).map(({ id }) => id));
    return new Set(readable.filter(({ row }) => rows.has(row)).map(({ file }) => file));
  }
  const seen = new Set<number>();
  const ids = [...new Set(sightings.map(({ row }) => row))];
  for (const { schema: parent, holders } of await holdersOfComponents(write, schema, ids)) {
    const above = sightings.flatMap(({ file, row }) =>
      holders
        .filter(({ component }) => component === row)
        .map((holder): Sighting => ({ file, row: holder.row, field: holder.field })),
    );
    for (const file of await seenThrough(write, parent, above)) seen.add(file);
  }
  return seen;
}

/** The same answer as for a file that does not exist. */
const unknownFile = (path: BodyPath): SheafError =>
  new SheafError(400, 'ValidationError', `${path.join('.')}: there is no entry with that id`, {
    path: path.join('.'),
    source: 'body',
  });
