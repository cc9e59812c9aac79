// The description of the API: valid by an independent validator, complete, of each caller's rights, the same each time;
// a client that is generated from it compiles and works; the page that shows it runs under its policy.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';
import openapiTypescript from 'openapi-typescript';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemAccess } from '../src/access/access.ts';
import { tokenAccess } from '../src/access/role-access.ts';
import { open, type Sheaf } from '../src/app.ts';
import { openApiDocument } from '../src/describe/openapi.ts';
import { schemaNames } from '../src/describe/schema-names.ts';
import { describedTypes, typeSchemas } from '../src/describe/type-schemas.ts';
import { routeTable } from '../src/http/route-table.ts';
import { createServer } from '../src/http/server.ts';
import { loadModel } from '../src/model/build.ts';
import type { Attribute } from '../src/model/types.ts';
import { DEFAULT_SETTINGS } from '../src/project/settings.ts';
import { openToAll } from './support/access.ts';
import { launchBrowser } from './support/browser.ts';
import { useCommands } from './support/commands.ts';
import { type Answered, useContents } from './support/content.ts';
import { Contract, type OpenApi } from './support/contract.ts';
import { describeOnSqlite, GUIDE } from './support/database.ts';
import { writeAccessFile } from './support/guarded.ts';
import { PATIENCE_MS } from './support/patience.ts';
import { modelOf, relation } from './support/project.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PREFIX = DEFAULT_SETTINGS.rest.prefix;

/** Reads the schema of OpenAPI once. */
const validator = new Validator();

const isNoRelation = ({ kind, private: hidden }: Attribute): boolean => kind !== 'relation' || hidden;

/** Every string that a value holds as a key or an item. */
const wordsIn = (value: unknown): Set<string> => new Set(JSON.stringify(value).match(/[\w$]+/g));

