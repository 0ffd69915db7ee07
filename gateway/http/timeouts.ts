/** In milliseconds. */
export interface Timeouts {
  /** For the whole request to arrive. */
  readonly request: number;
  /** For its headers to arrive. */
  readonly headers: number;
  /** For the next request on a connection that is kept open. */
  readonly keepAlive: number;
  /** For an answer to be made. Longer than any takes. */
  readonly answer: number;
  /** For the next byte of an answer to be taken. Node waits twice as long when a part of it was taken meanwhile. */
  readonly unread: number;
  /** For a connection that waits for a request to bring it when the service stops. */
  readonly lastCall: number;
}

export const defaultTimeouts: Timeouts = {
  request: 30_000,
  headers: 10_000,
  keepAlive: 72_000,
  answer: 120_000,
  unread: 55_000,
  lastCall: 1_000,
};
