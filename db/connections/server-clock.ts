/**
 * The database server's clock. Each statement that decides about access also returns the server's time. A monotonic
 * clock measures the time after such a statement. So all processes share one clock, and a machine with a wrong clock
 * doesn't extend a grant.
 */
export class ServerClock {
  /** The server's clock minus the monotonic clock, in milliseconds. Null before the first answer. */
  #offset: number | null = null;

  /**
   * Adjusts the offset to the server's time. The server read the time at some moment between `sentAt` and `receivedAt`,
   * so each answer gives an interval for the offset. An offset inside the interval stays unchanged. The first answer
   * sets the latest possible time, because a grant may expire too early but never too late.
   *
   * @param serverTime milliseconds since 1970
   * @param sentAt the monotonic clock's time when the statement was sent
   */
  observe(serverTime: number, sentAt: number, receivedAt: number): void {
    const [earliest, latest] = [serverTime - receivedAt, serverTime - sentAt];
    this.#offset = Math.min(Math.max(this.#offset ?? latest, earliest), latest);
  }

  /** Returns the server's time. Before the first answer of the server, returns this machine's time. */
  now(): Date {
    return this.#offset === null ? new Date() : new Date(performance.now() + this.#offset);
  }
}
