// The verdict on an exchange: which differences there are, and the rule that explains each.
import type { DifferenceRule } from './difference-rule.ts';
import { type Exchange, NO_ANSWER } from './exchange.ts';
import { type Difference, differencesBetween } from './json-difference.ts';
import { SELECTION_RULES } from './selection-rules.ts';
import { STATUS_RULES } from './status-rules.ts';
import { VALUE_RULES } from './value-rules.ts';

/** Every deliberate difference in reads. docs/beside-strapi.md lists them. */
export const DIFFERENCE_RULES: readonly DifferenceRule[] = [...STATUS_RULES, ...VALUE_RULES, ...SELECTION_RULES];

export interface Verdict {
  /** Names of the rules that explain differences. */
  readonly rules: readonly string[];
  readonly unexplained: readonly Difference[];
}

export function judge(exchange: Exchange): Verdict {
  const rules = new Set<string>();
  const unexplained: Difference[] = [];
  // Where one did not answer there is nothing to explain.
  const isAnswered = exchange.strapi.status !== NO_ANSWER && exchange.sheaf.status !== NO_ANSWER;
  for (const difference of differencesBetween(exchange.strapi, exchange.sheaf)) {
    const rule = isAnswered && DIFFERENCE_RULES.find((one) => one.explains(difference, exchange));
    if (rule) rules.add(rule.name);
    else unexplained.push(difference);
  }
  return { rules: [...rules], unexplained };
}
