// Definitions that Strapi 5 accepts: each project of test/fixtures/projects has one oddity, and starts and is served,
// or is refused with the reason.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { schemaDiff } from '../src/cli/schema-commands.ts';
import { missingForReads } from '../src/db/schema.ts';
import { declarations } from '../src/describe/declarations.ts';
import { loadModel } from '../src/model/build.ts';
import type { ServerConfig } from '../src/project/environment.ts';
import type { Answer, Answered, Content, Json } from './support/content.ts';
import { localized, useContents, writeProject } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';
import { componentOrphans, violations } from './support/invariants.ts';

/** What is wrong with what is stored; nothing where all is well. */
async function wrongWith(content: Content): Promise<string[]> {
  const ask = (sql: string) => content.rows(sql);
  const { model } = content.sheaf;
  return [...(await violations(model, ask)), ...(await componentOrphans(model, ask))];
}

/** The paths of what a 400 names. */
function refusedAt({ status, body }: Answer): string[] {
  expect(status).toBe(400);
  return body.error.details.errors.map(({ path }: Answered) => path.join('.'));
}

describeOnEveryDatabase('a dynamic zone in a component', (engine) => {
  const contents = useContents(engine);
  const open = () => contents.open(contents.fixture('zones-in-components'));
  let shared: Content;
  beforeAll(async () => {
    shared = await open();
  });
  const quote = (text: string, more = {}) => ({ __component: 'blocks.quote', text, ...more });
  const columns = (count: number, content: unknown[]) => ({ __component: 'layout.columns', count, content });
  const DEEP = [
    'populate[section][populate][content][populate]=*',
    'populate[sections][populate][content][on][blocks.quote][populate][author][fields][0]=name',
    'populate[sections][populate][content][on][layout.columns][populate][content][populate]=*',
    'populate[body][on][layout.columns][populate][content][on][blocks.quote][fields][0]=text',
    'populate[body][on][layout.columns][populate][content][on][layout.columns][populate][content][populate]=*',
    'populate[body][on][blocks.quote][populate]=*',
  ].join('&');
  /** Without ids, which differ between rows. */
  const plain = (value: Answered): Answered =>
    JSON.parse(JSON.stringify(value), (key, one) => (key === 'id' ? undefined : one));

  it('is written, populated and replaced as in a content-type, however deep', async () => {
    const content = shared;
    const author = await content.make('authors', { name: 'Ada' });
    const page = await content.entry('POST', `pages?${DEEP}`, {
      title: 'One',
      section: { heading: 'Top', content: [quote('a', { author }), { __component: 'blocks.picture', caption: 'b' }] },
      sections: [
        { heading: 'First', content: [quote('c', { author }), columns(2, [quote('d'), quote('e')])] },
        { heading: 'Second', content: [] },
      ],
      body: [columns(2, [quote('f'), columns(1, [quote('g', { author })])]), quote('h')],
    });
    expect(plain(page.section)).toEqual({
      heading: 'Top',
      content: [
        { __component: 'blocks.quote', text: 'a', author: expect.objectContaining({ name: 'Ada' }) },
        { __component: 'blocks.picture', caption: 'b', image: null },
      ],
    });
    expect(plain(page.sections)).toMatchObject([
      {
        heading: 'First',
        content: [
          { __component: 'blocks.quote', text: 'c', author: { name: 'Ada' } },
          { __component: 'layout.columns', count: 2, content: [{ text: 'd' }, { text: 'e' }] },
        ],
      },
      { heading: 'Second', content: [] },
    ]);
    expect(plain(page.body)).toMatchObject([
      { count: 2, content: [{ text: 'f' }, { count: 1, content: [{ text: 'g', author: { name: 'Ada' } }] }] },
      { text: 'h' },
    ]);

    const [first, second] = page.sections;
    const [keptQuote] = first.content;
    const changed = await content.entry('PUT', `pages/${page.documentId}?${DEEP}`, {
      sections: [
        { id: second.id, content: [quote('new')] },
        { id: first.id, content: [{ ...quote('changed'), id: keptQuote.id }] },
      ],
    });
    expect(changed.sections[1].content[0].id).toBe(keptQuote.id);
    expect(plain(changed.sections)).toMatchObject([
      { heading: 'Second', content: [{ text: 'new' }] },
      { heading: 'First', content: [{ text: 'changed', author: { name: 'Ada' } }] },
    ]);
    expect(await wrongWith(content)).toEqual([]);
  });

  it('is published, discarded, cloned and deleted with its component, and leaves nothing behind', async () => {
    const content = await open();
    const author = await content.make('authors', { name: 'Ada' });
    const documents = content.sheaf.documents('api::page.page');
    const body = [columns(2, [quote('a', { author }), columns(1, [quote('b')])])];
    const section = { heading: 'Top', content: [quote('c'), columns(3, [quote('d')])] };
    const documentId = await content.make('pages?status=draft', { title: 'One', section, sections: [section], body });
    const read = async (status: string) =>
      plain((await content.get(`pages/${documentId}?status=${status}&${DEEP}`)).body.data);
    const withoutDates = ({ createdAt: _, updatedAt: __, publishedAt: ___, ...rest }: Answered) => rest;

    await documents.publish({ documentId });
    expect(withoutDates(await read('published'))).toEqual(withoutDates(await read('draft')));
    const shown = await read('published');
    await content.entry('PUT', `pages/${documentId}?status=draft`, { section: { content: [quote('x')] }, body: [] });
    expect((await read('draft')).section.content).toMatchObject([{ text: 'x' }]);
    expect(await read('published')).toEqual(shown);
    await documents.discardDraft({ documentId });
    expect(withoutDates(await read('draft'))).toEqual(withoutDates(shown));

    await documents.publish({ documentId });
    expect(withoutDates(await read('published'))).toEqual(withoutDates(shown));
    const clone = await documents.clone({ documentId });
    const copy = (await content.get(`pages/${clone.documentId}?status=draft&${DEEP}`)).body.data;
    expect(plain(copy.body)).toEqual(plain(shown.body));
    expect(plain(copy.section)).toEqual(plain(shown.section));
    expect(await wrongWith(content)).toEqual([]);

    await documents.unpublish({ documentId });
    expect(await wrongWith(content)).toEqual([]);
    await content.delete(`pages/${documentId}`);
    await content.delete(`pages/${clone.documentId}`);
    expect(await wrongWith(content)).toEqual([]);
    for (const { table, componentTable } of content.sheaf.model.components.values()) {
      expect(await content.number(`select count(*) from "${table}"`), table).toBe(0);
      if (table.includes('layout')) expect(await content.number(`select count(*) from "${componentTable}"`)).toBe(0);
    }
  });

  it('is populated by a path with dots, and shared by the locales of its entry', async () => {
    const project = contents.fixture('zones-in-components');
    writeProject(project, {
      types: {
        leaflet: {
          drafts: true,
          localized: true,
          attributes: {
            title: { type: 'string', ...localized },
            section: { type: 'component', component: 'layout.section' },
          },
        },
      },
      locales: ['en', 'de'],
    });
    const content = await contents.open(project);
    const author = await content.make('authors', { name: 'Ada' });
    const section = { content: [quote('a', { author }), columns(1, [quote('b')])] };
    const documentId = await content.make('leaflets', { title: 'One', section });
    await content.put(`leaflets/${documentId}?locale=de`, { title: 'Eins' });
    const read = async (locale: string) =>
      plain((await content.get(`leaflets/${documentId}?locale=${locale}&populate=section.content.author`)).body.data);
    expect(await read('de')).toMatchObject({
      title: 'Eins',
      section: { content: [{ text: 'a', author: { name: 'Ada' } }, { count: 1 }] },
    });
    await content.put(`leaflets/${documentId}?locale=de`, { section: { content: [quote('c')] } });
    expect((await read('en')).section).toEqual((await read('de')).section);
    expect((await read('en')).section.content).toMatchObject([{ text: 'c' }]);
    expect(await wrongWith(content)).toEqual([]);
    await content.delete(`leaflets/${documentId}?locale=de`);
    await content.delete(`leaflets/${documentId}`);
    expect(await wrongWith(content)).toEqual([]);
    expect(await content.number('select count(*) from components_blocks_quotes')).toBe(0);
  });

  it('is held to its rules when it is published', async () => {
    const content = shared;
    const tooMany = { content: [quote('a'), quote('b'), quote('c'), quote('d')] };
    const documentId = await content.make('pages?status=draft', {
      section: tooMany,
      body: [columns(1, [{ __component: 'blocks.quote' }])],
    });
    const answer = await content.put(`pages/${documentId}?status=published`, {});
    expect(answer.status).toBe(400);
    expect(refusedAt(answer)).toEqual(['section.content', 'body.0.content.0.text']);
    const created = await content.post('notes', { section: tooMany });
    expect(created.status).toBe(400);
    expect(refusedAt(created)).toEqual(['section.content']);
    const foreign = await content.post('notes', { section: { content: [{ __component: 'layout.section' }] } });
    expect(refusedAt(foreign)).toEqual(['section.content.0.__component']);
  });

  it('is as little a filter or a sort as one of a content-type', async () => {
    const content = shared;
    for (const [query, key] of [
      ['filters[section][content][text][$eq]=a', 'content'],
      ['filters[body][text][$eq]=a', 'body'],
      ['sort=section.content.text', 'content'],
    ]) {
      const answer = await content.get(`pages?${query}`);
      expect(answer.status, query).toBe(400);
      expect(answer.body.error.message, query).toContain(key);
    }
    expect((await content.get('pages?filters[section][heading][$eq]=a')).status).toBe(200);
  });
});

