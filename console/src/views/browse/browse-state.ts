// What a list of entries shows, in the parameters of its URL, so that it can be shared and the browser can go back.
export const STATES = ['draft', 'modified', 'published', 'live'] as const;
/** Drafts of one state; `live`: the entries as they are published. */
export type StateChoice = (typeof STATES)[number];

export const PAGE_SIZES = [10, 25, 50, 100] as const;
const DEFAULT_PAGE_SIZE = 25;

/** A path as `sort` takes it, such as `chef.name`, and its direction. */
export interface Sort {
  readonly path: string;
  readonly desc: boolean;
}

export interface BrowseState {
  /** Attributes to show beside the main one; null: the usual ones. */
  readonly columns: readonly string[] | null;
  readonly sort: readonly Sort[];
  readonly page: number;
  readonly pageSize: number;
  readonly search: string;
  /** Null: the default locale. */
  readonly locale: string | null;
  readonly state: StateChoice | null;
  /** Parameters such as `filters[stars][$gte]`, with their values. */
  readonly filters: readonly (readonly [string, string])[];
}

const isFilter = (name: string): boolean => /^filters(\[|$)/.test(name);

const wholeNumber = (text: string | null): number => (text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0);

const names = (text: string): string[] => [...new Set(text.split(',').filter((name) => name !== ''))];

const sortOf = (text: string): Sort => ({ path: text.replace(/:(asc|desc)$/, ''), desc: text.endsWith(':desc') });

/** What nobody can mean is read as if it were not there. */
export function readState(search: string): BrowseState {
  const parameters = new URLSearchParams(search);
  const columns = parameters.get('columns');
  const pageSize = wholeNumber(parameters.get('pageSize'));
  const state = parameters.get('state');
  return {
    columns: columns === null ? null : names(columns),
    sort: names(parameters.get('sort') ?? '').map(sortOf),
    page: wholeNumber(parameters.get('page')) || 1,
    pageSize: PAGE_SIZES.some((size) => size === pageSize) ? pageSize : DEFAULT_PAGE_SIZE,
    search: parameters.get('_q') ?? '',
    locale: parameters.get('locale') || null,
    state: STATES.find((choice) => choice === state) ?? null,
    filters: [...parameters].filter(([name]) => isFilter(name)),
  };
}

export const sortText = (sort: readonly Sort[]): string =>
  sort.map(({ path, desc }) => (desc ? `${path}:desc` : path)).join(',');

/** The search of the URL, with its question mark; nothing for what is usual. */
export function writeState(state: BrowseState): string {
  const text = queryText([
    ['_q', state.search],
    ['locale', state.locale ?? ''],
    ['state', state.state ?? ''],
    ['sort', sortText(state.sort)],
    ['page', state.page === 1 ? '' : String(state.page)],
    ['pageSize', state.pageSize === DEFAULT_PAGE_SIZE ? '' : String(state.pageSize)],
    ...state.filters.map(([name, value]) => [name, value, true] as const),
    ['columns', state.columns?.join(',') ?? '', state.columns !== null],
  ]);
  return text === '' ? '' : `?${text}`;
}

/** Pairs as they stand in a URL; without a value they are left out, unless they are kept. Brackets stay readable. */
export const queryText = (pairs: readonly (readonly [name: string, value: string, keep?: boolean])[]): string =>
  pairs
    .filter(([, value, keep]) => value !== '' || keep)
    .map(([name, value]) => `${readable(name)}=${readable(value)}`)
    .join('&');

const READABLE: Readonly<Record<string, string>> = { '5B': '[', '5D': ']', '24': '$', '2C': ',', '3A': ':' };

const readable = (text: string): string =>
  encodeURIComponent(text).replace(/%(5B|5D|24|2C|3A)/g, (_, code: string) => READABLE[code]!);
