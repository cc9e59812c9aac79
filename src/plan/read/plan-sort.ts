// Sort keys + model → order keys. The last key is always the id, so that pages never overlap.
import { invalidKey } from '../../errors.ts';
import type { Attribute, Schema } from '../../model/types.ts';
import type { SortKey } from '../../request/read-request.ts';
import type { PlanContext } from './context.ts';
import type { OrderKey, RelationStep } from './nodes.ts';
import { relationStep } from './plan-filter.ts';
import type { NameLocation } from './resolve.ts';
import { resolve } from './resolve.ts';
import { ID } from './versions.ts';

export const BY_ID: OrderKey = { steps: [], branches: false, column: ID, descending: false };

export function planSort(
  context: PlanContext,
  schema: Schema,
  sort: readonly SortKey[],
  location: NameLocation,
): OrderKey[] {
  const keys = sort.map((key) => planKey(context, schema, key, location));
  const byId = keys.findIndex((key) => key.steps.length === 0 && key.column.column === ID.column);
  return byId >= 0 ? keys.slice(0, byId + 1) : [...keys, BY_ID];
}

function planKey(context: PlanContext, root: Schema, key: SortKey, location: NameLocation): OrderKey {
  const steps: RelationStep[] = [];
  let branches = false;
  let schema = root;
  for (const [index, name] of key.path.entries()) {
    const here = { param: location.param, path: [...location.path, ...key.path.slice(0, index)] };
    const attribute = resolve(context, schema, { name, use: 'sort', location: here });
    const last = index === key.path.length - 1;
    if (attribute.kind === 'scalar') {
      if (attribute.type === 'json' || attribute.type === 'blocks') throw invalidKey(name, here.path, location.param);
      if (!last) throw invalidKey(key.path[index + 1]!, [...here.path, name], location.param);
      const column = { column: attribute.column, type: attribute.type };
      return { steps, branches, column, descending: key.descending };
    }
    if (last) throw invalidKey(name, here.path, location.param);
    const next = relationStep(context, attribute);
    branches ||= steps.length > 0 && leadsToMany(attribute);
    steps.push(next.step);
    schema = next.schema;
  }
  throw invalidKey('', location.path, location.param);
}

const leadsToMany = (attribute: Attribute): boolean =>
  attribute.kind === 'localizations' || ('many' in attribute && attribute.many);
