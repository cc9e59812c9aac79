// Uploads that are meant to harm: each is refused with a 4xx in the envelope, and leaves nothing behind.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { json, text as textOf } from 'node:stream/consumers';
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_SVG_HEAD_BYTES, MAX_UPLOADED_FILES } from '../src/limits.ts';
import { gif, png } from './conformance/upload-checks.mjs';
import { openToAll } from './support/access.ts';
import { type Answered, type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';
import { expectSoon, timed } from './support/soon.ts';
import { multipart, type Part } from './support/uploads.ts';

const MAX_BYTES = 200_000;
const SETTINGS = { files: { maxBytes: MAX_BYTES, maxBytesOf: { 'text/*': 1_000, 'image/gif': 50 } } };
const PROJECT: Project = { types: { note: { attributes: { cover: { type: 'media' } } } }, settings: SETTINGS };
const NEVER = 600_000;
const LIMITS = { headers: 300, request: 300, stalled: NEVER, idle: NEVER, check: 20 };
const TIMES = { pause: 2_000, whole: 8_000 };

/** A PNG of one colour and few bytes, however large. */
function flatPng(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head[8] = 1;
  const pixels = deflateSync(Buffer.alloc((side / 8 + 1) * side), { level: 9 });
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1">';
const ENTITIES = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "${'x'.repeat(100)}"><!ENTITY b "&a;&a;&a;">]>${SVG}&b;</svg>`;

interface Answer {
  readonly status: number;
  readonly body: Answered;
}

type Body = Buffer | (() => Buffer | null);
type Client = (body: Body, headers: Record<string, string>, everyMs?: number) => Promise<Answer>;

describeOnSqlite('A hostile upload', (engine) => {
  const contents = useContents(engine);
  let sheaf: Sheaf;
  let app: ReturnType<typeof createServer>;
  let base: string;

  beforeAll(async () => {
    sheaf = await open({ project: contents.project(PROJECT), database: engine.bareDatabaseUrl(null) });
    await openToAll(sheaf);
    app = createServer(sheaf, { timeouts: LIMITS, uploadTimes: TIMES });
    base = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await app.close();
    await sheaf.close();
  });

  /** Sends a body, or pieces of one until there is an answer. A connection that breaks before that is an error. */
  const send: Client = (body, headers, everyMs = 0) =>
    new Promise((resolve, reject) => {
      const { port } = app.server.address() as AddressInfo;
      let isAnswered = false;
      const place = { host: '127.0.0.1', port, method: 'POST', path: '/api/upload' };
      const request = http.request({ ...place, headers, agent: false });
      request.on('response', (response) => {
        isAnswered = true;
        json(response).then(
          (answered) => resolve({ status: response.statusCode!, body: answered as Answered }),
          reject,
        );
      });
      request.on('error', (error) => isAnswered || reject(error));
      if (Buffer.isBuffer(body)) {
        request.end(body);
        return;
      }
      const next = (): void => {
        if (isAnswered || request.destroyed) return;
        const piece = body();
        if (piece === null) request.end();
        else if (everyMs > 0) request.write(piece, () => setTimeout(next, everyMs));
        else if (request.write(piece)) setImmediate(next);
        else request.once('drain', next);
      };
      next();
    });

  const fetched: Client = async (body, headers) => {
    const stream = new ReadableStream({
      pull(controller) {
        const piece = Buffer.isBuffer(body) ? body : body();
        if (piece) controller.enqueue(piece);
        if (piece === null || Buffer.isBuffer(body)) controller.close();
      },
    });
    const answer = await fetch(`${base}/api/upload`, { method: 'POST', headers, body: stream, duplex: 'half' });
    return { status: answer.status, body: (await answer.json()) as Answered };
  };

  /** Sends all of a body before it reads anything, as many libraries do. */
  const sentWhole = async (body: Buffer, headers: Record<string, string>): Promise<Answer> => {
    const { port } = app.server.address() as AddressInfo;
    const socket = net.connect({ host: '127.0.0.1', port });
    const lines = Object.entries({ host: 'x', ...headers, 'content-length': String(body.length) });
    socket.write(`POST /api/upload HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`);
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(body, () => resolve());
    });
    const [head = '', text = ''] = (await textOf(socket)).split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), body: JSON.parse(text) as Answered };
  };

  const upload = async (...parts: readonly Part[]): Promise<Answer> => {
    const { payload, headers } = await multipart(parts);
    return send(payload, { ...headers });
  };
  const raw = (text: string | Buffer, type = 'multipart/form-data; boundary=x'): Promise<Answer> =>
    send(Buffer.from(text), { 'content-type': type });
  const part = (headers: string, body = 'x'): string => `--x\r\n${headers}\r\n\r\n${body}\r\n--x--\r\n`;
  const disposition = (name: string): string => `content-disposition: form-data; name="files"; ${name}`;

  const expectRefused = (answer: Answer, status: number, message?: RegExp): void => {
    expect([answer.status, answer.body.error?.status], JSON.stringify(answer.body)).toEqual([status, status]);
    if (message) expect(answer.body.error.message).toMatch(message);
  };
  const expectNothingStored = async (): Promise<void> => {
    const { folder, storage } = sheaf.files;
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([]);
    expect(readdirSync(storage.incoming)).toEqual([]);
    expect(await sheaf.files.find()).toEqual([]);
  };

  it('is a picture that few bytes blow up', async () => {
    const bomb = flatPng(10_000);
    expect(bomb.length).toBeLessThan(20_000);
    expectRefused(await upload(['files', bomb, 'bomb.png', 'image/png']), 400, /MAX_PICTURE_PIXELS/);
    await expectNothingStored();
  });

  it('is a drawing that grows when it is read', async () => {
    const compressed = gzipSync(`${SVG}${' '.repeat(1_000_000)}</svg>`);
    for (const content of [compressed, ENTITIES, 'no drawing', `<!--${'-'.repeat(70_000)}-->${SVG}</svg>`])
      expectRefused(await upload(['files', content, 'bomb.svg', 'image/svg+xml']), 400, /not a valid image/);
    await expectNothingStored();
  });

  it('is a drawing that takes long to look through', async () => {
    const begins = '<svg '.repeat(MAX_SVG_HEAD_BYTES / 5);
    const wide = `<svg width="1${' '.repeat(MAX_SVG_HEAD_BYTES - 100)}x" height="1"></svg>`;
    const slow = (content: string) => () => upload(['files', content, 'slow.svg', 'image/svg+xml']);
    const usual = slow(`${SVG}</svg>`);
    for (const content of [begins, wide]) {
      const took = await timed(slow(content));
      await expectSoon(took, slow(content), usual, { suspicious: 500, most: 20 });
    }
    expectRefused(await slow(begins)(), 400, /not a valid image/);
    for (const { documentId } of await sheaf.files.find()) await sheaf.files.delete(String(documentId));
    await expectNothingStored();
  });

  it('has an extension that every object has as well', async () => {
    for (const name of ['a.constructor', 'a.__proto__', 'a.toString']) {
      const answer = await upload(['files', 'fine', name, 'text/plain']);
      expect([answer.status, answer.body[0]?.mime], name).toEqual([201, 'text/plain']);
      await sheaf.files.delete(answer.body[0].documentId);
    }
    await expectNothingStored();
  });

  it('is two things at once, or not what it is called', async () => {
    const polyglot = Buffer.from('GIF89a/*\0\0\0\0*/=1;alert(document.cookie)//');
    const cases: [Part, RegExp][] = [
      [['files', polyglot, 'a.js', 'image/gif'], /not allowed/],
      [['files', polyglot, 'a.gif', 'image/gif'], /not a valid image/],
      [['files', '<script>alert(1)</script>', 'a.png', 'text/html'], /not a valid image/],
      [['files', '<script>alert(1)</script>', 'a.txt', 'image/png'], /not a valid image/],
      [['files', 'MZ\x90\0\x03', 'a.txt', 'text/plain'], /not allowed/],
      [['files', '#!/bin/sh\nrm -rf /', 'a.txt', 'text/plain'], /not allowed/],
      [['files', '<?php', 'a.PHP', 'text/plain'], /not allowed/],
      [['files', '\x7fELF\x02\x01\x01', 'library', 'application/octet-stream'], /not allowed/],
      [['files', png(3, 3).subarray(0, 40), 'cut.png', 'image/png'], /not a valid image/],
    ];
    for (const [one, message] of cases) expectRefused(await upload(one), 400, message);
    expectRefused(await raw('{}', 'image/png'), 415);
    expectRefused(await raw(part(disposition('filename="a.txt"')), 'application/json'), 400);
    await expectNothingStored();
  });

  it('is too large: of any type, of its own, or beside others that are not', async () => {
    const small: Part = ['files', 'fine', 'fine.txt', 'text/plain'];
    const cases: Part[] = [
      ['files', Buffer.alloc(MAX_BYTES + 1), 'a.bin', ''],
      ['files', Buffer.alloc(1_001, 'x'), 'a.txt', 'text/plain'],
      ['files', gif, 'a.gif', 'image/gif'],
    ];
    for (const one of cases)
      expectRefused(await upload(small, one), 413, /^a\.\w+ exceeds size limit of [\d.]+ K?B\.$/);
    await expectNothingStored();
  });

  it('leads out of the folder, or into headers, by its name', async () => {
    for (const name of ['../../x.txt', '/etc/passwd', 'a/b.txt', 'x\0.txt', '..', 'a\tb.txt'])
      expectRefused(await raw(part(disposition(`filename="${name}"`))), 400);
    for (const name of ["filename*=UTF-8''a%0d%0aset-cookie:%20a=b.txt", 'filename="a\r\nset-cookie: a=b\r\nx.txt"']) {
      const answer = await raw(part(disposition(name)));
      if (answer.status !== 201) expectRefused(answer, 400);
      else for (const { id } of answer.body) await sheaf.files.delete(id);
    }
    await expectNothingStored();
  });

  it('has a text that is none in the encoding that it names', async () => {
    const text = 'content-disposition: form-data; name="fileInfo[name]"\r\ncontent-type: text/plain; charset=utf-16le';
    const body = Buffer.from(
      `${part(disposition('filename="a.txt"')).replace('--x--\r\n', '')}${part(text, '\0\xd8')}`,
      'latin1',
    );
    expectRefused(await raw(body), 400, /^Invalid value for fileInfo\[name\]: expected text$/);
    await expectNothingStored();
  });

  describe('is a body', () => {
    const type = { 'content-type': 'multipart/form-data; boundary=x' };

    it('that never ends, as a file, a text, a header or what comes before the first part', async () => {
      const filler = Buffer.alloc(50_000, 'a');
      const endless = (beginning: string) => {
        let isFirst = true;
        return (): Buffer => {
          const piece = isFirst ? Buffer.from(beginning) : filler;
          isFirst = false;
          return piece;
        };
      };
      const cases = [`--x\r\n${disposition('filename="a.bin"')}\r\n\r\n`, 'x', '--x\r\n'];
      const text = '--x\r\ncontent-disposition: form-data; name="fileInfo"\r\n\r\n';
      for (const client of [send, fetched]) {
        for (const beginning of cases) expectRefused(await client(endless(beginning), type), 413);
        expectRefused(await client(endless(text), type), 413);
      }
      expectRefused(await raw(part(disposition('filename="a.bin"')).slice(0, 60)), 400, /multipart/);
      await expectNothingStored();
    });

    it('whose boundary is missing, empty, or as long as a text', async () => {
      for (const boundary of ['', '; boundary=', `; boundary=${'x'.repeat(5_000)}`])
        expectRefused(
          await raw(part(disposition('filename="a.txt"')), `multipart/form-data${boundary}`),
          400,
          /multipart/,
        );
      await expectNothingStored();
    });

    it('of ten thousand parts', async () => {
      const texts = Array.from(
        { length: 10_000 },
        (_, index) => `--x\r\ncontent-disposition: form-data; name="a${index}"\r\n\r\n\r\n`,
      );
      expectRefused(await raw(`${texts.join('')}--x--\r\n`), 400, /MAX_UPLOAD_FIELDS/);
      const files = Array.from(
        { length: MAX_UPLOADED_FILES + 1 },
        () => `--x\r\n${disposition('filename="a.txt"')}\r\n\r\nx\r\n`,
      );
      expectRefused(await raw(`${files.join('')}--x--\r\n`), 400, /MAX_UPLOADED_FILES/);
      await expectNothingStored();
    });

    it('that was refused long before it ends, and whose client reads nothing until then', async () => {
      const rest = Buffer.alloc(20_000_000);
      const file = (name: string): Buffer => Buffer.from(`--x\r\n${disposition(`filename="${name}"`)}\r\n\r\n`);
      expectRefused(await sentWhole(Buffer.concat([file('a.bin'), rest]), type), 413);
      expectRefused(await sentWhole(Buffer.concat([file('a:b'), rest.subarray(0, 1_500_000)]), type), 400);
      const unknown = { ...type, authorization: 'Bearer nobody' };
      expectRefused(await sentWhole(rest, unknown), 401);
      expectRefused(await fetched(() => rest, unknown), 401);
      await expectNothingStored();
    });

    it('that says it is larger than any', async () => {
      expectRefused(await send(() => null, { ...type, 'content-length': '99999999999' }), 413);
    });

    it('that comes slowly: it may take longer than other requests, not for ever, and not with long pauses', async () => {
      const pieces = (count: number, between: string) => {
        const all = [
          `--x\r\n${disposition('filename="slow.txt"')}\r\n\r\n`,
          ...Array<string>(count).fill(between),
          '\r\n--x--\r\n',
        ];
        return (): Buffer | null => (all.length > 0 ? Buffer.from(all.shift()!) : null);
      };
      const { status, body } = await send(pieces(8, 'slow'), type, 100);
      expect([status, body[0]?.size]).toEqual([201, 0.03]);
      await sheaf.files.delete(body[0].id);
      expectRefused(await send(pieces(100, 'x'), type, 4_000), 408);
      expectRefused(await send(pieces(1_000, 'x'), type, 100), 408);
      await expectNothingStored();
    });

    it('that breaks off', async () => {
      const { port } = app.server.address() as AddressInfo;
      const request = http.request({ host: '127.0.0.1', port, method: 'POST', path: '/api/upload', headers: type });
      request.on('error', () => undefined);
      request.write(`--x\r\n${disposition('filename="a.bin"')}\r\n\r\nbeginning`);
      await expect.poll(() => readdirSync(sheaf.files.storage.incoming).length).toBe(1);
      request.destroy();
      await expect.poll(() => readdirSync(sheaf.files.storage.incoming)).toEqual([]);
      await expectNothingStored();
    });
  });

  it('does not hold up a server that closes, however long its client goes on', async () => {
    const other = createServer(sheaf, { timeouts: LIMITS, uploadTimes: TIMES });
    await other.listen({ host: '127.0.0.1', port: 0 });
    const { port } = other.server.address() as AddressInfo;
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': '100000000' };
    const place = { host: '127.0.0.1', port, method: 'POST', path: '/api/upload', agent: false };
    const request = http.request({ ...place, headers: { ...headers, authorization: 'Bearer nobody' } });
    const closed = new Promise<void>((resolve) => request.on('error', () => undefined).on('close', () => resolve()));
    request.write('--x');
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(401);
    await other.close();
    request.destroy();
    await closed;
  });

  it('is no reason to refuse others: the same server takes a good one', async () => {
    const { status, body } = await upload(['files', 'good', 'good.txt', 'text/plain']);
    expect(status).toBe(201);
    const served = await fetch(new URL(body[0].url, base));
    expect([served.status, await served.text()]).toEqual([200, 'good']);
  });
});
