// What happens inside a transaction of the process, and what hooks around operations see and change: all of it takes
// effect together, or none of it does.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Operation, WriteOperation } from '../src/access/operation.ts';
import type { CommitEvent } from '../src/operations/commit-events.ts';
import type { OperationHooks, ShownChanges } from '../src/operations/hooks.ts';
import { type Content, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { userWith } from './support/rules.ts';

const SHOP: Project = {
  locales: ['en'],
  types: {
    topic: {
      attributes: {
        name: { type: 'string', required: true, unique: true },
        parent: relation('manyToOne', 'topic'),
      },
    },
    note: { drafts: true, attributes: { title: { type: 'string' } } },
  },
};
const TOPIC = 'api::topic.topic';
const NOTE = 'api::note.note';

/** Hooks that tests change as they go. */
class TestHooks implements OperationHooks {
  hooks: Omit<OperationHooks, 'concerns'> = {};
  readonly calls: string[] = [];

  concerns(uid: string): boolean {
    return uid === NOTE;
  }

  async before<O extends Operation>(
    operation: O,
    caller: Parameters<NonNullable<OperationHooks['before']>>[1],
  ): Promise<O> {
    this.calls.push(`before ${operation.name}`);
    return (await this.hooks.before?.(operation, caller)) ?? operation;
  }

  async after(...args: Parameters<NonNullable<OperationHooks['after']>>): Promise<ShownChanges | null> {
    this.calls.push(`after ${args[0].name}`);
    return (await this.hooks.after?.(...args)) ?? null;
  }

  committed(operation: WriteOperation): void {
    this.calls.push(`committed ${operation.name}`);
  }
}

/** The same operation with other data. */
const withData = <O extends Operation>(operation: O, data: object): O => ({ ...operation, data });

describeOnEveryDatabase('A transaction', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  const test = new TestHooks();
  const heard: CommitEvent[] = [];
  let names = 0;
  const newName = (): string => `topic ${++names}`;
  const topics = () => content.sheaf.documents(TOPIC);
  const notes = () => content.sheaf.documents(NOTE);
  const namesNow = async (): Promise<unknown[]> => (await topics().findMany({ sort: 'id' })).map(({ name }) => name);

  beforeAll(async () => {
    content = await contents.open(SHOP);
    content.sheaf.operations.addHooks(test);
    content.sheaf.afterCommit((event) => {
      heard.push(event);
    });
  });
  beforeEach(async () => {
    for (const { documentId } of await topics().findMany()) await topics().delete({ documentId: String(documentId) });
    test.hooks = {};
    test.calls.length = 0;
    heard.length = 0;
  });

  it('shows what it has written to its own reads, and to nobody else before it is committed', async () => {
    const name = newName();
    let [within, meanwhile] = [0, 0];
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const transaction = content.sheaf.transaction(async () => {
      await topics().create({ data: { name } });
      within = await topics().count();
      await waiting;
    });
    while (within === 0) await nextTurn();
    meanwhile = await topics().count();
    goOn();
    await transaction;
    expect([within, meanwhile, await topics().count()]).toEqual([1, 0, 1]);
  });

  it('undoes all of its writes where it fails, and tells no listener of them', async () => {
    const failing = content.sheaf.transaction(async () => {
      await topics().create({ data: { name: newName() } });
      await topics().create({ data: { name: newName() } });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await namesNow()).toEqual([]);
    expect(heard).toEqual([]);
  });

  it('goes on after a write in it that failed, without that write', async () => {
    const [first, last] = [newName(), newName()];
    await content.sheaf.transaction(async () => {
      await topics().create({ data: { name: first } });
      await expect(topics().create({ data: { name: first } })).rejects.toThrow('unique');
      await topics().create({ data: { name: last } });
      expect(heard).toEqual([]);
    });
    expect(await namesNow()).toEqual([first, last]);
    expect(heard.map(({ operation }) => operation)).toEqual(['create', 'create']);
  });

  it('keeps writes that are begun at once apart', async () => {
    const taken = newName();
    const wanted = [taken, newName(), newName()];
    await content.sheaf.transaction(async () => {
      await topics().create({ data: { name: taken } });
      const results = await Promise.allSettled(
        [...wanted, wanted[1]!].map((name) => topics().create({ data: { name } })),
      );
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'rejected']);
    });
    expect(await namesNow()).toEqual(wanted);
  });

  it('leaves alone what runs after its end, though it was begun inside', async () => {
    const [inside, later] = [newName(), newName()];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let late: Promise<unknown> = Promise.resolve();
    await content.sheaf.transaction(async () => {
      await topics().create({ data: { name: inside } });
      late = ended.then(() => topics().create({ data: { name: later } }));
    });
    end();
    await late;
    expect(await namesNow()).toEqual([inside, later]);
  });

  it('can hold another, which fails by itself', async () => {
    const [outer, inner] = [newName(), newName()];
    await content.sheaf.transaction(async () => {
      await topics().create({ data: { name: outer } });
      const failing = content.sheaf.transaction(async () => {
        await topics().create({ data: { name: inner } });
        expect(await topics().count()).toBe(2);
        throw new Error('inner');
      });
      await expect(failing).rejects.toThrow('inner');
    });
    expect(await namesNow()).toEqual([outer]);
  });

  it('keeps nothing of a failed one that was still under way in it, and leaves its connection to others', async () => {
    const names = [newName(), newName(), newName(), newName()];
    let settled: Promise<readonly PromiseSettledResult<unknown>[]> = Promise.resolve([]);
    const failing = content.sheaf.transaction(async () => {
      const writes = names.map((name) => topics().create({ data: { name } }));
      settled = Promise.allSettled(writes);
      await writes[0];
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(await namesNow()).toEqual([]);
    const [kept, part, inside] = [newName(), newName(), newName()];
    const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>();
    await content.sheaf.transaction(async () => {
      await topics().create({ data: { name: kept } });
      const failed = content.sheaf.transaction(async () => {
        await topics().create({ data: { name: part } });
        // Nobody waits for it, and it never ends.
        void content.sheaf.transaction(async () => {
          await topics().create({ data: { name: inside } });
          begun();
          await new Promise(() => undefined);
        });
        await isBegun;
        throw new Error('part');
      });
      await expect(failed).rejects.toThrow('part');
    });
    expect(await namesNow()).toEqual([kept]);
  });

  it('takes in what was begun in a part of it that has ended', async () => {
    const name = newName();
    await content.sheaf.transaction(async () => {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      let late: Promise<unknown> = Promise.resolve();
      await content.sheaf.transaction(async () => {
        late = ended.then(() => topics().create({ data: { name } }));
      });
      end();
      await late;
    });
    expect(await namesNow()).toEqual([name]);
  });

  it('has the hooks of a write inside it: what they write is undone with it', async () => {
    test.hooks = {
      before: async (operation) => {
        if ('data' in operation) await topics().create({ data: { name: `before ${operation.data.title}` } });
        return operation;
      },
      after: async (operation, { written, entries }) => {
        if (!('data' in operation)) return null;
        expect(written!.documentId).toBe(entries[0]!.documentId);
        expect(await notes().count({ filters: { title: 'bad' } })).toBe(operation.data.title === 'bad' ? 1 : 0);
        if (operation.data.title === 'bad') throw new Error('undone');
        return null;
      },
    };
    await expect(notes().create({ data: { title: 'bad' } })).rejects.toThrow('undone');
    await notes().create({ data: { title: 'good' } });
    expect(await namesNow()).toEqual(['before good']);
    expect(test.calls).toEqual([
      'before create',
      'after create',
      'before count',
      'after count',
      'before create',
      'after create',
      'before count',
      'after count',
      'committed create',
    ]);
  });

  it('refuses who lacks a right before a hook runs, and checks what a hook adds', async () => {
    const nobody = userWith(content.sheaf.model, { grants: [] });
    await expect(content.sheaf.documents(NOTE, nobody).create({ data: {} })).rejects.toThrow('Forbidden');
    expect(test.calls).toEqual([]);
    test.hooks = { before: async (operation) => withData(operation, { title: 'x', unknown: 1 }) };
    await expect(notes().create({ data: {} })).rejects.toThrow('unknown');
    expect(test.calls).toEqual(['before create']);
  });

  it('lets a hook narrow a read: its page, its total and its pagination are those of the changed one', async () => {
    const title = newName();
    for (const number of [1, 2, 3])
      await notes().create({ data: { title: `${title} ${number}` }, status: 'published' });
    let told: unknown = null;
    test.hooks = {
      before: async (operation) =>
        'defaults' in operation
          ? {
              ...operation,
              parameters: {
                filters: { title: { $startsWith: title } },
                sort: 'title:desc',
                pagination: { pageSize: 2 },
              },
            }
          : operation,
      after: async (operation) => {
        told = operation.parameters.sort;
        return null;
      },
    };
    const { body } = await content.send('GET', 'notes?fields=title');
    expect(body).toMatchObject({
      data: [{ title: `${title} 3` }, { title: `${title} 2` }],
      meta: { pagination: { page: 1, pageSize: 2, pageCount: 2, total: 3 } },
    });
    expect(test.calls.slice(-2)).toEqual(['before find', 'after find']);
    expect(told).toBe('title:desc');
  });
});
