import { type Statement, type StatementRunner, sql } from '../../connections/store.ts';

const signingKeyIds = (
  numbers: readonly number[],
): Statement<{ number: number; kid: string }> => sql`
  select number, kid from signing_key where number = any(${numbers}::smallint[])`;

/** Caches key IDs by number. A number always belongs to the same ID. */
export class SigningKeyIds {
  readonly #kids = new Map<number, string>();
  readonly #runner: StatementRunner;

  constructor(runner: StatementRunner) {
    this.#runner = runner;
  }

  /** Loads the keys of all rows. */
  async of(
    rows: readonly { readonly signingKey: number | null }[],
  ): Promise<ReadonlyMap<number, string>> {
    const unknown = new Set<number>();
    for (const { signingKey } of rows) {
      if (signingKey !== null && !this.#kids.has(signingKey)) unknown.add(signingKey);
    }
    if (unknown.size > 0) {
      const found = await this.#runner.run(signingKeyIds([...unknown]));
      for (const { number, kid } of found) this.#kids.set(number, kid);
    }
    return this.#kids;
  }
}
