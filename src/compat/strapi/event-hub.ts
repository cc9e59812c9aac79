// `strapi.eventHub`: code of a project tells other code of it.

type Listener = (...values: readonly unknown[]) => unknown;

export class EventHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #subscribers = new Set<Listener>();

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
