// Sends every request to both servers, a few at a time, and judges what comes back. A request whose answers differ without
// a reason is sent once more: an editor may have saved something in between.
import type { Withheld } from '../../access/withheld.ts';
import { COMPARED_AT_ONCE, MAX_REPORTED_DIFFERENCES } from '../../limits.ts';
import type { Model } from '../../model/types.ts';
import { type Exchange, placeOf, queryOfTarget } from './exchange.ts';
import type { Difference } from './json-difference.ts';
import { judge, type Verdict } from './judge.ts';
import type { ComparedRequest, Side } from './sides.ts';

/** What is compared, and what is known of it. */
export interface ComparisonContext {
  readonly strapi: Side;
  readonly sheaf: Side;
  readonly model: Model | null;
  /** What the project's own code keeps closed. */
  readonly withheld: Withheld;
  readonly database: Exchange['database'];
  readonly prefix: string;
}

/** A request whose answers differ. */
export interface DifferingRequest {
  readonly method: string;
  readonly target: string;
  /** Rules that explain differences. */
  readonly rules: readonly string[];
  /** The first that no rule explains. */
  readonly unexplained: readonly Difference[];
  readonly unexplainedCount: number;
}

export interface Comparison {
  readonly requests: number;
  /** In the order of the requests. */
  readonly differing: readonly DifferingRequest[];
}

export type OnProgress = (done: number, all: number, differing: number) => void;

export async function compareAll(
  context: ComparisonContext,
  requests: readonly ComparedRequest[],
  onProgress: OnProgress,
): Promise<Comparison> {
  const found = new Map<number, DifferingRequest>();
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    while (next < requests.length) {
      const index = next++;
      const differing = await compareOne(context, requests[index]!);
      if (differing) found.set(index, differing);
      onProgress(++done, requests.length, found.size);
    }
  };
  await Promise.all(Array.from({ length: COMPARED_AT_ONCE }, work));
  const inOrder = [...found].sort(([one], [other]) => one - other);
  return { requests: requests.length, differing: inOrder.map(([, differing]) => differing) };
}

/** Null where the answers are equal. */
async function compareOne(context: ComparisonContext, request: ComparedRequest): Promise<DifferingRequest | null> {
  const first = await verdictOn(context, request);
  const { rules, unexplained } = first.unexplained.length === 0 ? first : await verdictOn(context, request);
  if (rules.length === 0 && unexplained.length === 0) return null;
  return {
    method: request.method,
    target: request.target,
    rules,
    unexplained: unexplained.slice(0, MAX_REPORTED_DIFFERENCES),
    unexplainedCount: unexplained.length,
  };
}

async function verdictOn(context: ComparisonContext, request: ComparedRequest): Promise<Verdict> {
  const { model, withheld, database, prefix } = context;
  const [strapi, sheaf] = await Promise.all([context.strapi.send(request), context.sheaf.send(request)]);
  const { target } = request;
  const place = model && placeOf(model, prefix, target);
  return judge({ target, query: queryOfTarget(target), place, model, withheld, database, strapi, sheaf });
}
