// @module-tag full
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { whyNoPostgres } from '../support/databases.ts';
import { isFull } from '../support/property-runs.ts';
import { findRedis } from '../support/redis.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const busyMachineMilliseconds = 240_000;

const missing = await whyNoPostgres();
const redis = await findRedis();
const isSkipped = !isFull || missing !== null || redis === null;
if (isSkipped)
  console.error(
    `SKIPPED: bars of live updates: ${missing ?? (isFull ? 'no Redis' : 'FULL_TESTS is not set')}`,
  );
afterAll(() => redis?.stop());

/** A short run of the script, as it is started by hand. */
function run() {
  const { TEST_DATABASE_URL } = process.env;
  return new Promise<{ code: number; result: Record<string, unknown> }>((resolve, reject) => {
    execFile(
      process.execPath,
      ['bench/bars/subscribers.ts', '--smoke'],
      {
        cwd: root,
        timeout: busyMachineMilliseconds,
        env: {
          ...process.env,
          ...(TEST_DATABASE_URL && { BENCH_DATABASE_URL: TEST_DATABASE_URL }),
          ...(redis && { BENCH_REDIS_URL: redis.url }),
        },
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code);
        if (stdout === '') reject(new Error(`the script told nothing:\n${stderr}`));
        else resolve({ code, result: JSON.parse(stdout) });
      },
    );
  });
}

describe.skipIf(isSkipped)('subscribers, by the script of the bench', () => {
  it('see each approval of another process, and none is left in the end', async () => {
    const { code, result } = await run();
    expect(code).toBe(0);
    expect(result).toMatchObject({ latency: { expected: 150, seen: 150 } });
  });
});
