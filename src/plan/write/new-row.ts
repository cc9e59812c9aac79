// What a change means for a row that turns out to be new.

import { problemsError } from './body-problems.ts';
import type { EntityChange } from './changes.ts';

/**
 * The change for a row that turned out to be new: with defaults for what the body leaves out, and every component made
 * anew. `inherits`: the row is a further locale, which takes what locales share from the others.
 */
export function forNewRow(given: EntityChange, inherits: boolean): EntityChange {
  const change = inherits ? withoutSharedNulls(given) : given;
  const { absent } = change;
  const problems = absent?.problems.filter(({ localized }) => localized || !inherits) ?? [];
  if (problems.length > 0) throw problemsError(problems);
  const defaults = absent?.scalars.filter(({ attribute }) => attribute.localized || !inherits) ?? [];
  return {
    scalars: [...change.scalars, ...defaults],
    relations: change.relations,
    components: change.components.map((component) => ({
      ...component,
      items: component.items.map((item) => ({ ...item, id: null, entity: forNewRow(item.entity, false) })),
    })),
    absent: null,
  };
}

/**
 * A form for a translation sends null for what it leaves empty. As in Strapi 5, that takes nothing from the other
 * locales: they share the value, and the new one gets it.
 */
const withoutSharedNulls = (change: EntityChange): EntityChange => ({
  ...change,
  scalars: change.scalars.filter(({ attribute, value }) => attribute.localized || value !== null),
  relations: change.relations.filter(
    ({ attribute, input }) =>
      attribute.localized ||
      attribute.kind !== 'media' ||
      attribute.many ||
      input.mode !== 'set' ||
      input.references.length > 0,
  ),
  components: change.components.filter(
    ({ attribute, items }) =>
      attribute.localized || attribute.kind !== 'component' || attribute.many || items.length > 0,
  ),
});
