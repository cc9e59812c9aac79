// The rows that a write is about, and what happens to each: made, changed or removed, as lifecycles are told of it.
import type { WriteOperation } from '../../../access/operation.ts';
import type { Sheaf } from '../../../app.ts';
import type { ContentType } from '../../../model/types.ts';
import type { Entry } from '../../../operations/parameters.ts';
import type { Written } from '../../../store/write-version.ts';
import { Rows } from './rows.ts';

export type RowEvent = 'Create' | 'Update' | 'Delete';

/** What each subscriber keeps from before to after. */
export type States = Map<unknown, Record<string, unknown>>;

/** A row that a write makes, changes or removes. */
export interface Step {
  readonly event: RowEvent;
  readonly id: number | null;
  readonly isPublished: boolean;
  /** Null where the type has none, or where it is not there yet. */
  readonly locale: string | null;
  /** The row as it was before it is removed. */
  readonly removed: Entry | null;
  /** What the row holds beside the data: defaults, or what it is made of. */
  readonly known: Readonly<Record<string, unknown>>;
  /** Whether what code says of the row is for it alone, as it is a copy of another. */
  readonly isCopy: boolean;
  /** What is written to the row when it is there: what code says of a copy, and of dates. */
  later: Readonly<Record<string, unknown>>;
  readonly states: States;
}

/** What is in a row of a new document that nothing is said of. */
function newRow({ attributes }: ContentType): Step['known'] {
  const scalars = [...attributes.values()].filter((attribute) => attribute.kind === 'scalar');
  const withDefault = scalars.filter(({ rules }) => rules.default !== undefined && rules.default !== null);
  return Object.fromEntries(withDefault.map(({ name, rules }) => [name, structuredClone(rules.default)]));
}

/** The rows that a write is about, in Strapi's order: in each locale the draft, then what is published. */
export async function stepsOf(sheaf: Sheaf, operation: WriteOperation): Promise<Step[]> {
  const { name, type, documentId, row, parameters } = operation;
  const rows = new Rows(sheaf, type.uid);
  if (row !== undefined) {
    const found = row === 'new' ? null : await rows.findOne({ where: { id: row } });
    const event = name === 'delete' ? 'Delete' : row === 'new' ? 'Create' : 'Update';
    return [stepOf(event, found, found?.publishedAt != null)];
  }
  const locale = localesOf(sheaf, type, parameters.locale);
  if (name === 'create') return stepsIn(operation, []);
  const where = { ...(documentId !== null && { documentId }), ...(locale !== null && { locale }) };
  const populate = name === 'delete' ? parameters.populate : null;
  const stored = await rows.findMany({ where, populate, orderBy: 'id' });
  if (name === 'delete') return stored.map((one) => stepOf('Delete', one, one.publishedAt !== null));
  if (stored.length === 0 && documentId !== null && !(type.localized && (await rows.count({ where: { documentId } }))))
    return [];
  const groups = Map.groupBy(stored, localeIn);
  return groups.size === 0
    ? stepsIn(operation, [])
    : [...groups.values()].flatMap((versions) => stepsIn(operation, versions));
}

/** Those of one locale. `stored`: what is there of it. */
function stepsIn({ name, type, parameters, defaultStatus }: WriteOperation, stored: readonly Entry[]): Step[] {
  const draft = stored.find(({ publishedAt }) => !type.draftAndPublish || publishedAt === null) ?? null;
  const published = type.draftAndPublish ? (stored.find(({ publishedAt }) => publishedAt !== null) ?? null) : null;
  const publishes = type.draftAndPublish && (parameters.status ?? defaultStatus) === 'published';
  const isCopy = name === 'publish' || name === 'discardDraft';
  // A draft is changed; what is published is made of the draft, and a draft that is made anew of what is published.
  const write = (at: Entry | null, isPublished: boolean, source = draft ?? published): Step => {
    const isChange = at !== null && at === source;
    const known = isChange ? {} : source ? contentOf(source) : newRow(type);
    return stepOf(at ? 'Update' : 'Create', at, isPublished, { known, locale: localeIn(source), isCopy });
  };
  switch (name) {
    case 'unpublish':
      return published ? [stepOf('Delete', published, true)] : [];
    case 'publish':
      return draft ? [write(published, true)] : [];
    case 'discardDraft':
      return published ? [write(draft, false, published)] : [];
    case 'clone':
      return [!type.draftAndPublish, ...(publishes ? [true] : [])].flatMap((isPublished) =>
        stored.length === 0 ? [] : [cloned(draft ?? published!, isPublished)],
      );
    default:
      return [write(draft, !type.draftAndPublish), ...(publishes ? [write(published, true)] : [])];
  }
}

function stepOf(
  event: RowEvent,
  at: Entry | null,
  isPublished: boolean,
  { known = {}, locale = localeIn(at), isCopy = false }: Partial<Pick<Step, 'known' | 'locale' | 'isCopy'>> = {},
): Step {
  return {
    event,
    id: at?.id ?? null,
    isPublished,
    locale,
    removed: event === 'Delete' ? at : null,
    known,
    isCopy,
    later: {},
    states: new Map(),
  };
}

/** What of a row goes into another that is made of it. */
const contentOf = ({ id: _id, publishedAt: _publishedAt, ...content }: Entry): Step['known'] => content;

/** A row that is made of another, in a document of its own. */
function cloned(original: Entry, isPublished: boolean): Step {
  const { documentId: _documentId, createdAt: _createdAt, updatedAt: _updatedAt, ...known } = contentOf(original);
  return stepOf('Create', null, isPublished, { known, locale: localeIn(original) });
}

/** Whether a write of a row is what a step tells of. */
export const isRowOf = (step: Step, { published, locale }: Written['versions'][number]): boolean =>
  published === step.isPublished && (step.locale === null || step.locale === locale);

/** The locales that a write is about; null for all, and where there are none. */
export function localesOf(
  { operations }: Sheaf,
  { localized }: ContentType,
  asked: unknown,
): string | readonly string[] | null {
  if (!localized || asked === '*') return null;
  return typeof asked === 'string' || Array.isArray(asked) ? asked : operations.defaultLocale;
}

const localeIn = (entry: Entry | null): string | null => (typeof entry?.locale === 'string' ? entry.locale : null);
