// GET /docs: a page to read and try the API, with the viewer Swagger UI. All of it comes from this server, and the page
// may run nothing else. It shows what /api/openapi.json says to whoever looks at it; a token can be entered.
import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFoundError } from '../errors.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import { entityTag, namesTag } from './caching.ts';
import { elapsed, sendNothing } from './respond.ts';
import { type Handler, pathParameterOf, type Route, type RouteContext } from './routes.ts';

/** Nothing but our own files, and nothing inline; the viewer has small pictures in its styles. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the page consists of, by name, with the type of each. The build puts them together. */
const FILES: Readonly<Record<string, string>> = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};
const FOLDER = new URL('dist/docs-page/', PACKAGE_ROOT);

interface PageFile {
  readonly content: Buffer;
  readonly type: string;
  readonly tag: string;
}

export function docsRoutes({ auth }: RouteContext): Route[] {
  const route = (path: string, describes: 'docs' | 'docsFile', handler: Handler): Route => ({
    method: 'GET',
    path,
    action: null,
    operation: null,
    parameters: [],
    describes,
    limit: null,
    handler,
  });
  const page = Buffer.from(pageText(`${auth.settings.rest.prefix}/openapi.json`.slice(1), auth.settings.openapi.title));
  const file = { content: page, type: 'text/html; charset=utf-8', tag: entityTag(page.toString()) };
  return [
    route('/docs', 'docs', async (request, reply) => {
      // What the page names is relative to its path, which may be below that of a proxy.
      const { pathname } = new URL(request.raw.url!, 'http://localhost');
      return pathname.endsWith('/') ? reply.redirect('../docs') : sendFile(request, reply, file);
    }),
    route('/docs/:file', 'docsFile', async (request, reply) => {
      return sendFile(request, reply, await fileOf(pathParameterOf(request, 'file')));
    }),
  ];
}

const kept = new Map<string, PageFile>();

/** A file of the page. Read when it is first asked for. */
async function fileOf(name: string): Promise<PageFile> {
  if (!Object.hasOwn(FILES, name)) throw notFoundError();
  let file = kept.get(name);
  if (!file) {
    const content = await readFile(new URL(name, FOLDER));
    file = { content, type: FILES[name]!, tag: entityTag(content.toString()) };
    kept.set(name, file);
  }
  return file;
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { content, type, tag }: PageFile): void {
  reply
    .header('content-security-policy', PAGE_POLICY)
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-cache')
    .header('etag', tag);
  const { 'if-none-match': known } = request.headers;
  if (known !== undefined && namesTag(known, tag)) sendNothing(reply, 304);
  else
    reply
      .header('content-type', type)
      .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
      .send(content);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter]!);

const pageText = (document: string, title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<div id="viewer" data-document="${escaped(document)}"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`;
