// Generated requests of every kind over the generated content: filters, sorts, populates and aggregates.
import fc from 'fast-check';
import {
  ARTICLE,
  AUTHOR,
  BOOKMARK,
  CATEGORY,
  CHEF,
  COUNTRY,
  DAYS,
  DISH,
  OWNER,
  RESTAURANT,
  SAID_DATES,
  TAG,
  TEXTS,
  TIMES,
  TYPES,
  world,
} from './generated-world.ts';
import * as naive from './naive.ts';
import type { ValueName } from './naive-aggregate.ts';

export type Json = naive.Json;

const COMPARED_AS_VALUES = ['$eq', '$ne', '$in', '$notIn'] as const;
const NULL_TESTS = ['$null', '$notNull'] as const;
export const ORDERED = ['$lt', '$lte', '$gt', '$gte'] as const;
export const TEXT_TESTS = [
  '$eqi',
  '$nei',
  '$contains',
  '$notContains',
  '$containsi',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
] as const;

/** Arbitraries are made once for each place they are needed in. */
const kept = new Map<string, fc.Arbitrary<unknown>>();
export function keep<T>(key: string, make: () => fc.Arbitrary<T>): fc.Arbitrary<T> {
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key) as fc.Arbitrary<T>;
}

const existing = (type: string, name: string): naive.Value[] => {
  const values = world.rows[type]!.map((row) => row.values[name] ?? null).filter((value) => value !== null);
  return [...new Set(values)];
};

/** Values to compare an attribute with: what the content holds, in the forms a client may write, and what it lacks. */
export const operandOf = (type: string, name: string): fc.Arbitrary<unknown> =>
  keep(`operand ${type} ${name}`, (): fc.Arbitrary<unknown> => {
    const values = existing(type, name);
    switch (TYPES[type]!.attributes[name]!) {
      case 'text':
        return fc.constantFrom('Alba', ...(values as string[]), ...TEXTS);
      case 'integer': {
        const some = values.slice(0, 12) as number[];
        return fc.constantFrom(
          0,
          1,
          ...some,
          ...some.map(String),
          -1,
          1.5,
          '2.0',
          '1e0',
          '1e300',
          '99999999999999999999',
        );
      }
      case 'biginteger':
        return fc.constantFrom(
          ...(values as bigint[]),
          ...values.map(String),
          '9007199254740992.5',
          '9223372036854775808',
          '-9223372036854775809',
          '1.2e3',
          '-1',
        );
      case 'number':
        return fc.constantFrom(...(values as number[]), ...values.map(String), 4.6, '1e4', -1e300);
      case 'boolean':
        return fc.constantFrom(true, false, 'true', 'false', 't', 'f', '1', '0', 1, 0);
      case 'date':
        return fc.constantFrom(...DAYS, '0001-01-01', '9999-12-31', '2020-02-29T23:00:00.000Z', ...SAID_DATES);
      case 'time':
        return fc.constantFrom(...TIMES, '12:30:00', '22:30:00.5', '12:00:00.00');
      case 'datetime': {
        const some = values.slice(0, 8) as number[];
        return fc.constantFrom(
          ...some.map((value) => new Date(value).toISOString()),
          ...some.filter((value) => value > 10_000),
          ...some.map((value) => new Date(value)),
          '2025-03-01',
          '2025-03-01T11:00:00.000+01:00',
          '2025-03-01T10:00:00',
          ...SAID_DATES,
        );
      }
      case 'json':
        return fc.constantFrom(
          ...values.map((value) => JSON.stringify(value)),
          '{ "b": [1, 2],  "a": 1 }',
          'text',
          'no json {',
          5,
          true,
        );
    }
  });

