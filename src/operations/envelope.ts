// The envelopes of answers as JSON text: `{data, meta}` around an entry or a page of entries.
import type { PageText } from '../read/read-strategy.ts';
import type { Pagination } from '../request/read-request.ts';

/** The member of `meta` that lists what `*` left out. */
const omittedJson = (omitted: readonly string[]): string =>
  omitted.length > 0 ? `"omitted":${JSON.stringify(omitted)}` : '';

export const entryJson = (text: string, omitted: readonly string[]): string =>
  `{"data":${text},"meta":{${omittedJson(omitted)}}}`;

export function pageJson(
  { mode, start, limit }: Pagination,
  { entries, total }: PageText,
  omitted: readonly string[],
): string {
  const page =
    mode === 'offset'
      ? `"start":${start},"limit":${limit}`
      : `"page":${Math.floor(start / limit) + 1},"pageSize":${limit}`;
  const pages = mode === 'offset' || total === null ? '' : `,"pageCount":${Math.ceil(total / limit)}`;
  const count = total === null ? '' : `,"total":${total}`;
  const left = omitted.length > 0 ? `,${omittedJson(omitted)}` : '';
  return `{"data":[${entries}],"meta":{"pagination":{${page}${pages}${count}}${left}}}`;
}
