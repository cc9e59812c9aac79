// What a project populates where a request does not say: by content-type and route, within the rights of the caller.
import { beforeAll, expect, it } from 'vitest';
import { SetupError } from '../src/errors.ts';
import { ROLE, USER } from '../src/model/builtin.ts';
import { type Answered, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, useGuarded } from './support/guarded.ts';

const PROJECT: Project = {
  types: {
    article: {
      attributes: {
        title: { type: 'string' },
        author: relation('manyToOne', 'author'),
        tags: relation('manyToMany', 'tag'),
        zone: { type: 'dynamiczone', components: ['kit.text'] },
      },
    },
    author: { attributes: { name: { type: 'string' }, city: relation('manyToOne', 'city') } },
    tag: { attributes: { name: { type: 'string' }, rank: { type: 'integer' } } },
    city: { attributes: { name: { type: 'string' } } },
    front: { single: true, attributes: { best: relation('oneToOne', 'article') } },
  },
  components: { 'kit.text': { body: { type: 'text' }, author: relation('oneToOne', 'author') } },
};

const POPULATE = {
  'api::article.article': {
    find: {
      tags: { fields: ['name'], sort: 'rank:desc', filters: { rank: { $gt: 1 } } },
      author: { populate: ['city'] },
    },
    findOne: 'zone.author,tags',
  },
  'api::author.author': '*',
  'api::front.front': { find: 'best' },
};

const READS = ['article', 'author', 'tag', 'city', 'front'].flatMap((name) =>
  (name === 'front' ? ['find'] : ['find', 'findOne']).map((verb) => `api::${name}.${name}.${verb}`),
);

