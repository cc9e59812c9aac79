// What permissions of Strapi 5 allow in the console: actions, attributes, rows, locales, and what is refused.
import { describe, expect, it } from 'vitest';
import {
  defaultGrants,
  grantsOf,
  HAS_SAME_ROLE,
  IS_CREATOR,
  type Permission,
  SUPER_ADMIN_GRANTS,
} from '../../test/support/editors.ts';
import { modelOf, relation } from '../../test/support/project.ts';
import { loadModel } from '../model/build.ts';
import { ADMIN_USER, FILE, ROLE, USER } from '../model/builtin.ts';
import type { Access, FieldUse, RowUse } from './access.ts';
import { knownActions } from './actions.ts';
import { editorAccess } from './editor-access.ts';
import { editorRights } from './editor-rights.ts';

const text = { type: 'string' };
const model = modelOf({
  types: {
    page: {
      drafts: true,
      attributes: {
        title: text,
        body: { type: 'text' },
        secret: { ...text, private: true },
        seo: { type: 'component', component: 'kit.seo' },
        tags: relation('manyToMany', 'tag'),
      },
    },
    tag: { localized: true, attributes: { label: { ...text, pluginOptions: { i18n: { localized: true } } } } },
    home: { single: true, attributes: { title: text } },
  },
  components: {
    'kit.seo': { title: text, links: { type: 'component', repeatable: true, component: 'kit.link' } },
    'kit.link': { url: text, label: text },
  },
});
const PAGE = 'api::page.page';
const TAG = 'api::tag.tag';

const accessWith = (...permissions: Permission[]): Access => editorAccess(model, grantsOf(permissions, [4, 5]), 1);
const refusedOf = (...permissions: Permission[]): readonly string[] =>
  editorRights(model, grantsOf(permissions, [4, 5])).refused;
const verbs = (access: Access, uid: string): string =>
  [...knownActions(model)]
    .filter((action) => action.startsWith(`${uid}.`) && access.may(action))
    .map((action) => action.slice(uid.length + 1))
    .join(' ');
const NAMES = ['id', 'createdAt', 'createdBy', 'title', 'body', 'secret', 'seo', 'tags'];
const names = (access: Access, use: FieldUse): string =>
  NAMES.filter((name) => access.mayUse(PAGE, name, use)).join(' ');
const valuesOf = (access: Access, uid: string, use: RowUse): unknown[] | undefined =>
  access.rowsOf(uid, use)?.values.map((value) => ('user' in value ? `$${value.user}` : value.constant));

