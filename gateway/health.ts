import type { FastifyPluginAsync } from 'fastify';
import type { Database } from '#db';
import { atMostEvery } from './at-most-every.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { RateLimiterHealth } from './rate-limit/rate-limiter.ts';
import { compareSchema } from './schema.ts';

/** `down`: it does not answer, or cannot be written. */
type DatabaseHealth = 'ok' | 'down' | 'not_migrated' | 'newer';

export interface Health {
  /** Whether the database answers, can be written, and has the schema that this version needs. */
  database(): Promise<DatabaseHealth>;
  rateLimiter(): RateLimiterHealth;
}

const pingMilliseconds = 2_000;

/** Every read leaves a record, so a database that only answers is of no use; but a write is not tried for each probe. */
const writeMilliseconds = 5_000;

/** Probes have no limit on requests, so those that come at once share what it costs to look. */
export function watchDatabase(
  database: Pick<Database, 'ping' | 'schemaState' | 'tryWrite'>,
): Health['database'] {
  const tryWrite = atMostEvery(writeMilliseconds, () => database.tryWrite(pingMilliseconds));
  return oneAtATime(async () => {
    if (!(await database.ping(pingMilliseconds))) return 'down';
    const schema = compareSchema(await database.schemaState());
    return schema === 'not_migrated' || (await tryWrite()) ? schema : 'down';
  });
}

/**
 * `/healthz`: the process lives. `/readyz`: it can serve; 503 while the database cannot. A limiter that has lost Redis
 * is told but does not take the service out of rotation, because it goes on with a limit of its own; nor does a
 * database that is newer, because a release migrates it while the processes before it still serve.
 */
export const serveHealth: FastifyPluginAsync<{ health: Health }> = async (app, { health }) => {
  const open = { config: { open: true, isProbe: true } };
  app.get('/healthz', open, async () => ({ status: 'ok' }));
  app.get('/readyz', open, async (_request, reply) => {
    const database = await health.database();
    const rateLimiter = health.rateLimiter();
    const ready = database === 'ok' || database === 'newer';
    const isDegraded = database === 'newer' || rateLimiter === 'degraded';
    reply.code(ready ? 200 : 503);
    if (!ready) reply.header('retry-after', 5);
    return {
      status: ready ? (isDegraded ? 'degraded' : 'ok') : 'unavailable',
      database,
      rate_limiter: rateLimiter,
    };
  });
};
