// The laws of reading: what filters, sort, pages, fields and populate mean, held against a naive evaluator and against
// one another on generated requests. The content is generated too, from a fixed seed, and full of what usually breaks:
// nulls, odd Unicode, wildcard characters, quotes, numbers at the edge of their types.
// SHEAF_TEST_SCALE and SHEAF_TEST_SEED give more and other requests; a failure prints the seed and the smallest request
// that shows it.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { systemCaller } from '../src/access/caller.ts';
import type { Sheaf } from '../src/app.ts';
import type { AggregateParameters, FindParameters } from '../src/operations/parameters.ts';
import { type Cell, describeOnEveryDatabase } from './support/database.ts';
import {
  aggregateOf,
  at,
  fewPlaces,
  fieldsOf,
  filterOf,
  groupPath,
  isInexact,
  type Json,
  keep,
  ORDERED,
  once,
  onSomeType,
  operandOf,
  populateOf,
  ROW_RULES,
  type Root,
  searchedOf,
  sortForm,
  sortKeys,
  TEXT_TESTS,
  writeAggregate,
  writePopulate,
  writeSort,
} from './support/generated-requests.ts';
import {
  AROUND_NEW_YEAR,
  AUTHOR,
  CATEGORY,
  CHEF,
  DISH,
  LINK_TABLES,
  RESTAURANT,
  SAID_DATES,
  TIMEZONE,
  TYPES,
  tables,
  world,
} from './support/generated-world.ts';
import * as naive from './support/naive.ts';
import * as naiveAggregate from './support/naive-aggregate.ts';
import { userWith } from './support/rules.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';

const SET_OPERATORS = new Set(['$some', '$none', '$every', '$all', '$count', '$at', '$has']);
const speaksOfSets = (filters: unknown): boolean =>
  typeof filters === 'object' &&
  filters !== null &&
  Object.entries(filters).some(([key, inner]) => SET_OPERATORS.has(key) || speaksOfSets(inner));

/** What a reader sees of some types; one of the rules is itself about a set. */
const RULES: Readonly<Record<string, Json>> = {
  [DISH]: { $or: [{ vegan: true }, { price: { $gt: 4 } }] },
  [CATEGORY]: { rank: { $ne: 1 } },
  [CHEF]: { restaurants: { $count: { $lt: 6 } } },
  [AUTHOR]: { articles: { $none: { featured: true } } },
};

