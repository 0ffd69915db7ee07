import type { ConsentTrail } from '../model/consistency/consent-trail.ts';
import type { FeedState } from '../model/consistency/feed-state.ts';
import type { OwnedSettings } from '../model/consistency/logged-settings.ts';
import type { StoredValue } from '../model/consistency/stored-value.ts';

/** All requests, those that are pending or approved, or those with these ids. */
export type WhichConsents = 'all' | 'live' | readonly string[];

/**
 * Reads what must agree. Lists come in pages, in any order. Each page is as of one instant, so that a change meanwhile is
 * never taken for a problem.
 */
export interface Consistency {
  walkConsents(which: WhichConsents): AsyncIterable<readonly ConsentTrail[]>;
  /**
   * The ids of live requests that may not agree with their last event and its receipt, or whose last receipt has no
   * signature although there is a key. It may name too many, and names at most 100. One statement, cheap enough for every few minutes.
   */
  listSuspectConsents(): Promise<readonly string[]>;
  /** The ids of receipts whose event isn't one of their request. */
  listStrayReceipts(): Promise<readonly string[]>;
  /** @param since the feed is complete from this time on */
  readFeed(since: Date): Promise<FeedState>;
  /** The IDs of companies with a row that a later transaction wrote than the one that last raised their data version. */
  listOutdatedVersions(): AsyncIterable<readonly string[]>;
  walkValues(): AsyncIterable<readonly StoredValue[]>;
  /** The companies whose name in a portfolio isn't their own. */
  listOutdatedNames(): Promise<readonly string[]>;
  walkSettings(): AsyncIterable<readonly OwnedSettings[]>;
}
