// Nobody learns what they may not read: databases that differ only in what a caller may not read must give that caller
// the same answers to any request. The content, the differences and the requests are generated, each from a seed. That
// the comparison can fail is shown with the checks taken out.
// SHEAF_TEST_SCALE and SHEAF_TEST_SEED give more and other requests; a failure prints the smallest request.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import qs from 'qs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Access, mayFollow } from '../src/access/access.ts';
import { SheafError } from '../src/errors.ts';
import { createServer } from '../src/http/server.ts';
import { ADMIN_USER, USER } from '../src/model/builtin.ts';
import type { Attribute, Model, RelationAttribute, ScalarAttribute, Schema } from '../src/model/types.ts';
import { pageJson } from '../src/operations/envelope.ts';
import { FIRST_PAGE } from '../src/request/parse-read.ts';
import { parseQueryString } from '../src/request/query-string.ts';
import { type Json, localized, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, type Engine } from './support/database.ts';
import { type Guarded, NOBODY, type Rules, useGuarded, type Who } from './support/guarded.ts';
import { type Random, randomness } from './support/randomness.ts';
import { GIVEN_SEED, SCALE, scaled } from './support/scale.ts';

const CONTENT_SEED = 20_250_115;
const REQUEST_SEED = GIVEN_SEED ?? 1;
const REQUESTS = scaled(500);
/** Most requests go where they cost least: the plans are the same on every database. */
const requestsOn = ({ name }: Engine): number => Math.ceil(REQUESTS * (name === 'SQLite' ? 0.9 : 0.1));
/** Each request is asked about several values: to plan it takes longer than to answer it. */
const valuesPerShapeOn = ({ name }: Engine): number => (name === 'SQLite' ? 5 : 2);
/** Requests within which a missing check must be noticed. */
const NOTICED_WITHIN = 1_000;
/** Figures, for those who ask for them by asking for more requests. */
const tell = (text: string): void => {
  if (SCALE > 1) console.log(text);
};

// ------------------------------------------------------------------------------------------------------ the project

const POST = 'api::post.post';
const WRITER = 'api::writer.writer';
const TAG = 'api::tag.tag';
const TEAM = 'api::team.team';
const VAULT = 'api::vault.vault';
const PAGE = 'api::page.page';
const FILE = 'plugin::upload.file';

const string = { type: 'string' };
const integer = { type: 'integer' };
const hidden = { type: 'string', private: true };

/** Every kind of attribute and relation, with and without drafts and locales. */
const PROJECT: Project = {
  locales: ['en', 'fr'],
  types: {
    post: {
      drafts: true,
      localized: true,
      attributes: {
        title: { ...string, ...localized },
        code: string,
        rank: { ...integer, ...localized },
        score: { type: 'decimal' },
        flag: { type: 'boolean', ...localized },
        day: { type: 'date' },
        meta: { type: 'json' },
        kind: { type: 'enumeration', enum: ['a', 'b', 'c'] },
        secret: { ...string, ...localized },
        worth: integer,
        hush: hidden,
        pin: { type: 'password' },
        owner: { type: 'relation', relation: 'manyToOne', target: USER },
        author: relation('manyToOne', 'writer', { inversedBy: 'posts' }),
        tags: relation('manyToMany', 'tag', { inversedBy: 'posts' }),
        related: relation('manyToMany', 'post'),
        vault: relation('manyToOne', 'vault', { inversedBy: 'posts' }),
        box: { type: 'component', component: 'kit.box' },
        parts: { type: 'dynamiczone', components: ['kit.box', 'kit.pick'] },
        cover: { type: 'media', multiple: false },
        plate: { type: 'media', multiple: false, private: true },
        proof: { type: 'media', multiple: false },
      },
    },
    writer: {
      attributes: {
        name: string,
        email: { type: 'email' },
        age: integer,
        hush: hidden,
        posts: relation('oneToMany', 'post', { mappedBy: 'author' }),
        mentor: relation('manyToOne', 'writer', { inversedBy: 'pupils' }),
        pupils: relation('oneToMany', 'writer', { mappedBy: 'mentor' }),
        team: relation('manyToOne', 'team', { inversedBy: 'writers' }),
        vault: relation('oneToOne', 'vault'),
      },
    },
    tag: {
      localized: true,
      options: { populateCreatorFields: true },
      attributes: {
        label: { ...string, ...localized },
        weight: { ...integer, ...localized },
        secret: string,
        posts: relation('manyToMany', 'post', { mappedBy: 'tags' }),
      },
    },
    team: {
      drafts: true,
      attributes: {
        name: string,
        size: integer,
        writers: relation('oneToMany', 'writer', { mappedBy: 'team' }),
        vaults: relation('manyToMany', 'vault', { inversedBy: 'teams' }),
      },
    },
    vault: {
      attributes: {
        code: string,
        level: integer,
        cover: { type: 'media', multiple: false },
        posts: relation('oneToMany', 'post', { mappedBy: 'vault' }),
        teams: relation('manyToMany', 'team', { mappedBy: 'vaults' }),
      },
    },
    page: {
      single: true,
      attributes: {
        title: string,
        secret: string,
        lead: relation('oneToOne', 'post'),
        tags: relation('oneToMany', 'tag'),
        vault: relation('oneToOne', 'vault'),
      },
    },
  },
  components: {
    'kit.box': { label: string, hush: hidden, tag: relation('oneToOne', 'tag'), vault: relation('oneToOne', 'vault') },
    'kit.pick': { caption: string, posts: relation('oneToMany', 'post'), vaults: relation('oneToMany', 'vault') },
  },
};

const TYPES = [POST, WRITER, TAG, TEAM, VAULT, PAGE];
const COMPONENTS = ['kit.box', 'kit.pick'];

/** Names of a type of the project, but for these. */
const allBut = (name: string, ...kept: string[]): string[] =>
  [...Object.keys(PROJECT.types[name]!.attributes), 'createdAt', 'updatedAt', 'publishedAt', 'locale', 'localizations']
    .filter((attribute) => !kept.includes(attribute))
    .filter((attribute) => attribute !== 'locale' || PROJECT.types[name]!.localized === true);

const RULES: Rules = {
  public: {
    [POST]: {
      rows: { find: { rank: { $lt: 6 } } },
      fields: { read: allBut('post', 'secret', 'worth', 'proof') },
      drafts: false,
    },
    // A rule may look at what its reader may not find.
    [WRITER]: { rows: { find: { team: { size: { $gt: 2 } } } }, fields: { read: allBut('writer', 'email') } },
    [TAG]: { fields: { read: allBut('tag', 'secret', 'weight'), filter: ['label', 'weight', 'posts', 'id'] } },
    [PAGE]: { fields: { read: allBut('page', 'secret') } },
  },
  authenticated: {
    [POST]: {
      rows: { find: { $or: [{ owner: { id: '$user.id' } }, { flag: true }] } },
      fields: { read: allBut('post', 'secret', 'related', 'proof') },
    },
    [WRITER]: { fields: { read: ['name', 'age', 'posts', 'mentor', 'team'], sort: ['name', 'team', 'mentor'] } },
    [TAG]: { rows: { find: { weight: { $gte: 2 } } }, fields: { read: allBut('tag', 'secret') } },
    [TEAM]: { fields: { read: ['name', 'writers'], sort: ['name', 'size'] }, drafts: false },
  },
};

const reads = (...uids: string[]): string[] =>
  uids.flatMap((uid) => (uid === PAGE ? [`${uid}.find`] : [`${uid}.find`, `${uid}.findOne`]));

