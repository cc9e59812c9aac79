// Rows → entries as JSON text: columns of a row in order, then what was populated around it.
import type { OutputColumn } from '../plan/read/nodes.ts';
import type { Row } from '../sql/statement.ts';
import { type Encode, encoderOf } from './encode.ts';

/** The text of each populated value by the id of the row that holds it; a row without one shows `none`. */
export interface Populated {
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
}

export function entityWriter(columns: readonly OutputColumn[], inJson: boolean): EntityWriter {
  const openings = columns.map(({ key }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const encoders: Encode[] = columns.map(({ type }) => encoderOf(type, inJson));
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
  };
}
