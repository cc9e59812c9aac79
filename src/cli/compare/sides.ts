// The two servers that are compared: one at a URL, or a project that is opened in this process. Only GET and HEAD are sent.
import http from 'node:http';
import https from 'node:https';
import type { Sheaf } from '../../app.ts';
import { SetupError } from '../../errors.ts';
import { createServer } from '../../http/server.ts';
import { COMPARED_AT_ONCE, MAX_COMPARE_MS, MAX_COMPARED_BYTES } from '../../limits.ts';
import { withoutPassword } from '../../project/connection-url.ts';
import { type Answer, NO_ANSWER } from './exchange.ts';

export interface ComparedRequest {
  readonly method: 'GET' | 'HEAD';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server that requests are sent to. */
export interface Side {
  /** As it may be shown. */
  readonly name: string;
  send(request: ComparedRequest): Promise<Answer>;
  close(): Promise<void>;
}

/** The path and query as both servers get them: what a URL cannot hold is encoded, once and for both. */
export function encodedTarget(target: string): string | null {
  // Two slashes would begin the name of a host.
  const path = target.replace(/^\/+/, '/');
  if (!path.startsWith('/') || !URL.canParse(path, 'http://localhost')) return null;
  const { pathname, search } = new URL(path, 'http://localhost');
  return pathname + search;
}

export function parseBaseUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new SetupError(`The address "${withoutPassword(text)}" cannot be used`, [
      `expected ${option} with a URL such as http://127.0.0.1:1337`,
    ]);
  return url;
}

export function serverAt(url: URL): Side {
  const client = url.protocol === 'https:' ? https : http;
  const agent = new client.Agent({ keepAlive: true, maxSockets: COMPARED_AT_ONCE });
  const base = url.pathname.replace(/\/$/, '');
  const auth =
    url.username === '' ? undefined : `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    name: withoutPassword(url.href).replace(/\/$/, ''),
    send: ({ method, target, headers }) =>
      new Promise((resolve) => {
        const fail = (reason: string): void => resolve({ status: NO_ANSWER, body: reason });
        const request = client.request(
          {
            agent,
            method,
            protocol: url.protocol,
            hostname: url.hostname.replace(/^\[|\]$/g, ''),
            port: url.port,
            path: base + target,
            headers: { accept: 'application/json', ...headers },
            ...(auth !== undefined && headers.authorization === undefined && { auth }),
            signal: AbortSignal.timeout(MAX_COMPARE_MS),
          },
          (response) => collect(response, resolve, fail),
        );
        request.on('error', (error) => fail(reasonOf(error)));
        request.end();
      }),
    close: async () => agent.destroy(),
  };
}

function collect(response: http.IncomingMessage, done: (answer: Answer) => void, fail: (reason: string) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= MAX_COMPARED_BYTES) return;
    fail(`more than ${MAX_COMPARED_BYTES} bytes`);
    response.destroy();
  });
  response.on('error', (error) => fail(reasonOf(error)));
  response.on('end', () => done({ status: response.statusCode!, body: parsedBody(Buffer.concat(chunks).toString()) }));
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no response in ${MAX_COMPARE_MS} ms`;
  return error.code ?? error.message;
}

/** Sheaf in this process, with the server's own routes and rights. Closes the project with it. */
export function serverInProcess(sheaf: Sheaf, name: string): Side {
  const app = createServer(sheaf);
  return {
    name,
    async send({ method, target, headers }) {
      const { statusCode, body } = await app.inject({ method, url: target, headers: { ...headers } });
      return { status: statusCode, body: parsedBody(body) };
    },
    async close() {
      await app.close();
      await sheaf.close();
    },
  };
}

function parsedBody(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
