/** Positions from the first to the last, each of which an event has. */
export interface PositionRun {
  readonly first: bigint;
  readonly last: bigint;
}

/** The feed of events as it is stored. */
export interface FeedState {
  /** Where the feed ends by its own row. */
  readonly lastPosition: bigint;
  /** The highest position of any event; 0 without events. */
  readonly highestPosition: bigint;
  /** The positions of all events that the feed still has, in order. A sound feed has at most one run. */
  readonly runs: readonly PositionRun[];
  readonly consumers: readonly { readonly name: string; readonly position: bigint }[];
}

/** The feed must have no gap and end at its last event. No consumer may be further than that. */
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
  // The last events may be so old that they were forgotten.
  const mayEndEarlier = runs.length === 0 && highestPosition < lastPosition;
  const isEnd = highestPosition === lastPosition || mayEndEarlier;
  const end = `the feed ends at ${lastPosition}, and its last event has the position ${highestPosition}`;
  const ahead = consumers
    .filter(({ position }) => position > lastPosition)
    .map(({ name, position }) => `the consumer ${name} is at ${position}, after the end`);
  return [...gaps, ...(isEnd ? [] : [end]), ...ahead];
}
