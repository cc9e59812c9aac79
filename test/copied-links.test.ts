// Links that are kept in a row itself, as a foreign key or as a key to one entry of any type, and lists of entries of
// several types: they are written in every form, and copied with their row when it is cloned, published or discarded,
// at the top of an entry and in its components.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answered, type Content, localized, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';
import { componentOrphans } from './support/invariants.ts';

const LINKS = {
  /** A link table, to compare with. */
  listed: relation('oneToOne', 'tag'),
  keyed: relation('oneToOne', 'tag', { useJoinTable: false }),
  label: relation('manyToOne', 'label', { useJoinTable: false }),
  any: { type: 'relation', relation: 'morphToOne' },
  several: { type: 'relation', relation: 'morphToMany' },
} as const;

const PROJECT: Project = {
  locales: ['en', 'fr'],
  types: {
    tag: { drafts: true, attributes: { name: { type: 'string' } } },
    label: { attributes: { name: { type: 'string' } } },
    owner: {
      attributes: {
        name: { type: 'string' },
        owned: relation('oneToOne', 'owned', { useJoinTable: false, inversedBy: 'owner' }),
      },
    },
    owned: { attributes: { name: { type: 'string' }, owner: relation('oneToOne', 'owner', { mappedBy: 'owned' }) } },
    page: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        pin: relation('oneToOne', 'pin', { useJoinTable: false, inversedBy: 'page' }),
        stub: relation('oneToOne', 'stub', { useJoinTable: false, inversedBy: 'page' }),
      },
    },
    pin: {
      drafts: true,
      attributes: { name: { type: 'string' }, page: relation('oneToOne', 'page', { mappedBy: 'pin' }) },
    },
    stub: { attributes: { name: { type: 'string' }, page: relation('oneToOne', 'page', { mappedBy: 'stub' }) } },
    note: {
      attributes: {
        name: { type: 'string' },
        topic: relation('manyToOne', 'topic', { useJoinTable: false, inversedBy: 'notes' }),
        lead: relation('oneToOne', 'topic', { useJoinTable: false, inversedBy: 'leader' }),
      },
    },
    topic: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        notes: relation('oneToMany', 'note', { mappedBy: 'topic' }),
        leader: relation('oneToOne', 'note', { mappedBy: 'lead' }),
      },
    },
    product: {
      drafts: true,
      localized: true,
      attributes: {
        name: { type: 'string', ...localized },
        ...LINKS,
        part: { type: 'component', component: 'kit.part', ...localized },
        parts: { type: 'component', component: 'kit.part', repeatable: true, ...localized },
        zone: { type: 'dynamiczone', components: ['kit.part'], ...localized },
      },
    },
    plain: {
      attributes: { name: { type: 'string' }, ...LINKS, part: { type: 'component', component: 'kit.part' } },
    },
  },
  components: { 'kit.part': { name: { type: 'string' }, ...LINKS } },
};

const TAG = 'api::tag.tag';
const LABEL = 'api::label.label';
const NAMES = Object.keys(LINKS);
const POPULATED = Object.fromEntries(NAMES.map((name) => [name, true]));
const POPULATE = {
  ...POPULATED,
  part: { populate: POPULATED },
  parts: { populate: POPULATED },
  zone: { on: { 'kit.part': { populate: POPULATED } } },
};

/** Names of what a row links with, by attribute. */
const linksOf = (entry: Answered): Answered =>
  Object.fromEntries(
    NAMES.map((name) => {
      const value = entry[name];
      return [name, Array.isArray(value) ? value.map((one) => one.name) : (value?.name ?? null)];
    }),
  );

const everyLink = (entry: Answered): Answered => ({
  own: linksOf(entry),
  part: entry.part && linksOf(entry.part),
  parts: (entry.parts ?? []).map(linksOf),
  zone: (entry.zone ?? []).map(linksOf),
});

