// How many statements a write sends, `begin` and `commit` included: a number that does not grow with the relations of a
// type. Each kind of write is counted on a type with 5 relations and on one with 40, of which 5 are used.
import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_INSERTED_VALUES } from '../src/limits.ts';
import { type Answered, type Attributes, type Content, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';

const USED = 5;
/** Begin and commit are not among the statements that are recorded. */
const TRANSACTION = 2;

/** Relations of every kind to the same type, each with its counterpart there. */
function relations(own: string, count: number): { own: Attributes; target: Attributes } {
  const kinds = [
    ['manyToMany', 'manyToMany'],
    ['manyToOne', 'oneToMany'],
    ['oneToOne', 'oneToOne'],
    ['manyToMany', null],
    ['oneToMany', 'manyToOne'],
  ] as const;
  const attributes: Record<string, Record<string, unknown>> = {};
  const counterparts: Record<string, Record<string, unknown>> = {};
  for (let index = 0; index < count; index++) {
    const [kind, inverse] = kinds[index % kinds.length]!;
    const [name, counterpart] = [`relation${index}`, `${own}${index}`];
    // The side that holds many of one-to-many cannot own the relation.
    const [mine, theirs] = kind === 'oneToMany' ? ['mappedBy', 'inversedBy'] : ['inversedBy', 'mappedBy'];
    attributes[name] = relation(kind, 'target', inverse ? { [mine]: counterpart } : {});
    if (inverse) counterparts[counterpart] = relation(inverse, own, { [theirs]: name });
  }
  return { own: attributes, target: counterparts };
}

describeOnEveryDatabase('the statements of a write', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  let statements: string[];

  beforeAll(async () => {
    const sizes = { few: USED, lots: 40 };
    const targets: Record<string, Record<string, unknown>> = {};
    const types: Record<string, { attributes: Attributes; drafts: boolean }> = {};
    for (const drafts of [false, true])
      for (const [size, count] of Object.entries(sizes)) {
        const name = drafts ? `${size}draft` : size;
        const { own, target } = relations(name, count);
        types[name] = { drafts, attributes: { title: { type: 'string' }, rank: { type: 'integer' }, ...own } };
        Object.assign(targets, target);
      }
    const conditional = {
      title: { type: 'string' },
      on: { type: 'boolean' },
      detail: { type: 'string', required: true, conditions: { visible: { '==': [{ var: 'on' }, true] } } },
      parts: { type: 'component', component: 'kit.part', repeatable: true },
    };
    types.conditional = { drafts: false, attributes: conditional };
    types.conditionaldraft = { drafts: true, attributes: conditional };
    content = await contents.open({
      components: { 'kit.part': { on: conditional.on, detail: conditional.detail } },
      types: { ...types, target: { drafts: true, attributes: { name: { type: 'string' }, ...targets } } },
    });
    statements = recordStatements(content.sheaf);
  });

  const makeTargets = async (count: number): Promise<string[]> => {
    const made: string[] = [];
    for (let index = 0; index < count; index++) made.push(await content.make('targets', { name: `t${index}` }));
    return made;
  };
  /** One target for each of the relations that are used. */
  const linked = (targets: readonly string[]) =>
    Object.fromEntries(Array.from({ length: USED }, (_, index) => [`relation${index}`, targets[index]]));
  const counted = async <T>(
    work: () => Promise<T>,
  ): Promise<{ count: number; result: T; texts: readonly string[] }> => {
    statements.length = 0;
    const result = await work();
    return { count: statements.length + TRANSACTION, result, texts: [...statements] };
  };
  /** The caller's rights are looked up before, and are not part of the write. */
  const within = async (most: number, work: () => Promise<Answered>): Promise<Answered> => {
    const { count, result, texts } = await counted(work);
    expect(count, texts.join('\n')).toBeLessThanOrEqual(most);
    return result;
  };

  for (const name of ['few', 'lots', 'fewdraft', 'lotsdraft'])
    describe(`of the type ${name}`, () => {
      const url = `${name}s`;
      const entry = async (data: Record<string, unknown> = {}): Promise<string> =>
        content.make(url, { title: 'a', rank: 1, ...data });

      it('are at most 10 to create an entry with 5 relations', async () => {
        const targets = await makeTargets(USED);
        await within(10, () => content.sheaf.documents(`api::${name}.${name}`).create({ data: linked(targets) }));
      });

      it('are at most 4 to update scalar attributes', async () => {
        const documentId = await entry(linked(await makeTargets(USED)));
        const documents = content.sheaf.documents(`api::${name}.${name}`);
        const updated = await within(4, () => documents.update({ documentId, data: { title: 'b', rank: 2 } }));
        expect(updated).toMatchObject({ title: 'b', rank: 2 });
      });

      it('are at most 8 to connect or disconnect in one list', async () => {
        const targets = await makeTargets(3);
        const documentId = await entry({ relation0: targets.slice(0, 2) });
        const documents = content.sheaf.documents(`api::${name}.${name}`);
        const connect = { connect: [{ documentId: targets[2], position: { start: true } }] };
        await within(8, () => documents.update({ documentId, data: { relation0: connect } }));
        await within(8, () => documents.update({ documentId, data: { relation0: { disconnect: [targets[0]] } } }));
        const { relation0 } = (await documents.findOne({ documentId, populate: 'relation0' })) as Answered;
        expect(relation0.map((one: Answered) => one.documentId)).toEqual([targets[2], targets[1]]);
      });

      it('are at most 12 to clone an entry with 5 relations', async () => {
        const documentId = await entry(linked(await makeTargets(USED)));
        const documents = content.sheaf.documents(`api::${name}.${name}`);
        await within(12, () => documents.clone({ documentId }));
      });

      it('are at most 8 to delete an entry', async () => {
        const documentId = await entry({ relation0: await makeTargets(1) });
        await within(8, () => content.sheaf.documents(`api::${name}.${name}`).delete({ documentId }));
        expect((await content.get(`${url}/${documentId}?status=draft`)).status).toBe(404);
      });

      if (name.endsWith('draft'))
        it('are at most 14 to publish an entry with 5 relations, for the first time and again', async () => {
          const documents = content.sheaf.documents(`api::${name}.${name}`);
          const targets = await makeTargets(USED + 1);
          const { documentId } = await documents.create({ data: linked(targets) });
          await within(14, () => documents.publish({ documentId }));
          await documents.update({ documentId, data: { relation0: { connect: [targets[USED]] } } });
          await within(14, () => documents.publish({ documentId }));
          const published = await content.entry('GET', `${url}/${documentId}?populate=relation0`);
          expect(published.relation0).toHaveLength(2);
        });

      if (name.endsWith('draft'))
        it('are at most 10 to discard a draft, or to unpublish it', async () => {
          const documents = content.sheaf.documents(`api::${name}.${name}`);
          const targets = await makeTargets(USED + 1);
          for (const target of targets.slice(1))
            await content.sheaf.documents('api::target.target').publish({ documentId: target });
          const { documentId } = await documents.create({ data: linked(targets) });
          await documents.publish({ documentId });
          await documents.update({ documentId, data: { relation0: { connect: [targets[USED]] } } });
          await within(10, () => documents.discardDraft({ documentId }));
          const draft = await content.entry('GET', `${url}/${documentId}?populate=relation0&status=draft`);
          expect(draft.relation0.map((one: Answered) => one.documentId)).toEqual([targets[0]]);
          await within(10, () => documents.unpublish({ documentId }));
        });
    });

  describe('of a page with components, each with relations and files, and others below them', () => {
    const PAGE = 'api::page.page';
    let site: Content;
    let sent: string[];
    let pick: string;
    let file: number;

    beforeAll(async () => {
      const picks = relation('manyToMany', 'pick');
      const key = relation('oneToOne', 'pick', { useJoinTable: false });
      const inners = { type: 'component', component: 'kit.inner', repeatable: true };
      const part = { title: { type: 'string' }, picks, key, cover: { type: 'media' }, inners };
      const parts = { type: 'dynamiczone', components: ['kit.part', 'kit.other'] };
      site = await contents.open({
        components: {
          'kit.inner': { picks, cover: { type: 'media' } },
          'kit.part': part,
          'kit.other': { ...part, count: { type: 'integer' } },
        },
        types: {
          pick: { drafts: true, attributes: { name: { type: 'string' } } },
          page: { drafts: true, attributes: { title: { type: 'string' }, parts } },
        },
      });
      const picked = site.sheaf.documents('api::pick.pick');
      pick = (await picked.create({ status: 'published', data: { name: 'p' } })).documentId;
      await site.execute(`insert into files (document_id, name) values ('cover', 'cover.png')`);
      file = await site.number('select max(id) from files');
      sent = recordStatements(site.sheaf);
    });

    const items = (size: number) =>
      Array.from({ length: size }, (_, index) => ({
        __component: index % 2 === 0 ? 'kit.part' : 'kit.other',
        title: `${index}`,
        picks: [pick],
        key: pick,
        cover: file,
        inners: [{ picks: [pick], cover: file }, { picks: [pick] }],
      }));
    const populate = { picks: true, key: true, cover: true, inners: { populate: '*' } };
    const POPULATE = { parts: { on: { 'kit.part': { populate }, 'kit.other': { populate } } } };
    /** The items of a page: what they are, without ids, and whether their rows are in order. */
    const itemsOf = async (documentId: string, status: 'draft' | 'published') => {
      const found = await site.sheaf.documents(PAGE).findOne({ documentId, status, populate: POPULATE });
      const { parts } = found as Answered;
      const ids = (list: readonly Answered[]): number[] => list.map(({ id }) => id);
      const lists = ['kit.part', 'kit.other'].map((uid) => parts.filter((part: Answered) => part.__component === uid));
      for (const list of [...lists, ...parts.map(({ inners }: Answered) => inners)])
        expect(ids(list)).toEqual(ids(list).toSorted((a, b) => a - b));
      return parts.map(({ __component, title, picks, key, cover, inners }: Answered) => ({
        ...{ __component, title, key: key?.documentId, cover: cover?.name },
        picks: ids(picks).length,
        inners: inners.map((inner: Answered) => [ids(inner.picks).length, inner.cover?.name]),
      }));
    };
    const expected = (size: number) =>
      items(size).map(({ __component, title }) => ({
        ...{ __component, title, key: pick, cover: 'cover.png', picks: 1 },
        inners: [
          [1, 'cover.png'],
          [1, undefined],
        ],
      }));
    const make = async (size: number, status: 'draft' | 'published' = 'draft'): Promise<string> =>
      (await site.sheaf.documents(PAGE).create({ status, data: { title: 'a', parts: items(size) } })).documentId;

    /** Statements of a write on pages with 2 and with 20 components. `work` returns the page to look at. */
    const countsOf = async (
      status: 'draft' | 'published',
      prepare: (size: number) => Promise<string>,
      work: (documentId: string, size: number) => Promise<string>,
    ): Promise<readonly number[]> => {
      const counts: number[] = [];
      for (const size of [2, 20]) {
        const documentId = await prepare(size);
        sent.length = 0;
        const written = await work(documentId, size);
        counts.push(sent.length + TRANSACTION);
        expect(await itemsOf(written, status)).toEqual(expected(size));
      }
      return counts;
    };

    it('are as many to publish again with twenty as with two', async () => {
      const [few, many] = await countsOf(
        'published',
        (size) => make(size, 'published'),
        async (documentId) => {
          await site.sheaf.documents(PAGE).update({ documentId, status: 'published', data: { title: 'b' } });
          return documentId;
        },
      );
      expect(many, sent.join('\n')).toBe(few);
      expect(few).toBeLessThanOrEqual(20);
    });

    it('are as many to publish for the first time', async () => {
      const [few, many] = await countsOf('published', make, async (documentId) => {
        await site.sheaf.documents(PAGE).publish({ documentId });
        return documentId;
      });
      expect(many, sent.join('\n')).toBe(few);
      expect(few).toBeLessThanOrEqual(40);
    });

    it('are as many to publish where each leads to an entry of its own that is not published', async () => {
      const picked = site.sheaf.documents('api::pick.pick');
      const counts: number[] = [];
      for (const size of [2, 20]) {
        const parts = [];
        for (const item of items(size)) {
          const { documentId } = await picked.create({ data: { name: 'p' } });
          parts.push({ ...item, picks: [documentId], key: documentId, inners: [{ picks: [documentId] }] });
        }
        const { documentId } = await site.sheaf.documents(PAGE).create({ data: { title: 'a', parts } });
        sent.length = 0;
        await site.sheaf.documents(PAGE).publish({ documentId });
        counts.push(sent.length + TRANSACTION);
      }
      expect(counts[1], sent.join('\n')).toBe(counts[0]);
      expect(counts[0]).toBeLessThanOrEqual(44);
    });

    it('are as many to clone', async () => {
      const [few, many] = await countsOf('draft', make, async (documentId) => {
        const clone = await site.sheaf.documents(PAGE).clone({ documentId });
        return (clone as Answered).documentId;
      });
      expect(many, sent.join('\n')).toBe(few);
      expect(few).toBeLessThanOrEqual(26);
    });

    it('are as many to discard a draft that has lost all of them', async () => {
      const [few, many] = await countsOf(
        'draft',
        async (size) => {
          const documentId = await make(size, 'published');
          await site.sheaf.documents(PAGE).update({ documentId, data: { parts: [] } });
          return documentId;
        },
        async (documentId) => {
          await site.sheaf.documents(PAGE).discardDraft({ documentId });
          return documentId;
        },
      );
      expect(many, sent.join('\n')).toBe(few);
      expect(few).toBeLessThanOrEqual(31);
    });

    it('keep the order of a list that takes several of them', async () => {
      const size = 2 * MAX_INSERTED_VALUES;
      // Rows that leave a column out are inserted apart from the others.
      const list = Array.from({ length: size }, (_, index) => ({
        __component: 'kit.other',
        title: `${index}`,
        ...(index % 100 === 0 ? {} : { count: index }),
      }));
      const { documentId } = await site.sheaf.documents(PAGE).create({ data: { parts: list } });
      const clone = await site.sheaf.documents(PAGE).clone({ documentId });
      for (const id of [documentId, (clone as Answered).documentId]) {
        const titles = (await itemsOf(id, 'draft')).map(({ title }: Answered) => Number(title));
        expect(titles).toEqual(list.map((_, index) => index));
      }
    });

    it('are as many to create with twenty as with two', async () => {
      const [few, many] = await countsOf(
        'draft',
        async () => '',
        async (_, size) => make(size),
      );
      expect(many, sent.join('\n')).toBe(few);
      expect(few).toBeLessThanOrEqual(20);
    });
  });

  describe('of a type with conditions', () => {
    it('are no more to update what no condition is about', async () => {
      const documentId = await content.make('conditionals', { on: true, detail: 'a' });
      const documents = content.sheaf.documents('api::conditional.conditional');
      await within(4, () => documents.update({ documentId, data: { title: 'b' } }));
    });

    it('are no more to update a draft', async () => {
      const documentId = await content.make('conditionaldrafts', { on: true, detail: 'a' });
      const documents = content.sheaf.documents('api::conditionaldraft.conditionaldraft');
      await within(4, () => documents.update({ documentId, data: { detail: null } }));
    });

    it('are at most 7 to update what a condition is about', async () => {
      const documentId = await content.make('conditionals', { on: true, detail: 'a' });
      const documents = content.sheaf.documents('api::conditional.conditional');
      await within(7, () => documents.update({ documentId, data: { detail: 'b' } }));
    });

    it('do not grow with the components that it is about', async () => {
      const documents = content.sheaf.documents('api::conditional.conditional');
      const counts: number[] = [];
      for (const size of [2, 20]) {
        const parts = Array.from({ length: size }, () => ({ on: true, detail: 'a' }));
        const made = await content.entry('POST', 'conditionals?populate=parts', { parts });
        const changed = made.parts.map(({ id }: Answered) => ({ id, detail: 'b' }));
        const { texts } = await counted(() =>
          documents.update({ documentId: made.documentId, data: { parts: changed } }),
        );
        counts.push(texts.filter((text) => text.startsWith('select')).length);
      }
      expect(counts[1]).toBe(counts[0]);
    });
  });

  it('are at most 14 to publish a list of entries of any type, however many types there are', async () => {
    const many = Array.from({ length: 40 }, (_, index) => [`kind${index}`, { attributes: {} }]);
    const site = await contents.open({
      types: {
        ...Object.fromEntries(many),
        named: { drafts: true, attributes: { name: { type: 'string' } } },
        shelf: { drafts: true, attributes: { things: { type: 'relation', relation: 'morphToMany' } } },
      },
    });
    const { documentId: named } = await site.sheaf.documents('api::named.named').create({ data: {} });
    await site.sheaf.documents('api::named.named').publish({ documentId: named });
    const documents = site.sheaf.documents('api::shelf.shelf');
    const things = [{ __type: 'api::named.named', documentId: named }];
    const { documentId } = await documents.create({ data: { things } });
    const texts = recordStatements(site.sheaf);
    await documents.publish({ documentId });
    expect(texts.length + TRANSACTION, texts.join('\n')).toBeLessThanOrEqual(14);
    const published = (await documents.findOne({ documentId, status: 'published', populate: 'things' })) as Answered;
    expect(published.things).toHaveLength(1);
  });
});
