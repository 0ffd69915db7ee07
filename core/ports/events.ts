import type { Grantee } from '../model/consent/access-policy.ts';
import type { GrantableScope } from '../model/consent/scopes.ts';
import type { AccessEvent, FeedEvent } from '../model/events/access-event.ts';
import type { EventType } from '../model/events/event-type.ts';
import type { KeyValidity } from '../model/identity/key-state.ts';
import type { Owner, Whose } from '../model/identity/owner.ts';

/** A company could extend a grant without end, and nobody could read what came of it at once. */
export const maxHistory = 100;

/** What of the data of companies an investor may be told. */
export interface DataReader {
  readonly scopes: readonly GrantableScope[];
  readonly now: Date;
}

export interface FeedQuery {
  /** Whose events. */
  readonly reader: Whose;
  /** The position that the reader has seen last; null: from the beginning. */
  readonly after: string | null;
  /** Only events from this instant on. */
  readonly since: Date | null;
  readonly limit: number;
  /** Only events of these types; all when left out. */
  readonly types?: readonly EventType[] | null;
  /** Whose grants must cover an event of data. An investor gets none without it; others need none. */
  readonly data?: DataReader;
}

/**
 * The feed of events. An event gets its position only after its transaction is committed, one after the other: nothing
 * may ever appear before a position that was handed out already. What was committed before a call must be in its answer.
 */
export interface AccessEvents {
  /**
   * In the order of the feed. An investor must not get the events of a company that is not in its portfolio now, and of its
   * data only those of which a grant that is live now covers a part, with one of the scopes; they come with all parts.
   */
  read(query: FeedQuery): Promise<FeedEvent[]>;
  /**
   * An event that has a position; null when there is none. With a reader only one that is or was its own: that it can't be
   * told now does not matter.
   */
  find(id: string, reader?: Whose): Promise<FeedEvent | null>;
  /** The newest event of a reader, of those that `read` would answer; null when there is none. */
  findLast(reader: Owner, data?: DataReader): Promise<Pick<FeedEvent, 'id' | 'position'> | null>;
  /** By company: an event of data need not be offered to all others. */
  findGranted(companyIds: readonly string[]): Promise<ReadonlyMap<string, readonly Grantee[]>>;
  /** The position of the newest event; `0` when there is none. */
  lastPosition(): Promise<string>;
  /**
   * What happened to a request, oldest first; of more than `maxHistory` events the newest. Must answer a hundred questions
   * asked at once in one statement.
   */
  history(accessRequestId: string): Promise<readonly AccessEvent[]>;
  /**
   * Removes events of data from before the instant, the oldest first, but for those that are still to be delivered or whose
   * delivery is listed. Events of requests are never removed. Answers how many.
   */
  forgetData(before: Date, limit: number): Promise<number>;
}

/** A reader of the feed that waits for what comes. */
export interface FeedStream {
  readonly keyId: string;
  readonly reader: Owner;
  /** The key of the stream as it is now; null when it is not there any more. */
  readonly readKey: () => Promise<KeyValidity | null>;
  /** @param isBehind whether the feed of the process is further than this position */
  start(position: string, isBehind: boolean): void;
  /** Takes events of its reader from the feed. */
  accept(events: readonly FeedEvent[]): void;
  /** To be called when the database answers. */
  retry(): void;
  /** Ends the stream when its key does not work any more. */
  checkKey(key: KeyValidity | null): void;
}

/** The feed of one process, which reads once what is new for all of its streams. */
export interface EventFeed {
  /** @throws AccessError `service_unavailable` when too many are open */
  add(stream: FeedStream): void;
  remove(stream: FeedStream): void;
  /** The newest event of a reader: asked once for all of its streams that are opened at the same time. */
  findLast(
    reader: Owner,
    ask: () => ReturnType<AccessEvents['findLast']>,
  ): ReturnType<AccessEvents['findLast']>;
  /** Lets an added stream begin behind a position. */
  start(stream: FeedStream, position: string): Promise<void>;
  /** What the key of a stream may be told of an event now: asked once for all streams of the key that want to know. */
  authorise(
    keyId: string,
    event: FeedEvent,
    ask: () => Promise<FeedEvent | null>,
  ): Promise<FeedEvent | null>;
  /**
   * What a stream that is behind the feed reads. Streams of one reader read the same place once, and one place at a time,
   * so that many that have fallen behind don't take the database from others.
   *
   * @param place what is read; the same for two streams that read the same
   */
  readBehind(
    reader: Owner,
    place: string,
    read: () => Promise<readonly FeedEvent[]>,
  ): Promise<readonly FeedEvent[]>;
}
