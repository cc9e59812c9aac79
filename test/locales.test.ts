// Locales added, removed and made the default by the command line, while servers run on the same database.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { localeNotes } from '../src/cli/locale-notes.ts';
import { type Content, localized, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { commandsOn } from './support/in-process.ts';

const TITLE = { type: 'string', ...localized };
const PAGES: Project = {
  types: {
    page: { drafts: true, localized: true, attributes: { title: TITLE } },
    home: { single: true, localized: true, attributes: { title: TITLE } },
    plain: { attributes: { title: { type: 'string' } } },
  },
  locales: ['en', 'fr'],
};

describeOnEveryDatabase('sheaf locale', (engine) => {
  const contents = useContents(engine);
  let nodes: readonly [Content, Content];
  let sheaf: ReturnType<typeof commandsOn>;
  beforeAll(async () => {
    const project = contents.project(PAGES);
    const database = engine.bareDatabaseUrl(PAGES.locales!);
    nodes = [await contents.open(project, database), await contents.open(project, database)];
    sheaf = commandsOn(project, database);
  });

  const onEach = async <T>(ask: (node: Content) => Promise<T>): Promise<T[]> => {
    const answers: T[] = [];
    for (const node of nodes) answers.push(await ask(node));
    return answers;
  };
  const titles = async (node: Content, query = ''): Promise<string[]> =>
    (await node.get(`pages?sort=title&${query}`)).body.data.map(({ title }: { title: string }) => title);
  const defaultsOf = async (node: Content): Promise<string[]> =>
    (await node.get('i18n/locales')).body
      .filter(({ isDefault }: { isDefault: boolean }) => isDefault)
      .map(({ code }: { code: string }) => code);

  it('lists them, and adds one that every node takes content in at once', async () => {
    expect(await sheaf.said(['locale', 'list'])).toBe('en  English (en)  default\nfr  French (fr)\n');
    const write = (node: Content) => node.send('POST', 'pages?locale=de', { data: { title: 'Seite' } });
    expect((await onEach(write)).map(({ status }) => status)).toEqual([400, 400]);
    expect(await sheaf.json(['locale', 'add', 'de', '--name', 'Deutsch'])).toEqual({ code: 'de', added: true });
    expect((await onEach(write)).map(({ status }) => status)).toEqual([201, 201]);
    expect(await sheaf.json(['locale', 'add', 'de'])).toEqual({ code: 'de', added: false });
    expect(await sheaf.json(['locale', 'list'])).toEqual([
      { code: 'en', name: 'English (en)', isDefault: true },
      { code: 'fr', name: 'French (fr)', isDefault: false },
      { code: 'de', name: 'Deutsch', isDefault: false },
    ]);
    expect(await onEach((node) => titles(node, 'locale=de'))).toEqual([
      ['Seite', 'Seite'],
      ['Seite', 'Seite'],
    ]);
  });

  it('refuses what is no locale, and one that is written otherwise', async () => {
    expect((await sheaf.refused(['locale', 'add', 'not a locale'])).message).toMatch(/is no locale/);
    expect(await sheaf.refused(['locale', 'add', 'en-gb'])).toEqual({
      message: 'The locale en-GB is not written "en-gb"',
      hints: ['sheaf locale add en-GB'],
    });
    expect(await sheaf.refused(['locale', 'default', 'it'])).toEqual({
      message: 'There is no locale "it"',
      hints: ['there is en, fr, de', 'sheaf locale add it adds it'],
    });
  });

  describe('default', () => {
    beforeAll(async () => {
      for (const locale of ['en', 'fr']) {
        await nodes[0].send('POST', `pages?locale=${locale}`, { data: { title: `Page ${locale}` } });
        await nodes[0].send('PUT', `home?locale=${locale}`, { data: { title: `Home ${locale}` } });
      }
    });

    it('acts on the next request of every node: reads, writes, single types, the list of locales', async () => {
      // What was prepared for one default serves for the next one as well.
      for (const code of ['en', 'fr', 'en', 'fr']) {
        await sheaf.json(['locale', 'default', code]);
        expect(await onEach((node) => titles(node))).toEqual([[`Page ${code}`], [`Page ${code}`]]);
        const home = await onEach(async (node) => (await node.get('home')).body.data.title);
        expect(home).toEqual([`Home ${code}`, `Home ${code}`]);
        expect(await onEach(defaultsOf)).toEqual([[code], [code]]);
      }
      const made = await onEach((node) => node.send('POST', 'pages', { data: { title: 'Sans langue' } }));
      expect(made.map(({ body }) => body.data.locale)).toEqual(['fr', 'fr']);
      for (const { body } of made) await nodes[1].delete(`pages/${body.data.documentId}`);
      expect(await titles(nodes[0])).toEqual(['Page fr']);
    });

    it('is told by the database, whoever changes it', async () => {
      for (const code of ['en', 'fr']) {
        await nodes[1].execute(
          `update strapi_core_store_settings set value = '"${code}"' where key = 'plugin_i18n_default_locale'`,
        );
        expect(await onEach((node) => titles(node))).toEqual([[`Page ${code}`], [`Page ${code}`]]);
      }
    });

    it('acts on documents in process as well, though no request comes', async () => {
      const { sheaf: inProcess } = nodes[0];
      for (const code of ['en', 'fr']) {
        await sheaf.json(['locale', 'default', code]);
        const found = async () => (await inProcess.documents('api::page.page').findMany()).map(({ locale }) => locale);
        // PostgreSQL tells of it a moment later.
        await expect.poll(found).toEqual([code]);
        const { documentId, locale } = await inProcess
          .documents('api::page.page')
          .create({ data: { title: 'in process' } });
        expect(locale).toBe(code);
        await inProcess.documents('api::page.page').delete({ documentId });
      }
    });

    it('says what it was before, and where config/locales.json says otherwise', async () => {
      expect(await sheaf.json(['locale', 'default', 'fr'])).toEqual({
        code: 'fr',
        before: 'fr',
        notes: ['config/locales.json begins with en: put fr first there.'],
      });
      expect(await sheaf.json(['locale', 'default', 'en'])).toEqual({ code: 'en', before: 'fr', notes: [] });
    });
  });

  describe('remove', () => {
    it('refuses the default locale, one that is not there, and one with content, which it counts', async () => {
      expect((await sheaf.refused(['locale', 'remove', 'en', '--delete-entries', '--yes'])).message).toBe(
        'en is the default locale',
      );
      expect((await sheaf.refused(['locale', 'remove', 'it'])).message).toBe('There is no locale "it"');
      expect(await sheaf.refused(['locale', 'remove', 'fr'])).toEqual({
        message: 'There is content in fr:',
        hints: [
          'api::home.home: 1 document',
          'api::page.page: 1 document',
          'sheaf locale remove fr --delete-entries deletes it as well, in fr alone',
        ],
      });
      expect((await sheaf.refused(['locale', 'remove', 'de', '--delete-entries'])).message).toBe(
        'This deletes for good what is written in de: 2 documents of api::page.page.',
      );
      expect(await titles(nodes[0], 'locale=de')).toEqual(['Seite', 'Seite']);
    });

    it('deletes what is in it where that is meant, and nothing in other locales', async () => {
      const [page] = (await nodes[0].get('pages?locale=en')).body.data;
      await nodes[0].send('PUT', `pages/${page.documentId}?locale=de`, { data: { title: 'Auch deutsch' } });
      expect(await sheaf.json(['locale', 'remove', 'de', '--delete-entries', '--yes'])).toEqual({
        code: 'de',
        deleted: [{ uid: 'api::page.page', documents: 3 }],
        notes: [],
      });
      expect(await nodes[0].number(`select count(*) from pages where locale = 'de'`)).toBe(0);
      expect(await titles(nodes[1], 'locale=*')).toEqual(['Page en', 'Page fr']);
      const write = (node: Content) => node.send('POST', 'pages?locale=de', { data: { title: 'Seite' } });
      expect((await onEach(write)).map(({ status }) => status)).toEqual([400, 400]);
      const removed = await sheaf.said(['locale', 'remove', 'fr', '--delete-entries', '--yes']);
      expect(removed).toBe(
        [
          'Deleted in fr: 1 document of api::home.home',
          'Deleted in fr: 1 document of api::page.page',
          'The locale fr is removed.',
          'config/locales.json still lists fr, so the next start adds it again: take it out.',
          '',
        ].join('\n'),
      );
      expect(await sheaf.json(['locale', 'list'])).toHaveLength(1);
    });

    it('waits for a write in the locale that is under way, and then finds its content', async () => {
      await sheaf.json(['locale', 'add', 'nl']);
      const { database } = nodes[0].sheaf;
      const { transaction } = database;
      let removing: Promise<unknown> = Promise.resolve();
      // The write has looked its locale up and written; others do not see that yet.
      database.transaction = async (work, options) =>
        transaction.call(
          database,
          async (session) => {
            const result = await work(session);
            removing = sheaf.refused(['locale', 'remove', 'nl']);
            if (engine.name === 'PostgreSQL') await expect.poll(waiting).toBe(1);
            return result;
          },
          options,
        ) as Awaited<ReturnType<typeof work>>;
      const waiting = () =>
        nodes[1].number(`select count(*) from pg_locks where not granted and relation = 'i18n_locale'::regclass`);
      const made = await nodes[0].send('POST', 'pages?locale=nl', { data: { title: 'Pagina' } });
      database.transaction = transaction;
      expect(made.status).toBe(201);
      expect(await removing).toMatchObject({ message: 'There is content in nl:' });
    });
  });

  describe('of a project that lists none', () => {
    it('keeps a locale away that was removed, though others were taken on as they were written', async () => {
      const project = contents.project({ types: PAGES.types });
      const database = engine.bareDatabaseUrl(null);
      const node = await contents.open(project, database);
      const own = commandsOn(project, database);
      const write = async (code: string) =>
        (await node.send('POST', `pages?locale=${code}`, { data: { title: code } })).status;
      expect([await write('fr'), await write('de')]).toEqual([201, 201]);
      await own.json(['locale', 'remove', 'fr', '--delete-entries', '--yes']);
      expect([await write('fr'), await write('it'), await write('de')]).toEqual([400, 400, 201]);

      // A list that comes later counts: what it adds is added, and what it says otherwise is told.
      mkdirSync(path.join(project, 'config'), { recursive: true });
      writeFileSync(path.join(project, 'config', 'locales.json'), JSON.stringify(['it', 'en']));
      await own.refused(['locale', 'add', 'not a locale']);
      const later = await contents.open(project, database);
      expect(await localeNotes(later.sheaf, ['it', 'en'])).toEqual([
        'config/locales.json begins with it, and the default locale is en: sheaf locale default it',
        'config/locales.json does not list the locale de: list it, or sheaf locale remove de',
      ]);
      expect(await write('it')).toBe(201);
      await own.json(['locale', 'default', 'it']);
      expect(await localeNotes(later.sheaf, ['it', 'en', 'de'])).toEqual([]);
    });

    it('has those of a list that is added later, and no others', async () => {
      const project = contents.project({ types: PAGES.types });
      const database = engine.bareDatabaseUrl(null);
      const node = await contents.open(project, database);
      mkdirSync(path.join(project, 'config'), { recursive: true });
      writeFileSync(path.join(project, 'config', 'locales.json'), JSON.stringify(['en', 'fr']));
      const again = await contents.open(project, database);
      expect(again.sheaf.addedLocales).toEqual(['fr']);
      expect(await localeNotes(again.sheaf, ['en', 'fr'])).toEqual([
        'Added the locale fr, which config/locales.json lists.',
      ]);
      const write = async (code: string) =>
        (await node.send('POST', `pages?locale=${code}`, { data: { title: code } })).status;
      expect([await write('fr'), await write('de')]).toEqual([201, 400]);
      expect((await contents.open(project, database)).sheaf.addedLocales).toEqual([]);
    });
  });
});
