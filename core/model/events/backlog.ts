/** What a consumer of the feed has still to do. An instant is null when there is nothing of the kind. */
export interface Backlog {
  /** What waits for its first or its next attempt. */
  readonly waiting: number;
  /** When the oldest of it was made. */
  readonly oldestAt: Date | null;
  /** Since when the longest due of it is due, and nobody works on it. */
  readonly dueSince: Date | null;
  /** When the oldest event happened that the consumer has not taken from the feed yet. */
  readonly oldestUnconsumedAt: Date | null;
}

export const noBacklog: Backlog = {
  waiting: 0,
  oldestAt: null,
  dueSince: null,
  oldestUnconsumedAt: null,
};
