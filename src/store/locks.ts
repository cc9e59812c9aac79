// Locks and reads the documents that a write concerns, in one statement: the document itself, those it refers to, and
// those whose own list changes with it. Locks are taken table by table, row by row, always in the same order, so that
// two writes that meet wait for each other instead of failing. Where writers take turns, it only reads.
import { RESTART } from '../db/database.ts';
import { linkAttributes, oneWayTo } from '../model/links.ts';
import type { ContentType, LinkTable, RelationAttribute } from '../model/types.ts';
import type { RelationChange, WritePlan } from '../plan/write/changes.ts';
import { referencesIn, relationsIn, targetOf } from '../plan/write/planned-references.ts';
import type { AffectedPart, NamedDocuments } from '../sql/affected-statements.ts';
import type { BoundValue } from '../sql/statement.ts';
import { linkKey } from '../sql/write-statements.ts';
import { listOf, type Version, type WriteSession } from './write-session.ts';

/** Another write changed what this one is about, so it has to begin again. */
class RestartTransaction extends Error {
  readonly code = RESTART;
}

/** The documents of one table that a write concerns. */
interface TableDocuments {
  readonly documentIds: Set<string>;
  readonly rowIds: Set<number>;
}

/** Documents by table. Those that are only read need no lock. */
class Affected {
  readonly locked = new Map<string, TableDocuments>();
  readonly read = new Map<string, TableDocuments>();

  of(table: string, lock: boolean): TableDocuments {
    const tables = lock ? this.locked : this.read;
    const documents = tables.get(table) ?? { documentIds: new Set(), rowIds: new Set() };
    tables.set(table, documents);
    return documents;
  }
}

/** A link by which another document holds a target that the write names. */
export interface OwnerLink {
  readonly id: number;
  readonly owner: Version;
  readonly target: number;
}

/** All that a write has to know of the documents that it concerns. */
export interface AffectedDocuments {
  /** The versions of the documents of a table. */
  versionsIn(table: string): readonly Version[];
  /** The links of others with the targets that a relation names; of relations whose targets have one owner. */
  ownerLinks(link: LinkTable): readonly OwnerLink[];
}

/** `documentId`: of the document, where the plan does not name it. */
export async function lockAffectedDocuments(
  write: WriteSession,
  plan: WritePlan,
  documentId: string | null = plan.documentId,
): Promise<AffectedDocuments> {
  const affected = new Affected();
  if (documentId !== null) affected.of(plan.type.table, true).documentIds.add(documentId);
  for (const relation of relationsIn(plan.change)) addReferences(write, affected, relation);
  const lookUps = lookUpsOf(write, plan, documentId);
  const isKept = ({ part }: LookUp): boolean => part.find === 'owners' || part.find === 'list';
  if (!write.sql.needsLocks) return readAffected(write, affected, lookUps.filter(isKept));
  const locking = lookUps.filter(({ part }) => part.find !== 'list');
  if (locking.length > 0)
    for (const [table, id] of (await readAffected(write, new Affected(), locking)).found)
      affected.of(table, true).documentIds.add(id);
  await lockTables(write, affected);
  // What is read before it is locked may be out of date, so it is read after.
  const documents = await readAffected(write, affected, lookUps);
  // What a write is about may have grown while it waited: a link was added, or a target found another owner. To lock
  // that now would be out of order; so the write begins again, and finds it in its place.
  for (const [table, id] of documents.found)
    if (!affected.locked.get(table)?.documentIds.has(id)) throw new RestartTransaction();
  return documents;
}

/** Targets whose own list changes with the relation are locked; others are only looked up. */
function addReferences(write: WriteSession, affected: Affected, { attribute, input }: RelationChange): void {
  const lock = attribute.kind === 'relation' && attribute.inverse !== null;
  const anchors = input.mode === 'change' ? input.connect.map(({ position }) => position) : [];
  const all = [
    ...referencesIn(input),
    ...anchors.flatMap((position) => ('anchor' in position ? [position.anchor] : [])),
  ];
  for (const reference of all) {
    const documents = affected.of(write.type(targetOf(attribute, reference)).table, lock);
    if (reference.documentId !== null) documents.documentIds.add(reference.documentId);
    else documents.rowIds.add(reference.id!);
  }
}

/** A part of the look-up, the table that it finds documents of, and its values. */
interface LookUp {
  readonly part: AffectedPart;
  readonly table: string;
  readonly values: readonly BoundValue[];
}

/** Where links lead to documents that the plan does not name, and the lists that it changes. */
function lookUpsOf(write: WriteSession, plan: WritePlan, documentId: string | null): LookUp[] {
  const { type, name } = plan;
  const isWhole = name !== 'create' && name !== 'update';
  const publishes = type.draftAndPublish && (isWhole || plan.publishes);
  const ofBody = relationsIn(plan.change).flatMap((relation) => bodyParts(write, type, relation, documentId));
  if (documentId === null || (!isWhole && !publishes)) return ofBody;
  return [
    ...ofBody,
    ...linkAttributes(type).flatMap((attribute) => linkParts(write, plan, attribute, documentId)),
    ...oneWayTo(write.model, type.uid).flatMap(([schema, { link }]): LookUp[] =>
      schema.kind === 'component'
        ? []
        : (['holders', 'recorded'] as const).map((find) => ({
            part: { find, own: type.table, link, holder: schema.table },
            table: schema.table,
            values: [documentId],
          })),
    ),
  ];
}

