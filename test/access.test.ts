// Who may do what, seen from outside: every route for every kind of caller, names that must not tell what they are,
// grants that act at once, rules on rows and on attributes, what answers to writes show, rule files that are wrong, and
// one test for each class of published advisory about content servers of this kind.
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownActions } from '../src/access/actions.ts';
import { readRules } from '../src/access/rules.ts';
import { openAuth } from '../src/accounts/auth.ts';
import type { Sheaf } from '../src/app.ts';
import { explainRequest } from '../src/cli/explain.ts';
import { CONSOLE_PATH } from '../src/console/contract.ts';
import { SetupError } from '../src/errors.ts';
import { routeTable } from '../src/http/route-table.ts';
import { createServer } from '../src/http/server.ts';
import { loadModel } from '../src/model/build.ts';
import { LOCALE, ROLE, USER } from '../src/model/builtin.ts';
import type { Attribute } from '../src/model/types.ts';
import {
  type Answer,
  type Answered,
  GUIDE_PROJECT,
  type Json,
  localized,
  type Project,
  relation,
  useContents,
} from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, NOBODY, type Rules, useGuarded, type Who, writeAccessFile } from './support/guarded.ts';
import { SCALE } from './support/scale.ts';

const ARTICLE = 'api::article.article';
const WRITER = 'api::writer.writer';
const TOPIC = 'api::topic.topic';
const VAULT = 'api::vault.vault';
const FRONT = 'api::front.front';

const text = { type: 'string' };
const integer = { type: 'integer' };

/** Every kind of type, with attributes and relations that some may use and others may not. */
const NEWS: Project = {
  locales: ['en', 'fr'],
  types: {
    article: {
      drafts: true,
      localized: true,
      attributes: {
        title: { ...text, required: true, ...localized },
        rank: { ...integer, ...localized },
        state: { ...text, ...localized },
        hint: text,
        note: { ...text, private: true },
        pin: { type: 'password' },
        author: relation('manyToOne', 'writer', { inversedBy: 'articles' }),
        topics: relation('manyToMany', 'topic', { inversedBy: 'articles' }),
        related: relation('manyToMany', 'article'),
        vault: relation('manyToOne', 'vault', { inversedBy: 'articles' }),
        seal: { type: 'component', component: 'kit.seal' },
        parts: { type: 'dynamiczone', components: ['kit.seal', 'kit.pick'] },
      },
    },
    writer: {
      attributes: {
        name: text,
        email: { type: 'email' },
        age: integer,
        hush: { ...text, private: true },
        pin: { type: 'password' },
        account: { type: 'relation', relation: 'oneToOne', target: USER },
        articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
        mentor: relation('manyToOne', 'writer', { inversedBy: 'pupils' }),
        pupils: relation('oneToMany', 'writer', { mappedBy: 'mentor' }),
        vault: relation('oneToOne', 'vault'),
      },
    },
    topic: {
      attributes: {
        name: text,
        open: { type: 'boolean' },
        weight: integer,
        articles: relation('manyToMany', 'article', { mappedBy: 'topics' }),
      },
    },
    vault: {
      options: { populateCreatorFields: true },
      attributes: { code: text, articles: relation('oneToMany', 'article', { mappedBy: 'vault' }) },
    },
    front: {
      single: true,
      drafts: true,
      attributes: { title: text, lead: relation('oneToOne', 'article'), picks: relation('oneToMany', 'topic') },
    },
  },
  components: {
    'kit.seal': {
      label: text,
      note: { ...text, private: true },
      topic: relation('oneToOne', 'topic'),
      vault: relation('oneToOne', 'vault'),
    },
    'kit.pick': {
      caption: text,
      topics: relation('oneToMany', 'topic'),
      topic: relation('oneToOne', 'vault'),
    },
  },
};

/** One type of every kind that has paths of its own. */
const SMALL: Project = {
  locales: ['en', 'fr'],
  types: {
    article: {
      drafts: true,
      localized: true,
      attributes: { title: { ...text, required: true, ...localized }, topics: relation('manyToMany', 'topic') },
    },
    topic: { attributes: { name: text } },
    front: { single: true, attributes: { title: text } },
  },
};

const CONTENT = [ARTICLE, WRITER, TOPIC, FRONT];
const reads = (...uids: string[]): string[] => uids.flatMap((uid) => [`${uid}.find`, `${uid}.findOne`]);
/** A type that has one entry has no findOne. */
const readsOf = (...uids: string[]): string[] => uids.flatMap((uid) => (uid === FRONT ? [`${uid}.find`] : reads(uid)));

const envelope = (status: number, name: string, message: string) => ({
  data: null,
  error: { status, name, message, details: {} },
});
const FORBIDDEN = envelope(403, 'ForbiddenError', 'Forbidden');
const MISSING = envelope(404, 'NotFoundError', 'Not Found');

const namesOf = (answer: Answer): unknown[] => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data.map((entry: Json) => entry.name ?? entry.title);
};

const failureOf = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return null;
};

