// @module-tag full
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { whyNoPostgres } from '../support/databases.ts';
import { serverUrl } from '../support/postgres-server.ts';
import { isFull } from '../support/property-runs.ts';
import { findRedis } from '../support/redis.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const missing = await whyNoPostgres();
const redis = await findRedis();
const isSkipped = !isFull || missing !== null || redis === null;
if (isSkipped)
  console.error(
    `SKIPPED: webhooks past kill -9: ${missing ?? (isFull ? 'no Redis' : 'FULL_TESTS is not set')}`,
  );
afterAll(() => redis?.stop());

test.skipIf(isSkipped)('webhooks past a kill -9, by the script of the bench', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['bench/bars/webhooks.ts', '--smoke'],
    {
      cwd: root,
      env: {
        ...process.env,
        BENCH_DATABASE_URL: serverUrl,
        BENCH_REDIS_URL: redis?.url ?? '',
      },
    },
  );
  expect(JSON.parse(stdout)).toMatchObject({
    kills: 1,
    missing: 0,
    unknown: 0,
    changed: 0,
    gaps: 0,
    disordered: 0,
  });
});