/** Texts to search an attribute for: pieces of what it shows, in another case now and then, and wildcards. */
export const searchedOf = (type: string, name: string): fc.Arbitrary<unknown> =>
  keep(`searched ${type} ${name}`, () => {
    const kind = TYPES[type]!.attributes[name]!;
    const whole = existing(type, name).map((value) => naive.textOf(kind, value));
    const pieces = whole.flatMap((text) => {
      const letters = Array.from(text);
      return [text, letters.slice(0, 1), letters.slice(0, 3), letters.slice(-1), letters.slice(-3), letters.slice(1, 3)]
        .map((part) => (typeof part === 'string' ? part : part.join('')))
        .flatMap((part) => [part, part.toUpperCase(), part.toLowerCase()]);
    });
    return fc.constantFrom('a', ...new Set([...pieces, '', '%', '_', '\\', "'", '.', '1', 'true', 'zzz']));
  });

const operatorsOf = (type: string, name: string): readonly string[] =>
  TYPES[type]!.attributes[name] === 'json'
    ? [...COMPARED_AS_VALUES, ...NULL_TESTS]
    : [...COMPARED_AS_VALUES, ...NULL_TESTS, ...ORDERED, '$between', ...TEXT_TESTS];

function operandFor(operator: string, type: string, name: string): fc.Arbitrary<unknown> {
  const value = operandOf(type, name);
  const orNull = fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });
  switch (operator) {
    case '$eq':
    case '$ne':
      return fc.oneof({ weight: 3, arbitrary: orNull }, { weight: 1, arbitrary: fc.array(orNull, { maxLength: 3 }) });
    case '$in':
    case '$notIn':
      return fc.oneof({ weight: 1, arbitrary: value }, { weight: 4, arbitrary: fc.array(orNull, { maxLength: 4 }) });
    case '$null':
    case '$notNull':
      return fc.constantFrom<unknown>(true, false, 'true', 'false', 't', 'f', '1', '0', 1, 0);
    case '$between':
      return fc.tuple(value, value);
    default: {
      const one = (TEXT_TESTS as readonly string[]).includes(operator) ? searchedOf(type, name) : value;
      return fc.oneof(
        { weight: 5, arbitrary: one },
        { weight: 1, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }) },
      );
    }
  }
}

const operatorEntry = (type: string, name: string): fc.Arbitrary<[string, unknown]> =>
  keep(`operator ${type} ${name}`, () => {
    const plain = operatorsOf(type, name).map((operator) =>
      operandFor(operator, type, name).map((operand): [string, unknown] => [operator, operand]),
    );
    return fc.oneof(...plain, ...(TYPES[type]!.attributes[name] === 'json' ? [inJson(), hasEntry(), hasEntry()] : []));
  });

const hasEntry = (): fc.Arbitrary<[string, unknown]> =>
  jsonOperand.map((operand): [string, unknown] => ['$has', operand]);

/** Operands as they are written in a query: JSON, or a text. */
const jsonOperand = fc.constantFrom<unknown>(1, '2', 'x', '"x"', '1.5', true, 'true', '[1,2]', '{"z":1}', 'text', 0);
const orderedOperand = fc.constantFrom<unknown>(0, 1, '1', 1.5, '"1"', 'a', 'text', '🌸', '""');
const JSON_KEYS = ['a', 'b', 'é', 'quo"te', 'nested', 'z', 'y', 'x', 'back\\slash', 'a.b', '[0]', 'none'];

