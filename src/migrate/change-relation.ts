// Keeps the links of a relation that becomes another: those that the new kind can hold, in their order. The rest, and
// the tables that are no longer used, are set aside.

import type { Session } from '../db/database.ts';
import { PUBLISHED_LISTS, type TableDefinition, tablesOf } from '../model/tables.ts';
import type { Model, RelationAttribute, Schema } from '../model/types.ts';
import { addColumn, createIndex } from '../sql/ddl.ts';
import type { Dialect } from '../sql/dialect.ts';
import { countKept, insertKept, type LinkMove, linksNotKept, setKeysKept } from '../sql/kept-link-statements.ts';
import { listName } from '../sql/link-names.ts';
import { countHeld, countRows } from '../sql/migration-statements.ts';
import { forgetLists } from '../sql/moved-link-statements.ts';
import type { UndoAction } from './aside.ts';
import { relationBefore, schemaOf } from './change.ts';
import { endOf } from './link-ends.ts';
import { run, type Step } from './step.ts';

interface RelationChange {
  readonly schema: Schema;
  readonly old: RelationAttribute;
  readonly attribute: RelationAttribute;
  readonly move: LinkMove;
}

/** A relation before and after, from the side that keeps it now. */
export function relationChangeOf(before: Model, after: Model, uid: string, name: string): RelationChange {
  const schema = schemaOf(after, uid)!;
  const attribute = schema.attributes.get(name);
  if (attribute?.kind !== 'relation') throw new Error(`${uid}.${name} is no relation`);
  const old = relationBefore(before, uid, attribute)!;
  const target = after.contentTypes.get(attribute.target);
  return {
    schema,
    old,
    attribute,
    move: {
      from: endOf(old.link),
      to: endOf(attribute.link),
      isSingle: !attribute.many,
      isExclusive: attribute.exclusive && schema.kind !== 'component',
      holders: schema.kind === 'component' ? null : schema.table,
      targets: target?.draftAndPublish ? target.table : null,
    },
  };
}

export interface RelationReport {
  readonly links: number;
  readonly kept: number;
  /** Some of the links that are not kept: from which row, to which. */
  readonly lost: readonly (readonly [own: number, other: number])[];
}

export async function reportRelation(
  session: Session,
  dialect: Dialect,
  { old, attribute, move }: RelationChange,
  shown: number,
): Promise<RelationReport> {
  const [all] = await session.rows(
    old.storage === 'column'
      ? countHeld(dialect, move.from.table, heldColumn(old))
      : countRows(dialect, move.from.table),
    [],
  );
  if (old.target !== attribute.target) return { links: all![0], kept: 0, lost: [] };
  const [kept] = await session.rows(countKept(dialect, move), []);
  const lost = kept![0] < all![0] ? await session.rows(linksNotKept(dialect, move), [shown]) : [];
  return { links: all![0], kept: kept![0], lost };
}

/** The column that is filled where a row has a link. */
const heldColumn = ({ owning, link }: RelationAttribute): string => (owning ? link.to : link.from);

export async function changeRelation(step: Step, uid: string, name: string): Promise<UndoAction[]> {
  const change = relationChangeOf(step.before, step.after, uid, name);
  const { old, attribute, move } = change;
  const { dialect, aside } = step;
  const actions: UndoAction[] = [];
  const lists = [old.link, attribute.link].flatMap((link) => [
    listName(link),
    listName({ ...link, from: link.to, to: link.from }),
  ]);
  let from = move.from;
  if (old.storage === 'linkTable') {
    const dropped = await aside.drop(tableNamed(step.before, old.link.table));
    actions.push(dropped);
    from = { ...from, table: dropped.before };
  }
  const kept = { ...move, from };
  const fill = async (statement: typeof insertKept) => {
    if (old.target === attribute.target) await run(step, statement(dialect, kept));
  };
  if (attribute.storage === 'linkTable')
    actions.push(await aside.create(tableNamed(step.after, attribute.link.table), () => fill(insertKept)));
  else {
    const table = tableNamed(step.after, attribute.link.table);
    await addKey(step, table, attribute.link.to);
    actions.push(...(await aside.around([table.name], () => fill(setKeysKept))));
  }
  const forgotten = aside.around([PUBLISHED_LISTS], async () => {
    await run(step, forgetLists(dialect, PUBLISHED_LISTS), JSON.stringify(lists));
    await recordAgain(step, change);
  });
  return [...actions, ...(await forgotten)];
}

const tableNamed = (model: Model, name: string): TableDefinition => tablesOf(model).find((one) => one.name === name)!;

async function addKey({ session, dialect, aside }: Step, table: TableDefinition, column: string): Promise<void> {
  if (aside.columnsOf(table.name).includes(column)) return;
  await session.rows(addColumn(dialect, table, table.columns.find(({ name }) => name === column)!), []);
  for (const index of table.indexes)
    if (index.columns.includes(column)) await session.rows(createIndex(dialect, table.name, index), []);
}

/** What is published now was published with the links it has. */
async function recordAgain(step: Step, { schema, attribute }: RelationChange): Promise<void> {
  const other = step.after.contentTypes.get(attribute.target)!;
  if (attribute.storage !== 'linkTable' || schema.kind === 'component') return;
  if (!schema.draftAndPublish || !other.draftAndPublish) return;
  const { publications } = step.write(step.after);
  const { link } = attribute;
  await run(step, publications.adoptLists(link, schema.table, other.table), listName(link));
  if (attribute.inverse === null) return;
  const back = { ...link, from: link.to, to: link.from, order: link.inverseOrder, inverseOrder: link.order };
  await run(step, publications.adoptLists(back, other.table, schema.table), listName(back));
}