describeOnEveryDatabase('links that a row holds', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT);
  });
  const of = (type: string) => content.sheaf.documents(`api::${type}.${type}`);
  const made = async (type: string, name: string): Promise<string> =>
    (await of(type).create({ data: { name } })).documentId;
  const linksTo = (tag: string, label: string): Answered => ({
    listed: tag,
    keyed: tag,
    label,
    any: { __type: TAG, documentId: tag },
    several: [
      { __type: LABEL, documentId: label },
      { __type: TAG, documentId: tag },
    ],
  });
  const everywhere = (tag: string, label: string): Answered => {
    const links = linksTo(tag, label);
    return { ...links, part: links, parts: [links, links], zone: [{ __component: 'kit.part', ...links }] };
  };
  const shown = (tag: string, label: string): Answered => {
    const links = { listed: tag, keyed: tag, label, any: tag, several: [label, tag] };
    return { own: links, part: links, parts: [links, links], zone: [links] };
  };
  const read = async (documentId: string, status: 'draft' | 'published' = 'draft'): Promise<Answered> =>
    everyLink(await of('product').findOne({ documentId, status, populate: POPULATE as never }));

  it('in a list of several types are added and moved with as many statements as there are types', async () => {
    const all: Answered[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      all.push(
        { __type: LABEL, documentId: await made('label', name) },
        { __type: TAG, documentId: await made('tag', name) },
      );
    const statements = recordStatements(content.sheaf);
    const costOf = async (several: Answered[]): Promise<number[]> => {
      statements.length = 0;
      const { documentId } = await of('plain').create({ data: { several } });
      const added = statements.splice(0).length;
      const data = { several: several.toReversed() };
      const entry: Answered = await of('plain').update({ documentId, data, populate: ['several'] });
      const ids = entry.several.map((one: Answered) => one.documentId);
      expect(ids).toEqual(data.several.map((one) => one.documentId));
      return [added, statements.length];
    };
    expect(await costOf(all)).toEqual(await costOf(all.slice(0, 2)));
  });

  it('are copied with a clone, which leaves the original as it was', async () => {
    const [tag, label] = [await made('tag', 'a'), await made('label', 'b')];
    const { documentId } = await of('product').create({ data: { name: 'original', ...everywhere(tag, label) } });
    expect(await read(documentId)).toEqual(shown('a', 'b'));
    const clone = await of('product').clone({ documentId, data: { name: 'clone' } });
    expect(await read(clone.documentId)).toEqual(shown('a', 'b'));
    expect(await read(documentId)).toEqual(shown('a', 'b'));
  });

  it('are published with their row, and come back when its draft is discarded', async () => {
    const [tag, label] = [await made('tag', 'a'), await made('label', 'b')];
    const [other, another] = [await made('tag', 'c'), await made('label', 'd')];
    for (const documentId of [tag, other]) await of('tag').publish({ documentId });
    const { documentId } = await of('product').create({
      data: { name: 'p', ...everywhere(tag, label) },
      status: 'published',
    });
    expect(await read(documentId, 'published')).toEqual(shown('a', 'b'));
    await of('product').update({ documentId, data: everywhere(other, another) });
    expect(await read(documentId)).toEqual(shown('c', 'd'));
    expect(await read(documentId, 'published')).toEqual(shown('a', 'b'));
    await of('product').discardDraft({ documentId });
    expect(await read(documentId)).toEqual(shown('a', 'b'));
    // What the draft leads to are drafts again.
    await of('tag').update({ documentId: tag, data: { name: 'draft of a' } });
    expect(await read(documentId)).toEqual(shown('draft of a', 'b'));
    expect(await read(documentId, 'published')).toEqual(shown('a', 'b'));
  });

  it('that a draft lost come back when it is discarded', async () => {
    const [tag, label] = [await made('tag', 'a'), await made('label', 'b')];
    await of('tag').publish({ documentId: tag });
    const { documentId } = await of('product').create({
      data: { name: 'p', ...everywhere(tag, label) },
      status: 'published',
    });
    const nothing = { ...Object.fromEntries(NAMES.map((name) => [name, null])), several: [] };
    await of('product').update({ documentId, data: { ...nothing, part: null, parts: [], zone: [] } });
    expect(await read(documentId)).toEqual({ own: linksOf({ several: [] }), part: null, parts: [], zone: [] });
    await of('product').discardDraft({ documentId });
    expect(await read(documentId)).toEqual(shown('a', 'b'));
  });

  const hidden = { listed: null, keyed: null, label: 'b', any: null, several: ['b'] };

  it('to what is not published appear when it is, each time', async () => {
    const [tag, label] = [await made('tag', 'a'), await made('label', 'b')];
    const { documentId } = await of('product').create({
      data: { name: 'p', ...everywhere(tag, label) },
      status: 'published',
    });
    for (let round = 0; round < 2; round++) {
      expect(await read(documentId, 'published')).toEqual({
        own: hidden,
        part: hidden,
        parts: [hidden, hidden],
        zone: [hidden],
      });
      await of('tag').publish({ documentId: tag });
      expect(await read(documentId, 'published')).toEqual(shown('a', 'b'));
      expect(await read(documentId)).toEqual(shown('a', 'b'));
      await of('tag').unpublish({ documentId: tag });
    }
  });

  it('to what is not published are in their place when it is', async () => {
    const tags = [await made('tag', 'a'), await made('tag', 'b'), await made('tag', 'c')];
    const several = tags.map((tag) => ({ __type: TAG, documentId: tag }));
    const { documentId } = await of('product').create({ data: { name: 'p', several }, status: 'published' });
    const plain = await of('plain').create({ data: { name: 'p', several } });
    const inPlain = { documentId: plain.documentId, status: 'published', populate: POPULATED as never } as const;
    const lists = async () => [
      (await read(documentId, 'published')).own.several,
      linksOf(await of('plain').findOne(inPlain)).several,
    ];
    for (const [tag, list] of [
      [1, ['b']],
      [0, ['a', 'b']],
      [2, ['a', 'b', 'c']],
    ] as const) {
      await of('tag').publish({ documentId: tags[tag]! });
      expect(await lists()).toEqual([list, list]);
    }
    await of('tag').unpublish({ documentId: tags[1]! });
    expect(await lists()).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ]);
    // What the draft has lost since does not show until it is published.
    await of('product').update({ documentId, data: { several: several.slice(0, 2) } });
    await of('tag').publish({ documentId: tags[1]! });
    expect(await lists()).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
    await of('tag').unpublish({ documentId: tags[1]! });
    await of('product').update({ documentId, data: { several: [] }, status: 'published' });
    await of('tag').publish({ documentId: tags[1]! });
    expect((await lists())[0]).toEqual([]);
  });

  it('to what is not published come back when a draft is discarded, and are forgotten when it is deleted', async () => {
    const [tag, label] = [await made('tag', 'a'), await made('label', 'b')];
    const { documentId } = await of('product').create({
      data: { name: 'p', ...everywhere(tag, label) },
      status: 'published',
    });
    const lists = `select count(*) from sheaf_published_lists where list like '%several%'`;
    expect(await content.number(lists)).toBeGreaterThan(0);
    await of('product').update({ documentId, data: { several: [], part: { several: [] } } });
    await of('product').discardDraft({ documentId });
    const { own, part } = await read(documentId);
    expect([own.several, part.several]).toEqual([
      ['b', 'a'],
      ['b', 'a'],
    ]);
    const of5 = `${lists} and target_id = (select id from tags where document_id = '${tag}')`;
    expect(await content.number(of5)).toBe(5);
    await of('product').delete({ documentId });
    expect(await content.number(of5)).toBe(0);
    const other = await of('product').create({ data: { name: 'p', ...linksTo(tag, label) }, status: 'published' });
    const before = await content.number(lists);
    await of('tag').delete({ documentId: tag });
    expect(await content.number(lists)).toBe(before - 1);
    expect((await read(other.documentId)).own.several).toEqual(['b']);
  });

  it('of a row without drafts appear when what they lead to is published, each time', async () => {
    const [tag, label] = [await made('tag', 'a'), await made('label', 'b')];
    const { any, several } = linksTo(tag, label);
    const { documentId } = await of('plain').create({ data: { name: 'p', any, several, part: { any, several } } });
    const links = async (status: 'draft' | 'published') => {
      const populate = { ...POPULATED, part: { populate: POPULATED } };
      const entry = (await of('plain').findOne({ documentId, status, populate: populate as never })) as Answered;
      return [linksOf(entry), linksOf(entry.part)].map((row) => [row.any, row.several]);
    };
    for (let round = 0; round < 2; round++) {
      expect(await links('published')).toEqual([
        [null, ['b']],
        [null, ['b']],
      ]);
      expect(await links('draft')).toEqual([
        ['a', ['b', 'a']],
        ['a', ['b', 'a']],
      ]);
      await of('tag').publish({ documentId: tag });
      expect(await links('published')).toEqual([
        ['a', ['b', 'a']],
        ['a', ['b', 'a']],
      ]);
      await of('tag').unpublish({ documentId: tag });
    }
  });

  it('of a row without drafts with the published row alone come back with it, unless they were written since', async () => {
    const [tag, label] = [await made('tag', 'a'), await made('label', 'b')];
    await of('tag').publish({ documentId: tag });
    const several = [
      { __type: TAG, documentId: tag, status: 'published' },
      { __type: LABEL, documentId: label },
    ];
    const { documentId } = await of('plain').create({ data: { name: 'p', several: { set: several } } });
    const list = async (status: 'draft' | 'published') =>
      linksOf(await of('plain').findOne({ documentId, status, populate: POPULATED as never })).several;
    await of('tag').unpublish({ documentId: tag });
    expect(await list('published')).toEqual(['b']);
    await of('tag').publish({ documentId: tag });
    expect(await list('published')).toEqual(['a', 'b']);
    expect(await list('draft')).toEqual(['b']);
    await of('tag').unpublish({ documentId: tag });
    await of('plain').update({ documentId, data: { several: several.slice(1) } });
    await of('tag').publish({ documentId: tag });
    expect(await list('published')).toEqual(['b']);
  });

  it('as keys of a row without drafts lead to the published row of a document as long as it has one', async () => {
    const [tag, label] = [await made('tag', 'a'), await made('label', 'b')];
    const { keyed } = linksTo(tag, label);
    const { documentId } = await of('plain').create({ data: { name: 'p', keyed, part: { keyed } } });
    const links = async (status: 'draft' | 'published') => {
      const populate = { ...POPULATED, part: { populate: POPULATED } };
      const entry = (await of('plain').findOne({ documentId, status, populate: populate as never })) as Answered;
      return [linksOf(entry).keyed, linksOf(entry.part).keyed];
    };
    for (let round = 0; round < 2; round++) {
      expect(await links('published')).toEqual([null, null]);
      expect(await links('draft')).toEqual(['a', 'a']);
      await of('tag').publish({ documentId: tag });
      expect(await links('published')).toEqual(['a', 'a']);
      await of('tag').unpublish({ documentId: tag });
    }
  });

  it.each(['note', 'topic'])(
    'as keys with another side follow publications too, whichever side wrote them: %s',
    async (side) => {
      const [topic, note] = [await made('topic', 't'), await made('note', 'n')];
      if (side === 'note') await of('note').update({ documentId: note, data: { topic, lead: topic } });
      else await of('topic').update({ documentId: topic, data: { notes: [note], leader: note } });
      const links = async (status: 'draft' | 'published') => {
        const held = (await of('note').findOne({ documentId: note, status, populate: '*' })) as Answered;
        const back = (await of('topic').findOne({ documentId: topic, status, populate: '*' })) as Answered;
        return [held.topic?.name, held.lead?.name, back?.notes.length, back?.leader?.name];
      };
      for (let round = 0; round < 2; round++) {
        expect(await links('published')).toEqual([undefined, undefined, undefined, undefined]);
        expect(await links('draft')).toEqual(['t', 't', 1, 'n']);
        await of('topic').publish({ documentId: topic });
        expect(await links('published')).toEqual(['t', 't', 1, 'n']);
        // Publishing again, with the links told of or not, changes nothing.
        await of('topic').update({ documentId: topic, data: { name: 't' }, status: 'published' });
        expect(await links('published')).toEqual(['t', 't', 1, 'n']);
        await of('topic').unpublish({ documentId: topic });
      }
    },
  );

  it('as keys of a row without drafts are changed from the other side by a write that publishes', async () => {
    const [topic, note, other] = [await made('topic', 't'), await made('note', 'n'), await made('note', 'o')];
    await of('note').update({ documentId: note, data: { topic, lead: topic } });
    await of('topic').publish({ documentId: topic });
    const publish = async (data: Answered): Promise<Answered> => {
      const populate = { notes: true, leader: true } as never;
      const entry = (await of('topic').update({ documentId: topic, data, status: 'published', populate })) as Answered;
      return [entry.notes.map(({ name }: Answered) => name).toSorted(), entry.leader?.name ?? null];
    };
    const held = async (documentId: string) => {
      const entry = (await of('note').findOne({ documentId, status: 'published', populate: '*' })) as Answered;
      return [entry.topic?.name ?? null, entry.lead?.name ?? null];
    };
    expect(await publish({ notes: { connect: [other] } })).toEqual([['n', 'o'], 'n']);
    expect(await publish({ leader: other })).toEqual([['n', 'o'], 'o']);
    expect([await held(note), await held(other)]).toEqual([
      ['t', null],
      ['t', 't'],
    ]);
    expect(await publish({ notes: [note], leader: null })).toEqual([['n'], null]);
    expect(await publish({ notes: { disconnect: [note] } })).toEqual([[], null]);
    expect([await held(note), await held(other)]).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('take what a body says of a clone, in every form', async () => {
    const [tag, label] = [await made('tag', 'a'), await made('label', 'b')];
    const other = await made('tag', 'c');
    const { documentId } = await of('product').create({ data: { name: 'p', ...linksTo(tag, label) } });
    const typed = (id: string) => ({ __type: TAG, documentId: id });
    const cases = [
      [
        { keyed: { connect: [other], disconnect: [tag] }, any: { connect: [typed(other)], disconnect: [typed(tag)] } },
        'c',
      ],
      [{ keyed: { set: [other] }, any: { set: [typed(other)] } }, 'c'],
      [{ keyed: { disconnect: [tag] }, any: { disconnect: [typed(tag)] } }, null],
      [{ keyed: { disconnect: [other] }, any: { disconnect: [typed(other)] } }, 'a'],
      [{ keyed: { connect: [], disconnect: [] }, any: { connect: [], disconnect: [] } }, 'a'],
    ] as const;
    for (const [data, expected] of cases) {
      const clone = await of('product').clone({ documentId, data: data as Answered });
      const { keyed, any } = (await read(clone.documentId)).own;
      expect([keyed, any], JSON.stringify(data)).toEqual([expected, expected]);
      expect((await read(documentId)).own).toMatchObject({ keyed: 'a', any: 'a' });
    }
  });

  it('are kept by a one-to-one key that has another side, with or without drafts', async () => {
    const [pin, stub] = [await made('pin', 'pin'), await made('stub', 'stub')];
    await of('pin').publish({ documentId: pin });
    const { documentId } = await of('page').create({ data: { name: 'page', pin, stub }, status: 'published' });
    const pinsOf = async (id: string, status: 'draft' | 'published') => {
      const page = (await of('page').findOne({ documentId: id, status, populate: ['pin', 'stub'] })) as Answered;
      return [page.pin?.name ?? null, page.stub?.name ?? null];
    };
    for (const status of ['draft', 'published'] as const)
      expect(await pinsOf(documentId, status)).toEqual(['pin', 'stub']);
    await of('page').update({ documentId, data: { pin: null, stub: null } });
    expect(await pinsOf(documentId, 'draft')).toEqual([null, null]);
    expect(await pinsOf(documentId, 'published')).toEqual(['pin', 'stub']);
    await of('page').discardDraft({ documentId });
    for (const status of ['draft', 'published'] as const)
      expect(await pinsOf(documentId, status)).toEqual(['pin', 'stub']);
    const clone = await of('page').clone({ documentId });
    expect(await pinsOf(clone.documentId, 'draft')).toEqual(['pin', 'stub']);
    for (const status of ['draft', 'published'] as const)
      expect(await pinsOf(documentId, status)).toEqual(['pin', 'stub']);
  });

  it('go with the clone of the row that holds the key, and stay where only the other side is cloned', async () => {
    const owned = await made('owned', 'owned');
    const { documentId } = await of('owner').create({ data: { name: 'owner', owned } });
    const clone = await of('owner').clone({ documentId, data: { name: 'clone' } });
    for (const id of [documentId, clone.documentId])
      expect(await of('owner').findOne({ documentId: id, populate: 'owned' })).toMatchObject({
        owned: { name: 'owned' },
      });
    expect(await of('owned').findOne({ documentId: owned, populate: 'owner' })).toMatchObject({
      owner: { name: 'owner' },
    });
    const copy = await of('owned').clone({ documentId: owned });
    expect(await of('owned').findOne({ documentId: copy.documentId, populate: 'owner' })).toMatchObject({
      owner: null,
    });
    expect(await of('owned').findOne({ documentId: owned, populate: 'owner' })).toMatchObject({
      owner: { name: 'owner' },
    });
  });
});

