/** The deliveries or mails that a consumer of the feed has still to send. An instant is null when there are none. */
export interface Backlog {
  /** Those that wait for their first or next attempt. */
  readonly waiting: number;
  /** When the oldest of these was made. */
  readonly oldestAt: Date | null;
  /** Since when the longest overdue one is due that no process works on. */
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
