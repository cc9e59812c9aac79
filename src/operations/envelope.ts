// The envelopes of answers as JSON text: `{data, meta}` around an entry or a page of entries.
import type { PageText } from '../read/read-strategy.ts';
import type { Pagination } from '../request/read-request.ts';

/** The member of `meta` that lists what `*` left out. */
const omittedJson = (omitted: readonly string[]): string =>
  omitted.length > 0 ? `"omitted":${JSON.stringify(omitted)}` : '';

export const entryJson = (text: string, omitted: readonly string[]): string =>
  `{"data":${text},"meta":{${omittedJson(omitted)}}}`;

export function pageJson(pagination: Pagination, page: PageText, omitted: readonly string[]): string {
  const { entries, total } = page;
  const pages =
    pagination.mode !== 'page' || total === null ? '' : `,"pageCount":${Math.ceil(total / pagination.limit)}`;
  const count = total === null ? '' : `,"total":${total}`;
  const left = omitted.length > 0 ? `,${omittedJson(omitted)}` : '';
  return `{"data":[${entries}],"meta":{"pagination":{${placeJson(pagination, page)}${pages}${count}}${left}}}`;
}

/** Which part of the list a page is, in the terms in which it was asked for. */
function placeJson({ mode, start, limit }: Pagination, { cursors }: PageText): string {
  if (mode === 'cursor')
    return `"pageSize":${limit},"next":${JSON.stringify(cursors!.next)},"previous":${JSON.stringify(cursors!.previous)}`;
  return mode === 'offset'
    ? `"start":${start},"limit":${limit}`
    : `"page":${Math.floor(start / limit) + 1},"pageSize":${limit}`;
}
