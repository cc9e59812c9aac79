// Fields and populate + model → what is read of each row, and of the rows around it.
import { invalidKey, SheafError } from '../../errors.ts';
import { FILE } from '../../model/builtin.ts';
import type {
  Attribute,
  DynamicZoneAttribute,
  MorphAttribute,
  ScalarAttribute,
  ScalarType,
  Schema,
} from '../../model/types.ts';
import { PLAIN_NODE } from '../../request/parse-populate.ts';
import type { PopulateNode, PopulateShape, SortKey } from '../../request/read-request.ts';
import type { PlanContext } from './context.ts';
import type { EntityPlan, OutputColumn, PopulatePlan, RelatedPart, RelationStep } from './nodes.ts';
import { planFilter, relationStep, visibleRows } from './plan-filter.ts';
import { planSort } from './plan-sort.ts';
import type { NameLocation } from './resolve.ts';
import {
  componentOf,
  contentType,
  isKnownButUnreadable,
  isUsable,
  leadsToMany,
  readableScalars,
  resolve,
} from './resolve.ts';

/** What is asked of an entity: its fields and what is populated, and where in the request that stands. */
interface WantedEntity {
  readonly fields: readonly string[] | null;
  readonly populate: PopulateShape;
  readonly fieldsLocation: NameLocation;
  readonly populateLocation: NameLocation;
  /** Levels of populate above it. */
  readonly depth: number;
}

/** Where in populate an attribute stands, and how deep. */
interface PopulatePoint {
  readonly location: NameLocation;
  readonly depth: number;
}

export function planEntity(context: PlanContext, schema: Schema, wanted: WantedEntity): EntityPlan {
  const point = { location: wanted.populateLocation, depth: wanted.depth + 1 };
  return {
    table: schema.table,
    columns: planFields(context, schema, wanted.fields, wanted.fieldsLocation),
    populate: planPopulate(context, schema, wanted.populate, point),
  };
}

/**
 * Wherever rows are reached or chosen through a relation, Strapi 5 adds the attributes that a list is sorted by to its
 * entries, asked for or not; its clients find them there.
 */
export function withSortFields(
  context: PlanContext,
  schema: Schema,
  fields: readonly string[] | null,
  sort: readonly SortKey[],
): readonly string[] | null {
  if (fields === null) return null;
  const own = sort.filter(({ path, aggregate }) => path.length === 1 && aggregate === null);
  const names = own.map(({ path }) => path[0]!);
  // A caller may be allowed to sort by what they may not read. An unknown name is reported where it stands.
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
  location: NameLocation,
): OutputColumn[] {
  const always = ['id', 'documentId'].filter((name) => schema.attributes.has(name));
  const scalars =
    fields === null || fields.includes('*')
      ? readableScalars(context, schema)
      : [...new Set([...always, ...fields])].map((name) => resolve(context, schema, { name, use: 'field', location }));
  for (const name of fields ?? []) if (name !== '*') resolve(context, schema, { name, use: 'field', location });
  return scalars.flatMap((attribute) =>
    attribute.kind === 'scalar'
      ? [{ key: attribute.name, column: attribute.column, type: shownType(context, attribute) }]
      : [],
  );
}

function planPopulate(
  context: PlanContext,
  schema: Schema,
  shape: PopulateShape,
  point: PopulatePoint,
): PopulatePlan[] {
  const { location } = point;
  if (shape.all) {
    const around = [...schema.attributes.values()].filter(({ kind }) => kind !== 'scalar');
    for (const attribute of around)
      if (isKnownButUnreadable(context, schema, attribute)) context.omit([...location.path, attribute.name]);
    return around
      .filter((attribute) => isUsable(context, schema, attribute, 'read'))
      .map((attribute) => planAttribute(context, attribute, PLAIN_NODE, point));
  }
  return Object.entries(shape.at).flatMap(([name, node]) => {
    const planned = (): PopulatePlan[] => {
      const attribute = resolve(context, schema, { name, use: 'populate', location });
      return node ? [planAttribute(context, attribute, node, point)] : [];
    };
    return context.populatesByDefault ? orLeftOut(context, planned, schema, [...location.path, name]) : planned();
  });
}

