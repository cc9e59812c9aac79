// Clients that write over HTTP: each has a connection that stays open, and sends the next request when the last one is
// answered. They speak just enough HTTP to cost little, since they share the machine with the servers.
import net from 'node:net';
import { BenchError, type Server } from './server.ts';

const ANSWER_LIMIT_MS = 30_000;

export interface WriteRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Tells a server that repeats statements which ones to send. */
  readonly operation?: number;
}

/** A request as it goes over the wire. */
export function encode({ method, path, body, operation }: WriteRequest): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: bench',
    ...(operation === undefined ? [] : [`x-operation: ${operation}`]),
    ...(body === undefined ? [] : ['content-type: application/json']),
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}

const HEAD_END = '\r\n\r\n';

class Client {
  readonly #server: Server;
  readonly #socket: net.Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve(): void; reject(error: Error): void } | null = null;

  private constructor(server: Server, socket: net.Socket) {
    this.#server = server;
    this.#socket = socket;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(`closed the connection: ${error.message}`));
    socket.on('close', () => this.#fail('closed the connection'));
    socket.setTimeout(ANSWER_LIMIT_MS, () => this.#fail(`gave no answer within ${ANSWER_LIMIT_MS} ms`));
  }

  static connect(server: Server): Promise<Client> {
    const { hostname, port } = new URL(server.address);
    return new Promise((resolve, reject) => {
      const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
      socket.once('error', (error) => reject(server.failure(`took no connection: ${error.message}`)));
      socket.once('connect', () => resolve(new Client(server, socket)));
    });
  }

  send(request: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#socket.destroyed) this.#fail('had closed the connection');
      else this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const begin = end + HEAD_END.length;
    if (this.#received.length < begin + length) return;
    const status = Number(head.slice(9, 12));
    const body = status < 300 ? '' : this.#received.toString('utf8', begin, begin + length);
    this.#received = Buffer.alloc(0);
    if (status >= 300) {
      this.#fail(`answered ${status}: ${body.slice(0, 1_000)}`);
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve();
  }

  #fail(what: string): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(this.#server.failure(what));
  }
}

/** So many connections to a server. */
export class Clients {
  readonly #clients: readonly Client[];

  private constructor(clients: readonly Client[]) {
    this.#clients = clients;
  }

  static async connect(server: Server, count: number): Promise<Clients> {
    return new Clients(await Promise.all(Array.from({ length: count }, () => Client.connect(server))));
  }

  /** Sends all requests, each by the first client that is free, and returns how many seconds that took. */
  async send(requests: readonly WriteRequest[]): Promise<number> {
    const encoded = requests.map(encode);
    let next = 0;
    const work = async (client: Client): Promise<void> => {
      for (let index = next++; index < encoded.length; index = next++)
        await client.send(encoded[index]!).catch((error: BenchError) => {
          const { method, path } = requests[index]!;
          throw new BenchError(`${method} ${path}: ${error.message}`);
        });
    };
    const begin = performance.now();
    await Promise.all(this.#clients.map(work));
    return (performance.now() - begin) / 1000;
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}
