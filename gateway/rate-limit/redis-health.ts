import { once } from 'node:events';
import { Cluster, type Redis } from 'ioredis';
import { repeat } from '../run-periodically.ts';
import { withinFairTime } from './fair-timeout.ts';

const lookMilliseconds = 1_000;
const patienceMilliseconds = 500;
const startMilliseconds = 2_000;

interface RedisWatchOptions {
  readonly redis: Redis | Cluster;
  /** Asks Redis for what callers need of it; rejects when it cannot be had. */
  readonly probe: () => Promise<unknown>;
  /** Called when a look finds that Redis is away: what is over before anybody has looked is not told. */
  readonly onAway: (reason: string) => void;
  readonly onBack: () => void;
}

/** Knows whether Redis answers, by looking now and then: a service without callers knows it too. */
export class RedisWatch {
  readonly #options: RedisWatchOptions;
  readonly #looks: ReturnType<typeof repeat>;
  readonly #found = Promise.withResolvers<void>();
  #isSilent = true;
  #isToldAway = false;
  #isStarting = true;
  #failedAt = -Infinity;
  #cause: unknown = null;
  /** Why the connection cannot be had: a look only finds that it is not there. */
  #connectionError: unknown = null;

  constructor(options: RedisWatchOptions) {
    this.#options = options;
    const { redis } = options;
    this.#looks = repeat(
      (signal) => this.#look(signal),
      lookMilliseconds,
      () => undefined,
    );
    redis.on('error', (error) => {
      this.#connectionError = error;
    });
    redis.on('ready', () => {
      this.#connectionError = null;
      this.#looks.run();
    });
    redis.on('close', () => {
      this.#isSilent = true;
      this.#looks.run();
    });
  }

  get isAway(): boolean {
    return this.#isSilent || this.#options.redis.status !== 'ready';
  }

  /** Of a cluster without one of its nodes the others can be asked. */
  get isToBeAsked(): boolean {
    const { redis } = this.#options;
    return redis instanceof Cluster ? redis.status === 'ready' : !this.isAway;
  }

  /** A call has found out before the next look. */
  noteFailure(cause: unknown): void {
    this.#isSilent = true;
    this.#failedAt = performance.now();
    this.#cause = cause;
    this.#looks.run();
  }

  /** Resolves when Redis answers, or when a start has waited for it long enough. */
  async settle(): Promise<void> {
    await withinFairTime(this.#found.promise, startMilliseconds).catch(() => undefined);
    this.#isStarting = false;
    if (this.isAway) this.#tellAway();
  }

  stop(): void {
    void this.#looks.stop();
  }

  async #look(stopped: AbortSignal): Promise<void> {
    try {
      this.#requireCalm();
      await this.#askAll();
    } catch (cause) {
      this.#isSilent = true;
      this.#cause = this.#connectionError ?? cause;
      if (!stopped.aborted && !this.#isStarting) this.#tellAway();
      return;
    }
    this.#isSilent = false;
    this.#isStarting = false;
    this.#found.resolve();
    if (!stopped.aborted) this.#tellBack();
  }

  async #askAll(): Promise<void> {
    const { redis, probe } = this.#options;
    const giveUp = new AbortController();
    const answers = async () => {
      if (redis.status !== 'ready') await once(redis, 'ready', { signal: giveUp.signal });
      const nodes = redis instanceof Cluster ? redis.nodes() : [];
      await Promise.all([probe(), ...nodes.map((node) => node.ping())]);
    };
    try {
      await withinFairTime(answers(), patienceMilliseconds);
    } finally {
      giveUp.abort();
    }
  }

  /** A cluster that has lost a node answers some calls and not others: only when all are answered it is well. */
  #requireCalm(): void {
    const isCalm = performance.now() - this.#failedAt > lookMilliseconds;
    if (this.#options.redis instanceof Cluster && !isCalm) throw this.#cause;
  }

  #tellAway(): void {
    if (this.#isToldAway) return;
    this.#isToldAway = true;
    this.#options.onAway(describe(this.#cause));
  }

  #tellBack(): void {
    if (!this.#isToldAway) return;
    this.#isToldAway = false;
    this.#options.onBack();
  }
}

/** One line: that Redis may be away is foreseen, so nobody needs to know where in the code it was noticed. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no answer';
  // Of a cluster, what one of the nodes said; of several addresses of one host, the code is all there is.
  const { lastNodeError, code } = cause as { lastNodeError?: unknown; code?: unknown };
  if (lastNodeError instanceof Error) return describe(lastNodeError);
  return cause.message.split('\n')[0] || String(code ?? cause.name);
}
