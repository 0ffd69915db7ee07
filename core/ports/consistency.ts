import type { ConsentTrail } from '../model/consistency/consent-trail.ts';
import type { FeedState } from '../model/consistency/feed-state.ts';
import type { OwnedSettings } from '../model/consistency/logged-settings.ts';
import type { StoredValue } from '../model/consistency/stored-value.ts';

/** `live` means pending and approved access requests. A list contains the IDs of requests. */
export type WhichConsents = 'all' | 'live' | readonly string[];

/**
 * Reads stored facts that must agree with each other. Lists come in pages, in any order. Each page is one snapshot, so
 * that a concurrent change never looks like a problem.
 */
export interface Consistency {
  walkConsents(which: WhichConsents): AsyncIterable<readonly ConsentTrail[]>;
  /**
   * Returns the IDs of suspect live access requests. A request is suspect if it may disagree with its last event or
   * receipt. It is also suspect if its last receipt is unsigned although a signing key exists. Some suspect requests
   * are correct. Returns at most 100 IDs. Must use one SQL statement that is cheap enough to run every few minutes.
   */
  listSuspectConsents(): Promise<readonly string[]>;
  /** Returns the IDs of receipts whose request has no matching event. */
  listStrayReceipts(): Promise<readonly string[]>;
  /** @param since the feed must contain every event from this time on */
  readFeed(since: Date): Promise<FeedState>;
  /** Yields the IDs of companies whose data changed although the data version stayed the same. */
  listOutdatedVersions(): AsyncIterable<readonly string[]>;
  walkValues(): AsyncIterable<readonly StoredValue[]>;
  /** Returns the IDs of companies whose name in a portfolio differs from the company's present name. */
  listOutdatedNames(): Promise<readonly string[]>;
  walkSettings(): AsyncIterable<readonly OwnedSettings[]>;
}
