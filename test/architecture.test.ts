// Holds the source to its shape: dependencies point downward by an explicit list of layers, without cycles, and what
// is meant to stand behind one door (the environment, the SQL composer, the driver, the framework, whatever starts a
// read or a write) stays there.
// Reads source text only. Imports of types count: a layer that needs another's types depends on it. The parts of the
// documentation that list what the source holds are held to it as well.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ESTree, parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

/** Lowest first. A file may import from its own folder and from lower layers. */
const LAYERS: readonly (readonly string[])[] = [
  ['type-guards.ts'],
  ['typing/'],
  ['client/'],
  [
    'errors.ts',
    'limits.ts',
    'lru.ts',
    'memoize.ts',
    'next-run.ts',
    'check-json.ts',
    'package-root.ts',
    'edit-distance.ts',
  ],
  ['semaphore.ts'],
  ['passwords.ts', 'project/'],
  ['model/'],
  ['request/'],
  ['access/'],
  ['plan/'],
  ['sql/'],
  ['db/'],
  ['read/'],
  ['store/'],
  ['migrate/'],
  ['operations/'],
  ['files/'],
  ['accounts/'],
  ['console/'],
  ['extend/'],
  ['app.ts'],
  ['compat/'],
  ['describe/'],
  ['http/'],
  ['cli/'],
  ['main.ts', 'index.ts'],
];

/** Steps down the list that are forbidden all the same: what a client wrote is read without knowing the model. */
const FORBIDDEN: readonly (readonly [from: string, to: string])[] = [['request/', 'model/']];

/** Packages that only one layer may import. */
const PACKAGES: readonly (readonly [name: string, layer: string])[] = [
  ['kysely', 'sql/'],
  ['node:sqlite', 'db/'],
  ['fastify', 'http/'],
  ['@fastify/rate-limit', 'http/'],
  ['@fastify/multipart', 'http/'],
  ['@fastify/send', 'http/'],
  ['sharp', 'files/'],
  ['pino', 'http/'],
  ['prom-client', 'http/'],
  ['@opentelemetry/api', 'http/'],
  ['jose', 'accounts/'],
  ['nodemailer', 'accounts/'],
  ['ajv', 'extend/'],
  ['croner', 'extend/'],
  ['koa', 'compat/'],
  ['path-to-regexp', 'compat/'],
];

/** Files that may read the environment. */
const ENVIRONMENT: ReadonlySet<string> = new Set(['project/environment.ts', 'main.ts', 'cli/run.ts']);

/** Files that only one folder may import: what starts a read or a write stands behind the door that authorizes. */
const DOORS: readonly (readonly [file: string, folder: string])[] = [
  ['read/run-read.ts', 'operations/'],
  ['store/run-write.ts', 'operations/'],
];

/** Types that stand for a check, and the only file that may say that it was made. */
const VOUCHERS: readonly (readonly [type: string, file: string])[] = [
  ['Authorized', 'access/authorize.ts'],
  ['AuthorizedReadPlan', 'plan/read/plan-read.ts'],
  ['AuthorizedWritePlan', 'plan/write/plan-write.ts'],
];

/** Source text by path below `src/`, with `/` between folders. */
type Sources = ReadonlyMap<string, string>;

