import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CodeFinding, TypeNames } from './code-finding.ts';
import { CodeModule } from './code-module.ts';
import { readProjectCode } from './project-code.ts';

const ORDER = 'api::order.order';
const DISH = 'api::dish.dish';
const FRONT = 'api::front.front';
const USER = 'plugin::users-permissions.user';

const TYPES: readonly TypeNames[] = [
  { uid: ORDER, kind: 'collectionType', singularName: 'order', pluralName: 'orders' },
  { uid: DISH, kind: 'collectionType', singularName: 'dish', pluralName: 'dishes' },
  { uid: USER, kind: 'collectionType', singularName: 'user', pluralName: 'users' },
  { uid: FRONT, kind: 'singleType', singularName: 'front', pluralName: 'fronts' },
];

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The findings in a project of these files. */
async function scan(files: Readonly<Record<string, string>>): Promise<readonly CodeFinding[]> {
  const project = mkdtempSync(path.join(os.tmpdir(), 'sheaf-code-'));
  folders.push(project);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.join(project, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(project, file), text);
  }
  return (await readProjectCode(project, TYPES)).findings;
}

/** What is closed, as `subject kind: what`. */
const closed = (findings: readonly CodeFinding[]): string[] =>
  findings
    .filter(({ closes }) => closes !== 'nothing')
    .map(({ subject, kind, closes }) => `${subject} ${kind}: ${closes}`);

const closedIn = async (file: string, text: string): Promise<string[]> => closed(await scan({ [file]: text }));

const factory = (name: string, uid: string, rest = ''): string =>
  `import { factories } from '@strapi/strapi';\n\nexport default factories.createCore${name}('${uid}'${rest});\n`;

const GENERATED: Readonly<Record<string, string>> = {
  'src/api/order/controllers/order.ts': `/**\n * order controller\n */\n\n${factory('Controller', ORDER)}`,
  'src/api/order/routes/order.ts': factory('Router', ORDER),
  'src/api/order/services/order.ts': factory('Service', ORDER),
  'src/api/dish/controllers/dish.js': `'use strict';

const { createCoreController } = require('@strapi/strapi').factories;

module.exports = createCoreController('${DISH}');
`,
  'src/index.ts': `// import type { Core } from '@strapi/strapi';

export default {
  /**
   * An asynchronous register function that runs before your application is initialized.
   */
  register(/* { strapi }: { strapi: Core.Strapi } */) {},

  bootstrap(/* { strapi }: { strapi: Core.Strapi } */) {},
};
`,
  'config/middlewares.ts': `export default ['strapi::logger', { name: 'strapi::body', config: { jsonLimit: '1mb' } }];`,
  'config/plugins.ts': 'export default () => ({});',
  'src/admin/app.tsx': 'export default { bootstrap() { strapi.documents.use(() => 1) } }',
  'src/api/order/controllers/order.test.ts': 'strapi.documents.use(() => 1);',
};

describe('a project as Strapi generates it', () => {
  it('has no code of its own', async () => {
    expect(await scan(GENERATED)).toEqual([]);
  });

  it('is not parsed at all', async () => {
    const parse = vi.spyOn(CodeModule, 'parse');
    await scan(GENERATED);
    expect(parse).not.toHaveBeenCalled();
    await scan({ ...GENERATED, 'src/policies/x.js': 'module.exports = () => true;' });
    expect(parse).toHaveBeenCalledTimes(1);
    parse.mockRestore();
  });

  it('is recognised in other spellings by its syntax', async () => {
    const text = `const strapiModule = require('@strapi/strapi');
const core = strapiModule.factories.createCoreController('${ORDER}');
module.exports = core;`;
    expect(await scan({ 'src/api/order/controllers/order.js': text })).toEqual([]);
    expect(
      await scan({
        'src/index.js': 'module.exports = { async bootstrap({ strapi }) {}, register: () => {} };',
      }),
    ).toEqual([]);
  });
});

it('folders that are links are followed, and links in a circle are not', async () => {
  await scan({ 'elsewhere/order.js': 'module.exports = { find(ctx) {} };', 'src/api/order/x.txt': '' });
  const project = folders.at(-1)!;
  symlinkSync('../../../elsewhere', path.join(project, 'src/api/order/controllers'));
  symlinkSync('..', path.join(project, 'src/api/again'));
  symlinkSync('nowhere', path.join(project, 'src/api/gone.js'));
  expect(closed((await readProjectCode(project, TYPES)).findings)).toEqual([`${ORDER} controller: all`]);
});

