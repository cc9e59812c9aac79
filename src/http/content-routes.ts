// The routes of every content-type: lists, single entries and writes. What they answer comes from documents/.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.ts';
import { actionOn, LIST_LOCALES } from '../access/actions.ts';
import { invalidKey, notFoundError, validationError } from '../errors.ts';
import { MAX_CACHED_REQUEST_LENGTH } from '../limits.ts';
import type { ContentType } from '../model/types.ts';
import { entryJson, pageJson } from '../operations/documents.ts';
import type { WrittenEntry } from '../operations/writer.ts';
import { parseData } from '../request/parse-write.ts';
import { parseQueryString, type QueryObject } from '../request/query-string.ts';
import { PREPARED, positionOf, send, sendNothing, sendValue, tellPosition } from './respond.ts';
import { documentIdOf, type Handler, type PreparedText, queryOf, queryTextOf, route, type Site } from './routes.ts';

export function addLocaleRoute(site: Site): void {
  route(site, '/api/i18n/locales', {
    GET: {
      action: LIST_LOCALES,
      handler: async (request, reply) => {
        const [stray] = Object.keys(queryOf(request));
        if (stray !== undefined) throw invalidKey(stray, [], stray);
        return sendValue(reply, await site.sheaf.locales());
      },
    },
  });
}

export function addContentRoutes(site: Site, type: ContentType): void {
  const documents = site.sheaf.documents(type.uid);
  const limit = site.auth.settings.rateLimits.content ?? undefined;
  const may = (verb: Parameters<typeof actionOn>[1]) => actionOn(type, verb);
  if (type.kind === 'singleType') {
    const base = `/api/${type.singularName}`;
    const answer = answering(site, base, oneOf(documents, false));
    route(
      site,
      base,
      {
        GET: { action: may('find'), handler: (request, reply) => answer(request, reply, null) },
        PUT: {
          action: may('update'),
          handler: writing(site, 200, (write) => documents.updateSingleJson(write)),
        },
        DELETE: {
          action: may('delete'),
          handler: deleting(site, (request, locale) => documents.deleteAs(request.caller, null, locale)),
        },
      },
      limit,
    );
    return;
  }
  const base = `/api/${type.pluralName}`;
  const list = answering(site, base, listOf(documents));
  const one = answering(site, `${base}/`, oneOf(documents, true));
  route(
    site,
    base,
    {
      GET: { action: may('find'), handler: (request, reply) => list(request, reply, null) },
      POST: { action: may('create'), handler: writing(site, 201, (write) => documents.createJson(write)) },
    },
    limit,
  );
  route(
    site,
    `${base}/:documentId`,
    {
      GET: {
        action: may('findOne'),
        handler: (request, reply) => one(request, reply, documentIdOf(request)),
      },
      PUT: {
        action: may('update'),
        handler: writing(site, 200, (write, request) => documents.updateJson(documentIdOf(request), write)),
      },
      DELETE: {
        action: may('delete'),
        handler: deleting(site, (request, locale) => documents.deleteAs(request.caller, documentIdOf(request), locale)),
      },
    },
    limit,
  );
}

type Documents = ReturnType<Site['sheaf']['documents']>;
type Prepare = (query: QueryObject, access: Access) => PreparedText;

const listOf =
  (documents: Documents): Prepare =>
  (query, access) => {
    const list = documents.prepareList(query, access);
    return { timing: list.timing, run: async (run) => pageJson(list, await list.run(run)) };
  };

const oneOf =
  (documents: Documents, byDocument: boolean): Prepare =>
  (query, access) => {
    const one = documents.prepareOne(query, access, byDocument);
    return {
      timing: one.timing,
      run: async (run) => {
        const text = await one.run(run);
        return text === null ? null : entryJson(text, one.omitted);
      },
    };
  };

/** Prepares a request by its exact query once for those who share their rights, and runs it each time. */
export function answering({ requests }: Site, base: string, prepare: Prepare) {
  return async (request: FastifyRequest, reply: FastifyReply, documentId: string | null): Promise<FastifyReply> => {
    const begin = performance.now();
    const { access, user } = request.caller;
    const query = queryTextOf(request);
    const key = `${access.key} ${base}?${query}`;
    let prepared = requests.get(key);
    const timing = prepared ? PREPARED : undefined;
    if (!prepared) {
      prepared = prepare(parseQueryString(query), access);
      if (query.length <= MAX_CACHED_REQUEST_LENGTH) requests.set(key, prepared);
    }
    const body = await prepared.run({ documentId, user, after: positionOf(request) });
    if (body === null) throw notFoundError();
    return send(reply, body, timing ?? prepared.timing, begin);
  };
}

interface Write {
  readonly data: Record<string, unknown>;
  readonly parameters: QueryObject;
  readonly caller: FastifyRequest['caller'];
}

/** Answers with what a write left behind. */
function writing(
  { sheaf }: Site,
  status: number,
  work: (write: Write, request: FastifyRequest) => Promise<WrittenEntry | null>,
): Handler {
  return async (request, reply) => {
    const begin = performance.now();
    const write = { data: parseData(request.body), parameters: queryOf(request), caller: request.caller };
    const entry = await work(write, request);
    if (entry === null) throw notFoundError();
    await tellPosition(sheaf, reply);
    return send(reply.code(status), entryJson(entry.text, entry.omitted), PREPARED, begin);
  };
}

const DELETE_KEYS = new Set(['locale', 'status']);

function deleting({ sheaf }: Site, work: (request: FastifyRequest, locale: unknown) => Promise<unknown>): Handler {
  return async (request, reply) => {
    const query = queryOf(request);
    for (const key of Object.keys(query)) if (!DELETE_KEYS.has(key)) throw invalidKey(key, [], key);
    if (query.status !== undefined && query.status !== 'published')
      throw validationError('Invalid value for status: a draft cannot be deleted alone', {
        key: 'status',
        source: 'query',
        param: 'status',
      });
    await work(request, query.locale);
    await tellPosition(sheaf, reply);
    return sendNothing(reply);
  };
}