/** Conditions on what is inside of a JSON attribute. */
const inJson = (): fc.Arbitrary<[string, unknown]> =>
  keep('in JSON', () => {
    const operator = fc.oneof(
      fc.tuple(
        fc.constantFrom('$eq', '$ne', '$in', '$notIn', '$has'),
        fc.array(jsonOperand, { minLength: 1, maxLength: 2 }),
      ),
      fc.tuple(fc.constantFrom('$eq', '$ne', '$has'), jsonOperand),
      fc.tuple(fc.constantFrom(...NULL_TESTS), fc.boolean()),
      fc.tuple(fc.constantFrom(...ORDERED), orderedOperand),
      fc.tuple(fc.constant('$between'), fc.tuple(orderedOperand, orderedOperand)),
      fc.tuple(fc.constantFrom(...TEXT_TESTS), fc.constantFrom<unknown>('🌸', 'te', '', 'TEXT', '1')),
    ) as fc.Arbitrary<[string, unknown]>;
    const under = fc.oneof(objectOf(operator, 2), objectOf(groupEntry(objectOf(operator, 1)), 1), jsonOperand);
    const at = fc
      .tuple(fc.array(fc.constantFrom(...JSON_KEYS), { minLength: 1, maxLength: 3 }), under)
      .map(([keys, condition]) => keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), condition) as Json);
    const likely = fc
      .tuple(fc.constantFrom(['a'], ['b'], ['é'], ['nested', 'z'], ['nested', 'y', 'x'], ['nested', 'y']), under)
      .map(([keys, condition]) => keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), condition) as Json);
    return fc.oneof(likely, at, objectOf(groupEntry(likely), 1)).map((json): [string, unknown] => ['$at', json]);
  });

const objectOf = (entry: fc.Arbitrary<[string, unknown]>, most: number): fc.Arbitrary<Json> =>
  fc.array(entry, { minLength: 1, maxLength: most }).map((entries) => Object.fromEntries(entries));

/** A group of members: a list, one member alone, or lists within the list. */
const groupEntry = (member: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown]> =>
  fc.tuple(
    fc.constantFrom('$and', '$or', '$not'),
    fc.oneof(
      { weight: 4, arbitrary: fc.array(member, { minLength: 1, maxLength: 3 }) },
      { weight: 2, arbitrary: member },
      { weight: 1, arbitrary: fc.tuple(fc.array(member, { minLength: 1, maxLength: 2 }), member) },
    ),
  );

/** What may stand under the name of an attribute. */
const underAttribute = (type: string, name: string, depth: number): fc.Arbitrary<unknown> =>
  keep(`under ${type} ${name} ${depth}`, () => {
    const value = operandOf(type, name);
    const operators = objectOf(operatorEntry(type, name), 2);
    const plain = [
      { weight: 8, arbitrary: operators as fc.Arbitrary<unknown> },
      { weight: 2, arbitrary: value },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.array(value, { maxLength: 3 }) },
    ];
    if (depth === 0) return fc.oneof(...plain);
    const inner = fc.oneof(operators, value, objectOf(groupEntry(operators), 1));
    return fc.oneof(...plain, { weight: 3, arbitrary: objectOf(groupEntry(inner), 2) });
  });

interface FilterShape {
  /** Relations that may be nested in one another. */
  readonly relations: number;
  /** Groups that may be nested in one another. */
  readonly groups: number;
  /** Whether it stands under a relation, where operators speak of the id. */
  readonly underRelation?: boolean;
  /** Where it stands under the name of a relation itself: to how many rows that leads, of which all can be spoken. */
  readonly sets?: 'one' | 'many';
}

export const filterOf = (type: string, shape: FilterShape): fc.Arbitrary<Json> =>
  keep(`filter ${type} ${JSON.stringify(shape)}`, () => {
    const { attributes, relations } = TYPES[type]!;
    const { groups, underRelation = false } = shape;
    const entries: { weight: number; arbitrary: fc.Arbitrary<[string, unknown]> }[] = [];
    const named =
      (name: string) =>
      (inner: unknown): [string, unknown] => [name, inner];
    entries.push({
      weight: 5,
      arbitrary: fc.oneof(
        ...Object.keys(attributes).map((name) => underAttribute(type, name, Math.min(groups, 1)).map(named(name))),
      ),
    });
    if (shape.sets) entries.push({ weight: 5, arbitrary: setEntry(type, shape) });
    if (shape.sets === 'many') {
      const compared = Object.keys(attributes).filter((name) => attributes[name] !== 'json');
      const allOf = (name: string) => valuesTogether(type, name).map((values) => named(name)({ $all: values }));
      entries.push({ weight: 1, arbitrary: fc.oneof(...compared.map(allOf)) });
    }
    const names = Object.keys(relations).filter((name) => !relations[name]!.populateOnly);
    if (shape.relations > 0 && names.length > 0)
      entries.push({
        weight: 6,
        arbitrary: fc.oneof(
          ...names.map((name) =>
            underRelationNamed(relations[name]!.to, {
              ...shape,
              relations: shape.relations - 1,
              sets: relations[name]!.many ? 'many' : 'one',
            }).map(named(name)),
          ),
        ),
      });
    if (groups > 0)
      entries.push({ weight: 3, arbitrary: groupEntry(filterOf(type, { ...shape, groups: groups - 1 })) });
    if (underRelation) entries.push({ weight: 2, arbitrary: operatorEntry(type, 'id') });
    return objectOf(fc.oneof(...entries), 2);
  });

