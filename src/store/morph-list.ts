// Lists of entries of several types, copied from one row to another: from a draft to its published row and back, into
// another locale, into a clone. All types share one order.
import type { ContentType, LinkTable, MorphAttribute, Schema } from '../model/types.ts';
import { listName } from '../sql/link-names.ts';
import { holdRows, publishedOf, type RowsFor, versionsByRow } from './document-versions.ts';
import { mayLoseMorphLink } from './morph-key.ts';
import { type ListEntry, mergeForLocale } from './morph-locales.ts';
import { type RecordedDraft, readMorphRecords, recordDrafts } from './publication-records.ts';
import { takesFromOthers } from './row-rights.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** From which row of a schema to which, and which rows its links lead to there. */
export interface MorphCopy {
  readonly from: number;
  readonly to: number;
  readonly rowsFor: RowsFor;
  /** Whether the entries that show the links of the one row show those of the other. */
  readonly isShown: boolean;
  /** What is put on record of the row: the links of the other, what is on record of it, or nothing. */
  readonly records: 'links' | 'record' | null;
  /** Whether the row gets the links that the other has on record, to what is not published. */
  readonly recalls: boolean;
  /** Into another locale: what the row keeps of its own. Null where it keeps nothing. */
  readonly keeps: KeptLinks | null;
}

/** `locale`: the one that is copied. `own`: the row itself or, of a published component, its draft. */
interface KeptLinks {
  readonly locale: string;
  readonly own: number;
}

/** `field`: the attribute of the target that shows the link; null where none does. */
interface Link {
  readonly target: number;
  readonly position: number;
  readonly field: string | null;
}

/** Between copies of links at one position: less than what lies between positions that were chosen. */
const LEAST_STEP = 2 ** -20;

interface StoredLink extends Link, ListEntry {
  readonly id: number;
}

/** A draft that is on record of a row. */
interface StoredRecord extends RecordedDraft, ListEntry {
  readonly field: null;
}

/** Says whether the list was another. */
export async function copyMorphList(
  write: WriteSession,
  schema: Schema,
  attribute: MorphAttribute,
  copy: MorphCopy,
): Promise<boolean> {
  const { from, to, isShown } = copy;
  const stored = [
    ...(await readMorphLinks(write, schema, attribute, [from, to])),
    ...(await readRecords(write, attribute, copy)),
  ];
  const entries = [...apart(stored.filter(({ row }) => row === from)), ...stored.filter(({ row }) => row === to)];
  const [links, records] = [entries.filter(isLink), entries.filter(isRecord)];
  const { copied, kept } = await chosenEntries(write, schema, attribute, { copy, entries });
  const source = copied.filter(isLink).map((one) => ({ ...one, field: isShown ? one.field : null }));
  const recorded = await copyRecords(write, attribute, copy, { links, records, copied, kept });
  let { isChanged } = recorded;
  for (const { uid, link } of attribute.targets) {
    const isOfType = (stored: StoredLink): boolean => stored.uid === uid;
    const current = links.filter((stored) => stored.row === to && isOfType(stored));
    const desired = [
      ...(await standIns(copy, uid, source.filter(isOfType))),
      ...kept.filter(isLink).filter(isOfType),
      ...(recorded.recalled.get(uid) ?? []),
    ];
    if (current.length + desired.length === 0) continue;
    const { surplus, moved, added: missing } = compare(current, desired);
    const present = await holdRows(write, write.type(uid), targetsOf(missing));
    const added = missing.filter(({ target }) => present.has(target));
    const isLost = ({ target, field }: Link): boolean =>
      field !== null || !desired.some((wanted) => wanted.target === target);
    const ids = surplus.filter(isLost).map(({ target }) => target);
    isChanged ||= surplus.length > 0 || moved.length > 0 || added.length > 0;
    if (!(await mayLoseMorphLink(write, schema, attribute, { target: write.type(uid), ids })))
      throw takesFromOthers([attribute.name]);
    if (surplus.length > 0)
      await write.run.change(link.table, write.sql.deleteRows(link.table), listOf(surplus.map(({ id }) => id)));
    if (moved.length > 0)
      await write.run.change(link.table, write.sql.setPositions(link.table, link.order!), JSON.stringify(moved));
    for (const [field, group] of Map.groupBy(added, (wanted) => wanted.field)) {
      const links = JSON.stringify(group.map(({ target, position }) => [to, target, position]));
      await write.run.change(link.table, write.sql.insertLinks(shownBy(link, field)), links);
    }
  }
  if (isChanged) write.noteList(attribute.targets[0]!.link, to);
  return isChanged;
}

