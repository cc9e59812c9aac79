// What a form changed, as the smallest body of a request: attributes that are as they were are not named.
import type { ConsoleAttribute, ConsoleModel, ConsoleSchema } from '../../../../../src/console/contract.ts';
import { isObject } from '../../../../../src/type-guards.ts';
import { schemaOf } from '../../../shell/model.ts';
import { relationBody } from './relations.ts';
import {
  asFiles,
  asPart,
  asParts,
  asRelation,
  type FileValue,
  type FormValues,
  formAttributes,
  initialValues,
  isList,
  type Part,
} from './values.ts';

export type Body = Record<string, unknown>;

/** The body that makes the values of an entry or a component, `before`, those of the form, `now`. */
export function changesOf(model: ConsoleModel, schema: ConsoleSchema, before: FormValues, now: FormValues): Body {
  const body: Body = {};
  for (const attribute of formAttributes(schema)) {
    const { name } = attribute;
    const change = changeOf(model, attribute, before[name], now[name]);
    if (change !== undefined) body[name] = change;
  }
  return body;
}

/** Undefined where nothing changed. */
function changeOf(model: ConsoleModel, attribute: ConsoleAttribute, before: unknown, now: unknown): unknown {
  switch (attribute.type) {
    case 'relation':
    case 'morph':
      return relationBody(asRelation(before), asRelation(now), attribute.relation?.toMany ?? true) ?? undefined;
    case 'media':
      return mediaChange(attribute, idsOf(asFiles(before)), idsOf(asFiles(now)));
    case 'component':
    case 'dynamiczone':
      return isList(attribute)
        ? listChange(model, attribute, asParts(before), asParts(now))
        : partChange(model, asPart(before), asPart(now));
    default:
      return isSame(before ?? null, now ?? null) ? undefined : (now ?? null);
  }
}

const idsOf = (files: readonly FileValue[]): readonly number[] => files.map(({ id }) => id);

function mediaChange(attribute: ConsoleAttribute, before: readonly number[], now: readonly number[]): unknown {
  if (isSame(before, now)) return undefined;
  return attribute.multiple ? now : (now[0] ?? null);
}

/** A component that is stored is named by its id, and only what changed in it. */
function partBody(model: ConsoleModel, part: Part, stored: Part | undefined): Body {
  const schema = schemaOf(model, part.component);
  if (!schema) return stored ? { id: stored.id } : {};
  return stored
    ? { id: stored.id, ...changesOf(model, schema, stored.values, part.values) }
    : changesOf(model, schema, initialValues(schema), part.values);
}

function partChange(model: ConsoleModel, before: Part | null, now: Part | null): unknown {
  if (now === null) return before === null ? undefined : null;
  const stored = before && before.id !== null && before.id === now.id ? before : undefined;
  const body = partBody(model, now, stored);
  return stored && Object.keys(body).length === 1 ? undefined : body;
}

/** A list is replaced by what is sent, so all of it is named where anything in it changed. */
function listChange(
  model: ConsoleModel,
  attribute: ConsoleAttribute,
  before: readonly Part[],
  now: readonly Part[],
): unknown {
  const storedOf = (part: Part): Part | undefined =>
    part.id === null ? undefined : before.find(({ id, component }) => id === part.id && component === part.component);
  const bodies = now.map((part) => partBody(model, part, storedOf(part)));
  const isUnchanged =
    before.length === now.length &&
    now.every((part, index) => storedOf(part) === before[index] && Object.keys(bodies[index]!).length === 1);
  if (isUnchanged) return undefined;
  return attribute.type === 'dynamiczone'
    ? now.map(({ component }, index) => ({ __component: component, ...bodies[index] }))
    : bodies;
}

/** Whether two JSON values are the same; the order of keys does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}
