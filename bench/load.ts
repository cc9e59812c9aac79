// Puts load on servers in turns and keeps what matters: answers per second and how long each took.
import autocannon from 'autocannon';
import { processorSeconds, type Server } from './server.ts';

/** Short enough that a drift of the machine falls on all servers alike, long enough for all connections to be served. */
const TURN_SECONDS = 2.5;
const WARM_UP_SECONDS = 1;

export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

export interface Measured {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Share of the time that this process, which makes the requests, was busy. */
  readonly busy: number;
  /** Milliseconds of processor time for an answer, of the server and of all PostgreSQL processes of the machine. */
  readonly serverCost: number;
  readonly databaseCost: number;
}

interface Tally {
  seconds: number;
  busySeconds: number;
  serverSeconds: number;
  databaseSeconds: number;
  answers: number;
  /** Of the answers since every connection had its first. */
  readonly milliseconds: number[];
}

/**
 * Measures the same paths, which each connection asks for one after another, on every server, turn by turn; the
 * results stand in the order of the servers.
 */
export async function measure(servers: readonly Server[], paths: readonly string[], load: Load): Promise<Measured[]> {
  for (const server of servers) await turn(server, paths, load.connections, WARM_UP_SECONDS, newTally());
  const tallies = servers.map(newTally);
  const turns = Math.max(1, Math.round(load.seconds / TURN_SECONDS));
  // Whoever comes after a certain server may have an easier time, so nobody always does.
  for (let index = 0; index < turns; index++)
    for (const place of shuffled(servers.keys()))
      await turn(servers[place]!, paths, load.connections, load.seconds / turns, tallies[place]!);
  return tallies.map(summary);
}

export const shuffled = <Item>(items: Iterable<Item>): Item[] =>
  [...items]
    .map((item) => [Math.random(), item] as const)
    .sort(([left], [right]) => left - right)
    .map(([, item]) => item);

/** One turn of one server. */
export async function measureTurn(
  server: Server,
  paths: readonly string[],
  connections: number,
  seconds: number,
): Promise<Pick<Tally, 'answers' | 'seconds'>> {
  const tally = newTally();
  await turn(server, paths, connections, seconds, tally);
  return tally;
}

const newTally = (): Tally => ({
  seconds: 0,
  busySeconds: 0,
  serverSeconds: 0,
  databaseSeconds: 0,
  answers: 0,
  milliseconds: [],
});

function turn(
  server: Server,
  paths: readonly string[],
  connections: number,
  seconds: number,
  tally: Tally,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const before = performance.eventLoopUtilization();
    const [serverBefore, databaseBefore] = [server.processorSeconds(), databaseSeconds()];
    const begin = performance.now();
    let last = begin;
    const instance = autocannon(
      {
        url: server.address,
        requests: paths.map((path) => ({ path })),
        connections,
        duration: seconds,
        sampleInt: 20,
        bailout: 1,
        timeout: 10,
      },
      (error, result) => {
        if (error) return reject(server.failure(`could not be put under load: ${(error as Error).message}`));
        if (result.errors > 0 || result.non2xx > 0)
          return reject(
            server.failure(
              `failed under load on ${paths.join(', ')}: ${result.errors} errors, ${result.non2xx} answers not 2xx`,
            ),
          );
        tally.serverSeconds += server.processorSeconds() - serverBefore;
        tally.databaseSeconds += databaseSeconds() - databaseBefore;
        tally.seconds += (last - begin) / 1000;
        tally.busySeconds += (performance.eventLoopUtilization(before).utilization * (last - begin)) / 1000;
        resolve();
      },
    );
    const answered = new Set<unknown>();
    instance.on('response', (client, _status, _bytes, milliseconds) => {
      // Until the last answer, not until the load generator has cleared up after itself.
      last = performance.now();
      tally.answers++;
      // A busy server accepts connections one by one; that wait says nothing of how it answers under this load.
      if (answered.size === connections) tally.milliseconds.push(milliseconds);
      else answered.add(client);
    });
  });
}

const databaseSeconds = (): number => processorSeconds(({ name }) => name === 'postgres');

function summary({ seconds, busySeconds, serverSeconds, databaseSeconds, answers, milliseconds }: Tally): Measured {
  const ascending = milliseconds.toSorted((left, right) => left - right);
  const at = (share: number): number =>
    ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
  return {
    perSecond: answers / seconds,
    p50: at(0.5),
    p99: at(0.99),
    busy: busySeconds / seconds,
    serverCost: (serverSeconds * 1000) / answers,
    databaseCost: (databaseSeconds * 1000) / answers,
  };
}

export const median = (values: readonly number[]): number => {
  const ascending = values.toSorted((left, right) => left - right);
  const middle = ascending.length >> 1;
  return ascending.length % 2 === 1 ? ascending[middle]! : (ascending[middle - 1]! + ascending[middle]!) / 2;
};
