// What the console may cost whoever opens it: bytes, requests, and the time until it can be used, with 10,000 documents
// in the table.
import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { CONSOLE_API, CONSOLE_PATH } from '../../src/console/contract.ts';
import { useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';
import { expectSoon } from '../support/soon.ts';

const DOCUMENTS = 10_000;
/** Everything that the first view transfers, headers included. */
const MAX_FIRST_VIEW_BYTES = 350_000;
/** From the beginning of the navigation until the entries are shown and the page is free to react. */
const MAX_INTERACTIVE_MS = 1_000;
/**
 * A machine that is busy with other tests takes longer, for whatever it does. So loads that took longer than the limit
 * are compared with those of a page without a script: opening one takes about 100 ms on an idle machine, so that the
 * limit is as long as this many of them.
 */
const EMPTY_LOADS = 10;
/** Of so many loads the middle one counts. */
const LOADS = 5;

const isQuestion = (path: string): boolean => path.startsWith(`${CONSOLE_API}/`);

/** Tells when the page, which shows something by then, is first free to react: by its own clock. */
const WATCH = (selector: string): string => `(() => {
  window.freeAt = null;
  const look = () => {
    if (!document.querySelector(${JSON.stringify(selector)})) requestAnimationFrame(look);
    else requestIdleCallback(() => { window.freeAt = performance.now(); });
  };
  requestAnimationFrame(look);
})()`;

describeOnSqlite('The budget of the console', (engine) => {
  const console = useConsole(engine);
  beforeAll(async () => {
    const insert = (status: 'draft' | 'published') => `
      insert into articles (document_id, title, reading_minutes, featured, created_at, updated_at, published_at, locale)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${DOCUMENTS})
      select 'document' || i, 'Article ' || i, i % 60, i % 2, 1794708824000, 1794708824000 + i,
        ${status === 'draft' ? 'null' : '1794708824000'}, 'en' from n`;
    await console.sheaf.database.transaction(async (session) => {
      for (const status of ['draft', 'published'] as const)
        await session.rows({ sql: insert(status), bindings: [] }, []);
    });
  });

  /** Loads a path in a page that has nothing in its cache, until what a selector names can be used; how long it took. */
  async function load(page: Page, path: string, selector: string): Promise<number> {
    await cold(page);
    await page.addInitScript(WATCH(selector));
    await page.goto(`${console.base}${CONSOLE_PATH}${path}`);
    const freeAt = (): Promise<number | null> => page.evaluate('window.freeAt');
    await expect.poll(freeAt, { interval: 10 }).not.toBeNull();
    const time = await freeAt();
    await page.close();
    return Math.round(time!);
  }

  const cold = async (page: Page): Promise<CDPSession> => {
    const client = await page.context().newCDPSession(page);
    await client.send('Network.enable');
    await client.send('Network.setCacheDisabled', { cacheDisabled: true });
    return client;
  };

  /** The requests of a load that asks so many questions at least, and what was transferred by all of them. */
  async function transfers(page: Page, path: string, least: number): Promise<{ requests: string[]; bytes: number }> {
    const client = await cold(page);
    let [bytes, finished] = [0, 0];
    const requests: string[] = [];
    client.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
      finished++;
    });
    client.on('Network.requestWillBeSent', ({ request }) => requests.push(new URL(request.url).pathname));
    await page.goto(`${console.base}${CONSOLE_PATH}${path}`, { waitUntil: 'networkidle' });
    // A busy machine may do nothing for so long that the network is taken for idle.
    await expect.poll(() => requests.filter(isQuestion).length).toBeGreaterThanOrEqual(least);
    await expect.poll(() => requests.length - finished).toBe(0);
    await page.close();
    return { requests, bytes };
  }

  it.each([
    ['content-types', '/content', ['session', 'model', 'counts']],
    ['10,000 documents', '/content/articles', ['session', 'model', 'rest/articles', 'rest/articles']],
  ])('transfers little for the list of %s', async (name, path, asked) => {
    const context = (await console.open(path)).context();
    const { requests, bytes } = await transfers(await context.newPage(), path, asked.length);
    process.stdout.write(`${name}: ${Math.round(bytes / 1000)} kB in ${requests.length} requests\n`);
    expect(bytes).toBeLessThan(MAX_FIRST_VIEW_BYTES);
    // Each question is asked once, and the answer is one page: how many documents there are makes no difference.
    const questions = requests.filter(isQuestion);
    expect(questions.map((one) => one.slice(`${CONSOLE_API}/`.length)).toSorted()).toEqual(asked.toSorted());
  });

  it('can be used soon, with 10,000 documents', async () => {
    const context = (await console.open('/content/articles')).context();
    const newLoad = async (): Promise<number> => load(await context.newPage(), '/content/articles', 'tbody a');
    const emptyLoad = async (): Promise<number> => load(await context.newPage(), '/icon.svg', 'svg');
    const times: number[] = [];
    for (let count = 0; count < LOADS; count++) times.push(await newLoad());
    const took = times.toSorted((a, b) => a - b)[Math.floor(LOADS / 2)]!;
    process.stdout.write(`10,000 documents: usable after ${took} ms\n`);
    await expectSoon(took, newLoad, emptyLoad, { suspicious: MAX_INTERACTIVE_MS, most: EMPTY_LOADS });
  });
});
