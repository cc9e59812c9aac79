// The one door from a client's name to an attribute. Filter, sort, fields, populate and search all come through
// here, and unknown, private, password, unserved and forbidden names end here with the same answer.

import { type FieldUse, isDisclosed, mayFollow } from '../../access/access.ts';
import { invalidKey } from '../../errors.ts';
import type { Attribute, ContentType, Model, ScalarAttribute, Schema } from '../../model/types.ts';
import type { PlanContext } from './context.ts';

export type Use = 'filter' | 'sort' | 'field' | 'populate' | 'group';

export interface NameLocation {
  readonly param: string;
  readonly path: readonly string[];
}

const FITS: Readonly<Record<Use, ReadonlySet<Attribute['kind']>>> = {
  filter: new Set(['scalar', 'relation', 'component', 'localizations']),
  sort: new Set(['scalar', 'relation', 'component', 'localizations']),
  field: new Set(['scalar']),
  group: new Set(['scalar', 'relation', 'component', 'localizations']),
  populate: new Set(['relation', 'component', 'localizations', 'media', 'dynamiczone', 'morph']),
};

const FIELD_USES: Readonly<Record<Use, FieldUse>> = {
  filter: 'filter',
  sort: 'sort',
  field: 'read',
  // What is grouped by or computed is shown.
  group: 'read',
  populate: 'read',
};

/** A client's name, what it is used for and where it stands. */
export interface NameUse {
  readonly name: string;
  readonly use: Use;
  readonly location: NameLocation;
}

export function resolve(context: PlanContext, schema: Schema, { name, use, location }: NameUse): Attribute {
  const attribute = use === 'populate' ? populated(context, schema, name) : schema.attributes.get(name);
  if (!attribute || !FITS[use].has(attribute.kind) || !isUsable(context, schema, attribute, FIELD_USES[use]))
    throw invalidKey(name, location.path, location.param);
  return attribute;
}

/** Clients populate `localizations` of any type. Of one without locales they are hidden, and none. */
function populated({ strict }: PlanContext, schema: Schema, name: string): Attribute | undefined {
  const attribute = schema.attributes.get(name);
  return attribute?.kind === 'localizations' && !strict ? { ...attribute, private: false } : attribute;
}

/** Whether the caller may use an attribute so; of a component, whoever may use the component may use all of it. */
export function isUsable(context: PlanContext, schema: Schema, attribute: Attribute, use: FieldUse): boolean {
  return isNamed(context, schema, attribute, use) && targetIsReadable(context, attribute);
}

/** Whether the name exists for the caller, wherever it leads. */
function isNamed({ access, ruleValues }: PlanContext, schema: Schema, attribute: Attribute, use: FieldUse): boolean {
  // The project's own rules may speak of private attributes.
  const told = ruleValues ? { ...attribute, private: false } : attribute;
  if (!isDisclosed(access, schema, told)) return false;
  return schema.kind === 'component' || access.mayUse(schema.uid, attribute.name, use);
}

/** Whether the rows behind a relation may be found by the caller; files go with what holds them. */
const targetIsReadable = ({ access, ruleValues }: PlanContext, attribute: Attribute): boolean =>
  ruleValues !== null ||
  (attribute.kind !== 'relation' && attribute.kind !== 'localizations') ||
  mayFollow(access, attribute);

/** Whether a relation is one that the caller knows of, but may not follow. */
export const isKnownButUnreadable = (context: PlanContext, schema: Schema, attribute: Attribute): boolean =>
  isNamed(context, schema, attribute, 'read') &&
  !targetIsReadable(context, attribute) &&
  attribute.kind === 'relation' &&
  contentType(context.model, attribute.target).exposure !== 'hidden';

export const readableScalars = (context: PlanContext, schema: Schema): ScalarAttribute[] =>
  [...schema.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && isUsable(context, schema, attribute, 'read'),
  );

/** Whether an attribute leads to several rows. */
export const leadsToMany = (attribute: Attribute): boolean =>
  attribute.kind === 'localizations' || ('many' in attribute && attribute.many);

export const contentType = (model: Model, uid: string): ContentType => model.contentTypes.get(uid)!;
export const componentOf = (model: Model, uid: string): Schema => model.components.get(uid)!;
