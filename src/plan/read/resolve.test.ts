// The door from a name to an attribute: whatever a caller may not use is refused like what does not exist.
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../../test/support/project.ts';
import { sentRefusal } from '../../../test/support/refusal.ts';
import { accessOf } from '../../../test/support/rules.ts';
import { systemAccess } from '../../access/access.ts';
import type { Attribute } from '../../model/types.ts';
import { PlanContext } from './context.ts';
import { isKnownButUnreadable, readableScalars, resolve, type Use } from './resolve.ts';

const model = modelOf({
  types: {
    page: {
      drafts: true,
      localized: true,
      attributes: {
        title: { type: 'string' },
        hidden: { type: 'string' },
        secret: { type: 'string', private: true },
        code: { type: 'password' },
        writer: relation('manyToOne', 'writer'),
        vault: relation('manyToOne', 'vault'),
        keptFrom: relation('manyToOne', 'writer', { private: true }),
        seal: { type: 'component', component: 'kit.seal' },
        zone: { type: 'dynamiczone', components: ['kit.seal'] },
        cover: { type: 'media' },
        any: { type: 'relation', relation: 'morphToMany' },
      },
    },
    writer: { attributes: { name: { type: 'string' } } },
    vault: { attributes: { name: { type: 'string' } } },
  },
  components: { 'kit.seal': { name: { type: 'string' }, secret: { type: 'string', private: true } } },
});
const PAGE = model.contentTypes.get('api::page.page')!;
const SEAL = model.components.get('kit.seal')!;
const VERSIONS = { status: 'published', publication: null } as const;

const readable = [...PAGE.attributes.keys()].filter((name) => name !== 'hidden');
const access = accessOf(model, {
  grants: ['api::page.page', 'api::writer.writer'],
  rules: { 'api::page.page': { fields: { read: readable } } },
});
const system = new PlanContext(model, VERSIONS, systemAccess(model));
const reader = new PlanContext(model, VERSIONS, access);
const ruleMaker = new PlanContext(model, VERSIONS, systemAccess(model), { ruleValues: [] });

const USES: readonly Use[] = ['filter', 'sort', 'field', 'populate'];

/** The names of an entry that resolve for a use. */
const usable = (context: PlanContext, use: Use): string[] =>
  [...PAGE.attributes.keys()].filter((name) => {
    try {
      return resolve(context, PAGE, { name, use, location: { param: use, path: [] } }).name === name;
    } catch {
      return false;
    }
  });

describe('a name that a caller may not use', () => {
  const inPlaces = USES.flatMap((use) => [[], ['above', 'it']].map((path) => [use, path] as const));

  it.each(inPlaces)('is refused like one that does not exist: %s at %j', (use, path) => {
    const location = { param: use, path };
    const told = (name: string): string =>
      JSON.stringify(sentRefusal(() => resolve(reader, PAGE, { name, use, location }))).replaceAll(name, '…');
    const unknown = told('nosuch');
    for (const name of ['secret', 'code', 'hidden', 'vault', 'keptFrom', 'createdBy', 'constructor', '__proto__'])
      expect(told(name), name).toBe(unknown);
  });
});

describe('a name that fits', () => {
  it.each([
    ['filter', ['title', 'writer', 'seal', 'localizations'], ['zone', 'cover', 'any']],
    ['sort', ['title', 'writer', 'seal', 'localizations'], ['zone', 'cover', 'any']],
    ['field', ['title', 'locale'], ['writer', 'seal', 'zone', 'cover', 'localizations', 'any']],
    ['populate', ['writer', 'seal', 'zone', 'cover', 'localizations', 'any'], ['title', 'locale']],
  ] as const)('depends on the use: %s', (use, fitting, others) => {
    const names = usable(reader, use);
    expect(names).toEqual(expect.arrayContaining([...fitting]));
    expect(names.filter((name) => (others as readonly string[]).includes(name))).toEqual([]);
  });

  it('is one that the system has too, and the system has no secrets either', () => {
    for (const use of USES) {
      const names = usable(system, use);
      expect(usable(reader, use).filter((name) => !names.includes(name))).toEqual([]);
      expect(names.filter((name) => ['secret', 'code', 'keptFrom', 'createdBy'].includes(name))).toEqual([]);
    }
  });

  it('may be private in the rules of the project, but never a password', () => {
    const names = usable(ruleMaker, 'filter');
    expect(names).toEqual(expect.arrayContaining(['secret', 'keptFrom', 'vault', 'hidden']));
    expect(names).not.toContain('code');
  });

  it('in a component goes with the component, private ones apart', () => {
    expect(resolve(reader, SEAL, { name: 'name', use: 'filter', location: { param: 'filters', path: [] } }).name).toBe(
      'name',
    );
    expect(() =>
      resolve(reader, SEAL, { name: 'secret', use: 'filter', location: { param: 'filters', path: [] } }),
    ).toThrow('Invalid key secret');
  });
});

describe('the columns of a row', () => {
  it('are those that the caller may read', () => {
    expect(readableScalars(reader, PAGE).map(({ name }) => name)).toEqual([
      'id',
      'documentId',
      'title',
      'createdAt',
      'updatedAt',
      'publishedAt',
      'locale',
    ]);
  });
});

describe('a relation that * leaves out', () => {
  it('is told of where the caller knows the name but may not find the target', () => {
    const told = (context: PlanContext): string[] =>
      [...PAGE.attributes.values()]
        .filter((attribute: Attribute) => isKnownButUnreadable(context, PAGE, attribute))
        .map(({ name }) => name);
    expect(told(reader)).toEqual(['vault']);
    expect(told(system)).toEqual([]);
  });
});
