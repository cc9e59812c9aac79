// `sheaf explain`: the plan of a request, what it costs, its statements, and what the database says of each.
import { open, type Sheaf } from '../app.ts';
import { node, printReadPlan, type Tree, textOf } from '../describe/print-read-plan.ts';
import { describeRequest, type Explained } from '../http/explain-request.ts';
import type { Cost } from '../plan/read/cost.ts';
import { openOptions, type ServerConfig } from '../project/environment.ts';

export interface ExplainOptions {
  /** In whose eyes; null for the system, which may do everything. */
  readonly role: string | null;
  /** As JSON, instead of in words. */
  readonly json: boolean;
}

export async function explain(config: ServerConfig, target: string, options: ExplainOptions): Promise<string> {
  const sheaf = await open({ ...openOptions(config), readOnly: true });
  try {
    const explained = await describeRequest(sheaf, target, options.role);
    return options.json ? `${JSON.stringify(explained, null, 2)}\n` : printExplained(explained);
  } finally {
    await sheaf.close();
  }
}

/** The same in words. */
export const explainRequest = async (sheaf: Sheaf, target: string, role: string | null = null): Promise<string> =>
  printExplained(await describeRequest(sheaf, target, role));

function printExplained({ request, plan, cost, isHeavy, statements }: Explained): string {
  const parts = [
    `Request\n${request}`,
    `Plan\n${printReadPlan(plan)}`,
    `Cost, in rows that the database touches, as estimated\n${textOf([costTree(cost)])}\n${isHeavy ? HEAVY : SMALL}`,
  ];
  for (const { title, sql, queryPlan, indexes, missing } of statements)
    parts.push(
      `SQL: ${title}\n${sql}`,
      [
        `Query plan: ${title}`,
        ...queryPlan.map((step) => `  ${step}`),
        `Indexes: ${indexes.length > 0 ? indexes.join(', ') : 'none'}`,
        ...missing,
      ].join('\n'),
    );
  return `${parts.join('\n\n')}\n`;
}

const HEAVY = 'It may take long: it waits for its turn among few, and has a deadline.';
const SMALL = 'It is small, and runs at once.';

const costTree = ({ title, rows, parts }: Cost): Tree =>
  node(`${rows.toLocaleString('en')}  ${title}`, parts.map(costTree));
