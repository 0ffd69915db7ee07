import { defineConfig, mergeConfig } from 'vitest/config';
import all from './vitest.config.ts';

/**
 * For the inner loop: the rules and the protocols. What starts processes or a browser, runs a compiler, or tries the same
 * by chance, often or in several ways, is left out.
 */
export default mergeConfig(
  all,
  defineConfig({
    test: {
      exclude: [
        'test/{archive,bench,cli,company,db,demo,desk,hostile,house,isolation,package,parity}/**',
        'test/{openapi,processes,readme,verify}/**',
        'test/conformance/{*-outage,concurrency,get-metric-history-csv}.test.ts',
        'test/events/{client,in-production,wait}.test.ts',
        'test/gateway/{cors,docs,health,rate-limiter,rate-limiter-outages,redact-keys}.test.ts',
        'test/gateway/{mail,metrics,webhooks}/**',
        'test/{graphql,trpc}/hostile.test.ts',
        'test/graphql/{introspection,points-and-records}.test.ts',
        'test/trpc/{errors,streams}.test.ts',
        'test/graphql/{client,graphiql,page,relay}.test.ts',
      ],
    },
  }),
);
