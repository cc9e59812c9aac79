// The log: one line for each request, with nothing in it that a client keeps secret, and each unexpected error once.
// First in process, with the lines captured; then the real command, whose lines must be there however it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { unavailableError } from '../src/errors.ts';
import { createLogger } from '../src/http/log.ts';
import { BufferedOutput, MAX_WAITING_BYTES } from '../src/http/log-output.ts';
import { createServer } from '../src/http/server.ts';
import { USER } from '../src/model/builtin.ts';
import { openToAll } from './support/access.ts';
import { childrenOf } from './support/cluster.ts';
import { type Answered, type Project, useContents } from './support/content.ts';
import { describeOnSqlite, type Engine, GUIDE } from './support/database.ts';
import { freePort } from './support/postgres-server.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const NOTES: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
const JSON_HEADERS = { 'content-type': 'application/json' };

type Line = Readonly<Record<string, Answered>>;

const isRequest = (line: Line): boolean => 'method' in line;

/** Waits for something that another process or connection brings about. */
async function eventually(isDone: () => boolean): Promise<void> {
  while (!isDone()) await sleep(10);
}

describeOnSqlite('The log of a server', (engine) => {
  const contents = useContents(engine);
  let sheaf: Sheaf;
  const apps: FastifyInstance[] = [];
  beforeAll(async () => {
    sheaf = await open({ project: contents.project(NOTES), database: engine.bareDatabaseUrl(null) });
    await openToAll(sheaf);
  });
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });
  afterAll(() => sheaf.close());

  function serve(level = 'info', served: Sheaf = sheaf): { app: FastifyInstance; text: string[]; lines(): Line[] } {
    const text: string[] = [];
    const app = createServer(served, { logger: createLogger(level, { write: (line) => text.push(line) }) });
    apps.push(app);
    return { app, text, lines: () => text.map((line) => JSON.parse(line)) };
  }

  it('has one line for each request, with the pattern of its route', async () => {
    const { app, text, lines } = serve();
    await app.inject('/api/notes?fields=title');
    await app.inject({ method: 'POST', url: '/api/notes', headers: JSON_HEADERS, payload: '{"data":{"title":"A"}}' });
    await app.inject('/api/notes/none');
    await app.inject('/API/notes/');
    await app.inject({ method: 'PATCH', url: '/api/notes' });
    await app.inject({ method: 'HEAD', url: '/_health' });
    await app.inject('/nowhere/at/all');
    expect(lines().map(({ method, route, status, caller }) => [method, route, status, caller])).toEqual([
      ['GET', '/api/notes', 200, 'public'],
      ['POST', '/api/notes', 201, 'public'],
      ['GET', '/api/notes/:documentId', 404, 'public'],
      ['GET', '/api/notes', 200, 'public'],
      ['PATCH', '/api/notes', 405, null],
      ['HEAD', '/_health', 204, null],
      ['GET', null, 404, null],
    ]);
    for (const line of lines())
      expect(line).toEqual({
        level: 30,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        requestId: expect.any(String),
        method: expect.any(String),
        route: line.route,
        status: expect.any(Number),
        milliseconds: expect.any(Number),
        caller: line.caller,
      });
    expect(new Set(lines().map(({ requestId }) => requestId)).size).toBe(7);
    for (const line of text) expect(line).toMatch(/^[^\n]+\n$/);
  });

  it('has the time to the millisecond', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { app, lines } = serve();
      const moments = ['2026-01-02T03:04:05.006Z', '2026-01-02T03:04:05.070Z', '2026-12-31T23:59:59.999Z'];
      for (const moment of moments) {
        vi.setSystemTime(moment);
        await app.inject('/_health');
      }
      expect(lines().map(({ time }) => time)).toEqual(moments);
    } finally {
      vi.useRealTimers();
    }
  });

  it('says which kind of caller it was', async () => {
    const { app, lines } = serve();
    const { sessions, tokens } = await sheaf.auth();
    const user = await sheaf.documents(USER).create({ data: { username: 'meg', email: 'meg@example.com' } });
    const { jwt } = (await sessions.begin(user.id))!;
    const token = await tokens.create({ name: 'all', description: '', type: 'full-access', actions: [], days: null });
    for (const authorization of [`Bearer ${jwt}`, `Bearer ${token}`, 'Bearer nonsense'])
      await app.inject({ url: '/api/notes', headers: { authorization } });
    expect(lines().map(({ status, caller }) => [status, caller])).toEqual([
      [403, 'user'],
      [200, 'token'],
      [401, null],
    ]);
  });

  it('has what is refused before any route', async () => {
    const { app, lines } = serve();
    const preflight = { origin: 'https://www.example.com', 'access-control-request-method': 'PUT' };
    await app.inject({ method: 'OPTIONS', url: '/api/notes', headers: preflight });
    await app.inject('/api/notes/%zz');
    await app.inject(`/api/notes/${'x'.repeat(300)}`);
    await app.inject(`/api/notes?${'x'.repeat(40_000)}`);
    await app.listen({ port: 0 });
    const address = app.server.address() as { port: number };
    for (const request of ['GET /api/notes HTTP/1.1\r\nhost: a\r\nexpect: more\r\n\r\n', 'no http\r\n\r\n']) {
      const socket = connect(address.port);
      socket.end(request).resume();
      await once(socket, 'close');
    }
    expect(
      lines()
        .filter(isRequest)
        .map(({ method, status, route }) => [method, status, route]),
    ).toEqual([
      ['OPTIONS', 204, null],
      ['GET', 400, null],
      ['GET', 404, null],
      ['GET', 414, '/api/notes'],
      ['GET', 417, null],
    ]);
    expect(lines().at(-1)).toMatchObject({ level: 30, code: 'HPE_INVALID_METHOD', msg: expect.any(String) });
  });

  it('has a request whose client goes before it is answered, without a status', async () => {
    const { app, lines } = serve();
    let answer = (): void => undefined;
    app.get('/slow', () => new Promise((resolve) => (answer = () => resolve('late'))));
    await app.listen({ port: 0 });
    const socket = connect((app.server.address() as { port: number }).port);
    socket.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(app.server, 'request');
    socket.destroy();
    await eventually(() => lines().some(isRequest));
    answer();
    await app.close();
    expect(lines().filter(isRequest)).toEqual([
      expect.objectContaining({ method: 'GET', route: '/slow', status: null, caller: null }),
    ]);
  });

  describe('and the id of a request', () => {
    it.each(['a', 'A-b_c.d:e', '0af7651916cd43dd8448eb211c80319c', 'x'.repeat(128)])('takes %s', async (id) => {
      const { app, lines } = serve();
      const { headers } = await app.inject({ url: '/api/notes', headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toBe(id);
      expect(lines()).toMatchObject([{ requestId: id }]);
    });

    it.each(['', 'a b', 'a"b', 'a,b', 'a\\b', 'ä', '{}', '../..', '<b>', 'x'.repeat(129)])(
      'makes its own instead of %s',
      async (given) => {
        const { app, lines } = serve();
        const { headers } = await app.inject({ url: '/api/notes', headers: { 'x-request-id': given } });
        expect(headers['x-request-id']).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
        expect(lines()).toMatchObject([{ requestId: headers['x-request-id'] }]);
      },
    );

    it('makes its own where two are given', async () => {
      const { app, lines } = serve();
      await app.inject({ url: '/api/notes', headers: { 'x-request-id': ['a', 'b'] } });
      expect(lines()[0]!.requestId).toMatch(/^[0-9a-f]{12}-/);
    });

    it.each([
      ['an answer', '/api/notes', 200],
      ['nothing', '/_health', 204],
      ['a refusal', '/api/notes?sort=nope', 400],
      ['a path that no route answers', '/nowhere', 404],
      ['a URL that cannot be decoded', '/api/notes/%zz', 400],
      ['a segment that is too long', `/api/notes/${'x'.repeat(300)}`, 404],
    ])('sends it back with %s', async (_what, url, status) => {
      const { app } = serve();
      const answer = await app.inject({ url, headers: { 'x-request-id': 'mine' } });
      expect([answer.statusCode, answer.headers['x-request-id']]).toEqual([status, 'mine']);
    });
  });

  describe('and secrets', () => {
    const SECRET = 'tops3cret';

    it('holds nothing of a path, a query, a header or a body, at any level', async () => {
      const { app, text } = serve('trace');
      const json = JSON.stringify;
      const headers = { ...JSON_HEADERS, authorization: `Bearer ${SECRET}`, cookie: `sheaf_position=${SECRET}` };
      for (const url of [
        `/api/notes/${SECRET}`,
        `/api/${SECRET}`,
        `/${SECRET}`,
        `/api/notes?${SECRET}=1`,
        `/api/notes?filters[title]=${SECRET}`,
        `/api/notes?filters[${SECRET}]=1`,
        `/api/notes/%zz${SECRET}`,
        `/api/notes/${SECRET.repeat(40)}`,
        `/api/auth/email-confirmation?confirmation=${SECRET}`,
      ])
        for (const method of ['GET', 'DELETE', 'PATCH'] as const) await app.inject({ method, url });
      await app.inject({ url: '/api/notes', headers });
      await app.inject({ url: '/api/notes', headers: { 'user-agent': SECRET, origin: SECRET, 'x-custom': SECRET } });
      await app.inject({ url: '/api/notes', headers: { 'x-request-id': `"${SECRET}"` } });
      for (const payload of [json({ data: { title: SECRET } }), json({ data: { [SECRET]: 1 } }), `{"${SECRET}`])
        await app.inject({ method: 'POST', url: '/api/notes', headers: JSON_HEADERS, payload });
      for (const [url, body] of [
        ['local', { identifier: SECRET, password: SECRET }],
        ['local/register', { username: SECRET, email: `${SECRET}@example.com`, password: SECRET }],
        ['forgot-password', { email: SECRET }],
        ['reset-password', { code: SECRET, password: SECRET, passwordConfirmation: SECRET }],
        ['refresh', { refreshToken: SECRET }],
      ] as const)
        await app.inject({ method: 'POST', url: `/api/auth/${url}`, headers: JSON_HEADERS, payload: json(body) });
      expect(text.length).toBeGreaterThan(30);
      expect(text.join('')).not.toContain(SECRET);
    });

    it('holds no query in the warnings of the framework', async () => {
      const { app, text } = serve('trace');
      app.get('/twice', (_request, reply) => {
        reply.send('once');
        reply.send('twice');
      });
      app.get('/late', async (_request, reply) => {
        reply.send('first');
        return 'second';
      });
      for (const path of ['twice', 'late']) await app.inject(`/${path}?token=${SECRET}`);
      expect(text.filter((line) => line.includes('"level":40'))).not.toEqual([]);
      expect(text.join('')).not.toContain(SECRET);
    });

    it('holds no values that an error of the database repeats', () => {
      const text: string[] = [];
      const logger = createLogger('info', { write: (line) => text.push(line) });
      const conversion = Object.assign(new Error(`invalid input syntax for type integer: "${SECRET}"`), {
        code: '22P02',
        where: `unnamed portal parameter $1 = '${SECRET}'`,
      });
      const duplicate = Object.assign(new Error('duplicate key value violates unique constraint "tags_label"'), {
        code: '23505',
        detail: `Key (label)=(${SECRET}) already exists.`,
      });
      for (const err of [conversion, duplicate, new Error('outer', { cause: conversion }), SECRET, { SECRET }])
        logger.error({ err });
      logger.error(conversion);
      try {
        JSON.parse(`{"a": ${SECRET}}`);
      } catch (err) {
        logger.error({ err });
      }
      expect(text.join('')).not.toContain(SECRET);
      const errors = text.map((line) => JSON.parse(line).err);
      expect(errors[0]).toMatchObject({
        type: 'Error',
        code: '22P02',
        message: expect.stringMatching(/integer: "…"$/),
      });
      expect(errors[1].message).toBe(duplicate.message);
      expect(errors[2]).toMatchObject({ message: 'outer', cause: { code: '22P02' } });
    });
  });

  describe('and what goes wrong', () => {
    it('has an unexpected error once, with its stack and the id of the request', async () => {
      const broken = await open({ project: contents.project(NOTES), database: engine.bareDatabaseUrl(null) });
      try {
        await openToAll(broken);
        await broken.database.transaction((session) => session.rows({ sql: 'drop table notes', bindings: [] }, []));
        const { app, lines } = serve('info', broken);
        const answer = await app.inject({ url: '/api/notes', headers: { 'x-request-id': 'mine' } });
        expect(answer.statusCode).toBe(500);
        expect(answer.headers['x-request-id']).toBe('mine');
        const [error, request, ...rest] = lines();
        expect(error).toMatchObject({
          level: 50,
          requestId: 'mine',
          err: {
            message: expect.stringContaining('no such table: notes'),
            stack: expect.stringContaining('\n    at '),
          },
        });
        expect(request).toMatchObject({ level: 30, requestId: 'mine', status: 500 });
        expect(rest).toEqual([]);
      } finally {
        for (const app of apps.splice(0)) await app.close();
        await broken.close();
      }
    });

    it('has the reason why the database could not take a request, which the client is not told', async () => {
      const reason = new Error('connect ECONNREFUSED 10.0.0.7:5432');
      const check = async () => {
        throw unavailableError('The database is not available now; try again', reason);
      };
      const { app, lines } = serve('warn', { ...sheaf, check });
      const answer = await app.inject({ url: '/_ready', headers: { 'x-request-id': 'mine' } });
      expect(answer.statusCode).toBe(503);
      expect(answer.body).not.toContain('10.0.0.7');
      expect(lines()).toMatchObject([{ level: 40, requestId: 'mine', err: { message: reason.message } }]);
    });

    it.each([
      ['error', 1],
      ['silent', 0],
    ] as const)('has no requests at the level %s', async (level, errors) => {
      const { app, lines } = serve(level);
      app.get('/broken', async () => {
        throw new Error('broken');
      });
      await app.inject('/api/notes');
      await app.inject('/broken');
      expect(lines()).toHaveLength(errors);
    });

    it('goes to standard error, errors alone, where no logger is given', async () => {
      const complaints = vi.spyOn(console, 'error').mockReturnValue(undefined);
      const app = createServer(sheaf);
      apps.push(app);
      app.get('/broken', async () => {
        throw new Error('broken');
      });
      try {
        await app.inject('/api/notes');
        await app.inject('/api/notes?sort=nope');
        expect(complaints).not.toHaveBeenCalled();
        await app.inject('/broken');
        expect(complaints).toHaveBeenCalledOnce();
        expect(JSON.parse(complaints.mock.calls[0]![0])).toMatchObject({ level: 50, err: { message: 'broken' } });
      } finally {
        complaints.mockRestore();
      }
    });
  });

  it('goes through a logger of the program that embeds the server', async () => {
    const text: string[] = [];
    const logger = pino({ messageKey: 'message' }, { write: (line: string) => text.push(line) });
    const app = createServer(sheaf, { logger });
    apps.push(app);
    await app.inject('/api/notes?sort=secret');
    expect(text.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'GET', route: '/api/notes', status: 400, caller: 'public' },
    ]);
    expect(text.join('')).not.toContain('secret');
  });
});

