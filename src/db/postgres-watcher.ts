// Listens to what other nodes and programs change, on a connection of its own.
import pg from 'pg';
import { NextRun } from '../next-run.ts';
import { CHANGES_CHANNEL, MARK_STATEMENT } from '../sql/access-changes.ts';
import { queryOf } from './postgres-session.ts';

export const searchPath = (schema: string): string => `set search_path to ${pg.escapeIdentifier(schema)}`;

const WATCH_MS = 1_000;
/** How long the connection that listens may take to say the mark. */
const MARK_TIMEOUT_MS = 1_000;

/**
 * Listens on a connection of its own. Where that is lost, or tells nothing, as behind some poolers, it goes by the clock:
 * a server that is away is no reason to know less than before. The same connection is asked for the mark alone, so that a
 * refusal does not wait until writes give one back.
 */
export class Watcher {
  changeCounter = 0;
  /** Whether its connection can be asked. */
  #isReady = false;
  readonly #config: pg.ClientConfig;
  readonly #schema: string | null;
  readonly #onPoll: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #marks = new NextRun(() => this.#askMark());
  #client: pg.Client | null = null;
  #closed = false;

  constructor(config: pg.ClientConfig, schema: string | null, onPoll: () => void) {
    this.#config = { ...config, fallback_application_name: 'sheaf (listens)' };
    this.#schema = schema;
    this.#onPoll = onPoll;
    this.#timer = setInterval(() => {
      onPoll();
      if (!this.#client) void this.listen();
    }, WATCH_MS);
    this.#timer.unref();
  }

  /** Polls once it listens: changes made before LISTEN took effect were not notified. */
  async listen(): Promise<void> {
    const client = new pg.Client(this.#config);
    this.#client = client;
    const lose = () => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#isReady = false;
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', () => {
      this.changeCounter++;
    });
    try {
      await client.connect();
      if (this.#schema !== null) await client.query(searchPath(this.#schema));
      await client.query(`listen ${CHANGES_CHANNEL}`);
      if (this.#closed) return await client.end();
      this.#isReady = true;
      this.#onPoll();
    } catch {
      lose();
    }
  }

  /** The mark; null where the connection cannot be asked. However many ask, one statement at a time is sent. */
  mark(): Promise<string | null> {
    return this.#marks.result();
  }

  /** A connection that does not answer is replaced. */
  async #askMark(): Promise<string | null> {
    const client = this.#client;
    if (!client || !this.#isReady) return null;
    try {
      // The types of the driver do not know that a query may have a time-out of its own.
      const query = { ...queryOf(MARK_STATEMENT), query_timeout: MARK_TIMEOUT_MS };
      const { rows } = await client.query<[mark: string]>(query);
      return rows[0]![0];
    } catch {
      if (this.#client === client) [this.#client, this.#isReady] = [null, false];
      void client.end().catch(() => undefined);
      return null;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }
}
