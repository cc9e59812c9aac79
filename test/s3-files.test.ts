// Files in a bucket: everything that clients rely on, against a server that speaks the protocol of S3; and private files,
// which are shown by signed URLs wherever they are shown.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
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
import { describeOnSqlite, GUIDE } from './support/database.ts';

const BUCKET = 'sheaf-files';
const KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
/** Of what is about the folder of files that a server has itself. */
const OF_THE_FOLDER = /^(?:serve|methods) ›/;

describeOnSqlite('Files in S3', (engine) => {
  const contents = useContents(engine);
  const closing: (() => Promise<unknown>)[] = [];
  let endpoint: string;
  let s3: S3rver;

  const options = () => ({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: contents.folder(),
    resetOnClose: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
  });

  beforeAll(async () => {
    s3 = new S3rver(options());
    endpoint = `http://127.0.0.1:${(await s3.run()).port}`;
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    await s3.close();
  });

  async function serve(more: object): Promise<{ sheaf: Sheaf; base: string }> {
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
    return { sheaf, base: await app.listen({ host: '127.0.0.1', port: 0 }) };
  }

  describe('that are public', () => {
    let checked: Checked;
    let sheaf: Sheaf;
    beforeAll(async () => {
      const served = await serve({ prefix: 'media/' });
      sheaf = served.sheaf;
      checked = against({ base: served.base, provider: 'aws-s3', uploads: `${endpoint}/${BUCKET}/media/` });
    });
    afterAll(() => checked.clean());

    for (const { name, run } of checks) if (!OF_THE_FOLDER.test(name)) it(name, () => run(checked));

    it('are saved, not shown, where they can hold scripts, whatever the origin of the bucket', async () => {
      const [file] = await sheaf.files.upload({ name: 'page.html', content: Buffer.from('<script></script>') });
      const answer = await fetch(file!.url as string);
      expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment']);
      await sheaf.files.delete(file!.id);
      expect((await fetch(file!.url as string)).status).toBe(404);
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

    it('cannot be opened by a URL that has expired', async () => {
      const settings = { bucket: BUCKET, endpoint, pathStyle: true, ...KEYS, private: true, signedUrlSeconds: 1 };
      const storage = await openStorage(completeSettings({ files: { s3: settings } }).files, '/nowhere', '/nowhere');
      const expired = await storage.signedUrl(`${file.hash}.png`);
      storage.close();
      expect((await fetch(expired)).status).toBe(200);
      const status = async (): Promise<number> => (await fetch(expired)).status;
      await expect.poll(status, { timeout: 10_000, interval: 200 }).toBe(403);
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

  it('are listed as they are stored, those of the prefix alone', async () => {
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

  it('are not stored where the client is not told where: a bucket is needed', async () => {
    expect(() => completeSettings({ files: { s3: {} } })).toThrow();
    const { files } = completeSettings({ files: { s3: { bucket: 'a', baseUrl: 'https://cdn.example.com/' } } });
    const storage = await openStorage(files, '/nowhere', '/nowhere');
    expect(storage.url('x.png')).toBe('https://cdn.example.com/x.png');
    expect(storage.keyOf('https://other.example.com/x.png')).toBeNull();
    storage.close();
  });
});
