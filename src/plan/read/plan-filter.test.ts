// Filters as conditions. Generated filters on generated rows are judged twice: by the plan, and straight from the
// meaning of a filter (some choice of one related row for each place makes it true, with nulls unknown).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf, relation } from '../../../test/support/project.ts';
import { sentRefusal } from '../../../test/support/refusal.ts';
import { accessOf } from '../../../test/support/rules.ts';
import { type Access, systemAccess } from '../../access/access.ts';
import { NO_LIMIT, parseRead } from '../../request/parse-read.ts';
import type { FilterNode } from '../../request/read-request.ts';
import { PlanContext } from './context.ts';
import type { Condition } from './nodes.ts';
import { planFilter, ruleCondition, visibleRows, writtenRows } from './plan-filter.ts';

const model = modelOf({
  types: {
    node: {
      attributes: {
        number: { type: 'integer' },
        free: { type: 'json' },
        next: relation('manyToOne', 'node'),
        many: relation('manyToMany', 'node'),
        page: relation('manyToOne', 'page'),
      },
    },
    page: { drafts: true, attributes: { title: { type: 'string' }, secret: { type: 'string', private: true } } },
  },
});
const NODE = model.contentTypes.get('api::node.node')!;
const PAGE = model.contentTypes.get('api::page.page')!;

const PUBLISHED = { status: 'published', publication: null } as const;
const contextFor = (access: Access = systemAccess(model)): PlanContext => new PlanContext(model, PUBLISHED, access);
const planned = (filter: FilterNode): Condition =>
  planFilter(contextFor(), NODE, filter, { param: 'filters', path: [] });
const filterOf = (filters: object): FilterNode =>
  parseRead({ filters }, { status: 'published', pagination: NO_LIMIT }).shape.filters!;
const conditionOf = (filters: object): Condition => planned(filterOf(filters));

// ------------------------------------------------------------------------------------------------ generated filters

interface Row {
  readonly id: number;
  readonly number: number | null;
  readonly next: readonly Row[];
  readonly many: readonly Row[];
}
type Relation = 'next' | 'many';
type Truth = 'true' | 'false' | 'unknown';

/** Values are their slots: a comparison with slot 2 is one with the number 2. */
const comparison = (row: Row | null, column: 'id' | 'number', slot: number): Truth => {
  const value = row?.[column] ?? null;
  return value === null ? 'unknown' : value === slot ? 'true' : 'false';
};
const NOT: Readonly<Record<Truth, Truth>> = { true: 'false', false: 'true', unknown: 'unknown' };
const all = (truths: readonly Truth[]): Truth =>
  truths.includes('false') ? 'false' : truths.includes('unknown') ? 'unknown' : 'true';
const some = (truths: readonly Truth[]): Truth => NOT[all(truths.map((truth) => NOT[truth]))];

/** The relation whose rows are chosen from, and the row that it belongs to. */
interface Holder {
  readonly row: Row | null;
  readonly relation: Relation;
}

/** Every truth that some choice of related rows gives the filter; null is the row that stands in for none. */
function truths(
  filter: FilterNode,
  row: Row | null,
  column: 'id' | 'number',
  holder: Holder | null = null,
): ReadonlySet<Truth> {
  switch (filter.is) {
    case 'and':
    case 'or': {
      const combine = filter.is === 'and' ? all : some;
      let combined: Truth[][] = [[]];
      for (const member of filter.of) {
        const next = truths(member, row, column, holder);
        combined = combined.flatMap((chosen) => [...next].map((truth) => [...chosen, truth]));
      }
      return new Set(combined.map(combine));
    }
    case 'not':
      return new Set([...truths(filter.of, row, column, holder)].map((truth) => NOT[truth]));
    case 'null':
    case 'notNull':
      return new Set([((row?.[column] ?? null) === null) === (filter.is === 'null') ? 'true' : 'false']);
    case 'compare': {
      const truth = comparison(row, column, filter.slot);
      return new Set([filter.op === 'eq' ? truth : NOT[truth]]);
    }
    case 'at': {
      if (filter.name === 'number' || filter.name === 'id') return truths(filter.of, row, filter.name, holder);
      const relation = filter.name as Relation;
      const related = row?.[relation] ?? [];
      const chosen = related.length > 0 ? related : [null];
      return new Set(chosen.flatMap((one) => [...truths(filter.of, one, 'id', { row, relation })]));
    }
    default:
      return new Set([truthOfSet(filter, holder!)]);
  }
}

/** Each related row meets the condition of a set or does not; of a row that is not there a set says nothing. */
function truthOfSet(filter: FilterNode, { row, relation }: Holder): Truth {
  if (row === null) return 'unknown';
  const meeting = (of: FilterNode | null): number =>
    row[relation].filter((one) => of === null || truths(of, one, 'id').has('true')).length;
  switch (filter.is) {
    case 'some':
      return meeting(filter.of) > 0 ? 'true' : 'false';
    case 'none':
      return meeting(filter.of) === 0 ? 'true' : 'false';
    case 'every':
      return meeting(filter.of) === row[relation].length ? 'true' : 'false';
    case 'count': {
      const { op, slot } = filter.tests[0]!;
      return (meeting(filter.where) === slot) === (op === 'eq') ? 'true' : 'false';
    }
    default:
      throw new Error(`${filter.is} is not generated`);
  }
}

