// Publishing: the published row of a document is brought in line with its draft, in place, so that its id and the
// links to it last as long as the document. A link shows between published rows when it stood in the draft of either
// side at that side's last publication and both are published; sheaf_published_links remembers what stood where.

import { linkAttributes, oneWayTo } from '../model/links.ts';
import type { Attribute, ContentType, MorphAttribute, Pairs, RelationAttribute, Schema } from '../model/types.ts';
import { applyChange } from '../plan/write/relation-order.ts';
import type { LinkSide } from '../sql/write-statements.ts';
import { holdersOfComponents } from './components.ts';
import { copyAround } from './copy.ts';
import { readPairs, takeFromOthers, writePairs } from './link-table.ts';
import { draftsOf, publishedOf, sameWorld } from './relations.ts';
import { listOf, type WriteSession } from './write-session.ts';

const sideOf = (attribute: RelationAttribute): LinkSide => (attribute.owning ? 'owner' : 'target');

/** Columns that the two rows of a document share: everything but the id and the moment of publication. */
export const sharedColumns = (type: ContentType): string[] =>
  [...type.attributes.values()].flatMap((attribute) => {
    if (attribute.kind === 'scalar')
      return attribute.name === 'id' || attribute.name === 'publishedAt' ? [] : [attribute.column];
    if (attribute.kind === 'morph' && !attribute.many) return ['target_id', 'target_type'];
    return isKey(attribute) ? [attribute.pairs.to] : [];
  });

/** A relation kept in a foreign key of the row itself. */
const isKey = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.kind === 'relation' && attribute.storage === 'column' && attribute.owning;

const PUBLISHED_AT = [{ column: 'published_at', type: 'datetime' }] as const;

/** Brings the published row in line with the draft; makes it where there is none. Returns its id. */
export async function publishRow(write: WriteSession, type: ContentType, draft: number): Promise<number> {
  const existing = (await publishedOf(write, type.table, [draft])).get(draft);
  const columns = sharedColumns(type);
  let published: number;
  if (existing === undefined) {
    const [row] = await write.rows(write.sql.duplicateRow(type.table, columns), draft);
    published = row![0] as number;
  } else {
    published = existing;
    await write.rows(write.sql.copyColumns(type.table, columns), draft, listOf([published]));
  }
  await write.rows(write.sql.updateRow(type.table, PUBLISHED_AT), write.now, published);
  await copyAround(write, type, draft, published, { to: 'published' });
  for (const attribute of linkAttributes(type)) await publishLinks(write, type, attribute, draft, published);
  for (const attribute of type.attributes.values()) {
    if (isKey(attribute)) await publishKey(write, attribute, draft, published);
    else if (attribute.kind === 'morph' && attribute.many) await publishMorph(write, attribute, draft, published);
  }
  if (existing === undefined) await showToOthers(write, type, draft, published);
  return published;
}

/** The rows that stand for targets among published content: their published rows, or they themselves. */
async function shownTargets(write: WriteSession, target: ContentType, ids: readonly number[]): Promise<number[]> {
  if (!target.draftAndPublish) return [...ids];
  const published = await publishedOf(write, target.table, ids);
  return ids.flatMap((id) => published.get(id) ?? []);
}

/** A foreign key was copied with its row; it must lead to a published row. */
async function publishKey(
  write: WriteSession,
  attribute: RelationAttribute,
  draft: number,
  published: number,
): Promise<void> {
  const target = write.type(attribute.target);
  if (!target.draftAndPublish) return;
  const linked = (await readPairs(write, attribute.pairs, draft)).map(({ to }) => to).filter((id) => id !== null);
  const [shown = null] = await shownTargets(write, target, linked);
  await write.rows(write.sql.setColumn(attribute.pairs.table, attribute.pairs.to, 'id'), shown, listOf([published]));
}

