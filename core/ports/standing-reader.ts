import type { Standing } from '../access-policy.ts';

export interface StandingQuestion {
  readonly keyId: string;
  readonly companyId: string;
}

/** A standing, and what is current of the company's data at the same instant. */
export interface VersionedStanding extends Standing {
  /** Another one whenever anything that can be read of the company has changed. */
  readonly dataVersion: string;
}

export interface StandingReader {
  /**
   * Everything that a decision rests on. Must be read from what is committed at the time of the call: an answer must
   * never come from an earlier question, however short ago, on any process. Any number of questions asked at once must
   * be answered in one statement.
   */
  read(question: StandingQuestion): Promise<VersionedStanding>;
}
