import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

/**
 * Calls fail at once without a connection. redis-calls.ts limits the time of calls, because `commandTimeout` also fails
 * calls whose answer is already in the socket.
 */
const options = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  socketTimeout: 3_000,
  connectTimeout: 2_000,
} satisfies RedisOptions;

const backOff = (attempt: number): number => Math.min(attempt * 100, 2000);

/** After a key has moved, asking another node must not take longer than one call. */
const clusterOptions = {
  enableOfflineQueue: false,
  // The check of ioredis starts over for a node that isn't connected yet. The probe checks every node instead.
  enableReadyCheck: false,
  clusterRetryStrategy: backOff,
  slotsRefreshTimeout: 500,
  slotsRefreshInterval: 5_000,
  maxRedirections: 2,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  retryDelayOnTryAgain: 0,
  // Keeps the announced host names, because certificates name hosts and not addresses.
  dnsLookup: (name, done) => done(null, name),
} satisfies ClusterOptions;

/** Several URLs name nodes of a cluster. A single URL can also name a node: see `isClusterNode`. */
export function connectRedis([first = '', ...others]: readonly string[]): Redis | Cluster {
  if (others.length > 0) return connectCluster([first, ...others]);
  // Each call reports its error. Without a listener, ioredis also writes to the console.
  return new Redis(first, { ...options, retryStrategy: backOff }).on('error', () => undefined);
}

/** Returns false also if the user may not read it. Then the first `MOVED` shows the cluster. */
export async function isClusterNode(redis: Redis): Promise<boolean> {
  const info = await redis.info('cluster').catch(() => '');
  return info.includes('cluster_enabled:1');
}

export const isAnswerOfCluster = (error: unknown): boolean =>
  error instanceof Error && /^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/.test(error.message);

export function connectCluster(urls: readonly string[]): Cluster {
  const redisOptions = { ...options, ...credentialsOf(urls[0] ?? '') };
  const cluster = new Cluster([...urls], { ...clusterOptions, redisOptions });
  // The first command for a node would wait for its connection.
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
