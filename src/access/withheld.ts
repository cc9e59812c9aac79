// Actions that nobody has, however they are granted: the project has code of its own in front of them, which does not
// run. The project opens them by naming the code in `servedWithout` of config/sheaf.json.
import { SetupError } from '../errors.ts';
import { FILE, USER } from '../model/builtin.ts';
import type { Model } from '../model/types.ts';
import { APPLICATION, type CodeFinding } from '../project/code/code-finding.ts';
import { isRun } from '../project/code/code-support.ts';
import type { Access } from './access.ts';
import { FIND_FILES, isAccountWrite, isAuthAction, isReadAction } from './actions.ts';

/** Kinds of code by what they act on, as config/sheaf.json names them. */
export type ServedWithout = Readonly<Record<string, readonly string[]>>;

/** What the project says of its code. */
export interface CodeSettings {
  readonly servedWithout: ServedWithout;
  readonly runStrapiCode: boolean;
}

export class Withheld {
  #findings: readonly CodeFinding[];
  readonly #reasons = new Map<string, string | null>();

  constructor(findings: readonly CodeFinding[]) {
    this.#findings = findings.filter(({ closes }) => closes !== 'nothing');
  }

  /** The code that keeps actions closed. */
  get findings(): readonly CodeFinding[] {
    return this.#findings;
  }

  /** Closes what passes through code that turned out not to run. */
  close(findings: readonly CodeFinding[]): void {
    this.#findings = [...this.#findings, ...findings.filter(({ closes }) => closes !== 'nothing')];
    this.#reasons.clear();
  }

  /** Why nobody has an action, such as `controller src/api/order/controllers/order.ts`; null where grants decide. */
  reason(action: string): string | null {
    let reason = this.#reasons.get(action);
    if (reason === undefined) {
      const found = this.findings.find((finding) => isClosedBy(finding, action));
      reason = found ? `${found.kind} ${found.file}` : null;
      this.#reasons.set(action, reason);
    }
    return reason;
  }

  has(action: string): boolean {
    return this.findings.length > 0 && this.reason(action) !== null;
  }
}

/** The same access without what nobody has. */
export function withhold(access: Access, { contentTypes }: Model, withheld: Withheld): Access {
  const isServed = (uid: string): boolean => contentTypes.get(uid)?.exposure !== 'relations';
  return {
    ...access,
    may: (action) => access.may(action) && !withheld.has(action),
    mayFind: (uid) => access.mayFind(uid) && !(isServed(uid) && withheld.has(`${uid}.find`)),
  };
}

/** What the code of a project keeps closed, except for what the project is served without. */
export function withheldBy(findings: readonly CodeFinding[], settings: CodeSettings): Withheld {
  const { servedWithout } = settings;
  const problems = Object.entries(servedWithout).flatMap(([subject, kinds]) => unknownNames(findings, subject, kinds));
  if (problems.length > 0) throw new SetupError('config/sheaf.json cannot be used:', problems);
  return new Withheld(notRun(findings, settings).filter((finding) => !isNamed(finding, servedWithout)));
}

/** Those of the code that do not run. */
export const notRun = (findings: readonly CodeFinding[], { runStrapiCode }: CodeSettings): readonly CodeFinding[] =>
  runStrapiCode ? findings.filter((finding) => !isRun(finding)) : findings;

export const isNamed = ({ subject, kind }: CodeFinding, servedWithout: ServedWithout): boolean =>
  subject !== null && Object.hasOwn(servedWithout, subject) && servedWithout[subject]!.includes(kind);

/** A name for which there is no code is a mistake, or of another time; it must not open what comes later. */
function unknownNames(findings: readonly CodeFinding[], subject: string, kinds: readonly string[]): string[] {
  const where = `servedWithout.${subject}`;
  const known = new Set<string>(findings.filter((finding) => finding.subject === subject).map(({ kind }) => kind));
  if (known.size === 0) {
    const subjects = new Set(findings.flatMap((finding) => finding.subject ?? []));
    const expected = subjects.size > 0 ? `expected one of ${[...subjects].join(', ')}` : 'leave the key out';
    return [`${where}: the project has no code for it; ${expected}`];
  }
  return kinds
    .filter((kind) => !known.has(kind))
    .map((kind) => `${where}: it has no ${kind} of the project's own; expected ${[...known].join(', ')}`);
}

const FILE_ACTIONS = FIND_FILES.slice(0, FIND_FILES.lastIndexOf('.'));

function isClosedBy({ subject, closes }: CodeFinding, action: string): boolean {
  const dot = action.lastIndexOf('.');
  const uid = action.slice(0, dot);
  if (typeof closes !== 'string') return uid === subject && closes.includes(action.slice(dot + 1));
  // Whoever logs in or registers reads or writes an account; files have actions of another name.
  const isOther = (subject === USER && isAuthAction(action)) || (subject === FILE && uid === FILE_ACTIONS);
  const concerns = subject === APPLICATION || uid === subject || isOther || uid.startsWith(`${subject}.`);
  return concerns && (closes === 'all' || (isAuthAction(action) ? isAccountWrite(action) : !isReadAction(action)));
}
