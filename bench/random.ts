// What data and requests are drawn from: the same for the same seed, on every machine.

export const WORDS = [
  'amber basil cedar dune ember fennel garnet hazel iris jasper kelp linden maple',
  'nettle olive pebble quince rowan sorrel thistle umber violet walnut yew zinnia',
].flatMap((line) => line.split(' '));
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Mulberry32: small, quick, and the same on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 up to, not including, 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  cents(least: number, most: number): number {
    return this.integer(least * 100, most * 100) / 100;
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }

  word(): string {
    return this.of(WORDS);
  }

  documentId(): string {
    let text = 'b';
    while (text.length < 24) text += ALPHABET[this.integer(0, ALPHABET.length - 1)];
    return text;
  }

  /** So many different numbers from 1 up to `most`. */
  some(count: number, most: number): Set<number> {
    const chosen = new Set<number>();
    while (chosen.size < count) chosen.add(this.integer(1, most));
    return chosen;
  }
}
