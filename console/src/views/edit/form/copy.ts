// Values of one locale, brought into the form of another.
import type { ConsoleAttribute, ConsoleModel, ConsoleSchema } from '../../../../../src/console/contract.ts';
import { schemaOf, typeOf } from '../../../shell/model.ts';
import { withAdded } from './relations.ts';
import {
  asRelation,
  type FormValues,
  formAttributes,
  isList,
  newKey,
  type Part,
  partsIn,
  type Related,
  type RelationValue,
  shownOf,
} from './values.ts';

const isRelation = ({ type }: ConsoleAttribute): boolean => type === 'relation' || type === 'morph';

/** The entries of localized types that values lead to, by type: another locale may not have them. */
export function localizedLinks(
  model: ConsoleModel,
  schema: ConsoleSchema,
  values: FormValues,
  found = new Map<string, Set<string>>(),
): ReadonlyMap<string, ReadonlySet<string>> {
  for (const attribute of formAttributes(schema)) {
    const value = values[attribute.name];
    for (const part of partsIn(attribute, value)) {
      const inner = schemaOf(model, part.component);
      if (inner) localizedLinks(model, inner, part.values, found);
    }
    if (!isRelation(attribute)) continue;
    for (const related of shownOf(asRelation(value))) {
      const uid = targetOf(attribute, related);
      if (!typeOf(model, uid)?.localized) continue;
      found.set(uid, (found.get(uid) ?? new Set()).add(related.documentId));
    }
  }
  return found;
}

const targetOf = (attribute: ConsoleAttribute, related: Related): string =>
  related.type ?? attribute.relation?.target ?? '';

/** Whether an entry that is linked can be linked in the other locale as well. */
export type IsLinkable = (uid: string, documentId: string) => boolean;

/** The values of a form with those of another locale in place of its own. Components become new ones. */
export function copiedInto(
  model: ConsoleModel,
  schema: ConsoleSchema,
  { own, other }: { readonly own: FormValues; readonly other: FormValues },
  isLinkable: IsLinkable,
): FormValues {
  const copied = copiedValues(model, schema, other, isLinkable);
  const isCopied = (attribute: ConsoleAttribute): boolean =>
    attribute.writable && (attribute.localized || isRelation(attribute));
  return {
    ...own,
    ...Object.fromEntries(
      formAttributes(schema)
        .filter(isCopied)
        .map((attribute) => [attribute.name, placed(attribute, own[attribute.name], copied[attribute.name])]),
    ),
  };
}

/** Where not all of the own list is known it cannot be replaced, only added to. */
function placed(attribute: ConsoleAttribute, own: unknown, copied: unknown): unknown {
  if (!isRelation(attribute) || asRelation(own).unread === 0) return copied;
  return shownOf(asRelation(copied)).reduce(withAdded, asRelation(own));
}

function copiedValues(
  model: ConsoleModel,
  schema: ConsoleSchema,
  values: FormValues,
  isLinkable: IsLinkable,
): FormValues {
  const copiedPart = (part: Part): Part => {
    const inner = schemaOf(model, part.component);
    return {
      ...part,
      key: newKey(),
      id: null,
      values: inner ? copiedValues(model, inner, part.values, isLinkable) : part.values,
    };
  };
  return Object.fromEntries(
    formAttributes(schema).map((attribute) => {
      const value = values[attribute.name];
      if (isRelation(attribute)) {
        const head = shownOf(asRelation(value)).filter((related) =>
          isLinkable(targetOf(attribute, related), related.documentId),
        );
        return [attribute.name, { head, unread: 0, tail: [] } satisfies RelationValue];
      }
      const parts = partsIn(attribute, value).map(copiedPart);
      if (isList(attribute)) return [attribute.name, parts];
      return [attribute.name, attribute.type === 'component' ? (parts[0] ?? null) : value];
    }),
  );
}