// ------------------------------------------------------------------------------------------------- routes and roles

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

  /** `granted`: the caller has the right, so that the request may leave its traces. */
  async send(route: Route, who: Who, granted: boolean): Promise<{ status: number; body: string }> {
    const { method, url, action } = route;
    const uid = action?.slice(0, action.lastIndexOf('.')) ?? '';
    const type = this.#site.sheaf.model.contentTypes.get(uid);
    let target = url;
    const isSpent = granted && (method === 'DELETE' || isAction(url));
    if (url.includes(':documentId'))
      target = url.replace(':documentId', isSpent ? await this.#make(uid) : await this.#specimen(uid));
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
          asked,
          'public',
          async () => NOBODY,
          (action) => CLOSED.public.includes(action),
        )),
        ...(await surprises(
          asked,
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
      for (const { method, url, action } of asked.routes) {
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
          asked,
          'token',
          async () => full,
          () => true,
        ),
      ).toEqual([]);
      const isRead = (action: string) => /\.(find|findOne)$/.test(action);
      expect(await surprises(asked, 'token', async () => reader, isRead)).toEqual([]);
    });

    it('is open to whoever is granted everything', async () => {
      const all = [...knownActions(site.sheaf.model)];
      const { id } = await site.person('authenticated');
      await site.grantOnly('authenticated', all);
      expect(
        await surprises(
          asked,
          'user',
          () => site.logIn(id),
          () => true,
        ),
      ).toEqual([]);
      await site.grantOnly('public', all);
      expect(
        await surprises(
          asked,
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
      const each = engine.name === 'SQLite' ? 1 : Math.max(1, 4 - SCALE);
      actions = [...knownActions(site.sheaf.model)];
      alone = actions.filter((_action, index) => index % each === 0);
      await site.auth.roles.create('Editor');
    });

    it('asks everyone who they are where the public is granted nothing', async () => {
      await site.grantOnly('public', []);
      expect(
        await surprises(
          asked,
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
            asked,
            'public',
            async () => NOBODY,
            (action) => action === granted,
          ),
        ).toEqual([]);
      }
      await site.grantOnly('public', []);
    });

    it.each(['authenticated', 'editor'])(
      'lets a user of the role %s do what it is granted and nothing else, one action at a time',
      async (role) => {
        const { id } = await site.person(role);
        const who = () => site.logIn(id);
        await site.grantOnly(role, []);
        expect(await surprises(asked, 'user', who, () => false)).toEqual([]);
        for (const granted of alone) {
          await site.grantOnly(role, [granted]);
          expect(await surprises(asked, 'user', who, (action) => action === granted)).toEqual([]);
        }
        await site.grantOnly(role, []);
      },
    );

    it('lets a token do what it is granted and nothing else, one action at a time', async () => {
      const none = await site.token('custom');
      expect(
        await surprises(
          asked,
          'token',
          async () => none,
          () => false,
        ),
      ).toEqual([]);
      for (const granted of alone) {
        const who = await site.token('custom', [granted]);
        expect(
          await surprises(
            asked,
            'token',
            async () => who,
            (action) => action === granted,
          ),
        ).toEqual([]);
      }
      const all = await site.token('custom', actions);
      expect(
        await surprises(
          asked,
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
          asked,
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

// ------------------------------------------------------------------------------------------- names that tell nothing

/** Places of a read of articles where a name of an article stands. */
const NAME_PLACES: readonly ((name: string) => string)[] = [
  (name) => `filters[${name}]=1`,
  (name) => `filters[${name}][$eq]=1`,
  (name) => `filters[${name}][$null]=true`,
  (name) => `filters[${name}][$between][0]=1&filters[${name}][$between][1]=2`,
  (name) => `filters[${name}][code]=x`,
  (name) => `filters[${name}][articles][title][$contains]=x`,
  (name) => `filters[$or][0][${name}]=1`,
  (name) => `filters[$or][0][title]=x&filters[$or][1][${name}]=1`,
  (name) => `filters[$not][${name}][$contains]=x`,
  (name) => `filters[related][${name}]=1`,
  (name) => `filters[author][articles][${name}][$startsWith]=x`,
  (name) => `filters[topics][articles][related][${name}][$ne]=x`,
  (name) => `filters[localizations][${name}]=1`,
  (name) => `sort=${name}`,
  (name) => `sort=${name}:desc`,
  (name) => `sort=title,${name}`,
  (name) => `sort[0][${name}]=asc`,
  (name) => `sort=${name}.code`,
  (name) => `sort=related.${name}`,
  (name) => `sort[0][author][articles][${name}]=desc`,
  (name) => `fields=${name}`,
  (name) => `fields=title,${name}`,
  (name) => `fields[0]=*&fields[1]=${name}`,
  (name) => `populate=${name}`,
  (name) => `populate[0]=topics&populate[1]=${name}`,
  (name) => `populate[${name}]=true`,
  (name) => `populate[${name}]=false`,
  (name) => `populate[${name}][count]=true`,
  (name) => `populate[${name}][fields]=code`,
  (name) => `populate[${name}][filters][code]=x`,
  (name) => `populate[${name}][populate]=*`,
  (name) => `populate=related.${name}`,
  (name) => `populate=author.articles.${name}`,
  (name) => `populate[related][populate]=${name}`,
  (name) => `populate[related][populate][${name}][sort]=code`,
  (name) => `populate[related][fields]=${name}`,
  (name) => `populate[related][sort]=${name}`,
  (name) => `populate[related][filters][${name}]=1`,
  (name) => `populate[related][count]=true&populate[related][filters][${name}][$null]=true`,
  (name) => `populate[topics][populate][articles][filters][${name}]=1`,
  (name) => `populate[localizations][fields]=${name}`,
];

/** The same for a name of the component. */
const COMPONENT_PLACES: readonly ((name: string) => string)[] = [
  (name) => `filters[seal][${name}]=1`,
  (name) => `filters[seal][${name}][code]=1`,
  (name) => `filters[related][seal][${name}][$null]=true`,
  (name) => `sort=seal.${name}`,
  (name) => `sort=seal.${name}.code`,
  (name) => `populate[seal][fields]=${name}`,
  (name) => `populate[seal][populate]=${name}`,
  (name) => `populate=seal.${name}`,
  (name) => `populate[seal][populate][${name}][fields]=code`,
  (name) => `populate=parts.${name}`,
  (name) => `populate[parts][on][kit.seal][fields]=${name}`,
  (name) => `populate[parts][on][kit.seal][populate]=${name}`,
  (name) => `populate[parts][on][kit.seal][filters][${name}]=1`,
];

const USER_PLACES: readonly ((name: string) => string)[] = [
  (name) => `users?filters[${name}]=1`,
  (name) => `users?filters[${name}][name][$contains]=a`,
  (name) => `users?sort=${name}`,
  (name) => `users?sort=${name}.name`,
  (name) => `users?fields=${name}`,
  (name) => `users?populate=${name}`,
  (name) => `users/me?populate=${name}`,
  (name) => `users/me?fields=${name}`,
  (name) => `users/count?filters[${name}][$null]=true`,
];

describeOnEveryDatabase('A name that the caller may not use', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let reader: Who;
  let token: Who;
  let articleId: string;

  const ALL_BUT_HINT = ['title', 'rank', 'state', 'author', 'topics', 'related', 'vault', 'seal', 'parts'];
  beforeAll(async () => {
    site = await guarded.open(NEWS, {
      rules: {
        authenticated: {
          [ARTICLE]: { fields: { read: [...ALL_BUT_HINT, 'localizations', 'note', 'pin'], write: ['title', 'seal'] } },
        },
        public: { [ARTICLE]: { fields: { read: [...ALL_BUT_HINT, 'localizations'] } } },
      },
    });
    const grants = [...reads(ARTICLE, WRITER, TOPIC), `${ARTICLE}.create`, `${ARTICLE}.update`];
    await site.grantOnly('public', grants);
    await site.grantOnly('authenticated', [...grants, ...reads(USER), `${USER}.count`, `${USER}.me`]);
    reader = (await site.person('authenticated')).who;
    token = await site.token('custom', grants);
    articleId = (
      await site.sheaf.documents(ARTICLE).create({ data: { title: 'One', hint: 'kept' }, status: 'published' })
    ).documentId;
  });

  /** What is answered, with the name left out. */
  async function answerTo(url: string, name: string, who: Who): Promise<string> {
    const { status, body } = await site.get(url, who);
    expect(status, url).toBe(400);
    return JSON.stringify(body).replaceAll(name, 'NAME');
  }

  async function expectAlike(
    urls: readonly ((name: string) => string)[],
    names: readonly string[],
    who: Who,
  ): Promise<void> {
    const different: string[] = [];
    for (const url of urls) {
      const unknown = await answerTo(url('nope'), 'nope', who);
      for (const name of names) {
        const { status, body } = await site.get(url(name), who);
        if (status !== 400 || JSON.stringify(body).replaceAll(name, 'NAME') !== unknown)
          different.push(`${url(name)}: ${status} ${JSON.stringify(body)}`);
      }
    }
    expect(different).toEqual([]);
  }

  const ofArticles = (place: (name: string) => string) => (name: string) => `articles?${place(name)}`;
  const ofOne = (place: (name: string) => string) => (name: string) => `articles/${articleId}?${place(name)}`;
  /** Private, a password, kept back by a rule, behind a relation to what may not be found, never served. */
  const REFUSED = ['note', 'pin', 'hint', 'vault', 'createdBy', 'updatedBy', 'hint_id', 'created_by_id', '__proto_'];

  it('is refused like one that does not exist, in every place of a read, to a user under rules', async () => {
    await expectAlike(NAME_PLACES.map(ofArticles), REFUSED, reader);
    await expectAlike(NAME_PLACES.map(ofOne), REFUSED, reader);
    await expectAlike(COMPONENT_PLACES.map(ofArticles), ['note', 'vault'], reader);
  });

  it('is refused like one that does not exist to the public and to a token', async () => {
    await expectAlike(NAME_PLACES.map(ofArticles), REFUSED, NOBODY);
    await expectAlike(COMPONENT_PLACES.map(ofArticles), ['note', 'vault'], NOBODY);
    const keptFromTokens = REFUSED.filter((name) => name !== 'hint');
    await expectAlike(NAME_PLACES.map(ofArticles), keptFromTokens, token);
    await expectAlike(COMPONENT_PLACES.map(ofArticles), ['note', 'vault'], token);
  });

  it('is refused like one that does not exist where people are read', async () => {
    const names = ['role', 'password', 'resetPasswordToken', 'confirmationToken', 'createdBy'];
    await expectAlike(USER_PLACES, names, reader);
  });

  it('stops a fragment of a type as an unknown type does', async () => {
    await expectAlike(
      [
        (name) => `articles?populate[parts][on][${name}]=true`,
        (name) => `articles?populate[related][on][${name}]=true`,
      ],
      ['kit.none', VAULT, WRITER],
      reader,
    );
  });

  it('is refused like one that does not exist in the body of a write, and nothing is stored', async () => {
    const names = ['note', 'pin', 'hint', 'vault', 'rank', 'author', 'related', 'parts', 'id', 'documentId'];
    names.push('createdBy', 'createdAt', 'updatedAt', 'localizations');
    const before = JSON.stringify(await site.rows('select * from articles order by id'));
    const values = [null, 1, 'x', true, [], {}, { connect: [] }, { connect: ['x'] }, [{ documentId: 'x' }]];
    const different: string[] = [];
    for (const value of values)
      for (const send of [
        (data: Json) => site.post('articles', data, reader),
        (data: Json) => site.put(`articles/${articleId}`, data, reader),
      ]) {
        const unknown = await send({ title: 'Two', nope: value });
        expect(unknown.status).toBe(400);
        for (const name of names) {
          const { status, body } = await send({ title: 'Two', [name]: value });
          const expected = JSON.stringify(unknown.body).replaceAll('nope', name);
          if (status !== 400 || JSON.stringify(body) !== expected) different.push(`${name}: ${JSON.stringify(body)}`);
        }
      }
    expect(different).toEqual([]);
    expect(JSON.stringify(await site.rows('select * from articles order by id'))).toBe(before);
  });

  it('is refused like one that does not exist inside the component of a body', async () => {
    const send = (name: string) => site.post('articles', { title: 'Two', seal: { [name]: null } }, reader);
    const unknown = await send('nope');
    expect(unknown.status).toBe(400);
    expect(JSON.stringify((await send('vault')).body)).toBe(JSON.stringify(unknown.body).replaceAll('nope', 'vault'));
  });

  it('is left out where every relation is asked for, and said to be', async () => {
    const { body } = await site.get('articles?populate=*', reader);
    expect(body.meta.omitted).toEqual(['vault']);
    expect(Object.keys(body.data[0])).toEqual(
      expect.arrayContaining(['author', 'topics', 'related', 'seal', 'parts', 'localizations']),
    );
    expect(body.data[0]).not.toHaveProperty('vault');
    const nested = await site.get('articles?populate[related][populate]=*&populate[seal][populate]=*', reader);
    expect(nested.body.meta.omitted).toEqual(['related.vault', 'seal.vault']);
    const one = await site.get(`articles/${articleId}?populate=*`, reader);
    expect(one.body.meta).toEqual({ omitted: ['vault'] });
    // What a rule keeps back is nothing that the caller knows of.
    const people = await site.get('users?populate=*', reader);
    expect(people.body.meta.omitted).toBeUndefined();
    const writers = await site.get('writers?populate=*', NOBODY);
    expect(writers.body.meta.omitted).toEqual(['account', 'vault']);
  });

  it('does not stop a path through a zone where another component has it for what may be found', async () => {
    const { documentId: topic } = await site.sheaf.documents(TOPIC).create({ data: { name: 'Seen' } });
    const { documentId: vault } = await site.sheaf.documents(VAULT).create({ data: { code: 'kept back' } });
    const parts = [
      { __component: 'kit.seal', topic },
      { __component: 'kit.pick', topic: vault },
    ];
    const { documentId } = await site.sheaf
      .documents(ARTICLE)
      .create({ data: { title: 'Parts', parts }, status: 'published' });
    const { status, body } = await site.get(`articles/${documentId}?populate=parts.topic`, reader);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data.parts[0].topic.name).toBe('Seen');
    expect(body.data.parts[1]).not.toHaveProperty('topic');
    await site.sheaf.documents(ARTICLE).delete({ documentId });
  });

  it('is left out of the answer to a write too, and said to be', async () => {
    const { status, body } = await site.put(`articles/${articleId}?populate=*`, { title: 'One' }, reader);
    expect(status).toBe(200);
    expect(body.data).not.toHaveProperty('vault');
    expect(body.meta).toEqual({ omitted: ['vault'] });
  });
});

// ----------------------------------------------------------------------------------------------- grants act at once

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

// ------------------------------------------------------------------------------------------------------ rules on rows

const everyAction = (uid: string): string[] =>
  (uid === FRONT ? ['find', 'update', 'delete'] : ['find', 'findOne', 'create', 'update', 'delete']).map(
    (verb) => `${uid}.${verb}`,
  );

/** A document that no database has. */
const NO_DOCUMENT = 'a'.repeat(24);
const NO_ROW = 987_654_321;

describeOnEveryDatabase('A rule on rows', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let base: Guarded;
  const topics: Record<string, Answered> = {};
  const articles: Record<string, Answered> = {};
  const writers: Record<string, Answered> = {};

  const create = async (uid: string, data: Json, published = true): Promise<Answered> => {
    const status = published && uid === ARTICLE ? { status: 'published' as const } : {};
    return base.sheaf.documents(uid).create({ data, ...status });
  };

  beforeAll(async () => {
    base = await guarded.open(NEWS);
    const all = CONTENT.flatMap(everyAction);
    await base.grantOnly('public', all);
    await base.grantOnly('authenticated', [...all, `${USER}.find`, `${USER}.findOne`, `${USER}.count`]);
    for (const [name, open, weight] of [
      ['Alpha', true, 3],
      ['Beta', false, 1],
      ['Gamma', true, 2],
      ['Delta', false, 90_017],
    ] as const)
      topics[name] = await create(TOPIC, { name, open, weight });
    for (const [name, age, mentor] of [
      ['Ann', 30, null],
      ['Bob', 20, 'Ann'],
      ['Cyd', 40, 'Bob'],
    ] as const)
      writers[name] = await create(WRITER, {
        name,
        age,
        ...(mentor && { mentor: writers[mentor].documentId }),
      });
    const article = async (title: string, of: readonly string[], author: string) => {
      const links = { topics: of.map((name) => topics[name].documentId), author: writers[author].documentId };
      articles[title] = await create(ARTICLE, { title, state: 'open', ...links });
    };
    await article('A1', ['Alpha', 'Beta'], 'Ann');
    await article('A2', ['Beta'], 'Bob');
    await article('A3', ['Delta', 'Gamma'], 'Ann');
    await article('A4', [], 'Cyd');
  });

  /** The same database under rules of its own. */
  const under = (rules: Rules): Promise<Guarded> => guarded.open(NEWS, { rules, database: base.database });

  const stored = async (uid: string, documentId: string): Promise<Answered> =>
    base.sheaf.documents(uid).findOne({ documentId, populate: '*' });

  describe('of a type without drafts', () => {
    let site: Guarded;
    beforeAll(async () => {
      site = await under({ public: { [TOPIC]: { rows: { find: { open: true } } } } });
    });

    it('narrows lists, their totals and their pages', async () => {
      const { body } = await site.get('topics');
      expect(namesOf(await site.get('topics'))).toEqual(['Alpha', 'Gamma']);
      expect(body.meta.pagination).toEqual({ page: 1, pageSize: 25, pageCount: 1, total: 2 });
      const second = await site.get('topics?pagination[page]=2&pagination[pageSize]=1');
      expect(namesOf(second)).toEqual(['Gamma']);
      expect(second.body.meta.pagination).toEqual({ page: 2, pageSize: 1, pageCount: 2, total: 2 });
      const third = await site.get('topics?pagination[start]=2&pagination[limit]=5');
      expect(third.body).toEqual({ data: [], meta: { pagination: { start: 2, limit: 5, total: 2 } } });
    });

    it.each([
      'filters[name]=Beta',
      'filters[open]=false',
      'filters[$not][open]=true',
      'filters[$or][0][open]=false&filters[$or][1][open][$null]=true',
      'filters[$or][0][name]=Beta&filters[$or][1][weight]=90017',
      'filters[weight][$gt]=5',
      'filters[$not][$or][0][name]=Alpha&filters[$not][$or][1][name]=Gamma',
      '_q=Beta',
      '_q=90017',
      'filters[articles][title]=A2',
    ])('is not got around with %s', async (query) => {
      const { status, body } = await site.get(`topics?${query}`);
      expect([status, body.data, body.meta.pagination.total]).toEqual([200, [], 0]);
    });

    it('hides an entry as if it did not exist', async () => {
      const hidden = await site.get(`topics/${topics.Beta.documentId}`);
      const missing = await site.get(`topics/${NO_DOCUMENT}`);
      expect([hidden.status, hidden.body]).toEqual([404, MISSING]);
      expect([missing.status, missing.body]).toEqual([404, MISSING]);
      expect((await site.get(`topics/${topics.Alpha.documentId}`)).body.data.name).toBe('Alpha');
      expect(namesOf(await site.get(`topics?filters[id]=${topics.Beta.id}`))).toEqual([]);
      expect(namesOf(await site.get(`topics?filters[documentId]=${topics.Beta.documentId}`))).toEqual([]);
    });

    it('holds where rows are populated, in every depth, filtered, sorted and counted', async () => {
      const shown = async (query: string): Promise<unknown[]> =>
        (await site.get(`articles?${query}`)).body.data.map(({ topics }: Answered) => topics);
      const names = (await shown('populate=topics')).map((list) => (list as Answered[]).map(({ name }) => name));
      expect(names).toEqual([['Alpha'], [], ['Gamma'], []]);
      expect(await shown('populate[topics][count]=true')).toEqual([1, 0, 1, 0].map((count) => ({ count })));
      expect(await shown('populate[topics][filters][name][$in][0]=Beta')).toEqual([[], [], [], []]);
      const filtered = 'populate[topics][filters][$not][name]=Alpha&populate[topics][count]=true';
      expect(await shown(filtered)).toEqual([0, 0, 1, 0].map((count) => ({ count })));
      const deep = await site.get('writers?populate[articles][populate][topics][sort]=name&filters[name]=Ann');
      expect(
        deep.body.data[0].articles.map(({ topics }: Answered) => topics.map(({ name }: Answered) => name)),
      ).toEqual([['Alpha'], ['Gamma']]);
      const every = await site.get('articles?populate=*&filters[title]=A2');
      expect(every.body.data[0].topics).toEqual([]);
      const around = await site.get('topics?populate[articles][populate]=topics');
      const seen = JSON.stringify(around.body);
      expect(seen).toContain('Gamma');
      expect(seen).not.toMatch(/Beta|Delta/);
    });

    it.each([
      ['filters[topics][name]=Beta', []],
      ['filters[topics][name]=Alpha', ['A1']],
      ['filters[topics][name][$ne]=Alpha', ['A3']],
      ['filters[$not][topics][name]=Alpha', ['A3']],
      ['filters[topics][$notNull]=true', ['A1', 'A3']],
      ['filters[topics][$null]=true', ['A2', 'A4']],
      ['filters[topics][name][$null]=true', ['A2', 'A4']],
      ['filters[topics][open]=false', []],
      ['filters[topics][weight][$lt]=3', ['A3']],
      ['filters[topics][weight][$gte]=9', []],
      ['filters[$or][0][topics][name]=Beta&filters[$or][1][topics][name]=Delta', []],
      ['filters[topics][articles][title]=A2', []],
      ['filters[author][articles][topics][name]=Delta', []],
      ['filters[author][articles][topics][name]=Gamma', ['A1', 'A3']],
      ['filters[topics][articles][topics][name][$startsWith]=B', []],
    ])('holds where a filter goes through relations: %s', async (query, expected) => {
      expect(namesOf(await site.get(`articles?${query}`))).toEqual(expected);
    });

    it('holds where a filter names the row itself', async () => {
      for (const value of [topics.Beta.id, topics.Delta.id]) {
        expect(namesOf(await site.get(`articles?filters[topics]=${value}`))).toEqual([]);
        expect(namesOf(await site.get(`articles?filters[topics][id]=${value}`))).toEqual([]);
      }
      expect(namesOf(await site.get(`articles?filters[topics][documentId]=${topics.Delta.documentId}`))).toEqual([]);
      expect(namesOf(await site.get(`articles?filters[topics]=${topics.Gamma.id}`))).toEqual(['A3']);
      expect(namesOf(await site.get(`articles?filters[topics][id][$ne]=${topics.Gamma.id}`))).toEqual(['A1']);
    });

    it.each([
      ['sort=topics.weight', ['A3', 'A1', 'A2', 'A4']],
      ['sort=topics.weight:desc', ['A2', 'A4', 'A1', 'A3']],
      ['sort=topics.name', ['A1', 'A3', 'A2', 'A4']],
      ['sort=topics.id:desc', ['A2', 'A4', 'A3', 'A1']],
      ['sort=author.articles.topics.weight:desc,title', ['A2', 'A4', 'A1', 'A3']],
    ])('holds where a sort goes through relations: %s', async (query, expected) => {
      expect(namesOf(await site.get(`articles?${query}`))).toEqual(expected);
    });

    it('answers a change of what it hides with 404, as for what does not exist, and changes nothing', async () => {
      const before = await stored(TOPIC, topics.Beta.documentId);
      for (const data of [{ name: 'Seen' }, { open: true }, {}, { articles: { set: [] } }]) {
        const hidden = await site.put(`topics/${topics.Beta.documentId}`, data);
        const missing = await site.put(`topics/${NO_DOCUMENT}`, data);
        expect([hidden.status, hidden.body]).toEqual([404, MISSING]);
        expect([missing.status, missing.body]).toEqual([404, MISSING]);
      }
      const [wrong, wrongToo] = await Promise.all(
        [topics.Beta.documentId, NO_DOCUMENT].map((id) => site.put(`topics/${id}`, { weight: 'heavy' })),
      );
      expect([wrong!.status, wrong!.body]).toEqual([wrongToo!.status, wrongToo!.body]);
      expect(await stored(TOPIC, topics.Beta.documentId)).toEqual(before);
    });

    it('leaves what it hides where it is when someone deletes it, and answers as for what does not exist', async () => {
      const hidden = await site.delete(`topics/${topics.Beta.documentId}`);
      const missing = await site.delete(`topics/${NO_DOCUMENT}`);
      expect([hidden.status, hidden.body]).toEqual([missing.status, missing.body]);
      expect(await stored(TOPIC, topics.Beta.documentId)).toMatchObject({ name: 'Beta' });
      const passing = await create(TOPIC, { name: 'Passing', open: true });
      expect((await site.delete(`topics/${passing.documentId}`)).status).toBe(204);
      expect(await stored(TOPIC, passing.documentId)).toBeNull();
    });

    /** Forms in which a body refers to a topic. */
    const REFERENCES: readonly [string, (reference: unknown) => Json][] = [
      ['a bare value', (reference) => ({ topics: reference })],
      ['a list', (reference) => ({ topics: [reference] })],
      ['set', (reference) => ({ topics: { set: [reference] } })],
      ['connect', (reference) => ({ topics: { connect: [reference] } })],
      ['disconnect', (reference) => ({ topics: { disconnect: [reference] } })],
      [
        'a place before it',
        (reference) => ({
          topics: { connect: [{ documentId: topics.Alpha.documentId, position: { before: reference } }] },
        }),
      ],
      [
        'a place after it that need not be there',
        (reference) => ({
          topics: {
            connect: [{ documentId: topics.Alpha.documentId, position: { after: reference } }],
            options: { strict: false },
          },
        }),
      ],
      ['a component', (reference) => ({ seal: { label: 'x', topic: reference } })],
      ['a dynamic zone', (reference) => ({ parts: [{ __component: 'kit.pick', topics: [reference] }] })],
    ];

    it.each(REFERENCES)('refuses a reference to what it hides like one to nothing: in %s', async (_name, body) => {
      const before = await stored(ARTICLE, articles.A3.documentId);
      const forms = (document: string, row: number) => [document, { documentId: document }, row, { id: row }];
      const send = async (reference: unknown, documentId: string): Promise<string> => {
        const answer = await site.put(`articles/${articles.A3.documentId}`, body(reference));
        return `${answer.status} ${JSON.stringify(answer.body)}`.replaceAll(documentId, 'ID');
      };
      const missing = forms(NO_DOCUMENT, NO_ROW);
      for (const [index, reference] of forms(topics.Delta.documentId, topics.Delta.id).entries()) {
        const hidden = await send(reference, topics.Delta.documentId);
        expect(hidden).toMatch(/^400 .*(not found|no entry with that id)/);
        expect(hidden).toBe(await send(missing[index], NO_DOCUMENT));
      }
      expect(await stored(ARTICLE, articles.A3.documentId)).toEqual(before);
      const made = await site.post('articles', { title: 'New', ...body(topics.Delta.documentId) });
      expect(made.status).toBe(400);
      expect(await base.sheaf.documents(ARTICLE).count({ filters: { title: 'New' } })).toBe(0);
    });

    it('lets references through to what it shows', async () => {
      const { documentId } = await create(ARTICLE, { title: 'Linked' });
      for (const [, body] of REFERENCES.slice(0, 4)) {
        const { status, body: answer } = await site.put(
          `articles/${documentId}?populate=topics`,
          body(topics.Gamma.documentId),
        );
        expect(status, JSON.stringify(answer)).toBe(200);
        expect(answer.data.topics.map(({ name }: Answered) => name)).toEqual(['Gamma']);
      }
      await base.sheaf.documents(ARTICLE).delete({ documentId });
    });

    it('answers with no entry what was written out of sight', async () => {
      const made = await site.post('topics', { name: 'Unseen', open: false });
      expect([made.status, made.body]).toEqual([201, { data: null, meta: {} }]);
      const { documentId } = (await base.sheaf.documents(TOPIC).findFirst({ filters: { name: 'Unseen' } }))!;
      expect((await site.get(`topics/${documentId}`)).status).toBe(404);
      const seen = await site.post('topics', { name: 'Seen', open: true });
      expect([seen.status, seen.body.data.name]).toEqual([201, 'Seen']);
      const gone = await site.put(`topics/${seen.body.data.documentId}?populate=*`, { open: false });
      expect([gone.status, gone.body]).toEqual([200, { data: null, meta: {} }]);
      expect(await stored(TOPIC, seen.body.data.documentId)).toMatchObject({ open: false });
      expect((await site.put(`topics/${seen.body.data.documentId}`, { open: true })).status).toBe(404);
      for (const name of ['Unseen', 'Seen'])
        await base.sheaf.documents(TOPIC).delete({
          documentId: (await base.sheaf.documents(TOPIC).findFirst({ filters: { name } }))!.documentId,
        });
    });

    it('does not narrow who calls in process, nor tokens', async () => {
      expect(await site.sheaf.documents(TOPIC).count()).toBe(4);
      const token = await site.token('custom', reads(TOPIC));
      expect((await site.get('topics', token)).body.meta.pagination.total).toBe(4);
    });
  });

  describe('that tells apart finding, changing and deleting', () => {
    let site: Guarded;
    beforeAll(async () => {
      site = await under({
        public: {
          [TOPIC]: { rows: { find: { weight: { $ne: 30 } }, update: { open: true }, delete: { weight: { $gt: 8 } } } },
          [WRITER]: { rows: { update: { name: 'Ann' } } },
        },
      });
    });

    it('holds each for what it says', async () => {
      expect(namesOf(await site.get('topics'))).toEqual(['Alpha', 'Beta', 'Gamma', 'Delta']);
      expect((await site.put(`topics/${topics.Alpha.documentId}`, { weight: 3 })).status).toBe(200);
      const refused = await site.put(`topics/${topics.Delta.documentId}`, { weight: 8 });
      expect([refused.status, refused.body]).toEqual([404, MISSING]);
      const heavy = await create(TOPIC, { name: 'Heavy', open: false, weight: 10 });
      const light = await create(TOPIC, { name: 'Light', open: true, weight: 1 });
      for (const { documentId } of [heavy, light]) expect((await site.delete(`topics/${documentId}`)).status).toBe(204);
      expect(await stored(TOPIC, heavy.documentId)).toBeNull();
      expect(await stored(TOPIC, light.documentId)).not.toBeNull();
      await base.sheaf.documents(TOPIC).delete({ documentId: light.documentId });
    });

    it('leaves finding and deleting alone where it speaks of changing only', async () => {
      expect(namesOf(await site.get('writers'))).toEqual(['Ann', 'Bob', 'Cyd']);
      expect((await site.put(`writers/${writers.Ann.documentId}`, { age: 30 })).status).toBe(200);
      expect((await site.put(`writers/${writers.Bob.documentId}`, { age: 20 })).status).toBe(404);
      const passing = await create(WRITER, { name: 'Passing' });
      expect((await site.delete(`writers/${passing.documentId}`)).status).toBe(204);
      expect(await stored(WRITER, passing.documentId)).toBeNull();
    });

    it('shows nothing of an entry that may be changed but not found', async () => {
      const heavy = await create(TOPIC, { name: 'Heavy', open: true, weight: 30 });
      const changed = await site.put(`topics/${heavy.documentId}`, { name: 'Heavier' });
      expect([changed.status, changed.body]).toEqual([200, { data: null, meta: {} }]);
      expect(await stored(TOPIC, heavy.documentId)).toMatchObject({ name: 'Heavier' });
      await base.sheaf.documents(TOPIC).delete({ documentId: heavy.documentId });
    });
  });

  describe('that goes through relations', () => {
    it('looks at types that the role may not find, and at private attributes', async () => {
      const site = await under({
        public: {
          [ARTICLE]: { rows: { find: { vault: { code: 'open sesame' } } } },
          [WRITER]: { rows: { find: { hush: { $ne: 'quiet' } } } },
        },
      });
      const vault = await create(VAULT, { code: 'open sesame' });
      const kept = await create(ARTICLE, { title: 'Kept', vault: vault.documentId });
      const loud = await create(WRITER, { name: 'Loud', hush: 'loud' });
      const quiet = await create(WRITER, { name: 'Quiet', hush: 'quiet' });
      expect(namesOf(await site.get('articles'))).toEqual(['Kept']);
      expect((await site.get('articles?filters[vault][code]=x')).status).toBe(400);
      expect(namesOf(await site.get('writers'))).toEqual(['Loud']);
      expect((await site.get(`writers/${quiet.documentId}`)).status).toBe(404);
      for (const [uid, { documentId }] of [
        [ARTICLE, kept],
        [VAULT, vault],
        [WRITER, loud],
        [WRITER, quiet],
      ] as const)
        await base.sheaf.documents(uid).delete({ documentId });
    });

    it('is met by rows that other rules hide', async () => {
      const site = await under({
        public: {
          [ARTICLE]: { rows: { find: { topics: { name: 'Beta' } } } },
          [TOPIC]: { rows: { find: { open: true } } },
        },
      });
      expect(namesOf(await site.get('articles'))).toEqual(['A1', 'A2']);
      expect(namesOf(await site.get('topics'))).toEqual(['Alpha', 'Gamma']);
      expect(namesOf(await site.get('articles?filters[topics][name]=Beta'))).toEqual([]);
    });

    it('goes in circles as far as it says', async () => {
      const site = await under({ public: { [WRITER]: { rows: { find: { mentor: { mentor: { name: 'Ann' } } } } } } });
      expect(namesOf(await site.get('writers'))).toEqual(['Cyd']);
      expect(namesOf(await site.get('articles?filters[author][name][$notNull]=true'))).toEqual(['A4']);
      const { body } = await site.get('writers?populate[mentor][populate]=mentor');
      expect(body.data[0].mentor).toBeNull();
    });
  });

  it('holds for what has no path of its own, or is told at the start to be of no use', async () => {
    const locales = await under({ public: { [LOCALE]: { rows: { find: { code: 'en' } } } } }).catch(
      (error: unknown) => error,
    );
    if (locales instanceof SetupError) expect(locales.problems[0]).toContain(LOCALE);
    else {
      await base.auth.roles.grant('public', ['plugin::i18n.locales.listLocales']);
      const { status, body } = await (locales as Guarded).get('i18n/locales');
      expect([status, body.map(({ code }: Answered) => code)]).toEqual([200, ['en']]);
    }
  });

  describe('of a single type', () => {
    let site: Guarded;
    let documentId: string;
    beforeAll(async () => {
      site = await under({ public: { [FRONT]: { rows: { find: { title: { $ne: 'closed' } } } } } });
      const data = { title: 'welcome', lead: articles.A1.documentId };
      ({ documentId } = await base.sheaf.documents(FRONT).create({ data, status: 'published' }));
    });
    const retitle = (title: string) =>
      base.sheaf.documents(FRONT).update({ documentId, data: { title }, status: 'published' });

    it('shows it, or answers as if there were none', async () => {
      expect((await site.get('front?populate=lead')).body.data).toMatchObject({
        title: 'welcome',
        lead: { title: 'A1' },
      });
      await retitle('closed');
      for (const query of ['', '?status=draft', '?populate=*', '?filters[title]=closed']) {
        const { status, body } = await site.get(`front${query}`);
        expect([status, body], query).toEqual([404, MISSING]);
      }
    });

    it('keeps it from being changed and deleted', async () => {
      await retitle('closed');
      const { status, body } = await site.put('front', { title: 'mine' });
      expect([status, body]).toEqual([404, MISSING]);
      expect((await site.delete('front')).status).toBe(204);
      expect(await stored(FRONT, documentId)).toMatchObject({ title: 'closed' });
      await retitle('welcome');
      expect((await site.put('front', { title: 'hello' })).body.data.title).toBe('hello');
      expect((await site.put('front', { title: 'closed' })).body).toEqual({ data: null, meta: {} });
    });
  });

  describe('of a type with drafts', () => {
    const made: Record<string, Answered> = {};
    const withDraft = async (title: string, published: string | null, draft: string): Promise<void> => {
      const documents = base.sheaf.documents(ARTICLE);
      const author = writers.Bob.documentId;
      const first = { title, state: published ?? draft, author, topics: [topics.Gamma.documentId] };
      made[title] = await documents.create({ data: first, status: published === null ? 'draft' : 'published' });
      if (published !== null && draft !== published)
        await documents.update({ documentId: made[title].documentId, data: { state: draft } });
    };
    beforeAll(async () => {
      await withDraft('shut draft', 'open', 'shut');
      await withDraft('shut public', 'shut', 'open');
      await withDraft('only draft', null, 'open');
    });
    afterAll(async () => {
      for (const { documentId } of Object.values(made)) await base.sheaf.documents(ARTICLE).delete({ documentId });
    });
    const titles = (list: Answered[]): string[] => list.map(({ title }) => title).filter((title) => title in made);

    it('judges the draft and the published row each by itself', async () => {
      const site = await under({ public: { [ARTICLE]: { rows: { find: { state: 'open' } } } } });
      const one = (title: string, query = '') => site.get(`articles/${made[title].documentId}${query}`);
      expect((await one('shut draft')).body.data.state).toBe('open');
      expect((await one('shut draft', '?status=draft')).status).toBe(404);
      expect((await one('shut public')).status).toBe(404);
      expect((await one('shut public', '?status=draft')).body.data.state).toBe('open');
      const list = async (query: string) => titles((await site.get(`articles?${query}`)).body.data);
      expect(await list('')).toEqual(['shut draft']);
      expect(await list('status=draft')).toEqual(['shut public', 'only draft']);
      // Through a relation, and through two.
      const ofBob = async (query: string): Promise<string[]> =>
        titles((await site.get(`writers?filters[name]=Bob&populate=articles${query}`)).body.data[0].articles);
      expect(await ofBob('')).toEqual(['shut draft']);
      expect(await ofBob('&status=draft')).toEqual(['shut public', 'only draft']);
      const finds = async (query: string) => (await site.get(`writers?${query}`)).body.meta.pagination.total;
      for (const status of ['draft', 'published'])
        expect(await finds(`status=${status}&filters[articles][state]=shut`)).toBe(0);
      expect(await finds('status=draft&filters[articles][title]=shut draft')).toBe(0);
      expect(await finds('status=draft&filters[articles][title]=shut public')).toBe(1);
      const sorted = await site.get(
        'topics?status=draft&sort=articles.title:desc&filters[name]=Gamma&populate=articles',
      );
      expect(titles(sorted.body.data[0].articles)).toEqual(['shut public', 'only draft']);
    });

    it('keeps a document from being changed of which it hides a row that would change', async () => {
      const site = await under({ public: { [ARTICLE]: { rows: { find: { state: 'open' } } } } });
      for (const title of ['shut draft', 'shut public']) {
        const { documentId } = made[title];
        const { status, body } = await site.put(`articles/${documentId}`, { title: 'mine' });
        expect([status, body], title).toEqual([404, MISSING]);
        expect((await site.delete(`articles/${documentId}`)).status).toBe(204);
        expect(await stored(ARTICLE, documentId), title).toMatchObject({ title });
      }
      const { documentId } = made['shut draft'];
      expect((await site.put(`articles/${documentId}?status=draft`, { title: 'mine' })).status).toBe(404);
      // Of this one only the draft would change, and that is open.
      const { documentId: other } = made['shut public'];
      expect((await site.put(`articles/${other}?status=draft`, { title: 'shut public' })).status).toBe(200);
    });

    it('can keep drafts from a role, wherever they are asked for', async () => {
      const site = await under({ public: { [ARTICLE]: { rows: { find: { publishedAt: { $notNull: true } } } } } });
      expect((await site.get('articles?status=draft')).body.data).toEqual([]);
      expect((await site.get('articles?status=draft&_q=only')).body.meta.pagination.total).toBe(0);
      expect((await site.get(`articles/${made['only draft'].documentId}?status=draft`)).status).toBe(404);
      const { body } = await site.get('writers?status=draft&populate[articles][count]=true');
      expect(body.data.map(({ articles }: Answered) => articles.count)).toEqual([0, 0, 0]);
      const through = await site.get('writers?status=draft&filters[articles][title][$notNull]=true');
      expect(through.body.data).toEqual([]);
      expect((await site.get('articles')).body.meta.pagination.total).toBeGreaterThan(4);
    });

    it('hides a row also from those who ask about its other version', async () => {
      const site = await under({ public: { [ARTICLE]: { rows: { find: { state: 'open' } } } } });
      const list = async (query: string) => titles((await site.get(`articles?${query}`)).body.data);
      // Whether the draft that is shown was ever published cannot be told where its published row is hidden.
      const published = await list('status=draft&publicationFilter=has-published-version');
      const never = await list('status=draft&publicationFilter=never-published');
      expect(published).not.toContain('shut public');
      expect(never).toEqual(['shut public', 'only draft']);
      expect(await list('status=draft&hasPublishedVersion=true')).not.toContain('shut public');
      // Nor whether what is published has a draft that differs, where the draft is hidden.
      expect(await list('publicationFilter=published-with-draft')).not.toContain('shut draft');
      expect(await list('publicationFilter=modified')).not.toContain('shut draft');
    });
  });

  describe('of a type with locales', () => {
    let site: Guarded;
    let documentId: string;
    beforeAll(async () => {
      site = await under({ public: { [ARTICLE]: { rows: { find: { locale: 'en' } } } } });
      const documents = base.sheaf.documents(ARTICLE);
      const data = { title: 'Hello', author: writers.Cyd.documentId };
      ({ documentId } = await documents.create({ data, status: 'published' }));
      const french = { title: 'Bonjour', author: writers.Cyd.documentId };
      await documents.update({ documentId, locale: 'fr', data: french, status: 'published' });
    });
    afterAll(() => base.sheaf.documents(ARTICLE).delete({ documentId, locale: '*' }));

    it('hides the locales that it does not name', async () => {
      const titles = async (query: string) =>
        (await site.get(`articles?${query}`)).body.data
          .map(({ title }: Answered) => title)
          .filter((title: string) => title === 'Hello' || title === 'Bonjour');
      expect(await titles('')).toEqual(['Hello']);
      expect(await titles('locale=fr')).toEqual([]);
      expect(await titles('locale=*')).toEqual(['Hello']);
      expect(await titles('locale[0]=fr&locale[1]=en')).toEqual(['Hello']);
      expect(await titles('locale=*&_q=Bonjour')).toEqual([]);
      expect((await site.get(`articles/${documentId}?locale=fr`)).body).toEqual(MISSING);
    });

    it('hides them among the other locales of an entry, and where a filter or a sort looks there', async () => {
      const one = await site.get(`articles/${documentId}?populate=localizations`);
      expect(one.body.data.localizations).toEqual([]);
      const counted = await site.get(`articles/${documentId}?populate[localizations][count]=true`);
      expect(counted.body.data.localizations).toEqual({ count: 0 });
      expect(namesOf(await site.get('articles?filters[localizations][title]=Bonjour'))).toEqual([]);
      expect(namesOf(await site.get('articles?filters[localizations][$notNull]=true'))).toEqual([]);
      expect(namesOf(await site.get('articles?filters[localizations][$null]=true'))).toContain('Hello');
    });

    it('hides them behind relations', async () => {
      const { body } = await site.get('writers?filters[name]=Cyd&populate=articles');
      expect(body.data[0].articles.map(({ title }: Answered) => title)).not.toContain('Bonjour');
      expect(namesOf(await site.get('writers?filters[articles][title]=Bonjour'))).toEqual([]);
      expect(namesOf(await site.get('writers?filters[articles][title]=Hello'))).toEqual(['Cyd']);
    });

    it('keeps them from being changed and deleted', async () => {
      expect((await site.put(`articles/${documentId}?locale=fr`, { title: 'Salut' })).body).toEqual(MISSING);
      expect((await site.delete(`articles/${documentId}?locale=fr`)).status).toBe(204);
      expect((await site.delete(`articles/${documentId}?locale=*`)).status).toBe(204);
      const rows = await base.rows(`select title from articles where document_id = '${documentId}' order by title`);
      expect(rows.flat()).toEqual(['Bonjour', 'Bonjour', 'Hello', 'Hello']);
      expect((await site.put(`articles/${documentId}`, { title: 'Hello' })).status).toBe(200);
    });

    it('hides a locale also from those who ask whether the document was published in any', async () => {
      const documents = base.sheaf.documents(ARTICLE);
      const only = await documents.create({ data: { title: 'English draft' } });
      const french = { title: 'Brouillon' };
      await documents.update({ documentId: only.documentId, locale: 'fr', data: french, status: 'published' });
      const ask = (filter: string) => site.get(`articles?status=draft&filters[title]=English draft&${filter}`);
      expect(namesOf(await ask('publicationFilter=has-published-version-document'))).toEqual([]);
      expect(namesOf(await ask('publicationFilter=never-published-document'))).toEqual(['English draft']);
      await documents.delete({ documentId: only.documentId, locale: '*' });
    });
  });
});

describeOnEveryDatabase('A rule that speaks of the caller', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let base: Guarded;
  const people: Record<'Una' | 'Udo', { id: number; username: string; documentId: string; who: Who }> = {} as never;

  beforeAll(async () => {
    base = await guarded.open(NEWS);
    const all = [...CONTENT.flatMap(everyAction), ...reads(USER), `${USER}.count`, `${USER}.update`, `${USER}.destroy`];
    for (const role of ['public', 'authenticated']) await base.grantOnly(role, [...all, `${USER}.me`]);
    for (const name of ['Una', 'Udo'] as const) {
      const email = `${name.toLowerCase()}@news.example`;
      people[name] = await base.person('authenticated', { username: name, email, provider: null });
      const writer = await base.sheaf.documents(WRITER).create({ data: { name, account: people[name].id } });
      const data = { title: `By ${name}`, hint: name, rank: people[name].id, author: writer.documentId };
      await base.sheaf.documents(ARTICLE).create({ data, status: 'published' });
    }
    await base.sheaf.documents(ARTICLE).create({ data: { title: 'By nobody' }, status: 'published' });
  });

  const under = (rows: Json, uid = ARTICLE): Promise<Guarded> =>
    guarded.open(NEWS, {
      rules: { public: { [uid]: { rows } }, authenticated: { [uid]: { rows } } },
      database: base.database,
    });

  it.each([
    ['the id of the account behind a relation', { author: { account: { id: '$user.id' } } }],
    ['the account itself behind a relation', { author: { account: '$user.id' } }],
    ['a text of the account', { hint: '$user.username' }],
    ['a number of the account', { rank: { $eq: '$user.id' } }],
    ['a list with a value of the account', { hint: { $in: ['$user.username'] } }],
    ['a text of the account, whatever its case', { hint: { $eqi: '$user.username' } }],
    ['what begins with a text of the account', { hint: { $startsWith: '$user.username' } }],
  ])('shows each user their own: by %s', async (_name, find) => {
    const site = await under({ find });
    for (const name of ['Una', 'Udo'] as const) {
      const { who } = people[name];
      // The same request, prepared once for all of the role.
      expect(namesOf(await site.get('articles?sort=title', who))).toEqual([`By ${name}`]);
      expect(namesOf(await site.get('writers?filters[articles][title][$contains]=By', who))).toEqual([name]);
    }
    expect(namesOf(await site.get('articles?sort=title'))).toEqual([]);
    expect(namesOf(await site.get('writers?filters[articles][title][$contains]=By'))).toEqual([]);
  });

  it('keeps each user from changing, deleting and referring to what is another’s', async () => {
    const site = await under({ find: { author: { account: { id: '$user.id' } } } });
    const of = async (name: string) =>
      (await base.sheaf.documents(ARTICLE).findFirst({ filters: { title: `By ${name}` } }))!;
    const [una, udo] = [await of('Una'), await of('Udo')];
    const { who } = people.Una;
    expect((await site.put(`articles/${udo.documentId}`, { state: 'mine' }, who)).status).toBe(404);
    expect((await site.put(`articles/${una.documentId}`, { state: 'mine' }, who)).body.data.state).toBe('mine');
    expect((await site.delete(`articles/${udo.documentId}`, who)).status).toBe(204);
    expect(await of('Udo')).not.toBeNull();
    const refer = (documentId: string) => site.put(`articles/${una.documentId}`, { related: [documentId] }, who);
    expect((await refer(udo.documentId)).status).toBe(400);
    expect((await refer(una.documentId)).status).toBe(200);
    expect((await site.put(`articles/${una.documentId}`, { state: 'anyone' })).status).toBe(404);
  });

  const OPERATORS = ['$eq', '$ne', '$eqi', '$nei', '$lt', '$lte', '$gt', '$gte', '$contains', '$notContains'];
  OPERATORS.push('$containsi', '$notContainsi', '$startsWith', '$startsWithi', '$endsWith', '$endsWithi');
  /** Every way to compare with a value of the account, and its opposite. */
  const compared = (name: string): Json[] =>
    [
      ...OPERATORS.map((operator) => ({ hint: { [operator]: `$user.${name}` } })),
      ...['$in', '$notIn'].map((operator) => ({ hint: { [operator]: [`$user.${name}`] } })),
    ].flatMap((one): Json[] => [one, { $not: one }]);

  it('is met by nothing where nobody in particular asks, however it compares and negates', async () => {
    const site = await under({ find: { $or: compared('username') } });
    expect((await site.get('articles?locale=*')).body.meta.pagination.total).toBe(0);
    expect((await site.get('articles?locale=*&status=draft')).body.meta.pagination.total).toBe(0);
    expect((await site.get('articles', people.Una.who)).body.meta.pagination.total).toBe(2);
  });

  it('is met by nothing where the account has no such value, however it compares and negates', async () => {
    const site = await under({ find: { $or: compared('provider') } });
    expect((await site.get('articles?locale=*', people.Una.who)).body.meta.pagination.total).toBe(0);
    const numbers = await under({
      find: { $or: [{ rank: { $ne: '$user.id' } }, { $not: { rank: '$user.id' } }, { id: { $notIn: ['$user.id'] } }] },
    });
    expect((await numbers.get('articles')).body.meta.pagination.total).toBe(0);
    expect((await numbers.get('articles', people.Una.who)).body.meta.pagination.total).toBeGreaterThan(0);
  });

  it('is met by nothing behind a relation where nobody in particular asks', async () => {
    const site = await under({
      find: {
        $or: [
          { author: { account: { id: { $ne: '$user.id' } } } },
          { $not: { author: { account: { id: '$user.id' } } } },
          { $not: { author: { name: '$user.username' } } },
          { author: { name: { $notIn: ['$user.username'] } } },
        ],
      },
    });
    expect((await site.get('articles')).body.data).toEqual([]);
    expect(namesOf(await site.get('articles', people.Una.who))).toEqual(['By Udo']);
  });

  it.each([
    ['a list', { hint: { $in: ['$user.username', 'Udo'] } }, ['By Una', 'By Udo'], ['By Udo']],
    ['a range', { rank: { $between: ['$user.id', '$user.id'] } }, ['By Una'], []],
    ['a range of texts', { hint: { $between: ['$user.username', '$user.username'] } }, ['By Una'], []],
    ['several alternatives', { hint: { $contains: ['$user.username', 'Udo'] } }, ['By Una', 'By Udo'], ['By Udo']],
  ])('stands for the value in every place of %s, or is told at the start', async (_name, find, hers, anyones) => {
    const site = await under({ find }).catch((error: unknown) => error);
    if (site instanceof SetupError) {
      expect(site.problems[0]).toMatch(/^access\/rules\.json: .*\$user/);
      return;
    }
    expect(namesOf(await (site as Guarded).get('articles', people.Una.who))).toEqual(hers);
    expect(namesOf(await (site as Guarded).get('articles'))).toEqual(anyones);
  });

  it('compares with values of other types as it compares with constants', async () => {
    const late = await base.person('authenticated', { confirmed: false });
    const site = await under({ find: { $or: [{ createdAt: { $gt: '$user.createdAt' } }, { hint: '$user.email' }] } });
    expect(namesOf(await site.get('articles', late.who))).toEqual([]);
    expect(namesOf(await site.get('articles', people.Udo.who))).toEqual(['By Udo', 'By nobody']);
    expect(namesOf(await site.get('articles'))).toEqual([]);
    for (const open of [true, false]) await base.sheaf.documents(TOPIC).create({ data: { name: String(open), open } });
    const topics = await under({ find: { open: '$user.confirmed' } }, TOPIC);
    expect(namesOf(await topics.get('topics', people.Una.who))).toEqual(['true']);
    expect(namesOf(await topics.get('topics', late.who))).toEqual(['false']);
    expect(namesOf(await topics.get('topics'))).toEqual([]);
  });

  it('follows a change of the account on the next request', async () => {
    const site = await under({ find: { hint: '$user.username' } });
    const { id, who } = await base.person('authenticated', { username: 'Nomad' });
    expect(namesOf(await site.get('articles', who))).toEqual([]);
    await base.execute(`update up_users set username = 'Una' where id = ${id}`);
    expect(namesOf(await site.get('articles', who))).toEqual(['By Una']);
    await base.execute(`delete from up_users where id = ${id}`);
    expect((await site.get('articles', who)).status).toBe(401);
  });

  it('holds for accounts themselves: in lists, counts, by number and by document', async () => {
    const site = await under({ find: { id: '$user.id' } }, USER);
    const { who, id } = people.Una;
    const list = await site.get('users', who);
    expect(list.body.data.map(({ username }: Answered) => username)).toEqual(['Una']);
    expect((await site.get('users/count', who)).body).toBe(1);
    expect((await site.get('users/count')).body).toBe(0);
    expect((await site.get('users/me', who)).body.username).toBe('Una');
    expect((await site.get(`users/${id}`, who)).body.username).toBe('Una');
    for (const other of [people.Udo.id, people.Udo.documentId, NO_ROW, NO_DOCUMENT]) {
      for (const answer of [
        await site.get(`users/${other}`, who),
        await site.send('PUT', `users/${other}`, { username: 'Mine' }, who),
        await site.delete(`users/${other}`, who),
      ])
        expect([answer.status, answer.body], String(other)).toEqual([404, MISSING]);
    }
    expect(await base.number(`select count(*) from up_users where username = 'Udo'`)).toBe(1);
    expect(namesOf(await site.get('writers?filters[account][username]=Udo', who))).toEqual([]);
    expect(namesOf(await site.get('writers?filters[account][username]=Una', who))).toEqual(['Una']);
  });

  it('holds for accounts where they are listed without an envelope', async () => {
    const rules = { authenticated: { [USER]: { rows: { find: { id: '$user.id' } }, fields: { read: ['username'] } } } };
    const site = await guarded.open(NEWS, { rules, database: base.database, settings: { users: { bareList: true } } });
    const { id, documentId, who } = people.Una;
    expect((await site.get('users', who)).body).toEqual([{ id, documentId, username: 'Una' }]);
  });

  it('hides an account from whoever tries to change it to what is taken', async () => {
    const site = await under({ find: { id: '$user.id' } }, USER);
    const { who } = people.Una;
    for (const body of [{ email: 'una@news.example' }, { username: 'Una' }, { email: 'wrong' }, { nope: 1 }]) {
      const [hidden, missing] = await Promise.all(
        [people.Udo.documentId, NO_DOCUMENT].map((id) => site.send('PUT', `users/${id}`, body, who)),
      );
      expect([hidden!.status, hidden!.body], JSON.stringify(body)).toEqual([missing!.status, missing!.body]);
    }
  });
});

// ------------------------------------------------------------------------------------------------ rules on attributes

describeOnEveryDatabase('A rule on attributes', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let base: Guarded;
  const writers: Record<string, Answered> = {};

  beforeAll(async () => {
    base = await guarded.open(NEWS);
    await base.grantOnly('public', [...CONTENT.flatMap(everyAction), ...reads(USER), `${USER}.me`]);
    await base.grantOnly('authenticated', [...reads(USER), `${USER}.me`, `${USER}.update`]);
    for (const [name, age, mentor] of [
      ['Ann', 30, null],
      ['Bob', 20, 'Ann'],
      ['Cyd', 40, 'Ann'],
    ] as const) {
      const data = { name, age, email: `${name.toLowerCase()}@news.example` };
      writers[name] = await base.sheaf
        .documents(WRITER)
        .create({ data: { ...data, ...(mentor && { mentor: writers[mentor].documentId }) } });
      await base.sheaf.documents(ARTICLE).create({
        data: { title: `By ${name}`, author: writers[name].documentId },
        status: 'published',
      });
    }
  });

  const under = (fields: Json, uid = WRITER): Promise<Guarded> =>
    guarded.open(NEWS, {
      rules: { public: { [uid]: { fields } }, authenticated: { [uid]: { fields } } },
      database: base.database,
    });
  const refused = async (site: Guarded, urls: readonly string[]): Promise<void> => {
    for (const url of urls) {
      const { status, body } = await site.get(url);
      expect(status, url).toBe(400);
      expect(body.error.message, url).toMatch(/^Invalid key \w+/);
    }
  };

  it('shows what may be read, wherever the type is shown', async () => {
    const site = await under({ read: ['name', 'articles', 'pupils'] });
    const keys = ['id', 'documentId', 'name'];
    const shownBy = async (url: string) => Object.keys((await site.get(url)).body.data[0]);
    expect(await shownBy('writers')).toEqual(keys);
    expect(await shownBy('writers?fields=*')).toEqual(keys);
    expect(await shownBy('writers?fields[0]=name')).toEqual(keys);
    expect(await shownBy('writers?fields=id')).toEqual(['id', 'documentId']);
    expect(await shownBy('writers?populate=*')).toEqual([...keys, 'articles', 'pupils']);
    expect(Object.keys((await site.get(`writers/${writers.Ann.documentId}`)).body.data)).toEqual(keys);
    const { body } = await site.get('articles?populate=author&filters[title]=By Ann');
    expect(Object.keys(body.data[0].author)).toEqual(keys);
    const nested = await site.get('writers?populate[pupils][fields]=*&filters[name]=Ann');
    expect(nested.body.data[0].pupils.map(Object.keys)).toEqual([keys, keys]);
    const around = await site.get('articles?populate[author][populate]=*&filters[title]=By Ann');
    expect(Object.keys(around.body.data[0].author)).toEqual([...keys, 'articles', 'pupils']);
    expect(around.body.meta.omitted).toBeUndefined();
  });

  it('refuses what may not be read, in fields, filters, sort and populate, here and through relations', async () => {
    const site = await under({ read: ['name', 'articles'] });
    await refused(site, [
      'writers?fields=age',
      'writers?fields=*,email',
      'writers?filters[age]=30',
      'writers?filters[$not][email][$contains]=a',
      'writers?filters[mentor][name]=Ann',
      'writers?sort=age',
      'writers?sort=mentor.name',
      'writers?populate=mentor',
      'writers?populate=articles.author.mentor',
      'articles?filters[author][age][$gt]=1',
      'articles?filters[author][mentor][name]=Ann',
      'articles?sort=author.email',
      'articles?populate[author][fields]=age',
      'articles?populate[author][sort]=age',
      'articles?populate[author][filters][email][$null]=true',
      'articles?populate[author][populate]=pupils',
      `writers/${writers.Ann.documentId}?fields=age`,
    ]);
  });

  it('finds nothing by searching in what may not be read', async () => {
    const site = await under({ read: ['name'] });
    expect(namesOf(await site.get('writers?_q=cyd'))).toEqual(['Cyd']);
    expect(namesOf(await site.get('writers?_q=news.example'))).toEqual([]);
    const filterable = await under({ read: ['name'], filter: ['name', 'email', 'age'] });
    expect(namesOf(await filterable.get('writers?_q=news.example'))).toEqual([]);
    const unfilterable = await under({ read: ['name', 'email'], filter: ['name'] });
    expect(namesOf(await unfilterable.get('writers?_q=news.example'))).toEqual([]);
    expect(namesOf(await unfilterable.get('writers?_q=bob'))).toEqual(['Bob']);
  });

  it('answers a search with nothing where nothing may be searched', async () => {
    const site = await under({ read: ['name'], filter: [] });
    const { status, body } = await site.get('writers?_q=ann');
    expect([status, body.data]).toEqual([200, []]);
    expect((await site.get('writers')).body.meta.pagination.total).toBe(3);
  });

  it('lets be filtered by more than is shown', async () => {
    const site = await under({ read: ['name'], filter: ['name', 'age'] });
    const { body } = await site.get('writers?filters[age][$gt]=25&sort=name:desc');
    expect(body.data.map(Object.keys)).toEqual([
      ['id', 'documentId', 'name'],
      ['id', 'documentId', 'name'],
    ]);
    expect(body.data.map(({ name }: Answered) => name)).toEqual(['Cyd', 'Ann']);
    expect(namesOf(await site.get('articles?filters[author][age]=20'))).toEqual(['By Bob']);
    await refused(site, ['writers?filters[email]=x', 'writers?sort=age', 'writers?fields=age']);
  });

  it('lets be sorted by what is not shown, and does not show it by the way', async () => {
    const site = await under({ read: ['name', 'articles', 'mentor', 'pupils'], sort: ['age'] });
    for (const url of [
      'writers?sort=age',
      'writers?sort=age&fields=name',
      'writers?sort=age&fields=*',
      'writers?sort=age&fields=name&filters[articles][title][$contains]=By',
      'writers?sort=age:asc&fields[0]=documentId&filters[articles][$notNull]=true&populate=articles',
    ]) {
      const { status, body } = await site.get(url);
      expect([status, body.data.map(({ id }: Answered) => id)], url).toEqual([
        200,
        ['Bob', 'Ann', 'Cyd'].map((name) => writers[name].id),
      ]);
      expect(JSON.stringify(body), url).not.toContain('"age"');
    }
    const nested = await site.get(
      'writers?filters[name]=Ann&populate[pupils][sort]=age:desc&populate[pupils][fields]=name',
    );
    expect(nested.body.data[0].pupils).toEqual(
      ['Cyd', 'Bob'].map((name) => ({ id: writers[name].id, documentId: writers[name].documentId, name })),
    );
    const through = await site.get('articles?sort=author.age:desc&fields=title&populate[author][fields]=name');
    expect(namesOf(through)).toEqual(['By Cyd', 'By Ann', 'By Bob']);
    expect(JSON.stringify(through.body)).not.toContain('"age"');
    await refused(site, ['writers?sort=name', 'writers?filters[age]=30', 'writers?sort=age&fields=age']);
    // A cursor would hold it.
    await refused(site, ['writers?sort=age&pagination[cursor]=']);
  });

  it('shows an attribute that a list is sorted by, as ever, where it may be read', async () => {
    const site = await under({ read: ['name', 'age', 'articles'], sort: ['age'] });
    const { body } = await site.get('writers?sort=age&fields=name&filters[articles][title]=By Ann');
    expect(body.data).toEqual([{ id: writers.Ann.id, documentId: writers.Ann.documentId, name: 'Ann', age: 30 }]);
  });

  it('lets be written what is listed, and refuses the rest by name, storing nothing', async () => {
    const site = await under({ read: ['name'], write: ['name', 'age'] });
    const made = await site.post('writers', { name: 'Dan', age: 50 });
    expect([made.status, Object.keys(made.body.data)]).toEqual([201, ['id', 'documentId', 'name']]);
    const { documentId } = made.body.data;
    const stored = () => base.sheaf.documents(WRITER).findOne({ documentId });
    const before = await stored();
    expect(before).toMatchObject({ name: 'Dan', age: 50, email: null });
    for (const key of ['email', 'hush', 'pin', 'mentor', 'articles', 'account']) {
      const { status, body } = await site.put(`writers/${documentId}`, { name: 'Dane', [key]: null });
      expect([status, body.error.message], key).toEqual([400, `Invalid key ${key}`]);
      expect((await site.post('writers', { name: 'Eve', [key]: null })).status, key).toBe(400);
    }
    expect(await stored()).toEqual(before);
    expect(await base.sheaf.documents(WRITER).count({ filters: { name: 'Eve' } })).toBe(0);
    const changed = await site.put(`writers/${documentId}`, { age: 51 });
    expect([changed.status, changed.body.data]).toEqual([200, { id: made.body.data.id, documentId, name: 'Dan' }]);
    expect(await stored()).toMatchObject({ age: 51 });
    await base.sheaf.documents(WRITER).delete({ documentId });
  });

  it('lets everything be written where it lists only what may be read', async () => {
    const site = await under({ read: ['name'] });
    const { status, body } = await site.post('writers', { name: 'Dan', email: 'dan@news.example', hush: 'quiet' });
    expect([status, Object.keys(body.data)]).toEqual([201, ['id', 'documentId', 'name']]);
    const { documentId } = body.data;
    expect(await base.sheaf.documents(WRITER).findOne({ documentId })).toMatchObject({ email: 'dan@news.example' });
    await base.sheaf.documents(WRITER).delete({ documentId });
  });

  it('leaves the ids to be read where it lists nothing', async () => {
    const site = await under({ read: [] });
    const { status, body } = await site.get('writers?filters[name][$null]=true');
    expect([status, body.error.message]).toEqual([400, 'Invalid key name']);
    const ids = (await site.get('writers?sort=id:desc')).body.data;
    expect(ids).toEqual(
      ['Cyd', 'Bob', 'Ann'].map((name) => ({ id: writers[name].id, documentId: writers[name].documentId })),
    );
    expect((await site.get('writers?populate=*')).body.data[0]).toEqual(ids.at(-1));
    expect((await site.get('writers?fields=*&_q=ann')).status).toBe(200);
  });

  it('keeps nothing private from being private', async () => {
    const site = await under({
      read: ['name', 'hush', 'pin'],
      filter: ['name', 'hush', 'pin'],
      sort: ['hush', 'pin'],
    });
    expect(Object.keys((await site.get('writers')).body.data[0])).toEqual(['id', 'documentId', 'name']);
    await refused(
      site,
      ['hush', 'pin'].flatMap((name) => [
        `writers?fields=${name}`,
        `writers?filters[${name}][$null]=true`,
        `writers?sort=${name}`,
        `articles?filters[author][${name}][$null]=true`,
        `articles?sort=author.${name}`,
      ]),
    );
  });

  it('holds for accounts, for one’s own too', async () => {
    const site = await under({ read: ['username'], write: ['username'] }, USER);
    const { who, id, documentId } = await base.person('authenticated');
    const keys = ['id', 'documentId', 'username'];
    expect(Object.keys((await site.get('users/me', who)).body)).toEqual(keys);
    expect(Object.keys((await site.get(`users/${id}`, who)).body)).toEqual(keys);
    expect(Object.keys((await site.get('users', who)).body.data[0])).toEqual(keys);
    await refused(site, ['users?filters[email][$contains]=a', 'users?sort=email', 'users?fields=email']);
    const change = (body: Json) => site.send('PUT', `users/${documentId}`, body, who);
    for (const body of [{ email: 'a@b.example' }, { role: 1 }, { confirmed: true }, { password: 'a-long-phrase' }])
      expect((await change(body)).body.error.message).toBe(`Invalid key ${Object.keys(body)[0]}`);
    expect(Object.keys((await change({ username: `other-${id}` })).body)).toEqual(keys);
  });
});

