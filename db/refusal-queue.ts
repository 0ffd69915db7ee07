import { type AccessRecord, foldRefusals, refusalIdentity } from '#core';
import { withinTime } from './within-time.ts';

export interface RefusalQueueSettings {
  /** Must write all of them or none. A repetition may find that they are there already, and must not double them. */
  readonly write: (refusals: readonly AccessRecord[], isRepetition: boolean) => Promise<unknown>;
  /** Records that may wait, those that are being written included. */
  readonly capacity: number;
  /** Records in one statement. */
  readonly size: number;
  /** How long the first of a statement waits for others. */
  readonly gatherMilliseconds: number;
  /** The pause after a statement that has failed. */
  readonly retryMilliseconds: number;
  readonly onError: (error: unknown) => void;
  /** Called at most once a second, with the number of refusals that were dropped meanwhile. */
  readonly onRefusalsDropped: (count: number) => void;
}

const tellMilliseconds = 1_000;

/** SQLSTATE classes of a value that the database will never take. */
const isHopeless = (error: unknown): boolean =>
  /^2[23]/.test(String((error as { code?: unknown } | null)?.code));

/**
 * The records of refusals on their way to the database. Nobody waits for them, so they may wait: for others to share a
 * statement with, and for a database that is away. What they may take of memory is bounded.
 */
export class RefusalQueue {
  readonly #settings: RefusalQueueSettings;
  readonly #waiting = new Map<string, AccessRecord>();
  readonly #beingWritten = new Set<AccessRecord>();
  #isClosing = false;
  #isGivenUp = false;
  #run: Promise<void> | undefined;
  #wake = (): void => undefined;
  #dropped = 0;
  #telling: NodeJS.Timeout | undefined;

  constructor(settings: RefusalQueueSettings) {
    this.#settings = settings;
  }

  add(refusal: AccessRecord): void {
    const identity = refusalIdentity(refusal);
    const earlier = this.#waiting.get(identity);
    const isFull = this.#waiting.size + this.#beingWritten.size >= this.#settings.capacity;
    if (earlier !== undefined) this.#waiting.set(identity, foldRefusals(earlier, refusal));
    else if (isFull || this.#isGivenUp) this.#drop([refusal]);
    else this.#waiting.set(identity, refusal);
    if (this.#waiting.size > 0) this.#run ??= this.#writeAll();
  }

  /** Writes what waits, as far as it can within the time. A statement that is under way then may still succeed. */
  async settle(milliseconds: number): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    await withinTime(this.#run ?? Promise.resolve(), milliseconds);
    this.#isGivenUp = true;
    this.#wake();
  }

  /** To be called when no statement can succeed any more: what is not known to be written is told as dropped. */
  close(): void {
    this.#isGivenUp = true;
    this.#drop([...this.#beingWritten, ...this.#waiting.values()]);
    this.#waiting.clear();
    this.#tell();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#isGivenUp) {
      if (!this.#isClosing && this.#waiting.size < this.#settings.size) {
        await this.#pause(this.#settings.gatherMilliseconds);
      }
      const entries = [...this.#waiting.entries().take(this.#settings.size)];
      for (const [identity, refusal] of entries) {
        this.#waiting.delete(identity);
        this.#beingWritten.add(refusal);
      }
      await this.#write([...this.#beingWritten]);
    }
    this.#run = undefined;
  }

  /**
   * Until they are written, or it is given up. Of failures in a row the first is told. One that the database will never
   * take is found by halves, so that it is lost alone.
   */
  async #write(refusals: readonly AccessRecord[], isHalf = false): Promise<void> {
    const { write, onError, retryMilliseconds } = this.#settings;
    for (let attempt = 1; !this.#isGivenUp; attempt += 1) {
      try {
        await write(refusals, isHalf || attempt > 1);
        for (const refusal of refusals) this.#beingWritten.delete(refusal);
        return;
      } catch (error) {
        if (attempt === 1 && !isHalf) onError(error);
        if (!isHopeless(error)) await this.#pause(retryMilliseconds);
        else if (refusals.length === 1) return this.#drop(refusals);
        else {
          const middle = Math.ceil(refusals.length / 2);
          await this.#write(refusals.slice(0, middle), true);
          return this.#write(refusals.slice(middle), true);
        }
      }
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #drop(refusals: readonly AccessRecord[]): void {
    if (refusals.length === 0) return;
    for (const refusal of refusals) {
      this.#beingWritten.delete(refusal);
      this.#dropped += refusal.count;
    }
    this.#telling ??= setTimeout(() => this.#tell(), tellMilliseconds);
  }

  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.#settings.onRefusalsDropped(dropped);
  }
}
