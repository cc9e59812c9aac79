// A limit on what requests for content cost, by who sends them. A page of 25 entries and one that walks through a table
// count for what they are. Counted in this process.
import type { FastifyReply } from 'fastify';
import { type Caller, editorIdOf } from '../access/caller.ts';
import { wordsAfterScheme } from '../accounts/authenticate.ts';
import { LimitedCounter } from '../accounts/limited-counter.ts';
import { networkOf } from '../accounts/login-attempts.ts';
import { RateLimitError } from '../errors.ts';
import type { RateLimit } from '../project/settings.ts';

/** What a write counts, in rows that a read of the same cost would touch. */
export const WRITE_COST = 1_000;
/** The least that a request counts: one that finds nothing takes time as well. */
const LEAST_COST = 10;

export class CostLimit {
  readonly #limit: RateLimit;
  readonly #spent: LimitedCounter;

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#spent = new LimitedCounter(limit);
  }

  /** Counts a request, and refuses it where its sender has spent all. The one that spends the last is still answered. */
  charge(reply: FastifyReply, caller: Caller, cost: number): void {
    const key = senderOf(reply, caller);
    const secondsLeft = this.#spent.secondsLeft(key);
    if (secondsLeft === 0) this.#spent.add(key, Math.max(cost, LEAST_COST));
    const { spent, seconds } = this.#spent.spentBy(key);
    reply
      .header('x-ratelimit-limit', this.#limit.max)
      .header('x-ratelimit-remaining', Math.max(0, this.#limit.max - spent))
      .header('x-ratelimit-reset', seconds);
    if (secondsLeft > 0) throw new RateLimitError(secondsLeft);
  }
}

/** A user or a token counts wherever it comes from; the public by address. */
function senderOf({ request }: FastifyReply, caller: Caller): string {
  const { kind, account } = caller;
  if (account) return `user ${account.id}`;
  if (kind === 'editor') return `editor ${editorIdOf(caller)}`;
  // The scheme can be written in several ways, the token in one.
  if (kind === 'token') return `token ${wordsAfterScheme(request.headers.authorization ?? '').join(' ')}`;
  return `address ${networkOf(request.ip)}`;
}
