// Read request + model → read plan, in small stages: which rows, in which order, what of each.

import type { Access } from '../../access/access.ts';
import type { ContentType, Model } from '../../model/types.ts';
import type { ReadShape } from '../../request/read-request.ts';
import { PlanContext } from './context.ts';
import type { Condition, ReadPlan } from './nodes.ts';
import { planFilter, seenRows } from './plan-filter.ts';
import { planEntity, withSortFields } from './plan-populate.ts';
import { planSort } from './plan-sort.ts';
import { contentType, isUsable, readableScalars } from './resolve.ts';
import { allOf } from './versions.ts';

/** `byDocument`: one document, whose id is given when the plan runs. */
export function planRead(model: Model, uid: string, shape: ReadShape, byDocument: boolean, access: Access): ReadPlan {
  const type = contentType(model, uid);
  const context = new PlanContext(model, { status: shape.status, publication: shape.publication }, access);
  context.touch(uid);
  const at = (param: string) => ({ param, path: [] });
  const filter = shape.filters && planFilter(context, type, shape.filters, at('filters'));
  const order = planSort(context, type, shape.sort, at('sort'));
  const fields =
    filter && looksThroughRelation(filter) ? withSortFields(context, type, shape.fields, shape.sort) : shape.fields;
  const entity = planEntity(context, type, { fields, populate: shape.populate }, at('fields'), at('populate'));
  const where = allOf([
    byDocument ? { is: 'document' } : null,
    seenRows(context, type),
    type.localized ? localeCondition(shape.locale) : null,
    shape.search === null ? null : searchCondition(context, type, shape.search),
    filter,
  ]);
  return deepFreeze({
    uid,
    where,
    order,
    entity,
    status: shape.status,
    publication: shape.publication,
    touches: context.touched,
    omitted: context.omitted,
  });
}

const looksThroughRelation = (condition: Condition): boolean =>
  condition.is === 'related' ||
  condition.is === 'unrelated' ||
  ('of' in condition && condition.of.some(looksThroughRelation));

const localeCondition = (locale: ReadShape['locale']): Condition | null =>
  locale === 'all' ? null : { is: 'locale', slot: locale === 'default' ? null : locale };

const SEARCHED = new Set([
  'string',
  'text',
  'richtext',
  'email',
  'uid',
  'enumeration',
  'integer',
  'biginteger',
  'float',
  'decimal',
]);

/** A search is a filter on whatever the caller may read and filter by. */
function searchCondition(context: PlanContext, type: ContentType, slot: number): Condition {
  const columns = readableScalars(context, type)
    .filter((attribute) => attribute.searchable && SEARCHED.has(attribute.type))
    .filter((attribute) => isUsable(context, type, attribute, 'filter'))
    .map(({ column, type }) => ({ column, type }));
  return columns.length > 0 ? { is: 'search', columns, slot } : { is: 'never' };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
