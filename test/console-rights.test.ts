// What accounts of the console may do, by permissions that are generated: every operation in every state of an entry,
// in process and over HTTP, must go as a naive reading of the permissions says, and must change nothing where it is refused. What
// an account may not read makes no difference to any answer. SHEAF_TEST_SCALE and SHEAF_TEST_SEED give more and others.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Access } from '../src/access/access.ts';
import { LIST_LOCALES, READ_OWN_ACCOUNT } from '../src/access/actions.ts';
import type { Caller } from '../src/access/caller.ts';
import type { EditorGrants } from '../src/access/editor-permissions.ts';
import { editorRights } from '../src/access/editor-rights.ts';
import type { ConsoleRight } from '../src/console/contract.ts';
import { SheafError } from '../src/errors.ts';
import { consoleRoutes } from '../src/http/console/console-routes.ts';
import { RequestLoad } from '../src/http/request-load.ts';
import { documentRoutes } from '../src/http/route-table.ts';
import type { CachedRequest } from '../src/http/routes.ts';
import { Lru } from '../src/lru.ts';
import type { Model } from '../src/model/types.ts';
import { hashPassword } from '../src/passwords.ts';
import { cookieOf, PASSWORD } from './support/auth.ts';
import {
  type Answered,
  type Content,
  GUIDE_PROJECT,
  localized,
  type Project,
  relation,
  useContents,
} from './support/content.ts';
import { describeOnEveryDatabase, type Engine } from './support/database.ts';
import {
  defaultGrants,
  editorWith,
  grantsOf,
  HAS_SAME_ROLE,
  IS_CREATOR,
  type Permission,
  SUPER_ADMIN_GRANTS,
} from './support/editors.ts';
import { type NaiveEntry, NaivePermissions } from './support/naive-permissions.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';

const POST = 'api::post.post';
const NOTE = 'api::note.note';
const HOME = 'api::home.home';
const string = { type: 'string' };

const PROJECT: Project = {
  locales: ['en', 'fr'],
  types: {
    post: {
      drafts: true,
      localized: true,
      attributes: {
        title: { ...string, ...localized },
        body: string,
        hush: { ...string, private: true },
        seo: { type: 'component', component: 'kit.seo', ...localized },
        notes: relation('manyToMany', 'note', { inversedBy: 'posts' }),
        cover: { type: 'media', multiple: false },
      },
    },
    note: {
      attributes: {
        text: string,
        rank: { type: 'integer' },
        posts: relation('manyToMany', 'post', { mappedBy: 'notes' }),
      },
    },
    home: { single: true, drafts: true, attributes: { title: string, body: string } },
  },
  components: { 'kit.seo': { url: string, words: string } },
};
const LEAVES = { seo: ['url', 'words'] };
const NAMES: Readonly<Record<string, readonly string[]>> = {
  [POST]: ['title', 'body', 'hush', 'seo', 'notes', 'cover'],
  [NOTE]: ['text', 'rank', 'posts'],
  [HOME]: ['title', 'body'],
};
const TABLES: Readonly<Record<string, string>> = { [POST]: 'posts', [NOTE]: 'notes', [HOME]: 'homes' };
const HAS_DRAFTS = new Set([POST, HOME]);
const UIDS = [POST, NOTE, HOME];
const RIGHTS = ['create', 'read', 'update', 'delete', 'publish'];

/** Whoever asks, a colleague with the same role, and someone with another one. */
const [ME, COLLEAGUE, STRANGER] = [1, 2, 3];
const ROLES: ReadonlyMap<number, readonly number[]> = new Map([
  [ME, [1, 2]],
  [COLLEAGUE, [2]],
  [STRANGER, [3]],
]);
/** Those of whoever asks, as they are stored. */
const ROLE_IDS = [101, 102];

/** A row of a version, with its attributes that are scalar. */
interface StoredRow extends NaiveEntry {
  readonly id: number;
  readonly documentId: string;
  readonly published: boolean;
}

async function rowsOf(content: Content, uid: string): Promise<StoredRow[]> {
  const rows = await content.rows(
    `select id, document_id, locale, published_at is not null, created_by_id from ${TABLES[uid]} order by id`,
  );
  return rows.map(([id, documentId, locale, published, creator]) => ({
    id: Number(id),
    documentId,
    locale: uid === POST ? locale : null,
    published: Boolean(published),
    creator: creator === null ? null : Number(creator),
  }));
}

/** Everything in the tables of the project. */
async function contentOf(content: Content): Promise<string> {
  const tables = ['posts', 'notes', 'homes', 'posts_notes_lnk', 'posts_cmps', 'components_kit_seos'];
  const texts: string[] = [];
  for (const table of tables) texts.push(JSON.stringify(await content.rows(`select * from ${table} order by id`)));
  return texts.join('\n');
}

/** Accounts whose password is PASSWORD, and their roles. */
async function addAccounts(content: Content): Promise<void> {
  const hash = await hashPassword(PASSWORD);
  for (const id of ROLES.keys())
    await content.execute(
      `insert into admin_users (id, document_id, firstname, email, password, registration_token, is_active, blocked) values (${id}, 'account${id}', 'Name ${id}', 'account${id}@example.com', '${hash}', 'hidden${id}', true, false)`,
    );
  for (const id of [1, 2, 3])
    await content.execute(
      `insert into admin_roles (id, document_id, name, code) values (${id + 100}, 'walked${id}', 'Walked ${id}', 'walked-${id}')`,
    );
  for (const [user, roles] of ROLES)
    for (const role of roles)
      await content.execute(`insert into admin_users_roles_lnk (user_id, role_id) values (${user}, ${role + 100})`);
}

