// Where the requests of a comparison come from: a file that lists them, or the access log of a server.
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { SetupError } from '../../errors.ts';
import { MAX_COMPARED_REQUESTS } from '../../limits.ts';
import type { Model } from '../../model/types.ts';
import { isObject } from '../../type-guards.ts';
import { pathOfTarget, placeOf } from './exchange.ts';
import { type ComparedRequest, encodedTarget } from './sides.ts';

export interface RequestList {
  readonly requests: readonly ComparedRequest[];
  /** What was left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Paths whose GET signs in, confirms an address or calls another server. */
const NEVER_SENT = ['auth', 'connect'];

function isNeverSent(prefix: string, target: string): boolean {
  const path = decodedPath(target).toLowerCase();
  const base = prefix.toLowerCase();
  return NEVER_SENT.some((name) => path === `${base}/${name}` || path.startsWith(`${base}/${name}/`));
}

/** Doubled slashes and encoded letters lead to the same route. */
function decodedPath(target: string): string {
  const path = pathOfTarget(target).replace(/\/+/g, '/');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  if (!existsSync(file)) throw new SetupError(`There is no file ${file}`);
  yield* createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
}

/** One request in each line: a path with its query, or JSON with `path`, and `method` and `headers` where needed. */
export async function readRequestFile(file: string, prefix: string): Promise<RequestList> {
  const requests: ComparedRequest[] = [];
  const problems: string[] = [];
  let number = 0;
  for await (const line of linesOf(file)) {
    number++;
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const request = parseRequestLine(text);
    if (typeof request === 'string') problems.push(`line ${number}: ${request}`);
    else if (isNeverSent(prefix, request.target))
      problems.push(`line ${number}: a GET below ${prefix}/auth or ${prefix}/connect can change something`);
    else requests.push(request);
    if (requests.length > MAX_COMPARED_REQUESTS) problems.push(`more than ${MAX_COMPARED_REQUESTS} requests`);
    if (problems.length >= MAX_LISTED_PROBLEMS || requests.length > MAX_COMPARED_REQUESTS) break;
  }
  if (problems.length > 0) throw new SetupError(`${file} cannot be used:`, problems);
  return { requests, skipped: {} };
}

const MAX_LISTED_PROBLEMS = 20;

/** The request of a line, or what is wrong with it. */
export function parseRequestLine(text: string): ComparedRequest | string {
  const given = text.startsWith('{') ? parseJsonRequest(text) : parseTextRequest(text);
  if (typeof given === 'string') return given;
  const { method, path, headers } = given;
  if (method !== 'GET' && method !== 'HEAD') return `${method}: only GET and HEAD are sent`;
  const target = encodedTarget(path);
  return target === null ? 'expected a path that begins with /' : { method, target, headers };
}

interface GivenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function parseTextRequest(text: string): GivenRequest {
  const [, method = 'GET', path = text] = /^([A-Z]+) +(.*)$/.exec(text) ?? [];
  return { method, path, headers: {} };
}

function parseJsonRequest(text: string): GivenRequest | string {
  const value = parsedJson(text);
  if (!isObject(value) || typeof value.path !== 'string') return 'expected JSON such as {"path": "/api/articles"}';
  const { method = 'GET', path, headers = {} } = value;
  const isText = (one: unknown): one is string => typeof one === 'string';
  if (!isText(method)) return 'method: expected GET or HEAD';
  if (!isObject(headers) || !Object.values(headers).every(isText)) return 'headers: expected an object of strings';
  const names = Object.entries(headers).map(([name, header]) => [name.toLowerCase(), String(header)]);
  return { method: method.toUpperCase(), path, headers: Object.fromEntries(names) };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The distinct GETs of content in an access log. */
export async function readAccessLog(file: string, prefix: string, model: Model | null): Promise<RequestList> {
  const targets = new Set<string>();
  const skipped: Record<string, number> = {};
  const skip = (reason: string): void => {
    skipped[reason] = (skipped[reason] ?? 0) + 1;
  };
  for await (const line of linesOf(file)) {
    if (line.trim() === '') continue;
    const logged = parseLogLine(line);
    const target = logged && encodedTarget(logged.target);
    if (!target) skip('lines without a request');
    else if (logged.method !== 'GET') skip('requests other than GET');
    else if (!isContent(prefix, target, model)) skip('paths that are not content');
    else if (targets.size < MAX_COMPARED_REQUESTS) targets.add(target);
    else if (!targets.has(target)) skip(`requests beyond the first ${MAX_COMPARED_REQUESTS}`);
  }
  const requests = [...targets].map((target): ComparedRequest => ({ method: 'GET', target, headers: {} }));
  return { requests, skipped };
}

/** A route of the project's own may do anything; what is not in the model is not sent. */
function isContent(prefix: string, target: string, model: Model | null): boolean {
  const isBelow = pathOfTarget(target).toLowerCase().startsWith(`${prefix.toLowerCase()}/`);
  if (!isBelow || isNeverSent(prefix, target)) return false;
  return model === null || placeOf(model, prefix, target) !== null;
}

interface LoggedRequest {
  readonly method: string;
  readonly target: string;
}

const REQUEST = /(?:^|["\s])(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) ((?:https?:\/\/[^/\s"]+)?\/[^\s"]*)/;

/**
 * The request of a line of a log: the common and combined formats of Apache and nginx, the log of Strapi 5, and lines of
 * JSON as pino, winston and nginx write them.
 */
export function parseLogLine(line: string): LoggedRequest | null {
  const text = stripVTControlCharacters(line).trim();
  const value = text.startsWith('{') ? parsedJson(text) : undefined;
  return isObject(value) ? jsonRequest(value) : textRequest(text);
}

function textRequest(text: string): LoggedRequest | null {
  const [, method, target] = REQUEST.exec(text) ?? [];
  // nginx writes quotes and controls as \x22.
  const unescaped = target?.replace(/\\x([0-9A-F]{2})/gi, '%$1').replace(/^https?:\/\/[^/]+/, '');
  return method === undefined || unescaped === undefined ? null : { method, target: unescaped };
}

function jsonRequest(value: Record<string, unknown>): LoggedRequest | null {
  const inner = [value, value.req, value.request, value.http].filter(isObject);
  for (const one of inner) {
    const method = one.method ?? one.request_method;
    const target = one.url ?? one.request_uri ?? one.originalUrl ?? one.path;
    if (typeof method === 'string' && typeof target === 'string')
      return textRequest(`${method.toUpperCase()} ${target}`);
  }
  for (const key of ['request', 'message', 'msg'])
    if (typeof value[key] === 'string') {
      const found = textRequest(value[key]);
      if (found) return found;
    }
  return null;
}
