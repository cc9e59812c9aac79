// The one door from a client's name to an attribute. Filter, sort, fields, populate and search all come through
// here, and unknown, private, password and unserved names end here with the same answer.
import { invalidKey } from '../errors.ts';
import type { Attribute, ContentType, Model, ScalarAttribute, Schema } from '../model/types.ts';

export type Use = 'filter' | 'sort' | 'field' | 'populate';

export interface NamePlace {
  readonly param: string;
  readonly path: readonly string[];
}

const FITS: Readonly<Record<Use, ReadonlySet<Attribute['kind']>>> = {
  filter: new Set(['scalar', 'relation', 'component', 'localizations']),
  sort: new Set(['scalar', 'relation', 'component', 'localizations']),
  field: new Set(['scalar']),
  populate: new Set(['relation', 'component', 'localizations', 'media', 'dynamiczone', 'morph']),
};

export function resolve(model: Model, schema: Schema, name: string, use: Use, place: NamePlace): Attribute {
  const attribute = schema.attributes.get(name);
  if (!attribute || !isReadable(model, attribute) || !FITS[use].has(attribute.kind))
    throw invalidKey(name, place.path, place.param);
  return attribute;
}

export function isReadable(model: Model, attribute: Attribute): boolean {
  if (attribute.private) return false;
  switch (attribute.kind) {
    case 'scalar':
      return attribute.type !== 'password';
    case 'relation':
      return model.contentTypes.get(attribute.target)?.exposure !== 'hidden';
    default:
      return true;
  }
}

export const readableScalars = (model: Model, schema: Schema): ScalarAttribute[] =>
  [...schema.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute => attribute.kind === 'scalar' && isReadable(model, attribute),
  );

export const contentType = (model: Model, uid: string): ContentType => model.contentTypes.get(uid)!;
export const componentOf = (model: Model, uid: string): Schema => model.components.get(uid)!;
