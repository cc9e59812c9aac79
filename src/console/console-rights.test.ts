// What the console is told of an account: rights, types, what is refused.
import { describe, expect, it } from 'vitest';
import { defaultGrants, grantsOf, IS_CREATOR, SUPER_ADMIN_GRANTS } from '../../test/support/editors.ts';
import { modelOf } from '../../test/support/project.ts';
import { Withheld } from '../access/withheld.ts';
import { loadModel } from '../model/build.ts';
import { USER } from '../model/builtin.ts';
import { consoleRights } from './console-rights.ts';
import { CONSOLE_RIGHTS, EDIT_ACTIONS } from './contract.ts';

const text = { type: 'string' };
const model = modelOf({
  types: {
    page: { drafts: true, attributes: { title: text, body: text } },
    tag: { localized: true, attributes: { label: text } },
  },
});
const PAGE = 'api::page.page';
const TAG = 'api::tag.tag';
const NOTHING = new Withheld([]);

describe('a super admin', () => {
  it('has every right, and everything of every type that is served', () => {
    const { rights, types, refused } = consoleRights(model, SUPER_ADMIN_GRANTS, NOTHING);
    expect(rights).toEqual(CONSOLE_RIGHTS);
    expect(Object.keys(types).toSorted()).toEqual([PAGE, TAG, USER]);
    const all = { readable: null, writable: null, locales: null, isLimited: false };
    expect(types[PAGE]).toEqual({ ...all, actions: EDIT_ACTIONS });
    expect(types[TAG]).toEqual({ ...all, actions: ['create', 'read', 'update', 'delete'] });
    expect(refused).toEqual([]);
  });

  it('is told what nobody has, and why', () => {
    const code = new Withheld([
      { subject: PAGE, kind: 'controller', file: 'src/api/page/controllers/page.ts', closes: ['publish'] } as never,
    ]);
    const { types, refused } = consoleRights(model, SUPER_ADMIN_GRANTS, code);
    expect(types[PAGE]!.actions).toEqual(['create', 'read', 'update', 'delete']);
    expect(refused).toEqual([
      `publish ${PAGE}: controller src/api/page/controllers/page.ts is in front of it, and does not run`,
    ]);
  });
});

describe('other accounts', () => {
  it.each([
    ['plugin::upload.read', ['files.read']],
    ['plugin::upload.assets.create', ['files.create']],
    ['plugin::upload.assets.update', ['files.update']],
    ['plugin::users-permissions.roles.read', ['roles.read']],
    ['plugin::users-permissions.roles.update', ['roles.update']],
    ['admin::api-tokens.read', ['tokens.read']],
    ['admin::api-tokens.create', ['tokens.create']],
    ['admin::api-tokens.delete', ['tokens.delete']],
    ['admin::users.read', ['accounts.read']],
    ['admin::users.create', ['accounts.create']],
    ['admin::users.update', ['accounts.update']],
    ['admin::users.delete', ['accounts.delete']],
    ['plugin::content-type-builder.read', ['model.read', 'requests.explain']],
    ['plugin::upload.assets.download', []],
  ])('have what follows from %s', (action, expected) => {
    const { rights, refused } = consoleRights(model, grantsOf([{ action }]), NOTHING);
    expect([rights, refused]).toEqual([expected, []]);
  });

  it('are told what there is nothing of here', () => {
    const { rights, refused } = consoleRights(model, grantsOf([{ action: 'admin::webhooks.create' }]), NOTHING);
    expect([rights, refused]).toEqual([[], ['admin::webhooks.create: there is nothing of the kind here']]);
  });

  it('have of a type the attributes and locales of their permissions', () => {
    const { types } = consoleRights(
      model,
      grantsOf([
        { action: 'read', subject: PAGE },
        { action: 'create', subject: PAGE, fields: ['title', 'body'] },
        { action: 'update', subject: PAGE, fields: ['title'], conditions: [IS_CREATOR] },
        { action: 'delete', subject: TAG, locales: ['fr'] },
        { action: 'publish', subject: USER },
      ]),
      NOTHING,
    );
    expect(types).toEqual({
      [PAGE]: {
        actions: ['create', 'read', 'update'],
        readable: null,
        writable: ['title'],
        locales: null,
        isLimited: true,
      },
      [TAG]: { actions: ['delete'], readable: [], writable: [], locales: ['fr'], isLimited: false },
    });
  });

  it('are the editors and authors of a new project of Strapi 5', () => {
    const guide = loadModel(new URL('../../examples/guide', import.meta.url).pathname);
    const editor = consoleRights(guide, defaultGrants('strapi-editor'), NOTHING);
    const author = consoleRights(guide, defaultGrants('strapi-author'), NOTHING);
    expect(editor.rights).toEqual(['files.read', 'files.create', 'files.update']);
    expect(author.rights).toEqual(editor.rights);
    expect(editor.types['api::author.author']).toMatchObject({ actions: EDIT_ACTIONS, isLimited: false });
    expect(author.types['api::author.author']).toMatchObject({
      actions: ['create', 'read', 'update', 'delete'],
      isLimited: true,
    });
    expect(editor.types[USER]).toBeUndefined();
  });
});
