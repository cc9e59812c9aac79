// Files in a bucket: everything that clients rely on, against a server that speaks the protocol of S3; and private files,
// which are shown by signed URLs wherever they are shown.
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { openStorage } from '../src/files/open-storage.ts';
import { createServer } from '../src/http/server.ts';
import { completeSettings } from '../src/project/settings.ts';
import { against, type Checked, checks, png } from './conformance/upload-checks.mjs';
import { openToAll } from './support/access.ts';
import { type Answered, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite, GUIDE } from './support/database.ts';
import { editorWith, grantsOf, IS_CREATOR } from './support/editors.ts';
import { isAsked } from './support/scale.ts';

const BUCKET = 'sheaf-files';
const KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

const options = () => ({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: mkdtempSync(path.join(os.tmpdir(), 'sheaf-s3-')),
  resetOnClose: true,
  vhostBuckets: false,
  configureBuckets: [{ name: BUCKET }],
});

const s3 = new S3rver(options());
let endpoint: string;
beforeAll(async () => {
  endpoint = `http://127.0.0.1:${(await s3.run()).port}`;
});
afterAll(() => s3.close());

describeOnEveryDatabase('Files in S3', (engine) => {
  const contents = useContents(engine);
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  async function serve(more: object): Promise<{ sheaf: Sheaf; base: string; project: string }> {
    const project = contents.folder();
    cpSync(GUIDE, project, { recursive: true, filter: (file) => path.basename(file) !== '.sheaf' });
    const settings = { bucket: BUCKET, endpoint, pathStyle: true, ...KEYS, ...more };
    mkdirSync(path.join(project, 'config'), { recursive: true });
    writeFileSync(path.join(project, 'config', 'sheaf.json'), JSON.stringify({ files: { s3: settings } }));
    const sheaf = await open({ project, database: engine.guideDatabaseUrl() });
    await openToAll(sheaf);
    const app = createServer(sheaf);
    closing.push(async () => {
      await app.close();
      await sheaf.close();
    });
    return { sheaf, project, base: await app.listen({ host: '127.0.0.1', port: 0 }) };
  }

  describe('that are public', () => {
    let checked: Checked;
    let served: Awaited<ReturnType<typeof serve>>;
    beforeAll(async () => {
      const prefix = `media-${engine.name}/`;
      served = await serve({ prefix });
      const uploads = `${endpoint}/${BUCKET}/${prefix}`;
      checked = against({ base: served.base, provider: 'aws-s3', uploads, isBucket: true });
    });
    afterAll(() => checked.clean());

    // What is stored of files is the same wherever their bytes are: test/upload-conformance.test.ts asks all of it on both
    // databases.
    const asked = checks.filter((_check, index) => engine.name === 'SQLite' || isAsked(0, index, 4));
    for (const { name, run } of asked) it(name, () => run(checked));

    it('are saved, not shown, where they can hold scripts, whatever the origin of the bucket', async () => {
      const { files } = served.sheaf;
      const [file] = await files.upload({ name: 'page.html', content: Buffer.from('<script></script>') });
      const answer = await fetch(file!.url as string);
      expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment']);
      await files.delete(file!.id);
      expect((await fetch(file!.url as string)).status).toBe(404);
    });

    it('leave those in the folder that were stored before, which are served as ever', async () => {
      const folder = path.join(served.project, 'public', 'uploads');
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'older.txt'), 'older');
      expect(await (await fetch(`${served.base}/uploads/older.txt`)).text()).toBe('older');
    });
  });

  describe('that are private', () => {
    let served: Awaited<ReturnType<typeof serve>>;
    let file: Answered;
    let restaurant: Answered;
    beforeAll(async () => {
      served = await serve({ private: true, acl: 'private' });
      const name = 'private.png';
      restaurant = await served.sheaf.documents('api::restaurant.restaurant').create({ data: { name: 'Signed' } });
      const link = { ref: 'api::restaurant.restaurant', refId: restaurant.id, field: 'cover' };
      [file] = await served.sheaf.files.upload({ name, content: png(300, 20) }, { link });
    });

    const isSigned = (url: unknown): boolean => /[?&]X-Amz-Signature=[0-9a-f]{64}/.test(String(url));
    const get = async (target: string): Promise<Answered> => (await fetch(`${served.base}/api/${target}`)).json();

    it('are shown by signed URLs in every answer, whatever its fields', async () => {
      const shown: Answered[] = [
        file,
        await get(`upload/files/${file.id}`),
        (await get(`upload/files?filters[id]=${file.id}&fields=url`))[0],
        (await get(`upload/files/page?filters[id]=${file.id}`)).data[0],
        (await get(`restaurants/${restaurant.documentId}?populate=cover`)).data.cover,
        (await get(`restaurants/${restaurant.documentId}?populate[cover][fields]=url`)).data.cover,
        (await get(`restaurants?filters[name]=Signed&populate=*`)).data[0].cover,
        (
          await served.sheaf.documents('api::restaurant.restaurant').findMany({
            filters: { name: 'Signed' },
            populate: 'cover',
          })
        )[0]!.cover,
      ];
      for (const one of shown) {
        expect([isSigned(one.url), one.isUrlSigned]).toEqual([true, true]);
        if (one.formats) expect(isSigned(one.formats.thumbnail.url)).toBe(true);
      }
      expect((await fetch(shown[1].url)).status).toBe(200);
      expect((await fetch(shown[1].formats.thumbnail.url)).status).toBe(200);
      const row = await served.sheaf.database.snapshot((session) =>
        session.rows({ sql: `select url from files where id = ${file.id}`, bindings: [] }, []),
      );
      expect(row).toEqual([[`${endpoint}/${BUCKET}/${file.hash}.png`]]);
    });

    it('are signed in pages of populated lists, and counts of them stay counts', async () => {
      const path = `restaurants/${restaurant.documentId}`;
      await served.sheaf
        .documents('api::restaurant.restaurant')
        .update({ documentId: restaurant.documentId, data: { gallery: [file.id] } });
      const { gallery } = (await get(`${path}?populate[gallery][pagination][withCount]=true`)).data;
      expect(gallery.meta.pagination.total).toBe(1);
      expect([isSigned(gallery.data[0].url), gallery.data[0].isUrlSigned]).toEqual([true, true]);
      expect(Object.keys(gallery)).toEqual(['data', 'meta']);
      expect((await get(`${path}?populate[gallery][count]=true`)).data.gallery).toEqual({ count: 1 });
    });

    it('are changed, replaced and deleted by who may do that and not read them', async () => {
      const { files, model } = served.sheaf;
      const any = ['plugin::upload.assets.create', 'plugin::upload.assets.update'].map((action) => ({ action }));
      const own = { action: 'plugin::upload.read', conditions: [IS_CREATOR] };
      const { accounts } = await served.sheaf.console();
      const [role] = await accounts.ensuredRoles();
      const { account } = await accounts.create({ email: 'ed@example.com', roles: [role!.id] }, null);
      const caller = editorWith(model, grantsOf([...any, own]), account.id);
      const [other] = await files.upload({ name: 'other.png', content: png(20, 20) });
      const unseen = { isUrlSigned: false };
      expect(await files.update(other!.id, { name: 'named.png' }, { caller })).toEqual(unseen);
      expect(await files.replace(other!.id, { name: 'new.png', content: png(30, 20) }, { caller })).toEqual(unseen);
      expect(await files.findOne(other!.id)).toMatchObject({ name: 'new.png', width: 30 });
      expect(await files.delete(other!.id, { caller })).toEqual(unseen);
      expect(await files.storage.get(`${other!.hash}.png`)).toBeNull();
    });

    it('are opened in process without a URL, and deleted with their formats', async () => {
      const opened = await served.sheaf.files.open(file.id, { format: 'thumbnail' });
      const bytes = Buffer.concat(await opened!.stream.toArray());
      expect(bytes.length).toBe(opened!.size);
      await served.sheaf.files.delete(file.id);
      for (const key of [`${file.hash}.png`, `thumbnail_${file.hash}.png`])
        expect(await served.sheaf.files.storage.get(key)).toBeNull();
    });
  });
});