/** Entries that each of the accounts made, in each state there is. */
async function fill(content: Content): Promise<void> {
  for (const creator of [ME, COLLEAGUE, STRANGER]) {
    const as = editorWith(content.sheaf.model, SUPER_ADMIN_GRANTS, creator);
    const seo = { url: 'u', words: 'w' };
    const { documentId: note } = await content.sheaf
      .documents(NOTE, as)
      .create({ data: { text: `n${creator}`, rank: creator } });
    const posts = content.sheaf.documents(POST, as);
    const data = { title: `t${creator}`, body: `b${creator}`, hush: 'h', seo, notes: [note] };
    const { documentId } = await posts.create({ data, status: 'published' });
    await posts.update({ documentId, data: { title: `changed${creator}` }, status: 'draft' });
    if (creator !== STRANGER) await posts.update({ documentId, data: { title: 'fr' }, locale: 'fr', status: 'draft' });
    await posts.create({ data: { title: 'draft', seo }, status: 'draft' });
  }
  await content.sheaf.documents(POST).create({ data: { title: 'of nobody' }, status: 'published' });
}

// ------------------------------------------------------------------------------------------------------ the walk

interface Step {
  readonly name: 'create' | 'update' | 'delete' | 'publish' | 'unpublish' | 'discardDraft' | 'clone' | 'find';
  readonly uid: string;
  /** Which of the documents. */
  readonly document: number;
  readonly locale: 'en' | 'fr';
  readonly status: 'draft' | 'published';
  readonly names: readonly string[];
}

const permission: fc.Arbitrary<Permission> = fc
  .record({
    action: fc.constantFrom(...RIGHTS),
    subject: fc.constantFrom(...UIDS),
    subset: fc.integer({ min: 0, max: 63 }),
    listed: fc.constantFrom('all', 'all', 'some', 'parts'),
    locales: fc.constantFrom(null, null, ['en'], ['fr'], ['en', 'fr'], undefined),
    conditions: fc.constantFrom(
      [],
      [],
      [],
      [IS_CREATOR],
      [HAS_SAME_ROLE],
      [IS_CREATOR, HAS_SAME_ROLE],
      ['api::post.own'],
    ),
  })
  .map(({ subset, listed, locales, ...rest }) => {
    const names = NAMES[rest.subject]!.filter((_, index) => listed !== 'some' || (subset >> index) & 1);
    const paths = names.flatMap((name) => (name === 'seo' ? LEAVES.seo.map((leaf) => `seo.${leaf}`) : [name]));
    const fields = listed === 'parts' ? paths.filter((path) => path !== 'seo.words') : paths;
    const hasFields = ['create', 'read', 'update'].includes(rest.action);
    return {
      ...rest,
      ...(hasFields && { fields: listed === 'all' && subset < 16 ? null : fields }),
      ...(rest.subject === POST && locales !== undefined && { locales }),
    };
  });

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom<Step['name'][]>(
    ...(['create', 'update', 'update', 'update', 'delete', 'publish', 'unpublish'] as const),
    ...(['discardDraft', 'clone', 'find', 'find', 'find'] as const),
  ),
  uid: fc.constantFrom(POST, POST, POST, NOTE, HOME),
  document: fc.nat(20),
  locale: fc.constantFrom('en', 'en', 'fr'),
  status: fc.constantFrom('draft', 'published'),
  names: fc.subarray(['title', 'body', 'hush', 'seo', 'text', 'rank'], { minLength: 1, maxLength: 2 }),
});

const VALUES: Readonly<Record<string, unknown>> = {
  title: 'new',
  body: 'new',
  hush: 'new',
  seo: { url: 'new', words: 'new' },
  text: 'new',
  rank: 9,
};

/** What a step does, with what it is about. */
interface Asked {
  readonly step: Step;
  readonly names: readonly string[];
  readonly documentId: string;
  readonly locale: string | null;
  /** All of the document. */
  readonly rows: readonly StoredRow[];
}

const inLocale = ({ rows, locale }: Asked): readonly StoredRow[] => rows.filter((row) => row.locale === locale);

/** Whether permissions, read naively, let a write be. */
function mayWrite(naive: NaivePermissions, asked: Asked): boolean {
  const { step, locale, names, rows } = asked;
  const { uid, name, status } = step;
  const own: NaiveEntry = { locale, creator: ME };
  const here = inLocale(asked);
  const publishes = (name === 'create' || name === 'update') && status === 'published' && HAS_DRAFTS.has(uid);
  const every = (right: string, entries: readonly NaiveEntry[]): boolean =>
    entries.every((entry) => naive.has(right, uid, entry));
  switch (name) {
    case 'create':
      return (
        naive.names('create', uid, own, names) &&
        naive.has('create', uid, own) &&
        (!publishes || every('publish', [own]))
      );
    case 'update': {
      if (!naive.has('update', uid)) return false;
      if (here.length > 0)
        return (
          every('update', publishes ? here : here.filter((row) => !HAS_DRAFTS.has(uid) || !row.published)) &&
          here.every((row) => naive.names('update', uid, row, names)) &&
          (!publishes || every('publish', here))
        );
      const isAllowed = naive.has('create', uid, own) && naive.names('create', uid, own, names);
      // Who adds a locale changes what its document has in all of them.
      return (
        isAllowed &&
        (!publishes || every('publish', [own])) &&
        every('update', [...rows.map(({ creator }) => ({ locale, creator })), own]) &&
        naive.names('update', uid, rows[0] ? { locale, creator: rows[0].creator } : own, names)
      );
    }
    case 'delete':
      return every('delete', here);
    case 'publish':
    case 'unpublish':
      return every('publish', here);
    case 'discardDraft':
      return every('update', here);
    default:
      return (
        naive.has('read', uid) &&
        every('read', here) &&
        naive.has('create', uid, own) &&
        naive.names('create', uid, own, NAMES[uid]!)
      );
  }
}