/** The documents at the other end of a relation of the document, and those that may lose one of them to it. */
function linkParts(
  write: WriteSession,
  { type, name }: WritePlan,
  { link, target: uid, inverse, exclusive }: RelationAttribute,
  documentId: string,
): LookUp[] {
  const own = type.table;
  const target = write.type(uid).table;
  const values = [documentId];
  const compares = name === 'publish' || name === 'update' || name === 'create';
  // To discard a draft brings back what its published row was published with.
  const remembered = name === 'discardDraft' ? (['remembered'] as const) : [];
  const finds = compares ? (['changed'] as const) : (['linked', ...remembered] as const);
  const owned = ['linked', ...remembered] as const;
  return [
    ...(inverse === null
      ? []
      : finds.map((find): LookUp => ({ part: { find, own, link, target }, table: target, values }))),
    ...(exclusive
      ? owned.map(
          (of): LookUp => ({ part: { find: 'owners', of, byRow: false, own, link, target }, table: own, values }),
        )
      : []),
  ];
}

/** What a relation of the body takes away: from the targets that `set` drops, and from owners that lose a target. */
function bodyParts(
  write: WriteSession,
  type: ContentType,
  { attribute, input }: RelationChange,
  documentId: string | null,
): LookUp[] {
  if (attribute.kind !== 'relation' || attribute.storage !== 'linkTable') return [];
  const parts: LookUp[] = [];
  const { table } = write.type(attribute.target);
  const { link } = attribute;
  const own = type.table;
  if (documentId !== null)
    parts.push({ part: { find: 'list', own, link, target: table }, table, values: [documentId] });
  // A to-one relation drops what it held, whatever the form of the request.
  if (documentId !== null && attribute.inverse !== null && (input.mode === 'set' || !attribute.many))
    parts.push({ part: { find: 'linked', own, link, target: table }, table, values: [documentId] });
  if (attribute.exclusive) {
    const references = referencesIn(input);
    const documentIds = references.flatMap((reference) => reference.documentId ?? []);
    const rowIds = references.flatMap(({ id }) => id ?? []);
    const byRow = rowIds.length > 0;
    const part = { find: 'owners', of: 'named', byRow, own, link, target: table } as const;
    parts.push({ part, table: own, values: [listOf(documentIds), ...(byRow ? [listOf(rowIds)] : [])] });
  }
  return parts;
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
const namedOf = ([table, { rowIds }]: [string, TableDocuments]): NamedDocuments => ({ table, byRow: rowIds.size > 0 });
const valuesOf = ([, { documentIds, rowIds }]: [string, TableDocuments]): string[] =>
  rowIds.size > 0 ? [listOf(documentIds), listOf(rowIds)] : [listOf(documentIds)];

async function lockTables(write: WriteSession, { locked }: Affected): Promise<void> {
  const tables = [...locked].sort(byName);
  if (tables.length === 0) return;
  await write.rows(write.affected.lock(tables.map(namedOf)), ...tables.flatMap(valuesOf));
}

interface FoundDocuments extends AffectedDocuments {
  /** Documents that links lead to, with their tables. */
  readonly found: readonly (readonly [table: string, documentId: string])[];
}

async function readAffected(
  write: WriteSession,
  { locked, read }: Affected,
  lookUps: readonly LookUp[],
): Promise<FoundDocuments> {
  const tables = [...[...locked].sort(byName), ...[...read].sort(byName)];
  const versions = new Map<string, Map<number, Version>>();
  const links = new Map<string, OwnerLink[]>();
  const found: [string, string][] = [];
  const values = [...tables.flatMap(valuesOf), ...lookUps.flatMap((lookUp) => lookUp.values)];
  const statement = write.affected.read(
    tables.map(namedOf),
    lookUps.map(({ part }) => part),
  );
  const rows = values.length > 0 ? await write.rows(statement, ...values) : [];
  const lists = lookUps.filter(({ part }) => part.find === 'list');
  for (const [part, id, documentId, locale, published, linkId, target, position] of rows) {
    const version = { id, documentId, locale, published: published === 1 };
    const lookUp = lookUps[part - tables.length];
    if (!lookUp) {
      const [table] = tables[part]!;
      const ofTable = versions.get(table) ?? new Map<number, Version>();
      versions.set(table, ofTable.set(id, version));
      continue;
    }
    if (lookUp.part.find === 'list') {
      write.gathered.addLink(lookUp.part.link, id, { id: linkId!, target: target!, position });
      continue;
    }
    found.push([lookUp.table, documentId]);
    if (linkId === null || target === null) continue;
    const key = linkKey(lookUp.part.link);
    links.set(key, [...(links.get(key) ?? []), { id: linkId, owner: version, target }]);
  }
  // A row of the document without a link has an empty list.
  for (const { part } of lists)
    for (const { id } of versions.get(part.own)?.values() ?? []) write.gathered.expectLinks(part.link, [id]);
  return {
    found,
    versionsIn: (table) => [...(versions.get(table)?.values() ?? [])].sort((a, b) => a.id - b.id),
    ownerLinks: (link) => links.get(linkKey(link)) ?? [],
  };
}

/** Two writers of one key wait for each other: of a value that must be unique, or of the one entry of a single type. */
export async function lockKeys(write: WriteSession, keys: readonly string[]): Promise<void> {
  if (!write.sql.needsLocks) return;
  for (const key of new Set([...keys].sort())) await write.rows(write.sql.lockKey(), key);
}
