// Listens on behalf of one application after another: connections stay open while one takes the place of the other, and
// each request is answered by the application that was there when it came.
import http from 'node:http';
import type { createServer } from '../../http/server.ts';
import { ADJUSTABLE_LIMITS } from '../../limits.ts';
import type { ServerConfig } from '../../project/environment.ts';
import { requirePort } from '../start.ts';

export type App = ReturnType<typeof createServer>;

/** Events of a server that an application answers. */
const EVENTS = ['checkExpectation', 'clientError'] as const;

/** An application with the number of requests that it has to answer. */
class Answering {
  readonly app: App;
  #underWay = 0;
  #onIdle: (() => void) | null = null;

  constructor(app: App) {
    this.app = app;
  }

  answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    this.#underWay++;
    response.once('close', () => {
      this.#underWay--;
      if (this.#underWay === 0) this.#onIdle?.();
    });
    this.app.server.emit('request', request, response);
  }

  /** Resolves when all its requests are answered. From now on it closes the connections that it answers on. */
  async end(): Promise<void> {
    await this.app.close();
    this.app.server.emit('close');
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }
}

export class DevListener {
  readonly #server = http.createServer({
    // As the server of an application; its own limit of headers is the largest that a project can have.
    requireHostHeader: false,
    maxHeaderSize: ADJUSTABLE_LIMITS.headerBytes.most,
  });
  #current: Answering | null = null;

  constructor() {
    this.#server.on('request', (request, response) => this.#current?.answer(request, response));
    for (const event of EVENTS)
      this.#server.on(event, (...values: unknown[]) => this.#current?.app.server.emit(event, ...values));
  }

  /** Returns the address. */
  async listen({ host, port }: Pick<ServerConfig, 'host' | 'port'>): Promise<string> {
    await requirePort({ host, port }, async () => {
      this.#server.listen({ host, port });
      await new Promise<void>((resolve, reject) => this.#server.once('listening', resolve).once('error', reject));
    });
    const address = this.#server.address();
    const actual = typeof address === 'object' && address !== null ? address.port : port;
    return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
  }

  /** Requests that come from now on are for this application, which is ready. Resolves when the last one has answered its own. */
  async use(app: App): Promise<void> {
    const before = this.#current;
    this.#current = new Answering(app);
    // Code of the project may wait for it.
    app.server.emit('listening');
    this.#server.off('upgrade', this.#upgrade);
    if (app.server.listenerCount('upgrade') > 0) this.#server.on('upgrade', this.#upgrade);
    await before?.end();
  }

  /** Connections that code of the project takes over; without any, Node answers such requests like others. */
  readonly #upgrade = (...values: unknown[]): void => void this.#current?.app.server.emit('upgrade', ...values);

  /** Resolves when all requests are answered. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await this.#current?.end();
    this.#server.closeIdleConnections();
    await closed;
  }
}
