// Copies what hangs around a row to another row: components with all below them, files of media fields, relations of
// components. Used to publish, to discard a draft, to bring locales in step and to clone.
import type { Attribute, ComponentSchema, ContentType, RelationAttribute, Schema } from '../model/types.ts';
import { type ItemRef, readItems, writeItems } from './components.ts';
import { readPairs, writePairs } from './link-table.ts';
import { draftsOf, publishedOf } from './relations.ts';
import { listOf, versionOf, type WriteSession } from './write-session.ts';

/** From where to where a copy goes, which decides which rows its relations lead to. */
export type CopyPurpose =
  | { readonly to: 'published' | 'draft' }
  | { readonly to: 'locale'; readonly locale: string; readonly published: boolean }
  | { readonly to: 'clone' };

type Field = Attribute & { kind: 'component' | 'dynamiczone' };

const isField = (attribute: Attribute): attribute is Field =>
  attribute.kind === 'component' || attribute.kind === 'dynamiczone';

/** `chosen` narrows the attributes copied; below the first level everything is. */
export async function copyAround(
  write: WriteSession,
  schema: Schema,
  from: number,
  to: number,
  purpose: CopyPurpose,
  chosen: (attribute: Attribute) => boolean = () => true,
): Promise<void> {
  for (const attribute of schema.attributes.values()) {
    if (!chosen(attribute)) continue;
    if (isField(attribute)) await copyField(write, schema, attribute, from, to, purpose);
    else if (attribute.kind === 'media') {
      const files = (await readPairs(write, attribute.pairs, from)).map((pair) => pair.to);
      await writePairs(write, attribute.pairs, to, await readPairs(write, attribute.pairs, to), files);
    } else if (attribute.kind === 'relation' && schema.kind === 'component' && attribute.storage === 'pairs')
      await copyComponentRelation(write, attribute, from, to, purpose);
  }
}

async function copyField(
  write: WriteSession,
  schema: Schema,
  attribute: Field,
  from: number,
  to: number,
  purpose: CopyPurpose,
): Promise<void> {
  const source = await readItems(write, schema.table, from, attribute.name);
  const current = await readItems(write, schema.table, to, attribute.name);
  const items: ItemRef[] = [];
  for (const [index, { id, uid }] of source.entries()) {
    const component = write.model.components.get(uid);
    if (!component) continue;
    const counterpart = await counterpartOf(write, component, id, purpose, current[index]);
    const kept = current.some((item) => item.uid === uid && item.id === counterpart) ? counterpart : null;
    const copy = kept ?? (await duplicate(write, component, id));
    if (kept !== null && scalarColumns(component).length > 0)
      await write.rows(write.sql.copyColumns(component.table, scalarColumns(component)), id, listOf([kept]));
    if (kept === null && (purpose.to === 'published' || purpose.to === 'draft')) {
      const toPublished = purpose.to === 'published';
      await write.rows(write.sql.dropCopies(toPublished ? 'draft' : 'published'), component.table, listOf([id]));
      await write.rows(write.sql.recordCopy(), component.table, toPublished ? id : copy, toPublished ? copy : id);
    }
    await copyAround(write, component, id, copy, purpose);
    items.push({ id: copy, uid });
  }
  await writeItems(write, schema, to, attribute, current, items);
}

export const scalarColumns = (schema: Schema): string[] =>
  [...schema.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' && attribute.name !== 'id' ? [attribute.column] : [],
  );

async function duplicate(write: WriteSession, component: ComponentSchema, id: number): Promise<number> {
  const columns = scalarColumns(component);
  if (columns.length === 0) return write.insert(component.table, [], []);
  const [row] = await write.rows(write.sql.duplicateRow(component.table, columns), id);
  return row![0] as number;
}

/**
 * The row that an earlier publication made of this one, or made this one from. An adopted database has no record of
 * it; there the row in the same place is taken, where it is of the same kind and not spoken for.
 */
async function counterpartOf(
  write: WriteSession,
  component: ComponentSchema,
  id: number,
  purpose: CopyPurpose,
  inPlace: ItemRef | undefined,
): Promise<number | null> {
  if (purpose.to !== 'published' && purpose.to !== 'draft') return null;
  const [side, other] =
    purpose.to === 'published' ? (['draft', 'published'] as const) : (['published', 'draft'] as const);
  const [copy] = await write.rows(write.sql.copiesOf(side), component.table, listOf([id]));
  if (copy) return copy[side === 'draft' ? 1 : 0] as number;
  if (inPlace?.uid !== component.uid) return null;
  const [taken] = await write.rows(write.sql.copiesOf(other), component.table, listOf([inPlace.id]));
  if (taken) return null;
  const pair = side === 'draft' ? [id, inPlace.id] : [inPlace.id, id];
  await write.rows(write.sql.recordCopy(), component.table, pair[0]!, pair[1]!);
  return inPlace.id;
}

async function copyComponentRelation(
  write: WriteSession,
  attribute: RelationAttribute,
  from: number,
  to: number,
  purpose: CopyPurpose,
): Promise<void> {
  const { pairs } = attribute;
  let targets = (await readPairs(write, pairs, from)).map((pair) => pair.to);
  const target = write.type(attribute.target);
  if (purpose.to === 'published' && target.draftAndPublish) {
    // Targets that are not published yet are remembered, in their place.
    await write.rows(write.sql.dropRecords('owner'), pairs.table, listOf([to]));
    const places = targets.map((id, index) => [id, index + 1]);
    if (places.length > 0) await write.rows(write.sql.recordLinks('owner'), pairs.table, to, JSON.stringify(places));
    const published = await publishedOf(write, target.table, targets);
    targets = targets.flatMap((id) => published.get(id) ?? []);
  } else if (purpose.to === 'draft' && target.draftAndPublish) {
    const recorded = await write.rows(write.sql.recordedLinks('owner'), pairs.table, from);
    const drafts = await draftsOf(write, target.table, targets);
    targets =
      recorded.length > 0 ? recorded.map((row) => row[0] as number) : targets.flatMap((id) => drafts.get(id) ?? []);
  } else if (purpose.to === 'locale' && target.localized) {
    targets = await inLocale(write, target, targets, purpose);
  } else if (purpose.to === 'locale' && target.draftAndPublish && !purpose.published) {
    const drafts = await draftsOf(write, target.table, targets);
    targets = targets.map((id) => drafts.get(id) ?? id);
  }
  await writePairs(write, pairs, to, await readPairs(write, pairs, to), targets);
}

/** The rows of the same documents in another locale; documents that have none there are left out. */
async function inLocale(
  write: WriteSession,
  target: ContentType,
  ids: readonly number[],
  { locale, published }: { readonly locale: string; readonly published: boolean },
): Promise<number[]> {
  if (ids.length === 0) return [];
  const originals = (await write.rows(write.sql.versionsByRow(target.table), listOf(ids))).map(versionOf);
  const documents = new Set(originals.map(({ documentId }) => documentId));
  const all = (await write.rows(write.sql.versionsOf(target.table), listOf(documents))).map(versionOf);
  return ids.flatMap((id) => {
    const original = originals.find((version) => version.id === id);
    const other = all.find(
      (version) =>
        version.documentId === original?.documentId &&
        version.locale === locale &&
        (!target.draftAndPublish || version.published === published),
    );
    return other ? [other.id] : [];
  });
}
