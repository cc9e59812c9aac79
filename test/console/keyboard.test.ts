// What people do in the console, done without a mouse: Tab, arrows, Enter, Space and typing.
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { Filters } from '../../src/index.ts';
import { axe, grant, shoot, useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';
import { field, said, titlesIn, writesOf } from '../support/entry-form.ts';
import { chooseItem, type Keyboard, keyboardOf } from '../support/keyboard.ts';

const ARTICLE = 'api::article.article';
const RESTAURANT = 'api::restaurant.restaurant';

/** Goes to what opens the browser's window for files, and chooses one. */
async function upload(page: Page, keys: Keyboard, name: string, { by }: { readonly by: string }): Promise<void> {
  const buffer = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#345' } })
    .png()
    .toBuffer();
  // A page that is still loading has few stops, and all of them are soon passed.
  await page.getByRole('button', { name: by, exact: true }).waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    keys.tabTo(by).then(() => keys.press('Enter')),
  ]);
  await chooser.setFiles([{ name, mimeType: 'image/png', buffer }]);
}

/** Opens the menu that the focus is on, and chooses from it. */
async function fromMenu(page: Page, keys: Keyboard, item: string): Promise<void> {
  await keys.press('Enter');
  await chooseItem(page, item);
}

describeOnSqlite('The console by keyboard alone', (engine) => {
  const console = useConsole(engine);
  const idOf = async (uid: string, filters: Filters): Promise<string> =>
    (await console.sheaf.documents(uid).findFirst({ filters, status: 'draft' }))!.documentId;

  it('everything in every view is reached by Tab, and the focus is always seen', async () => {
    const page = await console.open('/nothing/is/here');
    // Editors take Tab for themselves, which leaves something unsaved.
    page.on('dialog', (dialog) => dialog.accept());
    await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
    await axe(page);
    await shoot(page, 'nothing-here');
    const keys = keyboardOf(page);
    await keys.walk();
    const [restaurant, article] = await Promise.all([
      idOf(RESTAURANT, { name: 'Alba' }),
      idOf(ARTICLE, { title: 'Truffle season' }),
    ]);
    const views = [
      '/content',
      '/content/articles?pageSize=10',
      `/content/restaurants/${restaurant}`,
      `/content/articles/${article}`,
      '/find?url=/api/restaurants?filters[$or][0][stars][$gte]=2%26filters[$or][1][chef][name]=Anne%26sort=name%26populate=chef',
      '/files',
      '/people/roles?role=public',
      '/people/users',
      '/people/tokens',
      '/people/accounts',
      '/model',
      '/model/api%3A%3Arestaurant.restaurant',
      '/server',
    ];
    for (const view of views) {
      await page.goto(`${console.base}/console${view}`);
      await page.locator('main h1').waitFor();
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      await keys.walk().catch((error: Error) => {
        throw new Error(`${view}: ${error.message}`, { cause: error });
      });
    }
  });

  it('pastes a URL into Find and changes a condition', async () => {
    const page = await console.open('/find');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const keys = keyboardOf(page);
    await page.getByLabel('Paste a URL or curl').waitFor();
    const url = `${console.base}/api/restaurants?filters[stars][$gte]=2&sort=name`;
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(url)})`);
    await keys.tabTo('Paste a URL or curl');
    await keys.press('Control+v');
    const sentence = page.locator('.find-sentence');
    await expect.poll(() => sentence.innerText()).toContain('whose stars are at least 2');
    await keys.tabTo('Operator of stars');
    await keys.type('is less than');
    await keys.tabTo('Value of stars');
    await keys.press('Control+a');
    await keys.type('1');
    await expect.poll(() => sentence.innerText()).toContain('whose stars are less than 1');
    await expect
      .poll(() => new URL(page.url()).searchParams.get('url'))
      .toBe('/api/restaurants?filters[stars][$lt]=1&sort=name');
    await keys.tabTo('Remove stars');
    await keys.press('Enter');
    await expect.poll(() => sentence.innerText()).not.toContain('stars');
  });

  it('moves a relation, publishes, compares, discards and translates', async () => {
    const names = ['Jon', 'Inès'];
    const authors = await Promise.all(names.map((name) => idOf('api::author.author', { name })));
    const articles = console.sheaf.documents(ARTICLE);
    // One try after another may publish it.
    const slug = `keys-${Date.now()}`;
    const { documentId } = await articles.create({ data: { title: 'Keys', slug, authors } });
    const page = await console.open(`/content/articles/${documentId}`);
    const keys = keyboardOf(page);
    const sent = writesOf(page);
    const state = page.locator('.page-header').getByText(/^(draft|modified|published)$/);
    await field(page, 'title').waitFor();

    await keys.tabTo('Drag Inès');
    for (const [key, told] of [
      ['Space', 'Inès is over place 2'],
      ['ArrowUp', 'Inès is over place 1'],
      ['Space', 'Inès was put at place 1'],
    ] as const) {
      await keys.press(key);
      await page.getByText(told).waitFor({ state: 'attached' });
    }
    await keys.press('Control+s');
    await said(page, 'Draft saved');
    expect(sent).toEqual([
      {
        method: 'PUT',
        path: `rest/articles/${documentId}?status=draft&locale=en`,
        data: { authors: { connect: [{ documentId: authors[1], position: { start: true } }] } },
      },
    ]);
    await page.reload();
    await field(page, 'title').waitFor();
    await expect.poll(() => titlesIn(page, 'authors')).toEqual(['Inès', 'Jon']);

    await keys.tabTo('Publish');
    await keys.press('Enter');
    await said(page, 'Published');
    await state.getByText('published').waitFor();
    await keys.tabTo('title');
    await keys.press('End');
    await keys.type(' and locks');
    await keys.press('Control+s');
    await state.getByText('modified').waitFor();
    await keys.tabTo('More to do', 'Shift+Tab');
    await fromMenu(page, keys, 'Compare draft and published');
    const compared = page.getByRole('dialog', { name: 'Draft and published' });
    await expect.poll(() => compared.getByRole('cell').allTextContents()).toEqual(['Keys', 'Keys and locks']);
    await keys.walk();
    await keys.press('Escape');
    await compared.waitFor({ state: 'detached' });
    await expect.poll(keys.focused).toBe('More to do');
    await fromMenu(page, keys, 'Discard the draft…');
    await page.getByRole('dialog', { name: 'Discard the draft?' }).waitFor();
    await axe(page);
    await shoot(page, 'edit-discard');
    await keys.tabTo('Discard');
    await keys.press('Enter');
    await said(page, 'The draft is as it is published');
    await expect.poll(() => field(page, 'title').inputValue()).toBe('Keys');

    await keys.tabTo(/^German/);
    await keys.press('Enter');
    await page.getByText('This locale does not exist yet').waitFor();
    await keys.tabTo('Copy from…');
    await fromMenu(page, keys, 'en');
    await expect.poll(() => field(page, 'title').inputValue()).toBe('Keys');
    await keys.tabTo('title');
    await keys.press('Control+a');
    await keys.type('Schlüssel');
    await keys.tabTo('Publish', 'Shift+Tab');
    await keys.press('Enter');
    await page
      .getByRole('link', { name: /^German/ })
      .getByText('published')
      .waitFor();
    expect(await articles.findOne({ documentId, locale: 'de', status: 'published' })).toMatchObject({
      title: 'Schlüssel',
    });
  });

  it('uploads an image, and uses it and another in an entry', async () => {
    const page = await console.open('/files');
    const keys = keyboardOf(page);
    await page.getByRole('list', { name: 'Files' }).waitFor();
    await upload(page, keys, 'by-keys.png', { by: 'Upload files' });
    await page.locator('.files-grid').getByText('by-keys.png').waitFor();

    const documentId = await idOf(RESTAURANT, { name: 'Jardin' });
    await page.goto(`${console.base}/console/content/restaurants/${documentId}`);
    const stored = () => console.sheaf.documents(RESTAURANT).findOne({ documentId, populate: ['cover', 'gallery'] });
    await upload(page, keys, 'in-the-form.png', { by: 'Upload: gallery' });
    const gallery = page.getByRole('list', { name: 'gallery' });
    await gallery.getByText('in-the-form.png').waitFor();
    await keys.tabTo('Choose from the library: cover', 'Shift+Tab');
    await keys.press('Enter');
    const library = page.getByRole('dialog', { name: 'Choose a file' });
    await library.getByRole('radio').first().waitFor();
    await axe(page);
    await shoot(page, 'edit-library');
    await keys.tabTo('Search files');
    await keys.type('by-keys');
    await expect.poll(() => library.getByRole('radio').count()).toBe(1);
    await keys.tabTo(/by-keys\.png/);
    await keys.press('Space');
    await keys.tabTo('Use the file');
    await keys.press('Enter');
    await library.waitFor({ state: 'detached' });
    await expect.poll(keys.focused).toMatch(/^Choose .*: cover$/);
    await keys.press('Control+s');
    await said(page, 'Saved');
    expect(await stored()).toMatchObject({ cover: { name: 'by-keys.png' }, gallery: [{ name: 'in-the-form.png' }] });
  });

  it('is refused by a role, and says so', async () => {
    console.allow(/^403 PUT /);
    const readable = ['read', RESTAURANT, ['name', 'stars']] as const;
    await grant(console.sheaf, 'strapi-editor', [readable, ['update', RESTAURANT, ['stars']]]);
    await console.makeAccount('eve@example.com', 'strapi-editor');
    const page = await console.open('/content', { as: 'eve@example.com' });
    const keys = keyboardOf(page);
    await keys.tabTo(/^Restaurant/);
    await keys.press('Enter');
    await page.getByRole('link', { name: 'Alba' }).waitFor();
    expect(await page.getByRole('link', { name: 'New entry' }).count()).toBe(0);
    await keys.tabTo('Alba');
    await keys.press('Enter');
    await keys.tabTo('name');
    await keys.type('Mine');
    expect(await field(page, 'name').inputValue()).toBe('Alba');
    await keys.tabTo('stars');
    await keys.press('Control+a');
    await keys.type('1');
    // The right is taken away while the form is open.
    await grant(console.sheaf, 'strapi-editor', [readable]);
    await keys.press('Control+s');
    await said(page, 'Your role does not allow this');
    await axe(page);
    await shoot(page, 'edit-refused');
    expect(await field(page, 'stars').inputValue()).toBe('1');
    await page.goto(`${console.base}/console/content/restaurants/new`);
    await page.getByRole('heading', { name: 'Your role may not open this' }).waitFor();
    await axe(page);
    await shoot(page, 'edit-may-not');
  });

  it('notices what someone else stored, and chooses', async () => {
    const documentId = await idOf(RESTAURANT, { name: 'Dōjō' });
    const restaurants = console.sheaf.documents(RESTAURANT);
    const page = await console.open(`/content/restaurants/${documentId}`);
    const keys = keyboardOf(page);
    const sent = writesOf(page);
    await keys.tabTo('description');
    await keys.press('Control+a');
    await keys.type('Mine');
    await keys.tabTo('stars');
    await keys.press('Control+a');
    await keys.type('1');
    await restaurants.update({ documentId, data: { description: 'Theirs', stars: 2 } });
    await keys.press('Control+s');
    await page.getByRole('dialog', { name: 'Someone else changed this entry' }).waitFor();
    await keys.walk();
    await keys.tabTo('Keep of description');
    await keys.type('Stored');
    await keys.tabTo('Save as chosen');
    await keys.press('Enter');
    await said(page, 'Saved');
    expect(sent.map(({ data }) => data)).toEqual([{ stars: 1 }]);
    expect(await restaurants.findOne({ documentId })).toMatchObject({ description: 'Theirs', stars: 1 });
  });
});
