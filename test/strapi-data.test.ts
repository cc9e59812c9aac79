// What code that was written for Strapi 5 does with data: documents, entities by row, rows, and the events around them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createDataMembers, type DataMembers } from '../src/compat/strapi/data/data-members.ts';
import { EntryEvents } from '../src/compat/strapi/data/entry-events.ts';
import type { LifecycleEvent } from '../src/compat/strapi/data/lifecycles.ts';
import { pluginServices } from '../src/compat/strapi/data/plugin-services.ts';
import { Rows } from '../src/compat/strapi/data/rows.ts';
import { createDocuments, type StrapiDocuments } from '../src/compat/strapi/data/strapi-documents.ts';
import { EventHub } from '../src/compat/strapi/event-hub.ts';
import { strapiErrors } from '../src/compat/strapi/strapi-errors.ts';
import type { Entry } from '../src/operations/parameters.ts';
import { type Answered, type Content, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

const BLOG: Project = {
  locales: ['en', 'fr'],
  components: {
    'kit.link': { url: { type: 'string' }, label: { type: 'string' }, locale: { type: 'string' } },
  },
  types: {
    author: {
      attributes: {
        name: { type: 'string', required: true },
        secret: { type: 'string', private: true },
        articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
      },
    },
    tag: { attributes: { name: { type: 'string', unique: true } } },
    article: {
      drafts: true,
      attributes: {
        title: { type: 'string', required: true },
        slug: { type: 'string' },
        views: { type: 'integer' },
        tone: { type: 'string', default: 'calm' },
        big: { type: 'biginteger' },
        author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
        tags: relation('manyToMany', 'tag'),
        links: { type: 'component', component: 'kit.link', repeatable: true },
        zone: { type: 'dynamiczone', components: ['kit.link'] },
        about: { type: 'relation', relation: 'morphToOne' },
        mentions: { type: 'relation', relation: 'morphToMany' },
        related: relation('oneToMany', 'article'),
      },
    },
    page: { localized: true, drafts: true, attributes: { title: { type: 'string' } } },
    about: { single: true, attributes: { text: { type: 'string' } } },
  },
};
const [AUTHOR, TAG, ARTICLE, PAGE] = ['author', 'tag', 'article', 'page'].map((name) => `api::${name}.${name}`) as [
  string,
  string,
  string,
  string,
];
const ABOUT = 'api::about.about';
const USER = 'plugin::users-permissions.user';
const ROLE = 'plugin::users-permissions.role';

describeOnEveryDatabase('Code of Strapi 5', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  let members: DataMembers;
  let documents: StrapiDocuments;
  let entities: DataMembers['entityService'];
  let lifecycles: DataMembers['db']['lifecycles'];
  const rows = (uid: string): Rows => members.db.query(uid);
  const of = (value: unknown): Entry => value as Entry;
  const entriesOf = (value: unknown): Entry[] => (value as { entries: Entry[] }).entries;

  beforeAll(async () => {
    content = await contents.open(BLOG);
    members = createDataMembers(content.sheaf);
    ({ documents, entityService: entities } = members);
    ({ lifecycles } = members.db);
  });
  beforeEach(async () => {
    for (const uid of [ARTICLE, AUTHOR, TAG, PAGE]) await rows(uid).deleteMany();
  });

  it('finds rows of every status, by what it names, in its order', async () => {
    const ada = await rows(AUTHOR).create({ data: { name: 'Ada', secret: 's' } });
    expect(ada).toMatchObject({ name: 'Ada', secret: 's', documentId: expect.any(String) });
    const article = of(
      await documents(ARTICLE).create({
        data: { title: 'One', author: ada.documentId, big: '9007199254740993', nosuch: 1 },
        status: 'published',
      }),
    );
    await documents(ARTICLE).create({
      data: { title: 'Two', views: 5, links: [{ url: '/a', locale: 'de', nosuch: 2 }] },
    });
    const found = await rows(ARTICLE).findMany({ orderBy: [{ title: 'desc' }, 'id'], select: ['title'] });
    expect(found.map(({ title }) => title)).toEqual(['Two', 'One', 'One']);
    expect(Object.keys(found[0]!).sort()).toEqual(['title']);
    expect(await rows(ARTICLE).count({ where: { author: ada.id } })).toBe(2);
    expect(
      await rows(ARTICLE).count({ where: { author: { name: { $startsWith: 'A' } }, publishedAt: { $notNull: true } } }),
    ).toBe(1);
    expect(await rows(ARTICLE).count({ where: { author: null } })).toBe(1);
    expect(
      await rows(ARTICLE).count({
        where: { $or: [{ title: ['Two', 'Three'] }, { author: [ada.id] }] },
      }),
    ).toBe(3);
    const whole = await rows(ARTICLE).findOne({
      where: { id: article.id },
      populate: { author: { select: ['name'] }, tags: true, links: true },
    });
    expect(whole).toMatchObject({
      title: 'One',
      big: '9007199254740993',
      author: { name: 'Ada' },
      tags: [],
      links: [],
    });
    expect(await rows(ARTICLE).findOne({ where: { title: 'Two' }, populate: true })).toMatchObject({
      author: null,
      links: [{ url: '/a', locale: 'de' }],
    });
    expect(await rows(ARTICLE).findOne({ where: { title: 'none' } })).toBeNull();
    expect(
      (await rows(ARTICLE).findMany({ orderBy: { author: { name: 'asc' }, id: 'asc' }, limit: 1, offset: 1 })).length,
    ).toBe(1);
    expect(await rows(ARTICLE).findPage({ page: 2, pageSize: 2 })).toMatchObject({
      pagination: { page: 2, pageSize: 2, pageCount: 2, total: 3 },
    });
    await expect(rows(ARTICLE).findMany({ where: { nosuch: 1 } })).rejects.toThrow('nosuch');
  });

  it('writes one row and leaves the others of its document', async () => {
    const { documentId } = of(await documents(ARTICLE).create({ data: { title: 'One' }, status: 'published' }));
    const published = (await rows(ARTICLE).findOne({ where: { documentId, publishedAt: { $notNull: true } } }))!;
    const tag = await rows(TAG).create({ data: { name: 'new' } });
    const data = { views: 7, tags: { connect: [tag.id] } };
    const updated = await rows(ARTICLE).update({ where: { id: published.id }, data, populate: ['tags'] });
    expect(updated).toMatchObject({ id: published.id, views: 7, title: 'One', tags: [{ name: 'new' }] });
    expect(await documents(ARTICLE).findOne({ documentId, populate: 'tags' })).toMatchObject({ views: null, tags: [] });
    expect(await rows(ARTICLE).update({ where: { id: -1 }, data })).toBeNull();
    expect(await rows(ARTICLE).updateMany({ where: { documentId }, data: { slug: 'same' } })).toEqual({ count: 2 });
    expect(await rows(ARTICLE).delete({ where: { id: published.id } })).toMatchObject({ slug: 'same' });
    expect(await rows(ARTICLE).delete({ where: { id: published.id } })).toBeNull();
    expect(await documents(ARTICLE).findOne({ documentId })).toMatchObject({ slug: 'same', publishedAt: null });
    const alone = await rows(ARTICLE).create({ data: { slug: 'without a title' } });
    expect(alone.publishedAt).not.toBeNull();
    expect((await rows(ARTICLE).create({ data: { publishedAt: null } })).publishedAt).toBeNull();
    expect(await rows(TAG).createMany({ data: [{ name: 'a' }, { name: 'b' }] })).toMatchObject({ count: 2 });
    expect(await rows(TAG).deleteMany({ where: { name: { $in: ['a', 'b', 'c'] } } })).toEqual({ count: 2 });
    expect(await rows(TAG).create({ data: { name: 7 } })).toMatchObject({ name: '7' });
    expect(await rows(TAG).create({ data: { name: 'c', nosuch: 1 } })).not.toHaveProperty('nosuch');
    expect(await rows(TAG).update({ where: { name: 'c' }, data: { nosuch: true } })).toMatchObject({ name: 'c' });
  });

  it('populates what it knows of rows, and refuses other names of documents', async () => {
    const ada = await rows(AUTHOR).create({ data: { name: 'Ada' } });
    for (const title of ['One', 'Two']) await documents(ARTICLE).create({ data: { title, author: ada.documentId } });
    const unknown = [
      ['nosuch', 'articles.nosuch'],
      'nosuch, articles',
      { nosuch: true, articles: { populate: { nosuch: true, author: false } } },
    ];
    for (const populate of unknown) {
      expect(await rows(AUTHOR).findOne({ populate })).toMatchObject({
        articles: [{ title: 'One' }, { title: 'Two' }],
      });
      await expect(documents(AUTHOR).findFirst({ populate })).rejects.toThrow('Invalid key nosuch');
    }
    expect(await rows(AUTHOR).findOne({ populate: 'nosuch' })).not.toHaveProperty('articles');
    const limited = { articles: { limit: 1, start: 1, fields: ['title'], populate: ['author.articles', 'tags'] } };
    expect(await documents(AUTHOR).findMany({ populate: limited })).toMatchObject([
      { articles: [{ title: 'Two', author: { articles: [{}, {}] }, tags: [] }] },
    ]);
    expect(
      await rows(AUTHOR).findOne({ populate: { nosuch: true, articles: { limit: 1, populate: ['nosuch'] } } }),
    ).toMatchObject({ articles: [{ title: 'One' }] });
    await expect(documents(AUTHOR).findMany({ filters: { nosuch: 1 } })).rejects.toThrow('nosuch');
  });

  it('refuses names, pages and ranges that mean nothing in every action on documents', async () => {
    const { documentId } = of(await documents(ARTICLE).create({ data: { title: 'One' } }));
    const actions = ['findMany', 'findFirst', 'findOne', 'count', 'create', 'update', 'delete', 'clone'] as const;
    const ofVersions = ['publish', 'unpublish', 'discardDraft'] as const;
    const naming = { sort: 'nosuch', filters: { nosuch: 1 }, fields: ['nosuch'], populate: ['tags', 'nosuch'] };
    for (const action of [...actions, ...ofVersions]) {
      const asked = { documentId, data: { title: 'Two' } };
      for (const [key, value] of Object.entries(naming))
        await expect(documents(ARTICLE)[action]({ ...asked, [key]: value })).rejects.toThrow('Invalid key nosuch');
      await expect(documents(ARTICLE)[action]({ ...asked, lookup: {} })).rejects.toThrow("Invalid params: 'lookup'");
    }
    for (const [range, message] of [
      [{ page: 0 }, "Invalid 'page' parameter"],
      [{ page: 1, pageSize: 'many' }, "Invalid 'pageSize' parameter"],
      [{ page: 1, limit: 2 }, 'Invalid pagination attributes'],
      [{ start: -1 }, 'expected a positive integer'],
    ] as const)
      await expect(documents(ARTICLE).findMany(range)).rejects.toThrow(message);
    for (const range of [{}, { limit: 0 }, { limit: -1 }, { page: 1, pageSize: '5' }])
      expect(await documents(ARTICLE).findMany(range)).toMatchObject([{ title: 'One' }]);
    expect(await rows(ARTICLE).findMany({ limit: 0 })).toHaveLength(1);
    expect(await entities.findPage(ARTICLE, { page: 1, pageSize: 1 })).toMatchObject({ results: [{}] });

    for (const action of [...ofVersions, 'delete', 'clone'] as const)
      expect(await documents(ARTICLE)[action]({})).toEqual({ documentId: undefined, entries: [] });
    expect(await documents(ARTICLE).update({ data: { title: 'Lost' } })).toBeNull();
    expect(await documents(ARTICLE).findMany()).toMatchObject([{ title: 'One' }]);
  });

  it('sees the locale of every row, also where a type has no locales', async () => {
    const made = of(await documents(TAG).create({ data: { name: 'red' }, locale: 'fr' }));
    expect(made.locale).toBeNull();
    expect(await rows(TAG).findOne({ where: { locale: null }, select: ['locale'] })).toEqual({ locale: null });
    expect(await documents(TAG).findFirst({ populate: '*' })).toMatchObject({ locale: null, localizations: [] });
    const article = { title: 'One', tags: [made.documentId] };
    expect(await documents(ARTICLE).create({ data: article, populate: ['tags'] })).toMatchObject({
      tags: [{ name: 'red', locale: null }],
    });
  });

  it('says of a row since when it is there and published', async () => {
    const [made, shown] = ['2020-01-02T03:04:05.678Z', '2021-02-03T04:05:06.789Z'];
    const row = await rows(ARTICLE).create({ data: { title: 'Old', createdAt: new Date(made), publishedAt: shown } });
    expect(row).toMatchObject({ createdAt: made, publishedAt: shown });
    const where = { id: row.id };
    expect(await rows(ARTICLE).update({ where, data: { publishedAt: null } })).toMatchObject({
      createdAt: made,
      publishedAt: null,
    });
    const again = { createdAt: shown, publishedAt: new Date(made) };
    expect(await rows(ARTICLE).update({ where, data: again })).toMatchObject({ createdAt: shown, publishedAt: made });
    const { documentId } = row;
    expect(await documents(ARTICLE).findOne({ documentId, status: 'published' })).toMatchObject({ title: 'Old' });
    expect(await documents(ARTICLE).update({ documentId, data: { title: 'New', createdAt: made } })).toMatchObject({
      title: 'New',
      createdAt: shown,
      publishedAt: null,
    });
  });

  it('leaves out no condition whose value is missing', async () => {
    await rows(TAG).create({ data: { name: 'first' } });
    await documents(ARTICLE).create({ data: { title: 'One', views: 1 } });
    const missing = undefined;
    expect(await rows(TAG).findOne({ where: { name: missing } })).toBeNull();
    await expect(rows(TAG).findOne({ where: { id: missing } })).rejects.toThrow('Invalid value for id');
    await expect(rows(TAG).update({ where: { id: missing }, data: { name: 'x' } })).rejects.toThrow('id');
    await expect(rows(TAG).delete({ where: { documentId: 'x', id: missing } })).rejects.toThrow('id');
    await expect(rows(ARTICLE).findMany({ where: { views: missing } })).rejects.toThrow('views');
    await expect(rows(ARTICLE).findMany({ where: { author: missing } })).rejects.toThrow('author');
    await expect(rows(ARTICLE).count({ where: { $or: [{ author: { id: missing } }] } })).rejects.toThrow('id');
    expect(await rows(TAG).findOne({ where: { name: { $eq: missing } } })).toBeNull();
    expect(await documents(TAG).findMany({ filters: { name: missing } })).toEqual([]);
    await expect(documents(TAG).findMany({ filters: { id: missing } })).rejects.toThrow('id');
    expect(await rows(TAG).count()).toBe(1);
  });

  it('finds nothing by text that is the id of no row, such as the id of a document', async () => {
    const ada = of(await documents(AUTHOR).create({ data: { name: 'Ada' } }));
    const { documentId } = of(await documents(ARTICLE).create({ data: { title: 'One', author: ada.id } }));
    expect(await rows(ARTICLE).findOne({ where: { id: documentId } })).toBeNull();
    expect(await rows(ARTICLE).update({ where: { id: documentId }, data: { views: 1 } })).toBeNull();
    expect(await rows(ARTICLE).delete({ where: { author: ada.documentId } })).toBeNull();
    expect(await rows(ARTICLE).count({ where: { author: { id: { $in: ['x', String(ada.id)] } } } })).toBe(1);
    expect(await documents(ARTICLE).findMany({ filters: { author: ada.documentId } })).toEqual([]);
    expect(await documents(ARTICLE).count({ filters: { $not: { author: { $eq: 'x' } } } })).toBe(1);
    expect(await documents(ARTICLE).findMany({ filters: { id: { $ne: documentId } } })).toMatchObject([{ documentId }]);
    const populate = { articles: { filters: { id: documentId } } };
    expect(await documents(AUTHOR).findFirst({ populate })).toMatchObject({ articles: [] });
    expect(await entities.findOne(ARTICLE, documentId)).toBeNull();
    expect(await entities.update(ARTICLE, documentId, { data: { views: 1 } })).toBeNull();
    expect(await entities.delete(ARTICLE, documentId)).toBeNull();
  });

  it('takes entries as they were read where a relation is given one, and digits for the id of a row', async () => {
    const role = await rows(ROLE).findOne({ where: { type: 'authenticated' } });
    const named = { username: 'kim', email: 'kim@example.org', password: 'Tr0ub4dor-and-3' };
    const kim = of(await documents(USER).create({ data: { ...named, role }, populate: ['role'] }));
    expect(kim.role).toMatchObject({ type: 'authenticated' });
    await documents(USER).delete({ documentId: kim.documentId });
    const ada = await rows(AUTHOR).create({ data: { name: 'Ada', secret: 's' } });
    const tag = of(await documents(TAG).create({ data: { name: 'first' } }));
    const data = { title: 'One', author: { ...ada, status: 'writes', nosuch: 1 }, tags: { connect: [tag] } };
    const article = of(await documents(ARTICLE).create({ data, populate: '*' }));
    expect(article).toMatchObject({ author: { name: 'Ada' }, tags: [{ name: 'first' }] });
    const { documentId } = article;
    expect(await documents(ARTICLE).update({ documentId, data: article, populate: '*' })).toMatchObject({
      author: { name: 'Ada' },
      tags: [{ name: 'first' }],
    });
    const digits = { title: 'Two', author: String(ada.id) };
    expect(await documents(ARTICLE).create({ data: digits, populate: ['author'] })).toMatchObject({ author: ada });
    await documents(ARTICLE).publish({ documentId });
    const published = await rows(ARTICLE).findOne({ where: { publishedAt: { $notNull: true } }, populate: true });
    // Rows by the id of the row.
    const related = of(await rows(ARTICLE).create({ data: { title: 'Three', related: [published] }, populate: true }));
    expect(related.related).toMatchObject([{ id: published!.id }]);
    expect(
      await rows(ARTICLE).update({ where: { id: published!.id }, data: published!, populate: true }),
    ).toMatchObject({ author: { name: 'Ada' }, tags: [{ name: 'first' }] });
    await expect(documents(ARTICLE).create({ data: { title: 'x', author: { name: 'Ada' } } })).rejects.toThrow(
      'author',
    );
  });

  it('searches rows for text, beside other conditions, in writes of several rows as well', async () => {
    for (const name of ['Ann Smith', 'Ben Smith', 'Cora Jones']) await rows(AUTHOR).create({ data: { name } });
    const names = async () => (await rows(AUTHOR).findMany({ orderBy: 'name' })).map(({ name }) => name);
    expect(await rows(AUTHOR).count({ _q: 'n smith' })).toBe(2);
    expect(await rows(AUTHOR).findMany({ _q: 'n smith', where: { name: { $startsWith: 'B' } } })).toMatchObject([
      { name: 'Ben Smith' },
    ]);
    expect(await rows(AUTHOR).count({ _q: '' })).toBe(3);
    expect(await rows(AUTHOR).updateMany({ _q: 'Ann Smith', data: { name: 'Ann Wood' } })).toEqual({ count: 1 });
    expect(await rows(AUTHOR).deleteMany({ _q: 'nobody at all' })).toEqual({ count: 0 });
    expect(await rows(AUTHOR).deleteMany({ _q: 'Ben Smith' })).toEqual({ count: 1 });
    expect(await names()).toEqual(['Ann Wood', 'Cora Jones']);
  });

  it('links rows by their ids, whatever their status', async () => {
    const to = of(await documents(ARTICLE).create({ data: { title: 'To' }, status: 'published' }));
    const link = async (related: unknown) =>
      (await rows(ARTICLE).create({ data: { title: 'From', related }, populate: ['related'] })).related;
    expect(await link([to.id])).toMatchObject([{ id: to.id, title: 'To' }]);
    expect(await link({ connect: [{ id: to.id }] })).toMatchObject([{ id: to.id }]);
    for (const text of [[String(to.id)], { connect: [{ id: String(to.id) }] }, { set: String(to.id) }])
      expect(await link(text)).toMatchObject([{ id: to.id }]);
    const draft = of(await documents(ARTICLE).findOne({ documentId: to.documentId }));
    expect(await link({ set: [draft.id] })).toMatchObject([{ id: draft.id, publishedAt: null }]);
    const from = await rows(ARTICLE).findOne({ where: { related: to.id } });
    const update = { where: { id: from!.id }, data: { related: { disconnect: [to.id] } }, populate: ['related'] };
    expect((await rows(ARTICLE).update(update))!.related).toEqual([]);
  });

  it('reads and changes accounts by rows and by documents', async () => {
    const role = (await rows(ROLE).findOne({ where: { type: 'authenticated' } }))!;
    const data = { username: 'eve', email: 'Eve@example.org', password: 'Tr0ub4dor-and-3', role: role.id };
    const eve = of(await documents(USER).create({ data, populate: ['role'] }));
    expect(eve).toMatchObject({ email: 'eve@example.org', provider: 'local', role: { type: 'authenticated' } });
    expect(eve.password).toMatch(/^\$2/);
    const { id, documentId } = eve;
    expect(
      await rows(USER).update({ where: { id }, data: { username: 'eva', email: 'eve@example.org' }, populate: true }),
    ).toMatchObject({ username: 'eva', password: eve.password, role: { id: role.id } });
    expect(await documents(USER).findOne({ documentId, populate: { role: true } })).toMatchObject({ role });
    expect(await documents(USER).findMany({ filters: { role: { type: 'authenticated' } } })).toMatchObject([{ id }]);
    expect(await entities.findOne(USER, id, { populate: ['role'] })).toMatchObject({ role: { name: role.name } });
    expect(await entities.update(USER, id, { data: { blocked: true } })).toMatchObject({ blocked: true });
    expect(await documents(ROLE).findFirst({ filters: { type: 'public' }, populate: ['permissions'] })).toMatchObject({
      permissions: expect.any(Array),
    });
    const raw = await rows(USER).update({ where: { id }, data: { password: '$2b$10$hash' } });
    expect(raw).toMatchObject({ password: '$2b$10$hash' });
    await documents(USER).delete({ documentId });
  });

  it('grants with rows of permissions, and reads what accounts keep', async () => {
    const role = (await rows('plugin::users-permissions.role').findOne({
      where: { type: 'public' },
      populate: ['permissions'],
    }))!;
    const action = 'api::tag.tag.find';
    await rows('plugin::users-permissions.permission').deleteMany({ where: { action, role: role.id } });
    expect((await content.sheaf.authenticate({})).access.may(action)).toBe(false);
    await rows('plugin::users-permissions.permission').create({ data: { action, role: role.id } });
    expect((await content.sheaf.authenticate({})).access.may(action)).toBe(true);
    expect(
      await rows('plugin::users-permissions.permission').count({ where: { action, role: { type: 'public' } } }),
    ).toBe(1);
    const data = {
      username: 'raw',
      email: 'raw@example.org',
      password: '$2a$10$hash',
      role: role.id,
      provider: 'local',
    };
    await rows(USER).create({ data });
    const user = await rows(USER).findOne({ where: { username: 'raw' }, populate: ['role'] });
    expect(user).toMatchObject({ password: '$2a$10$hash', role: { type: 'public' } });
    expect(await content.sheaf.documents(USER).findFirst({ filters: { username: 'raw' } })).not.toHaveProperty(
      'password',
    );
    await rows(USER).delete({ where: { username: 'raw' } });
  });

  it('works on drafts of documents unless it says otherwise, and ignores what Strapi ignores', async () => {
    const one = of(await documents(ARTICLE).create({ data: { title: 'One', publishedAt: new Date() } }));
    expect(one.publishedAt).toBeNull();
    await documents(ARTICLE).create({ data: { title: 'Two' }, status: 'published' });
    const titles = async (parameters: object) =>
      ((await documents(ARTICLE).findMany({ sort: 'title', ...parameters })) as Entry[]).map(({ title }) => title);
    expect(await titles({})).toEqual(['One', 'Two']);
    expect(
      await titles({ status: 'published', pagination: { page: 9 }, where: { nosuch: 1 }, orderBy: 'nosuch' }),
    ).toEqual(['Two']);
    expect(await titles({ start: 1, limit: 5 })).toEqual(['Two']);
    expect(await documents(ARTICLE).findFirst({ filters: { title: { $contains: 'w' } } })).toMatchObject({
      title: 'Two',
    });
    const { documentId } = one;
    expect(await documents(ARTICLE).publish({ documentId })).toMatchObject({ documentId, entries: [{ title: 'One' }] });
    expect(await documents(ARTICLE).update({ documentId, data: { title: 'New' } })).toMatchObject({
      title: 'New',
      publishedAt: null,
    });
    expect(await documents(ARTICLE).discardDraft({ documentId })).toMatchObject({ entries: [{ title: 'One' }] });
    expect(await documents(ARTICLE).unpublish({ documentId })).toMatchObject({ documentId });
    expect(await documents(ARTICLE).count({})).toBe(2);
    expect(await documents(ARTICLE).delete({ documentId })).toMatchObject({ documentId, entries: [{ title: 'One' }] });
    expect(await documents(ARTICLE).findOne({ documentId })).toBeNull();
    expect(await documents(ARTICLE).update({ documentId, data: {} })).toBeNull();
    expect(await documents(ARTICLE).delete({ documentId })).toEqual({ documentId, entries: [] });
  });

  it('returns what a draft action made, with what is populated, and nothing of a document that is not there', async () => {
    const tag = await rows(TAG).create({ data: { name: 'red' } });
    const { documentId } = of(await documents(ARTICLE).create({ data: { title: 'One', tags: [tag.documentId] } }));
    const shown = { documentId, populate: ['tags'], fields: ['title'] };
    const [published] = entriesOf(await documents(ARTICLE).publish(shown));
    expect(published).toMatchObject({ title: 'One', tags: [{ name: 'red' }] });
    expect(published).not.toHaveProperty('slug');
    await documents(ARTICLE).update({ documentId, data: { tags: [] } });
    expect(entriesOf(await documents(ARTICLE).discardDraft(shown))).toMatchObject([{ tags: [{ name: 'red' }] }]);
    expect(entriesOf(await documents(ARTICLE).unpublish({ documentId }))).toMatchObject([
      { id: published!.id, title: 'One', publishedAt: expect.any(String) },
    ]);
    expect(await documents(ARTICLE).discardDraft({ documentId })).toEqual({ documentId, entries: [] });
    const clone = await documents(ARTICLE).clone({ documentId, data: { slug: 'copy' }, populate: 'tags' });
    expect(clone).toMatchObject({
      documentId: expect.not.stringMatching(documentId),
      entries: [{ title: 'One', slug: 'copy', publishedAt: null, tags: [{ name: 'red' }] }],
    });

    const missing = { documentId: 'nowhere' };
    for (const action of ['publish', 'unpublish', 'discardDraft', 'delete'] as const)
      expect(await documents(ARTICLE)[action](missing)).toEqual({ ...missing, entries: [] });
    expect(await documents(ARTICLE).clone({ ...missing, data: {} })).toEqual({ documentId: undefined, entries: [] });
    const page = of(await documents(PAGE).create({ data: { title: 'Page' } }));
    const french = { documentId: page.documentId, locale: 'fr' };
    expect(await documents(PAGE).publish(french)).toEqual({ documentId: page.documentId, entries: [] });
    await documents(PAGE).update({ ...french, data: { title: 'Feuille' } });
    const all = { documentId: page.documentId, locale: '*' };
    expect(entriesOf(await documents(PAGE).publish(all)).map(({ locale }) => locale)).toEqual(['en', 'fr']);
    expect(entriesOf(await documents(PAGE).clone({ ...all, data: {} }))).toHaveLength(2);
    for (const action of ['publish', 'unpublish', 'discardDraft'] as const)
      expect(documents(TAG)[action]).toBeUndefined();
  });

  it('compares drafts with what is published, in counts as well', async () => {
    await documents(ARTICLE).create({ data: { title: 'Never' } });
    const both = of(await documents(ARTICLE).create({ data: { title: 'Both' }, status: 'published' }));
    const found = async (parameters: object) =>
      ((await documents(ARTICLE).findMany({ sort: 'title', ...parameters })) as Entry[]).map(({ title }) => title);
    for (const [parameters, titles] of [
      [{ publicationFilter: 'never-published' }, ['Never']],
      [{ publicationFilter: 'has-published-version' }, ['Both']],
      [{ hasPublishedVersion: false }, ['Never']],
      [{ hasPublishedVersion: true }, ['Both']],
    ] as const) {
      expect(await found(parameters)).toEqual(titles);
      expect(await documents(ARTICLE).count(parameters)).toBe(titles.length);
    }
    const { documentId } = both;
    expect(await documents(ARTICLE).findOne({ documentId, publicationFilter: 'never-published' })).toBeNull();
    await expect(documents(ARTICLE).findMany({ publicationFilter: 'nosuch' })).rejects.toThrow('publicationFilter');
  });

  it('populates as much of a list as it asks for, by rows and by documents', async () => {
    const names = Array.from({ length: 130 }, (_one, index) => `tag ${String(index).padStart(3, '0')}`);
    const { ids } = await rows(TAG).createMany({ data: names.map((name) => ({ name })) });
    const { documentId } = of(await documents(ARTICLE).create({ data: { title: 'Many', tags: ids } }));
    const tags = async (options: object): Promise<string[]> => {
      const read = { documentId, populate: { tags: { sort: 'name', ...options } } };
      const [one, many] = [await documents(ARTICLE).findOne(read), await documents(ARTICLE).findMany(read)];
      expect((many as Entry[])[0]).toEqual(one);
      return (of(one).tags as Entry[]).map(({ name }) => String(name));
    };
    expect(await tags({ limit: 2 })).toEqual(names.slice(0, 2));
    expect(await tags({ start: 3, limit: 120, sort: 'name:desc' })).toEqual(names.toReversed().slice(3, 123));
    expect(await tags({ start: 1 })).toEqual(names.slice(1));
    expect(await tags({ limit: -1 })).toEqual(names);
    const row = await rows(ARTICLE).findOne({
      where: { documentId },
      populate: { tags: { orderBy: 'name', limit: 120 } },
    });
    expect(row!.tags).toHaveLength(120);
  });

  it('sees documents raw, with hashes of passwords and what leads to types that are not served', async () => {
    const data = { username: 'raw-user', email: 'raw@example.com', password: 'Tr0ub4dor-and-3', provider: 'local' };
    const [role] = await rows(ROLE).findMany({ where: { type: 'public' } });
    const populate = ['role'];
    const made = of(await documents(USER).create({ data: { ...data, role: role!.id }, populate }));
    const { documentId } = made;
    const raw = { password: expect.stringMatching(/^\$2/), role: { type: 'public' } };
    expect(made).toMatchObject(raw);
    expect(await documents(USER).findOne({ documentId, populate })).toMatchObject(raw);
    expect(
      await documents(USER).findMany({ filters: { documentId, role: { type: 'public' } }, populate }),
    ).toMatchObject([raw]);
    expect(await documents(USER).update({ documentId, data: { confirmed: true }, populate })).toMatchObject(raw);
    expect(await entities.findOne(USER, made.id, { populate })).toMatchObject(raw);
    expect(
      await documents(USER).findFirst({ filters: { password: { $notNull: true } }, fields: ['password'] }),
    ).toEqual({
      id: made.id,
      documentId,
      password: expect.any(String),
    });
    expect(await documents(ARTICLE).findMany({ populate: ['createdBy'] })).toEqual([]);
    await documents(USER).delete({ documentId });
  });

  it('makes documents under the ids, and with the dates, that it gives', async () => {
    const create = (data: object, locale = 'en') => documents(PAGE).create({ data, locale });
    expect(await create({ documentId: 'page-1', title: 'One' })).toMatchObject({ documentId: 'page-1', locale: 'en' });
    expect(await create({ documentId: 'page-1', title: 'Une' }, 'fr')).toMatchObject({ locale: 'fr', title: 'Une' });
    await expect(create({ documentId: 'page-1', title: 'Again' })).rejects.toThrow(
      `A draft entry with documentId "page-1" and locale "en" already exists for UID "${PAGE}"`,
    );
    const twice = [1, 2, 3].map(() => create({ documentId: 'page-2', title: 'At once' }));
    const outcomes = await Promise.allSettled(twice);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const documentId of [null, '', undefined])
      expect(of(await create({ documentId, title: 'New' })).documentId).toMatch(/^[a-z0-9]{24}$/);
    await expect(create({ documentId: 'a\0b' })).rejects.toThrow('documentId');
    await expect(create({ documentId: 'x'.repeat(256) })).rejects.toThrow('documentId');
    expect(entriesOf(await documents(PAGE).publish({ documentId: 'page-1', locale: '*' }))).toHaveLength(2);
    expect(
      await documents(PAGE).update({ documentId: 'page-1', data: { documentId: null, title: 'Two' } }),
    ).toMatchObject({ documentId: 'page-1', title: 'Two' });

    const dated = { title: 'Old', createdAt: '2020-01-02T03:04:05.678Z', updatedAt: new Date(Date.UTC(2021, 0)) };
    const dates = { createdAt: '2020-01-02T03:04:05.678Z', updatedAt: '2021-01-01T00:00:00.000Z' };
    const old = of(
      await documents(ARTICLE).create({ data: { ...dated, publishedAt: '2019-01-01' }, status: 'published' }),
    );
    expect(old).toMatchObject(dates);
    expect(old.publishedAt).not.toMatch(/^2019/);
    expect(await documents(ARTICLE).findOne({ documentId: old.documentId })).toMatchObject(dates);
    const publishedAt = '2022-02-02T00:00:00.000Z';
    expect(await rows(ARTICLE).create({ data: { ...dated, publishedAt } })).toMatchObject({ ...dates, publishedAt });
    await expect(documents(ARTICLE).create({ data: { title: 'Odd', createdAt: 'soon' } })).rejects.toThrow('createdAt');

    const row = { documentId: 'article-1', title: 'Row', publishedAt: null };
    expect(await rows(ARTICLE).create({ data: row })).toMatchObject({ documentId: 'article-1', publishedAt: null });
    const published = { ...row, publishedAt: new Date() };
    expect(await rows(ARTICLE).createMany({ data: [published, { ...row, documentId: 'article-2' }] })).toMatchObject({
      count: 2,
    });
    await expect(rows(ARTICLE).create({ data: published })).rejects.toThrow(
      'A published entry with documentId "article-1"',
    );
    expect(await rows(ARTICLE).count({ where: { documentId: 'article-1' } })).toBe(2);
    expect(await documents(ARTICLE).findOne({ documentId: 'article-1', status: 'published' })).toMatchObject({
      title: 'Row',
    });
  });

  it('runs middlewares around documents, which may change parameters and results', async () => {
    const told: string[] = [];
    const wrapped = createDocuments(content.sheaf, lifecycles);
    wrapped.use(async (context, next) => {
      expect(context.contentType).toBe(members.contentType(context.uid));
      told.push(`${context.action} ${context.uid}`);
      if (context.action === 'create')
        context.params = { ...context.params, data: { ...(context.params.data as object), slug: 'set' } };
      return next();
    });
    wrapped.use(async (_context, next) => ({ wrapped: await next() }));
    const made = await wrapped(ARTICLE).create({ data: { title: 'One' } });
    expect(made).toMatchObject({ wrapped: { title: 'One', slug: 'set' } });
    expect(told).toEqual([`create ${ARTICLE}`]);
  });

  it('finds entities by the ids of rows, and publishes what it writes unless it is a draft', async () => {
    const made = of(await entities.create(ARTICLE, { data: { title: 'One' } }));
    expect(made.publishedAt).not.toBeNull();
    expect(await entities.update(ARTICLE, made.id, { data: { title: 'Two' } })).toMatchObject({
      title: 'Two',
      documentId: made.documentId,
    });
    expect(await documents(ARTICLE).findOne({ documentId: made.documentId, status: 'published' })).toMatchObject({
      title: 'Two',
    });
    const draft = of(await entities.create(ARTICLE, { data: { title: 'Draft', publishedAt: null } }));
    expect(await entities.update(ARTICLE, draft.id, { data: { title: 'Still' } })).toMatchObject({ publishedAt: null });
    expect(await documents(ARTICLE).findOne({ documentId: draft.documentId, status: 'published' })).toBeNull();
    expect(
      await entities.findMany(ARTICLE, { filters: { title: { $eqi: 'two' } }, populate: ['author'] }),
    ).toMatchObject([{ title: 'Two', author: null }]);
    expect(await entities.findOne(ARTICLE, String(draft.id))).toMatchObject({ title: 'Still' });
    expect(await entities.findOne(ARTICLE, 0)).toBeNull();
    expect(await entities.count(ARTICLE)).toBe(2);
    expect(await entities.findPage(ARTICLE, { page: 1, pageSize: 1, sort: 'title' })).toMatchObject({
      results: [{ title: 'Still' }],
      pagination: { total: 2, pageCount: 2 },
    });
    expect(await entities.delete(ARTICLE, draft.id)).toMatchObject({ title: 'Still' });
    expect(await entities.delete(ARTICLE, draft.id)).toBeNull();
    await documents(ABOUT).update({ data: { text: 'us' } });
    expect(await entities.findMany(ABOUT)).toMatchObject({ text: 'us' });
  });

  it('reads rows of components, with what they lead to', async () => {
    const links = rows('kit.link');
    const data = { title: 'One', links: [{ url: '/a' }, { url: '/b', label: 'B' }] };
    await documents(ARTICLE).create({ data });
    expect(await links.findMany({ orderBy: { url: 'desc' }, select: ['id', 'url', 'label'] })).toEqual([
      { id: expect.any(Number), url: '/b', label: 'B' },
      { id: expect.any(Number), url: '/a', label: null },
    ]);
    expect(await links.count({ where: { label: { $null: true } } })).toBe(1);
    expect(await links.findOne({ where: { url: '/b' }, populate: true })).toMatchObject({ label: 'B' });
    await expect(links.update({ where: { url: '/b' }, data: { label: 'C' } })).rejects.toThrow('is not offered');
  });

  it('knows in which tables and columns content is', async () => {
    const { metadata, dialect } = members.db;
    expect(dialect.client).toBe(engine.name === 'PostgreSQL' ? 'postgres' : 'sqlite');
    expect([metadata.has(ARTICLE), metadata.has('api::none.none')]).toEqual([true, false]);
    expect(() => metadata.get('api::none.none')).toThrow('Metadata for "api::none.none" not found');
    const { tableName, attributes } = metadata.get(ARTICLE);
    expect(tableName).toBe('articles');
    expect(attributes).toMatchObject({
      id: { type: 'increments', columnName: 'id' },
      documentId: { columnName: 'document_id' },
      title: { type: 'string', required: true, columnName: 'title' },
      createdBy: { type: 'relation', target: 'admin::user', joinColumn: { name: 'created_by_id' } },
      tags: {
        relation: 'manyToMany',
        joinTable: {
          name: 'articles_tags_lnk',
          joinColumn: { name: 'article_id', referencedColumn: 'id' },
          inverseJoinColumn: { name: 'tag_id', referencedColumn: 'id' },
          orderColumnName: 'tag_ord',
        },
      },
      links: {
        relation: 'oneToMany',
        target: 'kit.link',
        joinTable: { name: 'articles_cmps', on: { field: 'links' } },
      },
      about: { morphColumn: { idColumn: { name: 'target_id' }, typeColumn: { name: 'target_type' } } },
      mentions: {
        joinTable: {
          name: 'articles_mentions_mph',
          joinColumn: { name: 'article_id' },
          morphColumn: { idColumn: { name: 'mentions_id' }, typeColumn: { name: 'mentions_type' } },
        },
      },
      zone: {
        relation: 'morphToMany',
        joinTable: {
          name: 'articles_cmps',
          joinColumn: { name: 'entity_id' },
          morphColumn: { idColumn: { name: 'cmp_id' }, typeColumn: { name: 'component_type' } },
          on: { field: 'zone' },
        },
      },
    });
    expect(metadata.get('kit.link')).toMatchObject({ tableName: expect.stringContaining('link') });
  });

  it('shows of rows what it selects, and the id beside what it populates', async () => {
    const author = await rows(AUTHOR).create({ data: { name: 'Ann' } });
    await rows(ARTICLE).create({ data: { title: 'One', author: author.id } });
    const where = { title: 'One' };
    expect(await rows(ARTICLE).findMany({ where, select: ['title'] })).toEqual([{ title: 'One' }]);
    expect(await rows(ARTICLE).findOne({ where, select: 'views' })).toEqual({ views: null });
    expect(await rows(ARTICLE).findOne({ where, select: ['title'], populate: ['author'] })).toEqual({
      id: expect.any(Number),
      title: 'One',
      author: expect.objectContaining({ id: author.id }),
    });
  });

  it('is told of rows before and after they are written, and may change what is written', async () => {
    const told: string[] = [];
    const events: LifecycleEvent[] = [];
    const note = (event: LifecycleEvent): void => {
      events.push({ ...event, params: { ...event.params } });
      const at = event.params.data?.publishedAt ?? (event.result as Entry | undefined)?.publishedAt;
      told.push(`${event.action}${at ? ' published' : ''}`);
    };
    const stop = lifecycles.subscribe({
      models: [ARTICLE],
      beforeCreate: (event: LifecycleEvent) => {
        note(event);
        event.params.data!.slug = `slug of ${event.params.data!.title}`;
        event.state.seen = true;
      },
      afterCreate: (event: LifecycleEvent) => {
        note(event);
        expect(event.state.seen).toBe(true);
      },
      beforeUpdate: (event: LifecycleEvent) => {
        note(event);
        if (event.params.data!.title === 'bad') throw new Error('refused');
        event.params.data = { ...event.params.data, views: 3 };
      },
      afterUpdate: note,
      beforeDelete: note,
      afterDelete: note,
    });
    const over = lifecycles.subscribe((event) => told.push(`all ${event.model.singularName}`));
    try {
      const made = await content.entry('POST', 'articles', { title: 'One' });
      expect(made).toMatchObject({ slug: 'slug of One' });
      expect(told.filter((one) => !one.startsWith('all'))).toEqual([
        'beforeCreate',
        'beforeCreate published',
        'afterCreate',
        'afterCreate published',
      ]);
      const written = { title: 'One', slug: 'slug of One' };
      expect(events.slice(2).map(({ params }) => params.data)).toMatchObject([
        { ...written, publishedAt: null },
        { ...written, publishedAt: made.publishedAt },
      ]);
      expect(events[0]!.model).toMatchObject({
        uid: ARTICLE,
        attributes: { title: { type: 'string', required: true } },
      });
      expect(told.filter((one) => one === 'all article').length).toBe(4);
      over();
      told.length = 0;
      expect(await content.entry('PUT', `articles/${made.documentId}`, { title: 'Two' })).toMatchObject({ views: 3 });
      expect(told).toEqual(['beforeUpdate', 'beforeUpdate published', 'afterUpdate', 'afterUpdate published']);
      expect(events.at(-1)!.result).toMatchObject({ title: 'Two', views: 3 });
      told.length = 0;
      expect((await content.send('PUT', `articles/${made.documentId}`, { data: { title: 'bad' } })).status).toBe(500);
      expect(await documents(ARTICLE).findFirst({})).toMatchObject({ title: 'Two' });
      told.length = 0;
      await rows(ARTICLE).update({ where: { id: made.id }, data: { views: 1 } });
      expect(told).toEqual(['beforeUpdate published', 'afterUpdate published']);
      expect(events.at(-2)!.params).toMatchObject({ where: { id: made.id }, data: { views: 1 } });
      told.length = 0;
      await documents(ARTICLE).unpublish({ documentId: made.documentId });
      expect(told).toEqual(['beforeDelete', 'afterDelete published']);
      told.length = 0;
      await documents(ARTICLE).publish({ documentId: made.documentId });
      expect(told).toEqual(['beforeCreate published', 'afterCreate published']);
      told.length = 0;
      await content.delete(`articles/${made.documentId}`);
      expect(told).toEqual(['beforeDelete', 'beforeDelete', 'afterDelete', 'afterDelete published']);
    } finally {
      stop();
      over();
    }
  });

  it('tells lifecycles what is in a row that is made: defaults, and what is published', async () => {
    const told: Record<string, unknown>[] = [];
    const stop = lifecycles.subscribe({
      models: [ARTICLE, PAGE],
      beforeCreate: ({ params: { data } }: LifecycleEvent) => {
        told.push({ ...data });
        if (typeof data!.title === 'string') data!.title = data!.title.trim();
      },
    });
    try {
      const { documentId } = of(await documents(ARTICLE).create({ data: { title: 'One', views: 1 } }));
      const dates = { createdAt: expect.any(Date), updatedAt: expect.any(Date), publishedAt: null };
      expect(told.splice(0)).toEqual([{ title: 'One', views: 1, tone: 'calm', ...dates }]);
      await documents(ARTICLE).update({ documentId, data: { views: 2 }, status: 'published' });
      expect(told.splice(0)).toMatchObject([{ documentId, title: 'One', views: 2, tone: 'calm' }]);
      await documents(ARTICLE).unpublish({ documentId });
      await documents(ARTICLE).publish({ documentId });
      expect(told.splice(0)).toMatchObject([{ documentId, title: 'One', views: 2 }]);
      expect(await documents(ARTICLE).findOne({ documentId, status: 'published' })).toMatchObject({ views: 2 });
      const cloned = entriesOf(await documents(ARTICLE).clone({ documentId, data: { title: ' Clone' } }));
      expect(told.splice(0)).toMatchObject([{ title: ' Clone', views: 2, tone: 'calm', publishedAt: null }]);
      expect(cloned).toMatchObject([{ title: 'Clone', views: 2 }]);
      await documents(PAGE).create({ data: { title: ' Page' }, locale: 'fr' });
      expect(told.splice(0)).toMatchObject([{ title: ' Page', locale: 'fr' }]);
      expect(await documents(PAGE).findFirst({ locale: 'fr' })).toMatchObject({ title: 'Page' });
    } finally {
      stop();
    }
  });

  it('tells lifecycles of relations by the ids of rows, and writes what they leave as it was asked for', async () => {
    const told: Record<string, unknown>[] = [];
    const note = ({ params: { data } }: LifecycleEvent) => {
      told.push({ ...data });
    };
    const stop = lifecycles.subscribe({ models: [ARTICLE, AUTHOR], beforeCreate: note, beforeUpdate: note });
    try {
      const ann = await rows(AUTHOR).create({ data: { name: 'Ann' } });
      const [red, blue] = [
        await rows(TAG).create({ data: { name: 'red' } }),
        await rows(TAG).create({ data: { name: 'blue' } }),
      ];
      const other = of(await documents(ARTICLE).create({ data: { title: 'Other' }, status: 'published' }));
      const draft = of(await documents(ARTICLE).findOne({ documentId: other.documentId }));
      told.length = 0;
      const data = {
        title: 'One',
        author: ann.documentId,
        tags: [red.documentId, { documentId: blue.documentId }],
        related: { connect: [{ documentId: other.documentId, position: { start: true } }] },
      };
      const made = of(await documents(ARTICLE).create({ data, status: 'published', populate: '*' }));
      const position = { start: true };
      const links = { author: { set: [{ id: ann.id }] }, tags: { set: [{ id: red.id }, { id: blue.id }] } };
      expect(told.splice(0)).toMatchObject([
        { ...links, related: { connect: [{ id: draft.id, position }] } },
        { ...links, related: { connect: [{ id: other.id, position }] } },
      ]);
      expect(made).toMatchObject({ author: { name: 'Ann' }, tags: [{}, {}], related: [{ title: 'Other' }] });
      const { documentId } = made;
      const change = { author: null, tags: { disconnect: [red.id], connect: [] }, related: {} };
      await documents(ARTICLE).update({ documentId, data: change });
      expect(told.splice(0)).toMatchObject([
        { author: null, tags: { disconnect: [{ id: red.id }], connect: [] }, related: {} },
      ]);
      await documents(AUTHOR).create({
        data: { name: 'Bea', articles: [{ documentId, status: 'draft' }, documentId] },
      });
      const ids = (await rows(ARTICLE).findMany({ where: { documentId }, orderBy: 'id' })).map(({ id }) => ({ id }));
      expect(told.splice(0)).toMatchObject([{ name: 'Bea', articles: { set: [ids[0], ...ids] } }]);
    } finally {
      stop();
    }
  });

  it('tells lifecycles of the rows of the locale that is written, and of no document that is not there', async () => {
    const told: unknown[] = [];
    const note = ({ action, params, result }: LifecycleEvent) => {
      const { locale } = (result ?? params.data ?? {}) as { locale?: string };
      told.push([action, (params.where as { id?: number }).id ?? null, locale]);
    };
    const events = ['Create', 'Update', 'Delete'].flatMap((name) => [`before${name}`, `after${name}`]);
    const french = of(await documents(PAGE).create({ data: { title: 'Feuille' }, locale: 'fr' }));
    const { documentId } = french;
    const stop = lifecycles.subscribe({ models: [PAGE], ...Object.fromEntries(events.map((name) => [name, note])) });
    try {
      expect(await documents(PAGE).update({ documentId: 'nowhere', data: { title: 'x' } })).toBeNull();
      expect(told.splice(0)).toEqual([]);
      const english = of(await documents(PAGE).update({ documentId, data: { title: 'Page' } }));
      expect(told.splice(0)).toEqual([
        ['beforeCreate', null, 'en'],
        ['afterCreate', null, 'en'],
      ]);
      await documents(PAGE).update({ documentId, data: { title: 'Page 2' } });
      expect(told.splice(0)).toEqual([
        ['beforeUpdate', english.id, 'en'],
        ['afterUpdate', english.id, 'en'],
      ]);
      await documents(PAGE).publish({ documentId, locale: '*' });
      expect(told.splice(0)).toEqual([
        ['beforeCreate', null, 'fr'],
        ['beforeCreate', null, 'en'],
        ['afterCreate', null, 'fr'],
        ['afterCreate', null, 'en'],
      ]);
      await documents(PAGE).delete({ documentId });
      expect(told.splice(0).filter((one) => (one as [string])[0] === 'afterDelete')).toEqual([
        ['afterDelete', english.id, 'en'],
        ['afterDelete', expect.any(Number), 'en'],
      ]);
    } finally {
      stop();
    }
  });

  it('loads what a row leads to', async () => {
    const ann = await rows(AUTHOR).create({ data: { name: 'Ann' } });
    const { ids } = await rows(TAG).createMany({ data: [{ name: 'red' }, { name: 'blue' }] });
    const article = await rows(ARTICLE).create({ data: { title: 'One', author: ann.id, tags: ids } });
    expect(await rows(ARTICLE).load(article, 'author')).toMatchObject({ id: ann.id, name: 'Ann' });
    const tags = { select: ['name'], orderBy: { name: 'asc' } };
    expect(await rows(ARTICLE).load(article, 'tags', tags)).toMatchObject([{ name: 'blue' }, { name: 'red' }]);
    expect(await rows(ARTICLE).load(article, ['author', 'links'])).toEqual({
      author: expect.objectContaining({ name: 'Ann' }),
      links: [],
    });
    expect(await entities.load(ARTICLE, article, 'tags', { fields: ['name'], sort: 'name', limit: 1 })).toMatchObject([
      { name: 'blue' },
    ]);
    expect(await rows(ARTICLE).load({ id: 0 }, 'author')).toBeNull();
    await expect(rows(ARTICLE).load(article, 'title')).rejects.toThrow('Expected title to be a relational attribute');
  });

  it('knows the errors of the core by the classes of Strapi', async () => {
    const { ApplicationError, ForbiddenError, NotFoundError, ValidationError } = strapiErrors;
    const caught: unknown = await documents(ARTICLE)
      .create({ data: { title: 5 } })
      .then(null, (error: unknown) => error);
    expect([ApplicationError, ValidationError].map((type) => caught instanceof type)).toEqual([true, true]);
    expect([ForbiddenError, NotFoundError].map((type) => caught instanceof type)).toEqual([false, false]);
    class Own extends ValidationError {}
    expect([new Own('x') instanceof ValidationError, caught instanceof Own, new Error('x') instanceof Own]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('lets lifecycles change relations, dates, and what is published alone', async () => {
    const stop = lifecycles.subscribe({
      models: [ARTICLE],
      beforeCreate: ({ params: { data } }: LifecycleEvent) => {
        data!.createdAt = new Date('2019-01-01T00:00:00.000Z');
        data!.publishedAt = '2020-01-01T00:00:00.000Z';
        (data!.tags as { connect: unknown[] } | undefined)?.connect.splice(1);
      },
      beforeUpdate: ({ params: { data } }: LifecycleEvent) => {
        if (data!.publishedAt) data!.slug = `${data!.title} is published`;
      },
    });
    try {
      const ids = (await rows(TAG).createMany({ data: [{ name: 'red' }, { name: 'blue' }] })).ids;
      const tags = { connect: ids };
      const answer = await content.send('POST', 'articles?populate=tags', { data: { title: 'One', tags } });
      const dates = { createdAt: '2019-01-01T00:00:00.000Z', publishedAt: '2020-01-01T00:00:00.000Z' };
      expect(answer.body.data).toMatchObject({ ...dates, tags: [{ name: 'red' }] });
      const { documentId } = answer.body.data;
      expect(await documents(ARTICLE).findOne({ documentId })).toMatchObject({ ...dates, publishedAt: null });
      await documents(ARTICLE).update({ documentId, data: { title: 'Two' } });
      const { entries } = (await documents(ARTICLE).publish({ documentId })) as { entries: Entry[] };
      expect(entries).toMatchObject([{ title: 'Two', slug: 'Two is published' }]);
      expect(await documents(ARTICLE).findOne({ documentId })).toMatchObject({ slug: null });
      expect(await documents(ARTICLE).findOne({ documentId, status: 'published' })).toMatchObject(entries[0]!);
    } finally {
      stop();
    }
  });

  it('shows what lifecycles make of rows that are published, brought back and deleted', async () => {
    const change =
      (by: string) =>
      ({ result }: LifecycleEvent): void => {
        Object.assign(result as Entry, { title: `${by} ${(result as Entry).title}` });
      };
    const { documentId } = of(await documents(ARTICLE).create({ data: { title: 'One' } }));
    const stop = lifecycles.subscribe({
      models: [ARTICLE],
      afterCreate: change('made'),
      afterUpdate: change('changed'),
      afterDelete: change('deleted'),
    });
    try {
      const titles = (value: unknown): unknown[] => entriesOf(value).map(({ title }) => title);
      expect(titles(await documents(ARTICLE).publish({ documentId }))).toEqual(['made One']);
      expect(titles(await documents(ARTICLE).publish({ documentId }))).toEqual(['changed One']);
      expect(titles(await documents(ARTICLE).discardDraft({ documentId }))).toEqual(['changed One']);
      expect(titles(await documents(ARTICLE).unpublish({ documentId }))).toEqual(['One']);
      const deleted = entriesOf(await documents(ARTICLE).delete({ documentId, fields: ['title'], populate: ['tags'] }));
      expect(deleted).toEqual([{ id: expect.any(Number), documentId, title: 'deleted One', tags: [] }]);
    } finally {
      stop();
    }
  });

  it('shows what lifecycles make of the row that they are told of, and stores nothing of it', async () => {
    const change = ({ result }: LifecycleEvent) => {
      const row = result as Record<string, unknown>;
      Object.assign(row, { name: `the ${row.name}`, greeting: { text: 'hello' }, secret: 'told' });
      delete row.updatedAt;
    };
    const stop = lifecycles.subscribe({
      models: [AUTHOR],
      ...Object.fromEntries(['afterCreate', 'afterUpdate', 'afterDelete'].map((name) => [name, change])),
    });
    try {
      const greeted = { greeting: { text: 'hello' } };
      const made = await content.entry('POST', 'authors', { name: 'Ann', secret: 's' });
      expect(made).toMatchObject({ name: 'the Ann', ...greeted });
      for (const hidden of ['secret', 'updatedAt']) expect(made).not.toHaveProperty(hidden);
      const changed = await content.entry('PUT', `authors/${made.documentId}`, { name: 'Bea' });
      expect(changed).toMatchObject({ name: 'the Bea', ...greeted });
      const { documentId } = made;
      const raw = { ...greeted, secret: 'told' };
      expect(await documents(AUTHOR).update({ documentId, data: { name: 'Cy' } })).toMatchObject({
        name: 'the Cy',
        ...raw,
      });
      expect(await rows(AUTHOR).create({ data: { name: 'Di' } })).toMatchObject({ name: 'the Di', ...raw });
      const where = { name: 'Di' };
      expect(await rows(AUTHOR).update({ where, data: { name: 'Ed' } })).toMatchObject({ name: 'the Ed', ...raw });
      expect((await rows(AUTHOR).findMany({ orderBy: 'id' })).map(({ name }) => name)).toEqual(['Cy', 'Ed']);
      expect(await rows(AUTHOR).delete({ where: { name: 'Ed' } })).toMatchObject({ name: 'the Ed', ...raw });
    } finally {
      stop();
    }
  });

  it('is told of accounts, however they are made', async () => {
    const told: unknown[] = [];
    const passwords: unknown[] = [];
    const roles: unknown[] = [];
    const stop = lifecycles.subscribe({
      models: [USER],
      beforeCreate: ({ params }: LifecycleEvent) => {
        params.data!.username = `the ${params.data!.username}`;
        passwords.push(params.data!.password);
      },
      afterCreate: ({ params, result }: LifecycleEvent) => {
        const user = result as Record<string, unknown>;
        told.push(user.username);
        passwords.push(params.data!.password);
        roles.push((user.role as Entry | undefined)?.type);
        Object.assign(user, { greeting: 'hello', resetPasswordToken: 'hidden', id: 0 });
      },
    });
    try {
      const account = (username: string) => ({
        username,
        email: `${username}@example.org`,
        password: 'Tr0ub4dor-and-3',
      });
      const registered = await content.send('POST', 'auth/local/register', account('first'));
      expect(registered.body).toMatchObject({ user: { username: 'the first', provider: 'local', greeting: 'hello' } });
      expect(registered.body.user).not.toHaveProperty('resetPasswordToken');
      expect(passwords).toEqual([expect.stringMatching(/^\$2/), expect.stringMatching(/^\$2/)]);
      expect(roles).toEqual(['authenticated']);
      const { password } = (await rows(USER).findOne({ where: { username: 'the first' } }))!;
      expect(password).toBe(passwords[1]);
      const identified = await content.send('POST', 'auth/local', {
        identifier: 'first@example.org',
        password: account('first').password,
      });
      expect(identified.status).toBe(200);
      await content.sheaf.documents(USER).create({ data: account('second') });
      await documents(USER).create({ data: account('third') });
      await rows(USER).create({ data: account('fourth') });
      expect(told).toEqual(['the first', 'the second', 'the third', 'the fourth']);
    } finally {
      stop();
      await rows(USER).deleteMany();
    }
  });

  it('is told once of several rows that are written at once', async () => {
    const told: unknown[] = [];
    const note = ({ action, params, result }: LifecycleEvent) => {
      told.push([action, result ?? params.where ?? params.data]);
    };
    const single = ['Create', 'Update', 'Delete'].flatMap((name) => [`before${name}`, `after${name}`]);
    const many = single.map((name) => `${name}Many`);
    const stop = lifecycles.subscribe({
      models: [TAG],
      ...Object.fromEntries([...single, ...many].map((name) => [name, note])),
      beforeUpdateMany: (event: LifecycleEvent) => {
        note(event);
        if (event.params.data!.name === 'no') throw new Error('refused');
        event.params.data = { name: 'changed' };
      },
    });
    try {
      const { ids } = await rows(TAG).createMany({ data: [{ name: 'a' }, { name: 'b' }] });
      expect(told.splice(0)).toEqual([
        ['beforeCreateMany', [{ name: 'a' }, { name: 'b' }]],
        ['afterCreateMany', { count: 2, ids }],
      ]);
      const where = { name: 'a' };
      expect(await rows(TAG).updateMany({ where, data: { name: 'z' } })).toEqual({ count: 1 });
      await expect(rows(TAG).updateMany({ data: { name: 'no' } })).rejects.toThrow('refused');
      expect((await rows(TAG).findMany({ orderBy: 'id' })).map(({ name }) => name)).toEqual(['changed', 'b']);
      expect(told.splice(0)).toEqual([
        ['beforeUpdateMany', where],
        ['afterUpdateMany', { count: 1 }],
        ['beforeUpdateMany', { name: 'no' }],
      ]);
      await rows(TAG).deleteMany({ where: { name: 'none' } });
      await rows(TAG).delete({ where: { name: 'b' } });
      expect(told.map((one) => (one as [string])[0])).toEqual([
        'beforeDeleteMany',
        'afterDeleteMany',
        'beforeDelete',
        'afterDelete',
      ]);
    } finally {
      stop();
    }
  });

  it('hears of documents on the event hub, once they are committed', async () => {
    const hub = new EventHub();
    const failures: unknown[] = [];
    const nothing = () => undefined;
    const log = { info: nothing, warn: nothing, debug: nothing, error: (error: unknown) => failures.push(error) };
    content.sheaf.operations.addHooks(new EntryEvents(content.sheaf, hub, log));
    const heard: { event: string; model: string; entry: Entry }[] = [];
    const end = hub.subscribe((event, payload) => heard.push({ event, ...(payload as object) } as (typeof heard)[0]));
    /** The events since the last time; they come after the write has returned. */
    const events = async (count: number) => {
      await expect.poll(() => heard.length).toBe(count);
      return heard.splice(0);
    };
    const ada = of(await documents(AUTHOR).create({ data: { name: 'Ada', secret: 's' } }));
    const [created] = await events(1);
    expect(created).toMatchObject({ event: 'entry.create', model: 'author', uid: AUTHOR, entry: { name: 'Ada' } });
    expect(created!.entry).not.toHaveProperty('secret');

    const data = { title: 'One', author: ada.documentId, links: [{ url: '/a' }] };
    const { documentId } = of(await documents(ARTICLE).create({ data, status: 'published' }));
    const whole = { title: 'One', author: { name: 'Ada' }, links: [{ url: '/a' }], tags: [] };
    expect(await events(2)).toMatchObject([
      { event: 'entry.create', entry: { ...whole, publishedAt: null } },
      { event: 'entry.publish', entry: { ...whole, publishedAt: expect.any(String) } },
    ]);
    await documents(ARTICLE).update({ documentId, data: { title: 'Two' } });
    expect(await events(1)).toMatchObject([{ event: 'entry.update', entry: { title: 'Two', publishedAt: null } }]);
    await documents(ARTICLE).discardDraft({ documentId });
    expect(await events(1)).toMatchObject([{ event: 'entry.draft-discard', entry: { title: 'One' } }]);
    await documents(ARTICLE).unpublish({ documentId });
    expect(await events(1)).toMatchObject([{ event: 'entry.unpublish', entry: { title: 'One' } }]);
    await documents(ARTICLE).publish({ documentId });
    await documents(ARTICLE).clone({ documentId, data: { title: 'Copy' } });
    expect(await events(2)).toMatchObject([
      { event: 'entry.publish' },
      { event: 'entry.create', entry: { title: 'Copy' } },
    ]);
    await documents(ARTICLE).delete({ documentId });
    expect(await events(2)).toMatchObject([
      { event: 'entry.delete', entry: { documentId, title: 'One' } },
      { event: 'entry.delete', entry: { documentId, title: 'One' } },
    ]);

    const page = of(await documents(PAGE).create({ data: { title: 'Page' } }));
    await documents(PAGE).update({ documentId: page.documentId, locale: 'fr', data: {} });
    expect(await events(2)).toMatchObject([
      { event: 'entry.create', entry: { locale: 'en' } },
      { event: 'entry.create', entry: { locale: 'fr' } },
    ]);
    const failing = members.db.transaction(async () => {
      await documents(TAG).create({ data: { name: 'undone' } });
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    await rows(TAG).create({ data: { name: 'row' } });
    const { files } = content.sheaf;
    const [file] = await files.upload({ name: 'note.txt', content: Buffer.from('text') });
    const { id } = file!;
    expect(await events(1)).toMatchObject([{ event: 'media.create', media: { id, name: 'note.txt' } }]);
    await files.update(id, { name: 'other.txt' });
    expect(await events(1)).toMatchObject([{ event: 'media.update', media: { id, name: 'other.txt' } }]);
    await files.delete(id);
    expect(await events(1)).toMatchObject([{ event: 'media.delete', media: { id, name: 'other.txt' } }]);
    end();
    hub.on('entry.create', () => {
      throw new Error('a listener');
    });
    await documents(TAG).create({ data: { name: 'heard by one that fails' } });
    await expect.poll(() => failures).toMatchObject([{ message: 'a listener' }]);
    expect(heard).toEqual([]);
    hub.removeAllListeners();
  });

  it('hears of documents in the order in which they were written, also while a listener hangs', async () => {
    const hub = new EventHub();
    const log = { info: () => undefined, warn: () => undefined, debug: () => undefined, error: () => undefined };
    content.sheaf.operations.addHooks(new EntryEvents(content.sheaf, hub, log));
    const heard: unknown[] = [];
    hub.subscribe((_event, payload) => {
      heard.push((payload as { entry: Entry }).entry.name);
      return heard.length === 1 ? new Promise(() => undefined) : null;
    });
    const allWritten = Promise.withResolvers<void>();
    const { findOne } = Rows.prototype;
    const slow = vi.spyOn(Rows.prototype, 'findOne').mockImplementationOnce(async function (this: Rows, ...given) {
      await allWritten.promise;
      await sleep(20);
      return findOne.apply(this, given);
    });
    try {
      for (const name of ['first', 'second', 'third']) await documents(TAG).create({ data: { name } });
      allWritten.resolve();
      await expect.poll(() => heard).toEqual(['first', 'second', 'third']);
    } finally {
      slow.mockRestore();
      hub.removeAllListeners();
    }
  });

  it('reads and writes the rows of settings', async () => {
    const settings = rows('strapi::core-store');
    const data = { key: 'app_flags_seeded', value: JSON.stringify({ at: 1 }), type: 'object' };
    expect(await settings.create({ data })).toEqual({ id: expect.any(Number), ...data, environment: null, tag: null });
    const where = { key: { $startsWith: 'app_flags' } };
    expect(await settings.findMany({ where, select: ['key'] })).toEqual([{ key: data.key }]);
    await settings.update({ where: { key: data.key }, data: { value: JSON.stringify({ at: 2 }) } });
    expect(await members.store.get({ type: 'app', name: 'flags', key: 'seeded' })).toEqual({ at: 2 });
    expect(await settings.update({ where: { key: 'none' }, data: { value: '1' } })).toBeNull();
    await expect(settings.create({ data: { value: '1' } })).rejects.toThrow('key');
    expect(await settings.delete({ where: { key: data.key } })).toMatchObject({ key: data.key });
    expect(await settings.count({ where })).toBe(0);
    expect(await settings.deleteMany({ where })).toEqual({ count: 0 });
  });

  it('keeps values of its own beside the settings of Strapi', async () => {
    const store = members.store({ type: 'plugin', name: 'blog' });
    expect(await store.get({ key: 'seeded' })).toBeNull();
    for (const value of [{ at: [1] }, 'text', true, null, 7]) {
      await store.set({ key: 'seeded', value });
      expect(await members.store.get({ type: 'plugin', name: 'blog', key: 'seeded' })).toEqual(value);
    }
    const settings = members.store({ type: 'plugin', name: 'users-permissions', key: 'advanced' });
    expect(await settings.get()).toMatchObject({ allow_register: true, default_role: 'authenticated' });
    const mails = members.store({ type: 'plugin', name: 'users-permissions', key: 'email' });
    const texts = (await mails.get()) as Record<string, { options: { object: string; from: { name: string } } }>;
    expect(Object.keys(texts)).toEqual(['reset_password', 'email_confirmation']);
    texts.reset_password!.options.object = 'Another password';
    texts.reset_password!.options.from.name = 'Support';
    await mails.set({ value: texts });
    expect(await mails.get()).toEqual(texts);
    await mails.delete();
    expect(await mails.get()).toMatchObject({ reset_password: { options: { object: 'Reset password' } } });
    await settings.set({ value: { allow_register: false } });
    expect(await settings.get()).toEqual({ allow_register: false });
    await settings.delete();
    await store.delete({ key: 'seeded' });
    expect(await store.get({ key: 'seeded' })).toBeNull();
  });

  it('runs several writes together, and hears when they are committed', async () => {
    const heard: string[] = [];
    const failing = members.db.transaction(async ({ onCommit }) => {
      onCommit(() => heard.push('failed'));
      await rows(TAG).create({ data: { name: 'undone' } });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await members.db.transaction(async ({ onCommit }) => {
      onCommit(() => heard.push('done'));
      await rows(TAG).create({ data: { name: 'kept' } });
      expect(heard).toEqual([]);
    });
    expect(heard).toEqual(['done']);
    expect((await rows(TAG).findMany()).map(({ name }) => name)).toEqual(['kept']);

    const rolledBack = await members.db.transaction(async ({ onCommit, onRollback, rollback }) => {
      onCommit(() => heard.push('committed'));
      onRollback(() => heard.push('rolled back'));
      await rows(TAG).create({ data: { name: 'taken back' } });
      expect(members.db.inTransaction()).toBe(true);
      await rollback();
      return 'returned';
    });
    expect(rolledBack).toBe('returned');
    expect(heard).toEqual(['done', 'rolled back']);
    const outer = members.db.transaction(async ({ onRollback, commit }) => {
      onRollback(() => heard.push('outer'));
      await rows(TAG).create({ data: { name: 'also kept' } });
      const inner = async ({ rollback }: { rollback(): Promise<void> }): Promise<void> => {
        await rows(TAG).create({ data: { name: 'inner' } });
        await rollback();
      };
      await members.db.transaction(inner);
      await commit();
    });
    await outer;
    expect(heard).toEqual(['done', 'rolled back']);
    expect(members.db.inTransaction()).toBe(false);
    expect((await rows(TAG).findMany()).map(({ name }) => name)).toEqual(['kept', 'also kept']);
  });

  it('knows content-types and components as they are declared', () => {
    expect(members.contentType(ARTICLE)).toMatchObject({
      uid: ARTICLE,
      kind: 'collectionType',
      modelType: 'contentType',
      modelName: 'article',
      globalId: 'Article',
      info: { singularName: 'article', pluralName: 'articles', displayName: 'article' },
      options: { draftAndPublish: true },
      attributes: { title: { type: 'string', required: true }, createdAt: { type: 'datetime' } },
    });
    const { attributes } = members.contentType(PAGE)!;
    expect(Object.keys(attributes)).toEqual([
      ...['title', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations'],
    ]);
    expect(attributes).toMatchObject({
      createdBy: { type: 'relation', relation: 'oneToOne', target: 'admin::user', visible: false },
      localizations: { type: 'relation', relation: 'oneToMany', target: PAGE, visible: false },
    });
    expect(members.contentType(USER)!.attributes).toMatchObject({
      password: { type: 'password', private: true },
      role: { type: 'relation', relation: 'manyToOne', target: ROLE },
    });
    expect(members.getModel('kit.link')).toMatchObject({
      modelType: 'component',
      category: 'kit',
      globalId: 'ComponentKitLink',
    });
    expect(members.getModel('kit.nosuch')).toBeUndefined();
    expect(Object.keys(members.contentTypes)).toContain(USER);
  });

  it('adds accounts, signs tokens at once, and sends mails', async () => {
    const auth = await content.sheaf.auth();
    const services = pluginServices(content.sheaf, auth) as unknown as Record<
      string,
      Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>
    >;
    const { user, jwt, role } = services['users-permissions']!;
    const [first] = (await role!.find!()) as Entry[];
    const added = of(
      await user!.add!({
        username: 'ada',
        email: 'Ada@example.org',
        password: 'Tr0ub4dor-and-3',
        role: String(first!.id),
        nosuch: 1,
      }),
    );
    expect(added).toMatchObject({ username: 'ada', email: 'ada@example.org', role: { id: first!.id } });
    expect(await user!.validatePassword!('Tr0ub4dor-and-3', added.password)).toBe(true);
    expect(await user!.edit!(added.id, { username: 'countess' })).toMatchObject({ username: 'countess' });
    expect(await user!.fetch!(String(added.id), { populate: ['role'] })).toMatchObject({
      username: 'countess',
      role: { id: first!.id },
    });
    const token = jwt!.issue!({ id: added.id }, { expiresIn: '2h' }) as unknown as string;
    expect(await jwt!.verify!(token)).toMatchObject({ id: added.id });
    const request = { header: { authorization: `Bearer ${token}` } };
    expect(await jwt!.getToken!({ request })).toMatchObject({ id: added.id });
    expect(await jwt!.getToken!({ request: { header: {} } })).toBeNull();
    await expect(jwt!.verify!(`${token}x`)).rejects.toThrow('Invalid token');
    const forOther = jwt!.issue!({ email: 'ada@example.org', type: 'invitation' }) as unknown as string;
    expect(await jwt!.verify!(forOther)).toMatchObject({ email: 'ada@example.org', type: 'invitation' });
    await expect(content.sheaf.authenticate({ authorization: `Bearer ${forOther}` })).rejects.toThrow();
    expect(await content.sheaf.authenticate({ authorization: `Bearer ${token}` })).toMatchObject({
      kind: 'user',
      account: { id: added.id },
    });
    await user!.edit!(added.id, { password: 'Tr0ub4dor-and-4' });
    const renewed = jwt!.issue!({ id: added.id }) as unknown as string;
    await expect(content.sheaf.authenticate({ authorization: `Bearer ${token}` })).rejects.toThrow();
    expect(await content.sheaf.authenticate({ authorization: `Bearer ${renewed}` })).toMatchObject({ kind: 'user' });
    expect(await user!.fetchAuthenticatedUser!(added.id)).toMatchObject({ id: added.id, role: { id: first!.id } });
    const { email } = services.email!;
    await email!.sendTemplatedEmail!(
      { to: 'ada@example.org' },
      { subject: 'Hello', text: '', html: '<p>Dear <%= user.name %></p>' },
      { user: { name: 'Ada' } },
    );
    const lastMail = (): string => {
      const [mail] = readdirSync(auth.mailer.folder!).sort().slice(-1);
      return readFileSync(path.join(auth.mailer.folder!, mail!), 'utf8');
    };
    expect(lastMail()).toContain('<p>Dear Ada</p>');
    const html = `<% for (const one of names.slice(1)) { %>[<%- one %>]<% } %>$\{count * 2}<%= none ? 'no' : '' %>`;
    const values = { names: ['a', '<b>', "'c'"], count: 2, none: null };
    await email!.sendTemplatedEmail!({ to: 'ada@example.org', subject: 'Kept' }, { html }, values);
    expect(lastMail()).toContain('[&lt;b&gt;][&#39;c&#39;]4');
    expect(lastMail()).toContain('Kept');
    await expect(email!.sendTemplatedEmail!({ to: 'x@y.org' }, { html: '<%= nobody %>' })).rejects.toThrow('nobody');
    await email!.send!({ to: 'ada@example.org', subject: 'A', attachments: [{ filename: 'bill.pdf', content: 'x' }] });
    const [last] = readdirSync(auth.mailer.folder!).sort().slice(-1);
    expect(readFileSync(path.join(auth.mailer.folder!, last!), 'utf8')).toContain('Attached: bill.pdf');
    await expect(email!.send!({ subject: 'x' })).rejects.toThrow('to');
    await user!.remove!({ id: added.id });
  });

  it('grants by the tree of a role, and makes and deletes roles', async () => {
    const { role } = pluginServices(content.sheaf, await content.sheaf.auth())['users-permissions'] as unknown as {
      role: Record<
        'find' | 'findOne' | 'createRole' | 'updateRole' | 'deleteRole',
        (...args: unknown[]) => Promise<Answered>
      >;
    };
    const idOf = async (type: string): Promise<number> =>
      (await role.find()).find((one: Answered) => one.type === type)?.id;
    const mayFindTags = async () => (await content.sheaf.authenticate({})).access.may('api::tag.tag.find');
    for (const enabled of [false, true]) {
      const all = await role.findOne(await idOf('public'));
      all.permissions['api::tag'].controllers.tag.find.enabled = enabled;
      await role.updateRole(all.id, all);
      expect(await mayFindTags()).toBe(enabled);
    }
    await role.createRole({ name: 'Helpers', description: 'They help', nosuch: 1 });
    const id = await idOf('helpers');
    const user = await rows(USER).create({ data: { username: 'helper', email: 'h@example.org', role: id } });
    await role.deleteRole(id, await idOf('authenticated'));
    await expect(role.findOne(id)).rejects.toThrow('Role not found');
    expect(await rows(USER).findOne({ where: { id: user.id }, populate: ['role'] })).toMatchObject({
      role: { type: 'authenticated' },
    });
    await rows(USER).delete({ where: { id: user.id } });
  });

  it('reads and adds locales', async () => {
    const { i18n } = pluginServices(content.sheaf, await content.sheaf.auth());
    const locales = i18n.locales as Record<string, (...args: unknown[]) => Promise<unknown>>;
    expect(await locales.find!()).toMatchObject([
      { code: 'en', isDefault: true },
      { code: 'fr', isDefault: false },
    ]);
    expect(await locales.getDefaultLocale!()).toBe('en');
    expect(await locales.findByCode!('de')).toBeNull();
    expect(await locales.create!({ code: 'de', name: 'German' })).toMatchObject({ code: 'de', name: 'German' });
    await documents(PAGE).create({ data: { title: 'Seite' }, locale: 'de' });
    expect(await locales.count!()).toBe(3);
    await rows(PAGE).deleteMany();
    expect(await locales.delete!({ code: 'de' })).toMatchObject({ code: 'de' });
    expect(await locales.count!()).toBe(2);
  });
});
