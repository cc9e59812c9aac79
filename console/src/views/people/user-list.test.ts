import { expect, it } from 'vitest';
import { type ApiUser, changedFields, PAGE_SIZE, pageOf, userFields, usersPath } from './user-list.ts';

const USER: ApiUser = {
  id: 3,
  documentId: 'abc',
  username: 'ann',
  email: 'ann@example.com',
  confirmed: null,
  blocked: false,
  role: { id: 1, name: 'Authenticated' },
};

it('reads lists with and without an envelope, a page at a time', () => {
  expect(usersPath({ search: 'a b', page: 2 }, true)).toBe(
    'rest/users?sort=username&pagination%5Bstart%5D=25&pagination%5Blimit%5D=26&populate=role&_q=a+b',
  );
  const many = Array.from({ length: PAGE_SIZE + 1 }, () => USER);
  expect(pageOf(many)).toMatchObject({ total: null, hasNext: true, users: { length: PAGE_SIZE } });
  expect(pageOf({ data: [USER], meta: { pagination: { total: 26 } } })).toEqual({
    users: [USER],
    total: 26,
    hasNext: false,
  });
});

it('sends of a user what was changed, of a new one what was filled in', () => {
  expect(changedFields(USER, { ...userFields(USER), blocked: true })).toEqual({ blocked: true });
  expect(changedFields(USER, { ...userFields(USER), role: 4, password: 'secret1' })).toEqual({
    role: 4,
    password: 'secret1',
  });
  expect(changedFields(null, { ...userFields(null), username: 'bo', email: 'b@example.com' })).toEqual({
    username: 'bo',
    email: 'b@example.com',
    confirmed: true,
  });
});
