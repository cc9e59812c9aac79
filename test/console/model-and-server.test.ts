// The model as a drawing and as pages, and how the server is, in a browser.
import { expect, it, vi } from 'vitest';
import { unavailableError } from '../../src/errors.ts';
import { axe, shoot, useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';

describeOnSqlite('The model and the server in the console', (engine) => {
  const console = useConsole(engine);

  it('draws types and relations, each leading to its page, and its requests to Find', async () => {
    const page = await console.open('/model');
    const drawing = page.getByRole('region', { name: 'Drawing of the model' });
    const box = drawing.getByRole('link', { name: /^Restaurant/ });
    await box.waitFor();
    await drawing.getByText('restaurants / categories').waitFor();
    expect(await box.innerText()).toMatch(/collection, \d/);
    await page.getByText('What leads where, in words').click();
    await page.getByText('Category and Restaurant: restaurants / categories, many to many').waitFor();
    await page.getByText('What leads where, in words').click();
    await axe(page);
    await shoot(page, 'model');

    // What is looked for is brought to the middle; what is hidden is in the URL.
    await page.getByRole('searchbox', { name: 'Search types' }).fill('restau');
    await page.waitForURL(/\?q=restau$/);
    const list = page.getByRole('navigation', { name: 'Types and components' });
    await expect.poll(() => list.getByRole('link').count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Search types' }).fill('');
    await page.getByRole('checkbox', { name: 'Components' }).uncheck();
    await page.getByRole('checkbox', { name: 'Built in' }).check();
    await page.waitForURL(/\?components=hidden&built-in=shown$/);
    await drawing.getByRole('link', { name: /^File/ }).waitFor();
    expect(await drawing.getByText('component', { exact: true }).count()).toBe(1);
    const widthOf = async (): Promise<number> => (await box.boundingBox())!.width;
    const before = await widthOf();
    await drawing.getByRole('button', { name: 'Zoom In' }).press('Enter');
    await expect.poll(widthOf).toBeGreaterThan(before);

    await box.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/model\/api%3A%3Arestaurant\.restaurant$/);
    await page.getByRole('heading', { name: 'Restaurant', level: 1 }).waitFor();
    const attributes = page.getByRole('region', { name: 'Attributes of Restaurant' });
    expect(await attributes.getByRole('row', { name: /^name / }).innerText()).toMatch(/string\s+required, 2 to 120/);
    await page.getByText(/^\d+ entries$/).waitFor();
    const uses = page.getByRole('region', { name: 'What leads here' });
    expect(await uses.innerText()).toContain('Review, by restaurant (manyToOne)');
    await page
      .getByRole('region', { name: 'Indexes' })
      .getByText(/An index serves/)
      .waitFor();
    const examples = page.getByRole('region', { name: 'Example requests' });
    await examples.getByText(/GET \/api\/restaurants\/\w{24}/).waitFor();
    await axe(page);
    await shoot(page, 'model-type');

    const urls = (await examples.getByText(/^GET /).allInnerTexts()).map((text) => text.slice('GET '.length));
    expect(urls.length).toBeGreaterThan(3);
    for (const url of urls) expect([url, (await fetch(`${console.base}${url}`)).status]).toEqual([url, 200]);
    const find = examples.getByRole('link', { name: /Open in Find \(Filtered through/ });
    expect(new URL((await find.getAttribute('href'))!, console.base).searchParams.get('url')).toMatch(
      /^\/api\/restaurants\?filters/,
    );
    // Accounts of the console have no page here.
    await attributes.getByText('admin::user').first().waitFor();
    expect(await attributes.getByRole('link', { name: 'admin::user' }).count()).toBe(0);
    await attributes.getByRole('link', { name: 'Chef' }).click();
    await page.getByRole('heading', { name: 'Chef', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Restaurant', level: 1 }).waitFor();
  });

  it('shows how the server is, and what failed', async () => {
    /** `sort`: another one each time, for what was planned before is not planned again. */
    const fail = async (message: string, sort: string): Promise<void> => {
      const find = vi.spyOn(console.sheaf.operations, 'find').mockImplementationOnce(() => {
        throw unavailableError(message);
      });
      expect((await fetch(`${console.base}/api/restaurants?sort=${sort}`)).status).toBe(503);
      find.mockRestore();
    };
    await fail('The kitchen is on fire', 'stars');
    expect((await fetch(`${console.base}/api/restaurants?sort=stars`)).status).toBe(200);
    const page = await console.open('/server');
    const errors = page.getByRole('region', { name: 'Recent errors', exact: true });
    const failed = errors.getByRole('row', { name: /GET \/api\/restaurants/ });
    await failed.waitFor();
    expect(await failed.innerText()).toMatch(/503[\s\S]*The kitchen is on fire/);
    await page.getByText('The tables of the database are as the content-types say.').waitFor();
    await page.getByRole('region', { name: 'Slow requests', exact: true }).waitFor();
    await page.getByRole('img', { name: /^Requests per minute\. \d+ in the last hour/ }).waitFor();
    await page.getByRole('img', { name: 'Failed requests per minute. 1 in the last hour' }).waitFor();
    await page.getByText('As a table').click();
    const minutes = page.getByRole('region', { name: 'Load by minute' }).getByRole('rowheader');
    expect(await minutes.count()).toBeGreaterThan(0);
    await axe(page);
    await shoot(page, 'server');

    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.getByText(/, paused$/).waitFor();
    await fail('The kitchen is flooded', 'rating');
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await errors.getByText('The kitchen is flooded').waitFor();
  });

  it('fits on a phone', async () => {
    const page = await console.open('/model', { phone: true });
    const fits = (): Promise<unknown> => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    await page.getByRole('region', { name: 'Drawing of the model' }).getByRole('link', { name: /^Tag/ }).waitFor();
    expect(await fits()).toBe(true);
    await shoot(page, 'model-phone');
    await axe(page);
    await page
      .getByRole('navigation', { name: 'Types and components' })
      .getByRole('link', { name: /^Article/ })
      .tap();
    await page.getByRole('heading', { name: 'Article', level: 1 }).waitFor();
    expect(await fits()).toBe(true);
    await axe(page);
    await page.goto(`${console.base}/console/server`);
    await page.getByRole('region', { name: 'Load of the last hour' }).waitFor();
    expect(await fits()).toBe(true);
    await shoot(page, 'server-phone');
    await axe(page);
  });
});