describeOnEveryDatabase('Reading', (engine) => {
  // Others on each database: what a request means is the same on all.
  const seed = (GIVEN_SEED ?? 1) + (engine.name === 'SQLite' ? 0 : 1);
  const CASES = { numRuns: scaled(16), seed };
  let sheaf: Sheaf;
  beforeAll(async () => {
    sheaf = await engine.open(tables);
  });

  const isOwn = ({ path, aggregate }: naive.SortKey): boolean => path.length === 1 && aggregate === undefined;
  const parameters = (more: Json): FindParameters => more as FindParameters;
  const rootParameters = ({ status, locale }: Root): Json => ({
    status,
    timezone: TIMEZONE,
    ...(locale !== undefined && { locale }),
  });
  const idsOf = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id);

  /** What some caller sees of a type: all of it, or what rules leave. */
  function asked({ type }: Root, asReader: boolean) {
    if (!asReader) return { seen: world, documents: sheaf.documents(type, systemCaller(sheaf.model)) };
    const rules = Object.fromEntries(Object.entries(RULES).map(([uid, find]) => [uid, { rows: { find } }]));
    return { seen: { ...world, rules: RULES }, documents: sheaf.documents(type, userWith(sheaf.model, { rules })) };
  }

  async function idsMatching(root: Root, filters: Json): Promise<number[]> {
    return idsOf(await sheaf.documents(root.type).findMany(parameters({ ...rootParameters(root), filters })));
  }

  it('generates content with every kind of gap and link', () => {
    const restaurants = world.rows[RESTAURANT]!;
    expect(restaurants).toHaveLength(40);
    for (const name of Object.keys(TYPES[RESTAURANT]!.attributes).filter((one) => one !== 'id'))
      expect(new Set(restaurants.map((row) => row.values[name] ?? null)).size, name).toBeGreaterThan(1);
    for (const { owner, target } of LINK_TABLES)
      for (const [type, name] of [
        [owner.type, owner.name],
        [target.type, target.name],
      ] as const) {
        if (name === null) continue;
        const counts = world.rows[type]!.map((row) => row.links[name]?.length ?? 0);
        expect(Math.max(...counts), `${type} ${name}`).toBeGreaterThan(0);
      }
  });

  it('returns the entries for which some tuple of related rows makes the filter true', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        filters: filterOf(type, { relations: 3, groups: 2 }).filter((filters) => fewPlaces(type, filters)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async (root) => {
        const expected = naive.list(world, root.type, root);
        expect(await idsMatching(root, root.filters)).toEqual(idsOf(expected));
      }),
      CASES,
    );
  });

  it('speaks of all related entries together, as far as the caller sees them, and of what is inside of JSON', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        filters: filterOf(type, { relations: 3, groups: 2 }).filter(
          (filters) => speaksOfSets(filters) && fewPlaces(type, filters),
        ),
        asReader: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ asReader, ...root }) => {
        const { seen, documents } = asked(root, asReader);
        const query = parameters({ ...rootParameters(root), filters: root.filters });
        const expected = idsOf(naive.list(seen, root.type, root));
        expect(idsOf(await documents.findMany(query))).toEqual(expected);
        // Where all entries are asked, some are looked for in another way.
        expect(await documents.count(query)).toBe(expected.length);
      }),
      { ...CASES, numRuns: CASES.numRuns * 4 },
    );
  });

  it('finds text by its characters, and whatever their case where the operator ends in i', async () => {
    const cases = fc
      .record({
        operator: fc.constantFrom(...TEXT_TESTS),
        searched: searchedOf(RESTAURANT, 'name'),
        path: fc.constantFrom(['name'], ['chef', 'name'], ['categories', 'name']),
      })
      .map(({ operator, searched, path }) => at(path, { [operator]: searched }));
    const root: Root = { type: RESTAURANT, status: 'draft', locale: undefined };
    await fc.assert(
      fc.asyncProperty(cases, async (filters) => {
        expect(await idsMatching(root, filters)).toEqual(idsOf(naive.list(world, RESTAURANT, { filters })));
      }),
      CASES,
    );
  });

  it('reads dates as people say them by the clocks of the time zone', async () => {
    const date = fc.oneof(fc.constantFrom(...AROUND_NEW_YEAR), fc.constantFrom(...SAID_DATES));
    const comparison = fc.oneof(
      fc.tuple(fc.constantFrom<string>('$eq', '$ne', ...ORDERED), date),
      fc.tuple(fc.constantFrom('$in', '$notIn'), fc.array(date, { minLength: 1, maxLength: 2 })),
      fc.tuple(fc.constant('$between'), fc.tuple(date, date)),
    );
    const cases = fc.record({
      comparison,
      path: fc.constantFrom(['openedOn'], ['inspectedAt'], ['categories', 'restaurants', '$none', 'inspectedAt']),
    });
    const root: Root = { type: RESTAURANT, status: 'draft', locale: undefined };
    await fc.assert(
      fc.asyncProperty(cases, async ({ path, comparison: [operator, operand] }) => {
        const filters = at(path, { [operator]: operand });
        expect(await idsMatching(root, filters)).toEqual(idsOf(naive.list(world, RESTAURANT, { filters })));
      }),
      CASES,
    );
  });

  // Where no locale is asked for, a condition on that of the entry chooses one, but not inside of $not, $and and $or. So
  // it has no part in laws of what stands inside of these.
  const choosesNoLocale = (filters: Json): boolean => !Object.hasOwn(filters, 'locale');
  const ownFilter = (type: string) => filterOf(type, { relations: 0, groups: 2 }).filter(choosesNoLocale);
  const anyFilter = (type: string) =>
    filterOf(type, { relations: 2, groups: 1 }).filter(
      (filters) => choosesNoLocale(filters) && fewPlaces(type, filters),
    );

  it('divides all entries into those that meet a filter, those that meet its opposite and the unknown', async () => {
    await fc.assert(
      fc.asyncProperty(
        onSomeType((type) => fc.record({ filters: ownFilter(type) })),
        async (root) => {
          const { filters } = root;
          const rows = naive.rootRows(world, root.type, root);
          const unknown = idsOf(rows.filter((row) => naive.truth(world, root.type, row, filters) === null));
          const met = await idsMatching(root, filters);
          const opposite = await idsMatching(root, { $not: filters });
          expect([...met, ...opposite, ...unknown].sort((a, b) => a - b)).toEqual(idsOf(rows));
        },
      ),
      CASES,
    );
  });

  it('does not care for the order of the members of $and and $or', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        group: fc.constantFrom('$and', '$or'),
        members: fc
          .array(anyFilter(type), { minLength: 2, maxLength: 4 })
          .chain((members) =>
            fc.tuple(fc.constant(members), fc.shuffledSubarray(members, { minLength: members.length })),
          ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ group, members: [inOrder, shuffled], ...root }) => {
        expect(await idsMatching(root, { [group]: shuffled })).toEqual(await idsMatching(root, { [group]: inOrder }));
      }),
      CASES,
    );
  });

  it('treats the keys of one object as $and does', async () => {
    const cases = onSomeType((type) => fc.record({ left: anyFilter(type), right: anyFilter(type) }));
    await fc.assert(
      fc.asyncProperty(cases, async ({ left, right, ...root }) => {
        fc.pre(Object.keys(left).every((key) => !(key in right)));
        expect(await idsMatching(root, { ...left, ...right })).toEqual(
          await idsMatching(root, { $and: [left, right] }),
        );
      }),
      CASES,
    );
  });

  it('obeys De Morgan and double negation', async () => {
    const cases = onSomeType((type) => fc.record({ left: anyFilter(type), right: anyFilter(type) }));
    await fc.assert(
      fc.asyncProperty(cases, async ({ left, right, ...root }) => {
        const notLeft = { $not: left };
        const notRight = { $not: right };
        expect(await idsMatching(root, { $not: { $and: [left, right] } })).toEqual(
          await idsMatching(root, { $or: [notLeft, notRight] }),
        );
        expect(await idsMatching(root, { $not: { $or: [left, right] } })).toEqual(
          await idsMatching(root, { $and: [notLeft, notRight] }),
        );
        expect(await idsMatching(root, { $not: notLeft })).toEqual(await idsMatching(root, left));
      }),
      CASES,
    );
  });

  /** An attribute of a type or of what it is related to, and values for it. */
  const attributeWith = <T>(type: string, make: (holder: string, name: string) => fc.Arbitrary<T>) => {
    const { attributes, relations } = TYPES[type]!;
    const names = Object.keys(attributes).filter((name) => name !== 'locale');
    const own = names.map((name) => make(type, name).map((values) => ({ path: [name], values })));
    const through = Object.entries(relations)
      .filter(([, { populateOnly }]) => !populateOnly)
      .flatMap(([relation, { to }]) =>
        Object.keys(TYPES[to]!.attributes).map((name) =>
          make(to, name).map((values) => ({ path: [relation, name], values })),
        ),
      );
    return fc.oneof(fc.oneof(...own), ...(through.length > 0 ? [fc.oneof(...through)] : []));
  };

  it('takes $in for $or of $eq, and $notIn for $and of $ne', async () => {
    const cases = onSomeType((type) =>
      attributeWith(type, (holder, name) => fc.array(operandOf(holder, name), { minLength: 1, maxLength: 4 })),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ path, values, ...root }) => {
        const among = await idsMatching(root, at(path, { $in: values }));
        expect(among).toEqual(await idsMatching(root, at(path, values)));
        expect(among).toEqual(await idsMatching(root, at(path, { $eq: values })));
        expect(among).toEqual(await idsMatching(root, at(path, { $or: values.map(($eq) => ({ $eq })) })));
        expect(among).toEqual(await idsMatching(root, { $or: values.map((value) => at(path, value)) }));
        expect(await idsMatching(root, at(path, { $notIn: values }))).toEqual(
          await idsMatching(root, at(path, { $and: values.map(($ne) => ({ $ne })) })),
        );
      }),
      CASES,
    );
  });

  it('takes $between for $gte and $lte', async () => {
    const ordered = (holder: string, name: string) => TYPES[holder]!.attributes[name] !== 'json';
    const cases = onSomeType((type) =>
      attributeWith(type, (holder, name) =>
        ordered(holder, name)
          ? fc.tuple(operandOf(holder, name), operandOf(holder, name))
          : fc.constant<[unknown, unknown] | null>(null),
      ),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ path, values, ...root }) => {
        fc.pre(values !== null);
        const [$gte, $lte] = values!;
        const between = await idsMatching(root, at(path, { $between: [$gte, $lte] }));
        expect(between).toEqual(await idsMatching(root, at(path, { $gte, $lte })));
        expect(between).toEqual(await idsMatching(root, at(path, { $and: [{ $gte }, { $lte }] })));
      }),
      CASES,
    );
  });

  it('cuts the sorted list into pages that together are the list, and counts it', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        sort: fc.option(sortKeys(type, 4), { nil: undefined }),
        form: sortForm,
        filters: fc.option(anyFilter(type), { nil: undefined }),
        size: fc.integer({ min: 1, max: 20 }),
        byOffset: fc.boolean(),
        asReader: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ form, size, byOffset, asReader, ...root }) => {
        const { seen, documents } = asked(root, asReader);
        const expected = idsOf(naive.list(seen, root.type, root));
        const query: Json = { ...rootParameters(root), fields: ['id'] };
        if (root.sort) query.sort = writeSort(root.sort, form);
        if (root.filters) query.filters = root.filters;
        expect(idsOf(await documents.findMany(parameters(query)))).toEqual(expected);

        const pageCount = Math.ceil(expected.length / size);
        const shown: number[] = [];
        // One page more than there are: it is empty, and still knows the total.
        for (let page = 1; page <= pageCount + 1; page++) {
          const pagination = byOffset ? { start: (page - 1) * size, limit: size } : { page, pageSize: size };
          const { data, meta } = await documents.findPage(parameters({ ...query, pagination }));
          const rest = byOffset ? {} : { pageCount };
          expect(meta.pagination).toEqual({ ...pagination, ...rest, total: expected.length });
          expect(data.length).toBe(Math.max(0, Math.min(size, expected.length - (page - 1) * size)));
          shown.push(...idsOf(data));
        }
        expect(shown).toEqual(expected);
        expect(await documents.count(parameters(query))).toBe(expected.length);
      }),
      CASES,
    );
  });

  it('shows the same entries in the same order whatever is populated or left out, and populates what is linked', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        sort: fc.option(sortKeys(type, 1), { nil: undefined }),
        filters: fc.option(anyFilter(type), { nil: undefined }),
        fields: fc.option(fieldsOf(type), { nil: undefined }),
        populate: fc.option(populateOf(type, 2), { nil: undefined }),
        page: fc.integer({ min: 1, max: 3 }),
        asReader: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ page, fields, populate, asReader, ...root }) => {
        const pageSize = 8;
        const { seen, documents } = asked(root, asReader);
        const expected = naive.list(seen, root.type, root).slice((page - 1) * pageSize, page * pageSize);
        const bare: Json = { ...rootParameters(root), pagination: { page, pageSize } };
        if (root.sort) bare.sort = writeSort(root.sort, 'texts');
        if (root.filters) bare.filters = root.filters;
        const full: Json = { ...bare };
        if (fields) full.fields = fields;
        if (populate !== undefined) full.populate = writePopulate(populate);

        const plain = await documents.findPage(parameters(bare));
        const shaped = await documents.findPage(parameters(full));
        expect(idsOf(plain.data)).toEqual(idsOf(expected));
        expect(idsOf(shaped.data)).toEqual(idsOf(expected));
        expect(shaped.meta).toEqual(plain.meta);

        // A list that is chosen through relations shows what it is sorted by, asked for or not.
        const sortedBy = (root.sort ?? []).filter(isOwn).map(({ path }) => path[0]!);
        const unasked = fields ? sortedBy.filter((name) => !['id', 'documentId', ...fields].includes(name)) : [];
        const actual = shaped.data.map((one) =>
          Object.fromEntries(Object.entries(one).filter(([name]) => !unasked.includes(name))),
        );
        const entries = expected.map((row) =>
          naive.entry(seen, root.type, row, { fields, populate, status: root.status }),
        );
        if (!isDeepStrictEqual(actual, entries)) expect(actual).toEqual(entries);
      }),
      CASES,
    );
  });

  it('populates along dotted paths what it populates in nested objects', async () => {
    const path = (type: string, depth: number): fc.Arbitrary<string[]> =>
      keep(`dotted ${type} ${depth}`, () => {
        const { relations } = TYPES[type]!;
        const names = Object.keys(relations);
        if (names.length === 0) return fc.constant([]);
        return fc.oneof(
          ...names.map((name) =>
            depth === 0
              ? fc.constant<string[]>([name])
              : path(relations[name]!.to, depth - 1).map((rest) => [name, ...rest]),
          ),
        );
      });
    const cases = onSomeType((type) =>
      fc.record({
        paths: fc.array(
          fc.integer({ min: 0, max: 2 }).chain((depth) => path(type, depth)),
          { minLength: 1, maxLength: 3 },
        ),
        asText: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ paths, asText, ...root }) => {
        const texts = paths.map((names) => names.join('.'));
        const tree: Record<string, naive.PopulateOptions> = {};
        for (const names of paths) {
          let branch = tree;
          for (const name of names) {
            branch[name] ??= { populate: {} };
            branch = branch[name].populate as Record<string, naive.PopulateOptions>;
          }
        }
        const populate = asText ? texts.join(',') : texts;
        const pagination = { pageSize: 5 };
        const { data } = await sheaf
          .documents(root.type, systemCaller(sheaf.model))
          .findPage(parameters({ ...rootParameters(root), populate, pagination }));
        const entries = naive
          .list(world, root.type, root)
          .slice(0, 5)
          .map((row) => naive.entry(world, root.type, row, { populate: tree, status: root.status }));
        if (!isDeepStrictEqual(data, entries)) expect(data).toEqual(entries);
      }),
      CASES,
    );
  });

  /** Sums and averages of floats up to their last digits; everything else as it is. */
  const closeTo = (actual: unknown, expected: unknown, path: readonly string[] = []): boolean => {
    if (typeof actual === 'number' && typeof expected === 'number' && isInexact(path[0] ?? '', path.slice(1)))
      return Math.abs(actual - expected) <= 1e-12 * Math.max(Math.abs(actual), Math.abs(expected), 1);
    if (typeof actual !== 'object' || typeof expected !== 'object' || actual === null || expected === null)
      return isDeepStrictEqual(actual, expected);
    const [names, others] = [Object.keys(actual), Object.keys(expected)];
    const inside = (name: string) =>
      Array.isArray(actual) ? path : [...path, ...(path.length === 0 ? [name] : name.split('.'))];
    return (
      names.length === others.length &&
      names.every((name) => closeTo((actual as Json)[name], (expected as Json)[name], inside(name)))
    );
  };

  it('groups entries by what they and their related rows have, and computes each group', async () => {
    const ruled = userWith(sheaf.model, {
      rules: Object.fromEntries(Object.entries(ROW_RULES).map(([uid, find]) => [uid, { rows: { find } }])),
    });
    const cases = onSomeType((type) =>
      fc.record({
        aggregate: aggregateOf(type),
        filters: fc.option(anyFilter(type), { nil: undefined }),
        isRuled: fc.boolean(),
        page: fc.option(fc.record({ start: fc.integer({ min: 0, max: 3 }), limit: fc.integer({ min: 1, max: 9 }) }), {
          nil: undefined,
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ aggregate, filters, isRuled, page, ...root }) => {
        const seen = isRuled ? { ...world, rules: ROW_RULES } : world;
        const all = naiveAggregate.aggregate(seen, root.type, { ...root, ...aggregate, filters });
        const expected = page ? all.slice(page.start, page.start + page.limit) : all;
        const documents = sheaf.documents(root.type, isRuled ? ruled : systemCaller(sheaf.model));
        const actual = await documents.aggregate({
          ...rootParameters(root),
          ...writeAggregate(aggregate),
          ...(filters && { filters }),
          ...(page && { pagination: page }),
        } as AggregateParameters);
        if (!closeTo(actual, expected)) expect(actual).toEqual(expected);
      }),
      { ...CASES, numRuns: CASES.numRuns * 3 },
    );
  });

  it('counts the entries of a list by facets, whatever page it shows', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        paths: fc.array(groupPath(type, 1), { minLength: 1, maxLength: 3 }).map(once),
        filters: fc.option(anyFilter(type), { nil: undefined }),
        asReader: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ paths, filters, asReader, ...root }) => {
        const { seen, documents } = asked(root, asReader);
        const names = paths.map((path) => path.join('.'));
        const page = await documents.findPage(
          parameters({
            ...rootParameters(root),
            facets: names,
            pagination: { pageSize: 2 },
            ...(filters && { filters }),
          }),
        );
        const values = [{ name: 'count' as const, path: [] }];
        const sort = [{ name: 'count', descending: true }];
        const expected = paths.map((path, index) => [
          names[index]!,
          naiveAggregate
            .aggregate(seen, root.type, { ...root, filters, group: [path], values, sort })
            .map(({ group, count }) => ({ value: (group as Json)[names[index]!], count })),
        ]);
        expect(page.meta.facets).toEqual(Object.fromEntries(expected));
      }),
      CASES,
    );
  });
});

