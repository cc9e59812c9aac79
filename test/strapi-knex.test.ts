// `strapi.db.connection`: the knex of the project over the same database, inside of the transaction under way.
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';
import { type Guarded, useGuarded } from './support/guarded.ts';
import { writeFiles } from './support/own-code.ts';

const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url));
const PROJECT: Project = {
  types: { note: { attributes: { title: { type: 'string' }, done: { type: 'boolean' }, at: { type: 'datetime' } } } },
};

const CODE = {
  'src/api/knex/routes/knex.js': `module.exports = { routes: ['work', 'joined', 'undone', 'own', 'control', 'wrong', 'unused'].map((name) => ({
    method: 'GET', path: '/knex/' + name, handler: 'knex.' + name, config: { auth: false } })) };`,
  'src/api/knex/controllers/knex.js': `
    const row = (title) => ({ document_id: title, title, done: true, at: new Date(0), created_at: new Date(0) });
    module.exports = {
      async work() {
        const knex = strapi.db.connection;
        await knex('notes').insert([row('a'), row('b')]);
        const updated = await knex('notes').where({ title: 'b' }).update({ title: 'c' });
        const titles = await knex('notes').orderBy('title').pluck('title');
        const first = await knex('notes').where('done', true).first('title');
        const raw = await knex.raw('select count(*) as n from notes where title = ?', ['c']);
        const returned = await knex('notes').insert(row('d')).returning(['title']);
        const deleted = await knex('notes').where({ title: 'd' }).del();
        return { updated, titles, first, raw: Number((raw.rows ?? raw)[0].n), returned, deleted, has: await strapi.db.getConnection().schema.hasTable('notes'),
          kept: await strapi.db.getConnection('notes').where({ title: 'a' }).pluck('title'),
          entries: (await strapi.documents('api::note.note').findMany({ sort: 'title' })).map(({ title, done, at }) => ({ title, done, at })) };
      },
      async joined() {
        await strapi.db.transaction(async ({ trx }) => {
          const { documentId } = await strapi.documents('api::note.note').create({ data: { title: 'joined' } });
          await trx('notes').where({ document_id: documentId }).update({ title: 'seen' });
          await strapi.db.connection('notes').transacting(trx).where({ title: 'seen' }).update({ title: 'twice' });
        });
        return strapi.db.connection('notes').where({ title: 'twice' }).count({ n: '*' });
      },
      async undone() {
        const knex = strapi.db.connection;
        const failed = await knex.transaction(async (trx) => {
          await trx('notes').insert(row('undone'));
          throw new Error('no');
        }).catch((error) => error.message);
        return { failed, left: await knex('notes').where({ title: 'undone' }).pluck('title') };
      },
      unused: () => strapi.db.transaction(async ({ trx, onCommit }) => ({ at: strapi.db.query('api::note.note') && 'end' })),
      own: () => strapi.db.connection.transaction(),
      control: () => strapi.db.connection.raw('begin'),
      wrong: () => strapi.db.connection('nothing').select(),
    };`,
};

describeOnEveryDatabase('The knex of a project', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;

  beforeAll(async () => {
    const folder = contents.project(PROJECT);
    writeFiles(folder, CODE);
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(path.join(PACKAGES, 'knex'), path.join(folder, 'node_modules/knex'));
    site = await guarded.open(folder, { database: engine.bareDatabaseUrl(null) });
  });

  it('reads and writes the same database', async () => {
    const at = '1970-01-01T00:00:00.000Z';
    expect((await site.get('knex/work')).body).toEqual({
      updated: 1,
      titles: ['a', 'c'],
      first: { title: 'a' },
      raw: 1,
      returned: [{ title: 'd' }],
      deleted: 1,
      has: true,
      kept: ['a'],
      entries: ['a', 'c'].map((title) => ({ title, done: true, at })),
    });
  });

  it('is part of the transaction under way, and undone with it', async () => {
    expect(Number((await site.get('knex/joined')).body[0].n)).toBe(1);
    expect((await site.get('knex/undone')).body).toEqual({ failed: 'no', left: [] });
  });

  it('says what it does not offer, and what is wrong', async () => {
    for (const name of ['own', 'control', 'wrong']) expect((await site.get(`knex/${name}`)).status, name).toBe(500);
    // The connection is as good as before.
    expect((await site.get('knex/undone')).status).toBe(200);
  });
});

describeOnSqlite('A project without knex', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it('runs until it asks for it', async () => {
    const folder = contents.project(PROJECT);
    writeFiles(folder, CODE);
    const site = await guarded.open(folder, { database: engine.bareDatabaseUrl(null) });
    expect((await site.get('knex/work')).status).toBe(500);
    expect((await site.get('knex/joined')).status).toBe(500);
    expect((await site.get('knex/unused')).body).toEqual({ at: 'end' });
    expect((await site.get('notes')).status).toBe(403);
  });
});
