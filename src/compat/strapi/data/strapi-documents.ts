// `strapi.documents(uid)`: documents as the system, which sees private attributes, hashes of passwords and roles, with the
// middlewares that code registers around every call.
import { type Caller, systemCaller } from '../../../access/caller.ts';
import { WRITE_NAMES } from '../../../access/operation.ts';
import type { Sheaf } from '../../../app.ts';
import type { ContentType } from '../../../model/types.ts';
import { Documents } from '../../../operations/documents.ts';
import { type ShownChanges, shownAs } from '../../../operations/hooks.ts';
import type { CreateParameters, Entry, Filters } from '../../../operations/parameters.ts';
import { entriesOfPage } from '../../../read/read-strategy.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import { NO_LIMIT } from '../../../request/parse-read.ts';
import { checkData } from '../../../request/parse-write.ts';
import type { Status } from '../../../request/read-request.ts';
import { withMeaningfulFilters } from '../sanitize.ts';
import { conditionsOfCode } from './code-conditions.ts';
import {
  checkNames,
  checkParameters,
  type DocumentParameters,
  READ_OF_DOCUMENTS,
  taken,
} from './document-parameters.ts';
import { knownData } from './known-data.ts';
import { pagedPopulate } from './known-populate.ts';
import { changedParameters, mostRows, paramsOfRows, rowsBefore } from './row-parameters.ts';
import { type AroundRows, givenTo, type ReadEvent, Rows } from './rows.ts';
import { type SchemaView, viewOf } from './schema-views.ts';
import { contentTypeOf } from './schemas.ts';

const ACTIONS = ['findMany', 'findFirst', 'findOne', 'count', ...WRITE_NAMES] as const;
export type DocumentAction = (typeof ACTIONS)[number];

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

/** A type without drafts has none of `publish`, `unpublish` and `discardDraft`. */
export type DocumentMethods = Readonly<Record<DocumentAction, (parameters?: DocumentParameters) => Promise<unknown>>>;

/** What reads and writes take; everything else is ignored, as Strapi does. */
const COUNT_KEYS = ['filters', 'status', 'locale', '_q', 'publicationFilter', 'hasPublishedVersion'];
const READ_KEYS = [...COUNT_KEYS, 'sort', 'fields', 'populate'];
const WRITE_KEYS = ['data', 'fields', 'populate', 'status', 'locale'];
const ACTION_KEYS = ['locale'];
const SHOWN_KEYS = ['fields', 'populate'];
/** Actions that plan a read of all that they are asked for. */
const READS: ReadonlySet<DocumentAction> = new Set(['findMany', 'findFirst', 'findOne']);

export function createDocuments(sheaf: Sheaf, reads: AroundRows): StrapiDocuments {
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
    const meantBy = (parameters: DocumentParameters): DocumentParameters => ({
      ...withMeaningfulFilters({
        ...parameters,
        filters: conditionsOfCode(sheaf.model, type, parameters.filters),
      }),
      populate: pagedPopulate(sheaf.model, type, parameters.populate),
    });
    const run = async (action: DocumentAction, parameters: DocumentParameters): Promise<unknown> => {
      checkParameters(parameters);
      const meant = meantBy(parameters);
      if (!READS.has(action)) checkNames(sheaf, type, rawCaller(sheaf), meant);
      return actions[action]!(meant);
    };
    const call =
      (action: DocumentAction) =>
      async (parameters: DocumentParameters = {}) => {
        const context: DocumentContext = { uid, contentType, action, params: parameters };
        const step = (index: number): Promise<unknown> => {
          const middleware = middlewares[index];
          return middleware ? Promise.resolve(middleware(context, () => step(index + 1))) : run(action, context.params);
        };
        return step(0);
      };
    const offered = ACTIONS.filter((action) => action in actions);
    return Object.fromEntries(offered.map((action) => [action, call(action)])) as DocumentMethods;
  };
  const use = (middleware: DocumentMiddleware): void => {
    middlewares.push(middleware);
  };
  // Asked for each time, where an assigned getter would be asked once.
  Object.defineProperty(documents, 'hasMiddlewares', { get: () => middlewares.length > 0 });
  return Object.assign(documents, { use }) as StrapiDocuments;
}

/** Entries are raw to code, as rows are: with hashes of passwords, and with what leads to types that are not served. */
const rawCaller = ({ model }: Sheaf): Caller => systemCaller(model, 'everything');

export const rawDocuments = (sheaf: Sheaf, type: ContentType): Documents =>
  new Documents(sheaf.operations, type, rawCaller(sheaf));

type Action = (parameters: DocumentParameters) => Promise<unknown>;
type Actions = Readonly<Partial<Record<DocumentAction, Action>>>;

function actionsOn(sheaf: Sheaf, type: ContentType, reads: AroundRows): Actions {
  const { uid } = type;
  const caller = rawCaller(sheaf);
  const documents = rawDocuments(sheaf, type);
  const written = (parameters: DocumentParameters): CreateParameters => ({
    ...taken(parameters, WRITE_KEYS),
    data: knownData(sheaf.model, type, parameters.data),
  });
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
      reads.hearsReads(uid) ? told('FindOne', withDocument(parameters), first) : findOne(sheaf, type, parameters),
    count: (parameters) => told('Count', parameters, (asked) => documents.count(taken(asked, COUNT_KEYS))),
    create: async (parameters) => {
      const { data, ...rest } = written(parameters);
      checkData(data, sheaf.operations.rules.limits);
      await sheaf.operations.refresh();
      // Whether it is published, the status decides.
      const given = givenTo(isPlainObject(parameters.data) ? { ...parameters.data, publishedAt: undefined } : {});
      const operation = { name: 'create', type, data, parameters: rest, defaultStatus: 'draft', ...given } as const;
      return JSON.parse((await sheaf.operations.write(operation, caller))!.text);
    },
    update: async (parameters) =>
      isOfNone(type, parameters) ? null : documents.update({ ...idOf(parameters), ...written(parameters) }),
    ...actionsOnVersions(sheaf, type, reads),
  };
}

