import { expect, it } from 'vitest';
import type { Settings } from '../../project/settings.ts';
import type { StrapiConfig } from '../../project/strapi-config.ts';
import { projectConfig } from './project-config.ts';

const configOf = (server: object, environment = 'production') =>
  projectConfig({
    project: '/nowhere',
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
