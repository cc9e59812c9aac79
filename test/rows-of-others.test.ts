// Rows that Strapi 5, or people with SQL, leave in the tables, and that no write of ours makes: they are read and
// written over, and never fail a request.
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Answered, type Content, localized, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';

const BLOG: Project = {
  components: {
    'kit.quote': { text: { type: 'string', required: true }, author: relation('oneToOne', 'author') },
    'kit.link': { url: { type: 'string', required: true } },
  },
  types: {
    author: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        articles: relation('manyToMany', 'article', { mappedBy: 'authors' }),
      },
    },
    tag: { attributes: { name: { type: 'string' } } },
    article: {
      drafts: true,
      attributes: {
        title: { type: 'string' },
        authors: relation('manyToMany', 'author', { inversedBy: 'articles' }),
        tags: relation('oneToMany', 'tag'),
        links: { type: 'component', component: 'kit.link', repeatable: true, max: 2 },
        blocks: { type: 'dynamiczone', components: ['kit.quote', 'kit.link'] },
      },
    },
  },
};

const names = (entries: readonly Answered[]): string[] => entries.map(({ name }) => name);

describeOnEveryDatabase('rows of others', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  let ann: string;
  let bob: string;
  let article: string;
  beforeAll(async () => {
    content = await contents.open(BLOG);
  });
  beforeEach(async () => {
    ann = await content.make('authors', { name: 'Ann' });
    bob = await content.make('authors', { name: 'Bob' });
    article = await content.make('articles', {
      title: 'One',
      authors: [ann, bob],
      links: [{ url: '/a' }, { url: '/b' }],
      blocks: [
        { __component: 'kit.quote', text: 'Q', author: ann },
        { __component: 'kit.link', url: '/z' },
      ],
    });
  });

  const draftOf = (documentId: string, table = 'articles'): Promise<number> =>
    content.number(`select id from ${table} where document_id = '${documentId}' and published_at is null`);
  const shown = async (url: string): Promise<Answered> => (await content.get(url)).body.data;

  it('that stand for components which are gone are not shown, counted, checked or copied', async () => {
    const draft = await draftOf(article);
    await content.execute(
      `delete from components_kit_links where id in (select cmp_id from articles_cmps where entity_id = ${draft} and component_type = 'kit.link' and "order" = 2)`,
    );
    const published = await content.entry('PUT', `articles/${article}?populate=*`, {});
    expect(published.links.map(({ url }: Answered) => url)).toEqual(['/a']);
    expect(published.blocks.map(({ __component }: Answered) => __component)).toEqual(['kit.quote']);
    const clone = await content.send('POST', `articles/${article}/actions/clone?populate=*`);
    expect([clone.status, clone.body.data.links.length, clone.body.data.blocks.length]).toEqual([201, 1, 1]);
  });

  it('that hold the component of another entry keep a write from neither', async () => {
    const other = await content.make('articles', { title: 'Two' });
    await content.execute(
      `insert into articles_cmps (entity_id, cmp_id, component_type, field, "order") select o.id, c.cmp_id, c.component_type, c.field, c."order" from articles as o, articles_cmps as c join articles as e on e.id = c.entity_id where o.document_id = '${other}' and e.document_id = '${article}' and c.field = 'blocks' and (e.published_at is null) = (o.published_at is null)`,
    );
    const blocks = [{ __component: 'kit.quote', text: 'New', author: bob }];
    const written = await content.entry('PUT', `articles/${article}?populate[blocks][populate]=*`, { blocks });
    expect(written.blocks).toMatchObject([{ text: 'New', author: { name: 'Bob' } }]);
    const again = await content.entry('PUT', `articles/${other}?populate[blocks][populate]=*`, { blocks });
    expect(again.blocks).toMatchObject([{ text: 'New', author: { name: 'Bob' } }]);
  });

  it('that hold a component in a draft and in its published entry show what is written when it is published', async () => {
    const [draft, published] = [
      await draftOf(article),
      await content.number(`select id from articles where document_id = '${article}' and published_at is not null`),
    ];
    const linkOf = (row: number, place: string): string =>
      `select ${place}(id) from articles_cmps where field = 'links' and entity_id = ${row}`;
    const [first, second] = [await content.number(linkOf(draft, 'min')), await content.number(linkOf(draft, 'max'))];
    await content.execute(
      `update articles_cmps set cmp_id = (select cmp_id from articles_cmps where id = ${first}) where id = (${linkOf(published, 'min')})`,
    );
    const urls = async (status: string): Promise<string[]> =>
      (await shown(`articles/${article}?populate=links&status=${status}`)).links.map(({ url }: Answered) => url);
    const ids = (
      await content.rows(`select cmp_id from articles_cmps where id in (${first}, ${second}) order by id`)
    ).flat();
    const links = [{ id: ids[0], url: '/changed' }, { id: ids[1] }];
    await content.entry('PUT', `articles/${article}?status=draft`, { links });
    expect(await urls('published')).toEqual(['/a', '/b']);
    expect(await urls('draft')).toEqual(['/changed', '/b']);
    await content.entry('PUT', `articles/${article}`, {});
    expect(await urls('published')).toEqual(['/changed', '/b']);
  });

  it('that have no documentId are left out of what a write locks', async () => {
    await content.execute(`update authors set document_id = null where document_id = '${bob}'`);
    expect((await content.put(`articles/${article}`, { title: 'Two' })).status).toBe(200);
    const written = await content.entry('PUT', `articles/${article}?populate=authors`, {
      authors: { disconnect: [ann] },
    });
    expect(names(written.authors)).toEqual([]);
    expect((await content.delete(`articles/${article}`)).status).toBe(204);
  });

  it('that are a second version in the same status take no link from the first', async () => {
    await content.execute(
      `insert into authors (document_id, name, published_at) select document_id, 'Twin', published_at from authors where document_id = '${ann}'`,
    );
    const written = await content.entry('PUT', `articles/${article}?populate=authors`, { authors: [bob, ann] });
    expect(names(written.authors)).toEqual(['Bob', 'Ann']);
    const linked = await content.make('articles', { authors: [ann] });
    expect(names((await shown(`articles/${linked}?populate=authors`)).authors)).toEqual(['Ann']);
  });

  it('that have no position come last, and stay there when a list is written', async () => {
    const draft = await draftOf(article);
    await content.execute(
      `update articles_authors_lnk set author_ord = null where article_id = ${draft} and author_id = ${await draftOf(ann, 'authors')}`,
    );
    const url = `articles/${article}?status=draft&populate=authors`;
    expect(names((await shown(url)).authors)).toEqual(['Bob', 'Ann']);
    const cat = await content.make('authors', { name: 'Cat' });
    const written = await content.entry('PUT', url, { authors: { connect: [cat] } });
    expect(names(written.authors)).toEqual(['Bob', 'Ann', 'Cat']);
    await content.execute(
      `update articles_cmps set "order" = null where entity_id = ${draft} and field = 'blocks' and component_type = 'kit.quote'`,
    );
    const kinds = ({ blocks }: Answered): string[] => blocks.map(({ __component }: Answered) => __component);
    expect(kinds(await shown(`articles/${article}?status=draft&populate=blocks`))).toEqual(['kit.link', 'kit.quote']);
    expect(kinds(await content.entry('PUT', `articles/${article}?populate=blocks`, {}))).toEqual([
      'kit.link',
      'kit.quote',
    ]);
  });
});

