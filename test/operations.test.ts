// One door for every way in: each operation of every route, for each kind of caller, asked over HTTP and in process as
// that caller, gets the same verdict and the same answer, and what is refused changes nothing. The operations come from
// the table of routes, so that none can be forgotten.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import qs from 'qs';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Caller, systemCaller } from '../src/access/caller.ts';
import type { Operation, ReadName, ReadOperation } from '../src/access/operation.ts';
import { SheafError } from '../src/errors.ts';
import { routeTable } from '../src/http/route-table.ts';
import type { Route } from '../src/http/routes.ts';
import { ADMIN_USER, FILE, LOCALE, ROLE, USER } from '../src/model/builtin.ts';
import type { Documents } from '../src/operations/documents.ts';
import { FIRST_PAGE } from '../src/request/parse-read.ts';
import { type Json, localized, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { bearer, type Guarded, NOBODY, type Rules, useGuarded, type Who } from './support/guarded.ts';
import { SCALE } from './support/scale.ts';

const STORY = 'api::story.story';
const LABEL = 'api::label.label';
const FRONT = 'api::front.front';
const CONTENT = [STORY, LABEL, FRONT];

const string = { type: 'string' };
const attributes = { title: string, note: string, owner: { type: 'relation', relation: 'manyToOne', target: USER } };

/** A type with drafts and locales, one without, and one of a single entry. */
const PROJECT: Project = {
  locales: ['en', 'fr'],
  types: {
    story: {
      drafts: true,
      localized: true,
      attributes: { ...attributes, title: { ...string, ...localized }, others: relation('manyToMany', 'story') },
    },
    label: { attributes: { ...attributes, others: relation('manyToMany', 'label') } },
    front: { single: true, drafts: true, attributes: { ...attributes, others: relation('oneToMany', 'front') } },
  },
};

const ofContent = (rules: Json): Record<string, Json> => Object.fromEntries(CONTENT.map((uid) => [uid, rules]));
const RULES: Rules = {
  keeper: {
    ...ofContent({ rows: { find: { owner: { id: '$user.id' } } } }),
    [USER]: { rows: { find: { id: '$user.id' } } },
  },
  limited: {
    ...ofContent({ fields: { read: ['title', 'others'], write: ['title'] } }),
    [USER]: { fields: { read: ['username'], write: ['username', 'email', 'password'] } },
  },
};

// ------------------------------------------------------------------------------------------------- calls and verdicts

type Name = Operation['name'];

/** An operation with all that it is given. */
interface Call {
  readonly route: Route;
  readonly name: Name;
  readonly uid: string;
  readonly documentId: string | null;
  readonly data: Json;
  readonly parameters: Json;
}

type Verdict = 'allowed' | 'forbidden' | 'unauthorized' | 'not found' | 'invalid';

const VERDICTS: Readonly<Record<number, Verdict>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
};

interface Outcome {
  readonly verdict: Verdict;
  /** What is answered, as far as both ways answer alike: all of a read, the names in an entry that was written. */
  readonly answer: unknown;
}

const allowed = (answer: unknown): Outcome => ({ verdict: 'allowed', answer });
const NOT_FOUND: Outcome = { verdict: 'not found', answer: null };
const orNothing = (answer: unknown): Outcome => (answer === null ? NOT_FOUND : allowed(answer));
const refused = (status: number, message: string): Outcome => ({
  verdict: VERDICTS[status] ?? expect.fail(`${status} ${message}`),
  answer: null,
});
const namesIn = (entry: unknown): unknown => (entry === null ? null : Object.keys(entry as object));

const READS: ReadonlySet<Name> = new Set(['find', 'findOne', 'count', 'aggregate', 'related', 'me']);
/** Reads whose answer over HTTP is the one in process, with its `meta`. */
const PAGES: ReadonlySet<Name> = new Set(['find', 'related', 'count']);
const TAKES_DATA: ReadonlySet<Name> = new Set(['create', 'update', 'clone']);

/** What requests for related entries follow. */
const RELATION = 'others';

type InProcess = (entries: Documents, call: Call, caller: Caller, site: Guarded) => Promise<Outcome>;

