// Rows → entries as JSON text: columns of a row in order, then what was populated around it.
import type { Row } from '../db/database.ts';
import type { OutputColumn } from '../plan/read-plan.ts';
import { ENCODERS, type Encode } from './encode.ts';

/** The text of each populated value by the id of the row that holds it; a row without one shows `none`. */
export interface Populated {
  readonly key: string;
  readonly none: string;
  readonly byParent: ReadonlyMap<unknown, string>;
}

export interface EntityWriter {
  /** `offset`: where in the row the columns begin. `tag`: a member that closes the object, ready to append. */
  write(row: Row, offset: number, populated: readonly Populated[], tag: string): string;
}

export function entityWriter(columns: readonly OutputColumn[]): EntityWriter {
  const openings = columns.map(({ key }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const encoders: Encode[] = columns.map(({ type }) => ENCODERS[type]);
  return {
    write(row, offset, populated, tag) {
      let text = '';
      for (let index = 0; index < openings.length; index++) {
        text += openings[index]! + encoders[index]!(row[offset + index]);
      }
      for (const { key, none, byParent } of populated) {
        text += `,${JSON.stringify(key)}:${byParent.get(row[offset]) ?? none}`;
      }
      return `${text}${tag}}`;
    },
  };
}

/** Several texts of one parent as one value: a list, or the first of them. */
export function collect(texts: readonly string[], many: boolean): string {
  return many ? `[${texts.join(',')}]` : texts[0]!;
}