describeOnSqlite('The description of the API', (engine) => {
  const contents = useContents(engine);
  let sheaf: Sheaf;
  let app: FastifyInstance;
  let base: string;
  let document: Answered;

  const get = async (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

  beforeAll(async () => {
    sheaf = await engine.open();
    await openToAll(sheaf);
    app = createServer(sheaf, { isDevelopment: true });
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    document = (await get('/api/openapi.json')).json();
  });
  afterAll(async () => {
    await app.close();
  });

  it('is valid OpenAPI 3.1 by an independent validator', async () => {
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    const wrong = { ...structuredClone(document), paths: { 'no-slash': {} } };
    expect(await validator.validate(wrong)).toMatchObject({ valid: false });
  });

  it('describes every route of the table', async () => {
    const { model, settings } = sheaf;
    const routes = routeTable(sheaf, await sheaf.auth(), { docs: true });
    const access = tokenAccess(model, { id: 0, type: 'full-access', actions: [] })!;
    const { paths } = openApiDocument({ model, settings, routes, access }) as unknown as OpenApi;
    const described = Object.entries(paths).flatMap(([template, item]) =>
      Object.keys(item).map((method) => `${method.replace('x-', '').toUpperCase()} ${template}`),
    );
    const missing = routes.filter(({ method, path: at, describes, operation }) => {
      if (describes === 'related' && [...operation!.type.attributes.values()].every(isNoRelation)) return false;
      const template = at.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
      // One path for each relation.
      const isThere = (line: string): boolean =>
        describes === 'related'
          ? line.startsWith(`${method} ${template.replace('{relation}', '')}`)
          : line === `${method} ${template}`;
      return !described.some(isThere);
    });
    expect(missing.map(({ method, path: at }) => `${method} ${at}`)).toEqual([]);
    const ids = Object.values(paths).flatMap((item) => Object.values(item).flatMap((one) => one.operationId ?? []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has examples that fit', () => {
    const contract = new Contract(document as OpenApi);
    const problems: unknown[] = [];
    let examples = 0;
    for (const [template, item] of Object.entries((document as OpenApi).paths))
      for (const [method, operation] of Object.entries(item)) {
        if (method.startsWith('x-')) continue;
        const place = ['paths', template, method];
        const body = operation.requestBody?.content['application/json'] as { example?: unknown } | undefined;
        const answers = Object.entries(operation.responses).filter(([status]) => status < '300');
        for (const [at, holder] of [
          [[...place, 'requestBody'], body] as const,
          ...answers.map(
            ([status, { content }]) =>
              [
                [...place, 'responses', status],
                content?.['application/json'] as { example?: unknown } | undefined,
              ] as const,
          ),
        ])
          if (holder?.example !== undefined) {
            examples++;
            problems.push(...contract.validate([...at, 'content', 'application/json', 'schema'], holder.example));
          }
      }
    expect(problems).toEqual([]);
    expect(examples).toBeGreaterThan(40);
  });

  it('names private attributes and passwords in bodies alone, where they can be written', () => {
    const { schemas, parameters } = document.components;
    const written = Object.keys(schemas).filter((name) => /(?:Create|Update)Data$/.test(name));
    const others = { paths: structuredClone(document.paths), components: { parameters, schemas: { ...schemas } } };
    for (const name of written) delete others.components.schemas[name];
    for (const item of Object.values<Answered>(others.paths))
      for (const operation of Object.values<Answered>(item))
        delete operation.requestBody?.content['application/json'].example;
    const hidden = ['internalNote', 'doorCode', 'phone', 'resetPasswordToken', 'confirmationToken'];
    const words = wordsIn(others);
    expect(hidden.filter((word) => words.has(word))).toEqual([]);
    expect(schemas.RestaurantCreateData.properties.internalNote).toMatchObject({ writeOnly: true });
    expect(schemas.RestaurantCreateData.properties.doorCode).toMatchObject({ writeOnly: true });
  });

  it('is kept, and not sent again to who has it', async () => {
    const first = await get('/api/openapi.json');
    const tag = String(first.headers.etag);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    const again = await get('/api/openapi.json', { 'if-none-match': tag });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await get('/api/openapi.json')).body).toBe(first.body);
    expect((await get('/api/openapi.json', { authorization: 'Bearer garbage' })).statusCode).toBe(401);
  });

  it('shows each caller what they may do, and follows grants and rules on attributes', async () => {
    const project = contents.project({
      types: {
        note: {
          attributes: {
            title: { type: 'string', required: true },
            secret: { type: 'string' },
            owner: relation('manyToOne', 'owner'),
          },
        },
        owner: { attributes: { name: { type: 'string' } } },
      },
    });
    writeAccessFile(project, 'public.json', { public: { 'api::note.note': { fields: { read: ['title', 'owner'] } } } });
    const ofUsers = { 'plugin::users-permissions.user': { fields: { read: ['username', 'email'] } } };
    writeAccessFile(project, 'users.json', { authenticated: ofUsers });
    const site = await open({ project, database: engine.freshDatabaseUrl() });
    const server = createServer(site);
    try {
      const { roles, tokens } = await site.auth();
      const seen = async (headers: Record<string, string> = {}): Promise<Answered> =>
        (await server.inject({ method: 'GET', url: '/api/openapi.json', headers })).json();
      await roles.create('Editor');
      const closed = await seen();
      expect(Object.keys(closed.paths)).not.toContain(`${PREFIX}/notes`);
      expect(Object.keys(closed.paths)).toContain(`${PREFIX}/auth/local`);
      // Attributes of accounts that only some roles may read are named to nobody who logs in.
      const { properties, additionalProperties } = closed.components.schemas.OwnAccount;
      expect(Object.keys(properties).sort()).toEqual(['documentId', 'email', 'id', 'username']);
      expect(additionalProperties).toBe(true);
      await roles.grant('public', ['api::note.note.find']);
      const listed = await seen();
      expect(Object.keys(listed.paths[`${PREFIX}/notes`])).toEqual(['get', 'x-query']);
      expect(Object.keys(listed.components.schemas.Note.properties)).toEqual(
        ['createdAt', 'documentId', 'id', 'publishedAt', 'title', 'updatedAt'].filter((name) =>
          ['documentId', 'id', 'title'].includes(name),
        ),
      );
      expect([...wordsIn(listed)]).not.toContain('secret');
      const key = await tokens.create({ name: 'all', type: 'full-access', description: '', actions: [], days: null });
      const all = await seen({ authorization: `Bearer ${key}` });
      expect(Object.keys(all.components.schemas.Note.properties)).toContain('secret');
      expect(all.components.schemas.Note.properties).toHaveProperty('owner');
    } finally {
      await server.close();
      await site.close();
    }
  });

  it('has beside it how types and components are declared, as front ends of Strapi 5 read it', async () => {
    const path = '/api/content-type-builder';
    const paths = ['content-types', 'content-types/api::article.article', 'components', 'components/shared.link'];
    const { tokens } = await sheaf.auth();
    const token = async (type: 'full-access' | 'read-only' | 'custom', actions: string[] = []) => ({
      authorization: `Bearer ${await tokens.create({ name: type, description: '', type, actions, days: null })}`,
    });
    const reader = await token('read-only');
    for (const one of paths)
      for (const headers of [{}, reader]) expect((await get(`${path}/${one}`, headers)).statusCode).toBe(403);
    const front = await token('custom', ['plugin::content-type-builder.components.getComponents']);
    expect((await get(`${path}/components`, front)).statusCode).toBe(200);
    expect((await get(`${path}/content-types`, front)).statusCode).toBe(403);

    const full = await token('full-access');
    const [types, article, components, link] = await Promise.all(
      paths.map(async (one) => (await get(`${path}/${one}`, full)).json().data),
    );
    expect(types.find(({ uid }: Answered) => uid === 'api::article.article')).toEqual(article);
    expect(components.find(({ uid }: Answered) => uid === 'shared.link')).toEqual(link);
    const { attributes, ...schema } = article.schema;
    expect({ ...article, schema }).toEqual({
      uid: 'api::article.article',
      apiID: 'article',
      schema: {
        draftAndPublish: true,
        displayName: 'Article',
        description: '',
        singularName: 'article',
        pluralName: 'articles',
        pluginOptions: { i18n: { localized: true } },
        kind: 'collectionType',
        collectionName: 'articles',
        visible: true,
        restrictRelationsTo: null,
      },
    });
    const localized = { pluginOptions: { i18n: { localized: true } } };
    expect(attributes).toMatchObject({
      title: { type: 'string', required: true, ...localized },
      authors: { type: 'relation', relation: 'manyToMany', target: 'api::author.author', targetAttribute: 'articles' },
      related: { type: 'relation', targetAttribute: null, required: false, private: false },
      cover: { type: 'media', multiple: false, required: false, private: false },
    });
    expect(Object.keys(attributes)).not.toContain('createdAt');
    expect(link).toMatchObject({ category: 'shared', apiId: 'link', schema: { displayName: 'link' } });
    expect(types.map(({ uid }: Answered) => uid)).toEqual(
      expect.arrayContaining([
        'plugin::upload.file',
        'plugin::users-permissions.user',
        'plugin::users-permissions.role',
      ]),
    );
    expect(types.filter(({ uid }: Answered) => uid.startsWith('admin::'))).toEqual([]);

    const ofKind = async (kind: string) => (await get(`${path}/content-types?kind=${kind}`, full)).json();
    expect((await ofKind('singleType')).data.map(({ uid }: Answered) => uid)).toEqual(['api::homepage.homepage']);
    expect((await ofKind('any')).error.name).toBe('ValidationError');
    for (const one of ['content-types/api::nope.nope', 'content-types/admin::user', 'components/no.pe'])
      expect((await get(`${path}/${one}`, full)).statusCode).toBe(404);
  });

  it('is off by settings, and so is the page', async () => {
    const off = { ...sheaf, settings: { ...sheaf.settings, openapi: { ...sheaf.settings.openapi, document: false } } };
    const auth = await sheaf.auth();
    const pathsOf = (docs: boolean, settings = off.settings) =>
      routeTable({ ...off, settings }, { ...auth, settings }, { docs }).map(({ path: at }) => at);
    expect(pathsOf(false).filter((at) => /openapi|docs/.test(at))).toEqual([]);
    expect(pathsOf(true, sheaf.settings).filter((at) => /openapi|docs/.test(at))).toEqual([
      '/api/openapi.json',
      '/docs',
      '/docs/:file',
    ]);
    const plain = createServer(sheaf);
    expect((await plain.inject({ method: 'GET', url: '/docs' })).statusCode).toBe(404);
    await plain.close();
  });

  describe('a generated client', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-client-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('compiles in strict mode, and reads and writes', async () => {
      const declarations = await openapiTypescript(structuredClone(document));
      writeFileSync(path.join(folder, 'api.d.ts'), String(declarations));
      const [, example = ''] =
        /```ts\n([\s\S]+?)```/.exec(readFileSync(path.join(ROOT, 'docs/openapi.md'), 'utf8')) ?? [];
      const code = `${example.replace('http://localhost:1337', base)}\nexport { client, created, names, wrong };\n`;
      writeFileSync(path.join(folder, 'smoke.ts'), code);
      symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
      writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
      expect(compile(folder)).toBe('');
      const { created, names, wrong } = (await import(path.join(folder, 'smoke.ts'))) as Answered;
      expect(names).toHaveLength(2);
      expect(created.data.data).toMatchObject({ name: 'Sea food', rank: 3 });
      expect(wrong.error.error).toMatchObject({ status: 400, name: 'ValidationError' });
    });

    it('does not compile with what the API does not have', () => {
      const code = readFileSync(path.join(folder, 'smoke.ts'), 'utf8');
      const changes = [
        ['sort: ["name:asc"]', 'sort: [["name"]]'],
        ['stars: { $gte: 1 }', 'stars: { $greater: 1 }'],
        ['name: "Sea food", rank: 3', 'nmae: "Sea food", rank: 3'],
      ] as const;
      const wrong = changes.map(([right, mistake], index) => {
        expect(code).toContain(right);
        writeFileSync(path.join(folder, `wrong${index}.ts`), code.replace(right, mistake));
        return `wrong${index}.ts`;
      });
      // Its declarations have been checked.
      const quick = { compilerOptions: { ...STRICT.compilerOptions, skipLibCheck: true } };
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ ...quick, files: wrong }));
      const problems = compile(folder);
      for (const file of wrong) expect(problems).toContain(`${file}(`);
    });
  });

  describe('the page at /docs', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());

    /** Whoever shows a page beside other tests may take long. */
    const newPage = async (): Promise<Page> => {
      const page = await browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      return page;
    };

    it('shows the API under a strict policy, all from the server itself', async () => {
      const page = await newPage();
      const [problems, requests]: [string[], string[]] = [[], []];
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('request', (request) => requests.push(request.url()));
      await page.goto(`${base}/docs/`);
      await page.locator('#operations-tag-Restaurant').click();
      await page.getByText('List Restaurants', { exact: true }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/docs');
      await page.getByText('List Restaurants', { exact: true }).click();
      await page.getByRole('button', { name: 'Try it out' }).click();
      await page.getByRole('button', { name: 'Execute' }).click();
      await page.getByText('Server response').waitFor();
      await page.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
      expect(problems).toEqual([]);
      expect(requests.filter((url) => !url.startsWith(base) && !url.startsWith('data:'))).toEqual([]);
      const { headers } = await get('/docs');
      expect(String(headers['content-security-policy'])).not.toMatch(/unsafe|\*|https?:/);
      await page.close();
    });

    it('loads the description anew with a token that is entered', async () => {
      const { tokens } = await sheaf.auth();
      const key = await tokens.create({ name: 'docs', type: 'full-access', description: '', actions: [], days: null });
      const page = await newPage();
      const asked: (string | undefined)[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('openapi.json')) asked.push(request.headers().authorization);
      });
      await page.goto(`${base}/docs`);
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.locator('.auth-container input').first().fill(key);
      await page
        .locator('.auth-container')
        .first()
        .getByRole('button', { name: /Apply|Authorize/ })
        .click();
      await expect.poll(() => asked).toEqual([undefined, `Bearer ${key}`]);
      await page.close();
    });

    it('serves the files of the page alone', async () => {
      const answers = await Promise.all(
        ['/docs/page.js', '/docs/package.json', '/docs/..%2fmain.js'].map(async (url) => (await get(url)).statusCode),
      );
      expect(answers).toEqual([200, 404, 404]);
      const { headers } = await get('/docs/page.js');
      expect((await get('/docs/page.js', { 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
    });
  });
});

