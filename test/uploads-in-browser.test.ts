// What was uploaded, opened in a browser that is logged in: it reads no cookie and calls nothing in the name of the user.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { openToAll } from './support/access.ts';
import { launchBrowser } from './support/browser.ts';
import { type Answered, type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';

const PROJECT: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
const COOKIE = 'session=of-the-user';

/** Sends whatever it can find out, and changes what it can. */
const ATTACK = `
  fetch('/api/notes', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ data: { title: 'attacked' } }) });
  new Image().src = '/uploads/stolen?' + encodeURIComponent(document.cookie);
  document.documentElement.setAttribute('data-ran', document.cookie || 'ran');
`;
const HTML = `<!doctype html><body><script>${ATTACK}</script><img src="x" onerror="${ATTACK.replaceAll('"', '&quot;')}"><form method="post" action="/api/notes"><input name="a"></form><script>document.forms[0].submit()</script></body>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="${ATTACK.replaceAll('"', '&quot;').replaceAll('&', '&amp;').replaceAll('&amp;quot;', '&quot;')}"><script><![CDATA[${ATTACK}]]></script></svg>`;
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><body><script><![CDATA[${ATTACK}]]></script></body></html>`;

describeOnSqlite('An upload in a browser', (engine) => {
  const contents = useContents(engine);
  let sheaf: Sheaf;
  let app: ReturnType<typeof createServer>;
  let base: string;
  let browser: Browser;

  beforeAll(async () => {
    sheaf = await open({ project: contents.project(PROJECT), database: engine.bareDatabaseUrl(null) });
    await openToAll(sheaf);
    app = createServer(sheaf);
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app.close();
    await sheaf.close();
  });

  /** A page that is logged in, and the requests that leave it. */
  async function loggedIn(): Promise<{ page: Page; requests: string[] }> {
    const context = await browser.newContext({ acceptDownloads: true });
    const [name, value] = COOKIE.split('=') as [string, string];
    await context.addCookies([{ name, value, url: base }]);
    const page = await context.newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    return { page, requests };
  }

  it('runs where nothing keeps it from it, so that the attack is one', async () => {
    const { page, requests } = await loggedIn();
    await page.route('**/uploads/open.html', (route) => route.fulfill({ contentType: 'text/html', body: HTML }));
    await page.goto(`${base}/uploads/open.html`);
    await expect.poll(() => requests.includes('POST /api/notes')).toBe(true);
    await page.context().close();
    await expect.poll(() => sheaf.documents('api::note.note').count()).toBeGreaterThan(0);
    for (const { documentId } of await sheaf.documents('api::note.note').findMany())
      await sheaf.documents('api::note.note').delete({ documentId });
  });

  it.each([
    ['page.html', 'text/html', HTML],
    ['page.htm', 'text/html', HTML],
    ['page.xhtml', 'application/xhtml+xml', XHTML],
    ['page.xml', 'text/xml', XHTML],
    ['drawing.svg', 'image/svg+xml', SVG],
    ['text.txt', 'text/plain', HTML],
  ])('neither reads a cookie nor calls the API: %s', async (name, mime, content) => {
    const [file] = await sheaf.files.upload({ name, mime, content: Buffer.from(content) });
    const { page, requests } = await loggedIn();
    const url = `${base}${file!.url}`;
    // What is saved ends the navigation.
    await page.goto(url).catch((error: Error) => expect(error.message).toMatch(/Download is starting|ERR_ABORTED/));
    // Inside a page of the same origin, as a frame and as a picture.
    await page.goto(`${base}/_health`).catch(() => undefined);
    await page.route('**/frames.html', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${url}"></iframe><object data="${url}"></object><embed src="${url}"><img src="${url}">`,
      }),
    );
    await page.goto(`${base}/frames.html`, { waitUntil: 'load' });
    const ran = await Promise.all(
      page.frames().map((frame) => frame.evaluate('document.documentElement.dataset.ran').catch(() => undefined)),
    );
    expect(ran.filter((one: Answered) => one !== undefined && one !== null)).toEqual([]);
    expect(requests.filter((one) => one.startsWith('POST') || one.includes('stolen'))).toEqual([]);
    expect(await sheaf.documents('api::note.note').count()).toBe(0);
    await page.context().close();
  });

  it('is no script of the console, which runs those of its own server', async () => {
    mkdirSync(sheaf.files.folder, { recursive: true });
    // As Strapi takes them, or a project that denies no types.
    const names = ['left.js', 'left.mjs', 'left.es'];
    for (const name of names) writeFileSync(path.join(sheaf.files.folder, name), ATTACK);
    const { page } = await loggedIn();
    await page.route('**/uploads/allowed.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: `document.documentElement.dataset.allowed = 'yes'` }),
    );
    await page.goto(`${base}/console`);
    const load = (src: string, type: string): Promise<unknown> =>
      page.evaluate(`new Promise((resolve) => {
        const script = Object.assign(document.createElement('script'), ${JSON.stringify({ src, type })});
        script.onload = () => resolve('loaded');
        script.onerror = () => resolve('refused');
        document.head.append(script);
      })`);
    expect(await load('/uploads/allowed.js', 'text/javascript')).toBe('loaded');
    for (const name of names)
      for (const type of ['text/javascript', 'module']) expect(await load(`/uploads/${name}`, type)).toBe('refused');
    expect(await page.evaluate('document.documentElement.dataset.allowed')).toBe('yes');
    expect(await page.evaluate(`'ran' in document.documentElement.dataset`)).toBe(false);
    await page.context().close();
  });
});
