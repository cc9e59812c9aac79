import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Settings } from '../../project/settings.ts';
import type { StrapiConfig } from '../../project/strapi-config.ts';
import { projectConfig } from './project-config.ts';

const configOf = (server: object, environment = 'production', project = '/nowhere') =>
  projectConfig({
    project,
    environment,
    files: { value: (name: string) => (name === 'server' ? server : undefined) } as unknown as StrapiConfig,
    settings: { rest: { prefix: '/api' }, auth: { accessTokenSeconds: 60 } } as unknown as Settings,
    jwtSecret: 'secret',
  });

it.each([
  [{}, 'production', '', 'http://0.0.0.0:1337'],
  [{}, 'development', '', 'http://localhost:1337'],
  [{ host: '::1', port: 80 }, 'production', '', 'http://[::1]:80'],
  [{ url: 'cms/' }, 'development', '/cms', 'http://localhost:1337/cms'],
  [{ url: 'https://example.org/cms/' }, 'production', 'https://example.org/cms', 'https://example.org/cms'],
])('tells where a server with %o in %s is found', (server, environment, url, absoluteUrl) => {
  const config = configOf(server, environment);
  expect([config.get('server.url'), config.get('server.absoluteUrl')]).toEqual([url, absoluteUrl]);
});

it('tells how long tokens of users last, and that no proxy is believed', () => {
  const config = configOf({});
  expect(config.get('plugin::users-permissions.jwt.expiresIn')).toBe(60);
  expect(config.get('server.proxy')).toBe(false);
});

it('tells what the package of the project says, and which Strapi it was written for', () => {
  const project = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const content = { name: 'shop', version: '1.2.3', dependencies: { '@strapi/strapi': '^5.20.0' } };
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(content));
  const config = configOf({}, 'production', project);
  expect(config.info).toEqual({ ...content, strapi: '5.20.0' });
  expect([config.get('info.version'), config.get('info.strapi')]).toEqual(['1.2.3', '5.20.0']);
  expect(configOf({}).info).toEqual({ strapi: null });
});
