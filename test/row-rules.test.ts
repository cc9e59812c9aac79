// Rules on rows, of the files in access/: which entries a role may find, change and delete.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SetupError } from '../src/errors.ts';
import { LOCALE, USER } from '../src/model/builtin.ts';
import { type Answered, type Json, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, type Rules, useGuarded } from './support/guarded.ts';
import {
  ARTICLE,
  CONTENT,
  everyAction,
  FRONT,
  MISSING,
  NEWS,
  NO_DOCUMENT,
  NO_ROW,
  namesOf,
  reads,
  TOPIC,
  VAULT,
  WRITER,
} from './support/news.ts';

describeOnEveryDatabase('A rule on rows', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let base: Guarded;
  const topics: Record<string, Answered> = {};
  const articles: Record<string, Answered> = {};
  const writers: Record<string, Answered> = {};

  const create = async (uid: string, data: Json, published = true): Promise<Answered> => {
    const status = published && uid === ARTICLE ? { status: 'published' as const } : {};
    return base.sheaf.documents(uid).create({ data, ...status });
  };

  beforeAll(async () => {
    base = await guarded.open(NEWS);
    const all = CONTENT.flatMap(everyAction);
    await base.grantOnly('public', all);
    await base.grantOnly('authenticated', [...all, `${USER}.find`, `${USER}.findOne`, `${USER}.count`]);
    for (const [name, open, weight] of [
      ['Alpha', true, 3],
      ['Beta', false, 1],
      ['Gamma', true, 2],
      ['Delta', false, 90_017],
    ] as const)
      topics[name] = await create(TOPIC, { name, open, weight });
    for (const [name, age, mentor] of [
      ['Ann', 30, null],
      ['Bob', 20, 'Ann'],
      ['Cyd', 40, 'Bob'],
    ] as const)
      writers[name] = await create(WRITER, {
        name,
        age,
        ...(mentor && { mentor: writers[mentor].documentId }),
      });
    const article = async (title: string, of: readonly string[], author: string) => {
      const links = { topics: of.map((name) => topics[name].documentId), author: writers[author].documentId };
      articles[title] = await create(ARTICLE, { title, state: 'open', ...links });
    };
    await article('A1', ['Alpha', 'Beta'], 'Ann');
    await article('A2', ['Beta'], 'Bob');
    await article('A3', ['Delta', 'Gamma'], 'Ann');
    await article('A4', [], 'Cyd');
  });

  /** The same database under rules of its own. */
  const under = (rules: Rules): Promise<Guarded> => guarded.open(NEWS, { rules, database: base.database });

  const stored = async (uid: string, documentId: string): Promise<Answered> =>
    base.sheaf.documents(uid).findOne({ documentId, populate: '*' });

  describe('of a type without drafts', () => {
    let site: Guarded;
    beforeAll(async () => {
      site = await under({ public: { [TOPIC]: { rows: { find: { open: true } } } } });
    });

    it('narrows lists, their totals and their pages', async () => {
      const { body } = await site.get('topics');
      expect(namesOf(await site.get('topics'))).toEqual(['Alpha', 'Gamma']);
      expect(body.meta.pagination).toEqual({ page: 1, pageSize: 25, pageCount: 1, total: 2 });
      const second = await site.get('topics?pagination[page]=2&pagination[pageSize]=1');
      expect(namesOf(second)).toEqual(['Gamma']);
      expect(second.body.meta.pagination).toEqual({ page: 2, pageSize: 1, pageCount: 2, total: 2 });
      const third = await site.get('topics?pagination[start]=2&pagination[limit]=5');
      expect(third.body).toEqual({ data: [], meta: { pagination: { start: 2, limit: 5, total: 2 } } });
    });

    it.each([
      'filters[name]=Beta',
      'filters[open]=false',
      'filters[$not][open]=true',
      'filters[$or][0][open]=false&filters[$or][1][open][$null]=true',
      'filters[$or][0][name]=Beta&filters[$or][1][weight]=90017',
      'filters[weight][$gt]=5',
      'filters[$not][$or][0][name]=Alpha&filters[$not][$or][1][name]=Gamma',
      '_q=Beta',
      '_q=90017',
      'filters[articles][title]=A2',
    ])('is not got around with %s', async (query) => {
      const { status, body } = await site.get(`topics?${query}`);
      expect([status, body.data, body.meta.pagination.total]).toEqual([200, [], 0]);
    });

    it('hides an entry as if it did not exist', async () => {
      const hidden = await site.get(`topics/${topics.Beta.documentId}`);
      const missing = await site.get(`topics/${NO_DOCUMENT}`);
      expect([hidden.status, hidden.body]).toEqual([404, MISSING]);
      expect([missing.status, missing.body]).toEqual([404, MISSING]);
      expect((await site.get(`topics/${topics.Alpha.documentId}`)).body.data.name).toBe('Alpha');
      expect(namesOf(await site.get(`topics?filters[id]=${topics.Beta.id}`))).toEqual([]);
      expect(namesOf(await site.get(`topics?filters[documentId]=${topics.Beta.documentId}`))).toEqual([]);
    });

    it('holds where rows are populated, in every depth, filtered, sorted and counted', async () => {
      const shown = async (query: string): Promise<unknown[]> =>
        (await site.get(`articles?${query}`)).body.data.map(({ topics }: Answered) => topics);
      const names = (await shown('populate=topics')).map((list) => (list as Answered[]).map(({ name }) => name));
      expect(names).toEqual([['Alpha'], [], ['Gamma'], []]);
      expect(await shown('populate[topics][count]=true')).toEqual([1, 0, 1, 0].map((count) => ({ count })));
      expect(await shown('populate[topics][filters][name][$in][0]=Beta')).toEqual([[], [], [], []]);
      const filtered = 'populate[topics][filters][$not][name]=Alpha&populate[topics][count]=true';
      expect(await shown(filtered)).toEqual([0, 0, 1, 0].map((count) => ({ count })));
      const deep = await site.get('writers?populate[articles][populate][topics][sort]=name&filters[name]=Ann');
      expect(
        deep.body.data[0].articles.map(({ topics }: Answered) => topics.map(({ name }: Answered) => name)),
      ).toEqual([['Alpha'], ['Gamma']]);
      const every = await site.get('articles?populate=*&filters[title]=A2');
      expect(every.body.data[0].topics).toEqual([]);
      const around = await site.get('topics?populate[articles][populate]=topics');
      const seen = JSON.stringify(around.body);
      expect(seen).toContain('Gamma');
      expect(seen).not.toMatch(/Beta|Delta/);
    });

    it.each([
      ['filters[topics][name]=Beta', []],
      ['filters[topics][name]=Alpha', ['A1']],
      ['filters[topics][name][$ne]=Alpha', ['A3']],
      ['filters[$not][topics][name]=Alpha', ['A3']],
      ['filters[topics][$notNull]=true', ['A1', 'A3']],
      ['filters[topics][$null]=true', ['A2', 'A4']],
      ['filters[topics][name][$null]=true', ['A2', 'A4']],
      ['filters[topics][open]=false', []],
      ['filters[topics][weight][$lt]=3', ['A3']],
      ['filters[topics][weight][$gte]=9', []],
      ['filters[$or][0][topics][name]=Beta&filters[$or][1][topics][name]=Delta', []],
      ['filters[topics][articles][title]=A2', []],
      ['filters[author][articles][topics][name]=Delta', []],
      ['filters[author][articles][topics][name]=Gamma', ['A1', 'A3']],
      ['filters[topics][articles][topics][name][$startsWith]=B', []],
    ])('holds where a filter goes through relations: %s', async (query, expected) => {
      expect(namesOf(await site.get(`articles?${query}`))).toEqual(expected);
    });

    it('holds where a filter names the row itself', async () => {
      for (const value of [topics.Beta.id, topics.Delta.id]) {
        expect(namesOf(await site.get(`articles?filters[topics]=${value}`))).toEqual([]);
        expect(namesOf(await site.get(`articles?filters[topics][id]=${value}`))).toEqual([]);
      }
      expect(namesOf(await site.get(`articles?filters[topics][documentId]=${topics.Delta.documentId}`))).toEqual([]);
      expect(namesOf(await site.get(`articles?filters[topics]=${topics.Gamma.id}`))).toEqual(['A3']);
      expect(namesOf(await site.get(`articles?filters[topics][id][$ne]=${topics.Gamma.id}`))).toEqual(['A1']);
    });

    it.each([
      ['sort=topics.weight', ['A3', 'A1', 'A2', 'A4']],
      ['sort=topics.weight:desc', ['A2', 'A4', 'A1', 'A3']],
      ['sort=topics.name', ['A1', 'A3', 'A2', 'A4']],
      ['sort=topics.id:desc', ['A2', 'A4', 'A3', 'A1']],
      ['sort=author.articles.topics.weight:desc,title', ['A2', 'A4', 'A1', 'A3']],
    ])('holds where a sort goes through relations: %s', async (query, expected) => {
      expect(namesOf(await site.get(`articles?${query}`))).toEqual(expected);
    });

    it('answers a change of what it hides with 404, as for what does not exist, and changes nothing', async () => {
      const before = await stored(TOPIC, topics.Beta.documentId);
      for (const data of [{ name: 'Seen' }, { open: true }, {}, { articles: { set: [] } }]) {
        const hidden = await site.put(`topics/${topics.Beta.documentId}`, data);
        const missing = await site.put(`topics/${NO_DOCUMENT}`, data);
        expect([hidden.status, hidden.body]).toEqual([404, MISSING]);
        expect([missing.status, missing.body]).toEqual([404, MISSING]);
      }
      const [wrong, wrongToo] = await Promise.all(
        [topics.Beta.documentId, NO_DOCUMENT].map((id) => site.put(`topics/${id}`, { weight: 'heavy' })),
      );
      expect([wrong!.status, wrong!.body]).toEqual([wrongToo!.status, wrongToo!.body]);
      expect(await stored(TOPIC, topics.Beta.documentId)).toEqual(before);
    });

    it('leaves what it hides where it is when someone deletes it, and answers as for what does not exist', async () => {
      const hidden = await site.delete(`topics/${topics.Beta.documentId}`);
      const missing = await site.delete(`topics/${NO_DOCUMENT}`);
      expect([hidden.status, hidden.body]).toEqual([missing.status, missing.body]);
      expect(await stored(TOPIC, topics.Beta.documentId)).toMatchObject({ name: 'Beta' });
      const passing = await create(TOPIC, { name: 'Passing', open: true });
      expect((await site.delete(`topics/${passing.documentId}`)).status).toBe(204);
      expect(await stored(TOPIC, passing.documentId)).toBeNull();
    });

    /** Forms in which a body refers to a topic. */
    const REFERENCES: readonly [string, (reference: unknown) => Json][] = [
      ['a bare value', (reference) => ({ topics: reference })],
      ['a list', (reference) => ({ topics: [reference] })],
      ['set', (reference) => ({ topics: { set: [reference] } })],
      ['connect', (reference) => ({ topics: { connect: [reference] } })],
      ['disconnect', (reference) => ({ topics: { disconnect: [reference] } })],
      [
        'a place before it',
        (reference) => ({
          topics: { connect: [{ documentId: topics.Alpha.documentId, position: { before: reference } }] },
        }),
      ],
      [
        'a place after it that need not be there',
        (reference) => ({
          topics: {
            connect: [{ documentId: topics.Alpha.documentId, position: { after: reference } }],
            options: { strict: false },
          },
        }),
      ],
      ['a component', (reference) => ({ seal: { label: 'x', topic: reference } })],
      ['a dynamic zone', (reference) => ({ parts: [{ __component: 'kit.pick', topics: [reference] }] })],
    ];

    it.each(REFERENCES)('refuses a reference to what it hides like one to nothing: in %s', async (_name, body) => {
      const before = await stored(ARTICLE, articles.A3.documentId);
      const forms = (document: string, row: number) => [document, { documentId: document }, row, { id: row }];
      const send = async (reference: unknown, documentId: string): Promise<string> => {
        const answer = await site.put(`articles/${articles.A3.documentId}`, body(reference));
        return `${answer.status} ${JSON.stringify(answer.body)}`.replaceAll(documentId, 'ID');
      };
      const missing = forms(NO_DOCUMENT, NO_ROW);
      for (const [index, reference] of forms(topics.Delta.documentId, topics.Delta.id).entries()) {
        const hidden = await send(reference, topics.Delta.documentId);
        expect(hidden).toMatch(/^400 .*(not found|do not exist)/);
        expect(hidden).toBe(await send(missing[index], NO_DOCUMENT));
      }
      expect(await stored(ARTICLE, articles.A3.documentId)).toEqual(before);
      const made = await site.post('articles', { title: 'New', ...body(topics.Delta.documentId) });
      expect(made.status).toBe(400);
      expect(await base.sheaf.documents(ARTICLE).count({ filters: { title: 'New' } })).toBe(0);
    });

    it('lets references through to what it shows', async () => {
      const { documentId } = await create(ARTICLE, { title: 'Linked' });
      for (const [, body] of REFERENCES.slice(0, 4)) {
        const { status, body: answer } = await site.put(
          `articles/${documentId}?populate=topics`,
          body(topics.Gamma.documentId),
        );
        expect(status, JSON.stringify(answer)).toBe(200);
        expect(answer.data.topics.map(({ name }: Answered) => name)).toEqual(['Gamma']);
      }
      await base.sheaf.documents(ARTICLE).delete({ documentId });
    });

    it('answers with no entry what was written out of sight', async () => {
      const made = await site.post('topics', { name: 'Unseen', open: false });
      expect([made.status, made.body]).toEqual([201, { data: null, meta: {} }]);
      const { documentId } = (await base.sheaf.documents(TOPIC).findFirst({ filters: { name: 'Unseen' } }))!;
      expect((await site.get(`topics/${documentId}`)).status).toBe(404);
      const seen = await site.post('topics', { name: 'Seen', open: true });
      expect([seen.status, seen.body.data.name]).toEqual([201, 'Seen']);
      const gone = await site.put(`topics/${seen.body.data.documentId}?populate=*`, { open: false });
      expect([gone.status, gone.body]).toEqual([200, { data: null, meta: {} }]);
      expect(await stored(TOPIC, seen.body.data.documentId)).toMatchObject({ open: false });
      expect((await site.put(`topics/${seen.body.data.documentId}`, { open: true })).status).toBe(404);
      for (const name of ['Unseen', 'Seen'])
        await base.sheaf.documents(TOPIC).delete({
          documentId: (await base.sheaf.documents(TOPIC).findFirst({ filters: { name } }))!.documentId,
        });
    });

    it('does not narrow who calls in process, nor tokens', async () => {
      expect(await site.sheaf.documents(TOPIC).count()).toBe(4);
      const token = await site.token('custom', reads(TOPIC));
      expect((await site.get('topics', token)).body.meta.pagination.total).toBe(4);
    });
  });

  describe('that tells apart finding, changing and deleting', () => {
    let site: Guarded;
    beforeAll(async () => {
      site = await under({
        public: {
          [TOPIC]: { rows: { find: { weight: { $ne: 30 } }, update: { open: true }, delete: { weight: { $gt: 8 } } } },
          [WRITER]: { rows: { update: { name: 'Ann' } } },
        },
      });
    });

    it('holds each for what it says', async () => {
      expect(namesOf(await site.get('topics'))).toEqual(['Alpha', 'Beta', 'Gamma', 'Delta']);
      expect((await site.put(`topics/${topics.Alpha.documentId}`, { weight: 3 })).status).toBe(200);
      const refused = await site.put(`topics/${topics.Delta.documentId}`, { weight: 8 });
      expect([refused.status, refused.body]).toEqual([404, MISSING]);
      const heavy = await create(TOPIC, { name: 'Heavy', open: false, weight: 10 });
      const light = await create(TOPIC, { name: 'Light', open: true, weight: 1 });
      for (const { documentId } of [heavy, light]) expect((await site.delete(`topics/${documentId}`)).status).toBe(204);
      expect(await stored(TOPIC, heavy.documentId)).toBeNull();
      expect(await stored(TOPIC, light.documentId)).not.toBeNull();
      await base.sheaf.documents(TOPIC).delete({ documentId: light.documentId });
    });

    it('leaves finding and deleting alone where it speaks of changing only', async () => {
      expect(namesOf(await site.get('writers'))).toEqual(['Ann', 'Bob', 'Cyd']);
      expect((await site.put(`writers/${writers.Ann.documentId}`, { age: 30 })).status).toBe(200);
      expect((await site.put(`writers/${writers.Bob.documentId}`, { age: 20 })).status).toBe(404);
      const passing = await create(WRITER, { name: 'Passing' });
      expect((await site.delete(`writers/${passing.documentId}`)).status).toBe(204);
      expect(await stored(WRITER, passing.documentId)).toBeNull();
    });

    it('shows nothing of an entry that may be changed but not found', async () => {
      const heavy = await create(TOPIC, { name: 'Heavy', open: true, weight: 30 });
      const changed = await site.put(`topics/${heavy.documentId}`, { name: 'Heavier' });
      expect([changed.status, changed.body]).toEqual([200, { data: null, meta: {} }]);
      expect(await stored(TOPIC, heavy.documentId)).toMatchObject({ name: 'Heavier' });
      await base.sheaf.documents(TOPIC).delete({ documentId: heavy.documentId });
    });
  });

  describe('that goes through relations', () => {
    it('looks at types that the role may not find, and at private attributes', async () => {
      const site = await under({
        public: {
          [ARTICLE]: { rows: { find: { vault: { code: 'open sesame' } } } },
          [WRITER]: { rows: { find: { hush: { $ne: 'quiet' } } } },
        },
      });
      const vault = await create(VAULT, { code: 'open sesame' });
      const kept = await create(ARTICLE, { title: 'Kept', vault: vault.documentId });
      const loud = await create(WRITER, { name: 'Loud', hush: 'loud' });
      const quiet = await create(WRITER, { name: 'Quiet', hush: 'quiet' });
      expect(namesOf(await site.get('articles'))).toEqual(['Kept']);
      expect((await site.get('articles?filters[vault][code]=x')).status).toBe(400);
      expect(namesOf(await site.get('writers'))).toEqual(['Loud']);
      expect((await site.get(`writers/${quiet.documentId}`)).status).toBe(404);
      for (const [uid, { documentId }] of [
        [ARTICLE, kept],
        [VAULT, vault],
        [WRITER, loud],
        [WRITER, quiet],
      ] as const)
        await base.sheaf.documents(uid).delete({ documentId });
    });

    it('is met by rows that other rules hide', async () => {
      const site = await under({
        public: {
          [ARTICLE]: { rows: { find: { topics: { name: 'Beta' } } } },
          [TOPIC]: { rows: { find: { open: true } } },
        },
      });
      expect(namesOf(await site.get('articles'))).toEqual(['A1', 'A2']);
      expect(namesOf(await site.get('topics'))).toEqual(['Alpha', 'Gamma']);
      expect(namesOf(await site.get('articles?filters[topics][name]=Beta'))).toEqual([]);
    });

    it('goes in circles as far as it says', async () => {
      const site = await under({ public: { [WRITER]: { rows: { find: { mentor: { mentor: { name: 'Ann' } } } } } } });
      expect(namesOf(await site.get('writers'))).toEqual(['Cyd']);
      expect(namesOf(await site.get('articles?filters[author][name][$notNull]=true'))).toEqual(['A4']);
      const { body } = await site.get('writers?populate[mentor][populate]=mentor');
      expect(body.data[0].mentor).toBeNull();
    });
  });

  it('holds for what has no path of its own, or is told at the start to be of no use', async () => {
    const locales = await under({ public: { [LOCALE]: { rows: { find: { code: 'en' } } } } }).catch(
      (error: unknown) => error,
    );
    if (locales instanceof SetupError) expect(locales.problems[0]).toContain(LOCALE);
    else {
      await base.auth.roles.grant('public', ['plugin::i18n.locales.listLocales']);
      const { status, body } = await (locales as Guarded).get('i18n/locales');
      expect([status, body.map(({ code }: Answered) => code)]).toEqual([200, ['en']]);
    }
  });

  describe('of a single type', () => {
    let site: Guarded;
    let documentId: string;
    beforeAll(async () => {
      site = await under({ public: { [FRONT]: { rows: { find: { title: { $ne: 'closed' } } } } } });
      const data = { title: 'welcome', lead: articles.A1.documentId };
      ({ documentId } = await base.sheaf.documents(FRONT).create({ data, status: 'published' }));
    });
    const retitle = (title: string) =>
      base.sheaf.documents(FRONT).update({ documentId, data: { title }, status: 'published' });

    it('shows it, or answers as if there were none', async () => {
      expect((await site.get('front?populate=lead')).body.data).toMatchObject({
        title: 'welcome',
        lead: { title: 'A1' },
      });
      await retitle('closed');
      for (const query of ['', '?status=draft', '?populate=*', '?filters[title]=closed']) {
        const { status, body } = await site.get(`front${query}`);
        expect([status, body], query).toEqual([404, MISSING]);
      }
    });

    it('keeps it from being changed and deleted', async () => {
      await retitle('closed');
      const { status, body } = await site.put('front', { title: 'mine' });
      expect([status, body]).toEqual([404, MISSING]);
      expect((await site.delete('front')).status).toBe(204);
      expect(await stored(FRONT, documentId)).toMatchObject({ title: 'closed' });
      await retitle('welcome');
      expect((await site.put('front', { title: 'hello' })).body.data.title).toBe('hello');
      expect((await site.put('front', { title: 'closed' })).body).toEqual({ data: null, meta: {} });
    });
  });

  describe('of a type with drafts', () => {
    const made: Record<string, Answered> = {};
    const withDraft = async (title: string, published: string | null, draft: string): Promise<void> => {
      const documents = base.sheaf.documents(ARTICLE);
      const author = writers.Bob.documentId;
      const first = { title, state: published ?? draft, author, topics: [topics.Gamma.documentId] };
      made[title] = await documents.create({ data: first, status: published === null ? 'draft' : 'published' });
      if (published !== null && draft !== published)
        await documents.update({ documentId: made[title].documentId, data: { state: draft } });
    };
    beforeAll(async () => {
      await withDraft('shut draft', 'open', 'shut');
      await withDraft('shut public', 'shut', 'open');
      await withDraft('only draft', null, 'open');
    });
    afterAll(async () => {
      for (const { documentId } of Object.values(made)) await base.sheaf.documents(ARTICLE).delete({ documentId });
    });
    const titles = (list: Answered[]): string[] => list.map(({ title }) => title).filter((title) => title in made);

    it('judges the draft and the published row each by itself', async () => {
      const site = await under({ public: { [ARTICLE]: { rows: { find: { state: 'open' } } } } });
      const one = (title: string, query = '') => site.get(`articles/${made[title].documentId}${query}`);
      expect((await one('shut draft')).body.data.state).toBe('open');
      expect((await one('shut draft', '?status=draft')).status).toBe(404);
      expect((await one('shut public')).status).toBe(404);
      expect((await one('shut public', '?status=draft')).body.data.state).toBe('open');
      const list = async (query: string) => titles((await site.get(`articles?${query}`)).body.data);
      expect(await list('')).toEqual(['shut draft']);
      expect(await list('status=draft')).toEqual(['shut public', 'only draft']);
      // Through a relation, and through two.
      const ofBob = async (query: string): Promise<string[]> =>
        titles((await site.get(`writers?filters[name]=Bob&populate=articles${query}`)).body.data[0].articles);
      expect(await ofBob('')).toEqual(['shut draft']);
      expect(await ofBob('&status=draft')).toEqual(['shut public', 'only draft']);
      const finds = async (query: string) => (await site.get(`writers?${query}`)).body.meta.pagination.total;
      for (const status of ['draft', 'published'])
        expect(await finds(`status=${status}&filters[articles][state]=shut`)).toBe(0);
      expect(await finds('status=draft&filters[articles][title]=shut draft')).toBe(0);
      expect(await finds('status=draft&filters[articles][title]=shut public')).toBe(1);
      const sorted = await site.get(
        'topics?status=draft&sort=articles.title:desc&filters[name]=Gamma&populate=articles',
      );
      expect(titles(sorted.body.data[0].articles)).toEqual(['shut public', 'only draft']);
    });

    it('keeps a document from being changed of which it hides a row that would change', async () => {
      const site = await under({ public: { [ARTICLE]: { rows: { find: { state: 'open' } } } } });
      for (const title of ['shut draft', 'shut public']) {
        const { documentId } = made[title];
        const { status, body } = await site.put(`articles/${documentId}`, { title: 'mine' });
        expect([status, body], title).toEqual([404, MISSING]);
        expect((await site.delete(`articles/${documentId}`)).status).toBe(204);
        expect(await stored(ARTICLE, documentId), title).toMatchObject({ title });
      }
      const { documentId } = made['shut draft'];
      expect((await site.put(`articles/${documentId}?status=draft`, { title: 'mine' })).status).toBe(404);
      // Of this one only the draft would change, and that is open.
      const { documentId: other } = made['shut public'];
      expect((await site.put(`articles/${other}?status=draft`, { title: 'shut public' })).status).toBe(200);
    });

    it('can keep drafts from a role, wherever they are asked for', async () => {
      const site = await under({ public: { [ARTICLE]: { rows: { find: { publishedAt: { $notNull: true } } } } } });
      expect((await site.get('articles?status=draft')).body.data).toEqual([]);
      expect((await site.get('articles?status=draft&_q=only')).body.meta.pagination.total).toBe(0);
      expect((await site.get(`articles/${made['only draft'].documentId}?status=draft`)).status).toBe(404);
      const { body } = await site.get('writers?status=draft&populate[articles][count]=true');
      expect(body.data.map(({ articles }: Answered) => articles.count)).toEqual([0, 0, 0]);
      const through = await site.get('writers?status=draft&filters[articles][title][$notNull]=true');
      expect(through.body.data).toEqual([]);
      expect((await site.get('articles')).body.meta.pagination.total).toBeGreaterThan(4);
    });

    it('hides a row also from those who ask about its other version', async () => {
      const site = await under({ public: { [ARTICLE]: { rows: { find: { state: 'open' } } } } });
      const list = async (query: string) => titles((await site.get(`articles?${query}`)).body.data);
      // Whether the draft that is shown was ever published cannot be told where its published row is hidden.
      const published = await list('status=draft&publicationFilter=has-published-version');
      const never = await list('status=draft&publicationFilter=never-published');
      expect(published).not.toContain('shut public');
      expect(never).toEqual(['shut public', 'only draft']);
      expect(await list('status=draft&hasPublishedVersion=true')).not.toContain('shut public');
      // Nor whether what is published has a draft that differs, where the draft is hidden.
      expect(await list('publicationFilter=published-with-draft')).not.toContain('shut draft');
      expect(await list('publicationFilter=modified')).not.toContain('shut draft');
    });
  });

  describe('of a type with locales', () => {
    let site: Guarded;
    let documentId: string;
    beforeAll(async () => {
      site = await under({ public: { [ARTICLE]: { rows: { find: { locale: 'en' } } } } });
      const documents = base.sheaf.documents(ARTICLE);
      const data = { title: 'Hello', author: writers.Cyd.documentId };
      ({ documentId } = await documents.create({ data, status: 'published' }));
      const french = { title: 'Bonjour', author: writers.Cyd.documentId };
      await documents.update({ documentId, locale: 'fr', data: french, status: 'published' });
    });
    afterAll(() => base.sheaf.documents(ARTICLE).delete({ documentId, locale: '*' }));

    it('hides the locales that it does not name', async () => {
      const titles = async (query: string) =>
        (await site.get(`articles?${query}`)).body.data
          .map(({ title }: Answered) => title)
          .filter((title: string) => title === 'Hello' || title === 'Bonjour');
      expect(await titles('')).toEqual(['Hello']);
      expect(await titles('locale=fr')).toEqual([]);
      expect(await titles('locale=*')).toEqual(['Hello']);
      expect(await titles('locale[0]=fr&locale[1]=en')).toEqual(['Hello']);
      expect(await titles('locale=*&_q=Bonjour')).toEqual([]);
      expect((await site.get(`articles/${documentId}?locale=fr`)).body).toEqual(MISSING);
    });

    it('hides them among the other locales of an entry, and where a filter or a sort looks there', async () => {
      const one = await site.get(`articles/${documentId}?populate=localizations`);
      expect(one.body.data.localizations).toEqual([]);
      const counted = await site.get(`articles/${documentId}?populate[localizations][count]=true`);
      expect(counted.body.data.localizations).toEqual({ count: 0 });
      expect(namesOf(await site.get('articles?filters[localizations][title]=Bonjour'))).toEqual([]);
      expect(namesOf(await site.get('articles?filters[localizations][$notNull]=true'))).toEqual([]);
      expect(namesOf(await site.get('articles?filters[localizations][$null]=true'))).toContain('Hello');
    });

    it('hides them behind relations', async () => {
      const { body } = await site.get('writers?filters[name]=Cyd&populate=articles');
      expect(body.data[0].articles.map(({ title }: Answered) => title)).not.toContain('Bonjour');
      expect(namesOf(await site.get('writers?filters[articles][title]=Bonjour'))).toEqual([]);
      expect(namesOf(await site.get('writers?filters[articles][title]=Hello'))).toEqual(['Cyd']);
    });

    it('keeps them from being changed and deleted', async () => {
      expect((await site.put(`articles/${documentId}?locale=fr`, { title: 'Salut' })).body).toEqual(MISSING);
      expect((await site.delete(`articles/${documentId}?locale=fr`)).status).toBe(204);
      expect((await site.delete(`articles/${documentId}?locale=*`)).status).toBe(204);
      const rows = await base.rows(`select title from articles where document_id = '${documentId}' order by title`);
      expect(rows.flat()).toEqual(['Bonjour', 'Bonjour', 'Hello', 'Hello']);
      expect((await site.put(`articles/${documentId}`, { title: 'Hello' })).status).toBe(200);
    });

    it('hides a locale also from those who ask whether the document was published in any', async () => {
      const documents = base.sheaf.documents(ARTICLE);
      const only = await documents.create({ data: { title: 'English draft' } });
      const french = { title: 'Brouillon' };
      await documents.update({ documentId: only.documentId, locale: 'fr', data: french, status: 'published' });
      const ask = (filter: string) => site.get(`articles?status=draft&filters[title]=English draft&${filter}`);
      expect(namesOf(await ask('publicationFilter=has-published-version-document'))).toEqual([]);
      expect(namesOf(await ask('publicationFilter=never-published-document'))).toEqual(['English draft']);
      await documents.delete({ documentId: only.documentId, locale: '*' });
    });
  });
});
