// Which operators fit an attribute, in words, and what kind of values they take.
import type { ConsoleAttribute } from '../../../src/console/contract.ts';
import type { CountOperator, Operator, SetWord } from './draft.ts';
import { isToMany, leadsOn } from './schema-view.ts';

export interface OperatorChoice<O extends string = Operator> {
  readonly op: O;
  /** As it is chosen. */
  readonly label: string;
}

/** How many values an operator takes. `flag`: none, it says all by itself. */
export type Arity = 'one' | 'two' | 'many' | 'flag';

export function arityOf(op: Operator): Arity {
  if (op === '$null' || op === '$notNull') return 'flag';
  if (op === '$between') return 'two';
  return op === '$in' || op === '$notIn' || op === '$all' ? 'many' : 'one';
}

const LABELS: Readonly<Record<Operator, string>> = {
  $eq: 'is',
  $ne: 'is not',
  $eqi: 'is, ignoring case',
  $nei: 'is not, ignoring case',
  $lt: 'is less than',
  $lte: 'is at most',
  $gt: 'is more than',
  $gte: 'is at least',
  $in: 'is one of',
  $notIn: 'is none of',
  $between: 'is between',
  $contains: 'contains',
  $notContains: 'does not contain',
  $containsi: 'contains, ignoring case',
  $notContainsi: 'does not contain, ignoring case',
  $startsWith: 'starts with',
  $startsWithi: 'starts with, ignoring case',
  $endsWith: 'ends with',
  $endsWithi: 'ends with, ignoring case',
  $has: 'has in its list',
  $all: 'has all of',
  $null: 'is empty',
  $notNull: 'is not empty',
};

const DATE_LABELS: Partial<Record<Operator, string>> = {
  $lt: 'is before',
  $lte: 'is at the latest',
  $gt: 'is after',
  $gte: 'is at the earliest',
};

const EXACT: readonly Operator[] = ['$eq', '$ne', '$in', '$notIn'];
const ORDER: readonly Operator[] = ['$lt', '$lte', '$gt', '$gte', '$between'];
const TEXT: readonly Operator[] = [
  '$contains',
  '$containsi',
  '$notContains',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
  '$eqi',
  '$nei',
];
const EMPTY: readonly Operator[] = ['$null', '$notNull'];

export type ValueKind = 'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'time' | 'enumeration' | 'json' | 'entry';

export function valueKindOf({ type }: ConsoleAttribute): ValueKind {
  switch (type) {
    case 'integer':
    case 'biginteger':
    case 'float':
    case 'decimal':
      return 'number';
    case 'boolean':
    case 'date':
    case 'time':
    case 'enumeration':
      return type;
    case 'datetime':
    case 'timestamp':
      return 'datetime';
    case 'json':
    case 'blocks':
      return 'json';
    case 'relation':
    case 'component':
      return 'entry';
    default:
      return 'text';
  }
}

const BY_KIND: Readonly<Record<ValueKind, readonly Operator[]>> = {
  text: [...EXACT, ...TEXT, ...ORDER, ...EMPTY],
  number: [...EXACT, ...ORDER, ...EMPTY],
  boolean: ['$eq', '$ne', ...EMPTY],
  date: [...EXACT, ...ORDER, ...EMPTY],
  datetime: [...EXACT, ...ORDER, ...EMPTY],
  time: [...EXACT, ...ORDER, ...EMPTY],
  enumeration: [...EXACT, ...TEXT, ...EMPTY],
  json: ['$has', '$eq', '$ne', ...TEXT.filter((op) => !op.endsWith('qi') && op !== '$nei'), ...EMPTY],
  entry: ['$null', '$notNull'],
};

/** Of a value inside of JSON, which may be anything. */
const IN_JSON: readonly Operator[] = [...EXACT, ...ORDER, ...TEXT, '$has', ...EMPTY];

export const labelOf = (op: Operator, kind: ValueKind): string =>
  (kind === 'date' || kind === 'datetime' || kind === 'time' ? DATE_LABELS[op] : undefined) ?? LABELS[op];

/**
 * Operators that fit an attribute; through a relation to many also "has all of". `current` is among them, however little
 * it fits.
 */
export function operatorsFor(
  attribute: ConsoleAttribute | undefined,
  { inJson = false, throughMany = false, current }: OperatorContext = {},
): readonly OperatorChoice[] {
  const kind = attribute ? valueKindOf(attribute) : 'text';
  const fitting = inJson ? IN_JSON : BY_KIND[kind];
  const hasAll = throughMany && !inJson && (kind === 'text' || kind === 'number' || kind === 'enumeration');
  const ops = [...fitting, ...(hasAll ? (['$all'] as const) : [])];
  const all = current && !ops.includes(current) ? [...ops, current] : ops;
  return all.map((op) => ({ op, label: labelOf(op, inJson ? 'json' : kind) }));
}

interface OperatorContext {
  readonly inJson?: boolean;
  readonly throughMany?: boolean;
  readonly current?: Operator;
}

export const COUNT_CHOICES: readonly OperatorChoice<CountOperator>[] = [
  { op: '$eq', label: 'is' },
  { op: '$ne', label: 'is not' },
  { op: '$gte', label: 'is at least' },
  { op: '$lte', label: 'is at most' },
  { op: '$gt', label: 'is more than' },
  { op: '$lt', label: 'is less than' },
  { op: '$between', label: 'is between' },
  { op: '$in', label: 'is one of' },
  { op: '$notIn', label: 'is none of' },
];

export const SET_CHOICES: readonly { readonly value: SetWord | ''; readonly label: string }[] = [
  { value: '', label: 'any' },
  { value: 'some', label: 'some' },
  { value: 'none', label: 'none' },
  { value: 'every', label: 'every' },
];

/** Whether some/none/every can be said of what it leads to. */
export const takesSet = (attribute: ConsoleAttribute): boolean => leadsOn(attribute) && isToMany(attribute);
