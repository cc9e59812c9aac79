// Connections that code of a project takes over, such as those of web sockets. Nobody else knows of them: the server would
// wait for their end when it closes.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** From the moment on that somebody takes connections over; until then, Node answers such requests like any other. */
export function endUpgraded(app: FastifyInstance): void {
  const { server } = app;
  const connections = new Set<Duplex>();
  let isClosing = false;
  const follow = (_request: IncomingMessage, connection: Duplex): void => {
    // Nobody takes them any more.
    const isLeft = server.listenerCount('upgrade') === 1;
    if (isClosing || isLeft) return void connection.destroy();
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  };
  const begin = (event: string): void => {
    if (event !== 'upgrade') return;
    server.off('newListener', begin);
    server.on('upgrade', follow);
  };
  server.on('newListener', begin);
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const connection of connections) connection.destroy();
  });
}
