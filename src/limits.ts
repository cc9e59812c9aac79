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

/** Conditions and groups in the filters of one request, after lists are expanded. SQLite refuses expressions deeper than 1,000. */
export const MAX_FILTER_NODES = 250;

/** Sort keys in one request; each relation path among them is a subquery per matching row. */
export const MAX_SORT_KEYS = 10;

/** Names in one sort path. Every further relation multiplies the rows that are compared for each entry. */
export const MAX_SORT_DEPTH = 5;

/** Names in the `group` of an aggregate; relations to many among them multiply the rows that are grouped. */
export const MAX_GROUP_KEYS = 5;

/** Values that an aggregate computes of each group. */
export const MAX_AGGREGATES = 20;

/** Names in `facets`; each is a pass over the entries that match. */
export const MAX_FACETS = 10;

/** Values of one facet that a list shows, those of most entries; a person chooses among fewer. */
export const MAX_FACET_VALUES = 100;

/** Relations, components and zones that one request populates; each is a statement. */
export const MAX_POPULATE_NODES = 100;

/** Levels of populate below the root. */
export const MAX_POPULATE_DEPTH = 10;

/** Rows that one answer populates, over all paths; relations in circles multiply them with every level. */
export const MAX_POPULATED_ROWS = 50_000;

/** Characters of JSON that one answer populates; in circles the same rows are written again and again. */
export const MAX_POPULATED_CHARACTERS = 10_000_000;

/** Bytes of long strings and JSON in the entries of one page; known before they are read. */
export const MAX_PAGE_BYTES = 20_000_000;

/** Entries on one page of a list; larger sizes are clamped, as clients of Strapi 5 rely on. */
export const MAX_PAGE_SIZE = 100;

/** The largest page that a project can set with `rest.maxLimit`; a page is put together in memory. */
export const LARGEST_PAGE_SIZE = 10_000;

/** Entries on a page when no size is asked for. */
export const DEFAULT_PAGE_SIZE = 25;

/** The highest row offset; beyond it the page is empty on every database we know. */
export const MAX_OFFSET = 1_000_000_000_000;

/** Characters of a `pagination[cursor]`. It holds what the last entry is sorted by, and must fit into a URL. */
export const MAX_CURSOR_LENGTH = 8_192;

/** Milliseconds for the headers of a request, from the moment of the connection: a client knows them before it connects. */
export const MAX_HEADERS_MS = 10_000;

/** Milliseconds for a whole request, however steadily it comes. A body of MAX_BODY_BYTES takes a slow line less. */
export const MAX_REQUEST_MS = 30_000;

/** Milliseconds in which a client reads nothing of a response that waits for it, and that takes memory until then. */
export const MAX_STALLED_MS = 60_000;

/** Milliseconds that a connection stays open between two requests. */
export const MAX_IDLE_MS = 10_000;

/** Requests of a connection that wait for the answers to those before; beyond, nothing more is read of it until then. */
export const MAX_PIPELINED_REQUESTS = 100;

/** Bytes of a request body. */
export const MAX_BODY_BYTES = 1_048_576;

/** Characters of a `_q` search. */
export const MAX_SEARCH_LENGTH = 1_000;

/** Characters of a value that is compared whatever its case. SQLite refuses patterns of more than 50,000 bytes. */
export const MAX_FOLDED_LENGTH = 5_000;

/** Bytes of plans with their statements that are kept, by shape of the query. A front end has tens of shapes. */
export const MAX_CACHED_PLAN_BYTES = 16_000_000;

/** Bytes of prepared requests that are kept, by exact path and query; each with the plan that it holds on to. */
export const MAX_CACHED_REQUEST_BYTES = 16_000_000;

/** A request whose query is longer than this is not kept: it would hardly come again. */
export const MAX_CACHED_REQUEST_LENGTH = 2_048;

/** Characters of the totals of long lists that are kept until something is written: each has the values of its filters. */
export const MAX_CACHED_TOTALS_LENGTH = 4_000_000;

/** Characters of descriptions of the API that are kept, one for each set of rights; that of a project of 12 types has 800,000. */
export const MAX_CACHED_DESCRIPTION_LENGTH = 10_000_000;

/** Hints in the header of one response; further ones would say the same of other conditions. */
export const MAX_HINTS = 3;

/** Names that the header `x-sheaf-ignored` lists; of more it tells the number. Clients limit the headers they take. */
export const MAX_IGNORED_NAMES = 20;

/** Characters of a name that it shows; proxies refuse responses with long headers. */
export const MAX_IGNORED_NAME_LENGTH = 60;

/**
 * Values of new rows that one statement binds. SQLite takes 32,766 and PostgreSQL 65,535, but the text of the statement
 * grows with them, and it is kept.
 */
