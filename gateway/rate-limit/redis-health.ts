import { once } from 'node:events';
import { Cluster, type Redis } from 'ioredis';
import { type PeriodicTask, runPeriodically } from '../run-periodically.ts';
import { isAnswerOfCluster, isClusterNode } from './redis.ts';
import { within } from './redis-calls.ts';

/** A call that fails starts a probe at once, so this is how late a return, or an outage without callers, is seen. */
const probeEveryMilliseconds = 2_000;
const probeMilliseconds = 500;
const startMilliseconds = 2_000;

interface RedisHealthOptions {
  readonly redis: Redis | Cluster;
  /** Asks Redis for what callers need of it; rejects when it cannot be had. */
  readonly probe: () => Promise<unknown>;
  /** Called when the Redis turns out to be a node of a cluster. Closes it and returns the connection to its cluster. */
  readonly connectToCluster: () => Cluster;
  /** Called when a probe finds that Redis is away or back; an outage between two probes is not reported. */
  readonly onChange: (health: 'shared' | 'degraded', reason?: string) => void;
}

/** Knows whether Redis answers by probing it, so a service without callers knows it too. */
export class RedisHealth {
  readonly #options: RedisHealthOptions;
  readonly #probes: PeriodicTask;
  readonly #found = Promise.withResolvers<void>();
  #redis: Redis | Cluster;
  /** Whether the connection may lead to a node of a cluster, which answers only for its own keys. */
  #mayBeNode = true;
  #isSilent = true;
  /** Null until the start is over. */
  #reported: 'shared' | 'degraded' | null = null;
  #failedAt = -Infinity;
  #cause: unknown = null;
  /** Why there is no connection: a probe sees only that there is none. */
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

  get isAway(): boolean {
    return this.#isSilent || this.#redis.status !== 'ready';
  }

  /** In a cluster that has lost a node the other nodes can still be asked. */
  get canBeAsked(): boolean {
    const redis = this.#redis;
    return redis instanceof Cluster ? redis.status === 'ready' : !this.isAway;
  }

  /** A call has failed, which shows before the next probe that Redis is away. */
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

  /** Resolves when Redis answers, or when a start has waited for it long enough. */
  async settle(): Promise<void> {
    await within(startMilliseconds, this.#found.promise).catch(() => undefined);
    this.#report(this.isAway ? 'degraded' : 'shared');
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
    // A cluster that has lost a node answers some calls and not others: it is well when none has failed for a while.
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

/** One line: an absent Redis is foreseen, so nobody needs to know where in the code it was noticed. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no answer';
  // A cluster names what one of its nodes said; a host with several addresses has nothing but a code.
  const { lastNodeError, code } = cause as { lastNodeError?: unknown; code?: unknown };
  if (lastNodeError instanceof Error) return describe(lastNodeError);
  return cause.message.split('\n')[0] || String(code ?? cause.name);
}
