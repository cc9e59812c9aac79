// What axe finds in a page, light and dark. A suite comes to the same views again and again: what axe has looked at once,
// it does not look at again.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The rules of axe that are looked at in each theme: in the dark nothing but colours is different. */
const RULES = { light: {}, dark: { runOnly: ['color-contrast'] } };
const THEMES = Object.keys(RULES) as (keyof typeof RULES)[];

export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** At the ends of an open menu: it hands the focus on at once, so that nobody meets it. */
const FOCUS_GUARD = '[data-base-ui-focus-guard]';

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Marks what a page is made of, and returns the marks that there are. Two elements have one mark if axe finds the same in
 * both: the same elements and attributes in the same kind of place, below elements with the same attributes, in a window
 * as wide, with the same dialogs and menus open. What a text says makes no difference, but whether there is one; nor what
 * an id is, but whether something has it, with a text or without. Of what a list repeats, the first three have a place
 * each, and of the others every second one. The page itself has a mark too, by its title and what it says of itself.
 */
const MARK = `() => {
  const TEXTS = new Set('id name alt title placeholder value href src srcset download datetime aria-label aria-valuetext'.split(' '));
  const IDS = new Set('for aria-labelledby aria-describedby aria-controls aria-owns aria-activedescendant aria-errormessage'.split(' '));
  const hash = (text) => {
    let [one, other] = [0xdeadbeef, 0x41c6ce57];
    for (let index = 0; index < text.length; index++) {
      one = Math.imul(one ^ text.charCodeAt(index), 2654435761);
      other = Math.imul(other ^ text.charCodeAt(index), 1597334677);
    }
    return (one >>> 0).toString(36) + '-' + (other >>> 0).toString(36);
  };
  const stateOf = (target) => (target === null ? 'missing' : target.textContent.trim() === '' ? 'blank' : 'text');
  const valueOf = ({ name, value }) => {
    if (IDS.has(name)) return value.split(' ').map((id) => stateOf(document.getElementById(id))).join();
    return TEXTS.has(name) || /^data-.*\\d/.test(name + value) ? value.trim() !== '' : value;
  };
  const tags = new Map();
  const tagOf = (element) => {
    if (!tags.has(element)) {
      const values = [...element.attributes].map((one) => ' ' + one.name + '=' + valueOf(one));
      tags.set(element, element.localName + ' ' + (element.labels?.length > 0) + values.join(''));
    }
    return tags.get(element);
  };
  const contents = new Map();
  const read = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.data.trim() !== '';
    const content = hash(tagOf(node) + [...node.childNodes].map(read).join());
    contents.set(node, content);
    return content;
  };
  read(document.documentElement);
  window.marks = new Map();
  const mark = (element, place) => {
    marks.set(element, hash(place + contents.get(element)));
    markAll(element, hash(place + tagOf(element)));
  };
  const markAll = (element, place) =>
    [...element.children].forEach((child, index) => mark(child, place + (index < 3 ? index : 3 + (index % 2))));
  const around = [document.documentElement, document.body, ...document.body.children].map(tagOf).join();
  markAll(document.body, hash(innerWidth + around));
  const ofPage = hash(around + [...document.querySelectorAll('title, meta')].map((one) => contents.get(one)).join());
  return [...new Set([ofPage, ...marks.values()])];
}`;

/**
 * Runs axe on what is new in a page that was marked. The outermost elements that are known are left out, and so are those
 * of which the page has another one; whatever has something new in it is looked at.
 */
const LOOK = `async (known, options) => {
  const [met, exclude] = [new Set(known), [...document.querySelectorAll('${FOCUS_GUARD}')]];
  const look = (element) => {
    // What has come since the page was marked has none.
    const mark = marks.get(element) ?? element;
    if (met.has(mark)) return void exclude.push(element);
    met.add(mark);
    for (const child of element.children) look(child);
  };
  for (const child of document.body.children) look(child);
  const { violations } = await axe.run({ include: [document], exclude }, options);
  return violations;
}`;

/** What the tests of this process have looked at, light and dark, and found without a fault. */
const KNOWN = new Set<string>();

const IS_DARK = `matchMedia('(prefers-color-scheme: dark)').matches`;

/** Shows a page light and dark, first as it is: each change of theme is a page to lay out and to paint. */
export async function inEachTheme(page: Page, look: (theme: keyof typeof RULES) => Promise<void>): Promise<void> {
  for (const colorScheme of (await page.evaluate<boolean>(IS_DARK)) ? THEMES.toReversed() : THEMES) {
    await page.emulateMedia({ colorScheme });
    await look(colorScheme);
  }
}

/** The serious and the critical faults that axe finds in what is new in a page, light or dark. */
export async function faultsOf(page: Page): Promise<string[]> {
  const marks = await page.evaluate<string[]>(`(${MARK})()`);
  const known = marks.filter((mark) => KNOWN.has(mark));
  if (known.length === marks.length) return [];
  if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(AXE);
  const faults: string[] = [];
  await inEachTheme(page, async (theme) => {
    const options = { resultTypes: ['violations'], preload: false, ...RULES[theme] };
    const findings = await page.evaluate<Finding[]>(`(${LOOK})(${JSON.stringify(known)}, ${JSON.stringify(options)})`);
    for (const { id, impact, help, nodes } of findings)
      if (impact === 'serious' || impact === 'critical')
        faults.push(...nodes.map((node) => `${theme}: ${id}: ${help}: ${node.html}: ${node.failureSummary}`));
  });
  if (faults.length === 0) for (const mark of marks) KNOWN.add(mark);
  return faults;
}

export async function axe(page: Page): Promise<void> {
  expect(await faultsOf(page)).toEqual([]);
}
