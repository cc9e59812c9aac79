// Whether the event loop of this process is behind with its work. Then further requests are refused at once, rather than
// answered when nobody waits for them any more.
import { MAX_LOOP_LAG_MS } from '../limits.ts';

/** How often the loop is looked at. */
const CHECK_MS = 250;

export class EventLoopMonitor {
  #isBehind = false;
  #timer: NodeJS.Timeout | null = null;

  /** As of the last look: whether work of this process kept a timer waiting for longer than it may. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  start(): void {
    let last = performance.now();
    let lastBusy = busyMilliseconds();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const busy = busyMilliseconds();
      // On a machine that is busy with other things a timer is late as well; to refuse requests would not help there.
      this.#isBehind = Math.min(now - last - CHECK_MS, busy - lastBusy) > MAX_LOOP_LAG_MS;
      [last, lastBusy] = [now, busy];
    }, CHECK_MS).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }
}

/** Processor time of this thread. */
function busyMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
