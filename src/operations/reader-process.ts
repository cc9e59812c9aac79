// The main module of a reader process: runs reads that may take long on a connection of its own, one at a time, so that
// the server can end one by ending the process. It never writes, so it can be killed at any moment.
import { Worker } from 'node:worker_threads';
import { SqliteReader } from '../db/sqlite.ts';
import { SheafError } from '../errors.ts';
import { type JobAnswer, type JobMessage, type ReadJob, runJob } from './read-job.ts';

/** Beyond what a process of this kind takes by itself. */
const LARGE_BYTES = 160_000_000;

const reader = new SqliteReader(process.argv[2]!);

// A statement under way holds up this thread, so another one watches whether the server still lives.
const watchdog = new Worker(
  `const parent = process.ppid; setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);`,
  { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } },
);
watchdog.unref();

async function answer(job: ReadJob): Promise<JobAnswer> {
  try {
    return await reader.snapshot((session) => runJob(session, reader.dialect, job));
  } catch (error) {
    if (!(error instanceof SheafError)) return { failure: String(error) };
    const { status, name, message, details } = error;
    return { refusal: { status, name, message, details } };
  }
}

process.on('message', async (job: ReadJob) => {
  // What a large read took is given back by ending; the next one gets a new process.
  const message: JobMessage = { answer: await answer(job), isLast: process.memoryUsage.rss() > LARGE_BYTES };
  process.send!(message, () => message.isLast && process.exit());
});
// The server has ended, or wants this process to.
process.on('disconnect', () => process.exit());