const ABOUT = { about: { type: 'relation', relation: 'morphToMany' } } as const;
const ABOUT_BACK = {
  remarks: relation('morphMany', 'remark', { morphBy: 'about' }),
  remark: relation('morphOne', 'remark', { morphBy: 'about' }),
  notes: relation('morphMany', 'note', { morphBy: 'about' }),
} as const;

/** Remarks have no drafts, notes do. Texts come before posts, whose rows have the same numbers. */
const COMMENTED: Project = {
  types: {
    remark: { attributes: { name: { type: 'string' }, ...ABOUT } },
    note: { drafts: true, attributes: { name: { type: 'string' }, ...ABOUT } },
    post: { drafts: true, attributes: { name: { type: 'string' }, ...ABOUT_BACK } },
    text: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        ...ABOUT_BACK,
        box: { type: 'component', component: 'kit.box' },
      },
    },
  },
  components: { 'kit.box': { remarks: ABOUT_BACK.remarks } },
};

describeOnEveryDatabase('links that polymorphic relations of others hold', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(COMMENTED);
    for (const name of ['a', 'b', 'c']) await of('post').create({ data: { name }, status: 'published' });
  });
  const of = (type: string) => content.sheaf.documents(`api::${type}.${type}`);
  const remark = async (name: string): Promise<string> => (await of('remark').create({ data: { name } })).documentId;
  const note = async (name: string): Promise<string> => (await of('note').create({ data: { name } })).documentId;
  const names = (list: Answered): string[] => list.map((one: Answered) => one.name);
  const shown = async (documentId: string, status: 'draft' | 'published' = 'published'): Promise<Answered> => {
    const populate = { remarks: true, remark: true, notes: true, box: { populate: { remarks: true } } };
    const text = (await of('text').findOne({ documentId, status, populate: populate as never })) as Answered;
    return {
      remarks: names(text.remarks),
      remark: text.remark?.name ?? null,
      notes: names(text.notes),
      box: text.box && names(text.box.remarks),
    };
  };
  const first = { remarks: ['b', 'a'], remark: 'a', notes: [], box: ['a', 'b'] };

  /** A published text with remarks. */
  const commented = async () => {
    const [a, b] = [await remark('a'), await remark('b')];
    const data = { name: 't', remarks: [b, a], remark: a, box: { remarks: [a, b] } };
    const { documentId } = await of('text').create({ data, status: 'published' });
    return { documentId, a, b };
  };

  it('are published with the row that shows them', async () => {
    const { documentId, a } = await commented();
    expect(await shown(documentId)).toEqual(first);
    const changed = { remarks: [a], remark: null, box: { remarks: [] } };
    await of('text').update({ documentId, data: changed });
    expect(await shown(documentId)).toEqual(first);
    await of('text').publish({ documentId });
    const after = { remarks: ['a'], remark: null, notes: [], box: [] };
    expect(await shown(documentId)).toEqual(after);
    expect(await shown(documentId, 'draft')).toEqual(after);
    const c = await remark('c');
    const answer = await content.entry('PUT', `texts/${documentId}?populate=remarks`, { remarks: [c, a] });
    expect(names(answer.remarks)).toEqual(['c', 'a']);
  });

  it('show the row at the other end, where they are published and where they are not', async () => {
    const { documentId, b } = await commented();
    const about = async (status: string) =>
      names((await content.entry('GET', `remarks/${b}?populate=about&status=${status}`)).about);
    await of('text').update({ documentId, data: { name: 'draft of t' } });
    expect(await about('published')).toEqual(['t']);
    expect(await about('draft')).toEqual(['draft of t']);
    await of('text').unpublish({ documentId });
    expect(await about('published')).toEqual([]);
    await of('text').publish({ documentId });
    expect(await about('published')).toEqual(['draft of t']);
    expect(await shown(documentId)).toEqual(first);
  });

  it('come back when the draft is discarded', async () => {
    const { documentId, b } = await commented();
    await of('text').update({ documentId, data: { remarks: [await remark('c'), b], remark: b, box: null } });
    expect(await shown(documentId, 'draft')).toEqual({ remarks: ['c', 'b'], remark: 'b', notes: [], box: null });
    await of('text').discardDraft({ documentId });
    expect(await shown(documentId, 'draft')).toEqual(first);
    expect(await shown(documentId)).toEqual(first);
  });

  it('are copied with a clone, which leaves the original as it was', async () => {
    const { documentId } = await commented();
    const clone = await of('text').clone({ documentId });
    expect(await shown(clone.documentId, 'draft')).toEqual(first);
    for (const status of ['draft', 'published'] as const) expect(await shown(documentId, status)).toEqual(first);
  });

  it('appear when the row that holds them is published, and go when it is published without them', async () => {
    const [a, b] = [await note('a'), await note('b')];
    const { documentId } = await of('text').create({ data: { name: 't', notes: [b, a] }, status: 'published' });
    const notes = async (status?: 'draft') => (await shown(documentId, status)).notes;
    expect(await notes()).toEqual([]);
    await of('note').publish({ documentId: a });
    expect(await notes()).toEqual(['a']);
    await of('note').publish({ documentId: b });
    expect(await notes()).toEqual(['b', 'a']);
    await of('note').update({ documentId: b, data: { about: [] } });
    expect(await notes('draft')).toEqual(['a']);
    expect(await notes()).toEqual(['b', 'a']);
    await of('note').publish({ documentId: b });
    expect(await notes()).toEqual(['a']);
    await of('text').update({ documentId, data: { notes: [] }, status: 'published' });
    expect(await notes()).toEqual([]);
    expect(await of('note').findOne({ documentId: a, status: 'published', populate: 'about' })).toMatchObject({
      about: [],
    });
  });

  it('to what is not published come back when the draft is discarded, and are of its own type alone', async () => {
    const [a, b] = [await note('a'), await note('b')];
    const { documentId } = await of('text').create({ data: { name: 't', notes: [b, a] }, status: 'published' });
    const posts = await of('post').findMany({ status: 'draft' });
    for (const { documentId: post } of posts) {
      await of('post').update({ documentId: post, data: { notes: [await note('c')] }, status: 'published' });
      await of('post').discardDraft({ documentId: post });
      const found = (await of('post').findOne({ documentId: post, status: 'draft', populate: 'notes' })) as Answered;
      expect(names(found.notes)).toEqual(['c']);
    }
    await of('note').publish({ documentId: a });
    await of('text').update({ documentId, data: { notes: [] } });
    await of('text').discardDraft({ documentId });
    expect((await shown(documentId, 'draft')).notes).toEqual(['b', 'a']);
    expect((await shown(documentId)).notes).toEqual(['a']);
  });

  it('of what is not published stay when the draft of the row that holds them is discarded', async () => {
    const a = await note('a');
    const { documentId } = await of('text').create({ data: { name: 't', notes: [a] } });
    await of('note').publish({ documentId: a });
    await of('note').update({ documentId: a, data: { name: 'draft of a' } });
    await of('note').discardDraft({ documentId: a });
    expect((await shown(documentId, 'draft')).notes).toEqual(['a']);
    await of('text').publish({ documentId });
    expect((await shown(documentId)).notes).toEqual(['a']);
  });
});

