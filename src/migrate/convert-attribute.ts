// Converts the values of an attribute to another type, one by one. What cannot be converted is left out, and kept aside.

import type { Session } from '../db/database.ts';
import { COLUMN_TYPES, tablesOf } from '../model/tables.ts';
import type { Model, ScalarAttribute, Schema } from '../model/types.ts';
import type { Dialect } from '../sql/dialect.ts';
import { addPlainColumn, copyColumn, dropColumn, renameColumn, valuesAfter } from '../sql/migration-statements.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import type { UndoAction } from './aside.ts';
import { schemaOf } from './change.ts';
import { aroundIndexes } from './column-indexes.ts';
import { convertValue, isLossless } from './convert-value.ts';
import { BATCH, run, type Step } from './step.ts';

/** The attribute before and after. */
export interface Conversion {
  readonly schema: Schema;
  readonly from: ScalarAttribute;
  readonly to: ScalarAttribute;
}

export function conversionOf(before: Model, after: Model, uid: string, name: string): Conversion {
  const schema = schemaOf(after, uid)!;
  return { schema, from: scalarOf(schemaOf(before, uid)!, name), to: scalarOf(schema, name) };
}

function scalarOf({ uid, attributes }: Schema, name: string): ScalarAttribute {
  const attribute = attributes.get(name);
  if (attribute?.kind !== 'scalar') throw new Error(`${uid}.${name} has no values to convert`);
  return attribute;
}

export const losesNothing = ({ from, to }: Conversion): boolean => isLossless(from, to);

export interface ConversionReport {
  readonly values: number;
  /** Rows whose values cannot be converted, and why. */
  readonly failures: readonly { readonly id: number; readonly reason: string }[];
}

/** Every value with what becomes of it, a batch at a time. */
async function* conversions(session: Session, dialect: Dialect, { schema, from, to }: Conversion) {
  const read = valuesAfter(dialect, schema.table, from.column, from.type);
  let last = 0;
  while (true) {
    const rows = await session.rows(read, [last, BATCH]);
    if (rows.length === 0) return;
    yield rows.map(([id, stored]) => ({ id, stored, result: convertValue(from, to, stored) }));
    last = rows.at(-1)![0];
  }
}

export async function tryConversion(
  session: Session,
  dialect: Dialect,
  conversion: Conversion,
): Promise<ConversionReport> {
  let values = 0;
  const failures: { id: number; reason: string }[] = [];
  for await (const batch of conversions(session, dialect, conversion)) {
    values += batch.length;
    for (const { id, result } of batch) if ('problem' in result) failures.push({ id, reason: result.problem });
  }
  return { values, failures };
}

/** A column while it is filled. */
const CONVERTING = 'sheaf_converting';

export async function convertAttribute(step: Step, uid: string, name: string): Promise<UndoAction[]> {
  const conversion = conversionOf(step.before, step.after, uid, name);
  const { schema, from, to } = conversion;
  const { table } = schema;
  const indexes = [step.before, step.after].flatMap((model) => indexesOn(model, table, from.column));
  const kept = { table, column: from.column, type: COLUMN_TYPES[from.type], indexes };
  return [await step.aside.column(kept, () => replaceColumn(step, conversion, indexes, to.column))];
}

const indexesOn = (model: Model, table: string, column: string): string[] =>
  tablesOf(model)
    .filter(({ name }) => name === table)
    .flatMap(({ indexes }) => indexes.filter(({ columns }) => columns.includes(column)).map(({ name }) => name));

async function replaceColumn(
  step: Step,
  conversion: Conversion,
  indexes: readonly string[],
  column: string,
): Promise<void> {
  const { dialect } = step;
  const { schema, from, to } = conversion;
  const { table } = schema;
  if (COLUMN_TYPES[from.type] === COLUMN_TYPES[to.type]) {
    // Rules that are new with the type hold for what is written from now on.
    if (!losesNothing(conversion)) await fill(step, conversion, column, 'failures');
    return;
  }
  await aroundIndexes(step.session, dialect, { table, column, indexes }, async () => {
    await run(step, addPlainColumn(dialect, table, CONVERTING, COLUMN_TYPES[to.type]));
    if (losesNothing(conversion)) await run(step, copyColumn(dialect, table, from.column, CONVERTING));
    else await fill(step, conversion, CONVERTING, 'all');
    await run(step, dropColumn(dialect, table, from.column));
    await run(step, renameColumn(dialect, table, CONVERTING, column));
  });
}

/** Writes what values become; where the column stays, only those that cannot be kept. */
async function fill(step: Step, conversion: Conversion, column: string, which: 'all' | 'failures'): Promise<void> {
  const update = new WriteStatements(step.dialect).updateRow(conversion.schema.table, [
    { column, type: conversion.to.type },
  ]);
  let done = 0;
  for await (const batch of conversions(step.session, step.dialect, conversion)) {
    for (const { id, result } of batch) {
      const value = 'problem' in result ? null : result.value;
      if (which === 'all' || 'problem' in result) await run(step, update, value, id);
    }
    done += batch.length;
    step.progress(done, done);
  }
}