export const MAX_INSERTED_VALUES = 500;

/** Statements of writes kept, by the tables and columns they write. */
export const MAX_CACHED_STATEMENTS = 2_000;

/** Tokens kept as they were found good. A server that many people use at a time has hundreds. */
export const MAX_CACHED_TOKENS = 1_000;

/** Longest table, column and index name; Strapi 5 shortens at the same length. */
export const MAX_IDENTIFIER_LENGTH = 55;

/** Levels of objects and lists in a request body. */
export const MAX_BODY_DEPTH = 50;

/** Levels of a JSON value that a filter compares with: as many as a project can allow in a body. SQLite reads 1,000. */
export const MAX_JSON_DEPTH = 200;

/** Characters of all JSON values that the filters of a request compare with. A URL holds no more; a database reads them all. */
export const MAX_JSON_LENGTH = 32_768;

/** Digits that a JSON value may hold in exponents. PostgreSQL keeps and writes them all: 309 for 1e308. */
export const MAX_JSON_DIGITS = 100_000;

/** Further ones for each character of its JSON; measurements of any size have fewer than that. */
export const MAX_JSON_GROWTH = 4;

/** Steps of dates that are told from now, such as the two of `now-1d/d`, in all filters of a request. */
export const MAX_DATE_STEPS = 100;

/** Time zones whose calendars are kept. There are a few hundred with a name, and thousands that are written as an offset. */
export const MAX_CACHED_TIMEZONES = 200;

/** Milliseconds to compare a value with a regular expression of the model. Those that end at all take much less. */
export const MAX_PATTERN_MS = 50;

/** Milliseconds for all such comparisons of one write that take longer than others; it may have thousands of values. */
export const MAX_PATTERNS_MS = 200;

/** References to other entries in one write, over all its relations. */
export const MAX_REFERENCES = 1_000;

/** Component and zone items in one write. */
export const MAX_COMPONENTS = 1_000;

/** Writes that may wait for their turn in one process; past it the answer is a 503. */
export const MAX_WAITING_WRITES = 1_000;

/** Milliseconds a write, or a read without a log beside the file, waits for another process, before it answers 503. */
export const MAX_BUSY_WAIT_MS = 5_000;

/** Connections to one SQLite file that read at the same time. */
export const MAX_READERS = 8;

/** Times that a transaction which lost against another is run again before the answer is a 503. */
export const MAX_RETRIES = 3;

/** Times that a write begins again because another changed what it is about while it waited. */
export const MAX_RESTARTS = 50;

/**
 * Characters of statements that a connection prepares before it is replaced, so that they are forgotten. PostgreSQL keeps
 * up to fifty bytes for each; SQLite keeps twenty, until garbage is collected, and what it keeps is not seen there.
 */
export const MAX_PREPARED_CHARACTERS = 1_500_000;

/** Characters of a statement that is prepared for its next run. A longer one comes from a request that few would repeat. */
export const MAX_PREPARED_LENGTH = 32_768;

/** Changes that a mark of PostgreSQL is made of before they are pruned; every read of a known caller reads them all. */
export const MAX_ACCESS_CHANGES = 8;

/** Milliseconds that a read waits for a replica to reach a client's own write before it goes to the primary. */
export const MAX_REPLICA_WAIT_MS = 100;

/** Milliseconds for which a replica that failed is left alone. */
export const REPLICA_PAUSE_MS = 1_000;

/** Passwords that one process hashes or compares at a time; each takes a core for 50 ms or more. */
export const MAX_HASHES_AT_ONCE = 4;

/** Further ones that may wait for their turn before the answer is a 503. */
export const MAX_WAITING_HASHES = 100;

/** Characters of a bearer token; what is longer is none of ours. */
export const MAX_TOKEN_LENGTH = 4_096;

/** Accounts, and addresses, whose wrong passwords are counted at a time; those tried longest ago are forgotten first. */
export const MAX_COUNTED_ACCOUNTS = 10_000;

/** Mails of one kind to one account that anyone can ask for; more would fill the mailbox of someone else. */
export const MAX_MAILS_PER_HOUR = 3;

/** Rows that a small read touches by our estimate. Everything that is larger waits for its turn and has a deadline. */
export const MAX_SMALL_COST = 200_000;

/**
 * Bytes of texts that a small read looks through on SQLite, which it does in the process of the server: it takes up to
 * 40 ms for a million. A text of a hundred characters that is looked for counts like four.
 */
export const MAX_SMALL_TEXT_BYTES = 5_000_000;

/** Milliseconds that the statements of a small read take; one that takes longer is not small the next time. */
export const MAX_SMALL_READ_MS = 25;