describeOnEveryDatabase('Values at the edge of their types', (engine) => {
  /** JSON text with the keys of objects in one order, which a database need not keep. */
  const inOneOrder = (value: unknown): string =>
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    );

  /** A restaurant alone with its values, and what a filter finds of it. */
  async function restaurantWith(values: Record<string, Cell>) {
    const nothing = Object.fromEntries(Object.keys(tables).map((table) => [table, []]));
    const restaurant = { id: 1, document_id: 'a'.repeat(24), name: 'Alba', ...values };
    const sheaf = await engine.open({ ...nothing, restaurants: [restaurant] });
    const documents = sheaf.documents(RESTAURANT, systemCaller(sheaf.model));
    const finds = async (filters: Json) => (await documents.findMany({ filters } as FindParameters)).length === 1;
    return { documents, finds };
  }

  it.each([
    ['a number that needs all its digits', 0.1 + 0.2],
    ['a whole number beyond 2^53', 2 ** 53],
    ['a whole number beyond 2^63', 2 ** 64],
    ['a text of digits', '9007199254740993'],
    ['a text that looks like a decimal number', '1.50'],
    ['an object with numbers of all sizes', { a: 0.1 + 0.2, b: [2 ** 53, 1e300, 5e-324] }],
    ['an object with keys that every object has', JSON.parse('{"__proto__":1,"constructor":2,"toString":3}')],
  ])('shows and finds JSON that is %s', async (_name, value) => {
    const { documents, finds } = await restaurantWith({ meta: JSON.stringify(value) });
    expect(inOneOrder((await documents.findMany())[0]!.meta)).toBe(inOneOrder(value));
    expect(await finds({ meta: { $eq: JSON.stringify(value) } })).toBe(true);
    expect(await finds({ meta: { $in: [JSON.stringify(value)] } })).toBe(true);
    expect(await finds({ meta: { $ne: JSON.stringify(value) } })).toBe(false);
  });

  it('compares a big integer with a number beyond its range as numbers, not as the nearest one it can hold', async () => {
    const smallest = await restaurantWith({ visits: -9_223_372_036_854_775_808n });
    expect(await smallest.finds({ visits: '-9223372036854775808' })).toBe(true);
    expect(await smallest.finds({ visits: '-9223372036854775809' })).toBe(false);
    expect(await smallest.finds({ visits: { $in: ['-9223372036854775809'] } })).toBe(false);
    expect(await smallest.finds({ visits: { $gt: '-9223372036854775809' } })).toBe(true);
    const largest = await restaurantWith({ visits: 9_223_372_036_854_775_807n });
    expect(await largest.finds({ visits: '9223372036854775808' })).toBe(false);
    expect(await largest.finds({ visits: { $lt: '9223372036854775808' } })).toBe(true);
  });

  it('finds no big integer by a number that no integer equals', async () => {
    const { finds } = await restaurantWith({ visits: 9_007_199_254_740_992n });
    expect(await finds({ visits: '9007199254740992.5' })).toBe(false);
    expect(await finds({ visits: { $in: ['9007199254740992.5'] } })).toBe(false);
    expect(await finds({ visits: { $lt: '9007199254740992.5' } })).toBe(true);
    expect(await finds({ visits: { $ne: '9007199254740992.5' } })).toBe(true);
  });

  it('finds nothing by an empty list, and never a null by the opposite of one', async () => {
    const { finds } = await restaurantWith({ slug: 'alba', stars: null });
    expect(await finds({ slug: { $in: [] } })).toBe(false);
    expect(await finds({ slug: { $notIn: [] } })).toBe(true);
    expect(await finds({ stars: { $in: [] } })).toBe(false);
    expect(await finds({ stars: { $notIn: [] } })).toBe(false);
    expect(await finds({ stars: { $ne: [] } })).toBe(false);
    expect(await finds({ $not: { stars: { $in: [] } } })).toBe(false);
    expect(await finds({ chef: { name: { $notIn: [] } } })).toBe(false);
  });
});
