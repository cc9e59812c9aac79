// Requests to the server. Every one has the header that pages of other origins cannot send, and the cookie of the
// session.
import { CONSOLE_API, CONSOLE_HEADER } from '../../../src/console/contract.ts';
import { isObject } from '../../../src/type-guards.ts';

/** A problem with one attribute, as the server tells it. */
export interface FieldProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const isPath = (value: unknown): value is FieldProblem['path'] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number');

const isFieldProblem = (value: unknown): value is FieldProblem =>
  isObject(value) && isPath(value.path) && typeof value.message === 'string';

export class ApiError extends Error {
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, details: Readonly<Record<string, unknown>>) {
    super(message);
    this.status = status;
    this.details = details;
  }

  /** Problems by attribute, where the server names them. */
  get problems(): readonly FieldProblem[] {
    const { errors, path } = this.details;
    if (Array.isArray(errors)) return errors.filter(isFieldProblem);
    return isPath(path) ? [{ path, message: this.message }] : [];
  }
}

/** What happened, for those that show how long a request took and what it cost. */
export interface Answer<T> {
  readonly body: T;
  readonly headers: Headers;
  readonly milliseconds: number;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Told of every answer 401, so that the log-in page is shown. */
let whenLoggedOut: () => void = () => {};
export const onLoggedOut = (listener: () => void): void => {
  whenLoggedOut = listener;
};

/** `path`: below /console/api, such as `session` or `rest/restaurants?sort=name`. */
export async function request<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer<T>> {
  const begin = performance.now();
  const isForm = body instanceof FormData;
  const response = await fetch(`${CONSOLE_API}/${path}`, {
    method,
    headers: { [CONSOLE_HEADER]: '1', ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, 'The server does not answer. Is it still running?', {});
  });
  const text = await response.text();
  const milliseconds = performance.now() - begin;
  if (response.ok) return { body: bodyIn<T>(text), headers: response.headers, milliseconds };
  if (response.status === 401 && path !== 'session') whenLoggedOut();
  throw errorOf(response.status, text);
}

/** The body of an answer, taken for what the contract or the API says that it is. */
const bodyIn = <T>(text: string): T => (text === '' ? null : JSON.parse(text)) as T;

function errorOf(status: number, text: string): ApiError {
  const error = errorIn(text);
  if (typeof error?.message !== 'string') return new ApiError(status, text || `The server answered ${status}`, {});
  return new ApiError(status, error.message, isObject(error.details) ? error.details : {});
}

/** The error in an envelope; null where the answer is none, as that of a proxy may be. */
function errorIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) && isObject(body.error) ? body.error : null;
  } catch {
    return null;
  }
}

const bodyOf = async <T>(answer: Promise<Answer<T>>): Promise<T> => (await answer).body;

export const api = {
  get: <T>(path: string, signal?: AbortSignal): Promise<T> => bodyOf(request<T>('GET', path, undefined, signal)),
  post: <T>(path: string, body: unknown = {}): Promise<T> => bodyOf(request<T>('POST', path, body)),
  put: <T>(path: string, body: unknown): Promise<T> => bodyOf(request<T>('PUT', path, body)),
  delete: <T = null>(path: string): Promise<T> => bodyOf(request<T>('DELETE', path)),
};

/** Sends a form and tells how much of it is sent, from 0 to 1; `fetch` does not tell that. */
export function upload<T>(
  path: string,
  form: FormData,
  { onProgress, signal }: { readonly onProgress: (sent: number) => void; readonly signal: AbortSignal },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open('POST', `${CONSOLE_API}/${path}`);
    sending.setRequestHeader(CONSOLE_HEADER, '1');
    sending.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    sending.onload = () => {
      const { status, responseText } = sending;
      if (status === 401) whenLoggedOut();
      if (status >= 200 && status < 300) resolve(bodyIn<T>(responseText));
      else reject(errorOf(status, responseText));
    };
    sending.onerror = () => reject(new ApiError(0, 'The server does not answer. Is it still running?', {}));
    sending.onabort = () => reject(new DOMException('Cancelled', 'AbortError'));
    signal.addEventListener('abort', () => sending.abort());
    sending.send(form);
  });
}
