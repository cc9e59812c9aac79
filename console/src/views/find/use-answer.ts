// What the server says to the request that is built.
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { query } from '../../../../src/client/query-text.ts';
import type { ApiRoles, AskAs, ConsoleExplained, ConsoleModel, TryAnswer } from '../../../../src/console/contract.ts';
import type { Titles } from '../../query/clauses.ts';
import type { FilterDraft, ReadDraft } from '../../query/draft.ts';
import { childrenOf } from '../../query/edit-filters.ts';
import { rootView, type SchemaView, viewAt } from '../../query/schema-view.ts';
import { ApiError, api, request } from '../../shell/api.ts';
import { type Entry, titleOf } from '../../shell/model.ts';
import { useSession } from '../../shell/session.ts';

export const ME: AskAs = { kind: 'account' };

/** How the answer to a request by someone came. */
export function useAnswer(url: string, as: AskAs, prefix: string) {
  const { can } = useSession();
  const mayTry = can('requests.explain');
  return useQuery({
    queryKey: ['find', url, as, mayTry],
    queryFn: ({ signal }) => (mayTry ? tried(url, as, signal) : readOwn(url, prefix, signal)),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 60_000,
  });
}

const tried = async (url: string, as: AskAs, signal: AbortSignal): Promise<TryAnswer> =>
  (await request<TryAnswer>('POST', 'try', { url, as }, signal)).body;

/** For those who may not try requests as others: the same read, as themselves. */
async function readOwn(url: string, prefix: string, signal: AbortSignal): Promise<TryAnswer> {
  const path = `rest${url.slice(prefix.length)}`;
  try {
    const { body, headers, milliseconds } = await request<unknown>('GET', path, undefined, signal);
    return { status: 200, headers: Object.fromEntries(headers), body, milliseconds, cost: null };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0 || error.status === 401) throw error;
    const { status, message, details } = error;
    return { status, headers: {}, body: { error: { status, message, details } }, milliseconds: 0, cost: null };
  }
}

export const useExplained = (url: string, as: AskAs) =>
  useQuery({
    queryKey: ['explain', url, as],
    queryFn: async ({ signal }) => (await request<ConsoleExplained>('POST', 'explain', { url, as }, signal)).body,
    placeholderData: keepPreviousData,
  });

/** The roles in whose eyes one may look. */
export function useRoles(): ApiRoles['roles'] {
  const { can } = useSession();
  const enabled = can('roles.read') && can('roles.update') && can('requests.explain');
  return useQuery({ queryKey: ['roles'], queryFn: () => api.get<ApiRoles>('roles'), enabled }).data?.roles ?? [];
}

/** What an answer says of a parameter that it refuses. */
export interface Problem {
  readonly message: string;
  readonly param: string | null;
  /** Names and operators that lead to it, such as `chef.name.$eq`; null where the server names none. */
  readonly path: string | null;
}

export function problemOf(answer: TryAnswer | undefined): Problem | null {
  const { error } = (answer?.body ?? {}) as {
    error?: { message: string; details?: { param?: string; path?: string | null; key?: string } };
  };
  if (!answer || answer.status < 400 || !error) return null;
  const { param = null, path = null, key } = error.details ?? {};
  const isWhole = path !== null && (key === undefined || path === key || path.endsWith(`.${key}`));
  return { message: error.message, param, path: isWhole ? path : [path, key].filter(Boolean).join('.') || null };
}

// ---- titles of entries that conditions name

interface Named {
  readonly view: SchemaView;
  readonly ids: readonly string[];
}

function namedIn(nodes: readonly FilterDraft[], view: SchemaView | null): Named[] {
  return nodes.flatMap((node): Named[] => {
    const names = 'path' in node ? node.path.map(({ name }) => name) : [];
    if (node.kind === 'test') {
      const isDocument = names.at(-1) === 'documentId';
      const holder = viewAt(view, isDocument ? names.slice(0, -1) : names);
      return holder && (isDocument || node.op === '$all') ? [{ view: holder, ids: node.values }] : [];
    }
    const children = childrenOf(node);
    return children ? namedIn(children, viewAt(view, names)) : [];
  });
}

/** Titles of the entries that conditions name by documentId. */
export function useTitles(draft: ReadDraft, model: ConsoleModel): Titles {
  const byType = new Map<SchemaView['schema'], Set<string>>();
  for (const { view, ids } of namedIn(draft.filters, rootView(model, draft))) {
    const known = byType.get(view.schema) ?? new Set();
    for (const id of ids) if (id.length > 8) known.add(id);
    byType.set(view.schema, known);
  }
  const asked = [...byType].filter(([schema, ids]) => 'path' in schema && ids.size > 0);
  return useQueries({
    queries: asked.map(([schema, ids]) => {
      const parameters = { filters: { documentId: { $in: [...ids] } }, fields: [schema.mainField], populate: '' };
      const path = `rest/${(schema as unknown as { path: string }).path}?${query(parameters)}`;
      return {
        queryKey: ['titles', path],
        queryFn: async () => {
          const { data } = await api.get<{ data: readonly Entry[] }>(path);
          return data.map((entry) => [entry.documentId, titleOf(schema, entry)] as const);
        },
        staleTime: 60_000,
        retry: false,
      };
    }),
    combine: (results) => new Map(results.flatMap(({ data }) => data ?? [])),
  });
}
