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

/** A short run of a script, as it is started by hand. */
function run(script: string, ...more: string[]) {
  const { TEST_DATABASE_URL } = process.env;
  return new Promise<{ code: number; result: Record<string, unknown> }>((resolve, reject) => {
    execFile(
      process.execPath,
      [`bench/bars/${script}.ts`, '--smoke', ...more],
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

describe.skipIf(isSkipped)('the scripts of the bench', () => {
  it('find that no reader of the feed misses or doubles an event', async () => {
    const { code, result } = await run('feed', '--transitions', '600');
    expect(result).toMatchObject({ skipped: 0, doubled: 0, outOfOrder: 0 });
    expect([code, Number(result.events) >= 600]).toEqual([0, true]);
  });

  it('find that readers by number do: else the first would prove nothing', async () => {
    const { code, result } = await run('feed', '--naive');
    expect(Number(result.skipped)).toBeGreaterThan(0);
    expect(code).toBe(1);
  });

  it('find that every subscriber sees each approval of another process, and that none is left', async () => {
    const { code, result } = await run('subscribers');
    expect(code).toBe(0);
    expect(result).toMatchObject({ latency: { expected: 150, seen: 150 } });
  });
});
