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
  /** Reads are no events of the feed, so the newest one is looked at from time to time. */
  readonly lookMilliseconds: number;
  readonly end: () => void;
}

/** Without a first piece, no header of the answer would leave. */
const begun = ': begun\n\n';
const change = 'event: change\ndata: {}\n\n';
const ended = 'event: ended\ndata: {}\n\n';

/** Says that something has changed, not what: the page is made anew by the same rules as ever. */
export class LiveChanges implements EventStreamSource {
  readonly #options: LiveOptions;
  readonly #stopping = new AbortController();
  /** Resolves when there is something to say. */
  #wake = Promise.withResolvers<void>();
  /** Resolves when a change has been taken: until then nobody looks for the next one. */
  #taken = Promise.withResolvers<void>();
  #isBegun = false;
  #hasChanged = false;
  #hasEnded = false;
  #failure: unknown = null;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  async read(): Promise<{ done: boolean; value?: string }> {
    if (!this.#isBegun) {
      this.#isBegun = true;
      void this.#watchEvents();
      void this.#watchReads();
      return { done: false, value: this.#options.isBehind ? change : begun };
    }
    await this.#wake.promise;
    if (this.#hasChanged) {
      this.#hasChanged = false;
      if (!this.#stopping.signal.aborted) this.#wake = Promise.withResolvers();
      this.#taken.resolve();
      return { done: false, value: change };
    }
    if (this.#failure !== null) throw this.#failure;
    if (!this.#hasEnded) return { done: true };
    this.#hasEnded = false;
    return { done: false, value: ended };
  }

  cancel(): void {
    this.#stop();
    this.#options.end();
  }

  /** Resolves when the change has been taken. */
  #tellChange(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    if (!this.#hasChanged) this.#taken = Promise.withResolvers();
    this.#hasChanged = true;
    this.#wake.resolve();
    return this.#taken.promise;
  }

  #stop(): void {
    this.#stopping.abort();
    this.#wake.resolve();
    this.#taken.resolve();
  }

  async #watchEvents(): Promise<void> {
    const { events } = this.#options;
    try {
      while ((await events.next()).done !== true) await this.#tellChange();
      this.#hasEnded = !this.#stopping.signal.aborted;
    } catch (error) {
      if (error instanceof AccessError) this.#hasEnded = true;
      else this.#failure = error;
    }
    this.#stop();
  }

  /** Looks from time to time whether somebody has read; not at all, when the reads are not asked for. */
  async #watchReads(): Promise<void> {
    const { readNewest, lookMilliseconds } = this.#options;
    let { newest } = this.#options;
    const { signal } = this.#stopping;
    while (readNewest !== null) {
      const isStopped = setTimeout(lookMilliseconds, false, { ref: false, signal }).catch(
        () => true,
      );
      if (await isStopped) return;
      const found = await readNewest().catch(() => newest);
      const isNew = found !== newest;
      newest = found;
      if (isNew) await this.#tellChange();
    }
  }
}
