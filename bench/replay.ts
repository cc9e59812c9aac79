// Recorded operations in a form that can be sent again, in any order and by several clients at a time. An operation
// that creates rows gets other ids each time, so a value that was an id returned by one of its own statements refers to
// that statement's result.
import { readFileSync, writeFileSync } from 'node:fs';
import type { BoundValue } from '../src/sql/statement.ts';
import type { Operation, Sent } from './recording.ts';

/** Rows that are there before the measurement have smaller ids; each table begins its new rows at a multiple of this. */
export const NEW_IDS = 1_000_000;

interface Reference {
  readonly statement: number;
  readonly row: number;
  readonly column: number;
  /** What it was when it was recorded; used where the result has no such row. */
  readonly recorded: number;
}

export type ReplayValue = BoundValue | { readonly id: Reference } | { readonly text: readonly (string | Reference)[] };

export interface ReplayStatement {
  readonly sql: string;
  readonly values: readonly ReplayValue[];
}

export interface ReplayOperation {
  /** Sent in one transaction. */
  readonly written: readonly ReplayStatement[];
  /** Sent after it. */
  readonly read: readonly ReplayStatement[];
}

type Rows = readonly (readonly unknown[])[];

export function toReplay({ written, read }: Operation): ReplayOperation {
  const known = new Map<number, Reference>();
  let count = 0;
  const convert = ({ sql, values, returned }: Sent): ReplayStatement => {
    const replayed = values.map((value) => withReferences(value, known));
    const statement = count++;
    for (const [row, cells] of returned.entries())
      for (const [column, cell] of cells.entries())
        if (typeof cell === 'number' && cell >= NEW_IDS && !known.has(cell))
          known.set(cell, { statement, row, column, recorded: cell });
    return { sql, values: replayed };
  };
  return { written: written.map(convert), read: read.map(convert) };
}

function withReferences(value: BoundValue, known: ReadonlyMap<number, Reference>): ReplayValue {
  if (typeof value === 'number') {
    const id = known.get(value);
    return id ? { id } : value;
  }
  if (typeof value !== 'string') return value;
  // Lists are bound as JSON.
  const parts = value
    .split(/(\d{7,})/)
    .map((part, index) => (index % 2 === 1 ? known.get(Number(part)) : null) ?? part);
  return parts.some((part) => typeof part === 'object') ? { text: parts } : value;
}

/** The value to send now, after the earlier statements of the operation returned `results`. */
export function valueNow(value: ReplayValue, results: readonly Rows[]): BoundValue {
  if (value === null || typeof value !== 'object') return value;
  const now = ({ statement, row, column, recorded }: Reference): number =>
    Number(results[statement]?.[row]?.[column] ?? recorded);
  if ('id' in value) return now(value.id);
  return value.text.map((part) => (typeof part === 'string' ? part : now(part))).join('');
}

/** One line for the texts, which are the same for many operations, then one for each operation. */
export function saveOperations(file: string, operations: readonly ReplayOperation[]): void {
  const texts = new Map<string, number>();
  const numberOf = (sql: string): number => {
    if (!texts.has(sql)) texts.set(sql, texts.size);
    return texts.get(sql)!;
  };
  const numbered = (statements: readonly ReplayStatement[]) =>
    statements.map(({ sql, values }) => [numberOf(sql), values]);
  const lines = operations.map(({ written, read }) => JSON.stringify([numbered(written), numbered(read)]));
  writeFileSync(file, [JSON.stringify([...texts.keys()]), ...lines].join('\n'));
}

type Numbered = readonly (readonly [text: number, values: readonly ReplayValue[]])[];

export function loadOperations(file: string): ReplayOperation[] {
  const [first, ...lines] = readFileSync(file, 'utf8').split('\n');
  const texts = JSON.parse(first!) as string[];
  const named = (statements: Numbered): ReplayStatement[] =>
    statements.map(([text, values]) => ({ sql: texts[text]!, values }));
  return lines.map((line) => {
    const [written, read] = JSON.parse(line) as [Numbered, Numbered];
    return { written: named(written), read: named(read) };
  });
}
