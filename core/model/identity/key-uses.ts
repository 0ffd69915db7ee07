/** The last use of each key in this process. Contains only uses that aren't stored in the database yet. */
export class KeyUses {
  readonly #lastUses = new Map<string, Date>();

  record(keyId: string, at: Date): void {
    this.#lastUses.set(keyId, at);
  }

  /** Stores the entries, then removes them. Entries that are recorded in the meantime stay. */
  async flush(store: (uses: ReadonlyMap<string, Date>) => Promise<void>): Promise<void> {
    if (this.#lastUses.size === 0) return;
    const uses = new Map(this.#lastUses);
    await store(uses);
    for (const [id, at] of uses) if (this.#lastUses.get(id) === at) this.#lastUses.delete(id);
  }
}
