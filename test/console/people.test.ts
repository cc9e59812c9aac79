// Who may do what, looked after in the console: roles of the API, its users, tokens, and accounts of the console itself.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { CONSOLE_API, CONSOLE_HEADER } from '../../src/console/contract.ts';
import { axe, PASSWORD, shoot, useConsole } from '../support/console.ts';
import { describeOnSqlite } from '../support/database.ts';
import { chooseItem } from '../support/keyboard.ts';

describeOnSqlite('People in the console', (engine) => {
  const console = useConsole(engine);
  const statusOf = async (path: string, token?: string): Promise<number> =>
    (await fetch(`${console.base}${path}`, token ? { headers: { authorization: `Bearer ${token}` } } : {})).status;
  const shown = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

  it('grants by the matrix what then works over HTTP, and takes it back by keyboard', async () => {
    await (await console.sheaf.auth()).roles.revoke('public', ['api::tag.tag.find', 'api::tag.tag.findOne']);
    expect(await statusOf('/api/tags')).toBe(403);
    const page = await console.open('/people');
    await page.getByRole('link', { name: /^Public/ }).click();
    await page.waitForURL(/\/people\/roles\?role=public$/);
    const find = page.getByRole('checkbox', { name: /^Public may find Tags?$/ });
    const findOne = page.getByRole('checkbox', { name: /^Public may findOne Tags?$/ });
    expect([await find.isChecked(), await findOne.isChecked()]).toEqual([false, false]);
    await find.check();
    await findOne.check();
    await findOne.uncheck();
    const changes = page.getByRole('region', { name: 'Changes' });
    expect(await changes.innerText()).toMatch(/1 change\s+Public may now find Tags?\s/);
    await axe(page);
    await shoot(page, 'people-roles');
    await changes.getByRole('button', { name: 'Save' }).click();
    await changes.waitFor({ state: 'detached' });
    expect(await statusOf('/api/tags')).toBe(200);

    await find.focus();
    await page.keyboard.press('Space');
    await shown(page, /Public may no longer find Tag/);
    await changes.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await changes.waitFor({ state: 'detached' });
    expect(await statusOf('/api/tags')).toBe(403);

    // What was changed and not sent is asked for before it is lost.
    await find.check();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click();
    expect(await find.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Discard' }).click();

    // The same request in the eyes of the role, and in one's own again.
    await page.getByRole('link', { name: /What would Public see of Chefs?\?/ }).click();
    await page.waitForURL(/\/find\?url=%2Fapi%2Fchefs.*&as=role%3Apublic$/);
    const as = page.getByLabel('Ask as');
    expect(await as.locator('option:checked').innerText()).toBe('Role: Public');
    await page.getByRole('textbox', { name: /URL or curl/ }).fill(`${console.base}/api/tags`);
    await page.keyboard.press('Enter');
    await page.waitForURL(/url=%2Fapi%2Ftags.*&as=role%3Apublic$/);
    await page.getByRole('region', { name: 'Result' }).getByText('403').first().waitFor();
    await as.selectOption({ label: 'Me' });
    await page.waitForURL((url) => !url.searchParams.has('as'));
    await page.getByRole('region', { name: 'Result' }).getByText('200').first().waitFor();
  });

  it('makes a token, shows it once, and deletes it', async () => {
    const page = await console.open('/people/tokens');
    const begin = page.getByRole('button', { name: 'New token' });
    const form = page.getByRole('dialog', { name: 'New API token' });
    // The focus goes into the window, and back where it was.
    await begin.press('Enter');
    await form.waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New token');
    await begin.press('Enter');
    console.allow(/^400 POST \/console\/api\/tokens$/);
    await form.getByRole('button', { name: 'Create the token' }).click();
    await form.locator('.field-error').first().waitFor();
    await form.getByLabel('Name').fill('Import');
    await form.getByLabel('May').selectOption('custom');
    await form.getByText(/^Tags?$/).click();
    await form.getByRole('checkbox', { name: /^find Tags?$/ }).check();
    await shoot(page, 'people-token');
    await axe(page);
    await page.keyboard.press('Enter');
    const secret = await page.getByLabel('The token', { exact: true }).innerText();
    expect(secret).toMatch(/^[0-9a-f]{256}$/);
    expect([await statusOf('/api/tags', secret), await statusOf('/api/chefs', secret)]).toEqual([200, 403]);
    await page.getByRole('button', { name: 'Copy the token' }).waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Close' }).click();
    await shown(page, 'custom: 1 action');
    await axe(page);
    await shoot(page, 'people-tokens');
    await page.reload();
    await page.getByRole('rowheader', { name: 'Import' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    const tryIt = page.getByRole('link', { name: 'Try as read-only' });
    expect(await tryIt.getAttribute('href')).toMatch(/as=token%3Aread-only$/);
    await page.getByRole('button', { name: 'Delete Import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the token' }).click();
    await shown(page, 'Import is deleted');
    await page.getByRole('rowheader', { name: 'Import' }).waitFor({ state: 'detached' });
    expect(await statusOf('/api/tags', secret)).toBe(401);
  });

  it('invites someone, who chooses a password and may do what the role says and no more', async () => {
    const page = await console.open('/people/accounts');
    await page.getByRole('button', { name: 'Invite' }).click();
    const form = page.getByRole('dialog', { name: 'Invite to the console' });
    await form.getByLabel('Email').fill('noor@example.com');
    await form.getByLabel('First name').fill('Noor');
    await form.getByRole('checkbox', { name: 'Author' }).check();
    await axe(page);
    await shoot(page, 'people-invite');
    await form.getByRole('button', { name: 'Invite' }).click();
    const link = await page.getByLabel('The link', { exact: true }).innerText();
    expect(link.startsWith(`${console.base}/console/welcome?token=`)).toBe(true);
    await axe(page);
    await page.getByRole('button', { name: 'Close' }).click();
    const row = page.getByRole('row', { name: /noor@example\.com/ });
    await row.getByText('invited').waitFor();
    await shoot(page, 'people-accounts');
    await axe(page);

    const guest = await console.open(link.slice(`${console.base}/console`.length), { as: null });
    await guest.getByLabel('Password').waitFor();
    await axe(guest);
    await shoot(guest, 'sign-in-password');
    await guest.getByLabel('Password').fill(PASSWORD);
    await guest.getByRole('button', { name: 'Set the password' }).click();
    await guest.waitForURL(/\/console\/content/);
    expect(await guest.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'People' }).count()).toBe(
      0,
    );
    console.allow(/^403 (GET|POST) \/console\/api\/(tokens|accounts|roles)/);
    expect(await asked(guest, 'GET', 'tokens')).toBe(403);
    expect(await asked(guest, 'POST', 'accounts')).toBe(403);
    await guest.getByRole('button', { name: /^Account:/ }).click();
    await guest.getByRole('menuitem', { name: 'Your rights' }).click();
    await shown(guest, /You are logged in as/);
    expect(await guest.getByRole('navigation', { name: 'People' }).getByRole('link').allInnerTexts()).toEqual(['You']);
    await axe(guest);

    // Blocked, and out at once.
    await page.reload();
    await row.getByText('active').waitFor();
    await row.getByRole('button').press('Enter');
    await page.getByRole('menuitem', { name: 'Edit…' }).press('Enter');
    await page.getByRole('dialog', { name: 'Edit noor@example.com' }).waitFor();
    await page.keyboard.press('Escape');
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.ariaLabel');
    await expect.poll(focused).toBe('What to do with noor@example.com');
    await row.getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Block' }).click();
    await row.getByText('blocked').waitFor();
    expect(await asked(guest, 'GET', 'session')).toBe(401);
    await row.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await chooseItem(page, 'Delete…');
    await page.getByRole('button', { name: 'Delete the account' }).press('Enter');
    await row.waitFor({ state: 'detached' });
    // Nobody takes the console from themselves.
    await page
      .getByRole('row', { name: /ada@example\.com/ })
      .getByRole('button')
      .click();
    const own = page.getByRole('menuitem', { name: 'Delete…' });
    expect(await own.getAttribute('aria-disabled')).toBe('true');
  });

  /** What the server says to someone, whatever the pages show. */
  const asked = (page: Page, method: string, path: string): Promise<number> =>
    page.evaluate(
      `fetch('${CONSOLE_API}/${path}', {
        method: '${method}',
        headers: { '${CONSOLE_HEADER}': '1', 'content-type': 'application/json' },
        ${method === 'GET' ? '' : "body: '{}',"}
      }).then((response) => response.status)`,
    );

  it('shows what an account may only look at without anything to change it, and says what is refused', async () => {
    await console.makeAccount('lea@example.com', 'strapi-editor');
    const grant = (action: string): Promise<unknown> =>
      console.sheaf.database.transaction(async (session) => {
        const sql = `insert into admin_permissions (document_id, action, action_parameters, properties, conditions)
          values ('${action}', '${action}', '{}', '{}', '[]')`;
        await session.rows({ sql, bindings: [] }, []);
        const link = `insert into admin_permissions_role_lnk (permission_id, role_id)
          select p.id, r.id from admin_permissions p, admin_roles r
          where p.document_id = '${action}' and r.code = 'strapi-editor'`;
        await session.rows({ sql: link, bindings: [] }, []);
      });
    const READS = ['plugin::users-permissions.roles.read', 'admin::api-tokens.read', 'admin::users.read'];
    for (const action of [...READS, 'plugin::telepathy.read']) await grant(action);
    const page = await console.open('/people', { as: 'lea@example.com' });
    await shown(page, 'Your account may look at roles, and not change them.');
    const boxes = page.getByRole('region', { name: /^Rights of/ }).getByRole('checkbox');
    expect(await boxes.count()).toBeGreaterThan(10);
    expect(await boxes.and(page.locator(':enabled')).count()).toBe(0);
    expect(await page.getByRole('link', { name: /What would/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('rowheader', { name: /^Read Only/ }).waitFor();
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('rowheader', { name: /^lea@example\.com/ }).waitFor();
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    await page.getByRole('link', { name: 'You' }).click();
    await shown(page, /plugin::telepathy\.read/);
    await axe(page);
    await shoot(page, 'people-you');
    console.allow(/^403 (POST|PUT|DELETE) /);
    expect(await asked(page, 'PUT', 'roles/1')).toBe(403);
    expect(await asked(page, 'POST', 'tokens')).toBe(403);
    expect(await asked(page, 'DELETE', 'accounts/1')).toBe(403);
  });

  it('makes, finds, blocks and deletes a user of the API, on a phone', async () => {
    const page = await console.open('/people/users', { phone: true });
    await page.getByRole('button', { name: 'New user' }).click();
    const form = page.getByRole('dialog', { name: 'New user of the API' });
    await form.getByLabel('Name').fill('wim');
    await form.getByLabel('Email').fill('john@example.com');
    await form.getByLabel('Password').fill('secret-1');
    await form.getByLabel('Role').selectOption({ label: 'Authenticated' });
    console.allow(/^400 POST \/console\/api\/rest\/users$/);
    await form.getByRole('button', { name: 'Create the user' }).click();
    await form.getByText(/taken|unique|already/i).waitFor();
    await axe(page);
    await shoot(page, 'people-user-new');
    await form.getByLabel('Email').fill('wim@example.com');
    await form.getByRole('button', { name: 'Create the user' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search users' }).fill('wim');
    await page.waitForURL(/q=wim/);
    await shown(page, /^1 user$/);
    const row = page.getByRole('row', { name: /wim@example\.com/ });
    expect(await row.innerText()).toContain('Authenticated');
    await axe(page);
    await shoot(page, 'people-users-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const logIn = (): Promise<number> =>
      fetch(`${console.base}/api/auth/local`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ identifier: 'wim', password: 'secret-1' }),
      }).then(({ status }) => status);
    expect(await logIn()).toBe(200);
    const menu = page.getByRole('button', { name: 'What to do with wim' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Block' }).click();
    await row.getByText('blocked').waitFor();
    expect(await logIn()).toBe(400);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete the user' }).click();
    await shown(page, 'No user matches');
    // The matrix is wider than a phone: it scrolls by itself.
    await page.goto(`${console.base}/console/people/roles?role=public`);
    await page.getByRole('region', { name: 'Rights of Public' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await shoot(page, 'people-roles-phone');
    await axe(page);
  });
});
