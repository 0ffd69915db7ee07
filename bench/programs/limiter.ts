import { Redis, type Result } from 'ioredis';
import { given } from './given.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    spend(bucket: string): Result<[spent: number, millisecondsLeft: number], Context>;
  }
}

const windowSeconds = 60;

/** Counts calls in a time window that begins with the first call, like the rate limiter of the service. */
const script = `
redis.call('set', KEYS[1], 0, 'ex', ${windowSeconds}, 'nx')
return { redis.call('incrby', KEYS[1], 1), redis.call('pttl', KEYS[1]) }`;

const redis = new Redis(given.redisUrl, { enableAutoPipelining: true });
redis.defineCommand('spend', { numberOfKeys: 1, lua: script });

export interface Budget {
  readonly spent: number;
  readonly resetSeconds: number;
}

export async function spend(bucket: string): Promise<Budget> {
  const [spent, millisecondsLeft] = await redis.spend(`bench:${bucket}`);
  return { spent, resetSeconds: Math.ceil(millisecondsLeft / 1_000) };
}

export const budgetHeaders = (limit: number, { spent, resetSeconds }: Budget) => ({
  'ratelimit-limit': limit,
  'ratelimit-remaining': Math.max(0, limit - spent),
  'ratelimit-reset': resetSeconds,
});
