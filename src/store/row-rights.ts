// Rights on rows where a write meets them: which of some rows the caller may find, update or delete.
import type { RowUse } from '../access/access.ts';
import { actionOn } from '../access/actions.ts';
import { SheafError } from '../errors.ts';
import type { ContentType } from '../model/types.ts';
import type { WritePlan } from '../plan/write/changes.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import { linkKey } from '../sql/link-names.ts';
import type { AffectedDocuments } from './affected-rows.ts';
import { DocumentNotFound } from './document-not-found.ts';
import { publishedOf, versionsByRow } from './document-versions.ts';
import type { StoredEntities } from './gathered.ts';
import { listOf, type Version, type WriteSession } from './write-session.ts';

/** Those of the rows that the caller may reach. */
export async function reachable(
  write: WriteSession,
  type: ContentType,
  use: RowUse,
  versions: readonly Version[],
): Promise<readonly Version[]> {
  if (versions.length === 0) return versions;
  if (use === 'find' && hidesDrafts(write, type)) return withoutHiddenDrafts(write, type, versions);
  return byRule(write, type, use, versions);
}

async function byRule(
  write: WriteSession,
  type: ContentType,
  use: RowUse,
  versions: readonly Version[],
): Promise<readonly Version[]> {
  const { access, user } = write.caller;
  if (!access.rowsOf(type.uid, use)) return versions;
  const found = new Set<number>();
  for (const status of ['draft', 'published'] as const) {
    const ids = versions.filter(({ published }) => published === (status === 'published')).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { statement, values } = write.rules.statement(access, type, use, status);
    for (const [id] of await write.run.rows(statement, ...values({ ids: listOf(ids), user }))) found.add(id);
  }
  return versions.filter(({ id }) => found.has(id));
}

const hidesDrafts = ({ caller }: WriteSession, { uid, draftAndPublish }: ContentType): boolean =>
  draftAndPublish && !caller.access.mayReadDrafts(uid);

/** A document whose drafts are hidden is known by its published rows; a draft goes with the published row beside it. */
async function withoutHiddenDrafts(
  write: WriteSession,
  type: ContentType,
  versions: readonly Version[],
): Promise<readonly Version[]> {
  const drafts = versions.filter(({ published }) => !published).map(({ id }) => id);
  const beside = await publishedOf(write, type.table, drafts);
  const published = await versionsByRow(write, type, [
    ...new Set([...beside.values(), ...versions.filter((version) => version.published).map(({ id }) => id)]),
  ]);
  const seen = new Set((await byRule(write, type, 'find', published)).map(({ id }) => id));
  return versions.filter(({ id }) => seen.has(beside.get(id) ?? id));
}

/** Whether the caller may reach every one of the rows. */
export const allReachable = async (
  write: WriteSession,
  type: ContentType,
  use: RowUse,
  versions: readonly Version[],
): Promise<boolean> => (await reachable(write, type, use, versions)).length === versions.length;

/** Refuses rows of which the caller may not reach every one, as if there were no such document. */
export async function requireReachable(
  write: WriteSession,
  type: ContentType,
  use: RowUse,
  versions: readonly Version[],
): Promise<void> {
  if (!(await allReachable(write, type, use, versions))) throw new DocumentNotFound();
}

/** What the caller may do with the entries that a write links or unlinks. All by the uid of their type. */
export interface LinkRights {
  /** The versions of what the write refers to, as far as the caller may find them. */
  readonly findable: ReadonlyMap<string, readonly Version[]>;
  /** Linked rows that the caller cannot see. */
  readonly hidden: ReadonlyMap<string, ReadonlySet<number>>;
  /** Rows that would lose a link, and that a rule keeps the caller from updating. */
  readonly readOnly: ReadonlyMap<string, ReadonlySet<number>>;
}

/** What a write is about, as far as rights on its links depend on it. */
export interface LinkedRows {
  /** The version that is written. It may refer to itself, also when it is new. */
  readonly self: Version;
  /** Its rows that the caller must be allowed to update. */
  readonly mustReach: readonly Version[];
  readonly stored: StoredEntities;
  readonly documents: AffectedDocuments;
}