describe('controllers and services', () => {
  const controller = 'src/api/order/controllers/order.js';

  it('a controller that replaces reads closes its type, and says what it seems to do', async () => {
    const typed = controller.replace('.js', '.ts');
    const [finding] = await scan({
      [typed]: factory(
        'Controller',
        ORDER,
        `, ({ strapi }) => ({
  async find(ctx: any) {
    ctx.query.filters = { owner: ctx.state.user.id };
    return super.find(ctx);
  },
  async mine(ctx) {},
})`,
      ),
    });
    expect(finding).toEqual({
      file: typed,
      kind: 'controller',
      subject: ORDER,
      does: 'overrides find, adds 1 action that is not served; seems to limit entries to their owner and refuse some callers',
      closes: 'all',
      instead: expect.stringContaining('rows in access/*.json'),
    });
  });

  it.each([
    ['replaces writes alone', `, { async create(ctx) { return super.create(ctx); } }`, [`${ORDER} controller: writes`]],
    ['adds actions alone', `, () => ({ async mine(ctx) {} })`, []],
    ['changes what every answer goes through', `, () => ({ sanitizeOutput() {} })`, [`${ORDER} controller: all`]],
    ['takes functions from elsewhere', `, () => ({ ...others })`, [`${ORDER} controller: all`]],
    ['takes options from elsewhere', `, options`, [`${ORDER} controller: all`]],
  ])('a controller that %s', async (_title, options, expected) => {
    expect(await closedIn(controller, factory('Controller', ORDER, options))).toEqual(expected);
  });

  it.each([
    ['without a factory', `module.exports = { async find(ctx) {} };`],
    ['that is a class', `class Orders { find() {} }\nexport default new Orders();`],
    ['that is changed after it was made', `${factory('Controller', ORDER)}\npatch();`],
    ['that is not valid code', 'export default {'],
    ['that is exported by name', `const x = { find() {} };\nexport { x as default };`],
  ])('a controller %s', async (_title, text) => {
    expect(await closedIn(controller, text)).toEqual([`${ORDER} controller: all`]);
  });

  it('a controller of no type closes nothing and is told', async () => {
    const [finding] = await scan({ 'src/api/health/controllers/health.js': 'module.exports = { index(ctx) {} };' });
    expect(finding).toMatchObject({ subject: null, kind: 'controller', closes: 'nothing' });
  });

  it('a service closes its type only where it replaces what the core routes call', async () => {
    const service = 'src/api/order/services/order.js';
    expect(await closedIn(service, factory('Service', ORDER, ', () => ({ total() {} })'))).toEqual([]);
    expect(await closedIn(service, factory('Service', ORDER, ', () => ({ find() {} })'))).toEqual([
      `${ORDER} service: all`,
    ]);
    expect(await closedIn(service, factory('Service', ORDER, ', () => ({ create() {} })'))).toEqual([
      `${ORDER} service: writes`,
    ]);
  });
});

