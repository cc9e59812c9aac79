// Rules against the model, at the start: filters that cannot be planned, and values of the user that do not fit.
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../../test/support/project.ts';
import { rulesIn } from '../../../test/support/rules.ts';
import { ruleProblems } from './check-rules.ts';

const model = modelOf({
  types: {
    page: {
      attributes: {
        title: { type: 'string' },
        rank: { type: 'integer' },
        open: { type: 'boolean' },
        free: { type: 'json' },
        secret: { type: 'string', private: true },
        code: { type: 'password' },
        writer: relation('manyToOne', 'writer'),
      },
    },
    writer: { attributes: { name: { type: 'string' } } },
  },
});
const PAGE = 'api::page.page';

const problemsOf = (find: object): string[] => {
  const rules = rulesIn(model, { 'a.json': { editor: { [PAGE]: { rows: { find } } } } });
  expect(rules.problems).toEqual([]);
  return ruleProblems(model, rules);
};

describe('a rule', () => {
  it.each([
    [{ title: '$user.email' }],
    [{ rank: { $gte: '$user.id' } }],
    [{ secret: 'x', writer: { name: { $containsi: '$user.username' } } }],
    [{ open: '$user.confirmed' }],
    [{ $not: { $or: [{ title: '$user.provider' }, { writer: { $null: true } }] } }],
  ])('that fits the model has no problem: %j', (find) => {
    expect(problemsOf(find)).toEqual([]);
  });

  it.each([
    ['an unknown attribute', { nosuch: 1 }, 'Invalid key nosuch'],
    ['an unknown attribute behind a relation', { writer: { nosuch: 1 } }, 'Invalid key nosuch at writer'],
    ['a password', { code: 'x' }, 'Invalid key code'],
    ['an operator that JSON has not', { free: { $lt: 1 } }, 'Invalid operator $lt at free'],
  ])('that cannot be planned is told as a request would be: %s', (_why, find, told) => {
    expect(problemsOf(find)).toEqual([expect.stringContaining(`access/a.json: editor: ${PAGE}.rows.find: ${told}`)]);
  });

  it.each([
    ['nosuch', { title: '$user.nosuch' }],
    ['role', { title: '$user.role' }],
    ['password', { title: '$user.password' }],
    ['resetPasswordToken', { title: '$user.resetPasswordToken' }],
    ['confirmationToken', { $not: { title: '$user.confirmationToken' } }],
  ])('compares with no value that a user has not, or keeps to himself: %s', (name, find) => {
    expect(problemsOf(find)).toEqual([expect.stringContaining(`$user.${name} is no attribute of a user`)]);
  });

  it.each([
    ['a number with a string', { title: '$user.id' }, 'integer, compared with string'],
    ['a string with a number', { writer: { id: '$user.email' } }, 'email, compared with integer'],
    ['an instant with a number', { rank: '$user.createdAt' }, 'datetime, compared with integer'],
    [
      'a yes or no with a string',
      { $or: [{ rank: 1 }, { title: { $ne: '$user.blocked' } }] },
      'boolean, compared with string',
    ],
  ])('compares only what is of one kind, wherever it stands: %s', (_why, find, told) => {
    expect(problemsOf(find)).toEqual([expect.stringContaining(`is of the type ${told}`)]);
  });

  it('is told of all its problems, those of other uses and roles too', () => {
    const rules = rulesIn(model, {
      'a.json': {
        editor: { [PAGE]: { rows: { find: { title: '$user.id', rank: '$user.email' }, delete: { nosuch: 1 } } } },
        reader: { 'api::writer.writer': { rows: { update: { rank: 1 } } } },
      },
    });
    expect(ruleProblems(model, rules).map((problem) => problem.split(': ').slice(1, 3).join(' '))).toEqual([
      `editor ${PAGE}.rows.find`,
      `editor ${PAGE}.rows.find`,
      `editor ${PAGE}.rows.delete`,
      'reader api::writer.writer.rows.update',
    ]);
  });
});
