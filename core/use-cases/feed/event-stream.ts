import { AccessError } from '../../model/errors.ts';
import type { FeedEvent } from '../../model/events/access-event.ts';
import { isKeyLive, type KeyValidity } from '../../model/identity/key-state.ts';
import type { Owner } from '../../model/identity/owner.ts';
import type { Clock } from '../../model/platform.ts';
import type { FeedQuery, FeedStream } from '../../ports/events.ts';
import { startOfFeed } from './start-of-feed.ts';

/** Events that a stream keeps while its reader takes none; and how many are read at a time by one that is behind. */
const maxPending = 1000;
const pageSize = 100;

/** Before every event. */
export const noPosition = '0';

interface EventStreamOptions {
  /** Reads events of the reader that the feed of the process may have passed already. */
  readonly readBehind: (query: Omit<FeedQuery, 'reader'>) => Promise<readonly FeedEvent[]>;
  readonly clock: Clock;
  readonly keyId: string;
  readonly reader: Owner;
  /** The key of the stream as it is now; null when it is not there any more. */
  readonly readKey: () => Promise<KeyValidity | null>;
  /**
   * What the reader may be told of the event now; null: nothing, and it is withheld.
   *
   * @throws AccessError `invalid_api_key` when the key does not work any more
   */
  readonly authorise: (event: FeedEvent) => Promise<FeedEvent | null>;
  /** Called once, whatever ends the stream. */
  readonly onEnd: (stream: EventStream) => void;
}

/** The events of one reader, one by one or several at a time; each is authorised as it is handed out. */
export interface EventIterator<Event extends FeedEvent = FeedEvent>
  extends AsyncIterableIterator<Event, undefined> {
  /** Resolves when there is something to hand out, or the stream is at its end. Nothing is authorised by it. */
  ready(): Promise<void>;
  /** The events that are pending, at most so many; an empty list at the end of the stream. */
  nextEvents(most: number): Promise<readonly Event[]>;
}

/**
 * The events of one reader, each once and in the order of the feed. They come from the process's own feed; one that is
 * behind it, at its beginning or because its reader is slow, reads the database until it has caught up. While the
 * database is away the stream stays as it is.
 */
export class EventStream implements FeedStream, EventIterator {
  readonly #options: EventStreamOptions;
  readonly keyId: string;
  readonly reader: Owner;
  readonly readKey: () => Promise<KeyValidity | null>;
  /** The position of the last event that was handed out or withheld. */
  #position = noPosition;
  #pending: FeedEvent[] = [];
  /** Whether there may be events between what is pending and what the feed brings. */
  #isBehind = true;
  #isEnded = false;
  /** The error that the stream ends with; null: none. */
  #failure: unknown = null;
  /** Resolved when the feed brings events, and at the end. */
  #wakeUp = Promise.withResolvers<void>();
  /** Resolved when the database has answered, and at the end. */
  #databaseIsBack = Promise.withResolvers<void>();

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.keyId = options.keyId;
    this.reader = options.reader;
    this.readKey = options.readKey;
  }

  start(position: string, isBehind: boolean): void {
    this.#position = position;
    this.#isBehind = isBehind;
  }

  accept(events: readonly FeedEvent[]): void {
    if (this.#isBehind) return;
    // What the database was asked for may be brought once more by the feed.
    const last = this.#pending.at(-1)?.position ?? this.#position;
    this.#pending.push(...events.filter((event) => isAfter(event, last)));
    if (this.#pending.length > maxPending) {
      this.#pending = [];
      this.#isBehind = true;
    }
    this.#wakeUp.resolve();
  }

  retry(): void {
    this.#databaseIsBack.resolve();
  }

  checkKey(key: KeyValidity | null): void {
    if (key !== null && isKeyLive(key, this.#options.clock.now())) return;
    this.#end(new AccessError('invalid_api_key'));
  }

  async next(): Promise<IteratorResult<FeedEvent, undefined>> {
    const [value] = await this.nextEvents(1);
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  async ready(): Promise<void> {
    while (!this.#isEnded && this.#pending.length === 0) {
      await this.#attempt(() => (this.#isBehind ? this.#catchUp() : this.#wait()));
    }
  }

  async nextEvents(most: number): Promise<readonly FeedEvent[]> {
    for (;;) {
      await this.ready();
      if (this.#isEnded) break;
      const events = (await this.#attempt(() => this.#take(most))) ?? [];
      if (events.length > 0) return events;
    }
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
    return [];
  }

  /** Ends the stream at once, also while the next event is waited for. */
  async return(): Promise<IteratorResult<FeedEvent, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The pending events, each authorised now, without what the reader may not see. */
  async #take(most: number): Promise<readonly FeedEvent[]> {
    const events = this.#pending.slice(0, most);
    const allowed = await Promise.all(events.map((event) => this.#options.authorise(event)));
    if (this.#isEnded) return [];
    // When the feed has brought too much meanwhile, nothing is pending any more.
    this.#pending.splice(0, events.length);
    for (const { position } of events) this.#position = position;
    return allowed.filter((event) => event !== null);
  }

  /** While the database is away the stream waits for it; any other error is its end, and told by it. */
  async #attempt<Result>(step: () => Promise<Result>): Promise<Result | null> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof AccessError && error.code === 'service_unavailable') {
        await this.#waitForDatabase();
        return null;
      }
      this.#end(error);
      // A mistake of ours is told even to who has left.
      if (!(error instanceof AccessError)) this.#failure = error;
      return null;
    }
  }

  async #catchUp(): Promise<void> {
    const { readBehind, clock } = this.#options;
    const since = this.#position === noPosition ? startOfFeed(clock) : null;
    // What the feed brings from here on is kept, so nothing falls between that and what is read now.
    this.#isBehind = false;
    const page = await readBehind({
      after: this.#position,
      since,
      limit: pageSize,
    }).catch((error: unknown) => {
      this.#pending = [];
      this.#isBehind = true;
      throw error;
    });
    if (page.length === pageSize) this.#isBehind = true;
    const last = page.at(-1)?.position ?? this.#position;
    const brought = this.#isBehind ? [] : this.#pending;
    this.#pending = [...page, ...brought.filter((event) => isAfter(event, last))];
  }

  async #waitForDatabase(): Promise<void> {
    if (this.#isEnded) return;
    this.#databaseIsBack = Promise.withResolvers();
    await this.#databaseIsBack.promise;
  }

  async #wait(): Promise<void> {
    this.#wakeUp = Promise.withResolvers();
    await this.#wakeUp.promise;
  }

  #end(failure: unknown = null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = failure;
    this.#wakeUp.resolve();
    this.#databaseIsBack.resolve();
    this.#options.onEnd(this);
  }
}

/** Whether the event comes after a position; these are whole numbers that may be long. */
export function isAfter(event: Pick<FeedEvent, 'position'>, position: string): boolean {
  return BigInt(event.position) > BigInt(position);
}
