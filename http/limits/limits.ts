/** The limits on concurrent work in one process. docs/limits.md explains them. */
export const limits = {
  /** For requests in progress. A single operation takes 1 permit. A GraphQL operation or a batch takes more. */
  permits: {
    perCaller: 32,
    waitingPerCaller: 1_000,
    /** The permits for all connections from one network that haven't sent a valid credential yet. */
    perNetwork: 8,
    /** A response with more bytes than this counts as in progress until the client has read it. */
    longAnswerBytes: 256 * 1024,
    /** Pages that a GraphQL caller reads at the same time. A page of access records counts as 4 pages. */
    pagesPerCaller: 4,
  },
  /**
   * Callers take turns with long work, and at most `turns` turns run at once. Each turn counts for at most
   * `countedMilliseconds`, so work that hangs blocks no other caller.
   */
  longWork: {
    general: { turns: 16, perCaller: 2, countedMilliseconds: 250 },
    histories: { turns: 1, perCaller: 2, countedMilliseconds: 50 },
    pushes: { turns: 2, perCaller: 1, countedMilliseconds: 30_000 },
    files: { turns: 1, perCaller: 1, countedMilliseconds: 15_000 },
    waitingPerCaller: 20,
    waitingCallers: 100,
  },
  /**
   * The microseconds of long work that may run in one iteration of the event loop. The other values estimate the
   * microseconds per field, character, byte and event.
   */
  eventLoop: {
    microsecondsPerTurn: 4_000,
    perField: 1.6,
    perCharacter: 1 / 64,
    perByte: 1 / 256,
    perEvent: 100,
  },
  /** While the service is overloaded, it refuses a caller who already has `maxPerCaller` requests in progress. */
  load: {
    maxPerCaller: 8,
    /** The service counts as overloaded if a caller has waited this long for long work. */
    longWorkWaitMilliseconds: 400,
    /** The service counts as overloaded if the event loop is late by at least this time. */
    eventLoopLagMilliseconds: 500,
    sampleMilliseconds: 100,
  },
  /** The share of the server's connections that is reserved for health checks and new callers. */
  connections: { reserve: 1 / 10 },
} as const;