/** Attributes that a caller of a kind may not use at all, and what rules look at, which must stay as it is. */
interface Kept {
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Tables of links that can be seen from one side only, and not by the caller. */
  readonly links: readonly string[];
  /** Types whose drafts are hidden. */
  readonly drafts: readonly string[];
  readonly rules: {
    /** By uid: filters that the rows meet which the caller may find. */
    readonly rows: Readonly<Record<string, Json>>;
    readonly columns: readonly string[];
    readonly links: readonly string[];
  };
}

/** `withheld`: a token with full access to a project that has code of its own in front of some types. */
const KINDS = ['public', 'user', 'token', 'reader', 'withheld'] as const;
type Kind = (typeof KINDS)[number];

const keptFrom = (kind: Kind, userId: number): Kept => {
  switch (kind) {
    case 'public':
      return {
        columns: { [POST]: ['secret', 'worth', 'proof'], [WRITER]: ['email'], [TAG]: ['secret'], [PAGE]: ['secret'] },
        links: [],
        drafts: [POST],
        rules: {
          rows: { [POST]: { rank: { $lt: 6 } }, [WRITER]: { team: { size: { $gt: 2 } } } },
          columns: [`${POST} rank`, `${TEAM} size`],
          links: ['writers_team_lnk'],
        },
      };
    case 'user':
      return {
        columns: { [POST]: ['secret', 'proof'], [WRITER]: ['email'], [TAG]: ['secret'] },
        links: ['posts_related_lnk'],
        drafts: [TEAM],
        rules: {
          rows: { [POST]: { $or: [{ owner: { id: userId } }, { flag: true }] }, [TAG]: { weight: { $gte: 2 } } },
          columns: [`${POST} flag`, `${TAG} weight`],
          links: ['posts_owner_lnk'],
        },
      };
    default:
      return { columns: {}, links: [], drafts: [], rules: { rows: {}, columns: [], links: [] } };
  }
};

/** What each kind may find. */
const FOUND: Readonly<Record<Kind, readonly string[]>> = {
  public: [POST, WRITER, TAG, PAGE],
  user: [POST, WRITER, TAG, TEAM, PAGE],
  token: [POST, TAG],
  reader: TYPES,
  withheld: [POST, WRITER, TAG, PAGE],
};

/** Kinds that may find users. */
const FINDS_USERS: ReadonlySet<Kind> = new Set(['reader', 'withheld']);

const CONTROLLER = 'module.exports = { async find(ctx) { ctx.body = { data: [] }; } };';

// ------------------------------------------------------------------------------------------------- generated values

/** Few values of each type, so that what is stored and what is asked for often meet. */
const TEXTS = ['alpha', 'Alpha', 'beta', 'gamma', 'al', '7', 'a%b', 'Ωmega'];
const VALUES: Partial<Record<ScalarAttribute['type'], readonly (string | number | boolean)[]>> = {
  string: TEXTS,
  email: ['ann@x.example', 'bob@x.example', 'Ann@x.example'],
  enumeration: ['a', 'b', 'c'],
  password: ['alpha', 'beta'],
  integer: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  decimal: [0, 0.5, 1.25, 7],
  float: [0, 0.5, 7],
  boolean: [true, false],
  date: ['2020-02-29', '2021-01-01', '2021-12-31'],
  json: ['{"a":1}', '[1,2]', '"alpha"'],
};
const PUBLICATION_FILTERS = [
  'never-published',
  'never-published-document',
  'has-published-version',
  'has-published-version-document',
  'modified',
  'unmodified',
  'published-with-draft',
  'published-without-draft',
];
const SEARCHED = ['alpha', 'al', 'BETA', '7', 'example', '0.5', 'nothing'];

// ------------------------------------------------------------------------------------------------------- the content

interface World {
  readonly url: string;
  readonly userId: number;
  readonly who: Readonly<Record<Kind, Who>>;
  readonly documentIds: readonly string[];
  readonly idsByType: Readonly<Record<string, readonly string[]>>;
}

/** Fills a database with generated content, people and tokens. */
async function build(site: Guarded): Promise<Omit<World, 'url'>> {
  const { below, chance, pick } = randomness(CONTENT_SEED);
  const documents = (uid: string) => site.sheaf.documents(uid);
  const maybe = <T>(value: T): T | null => (chance(0.2) ? null : value);
  const scalars = (uid: string): Json => {
    const values: Json = {};
    for (const attribute of ownScalars(site.sheaf.model, uid)) {
      const value = maybe(pick(VALUES[attribute.type]!));
      values[attribute.name] = attribute.type === 'json' && value !== null ? JSON.parse(String(value)) : value;
      // To hash a password takes longer than all the rest; a hash is put there by hand below.
      if (attribute.type === 'password') delete values[attribute.name];
    }
    return values;
  };
  const some = (ids: readonly string[], most: number): string[] => [
    ...new Set(Array.from({ length: below(most + 1) }, () => pick(ids))),
  ];
  const ids: Record<string, string[]> = Object.fromEntries(TYPES.map((uid) => [uid, []]));
  const make = async (uid: string, links: Json, options: { status?: 'published' } = {}): Promise<string> => {
    const { documentId } = await documents(uid).create({ data: { ...scalars(uid), ...links }, ...options });
    ids[uid]!.push(documentId);
    return documentId;
  };
  const people = [await site.person('authenticated'), await site.person('authenticated')];

  for (let count = 0; count < 6; count++) await make(VAULT, {});
  for (let count = 0; count < 4; count++)
    await make(TEAM, { vaults: some(ids[VAULT]!, 2) }, chance(0.8) ? { status: 'published' } : {});
  for (let count = 0; count < 9; count++)
    await make(WRITER, {
      team: pick(ids[TEAM]!),
      vault: maybe(pick(ids[VAULT]!)),
      mentor: ids[WRITER]!.length > 0 ? maybe(pick(ids[WRITER]!)) : null,
    });
  for (let count = 0; count < 7; count++) {
    const documentId = await make(TAG, {});
    if (chance(0.6)) await documents(TAG).update({ documentId, locale: 'fr', data: scalars(TAG) });
  }
  const around = (): Json => ({
    author: maybe(pick(ids[WRITER]!)),
    tags: some(ids[TAG]!, 4),
    related: ids[POST]!.length > 0 ? some(ids[POST]!, 3) : [],
    vault: maybe(pick(ids[VAULT]!)),
    owner: maybe(pick(people).id),
    box: maybe({ label: pick(TEXTS), hush: pick(TEXTS), tag: pick(ids[TAG]!), vault: pick(ids[VAULT]!) }),
    parts: [
      { __component: 'kit.box', label: pick(TEXTS), hush: pick(TEXTS), vault: pick(ids[VAULT]!) },
      { __component: 'kit.pick', caption: pick(TEXTS), vaults: some(ids[VAULT]!, 2) },
    ].filter(() => chance(0.6)),
  });
  for (let count = 0; count < 16; count++) {
    const documentId = await make(POST, around(), chance(0.75) ? { status: 'published' } : {});
    if (chance(0.5)) {
      const status = chance(0.7) ? { status: 'published' as const } : {};
      const french = { title: pick(TEXTS), rank: maybe(below(10)), flag: maybe(chance(0.5)), secret: pick(TEXTS) };
      await documents(POST).update({ documentId, locale: 'fr', data: french, ...status });
    }
    // A draft that is ahead of what is published.
    if (chance(0.5))
      await documents(POST).update({
        documentId,
        data: { rank: maybe(below(10)), flag: chance(0.4), title: pick(TEXTS) },
      });
  }
  await make(PAGE, { lead: ids[POST]![0], tags: some(ids[TAG]!, 4), vault: pick(ids[VAULT]!) });

  await site.execute(`update posts set pin = 'alpha' where id % 2 = 0`);
  for (let file = 1; file <= 4; file++)
    await site.execute(
      `insert into files (document_id, name, hash, mime, url, provider, folder_path, size) values ('file${file}', 'alpha', 'beta', 'image/png', '/x', 'local', '/', 1)`,
    );
  const hold = (table: string, uid: string, field: string) =>
    site.execute(
      `insert into files_related_mph (file_id, related_id, related_type, field, "order") select 1 + (t.id % 4), t.id, '${uid}', '${field}', 1 from ${table} as t where t.id % 3 <> 0`,
    );
  for (const field of ['cover', 'plate', 'proof']) await hold('posts', POST, field);
  await hold('vaults', VAULT, 'cover');
  for (const name of ['alpha', 'beta']) {
    await site.execute(
      `insert into admin_users (document_id, firstname, email, password) values ('admin-${name}', '${name}', '${name}@x.example', '${name}')`,
    );
    await site.execute(
      `insert into admin_roles (document_id, name, code) values ('role-${name}', '${name}', '${name}')`,
    );
  }
  await site.execute('insert into admin_users_roles_lnk (user_id, role_id) select id, id from admin_users');
  await site.execute('update tags set created_by_id = 1 + (id % 2), updated_by_id = 1');

  await site.grantOnly('public', reads(...FOUND.public));
  await site.grantOnly('authenticated', reads(...FOUND.user));
  const [user] = people;
  const who = {
    public: NOBODY,
    user: user!.who,
    token: await site.token('custom', reads(...FOUND.token)),
    reader: await site.token('read-only'),
    withheld: await site.token('full-access'),
  };
  return { userId: user!.id, who, documentIds: TYPES.flatMap((uid) => ids[uid]!), idsByType: ids };
}

