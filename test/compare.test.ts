// `sheaf compare` between two servers: a Sheaf behind a proxy stands for Strapi, and the proxy plants differences. Both
// are on copies of one database.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sheaf } from '../src/app.ts';
import { type CompareOptions, compareCommand } from '../src/cli/compare/compare-command.ts';
import { generateRequests } from '../src/cli/compare/generate-requests.ts';
import { DIFFERENCE_RULES } from '../src/cli/compare/judge.ts';
import { serverInProcess } from '../src/cli/compare/sides.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_COMPARED_BYTES } from '../src/limits.ts';
import { readConfig } from '../src/project/environment.ts';
import { useCommands } from './support/commands.ts';
import { guideKeys, READ_FILES, stepsOf } from './support/conformance.ts';
import { describeOnEveryDatabase, describeOnSqlite, type Engine, GUIDE } from './support/database.ts';
import { everyNth } from './support/scale.ts';

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** A server that answers as another does in process, changed by `plant`. */
class PlantingProxy {
  readonly #server: http.Server;
  /** Changes an answer; gets the target as it came. */
  plant: (target: string, reply: Reply) => Reply = (_target, reply) => reply;
  readonly methods = new Set<string>();

  constructor(sheaf: Sheaf) {
    const app = createServer(sheaf);
    this.#server = http.createServer(async (request, response) => {
      this.methods.add(request.method!);
      const { statusCode, body } = await app.inject({
        method: request.method as 'GET',
        url: request.url!,
        headers: request.headers as Record<string, string>,
      });
      const { status, text } = this.plant(request.url!, { status: statusCode, text: body });
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** The recorded reads, as lines of a file of requests. */
function recordedReads(): string[] {
  const keys = guideKeys();
  const steps = READ_FILES.flatMap(({ cases }) => cases.flatMap(stepsOf));
  return steps
    .filter(({ method = 'GET', path: target }) => method === 'GET' && !target.startsWith('/api/auth/'))
    .map(({ path: target, headers }) => JSON.stringify({ path: keys.fill(target), headers }));
}

interface Report {
  readonly requests: number;
  readonly equal: number;
  readonly explained: number;
  readonly unexplained: number;
  readonly seed: number | null;
  readonly rules: readonly { readonly rule: string; readonly requests: readonly string[] }[];
  readonly differences: readonly {
    readonly request: string;
    readonly unexplained: readonly Record<string, unknown>[];
  }[];
}

/** For the body of a suite: the proxy, and what a comparison with it reports. */
function useComparison(engine: Engine) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-compare-'));
  let proxy: PlantingProxy;
  let database: string;
  beforeAll(async () => {
    database = engine.guideDatabaseUrl();
    proxy = new PlantingProxy(await engine.open());
    await proxy.listen();
  });
  afterAll(() => {
    proxy?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = async (options: Partial<CompareOptions>) => {
    const config = readConfig({ project: GUIDE, database, state: folder }, {});
    const reports: string[] = [];
    const output = { report: (text: string) => void reports.push(text), progress: null };
    const code = await compareCommand(config, { with: proxy.url, json: true, ...options }, output);
    return { code, text: reports.join('') };
  };
  return {
    get proxy() {
      return proxy;
    },
    get database() {
      return database;
    },
    file(lines: readonly string[]): string {
      const file = path.join(folder, 'requests.jsonl');
      writeFileSync(file, lines.join('\n'));
      return file;
    },
    run,
    async report(options: Partial<CompareOptions>): Promise<Report & { readonly code: number }> {
      const { code, text } = await run(options);
      return { code, ...(JSON.parse(text) as Report) };
    },
  };
}

/** A short run compares other requests on each database. */
const offsetOn = (engine: Engine): number => (engine.name === 'SQLite' ? 0 : 1);

describeOnEveryDatabase('sheaf compare', (engine) => {
  const comparison = useComparison(engine);

  it('finds no difference between equal servers over the recorded reads', async () => {
    const lines = everyNth(2, recordedReads(), offsetOn(engine));
    const report = await comparison.report({ requests: comparison.file(lines) });
    expect(report).toMatchObject({
      code: 0,
      requests: lines.length,
      equal: lines.length,
      explained: 0,
      unexplained: 0,
    });
    expect(recordedReads().length).toBeGreaterThan(300);
    expect([...comparison.proxy.methods]).toEqual(['GET']);
  });

  it('finds a planted difference over the recorded reads, and nothing else', async () => {
    comparison.proxy.plant = (_target, { status, text }) => ({
      status,
      text: text.replace('"name":"Alba"', '"name":"Elba"'),
    });
    const lines = everyNth(4, recordedReads(), offsetOn(engine));
    const { code, differences, equal, explained, unexplained } = await comparison.report({
      requests: comparison.file(lines),
    });
    expect({ code, explained }).toEqual({ code: 1, explained: 0 });
    expect(differences).toHaveLength(unexplained);
    expect(equal).toBe(lines.length - unexplained);
    expect(unexplained).toBeGreaterThan(5);
    for (const { request, unexplained: found } of differences)
      for (const { kind, path: where, strapi, sheaf } of found) {
        expect({ request, kind, strapi, sheaf }).toEqual({ request, kind: 'value', strapi: 'Elba', sheaf: 'Alba' });
        expect(where).toMatch(/^data\b.*\.name$/);
      }
  });

  it('finds a single planted request', async () => {
    const planted = '/api/restaurants?fields[0]=name&sort=id&filters[stars]=1.5';
    const lines = recordedReads().filter((line, index) => index % 16 === 0 || JSON.parse(line).path === planted);
    comparison.proxy.plant = (target, reply) =>
      target === planted ? { status: 200, text: reply.text.replace('"total":0', '"total":1') } : reply;
    const { code, differences, equal } = await comparison.report({ requests: comparison.file(lines) });
    const sent = lines.filter((line) => JSON.parse(line).path === planted).length;
    expect(sent).toBeGreaterThan(0);
    expect({ code, equal }).toEqual({ code: 1, equal: lines.length - sent });
    expect(differences[0]).toMatchObject({
      request: planted,
      unexplained: [{ kind: 'value', path: 'meta.pagination.total', strapi: 1, sheaf: 0 }],
    });
  });

  it('names the rule of a difference that is deliberate, and ends well', async () => {
    comparison.proxy.plant = (target, reply) => {
      if (!target.startsWith('/api/users')) return reply;
      return { ...reply, text: JSON.stringify(JSON.parse(reply.text).data) };
    };
    const file = comparison.file(['/api/users', '/api/users?sort=username:desc', '/api/dishes']);
    const { code, rules, equal, explained } = await comparison.report({ requests: file });
    expect({ code, equal, explained }).toEqual({ code: 0, equal: 1, explained: 2 });
    expect(rules).toMatchObject([
      { rule: 'users-envelope', requests: ['/api/users', '/api/users?sort=username:desc'] },
    ]);
  });

  it('compares a request once more before it reports a difference, since content changes', async () => {
    let asked = 0;
    comparison.proxy.plant = (target, reply) =>
      target === '/api/dishes' && asked++ === 0 ? { ...reply, text: reply.text.replace('"id":1,', '"id":99,') } : reply;
    const report = await comparison.report({ requests: comparison.file(['/api/dishes']) });
    expect(report).toMatchObject({ code: 0, equal: 1 });
    expect(asked).toBe(2);
  });

  it('writes for people what differs, and hides secrets', async () => {
    comparison.proxy.plant = (target, reply) => {
      if (target.startsWith('/api/chefs')) return { status: 503, text: '{}' };
      if (target.includes('token=')) return { status: 200, text: '{"data":[]}' };
      if (!target.startsWith('/api/dishes')) return reply;
      const body = JSON.parse(reply.text);
      body.data[0].resetPasswordToken = 'hidden';
      body.data[0].code = '$2a$10$hidden';
      body.data[0].name = 'x'.repeat(200);
      return { ...reply, text: JSON.stringify(body) };
    };
    const file = comparison.file(['/api/dishes?token=hidden', '/api/dishes?sort=id&pagination[limit]=1', '/api/chefs']);
    const { code, text } = await comparison.run({ requests: file, json: false });
    expect(code).toBe(1);
    expect(text).toContain('unexplained: GET /api/chefs\n  status\n    Strapi 503\n    Sheaf  200\n');
    expect(text).toContain('only in Strapi: data[0].resetPasswordToken: "…"');
    expect(text).toMatch(/ {2}data\[0\]\.name\n {4}Strapi "x{99}…\n/);
    expect(text).toContain('3 requests: 0 equal, 1 explained, 2 unexplained');
    expect(text).toContain('explained by unknown-parameter: 1 request\n');
    expect(text).toContain('  /api/dishes?token=…\n');
    expect(text).not.toContain('hidden');
  });

  it('passes the token and headers to both', async () => {
    const seen: unknown[] = [];
    comparison.proxy.plant = (_target, reply) => {
      seen.push(reply.status);
      return reply;
    };
    const file = comparison.file(['/api/dishes']);
    const report = await comparison.report({ requests: file, token: 'garbage', header: ['X-Trace: a'] });
    expect(report).toMatchObject({ code: 0, equal: 1 });
    // The first is the question whether it is there, which needs no token.
    expect(seen).toEqual([204, 401]);
  });

  it('generates requests by the seed, and finds no difference between equal servers', async () => {
    comparison.proxy.plant = (_target, reply) => reply;
    const report = await comparison.report({ generate: '60', seed: '7' });
    expect(report).toMatchObject({ code: 0, requests: 60, equal: 60, seed: 7 });
  });

  it('compares with a Sheaf that listens elsewhere', async () => {
    comparison.proxy.plant = (_target, reply) => reply;
    const report = await comparison.report({ sheaf: comparison.proxy.url, generate: '20' });
    expect(report).toMatchObject({ code: 0, requests: 20, equal: 20 });
  });

  it.each<[string, Partial<CompareOptions>, string]>([
    ['nothing to compare', {}, 'It is not clear what to compare'],
    ['two sources', { generate: '1', log: 'x' }, 'It is not clear what to compare'],
    ['no server', { generate: '1', with: undefined }, 'No server to compare with is named'],
    [
      'an address that is none',
      { generate: '1', with: 'ftp://u:hidden@a' },
      'The address "ftp://u:…@a" cannot be used',
    ],
    [
      'a server that does not respond',
      { generate: '1', with: 'http://127.0.0.1:1' },
      'does not respond\n  - ECONNREFUSED',
    ],
    ['a number that is none', { generate: '0' }, '--generate "0" cannot be used'],
    ['a header that is none', { generate: '1', header: ['hidden'] }, 'A --header cannot be used'],
    ['a file that is missing', { requests: '/nowhere' }, 'There is no file /nowhere'],
  ])('refuses %s', async (_name, options, message) => {
    await expect(comparison.run(options)).rejects.toThrow(message);
  });
});

describeOnSqlite('sheaf compare', (engine) => {
  const comparison = useComparison(engine);

  it('reads no more of a response than its limit', async () => {
    comparison.proxy.plant = (target, reply) =>
      target === '/api/dishes' ? { status: 200, text: `"${'x'.repeat(MAX_COMPARED_BYTES - 1)}"` } : reply;
    const { code, differences } = await comparison.report({ requests: comparison.file(['/api/dishes']) });
    expect(code).toBe(1);
    expect(differences[0]!.unexplained).toEqual([
      { kind: 'status', path: '', strapi: 'no response: more than 50000000 bytes', sheaf: 200 },
    ]);
  });

  it('writes nothing to the database that it opens', async () => {
    const file = comparison.database.slice('sqlite:'.length);
    const before = readFileSync(file);
    comparison.proxy.plant = (_target, reply) => reply;
    expect(await comparison.report({ generate: '20' })).toMatchObject({ code: 0 });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
  });
});

describeOnEveryDatabase('Generated requests', (engine) => {
  it('are the same for a seed, others for another, and all of them succeed', async () => {
    const sheaf = await engine.open();
    const side = serverInProcess(sheaf, 'sheaf');
    const generated = (seed: number) =>
      generateRequests(side, { model: sheaf.model, prefix: '/api', headers: {}, seed, count: 400 });
    const [first, again, other] = [await generated(1), await generated(1), await generated(2)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(new Set(first.map(({ target }) => target)).size).toBe(400);
    const refused: string[] = [];
    // Types and forms take turns, and neither are a multiple of five.
    for (const request of everyNth(5, first, offsetOn(engine))) {
      const { status } = await side.send(request);
      if (status !== 200) refused.push(`${status} ${request.target}`);
    }
    expect(refused).toEqual([]);
    const all = first.map(({ target }) => target).join('\n');
    for (const part of [
      '$contains',
      '$notIn',
      '$between',
      '$null',
      '$or',
      'sort[',
      'pagination[start]',
      'pagination[pageSize]',
      'fields[',
      'populate=*',
      'populate[',
      '[count]',
      'status=draft',
      'locale=',
      '_q=',
    ])
      expect(all).toContain(part);
    expect(all).toMatch(/^\/api\/dishes\/\w{24}/m);
  });
});

describe('The command line', () => {
  const run = useCommands();

  it('ends with 2 where nothing can be compared', async () => {
    for (const args of [['--with', 'http://127.0.0.1:1'], ['--nope'], ['--with', 'x', '--generate', '1']]) {
      const { code, out, err } = await run(['compare', ...args]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^sheaf: /);
    }
  });
});

describe('A recorded read that differs from Strapi on purpose', () => {
  /** The rule that explains what Strapi 5 answers instead; where it fails with a 500, that is one. */
  const RULES: Readonly<Record<string, readonly string[]>> = {
    'search never reads private attributes': ['search'],
    '$not works on a relation: some related entry does not match': ['internal-error'],
    'media fields cannot be filtered': ['media-condition'],
    'a malformed value is refused': ['value-refused', 'operand-refused', 'internal-error'],
    'an unknown key is refused, never ignored': ['prototype-name', 'unknown-parameter'],
    'logical operators work on an attribute': ['internal-error'],
    'a number that no integer equals matches nothing': ['internal-error'],
    'malformed or unknown pagination is refused': ['pagination-refused'],
    'users answer in the list envelope': ['users-envelope'],
  };

  it('has a rule for its reason', () => {
    const reasons = READ_FILES.flatMap(({ cases }) => cases.flatMap(({ why }) => why ?? []));
    expect([...new Set(reasons)].toSorted()).toEqual(Object.keys(RULES).toSorted());
    const names = new Set(DIFFERENCE_RULES.map(({ name }) => name));
    expect(
      Object.values(RULES)
        .flat()
        .filter((name) => !names.has(name)),
    ).toEqual([]);
  });
});

describe('The page about Strapi beside Sheaf', () => {
  it('lists every rule with its text', () => {
    const page = readFileSync(fileURLToPath(new URL('../docs/beside-strapi.md', import.meta.url)), 'utf8');
    const [, rules = ''] = page.split('### Rules');
    const listed = [...rules.matchAll(/^\| `([a-z-]+)` +\| (.+?) +\|$/gm)].map(([, name, text]) => `${name}: ${text}`);
    expect(listed).toEqual(DIFFERENCE_RULES.map(({ name, text }) => `${name}: ${text}`));
  });
});
