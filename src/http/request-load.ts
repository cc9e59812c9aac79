// What requests this process has answered: how many in each minute of the last hour, how long they took, and the last
// that failed or were slow. In memory, of a fixed size, and cheap enough for every request. Of a request only its route is
// kept, never its query.
import type { LoadPoint, SeenRequest } from '../console/contract.ts';
import { SheafError } from '../errors.ts';
import { type RequestEntry, safeMessage } from './log.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Of failed and of slow requests that are kept, each. */
const KEPT = 50;
/** A request that took longer is slow. */
export const SLOW_REQUEST_MS = 1_000;
/** Messages of requests that fail at the same time; more are not told apart. */
const MAX_UNANSWERED = 1_000;
/** Of a request whose client went before the answer, as other servers note it. */
const CLIENT_GONE = 499;

/** Upper bounds of times, each half an octave above the one before; the last takes whatever is longer. */
const FIRST_BOUND_MS = 0.25;
const BOUNDS = 36;

const boundOf = (bucket: number): number => FIRST_BOUND_MS * 2 ** (bucket / 2);

const bucketOf = (milliseconds: number): number =>
  milliseconds <= FIRST_BOUND_MS ? 0 : Math.min(BOUNDS - 1, Math.ceil(2 * Math.log2(milliseconds / FIRST_BOUND_MS)));

export class RequestLoad {
  /** Each minute has a place, which the same minute of the next hour takes. */
  readonly #minutes = new Float64Array(MINUTES);
  readonly #errors = new Uint32Array(MINUTES);
  readonly #times = new Uint32Array(MINUTES * BOUNDS);
  readonly #failed: SeenRequest[] = [];
  readonly #slow: SeenRequest[] = [];
  /** Messages of requests that are not answered yet, by request id. */
  readonly #messages = new Map<string, string>();

  observe(entry: RequestEntry, now = Date.now()): void {
    const { status, milliseconds } = entry;
    const place = this.#placeOf(Math.floor(now / MINUTE_MS));
    this.#times[place * BOUNDS + bucketOf(milliseconds)]!++;
    if (status !== null && status >= 500) {
      this.#errors[place]!++;
      keep(this.#failed, seen(entry, now, this.#messages.get(entry.requestId) ?? null));
    }
    if (milliseconds > SLOW_REQUEST_MS) keep(this.#slow, seen(entry, now, null));
    if (this.#messages.size > 0) this.#messages.delete(entry.requestId);
  }

  /** Notes why a request fails, as the log does. */
  failed(requestId: string, error: Error): void {
    if (error instanceof SheafError && error.status < 500) return;
    if (this.#messages.size >= MAX_UNANSWERED) this.#messages.clear();
    this.#messages.set(requestId, safeMessage(error));
  }

  #placeOf(minute: number): number {
    const place = minute % MINUTES;
    if (this.#minutes[place] !== minute) {
      this.#minutes[place] = minute;
      this.#errors[place] = 0;
      this.#times.fill(0, place * BOUNDS, (place + 1) * BOUNDS);
    }
    return place;
  }

  /** A point for each minute since the first request of the last hour, the oldest first. */
  points(now = Date.now()): LoadPoint[] {
    const last = Math.floor(now / MINUTE_MS);
    const known = [...this.#minutes].filter((minute) => minute > last - MINUTES && minute <= last);
    const first = Math.min(last, ...known);
    return Array.from({ length: last - first + 1 }, (_, index) => this.#point(first + index));
  }

  #point(minute: number): LoadPoint {
    const place = minute % MINUTES;
    const isKnown = this.#minutes[place] === minute;
    const times = isKnown ? this.#times.subarray(place * BOUNDS, (place + 1) * BOUNDS) : new Uint32Array(BOUNDS);
    return {
      at: new Date(minute * MINUTE_MS).toISOString(),
      requests: times.reduce((sum, count) => sum + count, 0),
      errors: isKnown ? this.#errors[place]! : 0,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
    };
  }

  /** The newest first. */
  get errors(): readonly SeenRequest[] {
    return this.#failed.toReversed();
  }

  get slow(): readonly SeenRequest[] {
    return this.#slow.toReversed();
  }
}

function seen(entry: RequestEntry, now: number, message: string | null): SeenRequest {
  const { method, route, status, milliseconds, requestId } = entry;
  return {
    at: new Date(now).toISOString(),
    method,
    route,
    status: status ?? CLIENT_GONE,
    milliseconds,
    requestId,
    message,
  };
}

function keep(list: SeenRequest[], one: SeenRequest): void {
  list.push(one);
  if (list.length > KEPT) list.shift();
}

/** The bound that so large a part of the times is within; 0 where there are none. */
function percentile(times: Uint32Array, part: number): number {
  const total = times.reduce((sum, count) => sum + count, 0);
  let count = 0;
  for (const [bucket, inBucket] of times.entries()) {
    count += inBucket;
    if (count > 0 && count >= total * part) return boundOf(bucket);
  }
  return 0;
}
