// Writes one version of a document: a row that is made or changed, with all that belongs to it. Everything is read
// first, then decided, then written; what follows from it, in other locales and for the published row, comes last.
import { authorizeNewRow } from '../access/authorize.ts';
import { FILE } from '../model/builtin.ts';
import { changedNames, type ScalarChange } from '../plan/write/changes.ts';
import { forNewRow } from '../plan/write/new-row.ts';
import type { AuthorizedWritePlan } from '../plan/write/plan-write.ts';
import type { AffectedDocuments } from './affected-rows.ts';
import { applyEntity } from './apply.ts';
import { publishedBeside } from './document-versions.ts';
import { decideVersion } from './entity.ts';
import { NEW_ROW } from './entity-writes.ts';
import { attachableFiles } from './file-rights.ts';
import type { StoredEntities } from './gathered.ts';
import { publishVersion } from './publish.ts';
import { resolveReferences } from './references.ts';
import { readLinkRights } from './row-rights.ts';
import { inheritSharedFields, syncSharedFields } from './shared-fields.ts';
import { readStoredEntities } from './stored-entities.ts';
import { refuseDuplicates, validateUniqueComponents } from './validate.ts';
import { validateConditional } from './validate-conditional.ts';
import type { Version, WriteSession } from './write-session.ts';

/** What a write left behind: the document, the locale to answer with, and the rows that it was about. */
export interface Written {
  readonly documentId: string;
  readonly locale: string | null;
  readonly versions: readonly Version[];
}

/** The version to write, and what is known around it. */
export interface VersionTarget {
  readonly documentId: string;
  /** Null: it is made. */
  readonly row: Version | null;
  /** Those that the document has already. */
  readonly versions: readonly Version[];
  /** Those that the caller must be allowed to update. */
  readonly mustReach: readonly Version[];
  readonly documents: AffectedDocuments;
}

const NOTHING_STORED: StoredEntities = new Map();

export async function writeVersion(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  target: VersionTarget,
): Promise<Written> {
  const { type, publishes } = plan;
  const { documentId, row, versions, documents } = target;
  if (!row && plan.name === 'update') authorizeNewRow(write.caller, type, plan.locale, changedNames(plan.change));
  const change = row ? plan.change : forNewRow(plan.change, versions.length > 0);
  const isAlone = plan.row !== null;
  const isPublished = !type.draftAndPublish || (isAlone && publishes);
  const self = row ?? { id: NEW_ROW, documentId, locale: plan.locale, published: isPublished };

  const published = row && !row.published && publishes ? (publishedBeside(versions, row)?.id ?? null) : null;
  const stored = row
    ? await readStoredEntities(write, type, { row: row.id, change, published }, documents)
    : NOTHING_STORED;
  const rights = await readLinkRights(write, plan, { self, stored, documents, mustReach: target.mustReach });
  const finish = await write.invariants.get(type.uid)?.enforce(write, plan, row && isAlone ? [row] : versions);
  if (!type.draftAndPublish) {
    const isJudged = ({ attribute }: ScalarChange) => isAlone || attribute.visibleWhen === null;
    await refuseDuplicates(write, type, self, change.scalars.filter(isJudged));
  }
  const mayAttach = await attachableFiles(write, stored, rights.findable.get(FILE));

  const targets = { findable: rights.findable, mayAttach };
  const resolved = resolveReferences(write, plan.relations, { ...self, type, publishes, isAlone }, targets);
  const facts = { write, type, documentId, documents, stored, resolved, rights };
  const entity = decideVersion(facts, { self, isNew: !row, dates: plan.dates }, change);

  const id = await applyEntity(write, entity);
  const written: Version = { ...self, id };
  if (!row) await inheritSharedFields(write, type, { from: versions, to: written }, change);
  await syncSharedFields(write, type, { row: written, versions }, () => changedNames(change));
  if (!type.draftAndPublish && !isAlone) {
    const origin = row ? 'stored' : plan.name === 'create' ? 'created' : 'added';
    await validateConditional(write, type, written, { change, origin, stored });
  }
  if (!type.draftAndPublish && change.components.length > 0) await validateUniqueComponents(write, type, written);
  const publications =
    type.draftAndPublish && publishes && !isAlone
      ? [await publishVersion(write, type, { draft: written, versions }, documents)]
      : [];
  await finish?.();
  return { documentId, locale: written.locale, versions: [written, ...publications] };
}
