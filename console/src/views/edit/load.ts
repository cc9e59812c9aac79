// Reads what the form shows. Lists are asked rather than entries, since one that is not there is an empty list and no
// error; of a single type there is only the entry.
import type { ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { isObject } from '../../../../src/type-guards.ts';
import { ApiError, api } from '../../shell/api.ts';
import { type Entry, isEntry, typeOf } from '../../shell/model.ts';
import { type IsLinkable, localizedLinks } from './form/copy.ts';
import { formQueries, joined, relationPageUrl } from './form/query.ts';
import { withPage } from './form/relations.ts';
import { asRelation, type FormValues, formAttributes, relatedOf, valuesOf } from './form/values.ts';
import type { FormRights } from './rights.ts';

export interface EntryAddress {
  readonly type: ConsoleType;
  /** Null for a new entry, and for the one of a single type. */
  readonly documentId: string | null;
  /** Null where the type has no locales. */
  readonly locale: string | null;
}

export interface Loaded {
  readonly documentId: string;
  readonly updatedAt: string | null;
  /** The account that changed it last in the console, by name. */
  readonly updatedBy: string | null;
  readonly values: FormValues;
}

/** Null where there is no such entry. */
async function readOne(type: ConsoleType, documentId: string | null, query: string): Promise<Entry | null> {
  if (type.kind === 'collectionType') {
    if (documentId === null) return null;
    const filter = `filters[documentId][$eq]=${encodeURIComponent(documentId)}`;
    const { data } = await api.get<{ data: readonly Entry[] }>(`rest/${type.path}?${filter}&${query}`);
    return data[0] ?? null;
  }
  try {
    return (await api.get<{ data: Entry | null }>(`rest/${type.path}?${query}`)).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

export interface Reader {
  readonly model: ConsoleModel;
  readonly rights: FormRights;
}

/** What of a type is read: attributes that the account may not read would be refused. */
const readableType = (type: ConsoleType, rights: FormRights): ConsoleType => ({
  ...type,
  attributes: type.attributes.filter(rights.isReadable),
});

export async function readForm(
  { model, rights }: Reader,
  { type, documentId, locale }: EntryAddress,
  status: 'draft' | 'published' = 'draft',
): Promise<Loaded | null> {
  const queries = formQueries(model, readableType(type, rights), { locale, status });
  const answers = await Promise.all(queries.map((query) => readOne(type, documentId, query)));
  const found = answers.filter((answer) => answer !== null);
  if (found.length < answers.length) return null;
  const entry = joined(type, found);
  return {
    documentId: String(entry.documentId),
    updatedAt: typeof entry.updatedAt === 'string' ? entry.updatedAt : null,
    updatedBy: nameOf(entry.updatedBy),
    values: valuesOf(model, type, entry),
  };
}

/** The name of an account of the console. */
function nameOf(account: unknown): string | null {
  if (!isObject(account)) return null;
  const { firstname, lastname } = account;
  return [firstname, lastname].filter((part) => typeof part === 'string' && part !== '').join(' ') || null;
}

/** As `readForm`, with all of every relation. */
export async function readWholeForm(reader: Reader, address: EntryAddress): Promise<Loaded | null> {
  const loaded = await readForm(reader, address);
  if (!loaded) return null;
  const { type, locale } = address;
  const values: Record<string, unknown> = { ...loaded.values };
  for (const attribute of formAttributes(type)) {
    const target = typeOf(reader.model, attribute.relation?.target ?? '');
    if (attribute.type !== 'relation' || !target) continue;
    let value = asRelation(values[attribute.name]);
    while (value.unread > 0) {
      const start = value.head.length;
      const url = relationPageUrl(type, loaded.documentId, { attribute: attribute.name, target, start, locale });
      const { data, meta } = await api.get<RelatedPage>(url);
      const page = data.map((entry) => relatedOf(reader.model, type, attribute, entry));
      value = withPage(value, page, page.length > 0 ? meta.pagination.total : start, start);
    }
    values[attribute.name] = value;
  }
  return { ...loaded, values };
}

/** A page of what a relation leads to. */
export interface RelatedPage {
  readonly data: readonly Entry[];
  readonly meta: { readonly pagination: { readonly total: number } };
}

/** How many entries are asked for at once. */
const MAX_PAGE = 100;

/** Which of the entries that values lead to there are in a locale. Types without locales are the same in all. */
export async function readLinkable(
  { model }: Reader,
  type: ConsoleType,
  values: FormValues,
  locale: string,
): Promise<IsLinkable> {
  const there = new Map<string, Set<unknown>>();
  for (const [uid, ids] of localizedLinks(model, type, values)) {
    const found = new Set<unknown>();
    const list = [...ids];
    while (list.length > 0) {
      const filter = list
        .splice(0, MAX_PAGE)
        .map((id, index) => `filters[documentId][$in][${index}]=${encodeURIComponent(id)}`);
      const query = `${filter.join('&')}&status=draft${localeQuery(locale)}&fields[0]=documentId&pagination[pageSize]=${MAX_PAGE}`;
      const { data } = await api.get<{ data: readonly Entry[] }>(`rest/${typeOf(model, uid)!.path}?${query}`);
      for (const { documentId } of data) found.add(documentId);
    }
    there.set(uid, found);
  }
  return (uid, documentId) => there.get(uid)?.has(documentId) ?? true;
}

const localeQuery = (locale: string | null): string => (locale === null ? '' : `&locale=${encodeURIComponent(locale)}`);

/** When the stored entry was last changed; null where there is none. */
export async function readUpdatedAt({ type, documentId, locale }: EntryAddress): Promise<string | null> {
  const entry = await readOne(type, documentId, `status=draft&fields[0]=updatedAt${localeQuery(locale)}`);
  return typeof entry?.updatedAt === 'string' ? entry.updatedAt : null;
}

export type PublicationState = 'draft' | 'modified' | 'published';

/** The locales that a document has, by code, each with its state; '' where the type has none. */
export type Versions = ReadonlyMap<string, PublicationState>;

export async function readVersions({ type, documentId, locale }: EntryAddress): Promise<Versions> {
  const statuses = type.draftAndPublish ? (['draft', 'published'] as const) : (['draft'] as const);
  const [drafts = [], published] = await Promise.all(
    statuses.map((status) => readStates(type, documentId, `status=${status}`, locale)),
  );
  const timeOf = (entries: readonly Entry[], code: string): string | undefined =>
    entries.filter((entry) => String(entry.locale ?? '') === code).map((entry) => String(entry.updatedAt))[0];
  return new Map(
    drafts.map((draft) => {
      const code = String(draft.locale ?? '');
      const time = published && timeOf(published, code);
      if (published && time === undefined) return [code, 'draft'] as const;
      return [code, time !== undefined && String(draft.updatedAt) > time ? 'modified' : 'published'] as const;
    }),
  );
}

async function readStates(
  type: ConsoleType,
  documentId: string | null,
  status: string,
  locale: string | null,
): Promise<readonly Entry[]> {
  const fields = `fields[0]=updatedAt${type.localized ? '&fields[1]=locale' : ''}`;
  if (type.kind === 'singleType') {
    const more = type.localized
      ? '&populate[localizations][fields][0]=locale&populate[localizations][fields][1]=updatedAt'
      : '';
    const entry = await readOne(type, null, `${status}&${fields}${localeQuery(locale)}${more}`);
    const others = Array.isArray(entry?.localizations) ? entry.localizations.filter(isEntry) : [];
    return entry ? [entry, ...others] : [];
  }
  if (documentId === null) return [];
  const filter = `filters[documentId][$eq]=${encodeURIComponent(documentId)}`;
  const query = `${status}&${filter}&${fields}${type.localized ? '&locale=*' : ''}&pagination[pageSize]=100`;
  return (await api.get<{ data: readonly Entry[] }>(`rest/${type.path}?${query}`)).data;
}
