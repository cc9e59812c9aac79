// What the locales of a document share: attributes that are not localized hold one value for all of them.
import type { Attribute, ContentType } from '../model/types.ts';
import { changedNames, type EntityChange } from '../plan/write/changes.ts';
import { copyNestedContent } from './copy.ts';
import { listOf, type Version, type WriteSession } from './write-session.ts';

const AUTOMATIC = new Set(['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale']);

const isShared = ({ localized, kind, name }: Attribute): boolean =>
  !localized && !AUTOMATIC.has(name) && ['scalar', 'component', 'dynamiczone', 'media'].includes(kind);

const columnsOf = (attributes: readonly Attribute[]): string[] =>
  attributes.flatMap((attribute) => (attribute.kind === 'scalar' ? [attribute.column] : []));

/** A new locale starts with what all locales of the document share, where the body does not say otherwise. */
export async function inheritSharedFields(
  write: WriteSession,
  type: ContentType,
  { from, to }: { readonly from: readonly Version[]; readonly to: Version },
  change: EntityChange,
): Promise<void> {
  const source = from.find(({ published }) => published === to.published) ?? from[0];
  if (!source) return;
  const given = changedNames(change);
  const inherited = [...type.attributes.values()].filter(
    (attribute) => isShared(attribute) && !given.has(attribute.name),
  );
  const columns = columnsOf(inherited);
  if (columns.length > 0) await write.run.rows(write.sql.copyColumns(type.table, columns), source.id, listOf([to.id]));
  const purpose = { to: 'locale', locale: to.locale!, status: type.draftAndPublish ? 'draft' : null } as const;
  await copyNestedContent(write, type, { from: source.id, to: to.id, toIsNew: true, purpose }, (attribute) =>
    inherited.includes(attribute),
  );
}

/**
 * Copies what locales share from a row to the rows of the same status in other locales. `names`: the attributes that
 * were written, or null for all of them. `versions`: those of the document, as they were before this row was written.
 */
export async function syncSharedFields(
  write: WriteSession,
  type: ContentType,
  { row, versions }: { readonly row: Version; readonly versions: readonly Version[] },
  names: ReadonlySet<string> | null,
): Promise<void> {
  if (!type.localized) return;
  const shared = [...type.attributes.values()].filter(
    (attribute) => isShared(attribute) && (names?.has(attribute.name) ?? true),
  );
  if (shared.length === 0) return;
  const others = versions.filter(({ locale, published }) => locale !== row.locale && published === row.published);
  if (others.length === 0) return;
  const ids = listOf(others.map(({ id }) => id));
  await write.run.rows(write.sql.copyColumns(type.table, [...columnsOf(shared), 'updated_at']), row.id, ids);
  const status = !type.draftAndPublish ? null : row.published ? 'published' : 'draft';
  for (const { id, locale } of others)
    await copyNestedContent(
      write,
      type,
      { from: row.id, to: id, toIsNew: false, purpose: { to: 'locale', locale: locale!, status } },
      (attribute) => shared.includes(attribute),
    );
}
