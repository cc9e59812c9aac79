// Decides what a change does to one entity, be it a row of a content-type or of a component: its columns, its
// components, its relations. A function of the change and of what was read; nothing is written here.
import { editorIdOf } from '../access/caller.ts';
import { SheafError } from '../errors.ts';
import { idColumnName } from '../model/identifiers.ts';
import type { Schema } from '../model/types.ts';
import {
  type ComponentChange,
  type ComponentItem,
  type EntityChange,
  NO_DATES,
  type RowDates,
} from '../plan/write/changes.ts';
import { type BodyPath, bodyValueError } from '../request/parse-relation.ts';
import { type EntityWrite, type FieldWrite, isOtherSide, NEW_ROW, type RelationWrite } from './entity-writes.ts';
import type { StoredEntities, StoredField } from './gathered.ts';
import { decideRelation, type RelationContext } from './relations.ts';
import type { Version, WriteSession } from './write-session.ts';

/** What decisions depend on besides the change. */
export interface WriteFacts extends RelationContext {
  readonly stored: StoredEntities;
}

const DOCUMENT_COLUMNS = [
  { column: 'document_id', type: 'string' },
  { column: 'locale', type: 'string' },
  { column: 'created_at', type: 'datetime' },
  { column: 'updated_at', type: 'datetime' },
  { column: 'published_at', type: 'datetime' },
] as const;
const UPDATED_AT = [{ column: 'updated_at', type: 'datetime' }] as const;
const CREATED_AT = { column: 'created_at', type: 'datetime' } as const;
const PUBLISHED_AT = { column: 'published_at', type: 'datetime' } as const;
const CREATED_BY = { column: idColumnName('createdBy'), type: 'integer' } as const;
const UPDATED_BY = { column: idColumnName('updatedBy'), type: 'integer' } as const;

/** Columns of a row of a version, with their values. */
type OwnColumns = Pick<EntityWrite, 'columns' | 'values'>;

/** What a new row says of its version: which one it is, since when, and by whom, if it is by an account of the console. */
export function newRow(
  { now, caller }: Pick<WriteSession, 'now' | 'caller'>,
  { documentId, locale, published }: Pick<Version, 'documentId' | 'locale' | 'published'>,
  { createdAt = now, updatedAt = now, publishedAt = now }: RowDates = {},
): OwnColumns {
  const values = [documentId, locale, createdAt, updatedAt, published ? publishedAt : null];
  const editor = editorIdOf(caller);
  if (editor === null) return { columns: DOCUMENT_COLUMNS, values };
  return { columns: [...DOCUMENT_COLUMNS, CREATED_BY, UPDATED_BY], values: [...values, editor, editor] };
}

/** What a row says of its last change. */
export function changedRow({ now, caller }: Pick<WriteSession, 'now' | 'caller'>): OwnColumns {
  const editor = editorIdOf(caller);
  if (editor === null) return { columns: UPDATED_AT, values: [now] };
  return { columns: [...UPDATED_AT, UPDATED_BY], values: [now, editor] };
}

/** The same where code says when the row was made and published. */
function datedRow(write: Pick<WriteSession, 'now' | 'caller'>, { createdAt, publishedAt }: RowDates): OwnColumns {
  const own = changedRow(write);
  const given = [
    { column: CREATED_AT, value: createdAt },
    { column: PUBLISHED_AT, value: publishedAt },
  ].filter(({ value }) => value !== undefined);
  return {
    columns: [...own.columns, ...given.map(({ column }) => column)],
    values: [...own.values, ...given.map(({ value }) => value!)],
  };
}

/** What becomes of the row of a version. A new one says which version it is; one that is changed, when. */
export function decideVersion(
  facts: WriteFacts,
  { self, isNew, dates }: { readonly self: Version; readonly isNew: boolean; readonly dates: RowDates },
  change: EntityChange,
): EntityWrite {
  const { write } = facts;
  const own = isNew ? newRow(write, self, dates) : dates === NO_DATES ? changedRow(write) : datedRow(write, dates);
  const entity = decideEntity(facts, facts.type, change);
  return {
    ...entity,
    row: isNew ? null : self.id,
    columns: [...own.columns, ...entity.columns],
    values: [...own.values, ...entity.values],
  };
}

function decideEntity(facts: WriteFacts, schema: Schema, change: EntityChange): EntityWrite {
  const stored = facts.stored.get(change);
  const fields = change.components.map((component) => decideField(facts, component, stored?.fields.get(component)));
  const relations = change.relations.map((relation) => decideRelation(facts, { schema, stored }, relation));
  refuseContradiction(change, relations, stored?.row ?? NEW_ROW);
  return {
    schema,
    row: stored?.row ?? null,
    columns: change.scalars.map(({ attribute }) => ({ column: attribute.column, type: attribute.type })),
    values: change.scalars.map(({ value }) => value),
    fields,
    relations,
  };
}

/** Where an entry is in one of its own lists, it is in the list of the other side as well. */
function refuseContradiction(
  { relations: changes }: EntityChange,
  writes: readonly RelationWrite[],
  row: number,
): void {
  for (const [index, second] of writes.entries()) {
    if (second.write !== 'list') continue;
    const first = writes.slice(0, index).findIndex((before) => isOtherSide(before, second));
    if (first < 0 || writes[first]!.desired.includes(row) === second.desired.includes(row)) continue;
    const { path } = changes[index]!;
    throw bodyValueError(path, `the entry itself, as in ${changes[first]!.path.join('.')}, or in neither`);
  }
}

/**
 * An item with the id of a row that is in the list is changed in place; the others are made anew, and what the list
 * no longer names is deleted.
 */
function decideField(
  facts: WriteFacts,
  { attribute, items }: ComponentChange,
  stored: StoredField | undefined,
): FieldWrite {
  refuseForeignItems(items, stored);
  return {
    attribute,
    current: stored?.current ?? [],
    items: items.map(({ uid, entity }) => ({
      uid,
      entity: decideEntity(facts, facts.write.model.components.get(uid)!, entity),
    })),
  };
}

/** An item with an id must name a row of the list, and no two items the same one. */
function refuseForeignItems(items: readonly ComponentItem[], stored: StoredField | undefined): void {
  const taken = new Set<string>();
  for (const item of items) {
    if (item.id === null) continue;
    const row = stored?.named.get(item) ?? null;
    const key = `${item.uid} ${row}`;
    if (row === null || taken.has(key)) throw foreignItem(item.path);
    taken.add(key);
  }
}

const foreignItem = (path: BodyPath): SheafError =>
  new SheafError(
    400,
    'ApplicationError',
    `Some of the provided components in ${path[0]} are not related to the entity`,
    { path: path.join('.'), source: 'body' },
  );
