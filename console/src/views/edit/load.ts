// Reads what the form shows. Lists are asked rather than entries, since one that is not there is an empty list and no
// error; of a single type there is only the entry.
import type { ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { ApiError, api } from '../../shell/api.ts';
import type { Entry } from '../../shell/model.ts';
import { formQuery, type MayRead } from './form/query.ts';
import { type FormValues, valuesOf } from './form/values.ts';
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
  readonly mayRead: MayRead;
}

/** What of a type is read: attributes that the account may not read would be refused. */
const readableType = (type: ConsoleType, rights: FormRights): ConsoleType => ({
  ...type,
  attributes: type.attributes.filter(rights.isReadable),
});

export async function readForm(
  { model, rights, mayRead }: Reader,
  { type, documentId, locale }: EntryAddress,
  status: 'draft' | 'published' = 'draft',
): Promise<Loaded | null> {
  const query = formQuery(model, readableType(type, rights), { locale, mayRead, status });
  const entry = await readOne(type, documentId, query);
  return (
    entry && {
      documentId: entry.documentId,
      updatedAt: typeof entry.updatedAt === 'string' ? entry.updatedAt : null,
      values: valuesOf(model, type, entry),
    }
  );
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
    return entry ? [entry, ...((entry.localizations ?? []) as readonly Entry[])] : [];
  }
  if (documentId === null) return [];
  const filter = `filters[documentId][$eq]=${encodeURIComponent(documentId)}`;
  const query = `${status}&${filter}&${fields}${type.localized ? '&locale=*' : ''}&pagination[pageSize]=100`;
  return (await api.get<{ data: readonly Entry[] }>(`rest/${type.path}?${query}`)).data;
}
