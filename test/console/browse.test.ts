// Browsing in a browser, as a person does: by mouse, by keyboard alone and on a phone.
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { axe, shoot, useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';

/** Beside the ten of the guide, so that there are three pages of ten. */
const MORE_DISHES = 15;

describeOnSqlite('Browsing in the console', (engine) => {
  const console = useConsole(engine);
  beforeAll(async () => {
    const dishes = console.sheaf.documents('api::dish.dish');
    for (let number = 1; number <= MORE_DISHES; number++)
      await dishes.create({ data: { name: `Dish ${number}`, price: 1_000 + number } });
    await console.sheaf.documents('api::article.article').create({ data: { readingMinutes: 2 }, status: 'draft' });
  });

  const row = (page: Page, title: string): Locator =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name: title, exact: true }) });
  const titles = (page: Page): Promise<string[]> => page.locator('tbody .browse-main').allTextContents();
  const parameters = (page: Page): URLSearchParams => new URL(page.url()).searchParams;
  const status = (page: Page): Locator => page.locator('main').getByRole('status');

  it('shows the content-types with the number of their entries', async () => {
    const page = await console.open('/');
    const dish = page.getByRole('region', { name: 'Collections' }).getByRole('link', { name: 'Dish' });
    await dish.getByText('25 entries').waitFor();
    await axe(page);
    await shoot(page, 'browse-types');
    await page.getByRole('searchbox', { name: 'Search content-types' }).fill('home');
    await dish.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Homepage' }).click();
    await page.waitForURL('**/console/single/homepage');
    await page.goBack();
    expect(await page.getByRole('searchbox').inputValue()).toBe('home');
    await page.getByRole('searchbox').fill('nothing');
    await page.getByText('No content-type is called “nothing”').waitFor();
    await axe(page);
    await shoot(page, 'browse-no-type');
    await page.getByRole('searchbox').fill('');
    await dish.click();
    await page.getByRole('heading', { name: 'Dish' }).waitFor();
    expect(await page.title()).toBe('Dish · Sheaf console');
  });

  it('sorts, turns pages, searches and chooses columns, all in the URL', async () => {
    const page = await console.open('/content/dishes?pageSize=10');
    await status(page).getByText('25 entries').waitFor();
    const price = page.getByRole('columnheader', { name: 'price' });
    await price.getByRole('button').click();
    await expect.poll(() => price.getAttribute('aria-sort')).toBe('ascending');
    await price.getByRole('button').click();
    await expect.poll(async () => (await titles(page))[1]).toBe('Dish 15');
    expect(await price.getAttribute('aria-sort')).toBe('descending');
    expect(parameters(page).get('sort')).toBe('price:desc');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2 of 3').waitFor();
    await expect.poll(async () => (await titles(page))[0]).toBe('Dish 6');
    await page.goBack();
    await expect.poll(async () => (await titles(page))[1]).toBe('Dish 15');
    // A request that is no longer of use is given up, and what it would have shown never appears.
    await page.route('**/rest/dishes?*_q=slow*', () => undefined);
    const begun = page.waitForRequest('**/rest/dishes?*_q=slow*');
    await page.getByRole('searchbox').fill('slow');
    const givenUp = page.waitForEvent('requestfailed', (request) => request.url().includes('_q=slow'));
    await begun;
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').pressSequentially('tac');
    expect((await givenUp).failure()?.errorText).toBe('net::ERR_ABORTED');
    await expect.poll(() => titles(page)).toEqual(['Taco al pastor']);
    expect([...parameters(page)]).toEqual([
      ['_q', 'tac'],
      ['sort', 'price:desc'],
      ['pageSize', '10'],
    ]);
    await page.goBack();
    await status(page).getByText('25 entries').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    await page.getByLabel('Entries a page').selectOption('50');
    await page.getByText('Page 1 of 1').waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('vegan').waitFor();
    await axe(page);
    await shoot(page, 'browse-columns');
    await page.getByLabel('vegan').uncheck();
    await page.getByLabel('updatedBy').check();
    await page.keyboard.press('Escape');
    const heads = () => page.getByRole('columnheader').allTextContents();
    await expect.poll(heads).toEqual(['', 'name', 'price', 'restaurant', 'updatedAt', 'updatedBy']);
    await page.reload();
    await expect.poll(heads).toEqual(['', 'name', 'price', 'restaurant', 'updatedAt', 'updatedBy']);
    expect(parameters(page).get('columns')).toBe('price,restaurant,updatedAt,updatedBy');
    await page.getByRole('button', { name: 'name', exact: true }).click({ modifiers: ['Shift'] });
    await expect.poll(() => parameters(page).get('sort')).toBe('price:desc,name');
  });

  it('leads along relations and back, and keeps filters that a URL has', async () => {
    const page = await console.open('/content/restaurants?columns=cover,stars,cuisine,chef,categories,openedOn');
    await row(page, 'Alba').getByRole('img', { name: 'picture-1.png' }).waitFor();
    await axe(page);
    await shoot(page, 'browse-entries');
    await row(page, 'Alba').getByRole('link', { name: 'Chiara' }).click();
    await page.waitForURL('**/console/content/chefs/*');
    await page.goBack();
    await row(page, 'canteen').getByRole('link', { name: 'and 1 more of categories' }).click();
    await page.waitForURL('**/console/content/categories?filters*');
    await expect.poll(async () => (await titles(page)).length).toBe(3);
    await page.getByText(/^Categories .*restaurants? .*\.$/).waitFor();
    await page.getByRole('button', { name: 'Remove the conditions' }).click();
    await status(page).getByText('7 entries').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: '1 condition' }).click();
    await page.waitForURL('**/console/find?url=*');
    expect(parameters(page).get('url')).toMatch(
      /^\/api\/categories\?filters\[restaurants\]\[documentId\]\[\$eq\]=\w+$/,
    );
    await page.goBack();
    await page.goBack();
    await row(page, 'Alba').getByRole('link', { name: 'Alba' }).click();
    await page.waitForURL('**/console/content/restaurants/*');
  });

  it('shows locales, and drafts with their state', async () => {
    const page = await console.open('/content/articles');
    const state = (title: string, text: string) => row(page, title).getByText(text, { exact: true }).waitFor();
    await state('Truffle season', 'published');
    await state('Work in progress', 'draft');
    await state('Quiet tables (edited)', 'modified');
    await axe(page);
    await shoot(page, 'browse-drafts');
    await page.getByLabel('State').selectOption('Modified');
    await expect.poll(() => titles(page)).toEqual(['Quiet tables (edited)']);
    // The state is that of the articles alone: their authors are shown whatever theirs is.
    await row(page, 'Quiet tables (edited)').getByRole('link', { name: 'Kim (draft)' }).waitFor();
    await page.getByLabel('State').selectOption('As readers see them');
    await expect.poll(() => titles(page)).toEqual(['Truffle season', 'Street food now', 'Quiet tables']);
    await page.getByLabel('State').selectOption('Every state');
    await page.getByLabel('Locale').selectOption('French (fr)');
    await expect.poll(() => titles(page)).toEqual(['La saison des truffes']);
    expect(parameters(page).get('locale')).toBe('fr');
    expect(await page.getByRole('link', { name: 'New entry' }).getAttribute('href')).toContain('locale=fr');
    await page.getByLabel('Locale').selectOption('German (de)');
    await page.getByRole('heading', { name: 'There are no entries in this locale yet' }).waitFor();
    await axe(page);
    await shoot(page, 'browse-no-entries');
    await page.goto(`${console.base}/console/content/articles?locale=*`);
    await row(page, 'Truffle season').waitFor();
    expect(await titles(page)).not.toContain('La saison des truffes');
    expect(await page.getByLabel('Locale').inputValue()).toBe('en');
  });

  describe('with several entries at once', () => {
    it('publishes them one by one, and says which it could not', async () => {
      console.allow(/^400 POST .*\/actions\/publish/);
      const page = await console.open('/content/articles');
      const sent: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
      const chosen = ['Work in progress', 'Quiet tables (edited)'];
      for (const title of chosen) await page.getByLabel(`Choose ${title}`).check();
      await status(page).getByText('2 entries chosen').waitFor();
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Publish 2 entries?' });
      await dialog.getByText('Only in English (en)').waitFor();
      expect(await dialog.getByRole('listitem').allTextContents()).toEqual(chosen);
      await axe(page);
      await shoot(page, 'browse-publish');
      await dialog.getByRole('button', { name: 'Publish 2 entries' }).click();
      await dialog.waitFor({ state: 'detached' });
      for (const title of chosen) await row(page, title).getByText('published', { exact: true }).waitFor();
      expect(sent).toHaveLength(2);
      // The draft without a title cannot be published.
      await page.getByLabel('Choose all on this page').check();
      await status(page).getByText('5 entries chosen').waitFor();
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('button', { name: 'Publish 5 entries' }).click();
      const failed = page.getByRole('dialog', { name: '1 entry not published' });
      await failed.waitFor();
      await axe(page);
      await shoot(page, 'browse-not-published');
      expect(await failed.getByRole('listitem').allTextContents()).toEqual([expect.stringContaining('title')]);
      await failed.getByRole('button', { name: 'Close' }).click();
      await failed.waitFor({ state: 'detached' });
    });

    it('unpublishes and deletes them', async () => {
      const page = await console.open('/content/articles');
      await page.getByLabel('Choose Street food now').check();
      await page.getByRole('button', { name: 'Unpublish' }).click();
      await page.getByRole('button', { name: 'Unpublish 1 entry' }).click();
      await row(page, 'Street food now').getByText('draft', { exact: true }).waitFor();
      await page.getByLabel('Choose Street food now').check();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete 1 entry' }).click();
      await row(page, 'Street food now').waitFor({ state: 'detached' });
      await status(page).getByText('4 entries').waitFor();
    });
  });

  it('says what is wrong with a request, and what there is none of', async () => {
    console.allow(/^400 GET/);
    const page = await console.open('/content/tags?filters[nothing]=1');
    await page.getByRole('alert').getByText('nothing').waitFor();
    await axe(page);
    await shoot(page, 'browse-refused');
    await page.getByRole('link', { name: 'Show all entries' }).click();
    await status(page).getByText('3 entries').waitFor();
    await page.getByRole('searchbox').fill('no such tag');
    await page.getByRole('heading', { name: 'No entry is like that' }).waitFor();
    await axe(page);
    await shoot(page, 'browse-none-like-that');
    await page.goto(`${console.base}/console/content/nothing`);
    await page.getByRole('heading', { name: 'There is no content-type “nothing”' }).waitFor();
    await axe(page);
    await shoot(page, 'browse-unknown-type');
    await page.goto(`${console.base}/console/content/nothing/new`);
    await page.getByRole('link', { name: 'All content-types' }).waitFor();
    await page.goto(`${console.base}/console/content/tags?page=9`);
    await page.getByRole('button', { name: 'First page' }).click();
    await row(page, 'Green').waitFor();
  });

  it('says how a project without content-types gets one', async () => {
    const page = await console.open('/files');
    await page.route('**/console/api/model', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), types: [], components: [] } });
    });
    await page.goto(`${console.base}/console/content`);
    await page.getByRole('heading', { name: 'This project has no content-types yet' }).waitFor();
    await page.getByText('npx sheaf type add').waitFor();
  });

  it('offers what the role of an account allows', async () => {
    await console.makeAccount('bea@example.com', 'strapi-author');
    await console.makeAccount('eve@example.com', 'strapi-editor');
    const author = await console.open('/content/authors', { as: 'bea@example.com' });
    // Authors see what they have written.
    await author.getByRole('heading', { name: 'There are no entries yet' }).waitFor();
    expect(await author.getByRole('link', { name: 'New entry' }).count()).toBe(2);
    await author.goto(`${console.base}/console/content`);
    await author.getByRole('link', { name: 'Author' }).getByText('0 entries').waitFor();
    const editor = await console.open('/content/authors', { as: 'eve@example.com' });
    await row(editor, 'Jon').getByText('published', { exact: true }).waitFor();
    // The permissions of the fixture name no locale of articles, so that there are none of them.
    expect(await editor.getByRole('columnheader').allTextContents()).toEqual([
      '',
      'name',
      'state',
      'email',
      'updatedAt',
    ]);
    await editor.goto(`${console.base}/console/content/articles`);
    await editor.getByRole('heading', { name: 'There is no content-type “articles”' }).waitFor();
  });

  it('is done by keyboard alone', async () => {
    const page = await console.open('/content');
    await page.getByRole('link', { name: 'Dish' }).waitFor();
    /** Goes on to whatever has this name. */
    const tabTo = async (name: RegExp): Promise<void> => {
      const focused = (): Promise<string> =>
        page.evaluate(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`);
      for (let steps = 0; !name.test(await focused()); steps++) {
        if (steps > 80) throw new Error(`nothing that can be focused is called ${name}`);
        await page.keyboard.press('Tab');
      }
    };
    await tabTo(/^Skip to the content$/);
    await page.keyboard.press('Enter');
    await tabTo(/^Search content-types$/);
    await page.keyboard.type('dish');
    await page.getByRole('link', { name: 'Restaurant' }).waitFor({ state: 'detached' });
    await tabTo(/^Dish/);
    await page.keyboard.press('Enter');
    await row(page, 'Omakase').waitFor();
    await tabTo(/^price$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/content/dishes?sort=price');
    await tabTo(/^Choose all on this page$/);
    await page.keyboard.press('Shift+Tab');
    await tabTo(/^Choose Dish 1$/);
    await page.keyboard.press('Space');
    await status(page).getByText('1 entry chosen').waitFor();
    await page.keyboard.press('Shift+Tab');
    for (let back = 0; back < 80 && !(await page.evaluate(`document.activeElement.textContent === 'Delete'`)); back++)
      await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Delete 1 entry?' }).waitFor();
    await axe(page);
    await shoot(page, 'browse-delete');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(`document.activeElement.textContent`)).toBe('Delete');
    await page.keyboard.press('Enter');
    await tabTo(/^Delete 1 entry$/);
    await page.keyboard.press('Enter');
    await status(page).getByText('24 entries').waitFor();
    await tabTo(/^Elote$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/content/dishes/*');
  });

  it('is used on a phone', async () => {
    const page = await console.open('/content', { phone: true });
    await page.getByRole('link', { name: 'Restaurant' }).tap();
    await row(page, 'Alba').waitFor();
    await axe(page);
    await shoot(page, 'browse-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    // The table is moved inside of itself, and its first column stays.
    const list = page.getByRole('region', { name: 'Entries of Restaurant' });
    await list.evaluate((element) => element.scrollBy(300, 0));
    const box = await row(page, 'Alba').getByRole('link', { name: 'Alba' }).boundingBox();
    expect(box!.x).toBeGreaterThan(0);
    expect(box!.x).toBeLessThan(120);
    await page.getByRole('columnheader', { name: 'name' }).getByRole('button').tap();
    await page.waitForURL('**/content/restaurants?sort=name');
    await page.getByRole('searchbox').fill('jardin');
    await expect.poll(() => titles(page)).toEqual(['Jardin']);
    await page.getByRole('button', { name: 'Show where to go' }).tap();
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Content' }).tap();
    await page.getByRole('link', { name: 'Article' }).waitFor();
  });
});
