import type { CallingKey } from '../../identity/api-key.ts';
import type { AccessFacts } from '../access-policy.ts';

export interface AccessQuestion {
  readonly keyId: string;
  readonly companyId: string;
}

/** A standing, and what is current of the company's data at the same instant. */
export interface VersionedAccessFacts extends AccessFacts {
  /** Another one whenever anything that can be read of the company has changed. */
  readonly dataVersion: string;
}

export interface AuthenticationQuestion {
  /** SHA-256 of the credential, as `Cryptography` tells it. */
  readonly digest: string;
  /** The company that will be asked for; null when that is not known yet. */
  readonly companyId: string | null;
}

export interface AuthenticatedKey {
  readonly key: CallingKey;
  /** Null when no company was named. */
  readonly facts: VersionedAccessFacts | null;
}

/**
 * Everything that a decision rests on. Must be read from what is committed at the time of the call: an answer must never
 * come from an earlier question, however short ago, on any process. Any number of questions asked at once must be
 * answered in one statement.
 */
export interface AccessFactsReader {
  /** Who shows a credential, and in the same look how its key stands with a company; null: it belongs to no key. */
  authenticate(introduction: AuthenticationQuestion): Promise<AuthenticatedKey | null>;
  read(question: AccessQuestion): Promise<VersionedAccessFacts>;
}
