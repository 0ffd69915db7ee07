import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

/**
 * Without a connection to Redis, calls fail at once. redis-calls.ts limits the time of calls. `commandTimeout` isn't
 * used, because it also fails calls whose answer has arrived but isn't read yet.
 */
const options = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  socketTimeout: 3_000,
  connectTimeout: 2_000,
} satisfies RedisOptions;

const backOff = (attempt: number): number => Math.min(attempt * 100, 2000);

/** If a Redis key has moved to another node, following it to that node must not take longer than one call. */
const clusterOptions = {
  enableOfflineQueue: false,
  // The probe checks every node, because the ready check of ioredis starts again for each unconnected node.
  enableReadyCheck: false,
  clusterRetryStrategy: backOff,
  slotsRefreshTimeout: 500,
  slotsRefreshInterval: 5_000,
  maxRedirections: 2,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  retryDelayOnTryAgain: 0,
  // Keeps the host names that the cluster announces. TLS certificates contain host names, not addresses.
  dnsLookup: (name, done) => done(null, name),
} satisfies ClusterOptions;

/** Several URLs name the nodes of a cluster. A single URL can also lead to a cluster node: see `isClusterNode`. */
export function connectRedis([first = '', ...others]: readonly string[]): Redis | Cluster {
  if (others.length > 0) return connectCluster([first, ...others]);
  // Each call reports its own error. Without a listener, ioredis would also write to the console.
  return new Redis(first, { ...options, retryStrategy: backOff }).on('error', () => undefined);
}

/**
 * Returns true if the server is a cluster node. Also returns false if the Redis user may not read this information. In
 * that case, the first `MOVED` error shows that the server belongs to a cluster.
 */
export async function isClusterNode(redis: Redis): Promise<boolean> {
  const info = await redis.info('cluster').catch(() => '');
  return info.includes('cluster_enabled:1');
}

export const isAnswerOfCluster = (error: unknown): boolean =>
  error instanceof Error && /^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/.test(error.message);

export function connectCluster(urls: readonly string[]): Cluster {
  const redisOptions = { ...options, ...credentialsOf(urls[0] ?? '') };
  const cluster = new Cluster([...urls], { ...clusterOptions, redisOptions });
  // Connects to each node early. Otherwise the first command for a node would wait for the connection.
  cluster.on('+node', (node: Redis) => void node.connect().catch(() => undefined));
  return cluster.on('error', () => undefined);
}

/** Returns the credentials of the first URL, which are used for all nodes. */
function credentialsOf(url: string): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  const { protocol, username, password } = new URL(url);
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}
