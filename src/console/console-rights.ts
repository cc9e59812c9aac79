// What an account may do, as the console is told: its rights besides entries, and what it may do with each type.
import type { EditorGrants } from '../access/editor-permissions.ts';
import { isSuperAdmin } from '../access/editor-permissions.ts';
import type { Model } from '../model/types.ts';
import { CONSOLE_RIGHTS, type ConsoleSession, EDIT_ACTIONS, type TypeRights } from './contract.ts';

export type EditorRights = Pick<ConsoleSession, 'rights' | 'types' | 'refused'>;

const ALL: TypeRights = { actions: EDIT_ACTIONS, readable: null, writable: null, locales: null, isLimited: false };

export function consoleRights(model: Model, grants: EditorGrants): EditorRights {
  if (!isSuperAdmin(grants)) return { rights: [], types: {}, refused: [] };
  const served = [...model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes');
  return { rights: CONSOLE_RIGHTS, types: Object.fromEntries(served.map(({ uid }) => [uid, ALL])), refused: [] };
}
