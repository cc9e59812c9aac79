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
  told(findings.filter(({ closes, does }) => closes !== 'nothing' && does !== NO_ROUTES));

/** Most of these projects have routes for one type alone. */
const NO_ROUTES = 'has no core routes';
const unrouted = (findings: readonly CodeFinding[]): string[] =>
  told(findings.filter(({ does }) => does === NO_ROUTES));

const told = (findings: readonly CodeFinding[]): string[] =>
  findings.map(({ subject, kind, closes }) => `${subject} ${kind}: ${closes}`);

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
  'src/api/dish/routes/dish.js': factory('Router', DISH),
  'src/api/front/routes/front.js': factory('Router', FRONT),
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

it('does not look into src/sheaf.ts, which is run', async () => {
  const text = `strapi.server.use(() => {}); strapi.documents.use(() => {});`;
  expect(await scan({ 'src/sheaf.ts': text })).toEqual([]);
  expect(await scan({ 'src/other.ts': text })).not.toEqual([]);
});

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
    expect(findings.map(({ does }) => does).filter((does) => does !== NO_ROUTES)).toEqual([
      '1 route not served: GET /orders/mine',
    ]);
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
    expect(await closedIn(lifecycles, 'exports.beforeCreate = (event) => {};')).toEqual([
      `${ORDER} lifecycles: writes`,
    ]);
    expect(await closedIn(lifecycles, 'export const beforeCreate = f;')).toEqual([`${ORDER} lifecycles: writes`]);
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
    ['as a function', `db.lifecycles.subscribe((event) => { event.x = 1; })`, ['application lifecycles: all']],
    [
      'as a function for one type',
      `db.lifecycles.subscribe((event) => { if (event.model.uid !== '${DISH}') return; event.x = 1; })`,
      [`${DISH} lifecycles: all`],
    ],
    [
      'as a function of some events',
      `db.lifecycles.subscribe((event) => { if (event.action === 'beforeCreate') f(event); })`,
      ['application lifecycles: writes'],
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
      [`${ORDER} documents.use: all`],
    ],
    [
      'inside conditions on the type',
      `async (c, next) => { const r = await next(); if (c.uid === '${ORDER}' && c.action === 'create') f(); return r; }`,
      [`${ORDER} documents.use: writes`],
    ],
    [
      'for a list of types',
      `(c, next) => { if (!['${ORDER}', '${DISH}'].includes(c.uid)) return next(); c.x = 1; return next(); }`,
      [`${ORDER} documents.use: all`, `${DISH} documents.use: all`],
    ],
    [
      'of some actions, for one type',
      `(c, next) => { if (c.action !== 'create') return next(); if (c.uid === '${ORDER}') f(); return next(); }`,
      [`${ORDER} documents.use: writes`],
    ],
    [
      'that does more than its conditions say',
      `(c, next) => { if (c.uid === '${ORDER}') f(); g(); return next(); }`,
      ['application documents.use: all'],
    ],
    [
      'that blocks other types',
      `(c, next) => { if (c.uid !== '${ORDER}') return { results: [] }; return next(); }`,
      ['application documents.use: all'],
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
    ...[
      "const auth = strapi.plugin('users-permissions').controller('auth'); auth.register = f;",
      "const { strapi: s } = all; strapi.plugins['users-permissions'].controllers.auth.register = f;",
      "strapi.plugin('users-permissions').controllers.auth.register = f;",
      "strapi.controller('plugin::users-permissions.auth').register = f;",
    ].map((code): [string, string, string[]] => ['wraps users', code, ['plugin::users-permissions extension: all']]),
    ...[
      "strapi.plugin('users-permissions').controllers.auth = c;",
      "strapi.plugin('upload').controller('content-api').upload = f;",
      "strapi.plugin(name).controller('auth').register = f;",
      "let c = strapi.plugin('users-permissions').controller('auth'); c = strapi.controller('x'); c.find = f;",
      "strapi.plugin('users-permissions').service('user').add = f;",
    ].map((code): [string, string, string[]] => ['replaces', code, ['application bootstrap: all']]),
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

describe('code that looks as if there were none', () => {
  const core = `const { createCoreController, createCoreRouter } = require('@strapi/strapi').factories;\n`;
  const order = 'src/api/order/controllers/order.js';
  const routes = 'src/api/order/routes/order.js';
  const lifecycles = 'src/api/order/content-types/order/lifecycles.js';

  it.each([
    [
      'whose functions are put into an object one by one',
      `${core}module.exports = createCoreController('${ORDER}', () => { const own = {}; own.find = f; return own; });`,
    ],
    [
      'whose object another function fills',
      `${core}module.exports = createCoreController('${ORDER}', () => { const own = {}; fill(own); return own; });`,
    ],
    [
      'whose object is filled under another name',
      `${core}module.exports = createCoreController('${ORDER}', () => { const own = {}; const o = own; o.find = f; return own; });`,
    ],
    [
      'that is patched in a declaration',
      `${core}const own = createCoreController('${ORDER}');\nconst x = patch(own);\nmodule.exports = own;`,
    ],
    [
      'whose name another scope declares again',
      `${core}const { own } = require('./own');\nfunction f() { const own = {}; }\nmodule.exports = createCoreController('${ORDER}', own);`,
    ],
    [
      'of a parameter that has the name of a constant',
      `${core}const own = {};\nmodule.exports = createCoreController('${ORDER}', (own) => own);`,
    ],
    [
      'of a local factory with the name of a core one',
      `const { createCoreController } = require('../../../core');\nmodule.exports = createCoreController('${ORDER}');`,
    ],
    [
      'of local factories with the name of the core ones',
      `import { factories } from '../../../core';\nexport default factories.createCoreController('${ORDER}');`,
    ],
    [
      'of a factory of its own file',
      `function createCoreController() { return { find() {} }; }\nmodule.exports = createCoreController('${ORDER}');`,
    ],
    ['that inherits', `${core}module.exports = createCoreController('${ORDER}', { __proto__: guarded });`],
    [
      'whose constructor sets its functions',
      `class Orders { constructor() { this.find = f; } }\nmodule.exports = () => new Orders();`,
    ],
  ])('a controller %s closes its type', async (_title, text) => {
    expect(await closedIn(order, text)).toEqual([`${ORDER} controller: all`]);
  });

  it.each([
    [`import strapi from '@strapi/strapi';\nexport default strapi.factories.createCoreController('${ORDER}');`],
    [
      `import { factories as f } from '@strapi/strapi';\nconst own = f.createCoreController('${ORDER}');\nexport default own;`,
    ],
    [`const s = require('@strapi/strapi');\nmodule.exports = s.factories.createCoreController('${ORDER}');`],
    [
      `const { factories: { createCoreController: make } } = require('@strapi/strapi');\nmodule.exports = make('${ORDER}');`,
    ],
    [
      `import { factories } from '@strapi/strapi';\nconst { createCoreController } = factories;\nexport default createCoreController('${ORDER}');`,
    ],
  ])('a core factory under another name is known: %s', async (text) => {
    expect(await scan({ [order]: text })).toEqual([]);
  });

  it('a controller of another type closes its own', async () => {
    expect(await closedIn(order, factory('Controller', DISH))).toEqual([`${ORDER} controller: all`]);
    expect(await closedIn('src/api/order/services/order.js', factory('Service', DISH))).toEqual([
      `${ORDER} service: all`,
    ]);
  });

  it('a controller is known by its name however it is written', async () => {
    const text = 'module.exports = { find() {} };';
    for (const file of ['src/api/Order/controllers/Order.js', 'src/api/order/controllers/order_.js'])
      expect(await closedIn(file, text)).toEqual([`${ORDER} controller: all`]);
  });

  it.each([
    ['from elsewhere', `module.exports = require('../../shared');`],
    ['that a function makes', `export default lifecyclesOf('order');`],
    ['exported with those of another file', `export * from './shared';`],
    ['put into an object one by one', `const own = {};\nown.beforeCreate = f;\nown[find] = g;\nmodule.exports = own;`],
    ['that are not valid code', 'module.exports = {'],
  ])('lifecycles %s close reads and writes', async (_title, text) => {
    expect(await closedIn(lifecycles, text)).toEqual([`${ORDER} lifecycles: all`]);
  });

  it('lifecycles close the types of their API where their folder has another name', async () => {
    const text = 'module.exports = { beforeCreate() {} };';
    expect(await closedIn('src/api/order/content-types/purchase/lifecycles.js', text)).toEqual([
      `${ORDER} lifecycles: writes`,
    ]);
    expect(await closedIn('src/api/order/content-types/order/Lifecycles.js', text)).toEqual([
      `${ORDER} lifecycles: writes`,
    ]);
  });

  it.each([
    ['middlewares.json', '["strapi::errors", "global::guard"]'],
    [
      'middlewares.js',
      `module.exports = ['strapi::errors', (ctx, next) => { ctx.query.filters = {}; return next(); }];`,
    ],
    ['middlewares.js', `const guard = (ctx, next) => next();\nmodule.exports = ['strapi::errors', guard];`],
    ['middlewares.ts', `export default () => ['strapi::errors', async function guard(ctx, next) { await next(); }];`],
  ])('a middleware of the application in %s: %s', async (file, text) => {
    expect(await closedIn(`config/${file}`, text)).toEqual(['application middlewares: all']);
  });

  it('routes in JSON are read', async () => {
    const json = JSON.stringify({ routes: [{ method: 'GET', path: '/orders', handler: 'order.mine' }] });
    expect(await closedIn('src/api/order/routes/order.json', json)).toEqual([`${ORDER} routes: all`]);
  });

  it('a start is not taken for an empty one because of the semicolons in it', async () => {
    const text = `import type { Core } from '@strapi/strapi'
strapi.server.use(guard)
const x = 1;
export default { register() {}, bootstrap() {} };`;
    expect(await closedIn('src/index.ts', text)).toEqual(['application middlewares: all']);
  });

  it('an extension that returns another plugin closes what its plugin serves', async () => {
    expect(
      await closedIn('src/extensions/users-permissions/strapi-server.js', 'module.exports = (plugin) => guarded;'),
    ).toEqual(['plugin::users-permissions extension: all']);
  });

  it.each([
    ['in another case', `{ method: 'GET', path: '/Orders', handler: 'order.mine' }`, [`${ORDER} routes: all`]],
    ['for files', `{ method: 'GET', path: '/upload/files', handler: 'order.files' }`, ['plugin::upload routes: all']],
    [
      'for new files',
      `{ method: 'POST', path: '/upload', handler: 'order.upload' }`,
      ['plugin::upload routes: writes'],
    ],
    [
      'for roles',
      `{ method: 'GET', path: '/users-permissions/roles', handler: 'order.x' }`,
      ['plugin::users-permissions routes: all'],
    ],
    [
      'for some accounts',
      `{ method: 'POST', path: '/auth/:what', handler: 'order.x' }`,
      ['plugin::users-permissions routes: all'],
    ],
  ])('a custom route %s', async (_title, route, expected) => {
    const text = `module.exports = { routes: [${route}] };`;
    expect(closed(await scan({ [routes]: factory('Router', ORDER), 'src/api/order/routes/a.js': text }))).toEqual(
      expected,
    );
  });

  it('a custom route without the prefix of its file', async () => {
    const text = `module.exports = { prefix: '/v1', routes: [{ method: 'GET', path: '/orders', handler: 'order.x', config: { prefix: '' } }] };`;
    expect(closed(await scan({ [routes]: factory('Router', ORDER), 'src/api/order/routes/a.js': text }))).toEqual([
      `${ORDER} routes: all`,
    ]);
  });

  it('a type without core routes is closed in a project that has some', async () => {
    const generated = { 'src/api/dish/routes/dish.js': factory('Router', DISH) };
    for (const files of [
      generated,
      { ...generated, [routes]: `// ${factory('Router', ORDER).replaceAll('\n', '\n// ')}` },
    ])
      expect(unrouted(await scan(files))).toContain(`${ORDER} routes: all`);
  });

  const start = (code: string): Promise<string[]> =>
    closedIn('src/index.js', `module.exports = { async bootstrap({ strapi }) { ${code} } };`);

  it.each([
    [`const use = strapi.documents.use; use(audit);`, 'documents.use'],
    [`const { use } = strapi.documents; use(audit);`, 'documents.use'],
    [`strapi.documents.use.call(strapi.documents, audit);`, 'documents.use'],
    [`strapi['documents']['use'](audit);`, 'documents.use'],
    [
      `strapi.documents.use((c, next) => { if (c.uid !== '${ORDER}') return { results: [] }; return next(); });`,
      'documents.use',
    ],
    [`strapi.documents.use((c, next) => { if (isHidden(c)) return; return next(); });`, 'documents.use'],
    [`strapi.documents.use((c, next) => { if (c.uid) return; return next(); });`, 'documents.use'],
    [`strapi.documents.use((c, next) => { limit(c); return next(); });`, 'documents.use'],
    [`strapi.documents.use(async (c, next) => { const r = await next(); return redact(r); });`, 'documents.use'],
    [`strapi.documents.use((c, next) => { requireTenant(); return next(); });`, 'documents.use'],
    [
      `strapi.documents.use((c, next) => { if (!strapi.requestContext.get()) throw new E(); return next(); });`,
      'documents.use',
    ],
    [
      `strapi.documents.use(async (c, next) => { const r = await next(); delete r.secret; return r; });`,
      'documents.use',
    ],
    [
      `strapi.documents.use(async (c, next) => { const { params } = c; params[key] = 1; return next(); });`,
      'documents.use',
    ],
    [`strapi.documents.use(async ({ params }, next) => { params.x = 1; return next(); });`, 'documents.use'],
    [`strapi.db.lifecycles.subscribe(handler);`, 'lifecycles'],
    [`strapi.db.lifecycles.subscribe({ ...handlers });`, 'lifecycles'],
    [`strapi.db.lifecycles.subscribe((event) => { event.params.where = {}; });`, 'lifecycles'],
    [`const { subscribe } = strapi.db.lifecycles; subscribe(handler);`, 'lifecycles'],
    [`const { server } = strapi; server.use(guard);`, 'middlewares'],
    [`const app = strapi.server.app; app.use(guard);`, 'middlewares'],
    [`strapi['server'].use(guard);`, 'middlewares'],
    [`strapi.server.app.middleware.unshift(guard);`, 'middlewares'],
    [`strapi['controllers'][uid].find = f;`, 'bootstrap'],
    [`const { contentTypes } = strapi; contentTypes[uid].attributes.x.private = true;`, 'bootstrap'],
    [`Object.values(strapi.contentTypes).forEach((type) => { type.attributes.x.private = true; });`, 'bootstrap'],
    [`Object.assign(strapi.contentTypes[uid].attributes, hidden);`, 'bootstrap'],
    [`_.set(strapi, ['controllers', uid, 'find'], f);`, 'bootstrap'],
    [`delete strapi.contentTypes[uid].attributes.x;`, 'bootstrap'],
    [`Object.values(strapi.apis).forEach((api) => { api.routes.x.routes[0].config.policies = ['y']; });`, 'bootstrap'],
    [`for (const route of all()) route.config.middlewares.push('global::guard');`, 'bootstrap'],
    [`for (const router of all()) router.routes.unshift(route);`, 'bootstrap'],
    [`for (const route of all()) route.handler = guarded(route.handler);`, 'bootstrap'],
    [`require('@strapi/utils').sanitize.contentAPI.output = f;`, 'bootstrap'],
    [`strapi.server.router.stack.unshift(layer);`, 'middlewares'],
    [`strapi.db.query = wrapped;`, 'bootstrap'],
    [`strapi.container.get('auth').register('content-api', strategy);`, 'bootstrap'],
    [`strapi.contentAPI.sanitize.output = f;`, 'bootstrap'],
  ])('at the start, %s', async (code, kind) => {
    expect(await start(code)).toEqual([`application ${kind}: all`]);
  });

  it('a start under another name of strapi', async () => {
    const text = `module.exports = { register({ strapi: app }) { app.controllers.x.find = f; } };`;
    expect(await closedIn('src/index.js', text)).toEqual(['application bootstrap: all']);
  });

  it.each([
    [`strapi.documents.use((c, next) => { if (c.action !== 'create') return next(); limit(c); return next(); });`],
    [`strapi.documents.use((c, next) => { if (['create', 'update'].includes(c.action)) limit(c); return next(); });`],
    [`strapi.documents.use((c, next) => { c.params.data.x = 1; return next(); });`],
    [
      `strapi.documents.use(async (c, next) => { c.params.data.slug = slug(c.params.data.title); const r = await next(); return r; });`,
    ],
  ])('a document middleware of writes alone: %s', async (code) => {
    expect(await start(code)).toEqual(['application documents.use: writes']);
  });

  it('reading what Strapi holds closes nothing', async () => {
    expect(
      await start(
        `for (const uid of Object.keys(strapi.contentTypes)) { const x = strapi.contentType(uid).attributes; log(x); }`,
      ),
    ).toEqual([]);
  });

  it.each([
    `const user = await strapi.plugin('users-permissions').service('user').fetch(1); delete user.password;`,
    `const user = await strapi.plugins['users-permissions'].services.user.fetch(1); user.name = 'x';`,
    `const shown = await strapi.contentAPI.sanitize.output(entry, schema, { auth }); delete shown.name;`,
    `const found = await strapi.controller(uid).find(ctx); found.meta.x = 1;`,
    `const entry = await strapi.entityService.findOne(uid, 1); entry.total = 1;`,
    `const other = await app.entityService.findOne(uid, 1); other.total = 1;`,
    `const [entry] = await strapi.entityService.findMany(uid); Object.assign(entry, { total: 1 });`,
    `const row = await strapi.db.connection(table).first(); row.total = 1;`,
    `const found = await strapi.db.connection.raw(text); found.rows = [];`,
    `const made = await strapi.db.transaction(write); made.total = 1;`,
    `const { sanitize } = require('@strapi/utils'); const shown = await sanitize.contentAPI.output(x); shown.y = 1;`,
  ])('changing what it was given closes nothing: %s', async (code) => {
    expect(await start(code)).toEqual([]);
  });

  it.each([
    `strapi.entityService.findOne = f;`,
    `strapi.db.connection.raw = f;`,
    `strapi.plugin('users-permissions').service('user').fetch = f;`,
    `strapi.plugins['users-permissions'].services.user.fetch = f;`,
    `strapi.plugin('users-permissions').routes['content-api'].routes.find(f).config.policies = [];`,
    `const query = strapi.db.query(uid); query.findOne = f;`,
  ])('replacing what gives it closes everything: %s', async (code) => {
    expect(await start(code)).toEqual(['application bootstrap: all']);
  });

  it('a plugin of the project is read where it stands, compiled as well', async () => {
    expect(
      await closedIn('src/plugins/shop/dist/server/index.js', 'exports.f = (s) => s.documents.use(audit);'),
    ).toEqual(['application documents.use: all']);
  });

  it('a package is known as a plugin by what it says of itself', async () => {
    const findings = await scan({
      'package.json': JSON.stringify({
        dependencies: { 'strapi-v5-plugin-populate-deep': '4', tenants: '1', left: '1' },
      }),
      'node_modules/tenants/package.json': JSON.stringify({
        name: 'tenants',
        strapi: { kind: 'plugin', name: 'tenants' },
      }),
      'node_modules/left/package.json': JSON.stringify({ name: 'left' }),
    });
    expect(findings.map(({ does }) => does)).toEqual([
      'plugins that are not run: strapi-v5-plugin-populate-deep, tenants',
    ]);
  });

  it('a package that is given strapi may do anything', async () => {
    const by = (call: string): string =>
      `import tenants from 'tenants';\nexport default { bootstrap({ strapi }) { ${call} } };`;
    for (const call of ['tenants(strapi);', 'tenants.setup({ strapi });'])
      expect(await closedIn('src/index.ts', by(call))).toEqual(['application bootstrap: all']);
    expect(await closedIn('src/index.ts', by('tenants.setup(strapi.log);'))).toEqual([]);
  });

  it('files beside src are read where src imports them', async () => {
    const files = {
      'src/index.js': `const hooks = require('../lib/hooks');\nmodule.exports = { register({ strapi }) { hooks(strapi); } };`,
      'lib/hooks.ts': `import { guard } from './more/guard.js';\nexport default (s) => guard(s);`,
      'lib/more/guard.ts': `export const guard = (s) => s.documents.use(f);`,
      'lib/unused.js': 'module.exports = (s) => s.server.use(f);',
    };
    expect(closed(await scan(files))).toEqual(['application documents.use: all']);
  });

  it('a plugin that stands elsewhere is read as well', async () => {
    const files = {
      'config/plugins.js': `module.exports = { shop: { enabled: true, resolve: './plugins/shop' } };`,
      'plugins/shop/dist/server/index.js': 'exports.f = (s) => s.documents.use(audit);',
      'plugins/shop/dist/admin/index.js': 'exports.f = (s) => s.server.use(audit);',
    };
    expect(closed(await scan(files))).toEqual(['application documents.use: all']);
  });

  it('what TypeScript exports as CommonJS is read', async () => {
    const file = 'src/api/order/controllers/order.ts';
    const start = `import { factories } from '@strapi/strapi';\nexport = factories.createCoreController('${ORDER}'`;
    expect(await closedIn(file, `${start}, { find() {} });`)).toEqual([`${ORDER} controller: all`]);
    expect(await closedIn(file, `${start});`)).toEqual([]);
  });

  it.each([
    [`module.exports = (app) => { app.controllers['x'].find = f; };`, 'bootstrap'],
    [`module.exports = (app) => { app.contentTypes[uid].attributes.x.private = true; };`, 'bootstrap'],
    [`module.exports = (app) => { app.server.use(f); };`, 'middlewares'],
  ])('a helper that is given strapi under another name: %s', async (text, kind) => {
    expect(await closedIn('src/utils/patch.js', text)).toEqual([`application ${kind}: all`]);
  });

  it('a helper with objects of its own closes nothing', async () => {
    const text = `this.controllers.x = 1; exports.contentTypes.x = 2; const own = {}; own.x = strapi.contentTypes;`;
    expect(await closedIn('src/utils/own.js', text)).toEqual([]);
  });

  it('routes that cannot be read, of an API without types, may stand at any path', async () => {
    for (const text of ['module.exports = { routes: build() };', 'module.exports = {'])
      expect(await closedIn('src/api/misc/routes/misc.js', text)).toEqual(['application routes: all']);
    const gone = factory('Router', 'api::gone.gone', ', {}');
    expect(await closedIn('src/api/gone/routes/gone.js', gone)).toEqual([]);
  });
});
