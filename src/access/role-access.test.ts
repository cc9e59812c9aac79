// What grants and rules allow: actions, types behind relations, attributes for each use, rows, drafts.
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../test/support/project.ts';
import { accessOf } from '../../test/support/rules.ts';
import { FILE, ROLE, USER } from '../model/builtin.ts';
import { type FieldUse, systemAccess } from './access.ts';
import { roleAccess, tokenAccess } from './role-access.ts';

const model = modelOf({
  types: {
    page: {
      drafts: true,
      attributes: { title: { type: 'string' }, body: { type: 'text' }, rank: { type: 'integer' } },
    },
    tag: { attributes: { label: { type: 'string' }, page: relation('manyToOne', 'page') } },
  },
});
const PAGE = 'api::page.page';
const TAG = 'api::tag.tag';
const USES: readonly FieldUse[] = ['read', 'filter', 'sort', 'write'];

/** The attributes of a page that may be used, by use. */
function usable(rules: object, names: readonly string[] = ['id', 'documentId', 'title', 'body', 'rank']) {
  const access = accessOf(model, { rules: { [PAGE]: rules } });
  return Object.fromEntries(USES.map((use) => [use, names.filter((name) => access.mayUse(PAGE, name, use)).join(' ')]));
}

describe('a type behind a relation', () => {
  const seen = (grants: string[]): string[] => {
    const access = accessOf(model, { grants });
    return [PAGE, TAG, FILE, ROLE, 'admin::role'].filter((uid) => access.mayFind(uid));
  };

  it('is seen by who may list it; files are seen with what holds them', () => {
    expect(seen([`${PAGE}.find`])).toEqual([PAGE, FILE]);
    expect(seen([`${PAGE}.findOne`, `${TAG}.update`])).toEqual([FILE]);
  });

  it('that is kept to the server is not seen, but for roles by who may list them', () => {
    expect(seen(['*'])).toEqual([PAGE, TAG, FILE]);
    expect(seen([`${ROLE}.find`])).toEqual([FILE, ROLE]);
  });

  it('that is kept to the server is not even seen by the system, which sees all others', () => {
    const access = systemAccess(model);
    expect([PAGE, TAG, FILE, ROLE, 'admin::role'].filter((uid) => access.mayFind(uid))).toEqual([PAGE, TAG, FILE]);
  });
});

describe('attributes', () => {
  const all = 'id documentId title body rank';

  it('are all allowed where no list is given', () => {
    expect(usable({})).toEqual({ read: all, filter: all, sort: all, write: all });
    expect(usable({ rows: { find: { title: 'x' } } })).toEqual({ read: all, filter: all, sort: all, write: all });
  });

  it('that may be read may be filtered and sorted by; the ids always, and writing is apart', () => {
    const listed = 'id documentId title';
    expect(usable({ fields: { read: ['title'] } })).toEqual({ read: listed, filter: listed, sort: listed, write: all });
  });

  it('have a list of their own for each use, which may leave the ids out', () => {
    expect(usable({ fields: { read: ['title'], filter: ['rank'], sort: ['id'], write: ['body'] } })).toEqual({
      read: 'id documentId title',
      filter: 'rank',
      sort: 'id',
      write: 'body',
    });
  });

  it('are refused all, but for reading the ids, by an empty list', () => {
    expect(usable({ fields: { read: [], write: [] } })).toEqual({
      read: 'id documentId',
      filter: 'id documentId',
      sort: 'id documentId',
      write: '',
    });
  });

  it('of other types are not touched by a list', () => {
    const access = accessOf(model, { rules: { [PAGE]: { fields: { read: [] } } } });
    expect(access.mayUse(TAG, 'label', 'read')).toBe(true);
  });
});

describe('an account', () => {
  const writable = (rules: object): string[] => {
    const access = accessOf(model, { rules: { [USER]: rules } });
    return ['username', 'role', 'confirmed', 'blocked', 'provider', 'resetPasswordToken', 'confirmationToken'].filter(
      (name) => access.mayUse(USER, name, 'write'),
    );
  };
  const own = { find: { id: '$user.id' } };

  it('is not made mightier by who reaches only some accounts', () => {
    expect(writable({ rows: own })).toEqual(['username']);
    expect(writable({ rows: { update: { id: '$user.id' } } })).toEqual(['username']);
  });

  it('is in full the matter of who reaches all accounts, and of whom a list allows it', () => {
    expect(writable({})).toContain('role');
    expect(writable({ rows: own, fields: { write: ['username', 'blocked'] } })).toEqual(['username', 'blocked']);
  });

  it('alone is protected so: other types may have attributes of the same names', () => {
    const access = accessOf(model, { rules: { [PAGE]: { rows: { find: { title: 'mine' } } } } });
    for (const name of ['role', 'blocked', 'provider']) expect(access.mayUse(PAGE, name, 'write')).toBe(true);
  });
});

