// /api/upload: files as clients of Strapi 5 send and read them. What is stored, and how, is decided in files/.
import type { FastifyRequest } from 'fastify';
import { DELETE_FILES, FIND_FILE, FIND_FILE_PAGE, FIND_FILES, UPLOAD_FILES } from '../access/actions.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadName, ReadOperation } from '../access/operation.ts';
import { validationError } from '../errors.ts';
import { parseFileInfo, parseFileInfos } from '../files/file-info.ts';
import { ALL_FILES, type FileEntry, fileNotFound } from '../files/files.ts';
import { Scratch } from '../files/incoming.ts';
import { FILE } from '../model/builtin.ts';
import { pageJson } from '../operations/envelope.ts';
import { firstPage, MISPLACED_PARAMETERS, READ_PARAMETERS, takeSlice } from '../request/parse-read.ts';
import type { QueryObject } from '../request/query-string.ts';
import { readHandler, shownAs } from './content-routes.ts';
import { WRITE_COST } from './cost-limit.ts';
import { receiveUpload, type UploadFields } from './receive-upload.ts';
import { callerOf } from './register-routes.ts';
import { sendReplicationPosition, sendValue } from './respond.ts';
import {
  documentIdOf,
  type Handler,
  PLUGIN_QUERIES,
  type PreparedText,
  queryOf,
  type Route,
  type RouteContext,
  type RouteQuery,
  routeWith,
} from './routes.ts';

type HandlerOf = (route: RouteQuery) => Handler;

export function fileRoutes(context: RouteContext): Route[] {
  const { sheaf, auth } = context;
  const type = sheaf.model.contentTypes.get(FILE)!;
  const base = `${auth.settings.rest.prefix}/upload`;
  const route = (
    method: Route['method'],
    path: string,
    action: string,
    {
      handlerOf,
      ...rest
    }: Pick<Route, 'operation' | 'parameters' | 'describes' | 'takesFiles'> & { readonly handlerOf: HandlerOf },
  ): Route => {
    const described = { method, path: `${base}${path}`, action, limit: null, ...rest };
    return routeWith({ ...described, queryRules: PLUGIN_QUERIES, refusesInEnvelope: true }, handlerOf);
  };
  const read = (
    path: string,
    action: string,
    name: ReadName,
    rest: Pick<Route, 'describes'> & { readonly handlerOf: HandlerOf },
  ): Route =>
    route('GET', path, action, {
      operation: { name, type },
      parameters: rest.describes === 'files' ? [...READ_PARAMETERS, 'start', 'limit'] : READ_PARAMETERS,
      ...rest,
    });
  const { envelope } = auth.settings.files;
  return [
    route('POST', '', UPLOAD_FILES, {
      // A body can be read once only, so it is found out beforehand who sends it.
      operation: null,
      parameters: ['id'],
      describes: 'upload',
      takesFiles: true,
      handlerOf: () => uploadHandler(context),
    }),
    read('/files', FIND_FILES, 'find', {
      describes: 'files',
      handlerOf: (route) => listHandler(context, route, envelope),
    }),
    read('/files/page', FIND_FILE_PAGE, 'find', {
      describes: 'filePage',
      handlerOf: (route) => listHandler(context, route, true),
    }),
    read('/files/:documentId', FIND_FILE, 'findOne', {
      describes: 'file',
      handlerOf: (route) => oneHandler(context, route),
    }),
    route('DELETE', '/files/:documentId', DELETE_FILES, {
      operation: { name: 'delete', type },
      parameters: ['force'],
      describes: 'deleteFile',
      handlerOf: () => deleteHandler(context),
    }),
  ];
}

function readOperation({ sheaf, auth }: RouteContext, name: ReadName, parameters: QueryObject, inPages: boolean) {
  const asked = inPages ? { parameters, pagination: firstPage(auth.settings.rest) } : takeSlice(parameters, ALL_FILES);
  const operation: ReadOperation = {
    name,
    type: sheaf.files.type,
    parameters: inPages ? asked.parameters : withoutPages(asked.parameters),
    defaults: { status: 'published', pagination: asked.pagination },
  };
  return operation;
}

