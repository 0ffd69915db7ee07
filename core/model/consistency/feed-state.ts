/** A range of feed positions without a gap. Both ends are included. */
export interface PositionRun {
  readonly first: bigint;
  readonly last: bigint;
}

export interface FeedState {
  /** The last assigned position. The feed stores it in a separate row. */
  readonly lastPosition: bigint;
  /** The highest position of the stored events. 0 if there are no events. */
  readonly highestPosition: bigint;
  /** The positions of the events in the feed, as ranges without a gap. A correct feed has at most one range. */
  readonly runs: readonly PositionRun[];
  readonly consumers: readonly { readonly name: string; readonly position: bigint }[];
}

/**
 * Checks that the feed has no gap, and that its last position belongs to the last event. Also checks that no consumer
 * of the feed is beyond the last position.
 */
export function findFeedProblems({
  lastPosition,
  highestPosition,
  runs,
  consumers,
}: FeedState): string[] {
  const gaps = runs.slice(1).map(({ first }, index) => {
    const missing = { first: (runs[index] as PositionRun).last + 1n, last: first - 1n };
    return `no event has the positions ${missing.first} to ${missing.last}`;
  });
  // Old events are deleted. If no event is left, the last position may be higher than `highestPosition`.
  const mayEndEarlier = runs.length === 0 && highestPosition < lastPosition;
  const isEnd = highestPosition === lastPosition || mayEndEarlier;
  const end = `the feed ends at ${lastPosition}, and its last event has the position ${highestPosition}`;
  const consumersAhead = consumers
    .filter(({ position }) => position > lastPosition)
    .map(({ name, position }) => `the consumer ${name} is at ${position}, after the end`);
  return [...gaps, ...(isEnd ? [] : [end]), ...consumersAhead];
}
