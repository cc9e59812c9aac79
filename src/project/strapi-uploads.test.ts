// What files of Strapi say of uploads, as our settings.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfiguration } from './configuration.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-uploads-'));
mkdirSync(path.join(folder, 'config'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(upload: object, others: Readonly<Record<string, unknown>> = {}) {
  const files = { plugins: { upload: { config: upload } }, server: {}, middlewares: [], ...others };
  for (const [name, value] of Object.entries(files))
    writeFileSync(path.join(folder, 'config', `${name}.json`), JSON.stringify(value));
  const { settings, notes, sourceOf } = readConfiguration(folder, {});
  return { files: settings.files, notes, sourceOf };
}

describe('the configuration of uploads', () => {
  it('says how large files are, of which types, in which sizes, and where they are', () => {
    const { files, sourceOf } = read(
      {
        sizeLimit: 20_000,
        breakpoints: { wide: 400, huge: 900 },
        security: { allowedTypes: ['image/*'], deniedTypes: ['image/svg+xml'] },
        providerOptions: { localServer: { maxage: 300_000 } },
      },
      { server: { dirs: { public: './static/' } } },
    );
    expect(files).toMatchObject({
      maxBytes: 20_000,
      breakpoints: { wide: 400, huge: 900 },
      allowedTypes: ['image/*'],
      deniedTypes: ['image/svg+xml'],
      cacheControl: 'max-age=300',
      folder: './static/uploads',
      s3: null,
    });
    expect(files.breakpoints).not.toHaveProperty('large');
    expect(sourceOf(['files', 'maxBytes'])).toBe('config/plugins.json');
  });

  it('has two limits of size, of which the lower holds', () => {
    const body = (maxFileSize: number) => ({
      middlewares: [{ name: 'strapi::body', config: { formidable: { maxFileSize } } }],
    });
    expect(read({}).files.maxBytes).toBe(DEFAULT_SETTINGS.files.maxBytes);
    expect(read({ sizeLimit: 900_000_000 }).files.maxBytes).toBe(DEFAULT_SETTINGS.files.maxBytes);
    expect(read({ sizeLimit: 900_000_000 }, body(500_000_000)).files.maxBytes).toBe(500_000_000);
    expect(read({ sizeLimit: 400_000_000 }, body(500_000_000)).files.maxBytes).toBe(400_000_000);
    expect(read({}, body(1_000)).files.maxBytes).toBe(1_000);
  });

  it('names a bucket, as the provider of Strapi is configured now and was before', () => {
    const keys = { accessKeyId: 'id', secretAccessKey: 'secret' };
    const params = { Bucket: 'b', ACL: 'private', signedUrlExpires: 60 };
    const given = { provider: 'aws-s3', providerOptions: { rootPath: 'media', baseUrl: 'https://cdn.example.com' } };
    const s3 = { region: 'eu-west-1', endpoint: 'https://minio.example.com', forcePathStyle: true, params };
    const expected = {
      ...keys,
      bucket: 'b',
      region: 'eu-west-1',
      endpoint: 'https://minio.example.com',
      pathStyle: true,
      acl: 'private',
      private: true,
      signedUrlSeconds: 60,
      prefix: 'media',
      baseUrl: 'https://cdn.example.com',
    };
    const now = { ...given.providerOptions, s3Options: { ...s3, credentials: keys } };
    expect(read({ ...given, providerOptions: now }).files.s3).toEqual(expected);
    const before = { ...given.providerOptions, ...s3, ...keys };
    expect(read({ ...given, providerOptions: before }).files.s3).toEqual(expected);
    const short = { provider: 'aws-s3', providerOptions: { s3Options: { params: { Bucket: 'b' } } } };
    expect(read(short).files.s3).toMatchObject({ acl: 'public-read', private: false });
  });

  it('is noted where it cannot be used', () => {
    expect(read({ provider: 'cloudinary' }).notes).toEqual([
      'config/plugins.json: upload.config.provider cloudinary is not used; files are stored in the folder, or in S3',
    ]);
    expect(read({ provider: 'aws-s3' }).notes).toEqual([expect.stringContaining('files.s3')]);
  });
});
