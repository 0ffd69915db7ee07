/** The limits on concurrent work in one process. docs/limits.md explains them. */
export const limits = {
  /** Requests in progress. A call weighs 1, a GraphQL operation or a batch more. */
  permits: {
    perCaller: 32,
    waitingPerCaller: 1_000,
    /** For connections that haven't sent a valid credential. */
    perNetwork: 8,
    /** A longer response keeps its permits until the client has read it. */
    longAnswerBytes: 256 * 1024,
    /** Concurrent pages of GraphQL. A page of access records weighs 4. */
    pagesPerCaller: 4,
  },
  /** Long work takes turns. A turn stops blocking other callers after `patienceMilliseconds`. */
  lanes: {
    slow: { turns: 16, perCaller: 2, patienceMilliseconds: 250 },
    histories: { turns: 1, perCaller: 2, patienceMilliseconds: 50 },
    pushes: { turns: 2, perCaller: 1, patienceMilliseconds: 30_000 },
    files: { turns: 1, perCaller: 1, patienceMilliseconds: 15_000 },
    waitingPerCaller: 20,
    waitingCallers: 100,
  },
  /** The microseconds of long work in one turn of the event loop, and the price of its pieces. */
  eventLoop: {
    microsecondsPerTurn: 4_000,
    perField: 1.6,
    perCharacter: 1 / 64,
    perByte: 1 / 256,
    perEvent: 100,
  },
  /** In overload, the service refuses a caller with this many requests in progress. */
  load: {
    share: 8,
    /** Overload: a caller has waited this long for the slow lane. */
    laneMilliseconds: 400,
    /** Overload: the event loop is this late. */
    lateMilliseconds: 500,
    sampleMilliseconds: 100,
  },
  /** The part of the connections that is reserved for health checks and new callers. */
  connections: { reserve: 1 / 10 },
} as const;