/** Rows that one read may touch by our estimate; beyond it would not end by its deadline. */
export const MAX_READ_COST = 100_000_000;

/** Places that show a file which are looked for when someone asks who uses it; they are read and shown all at once. */
export const MAX_FILE_USES = 10_000;

/** Bytes of an answer that the console shows of a request that it tries; a browser shows no more of it in time. */
export const MAX_TRIED_BYTES = 5_000_000;

/** Milliseconds that a heavy read may run before it is ended. */
export const MAX_HEAVY_READ_MS = 4_000;

/** Milliseconds that a heavy read may wait for its turn before the answer is a 503. */
export const MAX_HEAVY_WAIT_MS = 4_000;

/** Milliseconds that a heavy read on SQLite waits for its process to start, where none is there. */
export const MAX_READER_START_MS = 10_000;

/** Heavy reads that may wait for their turn in one process; past it the answer is a 503 at once. */
export const MAX_WAITING_HEAVY_READS = 100;

/** The same for reads that are neither heavy nor surely small, which have turns on PostgreSQL. */
export const MAX_WAITING_MEDIUM_READS = 1_000;

/** Processes that run heavy reads on SQLite, for each process of the server. */
export const MAX_READER_PROCESSES = 2;

/** Milliseconds that work of this process may keep the event loop from anything else; beyond it, requests get a 503. */
export const MAX_LOOP_LAG_MS = 1_000;

/** Requests of one `sheaf compare`; each holds its verdict until the report is written. */
export const MAX_COMPARED_REQUESTS = 10_000;

/** Requests that `sheaf compare` sends to each server at a time; a server in use should not notice. */
export const COMPARED_AT_ONCE = 4;

/** Milliseconds that `sheaf compare` waits for a response. Strapi 5 has no limit of its own. */
export const MAX_COMPARE_MS = 30_000;

/** Bytes of a response that `sheaf compare` reads; one that is larger is reported as not compared. */
export const MAX_COMPARED_BYTES = 50_000_000;

/** Differences of one request that `sheaf compare` reports; when a list differs throughout, the first ones tell. */
export const MAX_REPORTED_DIFFERENCES = 10;

/** Bytes of one uploaded file, unless the project says otherwise; Strapi 5 takes as many. */
export const MAX_FILE_BYTES = 209_715_200;

/** Files in one request. All of them are on disk before the first is stored. */
export const MAX_UPLOADED_FILES = 100;

/** Parts of an upload that are no files. */
export const MAX_UPLOAD_FIELDS = 200;

/** Bytes of such a part; it holds names and captions. */
export const MAX_UPLOAD_FIELD_BYTES = 1_000_000;

/** Headers of one part of an upload; a client sends two. */
export const MAX_PART_HEADERS = 20;

/** How many times the size of one file a whole upload may have. */
export const MAX_UPLOAD_FACTOR = 10;

/** Milliseconds in which nothing of an upload arrives; slow lines pause for seconds. */
export const MAX_UPLOAD_PAUSE_MS = 30_000;

/** Milliseconds for a whole upload, however steadily it comes. */
export const MAX_UPLOAD_MS = 3_600_000;

/** Bytes of an upload that are read and thrown away after it was refused: many clients send all before they read why. */
export const MAX_DISCARDED_BYTES = 209_715_200;

/** Milliseconds that this may take. */
export const MAX_DISCARD_MS = 30_000;

/** Pixels of a picture, over all its frames. A camera makes 60 million; beyond, few bytes may stand for a lot of memory. */
export const MAX_PICTURE_PIXELS = 70_000_000;

/** Pictures that one process works on at a time; each takes a core and up to 300 MB. */
export const MAX_PICTURES_AT_ONCE = 1;

/** Further ones that may wait, in turns by who sends them, before who has the most is sent a 503. */
export const MAX_WAITING_PICTURES = 100;

/** Bytes at the beginning of an SVG in which its root must stand. */
export const MAX_SVG_HEAD_BYTES = 65_536;

/** Files that a list shows where a request names no page. */
export const MAX_LISTED_FILES = 10_000;

/** Pixels of width that a signed URL may ask for; a screen of 4K has 3,840. No picture is made larger than it is. */
export const MAX_RESIZED_WIDTH = 4_096;

/** Resized pictures that are kept for each picture; beyond, no further ones are made. */
export const MAX_RESIZED_PICTURES = 40;

/** Milliseconds that a handler or a policy of a project may take. */
export const MAX_HANDLER_MS = 30_000;

/** The same for a route of a Strapi project, with its policies and middlewares; Strapi itself has no such limit. */
export const MAX_STRAPI_ROUTE_MS = 120_000;

/** Milliseconds that a hook around an operation may take; a write holds its locks for as long. */
export const MAX_HOOK_MS = 5_000;

