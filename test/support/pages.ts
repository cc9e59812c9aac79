// Pages of the console in a browser that a suite shares. A test fails at its end if a page of it has logged an error, has
// thrown one, was refused something by its policy, or if a request of it failed.
import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { CONSOLE_API, CONSOLE_PATH } from '../../src/console/contract.ts';
import { launchBrowser } from './browser.ts';
import { PATIENCE_MS } from './patience.ts';

/** As wide and as high as a common phone. */
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
/** Whoever looks at it; without motion, a page is painted less often. */
const READER: BrowserContextOptions = { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' };

export type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>;

export interface PageOptions {
  readonly phone?: boolean;
  /** What the browser has of an earlier page. */
  readonly cookies?: Cookies | undefined;
}

export interface Pages {
  /** A page in a browser of its own, as nobody has used it. Another test may get it when this one is over. */
  open(url: string, options?: PageOptions): Promise<Page>;
  /** What is expected to go wrong in this test: matches lines such as `400 PUT /console/api/rest/…`. */
  allow(problem: RegExp): void;
}

/** For the body of a suite: one browser for all of its tests. */
export function usePages(): Pages {
  const problems: string[] = [];
  const allowed: RegExp[] = [];
  const free = new Map<boolean, Page[]>([true, false].map((phone) => [phone, []]));
  const taken: { page: Page; phone: boolean }[] = [];
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    for (const { page, phone } of taken.splice(0))
      if (await isCleared(page)) free.get(phone)!.push(page);
      else await page.context().close();
    const found = problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem)));
    problems.length = 0;
    allowed.length = 0;
    expect(found).toEqual([]);
  });
  afterAll(() => browser.close());
  return {
    async open(url, { phone = false, cookies } = {}) {
      const page = free.get(phone)!.pop() ?? (await newPage(browser, phone));
      taken.push({ page, phone });
      watch(page, problems);
      if (cookies) await page.context().addCookies(cookies);
      await page.goto(url);
      return page;
    },
    allow: (problem) => void allowed.push(problem),
  };
}

async function newPage(browser: Browser, phone: boolean): Promise<Page> {
  const context = await browser.newContext({ ...(phone ? PHONE : DESK), ...READER });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript(REPORTS);
  return page;
}

const FRAMES_MS = 50;

/** Where an element is, once it stays there: what is loaded above it may still move it. */
export async function boxAtRest(element: Locator): Promise<{ readonly x: number; readonly y: number }> {
  for (let before = ''; ; ) {
    const box = (await element.boundingBox())!;
    const now = JSON.stringify(box);
    if (now === before) return box;
    before = now;
    await element.page().waitForTimeout(FRAMES_MS);
  }
}

const WATCHED = ['pageerror', 'console', 'request', 'response', 'requestfailed', 'dialog'];

/**
 * Leaves a page as a new one, if it is still there and alone, and its server as well. It rests at a picture of the
 * console: at an address elsewhere it would lose its process, and the next test wait for a new one to read all scripts.
 */
async function isCleared(page: Page): Promise<boolean> {
  if (page.isClosed() || page.context().pages().length > 1) return false;
  for (const event of WATCHED) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.emulateMedia({ colorScheme: null });
  const picture = new URL(`${CONSOLE_PATH}/icon.svg`, page.url()).href;
  const answer = await page.goto(picture).catch(() => null);
  if (!answer?.ok()) return false;
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.context().clearCookies();
  return true;
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
