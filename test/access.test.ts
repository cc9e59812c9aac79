// Who may do what, seen from outside: every route for every kind of caller, grants that act at once, what answers to
// writes show, and what a role is told by explain.
import { cpSync, writeFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownActions } from '../src/access/actions.ts';
import type { Sheaf } from '../src/app.ts';
import { explainRequest } from '../src/cli/explain.ts';
import { CONSOLE_PATH } from '../src/console/contract.ts';
import { routeTable } from '../src/http/route-table.ts';
import { createServer } from '../src/http/server.ts';
import { ROLE, USER } from '../src/model/builtin.ts';
import type { Attribute } from '../src/model/types.ts';
import { GUIDE_PROJECT, type Json, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, NOBODY, useGuarded, type Who } from './support/guarded.ts';
import {
  ARTICLE,
  FORBIDDEN,
  FRONT,
  failureOf,
  NEWS,
  NO_DOCUMENT,
  reads,
  SMALL,
  TOPIC,
  WRITER,
} from './support/news.ts';
import { isAsked, SCALE } from './support/scale.ts';

interface Route {
  readonly method: string;
  readonly url: string;
  readonly action: string | null;
}

/**
 * A server in process with all that it registers; what stands in no table of routes has no action. The console is not
 * for callers of the API: console-rights.test.ts walks its routes.
 */
async function serve(sheaf: Sheaf): Promise<{ app: FastifyInstance; routes: Route[] }> {
  const table = routeTable(sheaf, await sheaf.auth());
  const routes: Route[] = [];
  const app = createServer(sheaf);
  app.addHook('onRoute', ({ method, url }) => {
    if (url.startsWith(CONSOLE_PATH)) return;
    for (const one of [method].flat()) {
      const route = table.find(
        ({ method: its, path, writes }) => its === (one === 'HEAD' && !writes ? 'GET' : one) && path === url,
      );
      routes.push({ method: one, url, action: route?.action ?? null });
    }
  });
  await app.ready();
  return { app, routes };
}

type Kind = 'public' | 'user' | 'token';

/** What a route answers to a good request of someone who has the right. */
function successOf({ method, url }: Route, kind: Kind): number {
  const ofUsers = kind === 'user' ? 200 : 401;
  switch (url) {
    case '/api/users/me':
    case '/api/auth/logout':
    case '/api/auth/sessions':
      return ofUsers;
    // There is no such session.
    case '/api/auth/sessions/:sessionId':
      return kind === 'user' ? 404 : 401;
    // These ask for a code or a password besides, and get a wrong one.
    case '/api/auth/change-password':
    case '/api/auth/reset-password':
    case '/api/auth/email-confirmation':
      return 400;
    default:
  }
  if (url.startsWith('/api/auth/') || url.startsWith('/api/users-permissions/')) return 200;
  if (method === 'DELETE') return /^\/api\/(?:users|upload)/.test(url) ? 200 : 204;
  if (isAction(url)) return url.endsWith('/clone') ? 201 : 200;
  // There is no such relation.
  if (url.endsWith('/:relation')) return 404;
  if (queryOf({ method, url }) !== null) return 200;
  return method === 'POST' ? 201 : 200;
}

/** What a read is asked for by a body; null for other requests. */
function queryOf({ method, url }: Pick<Route, 'method' | 'url'>): Json | null {
  if (method !== 'QUERY' && method !== 'POST') return null;
  if (url.endsWith('/aggregate')) return { count: '*' };
  return method === 'QUERY' || url.endsWith('/query') ? {} : null;
}

const isAction = (url: string): boolean => url.includes('/actions/');

/** A number of users says as much as a list of them. */
const needs = ({ url, action }: Route): string[] =>
  url === '/api/users/count' ? [`${USER}.count`, `${USER}.find`] : action === null ? [] : [action];

const FILES = 'plugin::upload.content-api';

const LISTS_OF_FILES = ['find', 'findPage'].map((verb) => `${FILES}.${verb}`);

/** Who may list files may do so in pages as well, and the other way round. */
const isGranted = (route: Route, may: (action: string) => boolean): boolean =>
  needs(route).every(may) || (LISTS_OF_FILES.includes(route.action ?? '') && LISTS_OF_FILES.some(may));

/** Requests to every route that would succeed if the caller had the right. */
class Attempts {
  readonly #site: Guarded;
  readonly #app: FastifyInstance;
  readonly #specimens = new Map<string, string>();
  #made = 0;

  constructor(site: Guarded, app: FastifyInstance) {
    this.#site = site;
    this.#app = app;
  }