/** What the project populates by default was checked when it started, so what is refused now is so for the caller. */
function orLeftOut(
  context: PlanContext,
  planned: () => PopulatePlan[],
  schema: Schema,
  path: readonly string[],
): PopulatePlan[] {
  try {
    return planned();
  } catch (error) {
    if (!(error instanceof SheafError)) throw error;
    const attribute = schema.attributes.get(path.at(-1)!);
    if (attribute && isKnownButUnreadable(context, schema, attribute)) context.omit(path);
    return [];
  }
}

function planAttribute(
  context: PlanContext,
  attribute: Attribute,
  node: PopulateNode,
  { location: above, depth }: PopulatePoint,
): PopulatePlan {
  context.populate(depth, above.param);
  const location = { param: above.param, path: [...above.path, attribute.name] };
  if (attribute.kind === 'dynamiczone' || attribute.kind === 'morph')
    return planMixed(context, attribute, node, { location, depth });
  const { schema, step } = relationStep(context, attribute);
  if (node.on) throw invalidKey(Object.keys(node.on)[0] ?? 'on', location.path, location.param);
  const many = leadsToMany(attribute);
  if (node.page && !many) throw invalidKey('pagination', location.path, location.param);
  return {
    kind: 'related',
    key: attribute.name,
    many,
    count: node.count,
    page: node.page,
    part: {
      step,
      where: node.filters && planFilter(context, schema, node.filters, location),
      entity: planEntity(context, schema, {
        fields: withSortFields(context, schema, node.fields, node.sort),
        populate: node.populate,
        fieldsLocation: location,
        populateLocation: location,
        depth,
      }),
    },
    order: node.sort.length > 0 ? planSort(context, schema, node.sort, location) : [],
  };
}

/** A column that is known to hold passwords is never put into a response. */
const shownType = ({ access }: PlanContext, { type }: ScalarAttribute): ScalarType =>
  type === 'password' && access.shows === 'everything' ? 'string' : type;

/** Dynamic zones and polymorphic relations: rows of several types, narrowed and shaped by `on` fragments. */
function planMixed(
  context: PlanContext,
  attribute: DynamicZoneAttribute | MorphAttribute,
  node: PopulateNode,
  { location, depth }: PopulatePoint,
): PopulatePlan {
  const refused =
    (['fields', 'filters'] as const).find((key) => node[key] !== null) ?? (node.sort.length > 0 ? 'sort' : null);
  if (refused) throw invalidKey(refused, location.path, location.param);
  const many = attribute.kind === 'dynamiczone' || attribute.many;
  if (node.page && !many) throw invalidKey('pagination', location.path, location.param);
  const names = Object.keys(node.populate.at);
  if (names.length > 0 && !node.populate.dotted) throw invalidKey('populate', location.path, location.param);
  const members = membersOf(context, attribute);
  // One fragment list may serve several zones: a component that this one does not take is none of its business.
  const isForeign = (uid: string): boolean => attribute.kind === 'dynamiczone' && context.model.components.has(uid);
  for (const uid of Object.keys(node.on ?? {}))
    if (!members.some((member) => member.uid === uid) && !isForeign(uid) && !context.populatesByDefault)
      throw invalidKey(uid, [...location.path, 'on'], location.param);
  const chosen = node.on ? members.filter((member) => node.on![member.uid]) : members;
  const parts = chosen.map((member) => planMember(context, member, node, { location, depth }));
  for (const name of names) {
    const holders = members.filter(({ schema }) => schema.attributes.has(name));
    // It is enough that one member has it for the caller; what the others have is left out of them.
    const usable = holders.filter(({ schema }) => isUsable(context, schema, schema.attributes.get(name)!, 'read'));
    if (usable.length === 0 && context.populatesByDefault) continue;
    const leads = usable.some(({ schema }) => schema.attributes.get(name)!.kind !== 'scalar');
    // A scalar at the end of a path is there anyway.
    const isEnd = Object.keys(node.populate.at[name]?.populate.at ?? {}).length === 0;
    if (usable.length === 0 || (!leads && !isEnd)) throw invalidKey(name, location.path, location.param);
  }
  return {
    kind: 'mixed',
    key: attribute.name,
    many,
    count: node.count,
    page: node.page,
    tag: attribute.kind === 'dynamiczone' ? '__component' : '__type',
    parts,
  };
}