type StoredEntry = StoredLink | StoredRecord;

const isLink = (entry: StoredEntry): entry is StoredLink => 'id' in entry;
const isRecord = (entry: StoredEntry): entry is StoredRecord => 'list' in entry;

/**
 * The entries of a list, those at one position close behind each other: a link that was made from its other side has a
 * position of the list there. Their copies are not made in the order in which they were, so that would not tell.
 */
function apart(entries: readonly StoredEntry[]): StoredEntry[] {
  const ageOf = (entry: StoredEntry): number => (isLink(entry) ? entry.id : Number.MAX_SAFE_INTEGER);
  const inOrder = entries.toSorted((one, other) => one.position - other.position || ageOf(one) - ageOf(other));
  const places = [...Map.groupBy(inOrder, ({ position }) => position)];
  return places.flatMap(([position, atOnePlace], index) => {
    const [next = position + 1] = places[index + 1] ?? [];
    const step = Math.min(LEAST_STEP, (next - position) / (atOnePlace.length + 1));
    return atOnePlace.map((entry, turn) => (turn === 0 ? entry : { ...entry, position: position + turn * step }));
  });
}

/** Of what two rows have: what the one gets from the other, and what it keeps. */
interface ChosenEntries {
  readonly copied: readonly StoredEntry[];
  readonly kept: readonly StoredEntry[];
}

async function chosenEntries(
  write: WriteSession,
  schema: Schema,
  attribute: MorphAttribute,
  { copy, entries }: { readonly copy: MorphCopy; readonly entries: readonly StoredEntry[] },
): Promise<ChosenEntries> {
  const { from, to, keeps } = copy;
  if (!keeps) return { copied: entries.filter(({ row }) => row === from), kept: [] };
  const { locale, own } = keeps;
  const draft = own === to ? null : await readMorphLinks(write, schema, attribute, [own]);
  return mergeForLocale(write, { from, to, locale }, entries, draft);
}

const targetsOf = (links: readonly Link[]): number[] => links.map(({ target }) => target);

/** The links that stand for others in a copy, at the same positions. */
async function standIns({ rowsFor }: MorphCopy, uid: string, links: readonly Link[]): Promise<Link[]> {
  const targets = targetsOf(links);
  const rows = targets.length === 0 ? new Map<number, number>() : await rowsFor(uid, targets);
  return links.flatMap(({ target, position, field }) => {
    const row = rows.get(target);
    return row === undefined ? [] : [{ target: row, position, field }];
  });
}

/** By type. */
type Links = ReadonlyMap<string, readonly Link[]>;

/** The lists of a polymorphic relation that can be on record: those of types with drafts. */
const recordedLists = (
  write: WriteSession,
  { targets }: MorphAttribute,
): { readonly uid: string; readonly list: string }[] =>
  targets.flatMap(({ uid, link }) => (write.type(uid).draftAndPublish ? [{ uid, list: listName(link) }] : []));

async function readRecords(
  write: WriteSession,
  attribute: MorphAttribute,
  { from, to, records, recalls }: MorphCopy,
): Promise<StoredRecord[]> {
  const lists = recordedLists(write, attribute);
  if ((!records && !recalls) || lists.length === 0) return [];
  const types = new Map(lists.map(({ uid, list }) => [list, uid]));
  const found = await readMorphRecords(write, [...types.keys()], [from, to]);
  return found.map((record) => ({ ...record, uid: types.get(record.list)! }));
}

/**
 * Copies what is on record of a list, or puts it on record: the drafts that no field shows the link to. Returns the
 * links that a draft gets back or keeps, to what is not published: those on record, and those that a field shows, which
 * follow the publication of their other end.
 */
