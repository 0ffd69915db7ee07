import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

/**
 * A call fails at once when Redis is down. How long it may take while Redis hangs, redis-calls.ts decides: ioredis' own
 * `commandTimeout` also ends calls whose answer waits in the socket because this process was busy.
 */
const options = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  socketTimeout: 3_000,
  connectTimeout: 2_000,
} satisfies RedisOptions;

const backOff = (attempt: number): number => Math.min(attempt * 100, 2000);

/** In a cluster the slot of a key may have moved; asking elsewhere must not take longer than asking once. */
const clusterOptions = {
  enableOfflineQueue: false,
  clusterRetryStrategy: backOff,
  slotsRefreshTimeout: 500,
  slotsRefreshInterval: 5_000,
  maxRedirections: 2,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  retryDelayOnTryAgain: 0,
} satisfies ClusterOptions;

/** One Redis, or with several URLs the cluster that these nodes belong to. */
export function connectRedis([first = '', ...others]: readonly string[]): Redis | Cluster {
  const redis =
    others.length === 0
      ? new Redis(first, { ...options, retryStrategy: backOff })
      : connectCluster([first, ...others]);
  // Each call rejects by itself; without a listener ioredis would write to the console.
  redis.on('error', () => undefined);
  return redis;
}

function connectCluster(urls: readonly [string, ...string[]]): Cluster {
  const redisOptions = { ...options, ...credentialsOf(urls[0]) };
  const cluster = new Cluster([...urls], { ...clusterOptions, redisOptions });
  // Else the first command for a node would have to wait for its connection.
  cluster.on('+node', (node: Redis) => void node.connect().catch(() => undefined));
  return cluster;
}

/** The nodes of a cluster share their credentials: those of the first URL. */
function credentialsOf(url: string): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  const { protocol, username, password } = new URL(url);
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}