describe('rows', () => {
  it('that may be found may be changed and deleted, unless there is a rule for that', () => {
    const find = { title: 'found' };
    const access = accessOf(model, { rules: { [PAGE]: { rows: { find, delete: { title: 'mine' } } } } });
    expect(access.rowsOf(PAGE, 'update')).toBe(access.rowsOf(PAGE, 'find'));
    expect(access.rowsOf(PAGE, 'find')?.values).toEqual([{ constant: 'found' }]);
    expect(access.rowsOf(PAGE, 'delete')?.values).toEqual([{ constant: 'mine' }]);
  });

  it('of a type without a rule are all reached; a rule for changing leaves finding free', () => {
    const access = accessOf(model, { rules: { [PAGE]: { rows: { update: { title: 'x' } } } } });
    expect(access.rowsOf(TAG, 'find')).toBeNull();
    expect(access.rowsOf(PAGE, 'find')).toBeNull();
    expect(access.rowsOf(PAGE, 'delete')).toBeNull();
    expect(access.rowsOf(PAGE, 'update')).not.toBeNull();
  });
});

describe('drafts', () => {
  it('are read unless a rule says that they are not', () => {
    const access = (rules: object) => accessOf(model, { rules: { [PAGE]: rules } });
    expect(access({ drafts: false }).mayReadDrafts(PAGE)).toBe(false);
    expect(access({ drafts: false }).mayReadDrafts(TAG)).toBe(true);
    expect(access({ drafts: true }).mayReadDrafts(PAGE)).toBe(true);
    expect(access({}).mayReadDrafts(PAGE)).toBe(true);
  });
});

describe('the key of an access', () => {
  it('is another for each role, and after each change of grants', () => {
    const key = (id: number, revision: number) =>
      roleAccess(model, { id, type: 'x', name: 'X', actions: new Set() }, null, revision).key;
    expect(new Set([key(1, 0), key(1, 1), key(2, 0), key(11, 0), key(1, 10)]).size).toBe(5);
    expect(key(1, 0)).toBe(key(1, 0));
  });

  it('is shared by tokens that allow the same, and by no others', () => {
    const key = (id: number, type: string, actions: string[] = []) => tokenAccess(model, { id, type, actions })!.key;
    expect(key(1, 'read-only')).toBe(key(2, 'read-only'));
    expect(key(1, 'full-access')).toBe(key(2, 'full-access'));
    const keys = [
      key(1, 'read-only'),
      key(1, 'full-access'),
      key(1, 'custom', ['a', 'b']),
      key(1, 'custom', ['a']),
      key(2, 'custom', ['a']),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('a token', () => {
  const may = (type: string, actions: string[] = []) => {
    const access = tokenAccess(model, { id: 1, type, actions })!;
    return [`${PAGE}.find`, `${PAGE}.findOne`, `${PAGE}.create`, `${USER}.count`, `${USER}.me`].filter(access.may);
  };

  it('that is read-only finds, one or many, and does nothing else', () => {
    expect(may('read-only')).toEqual([`${PAGE}.find`, `${PAGE}.findOne`]);
  });

  it('that is read-only changes nothing of types whose names begin like a right to read', () => {
    const { may } = tokenAccess(model, { id: 1, type: 'read-only', actions: [] })!;
    for (const uid of ['api::find.find', 'api::finding.finding'])
      expect(['find', 'findOne', 'create', 'delete'].filter((verb) => may(`${uid}.${verb}`))).toEqual([
        'find',
        'findOne',
      ]);
  });

  it('with full access does everything; a custom one what it was granted', () => {
    expect(may('full-access')).toHaveLength(5);
    expect(may('custom', [`${PAGE}.create`])).toEqual([`${PAGE}.create`]);
    expect(may('custom')).toEqual([]);
  });

  it('of a kind that is not known is none', () => {
    expect(tokenAccess(model, { id: 1, type: 'root', actions: ['*'] })).toBeNull();
  });

  it('sees behind relations what it may list, and never what is kept to the server', () => {
    const seen = (type: string, actions: string[] = []) => {
      const access = tokenAccess(model, { id: 1, type, actions })!;
      return [PAGE, FILE, ROLE, 'admin::role'].filter((uid) => access.mayFind(uid));
    };
    expect(seen('custom', [`${PAGE}.findOne`])).toEqual([FILE]);
    expect(seen('read-only')).toEqual(expect.arrayContaining([PAGE, FILE]));
    expect(seen('full-access')).not.toContain('admin::role');
  });
});