const SPECIFIER =
  /(?:^|[;}\s])(?:import|export)\s+(?:[^'"`;]*?\sfrom\s+)?(['"])([^'"]+)\1|\bimport\s*\(\s*(['"`])([^'"`]+)\3/gm;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

const importsOf = (source: string): string[] =>
  [...source.replace(COMMENT, '').matchAll(SPECIFIER)].map((match) => match[2] ?? match[4]!);

/** The files of the tree that a file imports; a relative import that leads nowhere is kept, to be noticed. */
const localImports = (file: string, source: string): string[] =>
  importsOf(source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => path.posix.join(path.posix.dirname(file), specifier));

const isIn = (file: string, place: string): boolean => (place.endsWith('/') ? file.startsWith(place) : file === place);
const topFolder = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '.');
const layerOf = (file: string): number => LAYERS.findIndex((places) => places.some((place) => isIn(file, place)));

function layerProblems(sources: Sources): string[] {
  const problems: string[] = [];
  for (const [file, source] of sources) {
    const from = layerOf(file);
    if (from < 0) problems.push(`${file} is in no layer`);
    for (const target of localImports(file, source)) {
      if (!sources.has(target)) problems.push(`${file} imports ${target}, which is not there`);
      const sameFolder = topFolder(file) !== '.' && topFolder(file) === topFolder(target);
      if (!sameFolder && layerOf(target) >= from) problems.push(`${file} imports ${target}, which is not below it`);
      for (const [above, below] of FORBIDDEN)
        if (isIn(file, above) && isIn(target, below)) problems.push(`${file} imports ${target}, which is forbidden`);
    }
  }
  return problems;
}

/** Every way round, as the files along it; each cycle is told once. */
function cycles(sources: Sources): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) found.push([...trail.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file) || !sources.has(file)) return;
    for (const target of localImports(file, sources.get(file)!)) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of sources.keys()) visit(file, []);
  return found;
}

function packageProblems(sources: Sources): string[] {
  const problems: string[] = [];
  for (const [file, source] of sources)
    for (const specifier of importsOf(source))
      for (const [name, layer] of PACKAGES)
        if ((specifier === name || specifier.startsWith(`${name}/`)) && !isIn(file, layer))
          problems.push(`${file} imports ${specifier}, which only ${layer} may`);
  return problems;
}

function doorProblems(sources: Sources): string[] {
  const problems: string[] = [];
  for (const [file, source] of sources)
    for (const [door, folder] of DOORS)
      if (localImports(file, source).includes(door) && !isIn(file, folder))
        problems.push(`${file} imports ${door}, which only ${folder} may`);
  return problems;
}

/** A cast to a type, be it with arguments or inside another type; or to one that is assignable to everything. */
const castTo = (type: string): RegExp =>
  new RegExp(`\\bas\\s+(?:const\\s+)?(?:[\\w.]+\\s*<\\s*)*${type}\\b|<\\s*${type}\\b[^>]*>\\s*[({]`);

function voucherProblems(sources: Sources): string[] {
  const problems: string[] = [];
  for (const [file, text] of sources) {
    const source = text.replace(COMMENT, '');
    for (const [type, allowed] of VOUCHERS)
      if (file !== allowed && castTo(type).test(source))
        problems.push(`${file} casts to ${type}, which only ${allowed} may`);
    for (const type of ['any', 'never'])
      if (castTo(type).test(source)) problems.push(`${file} casts to ${type}, which passes for everything`);
  }
  return problems;
}

/** Where a value comes from outside, one cast in one place is enough: few enough to look at each. */
const MOST_CASTS = 100;

/** Where a value is said to be of a type, and nothing checks it. */
function castsIn(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('type' in value && (value.type === 'TSAsExpression' || value.type === 'TSTypeAssertion')) {
      const { start, typeAnnotation } = value as ESTree.TSAsExpression | ESTree.TSTypeAssertion;
      const type = text.slice(typeAnnotation.start, typeAnnotation.end);
      if (type !== 'const') found.push(`${file}:${text.slice(0, start).split('\n').length} ${type}`);
    }
    Object.values(value).forEach(visit);
  };
  visit(parseSync(file, text).program);
  return found;
}

/** Files that have their names in common, so that one may be taken for the other. */
const nameProblems = (sources: Sources): string[] =>
  [...Map.groupBy(sources.keys(), (file) => path.posix.basename(file)).values()]
    .filter((files) => files.length > 1)
    .map((files) => `${files.join(' and ')} have one name`);

