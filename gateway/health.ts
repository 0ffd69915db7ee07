import type { FastifyPluginAsync } from 'fastify';
import type { RateLimiterHealth } from './rate-limiter.ts';

export interface Health {
  /** Whether the database answers and has the schema that this version needs. */
  database(): Promise<'ok' | 'down' | 'not_migrated'>;
  rateLimiter(): RateLimiterHealth;
}

/**
 * `/healthz`: the process lives. `/readyz`: it can serve; 503 while the database cannot. A limiter that has lost Redis
 * is told but does not take the service out of rotation, because it goes on with a limit of its own.
 */
export const serveHealth: FastifyPluginAsync<{ health: Health }> = async (app, { health }) => {
  const open = { config: { open: true } };
  app.get('/healthz', open, async () => ({ status: 'ok' }));
  app.get('/readyz', open, async (_request, reply) => {
    const database = await health.database();
    const rateLimiter = health.rateLimiter();
    const ready = database === 'ok';
    reply.code(ready ? 200 : 503);
    if (!ready) reply.header('retry-after', 5);
    return {
      status: ready ? (rateLimiter === 'degraded' ? 'degraded' : 'ok') : 'unavailable',
      database,
      rate_limiter: rateLimiter,
    };
  });
};
