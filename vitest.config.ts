import { configDefaults, defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';
import { onlyInFull } from './test/support/only-in-full.ts';

const isFull = process.env.FULL_TESTS !== undefined;
// What the command line names is taken.
const areNamed = process.argv.some((argument) => argument.startsWith('test/'));

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isFull || areNamed ? [] : onlyInFull)],
    globalSetup: 'test/support/global-setup.ts',
    // Native imports: what is tested is what runs, type stripping and subpath imports included.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // One more than the two cores of a small machine: many tests wait for what takes its time.
    maxWorkers: 3,
    // Files share a process one after the other: loading the service anew for each took as long as the tests themselves.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // What passes says nothing, but that it moves.
    reporters: [
      'minimal',
      './test/support/skipped-reporter.ts',
      './test/support/progress-reporter.ts',
    ],
    // A busy machine must not fail a test; one that hangs still ends. What runs in full does ten times as much.
    testTimeout: isFull ? 600_000 : 180_000,
    hookTimeout: isFull ? 600_000 : 240_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      provider: 'v8',
      include: ['core/**/*.ts'],
      reporter: [['text', { skipFull: true }], 'html'],
      thresholds: { 100: true },
    },
  },
});
