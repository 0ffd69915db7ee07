import { defineConfig, mergeConfig } from 'vitest/config';
import all from './vitest.config.ts';

/** For the inner loop: what starts processes, runs a compiler or tries the same by chance, or often, is left out. */
export default mergeConfig(
  all,
  defineConfig({
    test: {
      exclude: [
        'test/{bench,demo,hostile,house,isolation,package,processes,readme}/**',
        'test/cli/process.test.ts',
        'test/conformance/*-outage.test.ts',
        'test/db/!(contracts).test.ts',
        'test/gateway/{health,rate-limiter-outages}.test.ts',
        'test/{graphql,trpc}/hostile.test.ts',
        'test/graphql/{client,graphiql,page,relay}.test.ts',
        'test/openapi/{client,generators,lint,postman}.test.ts',
        'test/parity/{embedded,pooler,postgres}.test.ts',
        'test/verify/properties.test.ts',
      ],
    },
  }),
);