/** What a request was answered with. */
interface Found {
  readonly status: number;
  readonly entries: readonly Answered[];
}

/** How operations get to the server. */
interface Way {
  /** Whether it was done. What it did is undone where that is possible. */
  write(asked: Asked): Promise<boolean>;
  list(asked: Asked, filters: Readonly<Record<string, unknown>>): Promise<Found>;
}

class Undo extends Error {}

/** Does something, and undoes it. */
const undone = (content: Content, work: () => Promise<void>): Promise<void> =>
  content.sheaf
    .transaction(async () => {
      await work();
      throw new Undo();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error;
    });

const dataOf = ({ names }: Asked) => Object.fromEntries(names.map((one) => [one, VALUES[one]]));

/** By calls in this process. */
class InProcess implements Way {
  readonly #content: Content;
  readonly #caller: Caller;

  constructor(content: Content, caller: Caller) {
    this.#content = content;
    this.#caller = caller;
  }

  async write(asked: Asked): Promise<boolean> {
    let isDone = false;
    await undone(this.#content, async () => {
      const before = await contentOf(this.#content);
      isDone = await this.#do(asked).catch(refused);
      if (!isDone) expect(await contentOf(this.#content)).toBe(before);
    });
    return isDone;
  }

  async #do(asked: Asked): Promise<boolean> {
    const { uid, name, status } = asked.step;
    const documents = this.#content.sheaf.documents(uid, this.#caller);
    const where = asked.locale === null ? {} : { locale: asked.locale };
    const target = uid === HOME ? {} : { documentId: asked.documentId };
    const data = dataOf(asked);
    if (name === 'create') return (await documents.create({ data, status, ...where })) !== undefined;
    if (name === 'clone') return (await documents.clone({ ...target, data: {}, ...where })) !== undefined;
    if (name === 'update') {
      const before = await contentOf(this.#content);
      const found = await documents.update({ ...target, data, status, ...where });
      // The answer is null as well where the entry may not be found.
      return found !== null || (await contentOf(this.#content)) !== before;
    }
    const { entries } = await documents[name as 'publish']({ ...target, ...where });
    return name === 'delete' ? entries.length > 0 : true;
  }

  async list({ step: { uid, status }, locale }: Asked, filters: Readonly<Record<string, unknown>>): Promise<Found> {
    const documents = this.#content.sheaf.documents(uid, this.#caller);
    const where = { status, filters: filters as never, ...(locale !== null && { locale }) };
    try {
      if (uid !== HOME) {
        const entries = await documents.findMany(where);
        expect(await documents.count(where)).toBe(entries.length);
        return { status: 200, entries };
      }
      const entry = await documents.findOne(where);
      return { status: 200, entries: entry === null ? [] : [entry] };
    } catch (error) {
      if (!(error instanceof SheafError)) throw error;
      return { status: error.status, entries: [] };
    }
  }
}

function refused(error: unknown): boolean {
  if (!(error instanceof SheafError) || error.status >= 500) throw error;
  return false;
}

/** By requests of the console, of someone who is logged in. */
class OverHttp implements Way {
  readonly #content: Content;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(content: Content, cookie: string) {
    this.#content = content;
    this.#headers = { 'x-sheaf-console': '1', 'content-type': 'application/json', cookie };
  }

  static async logIn(content: Content, email: string): Promise<OverHttp> {
    const answer = await content.sendTo('POST', '/console/api/session', {
      headers: { 'x-sheaf-console': '1', 'content-type': 'application/json' },
      payload: JSON.stringify({ email, password: PASSWORD }),
    });
    const { name, value } = cookieOf(answer);
    return new OverHttp(content, `${name}=${value}`);
  }

  /** Of the routes of the API. */
  ask(method: string, path: string, body?: unknown) {
    return this.askFor(method, `rest/${path}`, body);
  }

  askFor(method: string, path: string, body?: unknown) {
    return this.#content.sendTo(method, `/console/api/${path}`, {
      headers: this.#headers,
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  }

  async write(asked: Asked): Promise<boolean> {
    const { uid, name, status } = asked.step;
    const entry = uid === HOME ? 'home' : `${TABLES[uid]}/${asked.documentId}`;
    const locale = asked.locale === null ? '' : `locale=${asked.locale}`;
    const before = await contentOf(this.#content);
    const data = dataOf(asked);
    const send = () => {
      if (name === 'create') return this.ask('POST', `${TABLES[uid]}?status=${status}&${locale}`, { data });
      if (name === 'update') return this.ask('PUT', `${entry}?status=${status}&${locale}`, { data });
      if (name === 'delete') return this.ask('DELETE', `${entry}?${locale}`);
      return this.ask('POST', `${entry}/actions/${name}?${locale}`, name === 'clone' ? { data: {} } : undefined);
    };
    const answer = await send();
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
    // What is not there for someone is deleted with success.
    const isDone = answer.status < 300 && (name !== 'delete' || (await contentOf(this.#content)) !== before);
    if (!isDone) expect(await contentOf(this.#content)).toBe(before);
    return isDone;
  }

  async list({ step: { uid, status }, locale }: Asked, filters: Readonly<Record<string, unknown>>): Promise<Found> {
    const names = Object.keys(filters).map((name) => `filters[${name}][$notNull]=true`);
    const parameters = [`status=${status}`, ...(locale === null ? [] : [`locale=${locale}`]), ...names].join('&');
    const answer = await this.ask(
      'GET',
      `${uid === HOME ? 'home' : TABLES[uid]}?${parameters}&pagination[pageSize]=100`,
    );
    if (uid === HOME && answer.status === 404) return { status: 200, entries: [] };
    if (answer.status !== 200) return { status: answer.status, entries: [] };
    const { data, meta } = answer.body;
    if (uid !== HOME) expect(meta.pagination.total).toBe(data.length);
    return { status: 200, entries: uid === HOME ? [data] : data };
  }
}

class Walk {
  readonly #content: Content;
  readonly #way: Way;
  readonly #naive: NaivePermissions;
  readonly #access: Access;
  /** Whether permissions of several roles could not be added up, so that less is allowed than each of them says. */
  readonly #isStricter: boolean;

  constructor(content: Content, permissions: readonly Permission[], way: (caller: Caller) => Way) {
    this.#content = content;
    const grants = grantsOf(permissions, ROLE_IDS);
    const caller = editorWith(content.sheaf.model, grants, ME);
    this.#way = way(caller);
    this.#access = caller.access;
    this.#naive = new NaivePermissions({ id: ME, rolesOf: ROLES, permissions }, LEAVES);
    this.#isStricter = editorRights(content.sheaf.model, grants).refused.some((one) => one.includes('several roles'));
  }

  async take(step: Step): Promise<void> {
    const all = await rowsOf(this.#content, step.uid);
    const ids = [...new Set(all.map(({ documentId }) => documentId))];
    const documentId = ids[step.document % Math.max(1, ids.length)] ?? 'none';
    const names = step.names.filter((name) => NAMES[step.uid]!.includes(name));
    const locale = step.uid === POST ? step.locale : null;
    const rows = all.filter((row) => row.documentId === documentId);
    const asked: Asked = { step, names, documentId, locale, rows };
    if (step.name === 'find') return this.#read(asked, all);
    if (step.uid === HOME && (step.name === 'create' || step.name === 'clone')) return;
    if (step.name !== 'create' && step.name !== 'update' && inLocale(asked).length === 0) return;
    if (step.uid === NOTE && ['publish', 'unpublish', 'discardDraft'].includes(step.name)) return;
    if (step.uid !== HOME && step.name === 'update' && rows.length === 0) return;
    const expected = mayWrite(this.#naive, asked);
    const isDone = await this.#way.write(asked);
    if (isDone) expect(expected, `done, and not allowed: ${JSON.stringify(asked)}`).toBe(true);
    else if (expected && !this.#isStricter) expect.fail(`allowed, and not done: ${JSON.stringify(asked)}`);
  }

  async #read(asked: Asked, all: readonly StoredRow[]): Promise<void> {
    const { uid, status } = asked.step;
    const isRefused = !this.#hasLocale(uid);
    const isThere = (row: StoredRow): boolean =>
      row.locale === asked.locale && (!HAS_DRAFTS.has(uid) || row.published === (status === 'published'));
    const seen = all.filter((row) => isThere(row) && this.#naive.has('read', uid, row));
    const found = await this.#way.list(asked, {});
    expect(found.status).toBe(isRefused ? 403 : 200);
    if (isRefused) return;
    expect(found.entries.map(({ id }) => id).toSorted()).toEqual(seen.map(({ id }) => id).toSorted());
    for (const entry of found.entries) this.#shows(uid, entry, seen.find(({ id }) => id === entry.id)!);

    const filters = Object.fromEntries(
      asked.names.filter((name) => name !== 'seo').map((name) => [name, { $notNull: true }]),
    );
    const isKnown = Object.keys(filters).every((name) => this.#access.mayUse(uid, name, 'filter'));
    expect((await this.#way.list(asked, filters)).status).toBe(isKnown ? 200 : 400);
    if (isKnown) expect(seen.every((row) => this.#naive.names('read', uid, row, Object.keys(filters)))).toBe(true);
  }

  /** Whether some permission to read is for a locale at all. */
  #hasLocale(uid: string): boolean {
    return (uid === POST ? ['en', 'fr'] : [null]).some((locale) =>
      this.#naive.has('read', uid, { locale, creator: ME }),
    );
  }

  /** An entry has the attributes that permissions name, and no other. */
  #shows(uid: string, entry: Answered, row: StoredRow): void {
    for (const name of NAMES[uid]!.filter((one) => !['seo', 'notes', 'cover', 'posts'].includes(one))) {
      const isNamed = this.#naive.names('read', uid, row, [name]);
      if (name in entry) expect(isNamed).toBe(true);
      else if (!this.#isStricter) expect(isNamed).toBe(false);
    }
  }
}

/** Gives the roles of whoever asks these permissions, in the tables of Strapi 5. */
async function store(content: Content, permissions: readonly Permission[]): Promise<void> {
  await content.execute('delete from admin_permissions_role_lnk');
  await content.execute("delete from admin_permissions where document_id like 'walk%'");
  const json = (value: unknown): string => `'${JSON.stringify(value)}'`;
  for (const [index, { action, subject, properties, conditions }] of grantsOf(permissions).permissions.entries()) {
    const about = subject === null ? 'null' : `'${subject}'`;
    const values = [`'walk${index}'`, `'${action}'`, about, json(properties), json(conditions), json({})];
    await content.execute(
      `insert into admin_permissions (document_id, action, subject, properties, conditions, action_parameters) values (${values.join(', ')})`,
    );
  }
  // Of two roles, each has some.
  await content.execute(
    `insert into admin_permissions_role_lnk (permission_id, role_id) select id, 101 + id % 2 from admin_permissions where document_id like 'walk%'`,
  );
}

const SEED = GIVEN_SEED ?? 1;
const walksOn = ({ name }: Engine): number => scaled(name === 'SQLite' ? 30 : 8);
const STEPS = 25;
const walks = fc.tuple(
  fc.array(permission, { minLength: 4, maxLength: 24 }),
  fc.array(step, { minLength: STEPS, maxLength: STEPS }),
);

const NONE: readonly ConsoleRight[] = [];
const RIGHTS_OF_PERMISSIONS: Readonly<Record<string, readonly ConsoleRight[]>> = {
  'plugin::upload.read': ['files.read'],
  'plugin::users-permissions.roles.read': ['roles.read'],
  'plugin::users-permissions.roles.update': ['roles.update'],
  'admin::api-tokens.read': ['tokens.read'],
  'admin::api-tokens.create': ['tokens.create'],
  'admin::api-tokens.delete': ['tokens.delete'],
  'admin::users.read': ['accounts.read'],
  'admin::users.create': ['accounts.create'],
  'admin::users.update': ['accounts.update'],
  'admin::users.delete': ['accounts.delete'],
  'plugin::content-type-builder.read': ['model.read', 'requests.explain'],
};

const as = (content: Content, id: number, ...permissions: Permission[]): Caller =>
  editorWith(content.sheaf.model, grantsOf(permissions, ROLE_IDS), id);

const on = (subject: string, actions: readonly string[], rest: Partial<Permission> = {}): Permission[] =>
  actions.map((action) => ({ action, subject, locales: null, ...rest }));

const statusOf = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => 200,
    (error: unknown) => {
      if (error instanceof SheafError) return error.status;
      throw error;
    },
  );

/** Who made the rows of a document, and who changed them last: `<locale> <status> <creator> <editor>`. */
const marksOf = async (content: Content, uid: string, documentId: string): Promise<string[]> =>
  (
    await content.rows(
      `select locale, published_at is not null, created_by_id, updated_by_id from ${TABLES[uid]} where document_id = '${documentId}' order by id`,
    )
  ).map(([locale, isPublished, creator, editor]) =>
    [locale ?? '-', isPublished ? 'published' : 'draft', creator ?? 0, editor ?? 0].join(' '),
  );

/** What an account can ask, each as a function of the documents that it works with. */
const QUESTIONS: readonly ((documents: (uid: string) => Answered) => Promise<unknown>)[] = [
  ...(['draft', 'published'] as const).flatMap((status) => [
    (documents: (uid: string) => Answered) => documents(POST).findMany({ status, locale: 'en' }),
    (documents: (uid: string) => Answered) => documents(POST).findMany({ status, locale: '*', sort: 'title' }),
    (documents: (uid: string) => Answered) => documents(POST).findPage({ status, sort: 'notes.text', locale: '*' }),
    (documents: (uid: string) => Answered) => documents(POST).count({ status, locale: '*' }),
    (documents: (uid: string) => Answered) => documents(POST).count({ status, _q: 't', locale: '*' }),
    (documents: (uid: string) => Answered) =>
      documents(POST).aggregate({ status, locale: '*', group: 'title', count: '*', max: 'createdAt' }),
    (documents: (uid: string) => Answered) => documents(NOTE).findMany({ status, populate: 'posts', sort: 'id' }),
    (documents: (uid: string) => Answered) =>
      documents(NOTE).findMany({ status, populate: { posts: { count: true } }, sort: 'id' }),
    (documents: (uid: string) => Answered) =>
      documents(NOTE).count({ status, filters: { posts: { title: { $contains: 't' } } } }),
    (documents: (uid: string) => Answered) =>
      documents(NOTE).count({ status, filters: { posts: { $count: { $gt: 1 } } } }),
    (documents: (uid: string) => Answered) => documents(NOTE).findMany({ status, sort: ['posts.title:desc', 'id'] }),
  ]),
  (documents) => documents(POST).findMany({ locale: 'en', populate: ['localizations', 'notes.posts', 'createdBy'] }),
  (documents) => documents(POST).count({ publicationFilter: 'modified', locale: '*' }),
  (documents) => documents(POST).count({ publicationFilter: 'never-published-document', locale: '*' }),
  (documents) => documents(POST).count({ filters: { createdBy: { firstname: 'Name 3' } }, locale: '*' }),
];

const answersTo = async (content: Content, caller: Caller): Promise<string[]> => {
  const answers: string[] = [];
  for (const ask of QUESTIONS)
    answers.push(JSON.stringify(await ask((uid) => content.sheaf.documents(uid as typeof POST, caller))));
  return answers;
};

describeOnEveryDatabase('accounts of the console', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
    await addAccounts(content);
    await fill(content);
  });

  it('do what a naive reading of their permissions says, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(walks, async ([permissions, steps]) => {
        const walk = new Walk(content, permissions, (caller) => new InProcess(content, caller));
        for (const one of steps) await walk.take(one);
      }),
      { seed: SEED, numRuns: walksOn(engine) },
    );
  });

  it('do the same over HTTP, with permissions that are stored', async () => {
    const walked = await contents.open(PROJECT);
    await addAccounts(walked);
    const way = await OverHttp.logIn(walked, `account${ME}@example.com`);
    await fc.assert(
      fc.asyncProperty(walks, async ([permissions, steps]) => {
        await store(walked, permissions);
        for (const table of ['posts', 'notes', 'homes']) await walked.execute(`delete from ${table}`);
        await fill(walked);
        const walk = new Walk(walked, permissions, () => way);
        for (const one of steps) await walk.take(one);
      }),
      { seed: SEED, numRuns: Math.ceil(walksOn(engine) / 10) },
    );
  });

  it('have of the routes of the console those that their rights are for, each by itself', async () => {
    const { sheaf } = content;
    const served = { requests: new Lru<string, CachedRequest>(1), costs: null, load: new RequestLoad(), routes: [] };
    const context = { sheaf, auth: await sheaf.auth(), console: await sheaf.console(), ...served };
    const me = await OverHttp.logIn(content, `account${ME}@example.com`);
    const address = (path: string): string =>
      path
        .replace(/:(\w+)/g, (_, name: string) => (name === 'id' ? '987654' : 'none'))
        .replace(/^\/console\/api\//, '');
    const own = consoleRoutes(context).filter((route) => 'right' in route);
    const statusesWith = async (permissions: readonly Permission[]): Promise<Map<ConsoleRight | null, Set<number>>> => {
      await store(content, permissions);
      const statuses = new Map<ConsoleRight | null, Set<number>>();
      for (const { method, path, right } of own) {
        const { status } = await me.askFor(method, address(path), method === 'GET' ? undefined : {});
        statuses.set(right, (statuses.get(right) ?? new Set()).add(status));
      }
      return statuses;
    };
    for (const [permission, rights] of [['nothing', NONE] as const, ...Object.entries(RIGHTS_OF_PERMISSIONS)]) {
      for (const [right, statuses] of await statusesWith([{ action: permission }]))
        if (right === null || rights.includes(right)) expect([right, ...statuses]).not.toContain(403);
        else expect([permission, right, ...statuses]).toEqual([permission, right, 403]);
    }
    await store(content, []);
    for (const { method, path, action } of documentRoutes(context)) {
      if (action === READ_OWN_ACCOUNT) continue;
      const { status } = await me.ask(method, address(path).replace(/^\/api\//, ''), method === 'GET' ? undefined : {});
      expect([method, path, status]).toEqual([method, path, action === LIST_LOCALES ? 200 : 403]);
    }
  });

  it('leave their marks on what they make and change, as Strapi 5 does, and nobody else does', async () => {
    const me = content.sheaf.documents(POST, as(content, ME, ...on(POST, RIGHTS)));
    const other = content.sheaf.documents(POST, as(content, COLLEAGUE, ...on(POST, RIGHTS)));
    const { documentId } = await me.create({ data: { title: 'a' }, status: 'draft' });
    expect(await marksOf(content, POST, documentId)).toEqual(['en draft 1 1']);
    await other.update({ documentId, data: { title: 'b' }, status: 'published' });
    expect(await marksOf(content, POST, documentId)).toEqual(['en draft 1 2', 'en published 1 2']);
    await other.update({ documentId, data: { title: 'c' }, locale: 'fr', status: 'draft' });
    await me.publish({ documentId });
    const expected = ['en draft 1 2', 'fr draft 2 2', 'en published 1 2'];
    expect((await marksOf(content, POST, documentId)).toSorted()).toEqual(expected.toSorted());
    const clone = await other.clone({ documentId, data: {} });
    expect(await marksOf(content, POST, clone.documentId)).toEqual(['en draft 2 2']);
    await content.sheaf.documents(POST).update({ documentId, data: { title: 'd' }, status: 'draft' });
    expect((await marksOf(content, POST, documentId)).toSorted()).toEqual(expected.toSorted());

    // A row that one statement finds and changes.
    const note = await content.sheaf.documents(NOTE).create({ data: { text: 'of nobody' } });
    await content.sheaf
      .documents(NOTE, as(content, ME, ...on(NOTE, ['update'])))
      .update({ documentId: note.documentId, data: { rank: 1 } });
    expect(await marksOf(content, NOTE, note.documentId)).toEqual(['- published 0 1']);
    for (const [uid, id] of [
      [POST, documentId],
      [POST, clone.documentId],
      [NOTE, note.documentId],
    ] as const)
      await content.sheaf.documents(uid).delete({ documentId: id, locale: '*' });
  });

  it('are refused at the door what they have no right to: another locale, publishing, another attribute', async () => {
    const { documentId } = (await content.sheaf.documents(POST).findFirst({ filters: { title: 'changed1' } }))!;
    const rights = [...on(POST, ['read', 'create', 'update'], { locales: ['fr'] }), ...on(NOTE, RIGHTS)];
    const limited = content.sheaf.documents(POST, as(content, ME, ...rights));
    const data = { title: 'x' };
    expect(await statusOf(limited.create({ data, locale: 'en', status: 'draft' }))).toBe(403);
    expect(await statusOf(limited.update({ documentId, data, locale: 'en', status: 'draft' }))).toBe(403);
    expect(await statusOf(limited.update({ documentId, data, locale: 'fr', status: 'published' }))).toBe(403);
    expect(await statusOf(limited.clone({ documentId, locale: '*', data: {} }))).toBe(403);
    expect(await statusOf(limited.publish({ documentId, locale: 'fr' }))).toBe(403);
    expect(await statusOf(limited.delete({ documentId, locale: 'fr' }))).toBe(403);
    const one = as(content, ME, ...on(POST, ['update', 'create'], { fields: ['body'] }));
    const named = content.sheaf.documents(POST, one);
    expect(await statusOf(named.update({ documentId, data, status: 'draft' }))).toBe(400);
    expect(await statusOf(content.sheaf.documents(NOTE, one).findMany())).toBe(403);
    // The relation leads to entries that may not be read.
    const blind = content.sheaf.documents(POST, as(content, ME, ...on(POST, ['read', 'update'])));
    expect(await statusOf(blind.findMany({ populate: 'notes' }))).toBe(400);
    expect(await statusOf(blind.update({ documentId, data: { notes: [] }, status: 'draft' }))).toBe(400);
    // An update makes the one document of a single type, which is to create it.
    const home = content.sheaf.documents(HOME, as(content, ME, ...on(HOME, ['update', 'read'])));
    expect(await statusOf(home.update({ data, status: 'draft' }))).toBe(403);
  });

  it('are refused before any code of the project sees it', async () => {
    const hooked = await contents.open(PROJECT);
    const seen: string[] = [];
    hooked.sheaf.operations.addHooks({
      concerns: () => true,
      before: async (operation) => {
        seen.push(operation.name);
        return operation;
      },
    });
    const rights = on(POST, ['create', 'update', 'read'], { locales: ['en'] });
    const posts = hooked.sheaf.documents(POST, as(hooked, ME, ...rights));
    expect(await statusOf(posts.create({ data: {}, status: 'published' }))).toBe(403);
    expect(await statusOf(posts.create({ data: {}, locale: 'fr', status: 'draft' }))).toBe(403);
    expect(seen).toEqual([]);
  });

  it('learn nothing of entries of other creators, of other locales and of other attributes', async () => {
    const mine = as(
      content,
      ME,
      ...on(POST, ['read'], { conditions: [IS_CREATOR], locales: ['en'], fields: ['title', 'body', 'notes'] }),
      ...on(NOTE, ['read'], { fields: ['text', 'posts'] }),
    );
    const everyone = editorWith(content.sheaf.model, SUPER_ADMIN_GRANTS, ME);
    const before = await answersTo(content, mine);
    const beforeAll = await answersTo(content, everyone);
    const posts = content.sheaf.documents(POST);
    const change = async (): Promise<void> => {
      const notes = (await content.sheaf.documents(NOTE).findMany()).map(({ documentId }) => documentId);
      const others = await content.rows(
        `select distinct document_id from posts where document_id not in (select document_id from posts where created_by_id = ${ME})`,
      );
      for (const [documentId] of others)
        await posts.update({ documentId, data: { title: 't other', body: 'x', notes }, status: 'published' });
      await posts.create({ data: { title: 't more', notes }, status: 'published' });
      await content.execute(`update posts set hush = 'other'`);
      await content.execute(`update posts set title = 't other' where locale = 'fr'`);
      await content.execute(`update notes set rank = rank + 100`);
      await content.execute(`update components_kit_seos set url = 'other'`);
      await content.execute(`update admin_users set email = 'other@example.com' where id = ${STRANGER}`);
    };
    await undone(content, async () => {
      await change();
      expect(await answersTo(content, mine)).toEqual(before);
      const after = await answersTo(content, everyone);
      // It makes a difference to nearly everything that someone asks who may see all of it.
      const changed = after.filter((answer, index) => answer !== beforeAll[index]);
      expect(changed.length).toBeGreaterThan(QUESTIONS.length - 5);
    });
    expect(before[0]).toContain('changed1');
    expect(before.join()).not.toContain('changed2');
  });

  it('see the names of other accounts, and nothing else of them', async () => {
    for (const caller of [
      as(content, ME, ...on(POST, ['read'])),
      editorWith(content.sheaf.model, SUPER_ADMIN_GRANTS, ME),
    ]) {
      const posts = content.sheaf.documents(POST, caller);
      const [entry] = await posts.findMany({ populate: 'createdBy', filters: { title: 'changed3' } });
      expect(entry!.createdBy).toEqual({
        id: 3,
        documentId: 'account3',
        firstname: 'Name 3',
        lastname: null,
        username: null,
      });
      for (const name of ['email', 'registrationToken', 'password', 'roles', 'isActive'])
        expect(await statusOf(posts.findMany({ filters: { createdBy: { [name]: { $notNull: true } } } }))).toBe(400);
    }
  });

  it('add files, change and delete the own ones, and attach them to what they may publish', async () => {
    const { files } = content.sheaf;
    const bytes = { name: 'a.txt', content: new TextEncoder().encode('a') };
    const creates: Permission = { action: 'plugin::upload.assets.create' };
    const own = (action: string): Permission => ({ action: `plugin::upload.${action}`, conditions: [IS_CREATOR] });
    const author = as(content, ME, own('read'), creates, own('assets.update'));
    const [mine] = await files.upload(bytes, { caller: author });
    const [other] = await files.upload(bytes, { caller: as(content, STRANGER, creates) });
    expect((await files.find({}, { caller: author })).map(({ id }) => id)).toEqual([mine!.id]);
    expect(await statusOf(files.update(mine!.id, { caption: 'c' }, { caller: author }))).toBe(200);
    expect(await statusOf(files.replace(mine!.id, bytes, { caller: author }))).toBe(200);
    expect(await statusOf(files.update(other!.id, { caption: 'c' }, { caller: author }))).toBe(404);
    expect(await statusOf(files.replace(other!.id, bytes, { caller: author }))).toBe(404);
    expect(await statusOf(files.delete(other!.id, { caller: author }))).toBe(404);
    const adds = as(content, ME, creates);
    for (const refused of [
      () => files.update(mine!.id, { caption: 'c' }, { caller: adds }),
      () => files.replace(mine!.id, bytes, { caller: adds }),
      () => files.delete(mine!.id, { caller: adds }),
      () => files.find({}, { caller: adds }),
      () => files.upload(bytes, { caller: as(content, ME, own('assets.update')) }),
    ])
      expect(await statusOf(refused())).toBe(403);

    const row = await content.sheaf.documents(POST).findFirst({ filters: { title: 't1' }, status: 'published' });
    const link = { ref: POST, refId: row!.id, field: 'cover' };
    const updates = as(content, ME, creates, ...on(POST, ['update']));
    expect(await statusOf(files.upload(bytes, { caller: updates, link }))).toBe(403);
    const publishes = as(content, ME, creates, ...on(POST, ['update', 'publish']));
    expect(await statusOf(files.upload(bytes, { caller: publishes, link }))).toBe(200);
    expect(await statusOf(files.delete(mine!.id, { caller: author }))).toBe(200);
  });
});

describeOnEveryDatabase('the roles that Strapi 5 makes', (engine) => {
  const contents = useContents(engine);
  const RIGHTS_BY_VERB: Readonly<Record<string, readonly string[]>> = {
    ...{ find: ['read'], findOne: ['read'], count: ['read'], create: ['create'], update: ['update'] },
    ...{ delete: ['delete'], destroy: ['delete'], publish: ['publish'], unpublish: ['publish'] },
    ...{ discardDraft: ['update'], clone: ['create', 'read'] },
  };
  const FILE_PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
    ...{ find: ['read'], findOne: ['read'], findPage: ['read'], destroy: ['assets.update'] },
    ...{ upload: ['assets.create', 'assets.update'], replace: ['assets.update'] },
  };

  /** Whether a role has an action by its permissions, as they are stored. */
  function isGiven(model: Model, { permissions }: EditorGrants, action: string): boolean {
    const dot = action.lastIndexOf('.');
    const [uid, verb] = [action.slice(0, dot), action.slice(dot + 1)];
    if (action === LIST_LOCALES) return true;
    if (uid === 'plugin::upload.content-api')
      return FILE_PERMISSIONS[verb]!.some((one) =>
        permissions.some((given) => given.action === `plugin::upload.${one}`),
      );
    const isLocalized = model.contentTypes.get(uid)!.localized;
    return RIGHTS_BY_VERB[verb]!.every((right) =>
      permissions.some(
        ({ action: given, subject, properties }) =>
          given === `plugin::content-manager.explorer.${right}` &&
          subject === uid &&
          (!isLocalized || 'locales' in (properties as object)),
      ),
    );
  }

  it('have the routes of the API that their permissions name, and no other', async () => {
    const content = await contents.open(GUIDE_PROJECT, engine.guideDatabaseUrl());
    const { sheaf } = content;
    const hash = await hashPassword(PASSWORD);
    const context = { sheaf, auth: await sheaf.auth(), requests: new Lru<string, CachedRequest>(1), costs: null };
    for (const [id, code] of [
      [1, 'super-admin'],
      [2, 'editor'],
      [3, 'author'],
    ] as const) {
      const values = `${id}, 'account${id}', '${code}@example.com', '${hash}', true, false`;
      await content.execute(
        `insert into admin_users (id, document_id, email, password, is_active, blocked) values (${values})`,
      );
      await content.execute(
        `insert into admin_users_roles_lnk (user_id, role_id) select ${id}, id from admin_roles where code = 'strapi-${code}'`,
      );
      const way = await OverHttp.logIn(content, `${code}@example.com`);
      const verdicts: string[] = [];
      const expected: string[] = [];
      for (const { method, path, action } of documentRoutes(context)) {
        if (action === READ_OWN_ACCOUNT || action === null) continue;
        const at = path.replace(/:(\w+)/g, 'none').replace(/^\/api\//, '');
        const { status } = await way.ask(method, at, method === 'GET' || method === 'DELETE' ? undefined : {});
        const isAllowed = code === 'super-admin' || isGiven(sheaf.model, defaultGrants(`strapi-${code}`), action);
        verdicts.push(`${method} ${path} ${status === 403 ? 'refused' : 'allowed'}`);
        expected.push(`${method} ${path} ${isAllowed ? 'allowed' : 'refused'}`);
      }
      expect(verdicts).toEqual(expected);
    }
  });
});
