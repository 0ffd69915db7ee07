import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limiter.ts';

export async function createDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'portfolio-access-'));
}

export async function removeDataDir(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

/** The use cases over an embedded database in the folder, opened as the service opens it. */
export async function openEmbedded(dataDir: string): Promise<Composition> {
  const config = readConfig({ DATA_DIR: dataDir });
  const composition = await compose(config, {
    role: 'service',
    rateLimiter: createRateLimiter({ ...config.rateLimit, redisUrl: null }),
    onError: (error) => {
      throw error;
    },
  });
  await composition.database.migrate();
  return composition;
}
