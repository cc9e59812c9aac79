// How people get into the console: by the link that a start prints, by a password, by an account that Strapi made, and
// again when their session has ended.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { PASSWORD as STRAPI_PASSWORD } from '../support/auth.ts';
import { axe, PASSWORD, shoot, useConsole } from '../support/console.ts';
import { describeOnSqlite, type Engine } from '../support/database.ts';
import { chooseItem, keyboardOf } from '../support/keyboard.ts';
import { useNodes } from '../support/nodes.ts';
import { usePages } from '../support/pages.ts';

const LINK = /^ +http:\/\/\S+\/console\/welcome\?token=\S+$/;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name });

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await heading(page, 'Log in to Sheaf').waitFor();
}

function firstAccount(engine: Engine): void {
  const pages = usePages();
  const startNode = useNodes();
  /** The link that a server prints which nobody has an account of yet. */
  const printedLink = async (): Promise<string> => {
    const node = await startNode(engine.freshDatabaseUrl());
    return (await node.printed(LINK)).trim();
  };

  it('is made by mouse, and the link is good once', async () => {
    pages.allow(/^40[04] (GET|POST) \/console\/api\/welcome/);
    const link = await printedLink();
    const page = await pages.open(link);
    await heading(page, 'Create the first account').waitFor();
    await axe(page);
    await shoot(page, 'sign-in-first');
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill('too-simple');
    await button(page, 'Create the account').click();
    await page.getByText('password must contain at least one upper-case letter').waitFor();
    expect(await page.getByLabel('Password').getAttribute('aria-invalid')).toBe('true');
    await axe(page);
    await page.getByLabel('Password').fill(PASSWORD);
    await button(page, 'Create the account').click();
    await page.waitForURL(/\/console\/content$/);
    await page.getByRole('link', { name: 'Restaurant' }).waitFor();
    await page.reload();
    await button(page, 'Account: Ada').waitFor();
    await logOut(page);

    await page.goto(link);
    await heading(page, 'This link cannot be used').waitFor();
    await page.getByText('it was used, or its time is over').waitFor();
    await page.getByText('If you have chosen a password, log in with it.').waitFor();
    await axe(page);
    await shoot(page, 'sign-in-used-link');
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await button(page, 'Log in').click();
    await button(page, 'Account: Ada').waitFor();
  });

  it('is made by keyboard', async () => {
    const page = await pages.open(await printedLink());
    const keys = keyboardOf(page);
    await expect.poll(keys.focused).toBe('First name');
    await keys.walk();
    await keys.tabTo('First name');
    await keys.type('Ben');
    await keys.tabTo('Email');
    await keys.type('ben@example.com');
    await keys.tabTo('Password');
    await keys.type(PASSWORD);
    await keys.press('Enter');
    await page.getByRole('link', { name: 'Restaurant' }).waitFor();
    await keys.tabTo('Account: Ben');
    await keys.press('Enter');
    await chooseItem(page, 'Log out');
    await heading(page, 'Log in to Sheaf').waitFor();
  });
}

describeOnSqlite('The first account of the console', firstAccount);

describeOnSqlite('Logging in to the console', (engine) => {
  const console = useConsole(engine);

  it('takes an account that Strapi made, by keyboard, and says what is wrong', async () => {
    console.allow(/^400 POST \/console\/api\/session$/);
    // Strapi's admin hashes as its users plugin does: this is a hash that it wrote.
    const statements = [
      `insert into admin_users (document_id, firstname, lastname, email, password, is_active, blocked, prefered_language, created_at, updated_at, published_at)
         select 'k2x7m1v0c9q8w3e4r5t6y7u8', 'Sue', 'Strapi', 'sue@example.com', password, 1, 0, null, created_at, updated_at, published_at
         from up_users where username = 'John'`,
      `insert into admin_users_roles_lnk (user_id, role_id, role_ord, user_ord)
         select u.id, r.id, 1, 1 from admin_users u, admin_roles r where u.email = 'sue@example.com' and r.code = 'strapi-super-admin'`,
    ];
    await console.sheaf.database.transaction(async (session) => {
      for (const sql of statements) await session.rows({ sql, bindings: [] }, []);
    });
    const page = await console.open('/content/dishes?sort=price', { as: null });
    const keys = keyboardOf(page);
    await expect.poll(keys.focused).toBe('Email');
    await keys.walk();
    await axe(page);
    await shoot(page, 'sign-in');
    await keys.tabTo('Email');
    await keys.type('sue@example.com');
    await keys.press('Tab');
    await keys.type('Not-the-password-1');
    await keys.tabTo('Log in');
    await keys.press('Enter');
    await page.getByRole('alert').getByText('Wrong email or password').waitFor();
    // What is typed now takes the place of the wrong one.
    await expect.poll(keys.focused).toBe('Password');
    await axe(page);
    await shoot(page, 'sign-in-wrong');
    await keys.type(STRAPI_PASSWORD);
    await keys.press('Enter');
    await page.getByRole('link', { name: 'Omakase' }).waitFor();
    expect(new URL(page.url()).search).toBe('?sort=price');
    await logOut(page);
    await page.goto(`${console.base}/console/files`);
    await heading(page, 'Log in to Sheaf').waitFor();
  });

  describe('again, when a session has ended', () => {
    const endSessions = (): Promise<unknown> =>
      console.sheaf.database.transaction((session) =>
        session.rows({ sql: 'delete from sheaf_console_sessions', bindings: [] }, []),
      );

    it('leads back to where one was, with what was not saved', async () => {
      console.allow(/^401 /);
      await console.makeAccount('lea@example.com', 'strapi-super-admin');
      const restaurants = console.sheaf.documents('api::restaurant.restaurant');
      const { documentId } = (await restaurants.findFirst({ filters: { name: 'Jardin' } }))!;
      const page = await console.open(`/content/restaurants/${documentId}`, { as: 'lea@example.com' });
      await page.getByLabel('description').fill('Roses, and a fountain');
      await endSessions();
      await button(page, 'Save').click();
      await page.getByText('Your session has ended.').waitFor();
      await axe(page);
      await shoot(page, 'sign-in-again');
      const keys = keyboardOf(page);
      await keys.tabTo('Email');
      await keys.type('lea@example.com');
      await keys.press('Tab');
      await keys.type(PASSWORD);
      await keys.press('Enter');
      await button(page, 'Restore them').click();
      expect(await page.getByLabel('description').inputValue()).toBe('Roses, and a fountain');
      await button(page, 'Save').click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await restaurants.findOne({ documentId })).toMatchObject({ description: 'Roses, and a fountain' });
    });

    it('shows someone else nothing of what was read before', async () => {
      console.allow(/^401 /);
      await console.makeAccount('eve@example.com', 'strapi-editor');
      const page = await console.open('/find?url=/api/authors');
      const types = () => page.getByLabel('Content-type').getByRole('option').allTextContents();
      await expect.poll(types).toContain('Article');
      await endSessions();
      await page.getByLabel('Content-type').selectOption('Category');
      await page.getByLabel('Email').fill('eve@example.com');
      await page.getByLabel('Password').fill(PASSWORD);
      await button(page, 'Log in').click();
      await expect.poll(types).toContain('Category');
      // An editor has no locale of articles.
      expect(await types()).not.toContain('Article');
    });
  });
});
