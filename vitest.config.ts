// Three files at a time, in any order, since many of them wait. Files that run in the same process share its modules, so
// a test restores what it replaces. No test of a server asserts how long something takes, so none minds what else the
// machine does. Time-outs guard against what never ends, and nothing else.
import { defineConfig } from 'vitest/config';
import { scaled } from './test/support/scale.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/temporary-files.ts', 'test/support/postgres.ts'],
    isolate: false,
    maxWorkers: 3,
    testTimeout: scaled(120_000),
    hookTimeout: 120_000,
  },
});
