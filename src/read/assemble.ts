// Rows → entries as JSON text: columns of a row in order, then what was populated around it.
import type { Row } from '../db/database.ts';
import type { OutputColumn } from '../plan/read/nodes.ts';
import { type Encode, encoderOf } from './encode.ts';

/** The text of each populated value by the id of the row that holds it; a row without one shows `none`. */
export interface Populated {
  /** Comma, name and colon, ready to append. */
  readonly opening: string;
  readonly none: string;
  readonly byParent: ReadonlyMap<unknown, string>;
}

export interface EntityWriter {
  /**
   * Appends a row to a text and returns it. `offset`: where in the row the columns begin. `tag`: a member that closes
   * the object, ready to append. One growing text is far cheaper to send than many that are joined in the end.
   */
  append(text: string, row: Row, offset: number, populated: readonly Populated[], tag: string): string;
}

export function entityWriter(columns: readonly OutputColumn[], inJson: boolean): EntityWriter {
  const openings = columns.map(({ key }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const encoders: Encode[] = columns.map(({ type }) => encoderOf(type, inJson));
  return {
    append(before, row, offset, populated, tag) {
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
