// A server that stops while the console is open, and comes back.
import { expect, it } from 'vitest';
import { useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';

const STOPPED = 'The server does not answer. Is it still running?';

describeOnSqlite('A server that stops and comes back', (engine) => {
  const console = useConsole(engine);

  it('is noticed, and what could not be read is read by itself', async () => {
    console.allow(/ERR_CONNECTION_REFUSED/);
    const page = await console.open('/content');
    await page.getByRole('link', { name: /^Restaurant/ }).waitFor();
    await page.route('**/console/api/**', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: /^Restaurant/ }).click();
    await page.getByText(STOPPED).first().waitFor();
    await page.unroute('**/console/api/**');
    await page.getByRole('link', { name: 'Alba', exact: true }).waitFor();
    expect(await page.getByText(STOPPED).count()).toBe(0);
  });

  it('keeps a view from being loaded, which can be tried again', async () => {
    console.allow(/ERR_CONNECTION_REFUSED|Logged: /);
    const page = await console.open('/content');
    await page.getByRole('link', { name: /^Restaurant/ }).waitFor();
    await page.route('**/console/assets/**', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Server', exact: true }).click();
    await page.getByText('This page could not be loaded or shown.').waitFor();
    await page.unroute('**/console/assets/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Load of the last hour' }).waitFor();
  });
});
