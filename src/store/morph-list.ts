// Lists of entries of several types, copied from one row to another: from a draft to its published row and back, into
// another locale, into a clone. All types share one order.
import type { MorphAttribute, Schema } from '../model/types.ts';
import type { RowsFor } from './document-versions.ts';
import { readLinks } from './link-table.ts';
import { mayLoseMorphLink } from './morph-key.ts';
import { takesFromOthers } from './row-rights.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** From which row of a schema to which, and which rows its links lead to there. */
export interface MorphCopy {
  readonly from: number;
  readonly to: number;
  readonly rowsFor: RowsFor;
}

/** Says whether the list was another. */
export async function copyMorphList(
  write: WriteSession,
  schema: Schema,
  attribute: MorphAttribute,
  { from, to, rowsFor }: MorphCopy,
): Promise<boolean> {
  let isChanged = false;
  for (const { uid, link } of attribute.targets) {
    const source = await readLinks(write, link, from);
    const current = await readLinks(write, link, to);
    if (source.length === 0 && current.length === 0) continue;
    const targets = source.map((stored) => stored.target);
    const rows = await rowsFor(uid, targets);
    // Positions are kept as they are in the source. Links that stay are kept as well, with the field that shows them at
    // their other end.
    const surplus = [...current];
    const [moved, added]: [[number, number][], [number, number][]] = [[], []];
    for (const stored of source) {
      const row = rows.get(stored.target);
      if (row === undefined) continue;
      const position = stored.position ?? 0;
      const at = surplus.findIndex((one) => one.target === row);
      const [kept] = at < 0 ? [] : surplus.splice(at, 1);
      if (!kept) added.push([row, position]);
      else if (kept.position !== position) moved.push([kept.id, position]);
    }
    isChanged ||= surplus.length > 0 || moved.length > 0 || added.length > 0;
    const ids = surplus.map((stored) => stored.target);
    if (!(await mayLoseMorphLink(write, schema, attribute, { target: write.type(uid), ids })))
      throw takesFromOthers([attribute.name]);
    if (surplus.length > 0)
      await write.run.change(link.table, write.sql.deleteRows(link.table), listOf(surplus.map(({ id }) => id)));
    if (moved.length > 0)
      await write.run.change(link.table, write.sql.setPositions(link.table, link.order!), JSON.stringify(moved));
    if (added.length > 0) await write.run.change(link.table, write.sql.insertLinks(link), to, JSON.stringify(added));
  }
  return isChanged;
}