/** Values of an attribute, some of them of entries that may well be connected with one. */
const valuesTogether = (type: string, name: string): fc.Arbitrary<unknown> => {
  const value = operandOf(type, name);
  return fc.oneof(value, inNumbers(fc.array(value, { minLength: 1, maxLength: 3 })));
};

/** A list as it is, or so often that its values are counted instead of looked up. */
const inNumbers = (list: fc.Arbitrary<unknown[]>): fc.Arbitrary<unknown[]> =>
  fc.tuple(list, fc.constantFrom(1, 1, 5)).map(([values, times]) => Array.from({ length: times }, () => values).flat());

/** What is said of all related entries, which are of the type. */
function setEntry(type: string, shape: FilterShape): fc.Arbitrary<[string, unknown]> {
  const behind: FilterShape = { relations: shape.relations, groups: Math.min(shape.groups, 1), underRelation: true };
  const condition = fc.oneof(
    { weight: 8, arbitrary: filterOf(type, behind) as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: operandOf(type, 'id') },
  );
  const quantified = fc.tuple(fc.constantFrom('$some', '$none', '$every'), condition) as fc.Arbitrary<
    [string, unknown]
  >;
  if (shape.sets !== 'many') return quantified;
  const number = fc.constantFrom<unknown>(0, 1, 2, '1', '3', 1.5, -1);
  const test = fc.oneof(
    fc.tuple(fc.constantFrom('$eq', '$ne', ...ORDERED), number),
    fc.tuple(fc.constantFrom('$in', '$notIn'), fc.array(number, { minLength: 1, maxLength: 2 })),
    fc.tuple(fc.constant('$between'), fc.tuple(number, number)),
  ) as fc.Arbitrary<[string, unknown]>;
  const counted = fc
    .tuple(objectOf(test, 2), fc.option(condition, { nil: undefined }))
    .map(([tests, where]) => (where === undefined ? tests : { ...tests, where }));
  const ids = fc.constantFrom(...(existing(type, 'id') as number[]).slice(0, 12));
  const identities = TYPES[type]!.component
    ? [ids]
    : [ids, fc.constantFrom(...(existing(type, 'documentId') as string[]))];
  const together = fc.oneof(
    ...identities.map((one) => inNumbers(fc.array<unknown>(one, { minLength: 1, maxLength: 2 }))),
  );
  return fc.oneof(
    { weight: 5, arbitrary: quantified },
    { weight: 3, arbitrary: fc.oneof(counted, number).map((operand): [string, unknown] => ['$count', operand]) },
    { weight: 1, arbitrary: together.map((operand): [string, unknown] => ['$all', operand]) },
  );
}

function underRelationNamed(to: string, shape: FilterShape): fc.Arbitrary<unknown> {
  const id = operandOf(to, 'id');
  return fc.oneof(
    { weight: 8, arbitrary: filterOf(to, { ...shape, underRelation: true }) as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: id },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.array(id, { maxLength: 3 }) },
  );
}

/** The places of a filter multiply the tuples that the naive evaluator looks at. */
const MOST_PLACES = 4;
export const fewPlaces = (type: string, filters: Json): boolean =>
  naive.countPlaces(world, type, filters) <= MOST_PLACES;

