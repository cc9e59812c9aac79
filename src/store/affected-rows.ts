// Reads the documents that a write concerns: their versions, the lists that it changes, and the owners of what it links.
import type { AffectedPlan, TableDocuments } from '../plan/write/affected-documents.ts';
import type { NamedDocuments } from '../sql/affected-statements.ts';
import { linkKey } from '../sql/link-names.ts';
import { append, byPosition, type StoredLink } from './gathered.ts';
import { listOf, type Version, type WriteSession } from './write-session.ts';

/** A link by which another document holds a target that the write names. */
export interface OwnerLink {
  readonly id: number;
  readonly owner: Version;
  readonly target: number;
}

/** All that a write has to know of the documents that it concerns. */
export interface AffectedDocuments {
  /** By table, in the order of their ids. */
  readonly versions: ReadonlyMap<string, readonly Version[]>;
  /** The lists that the body changes, by link and row of the document. A row without links is not in it. */
  readonly lists: ReadonlyMap<string, ReadonlyMap<number, readonly StoredLink[]>>;
  /** The links of others with the targets of a relation, where a target has one owner; by link. */
  readonly ownerLinks: ReadonlyMap<string, readonly OwnerLink[]>;
  /** Whether the locale that is written is one of the project's; of a type without locales, always. */
  readonly knowsLocale: boolean;
}

/** A table with the id of one of its documents. */
export type Found = readonly (readonly [table: string, documentId: string])[];

/** How statements name the documents of a table, and the values that they bind for them. */
export const namedOf = ({ table, rowIds }: TableDocuments): NamedDocuments => ({ table, byRow: rowIds.length > 0 });
export const valuesOf = ({ documentIds, rowIds }: TableDocuments): string[] =>
  rowIds.length > 0 ? [listOf(documentIds), listOf(rowIds)] : [listOf(documentIds)];

export async function readAffected(
  write: WriteSession,
  { locked, held, lookUps, locale }: AffectedPlan,
): Promise<{ readonly documents: AffectedDocuments; readonly found: Found }> {
  const tables = [...locked, ...held];
  const versions = new Map<string, Version[]>();
  const lists = new Map<string, Map<number, StoredLink[]>>();
  const listsOf = (key: string): Map<number, StoredLink[]> => {
    const ofLink = lists.get(key) ?? new Map<number, StoredLink[]>();
    lists.set(key, ofLink);
    return ofLink;
  };
  const ownerLinks = new Map<string, OwnerLink[]>();
  const found: [string, string][] = [];
  const values = [
    ...tables.flatMap(valuesOf),
    ...lookUps.flatMap((lookUp) => lookUp.values),
    ...(locale === null ? [] : [locale]),
  ];
  const statement = write.affected.read(
    tables.map(namedOf),
    lookUps.map(({ part }) => part),
    locale !== null,
  );
  const rows = values.length > 0 ? await write.run.rows(statement, ...values) : [];
  let knowsLocale = locale === null;
  const keys = lookUps.map(({ part }) => linkKey(part.link));
  for (const [part, id, documentId, rowLocale, published, linkId, target, position] of rows) {
    const index = part - tables.length;
    const lookUp = lookUps[index];
    if (lookUp?.part.find === 'list') {
      append(listsOf(keys[index]!), id, { id: linkId!, target: target!, position });
      continue;
    }
    if (index === lookUps.length) {
      knowsLocale = true;
      continue;
    }
    const version = { id, documentId: documentId ?? '', locale: rowLocale, published: published === 1 };
    if (!lookUp) {
      append(versions, tables[part]!.table, version);
      continue;
    }
    // A row that somebody made without a documentId belongs to no document that could be locked.
    if (documentId !== null) found.push([lookUp.table, documentId]);
    if (linkId !== null && target !== null) append(ownerLinks, keys[index]!, { id: linkId, owner: version, target });
  }
  for (const [table, all] of versions) versions.set(table, distinctInOrder(all));
  for (const ofLink of lists.values()) for (const list of ofLink.values()) list.sort(byPosition);
  return { documents: { versions, lists, ownerLinks, knowsLocale }, found };
}

/** A table may be read twice: for what is locked, and for what is held. */
const distinctInOrder = (versions: readonly Version[]): Version[] =>
  versions.toSorted((a, b) => a.id - b.id).filter(({ id }, index, sorted) => id !== sorted[index - 1]?.id);
