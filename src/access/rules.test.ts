// Rule files: what is read from them, what each mistake is told, and that the rest is read all the same.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../test/support/project.ts';
import { rulesIn } from '../../test/support/rules.ts';
import { LOCALE, ROLE } from '../model/builtin.ts';
import { readRules } from './rules.ts';

const model = modelOf({
  types: {
    page: {
      drafts: true,
      attributes: { title: { type: 'string' }, rank: { type: 'integer' }, tags: relation('manyToMany', 'tag') },
    },
    tag: { attributes: { label: { type: 'string' } } },
  },
});
const PAGE = 'api::page.page';
const TAG = 'api::tag.tag';

const problemsOf = (content: unknown): readonly string[] => rulesIn(model, { 'a.json': content }).problems;
const ofPage = (rules: unknown): readonly string[] => problemsOf({ editor: { [PAGE]: rules } });

describe('rules', () => {
  it('are none where the project has no folder for them', () => {
    const project = mkdtempSync(path.join(os.tmpdir(), 'sheaf-rules-'));
    try {
      expect(readRules(project, model)).toEqual({ byRole: new Map(), problems: [] });
    } finally {
      rmSync(project, { recursive: true });
    }
  });

  it('hold the rows, attributes and drafts of a type, with the file they stand in', () => {
    const { byRole, problems } = rulesIn(model, {
      'b.json': {
        editor: {
          [PAGE]: {
            rows: { find: { rank: { $gt: 1 } } },
            fields: { read: ['title', 'tags'], write: [] },
            drafts: false,
          },
        },
      },
    });
    expect(problems).toEqual([]);
    expect(byRole.get('editor')!.get(PAGE)).toEqual({
      file: 'b.json',
      rows: { find: { filter: expect.objectContaining({ is: 'at', name: 'rank' }), values: [{ constant: 1 }] } },
      fields: { read: new Set(['title', 'tags']), write: new Set() },
      drafts: false,
    });
  });

  it('are put together from all files of the folder, by role and type', () => {
    const { byRole, problems } = rulesIn(model, {
      'a.json': { editor: { [PAGE]: {} } },
      'b.json': { editor: { [TAG]: {} }, reader: { [PAGE]: {} } },
      'notes.txt': 'not a rule file',
    });
    expect(problems).toEqual([]);
    expect([...byRole].map(([role, types]) => [role, [...types.keys()]])).toEqual([
      ['editor', [PAGE, TAG]],
      ['reader', [PAGE]],
    ]);
  });

  it('take values of the user where they stand alone, be it in a list of one', () => {
    const find = { $or: [{ title: '$user.username' }, { title: { $in: ['$user.email'] } }, { title: '$usually' }] };
    const { byRole } = rulesIn(model, { 'a.json': { editor: { [PAGE]: { rows: { find } } } } });
    expect(byRole.get('editor')!.get(PAGE)!.rows.find!.values).toEqual([
      { user: 'username' },
      { user: 'email' },
      { constant: '$usually' },
    ]);
  });
});

describe('a mistake', () => {
  it.each<[string, unknown, string]>([
    ['a file that is no JSON', '{', 'access/a.json: the file: not valid JSON'],
    ['a file that is a list', [], 'access/a.json: the file: expected an object with a key for each role'],
    [
      'a role that is a list',
      { editor: [] },
      'access/a.json: editor: expected an object with a key for each content-type',
    ],
    [
      'a type that is not there',
      { editor: { 'api::x.x': {} } },
      'access/a.json: editor: api::x.x: there is no such content-type',
    ],
    [
      'a type that is not served',
      { editor: { [ROLE]: {} } },
      `access/a.json: editor: ${ROLE}: there is no such content-type`,
    ],
    [
      'a type without paths',
      { editor: { [LOCALE]: {} } },
      `access/a.json: editor: ${LOCALE}: it goes with what refers to it`,
    ],
  ])('in the file is told with its place: %s', (_why, content, told) => {
    expect(problemsOf(content)).toEqual([expect.stringContaining(told)]);
  });

  it.each<[string, unknown, string]>([
    ['rules that are no object', 'all', `editor: ${PAGE}: `],
    ['an unknown key', { row: {} }, `editor: ${PAGE}.row: `],
    ['an unknown use of rows', { rows: { create: {} } }, `editor: ${PAGE}.rows.create: `],
    ['an unknown use of attributes', { fields: { show: [] } }, `editor: ${PAGE}.fields.show: `],
    [
      'attributes that are no list',
      { fields: { read: 'title' } },
      `editor: ${PAGE}.fields.read: expected a list of attributes`,
    ],
    [
      'an attribute that is not there',
      { fields: { sort: ['titel'] } },
      `editor: ${PAGE}.fields.sort: there is no attribute "titel"`,
    ],
    ['drafts that are no yes or no', { drafts: 'no' }, `editor: ${PAGE}.drafts: `],
    ['a filter that is none', { rows: { find: 'mine' } }, `editor: ${PAGE}.rows.find: `],
    ['a filter that says nothing', { rows: { find: {} } }, `editor: ${PAGE}.rows.find: expected a filter`],
    ['an unknown operator', { rows: { update: { title: { $like: 'x' } } } }, `editor: ${PAGE}.rows.update: `],
    [
      'a user value among others',
      { rows: { find: { title: { $in: ['x', '$user.email'] } } } },
      `editor: ${PAGE}.rows.find: $user.…`,
    ],
  ])('in the rules of a type is told with its key: %s', (_why, rules, told) => {
    expect(ofPage(rules)).toEqual([expect.stringContaining(`access/a.json: ${told}`)]);
  });

  it('about drafts of a type that has none is told', () => {
    expect(problemsOf({ editor: { [TAG]: { drafts: true } } })).toEqual([
      `access/a.json: editor: ${TAG}.drafts: this content-type has no drafts; leave the key out`,
    ]);
  });

  it('of a second place for the rules of a type is told, and the first one holds', () => {
    const rules = rulesIn(model, {
      'a.json': { editor: { [PAGE]: { drafts: false } } },
      'b.json': { editor: { [PAGE]: { drafts: true } } },
    });
    expect(rules.problems).toEqual([`access/b.json: editor: ${PAGE}: it has rules in another place already`]);
    expect(rules.byRole.get('editor')!.get(PAGE)!.drafts).toBe(false);
  });

  it('does not keep the others from being told, nor what is right from being read', () => {
    const { byRole, problems } = rulesIn(model, {
      'a.json': {
        editor: {
          'api::x.x': {},
          [PAGE]: {
            rows: { find: { title: { $like: 1 } }, update: { rank: 1 } },
            fields: { read: ['titel', 'title'] },
            drafts: false,
          },
        },
      },
    });
    expect(problems).toHaveLength(3);
    const { rows, fields, drafts } = byRole.get('editor')!.get(PAGE)!;
    expect([Object.keys(rows), Object.keys(fields), drafts]).toEqual([['update'], [], false]);
  });
});