const relatedRows = (row: Row, table: string | undefined): readonly Row[] =>
  row[table === 'nodes_next_lnk' ? 'next' : 'many'];

/** Whether a row meets a planned condition. */
function meets(condition: Condition, row: Row, holder: Row | null = null): boolean {
  switch (condition.is) {
    case 'and':
      return condition.of.every((member) => meets(member, row, holder));
    case 'or':
      return condition.of.some((member) => meets(member, row, holder));
    case 'null':
    case 'notNull':
      return (row[condition.column.column as 'id' | 'number'] === null) === (condition.is === 'null');
    case 'compare': {
      const truth = comparison(row, condition.column.column as 'id' | 'number', condition.value.slot);
      return (condition.negated ? NOT[truth] : truth) === 'true';
    }
    case 'related':
      if (relatedRows(row, condition.step.link?.table).length === 0) return condition.orNone;
      return meeting(condition, row) > 0;
    case 'unrelated':
      return relatedRows(row, condition.step.link?.table).length === 0;
    case 'none':
      return meeting(condition, row) === 0;
    case 'count': {
      const { negated, value } = condition.tests[0]!;
      const passes = (count: number): boolean => ((count === value.slot) !== negated) !== condition.negated;
      expect(passes(0)).toBe(condition.trueOfZero);
      return passes(meeting(condition, row));
    }
    case 'notTrue':
      return !meets(condition.where, row, holder);
    case 'ofHolder':
      return meets(condition.where, holder!);
    case 'never':
      return false;
    default:
      throw new Error(`${condition.is} is not generated`);
  }
}

/** How many related rows meet the condition of a set. */
const meeting = ({ step, where }: Condition & { is: 'related' | 'none' | 'count' }, row: Row): number =>
  relatedRows(row, step.link?.table).filter((one) => where === null || meets(where, one, row)).length;

const SMALL = fc.integer({ min: 1, max: 3 });
const leaves: fc.Arbitrary<FilterNode> = fc.oneof(
  fc.constantFrom<FilterNode>({ is: 'null' }, { is: 'notNull' }),
  fc.record({ is: fc.constant('compare' as const), op: fc.constantFrom('eq', 'ne'), slot: SMALL }),
);
const onColumn: fc.Arbitrary<FilterNode> = fc.record({
  is: fc.constant('at' as const),
  name: fc.constantFrom('id', 'number'),
  of: fc.oneof(leaves, fc.record({ is: fc.constant('not' as const), of: leaves })),
});
const { filters } = fc.letrec<{ filters: FilterNode; underRelation: FilterNode; onMany: FilterNode }>((tie) => {
  /** What may stand anywhere; `self` is what groups are made of. */
  const anywhere = (self: 'filters' | 'underRelation' | 'onMany') => [
    onColumn,
    leaves,
    fc.record({ is: fc.constantFrom('and', 'or'), of: fc.array(tie(self), { minLength: 1, maxLength: 3 }) }),
    fc.record({ is: fc.constant('not' as const), of: tie(self) }),
    fc.record({ is: fc.constant('at' as const), name: fc.constant('next'), of: tie('underRelation') }),
    fc.record({ is: fc.constant('at' as const), name: fc.constant('many'), of: tie('onMany') }),
  ];
  const quantified = fc.record({ is: fc.constantFrom('some', 'none', 'every'), of: tie('filters') });
  const counted = fc.record({
    is: fc.constant('count' as const),
    tests: fc.tuple(fc.record({ op: fc.constantFrom('eq', 'ne'), slot: SMALL })),
    where: fc.option(tie('filters')),
  });
  const withZero = counted.map((one) => ({ ...one, zeroPasses: one.tests[0].op === 'ne', asksForAny: false }));
  const size = { maxDepth: 5, depthSize: 'medium' } as const;
  return {
    filters: fc.oneof(size, ...anywhere('filters')) as fc.Arbitrary<FilterNode>,
    underRelation: fc.oneof(size, ...anywhere('underRelation'), quantified) as fc.Arbitrary<FilterNode>,
    onMany: fc.oneof(size, ...anywhere('onMany'), quantified, withZero) as fc.Arbitrary<FilterNode>,
  };
});
const rowsAt = (depth: number): fc.Arbitrary<Row> =>
  fc.record({
    id: SMALL,
    number: fc.option(SMALL),
    next: depth === 0 ? fc.constant([]) : fc.array(rowsAt(depth - 1), { maxLength: 1 }),
    many: depth === 0 ? fc.constant([]) : fc.array(rowsAt(depth - 1), { maxLength: 2 }),
  });

