// Writing in process: what each operation does to the rows of a document and what it returns, how locales stay in
// step, and how links and components follow publications.
import { beforeAll, describe, expect, it } from 'vitest';
import { SheafError } from '../src/errors.ts';
import type { Documents } from '../src/operations/documents.ts';
import type { Entry } from '../src/operations/parameters.ts';
import { type Answered, type Content, localized, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { violations } from './support/invariants.ts';
import { userWith } from './support/rules.ts';

const KIT: Project = {
  locales: ['en', 'fr', 'de'],
  types: {
    /** Everything that locales can share, and its counterpart that they do not. */
    sheet: {
      drafts: true,
      localized: true,
      attributes: {
        title: { type: 'string', required: true, ...localized },
        code: { type: 'string' },
        count: { type: 'integer', default: 1 },
        cover: { type: 'media', multiple: false },
        part: { type: 'component', component: 'kit.part' },
        parts: { type: 'component', component: 'kit.part', repeatable: true },
        zone: { type: 'dynamiczone', components: ['kit.part', 'kit.note'] },
        ownPart: { type: 'component', component: 'kit.part', ...localized },
      },
    },
    /** Localized without drafts. */
    label: {
      localized: true,
      attributes: {
        text: { type: 'string', ...localized },
        tone: { type: 'string' },
        part: { type: 'component', component: 'kit.part' },
      },
    },
    page: { drafts: true, localized: true, attributes: { title: { type: 'string', ...localized } } },
    safe: {
      attributes: {
        name: { type: 'string' },
        secret: { type: 'string', private: true },
        key: { type: 'password' },
        items: relation('oneToMany', 'item', { private: true }),
      },
    },
    case: { attributes: { safes: relation('manyToMany', 'safe'), file: { type: 'media' } } },
    item: {
      attributes: { name: { type: 'string', unique: true }, moment: { type: 'datetime' }, big: { type: 'biginteger' } },
    },
    /** Relations of every kind between two types with drafts. */
    left: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        many: relation('manyToMany', 'right', { inversedBy: 'many' }),
        some: relation('oneToMany', 'right', { mappedBy: 'one' }),
        mate: relation('oneToOne', 'right', { inversedBy: 'mate' }),
        lists: relation('oneToMany', 'right'),
        points: relation('oneToOne', 'right'),
        parts: { type: 'component', component: 'kit.linked', repeatable: true },
      },
    },
    /** The same without drafts. */
    plain: {
      attributes: {
        name: { type: 'string' },
        many: relation('manyToMany', 'right', { inversedBy: 'plains' }),
        some: relation('oneToMany', 'right', { mappedBy: 'plain' }),
        mate: relation('oneToOne', 'right', { inversedBy: 'plainMate' }),
        lists: relation('oneToMany', 'right'),
      },
    },
    right: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        plains: relation('manyToMany', 'plain', { mappedBy: 'many' }),
        plain: relation('manyToOne', 'plain', { inversedBy: 'some' }),
        plainMate: relation('oneToOne', 'plain', { mappedBy: 'mate' }),
        many: relation('manyToMany', 'left', { mappedBy: 'many' }),
        one: relation('manyToOne', 'left', { inversedBy: 'some' }),
        mate: relation('oneToOne', 'left', { mappedBy: 'mate' }),
      },
    },
  },
  components: {
    'kit.part': {
      name: { type: 'string', required: true },
      size: { type: 'integer', default: 0 },
      pages: relation('oneToMany', 'page'),
      inner: { type: 'component', component: 'kit.note', repeatable: true },
    },
    'kit.note': { text: { type: 'text' } },
    'kit.linked': {
      name: { type: 'string' },
      lists: relation('oneToMany', 'right'),
      points: relation('oneToOne', 'right'),
    },
  },
};

/** Names of what a relation of an entry holds, in order. */
const names = (value: Answered): Answered =>
  Array.isArray(value) ? value.map(({ name }) => name) : (value?.name ?? null);

const isRefusal = (status: number) => expect.objectContaining({ status });

