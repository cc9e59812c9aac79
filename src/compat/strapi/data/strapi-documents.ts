// `strapi.documents(uid)`: documents as the system, which sees private attributes, hashes of passwords and roles, with the
// middlewares that code registers around every call.
import { systemCaller } from '../../../access/caller.ts';
import type { Sheaf } from '../../../app.ts';
import type { ContentType } from '../../../model/types.ts';
import { Documents } from '../../../operations/documents.ts';
import type { Entry, EntryData, UpdateParameters } from '../../../operations/parameters.ts';
import { entriesOfPage } from '../../../read/read-strategy.ts';
import { isObject } from '../../../request/grammar.ts';
import { NO_LIMIT } from '../../../request/parse-read.ts';
import { withMeaningfulFilters } from '../sanitize.ts';
import { knownData } from './known-data.ts';
import { changedParameters, numberOfRows, paramsOfRows } from './row-parameters.ts';
import { type AroundReads, type ReadEvent, Rows } from './rows.ts';
import { type SchemaView, viewOf } from './schema-views.ts';
import { contentTypeOf } from './schemas.ts';

export type DocumentAction =
  | 'findMany'
  | 'findFirst'
  | 'findOne'
  | 'count'
  | 'create'
  | 'update'
  | 'delete'
  | 'publish'
  | 'unpublish'
  | 'discardDraft'
  | 'clone';

export type DocumentParameters = Record<string, unknown>;

/** What a middleware is told; it may change `params`. */
export interface DocumentContext {
  readonly uid: string;
  readonly contentType: SchemaView;
  readonly action: DocumentAction;
  params: DocumentParameters;
}

export type DocumentMiddleware = (context: DocumentContext, next: () => Promise<unknown>) => unknown;

export type StrapiDocuments = ((uid: string) => DocumentMethods) & {
  /** Runs the middleware around every call on documents. */
  use(middleware: DocumentMiddleware): void;
  /** Whether there is any, so that no operation may go past them. */
  readonly hasMiddlewares: boolean;
};

export type DocumentMethods = Readonly<Record<DocumentAction, (parameters?: DocumentParameters) => Promise<unknown>>>;

/** What reads and writes take; everything else is ignored, as Strapi does. */
const READ_KEYS = ['filters', 'sort', 'fields', 'populate', 'status', 'locale', '_q', 'hasPublishedVersion'];
const WRITE_KEYS = ['data', 'fields', 'populate', 'status', 'locale'];
const ACTION_KEYS = ['locale'];

export function createDocuments(sheaf: Sheaf, reads: AroundReads): StrapiDocuments {
  const middlewares: DocumentMiddleware[] = [];
  const methods = new Map<string, DocumentMethods>();
  const documents = (uid: string): DocumentMethods => {
    const known = methods.get(uid);
    if (known) return known;
    const made = methodsOf(uid);
    methods.set(uid, made);
    return made;
  };
  const methodsOf = (uid: string): DocumentMethods => {
    const type = contentTypeOf(sheaf.model, uid);
    const contentType = viewOf(sheaf.model, type);
    const actions = actionsOn(sheaf, type, reads);
    const call =
      (action: DocumentAction) =>
      async (parameters: DocumentParameters = {}) => {
        const context: DocumentContext = { uid, contentType, action, params: parameters };
        const step = (index: number): Promise<unknown> => {
          const middleware = middlewares[index];
          return middleware
            ? Promise.resolve(middleware(context, () => step(index + 1)))
            : actions[action](withMeaningfulFilters(context.params));
        };
        return step(0);
      };
    return Object.fromEntries(
      Object.keys(actions).map((name) => [name, call(name as DocumentAction)]),
    ) as DocumentMethods;
  };
  const use = (middleware: DocumentMiddleware): void => {
    middlewares.push(middleware);
  };
  // Asked for each time, where an assigned getter would be asked once.
  Object.defineProperty(documents, 'hasMiddlewares', { get: () => middlewares.length > 0 });
  return Object.assign(documents, { use }) as StrapiDocuments;
}

type Actions = Readonly<Record<DocumentAction, (parameters: DocumentParameters) => Promise<unknown>>>;