/** What the compiler says; nothing where there is nothing to say. */
function compile(folder: string): string {
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder });
  return String(stdout);
}

const STRICT = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    skipLibCheck: false,
  },
  files: ['smoke.ts'],
};

describe('names of schemas', () => {
  it('follow from uids, and never meet', () => {
    const { contentTypes } = loadModel(GUIDE);
    expect(schemaNames(loadModel(GUIDE)).get('api::restaurant.restaurant')).toBe('Restaurant');
    const names = schemaNames({
      ...modelOf({ types: {} }),
      contentTypes: new Map(
        ['api::menu.menu', 'api::menu.dish', 'api::menu-dish.menu-dish', 'plugin::upload.file'].map((uid) => [
          uid,
          contentTypes.get('api::dish.dish')!,
        ]),
      ),
      components: new Map(),
    });
    expect([...names].sort()).toEqual([
      ['api::menu-dish.menu-dish', 'MenuDish'],
      ['api::menu.dish', 'MenuDish2'],
      ['api::menu.menu', 'Menu'],
      ['plugin::upload.file', 'UploadFile'],
    ]);
  });
});

describe('JSON Schemas of types', () => {
  const model = loadModel(GUIDE);
  const project = { model, settings: DEFAULT_SETTINGS, access: systemAccess(model) };
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });

  it('are complete in themselves, for every type and component', () => {
    const uids = describedTypes(project);
    expect(uids).toContain('shared.link');
    for (const uid of uids)
      for (const schema of Object.values(typeSchemas(project, uid)!)) {
        const names = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!);
        expect(new Set(names)).toEqual(new Set(Object.keys(schema.$defs as object).map((name) => `#/$defs/${name}`)));
      }
    expect(typeSchemas(project, 'api::nothing.nothing')).toBeNull();
  });

  it('take what bodies may hold, with relations in every form, and refuse what is wrong', () => {
    const isValid = ajv.compile(typeSchemas(project, 'api::restaurant.restaurant')!.create!);
    const id = 'a'.repeat(24);
    const relations: unknown[] = [
      null,
      1,
      id,
      [id, 2],
      { documentId: id, locale: 'fr', status: 'draft' },
      { set: [id, { id: 3 }] },
      {
        connect: [
          { documentId: id, position: { before: id } },
          { id: 1, position: { end: true } },
        ],
      },
      { connect: id, disconnect: [{ documentId: id, status: 'published' }], options: { strict: false } },
    ];
    for (const categories of relations)
      expect([categories, isValid({ name: 'Alba', categories })]).toEqual([categories, true]);
    const wrong: unknown[] = [
      true,
      { set: [id], connect: [id] },
      { connect: [{ documentId: id, position: { before: id, end: true } }] },
      { connect: [{ documentId: id, position: {} }] },
      { documentId: '' },
    ];
    for (const categories of wrong)
      expect([categories, isValid({ name: 'Alba', categories })]).toEqual([categories, false]);
    expect(isValid({})).toBe(false);
    expect(isValid({ name: null })).toBe(false);
    expect(isValid({ name: 'Alba', stars: 6 })).toBe(false);
    expect(isValid({ name: 'Alba', cuisine: 'none' })).toBe(false);
    expect(isValid({ name: 'Alba', nmae: 'Alba' })).toBe(false);
    expect(isValid({ name: 'Alba', internalNote: 'x', doorCode: 'y' })).toBe(true);
    expect(isValid({ name: 'Alba', blocks: [{ __component: 'shared.link', label: 'x' }] })).toBe(true);
    expect(isValid({ name: 'Alba', blocks: [{ __component: 'shared.link', text: 'x' }] })).toBe(false);
    expect(isValid({ name: 'Alba', blocks: [{ label: 'x' }] })).toBe(false);
  });
});

describe('the command line', () => {
  const run = useCommands();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('writes the document and the schemas, without a database, and the same each time', async () => {
    const file = path.join(folder, 'openapi.json');
    const written = await run(['openapi', '--project', GUIDE, '--out', file]);
    expect(written).toMatchObject({ code: 0, out: `Wrote ${file}\n` });
    const { out } = await run(['openapi', '--project', GUIDE]);
    expect(out).toBe(readFileSync(file, 'utf8'));
    expect(await validator.validate(JSON.parse(out))).toEqual({ valid: true });
    const schemas = path.join(folder, 'schemas');
    mkdirSync(schemas);
    expect(await run(['schema', 'json', '--project', GUIDE, '--out', schemas])).toMatchObject({ code: 0 });
    expect(readdirSync(schemas)).toContain('api.restaurant.restaurant.create.json');
    const unknown = await run(['schema', 'json', 'api::nothing.nothing', '--project', GUIDE]);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toMatch(/There is no type "api::nothing.nothing"/);
  });
});
