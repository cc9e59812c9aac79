// How far two words are apart, for hints on what was misspelled.

/** How many letters have to be changed, added, left out or swapped with the next one to get from one word to the other. */
export function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          rows[row - 1]![column]! + 1,
          current[column - 1]! + 1,
          rows[row - 1]![column - 1]! + (same ? 0 : 1),
          swapped ? rows[row - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(current);
  }
  return rows[from.length]![to.length]!;
}

/** At most this share of the letters may be wrong. */
const MAX_WRONG = 0.4;

/** The word that was probably meant; null where none is near. */
export function nearestWord(given: string, words: Iterable<string>): string | null {
  let nearest: readonly [wrong: number, word: string | null] = [MAX_WRONG, null];
  for (const word of words) {
    // So many letters are too many or too few in any case.
    if (Math.abs(given.length - word.length) / word.length > MAX_WRONG) continue;
    const wrong = editDistance(given, word) / word.length;
    if (wrong < nearest[0] || (wrong === nearest[0] && nearest[1] === null)) nearest = [wrong, word];
  }
  return nearest[1];
}

/** A list that says which word was probably meant; empty for none. */
export const hintOn = (word: string | null): string[] => (word === null ? [] : [`did you mean ${word}?`]);
