// What people paste: a URL, a path, a line with a method, or a command with curl.
import { query } from '../../../src/client/query-text.ts';
import type { ConsoleModel } from '../../../src/console/contract.ts';
import { errorMessage, isObject } from '../../../src/type-guards.ts';
import type { ReadDraft } from './draft.ts';
import { readQuery } from './draft-text.ts';
import { rootView } from './schema-view.ts';
import { shellWords } from './shell-words.ts';

export interface ReadPaste {
  readonly draft: ReadDraft;
  /** What was left out or could not be understood, in words. */
  readonly notes: readonly string[];
}

interface Pasted {
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
  readonly notes: readonly string[];
}

const METHOD = /^(GET|HEAD|POST|PUT|PATCH|DELETE|QUERY)\s+/i;

/** Throws an Error in words for people where it is no read of the API. */
export function readRequest(text: string, model: ConsoleModel): ReadPaste {
  const trimmed = text.trim();
  if (trimmed === '') throw new Error('There is nothing to read');
  const pasted = /^(\$\s*)?curl\s/.test(trimmed) ? readCurl(trimmed.replace(/^\$\s*/, '')) : readLine(trimmed);
  const { path, search } = partsOf(pasted.url);
  const inConsole = new URLSearchParams(search).get('url');
  if (/\/console\/find\/?$/.test(path) && inConsole !== null) return readRequest(inConsole, model);
  const place = placeOf(path, model);
  const asList = withBody(pasted, place);
  const draft = readQuery(
    [search, asList.query].filter(Boolean).join('&'),
    asList.place,
    rootView(model, asList.place),
  );
  const isKnown = model.types.some((type) => type.path === draft.type);
  return {
    draft,
    notes: [
      ...pasted.notes,
      ...(isKnown ? [] : [`There is no content-type at ${model.prefix}/${draft.type} that you may know.`]),
    ],
  };
}

