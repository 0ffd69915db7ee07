import type { VersionedAccessFacts } from './access-policy.ts';

/**
 * The access facts of the company that a call names. One SQL statement reads these facts together with the credential.
 */
export class PrefetchedFacts {
  #companyId: string | null;
  readonly #facts: VersionedAccessFacts | null;

  constructor(companyId: string | null, facts: VersionedAccessFacts | null) {
    this.#companyId = companyId;
    this.#facts = facts;
  }

  /** Returns the facts for the first read of the company. Returns null for later reads and for other companies. */
  takeFacts(companyId: string): VersionedAccessFacts | null {
    if (companyId !== this.#companyId) return null;
    this.#companyId = null;
    return this.#facts;
  }
}

export const noPrefetchedFacts = new PrefetchedFacts(null, null);
