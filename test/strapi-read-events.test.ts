// Lifecycles of reading in a Strapi project: what they are told, what they change, and what stays closed without them.
import { beforeAll, expect, it } from 'vitest';
import { type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, useGuarded } from './support/guarded.ts';
import { type Files, writeFiles } from './support/own-code.ts';

const THING = 'api::thing.thing';
const PROJECT: Project = {
  types: {
    thing: { attributes: { title: { type: 'string' }, secret: { type: 'string', private: true } } },
    other: { attributes: { title: { type: 'string' } } },
  },
};

const core = (name: string): Files =>
  Object.fromEntries(
    Object.entries({ controllers: 'Controller', services: 'Service', routes: 'Router' }).map(([folder, kind]) => [
      `src/api/${name}/${folder}/${name}.js`,
      `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${name}.${name}');`,
    ]),
  );

/** Hides what is hidden, which nobody may ask for, and shouts what is shown. */
const LIFECYCLES = `
const told = (globalThis.toldOfReads ??= []);
const narrow = (event) => {
  told.push(event.action);
  event.state.begun = true;
  event.params.where = { $and: [event.params.where ?? {}, { secret: { $ne: 'hidden' } }] };
};
const shout = (row) => { row.shouted = row.title.toUpperCase() + row.secret.length; };
module.exports = {
  beforeFindMany: narrow,
  beforeFindOne: narrow,
  beforeCount: narrow,
  afterFindMany({ action, result, state }) { told.push(action + ' ' + result.length + ' ' + state.begun); result.forEach(shout); },
  afterFindOne({ action, result }) { told.push(action); if (result) shout(result); },
  afterCount({ action, result }) { told.push(action + ' ' + result); },
};
`;

const OWN: Files = {
  'src/api/own/routes/own.js': `module.exports = { routes: ['rows', 'row', 'entities', 'endless'].map((name) => (
    { method: 'GET', path: '/own/' + name, handler: 'own.' + name, config: { auth: false } })) };`,
  'src/api/own/controllers/own.js': `
module.exports = ({ strapi }) => ({
  rows: () => strapi.db.query('${THING}').findMany({ orderBy: 'title' }),
  row: () => strapi.db.query('${THING}').findOne({ where: { title: 'hushed' } }),
  entities: () => strapi.entityService.findMany('${THING}', { sort: 'title' }),
  endless: () => strapi.db.query('api::other.other').count(),
});`,
  'src/index.js': `module.exports = { bootstrap({ strapi }) {
    strapi.db.lifecycles.subscribe({ models: ['api::other.other'], beforeCount: () => strapi.db.query('api::other.other').count() });
  } };`,
};

describeOnEveryDatabase('Lifecycles of reading', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  const ids = new Map<string, string>();
  const told = (): string[] => (globalThis as unknown as { toldOfReads: string[] }).toldOfReads.splice(0);

  const openWith = async (files: Files): Promise<Guarded> => {
    const folder = guarded.projectWith(PROJECT);
    writeFiles(folder, { ...core('thing'), ...core('other'), ...files });
    const opened = await guarded.open(folder, { database: engine.freshDatabaseUrl() });
    await opened.auth.roles.grant(
      'public',
      ['find', 'findOne', 'update'].map((action) => `${THING}.${action}`),
    );
    return opened;
  };

  beforeAll(async () => {
    site = await openWith({ ...OWN, 'src/api/thing/content-types/thing/lifecycles.js': LIFECYCLES });
    for (const [title, secret] of [
      ['one', 'a'],
      ['two', 'bb'],
      ['hushed', 'hidden'],
    ] as const)
      ids.set(title, (await site.sheaf.documents(THING).create({ data: { title, secret } })).documentId);
    await site.get('things');
    told();
  });

  it('change what requests find and are shown, by what the caller may not see', async () => {
    const { status, body } = await site.get('things?sort=title');
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { title: 'one', shouted: 'ONE1' },
      { title: 'two', shouted: 'TWO2' },
    ]);
    expect(body.data[0]).not.toHaveProperty('secret');
    expect(body.meta.pagination.total).toBe(2);
    expect(told()).toEqual(['beforeFindMany', 'afterFindMany 2 true', 'beforeCount', 'afterCount 2']);
    expect((await site.get(`things/${ids.get('one')}`)).body.data).toMatchObject({ title: 'one', shouted: 'ONE1' });
    expect((await site.get(`things/${ids.get('hushed')}`)).status).toBe(404);
    expect(told()).toEqual(['beforeFindOne', 'afterFindOne', 'beforeFindOne', 'afterFindOne']);
    expect((await site.get('things?filters[title]=hushed')).body.data).toEqual([]);
    expect((await site.get('things?filters[secret]=hidden')).status).toBe(400);
  });

  it('leave no way past them', async () => {
    for (const path of ['things/aggregate?aggregate[n][count]=*', `things/${ids.get('hushed')}/related/x`])
      expect([path, (await site.get(path)).status]).toEqual([path, 404]);
    expect((await site.send('QUERY', 'things', {})).status).not.toBe(200);
    const answer = await site.put(`things/${ids.get('one')}`, { title: 'one' });
    expect([answer.status, answer.body.data.title]).toEqual([200, 'one']);
  });

  it('are told of what code reads', async () => {
    told();
    const shown = [{ title: 'one', secret: 'a', shouted: 'ONE1' }, { title: 'two' }];
    expect((await site.get('own/rows')).body).toMatchObject(shown);
    expect((await site.get('own/row')).status).toBe(404);
    expect((await site.get('own/entities')).body).toMatchObject(shown);
    expect(told()).toEqual([
      ...['beforeFindMany', 'afterFindMany 2 true'],
      ...['beforeFindOne', 'afterFindOne'],
      ...['beforeFindMany', 'afterFindMany 2 true'],
    ]);
  });

  it('end where they lead to one another', async () => {
    expect((await site.get('own/endless')).status).toBe(500);
  });

  it('keep closed what they are not told of: accounts, and all types at once', async () => {
    for (const models of [`models: ['plugin::users-permissions.user'],`, '']) {
      const index = `module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ ${models} beforeFindOne() {} }); } };`;
      const closed = await openWith({ 'src/index.js': index });
      expect((await closed.send('POST', 'auth/local', { identifier: 'a', password: 'b' })).status).toBe(403);
    }
  });
});
