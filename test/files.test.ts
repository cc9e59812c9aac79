// Files in use: in entries, their components and zones, by whom they may be changed, what is left when they go, and what
// is stored of them.
import { createHmac } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { keyCommand } from '../src/cli/file-commands.ts';
import { createServer } from '../src/http/server.ts';
import { FILE } from '../src/model/builtin.ts';
import type { ServerConfig } from '../src/project/environment.ts';
import { completeSettings } from '../src/project/settings.ts';
import { avif, gif, gifFrames, png, turnedJpeg, webp } from './conformance/upload-checks.mjs';
import { type Answer, type Answered, localized, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnPostgres, describeOnSqlite } from './support/database.ts';
import { type Guarded, NOBODY, SECRETS, useGuarded, type Who } from './support/guarded.ts';
import { withClient } from './support/postgres-client.ts';
import { multipart, type Part } from './support/uploads.ts';
import { waitingFor } from './support/waiting.ts';

const one = { type: 'media', multiple: false };
const many = { type: 'media', multiple: true };
const POST = 'api::post.post';
const FILES = 'plugin::upload.content-api';
/** Of base64url. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const PROJECT: Project = {
  locales: ['en', 'fr'],
  types: {
    post: {
      drafts: true,
      localized: true,
      attributes: {
        title: { type: 'string', ...localized },
        shared: one,
        cover: { ...one, ...localized },
        gallery: { ...many, ...localized },
        seo: { type: 'component', component: 'kit.seo', ...localized },
        zone: { type: 'dynamiczone', components: ['kit.photos', 'kit.seo'], ...localized },
        sharedSeo: { type: 'component', component: 'kit.seo' },
      },
    },
    note: { attributes: { title: { type: 'string' }, cover: one } },
  },
  components: {
    'kit.seo': { label: { type: 'string' }, image: one, inner: { type: 'component', component: 'kit.photos' } },
    'kit.photos': { photos: many },
  },
};

const text = (name: string, content = name): Part => ['files', content, name, 'text/plain'];
const linkTo = (ref: string, refId: unknown, field: string): Part[] => [
  ['ref', ref],
  ['refId', String(refId)],
  ['field', field],
];

/** Names of what is stored. */
const stored = (folder: string): string[] => readdirSync(folder).filter((name) => !name.startsWith('.'));

