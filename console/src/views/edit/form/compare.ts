// Values of a form in words, so that two of them can be laid beside each other line by line.
import type { ConsoleAttribute, ConsoleModel, ConsoleSchema } from '../../../../../src/console/contract.ts';
import { schemaOf } from '../../../shell/model.ts';
import { isSame } from './changes.ts';
import {
  asFiles,
  asParts,
  asRelation,
  type FormValues,
  formAttributes,
  isList,
  type Part,
  partsIn,
  type RelationValue,
} from './values.ts';

export interface Difference {
  readonly attribute: ConsoleAttribute;
  readonly one: readonly string[];
  readonly other: readonly string[];
}

/** The attributes in which two forms of the same schema differ. Ids of components do not count. */
export const differencesOf = (
  model: ConsoleModel,
  schema: ConsoleSchema,
  one: FormValues,
  other: FormValues,
): readonly Difference[] =>
  formAttributes(schema)
    .map((attribute) => ({
      attribute,
      one: linesOf(model, attribute, one[attribute.name]),
      other: linesOf(model, attribute, other[attribute.name]),
    }))
    .filter((difference) => !isSame(difference.one, difference.other));

/** A value as lines of text; none where there is no value. */
export function linesOf(model: ConsoleModel, attribute: ConsoleAttribute, value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  switch (attribute.type) {
    case 'relation':
    case 'morph':
      return relationLines(asRelation(value));
    case 'media':
      return asFiles(value).map((file) => String(file.name ?? file.id));
    case 'component':
    case 'dynamiczone':
      return isList(attribute)
        ? asParts(value).flatMap((part, index) => [
            `${index + 1}. ${schemaOf(model, part.component)?.displayName ?? part.component}`,
            ...partLines(model, part).map((line) => `   ${line}`),
          ])
        : partsIn(attribute, value).flatMap((part) => partLines(model, part));
    case 'blocks':
    case 'json':
      return JSON.stringify(value, null, 2).split('\n');
    case 'password':
      return ['(a new password)'];
    default:
      return String(value).split('\n');
  }
}

const relationLines = ({ head, unread, tail }: RelationValue): readonly string[] => {
  const lineOf = ({ title, locale }: RelationValue['head'][number]): string =>
    locale === undefined ? title : `${title} (${locale})`;
  return [...head.map(lineOf), ...(unread > 0 ? [`… and ${unread} more`] : []), ...tail.map(lineOf)];
};

function partLines(model: ConsoleModel, part: Part): readonly string[] {
  const schema = schemaOf(model, part.component);
  if (!schema) return [];
  return formAttributes(schema).flatMap((attribute) => {
    const [first, ...rest] = linesOf(model, attribute, part.values[attribute.name]);
    if (first === undefined) return [];
    return [`${attribute.name}: ${first}`, ...rest.map((line) => `   ${line}`)];
  });
}
