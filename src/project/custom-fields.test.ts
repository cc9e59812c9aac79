// Custom fields that the code of a project registers, in the forms that plugins have.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registeredCustomFields } from './custom-fields.ts';

let folder: string;
let projects = 0;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-fields-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What is found of a field in a project with these files. */
async function typeOf(uid: string, files: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const project = path.join(folder, String(++projects));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return (await registeredCustomFields(project, new Set([uid]))).get(uid);
}

it.each([
  ['by a call', `strapi.customFields.register({ name: 'map', plugin: 'geo', type: 'json' });`],
  ['by a call on what may be missing', `strapi?.customFields?.register({ name: 'map', plugin: 'geo', type: 'json' });`],
  ['with keys in quotes', `strapi.customFields.register({ 'name': "map", "plugin": 'geo', 'type': \`json\` });`],
  [
    'in a list',
    `strapi.customFields.register([{ name: 'pin', plugin: 'geo', type: 'string' }, { name: 'map', plugin: 'geo', type: 'json' }]);`,
  ],
  [
    'with constants',
    `const plugin = 'geo'; const field = { name: 'map', plugin, type: 'json' }; strapi.customFields.register(field);`,
  ],
  [
    'with an imported name of its plugin',
    `import { pluginId } from './id'; strapi.customFields.register({ name: 'map', plugin: pluginId, type: 'json' });`,
  ],
  [
    'from a variable of its own',
    `export default ({ strapi: { customFields } }) => { customFields.register({ name: 'map', plugin: 'geo', type: 'json' }); };`,
  ],
  [
    'in TypeScript',
    `export default ({ strapi }: { strapi: any }) => { strapi.customFields.register({ name: 'map', plugin: 'geo', type: 'json' as const } satisfies object); };`,
  ],
])('finds a field of a local plugin that is registered %s', async (_how, code) => {
  expect(await typeOf('plugin::geo.map', { 'src/plugins/geo/server/register.ts': code })).toBe('json');
});

it('knows a local plugin by the name in its package', async () => {
  const files = {
    'src/plugins/strapi-geo/package.json': { strapi: { name: 'geo' } },
    'src/plugins/strapi-geo/server/index.js': `const id = require('./id'); module.exports = { register({ strapi }) { strapi.customFields.register({ name: 'map', plugin: id, type: 'json' }); } };`,
  };
  expect(await typeOf('plugin::geo.map', files)).toBe('json');
  expect(await typeOf('plugin::strapi-geo.map', files)).toBeUndefined();
});

it('finds fields of the project itself', async () => {
  const code = `export default { register({ strapi }) { strapi.customFields.register({ name: 'rating', type: 'integer' }); } };`;
  expect(await typeOf('global::rating', { 'src/index.ts': code })).toBe('integer');
});

it('looks into packages that the project depends on, as they are built', async () => {
  const bundle = `"use strict"; const register = ({ strapi: strapi2 }) => { strapi2.customFields.register({ name: "color", plugin: "color-picker", type: "string" }); }; module.exports = { register };`;
  const files = {
    'package.json': { dependencies: { '@strapi/plugin-color-picker': '5', express: '4' } },
    'node_modules/@strapi/plugin-color-picker/package.json': { strapi: { kind: 'plugin', name: 'color-picker' } },
    'node_modules/@strapi/plugin-color-picker/dist/server/index.js': bundle,
    'node_modules/express/package.json': { name: 'express' },
  };
  expect(await typeOf('plugin::color-picker.color', files)).toBe('string');
  expect(await typeOf('plugin::color-picker.colour', files)).toBeUndefined();
  expect(await typeOf('plugin::color-picker.color', { ...files, 'package.json': {} })).toBeUndefined();
});

it('passes over what it cannot read: broken code, computed names, the code of forms', async () => {
  const call = `strapi.customFields.register({ name: 'map', plugin: 'geo', type: 'json' });`;
  expect(await typeOf('plugin::geo.map', { 'src/plugins/geo/server/broken.js': `${call} const = ;` })).toBeUndefined();
  expect(await typeOf('plugin::geo.map', { 'src/plugins/geo/admin/src/index.js': call })).toBeUndefined();
  const computed = `strapi.customFields.register({ name: ['map'].join(), plugin: 'geo', type: 'json' });`;
  expect(await typeOf('plugin::geo.map', { 'src/plugins/geo/server/index.js': computed })).toBeUndefined();
  expect(await typeOf('plugin::geo.map', {})).toBeUndefined();
});
