// Writes the responses of one turn of the event loop in one batch at its end, where there are several. A write wakes
// whoever reads it. A client or a proxy on the same machine that has read one response and sleeps again would be woken anew
// by each; woken once, it reads the others while it is awake.
import type { FastifyInstance } from 'fastify';
import { errorOf } from '../errors.ts';

/** A batch that is older is written when a response joins it. */
const MAX_BATCH_MS = 1;
/** While responses come one by one, one in so many begins a batch: to wait costs the time of another turn. */
const PROBE_EVERY = 16;

/** While the server closes, a response is written at once, and is the last on its connection. */
export function batchResponses(app: FastifyInstance): void {
  let isClosing = false;
  let batch: (() => void)[] = [];
  let begun = 0;
  let isScheduled = false;
  /** Whether the last batch held several. */
  let wereSeveral = false;
  let lone = 0;
  const flush = (): void => {
    if (batch.length === 0) return;
    const writes = batch;
    batch = [];
    wereSeveral = writes.length > 1;
    for (const write of writes) write();
  };
  const endOfTurn = (): void => {
    isScheduled = false;
    flush();
  };
  const join = (write: () => void): void => {
    const now = performance.now();
    if (batch.length === 0) begun = now;
    if (!isScheduled) setImmediate(endOfTurn);
    isScheduled = true;
    batch.push(write);
    if (now - begun > MAX_BATCH_MS) flush();
  };
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    // Nobody listens yet for errors of a stream, so it does not wait.
    else if (typeof payload === 'string' && (wereSeveral || batch.length > 0 || lone++ % PROBE_EVERY === 0)) {
      join(() => {
        try {
          done(null, payload);
        } catch (error) {
          done(errorOf(error));
        }
      });
      return;
    }
    done(null, payload);
  });
  // Those that wait do not say that their connection ends. Written now, they leave it idle, and it is closed.
  app.addHook('preClose', (done) => {
    isClosing = true;
    flush();
    done();
  });
}
