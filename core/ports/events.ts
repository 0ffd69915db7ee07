import type { Grantee } from '../model/consent/access-policy.ts';
import type { GrantableScope } from '../model/consent/scopes.ts';
import type { AccessEvent, FeedEvent } from '../model/events/access-event.ts';
import type { EventType } from '../model/events/event-type.ts';
import type { Owner, OwnerOrOperator } from '../model/identity/owner.ts';

/** The limit for a request's history, because a company can extend a grant any number of times. */
export const maxHistory = 100;

export interface DataReader {
  readonly scopes: readonly GrantableScope[];
  readonly now: Date;
}

export interface FeedQuery {
  /** Only events of this owner. Null means the events of all owners. */
  readonly reader: OwnerOrOperator;
  /** Only events after this position. Null means from the beginning of the feed. */
  readonly after: string | null;
  /** Only events up to and including this position. */
  readonly until?: string | null;
  readonly companyId?: string | null;
  readonly since: Date | null;
  readonly limit: number;
  readonly types?: readonly EventType[] | null;
  /**
   * An investor gets a data event only if a live grant allows reading it with one of the scopes in `data`. If `data` is
   * absent, an investor gets no data events.
   */
  readonly data?: DataReader;
}

/**
 * The feed of events. An event gets its position after its transaction is committed. The position of a new event must
 * always be after the positions that any reader has already seen. Each method sees every event that was committed
 * before the call.
 */
export interface AccessEvents {
  /**
   * Returns events in the order of the feed. An investor gets only events of companies in the investor's portfolio. An
   * investor gets a data event only if a live grant allows reading at least a part of it. The returned event is
   * complete, so the caller must remove the data that the grant doesn't allow.
   */
  read(query: FeedQuery): Promise<FeedEvent[]>;
  /**
   * Returns an event that has a position in the feed, or null. If `reader` is given, returns only an event that belongs
   * or once belonged to this reader. The reader may no longer be allowed to see this event.
   */
  find(id: string, reader?: OwnerOrOperator): Promise<FeedEvent | null>;
  findLast(reader: Owner, data?: DataReader): Promise<Pick<FeedEvent, 'id' | 'position'> | null>;
  /**
   * Returns the investors with an approved grant, by company ID. Only they can see data events. Grants may be expired.
   */
  findGranted(companyIds: readonly string[]): Promise<ReadonlyMap<string, readonly Grantee[]>>;
  /** Returns the position of the newest event, or `0`. */
  lastPosition(): Promise<string>;
  /** Returns the newest `maxHistory` events, oldest first. 100 concurrent calls must share one SQL statement. */
  history(accessRequestId: string): Promise<readonly AccessEvent[]>;
  /**
   * Deletes data events from before the time `before`, oldest first. Returns the number of deleted events. Data events
   * with a webhook delivery stay. Events of access requests always stay.
   */
  deleteOldData(before: Date, limit: number): Promise<number>;
}

export interface EventIterator<Event extends FeedEvent = FeedEvent>
  extends AsyncIterableIterator<Event, undefined> {
  /** Resolves when an event is pending or the stream has closed. The reader may not be allowed to see the event. */
  ready(): Promise<void>;
  /**
   * Returns up to `limit` pending events without waiting for more. Returns an empty list if the reader may see none of
   * them, or if the database is down. Returns null after the stream has closed.
   */
  takeEvents(limit: number): Promise<readonly Event[] | null>;
  /** Waits for pending events and returns up to `limit` of them. Returns an empty list after the stream has closed. */
  nextEvents(limit: number): Promise<readonly Event[]>;
}

/** An open stream of events. The caller must close it with `return`, or with the signal that it passed to `open`. */
export interface Events<Event extends FeedEvent = FeedEvent> {
  /** The ID of the last event before the stream. A reader without any event yet can resume after this ID. */
  readonly after: string;
  readonly events: EventIterator<Event>;
}

export interface FeedWatcher {
  /** Watchers with the same `keyId` share the results of `authorise` and `isLive`. */
  readonly keyId: string;
  readonly owner: Owner;
  /** The event types that the stream contains. Null means all types. */
  readonly types: readonly EventType[] | null;
  /** The stream begins after this event. Null means after the newest event. */
  readonly after: Pick<FeedEvent, 'id' | 'position'> | null;
  findLast(): ReturnType<AccessEvents['findLast']>;
  /** Returns the owner's next events from the database, without authorising them. */
  readAfter(position: string, limit: number): Promise<readonly FeedEvent[]>;
  /** Returns false if the credential was revoked or has expired. */
  isLive(): Promise<boolean>;
  /**
   * Returns the event with only the data that the credential may see now, or null.
   *
   * @throws AccessError `invalid_api_key` if the credential was revoked or has expired
   */
  authorise(event: FeedEvent): Promise<FeedEvent | null>;
  /** Narrows a shared result of `authorise` to this caller's data. Returns null if nothing is left. */
  narrow(event: FeedEvent): FeedEvent | null;
}

/** The event streams of one process. Each new event is read once for all streams. */
export interface EventFeed {
  /**
   * Opens a stream of every event after `watcher.after`, in the order of the feed and without gaps.
   *
   * @throws AccessError `service_unavailable` if too many streams are open
   */
  open(watcher: FeedWatcher, signal?: AbortSignal): Promise<Events>;
}
