// Requests in the forms that front ends send: what they say twice, sent back as they read it, or mean by a short form.
import { beforeAll, expect, it } from 'vitest';
import { SheafError } from '../src/errors.ts';
import { type Answer, type Content, localized, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

const PROJECT: Project = {
  locales: ['en', 'fr'],
  types: {
    article: {
      drafts: true,
      attributes: {
        title: { type: 'string' },
        stars: { type: 'integer' },
        extra: { type: 'json' },
        author: relation('manyToOne', 'author'),
        tags: relation('manyToMany', 'tag'),
        cover: { type: 'media', multiple: false },
        seo: { type: 'component', component: 'kit.seo' },
        zone: { type: 'dynamiczone', components: ['kit.text', 'kit.seo'] },
      },
    },
    author: { attributes: { name: { type: 'string' }, city: relation('manyToOne', 'city') } },
    city: { attributes: { name: { type: 'string' } } },
    tag: { attributes: { name: { type: 'string' }, position: { type: 'integer' }, status: { type: 'string' } } },
    word: { localized: true, drafts: true, attributes: { label: { type: 'string', ...localized } } },
    front: { single: true, localized: true, attributes: { label: { type: 'string', ...localized } } },
  },
  components: {
    'kit.seo': { head: { type: 'string' }, tag: relation('oneToOne', 'tag') },
    'kit.text': { body: { type: 'text' }, author: relation('oneToOne', 'author') },
    'kit.other': { body: { type: 'text' } },
  },
};

function refused({ status, body }: Answer, message: string): void {
  expect({ status, name: body.error.name, message: body.error.message }).toEqual({
    status: 400,
    name: 'ValidationError',
    message,
  });
}

describeOnEveryDatabase('a request of a front end', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  let article: string;

  beforeAll(async () => {
    content = await contents.open(PROJECT);
    await content.execute(
      `insert into files (id, document_id, name, hash, mime, size, url, provider, folder_path) values (7, 'file7', 'file', 'h', 'image/png', 1, '/x', 'local', '/')`,
    );
    const city = await content.make('citys', { name: 'Lyon' });
    const author = await content.make('authors', { name: 'Ann', city });
    const tags = [
      await content.make('tags', { name: 'red', position: 2, status: 'open' }),
      await content.make('tags', { name: 'blue', position: 1, status: 'closed' }),
    ];
    article = await content.make('articles', {
      title: 'One',
      stars: 3,
      author,
      tags,
      cover: 7,
      seo: { head: 'h', tag: tags[0] },
      zone: [
        { __component: 'kit.text', body: 'b', author },
        { __component: 'kit.seo', head: 'z', tag: tags[1] },
      ],
    });
    await content.make('articles', { title: 'Two' });
  });

  const titles = async (query: string): Promise<string[]> => {
    const { status, body } = await content.get(`articles?sort=title&${query}`);
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    return body.data.map((entry: { title: string }) => entry.title);
  };

  it('may hold empty pairs and the same pair twice', async () => {
    expect(await titles('&filters[title]=One&&status=published&status=published&')).toEqual(['One']);
  });

  it('matches nothing with a bare $in, and whatever is not null with a bare $notIn', async () => {
    expect(await titles('filters[title][$in]')).toEqual([]);
    expect(await titles('filters[stars][$in]')).toEqual([]);
    expect(await titles('filters[stars][$notIn]')).toEqual(['One']);
  });

  it('matches what is null with a bare $eqi, and whatever is not with a bare $nei', async () => {
    const untitled = await content.make('articles', { stars: 9 });
    expect(await titles('filters[title][$eqi]')).toEqual([null]);
    expect(await titles('filters[title][$nei]')).toEqual(['One', 'Two']);
    await content.delete(`articles/${untitled}`);
  });

  it('matches what is null with a null among the values of $in', async () => {
    expect(await titles('filters[stars][$in][]=7&filters[stars][$in][]')).toEqual(['Two']);
  });

  it('asks for ids alone with an empty list of fields, as clients write it', async () => {
    const ids = ['id', 'documentId'];
    expect(Object.keys((await content.entry('GET', `articles/${article}?fields[]`)) as object)).toEqual(ids);
    expect(Object.keys((await content.entry('GET', 'articles?fields[]'))[0])).toEqual(ids);
    const { author } = await content.entry('GET', `articles/${article}?populate[author][fields][]`);
    expect(Object.keys(author)).toEqual(ids);
  });

  it('may have spaces around the names of fields', async () => {
    for (const query of ['fields= title , stars', 'fields[0]= title&fields[1]=stars '])
      expect(Object.keys((await content.entry('GET', `articles/${article}?${encodeURI(query)}`)) as object)).toEqual([
        'id',
        'documentId',
        'title',
        'stars',
      ]);
  });

  it.each(['page', 'pageSize', 'start', 'limit', 'withCount'])('gives pagination[%s] a value', async (key) => {
    const expected = key === 'withCount' ? 'true or false' : 'a whole number';
    refused(await content.get(`articles?pagination[${key}]=`), `Invalid value for ${key}: expected ${expected}`);
  });

  it('asks for nothing with a bare number of pagination, and says whether to count', async () => {
    const { body } = await content.get('articles');
    for (const key of ['page', 'pageSize', 'start', 'limit'])
      expect((await content.get(`articles?pagination[${key}]`)).body, key).toEqual(body);
    refused(await content.get('articles?pagination[withCount]'), 'Invalid value for withCount: expected true or false');
  });

  it('may ask for equal bounds in encoded brackets', async () => {
    expect(await titles('filters%5Bstars%5D%5B%24between%5D=3&filters%5Bstars%5D%5B%24between%5D=3')).toEqual(
      await titles('filters[stars]=3'),
    );
  });

  it('names one locale, or several in a list', async () => {
    const expected = 'a locale code, a list of them, or *';
    refused(await content.get('words?locale=en,fr'), `Invalid value for locale: expected ${expected}`);
    refused(await content.delete('words/x?locale=en,fr'), `Invalid value for locale: expected ${expected}`);
    refused(
      await content.send('PUT', 'words/x?locale=en,fr', { data: {} }),
      'Invalid value for locale: expected one locale code',
    );
    expect((await content.get('words?locale[]=en&locale[]=fr')).status).toBe(200);
  });

  it('deletes nothing in a locale that the project does not have, nor does any draft action', async () => {
    const message = 'Invalid value for locale: expected a locale of the project';
    const word = await content.make('words', { label: 'w' });
    for (const path of [`words/${word}`, 'words/nosuch', 'front'])
      refused(await content.delete(`${path}?locale=xx`), message);
    refused(await content.delete(`words/${word}?locale[]=en&locale[]=xx`), message);
    for (const action of ['publish', 'unpublish', 'discardDraft'])
      refused(await content.send('POST', `words/${word}/actions/${action}?locale=xx`), message);
    expect((await content.get(`words/${word}`)).status).toBe(200);
    expect((await content.delete(`words/${word}?locale=fr`)).status).toBe(204);
    expect((await content.delete(`words/${word}?locale=en`)).status).toBe(204);
    expect((await content.get(`words/${word}`)).status).toBe(404);
  });

  it('deletes no draft alone, and says so only where that was asked for', async () => {
    refused(
      await content.delete(`articles/${article}?status=draft`),
      'Invalid value for status: a draft cannot be deleted alone',
    );
    for (const status of ['', 'live'])
      refused(
        await content.delete(`articles/${article}?status=${status}`),
        'Invalid value for status: expected draft or published',
      );
  });

  it('populates everything below an attribute by populate[x]=* and by populate[x][populate]=true', async () => {
    const [short, nested, long] = await Promise.all(
      ['populate[author]=*', 'populate[author][populate]=true', 'populate[author][populate]=*'].map((query) =>
        content.entry('GET', `articles/${article}?${query}`),
      ),
    );
    expect(long.author).toMatchObject({ name: 'Ann', city: { name: 'Lyon' } });
    expect(short).toEqual(long);
    expect(nested).toEqual(long);
    const plain = await content.entry('GET', `articles/${article}?populate[author][populate]=false`);
    expect(plain.author).not.toHaveProperty('city');
    expect(await content.entry('GET', `articles/${article}?populate=false`)).not.toHaveProperty('author');
  });

  it('populates everything below the components of a zone in the same way', async () => {
    const long = await content.entry('GET', `articles/${article}?populate[zone][populate]=*`);
    expect(long.zone).toMatchObject([{ author: { name: 'Ann' } }, { tag: { name: 'blue' } }]);
    expect(await content.entry('GET', `articles/${article}?populate[zone]=*`)).toEqual(long);
    const one = await content.entry('GET', `articles/${article}?populate[zone][on][kit.text]=*`);
    expect(one.zone).toMatchObject([{ __component: 'kit.text', author: { name: 'Ann' } }]);
  });

  it('populates below what `on` names, where a fragment does not say itself what', async () => {
    const zoneOf = async (query: string) => (await content.entry('GET', `articles/${article}?${query}`)).zone;
    const all = 'populate[zone][populate]=*';
    expect(await zoneOf(`populate[zone][on][kit.text]=true&${all}`)).toMatchObject([{ author: { name: 'Ann' } }]);
    const [text] = await zoneOf(`populate[zone][on][kit.text][populate][author][fields]=id&${all}`);
    expect(text.author).not.toHaveProperty('name');
    const named = 'populate[zone][on][kit.text]=true&populate[zone][on][kit.seo]=true&populate[zone][populate][0]=tag';
    const both = await zoneOf(named);
    expect(both).toMatchObject([{ body: 'b' }, { tag: { name: 'blue' } }]);
    expect(both[0]).not.toHaveProperty('author');
  });

  it('names components under `on` that another zone takes', async () => {
    const query = 'populate[zone][on][kit.text]=true&populate[zone][on][kit.other][fields]=nosuch';
    const { zone } = await content.entry('GET', `articles/${article}?${query}`);
    expect(zone).toEqual([{ __component: 'kit.text', id: expect.any(Number), body: 'b' }]);
    refused(
      await content.get(`articles/${article}?populate[zone][on][kit.nosuch]=true`),
      'Invalid key kit.nosuch at zone.on',
    );
  });

  it('names a scalar at the end of a path through a zone, which is there anyway', async () => {
    const plain = await content.entry('GET', `articles/${article}?populate=zone`);
    expect(await content.entry('GET', `articles/${article}?populate[0]=zone.body`)).toEqual(plain);
    const both = await content.entry('GET', `articles/${article}?populate[0]=zone.body&populate[1]=zone.author`);
    expect(both.zone[0]).toMatchObject({ body: 'b', author: { name: 'Ann' } });
    refused(await content.get(`articles/${article}?populate[0]=zone.body.x`), 'Invalid key body at zone');
    refused(await content.get(`articles/${article}?populate[0]=zone.nosuch`), 'Invalid key nosuch at zone');
    refused(await content.get(`articles/${article}?populate[0]=seo.head`), 'Invalid key head at seo');
  });

  it('finds no localizations of a type without locales', async () => {
    for (const query of ['populate=localizations', 'populate[localizations][fields]=title'])
      expect((await content.entry('GET', `articles/${article}?${query}`)).localizations).toEqual([]);
    const { author } = await content.entry('GET', `articles/${article}?populate=author.localizations`);
    expect(author.localizations).toEqual([]);
    expect(await content.entry('GET', `articles/${article}?populate=*`)).not.toHaveProperty('localizations');
    refused(
      await content.get('articles?populate[localizations][fields]=nosuch'),
      'Invalid key nosuch at localizations',
    );
    refused(await content.get('articles?filters[localizations][id]=1'), 'Invalid key localizations');
  });

  it('writes relations, media, components and zones as they were read', async () => {
    const query =
      'populate[author][populate]=*&populate[tags]=*&populate[cover]=true&populate[seo][populate]=*&populate[zone][populate]=*';
    const read = await content.entry('GET', `articles/${article}?${query}`);
    const { id, documentId, createdAt, updatedAt, ...rest } = read;
    const written = await content.entry('PUT', `articles/${article}?${query}`, rest);
    expect(written).toEqual({ ...read, updatedAt: expect.any(String), publishedAt: expect.any(String) });
    const other = await content.make('articles', {});
    const connected = await content.entry('PUT', `articles/${other}?populate=tags`, {
      tags: { connect: [...read.tags].reverse() },
    });
    expect(connected.tags.map(({ name }: { name: string }) => name)).toEqual(['blue', 'red']);
    const less = await content.entry('PUT', `articles/${other}?populate=tags`, {
      tags: { disconnect: [read.tags[0]] },
    });
    expect(less.tags.map(({ name }: { name: string }) => name)).toEqual(['blue']);
    await content.delete(`articles/${other}`);
  });

  it('does not write what names an entry by keys that entries do not have', async () => {
    const { tags } = await content.entry('GET', `articles/${article}?populate=tags`);
    refused(
      await content.put(`articles/${article}`, { tags: [{ ...tags[0], nosuch: 1 }] }),
      'Invalid key nosuch at tags.0',
    );
    refused(
      await content.put(`articles/${article}`, { author: { documentId: 'x', title: 1 } }),
      'Invalid key title at author',
    );
  });

  it('still names system keys of the entry itself in vain', async () => {
    for (const key of ['id', 'documentId', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'localizations'])
      refused(await content.put(`articles/${article}`, { [key]: null }), `Invalid key ${key}`);
  });

  it('in process that lacks its data is refused, not a defect', async () => {
    const documents = content.sheaf.documents('api::tag.tag');
    const create = documents.create.bind(documents) as (given: unknown) => Promise<unknown>;
    const update = documents.update.bind(documents) as (given: unknown) => Promise<unknown>;
    for (const given of [{}, { data: null }, { data: [] }, { data: 'x' }]) {
      for (const call of [create(given), update({ documentId: 'x', ...given })]) {
        const error = await call.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(SheafError);
        expect(error).toMatchObject({ status: 400, details: { key: 'data' } });
      }
    }
    const unknown = documents.findMany({ utm_source: 'x' } as object);
    await expect(unknown).rejects.toMatchObject({ status: 400, message: 'Invalid key utm_source' });
  });

  const ignored = ({ status, headers, body }: Answer): unknown => {
    expect(body?.error).toBeUndefined();
    expect(status).toBeLessThan(300);
    return headers['x-sheaf-ignored'];
  };

  it('that holds nothing without a meaning is told nothing', async () => {
    expect(ignored(await content.get('articles?sort=title&pagination[page]=1'))).toBeUndefined();
    expect(ignored(await content.put(`articles/${article}`, { stars: 3 }))).toBeUndefined();
  });

  it('is told which parameters nobody knows, each time it is sent', async () => {
    const query = 'utm_source=mail&_t=17&filters[title]=One&%C3%A9,%0A=1';
    for (const path of ['articles', `articles/${article}`, 'users', 'users/count'])
      for (const _time of ['first', 'second'])
        expect(ignored(await content.get(`${path}?${query.replace('[title]=One', '[id][$gt]=0')}`)), path).toBe(
          'utm_source, _t, %C3%A9%2C%0A',
        );
    expect(await titles(query)).toEqual(['One']);
    expect(ignored(await content.get('i18n/locales?utm_source=mail'))).toBe('utm_source');
    const many = Array.from({ length: 25 }, (_, index) => `p${index}=1`).join('&');
    expect(ignored(await content.get(`articles?${many}`))).toMatch(/^p0, p1, .*, p19, \+5$/);
    expect(ignored(await content.get(`articles?${'x'.repeat(20_000)}=1`))).toBe(`${'x'.repeat(60)}%E2%80%A6`);
  });

  it('is told what it sent back of the pagination of a response', async () => {
    const first = await content.get('articles?sort=title&pagination[pageSize]=1');
    const query = Object.entries({ ...first.body.meta.pagination, page: 2 }).map(([k, v]) => `pagination[${k}]=${v}`);
    const second = await content.get(`articles?sort=title&${query.join('&')}`);
    expect(ignored(second)).toBe('pagination[pageCount], pagination[total]');
    expect(second.body.data).toMatchObject([{ title: 'Two' }]);
  });

  it('is refused where it nearly names a parameter', async () => {
    for (const [key, meant] of [
      ['filter[title]', 'filters'],
      ['populates', 'populate'],
      ['sorts', 'sort'],
    ] as const)
      refused(await content.get(`articles?${key}=One`), `Invalid key ${key.split('[')[0]}: did you mean ${meant}?`);
    refused(
      await content.send('DELETE', `articles/${article}?filter[title]=Two`),
      'Invalid key filter: did you mean filters?',
    );
  });

  it('that has filters as they were called before is told that they mean nothing', async () => {
    const all = await content.get('articles');
    for (const name of ['where', '_where']) {
      const { status, body, headers } = await content.get(`articles?${name}[title]=nowhere`);
      expect([status, body, headers['x-sheaf-ignored']]).toEqual([200, all.body, name]);
    }
    refused(await content.get('articles?lookup[title]=nowhere'), 'Invalid key lookup: did you mean filters?');
  });

  it('that writes is told what has no meaning there; a condition is refused', async () => {
    const query = 'sort=name&pagination[page]=1&_t=1';
    const made = await content.send('POST', `tags?${query}&fields=name`, { data: { name: 'x' } });
    expect(ignored(made)).toBe('sort, pagination, _t');
    const url = `tags/${made.body.data.documentId}`;
    expect(ignored(await content.send('PUT', `${url}?${query}`, { data: { name: 'y' } }))).toBe('sort, pagination, _t');
    for (const condition of ['filters[name]=z', '_q=z', 'publicationFilter=modified'])
      for (const [method, body] of [
        ['POST', { data: {} }],
        ['PUT', { data: {} }],
        ['DELETE', undefined],
      ] as const) {
        const path = method === 'POST' ? 'tags' : url;
        refused(await content.send(method, `${path}?${condition}`, body), `Invalid key ${condition.split(/[[=]/)[0]}`);
      }
    const gone = await content.delete(`${url}?${query}&fields=name&populate=*`);
    expect(gone.status).toBe(204);
    expect(gone.headers['x-sheaf-ignored']).toBe('sort, pagination, _t, fields, populate');
    const word = await content.make('words', { label: 'w' });
    expect(ignored(await content.send('POST', `words/${word}/actions/publish?sort=label`))).toBe('sort');
    await content.delete(`words/${word}`);
  });

  it('that writes names attributes there are, also where they change nothing', async () => {
    const refusals = async (method: string, part: string, data?: object): Promise<void> => {
      const path = method === 'POST' ? 'articles' : `articles/${article}`;
      const { status, body } = await content.send(method, `${path}?${part}`, data && { data });
      expect([part, status, body?.error?.name]).toEqual([part, 400, 'ValidationError']);
      expect(body.error.message).toContain('Invalid key nope');
    };
    await refusals('POST', 'sort=nope', { title: 'Never' });
    await refusals('PUT', 'sort=author.nope', { title: 'Never' });
    for (const part of ['sort=nope', 'fields=nope', 'populate=nope', 'populate[author][filters][nope]=1'])
      await refusals('DELETE', part);
    expect(await content.entry('GET', `articles/${article}`)).toMatchObject({ title: 'One' });
  });

  it('that writes is told what has no meaning in its body', async () => {
    const data = { title: 'Three', locale: 'fr', publishedAt: null, seo: { documentId: 'x', head: 'h' } };
    const made = await content.post('articles', data);
    expect(ignored(made)).toBe('locale, publishedAt, seo.documentId');
    expect(made.body.data.publishedAt).not.toBeNull();
    const url = `articles/${made.body.data.documentId}`;
    const { seo } = await content.entry('GET', `${url}?populate=seo`);
    const zone = [{ __component: 'kit.text', documentId: 'x', body: 'b' }];
    const put = await content.put(`${url}?status=draft`, {
      publishedAt: 'whatever',
      seo: { ...seo, documentId: 'y' },
      zone,
    });
    expect(ignored(put)).toBe('publishedAt, seo.documentId, zone.0.documentId');
    expect(put.body.data.publishedAt).toBeNull();
    await content.delete(url);
  });

  const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
  const form = (method: string, url: string, body: string, headers: Record<string, string> = FORM): Promise<Answer> =>
    content.sendRaw(method, url, Buffer.from(body), headers);

  it('writes with a form, whose names are in brackets', async () => {
    const made = await form('POST', 'tags', 'data%5Bname%5D=dark+red%26&data[position]=3');
    expect([made.status, made.body.data]).toEqual([201, expect.objectContaining({ name: 'dark red&', position: 3 })]);
    const url = `tags/${made.body.data.documentId}`;
    expect((await form('PUT', url, 'data[name]=pale')).body.data).toMatchObject({ name: 'pale', position: 3 });
    const { author } = await content.entry('GET', `articles/${article}?populate=author`);
    const tags = `data[tags][]=${made.body.data.documentId}&data[seo][head]=h&data[author][connect][0]=${author.documentId}`;
    const linked = await form('POST', 'articles?populate=*', `data[title]=Form&${tags}`);
    expect(linked.body.data).toMatchObject({
      title: 'Form',
      tags: [{ name: 'pale' }],
      seo: { head: 'h' },
      author: { name: 'Ann' },
    });
    expect((await form('DELETE', `articles/${linked.body.data.documentId}`, '')).status).toBe(204);
    expect((await form('DELETE', url, 'a=b')).status).toBe(204);
  });

  it('writes with a form of parts, and with JSON of another name', async () => {
    const parts = (body: string, type = 'multipart/form-data; boundary=b') =>
      form('POST', 'tags', body, { 'content-type': type });
    const part = (head: string, value: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const made = await parts(
      `${part('name="data[name]"', 'grün & 100%')}${part('name="data[position]"', '4')}--b--\r\n`,
    );
    expect([made.status, made.body.data]).toEqual([201, expect.objectContaining({ name: 'grün & 100%', position: 4 })]);
    const file = await parts(`${part('name="files"; filename="a.txt"', 'x')}--b--\r\n`);
    refused(file, 'Files are uploaded by themselves, and named by their id');
    refused(await parts('nonsense'), 'The body is not valid multipart/form-data');
    refused(await parts('x', 'multipart/form-data'), 'The body is not valid multipart/form-data');
    const type = { 'content-type': 'application/vnd.api+json' };
    expect((await form('POST', 'tags', '{"data":{"name":"json"}}', type)).body.data.name).toBe('json');
    for (const { documentId } of (await content.get('tags?filters[name][$in]=json&filters[name][$in]=grün %26 100%25'))
      .body.data)
      await content.delete(`tags/${documentId}`);
  });

  it('is told what is wrong with a form', async () => {
    const why = 'The body cannot be read as a form; JSON needs the header Content-Type: application/json';
    refused(await form('POST', 'tags', '{"data":{"name":"x"}}'), why);
    refused(await form('POST', 'tags', 'data[__proto__][x]=1'), why);
    refused(await form('POST', 'tags', 'name=x'), 'Missing "data" payload in the request body');
    refused(await form('POST', 'tags', ''), 'Missing "data" payload in the request body');
    refused(await form('POST', 'tags', 'data[nope]=x'), 'Invalid key nope');
    const many = await form('POST', 'tags', Array.from({ length: 1001 }, (_, index) => `data[a${index}]=`).join('&'));
    expect(many.body.error.details).toMatchObject({ limit: 'MAX_PARAMETERS', source: 'body' });
    expect((await form('POST', 'tags/query', 'sort=name')).status).toBe(415);
  });

  it('of a strict project has no parameters that nobody knows', async () => {
    const strict = await contents.open();
    refused(await strict.get('restaurants?utm_source=mail'), 'Invalid key utm_source');
    refused(await strict.get('restaurants?filter[name]=x'), 'Invalid key filter: did you mean filters?');
    refused(await strict.send('POST', 'tags?_t=1', { data: { label: 'x' } }), 'Invalid key _t');
    expect(ignored(await strict.get('restaurants?pagination[total]=7'))).toBe('pagination[total]');
    expect(ignored(await strict.send('POST', 'tags?sort=label', { data: { label: 'x', locale: 'fr' } }))).toBe(
      'sort, locale',
    );
    // Strapi 5 holds the routes of its plugins to no such rule.
    for (const path of ['i18n/locales', 'users', 'users/count', 'upload/files'])
      expect(ignored(await strict.get(`${path}?_t=1`)), path).toBe('_t');
    refused(await strict.get('users?filter[username]=x'), 'Invalid key filter: did you mean filters?');
  });
});