describeOnEveryDatabase('Populate by default', (engine) => {
  const guarded = useGuarded(engine, useContents(engine));
  let site: Guarded;
  let article: string;
  let author: string;

  beforeAll(async () => {
    site = await guarded.open(PROJECT, { settings: { populate: POPULATE } });
    await site.grantOnly('public', ['*']);
    const city = await site.make('citys', { name: 'Lyon' });
    author = await site.make('authors', { name: 'Ann', city });
    const tags: string[] = [];
    for (const rank of [1, 2, 3]) tags.push(await site.make('tags', { name: `tag ${rank}`, rank }));
    const zone = [{ __component: 'kit.text', body: 'b', author }];
    article = await site.make('articles', { title: 'One', author, tags, zone });
    await site.send('PUT', 'front', { data: { best: article } });
    await site.grantOnly('public', READS);
  });

  const listed = async (query = ''): Promise<Answered> => (await site.get(`articles?${query}`)).body.data[0];

  it('is for the list, with all that populate can say', async () => {
    for (const _time of ['first', 'second']) {
      const entry = await listed();
      expect(entry).toMatchObject({ title: 'One', author: { name: 'Ann', city: { name: 'Lyon' } } });
      expect(entry.tags.map((tag: Answered) => [tag.name, tag.rank])).toEqual([
        ['tag 3', 3],
        ['tag 2', 2],
      ]);
      expect(entry).not.toHaveProperty('zone');
    }
  });

  it('is for one entry, for all routes of a type, and for a single type', async () => {
    const { body } = await site.get(`articles/${article}`);
    expect(body.data).toMatchObject({ zone: [{ body: 'b', author: { name: 'Ann' } }], tags: [{}, {}, {}] });
    expect(body.data).not.toHaveProperty('author');
    expect((await site.get('authors')).body.data).toMatchObject([{ city: { name: 'Lyon' } }]);
    expect((await site.get(`authors/${author}`)).body.data).toMatchObject({ city: { name: 'Lyon' } });
    expect((await site.get('front')).body.data).toMatchObject({ best: { title: 'One' } });
    expect((await site.get('tags')).body.data).toHaveLength(3);
  });

  it('gives way to whatever the request says of populate, and to nothing else', async () => {
    expect(await listed('populate=zone')).toMatchObject({ zone: [{ body: 'b' }] });
    for (const query of ['populate=zone', 'populate=', 'populate', 'populate=false']) {
      const entry = await listed(query);
      expect(entry).not.toHaveProperty('author');
      expect(entry).not.toHaveProperty('tags');
    }
    expect(await listed('fields=title&sort=title')).toHaveProperty('author.city.name', 'Lyon');
  });

  it('does not change the responses of writes, nor what code in process reads', async () => {
    await site.grantOnly('public', [...READS, 'api::article.article.update']);
    const put = await site.put(`articles/${article}`, { title: 'One' });
    await site.grantOnly('public', READS);
    expect(put.status).toBe(200);
    expect(put.body.data).not.toHaveProperty('tags');
    const [read] = await site.sheaf.documents('api::article.article').findMany();
    expect(read).not.toHaveProperty('tags');
  });

  it('leaves out what the caller may not read, and refuses nothing', async () => {
    const without = (...names: string[]) =>
      READS.filter((action) => !names.some((name) => action.includes(`.${name}.`)));
    await site.grantOnly('public', without('city'));
    let answer = await site.get('articles');
    expect(answer.status).toBe(200);
    expect(answer.body.data[0].author).toEqual(expect.not.objectContaining({ city: expect.anything() }));
    expect(answer.body.meta.omitted).toEqual(['author.city']);
    await site.grantOnly('public', without('author', 'tag'));
    answer = await site.get('articles');
    expect(answer.status).toBe(200);
    expect(answer.body.meta.omitted).toEqual(['author', 'tags']);
    expect(Object.keys(answer.body.data[0])).not.toContain('author');
    const one = await site.get(`articles/${article}`);
    expect(one.status).toBe(200);
    expect(one.body.data.zone).toEqual([{ __component: 'kit.text', id: expect.any(Number), body: 'b' }]);
    // What a request asks for itself is refused as ever.
    expect((await site.get('articles?populate=author')).status).toBe(400);
    await site.grantOnly('public', READS);
  });

  it('leaves out what is filtered by an attribute that the caller may not use, never the filter alone', async () => {
    const rules = { public: { 'api::tag.tag': { fields: { filter: ['name'] } } } };
    const ruled = await guarded.open(PROJECT, {
      rules,
      settings: { populate: { 'api::article.article': POPULATE['api::article.article'].find } },
      database: site.database,
    });
    const { status, body } = await ruled.get('articles');
    expect(status).toBe(200);
    expect(body.data[0]).not.toHaveProperty('tags');
    expect(body.data[0]).toHaveProperty('author.name', 'Ann');
  });

  it('is for the account of a user, and leaves its role out for who may not find roles', async () => {
    const populate = { [USER]: { me: 'role', find: { role: { populate: '*' } } } };
    const own = await guarded.open(PROJECT, { settings: { populate } });
    const { who } = await own.person('authenticated');
    const reads = [`${USER}.me`, `${USER}.find`];
    await own.grantOnly('authenticated', reads);
    for (const url of ['users/me', 'users']) expect((await own.get(url, who)).status, url).toBe(200);
    expect((await own.get('users/me', who)).body).not.toHaveProperty('role');
    await own.grantOnly('authenticated', [...reads, `${ROLE}.find`]);
    expect((await own.get('users/me', who)).body).toHaveProperty('role.type', 'authenticated');
    expect((await own.get('users', who)).body.data[0]).toHaveProperty('role.type', 'authenticated');
    // What no caller may populate is still reported.
    const wrong = guarded.open(PROJECT, { settings: { populate: { [USER]: { me: 'role.permissions' } } } });
    await expect(wrong).rejects.toThrow('Invalid key permissions at role');
  });

  it('is checked at the start against the model', async () => {
    const populate = {
      'api::article.article': { find: { author: { populate: 'nosuch' } }, findOne: ['tags', 'none'] },
      'api::author.author': { city: { fields: 'nosuch' } },
      'api::nothing.nothing': '*',
    };
    const opened = guarded.open(PROJECT, { settings: { populate } });
    await expect(opened).rejects.toThrow(SetupError);
    const { problems } = (await opened.catch((error: unknown) => error)) as SetupError;
    expect(problems).toEqual([
      'populate.api::article.article.find: Invalid key nosuch at author',
      'populate.api::article.article.findOne: Invalid key none',
      'populate.api::author.author: Invalid key nosuch at city',
      'populate.api::nothing.nothing: there is no content-type "api::nothing.nothing" with routes; expected the uid of one of this project',
    ]);
  });
});
