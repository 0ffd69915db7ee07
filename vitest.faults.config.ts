import { defineConfig, mergeConfig } from 'vitest/config';
import all from './vitest.config.ts';

/** What the service must survive. It starts servers of its own, breaks them, and takes its time: see docs/reliability.md. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [], reporters: [] } },
  defineConfig({
    test: {
      include: ['test/faults/**/*.faults.ts'],
      // One after the other: what a scenario measures must not be another one's load.
      maxWorkers: 1,
      reporters: ['verbose', './test/support/skipped-reporter.ts'],
    },
  }),
);
