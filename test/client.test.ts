// The official client of the dialect, unmodified, against a server that listens: everything it offers for content,
// single types, users and files, its own error classes, and its two ways to say who asks.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  HTTPAuthorizationError,
  HTTPBadRequestError,
  HTTPError,
  HTTPForbiddenError,
  HTTPNotFoundError,
  type StrapiClient,
  type StrapiClientConfig,
  strapi,
} from '@strapi/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenType } from '../src/accounts/api-tokens.ts';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { USER } from '../src/model/builtin.ts';
import { type Answered, useContents } from './support/content.ts';
import { describeOnEveryDatabase, GUIDE } from './support/database.ts';

const PASSWORD = 'correct horse battery';
const LIST = 'api::restaurant.restaurant.find';

interface Served {
  readonly sheaf: Sheaf;
  /** Where the client is told to find the server. */
  readonly baseURL: string;
  /** A client with a new API token. */
  client(type?: TokenType, actions?: readonly string[]): Promise<StrapiClient>;
}

/** What a call failed with; that it does not fail ends the test. */
async function failureOf(call: () => Promise<unknown>): Promise<HTTPError> {
  const result: unknown = await call().then(
    (value) => new Error(`It succeeded: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (result instanceof HTTPError) return result;
  throw result;
}

/** Expects the class that the client has for a status, and the envelope, which the client leaves unread. */
async function expectFailure(
  call: () => Promise<unknown>,
  kind: new (response: Response, request: Request) => HTTPError,
  status: number,
  name: string,
  message: unknown = expect.any(String),
): Promise<void> {
  const error = await failureOf(call);
  expect(error).toBeInstanceOf(kind);
  expect(error.response.status).toBe(status);
  expect(error.response.headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(await error.response.json()).toEqual({
    data: null,
    error: { status, name, message, details: expect.any(Object) },
  });
}

const namesOf = (entries: readonly Answered[]): string[] => entries.map(({ name }) => name);

describeOnEveryDatabase('The official client', (engine) => {
  const contents = useContents(engine);
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });

  /** The guide with these settings, on a new database, listening on a free port. */
  async function serve(settings: object = {}): Promise<Served> {
    const folder = contents.folder();
    cpSync(GUIDE, folder, { recursive: true, filter: (file) => path.basename(file) !== '.sheaf' });
    mkdirSync(path.join(folder, 'config'), { recursive: true });
    writeFileSync(path.join(folder, 'config', 'sheaf.json'), JSON.stringify(settings));
    const sheaf = await open({ project: folder, database: engine.emptyGuideDatabaseUrl() });
    const app = createServer(sheaf);
    closing.push(async () => {
      await app.close();
      await sheaf.close();
    });
    const baseURL = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api`;
    return {
      sheaf,
      baseURL,
      async client(type = 'full-access', actions = []) {
        const { tokens } = await sheaf.auth();
        const token = await tokens.create({ name: type, description: '', type, actions, days: null });
        return strapi({ baseURL, auth: token });
      },
    };
  }

  let served: Served;
  let client: StrapiClient;
  beforeAll(async () => {
    served = await serve();
    client = await served.client();
  });

  describe('of a collection', () => {
    const restaurants = () => client.collection('restaurants');
    let chef: string;
    beforeAll(async () => {
      const country = await client.collection('countries').create({ name: 'Italy', code: 'IT' });
      const made = await client.collection('chefs').create({ name: 'Chiara', country: country.data.documentId });
      chef = made.data.documentId;
      const all = [
        { name: 'Alba', stars: 2, cuisine: 'italian', chef, inspectedAt: '2024-03-01T12:00:00.000Z' },
        { name: 'Brio', stars: 1, cuisine: 'french', chef, inspectedAt: '2024-03-02T12:00:00.000Z' },
        { name: 'Corsa', stars: 2, cuisine: 'fusion', inspectedAt: '2024-03-03T12:00:00.000Z' },
        { name: 'Dolce', stars: 0, cuisine: 'mexican', open: false },
        { name: 'Così & è 100% + "buono"?', stars: 3, description: 'a=b&c[d]=e#f' },
      ];
      for (const data of all) await restaurants().create(data);
    });

    it('finds all entries, in the envelope with its pagination', async () => {
      const { data, meta } = await restaurants().find();
      expect(data).toHaveLength(5);
      expect(meta).toEqual({ pagination: { page: 1, pageSize: 25, pageCount: 1, total: 5 } });
      expect(data[0]).toMatchObject({ documentId: expect.stringMatching(/^[a-z0-9]{24}$/), name: 'Alba', stars: 2 });
      expect(data[0]).not.toHaveProperty('chef');
    });

    it('filters by values, lists, groups and relations', async () => {
      const found = async (filters: Record<string, unknown>) =>
        namesOf((await restaurants().find({ filters, sort: 'name' })).data);
      expect(await found({ stars: 2 })).toEqual(['Alba', 'Corsa']);
      expect(await found({ open: false })).toEqual(['Dolce']);
      expect(await found({ cuisine: { $in: ['french', 'mexican'] } })).toEqual(['Brio', 'Dolce']);
      expect(await found({ $or: [{ name: 'Alba' }, { $and: [{ stars: { $lt: 2 } }, { open: true }] }] })).toEqual([
        'Alba',
        'Brio',
      ]);
      expect(await found({ chef: { country: { code: { $eqi: 'it' } } } })).toEqual(['Alba', 'Brio']);
      expect(await found({ chef: { $null: true }, stars: { $gte: 1, $lte: 2 } })).toEqual(['Corsa']);
    });

    it('filters by a moment that is given as a Date', async () => {
      const after = new Date('2024-03-01T18:00:00.000Z');
      const { data } = await restaurants().find({ filters: { inspectedAt: { $gt: after } }, sort: 'name' });
      expect(namesOf(data)).toEqual(['Brio', 'Corsa']);
    });

    it('carries every character of a value', async () => {
      for (const filters of [{ name: 'Così & è 100% + "buono"?' }, { description: 'a=b&c[d]=e#f' }]) {
        const { data } = await restaurants().find({ filters });
        expect(data.map(({ stars }) => stars)).toEqual([3]);
      }
    });

    it('sorts by one key and by several', async () => {
      const first = await restaurants().find({ sort: 'name:desc', filters: { stars: { $lt: 3 } } });
      expect(namesOf(first.data)).toEqual(['Dolce', 'Corsa', 'Brio', 'Alba']);
      const second = await restaurants().find({ sort: ['stars:desc', 'name:desc'], filters: { stars: { $lt: 3 } } });
      expect(namesOf(second.data)).toEqual(['Corsa', 'Alba', 'Brio', 'Dolce']);
    });

    it('populates by name, by list and by object, and takes the fields that are asked for', async () => {
      const query = { filters: { name: 'Alba' }, fields: ['name'] };
      const byName = await restaurants().find({ ...query, populate: 'chef' });
      expect(byName.data[0]).toEqual({
        id: expect.any(Number),
        documentId: expect.any(String),
        name: 'Alba',
        chef: expect.objectContaining({ name: 'Chiara' }),
      });
      const byList = await restaurants().find({ ...query, populate: ['chef', 'chef.country', 'categories'] });
      expect(byList.data[0]).toMatchObject({ chef: { country: { code: 'IT' } }, categories: [] });
      const byObject = await restaurants().find({
        ...query,
        populate: { chef: { fields: ['age'], populate: { restaurants: { sort: ['name:desc'], fields: ['name'] } } } },
      });
      expect(byObject.data[0]!.chef).not.toHaveProperty('name');
      expect(namesOf(byObject.data[0]!.chef.restaurants)).toEqual(['Brio', 'Alba']);
    });

    it('pages by number and by offset, and leaves the count away', async () => {
      const second = await restaurants().find({ sort: 'id', pagination: { page: 2, pageSize: 2 } });
      expect(namesOf(second.data)).toEqual(['Corsa', 'Dolce']);
      expect(second.meta.pagination).toEqual({ page: 2, pageSize: 2, pageCount: 3, total: 5 });
      const offset = await restaurants().find({ sort: 'id', pagination: { start: 1, limit: 2 } });
      expect(namesOf(offset.data)).toEqual(['Brio', 'Corsa']);
      expect(offset.meta.pagination).toEqual({ start: 1, limit: 2, total: 5 });
      const uncounted = await restaurants().find({ pagination: { page: 1, pageSize: 2, withCount: false } });
      expect(uncounted.meta.pagination).toEqual({ page: 1, pageSize: 2 });
    });

    it('creates, finds, changes and deletes one entry', async () => {
      const created = await restaurants().create({ name: 'Eco', stars: 1 }, { populate: 'chef' });
      expect(created.data).toMatchObject({ name: 'Eco', stars: 1, open: true, chef: null });
      const { documentId } = created.data;
      const updated = await restaurants().update(documentId, { stars: 4, chef }, { populate: ['chef'] });
      expect(updated.data).toMatchObject({ documentId, name: 'Eco', stars: 4, chef: { documentId: chef } });
      const found = await restaurants().findOne(documentId, { fields: ['stars'], populate: { chef: true } });
      expect(found.data).toMatchObject({ documentId, stars: 4, chef: { name: 'Chiara' } });
      expect(found.data).not.toHaveProperty('name');
      await expect(restaurants().delete(documentId)).resolves.toBeUndefined();
      await expectFailure(
        () => restaurants().findOne(documentId),
        HTTPNotFoundError,
        404,
        'NotFoundError',
        'Not Found',
      );
      // Deleting what is not there is no failure in this dialect.
      await expect(restaurants().delete(documentId)).resolves.toBeUndefined();
    });

    it('answers requests that the client leaves to its user', async () => {
      const response = await client.fetch('/restaurants?fields[0]=name&sort=name&pagination[limit]=1');
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ data: [{ name: 'Alba' }], meta: { pagination: { limit: 1 } } });
    });
  });

  describe('of relations', () => {
    const restaurants = () => client.collection('restaurants');
    const ids = new Map<string, string>();
    const id = (name: string) => ids.get(name)!;
    let documentId: string;
    beforeAll(async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        ids.set(name, (await client.collection('categories').create({ name })).data.documentId);
      documentId = (await restaurants().create({ name: 'Relations' })).data.documentId;
    });

    /** The names of the categories in their order, after a write, as the write answers and as they are read. */
    async function after(categories: unknown): Promise<string[]> {
      const written = await restaurants().update(documentId, { categories }, { populate: 'categories' });
      const read = await restaurants().findOne(documentId, { populate: { categories: { fields: ['name'] } } });
      expect(namesOf(written.data.categories)).toEqual(namesOf(read.data.categories));
      return namesOf(read.data.categories);
    }

    it('sets, connects at a position and disconnects, and the order is read back', async () => {
      expect(await after({ set: [id('b'), { documentId: id('a') }] })).toEqual(['b', 'a']);
      expect(await after({ connect: [id('c')] })).toEqual(['b', 'a', 'c']);
      expect(await after({ connect: [{ documentId: id('d'), position: { start: true } }] })).toEqual([
        'd',
        'b',
        'a',
        'c',
      ]);
      expect(await after({ connect: [{ documentId: id('e'), position: { before: id('a') } }] })).toEqual([
        'd',
        'b',
        'e',
        'a',
        'c',
      ]);
      expect(await after({ connect: [{ documentId: id('d'), position: { after: id('a') } }] })).toEqual([
        'b',
        'e',
        'a',
        'd',
        'c',
      ]);
      expect(await after({ connect: [{ documentId: id('b'), position: { end: true } }] })).toEqual([
        'e',
        'a',
        'd',
        'c',
        'b',
      ]);
      expect(await after({ disconnect: [id('a'), { documentId: id('c') }] })).toEqual(['e', 'd', 'b']);
      expect(
        await after({ disconnect: [id('e')], connect: [{ documentId: id('a'), position: { before: id('b') } }] }),
      ).toEqual(['d', 'a', 'b']);
      expect(await after([id('c'), id('a')])).toEqual(['c', 'a']);
      expect(await after({ set: [] })).toEqual([]);
    });

    it('is told that a relation points at nothing', async () => {
      await expectFailure(
        () => restaurants().update(documentId, { categories: { connect: ['aaaaaaaaaaaaaaaaaaaaaaaa'] } }),
        HTTPBadRequestError,
        400,
        'ValidationError',
      );
    });
  });

  describe('of drafts and locales', () => {
    const articles = () => client.collection('articles');

    it('keeps a draft from those who ask for what is published, until it is published', async () => {
      const { data } = await articles().create({ title: 'Draft' }, { status: 'draft' });
      const { documentId } = data;
      expect(data.publishedAt).toBeNull();
      await expectFailure(() => articles().findOne(documentId), HTTPNotFoundError, 404, 'NotFoundError');
      expect((await articles().findOne(documentId, { status: 'draft' })).data.title).toBe('Draft');
      const published = await articles().update(documentId, { title: 'Out' }, { status: 'published' });
      expect(published.data.publishedAt).toEqual(expect.any(String));
      await articles().update(documentId, { title: 'Changed since' }, { status: 'draft' });
      const titles = async (status: 'draft' | 'published') =>
        (await articles().find({ status, filters: { documentId } })).data.map(({ title }) => title);
      expect(await titles('published')).toEqual(['Out']);
      expect(await titles('draft')).toEqual(['Changed since']);
    });

    it('keeps the locales of a document apart', async () => {
      const { data } = await articles().create({ title: 'Hello', readingMinutes: 3 });
      const { documentId } = data;
      const french = await articles().update(documentId, { title: 'Bonjour' }, { locale: 'fr' });
      expect(french.data).toMatchObject({ documentId, locale: 'fr', title: 'Bonjour', readingMinutes: 3 });
      expect((await articles().findOne(documentId)).data).toMatchObject({ locale: 'en', title: 'Hello' });
      expect((await articles().findOne(documentId, { locale: 'fr' })).data.title).toBe('Bonjour');
      const all = await articles().find({ locale: '*', filters: { documentId }, sort: 'locale' });
      expect(all.data.map(({ title }) => title)).toEqual(['Hello', 'Bonjour']);
      await articles().delete(documentId, { locale: 'fr' });
      await expectFailure(
        () => articles().findOne(documentId, { locale: 'fr' }),
        HTTPNotFoundError,
        404,
        'NotFoundError',
      );
      expect((await articles().findOne(documentId)).data.title).toBe('Hello');
    });
  });

  describe('of a single type', () => {
    const homepage = () => client.single('homepage');

    it('writes and reads its draft apart', async () => {
      await homepage().update({ title: 'Only a draft' }, { status: 'draft' });
      await expectFailure(() => homepage().find(), HTTPNotFoundError, 404, 'NotFoundError');
      expect((await homepage().find({ status: 'draft' })).data).toMatchObject({ title: 'Only a draft' });
    });

    it('makes, finds, changes and deletes the one document', async () => {
      await expectFailure(() => homepage().find(), HTTPNotFoundError, 404, 'NotFoundError');
      const made = await homepage().update({ title: 'Welcome', hero: { heading: 'Eat well' } }, { populate: 'hero' });
      expect(made.data).toMatchObject({ title: 'Welcome', hero: { heading: 'Eat well' } });
      const changed = await homepage().update({ title: 'Welcome back' });
      expect(changed.data.documentId).toBe(made.data.documentId);
      const found = await homepage().find({ populate: { hero: { fields: ['heading'] } } });
      expect(found.data).toMatchObject({ title: 'Welcome back', hero: { heading: 'Eat well' } });
      expect(found.meta).toEqual({});
      await expect(homepage().delete()).resolves.toBeUndefined();
      await expectFailure(() => homepage().find(), HTTPNotFoundError, 404, 'NotFoundError');
      await expect(homepage().delete()).resolves.toBeUndefined();
    });
  });

  describe('of users', () => {
    const newUser = (username: string) => ({ username, email: `${username}@Example.com`, password: PASSWORD });
    /** Users are answered without an envelope, which the types of the client do not know. */
    const bare = (answer: unknown): Answered => answer;
    const roleId = async (type: string) => (await (await served.sheaf.auth()).roles.find(type)).id;

    it('creates, finds, changes and deletes a user by number', async () => {
      const users = client.collection('users');
      const role = await roleId('authenticated');
      const made = bare(await users.create({ ...newUser('numbered'), role }));
      expect(made).toMatchObject({ id: expect.any(Number), username: 'numbered', email: 'numbered@example.com' });
      expect(made).not.toHaveProperty('password');
      const found = bare(await users.findOne(made.id as number, { populate: 'role' }));
      expect(found).toMatchObject({ id: made.id, username: 'numbered', role: { type: 'authenticated' } });
      expect(found).not.toHaveProperty('password');
      const changed = bare(await users.update(made.id as number, { username: 'renumbered', blocked: true }));
      expect(changed).toMatchObject({ id: made.id, username: 'renumbered', blocked: true });
      await expect(users.delete(made.id as number)).resolves.toBeUndefined();
      await expectFailure(() => users.findOne(made.id as number), HTTPNotFoundError, 404, 'NotFoundError');
    });

    it('finds, changes and deletes a user by documentId', async () => {
      const users = client.collection('users');
      const { documentId } = bare(await users.create(newUser('documented')));
      expect(bare(await users.findOne(documentId)).username).toBe('documented');
      expect(bare(await users.update(documentId, { confirmed: true })).confirmed).toBe(true);
      await users.delete(documentId);
      await expectFailure(() => users.findOne(documentId), HTTPNotFoundError, 404, 'NotFoundError');
    });

    it('lists users in the envelope, or bare where the project says so', async () => {
      const other = await serve({ users: { bareList: true } });
      for (const [users, isBare] of [
        [client.collection('users'), false],
        [(await other.client()).collection('users'), true],
      ] as const) {
        for (const name of ['zoe', 'anna', 'mike']) await users.create(newUser(`list-${name}`));
        const query = { filters: { username: { $startsWith: 'list-' } }, sort: 'username:desc', fields: ['username'] };
        const answer = bare(await users.find(query));
        const names = ['list-zoe', 'list-mike', 'list-anna'];
        expect((isBare ? answer : answer.data).map(({ username }: Answered) => username)).toEqual(names);
        if (!isBare) expect(answer.meta.pagination).toMatchObject({ page: 1, total: 3 });
      }
    });

    it('lists all users in a bare list, not a page of them', async () => {
      const other = await serve({ users: { bareList: true } });
      const documents = other.sheaf.documents(USER);
      for (let index = 100; index < 130; index++)
        await documents.create({ data: { username: `user${index}`, email: `user${index}@example.com` } });
      expect(bare(await (await other.client()).collection('users').find())).toHaveLength(30);
    });

    it('is told what is wrong with a user', async () => {
      const users = client.collection('users');
      await users.create(newUser('taken'));
      const other = bare(await users.create(newUser('other')));
      for (const change of [
        { username: 'taken' },
        { email: 'TAKEN@example.com' },
        // A name that is the address of another would log in as either.
        { username: 'taken@example.com' },
      ])
        for (const call of [
          () => users.create({ ...newUser('third'), ...change }),
          () => users.update(other.id as number, change),
        ])
          await expectFailure(
            call,
            HTTPBadRequestError,
            400,
            'ApplicationError',
            expect.stringMatching(/already taken/),
          );
      await expectFailure(
        () => users.find({ filters: { password: { $startsWith: '$2' } } }),
        HTTPBadRequestError,
        400,
        'ValidationError',
        'Invalid key password',
      );
    });
  });

  describe('of what fails', () => {
    it('has a class for a request that makes no sense', async () => {
      await expectFailure(
        () => client.collection('restaurants').find({ filters: { nope: 1 } }),
        HTTPBadRequestError,
        400,
        'ValidationError',
        'Invalid key nope',
      );
      await expectFailure(
        () => client.collection('restaurants').create({ stars: 1 }),
        HTTPBadRequestError,
        400,
        'ValidationError',
      );
      await expectFailure(
        () => client.collection('restaurants').find({ pagination: { page: 1, limit: 2 } }),
        HTTPBadRequestError,
        400,
        'PaginationError',
      );
    });

    it('has a class for a token that is not known', async () => {
      for (const auth of ['nonsense', 'a'.repeat(256), 'eyJhbGciOiJub25lIn0.e30.'])
        await expectFailure(
          () => strapi({ baseURL: served.baseURL, auth }).collection('restaurants').find(),
          HTTPAuthorizationError,
          401,
          'UnauthorizedError',
        );
    });

    it('has a class for what a token does not allow', async () => {
      const reader = await served.client('read-only');
      const lister = await served.client('custom', [LIST]);
      expect((await reader.collection('restaurants').find()).data).toEqual(expect.any(Array));
      for (const call of [
        () => reader.collection('restaurants').create({ name: 'No' }),
        () => reader.collection('restaurants').update('x', { name: 'No' }),
        () => reader.collection('restaurants').delete('x'),
        () => reader.single('homepage').update({ title: 'No' }),
        () => lister.collection('restaurants').findOne('x'),
        () => strapi({ baseURL: served.baseURL }).collection('restaurants').find(),
      ])
        await expectFailure(call, HTTPForbiddenError, 403, 'ForbiddenError', 'Forbidden');
    });

    it('has a class for what is not there', async () => {
      for (const call of [
        () => client.collection('nothings').find(),
        () => client.single('nothing').find(),
        () => client.collection('restaurants').findOne('nothing'),
        () => client.collection('restaurants').update('nothing', { stars: 1 }),
        () => client.collection('posts', { plugin: { name: 'blog' } }).find(),
      ])
        await expectFailure(call, HTTPNotFoundError, 404, 'NotFoundError', 'Not Found');
    });
  });

  describe('of files', () => {
    const bytesOf = async (url: string): Promise<string> => (await fetch(new URL(url, served.baseURL))).text();

    it('finds, changes and deletes what it uploads as a Blob or a Buffer', async () => {
      const info = { name: 'first', alternativeText: 'alt', caption: 'cap' };
      const [blob] = (await client.files.upload(new Blob(['one'], { type: 'text/plain' }), {
        fileInfo: info,
      })) as unknown as Answered[];
      const [buffer] = (await client.files.upload(Buffer.from('two'), {
        filename: 'second.txt',
        mimetype: 'text/plain',
      })) as unknown as Answered[];
      expect([blob, buffer]).toMatchObject([
        { ...info, ext: '.txt', mime: 'text/plain', url: expect.stringMatching(/^\/uploads\/first_\w+\.txt$/) },
        { name: 'second.txt', ext: '.txt', caption: null },
      ]);
      expect([await bytesOf(blob.url), await bytesOf(buffer.url)]).toEqual(['one', 'two']);
      const found = await client.files.find({ filters: { id: { $in: [blob.id, buffer.id] } }, sort: 'name:desc' });
      expect(found).toEqual([buffer, blob]);
      expect(await client.files.findOne(blob.id)).toEqual(blob);
      const changed = await client.files.update(blob.id, { name: 'renamed', caption: '' });
      expect(changed).toEqual({ ...blob, name: 'renamed', caption: '', updatedAt: expect.any(String) });
      expect(await client.files.delete(blob.id)).toEqual(changed);
      expect((await fetch(new URL(blob.url, served.baseURL))).status).toBe(404);
      await client.files.delete(buffer.id);
    });

    it('gets its own errors where there is no such file, or no right', async () => {
      await expect(client.files.findOne(99_999)).rejects.toMatchObject({ name: 'FileNotFoundError' });
      await expect(client.files.update(99_999, { name: 'x' })).rejects.toMatchObject({ name: 'FileNotFoundError' });
      await expect(client.files.delete(99_999)).rejects.toMatchObject({ name: 'FileNotFoundError' });
      const reader = await served.client('read-only');
      const upload = () => reader.files.upload(new Blob(['x']), { fileInfo: { name: 'x.txt' } });
      await expect(upload()).rejects.toMatchObject({ name: 'FileForbiddenError' });
    });
  });

  describe('of a user who logs in', () => {
    /** The class is not exported, but it is the one that strapi() makes; only it takes another way to log in. */
    const loggingIn = (identifier: string, password: string): StrapiClient => {
      const Client = strapi({ baseURL: served.baseURL }).constructor as new (
        config: StrapiClientConfig,
      ) => StrapiClient;
      const auth = { strategy: 'users-permissions', options: { identifier, password } };
      return new Client({ baseURL: served.baseURL, auth });
    };
    let userId: number;
    beforeAll(async () => {
      const { roles } = await served.sheaf.auth();
      await roles.grant('authenticated', [LIST]);
      const role = (await roles.find('authenticated')).id;
      const data = { username: 'Visitor', email: 'visitor@example.com', password: PASSWORD, provider: 'local', role };
      userId = (await served.sheaf.documents(USER).create({ data })).id;
    });

    it('logs in by name or address before the first request', async () => {
      for (const identifier of ['Visitor', 'VISITOR@example.com']) {
        const visitor = loggingIn(identifier, PASSWORD);
        expect((await visitor.collection('restaurants').find()).data).toEqual(expect.any(Array));
        expect(await (await visitor.fetch('/users/me')).json()).toMatchObject({ id: userId, username: 'Visitor' });
        // What the role was not granted stays closed.
        await expectFailure(() => visitor.collection('chefs').find(), HTTPForbiddenError, 403, 'ForbiddenError');
      }
    });

    it('is nobody in particular with a wrong password', async () => {
      const visitor = loggingIn('Visitor', 'wrong');
      await expectFailure(() => visitor.collection('restaurants').find(), HTTPForbiddenError, 403, 'ForbiddenError');
    });

    it('logs in again after its session was ended', async () => {
      const visitor = loggingIn('Visitor', PASSWORD);
      await visitor.collection('restaurants').find();
      await (await served.sheaf.auth()).sessions.endAll(userId);
      await expectFailure(
        () => visitor.collection('restaurants').find(),
        HTTPAuthorizationError,
        401,
        'UnauthorizedError',
      );
      expect((await visitor.collection('restaurants').find()).data).toEqual(expect.any(Array));
    });
  });
});
