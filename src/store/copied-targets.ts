// What relations of components lead to where they are copied: in the other status, in another locale, in a clone.
import type { RelationAttribute } from '../model/types.ts';
import { weave } from '../plan/write/relation-order.ts';
import type { Status } from '../request/read-request.ts';
import { draftsOf, missingInLocale, publishedOrAppearing, rowsInLocale, versionsByRow } from './document-versions.ts';
import { readLinksAgain, readTargets } from './link-table.ts';
import { readRecord } from './publication-records.ts';
import type { WriteSession } from './write-session.ts';

/** What a copy is for, which decides which rows its relations lead to. */
export type CopyPurpose = { readonly to: 'published' | 'draft' } | LocalePurpose | { readonly to: 'clone' };

/** From one locale to another. `status`: of the rows; null for those without drafts. */
interface LocalePurpose {
  readonly to: 'locale';
  readonly from: string;
  readonly locale: string;
  readonly status: Status | null;
}

/** From which row to which. */
export interface Copy {
  readonly from: number;
  readonly to: number;
  /** A row that was just made holds nothing yet. */
  readonly toIsNew: boolean;
  readonly purpose: CopyPurpose;
  /** The draft beside a published row that gets what another locale has: the copies of its components are on record. */
  readonly draft?: number | null;
  /** Into another locale: the component there whose links stay that the copied one cannot have. */
  readonly own?: number | null;
}

/** What the copy of a list leads to. `drafts`: what is put on record of it; null where nothing is. */
interface CopiedTargets {
  readonly desired: readonly number[];
  readonly drafts: readonly number[] | null;
}

/** What the copy of a list leads to. One of a published row is put on record, for targets that are not published yet. */
export async function copiedTargets(
  write: WriteSession,
  attribute: RelationAttribute,
  copy: Copy,
): Promise<CopiedTargets> {
  const { from, purpose } = copy;
  const target = write.type(attribute.target);
  const targets = await readTargets(write, attribute.link, from);
  const status = purpose.to === 'locale' ? purpose.status : purpose.to === 'clone' ? null : purpose.to;
  const inLocale = async (ids: readonly number[]): Promise<readonly number[]> =>
    purpose.to === 'locale' ? targetsInLocale(write, attribute, ids, { ...copy, purpose }) : ids;
  const unrecorded = (desired: readonly number[]): CopiedTargets => ({ desired, drafts: null });
  if (!target.draftAndPublish || status === null) return unrecorded(await inLocale(targets));
  if (status === 'published') {
    const drafts = await inLocale(purpose.to === 'locale' ? await readRecord(write, attribute, from) : targets);
    const published = await publishedOrAppearing(write, target, drafts);
    return { desired: drafts.flatMap((id) => published.get(id) ?? []), drafts };
  }
  const drafts = await draftsOf(write, target.table, targets);
  if (purpose.to === 'locale') return unrecorded(await inLocale(targets.map((id) => drafts.get(id) ?? id)));
  const recorded = await readRecord(write, attribute, from);
  if (recorded.length > 0) return unrecorded(recorded);
  // A component row that others left in several versions of an entry may lead to drafts already.
  const unknown = targets.filter((id) => !drafts.has(id));
  const rows = unknown.length === 0 ? [] : await versionsByRow(write, target, unknown);
  const isDraft = (id: number): boolean => rows.some((row) => row.id === id && !row.published);
  return unrecorded(targets.flatMap((id) => drafts.get(id) ?? (isDraft(id) ? id : [])));
}

/**
 * The rows of the same documents and status in another locale. Those that are not there are left out, and of a published
 * component those that its draft does not have.
 */
async function targetsInLocale(
  write: WriteSession,
  attribute: RelationAttribute,
  ids: readonly number[],
  copy: Copy & { readonly purpose: LocalePurpose },
): Promise<readonly number[]> {
  const rows = await rowsInLocale(write, copy.purpose.locale)(attribute.target, ids);
  const found = ids.flatMap((id) => rows.get(id) ?? []);
  if (!copy.own || !write.type(attribute.target).localized) return found;
  const kept = await keptTargets(write, attribute, { ...copy, own: copy.own });
  const translated = copy.own === copy.to ? found : found.filter((id) => kept.all.includes(id));
  if (!attribute.many && translated.length > 0) return translated;
  const inOrder = kept.all.filter((id) => kept.ids.has(id) || translated.includes(id));
  return weave(translated, inOrder);
}

/**
 * What a component leads to in its own locale, and those of it that stay: documents that do not exist in the locale that
 * is copied, and what a published row shows and its draft still has.
 */
async function keptTargets(
  write: WriteSession,
  { link, target: uid }: RelationAttribute,
  { own, to, toIsNew, purpose }: Copy & { readonly own: number; readonly purpose: LocalePurpose },
): Promise<{ readonly all: readonly number[]; readonly ids: ReadonlySet<number> }> {
  const target = write.type(uid);
  const all = (await readLinksAgain(write, link, own)).map((stored) => stored.target);
  const missing = await missingInLocale(write, target, all, purpose.from);
  if (own === to || toIsNew) return { all, ids: new Set(missing) };
  const shown = await readTargets(write, link, to);
  const drafts = target.draftAndPublish ? [...(await draftsOf(write, target.table, shown)).values()] : shown;
  return { all, ids: new Set([...missing, ...drafts]) };
}
