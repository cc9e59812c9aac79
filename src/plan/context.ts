// What every planning step needs, and the record of the types that the plan touches.
import type { Model } from '../model/types.ts';
import type { Versions } from './versions.ts';

export class PlanContext {
  readonly model: Model;
  readonly versions: Versions;
  readonly #touched = new Set<string>();

  constructor(model: Model, versions: Versions) {
    this.model = model;
    this.versions = versions;
  }

  touch(uid: string): void {
    this.#touched.add(uid);
  }

  get touched(): readonly string[] {
    return [...this.#touched].sort();
  }
}
