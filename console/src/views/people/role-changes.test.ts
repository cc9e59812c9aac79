import { expect, it } from 'vitest';
import type { ApiRole } from '../../../../src/console/contract.ts';
import { changesInWords, isGranted, matrixOf, NO_CHANGES, roleInput, warningOf, withChange } from './role-changes.ts';

const action = (uid: string, name: string) => ({ action: `${uid}.${name}`, name });
const DISH = 'api::dish.dish';
const FILES = 'plugin::upload.content-api';
const GROUPS = [
  { uid: FILES, title: 'Files', actions: ['find', 'upload', 'destroy'].map((name) => action(FILES, name)) },
  { uid: DISH, title: 'Dishes', actions: ['find', 'findOne', 'update'].map((name) => action(DISH, name)) },
];
const ROLE: ApiRole = {
  id: 2,
  type: 'public',
  name: 'Public',
  description: null,
  users: 0,
  actions: [`${DISH}.find`],
  rules: {},
};

it('puts actions into columns, those of own types first, and the rest at the end of the row', () => {
  const [own, builtIn] = matrixOf(GROUPS);
  const shape = ({ cells, more }: (typeof own & object)['rows'][number]) => [
    cells.map((cell) => cell?.name ?? '').join(),
    more.map(({ name }) => name),
  ];
  expect([own!.title, own!.rows.map(shape)]).toEqual(['Content-types', [['find,findOne,,,update,,,,,', []]]]);
  expect(builtIn!.rows.map(shape)).toEqual([['find,,,,,destroy,,,,', ['upload']]]);
});

it('collects changes, forgets those that are taken back, and says them in words', () => {
  const all = GROUPS[1]!.actions.map((one) => one.action);
  let changes = withChange(ROLE, NO_CHANGES, all, true);
  expect([...changes.keys()]).toEqual([`${DISH}.findOne`, `${DISH}.update`]);
  changes = withChange(ROLE, changes, [`${DISH}.find`], false);
  changes = withChange(ROLE, changes, [`${FILES}.upload`], true);
  expect(isGranted(ROLE, changes, `${DISH}.find`)).toBe(false);
  expect(roleInput(changes)).toEqual({
    grant: [`${DISH}.findOne`, `${DISH}.update`, `${FILES}.upload`],
    revoke: [`${DISH}.find`],
  });
  expect(changesInWords(ROLE, changes, GROUPS)).toEqual([
    'Public may now upload Files',
    'Public may now findOne and update Dishes',
    'Public may no longer find Dishes',
  ]);
  expect(withChange(ROLE, withChange(ROLE, changes, all, false), [`${FILES}.upload`], false)).toEqual(
    new Map([[`${DISH}.find`, false]]),
  );
});

it('warns before accounts of users are opened for writing', () => {
  const granting = (name: string) => withChange(ROLE, NO_CHANGES, [`plugin::users-permissions.user.${name}`], true);
  expect([granting('me'), granting('find'), NO_CHANGES].map((changes) => warningOf(ROLE, changes))).toEqual([
    null,
    null,
    null,
  ]);
  expect(warningOf(ROLE, granting('destroy'))).toMatch(/^Everyone, without logging in,/);
  expect(warningOf({ ...ROLE, type: 'authenticated' }, granting('update'))).toMatch(/^Every user with this role/);
});
