import type { FastifyPluginAsync } from 'fastify';
import type { Database } from '#db';
import type { RateLimiterHealth } from './rate-limit/process-rate-limiter.ts';
import { orRightsMissing } from './rights.ts';
import { compareSchema } from './schema.ts';

/** `down`: it doesn't answer, or can't be written to. `rights_missing`: a role of the service lacks rights. */
export const databaseHealths = ['ok', 'down', 'not_migrated', 'newer', 'rights_missing'] as const;

export type DatabaseHealth = (typeof databaseHealths)[number];

export interface Health {
  /** Checks that the database answers, is writable, and has the required schema and rights. */
  database(): Promise<DatabaseHealth>;
  rateLimiter(): RateLimiterHealth;
}

/** Rights change only with a deployment, so they are rarely checked. */
const rightsMilliseconds = 30_000;
const missingRightsMilliseconds = 1_000;

const pingMilliseconds = 2_000;

/** Every read writes a record, so the database must be writable. Not every health check writes. */
const writeMilliseconds = 5_000;

/** Shorter after a failed write, so that the recovery shows soon. */
const failedWriteMilliseconds = 1_000;

/** Health checks at the same time share one check, because their number isn't limited. */
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
  return throttle(async () => {
    if (!(await database.ping(pingMilliseconds))) return 'down';
    const schema = await database.schemaState().then(compareSchema, orRightsMissing);
    if (schema === 'not_migrated' || schema === 'rights_missing') return schema;
    const rights = await findRights();
    if (rights !== 'ok') return rights;
    return (await tryWrite()) ? schema : 'down';
  }, none);
}

const none = () => 0;

/**
 * Runs the check at most once per interval, which depends on its last result, and never twice at the same time. Other
 * calls
 * get that result.
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
 * `/healthz` shows that the process is alive. `/readyz` shows that it can serve, with 503 while the database can't.
 * Without
 * Redis it reports `degraded` but stays ready, because each process then counts on its own. It also stays ready with a
 * newer
 * schema, because a release migrates the database while older processes still serve.
 */
export const serveHealth: FastifyPluginAsync<{ health: Health }> = async (app, { health }) => {
  const open = { config: { open: true, isProbe: true, operation: 'health' } };
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