/** Hooks that lead to one another; one that writes what it is called for would never end. */
export const MAX_HOOK_DEPTH = 10;

/** The same for a lifecycle of a Strapi project. */
export const MAX_STRAPI_HOOK_MS = 30_000;

/** Lifecycles of a Strapi project that lead to one another, such as along a tree of categories. */
export const MAX_STRAPI_HOOK_DEPTH = 50;

/** Milliseconds that a hook may take for a write that is committed. */
export const MAX_COMMITTED_HOOK_MS = 30_000;

/** Times that such a hook is tried for one write; with the pauses in between, about four hours. */
export const MAX_COMMITTED_TRIES = 15;

/** Milliseconds that a task of a project may take. */
export const MAX_TASK_MS = 3_600_000;

/** Milliseconds that `start` and `stop` of a project may take each; a supervisor does not wait for ever. */
export const MAX_LIFECYCLE_MS = 60_000;

/** The same for `register` and `bootstrap` of a Strapi project, which may fill a database; Strapi itself has no such limit. */
export const MAX_STRAPI_START_MS = 600_000;

/** Milliseconds after which the log says which code of a project the server waits for to start or stop. */
export const LONG_LIFECYCLE_MS = 5_000;

/** Runs of each task that are kept. */
export const MAX_TASK_RUNS = 100;

/** Errors within a minute that nothing in the code of a project caught; past them the process ends, to be started anew. */
export const MAX_UNCAUGHT_ERRORS = 10;

/** Milliseconds beyond which code of a project is slow, and the log says so. */
export const SLOW_CODE_MS = 1_000;

/** Milliseconds that a session of the console lasts at most: someone who works every day logs in every other week. */
export const MAX_CONSOLE_SESSION_MS = 1_209_600_000;

/** Milliseconds that it lasts unused: a browser that was left behind is of no use after the weekend. */
export const MAX_CONSOLE_IDLE_MS = 259_200_000;

/** Milliseconds that the link lasts by which a new project gets its first account: whoever starts it is there. */
export const MAX_FIRST_LINK_MS = 3_600_000;

/** Milliseconds that a link lasts by which someone else chooses a password: it may wait in a mailbox over a weekend. */
export const MAX_CONSOLE_LINK_MS = 259_200_000;

/** Sets of roles of console accounts whose rights are kept ready; one is some kilobytes. */
export const MAX_CACHED_EDITOR_GRANTS = 100;

/** Limits that a project can change in config/sheaf.json, by the name they have there, with the highest value of each:
 * what a statement, a stack or the memory of one request can still hold. Parsing a list takes time by the square of its
 * length: 2,000 values take some 100 ms, in which nobody else is answered. */
export const ADJUSTABLE_LIMITS = {
  urlLength: { value: MAX_URL_LENGTH, most: 1_000_000 },
  headerBytes: { value: MAX_HEADER_BYTES, most: 2_000_000 },
  bodyBytes: { value: MAX_BODY_BYTES, most: 104_857_600 },
  bodyDepth: { value: MAX_BODY_DEPTH, most: 200 },
  references: { value: MAX_REFERENCES, most: 10_000 },
  components: { value: MAX_COMPONENTS, most: 10_000 },
  parameters: { value: MAX_PARAMETERS, most: 5_000 },
  depth: { value: MAX_DEPTH, most: 60 },
  listItems: { value: MAX_LIST_ITEMS, most: 2_000 },
  filterNodes: { value: MAX_FILTER_NODES, most: 500 },
  sortKeys: { value: MAX_SORT_KEYS, most: 50 },
  sortDepth: { value: MAX_SORT_DEPTH, most: 10 },
  populateNodes: { value: MAX_POPULATE_NODES, most: 1_000 },
  populateDepth: { value: MAX_POPULATE_DEPTH, most: 20 },
  searchLength: { value: MAX_SEARCH_LENGTH, most: MAX_FOLDED_LENGTH },
  populatedRows: { value: MAX_POPULATED_ROWS, most: 500_000 },
  populatedCharacters: { value: MAX_POPULATED_CHARACTERS, most: 100_000_000 },
  pageBytes: { value: MAX_PAGE_BYTES, most: 100_000_000 },
} as const;

export type LimitName = keyof typeof ADJUSTABLE_LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

/** What is made of each limit, by its name. */
export function ofEachLimit<T>(make: (limit: { readonly value: number; readonly most: number }) => T) {
  const made = Object.entries(ADJUSTABLE_LIMITS).map(([name, limit]) => [name, make(limit)] as const);
  return Object.fromEntries(made) as Record<LimitName, T>;
}

export const DEFAULT_LIMITS: Limits = ofEachLimit(({ value }) => value);