describeOnEveryDatabase('a component in a table with a long name', (engine) => {
  const contents = useContents(engine);
  // Hashed from restaurant_inspection_reports_of_the_whole_country_and_its_islands and from
  // components_inspection_findings_of_the_responsible_authority_components.
  const REPORTS = 'restaurant_inspection_reports_of_the_whole_coe948f_cmps';
  const FINDINGS = 'components_inspection_findings_of_the_responsa8a81_cmps';

  it('is found in the table that Strapi 5 linked it in', async () => {
    const content = await contents.open(contents.fixture('long-names'));
    const populate = 'populate[findings][populate]=*';
    const measure = { text: 'clean' };
    const evidence = [{ __component: 'inspection.measure', text: 'seen' }];
    const report = await content.entry('POST', `reports?${populate}`, {
      title: 'One',
      findings: [{ text: 'dust', measure, evidence }],
    });
    expect(report.findings).toMatchObject([{ text: 'dust', measure, evidence }]);
    expect(await content.number(`select count(*) from "${REPORTS}"`)).toBe(2);
    expect(await content.number(`select count(*) from "${FINDINGS}"`)).toBe(4);
    expect(await wrongWith(content)).toEqual([]);
    await content.delete(`reports/${report.documentId}`);
    expect(await content.number(`select count(*) from "${FINDINGS}"`)).toBe(0);
  });
});

