import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';

/** The use cases over an embedded database in the folder, opened as the service opens it. */
export async function openEmbedded(dataDir: string): Promise<Composition> {
  const config = readConfig({ DATA_DIR: dataDir });
  const composition = await compose(config, {
    role: 'service',
    rateLimiter: createRateLimiter({ ...config.rateLimit, redisUrls: null }),
    onError: (error) => {
      throw error;
    },
  });
  await composition.database.migrate();
  return composition;
}
