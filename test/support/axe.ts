// What axe finds in a page, light and dark. A suite comes to the same views again and again: what axe has looked at once,
// it does not look at again.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The rules of axe that are looked at in each theme: in the dark nothing but colours is different. */
const RULES = { light: {}, dark: { runOnly: ['color-contrast'] } };
const THEMES = Object.keys(RULES) as (keyof typeof RULES)[];

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** At the ends of an open menu: it hands the focus on at once, so that nobody meets it. */
const FOCUS_GUARD = '[data-base-ui-focus-guard]';

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

interface Looked {
  readonly findings: readonly Finding[];
  /** What stands for each element that is new. */
  readonly marks: readonly string[];
}

/**
 * Runs axe on what is new in the page. An element is known if one with the same markup stood in the same place before:
 * at the same number below elements with the same attributes, in a window as wide, with the same dialogs and menus open.
 * Ids that React counts up are all the same. The outermost elements that are known are left out; whatever has something
 * new in it is looked at.
 */
const LOOK = `async (known, options) => {
  const hash = (text) => {
    let [one, other] = [0xdeadbeef, 0x41c6ce57];
    for (let index = 0; index < text.length; index++) {
      one = Math.imul(one ^ text.charCodeAt(index), 2654435761);
      other = Math.imul(other ^ text.charCodeAt(index), 1597334677);
    }
    return (one >>> 0).toString(36) + '-' + (other >>> 0).toString(36);
  };
  const tagOf = (element) => element.cloneNode(false).outerHTML.replace(/_r_\\w+?_/g, 'id');
  const contents = new Map();
  const read = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.data;
    const content = hash(tagOf(node) + [...node.childNodes].map(read).join());
    contents.set(node, content);
    return content;
  };
  read(document.documentElement);
  const [marks, exclude] = [[], [...document.querySelectorAll('${FOCUS_GUARD}')]];
  const look = (element, place) => {
    const mark = hash(place + contents.get(element));
    if (known.has(mark)) return void exclude.push(element);
    marks.push(mark);
    look.all(element, hash(place + tagOf(element)));
  };
  look.all = (element, place) => [...element.children].forEach((child, index) => look(child, place + index));
  const around = [document.documentElement, document.body, ...document.body.children].map(tagOf).join();
  look.all(document.body, hash(innerWidth + around));
  const { violations } = await axe.run({ include: [document], exclude }, options);
  return { findings: violations, marks };
}`;

/** What the tests of this process have found without a fault, in each theme. */
const KNOWN = { light: new Set<string>(), dark: new Set<string>() };

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
  if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(AXE);
  const all: string[] = [];
  await inEachTheme(page, async (theme) => {
    const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...RULES[theme] });
    const known = KNOWN[theme];
    const { findings, marks } = await page.evaluate<Looked>(
      `(${LOOK})(new Set(${JSON.stringify([...known])}), ${options})`,
    );
    const faults = findings
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, help, nodes }) =>
        nodes.map((node) => `${theme}: ${id}: ${help}: ${node.html}: ${node.failureSummary}`),
      );
    all.push(...faults);
    if (faults.length === 0) for (const mark of marks) known.add(mark);
  });
  return all;
}

export async function axe(page: Page): Promise<void> {
  expect(await faultsOf(page)).toEqual([]);
}