const ROOTS = [
  { type: RESTAURANT, weight: 6 },
  { type: CHEF, weight: 2 },
  { type: CATEGORY, weight: 2 },
  { type: ARTICLE, weight: 3 },
  { type: AUTHOR, weight: 1 },
  { type: BOOKMARK, weight: 2 },
  { type: COUNTRY, weight: 1 },
  { type: DISH, weight: 1 },
  { type: OWNER, weight: 1 },
  { type: TAG, weight: 1 },
];

export interface Root {
  readonly type: string;
  readonly status: naive.Status;
  readonly locale: string | string[] | undefined;
}

export const onSomeType = <T>(more: (type: string) => fc.Arbitrary<T>): fc.Arbitrary<Root & T> =>
  fc.oneof(
    ...ROOTS.map(({ type, weight }) => ({
      weight,
      arbitrary: fc
        .tuple(
          fc.record({
            type: fc.constant(type),
            status: fc.constantFrom<naive.Status>('draft', 'published'),
            locale: TYPES[type]!.localized
              ? fc.constantFrom<string | string[] | undefined>(undefined, 'fr', '*', ['en', 'fr'], 'de')
              : fc.constant(undefined),
          }),
          more(type),
        )
        .map(([root, rest]) => ({ ...root, ...rest })),
    })),
  );

export const sortKeys = (type: string, relations: number): fc.Arbitrary<naive.SortKey[]> =>
  keep(`sort ${type} ${relations}`, () =>
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ path: sortPath(type, relations), descending: fc.boolean() }) },
        ...(relations > 0 ? [{ weight: 2, arbitrary: aggregateKey(type, relations) }] : []),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  );

/** A sort by what is made of all that a path leads to; any other key where the path has nothing to make it of. */
const aggregateKey = (type: string, relations: number): fc.Arbitrary<naive.SortKey> =>
  fc
    .record({
      path: sortPath(type, relations),
      aggregate: fc.constantFrom('count', 'min', 'max', 'avg'),
      descending: fc.boolean(),
    })
    .map(({ path, aggregate, descending }) => {
      let at = type;
      const many = path.slice(0, -1).map((name) => {
        const relation = TYPES[at]!.relations[name]!;
        at = relation.to;
        return relation.many;
      });
      const branching = many.filter((one) => one).length;
      const isNumber = ['integer', 'biginteger', 'number'].includes(TYPES[at]!.attributes[path.at(-1)!]!);
      if (aggregate === 'count' && branching === 1 && many.at(-1))
        return { path: path.slice(0, -1), aggregate, descending };
      if (aggregate === 'avg' && branching === 1 && isNumber) return { path, aggregate, descending };
      if (branching > 0 && (aggregate === 'min' || aggregate === 'max')) return { path, aggregate, descending };
      return { path, descending };
    });

const sortPath = (type: string, relations: number): fc.Arbitrary<string[]> =>
  keep(`path ${type} ${relations}`, () => {
    const { attributes, relations: named } = TYPES[type]!;
    const own = Object.keys(attributes).filter((name) => attributes[name] !== 'json');
    const ways = Object.keys(named).filter((name) => !named[name]!.populateOnly);
    const short = fc.constantFrom(...own).map((name) => [name]);
    if (relations === 0 || ways.length === 0) return short;
    return fc.oneof(
      short,
      ...ways.map((name) => sortPath(named[name]!.to, relations - 1).map((rest) => [name, ...rest])),
    );
  });

type SortForm = 'text' | 'texts' | 'objects' | 'mixed';
export const sortForm = fc.constantFrom<SortForm>('text', 'texts', 'objects', 'mixed');

