// The main module of a reader process: runs reads that may take long on a connection of its own, one at a time, so that
// the server can end one by ending the process. It never writes, so it can be killed at any moment.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { SqliteReader } from '../db/sqlite-connection.ts';
import { answerJob, type JobMessage, type ReaderMessage, runJob } from './read-job.ts';
import { ReceivedPlans, type SentJob } from './sent-plans.ts';

/** Beyond what a process of this kind takes by itself. */
const LARGE_BYTES = 160_000_000;

/** Bytes of its own. What is mapped of the database is given back by the system whenever that needs it. */
function bytesHeld(): number {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Only Linux tells.
  }
  return process.memoryUsage.rss();
}

const [file, server, mode] = process.argv.slice(2);
const reader = new SqliteReader(file!, mode === 'read');
const plans = new ReceivedPlans(reader.dialect);

// A statement under way holds up this thread, so another one watches whether the server still lives.
const watchdog = new Worker(
  `setInterval(() => { if (process.ppid !== ${Number(server)}) process.kill(process.pid, 'SIGKILL'); }, 500);`,
  { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } },
);
watchdog.unref();

process.on('message', async (job: SentJob) => {
  const read = plans.readOf(job);
  // What a large read took is given back by ending; the next one gets a new process.
  const run = () => reader.snapshot((session) => runJob(session, read, job));
  const message: JobMessage = { answer: await answerJob(run), isLast: bytesHeld() > LARGE_BYTES };
  process.send!(message, () => message.isLast && process.exit());
});
// The server has ended, or wants this process to.
process.on('disconnect', () => process.exit());
process.send!('started' satisfies ReaderMessage);
