// `sheaf compare`: sends the same reads to a running Strapi and to Sheaf, and shows every difference with the rule that
// explains it, or as unexplained. Nothing is ever written through either.
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Withheld, withheldBy } from '../../access/withheld.ts';
import { open } from '../../app.ts';
import { SetupError } from '../../errors.ts';
import { MAX_COMPARED_REQUESTS } from '../../limits.ts';
import { loadModel } from '../../model/build.ts';
import { readProjectCode } from '../../project/code/project-code.ts';
import { withoutPassword } from '../../project/connection-url.ts';
import { openOptions, type ServerConfig } from '../../project/environment.ts';
import { type ComparisonContext, compareAll, type OnProgress } from './comparison.ts';
import { jsonReport, textReport } from './comparison-report.ts';
import { NO_ANSWER } from './exchange.ts';
import { generateRequests } from './generate-requests.ts';
import { type RequestList, readAccessLog, readRequestFile } from './request-sources.ts';
import { parseBaseUrl, type Side, serverAt, serverInProcess } from './sides.ts';

export interface CompareOptions {
  /** Where Strapi listens. */
  readonly with?: string | undefined;
  /** Where Sheaf listens; it is opened in this process where none is given. */
  readonly sheaf?: string | undefined;
  readonly requests?: string | undefined;
  readonly log?: string | undefined;
  readonly generate?: string | undefined;
  readonly seed?: string | undefined;
  readonly token?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly json: boolean;
}

/** Where the report goes, and where progress does; null for none. */
export interface CompareOutput {
  report(text: string): void;
  readonly progress: ((text: string) => void) | null;
}

/** Exit codes: nothing unexplained, something unexplained. */
const ALIKE = 0;
const DIFFERENT = 1;
const MAX_SEED = 2 ** 32 - 1;

/** Returns the exit code; throws where nothing can be compared. */
export async function compareCommand(
  config: ServerConfig,
  options: CompareOptions,
  output: CompareOutput,
): Promise<number> {
  const source = sourceOf(options);
  const headers = headersOf(options);
  if (options.with === undefined)
    throw new SetupError('No server to compare with is named', ['name one, such as --with http://127.0.0.1:1337']);
  const strapi = serverAt(parseBaseUrl('--with', options.with));
  try {
    const { sheaf, ...known } = await openSheaf(config, options);
    try {
      const context = { strapi, sheaf, ...known, database: databaseOf(config), prefix: config.settings.rest.prefix };
      await requireAnswers([strapi, sheaf]);
      const { requests, skipped } = await requestsOf(source, context, headers);
      const withHeaders = requests.map((request) => ({ ...request, headers: { ...headers, ...request.headers } }));
      const comparison = await compareAll(context, withHeaders, progressBar(output.progress));
      const seed = source.kind === 'generate' ? source.seed : null;
      const run = { strapi: strapi.name, sheaf: sheaf.name, seed, skipped, comparison };
      output.report(options.json ? jsonReport(run) : textReport(run));
      return comparison.differing.some(({ unexplainedCount }) => unexplainedCount > 0) ? DIFFERENT : ALIKE;
    } finally {
      await sheaf.close();
    }
  } finally {
    await strapi.close();
  }
}

type Source =
  | { readonly kind: 'requests'; readonly file: string }
  | { readonly kind: 'log'; readonly file: string }
  | { readonly kind: 'generate'; readonly count: number; readonly seed: number };

function sourceOf({ requests, log, generate, seed }: CompareOptions): Source {
  if ([requests, log, generate].filter((given) => given !== undefined).length !== 1)
    throw new SetupError('It is not clear what to compare', [
      'give one of --requests FILE, --log FILE and --generate N',
    ]);
  if (seed !== undefined && generate === undefined) throw new SetupError('--seed is for --generate');
  if (requests !== undefined) return { kind: 'requests', file: requests };
  if (log !== undefined) return { kind: 'log', file: log };
  return {
    kind: 'generate',
    count: wholeNumber('--generate', generate!, 1, MAX_COMPARED_REQUESTS),
    seed: seed === undefined ? randomInt(1, MAX_SEED) : wholeNumber('--seed', seed, 0, MAX_SEED),
  };
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new SetupError(`${option} "${text}" cannot be used`, [`expected a number from ${least} to ${most}`]);
}

/** The token and the headers that go to both servers. */
function headersOf({ token, header = [] }: CompareOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of header) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(line) ?? [];
    // Not repeated: it may hold a credential.
    if (name === undefined) throw new SetupError('A --header cannot be used', ["expected --header 'Name: value'"]);
    headers[name.toLowerCase()] = value!;
  }
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  return headers;
}

async function openSheaf(
  config: ServerConfig,
  { sheaf: url }: CompareOptions,
): Promise<Pick<ComparisonContext, 'sheaf' | 'model' | 'withheld'>> {
  if (url !== undefined) return { sheaf: serverAt(parseBaseUrl('--sheaf', url)), ...(await readProject(config)) };
  const opened = await open({ ...openOptions(config), readOnly: true });
  const { model, withheld } = opened;
  return {
    sheaf: serverInProcess(opened, `${config.project} on ${withoutPassword(config.database!)}`),
    model,
    withheld,
  };
}

/** What the files of the project say of a server elsewhere, where there are any. */
async function readProject({
  project,
  settings,
}: ServerConfig): Promise<Pick<ComparisonContext, 'model' | 'withheld'>> {
  if (!existsSync(path.join(project, 'src', 'api'))) return { model: null, withheld: new Withheld([]) };
  const model = loadModel(project, { privateAttributes: settings.rest.privateAttributes });
  const { findings } = await readProjectCode(project, model.contentTypes.values());
  return { model, withheld: withheldBy(findings, settings) };
}

const databaseOf = ({ database }: ServerConfig): ComparisonContext['database'] =>
  database === null ? null : database.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL';

async function requireAnswers(sides: readonly Side[]): Promise<void> {
  for (const side of sides) {
    const { status, body } = await side.send({ method: 'GET', target: '/_health', headers: {} });
    if (status === NO_ANSWER) throw new SetupError(`${side.name} does not respond`, [String(body)]);
  }
}

async function requestsOf(
  source: Source,
  { sheaf, model, prefix }: ComparisonContext,
  headers: Readonly<Record<string, string>>,
): Promise<RequestList> {
  if (source.kind === 'requests') return readRequestFile(source.file, prefix);
  if (source.kind === 'log') return readAccessLog(source.file, prefix, model);
  if (model === null) throw new SetupError('--generate needs the project', ['name its folder with --project DIR']);
  const { seed, count } = source;
  return { requests: await generateRequests(sheaf, { model, prefix, headers, seed, count }), skipped: {} };
}

const BAR_LENGTH = 30;

function progressBar(write: CompareOutput['progress']): OnProgress {
  if (write === null) return () => undefined;
  return (done, all, differing) => {
    const filled = Math.round((done / all) * BAR_LENGTH);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled);
    write(`\r${bar} ${done}/${all}, ${differing} with differences${done === all ? '\n' : ''}`);
  };
}
