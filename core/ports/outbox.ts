import type { Mail, MailState } from '../model/events/mail.ts';
import type { SignInLink } from '../model/sign-in/sign-in-link.ts';

/** Which attempt of which mail, so that a claim that was taken over changes nothing. */
export interface MailAttempt {
  readonly id: string;
  readonly attempts: number;
}

interface Claim {
  readonly now: Date;
  /** When the claimed are due again. */
  readonly until: Date;
  readonly limit: number;
}

/** What has become of an attempt. Of a link its state and its next attempt are kept, and nothing else. */
export type MailOutcome = Pick<Mail, 'nextAttemptAt' | 'lastFailure' | 'sentAt'> & {
  readonly state: MailState;
};

/** The mails of one kind that wait to be sent. */
export interface Outbox<Claimed extends MailAttempt> {
  /**
   * Counts an attempt of those that are due, the longest due first, and makes them due again at `until`. Any number of
   * callers at the same time must get different ones.
   */
  claim(claim: Claim): Promise<Claimed[]>;
  /**
   * Which of the mails come after so many others alike that were written in the time before them: notices of the same
   * kind, investor and contact, links to the same address. Those that were set aside do not count. Processes that ask at
   * once must not let more than so many pass.
   */
  findExcessive(
    ids: readonly string[],
    bound: { readonly count: number; readonly milliseconds: number },
  ): Promise<ReadonlySet<string>>;
  /** Must change nothing when the mail was claimed again meanwhile, has been settled or used, or is gone. */
  settle(attempt: MailAttempt, outcome: MailOutcome): Promise<void>;
}

/** A link that is to be mailed. */
export interface ClaimedLink extends Pick<SignInLink, 'id' | 'email' | 'attempts' | 'createdAt'> {
  /** Whether the address is anybody's contact now. */
  readonly isOfContact: boolean;
}

/** People wait for links: each kind is claimed by itself, so that none stands behind another. */
export interface Outboxes {
  /** Invitations among them. */
  readonly notices: Outbox<Mail>;
  readonly signInLinks: Outbox<ClaimedLink>;
}
