import type { Grantee } from '../model/consent/access-policy.ts';
import type { GrantableScope } from '../model/consent/scopes.ts';
import type { AccessEvent, FeedEvent } from '../model/events/access-event.ts';
import type { EventType } from '../model/events/event-type.ts';
import type { Owner, OwnerOrOperator } from '../model/identity/owner.ts';

/** Limits the history of a request, because a company could extend a grant any number of times. */
export const maxHistory = 100;

/** The scopes of company data that an investor may see at a time. */
export interface DataReader {
  readonly scopes: readonly GrantableScope[];
  readonly now: Date;
}

export interface FeedQuery {
  /** The owner of the events; null: all events. */
  readonly reader: OwnerOrOperator;
  /** The last position that the reader has; null: from the beginning. */
  readonly after: string | null;
  /** The last position to return; absent or null: no limit. */
  readonly until?: string | null;
  /** Only events of this company; absent or null: of any. */
  readonly companyId?: string | null;
  /** Only events from this instant on. */
  readonly since: Date | null;
  readonly limit: number;
  /** Only events of these types; absent or null: all. */
  readonly types?: readonly EventType[] | null;
  /** The grants that must cover a data event. Without it an investor gets no data events. Companies need none. */
  readonly data?: DataReader;
}

/**
 * The feed of events. An event gets its position after its transaction is committed. An event must never appear at or
 * before a position that was handed out. Each method sees every event that was committed before the call.
 */
export interface AccessEvents {
  /**
   * Returns events in the order of the feed. An investor gets only events of companies in its portfolio, and only data
   * events that a live grant covers at least in part with one of the scopes. Data events are returned with all parts.
   */
  read(query: FeedQuery): Promise<FeedEvent[]>;
  /**
   * Returns an event that has a position, or null. With a reader, the event must be or have been the reader's own, even if
   * the reader may no longer see it.
   */
  find(id: string, reader?: OwnerOrOperator): Promise<FeedEvent | null>;
  /** Returns the newest event that `read` would return to the owner, or null. */
  findLast(reader: Owner, data?: DataReader): Promise<Pick<FeedEvent, 'id' | 'position'> | null>;
  /** Returns the investors with a live grant, by company: only they can see its data events. */
  findGranted(companyIds: readonly string[]): Promise<ReadonlyMap<string, readonly Grantee[]>>;
  /** Returns the position of the newest event, or `0`. */
  lastPosition(): Promise<string>;
  /**
   * Returns the newest `maxHistory` events of a request, oldest first. Must answer 100 calls of one turn with one
   * statement.
   */
  history(accessRequestId: string): Promise<readonly AccessEvent[]>;
  /**
   * Removes data events from before the instant, oldest first, and returns their number. Events with a webhook delivery
   * stay. Events of requests always stay.
   */
  forgetData(before: Date, limit: number): Promise<number>;
}

/** The events of one reader, one by one or several at a time. Each event is authorised when it is handed out. */
export interface EventIterator<Event extends FeedEvent = FeedEvent>
  extends AsyncIterableIterator<Event, undefined> {
  /**
   * Resolves when an event is pending or the stream has ended. Waits while the database is away. It authorises nothing.
   */
  ready(): Promise<void>;
  /**
   * Returns at most `limit` of the pending events without waiting for further ones. Empty if the reader may see none of
   * them, or if the database is away. Null at the end of the stream.
   */
  takeEvents(limit: number): Promise<readonly Event[] | null>;
  /** Waits for pending events and returns at most `limit` of them; an empty list at the end of the stream. */
  nextEvents(limit: number): Promise<readonly Event[]>;
}

/** An open stream of events. Its caller must end it with `return` or with the signal that it was opened with. */
export interface Events<Event extends FeedEvent = FeedEvent> {
  /** ID of the event after which the stream begins. A reader that received no event resumes after it. */
  readonly after: string;
  readonly events: EventIterator<Event>;
}

/** A caller that watches the feed. */
export interface FeedWatcher {
  /** Watchers with the same ID share the answers of `authorise` and `isLive`. */
  readonly keyId: string;
  readonly owner: Owner;
  /** Only events of these types; null: all. */
  readonly types: readonly EventType[] | null;
  /** The event to resume after; null: the newest. */
  readonly after: Pick<FeedEvent, 'id' | 'position'> | null;
  /** Returns the owner's newest event. */
  findLast(): ReturnType<AccessEvents['findLast']>;
  /** Returns the owner's next events from the database, whether they may be handed out or not. */
  readAfter(position: string, limit: number): Promise<readonly FeedEvent[]>;
  /** Returns false if the credential has ended. */
  isLive(): Promise<boolean>;
  /**
   * Returns the part of an event that the credential may see now, or null.
   *
   * @throws AccessError `invalid_api_key` if the credential has ended
   */
  authorise(event: FeedEvent): Promise<FeedEvent | null>;
  /** Narrows a result of `authorise` to what this very caller may see. */
  narrow(event: FeedEvent): FeedEvent | null;
}

/** The feed of one process, which reads new events once for all of its streams. */
export interface EventFeed {
  /**
   * Opens a stream without gaps: it has every event after `watcher.after`, in the order of the feed.
   *
   * @throws AccessError `service_unavailable` if too many streams are open
   */
  open(watcher: FeedWatcher, signal?: AbortSignal): Promise<Events>;
}
