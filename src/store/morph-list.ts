// Lists of entries of several types, copied from one row to another: from a draft to its published row and back, into
// another locale, into a clone. All types share one order.
import type { LinkTable, MorphAttribute, Schema } from '../model/types.ts';
import type { RowsFor } from './document-versions.ts';
import { mayLoseMorphLink } from './morph-key.ts';
import { takesFromOthers } from './row-rights.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** From which row of a schema to which, and which rows its links lead to there. */
export interface MorphCopy {
  readonly from: number;
  readonly to: number;
  readonly rowsFor: RowsFor;
  /** Whether the entries that show the links of the one row show those of the other. */
  readonly isShown: boolean;
}

/** `field`: the attribute of the target that shows the link; null where none does. */
interface Link {
  readonly target: number;
  readonly position: number;
  readonly field: string | null;
}

interface StoredLink extends Link {
  readonly id: number;
  readonly row: number;
  readonly uid: string | null;
}

/** Says whether the list was another. */
export async function copyMorphList(
  write: WriteSession,
  schema: Schema,
  attribute: MorphAttribute,
  { from, to, rowsFor, isShown }: MorphCopy,
): Promise<boolean> {
  let isChanged = false;
  const all = await readMorphLinks(write, schema, attribute, [from, to]);
  for (const { uid, link } of attribute.targets) {
    const ofType = all.filter((stored) => stored.uid === uid);
    const source = ofType.filter(({ row }) => row === from);
    const current = ofType.filter(({ row }) => row === to);
    if (ofType.length === 0) continue;
    const targets = source.map(({ target }) => target);
    const rows = await rowsFor(uid, targets);
    // Positions are kept as they are in the source.
    const desired = source.flatMap(({ target, position, field }): Link[] => {
      const row = rows.get(target);
      return row === undefined ? [] : [{ target: row, position, field: isShown ? field : null }];
    });
    const { surplus, moved, added } = compare(current, desired);
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
      const pairs = group.map(({ target, position }) => [target, position]);
      await write.run.change(link.table, write.sql.insertLinks(shownBy(link, field)), to, JSON.stringify(pairs));
    }
  }
  return isChanged;
}

async function readMorphLinks(
  write: WriteSession,
  schema: Schema,
  attribute: MorphAttribute,
  rows: readonly number[],
): Promise<StoredLink[]> {
  const found = await write.run.rows(write.sql.morphLinks(attribute.targets[0]!.link), listOf(rows));
  return found.map(([id, row, uid, target, position, field]) => {
    const shows = field !== null && uid !== null && isShownBy(write, { uid, field }, { schema, attribute });
    return { id, row, uid, target, position: position ?? 0, field: shows ? field : null };
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
