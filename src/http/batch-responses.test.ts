// When responses are written, seen at the connections of the server.
import { once } from 'node:events';
import net from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchResponses } from './batch-responses.ts';

const nextTick = (): Promise<void> => new Promise(process.nextTick);

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`;

describe('Responses', () => {
  let app: FastifyInstance;
  let port: number;
  /** The connections of the server, in the order of their clients. */
  let sockets: net.Socket[];
  let clients: net.Socket[];
  /** Lets the handlers of /held go on, which wait for it. */
  let release: () => void;
  let arrived: number;
  /** Responses that wait to be written, or are. */
  let made: number;
  let wasWritten: boolean;

  beforeEach(async () => {
    [sockets, clients, arrived, made] = [[], [], 0, 0];
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    app = Fastify();
    app.addHook('onSend', (_request, _reply, payload, done) => {
      made++;
      done(null, payload);
    });
    batchResponses(app);
    app.get('/now/:name', async ({ params }) => (params as { name: string }).name);
    app.get('/alone', (_request, reply) => {
      reply.send('alone');
      wasWritten = reply.raw.writableEnded;
    });
    app.get('/broken', (_request, reply) => {
      reply.send(new Readable({ read: () => undefined }).destroy(new Error('broken')));
    });
    app.get('/last', (_request, reply) => {
      reply.send('last');
      void app.close();
    });
    app.get('/held', async () => {
      arrived++;
      await held;
      return 'held';
    });
    app.get('/slow', async () => {
      arrived++;
      await held;
      // Until the responses are made that others make at once.
      await nextTick();
      const end = performance.now() + 2;
      while (performance.now() < end);
      return 'slow';
    });
    app.server.on('connection', (socket) => sockets.push(socket));
    await app.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = app.server.address() as net.AddressInfo);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const client of clients) client.destroy();
    await app.close();
  });

  async function send(text: string): Promise<net.Socket> {
    const client = net.connect(port, '127.0.0.1').setEncoding('latin1');
    clients.push(client);
    await once(client, 'connect');
    client.write(text);
    return client;
  }

  /** What a client has got when it has got so many responses. */
  async function responses(client: net.Socket, count: number): Promise<string> {
    let text = '';
    while (text.split('HTTP/1.1 200').length <= count || !/\r\n\r\n\w+$/.test(text))
      text += String((await once(client, 'data'))[0]);
    return text;
  }

  const written = (): boolean[] => sockets.map(({ bytesWritten }) => bytesWritten > 0);

  it('are written together at the end of a turn of the event loop', async () => {
    const got: Promise<string>[] = [];
    for (let count = 1; count <= 3; count++) {
      got.push(responses(await send(request('/held')), 1));
      await expect.poll(() => arrived).toBe(count);
    }
    // A machine that stands still for a moment makes a batch take long.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    release();
    await nextTick();
    expect([made, written()]).toEqual([3, [false, false, false]]);
    vi.restoreAllMocks();
    await nextTurn();
    expect(written()).toEqual([true, true, true]);
    for (const text of await Promise.all(got)) expect(text).toMatch(/\r\n\r\nheld$/);
  });

  it('do not wait for one that takes long', async () => {
    await send(request('/held'));
    await expect.poll(() => arrived).toBe(1);
    await send(request('/slow'));
    await expect.poll(() => arrived).toBe(2);
    release();
    await nextTick();
    expect([made, written()]).toEqual([1, [false, false]]);
    await nextTick();
    expect([made, written()]).toEqual([2, [true, true]]);
    // There were several, so the next one waits for others as well.
    await nextTurn();
    await app.inject('/alone');
    expect(wasWritten).toBe(false);
  });

  it('are written at once while they come one by one, but for one in 16', async () => {
    const atOnce: boolean[] = [];
    for (let count = 0; count < 17; count++) {
      await app.inject('/alone');
      atOnce.push(wasWritten);
    }
    expect(atOnce).toEqual([false, ...Array.from({ length: 15 }, () => true), false]);
  });

  it('that are streams are sent at once, so that their errors are met', async () => {
    const { statusCode, body } = await app.inject('/broken');
    expect({ statusCode, body }).toMatchObject({ statusCode: 500, body: expect.stringContaining('broken') });
  });

  it('come in their order to a client that does not wait for them', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const client = await send(names.map((name) => request(`/now/${name}`)).join(''));
    const text = await responses(client, names.length);
    expect([...text.matchAll(/\r\n\r\n(\w)/g)].map(([, name]) => name)).toEqual(names);
  });

  it('are written while the server closes, each as the last of its connection', async () => {
    const client = await send(request('/held'));
    await expect.poll(() => arrived).toBe(1);
    const closed = app.close();
    await nextTurn();
    release();
    expect(await responses(client, 1)).toMatch(/connection: close\r\n[\s\S]*\r\n\r\nheld$/i);
    await closed;
  });

  it('that wait when the server begins to close keep no connection open', async () => {
    const client = await send(request('/last'));
    const ended = once(client, 'close');
    expect(await responses(client, 1)).toMatch(/\r\n\r\nlast$/);
    await ended;
  });
});