const READS_ENVIRONMENT =
  /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|\benv\b[^;]*\bfrom\s+['"](?:node:)?process['"]/;

const environmentProblems = (sources: Sources): string[] =>
  [...sources]
    .filter(([file, source]) => !ENVIRONMENT.has(file) && READS_ENVIRONMENT.test(source.replace(COMMENT, '')))
    .map(([file]) => `${file} reads the environment`);

/** Imported by name, this module of Node loads its whole HTTP client: a fifth of what a start takes. */
const IMPORTS_HTTP = /^import (?!type\b)[^;]*\bfrom '(?:node:)?https?'/m;

const httpImporters = (sources: Sources): string[] =>
  [...sources].filter(([, source]) => IMPORTS_HTTP.test(source)).map(([file]) => file);

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../console/src', import.meta.url));

const sourcesOf = (folder: string): Sources =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll(path.sep, '/'))
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .sort()
      .map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]),
  );

const source = sourcesOf(SRC);

describe('the source', () => {
  it('has no import cycle', () => {
    expect(cycles(source)).toEqual([]);
  });

  it('has every file in a layer and every import pointing to a lower one', () => {
    expect(layerProblems(source)).toEqual([]);
  });

  it('imports the SQL composer, the database driver and the web framework in one folder each', () => {
    expect(packageProblems(source)).toEqual([]);
  });

  it('reads the environment in project/environment.ts and at the start of the command line only', () => {
    expect(environmentProblems(source)).toEqual([]);
  });

  it('starts reads and writes in operations/ only, behind the door that authorizes them', () => {
    expect(doorProblems(source)).toEqual([]);
  });

  it('says of an operation or a plan that it is authorized only where that is checked', () => {
    expect(voucherProblems(source)).toEqual([]);
  });

  it('casts in few places, the console with it', () => {
    const casts = [...source, ...sourcesOf(CONSOLE)].flatMap(([file, text]) => castsIn(file, text));
    expect(casts.length, casts.join('\n')).toBeLessThan(MOST_CASTS);
  });

  it('imports node:http by name in commands other than start only', () => {
    expect(httpImporters(source)).toEqual(['cli/compare/sides.ts', 'cli/dev/dev-listener.ts']);
  });

  it('has a name of its own for every file', () => {
    expect(nameProblems(source)).toEqual([]);
  });

  it('is really what is looked at: every layer has files, and the doors are in use', () => {
    const empty = LAYERS.flat().filter((place) => ![...source.keys()].some((file) => isIn(file, place)));
    expect(empty).toEqual([]);
    for (const [name, layer] of PACKAGES) {
      const users = [...source].filter(([, text]) => importsOf(text).includes(name)).map(([file]) => file);
      expect(users, name).not.toEqual([]);
      expect(users.every((file) => isIn(file, layer))).toBe(true);
    }
    expect(READS_ENVIRONMENT.test(source.get('project/environment.ts')!)).toBe(true);
    for (const [door, folder] of DOORS)
      expect([...source].some(([file, text]) => isIn(file, folder) && localImports(file, text).includes(door))).toBe(
        true,
      );
    for (const [type, file] of VOUCHERS) expect(castTo(type).test(source.get(file)!), type).toBe(true);
  });
});

