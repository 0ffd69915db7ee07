import { type AccessRecord, foldRefusals, refusalIdentity } from '#core';
import { codeOf } from './outages.ts';
import { withinTime } from './within-time.ts';

export interface RefusalQueueSettings {
  /** Must write all records or none. A repetition must not duplicate records that an earlier attempt wrote. */
  readonly write: (refusals: readonly AccessRecord[], isRepetition: boolean) => Promise<void>;
  /** The largest number of waiting records. Includes records that are being written. */
  readonly capacity: number;
  readonly recordsPerStatement: number;
  /** The time that the first record waits for other records, so that one statement writes them together. */
  readonly gatherMilliseconds: number;
  readonly retryMilliseconds: number;
  readonly onError: (error: unknown) => void;
  /** Called at most once a second, with the number of dropped refusals. */
  readonly onRefusalsDropped: (count: number) => void;
}

const reportMilliseconds = 1_000;

/** SQLSTATE classes for invalid values. The database will never accept such a value. */
const isInvalid = (error: unknown): boolean => /^2[23]/.test(String(codeOf(error)));

/**
 * Writes the access records of refusals in the background, so that no caller waits. Collects records until several can
 * share a statement, and keeps them while the database is unavailable. The number of waiting records is limited.
 */
export class RefusalQueue {
  readonly #settings: RefusalQueueSettings;
  readonly #waiting = new Map<string, AccessRecord>();
  readonly #beingWritten = new Set<AccessRecord>();
  #isClosing = false;
  #isGivenUp = false;
  #writing: Promise<void> | undefined;
  #endPause = (): void => undefined;
  #dropped = 0;
  #report: NodeJS.Timeout | undefined;

  constructor(settings: RefusalQueueSettings) {
    this.#settings = settings;
  }

  /** May include records that were just written. */
  get size(): number {
    return this.#waiting.size + this.#beingWritten.size;
  }

  add(refusal: AccessRecord): void {
    const identity = refusalIdentity(refusal);
    const earlier = this.#waiting.get(identity);
    const isFull = this.size >= this.#settings.capacity;
    if (earlier !== undefined) this.#waiting.set(identity, foldRefusals(earlier, refusal));
    else if (isFull || this.#isGivenUp) this.#drop([refusal]);
    else this.#waiting.set(identity, refusal);
    if (this.#waiting.size > 0) this.#writing ??= this.#writeAll();
  }

  /** Writes the waiting records within the time limit. A later statement may still succeed. */
  async settle(milliseconds: number): Promise<void> {
    this.#isClosing = true;
    this.#endPause();
    await withinTime(this.#writing ?? Promise.resolve(), milliseconds);
    this.#isGivenUp = true;
    this.#endPause();
  }

  /** Reports unwritten records as dropped. Must be called only when no statement can succeed any longer. */
  close(): void {
    this.#isGivenUp = true;
    this.#drop([...this.#beingWritten, ...this.#waiting.values()]);
    this.#waiting.clear();
    this.#reportDropped();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#isGivenUp) {
      if (!this.#isClosing && this.#waiting.size < this.#settings.recordsPerStatement) {
        await this.#pause(this.#settings.gatherMilliseconds);
      }
      for (const [identity, refusal] of [
        ...this.#waiting.entries().take(this.#settings.recordsPerStatement),
      ]) {
        this.#waiting.delete(identity);
        this.#beingWritten.add(refusal);
      }
      await this.#write([...this.#beingWritten]);
    }
    this.#writing = undefined;
  }

  /**
   * Retries until the records are written or the queue is closed. Reports only the first failure. If the database
   * rejects an invalid record, each record gets its own statement, so that only the invalid record is lost.
   */
  async #write(refusals: readonly AccessRecord[], isAlone = false): Promise<void> {
    const { write, onError, retryMilliseconds } = this.#settings;
    for (let attempt = 1; !this.#isGivenUp; attempt += 1) {
      try {
        await write(refusals, isAlone || attempt > 1);
        for (const refusal of refusals) this.#beingWritten.delete(refusal);
        return;
      } catch (error) {
        if (attempt === 1 && !isAlone) onError(error);
        if (!isInvalid(error)) await this.#pause(retryMilliseconds);
        else if (refusals.length === 1) return this.#drop(refusals);
        else {
          for (const refusal of refusals) await this.#write([refusal], true);
          return;
        }
      }
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #drop(refusals: readonly AccessRecord[]): void {
    for (const refusal of refusals) this.#beingWritten.delete(refusal);
    if (refusals.length === 0) return;
    this.#dropped += refusals.reduce((sum, { count }) => sum + count, 0);
    this.#report ??= setTimeout(() => this.#reportDropped(), reportMilliseconds);
  }

  #reportDropped(): void {
    clearTimeout(this.#report);
    this.#report = undefined;
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.#settings.onRefusalsDropped(dropped);
  }
}
