// Which reads are heavy depends on how many rows their tables hold. Tests claim numbers instead of making the rows.
import type { Sheaf } from '../../src/app.ts';
import { tablesOf } from '../../src/model/tables.ts';
import { ReadLanes } from '../../src/operations/read-lanes.ts';

/**
 * Has tables seem to hold so many rows, until they are counted: all of them, or those that are named. The server counts
 * them by the clock as well, which would end the claim in the middle of a test on a slow machine.
 */
export function claimRows({ operations: { lanes, model } }: Sheaf, rows: number | Readonly<Record<string, number>>) {
  lanes.sizes = new Map(
    typeof rows === 'number' ? tablesOf(model).map(({ name }) => [name, rows]) : Object.entries(rows),
  );
  lanes.readSizes = async () => undefined;
}

/** Has every table seem to hold the rows that it holds. */
export async function countRows({ operations: { lanes } }: Sheaf): Promise<void> {
  lanes.readSizes = ReadLanes.prototype.readSizes;
  await lanes.readSizes();
}