async function publishMorph(
  write: WriteSession,
  attribute: MorphAttribute,
  draft: number,
  published: number,
): Promise<void> {
  for (const { uid, pairs } of attribute.targets) {
    const inDraft = await readPairs(write, pairs, draft);
    const current = await readPairs(write, pairs, published);
    if (inDraft.length === 0 && current.length === 0) continue;
    const target = write.type(uid);
    const shown = target.draftAndPublish
      ? await publishedOf(
          write,
          target.table,
          inDraft.map(({ to }) => to),
        )
      : new Map(inDraft.map(({ to }) => [to, to]));
    // Places are shared by all types of the list, so they are kept as they are in the draft.
    if (current.length > 0) await write.rows(write.sql.deleteRows(pairs.table), listOf(current.map(({ id }) => id)));
    const places = inDraft.flatMap(({ to, place }) => (shown.has(to) ? [[shown.get(to)!, place ?? 0]] : []));
    if (places.length > 0) await write.rows(write.sql.insertPairs(pairs), published, JSON.stringify(places));
  }
}

async function publishLinks(
  write: WriteSession,
  type: ContentType,
  attribute: RelationAttribute,
  draft: number,
  published: number,
): Promise<void> {
  const { pairs } = attribute;
  const side = sideOf(attribute);
  const target = write.type(attribute.target);
  const inDraft = (await readPairs(write, pairs, draft)).map(({ to }) => to);
  if (target.draftAndPublish) {
    const recorded = await write.rows(write.sql.recordedLinks(side), pairs.table, draft);
    const dropped = recorded
      .filter((row) => row[1] !== null && !inDraft.includes(row[0] as number))
      .map((row) => row[0] as number);
    if (dropped.length > 0)
      for (const statement of write.sql.unrecordLinks(side))
        await write.rows(statement, pairs.table, draft, listOf(dropped));
    const before = new Map(recorded.map((row) => [row[0] as number, row[1] as number | null]));
    const places = inDraft.map((id, index): [number, number] => [id, index + 1]);
    const changed = places.filter(([id, place]) => before.get(id) !== place);
    if (changed.length > 0) await write.rows(write.sql.recordLinks(side), pairs.table, draft, JSON.stringify(changed));
  }
  await showLinks(write, type, attribute, draft, published, inDraft);
}

/** Makes the published row's list what the records of both sides say it is. */
async function showLinks(
  write: WriteSession,
  type: ContentType,
  attribute: RelationAttribute,
  draft: number,
  published: number,
  inDraft: readonly number[],
): Promise<void> {
  const { pairs } = attribute;
  const target = write.type(attribute.target);
  const recorded = await write.rows(write.sql.recordedLinks(sideOf(attribute)), pairs.table, draft);
  const current = await readPairs(write, pairs, published);
  const theirs = recorded.filter((row) => row[1] === null).map((row) => row[0] as number);
  let own: readonly number[];
  let others: readonly number[];
  if (target.draftAndPublish) {
    const mine = recorded.filter((row) => row[1] !== null).map((row) => row[0] as number);
    const shown = await publishedOf(write, target.table, [...mine, ...theirs]);
    own = mine.flatMap((id) => shown.get(id) ?? []);
    others = theirs.flatMap((id) => shown.get(id) ?? []);
  } else {
    own = inDraft;
    others = recorded.filter((row) => row[2] !== null).map((row) => row[0] as number);
  }
  const merged = merge(
    own,
    others,
    current.map(({ to }) => to),
  );
  const desired = attribute.many ? merged : (own.length > 0 ? own : merged).slice(-1);
  const { added } = await writePairs(write, pairs, published, current, desired);
  if (attribute.exclusive) await takePublished(write, type, attribute, published, added);
  for (const id of added) await placeInverse(write, attribute, draft, published, id);
}

/** The own list in its order; what only the other side vouches for stays behind the neighbour it had. */
function merge(own: readonly number[], others: readonly number[], current: readonly number[]): number[] {
  const result = [...own];
  const extra = new Set(others.filter((id) => !own.includes(id)));
  for (const [index, id] of current.entries()) {
    if (!extra.delete(id)) continue;
    const neighbour = index === 0 ? undefined : current[index - 1];
    const at = neighbour === undefined ? 0 : result.indexOf(neighbour) + 1;
    result.splice(neighbour !== undefined && at === 0 ? result.length : at, 0, id);
  }
  return [...result, ...extra];
}