/** One of the types that rows of a zone or a polymorphic relation have. */
interface Member {
  readonly uid: string;
  readonly schema: Schema;
  readonly step: RelationStep;
}

function membersOf(context: PlanContext, attribute: DynamicZoneAttribute | MorphAttribute): Member[] {
  const { model } = context;
  if (attribute.kind === 'dynamiczone')
    return attribute.components.map(({ uid, link }) => {
      const schema = componentOf(model, uid);
      return { uid, schema, step: { link, table: schema.table, where: null } };
    });
  const isOfFile = contentType(model, FILE).attributes.get(attribute.name) === attribute;
  return attribute.targets
    .filter(({ uid }) => context.access.mayFind(uid))
    .map(({ uid, link }) => {
      const schema = contentType(model, uid);
      const step = { link, table: schema.table, where: visibleRows(context, schema) };
      return { uid, schema, step: isOfFile ? throughReadable(context, schema, step) : step };
    });
}

/** A file leads to the entries that show it to the caller: through attributes that the caller may read. */
function throughReadable(context: PlanContext, schema: Schema, step: RelationStep): RelationStep {
  const isHolder = (attribute: Attribute): boolean => 'link' in attribute && attribute.link.table === step.link?.table;
  const values = [...schema.attributes.values()]
    .filter((attribute) => isHolder(attribute) && isUsable(context, schema, attribute, 'read'))
    .map(({ name }) => name);
  return values.length > 0 ? { ...step, among: { column: 'field', values } } : { ...step, where: { is: 'never' } };
}

/** What a fragment has no use for: the list holds entries of other types as well. */
const MISPLACED_IN_FRAGMENT: readonly [string, (fragment: PopulateNode) => boolean][] = [
  ['sort', ({ sort }) => sort.length > 0],
  ['count', ({ count }) => count],
  ['pagination', ({ page }) => page !== null],
  ['on', ({ on }) => on !== null],
];

function planMember(
  context: PlanContext,
  { uid, schema, step }: Member,
  node: PopulateNode,
  { location, depth }: PopulatePoint,
): RelatedPart & { readonly uid: string } {
  if (schema.kind !== 'component') context.touch(schema.uid);
  const fragment = node.on?.[uid] ?? PLAIN_NODE;
  const inside = { param: location.param, path: [...location.path, uid] };
  const misplaced = MISPLACED_IN_FRAGMENT.find(([, isThere]) => isThere(fragment))?.[0];
  if (misplaced) throw invalidKey(misplaced, inside.path, location.param);
  const populate = isNothing(fragment.populate) ? inherited(context, schema, node.populate) : fragment.populate;
  return {
    uid,
    step,
    where: fragment.filters && planFilter(context, schema, fragment.filters, inside),
    entity: planEntity(context, schema, {
      fields: fragment.fields,
      populate,
      fieldsLocation: inside,
      populateLocation: inside,
      depth,
    }),
  };
}

const isNothing = ({ all, at }: PopulateShape): boolean => !all && Object.keys(at).length === 0;

/** The part of what is populated below a zone that a given member of the zone has. */
function inherited(context: PlanContext, schema: Schema, shape: PopulateShape): PopulateShape {
  if (shape.all) return shape;
  const at = Object.fromEntries(
    Object.entries(shape.at).filter(([name]) => {
      const attribute = schema.attributes.get(name);
      return attribute && attribute.kind !== 'scalar' && isUsable(context, schema, attribute, 'read');
    }),
  );
  return { ...shape, at };
}