/** One type shows the links that lead to it, another does not. */
const BOARDS: Project = {
  types: {
    author: {
      attributes: {
        name: { type: 'string' },
        boards: relation('morphMany', 'board', { morphBy: 'several' }),
        board: relation('morphOne', 'board', { morphBy: 'any' }),
      },
    },
    tag: { drafts: true, attributes: { name: { type: 'string' } } },
    board: { drafts: true, attributes: { name: { type: 'string' }, any: LINKS.any, several: LINKS.several } },
  },
};
const AUTHOR = 'api::author.author';

describeOnEveryDatabase('a relation to any type of which only some show it', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  let author: Answered;
  let tag: Answered;
  beforeAll(async () => {
    content = await contents.open(BOARDS);
    author = await content.entry('POST', 'authors', { name: 'a' });
    tag = await content.entry('POST', 'tags', { name: 't' });
  });
  const links = () => ({
    any: { __type: TAG, documentId: tag.documentId },
    several: [
      { __type: TAG, documentId: tag.documentId },
      { __type: AUTHOR, documentId: author.documentId },
    ],
  });
  const SHOWN = {
    any: { __type: TAG, name: 't' },
    several: [
      { __type: TAG, name: 't' },
      { __type: AUTHOR, name: 'a' },
    ],
  };

  it('shows and narrows links to the others that are in the database', async () => {
    const { id, documentId } = await content.entry('POST', 'boards', { name: 's' });
    await content.execute(`insert into boards_several_mph (board_id, several_id, several_type, "order")
      values (${id}, ${tag.id}, '${TAG}', 1), (${id}, ${author.id}, '${AUTHOR}', 2)`);
    await content.execute(`update boards set target_id = ${tag.id}, target_type = '${TAG}' where id = ${id}`);
    expect(await content.entry('GET', `boards/${documentId}?populate=*`)).toMatchObject(SHOWN);
    const narrowed = await content.entry('GET', `boards/${documentId}?populate[several][on][${TAG}]=true`);
    expect(narrowed.several).toEqual([expect.objectContaining({ __type: TAG, name: 't' })]);
  });

  it('is written with links to them, and published', async () => {
    const made = await content.entry('POST', 'boards?status=draft&populate=*', { name: 's', ...links() });
    expect(made).toMatchObject(SHOWN);
    const published = await content.entry('PUT', `boards/${made.documentId}?populate=*`, { name: 'p' });
    expect(published).toMatchObject(SHOWN);
  });

  describe('has several links at one position, as those are that were made from their other side,', () => {
    /** An entry whose draft has two, in the order of `types`. */
    async function boardWith(types: readonly string[]): Promise<{ id: number; documentId: string }> {
      const { id, documentId } = await content.entry('POST', 'boards?status=draft', { name: 's' });
      const draft = await content.entry('GET', `tags/${tag.documentId}?status=draft`);
      for (const type of types) await link(id, type, type === TAG ? draft.id : author.id);
      return { id, documentId };
    }
    const link = (board: number, type: string, id: number) =>
      content.execute(`insert into boards_several_mph (board_id, several_id, several_type, field, "order")
        values (${board}, ${id}, '${type}', ${type === TAG ? 'null' : `'boards'`}, 1)`);
    const typesOf = async (request: string, ...body: Answered[]): Promise<string[]> => {
      const { several } = await content.entry(body.length > 0 ? 'PUT' : 'GET', request, ...body);
      return several.map(({ __type }: Answered) => __type);
    };
    const publish = (documentId: string) => typesOf(`boards/${documentId}?populate=*`, { name: 'p' });
    const orders = [
      [TAG, AUTHOR],
      [AUTHOR, TAG],
    ];

    it.each(orders)('and keeps their order when it is published (%s, %s)', async (...types) => {
      const { documentId } = await boardWith(types);
      expect(await typesOf(`boards/${documentId}?status=draft&populate=*`)).toEqual(types);
      expect(await publish(documentId)).toEqual(types);
    });

    it.each(orders)('and has their order again when one of them was not published (%s, %s)', async (...types) => {
      const { documentId } = await boardWith(types);
      await publish(documentId);
      const published = await content.entry('GET', `boards/${documentId}`);
      const [first] = types;
      await content.execute(
        `delete from boards_several_mph where board_id = ${published.id} and several_type = '${first}'`,
      );
      expect(await publish(documentId)).toEqual(types);
    });

    it.each(orders)('and has their order again when one of them is published again (%s, %s)', async (...types) => {
      const { documentId } = await boardWith(types);
      await publish(documentId);
      await content.sheaf.documents(TAG).unpublish({ documentId: tag.documentId });
      expect(await typesOf(`boards/${documentId}?populate=*`)).toEqual([AUTHOR]);
      await content.sheaf.documents(TAG).publish({ documentId: tag.documentId });
      expect(await typesOf(`boards/${documentId}?populate=*`)).toEqual(types);
    });

    it.each(orders)(
      'and gets their order where another program published them in another (%s, %s)',
      async (...types) => {
        const { documentId } = await boardWith(types);
        await publish(documentId);
        const { id } = await content.entry('GET', `boards/${documentId}`);
        await content.execute(`delete from boards_several_mph where board_id = ${id}`);
        const published = await content.entry('GET', `tags/${tag.documentId}`);
        for (const type of types.toReversed()) await link(id, type, type === TAG ? published.id : author.id);
        expect(await typesOf(`boards/${documentId}?populate=*`)).toEqual(types.toReversed());
        expect(await publish(documentId)).toEqual(types);
      },
    );
  });

  it('leads to no type that is kept from everyone', async () => {
    for (const uid of ['plugin::users-permissions.role', 'admin::user', 'admin::role']) {
      const written = await content.post('boards', { several: [{ __type: uid, id: 1 }] });
      expect([written.status, written.body.error?.message]).toEqual([400, 'Invalid key several']);
      const read = await content.get(`boards?populate[several][on][${uid}]=true`);
      expect([read.status, read.body.error?.details.key]).toEqual([400, uid]);
    }
  });
});

