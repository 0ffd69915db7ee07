/**
 * The server's clock. Every admission statement returns the server's time; a monotonic clock measures the time since.
 * So all
 * processes use one clock, and a machine whose clock is an hour late doesn't extend a grant.
 */
export class ServerClock {
  /** The difference between this process's monotonic clock and the server's. Null before the first answer. */
  #offset: number | null = null;

  /**
   * The server's time lies between sending and receiving, so each answer gives an interval. The offset stays while it
   * is
   * inside. The first time, the later end counts, because a grant must rather end too early.
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
