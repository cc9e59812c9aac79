// The hooks of a project around operations. What they have to do about committed writes is noted in the transaction of the
// write, so that it is there if and only if the write is.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../access/caller.ts';
import { isWrite, type Operation, type ReadName, type WriteName, type WriteOperation } from '../access/operation.ts';
import { MAX_HOOK_DEPTH, MAX_HOOK_MS } from '../limits.ts';
import type { HookResult, OperationHooks } from '../operations/hooks.ts';
import type {
  BeforeContext,
  ChangedOperation,
  CommittedEvent,
  HookDefinition,
  HookedOperation,
  WrittenDocument,
} from './define-project.ts';
import { ALL, type Extension, typesOf } from './extension.ts';
import { Deadline } from './run-code.ts';

/** How many hooks have led to one another. */
const depths = new AsyncLocalStorage<number>();

export class ProjectHooks implements OperationHooks {
  readonly #extension: Extension;
  /** By type and operation. */
  readonly #concerned = new Map<string, Map<string, readonly HookDefinition[]>>();

  constructor(extension: Extension) {
    this.#extension = extension;
  }

  concerns(uid: string, name: ReadName | WriteName): boolean {
    return this.#hooksOn(uid, name).length > 0;
  }

  /** In the order of the definition. */
  #hooksOn(uid: string, name: ReadName | WriteName): readonly HookDefinition[] {
    let ofType = this.#concerned.get(uid);
    if (!ofType) {
      ofType = new Map();
      this.#concerned.set(uid, ofType);
    }
    let hooks = ofType.get(name);
    if (!hooks) {
      const { hooks: all = [] } = this.#extension.project.definition;
      hooks = all.filter(({ types, operations }) => {
        const named = typesOf(types);
        return (named.includes(uid) || named.includes(ALL)) && (operations?.includes(name) ?? isWrite(name));
      });
      ofType.set(name, hooks);
    }
    return hooks;
  }

  async before<O extends Operation>(operation: O, caller: Caller): Promise<O> {
    let current = operation;
    for (const hook of this.#hooksOn(operation.type.uid, operation.name)) {
      if (!hook.before) continue;
      const changed = await this.#run(hook, 'before', operation, (deadline) =>
        hook.before!(this.#context(deadline, shown(current), caller)),
      );
      if (changed !== undefined && changed !== null) current = withChange(current, changed);
    }
    return current;
  }

  async after(operation: Operation, result: HookResult, caller: Caller): Promise<null> {
    const hooks = this.#hooksOn(operation.type.uid, operation.name);
    for (const hook of hooks)
      if (hook.after)
        await this.#run(hook, 'after', operation, (deadline) => {
          const found = { entries: result.entries, written: result.written && writtenDocument(result.written) };
          return hook.after!(Object.assign(this.#context(deadline, shown(operation), caller), found));
        });
    const later = hooks.filter(({ committed }) => committed);
    if (later.length > 0) await this.#note(later, operation, result, caller);
    return null;
  }

  committed(): void {
    this.#extension.committed?.wake();
  }

  /** On the session of the transaction under way, which the call joins. */
  async #note(
    hooks: readonly HookDefinition[],
    operation: Operation,
    { written }: HookResult,
    caller: Caller,
  ): Promise<void> {
    const { committed, host } = this.#extension;
    if (!committed || !written || written.versions.length === 0 || !('data' in operation)) return;
    const event = eventOf(operation, writtenDocument(written), caller);
    await host.database.latest(async (session) => {
      for (const hook of hooks) await committed.add(session, hook.name!, event);
    });
  }

  #run<T>(
    hook: HookDefinition,
    when: 'before' | 'after',
    { name, type }: Operation,
    work: (deadline: Deadline) => T | Promise<T>,
  ): Promise<T> {
    const depth = (depths.getStore() ?? 0) + 1;
    const code = `hook ${hook.name === undefined ? '' : `${hook.name}, `}${when} ${name} of ${type.uid}`;
    const piece = this.#extension.piece('hook', code, MAX_HOOK_MS, hook);
    const deadline = new Deadline(MAX_HOOK_MS);
    return depths.run(depth, () =>
      this.#extension.runner.run(piece, deadline, () => {
        if (depth > MAX_HOOK_DEPTH) throw new Error(`hooks lead to one another ${depth} times (MAX_HOOK_DEPTH)`);
        return work(deadline);
      }),
    );
  }

  #context(deadline: Deadline, operation: HookedOperation, caller: Caller): BeforeContext {
    const { host, log } = this.#extension;
    const { sheaf } = host;
    const documents: BeforeContext['documents'] = (uid) => host.documentsFor(uid, caller);
    return { sheaf, log, documents, caller, operation, signal: deadline.signal };
  }
}

const shown = (operation: Operation): HookedOperation => ({
  name: operation.name,
  uid: operation.type.uid,
  documentId: 'documentId' in operation ? operation.documentId : null,
  data: 'data' in operation ? operation.data : {},
  // A read may be kept for whoever asks for the same, so a hook may only change a copy of what it asks for.
  parameters: ('data' in operation
    ? operation.parameters
    : structuredClone(operation.parameters)) as HookedOperation['parameters'],
});

const CHANGES: ReadonlySet<string> = new Set<keyof ChangedOperation>(['data', 'supplied', 'parameters']);

function withChange<O extends Operation>(operation: O, changed: ChangedOperation): O {
  const unknown = Object.keys(changed).find((key) => !CHANGES.has(key));
  if (unknown !== undefined)
    throw new Error(`a hook returned "${unknown}"; expected ${[...CHANGES].join(', ')}, or nothing`);
  const { data, supplied, parameters } = changed;
  if (!('data' in operation)) {
    if (data ?? supplied) throw new Error(`a hook gave ${operation.name} of ${operation.type.uid} data to write`);
    return { ...operation, ...(parameters && { parameters }) };
  }
  // What the server supplies holds, whatever the caller sent.
  const written = Object.entries(data ?? operation.data).filter(([key]) => !Object.hasOwn(supplied ?? {}, key));
  return {
    ...operation,
    data: Object.fromEntries(written),
    ...(supplied && { supplied: { ...operation.supplied, ...supplied } }),
    ...(parameters && { parameters }),
  };
}

const writtenDocument = ({ documentId, versions }: NonNullable<HookResult['written']>): WrittenDocument => ({
  documentId,
  versions: versions.map(({ id, locale, published }) => ({ id, locale, status: published ? 'published' : 'draft' })),
});

const eventOf = (
  { name, type }: WriteOperation,
  written: WrittenDocument,
  { kind, account }: Caller,
): Omit<CommittedEvent, 'id'> => ({
  operation: name,
  uid: type.uid,
  ...written,
  caller: { kind, userId: account?.id ?? null },
  at: new Date().toISOString(),
});
