// Memory that a request takes: it is given back by the quick collections of young objects, not only when all memory is
// searched. What a long-lived object keeps by mistake, such as the shape of an object with accessors of its own, is not.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GCProfiler } from 'node:v8';
import { beforeAll, expect, it } from 'vitest';
import { type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';
import { type Guarded, useGuarded } from './support/guarded.ts';
import { type Files, writeFiles } from './support/own-code.ts';

const NOTE = 'api::note.note';
const PROJECT: Project = { types: { note: { attributes: { text: { type: 'text' } } } } };
const NOTES = 20;
const TEXT_LENGTH = 400;
const REQUESTS = 1_500;

const CODE: Files = {
  'config/middlewares.js': `module.exports = ['strapi::body', 'global::around'];`,
  'src/middlewares/around.js': `module.exports = () => async (ctx, next) => { await next(); ctx.body = ctx.body; };`,
  'src/api/own/routes/own.js': `module.exports = { routes: [
    { method: 'GET', path: '/own', handler: 'own.list', config: { auth: false } }] };`,
  'src/api/own/controllers/own.js': `module.exports = ({ strapi }) => ({
    list: async () => ({ data: await strapi.documents('${NOTE}').findMany({}) }) });`,
};
const NATIVE: Files = {
  'src/sheaf.js': `import { defineProject } from 'sheaf';
export default defineProject({
  routes: [{ method: 'GET', path: '/native', public: true, handler: async ({ sheaf, query, log, signal }) => ({
    data: await sheaf.documents('${NOTE}').findMany({}), more: [query, typeof log, signal.aborted] }) }],
  hooks: [{ name: 'seen', types: ['${NOTE}'], before: ({ signal }) => void signal.aborted }],
});`,
};

/** Of what is taken while the work runs, the share that quick collections give back. */
async function shareGivenBack(work: () => Promise<void>): Promise<number> {
  const profiler = new GCProfiler();
  profiler.start();
  await work();
  let [taken, given, last] = [0, 0, 0];
  for (const { gcType, beforeGC, afterGC } of profiler.stop().statistics) {
    const [before, after] = [beforeGC, afterGC].map(({ heapStatistics }) => heapStatistics.usedHeapSize);
    if (gcType === 'Scavenge' && last > 0) {
      taken += before! - last;
      given += before! - after!;
    }
    last = after!;
  }
  return given / taken;
}

describeOnSqlite('Memory that requests take is given back at once', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  const openWith = async (files: Files): Promise<Guarded> => {
    const folder = guarded.projectWith(PROJECT);
    writeFiles(folder, files);
    const site = await guarded.open(folder, { database: engine.freshDatabaseUrl() });
    await site.auth.roles.grant('public', [`${NOTE}.find`]);
    for (let number = 0; number < NOTES; number++)
      await site.sheaf
        .documents(NOTE)
        .create({ data: { text: `${number} `.repeat(TEXT_LENGTH / 2).slice(0, TEXT_LENGTH) } });
    return site;
  };

  const sites: Partial<Record<'plain' | 'strapi' | 'native', Guarded>> = {};
  beforeAll(async () => {
    sites.plain = await openWith({});
    sites.strapi = await openWith(CODE);
    sites.native = await openWith(NATIVE);
  });

  // What is missing to 1 is mostly the client's, which is in the same process.
  it.each([
    ['a list', 'plain', 'notes', 0.7],
    ['a list inside a middleware of the application', 'strapi', 'notes', 0.65],
    ['a controller of Strapi', 'strapi', 'own', 0.8],
    ['a list with hooks', 'native', 'notes', 0.7],
    ['a route of src/sheaf.js', 'native', 'native?a=b', 0.79],
  ] as const)('by %s', async (_what, name, url, least) => {
    const site = sites[name]!;
    const ask = async (): Promise<void> => {
      const { status, body } = await site.get(url);
      expect([status, body.data?.length]).toEqual([200, NOTES]);
      // A server does one thing after another in turns of its event loop.
      await nextTurn();
    };
    for (let request = 0; request < REQUESTS / 4; request++) await ask();
    const share = await shareGivenBack(async () => {
      for (let request = 0; request < REQUESTS; request++) await ask();
    });
    expect(share).toBeGreaterThan(least);
  });
});