describeOnEveryDatabase('Files', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let folder: string;

  const upload = async (parts: readonly Part[], who: Who = NOBODY, query = '', at = site): Promise<Answer> => {
    const { payload, headers } = await multipart(parts);
    return at.sendRaw('POST', `upload${query}`, payload, { ...headers, ...who });
  };
  const uploaded = async (parts: readonly Part[]): Promise<Answered> => {
    const answer = await upload(parts);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body[0];
  };
  const post = async (query: string): Promise<Answered> => (await site.get(`posts/${query}`)).body.data;

  beforeAll(async () => {
    site = await guarded.open(PROJECT);
    folder = site.sheaf.files.folder;
    await site.grantOnly('public', ['*']);
  });

  describe('in entries', () => {
    it('are written by id and documentId, in components and zones as well, and shown there with all that is known', async () => {
      const [a, b, c] = [
        await uploaded([text('a.txt')]),
        await uploaded([text('b.txt')]),
        await uploaded([text('c.txt')]),
      ];
      const { isUrlSigned: _, ...shown } = a;
      const { documentId } = await site.entry('POST', 'posts?status=draft', {
        title: 'In components',
        seo: { label: 'x', image: a.documentId, inner: { photos: [c.id, a.id] } },
        zone: [
          { __component: 'kit.photos', photos: [b.id, a.documentId] },
          { __component: 'kit.seo', image: { id: c.id } },
        ],
      });
      const query = [
        'populate[seo][populate][image]=true',
        'populate[seo][populate][inner][populate]=photos',
        'populate[zone][on][kit.photos][populate]=photos',
        'populate[zone][on][kit.seo][populate]=image',
      ].join('&');
      const isRight = async (status: string): Promise<void> => {
        const { seo, zone } = await post(`${documentId}?status=${status}&${query}`);
        expect(seo.image).toEqual(shown);
        expect(seo.inner.photos.map((file: Answered) => file.id)).toEqual([c.id, a.id]);
        expect(zone.map((part: Answered) => part.photos?.map((file: Answered) => file.id) ?? part.image.id)).toEqual([
          [b.id, a.id],
          c.id,
        ]);
      };
      await isRight('draft');
      await site.entry('POST', `posts/${documentId}/actions/publish`);
      await isRight('published');
      expect((await post(`${documentId}?populate=*`)).seo.image).toBeUndefined();
    });

    it('are written by an id that is text, as forms have it', async () => {
      const [a, b] = [await uploaded([text('a.txt')]), await uploaded([text('b.txt')])];
      const query = 'status=draft&populate=cover&populate=gallery';
      const { cover, gallery } = await site.entry('POST', `posts?${query}`, {
        title: 'By text',
        cover: `${a.id}`,
        gallery: [`${b.id}`, `${a.id}`],
      });
      expect([cover.id, gallery.map((file: Answered) => file.id)]).toEqual([a.id, [b.id, a.id]]);
      const unknown = await site.send('POST', `posts?${query}`, { data: { cover: '999999999' } });
      expect([unknown.status, unknown.body.error.message]).toEqual([
        400,
        '1 relation(s) of type plugin::upload.file associated with this entity do not exist',
      ]);
    });

    it('are linked on upload with a draft, until it is published', async () => {
      const { id, documentId } = await site.entry('POST', 'posts?status=draft', { title: 'Draft' });
      const file = await uploaded([text('draft.txt'), ...linkTo(POST, id, 'cover')]);
      expect((await post(`${documentId}?status=draft&populate=cover`)).cover.id).toBe(file.id);
      await site.entry('POST', `posts/${documentId}/actions/publish`);
      expect((await post(`${documentId}?populate=cover`)).cover.id).toBe(file.id);
    });

    it('are linked on upload with a published entry and its draft, so that the next publication keeps them', async () => {
      const { documentId } = await site.entry('POST', 'posts', { title: 'Published' });
      const published = await post(documentId);
      const first = await uploaded([text('p1.txt'), ...linkTo(POST, published.id, 'gallery')]);
      const second = await uploaded([text('p2.txt'), ...linkTo(POST, documentId, 'gallery')]);
      const gallery = async (status: string): Promise<number[]> =>
        (await post(`${documentId}?status=${status}&populate=gallery`)).gallery.map((file: Answered) => file.id);
      const both = [first.id, second.id];
      expect([await gallery('draft'), await gallery('published')]).toEqual([both, both]);
      await site.entry('POST', `posts/${documentId}/actions/publish`);
      expect([await gallery('draft'), await gallery('published')]).toEqual([both, both]);
    });

    it('are shared by all locales where their field is', async () => {
      const { id, documentId } = await site.entry('POST', 'posts?status=draft', { title: 'English' });
      await site.entry('PUT', `posts/${documentId}?status=draft&locale=fr`, { title: 'French' });
      const file = await uploaded([text('shared.txt'), ...linkTo(POST, id, 'shared')]);
      const own = await uploaded([text('own.txt'), ...linkTo(POST, id, 'cover')]);
      const shown = async (locale: string): Promise<unknown[]> => {
        const { shared, cover } = await post(`${documentId}?status=draft&locale=${locale}&populate=*`);
        return [shared?.id, cover?.id ?? null];
      };
      expect([await shown('en'), await shown('fr')]).toEqual([
        [file.id, own.id],
        [file.id, null],
      ]);
    });

    it('are linked on upload with a component, whose entry they change', async () => {
      const { documentId } = await site.entry('POST', 'posts?status=draft', {
        title: 'Component',
        seo: { label: 'x', inner: { photos: [] } },
      });
      const { seo } = await post(`${documentId}?status=draft&populate[seo][populate]=inner`);
      const image = await uploaded([text('seo.txt'), ...linkTo('kit.seo', seo.id, 'image')]);
      const photo = await uploaded([text('inner.txt'), ...linkTo('kit.photos', seo.inner.id, 'photos')]);
      const query = 'populate[seo][populate][image]=true&populate[seo][populate][inner][populate]=photos';
      const { seo: now } = await post(`${documentId}?status=draft&${query}`);
      expect([now.image.id, now.inner.photos.map((file: Answered) => file.id)]).toEqual([image.id, [photo.id]]);
    });

    it('are linked with a component of a published entry and stay when it is published again', async () => {
      const { documentId } = await site.entry('POST', 'posts', {
        title: 'Published',
        seo: { label: 'x', inner: { photos: [] } },
      });
      const query = 'populate[seo][populate][image]=true&populate[seo][populate][inner][populate]=photos';
      const { seo } = await post(`${documentId}?${query}`);
      const image = await uploaded([text('seo.txt'), ...linkTo('kit.seo', seo.id, 'image')]);
      const photo = await uploaded([text('inner.txt'), ...linkTo('kit.photos', seo.inner.id, 'photos')]);
      await site.entry('PUT', `posts/${documentId}`, {});
      for (const status of ['draft', 'published']) {
        const { seo: now } = await post(`${documentId}?status=${status}&${query}`);
        expect([now.image?.id, now.inner.photos.map((file: Answered) => file.id)]).toEqual([image.id, [photo.id]]);
      }
    });

    it.each(['draft', 'published'])('are shared by all locales where the component is: %s', async (status) => {
      const { documentId } = await site.entry('POST', `posts?status=${status}`, {
        title: 'English',
        sharedSeo: { label: 'x', inner: { photos: [] } },
      });
      await site.entry('PUT', `posts/${documentId}?status=${status}&locale=fr`, { title: 'French' });
      const query = 'populate[sharedSeo][populate][image]=true&populate[sharedSeo][populate][inner][populate]=photos';
      const shown = async (locale: string) =>
        (await post(`${documentId}?status=${status}&locale=${locale}&${query}`)).sharedSeo;
      const before = [await shown('en'), await shown('fr')];
      const image = await uploaded([text('seo.txt'), ...linkTo('kit.seo', before[0].id, 'image')]);
      const photo = await uploaded([text('inner.txt'), ...linkTo('kit.photos', before[0].inner.id, 'photos')]);
      for (const [index, locale] of ['en', 'fr'].entries()) {
        const { id, image: own, inner } = await shown(locale);
        expect([id, own?.id, inner.photos.map((file: Answered) => file.id)], locale).toEqual([
          before[index].id,
          image.id,
          [photo.id],
        ]);
      }
    });

    it('are told by the file: which entries show it', async () => {
      const file = await uploaded([text('related.txt')]);
      const entry = await site.entry('POST', 'notes', { title: 'Shows it', cover: file.id });
      const related = async (who: Who): Promise<Answered> =>
        (await site.get(`upload/files/${file.id}?populate=related`, who)).body.related;
      expect(await related(NOBODY)).toEqual([{ ...entry, __type: 'api::note.note' }]);
      const token = await site.token('custom', [`${FILES}.findOne`]);
      expect(await related(token)).toEqual([]);
    });

    it('are not told by the file through attributes that the caller may not read', async () => {
      const note = { title: { type: 'string' }, cover: one, hidden: { ...one, private: true }, ruled: many };
      const seo = { image: one, hush: { ...one, private: true } };
      const project: Project = {
        types: {
          note: { attributes: { ...note, seo: { type: 'component', component: 'kit.seo' } } },
          vault: { attributes: { title: { type: 'string' }, hidden: { ...one, private: true } } },
        },
        components: { 'kit.seo': seo },
      };
      const rules = { public: { 'api::note.note': { fields: { read: ['title', 'cover', 'seo'] } } } };
      const at = await guarded.open(project, { rules });
      await at.grantOnly('public', ['*']);
      const full = await at.token('full-access');
      const documents = at.sheaf.documents('api::note.note');
      const file = (await upload([text('hidden.txt')], full, '', at)).body[0];
      const id = file.id as number;
      const made: Record<string, string> = {};
      const holders = { cover: id, hidden: id, ruled: [id], seo: { image: id, hush: id } };
      for (const [name, value] of Object.entries(holders))
        made[name] = (await documents.create({ data: { title: name, [name]: value } })).documentId;
      await at.sheaf.documents('api::vault.vault').create({ data: { title: 'vault', hidden: id } });
      const all = await documents.create({ data: { title: 'all', cover: id, hidden: id, ruled: [id] } });
      const titles = (list: readonly Answered[]): unknown[] => list.map(({ title }) => title);
      const related = async (query: string, who: Who = NOBODY): Promise<Answered> =>
        (await at.get(`upload/files/${id}?${query}`, who)).body.related;

      expect(titles(await related('populate=related'))).toEqual(['cover', 'all']);
      expect(titles(await related('populate=*'))).toEqual(['cover', 'all']);
      expect(titles(await related('populate[related][on][api::note.note]=true'))).toEqual(['cover', 'all']);
      expect(await related('populate[related][on][api::vault.vault]=true')).toEqual([]);
      expect(await related('populate[related][count]=true')).toEqual({ count: 2 });
      const list = (await at.get('upload/files?populate=related')).body;
      expect(titles(list[0].related)).toEqual(['cover', 'all']);
      const nested = await at.get(`notes/${all.documentId}?populate[cover][populate]=related`);
      expect(titles(nested.body.data.cover.related)).toEqual(['cover', 'all']);
      // A token is under no rule, but nobody is shown what is private.
      expect(titles(await related('populate=related', full))).toEqual(['cover', 'ruled', 'all', 'all']);
      // In process all of it is.
      const seen = await at.sheaf.documents(FILE).findOne({ documentId: file.documentId, populate: ['related'] });
      expect(titles(seen!.related as Answered[]).sort()).toEqual([
        'all',
        'all',
        'all',
        'cover',
        'hidden',
        'ruled',
        'vault',
      ]);
    });
  });

  describe('of a request', () => {
    it('are stored all or not at all', async () => {
      const before = stored(folder);
      const { id } = await site.entry('POST', 'notes', { title: 'Refused' });
      const refused: [Part[], number][] = [
        [[text('fine.txt'), ['files', 'x', 'bad.exe', '']], 400],
        [[text('fine.txt'), ['files', 'no picture', 'bad.png', 'image/png']], 400],
        [[text('fine.txt'), ...linkTo('api::note.note', 999_999, 'cover')], 400],
        [[text('fine.txt'), ...linkTo('api::note.note', 'nosuchdocument', 'cover')], 400],
        [[text('fine.txt'), ...linkTo('api::note.note', 2 ** 31, 'cover')], 400],
        [[text('fine.txt'), ...linkTo('kit.seo', 2 ** 31, 'image')], 400],
        [[text('fine.txt'), ...linkTo('api::note.note', '\0', 'cover')], 400],
        [[text('fine.txt'), ...linkTo('api::note.note', id, 'title')], 400],
        [[text('fine.txt'), ...linkTo('kit.seo', 999_999, 'image')], 400],
        [[text('fine.txt'), ...linkTo(FILE, 1, 'related')], 400],
      ];
      for (const [parts, status] of refused)
        expect([(await upload(parts)).status, parts.length], JSON.stringify(parts.slice(1))).toEqual([
          status,
          parts.length,
        ]);
      expect(stored(folder)).toEqual(before);
      expect(readdirSync(path.join(folder, '.sheaf-incoming'))).toEqual([]);
      expect((await site.get('upload/files?filters[name]=fine.txt')).body).toEqual([]);
    });

    it('take information in brackets, and surplus information for nothing', async () => {
      const file = await uploaded([
        text('b.txt'),
        ['fileInfo[caption]', 'cap'],
        ['fileInfo[focalPoint][x]', 'a'],
      ]).catch(() => null);
      expect(file).toBeNull();
      expect((await uploaded([text('b.txt'), ['fileInfo[caption]', 'cap']])).caption).toBe('cap');
      const [x, y] = [['fileInfo[focalPoint][x]', '5'] as Part, ['fileInfo[focalPoint][y]', '62.5'] as Part];
      expect((await uploaded([text('b.txt'), x, y])).focalPoint).toEqual({ x: 5, y: 62.5 });
      const half = await upload([text('b.txt'), x]);
      expect([half.status, half.body.error.message]).toEqual([400, 'fileInfo.focalPoint.y is a required field']);
      const { body } = await upload([
        text('1.txt'),
        text('2.txt'),
        ['fileInfo', '[{"caption":"1"},{},{"caption":"3"}]'],
      ]);
      expect(body.map((each: Answered) => each.caption)).toEqual(['1', null]);
    });

    it('lose what is said to be null when they are replaced, and keep it otherwise', async () => {
      const { id } = await uploaded([text('n.txt'), ['fileInfo', '{"caption":"c","alternativeText":"a"}']]);
      const said = async (parts: readonly Part[]): Promise<unknown[]> => {
        const { status, body } = await upload(parts, NOBODY, `?id=${id}`);
        return [status, body.name, body.caption, body.alternativeText];
      };
      const nothing: Part = ['fileInfo', '{"name":null,"caption":null}'];
      expect(await said([nothing])).toEqual([200, 'n.txt', 'c', 'a']);
      expect(await said([text('m.txt'), ['fileInfo', '[{"name":"M"}]']])).toEqual([200, 'M', 'c', 'a']);
      expect(await said([text('m.txt'), nothing])).toEqual([200, 'm.txt', null, 'a']);
    });

    it('are listed from a start and up to a limit beside the other parameters, all where none is given', async () => {
      const files = await uploaded([text('list.txt')]).then(() => site.get('upload/files?sort=id&fields=name'));
      const names = async (query: string): Promise<unknown> =>
        (await site.get(`upload/files?sort=id&fields=name&${query}`)).body;
      expect(files.body.length).toBeGreaterThan(2);
      for (const query of ['limit=-1', 'limit=0', 'start=0', `limit=${files.body.length + 100}`])
        expect(await names(query), query).toEqual(files.body);
      expect(await names('start=1&limit=-1')).toEqual(files.body.slice(1));
      expect(await names('start=1&limit=1')).toEqual(files.body.slice(1, 2));
    });
  });

  describe('by right', () => {
    const one_ = (name: string): Part[] => [text(name)];

    it('are uploaded, replaced and deleted each by an action of its own', async () => {
      const file = await uploaded(one_('right.txt'));
      const uploader = await site.token('custom', [`${FILES}.upload`]);
      expect((await upload(one_('more.txt'), uploader)).status).toBe(201);
      expect((await upload([['fileInfo', '{"caption":"c"}']], uploader, `?id=${file.id}`)).status).toBe(200);
      expect((await upload(one_('other.txt'), uploader, `?id=${file.id}`)).status).toBe(403);
      expect((await site.delete(`upload/files/${file.id}`, uploader)).status).toBe(403);
      expect((await site.get('upload/files', uploader)).status).toBe(403);
      const replacer = await site.token('custom', [`${FILES}.upload`, `${FILES}.replace`]);
      expect((await upload(one_('other.txt'), replacer, `?id=${file.id}`)).status).toBe(200);
      const deleter = await site.token('custom', [`${FILES}.destroy`]);
      expect((await site.delete(`upload/files/${file.id}`, deleter)).status).toBe(200);
    });

    it('are replaced with the right to upload on a database that Strapi made, as there', async () => {
      const adopted = await guarded.open(PROJECT, { database: engine.guideDatabaseUrl() });
      const uploader = await adopted.token('custom', [`${FILES}.upload`]);
      const [file] = (await upload(one_('adopted.txt'), uploader, '', adopted)).body;
      expect((await upload(one_('again.txt'), uploader, `?id=${file.id}`, adopted)).status).toBe(200);
    });

    it('are not there under an id that no row can have', async () => {
      for (const id of [2 ** 31, 999_999_999_999_999, '%00', 'a%00b']) {
        expect((await site.get(`upload/files/${id}`)).status, `${id}`).toBe(404);
        expect((await site.delete(`upload/files/${id}`)).status, `${id}`).toBe(404);
        expect((await upload([text('new.txt')], NOBODY, `?id=${id}`)).status, `${id}`).toBe(404);
      }
    });

    it('are linked with entries that the caller may update', async () => {
      const { id } = await site.entry('POST', 'notes', { title: 'Not yours' });
      const uploader = await site.token('custom', [`${FILES}.upload`]);
      const parts = [text('linked.txt'), ...linkTo('api::note.note', id, 'cover')];
      expect((await upload(parts, uploader)).status).toBe(403);
      const writer = await site.token('custom', [`${FILES}.upload`, 'api::note.note.update']);
      expect((await upload(parts, writer)).status).toBe(201);
      // Who may not update entries learns neither which there are nor which fields they have.
      const { seo } = await site.entry('POST', 'posts?status=draft&populate=seo', { title: 'P', seo: { label: 'x' } });
      const answers = async (link: Part[], who: Who) => {
        const { status, body } = await upload([text('linked.txt'), ...link], who);
        return [status, body.error];
      };
      for (const [there, absent, who] of [
        [linkTo('api::note.note', id, 'cover'), linkTo('api::note.note', 999_999, 'cover'), uploader],
        [linkTo('api::note.note', id, 'cover'), linkTo('api::note.note', 'nosuchdocument', 'cover'), uploader],
        [linkTo('api::note.note', id, 'cover'), linkTo('api::note.note', id, 'nosuchfield'), uploader],
        [linkTo('kit.seo', seo.id, 'image'), linkTo('kit.seo', 999_999, 'image'), uploader],
        [linkTo('kit.seo', seo.id, 'image'), linkTo('kit.seo', 999_999, 'image'), writer],
      ] as const)
        expect(await answers(there, who)).toEqual(await answers(absent, who));
    });

    it('follow rules on rows and fields', async () => {
      const rules = {
        public: {
          [FILE]: {
            rows: { find: { caption: { $ne: 'hidden' } }, update: { caption: 'mine' }, delete: { caption: 'mine' } },
            fields: { read: ['name', 'url'], write: ['caption'] },
          },
        },
      };
      const ruled = await guarded.open(PROJECT, { rules });
      await ruled.grantOnly('public', ['*']);
      const put = async (caption: string): Promise<Answered> =>
        (await ruled.sheaf.files.upload({ name: `${caption}.txt`, content: Buffer.from('x'), info: { caption } }))[0];
      const [hidden, mine, others] = [await put('hidden'), await put('mine'), await put('others')];
      const note = await ruled.sheaf.documents('api::note.note').create({ data: { title: 'n', cover: hidden.id } });
      const { body } = await ruled.get('upload/files?sort=name');
      expect(body).toEqual(
        [mine, others].map(({ id, documentId, name, url }) => ({ id, documentId, name, url, isUrlSigned: false })),
      );
      // Without a limit, as in Strapi 5.
      for (const limit of ['limit=-1', 'limit=0', 'start=0&limit=1000'])
        expect((await ruled.get(`upload/files?sort=name&${limit}`)).body, limit).toEqual(body);
      expect((await ruled.get('upload/files?start=-1')).status).toBe(400);
      expect((await ruled.get(`upload/files/${hidden.id}`)).status).toBe(404);
      expect((await ruled.get(`notes/${note.documentId}?populate=cover`)).body.data.cover).toBeNull();
      expect((await ruled.get('upload/files?filters[caption]=mine')).status).toBe(400);
      const change = (id: number, info: string) => upload([['fileInfo', info]], NOBODY, `?id=${id}`, ruled);
      expect((await change(others.id, '{"caption":"mine"}')).status).toBe(404);
      expect((await change(mine.id, '{"name":"other"}')).status).toBe(400);
      expect((await change(mine.id, '{"caption":"mine"}')).status).toBe(200);
      expect((await upload([text('x.txt')], NOBODY, `?id=${others.id}`, ruled)).status).toBe(404);
      expect((await ruled.delete(`upload/files/${others.id}`)).status).toBe(404);
      expect((await ruled.delete(`upload/files/${mine.id}`)).status).toBe(200);
      expect(stored(ruled.sheaf.files.folder).toSorted()).toEqual(
        [hidden, others].map(({ hash }) => `${hash}.txt`).toSorted(),
      );
    });
  });

  it('are in use as long as an entry shows them, and then only deleted where that is meant', async () => {
    const strict = await guarded.open(PROJECT, { settings: { files: { deleteInUse: 'refuse', envelope: true } } });
    await strict.grantOnly('public', ['*']);
    const [file] = await strict.sheaf.files.upload({ name: 'used.txt', content: Buffer.from('x') });
    const note = await strict.entry('POST', 'notes', { title: 'n', cover: file!.id });
    const refusal = await strict.delete(`upload/files/${file!.id}`);
    expect([refusal.status, refusal.body.error.details]).toEqual([400, { uses: 1 }]);
    expect((await strict.get('upload/files')).body.meta.pagination).toMatchObject({ page: 1, total: 1 });
    expect((await strict.delete(`upload/files/${file!.documentId}?force=true`)).status).toBe(200);
    expect((await strict.get(`notes/${note.documentId}?populate=cover`)).body.data.cover).toBeNull();
    expect(stored(strict.sheaf.files.folder)).toEqual([]);
  });

  it('are rows as Strapi 5 writes them, in its folder for uploads', async () => {
    const fresh = await guarded.open(PROJECT);
    const { files } = fresh.sheaf;
    const [first] = await files.upload({ name: 'Große Bild.png', content: png(300, 20), info: { caption: 'c' } });
    const [second] = await files.upload({ name: 'b.txt', content: Buffer.from('12345') });
    const rows = await fresh.rows(
      'select id, name, caption, alternative_text, focal_point, width, height, hash, ext, mime, size, url, preview_url, provider, provider_metadata, folder_path, locale, created_by_id, published_at is null from files order by id',
    );
    expect(rows.map((row) => row.map((value) => (typeof value === 'boolean' ? Number(value) : value)))).toEqual([
      [
        first!.id,
        'Große Bild.png',
        'c',
        null,
        null,
        300,
        20,
        first!.hash,
        '.png',
        'image/png',
        expect.anything(),
        first!.url,
        null,
        'local',
        null,
        '/1',
        null,
        null,
        0,
      ],
      [
        second!.id,
        'b.txt',
        null,
        null,
        null,
        null,
        null,
        second!.hash,
        '.txt',
        'text/plain',
        expect.anything(),
        second!.url,
        null,
        'local',
        null,
        '/1',
        null,
        null,
        0,
      ],
    ]);
    expect(rows.map((row) => Number(row[10]))).toEqual([first!.size, 0.01]);
    expect(await fresh.rows('select name, path_id, path from upload_folders')).toEqual([['API Uploads', 1, '/1']]);
    const links = await fresh.rows('select file_id, folder_id, file_ord from files_folder_lnk order by file_ord');
    expect(links.map((row) => row.map(Number))).toEqual([
      [first!.id, 1, 1],
      [second!.id, 1, 2],
    ]);
    const settings = await fresh.rows(
      "select value, type from strapi_core_store_settings where key = 'plugin_upload_api-folder'",
    );
    expect(settings).toEqual([['{"id":1}', 'object']]);
    await files.delete(first!.id);
    expect((await fresh.rows('select count(*) from files_folder_lnk')).map((row) => Number(row[0]))).toEqual([1]);
  });
});

