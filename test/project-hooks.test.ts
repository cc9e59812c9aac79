// Hooks around operations, and what code may do on behalf of a caller: what a handler reads and writes through
// `documents`, and what a hook adds to an operation, is refused and answered as if the caller had asked for it. Requests
// are generated; SHEAF_TEST_SCALE and SHEAF_TEST_SEED give more and other ones.
import fc from 'fast-check';
import qs from 'qs';
import { beforeAll, expect, it } from 'vitest';
import { type Answer, databaseFor, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, NOBODY, useGuarded, type Who } from './support/guarded.ts';
import { writeFiles } from './support/own-code.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';

const POST = 'api::post.post';
const WRITER = 'api::writer.writer';
const VAULT = 'api::vault.vault';
const REQUESTS = scaled(60);
const SEED = GIVEN_SEED ?? 14;

const PROJECT: Project = {
  types: {
    post: {
      drafts: true,
      attributes: {
        title: { type: 'string' },
        slug: { type: 'string' },
        secret: { type: 'string' },
        hush: { type: 'string', private: true },
        rank: { type: 'integer' },
        writer: relation('manyToOne', 'writer', { inversedBy: 'posts' }),
        vault: relation('manyToOne', 'vault'),
      },
    },
    writer: {
      attributes: {
        name: { type: 'string' },
        pin: { type: 'password' },
        posts: relation('oneToMany', 'post', { mappedBy: 'writer' }),
      },
    },
    vault: { attributes: { code: { type: 'string' } } },
    log: { attributes: { text: { type: 'string' } } },
  },
};

/** Editors see neither secrets nor posts of a high rank, and write titles alone. */
const RULES = {
  editor: {
    [POST]: {
      rows: { find: { rank: { $lt: 5 } } },
      fields: { read: ['title', 'slug', 'rank', 'writer', 'vault'], write: ['title', 'writer'] },
      drafts: false,
    },
  },
};

/** What the hook of `post` adds stands in the global object, where the test puts it. */
const CODE = `
import { defineProject, errors } from 'sheaf';
const added = () => (globalThis as any).addedByHook ?? {};

export default defineProject({
  routes: [
    {
      method: 'POST', path: '/run', public: true,
      handler: async ({ documents, body }: any) => ({ answer: await (documents(body.uid) as any)[body.method](body.parameters) }),
    },
  ],
  hooks: [
    {
      types: 'api::post.post', operations: ['find', 'create', 'update', 'delete'],
      before({ operation, caller }) {
        const { parameters, data, supplied, change } = added();
        if (change) return change(operation.parameters);
        return {
          ...(parameters && { parameters: { ...operation.parameters, ...parameters } }),
          ...(data && { data: { ...operation.data, ...data } }),
          ...(supplied && { supplied }),
        };
      },
    },
    {
      types: 'api::post.post', operations: ['create', 'update'],
      async after({ operation, written, sheaf, caller }) {
        await sheaf.documents('api::log.log').create({ data: { text: operation.name + ' ' + written.versions.length + ' ' + caller.kind } });
        const { documentId } = written!;
        const entry = await sheaf.documents('api::post.post').findOne({ documentId });
        if (entry?.title === 'refused') throw errors.unprocessable('Not this title');
        if (entry?.title === 'broken') throw new Error('a defect');
      },
    },
    {
      types: 'api::log.log', operations: ['update'],
      before: async ({ sheaf, operation: { documentId } }) => {
        await sheaf.documents('api::log.log').update({ documentId: documentId!, data: { text: 'again' } });
        return undefined;
      },
    },
  ],
});
`;

interface Added {
  readonly parameters?: object;
  readonly data?: object;
  readonly supplied?: object;
  // biome-ignore lint/suspicious/noExplicitAny: code of a project may do this without types.
  readonly change?: (parameters: any) => object | undefined;
}

const whileAdding = async <T>(added: Added, work: () => Promise<T>): Promise<T> => {
  const shared = globalThis as { addedByHook?: Added };
  shared.addedByHook = added;
  try {
    return await work();
  } finally {
    delete shared.addedByHook;
  }
};