// ------------------------------------------------------------------------------------------------ answers to writes

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

// ------------------------------------------------------------------------------------------------- wrong rule files

describeOnEveryDatabase('Rule files', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let database: string;
  let sheaf: Sheaf;
  beforeAll(async () => {
    ({ database, sheaf } = await guarded.open(NEWS));
  });

  const projectWithFiles = (files: Readonly<Record<string, unknown>>): string => {
    const project = guarded.projectWith(NEWS);
    for (const [name, content] of Object.entries(files)) writeAccessFile(project, name, content);
    return project;
  };
  async function problemsIn(work: () => Promise<unknown>): Promise<readonly string[]> {
    const failure = await failureOf(work);
    if (failure === null) return [];
    expect(failure).toBeInstanceOf(SetupError);
    return (failure as SetupError).problems;
  }
  /** What is told of files where a database that is open already is opened to callers, as the end of a start does. */
  const problemsOf = (files: Readonly<Record<string, unknown>>): Promise<readonly string[]> => {
    const project = projectWithFiles(files);
    const options = {
      project,
      state: path.join(project, '.state'),
      secrets: {},
      smtp: null,
      onMailError: () => undefined,
    };
    const { settings, withheld } = sheaf;
    return problemsIn(async () =>
      (await openAuth(sheaf.operations, { ...options, settings, withheld, actions: [] })).close(),
    );
  };
  const ofTopic = (rules: unknown): Promise<readonly string[]> =>
    problemsOf({ 'a.json': { public: { [TOPIC]: rules } } });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{ "public": ', /^access\/a\.json: the file: not valid JSON/],
    ['an empty file', '', /^access\/a\.json: the file: not valid JSON/],
    ['a list', [], /^access\/a\.json: the file: expected an object/],
    ['null', null, /^access\/a\.json: the file: expected an object/],
    ['a role that is a string', { public: 'all' }, /^access\/a\.json: public: expected an object/],
    ['an unknown type', { public: { 'api::none.none': {} } }, /^access\/a\.json: public: api::none\.none: there is no/],
    [
      'a type that is not served',
      { public: { 'plugin::users-permissions.role': {} } },
      /^access\/a\.json: public: plugin::users-permissions\.role: there is no/,
    ],
    ['a component', { public: { 'kit.seal': {} } }, /^access\/a\.json: public: kit\.seal: there is no/],
    [
      'a name that every object has',
      { public: { constructor: {} } },
      /^access\/a\.json: public: constructor: there is no/,
    ],
  ])('tell of %s, with file and place', async (_name, content, expected) => {
    const problems = await problemsOf({ 'a.json': content });
    expect(problems).toEqual([expect.stringMatching(expected)]);
  });

  const AT = /^access\/a\.json: public: api::topic\.topic/;
  it.each<[string, unknown, RegExp]>([
    ['no object', null, /: expected an object/],
    ['a list', [], /: expected an object/],
    ['an unknown key', { row: {} }, /topic\.row: not known; expected rows, fields, drafts$/],
    ['a name that every object has', JSON.parse('{"__proto__": {}}'), /topic\.__proto__: not known; expected/],
    ['rows that are a list', { rows: [] }, /\.rows: expected an object/],
    [
      'an unknown use of rows',
      { rows: { create: { open: true } } },
      /\.rows\.create: not known; expected find, update, delete$/,
    ],
    ['a row rule that is a string', { rows: { find: 'open' } }, /\.rows\.find: /],
    ['a row rule that is yes', { rows: { find: true } }, /\.rows\.find: /],
    ['a row rule that says nothing', { rows: { find: {} } }, /\.rows\.find: expected a filter/],
    ['an unknown attribute', { rows: { find: { nope: 1 } } }, /\.rows\.find: .*nope/],
    ['an unknown attribute behind a relation', { rows: { find: { articles: { nope: 1 } } } }, /\.rows\.find: .*nope/],
    ['a password', { rows: { delete: { articles: { pin: 'x' } } } }, /\.rows\.delete: .*pin/],
    ['an unknown operator', { rows: { find: { name: { $is: 'x' } } } }, /\.rows\.find: .*\$is/],
    ['an operator on nothing', { rows: { find: { $eq: 'x' } } }, /\.rows\.find: .*\$eq/],
    ['an object for a value', { rows: { find: { name: { $eq: {} } } } }, /\.rows\.find: /],
    ['a number that is none', { rows: { find: { weight: 'heavy' } } }, /\.rows\.find: .*weight/],
    ['yes or no that is neither', { rows: { update: { open: 'perhaps' } } }, /\.rows\.update: .*open/],
    ['a moment that is none', { rows: { find: { createdAt: { $gt: 'noon' } } } }, /\.rows\.find: .*createdAt/],
    ['an attribute that no user has', { rows: { find: { name: '$user.nope' } } }, /\.rows\.find: \$user\.nope/],
    ['a relation of the user', { rows: { find: { name: '$user.role' } } }, /\.rows\.find: \$user\.role/],
    ['the password of the user', { rows: { find: { name: '$user.password' } } }, /\.rows\.find: \$user\.password/],
    ['a code of the user', { rows: { find: { name: '$user.resetPasswordToken' } } }, /\.rows\.find: \$user\.reset/],
    ['nothing of the user', { rows: { find: { name: '$user.' } } }, /\.rows\.find: \$user\./],
    [
      'a string of the user as a number',
      { rows: { find: { weight: '$user.username' } } },
      /\.rows\.find: \$user\.username/,
    ],
    [
      'a number of the user as a string, deep inside',
      { rows: { find: { $or: [{ open: true }, { $not: { articles: { title: '$user.id' } } }] } } },
      /\.rows\.find: \$user\.id/,
    ],
    ['fields that are a list', { fields: ['name'] }, /\.fields: expected an object/],
    [
      'an unknown use of fields',
      { fields: { show: [] } },
      /\.fields\.show: not known; expected read, filter, sort, write$/,
    ],
    ['a list that is a string', { fields: { read: 'name' } }, /\.fields\.read: expected a list/],
    ['a list of numbers', { fields: { sort: [1] } }, /\.fields\.sort: expected a list/],
    ['an unknown attribute in a list', { fields: { write: ['nope'] } }, /\.fields\.write: .*nope/],
    ['everything for a name', { fields: { filter: ['*'] } }, /\.fields\.filter: .*\*/],
    ['drafts that are a string', { drafts: 'true' }, /\.drafts: expected true or false$/],
    ['drafts that are null', { drafts: null }, /\.drafts: expected true or false$/],
    ['drafts of a type that has none', { drafts: true }, /\.drafts: this content-type has no drafts/],
    ['no drafts of a type that has none', { drafts: false }, /\.drafts: this content-type has no drafts/],
  ])('tell of %s in the rules of a type', async (_name, rules, expected) => {
    const problems = await ofTopic(rules);
    expect(problems).toEqual([expect.stringMatching(expected)]);
    expect(problems[0]).toMatch(AT);
  });

  it('tell of rules for one type in two places', async () => {
    const rules = { public: { [TOPIC]: { rows: { find: { open: true } } } } };
    expect(await problemsOf({ 'a.json': rules, 'b.json': rules })).toEqual([
      expect.stringMatching(/^access\/b\.json: public: api::topic\.topic: .*already/),
    ]);
  });

  it('tell all that is wrong at once when a server starts, whatever kind it is of', async () => {
    const project = projectWithFiles({
      'a.json': {
        public: {
          [TOPIC]: {
            rows: { find: { nope: 1 }, update: { weight: 'heavy' }, delete: { name: '$user.nope' } },
            fields: { read: ['none', 'neither'], sort: 'name' },
          },
          'api::none.none': {},
        },
        authenticated: { [WRITER]: { rows: { find: { age: 'old' } }, extra: 1 } },
        editor: { [ARTICLE]: { rows: { find: { rank: 'first' } } } },
      },
      'b.json': 'nothing',
      'c.json': { editor: { [FRONT]: { fields: { write: ['nope'] } } } },
    });
    const problems = await problemsIn(() => guarded.open(project, { database }));
    for (const expected of [
      /^access\/a\.json: public: api::topic\.topic\.rows\.find: .*nope/,
      /^access\/a\.json: public: api::topic\.topic\.rows\.update: .*weight/,
      /^access\/a\.json: public: api::topic\.topic\.rows\.delete: \$user\.nope/,
      /^access\/a\.json: public: api::topic\.topic\.fields\.read: .*none/,
      /^access\/a\.json: public: api::topic\.topic\.fields\.read: .*neither/,
      /^access\/a\.json: public: api::topic\.topic\.fields\.sort: /,
      /^access\/a\.json: public: api::none\.none: /,
      /^access\/a\.json: authenticated: api::writer\.writer\.rows\.find: .*age/,
      /^access\/a\.json: authenticated: api::writer\.writer\.extra: not known/,
      /^access\/a\.json: editor: api::article\.article\.rows\.find: .*rank/,
      /^access\/b\.json: the file: /,
      /^access\/c\.json: editor: api::front\.front\.fields\.write: .*nope/,
    ])
      expect(problems).toContainEqual(expect.stringMatching(expected));
    expect(problems).toHaveLength(12);
  });

  it('say whether a role sees drafts, or leave it open', () => {
    const project = guarded.projectWith(NEWS, {
      rules: {
        public: { [ARTICLE]: { drafts: false }, [FRONT]: { fields: { read: ['title'] } } },
        editor: { [ARTICLE]: { drafts: true } },
      },
    });
    const { byRole, problems } = readRules(project, loadModel(project));
    expect(problems).toEqual([]);
    const drafts = (role: string, uid: string) => byRole.get(role)!.get(uid)!.drafts;
    expect([drafts('public', ARTICLE), drafts('public', FRONT), drafts('editor', ARTICLE)]).toEqual([
      false,
      null,
      true,
    ]);
  });

  it('may speak of a role that is not there yet, which is told, and holds once it is', async () => {
    const project = guarded.projectWith(NEWS, { rules: { visitor: { [TOPIC]: { rows: { find: { open: true } } } } } });
    const site = await guarded.open(project, { database });
    expect(site.auth.unknownRoles).toEqual(['visitor']);
    await site.auth.roles.create('Visitor');
    await site.auth.roles.grant('visitor', [`${TOPIC}.find`]);
    for (const open of [true, false]) await site.sheaf.documents(TOPIC).create({ data: { name: String(open), open } });
    const { who } = await site.person('visitor');
    expect(namesOf(await site.get('topics', who))).toEqual(['true']);
  });

  it('may be several, and other files beside them are nobody’s business', async () => {
    const project = guarded.projectWith(NEWS);
    writeAccessFile(project, 'topics.json', { public: { [TOPIC]: { fields: { read: ['name'] } } } });
    writeAccessFile(project, 'writers.json', { public: { [WRITER]: { fields: { read: ['name'] } } } });
    writeAccessFile(project, 'README.md', '# Rules');
    const site = await guarded.open(project, { database });
    await site.grantOnly('public', reads(TOPIC, WRITER));
    await site.sheaf.documents(WRITER).create({ data: { name: 'Ann' } });
    for (const url of ['topics', 'writers'])
      expect(Object.keys((await site.get(url)).body.data[0])).toEqual(['id', 'documentId', 'name']);
  });
});

