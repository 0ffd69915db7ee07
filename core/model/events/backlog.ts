/** The unsent items of a queue. A time is null if the queue has no such item. */
export interface Backlog {
  readonly waiting: number;
  readonly oldestAt: Date | null;
  /** The earliest due time of all overdue items that no process has claimed. */
  readonly dueSince: Date | null;
  /** The time of the oldest event that the queue hasn't read from the feed. */
  readonly oldestUnconsumedAt: Date | null;
}

export const noBacklog: Backlog = {
  waiting: 0,
  oldestAt: null,
  dueSince: null,
  oldestUnconsumedAt: null,
};
