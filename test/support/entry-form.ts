// The form of an entry in a page: its parts by the names that people see, and what it sends.
import type { Page } from 'playwright-core';
import type { Json } from './content.ts';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly data: Json | undefined;
}

/** What the page writes from now on. */
export function writesOf(page: Page): Sent[] {
  const sent: Sent[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET') return;
    const path = request.url().replace(/^.*\/console\/api\//, '');
    sent.push({ method: request.method(), path, data: (request.postDataJSON() as { data: Json } | null)?.data });
  });
  return sent;
}

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
export const group = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
/** A label may have the mark of what is needed. */
export const field = (within: Pick<Page, 'getByLabel'>, name: string) =>
  within.getByLabel(new RegExp(`^${name}( \\*)?$`));

/** The entries of a relation, in the order that is shown. */
export const titlesIn = (page: Page, name: string): Promise<string[]> =>
  group(page, name).locator('.edit-list > li .edit-title').allTextContents();

/** A message that says what was done. */
export const said = (page: Page, text: string) => page.locator('.toasts').getByText(text).last().waitFor();
