// Which rows of a document a request may see: the status it asked for, and the publication filter beside it. The
// same rule holds for the root, for populated rows and for rows that filters and sorts look through.
import type { ContentType, Schema } from '../../model/types.ts';
import type { PublicationFilter, RowStatus, Status } from '../../request/read-request.ts';
import type { ColumnRef, Condition } from './nodes.ts';

export interface Versions {
  readonly status: RowStatus;
  readonly publication: PublicationFilter | null;
}

export const ID: ColumnRef = { column: 'id', type: 'integer' };
const PUBLISHED_AT: ColumnRef = { column: 'published_at', type: 'datetime' };

export const allOf = (conditions: readonly (Condition | null)[]): Condition | null => {
  const present = conditions.filter((condition) => condition !== null);
  return present.length > 1 ? { is: 'and', of: present } : (present[0] ?? null);
};

/** `seen`: which of the other rows of a document, in a status, count as being there. */
export function statusCondition(
  schema: Schema,
  versions: Versions,
  seen: (status: Status) => Condition | null,
): Condition | null {
  const { status, publication } = versions;
  if (schema.kind === 'component' || !schema.draftAndPublish || status === 'any') return null;
  const isInStatus: Condition = { is: status === 'draft' ? 'null' : 'notNull', column: PUBLISHED_AT };
  return allOf([isInStatus, publication && byPublication(schema, status, publication, seen)]);
}

function byPublication(
  type: ContentType,
  status: Status,
  filter: PublicationFilter,
  seen: (status: Status) => Condition | null,
): Condition {
  const otherStatus = status === 'draft' ? 'published' : 'draft';
  const where = seen(otherStatus);
  const other = (sameLocale: boolean, draftIsNewer: boolean | null = null, negated = false): Condition => ({
    is: 'sibling',
    table: type.table,
    sibling: { status: otherStatus, sameLocale, draftIsNewer },
    where,
    negated,
  });
  const never: Condition = { is: 'never' };
  const draft = status === 'draft';
  switch (filter) {
    case 'never-published':
      return draft ? other(true, null, true) : never;
    case 'never-published-document':
      return draft ? other(false, null, true) : never;
    case 'has-published-version':
      return other(true);
    case 'has-published-version-document':
      return other(false);
    case 'modified':
      return other(true, true);
    case 'unmodified':
      return other(true, false);
    case 'published-without-draft':
      return draft ? never : other(true, null, true);
    case 'published-with-draft':
      return draft ? never : other(true);
  }
}
