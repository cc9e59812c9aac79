// Finding entries by pointing: requests are built by mouse, by keyboard alone, on a phone, and from a paste, and each is
// seen in words, in code, with its answer and its plan.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axe, shoot, useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';
import { chooseItem } from '../support/keyboard.ts';

describeOnSqlite('Find', (engine) => {
  const console = useConsole(engine);

  const result = (page: Page) => page.getByRole('region', { name: 'Result' });
  /** The entries of the answer, once there are as many as expected. */
  const found = async (page: Page, count: number): Promise<string[]> => {
    await page.locator('.find-results[aria-busy="false"]').waitFor();
    const links = result(page).getByRole('table').getByRole('link');
    await expect.poll(() => links.count()).toBe(count);
    return links.allInnerTexts();
  };
  const says = (page: Page, words: string) => expect.poll(() => page.locator('.find-sentence').innerText()).toBe(words);
  const choose = async (page: Page, ...paths: string[]): Promise<void> => {
    for (const path of paths) await page.getByRole('treeitem', { name: `${path},` }).click();
  };
  /** The request in the address of the page. */
  const address = (page: Page): string | null => new URL(page.url()).searchParams.get('url');
  const settles = (page: Page, url: string) => expect.poll(() => address(page)).toBe(url);

  it('finds entries through a filter two relations deep, by mouse', async () => {
    const page = await console.open('/find');
    await page.getByLabel('Content-type').waitFor();
    await axe(page);
    await shoot(page, 'find-empty');
    await page.getByLabel('Content-type').selectOption({ label: 'Restaurant' });
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('treeitem', { name: 'chef,' }).waitFor();
    await axe(page);
    await shoot(page, 'find-tree');
    await choose(page, 'chef', 'chef › country', 'chef › country › name');
    await page.getByLabel('Value of chef › country › name').fill('France');
    await says(page, 'Restaurants whose chef’s country’s name is “France”, 25 a page.');
    expect(await found(page, 2)).toEqual(['Bistrot 100%', "Buffet de la Gare 'Est'"]);

    // No dish of which costs more than 20, highest first; with its chef.
    await page.getByRole('button', { name: 'Add condition' }).click();
    await choose(page, 'dishes', 'dishes › price');
    await page.getByLabel('How many of dishes').selectOption('no');
    await page.getByLabel('Operator of dishes › price').selectOption('is more than');
    await page.getByLabel('Value of dishes › price').fill('20');
    await page.getByRole('button', { name: 'Add sort' }).click();
    await choose(page, 'stars');
    await page.getByLabel('Order of stars').selectOption('descending');
    await page.getByLabel('Show each entry › chef').check();
    await says(
      page,
      'Restaurants whose chef’s country’s name is “France” and with no dish whose price is more than 20, by stars, highest first, shown with chef, 25 a page.',
    );
    await settles(
      page,
      '/api/restaurants?filters[chef][country][name][$eq]=France&filters[dishes][$none][price][$gt]=20&sort=stars:desc&populate[chef]=true',
    );
    await page.getByRole('heading', { name: 'Find' }).scrollIntoViewIfNeeded();
    await shoot(page, 'find');
    await axe(page);

    // A group, negated; the condition goes into it by its menu, and out of it by dragging.
    await page.getByRole('button', { name: 'Add group' }).click();
    await page.getByRole('button', { name: 'Not', exact: true }).click();
    await page.getByRole('button', { name: 'Move or change dishes › price' }).click();
    await page.getByRole('menuitem', { name: 'Move into the group beside it' }).click();
    await says(
      page,
      'Restaurants whose chef’s country’s name is “France” and that are not among those with no dish whose price is more than 20, by stars, highest first, shown with chef, 25 a page.',
    );
    const handle = (await page.locator('.find-filters .find-handle').last().boundingBox())!;
    await page.mouse.move(handle.x + 8, handle.y + 12);
    await page.mouse.down();
    await page.mouse.move(handle.x + 8, handle.y - 10, { steps: 4 });
    // The page may still be laid out, and says in a later frame where what is dragged would be put down.
    const top = page.locator('.find-drop').first();
    const dragToTop = async (): Promise<string | null> => {
      const { x, y } = (await top.boundingBox())!;
      await page.mouse.move(x + 30, y + 3, { steps: 8 });
      return top.getAttribute('class');
    };
    await expect.poll(dragToTop).toContain('find-drop-over');
    await page.mouse.up();
    await page.getByRole('button', { name: 'Remove group' }).click();
    await settles(
      page,
      '/api/restaurants?filters[dishes][$none][price][$gt]=20&filters[chef][country][name][$eq]=France&sort=stars:desc&populate[chef]=true',
    );
    await found(page, 2);
    await page.getByRole('link', { name: 'Open in browse' }).click();
    await page.getByRole('heading', { name: 'Restaurant' }).waitFor();
    await page.getByRole('link', { name: 'Bistrot' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Bistrot' }).click();
    await page.waitForURL(/\/content\/restaurants\/[a-z0-9]{24}/);
  });

  it('does the same by keyboard alone', async () => {
    const page = await console.open('/find?url=/api/restaurants');
    await page.getByLabel('Content-type').waitFor();
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = (): Promise<string> =>
      page.evaluate<string>(
        `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)`,
      );
    const tabTo = async (name: string, back = false): Promise<void> => {
      for (let i = 0; i < 60 && (await focused()) !== name; i++) await press(back ? 'Shift+Tab' : 'Tab');
      expect(await focused()).toBe(name);
    };
    await tabTo('Add condition');
    await press('Enter');
    // In the tree: down to the chef, into it, down to its country, into that, down to its name.
    await expect.poll(focused).toBe('Search attributes');
    await press('ArrowDown');
    const downTo = async (name: string): Promise<void> => {
      for (let i = 0; i < 60 && !(await focused()).startsWith(`${name},`); i++) await press('ArrowDown');
      expect(await focused()).toContain(`${name},`);
    };
    await downTo('chef');
    await press('ArrowRight');
    await downTo('chef › country');
    await press('ArrowRight');
    await downTo('chef › country › name');
    await press('Enter');
    await expect.poll(focused).toBe('Operator of chef › country › name');
    await page.keyboard.type('is one of');
    await tabTo('Value of chef › country › name, 1');
    await page.keyboard.type('France');
    await tabTo('Value');
    await press('Enter');
    await tabTo('Value of chef › country › name, 2', true);
    await page.keyboard.type('Italy');
    await says(page, 'Restaurants whose chef’s country’s name is “France” or “Italy”, 25 a page.');
    expect((await found(page, 4)).slice(0, 2)).toEqual(['Alba', 'Bistrot 100%']);

    // Another, found by searching; both go into a group, which is negated; then one comes out again.
    await tabTo('Add condition');
    await press('Enter');
    await expect.poll(focused).toBe('Search attributes');
    await page.keyboard.type('stars');
    await press('Enter');
    await expect.poll(focused).toBe('Operator of stars');
    await page.keyboard.type('is at least');
    await press('Tab');
    await page.keyboard.type('2');
    await tabTo('Move or change stars');
    await press('Enter');
    await chooseItem(page, 'Put into a group');
    await expect.poll(focused).toBe('Not');
    await press('Space');
    await says(
      page,
      'Restaurants whose chef’s country’s name is “France” or “Italy” and that are not among those whose stars are at least 2, 25 a page.',
    );
    await tabTo('Move or change stars');
    await press('Enter');
    await chooseItem(page, 'Move out of its group');
    await settles(
      page,
      '/api/restaurants?filters[chef][country][name][$in][0]=France&filters[chef][country][name][$in][1]=Italy&filters[stars][$gte]=2',
    );
    await tabTo('Answer');
    await press('ArrowRight', 'ArrowRight', 'Enter');
    await expect.poll(() => result(page).locator('pre').innerText()).toContain('curl -g');
  });

  it('builds what is pasted, shows it in every form, and explains what it costs', async () => {
    const page = await console.open('/find');
    const paste = page.getByLabel('Paste a URL or curl');
    await paste.fill('curl -X DELETE http://x/api/restaurants/1');
    await page.getByRole('button', { name: 'Build' }).click();
    await page.getByText('Only what reads can be shown here, and this is a DELETE').waitFor();
    await paste.fill(
      `curl -G 'http://example.com/api/restaurants' --data-urlencode 'filters[$or][0][stars][$gte]=2' -d 'filters[$or][1][categories][name][$ne]=Pizza' -d 'facets=cuisine' -H "authorization: Bearer x"`,
    );
    await page.getByRole('button', { name: 'Build' }).click();
    await page.getByText('The authorization is left out').waitFor();
    await says(
      page,
      'Restaurants whose stars are at least 2 or with a category whose name is not “Pizza”, 25 a page, with “facets” as it is written.',
    );
    await page.getByText('filters[categories]: $ne is met if it holds of some related entry').waitFor();
    await page.getByLabel('Value of stars').fill('3');
    await page.getByRole('button', { name: 'Not', exact: true }).click();
    const url =
      '/api/restaurants?filters[$not][$or][0][stars][$gte]=3&filters[$not][$or][1][categories][name][$ne]=Pizza&facets=cuisine';
    await settles(page, url);

    const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
    const code = result(page).locator('pre').first();
    await tab('URL');
    await expect.poll(() => code.innerText()).toBe(`${console.base}${url}`);
    await tab('curl');
    await expect.poll(() => code.innerText()).toContain(`curl -g '${console.base}${url}'`);
    await tab('Client');
    await expect
      .poll(() => code.innerText())
      .toContain('await client.restaurants.find({\n  filters: { $not: { $or: [{ stars: { $gte: 3 } }, ');
    await tab('Plan');
    await page
      .getByRole('region', { name: 'Cost' })
      .getByText(/estimated/)
      .first()
      .waitFor();
    await expect.poll(() => result(page).locator('article pre').first().innerText()).toContain('from "restaurants"');
    await shoot(page, 'find-plan');
    await axe(page);
    await tab('Answer');
    // Until then the plan is asked for as well, which this role may not see.
    await page.getByRole('region', { name: 'Cost' }).waitFor({ state: 'detached' });
    await page.getByLabel('Ask as').selectOption({ label: 'Role: Authenticated' });
    await result(page).getByText('Forbidden').first().waitFor();
    await page.getByLabel('Ask as').selectOption({ label: 'API token: read-only' });
    await page.getByLabel('Show the answer as').selectOption('JSON');
    await result(page).getByText('pagination:').waitFor();
    await axe(page);
    await shoot(page, 'find-json');

    // What the server refuses is said beside the condition.
    await page.getByLabel('Value of stars').fill('many');
    await page.getByRole('region', { name: 'Conditions' }).getByText('Invalid value for stars').waitFor();
    await axe(page);
    await shoot(page, 'find-refused');
    // The browser goes back to what was there before the paste.
    await page.goBack();
    await expect.poll(() => page.getByLabel('Value of stars').count()).toBe(0);
  });

  it('chooses entries, dates and what is shown, on a phone', async () => {
    const page = await console.open('/find?url=/api/restaurants', { phone: true });
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Search attributes').fill('categories');
    await page.getByRole('treeitem', { name: /^categories: which/ }).click();
    await page.getByLabel('Entry of categories').fill('piz');
    await page.getByRole('option', { name: 'Pizza' }).click();
    await says(page, 'Restaurants with a category that is Pizza, 25 a page.');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Search attributes').fill('inspected');
    await page.getByRole('treeitem', { name: /^inspectedAt,/ }).click();
    await page.getByLabel('Form of: Value of inspected at').selectOption('From now');
    await page.getByLabel('Operator of inspected at').selectOption('is before');
    await page.getByLabel('Show each entry › dishes').check();
    await page.getByRole('button', { name: 'What is shown of each entry › dishes' }).click();
    await page.getByLabel('At most, of each entry › dishes').fill('1');
    await says(
      page,
      'Restaurants with a category that is Pizza and whose inspected at is before 7 days ago, shown with dishes, 25 a page.',
    );
    expect(await found(page, 1)).toEqual(['Alba']);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Show the result' }).click();
    await shoot(page, 'find-phone');
    await axe(page);
    await page.getByRole('heading', { name: 'Conditions' }).scrollIntoViewIfNeeded();
    await shoot(page, 'find-phone-builder');
  });

  it('shows an editor what an editor may see, and no more', async () => {
    await console.makeAccount('eve@example.com', 'strapi-editor');
    const page = await console.open('/find?url=/api/articles?status=draft', { as: 'eve@example.com' });
    // The role has no permission to read them.
    await page.getByText('There is no content-type at /api/articles that you may know.').waitFor();
    await result(page).getByText('Forbidden').first().waitFor();
    expect(await page.getByRole('tab', { name: 'Plan' }).count()).toBe(0);
    expect(await page.getByLabel('Ask as').count()).toBe(0);
  });
});