// --------------------------------------------------------------------------------------------- classes of advisories

describeOnEveryDatabase('A caller learns nothing of what they may not read', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let reader: Who;

  beforeAll(async () => {
    site = await guarded.open(NEWS, {
      rules: {
        public: { [TOPIC]: { rows: { find: { open: true } } }, [WRITER]: { fields: { read: ['name', 'articles'] } } },
      },
      settings: { auth: { registerFields: ['provider'] } },
    });
    await site.auth.roles.grant('public', [
      ...readsOf(ARTICLE, WRITER, TOPIC, FRONT),
      ...[`${USER}.find`, `${USER}.count`],
    ]);
    reader = await site.token('read-only');
    const create = (uid: string, data: Json, status: 'draft' | 'published' = 'published') =>
      site.sheaf.documents(uid).create({ data, ...(uid === ARTICLE && { status }) });
    const vault = await create(VAULT, { code: 'secret-code' });
    const topic = await create(TOPIC, { name: 'closed-topic', open: false, weight: 5 });
    // An age so long that no documentId, which is searched as well, holds it by chance.
    const age = 33_333_333;
    const data = { name: 'Ann', email: 'ann@secret.example', age, hush: 'secret-hush', pin: 'secret-pin' };
    const writer = await create(WRITER, { ...data, vault: vault.documentId });
    const links = { author: writer.documentId, topics: [topic.documentId], vault: vault.documentId };
    await create(ARTICLE, { title: 'Public', note: 'secret-note', ...links });
    await create(ARTICLE, { title: 'secret-draft', note: 'secret-note', ...links }, 'draft');
    await site.sheaf
      .documents(FRONT)
      .create({ data: { title: 'Front', picks: [topic.documentId] }, status: 'published' });
    await site.execute(
      `insert into admin_users (document_id, firstname, email, password, reset_password_token) values ('admin1', 'Root', 'root@secret.example', 'secret-hash', 'secret-token')`,
    );
    await site.execute(
      `insert into strapi_api_tokens (document_id, name, access_key) values ('token1', 'ci', 'secret-key')`,
    );
    await site.execute(
      `insert into strapi_api_tokens_admin_user_owner_lnk (api_token_id, user_id) select t.id, u.id from strapi_api_tokens as t, admin_users as u where t.document_id = 'token1' and u.document_id = 'admin1'`,
    );
    for (const table of ['vaults', 'articles', 'writers'])
      await site.execute(
        `update ${table} set created_by_id = (select id from admin_users where document_id = 'admin1')`,
      );
  });

  const expectNothing = async (urls: readonly string[], who: Who = NOBODY): Promise<void> => {
    for (const url of urls) {
      const { status, body } = await site.get(url, who);
      expect([200, 400, 404], url).toContain(status);
      expect(JSON.stringify(body), url).not.toMatch(/secret-|@secret|closed-topic/);
      if (status === 200 && Array.isArray(body.data) && /[?&]filters/.test(url)) expect(body.data, url).toEqual([]);
    }
  };

  it('by filtering: by private attributes, passwords and creators, directly, in groups, through relations', async () => {
    const hidden = [
      'articles?filters[note][$startsWith]=secret',
      'articles?filters[$and][0][note][$contains]=secret',
      'articles?filters[$or][0][title]=none&filters[$or][1][note][$notNull]=true',
      'articles?filters[author][hush][$startsWith]=s',
      'articles?filters[author][pin][$startsWith]=$2',
      'articles?filters[author][email][$containsi]=secret',
      'articles?filters[createdBy][email][$startsWith]=root',
      'articles?filters[createdBy][password][$startsWith]=s',
      'articles?filters[createdBy][resetPasswordToken][$startsWith]=s',
      'articles?filters[updatedBy][id]=1',
      'articles?filters[vault][code][$startsWith]=s',
      'writers?filters[vault][code][$startsWith]=s',
      'writers?filters[articles][vault][code][$ne]=x',
      'articles?filters[t0.note][$startsWith]=s',
      'articles?filters[t1.hush]=s',
      'articles?where[note]=secret-note',
      'articles?_where[note]=secret-note',
      'articles?lookup[note][$startsWith]=s',
      'articles?filters[topics][name]=closed-topic',
      'articles?filters[topics][weight]=5',
      'front?filters[picks][name]=closed-topic',
      'users/count?filters[role][name]=Public',
      'users/count?filters[password][$notNull]=true',
    ];
    await expectNothing(hidden);
    for (const url of hidden.filter((one) => !/\[topics\]|\[picks\]/.test(one)))
      expect((await site.get(url)).status, url).toBe(400);
  });

  it('by sorting: by private attributes, through relations and rows that they may not see', async () => {
    for (const key of [
      ...['note', 'pin', 'author.hush', 'author.pin', 'author.email', 'author.age', 'vault.code', 'createdBy.password'],
      ...['author.vault.code', 'seal.note', 'related.note', 'topics.articles.vault.code', 'createdBy.id'],
    ]) {
      expect((await site.get(`articles?sort=${key}`)).status, key).toBe(400);
      expect((await site.get(`writers?populate[articles][sort]=${key}`)).status, key).toBe(400);
    }
    // The topic has a weight, and is hidden: both articles come as if they had none.
    const other = await site.sheaf.documents(ARTICLE).create({ data: { title: 'Zero' }, status: 'published' });
    expect(namesOf(await site.get('articles?sort=topics.weight'))).toEqual(['Public', 'Zero']);
    expect(namesOf(await site.get('articles?sort=topics.weight:desc'))).toEqual(['Public', 'Zero']);
    await site.sheaf.documents(ARTICLE).delete({ documentId: other.documentId });
  });

  it('by populating: relations they may not follow, rows they may not see, attributes they may not read', async () => {
    await expectNothing([
      'articles?populate=*',
      'articles?populate=vault',
      'articles?populate[vault][fields]=code',
      'articles?populate[author][populate]=vault',
      'articles?populate[author][populate]=*',
      'articles?populate[author][fields]=email,hush,pin',
      'articles?populate[createdBy][fields]=email,password',
      'articles?populate[topics][populate]=*',
      'articles?populate[localizations][populate]=*',
      'articles?populate[seal][populate]=*&populate[parts][populate]=*',
      'writers?populate[articles][populate]=*',
      'front?populate[picks][populate]=*',
      'front?populate=*',
      'topics?populate=*',
    ]);
  });

  it('by populating with a token that may read everything that is served: what is not served', async () => {
    const creators = await site.get('vaults?populate=createdBy', reader);
    expect(creators.body.data[0].createdBy).toMatchObject({ firstname: 'Root' });
    const full = await site.token('full-access');
    for (const who of [reader, full]) {
      for (const url of [
        'vaults?populate[createdBy][populate]=apiTokens',
        'vaults?populate[createdBy][populate][apiTokens][fields]=accessKey',
        'vaults?populate[createdBy][populate]=roles',
        'vaults?populate[createdBy][populate][roles][populate]=permissions',
        'vaults?filters[createdBy][apiTokens][accessKey][$startsWith]=secret',
        'vaults?filters[createdBy][apiTokens][name]=ci',
        'vaults?filters[createdBy][roles][code][$null]=true',
        'vaults?sort=createdBy.apiTokens.accessKey',
        'vaults?populate[createdBy][fields]=email',
        'vaults?populate[createdBy][fields]=resetPasswordToken',
      ]) {
        const { status, body } = await site.get(url, who);
        expect(status, `${url} ${JSON.stringify(body)}`).toBe(400);
      }
      for (const url of ['vaults?populate[createdBy][populate]=*', 'articles?populate=*', 'vaults?populate=*']) {
        const { status, body } = await site.get(url, who);
        expect([status, JSON.stringify(body)], url).toEqual([
          200,
          expect.not.stringMatching(/secret-(key|hash|token)/),
        ]);
        expect(JSON.stringify(body), url).not.toContain('apiTokens');
      }
    }
  });

  it('by searching: in private attributes, passwords, attributes that a rule keeps back, rows that it hides', async () => {
    for (const [url, words] of [
      ['articles', ['secret', 'secret-note', 'secret-draft']],
      ['writers', ['secret', 'secret-hush', 'ann@', '33333333', '$2']],
      ['topics', ['closed', 'closed-topic']],
    ] as const)
      for (const word of words) {
        const { status, body } = await site.get(`${url}?_q=${encodeURIComponent(word)}`);
        expect([status, body.data, body.meta.pagination.total], `${url} ${word}`).toEqual([200, [], 0]);
      }
  });

  it('by counting: totals, populated counts, counts of users', async () => {
    expect((await site.get('topics')).body.meta.pagination).toMatchObject({ total: 0, pageCount: 0 });
    const { body } = await site.get('articles?populate[topics][count]=true');
    expect(body.data.map(({ topics }: Answered) => topics)).toEqual([{ count: 0 }]);
    expect((await site.get('articles?populate[vault][count]=true')).status).toBe(400);
    expect((await site.get('articles?populate[createdBy][count]=true')).status).toBe(400);
    expect((await site.get('front?populate[picks][count]=true')).body.data.picks).toEqual({ count: 0 });
    expect((await site.get('articles')).body.meta.pagination.total).toBe(1);
    expect((await site.get('users/count?filters[createdBy][$null]=true')).status).toBe(400);
  });

  it('of drafts, through a relation of what is published', async () => {
    await expectNothing([
      'writers?populate=articles',
      'writers?populate[articles][filters][publishedAt][$null]=true',
      'writers?filters[articles][title]=secret-draft',
      'writers?filters[articles][publishedAt][$null]=true',
      'topics?populate=articles',
      'front?populate=lead',
    ]);
    expect((await site.get('writers?populate[articles][count]=true')).body.data[0].articles).toEqual({ count: 1 });
    expect((await site.get('writers?populate[articles][status]=draft')).status).toBe(400);
    expect((await site.get('writers?filters[articles][status]=draft')).status).toBe(400);
    expect((await site.get('writers?filters[$not][articles][title]=Public')).body.data).toEqual([]);
  });

  it('nor sets, when registering, what is not theirs to set, nor is shown what is private', async () => {
    const person = (name: string) => ({
      username: name,
      email: `${name}@news.example`,
      password: 'a-long-phrase',
    });
    for (const [index, extra] of [
      { role: 1 },
      { role: { id: 1 } },
      { confirmed: true },
      { blocked: false },
      { resetPasswordToken: 'x' },
      { confirmationToken: 'x' },
      { id: 1 },
      { documentId: 'x' },
      { createdBy: 1 },
      { createdAt: '2020-01-01' },
      { nope: 1 },
    ].entries()) {
      const { status, body } = await site.send('POST', 'auth/local/register', { ...person(`sly${index}`), ...extra });
      expect([status, body.error?.message], JSON.stringify(extra)).toEqual([
        400,
        `Invalid parameters: ${Object.keys(extra)[0]}`,
      ]);
    }
    expect(await site.number(`select count(*) from up_users where username like 'sly%'`)).toBe(0);
    const { status, body } = await site.send('POST', 'auth/local/register', person('honest'));
    expect(status).toBe(200);
    expect(Object.keys(body.user).sort()).toEqual(
      [
        ...['blocked', 'confirmed', 'createdAt', 'documentId', 'email', 'id', 'provider', 'publishedAt'],
        ...['updatedAt', 'username'],
      ].sort(),
    );
    const role = await site.rows(
      `select r.type from up_users as u join up_users_role_lnk as l on l.user_id = u.id join up_roles as r on r.id = l.role_id where u.username = 'honest'`,
    );
    expect(role).toEqual([['authenticated']]);
    expect(JSON.stringify(body)).not.toMatch(/\$2[aby]\$|password/);
  });
});

// ------------------------------------------------------------------------------------------------------------ explain

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
    await site.grantOnly('public', reads(TOPIC, ARTICLE, WRITER));
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
