// Does what tests ask of a PostgreSQL server while they wait: a database is made before the call returns, as a file is
// copied. The thread that asks sleeps until this one has answered.
import { type MessagePort, parentPort } from 'node:worker_threads';
import pg from 'pg';
import type { TableContents } from './database.ts';
import { withClient } from './postgres-client.ts';
import { brokenReferences, fillTables } from './postgres-content.ts';

export type Task =
  | { readonly kind: 'create'; readonly server: string; readonly name: string; readonly template: string }
  | { readonly kind: 'drop'; readonly server: string; readonly names: readonly string[] }
  | { readonly kind: 'fill'; readonly url: string; readonly contents: TableContents }
  | { readonly kind: 'damage'; readonly url: string };

export interface Request {
  readonly task: Task;
  readonly port: MessagePort;
  /** Set to 1 and notified when the answer is in the port. */
  readonly done: Int32Array;
}

export type Reply = { readonly result: readonly string[] } | { readonly error: string };

/** One connection to each server, from which databases are made and dropped; it ends with the server. */
const administrators = new Map<string, Promise<pg.Client>>();

function administrator(server: string): Promise<pg.Client> {
  let found = administrators.get(server);
  if (!found) {
    const client = new pg.Client(`${server}/postgres`);
    client.on('error', () => administrators.delete(server));
    found = client.connect().then(() => client);
    administrators.set(server, found);
  }
  return found;
}

async function perform(task: Task): Promise<readonly string[]> {
  switch (task.kind) {
    case 'create':
      await (await administrator(task.server)).query(
        `create database "${task.name}" template "${task.template}" strategy file_copy`,
      );
      return [];
    case 'drop':
      for (const name of task.names)
        await (await administrator(task.server)).query(`drop database if exists "${name}" with (force)`);
      return [];
    case 'fill':
      await withClient(task.url, (client) => fillTables(client, task.contents));
      return [];
    case 'damage':
      return withClient(task.url, async (client) => [
        ...(await brokenReferences(client)),
        ...(await brokenFiles(client)),
      ]);
  }
}

/** What the server finds wrong with tables and indexes; of indexes, the first. Those of empty tables lack no rows. */
async function brokenFiles(client: pg.Client): Promise<string[]> {
  await client.query('create extension if not exists amcheck');
  const ours = `relnamespace = quote_ident(current_schema())::regnamespace`;
  const { rows } = await client.query<{ found: string }>(
    `select (c.relname, f)::text as found from pg_class c, verify_heapam(c.oid) as f where ${ours} and relkind = 'r'`,
  );
  const problems = rows.map(({ found }) => found);
  try {
    await client.query(`
      select bt_index_check(i.indexrelid, pg_relation_size(i.indrelid) > 0)
      from pg_index i join pg_class c on c.oid = i.indexrelid where ${ours} and relkind = 'i'`);
  } catch (error) {
    problems.push((error as Error).message);
  }
  return problems;
}

parentPort!.on('message', async ({ task, port, done }: Request) => {
  let reply: Reply;
  try {
    reply = { result: await perform(task) };
  } catch (error) {
    reply = { error: `${task.kind}: ${(error as Error).message}` };
  }
  port.postMessage(reply);
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});
