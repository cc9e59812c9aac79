// Read request + model → read plan, in small stages: which rows, in which order, what of each.

import type { Authorized } from '../../access/authorize.ts';
import type { Operation } from '../../access/operation.ts';
import { forbiddenError, invalidCursor } from '../../errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../limits.ts';
import { ADMIN_USER } from '../../model/builtin.ts';
import type { ContentType, LinkTable, Model } from '../../model/types.ts';
import type { ReadShape } from '../../request/read-request.ts';
import { PlanContext } from './context.ts';
import type { Condition, ReadPlan } from './nodes.ts';
import { planAggregate, planFacet } from './plan-aggregate.ts';
import { planFilter, relationStep, visibleRows, writtenRows } from './plan-filter.ts';
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
  planning: ReadPlanning,
  authorized: Authorized<Operation>,
  shape: ReadShape,
  byDocument: boolean,
): AuthorizedReadPlan {
  const { type } = authorized.operation;
  const isAnswer = 'data' in authorized.operation;
  const context = contextOf(planning, authorized, shape);
  if (!isAnswer && context.hidesDrafts(type, shape.status)) throw forbiddenError();
  const root = [
    byDocument ? ({ is: 'document' } as const) : null,
    isAnswer ? writtenRows(context, type) : visibleRows(context, type),
    type.localized ? localeCondition(shape.locale) : null,
  ];
  return planRows(context, shape, { type, root, link: null, limits: planning.limits ?? DEFAULT_LIMITS });
}

/**
 * The entries that a relation leads to from one row, which is given when the plan runs: those that populate would show,
 * in the order of the relation. Null where the caller knows of no such relation.
 */
export function planRelated(
  planning: ReadPlanning,
  authorized: Authorized<Operation>,
  shape: ReadShape,
  relation: string,
): AuthorizedReadPlan | null {
  const { type: holder } = authorized.operation;
  const context = contextOf(planning, authorized, shape);
  const attribute = holder.attributes.get(relation);
  if (attribute?.kind !== 'relation' || !isUsable(context, holder, attribute, 'read')) return null;
  const { step } = relationStep(context, attribute);
  const { link } = attribute;
  const root: readonly (Condition | null)[] = [{ is: 'linked', link }, step.where];
  const type = planning.model.contentTypes.get(attribute.target)!;
  return planRows(context, shape, { type, root, link, limits: planning.limits ?? DEFAULT_LIMITS });
}

function contextOf({ model, limits }: ReadPlanning, { caller }: Authorized<Operation>, shape: ReadShape): PlanContext {
  const { status, publication, populatesByDefault, strict } = shape;
  const options = { limits: limits ?? DEFAULT_LIMITS, populatesByDefault, strict };
  return new PlanContext(model, { status, publication }, caller.access, options);
}

interface RootRows {
  readonly type: ContentType;
  /** What holds whatever the client asks for. */
  readonly root: readonly (Condition | null)[];
  /** The link that leads to them, whose order they have unless a sort is given. */
  readonly link: LinkTable | null;
  readonly limits: Limits;
}

function planRows(context: PlanContext, shape: ReadShape, { type, root, link, limits }: RootRows): AuthorizedReadPlan {
  const { access } = context;
  context.touch(type.uid);
  const at = (param: string) => ({ param, path: [] });
  const filter = shape.filters && planFilter(context, type, shape.filters, at('filters'));
  const order = planSort(context, type, shape.sort, at('sort'));
  const position = shape.sort.length === 0 ? link : null;
  if (shape.cursor && position) throw invalidCursor('a sort: the order of a relation has no cursors');
  const keyset = shape.cursor && planKeyset(context, type, { sort: shape.sort, cursor: shape.cursor }, order);
  const aggregate = shape.aggregate && planAggregate(context, type, shape.aggregate);
  const facets = shape.facets.map((path) => planFacet(context, type, path));
  const fields =
    filter && looksThroughRelation(filter) ? withSortFields(context, type, shape.fields, shape.sort) : shape.fields;
  const entity = planEntity(context, type, {
    fields,
    populate: shape.populate,
    fieldsLocation: at('fields'),
    populateLocation: at('populate'),
    depth: 0,
  });
  const search = shape.search === null ? null : searchCondition(context, type, shape.search);
  // Names were refused one by one; a type that was reached all the same is a defect that must not show a row. Accounts
  // of the console are reached through the fields that tell who made an entry.
  for (const uid of context.touched)
    if (uid !== type.uid && uid !== ADMIN_USER && !access.mayFind(uid)) throw forbiddenError();
  const { populatedRows, populatedCharacters, pageBytes } = limits;
  return deepFreeze<ReadPlan>({
    uid: type.uid,
    where: allOf([...root, search, filter]),
    order,
    position,
    keyset,
    entity,
    aggregate,
    facets,
    status: shape.status,
    publication: shape.publication,
    touches: context.touched,
    omitted: context.omitted,
    hints: context.hints,
    limits: { populatedRows, populatedCharacters, pageBytes },
  }) as AuthorizedReadPlan;
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
