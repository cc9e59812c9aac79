// A server that knows no model: a request names an operation, and its statements are sent as they were recorded or
// written by hand. Plain node:http; it reads the body as every server has to, and answers with the last rows as JSON.
// Run as: node bench/hand-server.ts DATABASE CONNECTIONS FILE; the address is printed once it listens.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ByHand, ByHandOnPostgres } from './by-hand.ts';
import { loadOperations } from './replay.ts';

/** Answers with the statements sent since it was last asked, and how long they took. */
export const TIMES_PATH = '/times';

export interface StatementTime {
  readonly sql: string;
  readonly count: number;
  readonly milliseconds: number;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function serve(database: string, connections: number, file: string): Promise<void> {
  const operations = loadOperations(file);
  let times = new Map<string, { count: number; milliseconds: number }>();
  const onSent = (sql: string, milliseconds: number): void => {
    const time = times.get(sql) ?? { count: 0, milliseconds: 0 };
    times.set(sql, { count: time.count + 1, milliseconds: time.milliseconds + milliseconds });
  };
  const hand = database.startsWith('sqlite:')
    ? new ByHand(database.slice('sqlite:'.length), onSent)
    : await ByHandOnPostgres.connect(database, connections, onSent);

  const answer = async (request: IncomingMessage): Promise<unknown> => {
    if (request.url === TIMES_PATH) {
      const taken = [...times].map(([sql, time]): StatementTime => ({ sql, ...time }));
      times = new Map();
      return taken;
    }
    await bodyOf(request);
    return { data: await hand.run(operations[Number(request.headers['x-operation'])]!) };
  };
  const server = createServer((request, response) => {
    answer(request)
      .then((value) => [200, value] as const)
      .catch((error: Error) => [500, { message: error.message }] as const)
      .then(([status, value]) => {
        const text = JSON.stringify(value);
        response.writeHead(status, {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(text)),
        });
        response.end(text);
      });
  });
  server.listen(0, '127.0.0.1', () =>
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
  );
}

const [database, connections, file] = process.argv.slice(2);
if (import.meta.main) await serve(database!, Number(connections), file!);