describeOnEveryDatabase('a user whom SQL made without a documentId', (engine) => {
  const contents = useContents(engine);

  it('gets one by logging in, by another password and by being written', async () => {
    const content = await contents.open(BLOG);
    const [old, password] = ['Tr0ub4dor-and-3', 'Correct-horse-4'];
    const made: number[] = [];
    for (const username of ['ann', 'bob', 'cat']) {
      const user = { username, email: `${username}@example.com`, password: old, role: 1, confirmed: true };
      made.push((await content.send('POST', 'users', user)).body.id);
    }
    await content.execute('update up_users set document_id = null');
    const logIn = (identifier: string, given: string) =>
      content.send('POST', 'auth/local', { identifier, password: given });
    const { jwt, user } = (await logIn('ann', old)).body;
    expect(user).toMatchObject({ username: 'ann', documentId: expect.stringMatching(/^[a-z][a-z0-9]{23}$/) });
    const authorization = `Bearer ${jwt}`;
    expect((await content.send('GET', 'users/me', undefined, { authorization })).body.username).toBe('ann');

    await content.execute('update up_users set document_id = null');
    const change = { currentPassword: old, password, passwordConfirmation: password };
    expect((await content.send('POST', 'auth/change-password', change, { authorization })).status).toBe(200);
    expect([(await logIn('ann', old)).status, (await logIn('ann', password)).status]).toEqual([400, 200]);

    const denied = { authorization: `Bearer ${(await logIn('ann', password)).body.jwt}` };
    for (const method of ['PUT', 'DELETE'])
      expect((await content.send(method, `users/${made[1]}`, { username: 'no' }, denied)).status).toBe(403);
    expect(await content.number('select count(*) from up_users where document_id is null')).toBe(2);

    expect((await content.send('PUT', `users/${made[1]}`, { username: 'bert' })).body.username).toBe('bert');
    expect((await content.get(`users/${made[1]}`)).body.username).toBe('bert');
    expect((await content.delete(`users/${made[2]}`)).status).toBe(200);
  });
});

