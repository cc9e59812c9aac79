// Decides what becomes of a relation of one row: works out the new list, and whether the caller may take from others
// what it moves. Whatever loses a link must be the caller's to update; what the caller cannot see stays as it is.
import { actionOn } from '../access/actions.ts';
import { showsLinks } from '../model/links.ts';
import type { ContentType, MorphAttribute, RelationAttribute, Schema } from '../model/types.ts';
import type { RelationChange } from '../plan/write/changes.ts';
import { applyChange, applySet, RelationOrderError } from '../plan/write/relation-order.ts';
import { type BodyPath, bodyValueError } from '../request/parse-relation.ts';
import { linkKey } from '../sql/link-names.ts';
import type { AffectedDocuments } from './affected-rows.ts';
import type { KeyWrite, ListWrite, MorphListWrite, RelationWrite } from './entity-writes.ts';
import { byPosition, type StoredEntity, type StoredLink } from './gathered.ts';
import type { ForeignLink } from './link-table.ts';
import { morphEntry, rowOfEntry, targetOfEntry } from './morph-entries.ts';
import type { ResolvedOrder } from './references.ts';
import { type LinkRights, takesFromOthers } from './row-rights.ts';
import type { WriteSession } from './write-session.ts';

/** What the decision depends on. */
export interface RelationContext {
  readonly write: Pick<WriteSession, 'model' | 'caller' | 'now'>;
  /** The type of the document that is written, and its id. */
  readonly type: ContentType;
  readonly documentId: string;
  readonly documents: AffectedDocuments;
  readonly resolved: ReadonlyMap<RelationChange, ResolvedOrder>;
  readonly rights: LinkRights;
}

/** The row whose relation it is; one that is not stored holds nothing. */
interface Holder {
  readonly schema: Schema;
  readonly stored: StoredEntity | undefined;
}

const NOTHING: ReadonlySet<number> = new Set();

export function decideRelation(context: RelationContext, holder: Holder, change: RelationChange): RelationWrite {
  const { attribute, path } = change;
  const order = context.resolved.get(change)!;
  if (attribute.kind === 'morph') return decideMorphList(context, holder, { attribute, order, path });
  const current = holder.stored?.links.get(linkKey(attribute.link)) ?? [];
  const list = current.map(({ target }) => target);
  const hidden = context.rights.hidden.get(attribute.target) ?? NOTHING;
  const desired = newList(order, { list, hidden, many: attribute.many, path });
  if (attribute.kind === 'media')
    return { write: 'list', link: attribute.link, current, desired, taken: [], dropsRecord: false };
  return decideLinks(context, holder, attribute, { path, current, list, desired });
}

/** A list as it is and as it shall be. */
interface DecidedList {
  readonly path: BodyPath;
  readonly current: readonly StoredLink[];
  readonly list: readonly number[];
  readonly desired: readonly number[];
}

function decideLinks(
  context: RelationContext,
  { stored }: Holder,
  attribute: RelationAttribute,
  { path, current, list, desired }: DecidedList,
): ListWrite | KeyWrite {
  const { link, inverse, owning } = attribute;
  const [before, after] = [new Set(list), new Set(desired)];
  const gone = list.filter((id) => !after.has(id));
  const added = desired.filter((id) => !before.has(id));
  const target = context.write.model.contentTypes.get(attribute.target)!;
  // A relation that the target declares is the target's: removing it from this side needs the right to update the
  // target. One that this side declares can be removed here, unless a rule keeps the caller from updating the target.
  if (inverse !== null && !mayLose(context, target, gone, !owning)) throw takesFromOthers(path);
  const taken = attribute.exclusive ? takenFromOthers(context, attribute, added) : [];
  const holders = [...new Set(taken.map(({ holder }) => holder))];
  if (!mayLose(context, context.type, holders, true)) throw takesFromOthers(path);
  if (attribute.storage === 'column')
    return { write: 'key', attribute, desired, rowsToDetach: owning ? holders : gone };
  // What a row without drafts was remembered to hold, it now holds or not as it was written.
  const dropsRecord =
    stored !== undefined && !context.type.draftAndPublish && target.draftAndPublish && inverse === null;
  return { write: 'list', link, current, desired, taken, dropsRecord };
}

