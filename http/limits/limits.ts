/** Each limit on what callers do at the same time in one process. docs/limits.md explains them. */
export const limits = {
  /** Requests in progress. A call weighs 1, a GraphQL operation or a batch more. */
  permits: {
    perCaller: 32,
    waitingPerCaller: 1_000,
    /** For requests on connections that haven't sent a valid credential yet. */
    perNetwork: 8,
    /** A longer response holds its permits until the client has read it. */
    longAnswerBytes: 256 * 1024,
    /** Pages of GraphQL that are read at a time. A page of access records weighs 4. */
    pagesPerCaller: 4,
  },
  /** Long work takes turns. A turn longer than `patienceMilliseconds` no longer makes other callers wait. */
  lanes: {
    slow: { turns: 16, perCaller: 2, patienceMilliseconds: 250 },
    histories: { turns: 1, perCaller: 2, patienceMilliseconds: 50 },
    pushes: { turns: 2, perCaller: 1, patienceMilliseconds: 30_000 },
    files: { turns: 1, perCaller: 1, patienceMilliseconds: 15_000 },
    waitingPerCaller: 20,
    waitingCallers: 100,
  },
  /** Long work of all callers in one turn of the event loop, and the price of its pieces. */
  eventLoop: {
    microsecondsPerTurn: 4_000,
    perField: 1.6,
    perCharacter: 1 / 64,
    /** For writing a long response. */
    perByte: 1 / 256,
    perEvent: 100,
  },
  /** In overload, the service refuses callers that have their share in progress. */
  load: {
    share: 8,
    /** A caller has waited longer than this for the slow lane. */
    laneMilliseconds: 400,
    /** The event loop is later than this, on average of about one second. */
    lateMilliseconds: 500,
    sampleMilliseconds: 100,
  },
  /** The part of all connections that is reserved for those without a valid credential: health checks, new callers. */
  connections: { reserve: 1 / 10 },
} as const;
