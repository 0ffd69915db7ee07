// @module-tag full
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
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
    `SKIPPED: rotation of signing keys: ${missing ?? (isFull ? 'no Redis' : 'FULL_TESTS is not set')}`,
  );
afterAll(() => redis?.stop());

/** A short run of the script, as it is started by hand. */
function run(...more: string[]) {
  return new Promise<{ code: number; result: Record<string, unknown> }>((resolve, reject) => {
    execFile(
      process.execPath,
      ['bench/bars/rotation.ts', '--smoke', ...more],
      {
        cwd: root,
        env: {
          ...process.env,
          BENCH_DATABASE_URL: serverUrl,
          BENCH_REDIS_URL: redis?.url ?? '',
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

describe.skipIf(isSkipped)('rotations under load, by the script of the bench', () => {
  test('find every key that signed something in an answer among those served after it', async () => {
    const { code, result } = await run();
    expect(result).toMatchObject({ rotations: 20, missingKeys: 0 });
    expect(result.failures).toEqual({});
    expect(Number(result.checkedKeys)).toBeGreaterThan(0);
    expect(code).toBe(0);
  });

  test('do not find them all among those served at first: else the first would prove nothing', async () => {
    const { code, result } = await run('--once');
    expect(Number(result.missingKeys)).toBeGreaterThan(0);
    expect(code).toBe(1);
  });
});