  /** A new entry of a type, with what it cannot do without. */
  async #make(uid: string): Promise<string> {
    if (uid === FILES)
      return (await this.#site.sheaf.files.upload({ name: 'new.txt', content: Buffer.from('new') }))[0]!.documentId;
    if (uid === ROLE) return String((await this.#site.auth.roles.create(`New ${++this.#made}`)).id);
    const data = this.#body(uid);
    const type = this.#site.sheaf.model.contentTypes.get(uid)!;
    const published = type.draftAndPublish ? { status: 'published' as const } : {};
    return (await this.#site.sheaf.documents(uid).create({ data, ...published })).documentId;
  }

  #body(uid: string): Json {
    const name = `new${++this.#made}`;
    if (uid === USER) return { username: name, email: `${name}@new.example` };
    const attributes = [...this.#site.sheaf.model.contentTypes.get(uid)!.attributes.values()];
    const required = attributes.filter((attribute) => attribute.required);
    return Object.fromEntries(required.map((attribute) => [attribute.name, valueFor(attribute, this.#made)]));
  }

  async #specimen(uid: string): Promise<string> {
    let found = this.#specimens.get(uid);
    if (!found) {
      found = await this.#make(uid);
      this.#specimens.set(uid, found);
    }
    return found;
  }

  /** The one entry of a single type is there and published, whatever was done to it before. */
  async #restore(uid: string): Promise<void> {
    const type = this.#site.sheaf.model.contentTypes.get(uid)!;
    const documents = this.#site.sheaf.documents(uid);
    if ((await documents.count()) === 0) await this.#make(uid);
    else if (type.draftAndPublish) await documents.publish();
  }

  /** The uid of a content-type or component of the project. */
  #declared(url: string): string {
    const { components, contentTypes } = this.#site.sheaf.model;
    const uids = url.includes('/components/') ? components.keys() : contentTypes.keys();
    return [...uids].find((uid) => !/^(?:plugin|admin)::/.test(uid))!;
  }

  /** `granted`: the caller has the right, so that the request may leave its traces. */
  async send(route: Route, who: Who, granted: boolean): Promise<{ status: number; body: string }> {
    const { method, url, action } = route;
    const uid = action?.slice(0, action.lastIndexOf('.')) ?? '';
    const type = this.#site.sheaf.model.contentTypes.get(uid);
    let target = url;
    const isSpent = granted && (method === 'DELETE' || isAction(url));
    if (url.includes(':documentId'))
      target = url.replace(':documentId', isSpent ? await this.#make(uid) : await this.#specimen(uid));
    if (url.endsWith('/:uid')) target = url.replace(':uid', this.#declared(url));
    if (url.endsWith('/aggregate') && (method === 'GET' || method === 'HEAD')) target += '?count=*';
    if (type?.kind === 'singleType') await this.#restore(uid);
    const payload = uid === FILES ? null : (queryOf(route) ?? (await this.#payload(route, uid)));
    const isUpload = uid === FILES && method === 'POST';
    const answer = await this.#app.inject({
      method: method as 'GET',
      url: target,
      headers: {
        ...who,
        ...(payload && { 'content-type': 'application/json' }),
        ...(isUpload && { 'content-type': 'multipart/form-data; boundary=x' }),
      },
      ...(payload && { payload: JSON.stringify(payload) }),
      ...(isUpload && { payload: UPLOAD }),
    });
    return { status: answer.statusCode, body: answer.body };
  }

  async #payload({ method, url }: Route, uid: string): Promise<Json | null> {
    if (url.startsWith('/api/auth/')) return method === 'POST' ? this.#authBody(url) : null;
    if (isAction(url) && !url.endsWith('/clone')) return null;
    if (uid === ROLE) return method === 'POST' || method === 'PUT' ? { name: `New ${++this.#made}` } : null;
    if (method === 'POST')
      return uid === USER ? { ...this.#body(uid), password: 'a-long-phrase' } : { data: this.#body(uid) };
    if (method === 'PUT') return uid === USER ? {} : { data: {} };
    return null;
  }

  async #authBody(url: string): Promise<Json> {
    const name = `new${++this.#made}`;
    switch (url) {
      case '/api/auth/local':
        return { identifier: 'with-password', password: 'a-long-phrase' };
      case '/api/auth/local/register':
        return { username: name, email: `${name}@new.example`, password: 'a-long-phrase' };
      case '/api/auth/refresh': {
        const { id } = (await this.#site.sheaf.documents(USER).findFirst({ filters: { username: 'with-password' } }))!;
        return { refreshToken: (await this.#site.auth.sessions.begin(id))!.refreshToken };
      }
      case '/api/auth/change-password':
        return { currentPassword: 'wrong', password: 'another-phrase', passwordConfirmation: 'another-phrase' };
      default:
        return { email: `${name}@new.example` };
    }
  }
}

const UPLOAD =
  '--x\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\na\r\n--x--\r\n';

function valueFor(attribute: Attribute, number: number): unknown {
  if (attribute.kind !== 'scalar') return [];
  if (attribute.type === 'email') return `new${number}@new.example`;
  if (['integer', 'decimal', 'float'].includes(attribute.type)) return 1;
  // The one pattern there is asks for two letters.
  const letter = (place: number) => String.fromCharCode(65 + (Math.floor(number / place) % 26));
  return attribute.rules.regex ? letter(26) + letter(1) : `new${number}`;
}

/** Asks every route and tells each answer that is not the expected one. */
async function surprises(
  { routes, attempts }: { routes: readonly Route[]; attempts: Attempts },
  kind: Kind,
  who: () => Promise<Who>,
  may: (action: string) => boolean,
  refusal: 401 | 403 = 403,
): Promise<string[]> {
  const wrong: string[] = [];
  let headers = await who();
  for (const route of routes) {
    const { method, url, action } = route;
    if (action === null) continue;
    const granted = isGranted(route, may);
    const expected = granted ? successOf(route, kind) : refusal;
    const { status, body } = await attempts.send(route, headers, granted);
    const refused = expected === 403 && method !== 'HEAD' ? body === JSON.stringify(FORBIDDEN) : true;
    if (status !== expected || !refused)
      wrong.push(`${kind} ${granted ? 'with' : 'without'} ${action}: ${method} ${url}: ${status} ${body}`);
    if (granted && url === '/api/auth/logout') headers = await who();
  }
  return wrong;
}

/** Who is granted one action after another. */
const ONE_AT_A_TIME = ['public', 'authenticated', 'editor', 'token'] as const;

const PUBLIC_AT_FIRST = ['callback', 'forgotPassword', 'resetPassword', 'register', 'emailConfirmation'];
const CLOSED: Readonly<Record<'public' | 'authenticated', readonly string[]>> = {
  public: [...PUBLIC_AT_FIRST, 'sendEmailConfirmation', 'refresh', 'connect'].map(
    (name) => `plugin::users-permissions.auth.${name}`,
  ),
  authenticated: [
    'plugin::users-permissions.user.me',
    ...['changePassword', 'logout', 'getSessions', 'revokeSession'].map(
      (name) => `plugin::users-permissions.auth.${name}`,
    ),
  ],
};

describeOnEveryDatabase('Every route', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  const isFirst = engine.name === 'SQLite';
  const apps: FastifyInstance[] = [];
  afterAll(async () => {
    for (const app of apps) await app.close();
  });

  async function prepare(site: Guarded) {
    const { app, routes } = await serve(site.sheaf);
    apps.push(app);
    await site.person('authenticated', { username: 'with-password', password: 'a-long-phrase' });
    return { app, routes, attempts: new Attempts(site, app) };
  }

  /**
   * What opens a route does not depend on the database, so the second one is asked for some of the routes: for others
   * with each number.
   */
  const part = <T extends { readonly routes: readonly Route[] }>(asked: T, number: number): T =>
    isFirst ? asked : { ...asked, routes: asked.routes.filter((_route, index) => isAsked(number, index, 3)) };

  describe('of the guide', () => {
    let site: Guarded;
    let asked: Awaited<ReturnType<typeof prepare>>;
    beforeAll(async () => {
      const project = contents.folder();
      for (const name of ['src', 'config'])
        cpSync(`${GUIDE_PROJECT}/${name}`, `${project}/${name}`, { recursive: true });
      const limit = { max: 1_000_000, seconds: 60 };
      writeFileSync(
        `${project}/config/sheaf.json`,
        JSON.stringify({ rateLimits: { auth: limit, account: limit, address: limit, cost: null } }),
      );
      site = await guarded.open(project);
      asked = await prepare(site);
    });

    it('is closed in a new project, but for logging in and one’s own account', async () => {
      const { id } = await site.person('authenticated');
      const wrong = [
        ...(await surprises(
          part(asked, 0),
          'public',
          async () => NOBODY,
          (action) => CLOSED.public.includes(action),
        )),
        ...(await surprises(
          part(asked, 1),
          'user',
          () => site.logIn(id),
          (action) => CLOSED.authenticated.includes(action),
        )),
      ];
      expect(wrong).toEqual([]);
      const stored = await site.auth.roles.list();
      for (const type of ['public', 'authenticated'] as const)
        expect([...stored.find((role) => role.type === type)!.actions].sort()).toEqual([...CLOSED[type]].sort());
    });

    it('that answers anything about content needs an action that can be granted', () => {
      const known = knownActions(site.sheaf.model);
      const unguarded = asked.routes.filter(({ method, url, action }) => {
        if (action !== null) return !known.has(action);
        // What else there is tells that the service is alive, shows files by names that nobody guesses, describes what
        // the caller may do (test/openapi.test.ts), or refuses a method; see below.
        return (
          method === 'GET' &&
          !/^\/(?:_|uploads|api\/openapi\.json$)/.test(url) &&
          !asked.routes.some((other) => other.url === url && other.action)
        );
      });
      expect(unguarded).toEqual([]);
      expect(asked.routes.filter(({ action }) => action !== null).length).toBeGreaterThan(100);
    });

    it('refuses a method that it does not have the same way to everyone, and answers nothing by it', async () => {
      const full = await site.token('full-access');
      for (const { method, url, action } of part(asked, 0).routes) {
        const isFile = /^\/(?:uploads\/\*|api\/openapi\.json)$/.test(url) && (method === 'GET' || method === 'HEAD');
        if (action !== null || url.startsWith('/_') || method === 'OPTIONS' || isFile) continue;
        const target = url.replace(':documentId', 'x');
        const [one, other] = await Promise.all(
          [NOBODY, full].map((headers) => asked.app.inject({ method: method as 'GET', url: target, headers })),
        );
        expect([one!.statusCode, one!.body], `${method} ${url}`).toEqual([other!.statusCode, other!.body]);
        expect(one!.statusCode, `${method} ${url}`).toBe(405);
      }
    });

    it('is open to a token with full access, and for reading alone to one that may read', async () => {
      const full = await site.token('full-access');
      const reader = await site.token('read-only');
      expect(
        await surprises(
          part(asked, 2),
          'token',
          async () => full,
          () => true,
        ),
      ).toEqual([]);
      const isRead = (action: string) => /\.(find|findOne)$/.test(action);
      expect(await surprises(part(asked, 5), 'token', async () => reader, isRead)).toEqual([]);
    });

    it('is open to whoever is granted everything', async () => {
      const all = [...knownActions(site.sheaf.model)];
      const { id } = await site.person('authenticated');
      await site.grantOnly('authenticated', all);
      expect(
        await surprises(
          part(asked, 3),
          'user',
          () => site.logIn(id),
          () => true,
        ),
      ).toEqual([]);
      await site.grantOnly('public', all);
      expect(
        await surprises(
          part(asked, 4),
          'public',
          async () => NOBODY,
          () => true,
        ),
      ).toEqual([]);
    });
  });

  describe('of a small project', () => {
    let site: Guarded;
    let asked: Awaited<ReturnType<typeof prepare>>;
    let actions: string[];
    /** Those that are granted one at a time. */
    let alone: string[];
    beforeAll(async () => {
      site = await guarded.open(SMALL);
      asked = await prepare(site);
      // Which action opens which route does not depend on the database, so the second one is asked for some of them.
      const each = isFirst ? 1 : Math.max(1, 4 - SCALE);
      actions = [...knownActions(site.sheaf.model)];
      alone = actions.filter((_action, index) => index % each === 0);
      await site.auth.roles.create('Editor');
    });

    /**
     * What a caller with one action is asked: every route that the action opens, and a part of those that it does not.
     * Where all actions are granted, the parts of the four kinds of callers are all of them.
     */
    function askedWith(granted: string, caller: (typeof ONE_AT_A_TIME)[number]) {
      const oneIn = isFirst ? ONE_AT_A_TIME.length : 2 * ONE_AT_A_TIME.length;
      const row = actions.indexOf(granted) + ONE_AT_A_TIME.indexOf(caller);
      const routes = asked.routes.filter(
        (route, column) => isGranted(route, (action) => action === granted) || isAsked(row, column, oneIn),
      );
      return { ...asked, routes };
    }

    it('asks everyone who they are where the public is granted nothing', async () => {
      await site.grantOnly('public', []);
      expect(
        await surprises(
          part(asked, 0),
          'public',
          async () => NOBODY,
          () => false,
          401,
        ),
      ).toEqual([]);
    });

    it('is granted by the words for a type and for everything, draft actions and files included', async () => {
      const drafts = ['publish', 'unpublish', 'discardDraft'];
      const entries = ['find', 'findOne', 'create', 'update', 'delete', 'clone'];
      const verbs: Readonly<Record<string, readonly string[]>> = {
        [ARTICLE]: [...entries, ...drafts],
        [TOPIC]: entries,
        [FRONT]: ['find', 'update', 'delete'],
      };
      const named = (uid: string): string[] => verbs[uid]!.map((verb) => `${uid}.${verb}`).sort();
      for (const uid of Object.keys(verbs))
        for (const word of [uid, `${uid}.*`]) {
          await site.grantOnly('editor', []);
          expect([...(await site.auth.roles.grant('editor', [word]))].sort(), word).toEqual(named(uid));
        }
      await site.grantOnly('editor', []);
      const all = await site.auth.roles.grant('editor', ['*']);
      const users = ['find', 'findOne', 'create', 'update', 'destroy', 'count', 'me'].map((verb) => `${USER}.${verb}`);
      expect([...all].sort()).toEqual(
        [
          ...Object.keys(verbs).flatMap(named),
          ...users,
          ...['find', 'findOne', 'findPage', 'upload', 'replace', 'destroy'].map((verb) => `${FILES}.${verb}`),
          'plugin::i18n.locales.listLocales',
        ].sort(),
      );
      await site.grantOnly('editor', []);
    });

    it('lets the public do what it is granted and nothing else, one action at a time', async () => {
      for (const granted of alone) {
        await site.grantOnly('public', [granted]);
        expect(
          await surprises(
            askedWith(granted, 'public'),
            'public',
            async () => NOBODY,
            (action) => action === granted,
          ),
        ).toEqual([]);
      }
      await site.grantOnly('public', []);
    });

    it.each(['authenticated', 'editor'] as const)(
      'lets a user of the role %s do what it is granted and nothing else, one action at a time',
      async (role) => {
        const { id } = await site.person(role);
        const who = () => site.logIn(id);
        await site.grantOnly(role, []);
        expect(await surprises(part(asked, ONE_AT_A_TIME.indexOf(role)), 'user', who, () => false)).toEqual([]);
        for (const granted of alone) {
          await site.grantOnly(role, [granted]);
          const some = askedWith(granted, role);
          expect(await surprises(some, 'user', who, (action) => action === granted)).toEqual([]);
        }
        await site.grantOnly(role, []);
      },
    );

    it('lets a token do what it is granted and nothing else, one action at a time', async () => {
      const none = await site.token('custom');
      expect(
        await surprises(
          part(asked, 1),
          'token',
          async () => none,
          () => false,
        ),
      ).toEqual([]);
      for (const granted of alone) {
        const who = await site.token('custom', [granted]);
        expect(
          await surprises(
            askedWith(granted, 'token'),
            'token',
            async () => who,
            (action) => action === granted,
          ),
        ).toEqual([]);
      }
      const all = await site.token('custom', actions);
      expect(
        await surprises(
          part(asked, 2),
          'token',
          async () => all,
          () => true,
        ),
      ).toEqual([]);
    });

    it.each([
      ['a token that was never made', 'Bearer '.concat('0'.repeat(256))],
      ['a JWT that nobody signed', 'Bearer e30.e30.e30'],
      ['more than one word after the scheme', 'Bearer a b'],
    ])('takes %s for no right, whatever the public is granted', async (_name, authorization) => {
      await site.grantOnly('public', actions);
      expect(
        await surprises(
          part(asked, 3),
          'public',
          async () => ({ authorization }),
          () => false,
          401,
        ),
      ).toEqual([]);
      await site.grantOnly('public', []);
    });
  });
});

describeOnEveryDatabase('A grant', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let one: Guarded;
  let other: Guarded;
  const LIST = `${TOPIC}.find`;

  beforeAll(async () => {
    one = await guarded.open(NEWS);
    other = await guarded.open(NEWS, { database: one.database });
    await one.grantOnly('public', reads(ARTICLE));
    await one.sheaf.documents(ARTICLE).create({ data: { title: 'One' }, status: 'published' });
    // Both have answered, so that whatever they keep is kept.
    for (const site of [one, other]) expect((await site.get('articles')).status).toBe(200);
  });

  const statusOf = async (site: Guarded, url: string, who: Who = NOBODY): Promise<number> =>
    (await site.get(url, who)).status;

  it('is there on the next request, and gone on the next once it is revoked', async () => {
    for (let turn = 0; turn < 20; turn++) {
      await one.auth.roles.grant('public', [LIST]);
      expect((await one.get('topics')).status).toBe(200);
      await one.auth.roles.revoke('public', [LIST]);
      const { status, body } = await one.get('topics');
      expect([status, body]).toEqual([403, FORBIDDEN]);
    }
  });

  it('opens and closes names as well, though the same request was prepared before', async () => {
    const url = 'articles?populate=topics&filters[topics][name][$null]=true&sort=topics.weight';
    for (let turn = 0; turn < 5; turn++)
      for (const site of [one, other]) {
        expect((await site.get(url)).status).toBe(400);
        expect((await site.get('articles?populate=*')).body.meta.omitted).toContain('topics');
        await one.auth.roles.grant('public', [LIST]);
        expect((await site.get(url)).status).toBe(200);
        expect((await site.get('articles?populate=*')).body.meta.omitted).not.toContain('topics');
        await one.auth.roles.revoke('public', [LIST]);
      }
  });

  it('acts on another node on the next request', async () => {
    for (let turn = 0; turn < 20; turn++) {
      await one.auth.roles.grant('public', [LIST]);
      expect(await statusOf(other, 'topics')).toBe(200);
      await one.auth.roles.revoke('public', [LIST]);
      expect(await statusOf(other, 'topics')).toBe(403);
    }
  });

  it('acts when another program writes it into the tables', async () => {
    await one.execute(`insert into up_permissions (document_id, action) values ('by-hand', '${LIST}')`);
    await one.execute(
      `insert into up_permissions_role_lnk (permission_id, role_id) select p.id, r.id from up_permissions as p, up_roles as r where p.document_id = 'by-hand' and r.type = 'public'`,
    );
    for (const site of [other, one]) expect(await statusOf(site, 'topics')).toBe(200);
    await one.execute(`delete from up_permissions where document_id = 'by-hand'`);
    for (const site of [other, one]) expect(await statusOf(site, 'topics')).toBe(403);
  });

  it('goes with the role of a user, who gets another on the next request', async () => {
    await one.auth.roles.create('Curator');
    await one.auth.roles.grant('curator', [LIST]);
    const { id, who } = await one.person('authenticated');
    expect(await statusOf(other, 'topics', who)).toBe(403);
    // The second node knows the role by now, so that only the user changes.
    const curator = await one.person('curator');
    expect(await statusOf(other, 'topics', curator.who)).toBe(200);
    const move = (type: string) =>
      one.execute(
        `update up_users_role_lnk set role_id = (select id from up_roles where type = '${type}') where user_id = ${id}`,
      );
    for (let turn = 0; turn < 3; turn++) {
      await move('curator');
      for (const site of [one, other]) expect((await site.get('topics', who)).status).toBe(200);
      await move('authenticated');
      for (const site of [one, other]) expect((await site.get('topics', who)).status).toBe(403);
    }
    await one.execute(`update up_users set blocked = true where id = ${id}`);
    for (const site of [one, other]) expect((await site.get('topics', who)).status).toBe(401);
  });

  it('goes with a token, which is of no use to anyone once it is taken back', async () => {
    const who = await one.token('custom', [LIST]);
    for (const site of [one, other]) expect((await site.get('topics', who)).status).toBe(200);
    expect(await one.auth.tokens.revoke('test')).toBeGreaterThan(0);
    for (const site of [other, one]) expect((await site.get('topics', who)).status).toBe(401);
  });

  it('is nothing that a role has which is there no more', async () => {
    await one.auth.roles.create('Passing');
    await one.auth.roles.grant('passing', [LIST]);
    const { who } = await one.person('passing');
    expect((await one.get('topics', who)).status).toBe(200);
    await one.execute(`delete from up_roles where type = 'passing'`);
    expect(await statusOf(one, 'topics', who)).toBe(401);
    expect(await statusOf(other, 'topics', who)).toBe(401);
  });

  it('is nothing that the public has where there is no such role: everyone is asked who they are', async () => {
    const site = await guarded.open(NEWS);
    await site.grantOnly('public', reads(ARTICLE));
    const full = await site.token('full-access');
    expect((await site.get('articles')).status).toBe(200);
    await site.execute(`delete from up_roles where type = 'public'`);
    expect(await statusOf(site, 'articles')).toBe(401);
    await expect(site.sheaf.authenticate({})).rejects.toMatchObject({ status: 401 });
    expect((await site.get('articles', full)).status).toBe(200);
  });
});

describeOnEveryDatabase('The answer to a write', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  beforeAll(async () => {
    site = await guarded.open(NEWS);
    for (const name of ['Changer', 'Maker', 'Finder', 'Remover']) await site.auth.roles.create(name);
    await site.grantOnly('changer', [
      `${TOPIC}.create`,
      `${TOPIC}.update`,
      `${ARTICLE}.update`,
      `${FRONT}.update`,
      `${USER}.update`,
    ]);
    await site.grantOnly('maker', [`${TOPIC}.create`, `${ARTICLE}.create`, `${USER}.create`]);
    await site.grantOnly('finder', [`${TOPIC}.find`, `${TOPIC}.update`, `${ARTICLE}.findOne`, `${ARTICLE}.update`]);
    await site.grantOnly('remover', [`${TOPIC}.delete`, `${USER}.destroy`]);
    await site.sheaf.documents(FRONT).create({ data: { title: 'secret' }, status: 'published' });
  });
  const made = (uid: string, data: Json) =>
    site.sheaf.documents(uid).create({ data, ...(uid === ARTICLE && { status: 'published' as const }) });

  it('tells who may change but not read no more than which entry it was', async () => {
    const { who } = await site.person('changer');
    const topic = await made(TOPIC, { name: 'kept back', weight: 7 });
    const article = await made(ARTICLE, { title: 'kept back', hint: 'secret' });
    for (const query of ['', '?fields=name', '?fields=*', '?populate=*', '?populate=localizations']) {
      // What is in a new entry they know; the answer to an update must not be made like the one before.
      if (query === '') expect((await site.post('topics', { name: 'known' }, who)).body.data.name).toBe('known');
      const ofTopic = await site.put(`topics/${topic.documentId}${query}`, { weight: 8 }, who);
      if (query === '?populate=localizations') expect(ofTopic.status).toBe(400);
      else {
        expect(ofTopic.status, JSON.stringify(ofTopic.body)).toBe(200);
        expect(ofTopic.body.data, query).toEqual({ id: topic.id, documentId: topic.documentId });
      }
    }
    for (const query of ['', '?status=draft', '?populate=*', '?fields=title']) {
      const { status, body } = await site.put(`articles/${article.documentId}${query}`, { rank: 1 }, who);
      expect([status, Object.keys(body.data ?? {})], query).toEqual([200, ['id', 'documentId']]);
      expect(body.data.documentId).toBe(article.documentId);
    }
    const front = await site.put('front?populate=*', {}, who);
    expect([front.status, Object.keys(front.body.data)]).toEqual([200, ['id', 'documentId']]);
    const account = await site.person('authenticated');
    const user = await site.send('PUT', `users/${account.id}`, { confirmed: true }, who);
    expect([user.status, user.body]).toEqual([200, { id: account.id, documentId: account.documentId }]);
    expect(await site.sheaf.documents(TOPIC).findOne({ documentId: topic.documentId })).toMatchObject({ weight: 8 });
  });

  it('shows who may make entries what was made, and around it what they may find', async () => {
    const { who } = await site.person('maker');
    const topic = await site.post('topics', { name: 'New', weight: 1 }, who);
    expect(topic.status).toBe(201);
    expect(topic.body.data).toMatchObject({ name: 'New', weight: 1 });
    const article = await site.post('articles?populate=*', { title: 'New', seal: { label: 'x' } }, who);
    expect(article.status).toBe(201);
    expect(article.body.data).toMatchObject({ title: 'New', seal: { label: 'x' } });
    expect(article.body.data).not.toHaveProperty('topics');
    expect(article.body.meta.omitted).toEqual(['author', 'related', 'topics', 'vault']);
    for (const name of ['topics', 'author', 'vault'])
      expect((await site.post(`articles?populate=${name}`, { title: 'No' }, who)).body.error.message).toBe(
        `Invalid key ${name}`,
      );
    expect(await site.sheaf.documents(ARTICLE).count({ filters: { title: 'No' } })).toBe(0);
    const person = { username: 'made-here', email: 'made-here@news.example', password: 'a-long-phrase' };
    const user = await site.send('POST', 'users', person, who);
    expect([user.status, user.body.username]).toEqual([201, 'made-here']);
    expect(JSON.stringify(user.body)).not.toMatch(/password|\$2[aby]\$|Token/);
  });

  it('shows who may find or findOne the entry as it is now', async () => {
    const { who } = await site.person('finder');
    const topic = await made(TOPIC, { name: 'seen', weight: 7 });
    const article = await made(ARTICLE, { title: 'seen' });
    expect((await site.put(`topics/${topic.documentId}`, { weight: 8 }, who)).body.data).toMatchObject({
      name: 'seen',
      weight: 8,
    });
    expect((await site.put(`articles/${article.documentId}`, { rank: 8 }, who)).body.data).toMatchObject({
      title: 'seen',
      rank: 8,
    });
  });

  it('tells who may delete but not read nothing of what is gone', async () => {
    const { who } = await site.person('remover');
    const topic = await made(TOPIC, { name: 'going' });
    const { status, body } = await site.delete(`topics/${topic.documentId}`, who);
    expect([status, body]).toEqual([204, null]);
    const account = await site.person('authenticated');
    const user = await site.delete(`users/${account.id}`, who);
    expect([user.status, user.body]).toEqual([200, { id: account.id, documentId: account.documentId }]);
    expect(await site.number(`select count(*) from up_users where id = ${account.id}`)).toBe(0);
  });
});

describeOnEveryDatabase('sheaf explain in the eyes of a role', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  beforeAll(async () => {
    site = await guarded.open(NEWS, {
      rules: {
        public: {
          [TOPIC]: { rows: { find: { $or: [{ open: true }, { articles: { note: '$user.username' } }] } } },
          [WRITER]: { fields: { read: ['name'] } },
        },
      },
    });
    const users = ['find', 'me'].map((name) => `plugin::users-permissions.user.${name}`);
    await site.grantOnly('public', [...reads(TOPIC, ARTICLE, WRITER), ...users]);
    await site.auth.grants.refresh();
  });

  /** The statements of a request, in the eyes of the public or of one who may do everything. */
  async function statements(target: string, asPublic: boolean): Promise<string> {
    const role = asPublic ? 'public' : null;
    const explained = await explainRequest(site.sheaf, target, role);
    return [...explained.matchAll(/^SQL: .*\n(.*)$/gm)].map(([, sql]) => sql).join('\n');
  }

  it.each([
    '/api/topics',
    '/api/topics?filters[name]=x&sort=name',
    `/api/topics/${NO_DOCUMENT}`,
    '/api/articles?populate=topics',
    '/api/articles?filters[topics][name]=x',
    '/api/articles?sort=topics.name',
    '/api/articles?populate[topics][count]=true',
  ])('shows the rule in the SQL of %s', async (target) => {
    const ruled = await statements(target, true);
    expect(ruled).toContain('"open"');
    // A private attribute, which no answer shows.
    expect(ruled).toContain('"note"');
    expect(await statements(target, false)).not.toContain('"note"');
  });

  it('shows what the role may read, and refuses what it may not', async () => {
    const ruled = await statements('/api/writers', true);
    expect(ruled).toContain('"name"');
    expect(ruled).not.toContain('"email"');
    expect(await statements('/api/writers', false)).toContain('"email"');
    const refusals = ['/api/writers?filters[email]=x', '/api/articles?populate=vault', '/api/fronts', '/api/vaults'];
    for (const target of refusals) expect(await failureOf(() => statements(target, true)), target).not.toBeNull();
  });

  it.each(['/api/users', '/api/users/me'])('leaves out the role of users where responses of %s do', async (path) => {
    const users = await statements(path, true);
    expect(users).toContain('"up_users"');
    expect(users).not.toContain('"up_roles"');
    expect(await statements(`${path}?populate=role`, true)).toBe(users);
    const shown = await explainRequest(site.sheaf, `${path}?populate=role`);
    expect(shown).toContain('"up_roles"');
  });
});

describeOnEveryDatabase('Accounts of the console', (engine) => {
  const contents = useContents(engine);
  const toAccount = { type: 'relation', relation: 'oneToOne', target: 'admin::user' };
  const PROJECT_WITH_ACCOUNTS: Project = {
    types: {
      memo: {
        options: { populateCreatorFields: true },
        attributes: {
          title: { type: 'string' },
          keeper: toAccount,
          any: { type: 'relation', relation: 'morphToMany' },
          seal: { type: 'component', component: 'kit.seal' },
        },
      },
      note: { attributes: { title: { type: 'string' }, one: { type: 'relation', relation: 'morphToOne' } } },
    },
    components: { 'kit.seal': { label: { type: 'string' }, keeper: toAccount } },
  };

  it('show as creators where a type says so, and by no relation of a project', async () => {
    const site = await contents.open(PROJECT_WITH_ACCOUNTS);
    await site.execute(
      `insert into admin_users (id, document_id, firstname, lastname, email) values (7, 'abcdefghijklmnopqrstuvwx', 'Root', 'Person', 'root@kit.example')`,
    );
    const memo = await site.entry('POST', 'memos', { title: 'memo', seal: { label: 'x' } });
    const note = await site.entry('POST', 'notes', { title: 'note' });
    const seal = await site.number('select id from components_kit_seals');
    await site.execute(`update memos set created_by_id = 7`);
    await site.execute(`insert into memos_keeper_lnk (memo_id, user_id) values (${memo.id}, 7)`);
    await site.execute(`insert into components_kit_seals_keeper_lnk (seal_id, user_id) values (${seal}, 7)`);
    await site.execute(
      `insert into memos_any_mph (memo_id, any_id, any_type, "order") values (${memo.id}, 7, 'admin::user', 1)`,
    );
    await site.execute(`update notes set target_id = 7, target_type = 'admin::user' where id = ${note.id}`);
    const { body: creators } = await site.get('memos?populate=createdBy&filters[createdBy][firstname]=Root');
    expect(creators.data[0].createdBy).toMatchObject({ firstname: 'Root' });
    expect(JSON.stringify(creators)).not.toContain('root@');
    for (const url of [
      'memos?populate=keeper',
      'memos?filters[keeper][firstname]=Root',
      'memos?filters[keeper][id]=7',
      'memos?sort=keeper.firstname',
      'memos?populate[seal][populate]=keeper',
      'memos?filters[seal][keeper][firstname]=Root',
      'memos?populate[any][on][admin::user]=true',
      'memos/aggregate?group=keeper.firstname',
      `memos/${memo.documentId}/keeper`,
    ])
      expect((await site.get(url)).status, url).toBeGreaterThanOrEqual(400);
    for (const url of ['memos?populate[seal][populate]=*&populate[any]=true', 'notes?populate=one', 'notes?populate=*'])
      expect(JSON.stringify((await site.get(url)).body), url).not.toContain('Root');
    const { body } = await site.get('memos?populate=*');
    expect(body.data[0]).toMatchObject({ createdBy: { firstname: 'Root' }, any: [] });
    expect(body.data[0]).not.toHaveProperty('keeper');
    for (const data of [{ keeper: 7 }, { seal: { keeper: { id: 7 } } }, { any: [{ __type: 'admin::user', id: 7 }] }])
      expect((await site.put(`memos/${memo.documentId}`, data)).status, JSON.stringify(data)).toBe(400);
    expect((await site.put(`notes/${note.documentId}`, { one: { __type: 'admin::user', id: 7 } })).status).toBe(400);
  });
});