describeOnEveryDatabase('documents', (engine) => {
  const contents = useContents(engine);
  let guide: Content;
  let kit: Content;
  let authors: Documents;
  let articles: Documents;
  let categories: Documents;
  let sheets: Documents;
  let labels: Documents;
  let items: Documents;
  beforeAll(async () => {
    guide = await contents.open();
    kit = await contents.open(KIT);
    authors = guide.sheaf.documents('api::author.author');
    articles = guide.sheaf.documents('api::article.article');
    categories = guide.sheaf.documents('api::category.category');
    sheets = kit.sheaf.documents('api::sheet.sheet');
    labels = kit.sheaf.documents('api::label.label');
    items = kit.sheaf.documents('api::item.item');
  });

  const both = async (documents: Documents, documentId: string, parameters = {}): Promise<[Answered, Answered]> => [
    await documents.findOne({ documentId, status: 'draft', ...parameters }),
    await documents.findOne({ documentId, status: 'published', ...parameters }),
  ];

  it('shows private attributes to the system, hashes of passwords to nobody, and neither to a caller', async () => {
    const safes = kit.sheaf.documents('api::safe.safe');
    const item = await items.create({ data: { name: 'kept' } });
    const data = { name: 'a', secret: 'hidden', key: 'Tr0ub4dor', items: [item.documentId] };
    const made = await safes.create({ data, populate: 'items' });
    const shown = { name: 'a', secret: 'hidden', items: [{ name: 'kept' }] };
    expect(made).toMatchObject(shown);
    const asked = { filters: { secret: 'hidden' }, sort: 'secret', fields: ['name', 'secret'], populate: ['items'] };
    expect(await safes.findMany(asked)).toMatchObject([shown]);
    expect(made).not.toHaveProperty('key');
    expect(made).not.toHaveProperty('locale');
    await expect(safes.findMany({ fields: 'key' })).rejects.toThrow('key');
    const callers = kit.sheaf.documents('api::safe.safe', userWith(kit.sheaf.model, {}));
    const [seen] = await callers.findMany({ populate: '*' });
    expect(Object.keys(seen!).sort()).toEqual(['createdAt', 'documentId', 'id', 'name', 'publishedAt', 'updatedAt']);
    for (const parameters of [
      { fields: 'secret' },
      { filters: { secret: 'hidden' } },
      { sort: 'secret' },
      { populate: 'items' },
    ])
      await expect(callers.findMany(parameters)).rejects.toThrow(/secret|items/);
  });

  it('takes related entries as the system read them, private attributes and all', async () => {
    const safe = await kit.sheaf.documents('api::safe.safe').create({ data: { name: 'a', secret: 'hidden' } });
    const [file] = await kit.sheaf.files.upload([{ name: 'a.txt', content: Buffer.from('a') }]);
    const cases = kit.sheaf.documents('api::case.case');
    const populate = ['safes', 'file'];
    const {
      documentId,
      safes,
      file: read,
    } = (await cases.create({
      data: { safes: [safe.documentId], file: file!.id },
      populate,
    })) as Answered;
    expect([safes[0].secret, read.folderPath]).toEqual(['hidden', expect.any(String)]);
    const data = { safes, file: read };
    expect(await cases.update({ documentId, data, populate })).toMatchObject(data);
    const callers = kit.sheaf.documents('api::case.case', userWith(kit.sheaf.model, {}));
    await expect(callers.update({ documentId, data: { safes } })).rejects.toThrow('Invalid key secret at safes.0');
    await expect(callers.update({ documentId, data: { file: read } })).rejects.toThrow(
      'Invalid key folderPath at file',
    );
  });

  describe('create', () => {
    it('makes a draft where no status is given, and returns it', async () => {
      const made = await authors.create({ data: { name: 'Draft' } });
      expect(made).toMatchObject({ name: 'Draft', email: null, publishedAt: null });
      expect(made.documentId).toMatch(/^[a-z][a-z0-9]{23}$/);
      const [draft, published] = await both(authors, made.documentId);
      expect(draft).toEqual(made);
      expect(published).toBeNull();
    });

    it('publishes at once with that status, and returns the published row', async () => {
      const made = await authors.create({ data: { name: 'Published' }, status: 'published' });
      const [draft, published] = await both(authors, made.documentId);
      expect(published).toEqual(made);
      expect(made.publishedAt).not.toBeNull();
      expect(draft).toEqual({ ...made, id: draft!.id, publishedAt: null });
      expect(draft!.id).not.toBe(made.id);
    });

    it('returns the fields and relations asked for', async () => {
      const made = await articles.create({
        data: { title: 'Shaped', authors: [(await authors.create({ data: { name: 'Shaper' } })).documentId] },
        fields: ['title'],
        populate: { authors: { fields: ['name'] } },
      });
      expect(made).toEqual({
        id: made.id,
        documentId: made.documentId,
        title: 'Shaped',
        authors: [{ id: expect.any(Number), documentId: expect.any(String), name: 'Shaper' }],
      });
    });

    it('takes the status of a type without drafts for nothing', async () => {
      for (const status of ['draft', 'published'] as const) {
        const made = await categories.create({ data: { name: `always ${status}` }, status });
        expect(made.publishedAt).not.toBeNull();
        expect(await guide.number(`select count(*) from categories where document_id = '${made.documentId}'`)).toBe(1);
      }
    });

    it('makes the locale asked for, the default one where none is', async () => {
      const first = await sheets.create({ data: { title: 'en' } });
      expect(first.locale).toBe('en');
      const second = await sheets.create({ data: { title: 'fr' }, locale: 'fr' });
      expect(second.locale).toBe('fr');
      expect(await sheets.findOne({ documentId: second.documentId })).toBeNull();
    });

    it('refuses what HTTP refuses, with the same error', async () => {
      await expect(authors.create({ data: { nope: 1 } })).rejects.toMatchObject({
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key nope',
        details: { key: 'nope', source: 'body' },
      });
      await expect(authors.create({ data: {}, status: 'published' })).rejects.toBeInstanceOf(SheafError);
      await expect(sheets.create({ data: { title: 'x' }, locale: 'xx' })).rejects.toEqual(isRefusal(400));
      await expect(sheets.create({ data: { title: 'x' }, locale: '*' })).rejects.toEqual(isRefusal(400));
      await expect(authors.create({ data: { name: 'x' }, status: 'modified' as 'draft' })).rejects.toEqual(
        isRefusal(400),
      );
      await expect(authors.create({ data: { name: 'x' }, fields: ['nope'] })).rejects.toEqual(isRefusal(400));
      expect(await authors.count({ filters: { name: 'x' } })).toBe(0);
    });

    it('is read by its first row where it has two by mistake', async () => {
      const first = await items.create({ data: { name: 'first of two' } });
      const second = await items.create({ data: { name: 'second of two' } });
      await kit.execute(`update items set document_id = '${first.documentId}' where id = ${second.id}`);
      // Written last, it may be what the database finds last.
      await kit.execute(`update items set big = 1 where id = ${first.id}`);
      for (const populate of [undefined, '*'] as const)
        expect(await items.findOne({ documentId: first.documentId, ...(populate && { populate }) })).toMatchObject({
          id: first.id,
          name: 'first of two',
        });
      await kit.execute(`delete from items where id = ${second.id}`);
    });

    it('has instants to the millisecond, whatever the database keeps of them', async () => {
      const stored = (text: string) => (engine.name === 'PostgreSQL' ? `'${text}'` : String(Date.parse(`${text}Z`)));
      const { id, documentId } = await items.create({ data: { name: 'of an instant' } });
      for (const [text, shown] of [
        ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
        ['2026-01-02T03:04:05.6', '2026-01-02T03:04:05.600Z'],
        ['2026-01-02T03:04:05.067', '2026-01-02T03:04:05.067Z'],
        ['1960-01-02T03:04:05.067', '1960-01-02T03:04:05.067Z'],
        ['0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z'],
      ] as const) {
        await kit.execute(`update items set moment = ${stored(text)} where id = ${id}`);
        expect(await items.findOne({ documentId })).toMatchObject({ moment: shown });
        expect((await items.findMany({ filters: { documentId } }))[0]).toMatchObject({ moment: shown });
      }
    });

    it('takes dates, big integers and undefined as a program has them', async () => {
      const moment = new Date('2026-02-03T04:05:06.789Z');
      const made = await items.create({ data: { name: undefined, moment, big: 9_007_199_254_740_993n } });
      expect(made).toMatchObject({ name: null, moment: '2026-02-03T04:05:06.789Z', big: '9007199254740993' });
    });
  });

  describe('update', () => {
    it('changes the draft alone where no status is given', async () => {
      const { documentId, id } = await authors.create({ data: { name: 'One' }, status: 'published' });
      const changed = await authors.update({ documentId, data: { name: 'Two' } });
      expect(changed).toMatchObject({ name: 'Two', publishedAt: null });
      const [draft, published] = await both(authors, documentId);
      expect(draft).toEqual(changed);
      expect(published).toMatchObject({ id, name: 'One' });
    });

    it('publishes with that status, and returns the published row', async () => {
      const { documentId, id } = await authors.create({ data: { name: 'One' }, status: 'published' });
      await authors.update({ documentId, data: { email: 'a@b.co' } });
      const changed = await authors.update({ documentId, data: { name: 'Two' }, status: 'published' });
      expect(changed).toMatchObject({ id, name: 'Two', email: 'a@b.co' });
    });

    it('returns null for a document that is not there, after judging what was sent', async () => {
      expect(await authors.update({ documentId: 'nope', data: { name: 'x' } })).toBeNull();
      await expect(authors.update({ documentId: 'nope', data: { nope: 1 } })).rejects.toEqual(isRefusal(400));
      await expect(authors.update({ documentId: 'nope', data: { name: 5 } })).rejects.toEqual(isRefusal(400));
    });

    it('adds a locale, which starts with what all locales share', async () => {
      const made = await sheets.create({
        data: { title: 'en', code: 'C', count: 5, part: { name: 'p' }, ownPart: { name: 'own' } },
        status: 'published',
      });
      const { documentId } = made;
      const added = await sheets.update({ documentId, locale: 'fr', data: { title: 'fr' }, populate: '*' });
      expect(added).toMatchObject({
        locale: 'fr',
        title: 'fr',
        code: 'C',
        count: 5,
        part: { name: 'p' },
        ownPart: null,
        publishedAt: null,
      });
      expect(await sheets.findOne({ documentId, locale: 'fr', status: 'published' })).toBeNull();
      const published = await sheets.update({
        documentId,
        locale: 'de',
        data: { title: 'de', count: 6 },
        status: 'published',
      });
      expect(published).toMatchObject({ locale: 'de', code: 'C', count: 6 });
      for (const locale of ['en', 'fr', 'de'])
        expect(await sheets.findOne({ documentId, locale })).toMatchObject({ count: 6 });
      expect(await sheets.findOne({ documentId, status: 'published' })).toMatchObject({ count: 6 });
    });

    it('keeps the moments of creation, and stamps every row it changes with one moment', async () => {
      const { documentId } = await authors.create({ data: { name: 'One' }, status: 'published' });
      const [before] = await both(authors, documentId);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await authors.update({ documentId, data: { name: 'Two' }, status: 'published' });
      const [draft, published] = await both(authors, documentId);
      expect([draft!.createdAt, published!.createdAt]).toEqual([before!.createdAt, before!.createdAt]);
      expect(draft!.updatedAt > before!.updatedAt).toBe(true);
      expect(published!.updatedAt).toBe(draft!.updatedAt);
    });
  });

  describe('delete', () => {
    it('takes every row of the default locale and says which', async () => {
      const made = await sheets.create({ data: { title: 'en' }, status: 'published' });
      const { documentId } = made;
      await sheets.update({ documentId, locale: 'fr', data: { title: 'fr' } });
      const draft = await sheets.findOne({ documentId });
      const deleted = await sheets.delete({ documentId });
      expect(deleted.documentId).toBe(documentId);
      expect([...deleted.entries].sort((a, b) => a.id - b.id)).toEqual([
        { id: draft!.id, locale: 'en', status: 'draft' },
        { id: made.id, locale: 'en', status: 'published' },
      ]);
      expect(await both(sheets, documentId)).toEqual([null, null]);
      expect(await sheets.findOne({ documentId, locale: 'fr' })).not.toBeNull();
    });

    it('takes the locales named, or all of them', async () => {
      const make = async () => {
        const { documentId } = await sheets.create({ data: { title: 'en' } });
        for (const locale of ['fr', 'de']) await sheets.update({ documentId, locale, data: { title: locale } });
        return documentId;
      };
      const left = async (documentId: string) =>
        (await sheets.findMany({ locale: '*', filters: { documentId } })).map(({ locale }) => locale).sort();
      const [one, several, all] = [await make(), await make(), await make()];
      await sheets.delete({ documentId: one, locale: 'fr' });
      expect(await left(one)).toEqual(['de', 'en']);
      await sheets.delete({ documentId: several, locale: ['en', 'fr'] });
      expect(await left(several)).toEqual(['de']);
      const { entries } = await sheets.delete({ documentId: all, locale: '*' });
      expect(entries.map(({ locale }) => locale).sort()).toEqual(['de', 'en', 'fr']);
      expect(await left(all)).toEqual([]);
    });

    it('of what is not there takes nothing', async () => {
      expect(await authors.delete({ documentId: 'nope' })).toEqual({ documentId: 'nope', entries: [] });
    });

    it('takes components with all below them, and closes the lists it was in', async () => {
      const parts = 'select count(*) from components_kit_parts';
      const notes = 'select count(*) from components_kit_notes';
      const counts = async () => [await kit.number(parts), await kit.number(notes)];
      const stored = await counts();
      const { documentId } = await sheets.create({
        data: {
          title: 'x',
          parts: [{ name: 'a', inner: [{ text: 'n' }, { text: 'm' }] }],
          zone: [{ __component: 'kit.note', text: 'z' }],
        },
        status: 'published',
      });
      expect(await counts()).toEqual([stored[0]! + 2, stored[1]! + 6]);
      await sheets.delete({ documentId });
      expect(await counts()).toEqual(stored);
      expect(await kit.number('select count(*) from sheaf_component_copies')).toBe(
        await kit.number(
          `select count(*) from sheaf_component_copies c where exists (select 1 from components_kit_parts p where p.id = c.draft_id and c.component_table = 'components_kit_parts') or exists (select 1 from components_kit_notes n where n.id = c.draft_id and c.component_table = 'components_kit_notes')`,
        ),
      );
    });
  });

  describe('publish, unpublish and discardDraft', () => {
    it('publish returns the published rows', async () => {
      const { documentId } = await authors.create({ data: { name: 'One' } });
      const result = await authors.publish({ documentId });
      const [, published] = await both(authors, documentId);
      expect(result).toEqual({ documentId, entries: [{ id: published!.id, locale: null, status: 'published' }] });
      expect(published).toMatchObject({ name: 'One' });
    });

    it('publish takes one locale, several or all of them', async () => {
      const { documentId } = await sheets.create({ data: { title: 'en' } });
      for (const locale of ['fr', 'de']) await sheets.update({ documentId, locale, data: { title: locale } });
      const shown = async () =>
        (await sheets.findMany({ locale: '*', status: 'published', filters: { documentId } }))
          .map(({ locale }) => locale)
          .sort();
      await sheets.publish({ documentId });
      expect(await shown()).toEqual(['en']);
      await sheets.publish({ documentId, locale: ['en', 'fr'] });
      expect(await shown()).toEqual(['en', 'fr']);
      const { entries } = await sheets.publish({ documentId, locale: '*' });
      expect(entries.map(({ locale, status }) => [locale, status]).sort()).toEqual([
        ['de', 'published'],
        ['en', 'published'],
        ['fr', 'published'],
      ]);
      expect(await shown()).toEqual(['de', 'en', 'fr']);
    });

    it('publish happens for all locales or for none', async () => {
      const { documentId } = await sheets.create({ data: { title: 'en' } });
      await sheets.update({ documentId, locale: 'fr', data: { title: null } });
      await expect(sheets.publish({ documentId, locale: '*' })).rejects.toMatchObject({
        status: 400,
        details: { errors: [{ path: ['title'] }] },
      });
      expect(await sheets.findOne({ documentId, status: 'published' })).toBeNull();
    });

    it('unpublish takes the published rows away, says which, and leaves the drafts', async () => {
      const { documentId, id } = await authors.create({ data: { name: 'One' }, status: 'published' });
      await authors.update({ documentId, data: { name: 'Two' } });
      expect(await authors.unpublish({ documentId })).toEqual({
        documentId,
        entries: [{ id, locale: null, status: 'published' }],
      });
      const [draft, published] = await both(authors, documentId);
      expect(draft).toMatchObject({ name: 'Two' });
      expect(published).toBeNull();
    });

    it('unpublish takes the locales named alone', async () => {
      const { documentId } = await sheets.create({ data: { title: 'en' }, status: 'published' });
      await sheets.update({ documentId, locale: 'fr', data: { title: 'fr' }, status: 'published' });
      await sheets.unpublish({ documentId, locale: 'fr' });
      expect(await sheets.findOne({ documentId, status: 'published' })).not.toBeNull();
      expect(await sheets.findOne({ documentId, locale: 'fr', status: 'published' })).toBeNull();
      await sheets.unpublish({ documentId, locale: '*' });
      expect(await sheets.findOne({ documentId, status: 'published' })).toBeNull();
      expect(await sheets.count({ locale: '*', filters: { documentId } })).toBe(2);
    });

    it('discardDraft brings everything of the draft back to what is published, in the same row', async () => {
      const made = await sheets.create({
        data: {
          title: 'before',
          code: 'C',
          part: { name: 'p', size: 1 },
          parts: [{ name: 'a', inner: [{ text: 'i' }] }, { name: 'b' }],
          zone: [{ __component: 'kit.note', text: 'n' }],
        },
        status: 'published',
      });
      const { documentId } = made;
      const everything = {
        populate: { part: true, parts: { populate: '*' }, zone: { on: { 'kit.note': true, 'kit.part': true } } },
      } as const;
      const [draft] = await both(sheets, documentId, everything);
      await sheets.update({
        documentId,
        data: {
          title: 'after',
          code: null,
          part: null,
          parts: [{ name: 'c' }],
          zone: [{ __component: 'kit.part', name: 'z' }],
        },
      });
      const { entries } = await sheets.discardDraft({ documentId });
      expect(entries).toEqual([{ id: draft!.id, locale: 'en', status: 'draft' }]);
      const [again, published] = await both(sheets, documentId, everything);
      const withoutIds = (value: unknown): unknown =>
        JSON.parse(
          JSON.stringify(value, (key, inner) => (['id', 'updatedAt', 'publishedAt'].includes(key) ? undefined : inner)),
        );
      expect(withoutIds(again)).toEqual(withoutIds(draft));
      expect(withoutIds(again)).toEqual(withoutIds(published));
      expect(again!.id).toBe(draft!.id);
      expect(published!.id).toBe(made.id);
    });

    it('discardDraft leaves a document that was never published alone', async () => {
      const { documentId } = await authors.create({ data: { name: 'Only draft' } });
      await authors.discardDraft({ documentId });
      expect((await both(authors, documentId))[0]).toMatchObject({ name: 'Only draft' });
    });

    it('are refused for a type without drafts, and for a document that is not there', async () => {
      for (const operation of ['publish', 'unpublish', 'discardDraft'] as const) {
        await expect(categories[operation]({ documentId: 'nope' })).rejects.toEqual(isRefusal(400));
        await expect(authors[operation]({ documentId: 'nope' })).rejects.toEqual(isRefusal(404));
      }
    });

    it('keep the published id over any number of publications', async () => {
      const made = await sheets.create({
        data: { title: '0', parts: [{ name: 'a' }, { name: 'b' }] },
        status: 'published',
        populate: '*',
      });
      const { documentId } = made;
      const ids = (entry: Answered) => [entry.id, ...entry.parts.map(({ id }: Entry) => id)];
      for (let round = 1; round <= 5; round++) {
        await sheets.update({ documentId, data: { title: String(round), count: round } });
        await sheets.publish({ documentId });
        const published = await sheets.findOne({ documentId, status: 'published', populate: '*' });
        expect(published).toMatchObject({ title: String(round), count: round });
        expect(ids(published)).toEqual(ids(made));
      }
      expect(await kit.number(`select count(*) from sheets where document_id = '${documentId}'`)).toBe(2);
    });
  });

  describe('clone', () => {
    it('copies a draft with its components and links under a new id, changed as asked', async () => {
      const author = await authors.create({ data: { name: 'Author' }, status: 'published' });
      const made = await articles.create({
        data: {
          title: 'Original',
          readingMinutes: 3,
          authors: [author.documentId],
          seo: { metaTitle: 'm' },
          blocks: [{ __component: 'blocks.quote', text: 'q', author: author.documentId }],
        },
        status: 'published',
      });
      const everything = {
        populate: { authors: true, seo: true, blocks: { on: { 'blocks.quote': { populate: '*' } } } },
      } as const;
      const [original, published] = await both(articles, made.documentId, everything);
      const clone = await articles.clone({ documentId: made.documentId, data: { title: 'Clone' } });
      expect(clone.documentId).not.toBe(made.documentId);
      expect(clone).toMatchObject({ title: 'Clone', readingMinutes: 3, publishedAt: null, locale: 'en' });
      const [draft, none] = await both(articles, clone.documentId, everything);
      expect(none).toBeNull();
      expect(draft).toMatchObject({
        authors: [{ name: 'Author' }],
        seo: { metaTitle: 'm' },
        blocks: [{ text: 'q', author: { name: 'Author' } }],
      });
      expect(draft!.seo.id).not.toBe(original!.seo.id);
      expect(draft!.blocks[0].id).not.toBe(original!.blocks[0].id);
      expect(await both(articles, made.documentId, everything)).toEqual([original, published]);
    });

    it('leaves what can belong to one entry only with the original', async () => {
      const [lefts, rights] = [kit.sheaf.documents('api::left.left'), kit.sheaf.documents('api::right.right')];
      const right = await rights.create({ data: { name: 'right' } });
      const { documentId } = await lefts.create({
        data: {
          name: 'left',
          mate: right.documentId,
          some: [right.documentId],
          many: [right.documentId],
          lists: [right.documentId],
        },
      });
      const clone = await lefts.clone({ documentId });
      const shown = (await lefts.findOne({ documentId: clone.documentId, populate: '*' })) as Answered;
      expect([shown.mate, names(shown.some), names(shown.many), names(shown.lists)]).toEqual([
        null,
        [],
        ['right'],
        ['right'],
      ]);
      const kept = (await lefts.findOne({ documentId, populate: '*' })) as Answered;
      expect([names(kept.mate), names(kept.some), names(kept.many), names(kept.lists)]).toEqual([
        'right',
        ['right'],
        ['right'],
        ['right'],
      ]);
      const back = (await rights.findOne({ documentId: right.documentId, populate: '*' })) as Answered;
      expect(names(back.many)).toEqual(['left', 'left']);
    });

    it('copies the locales asked for', async () => {
      const { documentId } = await sheets.create({ data: { title: 'en', code: 'X' } });
      await sheets.update({ documentId, locale: 'fr', data: { title: 'fr' } });
      const clone = await sheets.clone({ documentId, locale: '*', data: { code: 'Y' } });
      for (const locale of ['en', 'fr'])
        expect(await sheets.findOne({ documentId: clone.documentId, locale })).toMatchObject({
          title: locale,
          code: 'Y',
        });
      expect(await sheets.findOne({ documentId, locale: 'fr' })).toMatchObject({ code: 'X' });
    });

    it('of a type without drafts is judged like any entry', async () => {
      const { documentId } = await items.create({ data: { name: 'the only' } });
      await expect(items.clone({ documentId })).rejects.toMatchObject({
        status: 400,
        details: { errors: [{ path: ['name'] }] },
      });
      expect(await items.clone({ documentId, data: { name: 'another' } })).toMatchObject({ name: 'another' });
      expect(await items.count({ filters: { name: 'the only' } })).toBe(1);
    });

    it('of what is not there is refused', async () => {
      await expect(authors.clone({ documentId: 'nope' })).rejects.toEqual(isRefusal(404));
    });
  });

  describe('what locales share', () => {
    const LOCALES = ['en', 'fr', 'de'];
    /** A value of every row of a document: drafts, then published rows, by locale. */
    const everywhere = async (documentId: string, pick: (entry: Answered) => unknown) => {
      const all: Record<string, unknown[]> = { draft: [], published: [] };
      for (const status of ['draft', 'published'] as const)
        for (const locale of LOCALES) {
          const entry = await sheets.findOne({
            documentId,
            locale,
            status,
            populate: { cover: true, part: { populate: '*' }, parts: true, zone: true },
          });
          all[status]!.push(entry && pick(entry));
        }
      return all;
    };
    const thrice = (value: unknown) => [value, value, value];

    async function inThreeLocales(): Promise<string> {
      const { documentId } = await sheets.create({ data: { title: 'en', code: 'A' }, status: 'published' });
      for (const locale of ['fr', 'de'])
        await sheets.update({ documentId, locale, data: { title: locale }, status: 'published' });
      return documentId;
    }

    it('reaches every draft with a draft, and every published row when it is published', async () => {
      const documentId = await inThreeLocales();
      const codes = () => everywhere(documentId, ({ code }) => code);
      expect(await codes()).toEqual({ draft: thrice('A'), published: thrice('A') });
      await sheets.update({ documentId, locale: 'fr', data: { code: 'B' } });
      expect(await codes()).toEqual({ draft: thrice('B'), published: thrice('A') });
      await sheets.update({ documentId, locale: 'de', data: { code: 'C' }, status: 'published' });
      expect(await codes()).toEqual({ draft: thrice('C'), published: thrice('C') });
      await sheets.update({ documentId, data: { code: null }, status: 'published' });
      expect(await codes()).toEqual({ draft: thrice(null), published: thrice(null) });
    });

    it('stays in step when a draft that changed it is published by itself', async () => {
      const documentId = await inThreeLocales();
      const codes = () => everywhere(documentId, ({ code }) => code);
      await sheets.update({ documentId, locale: 'fr', data: { code: 'B' } });
      await sheets.publish({ documentId, locale: 'fr' });
      expect(await codes()).toEqual({ draft: thrice('B'), published: thrice('B') });
      await sheets.update({ documentId, locale: 'de', data: { code: 'C' } });
      await sheets.update({ documentId, data: { title: 'en, published with another change' }, status: 'published' });
      expect(await codes()).toEqual({ draft: thrice('C'), published: thrice('C') });
    });

    it('stays in step when a draft that changed it is discarded', async () => {
      const documentId = await inThreeLocales();
      await sheets.update({ documentId, locale: 'fr', data: { code: 'B' } });
      await sheets.discardDraft({ documentId, locale: 'de' });
      expect(await everywhere(documentId, ({ code }) => code)).toEqual({ draft: thrice('A'), published: thrice('A') });
    });

    it('does not reach what each locale has for itself', async () => {
      const documentId = await inThreeLocales();
      await sheets.update({
        documentId,
        locale: 'fr',
        data: { title: 'titre', ownPart: { name: 'à moi' }, code: 'B' },
        status: 'published',
      });
      expect(await everywhere(documentId, ({ title }) => title)).toEqual({
        draft: ['en', 'titre', 'de'],
        published: ['en', 'titre', 'de'],
      });
      expect((await sheets.findOne({ documentId, populate: '*' }))!.ownPart).toBeNull();
    });

    it('includes components and zones with all below them, each row with its own', async () => {
      const documentId = await inThreeLocales();
      const pages = kit.sheaf.documents('api::page.page');
      const page = await pages.create({ data: { title: 'page en' }, status: 'published' });
      await pages.update({
        documentId: page.documentId,
        locale: 'fr',
        data: { title: 'page fr' },
        status: 'published',
      });
      await sheets.update({
        documentId,
        data: {
          part: { name: 'p', size: 7, pages: [page.documentId], inner: [{ text: 'i' }, { text: 'j' }] },
          parts: [{ name: 'a' }, { name: 'b' }],
          zone: [
            { __component: 'kit.note', text: 'n' },
            { __component: 'kit.part', name: 'z' },
          ],
        },
        status: 'published',
      });
      const shown = ({ part, parts, zone }: Answered) => [
        part.size,
        part.inner.map(({ text }: Answered) => text),
        parts.map(({ name }: Answered) => name),
        zone.map(({ __component, text, name }: Answered) => [__component, text ?? name]),
      ];
      const expected = [
        7,
        ['i', 'j'],
        ['a', 'b'],
        [
          ['kit.note', 'n'],
          ['kit.part', 'z'],
        ],
      ];
      expect(await everywhere(documentId, shown)).toEqual({ draft: thrice(expected), published: thrice(expected) });
      // Relations inside lead to the rows of the same locale and status; a page that is not there in German is left out.
      expect(await everywhere(documentId, ({ part }) => part.pages.map(({ title }: Answered) => title))).toEqual({
        draft: [['page en'], ['page fr'], []],
        published: [['page en'], ['page fr'], []],
      });
      const ids = await everywhere(documentId, ({ part }) => part.id);
      expect(new Set(Object.values(ids).flat()).size).toBe(6);
      await sheets.update({ documentId, locale: 'de', data: { part: null, zone: [] }, status: 'published' });
      expect(await everywhere(documentId, ({ part, zone }) => [part, zone])).toEqual({
        draft: thrice([null, []]),
        published: thrice([null, []]),
      });
    });

    it('stays where a new locale is written with null, and goes where one that is there is', async () => {
      const shown = ({ count, cover, part, parts }: Answered) => [
        count,
        cover?.id ?? null,
        part?.name ?? null,
        parts.length,
      ];
      const [file] = await kit.sheaf.files.upload({ name: 'a.txt', content: Buffer.from('a') });
      const data = { title: 'en', count: 3, cover: file!.id, part: { name: 'p' }, parts: [{ name: 'q' }] };
      const { documentId } = await sheets.create({ data, status: 'published' });
      const nulls = { count: null, cover: null, part: null };
      for (const locale of ['fr', 'de'])
        await sheets.update({ documentId, locale, data: { title: locale, ...nulls }, status: 'published' });
      const kept = thrice([3, file!.id, 'p', 1]);
      expect(await everywhere(documentId, shown)).toEqual({ draft: kept, published: kept });
      await sheets.update({ documentId, locale: 'fr', data: nulls, status: 'published' });
      const gone = thrice([null, null, null, 1]);
      expect(await everywhere(documentId, shown)).toEqual({ draft: gone, published: gone });
    });

    it('in components of a new locale leads to the drafts of that locale', async () => {
      const pages = kit.sheaf.documents('api::page.page');
      const page = await pages.create({ data: { title: 'page en' }, status: 'published' });
      await pages.update({
        documentId: page.documentId,
        locale: 'fr',
        data: { title: 'page fr' },
        status: 'published',
      });
      const { documentId } = await sheets.create({
        data: { title: 'en', part: { name: 'p', pages: [page.documentId] } },
        status: 'published',
      });
      await sheets.update({ documentId, locale: 'fr', data: { title: 'fr' } });
      const pagesOf = async (status: 'draft' | 'published') => {
        const entry = (await sheets.findOne({
          documentId,
          locale: 'fr',
          status,
          populate: { part: { populate: '*' } },
        })) as Answered;
        return entry.part.pages.map(({ title }: Answered) => title);
      };
      expect(await pagesOf('draft')).toEqual(['page fr']);
      await sheets.publish({ documentId, locale: 'fr' });
      expect(await pagesOf('published')).toEqual(['page fr']);
    });

    describe('in components', () => {
      let pages: Documents;
      beforeAll(() => {
        pages = kit.sheaf.documents('api::page.page');
      });
      const makePage = async (title: string, status: 'draft' | 'published') => {
        const { documentId } = await pages.create({ data: { title }, status });
        await pages.update({ documentId, locale: 'fr', data: { title }, status });
        return documentId;
      };
      const linked = async (documents: Documents, documentId: string, status: 'draft' | 'published') => {
        const populate = { part: { populate: ['pages'] } };
        const shown: Record<string, string[]> = {};
        for (const locale of ['en', 'fr']) {
          const entry = (await documents.findOne({ documentId, locale, status, populate })) as Answered;
          shown[locale] = entry.part.pages.map(({ title }: Answered) => title);
        }
        return shown;
      };

      it('leads to targets that are published later, in every locale in which they are', async () => {
        const [first, second] = [await makePage('first', 'draft'), await makePage('second', 'published')];
        const part = { name: 'p', pages: [first, second] };
        const { documentId } = await sheets.create({ data: { title: 'en', part }, status: 'published' });
        await sheets.update({ documentId, locale: 'fr', data: { title: 'fr' }, status: 'published' });
        expect(await linked(sheets, documentId, 'published')).toEqual({ en: ['second'], fr: ['second'] });
        await pages.publish({ documentId: first, locale: 'en' });
        expect(await linked(sheets, documentId, 'published')).toEqual({ en: ['first', 'second'], fr: ['second'] });
        await sheets.publish({ documentId, locale: 'en' });
        await pages.publish({ documentId: first, locale: 'fr' });
        const all = { en: ['first', 'second'], fr: ['first', 'second'] };
        expect(await linked(sheets, documentId, 'published')).toEqual(all);
        await pages.unpublish({ documentId: first, locale: '*' });
        await sheets.discardDraft({ documentId, locale: 'en' });
        expect(await linked(sheets, documentId, 'draft')).toEqual(all);
      });

      it('of entries without drafts leads to drafts and published entries alike', async () => {
        const [first, second] = [await makePage('first', 'draft'), await makePage('second', 'published')];
        const part = { name: 'p', pages: [second, first] };
        const { documentId } = await labels.create({ data: { text: 'en', part } });
        await labels.update({ documentId, locale: 'fr', data: { text: 'fr' } });
        for (let round = 0; round < 2; round++) {
          const drafts = { en: ['second', 'first'], fr: ['second', 'first'] };
          expect(await linked(labels, documentId, 'draft')).toEqual(drafts);
          expect(await linked(labels, documentId, 'published')).toEqual({ en: ['second'], fr: ['second'] });
          await labels.update({ documentId, data: { part } });
        }
      });

      it('keeps what leads to entries that do not exist in the locale that is written', async () => {
        const { documentId: untranslated } = await pages.create({ data: { title: 'only en' }, status: 'published' });
        const [first, last] = [await makePage('first', 'published'), await makePage('last', 'published')];
        const { documentId } = await sheets.create({
          data: { title: 'en', part: { name: 'p', pages: [first, untranslated, last] } },
          status: 'published',
        });
        const partIn = async (locale: string) =>
          ((await sheets.findOne({ documentId, locale, populate: ['part'] })) as Answered).part.id;
        const expectEverywhere = async (shown: Record<string, string[]>) => {
          expect(await linked(sheets, documentId, 'draft')).toEqual(shown);
          expect(await linked(sheets, documentId, 'published')).toEqual(shown);
        };
        const french = { documentId, locale: 'fr', status: 'published' } as const;
        await sheets.update({ ...french, data: { title: 'fr' } });
        await expectEverywhere({ en: ['first', 'only en', 'last'], fr: ['first', 'last'] });
        await sheets.update({ ...french, data: { part: { id: await partIn('fr'), name: 'renamed' } } });
        await expectEverywhere({ en: ['first', 'only en', 'last'], fr: ['first', 'last'] });
        const disconnect = { id: await partIn('fr'), pages: { disconnect: [first] } };
        await sheets.update({ ...french, data: { part: disconnect } });
        await expectEverywhere({ en: ['only en', 'last'], fr: ['last'] });
        await sheets.update({ ...french, data: { part: { name: 'another', pages: [first] } } });
        await expectEverywhere({ en: ['first'], fr: ['first'] });
        await sheets.update({ documentId, locale: 'fr', data: { part: { name: 'without pages' } } });
        await sheets.publish({ documentId, locale: 'fr' });
        await expectEverywhere({ en: [], fr: [] });
      });

      it('keeps what leads to entries that were translated after it', async () => {
        const pageIn = async (documentId: string, title: string) =>
          pages.update({ documentId, locale: 'fr', data: { title }, status: 'published' });
        const [late, later] = [
          await pages.create({ data: { title: 'late' }, status: 'published' }),
          await pages.create({ data: { title: 'later' }, status: 'published' }),
        ];
        const early = await makePage('early', 'published');
        const part = { name: 'p', pages: [late.documentId, early, later.documentId] };
        const { documentId } = await sheets.create({ data: { title: 'en', part }, status: 'published' });
        const drafted = (await sheets.update({
          documentId,
          locale: 'fr',
          data: { title: 'fr' },
          populate: ['part'],
        })) as Answered;
        await pageIn(late.documentId, 'late');
        await sheets.publish({ documentId, locale: 'fr' });
        await pageIn(later.documentId, 'later');
        const renamed = { part: { id: drafted.part.id, name: 'renamed' } };
        await sheets.update({ documentId, locale: 'fr', data: renamed, status: 'published' });
        for (const status of ['draft', 'published'] as const)
          expect(await linked(sheets, documentId, status)).toEqual({ en: ['late', 'early', 'later'], fr: ['early'] });
      });

      it('of entries without drafts keeps what leads to entries that do not exist in the locale', async () => {
        const { documentId: untranslated } = await pages.create({ data: { title: 'only en' }, status: 'published' });
        const both = await makePage('both', 'published');
        const part = { name: 'p', pages: [untranslated, both] };
        const { documentId } = await labels.create({ data: { text: 'en', part } });
        const french = (await labels.update({
          documentId,
          locale: 'fr',
          data: { text: 'fr' },
          populate: ['part'],
        })) as Answered;
        const data = { part: { id: french.part.id, pages: { disconnect: [both] } } };
        await labels.update({ documentId, locale: 'fr', data });
        for (const status of ['draft', 'published'] as const)
          expect(await linked(labels, documentId, status)).toEqual({ en: ['only en'], fr: [] });
      });
    });

    it('in components can be sent back with the ids of any locale and status it was read in', async () => {
      const documentId = await inThreeLocales();
      await sheets.update({
        documentId,
        data: {
          parts: [
            { name: 'a', size: 1 },
            { name: 'b', size: 2 },
          ],
        },
        status: 'published',
      });
      for (const locale of LOCALES)
        for (const status of ['draft', 'published'] as const) {
          const read = (await sheets.findOne({ documentId, locale, status, populate: '*' })) as Answered;
          const parts = read.parts.map(({ id }: Answered) => ({ id, name: `${locale} ${status}` }));
          const changed = (await sheets.update({
            documentId,
            locale,
            data: { parts },
            status: 'published',
            populate: '*',
          })) as Answered;
          expect(changed.parts).toMatchObject([
            { name: `${locale} ${status}`, size: 1 },
            { name: `${locale} ${status}`, size: 2 },
          ]);
        }
    });

    describe('in components keeps its rows in other locales', () => {
      const populate = { part: { populate: '*' }, parts: { populate: '*' }, zone: { populate: '*' } } as const;
      const read = async (documentId: string, locale: string, status: 'draft' | 'published') =>
        (await sheets.findOne({ documentId, locale, status, populate })) as Answered;
      /** Every row but those of one locale, with all in it. */
      const ofOthers = async (documentId: string, writing: string) => {
        const all: Record<string, Answered> = {};
        for (const locale of LOCALES)
          for (const status of ['draft', 'published'] as const)
            if (locale !== writing) all[`${locale} ${status}`] = await read(documentId, locale, status);
        return all;
      };
      const inner = (part: Answered) => part.inner.map(({ id, text }: Answered) => [id, text]);
      const data = {
        part: { name: 'p', size: 1, inner: [{ text: 'i' }, { text: 'j' }] },
        parts: [{ name: 'a' }, { name: 'b', inner: [{ text: 'k' }] }, { name: 'c' }],
        zone: [
          { __component: 'kit.part', name: 'z' },
          { __component: 'kit.note', text: 'n' },
        ],
      };

      async function withComponents(): Promise<string> {
        const documentId = await inThreeLocales();
        await sheets.update({ documentId, data, status: 'published' });
        return documentId;
      }

      it('when something else is written and published', async () => {
        const documentId = await withComponents();
        const before = await ofOthers(documentId, 'en');
        await sheets.update({ documentId, data: { title: 'en 2' }, status: 'published' });
        await sheets.publish({ documentId });
        await sheets.discardDraft({ documentId });
        expect(await ofOthers(documentId, 'en')).toEqual(before);
        const { part, parts, zone } = before['fr published'];
        await sheets.update({ documentId, locale: 'fr', data: { part, parts, zone }, status: 'published' });
        expect((await read(documentId, 'fr', 'published')).parts).toEqual(parts);
      });

      it('when the same is written, and when a locale is added or published for the first time', async () => {
        const documentId = await withComponents();
        const { code, part, parts, zone } = await read(documentId, 'en', 'published');
        const before = await ofOthers(documentId, 'en');
        await sheets.update({ documentId, data: { code, part, parts, zone }, status: 'published' });
        expect(await ofOthers(documentId, 'en')).toEqual(before);
        await sheets.delete({ documentId, locale: 'en' });
        await sheets.update({ documentId, locale: 'en', data: { title: 'again' }, status: 'published' });
        await sheets.unpublish({ documentId, locale: 'en' });
        await sheets.publish({ documentId, locale: 'en' });
        expect(await ofOthers(documentId, 'en')).toEqual(before);
      });

      it.each(['at once', 'later'])(
        'when they are changed, moved, added and removed, and published %s',
        async (when) => {
          const documentId = await withComponents();
          const { part, parts, zone } = await read(documentId, 'en', when === 'later' ? 'draft' : 'published');
          const before = await ofOthers(documentId, 'en');
          await sheets.update({
            documentId,
            data: {
              part: { id: part.id, size: 2, inner: [{ id: part.inner[1].id, text: 'j2' }, { text: 'new' }] },
              parts: [{ id: parts[2].id }, { name: 'new' }, { id: parts[1].id, size: 5 }],
              zone: [{ __component: 'kit.note', id: zone[1].id, text: 'n2' }],
            },
            ...(when === 'at once' && { status: 'published' }),
          });
          if (when === 'later') {
            await sheets.unpublish({ documentId });
            await sheets.publish({ documentId });
          }
          for (const [row, after] of Object.entries(await ofOthers(documentId, 'en'))) {
            const was = before[row];
            expect(after.part, row).toMatchObject({ id: was.part.id, name: 'p', size: 2 });
            expect(inner(after.part), row).toEqual([
              [was.part.inner[1].id, 'j2'],
              [expect.any(Number), 'new'],
            ]);
            expect(
              after.parts.map(({ id, name, size }: Answered) => [id, name, size]),
              row,
            ).toEqual([
              [was.parts[2].id, 'c', 0],
              [expect.any(Number), 'new', 0],
              [was.parts[1].id, 'b', 5],
            ]);
            expect(inner(after.parts[2]), row).toEqual(inner(was.parts[1]));
            expect(after.zone, row).toEqual([{ __component: 'kit.note', id: was.zone[1].id, text: 'n2' }]);
            expect(after.updatedAt > was.updatedAt, row).toBe(true);
          }
          // What was added is known by its published id as well, at every depth.
          for (const locale of LOCALES) {
            const shown = await read(documentId, locale, 'published');
            await sheets.update({ documentId, locale, data: { part: shown.part, parts: shown.parts } });
            await sheets.publish({ documentId, locale });
            expect((await read(documentId, locale, 'published')).parts).toEqual(shown.parts);
          }
        },
      );

      it('of a type without drafts', async () => {
        const { documentId } = await labels.create({ data: { text: 'en', part: data.part } });
        await labels.update({ documentId, locale: 'fr', data: { text: 'fr' } });
        const ofLocale = async (locale: string) =>
          (await labels.findOne({ documentId, locale, populate: { part: { populate: '*' } } })) as Answered;
        const [english, french] = [await ofLocale('en'), await ofLocale('fr')];
        const [first, second] = english.part.inner;
        await labels.update({
          documentId,
          data: { text: 'en 2', part: { id: english.part.id, inner: [first, second] } },
        });
        expect(await ofLocale('fr')).toEqual(french);
        await labels.update({
          documentId,
          data: { part: { id: english.part.id, size: 2, inner: [{ id: second.id }] } },
        });
        expect((await ofLocale('fr')).part).toEqual({ ...french.part, size: 2, inner: [french.part.inner[1]] });
      });
    });

    it('of a type without drafts is the same in every row', async () => {
      const { documentId } = await labels.create({ data: { text: 'en', tone: 'soft' } });
      await labels.update({ documentId, locale: 'fr', data: { text: 'fr' } });
      expect(await labels.findOne({ documentId, locale: 'fr' })).toMatchObject({ text: 'fr', tone: 'soft' });
      await labels.update({ documentId, locale: 'fr', data: { tone: 'loud' } });
      expect(await labels.findOne({ documentId })).toMatchObject({ text: 'en', tone: 'loud' });
    });

    it('is not written to a locale that does not exist', async () => {
      const { documentId } = await sheets.create({ data: { title: 'en', code: 'A' }, status: 'published' });
      await sheets.update({ documentId, data: { code: 'B' }, status: 'published' });
      expect(await sheets.count({ locale: '*', filters: { documentId } })).toBe(1);
    });
  });

  describe('links and publication', () => {
    let lefts: Documents;
    let rights: Documents;
    beforeAll(() => {
      lefts = kit.sheaf.documents('api::left.left');
      rights = kit.sheaf.documents('api::right.right');
    });
    const make = async (
      documents: Documents,
      texts: readonly string[],
      status: 'draft' | 'published' = 'published',
    ) => {
      const made: Record<string, string> = {};
      for (const name of texts) made[name] = (await documents.create({ data: { name }, status })).documentId;
      return made;
    };
    const list = async (
      documents: Documents,
      documentId: string,
      attribute: string,
      status: 'draft' | 'published' = 'published',
    ) => names((await documents.findOne({ documentId, status, populate: [attribute] }))?.[attribute]);

    it.each(['many', 'some', 'lists'])(
      'a target that is published later appears in its place: %s',
      async (attribute) => {
        const r = await make(rights, ['a', 'c']);
        const b = (await rights.create({ data: { name: 'b' } })).documentId;
        const { documentId } = await lefts.create({
          data: { name: 'l', [attribute]: [r.a, b, r.c] },
          status: 'published',
        });
        expect(await list(lefts, documentId, attribute)).toEqual(['a', 'c']);
        await rights.publish({ documentId: b });
        expect(await list(lefts, documentId, attribute)).toEqual(['a', 'b', 'c']);
        expect(await list(lefts, documentId, attribute, 'draft')).toEqual(['a', 'b', 'c']);
      },
    );

    it.each(['mate', 'points'])('the one target, published later, appears: %s', async (attribute) => {
      const b = (await rights.create({ data: { name: 'b' } })).documentId;
      const { documentId } = await lefts.create({ data: { name: 'l', [attribute]: b }, status: 'published' });
      expect(await list(lefts, documentId, attribute)).toBeNull();
      await rights.publish({ documentId: b });
      expect(await list(lefts, documentId, attribute)).toBe('b');
    });

    it('an owner that is published later appears in its place in the list of its target', async () => {
      const r = (await rights.create({ data: { name: 'r' }, status: 'published' })).documentId;
      const l = await make(lefts, ['l1', 'l2', 'l3'], 'draft');
      for (const one of Object.values(l)) await lefts.update({ documentId: one, data: { many: [r] } });
      expect(await list(rights, r, 'many', 'draft')).toEqual(['l1', 'l2', 'l3']);
      await rights.publish({ documentId: r });
      for (const [name, shown] of [
        ['l3', ['l3']],
        ['l1', ['l1', 'l3']],
        ['l2', ['l1', 'l2', 'l3']],
      ] as const) {
        await lefts.publish({ documentId: l[name]! });
        expect(await list(rights, r, 'many')).toEqual(shown);
      }
    });

    it('in components appear when their target is published', async () => {
      const r = await make(rights, ['a', 'c']);
      const b = (await rights.create({ data: { name: 'b' } })).documentId;
      const { documentId } = await lefts.create({
        data: { name: 'l', parts: [{ name: 'p', lists: [r.a, b, r.c], points: b }] },
        status: 'published',
      });
      const shown = async (status: 'draft' | 'published') => {
        const entry = (await lefts.findOne({ documentId, status, populate: { parts: { populate: '*' } } })) as Answered;
        return [names(entry.parts[0].lists), names(entry.parts[0].points)];
      };
      expect(await shown('published')).toEqual([['a', 'c'], null]);
      await rights.publish({ documentId: b });
      expect(await shown('published')).toEqual([['a', 'b', 'c'], 'b']);
      await rights.unpublish({ documentId: b });
      expect(await shown('published')).toEqual([['a', 'c'], null]);
      expect(await shown('draft')).toEqual([['a', 'b', 'c'], 'b']);
      await rights.publish({ documentId: b });
      expect(await shown('published')).toEqual([['a', 'b', 'c'], 'b']);
    });

    it.each(['many', 'some', 'lists'])(
      'a target that is unpublished and published again comes back to its place: %s',
      async (attribute) => {
        const r = await make(rights, ['a', 'b', 'c']);
        const { documentId } = await lefts.create({
          data: { name: 'l', [attribute]: [r.c, r.b, r.a] },
          status: 'published',
        });
        await rights.unpublish({ documentId: r.b! });
        expect(await list(lefts, documentId, attribute)).toEqual(['c', 'a']);
        await rights.publish({ documentId: r.b! });
        expect(await list(lefts, documentId, attribute)).toEqual(['c', 'b', 'a']);
      },
    );

    it.each(['many', 'some', 'lists'])(
      'an owner that is unpublished and published again shows its list as before: %s',
      async (attribute) => {
        const r = await make(rights, ['a', 'b', 'c']);
        const { documentId } = await lefts.create({
          data: { name: 'l', [attribute]: [r.c, r.a, r.b] },
          status: 'published',
        });
        await lefts.unpublish({ documentId });
        await lefts.publish({ documentId });
        expect(await list(lefts, documentId, attribute)).toEqual(['c', 'a', 'b']);
      },
    );

    it.each(['many', 'some', 'lists'])(
      'a link added to a draft since does not show, and one removed still does, until it is published: %s',
      async (attribute) => {
        const r = await make(rights, ['a', 'b', 'c']);
        const { documentId } = await lefts.create({
          data: { name: 'l', [attribute]: [r.a, r.b] },
          status: 'published',
        });
        await lefts.update({ documentId, data: { [attribute]: [r.c, r.b] } });
        expect(await list(lefts, documentId, attribute)).toEqual(['a', 'b']);
        expect(await list(lefts, documentId, attribute, 'draft')).toEqual(['c', 'b']);
        await lefts.publish({ documentId });
        expect(await list(lefts, documentId, attribute)).toEqual(['c', 'b']);
      },
    );

    it('a one-way link added to a draft since does not show when its target is published', async () => {
      const r = await make(rights, ['a', 'b']);
      const later = (await rights.create({ data: { name: 'later' } })).documentId;
      const { documentId } = await lefts.create({
        data: { name: 'l', lists: [r.a], points: r.a },
        status: 'published',
      });
      await lefts.update({ documentId, data: { lists: [r.a, r.b, later], points: later } });
      await rights.publish({ documentId: r.b! });
      await rights.publish({ documentId: later });
      expect(await list(lefts, documentId, 'lists')).toEqual(['a']);
      expect(await list(lefts, documentId, 'points')).toBe('a');
    });

    it('a two-way link added to a draft since shows when the other side, whose draft has it too, is published', async () => {
      const r = await make(rights, ['a', 'b']);
      const { documentId } = await lefts.create({ data: { name: 'l', many: [r.a] }, status: 'published' });
      await lefts.update({ documentId, data: { many: [r.a, r.b] } });
      await rights.publish({ documentId: r.a! });
      expect(await list(lefts, documentId, 'many')).toEqual(['a']);
      await rights.publish({ documentId: r.b! });
      expect(await list(lefts, documentId, 'many')).toEqual(['a', 'b']);
    });

    it.each(['the owner', 'the target'])(
      'a link that both drafts have lost goes with the next publication of either: %s',
      async (published) => {
        const r = await make(rights, ['a', 'b']);
        const { documentId } = await lefts.create({ data: { name: 'l', many: [r.a, r.b] }, status: 'published' });
        await rights.publish({ documentId: r.a! });
        await lefts.update({ documentId, data: { many: { disconnect: [r.a] } } });
        expect(await list(lefts, documentId, 'many')).toEqual(['a', 'b']);
        if (published === 'the owner') await lefts.publish({ documentId });
        else await rights.publish({ documentId: r.a! });
        expect(await list(lefts, documentId, 'many')).toEqual(['b']);
        expect(await list(rights, r.a!, 'many')).toEqual([]);
        for (const one of Object.values(r)) await rights.publish({ documentId: one });
        expect(await list(lefts, documentId, 'many')).toEqual(['b']);
      },
    );

    it('publishing does not reorder the other side, and puts a new link before what comes later in its draft', async () => {
      const r = (await rights.create({ data: { name: 'r' } })).documentId;
      const l = await make(lefts, ['l1', 'l2', 'l3', 'l4']);
      await rights.update({ documentId: r, data: { many: [l.l1, l.l2, l.l3] }, status: 'published' });
      await rights.update({ documentId: r, data: { many: [l.l3, l.l4, l.l2, l.l1] } });
      for (const name of ['l1', 'l2', 'l3']) {
        await lefts.publish({ documentId: l[name]! });
        expect(await list(rights, r, 'many')).toEqual(['l1', 'l2', 'l3']);
      }
      await lefts.publish({ documentId: l.l4! });
      expect(await list(rights, r, 'many')).toEqual(['l4', 'l1', 'l2', 'l3']);
      await rights.publish({ documentId: r });
      expect(await list(rights, r, 'many')).toEqual(['l3', 'l4', 'l2', 'l1']);
    });

    it('publishing one side removes from the other what the draft has lost, and the rest closes up in its order', async () => {
      const r = await make(rights, ['a', 'b', 'c']);
      const { documentId } = await lefts.create({ data: { name: 'l', many: [r.c, r.a, r.b] }, status: 'published' });
      await lefts.update({ documentId, data: { many: [r.b, r.c] } });
      await rights.publish({ documentId: r.a! });
      expect(await list(lefts, documentId, 'many')).toEqual(['c', 'b']);
      const places = await kit.rows(
        `select k.right_ord from lefts_many_lnk k join lefts l on l.id = k.left_id where l.document_id = '${documentId}' and l.published_at is not null order by 1`,
      );
      expect(places.flat()).toEqual([1, 2]);
    });

    it('a one-way list shows what its owner was published with, whatever the targets do', async () => {
      const r = await make(rights, ['a', 'b', 'c']);
      const { documentId } = await lefts.create({
        data: { name: 'l', lists: [r.c, r.b, r.a], points: r.b },
        status: 'published',
      });
      await lefts.update({ documentId, data: { lists: [r.a], points: r.a } });
      for (const one of Object.values(r)) await rights.publish({ documentId: one });
      expect(await list(lefts, documentId, 'lists')).toEqual(['c', 'b', 'a']);
      for (const one of [r.b!, r.c!]) await rights.unpublish({ documentId: one });
      expect(await list(lefts, documentId, 'lists')).toEqual(['a']);
      for (const one of [r.b!, r.c!]) await rights.publish({ documentId: one });
      expect(await list(lefts, documentId, 'lists')).toEqual(['c', 'b', 'a']);
      expect(await list(lefts, documentId, 'points')).toBe('b');
      await lefts.publish({ documentId });
      expect(await list(lefts, documentId, 'lists')).toEqual(['a']);
      await rights.unpublish({ documentId: r.b! });
      await rights.publish({ documentId: r.b! });
      expect(await list(lefts, documentId, 'lists')).toEqual(['a']);
    });

    it('what only one entry can have is taken from the published rows of others by publishing', async () => {
      const r = await make(rights, ['a', 'b']);
      const data = { some: [r.a, r.b], mate: r.a };
      const first = (await lefts.create({ data: { name: 'first', ...data }, status: 'published' })).documentId;
      const second = (await lefts.create({ data: { name: 'second', some: [r.b], mate: r.a } })).documentId;
      expect(await list(lefts, first, 'some')).toEqual(['a', 'b']);
      expect(await list(lefts, first, 'mate')).toBe('a');
      await lefts.publish({ documentId: second });
      expect(await list(lefts, first, 'some')).toEqual(['a']);
      expect(await list(lefts, first, 'mate')).toBeNull();
      expect(await list(lefts, second, 'some')).toEqual(['b']);
      expect(await list(rights, r.b!, 'one')).toBe('second');
      expect(await list(rights, r.a!, 'mate')).toBe('second');
    });

    it('publishing the target moves it to the entry that has it in the drafts', async () => {
      const r = await make(rights, ['a']);
      const data = { some: [r.a], mate: r.a };
      const first = (await lefts.create({ data: { name: 'first', ...data }, status: 'published' })).documentId;
      const second = (await lefts.create({ data: { name: 'second' }, status: 'published' })).documentId;
      await lefts.update({ documentId: second, data });
      await rights.publish({ documentId: r.a! });
      expect(await list(lefts, first, 'some')).toEqual([]);
      expect(await list(lefts, first, 'mate')).toBeNull();
      expect(await list(lefts, second, 'some')).toEqual(['a']);
      expect(await list(lefts, second, 'mate')).toBe('a');
    });

    it('publishing either side over and over loses and moves nothing, in both directions', async () => {
      const r = await make(rights, ['r1', 'r2', 'r3']);
      const l = await make(lefts, ['l1', 'l2', 'l3']);
      const lists: Record<string, string[]> = { l1: ['r3', 'r1', 'r2'], l2: ['r2', 'r3'], l3: ['r1', 'r2', 'r3'] };
      for (const [name, wanted] of Object.entries(lists))
        await lefts.update({ documentId: l[name]!, data: { many: wanted.map((one) => r[one]) }, status: 'published' });
      await rights.update({ documentId: r.r2!, data: { many: [l.l3, l.l1, l.l2] }, status: 'published' });
      const state = async (status: 'draft' | 'published') => [
        ...(await Promise.all(Object.values(l).map((one) => list(lefts, one, 'many', status)))),
        ...(await Promise.all(Object.values(r).map((one) => list(rights, one, 'many', status)))),
      ];
      const expected = [...Object.values(lists), ['l1', 'l3'], ['l3', 'l1', 'l2'], ['l1', 'l2', 'l3']];
      expect(await state('draft')).toEqual(expected);
      expect(await state('published')).toEqual(expected);
      for (const one of [r.r2, l.l1, l.l3, r.r1, l.l2, r.r3, l.l1, r.r2]) {
        const documents = Object.values(l).includes(one!) ? lefts : rights;
        await documents.publish({ documentId: one! });
        expect(await state('published')).toEqual(expected);
      }
      expect(await state('draft')).toEqual(expected);
    });

    it('a document that is deleted leaves every list, and the lists close up', async () => {
      const r = await make(rights, ['a', 'b', 'c']);
      const { documentId } = await lefts.create({
        data: { name: 'l', many: [r.a, r.b, r.c], lists: [r.a, r.b, r.c] },
        status: 'published',
      });
      await rights.delete({ documentId: r.b! });
      for (const status of ['draft', 'published'] as const)
        for (const attribute of ['many', 'lists'])
          expect(await list(lefts, documentId, attribute, status)).toEqual(['a', 'c']);
      const places = await kit.rows(
        `select k.right_ord from lefts_many_lnk k join lefts l on l.id = k.left_id where l.document_id = '${documentId}' and l.published_at is null order by 1`,
      );
      expect(places.flat()).toEqual([1, 2]);
      // Nothing of it comes back.
      await lefts.publish({ documentId });
      expect(await list(lefts, documentId, 'many')).toEqual(['a', 'c']);
    });

    it('discardDraft brings links back that the draft had lost, in their order', async () => {
      const r = await make(rights, ['a', 'b', 'c']);
      const hidden = (await rights.create({ data: { name: 'hidden' } })).documentId;
      const { documentId } = await lefts.create({
        data: { name: 'l', many: [r.b, hidden, r.a], lists: [r.c, r.a], mate: r.a, points: r.b },
        status: 'published',
      });
      await lefts.update({ documentId, data: { many: [r.c], lists: [], mate: r.c, points: null } });
      await lefts.discardDraft({ documentId });
      expect(await list(lefts, documentId, 'many', 'draft')).toEqual(['b', 'hidden', 'a']);
      expect(await list(lefts, documentId, 'lists', 'draft')).toEqual(['c', 'a']);
      expect(await list(lefts, documentId, 'mate', 'draft')).toBe('a');
      expect(await list(lefts, documentId, 'points', 'draft')).toBe('b');
    });

    it('discardDraft empties what is published empty', async () => {
      const r = await make(rights, ['a', 'b']);
      const { documentId } = await lefts.create({ data: { name: 'l' }, status: 'published' });
      await lefts.update({ documentId, data: { many: [r.a], lists: [r.b], mate: r.a, points: r.b, some: [r.a, r.b] } });
      await lefts.discardDraft({ documentId });
      for (const attribute of ['many', 'lists', 'some'])
        expect(await list(lefts, documentId, attribute, 'draft')).toEqual([]);
      for (const attribute of ['mate', 'points']) expect(await list(lefts, documentId, attribute, 'draft')).toBeNull();
    });

    it.each([
      ['deleted', (documentId: string) => lefts.delete({ documentId })],
      ['unpublished', (documentId: string) => lefts.unpublish({ documentId })],
      ['emptied', (documentId: string) => lefts.update({ documentId, data: { parts: [] }, status: 'published' })],
      [
        'filled anew',
        (documentId: string) => lefts.update({ documentId, data: { parts: [{ name: 'q' }] }, status: 'published' }),
      ],
    ])('a target can be published after the entry whose component was waiting for it was %s', async (_, change) => {
      const [first, second] = Object.values(await make(rights, ['first', 'second'], 'draft'));
      const data = { name: 'l', parts: [{ name: 'p', lists: [first], points: second }] };
      const { documentId } = await lefts.create({ data, status: 'published' });
      await change(documentId);
      for (const target of [first!, second!])
        await expect(rights.publish({ documentId: target })).resolves.toBeDefined();
    });

    it('discardDraft keeps a link that the other side has published since', async () => {
      const r = await make(rights, ['a', 'b']);
      const { documentId } = await lefts.create({ data: { name: 'l', many: [r.a] }, status: 'published' });
      await rights.update({ documentId: r.b!, data: { many: [documentId] }, status: 'published' });
      expect(await list(lefts, documentId, 'many')).toEqual(['a', 'b']);
      await lefts.update({ documentId, data: { name: 'changed', many: { disconnect: [r.a] } } });
      await lefts.discardDraft({ documentId });
      expect(await list(lefts, documentId, 'many', 'draft')).toEqual(['a', 'b']);
      expect(await list(rights, r.b!, 'many', 'draft')).toEqual(['l']);
      expect(await list(lefts, documentId, 'many')).toEqual(['a', 'b']);
    });

    it('discardDraft gives the order of the last publication, and what was published since behind its neighbour', async () => {
      const r = await make(rights, ['a', 'b', 'new']);
      const hidden = (await rights.create({ data: { name: 'hidden' } })).documentId;
      const { documentId } = await lefts.create({
        data: { name: 'l', many: [r.a, hidden, r.b] },
        status: 'published',
      });
      await lefts.update({ documentId, data: { many: [r.new, r.b, r.a] } });
      await rights.publish({ documentId: r.new! });
      expect(await list(lefts, documentId, 'many')).toEqual(['new', 'a', 'b']);
      await lefts.discardDraft({ documentId });
      expect(await list(lefts, documentId, 'many', 'draft')).toEqual(['new', 'a', 'hidden', 'b']);
    });

    /** Makes the published row of a document anew, as Strapi 5 does when it publishes: with another id and its links. */
    const publishedElsewhere = async (documentId: string): Promise<void> => {
      const where = `document_id = '${documentId}' and published_at is not null`;
      const old = await kit.number(`select id from lefts where ${where}`);
      const columns = 'document_id, locale, name, created_at, updated_at, published_at';
      await kit.execute(`insert into lefts (${columns}) select ${columns} from lefts where id = ${old}`);
      const made = await kit.number(`select id from lefts where ${where} and id <> ${old}`);
      for (const table of ['lefts_lists_lnk', 'lefts_points_lnk', 'lefts_many_lnk'])
        await kit.execute(`update ${table} set left_id = ${made} where left_id = ${old}`);
      await kit.execute(`delete from lefts where id = ${old}`);
    };

    it('a record of a published row that is no longer there says nothing', async () => {
      const r = await make(rights, ['a', 'c']);
      const hidden = await make(rights, ['b', 'd'], 'draft');
      const { documentId } = await lefts.create({
        data: { name: 'l', lists: [r.a, hidden.b, r.c], many: [r.a, hidden.d, r.c], points: hidden.b },
        status: 'published',
      });
      await publishedElsewhere(documentId);
      await rights.publish({ documentId: hidden.b! });
      expect(await list(lefts, documentId, 'lists')).toEqual(['a', 'c']);
      expect(await list(lefts, documentId, 'points')).toBeNull();
      await lefts.discardDraft({ documentId });
      for (const attribute of ['lists', 'many'])
        expect(await list(lefts, documentId, attribute, 'draft')).toEqual(['a', 'c']);
      await lefts.update({ documentId, data: { lists: [r.a, hidden.d, r.c], points: hidden.d }, status: 'published' });
      await rights.publish({ documentId: hidden.d! });
      expect(await list(lefts, documentId, 'lists')).toEqual(['a', 'd', 'c']);
      expect(await list(lefts, documentId, 'points')).toBe('d');
    });

    describe('between an entry without drafts and one with', () => {
      let plains: Documents;
      beforeAll(() => {
        plains = kit.sheaf.documents('api::plain.plain');
      });
      const LISTS = ['many', 'some', 'lists'];

      it.each(LISTS)(
        'show at once in both statuses when they are made from the side without: %s',
        async (attribute) => {
          const r = await make(rights, ['a', 'b']);
          const hidden = (await rights.create({ data: { name: 'hidden' } })).documentId;
          const { documentId } = await plains.create({ data: { name: 'p', [attribute]: [r.b, hidden, r.a] } });
          expect(await list(plains, documentId, attribute, 'draft')).toEqual(['b', 'hidden', 'a']);
          expect(await list(plains, documentId, attribute)).toEqual(['b', 'a']);
          await rights.publish({ documentId: hidden });
          expect(await list(plains, documentId, attribute)).toEqual(['b', 'hidden', 'a']);
          for (let round = 0; round < 2; round++)
            for (const target of [r.a!, r.b!, hidden]) {
              await rights.publish({ documentId: target });
              expect(await list(plains, documentId, attribute)).toEqual(['b', 'hidden', 'a']);
              expect(await list(plains, documentId, attribute, 'draft')).toEqual(['b', 'hidden', 'a']);
            }
          await plains.update({ documentId, data: { [attribute]: { disconnect: [hidden] } } });
          for (const status of ['draft', 'published'] as const)
            expect(await list(plains, documentId, attribute, status)).toEqual(['b', 'a']);
        },
      );

      it('show with the publication of the side with drafts when they are made there', async () => {
        const { documentId } = await plains.create({ data: { name: 'p' } });
        const right = (await rights.create({ data: { name: 'r' }, status: 'published' })).documentId;
        await rights.update({
          documentId: right,
          data: { plains: [documentId], plain: documentId, plainMate: documentId },
        });
        for (const [attribute, empty, full] of [
          ['many', [], ['r']],
          ['some', [], ['r']],
          ['mate', null, 'r'],
        ] as const) {
          expect(await list(plains, documentId, attribute, 'draft')).toEqual(full);
          expect(await list(plains, documentId, attribute)).toEqual(empty);
        }
        await rights.publish({ documentId: right });
        for (const [attribute, full] of [
          ['many', ['r']],
          ['some', ['r']],
          ['mate', 'r'],
        ] as const)
          expect(await list(plains, documentId, attribute)).toEqual(full);
        await rights.update({ documentId: right, data: { plains: [], plain: null, plainMate: null } });
        for (const [attribute, full] of [
          ['many', ['r']],
          ['some', ['r']],
          ['mate', 'r'],
        ] as const)
          expect(await list(plains, documentId, attribute)).toEqual(full);
        await rights.publish({ documentId: right });
        for (const [attribute, empty] of [
          ['many', []],
          ['some', []],
          ['mate', null],
        ] as const)
          expect(await list(plains, documentId, attribute)).toEqual(empty);
      });

      it('go with the published row and come back with it', async () => {
        const r = await make(rights, ['a', 'b', 'c']);
        const { documentId } = await plains.create({
          data: { name: 'p', many: [r.c, r.b, r.a], lists: [r.c, r.b, r.a], mate: r.b },
        });
        await rights.unpublish({ documentId: r.b! });
        expect(await list(plains, documentId, 'many')).toEqual(['c', 'a']);
        expect(await list(plains, documentId, 'mate')).toBeNull();
        await rights.publish({ documentId: r.b! });
        for (const attribute of ['many', 'lists'])
          expect(await list(plains, documentId, attribute)).toEqual(['c', 'b', 'a']);
        expect(await list(plains, documentId, 'mate')).toBe('b');
      });

      const alone = (documentId: string | undefined) => ({ documentId, status: 'published' });

      it('made with the published entry alone go with its next publication, whose draft does not have them', async () => {
        const r = await make(rights, ['a', 'b']);
        const data = { name: 'p', many: [alone(r.a), r.b], mate: alone(r.a) };
        const { documentId } = await plains.create({ data });
        expect(await list(plains, documentId, 'many')).toEqual(['a', 'b']);
        expect(await list(plains, documentId, 'mate')).toBe('a');
        await rights.publish({ documentId: r.a! });
        expect(await list(plains, documentId, 'many')).toEqual(['b']);
        expect(await list(plains, documentId, 'mate')).toBeNull();
      });

      it('made with the published entry alone, one-way, stay and come back with it, unless the list was written since', async () => {
        const r = await make(rights, ['a', 'b', 'c']);
        const { documentId } = await plains.create({ data: { name: 'p', lists: [alone(r.b), alone(r.a), r.c] } });
        for (const one of [r.a!, r.b!]) {
          await rights.publish({ documentId: one });
          await rights.unpublish({ documentId: one });
          await rights.publish({ documentId: one });
          expect(await list(plains, documentId, 'lists')).toEqual(['b', 'a', 'c']);
        }
        await rights.unpublish({ documentId: r.a! });
        await plains.update({ documentId, data: { lists: { disconnect: [r.c] } } });
        await rights.publish({ documentId: r.a! });
        expect(await list(plains, documentId, 'lists')).toEqual(['b']);
      });

      it('a published entry appears behind its draft, whichever of the two the list was given', async () => {
        const r = await make(rights, ['a', 'c']);
        const b = (await rights.create({ data: { name: 'b' } })).documentId;
        const draftAlone = { documentId: b, status: 'draft' };
        const data = { many: [r.a, draftAlone, r.c], lists: [r.a, draftAlone, r.c] };
        const { documentId } = await plains.create({ data: { name: 'p', ...data } });
        for (let round = 0; round < 2; round++) {
          await rights.publish({ documentId: b });
          for (const attribute of ['many', 'lists'])
            expect(await list(plains, documentId, attribute)).toEqual(['a', 'b', 'c']);
          await rights.unpublish({ documentId: b });
          for (const attribute of ['many', 'lists'])
            expect(await list(plains, documentId, attribute)).toEqual(['a', 'c']);
        }
      });

      it('move to another owner in both statuses when one takes them', async () => {
        const r = await make(rights, ['a']);
        const first = (await plains.create({ data: { name: 'first', some: [r.a], mate: r.a } })).documentId;
        const second = (await plains.create({ data: { name: 'second', some: [r.a], mate: r.a } })).documentId;
        for (const status of ['draft', 'published'] as const) {
          expect(await list(plains, first, 'some', status)).toEqual([]);
          expect(await list(plains, first, 'mate', status)).toBeNull();
          expect(await list(plains, second, 'some', status)).toEqual(['a']);
          expect(await list(plains, second, 'mate', status)).toBe('a');
        }
        await rights.publish({ documentId: r.a! });
        expect(await list(plains, second, 'some')).toEqual(['a']);
        expect(await list(plains, first, 'some')).toEqual([]);
      });

      it('may be with the draft of one and the published row of another, which is no fault', async () => {
        const r = await make(rights, ['a', 'b'], 'published');
        const { documentId } = await plains.create({ data: { name: 'p', mate: r.a } });
        await rights.update({ documentId: r.b!, data: { plainMate: documentId } });
        expect(await list(plains, documentId, 'mate', 'draft')).toBe('b');
        expect(await list(plains, documentId, 'mate')).toBe('a');
        expect(await violations(kit.sheaf.model, (sql) => kit.rows(sql))).toEqual([]);
      });
    });

    it.each(['the owner', 'the targets', 'the published owner'])(
      'no record of a publication outlives what it speaks of: %s',
      async (gone) => {
        const r = await make(rights, ['a', 'b']);
        const records = () => kit.rows('select list, holder_id, target_id from sheaf_published_lists order by id');
        const before = await records();
        const { documentId } = await lefts.create({
          data: { name: 'l', many: [r.a, r.b], lists: [r.a], parts: [{ name: 'p', lists: [r.b], points: r.a }] },
          status: 'published',
        });
        expect(await records()).toHaveLength(before.length + 5);
        if (gone === 'the owner') await lefts.delete({ documentId });
        else if (gone === 'the published owner') await lefts.unpublish({ documentId });
        else for (const one of Object.values(r)) await rights.delete({ documentId: one });
        expect(await records()).toEqual(before);
      },
    );
  });

  describe('components', () => {
    const everything = { populate: { part: { populate: '*' }, parts: { populate: '*' }, zone: true } } as const;
    const read = async (documentId: string, status: 'draft' | 'published') =>
      (await sheets.findOne({ documentId, status, ...everything })) as Answered;
    const data = {
      title: 't',
      part: { name: 'p', size: 1, inner: [{ text: 'i' }] },
      parts: [
        { name: 'a', size: 1 },
        { name: 'b', size: 2 },
        { name: 'c', size: 3 },
      ],
      zone: [
        { __component: 'kit.part', name: 'z' },
        { __component: 'kit.note', text: 'n' },
      ],
    };

    it.each(['draft', 'published'] as const)(
      'keep their ids when they are sent with those of the %s, and what was not sent',
      async (status) => {
        const { documentId } = await sheets.create({ data, status: 'published' });
        const [draft, published] = [await read(documentId, 'draft'), await read(documentId, 'published')];
        const sent = status === 'draft' ? draft : published;
        const [a, b, c] = sent.parts;
        await sheets.update({
          documentId,
          data: {
            part: { id: sent.part.id, name: 'p2', inner: [{ id: sent.part.inner[0].id, text: 'i2' }, { text: 'new' }] },
            parts: [{ id: c.id, name: 'c2' }, { name: 'new' }, { id: a.id }],
            zone: [{ __component: 'kit.note', id: sent.zone[1].id, text: 'n2' }],
          },
          status: 'published',
        });
        for (const [before, after] of [
          [draft, await read(documentId, 'draft')],
          [published, await read(documentId, 'published')],
        ]) {
          expect(after.part).toMatchObject({ id: before.part.id, name: 'p2', size: 1 });
          expect(after.part.inner).toEqual([
            { id: before.part.inner[0].id, text: 'i2' },
            { id: expect.any(Number), text: 'new' },
          ]);
          expect(after.parts.map(({ id, name, size }: Answered) => [id, name, size])).toEqual([
            [before.parts[2].id, 'c2', 3],
            [expect.any(Number), 'new', 0],
            [before.parts[0].id, 'a', 1],
          ]);
          expect(after.zone).toEqual([{ __component: 'kit.note', id: before.zone[1].id, text: 'n2' }]);
        }
        expect(
          await kit.number(
            `select count(*) from components_kit_parts where id in (${draft.parts[1].id}, ${published.parts[1].id})`,
          ),
        ).toBe(0);
        expect(b.name).toBe('b');
      },
    );

    it('without ids take the place of those that were there', async () => {
      const { documentId } = await sheets.create({ data, status: 'published' });
      const before = await read(documentId, 'draft');
      await sheets.update({ documentId, data: { part: { name: 'q' }, parts: [{ name: 'x' }] } });
      const after = await read(documentId, 'draft');
      expect(after.part).toMatchObject({ name: 'q', size: 0, inner: [] });
      expect(after.part.id).not.toBe(before.part.id);
      expect(after.parts.map(({ name }: Answered) => name)).toEqual(['x']);
      // What is published keeps its own.
      expect((await read(documentId, 'published')).parts).toHaveLength(3);
    });

    it('with an id that is not theirs are refused, and nothing changes', async () => {
      const [one, other] = [await sheets.create({ data }), await sheets.create({ data })];
      const foreign = await read(other.documentId, 'draft');
      const own = await read(one.documentId, 'draft');
      for (const change of [
        { part: { id: foreign.part.id, name: 'stolen' } },
        { part: { id: 123_456_789, name: 'nobody' } },
        { parts: [{ id: foreign.parts[0].id }] },
        { parts: [{ id: own.part.id, name: 'from another attribute' }] },
        { parts: [{ id: own.parts[0].id }, { id: own.parts[0].id }] },
        { part: { id: own.part.id, inner: [{ id: foreign.part.inner[0].id }] } },
        { zone: [{ __component: 'kit.part', id: foreign.zone[0].id }] },
        { zone: [{ __component: 'kit.note', id: own.zone[0].id }] },
      ])
        await expect(
          sheets.update({ documentId: one.documentId, data: change }),
          JSON.stringify(change),
        ).rejects.toEqual(isRefusal(400));
      expect(await read(one.documentId, 'draft')).toEqual(own);
      expect(await read(other.documentId, 'draft')).toEqual(foreign);
    });

    it('in a new entry have their ids ignored', async () => {
      const first = await sheets.create({ data });
      const taken = await read(first.documentId, 'draft');
      const { documentId } = await sheets.create({ data: { title: 't', part: { id: taken.part.id, name: 'copy' } } });
      const copy = await read(documentId, 'draft');
      expect(copy.part).toMatchObject({ name: 'copy' });
      expect(copy.part.id).not.toBe(taken.part.id);
      expect(await read(first.documentId, 'draft')).toEqual(taken);
    });

    it('of the published entry can be sent back after the draft has lost them, and keep what was not sent', async () => {
      const { documentId } = await sheets.create({ data, status: 'published' });
      const published = await read(documentId, 'published');
      const { part, parts, zone } = published;
      await sheets.update({ documentId, data: { part: null, parts: [{ name: 'other' }], zone: [] } });
      await sheets.update({
        documentId,
        data: {
          part: { id: part.id, inner: [{ id: part.inner[0].id, text: 'i2' }] },
          parts: [{ id: parts[2].id }, { id: parts[0].id, name: 'a2' }],
          zone: zone.map(({ id, __component }: Answered) => ({ id, __component })),
        },
        status: 'published',
      });
      const after = await read(documentId, 'published');
      expect(after.part).toEqual({ ...part, inner: [{ ...part.inner[0], text: 'i2' }] });
      expect(after.parts).toEqual([parts[2], { ...parts[0], name: 'a2' }]);
      expect(after.zone).toEqual(zone);
      const draft = await read(documentId, 'draft');
      expect(draft.parts.map(({ name, size }: Answered) => [name, size])).toEqual([
        ['c', 3],
        ['a2', 1],
      ]);
      // Within a component that the draft still has.
      await sheets.update({ documentId, data: { part: { id: part.id, inner: [] } } });
      await sheets.update({ documentId, data: { part: after.part }, status: 'published' });
      expect((await read(documentId, 'published')).part).toEqual(after.part);
      // Twice, or those of another entry, they are refused as before.
      await sheets.update({ documentId, data: { parts: [] } });
      const twice = [{ id: parts[0].id }, { id: parts[0].id }];
      await expect(sheets.update({ documentId, data: { parts: twice } })).rejects.toEqual(isRefusal(400));
      const other = await sheets.create({ data, status: 'published' });
      await sheets.update({ documentId: other.documentId, data: { parts: [] } });
      const stolen = { documentId: other.documentId, data: { parts: [{ id: parts[0].id }] } };
      await expect(sheets.update(stolen)).rejects.toEqual(isRefusal(400));
      expect(await read(documentId, 'draft')).toMatchObject({ parts: [] });
      expect(
        await kit.number(
          "select count(*) from components_kit_parts p where not exists (select 1 from sheets_cmps c where c.cmp_id = p.id and c.component_type = 'kit.part') and not exists (select 1 from labels_cmps c where c.cmp_id = p.id)",
        ),
      ).toBe(0);
    });

    it('follow the order of the list they are sent in', async () => {
      const { documentId } = await sheets.create({ data, status: 'published' });
      const { parts } = await read(documentId, 'published');
      await sheets.update({
        documentId,
        data: { parts: [parts[2], parts[0], parts[1]].map(({ id }) => ({ id })) },
        status: 'published',
      });
      for (const status of ['draft', 'published'] as const)
        expect((await read(documentId, status)).parts.map(({ name }: Answered) => name)).toEqual(['c', 'a', 'b']);
    });
  });

  describe('a database that Strapi 5 filled', () => {
    let adopted: Content;
    let adoptedArticles: Documents;
    let adoptedAuthors: Documents;
    beforeAll(async () => {
      adopted = await contents.open(undefined, engine.guideDatabaseUrl());
      adoptedArticles = adopted.sheaf.documents('api::article.article');
      adoptedAuthors = adopted.sheaf.documents('api::author.author');
    });
    const everything = {
      populate: { authors: true, related: true, tags: true, seo: true, blocks: { populate: '*' } },
    } as const;

    it('keeps ids, links and their order when its entries are published again, whichever side is', async () => {
      const state = async () => [
        await adoptedArticles.findMany({
          status: 'published',
          locale: '*',
          fields: ['title'],
          populate: { authors: { fields: ['name'] }, related: { fields: ['title'] } },
        }),
        await adoptedAuthors.findMany({
          status: 'published',
          fields: ['name'],
          populate: { articles: { fields: ['title'] } },
        }),
      ];
      const before = await state();
      const unchanged = (await adoptedArticles.findMany({
        status: 'draft',
        publicationFilter: 'unmodified',
      })) as Entry[];
      expect(unchanged.length).toBeGreaterThan(1);
      for (const { documentId } of unchanged) await adoptedArticles.publish({ documentId, locale: '*' });
      expect(await state()).toEqual(before);
      for (const { documentId } of await adoptedAuthors.findMany({ status: 'published' }))
        await adoptedAuthors.publish({ documentId });
      expect(await state()).toEqual(before);
    });

    it('understands the ids of components that it shows, before anything was published here', async () => {
      const fresh = await contents.open(undefined, engine.guideDatabaseUrl());
      const documents = fresh.sheaf.documents('api::article.article');
      const published = (await documents.findMany({ status: 'published', ...everything })) as Answered[];
      const shown = published.find(({ seo, blocks }) => seo && blocks.length > 0);
      expect(shown).toBeDefined();
      const changed = (await documents.update({
        documentId: shown.documentId,
        data: {
          seo: { id: shown.seo.id, metaDescription: 'changed' },
          blocks: shown.blocks.map(({ id, __component }: Answered) => ({ id, __component })),
        },
        status: 'published',
        ...everything,
      })) as Answered;
      expect(changed.seo).toMatchObject({ metaTitle: shown.seo.metaTitle, metaDescription: 'changed' });
      expect(changed.blocks).toEqual(shown.blocks);
      expect(changed.seo.id).toBe(shown.seo.id);
    });
  });

  describe('a whole', () => {
    it('write that fails anywhere leaves nothing', async () => {
      const tables = [
        'articles',
        'articles_cmps',
        'articles_authors_lnk',
        'components_blocks_quotes',
        'components_shared_seos',
        'sheaf_published_lists',
        'sheaf_component_copies',
      ];
      const counts = async () => Promise.all(tables.map((table) => guide.number(`select count(*) from ${table}`)));
      const stored = await counts();
      const author = (await authors.create({ data: { name: 'a' }, status: 'published' })).documentId;
      for (const last of [{ tags: ['nope'] }, { related: ['nope'] }, { restaurants: [{ id: 123_456_789 }] }])
        await expect(
          articles.create({
            data: {
              title: 't',
              authors: [author],
              seo: { metaTitle: 'm' },
              blocks: [{ __component: 'blocks.quote', text: 'q', author }],
              ...last,
            },
            status: 'published',
          }),
        ).rejects.toEqual(isRefusal(400));
      expect(await counts()).toEqual(stored);
    });
  });
});
