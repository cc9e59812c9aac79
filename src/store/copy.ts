// Copies what belongs to a row to another row: components with all below them, files of media fields, relations of
// components. Used to publish, to discard a draft, to sync locales and to clone.
import { memoize } from '../memoize.ts';
import { isKey } from '../model/links.ts';
import type {
  Attribute,
  ComponentSchema,
  ContentType,
  LinkTable,
  MediaAttribute,
  Model,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from '../model/types.ts';
import type { CopiedColumn } from '../sql/write-statements.ts';
import { type ComponentField, type FieldList, isComponentField, readItems, writeItems } from './components.ts';
import { type Copy, type CopyPurpose, copiedTargets } from './copied-targets.ts';
import {
  adoptedCounterpart,
  isAmong,
  pairLocales,
  type RecordedCopy,
  recordCounterparts,
  recordedCounterparts,
} from './counterparts.ts';
import { publishedOrAppearing, type RowsFor, rowsInLocale, rowsInStatus, sameRows } from './document-versions.ts';
import { gatherLists } from './gather-lists.ts';
import type { ItemRef, StoredItem } from './gathered.ts';
import { type RowList, readLinks, readTargets, writeLists } from './link-table.ts';
import { copyMorphKey } from './morph-key.ts';
import { copyMorphList } from './morph-list.ts';
import { isOtherRecord, type ListRecord, writeRecords } from './publication-records.ts';
import type { WriteSession } from './write-session.ts';

/** The attributes of a schema that go with its rows: lists of components and files and, of a component, relations. */
const nestedAttributes = memoize((schema: Schema): readonly Attribute[] =>
  [...schema.attributes.values()].filter(
    (attribute) =>
      isComponentField(attribute) ||
      attribute.kind === 'media' ||
      (attribute.kind === 'relation' && schema.kind === 'component'),
  ),
);

/** A row that is copied. What is below it follows, level by level. */
interface CopiedRow extends Copy {
  readonly schema: Schema;
  /** Those of its attributes that are copied. */
  readonly attributes: readonly Attribute[];
  /** Of a component: the row that holds it, and the field there. */
  readonly place: { readonly holder: CopiedRow; readonly field: string } | null;
  /** The names of the attributes that the copy has changed. */
  readonly changed: Set<string>;
}

/** What rows hold, with what their copies shall hold: written when all of it is known, each kind together. */
interface CopiedContent {
  readonly lists: CopiedList[];
  readonly fields: CopiedField[];
  readonly records: ListRecord[];
}

/** A list of links or files, or a key. */
interface CopiedList extends RowList {
  readonly copy: CopiedRow;
  readonly attribute: RelationAttribute | MediaAttribute;
}

interface CopiedField extends FieldList {
  readonly copy: CopiedRow;
}

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
  const attributes = nestedAttributes(schema).filter(chosen);
  await copyRows(write, [{ ...copy, schema, attributes, place: null, changed }]);
  return changed;
}

/** Copies all that many rows hold, with as few statements as for one of them. */
export async function copyContentOfRows(write: WriteSession, schema: Schema, copies: readonly Copy[]): Promise<void> {
  const attributes = nestedAttributes(schema);
  if (attributes.length === 0) return;
  await gatherLists(
    write,
    schema,
    copies.map(({ from }) => from),
  );
  await copyRows(
    write,
    copies.map((copy) => ({ ...copy, schema, attributes, place: null, changed: new Set<string>() })),
  );
}

async function copyRows(write: WriteSession, roots: readonly CopiedRow[]): Promise<void> {
  const content: CopiedContent = { lists: [], fields: [], records: [] };
  const rows: CopiedRow[] = [];
  for (let level = roots; level.length > 0; ) {
    rows.push(...level);
    await waitForTargets(write, level);
    for (const copy of level) await collectLists(write, copy, content);
    for (const copy of level)
      if (copy.schema.kind === 'component')
        for (const name of await copyMorphs(write, copy.schema, copy)) copy.changed.add(name);
    level = await copyItems(write, level, content);
  }
  await writeContent(write, content);
  // Components stand behind what holds them.
  for (const { place, changed } of rows.toReversed()) if (changed.size > 0) place?.holder.changed.add(place.field);
}

/** Finds the published rows of all that rows lead to which are published: for each type together. */
async function waitForTargets(write: WriteSession, level: readonly CopiedRow[]): Promise<void> {
  const drafts = new Map<ContentType, Set<number>>();
  for (const { attributes, purpose, from } of level) {
    if (purpose.to !== 'published') continue;
    for (const attribute of attributes) {
      if (attribute.kind !== 'relation' || !isCopied(attribute)) continue;
      const target = write.type(attribute.target);
      if (!target.draftAndPublish) continue;
      const ofType = drafts.get(target) ?? new Set();
      for (const id of await readTargets(write, attribute.link, from)) ofType.add(id);
      drafts.set(target, ofType);
    }
  }
  for (const [target, ids] of drafts) if (ids.size > 0) await publishedOrAppearing(write, target, [...ids]);
}

