// The console in a browser, as a person uses it: the guide with its content on a server in this process, accounts in the
// tables of Strapi's admin, and pages that are logged in through the form. The server serves what `npm run build` has
// built.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll } from 'vitest';
import { open, type Sheaf } from '../../src/app.ts';
import { CONSOLE_PATH } from '../../src/console/contract.ts';
import { createServer } from '../../src/http/server.ts';
import { hashPassword } from '../../src/passwords.ts';
import { inEachTheme } from './axe.ts';
import { GUIDE_PROJECT, useContents } from './content.ts';
import type { Engine } from './database.ts';
import { type Cookies, usePages } from './pages.ts';

export { axe } from './axe.ts';

export const PASSWORD = 'Correct-horse-1';
export const SUPER_ADMIN = 'ada@example.com';

const SCREENSHOTS = fileURLToPath(new URL('../screenshots', import.meta.url));
export interface OpenOptions {
  /** The address of the account; the super admin's where there is none. Null: nobody is logged in. */
  readonly as?: string | null;
  readonly phone?: boolean;
}

export interface ConsoleTest {
  readonly sheaf: Sheaf;
  /** Such as `http://127.0.0.1:40123`. */
  readonly base: string;
  /** A page at a path below /console, such as `/content`, which nothing is left in from other tests. */
  open(path?: string, options?: OpenOptions): Promise<Page>;
  /** Makes an account with a role of Strapi's admin, by its code. Its password is PASSWORD. */
  makeAccount(email: string, role: 'strapi-super-admin' | 'strapi-editor' | 'strapi-author'): Promise<void>;
  /** What is expected to go wrong in this test: matches lines such as `400 PUT /console/api/rest/…`. */
  allow(problem: RegExp): void;
}

/** For the body of a suite on SQLite: one server and one browser for all of its tests. */
export function useConsole(engine: Engine): ConsoleTest {
  const contents = useContents(engine);
  const started: { value: Started | null } = { value: null };
  const cookies = new Map<string, Cookies>();
  const now = (): Started => {
    if (!started.value) throw new Error('the console has not been started');
    return started.value;
  };
  beforeAll(async () => {
    const project = path.join(contents.folder(), 'guide');
    cpSync(GUIDE_PROJECT, project, { recursive: true });
    started.value = await start(project, engine.guideDatabaseUrl());
    await makeAccount(started.value.sheaf, SUPER_ADMIN, 'strapi-super-admin');
  });
  afterAll(async () => {
    const { app, sheaf } = now();
    await app.close();
    await sheaf.close();
  });
  // The browser is closed before the server, which waits for connections that it holds open.
  const pages = usePages();
  return {
    get sheaf() {
      return now().sheaf;
    },
    get base() {
      return now().base;
    },
    async open(to = '/content', { as = SUPER_ADMIN, phone = false } = {}) {
      const kept = as === null ? undefined : cookies.get(as);
      const page = await pages.open(`${now().base}${CONSOLE_PATH}${to}`, { phone, cookies: kept });
      if (as !== null && !kept) {
        await logIn(page, as);
        cookies.set(as, await page.context().cookies());
      }
      return page;
    },
    makeAccount: (email, role) => makeAccount(now().sheaf, email, role),
    allow: pages.allow,
  };
}

type Started = Awaited<ReturnType<typeof start>>;

async function start(project: string, database: string) {
  const sheaf = await open({ project, database });
  await addPictures(sheaf);
  const app = createServer(sheaf);
  return { sheaf, app, base: await app.listen({ host: '127.0.0.1', port: 0 }) };
}

/** The guide has no files: it gets two pictures, one of them the cover of the restaurant Alba. */
async function addPictures(sheaf: Sheaf): Promise<void> {
  const [cover] = await Promise.all(
    (['#9c4310', '#1f5a96'] as const).map(async (background, index) => {
      const picture = sharp({ create: { width: 320, height: 200, channels: 3, background } });
      const content = await picture.png().toBuffer();
      const [file] = await sheaf.files.upload({ name: `picture-${index + 1}.png`, mime: 'image/png', content });
      return file!;
    }),
  );
  const restaurants = sheaf.documents('api::restaurant.restaurant');
  const alba = await restaurants.findFirst({ filters: { name: 'Alba' } });
  await restaurants.update({ documentId: alba!.documentId, data: { cover: cover!.id } });
}

/** Straight into the tables, as Strapi's admin would have left it. */
async function makeAccount(sheaf: Sheaf, email: string, role: string): Promise<void> {
  const password = await hashPassword(PASSWORD);
  const [id, time] = [randomBytes(12).toString('hex'), Date.now()];
  const firstname = email.slice(0, 1).toUpperCase() + email.slice(1, email.indexOf('@'));
  const statements = [
    `insert into admin_users (document_id, firstname, lastname, email, password, is_active, blocked, created_at, updated_at, published_at)
     values ('${id}', '${firstname}', 'Example', '${email}', '${password}', 1, 0, ${time}, ${time}, ${time})`,
    `insert into admin_users_roles_lnk (user_id, role_id, role_ord, user_ord)
     select u.id, r.id, 1, 1 from admin_users u, admin_roles r where u.email = '${email}' and r.code = '${role}'`,
  ];
  await sheaf.database.transaction(async (session) => {
    for (const sql of statements) await session.rows({ sql, bindings: [] }, []);
  });
}

/** An action, a type, attributes, and locales where the type has them. */
export type Grant = readonly [action: string, uid: string, attributes: readonly string[], locales?: readonly string[]];

/** Gives a role of Strapi's admin permissions of entries, as the admin stores them, in place of all that it has. */
export async function grant(sheaf: Sheaf, role: string, permissions: readonly Grant[]): Promise<void> {
  await sheaf.database.transaction(async (session) => {
    const run = (sql: string): Promise<unknown> => session.rows({ sql, bindings: [] }, []);
    const ofRole = `select id from admin_roles where code = '${role}'`;
    await run(`delete from admin_permissions_role_lnk where role_id in (${ofRole})`);
    for (const [action, subject, fields, locales] of permissions) {
      const properties = JSON.stringify({ fields, ...(locales && { locales }) });
      await run(`insert into admin_permissions (document_id, action, action_parameters, subject, properties, conditions)
        values (lower(hex(randomblob(12))), 'plugin::content-manager.explorer.${action}', '{}', '${subject}', '${properties}', '[]')`);
      await run(`insert into admin_permissions_role_lnk (permission_id, role_id)
        select max(p.id), (${ofRole}) from admin_permissions p`);
    }
  });
}

async function logIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('main#content').waitFor();
}

/** Writes test/screenshots/<name>-light.png and -dark.png, for people who ask for them. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHEAF_TEST_SCREENSHOTS !== '1') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await inEachTheme(page, async (theme) => {
    await page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${theme}.png`), animations: 'disabled' });
  });
}