/** Other published rows lose what this one now holds alone, and so do the records of it. */
async function takePublished(
  write: WriteSession,
  type: ContentType,
  attribute: RelationAttribute,
  published: number,
  added: readonly number[],
): Promise<void> {
  const owner = { id: published, table: type.table, draftAndPublish: true, localized: type.localized };
  const taken = await takeFromOthers(write, attribute.pairs, published, added, (holders) =>
    sameWorld(write, { ...owner, status: 'published', locale: null, publishes: true }, holders),
  );
  const target = write.type(attribute.target);
  for (const [former, id] of taken) {
    const mine = (await draftsOf(write, type.table, [former])).get(former) ?? former;
    const other = target.draftAndPublish ? ((await draftsOf(write, target.table, [id])).get(id) ?? id) : id;
    const [owns, owned] = attribute.owning ? [mine, other] : [other, mine];
    await write.rows(write.sql.dropRecord(), attribute.pairs.table, owns, owned);
  }
}

/** Puts a new link in its place in the list of the row at its other end. */
async function placeInverse(
  write: WriteSession,
  attribute: RelationAttribute,
  draft: number,
  published: number,
  other: number,
): Promise<void> {
  const { pairs } = attribute;
  if (!pairs.inverseOrder) return;
  const inverse: Pairs = {
    ...pairs,
    from: pairs.to,
    to: pairs.from,
    order: pairs.inverseOrder,
    inverseOrder: pairs.order,
  };
  const current = await readPairs(write, inverse, other);
  const list = current.map(({ to }) => to);
  const target = write.type(attribute.target);
  let anchor: { at: 'before' | 'after'; anchor: number[] } | null = null;
  if (!target.draftAndPublish) anchor = list.includes(draft) ? { at: 'after', anchor: [draft] } : null;
  else {
    // The other side recorded where it wants the link; it goes before the first one that it wants later.
    const theirDraft = (await draftsOf(write, target.table, [other])).get(other);
    const side = attribute.owning ? 'target' : 'owner';
    const recorded =
      theirDraft === undefined ? [] : await write.rows(write.sql.recordedLinks(side), pairs.table, theirDraft);
    const places = new Map(recorded.map((row) => [row[0] as number, row[1] as number | null]));
    const place = places.get(draft) ?? null;
    if (place !== null) {
      const holder = [...write.model.contentTypes.values()].find(
        (type) => type.attributes.get(attribute.name) === attribute,
      )!;
      const drafts = await draftsOf(write, holder.table, list);
      const later = list.find((id) => id !== published && (places.get(drafts.get(id) ?? id) ?? 0) > place);
      if (later !== undefined) anchor = { at: 'before', anchor: [later] };
    }
  }
  if (!anchor) return;
  const desired = applyChange(list, {
    connect: [{ ids: [published], position: anchor }],
    disconnect: [],
    strict: false,
  });
  await writePairs(write, inverse, other, current, desired);
}

/** A document that is published for the first time appears wherever one-way relations already lead to it. */
async function showToOthers(write: WriteSession, type: ContentType, draft: number, published: number): Promise<void> {
  await showToKeys(write, type, draft, published);
  for (const [schema, attribute] of oneWayTo(write.model, type.uid)) {
    const { pairs } = attribute;
    const holders = await write.rows(write.sql.holdersOf(pairs.table, pairs.from, pairs.to), listOf([draft]));
    const recorded = (await write.rows(write.sql.recordedLinks('target'), pairs.table, draft)).map(
      (row) => row[0] as number,
    );
    const candidates = [...new Set([...holders.map((row) => row[0] as number), ...recorded])];
    const withoutDrafts = await rowsWithoutDrafts(write, schema, candidates);
    for (const row of withoutDrafts) {
      const current = await readPairs(write, pairs, row);
      const list = current.map(({ to }) => to);
      const position = { at: 'after', anchor: [draft] } as const;
      const desired = applyChange(list, { connect: [{ ids: [published], position }], disconnect: [], strict: false });
      await writePairs(write, pairs, row, current, desired);
    }
    const owners = recorded.filter((id) => !withoutDrafts.includes(id));
    const rows =
      schema.kind === 'component'
        ? new Map(owners.map((id) => [id, id]))
        : await publishedOf(write, schema.table, owners);
    for (const [key, row] of rows) await showOneWay(write, attribute, key, row);
  }
}