describe('routes', () => {
  const routes = 'src/api/order/routes/order.js';

  it.each([
    ['policies', `{ config: { find: { policies: ['is-owner'] } } }`, [`${ORDER} policies: all`]],
    ['policies on writes', `{ config: { create: { policies: ['is-owner'] } } }`, [`${ORDER} policies: writes`]],
    ['middlewares', `{ config: { findOne: { middlewares: [(ctx, next) => next()] } } }`, [`${ORDER} middlewares: all`]],
    ['empty lists', `{ config: { find: { middlewares: [], policies: [] } } }`, []],
    ['auth: false', `{ config: { find: { auth: false } } }`, []],
    ['a scope', `{ config: { find: { auth: { scope: ['x'] } } } }`, [`${ORDER} routes: all`]],
    [
      'only',
      `{ only: ['find', 'findOne'] }`,
      [`${ORDER} routes: create,clone,update,publish,unpublish,discardDraft,delete`],
    ],
    ['except', `{ except: ['delete'] }`, [`${ORDER} routes: delete`]],
    ['a computed list', `{ only: actions }`, [`${ORDER} routes: all`]],
    ['routes for administrators', `{ type: 'admin' }`, [`${ORDER} routes: all`]],
    ['options from elsewhere', 'options', [`${ORDER} routes: all`]],
  ])('a core router with %s', async (_title, options, expected) => {
    expect(await closedIn(routes, factory('Router', ORDER, `, ${options}`))).toEqual(expected);
  });

  it('says how to open what Strapi opens by auth: false', async () => {
    const [finding] = await scan({ [routes]: factory('Router', ORDER, ', { config: { find: { auth: false } } }') });
    expect(finding!.instead).toBe(`sheaf role grant public ${ORDER}.find`);
  });

  const custom = (route: string): Record<string, string> => ({
    [routes]: factory('Router', ORDER),
    'src/api/dish/routes/dish.js': factory('Router', DISH),
    'src/api/order/routes/01-custom.js': `module.exports = { routes: [${route}] };`,
  });

  it.each([
    ['elsewhere', `{ method: 'GET', path: '/orders/mine/all', handler: 'order.mine' }`, []],
    ['below the type', `{ method: 'GET', path: '/orders/mine', handler: 'order.mine' }`, []],
    ['at a list', `{ method: 'GET', path: '/orders', handler: 'order.mine' }`, [`${ORDER} routes: all`]],
    ['at an entry', `{ method: 'PUT', path: '/orders/:id', handler: 'order.change' }`, [`${ORDER} routes: writes`]],
    ['at another type', `{ method: 'GET', path: '/dishes/:id', handler: 'order.x' }`, [`${DISH} routes: all`]],
    ['at a single type', `{ method: 'PUT', path: '/front', handler: 'order.x' }`, [`${FRONT} routes: writes`]],
    ['at every path', `{ method: 'GET', path: '/:any', handler: 'order.x' }`, ['application routes: all']],
    ['that repeats a core route', `{ method: 'GET', path: '/orders', handler: 'order.find' }`, []],
    [
      'that guards a core route',
      `{ method: 'GET', path: '/orders', handler: 'order.find', config: { policies: ['x'] } }`,
      [`${ORDER} policies: all`],
    ],
    [
      'that guards a core action elsewhere',
      `{ method: 'GET', path: '/my-orders', handler: '${ORDER}.find', config: { policies: ['x'] } }`,
      [`${ORDER} policies: all`],
    ],
    ['for users', `{ method: 'GET', path: '/users/me', handler: 'order.me' }`, [`${USER} routes: all`]],
    [
      'for accounts',
      `{ method: 'POST', path: '/auth/local', handler: 'order.login' }`,
      ['plugin::users-permissions routes: all'],
    ],
    ['beside those for accounts', `{ method: 'POST', path: '/auth/magic', handler: 'order.login' }`, []],
    ['from elsewhere', '...others', [`${ORDER} routes: all`]],
    ['with a computed path', `{ method: 'GET', path: base + 'x', handler: 'order.x' }`, [`${ORDER} routes: all`]],
  ])('a custom route %s', async (_title, route, expected) => {
    expect(closed(await scan(custom(route)))).toEqual(expected);
  });

  it('are listed where they are not served', async () => {
    const findings = await scan(custom(`{ method: 'GET', path: '/orders/mine', handler: 'order.mine' }`));
    expect(findings.map(({ does }) => does)).toEqual(['1 route not served: GET /orders/mine']);
  });

  it('of its own instead of the core routes close the type', async () => {
    const text = `export default { routes: [{ method: 'GET', path: '/orders/mine', handler: 'order.mine' }] };`;
    expect(await closedIn(routes, text)).toEqual([`${ORDER} routes: all`]);
  });

  it('that wrap the core router close the type', async () => {
    const text = `const core = require('@strapi/strapi').factories.createCoreRouter('${ORDER}');
module.exports = { get routes() { return [...extra, ...core.routes]; } };`;
    expect(await closedIn(routes, text)).toEqual([`${ORDER} routes: all`]);
  });
});

