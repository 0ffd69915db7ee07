import type { Standing } from '../access-policy.ts';

export interface StandingQuestion {
  readonly keyId: string;
  readonly companyId: string;
}

export interface StandingReader {
  /**
   * Everything that a decision rests on. Must be read from what is committed at the time of the call: an answer must
   * never come from an earlier question, however short ago, on any process. Any number of questions asked at once must
   * be answered in one statement.
   */
  read(question: StandingQuestion): Promise<Standing>;
}
