import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Makes the process look like Node 20, where `node:module` lacks what later versions export. */
const NODE_20 = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  Object.defineProperty(process, 'version', { value: 'v20.20.2' });
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:module' ? { url: 'data:text/javascript,', shortCircuit: true } : next(specifier, context),
  });
`)}`;

const run = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, ['--no-warnings', ...args], { encoding: 'utf8', env: { ...process.env, ...variables } });

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const GUIDE = fileURLToPath(new URL('../examples/guide', import.meta.url));

describe('The command line', () => {
  it('says which Node it needs where it runs on an older one', () => {
    const { status, stderr } = run(['--import', NODE_20, MAIN, 'start']);
    expect(stderr).toBe(
      'sheaf needs Node 24 or later, and this is v20.20.2: install it from your package manager, or put it beside sheaf with `npm i node@24`.\n',
    );
    expect(status).toBe(1);
  });

  it('does not print the password of a database URL that is malformed', () => {
    const url = 'postgres://sheaf:hid/hid@db.internal/content';
    const message = [
      'sheaf: The database "postgres://sheaf:…@db.internal/content" cannot be opened',
      '  - a / in the user name or password must be written %2F',
      '  - expected sqlite:PATH or postgres://user:password@host:port/name\n',
    ].join('\n');
    const start = [MAIN, 'start', '--project', GUIDE];
    const asReplica = { DATABASE_URL: 'postgres://127.0.0.1:1/content', DATABASE_REPLICA_URLS: url };
    for (const { status, stdout, stderr } of [
      run([...start, '--database', url]),
      run(start, { DATABASE_URL: url }),
      run(start, asReplica),
      run([MAIN, 'schema', 'diff', '--project', GUIDE, '--database', url]),
    ])
      expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: message });
  });

  it('does not repeat a database host that cannot be one', () => {
    const parts = { DATABASE_CLIENT: 'postgres', DATABASE_HOST: 'sheaf:hidden@db.internal' };
    const { status, stderr } = run([MAIN, 'start', '--project', GUIDE], parts);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'sheaf: DATABASE_HOST cannot be used\n  - expected a name or an address, without port and user\n',
    });
  });

  it('writes all of a long message to a pipe before it ends with an error', () => {
    const project = mkdtempSync(join(tmpdir(), 'sheaf-long-message-'));
    const folder = join(project, 'src/api/form/content-types/form');
    mkdirSync(folder, { recursive: true });
    const names = Array.from({ length: 3000 }, (_, index) => `field${index}`);
    const schema = {
      kind: 'collectionType',
      collectionName: 'forms',
      info: { singularName: 'form', pluralName: 'forms', displayName: 'Form' },
      attributes: Object.fromEntries(names.map((name) => [name, { type: 'no-such-type' }])),
    };
    writeFileSync(join(folder, 'schema.json'), JSON.stringify(schema));
    const piped = '"$0" "$1" schema diff --project "$2" --database sqlite:"$2"/content.sqlite 2>&1 | cat';
    const { stdout } = spawnSync('sh', ['-c', piped, process.execPath, MAIN, project], { encoding: 'utf8' });
    rmSync(project, { recursive: true });
    expect(stdout.length).toBeGreaterThan(2 ** 17);
    expect(stdout).toContain(`attributes.${names.at(-1)}.type`);
  });
});
