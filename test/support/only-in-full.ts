/**
 * Test files that only a run with FULL_TESTS takes, as .ci/run does: they start browsers, compilers and processes to show
 * once more, in the form in which it is delivered, what other tests show of its parts.
 */
export const onlyInFull: readonly string[] = [
  // Whole processes: what they do when they are started, ended, killed, or without what they need.
  'test/processes/{killed-imports,mailed-link,on-embedded,tracing,without-collector}.test.ts',
  'test/archive/{crashes,slow-disk}.test.ts',
  'test/db/{logical-replication,standby}.test.ts',
  // The built packages, and the pages in a browser.
  'test/house/build.test.ts',
  'test/package/client.test.ts',
  'test/desk/{accessible,double-clicks,live,live-reading,pictures,right-to-left,tour}.test.ts',
  'test/desk/{drafts,settings}-in-chromium.test.ts',
  'test/graphql/{graphiql,page}.test.ts',
  'test/gateway/pages-in-chromium.test.ts',
  // Many rows, to see that a statement reads few of them.
  'test/db/plans.test.ts',
  // The same as in memory, and the scripts of the bench.
  'test/isolation/postgres.test.ts',
  'test/bench/**',
];
