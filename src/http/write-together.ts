// When responses are written: those of one turn of the event loop together, at its end, where there are several. A write
// wakes whoever reads it. A client or a proxy on the same machine that has read one response and sleeps again would be
// woken anew by each; woken once, it reads the others while it is awake.
import type { FastifyInstance } from 'fastify';

/** When responses have waited so long for others of their turn, they are written. */
const MAX_WAIT_MS = 1;
/** While they come one by one, only one in so many waits for others: it costs the time of another turn. */
const ALONE = 16;

/** While the server closes, a response is written at once, and is the last on its connection. */
export function writeTogether(app: FastifyInstance): void {
  let isClosing = false;
  let waiting: (() => void)[] = [];
  let since = 0;
  /** Whether the last that waited were several. */
  let areSeveral = false;
  let alone = 0;
  const write = (): void => {
    const all = waiting;
    waiting = [];
    areSeveral = all.length > 1;
    for (const one of all) one();
  };
  const wait = (one: () => void): void => {
    const now = performance.now();
    if (waiting.length === 0) {
      since = now;
      setImmediate(write);
    }
    waiting.push(one);
    if (now - since > MAX_WAIT_MS) write();
  };
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    // Nobody listens yet for errors of a stream, so it does not wait.
    else if (typeof payload === 'string' && (areSeveral || waiting.length > 0 || alone++ % ALONE === 0)) {
      wait(() => {
        try {
          done(null, payload);
        } catch (error) {
          done(error as Error);
        }
      });
      return;
    }
    done(null, payload);
  });
  app.addHook('preClose', (done) => {
    isClosing = true;
    write();
    done();
  });
}