async function collectLists(write: WriteSession, copy: CopiedRow, { lists, records }: CopiedContent): Promise<void> {
  for (const attribute of copy.attributes)
    if (attribute.kind === 'media') {
      const desired = await readTargets(write, attribute.link, copy.from);
      const current = copy.toIsNew ? [] : await readLinks(write, attribute.link, copy.to);
      lists.push({ copy, attribute, row: copy.to, current, desired });
    } else if (attribute.kind === 'relation') {
      const { list, record } = await copiedRelation(write, attribute, copy);
      if (list) lists.push({ copy, attribute, row: copy.to, ...list });
      if (record) records.push(record);
    }
}

async function writeContent(write: WriteSession, { lists, fields, records }: CopiedContent): Promise<void> {
  await writeRecords(write, records);
  for (const [attribute, group] of Map.groupBy(lists, (list) => list.attribute)) {
    const { name, link } = attribute;
    if (attribute.kind === 'relation' && isKey(attribute)) await writeKeys(write, link, group);
    else
      for (const [index, { isChanged }] of (await writeLists(write, link, group)).entries())
        if (isChanged) group[index]!.copy.changed.add(name);
  }
  for (const [index, isChanged] of (await writeItems(write, fields)).entries())
    if (isChanged) fields[index]!.copy.changed.add(fields[index]!.attribute.name);
}

/** A key leads to the last row of its list. */
async function writeKeys(write: WriteSession, { table, to }: LinkTable, keys: readonly CopiedList[]): Promise<void> {
  const changed = keys.flatMap(({ copy, attribute, row, current, desired }): [number, number | null][] => {
    const target = desired.at(-1) ?? null;
    if (target === (current[0]?.target ?? null)) return [];
    copy.changed.add(attribute.name);
    return [[row, target]];
  });
  if (changed.length > 0) await write.run.change(table, write.sql.setKeys(table, to), JSON.stringify(changed));
}

/** A field that is copied, as it is before. */
interface SourceField {
  readonly copy: CopiedRow;
  readonly attribute: ComponentField;
  readonly source: readonly StoredItem[];
  readonly current: readonly StoredItem[];
  /** By the items of the source. */
  readonly recorded: ReadonlyMap<ItemRef, RecordedCopy>;
}

/** An item of a field that is copied. */
interface ItemCopy extends Pick<Copy, 'from' | 'purpose' | 'own'> {
  readonly field: SourceField;
  readonly component: ComponentSchema;
  /** The row that it is copied to. Null: a new one. */
  readonly to: number | null;
  readonly recorded: RecordedCopy | null;
}

/** Copies the components of a level of rows, without what is below them. Returns these, for the next level. */
async function copyItems(
  write: WriteSession,
  level: readonly CopiedRow[],
  { fields }: CopiedContent,
): Promise<readonly CopiedRow[]> {
  const sources: SourceField[] = [];
  for (const copy of level)
    for (const attribute of copy.attributes)
      if (isComponentField(attribute)) sources.push(await readSource(write, copy, attribute));
  const items = sources.flatMap(({ source, current }) => [...source, ...current]);
  const recorded = new Map(sources.flatMap((field) => [...field.recorded]));
  const counterparts = await readAhead(write, items, recorded);
  const copies: ItemCopy[] = [];
  for (const field of sources) copies.push(...(await pairItems(write, field, counterparts)));
  const aligned = await alignItems(write, copies);
  const made = await makeItems(write, copies);
  const below: CopiedRow[] = [];
  for (const item of copies) {
    if (aligned.has(item)) item.field.copy.changed.add(item.field.attribute.name);
    below.push(rowOfItem(item, item.to ?? made.get(item)!));
  }
  const byField = Map.groupBy(below.keys(), (index) => copies[index]!.field);
  for (const field of sources) {
    const { copy, attribute, current } = field;
    const rows = byField.get(field) ?? [];
    const written = rows.map((index) => ({ id: below[index]!.to, uid: copies[index]!.component.uid }));
    fields.push({ copy, schema: copy.schema, row: copy.to, attribute, current, items: written });
  }
  return below;
}

async function readSource(write: WriteSession, copy: CopiedRow, attribute: ComponentField): Promise<SourceField> {
  const { schema, from, to, toIsNew, purpose } = copy;
  const source = await readItems(write, schema, from, attribute.name);
  const current = toIsNew ? [] : await readItems(write, schema, to, attribute.name);
  const drafts = copy.draft ? await readItems(write, schema, copy.draft, attribute.name) : [];
  const recorded = new Map<ItemRef, RecordedCopy>();
  for (const [index, item] of source.entries()) {
    const draft = drafts[index]?.uid === item.uid ? drafts[index].id : null;
    const onRecord = recordedCopy(purpose, item.id, draft);
    if (onRecord) recorded.set(item, onRecord);
  }
  return { copy, attribute, source, current, recorded };
}