describeOnEveryDatabase('attribute names outside ASCII', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(contents.fixture('names-outside-ascii'));
  });
  const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();

  it('are columns without accents, and keys as they are written', async () => {
    const maker = await content.make('makers', { name: 'Åse' });
    const data = {
      größe: 4,
      título: 'Uno',
      名前: '一',
      Название: 'Один',
      preisÜbersicht: { netto: 1 },
      détails: [{ wért: 'é' }],
      bloques_ñ: [{ __component: 'shared.detail', wért: 'ñ' }],
    };
    const product = await content.entry('POST', 'products?populate=*', { ...data, hersteller_é: maker });
    expect(product).toMatchObject({ ...data, hersteller_é: { name: 'Åse' } });
    expect(
      await content.rows('select grosse, titulo, "名前", "название" from products where published_at is null'),
    ).toEqual([[4, 'Uno', '一', 'Один']]);
    await content.make('products', { größe: 9, título: 'Dos' });
    const titles = async (parameters: Record<string, string>) => {
      const answer = await content.get(`products?${query(parameters)}`);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body.data.map((one: Answered) => one.título);
    };
    expect(await titles({ 'filters[größe][$gt]': '5' })).toEqual(['Dos']);
    expect(await titles({ 'filters[名前][$eq]': '一', 'fields[0]': 'título' })).toEqual(['Uno']);
    expect(await titles({ 'filters[hersteller_é][name][$eq]': 'Åse' })).toEqual(['Uno']);
    expect(await titles({ 'filters[détails][wért][$eq]': 'é' })).toEqual(['Uno']);
    expect(await titles({ sort: 'größe:desc,título' })).toEqual(['Dos', 'Uno']);
    expect(await titles({ 'sort[0]': 'hersteller_é.name' })).toHaveLength(2);
    expect(await titles({ _q: 'Один' })).toEqual(['Uno']);
    const shown = await content.get(`makers?${query({ 'populate[produits_é][fields][0]': 'größe' })}`);
    expect(shown.body.data[0].produits_é).toMatchObject([{ größe: 4 }]);
    const dotted = await content.get(
      `products/${product.documentId}?${query({ populate: 'bloques_ñ,hersteller_é.produits_é' })}`,
    );
    expect(dotted.body.data).toMatchObject({
      bloques_ñ: [{ wért: 'ñ' }],
      hersteller_é: { produits_é: [{ größe: 4 }] },
    });
    expect(await wrongWith(content)).toEqual([]);
  });

  it('are found again where they are longer than a database keeps them', async () => {
    const name = 'краткое_описание_для_карточки_товара_в_магазине';
    const project = contents.project({ types: { good: { attributes: { [name]: { type: 'string', unique: true } } } } });
    const database = engine.bareDatabaseUrl(null);
    const first = await contents.open(project, database);
    await first.make('goods', { [name]: 'а' });
    await first.close();
    const content = await contents.open(project, database);
    expect(await missingForReads(content.sheaf.database, content.sheaf.model)).toEqual([]);
    expect((await content.get(`goods?${query({ [`filters[${name}][$eq]`]: 'а' })}`)).body.data).toMatchObject([
      { [name]: 'а' },
    ]);
  });

  it('may contain dashes, which `strapi generate` accepts', async () => {
    const project = contents.project({
      types: {
        page: {
          drafts: true,
          attributes: {
            'page-title': { type: 'string', unique: true },
            'sub-pages': { type: 'relation', relation: 'oneToMany', target: 'api::page.page', mappedBy: 'parent-page' },
            'parent-page': {
              type: 'relation',
              relation: 'manyToOne',
              target: 'api::page.page',
              inversedBy: 'sub-pages',
            },
            'seo-data': { type: 'component', component: 'shared.seo' },
            'main-zone': { type: 'dynamiczone', components: ['shared.seo'] },
          },
        },
      },
      components: { 'shared.seo': { 'meta-title': { type: 'string' } } },
    });
    const dashed = await contents.open(project);
    const data = {
      'page-title': 'One',
      'seo-data': { 'meta-title': 'a' },
      'main-zone': [{ __component: 'shared.seo', 'meta-title': 'b' }],
    };
    const one = await dashed.entry('POST', 'pages?populate=*', data);
    expect(one).toMatchObject(data);
    await dashed.make('pages', { 'page-title': 'Two', 'parent-page': one.documentId });
    const found = await dashed.get(
      `pages?${query({ 'filters[parent-page][seo-data][meta-title]': 'a', sort: 'parent-page.page-title:desc' })}`,
    );
    expect(found.body.data).toMatchObject([{ 'page-title': 'Two' }]);
    const shown = await dashed.get(`pages/${one.documentId}?${query({ 'populate[sub-pages][fields]': 'page-title' })}`);
    expect(shown.body.data['sub-pages']).toMatchObject([{ 'page-title': 'Two' }]);
    expect(await dashed.rows('select page_title from pages where published_at is null order by id')).toEqual([
      ['One'],
      ['Two'],
    ]);
    expect(declarations(loadModel(project), { locales: null })).toContain("'page-title': { type: 'string'");
  });

  it('are named in what is refused', async () => {
    await content.make('products', { größe: 1, título: 'Tres' });
    const taken = await content.post('products', { größe: 2, título: 'Tres' });
    expect(refusedAt(taken)).toEqual(['título']);
    const wrong = await content.post('products', { größe: 'viel' });
    expect(refusedAt(wrong)).toEqual(['größe']);
    const unknown = await content.get(`products?${query({ 'filters[grosse][$eq]': '1' })}`);
    expect(unknown.status).toBe(400);
    expect(unknown.body.error.message).toContain('grosse');
  });
});