describeOnEveryDatabase('component rows that a draft and its published row share', (engine) => {
  const contents = useContents(engine);
  const parts = (...names: string[]): Answered[] => names.map((name) => ({ name, below: { name: `${name}-below` } }));

  /** An entry whose published row leads to the component rows of its draft, as upgrades of databases have left some. */
  async function shared() {
    const { sheaf } = await contents.open({
      types: {
        page: {
          drafts: true,
          attributes: { parts: { type: 'component', component: 'kit.part', repeatable: true } },
        },
      },
      components: {
        'kit.part': { name: { type: 'string' }, below: { type: 'component', component: 'kit.below' } },
        'kit.below': { name: { type: 'string' } },
      },
    });
    const pages = sheaf.documents('api::page.page');
    const { documentId } = await pages.create({ data: { parts: parts('a', 'b') }, status: 'published' });
    const ask = (sql: string) => sheaf.database.transaction((session) => session.rows({ sql, bindings: [] }, []));
    await ask(`update pages_cmps set cmp_id = (select d.cmp_id from pages_cmps d join pages p on p.id = d.entity_id
      where p.published_at is null and d."order" = pages_cmps."order")`);
    await ask('delete from sheaf_component_copies');
    const held = 'select cmp_id from';
    await ask(`delete from components_kit_parts where id not in (${held} pages_cmps)`);
    await ask('delete from components_kit_parts_cmps where entity_id not in (select id from components_kit_parts)');
    await ask(`delete from components_kit_belows where id not in (${held} components_kit_parts_cmps)`);
    const shownIn = async (status: 'draft' | 'published'): Promise<readonly Answered[] | undefined> => {
      const [page] = await pages.findMany({ status, populate: { parts: { populate: 'below' } } });
      return page?.parts as Answered[] | undefined;
    };
    const namesIn = async (status: 'draft' | 'published') =>
      (await shownIn(status))?.map(({ name, below }) => [name, below.name]);
    const orphans = () => componentOrphans(sheaf.model, ask);
    return { pages, documentId, shownIn, namesIn, orphans };
  }
  const names = (...list: string[]) => list.map((name) => [name, `${name}-below`]);

  it('stay with the draft when the entry is unpublished', async () => {
    const { pages, documentId, namesIn, orphans } = await shared();
    await pages.unpublish({ documentId });
    expect([await namesIn('draft'), await namesIn('published')]).toEqual([names('a', 'b'), undefined]);
    expect(await orphans()).toEqual([]);
  });

  it('stay with the published row when the draft lets go of them', async () => {
    const { pages, documentId, namesIn, orphans } = await shared();
    await pages.update({ documentId, data: { parts: [] } });
    expect([await namesIn('draft'), await namesIn('published')]).toEqual([[], names('a', 'b')]);
    await pages.delete({ documentId });
    expect(await orphans()).toEqual([]);
  });

  it('are two from the next publication on', async () => {
    const { pages, documentId, shownIn, namesIn, orphans } = await shared();
    const [a, b] = (await shownIn('draft'))!;
    await pages.update({ documentId, data: { parts: [{ id: b!.id }, { id: a!.id }] }, status: 'published' });
    expect([await namesIn('draft'), await namesIn('published')]).toEqual([names('b', 'a'), names('b', 'a')]);
    expect(new Set([...(await shownIn('draft'))!, ...(await shownIn('published'))!].map(({ id }) => id)).size).toBe(4);
    expect(await orphans()).toEqual([]);
  });
});

