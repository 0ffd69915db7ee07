import { AccessError } from '../../model/errors.ts';
import { companyOf, type FeedEvent, isRequestEvent } from '../../model/events/access-event.ts';
import type { Owner } from '../../model/identity/owner.ts';
import type {
  AccessEvents,
  EventFeed,
  EventIterator,
  Events,
  FeedWatcher,
} from '../../ports/events.ts';
import { beforeFirstEvent, noPosition } from './feed-window.ts';

export interface EventStreamLimits {
  /** The maximum number of streams of one company or investor, for all its keys together. Default: 2,000. */
  readonly perOwner?: number;
  readonly total: number;
}

/** The share of all streams that is reserved for companies and investors without an open stream. */
const reservedShare = 1 / 10;

/** The number of events that `poll` reads at once. It is small, because one event may name all metrics of a company. */
const pollSize = 200;

const backfillSize = 100;

/** The maximum number of events that a stream buffers for a slow reader. */
const maxPending = 1000;

type FeedReads = Pick<AccessEvents, 'read' | 'lastPosition' | 'findGranted'>;

/**
 * The event streams of one process. `poll` reads new events once and gives them to all streams. A late `poll` delays
 * events, but no event is lost.
 *
 * Each stream has three phases:
 *
 * 1. Backfill: the stream reads pages from the database, starting at its own position.
 * 2. Cut-over: during each read the stream also buffers the events of `poll`. After the last page, it drops the
 * buffered events that this page already contains. So no event is lost.
 * 3. Live: the stream gets its events only from `poll`. If its buffer overflows, the stream drops the buffer and starts
 * again with phase 1. So a slow reader uses limited memory and delays no other reader.
 */
export class PolledEventFeed implements EventFeed {
  readonly #questions = new SharedQuestions();
  readonly #streams = new Set<EventStream>();
  readonly #accessEvents: FeedReads;
  readonly #limits: Required<EventStreamLimits>;
  /** All events up to this position were given to the streams. Null if there are no streams. */
  #position: string | null = null;

  constructor(accessEvents: FeedReads, limits: EventStreamLimits) {
    this.#accessEvents = accessEvents;
    this.#limits = { perOwner: 2_000, ...limits };
  }

  get size(): number {
    return this.#streams.size;
  }

  async open(watcher: FeedWatcher, signal?: AbortSignal): Promise<Events> {
    this.#checkLimits(watcher.owner);
    const end = () => stream.end();
    const stream = new EventStream(watcher, this.#questions, () => {
      signal?.removeEventListener('abort', end);
      this.#streams.delete(stream);
      if (this.size === 0) this.#position = null;
    });
    this.#streams.add(stream);
    signal?.addEventListener('abort', end);
    try {
      const { id, position } = await this.#findBegin(watcher);
      const last = this.#position ?? (await this.#accessEvents.lastPosition());
      // The reader may have closed this stream during the queries. A feed without streams has no position.
      if (this.size > 0) {
        this.#position ??= last;
        stream.begin(position, isAfter(this.#position, position));
      }
      if (signal?.aborted) end();
      return { after: id, events: stream };
    } catch (error) {
      end();
      throw error;
    }
  }

  #checkLimits(owner: Owner): void {
    const { perOwner, total } = this.#limits;
    let own = 0;
    for (const { watcher } of this.#streams) if (idOf(watcher.owner) === idOf(owner)) own += 1;
    if (own >= perOwner) {
      const kind = 'companyId' in owner ? 'company' : 'investor';
      const message = `This ${kind} already has ${perOwner} open event streams.`;
      throw new AccessError('service_unavailable', { message });
    }
    const reserved = own === 0 ? 0 : Math.ceil(total * reservedShare);
    if (this.size >= total - reserved) throw new AccessError('service_unavailable');
  }

  /** If an owner's streams are opened at the same time, they share the search for the owner's newest event. */
  async #findBegin(watcher: FeedWatcher): Promise<Pick<FeedEvent, 'id' | 'position'>> {
    if (watcher.after !== null) return watcher.after;
    const last = await this.#questions.ask(`last ${idOf(watcher.owner)}`, () => watcher.findLast());
    return last ?? { id: beforeFirstEvent, position: noPosition };
  }