describe('a planned filter', () => {
  it('is met by the rows of which some choice of related rows makes the filter true', () => {
    fc.assert(
      fc.property(filters, rowsAt(3), (filter, row) => {
        // A bare test at the root is one of the row's id.
        expect(meets(planned(filter), row)).toBe(truths(filter, row, 'id').has('true'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('has every double negation and every group of one as the plain filter has it', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        expect(planned({ is: 'not', of: { is: 'not', of: filter } })).toEqual(planned(filter));
      }),
    );
  });
});

describe('a relation in a filter', () => {
  const step = expect.objectContaining({ table: 'nodes' });

  it.each([
    [
      'is there, for a test that its id is not null',
      { next: { $notNull: true } },
      { is: 'related', step, where: null, orNone: false },
    ],
    ['is not there, for a test that its id is null', { next: { id: { $null: true } } }, { is: 'unrelated', step }],
    [
      'may be missing, where what is asked is true of nothing',
      { next: { number: { $null: true } } },
      { is: 'related', step, where: expect.objectContaining({ is: 'null' }), orNone: true },
    ],
    [
      'must be there for a comparison, negated or not',
      { next: { number: { $ne: 1 } } },
      { is: 'related', step, where: expect.objectContaining({ negated: true }), orNone: false },
    ],
    [
      'is never met by what no row can be',
      { next: { $and: [{ id: { $null: true } }, { id: { $notNull: true } }] } },
      { is: 'never' },
    ],
    [
      'loses tests that a row decides by being there',
      { next: { id: { $notNull: true }, number: 1 } },
      { is: 'related', step, where: expect.objectContaining({ is: 'compare' }), orNone: false },
    ],
  ])('%s', (_name, given, condition) => {
    expect(conditionOf(given)).toEqual(condition);
  });

  it('leads only to rows that the request may see', () => {
    expect(conditionOf({ page: { title: 'x' } })).toMatchObject({
      step: { where: { is: 'notNull', column: { column: 'published_at' } } },
    });
  });
});

describe('a value in a filter', () => {
  it('is named by its slot, with the type it is read as and the place for messages', () => {
    expect(conditionOf({ many: { next: { number: { $notIn: [1, 2] } } } })).toMatchObject({
      where: {
        where: {
          op: 'in',
          negated: true,
          value: {
            slot: 0,
            given: null,
            type: 'integer',
            key: 'number',
            path: ['many', 'next', 'number'],
            param: 'filters',
          },
        },
      },
    });
  });
});

describe('a filter is refused', () => {
  const refused = (given: object) => sentRefusal(() => conditionOf(given));

  it.each(['$lt', '$lte', '$gt', '$gte', '$between'])('for JSON compared by %s', (operator) => {
    const given = { next: { free: { [operator]: operator === '$between' ? [1, 2] : 'x' } } };
    expect(refused(given)).toMatchObject({
      status: 400,
      message: expect.stringContaining(`Invalid operator ${operator} at next.free`),
      details: { key: operator, path: 'next.free', param: 'filters' },
    });
  });

  it('for a name below a column', () => {
    expect(refused({ number: { next: 1 } })).toMatchObject({
      message: 'Invalid key next at number',
      details: { key: 'next', path: 'number', param: 'filters' },
    });
  });
});

describe('a rule on rows', () => {
  const rule = { page: { secret: '$user.username' } };
  const access = accessOf(model, {
    grants: ['api::node.node.find'],
    rules: { 'api::node.node': { rows: { find: rule } }, 'api::page.page': { rows: { find: { title: 'shown' } } } },
  });

  it('may look at private attributes and at types that its reader may not find', () => {
    expect(visibleRows(contextFor(access), NODE)).toMatchObject({
      is: 'related',
      where: { value: { given: { user: 'username' } } },
    });
    expect(
      sentRefusal(() => planFilter(contextFor(access), NODE, filterOf(rule), { param: 'filters', path: [] })),
    ).toMatchObject({ message: 'Invalid key page' });
  });

  it('is not narrowed by the rules on what it looks at, but by its status', () => {
    const condition = ruleCondition(contextFor(access), NODE, 'find') as Condition & { is: 'related' };
    expect(condition.step.where).toEqual({ is: 'notNull', column: { column: 'published_at', type: 'datetime' } });
  });

  it('holds beside the status of the rows', () => {
    expect(visibleRows(contextFor(access), PAGE)).toMatchObject({
      is: 'and',
      of: [{ is: 'notNull' }, { is: 'compare', value: { given: { constant: 'shown' } } }],
    });
  });
});

describe('drafts that are kept from the caller', () => {
  const access = accessOf(model, { rules: { 'api::page.page': { drafts: false } } });
  const drafts = (): PlanContext => new PlanContext(model, { status: 'draft', publication: null }, access);

  it('are nowhere, except in the answer to a write', () => {
    expect(visibleRows(drafts(), PAGE)).toEqual({
      is: 'and',
      of: [expect.objectContaining({ is: 'null' }), { is: 'never' }],
    });
    expect(writtenRows(drafts(), PAGE)).toMatchObject({ is: 'null' });
  });

  it('leave published rows and types without drafts alone', () => {
    expect(visibleRows(contextFor(access), PAGE)).toMatchObject({ is: 'notNull' });
    expect(visibleRows(drafts(), NODE)).toBeNull();
  });
});
