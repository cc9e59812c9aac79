// Code that goes on after its deadline: it cannot be stopped, but what it asks for is refused.
import { beforeAll, expect, it } from 'vitest';
import { createDataMembers, type DataMembers } from '../src/compat/strapi/data/data-members.ts';
import { Deadline, DeadlineError } from '../src/extend/run-code.ts';
import { type Content, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

const NOTE = 'api::note.note';
const PROJECT: Project = { types: { note: { attributes: { text: { type: 'string' } } } } };
/** Long enough to begin a transaction. */
const SHORT_MS = 300;
const REFUSED = 'this code was given up after 1 ms; it can no longer read or write';

describeOnEveryDatabase('Code that was given up', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  let members: DataMembers;

  beforeAll(async () => {
    content = await contents.open(PROJECT);
    members = createDataMembers(content.sheaf);
  });

  const count = (): Promise<number> => content.sheaf.documents(NOTE).count();
  const create = (text: string) => content.sheaf.documents(NOTE).create({ data: { text } });

  /** Gives code up, and then lets it do what it has left. */
  async function afterDeadline(rest: () => Promise<unknown>): Promise<unknown> {
    const gate = Promise.withResolvers<void>();
    const outcome = Promise.withResolvers<unknown>();
    const work = async (): Promise<void> => {
      await gate.promise;
      outcome.resolve(await rest().catch((error: Error) => error.message));
    };
    await expect(new Deadline(1).within(work)).rejects.toThrow(DeadlineError);
    gate.resolve();
    return outcome.promise;
  }

  it('neither reads nor writes, whichever way it takes', async () => {
    const before = await count();
    const ways: readonly (() => Promise<unknown>)[] = [
      () => create('late'),
      () => count(),
      () => content.sheaf.transaction(() => create('late')),
      () => members.documents(NOTE).create({ data: { text: 'late' } }),
      () => members.db.query(NOTE).findMany(),
      () => members.entityService.create(NOTE, { data: { text: 'late' } }),
      () => members.store({ type: 'x', name: 'y' }).set({ key: 'k', value: 1 }),
      // What it calls is given up with it.
      () => new Deadline(60_000).within(() => create('late')),
    ];
    for (const way of ways) expect(await afterDeadline(way), String(way)).toBe(REFUSED);
    expect(await count()).toBe(before);
  });

  it('holds no transaction open: what it wrote there is undone, and others write', async () => {
    const before = await count();
    const rest = Promise.withResolvers<unknown>();
    const work = (): Promise<void> =>
      content.sheaf.transaction(async () => {
        await create('undone');
        await rest.promise;
      });
    await expect(new Deadline(SHORT_MS).within(work)).rejects.toThrow(DeadlineError);
    await create('kept');
    expect(await count()).toBe(before + 1);
    rest.resolve(null);
  });

  it('is not code that ended in time, whatever that has left to do', async () => {
    const gate = Promise.withResolvers<void>();
    const later = await new Deadline(60_000).within(() => ({ done: gate.promise.then(() => create('later')) }));
    gate.resolve();
    expect(await later.done).toMatchObject({ text: 'later' });
  });
});
