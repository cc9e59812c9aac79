// The requests behind a list of entries.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { api } from '../../shell/api.ts';
import type { Entry } from '../../shell/model.ts';
import { type BrowseState, queryText, sortText } from './browse-state.ts';
import type { BrowseColumn } from './columns.ts';

export interface EntryPage {
  readonly data: readonly Entry[];
  readonly meta: { readonly pagination: { readonly page: number; readonly pageCount: number; readonly total: number } };
}

type Pair = readonly [name: string, value: string, keep?: boolean];

/** A list that is asked for: of which type, what is shown of it, and in which locale. */
export interface Asked {
  readonly type: ConsoleType;
  readonly state: BrowseState;
  readonly columns: readonly BrowseColumn[];
  /** Null where the type has no locales. */
  readonly locale: string | null;
}

/** Drafts in a state, as the API calls it. */
const PUBLICATION = { draft: 'never-published', modified: 'modified', published: 'unmodified' } as const;

const versionOf = ({ type, state, locale }: Asked): Pair[] => [
  ['status', type.draftAndPublish && state.state !== 'live' ? 'draft' : ''],
  ['locale', locale ?? ''],
];

const conditionsOf = ({ state }: Asked): Pair[] => [
  ['_q', state.search],
  ...state.filters.map(([name, value]): Pair => [name, value, true]),
];

const orderOf = ({ state }: Asked): Pair[] => [['sort', sortText(state.sort)]];

const pageOf = ({ state }: Asked): Pair[] => [
  ['pagination[page]', String(state.page)],
  ['pagination[pageSize]', String(state.pageSize)],
];

/** What is shown of each entry. A project may populate by default, which an empty `populate` keeps it from. */
function shownOf({ type, columns }: Asked): Pair[] {
  const fields = columns.filter(({ isField }) => isField).map(({ id }) => id);
  const populated = columns.flatMap(({ parameters }) => parameters);
  return [
    ['fields', [...new Set([...fields, 'updatedAt', ...(type.localized ? ['locale'] : [])])].join(',')],
    ...(populated.length > 0 ? populated : ([['populate', '', true]] as const)),
  ];
}

const pathOf = (type: ConsoleType, pairs: readonly Pair[]): string => `rest/${type.path}?${queryText(pairs)}`;

/** The request of the API that a list stands for, for the builder of requests. */
export function apiUrl(model: ConsoleModel, asked: Asked): string {
  const query = queryText([...versionOf(asked), ...conditionsOf(asked), ...orderOf(asked)]);
  return `${model.prefix}/${asked.type.path}${query === '' ? '' : `?${query}`}`;
}

export const listPath = (asked: Asked): string =>
  pathOf(asked.type, [
    ...shownOf(asked),
    ...versionOf(asked),
    ...conditionsOf(asked),
    ...orderOf(asked),
    ...pageOf(asked),
  ]);

const choiceOf = (documentIds: readonly string[]): Pair[] => [
  ...documentIds.map((id, index): Pair => [`filters[documentId][$in][${index}]`, id]),
  ['pagination[pageSize]', String(documentIds.length)],
];

/**
 * Drafts in a state: which ones, then what is shown of them. In one request, `publicationFilter` would hold for the
 * entries that they are related to as well.
 */
async function inState(asked: Asked, publication: string, signal: AbortSignal): Promise<EntryPage> {
  const pairs: Pair[] = [
    ['fields', 'documentId'],
    ['populate', '', true],
    ['publicationFilter', publication],
  ];
  const found = await api.get<EntryPage>(
    pathOf(asked.type, [...pairs, ...versionOf(asked), ...conditionsOf(asked), ...orderOf(asked), ...pageOf(asked)]),
    signal,
  );
  const ids = found.data.map(({ documentId }) => documentId);
  if (ids.length === 0) return found;
  const shown = await api.get<EntryPage>(
    pathOf(asked.type, [...shownOf(asked), ...versionOf(asked), ...choiceOf(ids)]),
    signal,
  );
  const byId = new Map(shown.data.map((entry) => [entry.documentId, entry]));
  return { ...found, data: ids.flatMap((id) => byId.get(id) ?? []) };
}

/** Everything that is read of the entries of a type begins with this key. */
export const entriesKey = (type: ConsoleType): readonly string[] => ['entries', type.uid];

/** The entries; those before are shown until the next have come. A request that nobody waits for is cancelled. */
export function useEntries(asked: Asked) {
  const { state } = asked.state;
  const publication = asked.type.draftAndPublish && state !== null && state !== 'live' ? PUBLICATION[state] : null;
  return useQuery({
    queryKey: [...entriesKey(asked.type), listPath(asked), publication],
    queryFn: ({ signal }) =>
      publication === null ? api.get<EntryPage>(listPath(asked), signal) : inState(asked, publication, signal),
    placeholderData: keepPreviousData,
  });
}

export type DraftState = 'draft' | 'modified' | 'published';

/** The states of drafts by documentId; undefined while they are asked for, and of types without drafts. */
export function useDraftStates(
  { type, state, locale }: Asked,
  entries: readonly Entry[],
): ReadonlyMap<string, DraftState> | undefined {
  const ids = entries.map(({ documentId }) => documentId);
  const path = pathOf(type, [
    ['fields', 'updatedAt'],
    ['populate', '', true],
    ['locale', locale ?? ''],
    ...choiceOf(ids),
  ]);
  const { data } = useQuery({
    queryKey: [...entriesKey(type), 'published', path],
    queryFn: ({ signal }) => api.get<EntryPage>(path, signal),
    enabled: type.draftAndPublish && state.state !== 'live' && ids.length > 0,
  });
  return data && draftStates(entries, data.data);
}

/** A draft that changed after it was published is modified. Instants in ISO 8601 compare as texts. */
export function draftStates(drafts: readonly Entry[], published: readonly Entry[]): Map<string, DraftState> {
  const times = new Map(published.map(({ documentId, updatedAt }) => [documentId, String(updatedAt)]));
  return new Map(
    drafts.map(({ documentId, updatedAt }) => {
      const time = times.get(documentId);
      if (time === undefined) return [documentId, 'draft'];
      return [documentId, String(updatedAt) > time ? 'modified' : 'published'];
    }),
  );
}
