// Records of publications: the drafts that a list held when its row was last published. They say where a link belongs
// whose target is not published yet. A record is kept under the id of the published row, so it is as old as that row:
// one that another program's publication has replaced, with its row, is never found again.
import { morphAttributes } from '../model/links.ts';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { Model, MorphAttribute, RelationAttribute, Schema } from '../model/types.ts';
import { listName } from '../sql/link-names.ts';
import { gather } from './gather.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** A list that can be on record: its name, and the type of what it holds. */
interface NamedList {
  readonly list: string;
  readonly target: string;
}

/** Every list of a schema that can be on record. */
export const listsOf = (schema: Schema): NamedList[] =>
  [...schema.attributes.values()].flatMap((attribute): NamedList[] => {
    if (attribute.kind === 'relation')
      return attribute.storage === 'none' ? [] : [{ list: listName(attribute.link), target: attribute.target }];
    return attribute.kind === 'morph' ? morphLists(schema, attribute) : [];
  });

/** The lists of a polymorphic relation: one for each type that it leads to. */
const morphLists = (schema: Schema, attribute: MorphAttribute): NamedList[] =>
  attribute.many && morphAttributes(schema).includes(attribute)
    ? attribute.targets.map(({ uid, link }) => ({ list: listName(link), target: uid }))
    : [];

/** Names of the lists that can hold documents of a type. */
export const listsTo = ({ contentTypes, components }: Model, uid: string): string[] => {
  const lists = [...contentTypes.values(), ...components.values()].flatMap(listsOf);
  return [...new Set(lists.filter(({ target }) => target === uid).map(({ list }) => list))];
};

/** The drafts in order; empty where nothing is on record. */
export async function readRecord(
  write: WriteSession,
  { link, target }: RelationAttribute,
  published: number,
): Promise<number[]> {
  const { table } = write.type(target);
  // What has a sibling, or is known to have none, is there.
  const isThere = (id: number): boolean => write.gathered.sibling(table, id) !== undefined;
  const known = write.gathered.record(listName(link), published);
  if (known?.every(isThere)) return [...known];
  const statement = write.publications.recordedList(table);
  return (await write.run.rows(statement, listName(link), published)).map(([draft]) => draft);
}

/** What shall be on record of the list of a published row. */
export interface ListRecord {
  readonly attribute: RelationAttribute;
  readonly published: number;
  readonly drafts: readonly number[];
  /** A row that was just made has nothing on record. */
  readonly isNew: boolean;
}

/** Whether something else is on record. */
export async function isOtherRecord(
  write: WriteSession,
  { attribute, published, drafts, isNew }: ListRecord,
): Promise<boolean> {
  if (isNew) return drafts.length > 0;
  const recorded = await readRecord(write, attribute, published);
  return recorded.length !== drafts.length || recorded.some((id, index) => id !== drafts[index]);
}

/** Puts the list of a row on record, where something else is. */
export async function recordList(
  write: WriteSession,
  attribute: RelationAttribute,
  published: number,
  drafts: readonly number[],
): Promise<void> {
  const record = { attribute, published, drafts, isNew: false };
  if (await isOtherRecord(write, record)) await writeRecords(write, [record]);
}

/** Puts lists on record. */
export async function writeRecords(write: WriteSession, records: readonly ListRecord[]): Promise<void> {
  for (const [{ link }, group] of Map.groupBy(records, ({ attribute }) => attribute)) {
    const list = listName(link);
    const stale = group.filter(({ isNew }) => !isNew).map(({ published }) => published);
    if (stale.length > 0)
      await write.run.change(PUBLISHED_LISTS, write.publications.dropRecordedLists(), list, listOf(stale));
    const entries = group.flatMap(({ published, drafts }) =>
      drafts.map((draft, index) => [published, draft, index + 1]),
    );
    if (entries.length > 0)
      await write.run.change(PUBLISHED_LISTS, write.publications.recordList(), list, JSON.stringify(entries));
  }
}

/** Records the lists of one row together. `recorded`: those on record, by name. */
export async function recordLists(
  write: WriteSession,
  published: number,
  lists: readonly { readonly attribute: RelationAttribute; readonly inDraft: readonly number[] }[],
  recorded: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  const changed = lists.filter(({ attribute, inDraft }) => {
    const before = recorded.get(listName(attribute.link)) ?? [];
    return before.length !== inDraft.length || before.some((id, index) => id !== inDraft[index]);
  });
  const stale = changed.map(({ attribute }) => listName(attribute.link)).filter((list) => recorded.has(list));
  if (stale.length > 0)
    await write.run.change(PUBLISHED_LISTS, write.publications.dropRecords(), listOf(stale), listOf([published]));
  const entries = changed.flatMap(({ attribute, inDraft }) =>
    inDraft.map((draft, index) => [listName(attribute.link), draft, index + 1]),
  );
  if (entries.length > 0)
    await write.run.change(PUBLISHED_LISTS, write.publications.recordLists(), published, JSON.stringify(entries));
}

/** A draft in a recorded list. */
export interface RecordedDraft {
  readonly list: string;
  readonly target: number;
  readonly position: number;
}

/** What is on record of the polymorphic lists of rows. */
export async function readMorphRecords(
  write: WriteSession,
  lists: readonly string[],
  rows: readonly number[],
): Promise<(RecordedDraft & { readonly row: number; readonly field: null })[]> {
  const found = await gather(write, [{ read: 'records', lists }], [rows]);
  return (found.get(0) ?? []).map(([, row, , target, position, , , list]) => ({
    list: list!,
    row,
    target,
    position: position ?? 0,
    field: null,
  }));
}

/** Puts drafts on record at given positions, in several lists of a row together. Says whether the record was another. */
export async function recordDrafts(
  write: WriteSession,
  row: number,
  { current, desired }: { readonly current: readonly RecordedDraft[]; readonly desired: readonly RecordedDraft[] },
): Promise<boolean> {
  const textOf = ({ list, target, position }: RecordedDraft): string => JSON.stringify([list, target, position]);
  const [before, after] = [new Set(current.map(textOf)), new Set(desired.map(textOf))];
  if (before.size === after.size && [...after].every((text) => before.has(text))) return false;
  const stale = listOf(new Set(current.map(({ list }) => list)));
  if (current.length > 0)
    await write.run.change(PUBLISHED_LISTS, write.publications.dropRecords(), stale, listOf([row]));
  const byTarget = new Map(
    desired.map(({ list, target, position }) => [`${list} ${target}`, [list, target, position]]),
  );
  if (byTarget.size > 0)
    await write.run.change(
      PUBLISHED_LISTS,
      write.publications.recordLists(),
      row,
      JSON.stringify([...byTarget.values()]),
    );
  return true;
}
