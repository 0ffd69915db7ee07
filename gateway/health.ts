import type { FastifyPluginAsync } from 'fastify';
import type { Database } from '#db';
import type { RateLimiterHealth } from './rate-limit/process-rate-limiter.ts';
import { returnIfRightsMissing } from './rights.ts';
import { compareSchema } from './schema.ts';

/** `down`: the database doesn't answer or isn't writable. `rights_missing`: a database role lacks rights. */
export const databaseHealths = ['ok', 'down', 'not_migrated', 'newer', 'rights_missing'] as const;

export type DatabaseHealth = (typeof databaseHealths)[number];

export interface Health {
  database(): Promise<DatabaseHealth>;
  rateLimiter(): RateLimiterHealth;
}

const rightsMilliseconds = 30_000;
const missingRightsMilliseconds = 1_000;

const pingMilliseconds = 2_000;

/**
 * The time between two test writes. Every read writes an access record, so the database must be writable. A test write
 * for each health check would be too expensive.
 */
const writeMilliseconds = 5_000;

const failedWriteMilliseconds = 1_000;

/** Concurrent health checks share one database check, because callers may send any number of health checks. */
export function createDatabaseCheck(
  database: Pick<Database, 'missingRights' | 'ping' | 'schemaState' | 'tryWrite'>,
): Health['database'] {
  const tryWrite = throttle(
    () => database.tryWrite(pingMilliseconds),
    (isWritten) => (isWritten ? writeMilliseconds : failedWriteMilliseconds),
  );
  const findRights = throttle(
    () =>
      database.missingRights().then(
        (lacking) => (lacking.length === 0 ? 'ok' : 'rights_missing'),
        () => 'down' as const,
      ),
    (rights) => (rights === 'ok' ? rightsMilliseconds : missingRightsMilliseconds),
  );
  return throttle(
    async () => {
      if (!(await database.ping(pingMilliseconds))) return 'down';
      const schema = await database.schemaState().then(compareSchema, returnIfRightsMissing);
      if (schema === 'not_migrated' || schema === 'rights_missing') return schema;
      const rights = await findRights();
      if (rights !== 'ok') return rights;
      return (await tryWrite()) ? schema : 'down';
    },
    () => 0,
  );
}

/**
 * Limits how often the check runs. If a check is running or was run a short time ago, a caller gets the latest result.
 * `lastsFor` returns for how many milliseconds a result is valid.
 */
function throttle<T>(check: () => Promise<T>, lastsFor: (result: T) => number): () => Promise<T> {
  let result: Promise<T> | undefined;
  let isRunning = false;
  let startedAt = 0;
  let milliseconds = 0;
  return () => {
    if (result && (isRunning || performance.now() - startedAt < milliseconds)) return result;
    isRunning = true;
    startedAt = performance.now();
    milliseconds = 0;
    result = check()
      .then((found) => {
        milliseconds = lastsFor(found);
        return found;
      })
      .finally(() => {
        isRunning = false;
      });
    return result;
  };
}

/**
 * `/healthz`: the process is running. `/readyz`: the process can serve requests, or 503 while the database can't be
 * used. Without Redis, the status is `degraded`, because each process then counts requests separately. With a newer
 * database schema, the process is also ready, because older processes keep running during a release.
 */
export const serveHealth: FastifyPluginAsync<{ health: Health }> = async (app, { health }) => {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
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
