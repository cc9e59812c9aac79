// What a write does to rows, as data: columns, component fields, lists and keys, each with what is there and what shall
// be. Decided as a whole by entity.ts and relations.ts before apply.ts writes any of it.
import type { LinkTable, MorphAttribute, RelationAttribute, Schema } from '../model/types.ts';
import type { BoundValue } from '../sql/statement.ts';
import type { WrittenColumn } from '../sql/write-statements.ts';
import type { ComponentField } from './components.ts';
import type { StoredItem, StoredLink } from './gathered.ts';
import type { ForeignLink } from './link-table.ts';

/** Stands for the id of the row that the write makes, where an entry refers to itself. */
export const NEW_ROW = 0;

/** A row to make, or to change. */
export interface EntityWrite {
  readonly schema: Schema;
  /** Null: a new row. */
  readonly row: number | null;
  readonly columns: readonly WrittenColumn[];
  readonly values: readonly BoundValue[];
  readonly fields: readonly FieldWrite[];
  readonly relations: readonly RelationWrite[];
}

export interface FieldWrite {
  readonly attribute: ComponentField;
  readonly current: readonly StoredItem[];
  readonly items: readonly { readonly uid: string; readonly entity: EntityWrite }[];
}

export type RelationWrite = ListWrite | KeyWrite | MorphListWrite;

/** A list in a link table. */
export interface ListWrite {
  readonly write: 'list';
  readonly link: LinkTable;
  readonly current: readonly StoredLink[];
  readonly desired: readonly number[];
  /** Links of other rows with targets that this one now has to itself. */
  readonly taken: readonly ForeignLink[];
  /** Whether what the list was remembered to hold is over. */
  readonly dropsRecord: boolean;
}

/** Whether two lists are the two sides of a relation of a type with itself. */
export const isOtherSide = (one: RelationWrite, { link }: ListWrite): one is ListWrite =>
  one.write === 'list' && one.link.table === link.table && one.link.from === link.to && one.link.to === link.from;

/** A relation kept in a foreign key: of the row itself, or of the rows at the other end. */
export interface KeyWrite {
  readonly write: 'key';
  readonly attribute: RelationAttribute;
  readonly desired: readonly number[];
  readonly rowsToDetach: readonly number[];
}

/** A list of entries of several types, or the one that a key leads to. */
export interface MorphListWrite {
  readonly write: 'morphList';
  readonly attribute: MorphAttribute;
  /** Whether what the list was remembered to hold is over. */
  readonly dropsRecord: boolean;
  /** The links by the entries that they lead to. */
  readonly current: ReadonlyMap<number, StoredLink>;
  readonly desired: readonly number[];
}
