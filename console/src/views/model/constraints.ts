// What a definition says of an attribute, in words.
import type { ConsoleAttribute, ConsoleModel } from '../../../../src/console/contract.ts';
import { schemaOf } from '../../shell/model.ts';

export function typeInWords(model: ConsoleModel, attribute: ConsoleAttribute): string {
  const { type, relation, component, repeatable, multiple } = attribute;
  const titleOf = (uid: string): string => schemaOf(model, uid)?.displayName ?? uid;
  if (component !== undefined) return repeatable ? `list of ${titleOf(component)}` : titleOf(component);
  if (type === 'media') return multiple ? 'files' : 'file';
  if (relation) return relation.kind;
  return type;
}

/** What holds for its values. */
export function constraintsOf(attribute: ConsoleAttribute): readonly string[] {
  const { min, max, minLength, maxLength, regex, values, targetField, allowedTypes } = attribute;
  const flags = (['required', 'unique', 'private', 'localized'] as const).filter((flag) => attribute[flag]);
  return [
    ...flags,
    ...(attribute.writable ? [] : ['read only']),
    ...range(min, max, ''),
    ...range(minLength, maxLength, ' characters'),
    ...(regex === undefined ? [] : [`matches ${regex}`]),
    ...(values ? [`one of ${values.join(', ')}`] : []),
    ...(targetField === undefined ? [] : [`made from ${targetField}`]),
    ...(allowedTypes && allowedTypes.length > 0 ? [`only ${allowedTypes.join(', ')}`] : []),
    ...(attribute.visibleWhen === undefined ? [] : ['shown under a condition']),
    ...(attribute.default === undefined ? [] : [`default ${JSON.stringify(attribute.default)}`]),
  ];
}

function range(min: number | undefined, max: number | undefined, unit: string): readonly string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`];
  if (min !== undefined) return [`at least ${min}${unit}`];
  return max === undefined ? [] : [`at most ${max}${unit}`];
}
