import { setTimeout } from 'node:timers/promises';
import { AccessError, type FeedEvent } from '#core';
import type { EventStreamSource } from '#http';

interface LiveOptions {
  readonly events: AsyncIterator<FeedEvent, undefined>;
  /**
   * True if something changed between the loading of the page and the start of the stream. The stream then reports a
   * change at once.
   */
  readonly isBehind: boolean;
  /** The ID of the newest polled item at the start of the stream. Null if there is no item. */
  readonly newest: string | null;
  /** Reads the ID of the newest item, such as an access record. Null if the page needs no polling. */
  readonly readNewest: (() => Promise<string | null>) | null;
  /** The time between two checks for a newer item. Such items create no events, so they are polled. */
  readonly pollMilliseconds: number;
  readonly end: () => void;
}

/** The first chunk of the stream. Node sends the headers of a response only together with the first chunk. */
const openingComment = ': begun\n\n';
const change = 'event: change\ndata: {}\n\n';
const ended = 'event: ended\ndata: {}\n\n';

/** Reports that something has changed, but not what. The page then loads its content again, with the usual checks. */
export class LiveChanges implements EventStreamSource {
  readonly #options: LiveOptions;
  readonly #stopping = new AbortController();
  /** Resolves when there is something to send. */
  #wake = Promise.withResolvers<void>();
  /** Resolves after a change was sent. Only then does the stream read the next change. */
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
      return { done: false, value: this.#options.isBehind ? change : openingComment };
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

  #notifyChange(): Promise<void> {
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
      while ((await events.next()).done !== true) await this.#notifyChange();
      this.#hasEnded = !this.#stopping.signal.aborted;
    } catch (error) {
      if (error instanceof AccessError) this.#hasEnded = true;
      else this.#failure = error;
    }
    this.#stop();
  }

  async #watchReads(): Promise<void> {
    const { readNewest, pollMilliseconds } = this.#options;
    let { newest } = this.#options;
    const { signal } = this.#stopping;
    while (readNewest !== null) {
      const isStopped = setTimeout(pollMilliseconds, false, { ref: false, signal }).catch(
        () => true,
      );
      if (await isStopped) return;
      const found = await readNewest().catch(() => newest);
      const isNew = found !== newest;
      newest = found;
      if (isNew) await this.#notifyChange();
    }
  }
}
