// The names of a whole model against the naming rules of Strapi 5, written down here a second time and on their own:
// names are lists of tokens; one that is too long has its tokens cut, except for prefix and suffix; what is derived
// from a table starts from the name that the definition gives for some tables, and from the one already cut for others.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildModel } from './build.ts';
import { snakeCase } from './identifiers.ts';
import { type TableDefinition, tablesOf } from './tables.ts';
import type { AttributeDefinition, Definition } from './types.ts';

const LONGEST = 55;

/** A token that is never cut. */
interface Fixed {
  readonly fixed: string;
}
const fixed = (text: string): Fixed => ({ fixed: text });

/** The rules of Strapi 5 for one name. */
function strapiName(...tokens: readonly (string | Fixed)[]): string {
  const texts = tokens.map((token) => (typeof token === 'string' ? token : token.fixed));
  if (texts.join('_').length <= LONGEST) return texts.join('_');
  const cuttable = tokens.filter((token) => typeof token === 'string');
  const taken = tokens.reduce((sum, token) => sum + (typeof token === 'string' ? 0 : token.fixed.length), 0);
  const available = LONGEST - taken - (tokens.length - 1);
  const each = Math.floor(available / cuttable.length);
  const allotted = new Map(cuttable.map((token, at) => [at, Math.min(token.length, each)]));
  let left = available - [...allotted.values()].reduce((sum, length) => sum + length, 0);
  for (let at = 0, idle = 0; left > 0 && idle < cuttable.length; at = (at + 1) % cuttable.length) {
    const length = allotted.get(at)!;
    if (length < cuttable[at]!.length && cuttable[at]!.length >= each) {
      allotted.set(at, length + 1);
      left--;
      idle = 0;
    } else idle++;
  }
  let at = 0;
  return tokens.map((token) => (typeof token === 'string' ? cutTo(token, allotted.get(at++)!) : token.fixed)).join('_');
}

function cutTo(token: string, length: number): string {
  if (token.length <= length) return token;
  const digits = createHash('shake256', { outputLength: 3 }).update(token).digest('hex');
  return `${token.substring(0, length - 5)}${digits.substring(0, 5)}`;
}

const text: AttributeDefinition = { type: 'string' };
const shared = {
  file: 'test',
  pluralName: '',
  draftAndPublish: false,
  populateCreatorFields: false,
  privateAttributes: [],
  localized: false,
  indexes: [],
};

/** What a generated model is made of. */
interface Names {
  readonly collection: string;
  readonly singular: string;
  readonly otherCollection: string;
  readonly otherSingular: string;
  readonly component: string;
  readonly attributes: readonly [string, string, string, string, string, string, string];
}

const uidOf = (singular: string): string => `api::${singular}.${singular}`;

function definitionsOf(names: Names): Definition[] {
  const { collection, singular, otherCollection, otherSingular, component, attributes } = names;
  const [plain, many, one, key, morph, field, zone] = attributes;
  const other = uidOf(otherSingular);
  const relation = (kind: string, more: object): AttributeDefinition => ({ type: 'relation', relation: kind, ...more });
  const type = (name: string, table: string, own: Record<string, AttributeDefinition>): Definition => ({
    ...shared,
    uid: uidOf(name),
    kind: 'collectionType',
    collectionName: table,
    singularName: name,
    pluralName: `${name}-s`,
    attributes: own,
  });
  return [
    type(singular, collection, {
      [plain]: text,
      [many]: relation('manyToMany', { target: other, inversedBy: 'back' }),
      [one]: relation('oneToMany', { target: uidOf(singular) }),
      [key]: relation('manyToOne', { target: other, useJoinTable: false }),
      [morph]: relation('morphToMany', {}),
      [field]: { type: 'component', component: 'shared.part' },
    }),
    type(otherSingular, otherCollection, {
      back: relation('manyToMany', { target: uidOf(singular), mappedBy: many }),
    }),
    {
      ...shared,
      uid: 'shared.part',
      kind: 'component',
      collectionName: component,
      singularName: 'part',
      attributes: {
        [zone]: { type: 'dynamiczone', components: ['shared.part'] },
        [many]: relation('oneToMany', { target: other }),
      },
    },
  ];
}

interface ExpectedTable {
  readonly columns: readonly string[];
  readonly indexes: readonly string[];
  readonly foreignKeys: readonly string[];
}

