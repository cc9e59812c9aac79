// Requests that a client sends before it has the answers to those before. They begin one after another, each in a turn of
// the event loop of its own: a single packet holds more than a thousand of them, whose answers would otherwise all be made
// at once and wait in memory. So a request also finds what the one before it has written.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_PIPELINED_REQUESTS } from '../limits.ts';

/** Where a connection keeps the response to its last request. */
const LAST = Symbol('last response');

/** The response that goes before that to a request; null where all is answered, as it is unless a client sends ahead. */
export function unansweredBefore({ raw }: FastifyRequest, reply: FastifyReply): ServerResponse | null {
  const connection: Socket & { [LAST]?: ServerResponse } = raw.socket;
  const before = connection[LAST];
  connection[LAST] = reply.raw;
  return before === undefined || before.writableFinished ? null : before;
}

/** How many requests of a connection wait. */
interface Waiting {
  count: number;
  isPaused: boolean;
}

const waiting = new WeakMap<Socket, Waiting>();

/** Begins a request when the response before is sent. Where the connection is gone by then, nobody waits for another. */
export function beginAfter(before: ServerResponse, socket: Socket, begin: () => void): void {
  const ofSocket = waiting.get(socket) ?? { count: 0, isPaused: false };
  waiting.set(socket, ofSocket);
  ofSocket.count++;
  if (ofSocket.count >= MAX_PIPELINED_REQUESTS && !ofSocket.isPaused) {
    ofSocket.isPaused = true;
    // Node reads on at the end of every request that it has parsed. What it has read is parsed by then.
    queueMicrotask(() => socket.pause());
  }
  before.once('close', () =>
    setImmediate(() => {
      if (socket.destroyed) return;
      ofSocket.count--;
      if (ofSocket.count === 0 && ofSocket.isPaused) {
        ofSocket.isPaused = false;
        socket.resume();
      }
      begin();
    }),
  );
}