describeOnSqlite('values that a column of SQLite takes, whatever its type,', (engine) => {
  const contents = useContents(engine);

  it('are shown and published, and keep no other entry from being read', async () => {
    const content = await contents.open({
      types: {
        page: {
          drafts: true,
          attributes: {
            title: { type: 'string' },
            note: { type: 'string' },
            visits: { type: 'biginteger' },
            stars: { type: 'integer' },
            opens: { type: 'time' },
            seenAt: { type: 'datetime' },
          },
        },
      },
    });
    const page = await content.make('pages?status=draft', { title: 'One' });
    await content.execute(
      "update pages set note = printf('%300d', 1), visits = 'many', stars = 9223372036854775807, opens = '22:30', seen_at = 1740823200000000000",
    );
    await content.make('pages?status=draft', { title: 'Two', stars: 2 });
    const listed = await content.get('pages?status=draft&fields=title,visits,stars,opens,seenAt&sort=title');
    expect(listed.body.data).toMatchObject([
      { title: 'One', visits: 'many', stars: 2 ** 63, opens: '22:30:00.000', seenAt: null },
      { title: 'Two', visits: null, stars: 2, opens: null, seenAt: null },
    ]);
    const published = await content.entry('PUT', `pages/${page}`, { title: 'Three' });
    expect(published).toMatchObject({ title: 'Three', visits: 'many', opens: '22:30:00.000' });
    expect(published.note).toHaveLength(300);
  });
});

describeOnSqlite('links that lead to rows which are gone', (engine) => {
  const contents = useContents(engine);
  const HOLDERS: Project = {
    components: { 'kit.part': { thing: relation('oneToOne', 'thing'), file: { type: 'media' } } },
    types: {
      thing: { attributes: { name: { type: 'string' } } },
      post: { drafts: true, attributes: { name: { type: 'string' } } },
      holder: {
        drafts: true,
        attributes: {
          name: { type: 'string' },
          key: relation('manyToOne', 'thing', { useJoinTable: false }),
          list: relation('manyToMany', 'thing'),
          postKey: relation('manyToOne', 'post', { useJoinTable: false }),
          posts: relation('oneToMany', 'post'),
          files: { type: 'media', multiple: true },
          part: { type: 'component', component: 'kit.part' },
        },
      },
    },
  };

  it.each(['key', 'list', 'postKey', 'posts', 'files', 'part.thing', 'part.file'])(
    'by %s fail no write',
    async (way) => {
      const url = engine.bareDatabaseUrl(null);
      const content = await contents.open(HOLDERS, url);
      const { documentId } = await content.entry('POST', 'holders', await holding(content, way));
      await content.entry('PUT', `holders/${documentId}?status=draft`, { name: 'draft' });
      const other = new DatabaseSync(url.slice('sqlite:'.length), { enableForeignKeyConstraints: false });
      for (const table of ['things', 'posts', 'files']) other.exec(`delete from ${table}`);
      other.close();
      const holders = content.sheaf.documents('api::holder.holder');
      const clone = await holders.clone({ documentId });
      for (const id of [documentId, clone.documentId]) {
        await holders.update({ documentId: id, data: { name: 'changed' } });
        await holders.publish({ documentId: id });
        await holders.discardDraft({ documentId: id });
        await holders.unpublish({ documentId: id });
        await holders.publish({ documentId: id });
      }
      const shown = await holders.findMany({ populate: { [way.split('.')[0]!]: { populate: '*' } } });
      expect(JSON.stringify(shown)).not.toContain('Gone');
      await holders.delete({ documentId });
    },
  );

  async function holding(content: Content, way: string): Promise<Answered> {
    const [name, inner] = way.split('.') as [string, string?];
    const within = (value: unknown) => ({ name: 'holder', [name]: inner ? { [inner]: value } : value });
    if (way.includes('file')) {
      const made = await content.sheaf.files.upload([{ name: 'Gone.txt', content: Buffer.from('Gone') }]);
      return within(inner ? made[0]!.id : [made[0]!.id]);
    }
    const target = await content.make(name.startsWith('post') ? 'posts' : 'things', { name: 'Gone' });
    return within(name === 'list' || name === 'posts' ? [target] : target);
  }
});