describe('lifecycles and document middlewares', () => {
  const lifecycles = 'src/api/order/content-types/order/lifecycles.js';

  it('lifecycles close writes, and reads where they have events of reading', async () => {
    expect(await closedIn(lifecycles, 'module.exports = { beforeCreate(event) {} };')).toEqual([
      `${ORDER} lifecycles: writes`,
    ]);
    expect(await closedIn(lifecycles, 'module.exports = { afterFindMany(event) {} };')).toEqual([
      `${ORDER} lifecycles: all`,
    ]);
    expect(await closedIn(lifecycles, 'module.exports = {')).toEqual([`${ORDER} lifecycles: writes`]);
    expect(await scan({ [lifecycles]: 'module.exports = {};' })).toEqual([]);
  });

  const bootstrap = (code: string): string => `export default { async bootstrap({ strapi }) { ${code} } };`;
  const inBootstrap = (code: string): Promise<string[]> => closedIn('src/index.js', bootstrap(code));

  it.each([
    ['for all types', `db.lifecycles.subscribe({ beforeCreate() {} })`, ['application lifecycles: writes']],
    [
      'for some',
      `db.lifecycles.subscribe({ models: ['${ORDER}'], afterUpdate() {} })`,
      [`${ORDER} lifecycles: writes`],
    ],
    ['as a function', `db.lifecycles.subscribe((event) => { event.x = 1; })`, ['application lifecycles: writes']],
    [
      'as a function for one type',
      `db.lifecycles.subscribe((event) => { if (event.model.uid !== '${DISH}') return; event.x = 1; })`,
      [`${DISH} lifecycles: writes`],
    ],
  ])('a subscriber %s', async (_title, code, expected) => {
    expect(await inBootstrap(`strapi.${code};`)).toEqual(expected);
  });

  it.each([
    [
      'for all types',
      `(context, next) => { context.params.data.x = 1; return next(); }`,
      ['application documents.use: writes'],
    ],
    [
      'that leaves other types alone',
      `(c, next) => { if (c.uid !== '${ORDER}') return next(); c.x = 1; return next(); }`,
      [`${ORDER} documents.use: writes`],
    ],
    [
      'inside conditions on the type',
      `async (c, next) => { const r = await next(); if (c.uid === '${ORDER}' && c.action === 'create') f(); return r; }`,
      [`${ORDER} documents.use: writes`],
    ],
    [
      'for a list of types',
      `(c, next) => { if (!['${ORDER}', '${DISH}'].includes(c.uid)) return next(); c.x = 1; return next(); }`,
      [`${ORDER} documents.use: writes`, `${DISH} documents.use: writes`],
    ],
    [
      'of some actions, for one type',
      `(c, next) => { if (c.action !== 'create') return next(); if (c.uid === '${ORDER}') f(); return next(); }`,
      [`${ORDER} documents.use: writes`],
    ],
    [
      'that does more than its conditions say',
      `(c, next) => { if (c.uid === '${ORDER}') f(); g(); return next(); }`,
      ['application documents.use: writes'],
    ],
    [
      'that blocks other types',
      `(c, next) => { if (c.uid !== '${ORDER}') return { results: [] }; return next(); }`,
      ['application documents.use: writes'],
    ],
    [
      'of find actions',
      `(c, next) => { if (c.action === 'findMany') c.x = 1; return next(); }`,
      ['application documents.use: all'],
    ],
    ['of filters', `(c, next) => { c.params.filters = {}; return next(); }`, ['application documents.use: all']],
    ['of a type that is not served', `(c, next) => { if (c.uid !== 'plugin::x.y') return next(); c.x = 1; }`, []],
    [
      'that a function makes',
      `((x) => (c, next) => { c.params.data.x = x; return next(); })(1)`,
      ['application documents.use: writes'],
    ],
    ['from elsewhere', `middleware`, ['application documents.use: all']],
  ])('a document middleware %s', async (_title, handler, expected) => {
    const findings = await inBootstrap(`strapi.documents.use(${handler});`);
    expect(findings).toEqual(expected);
  });

  it('are found in other files, and under other names', async () => {
    expect(
      await closedIn('src/utils/hooks.js', `export const hook = ({ documents }) => documents.use(audit);`),
    ).toEqual(['application documents.use: all']);
    expect(await closedIn('src/index.js', bootstrap('const d = strapi.documents; d.use(audit);'))).toEqual([
      'application documents.use: all',
    ]);
  });

  it('code at the start that only grants or fills closes nothing and is told', async () => {
    const code = `await strapi.db.query('plugin::users-permissions.permission').create({ data: {} });`;
    expect(await scan({ 'src/index.js': bootstrap(code) })).toEqual([
      {
        file: 'src/index.js',
        kind: 'bootstrap',
        subject: null,
        does: 'seems to grant permissions and create entries',
        closes: 'nothing',
        instead: 'sheaf role grant; sheaf.documents(uid).create, in process',
      },
    ]);
  });

  it.each([
    ['puts a middleware into the server', 'strapi.server.use(guard);', ['application middlewares: all']],
    [
      'replaces a controller under another name',
      `const c = strapi.controller('${ORDER}'); c.find = f;`,
      ['application bootstrap: all'],
    ],
    ['keeps something of its own', 'strapi.queue = makeQueue();', []],
    ['replaces a controller', `strapi.controller('${ORDER}').find = f;`, ['application bootstrap: all']],
    ['extends what Strapi holds', `strapi.get('controllers').extend('x', f);`, ['application bootstrap: all']],
  ])('code at the start that %s', async (_title, code, expected) => {
    expect(await inBootstrap(code)).toEqual(expected);
  });

  it('a start that is not valid code closes everything', async () => {
    expect(await closedIn('src/index.js', 'export default {')).toEqual(['application bootstrap: all']);
  });
});

