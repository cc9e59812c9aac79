// Fields and populate + model → what is read of each row, and of the rows around it.
import { invalidKey } from '../../errors.ts';
import type { Attribute, ContentType, DynamicZoneAttribute, MorphAttribute, Schema } from '../../model/types.ts';
import type { PopulateNode, PopulateShape, SortKey } from '../../request/read-request.ts';
import type { PlanContext } from './context.ts';
import type { EntityPlan, Hop, OutputColumn, PopulatePlan } from './nodes.ts';
import { hopOf, planFilter, seenRows } from './plan-filter.ts';
import { planSort } from './plan-sort.ts';
import type { NamePlace } from './resolve.ts';
import { componentOf, contentType, isClosed, isUsable, readableScalars, resolve } from './resolve.ts';

interface Wanted {
  readonly fields: readonly string[] | null;
  readonly populate: PopulateShape;
}

const PLAIN_NODE: PopulateNode = {
  fields: null,
  filters: null,
  sort: [],
  populate: { every: false, at: {}, dotted: false },
  count: false,
  on: null,
};

export function planEntity(
  context: PlanContext,
  schema: Schema,
  wanted: Wanted,
  fieldsPlace: NamePlace,
  populatePlace: NamePlace,
  depth = 0,
): EntityPlan {
  return {
    table: schema.table,
    columns: planFields(context, schema, wanted.fields, fieldsPlace),
    populate: planPopulate(context, schema, wanted.populate, populatePlace, depth + 1),
  };
}

/**
 * Clients of this dialect find the attributes a list is sorted by in its entries, asked for or not, wherever rows are
 * reached or chosen through a relation.
 */
export function withSortFields(
  context: PlanContext,
  schema: Schema,
  fields: readonly string[] | null,
  sort: readonly SortKey[],
): readonly string[] | null {
  if (fields === null) return null;
  const names = sort.filter(({ path }) => path.length === 1).map(({ path }) => path[0]!);
  // One may be allowed to sort by what one may not read; an unknown name is told of where it stands.
  const isShown = (name: string): boolean => {
    const attribute = schema.attributes.get(name);
    return !attribute || isUsable(context, schema, attribute, 'read');
  };
  return [...fields, ...names.filter(isShown)];
}

function planFields(
  context: PlanContext,
  schema: Schema,
  fields: readonly string[] | null,
  place: NamePlace,
): OutputColumn[] {
  const always = schema.kind === 'component' ? ['id'] : ['id', 'documentId'];
  const scalars =
    fields === null || fields.includes('*')
      ? readableScalars(context, schema)
      : [...new Set([...always, ...fields])].map((name) => resolve(context, schema, name, 'field', place));
  for (const name of fields ?? []) if (name !== '*') resolve(context, schema, name, 'field', place);
  return scalars.flatMap((attribute) =>
    attribute.kind === 'scalar' ? [{ key: attribute.name, column: attribute.column, type: attribute.type }] : [],
  );
}

function planPopulate(
  context: PlanContext,
  schema: Schema,
  shape: PopulateShape,
  place: NamePlace,
  depth: number,
): PopulatePlan[] {
  if (shape.every) {
    const around = [...schema.attributes.values()].filter(({ kind }) => kind !== 'scalar');
    for (const attribute of around)
      if (isClosed(context, schema, attribute)) context.omit([...place.path, attribute.name]);
    return around
      .filter((attribute) => isUsable(context, schema, attribute, 'read'))
      .map((attribute) => planAttribute(context, attribute, PLAIN_NODE, place, depth));
  }
  const plans: PopulatePlan[] = [];
  for (const [name, node] of Object.entries(shape.at)) {
    const attribute = resolve(context, schema, name, 'populate', place);
    if (node) plans.push(planAttribute(context, attribute, node, place, depth));
  }
  return plans;
}

