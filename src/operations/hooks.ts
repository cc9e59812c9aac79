// Code around operations. Where none concerns an operation, nothing is spent on it.
import type { Caller } from '../access/caller.ts';
import type { Operation, ReadName, WriteName, WriteOperation } from '../access/operation.ts';
import type { Written } from '../store/write-version.ts';
import type { Entry } from './parameters.ts';

/** What came of an operation. */
export interface HookResult {
  /** Of a write: the document, and the rows that it wrote or, for a delete, removed. Null for a read. */
  readonly written: Written | null;
  /** The entries, or groups of them, as whoever asked is shown them. */
  readonly entries: readonly Entry[];
}

/** Members of an entry that hooks show otherwise than they are stored; what is undefined is not shown. */
export type ShownChanges = Readonly<Record<string, unknown>>;

/** An entry as hooks show it. */
export const shownAs = <E extends object>(entry: E, changes: ShownChanges | null): E => ({ ...entry, ...changes });

/** Hooks of one source. */
export interface OperationHooks {
  /** Whether any of them concerns such an operation. */
  concerns(uid: string, name: ReadName | WriteName): boolean;
  /**
   * May return another operation of the same name on the same type; what it throws refuses the operation. What it
   * returns is authorized like what the caller asked for. Of a write it runs in the transaction, and again where that
   * begins again.
   */
  before?<O extends Operation>(operation: O, caller: Caller): Promise<O>;
  /**
   * Of a write it runs in the transaction; what it throws undoes the write, and what it returns is shown of the entry.
   * Null where the entry is shown as it is stored.
   */
  after?(operation: Operation, result: HookResult, caller: Caller): Promise<ShownChanges | null>;
  /** The transaction of a write has committed. What it throws reaches nobody, so it throws nothing. */
  committed?(operation: WriteOperation, result: HookResult, caller: Caller): void;
}

/** All of them, in the order that they were added; after an operation as before it. */
export class HookList {
  readonly #sources: OperationHooks[] = [];

  add(hooks: OperationHooks): void {
    this.#sources.push(hooks);
  }

  /** Those that concern an operation; null where none does. */
  on({ type, name }: Operation): ConcernedHooks | null {
    if (this.#sources.length === 0) return null;
    const concerned = this.#sources.filter((source) => source.concerns(type.uid, name));
    return concerned.length === 0 ? null : new ConcernedHooks(concerned);
  }
}

export class ConcernedHooks {
  readonly #sources: readonly OperationHooks[];

  constructor(sources: readonly OperationHooks[]) {
    this.#sources = sources;
  }

  async before<O extends Operation>(operation: O, caller: Caller): Promise<O> {
    let changed = operation;
    for (const source of this.#sources) changed = (await source.before?.(changed, caller)) ?? changed;
    if (changed.type !== operation.type || changed.name !== operation.name)
      throw new Error(`a hook made another operation of ${operation.name} on ${operation.type.uid}`);
    return changed;
  }

  /** Null where the entry is shown as it is stored. */
  async after(operation: Operation, result: HookResult, caller: Caller): Promise<ShownChanges | null> {
    const all: ShownChanges[] = [];
    for (const source of this.#sources) {
      const changes = await source.after?.(operation, result, caller);
      if (changes) all.push(changes);
    }
    return all.length === 0 ? null : Object.assign({}, ...all);
  }

  committed(operation: WriteOperation, result: HookResult, caller: Caller): void {
    for (const source of this.#sources) source.committed?.(operation, result, caller);
  }
}