/** The same sort keys in one of the forms that clients write. */
export function writeSort(keys: readonly naive.SortKey[], form: SortForm): unknown {
  const written = keys.map(({ path, aggregate, descending }) => ({
    names: aggregate ? [...path, `$${aggregate}`] : path,
    descending,
  }));
  const texts = written.map(({ names, descending }) => `${names.join('.')}${descending ? ':desc' : ''}`);
  const objects = written.map(({ names, descending }) =>
    names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), descending ? 'desc' : 'ASC'),
  );
  switch (form) {
    case 'text':
      return texts.join(',');
    case 'texts':
      return texts;
    case 'objects':
      return keys.length === 1 ? objects[0] : objects;
    case 'mixed':
      return keys.map((_, index) => (index % 2 === 0 ? texts[index] : objects[index]));
  }
}

export const fieldsOf = (type: string): fc.Arbitrary<string[]> =>
  keep(`fields ${type}`, () => fc.subarray(Object.keys(TYPES[type]!.attributes), { minLength: 1 }));

export const populateOf = (type: string, depth: number): fc.Arbitrary<naive.Populate> =>
  keep(`populate ${type} ${depth}`, () => {
    const { relations, zones } = TYPES[type]!;
    const named =
      (name: string) =>
      (options: true | naive.PopulateOptions): [string, true | naive.PopulateOptions] => [name, options];
    const entries = [
      ...Object.entries(relations).map(([name, { to, many: toMany }]) =>
        (toMany ? withPage(optionsOf(to, depth)) : optionsOf(to, depth)).map(named(name)),
      ),
      ...Object.entries(zones).map(([name, members]) => withPage(zoneOptions(members, depth)).map(named(name))),
    ];
    if (entries.length === 0) return fc.constant<naive.Populate>({});
    return fc.oneof(
      { weight: 1, arbitrary: fc.constant<naive.Populate>('*') },
      {
        weight: 6,
        arbitrary: fc
          .array(fc.oneof(...entries), { minLength: 1, maxLength: 3 })
          .map((list): naive.Populate => Object.fromEntries(list)),
      },
    );
  });

/** Some of the options with a page of each list. */
const withPage = (options: fc.Arbitrary<true | naive.PopulateOptions>): fc.Arbitrary<true | naive.PopulateOptions> => {
  const page = fc.record(
    { start: fc.integer({ min: 0, max: 3 }), limit: fc.integer({ min: 1, max: 3 }), withCount: fc.boolean() },
    { requiredKeys: ['start', 'limit'] },
  );
  return fc.tuple(options, fc.option(page, { freq: 2 })).map(([given, pagination]) => {
    const plain = given === true ? {} : given;
    return pagination === null || plain.count ? given : { ...plain, pagination };
  });
};

const optionsOf = (type: string, depth: number): fc.Arbitrary<true | naive.PopulateOptions> =>
  keep(`options ${type} ${depth}`, () => {
    const filters = filterOf(type, { relations: 1, groups: 1 });
    const shaped = fc.record(
      {
        fields: fieldsOf(type),
        filters: filters.filter((one) => fewPlaces(type, one)),
        sort: sortKeys(type, 2),
        ...(depth > 0 && { populate: populateOf(type, depth - 1) }),
      },
      { requiredKeys: [] },
    );
    const counted = fc.record({ count: fc.constant(true), filters }, { requiredKeys: ['count'] });
    return fc.oneof(
      { weight: 3, arbitrary: fc.constant<true>(true) },
      { weight: 6, arbitrary: shaped as fc.Arbitrary<naive.PopulateOptions> },
      { weight: 1, arbitrary: counted as fc.Arbitrary<naive.PopulateOptions> },
    );
  });

