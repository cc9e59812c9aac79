// What the server says to the request that is built.
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import type {
  ApiRoles,
  AskAs,
  ConsoleExplained,
  ConsoleModel,
  ConsoleType,
  TryAnswer,
} from '../../../../src/console/contract.ts';
import { errorMessage, isObject } from '../../../../src/type-guards.ts';
import type { Titles } from '../../query/clauses.ts';
import type { FilterDraft, ReadDraft } from '../../query/draft.ts';
import { childrenOf } from '../../query/edit-filters.ts';
import { rootView, type SchemaView, viewAt } from '../../query/schema-view.ts';
import { api, request } from '../../shell/api.ts';
import { typeOf } from '../../shell/model.ts';
import { useSession } from '../../shell/session.ts';
import { readTitles, TITLES_STAY, titlesPath } from './entries-request.ts';

/** How long an answer is kept that is not shown, in milliseconds: for a change that is taken back. */
const KEPT = 60_000;

export const ME: AskAs = { kind: 'account' };

/** The answer that someone gets to a request. */
export const useAnswer = (url: string, as: AskAs) =>
  useQuery({
    queryKey: ['find', url, as],
    queryFn: async ({ signal }) => (await request<TryAnswer>('POST', 'try', { url, as }, signal)).body,
    placeholderData: keepPreviousData,
    gcTime: KEPT,
  });

export const useExplained = (url: string, as: AskAs) =>
  useQuery({
    queryKey: ['explain', url, as],
    queryFn: async ({ signal }) => (await request<ConsoleExplained>('POST', 'explain', { url, as }, signal)).body,
    placeholderData: keepPreviousData,
  });

/** The roles in whose eyes one may look. */
export function useRoles(): ApiRoles['roles'] {
  const { can } = useSession();
  const enabled = can('roles.read') && can('roles.update');
  return useQuery({ queryKey: ['roles'], queryFn: () => api.get<ApiRoles>('roles'), enabled }).data?.roles ?? [];
}

/** What an answer says of a parameter that it refuses. */
export interface Problem {
  readonly message: string;
  readonly param: string | null;
  /** Names and operators that lead to it, such as `chef.name.$eq`; null where the server names none. */
  readonly path: string | null;
}

const textIn = (details: unknown, name: string): string | null => {
  const text = isObject(details) ? details[name] : null;
  return typeof text === 'string' ? text : null;
};

export function problemOf(answer: TryAnswer | undefined): Problem | null {
  if (!answer || answer.status < 400 || !isObject(answer.body) || !isObject(answer.body.error)) return null;
  const { error } = answer.body;
  const detail = (name: string): string | null => textIn(error.details, name);
  const [param, path, key] = [detail('param'), detail('path'), detail('key')];
  const isWhole = path !== null && (key === null || path === key || path.endsWith(`.${key}`));
  return { message: errorMessage(error), param, path: isWhole ? path : [path, key].filter(Boolean).join('.') || null };
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

/** A documentId has 24 characters; what is shorter is an id, or is being typed. */
const isDocumentId = (text: string): boolean => /^[a-z0-9]{24}$/.test(text);

/** Titles of the entries that conditions name by documentId. */
export function useTitles(draft: ReadDraft, model: ConsoleModel): Titles {
  const byType = new Map<ConsoleType, Set<string>>();
  for (const { view, ids } of namedIn(draft.filters, rootView(model, draft))) {
    const type = typeOf(model, view.schema.uid);
    if (!type) continue;
    const known = byType.get(type) ?? new Set();
    for (const id of ids) if (isDocumentId(id)) known.add(id);
    byType.set(type, known);
  }
  return useQueries({
    queries: [...byType]
      .filter(([, ids]) => ids.size > 0)
      .map(([type, ids]) => {
        const path = titlesPath(type, { filters: { documentId: { $in: [...ids] } } });
        return {
          queryKey: ['titles', path],
          queryFn: ({ signal }: { signal: AbortSignal }) => readTitles(type, path, signal),
          staleTime: TITLES_STAY,
        };
      }),
    combine: (results) => new Map(results.flatMap(({ data }) => data ?? []).map(({ value, label }) => [value, label])),
  });
}
