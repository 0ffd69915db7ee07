import { seedDemo } from '#demo';
import { compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createProcessRateLimiter } from '../../gateway/rate-limit/process-rate-limiter.ts';

export async function seedDemoInto(url: string) {
  const config = readConfig({ DATABASE_URL: url });
  const rateLimiter = createProcessRateLimiter(config.rateLimit);
  const composition = await compose(config, { role: 'service', rateLimiter, onError() {} });
  const demo = await seedDemo(composition);
  await composition.database.close();
  rateLimiter.close();
  return demo;
}
