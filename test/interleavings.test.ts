// Short runs of two or three writers on a few documents at the same time, generated: publishing, unpublishing,
// deleting, connecting, cloning, writing locales, components, unique values, a single type and files. Whatever the
// order, no request fails for a reason of the server, and what holds of stored content holds afterwards.
// SHEAF_TEST_SCALE gives more runs.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { SheafError } from '../src/errors.ts';
import type { EntryData } from '../src/operations/parameters.ts';
import { type Json, localized, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnPostgres } from './support/database.ts';
import { componentOrphans, violations } from './support/invariants.ts';
import { scaled } from './support/scale.ts';

const WRITERS = 3;
const WRITES = 4;
const RUNS = scaled(20);
const DOCUMENTS = 3;

const items = { type: 'relation', relation: 'morphToMany' };
const PROJECT: Project = {
  locales: ['en', 'fr'],
  types: {
    page: {
      drafts: true,
      localized: true,
      attributes: {
        title: { type: 'string', ...localized },
        slug: { type: 'string', unique: true, ...localized },
        tags: relation('manyToMany', 'tag', { inversedBy: 'pages' }),
        links: relation('oneToMany', 'tag'),
        next: relation('oneToOne', 'page'),
        items,
        cover: { type: 'media', multiple: true },
        parts: { type: 'component', component: 'kit.part', repeatable: true, ...localized },
      },
    },
    tag: {
      drafts: true,
      attributes: {
        name: { type: 'string' },
        pages: relation('manyToMany', 'page', { mappedBy: 'tags' }),
        home: relation('manyToOne', 'home', { inversedBy: 'tags' }),
      },
    },
    home: {
      single: true,
      attributes: { items, tags: relation('oneToMany', 'tag', { mappedBy: 'home' }) },
    },
  },
  components: {
    'kit.part': { text: { type: 'string' }, tag: relation('oneToOne', 'tag'), file: { type: 'media' }, items },
  },
};
const [PAGE, TAG, HOME] = ['api::page.page', 'api::tag.tag', 'api::home.home'] as const;

/** The same numbers on every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

/** Links of polymorphic tables that lead to nothing. */
function deadLinks(sheaf: Sheaf): string {
  const tables = ['homes_items_mph', 'pages_items_mph', 'components_kit_parts_items_mph'];
  const related = (uid: string, table: string): string =>
    `select '${table}', related_id from files_related_mph where related_type = '${uid}' and related_id not in (select id from ${table})`;
  const led = [PAGE, TAG].flatMap((uid) => {
    const { table } = sheaf.model.contentTypes.get(uid)!;
    return tables.map(
      (links) =>
        `select '${links}', items_id from ${links} where items_type = '${uid}' and items_id not in (select id from ${table})`,
    );
  });
  return [...led, related(PAGE, 'pages'), related('kit.part', 'components_kit_parts')].join(' union all ');
}

describeOnPostgres('Writers who meet', (engine) => {
  const contents = useContents(engine);
  let nodes: Sheaf[];
  beforeAll(async () => {
    const project = contents.project(PROJECT);
    const database = engine.bareDatabaseUrl(['en', 'fr']);
    nodes = [await open({ project, database })];
    for (let more = 1; more < WRITERS; more++) nodes.push(await open({ project, database }));
  });
  afterAll(() => Promise.all((nodes ?? []).map((node) => node.close())));

  /** A list of something to do, all at random; each is one write. */
  function writesOf(node: Sheaf, random: (below: number) => number, ids: Ids): (() => Promise<unknown>)[] {
    const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
    const some = (list: readonly string[]): string[] => list.filter(() => random(2) === 0);
    const locale = () => pick(['en', 'fr']);
    const status = () => pick(['draft', 'published'] as const);
    const any = () =>
      pick([
        { __type: PAGE, documentId: pick(ids.pages) },
        { __type: TAG, documentId: pick(ids.tags) },
      ]);
    const change = (list: readonly string[]) =>
      pick([{ connect: [pick(list)] }, { disconnect: [pick(list)] }, some(list)]);
    const part = () => ({ text: 'p', tag: pick(ids.tags), file: pick(ids.files), items: [any()] });
    const [pages, tags, home] = [node.documents(PAGE), node.documents(TAG), node.documents(HOME)];
    const page = (data: () => Record<string, unknown>) => () =>
      pages.update({ documentId: pick(ids.pages), locale: locale(), status: status(), data: data() });
    return [
      page(() => ({ tags: change(ids.tags) })),
      page(() => ({ links: change(ids.tags), slug: pick(['a', 'b', 'c', null]) })),
      page(() => ({ next: pick([null, ...ids.pages]), items: [any()] })),
      page(() => ({ parts: [part(), part()], cover: [pick(ids.files)] })),
      () => pages.publish({ documentId: pick(ids.pages), locale: locale() }),
      () => pages.unpublish({ documentId: pick(ids.pages), locale: pick(['en', '*']) }),
      () => pages.discardDraft({ documentId: pick(ids.pages), locale: locale() }),
      () => pages.delete({ documentId: pick(ids.pages), locale: pick(['fr', '*']) }),
      () => pages.clone({ documentId: pick(ids.pages), data: { slug: null } }),
      () => tags.update({ documentId: pick(ids.tags), status: status(), data: { pages: change(ids.pages) } }),
      () => tags.publish({ documentId: pick(ids.tags) }),
      () => tags.unpublish({ documentId: pick(ids.tags) }),
      () => tags.delete({ documentId: pick(ids.tags) }),
      () => home.update({ data: { items: [any(), any()], tags: change(ids.tags) } } as never),
      () => node.files.delete(pick(ids.files)),
    ];
  }

  interface Ids {
    readonly pages: readonly string[];
    readonly tags: readonly string[];
    readonly files: readonly string[];
  }

  async function makeContent(node: Sheaf, run: number): Promise<Ids> {
    const [pages, tags, files]: [string[], string[], string[]] = [[], [], []];
    for (let index = 0; index < DOCUMENTS; index++) {
      tags.push((await node.documents(TAG).create({ data: { name: `${run}` }, status: 'published' })).documentId);
      const [file] = await node.files.upload([{ name: 'a.txt', content: Buffer.from('a') }]);
      files.push(file!.documentId);
    }
    for (let index = 0; index < DOCUMENTS; index++) {
      const data = { title: `${run}`, tags, links: tags, items: [{ __type: TAG, documentId: tags[0] }], cover: files };
      const parts = [{ tag: tags[1], file: files[0], items: [{ __type: TAG, documentId: tags[2] }] }];
      pages.push((await node.documents(PAGE).create({ data: { ...data, parts }, status: 'published' })).documentId);
    }
    return { pages, tags, files };
  }

  it.each(Array.from({ length: RUNS }, (_, run) => run + 1))('leave everything whole: run %i', async (run) => {
    const ids = await makeContent(nodes[0]!, run);
    const failed: unknown[] = [];
    await Promise.all(
      nodes.map(async (node, writer) => {
        const random = randomFrom(run * 7919 + writer);
        const writes = writesOf(node, random, ids);
        for (let count = 0; count < WRITES; count++)
          await writes[random(writes.length)]!().catch((error: unknown) => {
            if (!(error instanceof SheafError) || error.status >= 500) failed.push(error);
          });
      }),
    );
    expect(failed).toEqual([]);
    const { model, database } = nodes[0]!;
    const found = await database.snapshot(async (session) => {
      const ask = (sql: string) => session.rows({ sql, bindings: [] }, []);
      return [
        ...(await violations(model, ask)),
        ...(await componentOrphans(model, ask)),
        ...(await ask(deadLinks(nodes[0]!))).map((row) => `dead: ${JSON.stringify(row)}`),
      ];
    });
    expect(found).toEqual([]);
  });
});

