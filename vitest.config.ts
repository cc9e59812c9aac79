// Three files at a time, the longest first, since many of them wait. Files that run in the same process share its
// modules, so a test restores what it replaces. No test of a server asserts how long something takes, so none minds what
// else the machine does. Time-outs guard against what never ends, and nothing else.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { scaled } from './test/support/scale.ts';

/** The files that take longest, most of them because they wait. They come first, so that no core is idle in the end. */
const LONGEST = [
  'access',
  'model-changes',
  'auth',
  'failures',
  'package',
  'shutdown',
  'replicas',
  'postgres',
  'compare',
  'read-only',
  'documentation',
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'console/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/temporary-files.ts', 'test/support/postgres.ts'],
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: scaled(120_000),
    // A page beside other tests may take longer than the one second that is usual.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
  },
});
