// What every planning step needs, and the record of the types that the plan touches.
import { limitExceeded } from '../errors.ts';
import { MAX_POPULATE_DEPTH, MAX_POPULATE_NODES } from '../limits.ts';
import type { Model } from '../model/types.ts';
import type { Versions } from './versions.ts';

export class PlanContext {
  readonly model: Model;
  readonly versions: Versions;
  readonly #touched = new Set<string>();
  #populated = 0;

  constructor(model: Model, versions: Versions) {
    this.model = model;
    this.versions = versions;
  }

  /** Counts a populated attribute; `*` may stand for many, so they are counted when it is known which. */
  populate(depth: number, param: string): void {
    if (depth > MAX_POPULATE_DEPTH)
      throw limitExceeded('MAX_POPULATE_DEPTH', MAX_POPULATE_DEPTH, 'levels of populate', { param });
    if (++this.#populated > MAX_POPULATE_NODES)
      throw limitExceeded('MAX_POPULATE_NODES', MAX_POPULATE_NODES, 'populated attributes', { param });
  }

  touch(uid: string): void {
    this.#touched.add(uid);
  }

  get touched(): readonly string[] {
    return [...this.#touched].sort();
  }
}
