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
  /** Called at most once a second, with the number of refusals that were lost meanwhile. */
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
  #beingWritten: readonly AccessRecord[] = [];
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
    const isFull = this.#waiting.size + this.#beingWritten.length >= this.#settings.capacity;
    if (earlier !== undefined) this.#waiting.set(identity, foldRefusals(earlier, refusal));
    else if (isFull || this.#isGivenUp) this.#drop([refusal]);
    else this.#waiting.set(identity, refusal);
    if (this.#waiting.size > 0) this.#run ??= this.#writeAll();
  }

  /** Writes what waits, as far as it can within the time; the rest is dropped, and told. */
  async close(milliseconds: number): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    await withinTime(this.#run ?? Promise.resolve(), milliseconds);
    this.#giveUp();
    this.#tell();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      if (!this.#isClosing && this.#waiting.size < this.#settings.size) {
        await this.#pause(this.#settings.gatherMilliseconds);
      }
      const entries = [...this.#waiting.entries().take(this.#settings.size)];
      for (const [identity] of entries) this.#waiting.delete(identity);
      this.#beingWritten = entries.map(([, refusal]) => refusal);
      await this.#write();
      this.#beingWritten = [];
    }
    this.#run = undefined;
  }

  /** Until they are written, or it is given up. Of failures in a row the first is told. */
  async #write(): Promise<void> {
    const { write, onError, retryMilliseconds } = this.#settings;
    for (let attempt = 1; !this.#isGivenUp; attempt += 1) {
      try {
        await write(this.#beingWritten, attempt > 1);
        return;
      } catch (error) {
        if (attempt === 1) onError(error);
        if (isHopeless(error)) break;
        await this.#pause(retryMilliseconds);
      }
    }
    this.#drop(this.#beingWritten);
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    this.#drop([...this.#beingWritten, ...this.#waiting.values()]);
    this.#beingWritten = [];
    this.#waiting.clear();
    this.#wake();
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
    for (const { count } of refusals) this.#dropped += count;
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
