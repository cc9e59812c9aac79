// A map of bounded size that forgets what was not used for long. It keeps two generations: what was used since the
// last change of generations, and what was used before. When the young one is full it becomes the old one, and what is
// left of the old one is forgotten. So a use costs one look-up, and nothing is moved to note its order.

export class Lru<Key, Value> {
  readonly #generationSize: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** `limit`: entries that are kept at most, an even number. */
  constructor(limit: number) {
    this.#generationSize = limit / 2;
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size < this.#generationSize) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
