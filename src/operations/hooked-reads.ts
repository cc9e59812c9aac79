// Reads with hooks around them. What they ask for may be another at each run, so they are prepared when they run; what
// the request itself asks for is prepared before, and refused where it is wrong.
import type { Caller } from '../access/caller.ts';
import type { ReadOperation } from '../access/operation.ts';
import type { ReadPage } from '../read/read-strategy.ts';
import type { ConcernedHooks, HookResult } from './hooks.ts';
import type { Entry } from './parameters.ts';
import type { PreparedOne, PreparedRead, RunOptions } from './prepared.ts';

/** An operation that hooks concern. */
export interface HookedRead {
  readonly hooks: ConcernedHooks;
  readonly operation: ReadOperation;
}

export const entriesOf = (texts: string): readonly Entry[] => JSON.parse(`[${texts}]`);

const resultOf = (texts: string): HookResult => ({ written: null, entries: entriesOf(texts) });

/** A list, or null where there is nothing that it could belong to. */
export function hookedList<Page extends ReadPage | null>(
  hooked: HookedRead,
  prepare: (operation: ReadOperation) => PreparedRead<Page>,
): PreparedRead<Page> {
  const plain = prepare(hooked.operation);
  return {
    ...plain,
    run: async (options) => {
      const { read, operation } = await changedRead(hooked, plain, prepare, options.caller);
      const page = await read.run(options);
      if (page === null) return page;
      await hooked.hooks.after(operation, resultOf(page.text()), options.caller);
      const { request, omitted } = read;
      return read === plain ? page : { ...page, changed: { pagination: request.pagination, omitted } };
    },
  };
}

export function hookedOne(hooked: HookedRead, prepare: (operation: ReadOperation) => PreparedOne): PreparedOne {
  const plain = prepare(hooked.operation);
  const run = async (options: RunOptions, from: 'run' | 'latest'): Promise<string | null> => {
    const { read, operation } = await changedRead(hooked, plain, prepare, options.caller);
    const text = await read[from](options);
    await hooked.hooks.after(operation, resultOf(text ?? ''), options.caller);
    return text;
  };
  return { ...plain, run: (options) => run(options, 'run'), latest: (options) => run(options, 'latest') };
}

/** What hooks make of a read: another one, or the same. */
async function changedRead<Read>(
  { hooks, operation }: HookedRead,
  plain: Read,
  prepare: (operation: ReadOperation) => Read,
  caller: Caller,
): Promise<{ readonly read: Read; readonly operation: ReadOperation }> {
  const changed = await hooks.before(operation, caller);
  return { read: changed === operation ? plain : prepare(changed), operation: changed };
}
