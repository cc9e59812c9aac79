// Lines of the tables that the benchmark prints: the first column to the left, all others to the right.

export type Line = (...cells: readonly string[]) => string;

export const table =
  (...widths: readonly number[]): Line =>
  (...cells) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]!))).join(' ');

/** A turn can be too short for every connection to be answered once; then there is nothing to show. */
export const milliseconds = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(2));
