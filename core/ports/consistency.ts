import type { ConsentTrail } from '../model/consistency/consent-trail.ts';
import type { FeedState } from '../model/consistency/feed-state.ts';
import type { OwnedSettings } from '../model/consistency/logged-settings.ts';
import type { StoredValue } from '../model/consistency/stored-value.ts';

/** All requests, the pending and approved ones, or the requests with these IDs. */
export type WhichConsents = 'all' | 'live' | readonly string[];

/**
 * Reads facts that must agree. Lists come in pages, in any order. Each page is one snapshot, so that a concurrent
 * change never looks like a problem.
 */
export interface Consistency {
  walkConsents(which: WhichConsents): AsyncIterable<readonly ConsentTrail[]>;
  /**
   * Returns the IDs of live requests that may disagree with their last event or receipt, or whose last receipt isn't
   * signed although there is a key. Can include healthy requests. Returns at most 100, with one statement that is cheap
   * enough for every few minutes.
   */
  listSuspectConsents(): Promise<readonly string[]>;
  /** Returns the IDs of receipts without an event of their request. */
  listStrayReceipts(): Promise<readonly string[]>;
  /** @param since the time from which the feed is complete */
  readFeed(since: Date): Promise<FeedState>;
  /** Yields the IDs of companies whose data changed after the last change of the data version. */
  listOutdatedVersions(): AsyncIterable<readonly string[]>;
  walkValues(): AsyncIterable<readonly StoredValue[]>;
  /** Returns the IDs of companies whose name in a portfolio differs from their own. */
  listOutdatedNames(): Promise<readonly string[]>;
  walkSettings(): AsyncIterable<readonly OwnedSettings[]>;
}
