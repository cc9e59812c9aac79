// Values of one locale, brought into the form of another.
import type { ConsoleModel, ConsoleSchema } from '../../../../../src/console/contract.ts';
import { schemaOf } from '../../../shell/model.ts';
import { withAdded } from './relations.ts';
import { type FormValues, formAttributes, isList, newKey, type Part, type RelationValue, shownOf } from './values.ts';

/** The values of a form with those of another locale in place of its own. Components become new ones. */
export const copiedInto = (
  model: ConsoleModel,
  schema: ConsoleSchema,
  own: FormValues,
  other: FormValues,
): FormValues => ({
  ...own,
  ...Object.fromEntries(
    formAttributes(schema)
      .filter(({ type, localized, writable }) => writable && (localized || type === 'relation' || type === 'morph'))
      .map((attribute) => {
        const { name } = attribute;
        if (attribute.type === 'relation' || attribute.type === 'morph')
          return [name, copiedRelation(own[name] as RelationValue, other[name] as RelationValue)];
        if (isList(attribute)) return [name, (other[name] as readonly Part[]).map((part) => copiedPart(model, part))];
        const isPart = attribute.type === 'component' && other[name] !== null;
        return [name, isPart ? copiedPart(model, other[name] as Part) : other[name]];
      }),
  ),
});

/** Where not all of the own list is known it cannot be replaced, only added to. */
const copiedRelation = (own: RelationValue, other: RelationValue): RelationValue =>
  own.unread > 0 ? shownOf(other).reduce(withAdded, own) : { head: shownOf(other), unread: 0, tail: [] };

function copiedPart(model: ConsoleModel, part: Part): Part {
  const schema = schemaOf(model, part.component);
  const values = { ...part.values };
  for (const attribute of schema ? formAttributes(schema) : []) {
    const value = values[attribute.name];
    if (isList(attribute)) values[attribute.name] = (value as readonly Part[]).map((inner) => copiedPart(model, inner));
    else if (attribute.type === 'component' && value) values[attribute.name] = copiedPart(model, value as Part);
  }
  return { ...part, key: newKey(), id: null, values };
}