describeOnEveryDatabase('sheaf.files', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;

  beforeAll(async () => {
    site = await guarded.open(PROJECT, { settings: { files: { placeholder: true, removePosition: true } } });
  });
  const bytesOf = async (id: number, format?: string): Promise<Buffer> => {
    const opened = await site.sheaf.files.open(id, format === undefined ? {} : { format });
    return Buffer.concat(await opened!.stream.toArray());
  };

  it('uploads, finds, opens, changes, replaces and deletes as the system or as a caller', async () => {
    const { files } = site.sheaf;
    const [a, b] = await files.upload([
      { name: 'a.txt', content: Buffer.from('first'), info: { alternativeText: 'alt' } },
      { name: 'b.txt', content: { path: path.join(import.meta.dirname, 'files.test.ts') }, mime: 'text/plain' },
    ]);
    expect((await files.find({ sort: 'name' })).map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
    expect(await files.findOne(a!.documentId)).toEqual(a);
    expect((await bytesOf(a!.id)).toString()).toBe('first');
    expect(await bytesOf(b!.id)).toEqual(readFileSync(path.join(import.meta.dirname, 'files.test.ts')));
    expect(await files.update(a!.id, { caption: 'cap' })).toMatchObject({ alternativeText: 'alt', caption: 'cap' });
    const replaced = await files.replace(a!.id, { name: 'c.txt', content: Buffer.from('second') });
    expect(replaced).toMatchObject({ id: a!.id, url: a!.url, name: 'c.txt', alternativeText: 'alt', focalPoint: null });
    expect((await bytesOf(a!.id)).toString()).toBe('second');
    const caller = await site.sheaf.authenticate({});
    const forbidden = { status: 403 };
    await expect(files.upload({ name: 'x.txt', content: Buffer.from('x') }, { caller })).rejects.toMatchObject(
      forbidden,
    );
    await expect(files.delete(a!.id, { caller })).rejects.toMatchObject(forbidden);
    await expect(files.find({}, { caller })).rejects.toMatchObject(forbidden);
    for (const { id } of [a!, b!]) await files.delete(id);
    expect([await files.find(), await files.open(a!.id)]).toEqual([[], null]);
    expect(readdirSync(files.folder).filter((name) => !name.startsWith('.'))).toEqual([]);
  });

  it('leaves a file as it was where its replacement is refused or fails', async () => {
    const { files } = site.sheaf;
    const [file] = await files.upload({ name: 'kept.png', content: png(300, 20) });
    const before = [await bytesOf(file!.id), await bytesOf(file!.id, 'thumbnail')];
    await expect(files.replace(file!.id, { name: 'x.png', content: Buffer.from('no') })).rejects.toMatchObject({
      status: 400,
    });
    const { transaction } = site.sheaf.database;
    // What a server that goes away in the middle of a commit does.
    site.sheaf.database.transaction = async (work, options) =>
      transaction.call(
        site.sheaf.database,
        async (session) => {
          await work(session);
          throw new Error('no commit');
        },
        options,
      ) as never;
    await expect(files.replace(file!.id, { name: 'x.png', content: png(600, 30) })).rejects.toThrow('no commit');
    await expect(files.upload({ name: 'lost.txt', content: Buffer.from('x') })).rejects.toThrow('no commit');
    site.sheaf.database.transaction = transaction;
    expect([await bytesOf(file!.id), await bytesOf(file!.id, 'thumbnail')]).toEqual(before);
    expect(await files.findOne(file!.id)).toEqual(file);
    const names = readdirSync(files.folder).filter((name) => !name.startsWith('.'));
    expect(names.toSorted()).toEqual([`${file!.hash}.png`, `thumbnail_${file!.hash}.png`]);
    await files.delete(file!.id);
  });

  it('keeps a replacement that is written, also where what it leaves over cannot be deleted', async () => {
    const { files } = site.sheaf;
    const [file] = await files.upload({ name: 'wide.png', content: png(600, 30) });
    const failing = vi.spyOn(files.storage, 'delete').mockRejectedValueOnce(new Error('no connection'));
    const replacement = files.replace(file!.id, { name: 'small.png', content: png(40, 30) });
    await expect(replacement).rejects.toThrow('no connection');
    failing.mockRestore();
    const { width } = (await files.findOne(file!.id))!;
    expect([width, (await sharp(await bytesOf(file!.id)).metadata()).width]).toEqual([40, 40]);
    await files.delete(file!.id);
    for (const left of stored(files.folder)) await files.storage.delete(left);
  });

  it('makes pictures of every kind smaller, never larger, and keeps what moves', async () => {
    const { files } = site.sheaf;
    const noise = png(520, 60, (x, y) => [(x * 7919 + y * 104729) & 255, (x * y) & 255, (x ^ y) & 255]);
    const animated = await sharp(gif, { animated: true }).webp().toBuffer();
    for (const [name, content, formats] of [
      ['noise.png', noise, ['small', 'thumbnail']],
      ['small.webp', webp, ['thumbnail']],
      ['picture.avif', avif, ['thumbnail']],
      ['moving.webp', animated, ['thumbnail']],
      ['still.tiff', await sharp(noise).tiff().toBuffer(), ['small', 'thumbnail']],
    ] as const) {
      const [file] = await files.upload({ name, content });
      const bytes = await bytesOf(file!.id);
      expect(bytes.length, name).toBeLessThanOrEqual(content.length);
      const { placeholder, ...made } = file!.formats as Record<string, Answered>;
      expect(Object.keys(made).toSorted(), name).toEqual(formats);
      expect(placeholder, name).toMatch(/^data:image\/webp;base64,.{20,400}$/);
      const thumbnail = await sharp(await bytesOf(file!.id, 'thumbnail'), { animated: true }).metadata();
      expect([thumbnail.width, thumbnail.format === 'heif' ? 'avif' : thumbnail.format], name).toEqual([
        made.thumbnail.width,
        path.extname(name).slice(1),
      ]);
      if (name === 'moving.webp') expect([(await sharp(bytes).metadata()).pages, thumbnail.pages]).toEqual([2, 2]);
      await files.delete(file!.id);
    }
    const [moving] = await files.upload({ name: 'moving.gif', content: gif });
    expect(gifFrames(await bytesOf(moving!.id, 'thumbnail'))).toBe(2);
    await files.delete(moving!.id);
  });

  it('measures drawings in every unit of length, else by what they show', async () => {
    const { files } = site.sheaf;
    const sizeOf = async (length: string): Promise<unknown> => {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${length}" height="${length}" viewBox="0 0 30 40"/>`;
      const [file] = await files.upload({ name: 'a.svg', content: Buffer.from(svg) });
      await files.delete(file!.id);
      return [file!.width, file!.height];
    };
    // As libvips measures them for Strapi 5.
    for (const [length, pixels] of [
      ['10', 10],
      ['10px', 10],
      ['10mm', 28],
      ['2.5 cm', 71],
      ['1in', 72],
      ['10pt', 10],
      ['10pc', 120],
      ['10em', 120],
      ['10ex', 60],
    ] as const)
      expect(await sizeOf(length), length).toEqual([pixels, pixels]);
    for (const length of ['100%', '10rem', '']) expect(await sizeOf(length), length).toEqual([30, 40]);
  });

  it('takes out where a picture was taken, and keeps it upright', async () => {
    const { files } = site.sheaf;
    const exif = { IFD0: { Orientation: '6' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } };
    const content = await sharp(turnedJpeg()).keepExif().withExifMerge(exif).jpeg({ quality: 1 }).toBuffer();
    expect((await sharp(content).metadata()).exif).toBeDefined();
    const [file] = await files.upload({ name: 'taken.jpg', content });
    const shown = await sharp(await bytesOf(file!.id)).metadata();
    expect([shown.exif, shown.orientation, shown.width, shown.height]).toEqual([undefined, undefined, 16, 320]);
    expect([file!.width, file!.height]).toEqual([16, 320]);
    await files.delete(file!.id);
  });
});

