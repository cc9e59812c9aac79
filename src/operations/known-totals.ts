// Totals of long lists, kept until something is written. To count a list may take far longer than to read a page of it,
// and whoever turns its pages asks for the same total each time. A total is never out of date: the page is read first,
// and the total that was counted before goes with it only if nothing was committed in between.
import type { ScopedDatabase } from '../db/scoped-database.ts';
import { MAX_CACHED_TOTALS_LENGTH } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { BoundStatement, Context } from '../read/bind.ts';
import type { CompiledRead } from '../read/compiled-read.ts';
import type { ReadPage } from '../read/read-strategy.ts';

/** How to read a list: a page alone, or with the total. */
export type ReadList = (kind: 'page' | 'page and total') => Promise<ReadPage>;

interface KnownTotal {
  readonly total: number;
  /** Of the data that was counted. */
  readonly state: string;
  /** Where only a read can tell whether it still holds: reads that count before one tries, in all and left. */
  pause: number;
  rest: number;
}

/** Characters that a total takes besides its key. */
const LEAST_LENGTH = 100;

/** While others write all the time no total holds, so that ever fewer reads try: one in so many in the end. */
const LONGEST_PAUSE = 63;

function longerPause({ pause }: KnownTotal): Pick<KnownTotal, 'pause' | 'rest'> {
  const longer = Math.min(pause * 2 + 1, LONGEST_PAUSE);
  return { pause: longer, rest: longer };
}

export class KnownTotals {
  readonly #database: ScopedDatabase;
  readonly #totals = new Lru<string, KnownTotal>(MAX_CACHED_TOTALS_LENGTH);
  readonly #numbers = new WeakMap<CompiledRead, number>();
  #lastNumber = 0;

  constructor(database: ScopedDatabase) {
    this.#database = database;
  }

  get cache(): Lru<string, unknown> {
    return this.#totals;
  }

  /** `count`: the statement that counts the list, whose values tell lists of one plan apart. */
  async read(plan: CompiledRead, count: BoundStatement, context: Context, read: ReadList): Promise<ReadPage> {
    // Nobody else sees what a transaction under way has written.
    if (this.#database.isInTransaction) return read('page and total');
    const key = this.#keyOf(plan, count, context);
    const known = this.#totals.get(key);
    const before = this.#database.commitState();
    const isTried = known !== undefined && this.#mayHold(known, before);
    if (isTried) {
      const { page, state } = await this.#stateOf(before, () => read('page'));
      if (state === known.state) {
        known.pause = 0;
        return { ...page, total: known.total };
      }
    }
    const { page, state } = await this.#stateOf(isTried ? this.#database.commitState() : before, () =>
      read('page and total'),
    );
    if (state === null || page.total === null) return page;
    const { pause = 0, rest = 0 } = isTried ? longerPause(known) : (known ?? {});
    this.#totals.set(key, { total: page.total, state, pause, rest }, LEAST_LENGTH + key.length);
    return page;
  }

  #mayHold(known: KnownTotal, state: string | null): boolean {
    if (state !== null) return state === known.state;
    return known.rest-- <= 0;
  }

  /** A page, and the state of the data that it is from; null where that is no longer the state of before. */
  async #stateOf(
    before: string | null,
    read: () => Promise<ReadPage>,
  ): Promise<{ page: ReadPage; state: string | null }> {
    const page = await read();
    if (before === null) return { page, state: page.state ?? null };
    return { page, state: this.#database.commitState() === before ? before : null };
  }

  #keyOf(plan: CompiledRead, count: BoundStatement, context: Context): string {
    let number = this.#numbers.get(plan);
    if (number === undefined) {
      number = ++this.#lastNumber;
      this.#numbers.set(plan, number);
    }
    const values = count
      .values(context)
      .map((value) => (typeof value === 'bigint' ? `${value}n` : JSON.stringify(value)));
    return `${number} ${values.join(' ')}`;
  }
}