/** Names that are there for everyone, for some, and for nobody. */
const name = fc.constantFrom('title', 'slug', 'secret', 'hush', 'rank', 'createdAt', 'writer', 'vault', 'nope');
const condition = fc.oneof(
  name.map((key) => ({ [key]: { $notNull: 'true' } })),
  fc.tuple(name, fc.constantFrom('a', '1', '7')).map(([key, value]) => ({ [key]: { $eq: value } })),
  fc.constantFrom('name', 'pin', 'code', 'id').map((key) => ({ writer: { [key]: { $notNull: 'true' } } })),
  fc.constantFrom('code', 'id').map((key) => ({ vault: { [key]: { $notNull: 'true' } } })),
);
const parameters = fc.record(
  {
    filters: condition,
    fields: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
    sort: fc.tuple(name, fc.constantFrom('asc', 'desc')).map(([key, order]) => `${key}:${order}`),
    populate: fc.oneof(
      fc.constantFrom('*', 'writer', 'vault', 'nope'),
      fc.constantFrom('pin', 'name', 'posts').map((key) => ({ writer: { fields: [key] } })),
    ),
    status: fc.constantFrom('draft', 'published'),
  },
  { requiredKeys: [] },
);
const data = fc.record(
  {
    title: fc.constantFrom('a', 'b'),
    secret: fc.constant('x'),
    hush: fc.constant('x'),
    rank: fc.constantFrom(1, 9),
    nope: fc.constant(1),
    vault: fc.constant(null),
    writer: fc.constant(null),
  },
  { requiredKeys: [] },
);

const refusalOf = ({ status, body }: Answer) => (status < 300 ? null : [status, body.error.name, body.error.message]);

