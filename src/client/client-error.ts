// What a request fails with: one class, whatever it was that failed.
import { isObject } from '../type-guards.ts';

/** What the server said, or what kept it from being heard. */
export class SheafError extends Error {
  /** The status of the response; 0 where there was none. */
  readonly status: number;
  /** Where in the query or the body the mistake is, names joined by dots; null where it is in no one place. */
  readonly path: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** The id under which the server's log has the request; null where the server was not reached. */
  readonly requestId: string | null;
  /** Seconds after which the server asks to be called again; null where it does not. */
  readonly retryAfter: number | null;

  constructor(message: string, { name, status, details, requestId, retryAfter, cause }: Failure) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.status = status;
    this.details = details ?? {};
    this.path = pathIn(this.details);
    this.requestId = requestId ?? null;
    this.retryAfter = retryAfter ?? null;
  }
}

interface Failure {
  readonly name: string;
  readonly status: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** Of several problems with the values of a body, the first one's. */
function pathIn({ path, errors }: Readonly<Record<string, unknown>>): string | null {
  const found: unknown = path ?? (Array.isArray(errors) ? errors[0]?.path : null);
  return Array.isArray(found) ? found.join('.') : typeof found === 'string' ? found : null;
}

/** The error that a response stands for; what is not the server's own, such as a proxy's page, by its status alone. */
export async function errorOf(response: Response): Promise<SheafError> {
  const { status, statusText, headers } = response;
  const body: unknown = await response.json().catch(() => null);
  const { name, message, details } = isObject(body) && isObject(body.error) ? body.error : {};
  return new SheafError(typeof message === 'string' ? message : statusText || `HTTP ${status}`, {
    name: typeof name === 'string' ? name : 'HTTPError',
    status,
    details: isObject(details) ? details : {},
    requestId: headers.get('x-request-id'),
    retryAfter: retryAfterOf(headers),
  });
}

/** Seconds, given as such or as a date. */
export function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.max(0, Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : seconds;
}
