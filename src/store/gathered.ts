// What a write has read ahead: lists of links, component items and siblings of rows, all with one statement. Reading
// one of them again costs nothing until its table is written.
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { LinkTable } from '../model/types.ts';
import type { ComponentChange, ComponentItem, EntityChange } from '../plan/write/changes.ts';
import { linkKey } from '../sql/link-names.ts';

export interface StoredLink {
  readonly id: number;
  readonly target: number;
  readonly position: number | null;
}

/** What has no position, as rows that others made may, comes last. */
export function comparePositions(a: number | null, b: number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return a - b;
}

/** The order of a list: by position, then by link. */
export const byPosition = (a: Pick<StoredLink, 'id' | 'position'>, b: Pick<StoredLink, 'id' | 'position'>): number =>
  comparePositions(a.position, b.position) || a.id - b.id;

/** A component row: which, and of which kind. */
export interface ItemRef {
  readonly id: number;
  readonly uid: string;
}

/** A component row in a list. */
export interface StoredItem extends ItemRef {
  readonly link: number;
  readonly position: number | null;
}

/** What a field of components holds, and which rows the items of the body name: null where they name none of them. */
export interface StoredField {
  readonly current: readonly StoredItem[];
  readonly named: ReadonlyMap<ComponentItem, number | null>;
}

/** What a row holds of what is changed. */
export interface StoredEntity {
  readonly row: number;
  /** By link; of a polymorphic list there are several. */
  readonly links: ReadonlyMap<string, readonly StoredLink[]>;
  readonly fields: ReadonlyMap<ComponentChange, StoredField>;
}

/** The rows that a change meets. An entity that is not among them is new. */
export type StoredEntities = ReadonlyMap<EntityChange, StoredEntity>;

/** Lists of links by the rows that hold them. */
export type LinkLists = ReadonlyMap<number, StoredLink[]>;

/** Adds a link to a list, in its order. */
export function addLink(list: StoredLink[], stored: StoredLink): void {
  const last = list.at(-1);
  const isLast = last === undefined || byPosition(last, stored) <= 0;
  const before = isLast ? list.length - 1 : list.findLastIndex((other) => byPosition(other, stored) <= 0);
  // Two versions of a document in one status, as a race in Strapi 5 makes them, show a link twice.
  if (list[before]?.id !== stored.id) list.splice(before + 1, 0, stored);
}

/** The value of a key, made where there is none. */
function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Adds a value to the list of a key. */
export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  getOrMake(lists, key, (): Value[] => []).push(value);
}

interface Sibling {
  readonly id: number;
  readonly published: boolean;
}

/** What is known of rows; a list that is not known has to be read. */
export class Gathered {
  /** By table, link and row. */
  readonly #links = new Map<string, Map<string, Map<number, StoredLink[]>>>();
  /** By table of component links, row and field. */
  readonly #items = new Map<string, Map<number, Map<string, StoredItem[]>>>();
  readonly #siblings = new Map<string, Map<number, Sibling | null>>();
  /** By table: rows without a sibling, which get none before this write is done. */
  readonly #held = new Map<string, Set<number>>();
  /** By name of the list and row. */
  readonly #records = new Map<string, Map<number, number[]>>();

  links(link: LinkTable, row: number): readonly StoredLink[] | undefined {
    return this.#links.get(link.table)?.get(linkKey(link))?.get(row);
  }

  items(table: string, row: number, field: string): readonly StoredItem[] | undefined {
    const ofRow = this.#items.get(table)?.get(row);
    return ofRow && (ofRow.get(field) ?? []);
  }

  /** The items of all fields. */
  itemsOf(table: string, row: number): readonly StoredItem[] | undefined {
    const ofRow = this.#items.get(table)?.get(row);
    return ofRow && [...ofRow.values()].flat();
  }

  /** Null where there is none, undefined where it is not known. */
  sibling(table: string, row: number): Sibling | null | undefined {
    return this.#siblings.get(table)?.get(row);
  }

  /** What is on record of a list, in order; drafts that another program has deleted may be among it. */
  record(list: string, row: number): readonly number[] | undefined {
    return this.#records.get(list)?.get(row);
  }

  /** Before the links of rows are read, or read again. Returns their lists, which are empty as yet. */
  expectLinks(link: LinkTable, rows: readonly number[]): LinkLists {
    const ofTable = getOrMake(this.#links, link.table, () => new Map<string, Map<number, StoredLink[]>>());
    const lists = getOrMake(ofTable, linkKey(link), () => new Map<number, StoredLink[]>());
    for (const row of rows) lists.set(row, []);
    return lists;
  }

  expectItems(table: string, rows: readonly number[]): void {
    const ofTable = getOrMake(this.#items, table, () => new Map<number, Map<string, StoredItem[]>>());
    for (const row of rows) ofTable.set(row, new Map());
  }

  addItem(table: string, row: number, field: string, item: StoredItem): void {
    append(this.#items.get(table)!.get(row)!, field, item);
  }

  expectRecords(lists: readonly string[], rows: readonly number[]): void {
    for (const list of lists) {
      const ofList = getOrMake(this.#records, list, () => new Map<number, number[]>());
      for (const row of rows) ofList.set(row, []);
    }
  }

  addRecord(list: string, row: number, target: number): void {
    append(this.#records.get(list)!, row, target);
  }

  addSibling(table: string, row: number, sibling: Sibling | null): void {
    const ofTable = getOrMake(this.#siblings, table, () => new Map<number, Sibling | null>());
    const known = ofTable.get(row);
    if (!known || (sibling !== null && sibling.id < known.id)) ofTable.set(row, sibling);
  }

  /** Whether a row that has no sibling is known to get none either. */
  isHeld(table: string, row: number): boolean {
    return this.#held.get(table)?.has(row) ?? false;
  }

  hold(table: string, rows: readonly number[]): void {
    const ofTable = getOrMake(this.#held, table, () => new Set<number>());
    for (const row of rows) {
      ofTable.add(row);
      this.addSibling(table, row, null);
    }
  }

  /** After a table was written. */
  forget(table: string): void {
    this.#links.delete(table);
    this.#items.delete(table);
    this.#siblings.delete(table);
    this.#held.delete(table);
    if (table === PUBLISHED_LISTS) this.#records.clear();
  }
}
