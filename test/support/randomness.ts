// Choices that are the same for the same seed, on every machine: Mulberry32.

/** Letters that a documentId may begin with and go on with. */
const LETTERS = [...'abcdefghijkmnpqrstuvwxyz'];

export type Random = ReturnType<typeof randomness>;

export function randomness(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
  return {
    below,
    pick,
    chance: (share: number): boolean => next() < share,
    shuffle: <T>(values: readonly T[]): T[] => {
      const result = [...values];
      for (let index = result.length - 1; index > 0; index--) {
        const other = below(index + 1);
        [result[index], result[other]] = [result[other]!, result[index]!];
      }
      return result;
    },
    /** Up to so many different ones. */
    some: <T>(values: readonly T[], most: number): T[] => {
      const left = [...values];
      const count = Math.min(below(most + 1), left.length);
      return Array.from({ length: count }, () => left.splice(below(left.length), 1)[0]!);
    },
    documentId: (): string => Array.from({ length: 24 }, () => pick(LETTERS)).join(''),
  };
}
