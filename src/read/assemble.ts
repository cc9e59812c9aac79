// Rows → entries, as JSON text or as objects: columns of a row in order, then what was populated around it.
import type { OutputColumn } from '../plan/read/nodes.ts';
import type { Row } from '../sql/statement.ts';
import { type Decode, decoderOf, type Encode, encoderOf } from './encode.ts';

/** The text of each populated value by the id of the row that holds it; a row without one shows `none`. */
export interface Populated {
  readonly key: string;
  /** Comma, name and colon, ready to append. */
  readonly opening: string;
  readonly none: string;
  readonly byParent: ReadonlyMap<unknown, string>;
}

/** How a row is written. */
export interface RowShape {
  /** Where in the row the columns begin. */
  readonly offset: number;
  readonly populated: readonly Populated[];
  /** A member that closes the object, ready to append. */
  readonly tag: string;
}

export interface EntityWriter {
  /** Appends a row to a string and returns it. One growing string is far cheaper to send than many that are joined. */
  append(before: string, row: Row, shape: RowShape): string;
  /** The object that the text of a row stands for. What it holds of the row may be the row's own. */
  entry(row: Row, populated: readonly Populated[]): Record<string, unknown>;
}

export function entityWriter(columns: readonly OutputColumn[], inJson: boolean): EntityWriter {
  const openings = columns.map(({ key }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const encoders: Encode[] = columns.map(({ type }) => encoderOf(type, inJson));
  const keys = columns.map(({ key }) => key);
  const decoders: Decode[] = columns.map(({ type }) => decoderOf(type, inJson));
  // An object that gets its members one by one becomes a slow one; a copy of one that has them all does not.
  const empty: Record<string, unknown> = JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:null`).join()}}`);
  return {
    append(before, row, { offset, populated, tag }) {
      let text = before;
      for (let index = 0; index < openings.length; index++) {
        text += openings[index]!;
        text += encoders[index]!(row[offset + index]);
      }
      for (const { opening, none, byParent } of populated) {
        text += opening;
        text += byParent.get(row[offset]) ?? none;
      }
      return `${text}${tag}}`;
    },
    entry(row, populated) {
      const entry = { ...empty };
      for (let index = 0; index < keys.length; index++) entry[keys[index]!] = decoders[index]!(row[index]);
      for (const { key, none, byParent } of populated) entry[key] = JSON.parse(byParent.get(row[0]) ?? none);
      return entry;
    },
  };
}
