// The main module of the thread that puts together large responses: it has the rows that a statement returned, and makes
// the JSON of them that the process of the server would make.
import { parentPort } from 'node:worker_threads';
import { postgresDialect } from '../sql/dialect-postgres.ts';
import type { AssemblyRequest, AssemblyResponse } from './assembly.ts';
import { answerJob, RowsSession, runJob } from './read-job.ts';
import { ReceivedPlans } from './sent-plans.ts';

const plans = new ReceivedPlans(postgresDialect);

parentPort!.on('message', async ({ id, job, rows }: AssemblyRequest) => {
  const read = plans.readOf(job);
  const run = async () => ({ result: await runJob(new RowsSession(rows), read, job), milliseconds: 0 });
  const response: AssemblyResponse = { id, answer: await answerJob(run) };
  parentPort!.postMessage(response);
});
