import { expect, it } from 'vitest';
import { strapiPlugins } from './strapi-object.ts';

type Service = Record<string, (...values: unknown[]) => unknown>;

const { plugin, plugins } = strapiPlugins(
  { upload: { upload: { upload: () => 'stored' } } },
  { contentType: (uid) => ({ uid }), controller: () => undefined, controllersOf: () => [], config: () => undefined },
);
const service = (name: string): Service => plugin('upload')!.service(name) as Service;

it('tells of services and members that are not offered where they are used, not where they are named', () => {
  expect(service('upload').upload!()).toBe('stored');
  expect(() => service('upload').findPage!()).toThrow(
    "strapi.plugin('upload').service('upload').findPage is not offered",
  );
  const files = service('file');
  expect(() => files.deleteByIds!([1])).toThrow("strapi.plugin('upload').service('file') is not offered; see what");
  expect(() => plugins['content-manager']!.service('uid')).toThrow("strapi.plugin('content-manager') is not offered");
});

it('has nothing of what Strapi has not', () => {
  expect(service('nothing')).toBeUndefined();
  expect(service('upload').nothing).toBeUndefined();
  expect(plugin('graphql')).toBeUndefined();
  expect(Object.keys(plugins)).toEqual(['upload']);
  expect(Object.keys(plugin('upload')!.services)).toEqual(['upload']);
});

it('knows the content-types of a plugin', () => {
  expect(plugin('upload')!.contentType('file')).toEqual({ uid: 'plugin::upload.file' });
});
