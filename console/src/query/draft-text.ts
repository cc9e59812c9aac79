// A draft ↔ the parameters of a request, and its query string.
import { parse, type QueryValue, query } from '../../../src/client/query-text.ts';
import { emptyDraft, type ReadDraft } from './draft.ts';
import { isQueryObject, readFilters, strings, writeFilters } from './filter-text.ts';
import { readFields, readSort, writeSort } from './lists-text.ts';
import { flat, readPopulate, writePopulate } from './populate-text.ts';
import type { SchemaView } from './schema-view.ts';

/** Parameters of a request, in the order in which people read them. */
export type Parameters = { readonly [name: string]: QueryValue };

export function parametersOf(draft: ReadDraft): Parameters {
  const { sort, fields, pagination, status, locale, q, other } = draft;
  const filters = writeFilters(draft.filters);
  const populate = writePopulate(draft.populate);
  const own: Parameters = {
    ...(filters && { filters }),
    ...(sort.length > 0 && { sort: writeSort(sort) }),
    ...(fields && { fields }),
    ...(populate !== undefined && { populate }),
    ...(Object.keys(pagination).length > 0 && { pagination }),
    ...(status && { status }),
    ...(locale.length > 0 && { locale: locale.length === 1 ? locale[0]! : locale }),
    ...(q !== '' && { _q: q }),
  };
  return { ...own, ...Object.fromEntries(Object.entries(other).filter(([name]) => !(name in own))) };
}

/** The path below the origin, with the query. */
export function urlOf(draft: ReadDraft, prefix: string): string {
  const text = query(parametersOf(draft));
  return `${prefix}/${draft.type}${draft.below}${text && `?${text}`}`;
}

export const readQuery = (text: string, place: Pick<ReadDraft, 'type' | 'below'>, view: SchemaView | null): ReadDraft =>
  readParameters(parse(text), place, view);

export function readParameters(
  parameters: Parameters,
  place: Pick<ReadDraft, 'type' | 'below'>,
  view: SchemaView | null,
): ReadDraft {
  const isOfEntries = place.below !== '/aggregate';
  let draft: ReadDraft = { ...emptyDraft(place.type), below: place.below };
  for (const [name, value] of Object.entries(parameters)) {
    const read = isOfEntries || name !== 'sort' ? withParameter(draft, name, value, view) : null;
    draft = read ?? { ...draft, other: { ...draft.other, [name]: value } };
  }
  return draft;
}

/** Null for a parameter that is kept as it is. */
function withParameter(draft: ReadDraft, name: string, value: QueryValue, view: SchemaView | null): ReadDraft | null {
  const withPart = <K extends keyof ReadDraft>(key: K, part: ReadDraft[K] | null | undefined) =>
    part === null || part === undefined ? null : { ...draft, [key]: part };
  switch (name) {
    case 'filters':
      if (value === null) return draft;
      return withPart('filters', isQueryObject(value) ? readFilters(value, view) : null);
    case 'sort':
      return withPart('sort', readSort(value));
    case 'fields': {
      const fields = readFields(value);
      return fields === undefined ? null : { ...draft, fields };
    }
    case 'populate': {
      const populate = readPopulate(value, view);
      // To populate nothing is not the same as not to say: a project can populate by default.
      return populate?.all || populate?.at.length ? { ...draft, populate } : null;
    }
    case 'pagination':
      return withPart('pagination', flat(value));
    case 'status':
      return withPart('status', value === 'draft' || value === 'published' ? value : null);
    case 'locale':
      return withPart('locale', value === null || value === '' ? [] : strings(value));
    case '_q':
      return withPart('q', typeof value === 'string' ? value : null);
  }
  return null;
}
