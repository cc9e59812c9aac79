// What the console asks the server besides content: the model, counts, and what a request costs.
import { beforeAll, expect, it } from 'vitest';
import { type Access, type RowRule, systemAccess } from '../src/access/access.ts';
import type { Caller } from '../src/access/caller.ts';
import type { Sheaf } from '../src/app.ts';
import type { ConsoleAttribute, ConsoleModel } from '../src/console/contract.ts';
import { consoleModel, readTypes } from '../src/describe/console-model.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';

const RESTAURANT = 'api::restaurant.restaurant';
const ARTICLE = 'api::article.article';

/** Someone who works in the console, with these rights and all others. */
function editor({ model }: Sheaf, key: string, rights: Partial<Access> = {}): Caller {
  const access = { ...systemAccess(model, 'private'), key: `editor ${key}`, ...rights };
  return { kind: 'editor', access, user: { id: 1 }, account: null, knownBy: null };
}

/** The rows whose attribute has a value. */
const ruleOn = (name: string, constant: string): RowRule => ({
  filter: { is: 'at', name, of: { is: 'compare', op: 'eq', slot: 0 } },
  values: [{ constant }],
});

describeOnEveryDatabase('what the console asks the server', (engine) => {
  let sheaf: Sheaf;
  beforeAll(async () => {
    sheaf = await engine.open();
  });

  const modelFor = async ({ access }: Caller): Promise<ConsoleModel> =>
    consoleModel({ model: sheaf.model, settings: sheaf.settings, access, locales: await sheaf.locales() });

  it('is the model, with all that a form and a filter need to know', async () => {
    const { types, components, locales, prefix } = await modelFor(editor(sheaf, 'all'));
    expect(prefix).toBe('/api');
    expect(locales.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    const type = types.find(({ uid }) => uid === RESTAURANT)!;
    expect(type).toMatchObject({
      displayName: 'Restaurant',
      mainField: 'name',
      kind: 'collectionType',
      path: 'restaurants',
      source: 'own',
      draftAndPublish: false,
    });
    const byName = Object.fromEntries(type.attributes.map((one): [string, ConsoleAttribute] => [one.name, one]));
    expect(byName).toMatchObject({
      documentId: { writable: false, hasIndex: true },
      name: { type: 'string', required: true, minLength: 2, maxLength: 120, hasIndex: false },
      slug: { type: 'uid', unique: true, targetField: 'name' },
      stars: { type: 'integer', min: 0, max: 5 },
      open: { type: 'boolean', default: true },
      cuisine: { type: 'enumeration', values: ['french', 'italian', 'japanese', 'mexican', 'fusion'] },
      internalNote: { private: true, writable: true },
      doorCode: { type: 'password', writable: true },
      chef: { relation: { kind: 'manyToOne', target: 'api::chef.chef', toMany: false, inverse: 'restaurants' } },
      dishes: { relation: { kind: 'oneToMany', toMany: true, inverse: 'restaurant' } },
      openingHours: { type: 'component', component: 'schedule.slot', repeatable: true, max: 7 },
      blocks: { type: 'dynamiczone', components: ['blocks.quote', 'blocks.picks', 'shared.link'] },
      gallery: { type: 'media', multiple: true, allowedTypes: ['images', 'files'] },
      createdAt: { writable: false },
    });
    expect(Object.keys(byName)).not.toContain('locale');
    expect(components.map(({ uid }) => uid)).toEqual([...sheaf.model.components.keys()].sort());
    expect(types.filter(({ source }) => source !== 'own').map(({ source, path }) => [source, path])).toEqual([
      ['users', 'users'],
      ['files', 'upload/files'],
    ]);
    expect(types.find(({ uid }) => uid === 'api::homepage.homepage')).toMatchObject({
      kind: 'singleType',
      path: 'homepage',
    });
  });

  it('is no more of the model than the account may read or write', async () => {
    const isOpen = (uid: string): boolean => uid === RESTAURANT;
    const { types, components } = await modelFor(
      editor(sheaf, 'few', {
        may: (action) => action === `${RESTAURANT}.find`,
        mayFind: isOpen,
        mayUse: (_uid, name, use) => use !== 'write' && ['description', 'slug', 'chef', 'blocks'].includes(name),
      }),
    );
    expect(types.map(({ uid }) => uid)).toEqual([RESTAURANT]);
    expect(types[0]!.mainField).toBe('slug');
    expect(types[0]!.attributes.map(({ name, writable }) => [name, writable])).toEqual([
      ['description', false],
      ['slug', false],
      ['blocks', false],
    ]);
    expect(components.map(({ uid }) => uid)).not.toContain('location.address');
    expect((await modelFor(editor(sheaf, 'none', { may: () => false }))).types).toEqual([]);
  });

  it('is how many documents there are of each type, in one statement', async () => {
    const caller = editor(sheaf, 'all');
    const sql = recordStatements(sheaf);
    const counts = await sheaf.operations.countDocuments(readTypes(sheaf.model, caller.access), { caller });
    expect(sql).toHaveLength(1);
    expect([...counts.keys()]).toEqual(readTypes(sheaf.model, caller.access).map(({ uid }) => uid));
    for (const { uid, localized } of readTypes(sheaf.model, caller.access)) {
      const documents = await sheaf.documents(uid).findMany({
        status: 'draft',
        fields: ['documentId'],
        ...(localized && { locale: '*' }),
      });
      expect([uid, counts.get(uid)]).toEqual([uid, new Set(documents.map(({ documentId }) => documentId)).size]);
    }
  });

  it('is a number of the entries alone that the account may see', async () => {
    const [first, second] = await sheaf.documents(ARTICLE).findMany({ status: 'draft', fields: ['title'] });
    expect(second).toBeDefined();
    const caller = editor(sheaf, 'some rows', {
      may: (action) => action.startsWith(`${ARTICLE}.`) || action.startsWith(`${RESTAURANT}.`),
      rowsOf: (uid) => (uid === ARTICLE ? ruleOn('documentId', String(first!.documentId)) : null),
    });
    const { operations, model } = sheaf;
    const counts = await operations.countDocuments(readTypes(model, caller.access), { caller });
    expect([...counts.keys()].sort()).toEqual([ARTICLE, RESTAURANT]);
    expect(counts.get(ARTICLE)).toBe(1);
    const published = editor(sheaf, 'published', { mayReadDrafts: () => false });
    const shown = await operations.countDocuments([model.contentTypes.get(ARTICLE)!], { caller: published });
    const articles = await sheaf.documents(ARTICLE).findMany({ status: 'published', locale: '*', fields: ['title'] });
    expect(shown.get(ARTICLE)).toBe(new Set(articles.map(({ documentId }) => documentId)).size);
  });
});
