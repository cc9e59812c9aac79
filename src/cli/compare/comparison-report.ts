// The report of a comparison: a summary for people, or one JSON document. Values of secrets are never shown.
import { isObject } from '../../type-guards.ts';
import type { Comparison, DifferingRequest } from './comparison.ts';
import { type Difference, shownPath } from './json-difference.ts';
import { DIFFERENCE_RULES } from './judge.ts';

export interface ReportedRun {
  readonly strapi: string;
  readonly sheaf: string;
  /** Null where the requests were not generated. */
  readonly seed: number | null;
  /** Requests that were left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly comparison: Comparison;
}

const SECRET = /password|token|secret|jwt|authorization|api_?key|salt/i;
/** A hash of a password, whatever its attribute is called. */
const HASH = /^\$2[aby]\$\d\d\$/;
const HIDDEN = '…';

/** A path with the values of parameters hidden whose names speak of secrets. */
const shownTarget = (target: string): string =>
  target.replace(/([?&])([^=&]*)=([^&]*)/g, (whole, mark: string, key: string) =>
    SECRET.test(key) ? `${mark}${key}=${HIDDEN}` : whole,
  );

function withoutSecrets(value: unknown, key = ''): unknown {
  if (SECRET.test(key) && value !== null && value !== undefined) return HIDDEN;
  if (typeof value === 'string' && HASH.test(value)) return HIDDEN;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner, name)]));
}

const shownValue = ({ path }: Difference, value: unknown): unknown =>
  withoutSecrets(value, String(path.findLast((part) => typeof part === 'string') ?? ''));

interface ExplainedByRule {
  readonly rule: string;
  readonly text: string;
  readonly requests: readonly string[];
}

function byRule(differing: readonly DifferingRequest[]): ExplainedByRule[] {
  const targets = Map.groupBy(
    differing.flatMap(({ target, rules }) => rules.map((rule) => ({ rule, target }))),
    ({ rule }) => rule,
  );
  return DIFFERENCE_RULES.flatMap(({ name, text }) => {
    const found = targets.get(name);
    return found ? [{ rule: name, text, requests: found.map(({ target }) => shownTarget(target)) }] : [];
  });
}

const isUnexplained = ({ unexplainedCount }: DifferingRequest): boolean => unexplainedCount > 0;

const countsOf = ({ requests, differing }: Comparison) => {
  const unexplained = differing.filter(isUnexplained).length;
  return { requests, equal: requests - differing.length, explained: differing.length - unexplained, unexplained };
};

export function jsonReport({ comparison, ...run }: ReportedRun): string {
  const { differing } = comparison;
  const value = {
    ...run,
    ...countsOf(comparison),
    rules: byRule(differing),
    differences: differing.filter(isUnexplained).map(({ method, target, rules, unexplained, unexplainedCount }) => ({
      method,
      request: shownTarget(target),
      rules,
      count: unexplainedCount,
      unexplained: unexplained.map((difference) => ({
        kind: difference.kind,
        path: shownPath(difference.path),
        strapi: shownValue(difference, difference.strapi),
        sheaf: shownValue(difference, difference.sheaf),
      })),
    })),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

const MAX_VALUE_CHARACTERS = 100;
const MAX_EXAMPLES = 2;

export function textReport(run: ReportedRun): string {
  const { differing } = run.comparison;
  const counts = countsOf(run.comparison);
  const lines = [
    `Strapi  ${run.strapi}`,
    `Sheaf   ${run.sheaf}`,
    ...(run.seed === null ? [] : [`Seed    ${run.seed}; --seed ${run.seed} generates the same requests again`]),
    ...Object.entries(run.skipped).map(([reason, count]) => `Left out: ${count} ${reason}`),
    '',
    ...differing.filter(isUnexplained).flatMap(unexplainedLines),
    ...byRule(differing).flatMap(({ rule, text, requests }) => [
      `explained by ${rule}: ${counted(requests.length)}`,
      `  ${text}`,
      ...requests.slice(0, MAX_EXAMPLES).map((target) => `  ${target}`),
      ...(requests.length > MAX_EXAMPLES ? [`  and ${requests.length - MAX_EXAMPLES} more`] : []),
      '',
    ]),
    `${counted(counts.requests)}: ${counts.equal} equal, ${counts.explained} explained, ${counts.unexplained} unexplained`,
  ];
  return `${lines.join('\n')}\n`;
}

const counted = (count: number): string => `${count} ${count === 1 ? 'request' : 'requests'}`;

function unexplainedLines({ method, target, unexplained, unexplainedCount }: DifferingRequest): string[] {
  const more = unexplainedCount - unexplained.length;
  return [
    `unexplained: ${method} ${shownTarget(target)}`,
    ...unexplained.flatMap(differenceLines),
    ...(more > 0 ? [`  and ${more} more differences`] : []),
    '',
  ];
}

const KINDS: Readonly<Record<Difference['kind'], string>> = {
  status: 'status',
  envelope: 'the response',
  value: '',
  missing: 'only in Strapi:',
  added: 'only in Sheaf:',
  order: 'order of ids in',
};

function differenceLines(difference: Difference): string[] {
  const { kind, path, strapi, sheaf } = difference;
  const where = [KINDS[kind], shownPath(path)].filter((part) => part !== '').join(' ');
  if (kind === 'missing') return [`  ${where}: ${shortened(shownValue(difference, strapi))}`];
  if (kind === 'added') return [`  ${where}: ${shortened(shownValue(difference, sheaf))}`];
  return [
    `  ${where || 'the response'}`,
    `    Strapi ${shortened(shownValue(difference, strapi))}`,
    `    Sheaf  ${shortened(shownValue(difference, sheaf))}`,
  ];
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}