/** The tables of such a model, as the naming rules have them. */
function expectedTables(names: Names): Map<string, ExpectedTable> {
  const { collection, singular, otherCollection, otherSingular, component, attributes } = names;
  const [plain, many, one, key, morph] = attributes.map(snakeCase) as [string, string, string, string, string];
  const [own, other] = [snakeCase(singular), snakeCase(otherSingular)];
  const automatic = ['document_id', 'created_at', 'updated_at', 'published_at', 'locale'];
  const creators = ['created_by_id', 'updated_by_id'];
  const tables = new Map<string, ExpectedTable>();
  const rows = (full: string, columns: readonly string[], keys: readonly string[]): void => {
    const table = strapiName(full);
    const foreignKeys = [...keys, ...creators].map((column) => strapiName(table, column, fixed('fk')));
    tables.set(table, {
      columns: ['id', ...columns, ...keys, ...automatic, ...creators],
      indexes: [...foreignKeys, strapiName(full, 'documents', fixed('idx'))],
      foreignKeys,
    });
  };
  const links = (full: string, attribute: string, columns: readonly string[], orders: readonly string[]): void => {
    // The table's name is cut first, and put into words with its hash in it.
    const table = strapiName(snakeCase(strapiName(full)), attribute, fixed('lnk'));
    const [from, to, ...positions] = columns.map((column) => column);
    const ends = ['fk', 'ifk'].map((suffix) => strapiName(table, fixed(suffix)));
    tables.set(table, {
      columns: ['id', from!, to!, ...positions],
      indexes: [...ends, ...['uq', ...orders].map((suffix) => strapiName(table, fixed(suffix)))],
      foreignKeys: ends,
    });
  };
  const components = (full: string): void => {
    const key = strapiName(full, fixed('entity'), fixed('fk'));
    tables.set(strapiName(full, fixed('cmps')), {
      columns: ['id', 'entity_id', 'cmp_id', 'component_type', 'field', 'order'],
      indexes: [
        strapiName(full, 'field', fixed('idx')),
        strapiName(full, 'component_type', fixed('idx')),
        key,
        strapiName(full, fixed('uq')),
      ],
      foreignKeys: [key],
    });
  };
  const id = (name: string): string => strapiName(name, fixed('id'));
  const position = (name: string): string => strapiName(name, fixed('ord'));
  rows(collection, [strapiName(plain)], [id(key)]);
  rows(otherCollection, [], []);
  tables.set(strapiName(component), { columns: ['id'], indexes: [], foreignKeys: [] });
  links(collection, many, [id(own), id(other), position(other), position(own)], ['ofk', 'oifk']);
  links(collection, one, [id(own), strapiName(fixed('inv'), own, fixed('id')), position(own)], ['ofk']);
  links(component, many, [id('part'), id(other), position(other)], ['ofk']);
  components(collection);
  components(component);
  const morphs = strapiName(snakeCase(strapiName(collection)), morph, fixed('mph'));
  tables.set(morphs, {
    columns: ['id', id(own), id(morph), strapiName(morph, fixed('type')), 'field', 'order'],
    indexes: ['fk', 'oidx', 'idix'].map((suffix) => strapiName(morphs, fixed(suffix))),
    foreignKeys: [strapiName(morphs, fixed('fk'))],
  });
  return tables;
}

const namesOf = ({ columns, indexes, foreignKeys }: TableDefinition): ExpectedTable => ({
  columns: columns.map(({ name }) => name).sort(),
  // Sheaf's own indexes are beside those of Strapi.
  indexes: indexes
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('sheaf_'))
    .sort(),
  foreignKeys: foreignKeys.map(({ name }) => name).sort(),
});
const sorted = ({ columns, indexes, foreignKeys }: ExpectedTable): ExpectedTable => ({
  columns: [...columns].sort(),
  indexes: [...indexes].sort(),
  foreignKeys: [...foreignKeys].sort(),
});

const word = fc.stringMatching(/^[a-z]{1,9}$/);
const words = (most: number) => fc.array(word, { minLength: 2, maxLength: most });
/** Attributes have camel case, digits and letters outside ASCII; a letter of their own keeps them apart. */
const attribute = (letter: string) =>
  fc
    .tuple(words(9), fc.constantFrom('', '2', 'größe', '名前', 'Ñandú'))
    .map(
      ([[first, ...rest], end]) =>
        `${letter}${first}${rest.map((one) => one[0]!.toUpperCase() + one.slice(1)).join('')}${end}`,
    );
const table = (letter: string) => words(12).map((all) => `${letter}_${all.join('_')}`);
const type = (letter: string) => words(9).map((all) => `${letter}${all.join('-')}`);
const generated: fc.Arbitrary<Names> = fc.record({
  collection: table('k'),
  otherCollection: table('l'),
  component: table('m'),
  singular: type('k'),
  otherSingular: type('l'),
  attributes: fc.tuple(
    attribute('a'),
    attribute('b'),
    attribute('c'),
    attribute('d'),
    attribute('e'),
    attribute('f'),
    attribute('g'),
  ),
});

describe('the names of a model', () => {
  it('are those of Strapi 5, however long its own names are', () => {
    let cut = 0;
    fc.assert(
      fc.property(generated, (names) => {
        const tables = new Map(tablesOf(buildModel(definitionsOf(names))).map((one) => [one.name, one]));
        for (const [name, expected] of expectedTables(names)) {
          if (name.length === LONGEST) cut++;
          expect([...tables.keys()]).toContain(name);
          expect(namesOf(tables.get(name)!), name).toEqual(sorted(expected));
        }
      }),
    );
    expect(cut).toBeGreaterThan(100);
  });

  it('are hashed from the whole name of a table where its components are linked, and not from the cut one', () => {
    const collection = 'components_restaurant_inspection_reports_of_the_whole_country';
    const names: Names = {
      collection,
      singular: 'report',
      otherCollection: 'others',
      otherSingular: 'other',
      component: 'components_parts',
      attributes: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    };
    const { table, componentTable } = buildModel(definitionsOf(names)).contentTypes.get('api::report.report')!;
    expect(table).toBe('components_restaurant_inspection_reports_of_the_whb2b7c');
    expect(componentTable).toBe('components_restaurant_inspection_reports_of_tb2b7c_cmps');
  });
});