describeOnEveryDatabase('A link and the first publication of its target at the same time', (engine) => {
  const contents = useContents(engine);
  const linkTo = (documentId: string) => ({ __type: TAG, documentId });
  /** Each way to lead to a tag, with the value that does. */
  const links: Record<string, { definition: Json; value: (tag: string) => unknown }> = {
    listed: { definition: relation('manyToMany', 'tag'), value: (tag) => [tag] },
    keyed: { definition: relation('oneToOne', 'tag', { useJoinTable: false }), value: (tag) => tag },
    items: { definition: items, value: (tag) => [linkTo(tag)] },
    item: { definition: { type: 'relation', relation: 'morphToOne' }, value: linkTo },
  };
  const names = Object.keys(links);
  const definitions = Object.fromEntries(names.map((name) => [name, links[name]!.definition]));
  const holding = { ...definitions, part: { type: 'component', component: 'kit.part' } };
  let sheaf: Sheaf;
  beforeAll(async () => {
    const content = await contents.open({
      types: {
        tag: { drafts: true, attributes: { name: { type: 'string' } } },
        page: { drafts: true, attributes: holding },
        live: { attributes: holding },
      },
      components: { 'kit.part': definitions },
    });
    sheaf = content.sheaf;
  });
  const publish = (uid: string, documentId: string) => sheaf.documents(uid).publish({ documentId });
  /** Entries with one link each, by the entry itself or by its component. */
  const bodies = (tag: string) =>
    names.flatMap((name) => {
      const data = { [name]: links[name]!.value(tag) };
      return [data, { part: data }];
    });
  const LIVE = 'api::live.live';
  const ways: Record<
    string,
    (data: EntryData, isMade: (documentId: string) => void) => Promise<() => Promise<unknown>>
  > = {
    'published as it is': async (data, isMade) => {
      const { documentId } = await sheaf.documents(PAGE).create({ data });
      isMade(documentId);
      return () => publish(PAGE, documentId);
    },
    'published with the link': async (data, isMade) => {
      const { documentId } = await sheaf.documents(PAGE).create({ data: {} });
      isMade(documentId);
      return () => sheaf.documents(PAGE).update({ documentId, data, status: 'published' });
    },
    'written without drafts': async (data, isMade) => {
      const { documentId } = await sheaf.documents(LIVE).create({ data: {} });
      isMade(documentId);
      return () => sheaf.documents(LIVE).update({ documentId, data });
    },
  };

  it.each(Object.keys(ways))('show the target in an entry that is %s', async (way) => {
    const uid = way === 'written without drafts' ? LIVE : PAGE;
    const populated = Object.fromEntries(names.map((name) => [name, true]));
    const populate = { ...populated, part: { populate: populated } };
    const shown: unknown[] = [];
    for (const index of bodies('').keys()) {
      const { documentId: tag } = await sheaf.documents(TAG).create({ data: { name: `${index}` } });
      let made = '';
      const write = await ways[way]!(bodies(tag)[index]!, (documentId) => {
        made = documentId;
      });
      await Promise.all([write(), publish(TAG, tag)]);
      const entry = (await sheaf.documents(uid).findOne({ documentId: made, status: 'published', populate }))!;
      const found = names.flatMap((name) => [entry[name], (entry.part as EntryData | null)?.[name]].flat());
      shown.push(found.flatMap((one) => (one ? [(one as EntryData).name] : [])));
    }
    expect(shown).toEqual([...bodies('').keys()].map((index) => [`${index}`]));
  });
});
