import { describeRateLimiter, rateLimiterPolicy } from '../contracts/rate-limiter.contract.ts';
import { createMemoryClock } from './clock.ts';
import { createMemoryRateLimiter } from './rate-limiter.ts';

describeRateLimiter('in memory', () => ({
  rateLimiter: createMemoryRateLimiter(createMemoryClock(new Date()), rateLimiterPolicy),
  close: () => undefined,
}));