describeOnEveryDatabase('a relation that is mappedBy nothing', (engine) => {
  const contents = useContents(engine);

  it('is always empty, in responses, filters and publications, and the start says so', async () => {
    const content = await contents.open(contents.fixture('mapped-by-nothing'));
    const post = 'src/api/post/content-types/post/schema.json: attributes';
    expect(content.sheaf.model.notes).toEqual([
      `${post}.tags is always empty: "posts" of api::tag.tag, which it is mappedBy, is no relation that leads back`,
      `${post}.cover is always empty: "label" of api::tag.tag, which it is mappedBy, is no relation that leads back`,
      `${post}.comments is always empty: "tag" of api::comment.comment, which it is mappedBy, is no relation that leads back`,
      `${post}.twin is always empty: "twin" of api::post.post, which it is mappedBy, is mappedBy as well`,
    ]);
    const tag = await content.make('tags', { label: 'Red' });
    await content.make('comments', { text: 'Yes', tag });
    const documentId = await content.make('posts', { title: 'One' });
    const { data } = (await content.get(`posts/${documentId}?populate=*`)).body;
    expect(data).toMatchObject({ title: 'One', tags: [], cover: null, comments: [], twin: null });
    expect((await content.get('posts?filters[tags][label][$eq]=Red')).body.data).toEqual([]);
    expect((await content.get('posts?filters[cover][id][$null]=true&sort=cover.label')).body.data).toHaveLength(1);
    const written = await content.put(`posts/${documentId}`, { tags: [tag] });
    expect(written.status).toBe(400);
    expect(written.body.error.message).toContain('tags');
    const documents = content.sheaf.documents('api::post.post');
    await content.put(`posts/${documentId}?status=draft`, { title: 'Two' });
    await documents.publish({ documentId });
    await documents.discardDraft({ documentId });
    await documents.unpublish({ documentId });
    const clone = await documents.clone({ documentId });
    await content.delete(`posts/${clone.documentId}`);
    await content.delete(`posts/${documentId}`);
    expect((await content.get('tags?populate=comments')).body.data).toMatchObject([{ comments: [{ text: 'Yes' }] }]);
    expect(await wrongWith(content)).toEqual([]);
  });
});