describeOnSqlite('Formats of a picture', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it('have no more bytes than the picture, also where it was encoded for few', async () => {
    const { files } = (await guarded.open(PROJECT)).sheaf;
    const noise = sharp(png(520, 60, (x, y) => [(x * 7919 + y * 104729) & 255, (x * y) & 255, (x ^ y) & 255]));
    for (const [name, content] of [
      ['few.jpg', await noise.clone().jpeg({ quality: 12 }).toBuffer()],
      ['few.webp', await noise.clone().webp({ quality: 5 }).toBuffer()],
    ] as const) {
      const [file] = await files.upload({ name, content });
      const formats = Object.entries(file!.formats as Record<string, Answered>);
      expect(formats.map(([key]) => key).toSorted(), name).toEqual(['small', 'thumbnail']);
      for (const [key, { sizeInBytes }] of formats)
        expect(sizeInBytes, `${name} ${key}`).toBeLessThanOrEqual(content.length);
    }
  });

  it('are made without decoding the picture for every try, since few bytes may stand for many pixels', async () => {
    const { files } = (await guarded.open(PROJECT)).sheaf;
    const still = { width: 1010, height: 40, channels: 4, background: { r: 9, g: 99, b: 200, alpha: 0.5 } } as const;
    const frames = [0, 120, 240].map((r) =>
      sharp({ create: { ...still, background: { ...still.background, r } } }).png(),
    );
    const moving = sharp(await Promise.all(frames.map((frame) => frame.toBuffer())), { join: { animated: true } });
    const decodings = vi.fn();
    const spies = (['toFile', 'toBuffer', 'stats'] as const).map((method) => {
      const original = sharp.prototype[method];
      return vi.spyOn(sharp.prototype, method).mockImplementation(function (this: Answered, ...given: unknown[]) {
        if (this.options.input.file !== undefined) decodings();
        return original.apply(this, given);
      });
    });
    for (const [name, content, most] of [
      ['still.webp', await sharp({ create: still }).webp({ lossless: true }).toBuffer(), 9],
      ['moving.gif', await moving.gif().toBuffer(), 4],
    ] as const) {
      decodings.mockClear();
      const [file] = await files.upload({ name, content });
      expect(decodings.mock.calls.length, name).toBeLessThanOrEqual(most);
      expect(Object.keys(file!.formats as object)).toHaveLength(4);
      const { stream } = (await files.open(file!.id, { format: 'small' }))!;
      const { data, info } = await sharp(Buffer.concat(await stream.toArray()))
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect([info.width, info.height, info.channels], name).toEqual([500, 20, 4]);
      expect(Math.abs(data[2]! - still.background.b), name).toBeLessThan(30);
    }
    for (const spy of spies) spy.mockRestore();
  });
});

