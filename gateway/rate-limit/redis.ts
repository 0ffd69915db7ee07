import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

/**
 * Calls fail at once if Redis is down. The time limit for a hanging Redis is in redis-calls.ts, because ioredis' own
 * `commandTimeout` also ends calls whose answer waits in the socket while this process is busy.
 */
const options = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  socketTimeout: 3_000,
  connectTimeout: 2_000,
} satisfies RedisOptions;

const backOff = (attempt: number): number => Math.min(attempt * 100, 2000);

/** A key's slot may have moved. Asking another node must not take longer than asking once. */
const clusterOptions = {
  enableOfflineQueue: false,
  // ioredis would check a node that isn't connected yet and start over. The probe checks every node instead.
  enableReadyCheck: false,
  clusterRetryStrategy: backOff,
  slotsRefreshTimeout: 500,
  slotsRefreshInterval: 5_000,
  maxRedirections: 2,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  retryDelayOnTryAgain: 0,
  // Keeps the announced host names, because certificates contain names, not addresses.
  dnsLookup: (name, done) => done(null, name),
} satisfies ClusterOptions;

/** Connects to Redis. Several URLs name nodes of a cluster. A single URL can also name a node: see `isClusterNode`. */
export function connectRedis([first = '', ...others]: readonly string[]): Redis | Cluster {
  if (others.length > 0) return connectCluster([first, ...others]);
  // Each call rejects separately. Without a listener, ioredis would write to the console.
  return new Redis(first, { ...options, retryStrategy: backOff }).on('error', () => undefined);
}

/** Returns false if the user may not read it. Then the first `MOVED` shows it. */
export async function isClusterNode(redis: Redis): Promise<boolean> {
  const info = await redis.info('cluster').catch(() => '');
  return info.includes('cluster_enabled:1');
}

/** Only a cluster node answers like this. */
export const isAnswerOfCluster = (error: unknown): boolean =>
  error instanceof Error && /^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/.test(error.message);

export function connectCluster(urls: readonly string[]): Cluster {
  const redisOptions = { ...options, ...credentialsOf(urls[0] ?? '') };
  const cluster = new Cluster([...urls], { ...clusterOptions, redisOptions });
  // Otherwise the first command for a node would wait for its connection.
  cluster.on('+node', (node: Redis) => void node.connect().catch(() => undefined));
  return cluster.on('error', () => undefined);
}

/** All nodes use the credentials of the first URL. */
function credentialsOf(url: string): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  const { protocol, username, password } = new URL(url);
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}