  async poll(): Promise<void> {
    let page: readonly FeedEvent[];
    do {
      const from = this.#position;
      if (from === null) return;
      const last = await this.#accessEvents.lastPosition();
      const query = { reader: null, after: from, since: null, limit: pollSize };
      page = last === from ? [] : await this.#accessEvents.read(query);
      const readers = await this.#findReaders(page);
      // All streams may have closed meanwhile, and new ones begun at another position. This page is then outdated.
      if (this.#position !== from) return;
      this.#position = page.at(-1)?.position ?? from;
      for (const stream of this.#streams) {
        stream.accept(readers.get(idOf(stream.watcher.owner)) ?? []);
      }
    } while (page.length === pollSize);
  }

  async #findReaders(events: readonly FeedEvent[]): Promise<ReadonlyMap<string, FeedEvent[]>> {
    const companyIds = events.filter((event) => !isRequestEvent(event)).map(companyOf);
    const granted =
      companyIds.length === 0
        ? null
        : await this.#accessEvents.findGranted([...new Set(companyIds)]);
    const readers = new Map<string, FeedEvent[]>();
    for (const event of events) {
      const investorIds = isRequestEvent(event)
        ? [event.accessRequest.investorId]
        : (granted?.get(event.companyId) ?? []).map(({ investorId }) => investorId);
      for (const id of [companyOf(event), ...investorIds]) {
        readers.getOrInsertComputed(id, () => []).push(event);
      }
    }
    return readers;
  }

  /** Closes streams of revoked or expired credentials. An idle stream doesn't check its own credential. */
  async checkKeys(): Promise<void> {
    const byKey = Map.groupBy(this.#streams, ({ watcher }) => watcher.keyId);
    await Promise.all(
      byKey.values().map(async (streams) => {
        if (await streams[0]?.watcher.isLive()) return;
        for (const stream of streams) stream.end(new AccessError('invalid_api_key'));
      }),
    );
  }
}

class EventStream implements EventIterator {
  readonly watcher: FeedWatcher;
  readonly #questions: SharedQuestions;
  readonly #onEnd: () => void;
  /** The position of the last event that the stream has handled. */
  #position = noPosition;
  #pending: FeedEvent[] = [];
  /** True if the buffer may lack events that `poll` has already read. */
  #isBehind = true;
  #isEnded = false;
  #failure: unknown = null;
  #waitsForDatabase = false;
  #signal = Promise.withResolvers<void>();

  constructor(watcher: FeedWatcher, questions: SharedQuestions, onEnd: () => void) {
    this.watcher = watcher;
    this.#questions = questions;
    this.#onEnd = onEnd;
  }

  /** @param isBehind true if `poll` has already read events after `position` */
  begin(position: string, isBehind: boolean): void {
    this.#position = position;
    this.#isBehind = isBehind;
  }

  /** Buffers the events of a poll. After an outage, even a poll without events shows that the database works. */
  accept(events: readonly FeedEvent[]): void {
    if (events.length === 0 && !this.#waitsForDatabase) return;
    if (!this.#isBehind) {
      const last = this.#pending.at(-1)?.position ?? this.#position;
      this.#pending.push(...events.filter(({ position }) => isAfter(position, last)));
      if (this.#pending.length > maxPending) {
        this.#pending = [];
        this.#isBehind = true;
      }
    }
    this.#notify();
  }

  async ready(): Promise<void> {
    while (!this.#isEnded && (this.#waitsForDatabase || this.#pending.length === 0)) {
      if (this.#waitsForDatabase) {
        await this.#signal.promise;
        this.#waitsForDatabase = false;
      } else if (this.#isBehind) await this.#attempt(() => this.#backfill());
      else await this.#signal.promise;
    }
  }

  async #backfill(): Promise<void> {
    const from = this.#position;
    const pageKey = `${idOf(this.watcher.owner)} ${from}`;
    // From here on, the stream buffers the events of `poll`.
    this.#isBehind = false;
    try {
      // The streams of one owner read one page at a time, so that other owners' streams can use the database, too.
      const page = await this.#questions.ask(
        `page ${pageKey}`,
        () => this.watcher.readAfter(from, backfillSize),
        `pages ${idOf(this.watcher.owner)}`,
      );
      if (page.length === backfillSize) this.#isBehind = true;
      const last = page.at(-1)?.position ?? from;
      const live = this.#isBehind ? [] : this.#pending;
      this.#pending = [...page, ...live.filter(({ position }) => isAfter(position, last))];
    } catch (error) {
      this.#pending = [];
      this.#isBehind = true;
      throw error;
    }
  }