const AUTOMATIC = new Set(['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale']);

/** Scalar attributes that the project declares. */
const ownScalars = (model: Model, uid: string): ScalarAttribute[] =>
  [...schemaOf(model, uid).attributes.values()].filter(
    (attribute): attribute is ScalarAttribute => attribute.kind === 'scalar' && !AUTOMATIC.has(attribute.name),
  );

const schemaOf = (model: Model, uid: string): Schema => (model.contentTypes.get(uid) ?? model.components.get(uid))!;

// --------------------------------------------------------------------------------------------------- the differences

/** Rows of a type that a caller of a kind can find in some request. */
async function foundRows(
  site: Guarded,
  kind: Kind,
  uid: string,
  { rules, drafts }: Kept,
): Promise<ReadonlySet<number>> {
  const rows = new Set<number>();
  if (!FOUND[kind].includes(uid)) return rows;
  const filters = rules.rows[uid];
  for (const status of drafts.includes(uid) ? (['published'] as const) : (['draft', 'published'] as const))
    for (const { id } of await site.sheaf
      .documents(uid)
      .findMany({ status, locale: '*', fields: ['id'], ...(filters && { filters: filters as never }) }))
      rows.add(id);
  return rows;
}

const literal = (value: string | number | boolean | null): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

/** Statements straight to the database, all of them or none. */
interface Straight {
  rows(sql: string): Promise<readonly (readonly unknown[])[]>;
  /** The ids of a table. */
  ids(table: string): Promise<number[]>;
}

/** Changes all that a caller may not read, and nothing else. Returns how many statements that took. */
async function disturb(site: Guarded, kind: Kind, userId: number): Promise<number> {
  const kept = keptFrom(kind, userId);
  const found = new Map<string, ReadonlySet<number>>();
  for (const uid of TYPES) found.set(uid, await foundRows(site, kind, uid, kept));
  let statements = 0;
  const options = { withoutTimeouts: true };
  await site.sheaf.database.transaction(async (session) => {
    const rows: Straight['rows'] = (sql) => {
      statements++;
      return session.rows({ sql, bindings: [] }, []);
    };
    const ids = async (table: string) =>
      (await rows(`select id from ${table} order by id`)).map(([id]) => id as number);
    const random = randomness(CONTENT_SEED + 1 + KINDS.indexOf(kind));
    await new Disturbance(site, kind, userId, { rows, ids }, random, found).run();
  }, options);
  for (const uid of TYPES)
    expect([...(await foundRows(site, kind, uid, kept))].sort(), `rows of ${uid} for ${kind}`).toEqual(
      [...found.get(uid)!].sort(),
    );
  return statements;
}

class Disturbance {
  readonly #model: Model;
  readonly #site: Guarded;
  readonly #kind: Kind;
  readonly #userId: number;
  readonly #kept: Kept;
  readonly #sql: Straight;
  readonly #random: Random;
  /** By uid, the rows that the caller can find. */
  readonly #found: ReadonlyMap<string, ReadonlySet<number>>;

  constructor(
    site: Guarded,
    kind: Kind,
    userId: number,
    sql: Straight,
    random: Random,
    found: ReadonlyMap<string, ReadonlySet<number>>,
  ) {
    this.#model = site.sheaf.model;
    this.#site = site;
    this.#kind = kind;
    this.#userId = userId;
    this.#kept = keptFrom(kind, userId);
    this.#sql = sql;
    this.#random = random;
    this.#found = found;
  }

  async run(): Promise<void> {
    await this.#values();
    await this.#people();
    await this.#rows();
    for (const uid of [...TYPES, ...COMPONENTS]) await this.#links(schemaOf(this.#model, uid));
    await this.#files();
  }