function planAttribute(
  context: PlanContext,
  attribute: Attribute,
  node: PopulateNode,
  above: NamePlace,
  depth: number,
): PopulatePlan {
  context.populate(depth, above.param);
  const place = { param: above.param, path: [...above.path, attribute.name] };
  if (attribute.kind === 'dynamiczone' || attribute.kind === 'morph')
    return planMixed(context, attribute, node, place, depth);
  const { schema, hop } = hopOf(context, attribute);
  if (node.on) throw invalidKey(Object.keys(node.on)[0] ?? 'on', place.path, place.param);
  return {
    kind: 'related',
    key: attribute.name,
    many: attribute.kind === 'localizations' || (attribute.kind !== 'scalar' && attribute.many),
    count: node.count,
    part: {
      hop,
      where: node.filters && planFilter(context, schema, node.filters, place),
      entity: planEntity(
        context,
        schema,
        { ...node, fields: withSortFields(context, schema, node.fields, node.sort) },
        place,
        place,
        depth,
      ),
    },
    order: node.sort.length > 0 ? planSort(context, schema, node.sort, place) : [],
  };
}

/** Dynamic zones and polymorphic relations: rows of several types, narrowed and shaped by `on` fragments. */
function planMixed(
  context: PlanContext,
  attribute: DynamicZoneAttribute | MorphAttribute,
  node: PopulateNode,
  place: NamePlace,
  depth: number,
): PopulatePlan {
  const refused =
    (['fields', 'filters'] as const).find((key) => node[key] !== null) ?? (node.sort.length > 0 ? 'sort' : null);
  if (refused) throw invalidKey(refused, place.path, place.param);
  const names = Object.keys(node.populate.at);
  if (names.length > 0 && !node.populate.dotted) throw invalidKey('populate', place.path, place.param);

  const { model } = context;
  const members: { uid: string; schema: Schema; hop: Hop }[] =
    attribute.kind === 'dynamiczone'
      ? attribute.components.map(({ uid, pairs }) => {
          const schema = componentOf(model, uid);
          return { uid, schema, hop: { pairs, table: schema.table, where: null } };
        })
      : attribute.targets
          .filter(({ uid }) => context.access.mayFind(uid))
          .map(({ uid, pairs }) => {
            const schema = contentType(model, uid);
            return { uid, schema, hop: { pairs, table: schema.table, where: seenRows(context, schema) } };
          });
  for (const uid of Object.keys(node.on ?? {})) {
    if (!members.some((member) => member.uid === uid)) throw invalidKey(uid, [...place.path, 'on'], place.param);
  }
  const onlyMembers = node.on ? members.filter((member) => node.on![member.uid]) : members;
  const parts = onlyMembers.map(({ uid, schema, hop }) => {
    if (schema.kind !== 'component') context.touch((schema as ContentType).uid);
    const fragment = node.on?.[uid] ?? PLAIN_NODE;
    const inside = { param: place.param, path: [...place.path, uid] };
    const misplaced = fragment.sort.length > 0 ? 'sort' : fragment.count ? 'count' : fragment.on ? 'on' : null;
    if (misplaced) throw invalidKey(misplaced, inside.path, place.param);
    const populate = node.on ? fragment.populate : inherited(context, schema, node.populate);
    return {
      uid,
      hop,
      where: fragment.filters && planFilter(context, schema, fragment.filters, inside),
      entity: planEntity(context, schema, { fields: fragment.fields, populate }, inside, inside, depth),
    };
  });
  for (const name of names) {
    const holders = members.filter(({ schema }) => schema.attributes.has(name));
    // It is enough that one member has it for the caller; what the others have is left out of them.
    const [first] = holders.filter(({ schema }) => isUsable(context, schema, schema.attributes.get(name)!, 'read'));
    if (!first) throw invalidKey(name, place.path, place.param);
    resolve(context, first.schema, name, 'populate', place);
  }
  return {
    kind: 'mixed',
    key: attribute.name,
    many: attribute.kind === 'dynamiczone' || attribute.many,
    count: node.count,
    tag: attribute.kind === 'dynamiczone' ? '__component' : '__type',
    parts,
  };
}

/** The part of a dotted path below a zone that a given member of the zone has. */
function inherited(context: PlanContext, schema: Schema, shape: PopulateShape): PopulateShape {
  if (shape.every) return shape;
  const at = Object.fromEntries(
    Object.entries(shape.at).filter(([name]) => {
      const attribute = schema.attributes.get(name);
      return attribute && attribute.kind !== 'scalar' && isUsable(context, schema, attribute, 'read');
    }),
  );
  return { ...shape, at };
}
