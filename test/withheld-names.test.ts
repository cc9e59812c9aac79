// Names that the caller may not use must not tell what they are, and one test for each class of published advisory about
// content servers of this kind.
import { beforeAll, expect, it } from 'vitest';
import { USER } from '../src/model/builtin.ts';
import { type Answered, type Json, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, NOBODY, useGuarded, type Who } from './support/guarded.ts';
import { ARTICLE, FRONT, NEWS, namesOf, reads, readsOf, TOPIC, VAULT, WRITER } from './support/news.ts';

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
    const names = ['password', 'resetPasswordToken', 'confirmationToken', 'createdBy'];
    await expectAlike(USER_PLACES, names, reader);
    // Everyone knows that there is a role. As in Strapi 5, it is left out where it is populated.
    const isPopulated = (place: (name: string) => string): boolean => place('role').includes('populate=');
    await expectAlike(
      USER_PLACES.filter((place) => !isPopulated(place)),
      ['role'],
      reader,
    );
  });

  it.each([
    'populate=role',
    'populate[0]=role',
    'populate[]=role',
    'populate[role]=true',
    'populate[role][fields]=name',
    'populate=role.permissions',
  ])('is left out where it is the role of users: %s', async (query) => {
    const { documentId } = (await site.get('users/me', reader)).body;
    for (const url of ['users/me', 'users', `users/${documentId}`]) {
      const { status, headers, body } = await site.get(`${url}?${query}`, reader);
      expect(status, url).toBe(200);
      expect(headers['x-sheaf-ignored']).toBe('populate[role]');
      for (const user of body.data ?? [body]) expect(user).not.toHaveProperty('role');
    }
    for (const wrong of ['populate[0]=role&populate[1]=nope', 'populate[nope]=role', 'populate[0][nope]=role'])
      expect((await site.get(`users/me?${wrong}`, reader)).status, wrong).toBe(400);
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
    for (const url of hidden.filter((one) => !/\[topics\]|\[picks\]|where/.test(one)))
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
