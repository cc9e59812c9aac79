// Copies what belongs to a row to another row: components with all below them, files of media fields, relations of
// components. Used to publish, to discard a draft, to sync locales and to clone.
import { isForeignKey } from '../model/links.ts';
import type { Attribute, ComponentSchema, ContentType, RelationAttribute, Schema } from '../model/types.ts';
import type { Status } from '../request/read-request.ts';
import { type ComponentField, readItems, writeItems } from './components.ts';
import { draftsOf, publishedOf, type RowsFor, rowsInLocale, rowsInStatus, sameRows } from './document-versions.ts';
import type { ItemRef } from './gathered.ts';
import { readLinks, readTargets, writeLinks } from './link-table.ts';
import { copyMorphKey } from './morph-key.ts';
import { copyMorphList } from './morph-list.ts';
import { readRecord, recordList } from './publication-records.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** What a copy is for, which decides which rows its relations lead to. */
export type CopyPurpose =
  | { readonly to: 'published' | 'draft' }
  /** `status`: of the rows; null for those without drafts. */
  | { readonly to: 'locale'; readonly locale: string; readonly status: Status | null }
  | { readonly to: 'clone' };

/** From which row to which. */
export interface Copy {
  readonly from: number;
  readonly to: number;
  /** A row that was just made holds nothing yet. */
  readonly toIsNew: boolean;
  readonly purpose: CopyPurpose;
}

const isField = (attribute: Attribute): attribute is ComponentField =>
  attribute.kind === 'component' || attribute.kind === 'dynamiczone';

/** `chosen` narrows the attributes copied; below the first level everything is. */
export async function copyNestedContent(
  write: WriteSession,
  schema: Schema,
  copy: Copy,
  chosen: (attribute: Attribute) => boolean = () => true,
): Promise<void> {
  const { from, to } = copy;
  for (const attribute of schema.attributes.values()) {
    if (!chosen(attribute)) continue;
    if (isField(attribute)) await copyField(write, schema, attribute, copy);
    else if (attribute.kind === 'media') {
      const desired = await readTargets(write, attribute.link, from);
      const current = copy.toIsNew ? [] : await readLinks(write, attribute.link, to);
      await writeLinks(write, attribute.link, to, { current, desired });
    } else if (attribute.kind === 'relation' && schema.kind === 'component')
      await copyComponentRelation(write, attribute, copy);
  }
  if (schema.kind === 'component') await copyMorphs(write, schema, copy);
}

async function copyField(write: WriteSession, schema: Schema, attribute: ComponentField, copy: Copy): Promise<void> {
  const { from, to, toIsNew, purpose } = copy;
  const source = await readItems(write, schema, from, attribute.name);
  const current = toIsNew ? [] : await readItems(write, schema, to, attribute.name);
  const items: ItemRef[] = [];
  for (const [index, { id, uid }] of source.entries()) {
    const component = write.model.components.get(uid);
    if (!component) continue;
    const counterpart = await counterpartOf(write, component, { id, purpose, atSamePosition: current[index] });
    const kept = current.some((item) => item.uid === uid && item.id === counterpart) ? counterpart : null;
    const made = kept ?? (await duplicate(write, component, id));
    if (kept !== null && scalarColumns(component).length > 0)
      await write.run.rows(write.sql.copyColumns(component.table, scalarColumns(component)), id, listOf([kept]));
    if (kept === null && (purpose.to === 'published' || purpose.to === 'draft')) {
      const toPublished = purpose.to === 'published';
      await write.run.rows(
        write.publications.dropCopies(toPublished ? 'draft' : 'published'),
        component.table,
        listOf([id]),
      );
      await write.run.rows(
        write.publications.recordCopy(),
        component.table,
        toPublished ? id : made,
        toPublished ? made : id,
      );
    }
    await copyNestedContent(write, component, { from: id, to: made, toIsNew: kept === null, purpose });
    items.push({ id: made, uid });
  }
  await writeItems(write, schema, { row: to, attribute, current, items });
}

export const scalarColumns = (schema: Schema): string[] =>
  [...schema.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' && attribute.name !== 'id' ? [attribute.column] : [],
  );

async function duplicate(write: WriteSession, component: ComponentSchema, id: number): Promise<number> {
  const columns = scalarColumns(component);
  return columns.length === 0
    ? write.run.insert(component.table, write.sql.insertRow(component.table, []))
    : write.run.insert(component.table, write.sql.duplicateRow(component.table, columns), id);
}