describeOnSqlite('A picture on request', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it('comes in the sizes and formats that the project lists, each made once, until the picture is replaced', async () => {
    const resize = { widths: [100, 2_000], formats: ['webp', 'jpeg'], qualities: [60, 90] };
    const site = await guarded.open(PROJECT, { settings: { files: { resize } } });
    const { files } = site.sheaf;
    const [file] = await files.upload({ name: 'a.png', content: png(400, 40) });
    const app = createServer(site.sheaf);
    const get = async (query: string) => {
      const answer = await app.inject({ url: `${file!.url}${query}` });
      const { statusCode, headers, rawPayload } = answer;
      if (statusCode !== 200) return [statusCode, answer.json().error.details.key];
      const { format, width, height } = await sharp(rawPayload).metadata();
      return [headers['content-type'], format, width, height];
    };
    expect(await get('')).toEqual(['image/png', 'png', 400, 40]);
    expect(await get('?v=1')).toEqual(['image/png', 'png', 400, 40]);
    expect(await get('?width=100')).toEqual(['image/png', 'png', 100, 10]);
    expect(await get('?width=100&format=webp')).toEqual(['image/webp', 'webp', 100, 10]);
    expect(await get('?width=2000&format=jpeg&quality=90')).toEqual(['image/jpeg', 'jpeg', 400, 40]);
    const kept = path.join(files.folder, '.sheaf-resized', `${file!.hash}.png`);
    expect(readdirSync(kept).toSorted()).toEqual(['100-60.png', '100-60.webp', '2000-90.jpeg']);
    expect(await get('?width=101')).toEqual([400, 'width']);
    expect(await get('?format=avif')).toEqual([400, 'format']);
    expect(await get('?quality=61')).toEqual([400, 'quality']);
    await files.replace(file!.id, { name: 'b.png', content: png(200, 100) });
    expect(await get('?width=100')).toEqual(['image/png', 'png', 100, 50]);
    await files.delete(file!.id);
    expect(readdirSync(path.dirname(kept))).toEqual([]);
    expect(await get('?width=100')).toEqual([404, undefined]);
    const [text] = await files.upload({ name: 'a.txt', content: Buffer.from('text') });
    expect((await app.inject({ url: `${text!.url}?width=100` })).body).toBe('text');
    await app.close();
  });
});

