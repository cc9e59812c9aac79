// Sort keys + model → order keys. The last key is always the id, so that pages never overlap.
import { invalidKey, validationError } from '../../errors.ts';
import type { ScalarType, Schema } from '../../model/types.ts';
import type { SortKey } from '../../request/read-request.ts';
import type { PlanContext } from './context.ts';
import type { ColumnRef, OrderKey, RelationStep } from './nodes.ts';
import { relationStep } from './plan-filter.ts';
import type { NameLocation } from './resolve.ts';
import { leadsToMany, resolve } from './resolve.ts';
import { ID } from './versions.ts';

export const BY_ID: OrderKey = { steps: [], branches: false, column: ID, aggregate: null, descending: false };

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
  const many: number[] = [];
  let schema = root;
  for (const [index, name] of key.path.entries()) {
    const here = { param: location.param, path: [...location.path, ...key.path.slice(0, index)] };
    const attribute = resolve(context, schema, { name, use: 'sort', location: here });
    const last = index === key.path.length - 1;
    if (attribute.kind === 'scalar') {
      if (attribute.type === 'json' || attribute.type === 'blocks') throw invalidKey(name, here.path, location.param);
      if (!last) throw invalidKey(key.path[index + 1]!, [...here.path, name], location.param);
      const column = { column: attribute.column, type: attribute.type };
      return orderKey(key, { steps, many, column }, location);
    }
    if (last && key.aggregate === null) throw invalidKey(name, here.path, location.param);
    if (last && key.aggregate !== 'count')
      throw invalidKey(`$${key.aggregate}`, [...here.path, name], location.param, 'it stands behind an attribute');
    const next = relationStep(context, attribute);
    if (leadsToMany(attribute)) many.push(index);
    steps.push(next.step);
    schema = next.schema;
  }
  return orderKey(key, { steps, many, column: ID }, location);
}

const NUMBERS: ReadonlySet<ScalarType> = new Set(['integer', 'biginteger', 'float', 'decimal'] as const);

/** Where a sort path leads. */
interface Walked {
  readonly steps: readonly RelationStep[];
  /** Which of the steps lead to many rows. */
  readonly many: readonly number[];
  readonly column: ColumnRef;
}

function orderKey(
  { path, aggregate: is, descending }: SortKey,
  { steps, many, column }: Walked,
  { param, path: above }: NameLocation,
): OrderKey {
  const branches = many.some((step) => step > 0);
  if (is === null) return { steps, branches, column, aggregate: null, descending };
  const refused = (why: string): Error =>
    validationError(`Invalid key $${is} at ${[...above, ...path].join('.')}: ${why}`, {
      key: `$${is}`,
      path: [...above, ...path].join('.'),
      source: 'query',
      param,
    });
  if (many.length === 0) throw refused('it stands behind a relation to many, or a component that can be repeated');
  if (is === 'count' ? path.length > steps.length || many.at(-1) !== steps.length - 1 : path.length === steps.length)
    throw refused(is === 'count' ? 'it counts what a relation to many leads to' : 'it stands behind an attribute');
  if (many.length > 1 && (is === 'count' || is === 'avg'))
    throw refused('the path leads through several relations to many, and would reach entries more than once');
  if (is === 'avg' && !NUMBERS.has(column.type)) throw refused('only numbers have an average');
  return { steps, branches, column, aggregate: { is, step: many.at(-1)! }, descending };
}
