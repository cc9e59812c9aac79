// Files at paths of their own: those of the project's public folder, its icon, and what stands at the root.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Content, type Json, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';

const TYPES = { note: { attributes: { title: { type: 'string' } } } };
const ROBOTS = 'User-agent: *\nDisallow: /\n';

describeOnSqlite('Files of a project', (engine) => {
  const contents = useContents(engine);

  const opened = (files: Readonly<Record<string, string>>, settings: Json = {}): Promise<Content> => {
    const folder = contents.project({ types: TYPES, settings });
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    return contents.open(folder);
  };
  const statuses = (content: Content, urls: readonly string[]): Promise<(readonly [string, number])[]> =>
    Promise.all(urls.map(async (url) => [url, (await content.sendTo('GET', url)).status] as const));
  const refused = (urls: readonly string[]): (readonly [string, number])[] => urls.map((url) => [url, 404] as const);

  it('are served from its public folder, as they are, for a minute', async () => {
    const content = await opened({
      'public/robots.txt': ROBOTS,
      'public/help/index.html': '<p>Help</p>',
      'public/help/large picture.svg': '<svg/>',
      'public/help/app.js': 'alert(1)',
    });
    const robots = await content.sendTo('GET', '/robots.txt');
    expect(robots).toMatchObject({
      status: 200,
      body: ROBOTS,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'public, max-age=60',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
      },
    });
    const known = { 'if-none-match': String(robots.headers.etag) };
    expect((await content.sendTo('GET', '/robots.txt', { headers: known })).status).toBe(304);
    expect(await content.sendTo('HEAD', '/robots.txt?v=2')).toMatchObject({
      status: 200,
      headers: { 'content-length': `${ROBOTS.length}` },
    });
    for (const [url, type] of [
      ['/help', 'text/html; charset=utf-8'],
      ['/help/', 'text/html; charset=utf-8'],
      ['/help/large%20picture.svg', 'image/svg+xml'],
      ['/help/app.js', 'application/javascript; charset=utf-8'],
    ])
      expect(await content.sendTo('GET', url!)).toMatchObject({ status: 200, headers: { 'content-type': type } });
    const page = await content.sendTo('GET', '/help');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect((await content.sendTo('POST', '/robots.txt')).status).toBe(404);
  });

  it('are no other files of its folder, and no uploads', async () => {
    const content = await opened({
      'public/robots.txt': ROBOTS,
      'public/.env': 'SECRET=1',
      'public/.git/config': 'x',
      'public/uploads/page.html': '<script>alert(1)</script>',
      'public/uploads/index.html': 'x',
      'public/api/notes.json': '[]',
      '.env': 'SECRET=1',
      'config/secret.txt': 'x',
    });
    const folder = content.sheaf.project;
    symlinkSync(path.join(folder, 'config'), path.join(folder, 'public', 'out'));
    symlinkSync(path.join(folder, 'public', 'uploads'), path.join(folder, 'public', 'in'));
    const urls = [
      '/.env',
      '/.git/config',
      '/../config/secret.txt',
      '/%2e%2e/config/secret.txt',
      '/..%2fconfig%2fsecret.txt',
      '/out/secret.txt',
      '/in/page.html',
      '/in',
      '/uploads',
      '/uploads/',
      '/uploads%2fpage.html',
      '//uploads/page.html',
      '/robots.txt%00',
      '/robots.txt%5c',
      '/%E0%A4%A',
      '/api/notes.json',
      '/none.txt',
      '/robots.txt/more',
      `/${'a'.repeat(300)}`,
    ];
    expect(await statuses(content, urls)).toEqual(urls.map((url) => [url, url === '/%E0%A4%A' ? 400 : 404]));
    const upload = await content.sendTo('GET', '/uploads/page.html');
    expect(upload.headers['content-security-policy']).toContain('sandbox');
    expect((await content.sendTo('GET', '/UPLOADS/page.html')).headers['content-disposition']).toBe('attachment');
  });

  it('are those of the folder that the settings name, or none', async () => {
    const files = { 'public/a.txt': 'a', 'static/b.txt': 'b', 'static/uploads/c.txt': 'c' };
    const elsewhere = await opened({ ...files, 'config/server.json': '{"dirs": {"public": "./static/"}}' });
    expect(await statuses(elsewhere, ['/a.txt', '/b.txt', '/uploads/c.txt'])).toEqual([
      ['/a.txt', 404],
      ['/b.txt', 200],
      ['/uploads/c.txt', 200],
    ]);
    const all = await opened(files, { server: { publicFolder: '.' } });
    expect(await statuses(all, ['/config/sheaf.json', '/public/a.txt'])).toEqual(
      refused(['/config/sheaf.json', '/public/a.txt']),
    );
    const none = await opened(files, { server: { publicFolder: null } });
    expect(await statuses(none, ['/a.txt', '/b.txt'])).toEqual(refused(['/a.txt', '/b.txt']));
  });

  it('have an icon beside them, as Strapi 5 has it', async () => {
    const content = await opened({ 'favicon.png': 'png', 'favicon.ico': 'ico', 'other.png': 'x' });
    expect(await content.sendTo('GET', '/favicon.ico')).toMatchObject({
      status: 200,
      body: 'png',
      headers: { 'content-type': 'image/png' },
    });
    expect(await statuses(content, ['/favicon.png', '/other.png'])).toEqual(refused(['/favicon.png', '/other.png']));
    const publicOne = await opened({ 'public/favicon.ico': 'public' });
    expect((await publicOne.sendTo('GET', '/favicon.ico')).body).toBe('public');
  });

  it('need not be there: the root says that there is a server, unless a page of the project does', async () => {
    const content = await opened({});
    expect(await content.sendTo('GET', '/')).toMatchObject({
      status: 200,
      body: { message: 'This is a content API. Its entries are below /api/.' },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect((await content.sendTo('HEAD', '/')).status).toBe(200);
    expect((await content.sendTo('GET', '/robots.txt')).body.error).toMatchObject({
      status: 404,
      name: 'NotFoundError',
    });
    const other = await opened({ 'public/index.html': '<p>Welcome</p>' }, { rest: { prefix: '/content' } });
    expect(await other.sendTo('GET', '/?code=1')).toMatchObject({ status: 200, body: '<p>Welcome</p>' });
  });
});
