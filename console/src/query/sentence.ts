// A draft in one sentence of plain English.
import type { ConsoleModel } from '../../../src/console/contract.ts';
import { clausesOf, manyName, type Titles } from './clauses.ts';
import { isComplete, type PopulateDraft, type PopulateItem, type ReadDraft, type SortDraft } from './draft.ts';
import { valueKindOf } from './operators.ts';
import { attributesAlong, rootView, type SchemaView } from './schema-view.ts';
import { capitalized, humanized, listed, possessive } from './words.ts';

const NO_TITLES: Titles = new Map();
/** Of a project that does not say otherwise. */
const USUAL_PAGE = 25;

export function sentenceOf(draft: ReadDraft, model: ConsoleModel, titles: Titles = NO_TITLES): string {
  const view = rootView(model, draft);
  const conditions = clausesOf(draft.filters, 'and', { view, titles, many: true, value: null });
  const parts = [
    [subject(draft, view), draft.q && `that contain “${draft.q}”`, conditions].filter(Boolean).join(' '),
    sortWords(draft.sort, view),
    shownWords(draft),
    pageWords(draft, view),
    otherWords(draft),
  ];
  return `${capitalized(parts.filter(Boolean).join(', '))}.`;
}

const isSingle = (view: SchemaView | null): boolean =>
  view !== null && 'kind' in view.schema && view.schema.kind === 'singleType';

function subject({ type, below, status, locale }: ReadDraft, view: SchemaView | null): string {
  const name = manyName(view) ?? humanized(type);
  const names = below.split('/').filter(Boolean);
  const what = status === 'draft' ? `drafts of ${name}` : status === 'published' ? `published ${name}` : name;
  const where = locale.includes('*') ? ' in all locales' : locale.length > 0 ? ` in ${listed(locale, 'and')}` : '';
  if (names[0] === 'aggregate') return `groups of ${what}${where}`;
  if (names.length > 1) return `${what} of the entry ${names[0]}${where}`;
  return names.length === 1 && !isSingle(view) ? `of ${what}${where} the entry ${names[0]}` : `${what}${where}`;
}

// ---- order

const AGGREGATES = { count: 'number of', min: 'lowest', max: 'highest', avg: 'average' } as const;
/** What is said of these alone: when they are latest first, and when they are not. */
const TIMES: Readonly<Record<string, readonly [string, string]>> = {
  createdAt: ['newest first', 'oldest first'],
  publishedAt: ['last published first', 'first published first'],
  updatedAt: ['last changed first', 'longest unchanged first'],
};

function sortWords(sort: readonly SortDraft[], view: SchemaView | null): string {
  const words = sort.map((key) => keyWords(key, view));
  return words.map((text, index) => (index === 0 ? text : `then ${text}`)).join(', ');
}

function keyWords({ path, aggregate, descending }: SortDraft, view: SchemaView | null): string {
  const time = path.length === 1 && !aggregate ? TIMES[path[0]!] : undefined;
  if (time) return time[descending ? 0 : 1];
  const names = path.map(humanized);
  const own = [...names.slice(0, -1).map(possessive), names.at(-1)!].join(' ');
  const what = aggregate ? `${AGGREGATES[aggregate]} ${own}` : own;
  return `by ${what}${descending ? `, ${descendingWord(path, aggregate, view)} first` : ''}`;
}

function descendingWord(path: readonly string[], aggregate: SortDraft['aggregate'], view: SchemaView | null): string {
  const attribute = attributesAlong(view, path).at(-1);
  const kind = attribute && valueKindOf(attribute);
  if (aggregate || kind === 'number') return 'highest';
  return kind === 'date' || kind === 'datetime' || kind === 'time' ? 'latest' : 'last';
}

// ---- what is shown

function shownWords({ fields, populate }: ReadDraft): string {
  const related = populateWords(populate);
  if (fields) return `showing only ${listed(fields.map(humanized), 'and')}${related && `, with ${related}`}`;
  return related && `shown with ${related}`;
}

const populateWords = ({ all, at }: PopulateDraft): string =>
  all ? 'everything related' : listed(at.map(itemWords), 'and');

function itemWords({ name, node }: PopulateItem): string {
  const inner = populateWords(node.populate);
  const what = node.count ? `the number of ${humanized(name)}` : humanized(name);
  const some = node.filters.some(isComplete) ? `some ${what}` : what;
  return inner === '' ? some : `${some} (with ${inner})`;
}

function pageWords({ pagination, below }: ReadDraft, view: SchemaView | null): string {
  if ((below !== '' && below !== '/aggregate') || isSingle(view)) return '';
  const { page, pageSize, start, limit } = pagination;
  if (start !== undefined || limit !== undefined) return `${limit ?? USUAL_PAGE} from place ${Number(start ?? 0) + 1}`;
  const size = `${pageSize ?? USUAL_PAGE} a page`;
  return page !== undefined && page !== '1' ? `${size}, page ${page}` : size;
}

/** Parameters that have no words here may still change what is found. */
function otherWords({ other }: ReadDraft): string {
  const names = Object.keys(other).map((name) => `“${name}”`);
  if (names.length === 0) return '';
  return `with ${listed(names, 'and')} as ${names.length === 1 ? 'it is' : 'they are'} written`;
}
