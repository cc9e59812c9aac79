// The form of an entry, as a person uses it: by mouse, and once more by the keyboard alone.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Filters } from '../../src/index.ts';
import { axe, grant, shoot, useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';
import { button, field, group, said, titlesIn, writesOf } from '../support/entry-form.ts';
import { chooseItem } from '../support/keyboard.ts';
import { boxAtRest } from '../support/pages.ts';

async function choose(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).fill(text);
  await page.getByRole('option', { name: text, exact: true }).click();
}

/** Picks up the second of a list, moves it and puts it down, each when the one before has been told. */
async function moveUp(page: Page, name: string): Promise<void> {
  await button(page, `Drag ${name}`).focus();
  for (const [key, told] of [
    ['Space', 'is over place 2'],
    ['ArrowUp', 'is over place 1'],
    ['Space', 'was put at place 1'],
  ] as const) {
    await page.keyboard.press(key);
    await page.getByText(`${name} ${told}`).waitFor({ state: 'attached' });
  }
}

async function menu(page: Page, item: string): Promise<void> {
  await button(page, 'More to do').click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

describeOnSqlite('The form of an entry', (engine) => {
  const console = useConsole(engine);

  const idOf = async (uid: string, filters: Filters): Promise<string> =>
    (await console.sheaf.documents(uid).findFirst({ filters, status: 'draft' }))!.documentId;
  const restaurant = (name: string): Promise<string> => idOf('api::restaurant.restaurant', { name });

  it('makes an entry with components, a zone and relations, and publishes it', async () => {
    const page = await console.open('/content/articles/new');
    const sent = writesOf(page);
    await field(page, 'title').fill('Autumn menus');
    await button(page, 'Make from title').click();
    await expect.poll(() => field(page, 'slug').inputValue()).toBe('autumn-menus');
    await choose(page, 'Add to authors', 'Jon');
    await choose(page, 'Add to authors', 'Inès');
    await button(page, 'Add seo').click();
    await field(group(page, 'seo'), 'metaTitle').fill('Menus of autumn');
    for (const kind of ['quote', 'link']) {
      await button(page, 'Add to blocks').click();
      await page.getByRole('menuitem', { name: kind, exact: true }).click();
    }
    await field(group(page, 'blocks'), 'text').fill('Chestnuts!');
    await field(group(page, 'blocks'), 'label').fill('Book');
    await choose(page, 'Choose author', 'Jon');
    await button(page, 'Move Book up').click();
    await page.getByText('What will be sent').click();
    await expect
      .poll(() => page.getByLabel('What will be sent').textContent())
      .toContain('POST /api/articles?status=draft');
    await axe(page);
    await shoot(page, 'edit-new');
    await button(page, 'Save draft').click();
    await said(page, 'Draft saved');
    const authors = ['Jon', 'Inès'];
    const [jon, ines] = await Promise.all(authors.map((name) => idOf('api::author.author', { name })));
    expect(sent).toEqual([
      {
        method: 'POST',
        path: 'rest/articles?status=draft&locale=en',
        data: {
          title: 'Autumn menus',
          slug: 'autumn-menus',
          authors: { connect: [{ documentId: jon }, { documentId: ines }] },
          seo: { metaTitle: 'Menus of autumn' },
          blocks: [
            { __component: 'shared.link', label: 'Book' },
            { __component: 'blocks.quote', text: 'Chestnuts!', author: { connect: [{ documentId: jon }] } },
          ],
        },
      },
    ]);
    await page.waitForURL(/\/content\/articles\/(?!new)\w+\?locale=en$/);
    await expect.poll(() => titlesIn(page, 'authors')).toEqual(authors);
    await button(page, 'Publish').click();
    await said(page, 'Published');
    expect(sent.slice(1)).toEqual([
      { method: 'POST', path: expect.stringMatching(/actions\/publish\?locale=en$/), data: undefined },
    ]);
    const published = await console.sheaf
      .documents('api::article.article')
      .findFirst({ filters: { slug: 'autumn-menus' }, status: 'published', populate: ['seo', 'blocks', 'authors'] });
    expect(published).toMatchObject({ seo: { metaTitle: 'Menus of autumn' }, blocks: [{ label: 'Book' }, {}] });
  });

  it('makes an entry by the keyboard alone', async () => {
    const page = await console.open('/content/restaurants/new');
    const sent = writesOf(page);
    const press = (key: string) => page.keyboard.press(key);
    await field(page, 'name').focus();
    await page.keyboard.type('Keys');
    await press('Tab');
    await page.keyboard.type('All by hand');
    await page.getByRole('combobox', { name: 'Add to categories' }).focus();
    await page.keyboard.type('Piz');
    await page.getByRole('option', { name: 'Pizza' }).waitFor();
    await press('Enter');
    await page.keyboard.type('Sus');
    await page.getByRole('option', { name: 'Sushi' }).waitFor();
    await press('Enter');
    await expect.poll(() => titlesIn(page, 'categories')).toEqual(['Pizza', 'Sushi']);
    await moveUp(page, 'Sushi');
    await expect.poll(() => titlesIn(page, 'categories')).toEqual(['Sushi', 'Pizza']);
    await button(page, 'Add to openingHours').focus();
    await press('Enter');
    await field(page, 'day').selectOption('mon');
    await button(page, 'Add to blocks').focus();
    await press('Enter');
    await chooseItem(page, 'link');
    await field(group(page, 'blocks'), 'label').focus();
    await page.keyboard.type('Book');
    await press('Control+s');
    await said(page, 'Saved');
    expect(sent).toHaveLength(1);
    expect(sent[0]!.data).toEqual({
      name: 'Keys',
      description: 'All by hand',
      categories: { connect: [{ documentId: expect.any(String) }, { documentId: expect.any(String) }] },
      openingHours: [{ day: 'mon' }],
      blocks: [{ __component: 'shared.link', label: 'Book' }],
    });
    await page.waitForURL(/\/content\/restaurants\/(?!new)/);
    await page.reload();
    await field(page, 'name').waitFor();
    await expect.poll(() => titlesIn(page, 'categories')).toEqual(['Sushi', 'Pizza']);
    // Components of a stored entry, moved by the keyboard, are named by their ids.
    await button(page, 'Add to openingHours').focus();
    await press('Enter');
    await field(page, 'day').selectOption('sun');
    await moveUp(page, 'openingHours 2');
    await press('Control+s');
    await said(page, 'Saved');
    expect(sent[1]!.data).toEqual({ openingHours: [{ day: 'sun' }, { id: expect.any(Number) }] });
  });

  it('moves what a relation leads to by dragging, and sends one connect', async () => {
    const documentId = await restaurant('canteen');
    const page = await console.open(`/content/restaurants/${documentId}`);
    const sent = writesOf(page);
    await field(page, 'name').waitFor();
    await expect.poll(() => titlesIn(page, 'categories')).toEqual(['casual', 'Street_food', '100% vegan']);
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    await axe(page);
    await shoot(page, 'edit-entry');
    await button(page, 'Drag 100% vegan').scrollIntoViewIfNeeded();
    const handle = await boxAtRest(button(page, 'Drag 100% vegan'));
    const first = await boxAtRest(button(page, 'Drag casual'));
    await page.mouse.move(handle.x + 8, handle.y + 8);
    await page.mouse.down();
    await page.mouse.move(handle.x + 8, handle.y - 10, { steps: 4 });
    await page.mouse.move(first.x + 8, first.y + 4, { steps: 8 });
    await page.mouse.up();
    const moved = ['100% vegan', 'casual', 'Street_food'];
    await expect.poll(() => titlesIn(page, 'categories')).toEqual(moved);
    await button(page, 'Save').click();
    await said(page, 'Saved');
    const vegan = await idOf('api::category.category', { name: '100% vegan' });
    expect(sent).toEqual([
      {
        method: 'PUT',
        path: `rest/restaurants/${documentId}`,
        data: { categories: { connect: [{ documentId: vegan, position: { start: true } }] } },
      },
    ]);
    await page.reload();
    await field(page, 'name').waitFor();
    await expect.poll(() => titlesIn(page, 'categories')).toEqual(moved);
    // Buttons move as well, and keep the focus.
    await button(page, 'Move casual down').click();
    await button(page, 'Move casual up').press('Enter');
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Move casual up');
    await expect.poll(() => titlesIn(page, 'categories')).toEqual(moved);
    await button(page, 'Remove casual').click();
    await page.getByRole('link', { name: 'Farid' }).waitFor();
    await button(page, 'Remove Farid O’Hara').click();
    await choose(page, 'Choose chef', 'Chiara');
    await button(page, 'Save').click();
    await expect.poll(() => sent.length).toBe(2);
    expect(sent[1]!.data).toEqual({
      categories: { disconnect: [{ documentId: await idOf('api::category.category', { name: 'casual' }) }] },
      chef: { connect: [{ documentId: await idOf('api::chef.chef', { name: 'Chiara' }) }] },
    });
  });

  it('reads a long relation in pages, and puts what is added behind all of it', async () => {
    const dishes = console.sheaf.documents('api::dish.dish');
    const documentId = await restaurant('FONDA');
    const made: string[] = [];
    for (let number = 1; number <= 60; number += 1)
      made.push((await dishes.create({ data: { name: `Taco ${number}`, restaurant: documentId } })).documentId);
    const loose = await dishes.create({ data: { name: 'Mole negro' } });
    const page = await console.open(`/content/restaurants/${documentId}`);
    const sent = writesOf(page);
    await choose(page, 'Add to dishes', 'Mole negro');
    await group(page, 'dishes')
      .getByText(/^behind \d+ more$/)
      .waitFor();
    await button(page, /^Show more of \d+$/).click();
    await expect.poll(async () => (await titlesIn(page, 'dishes')).slice(-2)).toEqual(['Taco 60', 'Mole negro']);
    await button(page, 'Save').click();
    await said(page, 'Saved');
    expect(sent[0]!.data).toEqual({ dishes: { connect: [{ documentId: loose.documentId }] } });
    for (const id of made) await dishes.delete({ documentId: id });
  });

  it('compares draft and published, discards, unpublishes, duplicates and deletes', async () => {
    const documentId = await idOf('api::article.article', { title: { $startsWith: 'Quiet tables' } });
    const page = await console.open(`/content/articles/${documentId}`);
    const heading = page.getByRole('heading', { level: 1 });
    const state = page.locator('.page-header').getByText(/^(draft|modified|published)$/);
    await state.getByText('modified').waitFor();
    await menu(page, 'Compare draft and published');
    const dialog = page.getByRole('dialog', { name: 'Draft and published' });
    const rowOf = (name: string) =>
      dialog.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    expect(await rowOf('title').getByRole('cell').allTextContents()).toEqual(['Quiet tables', 'Quiet tables (edited)']);
    expect(await rowOf('authors').getByRole('cell').allTextContents()).toEqual(['Nothing', 'Kim (draft)']);
    await axe(page);
    await shoot(page, 'edit-compare');
    await button(page, 'Close').click();
    await menu(page, 'Discard the draft…');
    await button(page, 'Discard').click();
    await said(page, 'The draft is as it is published');
    await expect.poll(() => heading.textContent()).toBe('Quiet tables');
    await state.getByText('published').waitFor();
    await button(page, 'More to do').click();
    await page.getByRole('menuitem', { name: 'Unpublish…' }).waitFor();
    await axe(page);
    await shoot(page, 'edit-menu');
    await page.getByRole('menuitem', { name: 'Unpublish…' }).click();
    await button(page, 'Unpublish').click();
    await said(page, 'Not published any more');
    await state.getByText('draft').waitFor();
    await menu(page, 'Duplicate');
    await said(page, 'This is the copy');
    await expect.poll(() => page.url()).not.toContain(documentId);
    await field(page, 'title').fill('Quiet tables, a copy');
    await button(page, 'Save draft').click();
    await said(page, 'Draft saved');
    await menu(page, 'Delete all locales…');
    await button(page, 'Delete').click();
    await page.waitForURL(/\/content\/articles$/);
    const left = await console.sheaf
      .documents('api::article.article')
      .findMany({ status: 'draft', filters: { title: { $startsWith: 'Quiet tables' } } });
    expect(left.map((entry) => entry.documentId)).toEqual([documentId]);
  });

  it('translates: beside another locale, and copied from it', async () => {
    const documentId = await idOf('api::article.article', { title: 'Truffle season' });
    const page = await console.open(`/content/articles/${documentId}`);
    const sent = writesOf(page);
    const locales = page.getByRole('navigation', { name: 'Locales' });
    await locales
      .getByRole('link', { name: /^German/ })
      .getByText('missing')
      .waitFor();
    await locales.getByRole('link', { name: /^German/ }).click();
    await page.getByText('This locale does not exist yet').waitFor();
    // What is the same in all locales is there already.
    expect(await field(page, 'readingMinutes').inputValue()).toBe('7');
    await button(page, 'Copy from…').click();
    await page.getByRole('menuitem', { name: 'en', exact: true }).click();
    await expect.poll(() => field(page, 'title').inputValue()).toBe('Truffle season');
    await field(page, 'title').fill('Trüffelzeit');
    await field(page, 'slug').fill('trueffelzeit');
    await page.getByLabel('Locale beside the form').selectOption('fr');
    const beside = page.getByRole('region', { name: 'title in fr' });
    await expect.poll(() => field(beside, 'title').inputValue()).toBe('La saison des truffes');
    expect(page.url()).toContain('beside=fr');
    await axe(page);
    await shoot(page, 'edit-locales');
    await button(page, 'Publish').click();
    await said(page, 'Published');
    expect(sent[0]).toMatchObject({ method: 'PUT', path: `rest/articles/${documentId}?status=draft&locale=de` });
    expect(sent[0]!.data).not.toHaveProperty('readingMinutes');
    await locales
      .getByRole('link', { name: /^German/ })
      .getByText('published')
      .waitFor();
    const stored = await console.sheaf.documents('api::article.article').findOne({ documentId, locale: 'de' });
    expect(stored).toMatchObject({ title: 'Trüffelzeit', readingMinutes: 7 });
  });

  it('notices what someone else stored, and lets one choose', async () => {
    const documentId = await restaurant('Dōjō');
    const restaurants = console.sheaf.documents('api::restaurant.restaurant');
    const page = await console.open(`/content/restaurants/${documentId}`);
    const sent = writesOf(page);
    await field(page, 'description').fill('Mine');
    await field(page, 'stars').fill('1');
    await console.makeAccount('bob@example.com', 'strapi-super-admin');
    const other = await console.open(`/content/restaurants/${documentId}`, { as: 'bob@example.com' });
    await field(other, 'description').fill('Theirs');
    await field(other, 'averagePrice').fill('210');
    await button(other, 'Save').click();
    await said(other, 'Saved');
    await other.getByText(/in the console last by Bob Example$/).waitFor();
    await button(page, 'Save').click();
    const dialog = page.getByRole('dialog', { name: 'Someone else changed this entry' });
    await dialog.getByText('Bob Example changed it last').waitFor();
    expect(sent).toEqual([]);
    const rowOf = (name: string) => dialog.getByRole('row').filter({ hasText: name });
    expect(await rowOf('description').textContent()).toContain('changed by both');
    expect(await rowOf('averagePrice').textContent()).toContain('changed by someone else');
    expect(await rowOf('stars').textContent()).toContain('changed by you');
    await axe(page);
    await shoot(page, 'edit-conflict');
    await page.getByLabel('Keep of description').selectOption('Stored now');
    await button(page, 'Save as chosen').click();
    await said(page, 'Saved');
    expect(sent.map(({ data }) => data)).toEqual([{ stars: 1 }]);
    expect(await restaurants.findOne({ documentId })).toMatchObject({
      description: 'Theirs',
      averagePrice: 210,
      stars: 1,
    });
    await field(page, 'description').fill('Mine again');
    await restaurants.update({ documentId, data: { description: 'Theirs again' } });
    await button(page, 'Save').click();
    await button(page, 'Drop mine and take theirs').click();
    await expect.poll(() => field(page, 'description').inputValue()).toBe('Theirs again');
    expect(sent).toHaveLength(1);
  });

  it('says what is wrong at its field, before and after it was sent', async () => {
    console.allow(/400 (PUT|POST) /);
    const documentId = await restaurant('Bistrot 100%');
    const page = await console.open(`/content/restaurants/${documentId}`);
    const sent = writesOf(page);
    await field(page, 'stars').fill('9');
    await page.getByText('At most 5.').waitFor();
    await field(group(page, 'address'), 'street').fill('');
    await field(page, 'slug').fill('alba');
    await button(page, 'Save').click();
    const summary = page.getByRole('alert');
    await summary.getByText('2 things are not right yet.').waitFor();
    expect(sent).toEqual([]);
    await summary.getByRole('button', { name: 'address.street' }).click();
    expect(await page.locator(':focus').getAttribute('id')).toBe(
      await field(group(page, 'address'), 'street').getAttribute('id'),
    );
    await page.keyboard.type('Rue Basse 3');
    await field(page, 'stars').fill('2');
    await button(page, 'Save').click();
    // What only the server knows.
    await summary.getByText('One thing is not right yet.').waitFor();
    expect(await field(page, 'slug').getAttribute('aria-invalid')).toBe('true');
    await axe(page);
    await shoot(page, 'edit-problems');
    await field(page, 'slug').fill('bistrot-2');
    await summary.waitFor({ state: 'detached' });
    await button(page, 'Save').click();
    await said(page, 'Saved');
  });

  it('keeps what is not saved over a reload, and asks before it is left', async () => {
    const documentId = await restaurant('El_Elote');
    const page = await console.open(`/content/restaurants/${documentId}`);
    page.on('dialog', (dialog) => dialog.accept());
    await field(page, 'description').fill('Not saved');
    await page.getByRole('link', { name: 'Find', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.waitFor();
    await axe(page);
    await shoot(page, 'edit-leave');
    await button(page, 'Cancel').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await field(page, 'description').inputValue()).toBe('Not saved');
    await page.reload();
    await button(page, 'Restore them').waitFor();
    await axe(page);
    await shoot(page, 'edit-kept');
    await button(page, 'Restore them').click();
    expect(await field(page, 'description').inputValue()).toBe('Not saved');
    await page.getByRole('link', { name: 'Restaurant', exact: true }).click();
    await button(page, 'Leave').click();
    await page.waitForURL(/\/content\/restaurants$/);
    await page.goBack();
    await button(page, 'Restore them').click();
    await page.goForward();
    await dialog.waitFor();
    await button(page, 'Cancel').click();
    expect(page.url()).toContain(documentId);
    await button(page, 'Save').click();
    await said(page, 'Saved');
    await page.reload();
    await field(page, 'description').waitFor();
    expect(await button(page, 'Restore them').count()).toBe(0);
  });

  it('lets a role write what it may, and nothing else', async () => {
    await grant(console.sheaf, 'strapi-editor', [
      ['read', 'api::restaurant.restaurant', ['name', 'stars', 'chef', 'categories']],
      ['update', 'api::restaurant.restaurant', ['stars']],
      ['read', 'api::category.category', ['name']],
      ['read', 'api::article.article', ['title', 'slug'], ['en']],
    ]);
    await console.makeAccount('eve@example.com', 'strapi-editor');
    const documentId = await restaurant('Alba');
    const page = await console.open(`/content/restaurants/${documentId}`, { as: 'eve@example.com' });
    const sent = writesOf(page);
    await field(page, 'stars').fill('2');
    expect(await field(page, 'name').getAttribute('readonly')).not.toBeNull();
    expect(await field(page, 'description').count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'Add to categories' }).count()).toBe(0);
    // It may not read chefs.
    expect(await group(page, 'chef').count()).toBe(0);
    await button(page, 'Save').click();
    await said(page, 'Saved');
    expect(sent.map(({ data }) => data)).toEqual([{ stars: 2 }]);
    // It has no right to delete, and none to make entries.
    expect(await button(page, 'More to do').count()).toBe(0);
    await page.goto(`${console.base}/console/content/restaurants/new`);
    await page.getByRole('heading', { name: 'Your role may not open this' }).waitFor();
    const article = await idOf('api::article.article', { title: 'Truffle season' });
    await page.goto(`${console.base}/console/content/articles/${article}?locale=fr`);
    await page.getByText('It may not work in the locale fr.').waitFor();
    await page.goto(`${console.base}/console/content/articles/${article}`);
    await page.getByText('read only').waitFor();
    await axe(page);
  });

  it('edits the entry of a single type, and on a phone', async () => {
    const page = await console.open('/single/homepage', { phone: true });
    const sent = writesOf(page);
    await field(page, 'title').fill('The guide, again');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    await axe(page);
    await shoot(page, 'edit-phone');
    await button(page, 'Save draft').tap();
    await said(page, 'Draft saved');
    expect(sent).toEqual([{ method: 'PUT', path: 'rest/homepage?status=draft', data: { title: 'The guide, again' } }]);
    await page.getByText('modified').waitFor();
    const entry = await console.open(`/content/restaurants/${await restaurant('Alba')}`, { phone: true });
    await field(entry, 'name').waitFor();
    await axe(entry);
    expect(await entry.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
