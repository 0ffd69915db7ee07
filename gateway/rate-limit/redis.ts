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
  // It asks a node that isn't connected yet, and starts again when that fails. The probe asks every node instead.
  enableReadyCheck: false,
  clusterRetryStrategy: backOff,
  slotsRefreshTimeout: 500,
  slotsRefreshInterval: 5_000,
  maxRedirections: 2,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  retryDelayOnTryAgain: 0,
  // Keeps the names that the nodes announce, because a certificate names hosts, not addresses.
  dnsLookup: (name, done) => done(null, name),
} satisfies ClusterOptions;

/** Connects to one Redis. Several URLs name nodes of a Redis Cluster. One URL may name such a node too: see `isClusterNode`. */
export function connectRedis([first = '', ...others]: readonly string[]): Redis | Cluster {
  if (others.length > 0) return connectCluster([first, ...others]);
  // Each call rejects by itself; without a listener ioredis would write to the console.
  return new Redis(first, { ...options, retryStrategy: backOff }).on('error', () => undefined);
}

/** Returns false if the user may not read it: then the first `MOVED` shows it. */
export async function isClusterNode(redis: Redis): Promise<boolean> {
  const info = await redis.info('cluster').catch(() => '');
  return info.includes('cluster_enabled:1');
}

/** Only a node of a cluster answers so. */
export const isAnswerOfCluster = (error: unknown): boolean =>
  error instanceof Error && /^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/.test(error.message);

export function connectCluster(urls: readonly string[]): Cluster {
  const redisOptions = { ...options, ...credentialsOf(urls[0] ?? '') };
  const cluster = new Cluster([...urls], { ...clusterOptions, redisOptions });
  // Else the first command for a node would have to wait for its connection.
  cluster.on('+node', (node: Redis) => void node.connect().catch(() => undefined));
  return cluster.on('error', () => undefined);
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
