/**
 * The clock of the server, as this process can know it: every statement that lets a caller in brings it along, and what
 * has gone by since is measured by a clock that nobody sets. So all processes go by one clock, and one whose machine is
 * set back an hour lets no grant live an hour longer.
 */
export class ServerClock {
  /** From the steady clock of this process to the server's; null until the server was asked. */
  #offset: number | null = null;

  /**
   * The server read its clock somewhen between the two instants, so each look leaves an interval; the last offset stays
   * as long as it lies in it. At the first look the later end counts: a grant must rather end too soon.
   *
   * @param serverTime milliseconds since 1970
   * @param sentAt when it was asked, of the steady clock
   */
  observe(serverTime: number, sentAt: number, receivedAt: number): void {
    const [least, most] = [serverTime - receivedAt, serverTime - sentAt];
    this.#offset = Math.min(Math.max(this.#offset ?? most, least), most);
  }

  /** The time of this machine as long as the server was not asked. */
  now(): Date {
    return this.#offset === null ? new Date() : new Date(performance.now() + this.#offset);
  }
}
