// Three files at a time, the longest first. With two, cores are idle where files wait; each process more has to compile
// the source again while it runs, which at six takes a tenth of the processor time. Files that run in the same process
// share its modules, so a test restores what it replaces. No test of a server asserts how long something takes, so none
// minds what else the machine does; for one that stands still see test/support/stalled-machine.ts. Time-outs guard
// against what never ends, and nothing else.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { PATIENCE_MS } from './test/support/patience.ts';
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

/** The longest takes half a minute; on a machine that gives a tenth of its time, some minutes. */
const TEST_MS = 3 * PATIENCE_MS;

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
    setupFiles: ['test/support/cheap-hashes.ts'],
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: scaled(TEST_MS),
    hookTimeout: scaled(TEST_MS),
    expect: { poll: { timeout: PATIENCE_MS } },
  },
});