describeOnSqlite('A picture by a signed URL', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it('comes in any size, as long as nothing of the URL is changed', async () => {
    const resize = { signed: true, widths: [50] };
    const site = await guarded.open(PROJECT, { settings: { files: { resize } } });
    const { files } = site.sheaf;
    const [file, other] = await files.upload(['a.png', 'b.png'].map((name) => ({ name, content: png(400, 40) })));
    const app = createServer(site.sheaf);
    const get = async (url: string) => {
      const answer = await app.inject({ url });
      const { statusCode, rawPayload } = answer;
      if (statusCode !== 200) return [statusCode, answer.json().error.details.key];
      const { format, width } = await sharp(rawPayload).metadata();
      return [format, width];
    };
    const url = files.resizedUrl(file!, { width: 123, format: 'webp', quality: 33 });
    expect(url).toMatch(/^\/uploads\/a_\w+\.png\?width=123&format=webp&quality=33&signature=[\w-]{43}$/);
    expect(await get(url)).toEqual(['webp', 123]);
    expect(await get(files.resizedUrl(String(file!.url), { width: 124 }))).toEqual(['png', 124]);
    // A front end that has the key makes the same URL.
    const key = files.resizeKey;
    const sign = (unsigned: string): string =>
      `${unsigned}&signature=${createHmac('sha256', key).update(unsigned).digest('base64url')}`;
    expect(sign(url.slice(0, url.indexOf('&signature')))).toBe(url);
    const printed: string[] = [];
    const config = {
      secrets: { jwt: SECRETS.jwt, apiTokenSalt: SECRETS.apiTokenSalt },
      state: '/nowhere',
      readOnly: true,
    };
    await keyCommand(config as ServerConfig, false, (text) => printed.push(text));
    expect(printed).toEqual([`${key}\n`]);

    const changed = [
      url.replace('123', '125'),
      url.replace('webp', 'avif'),
      // The last character holds four bits of the signature and two that are always zero.
      ...[...ALPHABET].filter((letter) => !url.endsWith(letter)).map((letter) => url.replace(/.$/, letter)),
      url.replace(String(file!.hash), String(other!.hash)),
      `${url}&width=125`,
      `${url}&v=1`,
      url.replace(/signature=.*/, 'signature='),
    ];
    for (const one of changed) expect(await get(one), one).toEqual([403, 'signature']);
    const bounded = (query: string) => get(sign(`${file!.url}?${query}`));
    expect(await bounded('width=4097')).toEqual([400, 'width']);
    expect(await bounded('width=0')).toEqual([400, 'width']);
    expect(await bounded('width=1&width=2')).toEqual([400, 'width']);
    expect(await bounded('quality=101')).toEqual([400, 'quality']);
    expect(await bounded('format=svg')).toEqual([400, 'format']);
    expect(await get(`${file!.url}?width=50`)).toEqual(['png', 50]);
    expect(await get(`${file!.url}?width=123`)).toEqual([400, 'width']);
    expect(await get(`${file!.url}?signature=x`)).toEqual(['png', 400]);
    expect(() => files.resizedUrl(file!, { width: 5_000 })).toThrow(/width/);
    expect(() => files.resizedUrl(file!, {})).toThrow(/width/);
    expect(() => files.resizedUrl('https://example.com/a.png', { width: 5 })).toThrow(/not in the folder/);
    const kept = path.join(files.folder, '.sheaf-resized', `${file!.hash}.png`);
    expect(readdirSync(kept).toSorted()).toEqual(['123-33.webp', '124-75.png', '50-75.png']);
    await app.close();
  });

  it('needs a setting that says so', async () => {
    const site = await guarded.open(PROJECT, { settings: { files: { resize: { widths: [50] } } } });
    expect(() => site.sheaf.files.resizedUrl('/uploads/a.png', { width: 50 })).toThrow(/files\.resize\.signed/);
    expect(() => completeSettings({ files: { resize: {} } })).toThrow(/widths/);
  });
});

