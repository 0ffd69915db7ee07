import type { VersionedAccessFacts } from './access-policy.ts';

/** The access facts that admission has read already, about the one company that the call names. */
export class PrefetchedFacts {
  #companyId: string | null;
  readonly #facts: VersionedAccessFacts | null;

  constructor(companyId: string | null, facts: VersionedAccessFacts | null) {
    this.#companyId = companyId;
    this.#facts = facts;
  }

  /** Yields the facts to the first read of the company; null to every other one, which must ask anew. */
  takeFacts(companyId: string): VersionedAccessFacts | null {
    if (companyId !== this.#companyId) return null;
    this.#companyId = null;
    return this.#facts;
  }
}

/** For a caller whose access facts were not read in advance. */
export const noPrefetchedFacts = new PrefetchedFacts(null, null);
