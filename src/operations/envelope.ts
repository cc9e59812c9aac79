// The envelopes of answers as JSON text: `{data, meta}` around an entry or a page of entries.
import { paginationJson } from '../read/pagination-json.ts';
import type { ReadPage } from '../read/read-strategy.ts';
import type { Pagination } from '../request/read-request.ts';

/** The member of `meta` that lists what `*` left out. */
const omittedJson = (omitted: readonly string[]): string =>
  omitted.length > 0 ? `"omitted":${JSON.stringify(omitted)}` : '';

export const entryJson = (text: string, omitted: readonly string[]): string =>
  `{"data":${text},"meta":{${omittedJson(omitted)}}}`;

export function pageJson(asked: Pagination, page: ReadPage, left: readonly string[]): string {
  const { total, cursors, facets } = page;
  const { pagination, omitted } = page.changed ?? { pagination: asked, omitted: left };
  const counted = facets === undefined ? '' : `,"facets":${facets}`;
  const note = omitted.length > 0 ? `,${omittedJson(omitted)}` : '';
  return `{"data":[${page.text()}],"meta":{"pagination":${paginationJson(pagination, total, cursors)}${counted}${note}}}`;
}
