import type { AccessEvent, FeedEvent } from './access-event.ts';

/** A company could extend a grant without end, and nobody could read what came of it at once. */
export const maxHistory = 100;

/** Whose events: those of one side, or all. */
export type FeedReader = { readonly investorId: string } | { readonly companyId: string } | null;

export interface FeedQuery {
  readonly reader: FeedReader;
  /** The position that the reader has seen last; null: from the beginning. */
  readonly after: string | null;
  /** Only events from this instant on. */
  readonly since: Date | null;
  readonly limit: number;
}

/**
 * The feed of events. An event gets its position only after its transaction is committed, one after the other: nothing
 * may ever appear before a position that was handed out already. What was committed before a call must be in its answer.
 */
export interface AccessEvents {
  /** In the order of the feed. An investor must not get the events of a company that is not in its portfolio now. */
  read(query: FeedQuery): Promise<FeedEvent[]>;
  /** An event that has a position; null when there is none. */
  find(id: string): Promise<FeedEvent | null>;
  /** The newest event of a reader, of those that `read` would answer; null when there is none. */
  findLast(reader: NonNullable<FeedReader>): Promise<Pick<FeedEvent, 'id' | 'position'> | null>;
  /** The position of the newest event; `0` when there is none. */
  lastPosition(): Promise<string>;
  /**
   * What happened to a request, oldest first; of more than `maxHistory` events the newest. Must answer a hundred questions
   * asked at once in one statement.
   */
  history(accessRequestId: string): Promise<readonly AccessEvent[]>;
}
