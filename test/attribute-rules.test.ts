// Rules on attributes, of the files in access/, and rule files that are wrong.
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { readRules } from '../src/access/rules.ts';
import { openAuth } from '../src/accounts/auth.ts';
import type { Sheaf } from '../src/app.ts';
import { SetupError } from '../src/errors.ts';
import { loadModel } from '../src/model/build.ts';
import { USER } from '../src/model/builtin.ts';
import { type Answered, type Json, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, useGuarded, writeAccessFile } from './support/guarded.ts';
import {
  ARTICLE,
  CONTENT,
  everyAction,
  FRONT,
  failureOf,
  NEWS,
  namesOf,
  reads,
  TOPIC,
  WRITER,
} from './support/news.ts';

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