async function copyRecords(
  write: WriteSession,
  attribute: MorphAttribute,
  copy: MorphCopy,
  {
    links,
    records,
    copied,
    kept,
  }: ChosenEntries & { readonly links: readonly StoredLink[]; readonly records: readonly StoredRecord[] },
): Promise<{ readonly recalled: Links; readonly isChanged: boolean }> {
  const recalled = new Map<string, Link[]>();
  if (!copy.records && !copy.recalls) return { recalled, isChanged: false };
  const desired: RecordedDraft[] = [];
  for (const { uid, list } of recordedLists(write, attribute)) {
    const ofList = (entries: readonly StoredEntry[]) =>
      entries.filter(isRecord).filter((record) => record.list === list);
    const ofType = links.filter((stored) => stored.uid === uid);
    const shown = ofType.filter(({ row, field }) => row === copy.to && field !== null);
    const recorded = ofList(copied);
    if (copy.recalls) recalled.set(uid, await notPublished(write, write.type(uid), [...recorded, ...shown]));
    const oneWay = ofType.filter(({ row, field }) => row === copy.from && field === null);
    const drafts = copy.records === 'links' ? oneWay : [...(await standIns(copy, uid, recorded)), ...ofList(kept)];
    desired.push(...drafts.map(({ target, position }) => ({ list, target, position })));
  }
  const current = records.filter(({ row }) => row === copy.to);
  const isChanged = copy.records !== null && (await recordDrafts(write, copy.to, { current, desired }));
  return { recalled, isChanged };
}

/** Those of the links with drafts that are still there and have no published row. */
async function notPublished(write: WriteSession, type: ContentType, links: readonly Link[]): Promise<Link[]> {
  if (links.length === 0) return [];
  const ids = targetsOf(links);
  const published = await publishedOf(write, type.table, ids);
  const present = new Set((await versionsByRow(write, type, ids)).map(({ id }) => id));
  return links.filter(({ target }) => present.has(target) && !published.has(target));
}

async function readMorphLinks(
  write: WriteSession,
  schema: Schema,
  attribute: MorphAttribute,
  rows: readonly number[],
): Promise<StoredLink[]> {
  const found = await write.run.rows(write.sql.morph.links(attribute.targets[0]!.link), listOf(rows));
  const last = new Map<number, number>();
  return found.map(([id, row, uid, target, stored, field]) => {
    const shows = field !== null && uid !== null && isShownBy(write, { uid, field }, { schema, attribute });
    // Links without a position come last, and so stand behind the others.
    const position = stored ?? (last.get(row) ?? 0) + 1;
    last.set(row, position);
    return { id, row, uid, target, position, field: shows ? field : null };
  });
}

/** Whether a field of a type shows which rows of a schema lead there by an attribute. */
function isShownBy(
  { model }: WriteSession,
  { uid, field }: { readonly uid: string; readonly field: string },
  { schema, attribute }: { readonly schema: Schema; readonly attribute: MorphAttribute },
): boolean {
  const other = model.contentTypes.get(uid)?.attributes.get(field);
  return other?.kind === 'relation' && other.target === schema.uid && other.inverse === attribute.name;
}

/** What is to be done to the links of a row, so that they are the desired ones. */
function compare(current: readonly StoredLink[], desired: readonly Link[]) {
  const surplus = [...current];
  const moved: [id: number, position: number][] = [];
  const added: Link[] = [];
  for (const wanted of desired) {
    const at = surplus.findIndex(({ target, field }) => target === wanted.target && field === wanted.field);
    const [kept] = at < 0 ? [] : surplus.splice(at, 1);
    if (!kept) added.push(wanted);
    else if (kept.position !== wanted.position) moved.push([kept.id, wanted.position]);
  }
  return { surplus, moved, added };
}

/** The links of a table that a field of their targets shows. */
const shownBy = (link: LinkTable, field: string | null): LinkTable =>
  field === null ? link : { ...link, constants: [...link.constants, { column: 'field', value: field }] };