function readLine(text: string): Pasted {
  const method = METHOD.exec(text)?.[1]?.toUpperCase() ?? 'GET';
  const url = text
    .replace(METHOD, '')
    .replace(/\s+HTTP\/[\d.]+$/, '')
    .replace(/^(["'<])(.*)(["'>])$/, '$2');
  if (/\s/.test(url.split('?')[0]!)) throw new Error('This is neither a URL nor a path nor a curl command');
  return { method, url, body: null, notes: [] };
}

/** The path, and the query without its `?`. */
function partsOf(url: string): { readonly path: string; readonly search: string } {
  const [address = ''] = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split('#', 1);
  const mark = address.indexOf('?');
  return mark < 0 ? { path: address, search: '' } : { path: address.slice(0, mark), search: address.slice(mark + 1) };
}

type Place = Pick<ReadDraft, 'type' | 'below'>;

function placeOf(path: string, { prefix, types }: ConsoleModel): Place {
  const whole = `/${path.replace(/^\/+/, '').replace(/\/+$/, '')}`;
  const start = ['/console/api/rest', prefix].find(
    (one) => one !== '' && `${whole}/`.toLowerCase().startsWith(`${one}/`),
  );
  const names = whole.slice(start?.length ?? 0).slice(1);
  if (names === '') throw new Error(`The path names no content-type: expected ${prefix}/<name>`);
  const isAt = (at: string): boolean => `${names}/`.toLowerCase().startsWith(`${at.toLowerCase()}/`);
  const known = types.filter((type) => isAt(type.path)).sort((a, b) => b.path.length - a.path.length)[0];
  const type = known?.path ?? names.split('/')[0]!;
  return { type, below: names.slice(type.length) };
}

/** Long queries are sent as a body, and mean what a URL would. */
function withBody({ method, body }: Pasted, place: Place): { readonly place: Place; readonly query: string } {
  const isLong = method === 'QUERY' || (method === 'POST' && /^\/(query|aggregate)$/.test(place.below));
  if (!isLong && method !== 'GET' && method !== 'HEAD')
    throw new Error(`Only what reads can be shown here, and this is a ${method}`);
  const list = isLong && place.below === '/query' ? { ...place, below: '' } : place;
  if (body === null || !isLong) return { place: list, query: '' };
  try {
    const parameters: unknown = JSON.parse(body);
    if (!isObject(parameters)) throw new Error('it is no object');
    return { place: list, query: query(parameters) };
  } catch (error) {
    throw new Error(`The body cannot be read: ${errorMessage(error)}`);
  }
}

// ---- curl

/** Options of curl that take a value and say nothing of what is asked for. */
const WITH_VALUE = new Set(
  '-A --user-agent -b --cookie -c --cookie-jar -e --referer -m --max-time -o --output -u --user -w --write-out -x --proxy --cacert --cert --key --connect-timeout --retry --resolve --interface --max-redirs -K --config'.split(
    ' ',
  ),
);
const DATA = new Set(['-d', '--data', '--data-raw', '--data-binary', '--data-ascii', '--json', '--data-urlencode']);

interface Command {
  method: string | null;
  url: string | null;
  isGet: boolean;
  readonly data: string[];
  readonly notes: string[];
}

function readCurl(text: string): Pasted {
  const command: Command = { method: null, url: null, isGet: false, data: [], notes: [] };
  const [, ...words] = shellWords(text);
  const rest = words.flatMap(separated);
  while (rest.length > 0) readWord(command, rest.shift()!, rest);
  if (command.url === null) throw new Error('The curl command has no URL');
  const data = command.data.join('&');
  const method = command.method ?? (command.data.length > 0 && !command.isGet ? 'POST' : 'GET');
  const url = command.isGet && data !== '' ? withQuery(command.url, data) : command.url;
  return { method, url, body: command.isGet || data === '' ? null : command.data.join(''), notes: command.notes };
}

/** `--url=x` is `--url x`, `-XPOST` is `-X POST`, and `-sG` is `-s -G`. */
function separated(word: string): string[] {
  if (/^--[\w-]+=/.test(word)) return [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)];
  if (/^-[XHdAbouwmxe]./.test(word)) return [word.slice(0, 2), word.slice(2)];
  if (!/^-[a-zA-Z]{2,}$/.test(word)) return [word];
  const last = word.at(-1)!;
  return [...word.slice(1, -1)].map((letter) => `-${letter}`).concat(`-${last}`);
}

function readWord(command: Command, word: string, rest: string[]): void {
  if (word === '-G' || word === '--get') command.isGet = true;
  else if (word === '-X' || word === '--request') command.method = (rest.shift() ?? 'GET').toUpperCase();
  else if (word === '-I' || word === '--head') command.method = 'GET';
  else if (word === '--url') command.url = rest.shift() ?? null;
  else if (word === '-H' || word === '--header') noteHeader(command, rest.shift() ?? '');
  else if (DATA.has(word)) addData(command, word, rest.shift() ?? '');
  else if (WITH_VALUE.has(word)) rest.shift();
  else if (!word.startsWith('-')) command.url = word;
}

function noteHeader({ notes }: Command, header: string): void {
  const name = header.split(':', 1)[0]!.trim().toLowerCase();
  if (name === 'authorization') notes.push('The authorization is left out: choose in “Ask as” whose eyes to use.');
}

function addData({ data, notes }: Command, option: string, value: string): void {
  if (option !== '--data-raw' && option !== '--data-urlencode' && value.startsWith('@')) {
    notes.push(`The file ${value.slice(1)} is left out.`);
    return;
  }
  if (option !== '--data-urlencode') {
    data.push(value);
    return;
  }
  const [, name = '', sign = '', content = ''] = /^([^=@]*)([=@]?)([\s\S]*)$/.exec(value)!;
  if (sign === '@') notes.push(`The file ${content} is left out.`);
  else if (sign === '') data.push(encodeURIComponent(name));
  else data.push(`${name === '' ? '' : `${name}=`}${encodeURIComponent(content)}`);
}

const withQuery = (url: string, data: string): string => `${url}${url.includes('?') ? '&' : '?'}${data}`;
