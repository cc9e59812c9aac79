// Clients that do not send what they began, or do not read what they asked for, are let go. With short limits: that they
// have to be waited for is what matters, not how long.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_HEADERS_MS, MAX_IDLE_MS, MAX_PIPELINED_REQUESTS, MAX_REQUEST_MS } from '../src/limits.ts';
import { openToAll } from './support/access.ts';
import { type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';

const NOTES: Project = { types: { note: { attributes: { text: { type: 'text' } } } } };
/** Longer than any test takes. */
const NEVER = 600_000;
const SHORT = 300;
const LIMITS = { headers: NEVER, request: NEVER, stalled: NEVER, idle: NEVER, check: 20 };
const TRICKLE_MS = 20;
/** More than the buffers of both ends of a connection hold. */
const LARGE = 'x'.repeat(500_000);
const REQUESTS = 60;
const POLL = { timeout: 60_000, interval: 10 };

/** Whatever could begin at once has begun. */
async function inLaterTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await nextTurn();
}

describeOnSqlite('A client', (engine) => {
  const contents = useContents(engine);
  const apps: FastifyInstance[] = [];
  const sockets: Socket[] = [];
  let sheaf: Sheaf;

  beforeAll(async () => {
    sheaf = await open({ project: contents.project(NOTES), database: engine.bareDatabaseUrl(null) });
    await openToAll(sheaf);
    await sheaf.documents('api::note.note').create({ data: { text: LARGE } });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    for (const app of apps) await app.close();
    await sheaf.close();
  });

  /** A connection to a server with some limits that are short: both ends of it. `begins`: waited for by every request. */
  async function connected(
    limits: Partial<typeof LIMITS>,
    begins = async (): Promise<void> => undefined,
  ): Promise<{ client: Socket; server: Socket }> {
    const app = createServer(sheaf, { timeouts: { ...LIMITS, ...limits } });
    app.addHook('preHandler', begins);
    apps.push(app);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const accepted = once(app.server, 'connection') as Promise<[Socket]>;
    const { port } = app.server.address() as { port: number };
    const client = connect({ host: '127.0.0.1', port });
    client.on('error', () => undefined);
    sockets.push(client);
    return { client, server: (await accepted)[0] };
  }

  /** All that comes until the server closes. Sends a piece again and again meanwhile. */
  async function answerTo(client: Socket, beginning: string, piece: string): Promise<string> {
    let text = '';
    client.setEncoding('utf8').on('data', (data) => {
      text += data;
    });
    client.write(beginning);
    const trickle = setInterval(() => client.writable && client.write(piece), TRICKLE_MS);
    try {
      await once(client, 'close');
    } finally {
      clearInterval(trickle);
    }
    return text;
  }

  const HEAD = 'POST /api/notes HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
  const TIMED_OUT = /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"name":"RequestTimeoutError"/;

  it('is let go that does not end its headers, however steadily they come', async () => {
    const { client } = await connected({ headers: SHORT });
    expect(await answerTo(client, 'GET /api/notes HTTP/1.1\r\nhost: a\r\n', 'a: b\r\n')).toMatch(TIMED_OUT);
  });

  it('is let go that sends nothing', async () => {
    const { client } = await connected({ headers: SHORT });
    expect(await answerTo(client, '', '')).toMatch(TIMED_OUT);
  });

  it('is let go that does not end its body, however steadily it comes', async () => {
    const { client } = await connected({ headers: SHORT, request: SHORT });
    expect(await answerTo(client, `${HEAD}content-length: 100000\r\n\r\n{"data":`, ' ')).toMatch(TIMED_OUT);
  });

  it('has more time for its body than for its headers', async () => {
    const headers = 1_000;
    const { client } = await connected({ headers });
    const later = headers / TRICKLE_MS + 5;
    const body = `{"data":{"text":"${'a'.repeat(later)}"}}`;
    const answered = once(client.setEncoding('utf8'), 'data') as Promise<[string]>;
    client.write(`${HEAD}content-length: ${body.length}\r\n\r\n`);
    for (const character of body) {
      client.write(character);
      await new Promise((resolve) => setTimeout(resolve, TRICKLE_MS));
    }
    expect((await answered)[0]).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('is let go that does not read its answers', async () => {
    const { client, server } = await connected({ stalled: SHORT });
    const closed = once(server, 'close');
    client.pause();
    client.write('GET /api/notes HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(REQUESTS));
    await closed;
    expect(server.bytesWritten).toBeLessThan(REQUESTS * LARGE.length);
  });

  it('has its requests answered one after another, though it sends all of them in one packet', async () => {
    let begun = 0;
    const { client } = await connected({}, async () => {
      begun++;
    });
    client.pause();
    client.write('GET /api/notes HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(REQUESTS));
    await expect.poll(() => begun, POLL).toBeGreaterThan(0);
    await inLaterTurns();
    expect(begun).toBeLessThan(REQUESTS / 2);
    client.resume();
    await expect.poll(() => begun, POLL).toBe(REQUESTS);
  });

  it('finds with a request what the one before it in the same packet has written', async () => {
    const { client } = await connected({});
    const body = JSON.stringify({ data: { text: 'sent ahead' } });
    const create = `POST /api/notes HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    const find = 'GET /api/notes?filters[text]=sent%20ahead HTTP/1.1\r\nhost: a\r\nconnection: close';
    const text = await answerTo(client, `${create}\r\n\r\n${body}${find}\r\n\r\n`, '');
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
    expect(text.slice(text.lastIndexOf('HTTP/1.1'))).toContain('"text":"sent ahead"');
  });

  it('is read no further while many of its requests wait, and has all of them answered in their order', async () => {
    const open = Promise.withResolvers<void>();
    const { client, server } = await connected({}, () => open.promise);
    const requests = MAX_PIPELINED_REQUESTS * 10;
    // More than the system takes over.
    const padding = 'x'.repeat(4_000);
    const text = Array.from(
      { length: requests },
      (_, number) =>
        `GET /api/notes/none HTTP/1.1\r\nhost: a\r\nx-request-id: ${number}\r\nx-padding: ${padding}\r\n\r\n`,
    ).join('');
    client.write(text);
    let answers = '';
    client.setEncoding('utf8').on('data', (data) => {
      answers += data;
    });
    await expect.poll(() => server.isPaused(), POLL).toBe(true);
    expect(server.bytesRead).toBeLessThan(text.length / 2);
    open.resolve();
    const ids = (): string[] => [...answers.matchAll(/x-request-id: (\d+)/g)].map(([, id]) => id!);
    await expect.poll(() => ids().length, POLL).toBe(requests);
    expect(ids()).toEqual(Array.from({ length: requests }, (_, number) => String(number)));
  });

  it('that leaves has nothing more of what it sent begun', async () => {
    const open = Promise.withResolvers<void>();
    let begun = 0;
    const { client, server } = await connected({}, () => {
      begun++;
      return open.promise;
    });
    client.write('GET /api/notes/none HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(REQUESTS));
    await expect.poll(() => begun, POLL).toBe(1);
    client.destroy();
    await once(server, 'close');
    open.resolve();
    await inLaterTurns();
    expect(begun).toBe(1);
  });

  it('has the time that the limits say where nothing else is said', () => {
    const { server } = createServer(sheaf);
    expect(server).toMatchObject({
      headersTimeout: MAX_HEADERS_MS,
      requestTimeout: MAX_REQUEST_MS,
      keepAliveTimeout: MAX_IDLE_MS,
    });
  });

  it('may ask for as much and read it', async () => {
    const { client } = await connected({});
    let length = 0;
    client.on('data', (data) => {
      length += data.length;
    });
    client.write('GET /api/notes HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(REQUESTS - 1));
    client.write('GET /api/notes HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    await once(client, 'close');
    expect(length).toBeGreaterThan(REQUESTS * LARGE.length);
  });
});

describeOnSqlite('A large response', (engine) => {
  const contents = useContents(engine);
  /** Characters of two units, so that some lie across pieces wherever these end. */
  const TEXT = `x${'😀'.repeat(1_500_000)}`;

  it('is sent as the client reads it, and arrives whole', async () => {
    const sheaf = await open({ project: contents.project(NOTES), database: engine.bareDatabaseUrl(null) });
    await openToAll(sheaf);
    await sheaf.documents('api::note.note').create({ data: { text: TEXT } });
    const app = createServer(sheaf);
    try {
      const address = await app.listen({ host: '127.0.0.1', port: 0 });
      const accepted = once(app.server, 'connection') as Promise<[Socket]>;
      const response = await fetch(`${address}/api/notes`);
      const [socket] = await accepted;
      // What the client has not read, nor the system taken over, waits as characters and not as bytes of the answer.
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(6_000_000);
      expect(socket.writableLength).toBeLessThan(1_000_000);
      const body = (await response.json()) as { data: { text: string }[] };
      expect(body.data[0]!.text === TEXT).toBe(true);
    } finally {
      await app.close();
      await sheaf.close();
    }
  });
});
