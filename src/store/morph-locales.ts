// What a polymorphic list of a component keeps of its own when it gets that of the component that stands for it in
// another locale: links that lead to what the other locale does not have.
import { weave } from '../plan/write/relation-order.ts';
import { missingInLocale, versionsByRow } from './document-versions.ts';
import type { WriteSession } from './write-session.ts';

/** An entry of a list, linked or on record. */
export interface ListEntry {
  readonly row: number;
  readonly uid: string | null;
  readonly target: number;
  readonly position: number;
}

/** From which list to which, and the locale of the first. */
interface ListCopy {
  readonly from: number;
  readonly to: number;
  readonly locale: string;
}

/** What a list gets from another, and what it has itself and keeps, in one order. */
interface MergedEntries<Entry> {
  readonly copied: readonly Entry[];
  readonly kept: readonly Entry[];
}

/**
 * `draft`: what the draft of a published component leads to, which keeps what that has as well and gets nothing else; null
 * of drafts, which keep what does not exist in the other locale.
 */
export async function mergeForLocale<Entry extends ListEntry>(
  write: WriteSession,
  { from, to, locale }: ListCopy,
  entries: readonly Entry[],
  draft: readonly ListEntry[] | null,
): Promise<MergedEntries<Entry>> {
  const documents = await documentsOf(write, [...entries, ...(draft ?? [])]);
  const documentOf = (entry: ListEntry): string => documents.get(keyOf(entry)) ?? keyOf(entry);
  const namesOf = (list: readonly ListEntry[]): string[] => [...new Set(list.map(documentOf))];
  const listOf = (row: number): Entry[] =>
    entries.filter((entry) => entry.row === row).toSorted((a, b) => a.position - b.position);
  const current = listOf(to);
  const staying = new Set(namesOf(draft ?? (await missingEntries(write, current, locale))));
  const source = listOf(from).filter((entry) => draft === null || staying.has(documentOf(entry)));
  const copied = new Set(namesOf(source));
  const kept = current.filter((entry) => staying.has(documentOf(entry)) && !copied.has(documentOf(entry)));
  const inOrder = current.filter((entry) => copied.has(documentOf(entry)) || kept.includes(entry));
  const order = weave(namesOf(source), namesOf(inOrder));
  const place = (entry: Entry): Entry => ({ ...entry, position: order.indexOf(documentOf(entry)) + 1 });
  return { copied: source.map(place), kept: kept.map(place) };
}

const keyOf = ({ uid, target }: ListEntry): string => `${uid} ${target}`;

const idsByType = (
  { model }: WriteSession,
  entries: readonly ListEntry[],
): { readonly uid: string; readonly ids: readonly number[] }[] =>
  [...Map.groupBy(entries, ({ uid }) => uid)].flatMap(([uid, group]) =>
    uid !== null && model.contentTypes.has(uid) ? [{ uid, ids: group.map(({ target }) => target) }] : [],
  );

/** Names of the documents that entries lead to, the same for all of their versions. */
async function documentsOf(write: WriteSession, entries: readonly ListEntry[]): Promise<ReadonlyMap<string, string>> {
  const documents = new Map<string, string>();
  for (const { uid, ids } of idsByType(write, entries))
    for (const { id, documentId } of await versionsByRow(write, write.type(uid), ids))
      documents.set(`${uid} ${id}`, `${uid} ${documentId}`);
  return documents;
}

/** Those of the entries whose documents do not exist in a locale. */
async function missingEntries<Entry extends ListEntry>(
  write: WriteSession,
  entries: readonly Entry[],
  locale: string,
): Promise<Entry[]> {
  const missing = new Set<string>();
  for (const { uid, ids } of idsByType(write, entries))
    for (const id of await missingInLocale(write, write.type(uid), ids, locale)) missing.add(`${uid} ${id}`);
  return entries.filter((entry) => missing.has(keyOf(entry)));
}
