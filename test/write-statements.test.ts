// How many statements a write sends, `begin` and `commit` included: a number that does not grow with the relations of a
// type. Each kind of write is counted on a type with 5 relations and on one with 40, of which 5 are used.
import { beforeAll, describe, expect, it } from 'vitest';
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

  it('are as many to publish with twenty components as with two', async () => {
    const part = { title: { type: 'string' }, picks: relation('manyToMany', 'pick'), cover: { type: 'media' } };
    const parts = { type: 'dynamiczone', components: ['kit.part', 'kit.other'] };
    const site = await contents.open({
      components: { 'kit.part': part, 'kit.other': { ...part, count: { type: 'integer' } } },
      types: {
        pick: { drafts: true, attributes: { name: { type: 'string' } } },
        page: { drafts: true, attributes: { title: { type: 'string' }, parts } },
      },
    });
    const { documentId: pick } = await site.sheaf.documents('api::pick.pick').create({ data: { name: 'p' } });
    await site.sheaf.documents('api::pick.pick').publish({ documentId: pick });
    const pages = site.sheaf.documents('api::page.page');
    const sent = recordStatements(site.sheaf);
    const counts: number[] = [];
    for (const size of [2, 20]) {
      const items = Array.from({ length: size }, (_, index) => ({
        __component: index % 2 === 0 ? 'kit.part' : 'kit.other',
        title: `${index}`,
        picks: [pick],
      }));
      const { documentId } = await pages.create({ status: 'published', data: { title: 'a', parts: items } });
      sent.length = 0;
      await pages.update({ documentId, status: 'published', data: { title: 'b' } });
      counts.push(sent.length);
    }
    expect(counts[1], sent.join('\n')).toBe(counts[0]);
    expect(counts[0]! + TRANSACTION).toBeLessThanOrEqual(20);
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
