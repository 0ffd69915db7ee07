import { setTimeout } from 'node:timers/promises';
import { AccessError, type FeedEvent } from '#core';
import type { EventStreamSource } from '#http';

interface LiveOptions {
  readonly events: AsyncIterator<FeedEvent, undefined>;
  /** Whether something came between the page and its stream: it is told at once. */
  readonly isBehind: boolean;
  /** The newest access record when the stream began; null: there was none. */
  readonly newest: string | null;
  /** The id of the newest access record; null: nobody asks for the reads. */
  readonly readNewest: (() => Promise<string | null>) | null;
  readonly end: () => void;
}

/** Reads are no events of the feed, so the newest one is looked at from time to time. */
const lookMilliseconds = 3_000;

/** Without a first piece, no header of the answer would leave. */
const begun = ': begun\n\n';
const change = 'event: change\ndata: {}\n\n';
const ended = 'event: ended\ndata: {}\n\n';

/** Says that something has changed, not what: the page is made anew by the same rules as ever. */
export class LiveChanges implements EventStreamSource {
  readonly #options: LiveOptions;
  #isBegun = false;
  #next: Promise<'change' | 'ended'> | null = null;
  #newest: string | null;
  #isOver = false;
  #stop = Promise.withResolvers<void>();

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#newest = options.newest;
  }

  async read(): Promise<{ done: boolean; value?: string }> {
    if (this.#isOver) return { done: true };
    if (!this.#isBegun) {
      this.#isBegun = true;
      return { done: false, value: this.#options.isBehind ? change : begun };
    }
    for (;;) {
      this.#next ??= this.#nextEvent();
      const happened = await Promise.race([this.#next, this.#stop.promise, this.#look()]);
      if (happened === undefined) return { done: true };
      if (happened === 'nothing') continue;
      if (happened !== 'read') this.#next = null;
      if (happened === 'ended') {
        this.#isOver = true;
        return { done: false, value: ended };
      }
      return { done: false, value: change };
    }
  }

  cancel(): void {
    this.#isOver = true;
    this.#stop.resolve();
    this.#options.end();
  }

  async #nextEvent(): Promise<'change' | 'ended'> {
    try {
      const { done } = await this.#options.events.next();
      return done === true ? 'ended' : 'change';
    } catch (error) {
      if (error instanceof AccessError) return 'ended';
      throw error;
    }
  }

  /** Resolves after a while: to whether somebody has read meanwhile. Never, when the reads are not asked for. */
  async #look(): Promise<'read' | 'nothing'> {
    const { readNewest } = this.#options;
    if (readNewest === null) return new Promise(() => undefined);
    await setTimeout(lookMilliseconds, undefined, { ref: false });
    const newest = await readNewest().catch(() => this.#newest);
    if (newest === this.#newest) return 'nothing';
    this.#newest = newest;
    return 'read';
  }
}