/** As a request that says nothing else: what is published is read, and what is written is published. */
const published = { status: 'published' } as const;

const act =
  (verb: 'delete' | 'publish' | 'unpublish' | 'discardDraft'): InProcess =>
  async (entries, { documentId }) =>
    (await entries[verb]({ documentId })).entries.length > 0 ? allowed(null) : NOT_FOUND;

/** The account of the caller has no function among those of documents; it goes through the same door. */
const ownAccount: InProcess = async (_entries, { uid, parameters }, caller, { sheaf }) => {
  const defaults = { ...published, pagination: FIRST_PAGE };
  const operation: ReadOperation = { name: 'me', type: sheaf.model.contentTypes.get(uid)!, parameters, defaults };
  const text = await sheaf.operations.findOne(operation, caller).run({ caller });
  return orNothing(text === null ? null : JSON.parse(text));
};

const IN_PROCESS: Readonly<Record<Name, InProcess>> = {
  find: async (entries, { parameters }) => allowed(await entries.findPage({ ...parameters, ...published })),
  findOne: async (entries, { documentId, parameters }) =>
    orNothing(await entries.findOne({ ...parameters, ...published, ...(documentId !== null && { documentId }) })),
  count: async (entries, { parameters }) => allowed(await entries.count({ ...parameters, ...published })),
  me: ownAccount,
  aggregate: async (entries, { parameters }) => allowed(await entries.aggregate({ ...parameters, ...published })),
  related: async (entries, { documentId, parameters }) =>
    orNothing(
      await entries.findRelated({
        ...parameters,
        ...published,
        relation: RELATION,
        ...(documentId !== null && { documentId }),
      }),
    ),
  create: async (entries, { data }) => allowed(namesIn(await entries.create({ data, ...published }))),
  update: async (entries, { documentId, data }) =>
    orNothing(namesIn(await entries.update({ documentId, data, ...published }))),
  clone: async (entries, { documentId, data }) => allowed(namesIn(await entries.clone({ documentId, data }))),
  delete: act('delete'),
  publish: act('publish'),
  unpublish: act('unpublish'),
  discardDraft: act('discardDraft'),
};

async function inProcess(site: Guarded, who: Who | null, call: Call): Promise<Outcome> {
  const { sheaf } = site;
  try {
    const caller = who === null ? systemCaller(sheaf.model) : await sheaf.authenticate(who);
    const entries = who === null ? sheaf.documents(call.uid) : sheaf.documents(call.uid, caller);
    return await IN_PROCESS[call.name](entries, call, caller, site);
  } catch (error) {
    if (!(error instanceof SheafError)) throw error;
    return refused(error.status, error.message);
  }
}