/** Published rows whose draft leads here by a foreign key lead to the published row from now on. */
async function showToKeys(write: WriteSession, type: ContentType, draft: number, published: number): Promise<void> {
  for (const holder of write.model.contentTypes.values()) {
    if (!holder.draftAndPublish) continue;
    for (const attribute of holder.attributes.values()) {
      if (!isKey(attribute) || attribute.target !== type.uid) continue;
      const { table, to } = attribute.pairs;
      const drafts = await write.rows(write.sql.holdersOf(table, 'id', to), listOf([draft]));
      const rows = await publishedOf(
        write,
        table,
        drafts.map((row) => row[0] as number),
      );
      if (rows.size > 0) await write.rows(write.sql.setColumn(table, to, 'id'), published, listOf(rows.values()));
    }
  }
}

/** A one-way list of a published row, as recorded when it was published, with the targets that are published now. */
async function showOneWay(write: WriteSession, attribute: RelationAttribute, key: number, row: number): Promise<void> {
  const { pairs } = attribute;
  const recorded = (await write.rows(write.sql.recordedLinks('owner'), pairs.table, key)).map(
    (one) => one[0] as number,
  );
  const shown = await publishedOf(write, write.type(attribute.target).table, recorded);
  const current = await readPairs(write, pairs, row);
  const own = recorded.flatMap((id) => shown.get(id) ?? []);
  await writePairs(write, pairs, row, current, attribute.many ? own : own.slice(-1));
}

/** Those of the rows that belong to a document without drafts: such a row is its own published version. */
async function rowsWithoutDrafts(write: WriteSession, schema: Schema, rows: readonly number[]): Promise<number[]> {
  if (rows.length === 0) return [];
  if (schema.kind !== 'component') return schema.draftAndPublish ? [] : [...rows];
  const found: number[] = [];
  for (const [parent, holders] of await holdersOfComponents(write, schema, rows)) {
    const free = new Set(await rowsWithoutDrafts(write, parent, [...new Set(holders.values())]));
    for (const [component, holder] of holders) if (free.has(holder)) found.push(component);
  }
  return found;
}

/** Brings the draft back to what was last published. */
export async function discardRow(
  write: WriteSession,
  type: ContentType,
  draft: number,
  published: number,
): Promise<void> {
  await write.rows(write.sql.copyColumns(type.table, sharedColumns(type)), published, listOf([draft]));
  await copyAround(write, type, published, draft, { to: 'draft' });
  for (const attribute of linkAttributes(type)) {
    const { pairs } = attribute;
    const target = write.type(attribute.target);
    const current = await readPairs(write, pairs, draft);
    const shown = (await readPairs(write, pairs, published)).map(({ to }) => to);
    let desired = shown;
    if (target.draftAndPublish) {
      const recorded = await write.rows(write.sql.recordedLinks(sideOf(attribute)), pairs.table, draft);
      const drafts = await draftsOf(write, target.table, shown);
      const mine = recorded.filter((row) => row[1] !== null).map((row) => row[0] as number);
      const theirs = recorded.filter((row) => row[1] === null).map((row) => row[0] as number);
      // A database that was adopted has no records; then what shows is what was published.
      desired =
        recorded.length > 0
          ? merge(
              mine,
              theirs,
              shown.map((id) => drafts.get(id) ?? id),
            )
          : shown.flatMap((id) => drafts.get(id) ?? []);
    }
    const { added } = await writePairs(write, pairs, draft, current, desired);
    const owner = { id: draft, table: type.table, draftAndPublish: true, localized: type.localized };
    if (attribute.exclusive)
      await takeFromOthers(write, pairs, draft, added, (holders) =>
        sameWorld(write, { ...owner, status: 'draft', locale: null, publishes: false }, holders),
      );
  }
}