describeOnEveryDatabase('a relation that is inversedBy another one', (engine) => {
  const contents = useContents(engine);

  it('is one of one side only where that one leads elsewhere, and keeps the columns of Strapi 5', async () => {
    const content = await contents.open(contents.fixture('inversed-by-elsewhere'));
    expect(content.sheaf.model.notes).toEqual([
      'src/api/boat/content-types/boat/schema.json: attributes.owner is a relation of one side only: ' +
        '"cars" of api::owner.owner does not lead back',
    ]);
    const owner = await content.make('owners', { name: 'Ada' });
    const boats = [
      await content.make('boats', { name: 'B1', owner }),
      await content.make('boats', { name: 'B2', owner }),
    ];
    await content.make('cars', { name: 'C1', owner });
    const [data] = (await content.get('owners?populate=*')).body.data;
    expect(data.cars).toMatchObject([{ name: 'C1' }]);
    expect((await content.get('boats?populate=owner&sort=name')).body.data).toMatchObject([
      { name: 'B1', owner: { name: 'Ada' } },
      { name: 'B2', owner: { name: 'Ada' } },
    ]);
    const positions =
      'select boat_ord from boats_owner_lnk l join boats b on b.id = l.boat_id where b.published_at is null order by 1';
    expect((await content.rows(positions)).map(([position]) => Number(position))).toEqual([1, 2]);
    await content.delete(`boats/${boats[0]}`);
    expect((await content.rows(positions)).map(([position]) => Number(position))).toEqual([1]);
    expect(await wrongWith(content)).toEqual([]);
  });

  it('is the inverse of the later one where both say so, since Strapi 5 keeps the links of both in that table', async () => {
    const content = await contents.open(contents.fixture('inversed-by-both'));
    expect(content.sheaf.model.notes).toEqual([
      'src/api/actor/content-types/actor/schema.json: attributes.films is taken for mappedBy: ' +
        '"actors" of api::film.film is inversedBy as well',
    ]);
    const film = await content.make('films', { name: 'F' });
    await content.make('actors', { name: 'A', films: [film] });
    expect((await content.get('films?populate=actors')).body.data).toMatchObject([{ actors: [{ name: 'A' }] }]);
    expect(await content.number('select count(*) from films_actors_lnk')).toBe(1);
    expect(await wrongWith(content)).toEqual([]);
  });
});

