import type { FeedEvent } from '../model/events/access-event.ts';
import type { Backlog } from '../model/events/backlog.ts';
import type { Mail, MailState, NoticeKind } from '../model/events/mail.ts';
import type { NewsKind, PlanNews } from '../model/events/news.ts';
import type { SignInLink } from '../model/sign-in/sign-in-link.ts';
import type { MailReader } from './identity.ts';

/** Unsettled items of a claim are due again at `until`. */
export interface Lease {
  readonly now: Date;
  readonly until: Date;
  readonly limit: number;
}

/** One attempt to send one mail. It identifies a claim: after a takeover, the earlier claim changes nothing. */
export interface MailAttempt {
  readonly id: string;
  readonly attempts: number;
}

/** The result of an attempt. A sign-in link keeps only its state and its next attempt. */
export type MailOutcome = Pick<Mail, 'nextAttemptAt' | 'lastFailure' | 'sentAt'> & {
  readonly state: MailState;
};

export interface MailQueue<Claimed extends MailAttempt> {
  /**
   * Claims due mails, longest due first, and counts an attempt of each. Concurrent callers must get different mails.
   */
  claim(lease: Lease): Promise<Claimed[]>;
  /**
   * Returns the mails that come after `count` similar ones within the time before them. Similar are notices of the same
   * kind and investor to the same contact, or links to the same address. Failed mails don't count. Must enforce the
   * limit even if several processes ask at once.
   */
  findExcessive(
    ids: readonly string[],
    bound: { readonly count: number; readonly milliseconds: number },
  ): Promise<ReadonlySet<string>>;
  /** Must change nothing if the mail was claimed again, settled, used or removed meanwhile. */
  settle(attempt: MailAttempt, outcome: MailOutcome): Promise<void>;
}

interface MailPlan {
  /** Null means no notice. */
  readonly kindOf: (event: FeedEvent) => NoticeKind | null;
  /** Null means no news. */
  readonly newsKindOf: (event: FeedEvent) => NewsKind | null;
  /** Must be called once per person, kind and company, because many events can be news to many people. */
  readonly planNews: PlanNews<MailReader>;
  readonly nextId: () => string;
  readonly now: Date;
  /** The largest number of events. */
  readonly limit: number;
}

export interface Mails extends MailQueue<Mail> {
  /**
   * Takes the next events of the feed, and queues a notice for each contact of their companies. Must take each event
   * once, for any number of processes, and lose none in a crash. Returns the number of events, or 0 while another
   * process runs.
   *
   * An investor's contacts get one mail for many events. An event joins a person's mail of the same kind, until that
   * mail is claimed for the first time. A mail of kind `news` takes only events of the same company. The event becomes
   * the end of the mail's window in the feed. The mail is due at its earliest planned time, which is also its
   * `createdAt`. Data events are queued for investors with a live grant.
   */
  queue(plan: MailPlan): Promise<number>;
  /** Claimed mails aren't due. Mails planned for later don't wait yet. */
  readBacklog(now: Date): Promise<Backlog>;
  /** Newest first. Null means any state. */
  list(state: MailState | null, limit: number): Promise<Mail[]>;
  /** Removes the oldest mails from before the time, and returns their number. */
  forget(before: Date, limit: number): Promise<number>;
}

export interface ClaimedLink extends Pick<SignInLink, 'id' | 'email' | 'attempts' | 'createdAt'> {
  /** True if the address belongs to a contact now. */
  readonly isOfContact: boolean;
  /** The language of a contact with the address. Null if unknown. */
  readonly language: string | null;
}