  /** What is in components counts as shown: some of it is. */
  #isShown(uid: string, id: number): boolean {
    return this.#found.get(uid)?.has(id) ?? true;
  }

  #change(table: string, attributes: readonly ScalarAttribute[], id: number): Promise<unknown> {
    const { chance, pick } = this.#random;
    const values = attributes.map(
      ({ column, type }) => `"${column}" = ${literal(chance(0.2) ? null : pick(VALUES[type]!))}`,
    );
    return this.#sql.rows(`update ${table} set ${values.join(', ')} where id = ${id}`);
  }

  /** Of hidden rows all but what rules look at; of the others what is private or kept back. */
  async #values(): Promise<void> {
    const { columns, rules } = this.#kept;
    for (const uid of [...TYPES, ...COMPONENTS]) {
      const { table } = schemaOf(this.#model, uid);
      const scalars = ownScalars(this.#model, uid);
      const hiddenOnes = scalars.filter(
        ({ name, type, private: isPrivate }) => isPrivate || type === 'password' || (columns[uid] ?? []).includes(name),
      );
      const loose = scalars.filter(({ name }) => !rules.columns.includes(`${uid} ${name}`));
      for (const id of await this.#sql.ids(table)) {
        const changed = this.#isShown(uid, id) ? hiddenOnes : loose;
        if (changed.length > 0) await this.#change(table, changed, id);
      }
    }
  }

  async #people(): Promise<void> {
    const { rows } = this.#sql;
    await rows(`update up_users set reset_password_token = 'alpha', confirmation_token = 'beta'`);
    if (!FINDS_USERS.has(this.#kind))
      await rows(`update up_users set email = 'gone@x.example' where id <> ${this.#userId}`);
    await rows(`update admin_users set email = 'alpha', password = 'beta', reset_password_token = 'beta'`);
    await rows(`update admin_roles set name = 'other', code = 'beta'`);
    await rows('delete from admin_users_roles_lnk where user_id = 1');
  }

  /** Some of the hidden rows go, and others come, except where a rule looks at them. */
  async #rows(): Promise<void> {
    const { rules } = this.#kept;
    const { chance } = this.#random;
    const tables = await this.#site.sheaf.database.describe();
    for (const uid of TYPES) {
      const { table } = schemaOf(this.#model, uid);
      const isLookedAt = rules.columns.some((column) => column.startsWith(`${uid} `)) && !rules.rows[uid];
      if (uid === PAGE || isLookedAt) continue;
      const columns = [...tables.get(table)!.columns.keys()]
        .filter((column) => column !== 'id' && column !== 'document_id')
        .map((column) => `"${column}"`)
        .join(', ');
      for (const id of await this.#sql.ids(table)) {
        if (this.#isShown(uid, id)) continue;
        if (chance(0.3))
          await this.#sql.rows(
            `insert into ${table} (document_id, ${columns}) select 'new${table}${id}', ${columns} from ${table} where id = ${id}`,
          );
        if (chance(0.25)) await this.#sql.rows(`delete from ${table} where id = ${id}`);
      }
    }
  }

  /** Links of a type that touch a hidden row on either side, or that cannot be seen at all. */
  async #links(owner: Schema): Promise<void> {
    for (const attribute of owner.attributes.values())
      if (
        attribute.kind === 'relation' &&
        attribute.owning &&
        attribute.storage === 'linkTable' &&
        TYPES.includes(attribute.target) &&
        !this.#kept.rules.links.includes(attribute.link.table)
      )
        await this.#relink(owner, attribute);
  }

  async #relink(owner: Schema, { link, target, relation: kind }: RelationAttribute): Promise<void> {
    const { rows, ids } = this.#sql;
    const { below, chance, pick } = this.#random;
    const { table, from, to, order, inverseOrder } = link;
    const isHidden = (a: number, b: number): boolean =>
      this.#kept.links.includes(table) || !this.#isShown(owner.uid, a) || !this.#isShown(target, b);
    const stored = (await rows(`select id, "${from}", "${to}" from ${table} order by id`)) as [
      number,
      number,
      number,
    ][];
    const left = stored.filter(([, a, b]) => !isHidden(a, b) || chance(0.5));
    for (const [id] of stored.filter((row) => !left.includes(row))) await rows(`delete from ${table} where id = ${id}`);
    const owners = await ids(owner.table);
    const targets = await ids(schemaOf(this.#model, target).table);
    const toOne = kind === 'oneToOne' || kind === 'manyToOne';
    const fromOne = kind === 'oneToOne' || kind === 'oneToMany';
    const places = [order, inverseOrder].filter((column) => column !== null);
    const columns = [from, to, ...places].map((column) => `"${column}"`).join(', ');
    for (let count = 0; count < 12 && owners.length > 0 && targets.length > 0; count++) {
      const [a, b] = [pick(owners), pick(targets)];
      const isTaken = left.some(([, x, y]) => (x === a && (toOne || y === b)) || (y === b && fromOne));
      if (!isHidden(a, b) || isTaken) continue;
      left.push([0, a, b]);
      const values = [a, b, ...places.map(() => below(5) + 0.5)];
      await rows(`insert into ${table} (${columns}) values (${values.join(', ')})`);
    }
  }

  /** Files are shown with what holds them; who else holds them is not, nor what holds them in a hidden attribute. */
  async #files(): Promise<void> {
    const { rows, ids } = this.#sql;
    const { below, chance } = this.#random;
    const isHidden = (uid: string, row: number, field: string): boolean =>
      !this.#isShown(uid, row) ||
      schemaOf(this.#model, uid).attributes.get(field)!.private ||
      (this.#kept.columns[uid] ?? []).includes(field);
    const held = (await rows('select id, related_id, related_type, field from files_related_mph order by id')) as [
      number,
      number,
      string,
      string,
    ][];
    for (const [id, row, uid, field] of held)
      if (isHidden(uid, row, field) && chance(0.6)) await rows(`delete from files_related_mph where id = ${id}`);
    for (const [uid, fields] of [
      [POST, ['cover', 'plate', 'proof']],
      [VAULT, ['cover']],
    ] as const)
      for (const id of await ids(schemaOf(this.#model, uid).table))
        for (const field of fields)
          if (isHidden(uid, id, field) && chance(0.4))
            await rows(
              `insert into files_related_mph (file_id, related_id, related_type, field, "order") values (${1 + below(4)}, ${id}, '${uid}', '${field}', ${below(3)})`,
            );
  }
}

// ------------------------------------------------------------------------------------------------------- the requests

interface Request {
  readonly kind: Kind;
  readonly uid: string;
  /** Null for lists and for single types. */
  readonly documentId: string | null;
  /** What follows in the path: `aggregate`, or a relation whose entries are listed. */
  readonly further?: string;
  readonly query: Json;
}

const PATHS: Readonly<Record<string, string>> = {
  [POST]: 'posts',
  [WRITER]: 'writers',
  [TAG]: 'tags',
  [TEAM]: 'teams',
  [VAULT]: 'vaults',
  [PAGE]: 'page',
  [USER]: 'users',
};

/** Whether a request asks for drafts that its caller may not see. */
const isHiddenDraft = ({ kind, uid, query }: Request): boolean =>
  query.status === 'draft' && keptFrom(kind, 0).drafts.includes(uid);

/** They are rare among generated requests. */
const hiddenDrafts = (): Request[] =>
  KINDS.flatMap((kind) =>
    keptFrom(kind, 0).drafts.map((uid) => ({ kind, uid, documentId: null, query: { status: 'draft' } })),
  );

/** So are those that ask a file who holds it. */
const fileHolders = (): Request[] =>
  KINDS.map((kind) => ({
    kind,
    uid: POST,
    documentId: null,
    query: { populate: { cover: { populate: { related: true } } } },
  }));

const queryText = (query: Json): string => qs.stringify(query, { encodeValuesOnly: true });
const urlOf = ({ uid, documentId, further, query }: Request): string => {
  const text = queryText(query);
  const path = [PATHS[uid], documentId, further].filter((part) => part !== null && part !== undefined).join('/');
  return `/api/${path}${text === '' ? '' : `?${text}`}`;
};

/** The same question about other values: what is known of its shape need not be found out again. */
function withOtherValues(request: Request, shift: number, documentIds: readonly string[]): Request {
  const next = <T>(list: readonly T[], value: T): T => {
    const index = list.indexOf(value);
    return index < 0 ? value : list[(index + shift) % list.length]!;
  };
  const inFilter = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inFilter);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inFilter(inner)]));
    if (typeof value === 'number') return Number.isInteger(value) ? (value + shift) % 40 : value;
    if (typeof value !== 'string') return value;
    const pool = [TEXTS, VALUES.date!, VALUES.json!, VALUES.enumeration!, VALUES.email!, documentIds].find((one) =>
      one.includes(value),
    );
    return pool ? next(pool, value) : value;
  };
  const inQuery = (key: string, value: unknown): unknown => {
    if (key === 'filters') return inFilter(value);
    if (key === '_q') return next(SEARCHED, value as string);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inQuery(name, inner)]));
  };
  const { documentId } = request;
  return {
    ...request,
    documentId: documentId === null ? null : next(documentIds, documentId),
    query: inQuery('', request.query) as Json,
  };
}

