// Uploads that tell how far they are. Browsers tell it of an XMLHttpRequest only; elsewhere the body is a stream whose
// bytes are counted as they are taken.
import type { UploadProgress } from '../typing/typed-client.ts';

export type Progress = (progress: UploadProgress) => void;

/** The little of XMLHttpRequest that is used; its types are not there outside of browsers. */
interface Xhr {
  readonly upload: { onprogress: (event: { readonly loaded: number }) => void };
  readonly status: number;
  readonly responseText: string;
  withCredentials: boolean;
  onload: () => void;
  onerror: () => void;
  onabort: () => void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
}

export async function sendWithProgress(
  url: string,
  init: RequestInit,
  onProgress: Progress,
  send: typeof fetch,
): Promise<Response> {
  const parts = init.body instanceof FormData ? [...init.body.values()] : [];
  const total = parts.reduce((sum, part) => sum + (typeof part === 'string' ? 0 : part.size), 0);
  // What is around the files is sent as well, and is not counted.
  const report = (loaded: number): void => onProgress({ sent: Math.min(loaded, total), total });
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Xhr };
  return XMLHttpRequest ? byXhr(new XMLHttpRequest(), url, init, report) : send(url, counted(init, report));
}

function counted(init: RequestInit, report: (loaded: number) => void): RequestInit {
  const { body, headers } = new Response(init.body!);
  const typed = new Headers(init.headers);
  typed.set('content-type', headers.get('content-type')!);
  let loaded = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      loaded += bytes.length;
      report(loaded);
    },
  });
  return { ...init, headers: typed, body: body!.pipeThrough(counter), duplex: 'half' };
}

const byXhr = (
  xhr: Xhr,
  url: string,
  { method, headers, body, credentials, signal }: RequestInit,
  report: (loaded: number) => void,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const abort = (): void => xhr.abort();
    xhr.open(method!, url);
    new Headers(headers).forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.withCredentials = credentials === 'include';
    xhr.upload.onprogress = ({ loaded }) => report(loaded);
    xhr.onload = () => {
      signal?.removeEventListener('abort', abort);
      const { status, responseText } = xhr;
      resolve(new Response(responseText || null, { status, headers: headersOf(xhr.getAllResponseHeaders()) }));
    };
    xhr.onerror = () => reject(new TypeError('Failed to upload'));
    xhr.onabort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) reject(signal.reason);
    else xhr.send(body);
  });

const headersOf = (text: string): Headers =>
  new Headers(
    text
      .trim()
      .split(/\r?\n/)
      .filter((line) => line !== '')
      .map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
  );
