import type { VersionedAccessFacts } from './access-policy.ts';

/** The access facts of the company that a call names. They are read together with the credential. */
export class PrefetchedFacts {
  #companyId: string | null;
  readonly #facts: VersionedAccessFacts | null;

  constructor(companyId: string | null, facts: VersionedAccessFacts | null) {
    this.#companyId = companyId;
    this.#facts = facts;
  }

  /** Returns the prefetched facts at the first call for their company. Otherwise returns null. */
  takeFacts(companyId: string): VersionedAccessFacts | null {
    if (companyId !== this.#companyId) return null;
    this.#companyId = null;
    return this.#facts;
  }
}

export const noPrefetchedFacts = new PrefetchedFacts(null, null);
