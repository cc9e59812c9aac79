// What code in the process hears of writes: each one once, when it is stored for good, and nothing of those that are
// not. Nothing that a listener does changes the write or its answer.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Session } from '../src/db/database.ts';
import type { CommitEvent } from '../src/operations/commit-events.ts';
import { type Content, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { IN_THE_END } from './support/patience.ts';
import { userWith } from './support/rules.ts';

const NEWS: Project = {
  locales: ['en', 'fr'],
  types: {
    topic: {
      attributes: { name: { type: 'string', required: true, unique: true }, parent: relation('manyToOne', 'topic') },
    },
    article: { drafts: true, localized: true, attributes: { title: { type: 'string' } } },
  },
};
const TOPIC = 'api::topic.topic';
const ARTICLE = 'api::article.article';
const NOBODY = { kind: 'public', userId: null };
const SYSTEM = { kind: 'system', userId: null };

describeOnEveryDatabase('A listener to commits', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  const heard: CommitEvent[] = [];
  let names = 0;
  const newName = (): string => `topic ${++names}`;
  beforeAll(async () => {
    content = await contents.open(NEWS);
    await content.make('topics', { name: 'taken' });
    content.sheaf.afterCommit((event) => {
      heard.push(event);
    });
  });
  beforeEach(() => {
    heard.length = 0;
  });

  it('hears of a create over HTTP: what was done, to what, by whom', async () => {
    const entry = await content.entry('POST', 'topics', { name: newName() });
    expect(heard).toEqual([
      {
        operation: 'create',
        uid: TOPIC,
        documentId: entry.documentId,
        entries: [{ id: entry.id, locale: null, status: 'published' }],
        caller: NOBODY,
      },
    ]);
  });

  it('hears of every operation in process once, each with the rows that it wrote or removed', async () => {
    const articles = content.sheaf.documents(ARTICLE);
    const { documentId, id } = await articles.create({ data: { title: 'one' } });
    const steps = [
      ['publish', () => articles.publish({ documentId })],
      ['update', () => articles.update({ documentId, data: { title: 'two' } })],
      ['discardDraft', () => articles.discardDraft({ documentId })],
      ['unpublish', () => articles.unpublish({ documentId })],
      ['delete', () => articles.delete({ documentId })],
    ] as const;
    const draft = { id, locale: 'en', status: 'draft' };
    expect(heard).toEqual([{ operation: 'create', uid: ARTICLE, documentId, entries: [draft], caller: SYSTEM }]);
    for (const [operation, act] of steps) {
      heard.length = 0;
      await act();
      const published = { id: expect.any(Number), locale: 'en', status: 'published' };
      const entries = [operation === 'publish' || operation === 'unpublish' ? published : draft];
      expect(heard, operation).toEqual([{ operation, uid: ARTICLE, documentId, entries, caller: SYSTEM }]);
    }
  });

  it('hears of both rows of what is published at once, and of a clone under its own id', async () => {
    const articles = content.sheaf.documents(ARTICLE);
    const { documentId } = await articles.create({ data: { title: 'one' }, status: 'published' });
    const clone = await articles.clone({ documentId });
    expect(
      heard.map(({ operation, documentId: of, entries }) => [operation, of, entries.map((one) => one.status)]),
    ).toEqual([
      ['create', documentId, ['draft', 'published']],
      ['clone', clone.documentId, ['draft']],
    ]);
    expect(clone.documentId).not.toBe(documentId);
  });

  it('hears which user it was', async () => {
    const caller = userWith(content.sheaf.model, { user: { id: 7, documentId: 'seven' } });
    await content.sheaf.documents(TOPIC, caller).create({ data: { name: newName() } });
    expect(heard.map((event) => event.caller)).toEqual([{ kind: 'user', userId: 7 }]);
  });

  it('finds what it hears of: the write is stored by then', async () => {
    const found: unknown[] = [];
    const end = content.sheaf.afterCommit(async ({ documentId }) => {
      found.push(await content.sheaf.documents(TOPIC).findOne({ documentId, fields: 'name' }));
    });
    const name = newName();
    const { id, documentId } = await content.entry('POST', 'topics', { name });
    end();
    await vi.waitFor(() => expect(found).toEqual([{ id, documentId, name }]), IN_THE_END);
  });

  it.each([
    ['a body that is wrong', 'POST', 'topics', { nosuch: 1 }, 400],
    ['a value that is taken', 'POST', 'topics', { name: 'taken' }, 400],
    ['a reference that leads nowhere', 'POST', 'topics', { name: 'lost', parent: 'nowhere' }, 400],
    ['a document that is not there', 'PUT', 'topics/nowhere', { name: 'lost' }, 404],
  ])('hears nothing of a write that is refused for %s', async (_why, method, url, data, status) => {
    expect((await content.send(method, url, { data })).status).toBe(status);
    expect(heard).toEqual([]);
  });

  it('hears nothing of a delete that found nothing', async () => {
    expect((await content.delete('topics/nowhere')).status).toBe(204);
    expect(heard).toEqual([]);
  });

  it('hears nothing of a write that fails when it is to be committed', async () => {
    const { database } = content.sheaf;
    const { transaction } = database;
    database.transaction = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
      transaction.call(database, async (session) => {
        await work(session);
        throw new Error('the disk is full');
      }) as Promise<T>;
    const name = newName();
    try {
      await expect(content.sheaf.documents(TOPIC).create({ data: { name } })).rejects.toThrow('the disk is full');
    } finally {
      database.transaction = transaction;
    }
    expect(heard).toEqual([]);
    expect(await content.sheaf.documents(TOPIC).count({ filters: { name } })).toBe(0);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('listener'))],
    ['never ends', () => new Promise<void>(() => undefined)],
  ])('that %s changes nothing for the client nor for other listeners', async (how, listener) => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const end = content.sheaf.afterCommit(listener);
    const later: CommitEvent[] = [];
    const endLater = content.sheaf.afterCommit((event) => {
      later.push(event);
    });
    try {
      const name = newName();
      const answer = await content.post('topics', { name });
      expect(answer).toMatchObject({ status: 201, body: { data: { name } } });
      expect([heard.length, later.length]).toEqual([1, 1]);
      await nextTurn();
      const told = report.mock.calls.map(([message]) => message);
      expect(told).toEqual(how === 'never ends' ? [] : [`A listener of create on ${TOPIC} failed:`]);
    } finally {
      end();
      endLater();
      report.mockRestore();
    }
  });

  it('hears nothing any more once it has ended', async () => {
    let calls = 0;
    const end = content.sheaf.afterCommit(() => {
      calls++;
    });
    await content.make('topics', { name: newName() });
    end();
    await content.make('topics', { name: newName() });
    expect(calls).toBe(1);
  });
});
