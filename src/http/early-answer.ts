// An answer to a request whose body is still arriving. A connection that is closed while its client sends takes the answer
// with it, so our side alone is closed; what still comes is read and thrown away, as far as that is bounded.
import type { IncomingMessage } from 'node:http';
import type { onSendHookHandler } from 'fastify';
import { MAX_DISCARD_MS, MAX_DISCARDED_BYTES } from '../limits.ts';
import { markUploading } from './receive-upload.ts';

/** How often it is looked at how much has come. */
const CHECK_MS = 100;

/** For routes whose bodies are large: whoever is refused while sending learns why. */
export const answerEarly: onSendHookHandler = ({ raw, server }, reply, payload, done) => {
  if (isArriving(raw)) {
    // The connection cannot serve for another request.
    reply.header('connection', 'close');
    markUploading(raw.socket);
    raw.socket.destroySoon = () => closeGently(raw, server.server);
  }
  done(null, payload);
};

const isArriving = ({ complete, headers, destroyed }: IncomingMessage): boolean =>
  !complete && !destroyed && (Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined);

/** A server that closes does not wait for what it throws away. */
function closeGently(raw: IncomingMessage, server: { readonly listening: boolean }): void {
  const { socket } = raw;
  const [until, most] = [performance.now() + MAX_DISCARD_MS, socket.bytesRead + MAX_DISCARDED_BYTES];
  socket.end();
  raw.unpipe();
  raw.resume();
  const timer = setInterval(() => {
    if (socket.bytesRead > most || performance.now() > until || !server.listening) socket.destroy();
  }, CHECK_MS);
  socket.once('close', () => clearInterval(timer));
}
