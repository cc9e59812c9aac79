// Read request + model → read plan, in small stages: which rows, in which order, what of each.

import type { Authorized } from '../../access/authorize.ts';
import type { Operation } from '../../access/operation.ts';
import { forbiddenError } from '../../errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../limits.ts';
import type { ContentType, Model } from '../../model/types.ts';
import type { ReadShape } from '../../request/read-request.ts';
import { PlanContext } from './context.ts';
import type { Condition, ReadPlan } from './nodes.ts';
import { planFilter, visibleRows, writtenRows } from './plan-filter.ts';
import { planKeyset } from './plan-keyset.ts';
import { planEntity, withSortFields } from './plan-populate.ts';
import { planSort } from './plan-sort.ts';
import { isUsable, readableScalars } from './resolve.ts';
import { allOf } from './versions.ts';

declare const planned: unique symbol;

/** The only thing that sql/ compiles into a read. Only planRead makes one, from an authorized operation. */
export interface AuthorizedReadPlan extends ReadPlan {
  readonly [planned]: true;
}

export interface ReadPlanning {
  readonly model: Model;
  readonly limits?: Limits;
}

/** `byDocument`: one document, whose id is given when the plan runs. The answer to a write is such a read. */
export function planRead(
  { model, limits = DEFAULT_LIMITS }: ReadPlanning,
  { operation, caller }: Authorized<Operation>,
  shape: ReadShape,
  byDocument: boolean,
): AuthorizedReadPlan {
  const { type } = operation;
  const { access } = caller;
  const isAnswer = 'data' in operation;
  const { status, publication, populatesByDefault, strict } = shape;
  const options = { limits, populatesByDefault, strict };
  const context = new PlanContext(model, { status, publication }, access, options);
  if (!isAnswer && context.hidesDrafts(type, shape.status)) throw forbiddenError();
  context.touch(type.uid);
  const at = (param: string) => ({ param, path: [] });
  const filter = shape.filters && planFilter(context, type, shape.filters, at('filters'));
  const order = planSort(context, type, shape.sort, at('sort'));
  const keyset = shape.cursor && planKeyset(context, type, { sort: shape.sort, cursor: shape.cursor }, order);
  const fields =
    filter && looksThroughRelation(filter) ? withSortFields(context, type, shape.fields, shape.sort) : shape.fields;
  const entity = planEntity(context, type, {
    fields,
    populate: shape.populate,
    fieldsLocation: at('fields'),
    populateLocation: at('populate'),
    depth: 0,
  });
  const where = allOf([
    byDocument ? { is: 'document' } : null,
    isAnswer ? writtenRows(context, type) : visibleRows(context, type),
    type.localized ? localeCondition(shape.locale) : null,
    shape.search === null ? null : searchCondition(context, type, shape.search),
    filter,
  ]);
  // Names were refused one by one; a type that was reached all the same is a defect that must not show a row.
  for (const uid of context.touched) if (uid !== type.uid && !access.mayFind(uid)) throw forbiddenError();
  const { touched: touches, omitted, hints } = context;
  const { populatedRows, populatedCharacters, pageBytes } = limits;
  return deepFreeze({
    uid: type.uid,
    where,
    order,
    keyset,
    entity,
    status,
    publication,
    touches,
    omitted,
    hints,
    limits: { populatedRows, populatedCharacters, pageBytes },
  }) as ReadPlan as AuthorizedReadPlan;
}

const looksThroughRelation = (condition: Condition): boolean =>
  'step' in condition || ('of' in condition && condition.of.some(looksThroughRelation));

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
