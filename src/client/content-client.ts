// The entries of a content-type. A client has no model, so it does not know which names are single types. It need not:
// lists and single entries are read by the same request, and elsewhere the first argument tells. An entry of a
// collection is named by a documentId, which is a string; what is written, and what is asked for, is an object.

import { isObject, memberOf } from '../type-guards.ts';
import type { RequestOptions } from '../typing/client-options.ts';
import type { AnyRegistry } from '../typing/registry.ts';
import type {
  CollectionDrafts,
  CollectionReads,
  CollectionWrites,
  SingleBase,
  SingleDrafts,
} from '../typing/typed-client.ts';
import { SheafError } from './client-error.ts';
import type { Call, Transport } from './transport.ts';

type Query = Readonly<Record<string, unknown>>;

/** A page as it comes; one entry comes in the same envelope, which is taken off. */
interface Page {
  readonly data: readonly unknown[];
  readonly meta: { readonly pagination: Query };
}

/** What the types promise of a content-type, of whatever kind it is. */
type Offered =
  | keyof CollectionReads<AnyRegistry, string>
  | keyof CollectionWrites<AnyRegistry, string>
  | keyof CollectionDrafts<AnyRegistry, string>
  | keyof SingleBase<AnyRegistry, string>
  | keyof SingleDrafts<AnyRegistry, string>;

/** What a call ends with. */
type Rest = readonly [query?: Query, options?: RequestOptions];

/** Arguments of a call, with the documentId in front, if there is one. */
type Given<A extends readonly unknown[]> = readonly [documentId: string, ...rest: A] | A;

const hasDocument = <A extends readonly [first?: object, ...rest: unknown[]]>(
  given: Given<A>,
): given is readonly [documentId: string, ...rest: A] => typeof given[0] === 'string';

const withDocument = <A extends readonly [first?: object, ...rest: unknown[]]>(
  given: Given<A>,
): readonly [documentId: string | undefined, ...rest: A] => (hasDocument(given) ? given : [undefined, ...given]);

type OfRelation = readonly [relation: string, ...rest: Rest];

const isOfEntry = (given: Given<OfRelation>): given is readonly [documentId: string, ...rest: OfRelation] =>
  typeof given[1] === 'string';

/** `isCollection`: that it is known to be one, so that a list which is not found is a mistake. */
export function contentClient({ read, send }: Transport, name: string, isCollection = false) {
  const base = `/${encodeURIComponent(name)}`;
  const entry = (documentId: string | undefined): string =>
    documentId === undefined && !isCollection ? base : one(base, documentId);

  const list = (query?: Query, options?: RequestOptions) => read(base, query, options, `${base}/query`);
  const write = (call: Pick<Call, 'method' | 'path' | 'body'> & Partial<Call>, [query, options]: Rest) =>
    send({ repeat: 'repeatable', query, options, ...call }).then(entryIn);
  const action =
    (verb: string) =>
    async (...given: Given<Rest>) => {
      const [documentId, ...rest] = withDocument(given);
      return write({ method: 'POST', path: `${entry(documentId)}/actions/${verb}` }, rest);
    };

  return {
    find: (query?: Query, options?: RequestOptions) => {
      const found = list(query, options).then(entryIn);
      return isCollection ? found : orNull(found);
    },
    findOne: async (documentId: string, query?: Query, options?: RequestOptions) =>
      orNull(read(one(base, documentId), query, options).then(entryIn)),
    pages: (query: Query = {}, options?: RequestOptions) =>
      pagesOf((pagination) => list({ ...query, pagination }, options) as Promise<Page>, query),
    aggregate: (query: Query, options?: RequestOptions) =>
      read(`${base}/aggregate`, query, options, `${base}/aggregate`),
    related: async (...given: Given<OfRelation>) => {
      if (!isOfEntry(given)) {
        const [relation, query, options] = given;
        return orNull(read(one(base, relation), query, options));
      }
      const [documentId, relation, query, options] = given;
      return orNull(read(one(one(base, documentId), relation), query, options));
    },
    create: (data: unknown, ...rest: Rest) =>
      write({ method: 'POST', path: base, body: { data }, repeat: 'once' }, rest),
    update: async (...given: Given<readonly [data: object, ...rest: Rest]>) => {
      const [documentId, data, ...rest] = withDocument(given);
      return write({ method: 'PUT', path: entry(documentId), body: { data } }, rest);
    },
    delete: async (...given: Given<Rest>) => {
      const [documentId, ...rest] = withDocument(given);
      return write({ method: 'DELETE', path: entry(documentId), body: undefined }, rest);
    },
    publish: action('publish'),
    unpublish: action('unpublish'),
    discardDraft: action('discardDraft'),
    clone: async (documentId: string, data?: unknown, ...rest: Rest) =>
      write(
        {
          method: 'POST',
          path: `${one(base, documentId)}/actions/clone`,
          body: data === undefined ? data : { data },
          repeat: 'once',
        },
        rest,
      ),
  } satisfies Record<Offered, unknown>;
}

const entryIn = (body: unknown): unknown => {
  const data = dataIn(body);
  return Array.isArray(data) ? body : data;
};

/** What the envelope of a response holds. */
export const dataIn = (body: unknown): unknown => memberOf(body, 'data');

/** What is not there is no error where one thing is asked for. */
export const orNull = <T>(found: Promise<T>): Promise<T | null> =>
  found.catch((error: unknown) => {
    if (error instanceof SheafError && error.status === 404) return null;
    throw error;
  });

/** The path of one entry. Without a name in it, or with one that leads up, it would be the path of something else. */
export function one(base: string, id: string | number | undefined): string {
  if (/^(\.{0,2}|undefined|null)$/.test(String(id))) throw new TypeError(`${base}: a documentId is missing`);
  return `${base}/${encodeURIComponent(String(id))}`;
}

/** All pages, each when it is asked for: by cursor, unless the query counts them or sorts in a way that no cursor follows. */
async function* pagesOf(find: (pagination: Query) => Promise<Page>, { pagination, sort }: Query) {
  const given = isObject(pagination) ? pagination : {};
  const byOffset = given.start !== undefined || given.limit !== undefined;
  const byCursor = !byOffset && given.page === undefined && !leadsThroughRelations(sort);
  let next: Query = byCursor ? { cursor: '', ...given } : byOffset ? { start: 0, ...given } : { page: 1, ...given };
  for (;;) {
    const found = await find(next);
    yield found;
    const { next: cursor, pageSize, limit } = found.meta.pagination;
    if (byCursor ? !cursor : !(found.data.length >= Number(limit ?? pageSize))) return;
    if (byCursor) next = { ...next, cursor };
    else if (byOffset) next = { ...next, start: Number(next.start) + found.data.length };
    else next = { ...next, page: Number(next.page) + 1 };
  }
}

const leadsThroughRelations = (sort: unknown): boolean =>
  typeof sort === 'string'
    ? sort.includes('.')
    : typeof sort === 'object' &&
      sort !== null &&
      Object.values(sort).some((inner) => typeof inner === 'object' || leadsThroughRelations(inner));
