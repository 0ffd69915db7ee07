/** When keys were last used by this process and it is not written down yet: one entry for each key, however often it is used. */
export class KeyUses {
  readonly #lastUses = new Map<string, Date>();

  record(keyId: string, at: Date): void {
    this.#lastUses.set(keyId, at);
  }

  /** Hands over what is recorded, and forgets it once it is kept; what is recorded meanwhile stays. */
  async handOver(keep: (uses: ReadonlyMap<string, Date>) => Promise<void>): Promise<void> {
    if (this.#lastUses.size === 0) return;
    const uses = new Map(this.#lastUses);
    await keep(uses);
    for (const [id, at] of uses) if (this.#lastUses.get(id) === at) this.#lastUses.delete(id);
  }
}
