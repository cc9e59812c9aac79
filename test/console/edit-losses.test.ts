// What a form must not lose, nor send or publish unseen.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const unsaved = (page: Page) => page.getByText('unsaved changes');

describeOnSqlite('The form of an entry', (engine) => {
  const console = useConsole(engine);
  const open = async (uid: string, path: string): Promise<{ page: Page; documentId: string }> => {
    const entry = await console.sheaf.documents(uid).findFirst({ status: 'draft' });
    const { documentId } = entry!;
    return { page: await console.open(`/content/${path}/${documentId}`), documentId };
  };

  it('asks before text is left that is no JSON yet, and says so where it is saved', async () => {
    const { page } = await open('api::restaurant.restaurant', 'restaurants');
    await page.getByRole('textbox', { name: 'meta' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('{');
    await unsaved(page).waitFor();
    await page.getByRole('link', { name: 'Files' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByText('What is not valid JSON is lost.').waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Save').click();
    await page.getByText('One thing is not right yet.').waitFor();
  });

  it('offers nothing later of what was changed back', async () => {
    const { page } = await open('api::restaurant.restaurant', 'restaurants');
    const name = page.getByLabel(/^name/);
    const before = await name.inputValue();
    await name.fill('Another');
    const kept = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('sheaf.unsaved')));
    await expect.poll(kept).toHaveLength(1);
    await name.fill(before);
    await expect.poll(kept).toEqual([]);
  });

  it('sends an empty text neither as one nor as none where it was empty before', async () => {
    const restaurants = console.sheaf.documents('api::restaurant.restaurant');
    const { page, documentId } = await open('api::restaurant.restaurant', 'restaurants');
    await restaurants.update({ documentId, data: { description: '' } });
    await page.reload();
    const description = page.getByLabel('description', { exact: true });
    await description.fill('x');
    await unsaved(page).waitFor();
    await description.fill('');
    await unsaved(page).waitFor({ state: 'detached' });
  });

  it('shows what someone else stored before that is published', async () => {
    const articles = console.sheaf.documents('api::article.article');
    const { documentId } = (await articles.findFirst({ status: 'draft' }))!;
    const store = (title: string) => articles.update({ documentId, data: { title }, status: 'draft' });
    await store('As it was opened');
    const page = await console.open(`/content/articles/${documentId}`);
    await page.getByLabel(/^title/).waitFor();
    await store('Theirs');
    const published: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') published.push(request.url());
    });
    await button(page, 'Publish').click();
    await page.getByRole('dialog', { name: 'Someone else changed this entry' }).waitFor();
    expect(published).toEqual([]);
  });

  it('is as wide as a phone, whatever the number of locales', async () => {
    const { documentId } = (await console.sheaf.documents('api::article.article').findFirst({ status: 'draft' }))!;
    const page = await console.open(`/content/articles/${documentId}`, { phone: true });
    await page.getByLabel(/^title/).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  });
});
