// Relations of one row: works out the new list, checks that the caller may take from others what it moves, and writes
// it. Whatever loses a link must be the caller's to update; what the caller cannot see stays as it is.
import type { ContentType, MediaAttribute, RelationAttribute, Schema } from '../model/types.ts';
import type { RelationChange, RelationOrder } from '../plan/write/changes.ts';
import { applyChange, applySet } from '../plan/write/relation-order.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import { listName } from '../sql/write-statements.ts';
import { versionsByRow } from './document-versions.ts';
import { requireVisibleFiles } from './file-rights.ts';
import { type ForeignLink, readLinks, removeLinks, writeLinks } from './link-table.ts';
import { resolvePosition, withOrderProblems } from './list-operations.ts';
import { writeMorphList } from './morph-list.ts';
import type { LocatedReference, OwnerRow } from './references.ts';
import { hiddenRows, mayUpdate, rulesAllowUpdate, takesFromOthers } from './row-rights.ts';
import { listOf, type WriteSession } from './write-session.ts';

export async function writeRelation(write: WriteSession, owner: OwnerRow, change: RelationChange): Promise<void> {
  const { attribute, input, path } = change;
  if (attribute.kind === 'morph') return writeMorphList(write, owner, { attribute, input, path });
  const target = write.type(attribute.target);
  const current = owner.isNew ? [] : await readLinks(write, attribute.link, owner.id);
  const list = current.map((stored) => stored.target);
  const hidden = input.mode === 'set' ? await hiddenRows(write, target, list) : NOTHING_HIDDEN;
  const desired = newList(owner, { attribute, input, path, list, hidden, target });
  const gone = list.filter((id) => !desired.includes(id));
  const added = desired.filter((id) => !list.includes(id));
  if (attribute.kind === 'media') {
    await requireVisibleFiles(write, owner, referencesOf(input), added);
    await writeLinks(write, attribute.link, owner.id, { current, desired });
    return;
  }
  if (!(await mayRemove(write, attribute, target, gone))) throw takesFromOthers(path);
  if (attribute.storage === 'column') return writeColumn(write, owner, { attribute, path, desired, list });
  const taken = attribute.exclusive ? takenFromOthers(owner, attribute, added) : [];
  if (!(await mayUpdate(write, asType(owner.schema), holdersOf(taken)))) throw takesFromOthers(path);
  await writeLinks(write, attribute.link, owner.id, { current, desired });
  await removeLinks(write, attribute.link, taken);
  // What a row without drafts was remembered to hold, it now holds or not as it was written.
  if (!owner.isNew && !owner.draftAndPublish && target.draftAndPublish && attribute.inverse === null)
    await write.rows(write.sql.dropRecordedLists(), listName(attribute.link), listOf([owner.id]));
}

const NOTHING_HIDDEN: ReadonlySet<number> = new Set();
const holdersOf = (links: readonly ForeignLink[]): number[] => [...new Set(links.map(({ holder }) => holder))];
/** Relations that take targets from others are those of content-types alone. */
const asType = (schema: Schema): ContentType => schema as ContentType;

/**
 * Whether the caller may remove the row's links with these targets. A relation that the target declares is the
 * target's: removing it from this side needs the right to update the target. One that this side declares can be
 * removed here, unless a rule keeps the caller from updating the target, whose list changes with it.
 */
function mayRemove(
  write: WriteSession,
  { owning, inverse }: RelationAttribute,
  target: ContentType,
  ids: readonly number[],
): Promise<boolean> | true {
  if (inverse === null) return true;
  return owning ? rulesAllowUpdate(write, target, ids) : mayUpdate(write, target, ids);
}

interface ListWrite {
  readonly attribute: RelationAttribute | MediaAttribute;
  readonly input: RelationOrder;
  readonly path: BodyPath;
  readonly list: readonly number[];
  readonly hidden: ReadonlySet<number>;
  readonly target: ContentType;
}

/** What a list is set to, each where it stands. */
const referencesOf = (input: RelationOrder): LocatedReference[] =>
  input.mode === 'set' ? input.references.map((reference, index) => ({ reference, path: [...input.path, index] })) : [];