/** Which rows the items of a field are copied to. */
async function pairItems(
  write: WriteSession,
  field: SourceField,
  counterparts: ReadonlyMap<ItemRef, number>,
): Promise<ItemCopy[]> {
  const { source, current, recorded } = field;
  const { schema, from, purpose } = field.copy;
  // Databases that were upgraded may have rows that both lists hold. Such a row stays with the one that is copied.
  const unshared = current.filter((item) => !isAmong(source, item));
  const before = write.itemsBefore(schema.componentTable, from, field.attribute.name) ?? source;
  const paired = purpose.to === 'locale' ? pairLocales(source, before, current) : [];
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
    copies.push({ field, component, from: id, to: kept, purpose, recorded: onRecord, own });
  }
  return copies;
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

/** Makes the rows of items that have none to be copied to, those of a kind in the order of the items. */
async function makeItems(write: WriteSession, copies: readonly ItemCopy[]): Promise<ReadonlyMap<ItemCopy, number>> {
  const byKind = [
    ...Map.groupBy(
      copies.filter(({ to }) => to === null),
      ({ component }) => component,
    ),
  ];
  const ids = await Promise.all(
    byKind.map(([component, ofKind]) =>
      duplicate(
        write,
        component,
        ofKind.map(({ from }) => from),
      ),
    ),
  );
  const made = new Map(byKind.flatMap(([, ofKind], kind) => ofKind.map((item, index) => [item, ids[kind]![index]!])));
  const recorded = [...made].flatMap(([{ component, recorded }, id]) =>
    recorded ? [{ ...recorded, component, made: id }] : [],
  );
  await recordCounterparts(write, recorded);
  return made;
}

/** The copy of an item, whose own content is copied next. */
const rowOfItem = ({ field, component, from, to, purpose, recorded, own }: ItemCopy, row: number): CopiedRow => ({
  schema: component,
  attributes: nestedAttributes(component),
  place: { holder: field.copy, field: field.attribute.name },
  changed: new Set(),
  from,
  to: row,
  toIsNew: to === null,
  purpose,
  draft: purpose.to === 'locale' ? recorded?.id : null,
  own,
});
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

/** Makes a draft of a published component row, with all below it. Returns its id. */
export async function restoreItem(write: WriteSession, component: ComponentSchema, published: number): Promise<number> {
  const purpose = { to: 'draft' } as const;
  const [row] = await duplicate(write, component, [published]);
  await recordCounterparts(write, [{ id: published, to: 'draft', component, made: row! }]);
  await copyNestedContent(write, component, { from: published, to: row!, toIsNew: true, purpose });
  return row!;
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

/** Copies rows of a component. Returns the new ones, in the same order. */
function duplicate(write: WriteSession, component: ComponentSchema, ids: readonly number[]): Promise<number[]> {
  const statement = write.sql.duplicateRows(component.table, scalarColumns(component));
  return write.run.insertAll(ids.length, statement, JSON.stringify(ids.map((id, index) => [id, index])));
}

/** What the copy of a relation holds and shall hold, and what is to be put on record of it; null where nothing is. */
interface CopiedRelation {
  readonly list: Pick<RowList, 'current' | 'desired'> | null;
  readonly record: ListRecord | null;
}

async function copiedRelation(
  write: WriteSession,
  attribute: RelationAttribute,
  copy: CopiedRow,
): Promise<CopiedRelation> {
  const { link, name } = attribute;
  if (!isCopied(attribute) || (!isKey(attribute) && isLeftAlone(write, link, copy)))
    return { list: null, record: null };
  const { to, toIsNew } = copy;
  const { desired, drafts } = await copiedTargets(write, attribute, copy);
  const record = drafts && { attribute, published: to, drafts, isNew: toIsNew };
  const isRecorded = record !== null && (await isOtherRecord(write, record));
  if (isRecorded) copy.changed.add(name);
  if (isRecorded || toIsNew) write.noteList(link, to);
  const current = toIsNew ? [] : await readLinks(write, link, to);
  return { list: { current, desired }, record: isRecorded ? record : null };
}

/** A key goes with the row that it is kept in. */
const isCopied = (attribute: RelationAttribute): boolean =>
  attribute.storage !== 'none' && (!isKey(attribute) || attribute.owning);

/** Whether a component keeps its links: those of the one that stands for it in another locale were not written. */
const isLeftAlone = (write: WriteSession, link: LinkTable, { from, toIsNew, purpose, own }: Copy): boolean =>
  purpose.to === 'locale' && !!own && !toIsNew && !write.hasWrittenList(link, from);

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