  async takeEvents(limit: number): Promise<readonly FeedEvent[] | null> {
    const events = this.#isEnded ? null : await this.#attempt(() => this.#take(limit));
    if (!this.#isEnded || events?.length) return events ?? [];
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
    return null;
  }

  async nextEvents(limit: number): Promise<readonly FeedEvent[]> {
    for (;;) {
      await this.ready();
      const events = await this.takeEvents(limit);
      if (events === null) return [];
      if (events.length > 0) return events;
    }
  }

  async #take(limit: number): Promise<readonly FeedEvent[]> {
    const events = this.#pending.slice(0, limit);
    const allowed = await Promise.all(events.map((event) => this.#authorise(event)));
    if (this.#isEnded) return [];
    // If the buffer has overflowed during the checks, it is already empty.
    this.#pending.splice(0, events.length);
    for (const { position } of events) this.#position = position;
    return allowed.filter((event) => event !== null);
  }

  async #authorise(event: FeedEvent): Promise<FeedEvent | null> {
    const { keyId, types } = this.watcher;
    if (types !== null && !types.includes(event.type)) return null;
    const question = () => this.watcher.authorise(event);
    const allowed = await this.#questions.ask(`event ${keyId} ${event.id}`, question);
    return allowed && this.watcher.narrow(allowed);
  }

  /**
   * Runs one step of the stream. Returns null if the database is down, and `ready` then waits for the next successful
   * poll. Any other error closes the stream.
   */
  async #attempt<Result>(step: () => Promise<Result>): Promise<Result | null> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof AccessError && error.code === 'service_unavailable') {
        this.#waitsForDatabase = true;
      } else {
        this.end(error);
        // The reader gets an unexpected error even after closing the stream.
        if (!(error instanceof AccessError)) this.#failure = error;
      }
      return null;
    }
  }

  /** Closes the stream at once. The reader's next call throws the failure. */
  end(failure: unknown = null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = failure;
    this.#notify();
    this.#onEnd();
  }

  #notify(): void {
    this.#signal.resolve();
    this.#signal = Promise.withResolvers();
  }

  async next(): Promise<IteratorResult<FeedEvent, undefined>> {
    const [value] = await this.nextEvents(1);
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  async return(): Promise<IteratorResult<FeedEvent, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/**
 * Shares one query among all streams that need it at the same time. A stream that asks later starts a new query. So a
 * result is never older than the question.
 */
class SharedQuestions {
  /** The queries that haven't started yet. */
  readonly #waiting = new Map<string, Promise<unknown>>();
  readonly #last = new Map<string, Promise<unknown>>();

  /** @param queue the queries of one queue run one after the other */
  ask<Answer>(about: string, question: () => Promise<Answer>, queue = about): Promise<Answer> {
    const answer = this.#waiting.getOrInsertComputed(about, () => {
      const sent = (this.#last.get(queue) ?? Promise.resolve()).then(() => {
        this.#waiting.delete(about);
        return question();
      });
      const settled = sent.then(ignoreResult, ignoreResult).then(() => {
        if (this.#last.get(queue) === settled) this.#last.delete(queue);
      });
      this.#last.set(queue, settled);
      return sent;
    });
    return answer as Promise<Answer>;
  }
}

const ignoreResult = () => undefined;

const idOf = (owner: Owner): string => ('companyId' in owner ? owner.companyId : owner.investorId);

/** Compares positions as BigInt, because a position can be too large for an exact number. */
const isAfter = (position: string, other: string): boolean => BigInt(position) > BigInt(other);
