// strapi.server.httpServer: code of a project takes over connections, as Socket.IO and ws do, hears when the server
// listens and closes, and keeps it from nothing.
import { once } from 'node:events';
import http from 'node:http';
import type { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { createServer } from '../src/http/server.ts';
import { useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { useGuarded } from './support/guarded.ts';
import { collectedLog, writeFiles } from './support/own-code.ts';

/** Puts itself before the requests, as Socket.IO does. */
const SOCKETS = `
module.exports = {
  bootstrap({ strapi }) {
    const { httpServer } = strapi.server;
    strapi.heard = [];
    for (const event of ['listening', 'close']) httpServer.on(event, () => strapi.heard.push(event));
    httpServer.on('upgrade', (request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nconnection: upgrade\\r\\nupgrade: echo\\r\\n\\r\\n');
      socket.on('data', (data) => socket.write(request.url + ' ' + data));
      socket.on('error', () => undefined);
    });
    const before = httpServer.listeners('request');
    httpServer.removeAllListeners('request');
    httpServer.on('request', (request, response) => {
      if (request.url === '/poll') return response.end('polled');
      for (const listener of before) listener.call(httpServer, request, response);
    });
  },
};
`;

const starting = (code: string): string => `module.exports = { bootstrap({ strapi }) { ${code} } };`;

describeOnEveryDatabase('The HTTP server that code is given', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  async function listening(index: string) {
    const folder = contents.project({ types: { note: { attributes: { title: { type: 'string' } } } } });
    writeFiles(folder, { 'src/index.js': index });
    const site = await guarded.open(folder, { database: engine.bareDatabaseUrl(null) });
    await site.auth.roles.grant('public', ['api::note.note.find']);
    const { logger, lines } = collectedLog();
    const app = createServer(site.sheaf, { logger });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const { strapi } = globalThis as unknown as { strapi: { heard: string[] } };
    return { app, address, lines, strapi };
  }

  const asking = (address: string, path: string, upgrade: string): http.ClientRequest =>
    http.get(`${address}${path}`, { headers: { connection: 'upgrade', upgrade } });

  it('hands over connections, and ends them when it closes', async () => {
    const { app, address, strapi } = await listening(SOCKETS);
    const [, socket] = (await once(asking(address, '/live', 'echo'), 'upgrade')) as [unknown, Duplex];
    socket.write('hello');
    expect(String((await once(socket, 'data'))[0])).toBe('/live hello');
    expect(await (await fetch(`${address}/poll`)).text()).toBe('polled');
    expect((await fetch(`${address}/api/notes`)).status).toBe(200);
    await Promise.all([app.close(), once(socket, 'close')]);
    expect(strapi.heard).toEqual(['listening', 'close']);
  });

  it('answers what nobody takes over like any other request', async () => {
    const { app, address } = await listening(starting(`strapi.server.httpServer.on('close', () => undefined);`));
    const [response] = (await once(asking(address, '/api/notes', 'h2c'), 'response')) as [http.IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
    await app.close();
  });

  it('ends a connection that somebody took over before', async () => {
    const leaving = `
      const { httpServer } = strapi.server;
      const take = () => undefined;
      httpServer.on('upgrade', take).off('upgrade', take);`;
    const { app, address } = await listening(starting(leaving));
    await once(asking(address, '/api/notes', 'echo'), 'error');
    await app.close();
  });

  it('comes without the rest of the server of Strapi', async () => {
    const { app, lines } = await listening(starting('strapi.server.router.use(() => undefined);'));
    const told = lines.map(({ msg }) => String(msg)).find((msg) => msg.includes('bootstrap failed'));
    expect(told).toContain('strapi.server.router is not offered; declare routes in src/api/*/routes');
    await app.close();
  });
});
