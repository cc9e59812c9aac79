// Every limit of the service, by name and with its reason. Past a limit the answer is a 4xx that names it; nothing
// is cut short in silence. Each is tested at the limit and one above.

/** Bytes of path and query. A browser sends less; a longer one costs parsing before anything can be checked. */
export const MAX_URL_LENGTH = 32_768;

/** Bytes of all request headers together, the URL included; above MAX_URL_LENGTH so that a long URL gets a real answer. */
export const MAX_HEADER_BYTES = 65_536;

/** `a=b` pairs in one query string. */
export const MAX_PARAMETERS = 1_000;

/** Bracket groups in one parameter, and levels in any object given to the in-process interface. */
export const MAX_DEPTH = 20;

/** Values in one list: `$in`, `fields`, `sort`, `populate`, `locale`. */
export const MAX_LIST_ITEMS = 500;

/** Conditions and groups in one filter, after lists are expanded. SQLite refuses expressions deeper than 1,000. */
export const MAX_FILTER_NODES = 250;

/** Sort keys in one request; each relation path among them is a subquery per matching row. */
export const MAX_SORT_KEYS = 10;

/** Relations, components and zones that one request populates; each is a statement. */
export const MAX_POPULATE_NODES = 100;

/** Levels of populate below the root. */
export const MAX_POPULATE_DEPTH = 10;

/** Entries on one page of a list; larger sizes are clamped, as clients of this dialect rely on. */
export const MAX_PAGE_SIZE = 100;

/** Entries on a page when no size is asked for. */
export const DEFAULT_PAGE_SIZE = 25;

/** The highest row offset; beyond it the page is empty on every database we know. */
export const MAX_OFFSET = 1_000_000_000_000;

/** Bytes of a request body. */
export const MAX_BODY_BYTES = 1_048_576;

/** Characters of a `_q` search. */
export const MAX_SEARCH_LENGTH = 1_000;

/** Plans kept, by shape of the query. A front end has tens of shapes. */
export const MAX_CACHED_PLANS = 2_000;

/** Parsed requests kept, by exact path and query. */
export const MAX_CACHED_REQUESTS = 2_000;

/** A request whose query is longer than this is not kept: the cache stays within a few megabytes. */
export const MAX_CACHED_REQUEST_LENGTH = 2_048;

/** Longest table, column and index name; the reference shortens at the same length. */
export const MAX_IDENTIFIER_LENGTH = 55;