async function overHttp(site: Guarded, who: Who, call: Call): Promise<Outcome> {
  const { route, name, uid, documentId, data, parameters } = call;
  const path = route.path
    .replace(/^\/api\//, '')
    .replace(':documentId', documentId ?? '')
    .replace(':relation', RELATION);
  const isByBody = route.reads === true && route.method !== 'GET';
  const query = isByBody ? '' : qs.stringify(parameters, { addQueryPrefix: true });
  const written = TAKES_DATA.has(name) ? (uid === USER ? data : { data }) : undefined;
  const body = isByBody ? parameters : written;
  const { status, body: answer } = await site.send(route.method, `${path}${query}`, body, who);
  if (status >= 300) return refused(status, JSON.stringify(answer));
  const entry = uid === USER ? answer : answer?.data;
  // A user who is written is shown with the role besides, over HTTP alone.
  if (uid === USER && TAKES_DATA.has(name) && entry) delete entry.role;
  if (PAGES.has(name)) return allowed(answer);
  if (READS.has(name)) return allowed(entry);
  return allowed(TAKES_DATA.has(name) ? namesIn(entry) : null);
}

/** The actions that an operation needs. */
function needs({ name, uid }: Pick<Call, 'name' | 'uid'>): string[] {
  if (uid === USER && name === 'count') return [`${USER}.count`, `${USER}.find`];
  if (uid === USER && name === 'delete') return [`${USER}.destroy`];
  if (name === 'aggregate') return [`${uid}.find`];
  // The document, and those of the same type that it leads to.
  if (name === 'related') return uid === FRONT ? [`${uid}.find`] : [`${uid}.findOne`, `${uid}.find`];
  return [`${uid}.${uid === FRONT && name === 'findOne' ? 'find' : name}`];
}

// ------------------------------------------------------------------------------------------------------------ callers

interface Site {
  readonly site: Guarded;
  readonly routes: readonly Route[];
  readonly people: Readonly<Record<string, Identity>>;
  readonly reader: Who;
  readonly full: Who;
}

/** Who asks; `who` is null for the system, which has no way in but this process. */
interface Identity {
  readonly who: Who | null;
  readonly id?: number;
  readonly documentId?: string;
}

interface Asker {
  readonly may: 'nothing' | 'this' | 'read' | 'everything';
  identify(at: Site, call: Pick<Call, 'name' | 'uid'>): Promise<Identity>;
  readonly isUser?: boolean;
  /** Whose the entries are that it asks about, where a rule minds. */
  readonly entries?: 'own' | 'foreign';
  readonly refusal?: Verdict;
}

const person = (role: string) => async (at: Site) => at.people[role]!;
const another = (role: string) => (at: Site) => at.site.person(role);
const publicWith =
  (grants: (call: Pick<Call, 'name' | 'uid'>) => string[]) => async (at: Site, call: Pick<Call, 'name' | 'uid'>) => {
    await at.site.grantOnly('public', grants(call));
    return { who: NOBODY };
  };

const ASKERS: Readonly<Record<string, Asker>> = {
  'the system': { may: 'everything', identify: async () => ({ who: null }) },
  'the public': { may: 'nothing', identify: publicWith(() => ['plugin::users-permissions.auth.callback']) },
  'the public that is granted exactly this': { may: 'this', identify: publicWith(needs) },
  'the public that is granted nothing at all': {
    may: 'nothing',
    refusal: 'unauthorized',
    identify: publicWith(() => []),
  },
  'someone with a token that is none': {
    may: 'nothing',
    refusal: 'unauthorized',
    identify: async () => ({ who: bearer('0'.repeat(256)) }),
  },
  'a user without rights': { may: 'nothing', isUser: true, identify: person('none') },
  'a user with exactly this right': {
    may: 'this',
    isUser: true,
    identify: async ({ site, people }, call) => {
      await site.grantOnly('exact', needs(call));
      return people.exact!;
    },
  },
  'a user with every right but this': {
    may: 'nothing',
    isUser: true,
    identify: async ({ site, people }, call) => {
      await site.auth.roles.grant('rest', ['*']);
      await site.auth.roles.revoke('rest', needs(call));
      return people.rest!;
    },
  },
  'a user with all rights': { may: 'everything', isUser: true, identify: person('all') },
  'a user under a rule on rows, about what is theirs': {
    may: 'everything',
    isUser: true,
    entries: 'own',
    identify: another('keeper'),
  },
  'a user under a rule on rows, about what is not theirs': {
    may: 'everything',
    isUser: true,
    entries: 'foreign',
    identify: another('keeper'),
  },
  'a user under a rule on attributes': { may: 'everything', isUser: true, identify: person('limited') },
  'a custom token without rights': {
    may: 'nothing',
    identify: async ({ site }) => ({ who: await site.token('custom') }),
  },
  'a custom token with exactly this right': {
    may: 'this',
    identify: async ({ site }, call) => ({ who: await site.token('custom', needs(call)) }),
  },
  'a token that may read': { may: 'read', identify: async ({ reader }) => ({ who: reader }) },
  'a token with full access': { may: 'everything', identify: async ({ full }) => ({ who: full }) },
};

/** What a token that may read is for. */
const READ_BY_TOKEN: ReadonlySet<Name> = new Set(['find', 'findOne', 'aggregate', 'related']);

/** How a call ends that is right in itself. */
function verdictOn({ may, entries, refusal = 'forbidden', isUser = false }: Asker, name: Name): Verdict {
  const isGranted = may === 'read' ? READ_BY_TOKEN.has(name) : may !== 'nothing';
  if (!isGranted) return refusal;
  if (name === 'me') return isUser ? 'allowed' : 'unauthorized';
  return entries === 'foreign' && !['find', 'count', 'aggregate', 'create'].includes(name) ? 'not found' : 'allowed';
}

// -------------------------------------------------------------------------------------------------------------- tests

const NO_DOCUMENT = 'a'.repeat(24);
const ROLES = ['none', 'exact', 'rest', 'all', 'keeper', 'limited'];

describeOnEveryDatabase('Every operation', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let at: Site;
  let everything: string;
  let made = 0;

  beforeAll(async () => {
    site = await guarded.open(PROJECT, { rules: RULES });
    for (const role of ROLES) await site.auth.roles.create(role);
    for (const role of ['all', 'keeper', 'limited']) await site.grantOnly(role, ['*']);
    await site.grantOnly('none', []);
    const people: Record<string, Identity> = {};
    for (const role of ROLES) people[role] = await site.person(role);
    // Files are bytes beside their rows; test/access.test.ts asks their routes of every role.
    const routes = routeTable(site.sheaf, site.auth).filter(
      ({ operation }) => operation !== null && operation.type.uid !== FILE,
    );
    const [reader, full] = [await site.token('read-only'), await site.token('full-access')];
    at = { site, routes, people, reader, full };
    everything = await dumpStatement();
  });

  /** The same project with an own controller of stories and own lifecycles of labels. */
  let siteWithCode: Promise<Guarded> | null = null;
  function withCode(): Promise<Guarded> {
    siteWithCode ??= openWithCode();
    return siteWithCode;
  }
  function openWithCode(): Promise<Guarded> {
    const folder = guarded.projectWith(PROJECT, { rules: RULES });
    for (const [file, text] of [
      ['src/api/story/controllers/story.js', 'module.exports = { find(ctx) {} };'],
      ['src/api/label/content-types/label/lifecycles.js', 'module.exports = { beforeCreate() {} };'],
      ['config/sheaf.json', '{"runStrapiCode": false}'],
    ] as const) {
      mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    return guarded.open(folder, { database: site.database });
  }

  /** All that the database holds of content and of people. */
  async function dumpStatement(): Promise<string> {
    const roots = ['storys', 'labels', 'fronts', 'up_users', 'strapi_sessions'];
    const tables = [...(await site.sheaf.database.describe())].filter(([table]) =>
      roots.some((root) => table === root || table.startsWith(`${root}_`)),
    );
    const parts = tables.map(([table, { columns }]) => {
      const texts = [...columns.keys()].map((column) => `coalesce(cast("${column}" as text), '-')`);
      return `select '${table}' as place, ${texts.join(` || '|' || `)} as held from "${table}"`;
    });
    return `select place, held from (${parts.join(' union all ')}) as everything order by place, held`;
  }
  const dump = async (): Promise<string> => JSON.stringify(await site.rows(everything));

  // What earlier tests left would only make this slow.
  beforeEach(async () => {
    for (const table of ['storys', 'labels', 'fronts']) await site.execute(`delete from ${table}`);
    const kept = Object.values(at.people).map(({ id }) => id);
    await site.execute(`delete from up_users where id not in (${kept.join()})`);
  });

  /** A document that an operation can be about. */
  async function subject({ entries: whose }: Asker, asking: Identity, uid: string): Promise<string> {
    const name = `subject${++made}`;
    const isOwn = whose === 'own';
    if (uid === USER && isOwn) return asking.documentId!;
    const entries = site.sheaf.documents(uid);
    if (uid === USER)
      return (await entries.create({ data: { username: name, email: `${name}@people.example` } })).documentId;
    const data = { title: name, note: 'kept', owner: isOwn ? asking.id : at.people.all!.id };
    return (await (uid === FRONT ? entries.update({ data, ...published }) : entries.create({ data, ...published })))!
      .documentId;
  }

  const dataFor = (uid: string): Json => {
    const name = `written${++made}`;
    return uid === USER
      ? { username: name, email: `${name}@people.example`, password: 'a-long-phrase' }
      : { title: name };
  };

  const parametersOf = (name: Name): Json => (name === 'aggregate' ? { count: '*' } : {});

  interface Variation {
    /** Null where the operation takes nothing that could vary so. */
    vary(call: Call): Call | null;
    verdict(usual: Verdict, operation: { readonly name: Name; readonly uid: string }): Verdict;
  }

  const AS_IT_IS: Variation = { vary: (call) => call, verdict: (usual) => usual };

  /** What is surprising about the verdicts on an operation, asked both ways. */
  async function surprises(title: string, asker: Asker, route: Route, { vary, verdict }: Variation): Promise<string[]> {
    const { name, type } = route.operation!;
    const { uid } = type;
    const expected = verdict(verdictOn(asker, name), { name, uid });
    const prepare = async () => {
      const asking = await asker.identify(at, { name, uid });
      return { asking, id: name === 'create' ? null : await subject(asker, asking, uid) };
    };
    // What leaves no traces can be about the same, so that answers can be compared.
    const shared = READS.has(name) || expected !== 'allowed' ? await prepare() : null;
    const wrong: string[] = [];
    const outcomes: Outcome[] = [];
    for (const way of ['over HTTP', 'in process']) {
      const { asking, id } = shared ?? (await prepare());
      const documentId = route.path.includes(':documentId') ? id : null;
      const data = TAKES_DATA.has(name) ? dataFor(uid) : {};
      const call = vary({ route, name, uid, documentId, data, parameters: parametersOf(name) });
      if (!call) return [];
      if (way === 'over HTTP' && asking.who === null) continue;
      // What may change anything is not looked at, but for whether something is gone.
      const isWatched = expected !== 'allowed' || name === 'delete';
      const before = isWatched ? await dump() : null;
      let outcome = await (way === 'over HTTP' ? overHttp(site, asking.who!, call) : inProcess(site, asking.who, call));
      const isSame = !isWatched || (await dump()) === before;
      // Over HTTP, deleting nothing is answered like deleting something.
      if (name === 'delete' && outcome.verdict === 'allowed' && isSame) outcome = NOT_FOUND;
      const told = `${title}: ${name} ${uid} ${way}`;
      if (outcome.verdict !== expected) wrong.push(`${told}: ${outcome.verdict}, not ${expected}`);
      if (outcome.verdict !== 'allowed' && !isSame) wrong.push(`${told}: ${outcome.verdict}, but something changed`);
      outcomes.push(outcome);
    }
    const [one, other] = outcomes.map(({ answer }) => JSON.stringify(answer));
    if (other !== undefined && one !== other) wrong.push(`${title}: ${name} ${uid}: ${one} over HTTP, but ${other}`);
    return wrong;
  }

  async function surprisesTo(title: string, variation: Variation = AS_IT_IS): Promise<string[]> {
    const wrong: string[] = [];
    for (const route of routesFor(title)) wrong.push(...(await surprises(title, ASKERS[title]!, route, variation)));
    return wrong;
  }

  /**
   * Every operation, by as many of its routes as the scale says, and other routes for each asker; together they ask them
   * all. A verdict does not depend on the database, so the second one is asked for every other operation.
   */
  function routesFor(title: string): Route[] {
    const number = Object.keys(ASKERS).indexOf(title);
    const each = engine.name === 'SQLite' || SCALE > 1 ? 1 : 2;
    return [...Map.groupBy(at.routes, ({ operation }) => operation!.name).values()]
      .filter((_routes, index) => (index + number) % each === 0)
      .flatMap((routes) => {
        const first = number % routes.length;
        return [...routes.slice(first), ...routes.slice(0, first)].slice(0, SCALE);
      });
  }

  it('has a route, and every route of content is one', () => {
    const names = new Set(at.routes.map(({ operation }) => operation!.name));
    expect([...names].sort()).toEqual(Object.keys(IN_PROCESS).sort());
    const uids = new Set(at.routes.map(({ operation }) => operation!.type.uid));
    expect([...uids].sort()).toEqual([...CONTENT, USER].sort());
    expect(at.routes).toHaveLength(15 + 12 + 7 + 7);
  });

  it.each(Object.keys(ASKERS))('ends for %s in process as over HTTP', async (title) => {
    expect(await surprisesTo(title)).toEqual([]);
  });

  it.each([
    'the system',
    'the public that is granted exactly this',
    'the public that is granted nothing at all',
    'a user with all rights',
    'a user under a rule on rows, about what is theirs',
    'a custom token with exactly this right',
    'a token that may read',
    'a token with full access',
  ])('is forbidden where the project has code of its own in front of it that is not run: %s', async (title) => {
    const [openSite, openAt] = [site, at];
    try {
      site = await withCode();
      at = { ...at, site };
      const wrong = await surprisesTo(title, {
        vary: (call) => call,
        verdict(usual, { name, uid }) {
          const isWithheld = uid === STORY || (uid === LABEL && !READS.has(name));
          return isWithheld && title !== 'the system' && usual !== 'unauthorized' ? 'forbidden' : usual;
        },
      });
      expect(wrong).toEqual([]);
    } finally {
      [site, at] = [openSite, openAt];
    }
  });

  it.each(['a user with all rights', 'a user with every right but this', 'a token with full access'])(
    'ends in process as over HTTP where there is no such document, for %s',
    async (title) => {
      const wrong = await surprisesTo(title, {
        vary: (call) => (call.documentId === null ? null : { ...call, documentId: NO_DOCUMENT }),
        verdict: (usual) => (usual === 'allowed' ? 'not found' : usual),
      });
      expect(wrong).toEqual([]);
    },
  );

  /** The same call with a name that there is not, or not for everyone: in what it writes, or in what it asks for. */
  const naming = (nameOf: (call: Call) => string): Variation => ({
    vary: (call) => {
      const name = nameOf(call);
      if (TAKES_DATA.has(call.name)) return { ...call, data: { ...call.data, [name]: 'x' } };
      if (call.name === 'count' || call.name === 'aggregate')
        return { ...call, parameters: { ...call.parameters, filters: { [name]: 'x' } } };
      return READS.has(call.name) ? { ...call, parameters: { fields: [name] } } : null;
    },
    verdict: (usual) => (usual === 'allowed' || usual === 'not found' ? 'invalid' : usual),
  });

  it.each([
    'the system',
    'the public that is granted nothing at all',
    'a user with exactly this right',
    'a user with every right but this',
    'a user under a rule on rows, about what is not theirs',
    'a token with full access',
  ])('is refused for a name that does not exist in process as over HTTP: %s', async (title) => {
    const misspelt = naming(() => 'nope');
    expect(await surprisesTo(title, misspelt)).toEqual([]);
  });

  it('is refused in process as over HTTP for a name that a rule keeps back', async () => {
    const keptBack = naming(({ uid }) => (uid === USER ? 'provider' : 'note'));
    expect(await surprisesTo('a user under a rule on attributes', keptBack)).toEqual([]);
  });

  // ---------------------------------------------------------------------------------- what has no way in over HTTP

  const inProcessAs = async (who: Who): Promise<(uid: string) => Documents> => {
    const caller = await site.sheaf.authenticate(who);
    return (uid) => site.sheaf.documents(uid, caller);
  };
  const statusOf = async (work: () => Promise<unknown>): Promise<number> => {
    try {
      await work();
    } catch (error) {
      if (error instanceof SheafError) return error.status;
      throw error;
    }
    return 200;
  };

  it('that has no route is refused to everyone but the system: a second entry of a single type', async () => {
    for (const who of [at.people.all!.who!, at.full]) {
      const entries = (await inProcessAs(who))(FRONT);
      const before = await dump();
      expect(await statusOf(() => entries.create({ data: { title: 'Second' } }))).toBe(403);
      expect(await statusOf(() => entries.clone({ data: {} }))).toBe(403);
      expect(await dump()).toBe(before);
    }
  });

  it('that has no route is refused to everyone but the system: what is seen through relations alone', async () => {
    for (const who of [at.full, at.reader, at.people.all!.who!]) {
      const entriesOf = await inProcessAs(who);
      const before = await dump();
      for (const uid of [LOCALE, ADMIN_USER]) {
        const entries = entriesOf(uid);
        expect(await statusOf(() => entries.findMany({ status: 'published' })), uid).toBe(404);
        expect(await statusOf(() => entries.count({ status: 'published' })), uid).toBe(404);
        expect(await statusOf(() => entries.create({ data: {} })), uid).toBe(404);
        expect(await statusOf(() => entries.delete({ documentId: NO_DOCUMENT })), uid).toBe(404);
      }
      expect(await dump()).toBe(before);
    }
    expect((await site.sheaf.documents(LOCALE).findMany()).length).toBe(2);
    expect(() => site.sheaf.documents(ROLE)).toThrow('There is no content-type');
  });

  it('on users leaves no two accounts with one address: nobody clones them, not even the system', async () => {
    const { documentId } = await site.person('all');
    const data = { username: 'another-name' };
    const before = await dump();
    expect(await statusOf(() => site.sheaf.documents(USER).clone({ documentId, data }))).toBe(400);
    const full = (await inProcessAs(at.full))(USER);
    expect(await statusOf(() => full.clone({ documentId, data }))).toBe(400);
    expect(await statusOf(() => full.clone({ documentId, data: { ...data, confirmationToken: 'x' } }))).toBe(400);
    const all = (await inProcessAs(at.people.all!.who!))(USER);
    expect(await statusOf(() => all.clone({ documentId, data }))).toBe(403);
    expect(await dump()).toBe(before);
  });

  it('that counts entries in process needs the right to list them', async () => {
    for (const uid of CONTENT) {
      await site.grantOnly('exact', [`${uid}.find`]);
      const entries = (await inProcessAs(at.people.exact!.who!))(uid);
      expect(await statusOf(() => entries.count({ status: 'published' }))).toBe(200);
      await site.grantOnly('exact', [`${uid}.update`, `${USER}.count`]);
      const without = (await inProcessAs(at.people.exact!.who!))(uid);
      expect(await statusOf(() => without.count({ status: 'published' }))).toBe(403);
    }
  });

  it('that counts users needs the right to count and the right to list them, both ways in', async () => {
    for (const [granted, status] of [
      [['count'], 403],
      [['find'], 403],
      [['count', 'find'], 200],
    ] as const) {
      await site.grantOnly(
        'exact',
        granted.map((verb) => `${USER}.${verb}`),
      );
      const { who } = at.people.exact!;
      expect((await site.get('users/count', who!)).status).toBe(status);
      const users = (await inProcessAs(who!))(USER);
      expect(await statusOf(() => users.count())).toBe(status);
    }
  });

  it('on what is not served at all is refused to everyone', async () => {
    const { operations, model } = site.sheaf;
    const type = model.contentTypes.get(ROLE)!;
    const defaults = { ...published, pagination: FIRST_PAGE };
    const written = { type, documentId: NO_DOCUMENT, data: {}, parameters: {}, defaultStatus: 'published' } as const;
    for (const caller of [systemCaller(model), await site.sheaf.authenticate(at.full)]) {
      expect(
        await statusOf(async () => operations.find({ name: 'find', type, parameters: {}, defaults }, caller)),
      ).toBe(404);
      expect(await statusOf(() => operations.write({ ...written, name: 'delete' }, caller))).toBe(404);
    }
  });

  it('that was prepared for one caller runs for nobody with other rights', async () => {
    const { operations, model } = site.sheaf;
    const [one, other] = [await site.sheaf.authenticate(at.people.all!.who!), await site.sheaf.authenticate(at.reader)];
    const reading = (name: ReadName): ReadOperation => ({
      name,
      type: model.contentTypes.get(LABEL)!,
      parameters: {},
      defaults: { ...published, pagination: FIRST_PAGE },
    });
    await site.sheaf.documents(LABEL).create({ data: { title: 'Seen' } });
    const [list, entry] = [operations.find(reading('find'), one), operations.findOne(reading('findOne'), one)];
    for (const run of [
      async () => list.run({ caller: other }),
      async () => entry.run({ caller: other, documentId: NO_DOCUMENT }),
      async () => entry.latest({ caller: other, documentId: NO_DOCUMENT }),
    ])
      await expect(run()).rejects.toThrow('prepared');
    expect((await list.run({ caller: one })).total).toBeGreaterThan(0);
  });
});