type Use = 'read' | 'filter' | 'sort';

const isMany = (attribute: Attribute): boolean =>
  attribute.kind === 'localizations' || ('many' in attribute && attribute.many);

const POPULATED_PAGE = fc.record({
  start: fc.integer({ min: 0, max: 2 }),
  limit: fc.integer({ min: 1, max: 2 }),
  withCount: fc.boolean(),
});

/** Builds requests of one kind of caller. Names that the caller may not use come in where `spiced`. */
class Requests {
  readonly #model: Model;
  readonly #access: Access;
  readonly #documentIds: readonly string[];
  readonly #idsByType: World['idsByType'];
  readonly #made = new Map<string, fc.Arbitrary<unknown>>();

  constructor(model: Model, access: Access, { documentIds, idsByType }: World) {
    this.#model = model;
    this.#access = access;
    this.#documentIds = documentIds;
    this.#idsByType = idsByType;
  }

  #once<T>(key: string, make: () => fc.Arbitrary<T>): fc.Arbitrary<T> {
    let arbitrary = this.#made.get(key);
    if (!arbitrary) {
      arbitrary = make();
      this.#made.set(key, arbitrary);
    }
    return arbitrary as fc.Arbitrary<T>;
  }

  #isUsable(schema: Schema, attribute: Attribute, use: Use): boolean {
    if (attribute.private || (attribute.kind === 'scalar' && attribute.type === 'password')) return false;
    if (schema.kind !== 'component' && !this.#access.mayUse(schema.uid, attribute.name, use)) return false;
    if (attribute.kind !== 'relation' && attribute.kind !== 'localizations') return true;
    return mayFollow(this.#access, attribute);
  }

  /** Attributes of some kinds: those that may be used, and where it is spiced the others more often than their share. */
  #among<A extends Attribute, T>(
    schema: Schema,
    use: Use,
    spiced: boolean,
    isOne: (attribute: Attribute) => attribute is A,
    make: (attribute: A) => fc.Arbitrary<T>,
  ): fc.Arbitrary<T> | null {
    const all = [...schema.attributes.values()].filter(isOne);
    const usable = all.filter((attribute) => this.#isUsable(schema, attribute, use));
    const others = spiced ? all.filter((attribute) => !usable.includes(attribute)) : [];
    const groups = [
      { weight: 3, arbitraries: usable.map(make) },
      { weight: 2, arbitraries: others.map(make) },
    ].filter(({ arbitraries }) => arbitraries.length > 0);
    if (groups.length === 0) return null;
    return fc.oneof(...groups.map(({ weight, arbitraries }) => ({ weight, arbitrary: fc.oneof(...arbitraries) })));
  }

  #value({ name, type }: ScalarAttribute): fc.Arbitrary<unknown> {
    if (name === 'documentId') return fc.constantFrom(...this.#documentIds);
    if (name === 'id') return fc.integer({ min: 1, max: 40 });
    if (name === 'locale') return fc.constantFrom('en', 'fr');
    if (type === 'datetime') return fc.constantFrom('2020-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z');
    return fc.constantFrom(...(VALUES[type] ?? TEXTS));
  }

  #conditions(attribute: ScalarAttribute): fc.Arbitrary<unknown> {
    return this.#once(`conditions ${attribute.type} ${attribute.name}`, () => {
      const value = this.#value(attribute);
      const under = (operator: string, operand: fc.Arbitrary<unknown>) => operand.map((one) => ({ [operator]: one }));
      const yes = fc.boolean();
      const list = fc.array(value, { minLength: 1, maxLength: 3 });
      const common = [
        value,
        ...['$eq', '$ne'].map((operator) => under(operator, value)),
        ...['$in', '$notIn'].map((operator) => under(operator, list)),
        ...['$null', '$notNull'].map((operator) => under(operator, yes)),
        value.map((one) => ({ $not: { $eq: one } })),
      ];
      if (attribute.type === 'json') {
        const inside = fc.tuple(fc.constantFrom('$eq', '$ne', '$lt', '$gte'), fc.integer({ min: 0, max: 2 }));
        const at = inside.map(([operator, number]) => ({ $at: { a: { [operator]: number } } }));
        return fc.oneof(...common, at, under('$has', fc.constantFrom(1, 3)));
      }
      const ordered = ['$lt', '$lte', '$gt', '$gte'].map((operator) => under(operator, value));
      const texts = ['$contains', '$notContains', '$containsi', '$notContainsi', '$startsWith', '$startsWithi']
        .concat(['$endsWith', '$endsWithi', '$eqi', '$nei'])
        .map((operator) => under(operator, fc.constantFrom('a', 'A', 'al', 'alpha', 'e', '7', '0')));
      const between = under('$between', fc.tuple(value, value));
      return fc.oneof(...common, ...ordered, ...texts, between);
    });
  }

  /** Where an attribute leads, for filters and sorts. */
  #schemaBehind(attribute: Attribute): Schema | null {
    switch (attribute.kind) {
      case 'relation':
      case 'localizations':
        return schemaOf(this.#model, attribute.target);
      case 'component':
        return schemaOf(this.#model, attribute.component);
      default:
        return null;
    }
  }

  #leads = (attribute: Attribute): attribute is Attribute => {
    const schema = this.#schemaBehind(attribute);
    return schema !== null && (attribute.kind !== 'relation' || this.#isKnown(schema.uid));
  };

  /** Types that the tests know; the others are reached as names only. */
  #isKnown(uid: string): boolean {
    return TYPES.includes(uid) || COMPONENTS.includes(uid) || [USER, ADMIN_USER, FILE, 'admin::role'].includes(uid);
  }

  /** What is said of all related rows together, which must not count what the caller may not see. */
  #onSet(attribute: Attribute, below: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
    const quantified = fc
      .tuple(fc.constantFrom('$some', '$none', '$every'), below)
      .map(([operator, condition]): Json => ({ [operator]: condition }));
    if (attribute.kind !== 'localizations' && !('many' in attribute && attribute.many)) return quantified;
    const test = fc.tuple(fc.constantFrom('$eq', '$ne', '$lt', '$gte'), fc.integer({ min: 0, max: 3 }));
    const counted = fc
      .tuple(test, fc.option(below))
      .map(([[operator, number], where]): Json => ({ $count: { [operator]: number, ...(where && { where }) } }));
    const ids = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 2 });
    const documentIds = fc.array(fc.constantFrom(...this.#documentIds), { minLength: 1, maxLength: 2 });
    const all = fc.oneof<fc.Arbitrary<unknown>[]>(ids, documentIds).map((values): Json => ({ $all: values }));
    return fc.oneof(
      { weight: 3, arbitrary: quantified },
      { weight: 3, arbitrary: counted },
      { weight: 1, arbitrary: all },
      { weight: 1, arbitrary: counted.map((one): Json => ({ $not: one })) },
    );
  }

  filter(schema: Schema, depth: number, spiced: boolean): fc.Arbitrary<Json> {
    return this.#once(`filter ${schema.uid} ${depth} ${spiced}`, () => {
      const isScalar = (attribute: Attribute): attribute is ScalarAttribute => attribute.kind === 'scalar';
      const own = this.#among(schema, 'filter', spiced, isScalar, (attribute) =>
        this.#conditions(attribute).map((conditions): Json => ({ [attribute.name]: conditions })),
      );
      const through =
        depth === 0
          ? null
          : this.#among(schema, 'filter', spiced, this.#leads, (attribute) => {
              const below = this.filter(this.#schemaBehind(attribute)!, depth - 1, spiced);
              const presence = fc.record({ operator: fc.constantFrom('$null', '$notNull'), yes: fc.boolean() });
              return fc
                .oneof(
                  { weight: 4, arbitrary: below },
                  { weight: 4, arbitrary: this.#onSet(attribute, below) },
                  { weight: 1, arbitrary: presence.map(({ operator, yes }): Json => ({ [operator]: yes })) },
                  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) },
                )
                .map((operand): Json => ({ [attribute.name]: operand }));
            });
      const unknown = fc.constantFrom<Json[]>({ nope: 'x' }, { hush_id: 1 }, { nope: { name: 'x' } });
      const leaves = [
        { weight: 6, arbitrary: own ?? unknown },
        ...(through ? [{ weight: 6, arbitrary: through }] : []),
        ...(spiced ? [{ weight: 1, arbitrary: unknown as fc.Arbitrary<Json> }] : []),
      ];
      const leaf = fc.oneof(...leaves);
      if (depth === 0) return leaf;
      const members = fc.array(leaf, { minLength: 1, maxLength: 2 });
      return fc.oneof(
        { weight: 8, arbitrary: leaf },
        {
          weight: 1,
          arbitrary: fc.tuple(fc.constantFrom('$and', '$or'), members).map(([is, of]): Json => ({ [is]: of })),
        },
        { weight: 1, arbitrary: leaf.map((one): Json => ({ $not: one })) },
        { weight: 1, arbitrary: fc.tuple(leaf, leaf).map(([one, other]): Json => ({ ...one, ...other })) },
      );
    });
  }

  sortKey(schema: Schema, depth: number, spiced: boolean): fc.Arbitrary<string> {
    return this.#once(`sort ${schema.uid} ${depth} ${spiced}`, () => {
      const isSortable = (attribute: Attribute): attribute is ScalarAttribute =>
        attribute.kind === 'scalar' && attribute.type !== 'json';
      const own = this.#among(schema, 'sort', spiced, isSortable, ({ name }) => fc.constant(name));
      const through =
        depth === 0
          ? null
          : this.#among(schema, 'sort', spiced, this.#leads, (attribute) => {
              const plain = this.sortKey(this.#schemaBehind(attribute)!, depth - 1, spiced).map(
                (rest) => `${attribute.name}.${rest}`,
              );
              if (!('many' in attribute) || !attribute.many) return plain;
              const ends = plain.map((path) => (/\$/.test(path) ? path : `${path}.$max`));
              return fc.oneof(plain, ends, fc.constant(`${attribute.name}.$count`));
            });
      return fc.oneof(own ?? fc.constant('id'), ...(through ? [through] : []));
    });
  }

  /** What entries are grouped by: attributes, relations, and both of related entries. */
  groupKey(schema: Schema, depth: number, spiced: boolean): fc.Arbitrary<string> {
    return this.#once(`group ${schema.uid} ${depth} ${spiced}`, () => {
      const isScalar = (attribute: Attribute): attribute is ScalarAttribute =>
        attribute.kind === 'scalar' && attribute.type !== 'json';
      const own = this.#among(schema, 'read', spiced, isScalar, ({ name, type }) =>
        type === 'date' || type === 'datetime' ? fc.constantFrom(name, `${name}.$month`) : fc.constant(name),
      );
      const through =
        depth === 0
          ? null
          : this.#among(schema, 'read', spiced, this.#leads, (attribute) => {
              const further = this.groupKey(this.#schemaBehind(attribute)!, depth - 1, spiced).map(
                (rest) => `${attribute.name}.${rest}`,
              );
              return attribute.kind === 'component' ? further : fc.oneof(further, fc.constant(attribute.name));
            });
      return fc.oneof(own ?? fc.constant('id'), ...(through ? [through] : []));
    });
  }

  aggregate(uid: string, spiced: boolean): fc.Arbitrary<Json> {
    const schema = schemaOf(this.#model, uid);
    const numbers = (attribute: Attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && ['integer', 'decimal'].includes(attribute.type);
    const ordered = (attribute: Attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && !['json', 'boolean'].includes(attribute.type);
    const of = (isOne: (attribute: Attribute) => attribute is ScalarAttribute): fc.Arbitrary<string[]> => {
      const name = this.#among(schema, 'read', spiced, isOne, (attribute) => fc.constant(attribute.name));
      return fc.array(name ?? fc.constant('id'), { minLength: 1, maxLength: 2 });
    };
    const shown = fc.record(
      {
        group: fc.array(this.groupKey(schema, 2, spiced), { minLength: 1, maxLength: 2 }),
        sum: of(numbers),
        avg: of(numbers),
        min: of(ordered),
        max: of(ordered),
        distinct: of(ordered),
        having: fc.integer({ min: 0, max: 3 }).map((count) => ({ count: { $gt: count } })),
        sort: fc.constantFrom('-count', 'count'),
      },
      { requiredKeys: [] },
    );
    return fc
      .tuple(shown, this.query(uid, spiced, false))
      .map(([aggregate, { filters, _q, status, locale, publicationFilter }]) => {
        const query = { count: '*', ...aggregate, filters, _q, status, locale, publicationFilter };
        return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
      });
  }

  sort(schema: Schema, depth: number, spiced: boolean): fc.Arbitrary<string[]> {
    const key = fc
      .tuple(this.sortKey(schema, depth, spiced), fc.constantFrom('', ':asc', ':desc'))
      .map(([path, direction]) => path + direction);
    return fc.array(key, { minLength: 1, maxLength: 2 });
  }

  fields(schema: Schema, spiced: boolean): fc.Arbitrary<string[]> {
    return this.#once(`fields ${schema.uid} ${spiced}`, () => {
      const isScalar = (attribute: Attribute): attribute is ScalarAttribute => attribute.kind === 'scalar';
      const name = this.#among(schema, 'read', spiced, isScalar, (attribute) => fc.constant(attribute.name));
      return fc.oneof(
        { weight: 5, arbitrary: fc.array(name ?? fc.constant('id'), { minLength: 1, maxLength: 3 }) },
        { weight: 1, arbitrary: fc.constant<string[]>(['*']) },
      );
    });
  }

  populate(schema: Schema, depth: number, spiced: boolean): fc.Arbitrary<unknown> {
    return this.#once(`populate ${schema.uid} ${depth} ${spiced}`, () => {
      const isAround = (attribute: Attribute): attribute is Attribute =>
        attribute.kind !== 'scalar' && (attribute.kind !== 'relation' || this.#isKnown(attribute.target));
      const one = this.#among(schema, 'read', spiced, isAround, (attribute) =>
        this.#populated(attribute, depth, spiced).map((options): Json => ({ [attribute.name]: options })),
      );
      const every = fc.constant('*');
      if (!one) return every;
      return fc.oneof(
        { weight: 4, arbitrary: one },
        { weight: 2, arbitrary: fc.tuple(one, one).map(([a, b]): Json => ({ ...a, ...b })) },
        { weight: 2, arbitrary: every },
        { weight: 1, arbitrary: one.map((options) => Object.keys(options)) },
      );
    });
  }

  #populated(attribute: Attribute, depth: number, spiced: boolean): fc.Arbitrary<unknown> {
    const target = attribute.kind === 'media' ? schemaOf(this.#model, FILE) : this.#schemaBehind(attribute);
    const plain = fc.constantFrom<unknown[]>(true, { count: true });
    if (depth === 0) return plain;
    if (target) {
      const options = fc.record(
        {
          fields: this.fields(target, spiced),
          filters: this.filter(target, 1, spiced),
          sort: this.sort(target, 1, spiced),
          populate: this.populate(target, depth - 1, spiced),
          count: fc.constant(true),
        },
        { requiredKeys: [] },
      );
      const paged = fc
        .tuple(options, POPULATED_PAGE)
        .map(([{ count: _, ...others }, pagination]) => ({ ...others, pagination }));
      return fc.oneof(
        { weight: 1, arbitrary: plain },
        { weight: 3, arbitrary: options.filter((one) => Object.keys(one).length > 0) },
        ...(isMany(attribute) ? [{ weight: 2, arbitrary: paged }] : []),
      );
    }
    const uids =
      attribute.kind === 'dynamiczone'
        ? attribute.components.map(({ uid }) => uid)
        : attribute.kind === 'morph'
          ? attribute.targets
              .map(({ uid }) => uid)
              .filter((uid) => this.#isKnown(uid) && (spiced || this.#access.mayFind(uid)))
          : [];
    if (uids.length === 0) return plain;
    const fragment = uids.map((uid) => {
      const schema = schemaOf(this.#model, uid);
      const inside = fc.record(
        {
          fields: this.fields(schema, spiced),
          filters: this.filter(schema, 1, spiced),
          populate: this.populate(schema, depth - 1, spiced),
        },
        { requiredKeys: ['fields'] },
      );
      return fc.oneof(inside, fc.constant(true)).map((options): Json => ({ on: { [uid]: options } }));
    });
    const dotted = fc.constantFrom<unknown[]>({ populate: '*' }, true);
    return fc.oneof(plain, dotted, ...fragment);
  }

  query(uid: string, spiced: boolean, isList: boolean): fc.Arbitrary<Json> {
    const schema = schemaOf(this.#model, uid);
    const perhaps = <T>(share: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
      fc.oneof({ weight: 100 - share, arbitrary: fc.constant(undefined) }, { weight: share, arbitrary });
    const number = fc.integer({ min: 1, max: 6 });
    return fc
      .record({
        filters: perhaps(60, this.filter(schema, 3, spiced)),
        sort: perhaps(35, this.sort(schema, 3, spiced)),
        fields: perhaps(25, this.fields(schema, spiced)),
        populate: perhaps(45, this.populate(schema, 2, spiced)),
        _q: perhaps(10, fc.constantFrom(...SEARCHED)),
        pagination: isList
          ? perhaps(
              40,
              fc.oneof(
                fc.record({ page: number, pageSize: number }),
                fc.record({ start: number, limit: number }),
                fc.record({ pageSize: number, withCount: fc.boolean() }),
                fc.record({ cursor: fc.constant(''), pageSize: number, withCount: fc.boolean() }),
              ),
            )
          : fc.constant(undefined),
        facets: isList
          ? perhaps(20, fc.array(this.groupKey(schema, 2, spiced), { minLength: 1, maxLength: 2 }))
          : fc.constant(undefined),
        status: perhaps(35, fc.constantFrom('draft', 'published')),
        locale: perhaps(30, fc.constantFrom<unknown[]>('en', 'fr', '*', ['fr', 'en'])),
        publicationFilter: perhaps(12, fc.constantFrom(...PUBLICATION_FILTERS)),
      })
      .map((query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)));
  }

  requests(kind: Kind): fc.Arbitrary<Request> {
    const weights: readonly [string, number][] = [
      [POST, 6],
      [WRITER, 3],
      [TAG, 3],
      [PAGE, 1],
      [TEAM, 1],
      [VAULT, 1],
      [USER, 1],
    ];
    const of = (uid: string, spiced: boolean, isList: boolean): fc.Arbitrary<Request> =>
      fc.record({
        kind: fc.constant(kind),
        uid: fc.constant(uid),
        documentId: isList || uid === PAGE ? fc.constant(null) : fc.constantFrom(...this.#documentIds),
        query: this.query(uid, spiced, isList && uid !== PAGE),
      });
    const grouped = (uid: string, spiced: boolean): fc.Arbitrary<Request> =>
      fc.record({
        kind: fc.constant(kind),
        uid: fc.constant(uid),
        documentId: fc.constant(null),
        further: fc.constant('aggregate'),
        query: this.aggregate(uid, spiced),
      });
    /** The entries that a relation leads to; where it is spiced, also of relations that are hidden. */
    const related = (uid: string, spiced: boolean): fc.Arbitrary<Request> => {
      const isRelation = (attribute: Attribute): attribute is RelationAttribute =>
        attribute.kind === 'relation' && this.#isKnown(attribute.target);
      const relation = this.#among(schemaOf(this.#model, uid), 'read', spiced, isRelation, (one) => fc.constant(one));
      return (relation ?? fc.constant(null)).chain((one) =>
        fc.record({
          kind: fc.constant(kind),
          uid: fc.constant(uid),
          documentId: uid === PAGE ? fc.constant(null) : fc.constantFrom(...this.#idsByType[uid]!),
          further: fc.constant(one?.name ?? 'nope'),
          query: this.query(one?.target ?? uid, spiced, true),
        }),
      );
    };
    const served = weights.filter(([uid]) => this.#access.may(`${uid}.find`));
    const some = (spiced: boolean) =>
      fc.oneof(
        {
          weight: 7,
          arbitrary: fc.oneof(...served.map(([uid, weight]) => ({ weight, arbitrary: of(uid, spiced, true) }))),
        },
        {
          weight: 1,
          arbitrary: fc.oneof(...served.map(([uid, weight]) => ({ weight, arbitrary: of(uid, spiced, false) }))),
        },
        {
          weight: 3,
          arbitrary: fc.oneof(
            ...served
              .filter(([uid]) => uid !== USER && uid !== PAGE)
              .map(([uid, weight]) => ({ weight, arbitrary: grouped(uid, spiced) })),
          ),
        },
        {
          weight: 1,
          arbitrary: fc.oneof(
            ...served
              .filter(([uid]) => uid !== USER)
              .map(([uid, weight]) => ({ weight, arbitrary: related(uid, spiced) })),
          ),
        },
      );
    return fc.oneof({ weight: 7, arbitrary: some(false) }, { weight: 3, arbitrary: some(true) });
  }
}

// ------------------------------------------------------------------------------------------------------ the comparison

/** A copy of a database that nobody is connected to. */
async function copyOf(engine: Engine, url: string): Promise<string> {
  const copy = engine.freshDatabaseUrl();
  if (engine.name === 'SQLite') {
    copyFileSync(url.slice('sqlite:'.length), copy.slice('sqlite:'.length));
    return copy;
  }
  const nameOf = (one: string): string => new URL(one).pathname.slice(1);
  const client = new pg.Client(`${inject('postgres')}/postgres`);
  await client.connect();
  try {
    await client.query(`drop database ${nameOf(copy)}`);
    await client.query(`create database ${nameOf(copy)} template ${nameOf(url)}`);
  } finally {
    await client.end();
  }
  return copy;
}

/** Headers that tell nothing but when, how long it took, and which request it was. */
const PASSING = new Set(['date', 'server-timing', 'x-request-id']);

async function answer(app: FastifyInstance, request: Request, who: Who): Promise<string> {
  const { statusCode, headers, payload } = await app.inject({ url: urlOf(request), headers: who });
  let text = `${statusCode}`;
  for (const name of Object.keys(headers)) if (!PASSING.has(name)) text += `\n${name}: ${headers[name]}`;
  return `${text}\n\n${payload}`;
}

describeOnEveryDatabase('What a caller may not read', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let world: World;
  let base: Guarded;
  let baseWithCode: Guarded;
  const baseOf = (kind: Kind): Guarded => (kind === 'withheld' ? baseWithCode : base);
  const others: Record<Kind, Guarded> = {} as never;
  const apps = new Map<Guarded, FastifyInstance>();
  let requests: fc.Arbitrary<Request>;

  const serve = (site: Guarded): FastifyInstance => {
    let app = apps.get(site);
    if (!app) {
      app = createServer(site.sheaf);
      apps.set(site, app);
    }
    return app;
  };

  beforeAll(async () => {
    const withCode = guarded.projectWith(PROJECT, { rules: RULES });
    for (const name of ['team', 'vault']) {
      const folder = path.join(withCode, 'src', 'api', name, 'controllers');
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, `${name}.js`), CONTROLLER);
    }
    // Code that runs guards by itself.
    mkdirSync(path.join(withCode, 'config'), { recursive: true });
    writeFileSync(path.join(withCode, 'config', 'sheaf.json'), '{"runStrapiCode": false}');
    const projectOf = (kind: Kind) => (kind === 'withheld' ? withCode : PROJECT);
    const first = await guarded.open(PROJECT, { rules: RULES });
    world = { url: first.database, ...(await build(first)) };
    await first.close();
    for (const kind of KINDS) {
      const database = await copyOf(engine, world.url);
      others[kind] = await guarded.open(projectOf(kind), { rules: RULES, database });
      expect(await disturb(others[kind], kind, world.userId)).toBeGreaterThan(50);
    }
    base = await guarded.open(PROJECT, { rules: RULES, database: world.url });
    baseWithCode = await guarded.open(withCode, { database: world.url });
    const arbitraries: fc.Arbitrary<Request>[] = [];
    for (const kind of KINDS) {
      const { access } = await baseOf(kind).auth.authenticator.identify(world.who[kind].authorization);
      arbitraries.push(new Requests(base.sheaf.model, access, world).requests(kind));
    }
    requests = fc.oneof(...arbitraries);
  });
  afterAll(async () => {
    for (const app of apps.values()) await app.close();
  });

  it('changes no answer: neither status, headers, entries, their order, nor any count', async () => {
    const seen = { all: 0, full: 0, empty: 0, refused: 0, forbidden: 0, missing: 0 };
    const compare = async (request: Request): Promise<void> => {
      const { kind } = request;
      const [one, other] = await Promise.all(
        [baseOf(kind), others[kind]].map((site) => answer(serve(site), request, world.who[kind])),
      );
      seen.all++;
      if (one!.startsWith('400')) seen.refused++;
      else if (one!.startsWith('403') && isHiddenDraft(request)) seen.forbidden++;
      else if (one!.startsWith('404')) seen.missing++;
      else if (one!.includes('\n\n{"data":[]')) seen.empty++;
      else if (one!.startsWith('200')) seen.full++;
      else throw new Error(`as ${kind}: GET ${urlOf(request)}\n${one}`);
      if (one !== other) throw new Error(`as ${kind}: GET ${urlOf(request)}\n--- one\n${one}\n--- other\n${other}`);
    };
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        for (let shift = 0; shift < valuesPerShapeOn(engine); shift++)
          await compare(withOtherValues(request, shift, world.documentIds));
      }),
      {
        numRuns: Math.ceil(requestsOn(engine) / valuesPerShapeOn(engine)),
        seed: REQUEST_SEED,
        examples: [...hiddenDrafts(), ...fileHolders()].map((request): [Request] => [request]),
      },
    );
    // Requests that all fail, or find nothing, would prove nothing.
    expect(seen.full / seen.all, JSON.stringify(seen)).toBeGreaterThan(0.3);
    expect(seen.refused / seen.all, JSON.stringify(seen)).toBeGreaterThan(0.1);
    expect(seen.refused / seen.all, JSON.stringify(seen)).toBeLessThan(0.5);
    expect(seen.forbidden, JSON.stringify(seen)).toBeGreaterThan(0);
    tell(`${engine.name}: ${JSON.stringify(seen)}`);
  });

  /** The number of requests after which two databases answer differently to a caller with the rights that are given. */
  async function noticedAfter(
    doctor: (access: Access) => Access,
    most = NOTICED_WITHIN,
    sites: (kind: Kind) => readonly [Guarded, Guarded] = (kind) => [baseOf(kind), others[kind]],
  ): Promise<number> {
    const sample = fc.sample(requests, { numRuns: most, seed: REQUEST_SEED });
    for (const [index, { kind, uid, further, query }] of sample.entries()) {
      if (further !== undefined && further !== 'aggregate') continue;
      const answers = await Promise.all(
        sites(kind).map(async (site) => {
          const identified = await site.sheaf.authenticate(world.who[kind]);
          const caller = { ...identified, access: doctor(identified.access) };
          try {
            const type = site.sheaf.model.contentTypes.get(uid)!;
            const parameters = parseQueryString(queryText(query));
            const defaults = { status: 'published', pagination: FIRST_PAGE } as const;
            const name = further ?? 'find';
            const list = site.sheaf.operations.find({ name, type, parameters, defaults }, caller);
            return pageJson(list.request.pagination, await list.run({ caller }), list.omitted);
          } catch (error) {
            if (!(error instanceof SheafError)) throw error;
            return error.message;
          }
        }),
      );
      if (answers[0] !== answers[1]) return index + 1;
    }
    return Number.POSITIVE_INFINITY;
  }

  it('is what the comparison is about: without the check of names it is noticed soon', async () => {
    const after = await noticedAfter((access) => ({
      ...access,
      key: `doctored ${access.key}`,
      mayUse: () => true,
      mayFind: () => true,
    }));
    expect(after).toBeLessThanOrEqual(NOTICED_WITHIN);
    // It is the check that makes the difference, not the way of asking.
    const checked = await noticedAfter((access) => ({ ...access, key: `as it is ${access.key}` }), after);
    expect(checked).toBe(Number.POSITIVE_INFINITY);
    tell(`${engine.name}: without the check of names, noticed after ${after} requests`);
  });

  it.each<[string, (access: Access) => Partial<Access>]>([
    ['of attributes', () => ({ mayUse: () => true })],
    ['of types', () => ({ mayFind: () => true })],
    ['of rows', () => ({ rowsOf: () => null })],
    ['of drafts', () => ({ mayReadDrafts: () => true })],
  ])('is noticed soon without the check %s alone', async (name, doctor) => {
    const after = await noticedAfter((access) => ({
      ...access,
      ...doctor(access),
      key: `without ${name} ${access.key}`,
    }));
    expect(after).toBeLessThanOrEqual(NOTICED_WITHIN);
    tell(`${engine.name}: without the check ${name}, noticed after ${after} requests`);
  });

  it('is noticed soon where what is private is not', async () => {
    const text = JSON.stringify(PROJECT).replaceAll('"private":true', '"private":false');
    const open = JSON.parse(text) as Project;
    const [one, other] = [
      await guarded.open(open, { rules: RULES, database: base.database }),
      await guarded.open(open, { rules: RULES, database: others.reader.database }),
    ];
    const after = await noticedAfter(
      (access) => access,
      NOTICED_WITHIN,
      () => [one, other],
    );
    expect(after).toBeLessThanOrEqual(NOTICED_WITHIN);
    tell(`${engine.name}: with nothing private, noticed after ${after} requests`);
  });
});
