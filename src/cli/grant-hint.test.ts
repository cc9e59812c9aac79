import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test/support/project.ts';
import { Withheld } from '../access/withheld.ts';
import { grantHint } from './grant-hint.ts';

const model = modelOf({
  types: {
    page: { attributes: { title: { type: 'string' } } },
    front: { single: true, attributes: { title: { type: 'string' } } },
  },
});

const NOTHING = new Withheld([]);

describe('The command that lets the public read', () => {
  it('names the types that there are, and the options as they were given', () => {
    expect(grantHint(model, NOTHING, { project: "./Ann's site", database: 'sqlite:./data.db' })).toEqual([
      '  sheaf role grant public \\',
      '    api::page.page.find api::page.page.findOne \\',
      '    api::front.front.find \\',
      "    --project './Ann'\\''s site' --database sqlite:./data.db",
    ]);
  });

  it('has no options where the environment gives them, and never a password', () => {
    expect(grantHint(model, NOTHING, {}).at(-1)).toBe('    api::front.front.find');
    expect(grantHint(model, NOTHING, { database: 'postgres://sheaf:hidden@db/content' }).at(-1)).toBe(
      "    --database 'postgres://sheaf:…@db/content'",
    );
  });

  it('leaves out what is withheld because of code of the project', () => {
    const uid = 'api::page.page';
    const code = { file: 'x.js', kind: 'controller', subject: uid, does: '', closes: 'all', instead: null } as const;
    expect(grantHint(model, new Withheld([code]), {})).toEqual([
      '  sheaf role grant public \\',
      '    api::front.front.find',
    ]);
  });

  it('is not there where a project has no types', () => {
    expect(grantHint(modelOf({ types: {} }), NOTHING, {})).toEqual([]);
  });
});
