import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';

/** The use cases over the database of these settings, opened as the service opens it and migrated. */
export async function openDatabase(
  environment: Readonly<Record<string, string>>,
): Promise<Composition> {
  const config = readConfig(environment);
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

export const openEmbedded = (dataDir: string) => openDatabase({ DATA_DIR: dataDir });
