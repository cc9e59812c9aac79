// The only reader of the environment. Options on the command line come first, then variables, then defaults.
import { SetupError } from './errors.ts';

export interface ServerConfig {
  readonly project: string;
  readonly database: string | null;
  readonly host: string;
  readonly port: number;
}

export interface ServerOptions {
  readonly project?: string | undefined;
  readonly database?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}

const DEFAULT_PORT = 1337;
const MAX_PORT = 65_535;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

export function readConfig(options: ServerOptions, environment: NodeJS.ProcessEnv = process.env): ServerConfig {
  const host = options.host ?? environment.HOST ?? '127.0.0.1';
  if (!LOOPBACK.has(host))
    throw new SetupError(`The server does not listen on ${host}`, [
      'everything is readable by everyone until roles exist, so only 127.0.0.1, ::1 and localhost are allowed',
    ]);
  const portText = options.port ?? environment.PORT ?? String(DEFAULT_PORT);
  const port = Number(portText);
  if (!/^\d+$/.test(portText) || port > MAX_PORT)
    throw new SetupError(`The port "${portText}" is no port`, [`expected a number from 0 to ${MAX_PORT}`]);
  return {
    project: options.project ?? environment.SHEAF_PROJECT ?? '.',
    database: options.database ?? environment.DATABASE_URL ?? null,
    host,
    port,
  };
}
