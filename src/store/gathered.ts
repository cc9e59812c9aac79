// What a write has read ahead: lists of links, component items and siblings of rows, all with one statement. Reading
// one of them again costs nothing until its table is written.
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

interface LinksOfTable {
  readonly table: string;
  readonly byRow: Map<number, StoredLink[]>;
}

interface Sibling {
  readonly id: number;
  readonly published: boolean;
}

/** What is known of rows; a list that is not known has to be read. */
export class Gathered {
  readonly #links = new Map<string, LinksOfTable>();
  /** By table of component links, row and field. */
  readonly #items = new Map<string, Map<string, StoredItem[]>>();
  readonly #siblings = new Map<string, Map<number, Sibling | null>>();

  links(link: LinkTable, row: number): readonly StoredLink[] | undefined {
    return this.#links.get(linkKey(link))?.byRow.get(row);
  }

  items(table: string, row: number, field: string): readonly StoredItem[] | undefined {
    const ofRow = this.#items.get(`${table} ${row}`);
    return ofRow && (ofRow.get(field) ?? []);
  }

  /** The items of all fields. */
  itemsOf(table: string, row: number): readonly StoredItem[] | undefined {
    const ofRow = this.#items.get(`${table} ${row}`);
    return ofRow && [...ofRow.values()].flat();
  }

  /** Null where there is none, undefined where it is not known. */
  sibling(table: string, row: number): Sibling | null | undefined {
    return this.#siblings.get(table)?.get(row);
  }

  expectLinks(link: LinkTable, rows: readonly number[]): Map<number, StoredLink[]> {
    const key = linkKey(link);
    const links = this.#links.get(key) ?? { table: link.table, byRow: new Map() };
    this.#links.set(key, links);
    for (const row of rows) if (!links.byRow.has(row)) links.byRow.set(row, []);
    return links.byRow;
  }

  /** Adds a link to the list of a row, in its order. */
  addLink(link: LinkTable, row: number, stored: StoredLink): void {
    const list = this.expectLinks(link, [row]).get(row)!;
    const before = list.findLastIndex((other) => byPosition(other, stored) <= 0);
    // Two versions of a document in one status, as a race in Strapi 5 makes them, show a link twice.
    if (list[before]?.id !== stored.id) list.splice(before + 1, 0, stored);
  }

  expectItems(table: string, rows: readonly number[]): void {
    for (const row of rows) this.#items.set(`${table} ${row}`, new Map());
  }

  addItem(table: string, row: number, field: string, item: StoredItem): void {
    const ofRow = this.#items.get(`${table} ${row}`)!;
    ofRow.set(field, [...(ofRow.get(field) ?? []), item]);
  }

  addSibling(table: string, row: number, sibling: Sibling | null): void {
    const ofTable = this.#siblings.get(table) ?? new Map<number, Sibling | null>();
    this.#siblings.set(table, ofTable);
    const known = ofTable.get(row);
    if (!known || (sibling !== null && sibling.id < known.id)) ofTable.set(row, sibling);
  }

  /** Before lists are read again. */
  forgetLinks(link: LinkTable, rows: readonly number[]): void {
    for (const row of rows) this.#links.get(linkKey(link))?.byRow.delete(row);
  }

  /** After a table was written. */
  forget(table: string): void {
    for (const [key, links] of this.#links) if (links.table === table) this.#links.delete(key);
    for (const key of this.#items.keys()) if (key.startsWith(`${table} `)) this.#items.delete(key);
    this.#siblings.delete(table);
  }
}
