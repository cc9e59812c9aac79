import { spawnSync } from 'node:child_process';
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

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['--no-warnings', ...args], { encoding: 'utf8' });

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

describe('The command line', () => {
  it('says which Node it needs where it runs on an older one', () => {
    const { status, stderr } = run('--import', NODE_20, MAIN, 'start');
    expect(stderr).toBe(
      'sheaf needs Node 24 or later; this is v20.20.2.\nIn a checkout, `npm start` and `npx sheaf` bring their own.\n',
    );
    expect(status).toBe(1);
  });
});
