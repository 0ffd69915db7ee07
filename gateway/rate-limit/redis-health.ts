import { once } from 'node:events';
import { Cluster, type Redis } from 'ioredis';
import { type PeriodicTask, runPeriodically } from '../run-periodically.ts';
import { isAnswerOfCluster, isClusterNode } from './redis.ts';
import { within } from './redis-calls.ts';

/** A failed call starts a probe at once. So this is the delay for noticing a recovery, or an outage without callers. */
const probeEveryMilliseconds = 2_000;
const probeMilliseconds = 500;
const startMilliseconds = 2_000;

interface RedisHealthOptions {
  readonly redis: Redis | Cluster;
  /** Runs the same kind of call as for callers. Rejects if Redis isn't available. */
  readonly probe: () => Promise<unknown>;
  /** Called when the Redis turns out to be a cluster node. Closes the connection and returns one to the cluster. */
  readonly connectToCluster: () => Cluster;
  /** Called when a probe finds that Redis went away or returned. An outage between two probes isn't reported. */
  readonly onChange: (health: 'shared' | 'degraded', reason?: string) => void;
}

/** Probes Redis, so that its state is known without callers, too. */
export class RedisHealth {
  readonly #options: RedisHealthOptions;
  readonly #probes: PeriodicTask;
  readonly #found = Promise.withResolvers<void>();
  #redis: Redis | Cluster;
  /** True if the connection may lead to a cluster node, which answers only for its own keys. */
  #mayBeNode = true;
  #isSilent = true;
  /** Null until the start is over. */
  #reported: 'shared' | 'degraded' | null = null;
  #failedAt = -Infinity;
  #cause: unknown = null;
  /** The reason for a missing connection, which a probe doesn't see. */
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
    const onlyWhileUsed = (act: (error?: unknown) => void) => (error?: unknown) => {
      if (redis === this.#redis) act(error);
    };
    redis
      .on(
        'error',
        onlyWhileUsed((error) => {
          this.#connectionError = error;
        }),
      )
      .on(
        'ready',
        onlyWhileUsed(() => {
          this.#connectionError = null;
          this.#probes.run();
        }),
      )
      .on(
        'close',
        onlyWhileUsed(() => {
          this.#isSilent = true;
          this.#mayBeNode = true;
          this.#probes.run();
        }),
      );
  }

  get isUnavailable(): boolean {
    return this.#isSilent || this.#redis.status !== 'ready';
  }

  /** In a cluster that has lost a node, the other nodes still answer. */
  get acceptsCalls(): boolean {
    const redis = this.#redis;
    return redis instanceof Cluster ? redis.status === 'ready' : !this.isUnavailable;
  }

  /** Reports a failed call, which may show an outage before the next probe. */
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

  /** Resolves when Redis answers, or when a start has waited long enough. */
  async settle(): Promise<void> {
    await within(startMilliseconds, this.#found.promise).catch(() => undefined);
    this.#report(this.isUnavailable ? 'degraded' : 'shared');
  }

  stop(): void {
    void this.#probes.stop();
  }

  async #probe(stopped: AbortSignal): Promise<void> {
    try {
      await within(probeMilliseconds, this.#askEveryNode());
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

  async #askEveryNode(): Promise<void> {
    const redis = this.#redis;
    const isCluster = redis instanceof Cluster;
    // A cluster without a node answers some calls. It counts as healthy when none has failed for a while.
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

/** Returns one line without a stack, because an absent Redis is expected. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no answer';
  // A cluster wraps a node's error; a host with several addresses has only a code.
  const { lastNodeError, code } = cause as { lastNodeError?: unknown; code?: unknown };
  if (lastNodeError instanceof Error) return describe(lastNodeError);
  return cause.message.split('\n')[0] || String(code ?? cause.name);
}
