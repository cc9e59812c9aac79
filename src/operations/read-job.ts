// A read as data that another process can run: the plan, the values of the request, and what the run supplies. It comes
// from an authorized plan, and is sent to processes of our own only.
import type { Session } from '../db/database.ts';
import { SheafError, unavailableError } from '../errors.ts';
import type { AuthorizedReadPlan } from '../plan/read/plan-read.ts';
import type { Context } from '../read/bind.ts';
import type { CompiledRead } from '../read/compiled-read.ts';
import type { ReadPage } from '../read/read-strategy.ts';
import { prepareFirst, preparePage, runCount, runDocumentCount } from '../read/run-read.ts';
import type { Row } from '../sql/statement.ts';
import { type MeasuredRead, measureRead, type StatementRun } from './measure-read.ts';

export interface ReadJob {
  readonly kind: 'page' | 'page and total' | 'first' | 'count' | 'count documents';
  readonly plan: AuthorizedReadPlan;
  readonly slots: readonly unknown[];
  readonly context: Context;
  /** Whether it is run for its numbers: they are the result then. */
  readonly isMeasured?: true;
}

/** A page as it is sent: functions stay where they are. */
export interface SentPage extends Omit<ReadPage, 'text' | 'objects'> {
  readonly text: string;
}

const sentPage = ({ text, objects: _objects, ...rest }: ReadPage): SentPage => ({ ...rest, text: text() });

export type JobResult = SentPage | readonly StatementRun[] | string | number | null;

/** What the work of a job would result in here. */
export type WorkResult = ReadPage | readonly StatementRun[] | string | number | null;

const isPage = (result: JobResult): result is SentPage =>
  typeof result === 'object' && result !== null && 'text' in result;

const receivedPage = ({ text, ...rest }: SentPage): ReadPage => ({ ...rest, text: () => text });

/** What was sent, as the same work would result in it here: whoever sent it ran the job of this work. */
export function received<Result extends WorkResult>(sent: JobResult): Result {
  const result: WorkResult = isPage(sent) ? receivedPage(sent) : sent;
  return result as Result;
}

const isOfEntries = (kind: ReadJob['kind']): kind is MeasuredRead['kind'] =>
  kind !== 'count' && kind !== 'count documents';

/** Runs a job whose plan is compiled. */
export async function runJob(
  session: Session,
  read: CompiledRead,
  { kind, slots, context, isMeasured }: Omit<ReadJob, 'plan'>,
): Promise<JobResult> {
  if (isMeasured && isOfEntries(kind)) return measureRead(session, read, { kind, slots, context });
  switch (kind) {
    case 'first':
      return prepareFirst(read, slots).run(session, context);
    case 'count':
      return runCount(session, read, slots, context);
    case 'count documents':
      return runDocumentCount(session, read, slots, context);
    default:
      return sentPage(await preparePage(read, slots, kind === 'page and total').run(session, context));
  }
}

/** Stands for a database that has run the only statement of a read already. */
export class RowsSession implements Session {
  readonly #rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  async rows<R extends Row>(): Promise<readonly R[]> {
    return this.#rows as readonly R[];
  }
}

/** What a reader process answers: the result with the time that its statements took, or why there is none. */
export type JobAnswer =
  | { readonly result: JobResult; readonly milliseconds: number }
  | { readonly refusal: { status: number; name: string; message: string; details: Record<string, unknown> } }
  | { readonly failure: string };

/** Runs a job and says how it ended. */
export async function answerJob(run: () => Promise<{ result: JobResult; milliseconds: number }>): Promise<JobAnswer> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SheafError)) return { failure: String(error) };
    const { status, name, message, details } = error;
    return { refusal: { status, name, message, details } };
  }
}

/** The result of an answer; what was refused is refused again, here. */
export function resultOf(answer: JobAnswer): JobResult {
  if ('result' in answer) return answer.result;
  if ('failure' in answer)
    throw unavailableError('The database cannot answer now; try again', new Error(answer.failure));
  const { status, name, message, details } = answer.refusal;
  throw new SheafError(status, name, message, details);
}

/** An answer as it is sent, and whether the process ends with it. */
export interface JobMessage {
  readonly answer: JobAnswer;
  readonly isLast: boolean;
}

/** What a reader process sends: that it can be given work, and its answers. */
export type ReaderMessage = 'started' | JobMessage;