function newList(owner: OwnerRow, { attribute, input, path, list, hidden, target }: ListWrite): number[] {
  const resolve = (references: readonly LocatedReference[]) => owner.references.resolve(target, references, owner);
  if (input.mode === 'set') {
    const found = resolve(referencesOf(input));
    if (attribute.many) return applySet(list, found, hidden);
    return [...(found.at(-1) ?? list.filter((id) => hidden.has(id)))];
  }
  const connected = resolve(
    input.connect.map(({ reference }, index) => ({ reference, path: [...path, 'connect', index] })),
  );
  const connect = input.connect.map(({ position }, index) => ({
    ids: connected[index]!,
    position: resolvePosition(position, (anchor) => {
      const [ids] = resolve([{ reference: anchor, path: [...path, 'connect', index, 'position'] }]);
      return ids!;
    }),
  }));
  const disconnect = resolve(
    input.disconnect.map((reference, index) => ({ reference, path: [...path, 'disconnect', index] })),
  ).flat();
  return withOrderProblems(path, () => {
    const { strict } = input;
    if (attribute.many) return applyChange(list, { connect, disconnect, strict });
    // To-one: positions mean nothing, and only the last reference counts; a repeated one is refused all the same.
    const ends = connect.map(({ ids }) => ({ ids, position: { at: 'end' } as const }));
    const all = applyChange(list, { connect: ends, disconnect, strict });
    const last = connected.at(-1);
    return last ? [...last] : all;
  });
}

/** Links by which other documents, in the same status, hold what this row is about to have to itself. */
function takenFromOthers(owner: OwnerRow, { link }: RelationAttribute, added: readonly number[]): ForeignLink[] {
  const { draftAndPublish } = asType(owner.schema);
  return owner.affected
    .ownerLinks(link)
    .filter(
      ({ owner: other, target }) =>
        added.includes(target) && other.documentId !== owner.documentId && !(draftAndPublish && other.published),
    )
    .map(({ id, owner: other, target }) => ({ id, holder: other.id, target }));
}

interface ColumnWrite {
  readonly attribute: RelationAttribute;
  readonly path: BodyPath;
  readonly desired: readonly number[];
  readonly list: readonly number[];
}

/** A relation kept in a foreign key: on this row's table, or on the target's. */
async function writeColumn(
  write: WriteSession,
  owner: OwnerRow,
  { attribute, path, desired, list }: ColumnWrite,
): Promise<void> {
  const type = asType(owner.schema);
  const owners = attribute.exclusive ? await otherHolders(write, type, attribute, { row: owner.id, desired }) : [];
  if (!(await mayUpdate(write, type, owners))) throw takesFromOthers(path);
  const rowsToDetach = attribute.owning ? owners : list.filter((id) => !desired.includes(id));
  await writeKey(write, attribute, { row: owner.id, desired, rowsToDetach });
}

/** Rows of other documents, in the same status, that a key links with the desired targets now. */
export async function otherHolders(
  write: WriteSession,
  type: ContentType,
  { link }: RelationAttribute,
  { row, desired }: { readonly row: number; readonly desired: readonly number[] },
): Promise<number[]> {
  if (desired.length === 0) return [];
  const holders = await write.rows(write.sql.holdersOf(link.table, link.from, link.to), listOf(desired));
  const ids = holders.map(([id]) => id).filter((id) => id !== row);
  return [...(await otherOwnersInStatus(write, type, row, ids))];
}

export async function writeKey(
  write: WriteSession,
  { link, owning }: RelationAttribute,
  {
    row,
    desired,
    rowsToDetach,
  }: { readonly row: number } & Readonly<Record<'desired' | 'rowsToDetach', readonly number[]>>,
): Promise<void> {
  const key = write.sql.setColumn(link.table, owning ? link.to : link.from, 'id');
  if (rowsToDetach.length > 0) await write.change(link.table, key, null, listOf(rowsToDetach));
  if (owning) await write.change(link.table, key, desired.at(-1) ?? null, listOf([row]));
  else await write.change(link.table, key, row, listOf(desired));
}

/** Those of the rows that belong to other documents and have the same status: they can lose a target to the row. */
export async function otherOwnersInStatus(
  write: WriteSession,
  type: ContentType,
  row: number,
  holders: readonly number[],
): Promise<ReadonlySet<number>> {
  if (holders.length === 0 || (!type.draftAndPublish && !type.localized)) return new Set(holders);
  const versions = await versionsByRow(write, type, [row, ...holders]);
  const own = versions.find(({ id }) => id === row);
  const others = versions.filter(
    ({ documentId, published }) =>
      documentId !== own?.documentId && (!type.draftAndPublish || published === own?.published),
  );
  return new Set(others.map(({ id }) => id));
}
