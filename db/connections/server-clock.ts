/**
 * The server's clock. Every decision about access returns the server's time, and a monotonic clock measures the time
 * since. So all processes share one clock, and a machine with a wrong clock doesn't extend a grant.
 */
export class ServerClock {
  /** Milliseconds between the monotonic clock and the server. Null before the first answer. */
  #offset: number | null = null;

  /**
   * The server read its clock between sending and receiving, so each answer gives an interval for the offset. The
   * offset changes only if it is outside of the interval. The first answer sets the later end, because a grant must
   * rather end too early.
   *
   * @param serverTime milliseconds since 1970
   * @param sentAt by the monotonic clock
   */
  observe(serverTime: number, sentAt: number, receivedAt: number): void {
    const [least, most] = [serverTime - receivedAt, serverTime - sentAt];
    this.#offset = Math.min(Math.max(this.#offset ?? most, least), most);
  }

  /** Uses this machine's time before the first answer. */
  now(): Date {
    return this.#offset === null ? new Date() : new Date(performance.now() + this.#offset);
  }
}
