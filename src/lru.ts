// A map of bounded weight that forgets what was not used for long. It keeps two generations: what was used since the
// last change of generations, and what was used before. When the young one is full it becomes the old one, and what is
// left of the old one is forgotten. So a use costs one look-up, and nothing is moved to note its order.

interface Kept<Value> {
  readonly value: Value;
  readonly weight: number;
}

/** How much a cache holds, and how often it was asked in vain. */
export interface CacheUsage {
  readonly size: number;
  readonly hits: number;
  readonly misses: number;
}

export class Lru<Key, Value> implements CacheUsage {
  readonly #generation: number;
  #young = new Map<Key, Kept<Value>>();
  #old = new Map<Key, Kept<Value>>();
  #youngWeight = 0;
  hits = 0;
  misses = 0;

  /** `limit`: the weight that is kept at most. Where nothing says what an entry weighs, it is the number of entries. */
  constructor(limit: number) {
    this.#generation = limit / 2;
  }

  get(key: Key): Value | undefined {
    const kept = this.#young.get(key);
    if (kept) {
      this.hits++;
      return kept.value;
    }
    const older = this.#old.get(key);
    if (older) this.hits++;
    else this.misses++;
    if (older) this.#keep(key, older);
    return older?.value;
  }

  /** What weighs more than half of the limit is not kept. */
  set(key: Key, value: Value, weight = 1): void {
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0;
    this.#young.delete(key);
    if (weight <= this.#generation) this.#keep(key, { value, weight });
    else this.#old.delete(key);
  }

  #keep(key: Key, kept: Kept<Value>): void {
    this.#old.delete(key);
    if (this.#youngWeight + kept.weight > this.#generation) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#young.set(key, kept);
    this.#youngWeight += kept.weight;
  }

  /** Of all that is kept. */
  get weight(): number {
    let weight = this.#youngWeight;
    for (const kept of this.#old.values()) weight += kept.weight;
    return weight;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
