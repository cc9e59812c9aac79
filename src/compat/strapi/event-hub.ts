// `strapi.eventHub`: code of a project is told of documents, and tells other code of it.

type Listener = (...values: readonly unknown[]) => unknown;

export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #subscribers = new Set<Listener>();

  /** Whether anyone listens to events whose names begin so, or to all. */
  hears(beginning: string): boolean {
    if (this.#subscribers.size > 0) return true;
    for (const [event, listeners] of this.#listeners)
      if (listeners.size > 0 && event.startsWith(beginning)) return true;
    return false;
  }

  async emit(event: string, ...values: readonly unknown[]): Promise<void> {
    for (const subscriber of [...this.#subscribers]) await subscriber(event, ...values);
    for (const listener of [...(this.#listeners.get(event) ?? [])]) await listener(...values);
  }

  on(event: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => this.off(event, listener);
  }

  once(event: string, listener: Listener): () => void {
    const off = this.on(event, (...values) => {
      off();
      return listener(...values);
    });
    return off;
  }

  off(event: string, listener: Listener): void {
    this.#listeners.get(event)?.delete(listener);
  }

  subscribe(subscriber: Listener): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  unsubscribe(subscriber: Listener): void {
    this.#subscribers.delete(subscriber);
  }

  removeListener(event: string, listener: Listener): void {
    this.off(event, listener);
  }

  removeAllListeners(): void {
    this.#listeners.clear();
    this.#subscribers.clear();
  }
}
