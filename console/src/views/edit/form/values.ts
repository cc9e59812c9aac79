// What the form holds: an entry as the API gives it, in a shape that can be changed, compared and stored as JSON.
import type { ConsoleAttribute, ConsoleModel, ConsoleSchema } from '../../../../../src/console/contract.ts';
import { holds } from '../../../../../src/plan/write/visible-when.ts';
import { isObject } from '../../../../../src/type-guards.ts';
import { schemaOf, titleOf, totalIn, typeOf } from '../../../shell/model.ts';

/** The values of a form by attribute. Scalars are as in the API; the rest are the shapes below. */
export type FormValues = Readonly<Record<string, unknown>>;

/** An entry that a relation leads to. */
export interface Related {
  readonly documentId: string;
  readonly title: string;
  /** Where an entry without locales leads to one that has them, which of them. */
  readonly locale?: string;
  /** Where a relation leads to any type, the uid of this one. */
  readonly type?: string;
}

/** A relation, to one or to many: what is shown of it from its start, and what was added behind the rest. */
export interface RelationValue {
  readonly head: readonly Related[];
  /** Links between `head` and `tail` that have not been read yet. */
  readonly unread: number;
  readonly tail: readonly Related[];
}

/** A component, or an item of a dynamic zone. `id` is null until it is stored. */
export interface Part {
  readonly key: string;
  readonly id: number | null;
  readonly component: string;
  readonly values: FormValues;
}

/** A file of the library, as the API gives it. */
export type FileValue = Readonly<Record<string, unknown>> & { readonly id: number };

export const NO_RELATION: RelationValue = { head: [], unread: 0, tail: [] };

// The values of a form are made by `initialValue` and `readValue`, so the type of an attribute tells the shape of its value.
export const asRelation = (value: unknown): RelationValue => (value ?? NO_RELATION) as RelationValue;
export const asParts = (value: unknown): readonly Part[] => (value ?? []) as readonly Part[];
export const asPart = (value: unknown): Part | null => (value ?? null) as Part | null;
export const asFiles = (value: unknown): readonly FileValue[] => (value ?? []) as readonly FileValue[];

/** Attributes that the server keeps, and no form shows. */
const KEPT_BY_SERVER = new Set([
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'createdBy',
  'updatedBy',
  'locale',
  'localizations',
]);

/** The attributes of a schema that a form has fields for. */
export const formAttributes = (schema: ConsoleSchema): readonly ConsoleAttribute[] =>
  schema.attributes.filter(({ name }) => !KEPT_BY_SERVER.has(name));

/** Whether the values beside an attribute let a form show it. */
export const isVisible = ({ visibleWhen }: ConsoleAttribute, values: FormValues): boolean =>
  visibleWhen === undefined || holds(visibleWhen, values);

/** Whether an attribute holds a list of components. */
export const isList = (attribute: ConsoleAttribute): boolean =>
  attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable === true);

/** The components that an attribute holds, be it one or a list. */
export function partsIn(attribute: ConsoleAttribute, value: unknown): readonly Part[] {
  if (isList(attribute)) return asParts(value);
  const part = attribute.type === 'component' ? asPart(value) : null;
  return part ? [part] : [];
}

let lastKey = 0;
/** A key of a component that is not stored yet: unlike any of an earlier visit whose values were restored. */
export function newKey(): string {
  lastKey += 1;
  return `new-${Date.now().toString(36)}-${lastKey}`;
}

/** The value of an attribute of a new entry, or a new component. */
export function initialValue(attribute: ConsoleAttribute): unknown {
  switch (attribute.type) {
    case 'relation':
    case 'morph':
      return NO_RELATION;
    case 'media':
    case 'dynamiczone':
      return [];
    case 'component':
      return attribute.repeatable ? [] : null;
    case 'password':
      return null;
    default:
      return attribute.default ?? null;
  }
}

export const initialValues = (schema: ConsoleSchema): FormValues =>
  Object.fromEntries(formAttributes(schema).map((attribute) => [attribute.name, initialValue(attribute)]));

type Read = Readonly<Record<string, unknown>>;

/** The values of a form for an entry or a component, as it was read with everything that a form shows. */
export function valuesOf(model: ConsoleModel, schema: ConsoleSchema, entry: Read): FormValues {
  return Object.fromEntries(
    formAttributes(schema).map((attribute) => [
      attribute.name,
      readValue(model, schema, attribute, entry[attribute.name]),
    ]),
  );
}