const zoneOptions = (members: readonly string[], depth: number): fc.Arbitrary<true | naive.PopulateOptions> => {
  const fragment = (type: string) =>
    fc.oneof(
      fc.constant<true>(true),
      fc.record(
        {
          fields: fieldsOf(type),
          filters: filterOf(type, { relations: 1, groups: 0 }),
          ...(depth > 0 && { populate: populateOf(type, depth - 1) }),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<naive.PopulateOptions>,
    );
  const on = fc
    .tuple(fc.subarray([...members], { minLength: 1 }), ...members.map(fragment))
    .map(([chosen, ...fragments]) => ({
      on: Object.fromEntries(chosen.map((type) => [type, fragments[members.indexOf(type)]!])),
    }));
  return fc.oneof(fc.constant<true>(true), on);
};

const PARTS: Partial<Record<naive.Kind, readonly string[]>> = {
  date: ['$year', '$quarter', '$month', '$week', '$day', '$weekday'],
  datetime: ['$year', '$quarter', '$month', '$week', '$day', '$weekday', '$date', '$hour', '$minute'],
  time: ['$hour', '$minute'],
};

/** What entries are grouped by: attributes, parts of dates, relations, and the same of related rows. */
export const groupPath = (type: string, relations: number): fc.Arbitrary<string[]> =>
  keep(`group ${type} ${relations}`, () => {
    const { attributes, relations: named } = TYPES[type]!;
    const own = Object.keys(attributes).filter((name) => attributes[name] !== 'json');
    const parts = own.flatMap((name) => (PARTS[attributes[name]!] ?? []).map((part) => [name, part]));
    const ways = Object.keys(named).filter((name) => !named[name]!.populateOnly);
    const documents = ways.filter((name) => !TYPES[named[name]!.to]!.component).map((name) => [name]);
    const short = [
      { weight: 4, arbitrary: fc.constantFrom(...own).map((name) => [name]) },
      ...[parts, ...(relations > 0 ? [documents] : [])]
        .filter((paths) => paths.length > 0)
        .map((paths) => ({ weight: 2, arbitrary: fc.constantFrom(...paths) })),
    ];
    if (relations === 0 || ways.length === 0) return fc.oneof(...short);
    const further = ways.map((name) => groupPath(named[name]!.to, relations - 1).map((rest) => [name, ...rest]));
    return fc.oneof(...short, { weight: 6, arbitrary: fc.oneof(...further) });
  });

/** Floats are added up to the last digits; nothing is decided by these. */
export const isInexact = (name: string, path: readonly string[]): boolean =>
  (name === 'sum' || name === 'avg') &&
  (path.at(-1) === 'averagePrice' || (name === 'avg' && path.at(-1) === 'visits'));

const valuePath = (type: string, relations: number): fc.Arbitrary<{ name: ValueName; path: string[] }> =>
  keep(`value ${type} ${relations}`, () => {
    const { attributes, relations: named } = TYPES[type]!;
    const paths = (fits: (kind: naive.Kind) => boolean) =>
      Object.keys(attributes)
        .filter((name) => fits(attributes[name]!))
        .map((name) => [name]);
    const isNumber = (kind: naive.Kind) => kind === 'integer' || kind === 'biginteger' || kind === 'number';
    const of = (names: ValueName[], fits: (kind: naive.Kind) => boolean) =>
      fc.record({ name: fc.constantFrom(...names), path: fc.constantFrom(...paths(fits)) });
    const own = [
      fc.constant<{ name: ValueName; path: string[] }>({ name: 'count', path: [] }),
      of(['sum', 'avg'], isNumber),
      of(['min', 'max'], (kind) => kind !== 'json' && kind !== 'boolean'),
      of(['distinct'], (kind) => kind !== 'json'),
    ];
    const ways = Object.keys(named).filter((name) => !named[name]!.many && !named[name]!.populateOnly);
    if (relations === 0 || ways.length === 0) return fc.oneof(...own);
    const further = ways.map((name) =>
      valuePath(named[name]!.to, relations - 1)
        .filter(({ path }) => path.length > 0)
        .map(({ name: value, path }) => ({ name: value, path: [name, ...path] })),
    );
    return fc.oneof({ weight: 3, arbitrary: fc.oneof(...own) }, { weight: 1, arbitrary: fc.oneof(...further) });
  });

export const once = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((one) => [JSON.stringify(one), one])).values(),
];

interface GeneratedAggregate {
  readonly group: string[][];
  readonly values: { name: ValueName; path: string[] }[];
  readonly having: Json | undefined;
  readonly sort: { name: string; descending: boolean }[] | undefined;
}

