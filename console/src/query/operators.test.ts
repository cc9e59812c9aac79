import { describe, expect, it } from 'vitest';
import type { ConsoleAttribute } from '../../../src/console/contract.ts';
import { newCondition, relationChoices, relationConditionOf, withRelationChoice } from './conditions.ts';
import { OPERATORS, step, test } from './draft.ts';
import { arityOf, operatorsFor } from './operators.ts';

const attribute = (type: string, more: Partial<ConsoleAttribute> = {}): ConsoleAttribute => ({
  name: 'it',
  type,
  required: false,
  unique: false,
  private: false,
  localized: false,
  writable: true,
  hasIndex: false,
  ...more,
});

describe('Operators', () => {
  const opsOf = (type: string): string[] => operatorsFor(attribute(type), { throughMany: true }).map(({ op }) => op);

  it('are all offered somewhere, each in words', () => {
    const types = ['string', 'integer', 'boolean', 'datetime', 'time', 'enumeration', 'json', 'relation'];
    expect([...new Set(types.flatMap(opsOf))].sort()).toEqual([...OPERATORS].sort());
    expect(operatorsFor(attribute('date')).find(({ op }) => op === '$lt')!.label).toBe('is before');
  });

  it('fit the type: text is not asked of numbers, nor order of JSON; what stands there already is kept', () => {
    expect(opsOf('integer')).not.toContain('$contains');
    expect(opsOf('json')).not.toContain('$gt');
    expect(opsOf('boolean')).toEqual(['$eq', '$ne', '$null', '$notNull']);
    expect(operatorsFor(attribute('boolean'), { current: '$gt' }).map(({ op }) => op)).toContain('$gt');
    expect(OPERATORS.filter((op) => arityOf(op) === 'many')).toEqual(['$in', '$notIn', '$all']);
  });
});

describe('A condition on a relation', () => {
  const chefs = attribute('relation', {
    name: 'chefs',
    relation: { kind: 'oneToMany', target: 'api::chef.chef', toMany: true, inverse: null },
  });
  const type = { uid: 'api::x.x', displayName: 'X', description: null, attributes: [chefs], mainField: 'id' };
  const chef = { ...type, uid: 'api::chef.chef', attributes: [], kind: 'collectionType' };
  const model = { title: '', prefix: '/api', locales: [], components: [type], types: [chef] } as never;
  const view = { model, schema: type };

  it('becomes each of its kinds, and is recognised as that', () => {
    const begun = newCondition(['chefs'], chefs);
    expect(begun).toEqual(test([step('chefs'), step('documentId')], '$eq', []));
    const filled = { ...begun, values: ['a', 'b'] };
    for (const { value: choice } of relationChoices(chefs)) {
      const changed = withRelationChoice(filled, relationConditionOf(filled, view)!, choice);
      expect(relationConditionOf(changed, view)?.choice).toBe(choice);
    }
  });
});