/** Actions on the versions of a document. Of one that has none in the locales asked for, they return no entries. */
function actionsOnVersions(sheaf: Sheaf, type: ContentType, lifecycles: AroundRows): Actions {
  const documents = rawDocuments(sheaf, type);
  const rows = new Rows(sheaf, type.uid);
  const targetOf = (parameters: DocumentParameters) => ({ ...idOf(parameters), ...taken(parameters, ACTION_KEYS) });
  const shown = (parameters: DocumentParameters, status: Status, filters: Filters): Promise<Entry[]> =>
    findMany(sheaf, type, {
      ...taken(parameters, SHOWN_KEYS),
      status,
      filters,
      ...(type.localized && { locale: '*' }),
    });
  const isThere = async (parameters: DocumentParameters): Promise<boolean> => {
    if (isOfNone(type, parameters)) return false;
    const { documentId, ...locale } = targetOf(parameters);
    const asked = { ...locale, ...(documentId !== undefined && { filters: { documentId } }) };
    const caller = rawCaller(sheaf);
    const defaults = { status: 'any', pagination: NO_LIMIT } as const;
    return (await sheaf.operations.count({ name: 'count', type, parameters: asked, defaults }, { caller })) > 0;
  };
  const changing =
    (name: 'publish' | 'discardDraft', status: Status): Action =>
    async (parameters) => {
      if (!(await isThere(parameters))) return { documentId: parameters.documentId, entries: [] };
      const { result, changes } = await lifecycles.shownBy(() => documents[name](targetOf(parameters)));
      const ids = result.entries.map(({ id }) => id);
      const entries = await shown(parameters, status, { id: { $in: ids } });
      return { documentId: result.documentId, entries: changedBy(changes, entries) };
    };
  const removing =
    (name: 'unpublish' | 'delete'): Action =>
    async (parameters) => {
      const { documentId: asked, fields, populate } = parameters;
      if (isOfNone(type, parameters) || (name === 'unpublish' && !(await isThere(parameters))))
        return { documentId: asked, entries: [] };
      const select = fields === undefined ? undefined : ['id', 'documentId', fields].flat();
      const all = await rows.findMany({ where: { documentId: asked ?? { $notNull: true } }, select, populate });
      const { result, changes } = await lifecycles.shownBy(() => documents[name](targetOf(parameters)));
      const gone = new Set(result.entries.map(({ id }) => id));
      const entries = all.filter(({ id }) => gone.has(id));
      // What is no longer published is still there: Strapi returns it as it was.
      return { documentId: result.documentId, entries: name === 'delete' ? changedBy(changes, entries) : entries };
    };
  return {
    delete: removing('delete'),
    clone: async (parameters) => {
      if (!(await isThere(parameters))) return { documentId: undefined, entries: [] };
      const data = knownData(sheaf.model, type, parameters.data);
      const { documentId } = await documents.clone({ ...targetOf(parameters), data });
      return { documentId, entries: await shown(parameters, 'draft', { documentId }) };
    },
    ...(type.draftAndPublish && {
      publish: changing('publish', 'published'),
      unpublish: removing('unpublish'),
      discardDraft: changing('discardDraft', 'draft'),
    }),
  };
}

/** Entries as lifecycles show them. */
const changedBy = (changes: ReadonlyMap<number, ShownChanges>, entries: readonly Entry[]): Entry[] =>
  entries.map((entry) => shownAs(entry, changes.get(entry.id) ?? null));

/** By the id of its document among the conditions, where lifecycles see it. */
const withDocument = ({ documentId, filters, ...rest }: DocumentParameters): DocumentParameters => {
  if (typeof documentId !== 'string') return { ...rest, ...(filters !== undefined && { filters }) };
  const id = { documentId };
  return { ...rest, filters: isPlainObject(filters) ? { ...id, $and: [filters] } : id };
};

/** A single type has one document. Of others, whoever names no document means none. */
const isOfNone = ({ kind }: ContentType, { documentId }: DocumentParameters): boolean =>
  kind === 'collectionType' && typeof documentId !== 'string';

const idOf = ({ documentId }: DocumentParameters): { documentId?: string } =>
  typeof documentId === 'string' ? { documentId } : {};

async function findOne(sheaf: Sheaf, type: ContentType, parameters: DocumentParameters): Promise<Entry | null> {
  const caller = rawCaller(sheaf);
  await sheaf.operations.refresh();
  const defaults = READ_OF_DOCUMENTS;
  const asked = { name: 'findOne', type, parameters: taken(parameters, READ_KEYS), defaults } as const;
  const { documentId = null } = idOf(parameters);
  const text = await sheaf.operations.findOne(asked, caller).run({ caller, documentId });
  return text === null ? null : JSON.parse(text);
}

/** Every entry that matches, or those from `start` on, `limit` at most: pages of the API have no say here. */
async function findMany(sheaf: Sheaf, type: ContentType, parameters: DocumentParameters): Promise<Entry[]> {
  const caller = rawCaller(sheaf);
  const { start = 0, limit = NO_LIMIT.limit } = parameters;
  const pagination = { ...NO_LIMIT, start: rowsBefore('start', start), limit: mostRows('limit', limit) };
  const read = sheaf.operations.findAgain(
    {
      name: 'find',
      type,
      parameters: taken(parameters, READ_KEYS),
      defaults: { ...READ_OF_DOCUMENTS, pagination },
    },
    caller,
  );
  return entriesOfPage(await read.run({ caller }));
}
