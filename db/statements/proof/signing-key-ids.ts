import { type StatementRunner, sql } from '../../connections/store.ts';

/** Caches the ID of each signing key by its number. The ID of a number never changes. */
export class SigningKeyIds {
  readonly #kids = new Map<number, string>();
  readonly #runner: StatementRunner;

  constructor(runner: StatementRunner) {
    this.#runner = runner;
  }

  /** Returns the key IDs that the rows refer to. The map may contain other key IDs, too. */
  async of(
    rows: readonly { readonly signingKey: number | null }[],
  ): Promise<ReadonlyMap<number, string>> {
    const unknown = new Set<number>();
    for (const { signingKey } of rows) {
      if (signingKey !== null && !this.#kids.has(signingKey)) unknown.add(signingKey);
    }
    if (unknown.size > 0) {
      const found = await this.#runner.run(sql<{ number: number; kid: string }>`
        select number, kid from signing_key where number = any(${[...unknown]}::smallint[])`);
      for (const { number, kid } of found) this.#kids.set(number, kid);
    }
    return this.#kids;
  }
}