/**
 * The row that an earlier publication made of this one, or made this one from. An adopted database has no record of
 * it; there the row at the same position is taken, where it is of the same kind and no copy of another.
 */
async function counterpartOf(
  write: WriteSession,
  component: ComponentSchema,
  {
    id,
    purpose,
    atSamePosition,
  }: { readonly id: number; readonly purpose: CopyPurpose; readonly atSamePosition: ItemRef | undefined },
): Promise<number | null> {
  if (purpose.to !== 'published' && purpose.to !== 'draft') return null;
  const isDraft = purpose.to === 'published';
  const [side, other] = isDraft ? (['draft', 'published'] as const) : (['published', 'draft'] as const);
  const [copy] = await write.run.rows(write.publications.copiesOf(side), component.table, listOf([id]));
  if (copy) return copy[isDraft ? 1 : 0];
  if (atSamePosition?.uid !== component.uid) return null;
  const [taken] = await write.run.rows(
    write.publications.copiesOf(other),
    component.table,
    listOf([atSamePosition.id]),
  );
  if (taken) return null;
  const [draft, published] = isDraft ? [id, atSamePosition.id] : [atSamePosition.id, id];
  await write.run.rows(write.publications.recordCopy(), component.table, draft, published);
  return atSamePosition.id;
}

async function copyComponentRelation(write: WriteSession, attribute: RelationAttribute, copy: Copy): Promise<void> {
  const { link } = attribute;
  if (attribute.storage !== 'linkTable' && !isForeignKey(attribute)) return;
  const desired = await copiedTargets(write, attribute, copy);
  if (isForeignKey(attribute)) {
    const key = write.sql.setColumn(link.table, link.to, 'id');
    await write.run.change(link.table, key, desired.at(-1) ?? null, listOf([copy.to]));
    return;
  }
  const current = copy.toIsNew ? [] : await readLinks(write, link, copy.to);
  await writeLinks(write, link, copy.to, { current, desired });
}

/** What the copy of a list leads to. One of a published row is put on record, for targets that are not published yet. */
async function copiedTargets(
  write: WriteSession,
  attribute: RelationAttribute,
  { from, to, purpose }: Copy,
): Promise<readonly number[]> {
  const targets = await readTargets(write, attribute.link, from);
  const target = write.type(attribute.target);
  const locale = purpose.to === 'locale' ? purpose.locale : null;
  const status = purpose.to === 'locale' ? purpose.status : purpose.to === 'clone' ? null : purpose.to;
  if (!target.draftAndPublish || status === null) return inLocale(write, target, targets, locale);
  if (status === 'published') {
    const inDraft = locale === null ? targets : await readRecord(write, attribute, from);
    const drafts = await inLocale(write, target, inDraft, locale);
    await recordList(write, attribute, to, drafts);
    const published = await publishedOf(write, target.table, drafts);
    return drafts.flatMap((id) => published.get(id) ?? []);
  }
  const drafts = await draftsOf(write, target.table, targets);
  if (locale !== null) {
    const drafted = targets.map((id) => drafts.get(id) ?? id);
    return inLocale(write, target, drafted, locale);
  }
  const recorded = await readRecord(write, attribute, from);
  return recorded.length > 0 ? recorded : targets.flatMap((id) => drafts.get(id) ?? []);
}

/** The rows of the same documents and status in another locale, where one is meant; those that are not there are left out. */
async function inLocale(
  write: WriteSession,
  { uid }: ContentType,
  ids: readonly number[],
  locale: string | null,
): Promise<readonly number[]> {
  if (locale === null) return ids;
  const rows = await rowsInLocale(write, locale)(uid, ids);
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/** Which rows the copy of a polymorphic link leads to. */
function rowsForCopy(write: WriteSession, purpose: CopyPurpose): RowsFor {
  if (purpose.to === 'clone') return sameRows;
  return purpose.to === 'locale' ? rowsInLocale(write, purpose.locale) : rowsInStatus(write, purpose.to);
}

/** Copies the polymorphic relations of a row. */
export async function copyMorphs(write: WriteSession, schema: Schema, { from, to, purpose }: Copy): Promise<void> {
  const rowsFor = rowsForCopy(write, purpose);
  for (const attribute of schema.attributes.values())
    if (attribute.kind === 'morph')
      await (attribute.many ? copyMorphList : copyMorphKey)(write, schema, attribute, { from, to, rowsFor });
}