describeOnEveryDatabase('A component that leads to its own entry', (engine) => {
  const contents = useContents(engine);

  it('leads to the row of a new locale, not to that of the component', async () => {
    const { sheaf } = await contents.open({
      locales: ['en', 'fr'],
      types: {
        page: { localized: true, attributes: { part: { type: 'component', component: 'kit.part', ...localized } } },
      },
      components: {
        'kit.part': {
          items: { type: 'relation', relation: 'morphToMany' },
          any: { type: 'relation', relation: 'morphToOne' },
        },
      },
    });
    const pages = sheaf.documents('api::page.page');
    // So that rows of components have other ids than those of entries.
    await pages.create({ data: {} });
    const { documentId } = await pages.create({ data: {} });
    const self = { __type: 'api::page.page', documentId };
    const populate = { part: { populate: ['items', 'any'] } } as never;
    const made = await pages.update({
      documentId,
      locale: 'fr',
      data: { part: { items: [self], any: self } },
      populate,
    });
    expect(made).toMatchObject({ part: { items: [{ id: made!.id }], any: { id: made!.id } } });
  });
});

describeOnEveryDatabase('links of published entries that another program has published', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  const links = {
    tags: relation('manyToMany', 'tag'),
    first: relation('oneToOne', 'tag', { useJoinTable: false }),
    any: { type: 'relation', relation: 'morphToOne' },
    several: { type: 'relation', relation: 'morphToMany' },
  };
  beforeAll(async () => {
    content = await contents.open({
      types: {
        tag: { drafts: true, attributes: { name: { type: 'string' } } },
        page: { drafts: true, attributes: { ...links, part: { type: 'component', component: 'kit.outer' } } },
      },
      components: {
        'kit.outer': { inner: { type: 'component', component: 'kit.inner', repeatable: true } },
        'kit.inner': links,
      },
    });
  });
  const of = (type: string) => content.sheaf.documents(`api::${type}.${type}`);
  const everything = { tags: true, first: true, any: true, several: true };
  const read = async (documentId: string, status: 'draft' | 'published') => {
    const populate = { ...everything, part: { populate: { inner: { populate: everything } } } };
    const page = (await of('page').findOne({ documentId, status, populate })) as Answered;
    const namesOf = (one: Answered) =>
      Object.keys(links).map((name) => [one[name] ?? []].flat().map((tag: Answered) => tag.name));
    return [page, ...page.part.inner].map(namesOf);
  };

  it('are there again when their targets are unpublished and published again', async () => {
    const tags: string[] = [];
    for (const name of ['a', 'b', 'c'])
      tags.push((await of('tag').create({ data: { name }, status: 'published' })).documentId);
    const typed = tags.map((documentId) => ({ __type: TAG, documentId }));
    const values = { tags, first: tags[1], any: typed[1], several: typed };
    const data = { ...values, part: { inner: [{ tags: [tags[2]] }, values] } };
    const { documentId } = await of('page').create({ data, status: 'published' });
    const before = await read(documentId, 'published');
    // What this server has put on record is of rows that the other program has replaced.
    for (const table of ['sheaf_published_lists', 'sheaf_component_copies'])
      await content.execute(`delete from ${table}`);
    await of('page').update({ documentId, data: { tags: [], first: null } });
    const draft = await read(documentId, 'draft');
    for (const tag of [tags[1]!, tags[0]!]) await of('tag').unpublish({ documentId: tag });
    expect(await read(documentId, 'published')).not.toEqual(before);
    for (const tag of tags.slice(0, 2)) await of('tag').publish({ documentId: tag });
    expect(await read(documentId, 'published')).toEqual(before);
    expect(await read(documentId, 'draft')).toEqual(draft);
  });
});

