// Two groups, one after the other: tests that mind nobody, side by side; then, one by one, those that measure time or
// load the machine themselves.
import { defineConfig } from 'vitest/config';

const ALONE = [
  'auth',
  'concurrency',
  'failures',
  'kill',
  'limits',
  'postgres',
  'replicas',
  'shutdown',
  'statements',
].map((name) => `test/${name}.test.ts`);

const shared = {
  globalSetup: ['test/support/postgres.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'side by side',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: { ...shared, name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
