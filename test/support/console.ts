// The console in a browser, as a person uses it: the guide with its content on a server in this process, accounts in the
// tables of Strapi's admin, and pages that are logged in through the form. A test fails at its end if a page of it has
// logged an error, has thrown one, was refused something by its policy, or if a request of it failed. The server serves
// what `npm run build` has built.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { open, type Sheaf } from '../../src/app.ts';
import { CONSOLE_API, CONSOLE_PATH } from '../../src/console/contract.ts';
import { createServer } from '../../src/http/server.ts';
import { hashPassword } from '../../src/passwords.ts';
import { launchBrowser } from './browser.ts';
import { GUIDE_PROJECT, useContents } from './content.ts';
import type { Engine } from './database.ts';

export const PASSWORD = 'Correct-horse-1';
export const SUPER_ADMIN = 'ada@example.com';

const SCREENSHOTS = fileURLToPath(new URL('../screenshots', import.meta.url));
/** The rules of axe that are looked at in each theme: in the dark nothing but colours is different. */
const RULES = { light: {}, dark: { runOnly: ['color-contrast'] } };
const THEMES = Object.keys(RULES) as (keyof typeof RULES)[];
/** As wide and as high as a common phone. */
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
/** A page is asked for beside other tests; nothing waits this long otherwise. */
const PAGE_MS = 30_000;

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
  const problems: string[] = [];
  const allowed: RegExp[] = [];
  const cookies = new Map<string, Cookies>();
  const seats = new Map<string, Page[]>();
  const taken: { page: Page; seat: string }[] = [];
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
  afterEach(async () => {
    const used = taken.splice(0);
    for (const { page, seat } of used)
      if (await isCleared(page)) seats.set(seat, [...(seats.get(seat) ?? []), page]);
      else await page.context().close();
    const found = problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem)));
    problems.length = 0;
    allowed.length = 0;
    expect(found).toEqual([]);
  });
  afterAll(async () => {
    const { browser, app, sheaf } = now();
    await browser.close();
    await app.close();
    await sheaf.close();
  });
  return {
    get sheaf() {
      return now().sheaf;
    },
    get base() {
      return now().base;
    },
    async open(to = '/content', { as = SUPER_ADMIN, phone = false } = {}) {
      const { browser, base } = now();
      const seat = `${as} ${phone ? 'at a phone' : 'at a desk'}`;
      const page = seats.get(seat)?.pop() ?? (await newPage(browser, phone));
      taken.push({ page, seat });
      watch(page, problems);
      const context = page.context();
      const kept = as !== null && cookies.get(as);
      if (kept) await context.addCookies(kept);
      await page.goto(`${base}${CONSOLE_PATH}${to}`);
      if (as !== null && !kept) {
        await logIn(page, as);
        cookies.set(as, await context.cookies());
      }
      return page;
    },
    makeAccount: (email, role) => makeAccount(now().sheaf, email, role),
    allow: (problem) => void allowed.push(problem),
  };
}

async function newPage(browser: Browser, phone: boolean): Promise<Page> {
  const context = await browser.newContext({ ...(phone ? PHONE : DESK), locale: 'en-GB', timezoneId: 'UTC' });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_MS);
  await page.addInitScript(REPORTS);
  return page;
}

/**
 * Leaves a page as a new one, if it is still there and alone. That takes half the time of a new one, whose process has to
 * start and to read all scripts.
 */
async function isCleared(page: Page): Promise<boolean> {
  if (page.isClosed() || page.context().pages().length > 1) return false;
  for (const event of ['pageerror', 'console', 'request', 'response', 'requestfailed', 'dialog'])
    page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.goto('about:blank');
  await page.context().clearCookies();
  return true;
}

type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>;
type Started = Awaited<ReturnType<typeof start>>;

async function start(project: string, database: string) {
  const sheaf = await open({ project, database });
  await addPictures(sheaf);
  const app = createServer(sheaf);
  const [base, browser] = await Promise.all([app.listen({ host: '127.0.0.1', port: 0 }), launchBrowser()]);
  return { sheaf, app, base, browser };
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
  const password = await hashPassword(PASSWORD, 4);
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

async function logIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('main#content').waitFor();
}

/** Whoever is not logged in is asked for it by this answer; it is no problem. */
const isQuestion = (url: string, status: number): boolean => url.endsWith(`${CONSOLE_API}/session`) && status === 401;

/** Runs in every page, before its own scripts. */
const REPORTS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Refused by the policy:', event.effectiveDirective, event.blockedURI, event.sample))`;

function watch(page: Page, problems: string[]): void {
  const named = (request: Request): string => `${request.method()} ${request.url().replace(/^https?:\/\/[^/]+/, '')}`;
  page.on('pageerror', (error) => problems.push(`Thrown: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    // Answers with an error are told below, with their method.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`Logged: ${message.text()} (${message.location().url})`);
  });
  page.on('response', (response) => {
    const [url, status] = [response.url(), response.status()];
    if (status >= 400 && !isQuestion(url, status)) problems.push(`${status} ${named(response.request())}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // What a page does not wait for any more.
    if (reason !== 'net::ERR_ABORTED') problems.push(`${reason} ${named(request)}`);
  });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Shows a page light, then dark. */
async function inEachTheme(page: Page, look: (theme: keyof typeof RULES) => Promise<void>): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await look(colorScheme);
  }
}

/** Fails where axe finds a serious or a critical fault, light or dark. */
export async function axe(page: Page): Promise<void> {
  await page.evaluate(AXE);
  await inEachTheme(page, async (theme) => {
    const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...RULES[theme] });
    const findings = await page.evaluate<Finding[]>(`axe.run(${options}).then((r) => r.violations)`);
    const faults = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(
      faults.flatMap(({ id, help, nodes }) =>
        nodes.map((node) => `${theme}: ${id}: ${help}: ${node.html}: ${node.failureSummary}`),
      ),
    ).toEqual([]);
  });
}

/** Writes test/screenshots/<name>-light.png and -dark.png. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await inEachTheme(page, async (theme) => {
    await page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${theme}.png`), animations: 'disabled' });
  });
}