/** Names of pages that Strapi ignores here. */
const withoutPages = (parameters: QueryObject): QueryObject =>
  Object.fromEntries(Object.entries(parameters).filter(([key]) => !MISPLACED_PARAMETERS.includes(key)));

function listHandler(context: RouteContext, route: RouteQuery, inPages: boolean): Handler {
  const { sheaf } = context;
  return readHandler(context, route, (query, caller): PreparedText => {
    const list = sheaf.operations.find(readOperation(context, 'find', query, inPages), caller);
    const { omitted, request } = list;
    return shownAs(list, async (page) => {
      const shown = await sheaf.files.shownText(`[${page.text()}]`);
      return inPages ? pageJson(request.pagination, { ...page, text: () => shown.slice(1, -1) }, omitted) : shown;
    });
  });
}

function oneHandler(context: RouteContext, route: RouteQuery): Handler {
  const { sheaf } = context;
  const prepare = (query: QueryObject, caller: Caller): PreparedText => {
    const read = sheaf.operations.findOne(readOperation(context, 'findOne', query, false), caller);
    return shownAs(read, (text) => {
      if (text === null) throw fileNotFound();
      return sheaf.files.shownText(text);
    });
  };
  const documentId = (request: FastifyRequest): Promise<string> => fileDocumentId(context, request);
  return readHandler(context, route, prepare, documentId);
}

async function fileDocumentId({ sheaf }: RouteContext, request: FastifyRequest): Promise<string> {
  const found = await sheaf.files.documentIdOf(documentIdOf(request));
  if (found === null) throw fileNotFound();
  return found;
}

/** New files; or, with `?id=`, another content or other information of one. */
function uploadHandler(context: RouteContext): Handler {
  const { sheaf, costs } = context;
  return async (request, reply) => {
    const { files } = sheaf;
    const caller = callerOf(request);
    costs?.charge(reply, caller, WRITE_COST);
    const id = idOf(queryOf(request, context));
    const scratch = new Scratch(files.storage);
    try {
      const { files: received, fields } = await receiveUpload(request, scratch, files.settings);
      let answer: FileEntry | FileEntry[];
      if (id === null) {
        if (received.length === 0) throw validationError('Files are empty');
        const infos = parseFileInfos(fields.infos, received.length);
        answer = await files.store(received, { infos, link: linkOf(fields), caller, scratch });
        reply.code(201);
      } else {
        if (received.length > 1) throw validationError('Cannot replace a file with multiple ones');
        const [file] = received;
        answer = file
          ? await files.storeInPlace(id, file, { infos: parseFileInfos(fields.infos, 1), caller, scratch })
          : await files.update(id, parseFileInfo(fields.infos), { caller });
      }
      await sendReplicationPosition(sheaf, reply);
      return sendValue(reply, answer);
    } finally {
      await scratch.clear();
    }
  };
}

/** The file that a request is about; null for new ones. */
function idOf({ id }: QueryObject): string | null {
  if (id === undefined || id === '') return null;
  if (typeof id !== 'string')
    throw validationError('File id is required and must be a single value', {
      key: 'id',
      source: 'query',
      param: 'id',
    });
  return id;
}

/** Files are linked where all three are given. */
const linkOf = ({ ref, refId, field }: UploadFields) => (ref && refId && field ? { ref, refId, field } : null);

function deleteHandler(context: RouteContext): Handler {
  const { sheaf, costs } = context;
  return async (request, reply) => {
    const caller = callerOf(request);
    costs?.charge(reply, caller, WRITE_COST);
    const { force } = queryOf(request, context);
    const file = await sheaf.files.delete(documentIdOf(request), { caller, force: force === 'true' });
    await sendReplicationPosition(sheaf, reply);
    return sendValue(reply, file);
  };
}
