// Changes of small projects, each with one oddity that the guide does not have.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { open, openDatabase, type Sheaf } from '../src/app.ts';
import { schemaApply, schemaDiff, schemaHistory, schemaRename, schemaUndo } from '../src/cli/schema-commands.ts';
import { modelOn } from '../src/db/model-on.ts';
import { updateModel } from '../src/migrate/update-model.ts';
import { loadModel } from '../src/model/build.ts';
import type { ServerConfig } from '../src/project/environment.ts';
import { type Answered, writeProject } from './support/content.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';
import { violations } from './support/invariants.ts';
import { localized, type Project, relation } from './support/project.ts';

const uid = (name: string): string => `api::${name}.${name}`;
const string = { type: 'string' };

const wrongIn = ({ model, database }: Sheaf): Promise<string[]> =>
  violations(model, (sql) => database.snapshot((session) => session.rows({ sql, bindings: [] }, [])));

describeOnEveryDatabase('A change of a model', (engine) => {
  const folders: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const stop of stops) await stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /**
   * A project on a database of its own, which is changed by writing its files anew. It is served until something else
   * changes it or the database, and then anew when someone asks.
   */
  function start(project: Project) {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-odd-'));
    folders.push(folder);
    const config = { project: folder, database: engine.bareDatabaseUrl(null), readOnly: false } as ServerConfig;
    let served: Sheaf | null = null;
    let isCurrent = false;
    const stop = async (): Promise<void> => {
      const leaving = served;
      served = null;
      await leaving?.close();
    };
    stops.push(stop);
    const become = (next: Project): void => {
      rmSync(folder, { recursive: true, force: true });
      writeProject(folder, next);
      isCurrent = false;
    };
    become(project);
    const serve = async <T>(work: (sheaf: Sheaf) => Promise<T>): Promise<T> => {
      if (!isCurrent) await stop();
      served ??= await open({ project: folder, database: config.database! });
      isCurrent = true;
      return work(served);
    };
    /** Does what a server that runs would not know of. */
    const beside = async <T>(work: () => Promise<T>): Promise<T> => {
      await stop();
      return work();
    };
    const diff = () => beside(() => schemaDiff(config));
    return {
      become,
      serve,
      read: (name: string, options: Answered = {}): Promise<Answered[]> =>
        serve((sheaf) => sheaf.documents(uid(name)).findMany({ populate: '*', sort: 'title', ...options })),
      create: (name: string, data: Answered, options: Answered = {}): Promise<Answered> =>
        serve((sheaf) => sheaf.documents(uid(name)).create({ data, ...options })),
      async sql(sql: string): Promise<readonly (readonly unknown[])[]> {
        const rows = await serve((sheaf) =>
          sheaf.database.transaction((session) => session.rows({ sql, bindings: [] }, [])),
        );
        isCurrent = false;
        return rows;
      },
      diff,
      steps: async (): Promise<string[]> => ((await diff()).value as Answered).changes.map(({ id }: Answered) => id),
      history: () => schemaHistory(config),
      rename: (names: readonly [string, string]) => beside(() => schemaRename(config, names)),
      apply: () => beside(() => schemaApply(config, { all: true })),
      undo: (discard = false) => beside(() => schemaUndo(config, discard)),
      /** The statements by which the changes are made. */
      statementsOfChanges: () =>
        beside(async () => {
          const database = await openDatabase(config.database!, 'create');
          const statements = recordStatements({ database } as Sheaf);
          const { model, rebuild } = await modelOn(database, folder, loadModel(folder));
          await updateModel({ database, model, rebuild, locales: null, isAllowed: () => true });
          await database.close();
          return statements;
        }),
    };
  }

  /** Where the attribute `lead` of ants and bees leads, for readers of drafts and for the public. */
  async function leadsOf({ read }: Pick<ReturnType<typeof start>, 'read'>): Promise<Answered> {
    const found: Answered = {};
    for (const name of ['ant', 'bee'])
      for (const status of ['draft', 'published'])
        found[`${name} ${status}`] = (await read(name, { status })).map(({ title, lead }) => [
          title,
          [lead ?? []].flat().map((one: Answered) => one.title),
        ]);
    return found;
  }

  it('is told to Strapi, and taken back there as well', async () => {
    const plain = { types: { ant: { attributes: { title: string } } } };
    const { sql, become, apply, undo, serve, create, read } = start(plain);
    await create('ant', { title: 'a' });
    await sql("insert into ants (document_id, title) values ('abcdefghijklmnopqrstuvwx', 'by hand')");
    const key = 'strapi_content_types_schema';
    const value = JSON.stringify({ [uid('ant')]: { options: { draftAndPublish: false }, pluginOptions: {} } });
    await sql(`insert into strapi_core_store_settings (key, value, type) values ('${key}', '${value}', 'object')`);
    const kept = () => sql(`select value from strapi_core_store_settings where key = '${key}'`);
    become({ types: { ant: { ...plain.types.ant, drafts: true, localized: true } } });
    await apply();
    // A row without any moment is published as well.
    expect((await read('ant', { status: 'published' })).map(({ title }) => title)).toEqual(['a', 'by hand']);
    const [[told]] = (await kept()) as [[string]];
    expect(JSON.parse(told)[uid('ant')]).toEqual({
      options: { draftAndPublish: true },
      pluginOptions: { i18n: { localized: true } },
    });
    await undo();
    await undo();
    become(plain);
    await serve(async () => undefined);
    const [[back]] = (await kept()) as [[string]];
    const type = JSON.parse(back)[uid('ant')];
    expect([type.options.draftAndPublish, type.pluginOptions.i18n?.localized ?? false]).toEqual([false, false]);
  });

  it('that Strapi has made since is not made once more', async () => {
    const attributes = { title: string, note: string, pages: string };
    const { become, steps, serve, create, read } = start({ types: { ant: { attributes } } });
    await create('ant', { title: 'a', note: 'x', pages: '7' });
    const run = (...statements: string[]) =>
      serve((sheaf) =>
        sheaf.database.transaction(async (session) => {
          for (const sql of statements) await session.rows({ sql, bindings: [] }, []);
        }),
      );
    const served = (draftAndPublish: boolean, attributes: Answered): string => {
      const value = JSON.stringify({ [uid('ant')]: { options: { draftAndPublish }, attributes } });
      return `insert into strapi_core_store_settings (key, value, type)
        values ('strapi_content_types_schema', '${value}', 'object')`;
    };
    await run(served(false, attributes));
    const next = { title: string, remark: string, pages: { type: 'integer' } };
    // A start of Strapi with other definitions drops a column, changes another and makes drafts.
    await run(
      "delete from strapi_core_store_settings where key = 'strapi_content_types_schema'",
      served(true, next),
      'alter table ants drop column note',
      'alter table ants add column remark varchar(255)',
      'alter table ants drop column pages',
      'alter table ants add column pages integer',
      "insert into ants (document_id, title, pages) select document_id, title, 7 from ants where title = 'a'",
    );
    become({ types: { ant: { drafts: true, attributes: next } } });
    expect(await steps()).toEqual([]);
    const titles = async (status: string) => (await read('ant', { status })).map(({ title }) => title);
    expect([await titles('draft'), await titles('published')]).toEqual([['a'], ['a']]);
    // What Strapi has not seen is a change as ever.
    become({ types: { ant: { attributes: { ...next, pages: string } } } });
    expect(await steps()).toEqual([`drafts-off:${uid('ant')}`, `convert:${uid('ant')}.pages`]);
  });

  it('of the names of polymorphic relations, and of the types that they lead to, is followed by their values', async () => {
    const { create, read, rename, undo, serve } = start({
      types: {
        ant: {
          attributes: {
            title: string,
            any: { type: 'relation', relation: 'morphToOne' },
            items: { type: 'relation', relation: 'morphToMany' },
          },
        },
        bee: { attributes: { title: string, ants: relation('morphMany', 'ant', { morphBy: 'items' }) } },
      },
    });
    const bee = await create('bee', { title: 'b' });
    const led = { documentId: bee.documentId, __type: uid('bee') };
    const ant = await create('ant', { title: 'a', any: led });
    await serve((sheaf) =>
      sheaf.documents(uid('bee')).update({ documentId: bee.documentId, data: { ants: [ant.documentId] } }),
    );
    const shownOf = (entry: Answered): Answered =>
      JSON.parse(
        JSON.stringify(entry)
          .replaceAll(uid('wasp'), uid('bee'))
          .replaceAll('"insects":', '"ants":')
          .replaceAll('"things":', '"items":'),
      );
    const [[before], [ofBee]] = [await read('ant'), await read('bee')];
    expect([before.any.title, before.items.length]).toEqual(['b', 1]);
    await rename([`${uid('bee')}.ants`, 'insects']);
    expect(shownOf((await read('bee'))[0])).toEqual(ofBee);
    await rename([`${uid('ant')}.items`, 'things']);
    expect(shownOf((await read('bee'))[0])).toEqual(ofBee);
    await rename([uid('bee'), 'wasp']);
    expect(shownOf((await read('wasp'))[0])).toEqual(ofBee);
    expect(shownOf((await read('ant'))[0])).toEqual(before);
    for (let count = 3; count > 0; count--) await undo();
    expect([(await read('ant'))[0], (await read('bee'))[0]]).toEqual([before, ofBee]);
  });

  it('of such names is followed by what is on record of links to entries that are not published', async () => {
    const items = { type: 'relation', relation: 'morphToMany' } as const;
    const { create, rename, serve } = start({
      types: {
        ant: { drafts: true, attributes: { title: string, items } },
        bee: { drafts: true, attributes: { title: string } },
      },
    });
    const bee = await create('bee', { title: 'b' });
    const led = [{ documentId: bee.documentId, __type: uid('bee') }];
    const { documentId } = await serve((sheaf) =>
      sheaf.documents(uid('ant')).create({ data: { title: 'a', items: led }, status: 'published' }),
    );
    await rename([`${uid('ant')}.items`, 'things']);
    await rename([uid('bee'), 'wasp']);
    const things = await serve(async (sheaf) => {
      await sheaf.documents(uid('wasp')).publish({ documentId: bee.documentId });
      const query = { documentId, status: 'published', populate: 'things' } as const;
      return ((await sheaf.documents(uid('ant')).findOne(query)) as Answered).things;
    });
    expect(things).toMatchObject([{ __type: uid('wasp'), title: 'b' }]);
  });

  it('of a type that keeps every value keeps those that new rules would refuse', async () => {
    const { create, become, read, steps } = start({ types: { ant: { attributes: { title: string, mail: string } } } });
    await create('ant', { title: 'a', mail: 'a rather long text' });
    become({ types: { ant: { attributes: { title: string, mail: { type: 'email', maxLength: 5 } } } } });
    await read('ant');
    expect((await read('ant'))[0].mail).toBe('a rather long text');
    expect(await steps()).toEqual([]);
  });

  it.each([
    ['string', ['bare', '12', '12', 'true', '{"a":1}', '["x"]']],
    ['text', ['bare', '12', '12', 'true', '{"a":1}', '["x"]']],
    ['integer', [null, 12, 12, null, null, null]],
    ['blocks', [null, null, null, null, null, null]],
  ] as const)('of JSON to another type takes strings for strings: %s', async (type, expected) => {
    const values = ['bare', '12', 12, true, { a: 1 }, ['x']];
    const { become, create, apply, read } = start({
      types: { ant: { attributes: { title: string, value: { type: 'json' } } } },
    });
    for (const [index, value] of values.entries()) await create('ant', { title: String(index), value });
    become({ types: { ant: { attributes: { title: string, value: { type } } } } });
    await apply();
    expect((await read('ant')).map(({ value }) => value)).toEqual(expected);
  });

  it('of a one-way relation that the other side keeps from now on moves the links there', async () => {
    const before = {
      types: {
        ant: { attributes: { title: string, bees: relation('oneToMany', 'bee') } },
        bee: { attributes: { title: string } },
      },
    };
    const { create, become, read, steps, apply, undo } = start(before);
    const bees = [await create('bee', { title: 'b' }), await create('bee', { title: 'c' })];
    await create('ant', { title: 'a', bees: [bees[1].documentId, bees[0].documentId] });
    const answers = await read('ant');
    become({
      types: {
        ant: { attributes: { title: string, bees: relation('oneToMany', 'bee', { mappedBy: 'ant' }) } },
        bee: { attributes: { title: string, ant: relation('manyToOne', 'ant', { inversedBy: 'bees' }) } },
      },
    });
    expect(await steps()).toEqual([`relation:${uid('bee')}.ant`]);
    await apply();
    expect(await read('ant')).toEqual(answers);
    expect((await read('bee')).map(({ ant }) => ant?.title)).toEqual(['a', 'a']);
    await undo();
    become(before);
    expect(await read('ant')).toEqual(answers);
    // The tables that are made again take new links.
    await create('ant', { title: 'd', bees: [bees[0].documentId] });
    expect((await read('ant')).at(-1).bees.length).toBe(1);
  });

  it('is no matter to a component of a new row that leads to its own entry', async () => {
    const { create, serve, read } = start({
      locales: ['en', 'fr'],
      types: {
        ant: { localized: true, attributes: { title: string, part: { type: 'component', component: 'kit.one' } } },
      },
      components: { 'kit.one': { label: string, lead: relation('oneToOne', 'ant') } },
    });
    await create('ant', { title: 'other', part: { label: 'x' } }, { locale: 'en' });
    const { documentId } = await create('ant', { title: 'a' }, { locale: 'fr' });
    const data = { title: 'a', part: { label: 'y', lead: documentId } };
    await serve((sheaf) => sheaf.documents(uid('ant')).update({ documentId, locale: 'en', data } as Answered));
    const populate = { part: { populate: ['lead'] } };
    expect((await read('ant', { locale: 'en', populate }))[0].part.lead).toMatchObject({ documentId, title: 'a' });
  });

  it.each([
    [
      'two lists',
      relation('manyToMany', 'bee', { inversedBy: 'lead' }),
      relation('manyToMany', 'ant', { mappedBy: 'lead' }),
    ],
    [
      'two lists, kept by the drafts',
      relation('manyToMany', 'bee', { mappedBy: 'lead' }),
      relation('manyToMany', 'ant', { inversedBy: 'lead' }),
    ],
    [
      'one target',
      relation('manyToOne', 'bee', { inversedBy: 'lead' }),
      relation('oneToMany', 'ant', { mappedBy: 'lead' }),
    ],
    ['one way', null, relation('manyToMany', 'ant')],
  ])('to drafts gives no links back that drafts of others lost: %s', async (_, there, back) => {
    const types = (drafts: boolean): Project => ({
      types: {
        ant: { drafts, attributes: { title: string, ...(there && { lead: there }) } },
        bee: { drafts: true, attributes: { title: string, lead: back } },
      },
    });
    const project = start(types(false));
    const { create, become, apply, serve } = project;
    const { documentId: lead } = await create('ant', { title: 'a' });
    const { documentId } = await create('bee', { title: 'b', lead: [lead] });
    await serve(async (sheaf) => {
      const bees = sheaf.documents(uid('bee'));
      await bees.publish({ documentId } as Answered);
      await bees.update({ documentId, data: { lead: [] } } as Answered);
    });
    await create('bee', { title: 'c', lead: [lead] });
    const before = await leadsOf(project);
    become(types(true));
    await apply();
    expect(await leadsOf(project)).toEqual(before);
  });

  it('to drafts gives a draft one target where the row led to one in each status', async () => {
    const types = (drafts: boolean): Project => ({
      types: {
        ant: { drafts, attributes: { title: string, lead: relation('manyToOne', 'bee') } },
        bee: { drafts: true, attributes: { title: string } },
      },
    });
    const project = start(types(false));
    const { create, become, apply, serve, sql } = project;
    const [b, c] = [await create('bee', { title: 'b' }), await create('bee', { title: 'c' })];
    await serve((sheaf) => sheaf.documents(uid('bee')).publish({ documentId: b.documentId } as Answered));
    const lead = { documentId: b.documentId, status: 'published' };
    await create('ant', { title: 'a', lead });
    const ant = await create('ant', { title: 'z', lead });
    // Strapi connects a draft beside the published entry of another document.
    await sql(`insert into ants_lead_lnk (ant_id, bee_id) values (${ant.id}, ${c.id})`);
    become(types(true));
    await apply();
    expect(await leadsOf(project)).toMatchObject({
      // A draft leads to the draft of what its row led to, as long as that led to no other one.
      'ant draft': [
        ['a', ['b']],
        ['z', ['c']],
      ],
      'ant published': [
        ['a', ['b']],
        ['z', ['b']],
      ],
    });
    expect(await serve(wrongIn)).toEqual([]);
  });

  it('to drafts leads the keys of new drafts to drafts, so that publishing keeps them', async () => {
    const types = (drafts: boolean): Project => ({
      types: {
        ant: { drafts, attributes: { title: string, lead: relation('manyToOne', 'bee', { useJoinTable: false }) } },
        bee: { drafts: true, attributes: { title: string } },
      },
    });
    const project = start(types(false));
    const { create, become, apply, serve } = project;
    const bee = await create('bee', { title: 'b' });
    const { documentId } = await create('ant', { title: 'a', lead: bee.documentId });
    await serve((sheaf) => sheaf.documents(uid('bee')).publish({ documentId: bee.documentId } as Answered));
    become(types(true));
    await apply();
    const expected = { 'ant draft': [['a', ['b']]], 'ant published': [['a', ['b']]] };
    expect(await leadsOf(project)).toMatchObject(expected);
    await serve((sheaf) => sheaf.documents(uid('ant')).publish({ documentId } as Answered));
    expect(await leadsOf(project)).toMatchObject(expected);
  });

  /** An ant that leads to three bees in every way, the last of which is published. */
  async function startWithLinks(drafts: boolean) {
    const part = { type: 'component', component: 'kit.one' };
    const key = relation('manyToOne', 'bee', { useJoinTable: false });
    const types = (drafts: boolean): Project => ({
      types: {
        ant: {
          drafts,
          attributes: {
            title: string,
            list: relation('manyToMany', 'bee'),
            key,
            part,
            items: { type: 'relation', relation: 'morphToMany' },
            item: { type: 'relation', relation: 'morphToOne' },
          },
        },
        bee: { drafts: true, attributes: { title: string } },
      },
      components: { 'kit.one': { list: relation('manyToMany', 'bee'), key } },
    });
    const project = start(types(drafts));
    const { create, serve, read } = project;
    const publish = (name: string, documentId: string) =>
      serve((sheaf) => sheaf.documents(uid(name)).publish({ documentId } as Answered));
    const bees: string[] = [];
    for (const title of ['b', 'c', 'd']) bees.push((await create('bee', { title })).documentId);
    await publish('bee', bees[2]!);
    const links = { list: bees, key: bees[0] };
    const items = bees.map((documentId) => ({ documentId, __type: uid('bee') }));
    const ant = await create('ant', { title: 'a', ...links, part: links, items, item: items[0] });
    if (drafts) await publish('ant', ant.documentId);
    const populate = { list: true, key: true, part: { populate: '*' }, items: true, item: true };
    const shown = async (status: string) => {
      const [{ list, key, part, items, item }] = (await read('ant', { status, populate })) as [Answered];
      const titles = (held: Answered) => [held ?? []].flat().map(({ title }) => title);
      return [list, key, part.list, part.key, items, item].map((held) => titles(held).join(''));
    };
    const turn = (drafts: boolean) => project.become(types(drafts));
    return { ...project, bees, publish, turn, shown: async () => [await shown('draft'), await shown('published')] };
  }

  it.each([
    ['to drafts', true],
    ['to no drafts', false],
  ])('%s keeps links to entries that are not published, which appear with those', async (_, drafts) => {
    const { bees, publish, turn, shown, apply, undo, serve } = await startWithLinks(!drafts);
    const all = ['bcd', 'b', 'bcd', 'b', 'bcd', 'b'];
    const before = [all, ['d', '', 'd', '', 'd', '']];
    expect(await shown()).toEqual(before);
    turn(drafts);
    await apply();
    expect(await shown()).toEqual(before);
    expect(await serve(wrongIn)).toEqual([]);
    await undo();
    turn(!drafts);
    expect(await shown()).toEqual(before);
    turn(drafts);
    await apply();
    await publish('bee', bees[0]!);
    // A key of a row without drafts leads to one row, which is the published one.
    const key = drafts ? 'b' : '';
    const inDraft = ['bcd', key, 'bcd', key, 'bcd', key];
    expect(await shown()).toEqual([inDraft, ['bd', 'b', 'bd', 'b', 'bd', 'b']]);
    await publish('bee', bees[1]!);
    expect(await shown()).toEqual([inDraft, all]);
  });

  it.each([
    ['a relation', relation('oneToOne', 'ant', { useJoinTable: false }), {}],
    ['a polymorphic one', { type: 'relation', relation: 'morphToOne' }, { __type: uid('ant') }],
  ])('to drafts leads the keys of components in drafts to drafts: %s', async (_, lead, named) => {
    const part = { type: 'component', component: 'kit.one' };
    const types = (drafts: boolean): Project => ({
      types: {
        ant: { drafts, attributes: { title: string } },
        bee: { drafts: true, attributes: { title: string, part } },
        cat: { attributes: { title: string, part } },
      },
      components: { 'kit.one': { label: string, lead } },
    });
    const { create, become, read, apply, serve, undo } = start(types(false));
    const { documentId } = await create('ant', { title: 'a' });
    const data = { title: 'x', part: { label: 'y', lead: { documentId, ...named } } };
    const bee = await create('bee', data);
    await serve((sheaf) => sheaf.documents(uid('bee')).publish({ documentId: bee.documentId } as Answered));
    await create('cat', data);
    const populate = { part: { populate: ['lead'] } };
    const shown = async () => [
      ...(await read('bee', { status: 'draft', populate })),
      ...(await read('bee', { status: 'published', populate })),
      // A column leads to one row, which is the published one.
      ...(await read('cat', { status: 'published', populate })),
    ];
    const before = await shown();
    become(types(true));
    await apply();
    expect((await shown()).map(({ part }) => part.lead?.title)).toEqual(['a', 'a', 'a']);
    await undo();
    become(types(false));
    expect(await shown()).toEqual(before);
  });

  it.each([
    [
      'as its owner',
      relation('manyToOne', 'bee', { inversedBy: 'lead' }),
      relation('oneToMany', 'ant', { mappedBy: 'lead' }),
    ],
    [
      'as the other side',
      relation('oneToOne', 'bee', { mappedBy: 'lead' }),
      relation('oneToOne', 'ant', { inversedBy: 'lead' }),
    ],
  ])('to no locales leaves a relation to one as the default locale has it: %s', async (_, lead, back) => {
    const types = (localized: boolean): Project => ({
      locales: ['en', 'fr'],
      types: {
        ant: { localized, attributes: { title: string, lead } },
        bee: { localized: true, attributes: { title: string, lead: back } },
      },
    });
    const { create, become, apply, read, serve } = start(types(true));
    const writeInFrench = (name: string, documentId: string, data: Answered) =>
      serve((sheaf) => sheaf.documents(uid(name)).update({ documentId, locale: 'fr', data } as Answered));
    const bees = [await create('bee', { title: 'b' }), await create('bee', { title: 'c' })];
    for (const { documentId, title } of bees) await writeInFrench('bee', documentId, { title });
    const { documentId } = await create('ant', { title: 'a', lead: bees[0].documentId });
    await writeInFrench('ant', documentId, { title: 'a', lead: bees[1].documentId });
    become(types(false));
    await apply();
    expect((await read('ant')).map((ant) => ant.lead.title)).toEqual(['b']);
    expect(await serve(wrongIn)).toEqual([]);
  });

  it('to no drafts leaves a relation to one with the published entry', async () => {
    const types = (drafts: boolean): Project => ({
      types: {
        ant: { attributes: { title: string, lead: relation('manyToOne', 'bee') } },
        bee: { drafts, attributes: { title: string } },
      },
    });
    const project = start(types(true));
    const { create, become, apply, serve, sql, read } = project;
    const bees = [await create('bee', { title: 'b' }), await create('bee', { title: 'c' })];
    for (const { documentId } of bees)
      await serve((sheaf) => sheaf.documents(uid('bee')).publish({ documentId } as Answered));
    const ant = await create('ant', { title: 'a', lead: { documentId: bees[0].documentId, status: 'published' } });
    // Strapi connects a draft beside the published entry of another document.
    await sql(`insert into ants_lead_lnk (ant_id, bee_id) values (${ant.id}, ${bees[1].id})`);
    become(types(false));
    await apply();
    expect((await read('ant')).map(({ lead }) => lead.title)).toEqual(['b']);
    expect(await serve(wrongIn)).toEqual([]);
  });

  it.each([
    ['drafts', (on: boolean) => ({ drafts: on })],
    ['locales', (on: boolean) => ({ localized: on })],
  ])('that turns %s on or off leaves every file and every polymorphic link in its field', async (what, turned) => {
    const types = (on: boolean): Project => ({
      locales: ['en', 'fr'],
      types: {
        ant: {
          ...turned(on),
          attributes: {
            title: string,
            cover: { type: 'media', multiple: false, ...localized },
            bees: relation('morphMany', 'bee', { morphBy: 'items' }),
          },
        },
        bee: { attributes: { title: string, items: { type: 'relation', relation: 'morphToMany' } } },
      },
    });
    const { create, become, apply, undo, serve, sql } = start(types(true));
    await sql(
      "insert into files (id, document_id, name, hash, mime, ext) values (1, 'f1', 'f1', 'f1', 'image/png', '.png'), (2, 'f2', 'f2', 'f2', 'image/png', '.png')",
    );
    const bees = [await create('bee', { title: 'b' }), await create('bee', { title: 'c' })];
    const { documentId } = await create('ant', { title: 'a', cover: 1, bees: [bees[0].documentId] });
    if (what === 'drafts') await serve((sheaf) => sheaf.documents(uid('ant')).publish({ documentId } as Answered));
    const data = { title: 'a', cover: 2, bees: [bees[1].documentId] };
    const at = what === 'drafts' ? {} : { locale: 'fr' };
    await serve((sheaf) => sheaf.documents(uid('ant')).update({ documentId, data, ...at } as Answered));
    const links = async () => [
      await sql('select file_id, field from files_related_mph order by id'),
      await sql('select bee_id, field from bees_items_mph order by bee_id, items_id'),
    ];
    const before = await links();
    become(types(false));
    await apply();
    const [file, link] = [
      [1, 'cover'],
      [1, 'bees'],
    ];
    expect(await links()).toEqual([[file], [link]]);
    await undo();
    become(types(true));
    expect(await links()).toEqual(before);
    become(types(false));
    await apply();
    become(types(true));
    await apply();
    // A draft has them as well.
    expect(await links()).toEqual(
      what === 'drafts'
        ? [
            [file, file],
            [link, link],
          ]
        : [[file], [link]],
    );
  });

  it.each(['on', 'off'])(
    'that turns drafts %s keeps the order of links at one position, on both sides',
    async (how) => {
      const ants = relation('morphMany', 'ant', { morphBy: 'items' });
      const types = (drafts: boolean): Project => ({
        types: {
          ant: { attributes: { title: string, items: { type: 'relation', relation: 'morphToMany' } } },
          bee: { drafts, attributes: { title: string, ants } },
          cat: { attributes: { title: string, ants } },
        },
      });
      const { create, become, apply, serve, undo } = start(types(how === 'off'));
      const [a, b] = [await create('ant', { title: 'a' }), await create('ant', { title: 'b' })];
      // A link that is made from its other side has the position of the list there: all of them are first.
      for (const [name, ant] of [
        ['bee', a],
        ['cat', a],
        ['bee', b],
        ['cat', b],
      ] as const) {
        const { documentId } = await create(name, { title: name, ants: [ant.documentId] });
        if (name === 'bee' && how === 'off')
          await serve((sheaf) => sheaf.documents(uid('bee')).publish({ documentId } as Answered));
      }
      const lists = () =>
        serve(async (sheaf) => {
          const found: Answered[] = [];
          for (const status of ['draft', 'published'])
            for (const [name, list] of [
              ['ant', 'items'],
              ['bee', 'ants'],
              ['cat', 'ants'],
            ] as const) {
              const entries = await sheaf
                .documents(uid(name))
                .findMany({ status, populate: list, sort: 'id' } as Answered);
              found.push(entries.map((entry: Answered) => entry[list].map(({ title }: Answered) => title)));
            }
          return found;
        });
      const each = [
        [
          ['bee', 'cat'],
          ['bee', 'cat'],
        ],
        [['a'], ['b']],
        [['a'], ['b']],
      ];
      expect(await lists()).toEqual([...each, ...each]);
      become(types(how === 'on'));
      await apply();
      expect(await lists()).toEqual([...each, ...each]);
      await undo();
      become(types(how === 'off'));
      expect(await lists()).toEqual([...each, ...each]);
    },
  );

  it.each([
    ['a table', {}],
    ['a key', { useJoinTable: false }],
  ])('of a list to a relation to one keeps the draft and the published row of the entry: in %s', async (_, stored) => {
    const types = (lead: Answered): Project => ({
      types: { ant: { attributes: { title: string, lead } }, bee: { drafts: true, attributes: { title: string } } },
    });
    const project = start(types(relation('manyToMany', 'bee')));
    const { create, become, apply, serve } = project;
    const bees = [await create('bee', { title: 'b' }), await create('bee', { title: 'c' })];
    for (const { documentId } of bees)
      await serve((sheaf) => sheaf.documents(uid('bee')).publish({ documentId } as Answered));
    await create('ant', { title: 'a', lead: bees.map(({ documentId }) => documentId) });
    become(types(relation('manyToOne', 'bee', stored)));
    await apply();
    // A key leads to one row, which is the published one.
    expect(await leadsOf(project)).toMatchObject({
      'ant draft': [['a', 'useJoinTable' in stored ? [] : ['b']]],
      'ant published': [['a', ['b']]],
    });
    expect(await serve(wrongIn)).toEqual([]);
  });

  it.each([
    [
      'a key',
      relation('oneToOne', 'bee', { inversedBy: 'back', useJoinTable: false }),
      relation('oneToOne', 'ant', { mappedBy: 'lead', useJoinTable: false }),
    ],
    ['a table', relation('oneToOne', 'bee', { inversedBy: 'back' }), relation('oneToOne', 'ant', { mappedBy: 'lead' })],
  ])('to no locales leaves an entry one owner, that of the default locale: %s', async (_, lead, back) => {
    const types = (on: boolean): Project => ({
      locales: ['en', 'fr'],
      types: {
        ant: { localized: true, attributes: { title: string, lead } },
        bee: { localized: on, attributes: { title: string, back } },
      },
    });
    const { create, become, apply, read, serve, undo } = start(types(true));
    const inFrench = (name: string, documentId: string, data: Answered) =>
      serve((sheaf) => sheaf.documents(uid(name)).update({ documentId, locale: 'fr', data } as Answered));
    const bees = [await create('bee', { title: 'b' }), await create('bee', { title: 'c' })];
    for (const { documentId } of bees) await inFrench('bee', documentId, { title: 'f' });
    const [b, c] = bees.map(({ documentId }) => documentId);
    const ants = [await create('ant', { title: 'x' }), await create('ant', { title: 'y' })];
    // What is written first is what has to yield.
    await inFrench('ant', ants[0].documentId, { title: 'x', lead: b });
    await serve((sheaf) =>
      sheaf.documents(uid('ant')).update({ documentId: ants[1].documentId, data: { lead: b } } as Answered),
    );
    await inFrench('ant', ants[1].documentId, { title: 'y', lead: c });
    const leads = async () =>
      Promise.all(
        ['en', 'fr'].map(async (locale) =>
          (await read('ant', { locale })).map((ant) => [ant.lead ?? []].flat().map(({ documentId }) => documentId)),
        ),
      );
    const before = await leads();
    become(types(false));
    await apply();
    expect(await leads()).toEqual([
      [[], [b]],
      [[], [c]],
    ]);
    expect(await serve(wrongIn)).toEqual([]);
    await undo();
    become(types(true));
    expect(await leads()).toEqual(before);
  });

  it('of a relation that gets its other side leaves an entry one owner, whatever the locales', async () => {
    const types = (isTwoWay: boolean): Project => ({
      locales: ['en', 'fr'],
      types: {
        ant: {
          localized: true,
          attributes: {
            title: string,
            lead: relation('oneToOne', 'bee', isTwoWay ? { inversedBy: 'back' } : { useJoinTable: false }),
          },
        },
        bee: {
          attributes: { title: string, ...(isTwoWay && { back: relation('oneToOne', 'ant', { mappedBy: 'lead' }) }) },
        },
      },
    });
    const { create, become, apply, read, serve, undo } = start(types(false));
    const lead = (await create('bee', { title: 'b' })).documentId;
    await create('ant', { title: 'x', lead });
    const { documentId } = await create('ant', { title: 'y' });
    await serve((sheaf) =>
      sheaf.documents(uid('ant')).update({ documentId, locale: 'fr', data: { lead } } as Answered),
    );
    const leads = () =>
      Promise.all(
        ['en', 'fr'].map(async (locale) =>
          (await read('ant', { locale })).map((ant) => `${ant.title} ${ant.lead?.title ?? '-'}`).toSorted(),
        ),
      );
    const before = await leads();
    expect(before).toEqual([['x b', 'y -'], ['y b']]);
    become(types(true));
    await apply();
    expect(await leads()).toEqual([['x b', 'y -'], ['y -']]);
    expect(await serve(wrongIn)).toEqual([]);
    await undo();
    become(types(false));
    expect(await leads()).toEqual(before);
  });

  it('to no drafts leaves a key that the other side shows in its draft', async () => {
    const key = { useJoinTable: false };
    const types = (drafts: boolean): Project => ({
      types: {
        ant: {
          drafts,
          attributes: { title: string, lead: relation('manyToOne', 'bee', { inversedBy: 'back', ...key }) },
        },
        bee: {
          drafts: true,
          attributes: { title: string, back: relation('oneToMany', 'ant', { mappedBy: 'lead', ...key }) },
        },
      },
    });
    const { create, become, apply, read, serve } = start(types(true));
    const lead = (await create('bee', { title: 'b' })).documentId;
    const { documentId } = await create('ant', { title: 'a', lead });
    await serve((sheaf) => sheaf.documents(uid('ant')).publish({ documentId } as Answered));
    const shown = async () => (await read('bee', { status: 'draft' }))[0].back.map(({ title }: Answered) => title);
    expect(await shown()).toEqual(['a']);
    become(types(false));
    await apply();
    expect(await shown()).toEqual(['a']);
    expect((await read('ant', { status: 'published' }))[0].lead).toBe(null);
    await serve((sheaf) => sheaf.documents(uid('bee')).publish({ documentId: lead } as Answered));
    expect((await read('ant', { status: 'published' }))[0].lead.title).toBe('b');
  });

  it('lists links that the new kind cannot hold', async () => {
    const types = (kind: string) => ({
      ant: { attributes: { title: string, bees: relation(kind, 'bee') } },
      bee: { attributes: { title: string } },
    });
    const { create, become, diff } = start({ types: types('manyToMany') });
    const bees = [await create('bee', { title: 'b' }), await create('bee', { title: 'c' })];
    await create('ant', { title: 'a', bees: [bees[1].documentId, bees[0].documentId] });
    become({ types: types('manyToOne') });
    expect((await diff()).text).toContain(
      `becomes manyToOne, from manyToMany: 1 link kept, 1 set aside\n    row 1 no longer leads to row ${bees[0].id}`,
    );
  });

  it('leaves out a target or a component that is gone from the project as well', async () => {
    const before = {
      types: {
        ant: {
          attributes: {
            title: string,
            leads: relation('manyToMany', 'bee', { inversedBy: 'ants' }),
            part: { type: 'component', component: 'kit.old' },
          },
        },
        bee: { attributes: { title: string, ants: relation('manyToMany', 'ant', { mappedBy: 'leads' }) } },
        cat: { attributes: { title: string } },
      },
      components: { 'kit.old': { label: string, lead: relation('oneToOne', 'bee') }, 'kit.new': { label: string } },
    };
    const { create, become, read, steps, apply, undo } = start(before);
    const bee = await create('bee', { title: 'b' });
    await create('ant', { title: 'a', leads: [bee.documentId], part: { label: 'x', lead: bee.documentId } });
    const answers = await read('ant');
    become({
      types: {
        ant: {
          attributes: {
            title: string,
            leads: relation('manyToMany', 'cat'),
            part: { type: 'component', component: 'kit.new' },
          },
        },
        cat: before.types.cat,
      },
      components: { 'kit.new': { label: string } },
    });
    expect(await steps()).toEqual([`replace:${uid('ant')}.part`, `relation:${uid('ant')}.leads`]);
    await apply();
    expect(await read('ant')).toMatchObject([{ title: 'a', leads: [], part: null }]);
    await undo();
    await undo();
    become(before);
    expect(await read('ant')).toEqual(answers);
  });

  it('is not taken back over documents that were made since, unless that is said', async () => {
    const attributes = { title: string, part: { type: 'component', component: 'kit.one' } };
    const components = { 'kit.one': { label: string } };
    const before = { types: { ant: { attributes } }, components };
    const { create, become, read, apply, undo, serve } = start(before);
    await create('ant', { title: 'a', part: { label: 'x' } });
    const answers = await read('ant');
    for (const toggle of [{ drafts: true }, { localized: true }]) {
      become({ types: { ant: { attributes, ...toggle } }, components });
      await apply();
      const { documentId } = await create('ant', { title: 'b', part: { label: 'y' } });
      if (toggle.drafts) await serve((sheaf) => sheaf.documents(uid('ant')).publish({ documentId }));
      await expect(undo()).rejects.toThrow(/written since.*rows? of ants/s);
      await undo(true);
      become(before);
      expect(await read('ant')).toEqual(answers);
    }
  });

  it('of the name of a type is taken back with the relations that it got since', async () => {
    const { create, become, read, rename, undo } = start({
      types: { ant: { attributes: { title: string } }, bee: { attributes: { title: string } } },
    });
    const bee = await create('bee', { title: 'b' });
    await rename([uid('ant'), 'wasp']);
    become({
      types: {
        wasp: { attributes: { title: string, bees: relation('manyToMany', 'bee') } },
        bee: { attributes: { title: string } },
      },
    });
    await create('wasp', { title: 'a', bees: [bee.documentId] });
    const [wasp] = await read('wasp');
    await undo();
    expect((await read('ant'))[0]).toEqual(wasp);
  });

  it('of a column keeps indexes that were made by hand', async () => {
    const before = { types: { ant: { attributes: { title: string, size: { type: 'integer' } } } } };
    const { create, become, read, sql, apply, undo, serve } = start(before);
    await create('ant', { title: 'a', size: 5 });
    await sql('create index by_hand on ants (size, title)');
    const hasIndex = () =>
      serve(async (sheaf) => (await sheaf.database.describe()).get('ants')!.indexes.has('by_hand'));
    become({ types: { ant: { attributes: { title: string, size: string } } } });
    await apply();
    expect((await read('ant'))[0].size).toBe('5');
    expect(await hasIndex()).toBe(true);
    await undo();
    become(before);
    expect((await read('ant'))[0].size).toBe(5);
    expect(await hasIndex()).toBe(true);
  });

  it('to drafts and back takes as many statements for many rows as for few', async () => {
    const project = (drafts: boolean): Project => ({
      types: {
        ant: {
          drafts,
          attributes: {
            title: string,
            cover: { type: 'media' },
            parts: { type: 'component', component: 'kit.part', repeatable: true },
            bees: relation('manyToMany', 'bee', { inversedBy: 'ants' }),
          },
        },
        bee: { attributes: { title: string, ants: relation('manyToMany', 'ant', { mappedBy: 'bees' }) } },
      },
      components: { 'kit.part': { name: string, bee: relation('oneToOne', 'bee') } },
    });
    const counts: number[][] = [];
    for (const rows of [2, 20]) {
      const { become, serve, read, statementsOfChanges } = start(project(false));
      const before = await serve(async (sheaf) => {
        const { documentId } = await sheaf.documents(uid('bee')).create({ data: { title: 'b' } });
        for (let index = 0; index < rows; index++)
          await sheaf.documents(uid('ant')).create({
            data: { title: `a${index}`, bees: [documentId], parts: [{ name: 'x', bee: documentId }, { name: 'y' }] },
          });
        const populate = { bees: true, parts: { populate: '*' } } as const;
        return sheaf.documents(uid('ant')).findMany({ populate, sort: 'id' });
      });
      const shown = async (status: string): Promise<Answered[]> => {
        const populate = { bees: true, parts: { populate: '*' } };
        const found = await read('ant', { status, populate, sort: 'id' });
        return found.map(({ title, bees, parts }) => [title, bees.length, parts.map(({ name }: Answered) => name)]);
      };
      const expected = before.map(({ title }) => [title, 1, ['x', 'y']]);
      become(project(true));
      const on = await statementsOfChanges();
      expect([await shown('draft'), await shown('published')]).toEqual([expected, expected]);
      become(project(false));
      const off = await statementsOfChanges();
      expect(await shown('published')).toEqual(expected);
      counts.push([on.length, off.length]);
    }
    expect(counts[1]).toEqual(counts[0]);
  });

  it('that gives a relation its other side is made at once', async () => {
    const { create, become, read, history } = start({
      types: {
        ant: { attributes: { title: string, bees: relation('manyToMany', 'bee') } },
        bee: { attributes: { title: string } },
      },
    });
    const bee = await create('bee', { title: 'b' });
    await create('ant', { title: 'a', bees: [bee.documentId] });
    become({
      types: {
        ant: { attributes: { title: string, bees: relation('manyToMany', 'bee', { inversedBy: 'ants' }) } },
        bee: { attributes: { title: string, ants: relation('manyToMany', 'ant', { mappedBy: 'bees' }) } },
      },
    });
    expect((await read('bee'))[0].ants.map(({ title }: Answered) => title)).toEqual(['a']);
    expect(((await history()).value as Answered).changes.length).toBe(1);
  });

  it('is noticed where a type was away in between', async () => {
    const ant = { attributes: { title: string }, drafts: true };
    const bee = { attributes: { title: string, size: { type: 'integer' } } };
    const { create, become, read, steps, apply } = start({ types: { ant, bee } });
    await create('ant', { title: 'a draft' });
    await create('bee', { title: 'b', size: 5 });
    become({ types: { bee: { attributes: { title: string } } } });
    await read('bee');
    become({ types: { ant: { ...ant, drafts: false }, bee: { attributes: { title: string, size: string } } } });
    expect(await steps()).toEqual([`drafts-off:${uid('ant')}`, `convert:${uid('bee')}.size`]);
    await apply();
    expect(await read('ant')).toEqual([]);
    expect((await read('bee'))[0].size).toBe('5');
  });
});