/** Whether the caller may take a link from rows: no rule keeps them from updating one, and they may update at all. */
function mayLose(
  { write, rights }: RelationContext,
  type: ContentType,
  ids: readonly number[],
  needsGrant: boolean,
): boolean {
  if (ids.length === 0) return true;
  if (needsGrant && !write.caller.access.may(actionOn(type, 'update'))) return false;
  const readOnly = rights.readOnly.get(type.uid) ?? NOTHING;
  return !ids.some((id) => readOnly.has(id));
}

/** Links by which other documents, in the same status, hold what the row is about to have to itself. */
function takenFromOthers(
  { type, documentId, documents }: RelationContext,
  { link }: RelationAttribute,
  added: readonly number[],
): ForeignLink[] {
  const targets = new Set(added);
  return (documents.ownerLinks.get(linkKey(link)) ?? [])
    .filter(
      ({ owner, target }) =>
        targets.has(target) && owner.documentId !== documentId && !(type.draftAndPublish && owner.published),
    )
    .map(({ id, owner, target }) => ({ id, holder: owner.id, target }));
}

interface ListFacts {
  readonly list: readonly number[];
  readonly hidden: ReadonlySet<number>;
  readonly many: boolean;
  readonly path: BodyPath;
}

function newList(order: ResolvedOrder, { list, hidden, many, path }: ListFacts): number[] {
  if (order.mode === 'set') {
    const groups = order.references.map(({ ids }) => ids);
    if (many) return applySet(list, groups, hidden);
    return [...(groups.at(-1) ?? list.filter((id) => hidden.has(id)))];
  }
  return withOrderProblems(path, () => {
    if (many) return applyChange(list, order);
    // To-one: positions mean nothing, and only the last reference counts; a repeated one is refused all the same.
    const ends = order.connect.map(({ ids }) => ({ ids, position: { at: 'end' } as const }));
    const all = applyChange(list, { ...order, connect: ends });
    const last = order.connect.at(-1);
    return last ? [...last.ids] : all;
  });
}

const PROBLEMS: Readonly<Record<RelationOrderError['problem'], string>> = {
  'connected twice': 'every entry at most once in connect',
  'relative to itself': 'another entry than the connected one in position',
  'relative to each other': 'no circle of positions in connect',
  'anchor is not connected': 'an entry in position that is connected, or options.strict false',
};

/** Reports a problem with positions where it stands in the body. */
function withOrderProblems<T>(path: BodyPath, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RelationOrderError)) throw error;
    throw bodyValueError([...path, 'connect', error.index], PROBLEMS[error.problem]);
  }
}

/** A list of entries of several types, with one order over all of them; or one entry of any type. */
function decideMorphList(
  context: RelationContext,
  { schema, stored }: Holder,
  {
    attribute,
    order,
    path,
  }: { readonly attribute: MorphAttribute; readonly order: ResolvedOrder; readonly path: BodyPath },
): MorphListWrite {
  const current = new Map<number, StoredLink>();
  const hidden = new Set<number>();
  for (const { uid, link } of attribute.targets)
    for (const one of stored?.links.get(linkKey(link)) ?? []) {
      const entry = morphEntry(attribute, uid, one.target);
      current.set(entry, one);
      if (context.rights.hidden.get(uid)?.has(one.target)) hidden.add(entry);
    }
  const list = [...current.keys()].sort((a, b) => byPosition(current.get(a)!, current.get(b)!));
  const desired = newList(order, { list, hidden, many: attribute.many, path });
  const after = new Set(desired);
  const gone = list.filter((entry) => !after.has(entry));
  for (const [uid, group] of Map.groupBy(gone, (entry) => targetOfEntry(attribute, entry).uid)) {
    const type = context.write.model.contentTypes.get(uid)!;
    const rows = group.map((entry) => rowOfEntry(attribute, entry));
    // An entry that shows the link loses it.
    if (showsLinks(type, schema, attribute.name) && !mayLose(context, type, rows, false)) throw takesFromOthers(path);
  }
  const dropsRecord =
    stored !== undefined &&
    !context.type.draftAndPublish &&
    attribute.many &&
    attribute.targets.some(({ uid }) => context.write.model.contentTypes.get(uid)!.draftAndPublish);
  return { write: 'morphList', attribute, current, desired, dropsRecord };
}
