// What the settings of files change: where they are, how they are served, what is taken, what is made of pictures, and
// who may replace them. One project has all of them.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer } from '../src/http/server.ts';
import { png } from './conformance/upload-checks.mjs';
import { type Answered, type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';
import { type Guarded, useGuarded } from './support/guarded.ts';
import { multipart } from './support/uploads.ts';

const PROJECT: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
const FILES = {
  folder: 'media/files',
  active: 'attachment',
  pdf: 'attachment',
  cacheControl: 'max-age=7',
  allowedTypes: ['image/*', 'text/plain', 'application/pdf'],
  breakpoints: { wide: 400 },
  uploadReplaces: true,
};

describeOnSqlite('Settings of files', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let app: ReturnType<typeof createServer>;

  beforeAll(async () => {
    site = await guarded.open(PROJECT, { settings: { files: FILES } });
    app = createServer(site.sheaf);
  });
  afterAll(() => app.close());

  const put = async (name: string, content: Buffer | string): Promise<Answered> =>
    (await site.sheaf.files.upload({ name, content: Buffer.from(content) }))[0];
  const stored = (): string[] => readdirSync(site.sheaf.files.folder).filter((name) => !name.startsWith('.'));

  it('say where files are, and how they are served', async () => {
    const { folder } = site.sheaf.files;
    expect(folder).toMatch(/\/media\/files$/);
    const served = async (url: string) => {
      const { statusCode, headers } = await app.inject({ url });
      return [statusCode, headers['content-disposition'] ?? null, headers['cache-control']];
    };
    const svg = await put('a.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
    const pdf = await put('a.pdf', '%PDF-1.4\n%%EOF');
    const text = await put('a.txt', 'text');
    expect(stored()).toContain(path.basename(text.url));
    expect(await served(svg.url)).toEqual([200, 'attachment', 'max-age=7']);
    expect(await served(pdf.url)).toEqual([200, 'attachment', 'max-age=7']);
    expect(await served(text.url)).toEqual([200, null, 'max-age=7']);
    const outside = contents.folder();
    writeFileSync(path.join(outside, 'secret.txt'), 'secret');
    symlinkSync(path.join(outside, 'secret.txt'), path.join(folder, 'link.txt'));
    symlinkSync(outside, path.join(folder, 'linked'));
    mkdirSync(path.join(folder, 'below'));
    writeFileSync(path.join(folder, '.hidden'), 'hidden');
    for (const name of ['link.txt', 'linked/secret.txt', 'below', 'below/', '.hidden', '.sheaf-incoming/'])
      expect((await app.inject({ url: `/uploads/${name}` })).statusCode, name).toBe(404);
  });

  it('say which types are taken', async () => {
    const before = stored();
    for (const [name, content, message] of [
      ['a.zip', Buffer.from('PK\x03\x04', 'latin1'), /application\/zip.*not allowed/],
      ['a.txt', Buffer.from('PK\x03\x04', 'latin1'), /not allowed/],
      ['a.html', '<p>', /text\/html.*not allowed/],
      ['a.json', '{}', /application\/json.*not allowed/],
    ] as const)
      await expect(put(name, content), name).rejects.toMatchObject({
        status: 400,
        message: expect.stringMatching(message),
      });
    expect(stored()).toEqual(before);
  });

  it('say which formats a picture has; what the administration of Strapi set holds as well', async () => {
    const noise = png(500, 40, (x, y) => [(x * 7919 + y * 104729) & 255, (x * y) & 255, (x ^ y) & 255]);
    const formats = async (): Promise<readonly string[]> => Object.keys((await put('a.png', noise)).formats).toSorted();
    expect(await formats()).toEqual(['thumbnail', 'wide']);
    const value = JSON.stringify({ sizeOptimization: false, responsiveDimensions: false, autoOrientation: false });
    await site.sheaf.database.transaction(async (session) => {
      const key = 'plugin_upload_settings';
      for (const sql of [
        `delete from strapi_core_store_settings where key = '${key}'`,
        `insert into strapi_core_store_settings (key, value, type) values ('${key}', '${value}', 'object')`,
      ])
        await session.rows({ sql, bindings: [] }, []);
    });
    expect(await formats()).toEqual(['thumbnail']);
    const opened = await site.sheaf.files.open((await put('same.png', noise)).id);
    expect(Buffer.concat(await opened!.stream.toArray()).equals(noise)).toBe(true);
  });

  it('say whether who may upload may replace as well', async () => {
    const file = await put('old.txt', 'old');
    const actions = ['upload', 'findOne'].map((name) => `plugin::upload.content-api.${name}`);
    const uploader = await site.token('custom', actions);
    const { payload, headers } = await multipart([['files', 'new', 'new.txt', 'text/plain']]);
    const replaced = await site.sendRaw('POST', `upload?id=${file.id}`, payload, { ...headers, ...uploader });
    expect([replaced.status, replaced.body.name, replaced.body.url]).toEqual([200, 'new.txt', file.url]);
    const changed = await site.send('POST', `upload?id=${file.id}`, { fileInfo: { caption: 'by JSON' } }, uploader);
    expect([changed.status, changed.body.caption]).toEqual([200, 'by JSON']);
  });

  it('leave nothing behind where bytes cannot be stored', async () => {
    const { files } = site.sheaf;
    const [before, count] = [stored(), (await files.find()).length];
    const { put: original } = files.storage;
    let puts = 0;
    files.storage.put = async (key, file, mime) => {
      if (++puts === 2) throw new Error('the disk is full');
      return original.call(files.storage, key, file, mime);
    };
    await expect(put('a.png', png(300, 20))).rejects.toThrow('the disk is full');
    files.storage.put = original;
    expect([stored(), (await files.find()).length, readdirSync(files.storage.incoming)]).toEqual([before, count, []]);
  });
});
