// Deleting rows of documents with all that belongs to them. Links go with the rows by foreign key; the lists they
// leave are closed up, so that places stay dense.

import { linkAttributes, oneWayTo } from '../model/links.ts';
import type { ContentType } from '../model/types.ts';
import { deleteBelow } from './components.ts';
import { listOf, type WriteSession } from './write-session.ts';

interface Gap {
  readonly table: string;
  readonly holder: string;
  readonly place: string;
  readonly holders: readonly number[];
}

/** `drafts`: those of the rows whose documents are gone for good, so that nothing need be remembered of them. */
export async function removeRows(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
  drafts: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const gaps = await gapsOf(write, type, ids);
  await deleteBelow(write, type, ids);
  for (const { pairs, owning } of linkAttributes(type))
    if (drafts.length > 0)
      await write.rows(write.sql.dropRecords(owning ? 'owner' : 'target'), pairs.table, listOf(drafts));
  for (const [, { pairs }] of oneWayTo(write.model, type.uid))
    if (drafts.length > 0) await write.rows(write.sql.dropRecords('target'), pairs.table, listOf(drafts));
  await write.rows(write.sql.deleteRows(type.table), listOf(ids));
  for (const { table, holder, place, holders } of gaps)
    await write.rows(write.sql.closeGaps(table, holder, place), listOf(holders));
}

async function gapsOf(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<Gap[]> {
  const gaps: Gap[] = [];
  const add = async (table: string, holder: string, held: string, place: string) => {
    const rows = await write.rows(write.sql.holdersOf(table, holder, held), listOf(ids));
    const holders = rows.map((row) => row[0] as number).filter((id) => id !== null);
    if (holders.length > 0) gaps.push({ table, holder, place, holders });
  };
  for (const { pairs } of linkAttributes(type))
    if (pairs.inverseOrder) await add(pairs.table, pairs.to, pairs.from, pairs.inverseOrder);
  for (const [, { pairs }] of oneWayTo(write.model, type.uid))
    if (pairs.order) await add(pairs.table, pairs.from, pairs.to, pairs.order);
  return gaps;
}
