// What the console draws of a request: its plan in words, what it costs, and its statements with what they did.
import type { Caller } from '../../access/caller.ts';
import type { Sheaf } from '../../app.ts';
import type { ConsoleExplained, PlanNode } from '../../console/contract.ts';
import { readPlanTrees, type Tree } from '../../describe/print-read-plan.ts';
import { SetupError, validationError } from '../../errors.ts';
import { measureRequest } from '../explain-request.ts';

export async function explainForConsole(sheaf: Sheaf, url: string, caller: Caller): Promise<ConsoleExplained> {
  const { request, plan, cost, isHeavy, statements } = await measureRequest(sheaf, url, caller).catch(refused);
  return {
    request,
    plan: readPlanTrees(plan).map(planNode),
    cost,
    isHeavy,
    statements: statements.map(({ run, ...statement }) => ({
      ...statement,
      rows: run?.rows ?? null,
      milliseconds: run?.milliseconds ?? null,
    })),
  };
}

const planNode = (tree: Tree): PlanNode =>
  typeof tree === 'string' ? { text: tree, parts: [] } : { text: tree.line, parts: tree.below.map(planNode) };

/** What is wrong with the path is told to whoever wrote it. */
function refused(error: unknown): never {
  if (!(error instanceof SetupError)) throw error;
  throw validationError(`Invalid value for url: ${[error.summary, ...error.problems].join('; ')}`, { key: 'url' });
}
