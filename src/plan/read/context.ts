// What every planning step needs, and the record of the types that the plan touches and of what it leaves out.

import type { Access, RuleValue } from '../../access/access.ts';
import { limitExceeded } from '../../errors.ts';
import { DEFAULT_LIMITS, type Limits, MAX_HINTS } from '../../limits.ts';
import type { ContentType, Model } from '../../model/types.ts';
import type { RowStatus } from '../../request/read-request.ts';
import type { Versions } from './versions.ts';

/** What is particular about a plan. */
export interface PlanOptions {
  /** Where the filter is that of a rule: its values, which then stand in the plan itself. */
  readonly ruleValues?: readonly RuleValue[];
  readonly limits?: Limits;
  readonly populatesByDefault?: boolean;
  readonly strict?: boolean;
}

export class PlanContext {
  readonly model: Model;
  readonly versions: Versions;
  readonly access: Access;
  readonly ruleValues: readonly RuleValue[] | null;
  /** Whether what the caller may not populate is left out rather than refused. */
  readonly populatesByDefault: boolean;
  /** Whether `localizations` of a type without locales are refused. */
  readonly strict: boolean;
  readonly #limits: Limits;
  readonly #touched = new Set<string>();
  readonly #omitted = new Set<string>();
  readonly #hints = new Set<string>();
  #populated = 0;

  constructor(
    model: Model,
    versions: Versions,
    access: Access,
    { ruleValues, limits = DEFAULT_LIMITS, populatesByDefault = false, strict = false }: PlanOptions = {},
  ) {
    this.model = model;
    this.versions = versions;
    this.access = access;
    this.ruleValues = ruleValues ?? null;
    this.#limits = limits;
    this.populatesByDefault = populatesByDefault;
    this.strict = strict;
  }

  /** Counts a populated attribute; `*` may stand for many, so they are counted when it is known which. */
  populate(depth: number, param: string): void {
    const { populateDepth, populateNodes } = this.#limits;
    if (depth > populateDepth)
      throw limitExceeded('MAX_POPULATE_DEPTH', populateDepth, 'levels of populate', { param });
    if (++this.#populated > populateNodes)
      throw limitExceeded('MAX_POPULATE_NODES', populateNodes, 'populated attributes', { param });
  }

  /** Whether rows of a type in a status are drafts that are hidden from the caller. */
  hidesDrafts({ uid, draftAndPublish }: ContentType, status: RowStatus): boolean {
    return status !== 'published' && draftAndPublish && !this.access.mayReadDrafts(uid);
  }

  touch(uid: string): void {
    this.#touched.add(uid);
  }

  /** Notes a relation that `*` would have populated, had the caller the right to find its target. */
  omit(path: readonly string[]): void {
    this.#omitted.add(path.join('.'));
  }

  /** Notes what a request probably means but does not say. */
  hint(text: string): void {
    if (this.#hints.size < MAX_HINTS) this.#hints.add(text);
  }

  get hints(): readonly string[] {
    return [...this.#hints];
  }

  get touched(): readonly string[] {
    return [...this.#touched].sort();
  }

  get omitted(): readonly string[] {
    return [...this.#omitted].sort();
  }
}