describeOnSqlite('A bucket', (engine) => {
  const contents = useContents(engine);

  it('does not open a file by a signed URL that has expired', async () => {
    const settings = { bucket: BUCKET, endpoint, pathStyle: true, ...KEYS, private: true, signedUrlSeconds: 1 };
    const storage = await openStorage(completeSettings({ files: { s3: settings } }).files, '/nowhere', '/nowhere');
    const file = path.join(contents.folder(), 'expiring.txt');
    writeFileSync(file, 'bytes');
    await storage.put('expiring.txt', file, 'text/plain');
    const expired = await storage.signedUrl('expiring.txt');
    storage.close();
    expect((await fetch(expired)).status).toBe(200);
    const status = async (): Promise<number> => (await fetch(expired)).status;
    await expect.poll(status, { interval: 200 }).toBe(403);
  });

  it('lists what is stored, below the prefix alone', async () => {
    // The server computes another signature for lists than Amazon does, so here it does not compare them.
    const lenient = new S3rver({ ...options(), allowMismatchedSignatures: true });
    const place = { bucket: BUCKET, endpoint: `http://127.0.0.1:${(await lenient.run()).port}`, pathStyle: true };
    const open = (prefix: string) =>
      openStorage(completeSettings({ files: { s3: { ...place, ...KEYS, prefix } } }).files, '/', contents.folder());
    const [inside, outside] = await Promise.all([open('media'), open('')]);
    for (const storage of [inside, outside]) {
      const file = path.join(contents.folder(), 'x.txt');
      writeFileSync(file, 'bytes');
      await storage.put('x.txt', file, 'text/plain');
    }
    const listed = async (storage: typeof inside): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { key } of storage.list()) keys.push(key);
      return keys;
    };
    expect([await listed(inside), await listed(outside)]).toEqual([['x.txt'], ['x.txt']]);
    await inside.delete('x.txt');
    expect([await listed(inside), await listed(outside)]).toEqual([[], ['x.txt']]);
    for (const storage of [inside, outside]) storage.close();
    await lenient.close();
  });

  it('has to be named, and may have a CDN in front', async () => {
    expect(() => completeSettings({ files: { s3: {} } })).toThrow();
    const { files } = completeSettings({ files: { s3: { bucket: 'a', baseUrl: 'https://cdn.example.com/' } } });
    const storage = await openStorage(files, '/nowhere', '/nowhere');
    expect(storage.url('x.png')).toBe('https://cdn.example.com/x.png');
    expect(storage.keyOf('https://other.example.com/x.png')).toBeNull();
    storage.close();
  });
});
