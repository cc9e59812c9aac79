// Which files a write may attach: all of them for who may read files, otherwise those that the caller already sees in
// an entry. So no file can be attached just to be read.
import { FIND_FILES } from '../access/actions.ts';
import { FILE } from '../model/builtin.ts';
import { idColumnName, morphTableName } from '../model/identifiers.ts';
import type { ContentType, Schema } from '../model/types.ts';
import type { RelationChange } from '../plan/write/changes.ts';
import { linkKey } from '../sql/link-names.ts';
import { holdersOfComponents } from './components.ts';
import { versionsByRow } from './document-versions.ts';
import type { StoredEntities } from './gathered.ts';
import { reachable } from './row-rights.ts';
import { listOf, type Version, type WriteSession } from './write-session.ts';

/** An attribute of a row through which a file is seen. */
interface Sighting {
  readonly file: number;
  readonly row: number;
  readonly field: string;
}

/** Whether a change of an attribute may name a file, as those that it holds already may stay. */
export type MayAttach = (change: RelationChange, file: number) => boolean;

/** `files`: those that a write refers to; `stored`: what it changes. */
export async function attachableFiles(
  write: WriteSession,
  stored: StoredEntities,
  files: readonly Version[] | undefined,
): Promise<MayAttach> {
  if (files === undefined || write.caller.access.may(FIND_FILES)) return () => true;
  const seen = await seenAmong(
    write,
    files.map(({ id }) => id),
  );
  const held = new Map<RelationChange, ReadonlySet<number>>();
  for (const [{ relations }, { links }] of stored)
    for (const change of relations)
      if (change.attribute.kind === 'media')
        held.set(change, new Set(links.get(linkKey(change.attribute.link))?.map(({ target }) => target)));
  return (change, file) => seen.has(file) || held.get(change)?.has(file) === true;
}

/** Those of the files that the caller sees in some entry. */
async function seenAmong(write: WriteSession, files: readonly number[]): Promise<ReadonlySet<number>> {
  const { table, singularName } = write.type(FILE);
  const statement = write.sql.morph.holders(morphTableName(table, 'related'), idColumnName(singularName));
  const rows = await write.run.rows(statement, listOf(files));
  const seen = new Set<number>();
  for (const [uid, group] of Map.groupBy(rows, ([, , type]) => type)) {
    const schema = write.model.contentTypes.get(uid) ?? write.model.components.get(uid);
    if (!schema) continue;
    const sightings = group.map(([file, row, , field]) => ({ file, row, field }));
    for (const file of await seenThrough(write, schema, sightings)) seen.add(file);
  }
  return seen;
}

/** The files that the caller sees through rows of a schema: directly, or through the entries that hold a component. */
async function seenThrough(
  write: WriteSession,
  schema: Schema,
  sightings: readonly Sighting[],
): Promise<ReadonlySet<number>> {
  const readable = sightings.filter(({ field }) => isReadable(write, schema, field));
  const ids = new Set(readable.map(({ row }) => row));
  if (schema.kind !== 'component') {
    const rows = await visibleAmong(write, schema, ids);
    return new Set(readable.filter(({ row }) => rows.has(row)).map(({ file }) => file));
  }
  const seen = new Set<number>();
  for (const { schema: parent, holders } of await holdersOfComponents(write, schema, [...ids])) {
    const above = readable.flatMap(({ file, row }) =>
      holders
        .filter(({ component }) => component === row)
        .map((holder): Sighting => ({ file, row: holder.row, field: holder.field })),
    );
    for (const file of await seenThrough(write, parent, above)) seen.add(file);
  }
  return seen;
}

function isReadable({ caller }: WriteSession, schema: Schema, field: string): boolean {
  const attribute = schema.attributes.get(field);
  if (!attribute || attribute.private) return false;
  return schema.kind === 'component' || caller.access.mayUse(schema.uid, field, 'read');
}

/** Those of the rows that a request of the caller can show. */
async function visibleAmong(
  write: WriteSession,
  type: ContentType,
  ids: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const { access } = write.caller;
  if (ids.size === 0 || !access.mayFind(type.uid)) return new Set();
  const versions = await versionsByRow(write, type, ids);
  const shown = access.mayReadDrafts(type.uid) ? versions : versions.filter(({ published }) => published);
  return new Set((await reachable(write, type, 'find', shown)).map(({ id }) => id));
}
