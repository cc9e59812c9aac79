// Whether a value matches a regular expression of the model. With some values some expressions take for ever, and nothing
// else is done in this process meanwhile, so each has a time, and all those of a write have one together.
import { type Context, createContext, Script } from 'node:vm';
import { MAX_PATTERN_MS, MAX_PATTERNS_MS } from '../../limits.ts';
import { errorCode } from '../../type-guards.ts';

const QUANTIFIERS = /[*+?{]/g;
/** A single quantifier is soon done with so many characters, and needs no clock. */
const SHORT = 1_000;

const script = new Script('new RegExp(pattern).test(value)');
let context: Context | null = null;

/** On a machine that stood still for a moment, time is up with nothing done. */
const TRIES = 2;

/** A regular expression that is compared with many values. */
export interface Pattern {
  readonly text: string;
  /** For short values; null where it has several quantifiers. */
  readonly simple: RegExp | null;
}

export const compilePattern = (text: string): Pattern => ({
  text,
  simple: (text.match(QUANTIFIERS)?.length ?? 0) <= 1 ? new RegExp(text) : null,
});

/** What any comparison with a clock takes; a write may have thousands that take no longer. */
const USUAL_MS = 0.5;

/** The time that the comparisons of one write took of this thread, so far. */
export class PatternTime {
  #spent = 0;

  /** Runs a comparison, and counts what it takes beyond what any does. */
  spend<T>(compare: () => T): T {
    const begin = threadMilliseconds();
    try {
      return compare();
    } finally {
      this.#spent += Math.max(0, threadMilliseconds() - begin - USUAL_MS);
    }
  }

  get isOver(): boolean {
    return this.#spent > MAX_PATTERNS_MS;
  }
}

function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Null where it takes longer than MAX_PATTERN_MS to tell, each time, or where the time of the write is over. */
export function matchesPattern({ text, simple }: Pattern, value: string, time: PatternTime): boolean | null {
  if (simple !== null && value.length <= SHORT) return simple.test(value);
  return time.isOver ? null : time.spend(() => matchesInTime(text, value));
}

function matchesInTime(text: string, value: string): boolean | null {
  context ??= createContext({});
  Object.assign(context, { pattern: text, value });
  for (let tried = 0; tried < TRIES; tried++)
    try {
      return script.runInContext(context, { timeout: MAX_PATTERN_MS });
    } catch (error) {
      if (errorCode(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
  return null;
}
