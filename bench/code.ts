// What the code of a project costs: the reads of types that it has nothing to do with, routes of its own beside the core
// route for the same list, and the start of a project with many files.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DATA_FOLDER, dataSet, PROJECT } from './data.ts';
import { measure, median } from './load.ts';
import type { Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { ROOT, startSheaf, workloadsOf } from './reads.ts';
import type { Server } from './server.ts';
import { table } from './table.ts';

const LIST = 'api::restaurant.restaurant';
/** A page of the core route's size, without the total, which the other routes do not ask for either. */
const CORE_ROUTE = '/api/restaurants?pagination[withCount]=false';
const OWN_ROUTES = { 'src/sheaf.js': '/api/listed', 'a controller': '/api/listed-by-controller' } as const;

/** A policy, a controller, a service and lifecycles of tags, and two routes that list restaurants. */
const CODE: Readonly<Record<string, string>> = {
  'src/api/tag/content-types/tag/lifecycles.js': `
    module.exports = { beforeCreate(event) { event.params.data.name = event.params.data.name.trim(); } };`,
  'src/api/tag/controllers/tag.js': `
    const { createCoreController } = require('@strapi/strapi').factories;
    module.exports = createCoreController('api::tag.tag', () => ({ async find(ctx) { return super.find(ctx); } }));`,
  'src/api/tag/services/tag.js': `
    const { createCoreService } = require('@strapi/strapi').factories;
    module.exports = createCoreService('api::tag.tag', () => ({ async find(...given) { return super.find(...given); } }));`,
  'src/api/tag/routes/tag.js': coreRouter('tag', "{ config: { find: { policies: ['anyone'] } } }"),
  'src/api/tag/policies/anyone.js': 'module.exports = () => true;',
  'src/api/listed/routes/listed.js': `
    module.exports = { routes: [{ method: 'GET', path: '/listed-by-controller', handler: 'listed.list', config: { auth: false } }] };`,
  'src/api/listed/controllers/listed.js': `
    module.exports = { async list() {
      return { data: await strapi.documents('${LIST}').findMany({ status: 'published', limit: 25 }) };
    } };`,
  'src/sheaf.js': `
    import { defineProject } from 'sheaf';
    export default defineProject({ routes: [{ method: 'GET', path: '/listed', public: true, async handler({ documents }) {
      return { data: await documents('${LIST}').findMany({ status: 'published', pagination: { limit: 25 } }) };
    } }] });`,
};

export async function code(options: Options): Promise<void> {
  const withCode = path.join(DATA_FOLDER, 'code');
  rmSync(withCode, { recursive: true, force: true });
  cpSync(PROJECT, withCode, { recursive: true });
  // Of a project that declares routes, only types are served that have them.
  for (const name of readdirSync(path.join(withCode, 'src/api'))) write(routesOf(withCode, name), coreRouter(name));
  for (const [file, text] of Object.entries(CODE)) write(path.join(withCode, file), text);
  if (options.postgres)
    await withPostgres(options.restaurants, ({ url, documentId }) => compare(url, documentId, withCode, options));
  else {
    const { file, documentId } = await dataSet(options.restaurants);
    await compare(`sqlite:${file}`, documentId, withCode, options);
  }
  await startOfManyFiles();
}

const routesOf = (project: string, name: string): string => path.join(project, `src/api/${name}/routes/${name}.js`);

function coreRouter(name: string, config = '{}'): string {
  return `
    const { createCoreRouter } = require('@strapi/strapi').factories;
    module.exports = createCoreRouter('api::${name}.${name}', ${config});`;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${text.trim()}\n`);
}

async function compare(database: string, documentId: string, withCode: string, options: Options): Promise<void> {
  const plain = await startSheaf(database);
  const coded = await startSheaf(database, { project: withCode });
  const { connections, seconds, rounds } = options;
  console.log(`${connections} connections, ${seconds} s each, median of ${rounds}\n`);
  const line = table(30, 15, 15, 6);
  console.log(line('read', 'no code req/s', 'code req/s', 'ratio'));
  for (const [name, target] of workloadsOf(documentId, options.only)) {
    const [without, beside] = await inRounds(rounds, () => measure([plain, coded], [target], options));
    console.log(line(name, without!.toFixed(0), beside!.toFixed(0), (beside! / without!).toFixed(2)));
  }
  console.log(`\n${line('route of its own', 'core req/s', 'own req/s', 'ratio')}`);
  for (const [name, target] of Object.entries(OWN_ROUTES)) {
    await checkSameList(coded, target);
    const [core, own] = await inRounds(rounds, async () => [
      ...(await measure([coded], [CORE_ROUTE], options)),
      ...(await measure([coded], [target], options)),
    ]);
    console.log(line(name, core!.toFixed(0), own!.toFixed(0), (own! / core!).toFixed(2)));
  }
  await plain.stop();
  await coded.stop();
}

/** Requests a second of each that is measured together: medians over the rounds. */
async function inRounds(rounds: number, round: () => Promise<{ perSecond: number }[]>): Promise<number[]> {
  const taken: { perSecond: number }[][] = [];
  for (let count = 0; count < rounds; count++) taken.push(await round());
  return taken[0]!.map((_, place) => median(taken.map((results) => results[place]!.perSecond)));
}

async function checkSameList(server: Server, target: string): Promise<void> {
  const idsOf = async (url: string): Promise<string> =>
    (JSON.parse((await server.get(url)).body) as { data: { id: number }[] }).data.map(({ id }) => id).join();
  if ((await idsOf(target)) !== (await idsOf(CORE_ROUTE)))
    throw server.failure(`answers ${target} with another list than ${CORE_ROUTE}`);
}

const STARTS = 5;

/** A project of more than sixty files, whose first start fills the cache of compiled ones. */
async function startOfManyFiles(): Promise<void> {
  const project = path.join(DATA_FOLDER, 'many-files');
  rmSync(project, { recursive: true, force: true });
  cpSync(path.join(ROOT, 'test/fixtures/projects/strapi-code'), project, { recursive: true });
  const times: number[] = [];
  for (let count = 0; count <= STARTS; count++) {
    const begin = performance.now();
    const server = await startSheaf(`sqlite:${path.join(project, 'data.sqlite')}`, { project });
    await server.get('/_ready');
    times.push(performance.now() - begin);
    await server.stop();
  }
  const [first, ...others] = times.map((time) => time.toFixed(0));
  console.log(
    `\nstart to first answer with many files   ${median(times.slice(1)).toFixed(0)} ms (median of ${others.join(', ')}; the first took ${first})`,
  );
}
