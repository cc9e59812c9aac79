import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test/support/project.ts';
import { grantHint } from './grant-hint.ts';

const model = modelOf({
  types: {
    page: { attributes: { title: { type: 'string' } } },
    front: { single: true, attributes: { title: { type: 'string' } } },
  },
});

describe('The command that lets the public read', () => {
  it('names the types that there are, and the options as they were given', () => {
    expect(grantHint(model, { project: "./Ann's site", database: 'sqlite:./data.db' })).toEqual([
      '  sheaf role grant public \\',
      '    api::page.page.find api::page.page.findOne \\',
      '    api::front.front.find \\',
      "    --project './Ann'\\''s site' --database sqlite:./data.db",
    ]);
  });

  it('has no options where the environment gives them, and never a password', () => {
    expect(grantHint(model, {}).at(-1)).toBe('    api::front.front.find');
    expect(grantHint(model, { database: 'postgres://sheaf:hidden@db/content' }).at(-1)).toBe(
      "    --database 'postgres://sheaf:…@db/content'",
    );
  });

  it('is not there where a project has no types', () => {
    expect(grantHint(modelOf({ types: {} }), {})).toEqual([]);
  });
});
