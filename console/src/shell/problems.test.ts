import { expect, it } from 'vitest';
import { ApiError } from './api.ts';
import { otherProblem, problemOf } from './problems.ts';

it('puts what is wrong at its field, and says the rest above', () => {
  const several = new ApiError(400, '2 errors occurred', {
    errors: [
      { path: ['email'], message: 'email must be an address' },
      { path: ['name'], message: 'name is missing' },
    ],
  });
  expect(problemOf(several, 'email')).toBe('email must be an address');
  expect(problemOf(several, 'role')).toBeNull();
  expect(otherProblem(several, ['email', 'name'])).toBeNull();
  expect(otherProblem(several, ['email'])).toBe(several);
  const keyed = new ApiError(400, 'Invalid value for days: expected a number', { key: 'days' });
  expect(problemOf(keyed, 'days')).toBe(keyed.message);
  expect(otherProblem(keyed, ['days'])).toBeNull();
  const plain = new Error('The server does not answer');
  expect([problemOf(plain, 'days'), otherProblem(plain, ['days']), otherProblem(null, [])]).toEqual([
    null,
    plain,
    null,
  ]);
});