describe('the documentation', () => {
  const page = (name: string): string => readFileSync(path.join(SRC, '../docs', name), 'utf8');

  it('has every file of the source in its code map, and no other', () => {
    const [, map = ''] = page('architecture.md').split('## Code map');
    const [table = ''] = map.split('\n## ');
    const named = [...table.matchAll(/^\| `([^`]+\.ts)` +\|/gm)].map(([, file]) => file!);
    expect(named.toSorted()).toEqual([...source.keys()]);
  });

  it('names every limit of a request with its value', () => {
    // These are of no concern to who sends requests: what is kept, and how long names in the database may be.
    const internal = /^MAX_(CACHED_|IDENTIFIER_|ACCESS_CHANGES)/;
    const declared = [...source.get('limits.ts')!.matchAll(/^export const (\w+) = ([\d_]+);$/gm)]
      .filter(([, name]) => !internal.test(name!))
      .map(([, name, value]) => `${name} ${Number(value!.replaceAll('_', ''))}`);
    const [, limits = ''] = page('api.md').split('## Limits');
    const listed = [...limits.matchAll(/^\| `([A-Z_]+)` +\| ([\d,]+) +\|/gm)].map(
      ([, name, value]) => `${name} ${Number(value!.replaceAll(',', ''))}`,
    );
    expect(listed.toSorted()).toEqual(declared.toSorted());
  });
});

describe('the check', () => {
  const made = (files: Record<string, string>): Sources => new Map(Object.entries(files));

  it('sees every form of import', () => {
    const text = `import './a.ts';
import b from './b.ts';
import type { C } from "./c.ts";
import d, {
  e,
  f,
} from './d.ts';
export * from './e.ts';
export { g, type H } from './f.ts';
const h = await import('./g.ts');
import * as i from './h.ts'; import { j } from './i.ts';
export const k = 'from ./not-this.ts';
// import './nor-this.ts';
/* import './nor-that.ts'; */`;
    expect(importsOf(text)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => `./${name}.ts`));
  });

  it('notices a cycle, of two files, of several, and of one alone', () => {
    const two = made({ 'plan/a.ts': `import { b } from './b.ts';`, 'plan/b.ts': `import type { A } from './a.ts';` });
    expect(cycles(two)).toEqual(['plan/a.ts → plan/b.ts → plan/a.ts']);
    const three = made({
      'errors.ts': `import './plan/a.ts';`,
      'plan/a.ts': `import '../model/b.ts';`,
      'model/b.ts': `export * from '../errors.ts';`,
    });
    expect(cycles(three)).toEqual(['errors.ts → plan/a.ts → model/b.ts → errors.ts']);
    expect(cycles(made({ 'lru.ts': `import './lru.ts';` }))).toEqual(['lru.ts → lru.ts']);
    const fork = { 'a.ts': `import './b.ts'; import './c.ts';`, 'b.ts': `import './c.ts';`, 'c.ts': '' };
    expect(cycles(made(fork))).toEqual([]);
  });

  it('notices an import that points upward or sideways, and allows one downward or within a folder', () => {
    const upward = made({ 'model/a.ts': `import type { P } from '../plan/p.ts';`, 'plan/p.ts': '' });
    expect(layerProblems(upward)).toEqual(['model/a.ts imports plan/p.ts, which is not below it']);
    const sideways = made({ 'errors.ts': `import './limits.ts';`, 'limits.ts': '' });
    expect(layerProblems(sideways)).toEqual(['errors.ts imports limits.ts, which is not below it']);
    const fine = made({
      'plan/a.ts': `import './b.ts'; import '../model/m.ts'; import '../errors.ts';`,
      'plan/b.ts': '',
      'model/m.ts': '',
      'errors.ts': '',
    });
    expect(layerProblems(fine)).toEqual([]);
  });

  it('notices a request parser that looks at the model, though the model is lower', () => {
    const sources = made({ 'request/r.ts': `import type { Model } from '../model/m.ts';`, 'model/m.ts': '' });
    expect(layerProblems(sources)).toEqual(['request/r.ts imports model/m.ts, which is forbidden']);
  });

  it('notices a file outside every layer, and an import that leads nowhere', () => {
    expect(layerProblems(made({ 'helpers/x.ts': '' }))).toEqual(['helpers/x.ts is in no layer']);
    expect(layerProblems(made({ 'plan/a.ts': `import '../model/gone.ts';` }))).toEqual([
      'plan/a.ts imports model/gone.ts, which is not there',
    ]);
  });

  it('counts casts, and nothing that looks like one', () => {
    const text = `import { a as b } from './a.ts';
const c = b as unknown as string;
// d as e
const f = ['g as h', \`i as \${b as number}\`] as const;
export { f as j };`;
    expect(castsIn('a.ts', text)).toEqual(['a.ts:2 string', 'a.ts:2 unknown', 'a.ts:4 number']);
    expect(castsIn('b.ts', 'const a = <string>b;')).toEqual(['b.ts:1 string']);
    expect(castsIn('c.tsx', 'const a = <p>{b as string}</p>;')).toEqual(['c.tsx:1 string']);
  });

  it('notices a package that is imported outside its folder', () => {
    const sources = made({
      'store/a.ts': `import { DatabaseSync } from 'node:sqlite';`,
      'plan/b.ts': `import type { Kysely } from 'kysely';`,
      'app.ts': `const { fastify } = await import('fastify');`,
      'sql/c.ts': `import { sql } from 'kysely';`,
      'db/d.ts': `import { fastifyish } from 'fastify-like';`,
    });
    expect(packageProblems(sources)).toEqual([
      'store/a.ts imports node:sqlite, which only db/ may',
      'plan/b.ts imports kysely, which only sql/ may',
      'app.ts imports fastify, which only http/ may',
    ]);
  });

  it('notices a read or a write that is started elsewhere, also inside its own folder', () => {
    const sources = made({
      'http/a.ts': `import { preparePage } from '../read/run-read.ts';`,
      'store/b.ts': `import { runWrite } from './run-write.ts';`,
      'accounts/c.ts': `const { runWrite } = await import('../store/run-write.ts');`,
      'operations/d.ts': `import { runWrite } from '../store/run-write.ts'; import '../read/run-read.ts';`,
    });
    expect(doorProblems(sources)).toEqual([
      'http/a.ts imports read/run-read.ts, which only operations/ may',
      'store/b.ts imports store/run-write.ts, which only operations/ may',
      'accounts/c.ts imports store/run-write.ts, which only operations/ may',
    ]);
  });

  it('notices a cast to what only a check may give, in each of its spellings', () => {
    for (const text of [
      `const a = b as AuthorizedReadPlan;`,
      `const a = b as unknown as AuthorizedReadPlan;`,
      `const a = b as Readonly<AuthorizedReadPlan>;`,
      `const a = <AuthorizedReadPlan>(b);`,
      `const a = b as\n  AuthorizedReadPlan;`,
    ]) {
      const told = 'casts to AuthorizedReadPlan, which only plan/read/plan-read.ts may';
      expect(voucherProblems(made({ 'http/a.ts': text })), text).toEqual([`http/a.ts ${told}`]);
      expect(voucherProblems(made({ 'plan/read/plan-read.ts': text })), text).toEqual([]);
    }
    expect(voucherProblems(made({ 'http/a.ts': `const a = b as Authorized<ReadOperation>;` }))).toHaveLength(1);
    expect(voucherProblems(made({ 'access/authorize.ts': `run(plan as never); run(plan as any);` }))).toHaveLength(2);
    const fine = `import type { Authorized } from './authorize.ts'; const a: Authorized<Operation> = authorize(b, c);`;
    expect(voucherProblems(made({ 'http/a.ts': fine }))).toEqual([]);
  });

  it('notices node:http imported by name, and allows its types and an import at run time', () => {
    const sources = made({
      'a.ts': `import http from 'node:http';`,
      'b.ts': `import {\n  createServer,\n} from 'node:https';`,
      'c.ts': `import type { IncomingMessage } from 'node:http';\nconst http = await import('node:http');`,
    });
    expect(httpImporters(sources)).toEqual(['a.ts', 'b.ts']);
  });

  it('notices two files of one name', () => {
    const sources = made({ 'read/populate.ts': '', 'plan/populate.ts': '', 'plan/sort.ts': '' });
    expect(nameProblems(sources)).toEqual(['read/populate.ts and plan/populate.ts have one name']);
  });

  it('notices the environment read elsewhere, in each of its spellings', () => {
    for (const text of [
      `const a = process.env.HOME;`,
      `const { HOME } = process.env;`,
      `const a = process?.env.HOME;`,
      `const a = process['env'];`,
      `import { env } from 'node:process';`,
    ]) {
      expect(environmentProblems(made({ 'http/a.ts': text })), text).toEqual(['http/a.ts reads the environment']);
      expect(environmentProblems(made({ 'project/environment.ts': text }))).toEqual([]);
    }
    expect(environmentProblems(made({ 'http/a.ts': '// process.env\nprocess.exit(0);' }))).toEqual([]);
  });
});