describe('actions', () => {
  it.each([
    ['read', 'find findOne'],
    ['create', 'create'],
    ['update', 'update discardDraft'],
    ['delete', 'delete'],
    ['publish', 'publish unpublish'],
  ])('of entries follow from %s', (action, expected) => {
    const access = accessWith({ action, subject: PAGE });
    expect(verbs(access, PAGE)).toBe(expected);
    expect(verbs(access, TAG)).toBe('');
    expect(access.mayFind(PAGE)).toBe(action === 'read');
  });

  it('of users are counting as well, and deleting by its own name', () => {
    const of = (action: string): string => verbs(accessWith({ action, subject: USER }), USER);
    expect([of('read'), of('delete'), of('publish')]).toEqual(['find findOne count', 'destroy', '']);
  });

  it('of files follow from permissions of the media library', () => {
    const of = (action: string): string =>
      verbs(accessWith({ action: `plugin::upload.${action}` }), 'plugin::upload.content-api');
    expect([of('read'), of('assets.create'), of('assets.update')]).toEqual([
      'find findOne findPage',
      'upload',
      'upload replace destroy',
    ]);
    const access = accessWith({ action: 'plugin::upload.assets.create' });
    expect(access.separateRights?.has(FILE, 'create')).toBe(true);
    expect(access.separateRights?.has(FILE, 'update')).toBe(false);
  });

  it('are cloning where an entry may be read, and every attribute created', () => {
    const of = (fields: string[]): string =>
      verbs(accessWith({ action: 'read', subject: PAGE }, { action: 'create', subject: PAGE, fields }), PAGE);
    expect(of(['title'])).toBe('find findOne create');
    expect(of(['title', 'body', 'secret', 'seo', 'tags'])).toBe('find findOne create clone');
  });

  it('show roles of the API to who may read them', () => {
    const access = accessWith({ action: 'plugin::users-permissions.roles.read' });
    expect([access.mayFind(ROLE), access.may(`${ROLE}.find`), access.mayFind('admin::role')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(accessWith().mayFind(ROLE)).toBe(false);
  });
});

describe('attributes', () => {
  it('are those that the permission names, beside what every entry has', () => {
    const access = accessWith(
      { action: 'read', subject: PAGE, fields: ['title', 'secret'] },
      { action: 'update', subject: PAGE, fields: ['body'] },
      { action: 'create', subject: PAGE },
    );
    expect(names(access, 'read')).toBe('id createdAt createdBy title secret');
    expect(names(access, 'filter')).toBe(names(access, 'read'));
    expect(names(access, 'sort')).toBe(names(access, 'read'));
    expect(names(access, 'write')).toBe('body');
    expect(names(access, 'create')).toBe(NAMES.join(' '));
  });

  it('are none where the list is empty, and all where there is none', () => {
    expect(names(accessWith({ action: 'update', subject: PAGE, fields: [] }), 'write')).toBe('');
    expect(names(accessWith({ action: 'update', subject: PAGE, fields: null }), 'write')).toBe(NAMES.join(' '));
  });

  it('are components where all in them is named, and refused where some is', () => {
    const seo = ['seo.title', 'seo.links.url', 'seo.links.label'];
    const read = (fields: string[]): Permission => ({ action: 'read', subject: PAGE, fields });
    expect(names(accessWith(read(['title', ...seo])), 'read')).toContain('seo');
    expect(names(accessWith(read(['seo'])), 'read')).toContain('seo');
    expect(refusedOf(read(seo))).toEqual([]);
    const partly = read(['title', 'seo.title', 'seo.links.url']);
    expect(names(accessWith(partly), 'read')).not.toContain('seo');
    expect(refusedOf(partly)).toEqual([
      `read ${PAGE}: it is for some parts of "seo" only, which is refused as a whole`,
    ]);
  });

  it('of accounts of the console are names alone, and codes of users nobody has', () => {
    for (const grants of [SUPER_ADMIN_GRANTS, grantsOf([{ action: 'read', subject: USER }])]) {
      const access = editorAccess(model, grants, 1);
      const of = (uid: string, use: FieldUse): string[] =>
        [...model.contentTypes.get(uid)!.attributes.keys()].filter((name) => access.mayUse(uid, name, use));
      expect(of(ADMIN_USER, 'read')).toEqual(['id', 'documentId', 'firstname', 'lastname', 'username']);
      expect(of(ADMIN_USER, 'write')).toEqual([]);
      for (const use of ['read', 'filter', 'sort', 'write', 'create'] as const)
        for (const name of ['resetPasswordToken', 'confirmationToken']) expect(of(USER, use)).not.toContain(name);
    }
  });
});

describe('rows', () => {
  it('are all without conditions, and those of the creator with them', () => {
    const access = accessWith(
      { action: 'read', subject: PAGE },
      { action: 'update', subject: PAGE, conditions: [IS_CREATOR] },
      { action: 'delete', subject: PAGE, conditions: [HAS_SAME_ROLE] },
      { action: 'publish', subject: PAGE, conditions: [IS_CREATOR, HAS_SAME_ROLE] },
      { action: 'plugin::upload.assets.update', conditions: [IS_CREATOR] },
    );
    expect(access.rowsOf(PAGE, 'find')).toBeNull();
    expect(valuesOf(access, PAGE, 'update')).toEqual(['$id']);
    expect(valuesOf(access, PAGE, 'delete')).toEqual([[4, 5]]);
    expect(valuesOf(access, PAGE, 'publish')).toEqual([[4, 5]]);
    expect(valuesOf(access, FILE, 'update')).toEqual(['$id']);
    expect(valuesOf(access, FILE, 'delete')).toEqual(['$id']);
    expect(access.rowsOf(FILE, 'find')).toBeNull();
  });

  it('are in the locales of the permission; null is for all, and none named is for none', () => {
    const access = accessWith(
      { action: 'read', subject: TAG, locales: null },
      { action: 'update', subject: TAG, locales: ['en'], conditions: [IS_CREATOR] },
      { action: 'delete', subject: TAG },
      { action: 'create', subject: TAG, locales: ['en', 'fr'] },
      { action: 'publish', subject: PAGE, locales: ['en'] },
    );
    expect(access.rowsOf(TAG, 'find')).toBeNull();
    expect(valuesOf(access, TAG, 'update')).toEqual(['$id', ['en']]);
    expect(valuesOf(access, TAG, 'translate')).toEqual(['$id']);
    expect(verbs(access, TAG)).toBe('find findOne create update clone');
    expect([...access.separateRights!.localesOf(TAG, 'create')!]).toEqual(['en', 'fr']);
    expect(access.separateRights!.localesOf(PAGE, 'publish')).toBeNull();
    expect(refusedOf({ action: 'delete', subject: TAG })).toEqual([`delete ${TAG}: it is for no locale`]);
  });
});

describe('permissions of several roles', () => {
  const read = (fields: string[] | null, ...conditions: string[]): Permission => ({
    action: 'read',
    subject: PAGE,
    fields,
    conditions,
  });

  it('add up where they are on the same entries, or for the same attributes', () => {
    expect(names(accessWith(read(['title']), read(['body'])), 'read')).toBe('id createdAt createdBy title body');
    expect(accessWith(read(['title'], IS_CREATOR), read(['title'])).rowsOf(PAGE, 'find')).toBeNull();
    const locales = accessWith(
      { action: 'read', subject: TAG, locales: ['en'], conditions: [IS_CREATOR] },
      { action: 'read', subject: TAG, locales: ['fr'] },
    );
    expect(valuesOf(locales, TAG, 'find')).toEqual(['$id', ['en'], ['fr']]);
  });

  it('are the wider one where that includes the other', () => {
    const access = accessWith(read(['title', 'body']), read(['title'], IS_CREATOR));
    expect(access.rowsOf(PAGE, 'find')).toBeNull();
    expect(names(access, 'read')).toBe('id createdAt createdBy title body');
  });

  it('are held to the attributes that all of them name where they differ in both, which is said', () => {
    const different = [read(['title', 'body'], IS_CREATOR), read(['title', 'secret'])];
    expect(names(accessWith(...different), 'read')).toBe('id createdAt createdBy title');
    expect(accessWith(...different).rowsOf(PAGE, 'find')).toBeNull();
    expect(refusedOf(...different)).toEqual([
      `read ${PAGE}: permissions of several roles are for other attributes of other entries; ` +
        'refused are body, secret, which not all of them name',
    ]);
    const all = [read(null, IS_CREATOR), read(['title'])];
    expect(names(accessWith(...all), 'read')).toBe('id createdAt createdBy title');
    expect(refusedOf(...all)).toHaveLength(1);
  });
});

describe('what cannot be taken over', () => {
  it.each<[string, Permission, string]>([
    [
      'another condition',
      { action: 'read', subject: PAGE, conditions: [IS_CREATOR, 'api::page.in-my-town'] },
      `read ${PAGE}: the condition api::page.in-my-town is not known here`,
    ],
    [
      'parameters',
      { action: 'read', subject: PAGE, actionParameters: { from: 1 } },
      `read ${PAGE}: it has parameters, which are not known here`,
    ],
    [
      'a type that is not served',
      { action: 'read', subject: 'admin::user' },
      'read admin::user: its entries are not served',
    ],
    [
      'a type that is gone',
      { action: 'update', subject: 'api::old.old' },
      'update api::old.old: its entries are not served',
    ],
    [
      'an action on entries',
      { action: 'archive', subject: PAGE },
      `archive ${PAGE}: there is nothing of the kind here`,
    ],
    [
      'a condition on something else',
      { action: 'admin::users.read', conditions: [IS_CREATOR] },
      'admin::users.read: it has conditions, which only permissions on entries and files can have',
    ],
    ['no action', { action: '' }, 'a permission without an action: it says nothing'],
    [
      'properties that are no object',
      { action: 'read', subject: PAGE, properties: '{"fields": ["title"' },
      `read ${PAGE}: its properties cannot be read`,
    ],
    [
      'attributes that are no list',
      { action: 'read', subject: PAGE, properties: { fields: 'title' } },
      `read ${PAGE}: its properties cannot be read`,
    ],
  ])('%s: is refused and said', (_, permission, expected) => {
    expect(refusedOf(permission)).toEqual([expected]);
    expect(verbs(accessWith(permission), PAGE)).toBe('');
    expect(editorRights(model, grantsOf([permission])).actions.size).toBe(0);
  });
});

describe('a super admin', () => {
  it('may do everything that there is, with everything', () => {
    const access = editorAccess(model, SUPER_ADMIN_GRANTS, 1);
    for (const action of knownActions(model)) expect(access.may(action)).toBe(true);
    expect(names(access, 'write')).toBe(NAMES.join(' '));
    expect([access.mayFind(PAGE), access.mayFind(ROLE), access.mayFind('admin::permission')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(access.rowsOf(PAGE, 'find')).toBeNull();
    expect(access.separateRights?.localesOf(TAG, 'update')).toBeNull();
  });
});

describe('the roles of a new project of Strapi 5', () => {
  const guide = loadModel(new URL('../../examples/guide', import.meta.url).pathname);
  const RESTAURANT = 'api::restaurant.restaurant';

  it('are taken over: an editor has all entries, an author the own ones without publishing them', () => {
    const editor = editorAccess(guide, defaultGrants('strapi-editor'), 1);
    const author = editorAccess(guide, defaultGrants('strapi-author'), 1);
    for (const access of [editor, author])
      for (const { name, writable } of guide.contentTypes.get(RESTAURANT)!.attributes.values())
        expect([name, access.mayUse(RESTAURANT, name, 'write')]).toEqual([
          name,
          writable && name !== 'publishedAt' && name !== 'locale',
        ]);
    expect(editor.rowsOf(RESTAURANT, 'update')).toBeNull();
    expect(valuesOf(author, RESTAURANT, 'find')).toEqual(['$id']);
    expect([editor, author].map((access) => access.may('api::author.author.publish'))).toEqual([true, false]);
    expect([editor, author].map((access) => access.may(`${USER}.find`))).toEqual([false, false]);
  });

  it('have no locale of localized types, as in Strapi 5', () => {
    const { refused } = editorRights(guide, defaultGrants('strapi-editor'));
    expect(refused).toContain('read api::article.article: it is for no locale');
    expect(refused.every((one) => one.endsWith(': it is for no locale'))).toBe(true);
  });
});
