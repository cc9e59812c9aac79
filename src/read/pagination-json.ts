// What `meta.pagination` says of a page, of a list or of a populated list.
import type { Pagination } from '../request/read-request.ts';
import type { PageCursors } from './cursor.ts';

/** Which part of the list a page is, in the terms in which it was asked for, and how many there are. */
export function paginationJson(
  pagination: Pick<Pagination, 'mode' | 'start' | 'limit'>,
  total: number | null,
  cursors?: PageCursors,
): string {
  const { mode, limit } = pagination;
  const pages = mode !== 'page' || total === null ? '' : `,"pageCount":${Math.ceil(total / limit)}`;
  const count = total === null ? '' : `,"total":${total}`;
  return `{${placeJson(pagination, cursors)}${pages}${count}}`;
}

function placeJson(
  { mode, start, limit }: Pick<Pagination, 'mode' | 'start' | 'limit'>,
  cursors?: PageCursors,
): string {
  if (mode === 'cursor')
    return `"pageSize":${limit},"next":${JSON.stringify(cursors!.next)},"previous":${JSON.stringify(cursors!.previous)}`;
  return mode === 'offset'
    ? `"start":${start},"limit":${limit}`
    : `"page":${Math.floor(start / limit) + 1},"pageSize":${limit}`;
}