describeOnEveryDatabase('Code that acts for a caller', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let callers: readonly Who[];
  const documentIds: string[] = [];

  beforeAll(async () => {
    const folder = guarded.projectWith(PROJECT, { rules: RULES });
    const database = await databaseFor(engine, PROJECT, folder);
    writeFiles(folder, { 'src/sheaf.ts': CODE });
    site = await guarded.open(folder, { database });
    await site.auth.roles.create('Editor');
    await site.auth.roles.grant('public', [`${POST}.find`, `${WRITER}.find`]);
    await site.auth.roles.grant('editor', [`${POST}.find`, `${POST}.update`, `${POST}.create`]);
    callers = [NOBODY, (await site.person('editor')).who, await site.token('read-only')];
    const vault = await site.sheaf.documents(VAULT).create({ data: { code: '1' } });
    const writer = await site.sheaf.documents(WRITER).create({ data: { name: 'W', pin: 'secret-pin' } });
    for (const rank of [1, 3, 7, 9]) {
      const values = {
        title: `T${rank}`,
        slug: 'a',
        secret: `S${rank % 2}`,
        hush: 'h',
        rank,
        vault: vault.id,
        writer: writer.id,
      };
      documentIds.push((await site.sheaf.documents(POST).create({ data: values, status: 'published' })).documentId);
    }
  });

  const run = (uid: string, method: string, parameters: object, who: Who): Promise<Answer> =>
    site.send('POST', 'run', { uid, method, parameters }, who);

  it('reads what the caller may read, and what a hook adds is checked like what a client asks for', async () => {
    const read = fc.asyncProperty(parameters, fc.constantFrom(...callers.keys()), async (asked, index) => {
      const who = callers[index]!;
      const query = qs.stringify(asked);
      const client = await site.get(`posts?${query}`, who);
      const handler = await run(POST, 'findPage', asked, who);
      const hook = await whileAdding({ parameters: asked }, () => site.get('posts', who));
      // What the client asks for is refused by the rules of its own.
      expect(refusalOf(handler)).toEqual(refusalOf(client));
      expect(refusalOf(hook)).toEqual(refusalOf(client));
      if (client.status >= 300) return;
      expect(handler.body.answer.data).toEqual(client.body.data);
      expect(hook.body.data).toEqual(client.body.data);
    });
    await fc.assert(read, { numRuns: REQUESTS, seed: SEED });
  });

  it('is given parameters of its own: what a hook does to them reaches no other request', async () => {
    const change: Added['change'] = (parameters) => {
      parameters.filters.$and.push({ title: 'T1' });
      return { parameters };
    };
    const path = `posts?${qs.stringify({ filters: { $and: [{ slug: 'a' }] }, fields: ['title'] })}`;
    const total = async (work: NonNullable<Added['change']>): Promise<number> =>
      (await whileAdding({ change: work }, () => site.get(path, NOBODY))).body.meta.pagination.total;
    const whole = await total(() => undefined);
    expect(await total(change)).toBe(1);
    expect(await total((parameters) => ({ parameters }))).toBe(whole);
    expect(whole).toBeGreaterThan(1);
  });

  it('writes what the caller may write', async () => {
    const write = fc.asyncProperty(
      data,
      fc.constantFrom(...callers.keys()),
      fc.constantFrom(...documentIds),
      async (values, index, documentId) => {
        const who = callers[index]!;
        const handler = await run(POST, 'update', { documentId, data: values }, who);
        const hook = await whileAdding({ data: values }, () => site.put(`posts/${documentId}`, {}, who));
        const client = await site.put(`posts/${documentId}`, values, who);
        // In process, a document that is not there is null.
        const expected = client.status === 404 ? { status: 200, answer: null } : null;
        if (expected) expect([handler.status, handler.body.answer]).toEqual([expected.status, expected.answer]);
        else expect(refusalOf(handler)).toEqual(refusalOf(client));
        expect(refusalOf(hook)).toEqual(refusalOf(client));
      },
    );
    await fc.assert(write, { numRuns: REQUESTS, seed: SEED });
    const secrets = await site.sheaf
      .documents(POST)
      .findMany({ fields: ['secret', 'rank'], sort: 'id', status: 'published' });
    expect(secrets.map(({ secret, rank }) => [secret, rank])).toEqual([
      ['S1', 1],
      ['S1', 3],
      ['S1', 7],
      ['S1', 9],
    ]);
  });

  it('is refused before a hook runs, where the caller lacks the right', async () => {
    const before = await site.number('select count(*) from logs');
    expect((await site.post('posts', { title: 'x' }, callers[0])).status).toBe(403);
    expect(await site.number('select count(*) from logs')).toBe(before);
  });

  it('supplies attributes without a right of the caller, whatever the caller sent', async () => {
    const supplied = { slug: 'made', rank: 2 };
    const answer = await whileAdding({ supplied }, () => site.post('posts', { title: 'n', slug: 'mine' }, callers[1]));
    expect(answer.body.data).toMatchObject({ title: 'n', slug: 'made', rank: 2 });
  });

  it('shares the transaction of a write: what is refused or fails after it is undone with it', async () => {
    const counts = () =>
      Promise.all([site.number('select count(*) from posts'), site.number('select count(*) from logs')]);
    const before = await counts();
    expect(refusalOf(await site.post('posts', { title: 'refused' }, callers[1]))).toEqual([
      422,
      'UnprocessableEntityError',
      'Not this title',
    ]);
    await expect(site.sheaf.documents(POST).create({ data: { title: 'broken' } })).rejects.toThrow('a defect');
    expect(await counts()).toEqual(before);
    expect((await site.post('posts', { title: 'kept' }, callers[1])).status).toBe(201);
    expect((await counts())[1]).toBe(before[1]! + 1);
  });

  it('ends hooks that lead to one another', async () => {
    const { documentId } = await site.sheaf.documents('api::log.log').create({ data: { text: 'x' } });
    const update = site.sheaf.documents('api::log.log').update({ documentId, data: { text: 'y' } });
    await expect(update).rejects.toThrow('MAX_HOOK_DEPTH');
  });
});
