// A server gives up what takes too long, and refuses requests while it is behind with its work. On a virtual machine whose
// processors others take for seconds, a server that keeps these promises answers 408 or 503 where a test expects an
// answer. So a test on a database that fails is run again if the machine stood still meanwhile, and only then; the run
// says so. A fault of the server fails on a machine that works, and every time.
import { readFileSync } from 'node:fs';
import { beforeEach, describe } from 'vitest';

const LOOK_MS = 200;
/** A timer that is so late, or so much of the processors that others took between two looks, is a machine that stalls. */
const LATE_MS = 1_000;
const MOST_TAKEN = 0.2;
/** A stall is to blame for what fails so long after it. */
const BLAMED_MS = 120_000;
const TIMES = 4;

let lastLook = performance.now();
let lastStall = Number.NEGATIVE_INFINITY;
let lastTimes = processorTimes();

/** What others took of the processors, and all there was, since the machine started; nothing where it does not tell. */
function processorTimes(): { readonly taken: number; readonly all: number } {
  if (process.platform !== 'linux') return { taken: 0, all: 0 };
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, soft = 0, taken = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { taken, all: user + nice + system + idle + wait + interrupts + soft + taken };
}

function look(): void {
  const now = performance.now();
  const times = processorTimes();
  const all = times.all - lastTimes.all;
  const isTaken = all > 0 && (times.taken - lastTimes.taken) / all > MOST_TAKEN;
  if (isTaken || now - lastLook > LOOK_MS + LATE_MS) lastStall = now;
  lastLook = now;
  lastTimes = times;
}

setInterval(look, LOOK_MS).unref();

function stalledLately(): boolean {
  look();
  const isBlamed = performance.now() - lastStall < BLAMED_MS;
  if (isBlamed) console.log('The machine stood still while this test ran and failed; it is run again.');
  return isBlamed;
}

/** `describe` for tests that a machine may fail. */
export function describeSteadily(name: string, body: () => void): void {
  describe(name, { retry: { count: TIMES } }, () => {
    // Vitest drops conditions that are functions when it collects the tests.
    beforeEach(({ task }) => {
      Object.assign(task, { retry: { count: TIMES, condition: stalledLately } });
    });
    body();
  });
}
