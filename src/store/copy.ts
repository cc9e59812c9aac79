// Copies what belongs to a row to another row: components with all below them, files of media fields, relations of
// components. Used to publish, to discard a draft, to sync locales and to clone.
import { memoize } from '../memoize.ts';
import { isKey } from '../model/links.ts';
import type {
  Attribute,
  ComponentSchema,
  LinkTable,
  Model,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from '../model/types.ts';
import { weave } from '../plan/write/relation-order.ts';
import type { Status } from '../request/read-request.ts';
import type { CopiedColumn } from '../sql/write-statements.ts';
import { type ComponentField, isComponentField, readItems, writeItems } from './components.ts';
import {
  adoptedCounterpart,
  isAmong,
  pairLocales,
  type RecordedCopy,
  recordCounterpart,
  recordedCounterparts,
} from './counterparts.ts';
import {
  draftsOf,
  missingInLocale,
  publishedOrAppearing,
  type RowsFor,
  rowsInLocale,
  rowsInStatus,
  sameRows,
  versionsByRow,
} from './document-versions.ts';
import { gatherLists } from './gather-lists.ts';
import type { ItemRef } from './gathered.ts';
import { readLinks, readLinksAgain, readTargets, writeLinks } from './link-table.ts';
import { copyMorphKey } from './morph-key.ts';
import { copyMorphList } from './morph-list.ts';
import { readRecord, recordList } from './publication-records.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** What a copy is for, which decides which rows its relations lead to. */
export type CopyPurpose = { readonly to: 'published' | 'draft' } | LocalePurpose | { readonly to: 'clone' };

/** From one locale to another. `status`: of the rows; null for those without drafts. */
interface LocalePurpose {
  readonly to: 'locale';
  readonly from: string;
  readonly locale: string;
  readonly status: Status | null;
}

/** From which row to which. */
export interface Copy {
  readonly from: number;
  readonly to: number;
  /** A row that was just made holds nothing yet. */
  readonly toIsNew: boolean;
  readonly purpose: CopyPurpose;
  /** The draft beside a published row that gets what another locale has: the copies of its components are on record. */
  readonly draft?: number | null;
  /** Into another locale: the component there whose links stay that the copied one cannot have. */
  readonly own?: number | null;
}

/** The attributes of a schema that go with its rows: lists of components and files and, of a component, relations. */
const nestedAttributes = memoize((schema: Schema): readonly Attribute[] =>
  [...schema.attributes.values()].filter(
    (attribute) =>
      isComponentField(attribute) ||
      attribute.kind === 'media' ||
      (attribute.kind === 'relation' && schema.kind === 'component'),
  ),
);

/**
 * `chosen` narrows the attributes copied; below the first level everything is. Returns the names of the attributes that
 * the copy has changed. What is the same already is left alone.
 */
export async function copyNestedContent(
  write: WriteSession,
  schema: Schema,
  copy: Copy,
  chosen: (attribute: Attribute) => boolean = () => true,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  for (const attribute of nestedAttributes(schema))
    if (chosen(attribute) && (await copyAttribute(write, schema, attribute, copy))) changed.add(attribute.name);
  if (schema.kind === 'component') for (const name of await copyMorphs(write, schema, copy)) changed.add(name);
  return changed;
}

/** Says whether that changed anything. */
async function copyAttribute(write: WriteSession, schema: Schema, attribute: Attribute, copy: Copy): Promise<boolean> {
  if (isComponentField(attribute)) return copyField(write, schema, attribute, copy);
  if (attribute.kind === 'media') {
    const desired = await readTargets(write, attribute.link, copy.from);
    const current = copy.toIsNew ? [] : await readLinks(write, attribute.link, copy.to);
    return (await writeLinks(write, attribute.link, copy.to, { current, desired })).isChanged;
  }
  return attribute.kind === 'relation' && copyComponentRelation(write, attribute, copy);
}

/** An item of a field that is copied. */
interface ItemCopy extends Pick<Copy, 'from' | 'purpose' | 'own'> {
  readonly component: ComponentSchema;
  /** The row that it is copied to. Null: a new one. */
  readonly to: number | null;
  readonly recorded: RecordedCopy | null;
}

async function copyField(write: WriteSession, schema: Schema, attribute: ComponentField, copy: Copy): Promise<boolean> {
  const { from, to, toIsNew, purpose } = copy;
  const { componentTable } = schema;
  const source = await readItems(write, schema, from, attribute.name);
  const current = toIsNew ? [] : await readItems(write, schema, to, attribute.name);
  if (source.length === 0 && current.length === 0) return false;
  // Databases that were upgraded may have rows that both lists hold. Such a row stays with the one that is copied.
  const unshared = current.filter((item) => !isAmong(source, item));
  const drafts = copy.draft ? await readItems(write, schema, copy.draft, attribute.name) : [];
  const before = write.itemsBefore(componentTable, from, attribute.name) ?? source;
  const paired = purpose.to === 'locale' ? pairLocales(source, before, current) : [];
  const recorded = new Map<ItemRef, RecordedCopy>();
  for (const [index, item] of source.entries()) {
    const draft = drafts[index]?.uid === item.uid ? drafts[index].id : null;
    const onRecord = recordedCopy(purpose, item.id, draft);
    if (onRecord) recorded.set(item, onRecord);
  }
  const counterparts = await readAhead(write, [...source, ...current], recorded);
  const copies: ItemCopy[] = [];
  for (const [index, item] of source.entries()) {
    const { id, uid } = item;
    const component = write.model.components.get(uid);
    if (!component) continue;
    const onRecord = recorded.get(item) ?? null;
    const atSamePosition = unshared.find((other) => other === current[index]);
    const counterpart = onRecord
      ? (counterparts.get(item) ?? (await adoptedCounterpart(write, component, { ...onRecord, atSamePosition })))
      : (paired[index] ?? null);
    const isFree = counterpart !== null && isAmong(unshared, { id: counterpart, uid });
    const isTaken = copies.some((other) => other.to === counterpart && other.component === component);
    const kept = isFree && !isTaken ? counterpart : null;
    const own = onRecord?.id ?? (isAmong(before, item) ? kept : null);
    copies.push({ component, from: id, to: kept, purpose, recorded: onRecord, own });
  }
  const aligned = await alignItems(write, copies);
  const items: ItemRef[] = [];
  let isChanged = false;
  for (const one of copies) {
    const item = await copyItem(write, one, aligned.has(one));
    isChanged ||= item.isChanged;
    items.push({ id: item.row, uid: one.component.uid });
  }
  return (await writeItems(write, schema, { row: to, attribute, current, items })) || isChanged;
}

/** Copies the columns of items to the rows that they are copied to. Returns those that were not the same already. */
async function alignItems(write: WriteSession, copies: readonly ItemCopy[]): Promise<ReadonlySet<ItemCopy>> {
  const aligned = new Set<ItemCopy>();
  for (const [component, ofKind] of Map.groupBy(copies, (one) => one.component)) {
    const columns = scalarsOf(component);
    const stored = ofKind.filter(({ to }) => to !== null);
    if (stored.length === 0 || columns.length === 0) continue;
    const pairs = JSON.stringify(stored.map(({ from, to }) => [to, from]));
    const rows = await write.run.rows(write.sql.alignColumns(component.table, columns), pairs);
    const changed = new Set(rows.map(([id]) => id));
    for (const one of stored) if (changed.has(one.to!)) aligned.add(one);
  }
  return aligned;
}

/**
 * Reads what items hold, and finds the counterparts of those whose copies may be on record: for all items of a kind
 * together, so that the number of statements does not grow with theirs.
 */
async function readAhead(
  write: WriteSession,
  items: readonly ItemRef[],
  recorded: ReadonlyMap<ItemRef, RecordedCopy>,
): Promise<ReadonlyMap<ItemRef, number>> {
  const counterparts = new Map<ItemRef, number>();
  for (const [uid, ofKind] of Map.groupBy(items, (item) => item.uid)) {
    const component = write.model.components.get(uid);
    if (!component) continue;
    const ids = ofKind.map(({ id }) => id);
    const copied = [...recorded].filter(([item]) => item.uid === uid);
    const copies = copied.map(([, copy]) => copy);
    const [found] = await Promise.all([
      recordedCounterparts(write, component, copies),
      gatherLists(write, component, ids, ids),
    ]);
    for (const [item, { id }] of copied) {
      const counterpart = found.get(id);
      if (counterpart !== undefined) counterparts.set(item, counterpart);
    }
  }
  return counterparts;
}

/** The row whose copy is on record: the one that is copied or, into another locale, the draft there. */
function recordedCopy(purpose: CopyPurpose, id: number, draft: number | null): RecordedCopy | null {
  if (purpose.to === 'locale') return draft === null ? null : { id: draft, to: 'published' };
  return purpose.to === 'clone' ? null : { id, to: purpose.to };
}

/**
 * Copies a component row with all below it; a row that is there has its columns already, and `isAligned` says whether that
 * has changed it. Returns the row of the copy, and whether it is new or was changed.
 */
async function copyItem(
  write: WriteSession,
  { component, from, to, purpose, recorded, own }: ItemCopy,
  isAligned: boolean,
): Promise<{ readonly row: number; readonly isChanged: boolean }> {
  const row = to ?? (await duplicate(write, component, from));
  if (to === null && recorded) await recordCounterpart(write, component, { ...recorded, made: row });
  const draft = purpose.to === 'locale' ? recorded?.id : null;
  const below = await copyNestedContent(write, component, { from, to: row, toIsNew: to === null, purpose, draft, own });
  return { row, isChanged: to === null || isAligned || below.size > 0 };
}

/** Makes a draft of a published component row, with all below it. Returns its id. */
export async function restoreItem(write: WriteSession, component: ComponentSchema, published: number): Promise<number> {
  const purpose = { to: 'draft' } as const;
  const recorded = recordedCopy(purpose, published, null);
  return (await copyItem(write, { component, from: published, to: null, purpose, recorded }, false)).row;
}

const scalarsOf = memoize((schema: Schema): readonly ScalarAttribute[] =>
  [...schema.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' && attribute.name !== 'id' ? [attribute] : [],
  ),
);

export const scalarColumns = (schema: Schema): string[] => scalarsOf(schema).map(({ column }) => column);

/** The column of a foreign key. */
export const copiedKey = ({ link, target }: RelationAttribute, types: Model['contentTypes']): CopiedColumn => ({
  column: link.to,
  keyOf: types.get(target)!.table,
});

async function duplicate(write: WriteSession, component: ComponentSchema, id: number): Promise<number> {
  const columns = scalarColumns(component);
  return columns.length === 0
    ? write.run.insert(component.table, write.sql.insertRow(component.table, []))
    : write.run.insert(component.table, write.sql.duplicateRow(component.table, columns), id);
}

async function copyComponentRelation(write: WriteSession, attribute: RelationAttribute, copy: Copy): Promise<boolean> {
  const { link } = attribute;
  if (attribute.storage === 'none' || (isKey(attribute) && !attribute.owning)) return false;
  if (!isKey(attribute) && isLeftAlone(write, link, copy)) return false;
  const { desired, isRecordChanged } = await copiedTargets(write, attribute, copy);
  if (isRecordChanged || copy.toIsNew) write.noteList(link, copy.to);
  const current = copy.toIsNew ? [] : await readLinks(write, link, copy.to);
  if (!isKey(attribute))
    return (await writeLinks(write, link, copy.to, { current, desired })).isChanged || isRecordChanged;
  const target = desired.at(-1) ?? null;
  if (target === (current[0]?.target ?? null)) return isRecordChanged;
  await write.run.change(link.table, write.sql.setColumn(link.table, link.to, 'id'), target, listOf([copy.to]));
  return true;
}

/** Whether a component keeps its links: those of the one that stands for it in another locale were not written. */
const isLeftAlone = (write: WriteSession, link: LinkTable, { from, toIsNew, purpose, own }: Copy): boolean =>
  purpose.to === 'locale' && !!own && !toIsNew && !write.hasWrittenList(link, from);

/** What the copy of a list leads to. `isRecordChanged`: whether what is on record of it has changed. */
interface CopiedTargets {
  readonly desired: readonly number[];
  readonly isRecordChanged: boolean;
}

/** What the copy of a list leads to. One of a published row is put on record, for targets that are not published yet. */
async function copiedTargets(write: WriteSession, attribute: RelationAttribute, copy: Copy): Promise<CopiedTargets> {
  const { from, to, purpose } = copy;
  const target = write.type(attribute.target);
  const targets = await readTargets(write, attribute.link, from);
  const status = purpose.to === 'locale' ? purpose.status : purpose.to === 'clone' ? null : purpose.to;
  const inLocale = async (ids: readonly number[]): Promise<readonly number[]> =>
    purpose.to === 'locale' ? targetsInLocale(write, attribute, ids, { ...copy, purpose }) : ids;
  const unrecorded = (desired: readonly number[]): CopiedTargets => ({ desired, isRecordChanged: false });
  if (!target.draftAndPublish || status === null) return unrecorded(await inLocale(targets));
  if (status === 'published') {
    const drafts = await inLocale(purpose.to === 'locale' ? await readRecord(write, attribute, from) : targets);
    const isRecordChanged = await recordList(write, attribute, to, drafts);
    const published = await publishedOrAppearing(write, target, drafts);
    return { desired: drafts.flatMap((id) => published.get(id) ?? []), isRecordChanged };
  }
  const drafts = await draftsOf(write, target.table, targets);
  if (purpose.to === 'locale') return unrecorded(await inLocale(targets.map((id) => drafts.get(id) ?? id)));
  const recorded = await readRecord(write, attribute, from);
  if (recorded.length > 0) return unrecorded(recorded);
  // A component row that others left in several versions of an entry may lead to drafts already.
  const unknown = targets.filter((id) => !drafts.has(id));
  const rows = unknown.length === 0 ? [] : await versionsByRow(write, target, unknown);
  const isDraft = (id: number): boolean => rows.some((row) => row.id === id && !row.published);
  return unrecorded(targets.flatMap((id) => drafts.get(id) ?? (isDraft(id) ? id : [])));
}

/**
 * The rows of the same documents and status in another locale. Those that are not there are left out, and of a published
 * component those that its draft does not have.
 */
async function targetsInLocale(
  write: WriteSession,
  attribute: RelationAttribute,
  ids: readonly number[],
  copy: Copy & { readonly purpose: LocalePurpose },
): Promise<readonly number[]> {
  const rows = await rowsInLocale(write, copy.purpose.locale)(attribute.target, ids);
  const found = ids.flatMap((id) => rows.get(id) ?? []);
  if (!copy.own || !write.type(attribute.target).localized) return found;
  const kept = await keptTargets(write, attribute, { ...copy, own: copy.own });
  const translated = copy.own === copy.to ? found : found.filter((id) => kept.all.includes(id));
  if (!attribute.many && translated.length > 0) return translated;
  const inOrder = kept.all.filter((id) => kept.ids.has(id) || translated.includes(id));
  return weave(translated, inOrder);
}

/**
 * What a component leads to in its own locale, and those of it that stay: documents that do not exist in the locale that
 * is copied, and what a published row shows and its draft still has.
 */
async function keptTargets(
  write: WriteSession,
  { link, target: uid }: RelationAttribute,
  { own, to, toIsNew, purpose }: Copy & { readonly own: number; readonly purpose: LocalePurpose },
): Promise<{ readonly all: readonly number[]; readonly ids: ReadonlySet<number> }> {
  const target = write.type(uid);
  const all = (await readLinksAgain(write, link, own)).map((stored) => stored.target);
  const missing = await missingInLocale(write, target, all, purpose.from);
  if (own === to || toIsNew) return { all, ids: new Set(missing) };
  const shown = await readTargets(write, link, to);
  const drafts = target.draftAndPublish ? [...(await draftsOf(write, target.table, shown)).values()] : shown;
  return { all, ids: new Set([...missing, ...drafts]) };
}

/** Which rows the copy of a polymorphic link leads to. */
function rowsForCopy(write: WriteSession, purpose: CopyPurpose): RowsFor {
  if (purpose.to === 'clone') return sameRows;
  return purpose.to === 'locale' ? rowsInLocale(write, purpose.locale) : rowsInStatus(write, purpose.to);
}

const morphsOf = memoize((schema: Schema): readonly MorphAttribute[] =>
  [...schema.attributes.values()].filter((attribute) => attribute.kind === 'morph'),
);

/** Copies the polymorphic relations of a row. Returns the names of those that this changed. */
export async function copyMorphs(write: WriteSession, schema: Schema, wanted: Copy): Promise<string[]> {
  const { from, to, toIsNew, purpose, own } = wanted;
  const morphs = morphsOf(schema);
  if (morphs.length === 0) return [];
  const isPublished = purpose.to === 'locale' && purpose.status === 'published';
  const copy = {
    from,
    to,
    rowsFor: rowsForCopy(write, purpose),
    // The clone of a row is not put into the lists of those that it leads to.
    isShown: purpose.to !== 'clone',
    records: purpose.to === 'published' ? 'links' : isPublished ? 'record' : null,
    recalls: purpose.to === 'draft',
    keeps: purpose.to === 'locale' && own ? { locale: purpose.from, own } : null,
  } as const;
  const changed: string[] = [];
  for (const attribute of morphs) {
    const { link } = attribute.targets[0]!;
    if (attribute.many && isLeftAlone(write, link, wanted)) continue;
    if (toIsNew) write.noteList(link, to);
    const copyMorph = attribute.many ? copyMorphList : copyMorphKey;
    if (await copyMorph(write, schema, attribute, copy)) changed.push(attribute.name);
  }
  return changed;
}