describeOnEveryDatabase('a relation to a type of a plugin that is not installed', (engine) => {
  const contents = useContents(engine);

  it('is left out, its table is left alone, and the start says so', async () => {
    const database = engine.freshDatabaseUrl();
    const project = contents.fixture('plugin-not-installed');
    const content = await contents.open(project, database);
    await content.execute(
      'create table shops_menu_lnk (id integer primary key, shop_id integer, navigation_id integer)',
    );
    await content.execute('insert into shops_menu_lnk values (1, 7, 8)');
    expect(content.sheaf.model.notes).toEqual([
      'src/extensions/navigation/content-types/navigation/schema.json is not used: ' +
        'Sheaf has no type plugin::navigation.navigation that it could extend',
      ...[
        ['api/shop/content-types/shop/schema', 'menu', 'navigation', 'navigation.navigation'],
        ['api/shop/content-types/shop/schema', 'items', 'navigation', 'navigation.item'],
        ['api/shop/content-types/shop/schema', 'redirects', 'redirects', 'redirects.redirect'],
        ['components/shared/hours', 'form', 'forms', 'forms.form'],
      ].map(
        ([file, name, plugin, uid]) =>
          `src/${file}.json: attributes.${name} is left out: Sheaf does not have the plugin "${plugin}" that plugin::${uid} belongs to`,
      ),
    ]);
    const shop = await content.entry('POST', 'shops?populate=*', { name: 'One', hours: { text: '9-5' } });
    expect(shop).toMatchObject({ name: 'One', hours: { text: '9-5' } });
    expect(Object.keys(shop)).not.toContain('menu');
    for (const url of ['shops?populate=menu', 'shops?filters[items][id]=1', 'shops?sort=menu.id'])
      expect((await content.get(url)).status, url).toBe(400);
    expect((await content.put(`shops/${shop.documentId}`, { menu: 1 })).status).toBe(400);
    await content.delete(`shops/${shop.documentId}`);
    await content.close();
    const again = await contents.open(project, database);
    expect(await again.rows('select * from shops_menu_lnk')).toEqual([[1, 7, 8]]);
  });
});

describeOnSqlite('the start', (engine) => {
  const contents = useContents(engine);
  const project = contents.fixture('plugin-not-installed');
  const note = 'attributes.menu is left out: Sheaf does not have the plugin "navigation"';

  it('prints what is served otherwise than the definitions say, and so does the command that shows its changes', async () => {
    const database = engine.freshDatabaseUrl();
    expect((await schemaDiff({ project, database } as ServerConfig)).text).toContain(note);
    const child = spawn(process.execPath, [
      ...['--no-warnings', fileURLToPath(new URL('../dist/main.js', import.meta.url)), 'start'],
      ...['--project', project, '--database', database, '--port', '0'],
    ]);
    const ended = once(child, 'close');
    let said = '';
    for await (const line of createInterface(child.stdout)) {
      said += `${line}\n`;
      if (line.startsWith('Stop with')) child.kill('SIGTERM');
    }
    await ended;
    expect(said).toContain(note);
  });
});

describeOnEveryDatabase('an extension of users that names only some attributes', (engine) => {
  const contents = useContents(engine);

  it('adds them to those that the server needs', async () => {
    const content = await contents.open(contents.fixture('partial-users-extension'));
    expect(content.sheaf.model.notes).toEqual([]);
    const account = { username: 'ada', email: 'ada@example.org', password: 'Tr0ub4dor-and-3' };
    const registered = await content.send('POST', 'auth/local/register', account);
    expect(registered.status, JSON.stringify(registered.body)).toBe(200);
    const { user } = registered.body;
    expect(user).toMatchObject({ username: 'ada', provider: 'local', nickname: null, blocked: false });
    const login = await content.send('POST', 'auth/local', { identifier: 'ada', password: account.password });
    expect(login.status).toBe(200);
    await content.make('posts', { title: 'One', writer: user.documentId });
    const [shown] = await content.sheaf.documents('plugin::users-permissions.user').findMany({ populate: 'posts' });
    expect(shown).toMatchObject({ username: 'ada', posts: [{ title: 'One' }] });
    expect(shown).not.toHaveProperty('password');
    for (const name of ['password', 'confirmationToken', 'hidden']) expect(user).not.toHaveProperty(name);
    expect(await content.number('select count(*) from posts_writer_lnk')).toBe(1);
  });
});

