// What the other tests of the console rely on: that axe is shown whatever is new in a page, though it looks at nothing
// twice.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AXE, faultsOf } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';

const PALE = 'color: #ccc; background: #fff';

/** A page with two lists; `more` stands in an entry of the first one. */
const html = (more: string, body = '', title = 'A page'): string => `<!doctype html><html lang="en"><head>
  <title>${title}</title><style>
  body { color: #000; background: #fff }
  @media (prefers-color-scheme: dark) { .shade { color: #333; background: #000 } }
  .on .lit { color: #ccc }
</style></head><body ${body}>
  <main><h1>Title</h1><ul><li>One</li><li>Two ${more}</li></ul><ul><li class="lit">Three</li></ul></main>
</body></html>`;

const LABELLED = '<label for="a">y</label><input id="a"><input id="b" aria-label="z">';
const NAMED = '<span id="n">Name</span><button aria-labelledby="n"></button>';

describe('What axe looks at', () => {
  let browser: Awaited<ReturnType<typeof launchBrowser>>;
  let page: Page;
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
    for (const known of ['', LABELLED, NAMED]) {
      await page.setContent(html(known));
      expect(await faultsOf(page)).toEqual([]);
    }
  });
  afterAll(() => browser.close());
  /** What axe is told to leave out: once where a page has something new, light and dark. */
  const leftOut = async (text: string): Promise<string[]> => {
    await page.setContent(text);
    await page.evaluate(`window.left = []`);
    await page.evaluate(AXE);
    await page.evaluate(`{
      const run = axe.run;
      axe.run = (context, options) => {
        left.push(context.exclude.map((element) => element.localName).join());
        return run(context, options);
      };
    }`);
    expect(await faultsOf(page)).toEqual([]);
    return page.evaluate<string[]>('left');
  };

  it.each([
    ['a page', html('')],
    ['another text', html('and more')],
  ])('is nothing in what it has looked at before: %s', async (_, text) => {
    expect(await leftOut(text)).toEqual([]);
  });

  it('is the first three of what a list repeats, and two of the others', async () => {
    const items = (count: number): string => '<li><b>Item</b></li>'.repeat(count);
    const left = await leftOut(html(`<ol>${items(9)}</ol>`));
    expect(left).toEqual(Array(2).fill(['h1', 'li', ...Array(9 - 5).fill('li'), 'ul'].join()));
  });

  it.each([
    ['an element', html('<img src="x.png">'), 'light: image-alt'],
    ['an attribute', html(`<span style="${PALE}">pale</span>`), 'light: color-contrast'],
    ['no text', html('<button></button>'), 'light: button-name'],
    ['no name', html('<label for="y">y</label><input id="x">'), 'light: label'],
    ['a label of something else', html(LABELLED.replace('for="a"', 'for="b"')), 'light: label'],
    ['a name without a text', html(NAMED.replace('Name', '')), 'light: button-name'],
    ['the title', html('', '', ''), 'light: document-title'],
    ['the dark', html('<span class="shade">shade</span>'), 'dark: color-contrast'],
    ['what an outer element makes of it', html('', 'class="on"'), 'light: color-contrast'],
  ])('is %s that is new in a page that it knows, until it has no fault', async (_, text, fault) => {
    for (let turn = 0; turn < 2; turn++) {
      await page.setContent(text);
      expect((await faultsOf(page)).join('\n')).toContain(fault);
    }
    await page.setContent(html(''));
    expect(await faultsOf(page)).toEqual([]);
  });
});
