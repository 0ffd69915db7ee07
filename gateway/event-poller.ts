import { AccessError, type PolledEventFeed } from '#core';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

type PolledFeed = Pick<PolledEventFeed, 'poll' | 'checkKeys' | 'size'>;

interface EventPollerOptions {
  /** Called once when the feed cannot be read, and once when it can again. */
  readonly onChange?: (state: 'away' | 'back', error?: unknown) => void;
  readonly onError: (error: unknown) => void;
}

/** How late a change of another process is seen. */
const pollMilliseconds = 400;

/** Changes of this process are seen at once, those of so many milliseconds together. */
const wakeMilliseconds = 10;

/** While the feed cannot be read, each pause is twice as long as the one before, up to this. */
const longestPauseMilliseconds = 3_000;

/** How long a stream without events outlives its key. */
const keysMilliseconds = 5_000;

/** Keeps the feed of this process up to date, with nothing but the clock: a lost wake-up costs less than a second. */
export class EventPoller {
  readonly #feed: PolledFeed;
  readonly #options: EventPollerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #keys: PeriodicTask | null = null;
  #isWoken = false;
  #failures = 0;

  constructor(feed: PolledFeed, options: EventPollerOptions) {
    this.#feed = feed;
    this.#options = options;
  }

  start(): void {
    this.#keys = runPeriodically(
      () => this.#feed.checkKeys(),
      keysMilliseconds,
      // What is away is told by the poll.
      (error) => error instanceof AccessError || this.#options.onError(error),
    );
    this.#schedule(pollMilliseconds);
  }

  /** To be called after a change of this process. */
  wake(): void {
    if (this.#keys === null || this.#feed.size === 0 || this.#failures > 0) return;
    if (this.#running === null && !this.#isWoken) this.#schedule(wakeMilliseconds);
    this.#isWoken = true;
  }

  async stop(): Promise<void> {
    const keys = this.#keys;
    this.#keys = null;
    clearTimeout(this.#timer);
    await Promise.all([keys?.stop(), this.#running]);
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#running = this.#poll().finally(() => {
        this.#running = null;
      });
    }, milliseconds);
  }

  async #poll(): Promise<void> {
    this.#isWoken = false;
    try {
      await this.#feed.poll();
      if (this.#failures > 0) this.#options.onChange?.('back');
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) this.#options.onChange?.('away', error);
      this.#failures += 1;
    }
    if (this.#keys === null) return;
    const pause = Math.min(pollMilliseconds * 2 ** this.#failures, longestPauseMilliseconds);
    this.#schedule(this.#isWoken ? wakeMilliseconds : pause);
  }
}
