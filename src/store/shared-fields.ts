// What the locales of a document share: attributes that are not localized hold one value for all of them.
import type { Attribute, ContentType, ScalarAttribute } from '../model/types.ts';
import { changedNames, type EntityChange } from '../plan/write/changes.ts';
import { copyNestedContent } from './copy.ts';
import { listOf, type Version, type WriteSession } from './write-session.ts';

const AUTOMATIC = new Set(['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale']);

const isShared = ({ localized, kind, name }: Attribute): boolean =>
  !localized && !AUTOMATIC.has(name) && ['scalar', 'component', 'dynamiczone', 'media'].includes(kind);

const scalarsAmong = (attributes: readonly Attribute[]): ScalarAttribute[] =>
  attributes.filter((attribute) => attribute.kind === 'scalar');

/** The scalar attributes of a type, which are cheap to compare, and others that are known to have changed. */
export const scalarsAnd = ({ attributes }: ContentType, changed: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...scalarsAmong([...attributes.values()]).map(({ name }) => name), ...changed]);

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
  const columns = scalarsAmong(inherited).map(({ column }) => column);
  if (columns.length > 0) await write.run.rows(write.sql.copyColumns(type.table, columns), source.id, listOf([to.id]));
  const status = type.draftAndPublish ? 'draft' : null;
  const purpose = { to: 'locale', from: source.locale!, locale: to.locale!, status } as const;
  await copyNestedContent(write, type, { from: source.id, to: to.id, toIsNew: true, purpose }, (attribute) =>
    inherited.includes(attribute),
  );
}

/**
 * Copies what locales share from a row to the rows of the same status in other locales, where it differs. `names` gives
 * the attributes that were written, or null for all of them; it is asked only where there are such rows. `versions`: those
 * of the document, as they were before this row was written.
 */
export async function syncSharedFields(
  write: WriteSession,
  type: ContentType,
  { row, versions }: { readonly row: Version; readonly versions: readonly Version[] },
  names: () => ReadonlySet<string> | null,
): Promise<void> {
  if (!type.localized) return;
  const others = versions.filter(({ locale, published }) => locale !== row.locale && published === row.published);
  if (others.length === 0) return;
  const written = names();
  const shared = [...type.attributes.values()].filter(
    (attribute) => isShared(attribute) && (written?.has(attribute.name) ?? true),
  );
  if (shared.length === 0) return;
  const status = !type.draftAndPublish ? null : row.published ? 'published' : 'draft';
  const changed: number[] = [];
  for (const { id, locale } of others) {
    const draft = row.published ? versions.find((version) => !version.published && version.locale === locale) : null;
    const purpose = { to: 'locale', from: row.locale!, locale: locale!, status } as const;
    const copy = { from: row.id, to: id, toIsNew: false, purpose, draft: draft?.id ?? null };
    const names = await copyNestedContent(write, type, copy, (attribute) => shared.includes(attribute));
    if (names.size > 0) changed.push(id);
  }
  const columns = scalarsAmong(shared);
  if (columns.length === 0 && changed.length === 0) return;
  const ids = listOf(others.map(({ id }) => id));
  await write.run.rows(write.sql.alignVersions(type.table, columns), row.id, ids, listOf(changed));
}