function actionsOn(sheaf: Sheaf, type: ContentType, reads: AroundReads): Actions {
  const { uid } = type;
  const documents = new Documents(sheaf.operations, type, systemCaller(sheaf.model, 'everything'));
  const rows = new Rows(sheaf, uid);
  const written = (parameters: DocumentParameters): UpdateParameters => ({
    ...idOf(parameters),
    ...taken(parameters, WRITE_KEYS),
    data: knownData(sheaf.model, type, parameters.data) as EntryData,
  });
  const act =
    (name: 'publish' | 'unpublish' | 'discardDraft') =>
    async (parameters: DocumentParameters): Promise<unknown> => {
      const done = await documents[name]({ ...idOf(parameters), ...taken(parameters, ACTION_KEYS) });
      const ids = done.entries.map(({ id }) => id);
      return { ...done, entries: name === 'unpublish' ? done.entries : await rows.findMany({ where: { id: ids } }) };
    };
  const first = async (asked: DocumentParameters): Promise<Entry | null> =>
    (await findMany(sheaf, type, { ...asked, limit: 1 }))[0] ?? null;
  const told = <R>(
    event: ReadEvent,
    parameters: DocumentParameters,
    read: (asked: DocumentParameters) => Promise<R>,
  ): Promise<R> => {
    if (!reads.hearsReads(uid)) return read(parameters);
    const params = paramsOfRows(parameters);
    const before = structuredClone(params);
    return reads.around(type, event, params, (changed) =>
      read({ ...parameters, ...changedParameters(sheaf.model, type, before, changed) }),
    );
  };
  return {
    findMany: (parameters) => told('FindMany', parameters, (asked) => findMany(sheaf, type, asked)),
    findFirst: (parameters) => told('FindOne', parameters, first),
    findOne: (parameters) =>
      reads.hearsReads(uid)
        ? told('FindOne', withDocument(parameters), first)
        : documents.findOne({ ...idOf(parameters), ...taken(parameters, READ_KEYS) }),
    count: (parameters) =>
      told('Count', parameters, (asked) => documents.count(taken(asked, ['filters', 'status', 'locale', '_q']))),
    create: (parameters) => documents.create(written(parameters)),
    update: (parameters) => documents.update(written(parameters)),
    clone: (parameters) => documents.clone(written(parameters)),
    publish: act('publish'),
    unpublish: act('unpublish'),
    discardDraft: act('discardDraft'),
    delete: async (parameters) => {
      const all = await rows.findMany({ where: { documentId: parameters.documentId ?? { $notNull: true } } });
      const done = await documents.delete({ ...idOf(parameters), ...taken(parameters, ACTION_KEYS) });
      const gone = new Set(done.entries.map(({ id }) => id));
      return { ...done, entries: all.filter(({ id }) => gone.has(id)) };
    },
  };
}

/** By the id of its document among the conditions, where lifecycles see it. */
const withDocument = ({ documentId, filters, ...rest }: DocumentParameters): DocumentParameters => {
  if (typeof documentId !== 'string') return { ...rest, ...(filters !== undefined && { filters }) };
  const id = { documentId };
  return { ...rest, filters: isObject(filters) ? { ...id, $and: [filters] } : id };
};

const idOf = ({ documentId }: DocumentParameters): { documentId?: string } =>
  typeof documentId === 'string' ? { documentId } : {};

const taken = (parameters: DocumentParameters, keys: readonly string[]): DocumentParameters =>
  Object.fromEntries(
    keys
      .filter((key) => parameters[key] !== undefined && parameters[key] !== null)
      .map((key) => [key, parameters[key]]),
  );

/** Every entry that matches, or those from `start` on, `limit` at most: pages of the API have no say here. */
async function findMany(sheaf: Sheaf, type: ContentType, parameters: DocumentParameters): Promise<Entry[]> {
  const caller = systemCaller(sheaf.model, 'everything');
  const { start = 0, limit = NO_LIMIT.limit } = parameters;
  const most = numberOfRows('limit', limit);
  const pagination = {
    ...NO_LIMIT,
    start: numberOfRows('start', start),
    limit: most < 0 ? NO_LIMIT.limit : most,
  };
  const read = sheaf.operations.findAgain(
    { name: 'find', type, parameters: taken(parameters, READ_KEYS), defaults: { status: 'draft', pagination } },
    caller,
  );
  return entriesOfPage(await read.run({ caller }));
}
