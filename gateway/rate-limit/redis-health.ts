import { once } from 'node:events';
import { Cluster, type Redis } from 'ioredis';
import { type PeriodicTask, runPeriodically } from '../run-periodically.ts';
import { isAnswerOfCluster, isClusterNode } from './redis.ts';
import { within } from './redis-calls.ts';

/**
 * The interval of probes. If Redis fails or recovers while no caller sends requests, a probe finds out after at most
 * this time. A failed Redis call starts a probe at once.
 */
const probeEveryMilliseconds = 2_000;
const probeMilliseconds = 500;
const startMilliseconds = 2_000;

interface RedisHealthOptions {
  readonly redis: Redis | Cluster;
  /** Rejects if Redis can't count. */
  readonly probe: () => Promise<unknown>;
  /** Called if the connection leads to a cluster node. Replaces it with a connection to the cluster. */
  readonly connectToCluster: () => Cluster;
  /** Called when a probe finds a change. An outage between two probes isn't reported. */
  readonly onChange: (health: 'shared' | 'degraded', reason?: string) => void;
}

/** Tracks the state of Redis by regular probes, so the state is known even if no caller sends requests. */
export class RedisHealth {
  readonly #options: RedisHealthOptions;
  readonly #probes: PeriodicTask;
  readonly #found = Promise.withResolvers<void>();
  #redis: Redis | Cluster;
  /** True while `#redis` may be connected to a single node of a cluster. Such a node serves only some of the keys. */
  #mayBeNode = true;
  #isSilent = true;
  /** The last reported state. Null before the first report. */
  #reported: 'shared' | 'degraded' | null = null;
  #failedAt = -Infinity;
  #cause: unknown = null;
  /** The last error of the connection. It explains a lost connection better than the error of a probe. */
  #connectionError: unknown = null;

  constructor(options: RedisHealthOptions) {
    this.#options = options;
    this.#redis = options.redis;
    this.#probes = runPeriodically(
      (signal) => this.#probe(signal),
      probeEveryMilliseconds,
      () => undefined,
    );
    this.#follow(options.redis);
  }

  #follow(redis: Redis | Cluster): void {
    this.#redis = redis;
    const listeners = {
      error: (error: unknown) => {
        this.#connectionError = error;
      },
      ready: () => {
        this.#connectionError = null;
        this.#probes.run();
      },
      close: () => {
        this.#isSilent = true;
        this.#mayBeNode = true;
        this.#probes.run();
      },
    };
    for (const [event, listener] of Object.entries(listeners)) {
      redis.on(event, (error: unknown) => {
        if (redis === this.#redis) listener(error);
      });
    }
  }

  get isUnavailable(): boolean {
    return this.#isSilent || this.#redis.status !== 'ready';
  }

  /** A cluster only has to be connected, because the other nodes still answer when one node is lost. */
  get acceptsCalls(): boolean {
    const redis = this.#redis;
    return redis instanceof Cluster ? redis.status === 'ready' : !this.isUnavailable;
  }

  callFailed(cause: unknown): void {
    this.#isSilent = true;
    this.#failedAt = performance.now();
    this.#cause = cause;
    if (isAnswerOfCluster(cause)) this.#joinCluster();
    this.#probes.run();
  }

  #joinCluster(): void {
    if (this.#redis instanceof Cluster) return;
    this.#isSilent = true;
    this.#follow(this.#options.connectToCluster());
  }

  async settle(): Promise<void> {
    await within(startMilliseconds, this.#found.promise).catch(() => undefined);
    this.#report(this.isUnavailable ? 'degraded' : 'shared');
  }

  stop(): void {
    void this.#probes.stop();
  }

  async #probe(stopSignal: AbortSignal): Promise<void> {
    try {
      await within(probeMilliseconds, this.#checkEveryNode());
      this.#isSilent = false;
      this.#found.resolve();
      if (!stopSignal.aborted) this.#report('shared');
    } catch (cause) {
      this.#isSilent = true;
      this.#cause = this.#connectionError ?? cause;
      if (isAnswerOfCluster(cause)) this.#joinCluster();
      if (!stopSignal.aborted && this.#reported !== null) this.#report('degraded');
    }
  }

  async #checkEveryNode(): Promise<void> {
    const redis = this.#redis;
    const isCluster = redis instanceof Cluster;
    // A cluster that lost a node still answers some calls, so it is healthy only after a while without failures.
    const hasJustFailed = performance.now() - this.#failedAt <= probeEveryMilliseconds;
    if (isCluster && hasJustFailed) throw this.#cause;
    await waitUntilReady(redis);
    if (!isCluster && this.#mayBeNode) {
      if (await isClusterNode(redis)) {
        this.#joinCluster();
        throw new Error(
          'REDIS_URL names a node of a Redis Cluster; its cluster is not connected yet',
        );
      }
      this.#mayBeNode = false;
    }
    const nodes = isCluster ? redis.nodes() : [];
    await Promise.all(nodes.map((node) => waitUntilReady(node).then(() => node.ping())));
    await this.#options.probe();
  }

  #report(health: 'shared' | 'degraded'): void {
    const before = this.#reported ?? 'shared';
    this.#reported = health;
    if (health !== before) this.#options.onChange(health, describe(this.#cause));
  }
}

async function waitUntilReady(redis: Redis | Cluster): Promise<void> {
  if (redis.status === 'ready') return;
  await once(redis, 'ready', { signal: AbortSignal.timeout(probeMilliseconds) });
}

/** Returns one line without a stack trace. An outage of Redis is expected, so the stack trace isn't useful. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no answer';
  // A cluster's error wraps the error of a node. If all addresses of a host fail, the error has a code but no message.
  const { lastNodeError, code } = cause as { lastNodeError?: unknown; code?: unknown };
  if (lastNodeError instanceof Error) return describe(lastNodeError);
  return cause.message.split('\n')[0] || String(code ?? cause.name);
}
