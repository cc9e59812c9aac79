// The permissions of an account of the console → access.
import { MAX_READ_COST } from '../limits.ts';
import type { Model } from '../model/types.ts';
import { type Access, ANY_GROUP } from './access.ts';
import { type EditorGrants, isSuperAdmin } from './editor-permissions.ts';

/** `revision`: another for other grants, so that plans made under them are not used. */
export function editorAccess(model: Model, grants: EditorGrants, revision: number): Access {
  const isAll = isSuperAdmin(grants);
  return {
    key: `editor ${revision}`,
    shows: 'private',
    may: () => isAll,
    mayFind: (uid) => isAll && model.contentTypes.get(uid)?.exposure !== 'hidden',
    mayUse: () => isAll,
    mayReadDrafts: () => isAll,
    rowsOf: () => null,
    maxReadCost: MAX_READ_COST,
    smallestGroup: ANY_GROUP,
  };
}
