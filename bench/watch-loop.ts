// Loaded into a server before its own code: writes to a file how late the timers of its event loop are. `?to=PATH` names
// the file. Threads that the server starts load it as well, and write nothing. Each line is a time, the milliseconds that a timer was late, and how many of them the thread itself worked.
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 5;
const WRITTEN_LINES = 200;

const file = new URL(import.meta.url).searchParams.get('to');
const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

if (file !== null && isMainThread) {
  let [last, lastBusy] = [performance.now(), processorMs()];
  const lines: string[] = [];
  setInterval(() => {
    const [now, busy] = [performance.now(), processorMs()];
    const late = Math.max(0, now - last - EVERY_MS);
    const own = Math.min(late, busy - lastBusy);
    lines.push(`${Math.round(performance.timeOrigin + now)} ${late.toFixed(2)} ${own.toFixed(2)}\n`);
    if (lines.length >= WRITTEN_LINES) appendFileSync(file, lines.splice(0).join(''));
    [last, lastBusy] = [performance.now(), processorMs()];
  }, EVERY_MS).unref();
}