function readValue(model: ConsoleModel, schema: ConsoleSchema, attribute: ConsoleAttribute, read: unknown): unknown {
  switch (attribute.type) {
    case 'relation':
    case 'morph':
      return relationOf(model, schema, attribute, read);
    case 'media':
      return listOf(read);
    case 'dynamiczone':
      return listOf(read).map((part) => partOf(model, String(part.__component), part));
    case 'component': {
      const parts = listOf(read).map((part) => partOf(model, attribute.component!, part));
      return attribute.repeatable ? parts : (parts[0] ?? null);
    }
    case 'password':
      return null;
    default:
      return read ?? null;
  }
}

const listOf = (read: unknown): readonly Read[] => {
  if (Array.isArray(read)) return read.filter(isObject);
  return isObject(read) ? [read] : [];
};

function partOf(model: ConsoleModel, component: string, read: Read): Part {
  const id = typeof read.id === 'number' ? read.id : null;
  const schema = schemaOf(model, component);
  return {
    key: id === null ? newKey() : `${component}-${id}`,
    id,
    component,
    values: schema ? valuesOf(model, schema, read) : {},
  };
}

/** A list, a page of one in its envelope, one entry or none. */
function relationOf(
  model: ConsoleModel,
  schema: ConsoleSchema,
  attribute: ConsoleAttribute,
  read: unknown,
): RelationValue {
  const page = isObject(read) && 'data' in read && 'meta' in read ? read : null;
  const head = listOf(page ? page.data : read).map((entry) => relatedOf(model, schema, attribute, entry));
  const total = totalIn(page?.meta) ?? head.length;
  return { head, unread: Math.max(0, total - head.length), tail: [] };
}

/** An entry that was read, as the target of a relation of `schema`. */
export function relatedOf(
  model: ConsoleModel,
  schema: ConsoleSchema,
  attribute: ConsoleAttribute,
  entry: Read,
): Related {
  const uid = attribute.relation?.target ?? (typeof entry.__type === 'string' ? entry.__type : null);
  const target = uid === null ? undefined : typeOf(model, uid);
  const isLocaleNamed = target?.localized === true && !isLocalized(model, schema) && typeof entry.locale === 'string';
  return {
    documentId: String(entry.documentId ?? entry.id),
    title: titleOf(target, entry),
    ...(isLocaleNamed && { locale: String(entry.locale) }),
    ...(attribute.relation?.target == null && uid !== null && { type: uid }),
  };
}

/** Components take the locale of the entry that they stand in: only entries can be without one. */
const isLocalized = (model: ConsoleModel, schema: ConsoleSchema): boolean =>
  typeOf(model, schema.uid)?.localized ?? true;

export const relatedKey = ({ documentId, locale = '', type = '' }: Related): string =>
  `${type}/${documentId}/${locale}`;

/** All that is shown of a relation, in order. */
export const shownOf = ({ head, tail }: RelationValue): readonly Related[] => [...head, ...tail];

/**
 * Values that were read again after they were stored, with the keys that their components had before: on the page they
 * are the same ones.
 */
export function withKeysOf(
  model: ConsoleModel,
  schema: ConsoleSchema,
  values: FormValues,
  before: FormValues,
): FormValues {
  const keyed = (part: Part, old: Part | undefined): Part => {
    const inner = schemaOf(model, part.component);
    if (!inner || old?.component !== part.component) return part;
    return { ...part, key: old.key, values: withKeysOf(model, inner, part.values, old.values) };
  };
  const result: Record<string, unknown> = { ...values };
  for (const attribute of formAttributes(schema)) {
    const [now, old] = [values[attribute.name], before[attribute.name]];
    if (isList(attribute)) {
      const [parts, were] = [asParts(now), asParts(old)];
      const isSameList =
        parts.length === were.length && parts.every((part, at) => part.component === were[at]?.component);
      if (isSameList) result[attribute.name] = parts.map((part, at) => keyed(part, were[at]));
    } else if (attribute.type === 'component') {
      const [part, was] = [asPart(now), asPart(old)];
      if (part && was) result[attribute.name] = keyed(part, was);
    }
  }
  return result;
}
