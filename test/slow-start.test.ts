// Code of a project that takes long to start: the server waits for it as long as the limits say, and the log says so.
import { afterEach, expect, it, vi } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { LONG_LIFECYCLE_MS, MAX_LIFECYCLE_MS, MAX_STRAPI_START_MS } from '../src/limits.ts';
import { type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';
import { writeFiles } from './support/own-code.ts';

const PROJECT: Project = { types: { note: { attributes: { text: { type: 'string' } } } } };
/** Longer than Fastify would wait. */
const LONG_MS = 15_000;

const wait = (milliseconds: number): string => `await new Promise((resolve) => setTimeout(resolve, ${milliseconds}));`;
const native = (milliseconds: number) => ({
  'src/sheaf.js': `export default { async start() { ${wait(milliseconds)} } };`,
});
const strapi = (milliseconds: number) => ({
  'src/index.js': `module.exports = { async bootstrap() { ${wait(milliseconds)} } };`,
});

describeOnSqlite('A project whose code takes long to start', (engine) => {
  const contents = useContents(engine);
  afterEach(() => {
    vi.useRealTimers();
  });

  /** What the log says until a server is ready, or why it is not, with a clock that is turned on. */
  async function startUp(files: Readonly<Record<string, string>>): Promise<{ told: string[]; outcome: string }> {
    const project = contents.project(PROJECT);
    writeFiles(project, files);
    const sheaf: Sheaf = await open({ project, database: engine.freshDatabaseUrl() });
    const told: string[] = [];
    const tell = (given: { file?: string; code?: string }, message: string): void => {
      told.push(`${given.file} ${given.code}: ${message}`);
    };
    const silent = () => undefined;
    const logger = { level: 'info', trace: silent, debug: silent, info: silent, warn: tell, error: tell, fatal: tell };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const app = createServer(sheaf, { logger: { ...logger, silent, child: () => logger } as never });
    let outcome = '';
    const ready = app.ready().then(
      () => {
        outcome = 'ready';
      },
      (error: Error) => {
        outcome = error.message;
      },
    );
    while (outcome === '') {
      await vi.advanceTimersByTimeAsync(LONG_LIFECYCLE_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ready;
    vi.useRealTimers();
    await app.close();
    await sheaf.close();
    return { told, outcome };
  }

  it('is waited for, and named meanwhile', async () => {
    const waiting = 'the server waits for code of the project';
    for (const [files, name] of [
      [native(LONG_MS), 'src/sheaf.js start'],
      [strapi(LONG_MS), 'src/index bootstrap'],
    ] as const) {
      const { told, outcome } = await startUp(files);
      expect(told).toContain(`${name}: ${waiting}`);
      expect(outcome).toBe('ready');
    }
  });

  it('is given up at its limit', async () => {
    const endless = await startUp(native(MAX_LIFECYCLE_MS * 2));
    expect(endless.told).toContainEqual(expect.stringContaining(`did not end within ${MAX_LIFECYCLE_MS} ms`));
    expect(endless.outcome).not.toBe('ready');
    const { told, outcome } = await startUp(strapi(MAX_STRAPI_START_MS * 2));
    expect(told).toContainEqual(
      expect.stringContaining(`bootstrap failed: it did not end within ${MAX_STRAPI_START_MS} ms`),
    );
    expect(outcome).toBe('ready');
  });
});
