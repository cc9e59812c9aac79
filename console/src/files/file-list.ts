// Pages of the library: which files are asked for, as it stands in the URL and in the request.
import { FILE_KINDS, type FileKind, type StoredFile } from './file.ts';

export const SORTS = [
  { value: 'createdAt:desc', label: 'Newest first' },
  { value: 'createdAt:asc', label: 'Oldest first' },
  { value: 'updatedAt:desc', label: 'Last changed first' },
  { value: 'name:asc', label: 'Name, A to Z' },
  { value: 'name:desc', label: 'Name, Z to A' },
  { value: 'size:desc', label: 'Largest first' },
  { value: 'size:asc', label: 'Smallest first' },
] as const;
const DEFAULT_SORT = SORTS[0].value;

export interface FileList {
  readonly search: string;
  readonly kinds: readonly FileKind[];
  readonly sort: string;
  readonly page: number;
}

export const FIRST_FILES: FileList = { search: '', kinds: [], sort: DEFAULT_SORT, page: 1 };
export const FILES_PER_PAGE = 24;

export interface FilePage {
  readonly data: readonly StoredFile[];
  readonly meta: { readonly pagination: { readonly total: number; readonly pageCount: number } };
}

/** What is at the address of the view. */
export function readFileList(parameters: URLSearchParams): FileList {
  const sort = parameters.get('sort');
  const page = Number(parameters.get('page'));
  return {
    search: parameters.get('q') ?? '',
    kinds: FILE_KINDS.filter((kind) => parameters.get('kind') === kind),
    sort: SORTS.some(({ value }) => value === sort) ? sort! : DEFAULT_SORT,
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** The same as parameters of an address, without what is usual: null takes one away. */
export const fileListParameters = ({
  search,
  kinds,
  sort,
  page,
}: FileList): Readonly<Record<string, string | null>> => ({
  q: search || null,
  kind: kinds[0] ?? null,
  sort: sort === DEFAULT_SORT ? null : sort,
  page: page === 1 ? null : String(page),
});

const PREFIXES = { images: 'image/', videos: 'video/', audios: 'audio/' } as const;
const startsWith = (prefix: string): string => `[mime][$startsWith]=${encodeURIComponent(prefix)}`;

function kindParameters(kinds: readonly FileKind[]): string[] {
  if (FILE_KINDS.every((kind) => kinds.includes(kind))) return [];
  return kinds.flatMap((kind, index) => {
    const at = `filters[$or][${index}]`;
    if (kind !== 'files') return [`${at}${startsWith(PREFIXES[kind])}`];
    return Object.values(PREFIXES).map((prefix, other) => `${at}[$not][$or][${other}]${startsWith(prefix)}`);
  });
}

/** The path of the request below /console/api. */
export function fileListPath({ search, kinds, sort, page }: FileList): string {
  const parameters = [
    `pagination[page]=${page}`,
    `pagination[pageSize]=${FILES_PER_PAGE}`,
    // By id last, so that files with the same time have an order.
    `sort[0]=${sort}`,
    'sort[1]=id:desc',
    ...(search === '' ? [] : [`_q=${encodeURIComponent(search)}`]),
    ...kindParameters(kinds),
  ];
  return `rest/upload/files/page?${parameters.join('&')}`;
}

/** The entries that show a file, as far as the account may see them. */
export const fileUsesPath = (id: number): string => `files/${id}/uses`;
