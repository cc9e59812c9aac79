// Rights on rows where a write meets them: which of some rows the caller may find, update or delete.
import type { RowUse } from '../access/access.ts';
import { actionOn } from '../access/actions.ts';
import { SheafError } from '../errors.ts';
import type { ContentType } from '../model/types.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import { publishedOf, versionsByRow } from './document-versions.ts';
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
    for (const [id] of await write.rows(statement, ...values({ ids: listOf(ids), user }))) found.add(id);
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

/** Those of the rows that the caller cannot see. Roles nobody sees; who may write them for a user replaces them all the same. */
export async function hiddenRows(
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

/** Whether the caller may update every one of the rows: by grant and by rule. */
export async function mayUpdate(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return true;
  return write.caller.access.may(actionOn(type, 'update')) && rulesAllowUpdate(write, type, ids);
}

/** Whether no rule keeps the caller from updating one of the rows. */
export async function rulesAllowUpdate(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
): Promise<boolean> {
  if (ids.length === 0 || !write.caller.access.rowsOf(type.uid, 'update')) return true;
  return allReachable(write, type, 'update', await versionsByRow(write, type, ids));
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
