// The URLs of the database and of the mail server: as they may be shown, and what is wrong with one that cannot be used.
// They hold a password, and a malformed one holds it where no parser finds it. What could be a password is never shown.
import { editDistance, hintOn, nearestWord } from '../edit-distance.ts';
import { SetupError } from '../errors.ts';

const SCHEME = /^(?:[a-z][\w+.-]*:)?\/\//i;
/** In a query `pg` reads a password as well, and one for the key of a certificate. */
const QUERY_PASSWORD = /([?&](?:ssl)?password=)[^&#]*/gi;
const MAX_PORT = 65_535;

interface UrlParts {
  readonly scheme: string;
  /** Name and password: what stands before the last `@`, also where a parser of URLs would end sooner. */
  readonly userInfo: string | null;
  /** Host, port, path and query. */
  readonly address: string;
}

function partsOf(url: string): UrlParts {
  const [scheme = ''] = SCHEME.exec(url) ?? [];
  const rest = url.slice(scheme.length);
  const at = rest.lastIndexOf('@');
  return { scheme, userInfo: at < 0 ? null : rest.slice(0, at), address: rest.slice(at + 1) };
}

/** A URL as it may be shown. Of one that is malformed it hides more than the password rather than less. */
export function withoutPassword(url: string): string {
  if (url.startsWith('sqlite:')) return url;
  const { scheme, userInfo, address } = partsOf(url);
  const shown = address.replace(QUERY_PASSWORD, '$1…');
  if (userInfo !== null) return `${scheme}${userInfo.replace(/:.*/s, ':…')}@${shown}`;
  // Without an `@`, what looks like a port and is none may be a password.
  const { host, port } = hostAndPort(address);
  return `${scheme}${port === null || isPort(port) ? shown : `${host}:…`}`;
}

function hostAndPort(address: string): { readonly host: string; readonly port: string | null } {
  const [, host = '', port = null] = /^(\[[^\]]*\]|[^:/?#]*)(?::([^/?#]*))?/.exec(address) ?? [];
  return { host, port };
}

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT;

/** Refuses what is not the URL of a PostgreSQL database, and says why without its password. */
export function requirePostgresUrl(url: string): URL {
  const problem = problemOf(url, ['postgres://', 'postgresql://']);
  if (problem !== null)
    throw new SetupError(`The database "${withoutPassword(url)}" cannot be opened`, [
      problem,
      ...(/^(?:mysql|mariadb)2?:/.test(url) ? ['MySQL and MariaDB are not supported'] : []),
      'expected sqlite:PATH or postgres://user:password@host:port/name',
    ]);
  const parsed = new URL(url);
  const wrong = wrongParameter(parsed.searchParams);
  if (wrong !== null) throw new SetupError(`The database "${withoutPassword(url)}" cannot be opened`, wrong);
  return parsed;
}

const PARAMETERS: readonly string[] = ['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'connect_timeout'];
const SSL_MODES: readonly string[] = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** A parameter that is ours but for a letter would be ignored, and the tables made in another schema, or without TLS. */
function wrongParameter(parameters: URLSearchParams): readonly string[] | null {
  for (const [name, value] of parameters) {
    const meant = PARAMETERS.find((known) => name !== known && editDistance(name, known) === 1);
    if (meant !== undefined) return [`it has a parameter ${name}`, ...hintOn(meant)];
    if (name === 'sslmode' && !SSL_MODES.includes(value))
      return [
        `sslmode is ${value}`,
        ...hintOn(nearestWord(value, SSL_MODES)),
        `expected one of ${SSL_MODES.join(', ')}`,
      ];
  }
  return null;
}

/** The same for a mail server. */
export function requireSmtpUrl(url: string): void {
  const problem = problemOf(url, ['smtp://', 'smtps://']);
  if (problem !== null)
    throw new SetupError(`The mail server "${withoutPassword(url)}" of SMTP_URL cannot be used`, [
      problem,
      'expected smtp://user:password@host:port or smtps://…',
    ]);
}

function problemOf(url: string, schemes: readonly string[]): string | null {
  if (!schemes.some((scheme) => url.startsWith(scheme))) return `it does not begin with ${schemes.join(' or ')}`;
  const { userInfo, address } = partsOf(url);
  const reserved = reservedCharacter(url, userInfo ?? '');
  if (reserved !== null)
    return `a ${reserved} in the user name or password must be written ${encodeURIComponent(reserved)}`;
  if (!isDecodable(userInfo ?? '')) return 'the user name or password has a percent-encoding that is not UTF-8';
  if (URL.canParse(url)) return null;
  const { host, port } = hostAndPort(address);
  if (port !== null && !isPort(port)) return `its port is not a number up to ${MAX_PORT}`;
  return host === '' ? 'it names no host' : 'its host cannot be a name or an address';
}

/** A character that ends the name and password for a parser of URLs, and was meant to be part of them. */
function reservedCharacter(url: string, userInfo: string): string | null {
  if (!URL.canParse(url)) return /[/?#]/.exec(userInfo)?.[0] ?? null;
  // With digits for a password, the rest passes for a path. A fragment means nothing to a database.
  const { pathname, hash } = new URL(url);
  return hash !== '' ? '#' : pathname.includes('@') ? '/' : null;
}

/** Whether it can be decoded; drivers take a % without two digits after it for itself. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}
