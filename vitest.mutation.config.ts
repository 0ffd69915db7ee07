import { defineConfig } from 'vitest/config';

/** The tests of the rules alone, for the mutation tester: they are fast and need no database. */
export default defineConfig({
  test: {
    include: ['test/core/**/*.test.ts'],
    experimental: { viteModuleRunner: false },
    // Each mutant is a run of its own: loading the core anew for each file would take most of it.
    isolate: false,
    // A mutated run counts more, and two of them share the machine.
    testTimeout: 60_000,
  },
});