export const aggregateOf = (type: string): fc.Arbitrary<GeneratedAggregate> =>
  fc
    .record({
      group: fc.array(groupPath(type, 2), { maxLength: 3 }).map(once),
      values: fc.array(valuePath(type, 2), { maxLength: 4 }).map(once),
    })
    .filter(({ group, values }) => group.length + values.length > 0)
    .chain(({ group, values }) => {
      const decided = values.filter(({ name, path }) => !isInexact(name, path));
      const condition = fc.constantFrom(...decided, undefined).chain((value) => {
        if (!value) return fc.constant(undefined);
        const { name, path } = value;
        const [to, attribute] = attributeAt(type, path);
        const operand = ['count', 'distinct', 'avg'].includes(name)
          ? fc.constantFrom<unknown>(0, 1, 2, '3', 2.5, 10)
          : operandOf(to, attribute);
        const operators = fc.constantFrom('$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn');
        return fc
          .tuple(operators, operand, fc.constantFrom('$not', '$or', null))
          .map(([operator, one, group]): Json => {
            const test = at([name, ...path], { [operator]: operator.endsWith('n') ? [one] : one });
            return group === '$not' ? { $not: test } : group === '$or' ? { $or: [test] } : test;
          });
      });
      const names = [...decided.map(({ name, path }) => [name, ...path]), ...group].map((one) => one.join('.'));
      const key = fc.record({ name: fc.constantFrom('', ...names), descending: fc.boolean() });
      const sort = fc
        .array(
          key.filter(({ name }) => name !== ''),
          { maxLength: names.length > 0 ? 2 : 0 },
        )
        .map((keys) => [...new Map(keys.map((one) => [one.name, one])).values()]);
      return fc.record({
        group: fc.constant(group),
        values: fc.constant(values),
        having: fc.option(condition, { nil: undefined }),
        sort: fc.option(sort, { nil: undefined }),
      });
    });

function attributeAt(type: string, path: readonly string[]): [type: string, attribute: string] {
  const [name, ...rest] = path;
  return rest.length === 0 ? [type, name ?? 'id'] : attributeAt(TYPES[type]!.relations[name!]!.to, rest);
}

export function writeAggregate({ group, values, having, sort }: GeneratedAggregate): Json {
  const result: Json = {};
  if (group.length > 0) result.group = group.map((path) => path.join('.'));
  for (const { name, path } of values) {
    if (name === 'count') result.count = '*';
    else result[name] = [...((result[name] as string[]) ?? []), path.join('.')];
  }
  if (having) result.having = having;
  if (sort)
    result.sort = sort.map(({ name, descending }, index) =>
      descending ? [`-${name}`, `${name}:desc`][index % 2] : name,
    );
  return result;
}

export const at = (path: readonly string[], condition: unknown): Json =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), condition) as Json;

/** What a caller under rules sees of the same content. */
export const ROW_RULES: Readonly<Record<string, Json>> = {
  [RESTAURANT]: { $or: [{ stars: { $gt: 1 } }, { chef: { age: { $lt: 40 } } }] },
  [CHEF]: { age: { $notNull: true } },
  [DISH]: { vegan: true },
  [ARTICLE]: { featured: { $ne: true } },
  [AUTHOR]: { name: { $ne: 'Alba' } },
  [TAG]: { color: { $in: ['red', 'green'] } },
};

export function writePopulate(populate: naive.Populate): unknown {
  if (populate === '*') return '*';
  return Object.fromEntries(
    Object.entries(populate).map(([name, options]) => [name, options === true ? true : writeOptions(options)]),
  );
}

function writeOptions({ sort, populate, on, ...rest }: naive.PopulateOptions): Json {
  return {
    ...rest,
    ...(sort && { sort: writeSort(sort, 'texts') }),
    ...(populate !== undefined && { populate: writePopulate(populate) }),
    ...(on && { on: writePopulate(on) }),
  };
}
