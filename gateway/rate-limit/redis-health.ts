import { once } from 'node:events';
import { Cluster, type Redis } from 'ioredis';
import { type PeriodicTask, runPeriodically } from '../run-periodically.ts';
import { isAnswerOfCluster, isClusterNode } from './redis.ts';
import { within } from './redis-calls.ts';

/**
 * A failed call starts a probe at once. This interval limits the delay of noticing a recovery, or an outage without
 * callers.
 */
const probeEveryMilliseconds = 2_000;
const probeMilliseconds = 500;
const startMilliseconds = 2_000;

interface RedisHealthOptions {
  readonly redis: Redis | Cluster;
  /** Rejects if Redis can't count. */
  readonly probe: () => Promise<unknown>;
  /** Called if Redis is a cluster node. Closes the connection and returns a connection to the cluster. */
  readonly connectToCluster: () => Cluster;
  /** Called when a probe finds a change. An outage between two probes isn't reported. */
  readonly onChange: (health: 'shared' | 'degraded', reason?: string) => void;
}

/** Tracks the state of Redis by probes, so it is known even without callers. */
export class RedisHealth {
  readonly #options: RedisHealthOptions;
  readonly #probes: PeriodicTask;
  readonly #found = Promise.withResolvers<void>();
  #redis: Redis | Cluster;
  /** True while the connection may lead to a cluster node, which answers only for its own keys. */
  #mayBeNode = true;
  #isSilent = true;
  /** Null until `settle` has reported the first state. */
  #reported: 'shared' | 'degraded' | null = null;
  #failedAt = -Infinity;
  #cause: unknown = null;
  /** A probe doesn't see the reason for a missing connection. */
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

  /** Other nodes of a cluster still answer when one node is lost. */
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

  async #probe(stopped: AbortSignal): Promise<void> {
    try {
      await within(probeMilliseconds, this.#checkEveryNode());
      this.#isSilent = false;
      this.#found.resolve();
      if (!stopped.aborted) this.#report('shared');
    } catch (cause) {
      this.#isSilent = true;
      this.#cause = this.#connectionError ?? cause;
      if (isAnswerOfCluster(cause)) this.#joinCluster();
      if (!stopped.aborted && this.#reported !== null) this.#report('degraded');
    }
  }

  async #checkEveryNode(): Promise<void> {
    const redis = this.#redis;
    const isCluster = redis instanceof Cluster;
    // A cluster that lost a node still answers some calls. It counts as healthy when no call has failed for a while.
    const hasJustFailed = performance.now() - this.#failedAt <= probeEveryMilliseconds;
    if (isCluster && hasJustFailed) throw this.#cause;
    await untilReady(redis);
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
    await Promise.all(nodes.map((node) => untilReady(node).then(() => node.ping())));
    await this.#options.probe();
  }

  #report(health: 'shared' | 'degraded'): void {
    const before = this.#reported ?? 'shared';
    this.#reported = health;
    if (health !== before) this.#options.onChange(health, describe(this.#cause));
  }
}

async function untilReady(redis: Redis | Cluster): Promise<void> {
  if (redis.status === 'ready') return;
  await once(redis, 'ready', { signal: AbortSignal.timeout(probeMilliseconds) });
}

/** Returns one line without a stack, because an outage of Redis is expected. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no answer';
  // A cluster wraps the error of a node. A host with several addresses gives only a code.
  const { lastNodeError, code } = cause as { lastNodeError?: unknown; code?: unknown };
  if (lastNodeError instanceof Error) return describe(lastNodeError);
  return cause.message.split('\n')[0] || String(code ?? cause.name);
}
