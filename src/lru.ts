// A map of bounded size that forgets what was used least recently.

export class Lru<Key, Value> {
  readonly #limit: number;
  readonly #entries = new Map<Key, Value>();
  /** The key used last, which need not be moved when it is used again. */
  #newest: Key | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) this.#renew(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#renew(key, value);
    if (this.#entries.size > this.#limit) this.#entries.delete(this.#entries.keys().next().value!);
  }

  #renew(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
  }

  get size(): number {
    return this.#entries.size;
  }
}