/** Refuses a document that is not the caller's to update, as if there were none. */
export async function readLinkRights(
  write: WriteSession,
  { type, references, publishes }: WritePlan,
  { self, mustReach, stored, documents }: LinkedRows,
): Promise<LinkRights> {
  // Where a locale is added, the rows are of others.
  const isTranslated = type.localized && !mustReach.some(({ locale }) => locale === self.locale);
  await requireReachable(write, type, isTranslated ? 'translate' : 'update', mustReach);
  if (publishes && type.draftAndPublish && write.caller.access.separateRights && !isTranslated)
    await requireReachable(write, type, 'publish', mustReach);
  const findable = new Map<string, readonly Version[]>();
  for (const { target } of references) {
    const versions = documents.versions.get(write.type(target).table) ?? [];
    const found = await reachable(write, write.type(target), 'find', versions);
    const isOwn = target === type.uid && !versions.some(({ id }) => id === self.id);
    findable.set(target, isOwn ? [...found, self] : found);
  }
  const { replaced, losing } = linkedRows(write, type, stored, documents);
  const hidden = new Map<string, ReadonlySet<number>>();
  const readOnly = new Map<string, ReadonlySet<number>>();
  for (const [uid, ids] of replaced) hidden.set(uid, await hiddenRows(write, write.type(uid), [...ids]));
  for (const [uid, ids] of losing) readOnly.set(uid, await readOnlyRows(write, write.type(uid), [...ids]));
  return { findable, hidden, readOnly };
}

/** Rows in lists that are set anew, and rows that may lose a link that they show; by the uid of their type. */
function linkedRows(
  { caller }: WriteSession,
  { uid: ownUid }: ContentType,
  stored: StoredEntities,
  { ownerLinks }: AffectedDocuments,
): Record<'replaced' | 'losing', ReadonlyMap<string, ReadonlySet<number>>> {
  const replaced = new Map<string, Set<number>>();
  const losing = new Map<string, Set<number>>();
  const add = (rows: Map<string, Set<number>>, uid: string, ids: readonly number[]): void => {
    const known = rows.get(uid) ?? new Set();
    rows.set(uid, known);
    for (const id of ids) known.add(id);
  };
  // Without a rule there is nothing to find out about who loses a link.
  const lose = (uid: string, ids: readonly number[]): void => {
    if (caller.access.rowsOf(uid, 'update')) add(losing, uid, ids);
  };
  for (const [{ relations }, { links }] of stored)
    for (const { attribute, input } of relations) {
      const targets =
        attribute.kind === 'morph' ? attribute.targets : [{ uid: attribute.target, link: attribute.link }];
      for (const { uid, link } of targets) {
        const ids = links.get(linkKey(link))!.map(({ target }) => target);
        if (input.mode === 'set') add(replaced, uid, ids);
        if (attribute.kind === 'morph' || (attribute.kind === 'relation' && attribute.inverse !== null)) lose(uid, ids);
      }
    }
  for (const links of ownerLinks.values())
    lose(
      ownUid,
      links.map(({ owner }) => owner.id),
    );
  return { replaced, losing };
}

/** Those of the rows that a rule keeps the caller from updating. */
async function readOnlyRows(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0 || !write.caller.access.rowsOf(type.uid, 'update')) return new Set();
  const reached = await reachable(write, type, 'update', await versionsByRow(write, type, ids));
  const updatable = new Set(reached.map(({ id }) => id));
  return new Set(ids.filter((id) => !updatable.has(id)));
}

/** Those of the rows that the caller cannot see. Roles nobody sees; who may write them for a user replaces them all the same. */
async function hiddenRows(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const { access } = write.caller;
  if (type.exposure === 'hidden') return new Set();
  if (!access.mayFind(type.uid)) return new Set(ids);
  if (ids.length === 0 || (!access.rowsOf(type.uid, 'find') && !hidesDrafts(write, type))) return new Set();
  const seen = new Set(
    (await reachable(write, type, 'find', await versionsByRow(write, type, ids))).map(({ id }) => id),
  );
  return new Set(ids.filter((id) => !seen.has(id)));
}

/** Whether no rule keeps the caller from updating one of the rows. */
export async function rulesAllowUpdate(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
): Promise<boolean> {
  return (await readOnlyRows(write, type, ids)).size === 0;
}

/** Ways to change a row; where a draft is published or discarded, it is not known which one it was. */
const CHANGES = ['update', 'publish', 'discardDraft'] as const;

/** Whether the caller may take from the rows what a draft that is published or discarded takes from them. */
export async function mayTakeFrom(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return true;
  const isGranted = CHANGES.some((verb) => write.caller.access.may(actionOn(type, verb)));
  return isGranted && rulesAllowUpdate(write, type, ids);
}

export const takesFromOthers = (path: BodyPath): SheafError =>
  new SheafError(403, 'ForbiddenError', `${path.join('.')}: an entry that you may not update would lose a link`, {
    path: path.join('.'),
    source: 'body',
  });
