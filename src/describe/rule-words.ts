// The rules that access/*.json has for a role and a type, in words.
import type { FieldUse, RowRule, RowUse, RuleValue } from '../access/access.ts';
import type { TypeRules } from '../access/rules.ts';
import type { Comparison, FilterNode } from '../request/read-request.ts';

const ROWS: readonly (readonly [use: RowUse, text: string])[] = [
  ['find', 'Finds only entries where'],
  ['update', 'Changes only entries where'],
  ['delete', 'Deletes only entries where'],
];

const FIELDS: readonly (readonly [use: FieldUse, some: string, none: string])[] = [
  ['read', 'Reads only', 'Reads no attribute'],
  ['filter', 'Filters only by', 'Filters by no attribute'],
  ['sort', 'Sorts only by', 'Sorts by no attribute'],
  ['write', 'Writes only', 'Writes no attribute'],
];

/** A sentence for each rule. */
export function rulesInWords({ rows, fields, drafts }: TypeRules): string[] {
  const ofRows = ROWS.flatMap(([use, text]) => {
    const rule = rows[use];
    return rule ? [`${text} ${new RuleWords(rule).text}.`] : [];
  });
  const ofFields = FIELDS.flatMap(([use, some, none]) => {
    const names = fields[use];
    if (!names) return [];
    return [names.size > 0 ? `${some} ${[...names].join(', ')}.` : `${none}.`];
  });
  const ofDrafts = drafts === null ? [] : [drafts ? 'Reads drafts.' : 'Reads no drafts.'];
  return [...ofRows, ...ofFields, ...ofDrafts];
}

const COMPARISONS: Readonly<Record<Comparison, string>> = {
  eq: 'is',
  ne: 'is not',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is greater than',
  gte: 'is at least',
  in: 'is one of',
  notIn: 'is none of',
  between: 'is between',
  eqi: 'is, in any case,',
  nei: 'is not, in any case,',
  contains: 'contains',
  notContains: 'does not contain',
  containsi: 'contains, in any case,',
  notContainsi: 'does not contain, in any case,',
  startsWith: 'starts with',
  startsWithi: 'starts, in any case, with',
  endsWith: 'ends with',
  endsWithi: 'ends, in any case, with',
  has: 'has',
};

class RuleWords {
  readonly #values: readonly RuleValue[];
  readonly text: string;

  constructor({ filter, values }: RowRule) {
    this.#values = values;
    this.text = this.#words(filter, []);
  }

  #words(node: FilterNode, path: readonly string[]): string {
    const name = path.join('.');
    switch (node.is) {
      case 'and':
      case 'or':
        return node.of.map((one) => bracketed(one, this.#words(one, path))).join(` ${node.is} `);
      case 'not':
        return `not (${this.#words(node.of, path)})`;
      case 'at':
        return this.#words(node.of, [...path, node.name]);
      case 'compare':
        return `${name} ${COMPARISONS[node.op]} ${this.#value(node.slot)}`;
      case 'null':
        return `${name} is not set`;
      case 'notNull':
        return `${name} is set`;
      case 'some':
      case 'none':
      case 'every':
        return `${node.is} of ${name} has (${this.#words(node.of, [])})`;
      case 'all':
        return `${name} has all of ${node.slots.map((slot) => this.#value(slot)).join(', ')}`;
      case 'count': {
        const tests = node.tests.map(({ op, slot }) => `${COMPARISONS[op]} ${this.#value(slot)}`).join(' and ');
        const where = node.where ? ` with (${this.#words(node.where, [])})` : '';
        return `the number of ${name}${where} ${tests}`;
      }
      case 'path':
        return this.#words(node.of, [...path, ...this.#keys(node.slot)]);
    }
  }

  #value(slot: number): string {
    const value = this.#values[slot]!;
    return 'user' in value ? `the user's ${value.user}` : shownConstant(value.constant);
  }

  /** Keys that lead into JSON. */
  #keys(slot: number): readonly string[] {
    const value = this.#values[slot]!;
    return 'constant' in value ? [value.constant].flat().map(String) : [];
  }
}

const shownConstant = (value: unknown): string =>
  Array.isArray(value) ? value.map(shownConstant).join(', ') : JSON.stringify(value);

const bracketed = ({ is }: FilterNode, words: string): string => (is === 'and' || is === 'or' ? `(${words})` : words);