describe('a project that Strapi 5 refuses', () => {
  const refusal = (name: string): string => {
    try {
      loadModel(fileURLToPath(new URL(`./fixtures/projects/${name}`, import.meta.url)));
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it('is refused here as well: a relation to a type of the project that is not there', () => {
    expect(refusal('type-not-there')).toContain(
      'src/api/shop/content-types/shop/schema.json: attributes.town.target: there is no content-type "api::town.town"',
    );
  });

  it('is refused here as well: a relation to a type that a built-in plugin does not have', () => {
    expect(refusal('plugin-without-type')).toContain('there is no content-type "plugin::upload.album"');
  });

  it('is refused here as well: a relation that is inversedBy nothing', () => {
    expect(refusal('inversed-by-nothing')).toContain(
      'src/api/post/content-types/post/schema.json: attributes.tags.inversedBy: api::tag.tag has no relation "posts"',
    );
  });
});

describeOnEveryDatabase('a custom field', (engine) => {
  const contents = useContents(engine);
  const typesOf = (content: Content, uid = 'api::swatch.swatch') =>
    Object.fromEntries(
      [...content.sheaf.model.contentTypes.get(uid)!.attributes.values()].flatMap((one) =>
        one.kind === 'scalar' && one.writable ? [[one.name, one.type]] : [],
      ),
    );

  it('has the type that a plugin of the project, or its own code, registers it with', async () => {
    const database = engine.bareDatabaseUrl(null);
    const content = await contents.open(contents.fixture('custom-fields'), database);
    expect(content.sheaf.model.notes).toEqual([
      'src/api/swatch/content-types/swatch/schema.json: attributes.remark is kept as text: ' +
        'no plugin of the project registers the custom field plugin::nowhere.remark',
    ]);
    expect(typesOf(content)).toMatchObject({
      colour: 'string',
      gradient: 'json',
      weight: 'integer',
      rating: 'decimal',
      remark: 'text',
    });
    const gradient = { from: '#fff', to: ['#000', 1, null] };
    const remark = 'x'.repeat(3000);
    const swatch = { colour: '#fff', gradient, weight: 7, rating: 1.5, remark };
    const tones = [{ gradient: [1, { a: 2 }] }];
    const entry = await content.entry('POST', 'swatches?populate=*', { ...swatch, tones });
    expect(entry).toMatchObject({ ...swatch, tones });
    await content.make('swatches', { colour: '#000', weight: 2 });
    const colours = async (query: string) =>
      (await content.get(`swatches?${query}`)).body.data.map(({ colour }: Answered) => colour);
    expect(await colours('filters[weight][$gt]=5')).toEqual(['#fff']);
    expect(await colours('filters[weight][$in][0]=2&filters[weight][$in][1]=3')).toEqual(['#000']);
    expect(await colours('sort=weight')).toEqual(['#000', '#fff']);
    expect(await colours('filters[gradient][$null]=true')).toEqual(['#000']);
    const reordered = { to: gradient.to, from: gradient.from };
    expect(await colours(`filters[gradient][$eq]=${encodeURIComponent(JSON.stringify(reordered))}`)).toEqual(['#fff']);
    const wrong = await content.post('swatches?status=published', { weight: 'heavy', colour: 'x'.repeat(256) });
    expect(refusedAt(wrong)).toEqual(['colour', 'weight']);
    expect(refusedAt(await content.post('swatches', { colour: '#111', weight: 10 }))).toEqual(['weight']);
    await content.close();
    const again = await contents.open(contents.fixture('custom-fields'), database);
    expect(typesOf(again)).toEqual(typesOf(content));
  });

  it('has the type of its column where no code of the project tells it', async () => {
    const kinds = ['json', 'integer', 'biginteger', 'float', 'boolean', 'date', 'time', 'datetime', 'text', 'string'];
    const attributes = (type: (kind: string) => Json) => ({
      types: { swatch: { attributes: Object.fromEntries(kinds.map((kind) => [`a_${kind}`, type(kind)])) } },
    });
    const database = engine.bareDatabaseUrl(null);
    const plain = await contents.open(
      attributes((type) => ({ type })),
      database,
    );
    const values = { a_json: { a: [1] }, a_integer: 5, a_boolean: true, a_date: '2026-01-02', a_string: 'x' };
    await plain.make('swatchs', values);
    await plain.close();
    const content = await contents.open(
      attributes((kind) => ({ type: 'customField', customField: `plugin::lost.${kind}` })),
      database,
    );
    expect(content.sheaf.model.notes).toEqual([]);
    expect(typesOf(content)).toMatchObject(Object.fromEntries(kinds.map((kind) => [`a_${kind}`, kind])));
    expect((await content.get('swatchs?filters[a_integer][$lt]=6')).body.data).toMatchObject([values]);
    expect((await content.get('swatchs?filters[a_boolean]=true')).body.data).toMatchObject([values]);
  });
});
