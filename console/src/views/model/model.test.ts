import { expect, it } from 'vitest';
import type { ConsoleAttribute, ConsoleModel, ConsoleType } from '../../../../src/console/contract.ts';
import { attribute, collectionType } from '../../../../test/support/console-types.ts';
import { constraintsOf, typeInWords } from './constraints.ts';
import { curlOf, examplesOf } from './examples.ts';
import { graphOf, lineInWords, matches, usesOf } from './graph.ts';
import { BOX, pathOf, place } from './layout.ts';

const relation = (name: string, kind: string, target: string | null, inverse: string | null = null) =>
  attribute(name, 'relation', { relation: { kind, target, toMany: kind.endsWith('Many'), inverse } });
const type = (name: string, attributes: ConsoleAttribute[], rest: Partial<ConsoleType> = {}): ConsoleType =>
  collectionType(name, [attribute('name', 'string'), ...attributes], {
    displayName: name[0]!.toUpperCase() + name.slice(1),
    ...rest,
  });

const MODEL: ConsoleModel = {
  title: 'Test',
  prefix: '/api',
  locales: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'de', name: 'German', isDefault: false },
  ],
  types: [
    type('dish', [relation('place', 'manyToOne', 'api::place.place', 'dishes'), attribute('photo', 'media')]),
    type('place', [
      relation('dishes', 'oneToMany', 'api::dish.dish', 'place'),
      relation('localizations', 'oneToMany', 'api::place.place'),
      relation('near', 'manyToMany', 'api::place.place'),
      relation('town', 'manyToOne', 'api::town.town'),
      attribute('address', 'component', { component: 'shared.address', repeatable: false }),
      attribute('parts', 'dynamiczone', { components: ['shared.address'] }),
    ]),
    type('town', [relation('anything', 'morphToOne', null)], { draftAndPublish: true, localized: true }),
    type('home', [], { kind: 'singleType', path: 'home' }),
    type('file', [], { uid: 'plugin::upload.file', source: 'files', path: 'upload/files' }),
  ],
  components: [
    { uid: 'shared.address', displayName: 'Address', description: null, mainField: 'street', attributes: [] },
  ],
};

it('draws both sides of a relation as one line, and what is hidden not at all', () => {
  const all = graphOf(MODEL, { components: true, builtIn: true });
  expect(all.boxes.map(({ title, kind }) => [title, kind])).toEqual([
    ['Dish', 'collection type'],
    ['Place', 'collection type'],
    ['Town', 'collection type'],
    ['Home', 'single type'],
    ['File', 'built in'],
    ['Address', 'component'],
  ]);
  expect(all.lines.map((line) => lineInWords(MODEL, line))).toEqual([
    'Dish and Place: place / dishes, many to one',
    'Dish and File: photo, many to one',
    'Place and Place: near, many to many',
    'Place and Town: town, many to one',
    'Place holds Address: address',
    'Place may hold Address: parts',
  ]);
  const few = graphOf(MODEL, { components: false, builtIn: false });
  expect(few.boxes).toHaveLength(4);
  expect(few.lines.map(({ label }) => label)).toEqual(['place / dishes', 'near', 'town']);
  expect(all.boxes.filter((box) => matches(box, ' PLA')).map(({ title }) => title)).toEqual(['Place']);
  expect(usesOf(MODEL, 'shared.address').map((use) => use.attribute.name)).toEqual(['address', 'parts']);
});

it('gives every box a place of its own, and every line a way', () => {
  const graph = graphOf(MODEL, { components: true, builtIn: true });
  const { boxes, lines } = place(graph);
  const corners = [...boxes.values()];
  for (const [index, one] of corners.entries())
    for (const other of corners.slice(index + 1))
      expect(Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height).toBe(true);
  const isAtSide = (uid: string, point: { x: number; y: number }): boolean => {
    const { x, y } = boxes.get(uid)!;
    return (point.x === x || point.x === x + BOX.width) && point.y > y && point.y < y + BOX.height;
  };
  expect(lines).toHaveLength(graph.lines.length);
  for (const { from, to, points, labelAt } of lines) {
    expect([isAtSide(from, points[0]!), isAtSide(to, points.at(-1)!), Number.isFinite(labelAt.x)]).toEqual([
      true,
      true,
      true,
    ]);
  }
  expect(new Set(lines.map(({ points }) => JSON.stringify(points[0]))).size).toBe(lines.length);
  expect(pathOf([])).toBe('');
  expect(
    pathOf([
      { x: 0, y: 0 },
      { x: 10, y: 0 },
      { x: 20, y: 30 },
    ]),
  ).toBe('M0 0C5 0 5 0 10 0C15 0 15 30 20 30');
});

it('shows requests that fit the type', () => {
  const [dish, , town, home] = MODEL.types;
  expect(examplesOf(MODEL, dish!, 'abc').map(({ url }) => url)).toEqual([
    '/api/dishs?sort=name&pagination[pageSize]=10',
    '/api/dishs/abc',
    '/api/dishs?filters[place][town][name][$notNull]=true',
    '/api/dishs?populate[place][fields][0]=name',
    '/api/dishs?populate=*',
  ]);
  expect(examplesOf(MODEL, town!, null).map(({ url }) => url)).toEqual([
    '/api/towns?sort=name&pagination[pageSize]=10',
    '/api/towns?populate=*',
    '/api/towns?status=draft',
    '/api/towns?locale=de',
  ]);
  expect(examplesOf(MODEL, home!, 'abc').map(({ url }) => url)).toEqual(['/api/home', '/api/home?populate=*']);
  expect(curlOf('http://x', '/api/home')).toBe("curl -g 'http://x/api/home'");
});

it('says what holds for an attribute', () => {
  const size = attribute('size', 'enumeration', {
    required: true,
    values: ['s', 'm'],
    default: 's',
    minLength: 1,
    max: 5,
  });
  expect(constraintsOf(size)).toEqual(['required', 'at most 5', 'at least 1 characters', 'one of s, m', 'default "s"']);
  expect(constraintsOf(attribute('at', 'datetime', { writable: false }))).toEqual(['read only']);
  expect(constraintsOf(attribute('sponsor', 'string', { visibleWhen: { var: 'sponsored' } }))).toEqual([
    'shown under a condition',
  ]);
  expect(MODEL.types[1]!.attributes.map((one) => typeInWords(MODEL, one))).toEqual([
    'string',
    'oneToMany',
    'oneToMany',
    'manyToMany',
    'manyToOne',
    'Address',
    'dynamiczone',
  ]);
});