describe('Buffered output', () => {
  /** Collects what is written; `failures` are thrown first, one by one. */
  function collect(failures: string[] = [], atMost = Number.POSITIVE_INFINITY) {
    const pieces: string[] = [];
    const output = new BufferedOutput((bytes) => {
      const code = failures.shift();
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      const written = Math.min(bytes.length, atMost);
      pieces.push(bytes.toString('latin1', 0, written));
      return written;
    }, 20);
    return { output, pieces, failures };
  }

  it('writes lines together, and none in two pieces', () => {
    const { output, pieces } = collect();
    for (let index = 0; index < 5; index++) output.write(`line ${index}\n`);
    expect(pieces).toEqual(['line 0\nline 1\n', 'line 2\nline 3\n']);
    output.write(`${'a long line '.repeat(4)}\n`);
    expect(output.flush()).toBe(true);
    expect(pieces.slice(2)).toEqual(['line 4\n', `${'a long line '.repeat(4)}\n`]);
  });

  it('writes what waits after a moment', () => {
    vi.useFakeTimers();
    try {
      const { output, pieces } = collect(['EAGAIN']);
      output.write('one\n');
      vi.advanceTimersByTime(500);
      expect(pieces).toEqual([]);
      vi.advanceTimersByTime(500);
      expect(pieces).toEqual(['one\n']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps lines in order for a reader that is slow', () => {
    const { output, pieces, failures } = collect(['EAGAIN', 'EAGAIN'], 5);
    output.write('first line\n');
    expect(output.flush()).toBe(false);
    output.write('second line\n');
    expect(output.flush()).toBe(false);
    output.finish();
    expect(failures).toEqual([]);
    expect(pieces.join('')).toBe('first line\nsecond line\n');
  });

  it('waits for a slow reader at the end, but not for ever', () => {
    const slow = collect(Array.from({ length: 5 }, () => 'EAGAIN'));
    slow.output.write('one\n');
    slow.output.finish();
    expect(slow.pieces).toEqual(['one\n']);
    const stuck = collect(Array.from({ length: 10_000 }, () => 'EAGAIN'));
    stuck.output.write('one\n');
    stuck.output.finish();
    expect(stuck.pieces).toEqual([]);
  });

  it('drops lines when too many wait', () => {
    const failures = Array.from({ length: 1_000_000 }, () => 'EAGAIN');
    const { output, pieces } = collect(failures);
    const line = `${'x'.repeat(9_999)}\n`;
    for (let index = 0; index < 1_000; index++) output.write(line);
    failures.length = 0;
    expect(output.flush()).toBe(true);
    const written = pieces.join('');
    expect(written.length).toBeGreaterThan(MAX_WAITING_BYTES - 2 * line.length);
    expect(written.length).toBeLessThanOrEqual(MAX_WAITING_BYTES + line.length);
    expect(written.length % line.length).toBe(0);
  });

  it.each(['ENOSPC', 'EPIPE', 'EIO'])('drops lines that cannot be written (%s), and goes on', (code) => {
    const { output, pieces } = collect([code]);
    output.write('lost\n');
    expect(output.flush()).toBe(true);
    output.write('kept\n');
    output.finish();
    expect(pieces).toEqual(['kept\n']);
  });
});

describeOnSqlite('The log of sheaf start', (engine: Engine) => {
  let database: string;
  beforeAll(() => {
    database = engine.guideDatabaseUrl();
  });
  const running = new Set<ChildProcess>();
  afterEach(() => {
    // Those that a failed test left.
    for (const child of running) child.kill('SIGKILL');
  });

  interface Running {
    readonly child: ChildProcess;
    readonly address: string;
    readonly out: string[];
    readonly err: string[];
    /** The exit code, once everything it wrote was read. */
    readonly ended: Promise<number | null>;
  }

  interface RunOptions {
    readonly level?: string;
    readonly words?: readonly string[];
    readonly node?: readonly string[];
    /** A file descriptor in place of a pipe. */
    readonly stderr?: number;
  }

  async function run({ level, words = [], node = [], stderr }: RunOptions): Promise<Running> {
    const command = ['start', '--project', GUIDE, '--database', database, '--port', '0', ...words];
    const child = spawn(process.execPath, ['--no-warnings', ...node, MAIN, ...command], {
      stdio: ['ignore', 'pipe', stderr ?? 'pipe'],
      env: { PATH: process.env.PATH, ...(level !== undefined && { LOG_LEVEL: level }) },
    });
    running.add(child);
    const ended = once(child, 'close').then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
    const [out, err]: [string[], string[]] = [[], []];
    if (child.stderr) createInterface(child.stderr).on('line', (line) => err.push(line));
    createInterface(child.stdout!).on('line', (line) => out.push(line));
    const address = () => out.map((line) => /^ +at +(http:\S+)/.exec(line)?.[1]).find((found) => found !== undefined);
    let code: number | null | undefined;
    ended.then((ending) => {
      code = ending;
    });
    await eventually(() => out.includes('Stop with Ctrl+C.') || code !== undefined);
    return { child, address: address() ?? '', out, err, ended };
  }

  const request = async ({ address }: Running, id: string): Promise<void> => {
    const answer = await fetch(`${address}/api/tags?fields=label`, { headers: { 'x-request-id': id } });
    await answer.text();
  };

  const ids = ({ err }: Running): string[] =>
    err
      .map((line): Line => JSON.parse(line))
      .filter(isRequest)
      .map(({ requestId }) => requestId);

  it('is complete after SIGTERM, and apart from what it prints', async () => {
    const server = await run({});
    await request(server, 'first');
    await request(server, 'last');
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(ids(server)).toEqual(['first', 'last']);
    expect(server.out[0]).toMatch(/^Sheaf serves \d+ content-types/);
    expect(server.out.at(-1)).toContain('SIGTERM');
    expect(server.out.join('\n')).not.toContain('"level"');
  });

  it('is complete after an error that nothing caught, which it ends with', async () => {
    const crash = 'data:text/javascript,process.on("SIGUSR2",()=>{throw new Error("out of the blue")})';
    const server = await run({ node: ['--import', crash] });
    await request(server, 'last');
    server.child.kill('SIGUSR2');
    expect(await server.ended).toBe(1);
    expect(ids(server)).toEqual(['last']);
    expect(JSON.parse(server.err.at(-1)!)).toMatchObject({
      level: 60,
      err: { message: 'out of the blue', stack: expect.stringContaining('\n    at ') },
    });
  });

  it('has the lines of all workers, none of them cut, says when one is replaced, and is complete after SIGINT', async () => {
    const server = await run({ words: ['--workers', '2', '--port', String(await freePort())] });
    const names = Array.from({ length: 200 }, (_, index) => `request-${index}`);
    await Promise.all(names.map((name) => request(server, name)));
    const [victim] = childrenOf(server.child.pid!);
    process.kill(victim!, 'SIGKILL');
    await eventually(() => childrenOf(server.child.pid!).filter((pid) => pid !== victim).length === 2);
    const later = names.map((name) => `later-${name}`);
    await Promise.all(later.map((name) => request(server, name)));
    server.child.kill('SIGINT');
    expect(await server.ended).toBe(0);
    const lines = server.err.map((line): Line => JSON.parse(line));
    expect(lines.filter(({ level }) => level > 30)).toMatchObject([{ level: 40, pid: victim, signal: 'SIGKILL' }]);
    // What the victim had gathered in its last half second is gone with it, and nothing else.
    const [early, late] = [names, later].map((all) => ids(server).filter((id) => all.includes(id)));
    expect(new Set(early).size).toBe(early!.length);
    expect(late!.toSorted()).toEqual(later.toSorted());
    expect(ids(server)).toHaveLength(early!.length + late!.length);
    expect(server.out.at(-1)).toContain('SIGINT');
  });

  it('is empty with LOG_LEVEL=silent', async () => {
    const server = await run({ level: 'silent' });
    await request(server, 'unseen');
    await fetch(`${server.address}/api/nowhere/%zz`);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.err).toEqual([]);
  });

  it('refuses the start with a LOG_LEVEL that it does not know, and names those it does', async () => {
    const server = await run({ level: 'loud' });
    expect(await server.ended).toBe(1);
    expect(server.out).toEqual([]);
    expect(server.err.join('\n')).toMatch(/"loud".*LOG_LEVEL.*trace, debug, info, warn, error, fatal, silent/s);
  });

  it('does not hold up a server whose reader is gone', async () => {
    const server = await run({});
    server.child.stderr!.destroy();
    for (let index = 0; index < 100; index++) await request(server, `unread-${index}`);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it.skipIf(!existsSync('/dev/full'))('does not hold up a server whose disk is full', async () => {
    const full = openSync('/dev/full', 'w');
    const server = await run({ stderr: full });
    closeSync(full);
    for (let index = 0; index < 100; index++) await request(server, `unwritten-${index}`);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });
});
