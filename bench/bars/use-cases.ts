import { compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { say } from '../setting.ts';

export type OpenUseCases = Awaited<ReturnType<typeof openUseCases>>;

/** The use cases of the service on a database, in this process. */
export async function openUseCases(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  role: 'command' | 'service' = 'command',
) {
  const config = readConfig({ DATABASE_URL: databaseUrl, ...environment });
  const rateLimiter = createRateLimiter({ points: 1_000_000, windowSeconds: 60, redisUrls: null });
  const onError = (error: unknown) => say(String(error));
  const service = await compose(config, { role, rateLimiter, onError });
  return {
    ...{ ...service, config, rateLimiter },
    async [Symbol.asyncDispose]() {
      rateLimiter.close();
      await service.database.close();
    },
  };
}
