// Whether the event loop of this process is behind with its work. Then further requests are refused at once, rather than
// answered when nobody waits for them any more.
import { MAX_LOOP_LAG_MS } from '../limits.ts';

/** How often the loop is looked at. */
const CHECK_MS = 250;
/** Looks in a row that have to find it late: what happens once, such as loading a module, is over when it is seen. */
const LATE_LOOKS = 2;

/** Looks at the loop from now on; says whether work of this process keeps a timer waiting longer than for `maxLag` ms. */
export function watchEventLoop(maxLag = MAX_LOOP_LAG_MS): () => boolean {
  let last = performance.now();
  let lastBusy = busyMilliseconds();
  let lateLooks = 0;
  setInterval(() => {
    const now = performance.now();
    const busy = busyMilliseconds();
    // On a machine that is busy with other things a timer is late as well; to refuse requests would not help there.
    const isLate = Math.min(now - last - CHECK_MS, busy - lastBusy) > maxLag;
    lateLooks = isLate ? lateLooks + 1 : 0;
    [last, lastBusy] = [now, busy];
  }, CHECK_MS).unref();
  return () => lateLooks >= LATE_LOOKS;
}

/** Processor time of this thread. */
function busyMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
