// `sheaf start`: opens the project, listens, says where and what to try, and stops in order when asked to.
import { open } from '../app.ts';
import type { ServerConfig } from '../config.ts';
import { SetupError } from '../errors.ts';
import { createServer } from '../http/server.ts';
import { EXAMPLE_REQUESTS } from './example.ts';

/** Time that requests under way have to finish after a signal to stop. */
const GRACE_MS = 10_000;

export async function start(config: ServerConfig, isExample: boolean): Promise<void> {
  const begin = performance.now();
  if (config.database === null)
    throw new SetupError('No database is named', [
      'name one with --database sqlite:PATH or DATABASE_URL',
      'or try the example: sheaf start --example',
    ]);
  const sheaf = await open({ project: config.project, database: config.database });
  const app = createServer(sheaf);
  let address: string;
  try {
    address = await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    await sheaf.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new SetupError(`Port ${config.port} of ${config.host} is taken`, [
      'stop the program that listens there, or choose another with --port N',
    ]);
  }
  const types = [...sheaf.model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes');
  console.log(`Sheaf serves ${types.length} content-types of ${config.project}`);
  console.log(`  at   ${address}  (ready in ${Math.round(performance.now() - begin)} ms)`);
  console.log(`  from ${config.database}`);
  const requests = isExample
    ? EXAMPLE_REQUESTS
    : types.slice(0, 3).map((type) => `/api/${type.kind === 'singleType' ? type.singularName : type.pluralName}`);
  console.log('Try:');
  for (const request of requests) console.log(`  curl -g '${address}${request}'`);
  console.log('Stop with Ctrl+C.');

  const stop = (signal: NodeJS.Signals) => {
    console.log(`${signal}: finishing what is under way`);
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    app
      .close()
      .then(() => sheaf.close())
      .then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
