// Cursor + order keys → the rows beyond it. They are told by comparisons of the sort keys alone, so that a page costs
// the same wherever it stands, and rows that come or go elsewhere do not move it.
import { createHash } from 'node:crypto';
import { invalidCursor } from '../../errors.ts';
import type { ContentType } from '../../model/types.ts';
import type { CursorShape, SortKey } from '../../request/read-request.ts';
import type { PlanContext } from './context.ts';
import type { Condition, KeysetPlan, KeysetSegment, OrderKey } from './nodes.ts';
import { resolve } from './resolve.ts';
import { allOf, ID } from './versions.ts';

const DIGEST_LENGTH = 8;

/** A sort key with the slot of the value that the cursor holds for it; null for null. */
interface PlacedKey {
  readonly key: OrderKey;
  readonly slot: number | null;
}

export function planKeyset(
  context: PlanContext,
  type: ContentType,
  { sort, cursor: { place, withCount } }: { readonly sort: readonly SortKey[]; readonly cursor: CursorShape },
  listed: readonly OrderKey[],
): KeysetPlan {
  if (listed.some(({ steps }) => steps.length > 0))
    throw invalidCursor('a sort by attributes of the entries themselves; a sort through relations has no cursors');
  // A cursor holds values of what it is sorted by, and some may sort by what they may not read.
  for (const { path } of sort)
    resolve(context, type, { name: path[0]!, use: 'field', location: { param: 'sort', path: [] } });
  const digest = digestOf(type, listed);
  const isIndexed = !withCount && hasIndex(type, listed[0]!);
  if (!place) {
    const segments = [{ where: null, order: listed }];
    return { digest, slots: null, backward: false, order: listed, segments, isIndexed };
  }
  const { backward, slots } = place;
  if (place.digest !== digest || slots.length !== listed.length || slots.at(-1) === null)
    throw invalidCursor('a cursor of a list with the same content-type and sort');
  const order = backward ? listed.map((key) => ({ ...key, descending: !key.descending })) : listed;
  const keys = order.map((key, index) => ({ key, slot: slots[index]! }));
  return { digest, slots, backward, order, segments: segmentsOf(keys), isIndexed };
}

const hasIndex = ({ indexes }: ContentType, { column: { column } }: OrderKey): boolean =>
  column === ID.column || indexes.some(([first]) => first!.column === column);

const digestOf = ({ uid }: ContentType, order: readonly OrderKey[]): string =>
  createHash('sha256')
    .update(JSON.stringify([uid, ...order.map(({ column, descending }) => [column.column, descending])]))
    .digest('base64url')
    .slice(0, DIGEST_LENGTH);

/** Rows that equal the cursor in the first key and go on by the others, then rows with a later value, then nulls. */
function segmentsOf(keys: readonly PlacedKey[]): KeysetSegment[] {
  const [first, ...rest] = keys;
  const order = keys.map(({ key }) => key);
  const later = laterThan(first!).map((where) => ({ where, order: where.is === 'null' ? order.slice(1) : order }));
  if (rest.length === 0) return later;
  return [{ where: allOf([equalTo(first!), beyond(rest)]), order: order.slice(1) }, ...later];
}

/** Whether a row comes after the cursor, by these keys. */
function beyond(keys: readonly PlacedKey[]): Condition {
  const [first, ...rest] = keys;
  const later = laterThan(first!);
  const ways = rest.length > 0 ? [...later, allOf([equalTo(first!), beyond(rest)])!] : later;
  return ways.length === 1 ? ways[0]! : { is: 'or', of: ways };
}

const equalTo = ({ key: { column }, slot }: PlacedKey): Condition =>
  slot === null ? { is: 'null', column } : { is: 'compareCursor', column, op: 'eq', slot };

/** Values of one key that come later than the cursor's; nulls are last ascending and first descending. */
function laterThan({ key: { column, descending }, slot }: PlacedKey): Condition[] {
  if (slot === null) return descending ? [{ is: 'notNull', column }] : [];
  if (descending) return [{ is: 'compareCursor', column, op: 'lt', slot }];
  const greater: Condition = { is: 'compareCursor', column, op: 'gt', slot };
  return column.column === ID.column ? [greater] : [greater, { is: 'null', column }];
}
