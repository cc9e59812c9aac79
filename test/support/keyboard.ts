// A page as someone uses it who has a keyboard alone: what has the focus, how to get from there to something else, and
// whether all that can be used is reached and seen.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** More stops than any view has. */
const MAX_STOPS = 200;

/** More frames than a page needs to pass the focus on. */
const MAX_FRAMES = 600;

/**
 * Has come to rest: around an open dialog stand elements that nobody sees, which pass the focus on in a later frame; on a
 * busy machine a test gets there before.
 */
const SETTLED = `(async () => {
  const isPassing = () => document.activeElement.closest('[aria-hidden="true"]') !== null;
  for (let frame = 0; frame < ${MAX_FRAMES} && isPassing(); frame++) await new Promise(requestAnimationFrame);
})()`;

/** What the focus is on, as it is called; the empty text where it is on nothing. */
const FOCUSED = `${SETTLED}.then(() => {
  const { activeElement: element, body } = document;
  if (element === body) return '';
  const named = element.getAttribute('aria-labelledby');
  const label = element.getAttribute('aria-label') ?? (named && document.getElementById(named)?.textContent);
  return (label ?? element.labels?.[0]?.textContent ?? element.textContent).replace(/ \\*$/, '').trim();
})`;

/**
 * Where the focus has got: somewhere new, where it was before, to the next part of a date, or it has not left an editor
 * that takes Tab for itself. `unseen`: why nobody sees where it is; null where it is seen.
 */
const ARRIVE = `${SETTLED}.then(() => {
  const { activeElement: element, body } = document;
  if (element === body) return { at: 'known', unseen: null };
  if (element === window.last && element.isContentEditable) return { at: 'editor', unseen: null };
  if (element === window.last && /date|time|month/.test(element.type)) return { at: 'part', unseen: null };
  if (stops.has(element)) return { at: 'known', unseen: null };
  stops.add(element);
  window.last = element;
  const shown = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  };
  const box = element.getBoundingClientRect();
  const isInside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  // A small control may leave it to what stands around it, and editors do.
  const frames = [element, element.parentElement, element.closest('.editor')].filter(Boolean);
  const isSeen = frames.some(shown) && isInside && box.width > 1 && box.height > 1;
  return { at: 'new', unseen: isSeen ? null : element.outerHTML.slice(0, 160) };
})`;

/** Everything that can be used with a key of its own, and is shown. Of radio buttons Tab reaches one. */
const TABBABLE = `(() => {
  const all = document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]');
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
  return [...all].filter((one) =>
    one.tabIndex >= 0 && !one.disabled && one.type !== 'radio' && !one.closest('[inert], [aria-hidden="true"]') && isShown(one));
})()`;

/** The focus goes before the first of the page; that of a dialog stays where it is. */
const START = `(() => {
  window.stops = new Set();
  if (document.querySelector('[role="dialog"]')) return;
  const top = document.createElement('span');
  top.tabIndex = -1;
  document.body.prepend(top);
  top.focus();
  top.remove();
})()`;

interface Arrival {
  readonly at: 'new' | 'known' | 'part' | 'editor';
  readonly unseen: string | null;
}

export interface Keyboard {
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** What the focus is on, as it is called. */
  focused(): Promise<string>;
  /** Goes on with Tab to what is called this, or back to it. */
  tabTo(name: string | RegExp, key?: 'Tab' | 'Shift+Tab'): Promise<void>;
  /**
   * Goes with Tab through all of the page, from its top, or around an open dialog: fails where something is not reached,
   * or the focus not seen.
   */
  walk(): Promise<void>;
}

export function keyboardOf(page: Page): Keyboard {
  const focused = (): Promise<string> => page.evaluate<string>(FOCUSED);
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  return {
    press,
    focused,
    type: (text) => page.keyboard.type(text),
    async tabTo(name, key = 'Tab') {
      const seen: string[] = [];
      const isThere = (text: string): boolean => (typeof name === 'string' ? text === name : name.test(text));
      for (let now = await focused(); !isThere(now); now = await focused()) {
        seen.push(now);
        if (seen.length > MAX_STOPS)
          throw new Error(`Nothing on the way is called ${name}: ${[...new Set(seen)].join(', ')}`);
        await press(key);
      }
    },
    async walk() {
      await page.evaluate(START);
      const unseen: string[] = [];
      const arrive = (): Promise<Arrival> => page.evaluate<Arrival>(ARRIVE);
      for (let stops = 0; stops < MAX_STOPS; stops++) {
        await press('Tab');
        let arrival = await arrive();
        if (arrival.at === 'editor') {
          await press('Escape', 'Tab');
          arrival = await arrive();
        }
        if (arrival.at === 'known') break;
        if (arrival.unseen !== null) unseen.push(arrival.unseen);
      }
      const missed = await page.evaluate<string[]>(
        `${TABBABLE}.filter((one) => !stops.has(one)).map((one) => one.outerHTML.slice(0, 160))`,
      );
      expect({ unseen, missed }).toEqual({ unseen: [], missed: [] });
    },
  };
}

/** More than any menu has. */
const MOST_ITEMS = 60;

/**
 * Chooses from the menu that was just opened, by arrows: a menu forgets what was typed after a moment, and on a slow
 * machine that is between two letters. Until the menu has the focus, its button gets the keys, or the menu before it.
 */
export async function chooseItem(page: Page, item: string): Promise<void> {
  const named = page.getByRole('menuitem', { name: item, exact: true });
  await page.locator('[role="menu"]:focus-within').filter({ has: named }).waitFor();
  const { focused, press } = keyboardOf(page);
  for (let index = 0; index < MOST_ITEMS && (await focused()) !== item; index++) await press('ArrowDown');
  expect(await focused()).toBe(item);
  await press('Enter');
}
