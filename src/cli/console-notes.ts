// Where the console is, for people: its address, and links to it that can be opened.
import type { Sheaf } from '../app.ts';
import type { IssuedLink } from '../console/console-links.ts';
import { CONSOLE_PATH } from '../console/contract.ts';
import type { ServerConfig } from '../project/environment.ts';
import type { Settings } from '../project/settings.ts';
import { ANY_ACCOUNT } from '../sql/console-statements.ts';

/** Hosts that stand for every address of a machine; no browser opens them everywhere. */
const ANY_HOST = /^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/;

/** What a path of the console is below, as a browser reaches it. `address`: where the server listens. */
export function consoleUrl(address: string, path: string, { console: { remote }, server }: Settings): string {
  const base = remote && server.url?.startsWith('http') ? new URL(server.url).origin : address;
  return `${base.replace(ANY_HOST, '$1localhost')}${path}`;
}

/** Where a server with this configuration listens, if it runs. */
export const configuredAddress = ({ host, port }: Pick<ServerConfig, 'host' | 'port'>): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The link by which a project without accounts gets its first; null where it has one, or no console. */
export async function firstConsoleLink({ settings, database, console: opened }: Sheaf): Promise<IssuedLink | null> {
  if (!settings.console.enabled || database.isReadOnly) return null;
  const [row] = await database.latest((session) => session.rows(ANY_ACCOUNT, []));
  return row ? null : (await opened()).welcomes.firstLink();
}

/** What a start says of the console; nothing where there is none. */
export function consoleNotes({ settings }: Sheaf, address: string, link: IssuedLink | null): string[] {
  if (link === null) return [];
  return [
    'Nobody can log in to the console yet. This link makes the first account, once and within an hour:',
    `  ${consoleUrl(address, link.path, settings)}`,
  ];
}

/** Where the console is; null where it is off. */
export const consolePlace = ({ settings }: Sheaf, address: string): string | null =>
  settings.console.enabled ? consoleUrl(address, CONSOLE_PATH, settings) : null;