describe('configuration, extensions and plugins', () => {
  it.each([
    ['by name', `module.exports = ['strapi::errors', 'global::tenant'];`],
    ['as an object', `export default ({ env }) => ['strapi::errors', { name: 'global::tenant', config: {} }];`],
    ['by path', `export default ['strapi::errors', { resolve: './src/tenant' }];`],
    ['from elsewhere', `export default [...defaults];`],
  ])('a middleware of the application %s closes everything', async (_title, text) => {
    expect(await closedIn('config/middlewares.js', text)).toEqual(['application middlewares: all']);
    expect(await closedIn('config/env/production/middlewares.js', text)).toEqual(['application middlewares: all']);
  });

  it('a middleware of the application is seen behind what looks like a comment', async () => {
    const text = `export default [{ name: 'strapi::security', config: { x: ['https://*'] } }, 'global::x', '*/'];`;
    expect(await closedIn('config/middlewares.js', text)).toEqual(['application middlewares: all']);
  });

  it('an extension closes what its plugin serves', async () => {
    const file = 'src/extensions/users-permissions/strapi-server.js';
    const text = 'module.exports = (plugin) => { plugin.controllers.user.me = f; return plugin; };';
    expect(await closedIn(file, text)).toEqual(['plugin::users-permissions extension: all']);
    expect(await scan({ [file]: 'module.exports = (plugin) => { return plugin; };' })).toEqual([]);
    expect(await closedIn('src/extensions/content-manager/strapi-server.js', text)).toEqual([]);
  });

  it('policies, middlewares, jobs and plugins are told', async () => {
    const findings = await scan({
      'src/policies/isOwner.js': 'module.exports = (ctx) => ctx.state.user.id === 1;',
      'src/api/order/middlewares/defaultPopulate.js':
        'export default () => (ctx, next) => { ctx.query.populate = "*"; return next(); };',
      'config/cron-tasks.js': `export default { '0 1 * * *': ({ strapi }) => {} };`,
      'config/plugins.js': `export default { shop: { enabled: true, resolve: '../shop' } };`,
      'src/plugins/loyalty/server/routes/index.js': 'export default [];',
      'package.json': JSON.stringify({
        dependencies: { '@strapi/plugin-graphql': '5', '@strapi/plugin-cloud': '5', 'strapi-plugin-navigation': '3' },
      }),
    });
    expect(closed(findings)).toEqual([]);
    expect(findings.map(({ file, does }) => `${file}: ${does}`)).toEqual([
      'src/api/order/middlewares/defaultPopulate.js: api::order.default-populate; seems to set what is populated',
      'src/policies/isOwner.js: global::isOwner; seems to limit entries to their owner and refuse some callers',
      'config/cron-tasks.js: jobs that are not run',
      'config/plugins.js: plugins that are not run: shop (../shop)',
      'src/plugins/loyalty: a plugin of 1 file, whose routes are not served',
      'package.json: plugins that are not run: @strapi/plugin-graphql, strapi-plugin-navigation',
    ]);
  });
});
