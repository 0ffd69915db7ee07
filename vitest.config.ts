import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

const isFull = process.env.FULL_TESTS !== undefined;
// The mutation tester only runs the tests of the core, and ends its processes without notice.
const isMutated = process.env.STRYKER_MUTATOR_WORKER !== undefined;

/**
 * The needs of the tests of each project. The folder or the name of a file decides. All other files belong to `unit`.
 */
const needs = {
  // Servers and processes that only these tests use and break: see docs/reliability.md.
  fault: ['test/faults/**/*.faults.ts'],
  // Separate hosts, as root: see docs/reliability.md.
  cluster: ['test/cluster/**/*.cluster.ts'],
  browser: ['test/**/*.browser.test.ts'],
  // A process of the service on each database.
  start: ['test/processes/starts.test.ts', 'test/readme/tour.test.ts'],
  // Processes of the service, compilers, other programs.
  process: [
    'test/**/*.process.test.ts',
    'test/{bench,examples,package,processes,readme,repository}/**/*.test.ts',
  ],
  // A PostgreSQL or Redis server, for behaviour that the contracts of the ports don't cover. The listed files of test/db
  // need no server.
  servers: [
    'test/**/*.database.test.ts',
    'test/cli/{database-urls,doctor,doctor-others,signatures}.test.ts',
    'test/conformance/{access-record-outage,database-outage,rate-limit-redis,statements}.test.ts',
    'test/db/*/**/*.test.ts',
    'test/db/!(batch|compiled-once|contracts|driver|positions-at-once|refusal-queue|server-clock).test.ts',
    'test/desk/{processes,statements}.test.ts',
    'test/isolation/postgres.test.ts',
  ],
  // The contracts on PostgreSQL, and features that need any database.
  database: ['test/{cli,company,conformance,db,demo,desk,isolation}/**/*.test.ts'],
  unit: [isMutated ? 'test/core/**/*.test.ts' : 'test/**/*.test.ts'],
} as const;

type Project = keyof typeof needs;

const projects = isMutated ? ['unit' as const] : (Object.keys(needs) as Project[]);

/** A file belongs to the first project that claims it. */
const filesOf = (name: Project) => ({
  name,
  include: [...needs[name]],
  exclude: [
    '**/node_modules/**',
    ...projects.slice(0, projects.indexOf(name)).flatMap((earlier) => needs[earlier]),
  ],
});

export default defineConfig({
  test: {
    projects: projects.map((name) => ({
      test: {
        ...filesOf(name),
        // A browser alone keeps a core busy: with a third one pages load too late.
        ...(name === 'browser' && { maxWorkers: 2, sequence: { groupOrder: 1 } }),
        // One after the other: the load of one scenario must not disturb the measurements of another.
        ...((name === 'fault' || name === 'cluster') && {
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        }),
      },
    })),
    tags: [
      { name: 'full', description: 'Run by FULL_TESTS=1 npm test, and where its file is named.' },
    ],
    globalSetup: isMutated ? [] : 'test/support/global-setup.ts',
    // Native imports: the tests run the same code as production, including type stripping and subpath imports.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // One more than the two cores of a small machine: many tests spend their time waiting.
    maxWorkers: 3,
    // Files share a process one after the other: loading the service again for each took as long as the tests
    // themselves.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Passing tests print nothing except the progress.
    reporters: [
      'minimal',
      './test/support/skipped-reporter.ts',
      './test/support/progress-reporter.ts',
    ],
    // A busy machine must not fail a test, but a hanging one must end. Tests do ten times as much in a full run.
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