describeOnEveryDatabase('component rows that several versions of an entry hold', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open({
      locales: ['en', 'fr'],
      components: {
        'kit.part': { name: { type: 'string' }, below: { type: 'component', component: 'kit.below' } },
        'kit.below': { name: { type: 'string' }, author: relation('oneToOne', 'author') },
      },
      types: {
        author: { drafts: true, attributes: { name: { type: 'string' } } },
        page: {
          drafts: true,
          localized: true,
          attributes: { part: { type: 'component', component: 'kit.part', ...localized } },
        },
        note: { localized: true, attributes: { part: { type: 'component', component: 'kit.part', ...localized } } },
      },
    });
  });
  const populate = { part: { populate: { below: { populate: ['author'] } } } };
  const read = async (type: string, documentId: string, locale: string, status: 'draft' | 'published') =>
    (
      (await content.sheaf
        .documents(`api::${type}.${type}`)
        .findOne({ documentId, locale, status, populate })) as Answered
    ).part;
  const namesOf = ({ name, below }: Answered): string[] => [name, below.name, below.author?.name ?? null];
  const made = async (type: string) => {
    const author = await content.make('authors?status=draft', { name: 'Ann' });
    const data = { part: { name: 'p', below: { name: 'b', author } } };
    const documents = content.sheaf.documents(`api::${type}.${type}`);
    const { documentId } = await documents.create({ data, status: 'published' });
    return { documents, documentId, data };
  };

  it('below others that each has for itself are changed in the one that is written', async () => {
    const { documents, documentId } = await made('page');
    const [draft, published] = [
      await read('page', documentId, 'en', 'draft'),
      await read('page', documentId, 'en', 'published'),
    ];
    await content.execute(
      `update components_kit_parts_cmps set cmp_id = ${draft.below.id} where entity_id = ${published.id}`,
    );
    const part = { id: draft.id, below: { id: draft.below.id, name: 'changed' } };
    await documents.update({ documentId, data: { part } });
    expect(namesOf(await read('page', documentId, 'en', 'draft'))).toEqual(['p', 'changed', 'Ann']);
    expect((await read('page', documentId, 'en', 'published')).below.name).toBe('b');
    await documents.publish({ documentId });
    expect((await read('page', documentId, 'en', 'published')).below.name).toBe('changed');
  });

  it.each(['page', 'note'])('in other locales are changed in the one that is written: %s', async (type) => {
    const { documents, documentId, data } = await made(type);
    await documents.update({ documentId, locale: 'fr', data });
    const [en, fr] = [await read(type, documentId, 'en', 'draft'), await read(type, documentId, 'fr', 'draft')];
    await content.execute(`update ${type}s_cmps set cmp_id = ${en.id} where cmp_id = ${fr.id}`);
    const part = { id: en.id, name: 'changed', below: { id: en.below.id, name: 'changed below' } };
    await documents.update({ documentId, locale: 'fr', data: { part } });
    expect(namesOf(await read(type, documentId, 'fr', 'draft'))).toEqual(['changed', 'changed below', 'Ann']);
    expect(namesOf(await read(type, documentId, 'en', 'draft'))).toEqual(['p', 'b', 'Ann']);
  });
});
