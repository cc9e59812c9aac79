// Puts files into a media field of an entry or of one of its components, as an upload asks for it. The rights are those
// of an update of the entry.
import { isDeepStrictEqual } from 'node:util';
import { actionOn } from '../access/actions.ts';
import { requireRight } from '../access/authorize.ts';
import { type SheafError, validationError } from '../errors.ts';
import type { ContentType, MediaAttribute, Schema } from '../model/types.ts';
import { holdersOfComponents } from './components.ts';
import { publishedBeside, versionsByRow } from './document-versions.ts';
import { changedRow } from './entity.ts';
import { readLinksAgain, writeLinks } from './link-table.ts';
import { lockDocuments, RestartTransaction } from './locks.ts';
import { allReachable } from './row-rights.ts';
import { syncSharedFields } from './shared-fields.ts';
import { listOf, type Version, versionOf, type WriteSession } from './write-session.ts';

/** A media field of a type or a component, and the row that has it. */
export interface MediaField {
  readonly schema: Schema;
  readonly attribute: MediaAttribute;
  /** The id of a row, or a documentId. */
  readonly row: number | string;
}

export async function attachFiles(write: WriteSession, field: MediaField, files: readonly number[]): Promise<void> {
  const { schema } = field;
  if (schema.kind === 'component') return attachToComponent(write, field, files);
  const versions = await lockedVersions(write, schema, field.row);
  const targets = targetsAmong(write, schema, versions, field.row);
  if (targets.length === 0) throw noSuchRow();
  await requireUpdate(write, schema, field.attribute.name, targets);
  const own = changedRow(write);
  for (const version of targets) {
    await append(write, field.attribute, version.id, files);
    await write.run.change(schema.table, write.sql.updateRow(schema.table, own.columns), ...own.values, version.id);
    await syncSharedFields(write, schema, { row: version, versions }, () => new Set([field.attribute.name]));
  }
}

/**
 * A component belongs to one version of an entry. It is changed there, and in other locales where they share the field
 * that leads to it. With one of a published entry the one in the draft that it is the copy of gets the files as well, or
 * the next publication would take them away.
 */
async function attachToComponent(write: WriteSession, field: MediaField, files: readonly number[]): Promise<void> {
  const { schema, attribute, row } = field;
  if (typeof row !== 'number' || schema.kind !== 'component') throw noSuchRow();
  const copies = await write.run.rows(write.publications.copiesOf('published'), schema.table, listOf([row]));
  const rows = [...copies.map(([draft]) => draft), row];
  const owners = await ownersOfEach(write, schema, rows);
  if (owners.at(-1)!.length === 0) throw noSuchRow();
  const own = changedRow(write);
  const changed: { type: ContentType; version: Version; versions: readonly Version[]; name: string }[] = [];
  for (const { type, row: owner, field: name } of owners.flat()) {
    const versions = await lockedVersions(write, type, owner);
    const found = versions.filter(({ id }) => id === owner);
    await requireUpdate(write, type, name, found);
    await write.run.change(type.table, write.sql.updateRow(type.table, own.columns), ...own.values, owner);
    changed.push(...found.map((version) => ({ type, version, versions, name })));
  }
  // Who held an entry until now may have taken the component from it.
  const still = await ownersOfEach(write, schema, rows);
  if (!isDeepStrictEqual(still, owners)) throw new RestartTransaction();
  for (const [index, one] of rows.entries()) if (owners[index]!.length > 0) await append(write, attribute, one, files);
  for (const { type, version, versions, name } of changed)
    await syncSharedFields(write, type, { row: version, versions }, () => new Set([name]));
}

interface ComponentOwner {
  readonly type: ContentType;
  readonly row: number;
  /** The field of the entry that leads to the component. */
  readonly field: string;
}

/** The entries that hold component rows, directly or within other components. */
async function ownersOf(
  write: WriteSession,
  component: Extract<Schema, { kind: 'component' }>,
  rows: readonly number[],
): Promise<ComponentOwner[]> {
  const owners: ComponentOwner[] = [];
  for (const { schema, holders } of await holdersOfComponents(write, component, rows)) {
    if (schema.kind !== 'component') owners.push(...holders.map(({ row, field }) => ({ type: schema, row, field })));
    else
      owners.push(
        ...(await ownersOf(
          write,
          schema,
          holders.map(({ row }) => row),
        )),
      );
  }
  return owners;
}

/** For each of the rows, the entries that hold it; none for one that is gone. */
async function ownersOfEach(
  write: WriteSession,
  component: Extract<Schema, { kind: 'component' }>,
  rows: readonly number[],
): Promise<ComponentOwner[][]> {
  const owners: ComponentOwner[][] = [];
  for (const row of rows) owners.push(await ownersOf(write, component, [row]));
  return owners;
}

/** All versions of the document that has a row or an id; none where there is no such document. */
async function lockedVersions(write: WriteSession, type: ContentType, row: number | string): Promise<Version[]> {
  const documentId = typeof row === 'string' ? row : ((await versionsByRow(write, type, [row]))[0]?.documentId ?? null);
  if (documentId === null) return [];
  const { table } = type;
  await lockDocuments(write, {
    locked: [{ table, documentIds: [documentId], rowIds: [] }],
    held: [],
    removed: [],
    appearing: [],
    lookUps: [],
    locale: null,
  });
  return (await write.run.rows(write.sql.versionsOf(table), listOf([documentId]))).map(versionOf);
}

/**
 * The rows that get the files. A draft gets them alone; it is published later. With a published row the draft beside it
 * gets them as well, or the next publication would take them away. A documentId stands for both, in the default locale.
 */
function targetsAmong(
  { defaultLocale }: WriteSession,
  type: ContentType,
  versions: readonly Version[],
  row: number | string,
): readonly Version[] {
  if (typeof row === 'string') return versions.filter(({ locale }) => !type.localized || locale === defaultLocale);
  const named = versions.find(({ id }) => id === row);
  if (!named) return [];
  if (!type.draftAndPublish || !named.published) return [named];
  const drafts = versions.filter((one) => !one.published && publishedBeside(versions, one)?.id === named.id);
  return [...drafts, named];
}

/** Files at the end of a list, or the first of them in the place of one. */
async function append(
  write: WriteSession,
  { link, many }: MediaAttribute,
  row: number,
  files: readonly number[],
): Promise<void> {
  const current = await readLinksAgain(write, link, row);
  const desired = many ? [...new Set([...current.map(({ target }) => target), ...files])] : files.slice(0, 1);
  await writeLinks(write, link, row, { current, desired });
}

async function requireUpdate(
  write: WriteSession,
  type: ContentType,
  field: string,
  versions: readonly Version[],
): Promise<void> {
  const { access } = write.caller;
  // Nobody learns by this of entries that they may not update.
  if (!access.may(actionOn(type, 'update')) || !access.mayUse(type.uid, field, 'write')) throw noSuchRow();
  if (!(await allReachable(write, type, 'update', versions))) throw noSuchRow();
  const published = type.draftAndPublish ? versions.filter((version) => version.published) : [];
  if (published.length === 0 || !access.separateRights) return;
  requireRight(write.caller, type, 'publish', []);
  if (!(await allReachable(write, type, 'publish', published))) throw noSuchRow();
}

const noSuchRow = (): SheafError =>
  validationError('Invalid value for refId: expected the id or documentId of an entry', {
    key: 'refId',
    source: 'body',
  });