describeOnEveryDatabase('links of components that locales share', (engine) => {
  const contents = useContents(engine);
  const PAGE = 'api::page.page';
  const LEAF = 'api::leaf.leaf';
  let content: Content;
  beforeAll(async () => {
    const attributes = { title: { type: 'string', ...localized }, part: { type: 'component', component: 'kit.part' } };
    content = await contents.open({
      locales: ['en', 'fr'],
      types: {
        page: { drafts: true, localized: true, attributes: { title: { type: 'string', ...localized } } },
        leaf: { attributes: { title: { type: 'string' } } },
        sheet: { drafts: true, localized: true, attributes },
        label: { localized: true, attributes },
      },
      components: {
        'kit.part': {
          name: { type: 'string' },
          several: { type: 'relation', relation: 'morphToMany' },
          one: relation('oneToOne', 'page'),
          many: relation('manyToMany', 'page'),
        },
      },
    });
  });
  const of = (type: string) => content.sheaf.documents(`api::${type}.${type}`);
  const publishedIn = async (locales: readonly string[], title: string): Promise<string> => {
    const { documentId } = await of('page').create({ data: { title }, status: 'published' });
    for (const locale of locales) await translate(documentId, locale, title);
    return documentId;
  };
  const translate = (documentId: string, locale: string, title: string) =>
    of('page').update({ documentId, locale, data: { title }, status: 'published' });
  const to = (...ids: readonly string[]) => ids.map((documentId) => ({ __type: PAGE, documentId }));
  const populate = { part: { populate: ['several'] } };
  /** Titles of what a part leads to, by locale. */
  const linked = async (type: string, documentId: string, status: 'draft' | 'published') => {
    const shown: Answered = {};
    for (const locale of ['en', 'fr']) {
      const { part } = (await of(type).findOne({ documentId, locale, status, populate })) as Answered;
      shown[locale] = part.several.map(({ title }: Answered) => title);
    }
    return shown;
  };
  const expectEverywhere = async (type: string, documentId: string, shown: Answered) => {
    expect(await linked(type, documentId, 'draft')).toEqual(shown);
    expect(await linked(type, documentId, 'published')).toEqual(shown);
  };
  const partIn = async (type: string, documentId: string, locale: string): Promise<number> =>
    ((await of(type).findOne({ documentId, locale, populate: ['part'] })) as Answered).part.id;

  it.each(['sheet', 'label'])('stay where the locale that is written lacks their target: %s', async (type) => {
    const untranslated = await publishedIn([], 'only en');
    const [first, last] = [await publishedIn(['fr'], 'first'), await publishedIn(['fr'], 'last')];
    const leaf = (await of('leaf').create({ data: { title: 'leaf' } })).documentId;
    const several = [...to(first, untranslated), { __type: LEAF, documentId: leaf }, ...to(last)];
    const { documentId } = await of(type).create({
      data: { title: 'en', part: { name: 'p', several } },
      status: 'published',
    });
    const write = async (locale: string, data: Answered) => {
      await of(type).update({ documentId, locale, data, status: 'published' });
    };
    await write('fr', { title: 'fr' });
    const all = { en: ['first', 'only en', 'leaf', 'last'], fr: ['first', 'leaf', 'last'] };
    await expectEverywhere(type, documentId, all);
    await write('fr', { part: { id: await partIn(type, documentId, 'fr'), name: 'renamed' } });
    await expectEverywhere(type, documentId, all);
    const disconnect = to(first);
    await write('fr', { part: { id: await partIn(type, documentId, 'fr'), several: { disconnect } } });
    await expectEverywhere(type, documentId, { en: ['only en', 'leaf', 'last'], fr: ['leaf', 'last'] });
    await write('en', { part: { id: await partIn(type, documentId, 'en'), name: 'again' } });
    await expectEverywhere(type, documentId, { en: ['only en', 'leaf', 'last'], fr: ['leaf', 'last'] });
    await write('fr', { part: { name: 'another', several: to(first) } });
    await expectEverywhere(type, documentId, { en: ['first'], fr: ['first'] });
  });

  it('stay where their targets were translated after them, and come back with a discarded draft', async () => {
    const [late, early] = [await publishedIn([], 'late'), await publishedIn(['fr'], 'early')];
    const part = { name: 'p', several: to(late, early) };
    const { documentId } = await of('sheet').create({ data: { title: 'en', part }, status: 'published' });
    await of('sheet').update({ documentId, locale: 'fr', data: { title: 'fr' }, status: 'published' });
    await translate(late, 'fr', 'late');
    const renamed = { part: { id: await partIn('sheet', documentId, 'fr'), name: 'renamed' } };
    await of('sheet').update({ documentId, locale: 'fr', data: renamed });
    const kept = { en: ['late', 'early'], fr: ['early'] };
    await expectEverywhere('sheet', documentId, kept);
    await of('sheet').discardDraft({ documentId, locale: 'fr' });
    await expectEverywhere('sheet', documentId, kept);
    await of('sheet').publish({ documentId, locale: 'fr' });
    await expectEverywhere('sheet', documentId, kept);
  });

  it('are published with another locale only where the draft of their own locale has them', async () => {
    const [late, early] = [await publishedIn([], 'late'), await publishedIn(['fr'], 'early')];
    const part = { name: 'p', several: to(late, early), one: late, many: [early, late] };
    const { documentId } = await of('sheet').create({ data: { title: 'en', part }, status: 'published' });
    await of('sheet').update({ documentId, locale: 'fr', data: { title: 'fr' }, status: 'published' });
    await translate(late, 'fr', 'late');
    await of('sheet').unpublish({ documentId, locale: 'en' });
    await of('sheet').publish({ documentId, locale: 'en' });
    await expectEverywhere('sheet', documentId, { en: ['late', 'early'], fr: ['early'] });
    const populated = { part: { populate: ['one', 'many'] } };
    for (const status of ['draft', 'published'] as const) {
      const inFrench = await of('sheet').findOne({ documentId, locale: 'fr', status, populate: populated });
      expect(inFrench).toMatchObject({ part: { one: null, many: [{ title: 'early' }] } });
    }
  });

  it('keep their places between others when a draft is published later', async () => {
    const untranslated = await publishedIn([], 'only en');
    const first = await publishedIn(['fr'], 'first');
    const { documentId: unpublished } = await of('page').create({ data: { title: 'draft' } });
    await of('page').update({ documentId: unpublished, locale: 'fr', data: { title: 'draft' } });
    const part = { name: 'p', several: to(untranslated, unpublished, first) };
    const { documentId } = await of('sheet').create({ data: { title: 'en', part }, status: 'published' });
    await of('sheet').update({ documentId, locale: 'fr', data: { title: 'fr' }, status: 'published' });
    const more = await publishedIn(['fr'], 'more');
    const connect = [{ ...to(more)[0], position: { start: true } }];
    const data = { part: { id: await partIn('sheet', documentId, 'fr'), several: { connect } } };
    await of('sheet').update({ documentId, locale: 'fr', data, status: 'published' });
    for (const locale of ['en', 'fr']) await of('page').publish({ documentId: unpublished, locale });
    const all = { en: ['only en', 'more', 'draft', 'first'], fr: ['more', 'draft', 'first'] };
    await expectEverywhere('sheet', documentId, all);
    await of('page').unpublish({ documentId: unpublished, locale: '*' });
    await of('sheet').discardDraft({ documentId, locale: 'en' });
    expect(await linked('sheet', documentId, 'draft')).toEqual(all);
  });
});