describeOnEveryDatabase('Files that Strapi stored', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it('are shown and served as they are, and new ones go where Strapi would put them', async () => {
    const site = await guarded.open(PROJECT, { database: engine.guideDatabaseUrl() });
    await site.grantOnly('public', ['*']);
    // As Strapi 5 writes a picture of 300 × 20 pixels.
    const thumbnail = {
      ext: '.png',
      url: '/uploads/thumbnail_cover_0a1b2c3d4e.png',
      hash: 'thumbnail_cover_0a1b2c3d4e',
      mime: 'image/png',
      name: 'thumbnail_cover.png',
      path: null,
      size: 0.16,
      width: 245,
      height: 16,
      sizeInBytes: 160,
    };
    const values = `'abcdefghijklmnopqrstuvwx', 'cover.png', 300, 20, '${JSON.stringify({ thumbnail })}', 'cover_0a1b2c3d4e', '.png', 'image/png', 0.12, '/uploads/cover_0a1b2c3d4e.png', 'local', '/7'`;
    await site.sheaf.database.transaction(async (session) => {
      const run = (sql: string) => session.rows({ sql, bindings: [] }, []);
      await run("insert into upload_folders (name, path_id, path) values ('API Uploads', 7, '/7')");
      await run(
        `insert into files (document_id, name, width, height, formats, hash, ext, mime, size, url, provider, folder_path) values (${values})`,
      );
    });
    mkdirSync(site.sheaf.files.folder, { recursive: true });
    writeFileSync(path.join(site.sheaf.files.folder, 'cover_0a1b2c3d4e.png'), 'the bytes of Strapi');
    const [file] = (await site.get('upload/files')).body;
    expect(file).toMatchObject({ name: 'cover.png', formats: { thumbnail }, size: 0.12, provider: 'local' });
    const app = createServer(site.sheaf);
    expect((await app.inject({ url: file.url })).body).toBe('the bytes of Strapi');
    await app.close();
    await site.sheaf.files.upload({ name: 'new.txt', content: Buffer.from('x') });
    const folders = await site.rows('select name, path from upload_folders order by path_id');
    expect(folders).toEqual([
      ['API Uploads', '/7'],
      ['API Uploads (1)', '/8'],
    ]);
    await site.sheaf.files.delete(file.id);
    expect(stored(site.sheaf.files.folder)).toEqual([expect.stringMatching(/^new_\w+\.txt$/)]);
  });
});

describeOnPostgres('A file for a component that goes meanwhile', (engine) => {
  const contents = useContents(engine);

  it('is refused, and leaves no link', async () => {
    const url = engine.bareDatabaseUrl(['en', 'fr']);
    const content = await contents.open(PROJECT, url);
    const { id, seo } = await content.entry('POST', 'posts?status=draft&populate=seo', {
      seo: { label: 'Short-lived' },
    });
    const { payload, headers } = await multipart([text('late.txt'), ...linkTo('kit.seo', seo.id, 'image')]);
    await withClient(url, async (writer) => {
      await writer.query('begin');
      await writer.query('select from posts where id = $1 for no key update', [id]);
      await writer.query('delete from posts_cmps');
      await writer.query('delete from components_kit_seos');
      const uploading = content.sendRaw('POST', 'upload', payload, headers);
      await waitingFor(writer);
      await writer.query('commit');
      expect((await uploading).body.error).toMatchObject({ status: 400, details: { key: 'refId' } });
    });
    expect(await content.rows('select * from files_related_mph')).toEqual([]);
    expect(await content.rows('select * from files')).toEqual([]);
  });
});
