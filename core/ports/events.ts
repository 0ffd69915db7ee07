import type { Grantee } from '../model/consent/access-policy.ts';
import type { GrantableScope } from '../model/consent/scopes.ts';
import type { AccessEvent, FeedEvent } from '../model/events/access-event.ts';
import type { EventType } from '../model/events/event-type.ts';
import type { Owner, OwnerOrOperator } from '../model/identity/owner.ts';

/** Limits the history of a request, because a company can extend a grant any number of times. */
export const maxHistory = 100;

export interface DataReader {
  readonly scopes: readonly GrantableScope[];
  readonly now: Date;
}

export interface FeedQuery {
  /** The owner of the events. Null means all events. */
  readonly reader: OwnerOrOperator;
  /** The last position that the reader has. Null means the beginning. */
  readonly after: string | null;
  /** The last position to return, included. */
  readonly until?: string | null;
  readonly companyId?: string | null;
  /** Only events from this time on. */
  readonly since: Date | null;
  readonly limit: number;
  readonly types?: readonly EventType[] | null;
  /** A live grant must cover a data event with one of these scopes. Without it, an investor gets no data events. */
  readonly data?: DataReader;
}

/**
 * The feed of events. An event gets its position after its transaction is committed. An event must never appear at or
 * before a position that a reader already has. Each method sees every event that was committed before the call.
 */
export interface AccessEvents {
  /**
   * Returns events in the order of the feed. An investor gets events only of companies in its portfolio. It gets a data
   * event only if a live grant covers a part of it, but then with all parts.
   */
  read(query: FeedQuery): Promise<FeedEvent[]>;
  /**
   * Returns an event with a position, or null. With a reader, the event must be or have been the reader's own, even if
   * the reader may no longer see it.
   */
  find(id: string, reader?: OwnerOrOperator): Promise<FeedEvent | null>;
  findLast(reader: Owner, data?: DataReader): Promise<Pick<FeedEvent, 'id' | 'position'> | null>;
  /** Returns the investors with a live grant by company ID. Only these investors can see a company's data events. */
  findGranted(companyIds: readonly string[]): Promise<ReadonlyMap<string, readonly Grantee[]>>;
  /** Returns the position of the newest event, or `0`. */
  lastPosition(): Promise<string>;
  /**
   * Returns the newest `maxHistory` events of a request, oldest first. 100 concurrent calls must take one statement.
   */
  history(accessRequestId: string): Promise<readonly AccessEvent[]>;
  /**
   * Removes data events from before the time, oldest first, and returns their number. Events with a webhook delivery
   * stay. Events of requests always stay.
   */
  forgetData(before: Date, limit: number): Promise<number>;
}

export interface EventIterator<Event extends FeedEvent = FeedEvent>
  extends AsyncIterableIterator<Event, undefined> {
  /**
   * Resolves when an event is pending or the stream has ended. Waits while the database is down. Authorises nothing.
   */
  ready(): Promise<void>;
  /**
   * Returns up to `limit` pending events without waiting for more. Empty if the reader may see none of them, or if the
   * database is down. Null at the end of the stream.
   */
  takeEvents(limit: number): Promise<readonly Event[] | null>;
  /** Waits for pending events and returns up to `limit` of them. Empty at the end of the stream. */
  nextEvents(limit: number): Promise<readonly Event[]>;
}

/** An open stream of events. The caller must end it with `return`, or with the signal from `open`. */
export interface Events<Event extends FeedEvent = FeedEvent> {
  /** The ID of the event before the stream. A reader that received no event resumes after it. */
  readonly after: string;
  readonly events: EventIterator<Event>;
}

export interface FeedWatcher {
  /** Watchers with the same ID share the results of `authorise` and `isLive`. */
  readonly keyId: string;
  readonly owner: Owner;
  /** Null means all types. */
  readonly types: readonly EventType[] | null;
  /** The event to resume after. Null means the newest. */
  readonly after: Pick<FeedEvent, 'id' | 'position'> | null;
  findLast(): ReturnType<AccessEvents['findLast']>;
  /** Returns the owner's next events from the database, without authorising them. */
  readAfter(position: string, limit: number): Promise<readonly FeedEvent[]>;
  /** Returns false if the credential has ended. */
  isLive(): Promise<boolean>;
  /**
   * Returns the part of an event that the credential may see now, or null.
   *
   * @throws AccessError `invalid_api_key` if the credential has ended
   */
  authorise(event: FeedEvent): Promise<FeedEvent | null>;
  /** Narrows a shared result of `authorise` to the events that this caller may see. */
  narrow(event: FeedEvent): FeedEvent | null;
}

/** The feed of one process. It reads new events once for all of its streams. */
export interface EventFeed {
  /**
   * Opens a stream of every event after `watcher.after`, in the order of the feed and without gaps.
   *
   * @throws AccessError `service_unavailable` if too many streams are open
   */
  open(watcher: FeedWatcher, signal?: AbortSignal): Promise<Events>;
}
