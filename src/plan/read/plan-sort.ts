// Sort keys + model → order keys. The last key is always the id, so that pages never overlap.
import { invalidKey } from '../../errors.ts';
import type { Schema } from '../../model/types.ts';
import type { SortKey } from '../../request/read-request.ts';
import type { PlanContext } from './context.ts';
import type { Hop, OrderKey } from './nodes.ts';
import { hopOf } from './plan-filter.ts';
import type { NamePlace } from './resolve.ts';
import { resolve } from './resolve.ts';
import { ID } from './versions.ts';

export const BY_ID: OrderKey = { hops: [], column: ID, descending: false };

export function planSort(context: PlanContext, schema: Schema, sort: readonly SortKey[], place: NamePlace): OrderKey[] {
  const keys = sort.map((key) => planKey(context, schema, key, place));
  const byId = keys.findIndex((key) => key.hops.length === 0 && key.column.column === ID.column);
  return byId >= 0 ? keys.slice(0, byId + 1) : [...keys, BY_ID];
}

function planKey(context: PlanContext, root: Schema, key: SortKey, place: NamePlace): OrderKey {
  const hops: Hop[] = [];
  let schema = root;
  for (const [index, name] of key.path.entries()) {
    const here = { param: place.param, path: [...place.path, ...key.path.slice(0, index)] };
    const attribute = resolve(context, schema, name, 'sort', here);
    const last = index === key.path.length - 1;
    if (attribute.kind === 'scalar') {
      if (attribute.type === 'json' || attribute.type === 'blocks') throw invalidKey(name, here.path, place.param);
      if (!last) throw invalidKey(key.path[index + 1]!, [...here.path, name], place.param);
      return { hops, column: { column: attribute.column, type: attribute.type }, descending: key.descending };
    }
    if (last) throw invalidKey(name, here.path, place.param);
    const next = hopOf(context, attribute);
    hops.push(next.hop);
    schema = next.schema;
  }
  throw invalidKey('', place.path, place.param);
}
